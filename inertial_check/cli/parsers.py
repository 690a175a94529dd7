"""The parsers of the commands, by argparse."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from inertial_check.cli import output
from inertial_check.cli.commands import (
    COMMANDS,
    GLOBAL_OPTIONS,
    add_common_arguments,
    import_command,
)
from inertial_check.cli.output import PROGRAM
from inertial_check.errors import UsageError
from inertial_check.spelling import suggest_name


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
            known = [*self._option_string_actions, *GLOBAL_OPTIONS]
            message = f"unknown option {option}{suggest_name(option, known)}"
            if option in GLOBAL_OPTIONS:
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


def build_parser(name: str) -> Parser:
    """Build the parser of a command: its own groups, then the options of every command."""
    module = import_command(name)
    parser = Parser(
        prog=f"{PROGRAM} {name}",
        usage=f"%(prog)s [OPTION]... {COMMANDS[name].arguments}".rstrip(),
        description=module.__doc__,
        formatter_class=_Formatter,
        allow_abbrev=False,
        add_help=False,
    )
    module.add_arguments(parser)
    add_common_arguments(parser)
    return parser
