"""Tables as csv: cells between commas, semicolons, tabs or space, with a header or without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import BinaryIO

import numpy as np

from inertial_check.errors import DocumentError
from inertial_check.formats.delimited import DelimitedText, Record
from inertial_check.formats.numbers import parse_number
from inertial_check.formats.tables.columns import ALIASES, LABELS, Layout, choose_columns, plain
from inertial_check.formats.tables.reading import ADVICE, TableReader, TextBlock
from inertial_check.formats.text_window import Cell, Window
from inertial_check.inertia.representations import Order


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
            self._columns = self._find_bare_columns(first, numeric)
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

    def _find_bare_columns(self, first: Sequence[Cell], numeric: Sequence[bool]) -> list[int]:
        """Find the columns of numbers in a table without header."""
        if sum(numeric) != 10:
            found = f"{sum(numeric)} numbers in this row; a row without names of columns has ten"
            raise self._text.window.error(first[0].start, found)
        return [column for column, is_number in enumerate(numeric) if is_number]

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
