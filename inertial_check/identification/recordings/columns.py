"""Choice of the columns of a recording: which hold time, positions, velocities, torques."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from inertial_check.errors import DocumentError
from inertial_check.identification.recordings.recording import (
    ALIASES,
    SIGNALS,
    ColumnMap,
    ColumnName,
    ReadingNote,
    ReadingOptions,
    describe_units,
    find_factor,
    is_current,
    is_surrounding,
    read_logged_name,
    strip_unit,
    write_column_map,
)

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
            notes.append(
                ReadingNote("columns", f"{kept} taken, which were measured, and not {left}")
            )
        chosen = measured
        if quantity == "tau":  # torques before motor currents
            chosen = [each for each in measured if not each.is_current] or measured
            currents = [each for each in measured if each not in chosen]
            if currents:
                kept, left = _list_titles(chosen), _list_titles(currents)
                said = f"{kept} taken for torques, and not the currents {left}"
                notes.append(ReadingNote("columns", said))
        if quantity == "t" and len(chosen) > 1:
            chosen = _choose_clock(chosen, notes)
        if chosen:
            found[quantity] = _index_joints(header, chosen)
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


def _choose_clock(own: list[Candidate], notes: list[ReadingNote]) -> list[Candidate]:
    """Choose the stamp of the measurement before the time at which a logger received it."""
    stamps = [each for each in own if _STAMP.search(each.stem)]
    if len(stamps) == 1:
        left = _list_titles([each for each in own if each not in stamps])
        notes.append(
            ReadingNote("columns", f"{stamps[0].title} taken for the time, and not {left}")
        )
        return stamps
    return own


def _index_joints(header: Header, own: list[Candidate]) -> dict[Joint, Candidate]:
    """Index the columns of a quantity by joint.

    Raises:
        DocumentError: Two columns mean the same; lists the candidates and a mapping file.
    """
    found: dict[Joint, Candidate] = {}
    for each in own:
        if each.meaning.joint in found:
            raise header.error(each.place, _describe_ambiguity(each, found, own))
        found[each.meaning.joint] = each
    return found


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
