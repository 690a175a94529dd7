"""Tables as csv: cells between commas, semicolons, tabs or space, with a header or without.

Delimiter-separated text (csv): records, cells and numbers, each with its place in the text.

Cells are separated by comma, semicolon, tab or space; a cell in quotes can hold separators and line
ends. NumPy converts the numbers of plain records at once. All other records are converted cell by
cell, which finds what is wrong and where.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import BinaryIO

import numpy as np

from inertial_check.documents.numbers import MOST_DIGITS, has_long_number, parse_number
from inertial_check.documents.tables.reading import (
    ADVICE,
    ALIASES,
    LABELS,
    LONGEST_ROW,
    Cell,
    Layout,
    TableReader,
    TextBlock,
    Window,
    choose_columns,
    plain,
)
from inertial_check.errors import DocumentError
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import Order

Record = Cell
"""Span of a record, without its line end."""

_MARKS = ",;\t"
"""Characters that separate cells; the first of them in the first line is the separator."""

_STRANGE_SPACES = tuple(
    char for char in map(chr, range(0x3001)) if char.isspace() and char not in " \t\r\n"
)
"""Spaces that NumPy passes over around a number, and that belong to the cell here."""

_TINY = re.compile(r"[eE]-[0-9]{3}")


class DelimitedText:
    """Reads the records of a delimited text one after another.

    Attributes:
        window: The text; a caller that takes text out of it does so by `take`.
        separator: The character that ends a cell; None for any run of space.

    Args:
        window: The text, at its beginning.
        lenient: Whether a comment can stand behind a record, tabs can stand around a number, and a
            number too small for float64 is read as 0.
    """

    def __init__(self, window: Window, lenient: bool = False) -> None:
        self.window, self._lenient = window, lenient
        self._padding = " \t\r" if lenient else " \r"
        self._begin = 0  # where the records start that were not yet returned
        self.separator: str | None = None
        self._pattern = self._compile()

    def choose_separator(self, line: str) -> None:
        """Choose the separator that a line shows."""
        self.separator = next((mark for mark in _MARKS if mark in line), None)
        self._pattern = self._compile()

    def _compile(self) -> re.Pattern[str]:
        """Compile the pattern of one cell and the separator behind it."""
        quotes = r'"(?P<quoted>(?:[^"]|"")*)"'
        if self.separator is None:
            return re.compile(rf"\s*(?:{quotes}|(?P<bare>\S+))(?P<mark>\s+(?=\S)|\s*\Z)")
        space, mark = f"[{self._padding.replace(self.separator, '')}]*", self.separator
        return re.compile(rf"{space}(?:{quotes}{space}|(?P<bare>[^{mark}]*))(?P<mark>{mark}|\Z)")

    def skip_to(self, offset: int) -> None:
        """Go on with the record that starts at an offset."""
        self._begin = offset

    def take(self, end: int) -> str:
        """Take the text up to an offset, where the next record starts."""
        self._begin = 0
        return self.window.take(end)

    def next_records(self, count: int, longest: int | None = None) -> tuple[list[Record], int]:
        """Find the next records that are neither blank nor comments.

        Args:
            count: Largest number of records.
            longest: Number of characters of records after which no further ones are returned; None
                for as many as there are.

        Returns:
            The records, and the offset behind the line end of the last.

        Raises:
            DocumentError: A record is too long, or a quote is never closed.
        """
        window, position = self.window, self._begin
        records: list[Record] = []
        behind = position
        while len(records) < count:
            if longest is not None and records and behind - self._begin > longest:
                break
            end = self._line_end(position, position)
            if end is None:
                break
            line = window.text[position:end]
            if '"' in line and not line.lstrip().startswith("#"):
                end = self._close_quotes(position, end)
            elif line.lstrip()[:1] in ("", "#"):
                position = end + 1
                continue
            records.append(Record(position, end))
            position = behind = min(end + 1, len(window.text))
        return records, behind

    def _line_end(self, start: int, position: int) -> int | None:
        """Find the next line end from a position on; None where nothing follows.

        Raises:
            DocumentError: The record that begins at `start` is too long.
        """
        window = self.window
        while (end := window.text.find("\n", position)) < 0:
            if len(window.text) - start > LONGEST_ROW:
                raise window.error(start, f"a row of more than {LONGEST_ROW} characters")
            position = len(window.text)
            if not window.more():
                return None if start >= len(window.text) else len(window.text)
        return end

    def _close_quotes(self, start: int, end: int) -> int:
        """Find the first line end from `end` on that is not between quotes."""
        window = self.window
        while window.text.count('"', start, end) % 2:
            further = self._line_end(start, end + 1)
            if further is None or further <= end:
                opening = window.text.find('"', start)
                raise window.error(opening, "a quote that is never closed")
            end = further
        return end

    def split(self, record: Record, text: str | None = None) -> list[Cell]:
        """Split a record into cells.

        Args:
            record: The record.
            text: The text in which it stands; None for that of the window.
        """
        text = self.window.text if text is None else text
        start, end = record
        cells: list[Cell] = []
        if self.separator is not None and text.find('"', start, end) < 0:
            for part in text[start:end].split(self.separator):
                body = part.lstrip(self._padding)
                begin = start + len(part) - len(body)
                cells.append(Cell(begin, begin + len(body.rstrip(self._padding))))
                start += len(part) + 1
            return cells
        while match := self._pattern.match(text, start, end):
            if match["quoted"] is None:
                begin = match.start("bare")
                cells.append(Cell(begin, begin + len(match["bare"].rstrip(self._padding))))
            else:
                cells.append(Cell(*match.span("quoted")))
            if not match["mark"]:
                break
            start = match.end()
        return cells

    def word(self, cell: Cell) -> str:
        """Give the content of a cell; a quote inside quotes is written twice."""
        return self.window.text[slice(*cell)].replace('""', '"')

    def words(self, records: Sequence[Record], column: int) -> list[str]:
        """Give the contents of one column."""
        if self._is_plain(records):
            lines = (self.window.text[start:end] for start, end in records)
            return [line.split(self.separator)[column].strip(self._padding) for line in lines]
        return [self.word(self.split(record)[column]) for record in records]

    def numbers(
        self, records: Sequence[Record], titles: Sequence[str], columns: Sequence[int], first: str
    ) -> Floats:
        """Convert some columns of records to numbers.

        Args:
            records: The records, of the window.
            titles: The name of every column; "" for one without name.
            columns: The columns that hold the numbers.
            first: What the first row is called, as "the header".

        Returns:
            (n, len(columns)) numbers.

        Raises:
            DocumentError: A row has too few or too many cells, or a cell is no number: names line
                and column.
        """
        values = self._convert_at_once(records, len(titles), columns)
        return self._convert_exactly(records, titles, columns, first) if values is None else values

    def _is_plain(self, records: Sequence[Record]) -> bool:
        """Tell whether no quotes stand in the stretch of text that holds some records."""
        return not records or self.window.text.find('"', records[0].start, records[-1].end) < 0

    def _convert_at_once(
        self, records: Sequence[Record], width: int, columns: Sequence[int]
    ) -> Floats | None:
        """Convert plain records; None where some are not plain, or wrong."""
        if not records or not self._is_plain(records):
            return None
        text, separator = self.window.text, self.separator
        stretch = text[records[0].start : records[-1].end]
        lines = [text[start:end] for start, end in records]
        if len(max(lines, key=len)) > MOST_DIGITS and has_long_number(stretch):
            return None
        if self._lenient and "#" in stretch:
            lines = [line.partition("#")[0] for line in lines]
        if separator is None:
            widths = {len(line.split()) for line in lines}
        else:
            widths = {line.count(separator) + 1 for line in lines}
        tab = not self._lenient and separator in (",", ";") and "\t" in stretch
        if widths != {width} or tab or any(space in stretch for space in _STRANGE_SPACES):
            return None
        try:
            values = np.loadtxt(lines, delimiter=separator, comments=None, usecols=columns, ndmin=2)
        except ValueError:
            return None
        if len(values) != len(records):
            return None
        return None if not self._lenient and not values.all() and may_vanish(stretch) else values

    def _convert_exactly(
        self, records: Sequence[Record], titles: Sequence[str], columns: Sequence[int], first: str
    ) -> Floats:
        values = np.empty((len(records), len(columns)))
        for index, record in enumerate(records):
            comment = self.window.text.find("#", *record) if self._lenient else -1
            cells = self.split(record if comment < 0 else Record(record.start, comment))
            if len(cells) != len(titles):
                found = f"{len(cells)} cells in this row, {len(titles)} in {first}"
                raise self.window.error(cells[0].start if cells else record.start, found)
            for k, column in enumerate(columns):
                value, complaint = parse_number(self.window.text[slice(*cells[column])])
                if complaint and not (self._lenient and math.isfinite(value)):
                    title = f"{titles[column]}: " if titles[column] else ""
                    raise self.window.error(cells[column].start, title + complaint)
                values[index, k] = value
        return values


def may_vanish(text: str) -> bool:
    """Tell whether a number in a text may be too small for float64, and read as zero."""
    tiny = ("e-" in text or "E-" in text) and _TINY.search(text) is not None
    return tiny or "0" * 200 in text


class CsvReader(TableReader):
    """Reads the records of a csv table one after another."""

    format = "csv"

    def __init__(self, stream: BinaryIO, path: str, order: Order | None) -> None:
        self.path, window = path, Window(stream, path, ADVICE)
        self.mark = window.mark
        self._text = DelimitedText(window)
        records, end = self._text.next_records(1)
        if not records:
            raise DocumentError(path, "the table has no rows")
        self._text.choose_separator(window.text[slice(*records[0])])
        first = self._text.split(records[0])
        numeric = [parse_number(self._text.word(cell))[1] is None for cell in first]
        names: tuple[str, ...] = ()
        self._titles = [""] * len(first)
        if any(numeric):
            # Find the columns of numbers in a table without header.
            if sum(numeric) != 10:
                found = (
                    f"{sum(numeric)} numbers in this row; a row without names of columns has ten"
                )
                raise self._text.window.error(first[0].start, found)
            self._columns = [column for column, is_number in enumerate(numeric) if is_number]
            self._label = numeric.index(False) if False in numeric else None
        else:
            self._columns, names, self._label = self._read_header(first)
            for column, name in zip(self._columns, names, strict=True):
                self._titles[column] = name
            self._text.skip_to(end)  # the header is part of the first block's text
        sequence = sorted(range(10), key=self._columns.__getitem__)
        self.layout = Layout.of(names, sequence, order, path)

    def blocks(self, rows: int) -> Iterator[TextBlock]:
        """Read the rows in their order, so many at a time."""
        first, text = 0, self._text
        while True:
            records, end = text.next_records(rows)
            if not records and not first:
                raise DocumentError(self.path, "the table has no rows")
            values, labels = np.empty((0, 10)), [None] * len(records)
            if records:
                values = text.numbers(records, self._titles, self._columns, "the first")
            names = labels if self._label is None else text.words(records, self._label)
            line, end = text.window.line, end if records else len(text.window.text)
            find_cells = partial(self._find_cells, records)
            yield TextBlock(first, values, names, text.take(end), line, find_cells)
            first += len(records)
            if not records:
                return

    def _find_cells(self, records: Sequence[Record], text: str, row: int) -> list[Cell]:
        """Find the ten numbers of a record in a text."""
        cells = self._text.split(records[row], text)
        return [cells[column] for column in self._columns]

    def _read_header(self, header: Sequence[Cell]) -> tuple[list[int], tuple[str, ...], int | None]:
        """Find the columns of the ten numbers, their names, and the column of the row's name."""
        names = [plain(self._text.word(cell)) for cell in header]
        columns: dict[str, int] = {}
        for column, name in enumerate(map(ALIASES.get, names)):
            if name in columns:
                place = header[column].start
                raise self._text.window.error(place, f"a second column that means {name}")
            if name is not None:
                columns[name] = column
        ten = choose_columns(
            columns, lambda reason: self._text.window.error(header[0].start, reason)
        )
        labels = [names.index(name) for name in LABELS if name in names]
        return [columns[name] for name in ten], ten, labels[0] if labels else None
