"""Conversion of the bodies and joints of a model to a tree whose dynamics can be computed.

Names, limits, friction and rotors of the joints are returned beside the tree and are in none of its
equations. Springs, and loops that further joints close, are not represented. A joint that mimics
another moves independently in the tree, and a note says so.

The examples of this module continue this session:

>>> import inertial_check as ic
>>> from inertial_check.model import tree
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.tree import INERTIAL_FRAME, JointType, Tree
from inertial_check.errors import UsageError, expect
from inertial_check.inertia.frames import homogeneous
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Body, Joint, Judgement, Mimic, Model
from inertial_check.model.judging import judge
from inertial_check.model.vectors import collect_added_mass
from inertial_check.spatial.rotations import matrix_from_rotation_vector
from inertial_check.spelling import suggest_name

Base = Literal["fixed", "floating"]

WORLD = "world"
"""Name of a URDF link that represents the world."""

JOINT_TYPES: dict[str, JointType] = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "revolute",
    "hinge": "revolute",
    "prismatic": "prismatic",
    "slide": "prismatic",
    "floating": "floating",
    "free": "floating",
}
"""Joint of the tree for each type of joint in the formats."""

_FLOATING = ("vx", "vy", "vz", "wx", "wy", "wz")
"""Suffixes of the names of a floating joint's six velocities."""

_SHOWN = 4
"""Largest number of names that a note lists."""

_NOTHING: Mapping[str, float] = MappingProxyType({})
_UNMOVED = np.eye(4)


class TreeJoints(NamedTuple):
    """Properties of the joints of a tree, one entry for each of its n velocities, in their order.

    A number is NaN if the document states none or it cannot be read, and infinite if the document
    states that there is no limit.

    Attributes:
        names: Names of the joints, or of the body if a joint has none. The six velocities of a
            floating joint have the suffixes .vx, .vy, .vz, .wx, .wy, .wz.
        lower: (n,) least position [rad] or [m].
        upper: (n,) largest position [rad] or [m].
        velocity: (n,) largest speed [rad/s] or [m/s].
        acceleration: (n,) largest acceleration [rad/s^2] or [m/s^2].
        effort: (n,) largest torque or force [N m] or [N].
        damping: (n,) viscous friction [N m s/rad] or [N s/m].
        friction: (n,) Coulomb friction [N m] or [N].
        armature: (n,) inertia of the rotor, as the joint feels it [kg m^2] or [kg].
        mimics: The joint that each follows; None if it follows none.
    """

    names: tuple[str, ...]
    lower: Floats
    upper: Floats
    velocity: Floats
    acceleration: Floats
    effort: Floats
    damping: Floats
    friction: Floats
    armature: Floats
    mimics: tuple[Mimic | None, ...]


class ReadTree(NamedTuple):
    """Tree of a model, with one body for each body of the model, in document order.

    Attributes:
        tree: The tree. Its coordinates are those of the joints in the order of the bodies that they
            move, and zero where the document places the bodies; the frame of each root is the
            inertial frame.
        notes: Assumptions that were made, one line each.
        joints: Properties of the joints, for each velocity of the tree.
    """

    tree: Tree
    notes: tuple[str, ...]
    joints: TreeJoints


def tree_of(model: Model, base: Base = "fixed", locked: Mapping[str, float] = _NOTHING) -> ReadTree:
    """Build the tree of a model.

    Args:
        model: The model as read.
        base: Joint of a root that no joint holds: "fixed" or "floating". A link called world is
            fixed, and so is a body that the document fixes to the world.
        locked: Positions of joints that are locked [rad] or [m], by their names; they are fixed
            joints of the tree. A joint without a name has that of its body.

    Raises:
        UsageError: The model has no tree: a joint has an unknown type or several axes; a pose, an
            axis or an inertia is unknown; a URDF has several roots; bodies form a loop, or float
            on others. The message names the body. Or a joint to be locked does not exist, shares
            its name, or has no axis for a position other than 0.
        DocumentError: A USD stage cannot be composed again.

    Example:
        >>> found = tree.tree_of(ic.load("data/recordings/arm.urdf"))
        >>> print(found.tree.names)
        ('base_link', 'shoulder', 'upper_arm', 'forearm', 'tool0')
        >>> print(found.joints.names)
        ('turn', 'lift', 'bend')
    """
    expect(Model, model=model)
    expect("text", base=base)
    expect("mapping", locked=locked)
    if base not in ("fixed", "floating"):
        raise UsageError(f"base is {base!r}, expected fixed or floating")
    bodies = model.bodies
    if not bodies:
        raise UsageError(f"{model.source.path}: no bodies, so no tree")
    index_of = {body.id: index for index, body in enumerate(bodies)}
    parents = [index_of.get(body.parent or "", INERTIAL_FRAME) for body in bodies]
    _refuse_roots(model, parents)
    judgements = judge(model)
    still = _lock_joints(model, locked)
    joints: list[JointType] = []
    for index, body in enumerate(bodies):
        joint = "fixed" if index in still else _joint(model, body, parents[index], base)
        if joint == "floating" and parents[index] != INERTIAL_FRAME:
            parents[index] = _replace_world(model, index, parents)
        joints.append(joint)
    theta = np.array([_theta(*each, model) for each in zip(bodies, judgements, strict=True)])
    tree = Tree(
        names=[body.name for body in bodies],
        parents=np.array(_check_acyclic(model, parents), dtype=np.intp),
        joints=joints,
        X_PB=np.array([_pose(model, *each) for each in zip(bodies, parents, strict=True)])
        @ np.array([still.get(index, _UNMOVED) for index in range(len(bodies))]),
        axes_B=np.array([body.axis_B or (0.0, 0.0, 1.0) for body in bodies]),
        points_B=np.array([_point(model, *each) for each in zip(bodies, joints, strict=True)]),
        theta=theta,
        added_mass=_added_mass(model),
    )
    named = _tree_joints(tree, bodies)
    return ReadTree(tree, (*_without_mass(model), *_note_mimics(named)), named)


def _added_mass(model: Model) -> Floats:
    """The added mass of the bodies (n, 6, 6).

    Raises:
        UsageError: A number that is not finite.
    """
    found = collect_added_mass(model)
    for body, matrix in zip(model.bodies, found, strict=True):
        if not np.all(np.isfinite(matrix)):
            raise _tree_error(model, body, "its fluid_added_mass is not finite")
    return found


def _refuse_roots(model: Model, parents: list[int]) -> None:
    found = [
        body.name
        for body, parent in zip(model.bodies, parents, strict=True)
        if parent == INERTIAL_FRAME and body.joint is None
    ]
    if model.format in ("urdf", "xacro") and len(found) > 1:
        raise UsageError(
            f"{model.source.path}: {len(found)} roots ({', '.join(found[:4])}"
            f"{', ...' if len(found) > 4 else ''}), expected one: tie the others to it by joints"
        )


def _joint(model: Model, body: Body, parent: int, base: Base) -> JointType:
    if body.joint is None:
        return "fixed" if base == "fixed" or body.name == WORLD else "floating"
    if len(body.joints) > 1:
        names = _list_names([each.name or f"a {each.type}" for each in body.joints])
        what = f"it has {len(body.joints)} joints ({names}), expected one"
        raise _tree_error(
            model, body, f"{what}: put each but the last on a body of its own around this one"
        )
    joint = JOINT_TYPES.get(body.joint)
    if joint is None:
        known = ", ".join(JOINT_TYPES)
        raise _tree_error(model, body, f"its joint is of type {body.joint!r}, expected {known}")
    if joint in ("revolute", "prismatic") and body.axis_B is None:
        raise _tree_error(model, body, "the axis of its joint cannot be read")
    if parent == INERTIAL_FRAME and body.parent is not None:
        raise _tree_error(model, body, f"its parent {body.parent} is not among the bodies")
    return joint


def _replace_world(model: Model, index: int, parents: list[int]) -> int:
    """Replace a parent link that represents the world by the inertial frame."""
    parent = parents[index]
    above = model.bodies[parent]
    if parents[parent] == INERTIAL_FRAME and above.joint is None and above.name == WORLD:
        return INERTIAL_FRAME
    what = f"it floats on {above.name}, expected on a root called {WORLD}"
    raise _tree_error(model, model.bodies[index], what)


def _check_acyclic(model: Model, parents: list[int]) -> list[int]:
    """Return the parents if a root can be reached from every body.

    Raises:
        UsageError: Bodies form a loop, which the message names.
    """
    safe: set[int] = {INERTIAL_FRAME}
    for start in range(len(parents)):
        chain: list[int] = []
        index = start
        while index not in safe:
            if index in chain:
                names = [model.bodies[each].name for each in chain[chain.index(index) :]]
                loop = " -> ".join([*names, names[0]])
                raise UsageError(f"{model.source.path}: a closed loop and no tree: {loop}")
            chain.append(index)
            index = parents[index]
        safe.update(chain)
    return parents


def _pose(model: Model, body: Body, parent: int) -> Floats:
    if parent == INERTIAL_FRAME and (body.X_PB is None or body.parent is not None):
        return np.eye(4)  # the frame of a root is the inertial frame, unless a library places it
    if body.X_PB is None:
        raise _tree_error(model, body, "where it stands in its parent cannot be read")
    X_PB = homogeneous(body.X_PB.R_PB, body.X_PB.p_PoBo_P)
    if not np.all(np.isfinite(X_PB)):
        raise _tree_error(model, body, "where it stands in its parent is not finite")
    return X_PB


def _point(model: Model, body: Body, joint: JointType) -> Floats:
    if joint == "revolute" and body.p_BoJo_B is None:
        raise _tree_error(model, body, "where the axis of its joint is cannot be read")
    return np.array(body.p_BoJo_B or (0.0, 0.0, 0.0))


def _theta(body: Body, judgement: Judgement, model: Model) -> Floats:
    """Compute the ten parameters about the body's origin; zeros without an inertial element."""
    if body.inertia_from == "geometry":
        raise _tree_error(model, body, "it takes its inertia from its geometry")
    if body.inertial is None:
        return np.zeros(10)
    mass, center = judgement.mass, np.array(judgement.p_BoBcm_B)
    about_com = np.array([mass, *(mass * center), *judgement.I_BBcm_B])
    if not np.all(np.isfinite(about_com)):
        raise _tree_error(
            model, body, "its mass, centre of mass or inertia is missing or not finite"
        )

    return np.asarray(InertialParameters.from_theta(about_com, about="com").as_theta())


def list_joints(model: Model) -> list[tuple[str, int]]:
    """List the joints that move: the name of each, and the index of the body that it moves.

    Example:
        >>> print(tree.list_joints(ic.load("data/recordings/arm.urdf")))
        [('turn', 1), ('lift', 2), ('bend', 3)]
    """
    expect(Model, model=model)
    return [
        (_name_of(body), index)
        for index, body in enumerate(model.bodies)
        if body.moved and body.joint is not None
    ]


def _lock_joints(model: Model, positions: Mapping[str, float]) -> dict[int, Floats]:
    """Compute the displacement (4, 4) of each body whose joint is locked."""
    if not positions:
        return {}
    carried: dict[str, list[int]] = {}
    for name, index in list_joints(model):
        carried.setdefault(name, []).append(index)
    moved = {}
    for name, position in positions.items():
        found = carried.get(name, [])
        if len(found) != 1:
            what = f"{len(found)} joints are" if found else "no joint that moves is"
            hint = f"; there are {_list_names(list(carried), most=12)}"
            if not found:
                hint = suggest_name(name, carried, hint)
            raise UsageError(f"{model.source.path}: {what} called {name!r}{hint}")
        moved[found[0]] = _displace(model, model.bodies[found[0]], position)
    return moved


def _displace(model: Model, body: Body, position: float) -> Floats:
    """Compute the pose of a body at a joint position, relative to its pose at 0."""
    X = np.eye(4)
    kind = JOINT_TYPES.get(body.joint or "")
    if position == 0.0:
        return X
    if not np.isfinite(position):
        raise _tree_error(
            model, body, f"its joint is to be locked at {position}, expected a number"
        )
    if kind not in ("revolute", "prismatic") or body.axis_B is None:
        raise _tree_error(model, body, f"its joint cannot be locked at {position:g}, only at 0")
    moved = position * np.array(body.axis_B)
    if kind == "prismatic":
        X[:3, 3] = moved
    else:
        point = _point(model, body, "revolute")
        X[:3, :3] = matrix_from_rotation_vector(moved)
        X[:3, 3] = point - X[:3, :3] @ point
    return X


def _tree_joints(tree: Tree, bodies: Sequence[Body]) -> TreeJoints:
    names: list[str] = []
    stated: list[Joint] = []
    for body, kind in zip(bodies, tree.joints, strict=True):
        if kind == "fixed":
            continue
        joint = body.joints[0] if body.joints else Joint("", kind)
        name = _name_of(body)
        endings = [f".{ending}" for ending in _FLOATING] if kind == "floating" else [""]
        names += [f"{name}{ending}" for ending in endings]
        stated += [joint] * len(endings)

    def numbers(field: str) -> Floats:
        values = (getattr(joint, field) for joint in stated)
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    return TreeJoints(
        names=tuple(names),
        **{field: numbers(field) for field in TreeJoints._fields[1:-1]},
        mimics=tuple(joint.mimic for joint in stated),
    )


def _name_of(body: Body) -> str:
    """Return the name of a body's only joint, or else the name of the body."""
    names = [joint.name for joint in body.joints if joint.name]
    return names[0] if len(names) == 1 else body.name


def _without_mass(model: Model) -> Iterator[str]:
    if bare := [body.name for body in model.bodies if body.inertial is None]:
        yield f"no inertia, so a frame without mass: {_list_names(bare)}"


def _note_mimics(joints: TreeJoints) -> Iterator[str]:
    """Note the joints that follow another one in the document but not in the tree."""
    followers = [
        f"{name} ({mimic.joint or 'its offset'})"
        for name, mimic in zip(joints.names, joints.mimics, strict=True)
        if mimic is not None
    ]
    if followers:
        yield f"follows another joint, but moves by itself here: {_list_names(followers)}"


def _list_names(names: Sequence[str], most: int = _SHOWN) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _tree_error(model: Model, body: Body, reason: str) -> UsageError:
    return UsageError(f"{model.source.path}: {body.name}: {reason}: no tree")
