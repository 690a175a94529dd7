"""What a document says at a place, cut to what a reader can take in."""

from __future__ import annotations

import re
from typing import NamedTuple

from inertial_check.model.source import Source, Span

_LINES = 4
"""A span of more lines is shown by its first."""

_WIDTH = 110
"""[code points] A longer line is cut around what is marked in it."""

_LEFT = 40
"""[code points] Of them, how many stand before the marked ones."""

_REACH = 8 * _WIDTH
"""[bytes] How far from the span a line is looked at, so that a document of one line stays cheap."""

_CUT = "..."
_LINE_END = re.compile(r"\r\n?|\n")
_UNREADABLE = ("\0", "\ufffd")


class ExcerptLine(NamedTuple):
    """One line of a document, or the part of it around what is marked.

    Attributes:
        number: Of the line, 1-based.
        text: Without its end; "..." stands for what is cut.
        start: First marked code point of the text, from 0.
        end: The one after the last; may equal start.
    """

    number: int
    text: str
    start: int
    end: int


class Excerpt(NamedTuple):
    """The lines on which a span stands.

    Attributes:
        lines: One to four.
        more: Whether the span has more lines than these.
    """

    lines: tuple[ExcerptLine, ...]
    more: bool = False


def extract_excerpt(source: Source, span: Span, line: int) -> Excerpt | None:
    """The lines of a document on which a span stands.

    Args:
        source: The document.
        span: What to mark.
        line: The number of the line on which it begins.

    Returns:
        None where the document has no text there, as in binary data.
    """
    before = _LINE_END.split(_before(source, span.start))[-1]
    stop = min(span.end, span.start + _LINES * _REACH)
    marked = _LINE_END.split(source.text(Span(span.start, stop)))
    more = stop < span.end or len(marked) > _LINES
    if more:
        marked, after = marked[:1], ""
    else:
        following = Span(span.end, min(span.end + _REACH, len(source.data)))
        after = _LINE_END.split(source.text(following).rstrip("\ufffd"))[0]
    lines = []
    for index, text in enumerate(marked):
        blank = len(text) - len(text.lstrip()) if index else 0
        head = before if index == 0 else text[:blank]
        tail = after if index == len(marked) - 1 else ""
        lines.append(_cut(line + index, head, text[blank:], tail))
    if any(sign in each.text for each in lines for sign in _UNREADABLE):
        return None
    return Excerpt(tuple(lines), more)


def _before(source: Source, offset: int) -> str:
    """The text before a byte, as far as it is looked at."""
    first = len(source.bom)
    start = max(first, offset - _REACH)
    if start > first:  # a multiple of four bytes, so that UTF-16 is not cut in two
        return source.text(Span(start, offset)).lstrip("\ufffd")
    return source.text(Span(start, offset))


def _cut(number: int, before: str, marked: str, after: str) -> ExcerptLine:
    """The line, or where it is long the part of it that holds the beginning of what is marked."""
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
