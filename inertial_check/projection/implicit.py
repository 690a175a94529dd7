"""Metrics of the whole pseudo-inertia under JAX and PyTorch, with their derivatives.

The nearest is computed in the caller's library by `portable`, which JAX compiles. Its derivatives
are those of the optimality conditions and not of the steps: with x = svec(Pi) in units in which the
body has size one, M the metric, Y = X - Z and Q the derivative of the positive part at Y,
(M Q + 1 - Q) dY = M dx0 - dM (x - x0) and dX = Q dY (slopes.py has the source).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Array, Namespace, array_namespace
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.derivatives import Arrays, differentiable, hold_constant, is_jax
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.frames import translate
from inertial_check.inertia.representations import (
    Point,
    about_com,
    join,
    leaves_range,
    pseudo_inertia,
)
from inertial_check.projection.moments import BALL, Rows, central_inertia, needs_projection
from inertial_check.projection.options import Options
from inertial_check.projection.portable.holding import hold
from inertial_check.projection.portable.problem import build_problem, certify, find_rounding
from inertial_check.projection.portable.request import read_metric, read_request, see_numbers
from inertial_check.projection.portable.slopes import compute_change
from inertial_check.projection.portable.vectors import make_constant, norm
from inertial_check.projection.result import Projection, Status
from inertial_check.projection.solution import Change, Multiplier, SolverResult, multiply_matrices
from inertial_check.projection.svec import Certificate

DIFFERENTIABLE = ("prior", "weighted", "euclidean", "pseudo-inertia")
"""Metrics of the whole pseudo-inertia that go through a trace."""


def project_implicitly(given: Array, about: Point, options: Options) -> Projection:
    """Project rows of a library that traces or differentiates.

    Args:
        given: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".
        options: The request, without constraints and margin.

    Raises:
        ParameterError: An option that cannot be traced; weights or a prior of a wrong shape, or,
            where their numbers can be seen, that are not positive definite.
    """
    _refuse_untraceable(options)
    request = read_request(given, about, options)
    theta = request.theta
    xp, batch = array_namespace(theta), tuple(theta.shape[:-1])
    W = read_metric(xp, theta, request.weights, request.prior, options)
    needed, nowhere = _choose_rows(xp, given, about, request.usable)
    direct = options.metric == "prior"
    P = None if request.prior is None or not direct else pseudo_inertia(request.prior)
    value, slope = _make_rule(xp, options.mass_min)
    extras = [] if P is None else [hold_constant(P)]
    mask = xp.astype(needed, theta.dtype)
    found, dual, facts = differentiable(xp, value, slope, theta, W, mask, *extras)
    facts = hold_constant(facts)
    moved = needed & xp.any(found != theta, axis=-1)
    rows, floored = Rows(needed), needed & (facts[..., 1] != 0)
    back = _return_to_body(xp, found, request.p_BoFo_B, needed)
    result = SolverResult(
        theta=back,
        changed=moved,
        vanished=needed & xp.all(central_inertia(hold_constant(found), "origin") == 0, axis=-1),
        floored=floored,
        solver="newton" if options.metric in ("weighted", "euclidean") else "closed form",
        iterations=xp.astype(facts[..., 0], xp.int32),
        measure=partial(_measure, xp, theta, found, W, needed),
        certify=lambda: Certificate(facts[..., 2], facts[..., 3], facts[..., 4]),
        multiply=partial(_multiply, dual, request.p_BoFo_B),
    )
    codes = xp.zeros_like(moved, dtype=xp.int8)
    unproven = needed & (facts[..., 5] == 0)
    for status, where in (
        (Status.PROJECTED, moved),
        (Status.MASS_FLOORED, floored),
        (Status.UNCERTIFIED, unproven),
        (Status.NO_NEAREST, nowhere),
    ):
        codes = xp.where(where, xp.full_like(codes, int(status)), codes)
    return Projection(
        order=options.order,
        about=about,
        metric=options.metric,
        margin=options.margin,
        canonical=xp.where(xp.broadcast_to(needed[..., None], (*batch, 10)), back, given),
        rows=rows,
        result=result,
        codes=codes,
        like=None,
    )


def is_traceable(options: Options) -> bool:
    """Decide whether a request can be met in the caller's library."""
    given = options.constraints or options.margin > 0 or options.exact or options.solver is not None
    return options.metric in DIFFERENTIABLE and not given


def _refuse_untraceable(options: Options) -> None:
    if not is_traceable(options):
        raise ParameterError(
            f"metric {options.metric!r} with margin {options.margin}, "
            f"{len(options.constraints)} constraints, exact={options.exact} and "
            f"solver={options.solver!r} is computed in NumPy and has no derivatives; "
            f"inertia and covariance with any margin, and {', '.join(DIFFERENTIABLE)} without a "
            "margin or constraints, none of them exactly or by a named solver, can be traced and "
            "differentiated"
        )


def _choose_rows(xp: Namespace, given: Array, about: Point, usable: Array) -> tuple[Array, Array]:
    """Choose the rows (...,) that move, and those that have no nearest, as for NumPy arrays."""
    judged = Consistency(hold_constant(given), about)
    finite = xp.all(xp.isfinite(judged.theta), axis=-1)
    impossible = judged.verdict_code == int(Verdict.INVALID)
    needed = finite & (needs_projection(judged, 0.0) | impossible)
    none = ~usable | leaves_range(judged.theta)
    return needed & ~none, ~finite | (needed & none)


def _make_rule(
    xp: Namespace, mass_min: float | None
) -> tuple[Callable[..., Arrays], Callable[[Arrays, Arrays, Arrays], Arrays]]:
    """Make the function that finds the nearest, and its derivative, for `differentiable`."""
    value = _compile(xp, mass_min) if is_jax(xp) else partial(_find_nearest, xp, mass_min)

    def slope(arrays: Arrays, results: Arrays, changes: Arrays) -> Arrays:
        change = compute_change(xp, arrays[:3], results, changes[:2], mass_min)
        return change, xp.zeros_like(results[1]), xp.zeros_like(results[2])

    return value, slope


@cache
def _compile(xp: Namespace, mass_min: float | None) -> Callable[..., Arrays]:
    """Compile the search for the nearest in JAX, once for each shape."""
    import jax

    compiled: Callable[..., Arrays] = jax.jit(partial(_find_nearest, xp, mass_min))
    return compiled


def _find_nearest(
    xp: Namespace, mass_min: float | None, theta: Array, W: Array, mask: Array, *prior: Array
) -> Arrays:
    """Find the nearest, its multipliers as svec, and facts (..., 6) about the search.

    Args:
        xp: The library of the arrays.
        mass_min: Least mass [kg], or None.
        theta: (..., 10) about the origin.
        W: (..., 10, 10) positive definite.
        mask: (...,) 1 for rows to move; the others are computed beside them as harmless bodies.
        *prior: (..., 4, 4) pseudo-inertias whose own metric W is; may be left out.

    Returns:
        (..., 10), (..., 10) and, (..., 6): Newton steps, whether the mass ended at its least, the
        three residuals, whether they prove the answer.
    """
    rows = mask != 0
    ball = make_constant(xp, np.asarray(BALL), theta)
    theta = xp.where(rows[..., None], theta, ball)
    W = xp.where(rows[..., None, None], W, make_constant(xp, np.eye(10), W))
    P = None
    if prior:
        P = xp.where(rows[..., None, None], prior[0], pseudo_inertia(ball))
    problem = build_problem(xp, theta, W, P)
    (found, _, _), Delta, floored = held = hold(xp, problem, mass_min)
    residuals = certify(xp, problem, Delta, held.solution)
    worst = xp.maximum(xp.maximum(residuals[0], residuals[1]), residuals[2])
    rounding = tolerances.SOLVED_FACTOR * find_rounding(xp, problem)
    proven = worst <= xp.maximum(rounding, xp.full_like(worst, tolerances.CERTIFIED))
    numbers = (held.solution.steps, floored, *residuals, proven)
    facts = [xp.astype(number, theta.dtype) for number in numbers]
    return found, held.solution.dual, xp.stack(facts, axis=-1)


def _return_to_body(xp: Namespace, found: Array, p_BoFo_B: Array | None, rows: Array) -> Array:
    """Express results (..., 10) about Fo as the caller has them: about the centre of mass."""
    if p_BoFo_B is None:
        return found
    # Compute inertias (..., 6) about the centre of mass, of the rows that have one.
    mass = found[..., 0]
    safe = xp.where(rows & (mass != 0), mass, xp.ones_like(mass))
    central = join(found[..., 0], found[..., 1:4], about_com(safe, found[..., 1:4], found[..., 4:]))
    return translate(central, p_BoFo_B, "com")


def _multiply(dual: Array, p_BoFo_B: Array | None) -> Multiplier:
    """Compute the multipliers in NumPy.

    Raises:
        ParameterError: A trace hides the numbers.
    """
    plain = see_numbers(dual)
    if plain is None:
        raise ParameterError("a trace hides the multipliers; project without it to see them")
    place = see_numbers(p_BoFo_B)
    return multiply_matrices(plain, np.zeros((*plain.shape[:-1], 3)) if place is None else place)


def _measure(xp: Namespace, theta: Array, found: Array, W: Array, rows: Array) -> Change:
    """Measure how far the rows moved, as solver_result.measure_matrices does."""
    change = xp.where(rows[..., None], found - theta, xp.zeros_like(theta))
    square = xp.sum(change * xp.matmul(W, change[..., None])[..., 0], axis=-1)
    some = square > 0
    root = xp.sqrt(xp.where(some, square, xp.ones_like(square)))
    moments = (central_inertia(hold_constant(each), "origin") for each in (theta, found))
    before, after = map(eigenvalues, moments)
    moved, size = norm(xp, after - before), norm(xp, before)
    relative = xp.where(moved > 0, moved / size, xp.zeros_like(moved))
    return Change(xp.where(some, root, xp.zeros_like(root)), relative)
