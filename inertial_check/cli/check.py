"""Check the inertial parameters of every body in robot models."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from inertial_check.cli import exit_codes, known_findings, options, output, running
from inertial_check.cli.known_findings import KnownFindings
from inertial_check.cli.progress import ProgressBar
from inertial_check.errors import UsageError
from inertial_check.reports import FORMS, SUGGESTING, RulePage, View, render
from inertial_check.reports.text import plural, printable

if TYPE_CHECKING:
    from inertial_check.model import Report
    from inertial_check.settings.configuration import Configurations
    from inertial_check.settings.settings import Settings

_STDIN = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `check` takes."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a file; a folder, searched for models that git does not ignore; a glob (** goes "
        "through folders); - for standard input",
    )
    group = parser.add_argument_group("Rule selection")
    for name, effect in (
        ("--select", "run only these rules: codes, beginnings of codes (IC3), names or ALL, "),
        ("--ignore", "do not run these rules; the more specific of --select and --ignore wins, "),
        ("--extend-select", "run these rules besides those that the configuration selects, "),
        ("--extend-ignore", "ignore these rules besides those that the configuration ignores, "),
    ):
        group.add_argument(
            name,
            action="extend",
            type=options.comma_separated,
            metavar="RULES",
            help=f"{effect}separated by commas",
        )
    group.add_argument(
        "--tolerance",
        type=float,
        metavar="MARGIN",
        help="let margins down to -MARGIN pass (dimensionless; default: 0)",
    )
    group.add_argument(
        "--preset",
        metavar="PRESETS",
        help="default: sound models stay quiet; strict: every doubt is said, and --strict; "
        "simulator:NAME: --engine NAME; separated by commas",
    )
    group = parser.add_argument_group("Evidence")
    group.add_argument(
        "--geometry",
        choices=("auto", "off"),
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
        type=options.comma_separated,
        metavar="ENGINES",
        help="fail on what these engines would refuse, alter, replace or drop: mujoco, drake, gz, "
        "newton, pybullet, pinocchio, idyntree, genesis, dart, physx; separated by commas",
    )
    group = parser.add_argument_group("Exit code")
    group.add_argument(
        "--fail-on",
        choices=("error", "warning", "note", "never"),
        help="exit with 1 from this severity on (default: error)",
    )
    group.add_argument(
        "--strict",
        action=argparse.BooleanOptionalAction,
        help="fail on warnings, and on singular inertias",
    )
    group.add_argument(
        "--allow-empty", action="store_true", help="that there is nothing to check is no failure"
    )
    known_findings.add_arguments(parser)
    group = parser.add_argument_group("File selection")
    group.add_argument(
        "--exclude",
        action="append",
        metavar="PATTERN",
        help="leave out what a folder or glob holds under this path, a pattern as in a .gitignore "
        "(repeatable)",
    )
    group.add_argument(
        "--stdin-filename", metavar="NAME", help="what to call standard input (default: <stdin>)"
    )
    running.add_selection(group)
    options.add_sniff(group)
    group.add_argument(
        "--show-files", action="store_true", help="list the files to check, and check none"
    )
    options.add_context(parser)
    options.add_configuration(parser)
    parser.add_argument_group("Configuration").add_argument(
        "--show-settings",
        action="store_true",
        help="print what holds for each PATH and where it is set, and check none",
    )
    running.add_arguments(parser)
    group = parser.add_argument_group("Output")
    group.add_argument(
        "--output-format",
        choices=FORMS,
        help="form of the report: for people (full, concise, markdown), for programs (json, "
        "jsonl), for code hosts and build servers (sarif, junit, github, gitlab) (default: full)",
    )
    group.add_argument("--output-file", metavar="FILE", help="write the report here, not to stdout")
    group.add_argument("--statistics", action="store_true", help="count the findings of each rule")


def run(args: argparse.Namespace) -> int:
    """Check, report, and tell in the exit code what was found."""
    configurations = options.configurations(args)
    run = configurations.run
    args.output_format = run["output-format"]
    listed = running.listed(args)
    args.paths += listed.paths
    may_be_empty = args.allow_empty or bool(listed.failures)
    settings = replace(run.settings, allow_empty=may_be_empty)
    if not args.paths and args.files_from is None:
        raise UsageError("no PATH to check (see inertial-check check --help)")
    stdin_name = _stdin_name(args)
    if args.show_settings:
        return _show_settings(args, configurations)
    if args.show_files:
        return _show_files(args, configurations, stdin_name)

    stdin = None if stdin_name is None else (_stdin_bytes(), stdin_name)
    known = KnownFindings(args, run["baseline"], configurations)
    report = _checked(args, settings, configurations, known, stdin)
    report = replace(report, failures=(*listed.failures, *report.failures))
    _refuse_to_overwrite(args.output_file, [*args.paths, *(file.path for file in report.files)])
    code = _exit_code(report, settings)
    view = View(
        exit_code=code,
        color=output.wants_color(args.color, None if args.output_file else sys.stdout),
        summary=not args.quiet,
        statistics=args.statistics,
        fail_on=settings.fail_on,
        rules=_pages(settings) if args.output_format == "sarif" else (),
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


def _checked(
    args: argparse.Namespace,
    settings: Settings,
    configurations: Configurations,
    known: KnownFindings,
    stdin: tuple[bytes, str] | None,
) -> Report:
    """The report, with what its form shows besides."""
    from inertial_check.running.run import check_paths

    of = configurations.settings
    with closing(ProgressBar(wanted=not args.quiet)) as bar:
        plan = running.plan_of(args, configurations.run["jobs"], args.output_format, bar)
        report = check_paths(args.paths, settings, stdin, of, plan, args.sniff)
    report = known.suppressed(report)
    if args.output_format in SUGGESTING:
        from inertial_check.fixing.suggestions import add_suggestions

        report = add_suggestions(report, settings, stdin, of)
    return report


def _pages(settings: Settings) -> tuple[RulePage, ...]:
    """What the report can say of the rules of this run."""
    from inertial_check.rules.pages import as_dict, page

    return tuple(
        RulePage(
            rule.code,
            rule.name,
            settings.severity(rule),
            each["summary"],
            " ".join(each["explanation"]["What it does"].split()),
            page(rule),
        )
        for rule in settings.rules()
        for each in (as_dict(rule),)
    )


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


def _show_settings(args: argparse.Namespace, configurations: Configurations) -> int:
    from inertial_check.cli.shown_settings import render

    paths = [(args.stdin_filename or "") if path == _STDIN else path for path in args.paths]
    output.write(render(configurations, paths), args.output_file)
    return exit_codes.CLEAN


def _show_files(
    args: argparse.Namespace, configurations: Configurations, stdin_name: str | None
) -> int:
    from inertial_check.selecting.discovery import discover

    found = discover(
        [path for path in args.paths if path != _STDIN],
        configurations.excludes,
        args.sniff,
    )
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
