"""Recordings of one motion by several loggers, brought to one clock.

The slowest clock is kept with its samples. What was sampled faster passes a low-pass filter below
half of the slowest rate first, forward and backward, since frequencies above it would come out as
other ones; then it is interpolated at the stamps of the slowest clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import ParameterError
from inertial_check.identification.recordings.signals import (
    BANDWIDTHS,
    MOST_OF_NYQUIST,
    PAUSE,
    bandwidth,
    differentiate,
    filter_signals,
    memory,
    resample,
)

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
    rival = _find_rival(score, shifts, best)
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
        costs = np.array([_measure_residuals(own, spline(t[rows] + each)) for each in tries])
        best = int(np.clip(np.argmin(costs), 1, count - 2))
        bend = costs[best - 1] - 2 * costs[best] + costs[best + 1]
        fraction = 0.5 * (costs[best - 1] - costs[best + 1]) / bend if bend > 0 else 0.0
        offset = float(tries[best] + np.clip(fraction, -1, 1) * (tries[1] - tries[0]))
    return offset


def _measure_residuals(basis: Floats, Y: Floats) -> float:
    """Logarithms of the squared residuals of signals, as in a likelihood with unknown noise."""
    left = ((Y - basis @ (basis.T @ Y)) ** 2).sum(axis=0)
    return float(np.log(np.maximum(left, np.finfo(float).tiny)).sum())


def _find_rival(score: Floats, shifts: Floats, best: int) -> float | None:
    """Find another peak of the score that is as high, beside the slopes of the best one."""
    ring = np.roll(score, -best)
    slopes = int(np.argmax(ring < ring[0] / 2)) or 1
    back = int(np.argmax(ring[::-1] < ring[0] / 2)) or 1
    others = ring[slopes:-back]
    if not len(others) or others.max() < _RIVAL * ring[0]:
        return None
    return float(shifts[(best + slopes + int(np.argmax(others))) % len(shifts)])


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
