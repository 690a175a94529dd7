"""Reading of the recordings of an identification: those that are fitted, held out or predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.documents.load import load
from inertial_check.documents.model import list_joints
from inertial_check.errors import DocumentError, UsageError
from inertial_check.identification.fit.nuisance import Nuisance, OperatingPoint
from inertial_check.identification.fit.samples import list_columns
from inertial_check.identification.loads import Loads, carry_loads
from inertial_check.identification.motion.floating import (
    needs_whole_motion,
    read_whole_motion,
)
from inertial_check.identification.motion.friction import build_nuisance
from inertial_check.identification.motion.motion import (
    ChangeMotion,
    Dataset,
    Datasets,
    EquationSamples,
    JointMotion,
    clear_unmeasured,
    leave_out_rows,
    list_unmeasured,
    read_motion,
)
from inertial_check.identification.motion.signals import MOST_OF_NYQUIST
from inertial_check.identification.options import (
    UNKNOWN,
    IdentifyOptions,
    RecordingOptions,
)
from inertial_check.identification.recordings import read_recording
from inertial_check.identification.recordings.joining import join_recordings
from inertial_check.identification.recordings.recording import (
    ReadingOptions,
    Recording,
    read_column_map,
)
from inertial_check.identification.robot import Robot, match_joints, resolve_names
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import Order, reorder
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
    motions = [own for own in recorded if isinstance(own, JointMotion)]
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
    if unmeasured:
        names = ", ".join(robot.joints[joint] for joint in unmeasured)
        message = f"{names}: the torque is not measured; its rows are left out of every fit"
        remarks.append(Remark(Severity.NOTE, "unmeasured", message))

    def build(point: OperatingPoint | None, change: ChangeMotion | None) -> Datasets:
        linear = nuisance.linearise(point)
        moved: list[JointMotion | EquationSamples] = list(recorded)
        for place, own in enumerate(recorded[: len(paths)]):
            if change is not None and isinstance(own, JointMotion):
                moved[place] = change(own)
        train, kept = _split_recordings(options, robot, moved, linear)
        found: list[Dataset] = []
        for path, own in (*train, *kept):
            samples = leave_out_rows(own.equations(robot, linear), unmeasured)
            if loads is not None and loads.entries:
                carried = loads.list_names(path.removesuffix(_HELD_OUT))
                samples = carry_loads(samples, loads.entries, carried)
            found.append(Dataset(path, own, samples))
        rows = read_rows(robot, [own.recorded for own in found])
        said, count = tuple(dict.fromkeys(remarks)), len(train)
        return Datasets(tuple(found[:count]), tuple(found[count:]), *rows, said, nuisance, build)

    return build(None, None)


def _split_recordings(
    options: IdentifyOptions,
    robot: Robot,
    recorded: Sequence[JointMotion | EquationSamples],
    nuisance: Nuisance,
) -> tuple[
    list[tuple[str, JointMotion | EquationSamples]], list[tuple[str, JointMotion | EquationSamples]]
]:
    """Split recordings, with their friction filtered, into those to fit and those to predict.

    Raises:
        UsageError: Nothing is left to be fitted.
    """
    paths, holdout = options.data, options.recordings.holdout
    recorded = [
        own.filter_friction(nuisance, robot) if isinstance(own, JointMotion) else own
        for own in recorded
    ]
    train: list[tuple[str, JointMotion | EquationSamples]] = []
    kept: list[tuple[str, JointMotion | EquationSamples]] = []
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
    train: Sequence[JointMotion | EquationSamples],
    options: IdentifyOptions,
    robot: Robot,
    remarks: list[Remark],
) -> Nuisance:
    """Declare the friction of those joints that move."""
    motions = [own for own in train if isinstance(own, JointMotion)]
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
    whole, joints = motions[0].whole, range(len(robot.joints))
    unmeasured = [] if whole is None else [each for each in joints if each not in whole.joints]
    unmeasured = unmeasured or list_unmeasured(options.robot, robot)
    return build_nuisance(options.friction, robot, np.flatnonzero(moves).tolist(), unmeasured)


def read_rows(
    robot: Robot, recorded: Sequence[JointMotion | EquationSamples]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of the rows of the equations, which all recordings share.

    Raises:
        UsageError: Two recordings have other rows.
    """
    rows = {
        None if own.whole is None else own.whole.rows
        for own in recorded
        if isinstance(own, JointMotion)
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


def read_recordings(
    options: IdentifyOptions,
    needed: tuple[str, ...] = ReadingOptions.needed,
    loops: bool = False,
) -> list[Recording]:
    """Read the recordings to fit, and behind them those to predict.

    Args:
        options: Options of the identification.
        needed: Quantities without which a recording is refused.
        loops: Whether the robot has closed loops, whose passive joints have no torque.

    Raises:
        DocumentError: A file cannot be read, or holds no recording.
    """
    own = options.recordings
    columns = None if own.columns is None else read_column_map(own.columns)
    floats = options.robot.base == "floating"
    # The joints of the robot choose among several devices, which only bags hold.
    files, joints = (*options.data, *own.validation), tuple[str, ...]()
    if not all(path.endswith((".csv", ".npz", ".txt")) for path in files):
        every = list_joints(load(options.model, context=options.context))
        joints = tuple(name for name, _ in every)
    how = ReadingOptions(
        needed=("q",) if floats else needed,
        columns=columns,
        skip_bad_rows=own.skip_bad_rows,
        partial=bool(options.robot.unmeasured) or floats or loops,
        further=options.contacts.columns,
        topic=own.topic,
        joints=joints,
    )
    return [_read_with_others(path, own, how) for path in files]


def _read_with_others(path: str, options: RecordingOptions, how: ReadingOptions) -> Recording:
    """Read a recording with the further files that belong to it.

    Raises:
        DocumentError: A file cannot be read, or together they hold no motion with torques.
        UsageError: The files do not fit each other.
    """
    beside = [file for owner, file in options.beside if owner == path]
    if not beside:
        return read_recording(path, how=how)
    part = replace(how, needed=())
    first, *others = (read_recording(each, how=part) for each in (path, *beside))
    whole = join_recordings(first, others, options.clock_offset, options.time_unit)
    for name in how.needed:
        if getattr(whole, name) is None:
            files = ", ".join([path, *beside])
            raise DocumentError(path, f"no {name} in any of {files}")
    return whole


def remark_on_reading(recording: Recording, options: RecordingOptions) -> list[Remark]:
    """Remark on what was chosen, converted and left out when a recording was read."""
    remarks = []
    for note in recording.notes:
        severity = Severity.WARNING if note.kind == "rows" else Severity.NOTE
        message = f"{recording.path}: {note.kind}: {note.text}"
        remarks.append(Remark(severity, note.kind, message))
    if recording.has_currents and options.gain is None:
        message = (
            f"{recording.path}: motor currents stand for the torques: --gain G,G,... multiplies "
            "them by the drive gain of each joint [N m/A]"
        )
        remarks.append(Remark(Severity.ERROR, "currents", message))
    given = {"--degrees": options.degrees, "--time-unit": options.time_unit != "s"}
    for option, name in (("--degrees", "q"), ("--time-unit", "t")):
        if given[option] and name in recording.stated:
            message = f"{recording.path}: {option} not applied: the unit stands in the header"
            remarks.append(Remark(Severity.NOTE, "units", message))
    return remarks


_DEFAULT_ORDER: Order = "urdf"
"""Order of the columns of a regressor Y from a file if none is declared, as in
inertial_check.identify; a warning says so."""


def refuse_mixture(recordings: Sequence[Recording]) -> None:
    """Refuse recordings whose equations cannot have the same parameters.

    Raises:
        UsageError: Two recordings differ. The message names them.
    """
    first = recordings[0]
    for other in recordings[1:]:
        if (first.Y is None) != (other.Y is None):
            raise UsageError(
                f"{first.path} has {'q' if first.Y is None else 'Y'} and {other.path} has "
                f"{'q' if other.Y is None else 'Y'}: give recordings of one kind"
            )
        counts = [0 if each.F is None else each.F.shape[2] for each in (first, other)]
        if counts[0] != counts[1] or first.columns != other.columns:
            raise UsageError(
                f"F of {first.path} and of {other.path} have other columns: {counts[0]} and "
                f"{counts[1]}, or other names"
            )


def read_all_samples(
    recordings: Sequence[Recording],
    options: IdentifyOptions,
    robot: Robot,
    remarks: list[Remark],
) -> list[JointMotion | EquationSamples]:
    """Read the samples of all recordings through one filter, so that residuals compare.

    If no cut-off is asked for, it is the highest that suits a recording to be fitted, but not
    above what the slowest clock of all allows.
    """
    found = [_read_samples(each, options, robot) for each in recordings]
    motions = [own for own, _ in found if isinstance(own, JointMotion)]
    fitted = [motion.cutoff for motion in motions[: len(options.data)]]
    smoothing = options.recordings.smoothing
    if fitted and smoothing.cutoff is None and max(fitted) < inf:
        limits = [MOST_OF_NYQUIST * each.rate / 2 for each in motions if each.rate is not None]
        common = replace(smoothing, cutoff=min(max(fitted), *limits))
        again = replace(options, recordings=replace(options.recordings, smoothing=common))
        for place, motion in enumerate(motions):
            if motion.cutoff not in (common.cutoff, inf):
                found[place] = _read_samples(recordings[place], again, robot)
    for _, own_remarks in found:
        remarks += own_remarks
    return [own for own, _ in found]


def _read_samples(
    recording: Recording, options: IdentifyOptions, robot: Robot
) -> tuple[JointMotion | EquationSamples, list[Remark]]:
    """Read the samples of a recording, in the order of the robot's joints."""
    remarks = remark_on_reading(recording, options.recordings)
    names = resolve_names(recording.joints, robot.every) if recording.has_others else None
    others = [name for name in names or () if name not in robot.every]
    if others:
        message = f"{recording.path}: no joints of the robot, not used: {', '.join(others)}"
        remarks.append(Remark(Severity.NOTE, "not-used", message))
    if recording.ignored:
        message = f"{recording.path}: not used: {', '.join(recording.ignored)}"
        remarks.append(Remark(Severity.NOTE, "not-used", message))
    # (n,) factors of the torques.
    asked = options.recordings.gain
    factors = np.array([1.0] if asked is None or asked == UNKNOWN else asked)
    if len(factors) not in (1, len(robot.joints)):
        raise UsageError(
            f"--gain has {len(factors)} numbers, expected one, or one for each of the "
            f"{len(robot.joints)} joints: {', '.join(robot.joints)}"
        )
    if not np.all(np.isfinite(factors) & (factors != 0)):
        raise UsageError(f"--gain is {factors.tolist()}, expected finite numbers other than 0")
    gain = np.broadcast_to(factors, (len(robot.joints),))
    if recording.Y is None and options.robot.order is not None:
        raise UsageError(f"--order is for a given Y, and {recording.path} has q")
    if needs_whole_motion(recording, options, robot):
        whole, said = read_whole_motion(recording, gain, options, robot)
        return _find_joins(whole), [*remarks, *said]
    columns = match_joints(recording, robot)
    unmeasured = list_unmeasured(options.robot, robot)
    recording = clear_unmeasured(recording, columns, unmeasured, robot)
    if recording.Y is None:
        motion, said = read_motion(recording, columns, gain, options.recordings, robot, unmeasured)
        return _find_joins(motion), [*remarks, *said]
    given = _read_equations(recording, columns, gain, options.robot.order or _DEFAULT_ORDER, robot)
    return given, [*remarks, *_remark_on_equations(options)]


def _find_joins(motion: JointMotion) -> JointMotion:
    return replace(motion, joins=tuple(run.start for run in motion.runs[1:]))


def _read_equations(
    recording: Recording, columns: list[int], gain: Floats, order: Order, robot: Robot
) -> EquationSamples:
    """Read the equations of a file.

    Raises:
        UsageError: Y is of other bodies.
    """
    Y, tau, F = recording.Y, recording.tau, recording.F
    assert Y is not None
    assert tau is not None
    count, every = Y.shape[2] // 10, len(robot.model.bodies)
    if count == len(robot.parts) and count != len(robot.bodies):  # those merged follow from theirs
        Y = Y[:, :, list_columns([robot.parts.index(body) for body in robot.bodies])]
    elif count == every and count != len(robot.bodies):  # the others do not move, or have no mass
        Y = Y[:, :, list_columns(robot.bodies)]
    elif count != len(robot.bodies):
        raise UsageError(
            f"{recording.path}: Y has columns of {count} bodies, and the robot has "
            f"{len(robot.parts)} with mass that joints move: {', '.join(robot.part_names)}; or of "
            f"all {every} of the file"
        )
    bodies = Y[:, columns].reshape(*tau[:, columns].shape, -1, 10)
    return EquationSamples(
        np.arange(float(len(tau))),
        reorder(bodies, order, "urdf").reshape(*bodies.shape[:2], -1),
        tau[:, columns] * gain,
        np.zeros((*bodies.shape[:2], 0)) if F is None else F[:, columns],
        recording.columns,
    )


def _remark_on_equations(options: IdentifyOptions) -> list[Remark]:
    """Remark on an assumed order, and on options that have no effect on given equations."""
    remarks, friction = [], options.friction
    if options.robot.order is None:
        message = (
            f"no --order: the last six columns of each body in Y are taken for "
            f"{_DEFAULT_ORDER} (xx xy xz yy yz zz), about the body origins"
        )
        remarks.append(Remark(Severity.WARNING, "order", message))
    if friction.friction or friction.coupling or friction.friction_prior:
        message = (
            "--friction, --friction-prior and --coupling need the motion, and Y is given: F in "
            "the same file holds such columns"
        )
        remarks.append(Remark(Severity.WARNING, "friction-not-used", message))
    return remarks
