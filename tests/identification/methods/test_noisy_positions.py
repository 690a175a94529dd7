"""Noise in positions biases least squares, and neither instrumental variables nor DIDIM."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.simulation import Reference, SimulatedRobot, simulate
from inertial_check.identification.motion.signals import differentiate, filter_signals
from inertial_check.mechanics.equations import inverse_dynamics, regressor
from inertial_check.mechanics.tree import Tree

RATE, DURATION = 200.0, 12.0
STEP = 1 / RATE
LINKS = np.array(
    [
        ic.InertialParameters.from_com(m, c, np.diag(i)).as_theta()
        for m, c, i in [
            (3.0, [0.02, 0.01, 0.2], [0.05, 0.05, 0.01]),
            (1.5, [0.0, 0.02, 0.15], [0.02, 0.02, 0.004]),
        ]
    ]
)


def arm():
    shift = np.eye(4)
    shift[2, 3] = 0.4
    axes = [[0, 1, 0], [0, 1, 0]]
    return Tree(["upper", "lower"], [-1, 0], ["revolute"] * 2, [np.eye(4), shift], axes, LINKS)


def derive(k, t, size, frequency, phase):
    """The k-th derivative of a harmonic."""
    w = 2 * np.pi * frequency
    return size * w**k * np.sin(w * t + phase + k * np.pi / 2)


def trajectory(duration=DURATION):
    """Positions, velocities and accelerations: sums of harmonics, exactly."""
    t = np.arange(round(duration * RATE)) * STEP
    parts = [(0.9, 0.4, 0.3), (0.5, 0.9, 1.7)], [(0.8, 0.6, 0.9), (0.6, 1.1, 2.9)]
    q, u, du = (
        np.stack(
            [
                sum(
                    a * (2 * np.pi * f) ** k * np.sin(2 * np.pi * f * t + p + k * np.pi / 2)
                    for a, f, p in own
                )
                for own in parts
            ],
            axis=1,
        )
        for k in range(3)
    )
    return q, u, du


def record(seed, noise=6e-5, torque=0.05):
    """Noisy positions and torques, and the columns that unfiltered differences give."""
    rng = np.random.default_rng(seed)
    tree, (q, u, du) = arm(), trajectory()
    tau = inverse_dynamics(tree, q, u, du) + torque * rng.normal(size=q.shape)
    measured = q + noise * rng.normal(size=q.shape)
    u = differentiate(measured, RATE)
    return tree, measured, regressor(tree, measured, u, differentiate(u, RATE)), tau


def instruments(tree, measured):
    """The regressor of the simulated robot, whose links are far from the true ones."""
    smooth = filter_signals(measured, RATE, 5.0)
    robot = SimulatedRobot(tree, 1.3 * tree.theta, Nuisance.of(joints=2), np.zeros(0))
    return regressor(tree, *simulate(robot, Reference(STEP, smooth, 2 * np.pi * 5)))


def deviations(found, truth):
    """Errors of the base parameters in standard deviations."""
    base = found.base
    return (base.values - base.basis @ truth.ravel()) / base.standard_deviation


def inner(array):
    """Without the ends, where differences are one-sided."""
    return array[20:-20]


def test_noisy_positions_bias_least_squares_and_not_instrumental_variables():
    tree, measured, Y, tau = record(seed=1)
    Z = instruments(tree, measured)
    Y, Z, tau = map(inner, (Y, Z, tau))
    plain = ic.identify(Y, tau, prior=1.2 * LINKS)
    found = ic.identify(Y, tau, prior=1.2 * LINKS, instruments=Z)
    assert found.method == "instrumental-variables"
    assert np.abs(deviations(plain, LINKS)).max() > 5
    assert np.abs(deviations(found, LINKS)).max() < 3
    assert np.all(found.consistency.consistent)
    moments = np.einsum("snp,sn->p", Z, tau - Y @ found.least_squares.ravel())
    size = np.linalg.norm(Z.reshape(-1, 20), axis=0) * np.linalg.norm(tau)
    assert np.abs(moments[size > 0] / size[size > 0]).max() < 1e-3


def test_a_robot_follows_its_reference_and_without_inertia_it_is_an_error():
    tree, (q, _, du) = arm(), trajectory(3.0)
    nothing = Nuisance.of(joints=2)
    moved = simulate(
        SimulatedRobot(tree, tree.theta, nothing, np.zeros(0)), Reference(STEP, q, 30.0)
    )
    assert np.abs(moved.q - q).max() < 1e-5
    assert np.abs(moved.du - du)[5:-5].max() < 1e-2 * np.abs(du).max()
    empty = SimulatedRobot(tree, 0 * tree.theta, nothing, np.zeros(0))
    with pytest.raises(ParameterError, match="nothing that has inertia"):
        simulate(empty, Reference(STEP, q, 30.0))
