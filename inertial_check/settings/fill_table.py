"""Values of the table [fill] of configuration files: what is known of bodies without inertials."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite

from inertial_check.settings.configuration import (
    Where,
    is_number,
    read_choice,
    read_flag,
    read_path,
    suggest_key,
)


def read_fill_value(value: object, where: Where) -> object:
    """Check the member `where.keys[-1]` of the table, and convert it.

    Raises:
        UsageError: An unknown key, or a value of the wrong type or range; names the place.
    """
    key = where.keys[-1]
    if key not in _READERS:
        raise where.wrong(f": unknown key{suggest_key(key, list(_READERS))}")
    return _READERS[key](value, where)


def _number(value: object, where: Where) -> float:
    if not is_number(value):
        raise where.unlike(value, "a number")
    return float(value)


def _positive(value: object, where: Where) -> float:
    number = _number(value, where)
    if not number > 0:
        raise where.unlike(value, "a positive number")
    return number


def _table_of(read: Callable[[object, Where], object]) -> Callable[[object, Where], object]:
    def read_table(value: object, where: Where) -> dict[str, object]:
        if not isinstance(value, Mapping):
            raise where.unlike(value, "a table")
        return {name: read(each, where.inside(name)) for name, each in value.items()}

    return read_table


def _material(value: object, where: Where) -> float | str:
    """A density [kg/m^3], or the name of a material."""
    return value if isinstance(value, str) else _positive(value, where)


def _total_mass(value: object, where: Where) -> tuple[float, float]:
    """Mass [kg] and relative deviation, from a number or a text KG:REL."""
    if not isinstance(value, str):
        return _positive(value, where), 0.0
    mass, _, deviation = value.partition(":")
    try:
        found = float(mass), float(deviation or "0")
    except ValueError:
        raise where.unlike(value, "KG or KG:REL, as 23.5:0.01") from None
    if not (found[0] > 0 and isfinite(found[0]) and 0 <= found[1] < 1):
        raise where.unlike(value, "KG or KG:REL, a positive mass and a part of 1")
    return found


def _numbers(count: int, what: str) -> Callable[[object, Where], tuple[float, ...]]:
    def read(value: object, where: Where) -> tuple[float, ...]:
        if not isinstance(value, list | tuple) or len(value) != count:
            raise where.unlike(value, what)
        return tuple(_number(each, where) for each in value)

    return read


def _density_range(value: object, where: Where) -> tuple[float, ...]:
    found = _numbers(2, "a list [LOW, HIGH]")(value, where)
    if not 0 <= found[0] < found[1]:
        raise where.unlike(value, "a list [LOW, HIGH], 0 <= LOW < HIGH")
    return found


def _pairs(value: object, where: Where) -> tuple[tuple[str, str], ...]:
    expected = 'a list of pairs of names, as [["finger_left", "finger_right"]]'
    if not isinstance(value, list | tuple):
        raise where.unlike(value, expected)
    found = []
    for each in value:
        is_pair = isinstance(each, list | tuple) and len(each) == 2
        if not is_pair or not all(isinstance(name, str) and name for name in each):
            raise where.unlike(value, expected)
        found.append((each[0], each[1]))
    return tuple(found)


def _materials(value: object, where: Where) -> object:
    """The path of a table of materials, or densities by the names of materials."""
    return read_path(value, where) if isinstance(value, str) else _table_of(_positive)(value, where)


_READERS: Mapping[str, Callable[[object, Where], object]] = {
    "density": _positive,
    "materials": _materials,
    "links": _table_of(_material),
    "mass": _table_of(_positive),
    "total-mass": _total_mass,
    "subtree-mass": _table_of(_positive),
    "com": _numbers(3, "a list of three numbers [m]"),
    "at": _table_of(_number),
    "pair": _pairs,
    "twins": read_flag,
    "prior": read_path,
    "density-range": _density_range,
    "shapes": read_choice("visual", "collision"),
    "thickness": _positive,
    "divergence": read_choice("entropic", "quadratic"),
}
"""Reader of each key: those of the options of `fill` that are properties of a repository."""

FILL_KEYS = tuple(_READERS)
"""Keys of the table [fill]."""
