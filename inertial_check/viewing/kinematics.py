"""Frames and joints of a scene: the pose of each body in its parent, and how its joint moves it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from inertial_check.files.json import Json
from inertial_check.model import Body, Joint, Model
from inertial_check.model.body import Pose
from inertial_check.model.tree import JOINT_TYPES
from inertial_check.viewing.numbers import encode_number, encode_numbers, is_drawable

_DIGITS = 7
"""Significant digits of a coordinate in a scene: graphics cards compute with float32."""

_IDENTITY = Pose((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def describe_nodes(model: Model) -> tuple[list[Json], list[str]]:
    """Describe the frame and the joint of every body; see Scene.nodes.

    Returns:
        The nodes in the order of the bodies, and notes on poses that are unknown.
    """
    parents = find_parents(model.bodies)
    # Find the index of the body that the joint of each name moves; the first of a shared name.
    found: dict[str, int] = {}
    for index, joints_body in enumerate(model.bodies):
        for joint in joints_body.joints:
            if joint.name:
                found.setdefault(joint.name, index)
    joints = found
    nodes: list[Json] = []
    unknown: list[str] = []
    for body, parent in zip(model.bodies, parents, strict=True):
        pose = body.X_PB if parent is not None else _IDENTITY
        if pose is None or not is_drawable((*pose.p_PoBo_P, *chain(*pose.R_PB))):
            pose = _IDENTITY
            unknown.append(body.name)
        nodes.append(
            {
                "parent": parent,
                "position": encode_numbers(pose.p_PoBo_P, _DIGITS),
                "rotation": encode_numbers(chain(*pose.R_PB), _DIGITS),
                "joint": _describe_joint(body, joints),
            }
        )
    notes = []
    if unknown:
        listed = ", ".join(unknown[:3]) + (", ..." if len(unknown) > 3 else "")
        notes.append(f"pose in the parent unknown, drawn at its origin: {listed}")
    return nodes, notes


def find_parents(bodies: Sequence[Body]) -> list[int | None]:
    """Find the index of the parent of each body; a loop is opened at the body that closes it."""
    index_of = {body.id: index for index, body in enumerate(bodies)}
    parents = [None if body.parent is None else index_of.get(body.parent) for body in bodies]
    rooted: set[int] = set()
    for start in range(len(parents)):
        path: list[int] = []
        on_path: set[int] = set()
        index: int | None = start
        while index is not None and index not in rooted:
            if index in on_path:
                parents[path[-1]] = None
                break
            path.append(index)
            on_path.add(index)
            index = parents[index]
        rooted.update(path)
    return parents


def _describe_joint(body: Body, joints: dict[str, int]) -> Json:
    """Describe the joint of a body; motion is revolute, prismatic, or none where it has no axis."""
    if body.joint is None:
        return None
    stated = body.joints[0] if body.joints else Joint("", body.joint)
    motion = JOINT_TYPES.get(body.joint)
    point = body.p_BoJo_B or (0.0, 0.0, 0.0)
    movable = (
        motion in ("revolute", "prismatic")
        and body.axis_B is not None
        and is_drawable((*body.axis_B, *point))
    )
    mimic = stated.mimic
    followed = None if mimic is None else joints.get(mimic.joint)
    return {
        "name": stated.name or body.name,
        "type": body.joint,
        "motion": motion if movable else "none",
        "axis": encode_numbers(body.axis_B or (0.0, 0.0, 0.0), _DIGITS) if movable else None,
        "point": encode_numbers(point, _DIGITS) if movable else None,
        "lower": encode_number(stated.lower),
        "upper": encode_number(stated.upper),
        "mimic": None
        if mimic is None or followed is None
        else {
            "body": followed,
            "multiplier": encode_number(mimic.multiplier),
            "offset": encode_number(mimic.offset),
        },
    }
