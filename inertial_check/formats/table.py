"""Tables of parameter vectors, csv and json: read with the place of every number, written in place.

A row is [m, a vector, six of the inertia]. The vector is the first moment h or, where the columns
say so, the centre of mass c. Columns that carry names go by them; ten bare numbers go by an order
that the caller declares. About which point the six are taken no table says.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, KeysView, Sequence
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
        i, j = entry[1], entry[2]
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
    def source(self) -> bytes:
        """The bytes that were read."""
        return self.text.encode("utf-8", "surrogateescape")

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
    return (_Json if is_json else _Csv)(path, text, order).table()


class _Row(NamedTuple):
    """The ten cells of a row, and its name."""

    cells: tuple[Cell, ...]
    label: str | None


class _Reader(ABC):
    """What both formats share: names to columns, text to numbers, and complaints with a place."""

    format = ""

    def __init__(self, path: str, text: str, order: str | None) -> None:
        self.path, self.text, self.declared = path, text, order

    @abstractmethod
    def rows(self) -> tuple[list[_Row], tuple[str, ...]]:
        """The rows, and the names of their ten numbers; no names where they have none."""

    def table(self) -> Table:
        rows, names = self.rows()
        if not rows:
            raise DocumentError(self.path, "the table has no rows")
        titles = [f"{name}: " for name in names] or [""] * 10
        values = np.array(
            [[self.number(*pair) for pair in zip(row.cells, titles, strict=True)] for row in rows]
        )
        return Table(
            path=self.path,
            text=self.text,
            format=self.format,
            order="urdf" if names else self.order(),
            named=bool(names),
            has_com="cx" in names,
            labels=tuple(row.label for row in rows),
            cells=tuple(row.cells for row in rows),
            values=values,
        )

    def order(self) -> str:
        """The order that the caller declared.

        Raises:
            UsageError: None, and no names tell it.
        """
        if self.declared is None:
            raise UsageError(
                f"{self.path}: the six inertia numbers have no names that tell their order: "
                f"declare it with --order, one of {', '.join(ORDERS)}"
            )
        return self.declared

    def number(self, cell: Cell, title: str) -> float:
        """The value of a cell; the title begins the complaint.

        Raises:
            DocumentError: It holds no number.
        """
        value, complaint = parse_number(self.text[cell.start : cell.end])
        if complaint:
            raise self.error(cell.start, title + complaint)
        return value

    def error(self, offset: int, reason: str) -> DocumentError:
        """What is wrong, with line and column."""
        line = self.text.count("\n", 0, offset) + 1
        before = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return DocumentError(self.path, reason, line, len(before.removeprefix(_BOM)) + 1)

    def wanted(self, names: KeysView[str], offset: int) -> tuple[str, ...]:
        """The ten names that make a row, of those that there are.

        Raises:
            DocumentError: One is lacking, or there are two vectors.
        """
        vectors = [each for each in (_FIRST_MOMENT, _COM) if not names.isdisjoint(each)]
        if len(vectors) > 1:
            raise self.error(offset, "both first moments (hx) and a centre of mass (cx): keep one")
        wanted = ("m", *(vectors[0] if vectors else _FIRST_MOMENT), *_SIX)
        lacking = [name for name in wanted if name not in names]
        if lacking:
            raise self.error(offset, f"nothing is called {lacking[0]}; expected {_EXPECTED}")
        return wanted


class _Csv(_Reader):
    """Comma, semicolon, tab or space between cells; a header unless the first row holds numbers."""

    format = "csv"

    def rows(self) -> tuple[list[_Row], tuple[str, ...]]:
        records = list(self._records())
        if not records:
            return [], ()
        first = records[0]
        numeric = [parse_number(self._shown(cell))[1] is None for cell in first]
        if any(numeric):
            names: tuple[str, ...] = ()
            columns, label = self._bare(first, numeric), _index_of(False, numeric)
        else:
            columns, names, label = self._named(first)
            del records[0]
        for record in records:
            if len(record) != len(first):
                found = f"{len(record)} cells in this row, {len(first)} in the first"
                raise self.error(record[0].start, found)
        rows = [
            _Row(
                tuple(record[column] for column in columns),
                None if label is None else self._shown(record[label]),
            )
            for record in records
        ]
        return rows, names

    def _bare(self, first: Sequence[Cell], numeric: Sequence[bool]) -> list[int]:
        """The columns of a table without header."""
        if sum(numeric) != 10:
            found = f"{sum(numeric)} numbers in this row; a row without names of columns has ten"
            raise self.error(first[0].start, found)
        return [column for column, is_number in enumerate(numeric) if is_number]

    def _named(self, header: Sequence[Cell]) -> tuple[list[int], tuple[str, ...], int | None]:
        """The columns of the ten numbers, their names, and the column of the row's name."""
        plain = [_plain(self._shown(cell)) for cell in header]
        columns: dict[str, int] = {}
        for column, name in enumerate(map(_ALIASES.get, plain)):
            if name in columns:
                raise self.error(header[column].start, f"a second column that means {name}")
            if name is not None:
                columns[name] = column
        wanted = self.wanted(columns.keys(), header[0].start)
        labels = [plain.index(name) for name in _LABELS if name in plain]
        return [columns[name] for name in wanted], wanted, labels[0] if labels else None

    def _shown(self, cell: Cell) -> str:
        return self.text[cell.start : cell.end].replace('""', '"')

    def _records(self) -> Iterator[list[Cell]]:
        """The cells of every line that is neither blank nor a comment."""
        position = len(self.text) - len(self.text.removeprefix(_BOM))
        pattern: re.Pattern[str] | None = None
        while position < len(self.text):
            end = self._record_end(position)
            line = self.text[position:end].strip()
            if line and not line.startswith("#"):
                pattern = pattern or _cell_pattern(line)
                yield self._cells(pattern, position, end)
            position = end + 1

    def _record_end(self, start: int) -> int:
        """The first line end that is not between quotes."""
        end = start - 1
        while end < len(self.text):
            further = self.text.find("\n", end + 1)
            end = len(self.text) if further < 0 else further
            if self.text.count('"', start, end) % 2 == 0:
                return end
        raise self.error(self.text.find('"', start), "a quote that is never closed")

    def _cells(self, pattern: re.Pattern[str], start: int, end: int) -> list[Cell]:
        cells: list[Cell] = []
        while match := pattern.match(self.text, start, end):
            cells.append(Cell(*match.span("bare" if match["quoted"] is None else "quoted")))
            if not match["mark"]:
                break
            start = match.end()
        return cells


class _Json(_Reader):
    """A list of objects or of lists, by itself or as {"bodies": [...]}."""

    format = "json"

    def rows(self) -> tuple[list[_Row], tuple[str, ...]]:
        document = self._document()
        if isinstance(document, dict):
            if not isinstance(document.get("bodies"), list):
                raise DocumentError(self.path, 'the object has no list "bodies"')
            document = document["bodies"]
        if document and all(isinstance(item, Cell) for item in document):
            document = [document]
        found = [self._row(item, index) for index, item in enumerate(document)]
        kinds = {names for _, names in found}
        if len(kinds) > 1:
            raise DocumentError(self.path, "the rows do not all name the same ten numbers")
        return [row for row, _ in found], kinds.pop() if kinds else ()

    def _document(self) -> Any:
        """The document, with the place of each number instead of its value."""
        bom = len(self.text) - len(self.text.removeprefix(_BOM))
        places = (Cell(*match.span(1)) for match in _JSON_TOKEN.finditer(self.text) if match[1])

        def place(_: str) -> Cell:
            return next(places)

        try:
            return json.loads(
                self.text[bom:],
                parse_float=place,
                parse_int=place,
                parse_constant=place,
                object_pairs_hook=self._object,
            )
        except json.JSONDecodeError as error:
            raise self.error(error.pos + bom, f"no JSON: {error.msg}") from None
        except RecursionError:
            raise DocumentError(self.path, "nested too deeply for a table") from None

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise self.error(_first_place(members), f"an object has two members {twice!r}")
        return members

    def _row(self, item: Any, index: int) -> tuple[_Row, tuple[str, ...]]:
        place = _first_place(item)
        if isinstance(item, dict):
            label = next((item[key] for key in item if _plain(key) in _LABELS), None)
            label = label if isinstance(label, str) else None
            if "theta" not in item:
                members = self._members(item, place)
                wanted = self.wanted(members.keys(), place)
                return _Row(tuple(members[name] for name in wanted), label), wanted
            item = item["theta"]
        else:
            label = item[0] if _is_labelled(item) else None
            item = item[1:] if _is_labelled(item) else item
        if not (isinstance(item, list) and [type(cell) for cell in item] == [Cell] * 10):
            raise self.error(
                place, f"row {index + 1} is neither an object nor a list of ten numbers"
            )
        return _Row(tuple(item), label), ()

    def _members(self, item: dict[str, Any], place: int) -> dict[str, Cell]:
        """The numbers of an object by the names that they mean."""
        members: dict[str, Cell] = {}
        for key, value in _leaves(item):
            name = _ALIASES.get(_plain(key))
            if name is None:
                continue
            if name in members:
                raise self.error(place, f"a second member that means {name}")
            if not isinstance(value, Cell):
                raise self.error(place, f"{key} is {json.dumps(value)}, expected a number")
            members[name] = value
        return members


_JSON_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|NaN|-?Infinity)', re.DOTALL
)


def _leaves(item: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Members of an object and of the objects in it; vectors of three as three members."""
    for key, value in item.items():
        vector = _VECTORS.get(_plain(key))
        if isinstance(value, dict):
            yield from _leaves(value)
        elif vector and isinstance(value, list) and len(value) == 3:
            yield from zip(vector, value, strict=True)
        elif not isinstance(value, list):
            yield key, value


def _first_place(item: Any) -> int:
    """Where the first number in an item stands; 0 without one."""
    if isinstance(item, Cell):
        return item.start
    inside = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return next((place for place in map(_first_place, inside) if place), 0)


def _is_labelled(item: Any) -> bool:
    return isinstance(item, list) and bool(item) and isinstance(item[0], str)


def _cell_pattern(line: str) -> re.Pattern[str]:
    """One cell and what ends it; the first line shows which mark that is."""
    mark = next((mark for mark in ",;\t" if mark in line), None)
    if mark is None:
        return re.compile(
            r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>\S+))(?P<mark>\s+(?=\S)|\s*\Z)'
        )
    space = r"[ \r]*"
    return re.compile(
        rf'{space}(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>[^{mark}]*?)){space}(?P<mark>{mark}|\Z)'
    )


def _plain(name: str) -> str:
    """A column's name without case, unit and separators."""
    return re.sub(r"[\[(].*|[\s_.-]", "", name).casefold()


def _index_of(value: bool, values: Sequence[bool]) -> int | None:
    return values.index(value) if value in values else None


def _as_csv(
    names: Sequence[str], labels: Sequence[str | None] | None, rows: Sequence[Sequence[float]]
) -> str:
    import csv
    import io

    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    head = [] if labels is None else ["name"]
    writer.writerow([*head, *names])
    for index, row in enumerate(rows):
        head = [] if labels is None else [labels[index] or ""]
        writer.writerow([*head, *map(repr, row)])
    return stream.getvalue()


def _as_json(
    names: Sequence[str], labels: Sequence[str | None] | None, rows: Sequence[Sequence[float]]
) -> str:
    lines = []
    for index, row in enumerate(rows):
        head = {} if labels is None else {"name": labels[index]}
        lines.append(json.dumps({**head, **dict(zip(names, row, strict=True))}))
    return "[\n" + ",\n".join(lines) + "\n]\n"
