"""Cells of a model's shapes, from its documents and mesh files, each volume counted once.

A cell that lies inside another shape of its body gets no volume. What is
left keeps its cells, so that volume, first and second moments are those of one rule. Triangle
meshes have points on lines through the mesh, along each of the three axes, so that a wall is met
across whatever way it stands. The weights are then tilted, by the least relative entropy, until
volume, first and second moments are those of the mesh.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from inertial_check.checking.evidence.twins import world_poses
from inertial_check.checking.shapes.evidence import GeometryReader, ShapeUse
from inertial_check.checking.shapes.meshes import scaled_triangles
from inertial_check.documents.context import Context
from inertial_check.documents.files.access import Access
from inertial_check.documents.model import JOINT_TYPES, Body, Model, Pose, Role, Shape, displace
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
    join_points,
    legendre,
    list_moments,
    make_piece,
    place_points,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.frames import homogeneous
from inertial_check.inertia.meshes import (
    Mesh,
    close_holes,
    convex_hull,
    count_once,
    measure,
    trace_lines,
)

LINES = 12
"""Lines along each edge of a mesh's box: the moments before they are tilted err by a few percent,
and three times 144 lines take milliseconds."""

ON_LINE = 3
"""Points of the Gauss-Legendre rule on each part of a line that is inside."""

_SHIFT = (0.0137, -0.0291)
"""By how much lines stand beside the middles of their cells, in cells: edges of modelled parts lie
in the middle, where a line meets coordinates that differ by rounding alone."""

_STEPS = 60
"""Largest number of Newton's steps that tilt the weights; eight are enough as a rule."""


def fill_triangles(triangles: Floats) -> Points | None:
    """Find points inside a mesh whose triangles face outwards.

    Args:
        triangles: (n, 3, 3) [m].

    Returns:
        The points, with volumes that are estimates, each place once; None where no line meets the
        inside.
    """
    lower = triangles.min(axis=(0, 1))
    cell = (triangles.max(axis=(0, 1)) - lower) / LINES
    grid = np.stack(np.meshgrid(*[np.arange(LINES)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    nodes, weights = legendre(ON_LINE, 0.0, 1.0)
    parts = []
    for axis in range(3):
        own = [(axis + 1) % 3, (axis + 2) % 3]
        lines = lower[own] + cell[own] * (grid + 0.5 + np.array(_SHIFT))
        found = trace_lines(triangles, lines, axis)
        length = found.upper - found.lower
        points = np.empty((len(length), ON_LINE, 3))
        points[..., own] = lines[found.line, None]
        points[..., axis] = found.lower[:, None] + length[:, None] * nodes
        volumes = np.prod(cell[own]) * length[:, None] * weights
        if len(length):
            parts.append(Points(volumes.ravel(), points.reshape(-1, 3)))
    if not parts:
        return None
    joined = join_points(parts)
    return Points(joined.volumes / len(parts), joined.points)


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
    primitive = piece.enclosure is not None and piece.enclosure.triangles is None
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
        if kind not in ("revolute", "prismatic") or body.axis_B is None or body.p_BoJo_B is None:
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
    X_PC = homogeneous(body.X_PB.R_PB, body.X_PB.p_PoBo_P) @ displace(body, position)
    p, R = X_PC[:3, 3].tolist(), X_PC[:3, :3].tolist()
    return Pose((p[0], p[1], p[2]), tuple((r[0], r[1], r[2]) for r in R))


_FINENESS = 3
"""Factor of the points of a primitive along each direction where another shape cuts it: 18 layers
of a box, of which a cut takes one too many at most."""


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
        left = cells._replace(
            volumes=cells.volumes[outside],
            moments=cells.moments[outside],
            points=cells.points[outside],
            cut=True,
        )
        share = 1 - left.volume / cells.volume
        remarks.append(f"{piece.label}: {share:.0%} of it lies inside another shape: counted once")
        if np.any(outside):
            kept.append(left)
    return kept


def _split(piece: Piece, others: Sequence[Piece]) -> tuple[Piece, Mask]:
    """The cells of a piece, finer where others cut it, and which of them lie outside all others.

    Args:
        piece: The piece.
        others: Other pieces of its body.
    """
    if len(piece.volumes) == 1:  # a shape that is one cell is all inside or not to be told
        return piece, np.ones(1, dtype=bool)
    near = [one for one in others if one.enclosure is not None and _are_near(piece, one)]
    outside = _find_outside(piece.points, near)
    whole = bool(np.all(outside)) or not np.any(outside)
    if not near or (whole and (piece.enclosure is None or piece.enclosure.triangles is not None)):
        return piece, outside
    fine = _cut_finely(piece)
    if fine is not piece:
        cut = _find_outside(fine.points, near)
        if not np.all(cut) and np.any(cut):
            return fine, cut
    return piece, outside


def _are_near(piece: Piece, other: Piece) -> bool:
    """Whether the boxes around the cells overlap, widened by as much as cells end before a face."""
    lower, upper = piece.points.min(axis=0), piece.points.max(axis=0)
    least, most = other.points.min(axis=0), other.points.max(axis=0)
    edge = (upper - lower + most - least) / 4
    return bool(np.all(lower - edge <= most) and np.all(least - edge <= upper))


def _find_outside(points: Floats, others: Sequence[Piece]) -> Mask:
    outside = np.ones(len(points), dtype=bool)
    for other in others:
        if other.enclosure is not None and np.any(outside):
            outside[outside] = ~other.enclosure.find_inside(points[outside])
    return outside


def _cut_finely(piece: Piece) -> Piece:
    """The same primitive in more cells; a mesh as it is, whose cells are thousands."""
    enclosure = piece.enclosure
    if enclosure is None or enclosure.triangles is not None or piece.cut:
        return piece
    shape = enclosure.shape
    points = fill_primitive(shape.kind, shape.dimensions, _FINENESS)
    if points is None:
        return piece
    placed = place_points(points, shape)
    moments = list_moments(placed.volumes, placed.points)
    return piece._replace(volumes=placed.volumes, moments=moments, points=placed.points)


_TAKEN = {
    "flipped": "taken as if its triangles were turned",
    "closed": "taken as closed over its holes",
    "hull": "taken as its convex hull",
}
"""Readings of a mesh that is not closed and facing outwards, best first, as remarks say them."""

MOST_HOLES = 0.1
"""Largest area of the holes over which a mesh is closed, in parts of its surface: gaps between
faces, screw holes; a box without its lid lacks a fifth, and may be a thin wall."""

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
        self.roles = tuple(roles)
        self.boxed: frozenset[str] = frozenset()  # ids of bodies with their last role first
        self._solids = GeometryReader(model, "solid", ("solid", "flipped"), context)
        self._shells = GeometryReader(model, "shell", context=context)
        self._read: dict[tuple[str, tuple[Role, ...], float | None], BodyPieces] = {}
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

    def read(
        self, body: Body, volume: float | None = None, roles: tuple[Role, ...] | None = None
    ) -> BodyPieces:
        """Cut the shapes of the best role of a body, or say why there are none.

        The first role is taken of which every shape can be used; else the first of which some can.

        Args:
            body: The body.
            volume: Volume of the guess that stands for a body without shapes [m^3]; None for
                capsules of the slenderness LIMB.
            roles: Roles of shapes, best first; None for those of the reader.

        Raises:
            ParameterError: A mesh is in millimetres.
        """
        roles = roles or (self.roles[::-1] if body.id in self.boxed else self.roles)
        key = body.id, roles, volume
        if key not in self._read:
            self._read[key] = self._read_shapes(body, volume, roles)
        return self._read[key]

    def _read_shapes(self, body: Body, volume: float | None, roles: tuple[Role, ...]) -> BodyPieces:
        found: list[tuple[Role, list[Piece], list[str]]] = []
        for role in roles:
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
        if unit is None and self._thickness is not None and use.mesh is not None:
            reasons = use.reason
            use, unit = self._shells.shape(shape)
            if unit is not None:
                shell = cut_shell(use, unit, self._thickness, self._context.granted)
                return shell, f"taken as a shell of {self._thickness:g} m: {reasons}"
        label = f"{shape.role} {shape.kind}"
        if use.mesh is not None:
            size = float(np.linalg.norm(np.subtract(use.mesh.upper, use.mesh.lower)))
            if size > MILLIMETRES * self.reach > 0:
                raise ParameterError(
                    f"{shape.uri} is {size:.4g} m large where joints are {self.reach:.3g} m apart "
                    "at most, so it is in millimetres: give it the scale 0.001 0.001 0.001"
                )
            return _cut_mesh(label, use, use.mesh, self._context.granted)
        if unit is None:
            return None, f"{SKIPPED}{use.reason}"
        points = fill_primitive(shape.kind, shape.dimensions)
        placed = None if points is None else place_points(points, shape)
        return make_piece(label, "solid", Enclosure(shape), unit, placed), None


def _cut_mesh(
    label: str, use: ShapeUse, mesh: Mesh, access: Access | None
) -> tuple[Piece | None, str | None]:
    """The cells of a mesh, and why it was skipped or not taken as it is written."""
    shape = use.shape
    triangles = np.concatenate(list(scaled_triangles(str(use.path), shape.scale, access)))
    readings = (use.reading,) if use.reading else ("hull",) if mesh.closed else ("closed", "hull")
    reasons = [] if use.reason is None else [use.reason]
    for reading in readings:
        try:
            inside = _read_as(reading, triangles, mesh)
            solid = count_once(inside)
        except ParameterError as error:
            reasons.append(str(error))
            continue
        points = fill_triangles(inside)
        unit = solid.body.transform(homogeneous(shape.R_BG, shape.p_BoGo_B))
        placed = points and tilt(place_points(points, shape), np.asarray(unit.pseudo_inertia))
        remarks = [f"{_TAKEN[reading]}: {'; '.join(reasons)}"] if reasons else []
        if solid.twice:
            remarks.append(f"{solid.twice:.2g} m^3 are enclosed twice: counted once")
        if solid.turned:
            remarks.append(
                f"{solid.turned:.2g} m^3 outside its other parts face inwards: taken as solid, and "
                "where such parts overlap others as a hole, which nothing decides"
            )
        piece = make_piece(label, reading, Enclosure(shape, inside), unit, placed)
        return piece, "; ".join(remarks) or None
    return None, f"{SKIPPED}{'; '.join(reasons)}"


def _read_as(reading: str, triangles: Floats, mesh: Mesh) -> Floats:
    """The triangles of a closed surface, facing outwards, for which a mesh is taken.

    Raises:
        ParameterError: The mesh does not allow the reading.
    """
    if reading == "hull":
        return convex_hull(triangles)
    if reading == "closed":
        patches = close_holes(triangles)
        share = measure(patches).area / mesh.area
        if not share <= MOST_HOLES:
            raise ParameterError(
                f"its holes have {share:.0%} of its surface, expected {MOST_HOLES:.0%} at most"
            )
        triangles = np.concatenate([triangles, patches])
        reading = "solid" if measure(triangles).volume > 0 else "flipped"
    return triangles[:, ::-1] if reading == "flipped" else triangles
