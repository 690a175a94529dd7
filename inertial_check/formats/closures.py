"""Frames of joints that close a kinematic loop, and the motions that each type of joint holds."""

from __future__ import annotations

from inertial_check.formats.poses import is_finite
from inertial_check.formats.rotations import Vector, from_z_axis
from inertial_check.model.body import Pose
from inertial_check.model.joint import LoopFrame

HOLDS: dict[str, tuple[int, ...]] = {
    "fixed": (0, 1, 2, 3, 4, 5),
    "revolute": (0, 1, 2, 3, 4),
    "continuous": (0, 1, 2, 3, 4),
    "prismatic": (0, 1, 3, 4, 5),
    "ball": (0, 1, 2),
    "spherical": (0, 1, 2),
}
"""Motions that types of joints hold, in a frame whose z axis is that of the joint: 0 to 2 along its
axes, 3 to 5 about them."""

ONE_AXIS = frozenset(("revolute", "continuous", "prismatic"))
"""Types of joints whose axis has to be known."""


def place_joint(kind: str, X_BJ: Pose | None, axis_B: Vector | None) -> LoopFrame | None:
    """Place a joint that closes a loop in its second body; None if it cannot be modelled.

    Args:
        kind: Type of the joint.
        X_BJ: Pose of the joint in its second body; the first stands where the document puts it.
        axis_B: Axis of the joint in the second body.
    """
    if kind not in HOLDS or X_BJ is None or not is_finite(X_BJ):
        return None
    rotation = X_BJ.R_PB
    if kind in ONE_AXIS:
        turned = None if axis_B is None else from_z_axis(*axis_B)
        if turned is None:
            return None
        rotation = turned
    return LoopFrame(None, (X_BJ.p_PoBo_P, rotation), HOLDS[kind])
