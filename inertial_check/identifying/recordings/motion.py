"""Motion of a recording: in SI units, smooth, and in the order of the robot's joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import ParameterError, UsageError
from inertial_check.formats.recordings import Recording
from inertial_check.identification.recordings.diagnosis import diagnose
from inertial_check.identification.recordings.signal_remark import SignalRemark
from inertial_check.identification.recordings.signals import Smoothing, filter_signals, smooth
from inertial_check.identification.recordings.spikes import (
    bridge_spikes,
    describe_spikes,
    find_spikes,
)
from inertial_check.identification.recordings.thresholds import AGREEMENT, CLOCKS
from inertial_check.identifying.floating.whole_motion import WholeMotion
from inertial_check.identifying.options import RecordingOptions, TimeUnit
from inertial_check.identifying.recordings.unmeasured import drop_constant
from inertial_check.identifying.robot.robot import Robot
from inertial_check.model import Severity
from inertial_check.model.identified import Remark

GRAVE_LAG = 0.25
"""Part of the squared residuals that a lag makes from which on it is a warning: what controllers
filter out of velocities makes 15 % on a sound recording."""


class _Grade(NamedTuple):
    """Severity of a kind of remark, and the option that answers it; "" for none."""

    severity: Severity
    option: str = ""


_GRADES = {
    "clock": _Grade(Severity.NOTE),
    "still": _Grade(Severity.WARNING, "--locked JOINT=POSITION leaves a joint out"),
    "constant": _Grade(Severity.WARNING),
    "limits": _Grade(Severity.WARNING),
    "time": _Grade(Severity.ERROR, "--time-unit {unit} reads it so"),
    "degrees": _Grade(Severity.ERROR, "--degrees reads them so"),
    "velocity": _Grade(Severity.WARNING),
    "acceleration": _Grade(Severity.WARNING),
    "spikes": _Grade(Severity.WARNING, "--loss huber weighs down what is left of them"),
    "unit": _Grade(Severity.ERROR, "--gain multiplies them"),
    "gear": _Grade(Severity.ERROR, "--gain multiplies them"),
    "sign": _Grade(Severity.ERROR, "--gain=-1 turns them"),
    "gain": _Grade(Severity.WARNING),
    "lag": _Grade(Severity.WARNING),
}
"""Grades by kind. A remark is an error if the recording holds something else than it was taken for,
so that all results are wrong, and a warning if a part of it may."""


def grade_remark(path: str, remark: SignalRemark) -> Remark:
    """Give a remark on the signals of a recording its severity and the option that answers it."""
    grade = _GRADES.get(remark.kind, _Grade(Severity.WARNING))
    severity = grade.severity
    if remark.kind == "sign" and not _turns_most_joints(remark):
        severity = Severity.WARNING
    units = [unit for unit, size in CLOCKS.items() if remark.values.get("ratio") == 1 / size]
    if remark.kind == "lag" and float(np.max(remark.values["saved"])) < GRAVE_LAG:
        severity = Severity.NOTE
    option = f"; {grade.option.format(unit=''.join(units))}" if grade.option else ""
    return Remark(severity, remark.kind, f"{path}: {remark.message}{option}")


def _turns_most_joints(remark: SignalRemark) -> bool:
    """Decide whether most joints have the other sign: of a single one it may be chance."""
    slopes, shares = np.array(remark.values["slopes"]), np.array(remark.values["shares"])
    return bool(np.mean(slopes[shares >= AGREEMENT] < 0) > 0.5)


@dataclass(frozen=True, eq=False)
class JointMotion:
    """Motion of the joints with their torques.

    Attributes:
        t: (S,) time [s]; the number of the sample if the recording has no time.
        q: (S, n) positions [rad or m].
        u: (S, n) velocities.
        du: (S, n) accelerations.
        tau: (S, n) torques [N m] or forces [N].
        redundancy: Number of samples that carry as much information as one independent sample.
        cutoff: Cut-off frequency of the filter [Hz]; infinite without one.
        rate: Samples a second [Hz]; None if the steps are not known to be uniform.
        order: Order of the filter.
        runs: Rows at uniform steps that passed the filter together.
        whole: Base, wrenches and rows of the equations; None for a tree on a fixed base, whose rows
            are its joints.
    """

    t: Floats
    q: Floats
    u: Floats
    du: Floats
    tau: Floats
    redundancy: float = 1.0
    cutoff: float = inf
    rate: float | None = None
    order: int = 0
    runs: tuple[slice, ...] = ()
    whole: WholeMotion | None = None

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.t)

    def part(self, rows: Mask) -> JointMotion:
        """Select some samples, which belong to no run any more."""
        signals = {name: getattr(self, name)[rows] for name in ("t", "q", "u", "du", "tau")}
        whole = None if self.whole is None else self.whole.part(rows)
        return replace(self, **signals, runs=(), whole=whole)

    def filter(self, signals: Floats) -> Floats:
        """Pass signals (S, ...) of the same samples through the filter that the torques passed."""
        if not np.isfinite(self.cutoff):
            return signals
        passed = np.empty_like(signals)
        for rows in self.runs:
            steps = np.diff(self.t[rows])
            passed[rows] = filter_signals(signals[rows], 1 / steps.mean(), self.cutoff, self.order)
        return passed


class JointSignals(NamedTuple):
    """Signals of the joints in SI units, before any filter.

    Attributes:
        recording: Recording, its time in seconds.
        q: (S, n) positions.
        u: (S, n) velocities, or None.
        du: (S, n) accelerations, or None.
        tau: (S, n) torques, without spikes; or None.
        remarks: Remarks on them.
    """

    recording: Recording
    q: Floats
    u: Floats | None
    du: Floats | None
    tau: Floats | None
    remarks: list[Remark]


def read_motion(
    recording: Recording,
    columns: Sequence[int],
    gain: Floats,
    options: RecordingOptions,
    robot: Robot,
    unmeasured: Sequence[int] = (),
) -> tuple[JointMotion, list[Remark]]:
    """Make the motion of a recording smooth.

    Complete positions, velocities and accelerations pass as they are, unless smoothing is asked
    for.

    Args:
        recording: Recording with q and tau.
        columns: Column of the recording for each joint.
        gain: (n,) factors of the torques.
        options: Units, delay and smoothing.
        robot: Robot with these joints.
        unmeasured: Indices of joints whose torque is not recorded.

    Raises:
        UsageError: There is neither time nor a rate.
        ParameterError: Numbers that cannot be used.
    """
    smoothing = options.smoothing
    raw = read_signals(recording, columns, gain, options, robot, unmeasured)
    recording, q, u, du, tau, remarks = raw
    assert tau is not None
    if u is not None and du is not None and smoothing == Smoothing():
        t = np.arange(len(q), dtype=np.float64) if recording.t is None else recording.t
        remarks.append(_note(recording, "q, qd, qdd and tau as they are, not filtered"))
        return JointMotion(t, q, u, du, tau), remarks
    refuse_no_clock(recording, smoothing)
    try:
        signals = smooth(recording.t, q, tau, u, du, smoothing, breaks=recording.breaks)
    except ParameterError as error:
        raise ParameterError(f"{recording.path}: {error}") from None
    names = ("t", "q", "u", "du", "tau", "redundancy", "cutoff", "rate", "runs")
    found = JointMotion(**{name: getattr(signals, name) for name in names}, order=smoothing.order)
    return found, [*remarks, *(_note(recording, note) for note in signals.notes)]


def refuse_no_clock(recording: Recording, smoothing: Smoothing) -> None:
    """Refuse a recording that has to be filtered and has neither time nor a rate.

    Raises:
        UsageError: It is one.
    """
    if recording.t is None and smoothing.rate is None:
        raise UsageError(
            f"{recording.path}: no t, and without it neither velocities nor a filter: give "
            "--rate HZ of the samples, or qd and qdd"
        )


def read_signals(
    recording: Recording,
    columns: Sequence[int],
    gain: Floats,
    options: RecordingOptions,
    robot: Robot,
    unmeasured: Sequence[int] = (),
) -> JointSignals:
    """Read the signals of the joints in SI units; arguments and errors are those of read_motion."""
    recording = _convert_time(recording, options.time_unit)
    revolute = np.array([unit == "N m" for unit in robot.units])
    degrees = np.where(revolute & options.degrees, np.pi / 180, 1.0)
    signs = np.ones(len(robot.joints))
    signs[[robot.joint(name, "--reverse") for name in options.reverse]] *= -1.0
    q, u, du = (
        None
        if (signal := getattr(recording, name)) is None
        else signal[:, columns] * (signs if name in recording.stated else signs * degrees)
        for name in ("q", "u", "du")
    )
    tau = None if recording.tau is None else recording.tau[:, columns] * gain
    assert q is not None
    remarks = _diagnose(recording, (q, tau, u, du), robot, unmeasured)
    if tau is None:
        return JointSignals(recording, q, u, du, None, remarks)
    spikes = find_spikes(tau)
    if spikes.any():
        said = describe_spikes(tau, spikes, robot.joints)
        remarks.append(grade_remark(recording.path, said))
        tau = bridge_spikes(tau, spikes)
    return JointSignals(recording, q, u, du, _advance(recording, tau, options.delay), remarks)


def _convert_time(recording: Recording, unit: TimeUnit) -> Recording:
    """Convert the time stamps of a recording to seconds, unless they state their unit."""
    if recording.t is None or unit == "s" or "t" in recording.stated:
        return recording
    return replace(recording, t=recording.t / CLOCKS[unit])


def _advance(recording: Recording, tau: Floats, delay: float) -> Floats:
    """Move torques to the time of their motion; at the ends the last torque is repeated.

    Raises:
        UsageError: The recording has no time.
    """
    if delay == 0:
        return tau
    if recording.t is None:
        raise UsageError(f"{recording.path}: no t, and without it no --delay")
    wanted = recording.t + delay
    return np.stack([np.interp(wanted, recording.t, column) for column in tau.T], axis=1)


def _diagnose(
    recording: Recording,
    signals: tuple[Floats | None, ...],
    robot: Robot,
    unmeasured: Sequence[int],
) -> list[Remark]:
    """Diagnose the signals of a recording.

    Raises:
        ParameterError: They cannot be used.
    """
    q, tau, u, du = signals
    assert q is not None
    try:
        found = diagnose(q, tau, u, du, recording.t, limits=robot.limits, joints=robot.joints)
    except ParameterError as error:
        raise ParameterError(f"{recording.path}: {error}") from None
    return [grade_remark(recording.path, each) for each in drop_constant(found, unmeasured)]


def _note(recording: Recording, message: str) -> Remark:
    return Remark(Severity.NOTE, "signals", f"{recording.path}: {message}")
