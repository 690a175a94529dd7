"""From what was logged to what the equations of motion need: one clock, one filter, derivatives.

What passes a filter lags nowhere and shrinks alike only if all of it passes the same one, forward
and backward. So positions, velocities, accelerations and torques each pass it, and each step says
what it did.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.identification.motion import signals
>>> t = np.arange(0, 10, 0.01)  # 100 Hz
>>> q = np.sin(2 * np.pi * 0.5 * t)[:, None]  # 0.5 Hz

Spikes of recorded torques: samples far off their neighbours, which no motion makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.identification.diagnosis.diagnosis import (
    SignalRemark,
    check_signal,
    check_signals,
    check_time,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Mask, quiet
from inertial_check.inertia.tolerances import GAP

PAUSE = 20.0
"""Times the median step: no jitter, but the end of a run and the beginning of another."""

FAINT = 0.01
"""Power, relative to the highest in the spectrum of a velocity, below which a frequency carries no
signal: a tenth of its amplitude."""

CHANCE = 20.0
"""Times the mean power of noise: one value in e^20 of its spectrum is higher."""

BANDWIDTHS = 20.0
"""The default cut-off, in bands of the motion: torques hold harmonics of it, and friction steps."""

LEAST_BANDWIDTHS = 3.0
"""The default cut-off is never lower, in bands of the motion: it would cut the motion itself."""

NOISY = 2.0**-12
"""Part of the variance of an acceleration that may be noise of what it is taken of: a bias of that
part is below the deviations of some thousand samples."""

MOST_OF_NYQUIST = 0.5
"""The default cut-off is never higher: above it, central differences lose a third and more."""

EDGE = 0.01
"""Share of the effect of an end on the filter at which signals are kept again."""


class ResampledSignals(NamedTuple):
    """Signals on a uniform clock.

    Attributes:
        t: (S,) [s].
        signals: (S, ...).
        rate: Samples a second [Hz].
        notes: What was done, one line each.
    """

    t: Floats
    signals: Floats
    rate: float
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Smoothing:
    """How a recording is made smooth; every number has a default that the notes tell.

    Attributes:
        rate: Of the uniform clock [Hz]; None for the median of the recording's own.
        cutoff: Of the filter [Hz], where half of the amplitude passes; None for BANDWIDTHS times
            the band of the motion, infinite for no filter.
        order: Of the Butterworth filter, which is run twice.
        trim: Samples left out at both ends of each run; None for as many as the filter takes to
            forget all but EDGE of an end: 1.9 periods of the cut-off at order 4.
        decimate: Every so many-th sample is kept, once all is smooth.
        refilter: Whether derivatives that were taken of filtered signals pass the filter again.
            They are smoother then than the torques beside them.
    """

    rate: float | None = None
    cutoff: float | None = None
    order: int = 4
    trim: int | None = None
    decimate: int = 1
    refilter: bool = False

    def __post_init__(self) -> None:
        """Refuse numbers that are none of these."""
        expect("number", "nothing", rate=self.rate, cutoff=self.cutoff)
        expect("number", order=self.order, decimate=self.decimate)
        expect("number", "nothing", trim=self.trim)
        for name in ("rate", "cutoff"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ParameterError(f"{name} is {value}, expected a frequency above 0 [Hz]")
        for name, least in (("order", 1), ("trim", 0), ("decimate", 1)):
            value = getattr(self, name)
            if value is not None and not (value >= least and value % 1 == 0):
                raise ParameterError(f"{name} is {value}, expected a count of at least {least}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Signals:
    """Motion and torques, smooth and at uniform steps, in runs that follow each other.

    Attributes:
        t: (S,) [s].
        q: (S, n) positions [rad or m].
        u: (S, n) velocities.
        du: (S, n) accelerations.
        tau: (S, n) torques or forces [N m or N].
        rate: Samples a second within a run [Hz].
        cutoff: Of the filter that all of them passed [Hz]; infinite without one.
        redundancy: How many samples say what one independent sample would, at least 1. White noise
            that passed the filter is alike in neighbours: standard deviations computed as if it
            were not are too small by the root of this.
        runs: The rows of each run.
        notes: What was done and assumed, one line each, with its numbers.
        noise: (2, n) deviations of the white noise at this rate that positions and velocities had
            before the filter; zeros for velocities that are derived. None without a filter, or for
            accelerations that were recorded.
    """

    t: Floats
    q: Floats
    u: Floats
    du: Floats
    tau: Floats
    rate: float
    cutoff: float
    redundancy: float
    runs: tuple[slice, ...]
    notes: tuple[str, ...]
    noise: Floats | None = None

    def __repr__(self) -> str:
        """The sizes."""
        return (
            f"Signals(samples {len(self.t)}, joints {self.q.shape[1]}, runs {len(self.runs)}, "
            f"at {self.rate:.6g} Hz, filtered at {self.cutoff:.6g} Hz)"
        )


def resample(t: ArrayLike, signals: ArrayLike, rate: float | None = None) -> ResampledSignals:
    """Signals at uniform steps, by linear interpolation between the samples.

    A clock that is uniform already (tolerances.UNIFORM_CLOCK) is kept with its samples.

    Args:
        t: (S,) time of the samples [s], increasing.
        signals: (S, ...) signals.
        rate: Samples a second [Hz]; None for the median of 1 / dt.

    Raises:
        ParameterError: Fewer than two samples, values that are not finite, time that goes back.

    Example:
        >>> found = signals.resample([0.0, 0.1, 0.3], [[0.0], [1.0], [3.0]], rate=10.0)
        >>> print(found.signals.ravel())
        [0. 1. 2. 3.]
    """
    expect("number", "nothing", rate=rate)
    if rate is not None and not 0 < rate < np.inf:
        raise ParameterError(f"rate is {rate}, expected a frequency above 0 [Hz]")
    t, signals = check_time(t), check_signal("signals", signals)
    if len(signals) != len(t):
        raise ParameterError(f"signals have {len(signals)} samples and t has {len(t)}")
    own, is_uniform = _own_rate(t)
    if is_uniform and (rate is None or abs(rate / own - 1) * len(t) <= tolerances.UNIFORM_CLOCK):
        return ResampledSignals(t, signals, own, (_describe_clock(len(t), own),))
    rate = own if rate is None else rate
    count = int((t[-1] - t[0]) * rate + tolerances.CLOCK_ROUNDING) + 1
    clock = t[0] + np.arange(count) / rate
    even = np.empty((count, *signals.shape[1:]))
    for column, old in zip(even.reshape(count, -1).T, signals.reshape(len(t), -1).T, strict=True):
        column[:] = np.interp(clock, t, old)
    return ResampledSignals(clock, even, rate, _describe_resampling(t[:-1], np.diff(t), rate))


def _own_rate(t: Floats) -> tuple[float, bool]:
    """The rate of a clock, and whether it is uniform; if not, that of its median step."""
    mean = (len(t) - 1) / float(t[-1] - t[0])
    away = float(np.abs((t - t[0]) * mean - np.arange(len(t))).max())
    if away <= tolerances.UNIFORM_CLOCK:
        return mean, True
    return 1 / float(np.median(np.diff(t))), False


def _describe_clock(samples: int, rate: float) -> str:
    return f"clock: {samples} samples at {rate:.6g} Hz, uniform; not resampled"


def _describe_resampling(t: Floats, steps: Floats, rate: float) -> tuple[str, ...]:
    """Describe how a clock with these steps, which begin at t, was resampled."""
    median = float(np.median(steps))
    notes = [
        f"clock: {len(t) + 1} samples, steps of {steps.min() * 1e3:.4g} to "
        f"{steps.max() * 1e3:.4g} ms, median {median * 1e3:.4g} ms; resampled at {rate:.6g} Hz by "
        "linear interpolation"
    ]
    wide = int(np.sum(steps > GAP * median))
    if wide:
        longest = int(np.argmax(steps))
        notes.append(
            f"gaps: steps longer than {GAP:g} median steps: {wide}, the longest of "
            f"{steps[longest] * 1e3:.4g} ms at t = {t[longest]:.6g} s; filled by straight lines"
        )
    if rate * median < 1 - tolerances.UNIFORM_CLOCK:
        notes.append(
            f"aliasing: {rate:.6g} Hz is slower than the recording's {1 / median:.6g} Hz, and "
            "nothing was filtered before; keep the rate, and decimate behind the filter"
        )
    return tuple(notes)


def filter_signals(signals: ArrayLike, rate: float, cutoff: float, order: int = 4) -> Floats:
    """Signals through a Butterworth filter, forward and backward: no phase is shifted.

    Half of the amplitude passes at the cut-off, and as good as none above: run twice, the filter
    of `order` falls like one of twice the order. At the ends the signals are continued by their
    point reflection over the samples that the filter remembers them.

    Args:
        signals: (S, ...) at uniform steps.
        rate: Samples a second [Hz].
        cutoff: [Hz], below half the rate.
        order: Of the filter.

    Raises:
        ParameterError: The cut-off is not below half the rate; fewer than two samples.

    Example:
        >>> noisy = q + 0.1 * np.sin(2 * np.pi * 30 * t)[:, None]
        >>> error = signals.filter_signals(noisy, rate=100.0, cutoff=5.0) - q
        >>> print(np.abs(error[100:-100]).max() < 0.001)
        True
    """
    expect("number", rate=rate, cutoff=cutoff)
    expect("whole", order=order)
    signals = check_signal("signals", signals)
    if order < 1:
        raise ParameterError(f"order is {order}, expected 1 or more")
    if not 0 < cutoff < rate / 2:
        raise ParameterError(
            f"cutoff is {cutoff:g} Hz, expected above 0 and below half the rate, {rate / 2:g} Hz"
        )
    from scipy.signal import butter, sosfiltfilt

    sections = butter(order, cutoff, fs=rate, output="sos")
    pad = min(len(signals) - 1, memory(rate, cutoff, order))
    smooth: Floats = np.empty(signals.shape)
    count = len(signals)
    for column, own in zip(smooth.reshape(count, -1).T, signals.reshape(count, -1).T, strict=True):
        column[:] = sosfiltfilt(sections, own, padlen=pad)  # one at a time: less memory
    return smooth


def differentiate(signals: ArrayLike, rate: float) -> Floats:
    """Rates of signals by central differences, of second order up to both ends.

    They damp what moves at the frequency f by the factor sin(x) / x, x = 2 pi f / rate.

    Args:
        signals: (S, ...) at uniform steps, S at least 3.
        rate: Samples a second [Hz].

    Raises:
        ParameterError: Fewer than three samples.

    Example:
        >>> print(signals.differentiate([[0.0], [1.0], [4.0], [9.0]], rate=1.0).ravel())
        [0. 2. 4. 6.]
    """
    expect("number", rate=rate)
    signals = check_signal("signals", signals, least=3)
    return np.asarray(np.gradient(signals, 1 / rate, axis=0, edge_order=2))


def bandwidth(q: ArrayLike, rate: float) -> float:
    """The frequency above which the motion has faded.

    In the spectrum of each joint's velocity it is the last one with FAINT of the highest power, and
    with CHANCE times the mean of the upper half, which is noise if the recording was sampled as it
    should be.

    Args:
        q: (S, n) positions at uniform steps.
        rate: Samples a second [Hz].

    Returns:
        That of the fastest joint [Hz]; NaN where none stands out of its noise.

    Example:
        >>> print(round(signals.bandwidth(q, rate=100.0), 1))
        0.6
    """
    expect("number", rate=rate)
    steps = np.diff(check_signal("q", q, least=3), axis=0)
    # Hann's window: without one, the ends of slow motion leak into all frequencies and hide where
    # it fades (Harris, On the use of windows for harmonic analysis, Proc. IEEE 66, 1978).
    window = np.hanning(len(steps) + 2)[1:-1, None]
    power = np.abs(np.fft.rfft((steps - steps.mean(axis=0)) * window, axis=0)) ** 2
    noise = power[(len(power) + 1) // 2 :].mean(axis=0) if len(power) > 2 else 0.0 * power[0]
    rounding = np.finfo(np.float64).eps ** 2 * (steps**2).sum(axis=0)
    heard = (power >= FAINT * power.max(axis=0)) & (power > CHANCE * noise + rounding)
    last = np.flatnonzero(heard.any(axis=1))
    return max(float(last[-1]), 1.0) * rate / len(steps) if len(last) else float("nan")


def measure_noise(signals: Floats, rate: float) -> tuple[Floats, Floats, Floats]:
    """Measure white noise in signals, in the upper half of the spectrum of their differences.

    Args:
        signals: (S, n) positions or velocities at uniform steps.
        rate: Samples a second [Hz].

    Returns:
        Frequencies (f,) [Hz], power (f, n) of the differences at these, and variance (n,) of the
        noise.
    """
    steps = np.diff(check_signal("signals", signals, least=3), axis=0)
    window = np.hanning(len(steps) + 2)[1:-1, None]
    spectrum = np.fft.rfft((steps - steps.mean(axis=0)) * window, axis=0)
    power = np.abs(spectrum) ** 2 / np.sum(window**2)
    frequency = np.fft.rfftfreq(len(steps), 1 / rate)
    upper = frequency > rate / 4
    gain = 4 * np.sin(np.pi * frequency[upper, None] / rate) ** 2
    # The median of exponential numbers is log 2 of their mean, and lines do not move it.
    variance = np.median(power[upper] / gain, axis=0) / np.log(2)
    return np.asarray(frequency), power, np.asarray(variance)


def limit_noise(signals: Floats, rate: float, band: float, order: int) -> tuple[float, float]:
    """Limit the cut-off so that the accelerations that are taken of signals hold little noise.

    Noise in the columns of a regression biases what belongs to them, by its part of their variance.
    White noise of spectral density S leaves S (2 pi)^2d f^(2d + 1) / c in the derivative of order d
    behind the default filter with the cut-off f, with the c of _PASSED.

    Args:
        signals: (S, n) positions or velocities at uniform steps.
        rate: Samples a second [Hz].
        band: Frequency above which the motion has faded [Hz].
        order: Order of the derivative of the signals that the acceleration is: 2 or 1.

    Returns:
        The largest cut-off [Hz], infinite for signals without noise, and the deviation of the
        noise in the signal that limits it; signals that hardly move count for none.
    """
    frequency, power, variance = measure_noise(signals, rate)
    gain = 4 * np.sin(np.pi * frequency[:, None] / rate) ** 2  # of differences, for white noise
    within = frequency <= band
    motion = np.maximum(power - gain * variance, 0.0)[within] * gain[within] ** (order - 1)
    moved = 2 * motion.sum(axis=0) / (len(signals) - 1) * rate ** (2 * order)
    moves = (variance > 0) & (moved > FAINT * moved.max())
    if not moves.any():
        return float("inf"), 0.0
    moved, variance = moved[moves], variance[moves]
    density = 2 * variance / rate * (2 * np.pi) ** (2 * order)
    limits = (NOISY * _PASSED[order] * moved / density) ** (1 / (2 * order + 1))
    worst = int(np.argmin(limits))
    return float(limits[worst]), float(np.sqrt(variance[worst]))


_PASSED = {1: 3.76, 2: 6.29}
"""One over the integral of x^2d / (1 + x^8)^2 from 0 on, by the order d of a derivative."""


@quiet  # sums of squares overflow for values near the largest of float64
def smooth(  # noqa: PLR0913 - the five signals, their processing and their breaks
    t: ArrayLike | None,
    q: ArrayLike,
    tau: ArrayLike,
    u: ArrayLike | None = None,
    du: ArrayLike | None = None,
    how: Smoothing | None = None,
    *,
    breaks: Sequence[int] = (),
) -> Signals:
    """A recording on a uniform clock, filtered, with velocities and accelerations.

    Velocities are the measured ones where there are some, else central differences of the filtered
    positions; so are accelerations, of the filtered velocities. Where the clock pauses for longer
    than half a period of the cut-off the samples do not say what passes the filter: there one run
    ends and another begins, and each is filtered on its own.

    Args:
        t: (S,) time [s], increasing; None for samples at how.rate.
        q: (S, n) positions.
        tau: (S, n) torques or forces.
        u: (S, n) velocities, where they were measured.
        du: (S, n) accelerations, where they were measured.
        how: Every number that can be chosen.
        breaks: Samples at which a new run begins, whatever the clock says.

    Raises:
        ParameterError: Arrays that do not fit, values that are not finite, time that goes back, no
            time and no rate, runs all too short to filter and trim.

    Example:
        >>> found = signals.smooth(t, q, np.cos(q))
        >>> print(found.q.shape, found.u.shape, found.du.shape)
        (968, 1) (968, 1) (968, 1)
    """
    expect(Smoothing, "nothing", how=how)
    expect("list", breaks=breaks)
    for each in breaks:
        expect("whole", breaks=each)
    how = how or Smoothing()
    given = check_signals("q", "tau", q=q, tau=tau, u=u, du=du)
    if t is None:
        if how.rate is None:
            raise ParameterError("no time: give t, or the rate of the samples in Smoothing(rate=)")
        t = np.arange(len(given["q"])) / how.rate
    t = check_time(t)
    if len(t) != len(given["q"]):
        raise ParameterError(f"t has {len(t)} samples and q has {len(given['q'])}")
    chain = _Chain.of(t, given, how)
    steps = np.diff(t)
    inside = steps <= chain.pause
    inside[[each - 1 for each in breaks if 0 < each < len(t)]] = False
    ends = np.flatnonzero(~inside) + 1
    parts = {name: np.split(signal, ends) for name, signal in given.items()}
    runs = []
    for k, own in enumerate(np.split(t, ends)):
        runs.append(chain.run(own, {name: split[k] for name, split in parts.items()}))
    notes = chain.notes(t[:-1][inside], steps[inside], given, runs, len(breaks))
    noise = None
    if not np.isinf(chain.cutoff) and "du" not in given:
        longest = max(np.split(np.arange(len(t)), ends), key=len)
        noise = np.zeros((2, given["q"].shape[1]))
        for row, name in enumerate(("q", "u")):
            if name in given:
                even = resample(t[longest], given[name][longest], chain.rate).signals
                noise[row] = np.sqrt(measure_noise(even, chain.rate)[2] / how.decimate)
    return chain.together([run for run in runs if run], notes, noise)


Given = dict[str, Floats]
"""q and tau, and u and du where they were measured."""


class _Run(NamedTuple):
    """One run, smooth and without its ends.

    Attributes:
        signals: t, q, u, du, tau by name.
        was_uniform: Whether its samples were kept as they are.
    """

    signals: dict[str, Floats]
    was_uniform: bool


@dataclass(frozen=True)
class _Chain:
    """Chain of clock, filter and derivatives for one recording, with every number chosen."""

    how: Smoothing
    rate: float
    cutoff: float
    why: str
    pause: float
    trim: int

    @classmethod
    def of(cls, t: Floats, given: Given, how: Smoothing) -> _Chain:
        """Choose the numbers that are left open.

        Raises:
            ParameterError: The cut-off is not below half the rate.
        """
        steps = np.diff(t)
        median = float(np.median(steps))
        ends = np.concatenate([[0], np.flatnonzero(steps > PAUSE * median) + 1, [len(t)]])
        longest = int(np.argmax(np.diff(ends)))
        part = slice(ends[longest], ends[longest + 1])
        rate = how.rate or (_own_rate(t[part])[0] if len(t[part]) > 1 else 1 / median)
        cutoff, why = how.cutoff, "as asked"
        if cutoff is None:
            # The default cut-off, and how it came about.
            most = MOST_OF_NYQUIST * rate / 2
            name = "u" if "u" in given else "q"
            even = [resample(t[part], given[each][part], rate).signals for each in ("q", name)]
            band = bandwidth(even[0], rate)
            if np.isnan(band):
                cutoff, why = (
                    most,
                    f"{MOST_OF_NYQUIST:g} of half the rate: no joint moves more than its noise",
                )
            else:
                said = f"{BANDWIDTHS:g} times the {band:.3g} Hz below which the motion is"
                if band * BANDWIDTHS > most:
                    cutoff, why = most, f"{MOST_OF_NYQUIST:g} of half the rate, less than {said}"
                else:
                    cutoff, why = BANDWIDTHS * band, said
                limit, noise = limit_noise(even[1], rate, band, 1 if name == "u" else 2)
                limit = max(limit, LEAST_BANDWIDTHS * band)
                if "du" not in given and limit < cutoff:
                    what = "velocities" if name == "u" else "positions"
                    cutoff, why = limit, f"less than {said}: {what} have noise of {noise:.2g}"
        if not np.isinf(cutoff) and cutoff >= rate / 2:
            raise ParameterError(
                f"cutoff is {cutoff:g} Hz, expected below half the rate, {rate / 2:g} Hz; "
                "infinite for no filter"
            )
        pause = PAUSE * median if np.isinf(cutoff) else max(GAP * median, 1 / (2 * cutoff))
        trim = how.trim
        if trim is None:
            trim = 1 if np.isinf(cutoff) else memory(rate, cutoff, how.order)
        return cls(how, rate, cutoff, why, pause, trim)

    def run(self, t: Floats, given: Given) -> _Run | None:
        """One run, smooth; None if it is too short for that."""
        if (t[-1] - t[0]) * self.rate < 2 * self.trim + 2:
            return None
        smooth = {}
        for name, signal in given.items():
            even = resample(t, signal, self.rate)
            smooth[name] = self._filter(even.signals)
        for name, above in (("u", "q"), ("du", "u")):
            if name not in smooth:
                rates = differentiate(smooth[above], self.rate)
                smooth[name] = self._filter(rates) if self.how.refilter else rates
        kept = slice(self.trim, len(even.t) - self.trim, self.how.decimate)
        signals = {"t": even.t[kept]} | {name: signal[kept] for name, signal in smooth.items()}
        return _Run(signals, even.t is t)

    def _filter(self, signals: Floats) -> Floats:
        if np.isinf(self.cutoff):
            return signals
        return filter_signals(signals, self.rate, self.cutoff, self.how.order)

    @property
    def redundancy(self) -> float:
        """Samples kept for each that the band of the filter can tell apart."""
        if np.isinf(self.cutoff):
            return 1.0
        return max(
            1.0, self.rate / self.how.decimate / (2 * noise_band(self.cutoff, self.how.order))
        )

    def together(self, runs: list[_Run], notes: tuple[str, ...], noise: Floats | None) -> Signals:
        """The runs behind each other."""
        ends = np.cumsum([0, *(len(run.signals["t"]) for run in runs)]).tolist()
        return Signals(
            **{
                name: np.concatenate([run.signals[name] for run in runs])
                for name in runs[0].signals
            },
            rate=self.rate / self.how.decimate,
            cutoff=self.cutoff,
            redundancy=self.redundancy,
            runs=tuple(map(slice, ends[:-1], ends[1:])),
            notes=notes,
            noise=noise,
        )

    def notes(
        self,
        t: Floats,
        steps: Floats,
        given: Given,
        runs: list[_Run | None],
        count_breaks: int = 0,
    ) -> tuple[str, ...]:
        """Describe each step of the chain on a line of its own.

        Raises:
            ParameterError: It left nothing.
        """
        kept = [run for run in runs if run]
        least = (2 * self.trim + 2) / self.rate
        if not kept:
            raise ParameterError(
                f"no run is longer than {least:.4g} s, which filtering at {self.cutoff:.4g} Hz and "
                f"trimming {self.trim} samples at both ends take: record longer, raise the "
                "cut-off, or trim less"
            )
        uniform = all(run.was_uniform for run in kept)
        if uniform:
            notes = [_describe_clock(len(t) + 1, self.rate)]
        else:
            notes = [*_describe_resampling(t, steps, self.rate)]
        if len(runs) > 1:
            at = f" and at {count_breaks} breaks of the recording" if count_breaks else ""
            notes.append(
                f"runs: {len(runs)}, parted by pauses longer than {self.pause * 1e3:.4g} ms{at}; "
                f"{len(runs) - len(kept)} left out, shorter than {least:.4g} s"
            )
        filtering = (
            f"Butterworth of order {self.how.order}, forward and backward, on all signals alike; "
            f"cut-off {self.cutoff:.4g} Hz"
        )
        notes.append(f"filter: {'none' if np.isinf(self.cutoff) else filtering}, {self.why}")
        notes += self._describe_derivatives(given)
        after = f"; then every {self.how.decimate}th kept" if self.how.decimate > 1 else ""
        count = sum(len(run.signals["t"]) for run in kept)
        notes.append(
            f"samples: {count} kept, {self.trim} at both ends of each run left out{after}; "
            f"{self.redundancy:.3g} of them say what one independent one would"
        )
        return tuple(notes)

    def _describe_derivatives(self, given: Given) -> list[str]:
        x = 2 * np.pi * min(self.cutoff / self.rate, 0.5)
        damped = (
            "" if np.isinf(self.cutoff) else f" (damped by {1 - np.sin(x) / x:.2%} at the cut-off)"
        )
        again = ", filtered again" if self.how.refilter and not np.isinf(self.cutoff) else ""
        notes = []
        for name, above, called in (
            ("u", "positions", "velocities"),
            ("du", "velocities", "accelerations"),
        ):
            how = (
                "measured"
                if name in given
                else f"central differences of the {above}{damped}{again}"
            )
            notes.append(f"{called}: {how}")
        return notes


def memory(rate: float, cutoff: float, order: int) -> int:
    """Samples after which a Butterworth filter has forgotten all but EDGE of a disturbance.

    Its slowest pole decays as exp(-2 pi cutoff sin(pi / (2 order)) t).

    Example:
        >>> print(signals.memory(rate=100.0, cutoff=5.0, order=4))
        39
    """
    expect("number", rate=rate, cutoff=cutoff)
    expect("whole", order=order)
    if not (0 < rate < np.inf and 0 < cutoff < np.inf and order >= 1):
        raise ParameterError(
            f"rate is {rate}, cutoff {cutoff} and order {order}, expected positive numbers"
        )
    decay = 2 * np.pi * cutoff / rate * np.sin(np.pi / (2 * order))
    return int(np.ceil(-np.log(EDGE) / decay))


def noise_band(cutoff: float, order: int) -> float:
    """Bandwidth of white noise that passes the filter forward and backward [Hz].

    The integral of 1 / (1 + (f / cutoff)^(2 order))^2, which a perfect low-pass of that width has.

    Example:
        >>> print(round(signals.noise_band(cutoff=5.0, order=4), 3))
        4.49
    """
    expect("number", cutoff=cutoff)
    expect("whole", order=order)
    a = np.pi / (2 * order)
    return float(cutoff * a / np.sin(a) * (1 - 1 / (2 * order)))


NEIGHBOURS = 9
"""Samples of the running median: spikes of up to four of them stand out, steps of friction not."""

DEVIATIONS = 15.0
"""Least distance of a spike from the running median, in robust deviations of all such distances."""

LARGE = 3.0
"""Distance of a single spike, in robust deviations of the torque: sound recordings of three
robots have 2.5 at most."""

SMALL = 0.75
"""The same where there are SEVERAL: sound recordings have two at most."""

SEVERAL = 4
"""Spikes of a joint from which on they are no accident."""

MOST = 0.1
"""Largest part of the samples of a joint that are spikes: more are a signal."""

_TO_DEVIATION = 1.4826
"""Deviation of normal numbers over their median absolute deviation."""

OUTLIER = 6.0
"""Residual, in robust deviations, from which on it is an outlier."""

HEAVY = 0.85
"""Part of the squared residuals of a joint that outliers make up from which on they decide the
fit of least squares: sound recordings of three robots have 0.73 at most."""


def find_spikes(tau: Floats) -> Mask:
    """(S, n) samples of torques (S, n) that are spikes."""
    found = np.zeros(tau.shape, dtype=bool)
    if len(tau) < 3 * NEIGHBOURS:
        return found
    from scipy.ndimage import median_filter  # imports much

    for own, torque in zip(found.T, tau.T, strict=True):
        distance = np.abs(torque - median_filter(torque, NEIGHBOURS, mode="nearest"))
        noise = _TO_DEVIATION * float(np.median(distance))
        size = _TO_DEVIATION * float(np.median(np.abs(torque - np.median(torque))))
        spikes = distance > max(DEVIATIONS * noise, SMALL * size)
        if spikes.sum() < SEVERAL:
            spikes &= distance > LARGE * size
        if size > 0 and spikes.sum() <= MOST * len(torque):
            own[:] = spikes
    return found


def bridge_spikes(tau: Floats, spikes: Mask) -> Floats:
    """Replace spikes (S, n) by straight lines between their neighbours."""
    bridged = np.array(tau)
    samples = np.arange(len(tau))
    for torque, bad in zip(bridged.T, spikes.T, strict=True):
        if bad.any():
            torque[bad] = np.interp(samples[bad], samples[~bad], torque[~bad])
    return bridged


def describe_spikes(name: str, tau: Floats, spikes: Mask, joints: tuple[str, ...]) -> SignalRemark:
    """Describe the spikes of each joint."""
    counts = spikes.sum(axis=0)
    sizes = np.abs(np.where(spikes, tau, 0.0)).max(axis=0)
    shown = ", ".join(
        f"{joint} {count} (up to {size:.3g})"
        for joint, count, size in zip(joints, counts.tolist(), sizes.tolist(), strict=True)
        if count
    )
    return SignalRemark(
        "spikes",
        f"{name} that stand alone, far off their neighbours: {shown}; bridged by straight lines "
        "before the filter, which would spread them",
        {"counts": tuple(map(float, counts)), "sizes": tuple(map(float, sizes))},
    )


def measure_outliers(residuals: Floats) -> tuple[Floats, Floats]:
    """(n,) numbers of outliers among residuals (S, n), and their parts of the squares."""
    middle = np.median(residuals, axis=0)
    deviation = _TO_DEVIATION * np.median(np.abs(residuals - middle), axis=0)
    outside = np.abs(residuals - middle) > OUTLIER * deviation
    outside &= deviation > 0
    squares = residuals**2
    whole = squares.sum(axis=0)
    part = (squares * outside).sum(axis=0) / np.where(whole > 0, whole, 1.0)
    return outside.sum(axis=0).astype(np.float64), part
