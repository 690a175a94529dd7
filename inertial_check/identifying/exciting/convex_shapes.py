"""Convex forms of the shapes of bodies, which collisions are computed with."""

from __future__ import annotations

from math import sqrt

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError
from inertial_check.geometry.meshes import MeshFinder, scaled_triangles
from inertial_check.identification.excitation.convex import ConvexShapes, measure_gaps, pad_shapes
from inertial_check.inertia.meshes import convex_hull
from inertial_check.model import Shape

Convex = tuple[Floats, Floats, float]
"""Corners (V, 3), spread (3, 3) and radius of a convex shape in the frame of its body."""

MOST_CORNERS = 64
"""Largest number of corners of a hull: with more, some are chosen, and a ball makes up for the
others."""

BOX = np.array(np.meshgrid(*((-1.0, 1.0),) * 3, indexing="ij")).reshape(3, -1).T
_POINT = np.zeros((1, 3))
NO_SPREAD = np.zeros((3, 3))


def convert_shape(shape: Shape, finder: MeshFinder) -> Convex:
    """Convert a shape to a convex one in the frame of its body.

    A cone counts as its cylinder, a mesh as its convex hull.

    Raises:
        ParameterError: It has no size, or no convex form. The message says why.
        DocumentError: The file of a mesh cannot be read.
    """
    if shape.note is not None:
        raise ParameterError(shape.note)
    sizes = np.array(shape.dimensions, dtype=np.float64)
    if not np.all((sizes >= 0) & (sizes < sqrt(np.finfo(np.float64).max))):
        raise ParameterError(f"its dimensions are {', '.join(map(repr, shape.dimensions))}")
    corners, spread, radius = _POINT, NO_SPREAD, 0.0
    if shape.kind == "box":
        corners = BOX * sizes / 2
    elif shape.kind == "sphere":
        radius = float(sizes[0])
    elif shape.kind == "ellipsoid":
        spread = np.diag(sizes)
    elif shape.kind in ("cylinder", "cone", "capsule"):
        corners = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * sizes[1]
        if shape.kind == "capsule":
            radius = float(sizes[0])
        else:
            spread = np.diag([sizes[0], sizes[0], 0.0])
    elif shape.kind == "mesh":
        corners, radius = _enclose_mesh(shape, finder)
    else:
        raise ParameterError(f"a {shape.kind or 'shape'} has no convex form")
    R = np.array(shape.R_BG)
    return corners @ R.T + np.array(shape.p_BoGo_B), R @ spread, radius


def _enclose_mesh(shape: Shape, finder: MeshFinder) -> tuple[Floats, float]:
    """Corners and a radius that enclose a mesh: of its hull, or of some of its corners.

    Raises:
        ParameterError: There is no file, or its corners lie in one plane.
        DocumentError: The file cannot be read.
    """
    resource = finder.find(shape)
    if resource.path is None:
        raise ParameterError(resource.reason or "its file is not found")
    hull = convex_hull(scaled_triangles(resource.path, shape.scale, finder.access))
    points = np.unique(hull.reshape(-1, 3), axis=0)
    if len(points) <= MOST_CORNERS:
        return points, 0.0
    chosen = points[np.unique(np.argmax(points @ _spread_directions().T, axis=0))]
    inner = pad_shapes([(chosen, NO_SPREAD, 0.0)]).rows(np.zeros(len(points), dtype=np.intp))
    single = ConvexShapes(points[:, None], np.zeros((len(points), 3, 3)), np.zeros(len(points)))
    gaps = measure_gaps(single, inner)
    away = np.linalg.norm(gaps.points_A - gaps.points_B, axis=1)  # never below the distance
    return chosen, float(away[gaps.distance > 0].max(initial=0.0))


def _spread_directions() -> Floats:
    """Directions (MOST_CORNERS, 3) that are spread evenly, along a spiral."""
    place = np.arange(MOST_CORNERS) + 0.5
    z = 1 - 2 * place / MOST_CORNERS
    turn = np.pi * (1 + sqrt(5)) * place
    r = np.sqrt(1 - z**2)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)
