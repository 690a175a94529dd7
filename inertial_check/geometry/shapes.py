"""Shapes of a body as uniform solids or shells: volumes and moments of unit density.

No mesh is repaired unless the caller allows it. The record of each shape says what a mesh was taken
for, and why a shape was skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.errors import DocumentError, ParameterError, UsageError
from inertial_check.files.access import Access
from inertial_check.formats.context import Context
from inertial_check.geometry.meshes import MeshFinder, measure_file, scaled_triangles
from inertial_check.inertia import densities
from inertial_check.inertia.frames import homogeneous
from inertial_check.inertia.meshes import Mesh, convex_hull, edge_faults, measure
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Body, Model, Role, Shape

Fill = Literal["solid", "shell"]
"""Place of a body's mass: inside its shapes, or on their surfaces."""

Reading = Literal["solid", "flipped", "hull", "shell"]
"""Interpretation of a shape: the solid inside it; the solid inside a mesh whose triangles face
inwards; the convex hull of a mesh; the surface."""

FILLS: tuple[Fill, ...] = ("solid", "shell")
ROLES: tuple[Role, ...] = ("collision", "visual")
MESH_READINGS: tuple[Reading, ...] = ("solid", "flipped", "hull")
"""Interpretations of a mesh that a caller can allow where bodies are solid."""

_Constructors = Mapping[str, Callable[..., InertialParameters]]

_SOLIDS: _Constructors = {
    "box": densities.box,
    "sphere": densities.sphere,
    "ellipsoid": densities.ellipsoid,
    "cylinder": densities.cylinder,
    "capsule": densities.capsule,
    "cone": densities.cone,
}
_SHELLS: _Constructors = {
    "box": densities.box_shell,
    "sphere": densities.sphere_shell,
    "cylinder": densities.cylinder_shell,
    "capsule": densities.capsule_shell,
    "cone": densities.cone_shell,
}


class ShapeUse(NamedTuple):
    """Record of what one shape was taken for.

    Attributes:
        shape: The shape.
        reading: What it was taken for; None where it was skipped.
        size: Its volume [m^3], or the area [m^2] of a shell; 0 where it was skipped.
        reason: Why it was skipped, or not taken for the first reading that was allowed; None where
            neither happened.
        path: The file of a mesh, where there is one.
        mesh: The measured triangles of the file, in the shape's scale.
    """

    shape: Shape
    reading: Reading | None
    size: float
    reason: str | None = None
    path: str | None = None
    mesh: Mesh | None = None


class UniformBody(NamedTuple):
    """The shapes of one body, with unit density.

    Attributes:
        unit: The body of unit density in its own frame, whose mass is the size; None where no shape
            could be used.
        role: The role of the shapes that were used.
        shapes: Records of the shapes of that role, and of the roles tried before it.
    """

    unit: InertialParameters | None
    role: Role | None
    shapes: tuple[ShapeUse, ...]

    @property
    def size(self) -> float:
        """Volume [m^3] or area [m^2]; where shapes overlap it counts twice."""
        return 0.0 if self.unit is None else float(self.unit.mass)


class GeometryReader:
    """Turns the shapes of one model's bodies into uniform solids or shells."""

    def __init__(
        self,
        model: Model,
        fill: Fill = "solid",
        meshes: Sequence[Reading] = ("solid",),
        context: Context | None = None,
    ) -> None:
        """Choose what shapes count as.

        Args:
            model: The model; meshes are found from the paths of its documents.
            fill: Whether bodies are solid, or shells of one thickness.
            meshes: Readings allowed for the mesh of a solid body, best first.
            context: Folders of packages, and the files that may be used.

        Raises:
            UsageError: An unknown fill or reading.
        """
        check_choices("fill", [fill], FILLS)
        check_choices("meshes", meshes, MESH_READINGS)
        self._finder = MeshFinder(model, context or Context())
        self._shells = fill == "shell"
        self._meshes: tuple[Reading, ...] = ("shell",) if self._shells else tuple(meshes)

    def body(self, body: Body, roles: Sequence[Role] = ROLES) -> UniformBody:
        """Add up the shapes of the first role that has a usable one.

        Args:
            body: The body.
            roles: Roles of shapes, best first.
        """
        looked_at: list[ShapeUse] = []
        for role in roles:
            found = [self.shape(shape) for shape in body.shapes if shape.role == role]
            looked_at += [use for use, _ in found]
            units = [unit for _, unit in found if unit is not None]
            if units:
                return UniformBody(reduce(add, units), role, tuple(looked_at))
        return UniformBody(None, None, tuple(looked_at))

    def shape(self, shape: Shape) -> tuple[ShapeUse, InertialParameters | None]:
        """Give the record of a shape, and the shape with unit density in the body's frame."""
        if shape.note is not None:
            return ShapeUse(shape, None, 0.0, shape.note), None
        if shape.kind == "mesh":
            use, unit = self._read_mesh(shape)
        else:
            use, unit = self._read_primitive(shape)
        X_BG = homogeneous(shape.R_BG, shape.p_BoGo_B)
        return use, None if unit is None else unit.transform(X_BG)

    def _read_primitive(self, shape: Shape) -> tuple[ShapeUse, InertialParameters | None]:
        unit = _construct(_SHELLS if self._shells else _SOLIDS, shape)
        if unit is None:
            what = "surface in closed form" if self._shells else "volume"
            return ShapeUse(shape, None, 0.0, f"a {shape.kind} has no {what}"), None
        size = float(unit.mass)
        if not 0 < size < np.inf:
            what = "area" if self._shells else "volume"
            return ShapeUse(shape, None, 0.0, f"the {what} of the {shape.kind} is {size!r}"), None
        return ShapeUse(shape, "shell" if self._shells else "solid", size), unit

    def _read_mesh(self, shape: Shape) -> tuple[ShapeUse, InertialParameters | None]:
        resource = self._finder.find(shape)
        if resource.path is None:
            return ShapeUse(shape, None, 0.0, resource.reason), None
        path = resource.path
        try:
            mesh = measure_file(path, shape.scale, access=self._finder.access).mesh
        except (DocumentError, ParameterError, UsageError) as error:
            return ShapeUse(shape, None, 0.0, str(error), path), None
        reasons: list[str] = []
        for reading in self._meshes:
            try:
                unit = _interpret(reading, mesh, path, shape, self._finder.access)
                size = float(unit.mass)
                return ShapeUse(shape, reading, size, _join(reasons), path, mesh), unit
            except ParameterError as error:
                reasons.append(str(error))
        if not mesh.closed and not self._shells:
            reasons.append(_count_bad_edges(path, shape, self._finder.access))
        return ShapeUse(shape, None, 0.0, _join(reasons), path, mesh), None


def shell_of(shape: Shape) -> InertialParameters | None:
    """Give the surface of a primitive with unit density in its own frame, if there is a formula."""
    return _construct(_SHELLS, shape)


def check_choices(name: str, given: Sequence[object], known: Sequence[str]) -> None:
    """Refuse an empty list, and a list with an unknown choice.

    Raises:
        UsageError: Names the choices.
    """
    if isinstance(given, str) or not given or any(choice not in known for choice in given):
        raise UsageError(f"{name} is {given!r}: expected some of {', '.join(map(repr, known))}")


def _construct(constructors: _Constructors, shape: Shape) -> InertialParameters | None:
    """Make a primitive of unit density in its own frame; None where there is no formula for it."""
    construct = constructors.get(shape.kind)
    if construct is None:
        return None
    if shape.kind in ("box", "ellipsoid"):  # these take their three lengths as one argument
        return construct(shape.dimensions, density=1.0)
    return construct(*shape.dimensions, density=1.0)


def _interpret(
    reading: Reading, mesh: Mesh, path: str, shape: Shape, access: Access
) -> InertialParameters:
    """Give a mesh unit density in its own frame, by one reading.

    Raises:
        ParameterError: The mesh does not allow the reading.
    """
    if reading == "shell":
        return mesh.shell(density=1.0)
    if reading == "hull":
        mesh = measure(convex_hull(scaled_triangles(path, shape.scale, access)))
    return mesh.solid(density=1.0, inside_out=reading == "flipped")


def _count_bad_edges(path: str, shape: Shape, access: Access) -> str:
    faults = edge_faults(scaled_triangles(path, shape.scale, access))
    counts = {
        "at the rim of a hole": faults.open,
        "between triangles that face opposite ways": faults.turned,
        "of more than two triangles": faults.shared,
    }
    listed = ", ".join(f"{count} {where}" for where, count in counts.items() if count)
    return f"its bad edges: {listed}"


def _join(reasons: list[str]) -> str | None:
    return "; ".join(dict.fromkeys(reasons)) or None
