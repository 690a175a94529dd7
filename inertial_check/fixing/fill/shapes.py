"""Pieces of bodies: the parts of their shapes that can hold mass, cut into cells.

A cell has a volume and, for a density of one, ten inertial parameters about the origin of its body.
Every non-negative density of the cells is a body that fits inside its shapes, and a uniform one has
the exact volume and moments of the shapes.

The rules of primitives are products of Gauss-Legendre rules and of equal angles, in the frame of
the shape as documents.model.DIMENSIONS has it: positive weights that add up to the volume [m^3], at
points inside, exact to the second order and more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.checking.shapes.evidence import ShapeUse
from inertial_check.checking.shapes.meshes import scaled_triangles
from inertial_check.documents.files.access import Access
from inertial_check.documents.model import Body, Role, Shape
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Mask
from inertial_check.inertia.frames import homogeneous
from inertial_check.inertia.meshes import wind_around
from inertial_check.inertia.parameters import InertialParameters

ALONG = 6
"""Points of a Gauss-Legendre rule along a straight direction: exact to the eleventh degree, and
fine enough that a tilted density keeps four digits of its moments."""

RADIAL = 4
"""Points of a Gauss-Legendre rule along a radius, whose weight r^2 dr takes two of its degrees."""

AROUND = 8
"""Equal angles around an axis: exact for waves up to the seventh."""


class Points(NamedTuple):
    """A quadrature rule: cells with a volume and a point each.

    Attributes:
        volumes: (n,) positive weights [m^3].
        points: (n, 3) points inside the shape [m].
    """

    volumes: Floats
    points: Floats


class _Counts(NamedTuple):
    """Numbers of points of a rule: along straight directions, along radii, around axes."""

    along: int
    radial: int
    around: int


def fill_primitive(kind: str, dimensions: tuple[float, ...], fineness: int = 1) -> Points | None:
    """Make the quadrature rule of a primitive; None of a kind without a volume.

    Args:
        kind: Kind of the shape.
        dimensions: Its dimensions [m].
        fineness: Factor of the number of points along each direction.
    """
    rule = _RULES.get(kind)
    counts = _Counts(ALONG * fineness, RADIAL * fineness, AROUND * fineness)
    return None if rule is None else rule(counts, *dimensions)


def legendre(count: int, lower: float, upper: float) -> tuple[Floats, Floats]:
    """Nodes and weights of the Gauss-Legendre rule between two numbers."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    half = (upper - lower) / 2
    return lower + half * (nodes + 1), half * weights


def _fill_box(counts: _Counts, x: float, y: float, z: float) -> Points:
    axes = [legendre(counts.along, -edge / 2, edge / 2) for edge in (x, y, z)]
    nodes = [nodes for nodes, _ in axes]
    weights = [weights for _, weights in axes]
    points = np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1).reshape(-1, 3)
    volumes = np.einsum("i,j,k->ijk", *weights).ravel()
    return Points(volumes, points)


def _fill_ellipsoid(counts: _Counts, x: float, y: float, z: float) -> Points:
    ball = _fill_ball_zone(counts, -1.0, 1.0, counts.along)
    radii = np.array([x, y, z])
    return Points(ball.volumes * np.prod(radii), ball.points * radii)


def _fill_sphere(counts: _Counts, radius: float) -> Points:
    return _fill_ellipsoid(counts, radius, radius, radius)


def _fill_cylinder(counts: _Counts, radius: float, length: float) -> Points:
    z, along = legendre(counts.along, -length / 2, length / 2)
    disc = _fill_disc(counts)
    return _stack_discs(disc, z, along, np.full(len(z), radius))


def _fill_capsule(counts: _Counts, radius: float, length: float) -> Points:
    parts = [_fill_cylinder(counts, radius, length)] if length > 0 else []
    for sign in (1.0, -1.0):
        half = _fill_ball_zone(counts, 0.0, 1.0, counts.radial)
        points = half.points * [radius, radius, sign * radius] + [0, 0, sign * length / 2]
        parts.append(Points(half.volumes * radius**3, points))
    return join_points(parts)


def _fill_cone(counts: _Counts, radius: float, length: float) -> Points:
    s, along = legendre(counts.along, 0.0, 1.0)  # from the tip, at +length / 2, to the base
    return _stack_discs(_fill_disc(counts), length / 2 - s * length, along * length, radius * s)


def _fill_disc(counts: _Counts) -> Points:
    """The rule of the unit disc, with areas for volumes and z = 0."""
    r, along = legendre(counts.radial, 0.0, 1.0)
    angles = 2 * pi * (np.arange(counts.around) + 0.5) / counts.around
    areas = np.repeat(along * r * 2 * pi / counts.around, counts.around)
    x, y = np.outer(r, np.cos(angles)).ravel(), np.outer(r, np.sin(angles)).ravel()
    return Points(areas, np.stack([x, y, np.zeros_like(x)], axis=1))


def _stack_discs(disc: Points, z: Floats, along: Floats, radii: Floats) -> Points:
    """Discs of these radii at heights z, each as thick as its weight."""
    points = disc.points[None] * np.stack([radii, radii, 0 * radii], axis=1)[:, None]
    points[..., 2] += z[:, None]
    volumes = np.outer(along * radii**2, disc.volumes)
    return Points(volumes.ravel(), points.reshape(-1, 3))


def _fill_ball_zone(counts: _Counts, lower: float, upper: float, count: int) -> Points:
    """The rule of the unit ball where the cosine with z lies between two numbers."""
    r, radial = legendre(counts.radial, 0.0, 1.0)
    cosines, polar = legendre(count, lower, upper)
    angles = 2 * pi * (np.arange(counts.around) + 0.5) / counts.around
    sines = np.sqrt(1 - cosines**2)
    unit = np.stack(
        [
            np.outer(sines, np.cos(angles)),
            np.outer(sines, np.sin(angles)),
            np.repeat(cosines[:, None], counts.around, axis=1),
        ],
        axis=-1,
    ).reshape(-1, 3)
    solid = np.repeat(polar * 2 * pi / counts.around, counts.around)
    volumes = np.outer(radial * r**2, solid).ravel()
    return Points(volumes, (r[:, None, None] * unit[None]).reshape(-1, 3))


def join_points(parts: list[Points]) -> Points:
    """Put several rules together."""
    return Points(
        np.concatenate([part.volumes for part in parts]),
        np.concatenate([part.points for part in parts]),
    )


_RULES: Mapping[str, Callable[..., Points]] = {
    "box": _fill_box,
    "ellipsoid": _fill_ellipsoid,
    "sphere": _fill_sphere,
    "cylinder": _fill_cylinder,
    "capsule": _fill_capsule,
    "cone": _fill_cone,
}


def contains(kind: str, dimensions: tuple[float, ...], points: Floats) -> npt.NDArray[np.bool_]:
    """Tell which points (n, 3), in the frame of a primitive, lie inside it; (n,) of bool."""
    x, y, z = points.T
    if kind == "box":
        inside = np.all(np.abs(points) <= np.array(dimensions) / 2, axis=1)
    elif kind in ("sphere", "ellipsoid"):
        radii = np.array(dimensions if kind == "ellipsoid" else dimensions * 3)
        inside = np.sum((points / radii) ** 2, axis=1) <= 1
    else:
        radius, length = dimensions
        across = np.hypot(x, y)
        if kind == "cylinder":
            inside = (across <= radius) & (np.abs(z) <= length / 2)
        elif kind == "capsule":
            inside = np.hypot(across, np.maximum(np.abs(z) - length / 2, 0)) <= radius
        else:
            inside = (np.abs(z) <= length / 2) & (across <= radius * (0.5 - z / length))
    return np.asarray(inside)


class Enclosure(NamedTuple):
    """The inside of one shape, in the frame of its body.

    Attributes:
        shape: The shape.
        triangles: (n, 3, 3) closed surface of a mesh in its own frame, facing outwards [m]; None of
            a primitive.
    """

    shape: Shape
    triangles: Floats | None = None

    def find_inside(self, points: Floats) -> Mask:
        """Which points (n, 3) of the body lie inside the shape; (n,) of bool."""
        local = (points - np.array(self.shape.p_BoGo_B)) @ np.array(self.shape.R_BG)
        if self.triangles is None:
            return contains(self.shape.kind, self.shape.dimensions, local)
        return np.asarray(wind_around(self.triangles, local) != 0)


ROLES: tuple[Role, ...] = ("visual", "collision")
"""Roles of shapes, best first: what is drawn is the part, what collides is often a box around."""

SKIPPED = "skipped: "
"""Beginning of the remark on a shape that could not be used."""


class Piece(NamedTuple):
    """One shape of a body, cut into cells.

    Attributes:
        label: Role and kind, for messages.
        reading: What the shape was taken for: "solid", "flipped", "closed" over holes, "hull",
            "shell" or "joints".
        volumes: (n,) volumes of the cells [m^3].
        moments: (n, 10) inertial parameters of the cells with density 1, about the origin of the
            body in its axes, in the order "urdf".
        points: (n, 3) centres of the cells in the body [m].
        enclosure: The inside of the shape, by which others are told that overlap it; None of a
            piece that has none.
        cut: Whether cells were taken away that lie inside another shape.
    """

    label: str
    reading: str
    volumes: Floats
    moments: Floats
    points: Floats
    enclosure: Enclosure | None = None
    cut: bool = False

    @property
    def volume(self) -> float:
        """Volume of all cells [m^3]."""
        return float(self.volumes.sum())


@dataclass(frozen=True, eq=False)
class BodyPieces:
    """Pieces of one body.

    Attributes:
        body: The body.
        pieces: Its pieces; none where no shape could be used.
        role: The role of the shapes; None where none could be used.
        remarks: One line for each shape that was skipped or not taken for the solid inside it.
        guess: Whether the pieces are a guess from the joints of the body.
        like: Name of the measured twin as whose matter that of this body is distributed; "" where
            it is uniform.
    """

    body: Body
    pieces: tuple[Piece, ...]
    role: Role | None = None
    remarks: tuple[str, ...] = ()
    guess: bool = False
    like: str = ""

    @property
    def volume(self) -> float:
        """Volume of all pieces [m^3]."""
        return sum(piece.volume for piece in self.pieces)

    @property
    def plain(self) -> bool:
        """Whether all pieces are primitives."""
        shapes = [piece.enclosure for piece in self.pieces]
        return all(each is not None and each.triangles is None for each in shapes)

    @property
    def skipped(self) -> bool:
        """Whether a shape of the role could not be used."""
        return any(SKIPPED in remark for remark in self.remarks)

    @property
    def unit(self) -> Floats:
        """(10,) inertial parameters of the pieces with density 1, about the body's origin."""
        total: Floats = np.sum([piece.moments.sum(axis=0) for piece in self.pieces], axis=0)
        return total


def agree(moments: Floats, whole: Floats) -> bool:
    """Whether cells add up to a whole (1, 10), relative to its volume and size."""
    size = np.abs(moments).sum(axis=0)
    volume, first, second = size[:1], size[1:4].max(keepdims=True), size[4:].max(keepdims=True)
    scale = np.concatenate([volume, np.repeat(first, 3), np.repeat(second, 6)])
    error = np.abs(moments.sum(axis=0) - whole[0])
    return bool(np.all(error <= tolerances.QUADRATURE * scale))


def list_moments(volumes: Floats, points: Floats, second: Floats | None = None) -> Floats:
    """(n, 10) inertial parameters of cells with density 1 about the origin.

    Args:
        volumes: (n,) [m^3].
        points: (n, 3) their centres [m].
        second: (n, 3, 3) their second moments about the origin per volume; None of points.
    """
    if second is None:
        second = np.einsum("ni,nj->nij", points, points)
    trace = np.einsum("nii->n", second)
    inertia = trace[:, None, None] * np.eye(3) - second
    theta: Floats = np.concatenate(
        [np.ones((len(volumes), 1)), points, inertia[:, *np.triu_indices(3)]], axis=1
    )
    return volumes[:, None] * theta


def place_points(points: Points, shape: Shape) -> Points:
    """The same rule in the axes of the body that has the shape."""
    X_BG = homogeneous(shape.R_BG, shape.p_BoGo_B)
    return Points(points.volumes, points.points @ X_BG[:3, :3].T + X_BG[:3, 3])


LIMB = 0.1
"""Radius of the capsule that stands for a body without shapes, in parts of its length: a guess."""

_MOST_TRIANGLES = 4096
"""Largest number of triangles of a shell that are cells of their own."""


def make_piece(
    label: str, reading: str, enclosure: Enclosure, unit: InertialParameters, points: Points | None
) -> Piece:
    """Make a piece of points where they have the moments of the solid; else of one cell."""
    whole = np.asarray(unit.as_theta())[None]
    if points is not None:
        moments = list_moments(points.volumes, points.points)
        if agree(moments, whole):
            return Piece(label, reading, points.volumes, moments, points.points, enclosure)
    return Piece(label, reading, whole[:, 0], whole, whole[:, 1:4] / whole[:, :1], enclosure)


def cut_shell(
    use: ShapeUse, unit: InertialParameters, thickness: float, access: Access | None
) -> Piece:
    """A shell as its triangles, or as one cell where there are too many."""
    shape = use.shape
    label = f"{shape.role} {shape.kind}"
    whole = np.asarray(unit.as_theta())[None] * thickness
    single = Piece(label, "shell", whole[:, 0], whole, whole[:, 1:4] / whole[:, :1])
    if use.mesh is None or use.mesh.triangles > _MOST_TRIANGLES:
        return single
    blocks = scaled_triangles(str(use.path), shape.scale, access)
    corners = np.concatenate(list(blocks))
    corners = corners @ np.array(shape.R_BG).T + np.array(shape.p_BoGo_B)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1) / 2
    corners, areas = corners[areas > 0], areas[areas > 0]
    total = corners.sum(axis=1)
    second = np.einsum("nki,nkj->nij", corners, corners) + np.einsum("ni,nj->nij", total, total)
    moments = list_moments(areas * thickness, total / 3, second / 12)
    if not agree(moments, whole):
        return single
    return Piece(label, "shell", moments[:, 0], moments, total / 3)


def guess_limbs(joints: Sequence[Floats], volume: float | None) -> tuple[Piece, ...]:
    """Make capsules from the origin of a body to the joints that it carries.

    Args:
        joints: (3,) positions of the joints in the body [m].
        volume: Their volume together [m^3]; None for capsules of the slenderness LIMB.
    """
    offsets = [p for p in joints if np.linalg.norm(p) > 0]
    pieces = []
    for offset in offsets:
        length = float(np.linalg.norm(offset))
        radius = LIMB * length
        if volume is not None:
            # In parts of the length r solves 4/3 r^3 + r^2 = v, which grows with r: one root is
            # positive.
            roots = np.roots([4 / 3, 1.0, 0.0, -(volume / len(offsets)) / (np.pi * length**3)])
            real = roots[np.abs(roots.imag) <= tolerances.REAL_ROOT * np.abs(roots)].real
            radius = float(np.max(real)) * length
        points = fill_primitive("capsule", (radius, length))
        if points is None:
            continue
        # A rotation whose third column is a unit vector.
        axis = offset / length
        helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
        x = np.cross(helper, axis)
        x /= np.linalg.norm(x)  # not zero: the helper is the axis furthest from it
        placed = points.points @ np.stack([x, np.cross(axis, x), axis], axis=1).T + offset / 2
        moments = list_moments(points.volumes, placed)
        pieces.append(Piece("a capsule between joints", "joints", points.volumes, moments, placed))
    return tuple(pieces)
