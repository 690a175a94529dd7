"""Rendering of a report for a destination: its view, its files, and its lines on stderr.

A file that cannot be rendered costs no other file's findings. On a terminal, a report with its
notes has a limited number of lines.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from inertial_check.cli import exit_codes, output
from inertial_check.cli.known_findings import KnownFindings
from inertial_check.errors import DefectError
from inertial_check.isolation import raise_defects
from inertial_check.reports import View, render
from inertial_check.reports.escaping import clip
from inertial_check.reports.layout import WIDTH, count_rows
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    import argparse

    from inertial_check.model import FileReport, Report
    from inertial_check.settings.configuration import Configurations

_MOST_LINES = 60
"""Largest number of lines of the full report with its notes, unless all of it is asked for."""

_SPARE_LINES = 2
"""Lines of these that are kept for remarks on a cache, a cluster or a baseline."""

_MOST_NOTES = 4
"""Largest number of rows for notes in such a report, unless one note takes more."""

_MOST_FAILURES = 10
"""Largest number of rows for failures in such a report, unless one failure takes more."""

_LONGEST_LINE = 1000
"""Longest note or failure of such a report that is shown in full [code points]."""

_FORMS_FOR_PEOPLE = frozenset(["full", "concise", "markdown", "github"])
"""Forms of the report in which an interrupted check shows what it knows."""


def render_files(
    report: Report, form: str, view_of: Callable[[Report], View]
) -> tuple[str, Report]:
    """Render a report.

    Args:
        report: The report.
        form: One of FORMS.
        view_of: Makes the view, with the exit code, of a report.

    Returns:
        The text, and the report that it shows: a file that cannot be rendered has the finding
        IC001 instead of its own, with their number.

    Raises:
        DefectError: Rendering fails for another reason than a file.
    """
    try:
        with raise_defects(form):
            return render(report, form, view_of(report)), report
    except DefectError:
        pass
    files = tuple(_replace_unrenderable(file, form, view_of) for file in report.files)
    shown = replace(report, files=files)
    return render(shown, form, view_of(shown)), shown


def _replace_unrenderable(
    file: FileReport, form: str, view_of: Callable[[Report], View]
) -> FileReport:
    from inertial_check.model import Report

    alone = Report((file,))
    try:
        with raise_defects(file.path):
            render(alone, form, view_of(alone))
    except DefectError as error:
        return _describe_unrenderable(file, form, error.reason)
    return file


def _describe_unrenderable(file: FileReport, form: str, reason: str) -> FileReport:
    """The report of a file that a form cannot show: IC001, with the number of its findings."""
    from inertial_check.model import FileReport, Place
    from inertial_check.rules import UnreadableDocument

    counts = sorted(Counter(finding.code for finding in file.findings).items())
    listed = ", ".join(f"{count} {code}" for code, count in counts) or "none"
    told = f"its findings ({listed}) cannot be shown as {form}: {reason}"
    finding = UnreadableDocument.on_document(told, Place(1, 1, 1, 1))
    return FileReport(file.path, file.format, None, (), (finding,))


def make_view(
    args: argparse.Namespace,
    configurations: Configurations,
    report: Report,
    form: str,
    path: str | None,
    left: int | None = None,
) -> View:
    """The options of a report that goes to a file, or to stdout.

    Args:
        args: The command line.
        configurations: The configurations of the run.
        report: The report, whose notes and failures take lines of a terminal, too.
        form: Form of the report.
        path: Path of the file; None for stdout.
        left: Number of files that an interrupted run has not checked.
    """
    settings = configurations.run.settings
    stream = None if path else sys.stdout
    told = _SPARE_LINES + _count_told(args, report)
    folders = any(map(os.path.isdir, args.paths))
    return View(
        exit_code=exit_codes.CLEAN,
        color=output.wants_color(args.color, stream),
        summary=not args.quiet,
        statistics=args.statistics,
        fail_on=settings.fail_on,
        verbose=args.verbose,
        width=output.measure_width(stream) or WIDTH,
        most_lines=_MOST_LINES - told if is_limited(args, form) else None,
        paths=tuple(sorted(set(args.paths))),  # the report is the same in any order
        offers_baseline=folders and not KnownFindings.has_baseline(args, configurations),
        left=left,
    )


def is_limited(args: argparse.Namespace, form: str) -> bool:
    """Whether the report, with its notes and failures, has at most _MOST_LINES lines.

    One file that is named shows all that is known of it; so do --all and --verbose.
    """
    if args.all or args.verbose or form != "full":
        return False
    one = len(args.paths) == 1 and args.files_from is None
    return not (one and (args.paths[0] == "-" or os.path.isfile(args.paths[0])))


def _count_told(args: argparse.Namespace, report: Report) -> int:
    """The number of lines of stderr for the notes and failures of a limited report."""
    notes = () if args.quiet else _limit(report.notes, _MOST_NOTES, "notes")
    return _count_rows((*notes, *_limit(report.failures, _MOST_FAILURES, "failures")))


def _count_rows(lines: Sequence[str]) -> int:
    """Count the rows of notes and failures on the terminal of stderr."""
    width = output.measure_width(sys.stderr)
    if width is None:
        return len(lines)
    return count_rows((output.phrase("error", line) for line in lines), width)


def _limit(lines: Sequence[str], most: int, noun: str) -> list[str]:
    """The first of many lines, and one that counts the others."""
    shown = [clip(line, _LONGEST_LINE) for line in lines[:most]]
    if len(lines) <= most and _count_rows(shown) <= most:
        return shown
    while shown:
        rest = len(lines) - len(shown)
        counted = [f"and {rest} more {noun}: --all shows them"] if rest else []
        if len(shown) == 1 or _count_rows([*shown, *counted]) <= most:
            return [*shown, *counted]
        shown.pop()
    return []


def write_partial(
    args: argparse.Namespace, configurations: Configurations, report: Report, left: int
) -> None:
    """Write what an interrupted check knows, for people; no file of a report is written.

    A form for programs is left out, as its readers would take it for the whole report: they get
    nothing, and the person at the terminal gets the full form on stderr.
    """
    if not report.files:
        output.failure("interrupted before any file was checked")
        return
    form = configurations.run["output-format"]
    human = form in _FORMS_FOR_PEOPLE and args.output_file is None
    shown = form if form in _FORMS_FOR_PEOPLE else "full"
    view = make_view(args, configurations, report, shown, None, left)
    if not human:
        view = view._replace(color=output.wants_color(args.color, sys.stderr))
    text, report = render_files(report, shown, lambda _: view)
    if human:
        output.write(text)
    else:
        print(text, end="", file=sys.stderr)
    tell(args, report.failures, (), True)
    output.failure(f"interrupted: the report is partial, {plural(left, 'file')} left unchecked")


def tell(
    args: argparse.Namespace,
    failures: Sequence[str],
    notes: Sequence[str],
    limited: bool = False,
) -> None:
    """Print notes and failures on stderr; only the first of many if that is limited."""
    if not args.quiet:
        for line in _limit(notes, _MOST_NOTES, "notes") if limited else notes:
            output.note(line)
    for line in _limit(failures, _MOST_FAILURES, "failures") if limited else failures:
        output.failure(line)
