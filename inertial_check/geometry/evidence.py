"""The shapes of all bodies of a model, read once, as evidence beside the numbers.

Shapes are looked at together: those of one kind in a few array operations, each mesh file in one
pass over its triangles, whatever the number of shapes that name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.evidence import BodyGeometry, Geometry
from inertial_check.formats.resources import Packages
from inertial_check.inertia.primitives import AXES, PRIMITIVES
from inertial_check.model import Model, Role, Shape

if TYPE_CHECKING:
    from inertial_check.geometry.mesh_reading import MeasuredMesh
    from inertial_check.inertia.parameters import InertialParameters


_ROLES: tuple[Role, ...] = ("visual", "collision")
_BOTH_WAYS = np.concatenate([AXES, -AXES])
_DIRECTIONS = tuple((x, y, z) for x, y, z in (_BOTH_WAYS + 0.0).tolist())  # no -0


def read_geometry(model: Model, packages: Packages) -> Geometry:
    """What the shapes of every body say.

    Args:
        model: As read; meshes are found from the paths of its documents.
        packages: Folders by package name.

    Returns:
        For each body and role with a usable shape: the union of its shapes, each uniformly filled.
        Where one of them is an open mesh, or none has a volume, all count with their surfaces, and
        the volume is NaN. Support is that of the shapes in 50 directions, the same for all bodies.
        Nothing is raised for a file that is missing or broken: what became of it is said.
    """
    if not any(body.shapes for body in model.bodies):
        return Geometry(((),) * len(model.bodies))
    uses = [
        ShapeInUse(2 * index + which, shape)
        for index, body in enumerate(model.bodies)
        for which, role in enumerate(_ROLES)
        for shape in body.shapes
        if shape.role == role
    ]
    for use in uses:
        _decide(use)
    meshes = [use for use in uses if use.usable and use.shape.kind == "mesh"]
    if not meshes:
        return Geometry(_bodies(uses, len(model.bodies)))
    from inertial_check.geometry.mesh_evidence import read_meshes  # slow to import

    files = read_meshes(meshes, model, packages)
    return Geometry(_bodies(uses, len(model.bodies)), *files)


@dataclass(slots=True, eq=False)
class ShapeInUse:
    """What becomes of one shape.

    Attributes:
        group: 2 * index of its body, + 1 for collision: what is added up.
        shape: The shape.
        usable: Whether it counts.
        remark: Why not, or as what.
        mesh: What was measured of a mesh.
    """

    group: int
    shape: Shape
    usable: bool = True
    remark: str | None = None
    mesh: MeasuredMesh | None = None

    def skip(self, reason: str) -> None:
        """Leave it out."""
        self.usable = False
        self.say(reason)

    def say(self, reason: str) -> None:
        """Remark on it."""
        self.remark = f"{self.shape.role} {self.shape.kind or 'shape'}: {reason}"


def _decide(use: ShapeInUse) -> None:
    """Skip what holds nothing, whatever its numbers are."""
    if use.shape.note is not None:
        use.skip(use.shape.note)
    elif use.shape.kind != "mesh" and use.shape.kind not in PRIMITIVES:
        use.skip(f"a {use.shape.kind} has no volume")


class _Pieces(NamedTuple):
    """Uniform shapes in their own frames, one a row.

    Attributes:
        size: (n,) volume [m^3], NaN of a surface without inside; or area [m^2].
        center: (n, 3) [m].
        covariance: (n, 3, 3) about it [m^2].
    """

    size: Floats
    center: Floats
    covariance: Floats


def _bodies(uses: Sequence[ShapeInUse], count: int) -> tuple[tuple[BodyGeometry, ...], ...]:
    """What the shapes of each body and role are together."""
    bodies: list[tuple[BodyGeometry, ...]] = [()] * count
    with np.errstate(all="ignore"):  # sizes that overflow are skipped, and said
        used, pieces, support = _measured([use for use in uses if use.usable])
        if not used:
            return tuple(bodies)
        groups = np.array([use.group for use in used])
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        support = np.maximum.reduceat(support, starts)
        volumes, centers, covariances = _together(used, pieces, starts)
    upper_triangle = covariances[:, (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)]
    accounts = _accounts(uses)
    upper, lower = support[:, :3], -support[:, len(AXES) :][:, :3]
    columns = (volumes, centers, upper_triangle, lower, upper, support)
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
        )
        bodies[body] += (one,)
    return tuple(bodies)


def _accounts(uses: Iterable[ShapeInUse]) -> dict[int, tuple[int, int, tuple[str, ...]]]:
    """By group: how many meshes are used, how many shapes are skipped, and the remarks."""
    found: dict[int, tuple[int, int, tuple[str, ...]]] = {}
    for use in uses:
        meshes, skipped, remarks = found.get(use.group, (0, 0, ()))
        found[use.group] = (
            meshes + (use.usable and use.mesh is not None),
            skipped + (not use.usable),
            remarks if use.remark is None else (*remarks, use.remark),
        )
    return found


def _measured(uses: Sequence[ShapeInUse]) -> tuple[list[ShapeInUse], _Pieces, Floats]:
    """The shapes that hold something, and their support (n, 50) in the body frame [m]."""
    R_BG = np.array([use.shape.R_BG for use in uses]).reshape(-1, 3, 3)
    pieces = _Pieces(*(np.zeros((len(uses), *shape)) for shape in ((), (3,), (3, 3))))
    support = np.zeros((len(uses), len(_BOTH_WAYS)))
    by_kind: dict[str, list[int]] = {}
    for i, use in enumerate(uses):
        if use.mesh is None:
            by_kind.setdefault(use.shape.kind, []).append(i)
        else:
            _put_mesh(pieces, i, use.mesh)
            reach = use.mesh.reach[use.shape.R_BG]
            support[i] = np.concatenate([reach[:, 1], -reach[:, 0]])
    for kind, at in by_kind.items():
        lengths = np.array([uses[i].shape.dimensions for i in at])
        solid = PRIMITIVES[kind].solid(lengths)
        pieces.size[at], pieces.center[at, 2] = solid.volume, solid.height
        pieces.covariance[at] = solid.variances[:, :, None] * np.eye(3)
        support[at] = PRIMITIVES[kind].support(lengths, _BOTH_WAYS @ R_BG[at])
        for i, volume in zip(at, solid.volume.tolist(), strict=True):
            if not 0 < volume < np.inf:
                uses[i].skip(f"the volume of the {kind} is {volume!r}")
    support += np.array([use.shape.p_BoGo_B for use in uses]).reshape(-1, 3) @ _BOTH_WAYS.T
    if all(use.usable for use in uses):
        return list(uses), pieces, support
    kept = [i for i, use in enumerate(uses) if use.usable]
    return [uses[i] for i in kept], _Pieces(*(part[kept] for part in pieces)), support[kept]


def _put_mesh(pieces: _Pieces, i: int, mesh: MeasuredMesh) -> None:
    """Enter the inside of a mesh, where it has one."""
    if mesh.fault in {"open", "crossing"}:
        pieces.size[i] = np.nan
    elif mesh.fault != "flat" and mesh.solid is not None:
        _put(pieces, i, mesh.solid)


def _put(pieces: _Pieces, i: int, unit: InertialParameters) -> None:
    pieces.size[i] = unit.mass
    pieces.center[i] = unit.com
    pieces.covariance[i] = unit.central_second_moment / unit.mass


def _together(
    uses: Sequence[ShapeInUse], pieces: _Pieces, starts: npt.NDArray[np.intp]
) -> tuple[Floats, Floats, Floats]:
    """Volume, centre and covariance in the body frame of runs of shapes that begin at `starts`."""
    counts = np.diff(starts, append=len(uses))
    volumes = np.add.reduceat(pieces.size, starts)
    hollow = ~(volumes > 0)
    for group in np.flatnonzero(hollow):
        for i in range(starts[group], starts[group] + counts[group]):
            _put_surface(pieces, i, uses[i])
    shares = pieces.size / np.repeat(np.add.reduceat(pieces.size, starts), counts)
    R_BG = np.array([use.shape.R_BG for use in uses])
    p_BoGo_B = np.array([use.shape.p_BoGo_B for use in uses])
    centers = p_BoGo_B + np.einsum("nij,nj->ni", R_BG, pieces.center)
    means = np.add.reduceat(shares[:, None] * centers, starts)
    arms = centers - np.repeat(means, counts, axis=0)
    covariances = R_BG @ pieces.covariance @ R_BG.transpose(0, 2, 1)
    covariances += arms[:, :, None] * arms[:, None, :]
    covariances = np.add.reduceat(shares[:, None, None] * covariances, starts)
    return np.where(hollow, np.nan, volumes), means, covariances


def _put_surface(pieces: _Pieces, i: int, use: ShapeInUse) -> None:
    """Enter the surface of a shape in place of its inside."""
    from inertial_check.geometry.shapes import shell_of  # rarely asked for

    surface = use.mesh.surface if use.mesh is not None else shell_of(use.shape)
    if surface is None:
        pieces.size[i] = 0.0
        use.say("its surface has no closed form: beside an open mesh it counts for its reach alone")
    else:
        _put(pieces, i, surface)
