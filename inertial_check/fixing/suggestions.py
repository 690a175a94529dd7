"""Suggested edits at the findings of a report: those of `fix --unsafe` and `fix --cause 1`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from inertial_check.checking.check import Document
from inertial_check.checking.report import (
    ByteRange,
    CauseEdit,
    FileReport,
    Finding,
    Report,
    Suggestion,
    TextReplacement,
)
from inertial_check.checking.settings import Settings
from inertial_check.documents.children import (
    TimeLimitReached,
    limit_times,
    raise_defects,
    run_within,
)
from inertial_check.documents.load import load
from inertial_check.documents.model import Model
from inertial_check.documents.source import Edit, Source
from inertial_check.errors import DefectError, InertialCheckError
from inertial_check.fixing.edits import fix_model
from inertial_check.fixing.result import Fix

_LONGEST_EDIT = 10_000
"""Largest length of a replacement that is suggested [bytes]."""


def add_suggestions(
    report: Report,
    settings_of: Callable[[str], Settings],
    stdin: Document | None = None,
) -> Report:
    """The report with the edits of `fix --unsafe` at the findings that they remove.

    See `_add`.
    """
    return _add(_add_nearest, report, settings_of, stdin)


def add_cause_edits(
    report: Report,
    settings_of: Callable[[str], Settings],
    stdin: Document | None = None,
) -> Report:
    """The report with the edits of `fix --cause 1 --unsafe` at the findings that they remove.

    See `_add`. A finding gets an edit where all numbers that its first cause would change are text
    in the document of the finding, and that document is UTF-8.
    """
    return _add(_add_undone_cause, report, settings_of, stdin)


_AddToFile = Callable[[FileReport, Settings, Document | None], FileReport]


def _add(
    add_to_file: _AddToFile,
    report: Report,
    settings_of: Callable[[str], Settings],
    stdin: Document | None,
) -> Report:
    """The report with edits at its findings.

    Every file that has such findings is read once more; nothing is written. A file that cannot be
    fixed as a whole, or whose numbers are binary data, keeps its findings as they are. So does one
    on which this fails unexpectedly, or takes too long, with a note.

    Args:
        add_to_file: Adds the edits to the findings of one file.
        report: Report of a check.
        settings_of: Gives the settings of the file at a path.
        stdin: The document read from standard input, if it was checked.
    """
    files: list[FileReport] = []
    notes: list[str] = []
    with limit_times():
        for file in report.files:
            try:
                files.append(add_to_file(file, settings_of(file.path), stdin))
            except (DefectError, TimeLimitReached) as error:
                why = "it takes too long" if isinstance(error, TimeLimitReached) else error.reason
                notes.append(f"{file.path}: no edits are suggested: {why}")
                files.append(file)
    return replace(report, files=tuple(files), notes=(*report.notes, *notes))


def _add_nearest(file: FileReport, settings: Settings, stdin: Document | None) -> FileReport:
    """Add the nearest numbers to the findings of a file that `fix` removes.

    Raises:
        DefectError: An unexpected error.
        TimeLimitReached: It takes longer than one document may.
    """
    ids = {each.body_id for each in file.findings if each.fix is not None and each.body_id}
    suggestions = _fix_again(file, settings, stdin, ids, None, suggest_edits) if ids else None
    if suggestions is None:
        return file
    return file._replace(
        findings=tuple(
            finding
            if finding.fix is None
            else finding._replace(suggestion=suggestions.get(finding.body_id or ""))
            for finding in file.findings
        )
    )


def _add_undone_cause(file: FileReport, settings: Settings, stdin: Document | None) -> FileReport:
    """Add the edits that undo the first causes to the findings of a file.

    Raises:
        DefectError: An unexpected error.
        TimeLimitReached: It takes longer than one document may.
    """
    edited = [each for each in file.findings if each.causes and each.causes[0].edit is not None]
    ids = {id_ for each in edited for id_ in _list_bodies(each)}
    if not ids:
        return file

    def undo(model: Model, fix: Fix) -> dict[int, CauseEdit]:
        pairs = ((id(each), _undo_cause(model, fix, each)) for each in edited)
        return {key: edit for key, edit in pairs if edit is not None}

    undone = _fix_again(file, settings, stdin, ids, 1, undo)
    if not undone:
        return file
    findings = (each._replace(cause_edit=undone.get(id(each))) for each in file.findings)
    return file._replace(findings=tuple(findings))


_Result = TypeVar("_Result")


def _fix_again(
    file: FileReport,
    settings: Settings,
    stdin: Document | None,
    ids: set[str],
    cause: int | None,
    suggest: Callable[[Model, Fix], _Result],
) -> _Result | None:
    """Read a file once more, fix bodies of it, and make suggestions; None if it cannot be fixed.

    Raises:
        DefectError: An unexpected error.
        TimeLimitReached: It takes longer than one document may.
    """
    data = stdin.data if stdin is not None and stdin.path == file.path else None

    def run() -> _Result:
        path, context = file.path, settings.context
        model = load(path if data is None else data, path=path, context=context)
        known = {body.id for body in model.whole.bodies}
        fix = fix_model(
            model,
            unsafe=True,
            cause=cause,
            bodies=ids & known,
            tolerance=settings.tolerance,
            context=context,
        )
        return suggest(model, fix)

    try:
        with raise_defects(file.path, InertialCheckError):
            return run_within(settings.context.granted.limits.seconds, run)
    except DefectError:
        raise
    except InertialCheckError:
        return None  # a suggestion is an extra; `fix` itself reports the reason


def _list_bodies(finding: Finding) -> tuple[str, ...]:
    """The ids of the bodies of a finding."""
    return finding.body_ids or ((finding.body_id,) if finding.body_id else ())


def _undo_cause(model: Model, fix: Fix, finding: Finding) -> CauseEdit | None:
    """The edit that undoes the first cause of a finding in all its bodies, as one replacement."""
    ids, cause = set(_list_bodies(finding)), finding.causes[0].cause
    done = [body for body in fix.bodies if body.id in ids and body.status == "fixed"]
    edits = sorted({edit for body in done for edit in fix.edits.get(body.id, ())})
    if not edits or any(body.cause != cause for body in done):
        return None
    source = model.source_of(edits[0].span)
    path = source.path if edits[0].span.file else None
    if path != finding.place.path or len({edit.span.file for edit in edits}) > 1:
        return None  # a program that reads this takes the edit for one of the finding's file
    range_ = _find_byte_range(source, edits, path)
    if range_ is None:
        return None
    first, last = edits[0].span.start, edits[-1].span.end
    # The text of a part of a document, which begins at a byte, after the edits.
    data = source.data[first:last]
    pieces, at = [], 0
    for edit in edits:
        pieces += [data[at : edit.span.start - first], edit.text.encode()]
        at = edit.span.end - first
    return CauseEdit(
        done[0].reason, range_, b"".join([*pieces, data[at:]]).decode("utf-8", "replace")
    )


def _find_byte_range(source: Source, edits: Sequence[Edit], path: str | None) -> ByteRange | None:
    """The range from the first edit to the last; None where lines or bytes are counted otherwise.

    That is so in a document that is not UTF-8, and in one with lone carriage returns. A range that
    is longer than a person reads is none, either.
    """
    data, first, last = source.data, edits[0].span.start, edits[-1].span.end
    if source.encoding.replace("_", "-") not in ("utf-8", "ascii") or last - first > _LONGEST_EDIT:
        return None
    if data.count(b"\r") != data.count(b"\r\n"):
        return None
    line, end_line = (data.count(b"\n", 0, at) + 1 for at in (first, last))
    column, end_column = (at - data.rfind(b"\n", 0, at) for at in (first, last))
    return ByteRange(line, column, end_line, end_column, path)


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
