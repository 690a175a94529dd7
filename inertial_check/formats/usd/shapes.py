"""Reader of the gprims of a stage, in the frames of their bodies.

A gprim that cannot be read carries the reason; it is no problem of the document.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from inertial_check.files.json import JsonObject
from inertial_check.formats.rotations import Rotation, Vector, cross
from inertial_check.formats.shapes import Unusable, check_usable, unusable_shape
from inertial_check.inertia.tolerances import USD_SCALE_NOISE
from inertial_check.model.body import Pose
from inertial_check.model.shape import Role, Shape
from inertial_check.model.source import Span

_KINDS = {
    "Cube": "box",
    "Sphere": "sphere",
    "Cylinder": "cylinder",
    "Cylinder_1": "cylinder",
    "Capsule": "capsule",
    "Capsule_1": "capsule",
    "Cone": "cone",
    "Mesh": "mesh",
    "Plane": "plane",
}
_ALONG_AN_AXIS = frozenset(("cylinder", "capsule", "cone", "plane"))
_ORDERS = {"X": (1, 2, 0), "Y": (2, 0, 1), "Z": (0, 1, 2)}
"""Axes of the gprim that become x, y and z of the shape, by the axis of the gprim."""


def read_shapes(
    described: JsonObject, meters: float, span_of: Callable[[str, str], Span | None]
) -> Mapping[str, tuple[Shape, ...]]:
    """Read the shapes of a stage by the path of their body.

    Args:
        described: Description of the shapes, by stage.py.
        meters: metersPerUnit of the stage [m].
        span_of: Function that returns the span of a prim in a layer, if it is known.
    """
    found: dict[str, list[Shape]] = {}
    for entry in described["shapes"]:
        places = (span_of(described["layers"][number], path) for number, path in entry["places"])
        span = next((span for span in places if span is not None), Span(0, 0))
        found.setdefault(entry["body"], []).append(_shape(entry, meters, span))
    return {body: tuple(shapes) for body, shapes in found.items()}


def _shape(entry: JsonObject, meters: float, span: Span) -> Shape:
    written: str = entry["kind"]
    kind = _KINDS.get(written, written)
    role: Role = "collision" if entry["collides"] else "visual"
    try:
        if written not in _KINDS:
            raise Unusable(f"a {kind} is not read here: expected {', '.join(_KINDS)}")
        if kind == "mesh":
            raise Unusable("its points stand in the stage, not in a file, and are not read here")
        X_BG, factors = _place(entry, kind, meters)
        kind, dimensions = _solid(entry, kind, factors)
        metres = tuple(meters * number for number in dimensions)
        return check_usable(Shape(kind, role, metres, *X_BG, span))
    except Unusable as why:
        return unusable_shape(kind, role, span, why)


def _place(entry: JsonObject, kind: str, meters: float) -> tuple[Pose, Vector]:
    """Compute X_BG, and the factors by which the axes of the shape are stretched."""
    rows = [entry["matrix"][at : at + 4] for at in (0, 4, 8)]
    order = _ORDERS.get(entry["axis"] if kind in _ALONG_AN_AXIS else "Z")
    if order is None:
        raise Unusable(f"its axis is {entry['axis']}: expected X, Y or Z")
    columns = [[row[axis] for row in rows] for axis in order]
    x, y, z = (math.hypot(*column) for column in columns)
    if not all(0 < factor < math.inf for factor in (x, y, z)):
        raise Unusable("it is scaled by 0, or by what is no number")
    units = [
        [entry / factor for entry in column]
        for column, factor in zip(columns, (x, y, z), strict=True)
    ]
    if any(abs(_dot(units[i], units[j])) > USD_SCALE_NOISE for i, j in ((0, 1), (0, 2), (1, 2))):
        raise Unusable("it is sheared, and no longer what its type says: write it as a mesh")
    if _dot(units[2], cross(units[0], units[1])) < 0:  # mirrored, which changes no shape here
        units[0] = [-entry for entry in units[0]]
    R_BG: Rotation = tuple(zip(*units, strict=True))
    position = [meters * row[3] for row in rows]
    return Pose((position[0], position[1], position[2]), R_BG), (x, y, z)


def _solid(entry: JsonObject, kind: str, factors: Vector) -> tuple[str, tuple[float, ...]]:
    """Compute the kind and the stretched dimensions, in units of the stage.

    A visual has the dimensions that are drawn. A collider has those of UsdPhysics, which stretches
    spheres, and other shapes across their axis, by the largest factor.
    """
    x, y, z = factors
    wide = max(x, y)
    if kind == "plane":
        return kind, ()
    if kind == "box":
        size = _size(entry, "size")
        return kind, (size * x, size * y, size * z)
    if kind == "sphere":
        radius = _size(entry, "radius")
        if entry["collides"] or _alike(x, y, z):
            return kind, (radius * max(wide, z),)
        return "ellipsoid", (radius * x, radius * y, radius * z)
    if not entry["collides"] and not (_alike(x, y, z) if kind == "capsule" else _alike(x, y)):
        raise Unusable(f"it is stretched, and no longer a {kind}: write it as a mesh")
    return kind, (_radius(entry) * wide, _size(entry, "height") * z)


def _radius(entry: JsonObject) -> float:
    if entry["sizes"].get("radius") is not None:
        return _size(entry, "radius")
    top, bottom = _size(entry, "radiusTop"), _size(entry, "radiusBottom")
    if top != bottom:
        raise Unusable("its ends have different radii: write it as a mesh")
    return top


def _size(entry: JsonObject, name: str) -> float:
    value = entry["sizes"].get(name)
    if value is None or not 0 <= value < math.inf:
        raise Unusable(f"its {name} is {value}: lengths are positive")
    return float(value)


def _alike(*factors: float) -> bool:
    return max(factors) - min(factors) <= USD_SCALE_NOISE * max(factors)


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
