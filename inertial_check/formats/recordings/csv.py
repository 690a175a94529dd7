"""Recordings as csv: a header that names the columns, then one row a sample."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.delimited import DelimitedText, Record
from inertial_check.formats.numbers import parse_number
from inertial_check.formats.recordings.names import (
    ALIASES,
    UNITS,
    is_surrounding,
    read_column_name,
    strip_unit,
)
from inertial_check.formats.recordings.recording import (
    MOST_NUMBERS,
    SIGNALS,
    TOO_LONG,
    EntryPlace,
    Recording,
    refuse_not_finite,
    refuse_unlike,
    take_unmeasured,
)
from inertial_check.formats.text_window import Window

_TITLE = re.compile(r"\S+(?:\s+[\[(][^\])]*[\])])?")
"""Pattern of a column's name between spaces; a unit in brackets belongs to the name."""

_EXPECTED = "a header such as t,q1,q2,tau1,tau2"

_ROWS = 8192
"""Number of rows that are converted at a time."""

_NONE = -1
"""Index in place of a column that the file does not have."""

_LONGEST = 2**24
"""Number of characters after which no further rows are converted together."""

_Joint = str | int | None
"""Name or number of a joint; None where a column's name says neither."""


def read(
    stream: BinaryIO,
    path: str,
    torques: bool,
    partial: bool = False,
    further: Collection[str] = (),
) -> Recording:
    """Read the recording in a csv file.

    Args:
        stream: The file, at its beginning.
        path: The path that messages name.
        torques: Whether the recording must have torques.
        partial: Whether torques of some joints may be missing.
        further: Names of further columns to be read.

    Raises:
        DocumentError: Names the line and column, what stands there and what was expected.
    """
    advice = "save it as UTF-8 or as npz"
    window = Window(stream, path, advice, errors="strict", translate=True)
    text = DelimitedText(window, lenient=True)
    header, rows = _find_header(text, path)
    columns = _Columns.of(header, torques, partial, further)
    used = columns.list_columns()
    blocks: list[Floats] = []
    places: dict[int, tuple[int, int]] = {}  # of the first entry in each column that is not finite
    names = [title.name for title in header.titles]
    count = 0
    while rows:
        values = text.numbers(rows, names, used, "the header")
        for k in np.flatnonzero(~np.isfinite(values).all(axis=0)).tolist():
            row = rows[int(np.argmin(np.isfinite(values[:, k])))]
            places.setdefault(used[k], window.place(text.split(row)[used[k]].start))
        count += values.size
        if count > MOST_NUMBERS:
            raise DocumentError(path, f"{TOO_LONG}; it has more than {MOST_NUMBERS} numbers")
        blocks.append(values)
        text.take(rows[-1].end)
        rows, _ = text.next_records(_ROWS, _LONGEST)
    whole = np.concatenate(blocks)
    blocks.clear()  # as large as the whole
    arrays = {
        name: np.ascontiguousarray(whole[:, [used.index(each) for each in own if each != _NONE]])
        for name, own in columns.places.items()
    }
    if "tau" in arrays and _NONE in columns.places["tau"]:
        arrays["tau"] = _fill_missing(arrays["tau"], columns.places["tau"])
    beside = {name: whole[:, used.index(place)] for name, place in columns.further.items()}
    if "t" in arrays:
        arrays["t"] = arrays["t"][:, 0]
    refuse_unlike(path, arrays)

    def find_entry(name: str, index: tuple[int, ...]) -> EntryPlace:
        if name in columns.further:
            column = columns.further[name]
        else:
            column = columns.places[name][index[1] if len(index) > 1 else 0]
        return EntryPlace(header.titles[column].name, *places[column])

    unmeasured = take_unmeasured(arrays) if partial else ()
    refuse_not_finite(path, {**arrays, **beside}, find_entry)
    return Recording(
        path=path,
        joints=columns.joints,
        columns=None,
        ignored=columns.ignored,
        unmeasured=unmeasured,
        further=beside,
        **arrays,
    )


def _fill_missing(tau: Floats, places: Sequence[int]) -> Floats:
    """Put columns of NaN in the places of joints without a torque."""
    filled = np.full((len(tau), len(places)), np.nan)
    filled[:, [k for k, place in enumerate(places) if place != _NONE]] = tau
    return filled


class _Title(NamedTuple):
    """Name of a column, and its offset in the window."""

    name: str
    start: int


class _Header(NamedTuple):
    """Names of all columns.

    Attributes:
        titles: The names, in the order of the columns.
        error: Makes an error of an offset and a reason.
    """

    titles: Sequence[_Title]
    error: Callable[[int, str], DocumentError]


def _find_header(text: DelimitedText, path: str) -> tuple[_Header, list[Record]]:
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
    return _Header(titles, window.error), rows


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


class _Columns(NamedTuple):
    """Meaning of the columns of a recording.

    Attributes:
        places: Indices of the columns of each quantity, in the order of the joints.
        joints: Names of the joints, where the header has them.
        further: Indices of the columns of a moving base, of wrenches, and of those asked for.
        ignored: Names of all other columns.
    """

    places: dict[str, list[int]]
    joints: tuple[str, ...] | None
    further: dict[str, int]
    ignored: tuple[str, ...]

    def list_columns(self) -> list[int]:
        """List the columns that have a meaning, in the order of the file."""
        every = [column for own in self.places.values() for column in own]
        every += self.further.values()
        return sorted(column for column in every if column != _NONE)

    @classmethod
    def of(
        cls, header: _Header, torques: bool, partial: bool, wanted: Collection[str]
    ) -> _Columns:
        """Read the header.

        Raises:
            DocumentError: Names the column, and what is wrong with it.
        """
        found: dict[str, dict[_Joint, int]] = {}
        ignored = []
        further: dict[str, int] = {}
        for place, (name, start) in enumerate(header.titles):
            meaning, bare = read_column_name(name), strip_unit(name)
            if bare in wanted or (meaning is None and is_surrounding(bare)):
                if bare in further:
                    raise header.error(start, f"{name} is there twice: keep one")
                further[bare] = place
                continue
            if meaning is None:
                ignored.append(name)
                continue
            quantity = found.setdefault(meaning.quantity, {})
            if not meaning.has_its_unit:
                expected = " or ".join(UNITS[meaning.quantity][:2])
                reason = f"{name} is in {meaning.unit}, expected {expected}: convert it"
                raise header.error(start, reason)
            if meaning.joint in quantity:
                other = header.titles[quantity[meaning.joint]].name
                raise header.error(start, f"{name} means the same as {other}: keep one")
            quantity[meaning.joint] = place
        for name in ("q", "tau") if torques else ("q",):
            if name not in found:
                raise header.error(header.titles[0].start, _describe_missing(name, header))
        joints = _order_joints(found, header, partial)
        names = tuple(str(each) for each in joints) if isinstance(joints[0], str) else None
        places = {
            name: [found[name].get(joint, _NONE) for joint in ([None] if name == "t" else joints)]
            for name in ("t", *SIGNALS)
            if name in found
        }
        return cls(places, names, further, tuple(ignored))


def _describe_missing(name: str, header: _Header) -> str:
    has = ", ".join(title.name for title in header.titles)
    return (
        f"no column is called {name} or {name}1, {name}_JOINT, or after another name of that "
        f"quantity ({', '.join(ALIASES[name][1:])}); the header has {has}"
    )


def _order_joints(
    found: dict[str, dict[_Joint, int]], header: _Header, partial: bool
) -> list[_Joint]:
    """Put the joints in the order of the columns of q, or of their numbers.

    Args:
        found: Columns by quantity and joint.
        header: Names of all columns, for messages.
        partial: Whether torques of some joints may be missing.

    Raises:
        DocumentError: The joints of two quantities differ, or a number is missing.
    """
    joints = list(found["q"])

    def error(column: int, reason: str) -> DocumentError:
        return header.error(header.titles[column].start, reason)

    if len({type(joint) for joint in joints}) > 1:
        names = ", ".join(header.titles[place].name for place in found["q"].values())
        raise error(found["q"][joints[-1]], f"joints with numbers and with names: {names}")
    for name in (name for name in SIGNALS if name in found):
        own, lacks = found[name], partial and name == "tau"
        odd = next(
            (each for each in own if each not in found["q"]),
            () if lacks else next((each for each in joints if each not in own), ()),
        )
        if odd != ():
            hint = "; --unmeasured JOINT leaves out its torque" if name == "tau" else ""
            raise error(
                min(own.values()),
                f"{name} has {len(own)} and q has {len(joints)} columns, and only one of them has "
                f"joint {odd}: expected the same joints in both{hint}",
            )
    if isinstance(joints[0], int):
        joints = sorted(joints, key=lambda joint: int(joint or 0))
        start = int(joints[0] or 0)
        if start > 1 or joints != list(range(start, start + len(joints))):
            names = ", ".join(f"q{joint}" for joint in joints)
            reason = f"{names}: expected every number from 0 or 1 on"
            raise error(found["q"][joints[0]], reason)
    return joints
