"""Projection of tables: every row moves to the nearest parameters that a body can have.

The rows pass in blocks, so that the memory needed does not grow with the table. The written table
is read again as a whole, and compared, before it counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import BinaryIO

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import (
    DocumentError,
    InertialCheckError,
    ProjectionError,
    UsageError,
)
from inertial_check.formats.tables import Block, Layout, open_table
from inertial_check.formats.tables.writing import Spool, TableWriter, choose_writer
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, Point
from inertial_check.projection.metrics import METRICS
from inertial_check.projection.options import TAKES, Options
from inertial_check.projection.project import project_with
from inertial_check.projection.result import Projection, Status
from inertial_check.tables import companions

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
    """

    path: str
    block: Block
    projection: Projection
    given: Floats

    @cached_property
    def left(self) -> Mask:
        """(n,) rows that stay as they were because they have no nearest body."""
        none = np.asarray(self.projection.status_code) == int(Status.NO_NEAREST)
        return np.asarray(none | np.asarray(self.projection.vanished))

    @cached_property
    def moved(self) -> Mask:
        """(n,) rows that change."""
        return np.asarray(self.projection.changed) & ~self.left

    def status(self, row: int) -> str:
        """Give the status of a row in one word."""
        none = Status.NO_NEAREST.word
        return none if self.left[row] else str(self.projection.status[row])

    def name(self, row: int) -> str:
        """Name a row in messages."""
        return companions.row_name(self.path, self.block, row)

    def describe(self, row: int) -> str:
        """Describe the result of a row: its status, and why or by how much it changes."""
        if np.asarray(self.projection.vanished)[row]:
            return "no-nearest: the nearest inertia is zero; left as it was"
        if self.left[row]:
            positive = self.projection.metric in METRICS
            reason = "its mass is not positive or a number not finite"
            return f"no-nearest: {reason if positive else 'a number is not finite'}; left as it was"
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
        left: Number of rows that stay as they were because they have no nearest body.
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
        codes = np.where(done.left, int(Status.NO_NEAREST), done.projection.status_code)
        counts = zip(*np.unique(codes, return_counts=True), strict=True)
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
        ProjectionError: A result could not be certified.
    """
    about = _require_about(request.about)
    _refuse_options(request)
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


def _refuse_options(request: TableRequest) -> None:
    """Refuse a metric without the file that it needs, or with one that it does not take.

    Raises:
        UsageError: Names the option.
    """
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


class _TableProjector:
    """Projects the blocks of one table."""

    def __init__(
        self, path: str, request: TableRequest, about: Point, layout: Layout, stack: ExitStack
    ) -> None:
        self.path, self.layout = path, layout
        self._options = replace(request.projection, order=layout.order, about=about)
        own = companions.SelfPriorTable(path, request.projection.margin)
        self._weights = companions.open_weights(stack, request.weights, layout)
        self._prior = companions.open_prior(stack, request.prior, own, about, layout)

    def project(self, block: Block, theta: Floats) -> ProjectedBlock:
        """Project the rows of a block."""
        weights = None if self._weights is None else self._weights.read_for(block, theta)
        assert not isinstance(weights, InertialParameters)  # only priors are bodies
        options = replace(
            self._options,
            weights=weights,
            prior=None if self._prior is None else self._prior.read_for(block, theta),
        )
        try:
            with np.errstate(all="ignore"):
                result = project_with(theta, options)
                if result.result.failures:  # an ill-posed row is uncertified, and no failure
                    result.raise_for_status()
        except ProjectionError as error:
            rows = f"rows {block.first + 1} to {block.first + len(theta)}"
            raise ProjectionError(f"{self.path}: {rows}: {error}", error.instance) from None
        return ProjectedBlock(self.path, block, result, theta)

    def new_values(self, done: ProjectedBlock, theta: Floats) -> Floats:
        """Give the values to write for a block.

        Raises:
            InertialCheckError: A result is no longer consistent once its centre of mass is written
                in place of its first moment.
        """
        values = done.block.values
        new = np.where(done.left[:, None], theta, np.asarray(done.projection.theta))
        written = self.layout.values(new, values)
        stay = ~done.moved[:, None]
        written = np.where(stay, values, written)
        # c = h / m is rounded, so that m c need not be h: what a reader will get is checked again.
        again = self.layout.theta(written)
        shifted = done.moved & np.any(again != new, axis=1)
        if shifted.any():
            judged = check(again[shifted], order=self.layout.order, about=self._options.about)
            kept = judged.consistent & (judged.margin >= self._options.margin - judged.tolerance)
            lost = np.flatnonzero(shifted)[~kept]
            if len(lost):
                raise InertialCheckError(
                    f"{done.name(int(lost[0]))}: with a centre of mass in place of the first "
                    "moment the result is rounded out of the consistent ones; give hx hy hz"
                )
        return written

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
