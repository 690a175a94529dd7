"""Prior terms of the joint problem beside the whitened one: divergences, and plain lengths.

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
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import NamedTuple, TypeVar

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import ParameterError
from inertial_check.identification.estimation.interior_point import Answer, follow_path
from inertial_check.identification.estimation.problem import IDENTITY, Problem
from inertial_check.inertia.equivalents import radius_of_gyration
from inertial_check.inertia.representations import about_com, pseudo_inertia, split
from inertial_check.inertia.tolerances import EPS
from inertial_check.projection.regularised import Divergence, log_slopes
from inertial_check.solvers.certificate import Certificate
from inertial_check.solvers.iteration import LineSearch, is_flat, length_to_boundary
from inertial_check.solvers.svec import COLUMN, FROM_SVEC, ROW, congruence, factors, pack, unpack

D = TypeVar("D", bound="Divergent")

STEPS = 400
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


def solve(problem: Problem, divergence: Divergence) -> Answer:
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


def prior_term(problem: Problem, x: Floats, divergence: Divergence) -> float:
    """Compute the objective of `with_divergence(problem, divergence)` less its data term."""
    return with_divergence(problem, divergence).prior_term(x)


def certify(problem: Problem, x: Floats, divergence: Divergence) -> Certificate:
    """Bound how far x is from the optimum of `with_divergence(problem, divergence)`."""
    return with_divergence(problem, divergence).certify(x)


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
    x, steps = _put_at_bounds(problem, start.x), start.steps
    for _ in range(STEPS):
        model = _Model.at(problem, x)
        step = model.step(convex=False) or model.step(convex=True)
        further = None if step is None else _search(problem, x, model, step)
        if further is None or step is None:
            break
        x, steps = further, steps + 1
        if step.promise <= EPS * problem.objective(x):
            break
    return Answer(x, problem.certify(x), steps)


def _search(problem: AffineInvariant, x: Floats, model: _Model, step: _Step) -> Floats | None:
    """Halve the step until the objective falls; None where it never does.

    Where it is flat except for rounding, the model there has to promise less.
    """
    before, count = problem.objective(x), 10 * problem.bodies

    def attempt(length: float) -> Floats | None:
        y = model.move(x, step, length)
        y[count:] = np.clip(y[count:], problem.lower, problem.upper)
        after = problem.objective(y)
        if is_flat(after, before):
            further = _Model.at(problem, y).step(convex=True)
            return y if further is not None and further.promise < step.promise else None
        return y if SEARCH.accepts(after, before, length) else None

    return SEARCH.find(attempt, model.longest(step))


def _put_at_bounds(problem: Problem, x: Floats) -> Floats:
    """Put numbers at the bounds that a Newton step of their own would take them past."""
    count = 10 * problem.bodies
    f, step = x[count:], problem.gradient(x)[count:]
    step = step / np.maximum(np.diag(problem.H)[count:], np.finfo(np.float64).tiny)
    f = np.where(f - problem.lower < step, problem.lower, f)
    return np.concatenate([x[:count], np.where(problem.upper - f < -step, problem.upper, f)])
