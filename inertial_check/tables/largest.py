"""The rows of a table that moved most, in memory that does not grow with the table."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.tables.project import ProjectedBlock

MOST = 30
"""Number of rows that are kept: as many as a plot shows."""


class LargestChanges:
    """The rows that moved most, before and after.

    Attributes:
        names: Names of the rows, the largest change first.
        before: (k, 10) parameters before, in the order "urdf" about the centre of mass.
        after: (k, 10) parameters after.
        moved: Number of rows of the table that moved.
        rows: Number of rows of the table.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.before: Floats = np.empty((0, 10))
        self.after: Floats = np.empty((0, 10))
        self.moved = self.rows = 0
        self._changes: Floats = np.empty(0)

    def add(self, done: ProjectedBlock) -> None:
        """Take the rows of a block that moved, if they are among the largest changes."""
        moved = np.flatnonzero(done.moved)
        self.rows += len(done.given)
        self.moved += moved.size
        changes = np.asarray(done.projection.relative_change)[moved]
        # A row without moments before has changed by more than any other.
        changes = np.where(np.isfinite(changes), changes, np.inf)
        chosen = np.argsort(-changes, kind="stable")[:MOST]
        rows = moved[chosen]
        projection = done.projection
        given = InertialParameters.from_theta(done.given[rows], projection.order, projection.about)
        changes = np.concatenate([self._changes, changes[chosen]])
        names = [*self.names, *(_name(done, row) for row in rows.tolist())]
        before = np.concatenate([self.before, _as_about_com(given)])
        after = np.concatenate([self.after, _as_about_com(projection.parameters[rows])])
        kept = np.argsort(-changes, kind="stable")[:MOST]
        self._changes, self.before, self.after = changes[kept], before[kept], after[kept]
        self.names = [names[place] for place in kept.tolist()]


def _name(done: ProjectedBlock, row: int) -> str:
    label = done.block.labels[row]
    return f"row {done.block.first + row + 1}" + ("" if label is None else f" [{label}]")


def _as_about_com(bodies: InertialParameters) -> Floats:
    with np.errstate(all="ignore"):
        return np.asarray(bodies.as_theta(about="com"), dtype=np.float64)
