"""Search for mistakes of a recording: turned joints, exchanged columns, units of angle and time.

Each hypothesis undoes one mistake. Consistent bodies and friction are fitted to the recording as it
stands, and to the recording without the mistake: a mistake is found if that leaves a small part of
the variance of the torques that was unexplained before. Friction that would have to be negative
and bodies that would have to be inconsistent tell a turned joint apart from other links. Wrenches
can have the other sign, force and moment exchanged, or the axes of another frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.errors import InertialCheckError
from inertial_check.identification.diagnosis.diagnosis import CLOCKS
from inertial_check.identification.fit import problem as interior_point
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.problem import Problem
from inertial_check.identification.fit.result import FAR, Identification
from inertial_check.identification.fit.samples import Reduction
from inertial_check.identification.motion.floating import exchange, sum_forces
from inertial_check.identification.motion.motion import (
    Dataset,
    Datasets,
    JointMotion,
    WholeMotion,
    Wrench,
    leave_out_rows,
    list_unmeasured,
)
from inertial_check.identification.options import UNKNOWN, IdentifyOptions
from inertial_check.identification.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Mask
from inertial_check.mechanics.equations import inverse_dynamics
from inertial_check.reports.identification_types import Remark, TorqueFit

Kind = Literal[
    "torque-sign",
    "position-sign",
    "torques-exchanged",
    "positions-exchanged",
    "joints-exchanged",
    "degrees",
    "time",
    "wrench-sign",
    "wrench-exchanged",
    "wrench-axes",
]
"""Kind of a mistake of a recording."""


SAMPLES = 400
"""Largest number of samples that hypotheses are compared on: enough for 100 unknowns a joint."""


NOISE = 0.05
"""Deviation of the torque noise in the comparison, relative to the torque of each joint."""


EXPLAINED = 0.02
"""Unexplained part of a torque's variance below which a smaller one is no better evidence: friction
that is no straight line leaves as much."""


STEP = 1.6
"""Least factor, the product over all joints, by which undoing one more mistake has to lower the
unexplained parts."""


EVIDENCE = 4.0
"""Least factor by which undoing all mistakes found has to lower the unexplained parts: sound
recordings of three robots stay below 1.1."""


ALIKE = 1.3
"""Factor between the evidence for two hypotheses on the same joint below which both are named."""


MOST_PAIRS = 300
"""Largest number of pairs of joints whose columns are exchanged on trial."""


FROZEN = 2.0**-17
"""Torques of inertia over measured torques below which the clock is suspected: a joint that swings
once in a minute has a hundred times more."""

WRENCH_KINDS: tuple[Kind, ...] = ("wrench-sign", "wrench-exchanged", "wrench-axes")
"""Kinds of mistakes of wrenches from outside."""


@dataclass(frozen=True)
class Mistake:
    """One mistake of a recording.

    Attributes:
        kind: Kind of the mistake.
        joints: Indices of the joints whose columns it is in, or of the wrenches.
        factor: Units of time in a second; degrees in a radian, or radians in a degree.
        unit: Name of the unit of time.
    """

    kind: Kind
    joints: tuple[int, ...] = ()
    factor: float = 1.0
    unit: str = ""

    @property
    def is_in_torques(self) -> bool:
        """Whether the motion is as it should be."""
        return self.kind.startswith(("torque", "wrench"))

    def undo(self, motion: JointMotion, robot: Robot) -> JointMotion:
        """Return the recording without the mistake."""
        q, u, du, tau, whole = motion.q, motion.u, motion.du, motion.tau, motion.whole
        if self.kind in WRENCH_KINDS:
            assert whole is not None
            wrenches = list(whole.wrenches)
            for place in self.joints:
                own = wrenches[place]
                if self.kind == "wrench-sign":
                    own = own._replace(values=-own.values)
                elif self.kind == "wrench-exchanged":
                    own = own._replace(values=exchange(own.values))
                else:
                    own = own._replace(in_world=not own.in_world)
                wrenches[place] = own
            whole = replace(whole, wrenches=tuple(wrenches))
            return replace(motion, whole=sum_wrenches(whole, robot, q))
        if self.kind.endswith("exchanged"):
            columns, joints = np.arange(q.shape[1]), list(self.joints)
            columns[joints] = columns[joints[::-1]]
            if self.kind != "torques-exchanged":
                motion = replace(motion, q=q[:, columns], u=u[:, columns], du=du[:, columns])
            if self.kind != "positions-exchanged":
                motion = replace(motion, tau=tau[:, columns])
            return motion
        if self.kind == "time":
            if whole is not None:
                powers = np.repeat([0, 1, 2], [7, 6, 6])
                base = whole.base * self.factor ** powers[: whole.base.shape[1]]
                whole = replace(whole, base=base)
            return replace(motion, u=u * self.factor, du=du * self.factor**2, whole=whole)
        scale = np.ones(q.shape[1])
        scale[list(self.joints)] = -1.0 if self.kind.endswith("sign") else 1 / self.factor
        if self.kind == "torque-sign":
            return replace(motion, tau=tau * scale)
        return replace(motion, q=q * scale, u=u * scale, du=du * scale)


def sum_wrenches(whole: WholeMotion, robot: Robot, q: Floats) -> WholeMotion:
    """Compute the forces of the joints that the wrenches are worth, at positions (S, n)."""
    coordinates, _, _ = whole.assemble(robot, q, q, q)
    return replace(whole, forces=sum_forces(robot.tree, coordinates, whole.wrenches))


class Finding(NamedTuple):
    """Mistakes that were found together.

    Attributes:
        mistakes: In the order of their evidence, each with others of the same joints that have
            nearly the same evidence.
        before: (n,) unexplained parts of the torques' variances, in the recording as it stands.
        after: (n,) the same without the mistakes.
    """

    mistakes: tuple[tuple[Mistake, tuple[Mistake, ...]], ...]
    before: Floats
    after: Floats


class Comparison(NamedTuple):
    """Comparison of hypotheses by the fit of consistent bodies and friction.

    Attributes:
        robot: Robot that moved.
        theta0: (L, 10) priors in order "urdf".
        nuisance: Torques besides those of the bodies.
        unmeasured: Indices of the joints whose torque is not measured.
        equations: (S, n, p) columns of a recording that holds them; None for those of the motion.
    """

    robot: Robot
    theta0: Floats
    nuisance: Nuisance
    unmeasured: tuple[int, ...]
    equations: Floats | None

    def columns(self, motion: JointMotion) -> Floats:
        """A (S, n, p), the columns of bodies and friction, of a motion."""
        if self.equations is not None:
            return self.equations
        samples = motion.equations(self.robot, self.nuisance, SAMPLES)
        ((A, _),) = leave_out_rows(samples, self.unmeasured).rows()
        return A

    def measure_unexplained(self, motion: JointMotion, A: Floats | None = None) -> Floats | None:
        """(n,) parts of the torques' variances that no fit explains; None if there is no fit."""
        tau, whole = motion.tau, motion.whole
        if whole is not None:
            tau = whole.combine(whole.spread(self.robot, tau))
        variance = ((tau - tau.mean(axis=0)) ** 2).sum(axis=0)
        varies = variance > 0
        weights = np.where(
            varies, 1 / (NOISE * np.sqrt(np.where(varies, variance, 1.0) / len(tau))), 0.0
        )
        try:
            own = self.columns(motion) if A is None else A
            reduction = Reduction.of([(own, tau)], own.shape[2])
            problem = Problem.of(reduction.stack(weights), self.theta0, self.nuisance, 1.0)
            x = problem.si(interior_point.solve(problem).x)
        except (InertialCheckError, np.linalg.LinAlgError):
            return None
        left = reduction.residual_squares(x) / np.where(varies, variance, 1.0)
        found = np.where(varies, left, 0.0)
        return found if np.all(np.isfinite(found)) else None


def score(unexplained: Floats, least: float = EXPLAINED) -> float:
    """Sum of the logarithms of unexplained parts, each at least `least`; less is better."""
    return float(np.log(np.maximum(unexplained, least)).sum())


def list_mistakes(joints: int, moving: Mask, revolute: Mask, degrees: bool) -> Iterator[Mistake]:
    """List the mistakes that a recording of joints can have.

    Args:
        joints: Number of joints.
        moving: (n,) joints that move.
        revolute: (n,) joints whose positions are angles.
        degrees: Whether the recording was already converted from degrees.
    """
    moved = np.flatnonzero(moving).tolist()
    for joint in range(joints):
        yield Mistake("torque-sign", (joint,))
    if joints > 1:
        yield Mistake("torque-sign", tuple(range(joints)))
    for joint in moved:
        yield Mistake("position-sign", (joint,))
    pairs = sorted(combinations(range(joints), 2), key=lambda pair: pair[1] - pair[0])
    for pair in pairs[:MOST_PAIRS]:
        yield Mistake("torques-exchanged", pair)
        if moving[list(pair)].any():
            yield Mistake("positions-exchanged", pair)
            yield Mistake("joints-exchanged", pair)
    angles = tuple(np.flatnonzero(revolute).tolist())
    if angles:
        own = float(np.deg2rad(1.0) if degrees else np.rad2deg(1.0))
        yield Mistake("degrees", angles, own)
    for unit, factor in CLOCKS.items():
        yield Mistake("time", (), factor, unit)


def find_mistakes(
    comparison: Comparison, motion: JointMotion, hypotheses: list[Mistake]
) -> Finding | None:
    """Find the mistakes without which a recording is explained far better; None for none.

    One mistake is undone at a time, that with the most evidence, until no other one helps.

    Args:
        comparison: Comparison of hypotheses.
        motion: Recording, thinned.
        hypotheses: Mistakes to try.
    """
    before = comparison.measure_unexplained(motion)
    if before is None:
        return None
    now, shares = motion, before
    chosen: list[tuple[Mistake, tuple[Mistake, ...]]] = []
    left = list(hypotheses)
    best_of_all = len(before) * np.log(EXPLAINED)
    while left and score(shares) - best_of_all >= np.log(STEP):
        A = comparison.columns(now)
        trials = []
        for each in left:
            undone = each.undo(now, comparison.robot)
            own = comparison.measure_unexplained(undone, A if each.is_in_torques else None)
            if own is not None:
                trials.append((score(own, tolerances.MADE_UP), each, own, undone))
        if not trials:
            break
        best, mistake, own, undone = min(trials, key=lambda trial: trial[0])
        if score(shares) - score(own) < np.log(STEP):
            break
        alike = tuple(
            other
            for value, other, _, _ in trials
            if other is not mistake
            and set(other.joints) == set(mistake.joints)
            and value - best < np.log(ALIKE)
        )
        chosen.append((mistake, alike))
        now, shares = undone, own
        left.remove(mistake)
        if mistake.kind in ("time", "degrees"):
            left = [each for each in left if each.kind != mistake.kind]
    if score(before) - score(shares) < np.log(EVIDENCE):
        return None
    return Finding(tuple(chosen), before, shares)


def find_clock(comparison: Comparison, motion: JointMotion) -> Mistake | None:
    """Find the unit of time of a recording in which nothing seems to move; None for none.

    Torques of inertia that the robot's file predicts are compared with the measured ones.

    Args:
        comparison: Comparison of hypotheses.
        motion: Recording, thinned.
    """
    if motion.whole is not None:
        return None  # gravity and contacts hide the torques of inertia
    robot, still = comparison.robot, np.zeros_like(motion.u)
    with np.errstate(over="ignore", invalid="ignore"):
        moved, held = (
            np.asarray(inverse_dynamics(robot.tree, motion.q, *rates, gravity=robot.gravity))
            for rates in ((motion.u, motion.du), (still, still))
        )
        measured = np.sqrt((motion.tau**2).mean(axis=0))
        inertial = np.sqrt(((moved - held) ** 2).mean(axis=0))
    told = (measured > 0) & np.isfinite(inertial)
    # Below rounding of the torques of gravity the difference of both says nothing.
    told &= inertial > tolerances.EPS * np.sqrt((held**2).mean(axis=0))
    slowness = float(np.max(inertial[told] / measured[told], initial=0.0))
    if not 0 < slowness < FROZEN:
        return None
    before = comparison.measure_unexplained(motion)
    found = []
    for unit, factor in CLOCKS.items():
        if factor <= 1 or not FROZEN < slowness * factor**2 < 1 / FROZEN:
            continue
        mistake = Mistake("time", (), factor, unit)
        own = comparison.measure_unexplained(mistake.undo(motion, robot))
        if own is not None and (before is None or score(own) <= score(before) + np.log(ALIKE)):
            found.append((score(own), mistake))
    return min(found, key=lambda each: each[0])[1] if found else None


def find_zero(
    comparison: Comparison, motion: JointMotion, found: Identification
) -> tuple[int, float, float, float] | None:
    """Find the joint whose positions are counted from elsewhere than the robot's file says.

    Other bodies explain a turned zero nearly as well: what tells is how far they are from the
    prior's. The prior weighs as if each body were within its own size of it.

    Args:
        comparison: Comparison of hypotheses.
        motion: Recording, thinned.
        found: Result of the fit, for the weights of the joints.

    Returns:
        Index of the joint, its shift [rad], and the objectives before and after; None where no
        shift makes the bodies five deviations more probable.
    """
    robot, theta0, nuisance = comparison.robot, comparison.theta0, comparison.nuisance

    def move(joint: int, shift: float) -> JointMotion:
        q = motion.q.copy()
        q[:, joint] -= shift
        return replace(motion, q=q)

    def measure(joint: int, shift: float) -> float:
        try:
            A = comparison.columns(move(joint, shift))
            reduction = Reduction.of([(A, motion.tau)], A.shape[2])
            stacked = reduction.stack(found.weights / np.sqrt(found.redundancy))
            problem = Problem.of(stacked, theta0, nuisance, 1.0)
            return problem.objective(interior_point.solve(problem).x)
        except (InertialCheckError, np.linalg.LinAlgError):
            return np.inf

    from scipy.optimize import minimize_scalar  # few recordings are suspicious

    before = measure(0, 0.0)
    turns = (np.pi / 2, -np.pi / 2, np.pi)
    moved = [k for k, unit in enumerate(robot.units) if unit == "N m" and np.ptp(motion.q[:, k])]
    trials = [(measure(k, at), k, at) for k in moved for at in (*turns, TRIED, -TRIED)]
    after, joint, start = min(trials, default=(np.inf, 0, 0.0))
    if not after < before:
        return None
    turn = start if start in turns else 0.0
    found_at = minimize_scalar(
        lambda shift: measure(joint, shift),
        bounds=(turn - NEAR_ZERO, turn + NEAR_ZERO),
        method="bounded",
        options={"xatol": tolerances.ZERO_OF_JOINT},
    )
    if start not in turns or after - float(found_at.fun) > DEVIATIONS**2:
        after, shift = float(found_at.fun), float(found_at.x)
    else:
        shift = start  # a quarter turn is likelier than one beside it
    left = comparison.measure_unexplained(move(joint, shift))
    if left is None or not np.all(left < 1 - WELL_EXPLAINED):  # it is not all that is wrong
        return None
    return (joint, shift, before, after) if before - after > DEVIATIONS**2 else None


TRIED = 0.05
"""Turn of each joint, to either side, by which the one whose zero is searched is found [rad];
chosen."""

NEAR_ZERO = 0.35
"""Half width of the search about a quarter turn [rad]; chosen, as sensors are mounted nearer to
one."""

DEVIATIONS = 5.0
"""Standard deviations by which a shifted zero has to explain a recording better, or a scale of the
torques to differ from 1."""

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
    # Decide whether a fit is worse than those of sound recordings: friction that would have to be
    # negative ends at its bound.
    friction = (value for name, value in found.nuisance.items() if name.startswith(("fv", "fc")))
    suspicious = any(
        joint.rms > 0 and not joint.r_squared >= WELL_EXPLAINED for joint in fit.joints
    )
    suspicious = suspicious or any(value <= 0 for value in friction)
    # Bodies that left the prior, or what can exist, stand for something else that was recorded.
    moved = bool(np.any(np.abs(found.identifiability.unaccounted) > FAR)) or bool(
        np.any(np.asarray(found.consistency.margin) < tolerances.EDGE)
    )
    # A body that carries a load is another body, so each recording is explained without loads.
    count = len(robot.bodies)
    theta0 = found.problem.theta0[:count]
    for data in datasets.train:
        nuisance, motion, equations = data.samples.nuisance, data.motion, None
        unmeasured: tuple[int, ...] = ()
        if motion is None:
            blocks = zip(*data.samples.blocks(), strict=True)
            Y, F, tau = (np.concatenate(parts) for parts in blocks)
            still = np.zeros_like(tau)
            motion = JointMotion(data.recorded.t, still, still, still, tau)
            equations = np.concatenate([Y[:, :, : 10 * count], F], axis=2)
        rows = np.linspace(0, len(motion) - 1, min(SAMPLES, len(motion))).round()
        chosen = np.unique(rows).astype(np.intp)
        motion = replace(motion, steps=None, load=None).part(chosen)
        if motion.whole is not None:
            motion = replace(motion, whole=sum_wrenches(motion.whole, robot, motion.q))
        elif equations is not None:
            equations = equations[chosen]
        else:
            unmeasured = tuple(list_unmeasured(options.robot, robot))
            if found.gains is not None:
                motion = replace(motion, tau=motion.tau * found.gains.values)
        if any(each.kind in ("wrapped", "frozen", "saturated") for each in datasets.remarks):
            return  # what is wrong with the readings themselves is known
        comparison = Comparison(robot, theta0, nuisance, unmeasured, equations)
        clock = None if equations is not None else find_clock(comparison, motion)
        if clock is not None:
            yield Remark(
                Severity.ERROR,
                "time",
                f"{data.path}: as seconds, the time makes the torques of inertia vanish beside the "
                f"measured ones: it is in {clock.unit}; --time-unit {clock.unit} reads it so",
            )
            continue
        mistakes = None
        if suspicious:
            mistakes = find_mistakes(comparison, motion, _list_hypotheses(options, robot, data))
        if mistakes is not None:
            yield from _describe_mistakes(data, options, robot, mistakes)
        elif moved and equations is None and motion.whole is None and not unmeasured:
            zero = find_zero(comparison, motion, found)
            if zero is not None:
                joint, shift, before, after = zero
                yield Remark(
                    Severity.ERROR,
                    "zero",
                    f"{data.path}: {robot.joints[joint]}: its zero is elsewhere: with {shift:.4g} "
                    "rad taken off its positions, bodies near the prior explain the torques (the "
                    f"objective falls from {before:.4g} to {after:.4g}); take it off that column, "
                    "or turn the joint in the robot's file",
                )


def _list_hypotheses(options: IdentifyOptions, robot: Robot, data: Dataset) -> list[Mistake]:
    """List the mistakes that a recording can have; of wrenches each alone and all alike."""
    count = len(robot.joints)
    if data.motion is None:
        still = np.zeros(count, dtype=bool)
        every = list_mistakes(count, still, still, degrees=False)
        return [each for each in every if each.is_in_torques]
    moving, whole = np.ptp(data.motion.q, axis=0) > 0, data.motion.whole
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
    for kind in WRENCH_KINDS:
        for place, wrench in enumerate(whole.wrenches):
            if kind == "wrench-axes" and wrench.point is not None:
                continue
            if kind != "wrench-exchanged" or wrench.values[:, 3:].any():
                found.append(Mistake(kind, (place,)))
        if len(whole.wrenches) > 1:
            found.append(Mistake(kind, tuple(range(len(whole.wrenches)))))
    return found


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
    evidence = f"without that, less of the torques' variance stays unexplained: {shown}"
    for kind, signal in _TURNED.items():
        # List the joints that mistakes of a kind turn round; turned twice is not turned.
        times: Counter[int] = Counter()
        for each, _ in found.mistakes:
            times.update(each.joints if each.kind == kind else ())
        turned = sorted(joint for joint, count in times.items() if count % 2)
        if turned:
            also = any(others for each, others in found.mistakes if each.kind == kind)
            other = "position" if kind == "torque-sign" else "torque"
            names = [joints[k] for k in turned]
            what = f"the {signal} has the other sign{f' (or its {other})' if also else ''}"
            hint = " ".join(f"--reverse {name}" for name in names)
            if kind == "torque-sign":
                given = options.recordings.gain
                given = (1.0,) if given is None or given == UNKNOWN else given
                gains = np.array(np.broadcast_to(np.array(given), (len(joints),)))
                gains[turned] *= -1.0
                hint = f"--gain={','.join(f'{gain:.12g}' for gain in gains.tolist())}"
            message = f"{data.path}: {', '.join(names)}: {what}: {evidence}; {hint} turns it"
            yield Remark(Severity.ERROR, "sign", message)
    for mistake, _ in () if whole is None else found.mistakes:
        if mistake.kind not in WRENCH_KINDS:
            continue
        assert whole is not None
        wrenches = [whole.wrenches[place] for place in mistake.joints]
        names = [wrench.name for wrench in wrenches]
        kind, what, hint = _word_of_wrench(mistake, wrenches, len(wrenches) == len(whole.wrenches))
        message = f"{data.path}: wrench on {', '.join(names)}: {what}: {evidence}; {hint}"
        yield Remark(Severity.ERROR, kind, message)
    for mistake, others in found.mistakes:
        if mistake.kind in _TURNED or mistake.kind in WRENCH_KINDS:
            continue
        also_signals = (_EXCHANGED.get(each.kind, (each.kind,))[0] for each in others)
        or_both = "".join(f" (or {each})" for each in also_signals)
        kind = mistake.kind
        if kind in _EXCHANGED:
            _, what, hint = _EXCHANGED[kind]
            what, kind = f"{' and '.join(joints[k] for k in mistake.joints)}: {what}", "exchanged"
        elif kind == "degrees":
            in_degrees = mistake.factor > 1
            what = f"positions are in {'degrees' if in_degrees else 'radians'}"
            hint = "--degrees reads them so" if in_degrees else "leave out --degrees"
        else:
            what = f"time is in {mistake.unit}, not in s"
            hint = f"--time-unit {mistake.unit} reads it so"
        yield Remark(Severity.ERROR, kind, f"{data.path}: {what}{or_both}: {evidence}; {hint}")


_TURNED = {"torque-sign": "torque", "position-sign": "position"}
"""Signals of the mistakes that turn a joint round."""

_EXCHANGED = {
    "torques-exchanged": (
        "their torques",
        "the torques are exchanged",
        "exchange these two columns of tau",
    ),
    "positions-exchanged": (
        "their positions",
        "the positions are exchanged",
        "exchange their columns of q, qd, qdd",
    ),
    "joints-exchanged": (
        "both",
        "the joints are exchanged",
        "exchange their names, or all their columns",
    ),
}
"""Exchanged signals of two joints, what the remark says of them, and what to do."""


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
