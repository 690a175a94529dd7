"""Check the inertial parameters of every body in robot models."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from inertial_check.cli import exit_codes, options, output
from inertial_check.errors import UsageError
from inertial_check.inertia import tolerances
from inertial_check.reports import FORMS, View, render
from inertial_check.reports.text import plural, printable

if TYPE_CHECKING:
    from inertial_check.model import Report
    from inertial_check.pipeline.settings import Settings

_STDIN = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `check` takes."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file; a folder, searched for models that git does not ignore; a glob (** goes "
        "through folders); - for standard input",
    )
    group = parser.add_argument_group("Rule selection")
    for name, effect in (("--select", "run only"), ("--ignore", "do not run")):
        group.add_argument(
            name,
            action="extend",
            type=_selectors,
            metavar="RULES",
            help=f"{effect} these rules: codes, beginnings of codes (IC3), names or ALL, separated "
            "by commas; the more specific of --select and --ignore wins",
        )
    group.add_argument(
        "--tolerance",
        type=float,
        default=0.0,
        metavar="MARGIN",
        help="let margins down to -MARGIN pass (dimensionless; default: 0)",
    )
    group.add_argument(
        "--preset",
        choices=("default", "strict"),
        default="default",
        help="default: sound models stay quiet; strict: every doubt is said",
    )
    group = parser.add_argument_group("Evidence")
    group.add_argument(
        "--geometry",
        choices=("auto", "off"),
        default="auto",
        help="read shapes and meshes, and say where the numbers do not fit them (default: auto)",
    )
    group.add_argument(
        "--expect-mass",
        metavar="KG[:REL]",
        help="total mass of a model [kg], and the relative deviation that is allowed (0.01)",
    )
    group.add_argument(
        "--engine",
        action="extend",
        type=_selectors,
        default=[],
        metavar="ENGINES",
        help="fail on what these engines would refuse, alter, replace or drop: mujoco, drake, gz, "
        "newton, pybullet, pinocchio, idyntree, genesis, dart, physx; separated by commas",
    )
    group = parser.add_argument_group("Exit code")
    group.add_argument(
        "--fail-on",
        choices=("error", "warning", "note", "never"),
        default="error",
        help="exit with 1 from this severity on (default: error)",
    )
    group.add_argument(
        "--strict", action="store_true", help="fail on warnings, and on singular inertias"
    )
    group.add_argument(
        "--allow-empty", action="store_true", help="that there is nothing to check is no failure"
    )
    group = parser.add_argument_group("File selection")
    group.add_argument(
        "--stdin-filename", metavar="NAME", help="what to call standard input (default: <stdin>)"
    )
    group.add_argument(
        "--show-files", action="store_true", help="list the files to check, and check none"
    )
    options.add_context(parser)
    group = parser.add_argument_group("Output")
    group.add_argument(
        "--output-format", choices=FORMS, default="full", help="form of the report (default: full)"
    )
    group.add_argument("--output-file", metavar="FILE", help="write the report here, not to stdout")
    group.add_argument("--statistics", action="store_true", help="count the findings of each rule")


def run(args: argparse.Namespace) -> int:
    """Check, report, and tell in the exit code what was found."""
    settings = _settings(args)
    stdin_name = _stdin_name(args)
    if args.show_files:
        return _show_files(args, stdin_name)

    from inertial_check.pipeline.check import check_paths

    stdin = None if stdin_name is None else (_stdin_bytes(), stdin_name)
    report = check_paths(args.paths, settings, stdin)
    _refuse_to_overwrite(args.output_file, [*args.paths, *(file.path for file in report.files)])
    code = _exit_code(report, settings)
    view = View(
        exit_code=code,
        color=output.wants_color(args.color, None if args.output_file else sys.stdout),
        summary=not args.quiet,
        statistics=args.statistics,
    )
    output.write(render(report, args.output_format, view), args.output_file)
    if args.verbose:
        for file in report.files:
            bodies, findings = (
                plural(len(file.bodies), "body"),
                plural(len(file.findings), "finding"),
            )
            output.note(f"{file.path}: {file.format or 'unread'}, {bodies}, {findings}")
    _tell(args, report.failures, report.notes)
    return code


def _settings(args: argparse.Namespace) -> Settings:
    from inertial_check.model import Severity
    from inertial_check.pipeline.settings import Settings

    settings = Settings(
        select=("ALL",) if args.select is None else tuple(args.select),
        ignore=tuple(args.ignore or ()),
        fail_on=None if args.fail_on == "never" else Severity[args.fail_on.upper()],
        strict=args.strict,
        tolerance=args.tolerance,
        allow_empty=args.allow_empty,
        context=options.context_of(args),
        preset=args.preset,
        geometry=args.geometry,
        engines=tuple(args.engine),
        expected_mass=_expected_mass(args.expect_mass),
    ).validated()
    if not settings.rules():
        raise UsageError("--select and --ignore leave no rule to run")
    return settings


def _expected_mass(text: str | None) -> tuple[float, float] | None:
    """Mass and allowed relative deviation, from KG or KG:REL."""
    if text is None:
        return None
    mass, colon, deviation = text.partition(":")
    try:
        return float(mass), float(deviation) if colon else tolerances.TOTAL_MASS
    except ValueError:
        raise UsageError(
            f"--expect-mass is {text!r}: expected KG or KG:REL, as 12.5:0.02"
        ) from None


def _selectors(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _stdin_name(args: argparse.Namespace) -> str | None:
    """What to call standard input; None where it is not to be read."""
    if _STDIN in args.paths:
        return args.stdin_filename or "<stdin>"
    if args.stdin_filename is not None:
        raise UsageError("--stdin-filename names standard input: give - as a path to read it")
    return None


def _stdin_bytes() -> bytes:
    if sys.stdin is None:
        raise UsageError("cannot read standard input: it is closed")
    return sys.stdin.buffer.read()


def _exit_code(report: Report, settings: Settings) -> int:
    if report.failures:
        return exit_codes.FAILURE
    failing = any(settings.fails(finding.severity) for finding in report.findings)
    return exit_codes.FINDINGS if failing else exit_codes.CLEAN


def _show_files(args: argparse.Namespace, stdin_name: str | None) -> int:
    from inertial_check.pipeline.discovery import discover

    found = discover([path for path in args.paths if path != _STDIN])
    shown = [file.path for file in found.files] + ([] if stdin_name is None else [stdin_name])
    failures = list(found.failures)
    if not shown and not failures and not args.allow_empty:
        failures.append(f"nothing to check in {', '.join(args.paths)}; --allow-empty accepts that")
    output.write("".join(f"{printable(path)}\n" for path in shown), args.output_file)
    _tell(args, failures, found.notes)
    return exit_codes.FAILURE if failures else exit_codes.CLEAN


def _refuse_to_overwrite(target: str | None, inputs: list[str]) -> None:
    """Stop before a report is written over a model that it speaks of."""
    if target is None or not os.path.exists(target):
        return
    if any(os.path.exists(path) and os.path.samefile(target, path) for path in inputs):
        raise UsageError(f"--output-file {target} is one of the files to check")


def _tell(args: argparse.Namespace, failures: Iterable[str], notes: Iterable[str]) -> None:
    if not args.quiet:
        for line in notes:
            output.note(line)
    for line in failures:
        output.failure(line)
