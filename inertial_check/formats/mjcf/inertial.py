"""Reader of the <inertial> of an MJCF body, and of the effects of compiler settings on it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from inertial_check.formats.mjcf.constants import ORIENTATIONS
from inertial_check.formats.mjcf.poses import build_rotation
from inertial_check.formats.mjcf.settings import Compiler
from inertial_check.formats.mjcf.tree import MjcfElement
from inertial_check.formats.numbers import quote
from inertial_check.formats.poses import SAME_FRAME, product
from inertial_check.formats.rotations import IDENTITY, UNKNOWN, Rotation
from inertial_check.formats.xml.reading import TextReader
from inertial_check.model.body import (
    ENTRIES,
    ZERO,
    FourNumbers,
    Inertial,
    Number,
    Pose,
    Problem,
    ThreeNumbers,
)

_FULL = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
"""Entries of fullinertia, in its order."""

_DIAGONAL = ("ixx", "iyy", "izz")
_ATTRIBUTES = {
    "pos": (3, "x y z [m]"),
    "mass": (1, "[kg]"),
    "diaginertia": (3, "the principal moments [kg m^2]"),
    "fullinertia": (6, "xx yy zz xy xz yz [kg m^2]"),
    **ORIENTATIONS,
}
"""Attributes of <inertial>: how many numbers each holds, and their names and units."""


class InertialReader(TextReader):
    """Reads the pose or the inertia of one element and collects the problems of its text."""

    def __init__(self, node: MjcfElement, who: str, compiler: Compiler) -> None:
        super().__init__(node.document, who)
        self._node = node
        self._compiler = compiler
        self._attributes = node.attributes()

    @property
    def problems(self) -> list[Problem]:
        """Problems in the order in which they were found."""
        return self._problems

    def inertial(self, frame: Pose) -> Inertial:
        """Read the inertial, given the pose of the frame around it in its body."""
        self._refuse_unknown()
        center, (rotation, quaternion) = self._center(), self._rotation()
        if frame != SAME_FRAME:
            x, y, z = (number.value for number in center)
            (x, y, z), rotation = product(frame, Pose((x, y, z), rotation))
            center = (_implied_number(x), _implied_number(y), _implied_number(z))
        mass = self._mass()
        six = self._inertia()
        return Inertial(self._node.span, mass, center, rotation, six, quaternion=quaternion)

    def pose(self) -> Pose:
        """Read the pose of a frame."""
        numbers = self._numbers("pos") if "pos" in self._attributes else (ZERO,) * 3
        x, y, z = (number.value for number in numbers)
        return Pose((x, y, z), self._rotation()[0])

    def _refuse(self, message: str) -> None:
        self._complain(self._node.element, message)

    def _refuse_unknown(self) -> None:
        for name, text in self._attributes.items():
            if name not in _ATTRIBUTES:
                way = f"write {name.lower()}" if name.lower() in _ATTRIBUTES else "delete it"
                place = self._node.document.span(*text.trim()[1:])
                self._problem(f"<inertial> has {quote(name)}, which MuJoCo refuses: {way}", place)
        for child in self._node.element.children:
            place = self._node.document.tag_span(child)
            self._problem(f"<{child.tag}> in <inertial>, which MuJoCo refuses: delete it", place)

    def _center(self) -> ThreeNumbers:
        if "pos" not in self._attributes:
            self._refuse('has no pos, which MuJoCo asks for: add pos="x y z" [m]')
            return ZERO, ZERO, ZERO
        x, y, z = self._numbers("pos")
        return x, y, z

    def _mass(self) -> Number | None:
        if "mass" not in self._attributes:
            self._refuse('has no mass: add mass="..." [kg]')
            return None
        return self._numbers("mass")[0]

    def _inertia(self) -> dict[str, Number]:
        full = self._read("fullinertia", _FULL)
        diagonal = self._read("diaginertia", _DIAGONAL)
        if full is None and diagonal is None:
            form = f"diaginertia={quote('xx yy zz')} or fullinertia={quote('xx yy zz xy xz yz')}"
            self._refuse(f"has no inertia: add {form} [kg m^2]")
            return {}
        if full is None:
            return {entry: (diagonal or {}).get(entry, ZERO) for entry in ENTRIES}
        if diagonal and any(number.value for number in diagonal.values()):
            self._refuse("has diaginertia and fullinertia: delete one")
        return {entry: full[entry] for entry in ENTRIES}

    def _read(self, name: str, entries: Sequence[str]) -> dict[str, Number] | None:
        if name not in self._attributes:
            return None
        return dict(zip(entries, self._numbers(name), strict=True))

    def _numbers(self, name: str) -> list[Number]:
        """Read the numbers of an attribute; all are NaN if it holds another count."""
        what = f"{name} of <{self._node.tag}>"
        return self._parse_series(what, self._attributes[name], *_ATTRIBUTES[name])

    def _rotation(self) -> tuple[Rotation, FourNumbers | None]:
        """Read the rotation from the element's own axes to those of the body or frame around it.

        Returns:
            The rotation, and the numbers w, x, y, z if a quaternion states it.
        """
        given = [name for name in ORIENTATIONS if name in self._attributes]
        rivals = given + ["fullinertia"] * ("fullinertia" in self._attributes)
        if given and len(rivals) > 1:
            listed = f"{', '.join(rivals[:-1])} and {rivals[-1]}"
            self._refuse(f"has {listed}, of which MuJoCo takes only one")
            return UNKNOWN, None
        if not given:
            return IDENTITY, None
        (name,) = given
        known = len(self.problems)
        numbers = self._numbers(name)
        values = [number.value for number in numbers]
        if len(self.problems) > known and any(map(math.isnan, values)):
            return UNKNOWN, None
        rotation = build_rotation(name, values, self._compiler)
        if rotation is None:
            whole, start, end = self._attributes[name].trim()
            form = ORIENTATIONS[name][1]
            what = f"{name} of <{self._node.tag}>: {quote(whole)} is no rotation: write {form}"
            self._problem(what, self._node.document.span(start, end))
            return UNKNOWN, None
        if name != "quat":
            return rotation, None
        w, x, y, z = numbers
        return rotation, (w, x, y, z)


def _implied_number(value: float) -> Number:
    """Make a number that is not written but follows from a written one and a frame."""
    return Number(value, repr(value), None)


def note_compiler_effects(inertial: Inertial, compiler: Compiler) -> Iterator[str]:
    """Say how the compiler settings of the document change the written numbers in MuJoCo."""
    mass = inertial.mass
    if mass is not None and mass.value < compiler.boundmass:
        yield f"boundmass: MuJoCo raises the mass from {mass.text} to {compiler.boundmass:.6g} kg"
    if compiler.boundinertia <= 0 and compiler.balanceinertia != "true":
        return
    moments = _principal_moments(inertial)
    if not moments:
        return
    raised = [max(moment, compiler.boundinertia) for moment in moments]
    if raised != moments:
        low = compiler.boundinertia
        yield f"boundinertia: MuJoCo raises its principal moments to at least {low:.6g} kg m^2"
    if compiler.balanceinertia == "true" and raised[0] + raised[1] < raised[2]:
        mean = sum(raised) / 3
        yield (
            f"balanceinertia: MuJoCo replaces its three principal moments by their mean, "
            f"{mean:.6g} kg m^2, and says nothing; the numbers here are those written"
        )


def _principal_moments(inertial: Inertial) -> list[float]:
    """Compute the principal moments in ascending order; none if an entry is missing."""
    values = {entry: number.value for entry, number in inertial.I_BBcm_Bi.items()}
    if len(values) < len(ENTRIES) or not all(map(math.isfinite, values.values())):
        return []
    if all(values[entry] == 0 for entry in ENTRIES if entry not in _DIAGONAL):
        return sorted(values[entry] for entry in _DIAGONAL)
    from numpy.linalg import eigvalsh  # needed for these two settings only

    xx, xy, xz, yy, yz, zz = (values[entry] for entry in ENTRIES)
    moments: list[float] = eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).tolist()
    return moments
