"""Serve a coding agent: check, explain, fix as a diff and report (Model Context Protocol).

Speaks on stdin and stdout; an agent starts it. Nothing is written, and no file outside --root is
opened.
"""

from __future__ import annotations

import argparse
import os
import sys

from inertial_check.errors import UsageError
from inertial_check.programs.cli import exit_codes, output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mcp`."""
    group = parser.add_argument_group("Access")
    group.add_argument(
        "--root",
        default=os.curdir,
        metavar="DIR",
        help="folder that the agent may read (default: the working directory)",
    )


def run(args: argparse.Namespace) -> int:
    """Serve until the agent closes the connection."""
    if not os.path.isdir(args.root):
        raise UsageError(f"--root {args.root}: no such folder")
    try:
        from inertial_check.programs.mcp import Program, make_server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        reason = 'the MCP server needs mcp: pip install "inertial-check[mcp]"'
        raise UsageError(reason) from None
    if not args.quiet and sys.stdin is not None and sys.stdin.isatty():
        output.note("speaks the Model Context Protocol on stdin and stdout; an agent starts it")
    root = os.path.realpath(args.root)
    program = (sys.executable, "-P", "-m", "inertial_check.programs.cli.confined", root)
    make_server(Program.of(program, root)).run("stdio")
    return exit_codes.CLEAN
