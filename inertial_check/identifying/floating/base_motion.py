"""Motion of a floating base, read from a recording: pose, twist and acceleration in tree order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import UsageError
from inertial_check.formats.recordings import Recording
from inertial_check.identifying.floating.contact_options import ContactOptions
from inertial_check.model import Severity
from inertial_check.model.identified import Remark
from inertial_check.spatial.kinematics import rates
from inertial_check.spatial.rotations import matrix_from_quaternion

UNIT_LENGTH = 0.01
"""Largest deviation of a quaternion's length from 1: printed digits and filters leave less."""

_COLUMNS = {
    "base_pose": ("x", "y", "z", "qw", "qx", "qy", "qz"),
    "base_twist": ("vx", "vy", "vz", "wx", "wy", "wz"),
    "base_acceleration": ("ax", "ay", "az", "alphax", "alphay", "alphaz"),
}
"""Endings of the names of the columns, behind "base_", that make each array."""


class BaseSignals(NamedTuple):
    """Motion of the base as recorded, and as rates of the coordinates [p_IoBo_I, q_IB].

    Attributes:
        pose: (S, 7) origin [m] and quaternion (w, x, y, z).
        pose_rate: (S, 7) rates of the pose; None if no twist was recorded.
        twist: (S, 6) v_IBo_I [m/s] and w_IB_B [rad/s], or None.
        acceleration: (S, 6) rates of the twist, or None.
    """

    pose: Floats
    pose_rate: Floats | None
    twist: Floats | None
    acceleration: Floats | None


def read_base(recording: Recording, options: ContactOptions) -> tuple[BaseSignals, list[Remark]]:
    """Read the motion of the base; without any it stands still in the axes of the world.

    Raises:
        UsageError: Columns are lacking, or quaternions are none.
    """
    pose, twist, acceleration = (_collect(recording, name) for name in _COLUMNS)
    if pose is None:
        if twist is not None or acceleration is not None:
            raise UsageError(f"{recording.path}: a base twist, and no base pose beside it")
        assert recording.q is not None
        still = np.tile([0.0, 0, 0, 1, 0, 0, 0], (len(recording.q), 1))
        none = np.zeros((len(still), 6))
        message = (
            f"{recording.path}: no pose of the base: it is taken to stand still at the origin, in "
            "the axes of the world"
        )
        note = Remark(Severity.NOTE, "base-still", message)
        return BaseSignals(still, np.zeros_like(still), none, none), [note]
    if "base_pose" in recording.further and options.quaternion_order == "xyzw":
        pose = pose[:, [0, 1, 2, 6, 3, 4, 5]]
    pose = _check_quaternions(recording.path, pose)
    R_IB = np.asarray(matrix_from_quaternion(pose[:, 3:]))
    if twist is not None:
        twist = _turn(twist, R_IB, options.twist_axes)
    if acceleration is not None:
        acceleration = _turn(acceleration, R_IB, options.twist_axes)
    rate = None
    if twist is not None:
        turned = rates(pose[:, 3:], twist[:, 3:], "quaternion", "B")
        rate = np.concatenate([twist[:, :3], np.asarray(turned)], axis=1)
    return BaseSignals(pose, rate, twist, acceleration), []


def _collect(recording: Recording, name: str) -> Floats | None:
    """Collect an array, or the columns that make it; None if the recording has none of them.

    Raises:
        UsageError: Some columns are lacking, or the array has another shape.
    """
    held, endings = recording.further, _COLUMNS[name]
    if name in held:
        whole = held[name]
        if whole.ndim != 2 or whole.shape[1] != len(endings):
            raise UsageError(
                f"{recording.path}: {name} has shape {whole.shape}, expected (S, {len(endings)})"
            )
        return whole
    columns = [f"base_{ending}" for ending in endings]
    lacking = [column for column in columns if column not in held]
    if len(lacking) == len(columns):
        return None
    if lacking:
        raise UsageError(f"{recording.path}: no column {', '.join(lacking)} beside those of {name}")
    return np.stack([held[column] for column in columns], axis=1)


def _check_quaternions(path: str, pose: Floats) -> Floats:
    """Scale quaternions to length 1 and turn their signs so that none jumps.

    Raises:
        UsageError: One is far from length 1.
    """
    lengths = np.linalg.norm(pose[:, 3:], axis=1)
    bad = np.flatnonzero(np.abs(lengths - 1) > UNIT_LENGTH)
    if len(bad):
        raise UsageError(
            f"{path}: the base quaternion of sample {bad[0]} has length {lengths[bad[0]]:.6g}, "
            "expected 1"
        )
    turns = pose[:, 3:] / lengths[:, None]
    jumps = np.sum(turns[1:] * turns[:-1], axis=1) < 0
    signs = np.where(np.cumsum(np.concatenate([[False], jumps])) % 2, -1.0, 1.0)
    return np.concatenate([pose[:, :3], turns * signs[:, None]], axis=1)


def _turn(values: Floats, R_IB: Floats, axes: str) -> Floats:
    """Turn linear and angular parts (S, 6): linear to the world, angular to the body."""
    linear, angular = values[:, :3], values[:, 3:]
    if axes == "body":
        linear = np.einsum("sij,sj->si", R_IB, linear)
    if axes == "world":
        angular = np.einsum("sji,sj->si", R_IB, angular)
    return np.concatenate([linear, angular], axis=1)


def normalize_rates(pose: Floats, rate: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
    """Scale filtered quaternions to length 1, and find twist and acceleration of the base.

    With n = q / |q|, w_IB_B = 2 vec(n* dn) and its rate is 2 vec(n* ddn), since dn* dn is real.

    Args:
        pose: (S, 7) filtered pose.
        rate: (S, 7) its first derivative.
        second: (S, 7) its second derivative.

    Returns:
        Pose (S, 7), twist (S, 6) and acceleration (S, 6), as the tree has them.
    """
    length = np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    n, dq, ddq = pose[:, 3:] / length, rate[:, 3:], second[:, 3:]
    growth = np.sum(n * dq, axis=1, keepdims=True)
    dn = (dq - n * growth) / length
    ddn = (ddq - 2 * dn * growth) / length  # but for a part along n, which drops out
    return (
        np.concatenate([pose[:, :3], n], axis=1),
        np.concatenate([rate[:, :3], 2 * _vector_part(n, dn)], axis=1),
        np.concatenate([second[:, :3], 2 * _vector_part(n, ddn)], axis=1),
    )


def _vector_part(a: Floats, b: Floats) -> Floats:
    """Vector part (S, 3) of the product a* b of quaternions (S, 4)."""
    scalar, vector = a[:, :1], a[:, 1:]
    return np.asarray(scalar * b[:, 1:] - b[:, :1] * vector - np.cross(vector, b[:, 1:]))
