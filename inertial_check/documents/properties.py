"""Bodies in the texts that CAD programs write: mass, centre of mass and tensor with their units.

Known are the table that the URDF exporter of SolidWorks writes beside its model, and the reports of
mass properties of SolidWorks and of Fusion.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from inertial_check.documents.model import ENTRIES
from inertial_check.inertia.arrays import Floats

SUFFIXES = frozenset([".csv", ".txt"])
"""File name suffixes of such texts."""

_LENGTHS: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(("mm", "millimeter", "millimetre"), 1 / 1000),
        **dict.fromkeys(("cm", "centimeter", "centimetre"), 1 / 100),
        **dict.fromkeys(("m", "meter", "metre"), 1.0),
        **dict.fromkeys(("in", "inch", "inche"), 0.0254),
        **dict.fromkeys(("ft", "foot", "feet"), 0.3048),
    }
)
_MASSES: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(("g", "gram"), 1 / 1000),
        **dict.fromkeys(("kg", "kilogram"), 1.0),
        **dict.fromkeys(("lb", "lbmas", "pound"), 0.45359237),
    }
)
"""Sizes of units in m and kg, by their names in lower case without the s of a plural."""

_TABLE = (
    *("Link Name", "Mass", *(f"Center of Mass {axis}" for axis in "XYZ")),
    *(f"Moment I{entry[1:]}" for entry in ENTRIES),
)
_TURNS = tuple(f"Center of Mass {angle}" for angle in ("Roll", "Pitch", "Yaw"))

_N = r"([-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?)"
_TITLE = re.compile(r"^[ \t]*+Mass properties of[ \t]++(\S[^\r\n]{0,200})", re.MULTILINE)


def _name_entries(letter: str, sign: str) -> str:
    """The pattern of nine entries by rows, of which the upper six are groups."""
    pairs = ((one, other) for one in "xyz" for other in "xyz")
    return r"\s*+".join(
        rf"{letter}{one}{other}\s*+{sign}\s*+{_N if one <= other else _N.replace('(', '(?:', 1)}"
        for one, other in pairs
    )


_PROGRAMS = (
    (
        re.compile(rf"^[ \t]*+Mass\s*+=\s*+{_N}\s*+(\w+)", re.MULTILINE),
        re.compile(
            r"Center of mass:\s*+\(\s*+(?P<unit>\w+)\s*+\)\s*+"
            rf"X\s*+=\s*+{_N}\s*+Y\s*+=\s*+{_N}\s*+Z\s*+=\s*+{_N}"
        ),
        re.compile(
            r"Moments of inertia:\s*+\(\s*+(\w+)\s*+\*\s*+square (\w+)\s*+\)\s*+"
            r"Taken at the center of mass and aligned with the output coordinate system\.?"
            r"(?P<notation>[^\r\n]*+)\s*+" + _name_entries("L", "=")
        ),
    ),
    (
        re.compile(rf"^[ \t]*+Mass[ \t]++{_N}[ \t]*+(\w+)", re.MULTILINE),
        re.compile(
            rf"Center of Mass[ \t]++{_N}[ \t]*+(?P<unit>\w+),"
            rf"[ \t]*+{_N}[ \t]*+\w+,[ \t]*+{_N}[ \t]*+\w+"
        ),
        re.compile(
            r"Moment of Inertia at Center of Mass[ \t]*+\([ \t]*+(\w+)[ .]+(\w+)\^2[ \t]*+\)\s*+"
            + _name_entries("I", "=?")
        ),
    ),
)
"""Mass, centre of mass and tensor in the reports of SolidWorks and of Fusion. Each is looked for by
itself, after the one before, and nothing that was taken is given back (*+), so that no text is read
twice."""


class Stated(NamedTuple):
    """A body as a text of a CAD program states it.

    Attributes:
        name: Of the part; "" where the text is about one part without a name.
        line: Where the text speaks of it.
        ten: (10,) mass, centre of mass and tensor about it, in the text's axes [kg, m, kg m^2].
    """

    name: str
    line: int
    ten: Floats


def read_properties(text: str) -> list[Stated]:
    """Read the bodies of a text; none where it is no text of a known program.

    Products in a report of SolidWorks are integrals of x y, unless it says that its notation is
    negative; those of Fusion are entries of the tensor.
    """
    head = text[: text.find("\n")]
    return [*(_read_table(text) if head.count(",") >= len(_TABLE) - 1 else _read_reports(text))]


def _read_table(text: str) -> Iterator[Stated]:
    """Read the table of the URDF exporter."""
    reader = csv.DictReader(text.splitlines())
    with suppress(csv.Error):  # a field that is longer than any number or name
        if not {*_TABLE} <= {*(reader.fieldnames or ())}:
            return
        for row in reader:
            with suppress(TypeError, ValueError):
                ten = np.array([float(row[column]) for column in _TABLE[1:]])
                if not any(float(row.get(column) or 0) for column in _TURNS):
                    yield Stated(row[_TABLE[0]], reader.line_num, ten)


def _read_reports(text: str) -> Iterator[Stated]:
    """Read one report after the other, each up to the title of the next."""
    titles = [*_TITLE.finditer(text)]
    starts = [(each[1].strip(), each.end()) for each in titles] or [("", 0)]
    ends = [*(each.start() for each in titles[1:]), len(text)]
    for (name, start), end in zip(starts, ends, strict=True):
        for patterns in _PROGRAMS:
            found, at = [], start
            for pattern in patterns:
                match = pattern.search(text, at, end)
                if match is None:
                    break
                found.append(match)
                at = match.end()
            ten = _convert(*found) if len(found) == len(patterns) else None
            if ten is not None:
                yield Stated(name, 1 + text.count("\n", 0, found[0].start()), ten)
                break


def _convert(mass: re.Match[str], center: re.Match[str], tensor: re.Match[str]) -> Floats | None:
    """Convert what a report states to SI; None for units that are not known."""
    unit = center["unit"]
    p = [float(each) for each in center.groups() if each != unit]
    six = np.array([float(each) for each in tensor.groups()[-6:]])
    if "notation" in tensor.re.groupindex and "negative" not in tensor["notation"].lower():
        six[[1, 2, 4]] *= -1
    names = (_MASSES, mass[2]), (_LENGTHS, unit), (_MASSES, tensor[1]), (_LENGTHS, tensor[2])
    sizes = [known.get(name.lower().rstrip("s"), np.nan) for known, name in names]
    ten = np.array(
        [sizes[0] * float(mass[1]), *(sizes[1] * x for x in p), *(sizes[2] * sizes[3] ** 2 * six)]
    )
    return ten if np.all(np.isfinite(ten)) else None
