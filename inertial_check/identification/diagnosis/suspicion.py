"""Suspicion of recordings: turned joints, exchanged columns, units of angle and of time.

Suspicion of wrenches: their sign, force and moment exchanged, axes of another frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.identification.diagnosis.mistakes import (
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
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.fit.samples import Samples
from inertial_check.identification.motion.motion import (
    JointMotion,
    WholeMotion,
    Wrench,
    build_equations,
    exchange,
    sum_forces,
)
from inertial_check.identification.motion.reading import leave_out_rows, list_unmeasured
from inertial_check.identification.motion.samples import Dataset, Datasets
from inertial_check.identification.options import UNKNOWN, IdentifyOptions
from inertial_check.identification.robot.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers
from inertial_check.mechanics.equations import GRAVITY, inverse_dynamics
from inertial_check.reports.identification_types import Remark, TorqueFit


def list_wrench_mistakes(whole: WholeMotion) -> Iterator[Mistake]:
    """List the mistakes that the wrenches of a recording can have, each alone and all alike."""
    every = tuple(range(len(whole.wrenches)))
    for kind in WRENCH_KINDS:
        for place, wrench in enumerate(whole.wrenches):
            if kind == "wrench-axes" and wrench.point is not None:
                continue
            if kind == "wrench-exchanged" and not wrench.values[:, 3:].any():
                continue
            yield Mistake(kind, (place,))
        if len(every) > 1:
            yield Mistake(kind, every)


def pose_whole_comparison(
    options: IdentifyOptions, robot: Robot, data: Dataset, theta0: Floats
) -> tuple[Comparison, Motion]:
    """Pose the comparison of hypotheses on some samples of a whole motion.

    Args:
        options: Options of the identification.
        robot: Robot that moved.
        data: Recording with a whole motion.
        theta0: (L, 10) prior bodies.
    """
    motion, nuisance = data.motion, data.samples.nuisance
    assert motion is not None
    assert motion.whole is not None
    chosen = select_rows(len(motion))
    whole = motion.whole.part(chosen)
    gravity = GRAVITY if options.robot.gravity is None else options.robot.gravity

    def columns(own: Motion) -> Floats:
        assert own.base is not None
        signals = (own.q, own.u, own.du, own.tau)
        changed = replace(whole, base=own.base)
        samples = build_equations(robot, changed, signals, nuisance, gravity=gravity, count=SAMPLES)
        ((A, _),) = samples.rows()
        return A

    def target(own: Motion) -> Floats:
        total = np.zeros_like(whole.forces)
        total[:, list(robot.velocities)] = own.tau
        if own.forces is not None:
            total += own.forces[:, :, 0].sum(axis=1)
        return whole.combine(total)

    thin = Motion(
        motion.q[chosen],
        motion.u[chosen],
        motion.du[chosen],
        motion.tau[chosen],
        whole.base,
        _vary_forces(robot, motion, whole, chosen) if whole.wrenches else None,
    )
    return Comparison(columns, theta0, nuisance, target=target), thin


def _vary_forces(robot: Robot, motion: JointMotion, whole: WholeMotion, chosen: Integers) -> Floats:
    """(s, c, 1 + w, n_u) forces of each wrench as recorded, and without each kind of mistake."""
    q = motion.q[chosen]
    coordinates, _, _ = whole.assemble(robot, q, q, q)

    def force(wrench: Wrench) -> Floats:
        return sum_forces(robot.tree, coordinates, [wrench])

    return np.stack(
        [
            np.stack(
                [
                    force(wrench),
                    force(wrench._replace(values=-wrench.values)),
                    force(wrench._replace(values=exchange(wrench.values))),
                    force(wrench._replace(in_world=not wrench.in_world)),
                ],
                axis=1,
            )
            for wrench in whole.wrenches
        ],
        axis=1,
    )


def describe_wrench_mistakes(data: Dataset, found: Finding, evidence: str) -> Iterator[Remark]:
    """Describe mistakes of wrenches with the evidence and the option that mends each."""
    whole = None if data.motion is None else data.motion.whole
    if whole is None:
        return
    for mistake in found.mistakes:
        if mistake.kind not in WRENCH_KINDS:
            continue
        wrenches = [whole.wrenches[place] for place in mistake.joints]
        names = ", ".join(wrench.name for wrench in wrenches)
        kind, what, hint = _word_of_wrench(mistake, wrenches, len(wrenches) == len(whole.wrenches))
        message = f"{data.path}: wrench on {names}: {what}: {evidence}; {hint}"
        yield Remark(Severity.ERROR, kind, message)


def _word_of_wrench(
    mistake: Mistake, wrenches: Sequence[Wrench], every: bool
) -> tuple[str, str, str]:
    """Return the kind of the remark on a mistake of wrenches, its subject, and what to do."""
    if mistake.kind == "wrench-sign":
        turned = " ".join(f"--reverse-wrench {wrench.name}" for wrench in wrenches)
        what = "the sign is the other one, that of the robot's wrench on its surroundings"
        return "sign", what, f"{turned} turns it"
    if mistake.kind == "wrench-exchanged":
        hints = [
            f"--contact {wrench.name}={','.join((*wrench.columns[3:], *wrench.columns[:3]))}"
            for wrench in wrenches
            if len(wrench.columns) == 6
        ]
        hint = f"{' '.join(hints)} reads them so" if hints else "exchange its columns"
        hint = "--wrench-order moment-first reads it so" if every else hint
        return "exchanged", "force and moment are exchanged", hint
    used, other = ("world", "body") if wrenches[0].in_world else ("body", "world")
    hint = f"--wrench-axes {other} reads it so" if every else f"turn it to the axes of the {used}"
    return "axes", f"it is in the axes of the {other}, not of the {used}", hint


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
    # Decide whether a fit is worse than those of sound recordings.
    if any(joint.rms > 0 and not joint.r_squared >= WELL_EXPLAINED for joint in fit.joints):
        suspicious = True
    else:
        # Friction that would have to be negative ends at its bound.
        friction = (
            value for name, value in found.nuisance.items() if name.startswith(("fv", "fc"))
        )
        suspicious = any(value <= 0 for value in friction)
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
    whole = None if data.motion is None else data.motion.whole
    joints, rows = robot.joints, (robot.joints if whole is None else whole.rows.names)
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
        # List the joints that mistakes of a kind turn round; turned twice is not turned.
        times: Counter[int] = Counter()
        for each in found.mistakes:
            times.update(each.joints if each.kind == kind else ())
        turned = sorted(joint for joint, count in times.items() if count % 2)
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
