"""Excitation of a robot: limits from its file, a motion that shows its parameters, its file.

Options of `excite`: the robot, its limits, what must not touch, and the search.

Result of an excitation: motions, the ranges of the joints in them, and their files.

Limits of the joints of a robot: from its file, from options, or assumed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, nan
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.documents.context import Context
from inertial_check.documents.model import TreeJoints, tree_of
from inertial_check.errors import UsageError
from inertial_check.identification.excitation.collisions import (
    CollisionOptions,
    Collisions,
    LeftOut,
    read_collisions,
)
from inertial_check.identification.excitation.convex import Clearance
from inertial_check.identification.excitation.design import (
    Condition,
    Limits,
    TorqueLimits,
    condition_number,
    optimise,
    predict_torques,
)
from inertial_check.identification.excitation.fourier import Criterion
from inertial_check.identification.excitation.visibility import Weights
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.motion.friction import SYMBOLS, build_nuisance
from inertial_check.identification.motion.signals import differentiate, resample, smooth
from inertial_check.identification.options import FRICTION_TERMS, FrictionOptions, RobotOptions
from inertial_check.identification.recordings import read_recording
from inertial_check.identification.robot import Robot, match_joints, read_robot, refuse_loops
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats

__all__ = [
    "Approach",
    "ExciteOptions",
    "JointLimits",
    "JointRanges",
    "LimitOptions",
    "Quantity",
    "QuantityRange",
    "RobotExcitation",
    "SearchOptions",
    "excite",
    "list_ranges",
    "read_limits",
    "read_number",
    "refuse_open",
]


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
    most = arrays["acceleration"]
    open_ = np.flatnonzero(~np.isfinite(most) & np.isfinite(arrays["velocity"]) & design).tolist()
    for joint in open_:
        most[joint] = arrays["velocity"][joint] / SPEED_UP
        sources["acceleration"][joint] = "assumed"
    if open_:
        names = ", ".join(robot.joints[joint] for joint in open_)
        notes = (
            f"no acceleration limit of {names}: assumed that the velocity limit is reached in "
            f"{SPEED_UP:g} s; --acceleration-limit gives another",
        )
    torque = arrays.pop("effort")
    sources["torque"] = [
        each if isfinite(most) else "unknown"
        for each, most in zip(sources["torque"], torque.tolist(), strict=True)
    ]
    return JointLimits(Limits(**arrays), torque, sources, notes)


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
        if option == "--max-torque":
            good = [number > 0 for number in numbers]
        else:
            good = list(map(isfinite, numbers))
        if len(numbers) != count or not all(good):
            raise UsageError(f"{option} {text}: expected [JOINT=]{form}")
        every = range(len(robot.joints))
        yield [robot.joint(name.strip(), option)] if sign else every, numbers


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


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Search for a motion.

    Attributes:
        duration: Duration of the motion [s].
        harmonics: Number of harmonics of its Fourier series.
        rate: Samples a second [Hz]; None for 32 in a period of the highest harmonic.
        seed: Seed of the random motions that the search starts from.
        trajectories: Number of motions that are designed together.
        criterion: Name of what is made small.
    """

    duration: float = 10.0
    harmonics: int = 5
    rate: float | None = None
    seed: int = 0
    trajectories: int = 1
    criterion: Criterion = "condition"


@dataclass(frozen=True, kw_only=True)
class ExciteOptions:
    """Everything that an excitation is asked for.

    Attributes:
        model: Path of the robot.
        context: Folders and arguments that the robot's file refers to.
        robot: Robot while it moves.
        friction: Friction that is to be identified besides the bodies.
        limits: Limits of the joints.
        collisions: Shapes that must not touch.
        weights: Texts NAME=WEIGHT of bodies and friction terms.
        search: Search for a motion.
        given: Path of a motion to judge; None to search for one.
    """

    model: str
    context: Context = field(default_factory=Context)
    robot: RobotOptions = field(default_factory=RobotOptions)
    friction: FrictionOptions = field(default_factory=FrictionOptions)
    limits: LimitOptions = field(default_factory=LimitOptions)
    collisions: CollisionOptions = field(default_factory=CollisionOptions)
    weights: Sequence[str] = ()
    search: SearchOptions = field(default_factory=SearchOptions)
    given: str | None = None


class QuantityRange(NamedTuple):
    """Range of one quantity of a joint in a motion, and its limits.

    Attributes:
        lower: Lower limit; NaN if it is not known.
        upper: Upper limit.
        source: Source of the limits.
        least: Least value in the motion.
        most: Largest value.
        share: Largest distance from the middle of the limits, as a part of half their range: 1 at
            either limit; NaN if they are not known. That of a torque counts its margin.
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
        ranges: Range of each of the QUANTITIES. The torque is that of the bodies,
            rotors and friction in the file.
    """

    joint: str
    prismatic: bool
    ranges: tuple[QuantityRange, ...]


class Approach(NamedTuple):
    """Closest approach of the bodies in a motion.

    Attributes:
        pairs: Number of pairs of shapes that were looked at.
        bodies: Names of the two bodies that come nearest to the distance that they keep; empty
            without pairs.
        distance: Lower bound of their distance at the samples [m]; infinite without pairs.
        kept: Whether all pairs keep their distance.
        proven: Whether that holds between the samples, too.
        left_out: Pairs that were left out.
    """

    pairs: int
    bodies: tuple[str, ...]
    distance: float
    kept: bool
    proven: bool
    left_out: tuple[LeftOut, ...]


ENDINGS = (".csv", ".npz", ".yaml", ".yml")
"""Endings of the files that a motion is written to."""

NANOSECONDS = 1_000_000_000
"""Nanoseconds in a second, in which messages of ROS count time."""


def refuse_ending(path: str) -> None:
    """Refuse the name of a file that no motion is written to.

    Raises:
        UsageError: The name has another ending than those of ENDINGS.
    """
    if not path.endswith(ENDINGS):
        raise UsageError(
            f"-o {path}: a motion is csv, npz or a ROS message as yaml: name it .csv, .npz or .yaml"
        )


_ODD = frozenset(',;\t"#[]()\r\n')
"""Characters that a name at the head of a column of a csv file does not have."""


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
        criterion: Value of the criterion, and that of the start; NaN for a given motion.
        approach: Distances of the bodies from each other; None where none are looked at.
        motions: Arrays t, q, u and du of each motion that was designed.
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
    criterion: tuple[float, float] = (nan, nan)
    approach: Approach | None = None
    motions: tuple[tuple[Floats, Floats, Floats, Floats], ...] = ()

    @property
    def exceeded(self) -> tuple[str, ...]:
        """Quantities that exceed a limit, as "velocity of elbow"."""
        found = tuple(
            f"{quantity.name} of {each.joint}"
            for each in self.ranges
            for quantity, own in zip(QUANTITIES, each.ranges, strict=True)
            if own.share > 1 + tolerances.LIMIT_ROUNDING
        )
        if self.approach is not None and not self.approach.kept:
            found += (f"distance of {' and '.join(self.approach.bodies)}",)
        return found

    def file(self, path: str, number: int = 0) -> bytes:
        """Write a motion as bytes of a file of this name.

        A csv or npz has t, q, qd and qdd; a yaml is a message trajectory_msgs/JointTrajectory of
        ROS.

        Args:
            path: Name of the file.
            number: Index of the motion, of several.

        Raises:
            UsageError: The name has another ending than .csv, .npz, .yaml and .yml.
        """
        refuse_ending(path)
        motion = self.motions[number] if self.motions else (self.t, self.q, self.u, self.du)
        if path.endswith(".csv"):
            # Names head the columns where each is its own and needs no quotes.
            names: Sequence[str | int] = self.joints
            odd = (not each or each.strip() != each or {*each} & _ODD for each in self.joints)
            if len(set(names)) < len(names) or any(odd):
                names = range(1, len(self.joints) + 1)
            header = ["t", *(f"{signal}_{name}" for signal in ("q", "qd", "qdd") for name in names)]
            table = np.column_stack(motion)
            stream = io.StringIO(newline="")
            np.savetxt(stream, table, "%.12g", ",", "\n", ",".join(header), comments="")
            return stream.getvalue().encode()
        t, q, u, du = motion
        if path.endswith(".npz"):
            archive = io.BytesIO()
            joints = np.array(self.joints, dtype=np.str_)
            np.savez(archive, t=t, q=q, qd=u, qdd=du, joints=joints)
            return archive.getvalue()
        import yaml  # few motions are written as messages

        clock = np.rint((t - t[0]) * NANOSECONDS).astype(np.int64)
        rows = np.stack([q, u, du], axis=1).tolist()
        points = [
            dict(zip(("positions", "velocities", "accelerations"), row, strict=True))
            | {
                "time_from_start": dict(
                    zip(("sec", "nanosec"), divmod(at, NANOSECONDS), strict=True)
                )
            }
            for row, at in zip(rows, clock.tolist(), strict=True)
        ]
        first: dict[str, object] = {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}
        message = {"header": first, "joint_names": list(self.joints), "points": points}
        # Flow style keeps a point on a line for each of its lists.
        dumped: str = yaml.safe_dump(message, sort_keys=False, default_flow_style=None)
        return dumped.encode()

    def files(self, path: str) -> list[tuple[str, bytes]]:
        """Name and bytes of the file of each motion: of several NAME-1.csv, NAME-2.csv, ..."""
        if len(self.motions) < 2:
            return [(path, self.file(path))]
        stem, dot, ending = path.rpartition(".")
        names = [f"{stem}-{number + 1}{dot}{ending}" for number in range(len(self.motions))]
        return [(name, self.file(name, number)) for number, name in enumerate(names)]

    def as_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        condition, before = self.condition, self.before
        return {
            "model": self.options.model,
            "given": self.options.given,
            "samples": len(self.t),
            "duration": float(self.t[-1] - self.t[0]),
            "condition_number": condition.number,
            "condition_number_before": None if before is None else before.number,
            "rank": condition.rank,
            "columns": condition.columns,
            "singular_values": condition.singular_values.tolist(),
            "trajectories": max(len(self.motions), 1),
            "criterion": {
                "name": self.options.search.criterion,
                "value": self.criterion[0],
                "before": self.criterion[1],
            },
            "torque_margin": self.options.limits.torque_margin,
            "collisions": self.approach,
            "joints": [
                {
                    "joint": each.joint,
                    **{
                        quantity.name: {"unit": quantity.unit(each.prismatic), **own._asdict()}
                        for quantity, own in zip(QUANTITIES, each.ranges, strict=True)
                    },
                }
                for each in self.ranges
            ],
            "exceeded": list(self.exceeded),
            "notes": list(self.notes),
        }


def list_ranges(
    robot: Robot, read: JointLimits, motion: Sequence[Floats], used: Floats
) -> Iterator[JointRanges]:
    """List the ranges of all joints in a motion.

    Args:
        robot: The robot.
        read: Limits of its joints.
        motion: (S, n) positions, velocities, accelerations and torques.
        used: (n,) largest part of each torque limit, with the margin.
    """
    limits, sources, effort = read.motion, read.sources, read.torque
    ends = (
        (limits.lower, limits.upper, sources["position"]),
        (-limits.velocity, limits.velocity, sources["velocity"]),
        (-limits.acceleration, limits.acceleration, sources["acceleration"]),
        (-effort, effort, sources["torque"]),
    )
    for joint, name in enumerate(robot.joints):
        ranges = []
        for (lowers, uppers, source), signal in zip(ends, motion, strict=True):
            lower, upper, own = float(lowers[joint]), float(uppers[joint]), signal[:, joint]
            least, most = float(own.min()), float(own.max())
            middle, half = (upper + lower) / 2, (upper - lower) / 2
            known = source[joint] != "unknown" and half > 0
            share = max(most - middle, middle - least) / half if known else float("nan")
            ranges.append(QuantityRange(lower, upper, source[joint], least, most, share))
        if ranges[-1].source != "unknown":
            ranges[-1] = ranges[-1]._replace(share=float(used[joint]))
        yield JointRanges(name, robot.units[joint] == "N", tuple(ranges))


_Motion = tuple[Floats, Floats, Floats, Floats, tuple[str, ...]]
"""Time, positions, velocities and accelerations of a given motion, and notes on how they came."""

_MANY = 12
"""Number of joints above which a search takes longer than half a minute: its time grows with the
cube of their number."""


def excite(
    options: ExciteOptions,
    announce: Callable[[str], None] | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> RobotExcitation:
    """Find a motion that shows a robot's parameters, or judge a given one.

    Args:
        options: Robot, friction, limits, and the search or the given motion.
        announce: Receives a message before a search that takes long.
        progress: Receives the share of the search that is done, and the logarithm of the criterion.

    Raises:
        DocumentError: A file cannot be read, or is no robot model or no motion.
        UsageError: The robot has no tree, or limits are missing or leave no room; the message names
            the joint and the option. Or the given motion is of other joints.
        ParameterError: A duration, rate or number of harmonics that no motion has; torque limits
            and distances that no motion keeps.
    """
    plan = _read_plan(options)
    if options.given is not None:
        return _judge(options, plan)
    refuse_open(options.model, plan.robot, plan.limits)
    if announce is not None and len(plan.robot.joints) > _MANY:
        announce(
            f"looking for a motion of {len(plan.robot.joints)} joints, which can take minutes, for "
            "dozens of joints hours: --locked JOINT leaves one out"
        )
    found = optimise(
        plan.robot.tree,
        plan.limits.motion,
        nuisance=plan.nuisance,
        gravity=plan.robot.gravity,
        weights=plan.weights,
        torques=plan.torques if np.isfinite(plan.torques.most).any() else None,
        obstacles=plan.collisions.obstacles,
        progress=progress,
        **vars(options.search),
    )
    motions = tuple(each[1:] for each in found.trajectories)
    signals = [np.concatenate(each) for each in list(zip(*motions, strict=True))[1:]]
    use = predict_torques(plan.robot.tree, signals, plan.torques, gravity=plan.robot.gravity)
    used = use.share.max(axis=0) if found.torque is None else found.torque
    used = np.maximum(used, use.share.max(axis=0))
    approach = None
    if found.closest is not None:
        closest, collisions = found.closest, plan.collisions
        approach = _describe(collisions, closest.pair, closest.distance, closest.kept, True)
    elif options.collisions.clearance is not None:
        approach = _describe(plan.collisions, -1, inf, True, True)
    return RobotExcitation(
        *(options, plan.robot.joints, *motions[0], found.condition, found.condition_start),
        tuple(list_ranges(plan.robot, plan.limits, (*signals, use.predicted), used)),
        plan.notes,
        (found.value, found.value_start),
        approach,
        motions,
    )


_GRAVITY = ("turned-base", "gravity")
"""Kinds of remarks on gravity, which are notes of a motion."""


class _Plan(NamedTuple):
    """Robot, limits and weights of an excitation, read from its options."""

    robot: Robot
    limits: JointLimits
    nuisance: Nuisance
    weights: Weights | None
    torques: TorqueLimits
    collisions: Collisions
    notes: tuple[str, ...]


def _read_plan(options: ExciteOptions) -> _Plan:
    robot = read_robot(options.model, options.context, options.robot)
    refuse_loops(robot)
    read = tree_of(robot.model, "fixed", options.robot.locked)
    limits = read_limits(options.limits, robot, read.joints, options.given is None)
    # Refuse friction whose columns depend on what is to be identified.
    terms = [term for term in options.friction.friction or () if term in ("stribeck", "load")]
    if terms:
        raise UsageError(
            f"--friction {','.join(terms)}: which motion shows it depends on its own numbers; a "
            "motion for viscous,coulomb with slow and fast parts shows it, too"
        )
    nuisance = build_nuisance(options.friction, robot, range(len(robot.joints)))
    lower = np.where(np.isnan(limits.motion.lower), -inf, limits.motion.lower)
    upper = np.where(np.isnan(limits.motion.upper), inf, limits.motion.upper)
    home = np.clip(np.zeros(len(robot.joints)), np.minimum(lower, upper), upper)
    collisions = read_collisions(options.collisions, robot, options.context, home)
    viscous, coulomb, rotor = (
        np.where(each > 0, np.nan_to_num(each, posinf=0.0), 0.0)
        for each in (read.joints.damping, read.joints.friction, read.joints.armature)
    )
    most = np.nan_to_num(limits.torque, nan=inf)
    torques = TorqueLimits(most, viscous, coulomb, rotor, options.limits.torque_margin)
    notes = [*read.notes, *limits.notes, *collisions.notes]
    notes += [each.message for each in robot.remarks if each.kind in _GRAVITY]
    if options.given is None and np.isfinite(most).any() and not (viscous + coulomb).any():
        notes.append("no friction in the file: torques are predicted without any")
    weights = read_weights(options.weights, robot, nuisance.names)
    return _Plan(robot, limits, nuisance, weights, torques, collisions, tuple(notes))


def _describe(
    collisions: Collisions, pair: int, distance: float, kept: bool, proven: bool
) -> Approach:
    obstacles = collisions.obstacles
    count = 0 if obstacles is None else len(obstacles.pairs)
    bodies = () if pair < 0 else collisions.pair_names(pair)
    return Approach(count, bodies, distance, kept, proven, collisions.left_out)


def _judge(options: ExciteOptions, plan: _Plan) -> RobotExcitation:
    """Judge a given motion, at its samples."""
    assert options.given is not None
    robot = plan.robot
    t, q, u, du, notes = _read_motion(options.given, robot)
    condition = condition_number(
        robot.tree,
        *(q, u, du),
        nuisance=plan.nuisance,
        gravity=plan.robot.gravity,
        weights=plan.weights,
    )
    use = predict_torques(robot.tree, (q, u, du), plan.torques, gravity=plan.robot.gravity)
    approach, obstacles = None, plan.collisions.obstacles
    if obstacles is not None:
        apart = Clearance(robot.tree, obstacles).distances(q)
        pair = int(np.argmin((apart - obstacles.least).min(axis=0)))
        kept = bool(np.all(apart >= obstacles.least))
        approach = _describe(plan.collisions, pair, float(apart[:, pair].min()), kept, False)
    elif options.collisions.clearance is not None:
        approach = _describe(plan.collisions, -1, inf, True, False)
    signals = (q, u, du, use.predicted)
    ranges = tuple(list_ranges(robot, plan.limits, signals, use.share.max(axis=0)))
    return RobotExcitation(
        *(options, robot.joints, t, q, u, du, condition, None, ranges, (*plan.notes, *notes)),
        approach=approach,
    )


def read_weights(texts: Sequence[str], robot: Robot, columns: Sequence[str]) -> Weights | None:
    """Read the weights of bodies and friction terms, from texts NAME=WEIGHT.

    Args:
        texts: The texts; none for equal weights.
        robot: The robot.
        columns: Names of the friction columns.

    Raises:
        UsageError: A text of another form, or a name of neither.
    """
    if not texts:
        return None
    bodies, beside = np.ones(len(robot.tree)), np.ones(len(columns))
    for text in texts:
        name, sign, value = text.rpartition("=")
        number = read_number(value)
        if not (sign and name.strip() and 0 < number < inf):
            raise UsageError(f"--weights {text}: expected NAME=WEIGHT, a weight above 0")
        name = name.strip()
        if name in FRICTION_TERMS:
            symbols = "|".join(SYMBOLS[name])
            chosen = [re.fullmatch(rf"({symbols})\d+", each) is not None for each in columns]
            beside[chosen] = number
        else:
            bodies[robot.bodies[robot.body(name, "--weights")]] = number
    return Weights(bodies, beside)


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
        if motion.tau is None:  # planned, so that central differences complete it
            clocked = resample(t, q if u is None else np.concatenate([q, u], axis=1))
            q, speeds = np.split(clocked.signals, [q.shape[1]], axis=1)
            u = differentiate(q, clocked.rate) if u is None else speeds
            t, du = clocked.t, differentiate(u, clocked.rate)
            note = "no torques, so it was planned: derivatives are central differences, unfiltered"
            notes = (note, *clocked.notes)
        else:
            found = smooth(t, q, motion.tau, u, du)
            t, q, u, du = found.t, found.q, found.u, found.du
            note = "torques, so it was measured: filtered as before an identification"
            notes = (note, *found.notes)
    if t is None:
        t = np.arange(len(q), dtype=np.float64)
    prefixed = tuple(f"{path}: {note}" for note in notes)
    return t, q[:, places], u[:, places], du[:, places], prefixed
