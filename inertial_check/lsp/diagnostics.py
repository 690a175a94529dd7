"""Findings as an editor shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsprotocol.types import (
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    DiagnosticTag,
    Location,
    Position,
    Range,
)

from inertial_check.fixing.case import collect_numbers
from inertial_check.lsp.checking import Document, DocumentCheck
from inertial_check.model import Finding, Place, Severity
from inertial_check.reports.details import describe_cause
from inertial_check.rules.configuration import UnusedSuppression

SOURCE = "inertial-check"
SURE = 0.5
"""Probability above which a cause is more probable than all others together."""

START = Range(Position(0, 0), Position(0, 0))
_SEVERITIES = {
    Severity.ERROR: DiagnosticSeverity.Error,
    Severity.WARNING: DiagnosticSeverity.Warning,
    Severity.NOTE: DiagnosticSeverity.Information,
}


def collect_diagnostics(checked: DocumentCheck) -> Mapping[str, list[Diagnostic]]:
    """The diagnostics of a check, by the path of the document in which they are shown.

    Findings in an included document that cannot be shown are placed at the top of the open one.
    """
    own = checked.document.path
    found: dict[str, list[Diagnostic]] = {own: []}
    if checked.failure is not None:
        found[own].append(
            Diagnostic(START, checked.failure, DiagnosticSeverity.Error, source=SOURCE)
        )
    for finding in () if checked.file is None else checked.file.findings:
        path = find_document(checked, finding)
        found.setdefault(path, []).append(_diagnostic(checked, finding, path))
    return found


def find_document(checked: DocumentCheck, finding: Finding) -> str:
    """The path of the document in which a finding is shown."""
    known = checked.text_of(finding.place.path) is not None
    return checked.path_of(finding.place) if known else checked.document.path


def find_range(checked: DocumentCheck, finding: Finding) -> Range:
    """The range of a finding: that of the one number that is probably wrong, if there is one."""
    text = checked.text_of(finding.place.path)
    return START if text is None else text.range(_culprit(checked, finding) or finding.place)


def _culprit(checked: DocumentCheck, finding: Finding) -> Place | None:
    """The place of the one number that would have to change; None where several would."""
    cause = finding.causes[0] if finding.causes else None
    if cause is None or cause.confidence <= SURE or cause.edit is None or checked.model is None:
        return None
    names = list(cause.edit["entries"])
    body = checked.bodies.get(finding.body_id or "")
    number = collect_numbers(body).get(names[0]) if body is not None and len(names) == 1 else None
    if number is None or number.span is None or not number.literal:
        return None
    place = checked.model.place(number.span)
    return place if place.path == finding.place.path else None


def find_within(
    checked: DocumentCheck, document: Document, where: Range
) -> Iterator[tuple[Finding, Range]]:
    """The findings that are shown in, or touch, a range of a document, with their ranges."""
    for finding in () if checked.file is None else checked.file.findings:
        if find_document(checked, finding) == document.path:
            shown = find_range(checked, finding)
            if shown.start <= where.end and where.start <= shown.end:
                yield finding, shown


def data_of(finding: Finding) -> dict[str, str | None]:
    """The data by which a diagnostic is recognised when a client sends it back."""
    return {"code": finding.code, "name": finding.name, "body": finding.body_id}


def _diagnostic(checked: DocumentCheck, finding: Finding, path: str) -> Diagnostic:
    message = finding.message
    if finding.body is not None:
        message = f"{finding.body}: {message}"
    if finding.causes:
        message += f"\nProbable cause: {describe_cause(finding.causes[0])}"
    related = None
    if path != checked.document.path:
        model = checked.file.model if checked.file is not None else None
        location = Location(checked.document.uri, START)
        related = [DiagnosticRelatedInformation(location, f"in the model {model or ''}".rstrip())]
    return Diagnostic(
        find_range(checked, finding),
        message,
        _SEVERITIES[finding.severity],
        source=SOURCE,
        code=finding.code,
        tags=[DiagnosticTag.Unnecessary] if finding.code == UnusedSuppression.code else None,
        related_information=related,
        data=data_of(finding),
    )
