"""Pieces of bodies: the parts of their shapes that can hold mass, cut into cells.

A cell has a volume and, for a density of one, ten inertial parameters about the origin of its body.
Every non-negative density of the cells is a body that fits inside its shapes, and a uniform one has
the exact volume and moments of the shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError
from inertial_check.filling.cell_moments import (
    agree,
    find_capsule_radius,
    integrate_form,
    list_moments,
    place_points,
    rotate_to,
)
from inertial_check.filling.columns import fill_triangles, tilt
from inertial_check.filling.quadrature import Points, contains, fill_primitive
from inertial_check.formats.context import Context
from inertial_check.geometry.meshes import scaled_triangles
from inertial_check.geometry.shapes import GeometryReader, Reading, ShapeUse
from inertial_check.inertia.meshes import convex_hull
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Body, Model, Role, Shape

READINGS: tuple[Reading, ...] = ("solid", "flipped", "hull")
"""Readings of a mesh, best first: its inside, its inside with the triangles turned, its hull."""

ROLES: tuple[Role, ...] = ("visual", "collision")
"""Roles of shapes, best first: what is drawn is the part, what collides is often a box around."""

MILLIMETRES = 100.0
"""Size of a mesh, in distances between joints, above which it is in millimetres: links are 0.2 to
20 of these distances long, so that a factor of 1000 lies above them all."""

SKIPPED = "skipped: "
"""Beginning of the remark on a shape that could not be used."""

LIMB = 0.1
"""Radius of the capsule that stands for a body without shapes, in parts of its length: a guess."""

_MOST_TRIANGLES = 4096
"""Largest number of triangles of a shell that are cells of their own."""


class Piece(NamedTuple):
    """One shape of a body, cut into cells.

    Attributes:
        label: Role and kind, for messages.
        reading: What the shape was taken for: "solid", "flipped", "hull", "shell" or "joints".
        volumes: (n,) volumes of the cells [m^3].
        moments: (n, 10) inertial parameters of the cells with density 1, about the origin of the
            body in its axes, in the order "urdf".
        points: (n, 3) centres of the cells in the body [m].
    """

    label: str
    reading: str
    volumes: Floats
    moments: Floats
    points: Floats

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
    """

    body: Body
    pieces: tuple[Piece, ...]
    role: Role | None = None
    remarks: tuple[str, ...] = ()
    guess: bool = False

    @property
    def volume(self) -> float:
        """Volume of all pieces [m^3]."""
        return sum(piece.volume for piece in self.pieces)

    @property
    def skipped(self) -> bool:
        """Whether a shape of the role could not be used."""
        return any(SKIPPED in remark for remark in self.remarks)

    @property
    def unit(self) -> Floats:
        """(10,) inertial parameters of the pieces with density 1, about the body's origin."""
        total: Floats = np.sum([piece.moments.sum(axis=0) for piece in self.pieces], axis=0)
        return total


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
        found: list[tuple[Role, list[Piece], list[str], bool]] = []
        for role in self._roles:
            shapes = [shape for shape in body.shapes if shape.role == role]
            pieces, remarks = [], []
            for shape in shapes:
                piece, remark = self._cut(shape)
                pieces += [] if piece is None else [(shape, piece)]
                remarks += [] if remark is None else [f"{role} {shape.kind or 'shape'}: {remark}"]
            whole = bool(shapes) and len(pieces) == len(shapes)
            found.append((role, _remove_overlaps(pieces, remarks), remarks, whole))
        usable = [each for each in found if each[1]]
        if usable:
            role, kept, remarks, _ = next((each for each in usable if each[3]), usable[0])
            return BodyPieces(body, tuple(kept), role, tuple(remarks))
        remarks = [remark for each in found for remark in each[2]]
        guess = self._guess(body, volume)
        return BodyPieces(body, guess, None, tuple(remarks), bool(guess))

    def _cut(self, shape: Shape) -> tuple[Piece | None, str | None]:
        """The cells of a shape, and why it was skipped or not taken for a solid."""
        use, unit = self._solids.shape(shape)
        reasons = use.reason
        if unit is None and self._thickness is not None and use.mesh is not None:
            use, unit = self._shells.shape(shape)
            if unit is not None:
                shell = self._cut_shell(use, unit, self._thickness)
                return shell, f"taken as a shell of {self._thickness:g} m: {reasons}"
        if unit is None or use.reading is None:
            return None, f"{SKIPPED}{reasons}"
        self._refuse_millimetres(shape, use)
        points = self._find_points(shape, use, unit)
        remark = None if reasons is None else f"taken as its {use.reading}: {reasons}"
        label = f"{shape.role} {shape.kind}"
        return _make_piece(label, use.reading, unit, points), remark

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

    def _find_points(self, shape: Shape, use: ShapeUse, unit: InertialParameters) -> Points | None:
        """Points inside a shape, in the axes of the body."""
        if shape.kind != "mesh":
            points = fill_primitive(shape.kind, shape.dimensions)
            return None if points is None else place_points(points, shape)
        blocks = scaled_triangles(str(use.path), shape.scale, self._context.granted)
        if use.reading == "hull":
            blocks = iter([convex_hull(blocks)])
        elif use.reading == "flipped":
            blocks = (block[:, ::-1] for block in blocks)
        found, _ = fill_triangles(blocks)
        if found is None:
            return None
        return tilt(place_points(found, shape), integrate_form(unit))

    def _cut_shell(self, use: ShapeUse, unit: InertialParameters, thickness: float) -> Piece:
        """A shell as its triangles, or as one cell where there are too many."""
        shape = use.shape
        label = f"{shape.role} {shape.kind}"
        whole = np.asarray(unit.as_theta())[None] * thickness
        single = Piece(label, "shell", whole[:, 0], whole, whole[:, 1:4] / whole[:, :1])
        if use.mesh is None or use.mesh.triangles > _MOST_TRIANGLES:
            return single
        blocks = scaled_triangles(str(use.path), shape.scale, self._context.granted)
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

    def _guess(self, body: Body, volume: float | None) -> tuple[Piece, ...]:
        """Capsules from the origin of a body to the joints that it carries."""
        offsets = [p for p in self._children.get(body.id, []) if np.linalg.norm(p) > 0]
        pieces = []
        for offset in offsets:
            length = float(np.linalg.norm(offset))
            radius = LIMB * length
            if volume is not None:
                radius = find_capsule_radius(volume / len(offsets), length)
            points = fill_primitive("capsule", (radius, length))
            if points is None:
                continue
            placed = points.points @ rotate_to(offset / length).T + offset / 2
            moments = list_moments(points.volumes, placed)
            pieces.append(
                Piece("a capsule between joints", "joints", points.volumes, moments, placed)
            )
        return tuple(pieces)


def _make_piece(label: str, reading: str, unit: InertialParameters, points: Points | None) -> Piece:
    """A piece of points where their moments are those of the solid; else a piece of one cell."""
    whole = np.asarray(unit.as_theta())[None]
    if points is not None:
        moments = list_moments(points.volumes, points.points)
        if agree(moments, whole):
            return Piece(label, reading, points.volumes, moments, points.points)
    return Piece(label, reading, whole[:, 0], whole, whole[:, 1:4] / whole[:, :1])


def _remove_overlaps(pieces: list[tuple[Shape, Piece]], remarks: list[str]) -> list[Piece]:
    """Drop the cells that lie inside an earlier primitive of the same body: they count once."""
    kept: list[Piece] = []
    earlier: list[Shape] = []
    for shape, piece in pieces:
        outside = np.ones(len(piece.volumes), dtype=bool)
        for other in earlier:
            local = (piece.points - np.array(other.p_BoGo_B)) @ np.array(other.R_BG)
            outside &= ~contains(other.kind, other.dimensions, local)
        if shape.kind != "mesh" and piece.reading == "solid":
            earlier.append(shape)
        if np.all(outside):
            kept.append(piece)
            continue
        share = 1 - float(piece.volumes[outside].sum()) / piece.volume
        remarks.append(f"{piece.label}: {share:.0%} of it lies inside another shape: counted once")
        if np.any(outside):
            cells = (piece.volumes[outside], piece.moments[outside], piece.points[outside])
            kept.append(Piece(piece.label, piece.reading, *cells))
    return kept
