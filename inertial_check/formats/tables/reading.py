"""Interface of the table readers, and the blocks of rows that they yield."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence

from inertial_check.arrays.types import Floats
from inertial_check.formats.tables.columns import Layout, find_changes
from inertial_check.formats.text_window import Cell, replace_cells

ADVICE = "tables are csv, json, yaml, npz or npy files"
"""End of a message about a file that is neither text nor NumPy's."""

CellFinder = Callable[[str, int], Sequence[Cell]]
"""Finds the ten values of a row in the text of its block; only rows that change, or are named in a
message, are looked up."""


class Block:
    """Consecutive rows of a table.

    Attributes:
        first: Index of the block's first row in the table.
        values: (n, 10) as written, the six in the order of the layout. A block can have no rows.
        labels: A name for each row, None for one without.
    """

    def __init__(self, first: int, values: Floats, labels: Sequence[str | None]) -> None:
        self.first, self.values, self.labels = first, values, labels

    def line(self, row: int) -> int | None:
        """Find the 1-based line of a row of this block; None in files that have no lines."""
        return None


class TextBlock(Block):
    """Rows with the text in which they stand; the texts of all blocks make up the file.

    Attributes:
        text: The text of the block.
    """

    def __init__(
        self,
        first: int,
        values: Floats,
        labels: Sequence[str | None],
        text: str,
        line: int,
        find_cells: CellFinder,
    ) -> None:
        super().__init__(first, values, labels)
        self.text, self._line, self._find_cells, self._counted = text, line, find_cells, (0, 0)

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
        return replace_cells(self.text, edits)

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
