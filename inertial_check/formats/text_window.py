"""Text files read in pieces: a window that moves over the text and knows line and column."""

from __future__ import annotations

import codecs
import io
from collections.abc import Sequence
from typing import BinaryIO, NamedTuple

from inertial_check.errors import DocumentError

BOM = "\ufeff"
"""Byte order mark, as decoded text."""

LONGEST_ROW = 2**20
"""Largest number of characters in one row: a longer one is no row of numbers, and would fill the
memory."""

LARGEST_WINDOW = 2**27
"""Largest number of characters of text that are held at a time, for a value or a stretch without a
row: as much memory as the rows of any table need, and far below a gigabyte."""

_CHUNK = 2**18
"""Smallest number of bytes that are read at a time."""


class Cell(NamedTuple):
    """Span of a number or word in a text, without surrounding space and quotes."""

    start: int
    end: int


class Window:
    """Decoded text of a stream, from what was last taken to what was last read.

    Offsets count from the start of `text`.

    Attributes:
        path: The path that messages name.
        text: The text that was read and not taken, without the byte order mark.
        mark: The byte order mark, where the stream begins with one.
        line: 1-based line on which `text` starts.
        complete: Whether the stream was read to its end.

    Args:
        stream: The file, at its beginning.
        path: The path that messages name.
        advice: The end of a message about a file that is no text: which files are expected.
        errors: What to do with bytes that are no UTF-8: keep them as surrogates, or refuse them
            with "strict".
        translate: Whether all line ends are read as a line feed.
    """

    def __init__(
        self,
        stream: BinaryIO,
        path: str,
        advice: str,
        errors: str = "surrogateescape",
        translate: bool = False,
    ) -> None:
        self._stream, self.path, self._advice = stream, path, advice
        decoder = codecs.getincrementaldecoder("utf-8")(errors)
        self._decoder = io.IncrementalNewlineDecoder(decoder, True) if translate else decoder
        self._before = 0  # characters of the first line that were taken
        self.text, self.line, self.complete = "", 1, False
        self.more()
        self.mark = BOM if self.text.startswith(BOM) else ""
        self.text = self.text.removeprefix(BOM)

    def more(self) -> bool:
        """Read on, doubling what is held; returns whether there was anything to read.

        Raises:
            DocumentError: The bytes are no text, or too many of them belong together.
        """
        if self.complete:
            return False
        if len(self.text) > LARGEST_WINDOW:
            reason = f"more than {LARGEST_WINDOW} characters without the end of a row or value"
            raise self.error(0, reason)
        data = self._stream.read(max(_CHUNK, len(self.text)))
        self.complete = not data
        try:
            text = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            reason = f"not UTF-8 text: {error.reason}; {self._advice}"
            raise DocumentError(self.path, reason) from None
        if "\0" in text:
            raise DocumentError(self.path, f"not UTF-8 text: {self._advice}")
        self.text += text
        return not self.complete

    def take(self, end: int) -> str:
        """Take the text up to an offset out of the window."""
        taken = self.text[:end]
        lines = taken.count("\n")
        self._before = len(taken) - taken.rfind("\n") - 1 if lines else self._before + len(taken)
        self.line += lines
        self.text = self.text[end:]
        return taken

    def place(self, offset: int) -> tuple[int, int]:
        """Find the 1-based line and column of an offset."""
        line = self.line + self.text.count("\n", 0, offset)
        start = self.text.rfind("\n", 0, offset)
        return line, offset - start if start >= 0 else self._before + offset + 1

    def error(self, offset: int, reason: str) -> DocumentError:
        """Make an error that names line and column."""
        return DocumentError(self.path, reason, *self.place(offset))


def replace_cells(text: str, edits: Sequence[tuple[Cell, str]]) -> str:
    """Replace cells of a text by other texts; the cells are given in their order."""
    pieces: list[str] = []
    position = 0
    for cell, new in edits:
        pieces += [text[position : cell.start], new]
        position = cell.end
    pieces.append(text[position:])
    return "".join(pieces)
