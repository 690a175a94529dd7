"""The nearest by a metric of the whole pseudo-inertia, under constraints or not.

Chooses frame, units and solver for the rows that have to move. All of it runs in NumPy, in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia.arrays import Floats, Mask
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Point, pseudo_inertia, second_moment
from inertial_check.inertia.tolerances import CERTIFIED
from inertial_check.projection import newton, regularised
from inertial_check.projection.certificate import Unit, verify_matrices
from inertial_check.projection.holding import hold
from inertial_check.projection.metrics import (
    Weights,
    pseudo_inertia_about,
    read_prior_by_row,
    read_weights,
    shift_to_com,
)
from inertial_check.projection.moments import (
    METRICS,
    MomentMetric,
    central_inertia,
    inner,
    trace,
    with_central_inertia,
)
from inertial_check.projection.options import Options
from inertial_check.projection.quadratic import (
    CompactProblem,
    Quadratic,
    Solution,
    compress,
    fit_reference,
    project_by_whitening,
)
from inertial_check.projection.small_moves import sharpen_matrices
from inertial_check.projection.solution import (
    Change,
    RowFailure,
    SolverResult,
    empty_result,
    join_results,
    measure_matrices,
    result_of_matrices,
)
from inertial_check.projection.svec import TO_SVEC, Certificate, congruence, factors

BATCH = 4096
"""Number of bodies whose matrices are in memory as temporaries at a time."""

SINGULAR = (
    "they leave some change of the parameters without a price; give a prior beside them, whose own "
    "distance is then added"
)
"""Reason why singular weights have no nearest, and what to do."""

DIVERGENCES: tuple[regularised.Divergence, ...] = ("entropic", "affine-invariant")
"""Metrics that are data terms with a divergence to a prior."""


def project_matrices(theta: Floats, about: Point, rows: Mask, options: Options) -> SolverResult:
    """Move the rows that have to move, without constraints.

    Args:
        theta: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".
        rows: (...,) rows that have to move.
        options: The request.

    Raises:
        ParameterError: Weights or a prior that are none; names the body and the value.
    """
    if not rows.any():
        _read_given(about, rows, options)  # refuses what is none
        return empty_result(_name_solver(options), floored=True, iterations=True)
    large = np.count_nonzero(rows) > BATCH and options.metric not in DIVERGENCES
    parts, first = [], 0
    for problem, prior, p_BoFo_B in build_problems(theta, about, rows, options, BATCH):
        nowhere = np.zeros(len(problem.theta0), dtype=np.bool_)
        if options.metric in DIVERGENCES:
            held, floored, solver = problem, nowhere, "newton"
            found = regularised.project(problem, options.regularization, options.metric)
            proof = partial(
                regularised.verify, problem, options.regularization, options.metric, found.dual
            )
        else:
            solve, solver = _choose_solver(options)
            solve = partial(_solve_sharply, solve)
            held, found, floored = hold(solve, problem, options.margin, options.mass_min, prior)
            proof = partial(verify_matrices, held, found.dual)
        failures = _find_uncertified(held, found, options)
        kept = compress(held) if large else None
        if kept is not None:
            proof = partial(_verify_kept, kept, found.dual)
        given = theta[rows][first : first + len(problem.theta0)] if about == "com" else None
        first += len(problem.theta0)
        result = result_of_matrices(
            about, p_BoFo_B, held, found, floored, solver, proof, failures, given
        )
        if kept is not None:
            result = replace(
                result, measure=partial(_measure_kept, kept, found.theta), problem=None
            )
        parts.append(result)
    return join_results(parts)


def _measure_kept(kept: CompactProblem, theta: Floats) -> Change:
    return measure_matrices(kept.expand(), theta)


def _verify_kept(kept: CompactProblem, dual: Floats, change: Floats, unit: Unit) -> Certificate:
    return verify_matrices(kept.expand(), dual, change, unit)


def build_problems(
    theta: Floats, about: Point, rows: Mask, options: Options, batch: int
) -> Iterator[tuple[Quadratic, Floats | None, Floats]]:
    """Build the quadratic problems of some rows, a batch of bodies at a time.

    Args:
        theta: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".
        rows: (...,) rows to build them for.
        options: The request.
        batch: Number of bodies in a problem.

    Yields:
        The problem, in frames F; the priors (n, 4, 4) about their origins; and these, p_BoFo_B.

    Raises:
        ParameterError: Weights or a prior that are none, or weights that are singular without a
            prior.
    """
    given = theta[rows]
    prior, weights = _read_given(about, rows, options)
    for start in range(0, max(len(given), 1), batch):
        some = slice(start, start + batch)
        theta0, p_BoFo_B = shift_to_com(given[some], about)
        W = None if weights is None else weights.matrices(some)
        Pi = None if prior is None else pseudo_inertia_about(prior[some], p_BoFo_B)
        yield _build_problem(options, theta0, W, Pi), Pi, p_BoFo_B


def _read_given(about: Point, rows: Mask, options: Options) -> tuple[Floats | None, Weights | None]:
    """Read priors (n, 10) and weights of some rows (...,).

    Raises:
        ParameterError: As `build_problems` does.
    """
    shape = rows.shape
    prior = weights = None
    if options.prior is not None:
        prior = read_prior_by_row(options.prior, options.order, about, shape)[0][rows]
    if options.weights is not None:
        weights = read_definite_weights(options, shape)
        weights = weights._replace(values=weights.values[rows])
    return prior, weights


def read_definite_weights(options: Options, shape: tuple[int, ...]) -> Weights:
    """Read the weights of every body, unless they have been read.

    Weights of single bodies may be singular, or none: these bodies have no nearest.

    Raises:
        ParameterError: Weights that are none, or weights for all bodies that are singular without a
            prior.
    """
    if isinstance(options.weights, Weights):
        return options.weights
    assert options.weights is not None  # the caller has asked
    weights = read_weights(options.weights, options.order, shape, by_row=True)
    if options.prior is None and weights.shared and np.any(weights.singular):
        raise ParameterError(f"weights are singular: {SINGULAR}")
    return weights


def find_unpriced(options: Options, about: Point, shape: tuple[int, ...]) -> tuple[Options, Mask]:
    """Find bodies whose own weights or prior leave them without a nearest.

    Returns:
        The options with weights that have been read, and the bodies (...,).

    Raises:
        ParameterError: Weights or a prior for all bodies that are none.
    """
    free = np.zeros(shape, dtype=np.bool_)
    if options.weights is not None:
        weights = read_definite_weights(options, shape)
        options = replace(options, weights=weights)
        if options.prior is None:
            free = weights.singular
        if weights.refused is not None:
            free = free | weights.refused
    prior = options.prior
    own = prior is not None and (
        len(prior.shape) if isinstance(prior, InertialParameters) else np.ndim(prior) - 1
    )
    if prior is not None and own:  # one that is for all is refused where it is read
        _, refused = read_prior_by_row(prior, options.order, about, shape)
        free = free if refused is None else free | refused
    return options, free


def _build_problem(
    options: Options, theta0: Floats, weights: Floats | None, prior: Floats | None
) -> Quadratic:
    """Build the quadratic problem of a metric."""
    count = len(theta0)
    Delta = np.zeros((count, 4, 4))
    if options.metric in METRICS:
        W = np.broadcast_to(_MOMENTS[options.metric], (count, 10, 10))
        # Build pseudo-inertias (n, 4, 4) of isotropic bodies with mass, place and size of these.
        spread = np.sum(
            np.abs(eigenvalues(second_moment(central_inertia(theta0, "origin")))), axis=1
        )
        mass, h = theta0[:, 0], theta0[:, 1:4]
        # Rows reach this metric only with a positive mass: the quotient exists.
        least = np.where(spread > 0, spread, np.sum(h**2, axis=1) / mass)
        least = np.where(least > 0, least, mass)  # a point at the origin has no size at all
        six = (2 * least / 3)[:, None] * np.array([1.0, 0, 0, 1, 0, 1])
        return Quadratic(
            theta0,
            W,
            Delta,
            np.asarray(pseudo_inertia(with_central_inertia(theta0, "origin", six))),
            fixed=True,
        )
    if prior is not None and (weights is None or options.metric in DIVERGENCES):
        return Quadratic(theta0, weights, Delta, prior)
    if options.metric == "euclidean":
        weights = np.broadcast_to(np.eye(10), (count, 10, 10))
    elif weights is None:  # pseudo-inertia
        weights = np.broadcast_to(TO_SVEC.T @ TO_SVEC, (count, 10, 10))
    if prior is not None:
        weights = weights + options.regularization * weights_of_prior(prior)
    return Quadratic(theta0, weights, Delta, fit_reference(weights, theta0))


def _weights_of_moments(metric: MomentMetric) -> Floats:
    """Build W (10, 10) of a metric under which mass and first moment stay."""
    W = np.zeros((10, 10))
    basis = np.eye(6)
    for i, row in enumerate(second_moment(basis)):
        for j, other in enumerate(second_moment(basis)):
            W[4 + i, 4 + j] = inner(row, other) + metric.trace_weight * trace(row) * trace(other)
    return W


_MOMENTS = {name: _weights_of_moments(metric) for name, metric in METRICS.items()}
"""Weights (10, 10) of the metrics inertia and covariance, on theta about any point."""


def weights_of_prior(prior: Floats) -> Floats:
    """Build W (n, 10, 10) with d^T W d = ||L^-1 dPi L^-T||_F^2 for the bodies L L^T."""
    whiten = np.matmul(congruence(factors(prior)[1]), TO_SVEC)
    return np.asarray(np.matmul(whiten.transpose(0, 2, 1), whiten))


def _choose_solver(options: Options) -> tuple[Callable[[Quadratic], Solution], str]:
    """Choose the function that finds the nearest with Pi >= Delta, and name it."""
    name = _name_solver(options)
    if options.solver is not None:
        from inertial_check.projection import conic

        return partial(conic.try_nearest, solver=options.solver), name
    return (_project_by_newton if name == "newton" else project_by_whitening), name


def _solve_sharply(solve: Callable[[Quadratic], Solution], problem: Quadratic) -> Solution:
    """Solve a problem, and find small moves to their own digits."""
    return sharpen_matrices(problem, solve(problem))


def _name_solver(options: Options) -> str:
    """Name the solver of a metric.

    Raises:
        ParameterError: No such solver is installed.
    """
    if options.metric in DIVERGENCES:
        return "newton"
    if options.solver is not None:
        from inertial_check.projection.conic.solvers import find_solver

        return find_solver(options.solver).lower()
    return "closed form" if options.metric in ("prior", "pseudo-inertia") else "newton"


def _project_by_newton(problem: Quadratic) -> Solution:
    """Project by Newton's method, and by a conic solver the rows that it leaves uncertified."""
    found = newton.project(problem)
    left = np.flatnonzero(found.worst > CERTIFIED)
    if left.size:
        from inertial_check.projection import conic

        anew = conic.try_nearest(problem.rows(left))
        better = anew.worst < found.worst[left]
        found.put(left[better], anew.rows(np.flatnonzero(better)))
    return found


def _find_uncertified(
    problem: Quadratic, found: Solution, options: Options
) -> tuple[RowFailure, ...]:
    """Find the answers without a proof."""
    if options.margin > 0:  # optimality is claimed without a margin only
        return ()
    bad = np.flatnonzero(~(found.worst <= CERTIFIED))
    return tuple(
        RowFailure(
            int(row),
            None,
            f"the body has no certified answer (metric {options.metric!r}): residual "
            f"{found.worst[row]:.1e}, expected at most {CERTIFIED:.0e}; weights of smaller "
            "condition, or a prior, help",
        )
        for row in bad
    )
