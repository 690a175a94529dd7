"""The bytes of a document, and places in them."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from itertools import accumulate, chain
from typing import NamedTuple


class Span(NamedTuple):
    """Interval of a document's bytes: `data[start:end]`.

    Attributes:
        start: First byte.
        end: Byte after the last one.
        file: Number of the document: 0 for the main one of a model, 1, 2, ... for included ones.
    """

    start: int
    end: int
    file: int = 0


class Place(NamedTuple):
    """Place of a span for people: 1-based lines, and 1-based columns in code points.

    Attributes:
        line: Line of the first character.
        column: Column of the first character.
        end_line: Line of the end.
        end_column: Column after the last character.
        path: Path of the document; None for the main one of a model.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    path: str | None = None


class Edit(NamedTuple):
    """New text for one span."""

    span: Span
    text: str


_LINE_END = re.compile(rb"\r\n?|\n")
_LINE_ENDS = {
    "utf-16-le": re.compile(rb"\r\0(?:\n\0)?|\n\0"),
    "utf-16-be": re.compile(rb"\0\r(?:\0\n)?|\0\n"),
}
_BLOCK = 4096
"""Number of bytes between positions at which code points are counted in advance."""

_CONTINUATION = bytes(range(0x80, 0xC0))
_LOW_SURROGATE = bytes(range(0xDC, 0xE0))


@dataclass(frozen=True)
class Source:
    """Bytes of a document, with the encoding that its reader determined.

    Attributes:
        path: Path as the caller gave it; "<bytes>" for data without a file.
        data: The bytes as they are on the disk.
        encoding: Python codec that decodes the document and encodes its text to the same bytes.
        bom: The byte order mark; b"" if there is none.
    """

    path: str
    data: bytes = field(repr=False)
    encoding: str = "utf-8"
    bom: bytes = b""

    @cached_property
    def _line_starts(self) -> Sequence[int]:
        """Byte offsets at which lines start; LF, CRLF and a lone CR end a line, as in XML."""
        first = len(self.bom)
        wide = _LINE_ENDS.get(self.encoding)
        if wide is None:
            if b"\r" in self.data:
                after = (match.end() for match in _LINE_END.finditer(self.data, first))
                return array("q", chain([first], after))
            lines = BytesIO(self.data)  # line by line: a list would take 50 bytes for each
            lines.seek(first)
            starts = array("q", accumulate(map(len, lines), initial=first))
            if not self.data.endswith(b"\n") and len(starts) > 1:
                starts.pop()
            return starts
        ends = [match.span() for match in wide.finditer(self.data, first)]
        # In UTF-16 the pattern may also match the halves of two characters, at an odd offset.
        return [first] + [end for start, end in ends if (start - first) % 2 == 0]

    @cached_property
    def _narrow(self) -> bool:
        """Whether every byte is a code point."""
        return self.encoding not in _LINE_ENDS and self.data.isascii()

    def _count(self, start: int, end: int) -> int:
        """Count the code points in data[start:end]."""
        piece = self.data[start:end]
        if self.encoding == "utf-8":
            return len(piece.translate(None, _CONTINUATION))
        if self.encoding in _LINE_ENDS:
            high = piece[self.encoding == "utf-16-le" :: 2]
            return (len(piece) + 1) // 2 - len(high) + len(high.translate(None, _LOW_SURROGATE))
        return len(piece)  # every other encoding that is read has one byte a character

    @cached_property
    def _code_points(self) -> list[int]:
        """Code points before each block of bytes, which makes columns on long lines cheap."""
        blocks = range(len(self.bom), len(self.data) + 1, _BLOCK)
        return list(accumulate((self._count(at, at + _BLOCK) for at in blocks), initial=0))

    def _code_points_before(self, offset: int) -> int:
        block, rest = divmod(offset - len(self.bom), _BLOCK)
        return self._code_points[block] + self._count(offset - rest, offset)

    def line(self, offset: int) -> int:
        """Return the 1-based line of a byte offset."""
        offset = min(max(offset, len(self.bom)), len(self.data))
        return bisect_right(self._line_starts, offset)

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column [code points] of a byte offset."""
        offset = min(max(offset, len(self.bom)), len(self.data))
        line = bisect_right(self._line_starts, offset)
        start = self._line_starts[line - 1]
        if self._narrow:
            return line, offset - start + 1
        if offset - start <= _BLOCK:
            return line, self._count(start, offset) + 1
        return line, self._code_points_before(offset) - self._code_points_before(start) + 1

    def place(self, span: Span) -> Place:
        """Return the lines and columns of a span."""
        return Place(*self.line_column(span.start), *self.line_column(span.end))

    def text(self, span: Span) -> str:
        """Decode the text of a span."""
        return self.data[span.start : span.end].decode(self.encoding, "replace")

    def apply_edits(self, edits: Iterable[Edit]) -> bytes:
        """Apply edits to the bytes; everything outside their spans is untouched.

        Raises:
            ValueError: Two edits overlap.
        """
        pieces: list[bytes] = []
        position = 0
        for edit in sorted(edits, key=lambda edit: edit.span):
            if edit.span.start < position:
                raise ValueError(f"edits overlap at byte {edit.span.start} of {self.path}")
            pieces += [self.data[position : edit.span.start], edit.text.encode(self.encoding)]
            position = edit.span.end
        return b"".join([*pieces, self.data[position:]])
