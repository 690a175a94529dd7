"""The principal axes of a body, as near to the axes that are written as they can be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import hypot, sqrt

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.spatial.rotations import quaternion_from_matrix

_SWEEPS = 16
"""Of Jacobi's method, which converges quadratically: a 3x3 matrix takes some five."""


def diagonalised(tensor: Floats, crumb: float) -> tuple[Floats, Floats]:
    """Moments and axes of a symmetric tensor, by Jacobi's method.

    Each of its turns is the smallest that removes a product, so the axes stay near the present
    ones: a product that is nothing turns nothing, and no axes are swapped.

    Args:
        tensor: (3, 3).
        crumb: Products up to this size are none.

    Returns:
        (3,) moments about the new axes, and (3, 3) R, a rotation whose columns they are.
    """
    moments, R = np.array(tensor, dtype=float), np.eye(3)
    for _ in range(_SWEEPS):
        if np.max(np.abs(moments[np.triu_indices(3, 1)])) <= crumb:
            break
        for i, j in combinations(range(3), 2):
            turn = _turn(moments, i, j)
            moments, R = turn.T @ moments @ turn, R @ turn
    return np.diag(moments).copy(), R


def _turn(tensor: Floats, i: int, j: int) -> Floats:
    """The smallest turn in the plane of two axes that leaves no product between them."""
    turn, product = np.eye(3), tensor[i, j]
    if product == 0:
        return turn
    half = (tensor[j, j] - tensor[i, i]) / 2
    # Golub and Van Loan, Matrix Computations, 8.5.2, without a quotient that could overflow.
    tangent = product / (half + hypot(half, product) * (1 if half >= 0 else -1))
    cosine = 1 / sqrt(1 + tangent * tangent)
    turn[i, i] = turn[j, j] = cosine
    turn[i, j], turn[j, i] = tangent * cosine, -tangent * cosine
    return turn


def turned(quaternion: Sequence[float], R: Floats) -> Floats:
    """The quaternion of axes that are turned further, within themselves.

    Args:
        quaternion: w, x, y, z of the axes as they are, of any length but zero.
        R: (3, 3) the turn, in those axes.

    Returns:
        (4,) of length 1; of the two that state these axes, the one nearer to the quaternion.
    """
    q = np.array(quaternion) / hypot(*quaternion)
    w, v = q[0], q[1:]
    turn = np.asarray(quaternion_from_matrix(R))
    found = np.concatenate(
        ([w * turn[0] - v @ turn[1:]], w * turn[1:] + turn[0] * v + np.cross(v, turn[1:]))
    )
    found /= hypot(*found.tolist())
    return found if found @ q >= 0 else -found
