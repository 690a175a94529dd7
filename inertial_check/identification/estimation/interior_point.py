"""A primal-dual interior-point method for bodies in the cone and numbers within bounds.

Each body's slack S = X - floor and its multiplier Z are scaled to the same diagonal matrix by the
transformation of Nesterov and Todd; a predictor and a corrector step (Mehrotra) share one Cholesky
factor. Bodies are batched, and the Newton system has the size of x: no slack is a variable.

Source: Nesterov, Todd, Math. Oper. Res. 22 (1997); Vandenberghe, "The CVXOPT linear and quadratic
cone program solvers" (2010), sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.broadcasting import quiet
from inertial_check.arrays.types import Floats
from inertial_check.errors import ProjectionError
from inertial_check.identification.estimation.problem import Problem
from inertial_check.inertia import tolerances
from inertial_check.solvers.certificate import Certificate
from inertial_check.solvers.iteration import BOUNDARY_FRACTION, PATIENCE, length_to_boundary
from inertial_check.solvers.svec import congruence, pack, unpack

STEPS = 80
"""Interior-point steps at most; ten to thirty are usual."""

STUCK = 0.1
"""Length below which a step counts as stuck along a wall: it goes back towards the central path."""


class Answer(NamedTuple):
    """Best x that was found, with its certificate.

    Attributes:
        x: (p,).
        certificate: Proven distance from the optimum.
        steps: Steps of the method.
    """

    x: Floats
    certificate: Certificate
    steps: int


class _State(NamedTuple):
    """Point inside: x, and the multipliers of bodies (L, 4, 4) and bounds (k,)."""

    x: Floats
    Z: Floats
    lower: Floats
    upper: Floats


def solve(problem: Problem) -> Answer:
    """Find the minimum of a problem.

    Args:
        problem: A problem with a positive definite H.

    Returns:
        The best point that was found. Where rounding stops the method early, the gap of its
        certificate is above tolerances.CERTIFIED: the answer is consistent, and not proven.

    Raises:
        ProjectionError: No step at all was possible, or a body comes out as a point that its ten
            numbers do not hold.
        ParameterError: Neither the samples nor a prior decide everything.
    """
    free, unproven = problem.free, None
    if _inside(problem, free) and np.all(problem.sound(free)):
        unproven = Answer(free, problem.certify(free), 0)
        if unproven.certificate.gap <= tolerances.CERTIFIED:
            return unproven
    found = problem.solve_soundly(lambda lifted: follow_path(lifted, free))
    found = found._replace(certificate=problem.certify(found.x))
    if unproven is not None and not found.certificate.gap < unproven.certificate.gap:
        return unproven
    if not np.all(problem.sound(found.x)):
        bad = np.flatnonzero(~problem.sound(found.x)).tolist()
        raise ProjectionError(
            f"bodies {bad} come out as points, which ten numbers about their origins do not hold: "
            "ask for a margin, or for a larger regularization",
            problem,
        )
    return found


def follow_path(problem: Problem, start: Floats) -> Answer:
    """Find the minimum of a problem along its central path, from a point near `start` (p,).

    Returns:
        The point with the smallest gap among those that were passed.

    Raises:
        ProjectionError: No step was possible, or none with a finite gap.
    """
    cone = _Cone(problem)
    state, best = cone.start(start), None
    for step in range(1, STEPS + 1):
        further = cone.step(state)
        if further is None:
            break
        state = further
        found = problem.certify(state.x)
        if best is None or found.gap < best.certificate.gap or np.isinf(found.gap):
            best = Answer(state.x, found, step)
        certified = best.certificate.gap <= tolerances.CERTIFIED
        tired = certified and step > best.steps + PATIENCE
        if found.gap <= tolerances.BEYOND_CERTIFIED * tolerances.CERTIFIED or tired:
            break
    if best is None or not np.isfinite(best.certificate.gap):
        raise ProjectionError(
            "the identification has no answer: rounding stops its first step; a larger "
            "regularization makes it better posed",
            problem,
        )
    return best


def _inside(problem: Problem, x: Floats) -> bool:
    """Decide whether x meets all cones and bounds."""
    f = x[10 * problem.bodies :]
    within = np.all(f >= problem.lower) and np.all(f <= problem.upper)
    return bool(within and np.linalg.eigvalsh(problem.matrices(x))[:, 0].min(initial=0.0) >= 0)


class _Cone:
    """Cone of a problem, in which the steps go."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.bodies = problem.bodies
        self.below = np.isfinite(problem.lower)
        self.above = np.isfinite(problem.upper)
        self.order = 4 * self.bodies + int(self.below.sum() + self.above.sum())

    def start(self, free: Floats) -> _State:
        """Choose a point inside near the free minimum, with multipliers on the central path."""
        problem, count = self.problem, 10 * self.bodies
        values, vectors = np.linalg.eigh(problem.matrices(free))
        lifted = np.maximum(values, 1.0 + 0 * values)
        X = np.matmul(vectors * lifted[:, None, :], vectors.transpose(0, 2, 1))
        X += problem.floor
        f = self._put_inside(free[count:])
        x = np.concatenate([pack(X).ravel(), f])
        size = float(np.abs(problem.gradient(x)).max(initial=0.0))
        size = size if size > 0 else 1.0
        slack = problem.matrices(x)
        below, above = self._slacks(x)
        return _State(
            x,
            np.asarray(size * np.linalg.inv(slack), dtype=np.float64),
            np.where(self.below, size / below, 0.0),
            np.where(self.above, size / above, 0.0),
        )

    def _put_inside(self, f: Floats) -> Floats:
        """Put numbers inside their bounds, by their own unit or half the way between."""
        lower, upper = self.problem.lower, self.problem.upper
        room = np.minimum(1.0, np.where(self.below & self.above, (upper - lower) / 2, 1.0))
        room = np.maximum(room, 0.0)
        f = np.where(self.below, np.maximum(f, np.where(self.below, lower, 0.0) + room), f)
        return np.where(self.above, np.minimum(f, np.where(self.above, upper, 0.0) - room), f)

    def _slacks(self, x: Floats) -> tuple[Floats, Floats]:
        """Compute the room down to lower and up to upper; 1 where there is no bound."""
        f = x[10 * self.bodies :]
        below = np.where(self.below, f - self.problem.lower, 1.0)
        return below, np.where(self.above, self.problem.upper - f, 1.0)

    @quiet
    def step(self, state: _State) -> _State | None:
        """Make one step; None where rounding allows none."""
        try:
            further = self._move(state)
        except np.linalg.LinAlgError:  # the matrix to factor is singular except for rounding
            return None
        return further if all(np.all(np.isfinite(part)) for part in further) else None

    def _move(self, state: _State) -> _State:
        scaling = _Scaling.of(self.problem.matrices(state.x), state.Z)
        below, above = self._slacks(state.x)
        solve = self._factor(scaling, state, below, above)
        beyond = np.maximum(scaling.middle**2 - self.problem.barrier, 0.0)
        mean = (
            float(np.sum(beyond)) + float(state.lower @ below + state.upper @ above)
        ) / self.order
        zero = np.zeros_like(scaling.middle[:, :, None] * scaling.middle[:, None, :])
        no = np.zeros_like(below)
        first = solve(0.0, _Correction(zero, no, no))
        length = self._length(scaling, state, below, above, first, 1.0)
        target = (1 - length) ** 3 * mean
        correction = _Correction(
            _symmetric(np.matmul(first.ds, first.dz)),
            (first.dx[10 * self.bodies :]) * first.lower,
            -(first.dx[10 * self.bodies :]) * first.upper,
        )
        second = solve(target, correction)
        length = self._length(scaling, state, below, above, second, BOUNDARY_FRACTION)
        if length < STUCK:
            second = solve(mean, _Correction(zero, no, no))
            length = self._length(scaling, state, below, above, second, BOUNDARY_FRACTION)
        return _State(
            state.x + length * second.dx,
            state.Z + length * scaling.unscale(second.dz),
            state.lower + length * second.lower,
            state.upper + length * second.upper,
        )

    def _factor(self, scaling: _Scaling, state: _State, below: Floats, above: Floats) -> _Solve:
        """Factor the Newton equations; returns their solver for any target on the central path."""
        from scipy.linalg import cho_factor, cho_solve

        problem, count = self.problem, 10 * self.bodies
        system = np.array(problem.H)
        blocks = congruence(scaling.inverse_square)
        for i in range(self.bodies):
            own = slice(10 * i, 10 * i + 10)
            system[own, own] += blocks[i]
        places = np.arange(count, len(system))
        system[places, places] += state.lower / below + state.upper / above
        units = 1 / np.sqrt(np.diag(system))
        factor = cho_factor(system * units[:, None] * units, lower=True, check_finite=False)
        gradient = problem.gradient(state.x)

        def solve(target: float, correction: _Correction) -> _Direction:
            wanted = scaling.complementary(target + problem.barrier, correction.bodies)
            lower = np.where(self.below, (target - correction.lower) / below, 0.0)
            upper = np.where(self.above, (target - correction.upper) / above, 0.0)
            right = -gradient
            right[:count] += pack(scaling.unscale(wanted + scaling.diagonal)).ravel()
            right[count:] += lower - upper
            dx = units * cho_solve(factor, units * right, check_finite=False)
            ds = scaling.scale(unpack(dx[:count].reshape(-1, 10)))
            f = dx[count:]
            return _Direction(
                dx,
                ds,
                wanted - ds,
                lower - state.lower - state.lower / below * f,
                upper - state.upper + state.upper / above * f,
            )

        return solve

    def _length(
        self,
        scaling: _Scaling,
        state: _State,
        below: Floats,
        above: Floats,
        direction: _Direction,
        fraction: float,
    ) -> float:
        """Limit the length of a step to this fraction of the way to the boundary."""
        f = direction.dx[10 * self.bodies :]
        ratios = [scaling.shrinkage(direction.ds), scaling.shrinkage(direction.dz)]
        for has, value, change in (
            (self.below, below, f),
            (self.above, above, -f),
            (self.below, state.lower, direction.lower),
            (self.above, state.upper, direction.upper),
        ):
            ratios.append(float(np.max(-change[has] / value[has], initial=0.0)))
        return length_to_boundary(max(ratios), fraction)


class _Correction(NamedTuple):
    """Second-order terms of the predictor: of bodies (L, 4, 4), scaled, and bounds (k,)."""

    bodies: Floats
    lower: Floats
    upper: Floats


class _Direction(NamedTuple):
    """Direction of a step: dx (p,), scaled dS and dZ (L, 4, 4), and the bounds' multipliers."""

    dx: Floats
    ds: Floats
    dz: Floats
    lower: Floats
    upper: Floats


_Solve = Callable[[float, _Correction], _Direction]
"""Function that gives the direction to a target on the central path, to second order."""


class _Scaling(NamedTuple):
    """Nesterov-Todd scaling R with R^-1 S R^-T = R^T Z R = diag(middle), for each body.

    Attributes:
        R: (L, 4, 4).
        inverse: (L, 4, 4).
        middle: (L, 4).
    """

    R: Floats
    inverse: Floats
    middle: Floats

    @classmethod
    def of(cls, S: Floats, Z: Floats) -> _Scaling:
        """Build the scaling of slacks and multipliers (L, 4, 4), both positive definite."""
        root_S, root_Z = np.linalg.cholesky(S), np.linalg.cholesky(Z)
        _, middle, Vt = np.linalg.svd(np.matmul(root_Z.transpose(0, 2, 1), root_S))
        V = Vt.transpose(0, 2, 1)
        R = np.matmul(root_S, V) / np.sqrt(middle)[:, None, :]
        return cls(R, np.linalg.inv(R), middle)

    @property
    def inverse_square(self) -> Floats:
        """(L, 4, 4) (R R^T)^-1."""
        return np.asarray(np.matmul(self.inverse.transpose(0, 2, 1), self.inverse))

    @property
    def diagonal(self) -> Floats:
        """(L, 4, 4) diag(middle)."""
        return np.asarray(self.middle[:, :, None] * np.eye(4))

    def scale(self, dS: Floats) -> Floats:
        """Compute R^-1 dS R^-T."""
        return _symmetric(np.matmul(np.matmul(self.inverse, dS), self.inverse.transpose(0, 2, 1)))

    def unscale(self, dz: Floats) -> Floats:
        """Compute R^-T dz R^-1."""
        return _symmetric(np.matmul(np.matmul(self.inverse.transpose(0, 2, 1), dz), self.inverse))

    def complementary(self, target: float, correction: Floats) -> Floats:
        """Compute the ds + dz (L, 4, 4) that lead to S Z = target 1, to first order."""
        right = target * np.eye(4) - self.diagonal**2 - correction
        return np.asarray(2 * right / (self.middle[:, :, None] + self.middle[:, None, :]))

    def shrinkage(self, change: Floats) -> float:
        """Compute 1 / length of the step at which diag(middle) + length change is singular."""
        root = np.sqrt(self.middle)
        relative = change / (root[:, :, None] * root[:, None, :])
        return float(np.max(-np.linalg.eigvalsh(relative)[:, 0], initial=0.0))


def _symmetric(matrices: Floats) -> Floats:
    return np.asarray((matrices + matrices.transpose(0, 2, 1)) / 2)
