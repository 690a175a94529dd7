"""Tables as csv: comma, semicolon, tab or space between cells; a header unless numbers come first.

A block whose cells are all plain is split and converted at once; any other block goes through the
exact way, cell by cell, which finds what is wrong and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import BinaryIO

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.numbers import parse_number
from inertial_check.formats.tables.columns import ALIASES, LABELS, Cell, Layout, plain, wanted
from inertial_check.formats.tables.reading import (
    LONGEST_ROW,
    SpanBlock,
    TableReader,
    Window,
)

_NUMERIC = b"0123456789+-.eEinftyaINFTYA \r,"
_MARKS = ",;\t"
_PADDING = " \r"
_Record = tuple[int, int]
"""Where a record begins and ends, without its line end."""


class CsvReader(TableReader):
    """Reads records one after another; a quoted cell can hold line ends."""

    format = "csv"

    def __init__(self, stream: BinaryIO, path: str, order: str | None) -> None:
        self.path, self._window = path, Window(stream, path)
        self.mark = self._window.mark
        self._begin = 0  # of the rows in the window: behind the header, while that stands there
        records, end = self._records(1)
        if not records:
            raise DocumentError(path, "the table has no rows")
        text = self._window.text
        self._separator = _separator(text[slice(*records[0])])
        self._pattern = _cell_pattern(self._separator)
        first = self._cells(records[0])
        self._width = len(first)
        numeric = [parse_number(self._shown(cell))[1] is None for cell in first]
        names: tuple[str, ...] = ()
        if any(numeric):
            self._columns = self._bare(first, numeric)
            self._label = numeric.index(False) if False in numeric else None
        else:
            self._columns, names, self._label = self._named(first)
            self._begin = end
        sequence = sorted(range(10), key=self._columns.__getitem__)
        self._titles = [f"{name}: " for name in names] or [""] * 10
        self.layout = Layout.of(names, sequence, order, path)

    def blocks(self, rows: int) -> Iterator[CsvBlock]:
        """The rows in their order, so many at a time."""
        first = 0
        while True:
            records, end = self._records(rows)
            values, labels = self._parsed(records)
            if not records:
                if not first:
                    raise DocumentError(self.path, "the table has no rows")
                end = len(self._window.text)
            line = self._window.line
            text = self._window.take(end)
            self._begin = 0
            yield CsvBlock(first, values, labels, text, line, self._finder(text, records))
            first += len(records)
            if not records:
                return

    def _finder(self, text: str, records: list[_Record]) -> Callable[[int], Sequence[Cell]]:
        """What finds the ten cells of a row."""

        def find(row: int) -> Sequence[Cell]:
            cells = _split(self._pattern, self._separator, text, *records[row])
            return [cells[column] for column in self._columns]

        return find

    def _records(self, count: int) -> tuple[list[_Record], int]:
        """The next records that are neither blank nor comments, and where the last line ends."""
        window, position = self._window, self._begin
        records: list[_Record] = []
        behind = position
        while len(records) < count:
            end = self._line_end(position, position)
            if end is None:
                break
            line = window.text[position:end]
            if '"' in line and not line.lstrip().startswith("#"):
                end = self._closed(position, end)
            elif line.lstrip()[:1] in ("", "#"):
                position = end + 1
                continue
            records.append((position, end))
            position = behind = min(end + 1, len(window.text))
        return records, behind

    def _line_end(self, start: int, position: int) -> int | None:
        """The next line end from a position on; None where nothing follows.

        Raises:
            DocumentError: The record that begins at `start` is too long for one.
        """
        window = self._window
        while (end := window.text.find("\n", position)) < 0:
            if len(window.text) - start > LONGEST_ROW:
                raise window.error(start, f"a row of more than {LONGEST_ROW} characters")
            position = len(window.text)
            if not window.more():
                return None if start >= len(window.text) else len(window.text)
        return end

    def _closed(self, start: int, end: int) -> int:
        """The first line end from `end` on that is not between quotes."""
        window = self._window
        while window.text.count('"', start, end) % 2:
            further = self._line_end(start, end + 1)
            if further is None or further <= end:
                opening = window.text.find('"', start)
                raise window.error(opening, "a quote that is never closed")
            end = further
        return end

    def _parsed(self, records: list[_Record]) -> tuple[Floats, list[str | None]]:
        """The values and labels of records."""
        text = self._window.text
        if not records or '"' not in text[records[0][0] : records[-1][1]]:
            lines = [text[start:end] for start, end in records]
            rows = [line.split(self._separator) for line in lines]
            values = self._at_once(rows)
            if values is not None:
                label = self._label
                if label is None:
                    return values, [None] * len(rows)
                return values, [row[label].strip(_PADDING) for row in rows]
        return self._exactly(records)

    def _at_once(self, rows: list[list[str]]) -> Floats | None:
        """The values of rows that are regular; None where the exact way has to look."""
        if any(len(row) != self._width for row in rows):
            return None
        ten = itemgetter(*self._columns)
        cells = list(chain.from_iterable(map(ten, rows)))
        joined = ",".join(cells)
        # float() also takes 1_000 and digits of other scripts, which are no numbers here.
        if not joined.isascii() or joined.encode().translate(None, _NUMERIC):
            return None
        try:
            values = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            return None
        zeros = {cells[index] for index in np.flatnonzero(values == 0).tolist()}
        if any(parse_number(cell.strip(_PADDING))[1] for cell in zeros):  # too small for float64
            return None
        return values.reshape(-1, 10)

    def _exactly(self, records: list[_Record]) -> tuple[Floats, list[str | None]]:
        """The values of records, cell by cell.

        Raises:
            DocumentError: With the line and column of the first cell that is no number.
        """
        values = np.empty((len(records), 10))
        labels: list[str | None] = []
        for index, record in enumerate(records):
            cells = self._cells(record)
            if len(cells) != self._width:
                found = f"{len(cells)} cells in this row, {self._width} in the first"
                raise self._window.error(cells[0].start, found)
            for k, column in enumerate(self._columns):
                value, complaint = parse_number(self._window.text[slice(*cells[column])])
                if complaint:
                    raise self._window.error(cells[column].start, self._titles[k] + complaint)
                values[index, k] = value
            labels.append(None if self._label is None else self._shown(cells[self._label]))
        return values, labels

    def _bare(self, first: Sequence[Cell], numeric: Sequence[bool]) -> list[int]:
        """The columns of a table without header."""
        if sum(numeric) != 10:
            found = f"{sum(numeric)} numbers in this row; a row without names of columns has ten"
            raise self._window.error(first[0].start, found)
        return [column for column, is_number in enumerate(numeric) if is_number]

    def _named(self, header: Sequence[Cell]) -> tuple[list[int], tuple[str, ...], int | None]:
        """The columns of the ten numbers, their names, and the column of the row's name."""
        names = [plain(self._shown(cell)) for cell in header]
        columns: dict[str, int] = {}
        for column, name in enumerate(map(ALIASES.get, names)):
            if name in columns:
                place = header[column].start
                raise self._window.error(place, f"a second column that means {name}")
            if name is not None:
                columns[name] = column
        ten = wanted(columns, lambda reason: self._window.error(header[0].start, reason))
        labels = [names.index(name) for name in LABELS if name in names]
        return [columns[name] for name in ten], ten, labels[0] if labels else None

    def _cells(self, record: _Record) -> list[Cell]:
        return _split(self._pattern, self._separator, self._window.text, *record)

    def _shown(self, cell: Cell) -> str:
        return self._window.text[slice(*cell)].replace('""', '"')


class CsvBlock(SpanBlock):
    """Records, whose cells are found again when one changes."""

    def __init__(
        self,
        first: int,
        values: Floats,
        labels: Sequence[str | None],
        text: str,
        line: int,
        find: Callable[[int], Sequence[Cell]],
    ) -> None:
        super().__init__(first, values, labels, text, line)
        self._find = find

    def cells(self, row: int) -> Sequence[Cell]:
        """Where the ten values of a row stand in the text."""
        return self._find(row)


def _separator(line: str) -> str | None:
    """What ends a cell, as the first line shows; None for space."""
    return next((mark for mark in _MARKS if mark in line), None)


def _cell_pattern(separator: str | None) -> re.Pattern[str]:
    """One cell and what ends it."""
    if separator is None:
        return re.compile(
            r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>\S+))(?P<mark>\s+(?=\S)|\s*\Z)'
        )
    space = f"[{_PADDING}]*"
    quoted = rf'"(?P<quoted>(?:[^"]|"")*)"{space}'
    return re.compile(rf"{space}(?:{quoted}|(?P<bare>[^{separator}]*))(?P<mark>{separator}|\Z)")


def _split(
    pattern: re.Pattern[str], separator: str | None, text: str, start: int, end: int
) -> list[Cell]:
    """The cells of a record."""
    cells: list[Cell] = []
    if separator is not None and text.find('"', start, end) < 0:
        for part in text[start:end].split(separator):
            body = part.lstrip(_PADDING)
            begin = start + len(part) - len(body)
            cells.append(Cell(begin, begin + len(body.rstrip(_PADDING))))
            start += len(part) + 1
        return cells
    while match := pattern.match(text, start, end):
        if match["quoted"] is None:
            begin = match.start("bare")
            cells.append(Cell(begin, begin + len(match["bare"].rstrip(_PADDING))))
        else:
            cells.append(Cell(*match.span("quoted")))
        if not match["mark"]:
            break
        start = match.end()
    return cells
