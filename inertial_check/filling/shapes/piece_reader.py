"""Reader of pieces: the shapes of a model's bodies, from its documents and mesh files, as cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError
from inertial_check.filling.shapes.cell_moments import integrate_form, place_points
from inertial_check.filling.shapes.columns import fill_triangles, tilt
from inertial_check.filling.shapes.cutting import cut_shell, guess_limbs, make_piece
from inertial_check.filling.shapes.enclosures import Enclosure
from inertial_check.filling.shapes.overlaps import remove_overlaps
from inertial_check.filling.shapes.pieces import ROLES, SKIPPED, BodyPieces, Piece
from inertial_check.filling.shapes.quadrature import Points, fill_primitive
from inertial_check.formats.context import Context
from inertial_check.geometry.shapes import GeometryReader, Reading, ShapeUse
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Body, Model, Role, Shape

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
