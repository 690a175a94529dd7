"""Insides of shapes: which points of a body lie in a primitive or in a triangle mesh."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Integers, Mask
from inertial_check.files.access import Access
from inertial_check.filling.shapes.quadrature import contains
from inertial_check.geometry.meshes import scaled_triangles
from inertial_check.geometry.shapes import Reading
from inertial_check.inertia.meshes import convex_hull
from inertial_check.model import Shape

_PAIRS = 1 << 20
"""Largest number of pairs of a point and a triangle that are looked at together: 8 MB an array."""


class Enclosure(NamedTuple):
    """The inside of one shape, in the frame of its body.

    Attributes:
        shape: The shape.
        reading: What the shape is taken for; of a mesh its inside, that of the turned triangles
            ("flipped"), or its hull.
        path: The file of a mesh; None of a primitive.
        access: The files that may be used.
    """

    shape: Shape
    reading: Reading = "solid"
    path: str | None = None
    access: Access | None = None

    def find_inside(self, points: Floats) -> Mask:
        """Which points (n, 3) of the body lie inside the shape; (n,) of bool."""
        local = (points - np.array(self.shape.p_BoGo_B)) @ np.array(self.shape.R_BG)
        if self.path is None:
            return contains(self.shape.kind, self.shape.dimensions, local)
        return wind_around(self.read_triangles(), local) > 0

    def read_triangles(self) -> Iterable[Floats]:
        """Blocks (n, 3, 3) of triangles of a mesh in its own frame, facing outwards [m]."""
        blocks = scaled_triangles(str(self.path), self.shape.scale, self.access)
        if self.reading == "hull":
            return [convex_hull(blocks)]
        if self.reading == "flipped":
            return (block[:, ::-1] for block in blocks)
        return blocks


def wind_around(blocks: Iterable[Floats], points: Floats) -> Floats:
    """How often a closed mesh encloses each point: crossings of a ray upwards, with their sense.

    Args:
        blocks: Blocks (n, 3, 3) of triangles, facing outwards.
        points: (m, 3) points.

    Returns:
        (m,) winding numbers: 1 inside, 0 outside, 2 where two parts overlap.
    """
    order = np.argsort(points[:, 0], kind="stable")
    placed = points[order]
    found = np.zeros(len(points))
    if not len(points):
        return found
    lower, upper = placed.min(axis=0), placed.max(axis=0)
    for block in blocks:
        least, most = block.min(axis=1), block.max(axis=1)
        near = np.all((least[:, :2] <= upper[:2]) & (most[:, :2] >= lower[:2]), axis=1)
        near &= most[:, 2] >= lower[2]
        triangles = block[near]
        first = np.searchsorted(placed[:, 0], least[near, 0], side="left")
        last = np.searchsorted(placed[:, 0], most[near, 0], side="right")
        ends = np.cumsum(last - first)
        start = 0
        while start < len(triangles):
            done = ends[start - 1] if start else 0
            stop = max(int(np.searchsorted(ends, done + _PAIRS)), start + 1)
            own = slice(start, stop)
            _count_crossings(triangles[own], first[own], last[own], placed, found)
            start = stop
    unsorted = np.empty_like(found)
    unsorted[order] = found
    return unsorted


def _count_crossings(
    triangles: Floats, first: Integers, last: Integers, points: Floats, found: Floats
) -> None:
    """Add the crossings of rays from points first to last of each triangle to `found`."""
    counts = last - first
    which = np.repeat(np.arange(len(triangles)), counts)
    if not len(which):
        return
    at = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts) + first[which]
    low, high = triangles[..., 1].min(axis=1), triangles[..., 1].max(axis=1)
    y = points[at, 1]
    kept = (low[which] <= y) & (high[which] >= y)
    which, at = which[kept], at[kept]
    corners, p = triangles[which], points[at]
    inside = np.zeros(len(which), dtype=bool)
    for one, other in ((0, 1), (1, 2), (2, 0)):
        a, b = corners[:, one], corners[:, other]
        # Both triangles of an edge compute its crossing from the same end, so that a ray through
        # an edge meets one of them and never none or both.
        swapped = b[:, 1] < a[:, 1]
        a, b = np.where(swapped[:, None], b, a), np.where(swapped[:, None], a, b)
        crosses = (a[:, 1] <= p[:, 1]) & (p[:, 1] < b[:, 1])
        height = np.where(crosses, b[:, 1] - a[:, 1], 1.0)  # not 0 where it crosses
        x = a[:, 0] + (p[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0]) / height
        inside ^= crosses & (p[:, 0] < x)
    corners, p, at = corners[inside], p[inside], at[inside]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    # The plane of a triangle that a ray crosses is not vertical: its normal has a height.
    above = np.einsum("ni,ni->n", normals, corners[:, 0] - p) * np.sign(normals[:, 2]) > 0
    np.add.at(found, at[above], np.sign(normals[above, 2]))
