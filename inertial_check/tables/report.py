"""JSON report on the rows of a projected table, written while they pass."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import BinaryIO

import numpy as np

from inertial_check import __version__
from inertial_check.files.json import Json
from inertial_check.reports.escaping import dump_json
from inertial_check.tables.project import ProjectedBlock, TableRequest, TableSummary

SCHEMA_VERSION = "1"

_NUMBERS = ("distance", "relative_change", "primal_residual", "dual_residual", "gap")


class TableReport:
    """Report on every row that moved or has no nearest body, and on the number of rows by status.

    Args:
        stream: The file to write.
        path: The path of the table.
        request: The request of the command.
    """

    def __init__(self, stream: BinaryIO, path: str, request: TableRequest) -> None:
        self._stream, self._separator = stream, "\n"
        head: dict[str, Json] = {
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "inertial-check", "version": __version__},
            "table": path,
            "about": request.about,
            "metric": request.projection.metric,
            "margin": request.projection.margin,
        }
        self._send(_format_members(head) + ',\n "bodies": [')

    def add(self, done: ProjectedBlock) -> None:
        """Write the rows of a block that moved or have no nearest body."""
        rows = np.flatnonzero(done.moved | done.left).tolist()
        if not rows:
            return
        result = done.projection
        numbers = {name: np.asarray(getattr(result, name)) for name in _NUMBERS}
        iterations = np.asarray(result.iterations)
        for row in rows:
            values = {name: _finite(float(each[row])) for name, each in numbers.items()}
            body = {
                "row": done.block.first + row + 1,
                "line": done.block.line(row),
                "label": done.block.labels[row],
                "status": done.status(row),
                **(dict.fromkeys(values) if done.left[row] else values),
                "solver": None if done.left[row] else result.solver,
                "iterations": int(iterations[row]),
            }
            self._send(f"{self._separator}  {dump_json(body)}")
            self._separator = ",\n"

    def finish(self, summary: TableSummary) -> None:
        """Write the summary."""
        tail: dict[str, Json] = {
            "order": summary.layout.order,
            "rows": summary.rows,
            "moved": summary.moved,
            "left": summary.left,
            "statuses": dict(sorted(summary.statuses.items())),
        }
        self._send("\n ],\n" + _format_members(tail)[2:] + "\n}\n")

    def _send(self, text: str) -> None:
        self._stream.write(text.encode("utf-8", "backslashreplace"))


def _format_members(members: Mapping[str, Json]) -> str:
    """Write the beginning of an object, one member a line."""
    return "{\n" + ",\n".join(
        f" {dump_json(key)}: {dump_json(value)}" for key, value in members.items()
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
