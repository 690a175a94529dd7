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
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from inertial_check import __version__
from inertial_check.documents.children import limit_expansions, raise_defects
from inertial_check.documents.escaping import dump_json, guard_diff, printable
from inertial_check.documents.files.writing import WritableFolders
from inertial_check.documents.load import load
from inertial_check.documents.model import ENTRIES, Model
from inertial_check.documents.spelling import find_similar_names
from inertial_check.errors import (
    DocumentError,
    InertialCheckError,
    NotAModelError,
    NotExpandedError,
    UsageError,
)
from inertial_check.programs.cli import options, output
from inertial_check.reports.json import plain
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from inertial_check.checking.configuration import Configurations
    from inertial_check.checking.discovery import Discovery
    from inertial_check.checking.settings import Settings
    from inertial_check.fixing.fill.result import Filling
    from inertial_check.fixing.impact import Impact
    from inertial_check.fixing.request import FixRequest
    from inertial_check.fixing.result import BodyFix, Fix


SCHEMA_VERSION = "1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `fix`."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file; a folder, searched for models that git does not ignore; a glob",
    )
    add = add_writing(parser)
    add(
        "--unsafe",
        "also write remedies that are less than 97 %% sure, and changes beyond --max-change",
    )
    add(
        "--max-change FRACTION",
        "largest relative change of the inertia without --unsafe (default: 0.05; no limit "
        "with --cause)",
        type=float,
    )
    add = options.add_group(parser, "Where the numbers come from")
    add(
        "--method",
        "remedy: what check offers (default); nearest: the least change; geometry: the written "
        "mass spread evenly over the body's shapes, also for selected consistent bodies",
        choices=("remedy", "nearest", "geometry"),
        default="remedy",
    )
    add(
        "--shapes",
        "with --method geometry: use only these (default: collision, else visual)",
        choices=("collision", "visual"),
    )
    add("--move-com", "with --method geometry: also use the centre of mass of the shapes")
    add(
        "--cause N",
        "instead, write what the N-th probable cause says was meant, as listed by check -v",
        type=int,
    )
    add(
        "--engine NAME[,NAME]",
        "also move consistent bodies that one of these engines would refuse or alter",
        default=[],
        **options.LIST,
    )
    add("--expect TABLE", "table of expected numbers of bodies, as for check")
    add("--history N", "older versions to ask git for, as for check", type=int)
    options.add_nearest(parser)
    parser.set_defaults(metric=None)  # --cause refuses a metric that was asked for
    options.add_context(parser)
    add = options.add_group(parser, "Selection")
    add("--body NAME ...", "look at this body only (repeatable)", default=[])
    add(
        "--select RULES",
        "look only at bodies with findings of these rules: codes, beginnings of codes, names",
        default=[],
        **options.LIST,
    )
    add("--all-remedies", "write the remedies of all bodies, not only of those that cannot exist")
    options.add_sniff(add)
    add("--allow-empty", "succeed if no model is found")
    add = options.add_group(parser, "Output")
    add(
        "--output-format",
        "text: the diff, unless it is written (default); json: every body, old and new",
        choices=("text", "json"),
        default="text",
    )
    add(
        "--impact",
        "also print how the fixes change the robot's mass matrix, gravity and velocity torques",
    )
    options.add_plot(add, "the numbers before and after")


def add_writing(parser: argparse.ArgumentParser) -> options.AddOption:
    """Add --write and -o, which `find_files` checks; returns what adds to their group."""
    add = options.add_group(parser, "Writing")
    add("--write", "change the files in place")
    add("-o, --output FILE", "write the result of a single model to this file")
    return add


def run(args: argparse.Namespace) -> int:
    """Fix the models; show or write the result, and return the exit code."""
    from inertial_check.fixing.request import FixRequest

    if args.write and args.output is not None:
        raise UsageError("--write changes the file itself, -o writes another: choose one")
    options.check_plot(args.plot, [*args.paths, args.output])
    configurations = options.context_configurations(args)
    found = find_files(args, configurations, "fix")
    shapes = [args.shapes] if args.shapes else []
    request = options.read_group(
        FixRequest, args, engines=args.engine, bodies=args.body, shapes=shapes
    )
    impacts: dict[str, Impact] = {}
    selection = _BodySelection(set(request.bodies))

    def fix_model(path: str, model: Model, settings: Settings) -> Fix:
        fix = _fix_file(request, model, settings, selection)
        if args.impact:
            from inertial_check.fixing.impact import impact_of_fix

            impacts[path] = impact_of_fix(model, fix.bodies)
        return fix

    result = change_models(found, configurations, fix_model, args.quiet)
    if found.files and selection.missing:
        raise UsageError(selection.describe_missing())
    code = write_changes(args, result)
    if args.plot is not None:
        from inertial_check.reports import plots

        plots.save(plots.fix(result.changes), args.plot)
    if args.output_format == "json":
        files = [_file_as_json(args, fix, impacts.get(fix.source.path)) for fix in result.changes]
        output.write(dump_run(result, code, files))
    elif not (args.write or args.output is not None):
        show_diff(result)
    _print_summary(args, result, impacts)
    return code


Change = TypeVar("Change", "Fix", "Filling")


@dataclass
class ChangeRun(Generic[Change]):
    """The outcome of a command that changes models.

    Attributes:
        changes: The change of each model.
        unreadable: Documents found in a folder that cannot be read.
        failures: Why the command failed.
    """

    changes: list[Change] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@limit_expansions()
def change_models(
    found: Discovery,
    configurations: Configurations,
    change: Callable[[str, Model, Settings], Change],
    quiet: bool,
) -> ChangeRun[Change]:
    """Make the changes of all files, none written yet, with a bar of the progress on a terminal.

    Args:
        found: The files.
        configurations: Configurations of the run.
        change: Gives the change of the model at a path with its settings.
        quiet: Whether the progress is not shown.
    """
    from inertial_check.checking.check import is_fragment

    result: ChangeRun[Change] = ChangeRun(failures=list(found.failures))
    skipped: list[str] = []
    with closing(output.ProgressBar(wanted=not quiet)) as bar:
        for index, (path, named) in enumerate(found.files):
            bar(index / len(found.files), path)
            try:
                settings = configurations.settings(path)
                model = load(path, context=settings.context)
                if named or not is_fragment(model):
                    with raise_defects(path, InertialCheckError):
                        result.changes.append(change(path, model, settings))
            except NotAModelError as error:
                if named:
                    result.failures.append(str(error))
            except DocumentError as error:
                if isinstance(error, NotExpandedError) and not named:
                    skipped.append(f"skipped: {error}")
                    continue
                (result.failures if named else result.unreadable).append(str(error))
            except InertialCheckError as error:
                if str(error) not in result.failures:
                    result.failures.append(str(error))
    for line in skipped:
        output.note(line)
    return result


def write_changes(args: argparse.Namespace, result: ChangeRun[Change]) -> int:
    """Write the changes, if that is asked for; returns the exit code.

    A change that cannot be written becomes a failure.
    """
    shown_only = not args.write and args.output is None
    writable = writable_folders(args)
    changes, result.changes = result.changes, []
    for change in changes:
        try:
            if args.output is not None:
                change.write(args.output)
            elif args.write:
                change.write(writable=replace(writable, follow_outside=change.follow_outside))
            result.changes.append(change)
        except UsageError as error:
            result.failures.append(str(error))
    if result.failures:
        return output.FAILURE
    left = any(not each.complete or (shown_only and each.changed) for each in result.changes)
    return output.FINDINGS if left or result.unreadable else output.CLEAN


def show_diff(result: ChangeRun[Change]) -> None:
    """Print a diff, in which nothing from a document acts on a terminal or a build server."""
    diff = "".join(change.diff() for change in result.changes)
    shown = guard_diff(diff)
    output.write(shown)
    if shown != diff:
        output.note(
            "the diff shows control characters and commands of build servers escaped, so it cannot "
            "be applied; --write makes the change"
        )


def dump_run(result: ChangeRun[Change], code: int, files: Sequence[object]) -> str:
    """The report of a run as JSON."""
    statuses = [body.status for each in result.changes for body in each.bodies]
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": output.PROGRAM, "version": __version__},
        "summary": {
            "files": len(result.changes),
            "changed": sum(each.changed for each in result.changes),
            "bodies": len(statuses),
            "statuses": dict(sorted(Counter(statuses).items())),
            "exit_code": code,
        },
        "failures": [*result.failures, *result.unreadable],
        "files": [*files],
    }
    return dump_json(plain(document), indent=2) + "\n"


def count_bodies(args: argparse.Namespace, result: ChangeRun[Change], done: str, verb: str) -> str:
    """Count the bodies with a status, as "3 bodies would be moved in 1 file", and the others left.

    Args:
        args: The command line.
        result: The outcome of the run.
        done: Status of the bodies that are changed.
        verb: Participle of the change.
    """
    counts: Counter[str] = Counter(body.status for each in result.changes for body in each.bodies)
    bodies = plural(counts.pop(done, 0), "body")
    changed = sum(each.changed for each in result.changes)
    would = "" if args.write or args.output is not None else "would be "
    text = f"{bodies} {would}{verb} in {plural(changed, 'file')}"
    left = [f"{n} {word}" for word, n in sorted(counts.items()) if word not in _NOT_LEFT]
    return f"{text}; left: {', '.join(left)}" if left else text


_NOT_LEFT = ("unchanged", "missing")
"""Statuses of bodies that need nothing from `fix`."""


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


def find_files(args: argparse.Namespace, configurations: Configurations, verb: str) -> Discovery:
    """Find the files of the paths, and remove what killed runs have left beside them.

    Args:
        args: Paths and options of a command that writes.
        configurations: Configurations of the run.
        verb: Verb of the command, for its messages.

    Raises:
        UsageError: There is none, or -o cannot hold them all.
    """
    from inertial_check.checking.discovery import discover

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


def _fix_file(
    request: FixRequest, model: Model, settings: Settings, selection: _BodySelection
) -> Fix:
    """The fix of one file; tells the selection which of the bodies it has."""
    from inertial_check.fixing.edits import carry_out
    from inertial_check.fixing.request import find_unknown_bodies
    from inertial_check.fixing.result import Fix

    model = model.whole
    bodies = set(request.bodies).difference(find_unknown_bodies(model, request.bodies))
    selection.missing -= bodies
    if selection.missing:
        selection.known.update(dict.fromkeys(body.name for body in model.bodies))
    if request.bodies and not bodies:
        return Fix(model.source, model.format, model.source.data, ())
    own = replace(
        request,
        bodies=bodies,
        tolerance=settings.tolerance,
        context=settings.context,
        settings=settings,
    )
    return carry_out(own, model)


def writable_folders(args: argparse.Namespace) -> WritableFolders:
    """The folders that --write may change: those among the paths, and those of named files."""
    named = [path for path in args.paths if os.path.lexists(path)]
    return WritableFolders.around([*options.list_folders(args.paths), *named])


def _print_summary(
    args: argparse.Namespace, result: ChangeRun[Fix], impacts: Mapping[str, Impact]
) -> None:
    """Print a line for each body, then counts, on stderr; failures even when quiet."""
    for fix in () if args.quiet else result.changes:
        for body in fix.bodies:
            if body.status != "unchanged":
                line = f"{body.file or fix.source.path}:{body.line}: [{body.name}] {body.status}: "
                line += body.reason
                if body.new is not None:
                    line += f"; margin {body.margin_before:.3g} -> {body.margin:.3g}"
                print(printable(line), file=sys.stderr)
        if (impact := impacts.get(fix.source.path)) is not None:
            for line in (impact.text(), *impact.notes):
                print(printable(f"{fix.source.path}: {line}"), file=sys.stderr)
    if result.changes and not args.quiet:
        statuses = Counter(body.status for fix in result.changes for body in fix.bodies)
        sound = statuses["unchanged"]
        text = count_bodies(args, result, "fixed", "moved")
        text += f"; {plural(sound, 'body')} need{'' if sound != 1 else 's'} no fix"
        if statuses["fixed"] and not (args.write or args.output is not None):
            layered = all(fix.layer is not None for fix in result.changes if fix.changed)
            text += f"; {'-o FILE.usda' if layered else '--write'} does it"
        print(f"{text}.", file=sys.stderr)
    for line in (*result.unreadable, *result.failures):
        output.failure(line)


def name_written(args: argparse.Namespace, fix: Fix) -> str | None:
    """The path that a document was written to; None if it was not."""
    if args.output is not None:
        return str(args.output)
    return fix.source.path if args.write and fix.changed else None


def _file_as_json(args: argparse.Namespace, fix: Fix, impact: Impact | None) -> dict[str, object]:
    return {
        "path": fix.source.path,
        "format": fix.format,
        "changed": fix.changed,
        "complete": fix.complete,
        "written": name_written(args, fix),
        "bodies": [_body_as_json(body) for body in fix.bodies],
        **({} if impact is None else {"impact": impact.as_dict()}),
    }


def _body_as_json(body: BodyFix) -> dict[str, object]:
    def numbers(side: int, entries: Sequence[float] | None) -> dict[str, object] | None:
        if entries is None:
            return None
        found: dict[str, object] = dict(zip(ENTRIES, entries, strict=True))
        also = {"mass": body.mass, "com": body.com}
        return found | {name: pair[side] for name, pair in also.items() if pair is not None}

    document: dict[str, object] = {
        "name": body.name,
        "id": body.id,
        "line": body.line,
        "file": body.file,
        "status": body.status,
        "reason": body.reason or None,
        "cause": body.cause,
        "source": body.source,
        "confidence": body.confidence,
        "old": numbers(0, body.old),
        "new": numbers(1, body.new),
        "relative_change": body.relative_change,
        "distance": body.distance,
        "margin_before": body.margin_before,
        "margin": body.margin,
        "engines": {engine: each._asdict() for engine, each in body.engines.items()},
    }
    if body.added_mass is not None:  # that of a fluid, as 6x6 matrices
        document["added_mass"] = dict(zip(("old", "new"), body.added_mass, strict=True))
    return document
