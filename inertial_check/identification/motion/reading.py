"""Reading of the recordings of an identification, with the options of the reading.

Joints whose motion is recorded and whose torque is not: their rows are left out of the fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.documents.load import load
from inertial_check.documents.model import list_joints
from inertial_check.errors import DocumentError, UsageError
from inertial_check.identification.diagnosis.mistakes import SignalRemark
from inertial_check.identification.fit.samples import Block, Samples
from inertial_check.identification.options import IdentifyOptions, RecordingOptions, RobotOptions
from inertial_check.identification.recordings import read_recording
from inertial_check.identification.recordings.joining import join_recordings
from inertial_check.identification.recordings.recording import (
    ReadingOptions,
    Recording,
    read_column_map,
)
from inertial_check.identification.robot.robot import Robot, resolve_names
from inertial_check.inertia.arrays import Floats
from inertial_check.reports.identification_types import Remark


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


def remark_on_others(recording: Recording, joints: Sequence[str]) -> list[Remark]:
    """Remark on joints of a recording that the robot does not have."""
    names = resolve_names(recording.joints, joints) if recording.has_others else None
    others = [name for name in names or () if name not in joints]
    if not others:
        return []
    message = f"{recording.path}: no joints of the robot, not used: {', '.join(others)}"
    return [Remark(Severity.NOTE, "not-used", message)]


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


def list_unmeasured(options: RobotOptions, robot: Robot) -> list[int]:
    """List the indices of the joints that --unmeasured names.

    Raises:
        UsageError: No joint has such a name, or no torque is left.
    """
    found = sorted({robot.joint(name, "--unmeasured") for name in options.unmeasured})
    if len(found) == len(robot.joints):
        raise UsageError("--unmeasured names every joint, so there is no torque to identify from")
    return found


def clear_unmeasured(
    recording: Recording, columns: Sequence[int], unmeasured: Sequence[int], robot: Robot
) -> Recording:
    """Set the torques of unmeasured joints to 0, whatever the file has.

    Raises:
        UsageError: The torque of another joint is missing. The message names the joint.
    """
    lacking = [joint for joint, own in enumerate(columns) if own in recording.unmeasured]
    others = [robot.joints[joint] for joint in lacking if joint not in unmeasured]
    if others:
        raise UsageError(
            f"{recording.path}: no torque of {', '.join(others)}; "
            f"{' '.join(f'--unmeasured {name}' for name in others)} leaves out these rows"
        )
    if recording.tau is None or not unmeasured:
        return recording
    tau = np.array(recording.tau)
    tau[:, [columns[joint] for joint in unmeasured]] = 0.0
    return replace(recording, tau=tau)


def leave_out_rows(samples: Samples, unmeasured: Sequence[int]) -> Samples:
    """Set the rows of unmeasured joints to 0 in all equations, so that they say nothing."""
    if not unmeasured:
        return samples

    def source() -> Iterator[Block]:
        for Y, F, tau in samples.source():
            yield _clear(Y, unmeasured), _clear(F, unmeasured), _clear(tau, unmeasured)

    return replace(samples, source=source)


def _clear(array: Floats, rows: Sequence[int]) -> Floats:
    cleared = np.array(array)
    cleared[:, list(rows)] = 0.0
    return cleared


def drop_constant(remarks: Sequence[SignalRemark], unmeasured: Sequence[int]) -> list[SignalRemark]:
    """Drop the remark that torques are constant, where these are only the unmeasured ones."""
    return [
        each
        for each in remarks
        if each.kind != "constant"
        or not set(np.flatnonzero(np.isfinite(each.values["torque"])).tolist()) <= set(unmeasured)
    ]


def remark_on_unmeasured(robot: Robot, unmeasured: Sequence[int]) -> list[Remark]:
    """Remark on joints whose rows are left out."""
    if not unmeasured:
        return []
    names = ", ".join(robot.joints[joint] for joint in unmeasured)
    message = f"{names}: the torque is not measured; its rows are left out of every fit"
    return [Remark(Severity.NOTE, "unmeasured", message)]
