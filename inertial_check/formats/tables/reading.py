"""What the readers of all forms share: blocks of rows, and a window that moves over a text."""

from __future__ import annotations

import codecs
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.tables.columns import Cell, Layout, differing

BOM = "\ufeff"
LONGEST_ROW = 2**20
"""Characters of a row: more is no table, and would let one row fill the memory."""

_CHUNK = 2**18
_TINY = re.compile(r"[eE]-[0-9]{3}")


class Block:
    """Some rows of a table, and where they stand.

    Attributes:
        first: Index of the first of its rows in the table.
        values: (n, 10) as written, the six in the order of the layout. A block can have no rows.
        labels: A name for each row, None without one.
    """

    def __init__(self, first: int, values: Floats, labels: Sequence[str | None]) -> None:
        self.first, self.values, self.labels = first, values, labels

    def line(self, row: int) -> int | None:
        """The 1-based line of a row of this block; None in files that have no lines."""
        return None


class TextBlock(Block, ABC):
    """Rows with the text on which they stand; the texts of all blocks make up the file."""

    @abstractmethod
    def edited(self, values: Floats) -> str:
        """The text with other values: new numbers where they differ, all else as it is."""


class TableReader(ABC):
    """Reads a table once, from its first row to the last.

    Attributes:
        format: Name of the form.
        path: What the file is called in messages.
        layout: How it states its rows.
        mark: What stands before the text of the first block: a byte order mark, or nothing.
    """

    format = ""
    path: str
    layout: Layout
    mark = ""

    @abstractmethod
    def blocks(self, rows: int) -> Iterator[Block]:
        """The rows in their order, so many at a time.

        Raises:
            DocumentError: What follows is no row; names the place.
        """


class Window:
    """The decoded text of a stream from some place on, as far as it has been read.

    Bytes that are no UTF-8 survive as surrogates. Offsets count from the start of `text`.

    Attributes:
        text: What has been read and not dropped, without the byte order mark.
        mark: The byte order mark, where the stream begins with one.
        line: 1-based line on which `text` starts.
    """

    def __init__(self, stream: BinaryIO, path: str, errors: str = "surrogateescape") -> None:
        self._stream, self._path = stream, path
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)
        self._before = 0  # characters of the first line that were dropped
        self.text, self.line, self.complete = "", 1, False
        self.more()
        self.mark = BOM if self.text.startswith(BOM) else ""
        self.text = self.text.removeprefix(BOM)

    def more(self) -> bool:
        """Read on, doubling what is held; whether there was anything."""
        if self.complete:
            return False
        data = self._stream.read(max(_CHUNK, len(self.text)))
        self.complete = not data
        try:
            text = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise DocumentError(self._path, f"not UTF-8 text: {error.reason}") from None
        if "\0" in text:
            raise DocumentError(self._path, NOT_TEXT)
        self.text += text
        return not self.complete

    def take(self, end: int) -> str:
        """The text up to a place, which is then dropped."""
        taken = self.text[:end]
        lines = taken.count("\n")
        self._before = len(taken) - taken.rfind("\n") - 1 if lines else self._before + len(taken)
        self.line += lines
        self.text = self.text[end:]
        return taken

    def error(self, offset: int, reason: str) -> DocumentError:
        """What is wrong, with line and column."""
        line = self.line + self.text.count("\n", 0, offset)
        start = self.text.rfind("\n", 0, offset)
        column = offset - start if start >= 0 else self._before + offset + 1
        return DocumentError(self._path, reason, line, column)


NOT_TEXT = "not UTF-8 text: tables are csv, json, yaml, npz or npy files"


def may_vanish(text: str) -> bool:
    """Whether some number in a text may be written so small that float64 has none but zero."""
    tiny = ("e-" in text or "E-" in text) and _TINY.search(text) is not None
    return tiny or "0" * 200 in text


def replaced(text: str, edits: Sequence[tuple[Cell, str]]) -> str:
    """The text with cells replaced; the cells in their order."""
    pieces: list[str] = []
    position = 0
    for cell, new in edits:
        pieces += [text[position : cell.start], new]
        position = cell.end
    pieces.append(text[position:])
    return "".join(pieces)


class SpanBlock(TextBlock):
    """Rows whose numbers have places in one text, found when a row changes.

    Attributes:
        text: Of the block.
    """

    def __init__(
        self,
        first: int,
        values: Floats,
        labels: Sequence[str | None],
        text: str,
        line: int,
    ) -> None:
        super().__init__(first, values, labels)
        self.text, self._line, self._counted = text, line, (0, 0)

    @abstractmethod
    def cells(self, row: int) -> Sequence[Cell]:
        """Where the ten values of a row stand in the text."""

    def quote(self, value: float) -> str:
        """A number as it is written here."""
        return repr(value)

    def edited(self, values: Floats) -> str:
        """The text with other values."""
        edits = []
        for row, columns in differing(self.values, values):
            cells = self.cells(row)
            new = ((cells[column], self.quote(float(values[row, column]))) for column in columns)
            edits += sorted(new)
        return replaced(self.text, edits)

    def line(self, row: int) -> int:
        """The line on which the mass stands; quick where rows are asked for in their order."""
        place = self.cells(row)[0].start
        start, lines = self._counted if self._counted[0] <= place else (0, 0)
        lines += self.text.count("\n", start, place)
        self._counted = place, lines
        return self._line + lines
