"""The commands of `inertial-check`: which one a command line means, its parser, and its run.

A command is a module with `add_arguments(parser)` and `run(args) -> int`. It is imported only when
it is used, so that checking a file does not wait for the imports of other commands.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from inertial_check import __version__
from inertial_check.cli import exit_codes, output
from inertial_check.cli.output import PROGRAM
from inertial_check.errors import UsageError
from inertial_check.spelling import suggest_name

if TYPE_CHECKING:
    import argparse


class Command(Protocol):
    """The interface of the module of a command."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments of the command, in groups."""

    def run(self, args: argparse.Namespace) -> int:
        """Run the command; returns an exit code, raises InertialCheckError if it cannot run."""


class CommandEntry(NamedTuple):
    """A row of the table of commands: usage of the arguments, and summary."""

    arguments: str
    summary: str


COMMANDS = {
    "check": CommandEntry("PATH...", "check robot models (the default command)"),
    "fix": CommandEntry("PATH...", "show, or write, the nearest consistent parameters"),
    "fill": CommandEntry("MODEL...", "show, or write, missing inertials, from shapes"),
    "project": CommandEntry("TABLE", "project a table of parameter vectors"),
    "identify": CommandEntry(
        "DATA... --model ROBOT", "identify inertial parameters from measured torques"
    ),
    "excite": CommandEntry("ROBOT", "design a motion that makes these parameters visible"),
    "report": CommandEntry("PATH...", "write a page that shows models in 3-D with all findings"),
    "diff": CommandEntry("A B", "compare two models body by body"),
    "summary": CommandEntry("RESULTS...", "count stored results by upstream, rule, cause, engine"),
    "view": CommandEntry("MODEL", "show a model in the browser, and follow its file"),
    "init": CommandEntry("[DIR]", "write a configuration and a CI workflow for a repository"),
    "doctor": CommandEntry("", "print versions, extras, engines, package paths, configuration"),
    "mcp": CommandEntry("", "serve a coding agent (Model Context Protocol, on stdin and stdout)"),
    "explain": CommandEntry("CODE", "print the page of a rule or of a cause"),
    "lsp": CommandEntry("", "serve an editor (language server, on stdin and stdout)"),
    "rules": CommandEntry("", "list every rule"),
}
"""The commands; each is the module of its name in this package."""


_HELP_AND_VERSION = ("-h", "--help", "-V", "--version")
_GENERATE = "--generate-completion"
GLOBAL_OPTIONS = (*_HELP_AND_VERSION, _GENERATE)
"""Options that stand in place of a command."""


def run_command(argv: list[str]) -> int:
    """Run the command that a command line means, `check` by default; returns its exit code.

    Raises:
        InertialCheckError: The command line is wrong, or the command cannot run.
    """
    name = argv[0] if argv else ""
    if name in COMMANDS:
        argv = argv[1:]
    elif name in ("", *_HELP_AND_VERSION):
        return _about(name)
    elif name.partition("=")[0] == _GENERATE:
        from inertial_check.cli.completion import generate_completion

        output.write(generate_completion([*name.split("=", 1)[1:], *argv[1:]]))
        return exit_codes.CLEAN
    else:
        _refuse_misspelled_command(name)
        name = "check"
    for word in argv[: argv.index("--")] if "--" in argv else argv:
        # Hooks and shells put names of files behind options, and a tree may hold any name.
        if len(word) > 1 and word.startswith("-") and os.path.lexists(word):
            raise UsageError(
                f"{word!r} is a file here, and no option: write {os.path.join(os.curdir, word)!r}, "
                "or -- in front of the paths"
            )
    from inertial_check.cli.parsers import build_parser

    parser = build_parser(name)
    parser.words = argv
    # Options may stand between paths, except where -- says that none follow.
    parse = parser.parse_args if "--" in argv else parser.parse_intermixed_args
    try:
        args = parse(argv)
    except SystemExit:  # after --help, which is printed
        return exit_codes.CLEAN
    if args.verbose:
        _show_tracebacks()
    return import_command(name).run(args)


def _refuse_misspelled_command(word: str) -> None:
    """Refuse a first word that is no path and is spelled almost as a command.

    Raises:
        UsageError: Names the command that was probably meant.
    """
    looks_like_path = any(mark in word for mark in "/\\.*?[:") or os.path.lexists(word)
    if looks_like_path or word.startswith("-"):
        return
    if hint := suggest_name(word, COMMANDS):
        raise UsageError(f"{word!r} is no command and no file{hint} (see {PROGRAM} --help)")


def _show_tracebacks() -> None:
    """Print the tracebacks of defects that are reported as findings."""
    import logging  # only where somebody looks for a defect

    logger = logging.getLogger("inertial_check")
    if not logger.handlers:
        logger.addHandler(logging.StreamHandler())
    logger.setLevel(logging.DEBUG)


def import_command(name: str) -> Command:
    """Import the module of a command."""
    return cast(Command, import_module(f"inertial_check.cli.{name}"))


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of every command."""
    group = parser.add_argument_group("Miscellaneous")
    group.add_argument("-h", "--help", action="help", help="show this help and exit")
    group.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="print only the report: no progress bar, notes or summary",
    )
    group.add_argument(
        "-v", "--verbose", action="store_true", help="print more details, and tracebacks of errors"
    )
    group.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colour the output (auto: on a terminal, unless NO_COLOR is set)",
    )


def _about(request: str) -> int:
    """Print the version or the help; without any argument the help goes to stderr as a failure."""
    if request in ("-V", "--version"):
        output.write(f"{PROGRAM} {__version__}\n")
    elif request:
        output.write(_help())
    else:
        print(_help(), file=sys.stderr, end="")
        return exit_codes.FAILURE
    return exit_codes.CLEAN


def _help() -> str:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {entry.summary}" for name, entry in COMMANDS.items())
    return (
        f"Usage: {PROGRAM} [COMMAND] ...\n\n"
        "Checks whether real rigid bodies can have the inertial parameters of a robot model,\n"
        "says where and why not, and computes the nearest parameters that a body can have.\n\n"
        f"Commands:\n{commands}\n\n"
        f"`{PROGRAM} PATH...` is `{PROGRAM} check PATH...`.\n"
        f"`{PROGRAM} COMMAND --help` lists the options of a command.\n"
        f"`{PROGRAM} --version` (or -V) prints the version,\n"
        f"`{PROGRAM} {_GENERATE} bash|zsh|fish` a script that completes words.\n"
    )
