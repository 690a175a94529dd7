"""Rendering of a report for a destination, known findings, and results in a folder.

A file that cannot be rendered costs no other file's findings. On a terminal, a report with its
notes has a limited number of lines. --baseline compares it with known findings; --results writes
rows into a folder instead of a report.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from inertial_check.checking.baseline import Baseline
from inertial_check.checking.check import ReportContent
from inertial_check.checking.report import FileReport, Report, Severity
from inertial_check.checking.rules.document import UnreadableDocument
from inertial_check.checking.settings import Settings
from inertial_check.documents.children import Termination, raise_defects
from inertial_check.documents.escaping import clip
from inertial_check.documents.source import Place
from inertial_check.errors import DefectError, UsageError
from inertial_check.programs.cli import options, output, running
from inertial_check.programs.cli.output import ProgressBar
from inertial_check.reports import View, render
from inertial_check.reports.text import WIDTH, count_rows, plural

if TYPE_CHECKING:
    import argparse

    from inertial_check.checking.configuration import Configurations
    from inertial_check.running.results.stream import StreamOutcome


_SHOWN = 3
"""Number of entries that a note on stderr lists by name."""


def add_baseline_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options about known findings."""
    add = options.add_group(parser, "Known findings")
    add("--baseline FILE", "findings listed in this file count only if they have become worse")
    add("--write-baseline FILE", "write all findings to this file, which then lists them as known")
    add(
        "--prune-baseline",
        "remove findings that no longer occur from --baseline, and record those that have improved",
    )


class KnownFindings:
    """Compares the report of a run with a baseline, and writes the baseline if asked to."""

    def __init__(self, args: argparse.Namespace, configurations: Configurations) -> None:
        """Read the baseline, before anything is checked.

        Args:
            args: The command line.
            configurations: The path of the baseline, and the rules that are on for a file.

        Raises:
            UsageError: The baseline cannot be read, or options contradict each other.
        """
        path: str | None = configurations.run["baseline"]
        self._target: str | None = args.write_baseline
        self._prunes: bool = args.prune_baseline
        self._tells = not args.quiet
        self._configurations = configurations
        if self._prunes and self._target is not None:
            raise UsageError("--write-baseline also takes out what is gone: leave --prune-baseline")
        if self._prunes and path is None:
            raise UsageError("--prune-baseline needs the file that --baseline names")
        if self._target is not None:
            path = self._target if os.path.exists(self._target) else None
        self._known: Baseline | None = None
        if path is not None:
            self._known = Baseline.read(path)
            if configurations.stand is not None:
                self._known = replace(self._known, path=configurations.stand.restore(path))
            if configurations.run["allow-unjudged"]:
                self._known = replace(self._known, unjudged=None)

    @staticmethod
    def has_baseline(args: argparse.Namespace, configurations: Configurations) -> bool:
        """Whether the run reads or writes a baseline."""
        return args.write_baseline is not None or configurations.run["baseline"] is not None

    def suppress(self, report: Report) -> Report:
        """Suppress the known findings of a report; writes the baseline if the options say so."""
        if self._target is not None:
            baseline = Baseline.of(report, self._target, self._known)
            written = self._save(baseline, report)
            if written.failures:
                return written
            return baseline.apply(written, self._rules_of).report
        if self._known is None:
            return report
        result = self._known.apply(report, self._rules_of)
        report = result.report
        if self._prunes and result.kept != self._known:
            report = self._save(result.kept, report)
        elif result.gone and not self._prunes:
            named = [f"{key.file} [{key.body}] {key.code}" for key in result.gone[:_SHOWN]]
            rest = len(result.gone) - _SHOWN
            more = f" and {rest} more" if rest > 0 else ""
            self._tell(
                f"{self._known.path} lists findings that no longer occur: "
                f"{plural(len(result.gone), 'entry')} ({', '.join(named)}{more}); "
                "--prune-baseline removes them"
            )
        return report

    def suppress_partial(self, report: Report) -> Report:
        """Suppress the known findings of an interrupted run; writes nothing."""
        return report if self._known is None else self._known.apply(report, self._rules_of).report

    def _save(self, baseline: Baseline, report: Report) -> Report:
        """Write the baseline and say what has changed; a failure is added to the report."""
        if report.failures:
            self._tell(f"{baseline.path} is not written: not everything could be checked")
            return report
        try:
            baseline.write()
        except UsageError as error:
            return replace(report, failures=(*report.failures, str(error)))
        before = {} if self._known is None else self._known.entries
        after = baseline.entries
        new = sorted(after.keys() - before.keys())
        gone = sorted(before.keys() - after.keys())
        changed = sum(after[key] != before[key] for key in after.keys() & before.keys())
        self._tell(
            f"{baseline.path}: {plural(len(after), 'entry')}, of which {len(new)} new and "
            f"{changed} changed; {len(gone)} removed"
        )
        return report

    def _rules_of(self, path: str) -> Collection[str]:
        return {rule.code for rule in self._configurations.settings(path).rules()}

    def _tell(self, line: str) -> None:
        if self._tells:
            output.note(line)


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


def find_exit_code(report: Report, settings: Settings) -> int:
    """Find the exit code of a check; what a gate refuses, and a new unjudged inertial, count."""
    if report.failures:
        return output.FAILURE
    failing = any(settings.fails(finding.severity) for finding in report.findings)
    failing = failing or any(each.new for each in report.account.unjudged)
    failing = failing or any(each.fails for each in report.account.lowered_by)
    return output.FINDINGS if failing else output.CLEAN


def render_files(
    report: Report, form: str, view: View, settings: Settings | None = None
) -> tuple[str, Report]:
    """Render a report.

    Args:
        report: The report.
        form: One of FORMS.
        view: Options of the report.
        settings: The settings of the run, which decide the exit code in the view; None to keep it.

    Returns:
        The text, and the report that it shows: a file that cannot be rendered has the finding
        IC001 instead of its own, with their number.

    Raises:
        DefectError: Rendering fails for another reason than a file.
    """

    def write(shown: Report) -> str:
        if settings is None:
            return render(shown, form, view)
        return render(shown, form, view._replace(exit_code=find_exit_code(shown, settings)))

    try:
        with raise_defects(form):
            return write(report), report
    except DefectError:
        pass
    files = tuple(_replace_unrenderable(file, form, write) for file in report.files)
    shown = replace(report, files=files)
    return write(shown), shown


def _replace_unrenderable(
    file: FileReport, form: str, write: Callable[[Report], str]
) -> FileReport:
    try:
        with raise_defects(file.path):
            write(Report((file,)))
    except DefectError as error:
        # The report of a file that a form cannot show: IC001, with the number of its findings.

        counts = sorted(Counter(finding.code for finding in file.findings).items())
        listed = ", ".join(f"{count} {code}" for code, count in counts) or "none"
        told = f"its findings ({listed}) cannot be shown as {form}: {error.reason}"
        finding = UnreadableDocument.on_document(told, Place(1, 1, 1, 1))
        return FileReport(file.path, file.format, None, (), (finding,))
    return file


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
    notes = () if args.quiet else _limit(report.notes, _MOST_NOTES, "notes")
    told = _SPARE_LINES + _count_rows(
        (*notes, *_limit(report.failures, _MOST_FAILURES, "failures"))
    )
    folders = any(map(os.path.isdir, args.paths))
    return View(
        exit_code=output.CLEAN,
        color=output.wants_color(args.color, stream),
        summary=not args.quiet,
        statistics=args.statistics,
        fail_on=settings.fail_on,
        verbose=args.verbose,
        width=output.measure_width(stream) or WIDTH,
        most_lines=_MOST_LINES - told if is_limited(args, form) else None,
        paths=tuple(sorted(set(args.paths))),  # the report is the same in any order
        offers_baseline=folders and not KnownFindings.has_baseline(args, configurations),
        offers_fixes=form not in running.WITHOUT_REMEDIES,
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
    text, report = render_files(report, shown, view)
    if human:
        output.write(text)
    else:
        print(text, end="", file=sys.stderr)
    tell(args, report.failures, (), True)
    output.failure(f"interrupted: the report is partial, {plural(left, 'file')} left unchecked")


def tell(
    args: argparse.Namespace, failures: Sequence[str], notes: Sequence[str], limited: bool = False
) -> None:
    """Print notes and failures on stderr; only the first of many if that is limited."""
    if not args.quiet:
        for line in _limit(notes, _MOST_NOTES, "notes") if limited else notes:
            output.note(line)
    for line in _limit(failures, _MOST_FAILURES, "failures") if limited else failures:
        output.failure(line)


_EXCLUDED = (
    "output_format",
    "output_file",
    "also",
    "plot",
    "resume",
    "stdin_filename",
    "changed_since",
    "write_baseline",
    "baseline",
)
"""Options that belong to a report, which a run with --results does not make."""


def add_arguments(add: options.AddOption) -> None:
    """Add --results and --results-format."""
    add(
        "--results DIR",
        "write the result of every file into DIR instead of a report, and print counts as "
        "`summary` does; the same command goes on from there",
    )
    add(
        "--results-format",
        "form of the files in DIR (default: parquet, which needs pyarrow)",
        choices=("parquet", "jsonl"),
        default="parquet",
    )


def run(
    args: argparse.Namespace,
    configurations: Configurations,
    paths: Sequence[str],
    missing: Sequence[str],
) -> int:
    """Check into the folder of --results, print the counts, and return the exit code.

    Args:
        args: The command line.
        configurations: The configurations of the run.
        paths: The paths to check, those of --files-from included.
        missing: Messages on files of a list that do not exist.

    Raises:
        UsageError: An option does not go with --results, or the run cannot begin.
    """
    for name in _EXCLUDED:
        if getattr(args, name, None):
            option = "--" + name.replace("_", "-")
            raise UsageError(f"--results writes rows and no report: leave out {option}")
    if "-" in paths:
        raise UsageError("--results takes files and folders, not standard input")
    outcome = _check(args, configurations, list(paths), bool(missing))
    tell(args, (), outcome.notes, limited=not args.verbose)
    failures = [*missing, *outcome.failures]
    from inertial_check.running.results.reading import read_counts

    counts = read_counts(args.results, failures.append)
    if counts.inertials and not (counts.judged or configurations.run["allow-unjudged"]):
        failures.append("inertials were found and none was judged; --allow-unjudged accepts that")
    from inertial_check.running.results.counts import render

    output.write(render(counts, (), "text"))
    if not args.quiet:
        held = f", {outcome.kept} unchanged" if outcome.kept else ""
        checked = "file" if outcome.checked == 1 else "files"
        output.note(f"{outcome.checked} {checked} checked{held}; results in {args.results}")
    if args.verbose and args.cluster is not None:
        sent, received = outcome.sent / 1e6, outcome.received / 1e6
        output.note(f"{sent:.1f} MB sent to the workers of the cluster, {received:.1f} MB received")
    tell(args, failures, (), limited=not args.verbose)
    if failures:
        return output.FAILURE
    # Whether a finding in the folder is as severe as --fail-on says.

    words = {kind.severity for kind in counts.findings}
    failing = any(
        configurations.run.settings.fails(each) for each in Severity if each.word in words
    )
    return output.FINDINGS if failing else output.CLEAN


def _check(
    args: argparse.Namespace, configurations: Configurations, paths: list[str], missing: bool
) -> StreamOutcome:

    from inertial_check.running.results.stream import check_to_folder

    remarks: list[str] = []
    color = output.wants_color(args.color, sys.stderr)
    with closing(ProgressBar(wanted=not args.quiet, color=color)) as bar:
        request = running.build_request(args, configurations, paths, None, bar, remarks.append)
        content = ReportContent("all", causes=True, marks=False)
        allow_empty = request.allow_empty or missing
        request = replace(request, content=content, allow_empty=allow_empty)
        try:
            outcome = check_to_folder(request, args.results, args.results_format)
        except (KeyboardInterrupt, Termination):
            bar.close()
            output.failure("interrupted: the same command goes on from what is done")
            raise
    tell(args, (), remarks)
    return outcome
