"""Fill inertials that are missing, from the shapes of bodies and from what is known of masses.

Prints the change as a unified diff and writes nothing, unless --write or -o is given. Bodies are
filled whose inertial is missing, the default of the format, zero or a placeholder; measured ones
count in known sums and stay.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from inertial_check.cli import options, output
from inertial_check.cli.fill_options import add_arguments, read_given, read_options
from inertial_check.cli.fix import (
    ChangeRun,
    change_models,
    count_bodies,
    dump_run,
    find_files,
    show_diff,
    write_changes,
)
from inertial_check.errors import DocumentError, InertialCheckError, UsageError
from inertial_check.inertia import tolerances
from inertial_check.reports.escaping import printable

if TYPE_CHECKING:
    from inertial_check.filling.result import FilledBody, Filling
    from inertial_check.model import Model
    from inertial_check.settings.settings import Settings

__all__ = ["add_arguments", "run"]


def run(args: argparse.Namespace) -> int:
    """Fill the models; show or write the result, and return the exit code."""
    if args.write and args.output is not None:
        raise UsageError("--write changes the file itself, -o writes another: choose one")
    from inertial_check.filling.configured import complete_knowledge
    from inertial_check.filling.fill import fill_model
    from inertial_check.filling.records import describe_filling

    given = read_given(args)
    configurations = options.context_configurations(args)
    found = find_files(args, configurations, "fill")

    def fill(path: str, model: Model, settings: Settings) -> Filling:
        configured = configurations.of(path)["fill"]
        try:
            known = complete_knowledge(given, configured, model)
            chosen = read_options(args, configured)
            return fill_model(model, known, chosen, args.body, settings.context)
        except DocumentError:
            raise
        except InertialCheckError as error:
            message = str(error)
            raise UsageError(message if path in message else f"{path}: {message}") from None

    result = change_models(found, configurations, fill)
    code = write_changes(args, result)
    if args.output_format == "json":
        described = [describe_filling(each, _find_target(args, each)) for each in result.changes]
        output.write(dump_run(result, code, described))
    elif args.output_format in ("markdown", "html"):
        from inertial_check.filling.tables import write_html, write_markdown

        write = write_html if args.output_format == "html" else write_markdown
        output.write(write(result.changes))
    elif not (args.write or args.output is not None):
        show_diff(result)
    _print_summary(args, result)
    return code


def _print_summary(args: argparse.Namespace, result: ChangeRun[Filling]) -> None:
    """Print a line for each body, then counts, on stderr; failures even when quiet."""
    from inertial_check.filling.shapes.pieces import SKIPPED
    from inertial_check.filling.tables import write_lines

    for filling in () if args.quiet else result.changes:
        for body in filling.bodies:
            path = filling.fix.source.path
            print(printable(f"{path}:{body.line}: {_line(body)}"), file=sys.stderr)
            for line in write_lines(body) if args.verbose and body.status == "filled" else ():
                print(printable(f"  {line}"), file=sys.stderr)
            for remark in body.remarks if body.status == "filled" else ():
                if args.verbose or SKIPPED in remark:
                    print(printable(f"  {remark}"), file=sys.stderr)
        for note in filling.notes:
            print(printable(f"{filling.fix.source.path}: {note}"), file=sys.stderr)
    if result.changes and not args.quiet:
        changed = any(each.changed for each in result.changes)
        hint = "; --write does it." if changed and not (args.write or args.output) else "."
        print(count_bodies(args, result, "filled", "filled") + hint, file=sys.stderr)
    for line in (*result.unreadable, *result.failures):
        output.failure(line)


def _line(body: FilledBody) -> str:
    """The result for one body: mass and its interval, and where it comes from."""
    text = f"[{body.name}] {body.status}: {body.reason}"
    if body.parameters is None or body.interval is None or body.status != "filled":
        return text
    least, most = (float(value) for value in body.interval.mass)
    mass = float(body.parameters.mass)
    known = (
        "known"
        if most - least <= tolerances.MASS_KNOWN * mass
        else f"{least:.3g} to {most:.3g} kg possible"
    )
    guess = ", a guess" if body.guess else ""
    return f"{text}; {mass:.6g} kg ({known}{guess}): {body.source}"


def _find_target(args: argparse.Namespace, filling: Filling) -> str | None:
    """The path that a filling was written to; None if it was not."""
    if args.output is not None:
        return str(args.output)
    return filling.fix.source.path if args.write and filling.changed else None
