"""Interface of the table readers, and the blocks of rows that they yield.

Columns of a table: their names and aliases, their sequence in a file, and their meaning.

Text files read in pieces: a window that moves over the text and knows line and column.
"""

from __future__ import annotations

import codecs
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import BinaryIO, NamedTuple

import numpy as np

from inertial_check.errors import DocumentError, UsageError
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import ORDERS, Order

MASS = ("m", "mass")
FIRST_MOMENT, COM = ("hx", "hy", "hz"), ("cx", "cy", "cz")
SIX = tuple(f"i{entry}" for entry in ORDERS["urdf"])
LABELS = ("name", "link", "body")
"""Names of a column or member that holds the name of a row, the preferred one first."""

VECTORS = {
    "com": COM,
    "centerofmass": COM,
    "centreofmass": COM,
    "h": FIRST_MOMENT,
    "firstmoment": FIRST_MOMENT,
}
"""The three columns that a list of three numbers stands for, by its plain name."""

EXPECTED = "m or mass; hx hy hz or cx cy cz; ixx ixy ixz iyy iyz izz"


def _list_aliases() -> dict[str, str]:
    names = dict.fromkeys(MASS, "m")
    for axis in "xyz":
        names |= dict.fromkeys((f"h{axis}", f"m{axis}", f"mc{axis}"), f"h{axis}")
        names |= dict.fromkeys((f"c{axis}", f"com{axis}"), f"c{axis}")
    for entry in SIX:
        i, j = entry[1], entry[2]
        names |= dict.fromkeys((f"i{i}{j}", f"i{j}{i}", f"{i}{j}", f"{j}{i}"), entry)
    return names


ALIASES = _list_aliases()
"""The column that each plain name means."""


@lru_cache(maxsize=1024)  # the names of a table are few, and come in every row
def plain(name: str) -> str:
    """Strip a column's name of case, unit and separators."""
    return re.sub(r"[\[(].*|[\s_.-]", "", name).casefold()


ErrorMaker = Callable[[str], DocumentError]
"""Makes an error of a reason, with the place that the caller knows."""


def choose_columns(names: Collection[str], error: ErrorMaker) -> tuple[str, ...]:
    """Choose the ten columns that make a row among those that there are.

    Raises:
        DocumentError: A column is missing, or there are both a first moment and a centre of mass.
    """
    vectors = [each for each in (FIRST_MOMENT, COM) if any(name in names for name in each)]
    if len(vectors) > 1:
        raise error("both first moments (hx) and a centre of mass (cx): keep one")
    ten = ("m", *(vectors[0] if vectors else FIRST_MOMENT), *SIX)
    missing = [name for name in ten if name not in names]
    if missing:
        raise error(f"nothing is called {missing[0]}; expected {EXPECTED}")
    return ten


@dataclass(frozen=True)
class Layout:
    """Meaning of a table's ten columns.

    Attributes:
        order: Order of the last six columns of the values that are read.
        named: Whether the numbers carry names; if not, the caller has declared `order`.
        has_com: Whether the vector is the centre of mass [m], not the first moment [kg m].
        sequence: Columns of the values in the sequence in which the file states them.
    """

    order: Order
    named: bool = False
    has_com: bool = False
    sequence: tuple[int, ...] = tuple(range(10))

    @classmethod
    def of(
        cls, names: Sequence[str], sequence: Sequence[int], declared: Order | None, path: str
    ) -> Layout:
        """Make the layout of rows with these ten names, or of bare numbers if there are none.

        Raises:
            UsageError: Bare numbers, and no order is declared.
        """
        order = "urdf" if names else require_order(declared, path)
        return cls(order, bool(names), "cx" in names, tuple(sequence))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the ten columns of values in order "urdf"."""
        return ("m", *(COM if self.has_com else FIRST_MOMENT), *SIX)

    def theta(self, values: Floats) -> Floats:
        """Convert values as written to (n, 10) in `order` with the first moment h = m c."""
        theta = np.array(values)
        if self.has_com:
            with np.errstate(all="ignore"):
                theta[:, 1:4] *= theta[:, :1]
        return theta

    def values(self, theta: Floats, values: Floats) -> Floats:
        """Convert parameters to values as written, with c = h / m where the table has c.

        Args:
            theta: (n, 10) with the first moment, in `order`.
            values: (n, 10) as the file has them: a centre of mass that need not change keeps its
                bits, which h / m might round.
        """
        written = np.array(theta)
        if self.has_com:
            kept = np.all(theta[:, :4] == self.theta(values)[:, :4], axis=1)[:, None]
            with np.errstate(all="ignore"):  # rows without mass keep their centre, see `kept`
                center = theta[:, 1:4] / theta[:, :1]
            written[:, 1:4] = np.where(kept, values[:, 1:4], center)
        return written


def check_order(order: Order | None) -> None:
    """Refuse an unknown order.

    Raises:
        UsageError: Names the orders.
    """
    if order is not None and order not in ORDERS:
        raise UsageError(f"unknown order {order!r}: choose one of {', '.join(ORDERS)}")


def require_order(order: Order | None, path: str) -> Order:
    """Give the order that the caller declared.

    Raises:
        UsageError: The caller declared none.
    """
    if order is None:
        raise UsageError(
            f"{path}: the six inertia numbers have no names that tell their order: "
            f"declare it with --order, one of {', '.join(ORDERS)}"
        )
    return order


def find_changes(values: Floats, others: Floats) -> Iterator[tuple[int, list[int]]]:
    """Find the rows in which two tables differ, and the columns; NaN equals NaN."""
    differs = (values != others) & ~(np.isnan(values) & np.isnan(others))
    places = zip(*(axis.tolist() for axis in np.nonzero(differs)), strict=True)
    for row, group in groupby(places, key=itemgetter(0)):
        yield row, [column for _, column in group]


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


ADVICE = "tables are csv, json, yaml, npz or npy files"
"""End of a message about a file that is neither text nor NumPy's."""

CellFinder = Callable[[str, int], Sequence[Cell]]
"""Finds the ten values of a row in the text of its block; only rows that change, or are named in a
message, are looked up."""


@dataclass(eq=False)
class Block:
    """Consecutive rows of a table.

    Attributes:
        first: Index of the block's first row in the table.
        values: (n, 10) as written, the six in the order of the layout. A block can have no rows.
        labels: A name for each row, None for one without.
    """

    first: int
    values: Floats
    labels: Sequence[str | None]

    def line(self, row: int) -> int | None:
        """Find the 1-based line of a row of this block; None in files that have no lines."""
        return None


@dataclass(eq=False)
class TextBlock(Block):
    """Rows with the text in which they stand; the texts of all blocks make up the file.

    Attributes:
        text: The text of the block.
    """

    text: str
    _line: int
    _find_cells: CellFinder
    _counted: tuple[int, int] = (0, 0)

    def format_number(self, value: float) -> str:
        """Write a number as this format needs it."""
        return repr(value)

    def edit(self, values: Floats) -> str:
        """Write new numbers into the text where they differ, and leave all else as it is."""
        edits = []
        for row, columns in find_changes(self.values, values):
            cells = self._find_cells(self.text, row)
            numbers = ((cells[k], self.format_number(float(values[row, k]))) for k in columns)
            edits += sorted(numbers)
        # Replace cells of a text by other texts; the cells are given in their order.
        text = self.text
        pieces: list[str] = []
        position = 0
        for cell, new in edits:
            pieces += [text[position : cell.start], new]
            position = cell.end
        pieces.append(text[position:])
        return "".join(pieces)

    def line(self, row: int) -> int:
        """Find the line of the mass; quick where rows are asked for in their order."""
        place = self._find_cells(self.text, row)[0].start
        start, lines = self._counted if self._counted[0] <= place else (0, 0)
        lines += self.text.count("\n", start, place)
        self._counted = place, lines
        return self._line + lines


class TableReader(ABC):
    """Reads a table once, from its first row to the last.

    Attributes:
        format: Name of the format.
        path: The path that messages name.
        layout: Meaning of the columns.
        mark: The text before the first block: a byte order mark, or nothing.
    """

    format = ""
    path: str
    layout: Layout
    mark = ""

    @abstractmethod
    def blocks(self, rows: int) -> Iterator[Block]:
        """Read the rows in their order, so many at a time.

        Raises:
            DocumentError: What follows is no row; names the place.
        """
