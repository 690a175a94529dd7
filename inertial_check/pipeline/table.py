"""Table in, table out: every row moved to the nearest parameters that a body has."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy as np

from inertial_check.errors import DocumentError, InertialCheckError, UsageError
from inertial_check.formats import table as tables
from inertial_check.formats.table import Table
from inertial_check.projection.project import project
from inertial_check.projection.result import Projection, Status

ABOUTS = ("origin", "com")
"""The points about which a table can state its inertias."""

_LATER = (".npz", ".npy", ".yaml", ".yml")


@dataclass(frozen=True)
class ProjectedTable:
    """A table and its projection, not yet written.

    Attributes:
        table: As read.
        projection: Of its rows.
        data: The new file, read again already.
        left: Indices of the rows that stay as they were because no body is nearest to them.
    """

    table: Table
    projection: Projection
    data: bytes = field(repr=False)
    left: tuple[int, ...]

    @property
    def moved(self) -> tuple[int, ...]:
        """Indices of the rows that changed."""
        changed = np.array(self.projection.changed)
        changed[list(self.left)] = False
        return tuple(np.flatnonzero(changed).tolist())

    def said(self, row: int) -> str:
        """What became of a row: its status, and why or by how much."""
        if self.projection.status_code[row] == int(Status.NO_NEAREST):
            return "no-nearest: its mass is not positive or a number not finite; left as it was"
        if self.projection.vanished[row]:
            return "no-nearest: the nearest inertia is zero; left as it was"
        change = 100 * float(self.projection.relative_change[row])
        return f"{self.projection.status[row]}: its moments change by {change:.3g} %"


def project_table(
    path_or_bytes: str | os.PathLike[str] | bytes,
    *,
    about: str | None,
    order: str | None = None,
    metric: str = "inertia",
    margin: float = 0.0,
    output_format: str | None = None,
) -> ProjectedTable:
    """Project every row of a table.

    Args:
        path_or_bytes: A csv or json file, or what is in it.
        about: Point about which the six are taken, "origin" or "com"; no table tells it.
        order: Order of ten numbers that carry no names.
        metric: "inertia" or "covariance".
        margin: Least margin of the results, 0 to 1/3.
        output_format: "csv" or "json"; None for the table's own, in which only numbers change.

    Raises:
        DocumentError: The table cannot be read; names line and column.
        UsageError: The point or the order is not declared.
        ParameterError: An unknown metric, or a margin that is none.
    """
    if about not in ABOUTS:
        given = "is not declared" if about is None else f"is {about!r}"
        raise UsageError(
            f"the point about which the inertias are taken {given}: "
            f"choose --about {' or --about '.join(ABOUTS)}"
        )
    table = _read(path_or_bytes, order)
    with np.errstate(all="ignore"):
        result = project(table.theta, metric=metric, order=table.order, about=about, margin=margin)
    left = (result.status_code == int(Status.NO_NEAREST)) | result.vanished
    theta = np.where(left[:, None], table.theta, result.theta)
    same_format = output_format in (None, table.format)
    data = table.edited(theta) if same_format else table.rewritten(theta, str(output_format))
    again = tables.read(data, table.path, table.order)
    if not np.array_equal(again.theta, theta, equal_nan=True):
        raise InertialCheckError(f"{table.path}: what would be written does not read back the same")
    return ProjectedTable(table, result, data, tuple(np.flatnonzero(left).tolist()))


def _read(path_or_bytes: str | os.PathLike[str] | bytes, order: str | None) -> Table:
    if isinstance(path_or_bytes, bytes):
        return tables.read(path_or_bytes, "<bytes>", order)
    path = os.fsdecode(path_or_bytes)
    suffix = os.path.splitext(path)[1].lower()
    if suffix in _LATER:
        raise UsageError(f"{path}: {suffix[1:]} tables are not read yet; write it as csv or json")
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None
    return tables.read(data, path, order)
