"""Limits of the joints of a robot: from its file, from options, or assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import UsageError
from inertial_check.identification.excitation import Limits
from inertial_check.identifying.robot.robot import Robot
from inertial_check.model.tree import TreeJoints

Source = Literal["file", "option", "assumed", "unknown"]
"""Source of a limit: the robot's file, an option, an assumption by another limit, or none."""

SPEED_UP = 0.25
"""Time in which a joint reaches its velocity limit where nothing states its acceleration [s]: that
of many arms, whose files state no accelerations, is shorter; torque limits hold besides."""


class Quantity(NamedTuple):
    """Limited quantity of a joint.

    Attributes:
        name: "position", "velocity", "acceleration" or "torque".
        revolute: Unit at a revolute joint.
        prismatic: Unit at a prismatic joint.
    """

    name: str
    revolute: str
    prismatic: str

    def unit(self, prismatic: bool) -> str:
        """Return the unit at a joint."""
        return self.prismatic if prismatic else self.revolute


QUANTITIES = (
    Quantity("position", "rad", "m"),
    Quantity("velocity", "rad/s", "m/s"),
    Quantity("acceleration", "rad/s^2", "m/s^2"),
    Quantity("torque", "N m", "N"),
)


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """Limits of the joints, in place of those in the robot's file, and the margin of the torques.

    Attributes:
        position_limit: Texts LOWER:UPPER or JOINT=LOWER:UPPER [rad or m].
        velocity_limit: Texts VALUE or JOINT=VALUE [rad/s or m/s].
        acceleration_limit: Texts VALUE or JOINT=VALUE [rad/s^2 or m/s^2].
        max_torque: Texts VALUE or JOINT=VALUE [N m or N]; inf for no limit.
        torque_margin: Standard deviation of each body and of friction, as a part of itself, that
            the predicted torques leave room for.
    """

    position_limit: Sequence[str] = ()
    velocity_limit: Sequence[str] = ()
    acceleration_limit: Sequence[str] = ()
    max_torque: Sequence[str] = ()
    torque_margin: float = 0.1

    def __post_init__(self) -> None:
        """Refuse a margin out of range.

        Raises:
            UsageError: The message names the option.
        """
        if not 0 <= self.torque_margin < inf:
            raise UsageError(f"--torque-margin is {self.torque_margin!r}, expected 0 or more")


class JointLimits(NamedTuple):
    """Limits of the joints, NaN where they are not known.

    Attributes:
        motion: Limits of positions, velocities and accelerations.
        torque: (n,) largest torques.
        sources: Source of each limit, by quantity.
        notes: Assumptions, one line each.
    """

    motion: Limits
    torque: Floats
    sources: Mapping[str, Sequence[Source]]
    notes: tuple[str, ...]


def read_limits(
    options: LimitOptions, robot: Robot, stated: TreeJoints, design: bool = True
) -> JointLimits:
    """Read the limits from the options, else from the robot's file.

    For the design of a motion, accelerations that neither states are such that the velocity limit
    is reached in a quarter of a second.

    Args:
        options: Limits in place of those of the file.
        robot: The robot.
        stated: Limits of the file.
        design: Whether a motion is to be designed.

    Raises:
        UsageError: A text of another form, or a joint that does not exist.
    """
    arrays: dict[str, Floats] = {}
    sources: dict[str, list[Source]] = {}
    for name, ends in (
        ("position", ("lower", "upper")),
        ("velocity", ("velocity",)),
        ("acceleration", ("acceleration",)),
        ("torque", ("effort",)),
    ):
        found = [np.array(getattr(stated, end)) for end in ends]
        known = np.isfinite(np.stack(found)).all(axis=0)
        source: list[Source] = ["file" if each else "unknown" for each in known]
        field = "max_torque" if name == "torque" else f"{name}_limit"
        option = f"--{field.replace('_', '-')}"
        for joints, numbers in _read_texts(option, getattr(options, field), len(ends), robot):
            for joint in joints:
                source[joint] = "option"
                for array, number in zip(found, numbers, strict=True):
                    array[joint] = number
        arrays |= dict(zip(ends, found, strict=True))
        sources[name] = source
    notes: tuple[str, ...] = ()
    if design:
        notes = tuple(_assume_accelerations(arrays, sources["acceleration"], robot))
    torque = arrays.pop("effort")
    sources["torque"] = [
        each if isfinite(most) else "unknown"
        for each, most in zip(sources["torque"], torque.tolist(), strict=True)
    ]
    return JointLimits(Limits(**arrays), torque, sources, notes)


def _assume_accelerations(
    arrays: Mapping[str, Floats], source: list[Source], robot: Robot
) -> Iterator[str]:
    """Fill the accelerations that are not known, in place, and note it."""
    found = arrays["acceleration"]
    open_ = ~np.isfinite(found) & np.isfinite(arrays["velocity"])
    found[open_] = arrays["velocity"][open_] / SPEED_UP
    for joint in np.flatnonzero(open_).tolist():
        source[joint] = "assumed"
    if open_.any():
        names = ", ".join(robot.joints[joint] for joint in np.flatnonzero(open_).tolist())
        yield (
            f"no acceleration limit of {names}: assumed that the velocity limit is reached in "
            f"{SPEED_UP:g} s; --acceleration-limit gives another"
        )


def _read_texts(
    option: str, texts: Sequence[str], count: int, robot: Robot
) -> Iterator[tuple[Sequence[int], list[float]]]:
    """Read the joints and numbers of limit texts, those for all joints first.

    Raises:
        UsageError: A text of another form, or a joint that does not exist.
    """
    form = "LOWER:UPPER" if count == 2 else "VALUE"
    for text in sorted(texts, key=lambda text: "=" in text):
        name, sign, value = text.rpartition("=")
        numbers = [read_number(part) for part in value.split(":")]
        good = isfinite if option != "--max-torque" else _is_torque
        if len(numbers) != count or not all(map(good, numbers)):
            raise UsageError(f"{option} {text}: expected [JOINT=]{form}")
        every = range(len(robot.joints))
        yield [robot.joint(name.strip(), option)] if sign else every, numbers


def _is_torque(number: float) -> bool:
    return number > 0


def read_number(text: str) -> float:
    """Read a number; NaN for any other text."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def refuse_open(model: str, robot: Robot, read: JointLimits) -> None:
    """Refuse limits that are not known or leave no room.

    Args:
        model: Path of the robot.
        robot: The robot.
        read: Limits.

    Raises:
        UsageError: The message names the joints and the options that give them.
    """
    missing, limits = [], read.motion
    for joint in np.flatnonzero(~(np.nan_to_num(read.torque, nan=inf) > 0)).tolist():
        name = robot.joints[joint]
        raise UsageError(
            f"{model}: the torque limit of {name} is {read.torque[joint]:g} and leaves no room: "
            f"--max-torque {name}=VALUE gives another, inf none"
        )
    for quantity, ends in zip(
        QUANTITIES,
        ((limits.lower, limits.upper), (limits.velocity,), (limits.acceleration,)),
        strict=False,
    ):
        option = f"--{quantity.name}-limit"
        form = "LOWER:UPPER" if len(ends) == 2 else "VALUE"
        known = np.isfinite(np.stack(ends)).all(axis=0)
        narrow = known & ~((ends[-1] - ends[0] if len(ends) == 2 else ends[0]) > 0)
        for joint in np.flatnonzero(narrow).tolist():
            name, numbers = robot.joints[joint], " to ".join(f"{end[joint]:g}" for end in ends)
            raise UsageError(
                f"{model}: the {quantity.name} limit of {name} is {numbers} and leaves no "
                f"room: {option} {name}={form} gives another"
            )
        unknown = np.flatnonzero(~known).tolist()
        if unknown:
            joints = ", ".join(robot.joints[joint] for joint in unknown)
            units = dict.fromkeys(quantity.unit(robot.units[joint] == "N") for joint in unknown)
            missing.append(
                f"no {quantity.name} limit of {joints}, which {option} {form} gives to all joints "
                f"and {option} JOINT={form} to one [{' or '.join(units)}]"
            )
    if missing:
        raise UsageError(f"{model}: {'; '.join(missing)}")
