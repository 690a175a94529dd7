"""Scripts by which a shell completes the command line: --generate-completion, written by shtab.

A script is static text: completing a word starts no program. The commands and options are those of
the parsers, so a script is generated again after an update.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from inertial_check.cli.commands import COMMANDS, add_common_arguments, import_command
from inertial_check.cli.output import PROGRAM
from inertial_check.errors import UsageError
from inertial_check.spelling import suggest_name

OPTION = "--generate-completion"
SHELLS = ("bash", "zsh", "fish")
"""Shells for which there is a script."""


def generate_completion(arguments: Sequence[str]) -> str:
    """Generate the script by which a shell completes the command line.

    Args:
        arguments: The words after the option: the name of the shell.

    Raises:
        UsageError: No shell, an unknown one, or shtab is not installed.
    """
    if len(arguments) != 1 or arguments[0] not in SHELLS:
        hint = suggest_name(arguments[0], SHELLS) if arguments else ""
        raise UsageError(f"{OPTION} takes one shell: {', '.join(SHELLS)}{hint}")
    try:
        import shtab
    except ImportError:
        raise UsageError(
            f'{OPTION} needs shtab: pip install "inertial-check[completion]"'
        ) from None
    from inertial_check.causes import ALL_CAUSES
    from inertial_check.engines import ENGINES
    from inertial_check.rules import ALL_RULES

    rules = [text for rule in ALL_RULES for text in (rule.code, rule.name)]
    words = {
        "ENGINES": [*ENGINES],
        "NAME[,NAME]": [*ENGINES],
        "RULES": rules,
        "CODE": [*rules, *(cause.name for cause in ALL_CAUSES)],
    }
    whole = argparse.ArgumentParser(prog=PROGRAM, add_help=False)
    commands = whole.add_subparsers()
    for name, entry in COMMANDS.items():
        parser = commands.add_parser(name, help=entry.summary, add_help=False)
        import_command(name).add_arguments(parser)
        add_common_arguments(parser)
        for action in parser._actions:
            if name == "check" and action.option_strings:
                whole._add_action(action)  # `check` runs where no command is named
            if action.choices is None and isinstance(action.metavar, str):
                action.choices = words.get(action.metavar)
            if action.choices is None and action.nargs != 0:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    script: str = shtab.complete(whole, arguments[0])
    return script
