"""Suggested edits at the findings of a report: the numbers that `fix --unsafe` would write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from inertial_check.checking.check import Document
from inertial_check.errors import DefectError, InertialCheckError
from inertial_check.fixing.fix import fix_model
from inertial_check.fixing.result import Fix
from inertial_check.formats import load
from inertial_check.isolation import TimeLimitReached, limit_times, raise_defects, run_within
from inertial_check.model import (
    FileReport,
    Model,
    Report,
    Suggestion,
    TextReplacement,
)
from inertial_check.settings.settings import Settings


def add_suggestions(
    report: Report,
    settings_of: Callable[[str], Settings],
    stdin: Document | None = None,
) -> Report:
    """The report with the edits of `fix --unsafe` at the findings that they remove.

    Every file that has such findings is read once more; nothing is written. A file that cannot be
    fixed as a whole, or whose numbers are binary data, keeps its findings as they are. So does one
    on which this fails unexpectedly, or takes too long, with a note.

    Args:
        report: Report of a check.
        settings_of: Gives the settings of the file at a path.
        stdin: The document read from standard input, if it was checked.
    """
    files: list[FileReport] = []
    notes: list[str] = []
    with limit_times():
        for file in report.files:
            try:
                files.append(_add_to_file(file, settings_of(file.path), stdin))
            except (DefectError, TimeLimitReached) as error:
                why = "it takes too long" if isinstance(error, TimeLimitReached) else error.reason
                notes.append(f"{file.path}: no edits are suggested: {why}")
                files.append(file)
    return replace(report, files=tuple(files), notes=(*report.notes, *notes))


def _add_to_file(file: FileReport, settings: Settings, stdin: Document | None) -> FileReport:
    """Add suggestions to the findings of a file.

    Raises:
        DefectError: An unexpected error.
        TimeLimitReached: It takes longer than one document may.
    """
    ids = {each.body_id for each in file.findings if each.fix is not None and each.body_id}
    if not ids:
        return file
    data = stdin.data if stdin is not None and stdin.path == file.path else None

    def suggest() -> Mapping[str, Suggestion]:
        path, context = file.path, settings.context
        model = load(path if data is None else data, path=path, context=context)
        fix = fix_model(
            model, unsafe=True, bodies=ids, tolerance=settings.tolerance, context=context
        )
        return suggest_edits(model, fix)

    try:
        with raise_defects(file.path, InertialCheckError):
            suggestions = run_within(settings.context.granted.limits.seconds, suggest)
    except DefectError:
        raise
    except InertialCheckError:
        return file  # a suggestion is an extra; `fix` itself reports the reason
    return file._replace(
        findings=tuple(
            finding
            if finding.fix is None
            else finding._replace(suggestion=suggestions.get(finding.body_id or ""))
            for finding in file.findings
        )
    )


def suggest_edits(model: Model, fix: Fix) -> Mapping[str, Suggestion]:
    """The suggestion for each body that is fixed, by its id."""
    return {
        result.id: Suggestion(
            f"The nearest inertia that a body can have; {result.reason}",
            tuple(
                TextReplacement(model.place(edit.span), edit.text)
                for edit in sorted(set(fix.edits[result.id]))
            ),
        )
        for result in fix.bodies
        if result.status == "fixed" and fix.edits.get(result.id)
    }
