"""Choice of the columns of a recording: which hold time, positions, velocities, torques.

Recordings as csv files with a header, and as npz archives with an array for each quantity.

Other archives are read column by column, by name: those of mujoco.sysid, which lists the columns of
its arrays in a signal mapping, and any for which a mapping file says what the columns mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import BinaryIO, NamedTuple, NoReturn

import numpy as np

from inertial_check.documents.numbers import parse_number
from inertial_check.documents.tables.arrays import Archive, as_float64, decode_texts
from inertial_check.documents.tables.delimited import DelimitedText, Record
from inertial_check.documents.tables.reading import Window
from inertial_check.errors import DocumentError
from inertial_check.identification.recordings.recording import (
    ALIASES,
    MEANING,
    MOST_NUMBERS,
    SIGNALS,
    TOO_LONG,
    BadRows,
    ColumnMap,
    ColumnName,
    EntryPlace,
    Place,
    ReadingNote,
    ReadingOptions,
    Recording,
    describe_units,
    find_factor,
    is_current,
    is_surrounding,
    read_column_name,
    read_logged_name,
    refuse_unlike,
    settle_samples,
    strip_unit,
    write_column_map,
)
from inertial_check.inertia.arrays import Floats

Joint = str | int | None
"""Name or number of a joint; None where a column's name says neither."""

_STAMP = re.compile(r"header[./]stamp$")
"""End of the name of a column with the time of a measurement, in a flattened ROS message."""

NO_COLUMN = -1
"""Index in place of a column that the file does not have."""

_ADVICE = "; --columns FILE says what columns mean"

_SHOWN = 6
"""Largest number of columns that a message lists by name."""


class Header(NamedTuple):
    """Names of all columns.

    Attributes:
        titles: The names, in the order of the columns.
        error: Makes an error of the index of a column and a reason.
    """

    titles: Sequence[str]
    error: Callable[[int, str], DocumentError]


class Candidate(NamedTuple):
    """Column that may hold a quantity.

    Attributes:
        place: Index of the column.
        title: Its name.
        meaning: Quantity, joint and unit.
        stem: Name without the joint.
        is_commanded: Whether the values were commanded and not measured.
        is_current: Whether the torque is a motor current.
        sign: 1 or -1, which the values are multiplied by.
    """

    place: int
    title: str
    meaning: ColumnName
    stem: str
    is_commanded: bool = False
    is_current: bool = False
    sign: float = 1.0

    @property
    def factor(self) -> float:
        """Factor from the values in the file to SI units, with the sign."""
        unit = self.meaning.unit
        return self.sign * (1.0 if unit is None else find_factor(self.meaning.quantity, unit) or 1)


class ColumnChoice(NamedTuple):
    """Columns of each quantity.

    Attributes:
        places: Indices of the columns of each quantity, in the order of the joints.
        factors: Factors of these columns to SI units, with signs.
        joints: Names of the joints, where the header has them.
        further: Indices of the columns of a moving base, of wrenches, and of those asked for.
        ignored: Names of all other columns.
        notes: What was chosen and converted.
        stated: Quantities all of whose columns state their unit.
        has_currents: Whether motor currents stand for the torques.
    """

    places: dict[str, list[int]]
    factors: dict[str, list[float]]
    joints: tuple[str, ...] | None
    further: dict[str, int]
    ignored: tuple[str, ...]
    notes: tuple[ReadingNote, ...]
    stated: frozenset[str]
    has_currents: bool

    def list_columns(self) -> list[int]:
        """List the columns that have a meaning, in the order of the file."""
        every = [column for own in self.places.values() for column in own]
        every += self.further.values()
        return sorted(column for column in every if column != NO_COLUMN)


def choose_columns(header: Header, how: ReadingOptions) -> ColumnChoice:
    """Choose the columns of a recording by their names, and by a mapping file if there is one.

    Args:
        header: Names of the columns.
        how: Options of the reading, with the mapping file, which decides about the quantities that
            it names.

    Raises:
        DocumentError: Names the column, and what is wrong with it.
    """
    notes: list[ReadingNote] = []
    further = _list_further(header, how)
    groups: dict[str, list[Candidate]] = {}
    for each in _list_candidates(header, how.columns, further.values()):
        groups.setdefault(each.meaning.quantity, []).append(each)
    found: dict[str, dict[Joint, Candidate]] = {}
    for quantity, own in groups.items():
        # Choose measured values; commanded ones are none of the robot's motion.
        measured = [each for each in own if not each.is_commanded]
        commanded = [each for each in own if each.is_commanded]
        if measured and commanded:
            kept, left = _list_titles(measured), _list_titles(commanded)
            said = f"{kept} taken, which were measured, and not {left}"
            notes.append(ReadingNote("columns", said))
        chosen = measured
        if quantity == "tau":  # torques before motor currents
            chosen = [each for each in measured if not each.is_current] or measured
            currents = [each for each in measured if each not in chosen]
            if currents:
                kept, left = _list_titles(chosen), _list_titles(currents)
                said = f"{kept} taken for torques, and not the currents {left}"
                notes.append(ReadingNote("columns", said))
        # The stamp of a measurement comes before the time at which a logger received it.
        stamps = [each for each in chosen if _STAMP.search(each.stem)]
        if quantity == "t" and len(chosen) > len(stamps) == 1:
            left = _list_titles([each for each in chosen if each not in stamps])
            said = f"{stamps[0].title} taken for the time, and not {left}"
            notes.append(ReadingNote("columns", said))
            chosen = stamps
        if chosen:
            indexed = found.setdefault(quantity, {})
            for each in chosen:
                if each.meaning.joint in indexed:
                    raise header.error(each.place, _describe_ambiguity(each, indexed, chosen))
                indexed[each.meaning.joint] = each
    _align_spelling(found)
    for name in how.needed:
        if name not in found:
            raise header.error(0, _describe_missing(name, header, groups.get(name, [])))
    joints = _order_joints(found, header, how.partial)
    if not found:
        raise header.error(0, f"no column is a quantity; the header has {_list(header.titles)}")
    ordered = {
        name: [found[name].get(joint) for joint in ([None] if name == "t" else joints)]
        for name in ("t", *SIGNALS)
        if name in found
    }
    present = {name: [each for each in own if each] for name, own in ordered.items()}
    notes += _describe_conversions(present)
    used = {each.place for own in present.values() for each in own} | {*further.values()}
    return ColumnChoice(
        {n: [each.place if each else NO_COLUMN for each in own] for n, own in ordered.items()},
        {n: [each.factor if each else 1.0 for each in own] for n, own in ordered.items()},
        tuple(map(str, joints)) if joints and isinstance(joints[0], str) else None,
        further,
        tuple(title for place, title in enumerate(header.titles) if place not in used),
        tuple(notes),
        frozenset(
            name for name, own in present.items() if all(c.meaning.unit is not None for c in own)
        ),
        any(each.is_current for each in present.get("tau", [])),
    )


def _list_further(header: Header, how: ReadingOptions) -> dict[str, int]:
    """List the columns of a moving base, of wrenches, and those asked for.

    Raises:
        DocumentError: One is there twice.
    """
    further: dict[str, int] = {}
    for place, title in enumerate(header.titles):
        bare = strip_unit(title)
        is_beside = is_surrounding(bare) and (
            read_logged_name(title) is None or not re.search(r"[./]", bare)
        )
        if bare in how.further or is_beside:
            if bare in further:
                raise header.error(place, f"{title} is there twice: keep one")
            further[bare] = place
    return further


def _list_candidates(
    header: Header, mapping: ColumnMap | None, further: Collection[int]
) -> list[Candidate]:
    """List the columns that mean a quantity.

    Raises:
        DocumentError: A column states a unit that is not one of its quantity.
    """
    known = {} if mapping is None else mapping.columns
    decided = {column.name.quantity for column in known.values() if column.name is not None}
    found = []
    for place, title in enumerate(header.titles):
        if place in further:
            continue
        if (mapped := known.get(title)) is not None:
            if mapped.name is not None:
                current = mapped.is_current or _has_current(mapped.name)
                found.append(Candidate(place, title, mapped.name, "", False, current, mapped.sign))
            continue
        read = read_logged_name(title)
        if read is None or read.meaning.quantity in decided:
            continue
        current = read.is_current or _has_current(read.meaning)
        meaning, stem = read.meaning, read.stem
        candidate = Candidate(place, title, meaning, stem, read.is_commanded, current)
        if not meaning.has_its_unit and not read.is_commanded:
            expected = describe_units(meaning.quantity)
            raise header.error(place, f"{title} is in {meaning.unit}, expected {expected}")
        found.append(candidate)
    return found


def _has_current(meaning: ColumnName) -> bool:
    return meaning.quantity == "tau" and meaning.unit is not None and is_current(meaning.unit)


def _align_spelling(found: dict[str, dict[Joint, Candidate]]) -> None:
    """Spell the joints of all signals like those of the first, where only their case differs."""
    first = next((name for name in SIGNALS if name in found), None)
    spelled: dict[str, Joint] = {}
    for joint in found.get(first or "", {}):
        if str(joint).casefold() in spelled:
            return
        spelled[str(joint).casefold()] = joint
    for name in (name for name in SIGNALS if name in found and name != first):
        own = {
            joint if joint is None else spelled.get(str(joint).casefold(), joint): each
            for joint, each in found[name].items()
        }
        if len(own) == len(found[name]):
            found[name] = own


def _describe_ambiguity(
    each: Candidate, found: dict[Joint, Candidate], own: list[Candidate]
) -> str:
    """Describe columns that mean the same, and the mapping file that chooses among them."""
    other = found[each.meaning.joint]
    stems: dict[str, list[Candidate]] = {}
    for column in own:
        stems.setdefault(column.stem, []).append(column)
    signals = "; ".join(_list_titles(columns) for columns in stems.values())
    chosen = own if len(stems) == 1 else stems[other.stem]
    mapping = write_column_map({column.title: column.meaning for column in chosen})
    return (
        f"{each.title} means the same as {other.title}: keep one, or choose with --columns FILE; "
        f"candidates: {signals}; a FILE that takes the first:\n{mapping}"
    )


def _describe_missing(name: str, header: Header, commanded: list[Candidate]) -> str:
    has = _list(header.titles, 40)
    only = f"; {_list_titles(commanded)}: commanded, not measured" if commanded else ""
    return (
        f"no column is called {name} or {name}1, {name}_JOINT, or after another name of that "
        f"quantity ({', '.join(ALIASES[name][1:])}){only}; the header has {has}; --columns FILE "
        "says what columns mean"
    )


def _describe_conversions(ordered: dict[str, list[Candidate]]) -> list[ReadingNote]:
    """Describe the units that are converted and the signs that are turned."""
    notes: list[ReadingNote] = []
    for own in ordered.values():
        units: dict[str, list[Candidate]] = {}
        for each in own:
            if abs(each.factor) != 1:
                units.setdefault(str(each.meaning.unit), []).append(each)
        for unit, columns in units.items():
            factor = abs(columns[0].factor)
            notes.append(
                ReadingNote(
                    "units", f"{_list_titles(columns)} in {unit}, multiplied by {factor:.6g}"
                )
            )
        turned = [each for each in own if each.sign < 0]
        if turned:
            notes.append(
                ReadingNote("columns", f"{_list_titles(turned)} turned round, as the mapping says")
            )
    return notes


def _list_titles(columns: Sequence[Candidate]) -> str:
    return _list([each.title for each in columns])


def _list(titles: Sequence[str], most: int = _SHOWN) -> str:
    if len(titles) <= most:
        return ", ".join(titles)
    return f"{', '.join(titles[: most - 1])}, ... {titles[-1]} ({len(titles)} columns)"


def _order_joints(
    found: dict[str, dict[Joint, Candidate]], header: Header, partial: bool
) -> list[Joint]:
    """Put the joints in the order of the columns of the first signal, or of their numbers.

    Args:
        found: Columns by quantity and joint.
        header: Names of all columns, for messages.
        partial: Whether torques of some joints may be missing.

    Raises:
        DocumentError: The joints of two quantities differ, or a number is missing.
    """
    first = next((name for name in SIGNALS if name in found), None)
    if first is None:
        return []
    joints = list(found[first])
    columns = [each.place for each in found[first].values()]
    if len({type(joint) for joint in joints}) > 1:
        names = ", ".join(each.title for each in found[first].values())
        raise header.error(columns[-1], f"joints with numbers and with names: {names}{_ADVICE}")
    for name in (name for name in SIGNALS if name in found):
        own, lacks = found[name], partial and name == "tau"
        odd = next(
            (each for each in own if each not in found[first]),
            () if lacks else next((each for each in joints if each not in own), ()),
        )
        if odd != ():
            hint = "; --unmeasured JOINT leaves out its torque" if name == "tau" else ""
            raise header.error(
                min(each.place for each in own.values()),
                f"{name} has {len(own)} and {first} has {len(joints)} columns, and only one of "
                f"them has joint {odd}: expected the same joints in both{hint}{_ADVICE}",
            )
    if isinstance(joints[0], int):
        joints = sorted(joints, key=lambda joint: int(joint or 0))
        start = int(joints[0] or 0)
        if start > 1 or joints != list(range(start, start + len(joints))):
            names = ", ".join(f"{first}{joint}" for joint in joints)
            reason = f"{names}: expected every number from 0 or 1 on{_ADVICE}"
            raise header.error(found[first][joints[0]].place, reason)
    return joints


_TITLE = re.compile(r"\S+(?:\s+[\[(][^\])]*[\])])?")
"""Pattern of a column's name between spaces; a unit in brackets belongs to the name."""

_EXPECTED = "a header such as t,q1,q2,tau1,tau2"

_ROWS = 8192
"""Number of rows that are converted at a time."""

_LONGEST = 2**24
"""Number of characters after which no further rows are converted together."""


def read_csv(stream: BinaryIO, path: str, how: ReadingOptions) -> Recording:
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
    words = re.split(r"[,;\t]" if re.search(r"[,;\t]", line) else r"\s+", line.strip())
    if any(parse_number(word.strip('"'))[1] is None for word in words):
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


_PARTS = ("", "sensordata_", "state_", "control_")
"""Prefixes of the arrays of a TimeSeries, and of the three in a SystemTrajectory."""

_LONGEST_MAPPING = 2**20
"""Largest length of a signal mapping [characters]."""

_MOST_COLUMNS = 10_000
"""Largest number of columns."""

_PICKLED = (
    "pickled Python objects, which are never read: mujoco.sysid from MuJoCo 4 on writes text in "
    "their place; or --columns FILE says what data[0], data[1], ... mean"
)


class _Table(NamedTuple):
    """Columns by name, of the same samples, and names of arrays that are not among them."""

    columns: dict[str, Floats]
    ignored: tuple[str, ...]


def read_sysid(archive: Archive, how: ReadingOptions) -> Recording:
    """Read a TimeSeries or SystemTrajectory of mujoco.sysid.

    Sensors are measured; of the state only quantities are taken that no sensor has. Controls are
    columns NAME_ctrl, which mean torques only where a mapping file says so.

    Raises:
        DocumentError: An array is damaged, or its signal mapping cannot be read.
    """
    table: dict[str, Floats] = {}
    ignored: list[str] = ["initial_state"] if "initial_state" in archive.members else []
    clock: Floats | None = None
    for part in _PARTS:
        if not {f"{part}times", f"{part}data"} <= {*archive.members}:
            continue
        times, data = (_read_numbers(archive, f"{part}{name}") for name in ("times", "data"))
        if times.ndim != 1 or data.ndim != 2 or len(times) != len(data):
            shapes = f"{times.shape} and {data.shape}"
            reason = (
                f"{part}times and {part}data have the shapes {shapes}, expected (S,) and (S, k)"
            )
            raise DocumentError(archive.path, reason)
        if clock is None:
            clock = table["t"] = times
        elif not np.array_equal(clock, times):
            ignored.append(f"{part}data (other times)")
            continue
        names = _name_columns(archive, part, data.shape[1], how)
        known = {found.meaning.quantity for name in table if (found := read_logged_name(name))}
        for name, column in names.items():
            found = read_logged_name(name)
            if name in table or (found is not None and found.meaning.quantity in known):
                ignored.append(name)
            else:
                table[name] = data[:, column]
    return _build(archive.path, _Table(table, tuple(ignored)), how)


def read_mapped(archive: Archive, how: ReadingOptions) -> Recording:
    """Read an archive whose columns a mapping file names: `name`, or `name[0]` of several columns.

    Raises:
        DocumentError: An array is damaged, or too large.
    """
    table: dict[str, Floats] = {}
    ignored = []
    for name in archive.members:
        values = archive.read(name)
        if values.dtype.kind not in "fiu" or values.ndim not in (1, 2):
            ignored.append(name)
            continue
        numbers = as_float64(values)
        if numbers.ndim == 1:
            table[name] = numbers
        else:
            _refuse_columns(archive.path, len(table) + numbers.shape[1])
            table |= {f"{name}[{k}]": column for k, column in enumerate(numbers.T)}
    return _build(archive.path, _Table(table, tuple(ignored)), how)


def _refuse_columns(path: str, count: int) -> None:
    if count > _MOST_COLUMNS:
        raise DocumentError(path, f"more than {_MOST_COLUMNS} columns")


def _name_columns(archive: Archive, part: str, width: int, how: ReadingOptions) -> dict[str, int]:
    """Name the columns of an array of mujoco.sysid: column by name.

    Raises:
        DocumentError: The signal mapping is pickled or damaged.
    """
    _refuse_columns(archive.path, width)
    unnamed = {f"{part}data[{k}]": k for k in range(width)}
    name = f"{part}signal_mapping"
    if name not in archive.members:
        return unnamed
    stream = archive.array_header(name)
    if stream.dtype.hasobject:
        if how.columns is not None:
            return unnamed
        raise DocumentError(archive.path, f"{name}: {_PICKLED}")
    text = archive.read(name)
    if text.dtype.kind != "U" or text.size != 1 or text.dtype.itemsize > 4 * _LONGEST_MAPPING:
        raise DocumentError(archive.path, f"{name}: expected a text of JSON")
    try:
        # List the columns of a decoded mapping, name to type and indices.
        mapping = json.loads(str(text.reshape(-1)[0]))
        if not isinstance(mapping, Mapping):
            raise ValueError("expected an object of signals")
        found: dict[str, int] = {}
        for signal, entry in mapping.items():
            if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)):
                raise ValueError(f"{signal}: expected a type and indices")
            indices = entry[1]
            for k, index in enumerate(indices):
                if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < width:
                    raise ValueError(f"{signal}: index {index!r} of {width} columns")
                found[signal if len(indices) == 1 else f"{signal}[{k}]"] = index
        return found
    except (ValueError, TypeError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise DocumentError(archive.path, f"{name}: no signal mapping: {reason}") from None


def _build(path: str, table: _Table, how: ReadingOptions) -> Recording:
    """Build the recording of the columns of a table.

    Raises:
        DocumentError: Columns are missing, ambiguous, of other lengths, or not finite.
    """
    titles = list(table.columns)
    if how.columns is not None:
        how.columns.check_used(titles, path)
    header = Header(titles, lambda place, reason: DocumentError(path, reason))
    chosen = choose_columns(header, how)
    arrays: dict[str, Floats] = {}
    names: dict[str, list[str]] = {}
    for quantity, places in chosen.places.items():
        names[quantity] = ["" if place == NO_COLUMN else titles[place] for place in places]
        columns = [table.columns[name] for name in names[quantity] if name]
        lengths = {len(column) for column in columns} | {len(each) for each in arrays.values()}
        if len(lengths) > 1 or 0 in lengths:
            shown = ", ".join(map(str, sorted(lengths)))
            reason = f"{', '.join(names[quantity])}: {shown} samples, expected as many in all"
            raise DocumentError(path, reason)
        values = np.full((lengths.pop(), len(places)), np.nan)
        values[:, [place != NO_COLUMN for place in places]] = np.stack(columns, axis=1)
        arrays[quantity] = values * np.array(chosen.factors[quantity])
    if "t" in arrays:
        arrays["t"] = arrays["t"][:, 0]

    def find_entry(name: str, index: tuple[int, ...]) -> EntryPlace:
        title = names[name][index[1] if len(index) > 1 else 0]
        return EntryPlace(f"{title} in sample {index[0]}", None, None)

    about = Recording(
        path=path,
        joints=chosen.joints,
        ignored=(*chosen.ignored, *table.ignored),
        notes=chosen.notes,
        stated=chosen.stated,
        has_currents=chosen.has_currents,
    )
    return settle_samples(about, arrays, how, find_entry)


_REGRESSOR = ("Y", "F")
_JOINTS = ("joints", "joint_names")
_COLUMNS = ("columns", "names")
_COUNT = "n_joints"


def read_npz(stream: BinaryIO, path: str, how: ReadingOptions) -> Recording:
    """Read the recording in an archive.

    Args:
        stream: The file; it must be seekable.
        path: The path that messages name.
        how: Options of the reading.

    Raises:
        DocumentError: Names the array, what it is and what was expected.
    """
    archive = Archive(stream, path)
    if any({f"{part}times", f"{part}data"} <= {*archive.members} for part in _PARTS[:2]):
        return read_sysid(archive, how)
    if how.columns is not None:
        return read_mapped(archive, how)
    roles = _find_roles(archive)
    arrays = {role: _read_numbers(archive, name) for role, name in roles.items()}
    called = {role: name for role, name in roles.items() if role != name}
    joints = _read_texts(archive, _JOINTS)
    beside: dict[str, Floats] = {}
    if "Y" in arrays:
        held, used = _check_equations(archive, arrays, joints)
    else:
        # Check the motion and the torques, and give them in the order of SIGNALS.
        for name in how.needed:
            if name not in arrays:
                _refuse_missing(path, name, arrays)
        for name in ("t", *SIGNALS):
            if name in arrays:
                arrays[name] = _check_shape(path, name, arrays[name], arrays.get("t"))
        refuse_unlike(path, arrays)
        held = {name: arrays[name] for name in ("t", *SIGNALS) if name in arrays}
        beside = _read_further(archive, held, how.further)
        used = set(beside)

    def find_entry(name: str, index: tuple[int, ...]) -> EntryPlace:
        return EntryPlace(f"{called.get(name, name)}[{', '.join(map(str, index))}]", None, None)

    about = Recording(path=path, joints=joints, further=beside)
    recording = settle_samples(about, held, how, find_entry)
    columns = _read_texts(archive, _COLUMNS) if "F" in held else None
    # Refuse names of joints or columns whose number is wrong.
    shown = next((held[name] for name in ("Y", *SIGNALS) if name in held), None)
    count = 0 if shown is None else shown.shape[1]
    if joints is not None and len(joints) != count:
        raise DocumentError(path, f"{len(joints)} names of joints for {count} joints")
    if columns is not None and len(columns) != held["F"].shape[2]:
        reason = f"{len(columns)} names of columns, and F has {held['F'].shape[2]}"
        raise DocumentError(path, reason)
    used |= {roles[role] for role in held} | ({*_JOINTS} if joints else set())
    used |= {*_COLUMNS} if columns else set()
    ignored = tuple(name for name in archive.members if name not in used)
    return replace(recording, columns=columns, ignored=ignored)


def _read_further(
    archive: Archive, held: Mapping[str, Floats], wanted: Collection[str]
) -> dict[str, Floats]:
    """Read the arrays of a moving base and of wrenches, and those that are asked for.

    Raises:
        DocumentError: One has another shape than (S,) or (S, k).
    """
    found = {}
    for name in archive.members:
        if is_surrounding(name) or name in wanted:
            values = _read_numbers(archive, name)
            count = len(next(iter(held.values())))
            if values.ndim not in (1, 2) or len(values) != count:
                raise DocumentError(
                    archive.path,
                    f"{name} has shape {values.shape}, expected ({count},) or ({count}, columns)",
                )
            found[name] = values
    return found


def _find_roles(archive: Archive) -> dict[str, str]:
    """Find the name of the array of each quantity."""
    roles: dict[str, str] = {}
    for name in archive.members:
        role = name if name in _REGRESSOR else MEANING.get(name.casefold())
        if role in roles:
            raise DocumentError(
                archive.path, f"{roles[role]} and {name} both mean {role}: keep one"
            )
        if role is not None:
            roles[role] = name
    return roles


def _refuse_missing(path: str, name: str, arrays: dict[str, Floats]) -> NoReturn:
    has = ", ".join(arrays) or "nothing of that kind"
    if name == "tau":
        has += "; --columns FILE takes other arrays, such as ctrl where it is the torque"
    raise DocumentError(
        path,
        f"no {name}, also called {', '.join(ALIASES[name][1:])}; it has {has}; "
        "expected q and tau, with t or with u and du, or Y and tau"
        + (" (currents become torques by the drive gains)" if name == "tau" else ""),
    )


def _check_shape(path: str, name: str, array: Floats, t: Floats | None) -> Floats:
    """Give a signal (S, n), or the time (S,).

    Raises:
        DocumentError: The array has another shape, or is empty.
    """
    if name == "t":
        if array.ndim == 2 and 1 in array.shape:
            array = array.ravel()
        if array.ndim != 1:
            raise DocumentError(path, f"t has shape {array.shape}, expected (samples,)")
    elif array.ndim != 2:
        way = f": for one joint {name}[:, None]" if array.ndim == 1 else ""
        raise DocumentError(
            path, f"{name} has shape {array.shape}, expected (samples, joints){way}"
        )
    elif t is not None and len(array) != t.size and array.shape[1] == t.size:
        raise DocumentError(
            path,
            f"{name} has shape {array.shape} and t has {t.size} samples: "
            f"expected (samples, joints), so transpose {name}",
        )
    if not array.size:
        raise DocumentError(path, f"{name} is empty: shape {array.shape}")
    return array


def _check_equations(
    archive: Archive, arrays: dict[str, Floats], joints: tuple[str, ...] | None
) -> tuple[dict[str, Floats], set[str]]:
    """Give Y, tau and F in their full shapes, and the names of further arrays used for that."""
    path, Y, tau = archive.path, arrays["Y"], arrays.get("tau")
    if tau is None:
        _refuse_missing(path, "tau", {"Y": Y})
    if not Y.size or Y.ndim not in (2, 3) or Y.shape[-1] % 10:
        raise DocumentError(
            path,
            f"Y has shape {Y.shape}, expected (samples, joints, 10 bodies) or "
            "(samples times joints, 10 bodies)",
        )
    # Count the joints that the rows of a regressor belong to; one where nothing tells.
    count, used = 1, set[str]()
    if Y.ndim == 3:
        count = Y.shape[1]
    elif tau.ndim == 2:
        count = max(tau.shape[1], 1)
    elif joints:
        count = len(joints)
    elif _COUNT in archive.members:
        stated = _read_numbers(archive, _COUNT)
        if stated.size != 1 or stated.item() < 1 or stated.item() % 1:
            raise DocumentError(archive.path, f"{_COUNT} is {stated.tolist()}, expected a count")
        count, used = int(stated.item()), {_COUNT}
    rows = Y.shape[0] * (Y.shape[1] if Y.ndim == 3 else 1)
    if tau.size != rows or rows % count or (tau.ndim == 2 and tau.shape[1] != count):
        raise DocumentError(
            path,
            f"Y has {rows} rows of {count} joints and tau has shape {tau.shape}: expected "
            f"({rows // count}, {count})",
        )
    held = {"tau": tau.reshape(-1, count), "Y": Y.reshape(-1, count, Y.shape[-1])}
    if (F := arrays.get("F")) is not None:
        if F.ndim not in (2, 3) or not F.size or F.size // F.shape[-1] != rows:
            raise DocumentError(
                path, f"F has shape {F.shape}, expected ({rows // count}, {count}, columns)"
            )
        held["F"] = F.reshape(-1, count, F.shape[-1])
    return held, used


def _read_numbers(archive: Archive, name: str) -> Floats:
    values = archive.read(name)
    if values.dtype.kind not in "fiu":
        raise DocumentError(archive.path, f"{name}: holds {values.dtype}, expected real numbers")
    return as_float64(values)


def _read_texts(archive: Archive, names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Read the texts in the first of these arrays that the archive has."""
    name = next((each for each in names if each in archive.members), None)
    if name is None:
        return None
    values = archive.read(name)
    if values.dtype.kind not in "US" or values.ndim != 1:
        raise DocumentError(
            archive.path, f"{name}: holds {values.dtype} of shape {values.shape}, expected names"
        )
    return tuple(decode_texts(values))
