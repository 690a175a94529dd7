"""What is wrong with a recording, before or after something is fitted to it.

What no identification can use is refused. What only looks wrong, a unit, a sign, a lag, is a
remark with its numbers: the recording is never changed. All thresholds are ratios.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.identification.recordings import diagnosis
>>> t = np.arange(0, 10, 0.01)
>>> q, u = np.sin(t)[:, None], np.cos(t)[:, None]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from inertial_check._renamed import old_names
from inertial_check.arrays.arguments import explain_errors
from inertial_check.arrays.broadcasting import quiet
from inertial_check.arrays.types import ArrayLike, Floats, Mask
from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances

__all__ = [
    "AGREEMENT",
    "CLOCKS",
    "DEGREES",
    "FACTOR",
    "GAIN",
    "GAP",
    "JITTER",
    "LAGS",
    "LAG_GAIN",
    "MISMATCH",
    "NOISE",
    "SCATTER",
    "TURNS",
    "UNITS",
    "UNLIKE",
    "SignalRemark",
    "Values",
    "diagnose",
    "find_lag",
    "find_unit_errors",
    "name_unit",
]

NOISE = 3.0
"""Times the noise of a position: a spread of less is no motion."""

JITTER = 0.1
"""Largest deviation of a time step from the median step, relative to it: velocities by differences
at supposedly uniform steps are wrong by as much."""

GAP = 3.0
"""Times the median step: two samples or more are lacking."""

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

GAIN = 1.08
"""Common multiple of the torques from which on it is told: drive gains are rarely known better."""

SCATTER = 0.25
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


@explain_errors
def check_signal(name: str, value: ArrayLike, *, ndim: int | None = None, least: int = 2) -> Floats:
    """An array of finite numbers with enough samples.

    Raises:
        ParameterError: Names the first value that is not finite and how many there are; or the
            shape.
    """
    try:
        array: Floats = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is no array of real numbers") from None
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


@explain_errors
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
@explain_errors
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
    """What looks wrong in a recording by itself.

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
    motion = check_signals(q=q, u=u, du=du, tau=tau)
    _refuse_zeros(motion)
    q = motion["q"]
    joints = _names(joints, q.shape[1])
    remarks = [*_still(q, joints), *_constant(motion.get("tau"), joints)]
    moves = ~_is_still(q)
    if t is not None:
        t = check_time(t)
        if len(t) != len(q):
            raise ParameterError(f"t has {len(t)} samples and q has {len(q)}")
        remarks = [*_clock(t), *remarks]
        for rate, of, kind in (("u", "q", "velocity"), ("du", "u", "acceleration")):
            if rate in motion and of in motion:
                remarks += _rates(kind, _ratios(t, motion[of], motion[rate]), moves, joints)
    if not any(remark.kind == "degrees" for remark in remarks):
        remarks += _ranges(q, limits, joints)
    return tuple(remarks)


@explain_errors
def find_unit_errors(
    tau: ArrayLike,
    predicted: ArrayLike,
    u: ArrayLike | None = None,
    joints: Sequence[str] | None = None,
) -> tuple[SignalRemark, ...]:
    """Whether torques have another unit, sign or side of the gear than a prior predicts.

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
    tau, predicted, u = _read_torques(tau, predicted, u)
    joints = _names(joints, tau.shape[1])
    slopes, shares = _slopes(tau, predicted, u)
    told = shares >= AGREEMENT
    known = slopes[told]
    if not len(known):
        return ()
    values = {"slopes": _tuple(slopes), "shares": _tuple(shares)}
    remarks = []
    turned = told & (slopes < 0)
    if turned.any():
        which = "all of them" if turned.sum() == len(known) else _list(joints, turned)
        remarks.append(
            SignalRemark(
                "sign",
                f"torques fall where the prior predicts that they rise, slope "
                f"{_show(slopes[turned])}: {which}; is the sign of the torque, or of the "
                "position, another one?",
                values,
            )
        )
    size = float(np.exp(np.median(np.log(np.abs(known)))))
    if not 1 / UNLIKE <= size <= UNLIKE:
        remarks.append(
            SignalRemark(
                "unit",
                f"torques are {size:.3g} times those that the prior predicts, "
                f"{_show(np.abs(known))} joint by joint: "
                f"{name_unit(size) or 'no unit of torque has that ratio'}; or they are those of "
                "the motors, before the gears, or currents",
                {"ratio": size, **values},
            )
        )
    elif not turned.any():
        remarks += _find_common_gain(known, values)
    return tuple(remarks)


def _find_common_gain(slopes: Floats, values: Values) -> list[SignalRemark]:
    """Remark on torques that are on all joints nearly the same multiple of the predicted ones."""
    logs = np.log(slopes)
    mean = float(logs.mean())
    if len(slopes) < 2 or abs(mean) < np.log(GAIN) or logs.std() > SCATTER * abs(mean):
        return []
    ratio = float(np.exp(mean))
    return [
        SignalRemark(
            "gain",
            f"torques are on all joints nearly the same multiple of those that the prior predicts, "
            f"{ratio:.3g} times ({', '.join(f'{slope:.3g}' for slope in slopes)}): if that is the "
            f"gain of the drives, all bodies come out {ratio:.3g} times as heavy; "
            f"--gain={1 / ratio:.4g} divides it out, and a known --mass or --total-mass decides",
            {"ratio": ratio, **values},
        )
    ]


@explain_errors
def name_unit(ratio: float) -> str | None:
    """What a ratio of torques, or of a fitted mass to its prior, says of the unit of torque.

    Args:
        ratio: Measured over expected; its sign is not looked at.

    Returns:
        A phrase with the units that are within FACTOR of it, the usual ones first; None without.

    Example:
        >>> print(diagnosis.name_unit(1000.0))
        as if they were in N mm (1000)
    """
    near = [name for name, own in UNITS.items() if 1 / FACTOR <= abs(ratio) / own <= FACTOR]
    if not near:
        return None
    return "as if they were in " + " or ".join(f"{name} ({UNITS[name]:.4g})" for name in near)


@explain_errors
def find_lag(
    tau: ArrayLike,
    predicted: ArrayLike,
    u: ArrayLike | None = None,
    rate: float | None = None,
    joints: Sequence[str] | None = None,
) -> tuple[SignalRemark, ...]:
    """Whether torques come later or earlier than those that a prior or a fit predicts.

    As in `suspected_unit`, with the torques shifted by whole samples; told is the shift that leaves
    least over all joints, between samples by the parabola through the three best. A fit to lagging
    torques hides a part of their lag, so that its prediction shows less than there is.

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
    tau, predicted, u = _read_torques(tau, predicted, u)
    joints = _names(joints, tau.shape[1])
    most = min(LAGS, len(tau) // 10)
    left = _left_by_shift(tau, predicted, u, most)
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
    shift = best - most + _vertex(whole[best - 1 : best + 2])
    time = "" if rate is None else f" ({abs(shift) / rate * 1e3:.3g} ms)"
    word = "behind" if shift > 0 else "ahead of"
    own = _tuple(np.where(told, np.argmin(left, axis=0) - most, np.nan))
    return (
        SignalRemark(
            "lag",
            f"torques are {abs(shift):.3g} samples{time} {word} what their motion predicts: "
            f"shifted by that, the squared residuals are {whole[best]:.0%} smaller, in the mean of "
            f"{_list(joints, told)}",
            {"samples": shift, "saved": float(whole[best]), "joints": own},
        ),
    )


def check_signals(**signals: ArrayLike | None) -> dict[str, Floats]:
    """Read signals (S, n) of one shape; those that are None are left out.

    Raises:
        ParameterError: The message names the signal that cannot be used, or two that differ.
    """
    arrays = {
        name: check_signal(name, value, ndim=2)
        for name, value in signals.items()
        if value is not None
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


def _names(joints: Sequence[str] | None, count: int) -> tuple[str, ...]:
    names = tuple(f"joint {k + 1}" for k in range(count)) if joints is None else tuple(joints)
    if len(names) != count:
        raise ParameterError(f"{len(names)} names of joints for {count} columns")
    return names


def _clock(t: Floats) -> list[SignalRemark]:
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


def _spreads(q: Floats) -> tuple[Floats, Floats]:
    """Standard deviation of positions, and that of their noise: of white noise, exactly."""
    noise = np.diff(q, 2, axis=0).std(axis=0) / np.sqrt(6) if len(q) > 3 else np.zeros(q.shape[1])
    return q.std(axis=0), noise


def _is_still(q: Floats) -> Mask:
    spread, noise = _spreads(q)
    return np.asarray((spread <= tolerances.STILL * spread.max()) | (spread <= NOISE * noise))


def _still(q: Floats, joints: tuple[str, ...]) -> list[SignalRemark]:
    spread, noise = _spreads(q)
    still = _is_still(q)
    if not still.any():
        return []
    which = "no joint moves" if still.all() else f"{_list(joints, still)}: never moves"
    return [
        SignalRemark(
            "still",
            f"{which}: positions spread by {_show(spread[still])}, noise "
            f"{_show(noise[still])}, and the joint that moves most by {spread.max():.3g}; what "
            "only its motion shows stays open",
            {"spread": _tuple(spread), "noise": _tuple(noise)},
        )
    ]


def _constant(tau: Floats | None, joints: tuple[str, ...]) -> list[SignalRemark]:
    if tau is None:
        return []
    constant = np.ptp(tau, axis=0) == 0
    if not constant.any():
        return []
    return [
        SignalRemark(
            "constant",
            f"{_list(joints, constant)}: the torque is {_show(tau[0, constant])} in all "
            f"{len(tau)} samples; was it recorded?",
            {"torque": _tuple(np.where(constant, tau[0], np.nan))},
        )
    ]


def _ratios(t: Floats, signal: Floats, rate: Floats) -> Floats:
    """(n,) slope of a signal over the integral of what should be its rate; NaN where it is none.

    Integrals do not amplify noise as differences do. What passed in gaps is left out.
    """
    steps = np.diff(t)
    inside = (steps <= GAP * np.median(steps))[:, None]
    integral = np.cumsum(inside * (rate[1:] + rate[:-1]) / 2 * steps[:, None], axis=0)
    path = np.cumsum(inside * np.diff(signal, axis=0), axis=0)
    slopes, shares = _lines(integral, path)
    return np.where(shares >= AGREEMENT, slopes, np.nan)


def _rates(kind: str, ratios: Floats, moves: Mask, joints: tuple[str, ...]) -> list[SignalRemark]:
    """What the ratios of rates to what should be the rates say, of the joints that move."""
    of, plural = _RATES[kind]
    values = {"ratios": _tuple(ratios)}
    remarks = []
    strange = moves & ~np.isfinite(ratios)
    if strange.any():
        text = f"{_list(joints, strange)}: {plural} have nothing to do with the change of {of}"
        remarks.append(SignalRemark(kind, text, values))
    told = moves & np.isfinite(ratios)
    wrong = told & (np.abs(ratios - 1) > MISMATCH)
    if not wrong.any():
        return remarks
    begin = f"{of} change at {_show(ratios[wrong])} times the {plural} that stand beside them"
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
        SignalRemark(kind, f"{begin}: {_list(joints, wrong)}; expected 1", values),
    ]


_RATES = {"velocity": ("positions", "velocities"), "acceleration": ("velocities", "accelerations")}
"""Names of the signal that a rate is the derivative of, and of the rate itself."""


def _ranges(q: Floats, limits: ArrayLike | None, joints: tuple[str, ...]) -> list[SignalRemark]:
    """Whether positions stay in their limits, and turn as far as joints do."""
    spans = np.ptp(q, axis=0)
    if limits is None:
        far = spans > TURNS * 2 * np.pi
        if far.sum() <= len(far) / 2:
            return []
        return [
            SignalRemark(
                "degrees",
                f"{_list(joints, far)}: positions range over {_show(spans[far] / (2 * np.pi))} "
                "full turns; are they in degrees?",
                {"ranges": _tuple(spans)},
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
            {"least": _tuple(q.min(axis=0)), "largest": _tuple(q.max(axis=0))},
        )
    ]


def _outside(q: Floats, bounds: Floats) -> Mask:
    least, largest = bounds.T
    has_both = np.isfinite(bounds).all(axis=1)
    slack = MISMATCH * np.where(has_both, largest - least, 0.0)
    return np.asarray((q.min(axis=0) < least - slack) | (q.max(axis=0) > largest + slack))


def _lines(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Slope of y over x, column by column, and the share of the variance of y it explains."""
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    xx, xy, yy = (x * x).sum(axis=0), (x * y).sum(axis=0), (y * y).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(xx > 0, xy / xx, np.nan), np.where(xx * yy > 0, xy**2 / (xx * yy), 0.0)


def _read_torques(
    tau: ArrayLike, predicted: ArrayLike, u: ArrayLike | None
) -> tuple[Floats, Floats, Floats | None]:
    arrays = check_signals(tau=tau, predicted=predicted, u=u)
    _refuse_zeros(arrays)
    return arrays["tau"], arrays["predicted"], arrays.get("u")


def _explaining(predicted: Floats, u: Floats | None) -> Floats:
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


def _slopes(tau: Floats, predicted: Floats, u: Floats | None) -> tuple[Floats, Floats]:
    """(n,) slope over the predicted torque, and the share that it explains of what is left to it.

    Both are 0 where the prediction is made up of friction and offset.
    """
    basis = _explaining(predicted, u)
    parts = np.einsum("snc,sn->nc", basis, tau)
    own = (basis[:, :, -1] * predicted).sum(axis=0)
    left = np.maximum((tau**2).sum(axis=0) - (parts[:, :-1] ** 2).sum(axis=1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.where(own > 0, parts[:, -1] / own, 0.0)
        return slopes, np.where((own > 0) & (left > 0), parts[:, -1] ** 2 / left, 0.0)


def _left_by_shift(tau: Floats, predicted: Floats, u: Floats | None, most: int) -> Floats:
    """(2 most + 1, n) share of the variance left when the torques come -most to most later."""
    count = len(tau) - 2 * most
    middle = slice(most, most + count)
    basis = _explaining(predicted[middle], None if u is None else u[middle])
    left = np.ones((2 * most + 1, tau.shape[1]))
    for shift in range(2 * most + 1):
        own = tau[shift : shift + count]
        parts = np.einsum("snc,sn->nc", basis, own)
        squares = (own**2).sum(axis=0)
        varies = squares - parts[:, 0] ** 2
        rest = np.maximum(squares - (parts**2).sum(axis=1), 0.0)
        np.divide(rest, varies, out=left[shift], where=varies > 0)
    return left


def _vertex(three: Floats) -> float:
    """Where the parabola through three values at -1, 0, 1 is highest."""
    bend = three[0] - 2 * three[1] + three[2]
    return float((three[0] - three[2]) / (2 * bend)) if bend < 0 else 0.0


def _list(joints: tuple[str, ...], which: Mask) -> str:
    return ", ".join(name for name, own in zip(joints, which, strict=True) if own)


def _show(values: Floats) -> str:
    """Format one number, or the least and the largest."""
    least, largest = f"{values.min():.3g}", f"{values.max():.3g}"
    return least if least == largest else f"{least} to {largest}"


def _tuple(values: Floats) -> tuple[float, ...]:
    return tuple(map(float, values))


__getattr__ = old_names(
    __name__,
    {
        "diagnosed": "diagnose",
        "suspected_lag": "find_lag",
        "suspected_unit": "find_unit_errors",
    },
)
