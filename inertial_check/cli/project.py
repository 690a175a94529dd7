"""Move every row of a table of inertial parameters to the nearest that a body can have.

A row is [m, hx, hy, hz, six of the inertia], or has the centre of mass cx, cy, cz in place of the
first moment. Columns with names go by them; ten bare numbers need --order. About which point the
inertias are taken no table says, so --about is required.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from inertial_check.cli import exit_codes, options, output
from inertial_check.errors import UsageError
from inertial_check.reports.text import plural, printable

if TYPE_CHECKING:
    from inertial_check.pipeline.table import ProjectedTable

_ORDERS = {
    "urdf": "xx xy xz yy yz zz",
    "pinocchio": "xx xy yy xz yz zz",
    "mujoco": "xx yy zz xy xz yz",
    "wensing": "xx yy zz yz xz xy",
    "ksl": "xx yy zz xy yz zx",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `project` takes."""
    parser.add_argument("table", metavar="TABLE", help="a csv or json file; - for standard input")
    group = parser.add_argument_group("What the numbers are")
    orders = "; ".join(f"{name}: {entries}" for name, entries in _ORDERS.items())
    group.add_argument(
        "--order",
        choices=tuple(_ORDERS),
        help=f"order of the six where no column names tell it ({orders})",
    )
    group.add_argument(
        "--about",
        choices=("origin", "com"),
        help="point about which the six are taken: the origin or the centre of mass (required)",
    )
    options.add_nearest(parser)
    group = parser.add_argument_group("Output")
    group.add_argument("-o", "--output", metavar="FILE", help="write the table here, not to stdout")
    group.add_argument(
        "--output-format",
        choices=("csv", "json"),
        help="form of the table (default: as it was, and then only numbers that change differ)",
    )


def run(args: argparse.Namespace) -> int:
    """Project, write the table, and say on stderr what moved."""
    from inertial_check.pipeline.table import project_table

    result = project_table(
        _table(args.table),
        about=args.about,
        order=args.order,
        metric=args.metric,
        margin=args.margin,
        output_format=args.output_format,
    )
    _write(result, args.output)
    name = "<stdin>" if args.table == "-" else args.table
    if not args.quiet:
        _say(result, name, args.order)
    return exit_codes.FINDINGS if result.left else exit_codes.CLEAN


def _table(path: str) -> str | bytes:
    if path != "-":
        return path
    if sys.stdin is None:
        raise UsageError("cannot read standard input: it is closed")
    return sys.stdin.buffer.read()


def _write(result: ProjectedTable, target: str | None) -> None:
    from inertial_check.pipeline.writing import replace_file, same_file

    if target is not None:
        read = result.table.source if same_file(target, result.table.path) else None
        replace_file(target, result.data, read)
        return
    if sys.stdout is None:
        raise UsageError("cannot write standard output: it is closed")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(result.data)  # the bytes as they were, whatever the locale
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        output.discard_stdout()


def _say(result: ProjectedTable, name: str, order: str | None) -> None:
    table = result.table
    if table.named and order is not None:
        output.note(f"{name}: the numbers go by their names; --order {order} was not needed")
    for row in sorted((*result.moved, *result.left)):
        label = "" if table.labels[row] is None else f" [{table.labels[row]}]"
        line = f"{name}:{table.line(row)}: row {row + 1}{label} {result.said(row)}"
        print(printable(line), file=sys.stderr)
    rows = len(table.labels)
    left = f", {len(result.left)} without a nearest" if result.left else ""
    print(f"{plural(rows, 'row')}: {len(result.moved)} moved{left}.", file=sys.stderr)
