"""Recordings as text: a header that names the columns, then one row a sample.

NumPy's reader takes the rows one by one; the one that it stops at is looked at cell by cell.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import chain, islice
from typing import NamedTuple, TextIO

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.numbers import parse_number
from inertial_check.formats.recordings.names import ALIASES, UNITS, column
from inertial_check.formats.recordings.recording import (
    SIGNALS,
    Recording,
    refuse_not_finite,
    refuse_unlike,
)

_MARKS = ",;\t"
_WORD = re.compile(r"\S+")
_TITLE = re.compile(r"\S+(?:\s+[\[(][^\])]*[\])])?")
_EXPECTED = "a header such as t,q1,q2,tau1,tau2"

Open = Callable[[], TextIO]
"""Opens the text from its beginning."""


def read(opened: Open, path: str, torques: bool) -> Recording:
    """The recording in a text.

    Args:
        opened: Opens it.
        path: What to call it.
        torques: Whether there have to be any.

    Raises:
        DocumentError: Names the line and column, what stands there and what was expected.
    """
    with closing(opened()) as stream:
        table = _Table.begun(_Lines(stream, path))
        columns = _Columns.of(table, torques)
        values, places = table.values(columns.used())
    arrays = {
        name: np.ascontiguousarray(values[:, [places[each] for each in own]])
        for name, own in columns.places.items()
    }
    if "t" in arrays:
        arrays["t"] = arrays["t"][:, 0]
    refuse_unlike(path, arrays)

    def place(name: str, index: tuple[int, ...]) -> tuple[str, int | None, int | None]:
        at = columns.places[name][index[1] if len(index) > 1 else 0]
        with closing(opened()) as stream:
            lines = _Lines(stream, path)
            again = _Table.begun(lines)
            row = next(islice(again.rows(), index[0], None))
            return table.header[at].text, lines.number, again.cells(row)[at].column

    refuse_not_finite(path, arrays, place)
    return Recording(
        path=path,
        joints=columns.joints,
        ignored=columns.ignored,
        t=arrays.get("t"),
        q=arrays["q"],
        u=arrays.get("u"),
        du=arrays.get("du"),
        tau=arrays.get("tau"),
    )


class _Cell(NamedTuple):
    text: str
    column: int
    """1-based."""


class _Lines:
    """The lines of a text, one after another.

    Attributes:
        path: Of the text.
        number: 1-based, of the line that was given last.
        text: That line.
    """

    def __init__(self, stream: TextIO, path: str) -> None:
        self._stream, self.path = stream, path
        self.number, self.text = 0, ""

    def __iter__(self) -> Iterator[str]:
        """Those that follow.

        Raises:
            DocumentError: The bytes are no UTF-8.
        """
        try:
            for self.number, self.text in enumerate(self._stream, self.number + 1):  # noqa: B020
                yield self.text
        except UnicodeDecodeError as error:
            raise DocumentError(
                self.path, f"not UTF-8 text: {error.reason}; save it as UTF-8 or as npz"
            ) from None


class _Table:
    """The header of a table and the lines behind it.

    Attributes:
        path: Of the text.
        header: Names of the columns.
        line: 1-based, of the header.
    """

    def __init__(self, lines: _Lines, header: str, line: int, first: str) -> None:
        self.path, self.line = lines.path, line
        self._lines, self._first = lines, first
        self._separator = _separator(header)
        self.header = _titles(header)

    @classmethod
    def begun(cls, lines: _Lines) -> _Table:
        """Read up to the first row of numbers.

        Raises:
            DocumentError: There is no header or no row.
        """
        header, line, comments = "", 0, {}
        for text in lines:
            if text.lstrip().startswith("#"):
                comments[lines.number] = text.replace("#", " ", 1)
            elif not text.strip():
                continue
            elif not header and not _has_number(text):
                header, line = text, lines.number
            elif header:
                return cls(lines, header, line, text)
            else:
                return cls(lines, *_commented(comments, lines), text)
        has = "a header and no rows" if header else "nothing"
        raise DocumentError(lines.path, f"the recording has {has}; expected {_EXPECTED}, and rows")

    def cells(self, row: str) -> list[_Cell]:
        """Those of a row, without a comment behind it."""
        return _cells(row.partition("#")[0], self._separator)

    def rows(self) -> Iterator[str]:
        """The lines that hold rows."""
        for text in chain([self._first], self._lines):
            if text.strip() and not text.lstrip().startswith("#"):
                yield text

    def values(self, used: list[int]) -> tuple[Floats, dict[int, int]]:
        """The numbers of some columns, and where each of these columns is in them.

        Raises:
            DocumentError: A cell is no number, or a row has too many cells or too few.
        """
        every = len(used) == len(self.header)
        if len(self.cells(self._first)) != len(self.header):
            raise self._uneven(self._first)
        rows = self.rows() if every else self._of_equal_width()
        try:
            values = np.loadtxt(
                rows,
                delimiter=self._separator,
                comments="#",
                quotechar='"',
                usecols=None if every else used,
                ndmin=2,
            )
        except ValueError as error:
            raise self._what_is_wrong(used, error) from None
        return values, {each: each if every else k for k, each in enumerate(used)}

    def _of_equal_width(self) -> Iterable[str]:
        """The rows, each looked at: of those of which it skips columns NumPy counts none."""
        width = len(self.header)
        for row in self.rows():
            if self._separator is not None and '"' not in row and "#" not in row:
                cells = row.count(self._separator) + 1
            else:
                cells = len(self.cells(row))
            if cells != width:
                raise self._uneven(row)
            yield row

    def _what_is_wrong(self, used: list[int], error: ValueError) -> DocumentError:
        """The row at which NumPy stopped, cell by cell."""
        row = self._lines.text
        cells = self.cells(row)
        if len(cells) != len(self.header):
            return self._uneven(row)
        for each in used:
            complaint = parse_number(cells[each].text)[1]
            if complaint:
                reason = f"{self.header[each].text}: {complaint}"
                return DocumentError(self.path, reason, self._lines.number, cells[each].column)
        return DocumentError(self.path, str(error), self._lines.number, 1)

    def _uneven(self, row: str) -> DocumentError:
        cells = self.cells(row)
        return DocumentError(
            self.path,
            f"{len(cells)} cells in this row, {len(self.header)} in the header",
            self._lines.number,
            cells[0].column,
        )

    def error(self, cell: _Cell, reason: str) -> DocumentError:
        """What is wrong with a cell of the header."""
        return DocumentError(self.path, reason, self.line, cell.column)


class _Columns(NamedTuple):
    """What the columns of a table are.

    Attributes:
        places: The columns of each quantity, in the order of the joints.
        joints: Their names, where the header has them.
        ignored: The names of all other columns.
    """

    places: dict[str, list[int]]
    joints: tuple[str, ...] | None
    ignored: tuple[str, ...]

    def used(self) -> list[int]:
        """All columns that mean something, in the order of the table."""
        return sorted(chain.from_iterable(self.places.values()))

    @classmethod
    def of(cls, table: _Table, torques: bool) -> _Columns:
        """Read the header.

        Raises:
            DocumentError: Names the column, and what is wrong with it.
        """
        found: dict[str, dict[str | int | None, int]] = {}
        ignored = []
        for place, cell in enumerate(table.header):
            meaning = column(cell.text)
            if meaning is None:
                ignored.append(cell.text)
                continue
            quantity = found.setdefault(meaning.quantity, {})
            if not meaning.has_its_unit:
                expected = " or ".join(UNITS[meaning.quantity][:2])
                raise table.error(
                    cell, f"{cell.text} is in {meaning.unit}, expected {expected}: convert it"
                )
            if meaning.joint in quantity:
                other = table.header[quantity[meaning.joint]].text
                raise table.error(cell, f"{cell.text} means the same as {other}: keep one")
            quantity[meaning.joint] = place
        for name in ("q", "tau") if torques else ("q",):
            if name not in found:
                raise table.error(table.header[0], _lacking(name, table))
        joints = _joints(found, table)
        names = tuple(str(each) for each in joints) if isinstance(joints[0], str) else None
        places = {
            name: [found[name][joint] for joint in ([None] if name == "t" else joints)]
            for name in ("t", *SIGNALS)
            if name in found
        }
        return cls(places, names, tuple(ignored))


def _lacking(name: str, table: _Table) -> str:
    has = ", ".join(cell.text for cell in table.header)
    return (
        f"no column is called {name} or {name}1, {name}_JOINT, or after another name of that "
        f"quantity ({', '.join(ALIASES[name][1:])}); the header has {has}"
    )


def _joints(found: dict[str, dict[str | int | None, int]], table: _Table) -> list[str | int | None]:
    """The joints, in the order of the columns of q, or of their numbers.

    Raises:
        DocumentError: Those of two quantities differ, or a number is lacking.
    """
    joints = list(found["q"])
    kinds = {type(joint) for joint in joints}
    if len(kinds) > 1:
        shown = ", ".join(table.header[place].text for place in found["q"].values())
        raise table.error(
            table.header[found["q"][joints[-1]]], f"joints with numbers and with names: {shown}"
        )
    for name in (name for name in SIGNALS if name in found):
        own = found[name]
        odd = next(
            (each for each in own if each not in found["q"]),
            next((each for each in joints if each not in own), ()),
        )
        if odd != ():
            first = table.header[min(own.values())]
            raise table.error(
                first,
                f"{name} has {len(own)} and q has {len(joints)} columns, and only one of them has "
                f"joint {odd}: expected the same joints in both",
            )
    if kinds == {int}:
        joints = sorted(joints, key=lambda joint: int(joint or 0))
        start = int(joints[0] or 0)
        if start > 1 or joints != list(range(start, start + len(joints))):
            shown = ", ".join(f"q{joint}" for joint in joints)
            raise table.error(
                table.header[found["q"][joints[0]]],
                f"{shown}: expected every number from 0 or 1 on",
            )
    return joints


def _commented(comments: dict[int, str], lines: _Lines) -> tuple[str, int]:
    """The header that stands in a comment, as NumPy writes it, and its line.

    Raises:
        DocumentError: None of them names positions.
    """
    for line, text in reversed(comments.items()):
        meanings = (column(cell.text) for cell in _titles(text))
        if any(each is not None and each.quantity == "q" for each in meanings):
            return text, line
    raise DocumentError(lines.path, f"numbers without names; expected {_EXPECTED}", lines.number, 1)


def _has_number(text: str) -> bool:
    """Whether some cell of a line is a number: no header has one."""
    words = re.split(r"[\s,;]+", text.strip())
    return any(parse_number(word.strip('"'))[1] is None for word in words)


def _separator(header: str) -> str | None:
    """What parts the cells; None for space."""
    return next((mark for mark in _MARKS if mark in header), None)


def _titles(header: str) -> list[_Cell]:
    """The cells of a header: where space parts them, units in brackets keep to their names."""
    separator = _separator(header)
    return _cells(header, separator) if separator else _words(_TITLE, header)


def _words(pattern: re.Pattern[str], text: str) -> list[_Cell]:
    return [_Cell(each[0].strip('"'), each.start() + 1) for each in pattern.finditer(text)]


def _cells(text: str, separator: str | None) -> list[_Cell]:
    """The cells of a line without space and quotes around them, and where they begin."""
    if separator is None:
        return _words(_WORD, text)
    try:
        line = text.rstrip("\r\n")
        parts = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:  # a cell of more than 100,000 characters
        parts = text.split(separator)
    cells, position = [], 0
    for part in parts:
        bare = part.strip()
        start = max(text.find(bare, position), position)
        cells.append(_Cell(bare, start + 1))
        position = text.find(separator, start + len(bare)) + 1 or len(text)
    return cells
