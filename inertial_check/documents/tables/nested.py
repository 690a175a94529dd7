"""Rows of nested data, which json and yaml share: objects, or lists of ten numbers.

The rows are a list, or an object that names each, by themselves or as {"bodies": ...}.

Tables as json. Rows are decoded one at a time.

The places of numbers in the text are looked up only in rows that change, or are wrong.

Tables as yaml, of the same shapes as json, read event by event: every number has a place.

Of PyYAML, which is imported here and nowhere else, only the grammar is used. No object is
constructed, no alias is expanded, and numbers are told from texts as in all formats: 1e-3 is a
number, "1.0" in quotes is none.
"""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import yaml

from inertial_check.documents.numbers import has_long_number, parse_number
from inertial_check.documents.tables.delimited import may_vanish
from inertial_check.documents.tables.reading import (
    ADVICE,
    ALIASES,
    LABELS,
    LONGEST_ROW,
    VECTORS,
    Cell,
    Layout,
    TableReader,
    TextBlock,
    Window,
    choose_columns,
    plain,
)
from inertial_check.errors import DocumentError, PicklableError
from inertial_check.inertia.arrays import Floats
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
    _walk: _Cursor | _Events
    _has_member: bool

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

    def _find_rows(self) -> Iterator[FoundRow]:
        """Find every row, and pass what follows the last."""
        walk = self._walk
        opening = walk.open()
        if opening == "[":
            yield from self._find_listed_rows(whole=True)
        elif opening and self._has_member:
            for key in walk.members():
                if key == ROWS:
                    opening = walk.open()
                    if opening not in ("[", "{"):
                        reason = f'"{ROWS}" is neither a list nor an object of rows'
                        raise walk.error(walk.start, reason)
                    listed = opening == "["
                    yield from self._find_listed_rows() if listed else self._find_named_rows()
                else:
                    walk.value()
        elif opening:
            yield from self._find_named_rows()
        walk.end()

    def _find_named_rows(self) -> Iterator[FoundRow]:
        for key in self._walk.members():
            item, start = self._walk.value(LONGEST_ROW)
            if not isinstance(item, (dict, list, Shared)) or not item:
                raise self._walk.error(start, f'the object has no list "{ROWS}"')
            yield FoundRow(key, item, start, self._walk.position)

    def _find_listed_rows(self, whole: bool = False) -> Iterator[FoundRow]:
        """Find the rows of a list; the list can be the one row where it is the whole document."""
        first, items = self._walk.start, self._walk.items()
        for found, at in items:
            item, start = found, at
            if whole and isinstance(found, (float, Cell)):
                item, start = [found, *(each for each, _ in items)], first
            yield FoundRow(None, item, start, self._walk.position)
            whole = False

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


@dataclass(frozen=True, slots=True)
class RowInterpreter:
    """Finds the ten numbers of rows, all of one type: Cell where places matter, else float.

    Args:
        kind: The type of the numbers.
        error: Makes errors.
    """

    kind: type
    error: PlacedError

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
                members = self._members(item)
                stated = item
                ten = choose_columns(members, lambda reason: self._describe_missing(stated, reason))
                return Row(tuple(members[name] for name in ten), ten, label)
            item = item["theta"]
            if isinstance(item, Shared):
                raise self.error(item.start, item.reason)
        elif isinstance(item, list) and item and isinstance(item[0], (str, Word)):
            label = item[0].value if isinstance(item[0], Word) else item[0]
            item = item[1:]
        if isinstance(item, list) and [type(cell) for cell in item] == [self.kind] * 10:
            return Row(tuple(item), (), label)
        raise self._describe_no_row(item, whole, index)

    def sequence(self, item: Item, row: Row) -> tuple[int, ...]:
        """Give the columns of a row in the sequence in which its object states them."""
        if not row.names or not isinstance(item, dict):
            return tuple(range(10))
        stated = list(self._members(item))
        return tuple(sorted(range(10), key=lambda column: stated.index(row.names[column])))

    def _members(self, item: dict[str, Item]) -> dict[str, Item]:
        """Collect the numbers of an object by the columns that they mean."""
        members: dict[str, Item] = {}
        for key, value in self._leaves(item):
            name = ALIASES.get(plain(key))
            if name is None:
                continue
            if name in members:
                raise self.error(first_place(item), f"a second member that means {name}")
            if type(value) is not self.kind:
                if isinstance(value, Shared):
                    found = self.error(value.start, value.reason)
                else:
                    if isinstance(value, Word):
                        shown, place = json.dumps(value.value, ensure_ascii=False), value.start
                    else:
                        shown, place = json.dumps(value, default=str), first_place(item)
                    found = self.error(place, f"{key} is {shown}, expected a number")
                raise found
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
        self._has_member = _has_rows_member(_Cursor(Window(stream, path, ADVICE)))
        stream.seek(0)
        self._window = Window(stream, path, ADVICE)
        self._walk = self._cursor = _Cursor(self._window)
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


class _Cursor:
    """Place in a window that moves over a json document, reading on as it has to.

    Attributes:
        position: Offset in the window's text.
        start: Offset of the list or object that was opened last.
        error: Makes an error that names line and column.
    """

    def __init__(self, window: Window) -> None:
        self._window, self.error, self.position, self.start = window, window.error, 0, 0

    def open(self) -> str:
        """Pass the mark with which the next value begins and return it; "" at the end."""
        opening = self.character()
        self.start = self.position - 1
        return opening

    def end(self) -> None:
        """Pass what follows the document.

        Raises:
            DocumentError: That is not only space.
        """
        if self.character():
            raise self.error(self.position - 1, "no JSON: Extra data")

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

    def items(self) -> Iterator[tuple[Item, int]]:
        """Yield the items of a list whose bracket was passed, each with the offset of its value."""
        closed = self.passes("]")
        while not closed:
            yield self.value(LONGEST_ROW)
            closed = self.closes("]")

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


_DECODER = json.JSONDecoder(parse_int=float, object_pairs_hook=_refuse_two_members)
_CELLS = RowInterpreter(
    Cell, lambda _, reason: DocumentError("<row>", f"{reason}, which was a row before")
)


def _has_rows_member(walk: _Cursor | _Events) -> bool:
    """Tell whether the document is an object that has the member of rows; reads up to it."""
    if walk.open() != "{":
        return False
    for key in walk.members():
        if key == ROWS:
            return True
        walk.value()
        walk.take(walk.position)
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


_DEEPEST = 50
"""Largest number of levels of nesting; a table has three or four."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # thirty times as fast where it is built
_NUMBER = re.compile(r"[+-]?(?:\.?[0-9]|\.(?:inf|nan)$|(?:inf|nan|infinity)$)", re.IGNORECASE)
_WORD = re.compile(r"[+-]?\.(?:inf|nan)", re.IGNORECASE)
_CORE = "tag:yaml.org,2002:"
_TAGS = {"!", *(_CORE + name for name in ("str", "int", "float", "bool", "null", "seq", "map"))}


class YamlReader(NestedReader):
    """Reads the rows of a yaml table one after another."""

    format = "yaml"

    def __init__(self, stream: BinaryIO, path: str, order: Order | None) -> None:
        self.path = path
        self._has_member = _has_rows_member(_Events(stream, path))
        stream.seek(0)
        self._walk = self._events = _Events(stream, path)
        self.mark = self._events.window.mark
        self._begin(RowInterpreter(Cell, self._events.error), order)

    def _place_numbers(self, found: FoundRow) -> Item:
        return found.item

    def _number(self, cell: Cell) -> tuple[float, str | None]:
        text = self._events.text(cell)
        if _WORD.fullmatch(text):
            return float(text.replace(".", "")), None
        return parse_number(text)

    def _take_block(self, first: int, rows: Sequence[ReadRow], complete: bool) -> TextBlock:
        line, base = self._events.window.line, self._events.base
        text = self._events.take(None if complete else self._end)

        def find_cells(_: str, row: int) -> Sequence[Cell]:
            cells = cast(Sequence[Cell], rows[row].source)
            return [Cell(cell.start - base, cell.end - base) for cell in cells]

        labels = [row.label for row in rows]
        return _YamlBlock(first, values_of(rows), labels, text, line, find_cells)


class _YamlBlock(TextBlock):
    """Block of a yaml table."""

    def format_number(self, value: float) -> str:
        """Write a number that yaml 1.1 reads as one, too: there 1e-05 is a text, 1.0e-05 is not."""
        text = repr(value)
        return text if "." in text else text.replace("e", ".0e")


class _Events:
    """Parser events of a document, and the text in which they stand as far as it is held.

    Offsets count from the start of the document.

    Attributes:
        window: The text.
        base: Offset of the window's text.
        position: Offset where the last event ended.
        start: Offset of the list or object that was opened last.
        row_start: Offset where the last row ended or the next begins; None between other members.
    """

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self._path = path
        self.window = Window(stream, path, ADVICE, errors="strict")
        self.base = self.position = self.start = self._fed = 0
        self.row_start: int | None = None
        self._event: yaml.Event | None = None
        self._anchors: dict[str, Shared] = {}
        self._events = yaml.parse(self, Loader=_LOADER)

    def read(self, size: int) -> str:
        """Give the parser the next characters of the text."""
        if self.row_start is not None and self._fed - self.row_start > 2 * LONGEST_ROW:
            raise self.error(self.row_start, f"a row of more than {LONGEST_ROW} characters")
        if self._fed - self.base >= len(self.window.text):
            self.window.more()
        start = self._fed - self.base
        text = self.window.text[start : start + size]
        self._fed += len(text)
        return text

    def take(self, end: int | None) -> str:
        """Take the text up to an offset, or all of it, out of the window."""
        text = self.window.take(len(self.window.text) if end is None else end - self.base)
        self.base += len(text)
        return text

    def text(self, cell: Cell) -> str:
        """Give the text of a cell."""
        return self.window.text[cell.start - self.base : cell.end - self.base]

    def error(self, place: int, reason: str) -> DocumentError:
        """Make an error that names line and column."""
        return self.window.error(max(place - self.base, 0), reason)

    def next(self) -> yaml.Event:
        """Give the next event.

        Raises:
            DocumentError: The text is no yaml.
        """
        try:
            event = next(self._events)
        except yaml.MarkedYAMLError as error:
            place = error.problem_mark or error.context_mark
            reason = f"no yaml: {error.problem or error.context}"
            raise self.error(place.index if place else self.position, reason) from None
        except yaml.reader.ReaderError as error:
            code = error.character if isinstance(error.character, int) else ord(error.character)
            place = self.window.text.find(chr(code))
            raise self.window.error(max(place, 0), f"no yaml: {error.reason}") from None
        self.position = event.end_mark.index
        return event

    def open(self) -> str:
        """Pass the beginning of the next value: "[" of a list, "{" of an object, else "".

        Raises:
            DocumentError: The only document is neither, and not empty.
        """
        if (event := self._event) is None:
            self.next()
            if isinstance(self.next(), yaml.StreamEndEvent):
                return ""
            event = self.next()
        self.start, self.row_start = event.start_mark.index, self.position
        if isinstance(event, yaml.SequenceStartEvent):
            return "["
        if isinstance(event, yaml.MappingStartEvent):
            return "{"
        empty = isinstance(event, yaml.ScalarEvent) and event.value == "" and event.implicit[0]
        if self._event is None and not empty:
            raise self.error(self.start, "no rows: expected a list, or objects by name")
        return ""

    def end(self) -> None:
        """Pass what follows the root.

        Raises:
            DocumentError: A second document follows.
        """
        while not isinstance(event := self.next(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                reason = "a second document: a table is one"
                raise self.error(event.start_mark.index, reason)

    def items(self) -> Iterator[tuple[Item, int]]:
        """Yield the items of a list that was opened, each with the offset where it begins."""
        while not isinstance(event := self.next(), yaml.SequenceEndEvent):
            self._event = event
            yield self.value(LONGEST_ROW)

    def members(self) -> Iterator[str]:
        """Yield the keys of an object that was opened; the caller passes each value."""
        seen: set[int] = set()
        while not isinstance(event := self.next(), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise self.error(event.start_mark.index, "the name of a member is no text")
            key = str(event.value)
            if hash(key) in seen:
                reason = f"an object has two members {key!r}"
                raise self.error(event.start_mark.index, reason)
            seen.add(hash(key))
            self._event = self.next()
            yield key

    def value(self, longest: int | None = None) -> tuple[Item, int]:
        """Pass the next value.

        Args:
            longest: Largest number of characters that it may have.

        Returns:
            The value, and the offset where it begins.

        Raises:
            DocumentError: The value is longer, or none of a table.
        """
        assert self._event is not None  # a key or a list has been passed
        start = self._event.start_mark.index
        self.row_start = None if longest is None else start
        item = self.node(self._event)
        self.row_start = None if longest is None else self.position
        return item, start

    def node(self, event: yaml.Event, depth: int = 0) -> Item:
        """Read a node with the places of its numbers and texts.

        Args:
            event: The event that begins it.
            depth: Number of nodes around it.

        Raises:
            DocumentError: A tag outside the core schema, or too many levels.
        """
        start = event.start_mark.index
        if depth > _DEEPEST:
            raise self.error(start, "nested too deeply for a table")
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise self.error(start, f"no yaml: nothing is called &{event.anchor} before")
            return self._anchors[event.anchor]._replace(start=start)
        if event.tag not in (None, "") and event.tag not in _TAGS:
            tag = event.tag.replace(_CORE, "!!")
            raise self.error(start, f"{tag}: a table holds numbers and text, and makes no objects")
        item: Item
        if isinstance(event, yaml.ScalarEvent):
            end = event.end_mark.index
            is_plain = event.style in (None, "") and event.tag != _CORE + "str"
            cell = Cell(end - len(event.value), end)
            # A plain scalar over several lines is folded: its value is not what stands there.
            if is_plain and _NUMBER.match(event.value) and self.text(cell) == event.value:
                item = cell
            else:
                item = Word(event.value, event.start_mark.index)
        elif isinstance(event, yaml.SequenceStartEvent):
            entries = []
            while not isinstance(inner := self.next(), yaml.SequenceEndEvent):
                entries.append(self.node(inner, depth + 1))
            item = entries
        else:
            item = {key: self.node(self._event, depth + 1) for key in self.members()}
        if event.anchor:
            numbers, names = _numbers_in(item)
            line = event.start_mark.line + 1
            self._anchors[event.anchor] = Shared(numbers, frozenset(names), line, start)
        return item


def _numbers_in(item: Item) -> tuple[bool, set[str]]:
    """Tell whether an item is a number or a list with some, and which columns its members mean."""
    if isinstance(item, Cell):
        return True, set()
    if isinstance(item, Shared):
        return item.numbers, set(item.names)
    if isinstance(item, list):
        inside = [_numbers_in(each) for each in item]
        return any(some for some, _ in inside), set().union(*(names for _, names in inside))
    names: set[str] = set()
    for key, value in item.items() if isinstance(item, dict) else ():
        numbers, within = _numbers_in(value)
        names |= within
        meaning = ALIASES.get(plain(key))
        if numbers and meaning:
            names.add(meaning)
        if numbers and isinstance(value, list):
            names |= set(VECTORS.get(plain(key), ())) or (
                {key} if key in ("theta", MERGE) else set()
            )
    return False, names
