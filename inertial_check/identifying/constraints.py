"""Closed loops and following joints of a model, as constraints of its tree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.kinematics import poses
from inertial_check.dynamics.loops import Constraint, JointCoupling, LoopClosure
from inertial_check.dynamics.tree import INERTIAL_FRAME, Tree
from inertial_check.errors import UsageError
from inertial_check.inertia.frames import homogeneous
from inertial_check.model import Model
from inertial_check.model.joint import LoopFrame
from inertial_check.model.tree import TreeJoints

_WORLD = "world"


def list_constraints(
    model: Model, tree: Tree, joints: TreeJoints, placed: Tree
) -> tuple[Constraint, ...]:
    """List the constraints of a model that move recorded joints against each other.

    Args:
        model: Model of the robot.
        tree: Its tree.
        joints: Properties of the joints of the tree.
        placed: Tree with no joint locked, whose bodies stand at zero as the document places them.

    Raises:
        UsageError: A loop or a following joint cannot be modelled. The message names it.
    """
    return (*_list_closures(model, tree, placed), *_list_couplings(model, tree, joints))


def _list_closures(model: Model, tree: Tree, placed: Tree) -> Iterator[LoopClosure]:
    """List closures; a loop of bodies that no joint moves apart puts no force on any joint."""
    X_IB = np.asarray(poses(placed, placed.neutral[None]))[0]
    for loop in model.loops:
        found = [_find(tree, name) for name in loop.bodies]
        columns = [None if body is None else _columns(tree, body) for body in found]
        if columns[0] is not None and columns[0] == columns[1]:
            continue
        first, second = found
        if loop.frame is None or first is None or second is None:
            raise UsageError(
                f"{model.source.path}: {loop} closes a loop of moving bodies, and is not modelled: "
                "no recorded torque tells its forces apart from those of the bodies: take it out "
                "of the file, or hold the joints of the loop with --locked"
            )
        if INERTIAL_FRAME not in (first, second) and _root(tree, first) != _root(tree, second):
            raise UsageError(
                f"{model.source.path}: {loop} closes a loop of moving bodies on two roots, whose "
                "places in the world a tree leaves out: it is not modelled; put both on one body "
                "without a joint, or hold the joints of the loop with --locked"
            )
        X_I = [np.eye(4) if body == INERTIAL_FRAME else X_IB[body] for body in (first, second)]
        X_BF = _place_frames(loop.frame, X_I[0], X_I[1])
        yield LoopClosure(str(loop), (first, second), X_BF, loop.frame.holds)


def _find(tree: Tree, name: str) -> int | None:
    """Index of a body, -1 for the world; None if no or several bodies have this name."""
    if name == _WORLD and _WORLD not in tree.names:
        return INERTIAL_FRAME
    return tree.names.index(name) if tree.names.count(name) == 1 else None


def _root(tree: Tree, body: int) -> int:
    while tree.parents[body] != INERTIAL_FRAME:
        body = int(tree.parents[body])
    return body


def _columns(tree: Tree, body: int) -> set[int]:
    return set() if body == INERTIAL_FRAME else set(tree.columns[body])


def _place_frames(frame: LoopFrame, X_I1: Floats, X_I2: Floats) -> Floats:
    """(2, 4, 4) poses of a closure's frame in both bodies."""
    first = None if frame.first is None else homogeneous(frame.first[1], frame.first[0])
    second = None if frame.second is None else homogeneous(frame.second[1], frame.second[0])
    if first is None:
        assert second is not None
        first = np.linalg.inv(X_I1) @ X_I2 @ second
    if second is None:
        second = np.linalg.inv(X_I2) @ X_I1 @ first
    return np.stack([first, second])


def _list_couplings(model: Model, tree: Tree, joints: TreeJoints) -> Iterator[JointCoupling]:
    carried = {own.start: body for body, own in enumerate(tree.velocities) if own.stop > own.start}
    for velocity, (name, mimic) in enumerate(zip(joints.names, joints.mimics, strict=True)):
        if mimic is None:
            continue
        terms = mimic.coefficients or (mimic.offset, mimic.multiplier)
        leaders = [k for k, other in enumerate(joints.names) if other == mimic.joint]
        if (mimic.joint and len(leaders) != 1) or not np.all(np.isfinite(terms)):
            raise UsageError(
                f"{model.source.path}: joint {name} follows {mimic.joint}, which does not move or "
                f"is not understood, and has no torque of its own; --locked {name} --locked "
                f"{mimic.joint} hold both, --locked others every joint that is in no recording"
            )
        leader = carried[leaders[0]] if leaders else -1
        follows = f"joint {name} follows {mimic.joint or 'its offset'}"
        yield JointCoupling(follows, carried[velocity], leader, tuple(map(float, terms)))
