"""Visual and collision shapes of a body, as a document states them. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from inertial_check.model.deferred import Deferred
from inertial_check.model.source import Span

Role = Literal["visual", "collision"]
"""Role of a shape: it is drawn, or it collides."""

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
"""Dimensions of each kind of shape, in order [m].

A box has edges, an ellipsoid radii. Cylinder, capsule and cone are along z, with the middle of
their length at the origin; the length of a capsule is that of its cylinder, without the caps; the
tip of a cone is at +length / 2. The size of a mesh is in its file; plane and heightmap have no
volume."""


class Shape(NamedTuple):
    """One shape of a body.

    Attributes:
        kind: Name in DIMENSIONS, or the document's name for another kind; "" if it names none.
        role: "visual" or "collision".
        dimensions: Numbers as DIMENSIONS names them for this kind [m].
        p_BoGo_B: The shape's origin in the body frame [m].
        R_BG: Row-major rotation from the shape's axes to the body frame.
        span: Place of the element.
        uri: URI of a mesh, as written.
        scale: Factors on a mesh's coordinates; a negative one mirrors it.
        note: Why the shape cannot be used, and what to do; its numbers then have no meaning. None
            if it can be used.
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
    """The shapes of a body, read from the document when they are first used."""

    __slots__ = ()
