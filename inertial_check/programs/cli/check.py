"""Check the inertial parameters of every body in robot models."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.checking.check import Document
from inertial_check.checking.discovery import discover
from inertial_check.checking.engines import ENGINES, VALIDATORS
from inertial_check.checking.report import FileReport, Finding, Lowering, Report
from inertial_check.checking.rules.base import name_some
from inertial_check.checking.settings import FORMS, Settings
from inertial_check.documents.children import Termination
from inertial_check.documents.escaping import clip, printable
from inertial_check.documents.files.writing import WritableFolders
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import UsageError
from inertial_check.programs.cli import options, output, rendering, running
from inertial_check.programs.cli.output import ProgressBar
from inertial_check.programs.cli.rendering import KnownFindings
from inertial_check.reports import RulePage
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from inertial_check.checking.configuration import Configurations


_STDIN = "-"


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that `check` and `report` share: all but those of the output."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a file; a folder, searched for models that git does not ignore; a glob (** matches "
        "folders of any depth); an archive (zip, tar, tar.gz, tar.xz, tar.zst ...) or a bare git "
        "repository; a URL (https, s3, gs, zip://MEMBER::ARCHIVE); - for standard input",
    )
    add = options.add_group(parser, "Rule selection")
    for name, effect in (
        ("--select", "run only these rules: codes, prefixes of codes (IC3), names or ALL, "),
        ("--ignore", "do not run these rules; the more specific of --select and --ignore wins, "),
        ("--extend-select", "run these rules besides those that the configuration selects, "),
        ("--extend-ignore", "ignore these rules besides those that the configuration ignores, "),
    ):
        add(f"{name} RULES", f"{effect}separated by commas", **options.LIST)
    add(
        "--tolerance MARGIN",
        "accept margins down to -MARGIN (dimensionless; default: 0)",
        type=float,
    )
    add(
        "--preset PRESETS",
        "`default` reports nothing on plausible models; `strict` reports every doubt, as does "
        "--strict; `simulator:NAME` is --engine NAME; separated by commas",
    )
    add = options.add_group(parser, "Evidence")
    add(
        "--geometry",
        "compare the numbers with the shapes and meshes of the bodies (default: auto)",
        choices=("auto", "off"),
    )
    add(
        "--expect-mass KG[:REL]",
        "expected total mass of a model [kg], and its relative tolerance (0.01 if none is given)",
    )
    add(
        "--expect TABLE",
        "table (csv, toml, json) of expected numbers: body (a name, with * for any text), mass, "
        "com_x, com_y, com_z, ixx, ixy, ixz, iyy, iyz, izz (about the centre of mass, in body "
        "axes), tolerance (relative, 0.01 if none is given), source",
    )
    add(
        "--history N",
        "ask git for the N older versions of a file that has findings, which may become causes "
        "(default: 0; left out with --gate)",
        type=int,
    )
    add(
        "--engine ENGINES",
        "fail on bodies that these engines refuse, alter, replace or drop: "
        f"{', '.join((*ENGINES, *VALIDATORS))}; separated by commas",
        **options.LIST,
    )
    add = options.add_group(parser, "Exit code")
    add(
        "--fail-on",
        "exit with code 1 on findings of at least this severity (default: error)",
        choices=("error", "warning", "note", "never"),
    )
    add(
        "--strict",
        "fail on warnings; singular inertias are warnings, and lost digits errors",
        action=argparse.BooleanOptionalAction,
    )
    add("--allow-empty", "exit with code 0 if there is nothing to check")
    add(
        "--allow-unjudged",
        "exit with code 0 or 1 although inertials were found and none could be judged",
        action=argparse.BooleanOptionalAction,
    )
    rendering.add_baseline_arguments(parser)
    add = options.add_group(parser, "File selection")
    add(
        "--exclude PATTERN ...",
        "skip files in folders and globs that match this pattern, written as in a .gitignore "
        "(repeatable)",
    )
    add("--stdin-filename NAME", "name of standard input in the report (default: <stdin>)")
    running.add_selection(add)
    options.add_sniff(add)
    add("--show-files", "list the files that would be checked, without checking them")
    options.add_context(parser)
    add = options.add_group(parser, "Configuration")
    add(
        "--show-settings",
        "print the settings of each PATH and where they are set, without checking",
    )
    running.add_arguments(parser)
    add = options.add_group(parser, "Gate")
    add(
        "--gate",
        "judge what may be a stranger's change: configuration, baseline and tables are those of "
        "--trusted, and changes of them or of ignore files beside models are exit code 1",
    )
    add(
        "--trusted DIR_OR_REF",
        "folder outside the tree, with files at the same places, or revision of git, for --gate "
        "(default: the base of --changed-since; without it none)",
    )
    add("--allow-config-change", "accept such changes, which somebody has reviewed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `check`."""
    add_input_arguments(parser)
    add = options.add_group(parser, "Output")
    add(
        "--output-format",
        "format of the report: for people (full, concise, markdown, html), for programs "
        "(json, jsonl), for code hosts and build servers (sarif, junit, github, gitlab, rdjson), "
        "as an SVG image (badge) (default: full)",
        choices=FORMS,
    )
    add("--output-file FILE", "write the report here, not to stdout")
    add(
        "--also FORMAT=FILE ...",
        "write the report of the same check to FILE in another of these formats, too (repeatable)",
        type=_parse_further_report,
        default=[],
    )
    add("--statistics", "count the findings of each rule")
    rendering.add_arguments(add)
    options.add_plot(add, "the margins and principal moments of all bodies")
    add(
        "--all",
        "with the full format, show every group of findings with all its places (default: at "
        "most 60 lines, unless one file is named)",
    )


class Destination(NamedTuple):
    """A form of the report, and the file that it is written to; None for stdout."""

    form: str
    path: str | None


def _parse_further_report(text: str) -> Destination:
    """Parse --also FORMAT=FILE.

    Raises:
        argparse.ArgumentTypeError: The text has another form, or the format is unknown.
    """
    form, _, path = text.partition("=")
    if form not in FORMS or not path:
        hint = "" if form in FORMS else suggest_name(form, FORMS)
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected FORMAT=FILE, where FORMAT is one of {', '.join(FORMS)}{hint}"
        )
    return Destination(form, path)


def run(args: argparse.Namespace) -> int:
    """Check, write the report, and return the exit code.

    Raises:
        UsageError: The options contradict each other, or name what cannot be used.
    """
    if not args.gate:
        if args.trusted is not None or args.allow_config_change:
            raise UsageError("--trusted and --allow-config-change are options of --gate")
        return _run(args, options.configurations(args), lambda report: report)
    for name in ("write_baseline", "prune_baseline", "results"):
        if getattr(args, name, None):
            raise UsageError(f"--gate judges a change: leave out --{name.replace('_', '-')}")
    from inertial_check.running.trusted import open_gate

    if args.history:
        output.note("--history is left out: --gate asks nothing of what a change brings with it")
    args.history = 0
    named = [path for path in (args.baseline, args.expect) if path is not None]
    with open_gate(args.trusted, args.changed_since, named) as gate:
        configurations = options.configurations(args, gate.stand)
        allows = args.allow_config_change
        return _run(args, configurations, lambda each: gate.judge(each, configurations, allows))


def _run(
    args: argparse.Namespace, configurations: Configurations, judge: Callable[[Report], Report]
) -> int:
    listed, failures = running.read_file_list(args)
    paths = [*args.paths, *listed]
    if not paths and args.files_from is None:
        raise UsageError("no PATH to check: name a file, a folder, or - for standard input")
    # The name of standard input in the report; None if it is not read.
    if _STDIN in paths:
        stdin_name = args.stdin_filename or "<stdin>"
    else:
        if args.stdin_filename is not None:
            raise UsageError("--stdin-filename names standard input: give - as a path to read it")
        stdin_name = None
    if args.show_settings:
        # Print the settings of each path.
        from inertial_check.programs.cli.doctor import render

        settings_shown = [(args.stdin_filename or "") if path == _STDIN else path for path in paths]
        output.write(render(configurations, settings_shown), args.output_file)
        return output.CLEAN
    if args.show_files:
        return _show_files(args, configurations, paths, stdin_name)

    if getattr(args, "results", None) is not None:
        return rendering.run(args, configurations, paths, failures)
    options.check_plot(args.plot, [*paths, args.output_file, *(path for _, path in args.also)])
    stdin = None
    if stdin_name is not None:
        data = output.open_stdin().read()
        stdin = Document(stdin_name, True, configurations.settings(stdin_name), data)
    report = _check(args, configurations, paths, stdin, bool(failures))
    report = judge(replace(report, failures=(*failures, *report.failures)))
    inputs = [*paths, *(file.path for file in report.files)]
    shown = _write_reports(args, configurations, report, inputs, stdin)
    if args.plot is not None:
        from inertial_check.reports import plots

        plots.save(plots.overview(shown), args.plot)
    if args.verbose:
        for file in shown.files:
            bodies = plural(len(file.bodies), "body")
            findings = plural(len(file.findings), "finding")
            output.note(f"{file.path}: {file.format or 'unread'}, {bodies}, {findings}")
        for path, line, what, _ in shown.account.lowered_by:
            output.note(f"{path}:{line}: lowers the check: {what}")
    limited = rendering.is_limited(args, configurations.run["output-format"])
    rendering.tell(args, shown.failures, shown.notes, limited)
    return rendering.find_exit_code(shown, configurations.run.settings)


def _write_reports(
    args: argparse.Namespace,
    configurations: Configurations,
    report: Report,
    inputs: list[str],
    stdin: Document | None,
) -> Report:
    """Write the report to stdout or --output-file, and to each file of --also.

    Returns:
        The report as shown, with a failure for each file that could not be rendered.

    Raises:
        UsageError: A file is one of the inputs, is named twice, or cannot be written; the others
            are written.
    """
    settings = configurations.run.settings
    # List the forms of the report with their files.
    destinations = [Destination(configurations.run["output-format"], args.output_file), *args.also]
    # Refuse to write a report over a model that was checked, or over another report.
    targets = [each.path for each in destinations if each.path is not None]
    existing = [path for path in inputs if os.path.exists(path)]
    for index, target in enumerate(targets):
        if any(os.path.abspath(target) == os.path.abspath(path) for path in targets[:index]):
            raise UsageError(f"two reports would be written to one file, {target}")
        if os.path.exists(target) and any(os.path.samefile(target, path) for path in existing):
            raise UsageError(f"{target}, where a report would go, is one of the files to check")
    texts: list[str] = []
    before = None
    while before is not report:  # a file that one form cannot show is the same finding in all
        before, texts = report, []
        for form, path in destinations:
            if form == "html":
                from inertial_check.reports.page.page import build_page

                texts.append(build_page(report, configurations.settings, stdin))
                continue
            view = rendering.make_view(args, configurations, report, form, path)
            if form == "sarif":
                view = view._replace(rules=_rule_pages(settings))
            text, report = rendering.render_files(report, form, view, settings)
            texts.append(text)
    problems = []
    for text, (_, path) in zip(texts, destinations, strict=True):
        try:
            output.write(text, path, bool(args.follow_outside))
        except UsageError as error:
            problems.append(error)
    if problems:
        raise problems[0]
    return report


def _check(
    args: argparse.Namespace,
    configurations: Configurations,
    paths: list[str],
    stdin: Document | None,
    has_failures: bool,
) -> Report:
    """Check the paths; suppress known findings, and add suggestions if the form shows them."""
    from inertial_check.running.run import check_paths

    known = KnownFindings(args, configurations)
    color = output.wants_color(args.color, sys.stderr)
    with closing(ProgressBar(wanted=not args.quiet, color=color)) as bar:
        remarks: list[str] = []
        shown: list[Report] = []

        def show_partial(partial: Report, left: int) -> None:
            bar.close()
            shown.append(known.suppress_partial(partial))
            rendering.write_partial(args, configurations, shown[0], left)

        request = running.build_request(args, configurations, paths, stdin, bar, remarks.append)
        # A file list whose files do not exist has failed already: no second failure is needed.
        allow_empty = request.allow_empty or has_failures
        request = replace(request, allow_empty=allow_empty, interrupted=show_partial)
        try:
            report = check_paths(request)
        except (KeyboardInterrupt, Termination):
            if not shown:
                output.failure("interrupted before any file was checked")
            raise
    rendering.tell(args, (), remarks)
    report = _unite_findings(_tell_lowerings(known.suppress(report), configurations))
    # Remove the temporary files that writers which were killed have left beside the models.
    named = [path for path in paths if os.path.lexists(path)]
    writable = WritableFolders.around([*options.list_folders(paths), *named])
    writable.remove_leftovers_beside(file.path for file in report.files)
    report = replace(report, options=options.repeat_context(args))
    return report


_LOWERING = (
    *("select", "ignore", "extend-ignore", "tolerance", "geometry", "exclude", "fail-on"),
    *("per-file-ignores", "per-body-ignores", "accepted", "accept", "allow-unjudged"),
    *("max-file-size", "timeout"),
)
"""Options of a configuration file that make a check report less, unless they have these values."""

_HARMLESS: tuple[object, ...] = (0, "auto", "error", "warning", "note", ["ALL"], [])
"""Values of those options with which a check reports as much as without them, or more."""

_LONGEST_VALUE = 200
"""Largest length of a value of a configuration that the account quotes [code points]."""


def _tell_lowerings(report: Report, configurations: Configurations) -> Report:
    """Tell in the account what files of the tree make the check report less."""
    found = []
    for configuration in configurations.read:
        for value in chain.from_iterable(map(configuration.values, _LOWERING)):
            if value.where is not None and value.written not in _HARMLESS:
                (place,) = value.where.origin.locate_items(value.where.keys, 1)
                if place is not None and place.path is not None:
                    from inertial_check.programs.cli.doctor import format_toml

                    told = f"{'.'.join(value.where.keys)} = {format_toml(value.written)}"
                    what = clip(told, _LONGEST_VALUE)
                    found.append(Lowering(place.path, place.line, what))
    for file in report.files:
        inside = [
            each
            for each in file.suppressed
            if each.suppression is not None and each.suppression.kind == "inSource"
        ]
        for path in dict.fromkeys(each.place.path or file.path for each in inside):
            lines = [x.place.line for x in inside if (x.place.path or file.path) == path]
            what = f"findings that comments suppress: {len(lines)}"
            found.append(Lowering(path, lines[0], what))
    account = report.account
    lowered = (*account.lowered_by, *dict.fromkeys(found))
    return replace(report, account=replace(account, lowered_by=lowered))


def _unite_findings(report: Report) -> Report:
    """Unite findings that several documents, or calls of one macro, make at one place.

    The one of the document that the place is in stays, and names the other bodies. One on numbers
    that depend on what is unknown goes where another document knows it.
    """
    groups: dict[tuple[object, ...], list[tuple[FileReport, Finding]]] = {}
    known: set[tuple[object, ...]] = set()
    real = cache(os.path.realpath)
    for file in report.files:
        for each in file.findings:
            path, *place = each.place.path or file.path, *each.place[:4]
            spot = real(path), *place, each.code
            # Binary documents have no places that tell bodies apart; macros have their names.
            name = None if file.format == "xacro" and place[:2] != place[2:] else each.body
            groups.setdefault((*spot, each.message, name), []).append((file, each))
            known |= set() if each.needs else {spot}
    kept: dict[int, Finding] = {}
    for key, group in groups.items():
        first = min(group, key=lambda pair: pair[1].place.path is not None)[1]
        others = dict.fromkeys((file.path, each.body) for file, each in group if each is not first)
        if not (first.needs and key[:6] in known):
            named = name_some([f"{body or 'the model'} of {path}" for path, body in others])
            message = f"{first.message}; it also stands for {named}" if others else first.message
            kept[id(first)] = first._replace(message=message, uses=tuple(others))
    files = (
        file._replace(findings=tuple(kept[id(each)] for each in file.findings if id(each) in kept))
        for file in report.files
    )
    return replace(report, files=tuple(files))


def _rule_pages(settings: Settings) -> tuple[RulePage, ...]:
    """Descriptions of the rules of this run, for reports that include them."""
    from inertial_check.checking.pages import describe_rule, rule_page

    return tuple(
        RulePage(
            rule.code,
            rule.name,
            settings.severity(rule),
            each["summary"],
            " ".join(each["explanation"]["What it does"].split()),
            rule_page(rule),
        )
        for rule in settings.rules()
        for each in (describe_rule(rule),)
    )


def _show_files(
    args: argparse.Namespace,
    configurations: Configurations,
    paths: list[str],
    stdin_name: str | None,
) -> int:
    """Print the files that would be checked."""
    named = [path for path in paths if path != _STDIN]
    found = discover(named, configurations.excludes, args.sniff)
    shown = [file.path for file in found.files] + ([] if stdin_name is None else [stdin_name])
    failures = list(found.failures)
    if not shown and not failures and not args.allow_empty:
        failures.append(f"nothing to check in {', '.join(paths)}; --allow-empty accepts that")
    output.write("".join(f"{printable(path)}\n" for path in shown), args.output_file)
    rendering.tell(args, failures, found.notes)
    return output.FAILURE if failures else output.CLEAN
