"""Metrics of the whole pseudo-inertia under JAX and PyTorch, with their derivatives.

The nearest is computed in the caller's library by `portable`, which JAX compiles. Its derivatives
are those of the optimality conditions and not of the steps: with x = svec(Pi) in units in which the
body has size one, M the metric, Y = X - Z and Q the derivative of the positive part at Y,
(M Q + 1 - Q) dY = M dx0 - dM (x - x0) and dX = Q dY (Qi and Sun, SIAM J.
Matrix Anal. Appl. 28, 2006). At an eigenvalue zero of Y, Q is that of one half: the mean of the
sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    Array,
    Floats,
    Integers,
    Namespace,
    array_namespace,
    constant_like,
    device_of,
    real_arrays,
)
from inertial_check.inertia.consistency import Consistency, Verdict, as_theta
from inertial_check.inertia.derivatives import Arrays, differentiable, hold_constant, is_jax
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.frames import translate
from inertial_check.inertia.representations import (
    ORDERS,
    Point,
    about_com,
    about_origin,
    join,
    leaves_range,
    prefer_own,
    pseudo_inertia,
)
from inertial_check.projection.certificate import (
    HIDDEN_MOVE,
    Change,
    SolverResult,
    Unit,
    see_from_origin,
)
from inertial_check.projection.metrics import Options, read_prior
from inertial_check.projection.moments import (
    BALL,
    Rows,
    central_inertia,
    find_goal,
    find_unsound,
    lift,
    needs_projection,
    with_central_inertia,
)
from inertial_check.projection.portable import (
    build_problem,
    certify,
    decompose,
    diagonal,
    find_rounding,
    hold,
    norm,
    pairs_of,
    solve_linearised,
)
from inertial_check.projection.problems import read_definite_weights
from inertial_check.projection.result import Projection, Status
from inertial_check.projection.svec import FROM_SVEC, TO_SVEC, Certificate, unpack

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
    if not is_traceable(options):
        raise ParameterError(
            f"metric {options.metric!r} with margin {options.margin}, "
            f"{len(options.constraints)} constraints, exact={options.exact} and "
            f"solver={options.solver!r} is computed in NumPy and has no derivatives; "
            f"inertia and covariance with any margin, and {', '.join(DIFFERENTIABLE)} without a "
            "margin or constraints, none of them exactly or by a named solver, can be traced and "
            "differentiated"
        )
    request = read_request(given, about, options)
    theta = request.theta
    xp, batch = array_namespace(theta), tuple(theta.shape[:-1])
    W = read_metric(xp, theta, request.weights, request.prior, options)
    # The rows (...,) that move, and those that have no nearest, as for NumPy arrays.
    before = Consistency(hold_constant(given), about)
    finite = xp.all(xp.isfinite(before.theta), axis=-1)
    impossible = before.verdict_code == int(Verdict.INVALID)
    asked = finite & (needs_projection(before, 0.0) | impossible)
    none = ~request.usable | leaves_range(before.theta)
    needed, nowhere = asked & ~none, ~finite | (asked & none)
    direct = options.metric == "prior"
    P = None if request.prior is None or not direct else pseudo_inertia(request.prior)
    mass_min = options.mass_min
    value = _compile(xp, mass_min) if is_jax(xp) else partial(_find_nearest, xp, mass_min)

    def slope(arrays: Arrays, results: Arrays, changes: Arrays) -> Arrays:
        change = compute_change(xp, arrays[:3], results, changes[:2], mass_min)
        return change, xp.zeros_like(results[1]), xp.zeros_like(results[2])

    extras = [] if P is None else [hold_constant(P)]
    mask = xp.astype(needed, theta.dtype)
    found, dual, facts = differentiable(xp, value, slope, theta, W, mask, *extras)
    facts = hold_constant(facts)
    moved = needed & xp.any(found != theta, axis=-1)
    rows, floored = Rows(needed), needed & (facts[..., 1] != 0)
    back = _return_to_body(xp, found, request.p_BoFo_B, needed)
    # Bring inside what rounding left outside, as for NumPy, but in one step; derivatives stay.
    own = hold_constant(back)
    judged = Consistency(own, about)
    short = needed & find_unsound(judged, 0.0)
    six = lift(central_inertia(own, about), find_goal(0.0, judged.tolerance))
    lifted = with_central_inertia(own, about, six) - own
    back = back + xp.where(short[..., None], lifted, xp.zeros_like(own))
    result = SolverResult(
        theta=back,
        changed=moved,
        vanished=needed & xp.all(central_inertia(hold_constant(found), "origin") == 0, axis=-1),
        solver="newton" if options.metric in ("weighted", "euclidean") else "closed form",
        iterations=xp.astype(facts[..., 0], xp.int32),
        evidence=TracedEvidence(theta, found, W, needed, dual, facts, request.p_BoFo_B),
    )
    codes = xp.zeros_like(moved, dtype=xp.int8)
    unsound = find_unsound(Consistency(hold_constant(back), about), 0.0)
    unproven = needed & ((facts[..., 5] == 0) | (unsound & moved))
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
    ball = constant_like(xp, np.asarray(BALL), theta)
    theta = xp.where(rows[..., None], theta, ball)
    W = xp.where(rows[..., None, None], W, constant_like(xp, np.eye(10), W))
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


class TracedEvidence(NamedTuple):
    """Evidence of rows that were moved in the caller's library.

    Attributes:
        theta: (..., 10) before, in the frame of the problem.
        found: (..., 10) after.
        W: (..., 10, 10) the metric.
        needed: (...,) rows that moved.
        dual: (..., 10) svec of the multipliers.
        facts: (..., 6) of the search, as `_find_nearest` gives them.
        p_BoFo_B: (..., 3) origin of the frame, None for the body origin.
    """

    theta: Array
    found: Array
    W: Array
    needed: Array
    dual: Array
    facts: Array
    p_BoFo_B: Array | None

    def measure(self) -> Change:
        """Measure how far the rows moved, as `problems.MatrixEvidence` does."""
        xp = array_namespace(self.theta)
        change = self.found - self.theta
        change = xp.where(self.needed[..., None], change, xp.zeros_like(change))
        square = xp.sum(change * xp.matmul(self.W, change[..., None])[..., 0], axis=-1)
        some = square > 0
        root = xp.sqrt(xp.where(some, square, xp.ones_like(square)))
        both = (self.theta, self.found)
        moments = (central_inertia(hold_constant(each), "origin") for each in both)
        before, after = map(eigenvalues, moments)
        moved, size = norm(xp, after - before), norm(xp, before)
        relative = xp.where(moved > 0, moved / size, xp.zeros_like(moved))
        return Change(xp.where(some, root, xp.zeros_like(root)), relative)

    def certify(self, found: Array, unit: Unit) -> Certificate:
        """Return the residuals of the search, before rounding.

        Raises:
            ParameterError: Residuals relative to a move, which need more digits.
        """
        if unit == "move":
            raise ParameterError(HIDDEN_MOVE)
        return Certificate(*(self.facts[..., k] for k in (2, 3, 4)))

    def rows(self, rows: Integers) -> None:
        """Select no evidence: a trace holds all rows together."""

    def multiply(self) -> Floats:
        """Compute the multipliers in NumPy.

        Raises:
            ParameterError: A trace hides the numbers.
        """
        dual, place = see_numbers(self.dual), see_numbers(self.p_BoFo_B)
        if dual is None:
            raise ParameterError("a trace hides the multipliers; project without it to see them")
        none = np.zeros((*dual.shape[:-1], 3))
        return see_from_origin(unpack(dual), none if place is None else place)


_BODIES = np.asarray(pseudo_inertia(np.eye(10)))


class Request(NamedTuple):
    """The bodies of a request in frames F, in which the given numbers stay exact.

    Attributes:
        theta: (..., 10) about Fo.
        p_BoFo_B: (..., 3) origin of F, None where that is the body origin.
        weights: (..., 10, 10), or None.
        prior: (..., 10) about Fo, or None.
        usable: (...,) rows whose prior and weights are positive definite.
    """

    theta: Array
    p_BoFo_B: Array | None
    weights: Array | None
    prior: Array | None
    usable: Array


def read_request(given: Array, about: Point, options: Options) -> Request:
    """Read theta, weights and prior as one batch, in frames F.

    Raises:
        ParameterError: As `project_implicitly` does.
    """
    named: dict[str, Any] = {"theta": given}
    prior_about = about
    if options.weights is not None:
        named["weights"] = options.weights
    if options.prior is not None:
        named["prior"], prior_about = as_theta(
            options.prior, *prefer_own(options.prior, options.order, about)
        )
    _refuse_visible(named, prior_about, options)
    named = {
        name: array.tolist() if isinstance(array, np.ndarray) else array
        for name, array in named.items()
    }
    xp, arrays = real_arrays(**named)
    found = dict(zip(named, arrays, strict=True))
    theta, prior, weights = found["theta"], found.get("prior"), found.get("weights")
    batch, p_BoFo_B = tuple(theta.shape[:-1]), None
    usable = xp.ones_like(theta[..., 0], dtype=xp.bool)
    if about == "com":
        mass, h = theta[..., :1], theta[..., 1:4]
        some = mass != 0
        p_BoFo_B = xp.where(some, h / xp.where(some, mass, xp.ones_like(mass)), xp.zeros_like(h))
        theta = join(theta[..., 0], xp.where(some, xp.zeros_like(h), h), theta[..., 4:])
    if prior is not None:
        prior = xp.broadcast_to(prior, (*batch, 10))
        judged = Consistency(hold_constant(prior), prior_about)
        usable = usable & judged.mass_positive & (judged.margin > judged.tolerance)
        prior = xp.where(usable[..., None], prior, constant_like(xp, np.asarray(BALL), prior))
        if prior_about == "com":
            six = about_origin(prior[..., 0], prior[..., 1:4], prior[..., 4:])
            prior = join(prior[..., 0], prior[..., 1:4], six)
        prior = prior if p_BoFo_B is None else translate(prior, -p_BoFo_B)
    if weights is not None:
        weights = _read_weights(xp, weights, batch, options)
        # Alone, weights have to be positive definite; beside a prior, semidefinite.
        W = hold_constant(weights)
        W = xp.where(xp.isfinite(W), W, -xp.ones_like(W))
        own = diagonal(xp, W)
        units = xp.sqrt(xp.where(own > 0, own, xp.ones_like(own)))
        least = xp.linalg.eigvalsh(W / units[..., :, None] / units[..., None, :])[..., 0]
        rounding = tolerances.SOLVED_FACTOR * tolerances.epsilon(W.dtype, xp)
        definite: Array = least > rounding if prior is None else least >= -rounding
        usable = usable & definite
        one = constant_like(xp, np.eye(10), weights)
        weights = xp.where(definite[..., None, None], weights, one)
    return Request(theta, p_BoFo_B, weights, prior, usable)


def _refuse_visible(named: dict[str, Any], prior_about: Point, options: Options) -> None:
    """Refuse weights and priors by the rules for NumPy arrays, where their numbers can be seen.

    Raises:
        ParameterError: As these rules say.
    """
    batch = tuple(named["theta"].shape[:-1])
    prior = see_numbers(named.get("prior"))
    if prior is not None:
        read_prior(prior, "urdf", prior_about, batch)
    weights = see_numbers(options.weights)
    if weights is not None:
        read_definite_weights(replace(options, weights=weights), batch)


def see_numbers(array: Any) -> Floats | None:  # noqa: ANN401 - an array of any library, or a list
    """Return the numbers of an array in NumPy; None where there is none, or a trace hides them."""
    if array is None:
        return None
    try:
        plain = array.detach().cpu() if hasattr(array, "detach") else array
        return np.asarray(plain, dtype=np.float64)
    except Exception:  # a trace: libraries raise errors of their own
        return None


def _read_weights(xp: Namespace, weights: Array, batch: tuple[int, ...], options: Options) -> Array:
    """Read weights as symmetric matrices (..., 10, 10) on theta in order "urdf"."""
    if tuple(weights.shape[-2:]) != (10, 10):
        weights = weights[..., :, None] * constant_like(xp, np.eye(10), weights)
    place = [*range(4), *(4 + ORDERS[options.order].index(e) for e in ORDERS["urdf"])]
    index = xp.asarray(place, device=device_of(weights))
    weights = xp.take(xp.take(weights, index, axis=-1), index, axis=-2)
    weights = (weights + xp.matrix_transpose(weights)) / 2
    return xp.broadcast_to(weights, (*batch, 10, 10))


def read_metric(
    xp: Namespace, theta: Array, weights: Array | None, prior: Array | None, options: Options
) -> Array:
    """Build W (..., 10, 10) of the metric on theta about the origin."""
    shape = (*theta.shape[:-1], 10, 10)
    if options.metric == "euclidean":
        return xp.broadcast_to(constant_like(xp, np.eye(10), theta), shape)
    if options.metric == "pseudo-inertia":
        return xp.broadcast_to(constant_like(xp, TO_SVEC.T @ TO_SVEC, theta), shape)
    total = weights
    if prior is not None:
        # Build W with d^T W d = tr(P^-1 dPi P^-1 dPi), P the pseudo-inertias of the priors.
        P = pseudo_inertia(prior)
        units = xp.sqrt(diagonal(xp, P))
        both = units[..., :, None] * units[..., None, :]  # mass and moments differ by many orders
        inverse = xp.linalg.inv(P / both) / both
        A = xp.matmul(inverse[..., None, :, :], constant_like(xp, _BODIES, prior))
        A = xp.reshape(A, (*prior.shape[:-1], 10, 16))
        B = xp.reshape(xp.matrix_transpose(xp.reshape(A, (*prior.shape[:-1], 10, 4, 4))), A.shape)
        own = xp.matmul(A, xp.matrix_transpose(B))
        total = own if total is None else total + options.regularization * own
    assert total is not None  # options were validated
    return total


def compute_change(
    xp: Namespace, arrays: Arrays, results: Arrays, changes: Arrays, mass_min: float | None
) -> Array:
    """Compute the change (..., 10) of the nearest theta by the implicit function theorem."""
    (theta0, W, mask), (found, _, facts), (dtheta, dW) = arrays, results, changes
    moved, floored = mask[..., None] != 0, facts[..., 1] != 0
    ball = xp.zeros_like(theta0) + constant_like(xp, np.asarray(BALL), theta0)
    before, after = xp.where(moved, theta0, ball), xp.where(moved, found, ball)
    W = xp.where(moved[..., None], W, constant_like(xp, np.eye(10), W))
    apart = constant_like(xp, np.eye(10)[9], theta0)
    least = xp.where(floored, after[..., 0], xp.zeros_like(after[..., 0]))
    rate = tolerances.MASS_FLOOR if mass_min is None else 0.0
    sign = xp.where(before[..., 0] >= 0, floored * 1.0, floored * -1.0)
    dleast = (rate * sign * dtheta[..., 0])[..., None] * apart
    to_svec, from_svec = (constant_like(xp, m, theta0) for m in (TO_SVEC, FROM_SVEC))
    floor = least[..., None] * apart
    x0, x, dx0 = (
        xp.matmul(to_svec, v[..., None])[..., 0] - d
        for v, d in ((before, floor), (after, floor), (dtheta, dleast))
    )
    # The unit (..., 10) of each entry of svec(Pi) is the size of the body about its frame.
    both = xp.abs(pseudo_inertia(before)) + xp.abs(pseudo_inertia(after))
    total = both[..., 0, 0] + both[..., 1, 1] + both[..., 2, 2]
    length, mass = xp.sqrt(hold_constant(total)), xp.sqrt(hold_constant(both[..., 3, 3]))
    own = xp.stack([length, length, length, mass], axis=-1)
    own = xp.where(own > 0, own, xp.ones_like(own))
    rows, columns = pairs_of(xp, own)
    units = rows * columns
    M, dM = (
        xp.matmul(xp.matrix_transpose(from_svec), xp.matmul(m, from_svec))
        * units[..., :, None]
        * units[..., None, :]
        for m in (W, dW)
    )
    size = hold_constant(xp.sum(diagonal(xp, M), axis=-1))[..., None, None] / 10
    M, dM, x0, x, dx0 = M / size, dM / size, x0 / units, x / units, dx0 / units
    pulled = xp.matmul(M, (x - x0)[..., None])
    right = xp.matmul(M, dx0[..., None]) - xp.matmul(dM, (x - x0)[..., None])
    values, vectors = decompose(xp, x - pulled[..., 0])
    # Steps are not differentiated: their number depends on the data, and their derivatives converge
    # later than they do.
    T, slopes, inner = solve_linearised(xp, values, xp.abs(values), vectors, M, right[..., 0])
    dx = xp.matmul(T, (slopes * inner)[..., None])[..., 0] * units + dleast
    dfound = xp.matmul(from_svec, dx[..., None])[..., 0]
    return xp.where(moved, dfound, dtheta)
