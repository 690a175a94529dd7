"""Serve an editor: findings while typing, quick fixes and explanations, on stdin and stdout."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from inertial_check.errors import UsageError
from inertial_check.programs.cli import exit_codes, options, output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `lsp`."""
    options.add_context(parser)
    options.add_configuration(parser)
    group = parser.add_argument_group("Transport")
    group.add_argument(
        "--stdio",
        action="store_true",
        help="use stdin and stdout; always so, the option is for clients that pass it",
    )


def run(args: argparse.Namespace) -> int:
    """Serve until the editor is done."""
    configured = partial(options.configurations, args)
    if args.config is not None:
        configured()  # report a named file that cannot be read before the editor waits
    try:
        from inertial_check.programs.lsp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        reason = 'the language server needs pygls: pip install "inertial-check[lsp]"'
        raise UsageError(reason) from None
    if not args.quiet and sys.stdin is not None and sys.stdin.isatty():
        output.note("speaks the language server protocol on stdin and stdout; an editor starts it")
    return exit_codes.CLEAN if serve(configured) else exit_codes.FINDINGS
