"""Table in, table out: every row moved to the nearest parameters that a body has.

Blocks of rows pass one after another, so that the memory needed does not grow with the table. What
is written is read again as a whole, and compared, before it counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, BinaryIO

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
from inertial_check.inertia.representations import Order, Point
from inertial_check.projection.options import TAKES
from inertial_check.projection.project import project
from inertial_check.projection.result import Projection, Status
from inertial_check.tables import companions

ABOUTS = ("origin", "com")
"""The points about which a table can state its inertias."""

BLOCK = 8192
"""Rows that are in memory at a time: enough to be quick, and a few megabytes."""


@dataclass(frozen=True)
class Request:
    """What is wanted of a table, in the words of the command line.

    Attributes:
        about: Point about which the six are taken, "origin" or "com"; no table tells it.
        order: Order of ten numbers that carry no names.
        metric: As `inertial_check.project` takes it.
        margin: Least margin of the results, 0 to 1/3.
        weights: File of weights.
        prior: File of priors, or "self".
        regularization: Weight of the prior's term; None for 1.
        mass_min: Least mass [kg]; None for a part of each mass.
        solver: Name of a conic solver; None for our own.
        output_format: Form to write; None for the table's own, in which only numbers change.
    """

    about: Point | None
    order: Order | None = None
    metric: str = "inertia"
    margin: float = 0.0
    weights: str | None = None
    prior: str | None = None
    regularization: float | None = None
    mass_min: float | None = None
    solver: str | None = None
    output_format: str | None = None


@dataclass(frozen=True)
class ProjectedBlock:
    """Rows and what became of them.

    Attributes:
        path: What the table is called.
        block: The rows as read.
        projection: Of them.
    """

    path: str
    block: Block
    projection: Projection

    @cached_property
    def left(self) -> Mask:
        """(n,) rows that stay as they were because no body is nearest to them."""
        none = np.asarray(self.projection.status_code) == int(Status.NO_NEAREST)
        return np.asarray(none | np.asarray(self.projection.vanished))

    @cached_property
    def moved(self) -> Mask:
        """(n,) rows that changed."""
        return np.asarray(self.projection.changed) & ~self.left

    def status(self, row: int) -> str:
        """One word."""
        none = Status.NO_NEAREST.word
        return none if self.left[row] else str(self.projection.status[row])

    def name(self, row: int) -> str:
        """What messages call a row."""
        return companions.row_name(self.path, self.block, row)

    def said(self, row: int) -> str:
        """What became of a row: its status, and why or by how much."""
        if self.projection.status_code[row] == int(Status.NO_NEAREST):
            positive = self.projection.metric in ("inertia", "covariance")
            reason = "its mass is not positive or a number not finite"
            return f"no-nearest: {reason if positive else 'a number is not finite'}; left as it was"
        if self.left[row]:
            return "no-nearest: the nearest inertia is zero; left as it was"
        change = 100 * float(self.projection.relative_change[row])
        if not np.isfinite(change):
            return f"{self.status(row)}: it had no moments to compare with"
        return f"{self.status(row)}: its moments change by {change:.3g} %"


@dataclass
class Summary:
    """What became of a table.

    Attributes:
        layout: How it states its rows.
        rows: How many.
        moved: Rows that changed.
        left: Rows that stay as they were because no body is nearest to them.
        statuses: How many rows have each status.
        notes: What else to tell.
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
"""Is told of every block that has rows."""

Progress = Callable[[float], None]
"""Is told which part of the work is done."""


def project_table(  # noqa: PLR0913, PLR0917 - from where, to where, what, and who wants to know
    source: BinaryIO,
    path: str,
    target: BinaryIO,
    request: Request,
    listener: Listener = lambda done: None,
    progress: Progress = lambda part: None,
    block_rows: int = BLOCK,
) -> Summary:
    """Project every row of a table.

    Args:
        source: The table, at its beginning; it must be seekable.
        path: What to call it.
        target: Where to write, empty; what is there afterwards was read again and compared.
        request: What is wanted.
        listener: Is told of every block.
        progress: Is told which part of the work is done.
        block_rows: Rows in memory at a time.

    Raises:
        DocumentError: The table, its weights or its prior cannot be read; names the place.
        UsageError: The point or the order is not declared, or options do not go together.
        ParameterError: Weights that are not positive semidefinite, a prior that is not positive
            definite: names the file and the row; a margin that is none.
        ProjectionError: An answer could not be certified.
    """
    about = declared_about(request.about)
    refuse_options(request)
    size = max(source.seek(0, 2), 1)
    source.seek(0)
    with ExitStack() as stack:
        reader = open_table(source, path, request.order)
        worker = _Worker(path, request, about, reader.layout, stack)
        spool = stack.enter_context(Spool(block_rows))
        output = choose_writer(reader, request.output_format, target, spool)
        summary = Summary(reader.layout)
        for block in reader.blocks(block_rows):
            _pass(block, worker, output, summary, listener)
            progress(0.8 * min(source.tell() / size, 1.0))
        worker.finish()
        summary.notes = output.finish()
        target.flush()
        _compare(target, path, reader.layout, request.output_format, spool, progress)
    return summary


def declared_about(about: Point | None) -> Point:
    """The point, looked over.

    Raises:
        UsageError: There is none, or an unknown one.
    """
    if about in ABOUTS:
        return about
    given = "is not declared" if about is None else f"is {about!r}"
    raise UsageError(
        f"the point about which the inertias are taken {given}: "
        f"choose --about {' or --about '.join(ABOUTS)}"
    )


def refuse_options(request: Request) -> None:
    """Refuse a metric that lacks something, or is given what it does not take.

    Raises:
        UsageError: Names the option.
    """
    metric = request.metric
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


class _Worker:
    """Projects blocks, one like the other."""

    def __init__(
        self, path: str, request: Request, about: Point, layout: Layout, stack: ExitStack
    ) -> None:
        self.path, self.layout, self.about = path, layout, about
        options: dict[str, Any] = {
            "metric": request.metric,
            "margin": request.margin,
            "solver": request.solver,
            "mass_min": request.mass_min,
            "regularization": request.regularization,
        }
        self._margin = request.margin
        self._options = {name: value for name, value in options.items() if value is not None}
        found = {
            "weights": companions.weights(stack, request.weights, layout),
            "prior": companions.prior(
                stack, request.prior, companions.Own(path, request.margin), about, layout
            ),
        }
        self._beside = {name: each for name, each in found.items() if each is not None}

    def project(self, block: Block, theta: Floats) -> ProjectedBlock:
        """Project the rows of a block."""
        beside = {name: each.beside(block, theta) for name, each in self._beside.items()}
        try:
            with np.errstate(all="ignore"):
                result = project(
                    theta, order=self.layout.order, about=self.about, **self._options, **beside
                )
        except ProjectionError as error:
            rows = f"rows {block.first + 1} to {block.first + len(theta)}"
            raise ProjectionError(f"{self.path}: {rows}: {error}", error.instance) from None
        return ProjectedBlock(self.path, block, result)

    def new_values(self, done: ProjectedBlock, theta: Floats) -> Floats:
        """What to write for a block.

        Raises:
            InertialCheckError: A result that is no body any more once its centre of mass is
                written in place of its first moment.
        """
        values = done.block.values
        new = np.where(done.left[:, None], theta, np.asarray(done.projection.theta))
        written = self.layout.values(new, values)
        stay = ~done.moved[:, None]
        written = np.where(stay, values, written)
        again = self.layout.theta(written)
        shifted = done.moved & np.any(again != new, axis=1)
        if shifted.any():
            judged = check(again[shifted], order=self.layout.order, about=self.about)
            kept = judged.consistent & (judged.margin >= self._margin - judged.tolerance)
            lost = np.flatnonzero(shifted)[~kept]
            if len(lost):
                raise InertialCheckError(
                    f"{done.name(int(lost[0]))}: with a centre of mass in place of the first "
                    "moment the result is rounded out of the consistent ones; give hx hy hz"
                )
        return written

    def finish(self) -> None:
        """Look whether all weights and priors were needed."""
        for each in self._beside.values():
            each.finish()


def _pass(
    block: Block, worker: _Worker, output: TableWriter, summary: Summary, listener: Listener
) -> None:
    """One block from the reader to the writer."""
    values = block.values
    if len(values):
        theta = worker.layout.theta(values)
        done = worker.project(block, theta)
        values = worker.new_values(done, theta)
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
    """Read what was written, all of it, and compare.

    Raises:
        InertialCheckError: It is not what was meant.
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
            meant = next(own, None)
            if meant is None or not np.array_equal(block.values, meant, equal_nan=True):
                raise wrong
            progress(0.8 + 0.2 * min(target.tell() / size, 1.0))
        if next(own, None) is not None or again.layout.has_com != layout.has_com:
            raise wrong
    except (DocumentError, UsageError) as error:
        raise wrong from error
    target.seek(0)
