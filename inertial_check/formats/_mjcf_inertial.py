"""The <inertial> of an MJCF body."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inertial_check.formats._mjcf_rotations import (
    from_axis_angle,
    from_euler,
    from_wxyz,
    from_xy_axes,
    from_z_axis,
)
from inertial_check.formats._mjcf_settings import Compiler
from inertial_check.formats._mjcf_tree import Node
from inertial_check.formats._numbers import parse_number, shown
from inertial_check.formats._rotations import IDENTITY, Rotation, composed, rotated
from inertial_check.model.body import ENTRIES, Inertial, Number, Problem
from inertial_check.model.source import Span

Triple = tuple[Number, Number, Number]

_UNKNOWN: Rotation = ((math.nan,) * 3,) * 3
_DEFAULT = Number(0.0, "0", None)
_FULL = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")  # the order of fullinertia
_DIAGONAL = ("ixx", "iyy", "izz")
_ORIENTATIONS = {
    "quat": (4, "w x y z"),
    "axisangle": (4, "x y z angle"),
    "xyaxes": (6, "x-axis, y-axis"),
    "zaxis": (3, "x y z"),
    "euler": (3, "three angles"),
}
_LENGTHS = {
    "pos": (3, "x y z [m]"),
    "mass": (1, "[kg]"),
    "diaginertia": (3, "the principal moments [kg m^2]"),
    "fullinertia": (6, "xx yy zz xy xz yz [kg m^2]"),
    **_ORIENTATIONS,
}
_SEPARATORS = re.compile(r"[,;]")


class Pose(NamedTuple):
    """A frame F in a body: its origin p_BoFo_B and its axes R_BF."""

    p: tuple[float, float, float] = (0.0, 0.0, 0.0)
    R: Rotation = IDENTITY

    def then(self, inner: Pose) -> Pose:
        """A pose given in this frame, in the body."""
        x, y, z = rotated(self.R, inner.p)
        return Pose((self.p[0] + x, self.p[1] + y, self.p[2] + z), composed(self.R, inner.R))


_ORIGIN = Pose()


class InertialReader:
    """Reads one element that states a pose or an inertia; collects what is wrong with its text.

    Attributes:
        problems: As found.
    """

    def __init__(self, node: Node, who: str, compiler: Compiler) -> None:
        self.problems: list[Problem] = []
        self._node = node
        self._who = who
        self._compiler = compiler
        self._attributes = node.attributes()

    def inertial(self, frame: Pose) -> Inertial:
        """The inertial, which stands in a frame of its body."""
        self._refuse_unknown()
        center, rotation = self._center(), self._rotation()
        if frame != _ORIGIN:
            x, y, z = frame.then(Pose((center[0].value, center[1].value, center[2].value))).p
            center = (_implied(x), _implied(y), _implied(z))
            rotation = composed(frame.R, rotation)
        mass = self._mass()
        return Inertial(self._node.span, mass, center, rotation, self._inertia())

    def pose(self) -> Pose:
        """The pose of a frame."""
        numbers = self._numbers("pos") if "pos" in self._attributes else (_DEFAULT,) * 3
        x, y, z = (number.value for number in numbers)
        return Pose((x, y, z), self._rotation())

    def _problem(self, message: str, span: Span | None = None) -> None:
        text = f"{self._who}: {message}"
        self.problems.append(Problem("malformed", text, span or self._node.tag_span))

    def _refuse_unknown(self) -> None:
        for name, text in self._attributes.items():
            if name not in _LENGTHS:
                way = f"write {name.lower()}" if name.lower() in _LENGTHS else "delete it"
                place = self._node.document.span(*text.stripped()[1:])
                self._problem(f"<inertial> has {shown(name)}, which MuJoCo refuses: {way}", place)
        for child in self._node.element.children:
            place = self._node.document.tag_span(child)
            self._problem(f"<{child.tag}> in <inertial>, which MuJoCo refuses: delete it", place)

    def _center(self) -> Triple:
        if "pos" not in self._attributes:
            self._problem('<inertial> has no pos, which MuJoCo asks for: add pos="x y z" [m]')
            return _DEFAULT, _DEFAULT, _DEFAULT
        x, y, z = self._numbers("pos")
        return x, y, z

    def _mass(self) -> Number | None:
        if "mass" not in self._attributes:
            self._problem('<inertial> has no mass: add mass="..." [kg]')
            return None
        return self._numbers("mass")[0]

    def _inertia(self) -> dict[str, Number]:
        full = self._read("fullinertia", _FULL)
        diagonal = self._read("diaginertia", _DIAGONAL)
        if full is None and diagonal is None:
            form = f"diaginertia={shown('xx yy zz')} or fullinertia={shown('xx yy zz xy xz yz')}"
            self._problem(f"<inertial> has no inertia: add {form} [kg m^2]")
            return {}
        if full is None:
            return {entry: (diagonal or {}).get(entry, _DEFAULT) for entry in ENTRIES}
        if diagonal and any(number.value for number in diagonal.values()):
            self._problem("<inertial> has diaginertia and fullinertia: delete one")
        return {entry: full[entry] for entry in ENTRIES}

    def _read(self, name: str, entries: Sequence[str]) -> dict[str, Number] | None:
        if name not in self._attributes:
            return None
        return dict(zip(entries, self._numbers(name), strict=True))

    def _numbers(self, name: str) -> list[Number]:
        """The numbers of an attribute; all NaN where it holds fewer or more than it should."""
        text = self._attributes[name]
        count, names = _LENGTHS[name]
        pieces = list(text.pieces())
        words = _SEPARATORS.sub(" ", text.value).split()
        commas = len(words) == count and words != [piece for piece, _, _ in pieces]
        meant = commas and all(parse_number(word)[1] is None for word in words)
        if len(pieces) == count and not meant:
            return [self._number(name, *piece) for piece in pieces]
        whole, start, end = text.stripped()
        span = self._node.document.span(start, end)
        expected = "a number" if count == 1 else f"{count} numbers"
        way = f"write {' '.join(words)}" if meant else f"expected {expected}, {names}"
        self._problem(f"{name} of <{self._node.tag}>: {shown(whole)}: {way}", span)
        return [Number(math.nan, whole, span)] * count

    def _number(self, name: str, text: str, start: int, end: int) -> Number:
        value, complaint = parse_number(text)
        span = self._node.document.span(start, end)
        if complaint:
            self._problem(f"{name} of <{self._node.tag}>: {complaint}", span)
        return Number(value, text, span)

    def _rotation(self) -> Rotation:
        """From the own axes to those of the body, or of the frame around the element."""
        given = [name for name in _ORIENTATIONS if name in self._attributes]
        rivals = given + ["fullinertia"] * ("fullinertia" in self._attributes)
        if given and len(rivals) > 1:
            listed = f"{', '.join(rivals[:-1])} and {rivals[-1]}"
            self._problem(f"<{self._node.tag}> has {listed}, of which MuJoCo takes only one")
            return _UNKNOWN
        if not given:
            return IDENTITY
        (name,) = given
        known = len(self.problems)
        values = [number.value for number in self._numbers(name)]
        if len(self.problems) > known and any(map(math.isnan, values)):
            return _UNKNOWN
        rotation = self._turned(name, values)
        if rotation is None:
            whole, start, end = self._attributes[name].stripped()
            form = _ORIENTATIONS[name][1]
            what = f"{name} of <{self._node.tag}>: {shown(whole)} is no rotation: write {form}"
            self._problem(what, self._node.document.span(start, end))
        return rotation or _UNKNOWN

    def _turned(self, name: str, values: list[float]) -> Rotation | None:
        compiler = self._compiler
        if name == "quat":
            return from_wxyz(*values)
        if name == "axisangle":
            return from_axis_angle(values[:3], compiler.radians(values[3]))
        if name == "xyaxes":
            return from_xy_axes(*values)
        if name == "zaxis":
            return from_z_axis(*values)
        return from_euler([compiler.radians(value) for value in values], compiler.eulerseq)


def _implied(value: float) -> Number:
    """A number that a frame makes of the one that is written."""
    return Number(value, repr(value), None)


def compiled(inertial: Inertial, compiler: Compiler) -> Iterator[str]:
    """What the document's settings make of written numbers that MuJoCo would read."""
    mass = inertial.mass
    if mass is not None and mass.value < compiler.boundmass:
        yield f"boundmass: MuJoCo raises the mass from {mass.text} to {compiler.boundmass:.6g} kg"
    if compiler.boundinertia <= 0 and compiler.balanceinertia != "true":
        return
    moments = _moments(inertial)
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


def _moments(inertial: Inertial) -> list[float]:
    """The principal moments in ascending order; none where they cannot be told."""
    values = {entry: number.value for entry, number in inertial.I_BBcm_Bi.items()}
    if len(values) < len(ENTRIES) or not all(map(math.isfinite, values.values())):
        return []
    if all(values[entry] == 0 for entry in ENTRIES if entry not in _DIAGONAL):
        return sorted(values[entry] for entry in _DIAGONAL)
    from numpy.linalg import eigvalsh  # for these two settings alone

    xx, xy, xz, yy, yz, zz = (values[entry] for entry in ENTRIES)
    moments: list[float] = eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).tolist()
    return moments
