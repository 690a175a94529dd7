"""Robot of an identification: the joints that move, and the bodies that their torques depend on.

Joints that are held during a recording: those that are named, and those that it lacks.

Columns of a recording matched with the joints of a robot.

Names of the joints of a recording, resolved to those of a robot.

Closed loops and following joints of a model, as constraints of its tree.

Bodies on fixed joints merged into one unknown body, and its numbers shared back to them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.checking.shapes.priors import from_model
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.mjcf import compile_bodies
from inertial_check.documents.model import (
    JOINT_TYPES,
    ClosedLoop,
    LoopFrame,
    Model,
    TreeJoints,
    judge,
    list_joints,
    tree_of,
)
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification.options import RobotOptions
from inertial_check.identification.recordings.recording import Recording
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.frames import homogeneous, transform
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.mechanics.equations import GRAVITY
from inertial_check.mechanics.jacobians import poses
from inertial_check.mechanics.loops import Constraint, JointCoupling, LoopClosure
from inertial_check.mechanics.rotations import quaternion_from_matrix
from inertial_check.mechanics.tree import INERTIAL_FRAME, SIZES, Tree
from inertial_check.projection.priors import split_composite
from inertial_check.reports.identification_types import MergedBody, MergedPart, Remark


def resolve_names(names: tuple[str, ...] | None, joints: Sequence[str]) -> tuple[str, ...] | None:
    """Resolve the joints of a recording to those of a robot, where only the spelling differs.

    A name is that of a joint if it is the same, or the only one that is the same without its scope
    (`arm::elbow`), without regard to case, or without the word joint. Names that differ by their
    numbers alone, such as joint_1 to joint_6, count the joints of the robot if none of them is the
    name of one.
    """
    if names is None:
        return None
    found = tuple(_resolve(name, joints) for name in names)
    if len(set(found)) < len(found):
        return names
    if not any(name in joints for name in found):
        parts = [re.fullmatch(r"(.*?)(\d{1,6})", name, re.DOTALL) for name in names]
        if all(parts) and len({part[1].casefold() for part in parts if part}) == 1:
            return tuple(str(int(part[2])) for part in parts if part)
    return found


def _resolve(name: str, joints: Sequence[str]) -> str:
    if name in joints:
        return name
    for simplify in (_leave_scope, lambda text: _leave_scope(text).casefold(), _leave_joint):
        alike = [joint for joint in joints if simplify(joint) == simplify(name)]
        if len(alike) == 1:
            return alike[0]
    return name


def _leave_scope(name: str) -> str:
    return name.rpartition("::")[2].rpartition("/")[2]


def _leave_joint(name: str) -> str:
    """The name without the word joint, which the name of a column may have said of its quantity."""
    return _leave_scope(name).casefold().removesuffix("_joint").removeprefix("joint_")


def list_recorded(recordings: Sequence[Recording]) -> tuple[str, ...]:
    """List the names of all joints that some recording has.

    Raises:
        UsageError: A recording has columns without names, so that nothing says which joints are
            missing.
    """
    names: dict[str, None] = {}
    for recording in recordings:
        if recording.joints is None or are_numbers(recording.joints):
            raise UsageError(
                f"{recording.path}: --locked others needs the names of the joints, and its columns "
                "have numbers only: name them as q_JOINT and tau_JOINT (joints= in an npz), or "
                "give --locked JOINT for each joint that was not recorded"
            )
        names |= dict.fromkeys(recording.joints)
    return tuple(names)


def are_numbers(names: Sequence[str]) -> bool:
    """Decide whether names are only the numbers of the joints."""
    return [name.strip() for name in names] in (
        [str(number) for number in range(len(names))],
        [str(number) for number in range(1, len(names) + 1)],
    )


def complete_locks(
    model: Model, options: RobotOptions, recorded: Collection[str] | None
) -> dict[str, float]:
    """Add the joints that no recording has to those that are locked by name.

    Args:
        model: Model of the robot.
        options: Locked joints, and whether all others are locked, too.
        recorded: Names of the joints in the recordings; None if nothing depends on them.

    Returns:
        Positions of all locked joints [rad or m].

    Raises:
        UsageError: No recorded joint is one of the robot, or a joint that was not recorded follows
            one that was.
    """
    if not options.lock_others or recorded is None:
        return dict(options.locked)
    moving = dict(list_joints(model))
    recorded = resolve_names(tuple(recorded), tuple(moving)) or ()
    if not any(name in recorded for name in moving):
        raise UsageError(
            f"{model.source.path}: --locked others would hold every joint: the recordings have "
            f"{', '.join(recorded)}, and the robot {', '.join(moving)}"
        )
    found = {}
    for name, index in moving.items():
        body = model.bodies[index]
        # A free joint is no joint at rest: a base that floats has to be fixed by its own name.
        if (
            name in recorded
            or name in options.locked
            or JOINT_TYPES.get(body.joint or "") == ("floating")
        ):
            continue
        mimic = body.joints[0].mimic if body.joints else None
        if mimic is not None and mimic.joint in recorded:
            raise UsageError(
                f"{model.source.path}: {name} is in no recording and follows {mimic.joint}, which "
                f"moves: --locked {name} holds it all the same"
            )
        found[name] = 0.0
    return {**options.locked, **found}


def remark_on_locks(
    model: Model, locked: Mapping[str, float], named: Collection[str]
) -> Iterator[Remark]:
    """Remark on each locked joint, and on a position outside its limits.

    Args:
        model: Model of the robot.
        locked: Positions of all locked joints [rad or m].
        named: Names of those that were locked by name, the others being in no recording.
    """
    bodies = dict(list_joints(model))
    for name, position in locked.items():
        if name in named:
            yield Remark(Severity.NOTE, "locked", f"{name} is held at {position:g}")
        else:
            message = (
                f"{name} is in no recording and is held at {position:g}; --locked "
                f"{name}=POSITION holds it elsewhere"
            )
            yield Remark(Severity.NOTE, "locked", message)
        joints = model.bodies[bodies[name]].joints if name in bodies else ()
        for joint in joints[:1]:
            lower, upper = joint.lower, joint.upper
            below = lower is not None and position < lower
            above = upper is not None and position > upper
            if below or above:
                ends = ["none" if end is None else f"{end:g}" for end in (lower, upper)]
                message = (
                    f"{name} is held at {position:g}, outside its limits, {' to '.join(ends)}: "
                    f"--locked {name}=POSITION holds it where it was"
                )
                yield Remark(Severity.WARNING, "locked", message)


_WORLD = "world"


def _list_closures(model: Model, tree: Tree, placed: Tree) -> Iterator[LoopClosure]:
    """List closures; a loop of bodies that no joint moves apart puts no force on any joint."""
    if not model.loops:
        return
    known = {root.body for root in model.roots}
    # (N, 4, 4) poses of the bodies where the document puts them, also those that float.
    rooted = place_roots(model, placed)
    q = np.array(rooted.neutral)
    for body, X_WB in _list_roots(model):
        if rooted.joints[body] == "floating":
            q[rooted.coordinates[body]] = [*X_WB[:3, 3], *quaternion_from_matrix(X_WB[:3, :3])]
    X_IB: Floats = np.asarray(poses(rooted, q[None]))[0]
    for loop in model.loops:
        found = [_find(model, *end) for end in zip(loop.bodies, loop.ids, strict=True)]
        columns = [
            None if body is None else (set() if body == INERTIAL_FRAME else set(tree.columns[body]))
            for body in found
        ]
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


def _list_roots(model: Model) -> Iterator[tuple[int, Floats]]:
    index_of = {body.id: index for index, body in enumerate(model.bodies)}
    for root in model.roots:
        yield index_of[root.body], homogeneous(root.X_WB.R_PB, root.X_WB.p_PoBo_P)


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


class MergeGroup(NamedTuple):
    """Bodies that no joint moves apart, which are identified as one.

    Attributes:
        parent: Index of the body in whose frame the one is identified.
        children: Indices of the others.
        X_PC: (k, 4, 4) their poses in the frame of the parent.
    """

    parent: int
    children: tuple[int, ...]
    X_PC: Floats


def find_groups(tree: Tree, bodies: Sequence[int]) -> tuple[MergeGroup, ...]:
    """Find the bodies that joints do not move apart: fixed joints, and joints that are locked.

    Args:
        tree: Tree of all bodies.
        bodies: Indices of the bodies to identify, ascending; frames without mass join no group.
    """
    together: dict[int, list[tuple[int, Floats]]] = {}
    for body in bodies:
        # Find the body that a joint moves and that carries this one, and the pose in its frame.
        carrier, X = body, np.eye(4)
        while SIZES[tree.joints[carrier]][1] == 0 and tree.parents[carrier] >= 0:
            X = np.asarray(tree.X_PB[carrier]) @ X
            carrier = int(tree.parents[carrier])
        together.setdefault(carrier, []).append((body, X))
    groups = []
    for carrier, members in together.items():
        (parent, X_P), *others = sorted(members, key=lambda own: (own[0] != carrier, own[0]))
        if others:
            poses = np.linalg.inv(X_P) @ np.array([X for _, X in others])
            groups.append(MergeGroup(parent, tuple(body for body, _ in others), poses))
    return tuple(groups)


def merge_tree(tree: Tree, groups: Sequence[MergeGroup]) -> Tree:
    """Give the inertia of every group to its parent; its children become frames without mass."""
    return replace(tree, theta=merge_theta(tree.theta, groups))


def merge_theta(every: Floats, groups: Sequence[MergeGroup]) -> Floats:
    """Give the parameters (N, 10) of every group to its parent; its children have zeros then."""
    theta = np.array(every)
    for group in groups:
        own = list(group.children)
        theta[group.parent] += np.asarray(transform(theta[own], group.X_PC)).sum(axis=0)
        theta[own] = 0.0
    return theta


def split_bodies(
    model: Model, bodies: Sequence[int], groups: Sequence[MergeGroup], theta: Floats
) -> tuple[MergedBody, ...]:
    """Share the identified numbers of merged bodies back to their parts.

    Args:
        model: Model with the numbers that the parts have in the file.
        bodies: Indices of the identified bodies.
        groups: Groups of bodies that were merged.
        theta: (L, 10) identified bodies, perhaps with further ones after them.
    """
    found = []
    for group in groups:
        members = (group.parent, *group.children)
        try:
            own = from_model(model, [model.bodies[index].id for index in members])
        except ParameterError:  # numbers that no file states, as those of a format's default
            own = InertialParameters.from_theta(tree_of(model).tree.theta[list(members)])
        composite = theta[list(bodies).index(group.parent)]
        split = split_composite(composite, np.asarray(own.as_theta())[0], own[1:], group.X_PC)
        parts = []
        for k, index in enumerate(members):
            body, part = model.bodies[index], InertialParameters.from_theta(split.theta[k])
            parts.append(
                MergedPart(
                    body.name,
                    body.id,
                    split.method == "remainder" and k > 0,
                    float(part.mass),
                    tuple(np.asarray(part.com).tolist()),
                    tuple(np.asarray(part.as_theta(about="com"))[4:].tolist()),
                    tuple(split.theta[k].tolist()),
                )
            )
        found.append(MergedBody(model.bodies[group.parent].name, split.method, tuple(parts)))
    return tuple(found)


def remark_on_merged(merged: Sequence[MergedBody]) -> Iterator[Remark]:
    """Remark on how the numbers of each merged body are shared."""
    for each in merged:
        children = ", ".join(part.name for part in each.parts[1:])
        masses = ", ".join(f"{part.name} {part.mass:.4g} kg" for part in each.parts)
        one = f"{each.name} is one body with {children}, which no joint moves apart from it"
        if each.method == "remainder":
            message = f"{one}; these keep the numbers of the file, {each.name} has the rest"
            yield Remark(Severity.NOTE, "merged", f"{message}: {masses}")
        elif each.method == "nearest":
            message = (
                f"{one}; less the numbers of the file for {children} it is no consistent body, so "
                "all are changed, to the nearest consistent bodies that add up to it"
            )
            yield Remark(Severity.WARNING, "merged", f"{message}: {masses}")
        else:
            message = (
                f"{one}; it is at the edge of what is consistent, so each is a copy of it with a "
                "share of its mass; --margin keeps it off the edge"
            )
            yield Remark(Severity.WARNING, "merged", f"{message}: {masses}")


def list_numbers(
    model: Model, bodies: Sequence[int], theta: Floats, merged: Sequence[MergedBody]
) -> dict[str, Floats]:
    """List the numbers to write, by the ids of bodies; parts that keep theirs are left out."""
    numbers = {model.bodies[index].id: own for index, own in zip(bodies, theta, strict=False)}
    for each in merged:
        changed = [part for part in each.parts if not part.kept]
        numbers |= {part.id: np.array(part.theta) for part in changed}
    return numbers


_UNITS = {"revolute": "N m", "prismatic": "N"}


class Robot(NamedTuple):
    """A robot whose joints are those that the recordings have.

    Attributes:
        model: Model of the file.
        tree: Tree of all bodies; locked joints are fixed where they are held.
        joints: Name of the joint of each velocity: its own, or that of the body it moves.
        every: Names of these joints and the locked ones, in the order of the bodies.
        units: Unit of the torque of each velocity: "N m", or "N" for prismatic joints.
        limits: (n, 2) least and largest position of each joint; infinite if none is stated.
        bodies: Indices of the bodies to identify, ascending.
        left: Name of every other body, and the reason why it stays as it is written.
        remarks: Remarks on what was assumed.
        stated: Properties of the joints that the file states, an entry for each joint.
        velocities: Index of the tree's velocity of each joint.
        coordinates: Index of the tree's coordinate of each joint.
        base: Index of the body that floats; None if none does.
        loops: Constraints of closed loops and of joints that follow others.
        groups: Bodies that are merged into one; those merged into others are none of `bodies`, and
            frames without mass in `tree`.
        gravity: (3,) acceleration of gravity in the axes of the base [m/s^2].
    """

    model: Model
    tree: Tree
    joints: tuple[str, ...]
    every: tuple[str, ...]
    units: tuple[str, ...]
    limits: Floats
    bodies: tuple[int, ...]
    left: tuple[tuple[str, str], ...]
    remarks: tuple[Remark, ...]
    stated: TreeJoints
    velocities: tuple[int, ...]
    coordinates: tuple[int, ...]
    base: int | None = None
    loops: tuple[Constraint, ...] = ()
    groups: tuple[MergeGroup, ...] = ()
    gravity: tuple[float, ...] = GRAVITY

    @property
    def loop_tree(self) -> Tree:
        """Tree whose roots stand where the file puts them in the world: loops are closed there."""
        return place_roots(self.model, self.tree)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies to identify; ids where names repeat."""
        return self._name(self.bodies)

    @property
    def parts(self) -> tuple[int, ...]:
        """Indices of the bodies to identify and of those merged into them, ascending."""
        merged = [body for group in self.groups for body in group.children]
        return tuple(sorted([*self.bodies, *merged]))

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of `parts`; ids where names repeat."""
        return self._name(self.parts)

    def _name(self, bodies: Sequence[int]) -> tuple[str, ...]:
        every = [body.name for body in self.model.bodies]
        chosen = [self.model.bodies[index] for index in bodies]
        return tuple(body.name if every.count(body.name) == 1 else body.id for body in chosen)

    def body(self, name: str, option: str) -> int:
        """Return the place of a body among `bodies`, by name or id.

        Raises:
            UsageError: No body or several have this name.
        """
        found = [
            place
            for place, index in enumerate(self.bodies)
            if name in (self.model.bodies[index].name, self.model.bodies[index].id)
        ]
        if len(found) == 1:
            return found[0]
        # Refuse the name of a body that is merged into another.
        for group in self.groups:
            for index in group.children:
                body, parent = (self.model.bodies[k] for k in (index, group.parent))
                if name in (body.name, body.id):
                    raise UsageError(
                        f"{option}: {name!r} is merged into {parent.name}, from which no "
                        f"joint moves it apart: give {parent.name}, for both together"
                    )
        why = dict(self.left).get(name)
        identified = f"; identified are {', '.join(self.names)}"
        what = (
            f"is left as it is written: {why}{identified}"
            if why is not None
            else f"is the name of several bodies: give the id of one{identified}"
            if found
            else f"is no body of the robot{suggest_name(name, self.names, identified)}"
        )
        raise UsageError(f"{option}: {name!r} {what}")

    def joint(self, name: str, option: str) -> int:
        """Return the index of a joint, by name or by its number from 1.

        Raises:
            UsageError: No joint has this name.
        """
        if name in self.joints:
            return self.joints.index(name)
        if name.isdecimal() and 1 <= int(name) <= len(self.joints):
            return int(name) - 1
        hint = suggest_name(name, self.joints, f"; there are {list_some(self.joints)}")
        raise UsageError(f"{option}: {name!r} is no joint of the recordings{hint}")


def read_robot(
    path: str,
    context: Context,
    options: RobotOptions,
    recorded: Collection[str] | None = None,
) -> Robot:
    """Read a robot.

    Args:
        path: Path of its file.
        context: Folders and arguments that the file refers to.
        options: Robot while it was recorded.
        recorded: Names of the joints in the recordings, for joints that are locked because no
            recording has them.

    Raises:
        DocumentError: The file cannot be read, or is no robot model.
        UsageError: It has no tree, a joint of an unknown type, or nothing to identify.
    """
    model = load(path, context=context)
    locked = complete_locks(model, options, recorded)
    tree, notes, joints = tree_of(model, options.base, locked)
    path = model.source.path
    base = _find_base(path, tree, options)
    carried = [body for body, joint in enumerate(tree.joints) if SIZES[joint][1] == 1]
    velocities = tuple(tree.velocities[body].start for body in carried)
    if not carried:
        raise UsageError(f"{path}: no joint moves anything, so there is nothing to identify")
    placed = tree_of(model, options.base).tree if locked else tree
    loops: tuple[Constraint, ...] = (
        *_list_closures(model, tree, placed),
        *_list_couplings(model, tree, joints),
    )
    bodies, left = _split_bodies(model, tree)
    if not bodies:
        raise UsageError(
            f"{path}: no body that a joint moves has a mass, so there is nothing to identify; "
            "write an inertial for each, if only a rough one"
        )
    gravity, said = _read_gravity(model, tree, options)
    if compile_bodies(model, judge(model)).note:
        said.append(Remark(Severity.NOTE, "compiled", notes[0]))
    remarks = (
        *_remark_on_model(model, tree),
        *said,
        *remark_on_locks(model, locked, options.locked),
    )
    groups = find_groups(tree, bodies) if options.merge_fixed else ()
    merged = {body for group in groups for body in group.children}
    limits = np.stack([joints.lower, joints.upper], axis=1)
    return Robot(
        model,
        merge_tree(tree, groups) if groups else tree,
        tuple(joints.names[velocity] for velocity in velocities),
        tuple(
            name
            for name, body in list_joints(model)
            if JOINT_TYPES[model.bodies[body].joint or ""] != "floating"
        ),
        tuple(_UNITS[tree.joints[body]] for body in carried),
        np.where(np.isnan(limits), [-np.inf, np.inf], limits)[list(velocities)],
        tuple(body for body in bodies if body not in merged),
        tuple(left),
        remarks,
        TreeJoints(*(_select(values, velocities) for values in joints)),
        velocities,
        tuple(tree.coordinates[body].start for body in carried),
        base,
        loops,
        groups,
        gravity,
    )


def _find_base(path: str, tree: Tree, options: RobotOptions) -> int | None:
    """Find the body that floats.

    Raises:
        UsageError: One floats although the base is fixed, several float, or none does although the
            base floats.
    """
    free = [body for body, joint in enumerate(tree.joints) if joint == "floating"]
    if options.base == "fixed" and free:
        raise UsageError(
            f"{path}: {tree.names[free[0]]} floats: give --base floating, with the pose of the "
            "base and the contact wrenches in the recording; or tie it to the world by a fixed "
            "joint"
        )
    if len(free) > 1:
        names = ", ".join(tree.names[body] for body in free[:4])
        raise UsageError(f"{path}: {len(free)} bodies float ({names}), expected one base")
    if options.base == "floating" and not free:
        raise UsageError(
            f"{path}: --base floating: the root is tied to the world, so no body floats; leave out "
            "--base"
        )
    return free[0] if free else None


def _split_bodies(model: Model, tree: Tree) -> tuple[list[int], list[tuple[str, str]]]:
    """Split the bodies into those to identify, and the others with the reason."""
    chosen, left = [], []
    for index, body in enumerate(model.bodies):
        if not np.any(tree.theta[index]):
            left.append((body.name, "without mass"))
        elif not tree.columns[index]:
            left.append((body.name, "no joint moves it"))
        else:
            chosen.append(index)
    return chosen, left


def _read_gravity(
    model: Model, tree: Tree, options: RobotOptions
) -> tuple[tuple[float, ...], list[Remark]]:
    """Read gravity in the axes of the base, and remark on what no option states.

    A file states it in the axes of the world, in which it may turn the base; without a statement
    it is taken along the -z of the base's own axes.
    """
    if options.gravity is not None:
        return options.gravity, []
    taken = model.gravity or GRAVITY
    strength, remarks = float(np.linalg.norm(taken)), list[Remark]()
    down = np.array(taken) / (strength or 1.0)
    for body, X_WB in _list_roots(model):
        direction = X_WB[:3, :3].T @ down
        fixed = tree.parents[body] == INERTIAL_FRAME and tree.joints[body] != "floating"
        if not fixed or np.abs(direction - down).max() <= tolerances.LOOP_OPEN:
            continue
        turned = tuple((strength * direction.round(9) + 0.0).tolist())
        if model.gravity is not None:
            taken = turned
            break
        vector = ",".join(f"{number:.6g}" for number in turned)
        message = (
            f"{tree.names[body]} is turned in the world, and gravity is taken along the -z of its "
            f"own axes: if the robot stood as the file places it, --gravity={vector}"
        )
        remarks.append(Remark(Severity.WARNING, "turned-base", message))
    if taken != GRAVITY:
        vector = ",".join(f"{number:.6g}" for number in taken)
        message = (
            f"gravity is {vector} m/s^2 in the axes of the base, by the file's <option gravity>"
        )
        remarks.append(Remark(Severity.NOTE, "gravity", f"{message}; --gravity states another"))
    return taken, remarks


def _remark_on_model(model: Model, tree: Tree) -> list[Remark]:
    """Remark on missing and default inertias."""
    remarks = []
    bare = [
        body.name
        for index, body in enumerate(model.bodies)
        if tree.columns[index] and body.moved and not np.any(tree.theta[index])
    ]
    if bare:
        message = (
            f"a joint moves {list_some(bare)}, without mass in the file: what it weighs is "
            "given to its neighbours; write an inertial to have it identified"
        )
        remarks.append(Remark(Severity.WARNING, "no-inertia", message))
    default = [body.name for body in model.bodies if body.inertia_from == "default"]
    if default:
        remarks.append(
            Remark(
                Severity.WARNING,
                "default-inertia",
                f"the format's default stands in for the inertia of {list_some(default)}",
            )
        )
    return remarks


def refuse_loops(robot: Robot) -> None:
    """Refuse a robot with closed loops or joints that follow others.

    Raises:
        UsageError: There is one. The message names it.
    """
    if robot.loops:
        raise UsageError(
            f"{robot.model.source.path}: {robot.loops[0].name}: this command does not model "
            "closed loops: hold their joints with --locked"
        )


def _select(values: Any, rows: Sequence[int]) -> Any:  # noqa: ANN401 - a tuple or an array
    """Choose rows of one field of the joints."""
    return tuple(values[row] for row in rows) if isinstance(values, tuple) else values[list(rows)]


def list_some(names: Sequence[str], most: int = 12) -> str:
    """List names for a message, the first ones of many; none if there are none."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}" or "none"


def match_joints(recording: Recording, robot: Robot) -> list[int]:
    """Find the column of a recording for each joint of the robot.

    Raises:
        UsageError: They are not the same joints.
    """
    count, names = len(robot.joints), resolve_names(recording.joints, robot.every)
    if names is None or are_numbers(names):
        if recording.count == len(robot.every):
            return [place for place, name in enumerate(robot.every) if name in robot.joints]
        if recording.count != count:
            raise UsageError(
                f"{recording.path}: {recording.count} joints, and the robot has {count} that move: "
                f"{', '.join(robot.joints)}; --locked JOINT holds one that was not recorded"
            )
        return list(range(count))
    missing = [joint for joint in robot.joints if joint not in names]
    if missing:
        raise UsageError(
            f"{recording.path}: nothing of {', '.join(missing)}; it has {', '.join(names)}, and "
            f"the robot {', '.join(robot.joints)}; --locked others holds all that were not "
            f"recorded at 0, --locked {missing[0]}=POSITION one of them where it was"
        )
    further = [name for name in names if name not in robot.every]
    if further and not recording.has_others:
        raise UsageError(
            f"{recording.path}: {', '.join(further)}: no such joint of the robot moves; there are "
            f"{', '.join(robot.joints)}"
        )
    return [names.index(joint) for joint in robot.joints]
