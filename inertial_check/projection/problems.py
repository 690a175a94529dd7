"""The nearest by a metric of the whole pseudo-inertia: the problems, and floors under the answers.

Frame, units and solver are chosen here for the rows that have to move. All of it runs in NumPy, in
float64. The closure of the cone holds matrices that no body has (m = 0 with S != 0), and an answer
on its boundary may lie a rounding unit outside: rows of either kind, and rows without the margin,
are solved again inside Pi >= Delta.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    Array,
    Floats,
    Integers,
    Mask,
    array_namespace,
    constant_like,
)
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.frames import translate
from inertial_check.inertia.representations import (
    Point,
    pseudo_inertia,
    second_moment,
    theta_from_pseudo_inertia,
)
from inertial_check.inertia.tolerances import CERTIFIED
from inertial_check.projection import newton, regularised
from inertial_check.projection.certificate import (
    Change,
    RowFailure,
    SolverResult,
    Unit,
    find_change,
    keep_all,
    see_from_origin,
    verify_matrices,
)
from inertial_check.projection.margin import (
    bound_missing,
    certify_margin,
    find_estimate,
    find_nearest,
)
from inertial_check.projection.margin import find_multipliers as find_margin_multipliers
from inertial_check.projection.metrics import (
    Options,
    Weights,
    read_prior_by_row,
    read_weights,
    shift_to_com,
)
from inertial_check.projection.moments import (
    BALL,
    METRICS,
    MomentMetric,
    central_inertia,
    inner,
    trace,
    with_central_inertia,
    with_margin,
)
from inertial_check.projection.quadratic import (
    Quadratic,
    Solution,
    fit_reference,
    measure_change,
    project_by_whitening,
    weights_of_prior,
)
from inertial_check.projection.small_moves import sharpen_matrices
from inertial_check.projection.svec import FROM_SVEC, TO_SVEC, Certificate, unpack

if TYPE_CHECKING:
    from inertial_check.projection.conic.problem import Proof

BATCH = 4096
"""Number of bodies whose matrices are in memory as temporaries at a time."""

SINGULAR = (
    "they leave some change of the parameters without a price; give a prior beside them, whose own "
    "distance is then added"
)
"""Reason why singular weights have no nearest, and what to do."""

DIVERGENCES: tuple[regularised.Divergence, ...] = ("entropic", "affine-invariant")
"""Metrics that are data terms with a divergence to a prior."""


Solver = Callable[[Quadratic], Solution]
"""Function that finds the nearest with Pi >= Delta."""

RISE, LEAST_RISE = 4.0, 1.1
"""Largest and least factor by which a floor is raised where it was not enough."""

OWN_SHARE = 1 / 64
"""Largest share of its own spread with which an answer is lifted to a sound verdict. Rounding needs
far less. A spread that is itself rounding would need as much as it takes, and the mass would grow
with it; the reference lifts such an answer."""


@dataclass(frozen=True, eq=False)
class MatrixRequest:
    """Rows that a metric of the whole pseudo-inertia moves, with all that was given for them.

    Their problems are built when they are needed, once to be solved and again for a certificate: as
    given, weights take a tenth of the memory of their problems.

    Attributes:
        given: (n, 10) theta in order "urdf", about `about`.
        about: "origin" or "com".
        options: The request, without what follows.
        prior: (n, 10) in order "urdf" about the body origin, or None.
        weights: Those of these rows, or None.
    """

    given: Floats
    about: Point
    options: Options
    prior: Floats | None
    weights: Weights | None

    def build_problems(
        self, batch: int
    ) -> Iterator[tuple[slice, Quadratic, Floats | None, Floats]]:
        """Build the quadratic problems, a batch of bodies at a time.

        Yields:
            Places of the rows; their problem, in frames F; the priors (n, 4, 4) about their
            origins; and these, p_BoFo_B.
        """
        for start in range(0, max(len(self.given), 1), batch):
            some = slice(start, start + batch)
            theta0, p_BoFo_B = shift_to_com(self.given[some], self.about)
            W = None if self.weights is None else self.weights.matrices(some)
            Pi = (
                None
                if self.prior is None
                else np.asarray(pseudo_inertia(translate(self.prior[some], -p_BoFo_B)))
            )
            yield some, _build_problem(self.options, theta0, W, Pi), Pi, p_BoFo_B


def read_request(theta: Floats, about: Point, rows: Mask, options: Options) -> MatrixRequest:
    """Read what is given for some rows.

    Args:
        theta: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".
        rows: (...,) the rows.
        options: The request.

    Raises:
        ParameterError: Weights or a prior that are none, or weights that are singular without a
            prior; names the body and the value.
    """
    prior = weights = None
    if options.prior is not None:
        prior = read_prior_by_row(options.prior, options.order, about, rows.shape)[0][rows]
    if options.weights is not None:
        weights = read_definite_weights(options, rows.shape)
        weights = weights._replace(values=weights.values[rows])
    own = replace(options, prior=None, weights=None, constraints=())
    return MatrixRequest(theta[rows], about, own, prior, weights)


@dataclass(frozen=True, eq=False)
class MatrixEvidence:
    """Evidence of a metric of the whole pseudo-inertia.

    Attributes:
        request: The rows as they were given.
        found: (n, 10) the answers, in the frames of their problems.
        dual: (n, 10) svec of their multipliers.
        Delta: (n, 4, 4) floors under them.
        descended: (n,) answers that were found by a descent to the margin; None for none.
        proof: The multipliers of constraints; None without constraints.
    """

    request: MatrixRequest
    found: Floats
    dual: Floats
    Delta: Floats
    descended: Mask | None = None
    proof: Proof | None = None

    def measure(self) -> Change:
        """Measure how far the rows moved."""
        parts = []
        for some, problem, _, _ in self.request.build_problems(BATCH):
            both = problem.theta0, self.found[some]
            before, after = (eigenvalues(central_inertia(each, "origin")) for each in both)
            change, size = (np.linalg.norm(v, axis=1) for v in (after - before, before))
            relative = np.where(change > 0, change / size, 0.0)  # infinite without an inertia
            parts.append(Change(measure_change(problem, self.found[some]), relative))
        return Change(*map(np.concatenate, zip(*parts, strict=True)))

    def rows(self, rows: Integers) -> MatrixEvidence | None:
        """Select the evidence of some rows; constraints have one proof for all."""
        if self.proof is not None:
            return None
        given, prior, weights = self.request.given, self.request.prior, self.request.weights
        request = replace(
            self.request,
            given=given[rows],
            prior=None if prior is None else prior[rows],
            weights=None if weights is None else weights._replace(values=weights.values[rows]),
        )
        descended = None if self.descended is None else self.descended[rows]
        found, dual, Delta = (part[rows] for part in (self.found, self.dual, self.Delta))
        return MatrixEvidence(request, found, dual, Delta, descended)

    def certify(self, found: Array, unit: Unit) -> Certificate:
        """Compute the residuals of rows (n, 10) as they are returned."""
        given, about = self.request.given, self.request.about
        theta0, p_BoFo_B = shift_to_com(given, about)
        change = find_change(given, found, about, p_BoFo_B)
        if self.proof is not None:
            return self.proof.certify(theta0 + change, of_move=unit == "move")
        options, parts = self.request.options, []
        for some, problem, _, _ in self.request.build_problems(BATCH):
            dual, own = self.dual[some], change[some]
            if options.metric in DIVERGENCES:
                rho, metric = options.regularization, options.metric
                part = regularised.verify(problem, rho, metric, dual, own, unit)
            else:
                held = problem._replace(Delta=self.Delta[some])
                part = verify_matrices(held, dual, own, unit)
            if self.descended is not None and self.descended[some].any():
                rows = np.flatnonzero(self.descended[some])
                held = weigh(problem._replace(Delta=self.Delta[some]).rows(rows))
                moved, at = own[rows], held.theta0 + own[rows]
                if options.metric in DIVERGENCES:
                    rho, metric = options.regularization, options.metric
                    held = regularised.linearise(held, rho, metric, at)[0]
                    moved = at - held.theta0
                anew = certify_margin(held, moved, options.margin, of_move=unit == "move")
                for whole, new in zip(part, anew, strict=True):
                    whole[rows] = new
            parts.append(part)
        return Certificate(*map(np.concatenate, zip(*parts, strict=True)))

    def multiply(self) -> Floats:
        """Compute the multipliers (n, 4, 4) of Pi >= 0 about the body origin."""
        _, p_BoFo_B = shift_to_com(self.request.given, self.request.about)
        return see_from_origin(unpack(self.dual), p_BoFo_B)


def result_of_matrices(
    request: MatrixRequest,
    solution: Solution,
    Delta: Floats,
    solver: str,
    failures: tuple[RowFailure, ...],
    proof: Proof | None = None,
) -> SolverResult:
    """Make the result of a metric of the whole pseudo-inertia.

    Args:
        request: The rows as they were given.
        solution: The answers, in the frames of their problems.
        Delta: (n, 4, 4) floors under them.
        solver: Name of the solver.
        failures: Rows without a certified answer.
        proof: The multipliers of constraints.
    """
    theta0, p_BoFo_B = shift_to_com(request.given, request.about)
    found = theta = solution.theta
    central = central_inertia(found, "origin")
    if request.about == "com":
        theta = np.concatenate([found[:, :4], central], axis=1)
    if p_BoFo_B.any():
        theta = np.asarray(translate(theta, p_BoFo_B, request.about))
    changed = np.asarray(np.any(found != theta0, axis=1))
    return SolverResult(
        theta=np.where(changed[:, None], theta, request.given),
        changed=changed,
        vanished=np.asarray(np.all(central == 0, axis=1)),
        solver=solver,
        iterations=solution.iterations,
        evidence=MatrixEvidence(request, found, solution.dual, Delta, None, proof),
        failures=failures,
        residual=solution.worst,
    )


def project_matrices(
    theta: Floats, about: Point, rows: Mask, options: Options
) -> tuple[SolverResult, Mask]:
    """Move the rows that have to move, without constraints.

    Args:
        theta: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".
        rows: (...,) rows that have to move.
        options: The request.

    Returns:
        The result, and (n,) which of its rows end at the least mass.

    Raises:
        ParameterError: Weights, a prior or a solver that are none; names the body and the value.
    """
    request = read_request(theta, about, rows, options)
    solver, solve = _choose_solver(options)
    count = len(request.given)
    floored, Delta = np.zeros(count, dtype=np.bool_), np.zeros((count, 4, 4))
    if not count:
        return keep_all(solver), floored
    found = Solution.keep(np.zeros((count, 10)))
    bound, descended = np.full(count, np.nan), np.zeros(count, dtype=np.bool_)
    # A margin is sought from a dozen starts at a time.
    batch = BATCH // 8 if options.margin > 0 else BATCH
    for some, problem, _, _ in request.build_problems(batch):
        held = hold(solve, problem, options)
        found.put(some, held.solution)
        floored[some], Delta[some] = held.floored, held.problem.Delta
        bound[some], descended[some] = held.bound, held.descended
    result = result_of_matrices(request, found, Delta, solver, ())
    if descended.any():
        assert isinstance(result.evidence, MatrixEvidence)  # as it has just been made
        evidence = replace(result.evidence, descended=descended)
        result = replace(result, evidence=evidence, bound=bound)
    return result, floored


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


def find_unpriced(options: Options, about: Point, theta: Floats) -> tuple[Options, Mask]:
    """Find bodies (..., 10) whose weights or prior leave them without a nearest.

    A prior that is far from the centre of mass about which the body is given can be none about it:
    rounding hides its inertia there.

    Returns:
        The options with weights that have been read, and the bodies (...,).

    Raises:
        ParameterError: Weights or a prior for all bodies that are none.
    """
    shape = theta.shape[:-1]
    free = np.zeros(shape, dtype=np.bool_)
    if options.weights is not None:
        weights = read_definite_weights(options, shape)
        options = replace(options, weights=weights)
        if options.prior is None:
            free = weights.singular
        if weights.refused is not None:
            free = free | weights.refused
    if options.prior is not None:
        prior, refused = read_prior_by_row(options.prior, options.order, about, shape)
        free = free if refused is None else free | refused
        if about == "com":
            with np.errstate(all="ignore"):
                seen = translate(prior, -shift_to_com(theta, about)[1])
                free = free | (Consistency(seen, "origin").verdict_code != Verdict.CONSISTENT)
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


def _choose_solver(options: Options) -> tuple[str, Solver]:
    """Choose the function that finds the nearest with Pi >= Delta, and name it.

    Raises:
        ParameterError: No such solver is installed.
    """
    if options.metric in DIVERGENCES:
        rho, metric = options.regularization, options.metric
        return "newton", lambda problem: regularised.project(problem, rho, metric)
    if options.solver is not None:
        from inertial_check.projection import conic
        from inertial_check.projection.conic.solvers import find_solver

        name = find_solver(options.solver).lower()
        solve: Solver = partial(conic.try_nearest, solver=options.solver)
    elif options.metric in ("prior", "pseudo-inertia"):
        name, solve = "closed form", project_by_whitening
    else:
        name, solve = "newton", _project_by_newton
    return name, lambda problem: sharpen_matrices(problem, solve(problem))


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


class Held(NamedTuple):
    """Answers that are bodies, with the floors that make them so.

    Attributes:
        problem: The given problem, with the floors as its Delta.
        solution: The answers.
        floored: (n,) rows that end at the least mass.
        bound: (n,) lower bounds of the distances; NaN where the certificate is the proof.
        descended: (n,) answers that were found by a descent to the margin.
    """

    problem: Quadratic
    solution: Solution
    floored: Mask
    bound: Floats
    descended: Mask


def hold(solve: Solver, problem: Quadratic, options: Options) -> Held:
    """Solve, and again where the answer has no mass, less than the margin, or no sound verdict.

    Args:
        solve: Gives the nearest with Pi >= Delta.
        problem: A problem with Delta = 0.
        options: The margin, and the least mass [kg]; None for MASS_FLOOR of the mass given, or of
            the reference's where that is zero.
    """
    found = solve(problem)
    least = least_mass(problem, options.mass_min)
    estimate = options.metric in DIVERGENCES  # which is strictly inside
    floored = (found.theta[:, 0] < least) & (not estimate)
    Delta = np.array(problem.Delta)
    Delta[floored, 3, 3] = least[floored]
    held = Held(
        *(problem._replace(Delta=Delta), found, floored),
        *(np.full(len(least), np.nan), np.zeros(len(least), dtype=np.bool_)),
    )
    _solve_again(solve, held, np.flatnonzero(floored))
    if options.margin > 0:
        _give_margin(held, options, least)
    elif not estimate and (short := np.flatnonzero(lacks_margin(found.theta, 0.0))).size:
        unlifted, below = held.solution.rows(np.arange(len(least))), np.array(held.problem.Delta)
        ball = np.asarray(
            spread_about_origin(held.problem.reference[short], held.solution.theta[short])
        )
        vain = _raise(solve, held, short, ball, OWN_SHARE)
        held.solution.put(vain, unlifted.rows(vain))
        held.problem.Delta[vain] = below[vain]
        _raise(solve, held, vain, np.asarray(like_reference(held.problem.reference[vain])))
    # The least mass is kept but for rounding; Pi stays positive semidefinite where it has more.
    lightest, mass = np.where(held.floored, least, -np.inf), held.solution.theta[:, 0]
    held.solution.theta[:, 0] = np.where(mass < lightest, lightest, mass)
    return held


def _give_margin(held: Held, options: Options, least: Floats) -> None:
    """Replace, in place, the answers without the margin by bodies near what was given with it."""
    margin, metric, rho = options.margin, options.metric, options.regularization
    rows = np.flatnonzero(lacks_margin(held.solution.theta, margin))
    if not rows.size:
        return
    problem, free = held.problem.rows(rows), held.solution.rows(rows)
    own = weigh(problem._replace(Delta=0 * problem.Delta))
    if metric in DIVERGENCES:

        def evaluate(some: Integers, at: Floats) -> tuple[Floats, Floats, Floats]:
            parts = regularised.evaluate(own.reference[some], at, metric)
            return rho * parts[0], rho * parts[1], rho * parts[2]

        starts = free.theta, np.asarray(theta_from_pseudo_inertia(own.reference))
        found = find_estimate(own, margin, starts, evaluate)
        floored, bound = held.floored[rows], np.zeros(len(rows))
    else:
        heavy = least[rows], held.floored[rows]
        found, floored, bound = find_nearest(own, margin, free.theta, *heavy)
    theta = found.theta
    six = np.asarray(central_inertia(theta, "origin"))
    # Points, whose spread would be nothing, or rounding of their place.
    unsound = lacks_margin(theta, 0.0) | ~six.any(axis=1)
    ball = theta_from_pseudo_inertia(spread_about_origin(problem.reference, theta)[unsound])
    six[unsound] += tolerances.SOUND_SHARE * np.asarray(central_inertia(ball, "origin"))
    theta = np.asarray(with_central_inertia(theta, "origin", six))
    six = np.asarray(with_margin(theta, "origin", six, margin))
    theta = np.asarray(with_central_inertia(theta, "origin", six))
    held.floored[rows], held.descended[rows] = floored, True
    held.problem.Delta[rows, 3, 3] = np.where(floored, least[rows], 0.0)
    # A point is no body with the margin: its distance is a bound of those around it.
    bound = np.where(unsound & np.isnan(bound), np.sqrt(found.value), bound)
    # A bound that rests on the answer without the margin holds where that is proven.
    doubtful = ~floored & ~(free.worst <= CERTIFIED)
    held.bound[rows] = np.where(doubtful, 0.0, bound)
    if metric in DIVERGENCES:
        least = measure_change(own, free.theta) ** 2 + evaluate(np.arange(len(rows)), free.theta)[0]
        own, definite = regularised.linearise(own, rho, metric, theta)
        # Where that holds, an estimate without the margin that is proven is the least of all.
        rest = found.value - np.where(free.worst <= CERTIFIED, least, 0.0)
        open_ = np.fmin(bound_missing(own, margin, theta), rest) / found.value
        open_ = np.where(definite & ~np.isnan(open_), np.maximum(open_, 0.0), 1.0)
        bound = measure_change(problem, theta) * np.sqrt(np.maximum(1 - open_, 0.0))
        held.bound[rows] = np.where(open_ <= CERTIFIED, np.nan, bound)
    own, change = own._replace(Delta=held.problem.Delta[rows]), theta - own.theta0
    with np.errstate(all="ignore"):  # a body without mass has no centre, and no certificate
        certificate = certify_margin(own, change, margin, of_move=False)
        dual = find_margin_multipliers(own, change).Z @ FROM_SVEC
    steps = free.iterations + found.steps
    held.solution.put(rows, Solution(theta, dual, certificate, steps))


def weigh(problem: Quadratic) -> Quadratic:
    """Give a problem its weights, where they are those of its reference."""
    if problem.W is not None:
        return problem
    return problem._replace(W=weights_of_prior(problem.reference))


def least_mass(problem: Quadratic, mass_min: float | None) -> Floats:
    """Compute the least mass (n,) [kg]: as asked, or MASS_FLOOR of the given or reference's."""
    if mass_min is not None:
        return np.full(len(problem.theta0), mass_min)
    given = np.abs(problem.theta0[:, 0])
    return tolerances.MASS_FLOOR * np.where(given > 0, given, problem.reference[:, 3, 3])


def _raise(solve: Solver, held: Held, short: Integers, body: Floats, most: float = 1.0) -> Integers:
    """Raise Delta, in place, under answers that lack a sound verdict.

    Args:
        solve: As for `hold`.
        held: Answers and floors so far, replaced in place.
        short: These answers.
        body: (k, 4, 4) bodies of which Delta takes a share.
        most: Largest share of a body, at most 1.

    Returns:
        Rows to which this share of a body under the answer would not give a verdict.
    """
    theta, failed = held.solution.theta, [np.zeros(0, dtype=np.intp)]
    Delta = held.problem.Delta[short]
    share: Floats = np.full(len(short), tolerances.SOUND_SHARE)
    while short.size:
        held.problem.Delta[short] = Delta + share[:, None, None] * body
        _solve_again(solve, held, short)
        reached = Consistency(theta[short], "origin").margin
        share = share * np.where(reached > 0, LEAST_RISE, RISE)
        missing = lacks_margin(theta[short], 0.0)
        failed.append(short[missing & (share > most)])
        left = missing & (share <= most)
        short, share = short[left], share[left]
        body, Delta = body[left], Delta[left]
    return np.concatenate(failed)


def _solve_again(solve: Solver, held: Held, rows: Integers) -> None:
    """Replace some of the answers, in place; their steps add up."""
    if rows.size:
        anew = solve(held.problem.rows(rows))
        anew = anew._replace(iterations=held.solution.iterations[rows] + anew.iterations)
        held.solution.put(rows, anew)


def lacks_margin(theta: Floats, margin: float) -> Mask:
    """Find the rows (n,) that are no body with this margin; theta = 0 lacks nothing."""
    judged = Consistency(theta, "origin")
    code = judged.verdict_code
    bad = code > int(Verdict.BOUNDARY)
    if margin > 0:
        bad |= ~(judged.margin >= margin)
    return np.asarray(bad & (code != int(Verdict.MASSLESS)))


def find_points(problem: Quadratic, theta: Floats) -> Mask:
    """Find the answers (n,) that are point masses where mass and first moment stay.

    Their spread is nothing beside that of the given body, to the accuracy of a solver, or hidden by
    the rounding of the first moment. Rows that were given as bodies are none of them.
    """
    if not problem.fixed:
        return np.zeros(len(theta), dtype=np.bool_)
    both = theta, theta_from_pseudo_inertia(problem.reference)
    six = (np.abs(central_inertia(some, "origin")) for some in both)
    found, whole = (some[:, [0, 3, 5]].sum(axis=1) for some in six)
    hidden = Consistency(theta, "origin").verdict_code == int(Verdict.ILL_POSED)
    nothing = (found <= tolerances.CERTIFIED * whole) | hidden
    return np.asarray(nothing & lacks_margin(problem.theta0, 0.0))


def spread_about_origin(reference: Array, theta: Array) -> Array:
    """Build bodies, mostly for points, whose central spread is the answer's about the origin."""
    xp = array_namespace(theta)
    spread = (theta[..., 4] + theta[..., 7] + theta[..., 9]) / 2
    usable = ((spread > 0) & (theta[..., 0] > 0))[..., None]
    six = (2 * spread / 3)[..., None] * constant_like(xp, np.array([1.0, 0, 0, 1, 0, 1]), theta)
    safe = xp.where(usable, theta, constant_like(xp, np.array(BALL), theta))  # a mass to divide by
    body = pseudo_inertia(with_central_inertia(safe, "origin", six))
    return xp.where(usable[..., None], body, like_reference(reference))


def like_reference(reference: Array) -> Array:
    """Build isotropic bodies (..., 4, 4) about the origin with mass and spread of the reference."""
    xp = array_namespace(reference)
    mean = (reference[..., 0, 0] + reference[..., 1, 1] + reference[..., 2, 2]) / 3
    units = xp.stack([mean, mean, mean, reference[..., 3, 3]], axis=-1)
    return units[..., None] * constant_like(xp, np.eye(4), reference)
