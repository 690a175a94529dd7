"""Several files of one motion, as one recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError, UsageError
from inertial_check.formats.recordings import Recording
from inertial_check.formats.recordings.reading import ReadingNote
from inertial_check.identification.recordings.joining import (
    LoggedSignals,
    describe_motion,
    find_offset,
    join_signals,
)
from inertial_check.identification.recordings.thresholds import CLOCKS
from inertial_check.identifying.options import TimeUnit

_SIGNALS = ("q", "u", "du", "tau")

_COMMON = 0.5
"""Part of the shorter file that has to lie in the other, if both are taken to have one clock."""


def join_recordings(
    first: Recording, others: Sequence[Recording], offset: float | str | None, unit: TimeUnit
) -> Recording:
    """Join files of one motion to one recording, at the samples of the slowest.

    Args:
        first: File whose clock is kept.
        others: Other files.
        offset: Time by which their clocks are ahead of the first [s]; "estimate" to find it in the
            signals; None if all have one clock.
        unit: Unit of the stamps that state none.

    Raises:
        UsageError: The files do not fit each other, or have no time in common.
    """
    files = [_convert_time(each, unit) for each in (first, *others)]
    notes = [note for each in files for note in each.notes]
    shifted = [files[0]]
    for other in files[1:]:
        own, note = _shift_clock(files[0], other, offset)
        shifted.append(own)
        notes.append(ReadingNote("joined", note))
    joints = next((each.joints for each in shifted if each.q is not None), first.joints)
    columns = [_list_columns(each, joints, taken) for each, taken in _share_signals(shifted)]
    loggers = [_stack(each, own) for each, own in zip(shifted, columns, strict=True)]
    try:
        joined = join_signals(loggers)
    except ParameterError as error:
        paths = ", ".join(each.path for each in shifted)
        raise UsageError(f"{paths}: {error}") from None
    held: dict[str, Floats] = {}
    further: dict[str, Floats] = {}
    for arrays, signals in zip(columns, joined.signals, strict=True):
        start = 0
        for (name, is_signal), values in arrays.items():
            width = 1 if values.ndim == 1 else values.shape[1]
            part = signals[:, start : start + width]
            (held if is_signal else further)[name] = part if values.ndim > 1 else part[:, 0]
            start += width
    for each, note in zip(shifted, joined.notes, strict=True):
        notes.append(ReadingNote("joined", f"{each.path}: {note}"))
    return Recording(
        path=first.path,
        t=joined.t,
        joints=joints,
        ignored=tuple(name for each in shifted for name in each.ignored),
        notes=tuple(notes),
        stated=frozenset({"t"}.union(*(each.stated for each in shifted))),
        has_currents=any(each.has_currents for each in shifted if "tau" not in each.absent),
        further=further,
        q=held.get("q"),
        u=held.get("u"),
        du=held.get("du"),
        tau=held.get("tau"),
    )


def _convert_time(recording: Recording, unit: TimeUnit) -> Recording:
    """Convert the stamps to seconds, since files may have stamps of several units.

    Raises:
        UsageError: There are no stamps, or the file holds equations.
    """
    if recording.t is None or recording.Y is not None:
        what = "no t" if recording.t is None else "Y in place of q"
        raise UsageError(f"{recording.path}: {what}, and files are joined by the stamps of motions")
    if recording.breaks:
        raise UsageError(
            f"{recording.path}: stamps that run backwards cannot be joined with another clock"
        )
    t = recording.t if "t" in recording.stated else recording.t / CLOCKS.get(unit, 1.0)
    return replace(recording, t=t)


def _shift_clock(
    first: Recording, other: Recording, offset: float | str | None
) -> tuple[Recording, str]:
    """Shift the clock of a file to that of the first, and say by how much.

    Raises:
        UsageError: No offset is given and the files have little time in common, or none is found.
    """
    assert first.t is not None
    assert other.t is not None
    if offset is None:
        common = min(first.t[-1], other.t[-1]) - max(first.t[0], other.t[0])
        if common < _COMMON * min(np.ptp(first.t), np.ptp(other.t)):
            raise UsageError(
                f"{other.path} is from {other.t[0]:.10g} to {other.t[-1]:.10g} s and {first.path} "
                f"from {first.t[0]:.10g} to {first.t[-1]:.10g} s: --clock-offset S says how far "
                "its clock is ahead, and --clock-offset estimate finds it"
            )
        return other, f"{other.path}: taken to have one clock with {first.path}"
    if not isinstance(offset, str):
        shifted = replace(other, t=other.t - offset)
        return shifted, f"{other.path}: its clock is {offset:.10g} s ahead, as given"
    try:
        found = find_offset(*_choose_signals(first, other))
    except ParameterError as error:
        raise UsageError(f"{other.path}: --clock-offset estimate: {error}") from None
    rival = "" if found.rival is None else f"; {found.rival:.6f} s would do as well"
    return replace(other, t=other.t - found.offset), (
        f"{other.path}: its clock is {found.offset:.6f} s ahead, estimated: "
        f"{first.path} explains {found.explained:.1%} of its variance there{rival}"
    )


def _choose_signals(first: Recording, other: Recording) -> tuple[LoggedSignals, LoggedSignals]:
    """Choose what tells the offset: the same signal in both, else torques by the motion.

    Raises:
        UsageError: There is neither.
    """
    for name in _SIGNALS:
        both = getattr(first, name), getattr(other, name)
        if both[0] is not None and both[1] is not None:
            assert first.t is not None
            assert other.t is not None
            return LoggedSignals(first.t, both[0]), LoggedSignals(other.t, both[1])
    if first.q is not None and other.tau is not None:
        assert first.t is not None
        assert other.t is not None
        return describe_motion(first.t, first.q), LoggedSignals(other.t, other.tau)
    raise UsageError(
        f"{other.path}: --clock-offset estimate needs a signal that {first.path} has, too, or the "
        "positions in that and the torques in this file"
    )


def _share_signals(files: Sequence[Recording]) -> list[tuple[Recording, list[str]]]:
    """Say which signals are taken of each file: every one of the first file that has it."""
    taken: set[str] = set()
    found = []
    for each in files:
        own = [name for name in _SIGNALS if getattr(each, name) is not None and name not in taken]
        taken |= {*own}
        found.append((each, own))
    return found


def _list_columns(
    recording: Recording, joints: tuple[str, ...] | None, names: list[str]
) -> dict[tuple[str, bool], Floats]:
    """List the arrays of a file, with the joints in a common order.

    Raises:
        UsageError: Its joints are others.
    """
    found: dict[tuple[str, bool], Floats] = {}
    own = recording.joints
    for name in names:
        values = getattr(recording, name)
        if own is not None and joints is not None and own != joints:
            folded = [each.casefold() for each in own]
            if sorted(folded) != sorted(each.casefold() for each in joints):
                raise UsageError(
                    f"{recording.path} has {', '.join(own)}, and the positions are of "
                    f"{', '.join(joints)}: expected the same joints in all files"
                )
            values = values[:, [folded.index(each.casefold()) for each in joints]]
        found[name, True] = values
    return found | {(name, False): values for name, values in recording.further.items()}


def _stack(recording: Recording, columns: dict[tuple[str, bool], Floats]) -> LoggedSignals:
    assert recording.t is not None
    parts = [values.reshape(len(values), -1) for values in columns.values()]
    if not parts:
        raise UsageError(f"{recording.path}: nothing in it that the other files do not have")
    return LoggedSignals(recording.t, np.concatenate(parts, axis=1))
