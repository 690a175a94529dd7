"""Excerpts of a document for reports: the lines of a span, cut to a readable length."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inertial_check.model.source import Place, Source, Span

_LINES = 4
"""Largest number of lines of an excerpt; of a longer span only the first line is shown."""

_WIDTH = 110
"""Largest width of a line [code points]; a longer one is cut around the marked text."""

_LEFT = 40
"""Largest number of code points before the marked text in a line that is cut."""

_REACH = 8 * _WIDTH
"""Largest distance from the span at which text is read [bytes]; bounds the cost of long lines."""

_CUT = "..."
_LINE_END = re.compile(r"\r\n?|\n")
_UNREADABLE = ("\0", "\ufffd")


class ExcerptLine(NamedTuple):
    """A line of a document, or the part of it around the marked text.

    Attributes:
        number: Number of the line, 1-based.
        text: Text without its line end; "..." replaces parts that are cut.
        start: First marked code point of the text, from 0.
        end: Code point after the last marked one; may equal start.
    """

    number: int
    text: str
    start: int
    end: int


class Excerpt(NamedTuple):
    """The lines of a span.

    Attributes:
        lines: One to four lines.
        more: Whether the span has more lines.
    """

    lines: tuple[ExcerptLine, ...]
    more: bool = False


class MarkedLine(NamedTuple):
    """A line of a document with marks under some of its numbers.

    Attributes:
        place: Place of the first marked number.
        text: Text of the line without its end; "..." replaces parts that are cut.
        marks: First code point of each marked number, from 0, and the one after its last.
    """

    place: Place
    text: str
    marks: tuple[tuple[int, int], ...]


def extract_excerpt(source: Source, span: Span, line: int) -> Excerpt | None:
    """Extract the lines of a span from a document.

    Args:
        source: The document.
        span: Bytes to mark.
        line: Number of the line on which the span begins.

    Returns:
        The excerpt; None if the document is binary there.
    """
    before = _take_last_line(_before(source, span.start))
    stop = min(span.end, span.start + _LINES * _REACH)
    marked = _LINE_END.split(source.text(Span(span.start, stop)))
    more = stop < span.end or len(marked) > _LINES
    if more:
        marked, after = marked[:1], ""
    else:
        following = Span(span.end, min(span.end + _REACH, len(source.data)))
        after = _take_first_line(source.text(following).rstrip("\ufffd"))
    lines = []
    for index, text in enumerate(marked):
        blank = len(text) - len(text.lstrip()) if index else 0
        head = before if index == 0 else text[:blank]
        tail = after if index == len(marked) - 1 else ""
        lines.append(_cut(line + index, head, text[blank:], tail))
    if any(sign in each.text for each in lines for sign in _UNREADABLE):
        return None
    return Excerpt(tuple(lines), more)


def mark_numbers(source: Source, spans: Sequence[Span], place: Place) -> MarkedLine | None:
    """Mark numbers on the line of the first of them.

    Args:
        source: The document.
        spans: Bytes of the numbers, in ascending order.
        place: Place of the first.

    Returns:
        The line with marks under those numbers that begin on it; None if the document is binary.
    """
    first = spans[0]
    text = _take_last_line(_before(source, first.start))
    marks: list[tuple[int, int]] = []
    at = first.start
    for span in spans:
        if not at <= span.start <= first.start + _REACH:
            break
        gap = source.text(Span(at, span.start))
        if "\n" in gap or "\r" in gap:
            break
        marked = source.text(Span(span.start, min(span.end, span.start + _REACH)))
        marked = _take_first_line(marked)
        start = len(text) + len(gap)
        marks.append((start, start + len(marked)))
        text += gap + marked
        at = span.start + len(marked.encode(source.encoding, "replace"))
    following = Span(at, min(at + _REACH, len(source.data)))
    after = _take_first_line(source.text(following).rstrip("\ufffd"))
    line = _cut(place.line, text[: marks[0][0]], text[marks[0][0] :], after)
    if any(sign in line.text for sign in _UNREADABLE):
        return None
    moved = line.start - marks[0][0]
    end = len(line.text)
    within = ((start + moved, min(stop + moved, end)) for start, stop in marks)
    return MarkedLine(place, line.text, tuple(pair for pair in within if pair[0] < end))


def _take_first_line(text: str) -> str:
    """The text before the first line end."""
    return text.partition("\n")[0].partition("\r")[0]


def _take_last_line(text: str) -> str:
    """The text after the last line end."""
    return text[max(text.rfind("\n"), text.rfind("\r")) + 1 :]


def _before(source: Source, offset: int) -> str:
    """Read the text before a byte, up to the largest distance."""
    first = len(source.bom)
    start = max(first, offset - _REACH)
    if start > first:  # _REACH is a multiple of 4 bytes, so that no UTF-16 unit is cut
        return source.text(Span(start, offset)).lstrip("\ufffd")
    return source.text(Span(start, offset))


def _cut(number: int, before: str, marked: str, after: str) -> ExcerptLine:
    """Make a line; of a long one, keep the part around the beginning of the marked text."""
    if len(before) + len(marked) + len(after) > _WIDTH:
        if len(before) > _LEFT:
            before = _CUT + before[-_LEFT:]
        room = max(_WIDTH - len(before), 0)
        if len(marked) > room:
            marked, after = marked[:room], _CUT
        elif len(marked) + len(after) > room:
            after = after[: room - len(marked)] + _CUT
    start = len(before)
    return ExcerptLine(number, before + marked + after, start, start + len(marked))
