"""The orientations that MJCF states, as MuJoCo understands them; None where numbers state none."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from inertial_check.formats.poses import unit
from inertial_check.formats.rotations import Rotation, Vector, cross, from_quaternion

Quaternion = tuple[float, float, float, float]  # w x y z

ORIENTATIONS: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "quat": (4, "w x y z"),
        "axisangle": (4, "x y z angle"),
        "xyaxes": (6, "x-axis, y-axis"),
        "zaxis": (3, "x y z"),
        "euler": (3, "three angles"),
    }
)
"""The attributes that state an orientation: how many numbers each has, and which."""

_PARALLEL = 4 * sys.float_info.epsilon  # what rounding leaves of a vector minus its projection


def from_wxyz(w: float, x: float, y: float, z: float) -> Rotation | None:
    """quat: of any length but zero."""
    return from_quaternion(x, y, z, w)


def from_axis_angle(vector: Sequence[float], angle: float) -> Rotation | None:
    """axisangle: about an axis of any length but zero [rad]."""
    axis = unit(vector)
    if axis is None or not math.isfinite(angle):
        return None
    return from_wxyz(*_turn(axis, angle))


def from_xy_axes(*six: float) -> Rotation | None:
    """xyaxes: x as given, y made orthogonal to it, z their product."""
    x, y = unit(six[:3]), unit(six[3:])
    if x is None or y is None:
        return None
    along = sum(map(float.__mul__, x, y))
    across = (y[0] - along * x[0], y[1] - along * x[1], y[2] - along * x[2])
    y = unit(across)
    if y is None or math.hypot(*across) <= _PARALLEL:
        return None
    return tuple(zip(x, y, cross(x, y), strict=True))


def from_z_axis(*three: float) -> Rotation | None:
    """zaxis: the smallest rotation that takes z there; half a turn about x where that is -z."""
    z = unit(three)
    if z is None:
        return None
    axis = unit((-z[1], z[0], 0.0)) or (1.0, 0.0, 0.0)
    return from_wxyz(*_turn(axis, math.atan2(math.hypot(z[0], z[1]), z[2])))


def from_euler(angles: Sequence[float], sequence: str) -> Rotation | None:
    """euler: one turn a letter [rad], about the moving axes x y z or the fixed axes X Y Z."""
    if not all(map(math.isfinite, angles)):
        return None
    total: Quaternion = (1.0, 0.0, 0.0, 0.0)
    for angle, letter in zip(angles, sequence, strict=True):
        axis = tuple(float(letter.lower() == name) for name in "xyz")
        turn = _turn((axis[0], axis[1], axis[2]), angle)
        total = _product(total, turn) if letter.islower() else _product(turn, total)
    return from_wxyz(*total)


def _turn(axis: Vector, angle: float) -> Quaternion:
    sine = math.sin(angle / 2)
    return math.cos(angle / 2), sine * axis[0], sine * axis[1], sine * axis[2]


def _product(a: Quaternion, b: Quaternion) -> Quaternion:
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )
