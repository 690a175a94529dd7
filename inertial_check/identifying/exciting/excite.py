"""Excitation of a robot: limits from its file, a motion that shows its parameters, its file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.equations import GRAVITY
from inertial_check.errors import UsageError
from inertial_check.formats.recordings import Recording, read_recording
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.excitation import (
    TorqueLimits,
    Weights,
    condition_number,
    optimise,
    predict_torques,
)
from inertial_check.identification.excitation.clearance import Clearance
from inertial_check.identification.recordings.signals import differentiate, resample, smooth
from inertial_check.identifying.exciting.collisions import Collisions, read_collisions
from inertial_check.identifying.exciting.excite_options import ExciteOptions, SearchOptions
from inertial_check.identifying.exciting.excited import Approach, RobotExcitation, list_ranges
from inertial_check.identifying.exciting.limits import (
    JointLimits,
    LimitOptions,
    read_limits,
    read_number,
    refuse_open,
)
from inertial_check.identifying.friction import SYMBOLS, build_nuisance
from inertial_check.identifying.options import FRICTION_TERMS, FrictionOptions
from inertial_check.identifying.recordings.matching import match_joints
from inertial_check.identifying.robot.robot import Robot, read_robot, refuse_loops
from inertial_check.model.tree import tree_of

__all__ = ["ExciteOptions", "LimitOptions", "RobotExcitation", "SearchOptions", "excite"]

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
        gravity=plan.gravity,
        weights=plan.weights,
        torques=plan.torques if np.isfinite(plan.torques.most).any() else None,
        obstacles=plan.collisions.obstacles,
        progress=progress,
        **vars(options.search),
    )
    motions = tuple(each[1:] for each in found.trajectories)
    signals = [np.concatenate(each) for each in list(zip(*motions, strict=True))[1:]]
    use = predict_torques(plan.robot.tree, signals, plan.torques, gravity=plan.gravity)
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


class _Plan(NamedTuple):
    """Robot, limits and weights of an excitation, read from its options."""

    robot: Robot
    limits: JointLimits
    nuisance: Nuisance
    gravity: Sequence[float] | Floats
    weights: Weights | None
    torques: TorqueLimits
    collisions: Collisions
    notes: tuple[str, ...]


def _refuse_nonlinear(options: FrictionOptions) -> None:
    """Refuse friction whose columns depend on what is to be identified.

    Raises:
        UsageError: There is some. The message names it.
    """
    terms = [term for term in options.friction or () if term in ("stribeck", "load")]
    if terms:
        raise UsageError(
            f"--friction {','.join(terms)}: which motion shows it depends on its own numbers; a "
            "motion for viscous,coulomb with slow and fast parts shows it, too"
        )


def _read_plan(options: ExciteOptions) -> _Plan:
    robot = read_robot(options.model, options.context, options.robot)
    refuse_loops(robot)
    read = tree_of(robot.model, "fixed", options.robot.locked)
    limits = read_limits(options.limits, robot, read.joints, options.given is None)
    _refuse_nonlinear(options.friction)
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
    notes += [each.message for each in robot.remarks if each.kind == "turned-base"]
    if options.given is None and np.isfinite(most).any() and not (viscous + coulomb).any():
        notes.append("no friction in the file: torques are predicted without any")
    gravity = GRAVITY if options.robot.gravity is None else options.robot.gravity
    weights = read_weights(options.weights, robot, nuisance.names)
    return _Plan(robot, limits, nuisance, gravity, weights, torques, collisions, tuple(notes))


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
        gravity=plan.gravity,
        weights=plan.weights,
    )
    use = predict_torques(robot.tree, (q, u, du), plan.torques, gravity=plan.gravity)
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
