"""Motions that show a robot's parameters: limits from its file, the search, what is written."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, NamedTuple

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
from inertial_check.identifying.recordings import matched
from inertial_check.identifying.request import Request, Term
from inertial_check.identifying.robot import Robot, read_robot
from inertial_check.identifying.torques import nuisance_of
from inertial_check.model.tree import TreeJoints, tree_of

_Motion = tuple[Floats, Floats, Floats, Floats, tuple[str, ...]]
"""Time, positions, velocities, accelerations; and what was done, one line each."""

Source = Literal["file", "option", "unknown"]
"""Where a limit comes from: the robot's file, the caller, nowhere."""

DURATION, HARMONICS = 10.0, 5
"""Of the motion, where the caller does not say: [s], and those of its Fourier series."""

MANY = 8
"""Joints, above which a search takes longer than half a minute: its steps grow with their cube."""

_ROUNDING = 1e-9
"""Of a limit, by which a motion may exceed it: files of trajectories have few digits."""


class Quantity(NamedTuple):
    """What is limited.

    Attributes:
        name: "position", "velocity", "acceleration" or "torque".
        turning: Its unit at a revolute joint.
        sliding: That at a prismatic one.
    """

    name: str
    turning: str
    sliding: str

    def unit(self, slides: bool) -> str:
        """Its unit at a joint."""
        return self.sliding if slides else self.turning


QUANTITIES = (
    Quantity("position", "rad", "m"),
    Quantity("velocity", "rad/s", "m/s"),
    Quantity("acceleration", "rad/s^2", "m/s^2"),
    Quantity("torque", "N m", "N"),
)


class Use(NamedTuple):
    """What a joint does of one quantity, and what it may do.

    Attributes:
        lower: The least that it may; NaN where that is not known.
        upper: The most.
        source: Who says so.
        least: The least that it does.
        most: The most.
        share: Of its limits, 1 at either of them; NaN where they are not known. Of positions, that
            of half the range, from its middle.
    """

    lower: float
    upper: float
    source: Source
    least: float
    most: float
    share: float


class JointUse(NamedTuple):
    """What one joint does.

    Attributes:
        joint: Its name.
        slides: Whether it is a prismatic one.
        uses: Of the QUANTITIES. The torque is that of the bodies as the file has them.
    """

    joint: str
    slides: bool
    uses: tuple[Use, ...]


@dataclass(frozen=True)
class ExcitationRequest:
    """What motion is asked for, or which is to be judged.

    Attributes:
        model: Path of the robot.
        context: Where the robot finds what it refers to.
        locked: Positions of joints that do not move [rad or m].
        gravity: (3,) in the axes of the base [m/s^2]; None for the usual.
        friction: Terms that are to be identified beside the bodies; None for the usual ones.
        position: Limits, texts LOWER:UPPER or JOINT=LOWER:UPPER [rad or m].
        velocity: Limits, texts VALUE or JOINT=VALUE [rad/s or m/s].
        acceleration: Likewise [rad/s^2 or m/s^2].
        duration: Of the motion [s].
        harmonics: Of its Fourier series.
        rate: Samples a second [Hz]; None for 32 in a period of the highest harmonic.
        seed: Of the motions that the search starts from.
        given: Path of a motion to be judged; None to look for one.
    """

    model: str
    context: Context = field(default_factory=Context)
    locked: Mapping[str, float] = field(default_factory=dict)
    gravity: tuple[float, ...] | None = None
    friction: tuple[Term, ...] | None = None
    position: Sequence[str] = ()
    velocity: Sequence[str] = ()
    acceleration: Sequence[str] = ()
    duration: float = DURATION
    harmonics: int = HARMONICS
    rate: float | None = None
    seed: int = 0
    given: str | None = None


@dataclass(frozen=True, eq=False)
class Excited:
    """A motion, and what it shows of a robot.

    Attributes:
        request: What was asked for.
        joints: Names of the n joints.
        t: (S,) [s].
        q: (S, n) positions [rad or m].
        u: (S, n) velocities.
        du: (S, n) accelerations.
        condition: Of the motion.
        before: Of the random motion that it was improved from; None for a given one.
        uses: What each joint does.
        notes: What was taken for granted, one line each.
    """

    request: ExcitationRequest
    joints: tuple[str, ...]
    t: Floats
    q: Floats
    u: Floats
    du: Floats
    condition: Condition
    before: Condition | None
    uses: tuple[JointUse, ...]
    notes: tuple[str, ...]

    @property
    def exceeded(self) -> tuple[str, ...]:
        """What goes beyond a limit, as "velocity of elbow"."""
        return tuple(
            f"{quantity.name} of {each.joint}"
            for each in self.uses
            for quantity, use in zip(QUANTITIES, each.uses, strict=True)
            if use.share > 1 + _ROUNDING
        )

    def file(self, path: str) -> bytes:
        """The motion as a file of this name: time, positions, velocities and accelerations.

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

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        condition, before = self.condition, self.before
        return {
            "model": self.request.model,
            "given": self.request.given,
            "samples": len(self.t),
            "duration": float(self.t[-1] - self.t[0]),
            "condition_number": _known(condition.number),
            "condition_number_before": None if before is None else _known(before.number),
            "rank": condition.rank,
            "columns": condition.columns,
            "singular_values": condition.singular_values.tolist(),
            "joints": [_as_dict(each) for each in self.uses],
            "exceeded": list(self.exceeded),
            "notes": list(self.notes),
        }


def excite(request: ExcitationRequest, announce: Callable[[str], None] | None = None) -> Excited:
    """Find a motion that shows a robot's parameters, or judge a given one.

    Args:
        request: What is asked for.
        announce: Is told before a search that takes long.

    Raises:
        DocumentError: A file cannot be read, or is no robot model or no motion.
        UsageError: The robot has no tree or no limits that a motion could keep; names the joint
            and the option that gives them. The given motion is of other joints.
        ParameterError: A duration, rate or number of harmonics that no motion has.
    """
    asked = Request(
        data=(),
        model=request.model,
        context=request.context,
        locked=request.locked,
        gravity=request.gravity,
        friction=request.friction,
    )
    robot = read_robot(asked)
    read = tree_of(robot.model, "fixed", request.locked)
    limits, sources = _limits(request, robot, read.joints)
    gravity = GRAVITY if request.gravity is None else request.gravity
    beside = nuisance_of(asked, robot, range(len(robot.joints)))
    shown: dict[str, Any] = {"nuisance": beside, "gravity": gravity}
    if request.given is None:
        _refuse_open(request, robot, limits)
        if announce is not None and len(robot.joints) > MANY:
            announce(
                f"looking for a motion of {len(robot.joints)} joints, which can take minutes, for "
                "dozens of joints hours: --locked JOINT leaves one out"
            )
        found = optimise(
            robot.tree,
            limits,
            duration=request.duration,
            harmonics=request.harmonics,
            rate=request.rate,
            seed=request.seed,
            **shown,
        )
        t, q, u, du = found.t, found.q, found.u, found.du
        condition, before = found.condition, found.condition_start
        notes: tuple[str, ...] = ()
    else:
        t, q, u, du, notes = _given(request.given, robot)
        condition, before = condition_number(robot.tree, q, u, du, **shown), None
    tau = np.asarray(inverse_dynamics(robot.tree, q, u, du, gravity=gravity))
    uses = tuple(_uses(robot, limits, sources, read.joints.effort, (q, u, du, tau)))
    return Excited(
        request, robot.joints, t, q, u, du, condition, before, uses, (*read.notes, *notes)
    )


def _limits(
    request: ExcitationRequest, robot: Robot, stated: TreeJoints
) -> tuple[Limits, dict[str, list[Source]]]:
    """The limits, NaN where none is known, and where they come from, by quantity."""
    arrays: dict[str, Floats] = {}
    sources: dict[str, list[Source]] = {}
    for name, texts, ends in (
        ("position", request.position, ("lower", "upper")),
        ("velocity", request.velocity, ("velocity",)),
        ("acceleration", request.acceleration, ("acceleration",)),
    ):
        found = [np.array(getattr(stated, end)) for end in ends]
        known = np.isfinite(np.stack(found)).all(axis=0)
        source: list[Source] = ["file" if each else "unknown" for each in known]
        for joints, numbers in _options(f"--{name}-limit", texts, len(ends), robot):
            for joint in joints:
                source[joint] = "option"
                for array, number in zip(found, numbers, strict=True):
                    array[joint] = number
        arrays |= dict(zip(ends, found, strict=True))
        sources[name] = source
    return Limits(**arrays), sources


def _options(
    option: str, texts: Sequence[str], count: int, robot: Robot
) -> Iterator[tuple[Sequence[int], list[float]]]:
    """The joints and the numbers of every text, those for all joints first.

    Raises:
        UsageError: A text of another form, or a joint that does not exist.
    """
    form = "LOWER:UPPER" if count == 2 else "VALUE"
    for text in sorted(texts, key=lambda text: "=" in text):
        name, sign, value = text.rpartition("=")
        numbers = [_number(part) for part in value.split(":")]
        if len(numbers) != count or not all(map(isfinite, numbers)):
            raise UsageError(f"{option} {text}: expected [JOINT=]{form}")
        every = range(len(robot.joints))
        yield [robot.joint(name.strip(), option)] if sign else every, numbers


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _refuse_open(request: ExcitationRequest, robot: Robot, limits: Limits) -> None:
    """Refuse limits that are not known, are none, or leave no room.

    Raises:
        UsageError: Names the joints and the options that give them.
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
                f"{request.model}: the {quantity.name} limit of {name} is {numbers} and leaves no "
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
        raise UsageError(f"{request.model}: {'; '.join(missing)}")


def _given(path: str, robot: Robot) -> _Motion:
    """Time, positions, velocities and accelerations of a file, in the order of the robot's joints.

    Raises:
        UsageError: It has other joints, no positions, or neither time nor the derivatives.
    """
    motion = read_recording(path, torques=False)
    if motion.q is None:
        raise UsageError(f"{path}: it has Y and no q: a motion has q, and t or qd and qdd")
    places, (t, q, u, du) = matched(motion, robot), (motion.t, motion.q, motion.u, motion.du)
    notes: tuple[str, ...] = ()
    if u is None or du is None:
        if t is None:
            raise UsageError(f"{path}: no t, and not both qd and qdd: expected one or the other")
        t, q, u, du, notes = _planned(t, q, u) if motion.tau is None else _measured(motion, t, q)
    if t is None:
        t = np.arange(len(q), dtype=np.float64)
    said = tuple(f"{path}: {note}" for note in notes)
    return t, q[:, places], u[:, places], du[:, places], said


def _planned(t: Floats, q: Floats, u: Floats | None) -> _Motion:
    """A motion without torques, with central differences for what it does not have."""
    clocked = resample(t, q if u is None else np.concatenate([q, u], axis=1))
    q, speeds = np.split(clocked.signals, [q.shape[1]], axis=1)
    u = differentiate(q, clocked.rate) if u is None else speeds
    said = "no torques, so it was planned: derivatives are central differences, unfiltered"
    return clocked.t, q, u, differentiate(u, clocked.rate), (said, *clocked.notes)


def _measured(motion: Recording, t: Floats, q: Floats) -> _Motion:
    """A motion with torques, filtered."""
    found = smooth(t, q, motion.tau, motion.u, motion.du)
    said = "torques, so it was measured: filtered as before an identification"
    return found.t, found.q, found.u, found.du, (said, *found.notes)


def _uses(
    robot: Robot,
    limits: Limits,
    sources: Mapping[str, Sequence[Source]],
    effort: Floats,
    motion: Sequence[Floats],
) -> Iterator[JointUse]:
    """What each joint does of what it may."""
    efforts: list[Source] = ["file" if each else "unknown" for each in np.isfinite(effort)]
    ends = (
        (limits.lower, limits.upper, sources["position"]),
        (-limits.velocity, limits.velocity, sources["velocity"]),
        (-limits.acceleration, limits.acceleration, sources["acceleration"]),
        (-effort, effort, efforts),
    )
    for joint, name in enumerate(robot.joints):
        uses = tuple(
            _use(float(lower[joint]), float(upper[joint]), source[joint], signal[:, joint])
            for (lower, upper, source), signal in zip(ends, motion, strict=True)
        )
        yield JointUse(name, robot.units[joint] == "N", uses)


def _use(lower: float, upper: float, source: Source, signal: Floats) -> Use:
    least, most = float(signal.min()), float(signal.max())
    middle, half = (upper + lower) / 2, (upper - lower) / 2
    known = source != "unknown" and half > 0
    share = max(most - middle, middle - least) / half if known else float("nan")
    return Use(lower, upper, source, least, most, share)


def _are_columns(names: Sequence[str]) -> bool:
    """Whether names can stand in the header of a csv file and tell its columns apart."""
    return len(set(names)) == len(names) and all(
        name.strip() == name and name and not set(name) & set(',;\t"#[]()\r\n') for name in names
    )


def _as_dict(each: JointUse) -> dict[str, Any]:
    return {
        "joint": each.joint,
        **{
            quantity.name: {
                "unit": quantity.unit(each.slides),
                "lower": _known(use.lower),
                "upper": _known(use.upper),
                "source": use.source,
                "least": use.least,
                "most": use.most,
                "share": _known(use.share),
            }
            for quantity, use in zip(QUANTITIES, each.uses, strict=True)
        },
    }


def _known(value: float) -> float | None:
    return value if isfinite(value) else None
