"""Moments of convex hulls of which only the support is known."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats

_CELLS = 12
"""Cells of the grid along each edge of the box about a hull: the covariance of a ball is found to
1 %, which is far below what a hull and the body inside it can differ by."""

_MIDDLES = (np.arange(_CELLS) + 0.5) / _CELLS
_GRID = np.stack(np.meshgrid(*(_MIDDLES,) * 3, indexing="ij"), axis=-1).reshape(-1, 3)


def find_hull_moments(directions: Floats, support: Floats) -> tuple[Floats, Floats]:
    """Find the centre and the covariance of the polytope that a support describes.

    The polytope holds the convex hull of the shape, and is it where the directions are dense. Its
    moments are sums over the cells of a grid whose middle lies inside.

    Args:
        directions: (D, 3) unit vectors d, the axes and their opposites among them.
        support: (D,) the greatest d . p over the points p of the shape [m].

    Returns:
        (3,) centre [m], and (3, 3) covariance of the volume about it [m^2].
    """
    along = directions @ np.eye(3)
    upper = np.array([support[np.argmax(along[:, axis])] for axis in range(3)])
    lower = -np.array([support[np.argmin(along[:, axis])] for axis in range(3)])
    edges = upper - lower
    points = lower + edges * _GRID
    inside = points[np.all(points @ directions.T <= support, axis=1)]
    if not len(inside):  # thinner than the grid, such as a sheet: the box about it
        inside = points
    center: Floats = np.mean(inside, axis=0)
    arms = inside - center
    cell = np.diag((edges / _CELLS) ** 2 / 12)
    covariance: Floats = arms.T @ arms / len(inside) + cell
    return center, covariance
