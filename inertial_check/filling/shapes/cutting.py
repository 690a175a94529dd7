"""Cutting of single shapes into cells: solids, walls of open meshes, and limbs that are a guess."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.files.access import Access
from inertial_check.filling.shapes.cell_moments import (
    agree,
    find_capsule_radius,
    list_moments,
    rotate_to,
)
from inertial_check.filling.shapes.enclosures import Enclosure
from inertial_check.filling.shapes.pieces import Piece
from inertial_check.filling.shapes.quadrature import Points, fill_primitive
from inertial_check.geometry.meshes import scaled_triangles
from inertial_check.geometry.shapes import ShapeUse
from inertial_check.inertia.parameters import InertialParameters

LIMB = 0.1
"""Radius of the capsule that stands for a body without shapes, in parts of its length: a guess."""

_MOST_TRIANGLES = 4096
"""Largest number of triangles of a shell that are cells of their own."""


def make_piece(
    label: str, enclosure: Enclosure, unit: InertialParameters, points: Points | None
) -> Piece:
    """Make a piece of points where they have the moments of the solid; else of one cell."""
    reading = enclosure.reading
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
            radius = find_capsule_radius(volume / len(offsets), length)
        points = fill_primitive("capsule", (radius, length))
        if points is None:
            continue
        placed = points.points @ rotate_to(offset / length).T + offset / 2
        moments = list_moments(points.volumes, placed)
        pieces.append(Piece("a capsule between joints", "joints", points.volumes, moments, placed))
    return tuple(pieces)
