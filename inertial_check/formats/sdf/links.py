"""What a <link> of SDF says of its inertia: element text, defaults, a pose."""

from __future__ import annotations

import math
from typing import NamedTuple

from inertial_check.formats.numbers import quote
from inertial_check.formats.rotations import IDENTITY, Rotation, from_quaternion, from_rpy
from inertial_check.formats.xml.document import XmlDocument
from inertial_check.formats.xml.markup import Element, PlacedText
from inertial_check.formats.xml.reading import TextReader
from inertial_check.model.body import ENTRIES, Inertial, InertiaOrigin, Number, Problem

Triple = tuple[Number, Number, Number]

_UNKNOWN: Rotation = ((math.nan,) * 3,) * 3
_ZERO = Number(0.0, "0", None)
_ONE = Number(1.0, "1", None)
_WATER = Number(1000.0, "1000", None)
_DEFAULTS = {entry: _ONE if entry[1] == entry[2] else _ZERO for entry in ENTRIES}
_ADDED_MASS = "xyzpqr"
_TRUE = frozenset(("true", "1"))


class Stated(NamedTuple):
    """What a link states of its inertia.

    Attributes:
        inertial: The numbers; the stand-ins of the format where it states none; None where gz
            computes all of them.
        inertia_from: Where its inertia comes from.
        problems: What is wrong with its text, in reading order.
    """

    inertial: Inertial | None
    inertia_from: InertiaOrigin
    problems: tuple[Problem, ...]


def first_text(document: XmlDocument, element: Element) -> PlacedText | None:
    """The first text inside an element that is not blank, which is all that libsdformat reads."""
    return next((text for text in document.texts(element) if text.value.strip()), None)


def word(document: XmlDocument, element: Element | None) -> str:
    """An element's text without surrounding space; "" where there is none."""
    if element is None:
        return ""
    plain = document.plain_text(element)
    if plain is not None:
        return plain
    text = first_text(document, element)
    return "" if text is None else text.trim()[0]


def is_true(value: str) -> bool:
    """Whether a boolean of SDF is true."""
    return value.strip().lower() in _TRUE


class LinkReader(TextReader):
    """Reads one link; collects what is wrong with its text."""

    def __init__(self, document: XmlDocument, link: Element, name: str) -> None:
        super().__init__(document, f"link {quote(name)}")
        self._link = link

    def read(self) -> Stated:
        """What the link states."""
        if not self._link.attributes.get("name"):
            self._complain(self._link, 'has no name: give it one, name="..."')
        inertial, origin = self._inertial()
        problems = tuple(sorted(self._problems, key=lambda problem: problem.span))
        return Stated(inertial, origin, problems)

    def _inertial(self) -> tuple[Inertial | None, InertiaOrigin]:
        inertial = self._only(self._link, "inertial")
        if inertial is None:
            span = self._document.element_span(self._link)
            return Inertial(span, _ONE, (_ZERO,) * 3, IDENTITY, _DEFAULTS), "default"
        if is_true(inertial.attributes.get("auto", "")):
            return self._automatic(inertial), "geometry"
        self._note_urdf(inertial)
        stated = self._read_numbers(inertial)
        written = any(number.span for number in stated.I_BBcm_Bi.values())
        return stated, "file" if written else "default"

    def _read_numbers(self, inertial: Element) -> Inertial:
        """The numbers, defaults in place of those that are not written."""
        span = self._document.element_span(inertial)
        translation, rotation = self._pose(self._only(inertial, "pose"))
        mass = self._value(inertial, "mass", _ONE)
        inertia = self._only(inertial, "inertia")
        entries = dict(_DEFAULTS)
        if inertia is not None:
            entries = {e: self._entry(inertia, e, default) for e, default in _DEFAULTS.items()}
        added = self._added_mass(inertial)
        return Inertial(span, mass, translation, rotation, entries, fluid_added_mass=added)

    def _automatic(self, inertial: Element) -> Inertial | None:
        """What is written beside auto="true": engines compute it from the collisions anew."""
        self._check_density(self._value(inertial, "density", _WATER))
        beside = [tag for tag in ("pose", "mass", "inertia") if inertial.all(tag)]
        if not beside:
            return None
        tags = ", ".join(f"<{tag}>" for tag in beside)
        what = (
            f'<inertial auto="true"> is computed from the collisions, and {tags} beside it '
            "overwritten (a mass: by libsdformat before 15.2): delete one or the other"
        )
        self._problem(what, self._document.tag_span(inertial), "engine")
        stated = self._read_numbers(inertial)
        written = {entry: n for entry, n in stated.I_BBcm_Bi.items() if n.span}
        mass = stated.mass if stated.mass and stated.mass.span else None
        return stated._replace(mass=mass, I_BBcm_Bi=written)

    def _check_density(self, density: Number) -> None:
        if density.span and density.value <= 0:
            what = f"<density> is {density.text} kg/m^3; a body has more than 0: write its density"
            self._problem(what, density.span)

    def _note_urdf(self, inertial: Element) -> None:
        """Numbers in attributes and an <origin> are URDF's; engines read the defaults instead."""
        for child in inertial.children:
            if child.tag == "origin":
                way = "write <pose>x y z roll pitch yaw</pose>"
            elif child.tag == "mass" and "value" in child.attributes:
                way = "write <mass>...</mass>"
            elif child.tag == "inertia" and not child.attributes.keys().isdisjoint(ENTRIES):
                way = "write <ixx>...</ixx> and so on inside it"
            else:
                continue
            self._complain(child, f"is as in URDF, which engines do not read in an SDF: {way}")

    def _entry(self, inertia: Element, entry: str, default: Number) -> Number:
        """An entry of the tensor: it can be left out, but libsdformat refuses it empty."""
        element = self._only(inertia, entry)
        if element is None:
            return default
        text = self._text(element)
        if text is None:
            self._complain(element, "is empty: write its number [kg m^2]")
            return Number(math.nan, "", self._document.element_span(element))
        return self._piece(f"<{element.tag}>", *text.trim())

    def _value(self, parent: Element, tag: str, default: Number) -> Number:
        """The number inside the child with this tag."""
        element = self._only(parent, tag)
        text = None if element is None else self._text(element)
        if element is None or text is None:
            return default
        return self._piece(f"<{element.tag}>", *text.trim())

    def _text(self, element: Element) -> PlacedText | None:
        """The text of an element; None where it is blank, which stands for the default."""
        texts = [text for text in self._document.texts(element) if text.value.strip()]
        if len(texts) > 1:
            what = (
                f"the text of <{element.tag}> is parted by a comment or an element, and engines "
                f"read {quote(texts[0].trim()[0])} alone: write it in one piece"
            )
            self._problem(what, self._document.element_span(element))
        return texts[0] if texts else None

    def _pose(self, pose: Element | None) -> tuple[Triple, Rotation]:
        """Centre of mass and own axes, both in the link's frame."""
        if pose is None:
            return (_ZERO, _ZERO, _ZERO), IDENTITY
        self._note_frame(pose)
        quaternion = self._is_quaternion(pose)
        text = self._text(pose)
        if quaternion is None:
            return (_ZERO, _ZERO, _ZERO), _UNKNOWN
        if text is None:
            return (_ZERO, _ZERO, _ZERO), IDENTITY
        form = (7, "x y z qx qy qz qw") if quaternion else (6, "x y z roll pitch yaw")
        numbers = self._series("<pose>", text, *form)
        x, y, z = numbers[:3]
        return (x, y, z), self._rotation(pose, text, [number.value for number in numbers[3:]])

    def _note_frame(self, pose: Element) -> None:
        for attribute in ("relative_to", "frame"):
            frame = pose.attributes.get(attribute, "")
            if frame:
                what = (
                    f"has {attribute}={quote(frame)}, which engines ignore: an inertial's pose is "
                    "in the frame of its link"
                )
                self._complain(pose, what)

    def _is_quaternion(self, pose: Element) -> bool | None:
        """Whether the rotation is a quaternion; None where the format is none of SDF's."""
        form = pose.attributes.get("rotation_format", "euler_rpy").strip()
        if form not in {"euler_rpy", "quat_xyzw"}:
            what = f"has rotation_format={quote(form)}: expected euler_rpy or quat_xyzw"
            self._complain(pose, what)
            return None
        if form == "quat_xyzw" and self._degrees(pose):
            self._complain(pose, 'has degrees="true", which a quaternion has not: delete it')
        return form == "quat_xyzw"

    @staticmethod
    def _degrees(pose: Element) -> bool:
        return is_true(pose.attributes.get("degrees", ""))

    def _rotation(self, pose: Element, text: PlacedText, values: list[float]) -> Rotation:
        if any(map(math.isnan, values)):
            return _UNKNOWN
        if len(values) == 4:
            rotation = from_quaternion(*values)
        else:
            scale = math.pi / 180 if self._degrees(pose) else 1.0
            rotation = from_rpy(*(scale * value for value in values))
        if rotation is None:
            whole, start, end = text.trim()
            what = f"<pose>: {quote(whole)} ends in no rotation: expected finite numbers, not all 0"
            self._problem(what, self._document.span(start, end))
            return _UNKNOWN
        return rotation

    def _added_mass(self, inertial: Element) -> tuple[tuple[Number, ...], ...]:
        """The 6x6 that the fluid adds; () where none is stated."""
        element = self._only(inertial, "fluid_added_mass")
        if element is None:
            return ()
        upper = {
            (i, j): self._value(element, _ADDED_MASS[i] + _ADDED_MASS[j], _ZERO)
            for i in range(6)
            for j in range(i, 6)
        }
        return tuple(tuple(upper[min(i, j), max(i, j)] for j in range(6)) for i in range(6))
