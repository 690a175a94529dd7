"""Reports for programs while the check runs: each file is written as soon as it is checked.

What is written goes to a spool, and from there to its destination when the check is complete. So an
interruption, a crash or a full disk leaves no report that looks complete.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from inertial_check.cli import exit_codes, output, rendering
from inertial_check.errors import DefectError, UsageError
from inertial_check.files.spool import Spool
from inertial_check.isolation import raise_defects
from inertial_check.model import Report
from inertial_check.reports import SUGGESTING, View, load_streamed_form
from inertial_check.reports.streaming import Item, ReportStream, Run
from inertial_check.reports.totals import Totals

if TYPE_CHECKING:
    from inertial_check.checking.check import Document, DocumentResult
    from inertial_check.model import FileReport
    from inertial_check.settings.settings import Settings

_WHOLE = 256
"""Number of files whose reports are kept as a whole, so that an interruption can show them to the
person at the terminal; with more of them it shows counts alone."""


class StreamedReports:
    """The reports of a run in one or several forms, to which files are added one by one.

    Args:
        forms: The forms, of reports.STREAMED.
        view: Options of the reports, as far as they are known before the check.
        settings_of: Gives the settings of the file at a path.
        stdin: The document read from standard input; None if it is not read.

    Attributes:
        totals: Counts of the files.
    """

    def __init__(
        self,
        forms: Sequence[str],
        view: View,
        settings_of: Callable[[str], Settings],
        stdin: Document | None,
    ) -> None:
        self.totals = Totals()
        self._view, self._settings_of, self._stdin = view, settings_of, stdin
        self._forms = {name: load_streamed_form(name) for name in forms}
        self._streams = {name: ReportStream(form, Spool()) for name, form in self._forms.items()}
        # Standard input may have the path of a file, so that reports are told apart by identity.
        self._kept: list[FileReport] = []
        self._numbers: dict[int, int] = {}
        self._findings: dict[str, int] = {}
        self._notes: dict[str, tuple[str, ...]] = {}

    @property
    def is_shortened(self) -> bool:
        """Whether the report of a file is no longer kept as a whole."""
        return len(self._kept) > _WHOLE

    def keep(self, result: DocumentResult) -> DocumentResult:
        """Write the report of a file, and give what of the result is kept.

        Raises:
            UsageError: There is no room for what was written.
        """
        if result.file is None:
            return result._replace(lookups=None)
        shown, number = self._write(result.file)
        self.totals.add(shown)
        self._findings[shown.path] = len(result.file.findings)
        if len(self._kept) >= _WHOLE:
            shown = shown._replace(bodies=(), findings=(), suppressed=())
        self._remember(shown, number)
        return result._replace(file=shown, lookups=None)

    def _remember(self, file: FileReport, number: int) -> None:
        """Remember the number of a file; its report lives on, so that no other is taken for it."""
        self._kept.append(file)
        self._numbers[id(file)] = number

    def write(
        self,
        args: argparse.Namespace,
        settings: Settings,
        report: Report,
        destinations: Sequence[tuple[str, str | None]],
    ) -> int:
        """Write the reports to where they go, and say on stderr what was skipped.

        Args:
            args: The command line.
            settings: Settings of the run.
            report: The order of the files, and what is said about the run.
            destinations: Forms, each with its file; None for stdout.

        Returns:
            The exit code of the command.

        Raises:
            UsageError: A file cannot be written; the others are written.
        """
        self._write_again(report)
        notes = [note for file in report.files for note in self._notes.get(file.path, ())]
        report = replace(report, notes=(*report.notes, *notes))
        code = exit_codes.FAILURE if report.failures else exit_codes.CLEAN
        if not report.failures and any(map(settings.fails, self.totals.severities)):
            code = exit_codes.FINDINGS
        problems = []
        for form, path in destinations:
            pieces = partial(self._pieces, form, report, code)
            try:
                output.write_pieces(pieces, path, bool(args.follow_outside))
            except UsageError as error:
                problems.append(error)
        if problems:
            raise problems[0]
        rendering.tell(args, report.failures, report.notes)
        return code

    def _write_again(self, report: Report) -> None:
        """Write files again that have got further findings since they were written."""
        for file in report.files:
            if id(file) not in self._numbers:
                shown, number = self._write(file)
                self.totals.add_findings(shown.findings[self._findings[file.path] :])
                self._remember(file, number)

    def _pieces(self, form: str, report: Report, exit_code: int) -> Iterator[str]:
        """Give the text of a report in pieces."""
        files = [self._numbers[id(file)] for file in report.files]
        view = self._view._replace(exit_code=exit_code)
        run = Run(self.totals, report.failures, report.notes, view)
        return self._streams[form].pieces(files, run)

    def close(self) -> None:
        """Forget the reports."""
        for stream in self._streams.values():
            stream.close()

    def _write(self, file: FileReport) -> tuple[FileReport, int]:
        """Write a file in all forms; gives the report that is shown, and its number.

        Raises:
            UsageError: There is no room for it.
        """
        shown, items = self._render(self._complete(file))
        try:
            numbers = [self._streams[name].add(each) for name, each in items.items()]
        except OSError as error:
            reason = error.strerror or error
            raise UsageError(f"cannot keep the report in a temporary file: {reason}") from None
        return shown, numbers[0]  # the same in all forms

    def _complete(self, file: FileReport) -> FileReport:
        """Add suggested edits, if a form shows them."""
        if self._forms.keys().isdisjoint(SUGGESTING):
            return file
        from inertial_check.fixing.suggestions import add_suggestions
        from inertial_check.formats.xacro.total import renew_total

        # Reading the file again takes nothing of the time that all xacro files of the run have.
        with renew_total():
            completed = add_suggestions(Report((file,)), self._settings_of, self._stdin)
        if completed.notes:
            self._notes[file.path] = completed.notes
        return completed.files[0]

    def _render(self, file: FileReport) -> tuple[FileReport, dict[str, list[Item]]]:
        """Render a file; one that a form cannot show is the same finding in all forms."""
        failed: set[str] = set()
        items: dict[str, list[Item]] = {}
        while len(items) < len(self._forms):
            items.clear()
            for name, form in self._forms.items():
                try:
                    with raise_defects(file.path):
                        items[name] = list(form.items(file, self._view))
                except DefectError as error:
                    if name in failed:
                        raise
                    failed.add(name)
                    file = rendering.describe_unrenderable(file, name, error.reason)
                    break
        return file, items
