"""Projection of tables: every row moves to the nearest parameters that a body can have.

The rows pass in blocks, so that the memory needed does not grow with the table; nor does that of
the JSON report, or of the rows that moved most. The written table is read again as a whole, and
compared, before it counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import BinaryIO

import numpy as np

from inertial_check import __version__
from inertial_check.documents.escaping import dump_json
from inertial_check.documents.files.access import Json
from inertial_check.documents.tables import open_table
from inertial_check.documents.tables.reading import Block, Layout
from inertial_check.documents.tables.writing import Spool, TableWriter, choose_writer
from inertial_check.errors import DocumentError, InertialCheckError, UsageError
from inertial_check.fixing import companions
from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, Point
from inertial_check.projection.metrics import TAKES, Options
from inertial_check.projection.moments import METRICS
from inertial_check.projection.project import project_with
from inertial_check.projection.result import Projection, Status

_ABOUTS = ("origin", "com")
"""The points about which a table can state its inertias."""

BLOCK = 8192
"""Number of rows in memory at a time: a few megabytes, and enough to be quick."""


@dataclass(frozen=True)
class TableRequest:
    """The request of the command `project`, stated once on the command line.

    Attributes:
        about: Point about which the six are taken, "origin" or "com"; no table tells it.
        order: Order of ten numbers that carry no names.
        weights: File of weights.
        prior: File of priors, or "self".
        output_format: Format to write; None for the table's own, in which only numbers change.
        projection: Options of the projection itself; its order, point, weights and prior are those
            of the table.
    """

    about: Point | None
    order: Order | None = None
    weights: str | None = None
    prior: str | None = None
    output_format: str | None = None
    projection: Options = Options()  # noqa: RUF009 - frozen


@dataclass(frozen=True)
class ProjectedBlock:
    """Block of rows and its projection.

    Attributes:
        path: The path of the table that messages name.
        block: The rows as read.
        projection: The projection of the rows.
        given: (n, 10) the rows as parameters, in the order and about the point of the projection.
        refused: Reason why a row has no certified result, by its index in the block.
    """

    path: str
    block: Block
    projection: Projection
    given: Floats
    refused: dict[int, str]

    @cached_property
    def codes(self) -> Integers:
        """(n,) integers of Status, of the rows as they are written."""
        codes = np.array(self.projection.status_code)
        codes[list(self.refused)] = int(Status.UNCERTIFIED)
        codes[np.asarray(self.projection.vanished)] = int(Status.NO_NEAREST)
        return codes

    @cached_property
    def left(self) -> Mask:
        """(n,) rows that stay as they were: without a nearest body, or a certified result."""
        left = np.asarray(self.codes == int(Status.NO_NEAREST))
        left[list(self.refused)] = True
        return left

    @cached_property
    def moved(self) -> Mask:
        """(n,) rows that change."""
        return np.asarray(self.projection.changed) & ~self.left

    def status(self, row: int) -> str:
        """Give the status of a row in one word."""
        return Status(int(self.codes[row])).word

    def name(self, row: int) -> str:
        """Name a row in messages."""
        return companions.row_name(self.path, self.block, row)

    def describe(self, row: int) -> str:
        """Describe the result of a row: its status, and why or by how much it changes."""
        if np.asarray(self.projection.vanished)[row]:
            return "no-nearest: the nearest inertia is zero; left as it was"
        if self.left[row]:
            reason = "a number is not finite or out of range, or its own prior or weights are none"
            if self.projection.metric in METRICS:
                reason = "its mass is not positive or a number not finite"
            return f"{self.status(row)}: {self.refused.get(row, reason)}; left as it was"
        change = 100 * float(self.projection.relative_change[row])
        if not np.isfinite(change):
            return f"{self.status(row)}: it had no moments to compare with"
        return f"{self.status(row)}: its moments change by {change:.3g} %"


@dataclass
class TableSummary:
    """Counts of the results of a table.

    Attributes:
        layout: Layout of the table.
        rows: Number of rows.
        moved: Number of rows that changed.
        left: Number of rows that stay as they were: without a nearest body or a certified result.
        statuses: Number of rows by status.
        notes: Notes for the user.
    """

    layout: Layout
    rows: int = 0
    moved: int = 0
    left: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()

    def add(self, done: ProjectedBlock) -> None:
        """Count a block."""
        self.rows += len(done.block.values)
        self.moved += int(done.moved.sum())
        self.left += int(done.left.sum())
        counts = zip(*np.unique(done.codes, return_counts=True), strict=True)
        self.statuses.update({Status(int(code)).word: int(count) for code, count in counts})


Listener = Callable[[ProjectedBlock], None]
"""Function called with every projected block that has rows."""

Progress = Callable[[float], None]
"""Function called with the part of the work that is done, 0 to 1."""


def project_table(  # noqa: PLR0913, PLR0917 - source and target, request, and two functions to call
    source: BinaryIO,
    path: str,
    target: BinaryIO,
    request: TableRequest,
    listener: Listener = lambda done: None,
    progress: Progress = lambda part: None,
    block_rows: int = BLOCK,
) -> TableSummary:
    """Project every row of a table.

    Args:
        source: The table, at its beginning; it must be seekable.
        path: The path that messages name.
        target: The empty file to write; its content is read again and compared.
        request: The request.
        listener: Called with every projected block.
        progress: Called with the part of the work that is done, 0 to 1.
        block_rows: Number of rows in memory at a time.

    Raises:
        DocumentError: The table, its weights or its prior cannot be read; names the place.
        UsageError: The point or the order is not declared, or options do not go together.
        ParameterError: Weights that are not positive semidefinite, a prior that is not positive
            definite: names the file and the row; a margin out of range.
    """
    about = _require_about(request.about)
    # Refuse a metric without the file that it needs, or with one that it does not take.
    metric = request.projection.metric
    if metric not in TAKES:
        raise UsageError(f"metric is {metric!r}; choose one of {', '.join(TAKES)}")
    takes = TAKES[metric]
    given = {"weights": request.weights, "prior": request.prior}
    for name, value in given.items():
        if value is not None and name not in takes:
            able = ", ".join(other for other in TAKES if name in TAKES[other])
            raise UsageError(f"--metric {metric} takes no --{name}: {able} do")
    if takes and metric != "euclidean" and given[takes[0]] is None:
        ways = "FILE" if takes[0] == "weights" else "FILE or --prior self"
        raise UsageError(f"--metric {metric} needs --{takes[0]} {ways}")
    if metric in ("weighted", "euclidean") and request.about == "com":
        raise UsageError(
            f"--metric {metric} needs --about origin: about the centre of mass the pseudo-inertia "
            "is not linear in the ten numbers"
        )
    size = max(source.seek(0, 2), 1)
    source.seek(0)
    with ExitStack() as stack:
        reader = open_table(source, path, request.order)
        projector = _TableProjector(path, request, about, reader.layout, stack)
        spool = stack.enter_context(Spool(block_rows))
        output = choose_writer(reader, request.output_format, target, spool)
        summary = TableSummary(reader.layout)
        for block in reader.blocks(block_rows):
            _pass_block(block, projector, output, summary, listener)
            progress(0.8 * min(source.tell() / size, 1.0))
        projector.finish()
        summary.notes = output.finish()
        target.flush()
        _compare(target, path, reader.layout, request.output_format, spool, progress)
    return summary


def _require_about(about: Point | None) -> Point:
    """Give the point that the caller declared.

    Raises:
        UsageError: The caller declared none, or an unknown one.
    """
    if about in _ABOUTS:
        return about
    given = "is not declared" if about is None else f"is {about!r}"
    raise UsageError(
        f"the point about which the inertias are taken {given}: "
        f"choose --about {' or --about '.join(_ABOUTS)}"
    )


_SPOILT = (
    "with a centre of mass in place of the first moment the result is rounded out of the "
    "consistent ones; give hx hy hz"
)
"""Reason why a row is uncertified whose result the columns of the table cannot hold."""


class _TableProjector:
    """Projects the blocks of one table."""

    def __init__(
        self, path: str, request: TableRequest, about: Point, layout: Layout, stack: ExitStack
    ) -> None:
        self.path, self.layout = path, layout
        self._options = replace(request.projection, order=layout.order, about=about)
        self._weights = companions.open_weights(stack, request.weights, layout)
        self._prior = companions.open_prior(stack, request.prior, about, layout)

    def project(self, block: Block, theta: Floats) -> ProjectedBlock:
        """Project the rows of a block."""
        options = replace(
            self._options,
            weights=None if self._weights is None else self._weights.read_for(block, theta),
            prior=None if self._prior is None else self._prior.read_for(block, theta),
        )
        with np.errstate(all="ignore"):
            result = project_with(theta, options)
        failures = zip(result.failed_rows, result.result.failures, strict=True)
        refused = {row: failure.reason for row, failure in failures if failure.nearest}
        return ProjectedBlock(self.path, block, result, theta, refused)

    def new_values(self, done: ProjectedBlock, theta: Floats) -> Floats:
        """Give the values to write for a block, and refuse results that writing would spoil."""
        values, new = done.block.values, np.asarray(done.projection.theta)
        written = self.layout.values(new, values)
        # c = h / m is rounded, so that m c need not be h: what a reader will get is checked again.
        again = self.layout.theta(written)
        shifted = np.asarray(done.projection.changed) & np.any(again != new, axis=1)
        if shifted.any():
            judged = check(again[shifted], order=self.layout.order, about=self._options.about)
            kept = judged.consistent & (judged.margin >= self._options.margin - judged.tolerance)
            for row in np.flatnonzero(shifted)[~kept].tolist():
                done.refused.setdefault(row, _SPOILT)
        return np.where(done.moved[:, None], written, values)

    def finish(self) -> None:
        """Check that the files of weights and priors end with the table."""
        for each in (self._weights, self._prior):
            if each is not None:
                each.finish()


def _pass_block(
    block: Block,
    projector: _TableProjector,
    output: TableWriter,
    summary: TableSummary,
    listener: Listener,
) -> None:
    """Pass one block from the reader to the writer."""
    values = block.values
    if len(values):
        theta = projector.layout.theta(values)
        done = projector.project(block, theta)
        values = projector.new_values(done, theta)
        summary.add(done)
        listener(done)
    output.append(block, values)


def _compare(
    target: BinaryIO,
    path: str,
    layout: Layout,
    format: str | None,
    spool: Spool,
    progress: Progress,
) -> None:
    """Read the written table again and compare it with the spool.

    Raises:
        InertialCheckError: The numbers or their meaning differ.
    """
    size = max(target.seek(0, 2), 1)
    target.seek(0)
    wrong = InertialCheckError(f"{path}: what would be written does not read back the same")
    try:
        again = open_table(target, path, layout.order)
        own = spool.values()
        for block in again.blocks(spool.block):
            if not len(block.values):
                continue
            expected = next(own, None)
            if expected is None or not np.array_equal(block.values, expected, equal_nan=True):
                raise wrong
            progress(0.8 + 0.2 * min(target.tell() / size, 1.0))
        if next(own, None) is not None or again.layout.has_com != layout.has_com:
            raise wrong
    except (DocumentError, UsageError) as error:
        raise wrong from error
    target.seek(0)


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


SCHEMA_VERSION = "1"

_NUMBERS = ("distance", "relative_change", "primal_residual", "dual_residual", "gap", "factor")


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
