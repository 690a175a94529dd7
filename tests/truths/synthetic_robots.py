"""Chains of known bodies, their motions, and torques with noise: the truth of an identification."""

from typing import Any, NamedTuple

import numpy as np

import inertial_check as ic
from inertial_check.identification.fit.base import base_parameters
from inertial_check.identification.fit.identify import identify
from inertial_check.identification.fit.samples import Samples
from inertial_check.mechanics import equations
from inertial_check.mechanics.tree import Tree
from random_trees import rotation

HARMONICS = 5


class Robot(NamedTuple):
    """A tree of known bodies, and what one would expect them to be."""

    tree: Tree
    prior: Any  # (L, 10)


class Recording(NamedTuple):
    """A motion (S, n), the torques, and the same with noise of known deviation (n,)."""

    q: Any
    u: Any
    du: Any
    exact: Any
    tau: Any
    deviation: Any

    def first(self, count: int) -> "Recording":
        return Recording(*(each[:count] for each in self[:5]), self.deviation)


def chain(links: int, seed: int, *, mass: float = 3.0, length: float = 0.3) -> Robot:
    """A serial arm of revolute joints, about so heavy and long a link.

    Each body is eight point masses around its own middle. The prior is a guess: an isotropic body
    of up to 1.5 times more or less mass at about the middle.
    """
    rng = np.random.default_rng([seed, links])
    X_PB = np.tile(np.eye(4), (links, 1, 1))
    steps = length * rng.uniform(0.5, 1.5, links)
    for X, step in zip(X_PB[1:], steps, strict=False):
        X[:3, :3], X[:3, 3] = rotation(rng), (0.0, 0.0, step)
    X_PB[0, :3, :3] = rotation(rng)
    axes = np.eye(3)[rng.integers(3, size=links)]
    middles = steps[:, None] * [0.0, 0.0, 0.5]
    points = middles[:, None] + length * rng.uniform(-0.5, 0.5, (links, 8, 3)) * [0.6, 0.6, 1.0]
    masses = mass * rng.dirichlet(np.ones(8), links) * rng.uniform(0.5, 2, (links, 1))
    true = ic.InertialParameters.from_point_masses(masses, points)
    expected = true.mass * 1.5 ** rng.uniform(-1, 1, links)
    spread = expected * (0.25 * length) ** 2 * 2 / 3
    moments = spread[:, None] * [1.0, 0, 0, 1.0, 0, 1.0]
    guess = ic.InertialParameters.from_com(expected, middles, moments)
    names, parents = [f"link{i}" for i in range(links)], np.arange(links) - 1
    tree = Tree(names, parents, ["revolute"] * links, X_PB, axes, true.as_theta())
    return Robot(tree, guess.as_theta())


def motion(joints: int, count: int, seed: int, *, rate: float = 100.0) -> tuple[Any, Any, Any]:
    """Random finite Fourier series of about a radian: q, u and du (S, n)."""
    rng = np.random.default_rng([seed, joints])
    t = np.arange(count)[:, None] / rate
    q, u, du = np.zeros((3, count, joints))
    q += rng.uniform(-1, 1, joints)
    for _ in range(HARMONICS):
        w = 2 * np.pi * rng.uniform(0.1, 0.8, joints)
        size, phase = rng.uniform(0.2, 0.5, joints), rng.uniform(0, 2 * np.pi, joints)
        q += size * np.sin(w * t + phase)
        u += size * w * np.cos(w * t + phase)
        du -= size * w**2 * np.sin(w * t + phase)
    return q, u, du


def recording(
    tree: Tree, count: int, seed: int, *, noise: float = 0.05, gravity: Any = equations.GRAVITY
) -> Recording:
    """A motion and its torques; noise is relative to the RMS of each joint's torque."""
    q, u, du = motion(tree.n_u, count, seed)
    exact = equations.inverse_dynamics(tree, q, u, du, gravity=gravity)
    deviation = noise * np.sqrt(np.mean(exact**2, axis=0))
    rng = np.random.default_rng([seed, 1])
    tau = rng.standard_normal(exact.shape)
    tau *= deviation  # in place: of a million samples, each array is 56 MB
    tau += exact
    return Recording(q, u, du, exact, tau, deviation)


def samples(tree: Tree, run: Recording, nuisance: Any = None, **options: Any) -> Samples:
    return Samples.of_trajectory(tree, run.q, run.u, run.du, run.tau, nuisance, **options)


class Recovery(NamedTuple):
    """How near an identification came to the truth, beside unconstrained least squares."""

    validation_ratio: float  # RMS of the weighted errors on another motion: ours / least squares
    exact_ratio: float  # the same against the torques without noise
    inconsistent: int
    free_inconsistent: int
    z: Any  # (b,) errors of the base parameters in standard deviations of least squares
    free_z: Any


def recovered(links: int, count: int, seed: int, **options: Any) -> Recovery:
    """Identify a chain from one motion, and compare on another."""
    robot = chain(links, seed)
    run, other = (recording(robot.tree, count, s) for s in (seed, seed + 100))
    rows = max(64, 2_000_000 // (10 * links * links))
    found = identify(samples(robot.tree, run, rows=rows), prior=robot.prior, **options)
    free = found.least_squares
    tau = [equations.inverse_dynamics(robot.tree, *other[:3], theta=x) for x in (found.theta, free)]

    def ratio(truth: Any) -> float:
        errors = [np.linalg.norm((each - truth) / other.deviation) for each in tau]
        return float(errors[0] / errors[1])

    base = base_parameters(found.reduction)
    A, _, _ = found.reduction.stack(found.weights)
    chosen = np.linalg.qr(A[:, base.independent], mode="r")
    deviation = np.linalg.norm(np.linalg.inv(chosen), axis=1)
    errors = [base.of(x - robot.tree.theta) / deviation for x in (found.theta, free)]
    return Recovery(
        ratio(other.tau),
        ratio(other.exact),
        int(np.sum(~found.consistency.consistent)),
        int(np.sum(~found.least_squares_consistency.consistent)),
        *errors,
    )
