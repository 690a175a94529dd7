"""Rendering of a report, in which a file that cannot be rendered costs no other file's findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from inertial_check.errors import DefectError
from inertial_check.isolation import raise_defects
from inertial_check.reports import View, render

if TYPE_CHECKING:
    from inertial_check.model import FileReport, Report


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
    from inertial_check.model import FileReport, Place, Report
    from inertial_check.rules import UnreadableDocument

    alone = Report((file,))
    try:
        with raise_defects(file.path):
            render(alone, form, view_of(alone))
    except DefectError as error:
        counts = sorted(Counter(finding.code for finding in file.findings).items())
        listed = ", ".join(f"{count} {code}" for code, count in counts) or "none"
        reason = f"its findings ({listed}) cannot be shown as {form}: {error.reason}"
        finding = UnreadableDocument.on_document(reason, Place(1, 1, 1, 1))
        return FileReport(file.path, file.format, None, (), (finding,))
    return file
