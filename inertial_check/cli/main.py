"""`inertial-check`: finds the command, runs it, turns whatever happens into an exit code.

A command is a module with `add_arguments(parser)` and `run(args) -> int`. It is imported only when
it is asked for, so that checking a file does not pay for the other commands.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn, Protocol, cast

from inertial_check import __version__
from inertial_check.cli import exit_codes, output
from inertial_check.cli.output import PROGRAM
from inertial_check.errors import InertialCheckError, UsageError


class Command(Protocol):
    """What the module of a command offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's own arguments, in groups."""

    def run(self, args: argparse.Namespace) -> int:
        """Do the job; returns an exit code, raises InertialCheckError where it cannot."""


class Entry(NamedTuple):
    """A row of the command table: where the command lives, what it takes, what it does."""

    module: str
    arguments: str
    summary: str


_HOME = "inertial_check.cli"
COMMANDS = {
    "check": Entry(f"{_HOME}.check", "PATH...", "check robot models (the default command)"),
    "fix": Entry(f"{_HOME}.fix", "PATH...", "show, or write, the nearest consistent parameters"),
    "project": Entry(f"{_HOME}.project", "TABLE", "project a table of parameter vectors"),
    "identify": Entry(
        f"{_HOME}.identify", "DATA... --model ROBOT", "inertial parameters from measured torques"
    ),
    "excite": Entry(f"{_HOME}.excite", "ROBOT", "find a motion that shows these parameters"),
    "diff": Entry(f"{_HOME}.diff", "A B", "compare two models body by body"),
    "explain": Entry(f"{_HOME}.explain", "CODE", "print the page of a rule"),
    "lsp": Entry(f"{_HOME}.lsp", "", "serve an editor (language server, on stdin and stdout)"),
    "rules": Entry(f"{_HOME}.rules", "", "list every rule"),
}


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help of one width everywhere; asking for the terminal's would load shutil on every run."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=88)


class Parser(argparse.ArgumentParser):
    """Reports a wrong command line as UsageError, so that one place writes every error."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the way to the help."""
        raise UsageError(f"{message} (see {self.prog} --help)")

    def print_help(self, file: object = None) -> None:
        """Write the help as any payload."""
        output.write(self.format_help())


def entry_point() -> NoReturn:
    """Run the process's own command line and leave with its exit code."""
    # Matrices here are 3x3: starting a pool of BLAS threads would take longer than most checks.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A model is thousands of objects that die together: cycles are rarely worth a search.
    gc.set_threshold(100_000, 20, 50)
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """Run one command line, without the program's name; returns the exit code.

    No exception leaves: errors become one line on stderr, a traceback is shown only with -v.
    """
    output.tolerate_any_text()
    try:
        code = _run(list(argv))
        output.flush()
        return code
    except BrokenPipeError:
        output.discard_stdout()
        return exit_codes.BROKEN_PIPE
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED
    except Exception as error:
        if {"-v", "--verbose"}.intersection(argv):
            import traceback

            traceback.print_exc()
        output.failure(_explained(error))
        return exit_codes.FAILURE


def _run(argv: list[str]) -> int:
    name = argv[0] if argv else ""
    if name in COMMANDS:
        argv = argv[1:]
    elif name in ("", "-h", "--help", "--version"):
        return _about(name)
    else:
        name = "check"
    module = cast(Command, import_module(COMMANDS[name].module))
    parser = _parser(name, module)
    # Options may stand between paths, except where -- says that none follow.
    parse = parser.parse_args if "--" in argv else parser.parse_intermixed_args
    try:
        args = parse(argv)
    except SystemExit:  # --help, already printed
        return exit_codes.CLEAN
    return module.run(args)


def _parser(name: str, module: Command) -> Parser:
    """The command's parser: its own groups, then the options that every command has."""
    parser = Parser(
        prog=f"{PROGRAM} {name}",
        usage=f"%(prog)s [OPTION]... {COMMANDS[name].arguments}".rstrip(),
        description=module.__doc__,
        formatter_class=_Formatter,
        allow_abbrev=False,
        add_help=False,
    )
    module.add_arguments(parser)
    group = parser.add_argument_group("Miscellaneous")
    group.add_argument("-h", "--help", action="help", help="show this help and exit")
    group.add_argument("-q", "--quiet", action="store_true", help="print the payload only")
    group.add_argument("-v", "--verbose", action="store_true", help="say more; show tracebacks")
    group.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colour the output (auto: on a terminal, unless NO_COLOR is set)",
    )
    return parser


def _about(request: str) -> int:
    """Answer --version and --help; without any argument the help goes to stderr as a failure."""
    if request == "--version":
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
        "says where and why not, and gives the nearest parameters that some body can have.\n\n"
        f"Commands:\n{commands}\n\n"
        f"`{PROGRAM} PATH...` is `{PROGRAM} check PATH...`.\n"
        f"`{PROGRAM} COMMAND --help` lists the options of a command.\n"
    )


def _explained(error: Exception) -> str:
    """One line about what went wrong; what is not raised on purpose is our mistake, and says so."""
    if isinstance(error, InertialCheckError):
        return str(error)
    return (
        f"internal error, {type(error).__name__}: {error}; "
        "please report it with the output of the same command and -v"
    )
