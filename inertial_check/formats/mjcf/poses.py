"""Poses that an element of MJCF states, where no place in the text is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inertial_check.formats.mjcf.rotations import (
    ORIENTATIONS,
    from_axis_angle,
    from_euler,
    from_wxyz,
    from_xy_axes,
    from_z_axis,
)
from inertial_check.formats.mjcf.settings import Compiler
from inertial_check.formats.numbers import parse_finite
from inertial_check.formats.rotations import IDENTITY, Rotation
from inertial_check.model.body import Pose

_ORIENTATIONS = tuple(ORIENTATIONS)


def build_rotation(name: str, values: Sequence[float], compiler: Compiler) -> Rotation | None:
    """The rotation that the numbers of one of ORIENTATIONS state; None where they state none."""
    if name == "quat":
        return from_wxyz(*values)
    if name == "axisangle":
        return from_axis_angle(values[:3], compiler.radians(values[3]))
    if name == "xyaxes":
        return from_xy_axes(*values)
    if name == "zaxis":
        return from_z_axis(*values)
    return from_euler([compiler.radians(value) for value in values], compiler.eulerseq)


def read_pose(attributes: Mapping[str, str], compiler: Compiler) -> Pose | None:
    """The pose in the frame around an element; None where its attributes state none."""
    position = parse_finite(attributes.get("pos", "").strip() or "0 0 0", 3)
    given = [name for name in _ORIENTATIONS if name in attributes and attributes[name].strip()]
    if position is None or len(given) > 1:
        return None
    x, y, z = position
    if not given:
        return Pose((x, y, z), IDENTITY)
    (name,) = given
    values = parse_finite(attributes[name], ORIENTATIONS[name][0])
    rotation = None if values is None else build_rotation(name, values, compiler)
    return None if rotation is None else Pose((x, y, z), rotation)
