"""The joint problem of all bodies, in units of their priors, and the proof of an answer.

    minimise ||A x - b||^2 + rss + (x - x0)^T K (x - x0)
    over the bodies X_i >= floor_i and lower <= f <= upper

x holds svec(L_i^-1 Pi_i L_i^-T) of each body, P_i = L_i L_i^T its prior, which is 1 in these units,
then the further numbers f in units of their own. K is regularization times one for the bodies.
Without it most problems have no single answer: many bodies cause the same torques.

Prior terms of the joint problem beside the whitened one: divergences, and plain lengths.

    minimise ||A x - b||^2 + rss + regularization sum_i D(X_i) + the further numbers' prior terms
    over the bodies X_i > 0 and lower <= f <= upper

with D(X) = tr(X) - log det(X) - 4 (entropic) or ||log X||_F^2 (affine-invariant), where X is
L^-1 Pi L^-T of a body in units of its prior L L^T: Lee, Wensing and Park, IEEE Trans. Robot. 36,
2020, sec. III, here for all bodies at once. Near the prior the first is half of ||X - 1||_F^2, the
second all of it. Both keep every body strictly inside the cone.

The entropic problem is convex: its answer is a point of the bodies' central path, and proven. The
other divergence is convex along geodesics only, and not in X where eigenvalues of X exceed e; the
data term is convex in X only. What is found for it, from the entropic answer on, is a minimum among
its neighbours.

A primal-dual interior-point method for bodies in the cone and numbers within bounds.

Each body's slack S = X - floor and its multiplier Z are scaled to the same diagonal matrix by the
transformation of Nesterov and Todd; a predictor and a corrector step (Mehrotra) share one Cholesky
factor. Bodies are batched, and the Newton system has the size of x: no slack is a variable.

Source: Nesterov, Todd, Math. Oper. Res. 22 (1997); Vandenberghe, "The CVXOPT linear and quadratic
cone program solvers" (2010), sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import NamedTuple, TypeVar

import numpy as np

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Mask, quiet
from inertial_check.inertia.consistency import check
from inertial_check.inertia.representations import about_com, pseudo_inertia, split
from inertial_check.inertia.solids import radius_of_gyration
from inertial_check.inertia.tolerances import EPS
from inertial_check.projection.quadratic import (
    BOUNDARY_FRACTION,
    PATIENCE,
    LineSearch,
    is_flat,
    length_to_boundary,
)
from inertial_check.projection.regularised import Divergence, log_slopes
from inertial_check.projection.svec import (
    COLUMN,
    FROM_SVEC,
    ROW,
    TO_SVEC,
    Certificate,
    apply,
    congruence,
    factors,
    pack,
    root_of,
    unpack,
)

IDENTITY: Floats = pack(np.eye(4))
"""Svec of the 4x4 identity: every prior in its own units."""


class Bounds(NamedTuple):
    """Effect of the bounds of the further numbers on an answer.

    Attributes:
        left: (k,) projected gradient: half the gradient without the parts that active bounds hold.
        outside: Largest distance by which a bound is violated.
        apart: Complementarity gap, in the unit of the objective.
    """

    left: Floats
    outside: float
    apart: float


LIFTS = tuple(2.0**-k for k in range(44, 26, -1))
"""Parts of the prior, in turn, that lie under a body which rounding leaves outside the cone."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Joint problem of all bodies, in units of their priors.

    Attributes:
        A: (r, 10 L + k).
        b: (r,).
        rss: Residual sum of squares that no parameters explain.
        theta0: (L, 10) the priors, positive definite, in order "urdf" about the body origins [SI].
        regularization: Weight of the bodies' prior terms.
        pull: (L, 10, 10) matrices of the bodies' prior terms, 1 unless asked otherwise.
        beside: (k,) diagonal of K of the further numbers.
        unit: (k,) units by which the further numbers are divided.
        lower: (k,) bounds in these units.
        upper: (k,).
        f0: (k,) their prior, in these units.
        floor: (L, 4, 4) lower bound of every body, positive semidefinite, in these units.
        size: Sum of the weighted squares of the torques.
        names: (k,) names of the further numbers, for messages.
    """

    A: Floats
    b: Floats
    rss: float
    theta0: Floats
    regularization: float
    pull: Floats
    beside: Floats
    unit: Floats
    lower: Floats
    upper: Floats
    f0: Floats
    floor: Floats
    size: float
    names: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        system: tuple[Floats, Floats, float],
        theta0: Floats,
        nuisance: Nuisance,
        regularization: float,
        *,
        spread: Floats | None = None,
        pull: Floats | None = None,
    ) -> Problem:
        """Build the problem of a system of equations in SI units.

        Args:
            system: A (r, p), b (r,), rss, of theta in order "urdf".
            theta0: (L, 10) priors.
            nuisance: Their bounds and priors.
            regularization: Weight of the prior terms, of bodies and further numbers alike.
            spread: (L,) least eigenvalue of every central second moment [kg m^2]; None for 0.
            pull: (L, 10, 10) other matrices than 1 for the bodies' prior terms.
        """
        A, b, rss = system
        count = len(theta0)
        to_theta = cls._to_theta(theta0)
        own = A[:, : 10 * count].reshape(len(A), count, 10)
        white = np.einsum("rij,ijk->rik", own, to_theta).reshape(len(A), -1)
        beside = A[:, 10 * count :]
        length = np.linalg.norm(beside, axis=0)
        usual = np.isfinite(nuisance.scale)
        unit = np.where(usual, nuisance.scale, 1 / np.where(length > 0, length, 1.0))
        return cls(
            np.concatenate([white, beside * unit], axis=1),
            b,
            rss,
            theta0,
            regularization,
            np.tile(np.eye(10), (count, 1, 1)) if pull is None else pull,
            np.where(usual, regularization, 0.0),
            unit,
            nuisance.lower / unit,
            nuisance.upper / unit,
            nuisance.prior / unit,
            _floors(theta0, np.zeros(count) if spread is None else spread),
            float(b @ b) + rss,
            nuisance.names,
        )

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.theta0)

    @property
    def barrier(self) -> float:
        """Weight of -log det of the bodies in half the objective: 0, they may be singular."""
        return 0.0

    @cached_property
    def to_theta(self) -> Floats:
        """(L, 10, 10) maps of a body's ten of x to its theta."""
        return self._to_theta(self.theta0)

    @staticmethod
    def _to_theta(theta0: Floats) -> Floats:
        L, _ = factors(pseudo_inertia(theta0))
        return np.asarray(np.matmul(FROM_SVEC, congruence(L)))

    @cached_property
    def prior(self) -> Floats:
        """(p,) the x of the priors."""
        return np.concatenate([np.tile(IDENTITY, self.bodies), self.f0])

    @cached_property
    def K(self) -> Floats:
        """(p, p) the matrix of the prior terms."""
        K = np.diag(np.concatenate([np.zeros(10 * self.bodies), self.beside]))
        for i, own in enumerate(self.pull):
            K[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = self.regularization * own
        return K

    @cached_property
    def H(self) -> Floats:
        """(p, p) half the second derivative of the objective."""
        H: Floats = self.A.T @ self.A + self.K
        return (H + H.T) / 2

    def theta(self, x: Floats) -> Floats:
        """Convert the bodies of x to theta (L, 10) [SI]."""
        own = x[: 10 * self.bodies].reshape(-1, 10, 1)
        return np.asarray(np.matmul(self.to_theta, own)[:, :, 0] + 0.0)

    def numbers(self, x: Floats) -> Floats:
        """Convert the further numbers of x to SI units (k,)."""
        return np.asarray(x[10 * self.bodies :] * self.unit + 0.0)

    def si(self, x: Floats) -> Floats:
        """Convert x to SI units (p,), in order "urdf"."""
        return np.concatenate([self.theta(x).ravel(), self.numbers(x)])

    def x(self, theta: Floats, numbers: Floats) -> Floats:
        """Convert bodies (L, 10) and further numbers (k,) [SI] to x."""
        _, inverse = factors(pseudo_inertia(self.theta0))
        bodies = apply(inverse, theta @ TO_SVEC.T)
        return np.concatenate([bodies.ravel(), numbers / self.unit])

    def matrices(self, x: Floats) -> Floats:
        """Unpack the bodies (L, 4, 4) of x, less the floor."""
        return np.asarray(unpack(x[: 10 * self.bodies].reshape(-1, 10)) - self.floor)

    def lift(self, parts: Floats) -> Problem:
        """Keep each body inside by a part (L,) of its prior."""
        return replace(self, floor=self.floor + parts[:, None, None] * np.eye(4))

    def independent(self, redundancy: float) -> Problem:
        """Scale the problem to independent samples.

        A filter makes neighbouring samples repeat each other: they tell as much as fewer samples
        would, and standard deviations that count each of them are too small.

        Args:
            redundancy: Number of samples that tell as much as one independent sample.
        """
        weight = 1 / np.sqrt(redundancy)
        return replace(
            self,
            A=weight * self.A,
            b=weight * self.b,
            rss=self.rss / redundancy,
            size=self.size / redundancy,
            regularization=self.regularization / redundancy,
            beside=self.beside / redundancy,
        )

    def sound(self, x: Floats) -> Mask:
        """Decide which bodies (L,) of x are consistent or on the boundary as ten numbers."""
        return np.asarray(check(self.theta(x)).consistent)

    def solve_soundly(self, solve: Callable[[Problem], Answer]) -> Answer:
        """Solve this problem, and again with those bodies lifted that rounding leaves outside.

        Args:
            solve: Function that finds the answer of a problem.
        """
        found, parts = solve(self), np.zeros(self.bodies)
        for lift in LIFTS:
            bad = ~self.sound(found.x)
            if not bad.any():
                break
            parts = np.where(bad, lift, parts)
            found = solve(self.lift(parts))
        return found

    def data_term(self, x: Floats) -> float:
        """Compute ||A x - b||^2 + rss."""
        left = self.A @ x - self.b
        return float(left @ left) + self.rss

    def prior_term(self, x: Floats) -> float:
        """Compute (x - x0)^T K (x - x0)."""
        change = x - self.prior
        return float(change @ self.K @ change)

    def objective(self, x: Floats) -> float:
        """Compute data term and prior term, the sum that is least."""
        return self.data_term(x) + self.prior_term(x)

    def gradient(self, x: Floats) -> Floats:
        """Compute half the gradient (p,), from the residuals themselves."""
        return np.asarray(self.A.T @ (self.A @ x - self.b) + self.K @ (x - self.prior))

    @cached_property
    def free(self) -> Floats:
        """(p,) the minimum without cones and bounds: regularised least squares.

        Raises:
            ParameterError: There is none: a direction has neither samples nor a prior.
        """
        root = np.concatenate([self.A, _root(self.K)])
        left = np.concatenate([self.b - self.A @ self.prior, np.zeros(len(self.K))])
        Q, R = np.linalg.qr(root)
        diagonal = np.abs(np.diag(R))
        if not diagonal.min(initial=np.inf) > self._least * diagonal.max(initial=0.0):
            self.refuse_open()
        return np.asarray(self.prior + np.linalg.solve(R, Q.T @ left))

    @property
    def _least(self) -> float:
        """Singular values below it, relative to the largest, are rounding."""
        return len(self.prior) * tolerances.EPS

    @cached_property
    def least_squares(self) -> tuple[Floats, int]:
        """The fit with the least change from the prior, consistent or not, and its rank."""
        left = self.b - self.A @ self.prior
        change, _, rank, _ = np.linalg.lstsq(self.A, left, rcond=self._least)
        return self.prior + change, int(rank)

    def refuse_open(self) -> None:
        """Refuse a problem, naming the parameters that neither samples nor a prior decide.

        Raises:
            ParameterError: Always.
        """
        root = np.concatenate([self.A, _root(self.K)])
        _, sizes, V = np.linalg.svd(root, full_matrices=False)
        open_ = sizes <= self._least * sizes.max(initial=0.0)
        share = np.sum(V[open_] ** 2, axis=0)
        count = 10 * self.bodies
        bodies = [
            f"body {i}" for i in range(self.bodies) if share[10 * i : 10 * i + 10].max() > 0.1
        ]
        numbers = [self.names[k] for k in np.flatnonzero(share[count:] > 0.1)]
        raise ParameterError(
            f"the samples decide {int((~open_).sum())} of {len(share)} parameters, and no prior "
            f"the others ({', '.join([*bodies, *numbers]) or 'combinations of all'}): give bodies "
            "a prior with a positive regularization, friction and the like a scale, or longer data"
        )

    def fit_numbers(self, x: Floats) -> Floats:
        """Keep the bodies of x (p,), and fit the further numbers to them."""
        fitted, count = np.array(x), 10 * self.bodies
        left = self.b - self.A[:, :count] @ x[:count]
        if self.A.shape[1] > count:
            fitted[count:] = np.linalg.lstsq(self.A[:, count:], left, rcond=None)[0]
        return fitted

    def certify(self, x: Floats) -> Certificate:
        """Bound how far x is from the optimum, from the data of the problem alone.

        With Z the part of half the gradient in the dual cone, and r the rest of it, no feasible
        point has an objective below this one's by more than 2 <Z, X - floor> + r^T H^-1 r.
        """
        count, gradient = 10 * self.bodies, self.gradient(x)
        slack = self.matrices(x)
        values, vectors = np.linalg.eigh(unpack(gradient[:count].reshape(-1, 10)))
        along = np.einsum("lik,lij,ljk->lk", vectors, slack, vectors)
        held = self.hold(values, along)
        Z = np.matmul(vectors * held[:, None, :], vectors.transpose(0, 2, 1))
        bounds = self.multipliers(x, gradient)
        left = np.concatenate([gradient[:count] - pack(Z).ravel(), bounds.left])
        inside = float(np.linalg.eigvalsh(slack)[:, 0].min(initial=0.0))
        scale = self.scale(x)
        short = self.shortfall(left) / scale
        apart = (2 * abs(float(np.sum(held * along))) + bounds.apart) / scale
        return Certificate(max(0.0, -inside, bounds.outside), short, apart + short)

    def multipliers(self, x: Floats, gradient: Floats) -> Bounds:
        """Split half the gradient (p,) into the part that bounds hold and the rest."""
        f, own = x[10 * self.bodies :], gradient[10 * self.bodies :]
        below, above = np.isfinite(self.lower), np.isfinite(self.upper)
        under = np.where(below, f - self.lower, 0.0)
        over = np.where(above, self.upper - f, 0.0)
        up = self.hold(np.where(below, own, 0.0), under)
        down = self.hold(np.where(above, -own, 0.0), over)
        outside = max(0.0, -float(under.min(initial=0.0)), -float(over.min(initial=0.0)))
        return Bounds(own - up + down, outside, 2 * abs(float(up @ under + down @ over)))

    def hold(self, force: Floats, slack: Floats) -> Floats:
        """Choose the part of a force that a boundary at this distance holds: the cheaper proof.

        A force that is held costs its product with the slack, one that is not its square over the
        least curvature: where nothing acts, that is rounding squared.
        """
        force = np.maximum(force, 0.0)
        curvature = max(float(self._spectrum[0][0]), 0.0)  # least eigenvalue of H
        return np.where(force >= 2 * curvature * np.maximum(slack, 0.0), force, 0.0)

    def shortfall(self, left: Floats) -> float:
        """Bound by left^T H^-1 left the decrease that an unheld force (p,) can bring."""
        values, vectors = self._spectrum
        certain = values > tolerances.EPS * len(values) * values[-1]
        along = vectors.T @ left
        return float(np.sum(along[certain] ** 2 / values[certain]))

    @cached_property
    def _spectrum(self) -> tuple[Floats, Floats]:
        """Eigenvalues, ascending, and eigenvectors of H."""
        values, vectors = np.linalg.eigh(self.H)
        return np.asarray(values), np.asarray(vectors)

    def scale(self, x: Floats) -> float:
        """Return the objective, or what hides its rounding where that would show in a gap."""
        rounding = tolerances.SOLVED_FACTOR * tolerances.EPS * self.size
        scale = max(self.objective(x), rounding / tolerances.CERTIFIED)
        return scale if scale > 0 else 1.0


def _floors(theta0: Floats, spread: Floats) -> Floats:
    """Build floors for S_c >= spread 1: Pi >= diag(spread, spread, spread, 0), in units of x."""
    _, inverse = factors(pseudo_inertia(theta0))
    own = spread[:, None] * np.array([1.0, 1.0, 1.0, 0.0])
    return np.asarray(np.matmul(inverse * own[:, None, :], inverse.transpose(0, 2, 1)))


def _root(K: Floats) -> Floats:
    """Compute R with R^T R = K, which is positive semidefinite and mostly diagonal."""
    if np.count_nonzero(K) == np.count_nonzero(np.diag(K)):
        return np.diag(np.sqrt(np.diag(K)))
    return root_of(K)


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
        proof: Computes the certificate again.
    """

    x: Floats
    certificate: Certificate
    steps: int
    proof: Callable[[], Certificate]

    @classmethod
    def of(cls, problem: Problem, x: Floats, steps: int) -> Answer:
        """Certify x as an answer of a problem."""
        return cls(x, problem.certify(x), steps, partial(problem.certify, x))


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
        unproven = Answer.of(problem, free, 0)
        if unproven.certificate.gap <= tolerances.CERTIFIED:
            return unproven
    found = problem.solve_soundly(lambda lifted: follow_path(lifted, free))
    found = Answer.of(problem, found.x, found.steps)
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
    cone, best = _Cone(problem), None
    try:
        state: _State | None = cone.start(start)
    except np.linalg.LinAlgError:  # numbers of one body vanish beside its others
        state = None
    for step in range(1, STEPS + 1):
        state = None if state is None else cone.step(state)
        if state is None:
            break
        found = problem.certify(state.x)
        if best is None or found.gap < best.certificate.gap or np.isinf(found.gap):
            best = Answer(state.x, found, step, partial(problem.certify, state.x))
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
        # Put numbers inside their bounds, by their own unit or half the way between.
        f = free[count:]
        lower, upper = self.problem.lower, self.problem.upper
        room = np.minimum(1.0, np.where(self.below & self.above, (upper - lower) / 2, 1.0))
        room = np.maximum(room, 0.0)
        f = np.where(self.below, np.maximum(f, np.where(self.below, lower, 0.0) + room), f)
        f = np.where(self.above, np.minimum(f, np.where(self.above, upper, 0.0) - room), f)
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
        blocks = congruence(np.matmul(scaling.inverse.transpose(0, 2, 1), scaling.inverse))
        for i in range(self.bodies):
            own = slice(10 * i, 10 * i + 10)
            system[own, own] += blocks[i]
        places = np.arange(count, len(system))
        system[places, places] += state.lower / below + state.upper / above
        units = 1 / np.sqrt(np.diag(system))
        factor = cho_factor(system * units[:, None] * units, lower=True, check_finite=False)
        gradient = problem.gradient(state.x)

        def solve(target: float, correction: _Correction) -> _Direction:
            # The ds + dz (L, 4, 4) that lead to S Z = (target + barrier) 1, to first order.
            wanted = (target + problem.barrier) * np.eye(4) - scaling.diagonal**2
            wanted = 2 * (wanted - correction.bodies)
            wanted /= scaling.middle[:, :, None] + scaling.middle[:, None, :]
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
        # Nesterov and Todd: with Z = L L^T, S = R R^T and L^T R = U D V^T, the scaling R V D^-1/2
        # takes S and Z to the same diagonal D; no matrix square root is needed (Vandenberghe, The
        # CVXOPT linear and quadratic cone program solvers, 2010).
        root_S, root_Z = np.linalg.cholesky(S), np.linalg.cholesky(Z)
        _, middle, Vt = np.linalg.svd(np.matmul(root_Z.transpose(0, 2, 1), root_S))
        V = Vt.transpose(0, 2, 1)
        R = np.matmul(root_S, V) / np.sqrt(middle)[:, None, :]
        return cls(R, np.linalg.inv(R), middle)

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

    def shrinkage(self, change: Floats) -> float:
        """Compute 1 / length of the step at which diag(middle) + length change is singular."""
        root = np.sqrt(self.middle)
        relative = change / (root[:, :, None] * root[:, None, :])
        return float(np.max(-np.linalg.eigvalsh(relative)[:, 0], initial=0.0))


def _symmetric(matrices: Floats) -> Floats:
    return np.asarray((matrices + matrices.transpose(0, 2, 1)) / 2)


D = TypeVar("D", bound="Divergent")

REGULARISED_STEPS = 400
"""Newton steps at most; five to twenty are usual, hundreds where bodies outgrow their priors."""

SEARCH = LineSearch(trials=40)
"""Line search of a Newton step, on the objective."""


def with_divergence(problem: Problem, divergence: Divergence) -> Problem:
    """Replace the bodies' quadratic prior terms of a problem by a divergence.

    Its objective, prior term and certificate are those with the divergence. The certificate is a
    proof for the entropic one; see `AffineInvariant.certify` for the other.

    Args:
        problem: Problem whose `pull` is ignored.
        divergence: Divergence from the priors.

    Raises:
        ParameterError: No positive regularization, or a floor under the bodies.
    """
    return (Entropic if divergence == "entropic" else AffineInvariant).of_problem(problem)


def solve_regularised(problem: Problem, divergence: Divergence) -> Answer:
    """Find the minimum of `with_divergence(problem, divergence)`.

    Raises:
        ParameterError: No positive regularization, a floor under the bodies, or numbers that
            neither the samples nor a prior decide.
        ProjectionError: No step was possible.
    """
    entropic = Entropic.of_problem(problem)
    count = 10 * problem.bodies
    start = follow_path(entropic, np.concatenate([problem.prior[:count], problem.free[count:]]))
    if divergence == "entropic":
        return start
    return _descend(AffineInvariant.of_problem(problem), start)


def bend_like(problem: Problem, metric: str) -> Problem:
    """Replace the weight of a quadratic problem by the curvature that a metric has at the priors.

    What the samples leave open of a body is about one over this curvature, at which the entropic
    divergence is half of ||X - 1||_F^2. The other metrics have the curvature of their weight there.

    Args:
        problem: Problem with the weight of the metric, and quadratic prior terms.
        metric: Distance of a body from its prior.
    """
    if metric != "entropic":
        return problem
    return replace(problem, regularization=problem.regularization / 2)


def euclidean_pull(theta0: Floats) -> Floats:
    """Build prior terms sum_k ((theta_k - theta0_k) / s_k)^2 as matrices in units of the priors.

    s is the mass of the prior body, times its radius of gyration for the first moments, times its
    square for the inertias: one weight for each of the ten numbers, as in regularised least
    squares. So scaled it is free of units; it still depends on axes and origin of the body frames.

    Args:
        theta0: (L, 10) priors, in order "urdf" about the body origins.

    Returns:
        (L, 10, 10) matrices, for the argument pull of `Problem.of`.
    """
    mass, h, six = split(theta0)
    moments = np.asarray(about_com(mass, h, six))[:, [0, 3, 5]]  # their sum is the principal ones'
    k = np.asarray(radius_of_gyration(mass, moments))
    units = np.stack([mass, mass * k, mass * k**2], axis=1)[:, [0, 1, 1, 1, 2, 2, 2, 2, 2, 2]]
    L, _ = factors(pseudo_inertia(theta0))
    relative = np.matmul(FROM_SVEC / units[:, :, None], congruence(L))
    return np.asarray(np.matmul(relative.transpose(0, 2, 1), relative))


class Divergent(Problem):
    """Joint problem whose bodies have a divergence as prior term."""

    @classmethod
    def of_problem(cls: type[D], problem: Problem) -> D:
        """Build it from a problem with the same samples, numbers and bounds."""
        if not problem.regularization > 0:
            raise ParameterError(
                f"a divergence with regularization {problem.regularization:g}, expected a positive "
                'one: without it bodies reach the boundary, as with metric "prior"'
            )
        if problem.floor.any():
            raise ParameterError(
                "a divergence with a floor under the bodies, expected none: "
                "it keeps them strictly inside, the further the larger the regularization is"
            )
        given = {field.name: getattr(problem, field.name) for field in fields(Problem)}
        return cls(**{**given, "pull": np.zeros((problem.bodies, 10, 10))})

    def eigen(self, x: Floats) -> tuple[Floats, Floats]:
        """Compute eigenvalues (L, 4) of the bodies, and B (L, 4, 4) with X = B B^T."""
        values, vectors = np.linalg.eigh(self.matrices(x))
        return values, vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]


class Entropic(Divergent):
    """Joint problem with regularization (tr X - log det X - 4) for every body."""

    @property
    def barrier(self) -> float:
        """Weight of -log det of the bodies in half the objective."""
        return self.regularization / 2

    def gradient(self, x: Floats) -> Floats:
        """Compute half the gradient (p,), without that of -log det."""
        gradient = super().gradient(x)
        gradient[: 10 * self.bodies] += self.barrier * np.tile(IDENTITY, self.bodies)
        return gradient

    def prior_term(self, x: Floats) -> float:
        """Add up the divergences times the regularization, and the numbers' prior terms."""
        values, _ = self.eigen(x)
        return super().prior_term(x) + self.regularization * _entropy(values)

    def certify(self, x: Floats) -> Certificate:
        """Bound how far x is from the optimum: log det X <= <Z, X> - log det Z - 4 for any Z > 0.

        The right side in place of the log det makes the problem quadratic, with a lower minimum. Z
        is half the gradient, over the barrier, at x with the further numbers moved to their best.
        """
        values, B = self.eigen(x)
        if not values.min(initial=1.0) > 0:
            return Certificate(-float(values.min()), np.inf, np.inf)
        count, gradient = 10 * self.bodies, self.gradient(x)
        bounds = self.multipliers(x, gradient)
        move = np.linalg.lstsq(self.H[count:, count:], bounds.left, rcond=None)[0]
        bodies = gradient[:count] - self.H[:count, count:] @ move
        Z = unpack(bodies.reshape(-1, 10)) / self.barrier
        ratios = np.linalg.eigvalsh(np.matmul(B.transpose(0, 2, 1), np.matmul(Z, B)))
        short = abs(float(bounds.left @ move))
        apart = bounds.apart + self.regularization * _entropy(ratios)
        scale = self.scale(x)
        return Certificate(bounds.outside, short / scale, (apart + short) / scale)


def _entropy(values: Floats) -> float:
    """Add up v - 1 - log v over eigenvalues; infinite where one is not positive."""
    if not values.min(initial=1.0) > 0:
        return np.inf
    return float(np.sum(values - 1 - np.log(values)))


class AffineInvariant(Divergent):
    """Joint problem with regularization ||log X||_F^2 for every body."""

    def prior_term(self, x: Floats) -> float:
        """Add up the divergences times the regularization, and the numbers' prior terms."""
        values = np.linalg.eigvalsh(self.matrices(x))
        if not values.min(initial=1.0) > 0:
            return np.inf
        return super().prior_term(x) + self.regularization * float(np.sum(np.log(values) ** 2))

    def certify(self, x: Floats) -> Certificate:
        """Compute the decrease that the quadratic model at x promises: no proof, as not convex.

        Infinite where the curvature is not positive: then x is no minimum among its neighbours.
        """
        values = np.linalg.eigvalsh(self.matrices(x))
        if not values.min(initial=1.0) > 0:
            return Certificate(-float(values.min()), np.inf, np.inf)
        model = _Model.at(self, x)
        bounds = self.multipliers(x, model.gradient)
        found = model.step(convex=False)
        scale = self.scale(x)
        promised = np.inf if found is None else found.promise / scale
        return Certificate(bounds.outside, promised, bounds.apart / scale + promised)


class _Step(NamedTuple):
    """Change of x (p,) in the coordinates of a model, and the decrease that it promises."""

    change: Floats
    promise: float


class _Model(NamedTuple):
    """Half the objective to second order, in the changes B dY B^T of the bodies X = B B^T.

    In these coordinates the divergence bends by about as much in all directions, however thin a
    body is.

    Attributes:
        gradient: (p,).
        data: (p, p) curvature of all but the bodies' divergence.
        bends: (10 L,) curvature of the divergence, which is diagonal.
        maps: (L, 10, 10) from dY to dX.
        free: (p,) whether an entry moves: numbers held at a bound do not.
    """

    gradient: Floats
    data: Floats
    bends: Floats
    maps: Floats
    free: Mask

    @classmethod
    def at(cls, problem: AffineInvariant, x: Floats) -> _Model:
        """Build the model at a point inside."""
        count, half = 10 * problem.bodies, problem.regularization / 2
        values, B = problem.eigen(x)
        maps = congruence(B)
        slopes, bends = log_slopes(values)
        gradient = _map_bodies(maps, problem.gradient(x))
        gradient[:count] += half * pack((slopes * values)[:, :, None] * np.eye(4)).ravel()
        bends = half * bends * values[:, ROW] * values[:, COLUMN]
        data = _map_bodies(maps, _map_bodies(maps, problem.H).T)
        f, own = x[count:], gradient[count:]
        held = ((f <= problem.lower) & (own > 0)) | ((f >= problem.upper) & (own < 0))
        free = np.concatenate([np.ones(count, dtype=np.bool_), ~held])
        return cls(gradient, data, bends.ravel(), maps, free)

    def step(self, *, convex: bool) -> _Step | None:
        """Compute Newton's step of the free entries; None where the curvature is not positive.

        Args:
            convex: Whether to count negative curvature as positive.
        """
        system, count = np.array(self.data), len(self.bends)
        system[range(count), range(count)] += np.abs(self.bends) if convex else self.bends
        system, gradient = system[np.ix_(self.free, self.free)], self.gradient[self.free]
        diagonal = np.diag(system)
        if not diagonal.min(initial=1.0) > 0:
            return None
        units = 1 / np.sqrt(diagonal)
        try:
            root = np.linalg.cholesky(system * units[:, None] * units)
        except np.linalg.LinAlgError:
            return None
        half = np.linalg.solve(root, units * gradient)
        change = np.zeros(len(self.free))
        change[self.free] = -units * np.linalg.solve(root.T, half)
        return _Step(change, float(half @ half))

    def longest(self, step: _Step) -> float:
        """Limit the length of a step so that it stays inside the cones."""
        changes = unpack(step.change[: len(self.bends)].reshape(-1, 10))
        worst = -float(np.linalg.eigvalsh(changes)[:, 0].min(initial=0.0))
        return length_to_boundary(worst)

    def move(self, x: Floats, step: _Step, length: float) -> Floats:
        """Move x (p,) along a step."""
        count, change = len(self.bends), length * step.change
        own = np.matmul(self.maps, change[:count].reshape(-1, 10, 1))
        return np.asarray(x + np.concatenate([own.ravel(), change[count:]]))


def _map_bodies(maps: Floats, rows: Floats) -> Floats:
    """Compute T^T rows (p, ...) for the block diagonal T of maps (L, 10, 10), and 1 beside it."""
    count = 10 * len(maps)
    own = rows[:count].reshape(len(maps), 10, -1)
    mapped = np.array(rows)
    mapped[:count] = np.matmul(maps.transpose(0, 2, 1), own).reshape(rows[:count].shape)
    return mapped


def _descend(problem: AffineInvariant, start: Answer) -> Answer:
    """Descend from the entropic minimum by Newton's method, numbers held at their bounds."""
    # Numbers that a Newton step of their own would take past a bound begin there.
    count = 10 * problem.bodies
    f, own = start.x[count:], problem.gradient(start.x)[count:]
    own = own / np.maximum(np.diag(problem.H)[count:], np.finfo(np.float64).tiny)
    f = np.where(f - problem.lower < own, problem.lower, f)
    f = np.where(problem.upper - f < -own, problem.upper, f)
    x, steps = np.concatenate([start.x[:count], f]), start.steps
    for _ in range(REGULARISED_STEPS):
        model = _Model.at(problem, x)
        step = model.step(convex=False) or model.step(convex=True)
        further = None if step is None else _search(problem, x, model, step)
        if further is None or step is None:
            break
        x, steps = further, steps + 1
        if step.promise <= EPS * problem.objective(x):
            break
    return Answer.of(problem, x, steps)


def _search(problem: AffineInvariant, x: Floats, model: _Model, step: _Step) -> Floats | None:
    """Halve the step until the objective falls; None where it never does.

    Where it is flat except for rounding, the model there has to promise less.
    """
    before, count = problem.objective(x), 10 * problem.bodies
    for length in SEARCH.lengths(model.longest(step)):
        y = model.move(x, step, length)
        y[count:] = np.clip(y[count:], problem.lower, problem.upper)
        after = problem.objective(y)
        if is_flat(after, before):
            further = _Model.at(problem, y).step(convex=True)
            falls = further is not None and further.promise < step.promise
        else:
            falls = bool(SEARCH.accepts(after, before, length))
        if falls:
            return y
    return None
