"""Poses that MJCF elements state, without their places in the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from inertial_check.formats.mjcf.constants import ORIENTATIONS
from inertial_check.formats.mjcf.settings import Compiler
from inertial_check.formats.numbers import parse_finite
from inertial_check.formats.rotations import (
    IDENTITY,
    Rotation,
    from_axis_angle,
    from_euler,
    from_wxyz,
    from_xy_axes,
    from_z_axis,
)
from inertial_check.model.body import Pose

_WITHOUT_ANGLES: Mapping[str, Callable[..., Rotation | None]] = {
    "quat": from_wxyz,
    "xyaxes": from_xy_axes,
    "zaxis": from_z_axis,
}
"""Functions that build the orientations whose numbers do not depend on the compiler's settings."""


def build_rotation(name: str, values: Sequence[float], compiler: Compiler) -> Rotation | None:
    """Build the rotation that the numbers of an attribute in ORIENTATIONS state, if they do."""
    if name == "axisangle":
        return from_axis_angle(values[:3], compiler.radians(values[3]))
    if name == "euler":
        return from_euler([compiler.radians(value) for value in values], compiler.eulerseq)
    return _WITHOUT_ANGLES[name](*values)


def read_pose(attributes: Mapping[str, str], compiler: Compiler) -> Pose | None:
    """Read the pose of an element in the frame around it; None if its attributes state none."""
    position = parse_finite(attributes.get("pos", "").strip() or "0 0 0", 3)
    given = [name for name in ORIENTATIONS if name in attributes and attributes[name].strip()]
    if position is None or len(given) > 1:
        return None
    x, y, z = position
    if not given:
        return Pose((x, y, z), IDENTITY)
    (name,) = given
    values = parse_finite(attributes[name], ORIENTATIONS[name][0])
    rotation = None if values is None else build_rotation(name, values, compiler)
    return None if rotation is None else Pose((x, y, z), rotation)
