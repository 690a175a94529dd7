"""Reading of the recordings of an identification: those that are fitted, held out or predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.errors import UsageError
from inertial_check.identification.fit.loads import carry_loads
from inertial_check.identification.fit.nuisance import Nuisance, OperatingPoint
from inertial_check.identification.loads import Loads
from inertial_check.identification.motion.friction import build_nuisance
from inertial_check.identification.motion.reading import (
    leave_out_rows,
    list_unmeasured,
    read_recordings,
    remark_on_unmeasured,
)
from inertial_check.identification.motion.samples import (
    ChangeMotion,
    Dataset,
    Datasets,
    MotionSamples,
    RecordedSamples,
    read_all_samples,
    refuse_mixture,
)
from inertial_check.identification.options import UNKNOWN, IdentifyOptions
from inertial_check.identification.recordings.recording import Recording
from inertial_check.identification.robot.floating import motions_without_torque
from inertial_check.identification.robot.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.reports.identification_types import Remark

STRETCHES = 5
"""Number of stretches of a recording that each give their end for validation: what is held out is
like the rest then, and only a few of its samples have neighbours among the fitted ones."""

_HELD_OUT = ", held out"
"""End of the name of the part of a recording that is kept for validation."""


def read_datasets(
    options: IdentifyOptions,
    robot: Robot,
    recordings: Sequence[Recording] | None = None,
    loads: Loads | None = None,
) -> Datasets:
    """Make datasets of the recordings of an identification.

    Args:
        options: Options of the identification.
        robot: Robot that was recorded.
        recordings: The recordings; None to read them.
        loads: Loads that the robot carried in some of them; None for none.

    Raises:
        DocumentError: A file cannot be read, or holds no recording.
        UsageError: A recording is not of this robot, or an option does not fit it.
        ParameterError: Numbers cannot be used: time that runs backwards, only zeros.
    """
    paths = options.data
    if recordings is None:
        recordings = read_recordings(options, loops=bool(robot.loops))
    refuse_mixture(recordings)
    remarks: list[Remark] = []
    recorded = read_all_samples(recordings, options, robot, remarks)
    nuisance = _declare_friction(recorded[: len(paths)], options, robot, remarks)
    # The rows of a whole tree are not its joints.
    motions = [own.motion for own in recorded if isinstance(own, MotionSamples)]
    whole = any(motion.whole is not None for motion in motions)
    if whole and options.recordings.gain == UNKNOWN:
        raise UsageError(
            "--gain unknown is for recordings of joints alone: the wrenches of a base or of a "
            "contact beside them have no drive gain; give the gains of the joints"
        )
    if whole and nuisance.nonlinear:
        raise UsageError(
            "--friction stribeck and load are for a robot on a fixed base, without wrenches"
        )
    unmeasured = [] if whole else list_unmeasured(options.robot, robot)
    remarks += remark_on_unmeasured(robot, unmeasured)

    def build(point: OperatingPoint | None, change: ChangeMotion | None) -> Datasets:
        linear, moved = nuisance.linearise(point), list(recorded)
        for place, own in enumerate(recorded[: len(paths)]):
            if change is not None and isinstance(own, MotionSamples):
                moved[place] = replace(own, motion=change(own.motion))
        train, kept = _split_recordings(options, robot, moved, linear)
        found: list[Dataset] = []
        for path, own in (*train, *kept):
            samples = leave_out_rows(own.equations(options, robot, linear), unmeasured)
            if loads is not None and loads.entries:
                carried = loads.list_names(path.removesuffix(_HELD_OUT))
                samples = carry_loads(samples, loads.all, carried)
            found.append(Dataset(path, own, samples))
        rows = read_rows(robot, [own.recorded for own in found])
        said, count = tuple(dict.fromkeys(remarks)), len(train)
        return Datasets(tuple(found[:count]), tuple(found[count:]), *rows, said, nuisance, build)

    return build(None, None)


def _split_recordings(
    options: IdentifyOptions, robot: Robot, recorded: Sequence[RecordedSamples], nuisance: Nuisance
) -> tuple[list[tuple[str, RecordedSamples]], list[tuple[str, RecordedSamples]]]:
    """Split recordings, with their friction filtered, into those to fit and those to predict.

    Raises:
        UsageError: Nothing is left to be fitted.
    """
    paths, holdout = options.data, options.recordings.holdout
    recorded = [
        own.filter_steps(nuisance, options, robot) if isinstance(own, MotionSamples) else own
        for own in recorded
    ]
    train: list[tuple[str, RecordedSamples]] = []
    kept: list[tuple[str, RecordedSamples]] = []
    for path, own in zip(paths, recorded, strict=False):
        # (count,) samples that are kept for validation: this part of each stretch, at its end.
        count = len(own)
        held = np.zeros(count, dtype=bool)
        ends = np.linspace(0, count, STRETCHES + 1).round().astype(int).tolist()
        for start, end in pairwise(ends):
            held[end - round(holdout * (end - start)) : end] = True
        if held.all():
            raise UsageError(f"--holdout {holdout:g} leaves nothing of {path} to be fitted")
        train.append((path, own.part(~held) if held.any() else own))
        if held.any():
            kept.append((f"{path}{_HELD_OUT}", own.part(held)))
    kept += zip(options.recordings.validation, recorded[len(paths) :], strict=True)
    return train, kept


def _declare_friction(
    train: Sequence[RecordedSamples],
    options: IdentifyOptions,
    robot: Robot,
    remarks: list[Remark],
) -> Nuisance:
    """Declare the friction of those joints that move."""
    motions = [own.motion for own in train if isinstance(own, MotionSamples)]
    if not motions:
        return Nuisance()
    fastest = np.max([np.abs(motion.u).max(axis=0) for motion in motions], axis=0)
    alike = np.equal.outer(robot.units, robot.units)
    least = tolerances.STILL * np.max(np.where(alike, fastest, 0.0), axis=1)
    moves = fastest > least
    still = [name for name, own in zip(robot.joints, moves.tolist(), strict=True) if not own]
    if still:
        remarks.append(
            Remark(
                Severity.WARNING,
                "no-friction",
                f"{', '.join(still)}: never moved, so without friction and rotor inertia here",
            )
        )
    unmeasured = motions_without_torque(motions, robot) or list_unmeasured(options.robot, robot)
    return build_nuisance(options.friction, robot, np.flatnonzero(moves).tolist(), unmeasured)


def read_rows(
    robot: Robot, recorded: Sequence[RecordedSamples]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of the rows of the equations, which all recordings share.

    Raises:
        UsageError: Two recordings have other rows.
    """
    rows = {
        None if own.motion.whole is None else own.motion.whole.rows
        for own in recorded
        if isinstance(own, MotionSamples)
    }
    if len(rows) > 1:
        several = "; ".join(
            ", ".join(robot.joints if each is None else each.names) for each in rows
        )
        raise UsageError(
            f"the recordings have torques of different joints: {several}; --unmeasured JOINT "
            "leaves one out of all"
        )
    own = next(iter(rows), None)
    return (robot.joints, robot.units) if own is None else (own.names, own.units)
