"""Payloads: both sources of samples, what is left open, what stands in, what is refused."""

import dataclasses

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.identification.fit.nuisance import Coulomb, Nuisance, Offset, Viscous
from inertial_check.identification.fit.payload import (
    BIAS,
    Recording,
    from_torques,
    from_wrench,
    identify_payload,
    wrench_regressor,
)
from inertial_check.identification.fit.samples import ROWS
from inertial_check.inertia.representations import ORDERS, reorder
from inertial_check.mechanics import equations
from inertial_check.projection.constraints import FixedMass
from random_trees import random_tree, rotation

SIX = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


def tool(rng, mass=1.0, length=0.1):
    masses, points = mass * rng.uniform(0.1, 1, 6), length * rng.normal(size=(6, 3))
    return ic.InertialParameters.from_point_masses(masses, points)


def handling(rng, count):
    """Gravity in the sensor's axes, w, alpha and a."""
    down = rng.normal(size=(count, 3))
    w, alpha = 3 * rng.normal(size=(2, count, 3))
    return (
        9.81 * down / np.linalg.norm(down, axis=1, keepdims=True),
        w,
        alpha,
        rng.normal(size=(count, 3)),
    )


def noisy(rng, tau, share=0.05):
    return tau + share * np.sqrt(np.mean(tau**2, axis=0)) * rng.normal(size=tau.shape)


def at_rest(rng, count):
    return handling(rng, count)[:1]


# The wrist sensor


def test_the_wrench_is_the_sum_over_point_masses():
    rng = np.random.default_rng(0)
    masses, points = rng.uniform(0.1, 1, 7), rng.normal(size=(7, 3))
    theta = ic.InertialParameters.from_point_masses(masses, points).as_theta()
    gravity, w, alpha, a = (each[:, None] for each in handling(rng, 20))
    accelerations = a + np.cross(alpha, points) + np.cross(w, np.cross(w, points))
    forces = masses[:, None] * (accelerations - gravity)
    expected = np.concatenate([np.cross(points, forces).sum(1), forces.sum(1)], axis=1)
    motion = (gravity[:, 0], w[:, 0], alpha[:, 0], a[:, 0])
    np.testing.assert_allclose(wrench_regressor(*motion) @ theta, expected, rtol=1e-12, atol=1e-12)
    other = wrench_regressor(*motion, spatial_order="linear-angular")
    np.testing.assert_allclose(other @ theta, np.roll(expected, 3, axis=1), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_the_regressor_has_the_order_of_theta(order):
    rng = np.random.default_rng(1)
    motion, theta = handling(rng, 5), tool(rng).as_theta()
    Y = wrench_regressor(*motion, order=order)
    np.testing.assert_allclose(
        Y @ reorder(theta, "urdf", order), wrench_regressor(*motion) @ theta, rtol=1e-12
    )


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("mass", "length"), [(1.0, 0.1), (1e-6, 1e-3), (1e3, 1.0)])
def test_all_ten_are_recovered_whatever_the_size(mass, length, bias):
    rng = np.random.default_rng(2)
    truth, motion = tool(rng, mass, length), handling(rng, 400)
    tau = noisy(rng, wrench_regressor(*motion) @ truth.as_theta())
    offset = bias * np.sqrt(np.mean(tau**2, axis=0)) * np.arange(1, 7)
    found = identify_payload(from_wrench(tau + offset, *motion, bias=bias))
    assert found.open == ()
    assert found.rank == 10
    assert found.consistency.consistent
    assert np.all(np.abs(found.theta - truth.as_theta()) < 3.5 * found.standard_deviation)
    assert np.all(found.standard_deviation[:4] < 0.1 * np.abs(truth.as_theta()[:4]).max())
    assert found.weighted_rms == pytest.approx(1.0, abs=0.01)
    if bias:
        numbers = np.array([found.nuisance[name] for name in BIAS])
        np.testing.assert_allclose(numbers, offset, rtol=0.02)


def test_the_deviations_are_those_of_many_recordings():
    squares = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth, motion = tool(rng).as_theta(), handling(rng, 150)
        tau = noisy(rng, wrench_regressor(*motion) @ truth)
        found = identify_payload(from_wrench(tau, *motion, bias=True))
        change = found.least_squares - truth
        squares.append(change @ found.information @ change)
    # chi-squared of ten degrees of freedom: mean 10, deviation sqrt(20 / 40) of the mean
    assert abs(np.mean(squares) - 10) < 3.5 * np.sqrt(20 / 40)


def test_the_answer_is_the_nearest_in_the_metric_of_the_information():
    rng = np.random.default_rng(4)
    motion = handling(rng, 60)
    rod = ic.InertialParameters.from_point_masses([1.0, 1.0], [[0.1, 0, 0], [0.3, 0.1, 0]])
    tau = noisy(rng, wrench_regressor(*motion) @ rod.as_theta(), 0.3)
    found = identify_payload(from_wrench(tau, *motion, bias=True))
    assert not found.least_squares_consistency.consistent
    assert found.consistency.consistent
    nearest = ic.project(found.least_squares, metric="weighted", weights=found.information)
    np.testing.assert_allclose(found.theta, nearest.theta, rtol=0, atol=1e-7)
    assert found.weighted_rms_least_squares < found.weighted_rms < found.weighted_rms_before
    assert max(found.identification.certify()) <= 1e-9


def test_a_margin_is_held():
    rng = np.random.default_rng(5)
    motion = handling(rng, 60)
    rod = ic.InertialParameters.from_point_masses([1.0, 1.0], [[0.1, 0, 0], [0.3, 0.1, 0]])
    tau = noisy(rng, wrench_regressor(*motion) @ rod.as_theta())
    found = identify_payload(from_wrench(tau, *motion), margin=0.01)
    assert found.consistency.margin >= 0.01


# What is left open


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("mass", "length"), [(1.0, 0.1), (1e-6, 1e-3), (1e3, 1.0)])
def test_poses_at_rest_leave_the_inertia_open_and_nothing_else(mass, length, bias):
    rng = np.random.default_rng(6)
    truth, motion = tool(rng, mass, length), at_rest(rng, 200)
    tau = noisy(rng, wrench_regressor(*motion) @ truth.as_theta())
    found = identify_payload(from_wrench(tau, *motion, bias=bias))
    assert found.open == SIX
    assert found.rank == 4
    assert np.all(np.isinf(found.standard_deviation[4:]))
    assert np.all(np.isnan(found.least_squares[4:]))
    four = slice(0, 4)
    error = np.abs(found.theta - truth.as_theta())[four]
    assert np.all(error < 3.5 * found.standard_deviation[four])
    np.testing.assert_allclose(found.theta[four], found.least_squares[four], rtol=1e-6)
    # a point mass at the centre of mass
    assert found.consistency.verdict == "boundary"
    assert np.all(found.parameters.inertia_com == 0)
    assert any("a point mass at the centre of mass stands in" in line for line in found.remarks)


@pytest.mark.parametrize("order", ORDERS)
def test_the_point_mass_has_the_order_asked_for(order):
    rng = np.random.default_rng(6)
    truth, motion = tool(rng), at_rest(rng, 30)
    tau = wrench_regressor(*motion) @ truth.as_theta()
    found = identify_payload(from_wrench(tau, *motion, order=order), weights=1.0)
    point = ic.InertialParameters.from_com(truth.mass, truth.com, np.zeros((3, 3)))
    np.testing.assert_allclose(found.theta, point.as_theta(order=order), rtol=0, atol=1e-10)
    assert found.open[-1] == f"I{ORDERS[order][-1]}"


def test_a_prior_decides_what_poses_at_rest_leave_open():
    rng = np.random.default_rng(7)
    truth, motion = tool(rng), at_rest(rng, 200)
    tau = noisy(rng, wrench_regressor(*motion) @ truth.as_theta(), 0.01)
    found = identify_payload(from_wrench(tau, *motion), prior=truth)
    assert found.open == SIX
    np.testing.assert_allclose(found.theta, truth.as_theta(), rtol=0.1, atol=1e-3)
    assert any("open: the prior decides" in line for line in found.remarks)


@pytest.mark.parametrize(
    ("gravity", "left"),
    [
        pytest.param([0, 0, -9.81], ("hz", *SIX), id="along an axis"),
        pytest.param([3.0, -5.0, -7.0], ("hx", "hy", "hz", *SIX), id="oblique"),
    ],
)
def test_one_orientation_leaves_the_lever_along_gravity_open(gravity, left):
    rng = np.random.default_rng(8)
    truth = tool(rng)
    motion = (np.tile(gravity, (50, 1)),)
    tau = noisy(rng, wrench_regressor(*motion) @ truth.as_theta(), 0.01)
    found = identify_payload(from_wrench(tau, *motion))
    assert found.open == left
    assert found.rank == 3
    # of all centres of mass that fit, the one nearest to the sensor
    down = np.array(gravity) / np.linalg.norm(gravity)
    assert found.parameters.com @ down == pytest.approx(0.0, abs=1e-9)
    across = found.parameters.com - (truth.com - (truth.com @ down) * down)
    assert np.linalg.norm(across) < 0.02 * np.linalg.norm(truth.com)


def test_noise_that_drowns_the_inertia_is_said():
    rng = np.random.default_rng(9)
    truth = tool(rng)
    gravity, w, alpha, a = handling(rng, 100)
    motion = (gravity, 1e-3 * w, 1e-3 * alpha, a)
    tau = noisy(rng, wrench_regressor(*motion) @ truth.as_theta())
    found = identify_payload(from_wrench(tau, *motion))
    assert found.open == ()
    (line,) = (line for line in found.remarks if "uncertain by more than" in line)
    assert "Ixx" in line
    assert " m," not in line


# The robot's joints


def trajectory(rng, tree, count):
    return rng.normal(size=(3, count, tree.n_u))


def loaded(tree, body, payload, X_BF=None):
    """The tree with a payload on a body."""
    theta = np.array(tree.theta)
    placed = payload if X_BF is None else payload.transform(X_BF)
    theta[body] += placed.as_theta()
    return dataclasses.replace(tree, theta=theta)


KINDS = ("revolute", "prismatic")


@pytest.mark.parametrize("order", ["urdf", "mujoco"])
def test_a_payload_is_recovered_from_joint_torques(order):
    rng = np.random.default_rng(10)
    tree = random_tree(3, count=6, kinds=KINDS, axes="coordinate")
    payload, X_BF = tool(rng), np.eye(4)
    X_BF[:3, :3], X_BF[:3, 3] = rotation(rng), rng.normal(size=3)
    q, u, du = trajectory(rng, tree, ROWS + 100)
    friction = Nuisance.of(Viscous(), Coulomb(), joints=tree.n_u)
    numbers = dict(zip(friction.names, rng.uniform(0.1, 1, len(friction)), strict=True))
    tau = equations.inverse_dynamics(loaded(tree, 5, payload, X_BF), q, u, du)
    tau = tau + friction.columns(u, du) @ np.array(list(numbers.values()))
    samples = from_torques(
        tree,
        "body5",
        Recording(q, u, du, tau + 2.5),
        friction=friction,
        friction_values=numbers,
        nuisance=Nuisance.of(Offset(), joints=tree.n_u),
        X_BF=X_BF,
        order=order,
    )
    found = identify_payload(samples, weights=1.0)
    truth = reorder(payload.as_theta(), "urdf", order)
    np.testing.assert_allclose(found.theta, truth, rtol=0, atol=1e-9)
    np.testing.assert_allclose(list(found.nuisance.values()), 2.5, rtol=1e-9)
    np.testing.assert_allclose(found.parameters.as_theta(), payload.as_theta(), atol=1e-9)


def test_other_parameters_of_the_robot_than_its_file_has():
    rng = np.random.default_rng(11)
    tree = random_tree(4, count=5, kinds=KINDS)
    wrong = dataclasses.replace(tree, theta=tree.theta * 1.3)
    payload, motion = tool(rng), trajectory(rng, tree, 300)
    tau = equations.inverse_dynamics(loaded(tree, 4, payload), *motion)
    samples = from_torques(wrong, 4, Recording(*motion, tau), theta=tree.theta)
    found = identify_payload(samples, weights=1.0)
    np.testing.assert_allclose(found.theta, payload.as_theta(), rtol=0, atol=1e-9)


def test_two_recordings_cancel_friction_that_nobody_modelled():
    rng = np.random.default_rng(12)
    tree = random_tree(5, count=5, kinds=KINDS)
    payload, (q, u, du) = tool(rng), trajectory(rng, tree, 300)
    nearby = q + 1e-3 * rng.normal(size=q.shape)
    friction = 3 * np.tanh(2 * u) + 0.5
    before = equations.inverse_dynamics(tree, nearby, u, du) + friction
    after = equations.inverse_dynamics(loaded(tree, 4, payload), q, u, du) + friction
    samples = from_torques(
        tree, 4, Recording(q, u, du, after), unloaded=Recording(nearby, u, du, before)
    )
    found = identify_payload(samples, weights=1.0)
    np.testing.assert_allclose(found.theta, payload.as_theta(), rtol=0, atol=1e-9)


def test_joints_at_rest_leave_the_inertia_open():
    rng = np.random.default_rng(13)
    tree = random_tree(6, count=6, kinds=("revolute",))
    payload, q = tool(rng), rng.normal(size=(40, 6))
    still = np.zeros_like(q)
    tau = equations.gravity_forces(loaded(tree, 5, payload), q)
    found = identify_payload(from_torques(tree, 5, Recording(q, still, still, tau)), weights=1.0)
    assert found.open == SIX
    np.testing.assert_allclose(found.theta[:4], payload.as_theta()[:4], atol=1e-9)


def test_an_axis_that_never_turns_leaves_part_of_the_inertia_open():
    rng = np.random.default_rng(14)
    tree = random_tree(7, count=1, axes="coordinate")
    payload, (q, u, du) = tool(rng), trajectory(rng, tree, 200)
    tau = equations.inverse_dynamics(loaded(tree, 0, payload), q, u, du)
    samples = from_torques(tree, 0, Recording(q, u, du, tau))
    with pytest.raises(ic.ParameterError, match=r"leave the mass open \(m, h.*give prior="):
        identify_payload(samples, weights=1.0)
    found = identify_payload(samples, weights=1.0, prior=payload)
    assert "m" in found.open
    assert found.consistency.consistent


# What is refused


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_a_wrench_of_the_other_sign_is_refused(moving, known):
    rng = np.random.default_rng(15)
    motion = handling(rng, 30) if moving else at_rest(rng, 30)
    truth = tool(rng)
    tau = noisy(rng, -wrench_regressor(*motion) @ truth.as_theta())
    with pytest.raises(ic.ParameterError, match=r"mass -.* negate them"):
        identify_payload(from_wrench(tau, *motion), prior=truth if known else None)


def test_nothing_carried_is_a_body_within_the_noise():
    rng = np.random.default_rng(22)
    motion = handling(rng, 200)
    found = identify_payload(from_wrench(rng.normal(size=(200, 6)), *motion))
    assert found.parameters.mass < 3 * found.standard_deviation[0]
    assert found.consistency.consistent
    assert any("uncertain by more than" in line for line in found.remarks)
    assert not any("prior's own" in line for line in found.remarks)


def test_one_orientation_cannot_tell_a_weight_from_a_bias():
    rng = np.random.default_rng(16)
    motion = (np.tile([0, 0, -9.81], (30, 1)),)
    tau = wrench_regressor(*motion) @ tool(rng).as_theta()
    with pytest.raises(ic.ParameterError, match="leave the mass open"):
        identify_payload(from_wrench(tau, *motion, bias=True))


def test_a_point_mass_takes_no_margin():
    rng = np.random.default_rng(17)
    motion = at_rest(rng, 30)
    tau = wrench_regressor(*motion) @ tool(rng).as_theta()
    with pytest.raises(ic.ParameterError, match="takes no margin"):
        identify_payload(from_wrench(tau, *motion), margin=0.01)


def test_what_does_not_fit_is_refused_with_its_shape():
    rng = np.random.default_rng(18)
    tree = random_tree(3, count=3, kinds=("revolute",))
    good, tau = handling(rng, 5), np.zeros((5, 6))
    recording = Recording(*trajectory(rng, tree, 5), np.zeros((5, 3)))
    friction = Nuisance.of(Viscous(), joints=3)
    for call, message in (
        (lambda: from_wrench(tau[:4], *good), r"wrench has shape \(4, 6\).*\(5,\) samples"),
        (lambda: from_wrench(tau[:, :3], *good), r"wrench has shape \(5, 3\), expected \(S, 6\)"),
        (lambda: wrench_regressor(good[0][:, :2]), r"gravity_S has shape \(5, 2\)"),
        (lambda: wrench_regressor(good[0], good[1][:3]), "do not broadcast"),
        (lambda: wrench_regressor(*good, spatial_order="ros"), "ros"),
        (lambda: from_torques(tree, "hand", recording), "'hand' is no body"),
        (
            lambda: from_torques(tree, 2, recording._replace(u=np.zeros((5, 4)))),
            r"loaded: u has shape \(5, 4\), expected \(5, 3\)",
        ),
        (
            lambda: from_torques(
                tree, 2, recording, unloaded=Recording(*(each[:4] for each in recording))
            ),
            "loaded has 5 samples and unloaded 4",
        ),
        (
            lambda: from_torques(tree, 2, recording, friction=friction),
            "no number for fv1, fv2, fv3",
        ),
        (
            lambda: from_torques(tree, 2, recording, friction_values={"fv1": 1.0}),
            "no term for fv1",
        ),
        (lambda: identify_payload(np.zeros((5, 3, 20)), np.zeros((5, 3))), "one body"),
        (lambda: identify_payload(np.zeros((5, 3, 10))), "expected Samples"),
        (lambda: identify_payload(from_wrench(tau, *good), tau), "holds its torques"),
        (
            lambda: identify_payload(from_wrench(tau, *good), prior=np.zeros((2, 10))),
            r"prior has shape \(2, 10\)",
        ),
    ):
        with pytest.raises(ic.ParameterError, match=message):
            call()


def test_a_number_that_is_not_finite_is_named_by_its_sample():
    rng = np.random.default_rng(19)
    motion = handling(rng, 8)
    tau = wrench_regressor(*motion) @ tool(rng).as_theta()
    tau[5, 2] = np.nan
    with pytest.raises(ic.ParameterError, match="sample 5"):
        identify_payload(from_wrench(tau, *motion))


def test_a_known_mass_and_outliers():
    rng = np.random.default_rng(20)
    truth, motion = tool(rng), handling(rng, 300)
    tau = noisy(rng, wrench_regressor(*motion) @ truth.as_theta(), 0.02)
    tau[::25] += 20 * np.sqrt(np.mean(tau**2, axis=0))  # blows against the tool
    samples = from_wrench(tau, *motion)
    weighed = identify_payload(samples, constraints=[FixedMass(float(truth.mass))])
    assert weighed.parameters.mass == pytest.approx(truth.mass, rel=1e-9)
    squares, huber = (identify_payload(samples, loss=loss) for loss in ("squares", "huber"))
    error = [np.abs(each.theta / truth.as_theta() - 1).max() for each in (squares, huber)]
    assert error[1] < 0.3 * error[0]
