"""Names of the arrays and columns of recordings, and their meaning."""

from __future__ import annotations

import re
from typing import NamedTuple

ALIASES = {
    "t": ("t", "time", "stamp", "timestamp"),
    "q": ("q", "pos", "position", "positions"),
    "u": ("u", "qd", "dq", "vel", "velocity", "velocities"),
    "du": ("du", "qdd", "ddq", "acc", "acceleration", "accelerations"),
    "tau": ("tau", "torque", "torques", "effort", "efforts"),
}
"""Names of each quantity; upper and lower case are alike."""

MEANING = {name: quantity for quantity, names in ALIASES.items() for name in names}
"""The quantity that each name means."""

UNITS = {
    "t": ("s", "sec"),
    "q": ("rad", "m"),
    "u": ("rad/s", "m/s", "rad s^-1", "m s^-1"),
    "du": ("rad/s^2", "m/s^2", "rad s^-2", "m s^-2"),
    "tau": ("N m", "N"),
}
"""Units that a column may state; case and the signs of products and powers do not matter."""

_SURROUNDINGS = re.compile(
    r"base_(pose|twist|acceleration|q[wxyz]|(v|w|a|alpha|)[xyz])"
    r"|wrench_.+|plate(_[fm][xyz])?"
)
"""Names of the columns and arrays of a moving base, of wrenches and of a force plate."""

_UNIT = re.compile(r"\s*(?:\[(?!\s*\d+\s*\])([^\[\]]*)\]|\(([^()]*)\))$")
_NAMES = "|".join(sorted(MEANING, key=len, reverse=True))
_NUMBERED = re.compile(rf"({_NAMES})(?:_?(\d+)|\[\s*(\d+)\s*\])?", re.IGNORECASE)
_BEFORE = re.compile(rf"({_NAMES})[_./](.+)", re.IGNORECASE)
_BEHIND = re.compile(
    rf"(.+)[./]({'|'.join(name for name in MEANING if len(name) > 2)})", re.IGNORECASE
)
_SIGNS = str.maketrans({"²": "2", "⋅": "", "·": "", "*": "", "^": "", ".": "", " ": ""})


class ColumnName(NamedTuple):
    """Meaning of a column's name.

    Attributes:
        quantity: The quantity t, q, u, du or tau.
        joint: Name or number of the joint; None where the name of the column has neither.
        unit: The unit in brackets behind the name, or None.
    """

    quantity: str
    joint: str | int | None
    unit: str | None

    @property
    def has_its_unit(self) -> bool:
        """Whether the unit, if one is stated, is one of the quantity."""
        if self.unit is None:
            return True
        return _plain(self.unit) in map(_plain, UNITS[self.quantity])


def read_column_name(name: str) -> ColumnName | None:
    """Read the name of a column; None where it means no quantity.

    `q1`, `q_1` and `q[1]` are numbered joints, `q_elbow`, `q.elbow`, `elbow.position` and
    `elbow/position` named ones. A unit may follow in brackets.
    """
    found = _UNIT.search(name)
    unit = None if found is None else (found[1] or found[2] or "").strip()
    bare = name[: found.start()] if found else name
    bare = bare.strip()
    if numbered := _NUMBERED.fullmatch(bare):
        number = numbered[2] or numbered[3]
        return ColumnName(_meaning(numbered[1]), int(number) if number else None, unit)
    if before := _BEFORE.fullmatch(bare):
        return ColumnName(_meaning(before[1]), before[2], unit) if _has_joints(before[1]) else None
    if behind := _BEHIND.fullmatch(bare):
        return ColumnName(_meaning(behind[2]), behind[1], unit) if _has_joints(behind[2]) else None
    return None


def is_surrounding(name: str) -> bool:
    """Tell whether a column or array is of a moving base, of a wrench or of a force plate."""
    return _SURROUNDINGS.fullmatch(name) is not None


def strip_unit(name: str) -> str:
    """Strip the unit in brackets from the name of a column."""
    found = _UNIT.search(name)
    return (name[: found.start()] if found else name).strip()


def _plain(unit: str) -> str:
    return unit.casefold().translate(_SIGNS)


def _meaning(name: str) -> str:
    return MEANING[name.casefold()]


def _has_joints(name: str) -> bool:
    return _meaning(name) != "t"
