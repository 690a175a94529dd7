"""What a projection found, and the proof that nothing is nearer, computed from the problem."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from inertial_check.errors import ProjectionError
from inertial_check.inertia._arrays import quiet
from inertial_check.inertia._namespace import Array, array_namespace
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import reorder, second_moment
from inertial_check.projection._rows import Rows
from inertial_check.projection.metrics import (
    INERTIA,
    METRICS,
    MomentMetric,
    inner,
    trace,
)


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


class Certificate(NamedTuple):
    """The optimality conditions of a projection, in the problem divided by the size of S_c.

    A convex problem has no other minimum: where all three are small, nothing nearer is feasible.

    Attributes:
        primal_residual: (...,) by how much the result leaves the cone of the margin.
        dual_residual: (...,) by how much the gradient leaves the dual cone, as it would if a
            feasible direction came closer.
        gap: (...,) |<gradient, S'>|: what moving along the result itself would gain.
    """

    primal_residual: Array
    dual_residual: Array
    gap: Array


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Projection:
    """The nearest consistent parameters of each body, computed further only as asked.

    Attributes:
        order: The caller's order of the last six entries.
        about: The caller's point, "origin" or "com".
        metric: What was least: "inertia" or "covariance".
        margin: What was asked for; the result has it, unless its inertia is zero.
        solver: "closed form", or the name of the conic solver.
        iterations: (...,) of the solver; 0 where none was needed.
        status_code: (...,) integers of Status, in the caller's array library.
        canonical: (..., 10) the result in order "urdf", about `about`.
        rows: Which rows were projected.
        before: Their inertias about the centre of mass as given [kg m^2], laid out as `rows` says.
        after: And as found, before they were moved back to `about`.
    """

    order: str
    about: str
    metric: str
    margin: float
    solver: str
    iterations: Array
    status_code: Array
    canonical: Array
    rows: Rows
    before: Array
    after: Array

    def __repr__(self) -> str:
        """Counts of the statuses, and what was asked."""
        words, counts = np.unique(np.asarray(self.status), return_counts=True)
        found = ", ".join(f"{count} {word}" for word, count in zip(words, counts, strict=True))
        return f"Projection({found}; metric={self.metric!r}, margin={self.margin!r})"

    @cached_property
    def theta(self) -> Array:
        """(..., 10) the result in the caller's order and about the caller's point."""
        return reorder(self.canonical, "urdf", self.order)

    @cached_property
    def parameters(self) -> InertialParameters:
        """The result as InertialParameters."""
        return InertialParameters.from_theta(self.canonical, order="urdf", about=self.about)

    @cached_property
    def status(self) -> Any:
        """(...,) words: feasible, projected or no-nearest; a str for a single body."""
        codes = np.asarray(self.status_code)
        return str(_WORDS[codes]) if codes.ndim == 0 else _WORDS[codes]

    @cached_property
    def changed(self) -> Array:
        """(...,) whether any number of the row differs from what was given."""
        xp = self._namespace
        return self._scatter(xp.any(self.after != self.before, axis=-1), self.status_code < 0)

    @cached_property
    def vanished(self) -> Array:
        """(...,) whether the nearest is the zero tensor, the apex of the cone: a point mass."""
        xp = self._namespace
        return self._scatter(xp.all(self.after == 0, axis=-1), self.status_code < 0)

    @cached_property
    def distance(self) -> Array:
        """(...,) length of the change in the metric [kg m^2]; NaN where no nearest exists.

        ||I' - I||_F for inertia, ||S' - S||_F for covariance.
        """
        return self._scatter(self._measure.distance(self.before, self.after), self._blank)

    @cached_property
    def relative_change(self) -> Array:
        """(...,) relative Frobenius change of the principal moments about the centre of mass.

        The metrics keep the principal axes, so this is ||I' - I||_F / ||I||_F.
        """
        xp = self._namespace
        size = INERTIA.distance(xp.zeros_like(self.before), self.before)
        size = xp.where(size > 0, size, xp.ones_like(size))
        return self._scatter(INERTIA.distance(self.before, self.after) / size, self._blank)

    @property
    def primal_residual(self) -> Array:
        """(...,) by how much the result leaves the cone; see Certificate."""
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
        """Compute the residuals anew, from the given and the resulting inertias alone.

        Returns:
            Numbers that are zero for the exact answer, about the centre of mass, before the result
            was rounded to the caller's point; NaN where no nearest exists. The primal residual of a
            feasible row, which nothing has touched, counts from its numerical floor.
        """
        xp = self._namespace
        found = certificate(self.before, self.after, self._measure, self.margin)
        untouched = Consistency(self.canonical, self.about)
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

    @property
    def _namespace(self) -> Any:
        return array_namespace(self.canonical)

    @property
    def _measure(self) -> MomentMetric:
        return METRICS[self.metric]

    @cached_property
    def _blank(self) -> Array:
        """(...,) zeros, with NaN where no nearest exists."""
        xp = self._namespace
        zeros = xp.zeros_like(self.canonical[..., 0])
        none = self.status_code == int(Status.NO_NEAREST)
        return xp.where(none, xp.full_like(zeros, xp.nan), zeros)

    def _scatter(self, values: Array, into: Array) -> Array:
        """One value for each row of the batch, from those of the projected rows."""
        result = self.rows.put(values, into)
        return result[()] if isinstance(result, np.ndarray) else result


_REASON = "the mass must be positive and every number finite"


def certificate(before: Array, after: Array, metric: MomentMetric, margin: float) -> Certificate:
    """The optimality conditions of a projection at fixed mass and centre of mass.

    With S' in the cone C = {S : lmin(S) >= mu tr(S), tr(S) >= 0}, the gradient G of the squared
    distance must lie in its dual cone {G : mu tr(G) + (1 - 3 mu) lmin(G) >= 0}, and <G, S'> = 0.
    That is Z >= 0 and <Z, Q(S')> = 0 for G = Q(Z), Q(S) = S - mu tr(S) 1, without the inverse of Q,
    which does not exist at mu = 1/3.

    Args:
        before: (..., 6) I_BBcm given.
        after: (..., 6) I_BBcm found.
        metric: What was to be least.
        margin: mu.

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
    steepest = margin * trace(gradient) + (1 - 3 * margin) * eigenvalues(gradient)[..., 0]
    return Certificate(primal, xp.maximum(-steepest, zero), xp.abs(inner(gradient, found)))
