"""The result of a solver for the rows that had to move, whatever the metric.

Rows of a solver's result, so that a Projection can be indexed like the batch that it holds.

Constraints that exclude each other, as a projection reports them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from inertial_check.inertia.arrays import (
    Array,
    Floats,
    Mask,
    array_namespace,
    quiet,
    select_rows,
)
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.frames import translate
from inertial_check.inertia.representations import (
    Point,
    Units,
    leaves_range,
    scale_by_powers,
    second_moment,
)
from inertial_check.projection.certificate import Unit, find_change, verify_moments
from inertial_check.projection.moments import (
    INERTIA,
    MomentMetric,
    Rows,
    central_inertia,
    inner,
    trace,
    with_central_inertia,
)
from inertial_check.projection.quadratic import Quadratic, Solution, measure_change
from inertial_check.projection.svec import Certificate, unpack

if TYPE_CHECKING:
    from inertial_check.projection.constraint import Constraint


@dataclass(frozen=True)
class Conflict:
    """Irreducible set of constraints that no body meets: without any one of them, some body does.

    It iterates over its constraints, has their number as its length, and prints as a sentence.

    Attributes:
        constraints: The constraints.
        bodies: Rows of the batch that they hold for.
        message: The sentence that names them.
    """

    constraints: tuple[Constraint, ...]
    bodies: tuple[int, ...]
    message: str

    def __len__(self) -> int:
        """Count the constraints."""
        return len(self.constraints)

    def __iter__(self) -> Iterator[Constraint]:
        """Iterate over the constraints."""
        return iter(self.constraints)

    def __getitem__(self, index: int) -> Constraint:
        """Return one of the constraints."""
        return self.constraints[index]

    def __contains__(self, constraint: object) -> bool:
        """Tell whether a constraint is one of them."""
        return any(one is constraint or one == constraint for one in self.constraints)

    def __str__(self) -> str:
        """Write the sentence."""
        return self.message


T = TypeVar("T")


class Change(NamedTuple):
    """Sizes of the changes of some bodies.

    Attributes:
        distance: (n,) length of the change in the metric.
        relative: (n,) relative Frobenius change of the principal moments about the centre of mass.
    """

    distance: Array
    relative: Array


class RowFailure(NamedTuple):
    """Reason why a row has no certified answer.

    Attributes:
        row: Index among the rows of the result.
        conflict: The constraints that exclude each other; None where the answer is uncertified, or,
            with `nearest` false, where the data has no nearest.
        reason: The reason, as a sentence.
        nearest: Whether there is a nearest.
        instance: Problem that was to be solved, so that it can be solved again; None for the body.
    """

    row: int
    conflict: Conflict | None
    reason: str
    nearest: bool = True
    instance: object = None


@dataclass(frozen=True, eq=False, kw_only=True)
class SolverResult:
    """The rows that had to move, after a solver moved them.

    Change and certificate are functions, because large batches are often projected without either:
    together they take as long as the closed form itself.

    Attributes:
        theta: (n, 10) after, in order "urdf", about the caller's point.
        changed: (n,) whether any number differs from what was given.
        vanished: (n,) whether the nearest has no inertia: it is a point mass.
        floored: (n,) whether a row ends at the least mass; None for metrics that keep the mass.
        solver: Name of the solver.
        iterations: (n,) of the solver; None where it needs none.
        measure: Computes how far the rows moved.
        certify: Computes the residuals from the problem's data alone, before rounding.
        problem: The quadratic problem with its floors; None for a metric of moments.
        failures: Rows without a certified answer, with the reason.
        multiply: Computes the multipliers (n, 4, 4) of Pi >= 0 about the body origin; None where no
            row moved.
        verify: Computes the residuals of rows (n, 10) as they are returned, relative to the body or
            the move; None where the answer cannot be seen, as under a trace.
    """

    theta: Array
    changed: Array
    vanished: Array
    floored: Array | None
    solver: str
    iterations: Array | None
    measure: Callable[[], Change]
    certify: Callable[[], Certificate]
    problem: Quadratic | None = None
    failures: tuple[RowFailure, ...] = ()
    multiply: Callable[[], Floats] | None = None
    verify: Callable[[Array, Unit], Certificate] | None = None


def result_of_moments(  # noqa: PLR0913, PLR0917 - the data of the problem, and its answer
    given: Array,
    about: Point,
    before: Array,
    after: Array,
    metric: MomentMetric,
    margin: float,
    solver: str,
    iterations: Array | None,
) -> SolverResult:
    """Make the result of a metric under which mass and centre of mass stay.

    Args:
        given: (n, 10) before, in order "urdf", about `about`.
        about: "origin" or "com".
        before: (n, 6) I_BBcm as given [kg m^2].
        after: (n, 6) as found, before it was moved back to `about`.
        metric: Metric that was least.
        margin: Margin mu that was asked for.
        solver: Name of the solver.
        iterations: (n,) of the solver.
    """
    theta = with_central_inertia(given, about, after)
    # Make the same result where the moved theta (n, 10) is at hand.
    xp = array_namespace(after)
    return SolverResult(
        theta=theta,
        changed=xp.any(after != before, axis=-1),
        vanished=xp.all(after == 0, axis=-1),
        floored=None,
        solver=solver,
        iterations=iterations,
        measure=partial(_measure_moments, before, after, metric),
        certify=partial(certify_moments, before, after, metric, margin),
        multiply=partial(_multiply_moments, given, before, after, metric),
        verify=partial(verify_moments, given, about, metric, margin),
    )


def return_to_units(
    result: SolverResult, given: Array, about: Point, units: Units
) -> tuple[SolverResult, Array]:
    """Return a result of `change_units` to the caller's units.

    Args:
        result: The result of a metric of moments, in those units.
        given: (n, 10) before, in the caller's units.
        about: Point about which theta is given.
        units: The units of the result.

    Returns:
        The result, and (n,) which rows of it the floating-point type cannot hold: these are as
        given.
    """
    xp = array_namespace(result.theta)
    with np.errstate(all="ignore"):
        six = scale_by_powers(result.theta[..., 4:], units.inertia[..., None])
        theta = xp.concat([given[..., :4], six], axis=-1)
        far = leaves_range(given, about)
        broken = Consistency(theta, about).verdict_code == int(Verdict.INCONSISTENT)
        held = xp.all(xp.isfinite(theta), axis=-1) & ~broken
        size = xp.max(xp.abs(six), axis=-1)
        lost = far & ~(held & ((size > 0) | result.vanished))

    def measure() -> Change:
        change = result.measure()
        with np.errstate(all="ignore"):
            distance = scale_by_powers(change.distance, units.inertia)
        return Change(distance, change.relative)

    def verify(found: Array, unit: Unit) -> Certificate:
        assert result.verify is not None  # results of moments have it
        scale = np.asarray(units.inertia).reshape(-1, 1)
        six = scale_by_powers(np.asarray(found, dtype=np.float64)[:, 4:], -scale)
        return result.verify(np.concatenate([found[:, :4], six], axis=1), unit)

    returned = replace(
        result,
        theta=xp.where(lost[..., None], given, theta),
        changed=result.changed & ~lost,
        vanished=result.vanished & ~lost,
        measure=measure,
        verify=verify,
    )
    return returned, lost


def leave_points(result: SolverResult, given: Array) -> SolverResult:
    """Return the rows whose nearest inertia is the zero tensor as they were given.

    Their nearest is the apex of the cone, a point mass. About any other point its rounded numbers
    are those of no body, so it is reported (`vanished`) and not written.

    Args:
        result: The result of a metric of moments.
        given: (n, 10) before, in order "urdf".
    """
    xp, points = array_namespace(result.theta), result.vanished
    return replace(
        result,
        theta=xp.where(points[..., None], given, result.theta),
        changed=result.changed & ~points,
    )


def _measure_moments(before: Array, after: Array, metric: MomentMetric) -> Change:
    xp = array_namespace(after)
    size = INERTIA.distance(xp.zeros_like(before), before)
    size = xp.where(size > 0, size, xp.ones_like(size))
    # These metrics keep the principal axes, so the change of the tensor is that of its moments.
    return Change(metric.distance(before, after), INERTIA.distance(before, after) / size)


def result_of_matrices(  # noqa: PLR0913, PLR0917 - the data of the problem, and its answer
    about: Point,
    p_BoFo_B: Floats,
    problem: Quadratic,
    solution: Solution,
    floored: Mask,
    solver: str,
    certify: Callable[[Floats, Unit], Certificate],
    failures: tuple[RowFailure, ...] = (),
    given: Floats | None = None,
) -> SolverResult:
    """Make the result of a metric of the whole pseudo-inertia.

    Args:
        about: Point of theta in the result, "origin" or "com".
        p_BoFo_B: (n, 3) origin of the frame F of the problem, which has the body's axes [m].
        problem: The problem that was solved, in F.
        solution: Its answer.
        floored: (n,) rows that end at the least mass.
        solver: Name of the solver.
        certify: Computes the residuals of changes (n, 10) in F, relative to the body or the move.
        failures: Rows without a certified answer.
        given: (n, 10) before, about `about`; None for those of the problem.
    """
    found = theta = solution.theta
    if about == "com":
        theta = np.concatenate([found[:, :4], central_inertia(found, "origin")], axis=1)
    if p_BoFo_B.any():
        theta = np.asarray(translate(theta, p_BoFo_B, about))
    return SolverResult(
        theta=theta,
        changed=np.asarray(np.any(found != problem.theta0, axis=1)),
        vanished=np.asarray(np.all(central_inertia(found, "origin") == 0, axis=1)),
        floored=floored,
        solver=solver,
        iterations=solution.iterations,
        measure=partial(measure_matrices, problem, found),
        certify=partial(certify, found - problem.theta0, "body"),
        problem=problem,
        failures=failures,
        multiply=partial(multiply_matrices, solution.dual, p_BoFo_B),
        verify=partial(
            verify_returned,
            certify,
            problem.theta0 if given is None or about == "origin" else given,
            about,
            p_BoFo_B,
        ),
    )


def verify_returned(
    certify: Callable[[Floats, Unit], Certificate],
    given: Floats,
    about: Point,
    p_BoFo_B: Floats,
    found: Array,
    unit: Unit,
) -> Certificate:
    """Compute the residuals of bodies (n, 10) as they are returned."""
    return certify(find_change(given, found, about, p_BoFo_B), unit)


def _multiply_moments(given: Array, before: Array, after: Array, metric: MomentMetric) -> Floats:
    """Compute the gradient of half the squared distance, as a matrix that multiplies Pi."""
    theta, change = np.asarray(given), np.asarray(second_moment(after - before))
    six = np.asarray(metric.gradient(change))
    central = np.zeros((*six.shape[:-1], 4, 4))
    central[..., :3, :3] = six[..., [[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
    mass = np.where(theta[..., :1] != 0, theta[..., :1], 1.0)
    return _see_from_origin(central, theta[..., 1:4] / mass)


def multiply_matrices(dual: Floats, p_BoFo_B: Floats) -> Floats:
    """Convert multipliers (n, 10) as svec about Fo to matrices about Bo."""
    return _see_from_origin(unpack(dual), p_BoFo_B)


def _see_from_origin(Z: Floats, p_BoFo_B: Floats) -> Floats:
    """Convert matrices (..., 4, 4) that multiply Pi about Fo: <Z, X Pi X^T> = <X^T Z X, Pi>."""
    X = np.zeros_like(Z) + np.eye(4)
    X[..., :3, 3] = -p_BoFo_B
    return np.asarray(np.swapaxes(X, -1, -2) @ Z @ X)


@quiet
def measure_matrices(problem: Quadratic, found: Floats) -> Change:
    """Measure how far bodies moved under a metric of the whole pseudo-inertia."""
    before, after = (eigenvalues(central_inertia(t, "origin")) for t in (problem.theta0, found))
    change, size = (np.linalg.norm(v, axis=1) for v in (after - before, before))
    relative = np.where(change > 0, change / size, 0.0)  # infinite where there was no inertia
    return Change(measure_change(problem, found), relative)


@cache
def empty_result(solver: str, *, floored: bool = False, iterations: bool = False) -> SolverResult:
    """Make the result of a batch in which no row has to move.

    Args:
        solver: Name of the solver that was not asked.
        floored: Whether the metric can end at a least mass.
        iterations: Whether the solver counts any.
    """
    none = np.zeros(0, dtype=np.bool_)
    return SolverResult(
        theta=np.zeros((0, 10)),
        changed=none,
        vanished=none,
        floored=none if floored else None,
        solver=solver,
        iterations=np.zeros(0, dtype=np.int32) if iterations else None,
        measure=partial(Change, *np.zeros((2, 0))),
        certify=partial(Certificate, *np.zeros((3, 0))),
    )


def join_results(parts: Sequence[SolverResult]) -> SolverResult:
    """Join the results of the parts of a batch, whose matrices are never in memory together."""
    if len(parts) == 1:
        return parts[0]

    def join(name: str) -> Array:
        return np.concatenate([getattr(part, name) for part in parts])

    failures, first = [], 0
    for part in parts:  # whose rows follow each other
        failures += [failure._replace(row=failure.row + first) for failure in part.failures]
        first += len(part.theta)
    return SolverResult(
        theta=join("theta"),
        changed=join("changed"),
        vanished=join("vanished"),
        floored=join("floored"),
        solver=parts[0].solver,
        iterations=join("iterations"),
        measure=partial(_join_arrays, Change, [part.measure for part in parts]),
        certify=partial(_join_arrays, Certificate, [part.certify for part in parts]),
        failures=tuple(failures),
        verify=partial(_verify_parts, [(len(part.theta), part.verify) for part in parts]),
        multiply=partial(_concatenate, [part.multiply for part in parts if part.multiply]),
    )


def _verify_parts(
    parts: Sequence[tuple[int, Callable[[Array, Unit], Certificate] | None]],
    found: Array,
    unit: Unit,
) -> Certificate:
    """Compute the residuals of bodies (n, 10) whose problems were solved in parts."""
    first, certificates = 0, []
    for count, verify in parts:
        assert verify is not None  # results of matrices have it
        certificates.append(verify(found[first : first + count], unit))
        first += count
    return Certificate(*map(np.concatenate, zip(*certificates, strict=True)))


def _concatenate(functions: Sequence[Callable[[], Floats]]) -> Floats:
    """Compute the arrays of the parts of a batch; a function of the module, so that it pickles."""
    return np.concatenate([function() for function in functions])


def _join_arrays(kind: type[T], functions: Sequence[Callable[[], Iterable[Array]]]) -> T:
    values = zip(*(function() for function in functions), strict=True)
    return kind(*map(np.concatenate, values))


def certify_moments(
    before: Array, after: Array, metric: MomentMetric, margin: float
) -> Certificate:
    """Compute by how much a projection at fixed mass and centre of mass fails to be the nearest.

    With S' in the cone C = {S : lmin(S) >= mu tr(S), tr(S) >= 0}, the gradient G of the squared
    distance must lie in its dual cone {G : mu tr(G) + (1 - 3 mu) lmin(G) >= 0}, and <G, S'> = 0.
    That is Z >= 0 and <Z, Q(S')> = 0 for G = Q(Z), Q(S) = S - mu tr(S) 1, without the inverse of Q,
    which does not exist at mu = 1/3.

    Args:
        before: (..., 6) I_BBcm given.
        after: (..., 6) I_BBcm found.
        metric: Metric that was to be least.
        margin: Margin mu that was asked for.

    Returns:
        Non-negative, dimensionless; of the order of the rounding unit for the closed form.
    """
    xp = array_namespace(before, after)
    given, found = second_moment(before), second_moment(after)
    size = xp.sum(xp.abs(eigenvalues(given)), axis=-1)
    size = xp.where(size > 0, size, xp.ones_like(size))[..., None]
    given, found = given / size, found / size
    gradient = metric.gradient(found - given)
    zero = xp.zeros_like(size[..., 0])
    lowest = eigenvalues(found)[..., 0]
    primal = xp.maximum(margin * xp.maximum(trace(found), zero) - lowest, zero)
    # The least value of <G, S> over the extreme rays of C: negative where G leaves the dual cone.
    steepest = margin * trace(gradient) + (1 - 3 * margin) * eigenvalues(gradient)[..., 0]
    return Certificate(primal, xp.maximum(-steepest, zero), xp.abs(inner(gradient, found)))


def select_result(rows: Rows, result: SolverResult, index: object) -> tuple[Rows, SolverResult]:
    """The part of a solver's result that belongs to some rows of the batch.

    Args:
        rows: Which rows of the whole batch had to move.
        result: The result for them.
        index: Index of the batch axes.

    Returns:
        The same for the rows at the index. Measures and certificates are still computed from the
        whole problem, when they are asked for.
    """
    mask = select_rows(rows.mask, index, 0)
    places: Any = index
    if isinstance(rows.mask, (np.ndarray, np.generic)):
        # NumPy results hold the moved rows alone, one after another: find where those are.
        mask = np.asarray(mask)
        numbers = np.full(np.shape(rows.mask), -1, dtype=np.int64)
        numbers[rows.mask] = np.arange(np.count_nonzero(rows.mask))
        places = select_rows(numbers, index, 0)[mask]
    chosen: dict[str, Any] = {"problem": None, "failures": ()}  # the problem is that of all rows
    for name in (each.name for each in fields(result) if each.name not in chosen):
        value = getattr(result, name)
        if callable(value):
            chosen[name] = partial(_select_values, value, places)
        elif hasattr(value, "shape") and value.shape:
            chosen[name] = value[places]
    if result.failures:  # numbered as the rows that are chosen
        chosen_rows = np.asarray(places).reshape(-1)
        chosen["failures"] = tuple(
            failure._replace(row=int(row))
            for failure in result.failures
            for row in np.flatnonzero(chosen_rows == failure.row)
        )
    return Rows(mask), replace(result, **chosen)


def _select_values(
    function: Callable[..., Array | tuple[Array, ...]], places: object, *arguments: object
) -> Array | tuple[Array, ...]:
    """Compute what a function gives for all rows, and take that of some."""
    values = function(*arguments)
    if not isinstance(values, tuple):
        return values[places]
    chosen = [value[places] if getattr(value, "shape", ()) else value for value in values]
    return type(values)(*chosen)
