"""Distances between convex shapes, many pairs at once, with lower bounds that are proven.

A shape is the Minkowski sum of the convex hull of points, an ellipsoid and a ball: a sphere is a
point and a ball, a capsule a segment and a ball, a cylinder a segment and a flat ellipsoid, a box
and the hull of a mesh are points alone. The distance of two of them is found by the algorithm of
Gilbert, Johnson and Keerthi (A Fast Procedure for Computing the Distance Between Complex Objects in
Three-Dimensional Space, 1988). Any direction of its search proves that the shapes are apart by at
least the gap that they leave along it; the largest gap is what is returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats, Integers, Mask
from inertial_check.inertia import tolerances

ROUNDS = 40
"""Largest number of points added to a simplex: polytopes need about five, round shapes ten."""

_SUBSETS = tuple(each for size in range(1, 5) for each in combinations(range(4), size))
"""Vertices, edges, triangles and the whole of a simplex of four corners."""


class ConvexShapes(NamedTuple):
    """Convex shapes, each fixed in a frame.

    Attributes:
        corners: (k, V, 3) points of the hulls [m]; a shape with fewer repeats its first.
        spread: (k, 3, 3) matrix M of the ellipsoid M x, |x| <= 1 [m]; zeros for none.
        radius: (k,) radius of the ball [m].
    """

    corners: Floats
    spread: Floats
    radius: Floats

    @property
    def centers(self) -> Floats:
        """(k, 3) middle of each shape [m]."""
        return np.asarray((self.corners.min(axis=1) + self.corners.max(axis=1)) / 2)

    @property
    def reach(self) -> Floats:
        """(k,) radius of a ball about each centre that holds the shape [m]."""
        away = np.linalg.norm(self.corners - self.centers[:, None], axis=2).max(axis=1)
        return np.asarray(away + np.linalg.norm(self.spread, axis=(1, 2)) + self.radius)

    def rows(self, index: Integers) -> ConvexShapes:
        """Return the shapes of these indices, one for each."""
        return ConvexShapes(self.corners[index], self.spread[index], self.radius[index])

    def move(self, R: Floats, p: Floats) -> ConvexShapes:
        """Rotate each shape by R (k, 3, 3) and translate it by p (k, 3)."""
        corners = self.corners @ np.swapaxes(R, 1, 2) + p[:, None]
        return ConvexShapes(corners, R @ self.spread, self.radius)

    def support(self, d: Floats) -> Floats:
        """Return the point (k, 3) farthest along each direction (k, 3), without the ball."""
        along = np.matmul(self.corners, d[:, :, None])[:, :, 0]
        point = self.corners[np.arange(len(d)), np.argmax(along, axis=1)]
        inner = np.matmul(np.swapaxes(self.spread, 1, 2), d[:, :, None])
        length = np.linalg.norm(inner, axis=1, keepdims=True)
        unit = inner / np.where(length > 0, length, 1.0)  # zeros: any point of the ellipsoid serves
        return np.asarray(point + np.matmul(self.spread, unit)[:, :, 0])


class Gaps(NamedTuple):
    """Distances of pairs of shapes A and B.

    Attributes:
        distance: (m,) proven lower bound of the distance [m]; 0 or less where shapes overlap.
        normal: (m, 3) unit vector from B to A along which they are that far apart.
        points_A: (m, 3) nearest points of A, without its ball [m].
        points_B: (m, 3) nearest points of B, without its ball [m].
    """

    distance: Floats
    normal: Floats
    points_A: Floats
    points_B: Floats


def pad_shapes(shapes: Sequence[tuple[Floats, Floats, float]]) -> ConvexShapes:
    """Put shapes into arrays.

    Args:
        shapes: Corners (V, 3), spread (3, 3) and radius of each.
    """
    width = max((len(corners) for corners, _, _ in shapes), default=1)
    corners = np.zeros((len(shapes), width, 3))
    for own, (given, _, _) in zip(corners, shapes, strict=True):
        own[:] = given[0]
        own[: len(given)] = given
    spread = np.array([each for _, each, _ in shapes]).reshape(-1, 3, 3)
    return ConvexShapes(corners, spread, np.array([radius for _, _, radius in shapes]))


def measure_gaps(A: ConvexShapes, B: ConvexShapes, enough: ArrayLike = np.inf) -> Gaps:
    """Measure the distances of pairs of shapes (m), in one frame.

    Args:
        A: First shapes.
        B: Second ones.
        enough: (m,) or a number: distances from which a lower bound suffices [m]. Most pairs that
            are that far apart are settled by the first direction. Their nearest points are those of
            the search until then, zeros where there was none.
    """
    apart = A.centers - B.centers
    length = np.linalg.norm(apart, axis=1, keepdims=True)
    v = np.where(length > 0, apart / np.where(length > 0, length, 1.0), np.array([0.0, 0.0, 1.0]))
    size = A.reach + B.reach
    best = Gaps(np.full(len(v), -np.inf), v.copy(), np.zeros_like(v), np.zeros_like(v))
    simplex, active = np.zeros((2, len(v), 4, 3)), np.zeros((len(v), 4), dtype=bool)
    running, settled = np.arange(len(v)), np.asarray(enough) + A.radius + B.radius
    for _ in range(ROUNDS):
        own = v[running]
        new = np.stack([A.rows(running).support(-own), B.rows(running).support(own)])
        norm = np.linalg.norm(own, axis=1)
        gap = np.sum(own * (new[0] - new[1]), axis=1) / norm
        better = running[gap > best.distance[running]]
        best.distance[running] = np.maximum(best.distance[running], gap)
        best.normal[better] = v[better] / np.linalg.norm(v[better], axis=1, keepdims=True)
        near = best.distance[running] < settled[running]
        running, new = running[near], new[:, near]
        if not len(running):
            break
        slot = np.argmin(active[running], axis=1)
        simplex[:, running, slot], active[running, slot] = new, True
        weights, nearest = _find_nearest(simplex[0, running] - simplex[1, running], active[running])
        active[running] = weights > 0
        v[running] = nearest
        points = np.einsum("mk,amkc->amc", weights, simplex[:, running])
        best.points_A[running], best.points_B[running] = points
        left = np.linalg.norm(nearest, axis=1)
        open_ = left - best.distance[running] > tolerances.DISTANCE_SETTLED * size[running]
        inside = left <= tolerances.DISTANCE_SETTLED * size[running]
        running = running[open_ & ~inside & ~active[running].all(axis=1)]
    return best._replace(distance=best.distance - A.radius - B.radius)


def _find_nearest(points: Floats, active: Mask) -> tuple[Floats, Floats]:
    """Find the point nearest to the origin in each simplex (m, 4, 3), and its weights (m, 4).

    The weights on a face are cofactors of its Gram matrix, by Johnson's recursion; of the faces
    whose weights are all positive the nearest one holds the point.
    """
    gram = np.matmul(points, np.swapaxes(points, 1, 2))
    cofactors: dict[tuple[int, ...], Floats] = {}
    best = np.full(len(points), np.inf)
    weights = np.zeros((len(points), 4))
    for face in _SUBSETS:
        own = np.zeros((len(points), 4))
        for j in face:
            rest = tuple(each for each in face if each != j)
            if not rest:
                own[:, j] = 1.0
                continue
            k = rest[0]
            own[:, j] = sum(cofactors[rest][:, i] * (gram[:, i, k] - gram[:, i, j]) for i in rest)
        cofactors[face] = own
        chosen = list(face)
        valid = active[:, chosen].all(axis=1) & (own[:, chosen] > 0).all(axis=1)
        total = np.where(valid, own.sum(axis=1), 1.0)  # positive where the face is valid
        shares = own / total[:, None]
        point = np.matmul(shares[:, None, :], points)[:, 0]
        square = np.where(valid, np.sum(point**2, axis=1), np.inf)
        nearer = square < best
        best[nearer], weights[nearer] = square[nearer], shares[nearer]
    return weights, np.matmul(weights[:, None, :], points)[:, 0]
