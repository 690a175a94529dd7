"""Reader of the inertia of an SDF <link>: element texts, defaults and a pose."""

from __future__ import annotations

import math

from inertial_check.documents.model import (
    ENTRIES,
    ZERO,
    Inertial,
    InertiaOrigin,
    Misreading,
    Number,
    Problem,
    ThreeNumbers,
)
from inertial_check.documents.numbers import quote
from inertial_check.documents.poses import IDENTITY, UNKNOWN, Rotation, from_quaternion, from_rpy
from inertial_check.documents.xml.document import TextReader, XmlDocument
from inertial_check.documents.xml.markup import Element, PlacedText

_ONE = Number(1.0, "1", None)
_WATER = Number(1000.0, "1000", None)
_DEFAULTS = {entry: _ONE if entry[1] == entry[2] else ZERO for entry in ENTRIES}
_ADDED_MASS = "xyzpqr"
"""Letters of the rows of <fluid_added_mass>: translations x y z and rotations p q r."""

_TRUE = frozenset(("true", "1"))
_PARTS = frozenset(
    ("pose", "mass", "inertia", "density", "auto_inertia_params", "fluid_added_mass", "frame")
)
"""Elements that SDF has in an <inertial>, in this or an older version."""


def word(document: XmlDocument, element: Element | None) -> str:
    """Read an element's text without surrounding space; "" if there is none."""
    if element is None:
        return ""
    text = next((text for text in document.texts(element) if text.value.strip()), None)
    return "" if text is None else text.trim()[0]


def is_true(value: str) -> bool:
    """Return whether a boolean of SDF is true."""
    return value.strip().lower() in _TRUE


class LinkReader(TextReader):
    """Reads the inertia of one link and collects the problems of its text."""

    def __init__(self, document: XmlDocument, link: Element, name: str) -> None:
        super().__init__(document, f"link {quote(name)}")
        self._link = link

    def read(self) -> tuple[Inertial | None, InertiaOrigin, tuple[Problem, ...]]:
        """Read the inertia, where engines take it from, and the problems of its text."""
        if not self._link.attributes.get("name"):
            self._complain(self._link, 'has no name: give it one, name="..."')
        inertial, origin = self._inertial()
        problems = tuple(sorted(self.problems, key=lambda problem: problem.span))
        return inertial, origin, problems

    def _inertial(self) -> tuple[Inertial | None, InertiaOrigin]:
        inertial = self._first_child(self._link, "inertial")
        if inertial is None:
            span = self._document.element_span(self._link)
            return Inertial(span, _ONE, (ZERO,) * 3, IDENTITY, _DEFAULTS), "default"
        if is_true(inertial.attributes.get("auto", "")):
            # Read what is written beside auto="true", which engines compute from the collisions.
            density = self._read_value(inertial, "density", _WATER)
            if density.span and density.value <= 0:
                density_what = (
                    f"<density> is {density.text} kg/m^3; a body has more than 0: write its density"
                )
                self._problem(density_what, density.span)
            beside = [tag for tag in ("pose", "mass", "inertia") if inertial.all(tag)]
            if not beside:
                automatic = None
            else:
                tags = ", ".join(f"<{tag}>" for tag in beside)
                what = (
                    f'<inertial auto="true"> is computed from the collisions, and {tags} beside it '
                    "overwritten (a mass: by libsdformat before 15.2): delete one or the other"
                )
                self._problem(what, self._document.tag_span(inertial), "engine")
                read = self._read_numbers(inertial)
                entries = {entry: n for entry, n in read.I_BBcm_Bi.items() if n.span}
                mass = read.mass if read.mass and read.mass.span else None
                automatic = read._replace(mass=mass, I_BBcm_Bi=entries)
            return automatic, "geometry"
        # Note numbers in attributes and an <origin>, as in URDF: engines take the defaults.
        for child in inertial.children:
            if child.tag.lower() not in _PARTS and ":" not in child.tag and child.tag != "origin":
                what = f"<{child.tag}> in <inertial>, which SDF does not have: delete it"
                place = self._document.tag_span(child)
                self._problem(what, place, "differs", Misreading(("drake",)))
            if child.tag == "origin":
                way = "write <pose>x y z roll pitch yaw</pose>"
            elif child.tag == "mass" and "value" in child.attributes:
                way = "write <mass>...</mass>"
            elif child.tag == "inertia" and not child.attributes.keys().isdisjoint(ENTRIES):
                way = "write <ixx>...</ixx> and so on inside it"
            else:
                continue
            self._complain(child, f"is as in URDF, which engines do not read in an SDF: {way}")
        stated = self._read_numbers(inertial)
        written = any(number.span for number in stated.I_BBcm_Bi.values())
        return stated, "file" if written else "default"

    def _read_numbers(self, inertial: Element) -> Inertial:
        """Read the numbers, with defaults for those that are not written."""
        span = self._document.element_span(inertial)
        translation, rotation = self._pose(self._first_child(inertial, "pose"))
        mass = self._read_value(inertial, "mass", _ONE)
        inertia = self._first_child(inertial, "inertia")
        entries = dict(_DEFAULTS)
        if inertia is not None:
            entries = {e: self._read_entry(inertia, e, default) for e, default in _DEFAULTS.items()}
        element = self._first_child(inertial, "fluid_added_mass")
        if element is None:
            added: tuple[tuple[Number, ...], ...] = ()
        else:
            upper = {
                (i, j): self._read_value(element, _ADDED_MASS[i] + _ADDED_MASS[j], ZERO)
                for i in range(6)
                for j in range(i, 6)
            }
            added = tuple(tuple(upper[min(i, j), max(i, j)] for j in range(6)) for i in range(6))
        return Inertial(span, mass, translation, rotation, entries, fluid_added_mass=added)

    def _read_entry(self, inertia: Element, entry: str, default: Number) -> Number:
        """Read an entry of the tensor; it may be absent, but libsdformat refuses an empty one."""
        element = self._first_child(inertia, entry)
        if element is not None and self._text(element) is None:
            self._complain(element, "is empty: write its number [kg m^2]")
            return Number(math.nan, "", self._document.element_span(element))
        return self._read_value(inertia, entry, default)

    def _read_value(self, parent: Element, tag: str, default: Number) -> Number:
        """Read the number of the child with this tag."""
        element = self._first_child(parent, tag)
        text = None if element is None else self._text(element)
        if element is None or text is None:
            return default
        return self._parse_number(f"<{element.tag}>", *text.trim())

    def _text(self, element: Element) -> PlacedText | None:
        """Read the text of an element; None if it is blank, for which the default is taken."""
        texts = [text for text in self._document.texts(element) if text.value.strip()]
        if len(texts) > 1:
            what = (
                f"the text of <{element.tag}> is parted by a comment or an element, and engines "
                f"read {quote(texts[0].trim()[0])} alone: write it in one piece"
            )
            self._problem(what, self._document.element_span(element))
        return texts[0] if texts else None

    def _pose(self, pose: Element | None) -> tuple[ThreeNumbers, Rotation]:
        """Read the centre of mass and the rotation of the own axes, both in the link's frame."""
        if pose is None:
            return (ZERO, ZERO, ZERO), IDENTITY
        for attribute in ("relative_to", "frame"):
            frame = pose.attributes.get(attribute, "")
            if frame:
                what = (
                    f"has {attribute}={quote(frame)}, which engines ignore: an inertial's pose is "
                    "in the frame of its link"
                )
                self._complain(pose, what)
        degrees = pose.attributes.get("degrees", "false").strip().lower()
        if degrees not in {*_TRUE, "false", "0"}:
            self._complain(pose, f"has degrees={quote(degrees)}: expected true or false")
        # Return whether the rotation is a quaternion; None if its format is unknown.
        quaternion_form = pose.attributes.get("rotation_format", "euler_rpy").strip()
        if quaternion_form not in {"euler_rpy", "quat_xyzw"}:
            quaternion_what = (
                f"has rotation_format={quote(quaternion_form)}: expected euler_rpy or quat_xyzw"
            )
            self._complain(pose, quaternion_what)
            quaternion = None
        else:
            if quaternion_form == "quat_xyzw" and is_true(pose.attributes.get("degrees", "")):
                self._complain(pose, 'has degrees="true", which a quaternion has not: delete it')
            quaternion = quaternion_form == "quat_xyzw"
        text = self._text(pose)
        if quaternion is None:
            return (ZERO, ZERO, ZERO), UNKNOWN
        if text is None:
            return (ZERO, ZERO, ZERO), IDENTITY
        form = (7, "x y z qx qy qz qw") if quaternion else (6, "x y z roll pitch yaw")
        known = len(self.problems)
        numbers = self._parse_series("<pose>", text, *form)
        x, y, z = numbers[:3]
        values = [number.value for number in numbers[3:]]
        if len(self.problems) > known and any(map(math.isnan, values)):
            return (x, y, z), UNKNOWN
        return (x, y, z), self._rotation(pose, text, values)

    def _rotation(self, pose: Element, text: PlacedText, values: list[float]) -> Rotation:
        if len(values) == 4:
            rotation = from_quaternion(*values)
        else:
            scale = math.pi / 180 if is_true(pose.attributes.get("degrees", "")) else 1.0
            rotation = from_rpy(*(scale * value for value in values))
        if rotation is None:
            whole, start, end = text.trim()
            what = f"<pose>: {quote(whole)} ends in no rotation: expected finite numbers, not all 0"
            self._problem(what, self._document.span(start, end))
            return UNKNOWN
        return rotation
