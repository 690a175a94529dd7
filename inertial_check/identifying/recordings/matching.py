"""Columns of a recording matched with the joints of a robot."""

from __future__ import annotations

from inertial_check.errors import UsageError
from inertial_check.formats.recordings import Recording
from inertial_check.identifying.recordings.joint_names import resolve_names
from inertial_check.identifying.robot.locking import are_numbers
from inertial_check.identifying.robot.robot import Robot


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
