"""What a projection found, and the proof that nothing is nearer, computed from the problem."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from inertial_check.arrays.broadcasting import device_of, quiet
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array
from inertial_check.errors import ProjectionError
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, Point, reorder
from inertial_check.projection._rows import Rows
from inertial_check.projection.outcome import Certificate, Outcome


class Status(IntEnum):
    """What became of a row; `.word` is its name in reports."""

    FEASIBLE = 0
    PROJECTED = 1
    MASS_FLOORED = 2
    NO_NEAREST = 3

    @property
    def word(self) -> str:
        """The status as it is printed."""
        return self.name.lower().replace("_", "-")


_WORDS = np.array([status.word for status in Status])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Projection:
    """The nearest consistent parameters of each body, computed further only as asked.

    Attributes:
        order: The caller's order of the last six entries.
        about: The caller's point, "origin" or "com".
        metric: What was least, as `project` takes it.
        margin: What was asked for; the result has it, unless its inertia is zero.
        solver: "closed form", "newton", or the name of the conic solver.
        canonical: (..., 10) the result in order "urdf", about `about`.
        rows: Which rows were moved.
        outcome: What became of them, laid out as `rows` says.
        codes: (...,) integers of Status.
        steps: Iterations of the solver for those rows; None where it needs none.
        like: The caller's own array, where the work was done on a NumPy copy of it.
    """

    order: Order
    about: Point
    metric: str
    margin: float
    solver: str
    canonical: Array
    rows: Rows
    outcome: Outcome
    codes: Array
    steps: Array | None
    like: Array | None = None

    def __repr__(self) -> str:
        """Counts of the statuses, and what was asked."""
        words, counts = np.unique(np.asarray(self.status), return_counts=True)
        found = ", ".join(f"{count} {word}" for word, count in zip(words, counts, strict=True))
        return f"Projection({found}; metric={self.metric!r}, margin={self.margin!r})"

    @cached_property
    def theta(self) -> Array:
        """(..., 10) the result in the caller's order and about the caller's point."""
        return self._returned(reorder(self.canonical, "urdf", self.order))

    @cached_property
    def parameters(self) -> InertialParameters:
        """The result as InertialParameters."""
        canonical = self._returned(self.canonical)
        return InertialParameters.from_theta(canonical, order="urdf", about=self.about)

    @cached_property
    def status_code(self) -> Array:
        """(...,) integers of Status, in the caller's array library."""
        return self._returned(self.codes)

    @cached_property
    def status(self) -> Any:
        """(...,) words: feasible, projected, mass-floored or no-nearest; a str for one body."""
        codes = np.asarray(self.codes)
        return str(_WORDS[codes]) if codes.ndim == 0 else _WORDS[codes]

    @cached_property
    def iterations(self) -> Array:
        """(...,) of the solver; 0 where none was needed."""
        none = 0 * self.codes
        return self._returned(none if self.steps is None else self.rows.put(self.steps, none))

    @cached_property
    def changed(self) -> Array:
        """(...,) whether any number of the row differs from what was given."""
        return self._scatter(self.outcome.changed, self.codes < 0)

    @cached_property
    def vanished(self) -> Array:
        """(...,) whether the nearest has no inertia about its centre of mass: a point mass."""
        return self._scatter(self.outcome.vanished, self.codes < 0)

    @cached_property
    def distance(self) -> Array:
        """(...,) length of the change in the metric; NaN where no nearest exists.

        ||I' - I||_F for inertia, ||S' - S||_F for covariance [kg m^2]; ||P^-1/2 dPi P^-1/2||_F for
        prior; sqrt(d^T W d) for weighted, with the prior's term where there is one, and for the
        data term of entropic and affine-invariant; ||d|| for euclidean, ||dPi||_F for
        pseudo-inertia, in SI units.
        """
        return self._scatter(self.outcome.distance, self._blank)

    @cached_property
    def relative_change(self) -> Array:
        """(...,) relative Frobenius change of the principal moments about the centre of mass."""
        return self._scatter(self.outcome.relative_change, self._blank)

    @property
    def primal_residual(self) -> Array:
        """(...,) by how much the result leaves the feasible set; see Certificate."""
        return self._certificate.primal_residual

    @property
    def dual_residual(self) -> Array:
        """(...,) by how much the gradient leaves the dual cone; see Certificate."""
        return self._certificate.dual_residual

    @property
    def gap(self) -> Array:
        """(...,) what moving along the result itself would gain; see Certificate."""
        return self._certificate.gap

    @quiet
    def certify(self) -> Certificate:
        """Compute the residuals anew, from what was given and what was found alone.

        Returns:
            Numbers that are zero for the exact answer, before it was rounded to the caller's point
            and precision; NaN where no nearest exists. The primal residual of a feasible row, which
            nothing has touched, counts from its numerical floor.
        """
        found = self.outcome.certify()
        untouched = Consistency(self.canonical, self.about)
        xp = array_namespace(self.canonical)
        shortfall = self.margin - untouched.tolerance - untouched.margin
        short = (shortfall > 0) & xp.any(untouched.principal_moments != 0, axis=-1)
        outside = xp.where(short, shortfall, xp.zeros_like(shortfall)) + self._blank
        return Certificate(
            self._scatter(found.primal_residual, outside),
            self._scatter(found.dual_residual, self._blank),
            self._scatter(found.gap, self._blank),
        )

    def raise_for_status(self) -> None:
        """Do nothing where every row has a nearest body.

        Raises:
            ProjectionError: Some rows have none; names their indices, `instance` holds the rows.
        """
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

    @cached_property
    def _certificate(self) -> Certificate:
        return self.certify()

    @cached_property
    def _blank(self) -> Array:
        """(...,) zeros, with NaN where no nearest exists."""
        xp = array_namespace(self.canonical)
        zeros = xp.zeros_like(self.canonical[..., 0])
        none = self.codes == int(Status.NO_NEAREST)
        return xp.where(none, xp.full_like(zeros, xp.nan), zeros)

    def _scatter(self, values: Array, into: Array) -> Array:
        """One value for each row of the batch, from those of the moved rows."""
        return self._returned(self.rows.put(values, into))

    def _returned(self, values: Array) -> Array:
        """Values of the batch as the caller has them: in his array library, a scalar for one."""
        if self.like is None:
            return values[()] if isinstance(values, np.ndarray) else values
        xp = array_namespace(self.like)
        dtype = self.like.dtype if np.issubdtype(values.dtype, np.floating) else None
        return xp.asarray(values, dtype=dtype, device=device_of(self.like))


_REASON = "every number must be finite and, under inertia and covariance, the mass positive"
