"""Recordings as csv: a header that names the columns, then one row a sample."""

from __future__ import annotations

import re
from typing import BinaryIO, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.delimited import DelimitedText, Record
from inertial_check.formats.numbers import parse_number
from inertial_check.formats.recordings.bad_rows import BadRows, Place
from inertial_check.formats.recordings.columns import (
    NO_COLUMN,
    ColumnChoice,
    Header,
    choose_columns,
)
from inertial_check.formats.recordings.names import read_column_name
from inertial_check.formats.recordings.reading import ReadingOptions
from inertial_check.formats.recordings.recording import (
    MOST_NUMBERS,
    TOO_LONG,
    EntryPlace,
    Recording,
    refuse_unlike,
    settle_samples,
)
from inertial_check.formats.text_window import Window

_TITLE = re.compile(r"\S+(?:\s+[\[(][^\])]*[\])])?")
"""Pattern of a column's name between spaces; a unit in brackets belongs to the name."""

_EXPECTED = "a header such as t,q1,q2,tau1,tau2"

_ROWS = 8192
"""Number of rows that are converted at a time."""

_LONGEST = 2**24
"""Number of characters after which no further rows are converted together."""


def read(stream: BinaryIO, path: str, how: ReadingOptions) -> Recording:
    """Read the recording in a csv file.

    Args:
        stream: The file, at its beginning.
        path: The path that messages name.
        how: Options of the reading.

    Raises:
        DocumentError: Names the line and column, what stands there and what was expected.
    """
    advice = "save it as UTF-8 or as npz"
    window = Window(stream, path, advice, errors="strict", translate=True)
    text = DelimitedText(window, lenient=True)
    titles, rows = _find_header(text, path)
    names = [title.name for title in titles]
    if how.columns is not None:
        how.columns.check_used(names, path)
    header = Header(names, lambda place, reason: window.error(titles[place].start, reason))
    columns = choose_columns(header, how)
    reader = _RowReader(text, names, columns, how)
    while rows:
        reader.read(rows)
        rows, _ = text.next_records(_ROWS, _LONGEST)
    arrays = reader.collect()
    beside = {name: arrays.pop(name) for name in columns.further}
    refuse_unlike(path, arrays)
    about = Recording(
        path=path,
        joints=columns.joints,
        ignored=columns.ignored,
        further=beside,
        notes=columns.notes,
        stated=columns.stated,
        has_currents=columns.has_currents,
    )
    return settle_samples(about, arrays, how, reader.find_entry, reader.bad)


class _RowReader:
    """Reader of the rows of numbers, block by block.

    Attributes:
        bad: Rows that cannot be used.
    """

    def __init__(
        self, text: DelimitedText, names: list[str], columns: ColumnChoice, how: ReadingOptions
    ) -> None:
        skip, partial = how.skip_bad_rows, how.partial
        self._text, self._names, self._columns, self._skip = text, names, columns, skip
        self._used = columns.list_columns()
        self._blocks: list[Floats] = []
        self._places: dict[int, tuple[int, int]] = {}  # first entries that are not finite
        self._count = 0
        self.bad = BadRows(text.window.path, skip)
        # A torque that is never measured is NaN in every row, which is no reason to leave out all.
        lenient = columns.places.get("tau", []) if partial else []
        self._judged = [k for k, column in enumerate(self._used) if column not in lenient]
        self._time = self._used.index(columns.places["t"][0]) if "t" in columns.places else None

    def read(self, rows: list[Record]) -> None:
        """Read a block of rows, and take it out of the text."""
        text, window = self._text, self._text.window
        values, reasons = self._convert(rows)
        if not self._skip:
            for k in np.flatnonzero(~np.isfinite(values).all(axis=0)).tolist():
                row = rows[int(np.argmin(np.isfinite(values[:, k])))]
                start = text.split(row)[self._used[k]].start
                self._places.setdefault(self._used[k], window.place(start))

        def place(index: int) -> Place:
            cells = text.split(rows[index])
            if self._time is None or len(cells) != len(self._names):
                return window.place(rows[index].start)
            return window.place(cells[self._used[self._time]].start)

        t = None if self._time is None else values[:, self._time]
        judged = values[:, self._judged] if self._skip else values[:, :0]
        good = self.bad.select(judged, t, place, reasons)
        self._count += values.size
        if self._count > MOST_NUMBERS:
            raise DocumentError(window.path, f"{TOO_LONG}; it has more than {MOST_NUMBERS} numbers")
        self._blocks.append(values[good] if self._skip and not good.all() else values)
        text.take(rows[-1].end)

    def _convert(self, rows: list[Record]) -> tuple[Floats, dict[int, str]]:
        """Convert rows to numbers; where rows are skipped, those that are none become NaN."""
        text, names, used = self._text, self._names, self._used
        try:
            return text.numbers(rows, names, used, "the header"), {}
        except DocumentError:
            if not self._skip:
                raise
        values, reasons = np.full((len(rows), len(used)), np.nan), {}
        for index, row in enumerate(rows):
            try:
                values[index] = text.numbers([row], names, used, "the header")
            except DocumentError as error:
                reasons[index] = f"row that is no sample ({error.reason})"
        return values, reasons

    def collect(self) -> dict[str, Floats]:
        """Collect the arrays of all quantities, in SI units."""
        whole = np.concatenate(self._blocks)
        self._blocks.clear()  # as large as the whole
        arrays = {}
        for name, own in self._columns.places.items():
            array = np.full((len(whole), len(own)), np.nan)
            there = [k for k, each in enumerate(own) if each != NO_COLUMN]
            array[:, there] = whole[:, [self._used.index(own[k]) for k in there]]
            factors = np.array(self._columns.factors[name])
            if np.any(factors != 1):
                array *= factors
            arrays[name] = array
        if "t" in arrays:
            arrays["t"] = arrays["t"][:, 0]
        for name, place in self._columns.further.items():
            arrays[name] = whole[:, self._used.index(place)]
        return arrays

    def find_entry(self, name: str, index: tuple[int, ...]) -> EntryPlace:
        """Find the place of the first entry that is not finite in a column."""
        if name in self._columns.further:
            column = self._columns.further[name]
        else:
            column = self._columns.places[name][index[1] if len(index) > 1 else 0]
        return EntryPlace(self._names[column], *self._places[column])


class _Title(NamedTuple):
    """Name of a column, and its offset in the window."""

    name: str
    start: int


def _find_header(text: DelimitedText, path: str) -> tuple[list[_Title], list[Record]]:
    """Find the header and the first rows of numbers.

    Raises:
        DocumentError: There is no header, or no row behind it.
    """
    window = text.window
    found, end = text.next_records(1)
    if not found:
        reason = f"the recording has nothing; expected {_EXPECTED}, and rows"
        raise DocumentError(path, reason)
    line = window.text[slice(*found[0])]
    if _has_number(line):
        titles = _find_commented_titles(text, found[0].start)
    else:
        text.choose_separator(line)
        titles = _split_titles(text, found[0])
        text.skip_to(end)
    rows, _ = text.next_records(_ROWS, _LONGEST)
    if not rows:
        reason = f"the recording has a header and no rows; expected {_EXPECTED}, and rows"
        raise DocumentError(path, reason)
    return titles, rows


def _find_commented_titles(text: DelimitedText, end: int) -> list[_Title]:
    """Find the last comment that names positions: NumPy writes its header so.

    Args:
        text: The text.
        end: The offset of the first row, before which the comments stand.

    Raises:
        DocumentError: No comment names positions.
    """
    window = text.window
    stop = end
    while stop > 0:
        start = window.text.rfind("\n", 0, stop - 1) + 1
        line = window.text[start:stop]
        if (sign := line.find("#")) >= 0:
            text.choose_separator(line[sign + 1 :])
            titles = _split_titles(text, Record(start + sign + 1, stop))
            meanings = (read_column_name(title.name) for title in titles)
            if any(each is not None and each.quantity == "q" for each in meanings):
                return titles
        stop = start
    line_number, _ = window.place(end)
    raise DocumentError(window.path, f"numbers without names; expected {_EXPECTED}", line_number, 1)


def _split_titles(text: DelimitedText, header: Record) -> list[_Title]:
    """Split a header into the names of columns."""
    if text.separator is not None:
        return [_Title(text.word(cell).strip(), cell.start) for cell in text.split(header)]
    titles = _TITLE.finditer(text.window.text, *header)
    return [_Title(title[0].strip('"'), title.start()) for title in titles]


def _has_number(line: str) -> bool:
    """Tell whether some cell of a line is a number: no header has one."""
    words = re.split(r"[\s,;]+", line.strip())
    return any(parse_number(word.strip('"'))[1] is None for word in words)
