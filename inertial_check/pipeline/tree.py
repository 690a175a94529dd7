"""From the bodies and joints of a model to the tree whose dynamics can be computed.

What a reader does not tell is not in the tree: joints that mimic others move by themselves, loops
that further joints close are open, and rotors, springs and dampers are left out.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.dynamics.tree import INERTIAL_FRAME, JointType, Tree
from inertial_check.errors import UsageError
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Body, Judgement, Model
from inertial_check.pipeline.judge import judge

Floats = npt.NDArray[np.float64]

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


class ReadTree(NamedTuple):
    """The tree of a model, one body for each of the model's, in document order.

    Attributes:
        tree: The coordinates are those of the joints in the order of the bodies that they move,
            counted from where the document places them; the frame of each root is that of I.
        notes: What was taken for granted, one line each.
    """

    tree: Tree
    notes: tuple[str, ...]


def tree_of(model: Model, base: Base = "fixed") -> ReadTree:
    """The tree of a model.

    Args:
        model: As read.
        base: What becomes of a root that no joint holds: "fixed" or "floating". A link called
            world is fixed, and so is what the document ties to the world.

    Raises:
        UsageError: There is none: a joint of another type, or of several axes; a pose, an axis or
            an inertia that cannot be told; in a URDF several roots; bodies in a loop, or floating
            on others. Names the body.
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
    joints: list[JointType] = []
    for index, body in enumerate(bodies):
        joint = _joint(model, body, parents[index], base)
        if joint == "floating" and parents[index] != INERTIAL_FRAME:
            parents[index] = _world_instead(model, index, parents)
        joints.append(joint)
    theta = np.array([_theta(*each, model) for each in zip(bodies, judgements, strict=True)])
    tree = Tree(
        names=[body.name for body in bodies],
        parents=_opened(model, parents),
        joints=joints,
        X_PB=np.array([_pose(model, *each) for each in zip(bodies, parents, strict=True)]),
        axes_B=np.array([body.axis_B or (0.0, 0.0, 1.0) for body in bodies]),
        points_B=np.array([_point(model, *each) for each in zip(bodies, joints, strict=True)]),
        theta=theta,
    )
    return ReadTree(tree, tuple(_notes(model)))


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
        raise _refused(model, body, f"its joint is of type {body.joint!r}, expected {known}")
    if joint in ("revolute", "prismatic") and body.axis_B is None:
        raise _refused(model, body, "it has several joints, or one whose axis cannot be read")
    if parent == INERTIAL_FRAME and body.parent is not None:
        raise _refused(model, body, f"its parent {body.parent} is not among the bodies")
    return joint


def _world_instead(model: Model, index: int, parents: list[int]) -> int:
    """The inertial frame in place of a link that stands for it."""
    parent = parents[index]
    above = model.bodies[parent]
    if parents[parent] == INERTIAL_FRAME and above.joint is None and above.name == WORLD:
        return INERTIAL_FRAME
    what = f"it floats on {above.name}, expected on a root called {WORLD}"
    raise _refused(model, model.bodies[index], what)


def _opened(model: Model, parents: list[int]) -> list[int]:
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
        raise _refused(model, body, "where it stands in its parent cannot be read")
    X_PB[:3, :3], X_PB[:3, 3] = body.X_PB.R_PB, body.X_PB.p_PoBo_P
    if not np.all(np.isfinite(X_PB)):
        raise _refused(model, body, "where it stands in its parent is not finite")
    return X_PB


def _point(model: Model, body: Body, joint: JointType) -> Floats:
    if joint == "revolute" and body.p_BoJo_B is None:
        raise _refused(model, body, "where the axis of its joint is cannot be read")
    return np.array(body.p_BoJo_B or (0.0, 0.0, 0.0))


def _theta(body: Body, judgement: Judgement, model: Model) -> Floats:
    """The ten numbers about the body's origin; zeros where the document has none."""
    if body.inertia_from == "geometry":
        raise _refused(model, body, "it takes its inertia from its geometry")
    if body.inertial is None:
        return np.zeros(10)
    mass, center = judgement.mass, np.array(judgement.p_BoBcm_B)
    about_com = np.array([mass, *(mass * center), *judgement.I_BBcm_B])
    if not np.all(np.isfinite(about_com)):
        raise _refused(model, body, "its mass, centre of mass or inertia is missing or not finite")

    theta: Floats = InertialParameters.from_theta(about_com, about="com").as_theta()
    return theta


def _notes(model: Model) -> list[str]:
    bare = [body.name for body in model.bodies if body.inertial is None]
    if not bare:
        return []
    shown = ", ".join(bare[:4]) + (", ..." if len(bare) > 4 else "")
    return [f"no inertia, so a frame without mass: {shown}"]


def _refused(model: Model, body: Body, reason: str) -> UsageError:
    return UsageError(f"{model.source.path}: {body.name}: {reason}: no tree")
