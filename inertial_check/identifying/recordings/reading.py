"""Reading of the recordings of an identification, with the options of the reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inertial_check.errors import DocumentError
from inertial_check.formats import load
from inertial_check.formats.recordings import (
    ReadingOptions,
    Recording,
    read_column_map,
    read_recording,
)
from inertial_check.identifying.options import IdentifyOptions, RecordingOptions
from inertial_check.identifying.recordings.joining import join_recordings
from inertial_check.identifying.recordings.joint_names import resolve_names
from inertial_check.model import Severity
from inertial_check.model.identified import Remark
from inertial_check.model.tree import list_joints


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
    how = ReadingOptions(
        needed=("q",) if floats else needed,
        columns=columns,
        skip_bad_rows=own.skip_bad_rows,
        partial=bool(options.robot.unmeasured) or floats or loops,
        further=options.contacts.columns,
        topic=own.topic,
        joints=_list_joints(options),
    )
    return [_read_with_others(path, own, how) for path in (*options.data, *own.validation)]


def _list_joints(options: IdentifyOptions) -> tuple[str, ...]:
    """List the joints of the robot, where a recording may have those of several devices."""
    files = (*options.data, *options.recordings.validation)
    if all(path.endswith((".csv", ".npz", ".txt")) for path in files):
        return ()
    return tuple(name for name, _ in list_joints(load(options.model, context=options.context)))


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
