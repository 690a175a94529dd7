"""Text of an open document, with places as the editor counts them and as reports do.

An editor counts lines from 0 and columns in the code units that were negotiated; a report counts
from 1 and in code points, and does not count a byte order mark. Both end lines at LF, CRLF and CR.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from lsprotocol.types import Position, PositionEncodingKind, Range

from inertial_check.model import Place, TextReplacement

_LINE_END = re.compile(r"\r\n?|\n")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MARK = "\ufeff"
_DECLARED = re.compile(r"\ufeff?\s*<\?xml\s[^>]*?\bencoding\s*=\s*[\"']\s*([A-Za-z][\w.:-]*)")
_WORD = re.compile(r"\w+|.")
_ASCII = bytes(range(0x20, 0x7F))
_CODECS = {PositionEncodingKind.Utf8: "utf-8", PositionEncodingKind.Utf16: "utf-16-le"}
_CODE_UNIT = {PositionEncodingKind.Utf8: 1, PositionEncodingKind.Utf16: 2}


@dataclass(frozen=True)
class Text:
    """Text of a document at one moment.

    Attributes:
        content: All characters, including a byte order mark.
        units: Units in which the editor counts columns.
    """

    content: str = field(repr=False)
    units: PositionEncodingKind | str = PositionEncodingKind.Utf16

    def __post_init__(self) -> None:
        """Replace halves of surrogate pairs, which no file can hold, by U+FFFD."""
        object.__setattr__(self, "content", _LONE_SURROGATE.sub("\ufffd", self.content))

    @cached_property
    def encoding(self) -> str:
        """The codec that a reader of the document expects: the declared one, else UTF-8."""
        declared = _DECLARED.match(self.content)
        if declared is None:
            return "utf-8"
        try:
            codec = codecs.lookup(declared[1]).name
            if codec.startswith("utf-16"):
                return "utf-16-le"
            self.content.removeprefix(_MARK).encode(codec)
            return codec if _ASCII.decode().encode(codec) == _ASCII else "utf-8"
        except (LookupError, UnicodeError):
            return "utf-8"

    @cached_property
    def data(self) -> bytes:
        """The bytes of a file that holds the text."""
        return self._prefix + self._body.encode(self.encoding)

    @cached_property
    def _body(self) -> str:
        """The text to encode; only Unicode encodings can write a byte order mark."""
        return self.content if self.encoding.startswith("utf") else self._unmarked

    @property
    def _unmarked(self) -> str:
        return self.content.removeprefix(_MARK)

    @property
    def _prefix(self) -> bytes:
        wide = self.encoding == "utf-16-le" and not self.content.startswith(_MARK)
        return codecs.BOM_UTF16_LE if wide else b""

    @cached_property
    def _starts(self) -> list[int]:
        """Indices of the characters at which lines start."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.content))]

    def byte(self, index: int) -> int:
        """The byte offset of a character in `data`."""
        index -= len(self.content) - len(self._body)
        return len(self._prefix) + len(self._body[: max(index, 0)].encode(self.encoding))

    def index(self, position: Position) -> int:
        """The index of the character at an editor's position; the nearest one outside the text."""
        if position.line >= len(self._starts):
            return len(self.content)
        line = self._line(position.line)
        return self._starts[position.line] + _characters(line, position.character, self.units)

    def position(self, index: int) -> Position:
        """The editor's position of a character."""
        line = bisect_right(self._starts, index) - 1
        return Position(line, _count(self.content[self._starts[line] : index], self.units))

    def span(self, place: Place) -> tuple[int, int]:
        """The indices of the first character of a report's place and of the one after its last."""
        return (
            self._index(place.line, place.column),
            self._index(place.end_line, place.end_column),
        )

    def range(self, place: Place) -> Range:
        """The editor's range of a report's place; an empty one is widened to the word there."""
        start, end = self.span(place)
        if start >= end:
            word = _WORD.match(self.content, start)
            end = word.end() if word else start
        return Range(self.position(start), self.position(end))

    def exact_range(self, place: Place) -> Range:
        """The editor's range of a report's place, empty if the place is."""
        start, end = self.span(place)
        return Range(self.position(start), self.position(end))

    def has_same_content(self, other: Text) -> bool:
        """Whether two texts differ by no more than a byte order mark."""
        return self._unmarked == other._unmarked

    def apply_change(self, where: Range | None, new: str) -> Text:
        """Apply an editor's change; without a range, the whole text is replaced."""
        if where is None:
            return Text(new, self.units)
        start, end = self.index(where.start), self.index(where.end)
        return Text(self.content[:start] + new + self.content[max(start, end) :], self.units)

    def apply_replacements(self, replacements: Iterable[TextReplacement]) -> Text:
        """Replace the text at several places."""
        content = self.content
        spans = [(self.span(each.place), each.text) for each in replacements]
        for (start, end), new in sorted(spans, reverse=True):
            content = content[:start] + new + content[end:]
        return Text(content, self.units)

    @property
    def line_end(self) -> str:
        """The line end of the text."""
        match = _LINE_END.search(self.content)
        return match[0] if match else "\n"

    def before(self, index: int) -> str:
        """The part of a line before a character."""
        return self.content[self._starts[bisect_right(self._starts, index) - 1] : index]

    def _line(self, number: int) -> str:
        """A line, counted from 0, without its end."""
        start = self._starts[number]
        match = _LINE_END.search(self.content, start)
        return self.content[start : match.start() if match else len(self.content)]

    def _index(self, line: int, column: int) -> int:
        if line > len(self._starts):
            return len(self.content)
        marked = line == 1 and self.content.startswith(_MARK)
        return min(self._starts[line - 1] + marked + column - 1, len(self.content))


def _count(text: str, units: PositionEncodingKind | str) -> int:
    """Number of code units of a text."""
    codec = _CODECS.get(PositionEncodingKind(units))
    if codec is None or text.isascii():
        return len(text)
    return len(text.encode(codec)) // _CODE_UNIT[PositionEncodingKind(units)]


def _characters(text: str, count: int, units: PositionEncodingKind | str) -> int:
    """Number of characters that lie within so many code units."""
    codec = _CODECS.get(PositionEncodingKind(units))
    if codec is None or text.isascii():
        return min(count, len(text))
    size = count * _CODE_UNIT[PositionEncodingKind(units)]
    return len(text.encode(codec)[:size].decode(codec, "ignore"))
