"""Poses of frames in each other, on plain tuples: products, inverses, directions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inertial_check.formats.rotations import IDENTITY, Rotation, Vector, compose, rotate
from inertial_check.model.body import Pose

SAME_FRAME = Pose((0.0, 0.0, 0.0), IDENTITY)


def product(X_AB: Pose, X_BC: Pose) -> Pose:
    """X_AC."""
    if X_AB is SAME_FRAME:
        return X_BC
    x, y, z = rotate(X_AB.R_PB, X_BC.p_PoBo_P)
    a, b, c = X_AB.p_PoBo_P
    return Pose((a + x, b + y, c + z), compose(X_AB.R_PB, X_BC.R_PB))


def inverse(X_AB: Pose) -> Pose:
    """X_BA."""
    if X_AB is SAME_FRAME:
        return SAME_FRAME
    R_BA = transpose(X_AB.R_PB)
    x, y, z = rotate(R_BA, X_AB.p_PoBo_P)
    return Pose((-x, -y, -z), R_BA)


def transpose(R_AB: Rotation) -> Rotation:
    """R_BA."""
    return tuple(zip(*R_AB, strict=True))


def is_finite(X_AB: Pose) -> bool:
    """Whether every number of a pose is."""
    return all(map(math.isfinite, X_AB.p_PoBo_P)) and all(
        math.isfinite(entry) for row in X_AB.R_PB for entry in row
    )


def unit(v: Sequence[float]) -> Vector | None:
    """The direction of a vector of any finite length but zero."""
    scale = max(map(abs, v))  # so that neither the smallest nor the largest lengths are lost
    if not all(map(math.isfinite, v)) or scale == 0.0:
        return None
    x, y, z = (entry / scale for entry in v)
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length
