"""Suspicion of recordings: turned joints, exchanged columns, units of angle and of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.equations import GRAVITY, inverse_dynamics
from inertial_check.identification.estimation.result import Identification
from inertial_check.identification.estimation.sampled import Samples
from inertial_check.identification.recordings.mistakes import (
    SAMPLES,
    WRENCH_KINDS,
    Comparison,
    Finding,
    Mistake,
    Motion,
    find_clock,
    find_mistakes,
    list_mistakes,
    select_rows,
)
from inertial_check.identifying.floating.suspicious_wrenches import (
    describe_wrench_mistakes,
    found_rows,
    list_wrench_mistakes,
    pose_whole_comparison,
)
from inertial_check.identifying.options import UNKNOWN, IdentifyOptions
from inertial_check.identifying.recordings.datasets import Dataset, Datasets
from inertial_check.identifying.recordings.unmeasured import leave_out_rows, list_unmeasured
from inertial_check.identifying.robot.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.model import Severity
from inertial_check.model.identified import Remark, TorqueFit

WELL_EXPLAINED = 0.95
"""Part of a torque's variance from which on its fit raises no suspicion: every joint of the three
published recordings has more."""


def judge_recordings(
    options: IdentifyOptions,
    robot: Robot,
    datasets: Datasets,
    found: Identification,
    fit: TorqueFit,
) -> Iterator[Remark]:
    """Remark on mistakes of the fitted recordings: each is an error that names its joints.

    Args:
        options: Options of the identification.
        robot: Robot that moved.
        datasets: Recordings.
        found: Result of the fit.
        fit: Fit of the torques of all these recordings.
    """
    suspicious = _is_suspicious(found, fit)
    for data in datasets.train:
        comparison, motion = _pose_comparison(options, robot, data, found)
        clock = None
        if data.motion is not None:
            clock = find_clock(comparison, motion, _measure_slowness(options, robot, motion))
        if clock is not None:
            yield _describe_clock(data.path, clock)
        elif suspicious:
            mistakes = find_mistakes(comparison, motion, _list_hypotheses(options, robot, data))
            if mistakes is not None:
                yield from _describe_mistakes(data, options, robot, mistakes)


def _is_suspicious(found: Identification, fit: TorqueFit) -> bool:
    """Decide whether a fit is worse than those of sound recordings."""
    if any(joint.rms > 0 and not joint.r_squared >= WELL_EXPLAINED for joint in fit.joints):
        return True
    # Friction that would have to be negative ends at its bound.
    friction = (value for name, value in found.nuisance.items() if name.startswith(("fv", "fc")))
    return any(value <= 0 for value in friction)


def _pose_comparison(
    options: IdentifyOptions, robot: Robot, data: Dataset, found: Identification
) -> tuple[Comparison, Motion]:
    """Pose the comparison of hypotheses on some samples of a recording."""
    theta0, nuisance = found.problem.theta0, data.samples.nuisance
    if data.motion is not None and data.motion.whole is not None:
        return pose_whole_comparison(options, robot, data, theta0)
    # A body that carries a load is another body, so each recording is explained without loads.
    count = len(robot.bodies)
    theta0 = theta0[:count]
    if data.motion is None:
        Y, F, tau = (np.concatenate(parts) for parts in zip(*data.samples.blocks(), strict=True))
        A = np.concatenate([Y[:, :, : 10 * count], F], axis=2)
        rows = select_rows(len(tau))
        A, tau = A[rows], tau[rows]
        still = np.zeros_like(tau)
        return Comparison(lambda _: A, theta0, nuisance), Motion(still, still, still, tau)
    gravity = options.robot.gravity

    def columns(motion: Motion) -> Floats:
        samples = Samples.of_trajectory(
            robot.tree,
            *motion[:4],
            nuisance,
            bodies=robot.bodies,
            gravity=GRAVITY if gravity is None else gravity,
            rows=SAMPLES,
        )
        unmeasured = list_unmeasured(options.robot, robot)
        ((A, _),) = leave_out_rows(samples, unmeasured).rows()
        return A

    motion = Motion(*(getattr(data.motion, name) for name in ("q", "u", "du", "tau")))
    if found.gains is not None:
        motion = motion._replace(tau=motion.tau * found.gains.values)
    return Comparison(columns, theta0, nuisance), motion.thin()


def _list_hypotheses(options: IdentifyOptions, robot: Robot, data: Dataset) -> list[Mistake]:
    """List the mistakes that a recording can have."""
    count = len(robot.joints)
    whole = None if data.motion is None else data.motion.whole
    if data.motion is None:
        still = np.zeros(count, dtype=bool)
        every = list_mistakes(count, still, still, degrees=False)
        return [each for each in every if each.is_in_torques]
    moving = np.ptp(data.motion.q, axis=0) > 0
    revolute = np.array([unit == "N m" for unit in robot.units])
    found = list(list_mistakes(count, moving, revolute, options.recordings.degrees))
    if whole is None:
        return found
    # Torques that are not in the equations cannot be exchanged or turned.
    found = [
        each
        for each in found
        if not each.is_in_torques or any(joint in whole.joints for joint in each.joints)
    ]
    return [*found, *list_wrench_mistakes(whole)]


def _measure_slowness(options: IdentifyOptions, robot: Robot, motion: Motion) -> float:
    """Torques of inertia that the robot's file predicts, relative to the measured ones."""
    if motion.base is not None:
        return 0.0  # gravity and contacts hide them
    gravity = options.robot.gravity
    still = np.zeros_like(motion.u)
    with np.errstate(over="ignore", invalid="ignore"):
        moved, held = (
            inverse_dynamics(
                robot.tree, motion.q, *rates, gravity=GRAVITY if gravity is None else gravity
            )
            for rates in ((motion.u, motion.du), (still, still))
        )
        measured = np.sqrt((motion.tau**2).mean(axis=0))
        inertial = np.sqrt(((moved - held) ** 2).mean(axis=0))
    told = (measured > 0) & np.isfinite(inertial)
    # Below rounding of the torques of gravity the difference of both says nothing.
    told &= inertial > tolerances.EPS * np.sqrt((np.asarray(held) ** 2).mean(axis=0))
    return float(np.max(inertial[told] / measured[told], initial=0.0))


def _describe_clock(path: str, clock: Mistake) -> Remark:
    return Remark(
        Severity.ERROR,
        "time",
        f"{path}: as seconds, the time makes the torques of inertia vanish beside the measured "
        f"ones: it is in {clock.unit}; --time-unit {clock.unit} reads it so",
    )


def _describe_mistakes(
    data: Dataset, options: IdentifyOptions, robot: Robot, found: Finding
) -> Iterator[Remark]:
    """Describe mistakes of a recording with the evidence and the option that mends each."""
    joints, rows = robot.joints, found_rows(data, robot)
    shown = ", ".join(
        f"{rows[k]} {100 * found.before[k]:.2g} -> {100 * found.after[k]:.2g} %"
        for k in np.argsort(found.after - found.before)[:4].tolist()
        if found.after[k] < found.before[k]
    )
    path, evidence = (
        data.path,
        f"without that, less of the torques' variance stays unexplained: {shown}",
    )
    for kind, signal in _TURNED.items():
        turned = _list_turned(found, kind)
        if turned:
            also = [other for each, others in found.pairs if each.kind == kind for other in others]
            or_else = " (or its position)" if also and kind == "torque-sign" else ""
            or_else = " (or its torque)" if also and kind == "position-sign" else or_else
            names = [joints[k] for k in turned]
            what = f"{', '.join(names)}: the {signal} has the other sign{or_else}"
            gains = f"--gain={_list_gains(options, len(joints), turned)} turns it"
            reverse = f"{' '.join(f'--reverse {name}' for name in names)} turns it"
            hint = gains if kind == "torque-sign" else reverse
            yield Remark(Severity.ERROR, "sign", f"{path}: {what}: {evidence}; {hint}")
    yield from describe_wrench_mistakes(data, found, evidence)
    for mistake, others in found.pairs:
        if mistake.kind in _TURNED or mistake.kind in WRENCH_KINDS:
            continue
        which = " and ".join(joints[k] for k in mistake.joints)
        or_both = "".join(f" (or {_name_signal(each)})" for each in others)
        kind, what, hint = _word(mistake, which)
        yield Remark(Severity.ERROR, kind, f"{path}: {what}{or_both}: {evidence}; {hint}")


def _list_turned(found: Finding, kind: str) -> list[int]:
    """List the joints that mistakes of a kind turn round; turned twice is not turned."""
    times: Counter[int] = Counter()
    for mistake in found.mistakes:
        times.update(mistake.joints if mistake.kind == kind else ())
    return sorted(joint for joint, count in times.items() if count % 2)


_TURNED = {"torque-sign": "torque", "position-sign": "position"}
"""Signals of the mistakes that turn a joint round."""


def _word(mistake: Mistake, names: str) -> tuple[str, str, str]:
    """Return the kind of the remark on a mistake, its subject, and what to do."""
    match mistake.kind:
        case "torques-exchanged":
            what, hint = "the torques are exchanged", "exchange these two columns of tau"
        case "positions-exchanged":
            what, hint = (
                "the positions are exchanged",
                "exchange their columns of q, qd, qdd",
            )
        case "joints-exchanged":
            what, hint = "the joints are exchanged", "exchange their names, or all their columns"
        case "degrees":
            in_degrees = mistake.factor > 1
            what = f"positions are in {'degrees' if in_degrees else 'radians'}"
            hint = "--degrees reads them so" if in_degrees else "leave out --degrees"
            return "degrees", what, hint
        case _:
            hint = f"--time-unit {mistake.unit} reads it so"
            return "time", f"time is in {mistake.unit}, not in s", hint
    return "exchanged", f"{names}: {what}", hint


def _name_signal(mistake: Mistake) -> str:
    return {
        "torques-exchanged": "their torques",
        "positions-exchanged": "their positions",
        "joints-exchanged": "both",
    }.get(mistake.kind, mistake.kind)


def _list_gains(options: IdentifyOptions, joints: int, turned: list[int]) -> str:
    """List the gains of all joints, with those of some joints turned."""
    given = options.recordings.gain
    given = (1.0,) if given is None or given == UNKNOWN else given
    gains = np.array(np.broadcast_to(np.array(given), (joints,)))
    gains[turned] *= -1.0
    return ",".join(f"{gain:.12g}" for gain in gains.tolist())
