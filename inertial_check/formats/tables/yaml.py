"""Tables as yaml, of the same shapes as json, read event by event: every number has a place.

Of PyYAML, which is imported here and nowhere else, only the grammar is used. No object is
constructed, no alias is expanded, and numbers are told from texts as in all formats: 1e-3 is a
number, "1.0" in quotes is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO, cast

import yaml

from inertial_check.errors import DocumentError
from inertial_check.formats.numbers import parse_number
from inertial_check.formats.tables.columns import ALIASES, VECTORS, plain
from inertial_check.formats.tables.nested import (
    MERGE,
    ROWS,
    FoundRow,
    Item,
    NestedReader,
    ReadRow,
    RowInterpreter,
    Shared,
    Word,
    values_of,
)
from inertial_check.formats.tables.reading import ADVICE, TextBlock
from inertial_check.formats.text_window import LONGEST_ROW, Cell, Window
from inertial_check.inertia.representations import Order

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
        self._events = _Events(stream, path)
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

    def _find_rows(self) -> Iterator[FoundRow]:
        events = self._events
        root = events.root()
        if isinstance(root, yaml.SequenceStartEvent):
            events.row_start = events.position
            yield from self._find_listed_rows(events.item())
        elif isinstance(root, yaml.MappingStartEvent) and self._has_member:
            for key, event in events.members():
                if key == ROWS:
                    yield from self._find_rows_of_member(event)
                else:
                    events.node(event)
        elif isinstance(root, yaml.MappingStartEvent):
            events.row_start = events.position
            yield from self._find_named_rows()
        elif root is not None:
            raise events.error(
                root.start_mark.index, "no rows: expected a list, or objects by name"
            )
        events.end()

    def _find_rows_of_member(self, event: yaml.Event) -> Iterator[FoundRow]:
        self._events.row_start = self._events.position
        if isinstance(event, yaml.SequenceStartEvent):
            yield from self._find_listed_rows(None)
        elif isinstance(event, yaml.MappingStartEvent):
            yield from self._find_named_rows()
        else:
            place = event.start_mark.index
            raise self._events.error(place, f'"{ROWS}" is neither a list nor an object of rows')
        self._events.row_start = None

    def _find_named_rows(self) -> Iterator[FoundRow]:
        for key, event in self._events.members():
            place = event.start_mark.index
            item, end = self._events.row(event)
            if not isinstance(item, (dict, list, Shared)) or not item:
                raise self._events.error(place, f'the object has no list "{ROWS}"')
            yield FoundRow(key, item, place, end)

    def _find_listed_rows(self, document: tuple[Item, int] | None) -> Iterator[FoundRow]:
        """Find the rows of a list.

        Args:
            document: The first of them, and where it ends, if the list is the document, which can
                be a single row.
        """
        events = self._events
        if document is not None and isinstance(document[0], Cell):
            cells: list[Item] = [document[0]]
            while (found := events.item()) is not None:
                cells.append(found[0])
            yield FoundRow(None, cells, 0, events.position)
            return
        found = document or events.item()
        while found is not None:
            item, end = found
            yield FoundRow(None, item, 0, end)
            found = events.item()


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
        row_start: Offset where the last row ended or the next begins; None between other members.
    """

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self._path = path
        self.window = Window(stream, path, ADVICE, errors="strict")
        self.base = self.position = self._fed = 0
        self.row_start: int | None = None
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

    def root(self) -> yaml.Event:
        """Give the first event of the only document; None without one."""
        self.next()
        if isinstance(self.next(), yaml.StreamEndEvent):
            return None
        event = self.next()
        empty = isinstance(event, yaml.ScalarEvent) and event.value == "" and event.implicit[0]
        return None if empty else event

    def end(self) -> None:
        """Pass what follows the root.

        Raises:
            DocumentError: A second document follows.
        """
        while not isinstance(event := self.next(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                reason = "a second document: a table is one"
                raise self.error(event.start_mark.index, reason)

    def item(self) -> tuple[Item, int] | None:
        """Read the next item of a list, and where it ends; None at the end of the list."""
        event = self.next()
        if isinstance(event, yaml.SequenceEndEvent):
            return None
        return self.row(event)

    def members(self) -> Iterator[tuple[str, yaml.Event]]:
        """Yield the keys of an object, each with the event that begins its value."""
        seen: set[int] = set()
        while not isinstance(event := self.next(), yaml.MappingEndEvent):
            key = self._key(event)
            if hash(key) in seen:
                reason = f"an object has two members {key!r}"
                raise self.error(event.start_mark.index, reason)
            seen.add(hash(key))
            yield key, self.next()

    def row(self, event: yaml.Event) -> tuple[Item, int]:
        """Read a node that must not be too long, and where it ends.

        Raises:
            DocumentError: The node is too long, or none of a table.
        """
        self.row_start = event.start_mark.index
        found = self.node(event)
        self.row_start = self.position
        return found

    def node(self, event: yaml.Event, depth: int = 0) -> tuple[Item, int]:
        """Read a node with the places of its numbers and texts, and where it ends.

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
            return self._anchors[event.anchor]._replace(start=start), self.position
        if event.tag not in (None, "") and event.tag not in _TAGS:
            tag = event.tag.replace(_CORE, "!!")
            raise self.error(start, f"{tag}: a table holds numbers and text, and makes no objects")
        item: Item
        if isinstance(event, yaml.ScalarEvent):
            item = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            entries = []
            while not isinstance(inner := self.next(), yaml.SequenceEndEvent):
                entries.append(self.node(inner, depth + 1)[0])
            item = entries
        else:
            item = {key: self.node(inner, depth + 1)[0] for key, inner in self.members()}
        if event.anchor:
            numbers, names = _numbers_in(item)
            line = event.start_mark.line + 1
            self._anchors[event.anchor] = Shared(numbers, frozenset(names), line, start)
        return item, self.position

    def _scalar(self, event: yaml.Event) -> Cell | Word:
        end = event.end_mark.index
        is_plain = event.style in (None, "") and event.tag != _CORE + "str"
        cell = Cell(end - len(event.value), end)
        # A plain scalar over several lines is folded: its value is not what stands there.
        if is_plain and _NUMBER.match(event.value) and self.text(cell) == event.value:
            return cell
        return Word(event.value, event.start_mark.index)

    def _key(self, event: yaml.Event) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            raise self.error(event.start_mark.index, "the name of a member is no text")
        return str(event.value)


def _has_rows_member(events: _Events) -> bool:
    """Tell whether the document is an object that has the member of rows; reads up to it."""
    if not isinstance(events.root(), yaml.MappingStartEvent):
        return False
    for key, event in events.members():
        if key == ROWS:
            return True
        _, end = events.node(event)
        events.take(end)
    return False


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
