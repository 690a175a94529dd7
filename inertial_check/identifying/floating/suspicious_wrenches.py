"""Suspicion of wrenches: their sign, force and moment exchanged, axes of another frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.dynamics.equations import GRAVITY
from inertial_check.identification.recordings.mistakes import (
    SAMPLES,
    WRENCH_KINDS,
    Comparison,
    Finding,
    Mistake,
    Motion,
    select_rows,
)
from inertial_check.identifying.floating.contacts import Wrench, exchange, sum_forces
from inertial_check.identifying.floating.whole_motion import WholeMotion, build_equations
from inertial_check.identifying.options import IdentifyOptions
from inertial_check.identifying.recordings.datasets import Dataset
from inertial_check.identifying.recordings.motion import JointMotion
from inertial_check.identifying.robot.robot import Robot
from inertial_check.model import Severity
from inertial_check.model.identified import Remark


def found_rows(data: Dataset, robot: Robot) -> Sequence[str]:
    """Names of the rows of a recording's equations."""
    whole = None if data.motion is None else data.motion.whole
    return robot.joints if whole is None else whole.rows.names


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
        kind, what, hint = _word(mistake, wrenches, len(wrenches) == len(whole.wrenches))
        message = f"{data.path}: wrench on {names}: {what}: {evidence}; {hint}"
        yield Remark(Severity.ERROR, kind, message)


def _word(mistake: Mistake, wrenches: Sequence[Wrench], every: bool) -> tuple[str, str, str]:
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
