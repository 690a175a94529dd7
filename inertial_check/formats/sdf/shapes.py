"""Reader of the <visual> and <collision> elements of an SDF link.

A shape that cannot be read carries the reason; it is no problem of the document.
"""

from __future__ import annotations

from typing import cast

from inertial_check.formats.numbers import quote
from inertial_check.formats.sdf.links import word
from inertial_check.formats.sdf.poses import Frames, Stand, read_pose
from inertial_check.formats.shapes import (
    COMMON_FORMS,
    Forms,
    Unusable,
    check_usable,
    parse_factors,
    read_dimensions,
    unusable_shape,
)
from inertial_check.formats.xml.document import XmlDocument
from inertial_check.formats.xml.markup import Element
from inertial_check.model.body import Pose
from inertial_check.model.shape import Role, Shape

_FORMS: Forms = {
    **COMMON_FORMS,
    "ellipsoid": (("radii", 3),),
    "cone": (("radius", 1), ("length", 1)),
    "mesh": (),
    "plane": (),
    "heightmap": (),
}
"""Elements that state the dimensions of each kind of shape."""

_UNMEASURED = {
    "polyline": "an extruded outline, which is not read here: export it as a mesh",
    "image": "made of an image, which is not read here: export it as a mesh",
    "empty": "no shape",
}
"""Elements of <geometry> that have no dimensions, and what is said of them."""


def read_shape(element: Element, stand: Stand, link: str, frames: Frames) -> Shape:
    """Read one shape.

    Args:
        element: A <visual> or <collision>.
        stand: Its stated pose.
        link: Scoped name of its link.
        frames: Frames of the model.
    """
    document, role = stand.document, cast(Role, element.tag)
    span = document.element_span(element)
    solid = _solid(element)
    kind = "" if solid is None else solid.tag
    try:
        if solid is None:
            raise Unusable(f"<{role}> has no <geometry> with a shape in it")
        X_BG = _pose(stand, link, frames)
        dimensions = _dimensions(document, solid)
        uri, scale = (None, (1.0, 1.0, 1.0)) if kind != "mesh" else _mesh(document, solid)
        return check_usable(Shape(kind, role, dimensions, *X_BG, span, uri, scale))
    except Unusable as why:
        return unusable_shape(kind, role, span, why)


def _solid(element: Element) -> Element | None:
    """Find the first element of <geometry> that is not an extension of an engine."""
    geometry = element.first("geometry")
    inside = () if geometry is None else geometry.children
    return next((child for child in inside if ":" not in child.tag), None)


def _pose(stand: Stand, link: str, frames: Frames) -> Pose:
    X_BG = frames.locate(link, stand)
    if X_BG is not None:
        return X_BG
    if stand.base is not None and read_pose(stand) is None:
        raise Unusable("its <pose> is none: write x y z roll pitch yaw, or x y z qx qy qz qw")
    attributes = {} if stand.pose is None else stand.pose.attributes
    named = attributes.get("relative_to") or attributes.get("frame") or ""
    raise Unusable(f"where {quote(named)}, to which its <pose> is relative, stands cannot be told")


def _dimensions(document: XmlDocument, solid: Element) -> tuple[float, ...]:
    if solid.tag in _UNMEASURED:
        raise Unusable(f"<{solid.tag}> is {_UNMEASURED[solid.tag]}")

    def find_text(name: str) -> str | None:
        return word(document, solid.first(name)) or None

    return read_dimensions(solid.tag, _FORMS, "SDF", find_text, "<{}>")


def _mesh(document: XmlDocument, mesh: Element) -> tuple[str, tuple[float, float, float]]:
    """Read the URI of a mesh and the factors on its coordinates."""
    uri = word(document, mesh.first("uri"))
    if not uri:
        raise Unusable("<mesh> has no uri")
    submesh = mesh.first("submesh")
    if submesh is not None:
        name = quote(word(document, submesh.first("name")))
        raise Unusable(f"<submesh> {name}: parts of a mesh file are not told apart here")
    text = word(document, mesh.first("scale"))
    return uri, parse_factors(text, "<scale> of <mesh>") if text else (1.0, 1.0, 1.0)
