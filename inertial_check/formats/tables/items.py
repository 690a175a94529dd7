"""Rows as nested data, which json and yaml share: objects, or lists of ten numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

from inertial_check.errors import DocumentError
from inertial_check.formats.tables.columns import ALIASES, LABELS, VECTORS, Cell, plain, wanted

Fail = Callable[[int, str], DocumentError]
"""Makes an error of an offset in the text and a reason."""

ROWS = "bodies"
"""The member of a document that holds its rows, where they are not the document itself."""


class Text(NamedTuple):
    """A scalar that is no number, with its place."""

    value: str
    start: int


class Shared(NamedTuple):
    """Something that stands elsewhere in the document and is only referred to.

    Attributes:
        numbers: Whether it is a number or a list of some.
        names: Meanings of the members in it that are numbers.
        line: Where it stands.
        start: Where it is referred to.
    """

    numbers: bool
    names: frozenset[str]
    line: int
    start: int

    @property
    def reason(self) -> str:
        """Why its numbers are not taken."""
        return (
            f"these numbers stand in line {self.line} and are shared: moving one row would move "
            "the other; write them out here"
        )


class Row(NamedTuple):
    """A row: its ten numbers in the order of `names` or bare, those names, and the row's name."""

    numbers: tuple[Any, ...]
    names: tuple[str, ...]
    label: str | None


class _Flat(NamedTuple):
    """What was found out of an object without others in it: the next often has the same keys."""

    keys: tuple[str, ...]
    names: tuple[str, ...]
    ten: Callable[[dict[str, Any]], tuple[Any, ...]]


class Rows:
    """Reads rows whose numbers are of one type: Cell where places matter, else float.

    Args:
        kind: The type of numbers.
        fail: Makes errors.
    """

    def __init__(self, kind: type, fail: Fail) -> None:
        self._kind, self._fail = kind, fail
        self._last: _Flat | None = None

    def row(self, item: Any, index: int, key: str | None = None) -> Row:
        """A row of the table.

        Args:
            item: An object, or a list of ten numbers, with a name before them or without.
            index: Of the row, for complaints.
            key: The name under which it stands.

        Raises:
            DocumentError: It is none.
        """
        if isinstance(item, Shared):
            raise self._fail(item.start, item.reason)
        label, whole = key, item
        if isinstance(item, dict):
            found = next((item[name] for name in item if plain(name) in LABELS), None)
            found = found.value if isinstance(found, Text) else found
            label = found if isinstance(found, str) else key
            if "theta" not in item:
                return self._named(item, label)
            item = item["theta"]
            if isinstance(item, Shared):
                raise self._fail(item.start, item.reason)
        elif isinstance(item, list) and item and isinstance(item[0], (str, Text)):
            label = item[0].value if isinstance(item[0], Text) else item[0]
            item = item[1:]
        self._refuse_other(item, whole, index)
        return Row(tuple(item), (), label)

    def _named(self, item: dict[str, Any], label: str | None) -> Row:
        """The row of an object whose members have names."""
        flat = not any(type(value) in (dict, list) for value in item.values())
        last = self._last
        if last is not None and flat and last.keys == tuple(item):
            numbers = last.ten(item)
            if all(type(number) is self._kind for number in numbers):
                return Row(numbers, last.names, label)
        members = self._members(item)
        ten = wanted(members, lambda reason: self._lacking(item, reason))
        if flat:
            meanings = {ALIASES.get(plain(key)): key for key in item}
            getter = itemgetter(*(meanings[name] for name in ten))
            self._last = _Flat(tuple(item), ten, getter)
        return Row(tuple(members[name] for name in ten), ten, label)

    def sequence(self, item: Any, row: Row) -> tuple[int, ...]:
        """Columns of the row in the sequence in which the item states them."""
        if not row.names:
            return tuple(range(10))
        stated = list(self._members(item))
        return tuple(sorted(range(10), key=lambda column: stated.index(row.names[column])))

    def _refuse_other(self, item: Any, whole: Any, index: int) -> None:
        """Refuse what is no list of ten numbers.

        Raises:
            DocumentError: Names the first that is no number, or the count.
        """
        ten = isinstance(item, list) and [type(cell) for cell in item] == [self._kind] * 10
        if ten:
            return
        reason = f"row {index + 1} is neither an object nor a list of ten numbers"
        if isinstance(item, list):
            for cell in item:
                if isinstance(cell, Shared) and cell.numbers:
                    raise self._fail(cell.start, cell.reason)
                if isinstance(cell, Text):
                    raise self._fail(cell.start, f"{reason}: {json.dumps(cell.value)} is no number")
        raise self._fail(first_place(whole), reason)

    def _members(self, item: dict[str, Any]) -> dict[str, Any]:
        """The numbers of an object by the names that they mean."""
        members: dict[str, Any] = {}
        for key, value in self._leaves(item):
            name = ALIASES.get(plain(key))
            if name is None:
                continue
            if name in members:
                raise self._fail(first_place(item), f"a second member that means {name}")
            if type(value) is not self._kind:
                raise self._no_number(key, value, item)
            members[name] = value
        return members

    def _no_number(self, key: str, value: Any, item: dict[str, Any]) -> DocumentError:
        if isinstance(value, Shared):
            return self._fail(value.start, value.reason)
        if isinstance(value, Text):
            shown, place = json.dumps(value.value, ensure_ascii=False), value.start
        else:
            shown, place = json.dumps(value, default=str), first_place(item)
        return self._fail(place, f"{key} is {shown}, expected a number")

    def _leaves(self, item: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Members of an object and of the objects in it; vectors of three as three members."""
        for key, value in item.items():
            vector = VECTORS.get(plain(key))
            if isinstance(value, dict):
                yield from self._leaves(value)
            elif vector and isinstance(value, list) and len(value) == 3:
                yield from zip(vector, value, strict=True)
            elif isinstance(value, Shared):
                if (vector and value.numbers) or (value.names and key != MERGE):
                    raise self._fail(value.start, value.reason)
                yield key, value
            elif not isinstance(value, list):
                yield key, value

    def _lacking(self, item: dict[str, Any], reason: str) -> DocumentError:
        """What to say of a row that lacks a number: where it has it from another, that."""
        merged = item.get(MERGE)
        if isinstance(merged, Shared) and merged.names:
            return self._fail(merged.start, f"{reason}; {merged.reason}")
        return self._fail(first_place(item), reason)


MERGE = "<<"
"""The key under which yaml takes over the members of another object."""


def first_place(item: Any) -> int:
    """Where the first number or text with a place in an item stands; 0 without one."""
    if isinstance(item, Cell):
        return item.start
    if isinstance(item, (Text, Shared)):
        return item.start
    inside = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return next((place for place in map(first_place, inside) if place), 0)
