"""Lines of a document with marked numbers, and the lines that an edit changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inertial_check.checking.report import Finding, name_all_numbers
from inertial_check.documents.files.access import Json
from inertial_check.documents.model import Body, Model
from inertial_check.documents.source import Edit, Span

_REACH = 1024
"""Bytes of a line that are read before and after its marks; a multiple of 4, so that no unit of
UTF-16 is cut."""

_WIDTH = 180
"""Largest width of a line [code points]; a longer one is cut on both sides of its first mark."""

_BEFORE = 60
"""Code points before the first mark in a line that is cut on the left."""

_CUT = "…"
_LINE_END = re.compile(r"\r\n?|\n")


def describe_lines(model: Model, bodies: dict[str, Body], finding: Finding) -> list[Json]:
    """Describe the source lines of a finding with its guilty numbers marked.

    Args:
        model: The model that was checked.
        bodies: Its bodies by their ids.
        finding: The finding.

    Returns:
        One object for each line: file (None for the model's own), number, text, and marks, which
        are pairs of positions in code points. Without guilty numbers, the excerpt of the finding.
    """
    spans: list[Span] = []
    for entry in finding.entries:
        body = bodies.get(entry.body_id or finding.body_id or "")
        if body is not None and body.inertial is not None:
            number = name_all_numbers(body.inertial).get(entry.name)
            if number is not None and number.span is not None:
                spans.append(number.span)
    lines: list[Json] = [
        line
        for group in _group_by_line(model, spans)
        if (line := _describe_line(model, [Edit(span, _text(model, span)) for span in group]))
    ]
    if not lines and finding.excerpt is not None:
        lines = [
            {
                "file": finding.place.path,
                "number": line.number,
                "text": line.text,
                "marks": [[line.start, line.end]],
            }
            for line in finding.excerpt.lines
        ]
    return lines


def describe_edits(model: Model, edits: Iterable[Edit]) -> list[Json]:
    """Describe the lines that edits change: pairs of lines, as written and as they would be."""
    by_span = {edit.span: edit for edit in edits}
    changes: list[Json] = []
    for group in _group_by_line(model, by_span):
        old = _describe_line(model, [Edit(span, _text(model, span)) for span in group])
        new = _describe_line(model, [by_span[span] for span in group])
        if old and new:
            changes.append({"old": old, "new": new})
    return changes


def _group_by_line(model: Model, spans: Iterable[Span]) -> list[list[Span]]:
    """Group spans by the line on which they begin, in the order of the documents."""
    groups: dict[tuple[int, int], list[Span]] = {}
    for span in sorted(set(spans), key=lambda span: (span.file, span.start)):
        if span.start < span.end:
            groups.setdefault((span.file, model.place(span).line), []).append(span)
    return list(groups.values())


def _describe_line(model: Model, edits: Sequence[Edit]) -> dict[str, Json] | None:
    """Describe a line with new texts in some spans, which are marked; None if it is binary."""
    source = model.source_of(edits[0].span)
    place = model.place(edits[0].span)
    position, end = edits[0].span.start, edits[-1].span.end
    first = max(len(source.bom), position - _REACH)
    text = _LINE_END.split(source.text(Span(first, position)).lstrip("\ufffd"))[-1]
    marks: list[tuple[int, int]] = []
    for edit in edits:
        text += source.text(Span(position, edit.span.start))
        marks.append((len(text), len(text) + len(edit.text)))
        text += edit.text
        position = edit.span.end
    rest = source.text(Span(end, min(end + _REACH, len(source.data)))).rstrip("\ufffd")
    text += _LINE_END.split(rest)[0]
    if any(sign in text for sign in ("\0", "\ufffd")):
        return None
    text, marks = _cut(_LINE_END.sub(" ", text), marks)
    return {
        "file": place.path,
        "number": place.line,
        "text": text,
        "marks": [list(mark) for mark in marks],
    }


def _text(model: Model, span: Span) -> str:
    return model.source_of(span).text(span)


def _cut(text: str, marks: list[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """Cut a long line around its first mark; marks that are cut away are dropped."""
    if len(text) <= _WIDTH:
        return text, marks
    start = max(0, marks[0][0] - _BEFORE)
    shown = text[start : start + _WIDTH]
    left, right = _CUT if start else "", _CUT if start + _WIDTH < len(text) else ""
    moved = len(left) - start
    kept = [
        (a + moved, min(b + moved, len(left) + len(shown))) for a, b in marks if a < start + _WIDTH
    ]
    return left + shown + right, kept
