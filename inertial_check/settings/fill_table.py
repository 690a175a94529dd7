"""Values of the table [fill] of configuration files: what is known of bodies without inertials."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING

from inertial_check.files.access import Access
from inertial_check.spelling import suggest_name

if TYPE_CHECKING:
    from inertial_check.settings.configuration import Where


def read_fill_value(value: object, where: Where) -> object:
    """Check the member `where.keys[-1]` of the table, and convert it.

    Raises:
        UsageError: An unknown key, or a value of the wrong type or range; names the place.
    """
    key = where.keys[-1]
    if key not in _READERS:
        hint = suggest_name(key, _READERS, f": expected one of {', '.join(_READERS)}")
        raise where.wrong(f": unknown key{hint}")
    return _READERS[key](value, where)


def _number(value: object, where: Where) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # An integer of TOML may have more digits than a float64 holds.
    if not is_number or not abs(value) <= sys.float_info.max:  # type: ignore[arg-type]
        raise where.unlike(value, "a number")
    return float(value)  # type: ignore[arg-type]


def _positive(value: object, where: Where) -> float:
    number = _number(value, where)
    if not number > 0:
        raise where.unlike(value, "a positive number")
    return number


def _flag(value: object, where: Where) -> bool:
    if not isinstance(value, bool):
        raise where.unlike(value, "true or false")
    return value


def _choice(*words: str) -> Callable[[object, Where], str]:
    def read(value: object, where: Where) -> str:
        if not isinstance(value, str) or value not in words:
            raise where.unlike(value, f"one of {', '.join(words)}")
        return value

    return read


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


def _path(value: object, where: Where) -> str:
    """A path from the folder of the configuration; inside the repository, if that is untrusted."""
    if not isinstance(value, str) or not value:
        raise where.unlike(value, "a path")
    path = os.path.join(where.origin.folder, value).replace(os.sep, "/")
    folder = where.origin.folder or os.curdir
    if not where.origin.trusted and not Access().of_document(folder).allows(path):
        raise where.wrong(
            f": {path} lies outside the repository: only the command line, or a --config outside "
            "the repository, can name it"
        )
    return path


def _materials(value: object, where: Where) -> object:
    """The path of a table of materials, or densities by the names of materials."""
    return _path(value, where) if isinstance(value, str) else _table_of(_positive)(value, where)


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
    "twins": _flag,
    "prior": _path,
    "density-range": _density_range,
    "shapes": _choice("visual", "collision"),
    "thickness": _positive,
    "divergence": _choice("entropic", "quadratic"),
}
"""Reader of each key: those of the options of `fill` that are properties of a repository."""

FILL_KEYS = tuple(_READERS)
"""Keys of the table [fill]."""
