"""Excitation of a robot: limits from its file, a motion that shows its parameters, its file."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.equations import GRAVITY, inverse_dynamics
from inertial_check.errors import UsageError
from inertial_check.formats import Context
from inertial_check.formats.recordings import Recording, read_recording
from inertial_check.identification.excitation import (
    Condition,
    Limits,
    condition_number,
    optimise,
)
from inertial_check.identification.recordings.signals import differentiate, resample, smooth
from inertial_check.identifying.friction import build_nuisance
from inertial_check.identifying.matching import match_joints
from inertial_check.identifying.options import FrictionOptions, RobotOptions
from inertial_check.identifying.robot import Robot, read_robot
from inertial_check.inertia import tolerances
from inertial_check.model.tree import TreeJoints, tree_of

_Motion = tuple[Floats, Floats, Floats, Floats, tuple[str, ...]]
"""Time, positions, velocities and accelerations of a given motion, and notes on how they came."""

Source = Literal["file", "option", "unknown"]
"""Source of a limit: the robot's file, an option, or none."""

_MANY = 8
"""Number of joints above which a search takes longer than half a minute: its time grows with the
cube of their number."""


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


class QuantityRange(NamedTuple):
    """Range of one quantity of a joint in a motion, and its limits.

    Attributes:
        lower: Lower limit; NaN if it is not known.
        upper: Upper limit.
        source: Source of the limits.
        least: Least value in the motion.
        most: Largest value.
        share: Largest distance from the middle of the limits, as a part of half their range: 1 at
            either limit; NaN if they are not known.
    """

    lower: float
    upper: float
    source: Source
    least: float
    most: float
    share: float


class JointRanges(NamedTuple):
    """Ranges of one joint in a motion.

    Attributes:
        joint: Name of the joint.
        prismatic: Whether it is a prismatic joint.
        ranges: Range of each of the QUANTITIES. The torque is that of the bodies in the file.
    """

    joint: str
    prismatic: bool
    ranges: tuple[QuantityRange, ...]


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """Limits of the joints, in place of those in the robot's file.

    Attributes:
        position_limit: Texts LOWER:UPPER or JOINT=LOWER:UPPER [rad or m].
        velocity_limit: Texts VALUE or JOINT=VALUE [rad/s or m/s].
        acceleration_limit: Texts VALUE or JOINT=VALUE [rad/s^2 or m/s^2].
    """

    position_limit: Sequence[str] = ()
    velocity_limit: Sequence[str] = ()
    acceleration_limit: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Search for a motion.

    Attributes:
        duration: Duration of the motion [s].
        harmonics: Number of harmonics of its Fourier series.
        rate: Samples a second [Hz]; None for 32 in a period of the highest harmonic.
        seed: Seed of the random motions that the search starts from.
    """

    duration: float = 10.0
    harmonics: int = 5
    rate: float | None = None
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class ExciteOptions:
    """Everything that an excitation is asked for.

    Attributes:
        model: Path of the robot.
        context: Folders and arguments that the robot's file refers to.
        robot: Robot while it moves.
        friction: Friction that is to be identified besides the bodies.
        limits: Limits of the joints.
        search: Search for a motion.
        given: Path of a motion to judge; None to search for one.
    """

    model: str
    context: Context = field(default_factory=Context)
    robot: RobotOptions = field(default_factory=RobotOptions)
    friction: FrictionOptions = field(default_factory=FrictionOptions)
    limits: LimitOptions = field(default_factory=LimitOptions)
    search: SearchOptions = field(default_factory=SearchOptions)
    given: str | None = None


@dataclass(frozen=True, eq=False)
class RobotExcitation:
    """Motion of a robot, and the parameters that it shows.

    Attributes:
        options: Options of the excitation.
        joints: Names of the n joints.
        t: (S,) time [s].
        q: (S, n) positions [rad or m].
        u: (S, n) velocities.
        du: (S, n) accelerations.
        condition: Condition of the motion.
        before: Condition of the random motion that it was improved from; None for a given motion.
        ranges: Ranges of each joint.
        notes: Assumptions, one line each.
    """

    options: ExciteOptions
    joints: tuple[str, ...]
    t: Floats
    q: Floats
    u: Floats
    du: Floats
    condition: Condition
    before: Condition | None
    ranges: tuple[JointRanges, ...]
    notes: tuple[str, ...]

    @property
    def exceeded(self) -> tuple[str, ...]:
        """Quantities that exceed a limit, as "velocity of elbow"."""
        return tuple(
            f"{quantity.name} of {each.joint}"
            for each in self.ranges
            for quantity, own in zip(QUANTITIES, each.ranges, strict=True)
            if own.share > 1 + tolerances.LIMIT_ROUNDING
        )

    def file(self, path: str) -> bytes:
        """Write the motion as bytes of a file of this name: t, q, qd and qdd.

        Raises:
            UsageError: The name ends in neither .csv nor .npz.
        """
        if path.endswith(".csv"):
            return self._csv()
        if path.endswith(".npz"):
            return self._npz()
        raise UsageError(f"-o {path}: a motion is written as csv or npz: name it .csv or .npz")

    def _csv(self) -> bytes:
        names = self.joints if _are_columns(self.joints) else range(1, len(self.joints) + 1)
        header = ["t", *(f"{signal}_{name}" for signal in ("q", "qd", "qdd") for name in names)]
        table = np.column_stack([self.t, self.q, self.u, self.du])
        stream = io.StringIO(newline="")
        np.savetxt(stream, table, "%.12g", ",", "\n", ",".join(header), comments="")
        return stream.getvalue().encode()

    def _npz(self) -> bytes:
        stream = io.BytesIO()
        names = np.array(self.joints, dtype=np.str_)
        np.savez(stream, t=self.t, q=self.q, qd=self.u, qdd=self.du, joints=names)
        return stream.getvalue()

    def as_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        condition, before = self.condition, self.before
        return {
            "model": self.options.model,
            "given": self.options.given,
            "samples": len(self.t),
            "duration": float(self.t[-1] - self.t[0]),
            "condition_number": _drop_infinite(condition.number),
            "condition_number_before": None if before is None else _drop_infinite(before.number),
            "rank": condition.rank,
            "columns": condition.columns,
            "singular_values": condition.singular_values.tolist(),
            "joints": [_as_dict(each) for each in self.ranges],
            "exceeded": list(self.exceeded),
            "notes": list(self.notes),
        }


def excite(
    options: ExciteOptions, announce: Callable[[str], None] | None = None
) -> RobotExcitation:
    """Find a motion that shows a robot's parameters, or judge a given one.

    Args:
        options: Robot, friction, limits, and the search or the given motion.
        announce: Receives a message before a search that takes long.

    Raises:
        DocumentError: A file cannot be read, or is no robot model or no motion.
        UsageError: The robot has no tree, or limits are missing or leave no room; the message names
            the joint and the option. Or the given motion is of other joints.
        ParameterError: A duration, rate or number of harmonics that no motion has.
    """
    robot = read_robot(options.model, options.context, options.robot)
    read = tree_of(robot.model, "fixed", options.robot.locked)
    limits, sources = _read_limits(options, robot, read.joints)
    gravity = GRAVITY if options.robot.gravity is None else options.robot.gravity
    nuisance = build_nuisance(options.friction, robot, range(len(robot.joints)))
    if options.given is None:
        _refuse_open(options, robot, limits)
        if announce is not None and len(robot.joints) > _MANY:
            announce(
                f"looking for a motion of {len(robot.joints)} joints, which can take minutes, for "
                "dozens of joints hours: --locked JOINT leaves one out"
            )
        found = optimise(
            robot.tree, limits, nuisance=nuisance, gravity=gravity, **vars(options.search)
        )
        t, q, u, du = found.t, found.q, found.u, found.du
        condition, before = found.condition, found.condition_start
        notes: tuple[str, ...] = ()
    else:
        t, q, u, du, notes = _read_motion(options.given, robot)
        condition = condition_number(robot.tree, q, u, du, nuisance=nuisance, gravity=gravity)
        before = None
    tau = np.asarray(inverse_dynamics(robot.tree, q, u, du, gravity=gravity))
    ranges = tuple(_list_ranges(robot, limits, sources, read.joints.effort, (q, u, du, tau)))
    return RobotExcitation(
        options, robot.joints, t, q, u, du, condition, before, ranges, (*read.notes, *notes)
    )


def _read_limits(
    options: ExciteOptions, robot: Robot, stated: TreeJoints
) -> tuple[Limits, dict[str, list[Source]]]:
    """Read the limits, NaN if not known, and their sources by quantity."""
    arrays: dict[str, Floats] = {}
    sources: dict[str, list[Source]] = {}
    for name, ends in (
        ("position", ("lower", "upper")),
        ("velocity", ("velocity",)),
        ("acceleration", ("acceleration",)),
    ):
        found = [np.array(getattr(stated, end)) for end in ends]
        known = np.isfinite(np.stack(found)).all(axis=0)
        source: list[Source] = ["file" if each else "unknown" for each in known]
        texts = getattr(options.limits, f"{name}_limit")
        for joints, numbers in _read_texts(f"--{name}-limit", texts, len(ends), robot):
            for joint in joints:
                source[joint] = "option"
                for array, number in zip(found, numbers, strict=True):
                    array[joint] = number
        arrays |= dict(zip(ends, found, strict=True))
        sources[name] = source
    return Limits(**arrays), sources


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
        numbers = [_read_number(part) for part in value.split(":")]
        if len(numbers) != count or not all(map(isfinite, numbers)):
            raise UsageError(f"{option} {text}: expected [JOINT=]{form}")
        every = range(len(robot.joints))
        yield [robot.joint(name.strip(), option)] if sign else every, numbers


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _refuse_open(options: ExciteOptions, robot: Robot, limits: Limits) -> None:
    """Refuse limits that are not known or leave no room.

    Raises:
        UsageError: The message names the joints and the options that give them.
    """
    missing = []
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
                f"{options.model}: the {quantity.name} limit of {name} is {numbers} and leaves no "
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
        raise UsageError(f"{options.model}: {'; '.join(missing)}")


def _read_motion(path: str, robot: Robot) -> _Motion:
    """Read time, positions, velocities and accelerations, in the order of the robot's joints.

    Raises:
        UsageError: It has other joints, no positions, or neither time nor the derivatives.
    """
    motion = read_recording(path, torques=False)
    if motion.q is None:
        raise UsageError(f"{path}: it has Y and no q: a motion has q, and t or qd and qdd")
    places, (t, q, u, du) = match_joints(motion, robot), (motion.t, motion.q, motion.u, motion.du)
    notes: tuple[str, ...] = ()
    if u is None or du is None:
        if t is None:
            raise UsageError(f"{path}: no t, and not both qd and qdd: expected one or the other")
        t, q, u, du, notes = (
            _differentiate(t, q, u) if motion.tau is None else _filter(motion, t, q)
        )
    if t is None:
        t = np.arange(len(q), dtype=np.float64)
    prefixed = tuple(f"{path}: {note}" for note in notes)
    return t, q[:, places], u[:, places], du[:, places], prefixed


def _differentiate(t: Floats, q: Floats, u: Floats | None) -> _Motion:
    """Complete a planned motion, which has no torques, by central differences."""
    clocked = resample(t, q if u is None else np.concatenate([q, u], axis=1))
    q, speeds = np.split(clocked.signals, [q.shape[1]], axis=1)
    u = differentiate(q, clocked.rate) if u is None else speeds
    note = "no torques, so it was planned: derivatives are central differences, unfiltered"
    return clocked.t, q, u, differentiate(u, clocked.rate), (note, *clocked.notes)


def _filter(motion: Recording, t: Floats, q: Floats) -> _Motion:
    """Filter a measured motion, which has torques."""
    assert motion.tau is not None
    found = smooth(t, q, motion.tau, motion.u, motion.du)
    note = "torques, so it was measured: filtered as before an identification"
    return found.t, found.q, found.u, found.du, (note, *found.notes)


def _list_ranges(
    robot: Robot,
    limits: Limits,
    sources: Mapping[str, Sequence[Source]],
    effort: Floats,
    motion: Sequence[Floats],
) -> Iterator[JointRanges]:
    """List the ranges of all joints in a motion."""
    efforts: list[Source] = ["file" if each else "unknown" for each in np.isfinite(effort)]
    ends = (
        (limits.lower, limits.upper, sources["position"]),
        (-limits.velocity, limits.velocity, sources["velocity"]),
        (-limits.acceleration, limits.acceleration, sources["acceleration"]),
        (-effort, effort, efforts),
    )
    for joint, name in enumerate(robot.joints):
        ranges = tuple(
            _measure_range(
                float(lower[joint]), float(upper[joint]), source[joint], signal[:, joint]
            )
            for (lower, upper, source), signal in zip(ends, motion, strict=True)
        )
        yield JointRanges(name, robot.units[joint] == "N", ranges)


def _measure_range(lower: float, upper: float, source: Source, signal: Floats) -> QuantityRange:
    least, most = float(signal.min()), float(signal.max())
    middle, half = (upper + lower) / 2, (upper - lower) / 2
    known = source != "unknown" and half > 0
    share = max(most - middle, middle - least) / half if known else float("nan")
    return QuantityRange(lower, upper, source, least, most, share)


def _are_columns(names: Sequence[str]) -> bool:
    """Decide whether names can head the columns of a csv file, each its own."""
    return len(set(names)) == len(names) and all(
        name.strip() == name and name and not set(name) & set(',;\t"#[]()\r\n') for name in names
    )


def _as_dict(each: JointRanges) -> dict[str, object]:
    return {
        "joint": each.joint,
        **{
            quantity.name: {
                "unit": quantity.unit(each.prismatic),
                "lower": _drop_infinite(own.lower),
                "upper": _drop_infinite(own.upper),
                "source": own.source,
                "least": own.least,
                "most": own.most,
                "share": _drop_infinite(own.share),
            }
            for quantity, own in zip(QUANTITIES, each.ranges, strict=True)
        },
    }


def _drop_infinite(value: float) -> float | None:
    return value if isfinite(value) else None
