"""Diagnosis of errors in a recording, before or after something is fitted to it.

What no identification can use is refused. What only looks wrong, a unit, a sign, a lag, is a
remark with its numbers: the recording is never changed. All thresholds are ratios.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.identification.diagnosis import diagnosis
>>> t = np.arange(0, 10, 0.01)
>>> q, u = np.sin(t)[:, None], np.cos(t)[:, None]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from inertial_check.errors import ParameterError, expect, show_value
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Mask, quiet, read_floats
from inertial_check.inertia.tolerances import GAP

__all__ = [
    "diagnose",
    "find_lag",
    "find_unit_errors",
    "name_unit",
]


Values = Mapping[str, float | tuple[float, ...]]
"""Numbers of a remark by name."""


@dataclass(frozen=True)
class SignalRemark:
    """Something about a recording that its user should know.

    Attributes:
        kind: One word: clock, still, constant, degrees, limits, time, velocity, acceleration, unit,
            sign, lag.
        message: One line with the numbers.
        values: The numbers by name.
    """

    kind: str
    message: str
    values: Mapping[str, float | tuple[float, ...]]


SPREAD = 3.0
"""Times the noise of a position: a spread of less is no motion."""


JITTER = 0.1
"""Largest deviation of a time step from the median step, relative to it: velocities by differences
at supposedly uniform steps are wrong by as much."""


MISMATCH = 0.05
"""Deviation of a ratio from the one it should have: neither noise nor a filter makes so much."""


AGREEMENT = 0.5
"""Share of the variance that has to be explained before a slope or a lag means something."""


TURNS = 2.0
"""Full turns: most joints turn less far, and most ranges in degrees, read as radians, are more."""


UNLIKE = 3.0
"""Factor between torques and those of a prior, which for masses that are guessed is mostly 2."""


FACTOR = 1.5
"""Factor between a slope and the one of a unit that may explain it, as the prior is inexact."""


GAIN = 1.2
"""Factor to which files of robots know the mass of a link: of n links, the mean of the logarithms
varies by its logarithm over the root of n."""


GAIN_DEVIATIONS = 2.2
"""Such deviations from which on a common multiple of the torques is told; chosen: a normal deviate
is as large by chance in 3 of 100."""


SCATTER = 0.35
"""Largest deviation of the logarithms of a common multiple, relative to its logarithm: those of
priors that are wrong link by link scatter by half and more."""


LAG_GAIN = 0.02
"""Share of the squared residuals that a shift must save; less is saved by chance."""


LAGS = 25
"""Samples by which one signal is shifted at most, and a tenth of all of them."""


DEGREES = float(np.rad2deg(1.0))


UNITS: Mapping[str, float] = MappingProxyType(
    {
        "N cm": 100.0,
        "N mm": 1000.0,
        "kgf cm": 10.197162,
        "lbf in": 8.8507458,
        "ozf in": 141.61193,
        "kgf m": 0.10197162,
        "kN m": 0.001,
    }
)
"""Units of torque, and how many of each are one newton metre."""


CLOCKS: Mapping[str, float] = MappingProxyType({"ms": 1e3, "us": 1e6, "ns": 1e9, "min": 1 / 60})
"""Units of time, and how many of each are one second."""


_RATES = {"velocity": ("positions", "velocities"), "acceleration": ("velocities", "accelerations")}
"""Names of the signal that a rate is the derivative of, and of the rate itself."""


def check_signal(
    name: str, value: ArrayLike | None, *, ndim: int | None = None, least: int = 2
) -> Floats:
    """An array of finite numbers with enough samples.

    Raises:
        ParameterError: Names the first value that is not finite and how many there are; or the
            shape.
    """
    expect("whole", "nothing", ndim=ndim)
    expect("whole", least=least)
    try:
        array: Floats = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            f"{name} is {show_value(value)}, expected an array of real numbers"
        ) from None
    if array.ndim < 1 or (ndim is not None and array.ndim != ndim) or 0 in array.shape[1:]:
        expected = (
            "(samples, joints)" if ndim == 2 else "(samples,)" if ndim == 1 else "(samples, ...)"
        )
        raise ParameterError(f"{name} has shape {array.shape}, expected {expected}")
    if len(array) < least:
        raise ParameterError(f"{name} has {len(array)} samples, expected at least {least}")
    bad = ~np.isfinite(array)
    if bad.any():
        index = tuple(int(axis[0]) for axis in np.nonzero(bad))
        raise ParameterError(
            f"{name}[{', '.join(map(str, index))}] is {array[index]}: {int(bad.sum())} of "
            f"{array.size} values are not finite, in "
            f"{int(bad.reshape(len(bad), -1).any(axis=1).sum())} of {len(array)} samples; leave "
            "these out"
        )
    return array


def check_time(t: ArrayLike) -> Floats:
    """Time that goes on.

    Raises:
        ParameterError: Names the first sample that is not later than the one before.
    """
    time = check_signal("t", t, ndim=1)
    back = np.flatnonzero(np.diff(time) <= 0)
    if len(back):
        k = int(back[0]) + 1
        raise ParameterError(
            f"t[{k}] is {float(time[k])!r} s, not later than t[{k - 1}], {float(time[k - 1])!r} s, "
            f"and {len(back)} of {len(time)} samples are like that: sort them, and leave out what "
            "is there twice"
        )
    return time


@quiet  # values near the largest of float64 overflow, and then no test of them speaks
def diagnose(  # noqa: PLR0913 - the signals of one recording
    q: ArrayLike,
    tau: ArrayLike | None = None,
    u: ArrayLike | None = None,
    du: ArrayLike | None = None,
    t: ArrayLike | None = None,
    *,
    limits: ArrayLike | None = None,
    joints: Sequence[str] | None = None,
) -> tuple[SignalRemark, ...]:
    """List remarks on a recording by itself, without a model of the robot.

    Args:
        q: (S, n) positions [rad or m].
        tau: (S, n) torques or forces.
        u: (S, n) velocities.
        du: (S, n) accelerations.
        t: (S,) time [s]; without it velocities and accelerations are not compared.
        limits: (n, 2) least and largest position of each joint; infinite where it has none.
        joints: Their names.

    Raises:
        ParameterError: The recording cannot be used: values that are not finite, time that does
            not go on, arrays that do not fit, positions or torques that are all zero.

    Example:
        >>> print([remark.kind for remark in diagnosis.diagnose(np.rad2deg(q), u=u, t=t)])
        ['degrees']
    """
    expect("texts", "nothing", joints=joints)
    if limits is not None:
        (limits,) = read_floats((2,), limits=limits)
    motion = check_signals("q", q=q, u=u, du=du, tau=tau)
    _refuse_zeros(motion)
    q = motion["q"]
    joints = name_joints(joints, q.shape[1])
    # Joints whose positions spread no more than their noise, which if white is exactly this.
    spread, noise = q.std(axis=0), np.zeros(q.shape[1])
    if len(q) > 3:
        noise = np.diff(q, 2, axis=0).std(axis=0) / np.sqrt(6)
    still = np.asarray((spread <= tolerances.STILL * spread.max()) | (spread <= SPREAD * noise))
    remarks = []
    if still.any():
        which = "no joint moves" if still.all() else f"{list_joints(joints, still)}: never moves"
        message = (
            f"{which}: positions spread by {format_range(spread[still])}, noise "
            f"{format_range(noise[still])}, and the joint that moves most by {spread.max():.3g}; "
            "what only its motion shows stays open"
        )
        values = {"spread": list_floats(spread), "noise": list_floats(noise)}
        remarks.append(SignalRemark("still", message, values))
    tau = motion.get("tau", np.zeros((2, 0)))
    constant = np.ptp(tau, axis=0) == 0
    if constant.any():
        message = (
            f"{list_joints(joints, constant)}: the torque is {format_range(tau[0, constant])} in "
            f"all {len(tau)} samples; was it recorded?"
        )
        values = {"torque": list_floats(np.where(constant, tau[0], np.nan))}
        remarks.append(SignalRemark("constant", message, values))
    remarks += _remark_on_readings(q, tau, still, joints)
    if t is not None:
        t = check_time(t)
        if len(t) != len(q):
            raise ParameterError(f"t has {len(t)} samples and q has {len(q)}")
        remarks = [*remark_on_clock(t), *remarks]
        for rate, of, kind in (("u", "q", "velocity"), ("du", "u", "acceleration")):
            if rate in motion and of in motion:
                ratios = measure_rate_ratios(t, motion[of], motion[rate])
                remarks += remark_on_rates(kind, ratios, ~still, joints)
    if not any(remark.kind in ("degrees", "wrapped") for remark in remarks):
        remarks += remark_on_ranges(q, limits, joints)
    return tuple(remarks)


def _remark_on_readings(
    q: Floats, tau: Floats, still: Mask, joints: tuple[str, ...]
) -> list[SignalRemark]:
    """Remark on samples that no sensor of a moving robot gives: wraps, freezes, ends of a range."""
    remarks: list[SignalRemark] = []
    steps = np.abs(np.diff(q, axis=0))
    if len(q) < FROZEN_SAMPLES:
        return remarks
    turns = steps > np.pi
    turned = turns.any(axis=0) & (np.max(np.where(turns, 0.0, steps), axis=0) < np.pi / 4)
    if turned.any():
        count = int(turns[:, turned].sum())
        message = f"{list_joints(joints, turned)}: the position jumps by a turn, {count} times"
        remarks.append(SignalRemark("wrapped", message, {"jumps": turns.sum(axis=0).tolist()}))
    coarse = np.zeros(q.shape[1])
    for joint in np.flatnonzero(~still).tolist():
        apart = np.diff(np.unique(q[:, joint]))
        step = float(np.min(apart, initial=np.inf))
        whole = np.abs(apart / step - np.round(apart / step)) < tolerances.SAME_STEP
        if np.ptp(q[:, joint]) < FEW_STEPS * step and whole.all():
            coarse[joint] = step
    # Steps, with one beyond each end, in which a joint goes at half its usual speed or more.
    fast = np.zeros((len(q) + 1, q.shape[1]), dtype=bool)
    fast[1:-1] = steps > np.sqrt(np.mean(steps**2, axis=0)) / 2
    moves = np.asarray(fast.any(axis=1))
    held = np.all(np.diff(tau, axis=0) == 0, axis=1) & (tau.shape[1] > 1)
    signals = [("all positions and torques", held & (steps == 0).all(axis=1), moves)]
    signals += [("all torques", held & (steps > 0).any(axis=1), moves)]
    signals += [
        (f"{joints[k]}: the position", steps[:, k] == 0, fast[:, k])
        for k in np.flatnonzero(~still & (coarse == 0)).tolist()
    ]
    for what, same, goes in signals:
        edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(int)))
        first, last = edges[::2], edges[1::2]
        # A robot at rest slows down before and speeds up after; a log stops and goes on at speed.
        lengths = np.where(goes[first] & goes[last + 1], last - first + 1, 1)
        longest = int(np.max(lengths, initial=1))
        if longest >= FROZEN_SAMPLES:
            at = int(first[int(np.argmax(lengths))])
            message = (
                f"{what} stay{'s' if 'the' in what else ''} the same for {longest} samples from "
                f"sample {at} on: the log stood still, the robot hardly"
            )
            remarks.append(SignalRemark("frozen", message, {"from": at, "samples": longest}))
            break
    shares = np.zeros(tau.shape[1])
    # A held posture repeats its torque, so that only samples in motion count.
    moving = tau[(moves[:-1] | moves[1:])[: len(tau)]]
    for joint, column in enumerate(moving.T):
        levels, counts = np.unique(column, return_counts=True)
        if len(levels) > 2:  # a range that ends piles up what lies beyond it
            piles = [
                counts[end]
                for end, beside in ((0, 1), (-1, -2))
                if levels[end]
                and counts[end] > max(PILED * counts[beside], LEAST_PILE * len(moving))
            ]
            shares[joint] = sum(piles) / len(moving)
    if shares.any():
        message = (
            f"{list_joints(joints, shares > 0)}: {100 * shares.max():.3g} % of the torques are one "
            "and the same largest value: what the motor gave beyond it was not recorded"
        )
        remarks.append(SignalRemark("saturated", message, {"share": list_floats(shares)}))
    if coarse.any():
        message = (
            f"{list_joints(joints, coarse > 0)}: positions come in steps of "
            f"{format_range(coarse[coarse > 0])}, fewer than {FEW_STEPS} over the whole motion, "
            "which makes velocities and accelerations noisy"
        )
        remarks.append(SignalRemark("coarse", message, {"step": list_floats(coarse)}))
    return remarks


FROZEN_SAMPLES = 10
"""Successive samples in which nothing changes, between two at speed, from which on a log stood
still: a published recording of a sound robot has up to five, of packets that were lost."""

PILED = 5
"""Factor by which the largest torque is more frequent than the next one where a range ends;
chosen."""

LEAST_PILE = 0.01
"""Part of all samples from which on such a torque matters; chosen."""

FEW_STEPS = 1000
"""Steps of an encoder over a motion below which its derivatives are noisy; chosen: 10 bits a turn
give some hundred."""


def find_unit_errors(
    tau: ArrayLike,
    predicted: ArrayLike,
    u: ArrayLike | None = None,
    joints: Sequence[str] | None = None,
) -> tuple[SignalRemark, ...]:
    """Find torques of another unit, sign or side of the gear than a prior predicts.

    Joint by joint the measured torque is a number times the predicted one, plus an offset and,
    where velocities are given, viscous and Coulomb friction. Joints of which the prediction
    explains less than AGREEMENT of what the others leave say nothing.

    Args:
        tau: (S, n) torques as measured.
        predicted: (S, n) torques that prior parameters predict for the same motion [N m].
        u: (S, n) velocities.
        joints: Their names.

    Raises:
        ParameterError: Arrays that do not fit or are not finite.

    Example:
        >>> (remark,) = diagnosis.find_unit_errors(1000 * q, q)
        >>> print(remark.kind, remark.message[:60])
        unit torques are 1e+03 times those that the prior predicts, 1e+03
    """
    expect("texts", "nothing", joints=joints)
    tau, predicted, u = _read_torques(tau, predicted, u)
    joints = name_joints(joints, tau.shape[1])
    slopes, shares = fit_slopes(tau, predicted, u)
    told = shares >= AGREEMENT
    known = slopes[told]
    if not len(known):
        return ()
    values = {"slopes": list_floats(slopes), "shares": list_floats(shares)}
    remarks = []
    turned = told & (slopes < 0)
    if turned.any():
        which = "all of them" if turned.sum() == len(known) else list_joints(joints, turned)
        message = (
            f"torques fall where the prior predicts that they rise, slope "
            f"{format_range(slopes[turned])}: {which}; is the sign of the torque, or of the "
            "position, another one?"
        )
        remarks.append(SignalRemark("sign", message, values))
    size = float(np.exp(np.median(np.log(np.abs(known)))))
    if not 1 / UNLIKE <= size <= UNLIKE:
        message = (
            f"torques are {size:.3g} times those that the prior predicts, "
            f"{format_range(np.abs(known))} joint by joint: "
            f"{name_unit(size) or 'no unit of torque has that ratio'}; or they are those of "
            "the motors, before the gears, or currents"
        )
        remarks.append(SignalRemark("unit", message, {"ratio": size, **values}))
    elif not turned.any():
        # Torques can be on all joints nearly the same multiple of the predicted ones.
        logs = np.log(known)
        mean = float(logs.mean())
        least = GAIN_DEVIATIONS * np.log(GAIN) / np.sqrt(len(known))
        if len(known) > 1 and abs(mean) >= least and logs.std() <= SCATTER * abs(mean):
            ratio = float(np.exp(mean))
            message = (
                "torques are on all joints nearly the same multiple of those that the prior "
                f"predicts, {ratio:.3g} times ({', '.join(f'{slope:.3g}' for slope in known)}): if "
                f"that is the gain of the drives, all bodies come out {ratio:.3g} times as heavy; "
                f"--gain={1 / ratio:.4g} divides it out, and a known --mass or --total-mass decides"
            )
            remarks.append(SignalRemark("gain", message, {"ratio": ratio, **values}))
    return tuple(remarks)


def name_unit(ratio: float) -> str | None:
    """Name the units of torque that a ratio of torques, or of a fitted mass to its prior, suggests.

    Args:
        ratio: Measured over expected; its sign is not looked at.

    Returns:
        A phrase with the units that are within FACTOR of it, the usual ones first; None without.

    Example:
        >>> print(diagnosis.name_unit(1000.0))
        as if they were in N mm (1000)
    """
    expect("number", ratio=ratio)
    near = [name for name, own in UNITS.items() if 1 / FACTOR <= abs(ratio) / own <= FACTOR]
    if not near:
        return None
    return "as if they were in " + " or ".join(f"{name} ({UNITS[name]:.4g})" for name in near)


def nearest_unit(ratio: float) -> float:
    """Return the ratio of the nearest unit of torque, or the ratio itself where none is near."""
    near = min(UNITS.values(), key=lambda own: abs(np.log(abs(ratio) / own)))
    return near if 1 / FACTOR <= abs(ratio) / near <= FACTOR else ratio


def find_lag(
    tau: ArrayLike,
    predicted: ArrayLike,
    u: ArrayLike | None = None,
    rate: float | None = None,
    joints: Sequence[str] | None = None,
) -> tuple[SignalRemark, ...]:
    """Find the time by which torques come later or earlier than a prior or a fit predicts.

    The comparison is that of `find_unit_errors`, with the torques shifted by whole samples. The
    shift that leaves least over all joints is reported, between samples by the parabola through the
    three best. A fit to lagging torques hides a part of their lag: its prediction shows less.

    Args:
        tau: (S, n) torques as measured, at uniform steps.
        predicted: (S, n) torques predicted for the same motion.
        u: (S, n) velocities, where the prediction has no friction.
        rate: Samples a second [Hz], to tell the lag in time.
        joints: Their names.

    Raises:
        ParameterError: Arrays that do not fit or are not finite.

    Example:
        >>> (remark,) = diagnosis.find_lag(np.roll(q, 5, axis=0), q, rate=100.0)
        >>> print(remark.message.partition(":")[0])
        torques are 5 samples (50 ms) behind what their motion predicts
    """
    expect("texts", "nothing", joints=joints)
    tau, predicted, u = _read_torques(tau, predicted, u)
    joints = name_joints(joints, tau.shape[1])
    most = min(LAGS, len(tau) // 10)
    left = measure_shifts(tau, predicted, u, most)
    least = left.min(axis=0)
    told = (
        (1 - least >= AGREEMENT)
        & (least < left[0])
        & (least < left[-1])
        & (left[most] > tolerances.MADE_UP)
    )
    if not told.any():
        return ()
    saved = 1 - left[:, told] / left[most, told]
    whole = saved.mean(axis=1)
    best = int(np.argmax(whole))
    if best in (0, 2 * most) or whole[best] < LAG_GAIN:
        return ()
    # Between samples the parabola through the three best tells where it is highest.
    before, own, after = whole[best - 1 : best + 2]
    bend = before - 2 * own + after
    shift = best - most + (float((before - after) / (2 * bend)) if bend < 0 else 0.0)
    time = "" if rate is None else f" ({abs(shift) / rate * 1e3:.3g} ms)"
    word = "behind" if shift > 0 else "ahead of"
    by_joint = list_floats(np.where(told, np.argmin(left, axis=0) - most, np.nan))
    return (
        SignalRemark(
            "lag",
            f"torques are {abs(shift):.3g} samples{time} {word} what their motion predicts: "
            f"shifted by that, the squared residuals are {whole[best]:.0%} smaller, in the mean of "
            f"{list_joints(joints, told)}",
            {"samples": shift, "saved": float(whole[best]), "joints": by_joint},
        ),
    )


def check_signals(*needed: str, **signals: ArrayLike | None) -> dict[str, Floats]:
    """Read signals (S, n) of one shape; those that are None, and not needed, are left out.

    Raises:
        ParameterError: The message names the signal that cannot be used, or two that differ.
    """
    arrays = {
        name: check_signal(name, value, ndim=2)
        for name, value in signals.items()
        if value is not None or name in needed
    }
    (first, model), *others = arrays.items()
    for name, array in others:
        if array.shape != model.shape:
            raise ParameterError(
                f"{name} has shape {array.shape} and {first} has {model.shape}: expected one "
                "column a joint and as many samples in both"
            )
    return arrays


def _refuse_zeros(arrays: Mapping[str, Floats]) -> None:
    """Refuse positions or torques that nobody recorded.

    Raises:
        ParameterError: They are all zero.
    """
    for name in ("q", "tau"):
        if name in arrays and not arrays[name].any():
            samples = len(arrays[name])
            raise ParameterError(f"{name} is zero in all {samples} samples: it was not recorded")


def _read_torques(
    tau: ArrayLike, predicted: ArrayLike, u: ArrayLike | None
) -> tuple[Floats, Floats, Floats | None]:
    arrays = check_signals("tau", "predicted", tau=tau, predicted=predicted, u=u)
    _refuse_zeros(arrays)
    return arrays["tau"], arrays["predicted"], arrays.get("u")


def name_joints(joints: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Return the names of joints, or number them from 1.

    Raises:
        ParameterError: Their number is not that of the columns.
    """
    names = tuple(f"joint {k + 1}" for k in range(count)) if joints is None else tuple(joints)
    if len(names) != count:
        raise ParameterError(f"{len(names)} names of joints for {count} columns")
    return names


def list_joints(joints: tuple[str, ...], which: Mask) -> str:
    """List the names of some joints."""
    return ", ".join(name for name, own in zip(joints, which, strict=True) if own)


def format_range(values: Floats) -> str:
    """Format one number, or the least and the largest."""
    least, largest = f"{values.min():.3g}", f"{values.max():.3g}"
    return least if least == largest else f"{least} to {largest}"


def list_floats(values: Floats) -> tuple[float, ...]:
    """Convert an array to the floats of a remark."""
    return tuple(map(float, values))


def make_basis(predicted: Floats, u: Floats | None) -> Floats:
    """(S, n, c) what a torque may be made of, the predicted one last; orthonormal columns.

    Columns that the ones before them make up are zero.
    """
    rest = [] if u is None else [u, np.sign(u)]
    columns: list[Floats] = []
    for column in (np.ones_like(predicted), *rest, predicted):
        own = column
        for _ in range(2):  # once more: the first pass leaves rounding along the others
            for other in columns:
                own = own - other * (other * own).sum(axis=0)
        size = np.linalg.norm(own, axis=0)
        kept = size > tolerances.MADE_UP * np.linalg.norm(column, axis=0)
        columns.append(np.where(kept, own, 0.0) / np.where(kept, size, 1.0))
    return np.stack(columns, axis=2)


def fit_slopes(tau: Floats, predicted: Floats, u: Floats | None) -> tuple[Floats, Floats]:
    """(n,) slope over the predicted torque, and the share that it explains of what is left to it.

    Both are 0 where the prediction is made up of friction and offset.
    """
    basis = make_basis(predicted, u)
    parts = np.einsum("snc,sn->nc", basis, tau)
    own = (basis[:, :, -1] * predicted).sum(axis=0)
    left = np.maximum((tau**2).sum(axis=0) - (parts[:, :-1] ** 2).sum(axis=1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.where(own > 0, parts[:, -1] / own, 0.0)
        return slopes, np.where((own > 0) & (left > 0), parts[:, -1] ** 2 / left, 0.0)


def measure_shifts(tau: Floats, predicted: Floats, u: Floats | None, most: int) -> Floats:
    """(2 most + 1, n) share of the variance left when the torques come -most to most later."""
    count = len(tau) - 2 * most
    middle = slice(most, most + count)
    basis = make_basis(predicted[middle], None if u is None else u[middle])
    left = np.ones((2 * most + 1, tau.shape[1]))
    for shift in range(2 * most + 1):
        own = tau[shift : shift + count]
        parts = np.einsum("snc,sn->nc", basis, own)
        squares = (own**2).sum(axis=0)
        varies = squares - parts[:, 0] ** 2
        rest = np.maximum(squares - (parts**2).sum(axis=1), 0.0)
        np.divide(rest, varies, out=left[shift], where=varies > 0)
    return left


def remark_on_clock(t: Floats) -> list[SignalRemark]:
    """Remark on a clock whose steps vary or that has gaps."""
    steps = np.diff(t)
    median = float(np.median(steps))
    wide = steps > GAP * median
    jitter = float(np.std(steps[~wide]) / median)
    if jitter <= JITTER and not wide.any():
        return []
    longest = int(np.argmax(steps))
    return [
        SignalRemark(
            "clock",
            f"steps of {steps.min() * 1e3:.4g} to {steps.max() * 1e3:.4g} ms, median "
            f"{median * 1e3:.4g} ms, jitter {jitter:.1%}; gaps of more than {GAP:g} "
            f"steps: {int(wide.sum())}, the longest step at t = {t[longest]:.6g} s; resample "
            "before differentiating",
            {
                "median": median,
                "least": float(steps.min()),
                "largest": float(steps.max()),
                "jitter": jitter,
                "gaps": float(wide.sum()),
            },
        )
    ]


def measure_rate_ratios(t: Floats, signal: Floats, rate: Floats) -> Floats:
    """(n,) slope of a signal over the integral of what should be its rate; NaN where it is none.

    Integrals do not amplify noise as differences do. What passed in gaps is left out.
    """
    steps = np.diff(t)
    inside = (steps <= GAP * np.median(steps))[:, None]
    integral = np.cumsum(inside * (rate[1:] + rate[:-1]) / 2 * steps[:, None], axis=0)
    path = np.cumsum(inside * np.diff(signal, axis=0), axis=0)
    # Slope of y over x, column by column, and the share of the variance of y it explains.
    x, y = integral - integral.mean(axis=0), path - path.mean(axis=0)
    xx, xy, yy = (x * x).sum(axis=0), (x * y).sum(axis=0), (y * y).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.where(xx > 0, xy / xx, np.nan)
        shares = np.where(xx * yy > 0, xy**2 / (xx * yy), 0.0)
    return np.where(shares >= AGREEMENT, slopes, np.nan)


def remark_on_rates(
    kind: str, ratios: Floats, moves: Mask, joints: tuple[str, ...]
) -> list[SignalRemark]:
    """Remark on rates of moving joints whose ratios to the changes of their signals are not 1."""
    of, plural = _RATES[kind]
    values = {"ratios": list_floats(ratios)}
    remarks = []
    strange = moves & ~np.isfinite(ratios)
    if strange.any():
        text = (
            f"{list_joints(joints, strange)}: {plural} have nothing to do with the change of {of}"
        )
        remarks.append(SignalRemark(kind, text, values))
    told = moves & np.isfinite(ratios)
    wrong = told & (np.abs(ratios - 1) > MISMATCH)
    if not wrong.any():
        return remarks
    begin = (
        f"{of} change at {format_range(ratios[wrong])} times the {plural} that stand beside them"
    )
    common = float(np.median(ratios[told]))
    if np.all(np.abs(ratios[told] / common - 1) <= MISMATCH):
        causes = {
            ("degrees", f"{of} are in degrees, not in radians"): DEGREES,
            ("degrees", f"{plural} are in degrees, not in radians"): 1 / DEGREES,
        } | {("time", f"time is in {unit}, not in s"): 1 / own for unit, own in CLOCKS.items()}
        (cause, text), ratio = min(causes.items(), key=lambda item: abs(common / item[1] - 1))
        if abs(common / ratio - 1) <= MISMATCH:
            return [*remarks, SignalRemark(cause, f"{begin}: {text}", {"ratio": ratio, **values})]
    return [
        *remarks,
        SignalRemark(kind, f"{begin}: {list_joints(joints, wrong)}; expected 1", values),
    ]


def remark_on_ranges(
    q: Floats, limits: ArrayLike | None, joints: tuple[str, ...]
) -> list[SignalRemark]:
    """Remark on positions outside their limits, and on joints that turn further than joints do."""
    spans = np.ptp(q, axis=0)
    if limits is None:
        far = spans > TURNS * 2 * np.pi
        if far.sum() <= len(far) / 2:
            return []
        return [
            SignalRemark(
                "degrees",
                f"{list_joints(joints, far)}: positions range over "
                f"{format_range(spans[far] / (2 * np.pi))} full turns; are they in degrees?",
                {"ranges": list_floats(spans)},
            )
        ]
    bounds = np.asarray(limits, dtype=np.float64)
    if bounds.shape != (q.shape[1], 2):
        raise ParameterError(f"limits has shape {bounds.shape}, expected ({q.shape[1]}, 2)")
    outside = _outside(q, bounds)
    if not outside.any():
        return []
    too_far = spans[outside] > UNLIKE / 2 * np.ptp(bounds[outside], axis=1)
    in_degrees = bool(too_far.any()) and not _outside(q / DEGREES, bounds).any()
    hint = "; as degrees they are all inside" if in_degrees else ""
    shown = ", ".join(
        f"{joints[k]} {q[:, k].min():.4g} to {q[:, k].max():.4g} "
        f"(limits {bounds[k, 0]:.4g} to {bounds[k, 1]:.4g})"
        for k in np.flatnonzero(outside)
    )
    return [
        SignalRemark(
            "degrees" if in_degrees else "limits",
            f"positions outside their limits{hint}: {shown}",
            {"least": list_floats(q.min(axis=0)), "largest": list_floats(q.max(axis=0))},
        )
    ]


def _outside(q: Floats, bounds: Floats) -> Mask:
    least, largest = bounds.T
    has_both = np.isfinite(bounds).all(axis=1)
    slack = MISMATCH * np.where(has_both, largest - least, 0.0)
    return np.asarray((q.min(axis=0) < least - slack) | (q.max(axis=0) > largest + slack))
