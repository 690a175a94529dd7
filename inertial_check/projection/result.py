"""The result of a projection, with the certificate that nothing is nearer.

Projections in notebooks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.inertia.arrays import (
    Array,
    EqualByValue,
    array_namespace,
    cached_array,
    count_rows,
    describe_counts,
    device_of,
    quiet,
    read_only,
    select_rows,
)
from inertial_check.inertia.consistency import Consistency, check
from inertial_check.inertia.notebook import (
    MOST_ROWS,
    color_word,
    read_consistency,
    write_box,
    write_number,
    write_table,
)
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, Point, reorder, state_form
from inertial_check.projection.certificate import Change, Conflict, Selection, SolverResult, Unit
from inertial_check.projection.metrics import Metric
from inertial_check.projection.moments import BALL, Rows
from inertial_check.projection.svec import Certificate


class Status(IntEnum):
    """Status of a row after a projection; `.word` is its name in reports.

    It is given after the returned numbers were judged, in their own precision and about their own
    point. UNCERTIFIED is an answer without a proof, one that no longer is a body once it is
    rounded, and every row whose given numbers are ill-posed: their rounding decides what is
    nearest, and a move of any size can follow from it. NEAR is an answer that is at most 1.05 times
    as far as a lower bound of the distance.
    """

    FEASIBLE = 0
    PROJECTED = 1
    MASS_FLOORED = 2
    NO_NEAREST = 3
    INFEASIBLE = 4
    UNCERTIFIED = 5
    NEAR = 6

    @property
    def word(self) -> str:
        """The status as it is printed."""
        return self.name.lower().replace("_", "-")


_WORDS = np.array([status.word for status in Status])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Projection(EqualByValue):
    """The nearest consistent parameters of each body, computed further only as asked.

    Index it as an array of bodies: result[2], result[moved]; it has a length, iterates over rows,
    equals another one with equal results (NaN equal to NaN), and copies and pickles. It has no
    hash. It owns its numbers: NumPy's arrays of it are read-only.

    Attributes:
        order: The caller's order of the last six entries.
        about: The caller's point, "origin" or "com".
        metric: Metric that was least, as `project` takes it.
        margin: Margin that was asked for; the result has it.
        canonical: (..., 10) the result in order "urdf", about `about`.
        rows: Rows that had to be moved.
        result: The solver's result for them, laid out as `rows` says.
        codes: (...,) integers of Status.
        like: The caller's own array, where the work was done on a NumPy copy of it.
    """

    order: Order
    about: Point
    metric: Metric
    margin: float
    canonical: Array
    rows: Rows
    result: SolverResult
    codes: Array
    like: Array | None = None

    def __repr__(self) -> str:
        """Show how many rows have each status, with metric and margin."""
        try:
            words = np.asarray(self.status)
        except Exception:  # a trace hides the values: the shape is all that is known
            return f"Projection(shape={self.shape}, metric={self.metric!r}, traced)"
        found = describe_counts(words) if self.shape else str(words)
        return f"Projection({found}; metric={self.metric!r}, margin={self.margin!r})"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch; () for one body."""
        return tuple(self.canonical.shape[:-1])

    def __len__(self) -> int:
        """Length of the first batch axis.

        Raises:
            TypeError: There is one body and no batch.
        """
        return count_rows(self.shape)

    def __getitem__(self, index: object) -> Projection:
        """The projection of the bodies at an index of the batch axes.

        Raises:
            IndexError: There are no such bodies.
        """
        whole, result = self.rows.mask, self.result
        mask = select_rows(whole, index, 0)
        places: Any = index
        if isinstance(whole, (np.ndarray, np.generic)):
            # NumPy results hold the moved rows alone, one after another: find where those are.
            mask = np.asarray(mask)
            numbers = np.full(np.shape(whole), -1, dtype=np.int64)
            numbers[whole] = np.arange(np.count_nonzero(whole))
            places = select_rows(numbers, index, 0)[mask]
        evidence = result.evidence
        if evidence is not None:
            evidence = Selection(evidence, self.rows.take(self.canonical, BALL), places)
        failures = tuple(  # numbered as the rows that are chosen
            failure._replace(row=int(row))
            for failure in result.failures
            for row in np.flatnonzero(np.asarray(places).reshape(-1) == failure.row)
        )
        part = SolverResult(
            theta=result.theta[places],
            changed=result.changed[places],
            vanished=result.vanished[places],
            solver=result.solver,
            iterations=None if result.iterations is None else result.iterations[places],
            evidence=evidence,
            failures=failures,
            residual=None if result.residual is None else result.residual[places],
            bound=None if result.bound is None else result.bound[places],
        )
        canonical, codes = select_rows(self.canonical, index, 1), select_rows(self.codes, index, 0)
        return replace(self, canonical=canonical, codes=codes, rows=Rows(mask), result=part)

    def __iter__(self) -> Iterator[Projection]:
        """Over the first batch axis."""
        return (self[i] for i in range(len(self)))

    def _values(self) -> tuple[object, ...]:
        return (
            *(self.order, self.about, self.metric, self.margin),
            *(self.canonical, self.codes, self.changed),
        )

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table and a drawing."""
        # Show a projection: the rows that moved most, with their margins afterwards.
        shown = read_consistency(check(self.parameters))
        change = np.asarray(self.relative_change, dtype=np.float64).reshape(-1)
        status = np.asarray(self.status).reshape(-1).tolist()
        order = np.argsort(-np.where(np.isnan(change), np.inf, change), kind="stable")
        rows = [
            (
                shown.names[i],
                color_word(status[i], "bad" if status[i] == "no-nearest" else "good"),
                f"{write_number(100 * float(change[i]))} %",
                write_number(float(shown.mass[i])),
                write_number(float(shown.margin[i])),
            )
            for i in order[:MOST_ROWS].tolist()
        ]
        columns = ("row", "status", ">change of the moments", ">mass kg", ">margin")
        subtitle = f"{describe_counts(status)}; metric {self.metric}, solver {self.solver}"
        table = write_table(columns, rows, len(status), "rows")
        return write_box("Projection", subtitle, table, shown.draw_triangle())

    @property
    def solver(self) -> str:
        """Name of the solver: "closed form", "newton", or that of the conic solver."""
        return self.result.solver

    @cached_array
    def theta(self) -> Array:
        """(..., 10) the result in the caller's order and about the caller's point; knows both."""
        theta = self._convert(reorder(self.canonical, "urdf", self.order))
        return state_form(theta, self.order, self.about)

    @cached_array
    def parameters(self) -> InertialParameters:
        """The result as InertialParameters."""
        canonical = self._convert(self.canonical)
        return InertialParameters.from_theta(canonical, order="urdf", about=self.about)

    @cached_array
    def status_code(self) -> Array:
        """(...,) integers of Status, in the caller's array library."""
        return self._convert(self.codes)

    @cached_array
    def status(self) -> str | npt.NDArray[np.str_]:
        """(...,) words, a str for one body.

        feasible, projected, near (`factor` says how near), mass-floored, no-nearest, infeasible (no
        body meets the constraints) or uncertified (the best that was found).
        """
        codes = np.asarray(self.codes)
        return str(_WORDS[codes]) if codes.ndim == 0 else _WORDS[codes]

    @cached_array
    def conflict(self) -> Conflict | npt.NDArray[np.object_] | None:
        """The irreducible set of constraints that no body meets, or None; (...,) for a batch."""
        found = np.full(np.shape(self.codes), None, dtype=object)
        flat, rows = found.reshape(-1), self.failed_rows
        for failure, row in zip(self.result.failures, rows, strict=True):
            flat[row] = failure.conflict
        conflict: Conflict | None = flat[0] if found.ndim == 0 else None
        return conflict if found.ndim == 0 else found

    @property
    def failed_rows(self) -> list[int]:
        """Index, in the flattened batch, of each row without a certified answer."""
        if not self.result.failures:
            return []
        moved = np.flatnonzero(np.asarray(self.rows.mask).reshape(-1))
        return [int(moved[failure.row]) for failure in self.result.failures]

    @cached_array
    def iterations(self) -> Array:
        """(...,) of the solver; 0 where none was needed."""
        steps, none = self.result.iterations, 0 * self.codes
        return self._convert(none if steps is None else self.rows.put(steps, none))

    @cached_array
    def changed(self) -> Array:
        """(...,) whether any number of the row differs from what was given."""
        return self._scatter(self.result.changed, self.codes < 0)

    @cached_array
    def vanished(self) -> Array:
        """(...,) whether the nearest has no inertia about its centre of mass: a point mass.

        Under inertia and covariance such a row has status no-nearest and comes back unchanged.
        """
        return self._scatter(self.result.vanished, self.codes < 0)

    @cached_array
    def distance(self) -> Array:
        """(...,) length of the change in the metric; NaN where no nearest exists.

        ||I' - I||_F for inertia, ||S' - S||_F for covariance [kg m^2]; ||P^-1/2 dPi P^-1/2||_F for
        prior; sqrt(d^T W d) for weighted, with the prior's term where there is one, and for the
        data term of entropic and affine-invariant; ||d|| for euclidean, ||dPi||_F for
        pseudo-inertia, in SI units.
        """
        return self._scatter_number(self._change.distance, self._blank)

    @cached_array
    def relative_change(self) -> Array:
        """(...,) relative Frobenius change of the principal moments about the centre of mass."""
        return self._scatter_number(self._change.relative, self._blank)

    @property
    def primal_residual(self) -> Array:
        """(...,) distance by which the result leaves the feasible set; see Certificate."""
        residual: Array = self._certificate.primal_residual
        return residual

    @property
    def dual_residual(self) -> Array:
        """(...,) part of the gradient outside the dual cone; see Certificate."""
        residual: Array = self._certificate.dual_residual
        return residual

    @property
    def gap(self) -> Array:
        """(...,) decrease that moving along the result itself would bring; see Certificate.

        Where `factor` is more than 1, the part of the distance that is above its lower bound.
        """
        residual: Array = self._certificate.gap
        return residual

    @cached_array
    def factor(self) -> Array:
        """(...,) distance over a lower bound of it that holds; 1 where the certificate proves it.

        NaN where no nearest exists.
        """
        bound, one = self.result.bound, self._blank + 1
        if bound is None:
            return self._convert(one)
        with np.errstate(all="ignore"):
            ratio = self._change.distance / bound
        return self._scatter_number(np.where(np.isnan(bound), 1.0, np.maximum(ratio, 1.0)), one)

    @cached_array
    @quiet
    def multiplier(self) -> npt.NDArray[np.float64]:
        """(..., 4, 4) multipliers Z of Pi >= 0 about the body origin; zero for rows that stay.

        Z is the gradient of half the squared distance by Pi, positive semidefinite and orthogonal
        to the answer: half the squared distance of any other body is at least that of the answer
        plus <Z, Pi' - Pi>, and <Z, Pi'> is not negative. Under inertia and covariance that holds
        for bodies with the same mass and centre of mass. With a margin or constraints, theirs
        stand beside it.
        """
        mask = np.asarray(self.rows.mask)
        found = np.zeros((*mask.shape, 4, 4))
        if self.result.evidence is not None and mask.any():
            Z = self.result.evidence.multiply()
            found[mask] = Z[mask] if Z.shape == found.shape else Z
        return found

    @property
    def primal_residual_of_move(self) -> Array:
        """(...,) distance by which the result leaves the feasible set, relative to the move."""
        residual: Array = self._certificate_of_move.primal_residual
        return residual

    @property
    def dual_residual_of_move(self) -> Array:
        """(...,) part of the gradient outside the dual cone, relative to the gradient."""
        residual: Array = self._certificate_of_move.dual_residual
        return residual

    @property
    def gap_of_move(self) -> Array:
        """(...,) complementarity, relative to the move and the gradient."""
        residual: Array = self._certificate_of_move.gap
        return residual

    @quiet
    def certify(self, relative_to: Unit = "body") -> Certificate:
        """Compute the residuals again, from the numbers given and returned alone.

        They are those of `theta` as it is returned, in the caller's point and precision; relative
        to the body, rounding to fewer digits than those of float64 counts for nothing. Under a
        trace they are those before rounding.

        Args:
            relative_to: "body", of size one; or "move", the change of it. Rounding of the ten
                numbers is a part of a move that is as small: residuals relative to the move show
                that, those relative to the body do not.

        Returns:
            Residuals, zero for the exact answer; NaN where no nearest exists. The primal residual
            of a feasible row, which nothing has touched, counts from its numerical floor, and is 0
            relative to a move.

        Raises:
            ParameterError: Another unit; or the move of numbers that a trace hides.
        """
        if not isinstance(relative_to, str) or relative_to not in get_args(Unit):
            raise ParameterError(f"relative_to is {relative_to!r}; it is 'body' or 'move'")
        evidence, xp = self.result.evidence, array_namespace(self.canonical)
        if evidence is None:
            found = Certificate(*np.zeros((3, 0)))
        else:
            found = evidence.certify(self.rows.take(self.canonical, BALL), relative_to)
        bound = self.result.bound
        if bound is not None:
            distance = np.where(self._change.distance > 0, self._change.distance, 1.0)
            apart = np.maximum(1 - bound / distance, 0.0)
            found = found._replace(gap=np.where(np.isnan(bound), found.gap, apart))
        if relative_to == "move":
            return Certificate(*(self._scatter_number(part, self._blank) for part in found))
        untouched = Consistency(self.canonical, self.about)
        shortfall = self.margin - untouched.tolerance - untouched.margin
        short = (shortfall > 0) & xp.any(untouched.principal_moments != 0, axis=-1)
        outside = xp.where(short, shortfall, xp.zeros_like(shortfall)) + self._blank
        return Certificate(
            self._scatter_number(found.primal_residual, outside),
            self._scatter_number(found.dual_residual, self._blank),
            self._scatter_number(found.gap, self._blank),
        )

    def raise_for_status(self) -> None:
        """Do nothing where every row has a nearest body; ill-posed rows pass, as they come.

        Raises:
            ProjectionError: Some rows have none, or none that is certified; names their indices,
                `instance` holds the rows.
        """
        for failure, row in zip(self.result.failures, self.failed_rows, strict=True):
            if failure.nearest:
                body = np.asarray(self.theta).reshape(-1, 10)[row]
                raise ProjectionError(failure.reason, failure.instance or body)
        bad = np.asarray(self.status_code) == int(Status.NO_NEAREST)
        if not bad.any():
            return
        rows = np.asarray(self.theta)[bad]
        if bad.ndim == 0:
            raise ProjectionError(f"the body has no nearest consistent one: {_REASON}", rows[0])
        indices = [tuple(map(int, i)) if bad.ndim > 1 else int(i[0]) for i in np.argwhere(bad)]
        shown = ", ".join(map(str, indices[:10])) + (", ..." if len(indices) > 10 else "")
        raise ProjectionError(
            f"{len(indices)} of {bad.size} bodies have no nearest consistent one: {_REASON}; "
            f"indices: {shown}",
            rows,
        )

    @cached_array
    @quiet
    def _change(self) -> Change:
        evidence = self.result.evidence
        return Change(*np.zeros((2, 0))) if evidence is None else evidence.measure()

    @cached_array
    def _certificate(self) -> Certificate:
        return self.certify()

    @cached_array
    def _certificate_of_move(self) -> Certificate:
        return self.certify("move")

    @cached_array
    def _blank(self) -> Array:
        """(...,) zeros, with NaN where no nearest exists."""
        xp = array_namespace(self.canonical)
        zeros = xp.zeros_like(self.canonical[..., 0])
        none = (self.codes == int(Status.NO_NEAREST)) | (self.codes == int(Status.INFEASIBLE))
        return xp.where(none, xp.full_like(zeros, xp.nan), zeros)

    def _scatter(self, values: Array, into: Array) -> Array:
        """Spread one value for each moved row over the rows of the batch."""
        return self._convert(self.rows.put(values, into))

    def _scatter_number(self, values: Array, into: Array) -> Array:
        """Spread numbers of the moved rows, with NaN where no nearest exists."""
        return self._convert(self.rows.put(values, into) + self._blank)

    def _convert(self, values: Array) -> Array:
        """Return values of the batch in the caller's array library, one body's as a scalar."""
        if self.like is None:
            return read_only(values)[()] if isinstance(values, np.ndarray) else values
        xp = array_namespace(self.like)
        dtype = self.like.dtype if np.issubdtype(values.dtype, np.floating) else None
        return xp.asarray(np.array(values), dtype=dtype, device=device_of(self.like))


_REASON = (
    "every number must be finite, of a size with which float64 can compute, and, under inertia and "
    "covariance, the mass positive and the nearest inertia not zero (a point mass); its own "
    "weights positive definite, or semidefinite beside a prior, and its own prior positive definite"
)
