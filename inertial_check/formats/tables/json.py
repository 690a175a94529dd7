"""Tables as json. Rows are decoded one at a time.

The places of numbers in the text are looked up only in rows that change, or are wrong.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO, cast

from inertial_check.errors import DocumentError, PicklableError
from inertial_check.formats.delimited import may_vanish
from inertial_check.formats.numbers import has_long_number, parse_number
from inertial_check.formats.tables.nested import (
    ROWS,
    FoundRow,
    Item,
    NestedReader,
    ReadRow,
    RowInterpreter,
    values_of,
)
from inertial_check.formats.tables.reading import ADVICE, TextBlock
from inertial_check.formats.text_window import LONGEST_ROW, Cell, Window
from inertial_check.inertia.representations import Order

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|NaN|-?Infinity)', re.DOTALL
)
_SPACE = re.compile(r"[ \t\r\n]*")
_LONGEST_TOKEN = 16
"""Number of characters at the end of what was read that may belong to a token cut in two."""


class JsonReader(NestedReader):
    """Decodes the rows of a json table one after another."""

    format = "json"

    def __init__(self, stream: BinaryIO, path: str, order: Order | None) -> None:
        self.path = path
        self._has_member = _has_rows_member(Window(stream, path, ADVICE))
        stream.seek(0)
        self._window = Window(stream, path, ADVICE)
        self._cursor = _Cursor(self._window)
        self.mark = self._window.mark
        self._fast = RowInterpreter(float, self._window.error)
        self._begin(RowInterpreter(Cell, self._window.error), order)

    def _read_row(self, found: FoundRow, index: int) -> ReadRow:
        """Read a row as decoded; one that is wrong, or may be, is read number by number."""
        row = None
        text = self._window.text[found.start : found.end]
        if not may_vanish(text) and not has_long_number(text):
            try:
                row = self._fast.row(found.item, index, found.key)
            except DocumentError:  # found again with its place
                row = None
        span = found._replace(item=None)
        if row is not None and row.names == self._names:
            return ReadRow(row.numbers, row.label, span)
        return super()._read_row(found, index)._replace(source=span)

    def _place_numbers(self, found: FoundRow) -> Item:
        return _place_numbers(self._window.text, found)

    def _number(self, cell: Cell) -> tuple[float, str | None]:
        return parse_number(self._window.text[slice(*cell)])

    def _take_block(self, first: int, rows: Sequence[ReadRow], complete: bool) -> TextBlock:
        line, end = self._window.line, self._cursor.position
        text = self._cursor.take(len(self._window.text) if complete else end)
        spans = [cast(FoundRow, row.source) for row in rows]

        def find_cells(text: str, row: int) -> Sequence[Cell]:
            found = _CELLS.row(_place_numbers(text, spans[row]), row)
            return cast(Sequence[Cell], found.numbers)

        labels = [row.label for row in rows]
        return TextBlock(first, values_of(rows), labels, text, line, find_cells)

    def _find_rows(self) -> Iterator[FoundRow]:
        cursor = self._cursor
        opening = cursor.character()
        if opening == "[":
            yield from self._find_listed_rows(cursor.position - 1)
        elif self._has_member:
            for key in cursor.members():
                if key == ROWS:
                    yield from self._find_rows_of_member()
                else:
                    cursor.value()
        else:
            yield from self._find_named_rows()
        if cursor.character():
            raise self._window.error(cursor.position - 1, "no JSON: Extra data")

    def _find_rows_of_member(self) -> Iterator[FoundRow]:
        opening = self._cursor.character()
        if opening not in ("[", "{"):
            place = self._cursor.position - 1
            raise self._window.error(place, f'"{ROWS}" is neither a list nor an object of rows')
        yield from self._find_listed_rows() if opening == "[" else self._find_named_rows()

    def _find_named_rows(self) -> Iterator[FoundRow]:
        for key in self._cursor.members():
            item, start = self._cursor.value(LONGEST_ROW)
            if not isinstance(item, (dict, list)) or not item:
                raise self._window.error(start, f'the object has no list "{ROWS}"')
            yield FoundRow(key, item, start, self._cursor.position)

    def _find_listed_rows(self, document: int | None = None) -> Iterator[FoundRow]:
        """Find the rows of a list.

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
            yield FoundRow(None, item, start, cursor.position)
            document = None
            closed = closed or cursor.closes("]")


class _Cursor:
    """Place in a window that moves over a json document, reading on as it has to.

    Attributes:
        position: Offset in the window's text.
    """

    def __init__(self, window: Window) -> None:
        self._window, self.position = window, 0

    def take(self, end: int) -> str:
        """Take the text up to an offset out of the window."""
        self.position -= end
        return self._window.take(end)

    def character(self) -> str:
        """Pass the next character that is no space and return it; "" at the end."""
        while True:
            match = _SPACE.match(self._window.text, self.position)
            self.position = match.end() if match else self.position
            if self.position < len(self._window.text):
                self.position += 1
                return self._window.text[self.position - 1]
            if not self._window.more():
                return ""

    def passes(self, mark: str) -> bool:
        """Pass the next character that is no space if it is `mark`; returns whether it was."""
        found = self.character()
        if found and found != mark:
            self.position -= 1
        return found == mark

    def closes(self, mark: str) -> bool:
        """Pass a comma, or the mark that closes a list or an object; returns whether it closed.

        Raises:
            DocumentError: Neither follows.
        """
        if self.passes(mark):
            return True
        if not self.passes(","):
            raise self._window.error(self.position, "no JSON: Expecting ',' delimiter")
        return False

    def members(self) -> Iterator[str]:
        """Yield the keys of an object whose brace was passed; the caller passes each value."""
        if self.passes("}"):
            return
        seen: set[int] = set()  # hashes, so that long names of a long object take little memory
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

    def value(self, longest: int | None = None) -> tuple[Item, int]:
        """Pass the next value, in which all numbers are float.

        Args:
            longest: Largest number of characters that it may have.

        Returns:
            The value, and the offset where it begins.

        Raises:
            DocumentError: No value follows, or it is longer.
        """
        self.passes("")
        window, start = self._window, self.position
        while True:
            held = len(window.text) - start
            try:
                item, end = _DECODER.raw_decode(window.text, start)
            except json.JSONDecodeError as error:
                # An error near the end may only mean that the rest was not read yet.
                cut = error.pos >= len(window.text) - _LONGEST_TOKEN
                if not (cut or error.msg.startswith("Unterminated")) or not window.more():
                    raise window.error(error.pos, f"no JSON: {error.msg}") from None
            except _TwoMembersError as error:
                raise window.error(start, f"an object has two members {error.key!r}") from None
            except RecursionError:
                raise window.error(start, "nested too deeply for a table") from None
            else:
                # A number at the end may go on in what was not read yet.
                whole = isinstance(item, (dict, list, str))
                if whole or end < len(window.text) - _LONGEST_TOKEN or not window.more():
                    self.position = end
                    return item, start
            if longest is not None and held > longest:
                raise window.error(start, f"a row of more than {longest} characters")


class _TwoMembersError(PicklableError, Exception):
    """An object has one key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _refuse_two_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _TwoMembersError(next(key for key, count in counts.items() if count > 1))
    return members


def _describe_unexpected_token(place: int, reason: str) -> DocumentError:
    return DocumentError("<row>", f"{reason}, which was a row before")


_DECODER = json.JSONDecoder(parse_int=float, object_pairs_hook=_refuse_two_members)
_CELLS = RowInterpreter(Cell, _describe_unexpected_token)


def _has_rows_member(window: Window) -> bool:
    """Tell whether the document is an object that has the member of rows; reads up to it."""
    cursor = _Cursor(window)
    if not cursor.passes("{"):
        return False
    for key in cursor.members():
        if key == ROWS:
            return True
        cursor.value()
        cursor.take(cursor.position)
    return False


def _place_numbers(text: str, found: FoundRow) -> Item:
    """Decode a row with the Cell of each number in place of the number."""
    tokens = _TOKEN.finditer(text, found.start, found.end)
    places = (Cell(*match.span(1)) for match in tokens if match[1])

    def place(_: str) -> Cell:
        return next(places)

    decoder = json.JSONDecoder(parse_float=place, parse_int=place, parse_constant=place)
    item: Item = decoder.raw_decode(text, found.start)[0]
    return item
