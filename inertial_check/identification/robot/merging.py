"""Identified friction and rotors as the numbers of joints that a robot's file states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan

from inertial_check.checking.report import Severity
from inertial_check.documents.joint_edits import JOINT_NUMBERS
from inertial_check.fixing.writing import JointResult
from inertial_check.identification.motion.friction import find_number
from inertial_check.identification.robot.robot import Robot
from inertial_check.mechanics.tree import SIZES
from inertial_check.reports.identification_types import FrictionValue, Remark

FIELDS = {"fv": "damping", "fc": "friction", "Ia": "armature"}
"""Number of a joint that states a friction number, by the symbol of the latter."""


def list_targets(robot: Robot, friction: Sequence[FrictionValue]) -> dict[str, dict[str, float]]:
    """List the identified numbers of each joint, by the id of the body that it moves."""
    targets: dict[str, dict[str, float]] = {}
    bodies = [
        body
        for body, joint in zip(robot.model.bodies, robot.tree.joints, strict=True)
        if SIZES[joint][1]
    ]
    for value in friction:
        place = find_number(value.name)
        if place is not None and place[0] in FIELDS:
            body = bodies[place[1] - 1]
            # -0.0 is 0 in every engine, and a sign would look like a mistake.
            targets.setdefault(body.id, {})[FIELDS[place[0]]] = value.value + 0.0
    return targets


def remark_on_joints(
    robot: Robot, friction: Sequence[FrictionValue], results: Sequence[JointResult]
) -> Iterator[Remark]:
    """Remark on joints that cannot be written, and on numbers that have no place in the file."""
    path = robot.model.source.path
    for result in results:
        if result.status == "refused":
            message = f"{path}: joint {result.name}: not written: {result.reason}"
            yield Remark(Severity.WARNING, "joint-not-written", message)
    reasons: dict[str, list[str]] = {}
    for result in results:
        for name, reason in result.left.items():
            reasons.setdefault(reason, []).append(f"{name} of {result.name}")
    for value in friction:
        place = find_number(value.name)
        if place is None or place[0] not in FIELDS:
            what = f"{value.meaning} of {value.joint}" if value.joint else value.name
            shown = f"{what} ({value.value:.4g}{f' {value.unit}' if value.unit else ''})"
            reasons.setdefault("joints of no format have a place for them", []).append(shown)
    for reason, names in reasons.items():
        message = f"{path}: not in the file: {', '.join(names)}: {reason}"
        yield Remark(Severity.WARNING, "joint-without-place", message)


def read_stated(robot: Robot) -> Mapping[str, float]:
    """Read the numbers that the robot's file states, by the names of friction numbers."""
    symbols = {field: symbol for symbol, field in FIELDS.items()}
    return {
        f"{symbols[field]}{number}": value
        for field in JOINT_NUMBERS
        for number, value in enumerate(getattr(robot.stated, field).tolist(), 1)
        if not isnan(value)  # none is stated
    }
