"""Tables of parameter vectors, csv and json: read with the place of every number, written in place.

A row is [m, a vector, six of the inertia]. The vector is the first moment h or, where the columns
say so, the centre of mass c. Columns that carry names go by them; ten bare numbers go by an order
that the caller declares. About which point the six are taken no table says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.errors import DocumentError, UsageError
from inertial_check.formats._numbers import parse_number
from inertial_check.inertia.representations import ORDERS

Floats = npt.NDArray[np.float64]

FORMATS = ("csv", "json")
"""The forms in which a table is read and written."""

_BOM = "\ufeff"
_MASS = ("m", "mass")
_FIRST_MOMENT, _COM = ("hx", "hy", "hz"), ("cx", "cy", "cz")
_SIX = tuple(f"i{entry}" for entry in ORDERS["urdf"])
_LABELS = ("name", "link", "body")
_VECTORS = {
    "com": _COM,
    "centerofmass": _COM,
    "centreofmass": _COM,
    "h": _FIRST_MOMENT,
    "firstmoment": _FIRST_MOMENT,
}
_EXPECTED = "m or mass; hx hy hz or cx cy cz; ixx ixy ixz iyy iyz izz"


def _aliases() -> dict[str, str]:
    """Column name, without case, unit and separators, to the number that it means."""
    names = dict.fromkeys(_MASS, "m")
    for axis in "xyz":
        names |= dict.fromkeys((f"h{axis}", f"m{axis}", f"mc{axis}"), f"h{axis}")
        names |= dict.fromkeys((f"c{axis}", f"com{axis}"), f"c{axis}")
    for entry in _SIX:
        i, j = entry[1:]
        names |= dict.fromkeys((f"i{i}{j}", f"i{j}{i}", f"{i}{j}", f"{j}{i}"), entry)
    return names


_ALIASES = _aliases()


class Cell(NamedTuple):
    """A stretch of the table's text, without surrounding space and quotes."""

    start: int
    end: int


@dataclass(frozen=True)
class Table:
    """A table as its file states it.

    Attributes:
        path: As the caller named it.
        text: All of it, decoded as UTF-8; bytes that are none survive as surrogates.
        format: "csv" or "json".
        order: Order of the last six columns of `values`.
        named: Whether the columns carry names, so that `order` is not the caller's word.
        has_com: Whether the vector is the centre of mass [m], not the first moment [kg m].
        labels: A name for each row, None without one.
        cells: For each row the ten cells, in the order of `values`.
        values: (n, 10) as written.
    """

    path: str
    text: str = field(repr=False)
    format: str
    order: str
    named: bool
    has_com: bool
    labels: tuple[str | None, ...]
    cells: tuple[tuple[Cell, ...], ...] = field(repr=False)
    values: Floats = field(repr=False)

    @property
    def theta(self) -> Floats:
        """(n, 10) with the first moment h = m c, in `order`."""
        theta = np.array(self.values)
        if self.has_com:
            theta[:, 1:4] *= theta[:, :1]
        return theta

    def line(self, row: int) -> int:
        """The 1-based line on which a row's mass stands."""
        return self.text.count("\n", 0, self.cells[row][0].start) + 1

    def edited(self, theta: Floats) -> bytes:
        """The file with other parameters: new text where a number differs, every other byte as is.

        Args:
            theta: (n, 10) with the first moment, in `order`.
        """
        before = self.theta
        differs = (theta != before) & ~(np.isnan(theta) & np.isnan(before))
        new = self._columns(theta)
        edits = sorted(
            (self.cells[row][column], repr(float(new[row, column])))
            for row, column in np.argwhere(differs).tolist()
        )
        pieces: list[str] = []
        position = 0
        for cell, number in edits:
            pieces += [self.text[position : cell.start], number]
            position = cell.end
        pieces.append(self.text[position:])
        return "".join(pieces).encode("utf-8", "surrogateescape")

    def rewritten(self, theta: Floats, format: str) -> bytes:
        """A new file in a format: the names and the ten numbers, nothing else of the old one."""
        names = ["m", *(_COM if self.has_com else _FIRST_MOMENT)]
        names += [f"i{entry}" for entry in ORDERS[self.order]]
        rows = self._columns(theta).tolist()
        labels = self.labels if any(label is not None for label in self.labels) else None
        text = (_as_csv if format == "csv" else _as_json)(names, labels, rows)
        return text.encode("utf-8", "surrogateescape")

    def _columns(self, theta: Floats) -> Floats:
        """What to write: theta, with c = h / m where the table has that, else as it stood."""
        columns = np.array(theta)
        if self.has_com:
            kept = np.all(theta[:, :4] == self.theta[:, :4], axis=1)[:, None]
            with np.errstate(all="ignore"):
                center = theta[:, 1:4] / theta[:, :1]
            columns[:, 1:4] = np.where(kept, self.values[:, 1:4], center)
        return columns


def read(data: bytes, path: str, order: str | None = None) -> Table:
    """Read a table; its first character that is no space says whether it is json.

    Args:
        data: The file.
        path: What to call it.
        order: A name of ORDERS for ten bare numbers; names of columns go before it.

    Raises:
        DocumentError: A row that does not hold ten numbers; names line and column.
        UsageError: Bare numbers without a declared order, or an unknown one.
    """
    if order is not None and order not in ORDERS:
        raise UsageError(f"unknown order {order!r}: choose one of {', '.join(ORDERS)}")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data:
        raise DocumentError(path, "not UTF-8 text: tables are read from csv and json files")
    text = data.decode("utf-8", "surrogateescape")
    is_json = text.lstrip(_BOM).lstrip()[:1] in ("[", "{")
    reader = (_Json if is_json else _Csv)(path, text, order)
    table = reader.table()
    if not table.cells:
        raise DocumentError(path, "the table has no rows")
    return table


class _Row(NamedTuple):
    """The ten cells of a row, its name, and whether names of columns gave their order."""

    cells: tuple[Cell, ...]
    label: str | None


class _Reader:
    """What both formats share: names to columns, text to numbers, and complaints with a place."""

    format = ""

    def __init__(self, path: str, text: str, order: str | None) -> None:
        self.path, self.text, self.order = path, text, order

    def table(self) -> Table:
        raise NotImplementedError

    def built(self, rows: Sequence[_Row], named: bool, has_com: bool) -> Table:
        order = "urdf" if named else self.declared()
        values = np.array([[self.number(cell) for cell in row.cells] for row in rows])
        return Table(
            self.path,
            self.text,
            self.format,
            order,
            named,
            has_com,
            tuple(row.label for row in rows),
            tuple(row.cells for row in rows),
            values.reshape(-1, 10),
        )

    def declared(self) -> str:
        """The order that the caller declared.

        Raises:
            UsageError: None, and no name of a column tells it.
        """
        if self.order is None:
            raise UsageError(
                f"{self.path}: the six inertia numbers have no names that tell their order: "
                f"declare it with --order, one of {', '.join(ORDERS)}"
            )
        return self.order

    def number(self, cell: Cell) -> float:
        value, complaint = parse_number(self.text[cell.start : cell.end])
        if complaint:
            raise self.error(cell.start, complaint)
        return value

    def error(self, offset: int, reason: str) -> DocumentError:
        line = self.text.count("\n", 0, offset) + 1
        start = self.text.rfind("\n", 0, offset) + 1
        column = offset - start - self.text[start:offset].count(_BOM) + 1
        return DocumentError(self.path, reason, line, column)

    def slots(self, names: Mapping[str, Any], offset: int) -> tuple[str, ...]:
        """The ten names, of those that there are, that make a row."""
        vectors = [each for each in (_FIRST_MOMENT, _COM) if any(name in names for name in each)]
        if len(vectors) > 1:
            raise self.error(offset, "both first moments (hx) and a centre of mass (cx): keep one")
        wanted = ("m", *(vectors[0] if vectors else _FIRST_MOMENT), *_SIX)
        if lacking := [name for name in wanted if name not in names]:
            raise self.error(offset, f"no number called {lacking[0]}; expected {_EXPECTED}")
        return wanted


class _Csv(_Reader):
    """Comma, semicolon, tab or space between the cells; a header unless the first row has numbers."""

    format = "csv"

    def table(self) -> Table:
        records = self._records()
        first = next(records, None)
        if first is None:
            raise DocumentError(self.path, "the table is empty")
        is_number = [parse_number(self._shown(cell))[1] is None for cell in first]
        if any(is_number):
            columns = [i for i, numeric in enumerate(is_number) if numeric]
            if len(columns) != 10:
                raise self.error(
                    first[0].start, f"expected ten numbers in a row, found {len(columns)}"
                )
            label = is_number.index(False) if False in is_number else None
            rows = [self._row(record, first, columns, label) for record in (first, *records)]
            return self.built(rows, named=False, has_com=False)
        names = self._header(first)
        wanted = self.slots(names, first[0].start)
        labels = [_plain(self._shown(cell)) for cell in first]
        label = next((labels.index(name) for name in _LABELS if name in labels), None)
        columns = [names[name] for name in wanted]
        rows = [self._row(record, first, columns, label) for record in records]
        return self.built(rows, named=True, has_com=wanted[1] == "cx")

    def _header(self, first: Sequence[Cell]) -> dict[str, int]:
        """Where each number stands, by its name."""
        names: dict[str, int] = {}
        for column, cell in enumerate(first):
            name = _ALIASES.get(_plain(self._shown(cell)))
            if name in names:
                raise self.error(cell.start, f"a second column that means {name}")
            if name is not None:
                names[name] = column
        return names

    def _row(
        self, record: Sequence[Cell], first: Sequence[Cell], columns: Sequence[int], label: int | None
    ) -> _Row:
        if len(record) != len(first):
            raise self.error(
                record[0].start, f"{len(record)} cells in this row, {len(first)} in the first"
            )
        name = None if label is None else self._shown(record[label])
        return _Row(tuple(record[column] for column in columns), name)

    def _shown(self, cell: Cell) -> str:
        return self.text[cell.start : cell.end].replace('""', '"')

    def _records(self) -> Iterator[list[Cell]]:
        """The cells of every line that is neither blank nor a comment."""
        body = len(self.text) - len(self.text.lstrip(_BOM))
        delimiter: str | None = None
        position = body
        while position < len(self.text):
            end = self._line_end(position)
            line = self.text[position:end].strip()
            if line and not line.startswith("#"):
                if delimiter is None:
                    delimiter = next((mark for mark in ",;\t" if mark in line), " ")
                yield self._cells(position, end, delimiter)
            position = end + 1

    def _line_end(self, position: int) -> int:
        """Where the record that begins here ends: at a line end outside quotes."""
        end = self.text.find("\n", position)
        end = len(self.text) if end < 0 else end
        while self.text.count('"', position, end) % 2 and end < len(self.text):
            further = self.text.find("\n", end + 1)
            end = len(self.text) if further < 0 else further
        if self.text.count('"', position, end) % 2:
            raise self.error(self.text.find('"', position), "a quote that is never closed")
        return end

    def _cells(self, start: int, end: int, delimiter: str) -> list[Cell]:
        if delimiter == " ":
            return [Cell(*match.span()) for match in _WORD.finditer(self.text, start, end)]
        cells: list[Cell] = []
        quoted = False
        for position in range(start, end) if '"' in self.text[start:end] else ():
            char = self.text[position]
            quoted ^= char == '"'
            if char == delimiter and not quoted:
                cells.append(self._trimmed(start, position))
                start = position + 1
        while not cells or start <= end:
            stop = self.text.find(delimiter, start, end) if not quoted and not cells else -1
            if stop < 0:
                return [*cells, self._trimmed(start, end)]
            cells.append(self._trimmed(start, stop))
            start = stop + 1
        return cells

    def _trimmed(self, start: int, end: int) -> Cell:
        """The cell without the space around it and the quotes around that."""
        while start < end and self.text[start].isspace():
            start += 1
        while start < end and self.text[end - 1].isspace():
            end -= 1
        if end - start >= 2 and self.text[start] == self.text[end - 1] == '"':
            return Cell(start + 1, end - 1)
        return Cell(start, end)


_WORD = re.compile(r"\S+")
