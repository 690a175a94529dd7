"""Poses of the bodies of a model where its joints have given positions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.errors import ParameterError
from inertial_check.evidence.twins import world_poses
from inertial_check.inertia.frames import homogeneous
from inertial_check.model import Body, Model
from inertial_check.model.body import Pose
from inertial_check.model.tree import JOINT_TYPES
from inertial_check.spatial.rotations import matrix_from_rotation_vector
from inertial_check.spelling import suggest_name

_TURNING = ("revolute", "prismatic")


def place_bodies(model: Model, positions: Mapping[str, float]) -> tuple[Floats, Integers]:
    """Place the bodies of a model.

    Args:
        model: The model.
        positions: Positions of joints by name [rad] or [m]; the others stand at zero. A joint that
            mimics one of them follows it, unless it has a position of its own.

    Returns:
        (N, 4, 4) poses in the root that carries each body, and (N,) the index of that root.

    Raises:
        ParameterError: A name that no joint or several have, a joint without a known axis, or a
            position that is no finite number.
    """
    if not positions:
        return world_poses(model)
    owners = _find_owners(model, positions)
    moved = dict(positions)
    for body in model.bodies:
        for joint in body.joints:
            mimic = joint.mimic
            if mimic is not None and mimic.joint in positions and joint.name not in positions:
                moved[joint.name] = mimic.multiplier * positions[mimic.joint] + mimic.offset
                owners.setdefault(joint.name, body.id)
    by_body = {owners[name]: value for name, value in moved.items()}
    bodies = tuple(
        body if body.id not in by_body else body._replace(X_PB=_move(body, by_body[body.id]))
        for body in model.bodies
    )
    return world_poses(Model(model.source, model.format, model.name, bodies))


def _find_owners(model: Model, positions: Mapping[str, float]) -> dict[str, str]:
    """Ids of the bodies that the named joints move.

    Raises:
        ParameterError: A name or position that cannot be.
    """
    owners: dict[str, list[Body]] = {}
    for body in model.bodies:
        for joint in body.joints:
            owners.setdefault(joint.name, []).append(body)
    found = {}
    for name, value in positions.items():
        moved = owners.get(name, [])
        if not moved:
            hint = suggest_name(name, [each for each in owners if each])
            raise ParameterError(f"no joint is called {name!r}, which has a position{hint}")
        if len(moved) > 1:
            raise ParameterError(f"{len(moved)} joints are called {name!r}: none can be placed")
        if not np.isfinite(value):
            raise ParameterError(f"the position of {name} is {value!r}, expected a number")
        (body,) = moved
        kind = JOINT_TYPES.get(body.joint or "")
        if kind not in _TURNING or body.axis_B is None or body.p_BoJo_B is None:
            raise ParameterError(
                f"{name} is a {body.joint} joint without one known axis: a position [rad] or [m] "
                "needs a revolute, continuous or prismatic joint"
            )
        found[name] = body.id
    return found


def _move(body: Body, position: float) -> Pose | None:
    """The pose of a body in its parent where its joint has a position."""
    if body.X_PB is None or body.axis_B is None or body.p_BoJo_B is None:
        return body.X_PB
    X_PB = homogeneous(body.X_PB.R_PB, body.X_PB.p_PoBo_P)
    axis, point = np.array(body.axis_B), np.array(body.p_BoJo_B)
    X_BC = np.eye(4)
    if JOINT_TYPES.get(body.joint or "") == "prismatic":
        X_BC[:3, 3] = position * axis
    else:  # the point on the axis stays
        X_BC[:3, :3] = matrix_from_rotation_vector(position * axis)
        X_BC[:3, 3] = point - X_BC[:3, :3] @ point
    X_PC = X_PB @ X_BC
    p, R = X_PC[:3, 3].tolist(), X_PC[:3, :3].tolist()
    return Pose((p[0], p[1], p[2]), tuple((r[0], r[1], r[2]) for r in R))
