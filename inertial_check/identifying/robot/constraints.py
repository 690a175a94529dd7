"""Closed loops and following joints of a model, as constraints of its tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.kinematics import poses
from inertial_check.dynamics.loops import Constraint, JointCoupling, LoopClosure
from inertial_check.dynamics.tree import INERTIAL_FRAME, Tree
from inertial_check.errors import UsageError
from inertial_check.inertia import tolerances
from inertial_check.inertia.frames import homogeneous
from inertial_check.model import Model
from inertial_check.model.joint import ClosedLoop, LoopFrame
from inertial_check.model.tree import TreeJoints
from inertial_check.spatial.rotations import quaternion_from_matrix

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
    if not model.loops:
        return
    known = {root.body for root in model.roots}
    X_IB = _place_bodies(model, place_roots(model, placed))
    for loop in model.loops:
        found = [_find(model, *end) for end in zip(loop.bodies, loop.ids, strict=True)]
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
        roots = {_root(tree, body) for body in (first, second)}
        lost = [body for body in roots - {INERTIAL_FRAME} if model.bodies[body].id not in known]
        if len(roots) > 1 and lost:
            raise UsageError(
                f"{model.source.path}: {loop} closes a loop of moving bodies on two roots, and "
                f"where {tree.names[lost[0]]} stands in the world cannot be read: it is not "
                "modelled; put both on one body without a joint, or hold the joints of the loop "
                "with --locked"
            )
        if len(roots - {INERTIAL_FRAME}) > 1:
            _refuse_turned_roots(model, loop, tree, sorted(roots))
        X_I = [np.eye(4) if body == INERTIAL_FRAME else X_IB[body] for body in (first, second)]
        X_BF = _place_frames(loop.frame, X_I[0], X_I[1])
        yield LoopClosure(str(loop), (first, second), X_BF, loop.frame.holds)


def _refuse_turned_roots(model: Model, loop: ClosedLoop, tree: Tree, roots: Sequence[int]) -> None:
    """Refuse two roots whose axes differ: gravity is that of one inertial frame.

    Raises:
        UsageError: They do.
    """
    first, second = (dict(_list_roots(model))[root][:3, :3] for root in roots)
    fixed = [root for root in roots if tree.joints[root] != "floating"]
    if len(fixed) == len(roots) and np.abs(first - second).max() > tolerances.LOOP_OPEN:
        names = " and ".join(tree.names[root] for root in roots)
        raise UsageError(
            f"{model.source.path}: {loop} closes a loop of moving bodies on two roots whose axes "
            f"differ, {names}: gravity has one direction in the axes of both; give them the same "
            "axes, or put both on one body without a joint"
        )


def place_roots(model: Model, tree: Tree) -> Tree:
    """Place the roots of a tree where the model puts them in the world.

    Loops are closed there. A floating root stands where its coordinates say.
    """
    X_PB = np.array(tree.X_PB)
    for body, X_WB in _list_roots(model):
        if tree.parents[body] == INERTIAL_FRAME:
            X_PB[body] = X_WB @ X_PB[body]
    return replace(tree, X_PB=X_PB)


def list_turned_roots(model: Model, tree: Tree) -> tuple[tuple[str, Floats], ...]:
    """List the fixed roots in whose axes gravity does not point along -z.

    Returns:
        The name of each, and the (3,) direction of gravity in its axes.
    """
    down = np.array([0.0, 0.0, -1.0])
    found = []
    for body, X_WB in _list_roots(model):
        direction = X_WB[:3, :3].T @ down
        fixed = tree.parents[body] == INERTIAL_FRAME and tree.joints[body] != "floating"
        if fixed and np.abs(direction - down).max() > tolerances.LOOP_OPEN:
            found.append((tree.names[body], direction))
    return tuple(found)


def _list_roots(model: Model) -> Iterator[tuple[int, Floats]]:
    index_of = {body.id: index for index, body in enumerate(model.bodies)}
    for root in model.roots:
        yield index_of[root.body], homogeneous(root.X_WB.R_PB, root.X_WB.p_PoBo_P)


def _place_bodies(model: Model, tree: Tree) -> Floats:
    """(N, 4, 4) poses of the bodies where the document puts them, also those that float."""
    q = np.array(tree.neutral)
    for body, X_WB in _list_roots(model):
        if tree.joints[body] == "floating":
            q[tree.coordinates[body]] = [*X_WB[:3, 3], *quaternion_from_matrix(X_WB[:3, :3])]
    found: Floats = np.asarray(poses(tree, q[None]))[0]
    return found


def _find(model: Model, name: str, id_: str) -> int | None:
    """Index of a body, -1 for the world; None if no or several bodies have this name."""
    if id_:
        return next((k for k, body in enumerate(model.bodies) if body.id == id_), None)
    names = [body.name for body in model.bodies]
    if name == _WORLD and _WORLD not in names:
        return INERTIAL_FRAME
    return names.index(name) if names.count(name) == 1 else None


def _root(tree: Tree, body: int) -> int:
    """Index of the root that carries a body; that of the inertial frame for the frame itself."""
    while body != INERTIAL_FRAME and tree.parents[body] != INERTIAL_FRAME:
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
