"""The bytes of a document, and places in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a document's bytes: `data[start:end]`.

    Attributes:
        start: First byte.
        end: The byte after the last.
        file: Which of a model's documents: 0 for its own, 1, 2, ... for those it includes.
    """

    start: int
    end: int
    file: int = 0


class Place(NamedTuple):
    """Where a span stands for a reader: 1-based lines, 1-based columns in code points.

    Attributes:
        line: Where it begins.
        column: The same.
        end_line: Where it ends.
        end_column: The same.
        path: The document; None for the model's own.
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


_LINE_ENDS = {
    "utf-16-le": re.compile(rb"\r\0(?:\n\0)?|\n\0"),
    "utf-16-be": re.compile(rb"\0\r(?:\0\n)?|\0\n"),
}
_BLOCK = 4096
_CONTINUATION = bytes(range(0x80, 0xC0))
_LOW_SURROGATE = bytes(range(0xDC, 0xE0))
_HIGH_BYTES = bytes(range(0x80, 0x100))


@dataclass(frozen=True)
class Source:
    """A document as it lies on the disk, with the encoding that its reader found.

    Attributes:
        path: As the caller named it; "<bytes>" for data without a file.
        data: The bytes, never normalised.
        encoding: A Python codec that round-trips the document's text, without its byte order mark.
        bom: The byte order mark, b"" where there is none.
    """

    path: str
    data: bytes = field(repr=False)
    encoding: str = "utf-8"
    bom: bytes = b""

    @cached_property
    def _line_starts(self) -> list[int]:
        """Byte offsets at which lines start; LF, CRLF and a lone CR end a line, as in XML."""
        first = len(self.bom)
        wide = _LINE_ENDS.get(self.encoding)
        if wide is None:
            lines = self.data[first:].splitlines(keepends=True)  # bytes know no other line ends
            unfinished = bool(lines) and not lines[-1].endswith((b"\n", b"\r"))
            return list(accumulate(map(len, lines[:-1] if unfinished else lines), initial=first))
        ends = [match.span() for match in wide.finditer(self.data, first)]
        # In UTF-16 the pattern also meets the halves of two neighbours; it never hides a line end.
        return [first] + [end for start, end in ends if (start - first) % 2 == 0]

    @cached_property
    def _adds_up(self) -> bool:
        """Whether the code points of two pieces cut anywhere add up; not so in GBK and its like."""
        wide = self.encoding == "utf-8" or self.encoding in _LINE_ENDS
        return wide or len(_HIGH_BYTES.decode(self.encoding, "replace")) == len(_HIGH_BYTES)

    def _count(self, start: int, end: int) -> int:
        """Code points in data[start:end]."""
        piece = self.data[start:end]
        if self.encoding == "utf-8":
            return len(piece.translate(None, _CONTINUATION))
        if self.encoding in _LINE_ENDS:
            high = piece[self.encoding == "utf-16-le" :: 2]
            return (len(piece) + 1) // 2 - len(high) + len(high.translate(None, _LOW_SURROGATE))
        return len(piece) if self._adds_up else len(piece.decode(self.encoding, "replace"))

    @cached_property
    def _code_points(self) -> list[int]:
        """Code points before each block of bytes, so that a column on a long line stays cheap."""
        blocks = range(len(self.bom), len(self.data) + 1, _BLOCK)
        return list(accumulate((self._count(at, at + _BLOCK) for at in blocks), initial=0))

    def _code_points_before(self, offset: int) -> int:
        block, rest = divmod(offset - len(self.bom), _BLOCK)
        return self._code_points[block] + self._count(offset - rest, offset)

    def line_column(self, offset: int) -> tuple[int, int]:
        """1-based line and column [code points] of a byte offset."""
        offset = min(max(offset, len(self.bom)), len(self.data))
        line = bisect_right(self._line_starts, offset)
        start = self._line_starts[line - 1]
        if offset - start <= _BLOCK or not self._adds_up:
            return line, self._count(start, offset) + 1
        return line, self._code_points_before(offset) - self._code_points_before(start) + 1

    def place(self, span: Span) -> Place:
        """Where the span begins and ends."""
        return Place(*self.line_column(span.start), *self.line_column(span.end))

    def text(self, span: Span) -> str:
        """The text of a span."""
        return self.data[span.start : span.end].decode(self.encoding, "replace")

    def apply_edits(self, edits: Iterable[Edit]) -> bytes:
        """The bytes with the edits applied; everything outside their spans is untouched.

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
