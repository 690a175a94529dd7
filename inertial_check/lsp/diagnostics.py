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
from pygls.uris import from_fs_path

from inertial_check.lsp.checking import Document, DocumentCheck
from inertial_check.model import Finding, Severity
from inertial_check.reports.details import describe_cause, list_places, written_entries
from inertial_check.reports.escaping import printable
from inertial_check.rules.configuration import UnusedSuppression

SOURCE = "inertial-check"
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
    """The range of a finding: that from the first to the last number that it is about.

    Numbers in other documents do not count; without any it is the range of the finding's own place.
    """
    text = checked.text_of(finding.place.path)
    if text is None:
        return START
    places = [each.place for each in written_entries(finding)]
    ranges = [text.range(place) for place in places if place.path == finding.place.path]
    if not ranges:
        return text.range(finding.place)
    return Range(min(each.start for each in ranges), max(each.end for each in ranges))


def _list_entries(
    checked: DocumentCheck, finding: Finding
) -> Iterator[DiagnosticRelatedInformation]:
    """The numbers that a finding is about, each at its place, where there are several."""
    places = list_places(finding)
    for place, described in places if len(places) > 1 else ():
        text, path = checked.text_of(place.path), checked.path_of(place)
        if text is not None:
            own = path == checked.document.path
            uri = checked.document.uri if own else from_fs_path(path) or checked.document.uri
            location = Location(uri, text.range(place))
            yield DiagnosticRelatedInformation(location, printable(described))


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
    related = list(_list_entries(checked, finding))
    if path != checked.document.path:
        model = checked.file.model if checked.file is not None else None
        location = Location(checked.document.uri, START)
        related.append(
            DiagnosticRelatedInformation(location, f"in the model {model or ''}".rstrip())
        )
    return Diagnostic(
        find_range(checked, finding),
        message,
        _SEVERITIES[finding.severity],
        source=SOURCE,
        code=finding.code,
        tags=[DiagnosticTag.Unnecessary] if finding.code == UnusedSuppression.code else None,
        related_information=related or None,
        data=data_of(finding),
    )
