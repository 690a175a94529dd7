"""From the shapes of a body to what they hold: volumes and moments of unit density.

Nothing is mended unasked. What a mesh was taken for, and why a shape was skipped, is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any, Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError, ParameterError, UsageError
from inertial_check.formats.meshes import triangles
from inertial_check.formats.resources import Packages
from inertial_check.geometry.mesh_reading import MeshFinder, measured, scaled
from inertial_check.inertia import densities
from inertial_check.inertia.meshes import Mesh, convex_hull, edge_faults, measure
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Body, Model, Role, Shape

Fill = Literal["solid", "shell"]
"""Where the density of a body is: inside its shapes, or on their surfaces."""

Reading = Literal["solid", "flipped", "hull", "shell"]
"""What a shape was taken for: the solid inside it; the solid inside a mesh that faces inwards; the
convex hull of a mesh; the surface."""

FILLS: tuple[Fill, ...] = ("solid", "shell")
ROLES: tuple[Role, ...] = ("collision", "visual")
MESH_READINGS: tuple[Reading, ...] = ("solid", "flipped", "hull")
"""What a mesh may be taken for where bodies are full."""

Blocks = Callable[[], Iterator[Floats]]

_SOLIDS: Mapping[str, Callable[..., InertialParameters]] = {
    "box": lambda *edges: densities.box(edges, density=1.0),
    "sphere": lambda radius: densities.sphere(radius, density=1.0),
    "ellipsoid": lambda *radii: densities.ellipsoid(radii, density=1.0),
    "cylinder": lambda radius, length: densities.cylinder(radius, length, density=1.0),
    "capsule": lambda radius, length: densities.capsule(radius, length, density=1.0),
    "cone": lambda radius, length: densities.cone(radius, length, density=1.0),
}
_SHELLS: Mapping[str, Callable[..., InertialParameters]] = {
    "box": lambda *edges: densities.box_shell(edges, density=1.0),
    "sphere": lambda radius: densities.sphere_shell(radius, density=1.0),
    "cylinder": lambda radius, length: densities.cylinder_shell(radius, length, density=1.0),
    "capsule": lambda radius, length: densities.capsule_shell(radius, length, density=1.0),
    "cone": lambda radius, length: densities.cone_shell(radius, length, density=1.0),
}


class ShapeUse(NamedTuple):
    """What became of a shape.

    Attributes:
        shape: The shape.
        reading: What it was taken for; None where it was skipped.
        size: Its volume [m^3], or area [m^2] of a shell; 0 where it was skipped.
        reason: Why it was skipped, or not taken for what it was to be first; None where all was
            well.
        path: The file of a mesh, where there is one.
        mesh: What the file holds, in the shape's scale.
    """

    shape: Shape
    reading: Reading | None
    size: float
    reason: str | None = None
    path: str | None = None
    mesh: Mesh | None = None


class Geometry(NamedTuple):
    """What the shapes of a body hold.

    Attributes:
        unit: The body of unit density, in its own frame: its mass is the size; None where no shape
            could be used.
        role: Whose shapes were used.
        shapes: All that were looked at: those of that role, and of the roles before it.
    """

    unit: InertialParameters | None
    role: Role | None
    shapes: tuple[ShapeUse, ...]

    @property
    def size(self) -> float:
        """Volume [m^3] or area [m^2]; where shapes overlap it counts twice."""
        return 0.0 if self.unit is None else float(self.unit.mass)


class GeometryReader:
    """Reads the shapes of the bodies of one model."""

    def __init__(
        self,
        model: Model,
        fill: Fill = "solid",
        meshes: Sequence[Reading] = ("solid",),
        packages: Packages | None = None,
    ) -> None:
        """Choose what shapes count as.

        Args:
            model: Whose bodies they are; meshes are found from the paths of its documents.
            fill: Whether bodies are full, or shells of one thickness.
            meshes: What a mesh may be taken for where bodies are full, best first.
            packages: Folders by package name.

        Raises:
            UsageError: An unknown fill or reading.
        """
        check_choices("fill", [fill], FILLS)
        check_choices("meshes", meshes, MESH_READINGS)
        self._finder = MeshFinder(model, packages or {})
        self._shells = fill == "shell"
        self._meshes: tuple[Reading, ...] = ("shell",) if self._shells else tuple(meshes)

    def body(self, body: Body, roles: Sequence[Role] = ROLES) -> Geometry:
        """The shapes of the first role that has a usable one.

        Args:
            body: The body.
            roles: Best first.
        """
        looked_at: list[ShapeUse] = []
        for role in roles:
            found = [self.shape(shape) for shape in body.shapes if shape.role == role]
            looked_at += [use for use, _ in found]
            units = [unit for _, unit in found if unit is not None]
            if units:
                return Geometry(reduce(add, units), role, tuple(looked_at))
        return Geometry(None, None, tuple(looked_at))

    def shape(self, shape: Shape) -> tuple[ShapeUse, InertialParameters | None]:
        """What became of a shape, and it with unit density in the body's frame."""
        if shape.note is not None:
            return ShapeUse(shape, None, 0.0, shape.note), None
        if shape.kind == "mesh":
            use, unit = self._mesh(shape)
        else:
            use, unit = self._primitive(shape)
        return use, None if unit is None else unit.transform(_pose(shape))

    def _primitive(self, shape: Shape) -> tuple[ShapeUse, InertialParameters | None]:
        made = (_SHELLS if self._shells else _SOLIDS).get(shape.kind)
        if made is None:
            what = "surface in closed form" if self._shells else "volume"
            return ShapeUse(shape, None, 0.0, f"a {shape.kind} has no {what}"), None
        unit = made(*shape.dimensions)
        size = float(unit.mass)
        if not 0 < size < np.inf:
            what = "area" if self._shells else "volume"
            return ShapeUse(shape, None, 0.0, f"the {what} of the {shape.kind} is {size!r}"), None
        return ShapeUse(shape, "shell" if self._shells else "solid", size), unit

    def _mesh(self, shape: Shape) -> tuple[ShapeUse, InertialParameters | None]:
        resource = self._finder.find(shape)
        if resource.path is None:
            return ShapeUse(shape, None, 0.0, resource.reason), None
        path = resource.path
        try:
            mesh = measured(path, shape.scale).mesh
        except (DocumentError, ParameterError, UsageError) as error:
            return ShapeUse(shape, None, 0.0, str(error), path), None

        def blocks() -> Iterator[Floats]:
            return scaled(triangles(path), shape.scale)

        reasons: list[str] = []
        for reading in self._meshes:
            try:
                unit = _READ[reading](mesh, blocks)
                size = float(unit.mass)
                return ShapeUse(shape, reading, size, _joined(reasons), path, mesh), unit
            except ParameterError as error:
                reasons.append(str(error))
        if not mesh.closed and not self._shells:
            reasons.append(_faults(blocks))
        return ShapeUse(shape, None, 0.0, _joined(reasons), path, mesh), None


def shell_of(shape: Shape) -> InertialParameters | None:
    """The surface of a simple shape with unit density, in its own frame; None without a form."""
    made = _SHELLS.get(shape.kind)
    return None if made is None else made(*shape.dimensions)


def check_choices(name: str, given: Sequence[Any], known: Sequence[str]) -> None:
    """Refuse what is none of the choices, and no choice at all.

    Raises:
        UsageError: Naming the choices.
    """
    if isinstance(given, str) or not given or any(choice not in known for choice in given):
        raise UsageError(f"{name} is {given!r}: expected some of {', '.join(map(repr, known))}")


def _solid(mesh: Mesh, blocks: Blocks) -> InertialParameters:
    return mesh.solid(density=1.0)


def _flipped(mesh: Mesh, blocks: Blocks) -> InertialParameters:
    return mesh.solid(density=1.0, inside_out=True)


def _hull(mesh: Mesh, blocks: Blocks) -> InertialParameters:
    return measure(convex_hull(blocks())).solid(density=1.0)


def _shell(mesh: Mesh, blocks: Blocks) -> InertialParameters:
    return mesh.shell(density=1.0)


_READ: Mapping[Reading, Callable[[Mesh, Blocks], InertialParameters]] = {
    "solid": _solid,
    "flipped": _flipped,
    "hull": _hull,
    "shell": _shell,
}


def _faults(blocks: Blocks) -> str:
    faults = edge_faults(blocks())
    counted = {
        "at the rim of a hole": faults.open,
        "between triangles that face opposite ways": faults.turned,
        "of more than two triangles": faults.shared,
    }
    said = ", ".join(f"{count} {where}" for where, count in counted.items() if count)
    return f"its bad edges: {said}"


def _joined(reasons: list[str]) -> str | None:
    return "; ".join(dict.fromkeys(reasons)) or None


def _pose(shape: Shape) -> Floats:
    """X_BG."""
    pose = np.eye(4)
    pose[:3, :3] = shape.R_BG
    pose[:3, 3] = shape.p_BoGo_B
    return pose
