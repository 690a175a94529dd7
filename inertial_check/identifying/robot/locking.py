"""Joints that are held during a recording: those that are named, and those that it lacks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from inertial_check.errors import UsageError
from inertial_check.formats.recordings import Recording
from inertial_check.identifying.options import RobotOptions
from inertial_check.identifying.recordings.joint_names import resolve_names
from inertial_check.model import Model, Severity
from inertial_check.model.identified import Remark
from inertial_check.model.tree import JOINT_TYPES, list_joints


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
            yield Remark(
                Severity.NOTE,
                "locked",
                f"{name} is in no recording and is held at {position:g}; --locked "
                f"{name}=POSITION holds it elsewhere",
            )
        joints = model.bodies[bodies[name]].joints if name in bodies else ()
        for joint in joints[:1]:
            lower, upper = joint.lower, joint.upper
            below = lower is not None and position < lower
            above = upper is not None and position > upper
            if below or above:
                yield Remark(
                    Severity.WARNING,
                    "locked",
                    f"{name} is held at {position:g}, outside its limits, {_tell(lower)} to "
                    f"{_tell(upper)}: --locked {name}=POSITION holds it where it was",
                )


def _tell(limit: float | None) -> str:
    return "none" if limit is None else f"{limit:g}"
