"""The commands that serve another program on stdin and stdout: `lsp` an editor, `mcp` an agent."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from inertial_check.errors import UsageError
from inertial_check.programs.cli import options, output

LSP = "Serve an editor: findings while typing, quick fixes and explanations, on stdin and stdout."
MCP = """Serve a coding agent: check, explain, fix as a diff and report (Model Context Protocol).

Speaks on stdin and stdout; an agent starts it. Nothing is written, and no file outside --root is
opened.
"""


def add_lsp_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `lsp`."""
    options.add_context(parser)
    add = options.add_group(parser, "Transport")
    add("--stdio", "use stdin and stdout; always so, the option is for clients that pass it")


def serve_editor(args: argparse.Namespace) -> int:
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
    return output.CLEAN if serve(configured) else output.FINDINGS


def add_mcp_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mcp`."""
    add = options.add_group(parser, "Access")
    add(
        "--root DIR",
        "folder that the agent may read (default: the working directory)",
        default=os.curdir,
    )


def serve_agent(args: argparse.Namespace) -> int:
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
    program = (sys.executable, "-P", "-m", "inertial_check.programs.cli.main", root)
    make_server(Program.of(program, root)).run("stdio")
    return output.CLEAN
