"""Tables as yaml, of the same shapes as json, read event by event: every number has a place.

Only the grammar is PyYAML's, which is imported here and nowhere else. No object is constructed, no
alias expanded, and what is a number is decided as everywhere: 1e-3 is one, "1.0" in quotes is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import yaml

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.numbers import parse_number
from inertial_check.formats.tables.columns import ALIASES, VECTORS, Cell, Layout, plain
from inertial_check.formats.tables.items import MERGE, ROWS, Row, Rows, Shared, Text, first_place
from inertial_check.formats.tables.reading import LONGEST_ROW, SpanBlock, TableReader, Window

_DEEPEST = 50
"""Levels of nesting; a table has three or four."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # thirty times as fast where it is built
_NUMBER = re.compile(r"[+-]?(?:\.?[0-9]|\.(?:inf|nan)$|(?:inf|nan|infinity)$)", re.IGNORECASE)
_WORD = re.compile(r"[+-]?\.(?:inf|nan)", re.IGNORECASE)
_CORE = "tag:yaml.org,2002:"
_TAGS = {"!", *(_CORE + name for name in ("str", "int", "float", "bool", "null", "seq", "map"))}


class YamlReader(TableReader):
    """Reads rows one after another, holding a block and the one row that is being read.

    Of other members of the document one at a time is held, too, and the names of all.
    """

    format = "yaml"

    def __init__(self, stream: BinaryIO, path: str, order: str | None) -> None:
        self.path = path
        self._has_member = _has_rows_member(_Events(stream, path))
        stream.seek(0)
        self._events = _Events(stream, path)
        self.mark = self._events.window.mark
        self._reading = Rows(Cell, self._events.error)
        self._rows = self._found()
        self._pending = next(self._rows, None)
        if self._pending is None:
            raise DocumentError(path, "the table has no rows")
        row = self._reading.row(self._pending.item, 0, self._pending.key)
        sequence = self._reading.sequence(self._pending.item, row)
        self.layout = Layout.of(row.names, sequence, order, path)
        self._names = row.names

    def blocks(self, rows: int) -> Iterator[YamlBlock]:
        """The rows in their order, so many at a time."""
        first, end, complete = 0, 0, False
        while not complete:
            taken: list[Row] = []
            values: list[tuple[float, ...]] = []
            while len(taken) < rows and not complete:
                found, self._pending = self._pending or next(self._rows, None), None
                if found is None:
                    complete = True
                else:
                    row = self._row(found, first + len(taken))
                    values.append(self._values(row))
                    taken.append(row)
                    end = found.end
            window, base = self._events.window, self._events.base
            line = window.line
            text = self._events.take(None if complete else end)
            yield YamlBlock(
                first, np.array(values, dtype=np.float64).reshape(-1, 10), taken, text, line, base
            )
            first += len(taken)

    def _row(self, found: _Found, index: int) -> Row:
        """A row, whose numbers are cells.

        Raises:
            DocumentError: It is none, or names other numbers than the first.
        """
        row = self._reading.row(found.item, index, found.key)
        if row.names != self._names:
            reason = "the rows do not all name the same ten numbers"
            raise self._events.error(first_place(found.item), reason)
        return row

    def _values(self, row: Row) -> tuple[float, ...]:
        """The values of a row.

        Raises:
            DocumentError: One cannot be taken as it stands; names line and column.
        """
        values = []
        for cell, name in zip(row.numbers, row.names or [""] * 10, strict=True):
            text = self._events.text(cell)
            value, complaint = parse_number(text)
            if complaint and _WORD.fullmatch(text):
                value, complaint = float(text.replace(".", "")), None
            if complaint:
                raise self._events.error(cell.start, (f"{name}: " if name else "") + complaint)
            values.append(value)
        return tuple(values)

    def _found(self) -> Iterator[_Found]:
        """Every row; after the last, the rest of the document is passed."""
        events = self._events
        root = events.root()
        if isinstance(root, yaml.SequenceStartEvent):
            events.row_start = events.position
            yield from self._listed(events.item())
        elif isinstance(root, yaml.MappingStartEvent) and self._has_member:
            for key, event in events.members():
                if key == ROWS:
                    yield from self._in_member(event)
                else:
                    events.node(event)
        elif isinstance(root, yaml.MappingStartEvent):
            events.row_start = events.position
            yield from self._named()
        elif root is not None:
            raise events.error(
                root.start_mark.index, "no rows: expected a list, or objects by name"
            )
        events.end()

    def _in_member(self, event: Any) -> Iterator[_Found]:
        self._events.row_start = self._events.position
        if isinstance(event, yaml.SequenceStartEvent):
            yield from self._listed(None)
        elif isinstance(event, yaml.MappingStartEvent):
            yield from self._named()
        else:
            place = event.start_mark.index
            raise self._events.error(place, f'"{ROWS}" is neither a list nor an object of rows')
        self._events.row_start = None

    def _named(self) -> Iterator[_Found]:
        for key, event in self._events.members():
            item, end = self._events.row(event)
            if not isinstance(item, (dict, list, Shared)) or not item:
                place = event.start_mark.index
                raise self._events.error(place, f'the object has no list "{ROWS}"')
            yield _Found(key, item, end)

    def _listed(self, document: _Item | None) -> Iterator[_Found]:
        """The rows of a list.

        Args:
            document: The first of them if the list is the document, which can be a single row.
        """
        events = self._events
        if document is not None and isinstance(document.value, Cell):
            cells = [document.value]
            while (item := events.item()) is not None:
                cells.append(item.value)
            yield _Found(None, cells, events.position)
            return
        item = document or events.item()
        while item is not None:
            yield _Found(None, item.value, item.end)
            item = events.item()


class YamlBlock(SpanBlock):
    """Rows with the places of their numbers, which count from the start of the document."""

    def __init__(
        self,
        first: int,
        values: Floats,
        rows: Sequence[Row],
        text: str,
        line: int,
        base: int,
    ) -> None:
        super().__init__(first, values, [row.label for row in rows], text, line)
        self._rows, self._base = rows, base

    def cells(self, row: int) -> Sequence[Cell]:
        """Where the ten values of a row stand in the text."""
        cells = self._rows[row].numbers
        return [Cell(cell.start - self._base, cell.end - self._base) for cell in cells]

    def quote(self, value: float) -> str:
        """A number that yaml 1.1 reads as one, too: there 1e-05 is a text, and 1.0e-05 is not."""
        text = repr(value)
        return text if "." in text else text.replace("e", ".0e")


class _Found(NamedTuple):
    """A row: its name in an object of rows, the value, and where that ends."""

    key: str | None
    item: Any
    end: int


class _Item(NamedTuple):
    """An item of a list, and where it ends."""

    value: Any
    end: int


class _Events:
    """The events of a document, and the text on which they stand as far as it is held.

    Attributes:
        window: That text.
        base: Its offset from the start of the document.
        position: Where the last event ended.
        row_start: Where the last row ended or the next begins; None between other members.
    """

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self._path = path
        self.window = Window(stream, path, errors="strict")
        self.base = self.position = self._fed = 0
        self.row_start: int | None = None
        self._anchors: dict[str, Shared] = {}
        self._events = yaml.parse(self, Loader=_LOADER)

    def read(self, size: int) -> str:
        """Feed the parser: the next characters of the text."""
        if self.row_start is not None and self._fed - self.row_start > 2 * LONGEST_ROW:
            raise self.error(self.row_start, f"a row of more than {LONGEST_ROW} characters")
        if self._fed - self.base >= len(self.window.text):
            self.window.more()
        start = self._fed - self.base
        text = self.window.text[start : start + size]
        self._fed += len(text)
        return text

    def take(self, end: int | None) -> str:
        """The text up to a place, or all of it, which is then dropped."""
        text = self.window.take(len(self.window.text) if end is None else end - self.base)
        self.base += len(text)
        return text

    def text(self, cell: Cell) -> str:
        """The text of a cell."""
        return self.window.text[cell.start - self.base : cell.end - self.base]

    def error(self, place: int, reason: str) -> DocumentError:
        """What is wrong, with line and column."""
        return self.window.error(max(place - self.base, 0), reason)

    def next(self) -> Any:
        """The next event.

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

    def root(self) -> Any:
        """The first event of the only document; None without one."""
        self.next()
        if isinstance(self.next(), yaml.StreamEndEvent):
            return None
        event = self.next()
        empty = isinstance(event, yaml.ScalarEvent) and event.value == "" and event.implicit[0]
        return None if empty else event

    def end(self) -> None:
        """Pass what follows the root.

        Raises:
            DocumentError: A second document.
        """
        while not isinstance(event := self.next(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                reason = "a second document: a table is one"
                raise self.error(event.start_mark.index, reason)

    def item(self) -> _Item | None:
        """The next item of a list; None at its end."""
        event = self.next()
        if isinstance(event, yaml.SequenceEndEvent):
            return None
        return _Item(*self.row(event))

    def members(self) -> Iterator[tuple[str, Any]]:
        """The keys of an object, each with the event that begins its value."""
        seen: set[int] = set()
        while not isinstance(event := self.next(), yaml.MappingEndEvent):
            key = self._key(event)
            if hash(key) in seen:
                reason = f"an object has two members {key!r}"
                raise self.error(event.start_mark.index, reason)
            seen.add(hash(key))
            yield key, self.next()

    def row(self, event: Any) -> tuple[Any, int]:
        """A node that must not be too long, and where it ends.

        Raises:
            DocumentError: It is, or no node of a table.
        """
        self.row_start = event.start_mark.index
        found = self.node(event)
        self.row_start = self.position
        return found

    def node(self, event: Any, depth: int = 0) -> tuple[Any, int]:
        """A node with the places of its numbers and texts, and where it ends.

        Args:
            event: That begins it.
            depth: Nodes around it.

        Raises:
            DocumentError: A tag that is not of the core, or a node too deep.
        """
        start = event.start_mark.index
        if depth > _DEEPEST:
            raise self.error(start, "nested too deeply for a table")
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise self.error(start, f"no yaml: nothing is called &{event.anchor} before")
            return self._anchors[event.anchor]._replace(start=start), self.position
        if event.tag not in (None, "") and event.tag not in _TAGS:
            tag = event.tag.replace(_CORE, "!!")
            raise self.error(start, f"{tag}: a table holds numbers and text, and makes no objects")
        item: Any
        if isinstance(event, yaml.ScalarEvent):
            item = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            item = []
            while not isinstance(inner := self.next(), yaml.SequenceEndEvent):
                item.append(self.node(inner, depth + 1)[0])
        else:
            item = {key: self.node(inner, depth + 1)[0] for key, inner in self.members()}
        if event.anchor:
            numbers, names = _numbers_in(item)
            line = event.start_mark.line + 1
            self._anchors[event.anchor] = Shared(numbers, frozenset(names), line, start)
        return item, self.position

    def _scalar(self, event: Any) -> Cell | Text:
        end = event.end_mark.index
        is_plain = event.style in (None, "") and event.tag != _CORE + "str"
        cell = Cell(end - len(event.value), end)
        # A plain scalar over several lines is folded: its value is not what stands there.
        if is_plain and _NUMBER.match(event.value) and self.text(cell) == event.value:
            return cell
        return Text(event.value, event.start_mark.index)

    def _key(self, event: Any) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            raise self.error(event.start_mark.index, "the name of a member is no text")
        return str(event.value)


def _has_rows_member(events: _Events) -> bool:
    """Whether the document is an object that has the member of rows; reads up to it."""
    if not isinstance(events.root(), yaml.MappingStartEvent):
        return False
    for key, event in events.members():
        if key == ROWS:
            return True
        _, end = events.node(event)
        events.take(end)
    return False


def _numbers_in(item: Any) -> tuple[bool, set[str]]:
    """Whether an item is a number or a list of some, and the meanings of its members."""
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
