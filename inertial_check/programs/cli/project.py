"""Move every row of a table of inertial parameters to the nearest that a body can have.

A row is [m, hx, hy, hz, six entries of the inertia], or has the centre of mass cx, cy, cz in place
of the first moment. Columns with names go by their names; ten bare numbers need --order. No table
says about which point the inertias are taken, so --about is required. The format of the table is
known by its first bytes. Rows pass in blocks: a table may be larger than the memory.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from contextlib import ExitStack, closing

from inertial_check.documents.escaping import printable
from inertial_check.documents.files.writing import Replacement, Target, Unnamed, same_file
from inertial_check.errors import UsageError
from inertial_check.fixing.companions import copy_to_disk, open_input
from inertial_check.fixing.tables import (
    LargestChanges,
    ProjectedBlock,
    TableReport,
    TableRequest,
    TableSummary,
    project_table,
)
from inertial_check.programs.cli import options, output
from inertial_check.programs.cli.output import ProgressBar
from inertial_check.projection.metrics import Options
from inertial_check.reports.text import plural

_ORDERS = {
    "urdf": "xx xy xz yy yz zz",
    "pinocchio": "xx xy yy xz yz zz",
    "mujoco": "xx yy zz xy xz yz",
    "wensing": "xx yy zz yz xz xy",
    "ksl": "xx yy zz xy yz zx",
}
_METRICS = {
    "prior": "or of the pseudo-inertia as a prior weighs it",
    "weighted": "or of the ten numbers in --weights",
    "entropic": "or that and the divergence from a prior",
    "affine-invariant": "or the geodesic distance from it",
    "euclidean": "or of the ten numbers as they are, whatever their units",
    "pseudo-inertia": "or of its 4x4 matrix, whatever its units",
}
_FORMATS = ("csv", "json", "yaml", "npz")
_SHOWN = 20
"""Largest number of rows that are listed on stderr; --report has all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `project`."""
    parser.add_argument(
        "table", metavar="TABLE", help="a csv, json, yaml, npz or npy file; - for standard input"
    )
    add = options.add_group(parser, "What the numbers are")
    orders = "; ".join(f"{name}: {entries}" for name, entries in _ORDERS.items())
    add(
        "--order",
        f"order of the six inertia entries of bare numbers ({orders})",
        choices=tuple(_ORDERS),
    )
    add(
        "--about",
        "point about which the inertias are taken: origin of the frame or centre of mass "
        "(required)",
        choices=("origin", "com"),
    )
    add = options.add_nearest(parser, _METRICS)
    add(
        "--weights FILE",
        "weights of the ten numbers with the first moment: 10 weights or a 10x10 matrix, for "
        "all rows or one for each",
    )
    add(
        "--prior FILE",
        "table of priors with one row, or as many as TABLE, in the same --order and --about; "
        "self: each body, made strictly consistent (./self is a file)",
    )
    add(
        "--regularization WEIGHT",
        "weight of the prior's term beside that of --weights (default: 1)",
        type=float,
        default=1.0,
    )
    add("--mass-min KG", "least mass of rows that move (default: 1e-6 of their mass)", type=float)
    add("--solver NAME", "solve with this installed conic solver, such as clarabel or scs")
    add = options.add_group(parser, "Output")
    add("-o, --output FILE", "write the table here, not to stdout")
    add(
        "--output-format",
        "format to write (default: that of FILE's suffix, else of the table, in which only changed "
        "numbers differ)",
        choices=_FORMATS,
    )
    add("--report FILE", "write a JSON report on every row that moved")
    options.add_plot(add, "the largest changes, before and after,")


def run(args: argparse.Namespace) -> int:
    """Project, write the table, and list on stderr the rows that moved."""
    name = "<stdin>" if args.table == "-" else args.table
    projection = Options(
        metric=args.metric,
        margin=args.margin,
        regularization=args.regularization,
        mass_min=args.mass_min,
        solver=args.solver,
    )
    format = _choose_format(args.table, args.output, args.output_format)
    request = options.read_group(TableRequest, args, output_format=format, projection=projection)
    read = {"--weights": args.weights, "--prior": args.prior}
    written = {"-o": args.output, "--report": args.report}
    options.refuse_same_files(read.items(), written, ("TABLE", name))
    options.check_plot(args.plot, [args.table, *read.values(), *written.values()])
    largest = LargestChanges()
    with ExitStack() as stack:
        source = (
            open_input(stack, args.table)
            if args.table != "-"
            else copy_to_disk(stack, output.open_stdin())
        )
        if args.output is None:
            target: Target = stack.enter_context(Unnamed())
        else:
            own = source if same_file(args.output, args.table) else None
            target = stack.enter_context(Replacement(args.output, own))
        report = _RowReport(stack, args.report, name, request)

        def listen(done: ProjectedBlock) -> None:
            report.add(done)
            if args.plot is not None:
                largest.add(done)

        bar = stack.enter_context(closing(ProgressBar(wanted=not args.quiet)))
        summary = project_table(source, name, target.stream, request, listen, bar)
        report.finish(summary)
        bar.close()
        _deliver(target)
        report.commit()
    if args.plot is not None:
        _plot_changes(largest, args.plot)
    if not args.quiet:
        _print_summary(args, name, summary, report)
    return output.FINDINGS if summary.left else output.CLEAN


def _choose_format(table: str, path: str | None, format: str | None) -> str | None:
    """Choose the format of the file of -o: its suffix decides; None for that of the table.

    Raises:
        UsageError: The suffix and --output-format contradict, or nothing writes the suffix.
    """
    suffix, known = (os.path.splitext(each or "")[1].lower() for each in (path, table))
    own = {".yml": "yaml"}.get(suffix, suffix[1:])
    if not suffix:
        return format
    if own not in _FORMATS:
        if format is not None or suffix == known:
            return format
        raise UsageError(
            f"-o {path}: no table is written as {suffix}: end it in "
            f"{', '.join(f'.{each}' for each in _FORMATS)}, or say --output-format"
        )
    if format not in (None, own):
        raise UsageError(
            f"-o {path} ends in {suffix} and --output-format is {format}: leave one of them out"
        )
    return own


def _plot_changes(largest: LargestChanges, path: str) -> None:
    """Draw the rows of a table that moved most."""
    from inertial_check.reports import plots

    figure = plots.fix(largest.before, largest.after, largest.names, about="com")
    shown = f", the {len(largest.names)} largest changes shown" if largest.names else ""
    figure.axes[0].title.set_text(f"{largest.moved} of {plural(largest.rows, 'row')} moved{shown}")
    plots.save(figure, path)


class _RowReport:
    """Report on the rows: the first as lines for stderr, all of them in a file if asked."""

    def __init__(
        self, stack: ExitStack, path: str | None, name: str, request: TableRequest
    ) -> None:
        self.lines: list[str] = []
        self.rows = 0
        self._file: Replacement | None = None
        self._report: TableReport | None = None
        if path is not None:
            self._file = stack.enter_context(Replacement(path))
            self._report = TableReport(self._file.stream, name, request)

    def add(self, done: ProjectedBlock) -> None:
        """Take the rows of a block that moved, or have no nearest body."""
        reported = (done.moved | done.left).nonzero()[0].tolist()
        for row in reported[: _SHOWN - len(self.lines)]:
            self.lines.append(f"{done.name(row)} {done.describe(row)}")
        self.rows += len(reported)
        if self._report is not None:
            self._report.add(done)

    def finish(self, summary: TableSummary) -> None:
        """Complete the file."""
        if self._report is not None:
            self._report.finish(summary)

    def commit(self) -> None:
        """Put the file in its place."""
        if self._file is not None:
            self._file.commit()


def _deliver(target: Target) -> None:
    """Replace the file of --output, or send the table to standard output.

    Raises:
        UsageError: The table cannot be written there.
    """
    if isinstance(target, Replacement):
        target.commit()
        return
    if sys.stdout is None:
        raise UsageError("cannot write standard output: it is closed")
    target.stream.seek(0)
    try:
        sys.stdout.flush()
        shutil.copyfileobj(
            target.stream, sys.stdout.buffer
        )  # bytes, so that the locale does not matter
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        output.discard_stdout()
    except OSError as error:
        output.discard_stdout()
        raise UsageError(f"cannot write standard output: {error.strerror or error}") from None


def _print_summary(
    args: argparse.Namespace, name: str, summary: TableSummary, report: _RowReport
) -> None:
    if summary.layout.named and args.order is not None:
        output.note(f"{name}: the numbers go by their names; --order {args.order} was not needed")
    for line in summary.notes:
        output.note(f"{name}: {line}")
    for line in report.lines:
        print(printable(line), file=sys.stderr)
    if report.rows > len(report.lines):
        where = f"{args.report} has all" if args.report else "--report FILE has all"
        print(f"... and {report.rows - len(report.lines)} more; {where}", file=sys.stderr)
    left = f", {summary.left} without a nearest" if summary.left else ""
    print(f"{plural(summary.rows, 'row')}: {summary.moved} moved{left}.", file=sys.stderr)
