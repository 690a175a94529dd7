"""The joints of a compiled `mujoco.MjModel`: where bodies stand, and how they move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.errors import UsageError
from inertial_check.formats import rotations
from inertial_check.integrations._loaded import UNTURNED, rotation_of, three_of
from inertial_check.model import Joint
from inertial_check.model.body import Body, Model, Pose

if TYPE_CHECKING:
    from mujoco import MjModel, MjSpec

    from inertial_check.fixing.result import Three
    from inertial_check.integrations._loaded import Rotation

JOINTS = ("free", "ball", "slide", "hinge")
"""Names of the types of joints, in the order of the integers of mujoco.mjtJoint."""

_WITH_AXIS = ("slide", "hinge")


class Placement(NamedTuple):
    """Place of a body in its parent, and the joints between them.

    Attributes:
        X_PB: Pose in the parent, or in the world, where the joint is at its ref (`qpos0`).
        axis_B: Direction of the axis of its only joint; None with another number of axes.
        p_BoJo_B: A point on it [m].
        joints: Its joints, whose positions are relative to `qpos0`.
    """

    X_PB: Pose
    axis_B: Three | None
    p_BoJo_B: Three | None
    joints: tuple[Joint, ...]


def read_quaternion(w: float, x: float, y: float, z: float) -> Rotation:
    """The rotation of a quaternion; MuJoCo reads one of length zero as no rotation."""
    rotation = rotations.from_wxyz(w, x, y, z)
    return UNTURNED if rotation is None else rotation_of(rotation)


def place_body(model: MjModel, index: int) -> Placement:
    """The place and the joints of a body of a compiled model."""
    first, count = int(model.body_jntadr[index]), int(model.body_jntnum[index])
    joints = range(first, first + count)
    X_PB = Pose(three_of(model.body_pos[index]), read_quaternion(*model.body_quat[index].tolist()))
    axis = point = None
    if count == 1 and JOINTS[model.jnt_type[first]] in _WITH_AXIS:
        axis, point = three_of(model.jnt_axis[first]), three_of(model.jnt_pos[first])
    return Placement(X_PB, axis, point, tuple(_describe_joint(model, each) for each in joints))


def _describe_joint(model: MjModel, joint: int) -> Joint:
    kind, name = JOINTS[model.jnt_type[joint]], model.joint(joint).name
    if kind not in _WITH_AXIS:
        return Joint(name, kind)
    place, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    lower, upper = -np.inf, np.inf
    if model.jnt_limited[joint]:
        lower, upper = (model.jnt_range[joint] - model.qpos0[place]).tolist()
    return Joint(
        name,
        kind,
        lower=lower,
        upper=upper,
        damping=float(np.ravel(model.dof_damping[dof])[0]),
        friction=float(model.dof_frictionloss[dof]),
        armature=float(model.dof_armature[dof]),
    )


def place_spec(spec: MjSpec, model: Model) -> Model:
    """A model that was read from a spec, with the joints that MuJoCo's compiler makes of it.

    A copy is compiled, in which each body has a unit mass, so that the inertias decide nothing.

    Raises:
        UsageError: The spec does not compile.
    """
    probe = spec.copy()
    probe.compiler.fusestatic = False
    for body in probe.bodies[1:]:
        body.mass, body.ipos, body.inertia = 1.0, np.zeros(3), np.ones(3)
        body.fullinertia = np.full(6, np.nan)
        body.explicitinertial = True
    try:
        compiled = probe.compile()
    except ValueError as error:
        reason = str(error).strip().partition("\n")[0]
        raise UsageError(f"{model.source.path}: MuJoCo does not compile it: {reason}") from None
    indices = [int(body.id) for body in probe.bodies[1:]]
    return replace(model, bodies=tuple(_place_all(compiled, model, indices)))


def _place_all(compiled: MjModel, model: Model, indices: list[int]) -> Iterator[Body]:
    for body, index in zip(model.bodies, indices, strict=True):
        place = place_body(compiled, index)
        yield body._replace(
            X_PB=place.X_PB, axis_B=place.axis_B, p_BoJo_B=place.p_BoJo_B, joints=place.joints
        )
