"""Options of `identify` and `excite`, stated once: one group for each group of the command line.

The functions read the texts of the options that are more than a number or a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Literal, get_args

from inertial_check.documents.context import Context
from inertial_check.errors import UsageError
from inertial_check.identification.fit.solve import FitOptions, Method, WeightRule
from inertial_check.identification.motion.signals import Smoothing
from inertial_check.inertia.representations import Order

WrenchAxes = Literal["body", "world"]
"""Axes of the components of a wrench: those of the body that it acts on, or of the world."""

WrenchOrder = Literal["force-first", "moment-first"]
"""Order of the six numbers of a wrench."""

TwistAxes = Literal["world", "body", "mixed"]
"""Axes of the base's velocity and acceleration; mixed: linear in the world, angular in the body."""

QuaternionOrder = Literal["wxyz", "xyzw"]
"""Order of the four numbers of a quaternion in an array of poses."""

FORCES, MOMENTS = ("fx", "fy", "fz"), ("mx", "my", "mz")
"""Endings of the names of the columns of a wrench."""

EVERY_BODY = "*"
"""Value of --force-plate for a robot of which several bodies, or unknown ones, touch the plate."""


@dataclass(frozen=True, kw_only=True)
class ContactOptions:
    """Wrenches from outside and motion of the base, as a recording states them.

    Attributes:
        contact: Names of bodies, each with the names of its columns: one prefix or array, or three
            or six columns.
        wrench_axes: Axes of the wrenches.
        wrench_order: Order of the six numbers of each wrench.
        reverse_wrench: Bodies whose wrenches are recorded as the robot's on its surroundings.
        force_plate: Name of the body that stands on a force plate; "" for the base, EVERY_BODY for
            any bodies; None without a plate.
        plate_at: Origin of the plate's wrench in the world [m].
        twist_axes: Axes of the velocity and acceleration of the base.
        quaternion_order: Order of the quaternion in an array of poses.
    """

    contact: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wrench_axes: WrenchAxes = "body"
    wrench_order: WrenchOrder = "force-first"
    reverse_wrench: tuple[str, ...] = ()
    force_plate: str | None = None
    plate_at: tuple[float, ...] = (0.0, 0.0, 0.0)
    twist_axes: TwistAxes = "world"
    quaternion_order: QuaternionOrder = "wxyz"

    def __post_init__(self) -> None:
        """Refuse a point that is none.

        Raises:
            UsageError: The message names the option.
        """
        if len(self.plate_at) != 3 or not all(map(isfinite, self.plate_at)):
            raise UsageError(f"--plate-at is {self.plate_at}, expected three numbers: X,Y,Z [m]")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns and arrays that the options ask for."""
        found: list[str] = []
        for _, names in self.contact:
            found += names
            if len(names) == 1:
                found += [f"{names[0]}_{part}" for part in (*FORCES, *MOMENTS)]
        return tuple(found)


def read_contacts(texts: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read contacts from texts BODY=PREFIX or BODY=COLUMN,COLUMN,...

    Raises:
        UsageError: A text of another form, or a body that is named twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        body, sign, columns = text.partition("=")
        names = tuple(name.strip() for name in columns.split(","))
        if not (sign and body.strip() and all(names)) or len(names) not in (1, 3, 6):
            raise UsageError(
                f"--contact {text}: expected BODY=PREFIX, or BODY= and three or six columns"
            )
        if body.strip() in found:
            raise UsageError(f"--contact names {body.strip()} twice")
        found[body.strip()] = names
    return tuple(found.items())


FrictionTerm = Literal["viscous", "coulomb", "offset", "rotor", "asymmetric", "stribeck", "load"]
"""Kind of torque that a joint has besides that of the bodies."""

FRICTION_TERMS: tuple[FrictionTerm, ...] = get_args(FrictionTerm)
"""All kinds of torque besides that of the bodies, in the order of their columns."""

DEFAULT_WEIGHT: WeightRule = "evidence"
"""Default rule that chooses the weight of the prior."""

ALL_OTHERS = "others"
"""Word of --locked for every joint that no recording has; a joint of that name is `others=0`."""

UNKNOWN: Literal["unknown"] = "unknown"
"""Word of --gain for drive gains that are found with the bodies."""

TimeUnit = Literal["s", "ms", "us", "ns", "min"]
"""Unit of the time stamps of a recording."""

USUAL_TERMS: tuple[FrictionTerm, ...] = ("viscous", "coulomb", "offset")
"""Default friction terms: every drive has the first two, and every sensor an offset."""


@dataclass(frozen=True, kw_only=True)
class RecordingOptions:
    """Recordings, their units, and the processing of their signals.

    Attributes:
        validation: Paths of recordings that are predicted and not fitted.
        holdout: Part of each recording that is predicted and not fitted.
        gain: Factors of the torques, one for all joints or one for each; None for 1, and "unknown"
            for drive gains that are found with the bodies.
        degrees: Whether angles are recorded in degrees.
        time_unit: Unit of the time stamps.
        reverse: Names of joints whose positions and their rates have the other sign.
        delay: Time by which the torques come later than the motion that they belong to [s].
        columns: Path of a file that says what the columns mean; None to understand their names.
        skip_bad_rows: Whether samples that cannot be used are left out, with a remark.
        topic: Topic of ROS recordings; None for the only one with joint states.
        beside: Further files of the same motions, each with the recording that it belongs to; ""
            for the only one.
        clock_offset: Time by which the clocks of these files are ahead [s], or "estimate"; None
            for one clock.
        smoothing: Clock, filter and derivatives of the signals.
    """

    validation: tuple[str, ...] = ()
    holdout: float = 0.0
    gain: tuple[float, ...] | Literal["unknown"] | None = None
    degrees: bool = False
    time_unit: TimeUnit = "s"
    reverse: tuple[str, ...] = ()
    delay: float = 0.0
    columns: str | None = None
    skip_bad_rows: bool = False
    topic: str | None = None
    beside: tuple[tuple[str, str], ...] = ()
    clock_offset: float | Literal["estimate"] | None = None
    smoothing: Smoothing = field(default_factory=Smoothing)

    def __post_init__(self) -> None:
        """Refuse numbers out of range.

        Raises:
            UsageError: The message names the option.
        """
        if not 0 <= self.holdout < 1:
            raise UsageError(f"--holdout is {self.holdout!r}, expected 0 or more and less than 1")
        if not isfinite(self.delay):
            raise UsageError(f"--delay is {self.delay!r}, expected a time [s]")


@dataclass(frozen=True, kw_only=True)
class RobotOptions:
    """Robot as it stood while it was recorded.

    Attributes:
        base: Attachment of the robot to the world.
        gravity: (3,) acceleration of gravity in the axes of the base [m/s^2]; None for
            that of the file, else (0, 0, -9.81).
        locked: Positions of joints that do not move [rad or m].
        lock_others: Whether every joint that no recording has is held, too: at 0, unless `locked`
            has its position.
        unmeasured: Names of joints whose motion is recorded and whose torque is not.
        order: Order of the last six of each body's columns in a regressor Y from a file.
        merge_fixed: Whether bodies that no joint moves apart are identified as one body.
    """

    base: Literal["fixed", "floating"] = "fixed"
    gravity: tuple[float, ...] | None = None
    locked: Mapping[str, float] = field(default_factory=dict)
    lock_others: bool = False
    unmeasured: tuple[str, ...] = ()
    order: Order | None = None
    merge_fixed: bool = True

    def __post_init__(self) -> None:
        """Refuse a gravity that is no vector.

        Raises:
            UsageError: The message names the option.
        """
        if self.gravity is not None and len(self.gravity) != 3:
            raise UsageError(f"--gravity has {len(self.gravity)} numbers, expected three: X,Y,Z")


@dataclass(frozen=True, kw_only=True)
class FrictionOptions:
    """Torques that joints have besides those of the bodies.

    Attributes:
        friction: Friction terms; None for USUAL_TERMS.
        friction_prior: Standard deviation about 0 of a term; a term without one is free.
        coupling: Pairs of joints that share a gear.
        stribeck_velocity: Velocities at which Stribeck's friction has fallen to 1/e, one for all
            joints or one for each [rad/s or m/s]; None to identify them.
    """

    friction: tuple[FrictionTerm, ...] | None = None
    friction_prior: Mapping[FrictionTerm, float] = field(default_factory=dict)
    coupling: tuple[tuple[str, str], ...] = ()
    stribeck_velocity: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse velocities that are not positive, or not used.

        Raises:
            UsageError: The message names the option.
        """
        velocity = self.stribeck_velocity
        if velocity is None:
            return
        if self.friction is None or "stribeck" not in self.friction:
            raise UsageError("--stribeck-velocity is for --friction viscous,coulomb,stribeck")
        if not all(0 < own < inf for own in velocity):
            raise UsageError(
                f"--stribeck-velocity is {', '.join(map(repr, velocity))}, expected positive "
                "velocities [rad/s or m/s]"
            )


@dataclass(frozen=True, kw_only=True)
class IdentifyOptions:
    """Everything that an identification from files is asked for.

    Attributes:
        data: Paths of the recordings to fit.
        model: Path of the robot.
        context: Folders and arguments that the robot's file refers to.
        recordings: Recordings and their signals.
        robot: Robot while it was recorded.
        prior: Source of the expected bodies: "file", "geometry", or the path of another model.
        friction: Torques besides those of the bodies.
        total_mass: Mass of the identified bodies [kg], and its relative tolerance.
        mass: Known masses by body [kg].
        contacts: Wrenches from outside, and the motion of the base.
        loads: Path of the file of loads that the robot carried; None for none.
        method: Method of the identification.
        fit: Weights, metric and loss of the fit.
    """

    data: tuple[str, ...]
    model: str
    context: Context = field(default_factory=Context)
    recordings: RecordingOptions = field(default_factory=RecordingOptions)
    robot: RobotOptions = field(default_factory=RobotOptions)
    prior: str = "file"
    friction: FrictionOptions = field(default_factory=FrictionOptions)
    total_mass: tuple[float, float] | None = None
    mass: Mapping[str, float] = field(default_factory=dict)
    contacts: ContactOptions = field(default_factory=ContactOptions)
    loads: str | None = None
    method: Method = "least-squares"
    fit: FitOptions = field(default_factory=lambda: FitOptions(regularization=DEFAULT_WEIGHT))


def read_terms(words: Sequence[str]) -> tuple[FrictionTerm, ...]:
    """Read the friction terms that words name, in the order of FRICTION_TERMS; "none" for none.

    Raises:
        UsageError: An unknown term.
    """
    if list(words) == ["none"]:
        return ()
    _refuse_unknown("--friction", words)
    return tuple(term for term in FRICTION_TERMS if term in words)


def read_beside(texts: Sequence[str], recordings: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read further files of recordings, from texts FILE or DATA=FILE.

    Returns:
        The recording and the file of each.

    Raises:
        UsageError: Several recordings, and none is named.
    """
    found = []
    for text in texts:
        owner = next((path for path in recordings if text.startswith(f"{path}=")), None)
        if owner is None and len(recordings) > 1:
            raise UsageError(
                f"--with {text}: there are {len(recordings)} recordings: DATA=FILE says to which "
                "of them the file belongs"
            )
        file = text if owner is None else text[len(owner) + 1 :]
        found.append((owner or recordings[0], file))
    return tuple(found)


def read_clock_offset(text: str) -> float | Literal["estimate"]:
    """Read the offset of a clock [s], or the word estimate.

    Raises:
        UsageError: It is neither.
    """
    return "estimate" if text == "estimate" else _read_number("--clock-offset", text, text)


def read_scales(text: str) -> dict[FrictionTerm, float]:
    """Read standard deviations by friction term, from SCALE or TERM=SCALE,...

    Raises:
        UsageError: A text of another form, or a scale that is not positive.
    """
    if "=" not in text:
        scale = _read_number("--friction-prior", text, text)
        found: dict[str, float] = dict.fromkeys(FRICTION_TERMS, scale)
    else:
        found = _read_assignments("--friction-prior", text.split(","), "TERM=SCALE")
        _refuse_unknown("--friction-prior", list(found))
    for term, scale in found.items():
        if not scale > 0:
            raise UsageError(f"--friction-prior: {term} is {scale!r}, expected more than 0")
    return {term: found[term] for term in FRICTION_TERMS if term in found}


def read_positions(texts: Sequence[str]) -> dict[str, float]:
    """Read positions by joint, from texts JOINT or JOINT=POSITION [rad or m].

    Raises:
        UsageError: A position that is no number.
    """
    given = [text if "=" in text else f"{text}=0" for text in texts]
    return _read_assignments("--locked", given, "JOINT[=POSITION]")


def read_locks(texts: Sequence[str]) -> tuple[dict[str, float], bool]:
    """Read the joints to lock, from texts JOINT, JOINT=POSITION or others.

    Returns:
        Positions by joint [rad or m], and whether all joints that no recording has are locked, too.

    Raises:
        UsageError: A position that is no number.
    """
    named = [text for text in texts if text.strip() != ALL_OTHERS]
    return read_positions(named), len(named) < len(texts)


def read_masses(texts: Sequence[str]) -> dict[str, float]:
    """Read masses by body, from texts BODY=KG.

    Raises:
        UsageError: A text of another form, or a mass that is not positive.
    """
    found = _read_assignments("--mass", texts, "BODY=KG")
    for body, mass in found.items():
        if not mass > 0:
            raise UsageError(f"--mass: {body} is {mass!r} kg, expected more than 0")
    return found


def read_total_mass(text: str) -> tuple[float, float]:
    """Read a mass and its relative tolerance, from KG or KG:REL.

    Raises:
        UsageError: A text of another form, or a number that no robot has.
    """
    mass, colon, relative = text.partition(":")
    found = (
        _read_number("--total-mass", text, mass),
        _read_number("--total-mass", text, relative) if colon else 0.0,
    )
    if not (found[0] > 0 and 0 <= found[1] < 1):
        raise UsageError(f"--total-mass {text}: expected KG above 0, and REL from 0 to below 1")
    return found


def read_couplings(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read pairs of joints, from texts JOINT,JOINT.

    Raises:
        UsageError: A text of another form.
    """
    return read_pairs("--coupling", texts, "joints, JOINT,JOINT")


def read_pairs(option: str, texts: Sequence[str], form: str) -> tuple[tuple[str, str], ...]:
    """Read pairs of different names, which an option takes with a comma between them.

    Raises:
        UsageError: A text of another form; the message says which one is expected.
    """
    found = []
    for text in texts:
        names = [part.strip() for part in text.split(",")]
        if len(names) != 2 or not all(names) or names[0] == names[1]:
            raise UsageError(f"{option} {text}: expected two {form}")
        found.append((names[0], names[1]))
    return tuple(found)


def _read_assignments(option: str, texts: Sequence[str], form: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not (sign and name.strip()):
            raise UsageError(f"{option} {text}: expected {form}")
        found[name.strip()] = _read_number(option, text, value)
    return found


def _read_number(option: str, text: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        raise UsageError(f"{option} {text}: {value!r} is no number") from None
    if not isfinite(number):
        raise UsageError(f"{option} {text}: {value!r} is not finite")
    return number


def _refuse_unknown(option: str, words: Sequence[str]) -> None:
    for word in words:
        if word not in FRICTION_TERMS:
            raise UsageError(f"{option}: {word!r} is none of {', '.join(FRICTION_TERMS)}, none")
