"""The rotations that documents state, as row-major matrices; None where numbers state none."""

from __future__ import annotations

import math
from collections.abc import Sequence

Vector = tuple[float, float, float]
Rotation = tuple[tuple[float, float, float], ...]

IDENTITY: Rotation = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def cross(a: Sequence[float], b: Sequence[float]) -> Vector:
    """Vector product a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def from_rpy(roll: float, pitch: float, yaw: float) -> Rotation | None:
    """Rz(yaw) Ry(pitch) Rx(roll): fixed axes, roll first."""
    if not all(map(math.isfinite, (roll, pitch, yaw))):
        return None
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in (roll, pitch, yaw))
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def from_quaternion(x: float, y: float, z: float, w: float) -> Rotation | None:
    """The rotation of a quaternion of any length but zero."""
    length = math.hypot(x, y, z, w)
    if not math.isfinite(length) or length == 0.0:
        return None
    x, y, z, w = x / length, y / length, z / length, w / length
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )


def rotate(R: Rotation, v: Sequence[float]) -> Vector:
    """R v."""
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z = v
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def compose(R_AB: Rotation, R_BC: Rotation) -> Rotation:
    """R_AC."""
    x, y, z = (rotate(R_AB, column) for column in zip(*R_BC, strict=True))
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])
