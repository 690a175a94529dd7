"""Coordinates of a body in the triangle whose corners are the ball, the rod and the plate.

The shape of a mass distribution, whatever its size and mass, is told by two numbers. A body with
the principal second moments s1 >= s2 >= s3 about its centre of mass is the mixture a rod + b plate
+ c ball, with a = (s1 - s2) / s, b = 2 (s2 - s3) / s, c = 3 s3 / s and s = |s1| + |s2| + |s3|. The
weights of a real body are at least 0 and sum to 1. The margin is s3 / s = c / 3, so what no body
has lies below the edge from the rod to the plate, at a distance that is its margin.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats

CORNERS = {"rod": (0.0, 0.0), "plate": (1.0, 0.0), "ball": (0.5, 1.0)}
"""Coordinates of the corners: (x, y) with y three times the margin."""

LOWEST = -1.0
"""Coordinate y of a body with a moment of 0 whose other moments differ by as much as they can;
below it only tensors with a negative principal moment lie."""


def place_shapes(principal_moments: npt.ArrayLike) -> Floats:
    """Compute the coordinates of bodies in the triangle of ball, rod and plate.

    Args:
        principal_moments: (..., 3) about the centre of mass [kg m^2], in any order.

    Returns:
        (..., 2) coordinates x from -1 to 2 and y from -3 to 1 (dimensionless); NaN for bodies
        without inertia and for numbers that are not finite.
    """
    moments = np.sort(np.asarray(principal_moments, dtype=np.float64), axis=-1)
    with np.errstate(all="ignore"):
        # The moments are divided by the largest first: sums of 1e308 would overflow.
        moments = moments / np.max(np.abs(moments), axis=-1, keepdims=True)
        second = np.sum(moments, axis=-1, keepdims=True) / 2 - moments
        shares = second / np.sum(np.abs(second), axis=-1, keepdims=True)
    plate, ball = 2 * (shares[..., 1] - shares[..., 2]), 3 * shares[..., 2]
    return np.stack([plate + ball / 2, ball], axis=-1)
