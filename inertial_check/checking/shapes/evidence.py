"""Measurement of the shapes of all bodies of a model, as evidence about the stated numbers.

The shapes of one kind are measured together in a few array operations; each mesh file is read in
one pass over its triangles, whatever the number of shapes that name it.

The examples of this module continue this session:

>>> import inertial_check as ic
>>> from inertial_check.checking.shapes import evidence

Shapes of a body as uniform solids or shells: volumes and moments of unit density.

No mesh is repaired unless the caller allows it. The record of each shape says what a mesh was taken
for, and why a shape was skipped.

Moments of convex hulls of which only the support is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from inertial_check.checking.evidence.examination import BodyGeometry, Geometry, Six, Three
from inertial_check.documents.context import Context, Packages, as_context
from inertial_check.documents.files.access import Access
from inertial_check.documents.model import Body, Model, Role, Shape
from inertial_check.errors import DocumentError, ParameterError, UsageError, expect
from inertial_check.inertia import solids
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.frames import homogeneous
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.resemblance import entries
from inertial_check.inertia.solids import AXES, PRIMITIVES

if TYPE_CHECKING:
    import numpy.typing as npt

    from inertial_check.checking.shapes.meshes import MeasuredMesh
    from inertial_check.inertia.meshes import Mesh


_ROLES: tuple[Role, ...] = ("visual", "collision")
_SIGNED_AXES = np.concatenate([AXES, -AXES])
_DIRECTIONS = tuple((x, y, z) for x, y, z in (_SIGNED_AXES + 0.0).tolist())  # -0.0 + 0.0 is 0.0


def read_geometry(model: Model, context: Context | Packages) -> Geometry:
    """Measure the shapes of every body.

    Args:
        model: The model as read; meshes are found from the paths of its documents.
        context: Folders of packages, and the files that may be used; or folders by package name
            alone.

    Returns:
        For each body and role with a usable shape: the union of its shapes, each uniformly filled.
        Where one of them is an open mesh, or none has a volume, all count with their surfaces, the
        volume is NaN, and the convex hull is measured beside them. Support is that of the shapes in
        50 directions, the same for all bodies. No error is raised for a file that is missing or
        broken: the remarks report it.

    Example:
        >>> robot = ic.load("data/arm.urdf")
        >>> measured = evidence.read_geometry(robot, {})
        >>> print(len(measured.bodies), len(measured.missing))
        10 0
    """
    expect(Model, model=model)
    if not any(body.shapes for body in model.bodies):
        return Geometry(((),) * len(model.bodies))
    shapes = [
        _MeasuredShape(2 * index + which, shape)
        for index, body in enumerate(model.bodies)
        for which, role in enumerate(_ROLES)
        for shape in body.shapes
        if shape.role == role
    ]
    for each in shapes:
        each.skip_without_volume()
    meshes = [each for each in shapes if each.usable and each.shape.kind == "mesh"]
    if not meshes:
        return Geometry(_unite_bodies(shapes, len(model.bodies)))
    from inertial_check.checking.shapes.meshes import read_meshes

    read, files = read_meshes(
        [(each.group // 2, each.shape) for each in meshes], model, as_context(context)
    )
    for each, found in zip(meshes, read, strict=True):
        each.mesh, each.usable = found.mesh, found.usable
        if found.remark is not None:
            each.add_remark(found.remark)
    return Geometry(_unite_bodies(shapes, len(model.bodies)), *files)


class _MeasuredShape:
    """One shape of a model, and what is found out about it.

    Attributes:
        group: 2 * index of its body, + 1 for collision: shapes of one group are united.
        shape: The shape.
        usable: Whether it counts.
        remark: The reason why it is left out or taken for something else, if it is.
        mesh: The measurements of a mesh.
    """

    __slots__ = ("group", "mesh", "remark", "shape", "usable")

    def __init__(self, group: int, shape: Shape) -> None:
        self.group = group
        self.shape = shape
        self.usable = True
        self.remark: str | None = None
        self.mesh: MeasuredMesh | None = None

    def skip(self, reason: str) -> None:
        """Leave the shape out."""
        self.usable = False
        self.add_remark(reason)

    def add_remark(self, reason: str) -> None:
        """Set the remark, behind the role and kind of the shape."""
        self.remark = f"{self.shape.role} {self.shape.kind or 'shape'}: {reason}"

    def skip_without_volume(self) -> None:
        """Leave out a shape that the reader of the document refused, or that has no volume."""
        if self.shape.note is not None:
            self.skip(self.shape.note)
        elif self.shape.kind != "mesh" and self.shape.kind not in PRIMITIVES:
            self.skip(f"a {self.shape.kind} has no volume")


class _ShapeMoments(NamedTuple):
    """Moments of uniform shapes in their own frames, one shape a row.

    Attributes:
        size: (n,) volume [m^3], NaN for a surface without inside; or area [m^2].
        center: (n, 3) centre of volume or area [m].
        covariance: (n, 3, 3) covariance of the material about the centre [m^2].
    """

    size: Floats
    center: Floats
    covariance: Floats


def _unite_bodies(
    shapes: Sequence[_MeasuredShape], count: int
) -> tuple[tuple[BodyGeometry, ...], ...]:
    """Unite the shapes of each body and role."""
    bodies: list[tuple[BodyGeometry, ...]] = [()] * count
    with np.errstate(all="ignore"):  # sizes that overflow are skipped with a remark
        used, moments, support = _measure([each for each in shapes if each.usable])
        if not used:
            return tuple(bodies)
        groups = np.array([each.group for each in used])
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        support = np.maximum.reduceat(support, starts)
        volumes, centers, covariances = _unite(used, moments, starts)
    # Count the meshes used and the shapes skipped, and collect the remarks, by group.
    found: dict[int, tuple[int, int, tuple[str, ...]]] = {}
    for each in shapes:
        meshes, skipped, remarks = found.get(each.group, (0, 0, ()))
        found[each.group] = (
            meshes + (each.usable and each.mesh is not None),
            skipped + (not each.usable),
            remarks if each.remark is None else (*remarks, each.remark),
        )
    accounts = found
    upper, lower = support[:, :3], -support[:, len(AXES) :][:, :3]
    columns = (volumes, centers, entries(covariances), lower, upper, support)
    rows = zip(groups[starts].tolist(), *((c + 0.0).tolist() for c in columns), strict=True)
    for group, volume, center, covariance, least, greatest, reach in rows:
        body, role = divmod(group, 2)
        one = BodyGeometry(
            _ROLES[role],
            volume,
            tuple(center),
            tuple(covariance),
            tuple(least),
            tuple(greatest),
            tuple(reach),
            _DIRECTIONS,
            *accounts[group],
            None if volume > 0 else _hull_of(reach),
        )
        bodies[body] += (one,)
    return tuple(bodies)


def _hull_of(support: Sequence[float]) -> tuple[Three, Six] | None:
    """The centre and covariance of the convex hull; None where the shapes have no extent."""
    center, covariance = find_hull_moments(_SIGNED_AXES, np.array(support))
    (x, y, z), (xx, xy, xz, yy, yz, zz) = center.tolist(), entries(covariance).tolist()
    return ((x, y, z), (xx, xy, xz, yy, yz, zz)) if xx + yy + zz > 0 else None


def _measure(
    shapes: Sequence[_MeasuredShape],
) -> tuple[list[_MeasuredShape], _ShapeMoments, Floats]:
    """Measure shapes: returns those with a volume, and their support (n, 50) in the body [m]."""
    R_BG = np.array([each.shape.R_BG for each in shapes]).reshape(-1, 3, 3)
    moments = _ShapeMoments(*(np.zeros((len(shapes), *shape)) for shape in ((), (3,), (3, 3))))
    support = np.zeros((len(shapes), len(_SIGNED_AXES)))
    by_kind: dict[str, list[int]] = {}
    for i, each in enumerate(shapes):
        if each.mesh is None:
            by_kind.setdefault(each.shape.kind, []).append(i)
        else:
            # Enter the solid inside a mesh, where it has one.
            mesh = each.mesh
            if mesh.fault in {"open", "crossing"}:
                moments.size[i] = np.nan
            elif mesh.fault != "flat" and mesh.solid is not None:
                _put(moments, i, mesh.solid)
            reach = each.mesh.reach[each.shape.R_BG]
            support[i] = np.concatenate([reach[:, 1], -reach[:, 0]])
    for kind, at in by_kind.items():
        lengths = np.array([shapes[i].shape.dimensions for i in at])
        solid = PRIMITIVES[kind].solid(lengths)
        moments.size[at], moments.center[at, 2] = solid.volume, solid.height
        moments.covariance[at] = solid.variances[:, :, None] * np.eye(3)
        support[at] = PRIMITIVES[kind].support(lengths, _SIGNED_AXES @ R_BG[at])
        for i, volume in zip(at, solid.volume.tolist(), strict=True):
            if not 0 < volume < np.inf:
                shapes[i].skip(f"the volume of the {kind} is {volume!r}")
    support += np.array([each.shape.p_BoGo_B for each in shapes]).reshape(-1, 3) @ _SIGNED_AXES.T
    if all(each.usable for each in shapes):
        return list(shapes), moments, support
    kept = [i for i, each in enumerate(shapes) if each.usable]
    return (
        [shapes[i] for i in kept],
        _ShapeMoments(*(part[kept] for part in moments)),
        support[kept],
    )


def _put(moments: _ShapeMoments, i: int, unit: InertialParameters) -> None:
    moments.size[i] = unit.mass
    moments.center[i] = unit.com
    moments.covariance[i] = unit.central_second_moment / unit.mass


def _unite(
    shapes: Sequence[_MeasuredShape], moments: _ShapeMoments, starts: npt.NDArray[np.intp]
) -> tuple[Floats, Floats, Floats]:
    """Unite runs of shapes that begin at `starts`: volume, centre, covariance in the body frame."""
    counts = np.diff(starts, append=len(shapes))
    volumes = np.add.reduceat(moments.size, starts)
    hollow = ~(volumes > 0)
    for group in np.flatnonzero(hollow):
        for i in range(starts[group], starts[group] + counts[group]):
            # Enter the surface of a shape in place of the solid inside it.
            each = shapes[i]
            surface = (
                each.mesh.surface if each.mesh is not None else _construct(_SHELLS, each.shape)
            )
            if surface is None:
                moments.size[i] = 0.0
                each.add_remark(
                    "its surface has no closed form: beside an open mesh it counts for its "
                    "reach alone"
                )
            else:
                _put(moments, i, surface)
    shares = moments.size / np.repeat(np.add.reduceat(moments.size, starts), counts)
    R_BG = np.array([each.shape.R_BG for each in shapes])
    p_BoGo_B = np.array([each.shape.p_BoGo_B for each in shapes])
    centers = p_BoGo_B + np.einsum("nij,nj->ni", R_BG, moments.center)
    means = np.add.reduceat(shares[:, None] * centers, starts)
    arms = centers - np.repeat(means, counts, axis=0)
    covariances = R_BG @ moments.covariance @ R_BG.transpose(0, 2, 1)
    covariances += arms[:, :, None] * arms[:, None, :]
    covariances = np.add.reduceat(shares[:, None, None] * covariances, starts)
    return np.where(hollow, np.nan, volumes), means, covariances


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
    "box": solids.box,
    "sphere": solids.sphere,
    "ellipsoid": solids.ellipsoid,
    "cylinder": solids.cylinder,
    "capsule": solids.capsule,
    "cone": solids.cone,
}
_SHELLS: _Constructors = {
    "box": solids.box_shell,
    "sphere": solids.sphere_shell,
    "cylinder": solids.cylinder_shell,
    "capsule": solids.capsule_shell,
    "cone": solids.cone_shell,
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
        from inertial_check.checking.shapes.meshes import MeshFinder  # files of meshes: slow

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
            primitive_unit = _construct(_SHELLS if self._shells else _SOLIDS, shape)
            if primitive_unit is None:
                what = "surface in closed form" if self._shells else "volume"
                use, unit = ShapeUse(shape, None, 0.0, f"a {shape.kind} has no {what}"), None
            else:
                size = float(primitive_unit.mass)
                if not 0 < size < np.inf:
                    what = "area" if self._shells else "volume"
                    use, unit = (
                        ShapeUse(shape, None, 0.0, f"the {what} of the {shape.kind} is {size!r}"),
                        None,
                    )
                else:
                    use, unit = (
                        ShapeUse(shape, "shell" if self._shells else "solid", size),
                        primitive_unit,
                    )
        pose = shape.R_BG, shape.p_BoGo_B
        return use, None if unit is None else unit.transform(homogeneous(*pose))

    def _read_mesh(self, shape: Shape) -> tuple[ShapeUse, InertialParameters | None]:
        from inertial_check.checking.shapes.meshes import measure_file, scaled_triangles
        from inertial_check.inertia.meshes import edge_faults

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
            faults = edge_faults(scaled_triangles(path, shape.scale, self._finder.access))
            counts = {
                "at the rim of a hole": faults.open,
                "between triangles that face opposite ways": faults.turned,
                "of more than two triangles": faults.shared,
            }
            listed = ", ".join(f"{count} {where}" for where, count in counts.items() if count)
            reasons.append(f"its bad edges: {listed}")
        return ShapeUse(shape, None, 0.0, _join(reasons), path, mesh), None


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
        from inertial_check.checking.shapes.meshes import scaled_triangles
        from inertial_check.inertia.meshes import convex_hull, measure

        mesh = measure(convex_hull(scaled_triangles(path, shape.scale, access)))
    return mesh.solid(density=1.0, inside_out=reading == "flipped")


def _join(reasons: list[str]) -> str | None:
    return "; ".join(dict.fromkeys(reasons)) or None


_CELLS = 12
"""Cells of the grid along each edge of the box about a hull: the covariance of a ball is found to
1 %, which is far below what a hull and the body inside it can differ by."""

_MIDDLES = (np.arange(_CELLS) + 0.5) / _CELLS
_GRID = np.stack(np.meshgrid(*(_MIDDLES,) * 3, indexing="ij"), axis=-1).reshape(-1, 3)


def find_hull_moments(directions: Floats, support: Floats) -> tuple[Floats, Floats]:
    """Find the centre and the covariance of the polytope that a support describes.

    The polytope holds the convex hull of the shape, and is it where the directions are dense. Its
    moments are sums over the cells of a grid whose middle lies inside.

    Args:
        directions: (D, 3) unit vectors d, the axes and their opposites among them.
        support: (D,) the greatest d . p over the points p of the shape [m].

    Returns:
        (3,) centre [m], and (3, 3) covariance of the volume about it [m^2].
    """
    along = directions @ np.eye(3)
    upper = np.array([support[np.argmax(along[:, axis])] for axis in range(3)])
    lower = -np.array([support[np.argmin(along[:, axis])] for axis in range(3)])
    edges = upper - lower
    points = lower + edges * _GRID
    inside = points[np.all(points @ directions.T <= support, axis=1)]
    if not len(inside):  # thinner than the grid, such as a sheet: the box about it
        inside = points
    center: Floats = np.mean(inside, axis=0)
    arms = inside - center
    cell = np.diag((edges / _CELLS) ** 2 / 12)
    covariance: Floats = arms.T @ arms / len(inside) + cell
    return center, covariance
