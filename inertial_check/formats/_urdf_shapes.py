"""What a <visual> or <collision> of a URDF says of a body's geometry.

Nothing here is a problem of the document: the inertial numbers do not depend on it. A shape that
cannot be read carries the reason.
"""

from __future__ import annotations

import math
from typing import Literal, cast

from inertial_check.formats._markup import Element
from inertial_check.formats._numbers import parse_number, shown
from inertial_check.formats._rotations import IDENTITY, Rotation, from_quaternion, from_rpy
from inertial_check.formats._xml import Document
from inertial_check.model.shape import Shape
from inertial_check.model.source import Span

Triple = tuple[float, float, float]

_ATTRIBUTES: dict[str, tuple[tuple[str, int], ...]] = {
    "box": (("size", 3),),
    "sphere": (("radius", 1),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
    "mesh": (),
}
"""The attributes that make the dimensions of each kind, with how many numbers each holds."""


class _Unusable(Exception):
    """Why a shape cannot be used."""


def read_shape(document: Document, element: Element, quaternions: bool) -> Shape:
    """Read one shape.

    Args:
        document: In which it stands.
        element: A <visual> or <collision>.
        quaternions: Whether an origin may hold quat_xyzw, as from URDF 1.1 on.
    """
    role = cast(Literal["visual", "collision"], element.tag)
    span = document.element_span(element)
    geometry = _first(element, "geometry")
    solid = geometry.children[0] if geometry is not None and geometry.children else None
    kind = solid.tag if solid is not None else ""
    try:
        if solid is None:
            raise _Unusable(f"<{role}> has no <geometry> with a shape in it")
        position, rotation = _origin(_first(element, "origin"), quaternions)
        dimensions, scale = _dimensions(solid), _scale(solid)
        return Shape(kind, role, dimensions, position, rotation, span, _uri(solid), scale)
    except _Unusable as why:
        return _unusable(kind, role, span, str(why))


def _unusable(kind: str, role: Literal["visual", "collision"], span: Span, why: str) -> Shape:
    return Shape(kind, role, (), (math.nan,) * 3, ((math.nan,) * 3,) * 3, span, note=why)


def _first(element: Element, tag: str) -> Element | None:
    return next(iter(element.all(tag)), None)


def _dimensions(solid: Element) -> tuple[float, ...]:
    if solid.tag not in _ATTRIBUTES:
        raise _Unusable(f"<{solid.tag}> is no shape of URDF: expected {', '.join(_ATTRIBUTES)}")
    found: list[float] = []
    for name, count in _ATTRIBUTES[solid.tag]:
        values = _numbers(solid, name, count)
        if values is None:
            raise _Unusable(f"<{solid.tag}> has no {name}")
        if min(values) < 0:
            raise _Unusable(f"{name} of <{solid.tag}> is {min(values)!r}: lengths are positive")
        found += values
    return tuple(found)


def _uri(solid: Element) -> str | None:
    if solid.tag != "mesh":
        return None
    uri = solid.attributes.get("filename", "").strip()
    if not uri:
        raise _Unusable("<mesh> has no filename")
    return uri


def _scale(solid: Element) -> Triple:
    values = _numbers(solid, "scale", 3) if solid.tag == "mesh" else None
    if values is None:
        return 1.0, 1.0, 1.0
    if 0.0 in values:
        raise _Unusable("scale of <mesh> is 0: it leaves no volume")
    return _triple(values)


def _origin(origin: Element | None, quaternions: bool) -> tuple[Triple, Rotation]:
    if origin is None:
        return (0.0, 0.0, 0.0), IDENTITY
    position = _numbers(origin, "xyz", 3) or [0.0, 0.0, 0.0]
    rotation: Rotation | None = IDENTITY
    quaternion = _numbers(origin, "quat_xyzw", 4) if quaternions else None
    angles = _numbers(origin, "rpy", 3)
    if quaternion is not None and angles is not None:
        raise _Unusable("<origin> has both rpy and quat_xyzw: delete one")
    if quaternion is not None:
        rotation = from_quaternion(*quaternion)
    elif angles is not None:
        rotation = from_rpy(*angles)
    if rotation is None:
        raise _Unusable("quat_xyzw of <origin> is no rotation: write x y z w")
    return _triple(position), rotation


def _numbers(element: Element, attribute: str, count: int) -> list[float] | None:
    """The finite numbers of an attribute; None where it is absent."""
    text = element.attributes.get(attribute)
    if text is None:
        return None
    words = text.split()
    if len(words) != count:
        what = "a number" if count == 1 else f"{count} numbers"
        raise _Unusable(f"{attribute} of <{element.tag}> is {shown(text)}: expected {what}")
    values = []
    for word in words:
        value, complaint = parse_number(word)
        if complaint or not math.isfinite(value):
            reason = complaint or f"{shown(word)} is not finite"
            raise _Unusable(f"{attribute} of <{element.tag}>: {reason}")
        values.append(value)
    return values


def _triple(values: list[float]) -> Triple:
    x, y, z = values
    return x, y, z
