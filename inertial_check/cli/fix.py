"""Show, or write, inertias that a body can have: the nearest, those of its shapes, or a cause's.

Prints the change as a unified diff and writes nothing, unless --write or -o is given. Only the six
numbers of inconsistent bodies change; mass, centre of mass and every other byte stay, unless
--cause or --move-com says otherwise.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from inertial_check import __version__
from inertial_check.cli import exit_codes, options, output
from inertial_check.errors import (
    DocumentError,
    InertialCheckError,
    NotAModelError,
    NotExpandedError,
    UsageError,
)
from inertial_check.reports.text import plural, printable

if TYPE_CHECKING:
    from inertial_check.comparing.impact import Impact
    from inertial_check.fixing.fix import BodyFix, Fix
    from inertial_check.model import Model
    from inertial_check.selecting.discovery import Discovery
    from inertial_check.settings.configuration import Configurations
    from inertial_check.settings.settings import Settings

SCHEMA_VERSION = "1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `fix` takes."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file; a folder, searched for models that git does not ignore; a glob",
    )
    group = parser.add_argument_group("Writing")
    group.add_argument("--write", action="store_true", help="change the files in place")
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write the one model that is given here"
    )
    group.add_argument(
        "--unsafe", action="store_true", help="also make changes larger than --max-change"
    )
    group.add_argument(
        "--max-change",
        type=float,
        metavar="FRACTION",
        help="relative change of the inertia made without --unsafe (default: 0.05; with --cause "
        "any)",
    )
    _add_method(parser)
    options.add_nearest(parser)
    parser.set_defaults(metric=None)  # with --cause it matters whether one was asked for
    options.add_context(parser)
    options.add_configuration(parser)
    group = parser.add_argument_group("Selection")
    group.add_argument(
        "--body",
        action="append",
        default=[],
        metavar="NAME",
        help="look at this body only (repeatable)",
    )
    group.add_argument(
        "--select",
        action="append",
        type=_parts,
        default=[],
        metavar="RULES",
        help="look only at bodies with findings of these rules: codes, beginnings of codes, names",
    )
    options.add_sniff(group)
    group.add_argument(
        "--allow-empty", action="store_true", help="that there is nothing to fix is no failure"
    )
    group = parser.add_argument_group("Output")
    group.add_argument(
        "--output-format",
        choices=("text", "json"),
        default="text",
        help="text: the diff, unless it is written (default); json: every body, old and new",
    )
    group.add_argument(
        "--impact",
        action="store_true",
        help="also say what the fixes do to the robot's mass matrix, gravity and velocity torques",
    )


def _add_method(parser: argparse.ArgumentParser) -> None:
    """Declare where the numbers come from: --method, its own options, --cause and --engine."""
    group = parser.add_argument_group("Where the numbers come from")
    group.add_argument(
        "--method",
        choices=("nearest", "geometry"),
        default="nearest",
        help="nearest: the least change (default); geometry: the written mass spread evenly over "
        "the body's own shapes, also of consistent bodies that are selected",
    )
    group.add_argument(
        "--shapes",
        choices=("collision", "visual"),
        help="of --method geometry: take these only (default: collision, else visual)",
    )
    group.add_argument(
        "--move-com",
        action="store_true",
        help="of --method geometry: also take the centre of mass of the shapes",
    )
    group.add_argument(
        "--cause",
        type=int,
        metavar="N",
        help="instead, write what the N-th probable cause of a body's findings says was meant, as "
        "check lists them",
    )
    group.add_argument(
        "--engine",
        action="append",
        type=_parts,
        default=[],
        metavar="NAME[,NAME]",
        help="aim at the floors of these engines, too: also bodies that are consistent, and that "
        "one of them would refuse or alter, are moved",
    )


def run(args: argparse.Namespace) -> int:
    """Fix, show or write, and tell in the exit code whether something is left to do."""
    if args.write and args.output is not None:
        raise UsageError("--write changes the file itself, -o writes another: choose one")
    configurations = options.configured_context(args)
    found = _found(args, configurations)
    outcome = _fix_all(found, args, configurations)
    if args.write or args.output is not None:
        _write_all(outcome, args.output)
    code = _exit_code(args, outcome)
    if args.output_format == "json":
        output.write(_as_json(args, outcome, code))
    elif not (args.write or args.output is not None):
        output.write("".join(fix.diff() for fix in outcome.fixes))
    _say(args, outcome)
    return code


@dataclass
class _Outcome:
    """What came of the files: fixes, documents that a walk found and could not read, failures."""

    fixes: list[Fix] = field(default_factory=list)
    impacts: dict[str, Impact] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def _found(args: argparse.Namespace, configurations: Configurations) -> Discovery:
    """The files that the paths hold.

    Raises:
        UsageError: There is none, or -o cannot hold them all.
    """
    from inertial_check.selecting.discovery import discover

    found = discover(args.paths, configurations.excludes, args.sniff)
    if not (found.files or found.failures or args.allow_empty):
        raise UsageError(f"nothing to fix in {', '.join(args.paths)}; --allow-empty accepts that")
    if args.output is not None and len(found.files) != 1:
        raise UsageError(f"-o takes one model, and there are {len(found.files)}; use --write")
    if not args.quiet:
        for line in found.notes:
            output.note(line)
    return found


def _fix_all(
    found: Discovery, args: argparse.Namespace, configurations: Configurations
) -> _Outcome:
    """The fixes of all files, none written yet.

    Raises:
        UsageError: No file has a body that was asked for.
    """
    from inertial_check.checking.check import is_fragment
    from inertial_check.formats import load

    outcome = _Outcome(failures=list(found.failures))
    missing = set(args.body)
    for path, named in found.files:
        try:
            settings = configurations.settings(path)
            model = load(path, context=settings.context)
            if named or not is_fragment(model):
                outcome.fixes.append(_fixed(model, args, settings, missing))
                if args.impact:
                    outcome.impacts[path] = _impact(model, outcome.fixes[-1])
        except NotAModelError as error:
            if named:
                outcome.failures.append(str(error))
        except DocumentError as error:
            if isinstance(error, NotExpandedError) and not named:
                output.note(f"skipped: {error}")
                continue
            (outcome.failures if named else outcome.unreadable).append(str(error))
        except InertialCheckError as error:
            if str(error) not in outcome.failures:
                outcome.failures.append(str(error))
    if found.files and missing:
        names = ", ".join(sorted(map(repr, missing)))
        raise UsageError(f"no body is called {names}; nothing was written")
    return outcome


def _write_all(outcome: _Outcome, target: str | None) -> None:
    """Write every fix; one that cannot be written becomes a failure."""
    fixes, outcome.fixes = outcome.fixes, []
    for fix in fixes:
        try:
            fix.write(target)
            outcome.fixes.append(fix)
        except UsageError as error:
            outcome.failures.append(str(error))


def _fixed(model: Model, args: argparse.Namespace, settings: Settings, missing: set[str]) -> Fix:
    """The fix of one file; takes the bodies that it has out of `missing`."""
    from inertial_check.fixing.fix import Fix, fix_model, unknown_bodies

    bodies = set(args.body).difference(unknown_bodies(model, args.body))
    missing -= bodies
    if args.body and not bodies:
        return Fix(model.source, model.format, model.source.data, ())
    return fix_model(
        model,
        method=args.method,
        metric=args.metric,
        margin=args.margin,
        engines=[engine for part in args.engine for engine in part],
        cause=args.cause,
        shapes=[args.shapes] if args.shapes else [],
        move_com=args.move_com,
        max_change=args.max_change,
        unsafe=args.unsafe,
        bodies=bodies,
        select=[selector for part in args.select for selector in part],
        tolerance=settings.tolerance,
        context=settings.context,
    )


def _impact(model: Model, fix: Fix) -> Impact:
    from inertial_check.comparing.impact import impact_of_fix

    return impact_of_fix(model, fix.bodies)


def _exit_code(args: argparse.Namespace, outcome: _Outcome) -> int:
    if outcome.failures:
        return exit_codes.FAILURE
    shown_only = not args.write and args.output is None
    left = any(not fix.complete or (shown_only and fix.changed) for fix in outcome.fixes)
    return exit_codes.FINDINGS if left or outcome.unreadable else exit_codes.CLEAN


def _say(args: argparse.Namespace, outcome: _Outcome) -> None:
    """On stderr: a line a body, then counts; failures even when quiet."""
    if not args.quiet:
        for fix in outcome.fixes:
            for body in fix.bodies:
                if body.status != "unchanged":
                    print(_line(body.file or fix.source.path, body), file=sys.stderr)
            if (impact := outcome.impacts.get(fix.source.path)) is not None:
                for line in (impact.text(), *impact.notes):
                    print(printable(f"{fix.source.path}: {line}"), file=sys.stderr)
        if outcome.fixes:
            print(_summary(args, outcome), file=sys.stderr)
    for line in (*outcome.unreadable, *outcome.failures):
        output.failure(line)


def _line(path: str, body: BodyFix) -> str:
    text = f"{path}:{body.line}: [{body.name}] {body.status}: {body.reason}"
    if body.new is not None:
        text += f"; margin {body.margin_before:.3g} -> {body.margin:.3g}"
    return printable(text)


def _summary(args: argparse.Namespace, outcome: _Outcome) -> str:
    counts = Counter(body.status for fix in outcome.fixes for body in fix.bodies)
    fixed, untouched = counts.pop("fixed", 0), counts.pop("unchanged", 0)
    counts.pop("missing", 0)
    changed = sum(fix.changed for fix in outcome.fixes)
    shown_only = not args.write and args.output is None
    verb = "would be moved" if shown_only else "moved"
    parts = [f"{plural(fixed, 'body')} {verb} in {plural(changed, 'file')}"]
    if counts:
        parts.append("left: " + ", ".join(f"{n} {word}" for word, n in sorted(counts.items())))
    parts.append(f"{plural(untouched, 'body')} need{'' if untouched != 1 else 's'} no fix")
    layered = all(fix.layer is not None for fix in outcome.fixes if fix.changed)
    way = "-o FILE.usda" if layered else "--write"
    hint = f"; {way} does it" if shown_only and fixed else ""
    return "; ".join(parts) + hint + "."


def _as_json(args: argparse.Namespace, outcome: _Outcome, code: int) -> str:
    bodies = [body for fix in outcome.fixes for body in fix.bodies]
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": output.PROGRAM, "version": __version__},
        "summary": {
            "files": len(outcome.fixes),
            "changed": sum(fix.changed for fix in outcome.fixes),
            "bodies": len(bodies),
            "statuses": dict(sorted(Counter(body.status for body in bodies).items())),
            "exit_code": code,
        },
        "failures": [*outcome.failures, *outcome.unreadable],
        "files": [_file(args, fix, outcome.impacts) for fix in outcome.fixes],
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _file(args: argparse.Namespace, fix: Fix, impacts: Mapping[str, Impact]) -> dict[str, Any]:
    impact = impacts.get(fix.source.path)
    written = args.output if args.output is not None else fix.source.path
    return {
        "path": fix.source.path,
        "format": fix.format,
        "changed": fix.changed,
        "complete": fix.complete,
        "written": written if args.output is not None or (args.write and fix.changed) else None,
        "bodies": [_body(body) for body in fix.bodies],
        **({} if impact is None else {"impact": impact.as_dict()}),
    }


def _body(body: BodyFix) -> dict[str, Any]:
    return {
        "name": body.name,
        "id": body.id,
        "line": body.line,
        "file": body.file,
        "status": body.status,
        "reason": body.reason or None,
        "cause": body.cause,
        "old": _numbers(body, 0),
        "new": _numbers(body, 1),
        "relative_change": _number(body.relative_change),
        "distance": _number(body.distance),
        "margin_before": _number(body.margin_before),
        "margin": _number(body.margin),
        "engines": {engine: each._asdict() for engine, each in body.engines.items()},
    }


def _numbers(body: BodyFix, side: int) -> dict[str, Any] | None:
    """The numbers before (0) or after (1): six entries, and what else changes."""
    from inertial_check.model import ENTRIES

    six = (body.old, body.new)[side]
    if six is None:
        return None
    numbers: dict[str, Any] = dict(zip(ENTRIES, map(_number, six), strict=True))
    if body.mass is not None:
        numbers["mass"] = _number(body.mass[side])
    if body.com is not None:
        numbers["com"] = [_number(value) for value in body.com[side]]
    return numbers


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
