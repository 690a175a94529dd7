"""The motion of a recording, smooth, in the order of the robot's joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError, UsageError
from inertial_check.formats.recordings import Recording
from inertial_check.identification.recordings.diagnosis import diagnose
from inertial_check.identification.recordings.signals import Smoothing, filter_signals, smooth
from inertial_check.identifying.request import Request
from inertial_check.identifying.robot import Robot
from inertial_check.identifying.severities import in_severity
from inertial_check.model import Severity
from inertial_check.model.identified import Remark


@dataclass(frozen=True, eq=False)
class Motion:
    """What the joints did, and the torques beside it.

    Attributes:
        t: (S,) time [s]; the number of the sample where the recording has none.
        q: (S, n) positions [rad or m].
        u: (S, n) velocities.
        du: (S, n) accelerations.
        tau: (S, n) torques [N m] or forces [N].
        redundancy: How many samples say what one independent sample would.
        cutoff: Of the filter [Hz]; infinite without one.
        rate: Samples a second [Hz]; None where it is not known to be uniform.
        order: Of the filter.
        runs: Rows at uniform steps that passed the filter together.
    """

    t: Floats
    q: Floats
    u: Floats
    du: Floats
    tau: Floats
    redundancy: float
    cutoff: float
    rate: float | None
    order: int = 0
    runs: tuple[slice, ...] = ()

    def __len__(self) -> int:
        """How many samples there are."""
        return len(self.t)

    def part(self, rows: npt.NDArray[np.bool_]) -> Motion:
        """Some of the samples, which are in no run any more."""
        signals = {name: getattr(self, name)[rows] for name in ("t", "q", "u", "du", "tau")}
        return replace(self, **signals, runs=())

    def through_filter(self, signals: Floats) -> Floats:
        """Signals (S, ...) of the same samples, after the filter that the torques passed."""
        if not np.isfinite(self.cutoff):
            return signals
        passed = np.empty_like(signals)
        for rows in self.runs:
            steps = np.diff(self.t[rows])
            passed[rows] = filter_signals(signals[rows], 1 / steps.mean(), self.cutoff, self.order)
        return passed


def motion_of(
    recording: Recording,
    places: Sequence[int],
    gain: Floats,
    request: Request,
    robot: Robot,
) -> tuple[Motion, list[Remark]]:
    """The motion that a recording holds.

    Positions, velocities and accelerations that are all there, and no wish, pass as they are.

    Args:
        recording: With q and tau.
        places: Which of its columns each joint is.
        gain: (n,) what torques are multiplied by.
        request: Units, delay, and what is to be done to the signals.
        robot: Whose joints they are.

    Raises:
        UsageError: There is neither time nor a rate.
        ParameterError: Numbers that cannot be used.
    """
    smoothing = request.smoothing
    turning = np.array([unit == "N m" for unit in robot.units])
    scale = np.where(turning & request.degrees, np.pi / 180, 1.0)
    q, u, du = (
        None if signal is None else signal[:, places] * scale
        for signal in (recording.q, recording.u, recording.du)
    )
    tau = None if recording.tau is None else recording.tau[:, places] * gain
    assert q is not None
    assert tau is not None
    said = _diagnosis(recording, (q, tau, u, du), robot)
    tau = _undelayed(recording, tau, request.delay)
    if u is not None and du is not None and smoothing == Smoothing():
        t = np.arange(len(q), dtype=np.float64) if recording.t is None else recording.t
        said.append(_note(recording, "q, qd, qdd and tau as they are, not filtered"))
        return Motion(t, q, u, du, tau, 1.0, inf, None), said
    if recording.t is None and smoothing.rate is None:
        raise UsageError(
            f"{recording.path}: no t, and without it neither velocities nor a filter: give "
            "--rate HZ of the samples, or qd and qdd"
        )
    try:
        signals = smooth(recording.t, q, tau, u, du, smoothing)
    except ParameterError as error:
        raise ParameterError(f"{recording.path}: {error}") from None
    found = Motion(
        signals.t,
        signals.q,
        signals.u,
        signals.du,
        signals.tau,
        signals.redundancy,
        signals.cutoff,
        signals.rate,
        smoothing.order,
        signals.runs,
    )
    return found, [*said, *(_note(recording, note) for note in signals.notes)]


def _undelayed(recording: Recording, tau: Floats, delay: float) -> Floats:
    """Torques at the time of the motion that they go with; at the ends the last that there are.

    Raises:
        UsageError: There is no time.
    """
    if delay == 0:
        return tau
    if recording.t is None:
        raise UsageError(f"{recording.path}: no t, and without it no --delay")
    wanted = recording.t + delay
    return np.stack([np.interp(wanted, recording.t, column) for column in tau.T], axis=1)


def _diagnosis(
    recording: Recording, signals: tuple[Floats | None, ...], robot: Robot
) -> list[Remark]:
    """What looks wrong with what was recorded.

    Raises:
        ParameterError: It cannot be used.
    """
    q, tau, u, du = signals
    try:
        found = diagnose(q, tau, u, du, recording.t, limits=robot.limits, joints=robot.joints)
    except ParameterError as error:
        raise ParameterError(f"{recording.path}: {error}") from None
    return [in_severity(recording.path, each) for each in found]


def _note(recording: Recording, message: str) -> Remark:
    return Remark(Severity.NOTE, "signals", f"{recording.path}: {message}")
