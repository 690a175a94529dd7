"""Closed loops of a robot as constraints, and recordings completed by them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification.motion.motion import JointMotion, Rows, WholeMotion
from inertial_check.identification.robot.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.mechanics.loops import (
    JointCoupling,
    close_loops,
    loop_drift,
    loop_jacobian,
    loop_residuals,
    null_space,
)
from inertial_check.mechanics.tree import Tree
from inertial_check.reports.identification_types import Remark

MISMATCH = 0.05
"""Distance by which recorded positions leave a loop open, relative to the mechanism, from which on
they are not those of the robot; sensors and calibration leave a hundredth."""


class LoopJoints(NamedTuple):
    """Joints of a robot with loops, by what a recording has of them.

    Attributes:
        path: Path of the recording.
        lacking: Indices of the joints whose positions the loops have to tell.
        driven: Indices of the joints whose torque is measured; others are passive.
        unknown: Indices of the joints with motors whose torque is not measured.
    """

    path: str
    lacking: tuple[int, ...]
    driven: tuple[int, ...]
    unknown: tuple[int, ...]


def close_motion(
    robot: Robot, motion: JointMotion, joints: LoopJoints
) -> tuple[JointMotion, list[Remark]]:
    """Complete a motion by its loops, and find the equations without their forces.

    Raises:
        UsageError: The loops do not close, or leave a position or every motion open.
    """
    whole = motion.whole
    assert whole is not None
    if joints.lacking:
        motion = _solve(robot, motion, joints)
    q, _, _ = whole.assemble(robot, motion.q, motion.u, motion.du)
    remarks = _judge_closure(robot, q, joints, motion.t)
    A = loop_jacobian(robot.loop_tree, q, robot.loops)
    held = np.zeros((len(q), len(joints.unknown), robot.tree.n_u))
    for row, joint in enumerate(joints.unknown):  # virtual motions that leave this motor still
        held[:, row, robot.velocities[joint]] = 1.0
    preferred = [robot.velocities[joint] for joint in joints.driven]
    if robot.base is not None:
        own = robot.tree.velocities[robot.base]
        preferred += range(own.start, own.stop)
    try:
        found = null_space(np.concatenate([A, held], axis=1), preferred)
    except ParameterError as error:
        raise UsageError(f"{joints.path}: {error}") from None
    count = int(found.singular.sum())
    if count:
        message = (
            f"{joints.path}: {count} of {len(q)} samples are near a singular configuration of the "
            "closed loops and are left out of the fit"
        )
        remarks.append(Remark(Severity.NOTE, "singular", message))
    rows = Rows.of_velocities(robot, found.independent.tolist())
    friction = [j for j in joints.driven if robot.velocities[j] in rows.velocities]
    changed = replace(
        whole, rows=rows, joints=tuple(friction), maps=np.swapaxes(found.N, 1, 2).copy()
    )
    passive = [name for joint, name in enumerate(robot.joints) if joint not in joints.driven]
    names = ", ".join(loop.name for loop in robot.loops[:8])
    message = (
        f"{joints.path}: closed loops: {names}; their forces are eliminated: equations of "
        f"{', '.join(rows.names)}; without a torque: {', '.join(passive) or 'none'}"
    )
    remarks.append(Remark(Severity.NOTE, "loops", message))
    return replace(motion, whole=changed), remarks


def complete_positions(robot: Robot, whole: WholeMotion, q: Floats, joints: LoopJoints) -> Floats:
    """(S, n) positions of all joints, those that are lacking by the closure of the loops."""
    if not joints.lacking:
        return q
    coordinates, _, _ = whole.assemble(robot, q, q, q)
    unknown = [robot.velocities[joint] for joint in joints.lacking]
    closed = close_loops(robot.loop_tree, coordinates, robot.loops, unknown)
    _refuse_open(robot, closed, joints)
    return closed[:, list(robot.coordinates)]


def _solve(robot: Robot, motion: JointMotion, joints: LoopJoints) -> JointMotion:
    """Solve the loops for the positions, velocities and accelerations that are lacking.

    Raises:
        UsageError: They do not decide them.
    """
    whole = motion.whole
    assert whole is not None
    position = complete_positions(robot, whole, motion.q, joints)
    unknown = [robot.velocities[joint] for joint in joints.lacking]
    q, u, du = whole.assemble(robot, position, motion.u, motion.du)
    u[:, unknown] = du[:, unknown] = 0.0
    A = loop_jacobian(robot.loop_tree, q, robot.loops)
    own = A[:, :, unknown]
    sizes = np.median(np.linalg.svd(own, compute_uv=False), axis=0)
    if own.shape[1] < len(unknown) or sizes[-1] <= tolerances.LOOP_RANK * sizes[0]:
        names = ", ".join(robot.joints[joint] for joint in joints.lacking)
        raise UsageError(
            f"{joints.path}: the positions of {names} are not recorded, and the closed loops do "
            "not tell all of them: record them, or hold the "
            "joints that no recording has by --locked others"
        )
    inverse = np.linalg.pinv(own)
    u[:, unknown] = -np.einsum("sij,sj->si", inverse, np.einsum("sij,sj->si", A, u))
    drift = loop_drift(robot.loop_tree, q, u, robot.loops)
    du[:, unknown] = -np.einsum("sij,sj->si", inverse, np.einsum("sij,sj->si", A, du) + drift)
    own_u = list(robot.velocities)
    return replace(motion, q=position, u=u[:, own_u], du=du[:, own_u])


def _measure_size(tree: Tree) -> float:
    """Longest distance between the origins of two joined bodies [m]; 1 if all coincide."""
    return float(np.linalg.norm(tree.X_PB[:, :3, 3], axis=1).max(initial=0.0)) or 1.0


def _refuse_open(robot: Robot, q: Floats, joints: LoopJoints) -> None:
    """Refuse positions at which a loop is not closed.

    Raises:
        UsageError: The message names the loop and the first sample.
    """
    for loop in robot.loops:
        left = np.abs(loop_residuals(robot.loop_tree, q, [loop])).max(axis=1, initial=0.0)
        scale = 1.0 if isinstance(loop, JointCoupling) else _measure_size(robot.tree)
        bad = np.flatnonzero(~(left <= tolerances.LOOP_OPEN * scale))
        if len(bad):
            names = ", ".join(robot.joints[joint] for joint in joints.lacking)
            raise UsageError(
                f"{joints.path}: sample {bad[0]}: {loop.name} cannot be closed: {left[bad[0]]:.3g} "
                f"is left, in {len(bad)} of {len(q)} samples; the positions of {names} are not "
                "recorded, and no position of them fits those of the other joints"
            )


def _judge_closure(robot: Robot, q: Floats, joints: LoopJoints, t: Floats) -> list[Remark]:
    """Remark on recorded positions that leave a loop open."""
    remarks = []
    for loop in robot.loops:
        left = np.abs(loop_residuals(robot.loop_tree, q, [loop])).max(axis=1, initial=0.0)
        scale = 1.0 if isinstance(loop, JointCoupling) else _measure_size(robot.tree)
        if np.median(left) > MISMATCH * scale:
            worst = int(np.argmax(left))
            message = (
                f"{joints.path}: the recorded positions leave {loop.name} open by "
                f"{np.median(left):.3g} in the median, {left[worst]:.3g} at t = {t[worst]:.6g}: "
                "they are of other joints, or count from elsewhere; without the columns of passive "
                "joints they are computed"
            )
            remarks.append(Remark(Severity.ERROR, "open-loop", message))
    return remarks
