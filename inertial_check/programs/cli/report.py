"""Check robot models, and write a page that shows them in 3-D with all findings."""

from __future__ import annotations

import argparse
import os
import sys

from inertial_check.documents.escaping import printable
from inertial_check.errors import UsageError
from inertial_check.programs.cli import check, exit_codes

_DEFAULT = "report.html"
_STDOUT = "-"

_GENERATOR = b'<meta name="generator" content="inertial_check'
"""Mark of a page of this command, near its beginning."""

_HEAD = 4096
"""Number of bytes at the beginning of a file in which the mark is searched for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `report`: those of `check`, but for its forms."""
    check.add_input_arguments(parser)
    group = parser.add_argument_group("Output")
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=f"write the page to FILE; - for standard output (default: {_DEFAULT})",
    )
    group.add_argument(
        "--badge", metavar="FILE", help="also write an SVG badge with the number of errors to FILE"
    )


def run(args: argparse.Namespace) -> int:
    """Check, write the page, and return the exit code.

    Findings do not fail the command, whose purpose is to show them, unless --fail-on or --strict
    is given.

    Raises:
        UsageError: The page would replace a model or another file that is no page, or without -o
            a report.html that this command has not written; or the badge a file that is no image.
    """
    target = _DEFAULT if args.output is None else args.output
    args.output_format, args.statistics, args.plot = "html", False, None
    args.also = [] if args.badge is None else [check.Destination("badge", args.badge)]
    args.all = False
    args.output_file = None if target == _STDOUT else target
    listing = args.show_files or args.show_settings
    if listing:
        args.output_file = None
    elif args.output is None:
        # Refuse to replace a file that this command has not written.
        if os.path.lexists(target) and _GENERATOR not in _read_head(target):
            raise UsageError(
                f"{target} exists and is no page of this command: -o {target} replaces it, or name "
                "another file"
            )
    elif target != _STDOUT:
        _expect_page(target)
    if args.badge is not None and not listing:
        _expect_badge(args.badge)
    if args.fail_on is None and args.strict is None:
        args.fail_on = "never"
    code = check.run(args)
    if not (args.quiet or listing or target == _STDOUT or code == exit_codes.FAILURE):
        print(f"Wrote {printable(target)}: open it in a browser.", file=sys.stderr)
    return code


def _expect_page(target: str) -> None:
    """Refuse to replace a file that is named, but neither called nor written as a page.

    Meshes and included files are inputs, too, and not all of them are known before the check.

    Raises:
        UsageError: There is such a file.
    """
    if not os.path.isfile(target) or os.path.getsize(target) == 0:
        return
    called_page = os.path.realpath(target).lower().endswith((".html", ".htm"))
    if not called_page and _GENERATOR not in _read_head(target):
        raise UsageError(
            f"{target} exists and is no HTML page, so it is not replaced; name another file"
        )


def _expect_badge(target: str) -> None:
    """Refuse to replace a file that is neither empty nor an SVG image.

    Raises:
        UsageError: There is such a file.
    """
    head = _read_head(target)
    if head and not head.startswith(b"<svg"):
        raise UsageError(
            f"{target} exists and is no SVG image, so it is not replaced; name another file"
        )


def _read_head(path: str) -> bytes:
    """Read the beginning of a file; empty if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return stream.read(_HEAD)
    except OSError:
        return b""
