"""Report of `fill`: a line for each body, counts, and JSON."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from inertial_check import __version__
from inertial_check.cli import output
from inertial_check.cli.fix import SCHEMA_VERSION
from inertial_check.inertia import tolerances
from inertial_check.reports.escaping import dump_json, printable
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from inertial_check.files.json import Json
    from inertial_check.filling.result import FilledBody, Filling


@dataclass
class RunResult:
    """The fillings of a run, documents found in a folder that cannot be read, and failures."""

    fillings: list[Filling] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def print_summary(args: argparse.Namespace, result: RunResult) -> None:
    """Print a line for each body, then counts, on stderr; failures even when quiet."""
    from inertial_check.filling.shapes.pieces import SKIPPED
    from inertial_check.filling.tables import write_lines

    for filling in () if args.quiet else result.fillings:
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
    if result.fillings and not args.quiet:
        print(_counts(args, result), file=sys.stderr)
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


def _counts(args: argparse.Namespace, result: RunResult) -> str:
    counts = Counter(body.status for each in result.fillings for body in each.bodies)
    filled = counts.pop("filled", 0)
    changed = sum(each.changed for each in result.fillings)
    shown_only = not args.write and args.output is None
    verb = "would be filled" if shown_only else "filled"
    parts = [f"{plural(filled, 'body')} {verb} in {plural(changed, 'file')}"]
    if counts:
        parts.append("left: " + ", ".join(f"{n} {word}" for word, n in sorted(counts.items())))
    return "; ".join(parts) + ("; --write does it." if shown_only and changed else ".")


def describe_run(args: argparse.Namespace, result: RunResult, code: int) -> str:
    """The report of a run as JSON."""
    from inertial_check.filling.records import describe_filling

    bodies = [body for each in result.fillings for body in each.bodies]
    document: Json = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": output.PROGRAM, "version": __version__},
        "summary": {
            "files": len(result.fillings),
            "changed": sum(each.changed for each in result.fillings),
            "bodies": len(bodies),
            "statuses": dict(sorted(Counter(body.status for body in bodies).items())),
            "exit_code": code,
        },
        "failures": [*result.failures, *result.unreadable],
        "files": [describe_filling(each, _find_target(args, each)) for each in result.fillings],
    }
    return dump_json(document, indent=2) + "\n"


def _find_target(args: argparse.Namespace, filling: Filling) -> str | None:
    """The path that a filling was written to; None if it was not."""
    if args.output is not None:
        return str(args.output)
    return filling.fix.source.path if args.write and filling.changed else None
