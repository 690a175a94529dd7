"""Tables as json: rows in a list, or by name in an object, by themselves or as {"bodies": ...}.

Rows are decoded one at a time. Where their numbers stand is looked up only in rows that change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.numbers import parse_number
from inertial_check.formats.tables.columns import Cell, Layout
from inertial_check.formats.tables.items import ROWS, Row, Rows, first_place
from inertial_check.formats.tables.reading import (
    LONGEST_ROW,
    SpanBlock,
    TableReader,
    Window,
    may_vanish,
)

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|NaN|-?Infinity)', re.DOTALL
)
_SPACE = re.compile(r"[ \t\r\n]*")
_LONGEST_TOKEN = 16
"""Characters at the end of what was read that may belong to a token that is cut in two."""


class _Found(NamedTuple):
    """A row: its name in an object of rows, the value, and where that begins and ends."""

    key: str | None
    item: Any
    start: int
    end: int


class JsonReader(TableReader):
    """Decodes rows one after another, holding a block and the one row that is being read.

    Of other members of the document one at a time is held, too, and the names of all.
    """

    format = "json"

    def __init__(self, stream: BinaryIO, path: str, order: str | None) -> None:
        self.path = path
        self._has_member = _has_rows_member(Window(stream, path))
        stream.seek(0)
        self._window = Window(stream, path)
        self._cursor = _Cursor(self._window)
        self.mark = self._window.mark
        self._fast = Rows(float, self._window.error)
        self._exact = Rows(Cell, self._window.error)
        self._rows = self._found()
        self._pending = next(self._rows, None)
        if self._pending is None:
            raise DocumentError(path, "the table has no rows")
        item = _with_places(self._window.text, self._pending)
        row = self._exact.row(item, 0, self._pending.key)
        sequence = self._exact.sequence(item, row)
        self.layout = Layout.of(row.names, sequence, order, path)
        self._names = row.names

    def blocks(self, rows: int) -> Iterator[JsonBlock]:
        """The rows in their order, so many at a time."""
        first, complete = 0, False
        while not complete:
            taken: list[Row] = []
            spans: list[_Found] = []
            while len(taken) < rows and not complete:
                found, self._pending = self._pending or next(self._rows, None), None
                if found is None:
                    complete = True
                else:
                    taken.append(self._row(found, first + len(taken)))
                    spans.append(found._replace(item=None))
            line, end = self._window.line, self._cursor.position
            text = self._cursor.take(len(self._window.text) if complete else end)
            values = np.array([row.numbers for row in taken], dtype=np.float64).reshape(-1, 10)
            yield JsonBlock(first, values, [row.label for row in taken], text, line, spans)
            first += len(taken)

    def _row(self, found: _Found, index: int) -> Row:
        """A row with its numbers; what is wrong with it is looked up with its place.

        Raises:
            DocumentError: It is none, or names other numbers than the first.
        """
        text = self._window.text
        if not may_vanish(text[found.start : found.end]):
            try:
                row = self._fast.row(found.item, index, found.key)
            except DocumentError:
                row = None
            if row is not None and row.names == self._names:
                return row
        item = _with_places(text, found)
        row = self._exact.row(item, index, found.key)
        if row.names != self._names:
            reason = "the rows do not all name the same ten numbers"
            raise self._window.error(first_place(item), reason)
        return row._replace(numbers=self._numbers(row))

    def _numbers(self, row: Row) -> tuple[float, ...]:
        """The values of a row of cells.

        Raises:
            DocumentError: One cannot be taken as it stands; names line and column.
        """
        values = []
        for cell, name in zip(row.numbers, row.names or [""] * 10, strict=True):
            value, complaint = parse_number(self._window.text[slice(*cell)])
            if complaint:
                raise self._window.error(cell.start, (f"{name}: " if name else "") + complaint)
            values.append(value)
        return tuple(values)

    def _found(self) -> Iterator[_Found]:
        """Every row; after the last, the rest of the document is passed."""
        cursor = self._cursor
        opening = cursor.character()
        if opening == "[":
            yield from self._listed(cursor.position - 1)
        elif self._has_member:
            for key in cursor.members():
                if key == ROWS:
                    yield from self._in_member()
                else:
                    cursor.value()
        else:
            yield from self._named()
        if cursor.character():
            raise self._window.error(cursor.position - 1, "no JSON: Extra data")

    def _in_member(self) -> Iterator[_Found]:
        opening = self._cursor.character()
        if opening not in ("[", "{"):
            place = self._cursor.position - 1
            raise self._window.error(place, f'"{ROWS}" is neither a list nor an object of rows')
        yield from self._listed() if opening == "[" else self._named()

    def _named(self) -> Iterator[_Found]:
        for key in self._cursor.members():
            item, start = self._cursor.value(LONGEST_ROW)
            if not isinstance(item, (dict, list)) or not item:
                raise self._window.error(start, f'the object has no list "{ROWS}"')
            yield _Found(key, item, start, self._cursor.position)

    def _listed(self, document: int | None = None) -> Iterator[_Found]:
        """The rows of a list.

        Args:
            document: Where the list begins if it is the document, which can be a single row.
        """
        cursor = self._cursor
        if cursor.passes("]"):
            return
        closed = False
        while not closed:
            item, start = cursor.value(LONGEST_ROW)
            if document is not None and isinstance(item, float):
                cursor.position = document
                item, start = cursor.value(LONGEST_ROW)
                closed = True
            yield _Found(None, item, start, cursor.position)
            document = None
            closed = closed or cursor.closes("]")


class JsonBlock(SpanBlock):
    """Rows with the stretches of text on which they stand."""

    def __init__(
        self,
        first: int,
        values: Floats,
        labels: Sequence[str | None],
        text: str,
        line: int,
        spans: Sequence[_Found],
    ) -> None:
        super().__init__(first, values, labels, text, line)
        self._spans = spans

    def cells(self, row: int) -> Sequence[Cell]:
        """Where the ten values of a row stand in the text."""
        return _CELLS.row(_with_places(self.text, self._spans[row]), row).numbers


class _Cursor:
    """A place in a window that moves over a json document, reading on as it has to.

    Attributes:
        position: Offset in the window's text.
    """

    def __init__(self, window: Window) -> None:
        self._window, self.position = window, 0

    def take(self, end: int) -> str:
        """The text up to a place, which is then dropped."""
        self.position -= end
        return self._window.take(end)

    def character(self) -> str:
        """Pass the next character that is no space; "" at the end."""
        while True:
            match = _SPACE.match(self._window.text, self.position)
            self.position = match.end() if match else self.position
            if self.position < len(self._window.text):
                self.position += 1
                return self._window.text[self.position - 1]
            if not self._window.more():
                return ""

    def passes(self, mark: str) -> bool:
        """Pass the next character that is no space if it is this one, and say whether it was."""
        found = self.character()
        if found and found != mark:
            self.position -= 1
        return found == mark

    def closes(self, mark: str) -> bool:
        """Pass a comma, or what closes a list or an object, and say whether it was that.

        Raises:
            DocumentError: It is neither.
        """
        if self.passes(mark):
            return True
        if not self.passes(","):
            raise self._window.error(self.position, "no JSON: Expecting ',' delimiter")
        return False

    def members(self) -> Iterator[str]:
        """The keys of an object whose beginning was passed; the caller passes each value."""
        if self.passes("}"):
            return
        seen: set[int] = set()
        closed = False
        while not closed:
            key, start = self.value()
            if not isinstance(key, str):
                reason = "no JSON: Expecting property name enclosed in double quotes"
                raise self._window.error(start, reason)
            if hash(key) in seen:
                raise self._window.error(start, f"an object has two members {key!r}")
            seen.add(hash(key))
            if not self.passes(":"):
                raise self._window.error(self.position, "no JSON: Expecting ':' delimiter")
            yield key
            closed = self.closes("}")

    def value(self, longest: int | None = None) -> tuple[Any, int]:
        """Pass the next value: all numbers are float.

        Args:
            longest: Characters that it may have.

        Returns:
            The value, and where it begins.

        Raises:
            DocumentError: There is none, or it is longer.
        """
        self.passes("")
        window, start = self._window, self.position
        while True:
            held = len(window.text) - start
            try:
                item, end = _DECODER.raw_decode(window.text, start)
            except json.JSONDecodeError as error:
                cut = error.pos >= len(window.text) - _LONGEST_TOKEN
                if not (cut or error.msg.startswith("Unterminated")) or not window.more():
                    raise window.error(error.pos, f"no JSON: {error.msg}") from None
            except _TwoMembersError as error:
                raise window.error(start, f"an object has two members {error.key!r}") from None
            except RecursionError:
                raise window.error(start, "nested too deeply for a table") from None
            else:
                whole = isinstance(item, (dict, list, str))
                if whole or end < len(window.text) - _LONGEST_TOKEN or not window.more():
                    self.position = end
                    return item, start
            if longest is not None and held > longest:
                raise window.error(start, f"a row of more than {longest} characters")


class _TwoMembersError(Exception):
    """An object with one key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _members_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwoMembersError(next(key for key in keys if keys.count(key) > 1))
    return members


def _unexpected(place: int, reason: str) -> DocumentError:
    return DocumentError("<row>", f"{reason}, which was a row before")


_DECODER = json.JSONDecoder(parse_int=float, object_pairs_hook=_members_once)
_CELLS = Rows(Cell, _unexpected)


def _has_rows_member(window: Window) -> bool:
    """Whether the document is an object that has the member of rows; reads up to it."""
    cursor = _Cursor(window)
    if not cursor.passes("{"):
        return False
    for key in cursor.members():
        if key == ROWS:
            return True
        cursor.value()
        cursor.take(cursor.position)
    return False


def _with_places(text: str, found: _Found) -> Any:
    """The value of a row, with the place of each number instead of its value."""
    tokens = _TOKEN.finditer(text, found.start, found.end)
    places = (Cell(*match.span(1)) for match in tokens if match[1])

    def place(_: str) -> Cell:
        return next(places)

    decoder = json.JSONDecoder(parse_float=place, parse_int=place, parse_constant=place)
    return decoder.raw_decode(text, found.start)[0]
