"""Rows of nested data, which json and yaml share: objects, or lists of ten numbers.

The rows are a list, or an object that names each, by themselves or as {"bodies": ...}.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.tables.columns import (
    ALIASES,
    LABELS,
    VECTORS,
    Layout,
    choose_columns,
    plain,
)
from inertial_check.formats.tables.reading import TableReader, TextBlock
from inertial_check.formats.text_window import Cell
from inertial_check.inertia.representations import Order

PlacedError = Callable[[int, str], DocumentError]
"""Makes an error of an offset in the text and a reason."""

ROWS = "bodies"
"""The member of a document that holds its rows, where they are not the document itself."""

MERGE = "<<"
"""The key under which yaml takes over the members of another object."""

Item = object
"""A decoded value: a dict, a list, a number or its Cell, a Word or str, a Shared, True, None."""


class Word(NamedTuple):
    """Scalar that is no number, with its place."""

    value: str
    start: int


class Shared(NamedTuple):
    """Reference to a value that stands elsewhere in the document.

    Attributes:
        numbers: Whether the value is a number or a list with numbers.
        names: Columns that its members mean, where these are numbers.
        line: The line on which the value stands.
        start: The offset of the reference.
    """

    numbers: bool
    names: frozenset[str]
    line: int
    start: int

    @property
    def reason(self) -> str:
        """The reason why its numbers are not taken."""
        return (
            f"these numbers stand in line {self.line} and are shared: moving one row would move "
            "the other; write them out here"
        )


class Row(NamedTuple):
    """Ten numbers in the order of `names` or bare, those names, and the name of the row."""

    numbers: tuple[object, ...]
    names: tuple[str, ...]
    label: str | None


class FoundRow(NamedTuple):
    """Row as it stands in the document: its name, its value, and the span of the value."""

    key: str | None
    item: Item
    start: int
    end: int


class ReadRow(NamedTuple):
    """Row as it was read.

    Attributes:
        values: The ten numbers.
        label: The name of the row.
        source: What its format needs to find the numbers in the text again.
    """

    values: tuple[object, ...]
    label: str | None
    source: object


class NestedReader(TableReader):
    """Reads rows one after another, holding a block and the one row that is being read.

    Of other members of the document one at a time is held, and the names of all.
    """

    _end = 0
    """Offset behind the row that was read last."""

    def _begin(self, interpret: RowInterpreter, order: Order | None) -> None:
        """Find the first row, which decides about the layout.

        Raises:
            DocumentError: There is no row, or the first is none.
            UsageError: Bare numbers, and no order is declared.
        """
        self._interpret = interpret
        self._rows = self._find_rows()
        self._pending = next(self._rows, None)
        if self._pending is None:
            raise DocumentError(self.path, "the table has no rows")
        item = self._place_numbers(self._pending)
        row = interpret.row(item, 0, self._pending.key)
        self.layout = Layout.of(row.names, interpret.sequence(item, row), order, self.path)
        self._names = row.names

    def blocks(self, rows: int) -> Iterator[TextBlock]:
        """Read the rows in their order, so many at a time."""
        first, complete = 0, False
        while not complete:
            taken: list[ReadRow] = []
            while len(taken) < rows and not complete:
                found, self._pending = self._pending or next(self._rows, None), None
                if found is None:
                    complete = True
                else:
                    taken.append(self._read_row(found, first + len(taken)))
                    self._end = found.end
            yield self._take_block(first, taken, complete)
            first += len(taken)

    @abstractmethod
    def _find_rows(self) -> Iterator[FoundRow]:
        """Find every row, and pass what follows the last."""

    @abstractmethod
    def _place_numbers(self, found: FoundRow) -> Item:
        """Give the value of a row with the Cell of each number in place of the number."""

    @abstractmethod
    def _number(self, cell: Cell) -> tuple[float, str | None]:
        """Convert the number in a cell; returns its value, and a complaint if it is none."""

    @abstractmethod
    def _take_block(self, first: int, rows: Sequence[ReadRow], complete: bool) -> TextBlock:
        """Take the text of some rows, or all that is left, out of the window."""

    def _read_row(self, found: FoundRow, index: int) -> ReadRow:
        """Read a row number by number.

        Raises:
            DocumentError: It is no row, or names other columns than the first row; or a number
                cannot be taken as it stands: names line and column.
        """
        item = self._place_numbers(found)
        row = self._interpret.row(item, index, found.key)
        error = self._interpret.error
        if row.names != self._names:
            raise error(first_place(item), "the rows do not all name the same ten numbers")
        values = []
        for cell, name in zip(row.numbers, row.names or [""] * 10, strict=True):
            assert isinstance(cell, Cell)  # the interpreter takes no other numbers
            value, complaint = self._number(cell)
            if complaint:
                raise error(cell.start, (f"{name}: " if name else "") + complaint)
            values.append(value)
        return ReadRow(tuple(values), row.label, row.numbers)


def values_of(rows: Sequence[ReadRow]) -> Floats:
    """Collect the numbers (n, 10) of rows."""
    return np.array([row.values for row in rows], dtype=np.float64).reshape(-1, 10)


class _KnownKeys(NamedTuple):
    """Columns of an object without others in it, kept because the next often has the same keys."""

    keys: tuple[str, ...]
    names: tuple[str, ...]
    ten: Callable[[dict[str, Item]], tuple[Item, ...]]


class RowInterpreter:
    """Finds the ten numbers of rows, all of one type: Cell where places matter, else float.

    Args:
        kind: The type of the numbers.
        error: Makes errors.
    """

    def __init__(self, kind: type, error: PlacedError) -> None:
        self._kind, self.error = kind, error
        self._last: _KnownKeys | None = None

    def row(self, item: Item, index: int, key: str | None = None) -> Row:
        """Find the numbers of a row.

        Args:
            item: An object, or a list of ten numbers, with a name before them or without.
            index: The index of the row, for messages.
            key: The name under which the row stands.

        Raises:
            DocumentError: The item is no row.
        """
        if isinstance(item, Shared):
            raise self.error(item.start, item.reason)
        label, whole = key, item
        if isinstance(item, dict):
            found = next((item[name] for name in item if plain(name) in LABELS), None)
            found = found.value if isinstance(found, Word) else found
            label = found if isinstance(found, str) else key
            if "theta" not in item:
                return self._row_of_object(item, label)
            item = item["theta"]
            if isinstance(item, Shared):
                raise self.error(item.start, item.reason)
        elif isinstance(item, list) and item and isinstance(item[0], (str, Word)):
            label = item[0].value if isinstance(item[0], Word) else item[0]
            item = item[1:]
        if isinstance(item, list) and [type(cell) for cell in item] == [self._kind] * 10:
            return Row(tuple(item), (), label)
        raise self._describe_no_row(item, whole, index)

    def sequence(self, item: Item, row: Row) -> tuple[int, ...]:
        """Give the columns of a row in the sequence in which its object states them."""
        if not row.names or not isinstance(item, dict):
            return tuple(range(10))
        stated = list(self._members(item))
        return tuple(sorted(range(10), key=lambda column: stated.index(row.names[column])))

    def _row_of_object(self, item: dict[str, Item], label: str | None) -> Row:
        flat = not any(type(value) in (dict, list) for value in item.values())
        last = self._last
        if last is not None and flat and last.keys == tuple(item):
            numbers = last.ten(item)
            if all(type(number) is self._kind for number in numbers):
                return Row(numbers, last.names, label)
        members = self._members(item)
        ten = choose_columns(members, lambda reason: self._describe_missing(item, reason))
        if flat:
            meanings = {ALIASES.get(plain(key)): key for key in item}
            getter = itemgetter(*(meanings[name] for name in ten))
            self._last = _KnownKeys(tuple(item), ten, getter)
        return Row(tuple(members[name] for name in ten), ten, label)

    def _members(self, item: dict[str, Item]) -> dict[str, Item]:
        """Collect the numbers of an object by the columns that they mean."""
        members: dict[str, Item] = {}
        for key, value in self._leaves(item):
            name = ALIASES.get(plain(key))
            if name is None:
                continue
            if name in members:
                raise self.error(first_place(item), f"a second member that means {name}")
            if type(value) is not self._kind:
                raise self._describe_no_number(key, value, item)
            members[name] = value
        return members

    def _leaves(self, item: Mapping[str, Item]) -> Iterator[tuple[str, Item]]:
        """Yield the members of an object and of those in it; vectors of three as three members."""
        for key, value in item.items():
            vector = VECTORS.get(plain(key))
            if isinstance(value, dict):
                yield from self._leaves(value)
            elif vector and isinstance(value, list) and len(value) == 3:
                yield from zip(vector, value, strict=True)
            elif isinstance(value, Shared):
                if (vector and value.numbers) or (value.names and key != MERGE):
                    raise self.error(value.start, value.reason)
                yield key, value
            elif not isinstance(value, list):
                yield key, value

    def _describe_no_row(self, item: Item, whole: Item, index: int) -> DocumentError:
        """Name the first entry of a list that is no number, or where a value is no list."""
        reason = f"row {index + 1} is neither an object nor a list of ten numbers"
        for cell in item if isinstance(item, list) else ():
            if isinstance(cell, Shared) and cell.numbers:
                return self.error(cell.start, cell.reason)
            if isinstance(cell, Word):
                return self.error(cell.start, f"{reason}: {json.dumps(cell.value)} is no number")
        return self.error(first_place(whole), reason)

    def _describe_no_number(self, key: str, value: Item, item: Item) -> DocumentError:
        if isinstance(value, Shared):
            return self.error(value.start, value.reason)
        if isinstance(value, Word):
            shown, place = json.dumps(value.value, ensure_ascii=False), value.start
        else:
            shown, place = json.dumps(value, default=str), first_place(item)
        return self.error(place, f"{key} is {shown}, expected a number")

    def _describe_missing(self, item: dict[str, Item], reason: str) -> DocumentError:
        """Say of a row without a column where it has the number from another row, if it does."""
        merged = item.get(MERGE)
        if isinstance(merged, Shared) and merged.names:
            return self.error(merged.start, f"{reason}; {merged.reason}")
        return self.error(first_place(item), reason)


def first_place(item: Item) -> int:
    """Find the offset of the first number or word in an item; 0 where none has a place."""
    if isinstance(item, (Cell, Word, Shared)):
        return item.start
    inside = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return next((place for place in map(first_place, inside) if place), 0)
