"""Measurement of the shapes of all bodies of a model, as evidence about the stated numbers.

The shapes of one kind are measured together in a few array operations; each mesh file is read in
one pass over its triangles, whatever the number of shapes that name it.

The examples of this module continue this session:

>>> import inertial_check as ic
>>> from inertial_check.geometry import evidence
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import expect
from inertial_check.evidence import BodyGeometry, Geometry
from inertial_check.evidence.examination import Six, Three
from inertial_check.formats.context import Context, Packages, as_context
from inertial_check.inertia.primitives import AXES, PRIMITIVES
from inertial_check.inertia.resemblance import entries
from inertial_check.model import Model, Role, Shape
from inertial_check.model.deferred import Deferred

if TYPE_CHECKING:
    import numpy.typing as npt

    from inertial_check.geometry.meshes import MeasuredMesh
    from inertial_check.inertia.parameters import InertialParameters

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
        return Geometry(Deferred(partial(_unite_bodies, shapes, len(model.bodies))))
    from inertial_check.geometry.meshes import read_meshes  # slow to import

    read, files = read_meshes(
        [(each.group // 2, each.shape) for each in meshes], model, as_context(context)
    )
    for each, found in zip(meshes, read, strict=True):
        each.mesh, each.usable = found.mesh, found.usable
        if found.remark is not None:
            each.add_remark(found.remark)
    return Geometry(Deferred(partial(_unite_bodies, shapes, len(model.bodies))), *files)


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
    accounts = _count_uses(shapes)
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
    from inertial_check.geometry.hulls import find_hull_moments  # most meshes are closed

    center, covariance = find_hull_moments(_SIGNED_AXES, np.array(support))
    (x, y, z), (xx, xy, xz, yy, yz, zz) = center.tolist(), entries(covariance).tolist()
    return ((x, y, z), (xx, xy, xz, yy, yz, zz)) if xx + yy + zz > 0 else None


def _count_uses(
    shapes: Iterable[_MeasuredShape],
) -> dict[int, tuple[int, int, tuple[str, ...]]]:
    """Count the meshes used and the shapes skipped, and collect the remarks, by group."""
    found: dict[int, tuple[int, int, tuple[str, ...]]] = {}
    for each in shapes:
        meshes, skipped, remarks = found.get(each.group, (0, 0, ()))
        found[each.group] = (
            meshes + (each.usable and each.mesh is not None),
            skipped + (not each.usable),
            remarks if each.remark is None else (*remarks, each.remark),
        )
    return found


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
            _put_mesh(moments, i, each.mesh)
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


def _put_mesh(moments: _ShapeMoments, i: int, mesh: MeasuredMesh) -> None:
    """Enter the solid inside a mesh, where it has one."""
    if mesh.fault in {"open", "crossing"}:
        moments.size[i] = np.nan
    elif mesh.fault != "flat" and mesh.solid is not None:
        _put(moments, i, mesh.solid)


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
            _put_surface(moments, i, shapes[i])
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


def _put_surface(moments: _ShapeMoments, i: int, each: _MeasuredShape) -> None:
    """Enter the surface of a shape in place of the solid inside it."""
    from inertial_check.geometry.shapes import shell_of  # rarely asked for

    surface = each.mesh.surface if each.mesh is not None else shell_of(each.shape)
    if surface is None:
        moments.size[i] = 0.0
        each.add_remark(
            "its surface has no closed form: beside an open mesh it counts for its reach alone"
        )
    else:
        _put(moments, i, surface)
