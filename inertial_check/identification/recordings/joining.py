"""Recordings of one motion by several loggers, brought to one clock and joined to one.

The slowest clock is kept with its samples. What was sampled faster passes a low-pass filter below
half of the slowest rate first, forward and backward, since frequencies above it would come out as
other ones; then it is interpolated at the stamps of the slowest clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification.diagnosis.diagnosis import CLOCKS
from inertial_check.identification.motion.signals import (
    BANDWIDTHS,
    MOST_OF_NYQUIST,
    PAUSE,
    bandwidth,
    differentiate,
    filter_signals,
    memory,
    resample,
)
from inertial_check.identification.options import TimeUnit
from inertial_check.identification.recordings.recording import ReadingNote, Recording
from inertial_check.inertia.arrays import Floats, Mask

_BAND = 0.8
"""Cut-off of the anti-aliasing filter, in halves of the slowest rate."""

_ORDER = 8
"""Order of the anti-aliasing filter, which is run twice: at half of its cut-off all passes."""

_FASTER = 1.2
"""Ratio of rates from which on a signal is filtered before it is interpolated."""

_LEAST = 0.5
"""Part of the variance that has to be explained by the best offset of two clocks."""

_RIVAL = 0.98
"""Part of the best score from which on another offset is as good."""

_SEARCHES = ((40.0, 81), (2.0, 81))
"""Half-width [steps] and number of the offsets that each search around the best one tries."""

_MOST_SAMPLES = 2**18
"""Number of samples from which on an offset is estimated: 35 minutes at 125 Hz."""


class LoggedSignals(NamedTuple):
    """Signals of one logger.

    Attributes:
        t: (S,) time by its own clock [s], increasing.
        signals: (S, k) signals.
        cutoff: Cut-off of a filter that they passed [Hz]; infinite without one.
    """

    t: Floats
    signals: Floats
    cutoff: float = inf

    @property
    def rate(self) -> float:
        """Samples a second, by the median step [Hz]."""
        return 1 / float(np.median(np.diff(self.t)))


class JoinedSignals(NamedTuple):
    """Signals of several loggers at the samples of the slowest.

    Attributes:
        t: (S,) time [s].
        signals: (S, k) signals of each logger.
        notes: What was done, one line each.
    """

    t: Floats
    signals: tuple[Floats, ...]
    notes: tuple[str, ...]


class ClockOffset(NamedTuple):
    """Offset between two clocks.

    Attributes:
        offset: Time by which the second clock is ahead of the first [s].
        explained: Part of the second's variance that the first explains there.
        rival: Another offset that is as good [s]; None if there is none.
    """

    offset: float
    explained: float
    rival: float | None


def join_signals(loggers: Sequence[LoggedSignals]) -> JoinedSignals:
    """Bring the signals of several loggers, whose clocks agree, to the samples of the slowest.

    Samples of the slowest in a pause of another are left out: nothing is bridged.

    Args:
        loggers: Signals, at least three samples each.

    Raises:
        ParameterError: A logger has too few samples, or no time is common to all.
    """
    for each in loggers:
        if len(each.t) < 3:
            raise ParameterError(f"{len(each.t)} samples, expected at least 3 to join")
    slowest = min(loggers, key=lambda each: each.rate)
    start, end = max(each.t[0] for each in loggers), min(each.t[-1] for each in loggers)
    t = slowest.t[(slowest.t >= start) & (slowest.t <= end)]
    kept = np.ones(len(t), dtype=bool)
    found, notes = [], []
    for each in loggers:
        values, inside, note = _interpolate(each, t, slowest)
        found.append(values)
        kept &= inside
        notes.append(note)
    if not kept.any():
        raise ParameterError("no sample is common to all")
    return JoinedSignals(t[kept], tuple(values[kept] for values in found), tuple(notes))


def _interpolate(own: LoggedSignals, t: Floats, slowest: LoggedSignals) -> tuple[Floats, Mask, str]:
    """Interpolate signals at the stamps of the slowest clock; mark those inside of a run."""
    if own is slowest:
        kept = np.isin(own.t, t)
        return own.signals[kept], np.ones(len(t), dtype=bool), f"{own.rate:.6g} Hz kept"
    filters = own.rate > _FASTER * slowest.rate
    cutoff = _BAND * slowest.rate / 2
    values = np.full((len(t), own.signals.shape[1]), np.nan)
    inside: Mask = np.zeros(len(t), dtype=bool)
    ends = np.flatnonzero(np.diff(own.t) > PAUSE / own.rate) + 1
    for rows in np.split(np.arange(len(own.t)), ends):
        run = LoggedSignals(own.t[rows], own.signals[rows])
        wanted = (t >= run.t[0]) & (t <= run.t[-1])
        if len(rows) < 4 or not wanted.any():
            continue
        values[wanted] = _interpolate_run(run, t[wanted], own.rate, cutoff if filters else None)
        inside |= wanted
    how = f"filtered at {cutoff:.4g} Hz against aliasing, and " if filters else ""
    return values, inside, f"{own.rate:.6g} Hz {how}interpolated by cubic splines"


def _interpolate_run(run: LoggedSignals, t: Floats, rate: float, cutoff: float | None) -> Floats:
    """Interpolate a run without pauses by cubic splines, filtered before if there is a cut-off."""
    from scipy.interpolate import CubicSpline

    if cutoff is None:
        return np.asarray(CubicSpline(run.t, run.signals)(t))
    even = resample(run.t, run.signals, rate)
    if len(even.t) <= memory(even.rate, cutoff, _ORDER):
        return np.asarray(CubicSpline(run.t, run.signals)(t))
    smooth = filter_signals(even.signals, even.rate, cutoff, _ORDER)
    return np.asarray(CubicSpline(even.t, smooth)(t))


def find_offset(features: LoggedSignals, targets: LoggedSignals) -> ClockOffset:
    """Find the offset of two clocks at which features explain most of the targets.

    Both are brought to uniform steps at the slower rate. The part of the targets' variance that a
    linear combination of the features explains is computed for every shift by fast Fourier
    transforms; around the best one the likelihood is computed at fractions of a step.

    Args:
        features: Signals by the first clock, such as those of `describe_motion`.
        targets: Signals by the second clock.

    Raises:
        ParameterError: Nothing is explained at any offset.
    """
    rate = min(features.rate, targets.rate)
    if features.cutoff < targets.rate / 2:
        even = resample(targets.t, targets.signals, targets.rate)
        smooth = filter_signals(even.signals, even.rate, features.cutoff)
        targets = LoggedSignals(even.t, smooth)
    X, Y = (_resample_band(each, rate)[:_MOST_SAMPLES] for each in (features, targets))
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    spread = np.sqrt((Y**2).sum(axis=0))
    Y = Y[:, spread > 0] / spread[spread > 0]
    basis, values, _ = np.linalg.svd(
        X / np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny), False
    )
    basis = basis[:, values > values[0] * len(X) * np.finfo(float).eps]
    # Zeros behind both signals keep the circular correlation of the transforms from wrapping round.
    count = len(X) + len(Y)
    size = 1 << (count - 1).bit_length()
    spectra = np.fft.rfft(Y, size, axis=0)
    score = np.zeros(size)
    for column in basis.T:
        product = np.conj(np.fft.rfft(column, size))[:, None] * spectra
        score += (np.fft.irfft(product, size, axis=0) ** 2).sum(axis=1)
    score /= max(Y.shape[1], 1)
    best = int(np.argmax(score))
    explained = float(score[best])
    if not explained >= _LEAST:
        raise ParameterError(
            f"at no offset of the clocks the one explains the other: at best {explained:.0%} of "
            "the variance"
        )
    shifts: Floats = np.arange(float(size))
    shifts[shifts >= len(Y)] -= size
    start = float(targets.t[0] - features.t[0])
    # Find another peak of the score that is as high, beside the slopes of the best one.
    ring = np.roll(score, -best)
    slopes = int(np.argmax(ring < ring[0] / 2)) or 1
    back = int(np.argmax(ring[::-1] < ring[0] / 2)) or 1
    others = ring[slopes:-back]
    rival = None
    if len(others) and others.max() >= _RIVAL * ring[0]:
        rival = float(shifts[(best + slopes + int(np.argmax(others))) % len(shifts)])
    return ClockOffset(
        _refine(start + shifts[best] / rate, basis, features.t[0], rate, targets),
        explained,
        None if rival is None else start + rival / rate,
    )


def _refine(
    offset: float, basis: Floats, start: float, rate: float, targets: LoggedSignals
) -> float:
    """Refine an offset by the likelihood of the residuals, each signal with its own noise.

    Args:
        offset: Offset to the next step of the features [s].
        basis: (S, k) orthonormal combinations of the features, from `start` on at `rate`.
        start: Time of the first of them [s].
        rate: Steps a second [Hz].
        targets: Signals by the second clock.
    """
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(targets.t, targets.signals)
    t = start + np.arange(len(basis)) / rate
    for width, count in _SEARCHES:
        tries = offset + np.linspace(-width, width, count) / rate
        rows = (t + tries[0] >= targets.t[0]) & (t + tries[-1] <= targets.t[-1])
        if rows.sum() <= basis.shape[1] + 3:
            continue
        own = np.linalg.qr(np.column_stack([np.ones(rows.sum()), basis[rows]]))[0]
        costs = np.zeros(count)
        for k, each in enumerate(tries):
            Y = spline(t[rows] + each)
            # Logarithms of the squared residuals, as in a likelihood with unknown noise.
            left = ((Y - own @ (own.T @ Y)) ** 2).sum(axis=0)
            costs[k] = np.log(np.maximum(left, np.finfo(float).tiny)).sum()
        best = int(np.clip(np.argmin(costs), 1, count - 2))
        bend = costs[best - 1] - 2 * costs[best] + costs[best + 1]
        fraction = 0.5 * (costs[best - 1] - costs[best + 1]) / bend if bend > 0 else 0.0
        offset = float(tries[best] + np.clip(fraction, -1, 1) * (tries[1] - tries[0]))
    return offset


def _resample_band(own: LoggedSignals, rate: float) -> Floats:
    """Resample signals to uniform steps at a rate, without what is above half of it."""
    even = resample(own.t, own.signals, own.rate)
    signals = even.signals
    if own.rate > _FASTER * rate and len(signals) > memory(own.rate, _BAND * rate / 2, _ORDER):
        signals = filter_signals(signals, even.rate, _BAND * rate / 2, _ORDER)
    return resample(even.t, signals, rate).signals


def describe_motion(t: Floats, q: Floats) -> LoggedSignals:
    """Describe a motion by features whose linear combinations are nearly the torques of any robot.

    They are sines and cosines of the positions, of their sums and differences, velocities with
    their signs, and accelerations.

    Args:
        t: (S,) time [s].
        q: (S, n) positions [rad or m]; they pass a filter before they are differentiated.
    """
    rate = 1 / float(np.median(np.diff(t)))
    even = resample(t, q, rate)
    band = bandwidth(even.signals, even.rate)
    cutoff = min(MOST_OF_NYQUIST * even.rate / 2, BANDWIDTHS * (inf if np.isnan(band) else band))
    own = filter_signals(even.signals, even.rate, cutoff)
    u = differentiate(own, even.rate)
    du = differentiate(u, even.rate)
    angles = [own]
    for i in range(own.shape[1]):
        for j in range(i + 1, own.shape[1]):
            angles.append((own[:, i] + own[:, j])[:, None])
            angles.append((own[:, i] - own[:, j])[:, None])
    every = np.concatenate(angles, axis=1)
    steps = filter_signals(np.sign(u), even.rate, cutoff)
    features = [own, np.sin(every), np.cos(every), u, steps, du]
    return LoggedSignals(even.t, np.concatenate(features, axis=1), cutoff)


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
    # Every signal is taken of the first file that has it.
    taken: set[str] = set()
    columns = []
    for each in shifted:
        here = [name for name in _SIGNALS if getattr(each, name) is not None]
        columns.append(_list_columns(each, joints, [name for name in here if name not in taken]))
        taken |= {*here}
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
