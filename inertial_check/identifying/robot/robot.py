"""Robot of an identification: the joints that move, and the bodies that their torques depend on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.equations import GRAVITY
from inertial_check.dynamics.loops import Constraint
from inertial_check.dynamics.tree import SIZES, Tree
from inertial_check.errors import UsageError
from inertial_check.formats import Context, load
from inertial_check.identifying.options import RobotOptions
from inertial_check.identifying.robot.constraints import (
    list_constraints,
    list_turned_roots,
    place_roots,
)
from inertial_check.identifying.robot.locking import complete_locks, remark_on_locks
from inertial_check.identifying.robot.merging import MergeGroup, find_groups, merge_tree
from inertial_check.model import Model, Severity
from inertial_check.model.identified import Remark
from inertial_check.model.tree import JOINT_TYPES, TreeJoints, list_joints, tree_of
from inertial_check.spelling import suggest_name

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
        self._refuse_children(name, option)
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

    def _refuse_children(self, name: str, option: str) -> None:
        """Refuse the name of a body that is merged into another.

        Raises:
            UsageError: It is one; the message names the other.
        """
        for group in self.groups:
            for index in group.children:
                body, parent = (self.model.bodies[k] for k in (index, group.parent))
                if name in (body.name, body.id):
                    raise UsageError(
                        f"{option}: {name!r} is merged into {parent.name} by --merge-fixed: give "
                        f"{parent.name}, for both together"
                    )

    def joint(self, name: str, option: str) -> int:
        """Return the index of a joint, by name or by its number from 1.

        Raises:
            UsageError: No joint has this name.
        """
        if name in self.joints:
            return self.joints.index(name)
        if name.isdecimal() and 1 <= int(name) <= len(self.joints):
            return int(name) - 1
        hint = suggest_name(name, self.joints, f"; there are {_list(self.joints)}")
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
    tree, _, joints = tree_of(model, options.base, locked)
    path = model.source.path
    base = _find_base(path, tree, options)
    carried = [body for body, joint in enumerate(tree.joints) if SIZES[joint][1] == 1]
    velocities = tuple(tree.velocities[body].start for body in carried)
    if not carried:
        raise UsageError(f"{path}: no joint moves anything, so there is nothing to identify")
    placed = tree_of(model, options.base).tree if locked else tree
    loops = list_constraints(model, tree, joints, placed)
    bodies, left = _split_bodies(model, tree)
    if not bodies:
        raise UsageError(
            f"{path}: no body that a joint moves has a mass, so there is nothing to identify; "
            "write an inertial for each, if only a rough one"
        )
    remarks = (
        *_remark_on_model(model, tree),
        *_remark_on_gravity(model, tree, options),
        *remark_on_locks(model, locked, options.locked),
    )
    groups = find_groups(tree, bodies) if options.merge_fixed else ()
    merged = {body for group in groups for body in group.children}
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
        np.stack([_fill(joints.lower, -np.inf), _fill(joints.upper, np.inf)], axis=1)[
            list(velocities)
        ],
        tuple(body for body in bodies if body not in merged),
        tuple(left),
        remarks,
        TreeJoints(*(_select(values, velocities) for values in joints)),
        velocities,
        tuple(tree.coordinates[body].start for body in carried),
        base,
        loops,
        groups,
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


def _remark_on_gravity(model: Model, tree: Tree, options: RobotOptions) -> Iterator[Remark]:
    """Remark on a base that the file turns in the world, whose gravity nobody has stated."""
    turned = list_turned_roots(model, tree) if options.gravity is None else ()
    for name, direction in turned:
        vector = ",".join(f"{number:.6g}" for number in -GRAVITY[2] * direction.round(9) + 0.0)
        yield Remark(
            Severity.WARNING,
            "turned-base",
            f"{name} is turned in the world, and gravity is taken along the -z of its own axes: if "
            f"the robot stood as the file places it, --gravity={vector}",
        )


def _remark_on_model(model: Model, tree: Tree) -> list[Remark]:
    """Remark on missing and default inertias."""
    remarks = []
    bare = [
        body.name
        for index, body in enumerate(model.bodies)
        if tree.columns[index] and body.moved and not np.any(tree.theta[index])
    ]
    if bare:
        remarks.append(
            Remark(
                Severity.WARNING,
                "no-inertia",
                f"a joint moves {_list(bare)}, without mass in the file: what it weighs is "
                "given to its neighbours; write an inertial to have it identified",
            )
        )
    default = [body.name for body in model.bodies if body.inertia_from == "default"]
    if default:
        remarks.append(
            Remark(
                Severity.WARNING,
                "default-inertia",
                f"the format's default stands in for the inertia of {_list(default)}",
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


def _fill(limits: Floats, default: float) -> Floats:
    """Replace limits that are not known (NaN) by a default."""
    return np.where(np.isnan(limits), default, limits)


def _list(names: Sequence[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}" or "none"
