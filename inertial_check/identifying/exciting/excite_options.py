"""Options of `excite`: the robot, its limits, what must not touch, and the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from inertial_check.formats import Context
from inertial_check.identification.excitation import Criterion
from inertial_check.identifying.exciting.collisions import CollisionOptions
from inertial_check.identifying.exciting.limits import LimitOptions
from inertial_check.identifying.options import FrictionOptions, RobotOptions


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
