"""Names of the arrays and columns of recordings, and their meaning.

Loggers put the same words into a name in any order: the quantity, the joint, whether the value was
measured or commanded, and where it comes from. The last word that is a quantity decides.

Units of the quantities of a recording, with their factors to SI units.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import NamedTuple

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
    "t": ("t", "time", "stamp", "timestamp", "times"),
    "q": ("q", "pos", "position", "positions", "qpos", "angle", "angles"),
    "u": ("u", "qd", "dq", "vel", "velocity", "velocities", "qvel", "qdot", "speed", "speeds"),
    "du": ("du", "qdd", "ddq", "acc", "acceleration", "accelerations", "qacc", "qddot", "accel"),
    "tau": ("tau", "torque", "torques", "effort", "efforts", "trq", "tau_j", "qfrc_actuator"),
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
)
_OWNERS = "joints?|jnt|motors?|axis|robot|states?"
_UNIT = re.compile(r"\s*(?:\[(?!\s*\d+\s*\])([^\[\]]*)\]|\(([^()]*)\))$")
_SUFFIX = re.compile(rf"(.+)_({'|'.join(SUFFIXES)})", re.IGNORECASE)
_WORDS = "|".join(sorted([*MEANING, *CURRENTS], key=len, reverse=True))
_LONG = "|".join(
    sorted(
        (name for name in [*MEANING, *CURRENTS] if name not in ("t", "u")), key=len, reverse=True
    )
)
_BEFORE = rf"(?P<before>(?:(?:{_COMMANDED}|{_MEASURED}|{_OWNERS})[_ ]*)*?)"
_QUANTITY = re.compile(rf"{_BEFORE}(?P<word>{_WORDS})", re.IGNORECASE)
_NUMBERED = re.compile(
    rf"{_BEFORE}(?P<word>{_WORDS})(?P<behind>(?:_(?:{_COMMANDED}|{_MEASURED}|d(?=_)))*)"
    r"_?(?P<joint>\d+)",
    re.IGNORECASE,
)
_AHEAD = re.compile(rf"{_BEFORE}(?P<word>{_WORDS})[_ ](?P<joint>.+)", re.IGNORECASE)
_BEHIND = re.compile(
    rf"(?P<joint>.+?)[_ ]{_BEFORE}(?P<word>{_LONG})(?P<behind>(?:_(?:{_COMMANDED}|{_MEASURED}))*)",
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
    if unit is None and (suffix := _SUFFIX.fullmatch(bare)):
        short = _read_bare(suffix[1])
        complete = short is not None and (
            short.meaning.quantity == "t" or short.meaning.joint is not None
        )
        if short is not None and complete and find_factor(short.meaning.quantity, suffix[2]):
            return _with_unit(short, suffix[2])
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
    text = re.sub(r"\[\s*(\d+)\s*\]", r".\1", bare)
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
            word, qualifiers = match["word"], match["before"]
            commanded = any(_IS_COMMANDED.search(each) for each in [*before, qualifiers])
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
            return _name(word, joint or sources[-1], stem, commanded or also)
    return _read_last_segment(segments, text, starts[-1])


def _read_last_segment(segments: list[str], text: str, start: int) -> LoggedName | None:
    """Read a name whose last segment holds the quantity and the joint."""
    prefix, last = text[:start], segments[-1]
    commanded = any(_IS_COMMANDED.search(each) for each in segments[:-1])
    if match := _NUMBERED.fullmatch(last):
        also = bool(_IS_COMMANDED.search(match["before"]) or _IS_COMMANDED.search(match["behind"]))
        stem = f"{prefix}{match['before']}{match['word']}{match['behind']}{{}}"
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
        return _name(match["word"], joint or match["joint"], stem, commanded or also or more)
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
