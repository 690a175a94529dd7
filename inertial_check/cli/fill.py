"""Fill inertials that are missing, from the shapes of bodies and from what is known of masses.

Prints the change as a unified diff and writes nothing, unless --write or -o is given. Bodies are
filled whose inertial is missing, the default of the format, zero or a placeholder; measured ones
count in known sums and stay.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inertial_check.cli import exit_codes, options, output
from inertial_check.cli.fill_options import add_arguments, read_given, read_options
from inertial_check.cli.fill_report import RunResult, describe_run, print_summary
from inertial_check.cli.fix import find_files, show_diff, writable_folders
from inertial_check.errors import (
    DocumentError,
    InertialCheckError,
    NotAModelError,
    NotExpandedError,
    UsageError,
)
from inertial_check.formats.xacro.total import limit_expansions
from inertial_check.isolation import raise_defects

if TYPE_CHECKING:
    from inertial_check.selecting.discovery import Discovery
    from inertial_check.settings.configuration import Configurations

__all__ = ["add_arguments", "run"]


def run(args: argparse.Namespace) -> int:
    """Fill the models; show or write the result, and return the exit code."""
    if args.write and args.output is not None:
        raise UsageError("--write changes the file itself, -o writes another: choose one")
    given = read_given(args)
    configurations = options.context_configurations(args)
    found = find_files(args, configurations, "fill")
    result = _fill_all(found, args, configurations, given)
    if args.write or args.output is not None:
        _write_all(result, args)
    code = _exit_code(args, result)
    if args.output_format == "json":
        output.write(describe_run(args, result, code))
    elif args.output_format in ("markdown", "html"):
        from inertial_check.filling.tables import write_html, write_markdown

        write = write_html if args.output_format == "html" else write_markdown
        output.write(write(result.fillings))
    elif not (args.write or args.output is not None):
        show_diff("".join(filling.diff() for filling in result.fillings))
    print_summary(args, result)
    return code


@limit_expansions()
def _fill_all(
    found: Discovery,
    args: argparse.Namespace,
    configurations: Configurations,
    given: Mapping[str, Any],
) -> RunResult:
    """The fillings of all files, none written yet; a body has to be in each of them."""
    from inertial_check.checking.check import is_fragment
    from inertial_check.filling.configured import complete_knowledge
    from inertial_check.filling.fill import fill_model
    from inertial_check.formats import load

    result = RunResult(failures=list(found.failures))
    for path, named in found.files:
        try:
            settings = configurations.settings(path)
            model = load(path, context=settings.context)
            if named or not is_fragment(model):
                configured = configurations.of(path)["fill"]
                known = complete_knowledge(given, configured, model)
                chosen = read_options(args, configured)
                with raise_defects(path, InertialCheckError):
                    filling = fill_model(model, known, chosen, args.body, settings.context)
                result.fillings.append(filling)
        except NotAModelError as error:
            if named:
                result.failures.append(str(error))
        except DocumentError as error:
            if isinstance(error, NotExpandedError) and not named:
                output.note(f"skipped: {error}")
                continue
            (result.failures if named else result.unreadable).append(str(error))
        except InertialCheckError as error:
            message = str(error)
            result.failures.append(message if path in message else f"{path}: {message}")
    return result


def _write_all(result: RunResult, args: argparse.Namespace) -> None:
    """Write every filling; one that cannot be written becomes a failure."""
    writable = writable_folders(args)
    fillings, result.fillings = result.fillings, []
    for filling in fillings:
        try:
            if args.output is not None:
                filling.write(args.output)
            else:
                outside = filling.fix.follow_outside
                filling.write(writable=replace(writable, follow_outside=outside))
            result.fillings.append(filling)
        except UsageError as error:
            result.failures.append(str(error))


def _exit_code(args: argparse.Namespace, result: RunResult) -> int:
    if result.failures:
        return exit_codes.FAILURE
    shown_only = not args.write and args.output is None
    left = any(not each.complete or (shown_only and each.changed) for each in result.fillings)
    return exit_codes.FINDINGS if left or result.unreadable else exit_codes.CLEAN
