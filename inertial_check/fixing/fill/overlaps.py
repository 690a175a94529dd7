"""Cells of a model's shapes, from its documents and mesh files, each volume counted once.

A cell that lies inside another shape of its body, or of a body at a joint, gets no volume. What is
left keeps its cells, so that volume, first and second moments are those of one rule. Triangle
meshes have points on lines through the mesh, along each of the three axes, so that a wall is met
across whatever way it stands. The weights are then tilted, by the least relative entropy, until
volume, first and second moments are those of the mesh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inertial_check.checking.evidence.twins import world_poses
from inertial_check.checking.shapes.evidence import GeometryReader, Reading, ShapeUse
from inertial_check.documents.context import Context
from inertial_check.documents.model import JOINT_TYPES, Body, Model, Pose, Role, Shape
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import ParameterError
from inertial_check.fixing.fill.shapes import (
    ROLES,
    SKIPPED,
    BodyPieces,
    Enclosure,
    Piece,
    Points,
    cut_shell,
    fill_primitive,
    guess_limbs,
    integrate_form,
    join_points,
    legendre,
    list_moments,
    make_piece,
    place_points,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.frames import homogeneous
from inertial_check.inertia.meshes import BLOCK
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.mechanics.rotations import matrix_from_rotation_vector

LINES = 12
"""Lines along each edge of a mesh's box: the moments before they are tilted err by a few percent,
and three times 144 lines take milliseconds."""

ON_LINE = 3
"""Points of the Gauss-Legendre rule on each part of a line that is inside."""

_SHIFT = (0.0137, -0.0291)
"""By how much lines stand beside the middles of their cells, in cells: edges of modelled parts lie
in the middle, and on an edge a line counts both of its triangles, or none."""

_STEPS = 60
"""Largest number of Newton's steps that tilt the weights; eight are enough as a rule."""


def fill_triangles(blocks: Iterable[Floats]) -> tuple[Points | None, bool]:
    """Find points inside a mesh whose triangles face outwards.

    Args:
        blocks: Blocks (n, 3, 3) of triangles [m].

    Returns:
        The points, with volumes that are estimates; None where no line meets the inside. And
        whether the mesh encloses some place more than once, which is counted once here.
    """
    triangles = np.concatenate(list(blocks))
    lower = triangles.min(axis=(0, 1))
    edges = triangles.max(axis=(0, 1)) - lower
    if not np.all(edges > 0):
        return None, False
    found, twice = [], False
    for axis in range(3):
        order = [(axis + 1) % 3, (axis + 2) % 3, axis]  # a rotation: triangles keep their sense
        part, multiple = _fill_lines(triangles, order, lower[order], edges[order])
        if part is not None:
            points = np.empty_like(part.points)
            points[:, order] = part.points
            found.append(Points(part.volumes, points))
            twice |= multiple
    if not found:
        return None, False
    joined = join_points(found)
    return Points(joined.volumes / len(found), joined.points), twice


def _fill_lines(
    triangles: Floats, order: list[int], lower: Floats, edges: Floats
) -> tuple[Points | None, bool]:
    """Points on lines along the last of the axes in this order; as for fill_triangles."""
    cell = edges[:2] / LINES
    start = lower[:2] + cell * (0.5 + np.array(_SHIFT))
    found = [
        _cross(triangles[at : at + BLOCK, :, order], start, cell)
        for at in range(0, len(triangles), BLOCK)
    ]
    line, z, sense = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if not len(line):
        return None, False
    downwards = np.lexsort((-z, line))
    line, z, sense = line[downwards], z[downwards], sense[downwards]
    # Seen from above, a line enters where a triangle faces up: the winding number below it.
    _, starts, counts = np.unique(line, return_index=True, return_counts=True)
    totals = np.add.reduceat(sense, starts)
    before = np.cumsum(totals) - totals
    winding = np.cumsum(sense) - np.repeat(before, counts)
    closed = np.repeat(totals == 0, counts)  # a line through an edge may count it twice
    same = line[1:] == line[:-1]
    inside = same & closed[:-1] & (winding[:-1] >= 1)
    if not np.any(inside):
        return None, False
    top, bottom, at = z[:-1][inside], z[1:][inside], line[:-1][inside]
    nodes, weights = legendre(ON_LINE, 0.0, 1.0)
    heights = bottom[:, None] + (top - bottom)[:, None] * nodes
    volumes = np.prod(cell) * (top - bottom)[:, None] * weights
    xy = start + cell * np.stack([at // LINES, at % LINES], axis=1)
    points = np.concatenate([np.repeat(xy, ON_LINE, axis=0), heights.reshape(-1, 1)], axis=1)
    kept = volumes.ravel() > 0
    if not np.any(kept):
        return None, False
    return Points(volumes.ravel()[kept], points[kept]), bool(np.any(winding[:-1][inside] > 1))


def _cross(triangles: Floats, start: Floats, cell: Floats) -> tuple[Floats, Floats, Floats]:
    """Crossings of lines and triangles: number of the line, height, and +1 where it faces up."""
    xy = (triangles[..., :2] - start) / cell  # line (i, j) stands at the integers i, j
    first = np.clip(np.ceil(xy.min(axis=1)), 0, LINES).astype(int)
    last = np.clip(np.floor(xy.max(axis=1)), -1, LINES - 1).astype(int)
    counts = np.maximum(last - first + 1, 0)
    total = counts[:, 0] * counts[:, 1]
    which = np.repeat(np.arange(len(triangles)), total)
    if not len(which):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    rank = np.arange(len(which)) - np.repeat(np.cumsum(total) - total, total)
    i = first[which, 0] + rank // counts[which, 1]
    j = first[which, 1] + rank % counts[which, 1]
    a, b, c = (xy[which, k] - np.stack([i, j], axis=1) for k in range(3))
    areas = np.stack([_area(b, c), _area(c, a), _area(a, b)], axis=1)
    whole = areas.sum(axis=1)
    hit = (np.all(areas >= 0, axis=1) | np.all(areas <= 0, axis=1)) & (whole != 0)
    shares = areas[hit] / whole[hit, None]
    z = np.einsum("nk,nk->n", shares, triangles[which[hit], :, 2])
    return (i * LINES + j)[hit], z, np.sign(whole[hit])


def _area(a: Floats, b: Floats) -> Floats:
    area: Floats = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return area


def tilt(points: Points, moments: Floats) -> Points | None:
    """Make the moments of a rule exact, by positive factors of least relative entropy.

    Args:
        points: The rule.
        moments: (4, 4) integral of [p, 1] [p, 1]^T over the solid [m^3, m^4, m^5].

    Returns:
        The rule with factors exp(q(p)), q a quadratic form; None where no such factors exist, as
        where all points lie in a plane.
    """
    volume = moments[3, 3]
    middle = moments[:3, 3] / volume
    reach = np.max(np.abs(points.points - middle))
    T = np.eye(4)
    T[:3, :3] /= reach
    T[:3, 3] = -middle / reach
    wanted = (T @ moments @ T.T)[np.triu_indices(4)] / volume
    places = np.concatenate([(points.points - middle) / reach, np.ones((len(points.points), 1))], 1)
    forms = np.einsum("ni,nj->nij", places, places)[:, *np.triu_indices(4)]
    weights = points.volumes / points.volumes.sum()
    multipliers = np.zeros(10)
    # Newton's method on the dual, with steps that change no weight by more than a factor of e. A
    # model has dozens of meshes of thousands of points: 3.8 s, where scipy's minimisers take 76 s.
    for _ in range(_STEPS):
        now = weights * np.exp(forms @ multipliers)
        missing = wanted - now @ forms
        if np.max(np.abs(missing)) <= tolerances.CELL_MOMENTS:
            return Points(now * volume, points.points)
        hessian = (forms * now[:, None]).T @ forms
        step = np.linalg.lstsq(hessian, missing, rcond=None)[0]
        size = float(np.max(np.abs(forms @ step)))
        if not np.isfinite(size):
            return None
        multipliers = multipliers + step * min(1.0, 1.0 / max(size, np.finfo(float).tiny))
        if np.max(np.abs(forms @ multipliers)) > 30:
            return None
    return None


_MOST_CELLS = 512
"""Largest number of cells of a primitive that another shape cuts: about twice those of a whole one,
so that densities can vary as finely."""


def merge_cells(bodies: Mapping[int, BodyPieces]) -> dict[int, BodyPieces]:
    """Merge the fine cells of primitives that were cut; all moments stay."""
    return {
        at: replace(own, pieces=tuple(_merge(piece) for piece in own.pieces))
        for at, own in bodies.items()
    }


def _merge(piece: Piece) -> Piece:
    primitive = piece.enclosure is not None and piece.enclosure.path is None
    if not (piece.cut and primitive) or len(piece.volumes) <= _MOST_CELLS:
        return piece
    group = group_points(piece.points, _MOST_CELLS)
    volumes: Floats = np.bincount(group, piece.volumes).astype(np.float64, copy=False)
    moments = np.array([np.bincount(group, row) for row in piece.moments.T]).T
    return piece._replace(volumes=volumes, moments=moments, points=moments[:, 1:4] / moments[:, :1])


def group_points(points: Floats, groups: int) -> Integers:
    """Groups of neighbouring points: halved along the longest edge of their box, again and again.

    Args:
        points: (N, 3) points [m].
        groups: Largest number of groups, a power of 2.
    """
    if len(points) <= groups:
        return np.arange(len(points))
    label = np.zeros(len(points), dtype=np.intp)
    waiting, count = [(np.arange(len(points)), groups)], 0
    while waiting:
        members, parts = waiting.pop()
        if parts == 1 or len(members) == 1:
            label[members], count = count, count + 1
            continue
        own = points[members]
        order = members[np.argsort(own[:, np.argmax(np.ptp(own, axis=0))], kind="stable")]
        half = len(order) // 2
        waiting += [(order[:half], parts // 2), (order[half:], parts // 2)]
    return label


_TURNING = ("revolute", "prismatic")


def place_bodies(model: Model, positions: Mapping[str, float]) -> tuple[Floats, Integers]:
    """Place the bodies of a model.

    Args:
        model: The model.
        positions: Positions of joints by name [rad] or [m]; the others stand at zero. A joint that
            mimics one of them follows it, unless it has a position of its own.

    Returns:
        (N, 4, 4) poses in the root that carries each body, and (N,) the index of that root.

    Raises:
        ParameterError: A name that no joint or several have, a joint without a known axis, or a
            position that is no finite number.
    """
    if not positions:
        return world_poses(model)
    owners = _find_owners(model, positions)
    moved = dict(positions)
    for body in model.bodies:
        for joint in body.joints:
            mimic = joint.mimic
            if mimic is not None and mimic.joint in positions and joint.name not in positions:
                moved[joint.name] = mimic.multiplier * positions[mimic.joint] + mimic.offset
                owners.setdefault(joint.name, body.id)
    by_body = {owners[name]: value for name, value in moved.items()}
    bodies = tuple(
        body if body.id not in by_body else body._replace(X_PB=_move_pose(body, by_body[body.id]))
        for body in model.bodies
    )
    return world_poses(Model(model.source, model.format, model.name, bodies))


def _find_owners(model: Model, positions: Mapping[str, float]) -> dict[str, str]:
    """Ids of the bodies that the named joints move.

    Raises:
        ParameterError: A name or position that cannot be.
    """
    owners: dict[str, list[Body]] = {}
    for body in model.bodies:
        for joint in body.joints:
            owners.setdefault(joint.name, []).append(body)
    found = {}
    for name, value in positions.items():
        moved = owners.get(name, [])
        if not moved:
            hint = suggest_name(name, [each for each in owners if each])
            raise ParameterError(f"no joint is called {name!r}, which has a position{hint}")
        if len(moved) > 1:
            raise ParameterError(f"{len(moved)} joints are called {name!r}: none can be placed")
        if not np.isfinite(value):
            raise ParameterError(f"the position of {name} is {value!r}, expected a number")
        (body,) = moved
        kind = JOINT_TYPES.get(body.joint or "")
        if kind not in _TURNING or body.axis_B is None or body.p_BoJo_B is None:
            raise ParameterError(
                f"{name} is a {body.joint} joint without one known axis: a position [rad] or [m] "
                "needs a revolute, continuous or prismatic joint"
            )
        found[name] = body.id
    return found


def _move_pose(body: Body, position: float) -> Pose | None:
    """The pose of a body in its parent where its joint has a position."""
    if body.X_PB is None or body.axis_B is None or body.p_BoJo_B is None:
        return body.X_PB
    X_PB = homogeneous(body.X_PB.R_PB, body.X_PB.p_PoBo_P)
    axis, point = np.array(body.axis_B), np.array(body.p_BoJo_B)
    X_BC = np.eye(4)
    if JOINT_TYPES.get(body.joint or "") == "prismatic":
        X_BC[:3, 3] = position * axis
    else:  # the point on the axis stays
        X_BC[:3, :3] = matrix_from_rotation_vector(position * axis)
        X_BC[:3, 3] = point - X_BC[:3, :3] @ point
    X_PC = X_PB @ X_BC
    p, R = X_PC[:3, 3].tolist(), X_PC[:3, :3].tolist()
    return Pose((p[0], p[1], p[2]), tuple((r[0], r[1], r[2]) for r in R))


_FINENESS = 3
"""Factor of the points of a primitive along each direction where another shape cuts it: 18 layers
of a box, of which a cut takes one too many at most."""

_LEAST_LEFT = 0.5
"""Part of the volume of a body that its neighbours leave it at least: a body that would lose more
is drawn around them, as a housing, and its shape says little of where its mass ends."""


def remove_overlaps(pieces: Sequence[Piece], remarks: list[str]) -> list[Piece]:
    """Drop the cells that lie inside an earlier shape of the same body.

    Args:
        pieces: Pieces of the body.
        remarks: One line is added for each piece that loses cells.
    """
    kept: list[Piece] = []
    for at, piece in enumerate(pieces):
        cells, outside = _split(piece, pieces[:at])
        if np.all(outside):
            kept.append(piece)
            continue
        left = _take(cells, outside)
        share = 1 - left.volume / cells.volume
        remarks.append(f"{piece.label}: {share:.0%} of it lies inside another shape: counted once")
        if np.any(outside):
            kept.append(left)
    return kept


def _split(piece: Piece, others: Sequence[Piece], X_OB: Floats | None = None) -> tuple[Piece, Mask]:
    """The cells of a piece, finer where others cut it, and which of them lie outside all others.

    Args:
        piece: The piece.
        others: Pieces of its body, or of another one.
        X_OB: (4, 4) pose of the body in that other one; None for the same body.
    """
    if len(piece.volumes) == 1:  # a shape that is one cell is all inside or not to be told
        return piece, np.ones(1, dtype=bool)
    near = [one for one in others if one.enclosure is not None and _are_near(piece, one, X_OB)]
    outside = _find_outside(piece.points, near, X_OB)
    whole = bool(np.all(outside)) or not np.any(outside)
    if not near or (whole and (piece.enclosure is None or piece.enclosure.path is not None)):
        return piece, outside
    fine = _cut_finely(piece)
    if fine is not piece:
        cut = _find_outside(fine.points, near, X_OB)
        if not np.all(cut) and np.any(cut):
            return fine, cut
    return piece, outside


def _are_near(piece: Piece, other: Piece, X_OB: Floats | None) -> bool:
    """Whether the boxes around the cells overlap, widened by as much as cells end before a face."""
    points = _move(piece.points, X_OB)
    lower, upper = points.min(axis=0), points.max(axis=0)
    least, most = other.points.min(axis=0), other.points.max(axis=0)
    edge = (upper - lower + most - least) / 4
    return bool(np.all(lower - edge <= most) and np.all(least - edge <= upper))


def _move(points: Floats, X_OB: Floats | None) -> Floats:
    return points if X_OB is None else points @ X_OB[:3, :3].T + X_OB[:3, 3]


def _find_outside(points: Floats, others: Sequence[Piece], X_OB: Floats | None) -> Mask:
    placed = _move(points, X_OB)
    outside = np.ones(len(points), dtype=bool)
    for other in others:
        if other.enclosure is not None and np.any(outside):
            outside[outside] = ~other.enclosure.find_inside(placed[outside])
    return outside


def _cut_finely(piece: Piece) -> Piece:
    """The same primitive in more cells; a mesh as it is, whose cells are thousands."""
    enclosure = piece.enclosure
    if enclosure is None or enclosure.path is not None or piece.cut:
        return piece
    shape = enclosure.shape
    points = fill_primitive(shape.kind, shape.dimensions, _FINENESS)
    if points is None:
        return piece
    placed = place_points(points, shape)
    moments = list_moments(placed.volumes, placed.points)
    return piece._replace(volumes=placed.volumes, moments=moments, points=placed.points)


def _take(piece: Piece, kept: Mask) -> Piece:
    return piece._replace(
        volumes=piece.volumes[kept],
        moments=piece.moments[kept],
        points=piece.points[kept],
        cut=True,
    )


class Neighbours(NamedTuple):
    """Bodies that a joint connects, as indices, and their poses at the zero pose.

    Attributes:
        pairs: Pairs of indices.
        poses: (N, 4, 4) poses of all bodies in their roots.
    """

    pairs: Sequence[tuple[int, int]]
    poses: Floats


def share_with_neighbours(
    filled: Mapping[int, BodyPieces], others: Mapping[int, BodyPieces], neighbours: Neighbours
) -> dict[int, BodyPieces]:
    """Leave volumes that two neighbours share to the smaller of them.

    A bearing or a motor that is drawn inside a housing is a part of its own, and the housing is
    drawn around it: the larger body is the one whose shape says more than there is.

    Args:
        filled: Pieces of the bodies to fill, by index; only these lose cells.
        others: Pieces of measured bodies, by index.
        neighbours: The joints.
    """
    found = dict(filled)
    every = {**others, **filled}
    for one, other in neighbours.pairs:
        if one not in every or other not in every or every[one].guess or every[other].guess:
            continue
        smaller, larger = sorted((one, other), key=lambda at: (every[at].volume, -at))
        if larger in found:
            X_OB = np.linalg.solve(neighbours.poses[smaller], neighbours.poses[larger])
            found[larger] = _leave(found[larger], every[smaller], X_OB, every[larger].volume)
    return found


def _leave(own: BodyPieces, other: BodyPieces, X_OB: Floats, whole: float) -> BodyPieces:
    """A body without the cells inside another one; as it is where too little would be left."""
    if not np.all(np.isfinite(X_OB)):
        return own
    pieces, changed = [], False
    for piece in own.pieces:
        cells, outside = _split(piece, other.pieces, X_OB)
        if np.all(outside):
            pieces.append(piece)
            continue
        changed = True
        if np.any(outside):
            pieces.append(_take(cells, outside))
    if not changed:
        return own
    left = sum(piece.volume for piece in pieces)
    if left < _LEAST_LEFT * whole:
        return own
    name = other.body.name
    share = 1 - left / own.volume
    remark = f"{100 * share:.2g}% of its volume lies inside {name} too: counted once, there"
    return replace(
        own,
        pieces=tuple(pieces),
        remarks=(*own.remarks, remark),
        shared=(*own.shared, name),
    )


def find_neighbours(model: Model) -> Neighbours:
    """The bodies that joints of a model connect, at the zero pose."""
    places = {body.id: at for at, body in enumerate(model.bodies)}
    pairs = [
        (places[body.parent], at)
        for at, body in enumerate(model.bodies)
        if body.parent in places and body.X_PB is not None
    ]
    return Neighbours(pairs, place_bodies(model, {})[0])


READINGS: tuple[Reading, ...] = ("solid", "flipped", "hull")
"""Readings of a mesh, best first: its inside, its inside with the triangles turned, its hull."""

MILLIMETRES = 100.0
"""Size of a mesh, in distances between joints, above which it is in millimetres: links are 0.2 to
20 of these distances long, so that a factor of 1000 lies above them all."""


class PieceReader:
    """Cuts the shapes of one model's bodies into pieces."""

    def __init__(
        self,
        model: Model,
        context: Context | None = None,
        *,
        roles: Sequence[Role] = ROLES,
        thickness: float | None = None,
    ) -> None:
        """Choose what shapes are taken for.

        Args:
            model: The model; meshes are found from the paths of its documents.
            context: Folders of packages, and the files that may be used.
            roles: Roles of shapes, best first.
            thickness: Thickness of the wall of meshes that are open [m]; None to take their hulls.

        Raises:
            ParameterError: A thickness that is not positive.
        """
        if thickness is not None and not 0 < thickness < np.inf:
            raise ParameterError(f"thickness is {thickness!r}, expected a positive length [m]")
        self._model = model
        self._context = (context or Context()).of_document(model.source.path)
        self._thickness = thickness
        self._roles = tuple(roles)
        readings = READINGS[:2] if thickness is not None else READINGS
        self._solids = GeometryReader(model, "solid", readings, context)
        self._shells = GeometryReader(model, "shell", context=context)
        self._children: dict[str, list[Floats]] = {}
        for body in model.bodies:
            if body.parent is not None and body.X_PB is not None:
                offset = np.array(body.X_PB.p_PoBo_P)
                self._children.setdefault(body.parent, []).append(offset)

    @property
    def reach(self) -> float:
        """Largest distance of a joint from the origin of the body that carries it [m]."""
        offsets = [np.linalg.norm(p) for own in self._children.values() for p in own]
        return float(max(offsets, default=0.0))

    def read(self, body: Body, volume: float | None = None) -> BodyPieces:
        """Cut the shapes of the best role of a body, or say why there are none.

        The first role is taken of which every shape can be used; else the first of which some can.

        Args:
            body: The body.
            volume: Volume of the guess that stands for a body without shapes [m^3]; None for
                capsules of the slenderness LIMB.

        Raises:
            ParameterError: A mesh is in millimetres.
        """
        found: list[tuple[Role, list[Piece], list[str]]] = []
        for role in self._roles:
            shapes = [shape for shape in body.shapes if shape.role == role]
            pieces, remarks = [], []
            for shape in shapes:
                piece, remark = self._cut(shape)
                pieces += [] if piece is None else [piece]
                remarks += [] if remark is None else [f"{role} {shape.kind or 'shape'}: {remark}"]
            kept = remove_overlaps(pieces, remarks)
            if shapes and len(pieces) == len(shapes):
                return BodyPieces(body, tuple(kept), role, tuple(remarks))
            found.append((role, kept, remarks))
        if usable := [each for each in found if each[1]]:
            role, kept, remarks = usable[0]
            return BodyPieces(body, tuple(kept), role, tuple(remarks))
        remarks = [remark for each in found for remark in each[2]]
        guess = guess_limbs(self._children.get(body.id, []), volume)
        return BodyPieces(body, guess, None, tuple(remarks), bool(guess))

    def _cut(self, shape: Shape) -> tuple[Piece | None, str | None]:
        """The cells of a shape, and why it was skipped or not taken for a solid."""
        use, unit = self._solids.shape(shape)
        reasons = use.reason
        if unit is None and self._thickness is not None and use.mesh is not None:
            use, unit = self._shells.shape(shape)
            if unit is not None:
                shell = cut_shell(use, unit, self._thickness, self._context.granted)
                return shell, f"taken as a shell of {self._thickness:g} m: {reasons}"
        if unit is None or use.reading is None:
            return None, f"{SKIPPED}{reasons}"
        self._refuse_millimetres(shape, use)
        path = None if shape.kind != "mesh" else str(use.path)
        enclosure = Enclosure(shape, use.reading, path, self._context.granted)
        points = _find_points(enclosure, unit)
        remark = None if reasons is None else f"taken as its {use.reading}: {reasons}"
        label = f"{shape.role} {shape.kind}"
        return make_piece(label, enclosure, unit, points), remark

    def _refuse_millimetres(self, shape: Shape, use: ShapeUse) -> None:
        """Refuse a mesh that must be in millimetres.

        Raises:
            ParameterError: It is too large beside the distances of the joints.
        """
        reach = self.reach
        if use.mesh is None or reach == 0:
            return
        size = float(np.linalg.norm(np.subtract(use.mesh.upper, use.mesh.lower)))
        if size > MILLIMETRES * reach:
            raise ParameterError(
                f"{shape.uri} is {size:.4g} m large where joints are {reach:.3g} m apart at most, "
                "so it is in millimetres: give it the scale 0.001 0.001 0.001"
            )


def _find_points(enclosure: Enclosure, unit: InertialParameters) -> Points | None:
    """Points inside a shape, in the axes of the body; None where no rule has its moments."""
    shape = enclosure.shape
    if enclosure.path is None:
        points = fill_primitive(shape.kind, shape.dimensions)
        return None if points is None else place_points(points, shape)
    found, _ = fill_triangles(enclosure.read_triangles())
    if found is None:
        return None
    return tilt(place_points(found, shape), integrate_form(unit))
