"""Recording of a robot as plain data: names and units of its columns, checks, and bad samples.

Loggers put the same words into a name in any order: the quantity, the joint, whether the value was
measured or commanded, and where it comes from. The last word that is a quantity decides. A mapping
file in TOML says what each column means:

[columns]
"M3 angle" = { quantity = "position", joint = "elbow", unit = "deg", sign = -1 }
"clock"    = { quantity = "time", unit = "ms" }
"M3 aux"   = { quantity = "ignore" }
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import inf
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.documents.files.access import open_regular
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import DocumentError
from inertial_check.inertia.arrays import Floats, Mask

_TURN = 2 * math.pi
_DEGREE = math.pi / 180

_ANGLES = {
    "rad": 1.0,
    "radian": 1.0,
    "radians": 1.0,
    "deg": _DEGREE,
    "degs": _DEGREE,
    "degree": _DEGREE,
    "degrees": _DEGREE,
    "°": _DEGREE,
    "mrad": 1 / 1000,
    "rev": _TURN,
    "turns": _TURN,
}
"""Factors of units of angle to radians."""

_LENGTHS = {"m": 1.0, "cm": 1 / 100, "mm": 1 / 1000}
"""Factors of units of length to metres."""

TIMES = {
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "seconds": 1.0,
    "ms": 1 / 10**3,
    "msec": 1 / 10**3,
    "us": 1 / 10**6,
    "µs": 1 / 10**6,
    "μs": 1 / 10**6,
    "usec": 1 / 10**6,
    "ns": 1 / 10**9,
    "nsec": 1 / 10**9,
    "min": 60.0,
}
"""Factors of units of time to seconds."""

_TORQUES = {
    "Nm": 1.0,
    "N": 1.0,
    "mNm": 1 / 1000,
    "Nmm": 1 / 1000,
    "cNm": 1 / 100,
    "Ncm": 1 / 100,
    "kNm": 1000.0,
    "mN": 1 / 1000,
    "kN": 1000.0,
}
"""Factors of units of torque and force to N m and N."""

_CURRENTS = {"A": 1.0, "Amp": 1.0, "Amps": 1.0, "mA": 1 / 1000}
"""Factors of units of motor current to amperes; the drive gain makes torques of them."""

_SIGNS = str.maketrans({"²": "2", "⋅": "", "·": "", "*": "", "^": "", ".": "", " ": "", "-": ""})


def _plain(unit: str) -> str:
    return unit.casefold().translate(_SIGNS)


def _per(order: int) -> dict[str, float]:
    """Return the units of the derivative of this order of angles and lengths."""
    found = {}
    for name, factor in (_ANGLES | _LENGTHS).items():
        for time in ("s", "sec"):
            for form in (f"{name}/{time}", f"{name}{time}-"):
                found[_plain(f"{form}{order if order > 1 or form.endswith('-') else ''}")] = factor
    return found


_FACTORS = {
    "t": {_plain(name): factor for name, factor in TIMES.items()},
    "q": {_plain(name): factor for name, factor in (_ANGLES | _LENGTHS).items()},
    "u": _per(1) | {"rpm": _TURN / 60, "rev/min": _TURN / 60, "1/min": _TURN / 60, "rps": _TURN},
    "du": _per(2),
    "tau": {_plain(name): factor for name, factor in (_TORQUES | _CURRENTS).items()},
}
"""Factors by quantity and by unit in plain letters."""

SI_UNITS = {
    "t": ("s",),
    "q": ("rad", "m"),
    "u": ("rad/s", "m/s"),
    "du": ("rad/s^2", "m/s^2"),
    "tau": ("N m", "N"),
}
"""SI units of each quantity."""

_OTHERS = {
    "t": "ms, us, ns, min",
    "q": "deg, mrad, rev, mm, cm",
    "u": "deg/s, rpm, mm/s",
    "du": "deg/s^2, mm/s^2",
    "tau": "N cm, mN m, kN m, A, mA",
}
"""Some of the units of each quantity that are converted, for messages."""

SUFFIXES = ("deg", "degrees", "rad", "ms", "us", "ns", "nm", "sec", "secs", "rpm", "s")
"""Units that may follow a name behind an underscore, as in time_ms and q1_deg."""


def find_factor(quantity: str, unit: str) -> float | None:
    """Return the factor from a unit to the SI unit of a quantity; None for an unknown unit.

    Case, spaces and the signs of products and powers do not matter.
    """
    return _FACTORS[quantity].get(_plain(unit))


def is_current(unit: str) -> bool:
    """Tell whether a unit of the torques is one of motor current."""
    return _plain(unit) in {_plain(name) for name in _CURRENTS}


def describe_units(quantity: str) -> str:
    """Describe the units of a quantity for a message."""
    return f"{' or '.join(SI_UNITS[quantity])}, or one that is converted: {_OTHERS[quantity]}"


ALIASES = {
    "t": ("t", "time", "stamp", "timestamp", "times", "elapsed_time", "elapsed", "seconds"),
    "q": ("q", "pos", "position", "positions", "qpos", "angle", "angles", "theta"),
    "u": (
        *("u", "qd", "dq", "vel", "velocity", "velocities", "qvel", "qdot", "q_dot", "speed"),
        *("speeds", "dtheta"),
    ),
    "du": (
        *("du", "qdd", "ddq", "acc", "acceleration", "accelerations", "qacc", "qddot", "q_ddot"),
        *("accel", "ddtheta"),
    ),
    "tau": (
        *("tau", "torque", "torques", "effort", "efforts", "trq", "tau_j", "qfrc_actuator"),
        "eff",
    ),
}
"""Names of each quantity; upper and lower case are alike."""

CURRENTS = ("current", "currents", "amps")
"""Names of motor currents, which are torques once the drive gain multiplies them."""

MEANING = {name: quantity for quantity, names in ALIASES.items() for name in names}
"""The quantity that each name means."""

_SURROUNDINGS = re.compile(
    r"base_(pose|twist|acceleration|q[wxyz]|(v|w|a|alpha|)[xyz])"
    r"|wrench_.+|plate(_[fm][xyz])?"
)
"""Names of the columns and arrays of a moving base, of wrenches and of a force plate."""

_COMMANDED = (
    "target|tgt|desired|des|commanded|command|cmd|setpoint|reference|references|ref|goal|planned"
)
_MEASURED = (
    "actual|act|measured|meas|msr|current(?=[_ ])|feedback|fb|raw|estimated|est|filtered|sensor"
    "|applied"
)
_OWNERS = "joints?|jnt|motors?|axis|dof|robot|states?"
_UNIT = re.compile(r"\s*(?:\[(?!\s*\d+\s*\])([^\[\]]*)\]|\(([^()]*)\))$")
_INDEX = re.compile(r"\d+|[A-Za-z]\w{3,}|[A-Za-z]+_?\d+")
_SUFFIX = re.compile(rf"(.+)_({'|'.join(SUFFIXES)})", re.IGNORECASE)
_WORDS = "|".join(sorted([*MEANING, *CURRENTS], key=len, reverse=True))
_LONG = "|".join(
    sorted(
        (name for name in [*MEANING, *CURRENTS] if name not in ("t", "u")), key=len, reverse=True
    )
)
_BEFORE = rf"(?P<before>(?:(?:{_COMMANDED}|{_MEASURED}|{_OWNERS})[_ ]*)*?)"
_AFTER = rf"(?P<behind>(?:_(?:{_COMMANDED}|{_MEASURED}))*)"
_QUANTITY = re.compile(rf"{_BEFORE}(?P<word>{_WORDS}){_AFTER}", re.IGNORECASE)
_NUMBERED = re.compile(
    rf"{_BEFORE}(?P<word>{_WORDS})(?P<behind>(?:_(?:{_COMMANDED}|{_MEASURED}|d(?=_)))*)"
    rf"[_ ]?(?P<joint>\d+)(?P<last>(?:_(?:{_COMMANDED}|{_MEASURED}))*)",
    re.IGNORECASE,
)
_AHEAD = re.compile(rf"{_BEFORE}(?P<word>{_WORDS})[_ ](?P<joint>.+)", re.IGNORECASE)
_BEHIND = re.compile(
    rf"(?P<joint>.+?)[_ ]{_BEFORE}(?P<word>{_LONG}){_AFTER}",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    rf"(?:(?P<first>{_COMMANDED}|{_MEASURED})[_ ])?(?P<rest>.*?)"
    rf"(?:(?:^|[_ ])(?P<last>{_COMMANDED}|{_MEASURED}|d))?",
    re.IGNORECASE,
)
_IS_COMMANDED = re.compile(rf"(?:^|[_ ])(?:{_COMMANDED}|d)(?=[_ ]|$)", re.IGNORECASE)
_QUALIFIER = re.compile(rf"{_COMMANDED}|{_MEASURED}", re.IGNORECASE)
_SOURCE = re.compile(
    rf"(?:{_COMMANDED}|{_MEASURED}|{_OWNERS}|joint_?states?|data|msg|message|field|header|values?)",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"[/.]|(?<!:):(?!:)")


class ColumnName(NamedTuple):
    """Meaning of a column's name.

    Attributes:
        quantity: The quantity t, q, u, du or tau.
        joint: Name or number of the joint; None where the name of the column has neither.
        unit: The unit in brackets or behind the name, or None.
    """

    quantity: str
    joint: str | int | None
    unit: str | None

    @property
    def has_its_unit(self) -> bool:
        """Whether the unit, if one is stated, is one of the quantity."""
        return self.unit is None or find_factor(self.quantity, self.unit) is not None


class LoggedName(NamedTuple):
    """Name of a column as a logger makes it.

    Attributes:
        meaning: The quantity, the joint and the unit.
        stem: The name without its joint: columns of one signal have the same.
        is_commanded: Whether the value was commanded and not measured.
        is_current: Whether the torque is a motor current.
    """

    meaning: ColumnName
    stem: str
    is_commanded: bool
    is_current: bool


def read_column_name(name: str) -> ColumnName | None:
    """Read the name of a column; None where it means no quantity.

    `q1`, `q_1` and `q[1]` are numbered joints, `q_elbow`, `q.elbow`, `elbow.position` and
    `elbow/position` named ones. A unit may follow in brackets.
    """
    found = read_logged_name(name)
    return None if found is None else found.meaning


@lru_cache(maxsize=4096)
def read_logged_name(name: str) -> LoggedName | None:
    """Read the name of a column with all that a logger says in it; None without a quantity."""
    found = _UNIT.search(name)
    unit = None if found is None else (found[1] or found[2] or "").strip()
    bare = (name[: found.start()] if found else name).strip()
    if len(bare) > _LONGEST:
        return None
    whole = _read_bare(bare)
    alone = whole is not None and whole.meaning.joint is None and whole.meaning.quantity != "t"
    named = unit is not None and _INDEX.fullmatch(unit) is not None
    if alone and named and all(find_factor(own, unit or "") is None for own in _FACTORS):
        return _read_bare(f"{bare}.{unit}")  # q(1), position[elbow]
    if unit is None and (suffix := _SUFFIX.fullmatch(bare)):
        short = _read_bare(suffix[1])
        complete = short is not None and (
            short.meaning.quantity == "t" or short.meaning.joint is not None
        )
        if short is not None and complete and find_factor(short.meaning.quantity, suffix[2]):
            return _with_unit(short, suffix[2])
    if whole is None:  # jointPos, elbow-position: parts of a name in other forms
        plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-(?=[^-]*$)", "_", bare)
        whole = None if plain == bare else _read_bare(plain)
    return None if whole is None else _with_unit(whole, unit)


def is_surrounding(name: str) -> bool:
    """Tell whether a column or array is of a moving base, of a wrench or of a force plate."""
    return _SURROUNDINGS.fullmatch(name) is not None


def strip_unit(name: str) -> str:
    """Strip the unit in brackets from the name of a column."""
    found = _UNIT.search(name)
    return (name[: found.start()] if found else name).strip()


_LONGEST = 500
"""Largest length of a name in which a quantity is looked for [characters]."""


def _with_unit(found: LoggedName, unit: str | None) -> LoggedName:
    return found._replace(meaning=found.meaning._replace(unit=unit))


def _read_bare(bare: str) -> LoggedName | None:
    """Read a name without its unit."""
    text = re.sub(r"\s*\[\s*(\d+)\s*\]", r".\1", bare)
    if text.casefold() in ("%time", "__time"):
        text = text.removeprefix("%").removeprefix("__")
    cuts = [match.span() for match in _SPLIT.finditer(text)]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    segments = [text[a:b] for a, b in zip(starts, ends, strict=True)]
    for k in reversed(range(len(segments))):
        if match := _QUANTITY.fullmatch(segments[k]):
            rest = text[starts[k + 1] :] if k + 1 < len(segments) else None
            # Read a name one segment of which is a quantity: the joint follows it or comes before.
            before = segments[:k]
            prefix = text[: starts[k]]
            word, qualifiers = match["word"], (match["before"], match["behind"])
            commanded = any(_IS_COMMANDED.search(each) for each in [*before, *qualifiers])
            if _mean(word) == "t":
                return None if rest else _name(word, None, f"{prefix}{match[0]}", commanded)
            if rest:
                joint, also = _strip_qualifiers(rest)
                if joint == "":
                    return _name(word, None, f"{prefix}{match[0]}", commanded or also)
                return _name(word, joint, f"{prefix}{match[0]}.{{}}", commanded or also)
            sources = [each for each in before if each]
            while sources and _QUALIFIER.fullmatch(sources[-1]):
                sources.pop()
            if not sources or _SOURCE.fullmatch(sources[-1]):
                return _name(word, None, f"{prefix}{match[0]}", commanded)
            joint, also = _strip_qualifiers(sources[-1])
            stem = f"{'/'.join(sources[:-1])}/{{}}/{match[0]}{'-commanded' if commanded else ''}"
            return _name(word, sources[-1] if joint == "" else joint, stem, commanded or also)
    return _read_last_segment(segments, text, starts[-1])


def _read_last_segment(segments: list[str], text: str, start: int) -> LoggedName | None:
    """Read a name whose last segment holds the quantity and the joint."""
    prefix, last = text[:start], segments[-1]
    commanded = any(_IS_COMMANDED.search(each) for each in segments[:-1])
    if match := _NUMBERED.fullmatch(last):
        also = any(_IS_COMMANDED.search(match[each]) for each in ("before", "behind", "last"))
        stem = f"{prefix}{match['before']}{match['word']}{match['behind']}{{}}{match['last']}"
        if _mean(match["word"]) == "t":
            return None
        return _name(match["word"], int(match["joint"]), stem, commanded or also)
    if len(segments) == 1 or last.isdecimal():
        head = segments[-2] if last.isdecimal() and len(segments) > 1 else segments[0]
        tail = text[text.index(head) + len(head) :] if head else ""
        if (match := _AHEAD.fullmatch(head)) and _mean(match["word"]) != "t":
            return _read_ahead(match, prefix if last.isdecimal() else "", tail)
    elif (match := _AHEAD.fullmatch(segments[0])) and _mean(match["word"]) != "t":
        return _read_ahead(match, "", text[len(segments[0]) :])
    if (match := _BEHIND.fullmatch(last)) and _mean(match["word"]) != "t":
        also = bool(_IS_COMMANDED.search(match["before"]) or _IS_COMMANDED.search(match["behind"]))
        joint, more = _strip_qualifiers(match["joint"])
        stem = f"{prefix}{{}}_{match['before']}{match['word']}{match['behind']}"
        joint = match["joint"] if joint == "" else joint
        return _name(match["word"], joint, stem, commanded or also or more)
    return None


def _read_ahead(match: re.Match[str], prefix: str, tail: str) -> LoggedName:
    """Read a segment that begins with the quantity and goes on with the joint."""
    joint, also = _strip_qualifiers(match["joint"] + tail)
    also = also or bool(_IS_COMMANDED.search(match["before"]))
    stem = f"{prefix}{match['before']}{match['word']}{'_commanded' if also else ''}_{{}}"
    if joint in ("", None):
        return _name(match["word"], None, stem, also)
    return _name(match["word"], joint, stem, also)


def _strip_qualifiers(text: str) -> tuple[str | int, bool]:
    """Take words such as actual and desired off a joint; tell whether it was commanded.

    A lone d, for desired, is taken off a number only: it may well be the name of a joint.
    """
    if (desired := re.fullmatch(r"d[_.](\d+)", text)) is not None:
        return int(desired[1]), True
    found = _QUALIFIED.fullmatch(text)
    if found is None or (found["last"] or "").casefold() == "d":
        return _number(text), False
    words = " ".join(word for word in (found["first"], found["last"]) if word)
    if not words:
        return _number(text), False
    return _number(found["rest"].strip("._/ ")), bool(_IS_COMMANDED.search(words))


def _number(text: str) -> str | int:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else text


def _name(word: str, joint: str | int | None, stem: str, commanded: bool) -> LoggedName:
    meaning = ColumnName(_mean(word), joint, None)
    return LoggedName(meaning, stem.casefold(), commanded, word.casefold() in CURRENTS)


def _mean(word: str) -> str:
    folded = word.casefold()
    return "tau" if folded in CURRENTS else MEANING[folded]


_LARGEST = 2**20
"""Largest size of a mapping file [bytes]: a line for each column of any log is far less."""

_KEYS = ("quantity", "joint", "unit", "sign")
_MAP_WORDS = {
    "t": "time",
    "q": "position",
    "u": "velocity",
    "du": "acceleration",
    "tau": "torque",
}
"""Word of a mapping file for each quantity."""

_IGNORE = "ignore"
_QUANTITIES = (*_MAP_WORDS.values(), *CURRENTS[:1], _IGNORE)


class MappedColumn(NamedTuple):
    """Meaning of a column by a mapping file.

    Attributes:
        name: Quantity, joint and unit; None for a column that is left out.
        sign: 1 or -1, which the values are multiplied by.
        is_current: Whether the torque is a motor current.
    """

    name: ColumnName | None
    sign: float
    is_current: bool


@dataclass(frozen=True)
class ColumnMap:
    """Mapping of the columns of a recording.

    Attributes:
        path: Path of the file.
        columns: Meaning of each column, by its name.
    """

    path: str
    columns: Mapping[str, MappedColumn]

    def check_used(self, titles: Sequence[str], path: str) -> None:
        """Refuse names that a recording does not have.

        Raises:
            DocumentError: Names the column and those of the recording.
        """
        missing = [name for name in self.columns if name not in titles]
        if missing:
            hint = suggest_name(missing[0], titles, f"; it has {', '.join(titles)}")
            raise DocumentError(
                self.path, f"[columns] {json.dumps(missing[0])}: {path} has no such column{hint}"
            )


def read_column_map(path: str) -> ColumnMap:
    """Read a mapping file.

    Raises:
        DocumentError: The file cannot be read, or holds something else; names the line.
    """
    import tomllib

    try:
        with open_regular(path) as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None
    if len(data) > _LARGEST:
        raise DocumentError(path, f"more than {_LARGEST} bytes: no mapping of columns")
    try:
        text = data.decode("utf-8")
        values = tomllib.loads(text)
    except UnicodeDecodeError:
        raise DocumentError(path, "not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise DocumentError(path, f"no TOML: {error}") from None
    except RecursionError:
        raise DocumentError(path, "no mapping of columns: nested too deeply") from None
    place = _MapText(os.fspath(path), text)
    for key in values:
        if key != "columns":
            raise place.error(key, f"{json.dumps(key)} is unknown: expected the table [columns]")
    columns = values.get("columns")
    if not isinstance(columns, dict) or not columns:
        raise DocumentError(place.path, "expected a table [columns] with a line for each column")
    read = {name: _read_column(place, name, entry) for name, entry in columns.items()}
    seen: dict[tuple[str, str | int | None], str] = {}
    for name, column in read.items():
        if column.name is not None:
            meaning = (column.name.quantity, column.name.joint)
            if meaning in seen:
                raise place.error(name, f"{name} means the same as {seen[meaning]}: keep one")
            seen[meaning] = name
    return ColumnMap(place.path, read)


class _MapText(NamedTuple):
    """Text of a mapping file, which finds the places of its keys."""

    path: str
    text: str

    def error(self, key: str, reason: str, within: str | None = None) -> DocumentError:
        """Make an error with the place of a key, of a column within which it stands."""
        start = 0
        if within is not None:
            found = re.search(_spell(within), self.text)
            start = found.end() if found else 0
        match = re.compile(_spell(key)).search(self.text, start)
        if match is None:
            return DocumentError(self.path, reason)
        line = self.text.count("\n", 0, match.start()) + 1
        column = match.start() - self.text.rfind("\n", 0, match.start())
        return DocumentError(self.path, reason, line, column)


def _spell(key: str) -> str:
    """Return a pattern of a key as TOML may write it."""
    quoted = re.escape(json.dumps(key, ensure_ascii=False))
    return rf"{quoted}|'{re.escape(key)}'|(?<![\w-]){re.escape(key)}(?![\w-])"


def _read_column(text: _MapText, name: str, entry: object) -> MappedColumn:
    if not isinstance(entry, dict):
        form = '{ quantity = "position", joint = "elbow" }'
        raise text.error(name, f"{json.dumps(name)}: expected {form}")
    for key in entry:
        if key not in _KEYS:
            hint = suggest_name(key, _KEYS, f"; known are {', '.join(_KEYS)}")
            raise text.error(key, f"{json.dumps(name)}: {key} is unknown{hint}", name)
    quantity, word = _read_quantity(text, name, entry.get("quantity"))
    if quantity is None:
        return MappedColumn(None, 1.0, False)
    joint = entry.get("joint")
    if joint is not None and (isinstance(joint, bool) or not isinstance(joint, str | int)):
        raise text.error("joint", f"{json.dumps(name)}: joint is {joint!r}, expected a name", name)
    if quantity == "t" and joint is not None:
        raise text.error("joint", f"{json.dumps(name)}: the time belongs to no joint", name)
    unit = entry.get("unit")
    if unit is not None and (not isinstance(unit, str) or find_factor(quantity, unit) is None):
        reason = f"{json.dumps(name)}: unit is {unit!r}, expected {describe_units(quantity)}"
        raise text.error("unit", reason, name)
    sign = entry.get("sign", 1)
    if isinstance(sign, bool) or sign not in (1, -1):
        raise text.error("sign", f"{json.dumps(name)}: sign is {sign!r}, expected 1 or -1", name)
    is_current = word in CURRENTS
    return MappedColumn(ColumnName(quantity, joint, unit), float(sign), is_current)


def _read_quantity(text: _MapText, name: str, word: object) -> tuple[str | None, str]:
    """Read the quantity of a column; None for one that is left out."""
    folded = word.casefold() if isinstance(word, str) else ""
    if folded == _IGNORE:
        return None, folded
    if folded in CURRENTS:
        return "tau", folded
    if folded in MEANING:
        return MEANING[folded], folded
    what = "is missing" if word is None else f"is {word!r}"
    reason = f"{json.dumps(name)}: quantity {what}, expected one of {', '.join(_QUANTITIES)}"
    raise text.error("quantity" if word is not None else name, reason, name if word else None)


def write_column_map(columns: Mapping[str, ColumnName | None]) -> str:
    """Write the text of a mapping file, to be corrected by hand."""
    lines = ["[columns]"]
    for name, meaning in columns.items():
        if meaning is None:
            entry = f'quantity = "{_IGNORE}"'
        else:
            entry = f'quantity = "{_MAP_WORDS[meaning.quantity]}"'
            if meaning.joint is not None:
                entry += f", joint = {json.dumps(meaning.joint, ensure_ascii=False)}"
        lines.append(f"{json.dumps(name, ensure_ascii=False)} = {{ {entry} }}")
    return "\n".join(lines)


class ReadingNote(NamedTuple):
    """What was chosen, converted or left out when a recording was read.

    Attributes:
        kind: What it is about.
        text: One line with the names or numbers.
    """

    kind: Literal["columns", "units", "topic", "rows", "joined"]
    text: str

    def __str__(self) -> str:
        """The note as a line of a report: its kind and its text."""
        return f"{self.kind}: {self.text}"


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """Options of the reading of a recording.

    Attributes:
        needed: Quantities without which a recording is refused; a trajectory has no torques, and
            one of several files that belong together may lack positions.
        columns: Mapping of the columns; None to understand their names.
        skip_bad_rows: Whether samples that cannot be used are left out, with a note.
        topic: Topic of a ROS recording; None for the only one with joint states.
        partial: Whether torques of some joints may be missing: no column, or only NaN.
        further: Names of columns or arrays to be read besides those of the joints. Those of a
            moving base and of wrenches, as names.is_surrounding has them, are always read.
        joints: Names of the joints of the robot, for the choice among messages of several devices.
    """

    needed: tuple[str, ...] = ("q", "tau")
    columns: ColumnMap | None = None
    skip_bad_rows: bool = False
    topic: str | None = None
    partial: bool = False
    further: Collection[str] = ()
    joints: tuple[str, ...] = ()


_SHOWN = 3
"""Number of samples that a note names."""

_MOST = 0.5
"""Largest part of the samples that is left out: where more are bad, the recording is."""

Place = tuple[int | None, int | None]
"""Line and column of a sample; None where the file has no lines."""


@dataclass
class BadRows:
    """Samples that were left out, and the reasons; blocks of samples come one after another.

    Attributes:
        path: Path of the recording.
        skip: Whether they are left out; else the first is an error.
        count: Number of samples left out.
        total: Number of samples looked at.
        kept: Number of samples kept.
        breaks: Kept samples before which the stamps ran backwards.
        gaps: Kept samples before which something was left out.
    """

    path: str
    skip: bool
    count: int = 0
    total: int = 0
    kept: int = 0
    breaks: list[int] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    _last: float = -inf
    _first: list[tuple[str, Place, str]] = field(default_factory=list)
    _reasons: dict[str, int] = field(default_factory=dict)
    _is_open: bool = False
    _is_back: bool = False

    def select(
        self,
        values: Floats,
        t: Floats | None,
        place: Callable[[int], Place],
        reasons: dict[int, str] | None = None,
    ) -> Mask:
        """Select the samples of a block that can be used.

        Args:
            values: (S, k) numbers.
            t: (S,) stamps, or None.
            place: Finds the place of a sample of the block.
            reasons: Why a sample has no numbers at all, by its index.
        """
        good: Mask = np.asarray(np.isfinite(values).all(axis=1))
        back: Mask = np.zeros(len(values), dtype=bool)
        again: Mask = np.zeros(len(values), dtype=bool)
        latest = np.full(len(values) + 1, -inf)
        if t is not None:
            good &= np.isfinite(t)
            stamps = np.where(good, t, -inf)
            latest = np.maximum.accumulate(np.concatenate([[self._last], stamps]))
            again = good & (stamps == latest[:-1])
            back = good & (stamps < latest[:-1])
            self._last = float(latest[-1])
        bad = ~good | back | again
        for index in np.flatnonzero(bad).tolist():
            kind = "stamp that runs backwards" if back[index] else ""
            kind = kind or ("stamp that is there twice" if again[index] else "")
            kind = kind or (reasons or {}).get(index, "number that is not finite")
            if len(self._first) < _SHOWN:
                number = self.total + index
                found = place(index)
                stamp = ""
                if t is not None and good[index]:
                    before = f"up to t[{number - 1}] {latest[index]:.12g} s"
                    stamp = f"t[{number}] is {t[index]:.12g} s, and {before}: "
                shown = f"sample {number}" if found[0] is None else f"line {found[0]}"
                self._first.append((shown, found, f"{stamp}a {kind}"))
            self.count += 1
            known = kind if kind in self._reasons or len(self._reasons) < _SHOWN else "other reason"
            self._reasons[known] = self._reasons.get(known, 0) + 1
        # Find the kept samples before which something was left out.
        if not bad.any() and not self._is_open:
            self.kept += len(bad)
        else:
            for is_bad, is_back in zip(bad.tolist(), back.tolist(), strict=True):
                if is_bad:
                    self._is_open, self._is_back = True, self._is_back or is_back
                    continue
                if self._is_open and self.kept:
                    self.gaps.append(self.kept)
                    if self._is_back:
                        self.breaks.append(self.kept)
                self._is_open = self._is_back = False
                self.kept += 1
        self.total += len(bad)
        return ~bad

    def finish(self) -> tuple[ReadingNote, ...]:
        """Return a note on what was left out.

        Raises:
            DocumentError: Nothing may be left out, or too much would be.
        """
        if not self.count:
            return ()
        shown, (line, column), kind = self._first[0]
        at = "" if line is not None or kind.startswith("t[") else f"{shown}: "
        if not self.skip:
            raise DocumentError(
                self.path,
                f"{at}{kind}; {self.count} of {self.total} samples cannot be used: correct them, "
                "or leave them out with --skip-bad-rows",
                line,
                column,
            )
        if self.count > _MOST * self.total:
            raise DocumentError(
                self.path,
                f"{at}{kind}; {self.count} of {self.total} samples cannot be used, and at most "
                "half of them are left out",
                line,
                column,
            )
        kinds = ", ".join(f"{count} x {kind}" for kind, count in self._reasons.items())
        first = ", ".join(each[0] for each in self._first)
        more = "" if self.count <= _SHOWN else ", ..."
        text = (
            f"{self.count} of {self.total} samples left out ({first}{more}): {kinds}; "
            "the filter bridges none of the gaps that are longer than half a period of its cut-off"
        )
        return (ReadingNote("rows", text),)


def drop_bad_rows(
    path: str, arrays: dict[str, Floats], skip: bool
) -> tuple[dict[str, Floats], BadRows]:
    """Leave out the samples of whole arrays that cannot be used; without `skip` refuse them.

    Args:
        path: Path of the recording.
        arrays: The time (S,) and signals (S, ...) by name, of equal lengths.
        skip: Whether they are left out.

    Raises:
        DocumentError: Names the first sample that cannot be used.
    """
    rows = BadRows(path, skip)
    count = len(next(iter(arrays.values())))
    finite = np.ones((count, 1))
    for name, array in arrays.items():
        if name != "t":
            finite[~np.isfinite(array).reshape(count, -1).all(axis=1)] = np.nan
    stamps = arrays.get("t")
    good = rows.select(finite, stamps, lambda _: (None, None))
    if good.all():
        return arrays, rows
    return {name: array[good] for name, array in arrays.items()}, rows


class EntryPlace(NamedTuple):
    """Name of an entry of an array, and its line and column where the file has lines."""

    name: str
    line: int | None
    column: int | None


EntryFinder = Callable[[str, tuple[int, ...]], EntryPlace]
"""Finds the place of an entry, by the name of its quantity and its index."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """Samples of a robot's motion and torques, or of the equations that they make.

    Attributes:
        path: The file, as it was named.
        t: (S,) time [s], as stamped; None where the file has none.
        q: (S, n) positions of the joints [rad or m], or None.
        u: (S, n) velocities [rad/s or m/s], or None.
        du: (S, n) accelerations [rad/s^2 or m/s^2], or None.
        tau: (S, n) torques or forces [N m or N], or None where the caller can do without.
        Y: (S, n, 10 L) regressor, in place of the motion; or None.
        F: (S, n, k) columns of the effects beside the bodies, as friction; only with Y; or None.
        columns: Names of the columns of F, where the file gives them.
        joints: Names of the n joints in the order of the columns, where the file gives them.
        ignored: Names of all other columns or arrays.
        unmeasured: Indices of the joints whose torque the file does not have; it counts as 0.
        further: Columns (S,) or arrays (S, k) of a moving base, of wrenches, and those that were
            asked for, by their names.
        notes: What was chosen, converted and left out on reading.
        stated: Quantities that state their units, which were converted to SI units.
        has_currents: Whether motor currents [A] stand for the torques.
        has_others: Whether joints of other devices may stand in it, which a robot lacks.
        breaks: Samples at which a new stretch begins, which nothing ties to the one before.
    """

    path: str
    t: Floats | None = None
    q: Floats | None = None
    u: Floats | None = None
    du: Floats | None = None
    tau: Floats | None = None
    Y: Floats | None = None
    F: Floats | None = None
    columns: tuple[str, ...] | None = None
    joints: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()
    unmeasured: tuple[int, ...] = ()
    further: Mapping[str, Floats] = field(default_factory=dict)
    notes: tuple[ReadingNote, ...] = ()
    stated: frozenset[str] = frozenset()
    has_currents: bool = False
    has_others: bool = False
    breaks: tuple[int, ...] = ()

    def __repr__(self) -> str:
        """Name the arrays and their sizes."""
        held = ", ".join(name for name in ("t", *SIGNALS, "Y", "F") if name not in self.absent)
        return f"Recording({self.path!r}: {held}; samples {self.samples}, joints {self.count})"

    @property
    def absent(self) -> tuple[str, ...]:
        """Names among t, q, u, du, tau, Y and F that the file does not have."""
        return tuple(name for name in ("t", *SIGNALS, "Y", "F") if getattr(self, name) is None)

    @property
    def samples(self) -> int:
        """Number of samples, S."""
        return len(self._shown)

    @property
    def count(self) -> int:
        """Number of joints, n."""
        return int(self._shown.shape[1])

    @property
    def _shown(self) -> Floats:
        every = (self.Y, self.q, self.u, self.du, self.tau)
        shown = next((each for each in every if each is not None), None)
        assert shown is not None
        return shown


MOST_NUMBERS = 2**25
"""Largest number of numbers of a recording: an hour of seven joints at 250 Hz has 20 million, and
twice as many take half a gigabyte."""

TOO_LONG = "too long to be held in memory: cut the recording, or take fewer samples a second"

SIGNALS = ("q", "u", "du", "tau")
"""Names of the arrays with one column a joint."""


def settle_samples(
    about: Recording,
    arrays: Mapping[str, Floats],
    how: ReadingOptions,
    find: EntryFinder,
    rows: BadRows | None = None,
) -> Recording:
    """Refuse or leave out the samples that cannot be used, with a note; every reader does it last.

    Torques that are NaN in every sample were not measured, and become 0 where that is allowed.

    Args:
        about: All but the arrays, with those beside the joints.
        arrays: Time, signals, regressor and columns as they were read, in SI units, by name.
        how: Options of the reading.
        find: Finds the place of an entry for a message.
        rows: Samples that the reader has left out already, block by block; None for none.

    Raises:
        DocumentError: Names the first number that is not finite or stamp that does not increase.
    """
    every = {**arrays, **about.further}
    unmeasured: tuple[int, ...] = ()
    if how.partial and "tau" in arrays:
        empty = np.isnan(arrays["tau"]).all(axis=0)
        every["tau"] = np.where(empty, 0.0, arrays["tau"]) if empty.any() else arrays["tau"]
        unmeasured = tuple(np.flatnonzero(empty).tolist())
    if rows is not None or not how.skip_bad_rows:
        _refuse_not_finite(about.path, every, find)
    if rows is None:
        every, rows = drop_bad_rows(about.path, every, how.skip_bad_rows)
    held = {name: every[name] for name in arrays}
    return replace(
        about,
        t=held.get("t"),
        q=held.get("q"),
        u=held.get("u"),
        du=held.get("du"),
        tau=held.get("tau"),
        Y=held.get("Y"),
        F=held.get("F"),
        further={name: every[name] for name in about.further},
        unmeasured=unmeasured,
        notes=(*about.notes, *rows.finish()),
        # Without stamps nothing else says that samples are missing.
        breaks=tuple(rows.breaks if "t" in arrays else rows.gaps),
    )


def _refuse_not_finite(path: str, arrays: Mapping[str, Floats], find: EntryFinder) -> None:
    """Refuse numbers that are not finite: no sample can be used in part.

    Raises:
        DocumentError: Names the first of them, and how many samples have such numbers.
    """
    for name, array in arrays.items():
        bad = ~np.isfinite(array)
        if not bad.any():
            continue
        index = tuple(int(axis[0]) for axis in np.nonzero(bad))
        called, line, column = find(name, index)
        rows = int(bad.reshape(len(bad), -1).any(axis=1).sum())
        raise DocumentError(
            path,
            f"{called} is {array[index]}, expected a finite number: "
            f"leave out the {rows} of {len(bad)} samples in which {name} has such values, as "
            "--skip-bad-rows does",
            line,
            column,
        )


def refuse_unlike(path: str, arrays: Mapping[str, Floats]) -> None:
    """Refuse signals of different numbers of joints or samples.

    Args:
        path: The path that messages name.
        arrays: The time (S,) and signals (S, n) by name.

    Raises:
        DocumentError: Names two arrays that differ.
    """
    first = next((name for name in SIGNALS if name in arrays), None)
    for name, array in arrays.items():
        if first is None or name == first:
            continue
        if array.ndim > 1 and array.shape[1] != arrays[first].shape[1]:
            raise DocumentError(
                path,
                f"{name} has {array.shape[1]} and {first} has {arrays[first].shape[1]} columns: "
                "expected one for each joint in both",
            )
        if len(array) != len(arrays[first]):
            raise DocumentError(
                path,
                f"{name} has {len(array)} samples and {first} has {len(arrays[first])}: "
                "expected as many in both",
            )
