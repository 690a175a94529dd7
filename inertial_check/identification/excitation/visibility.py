"""Visibility of a robot's parameters in its motions, in units that make directions comparable.

The columns of a regressor have the units of what they multiply, its rows those of torques and
forces: a condition number of such a matrix says as much of the units as of the motion. Here each
body is measured in units of its prior, in which a change of 1 is one of the whole body, and the
torque of each joint in units of what it carries.

Derivatives of a weighted sum of a regressor's entries with the motion, in one pass.

The sum is that of all torques, each with parameters of its own. Its derivatives are found as by
reverse differentiation: forces are collected from the leaves to the root, and what the sum is
multiplied by goes from the root to the leaves. One pass takes as long as a few regressors, for any
number of joints, where differences take four regressors for each joint.

All is in joint frames J, with the axis of the joint as z. Twists are (angular velocity, velocity of
Jo), wrenches (moment about Jo, force); the transform X of a joint turns by dX/dq t = (X t) x S,
with its unit twist S (Featherstone, Rigid Body Dynamics Algorithms, 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import pi
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.identification.excitation.fourier import Motion
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, read_floats, real_arrays
from inertial_check.inertia.consistency import Verdict, check
from inertial_check.inertia.frames import transform
from inertial_check.inertia.parameters import InertialParameters, read_about_origin
from inertial_check.inertia.representations import pseudo_inertia
from inertial_check.mechanics.equations import GRAVITY, mass_matrix, regressor
from inertial_check.mechanics.tree import INERTIAL_FRAME, Tree
from inertial_check.projection.project import project
from inertial_check.projection.svec import FROM_SVEC, congruence, factors

_AXIS = {"revolute": 2, "prismatic": 5}
"""Place of a joint's velocity in the twist."""

_BY_Z = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
"""Vector product of a vector with z."""


_TIMES_AXIS = {
    "revolute": np.kron(np.eye(2), _BY_Z),
    "prismatic": np.kron([[0.0, 0.0], [1.0, 0.0]], _BY_Z),
}
"""Matrices (6, 6) of t x S for twists t, by the type of the joint."""


def _build_wrenches() -> Floats:
    """Build (15, 60): the wrench (6, 10) of each parameter, of a, alpha and w w^T of the body."""
    levi = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        levi[i, j, k], levi[i, k, j] = 1.0, -1.0
    one = np.eye(3)
    found = np.zeros((15, 6, 10))
    found[:3, 3:, 0] = one  # a mass takes the force a
    found[:3, :3, 1:4] = np.einsum("akb->bak", levi)  # a first moment the moment e x a
    found[3:6, 3:, 1:4] = np.einsum("abk->bak", levi)  # and the force alpha x e
    centrifugal = np.einsum("ab,kc->bcak", one, one) - np.einsum("ak,bc->bcak", one, one)
    found[6:, 3:, 1:4] = centrifugal.reshape(9, 3, 3)  # and w x (w x e)
    for place, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)), start=4):
        for x, y in {(i, j), (j, i)}:
            found[3 + y, x, place] += 1.0  # an inertia takes x (y . alpha)
            found[6:, :3, place].reshape(3, 3, 3)[:, y] += levi[:, :, x].T  # and w x (x (y . w))
    return found.reshape(15, 60)


_WRENCHES = _build_wrenches()


class RegressorSlope:
    """Derivatives of sums of a regressor's entries with the motion.

    Args:
        tree: The robot, of fixed, revolute and prismatic joints.
        gravity: (3,) in the axes of I [m/s^2].
    """

    def __init__(self, tree: Tree, gravity: Floats) -> None:
        self._tree = tree
        self._ground = np.concatenate([np.zeros(3), -np.asarray(gravity, dtype=np.float64)])
        units = np.broadcast_to(np.eye(10), (len(tree), 10, 10))
        moved = transform(units, tree.X_JB[:, None])
        self._to_joint = np.asarray(moved)  # (N, 10, 10): rows of a body's ten, about Jo

    def differentiate(self, motion: Motion, weights: Floats) -> Floats:
        """Differentiate the sum of a regressor times weights.

        Args:
            motion: (S, n) each.
            weights: (S, n, N, 10) what each entry is multiplied by.

        Returns:
            (3, S, n) derivatives with q, u and du.
        """
        tree, (q, u, du) = self._tree, motion
        X, V, A, T, W, C = ({} for _ in range(6))
        V[INERTIAL_FRAME] = np.zeros((len(q), 6))
        T[INERTIAL_FRAME] = np.zeros((len(q), 6, tree.n_u))
        A[INERTIAL_FRAME] = np.broadcast_to(self._ground, (len(q), 6))
        for body in tree.order:
            parent, place = int(tree.parents[body]), tree.velocities[body].start
            X[body] = self._place(body, q)
            V[body], A[body] = _turn(X[body], V[parent]), _turn(X[body], A[parent])
            T[body] = X[body] @ T[parent]
            if tree.joints[body] in _AXIS:
                axis = _AXIS[tree.joints[body]]
                V[body][:, axis] += u[:, place]
                A[body] += (V[body] @ _TIMES_AXIS[tree.joints[body]].T) * u[:, [place]]
                A[body][:, axis] += du[:, place]
                T[body][:, axis, place] = 1.0
            W[body] = weights[:, :, body] @ self._to_joint[body]
            # List what wrenches are linear in (S, 15): a of Jo, alpha, w w^T.
            w = V[body][:, :3]
            a = A[body][:, 3:] + np.cross(w, V[body][:, 3:])
            squares = (w[:, :, None] * w[:, None]).reshape(-1, 9)
            wrenches = (np.concatenate([a, A[body][:, :3], squares], axis=1) @ _WRENCHES).reshape(
                -1, 6, 10
            )
            C[body] = wrenches @ np.swapaxes(W[body], 1, 2)
        return self._go_back(motion, (X, V, A, T, W, C))

    def _go_back(self, motion: Motion, found: tuple[dict[int, Floats], ...]) -> Floats:
        """Go from the leaves to the root."""
        tree, (X, V, A, T, W, C) = self._tree, found
        u, slopes = motion[1], np.zeros((3, *motion[0].shape))
        over_V, over_A = ({body: np.zeros_like(V[body]) for body in V} for _ in range(2))
        for body in reversed(tree.order):
            parent, place = int(tree.parents[body]), tree.velocities[body].start
            self._count_body(V[body], T[body] @ W[body], over_V[body], over_A[body])
            if tree.joints[body] in _AXIS:
                times, axis = _TIMES_AXIS[tree.joints[body]], _AXIS[tree.joints[body]]
                own_V, own_A = over_V[body], over_A[body]
                slopes[2, :, place] = own_A[:, axis]
                slopes[1, :, place] = np.sum(own_A * (V[body] @ times.T), axis=1)
                own_V += (own_A @ times) * u[:, [place]]
                slopes[1, :, place] += own_V[:, axis]
                slopes[0, :, place] = (
                    np.sum(own_A * (_turn(X[body], A[parent]) @ times.T), axis=1)
                    + np.sum(own_V * (V[body] @ times.T), axis=1)
                    + np.sum(np.matmul(times, T[body]) * C[body], axis=(1, 2))
                )
            if parent != INERTIAL_FRAME:
                back = np.swapaxes(X[body], 1, 2)
                C[parent] += back @ C[body]
                over_V[parent] += _turn(back, over_V[body])
                over_A[parent] += _turn(back, over_A[body])
        return slopes

    def _count_body(self, V: Floats, sums: Floats, over_V: Floats, over_A: Floats) -> None:
        """Add the derivatives of a body's own wrench, times sums (S, 6, 10), with its motion."""
        c = sums.reshape(len(V), 60) @ _WRENCHES.T
        a, quadratic, (w, v) = c[:, :3], c[:, 6:].reshape(-1, 3, 3), (V[:, :3], V[:, 3:])
        over_A[:, :3] += c[:, 3:6]
        over_A[:, 3:] += a
        both = quadratic + np.swapaxes(quadratic, 1, 2)
        over_V[:, :3] += _turn(both, w) + np.cross(v, a)
        over_V[:, 3:] += np.cross(a, w)

    def _place(self, body: int, q: Floats) -> Floats:
        """Build the transform (S, 6, 6) of twists, from the joint frame above to that of a body."""
        tree = self._tree
        R, r = np.broadcast_to(tree.X_PJ[body, :3, :3], (len(q), 3, 3)), tree.X_PJ[body, :3, 3]
        own = q[:, tree.velocities[body]]
        if tree.joints[body] == "revolute":
            turn = np.zeros((len(q), 3, 3))
            turn[:, 0, 0] = turn[:, 1, 1] = np.cos(own[:, 0])
            turn[:, 1, 0] = np.sin(own[:, 0])
            turn[:, 0, 1] = -turn[:, 1, 0]
            turn[:, 2, 2] = 1.0
            R = R @ turn
        elif tree.joints[body] == "prismatic":
            r = r + own * tree.X_PJ[body, :3, 2]
        back = np.swapaxes(R, 1, 2)
        X = np.zeros((len(q), 6, 6))
        X[:, :3, :3] = X[:, 3:, 3:] = back
        lever = np.zeros((*r.shape[:-1], 3, 3))
        lever[..., 0, 1], lever[..., 0, 2], lever[..., 1, 2] = r[..., 2], -r[..., 1], r[..., 0]
        X[:, 3:, :3] = back @ (lever - np.swapaxes(lever, -1, -2))  # w x r of a velocity w
        return X


def _turn(X: Floats, vectors: Floats) -> Floats:
    """Multiply vectors (S, k) by matrices (S, k, k)."""
    return np.asarray(np.matmul(X, vectors[..., None])[..., 0])


CONFIGURATIONS = 64
"""Number of random configurations over which the inertia that a joint carries is averaged: its
mean is known to a tenth, and no condition number needs more."""

SPARE = 4
"""Rows of random motions for each column: directions that they leave out, every motion does."""

_SEED = 0


class Weights(NamedTuple):
    """Importance of parameters: twice the weight asks for half the deviation.

    Attributes:
        bodies: (N,) of each body of the tree.
        nuisance: (k,) of each number beside the bodies.
    """

    bodies: ArrayLike
    nuisance: ArrayLike


@dataclass(frozen=True, eq=False)
class Visibility:
    """The rows of a regressor without units, and the directions of the parameters that have any.

    Attributes:
        tree: The robot.
        gravity: (3,) in the axes of I [m/s^2].
        nuisance: What stands beside the bodies.
        bodies: Indices of the bodies whose parameters count: those that a joint moves, without
            frames that have no mass.
        noise: (n,) what the torque of each joint is divided by.
        to_theta: (L, 10, 10) what ten columns of a body are multiplied by.
        unit: (k,) what the columns beside the bodies are multiplied by.
        basis: (p, r) orthonormal: all that any motion shows.
        weights: (p,) importance of each column, by which it is divided; 1 for all alike.
    """

    tree: Tree
    gravity: Floats
    nuisance: Nuisance
    bodies: tuple[int, ...]
    noise: Floats
    to_theta: Floats
    unit: Floats
    basis: Floats
    weights: Floats

    @cached_property
    def _slope(self) -> RegressorSlope:
        return RegressorSlope(self.tree, self.gravity)

    @property
    def rank(self) -> int:
        """In how many directions motions can show anything: the count of base parameters."""
        return int(self.basis.shape[1])

    @classmethod
    def of(  # noqa: PLR0913 - a robot, and the units
        cls,
        tree: Tree,
        *,
        prior: InertialParameters | ArrayLike | None = None,
        nuisance: Nuisance | None = None,
        noise: ArrayLike | None = None,
        gravity: ArrayLike = GRAVITY,
        tolerance: float = tolerances.RANK,
        weights: Weights | None = None,
    ) -> Visibility:
        """Measure the visibility of a robot's parameters in all its motions together.

        Args:
            tree: The robot, of fixed, revolute and prismatic joints.
            prior: (N, 10) in order "urdf" about the body origins, or InertialParameters, whose size
                the bodies are measured by; None for the tree's own.
            nuisance: What stands beside the bodies, as terms.
            noise: (n,) standard deviation of each joint's torque [N m] or force [N]; None for one
                in proportion to sqrt(m J), of the mass m that the joint carries and its inertia J
                at the joint.
            gravity: (3,) in the axes of I [m/s^2].
            tolerance: Directions that are weaker, of the strongest, are not seen.
            weights: Importance of bodies and of numbers beside them; None for 1.

        Raises:
            ParameterError: Floating joints, no body with mass, a shape that does not fit, ready
                columns, which no other motion has.
        """
        expect(Weights, "nothing", weights=weights)
        if not 0 <= tolerance < 1:
            raise ParameterError(f"tolerance is {tolerance!r}, expected 0 or more and below 1")
        if prior is not None and not isinstance(prior, InertialParameters):
            real_arrays(prior=prior)
        if noise is not None:
            (noise,) = read_floats((), noise=noise)
        (gravity,) = read_floats((3,), gravity=gravity)
        if "floating" in tree.joints:
            body = tree.names[tree.joints.index("floating")]
            raise ParameterError(
                f"{body} floats: expected fixed, revolute and prismatic joints alone, whose motion "
                "can be commanded"
            )
        beside = nuisance or Nuisance()
        if beside.ready is not None:
            raise ParameterError(
                "the nuisance has ready columns, which belong to one motion: declare it by terms, "
                "Nuisance.of(Viscous(), ...)"
            )
        theta = prior_of(tree, prior)
        bodies = tuple(
            body for body, moving in enumerate(tree.columns) if moving and theta[body].any()
        )
        if not bodies:
            raise ParameterError("no joint moves a body with mass: give a prior for the bodies")
        bare = cls(
            tree,
            gravity,
            beside,
            bodies,
            _noise(tree, theta, noise),
            np.tile(np.eye(10), (len(bodies), 1, 1)),
            np.ones(len(beside)),
            np.zeros((0, 0)),
            np.ones(10 * len(bodies) + len(beside)),
        )
        width = 10 * len(bodies) + len(beside)
        rows = bare.rows(*_random_motion(tree, theta, gravity, width)).reshape(-1, width)
        to_theta, unit = _units(theta[list(bodies)], beside, rows)
        importance = _spread_weights(weights, tree, bodies, beside)
        whole = replace(bare, to_theta=to_theta, unit=unit, weights=importance)
        # Orthonormal directions (p, r) in which these rows are anything.
        triangle = np.linalg.qr(whole._in_units(rows), mode="r")
        _, sizes, directions = np.linalg.svd(triangle)
        return replace(whole, basis=np.asarray(directions[sizes > tolerance * sizes[0]].T))

    def rows(self, q: Floats, u: Floats, du: Floats) -> Floats:
        """The regressor and what stands beside it (..., n, p), each in its units.

        Args:
            q: (..., n) coordinates.
            u: (..., n) velocities.
            du: (..., n) accelerations.
        """
        return self._add_beside(self.body_rows(q, u, du), u, du)

    def body_rows(self, q: Floats, u: Floats, du: Floats) -> Floats:
        """The regressor (..., n, N, 10) of all bodies, with the units that it has."""
        Y = np.asarray(regressor(self.tree, q, u, du, gravity=self.gravity))
        return Y.reshape(*q.shape, len(self.tree), 10)

    def project_rows(
        self, q: Floats, u: Floats, du: Floats, bodies: Floats | None = None
    ) -> Floats:
        """Project the rows on the directions (..., n, r) that any motion shows.

        Args:
            q: (..., n) coordinates.
            u: (..., n) velocities.
            du: (..., n) accelerations.
            bodies: body_rows(q, u, du), where they are known.
        """
        Y = self.body_rows(q, u, du) if bodies is None else bodies
        return np.asarray(self._add_beside(Y, u, du) @ self.basis)

    def _add_beside(self, Y: Floats, u: Floats, du: Floats) -> Floats:
        """Rows (..., n, p) of bodies and of what stands beside them, each in its units."""
        n, batch = self.tree.n_u, u.shape[:-1]
        F = self.nuisance.columns(u.reshape(-1, n), du.reshape(-1, n))
        both = [Y[..., self.bodies, :].reshape(*batch, n, -1), F.reshape(*batch, n, -1)]
        return self._in_units(np.concatenate(both, axis=-1) / self.noise[:, None])

    def differentiate_rows(
        self, motion: Motion, dual: Floats, further: Floats | None, steps: Floats
    ) -> Floats:
        """Differentiate the sum of project_rows(*motion) times dual with the motion.

        Args:
            motion: q, u and du, each (S, n).
            dual: (S, n, r).
            further: (S, n, N, 10) by which body_rows(*motion) are multiplied, and added; None for
                zeros.
            steps: (3, n) for differences of what stands beside the bodies, which may have kinks.

        Returns:
            (3, S, n), with q, u and du.
        """
        count = 10 * len(self.bodies)
        back = (dual / self.noise[:, None]) @ self.basis.T / self.weights
        own = back[..., :count].reshape(*back.shape[:-1], len(self.bodies), 10, 1)
        whole = np.zeros((*back.shape[:-1], len(self.tree), 10))
        whole[..., self.bodies, :] = np.matmul(self.to_theta, own)[..., 0]
        if further is not None:
            whole += further
        found = self._slope.differentiate(motion, whole)
        if len(self.nuisance):
            # Differentiate the columns beside the bodies, times dual, with u and du (2, S, n).
            outer = back[..., count:] * self.unit
            _, u, du = motion
            samples, n = u.shape
            moves = np.eye(n)[:, None] * steps[1:, None, None]  # (2, n, 1, n)
            none = np.zeros_like(moves[0])
            speeds = u + np.stack([moves[0], -moves[0], none, none])
            rates = du + np.stack([none, none, moves[1], -moves[1]])
            F = self.nuisance.columns(speeds.reshape(-1, n), rates.reshape(-1, n))
            sums = np.einsum(
                "vsk,sk->vs", F.reshape(4 * n, samples, -1), outer.reshape(samples, -1)
            )
            ahead_u, back_u, ahead_du, back_du = sums.reshape(4, n, samples).swapaxes(1, 2)
            found[1:] += np.stack([ahead_u - back_u, ahead_du - back_du]) / (2 * steps[1:, None])
        return found

    def _in_units(self, rows: Floats) -> Floats:
        count = 10 * len(self.bodies)
        own = rows[..., :count].reshape(*rows.shape[:-1], len(self.bodies), 1, 10)
        own = np.matmul(own, self.to_theta)[..., 0, :].reshape(*rows.shape[:-1], count)
        return np.concatenate([own, rows[..., count:] * self.unit], axis=-1) / self.weights


def _spread_weights(
    weights: Weights | None, tree: Tree, bodies: Sequence[int], beside: Nuisance
) -> Floats:
    """Give each column its weight (p,).

    Raises:
        ParameterError: A shape that does not fit, or a weight that is not positive.
    """
    if weights is None:
        return np.ones(10 * len(bodies) + len(beside))
    arrays = []
    for name, given, count in (
        ("bodies", weights.bodies, len(tree)),
        ("nuisance", weights.nuisance, len(beside)),
    ):
        array = np.asarray(given, dtype=np.float64)
        if array.shape != (count,) or not np.all((array > 0) & np.isfinite(array)):
            raise ParameterError(f"weights.{name}: expected {count} positive numbers")
        arrays.append(array)
    return np.concatenate([np.repeat(arrays[0][list(bodies)], 10), arrays[1]])


def prior_of(tree: Tree, prior: InertialParameters | ArrayLike | None) -> Floats:
    """Parameters (N, 10) of a prior in order "urdf", about the body origins; None for the tree's.

    Raises:
        ParameterError: A shape that does not fit.
    """
    if prior is None:
        return np.asarray(tree.theta)
    theta = read_about_origin(prior)
    if theta.shape != (len(tree), 10):
        raise ParameterError(
            f"prior has shape {theta.shape}, expected ({len(tree)}, 10): a row for each body of "
            "the tree"
        )
    return theta


def _noise(tree: Tree, theta: Floats, noise: ArrayLike | None) -> Floats:
    """Noise (n,) of the torques, by which they are divided."""
    n = tree.n_u
    if noise is not None:
        given = np.asarray(noise, dtype=np.float64)
        if given.shape != (n,) or not np.all((given > 0) & np.isfinite(given)):
            raise ParameterError(f"noise is {noise!r}, expected {n} positive numbers, one a joint")
        return given
    q = np.random.default_rng(_SEED).uniform(-pi, pi, (CONFIGURATIONS, n)) * _turning(tree)
    own = mass_matrix(tree, q, theta=theta)
    inertia = np.mean(np.einsum("kii->ki", own), axis=0)
    carried = np.zeros(n)
    for body, moving in enumerate(tree.columns):
        carried[list(moving)] += theta[body, 0]
    square = carried * inertia
    return np.where(square > 0, np.sqrt(np.abs(square)), 1.0)  # what carries nothing has no row


def _turning(tree: Tree) -> Floats:
    """(n,) 1 for a joint that turns, 0 for one that slides."""
    return np.array([joint == "revolute" for joint in tree.joints if joint != "fixed"], np.float64)


def _random_motion(
    tree: Tree, theta: Floats, gravity: Floats, columns: int
) -> tuple[Floats, Floats, Floats]:
    """States in which gravity, velocities and accelerations count alike, at any size."""
    rng = np.random.default_rng(_SEED)
    mass = theta[:, 0]
    arms = np.linalg.norm(theta[mass > 0, 1:4], axis=1) / mass[mass > 0]
    steps = np.linalg.norm(tree.X_PB[:, :3, 3], axis=1)
    reach = float(max(steps.max(initial=0.0), arms.max(initial=0.0))) or 1.0
    rate = np.sqrt(float(np.linalg.norm(gravity)) / reach) or 1.0
    unit = np.where(_turning(tree) > 0, 1.0, reach)
    q = rng.uniform(-1, 1, (SPARE * columns, tree.n_u)) * np.where(_turning(tree) > 0, pi, reach)
    u, du = rng.normal(size=(2, *q.shape)) * unit
    return q, u * rate, du * rate**2


def _units(theta: Floats, beside: Nuisance, rows: Floats) -> tuple[Floats, Floats]:
    """Choose the units of the columns of bodies, and of those beside them.

    Columns that no prior has a unit for become as long as those that have one are on average.

    Args:
        theta: (L, 10) the priors.
        beside: What stands beside them.
        rows: (s, p) of random motions, without units for the rows alone.
    """
    count = len(theta)
    usable = np.isfinite(theta).all(axis=1) & (theta[:, 0] > 0)
    inside = np.zeros((0, 10))
    if usable.any():
        nearest = project(theta[usable], margin=tolerances.OWN_PRIOR_MARGIN)
        strict = np.asarray(check(nearest.theta).verdict_code) == int(Verdict.CONSISTENT)
        usable[usable] = strict
        inside = np.asarray(nearest.theta)[strict]
    own = rows[:, : 10 * count].reshape(-1, count, 10).transpose(1, 0, 2)
    whitening = np.matmul(FROM_SVEC, congruence(factors(pseudo_inertia(inside))[0]))
    usual = (
        (float(np.sqrt(np.mean(np.matmul(own[usable], whitening) ** 2))) or 1.0)
        if usable.any()
        else 1.0
    )
    length = np.sqrt(np.mean(rows**2, axis=0))
    unit = usual / np.where(length > 0, length, 1.0)
    to_theta = np.zeros((count, 10, 10))
    to_theta[:, range(10), range(10)] = unit[: 10 * count].reshape(-1, 10)
    to_theta[usable] = whitening
    return to_theta, np.where(np.isfinite(beside.scale), beside.scale, unit[10 * count :])
