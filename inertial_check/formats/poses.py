"""Poses of frames in each other, on plain tuples: products and inverses."""

from __future__ import annotations

import math
from itertools import chain

from inertial_check.formats.rotations import IDENTITY, compose, rotate, transpose
from inertial_check.model.body import Pose

SAME_FRAME = Pose((0.0, 0.0, 0.0), IDENTITY)
"""Pose of a frame in itself; compared by identity, so that its products cost nothing."""


def product(X_AB: Pose, X_BC: Pose) -> Pose:
    """Compute X_AC = X_AB X_BC."""
    if X_AB is SAME_FRAME:
        return X_BC
    x, y, z = rotate(X_AB.R_PB, X_BC.p_PoBo_P)
    a, b, c = X_AB.p_PoBo_P
    return Pose((a + x, b + y, c + z), compose(X_AB.R_PB, X_BC.R_PB))


def inverse(X_AB: Pose) -> Pose:
    """Compute X_BA, the inverse of X_AB."""
    if X_AB is SAME_FRAME:
        return SAME_FRAME
    R_BA = transpose(X_AB.R_PB)
    x, y, z = rotate(R_BA, X_AB.p_PoBo_P)
    return Pose((-x, -y, -z), R_BA)


def is_finite(X_AB: Pose) -> bool:
    """Return whether every number of a pose is finite."""
    return all(map(math.isfinite, X_AB.p_PoBo_P)) and all(
        map(math.isfinite, chain.from_iterable(X_AB.R_PB))
    )
