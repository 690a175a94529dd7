"""The nearest by a metric of the whole pseudo-inertia, under constraints or not.

Chooses frame, units and solver for the rows that have to move. All of it runs in NumPy, in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import Point, pseudo_inertia, second_moment
from inertial_check.inertia.tolerances import CERTIFIED
from inertial_check.projection import newton, regularised, whitened
from inertial_check.projection.closed_form import central_inertia, with_central_inertia
from inertial_check.projection.given import (
    Weights,
    read_prior,
    read_weights,
    seen_from,
    seen_from_com,
)
from inertial_check.projection.holding import held
from inertial_check.projection.metrics import METRICS, MomentMetric, inner, trace
from inertial_check.projection.options import Options
from inertial_check.projection.outcome import MatrixOutcome, Outcome, Parts
from inertial_check.projection.quadratic import Counts, Quadratic, Solution, fitted
from inertial_check.solvers.svec import TO_SVEC, congruence, factors


class Answered(NamedTuple):
    """The outcome of the rows that were to be moved.

    Attributes:
        outcome: Before and after.
        floored: (n,) rows that end at the least mass.
        solver: What found them.
        steps: (n,) its iterations.
    """

    outcome: Outcome
    floored: Mask
    solver: str
    steps: Counts


BATCH = 4096
"""Bodies whose matrices are in memory as temporaries at a time."""

DIVERGENCES: tuple[regularised.Divergence, ...] = ("entropic", "affine-invariant")


def answer(theta: Floats, about: Point, rows: Mask, options: Options) -> Answered:
    """Move the rows that have to.

    Args:
        theta: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".
        rows: (...,) which have to move.
        options: What is wanted.

    Raises:
        ParameterError: Weights or a prior that are none; names the body and the value.
        ProjectionError: An answer could not be certified; `instance` holds the bodies.
    """
    prior, weights = looked_over(theta, about, rows, options)
    given = theta[rows]
    parts = [
        _answer(given, about, weights, prior, slice(start, start + BATCH), options)
        for start in range(0, max(len(given), 1), BATCH)
    ]
    if len(parts) == 1:
        return parts[0]
    outcomes, floored, used, steps = zip(*parts, strict=True)
    return Answered(Parts(outcomes), np.concatenate(floored), used[0], np.concatenate(steps))


def looked_over(
    theta: Floats, about: Point, rows: Mask, options: Options
) -> tuple[Floats | None, Weights | None]:
    """Prior (n, 10) about the body origin and weights of the rows.

    Raises:
        ParameterError: They are none, or weights are singular without a prior.
    """
    batch = theta.shape[:-1]
    prior = weights = None
    if options.prior is not None:
        prior = read_prior(options.prior, options.order, about, batch)[rows]
    if options.weights is not None:
        weights = read_weights(options.weights, options.order, batch)
        if weights.singular and prior is None:
            raise ParameterError(
                "weights are singular: they leave some change of the parameters without a price; "
                "give a prior beside them, whose own distance is then added"
            )
        weights = weights._replace(values=weights.values[rows])
    return prior, weights


def _answer(
    theta: Floats,
    about: Point,
    weights: Weights | None,
    prior: Floats | None,
    rows: slice,
    options: Options,
) -> Answered:
    """The answers of some of the bodies that have to move."""
    theta0, p_BoFo_B = seen_from_com(theta[rows], about)
    W = None if weights is None else weights.matrices(rows)
    Pi = None if prior is None else seen_from(prior[rows], p_BoFo_B)
    problem = posed(options, theta0, W, Pi)
    if options.metric in DIVERGENCES:
        return _regularised(problem, about, p_BoFo_B, options)
    solve, used = _solver(options)
    found = held(solve, problem, options.margin, options.mass_min, Pi)
    _refuse_uncertified(found.problem, found.solution, options)
    outcome = MatrixOutcome(about, found.problem, found.solution, p_BoFo_B)
    return Answered(outcome, found.floored, used, found.solution.iterations)


def posed(
    options: Options, theta0: Floats, weights: Floats | None, prior: Floats | None
) -> Quadratic:
    """The quadratic problem of a metric."""
    count = len(theta0)
    Delta = np.zeros((count, 4, 4))
    if options.metric in METRICS:
        W = np.broadcast_to(MOMENTS[options.metric], (count, 10, 10))
        return Quadratic(theta0, W, Delta, _about_itself(theta0), fixed=True)
    if prior is not None and (weights is None or options.metric in DIVERGENCES):
        return Quadratic(theta0, weights, Delta, prior)
    if options.metric == "euclidean":
        weights = np.broadcast_to(np.eye(10), (count, 10, 10))
    elif weights is None:  # pseudo-inertia
        weights = np.broadcast_to(TO_SVEC.T @ TO_SVEC, (count, 10, 10))
    if prior is not None:
        weights = weights + options.regularization * weights_of_prior(prior)
    return Quadratic(theta0, weights, Delta, fitted(weights, theta0))


def _about_itself(theta: Floats) -> Floats:
    """Pseudo-inertias (n, 4, 4) of isotropic bodies with the mass, place and size of these."""
    spread = np.sum(np.abs(eigenvalues(second_moment(central_inertia(theta, "origin")))), axis=1)
    mass, h = theta[:, 0], theta[:, 1:4]
    least = np.where(spread > 0, spread, np.sum(h**2, axis=1) / mass)
    least = np.where(least > 0, least, mass)  # a point at the origin has no size at all
    six = (2 * least / 3)[:, None] * np.array([1.0, 0, 0, 1, 0, 1])
    return np.asarray(pseudo_inertia(with_central_inertia(theta, "origin", six)))


def _moments(metric: MomentMetric) -> Floats:
    """W (10, 10) of a metric under which mass and first moment stay."""
    W = np.zeros((10, 10))
    basis = np.eye(6)
    for i, row in enumerate(second_moment(basis)):
        for j, other in enumerate(second_moment(basis)):
            W[4 + i, 4 + j] = inner(row, other) + metric.trace_weight * trace(row) * trace(other)
    return W


MOMENTS = {name: _moments(metric) for name, metric in METRICS.items()}
"""The weights of the metrics inertia and covariance, on theta about any point."""


def weights_of_prior(prior: Floats) -> Floats:
    """W (n, 10, 10) with d^T W d = ||L^-1 dPi L^-T||_F^2 for the bodies L L^T."""
    whiten = np.matmul(congruence(factors(prior)[1]), TO_SVEC)
    return np.asarray(np.matmul(whiten.transpose(0, 2, 1), whiten))


def _solver(options: Options) -> tuple[Callable[[Quadratic], Solution], str]:
    """What finds the nearest with Pi >= Delta, and its name."""
    if options.solver is not None:
        from inertial_check.projection import conic

        return partial(conic.nearest, solver=options.solver), options.solver.lower()
    if options.metric in ("prior", "pseudo-inertia"):
        return whitened.nearest, "closed form"
    return _by_newton, "newton"


def _by_newton(problem: Quadratic) -> Solution:
    """By Newton's method, and by a conic solver where that does not get there."""
    found = newton.nearest(problem)
    left = np.flatnonzero(found.worst > CERTIFIED)
    if left.size:
        from inertial_check.projection import conic

        anew = conic.nearest(problem.rows(left), (), "clarabel")
        better = anew.worst < found.worst[left]
        found.put(left[better], anew.rows(better))
    return found


def _regularised(problem: Quadratic, about: Point, p_BoFo_B: Floats, options: Options) -> Answered:
    """The answer for a data term with a divergence."""
    rho = options.regularization
    divergence = next(name for name in DIVERGENCES if name == options.metric)
    found = regularised.nearest(problem, rho, divergence)
    _refuse_uncertified(problem, found, options)

    def measure(problem: Quadratic, theta: Floats, dual: Floats) -> tuple[Floats, Floats, Floats]:
        return regularised.residuals(problem, rho, divergence, theta, dual)

    outcome = MatrixOutcome(about, problem, found, p_BoFo_B, measure)
    nowhere = np.zeros(len(problem.theta0), dtype=np.bool_)
    return Answered(outcome, nowhere, "newton", found.iterations)


def _refuse_uncertified(problem: Quadratic, found: Solution, options: Options) -> None:
    """Never return an answer without its proof.

    Raises:
        ProjectionError: With the first such body.
    """
    if options.margin > 0:  # optimality is claimed without a margin only
        return
    bad = np.flatnonzero(~(found.worst <= CERTIFIED))
    if bad.size:
        row = int(bad[0])
        instance = {
            "theta0": problem.theta0[bad].tolist(),
            "weights": None if problem.W is None else problem.W[bad].tolist(),
            "metric": options.metric,
        }
        raise ProjectionError(
            f"{bad.size} of {len(problem.theta0)} bodies that had to move have no certified answer "
            f"(metric {options.metric!r}): residual {found.worst[row]:.1e}, expected at most "
            f"{CERTIFIED:.0e}; weights of smaller condition, or a prior, help",
            instance,
        )
