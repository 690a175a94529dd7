"""From the bodies and joints of a model to the tree whose dynamics can be computed.

The tree is that of bodies and free joints. What the document says beside them of its joints, their
names, limits, friction and rotors, stands beside the tree and is in none of its equations; springs
and the loops that further joints close are not told. A joint that mimics another moves by itself
in the tree, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.tree import INERTIAL_FRAME, JointType, Tree
from inertial_check.errors import UsageError
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Body, Joint, Judgement, Mimic, Model
from inertial_check.model.judging import judge
from inertial_check.spatial.rotations import matrix_from_rotation_vector

Base = Literal["fixed", "floating"]

WORLD = "world"
"""Name of a link of a URDF that stands for the world."""

_JOINTS: dict[str, JointType] = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "revolute",
    "hinge": "revolute",
    "prismatic": "prismatic",
    "slide": "prismatic",
    "floating": "floating",
    "free": "floating",
}


_FLOATING = ("vx", "vy", "vz", "wx", "wy", "wz")
"""What follows the name of a floating joint in those of its velocities."""

_SHOWN = 4
"""Of the names in a note."""

_NOTHING: Mapping[str, float] = MappingProxyType({})
_UNMOVED = np.eye(4)


class TreeJoints(NamedTuple):
    """What a document says of the n velocities of a tree, one entry each, in their order.

    A number is NaN where the document does not say or cannot be read, and infinite where it says
    that there is no limit.

    Attributes:
        names: Of the joints; of the body where a joint has none. The six velocities of a floating
            joint have .vx, .vy, .vz, .wx, .wy, .wz behind it.
        lower: (n,) least position [rad] or [m].
        upper: (n,) largest position [rad] or [m].
        velocity: (n,) largest speed [rad/s] or [m/s].
        acceleration: (n,) largest acceleration [rad/s^2] or [m/s^2].
        effort: (n,) largest torque or force [N m] or [N].
        damping: (n,) viscous friction [N m s/rad] or [N s/m].
        friction: (n,) Coulomb friction [N m] or [N].
        armature: (n,) inertia of the rotor, as the joint feels it [kg m^2] or [kg].
        mimics: The joint that each follows; None where it moves by itself.
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
    """The tree of a model, one body for each of the model's, in document order.

    Attributes:
        tree: The coordinates are those of the joints in the order of the bodies that they move,
            counted from where the document places them; the frame of each root is that of I.
        notes: What was taken for granted, one line each.
        joints: What the document says of the velocities of the tree.
    """

    tree: Tree
    notes: tuple[str, ...]
    joints: TreeJoints


def tree_of(model: Model, base: Base = "fixed", locked: Mapping[str, float] = _NOTHING) -> ReadTree:
    """The tree of a model.

    Args:
        model: As read.
        base: What becomes of a root that no joint holds: "fixed" or "floating". A link called
            world is fixed, and so is what the document ties to the world.
        locked: Positions of joints that do not move [rad] or [m], by their names: fixed joints of
            the tree. A joint without a name of its own goes by that of its body.

    Raises:
        UsageError: There is none: a joint of another type, or of several axes; a pose, an axis or
            an inertia that cannot be told; in a URDF several roots; bodies in a loop, or floating
            on others. Names the body. Or a joint to be locked does not exist, has no axis for a
            position other than 0, or shares its name.
        DocumentError: A USD stage cannot be composed again.
    """
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
            parents[index] = _world_instead(model, index, parents)
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
    )
    named = _tree_joints(tree, bodies)
    return ReadTree(tree, (*_without_mass(model), *_note_mimics(named)), named)


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
    joint = _JOINTS.get(body.joint)
    if joint is None:
        known = ", ".join(_JOINTS)
        raise _tree_error(model, body, f"its joint is of type {body.joint!r}, expected {known}")
    if joint in ("revolute", "prismatic") and body.axis_B is None:
        raise _tree_error(model, body, "it has several joints, or one whose axis cannot be read")
    if parent == INERTIAL_FRAME and body.parent is not None:
        raise _tree_error(model, body, f"its parent {body.parent} is not among the bodies")
    return joint


def _world_instead(model: Model, index: int, parents: list[int]) -> int:
    """The inertial frame in place of a link that stands for it."""
    parent = parents[index]
    above = model.bodies[parent]
    if parents[parent] == INERTIAL_FRAME and above.joint is None and above.name == WORLD:
        return INERTIAL_FRAME
    what = f"it floats on {above.name}, expected on a root called {WORLD}"
    raise _tree_error(model, model.bodies[index], what)


def _check_acyclic(model: Model, parents: list[int]) -> list[int]:
    """The parents, which lead to a root from everywhere.

    Raises:
        UsageError: They do not; names the bodies of the loop.
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
    X_PB = np.eye(4)
    if parent == INERTIAL_FRAME:
        return X_PB
    if body.X_PB is None:
        raise _tree_error(model, body, "where it stands in its parent cannot be read")
    X_PB[:3, :3], X_PB[:3, 3] = body.X_PB.R_PB, body.X_PB.p_PoBo_P
    if not np.all(np.isfinite(X_PB)):
        raise _tree_error(model, body, "where it stands in its parent is not finite")
    return X_PB


def _point(model: Model, body: Body, joint: JointType) -> Floats:
    if joint == "revolute" and body.p_BoJo_B is None:
        raise _tree_error(model, body, "where the axis of its joint is cannot be read")
    return np.array(body.p_BoJo_B or (0.0, 0.0, 0.0))


def _theta(body: Body, judgement: Judgement, model: Model) -> Floats:
    """The ten numbers about the body's origin; zeros where the document has none."""
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


def _lock_joints(model: Model, positions: Mapping[str, float]) -> dict[int, Floats]:
    """How far each body is moved whose joint is locked: (4, 4) from where it is placed."""
    if not positions:
        return {}
    carried: dict[str, list[int]] = {}
    for index, body in enumerate(model.bodies):
        if body.moved and body.joint is not None:
            carried.setdefault(_name_of(body), []).append(index)
    moved = {}
    for name, position in positions.items():
        found = carried.get(name, [])
        if len(found) != 1:
            what = f"{len(found)} joints are" if found else "no joint that moves is"
            known = _list_names(list(carried), most=12)
            raise UsageError(f"{model.source.path}: {what} called {name!r}; there are {known}")
        moved[found[0]] = _displace(model, model.bodies[found[0]], position)
    return moved


def _displace(model: Model, body: Body, position: float) -> Floats:
    """The pose of a body at a position of its joint, in its frame at 0."""
    X = np.eye(4)
    kind = _JOINTS.get(body.joint or "")
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
    """The name of the joint that moves a body; the body's, where there is no single other."""
    names = [joint.name for joint in body.joints if joint.name]
    return names[0] if len(names) == 1 else body.name


def _without_mass(model: Model) -> Iterator[str]:
    if bare := [body.name for body in model.bodies if body.inertial is None]:
        yield f"no inertia, so a frame without mass: {_list_names(bare)}"


def _note_mimics(joints: TreeJoints) -> Iterator[str]:
    """What the tree does not do that the document says of its joints."""
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
