"""Reader of the <visual> and <collision> elements of a URDF link.

A shape that cannot be read carries the reason; it is no problem of the document.
"""

from __future__ import annotations

from typing import cast

from inertial_check.formats.poses import SAME_FRAME
from inertial_check.formats.rotations import IDENTITY, Rotation, Vector, from_quaternion, from_rpy
from inertial_check.formats.shapes import (
    COMMON_FORMS,
    Forms,
    Unusable,
    parse_factors,
    parse_numbers,
    read_dimensions,
    unusable_shape,
)
from inertial_check.formats.xml.document import XmlDocument
from inertial_check.formats.xml.markup import Element
from inertial_check.model.body import Pose
from inertial_check.model.shape import Role, Shape

_FORMS: Forms = {**COMMON_FORMS, "mesh": ()}
"""Attributes that state the dimensions of each kind of shape."""


def read_shape(document: XmlDocument, element: Element, quaternions: bool) -> Shape:
    """Read one shape.

    Args:
        document: The document that contains the shape.
        element: A <visual> or <collision>.
        quaternions: Whether an origin may have quat_xyzw, as since URDF 1.1.
    """
    role = cast(Role, element.tag)
    span = document.element_span(element)
    geometry = element.first("geometry")
    solid = geometry.children[0] if geometry is not None and geometry.children else None
    kind = solid.tag if solid is not None else ""
    try:
        if solid is None:
            raise Unusable(f"<{role}> has no <geometry> with a shape in it")
        X_BG = _origin(element.first("origin"), quaternions)
        dimensions = read_dimensions(kind, _FORMS, "URDF", solid.attributes.get, "{}")
        scale = _scale(solid)
        return Shape(kind, role, dimensions, *X_BG, span, _uri(solid), scale)
    except Unusable as why:
        return unusable_shape(kind, role, span, why)


def _uri(solid: Element) -> str | None:
    if solid.tag != "mesh":
        return None
    uri = solid.attributes.get("filename", "").strip()
    if not uri:
        raise Unusable("<mesh> has no filename")
    return uri


def _scale(solid: Element) -> Vector:
    if solid.tag != "mesh" or "scale" not in solid.attributes:
        return 1.0, 1.0, 1.0
    return parse_factors(solid.attributes["scale"], "scale of <mesh>")


def _origin(origin: Element | None, quaternions: bool) -> Pose:
    if origin is None:
        return SAME_FRAME
    known = origin.attributes
    xyz, rpy = known.get("xyz"), known.get("rpy")
    quat_xyzw = known.get("quat_xyzw") if quaternions else None
    x, y, z = _numbers("xyz", xyz, 3) or (0.0, 0.0, 0.0)
    rotation: Rotation | None = IDENTITY
    quaternion = _numbers("quat_xyzw", quat_xyzw, 4)
    angles = _numbers("rpy", rpy, 3)
    if quaternion is not None and angles is not None:
        raise Unusable("<origin> has both rpy and quat_xyzw: delete one")
    if quaternion is not None:
        rotation = from_quaternion(*quaternion)
    elif angles is not None:
        rotation = from_rpy(*angles)
    if rotation is None:
        raise Unusable("quat_xyzw of <origin> is no rotation: write x y z w")
    return Pose((x, y, z), rotation)


def _numbers(attribute: str, text: str | None, count: int) -> tuple[float, ...] | None:
    """Parse the finite numbers of an attribute; None if it is absent."""
    return None if text is None else parse_numbers(text, count, f"{attribute} of <origin>")
