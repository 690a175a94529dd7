"""Units of the quantities of a recording, with their factors to SI units."""

from __future__ import annotations

import math

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
