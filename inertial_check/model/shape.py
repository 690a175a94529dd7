"""The shapes that a document gives a body, for looks and for contact. Plain data, no judgement."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from inertial_check.model.deferred import Deferred
from inertial_check.model.source import Span

Role = Literal["visual", "collision"]
"""What a shape is for: to be seen, or to touch."""

DIMENSIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "box": ("x", "y", "z"),
        "sphere": ("radius",),
        "ellipsoid": ("x", "y", "z"),
        "cylinder": ("radius", "length"),
        "capsule": ("radius", "length"),
        "cone": ("radius", "length"),
        "mesh": (),
        "plane": (),
        "heightmap": (),
    }
)
"""What the dimensions of each kind of shape are, in order [m].

Edges of a box, radii of an ellipsoid. Cylinder, capsule and cone lie along z, the middle of their
length at the origin; a capsule's length is that of its cylinder, without the caps; a cone's tip is
at +length / 2. A mesh has its size in its file; plane and heightmap enclose no volume."""


class Shape(NamedTuple):
    """One shape of a body.

    Attributes:
        kind: A name of DIMENSIONS, or whatever the document calls it; "" where it names none.
        role: "visual" or "collision".
        dimensions: Numbers as DIMENSIONS names them for this kind [m].
        p_BoGo_B: The shape's origin in the body frame [m].
        R_BG: Row-major rotation from the shape's axes to the body frame.
        span: The element in the document.
        uri: Where a mesh is, as written.
        scale: Factors on a mesh's coordinates; a negative one mirrors it.
        note: Why the shape cannot be used, with the way out; None where it can. The numbers above
            then mean nothing.
    """

    kind: str
    role: Role
    dimensions: tuple[float, ...]
    p_BoGo_B: tuple[float, float, float]
    R_BG: tuple[tuple[float, float, float], ...]
    span: Span
    uri: str | None = None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    note: str | None = None


class Shapes(Deferred[Shape]):
    """The shapes of a body, read from the document when they are first looked at."""

    __slots__ = ()
