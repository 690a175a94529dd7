"""Correct inertias that no body can have: the nearest, that of the shapes, or that of a cause.

Prints the change as a unified diff and writes nothing, unless --write or -o is given. Only the six
numbers of inconsistent bodies change; mass, centre of mass and every other byte stay, unless
--cause or --move-com says otherwise.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING

from inertial_check import __version__
from inertial_check.cli import exit_codes, options, output, plots
from inertial_check.errors import (
    DocumentError,
    InertialCheckError,
    NotAModelError,
    NotExpandedError,
    UsageError,
)
from inertial_check.formats.xacro.total import limit_expansions
from inertial_check.isolation import raise_defects
from inertial_check.reports.escaping import dump_json, guard_diff, printable
from inertial_check.reports.text import plural
from inertial_check.spelling import find_similar_names

if TYPE_CHECKING:
    from inertial_check.comparing.impact import Impact
    from inertial_check.files.json import Json
    from inertial_check.files.writing import WritableFolders
    from inertial_check.fixing.request import FixRequest
    from inertial_check.fixing.result import BodyFix, Fix
    from inertial_check.model import Model
    from inertial_check.selecting.discovery import Discovery
    from inertial_check.settings.configuration import Configurations
    from inertial_check.settings.settings import Settings

SCHEMA_VERSION = "1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `fix`."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file; a folder, searched for models that git does not ignore; a glob",
    )
    group = parser.add_argument_group("Writing")
    group.add_argument("--write", action="store_true", help="change the files in place")
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write the result of a single model to this file"
    )
    group.add_argument(
        "--unsafe", action="store_true", help="also make changes larger than --max-change"
    )
    group.add_argument(
        "--max-change",
        type=float,
        metavar="FRACTION",
        help="largest relative change of the inertia without --unsafe (default: 0.05; no limit "
        "with --cause)",
    )
    _add_method(parser)
    options.add_nearest(parser)
    parser.set_defaults(metric=None)  # --cause refuses a metric that was asked for
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
        action="extend",
        type=options.split_at_commas,
        default=[],
        metavar="RULES",
        help="look only at bodies with findings of these rules: codes, beginnings of codes, names",
    )
    options.add_sniff(group)
    group.add_argument("--allow-empty", action="store_true", help="succeed if no model is found")
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
        help="also print how the fixes change the robot's mass matrix, gravity and velocity "
        "torques",
    )
    plots.add_argument(group, "the numbers before and after")


def _add_method(parser: argparse.ArgumentParser) -> None:
    """Declare where the new numbers come from: --method, its own options, --cause and --engine."""
    group = parser.add_argument_group("Where the numbers come from")
    group.add_argument(
        "--method",
        choices=("nearest", "geometry"),
        default="nearest",
        help="nearest: the least change (default); geometry: the written mass spread evenly over "
        "the body's own shapes, also for consistent bodies that are selected",
    )
    group.add_argument(
        "--shapes",
        choices=("collision", "visual"),
        help="with --method geometry: use only these (default: collision, else visual)",
    )
    group.add_argument(
        "--move-com",
        action="store_true",
        help="with --method geometry: also use the centre of mass of the shapes",
    )
    group.add_argument(
        "--cause",
        type=int,
        metavar="N",
        help="instead, write the numbers that the N-th probable cause of a body's findings says "
        "were meant, as listed by check -v",
    )
    group.add_argument(
        "--engine",
        action="extend",
        type=options.split_at_commas,
        default=[],
        metavar="NAME[,NAME]",
        help="also move consistent bodies that one of these engines would refuse or alter, and "
        "stay above the engines' floors",
    )


def run(args: argparse.Namespace) -> int:
    """Fix the models; show or write the result, and return the exit code."""
    if args.write and args.output is not None:
        raise UsageError("--write changes the file itself, -o writes another: choose one")
    plots.check_target(args.plot, [*args.paths, args.output])
    configurations = options.context_configurations(args)
    found = find_files(args, configurations, "fix")
    result = _fix_all(found, args, configurations)
    if args.write or args.output is not None:
        _write_all(result, args)
    if args.plot is not None:
        plots.write(plots.draw_fixes(result.fixes), args.plot)
    code = _exit_code(args, result)
    if args.output_format == "json":
        output.write(_as_json(args, result, code))
    elif not (args.write or args.output is not None):
        show_diff("".join(fix.diff() for fix in result.fixes))
    _print_summary(args, result)
    return code


def show_diff(diff: str) -> None:
    """Print a diff, in which nothing from a document acts on a terminal or a build server."""
    shown = guard_diff(diff)
    output.write(shown)
    if shown != diff:
        output.note(
            "the diff shows control characters and commands of build servers escaped, so it cannot "
            "be applied; --write makes the change"
        )


@dataclass
class _RunResult:
    """Fixes of a run, documents found in a folder that cannot be read, and failures."""

    fixes: list[Fix] = field(default_factory=list)
    impacts: dict[str, Impact] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@dataclass
class _BodySelection:
    """Names of --body that no file has had yet, and the names of the bodies of all files."""

    missing: set[str]
    known: dict[str, None] = field(default_factory=dict)

    def describe_missing(self) -> str:
        """The message about the names that no body has, with those that were probably meant."""
        names = sorted(self.missing)
        meant = dict.fromkeys(
            each for name in names for each in find_similar_names(name, self.known)
        )
        hint = f"; did you mean {', '.join(map(repr, meant))}?" if meant else ""
        return f"no body is called {', '.join(map(repr, names))}: nothing was written{hint}"


def _request_of(args: argparse.Namespace) -> FixRequest:
    """The request that holds for all files."""
    from inertial_check.fixing.request import FixRequest

    return FixRequest(
        method=args.method,
        metric=args.metric,
        margin=args.margin,
        engines=args.engine,
        cause=args.cause,
        shapes=[args.shapes] if args.shapes else [],
        move_com=args.move_com,
        max_change=args.max_change,
        unsafe=args.unsafe,
        bodies=args.body,
        select=args.select,
    )


def find_files(args: argparse.Namespace, configurations: Configurations, verb: str) -> Discovery:
    """Find the files of the paths, and remove what killed runs have left beside them.

    Args:
        args: Paths and options of a command that writes.
        configurations: Configurations of the run.
        verb: Verb of the command, for its messages.

    Raises:
        UsageError: There is none, or -o cannot hold them all.
    """
    from inertial_check.selecting.discovery import discover

    found = discover(args.paths, configurations.excludes, args.sniff)
    if not (found.files or found.failures or args.allow_empty):
        raise UsageError(
            f"nothing to {verb} in {', '.join(args.paths)}; --allow-empty accepts that"
        )
    if args.output is not None and len(found.files) != 1:
        raise UsageError(f"-o takes one model, and there are {len(found.files)}; use --write")
    if not args.quiet:
        for line in found.notes:
            output.note(line)
    writable_folders(args).remove_leftovers_beside(path for path, _ in found.files)
    return found


@limit_expansions()
def _fix_all(
    found: Discovery, args: argparse.Namespace, configurations: Configurations
) -> _RunResult:
    """The fixes of all files, none written yet.

    Raises:
        UsageError: No file has a body that was asked for.
    """
    from inertial_check.checking.check import is_fragment
    from inertial_check.formats import load

    request, result = _request_of(args), _RunResult(failures=list(found.failures))
    selection = _BodySelection(set(request.bodies))
    for path, named in found.files:
        try:
            settings = configurations.settings(path)
            model = load(path, context=settings.context)
            if named or not is_fragment(model):
                with raise_defects(path, InertialCheckError):
                    fix = _fix_file(request, model, settings, selection)
                    if args.impact:
                        result.impacts[path] = _impact(model, fix)
                result.fixes.append(fix)
        except NotAModelError as error:
            if named:
                result.failures.append(str(error))
        except DocumentError as error:
            if isinstance(error, NotExpandedError) and not named:
                output.note(f"skipped: {error}")
                continue
            (result.failures if named else result.unreadable).append(str(error))
        except InertialCheckError as error:
            if str(error) not in result.failures:
                result.failures.append(str(error))
    if found.files and selection.missing:
        raise UsageError(selection.describe_missing())
    return result


def _fix_file(
    request: FixRequest, model: Model, settings: Settings, selection: _BodySelection
) -> Fix:
    """The fix of one file; tells the selection which of the bodies it has."""
    from inertial_check.fixing.fix import carry_out
    from inertial_check.fixing.request import find_unknown_bodies
    from inertial_check.fixing.result import Fix

    bodies = set(request.bodies).difference(find_unknown_bodies(model, request.bodies))
    selection.missing -= bodies
    if selection.missing:
        selection.known.update(dict.fromkeys(body.name for body in model.bodies))
    if request.bodies and not bodies:
        return Fix(model.source, model.format, model.source.data, ())
    tolerance, context = settings.tolerance, settings.context
    return carry_out(replace(request, bodies=bodies, tolerance=tolerance, context=context), model)


def _impact(model: Model, fix: Fix) -> Impact:
    from inertial_check.comparing.impact import impact_of_fix

    return impact_of_fix(model, fix.bodies)


def _write_all(result: _RunResult, args: argparse.Namespace) -> None:
    """Write every fix; one that cannot be written becomes a failure."""
    writable = writable_folders(args)
    fixes, result.fixes = result.fixes, []
    for fix in fixes:
        try:
            if args.output is not None:
                fix.write(args.output)
            else:
                fix.write(writable=replace(writable, follow_outside=fix.follow_outside))
            result.fixes.append(fix)
        except UsageError as error:
            result.failures.append(str(error))


def writable_folders(args: argparse.Namespace) -> WritableFolders:
    """The folders that --write may change: those among the paths, and those of named files."""
    from inertial_check.files.writing import WritableFolders

    named = [path for path in args.paths if os.path.lexists(path)]
    return WritableFolders.around([*options.list_folders(args.paths), *named])


def _exit_code(args: argparse.Namespace, result: _RunResult) -> int:
    if result.failures:
        return exit_codes.FAILURE
    shown_only = not args.write and args.output is None
    left = any(not fix.complete or (shown_only and fix.changed) for fix in result.fixes)
    return exit_codes.FINDINGS if left or result.unreadable else exit_codes.CLEAN


def _print_summary(args: argparse.Namespace, result: _RunResult) -> None:
    """Print a line for each body, then counts, on stderr; failures even when quiet."""
    for fix in () if args.quiet else result.fixes:
        for body in fix.bodies:
            if body.status != "unchanged":
                print(_line(body.file or fix.source.path, body), file=sys.stderr)
        if (impact := result.impacts.get(fix.source.path)) is not None:
            for line in (impact.text(), *impact.notes):
                print(printable(f"{fix.source.path}: {line}"), file=sys.stderr)
    if result.fixes and not args.quiet:
        print(_counts(args, result), file=sys.stderr)
    for line in (*result.unreadable, *result.failures):
        output.failure(line)


def _line(path: str, body: BodyFix) -> str:
    text = f"{path}:{body.line}: [{body.name}] {body.status}: {body.reason}"
    if body.new is not None:
        text += f"; margin {body.margin_before:.3g} -> {body.margin:.3g}"
    return printable(text)


def _counts(args: argparse.Namespace, result: _RunResult) -> str:
    counts = Counter(body.status for fix in result.fixes for body in fix.bodies)
    fixed, untouched = counts.pop("fixed", 0), counts.pop("unchanged", 0)
    counts.pop("missing", 0)
    changed = sum(fix.changed for fix in result.fixes)
    shown_only = not args.write and args.output is None
    verb = "would be moved" if shown_only else "moved"
    parts = [f"{plural(fixed, 'body')} {verb} in {plural(changed, 'file')}"]
    if counts:
        parts.append("left: " + ", ".join(f"{n} {word}" for word, n in sorted(counts.items())))
    parts.append(f"{plural(untouched, 'body')} need{'' if untouched != 1 else 's'} no fix")
    layered = all(fix.layer is not None for fix in result.fixes if fix.changed)
    way = "-o FILE.usda" if layered else "--write"
    hint = f"; {way} does it" if shown_only and fixed else ""
    return "; ".join(parts) + hint + "."


def _as_json(args: argparse.Namespace, result: _RunResult, code: int) -> str:
    bodies = [body for fix in result.fixes for body in fix.bodies]
    document: Json = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": output.PROGRAM, "version": __version__},
        "summary": {
            "files": len(result.fixes),
            "changed": sum(fix.changed for fix in result.fixes),
            "bodies": len(bodies),
            "statuses": dict(sorted(Counter(body.status for body in bodies).items())),
            "exit_code": code,
        },
        "failures": [*result.failures, *result.unreadable],
        "files": [_file_as_json(args, fix, result) for fix in result.fixes],
    }
    return dump_json(document, indent=2) + "\n"


def _file_as_json(args: argparse.Namespace, fix: Fix, result: _RunResult) -> dict[str, Json]:
    impact = result.impacts.get(fix.source.path)
    written = args.output if args.output is not None else fix.source.path
    return {
        "path": fix.source.path,
        "format": fix.format,
        "changed": fix.changed,
        "complete": fix.complete,
        "written": written if args.output is not None or (args.write and fix.changed) else None,
        "bodies": [_body_as_json(body) for body in fix.bodies],
        **({} if impact is None else {"impact": impact.as_dict()}),
    }


def _body_as_json(body: BodyFix) -> dict[str, Json]:
    return {
        "name": body.name,
        "id": body.id,
        "line": body.line,
        "file": body.file,
        "status": body.status,
        "reason": body.reason or None,
        "cause": body.cause,
        "old": _numbers_as_json(body, 0),
        "new": _numbers_as_json(body, 1),
        "relative_change": _finite(body.relative_change),
        "distance": _finite(body.distance),
        "margin_before": _finite(body.margin_before),
        "margin": _finite(body.margin),
        "engines": {engine: each._asdict() for engine, each in body.engines.items()},
        **_added_mass_as_json(body),
    }


def _added_mass_as_json(body: BodyFix) -> dict[str, Json]:
    """The added mass of the fluid before and after, as 6x6 matrices; nothing where it stays."""
    if body.added_mass is None:
        return {}
    old, new = ([list(row) for row in matrix] for matrix in body.added_mass)
    return {"added_mass": {"old": old, "new": new}}


def _numbers_as_json(body: BodyFix, side: int) -> dict[str, Json] | None:
    """The numbers before (0) or after (1): six entries, and mass and centre if they change."""
    from inertial_check.model import ENTRIES

    six = (body.old, body.new)[side]
    if six is None:
        return None
    numbers: dict[str, Json] = dict(zip(ENTRIES, map(_finite, six), strict=True))
    if body.mass is not None:
        numbers["mass"] = _finite(body.mass[side])
    if body.com is not None:
        numbers["com"] = [_finite(value) for value in body.com[side]]
    return numbers


def _finite(value: float) -> float | None:
    """A number for JSON, which has no NaN and no infinity."""
    return value if isfinite(value) else None
