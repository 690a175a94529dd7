"""The command line `inertial-check`: selects a command, runs it, and returns an exit code.

A command is a module with `add_arguments(parser)` and `run(args) -> int`. It is imported only when
it is used, so that checking a file does not wait for the imports of other commands.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn, Protocol, cast

from inertial_check import __version__
from inertial_check.cli import exit_codes, output, signals
from inertial_check.cli.output import PROGRAM
from inertial_check.errors import InertialCheckError, UsageError
from inertial_check.isolation import (
    Termination,
    describe_defect,
    describe_missing_dependency,
)
from inertial_check.namedtuples import NamedTuple
from inertial_check.reports.escaping import printable
from inertial_check.spelling import suggest_name


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
_GLOBAL_OPTIONS = (*_HELP_AND_VERSION, _GENERATE)
"""Options that stand in place of a command."""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help text of fixed width: the width of the terminal would need an import of shutil."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=88)


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError on a wrong command line, as one place prints all errors.

    Attributes:
        words: The command line, for suggestions in the message of an error.
    """

    words: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Raise UsageError, with the command that prints the help."""
        if (option := self._find_unknown_option()) is not None:
            known = [*self._option_string_actions, *_GLOBAL_OPTIONS]
            message = f"unknown option {option}{suggest_name(option, known)}"
            if option in _GLOBAL_OPTIONS:
                message = f"{option} takes the place of a command: write inertial-check {option}"
        raise UsageError(f"{message} (see {self.prog} --help)")

    def _find_unknown_option(self) -> str | None:
        """Find the first word of the command line that is spelled as an option and is none."""
        for word in self.words:
            if word == "--":
                break
            name = word.partition("=")[0]
            known = name if name.startswith("--") else name[:2]
            spelled = len(word) > 1 and word[0] == "-" and not word[1].isdecimal()
            if spelled and " " not in word and known not in self._option_string_actions:
                return name
        return None

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse a value that is not among the choices of an option; suggests the nearest."""
        choices = None if action.choices is None else list(action.choices)
        if choices is None or value in choices:
            return
        hint = suggest_name(str(value), map(str, choices))
        expected = ", ".join(map(str, choices))
        raise argparse.ArgumentError(
            action, f"invalid choice: {value!r} (choose from {expected}){hint}"
        )

    def print_help(self, file: object = None) -> None:
        """Write the help to standard output."""
        output.write(self.format_help())


def entry_point() -> NoReturn:
    """Run the command line of this process, and exit with its code."""
    # Matrices are 3x3 here: starting a pool of BLAS threads takes longer than most checks.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A model is thousands of objects with few reference cycles: search for them less often.
    gc.set_threshold(100_000, 20, 50)
    signals.handle_signals()
    code = main(sys.argv[1:])
    signals.ignore_signals()
    sys.exit(code)


def main(argv: Sequence[str]) -> int:
    """Run one command line, without the program's name; returns the exit code.

    No exception escapes: an error is one line on stderr, with a traceback only with -v.
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
    except Termination as ending:
        return exit_codes.of_signal(ending.number)
    except Exception as error:
        if {"-v", "--verbose"}.intersection(argv):
            import traceback

            for line in traceback.format_exc().splitlines():
                print(printable(line), file=sys.stderr)
        output.failure(_error_message(error))
        return exit_codes.FAILURE


def _run(argv: list[str]) -> int:
    name = argv[0] if argv else ""
    if name in COMMANDS:
        argv = argv[1:]
    elif name in ("", *_HELP_AND_VERSION):
        return _about(name)
    elif name.partition("=")[0] == _GENERATE:
        return _generate_completion([*name.split("=", 1)[1:], *argv[1:]])
    else:
        _refuse_misspelled_command(name)
        name = "check"
    module = _import_command(name)
    parser = build_parser(name)
    parser.words = argv
    # Options may stand between paths, except where -- says that none follow.
    parse = parser.parse_args if "--" in argv else parser.parse_intermixed_args
    try:
        args = parse(argv)
    except SystemExit:  # --help, already printed
        return exit_codes.CLEAN
    if args.verbose:
        _show_tracebacks()
    return module.run(args)


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


def _import_command(name: str) -> Command:
    return cast(Command, import_module(f"inertial_check.cli.{name}"))


def build_parser(name: str) -> Parser:
    """Build the parser of a command: its own groups, then the options of every command."""
    module = _import_command(name)
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
    return parser


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


def _generate_completion(arguments: list[str]) -> int:
    """Print the script by which a shell completes the command line.

    Raises:
        UsageError: No shell, or an unknown one.
    """
    from inertial_check.causes import ALL_CAUSES
    from inertial_check.cli.completion import SHELLS, describe_command, generate_completion
    from inertial_check.engines import ENGINES
    from inertial_check.rules import ALL_RULES

    if len(arguments) != 1 or arguments[0] not in SHELLS:
        hint = suggest_name(arguments[0], SHELLS) if arguments else ""
        raise UsageError(f"{_GENERATE} takes one shell: {', '.join(SHELLS)}{hint}")
    rules = [text for rule in ALL_RULES for text in (rule.code, rule.name)]
    words = {
        "ENGINES": ENGINES,
        "NAME[,NAME]": ENGINES,
        "RULES": rules,
        "CODE": [*rules, *(cause.name for cause in ALL_CAUSES)],
    }
    commands = []
    for name, entry in COMMANDS.items():
        commands.append(describe_command(name, entry.summary, build_parser(name), words))
    output.write(generate_completion(arguments[0], PROGRAM, commands, "check"))
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


def _error_message(error: Exception) -> str:
    """One line about an error; an unexpected exception is reported as an internal error."""
    if isinstance(error, InertialCheckError):
        return str(error)
    return describe_missing_dependency(error) or (
        f"{describe_defect(error)}; please report it with the output of the same command and -v"
    )
