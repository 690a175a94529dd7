"""The nearest parameters that some body has: each row moved as little as makes it consistent."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia import representations, tolerances
from inertial_check.inertia.arrays import Array, Floats, Integers, Mask, array_namespace, read_only
from inertial_check.inertia.consistency import Consistency, Verdict, as_theta
from inertial_check.inertia.derivatives import hides_numbers, hold_constant
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, Point, change_units, leaves_range
from inertial_check.inertia.tolerances import CERTIFIED, SOLVED_FACTOR
from inertial_check.projection.certificate import (
    MomentEvidence,
    RoundedEvidence,
    RowFailure,
    SolverResult,
    keep_all,
    leave_points,
    result_of_moments,
)
from inertial_check.projection.metrics import Metric, Options
from inertial_check.projection.moments import (
    BALL,
    METRICS,
    Rows,
    central_inertia,
    find_goal,
    find_unsound,
    lift,
    move_inertias,
    needs_projection,
    with_central_inertia,
)
from inertial_check.projection.result import Projection, Status
from inertial_check.projection.small_moves import sharpen_moments

if TYPE_CHECKING:
    from inertial_check.projection.constraint import Constraint


class HasParameters(Protocol):
    """Object that knows inertial parameters of bodies as one batch, as a model does."""

    @property
    def parameters(self) -> InertialParameters:
        """Its bodies."""


def project(  # noqa: PLR0913, PLR0917 - the public signature
    theta: Array | InertialParameters | HasParameters,
    metric: Metric = "inertia",
    order: Order | None = None,
    about: Point | None = None,
    weights: Array | None = None,
    prior: InertialParameters | Array | None = None,
    constraints: Constraint | list[Constraint] | tuple[Constraint, ...] = (),
    margin: float = 0.0,
    *,
    solver: str | None = None,
    mass_min: float | None = None,
    regularization: float = 1.0,
    exact: bool = False,
) -> Projection:
    """Find the nearest parameters that some body has, for each row of a batch.

    Rows that are feasible (consistent or boundary; with a margin, having it; under constraints,
    meeting them) come back bit for bit. The metrics, and what each is invariant to:

    * "inertia" (default) minimises ||I' - I_BBcm||_F, "covariance" ||S' - S_c||_F. Mass and centre
      of mass stay, bit for bit. Neither depends on the frame or the units.
    * "prior" minimises ||P^-1/2 (Pi' - Pi) P^-1/2||_F, P the pseudo-inertia of the prior. It does
      not depend on the frame or the units, if the prior is given in the same.
    * "weighted" minimises (theta' - theta)^T W (theta' - theta); with a prior, plus
      regularization times the square of its distance. What W is invariant to, it is.
    * "entropic" and "affine-invariant" estimate rather than project: the change in W, or without
      weights in the prior's metric, plus regularization times the log-det Bregman divergence, or
      the squared geodesic distance, from the prior. Invariant like "prior". Only rows that are not
      feasible move, to strictly inside the cone.
    * "euclidean" minimises ||theta' - theta||: it mixes kg, kg m and kg m^2, and counts products
      of inertia once. It depends on the axes, the origin, and the unit of length.
    * "pseudo-inertia" minimises ||Pi' - Pi||_F: it mixes the same units, and depends on the origin
      and the unit of length, though not on the axes.

    Source of the conditions: Heins, Rigid Body Inertial Parameters, "Full Physical Consistency".

    Args:
        theta: (..., 10) [m, hx, hy, hz, six of the inertia] in kg, kg m, kg m^2, body axes, from
            any array library; or InertialParameters, or a model or result that has them.
            Metrics of the whole theta give arrays of the
            caller's library, and compute in NumPy, but under a trace, for a gradient and on other
            devices, where they compute in that library.
        metric: What is least.
        order: Order of the last six, given and returned: urdf, pinocchio, mujoco, wensing or ksl;
            None for theta's own, as `theta` of results has one, else urdf.
        about: Point about which those six are taken, given and returned: "origin" or "com"; None
            for theta's own, as results and InertialParameters have one, else the origin.
        weights: (10,) diagonal or (10, 10) matrix W, or one for each body, on theta exactly as it
            is passed; positive semidefinite, and definite unless there is a prior.
        prior: InertialParameters, or (..., 10) in the same order and about the same point, unless
            it knows its own, one or one for each body; strictly consistent.
        constraints: Objects of inertial_check.projection.constraints.
        margin: Least margin of the results, 0 to 1/3, held after rounding; about the origin within
            the numerical floor of the result where that is coarse.
        solver: None for the closed form, Newton's method or, with constraints, Clarabel; the name
            of an installed conic solver ("clarabel", "scs") for the same answer by that.
        mass_min: Least mass [kg] of rows that move under metrics in which the mass does; None for
            1e-6 of the mass given. Rows that end there have status mass-floored.
        regularization: Weight of the prior's term beside another, positive.
        exact: Return numbers that are consistent in exact rational arithmetic as repr prints them,
            so that no later reader finds them a rounding unit outside. Rows on the boundary that
            rounding left outside then move by rounding, too. A row for which fixed numbers leave no
            room has status uncertified.

    Returns:
        The projection. A bad row never raises: a row with a number that is not finite and, under
        inertia and covariance, one without positive mass, has no nearest body and comes back
        unchanged with status no-nearest. So does one whose nearest float64 cannot hold and, under
        the other metrics, one with a number above 2^255, or mass or inertia below 2^-255, for which
        it cannot be computed. A row whose nearest inertia is the zero tensor has no nearest either,
        because rounded numbers of a point mass about another point are no body's; `vanished` says
        which rows those are. Weights that are singular, indefinite or not finite, and a prior that
        is no body, leave a row without a nearest, too, where they are given for it alone; so does a
        prior whose inertia rounding hides about the centre of mass of the row. Where no
        body meets the constraints, a row comes back unchanged with status infeasible, and
        `conflict` names an irreducible set of them. The best answer that was found without a proof
        has status uncertified. `raise_for_status` turns these into an error.

    Raises:
        ParameterError: Wrong shape, unknown order, point, metric or solver, an order or point that
            contradicts theta's own, margin not in [0, 1/3], a constraint on a row that does not
            exist; an argument that the metric needs or does not take; weights for all bodies that
            are not positive semidefinite, a prior for all that is not positive definite: names the
            value.

    Example:
        >>> found = ic.project([1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.08])
        >>> print(found.status, found.theta[[4, 7, 9]].round(6))  # ixx, iyy, izz
        projected [0.03 0.04 0.07]
    """
    if hasattr(theta, "parameters"):
        theta = theta.parameters
    order, about = representations.find_form(theta, order, about)
    options = Options(
        metric=metric,
        order=order,
        about=about,
        weights=weights,
        prior=prior,
        constraints=tuple(constraints)
        if isinstance(constraints, (list, tuple))
        else (constraints,),
        margin=margin,
        solver=solver,
        mass_min=mass_min,
        regularization=regularization,
        exact=exact,
    )
    return project_with(theta, options)


def project_with(theta: Array | InertialParameters, options: Options) -> Projection:
    """Find what `project` finds, with all its options as one object.

    Raises:
        ParameterError: As `project` does.
    """
    options = options.validate()
    given, about = as_theta(theta, *representations.prefer_own(theta, options.order, options.about))
    prior = options.prior
    arrays = (prior.mass, prior.com) if isinstance(prior, InertialParameters) else (prior,)
    hidden = hides_numbers(given, options.weights, *arrays)
    if options.constraints:
        from inertial_check.projection.constraint import read_constraints

        count = math.prod(given.shape[:-1])
        for one in read_constraints(options.constraints):
            missing = [body for body in one.bodies or () if body >= count]
            if missing:
                rows = "only row 0" if count == 1 else f"rows 0 to {count - 1}"
                rows = rows if count else "no rows"
                raise ParameterError(f"{one!r} names body {missing[0]}, but the batch has {rows}")
    if options.metric in METRICS and not options.constraints:
        return _project_moments(given, about, options, hidden)
    if options.metric in ("weighted", "euclidean") and about == "com":
        if not isinstance(theta, InertialParameters):
            raise ParameterError(
                f"metric {options.metric!r} with about='com': the pseudo-inertia is not linear in "
                "such a theta; give it, and its weights, about the origin"
            )
        given, about = as_theta(theta.as_theta(about="origin"))
    return _project_matrices(given, about, options, hidden)


def _project_moments(given: Array, about: Point, options: Options, hidden: bool) -> Projection:
    """Project by a metric under which mass and centre of mass stay; in NumPy where that can."""
    metric, margin = METRICS[options.metric], options.margin
    like = None
    if options.exact and hidden:
        raise ParameterError(
            "exact=True rounds numbers one by one, and a trace hides them; project without it, and "
            "make the result exact outside"
        )
    if options.exact or not (hidden or _is_out_of_reach(given)):
        given, like = _in_numpy(given, options.metric)
    judged = Consistency(given, about)
    mask = needs_projection(judged, margin)
    rows = Rows(mask | _find_inexact(judged) if options.exact else mask)
    if rows.none:
        if options.solver is not None:
            from inertial_check.projection.conic.solvers import find_solver

            find_solver(options.solver)  # refuses a name that is none
        solver = "closed form" if options.solver is None else options.solver.lower()
        none = np.asarray(judged.verdict_code >= int(Verdict.INVALID), dtype=np.int8)
        unmoved = np.asarray(none * np.int8(Status.NO_NEAREST))
        return _assemble(options, given, rows, keep_all(solver), unmoved, judged, like)
    numpy, taken = isinstance(given, np.ndarray), rows.take(given, BALL)
    if numpy:
        taken = np.asarray(taken, dtype=np.float64)
    own, units = change_units(taken, about)
    solver, steps = "closed form", None
    failures: tuple[RowFailure, ...] = ()
    with np.errstate(all="ignore"):
        if options.solver is None:
            before, after = move_inertias(own, about, metric, margin)
        else:
            from inertial_check.projection import conic

            tried = conic.try_inertias(own, about, metric, margin, options.solver)
            before, after, steps, errors = tried
            solver = options.solver.lower()
            failures = tuple(
                RowFailure(row, None, str(error), instance=error.instance) for row, error in errors
            )
        evidence = MomentEvidence(own, about, before, after, metric, margin, units)
        result, lost = result_of_moments(evidence, taken, solver, steps)
        result = replace(result, failures=failures)
    if margin == 0 and units is None and numpy:
        result = sharpen_moments(result, taken, about, metric)
    result = leave_points(result, taken)
    nowhere = judged.verdict_code < 0
    nobody = judged.verdict_code >= int(Verdict.INVALID)
    nobody = nobody | rows.put(result.vanished | lost, nowhere)
    codes = _combine_codes(rows.mask, nobody, nowhere)  # no mass is ever floored here
    if not numpy:
        unsound = find_unsound(Consistency(hold_constant(result.theta), about), margin)
        doubted = (codes == int(Status.PROJECTED)) & unsound
        codes = array_namespace(codes).where(doubted, int(Status.UNCERTIFIED), codes)
    return _assemble(options, given, rows, result, codes, judged, like)


def _project_matrices(given: Array, about: Point, options: Options, hidden: bool) -> Projection:
    """Project by a metric of the whole pseudo-inertia, in NumPy."""
    from inertial_check.projection import problems

    if hidden or _is_out_of_reach(given):
        from inertial_check.projection.implicit import is_traceable, project_implicitly

        if hidden or is_traceable(options):
            return project_implicitly(given, about, options)
    own, like = _in_numpy(given, options.metric)
    judged = Consistency(own, about)
    theta = np.asarray(own, dtype=np.float64)
    finite = np.all(np.isfinite(own), axis=-1)
    # The matrices of these metrics hold products that overflow or vanish for such numbers.
    far = leaves_range(theta)
    options, free = problems.find_unpriced(options, about, theta)
    if options.constraints:
        from inertial_check.projection import constrained  # with the conic programs
        from inertial_check.projection.conic.joint import find_tied_to_missing

        # Under constraints those rows have a nearest that the metric can move.
        movable = judged.verdict_code < int(Verdict.INVALID)
        mask = np.asarray(movable if options.metric in METRICS else finite) & ~(far | free)
        flat = mask.reshape(-1)
        mask = finite = (flat & ~find_tied_to_missing(options.constraints, flat)).reshape(
            mask.shape
        )
        result, floored = constrained.project_with_constraints(theta, about, mask, options)
    else:
        impossible = judged.verdict_code == int(Verdict.INVALID)
        needed = finite & (needs_projection(judged, options.margin) | impossible)
        if options.exact:
            needed |= finite & _find_inexact(judged)
        mask, finite = np.asarray(needed & ~(far | free)), finite & ~(needed & (far | free))
        result, floored = problems.project_matrices(theta, about, mask, options)
    rows, nowhere = Rows(mask), np.zeros_like(mask)
    codes = _combine_codes(rows.put(result.changed, nowhere), ~finite, rows.put(floored, nowhere))
    return _assemble(options, own, rows, result, codes, judged, like)


def _is_out_of_reach(given: Array) -> bool:
    """Decide whether an array is on a device whose memory NumPy cannot read."""
    if isinstance(given, (np.ndarray, np.generic)):
        return False
    try:
        np.asarray(given[..., :0])
    except Exception:  # libraries raise errors of their own
        return True
    return False


def _find_inexact(judged: Consistency) -> Mask:
    """Find bodies (...,) that are on the boundary, but for exact arithmetic outside."""
    from inertial_check.projection.exact import are_exact

    theta = np.asarray(judged.theta)
    body = np.asarray(judged.verdict_code <= int(Verdict.ILL_POSED))
    return body & ~are_exact(theta.reshape(-1, 10), judged.about).reshape(body.shape)


def _make_exact(
    result: SolverResult, about: Point, given: Array, needed: Mask, fixed: Mask | None
) -> SolverResult:
    """Make the moved bodies consistent in exact arithmetic, in the caller's precision.

    Args:
        result: The result of a metric.
        about: Point about which the inertia is taken.
        given: (n, 10) before.
        needed: (n,) rows that move for another reason than exactness: the others start as given.
        fixed: (n, 10) numbers that constraints fix.
    """
    from inertial_check.projection.exact import make_exact

    theta = np.where(needed[:, None], np.asarray(result.theta, dtype=given.dtype), given)
    vanished = np.asarray(result.vanished) & needed
    left = np.all(theta == given, axis=1) & needed & vanished
    left[[failure.row for failure in result.failures]] = True
    found, exact = make_exact(theta, about, fixed)
    found = np.where(left[:, None], theta, found)
    reason = "no numbers with what is fixed are consistent in exact arithmetic"
    failures = tuple(RowFailure(int(row), None, reason) for row in np.flatnonzero(~exact & ~left))
    return replace(
        result,
        theta=found,
        changed=np.any(found != given, axis=1),
        vanished=vanished,
        failures=(*result.failures, *failures),
    )


def _settle(
    options: Options,
    given: Array,
    rows: Rows,
    result: SolverResult,
    codes: Array,
    judged: Consistency,
) -> tuple[SolverResult, Array]:
    """Round answers in float64 to the caller's type, and judge them there."""
    own, eps = given[rows.mask], tolerances.epsilon(given.dtype, np)
    fixed = None
    if options.constraints:
        from inertial_check.projection.constraints import NAMES, FixedEntries

        every = np.zeros((rows.mask.size, 10), dtype=np.bool_)
        for one in options.constraints:
            for name in one.entries if isinstance(one, FixedEntries) else ():
                every[
                    slice(None) if one.bodies is None else list(one.bodies), NAMES.index(name)
                ] = True
        fixed = every[rows.mask.reshape(-1)]
    with np.errstate(all="ignore"):
        if eps > tolerances.EPS and result.evidence:
            rounded = np.asarray(result.theta, dtype=own.dtype)
            held = np.isfinite(rounded).all(axis=1, keepdims=True)
            evidence = RoundedEvidence(result.evidence, np.asarray(result.theta), eps)
            result = replace(result, theta=np.where(held, rounded, own), evidence=evidence)
        if options.exact:
            needed = needs_projection(judged, options.margin)
            needed |= judged.verdict_code > int(Verdict.BOUNDARY)
            needed = np.asarray(needed)[rows.mask] | bool(options.constraints)
            result = _make_exact(result, judged.about, own, needed, fixed)
        ill_posed = np.asarray(judged.verdict_code)[rows.mask] == int(Verdict.ILL_POSED)
        result, found = _judge(result, codes[rows.mask], judged.about, ill_posed, fixed, options)
    return result, rows.put(found, codes)


LIFTS = 4
"""Doublings of the isotropic part, half a numerical floor, that brings rounded answers inside."""


def _judge(
    result: SolverResult,
    codes: Array,
    about: Point,
    ill_posed: Mask,
    fixed: Mask | None,
    options: Options,
) -> tuple[SolverResult, Array]:
    """Judge moved rows as they are returned, and bring inside what rounding left outside.

    Args:
        result: The answers, in the caller's type.
        codes: (n,) integers of Status, if all answers are what they were solved to be.
        about: Point about which the inertia is taken.
        ill_posed: (n,) rows whose given numbers do not say what is nearest.
        fixed: (n, 10) numbers that constraints fix.
        options: The request.

    Returns:
        The result, with a failure for each row of which nothing can be claimed; and the codes.
    """
    theta, margin, evidence = np.array(result.theta), options.margin, result.evidence
    assert evidence is not None  # the caller has asked
    claimed = ((codes == int(Status.PROJECTED)) | (codes == int(Status.MASS_FLOORED))) & ~ill_posed
    idle = np.flatnonzero((codes == int(Status.FEASIBLE)) & ~ill_posed)  # may lack what was asked
    claimed[idle] = needs_projection(Consistency(theta[idle], about), margin)
    claimed[[failure.row for failure in result.failures]] = False
    index, coarse = np.flatnonzero(claimed), isinstance(evidence, RoundedEvidence)
    inside = not options.exact and (coarse or margin > 0)
    after = Consistency(theta[index], about)
    bad = np.array(find_unsound(after, margin, inside))
    if options.exact and margin == 0:
        bad[:] = False  # exact arithmetic has judged them, which no rounding makes ill-posed
    floor: Floats = np.asarray(after.tolerance, dtype=np.float64)
    mended = np.array(bad)
    for turn in range(LIFTS):
        short = np.flatnonzero(bad)
        if not short.size:
            break
        some = index[short]
        part: Array = np.asarray(theta[some], dtype=np.float64)
        goal = find_goal(margin, 2.0 ** (turn - 1) * floor[short])
        part = with_central_inertia(part, about, lift(central_inertia(part, about), goal))
        theta[some] = part if fixed is None else np.where(fixed[some], theta[some], part)
        bad[short] = find_unsound(Consistency(theta[some], about), margin, inside)
    residual = _find_residuals(result, theta, index, floor, mended, about)
    near = np.zeros(len(index), dtype=np.bool_)
    if result.bound is not None:
        bound, distance = result.bound[index], evidence.measure().distance[index]
        apart = np.maximum(1 - bound / np.where(distance > 0, distance, 1.0), 0.0)
        residual = np.where(np.isnan(bound), residual, np.maximum(residual, apart))
        near = (apart > CERTIFIED) & (distance <= tolerances.NEAR * bound)
    unproven = ~(near | (residual <= CERTIFIED))
    lost = f"rounded to {theta.dtype} the answer is no body with the margin {margin:g} any more; "
    lost += "give the inertia about the centre of mass, or in more digits"
    open_ = f"expected at most {CERTIFIED:.0e}; weights of smaller condition, or a prior, help"
    failed = f"the body has no certified answer (metric {options.metric!r}): residual"
    refused = np.flatnonzero(bad | unproven)
    failures = [
        RowFailure(int(index[i]), None, lost if bad[i] else f"{failed} {residual[i]:.1e}, {open_}")
        for i in refused
    ]
    codes = np.array(codes)
    codes[index] = np.maximum(codes[index], np.int8(Status.PROJECTED))
    codes[index[near & (codes[index] == int(Status.PROJECTED))]] = int(Status.NEAR)
    changed = result.changed | np.any(theta != result.theta, axis=1)
    all_failures = (*result.failures, *failures)
    return replace(result, theta=theta, changed=changed, failures=all_failures), codes


def _find_residuals(
    result: SolverResult, theta: Floats, index: Integers, floor: Floats, mended: Mask, about: Point
) -> Floats:
    """Find the larger of gap and dual residual of some rows: the solver's, or computed anew.

    Args:
        result: The answers, in the caller's type.
        theta: (n, 10) the same, after some were brought inside.
        index: Index of the rows.
        floor: (k,) numerical floors of the margins of these rows.
        mended: (k,) which of them were brought inside.
        about: Point about which the inertia is taken.
    """
    evidence = result.evidence
    assert evidence is not None  # the caller has asked
    residual = np.zeros(len(index)) if result.residual is None else result.residual[index]
    # The solver's residuals are those of the returned numbers but for their rounding, of which a
    # floor in float64 tells the size, and for changes of point; then they are computed here.
    coarse = floor * (tolerances.EPS / tolerances.epsilon(theta.dtype, np))
    seen = (coarse > CERTIFIED / SOLVED_FACTOR) | ~(residual <= CERTIFIED / 2)
    eps = tolerances.epsilon(theta.dtype, np) if isinstance(evidence, RoundedEvidence) else 0.0
    change, size = (np.max(np.abs(v[index, 4:]), axis=1) for v in (theta - result.theta, theta))
    seen |= (mended & ~(change < SOLVED_FACTOR * eps * size)) | (
        result.residual is not None and about == "com"
    )
    few = index[seen]
    if few.size:
        part = evidence.rows(few)
        own = evidence.certify(theta, "body") if part is None else part.certify(theta[few], "body")
        worst = np.maximum(own.gap, own.dual_residual)
        residual[seen] = worst[few] if part is None else worst
    return residual


def _assemble(  # noqa: PLR0913, PLR0917 - the fields of a Projection
    options: Options,
    given: Array,
    rows: Rows,
    result: SolverResult,
    codes: Array,
    judged: Consistency,
    like: Array | None,
) -> Projection:
    """Make the projection, its statuses given after the returned numbers were judged.

    An ill-posed row is called uncertified: rounding of its first moment hides its inertia, so that
    what is nearest is decided by digits that are not there.
    """
    if result.evidence is not None and isinstance(given, np.ndarray):
        result, codes = _settle(options, given, rows, result, codes, judged)
    xp = array_namespace(codes)
    doubted = (judged.verdict_code == int(Verdict.ILL_POSED)) & (codes != int(Status.NO_NEAREST))
    codes = xp.where(doubted, xp.full_like(codes, int(Status.UNCERTIFIED)), codes)
    if result.failures:
        shape, flat = np.shape(codes), np.array(codes).reshape(-1)
        moved = np.flatnonzero(np.asarray(rows.mask).reshape(-1))
        for failure in result.failures:
            status = Status.INFEASIBLE if failure.conflict is not None else Status.UNCERTIFIED
            flat[moved[failure.row]] = int(status if failure.nearest else Status.NO_NEAREST)
        codes = flat.reshape(shape)
    return Projection(
        order=options.order,
        about=judged.about,
        metric=options.metric,
        margin=options.margin,
        canonical=read_only(rows.put(result.theta, given)),
        rows=rows,
        result=result,
        codes=codes,
        like=like,
    )


def _in_numpy(given: Array, metric: str) -> tuple[Array, Array | None]:
    """Read the array in NumPy; beside it the array itself, if it is of another library.

    Raises:
        ParameterError: Its numbers cannot be seen, as under a trace.
    """
    if array_namespace(given) is np:
        return given, None
    try:
        return np.asarray(given), given
    except Exception as error:
        raise ParameterError(
            f"metric {metric!r} is computed in NumPy, and theta is a {type(given).__name__} whose "
            f"numbers NumPy cannot read ({error}); inertia and covariance can be traced"
        ) from error


def _combine_codes(moved: Array, nobody: Array, floored: Array) -> Array:
    """Combine masks to the integers (...,) of Status; later ones decide over earlier ones."""
    xp = array_namespace(moved)
    if xp is np:
        codes = np.where(floored, np.int8(Status.MASS_FLOORED), np.asarray(moved, dtype=np.int8))
        return np.where(nobody, np.int8(Status.NO_NEAREST), codes)
    status = xp.zeros_like(moved, dtype=xp.int8)
    cases = (Status.PROJECTED, moved), (Status.MASS_FLOORED, floored), (Status.NO_NEAREST, nobody)
    for code, rows in cases:
        status = xp.where(rows, xp.full_like(status, int(code)), status)
    return status
