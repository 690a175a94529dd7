"""Diagnostics, hovers and code actions of an editor, made of the findings of a document."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import isfinite
from typing import NamedTuple

import numpy as np
from lsprotocol import types
from lsprotocol.types import (
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    DiagnosticTag,
    Hover,
    Location,
    MarkupContent,
    MarkupKind,
    Position,
    Range,
)
from pygls.uris import from_fs_path

from inertial_check.checking.pages import describe_rule, find_rule
from inertial_check.checking.report import BodyReport, Finding, Severity, name_numbers
from inertial_check.checking.rules.document import UnusedSuppression
from inertial_check.documents.escaping import fence, printable
from inertial_check.documents.inertials import count_model
from inertial_check.documents.model import ENTRIES, Body, Number
from inertial_check.documents.source import Span
from inertial_check.inertia.intervals import admissible_intervals
from inertial_check.programs.lsp.documents import Document, DocumentCheck, Text
from inertial_check.programs.lsp.quick_fixes import QuickFix, QuickFixes, changes
from inertial_check.reports.terminal import (
    Row,
    describe_box,
    describe_cause,
    describe_engines,
    list_places,
    written_entries,
)
from inertial_check.reports.text import interval, number, plural, round_together

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
    counted = () if checked.model is None else count_model(checked.model)
    for each in chain(*(file.inertials for file in counted if file.path == own)):
        if not each.how:
            line = Range(Position(each.line - 1, 0), Position(each.line, 0))
            message, level = f"not judged: {each.reason}", DiagnosticSeverity.Information
            found[own].append(Diagnostic(line, message, level, source=SOURCE))
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


def find_within(
    checked: DocumentCheck, document: Document, where: Range
) -> Iterator[tuple[Finding, Range]]:
    """The findings that are shown in, or touch, a range of a document, with their ranges."""
    for finding in () if checked.file is None else checked.file.findings:
        if find_document(checked, finding) == document.path:
            shown = find_range(checked, finding)
            if shown.start <= where.end and where.start <= shown.end:
                yield finding, shown


def _diagnostic(checked: DocumentCheck, finding: Finding, path: str) -> Diagnostic:
    message = finding.message
    if finding.body is not None:
        message = f"{finding.body}: {message}"
    if finding.causes:
        message += f"\nProbable cause: {describe_cause(finding.causes[0])}"
    # The numbers that a finding is about, each at its place, where there are several.
    places, related = list_places(finding), []
    for place, described in places if len(places) > 1 else ():
        text, other = checked.text_of(place.path), checked.path_of(place)
        if text is not None:
            own = other == checked.document.path
            uri = checked.document.uri if own else from_fs_path(other) or checked.document.uri
            location = Location(uri, text.range(place))
            related.append(DiagnosticRelatedInformation(location, printable(described)))
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
        data={"code": finding.code, "name": finding.name, "body": finding.body_id},
    )


_LENGTH_DIGITS = 4
"""Significant digits of lengths, which are for reading only."""


class _BodyAtPosition(NamedTuple):
    """Body whose numbers are under the cursor.

    Attributes:
        body: The body as written.
        report: Its report.
        name: Name of the number under the cursor: mass, x, y, z or one of ENTRIES; None beside
            them.
        span: Span of the number or the inertial under the cursor.
    """

    body: Body
    report: BodyReport
    name: str | None
    span: Span


def describe_position(
    document: Document, checks: Sequence[DocumentCheck], position: Position
) -> Hover | None:
    """The hover over a position: the body whose numbers are there, and the rules of findings."""
    parts: list[str] = []
    where: Range | None = None
    index = document.text.index(position)
    for checked in checks:
        found = _hits(checked, document.path, document.text, index)
        if found and checked.model is not None:
            # The numbers of the first of these bodies, and how many others share its number.
            hit = found[0]
            others = {each.body.id for each in found} - {hit.body.id}
            also = f" (and {plural(len(others), 'other body')})" if others else ""
            rows = list(_rows(hit))
            width = max(len(row.label) for row in rows)
            lines = [f"{printable(hit.body.name)}{also}: {hit.report.judgement.verdict}"]
            lines += [f"{row.label:<{width}}  {row.text}".rstrip() for row in rows]
            parts.append(fence(lines))
            where = document.text.range(checked.model.place(found[0].span))
            break
    here = Range(position, position)
    findings = [each for checked in checks for each, _ in find_within(checked, document, here)]
    # The summaries of the rules of findings, each once.
    for code in dict.fromkeys(finding.code for finding in findings):
        rule = find_rule(code)
        if rule is not None:
            page = describe_rule(rule)
            paragraphs = (page["summary"], *page["explanation"].values())
            said = "\n\n".join(paragraphs[:3])
            parts.append(f"**{rule.code} {rule.name}**\n\n{said}")
    if not parts:
        return None
    content = MarkupContent(MarkupKind.Markdown, "\n\n".join(parts))
    return Hover(content, where)


def _hits(checked: DocumentCheck, path: str, text: Text, index: int) -> list[_BodyAtPosition]:
    """The bodies with a number at a place; without any, those whose inertial contains it.

    Args:
        checked: A check.
        path: Path of the document that was checked, or of one that it includes.
        text: Text of that document.
        index: Index of the character.
    """
    file = _number_of(checked, path, text)
    if file is None or checked.model is None or checked.file is None:
        return []
    offset = text.byte(index)
    on_number: list[_BodyAtPosition] = []
    beside: list[_BodyAtPosition] = []
    for body, report in zip(checked.model.bodies, checked.file.bodies, strict=True):
        if body.inertial is None:
            continue
        for name, each in name_numbers(body.inertial).items():
            if _holds(each.span, file, offset):
                on_number.append(_BodyAtPosition(body, report, name, each.span or body.span))
        if _holds(body.inertial.span, file, offset):
            beside.append(_BodyAtPosition(body, report, None, body.inertial.span))
    return on_number or beside


def _number_of(checked: DocumentCheck, path: str, text: Text) -> int | None:
    """The number of a model's document by its path; None if it has changed since it was read."""
    if path == checked.document.path:
        return 0 if text == checked.document.text else None
    for number_, source in enumerate(() if checked.model is None else checked.model.others, 1):
        if os.path.abspath(source.path) == path:
            return number_ if source.data == text.data else None
    return None


def _holds(span: Span | None, file: int, offset: int) -> bool:
    """Whether a byte is in a span, or right behind it, where a cursor touches it, too."""
    return (
        span is not None
        and span.file == file
        and span.start <= offset <= span.end
        and span.start < span.end
    )


def _rows(hit: _BodyAtPosition) -> Iterator[Row]:
    judgement = hit.report.judgement
    yield Row("mass", f"{number(judgement.mass)} kg" if isfinite(judgement.mass) else "none")
    center = [value if isfinite(value) else None for value in judgement.p_BoBcm_B]
    yield Row("centre of mass", f"{', '.join(round_together(center, _LENGTH_DIGITS))} m")
    moments = ", ".join(map(number, judgement.principal_moments))
    yield Row("principal moments", f"{moments} kg m^2")
    edges = [edge if isfinite(edge) else None for edge in judgement.equivalent_box]
    yield Row("equivalent box", describe_box(edges))
    if isfinite(judgement.margin):
        yield Row("margin", f"{judgement.margin:.4g} ({100 * judgement.margin:.4g} %)")
    if hit.name in ENTRIES:
        # The interval in which the entry under the cursor is consistent, in the document's units.
        inertial = hit.body.inertial
        entries: dict[str, Number] = {} if inertial is None else dict(inertial.I_BBcm_Bi)
        six = np.array([entries[name].value if name in entries else 0.0 for name in ENTRIES])
        low, high = admissible_intervals(six)[ENTRIES.index(hit.name or "")].tolist()
        if not isfinite(low):
            admissible = "no value of it alone, with the others as written"
        else:
            si = inertial is None or inertial.kilograms_per_unit == inertial.meters_per_unit == 1
            unit = " kg m^2" if si else ", in the units of the document"
            admissible = f"{interval(low, high)}{unit}, with the others as written"
        yield Row(f"{hit.name} admissible", admissible)
    told = list(describe_engines(hit.report))
    yield from told or [Row("engines", "all take it as it is")]


_MOST = 8
"""Most findings of a request whose quick fixes are tried, as each costs a check."""

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"


class Actions:
    """The code actions of one request.

    Args:
        documents: The open documents, by path.
        versioned: Whether the editor takes edits with the versions of documents.
        params: Parameters of the request.
    """

    def __init__(
        self, documents: Mapping[str, Document], versioned: bool, params: types.CodeActionParams
    ) -> None:
        self._documents = documents
        self._versioned = versioned
        self._params = params

    def of(
        self, document: Document, checks: Sequence[tuple[DocumentCheck, QuickFixes]]
    ) -> list[types.CodeAction]:
        """The actions of the requested kinds, in the order in which the editor shows them."""
        actions: list[types.CodeAction] = []
        for checked, fixes in checks:
            here = list(find_within(checked, document, self._params.range))
            if self._wants(types.CodeActionKind.QuickFix):
                for finding, shown in here[:_MOST]:
                    for quick_fix in fixes.of(finding):
                        action = self._action(checked, quick_fix, types.CodeActionKind.QuickFix)
                        if action is not None:
                            known = self._params.context.diagnostics
                            action.diagnostics = [
                                each
                                for each in known
                                if each.code == finding.code and each.range == shown
                            ]
                            action.is_preferred = quick_fix.sure or None
                        _add(actions, action)
                both = fixes.all(safe=False) if any(each.fix for each, _ in here) else None
                if both is not None and both.bodies > 1:
                    _add(actions, self._action(checked, both, types.CodeActionKind.QuickFix))
            if checked.document is document and self._wants(FIX_ALL):
                safe = fixes.all(safe=True)
                if safe is not None:
                    _add(actions, self._action(checked, safe, FIX_ALL))
        return actions

    def _wants(self, kind: str) -> bool:
        only = self._params.context.only
        if only is None:
            return True
        wanted = [each.value if isinstance(each, types.CodeActionKind) else each for each in only]
        return any(not each or kind == each or kind.startswith(f"{each}.") for each in wanted)

    def _action(
        self, checked: DocumentCheck, quick_fix: QuickFix, kind: str
    ) -> types.CodeAction | None:
        """The action of a quick fix; None where a document has changed since, or is unknown."""
        edits: list[types.TextDocumentEdit] = []
        for path, (text, replacements) in changes(checked, quick_fix).items():
            opened = self._documents.get(path)
            if opened is not None and not opened.text.has_same_content(text):
                return None
            uri = opened.uri if opened is not None else from_fs_path(path)
            if uri is None:
                return None
            now = text if opened is None else opened.text
            edits.append(
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(
                        uri, opened.version if opened is not None else None
                    ),
                    [
                        types.TextEdit(now.exact_range(each.place), each.text)
                        for each in replacements
                    ],
                )
            )
        if not edits:
            return None
        if self._versioned:
            edit = types.WorkspaceEdit(document_changes=edits)
        else:
            plain = {
                each.text_document.uri: [x for x in each.edits if isinstance(x, types.TextEdit)]
                for each in edits
            }
            edit = types.WorkspaceEdit(changes=plain)
        return types.CodeAction(quick_fix.title, kind, edit=edit)


def _add(actions: list[types.CodeAction], action: types.CodeAction | None) -> None:
    """Add an action, unless it is there already, as several findings of a body have the same."""
    known = [(each.kind, each.edit) for each in actions]
    if action is not None and (action.kind, action.edit) not in known:
        actions.append(action)
