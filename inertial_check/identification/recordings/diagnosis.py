"""Diagnosis of errors in a recording, before or after something is fitted to it.

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

import numpy as np

from inertial_check.arrays.broadcasting import quiet, read_floats
from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.errors import ParameterError, expect
from inertial_check.identification.recordings.motion_remarks import (
    find_still,
    measure_rate_ratios,
    remark_on_clock,
    remark_on_constant,
    remark_on_ranges,
    remark_on_rates,
    remark_on_still,
)
from inertial_check.identification.recordings.remark_words import (
    format_range,
    list_floats,
    list_joints,
    name_joints,
)
from inertial_check.identification.recordings.signal_remark import SignalRemark, Values
from inertial_check.identification.recordings.slopes import find_vertex, fit_slopes, measure_shifts
from inertial_check.identification.recordings.thresholds import (
    AGREEMENT,
    CLOCKS,
    DEGREES,
    FACTOR,
    GAIN,
    JITTER,
    LAG_GAIN,
    LAGS,
    MISMATCH,
    NOISE,
    SCATTER,
    TURNS,
    UNITS,
    UNLIKE,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.tolerances import GAP

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


def check_signal(name: str, value: ArrayLike, *, ndim: int | None = None, least: int = 2) -> Floats:
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
    remarks = [*remark_on_still(q, joints), *remark_on_constant(motion.get("tau"), joints)]
    moves = ~find_still(q)
    if t is not None:
        t = check_time(t)
        if len(t) != len(q):
            raise ParameterError(f"t has {len(t)} samples and q has {len(q)}")
        remarks = [*remark_on_clock(t), *remarks]
        for rate, of, kind in (("u", "q", "velocity"), ("du", "u", "acceleration")):
            if rate in motion and of in motion:
                remarks += remark_on_rates(
                    kind, measure_rate_ratios(t, motion[of], motion[rate]), moves, joints
                )
    if not any(remark.kind == "degrees" for remark in remarks):
        remarks += remark_on_ranges(q, limits, joints)
    return tuple(remarks)


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
        remarks.append(
            SignalRemark(
                "sign",
                f"torques fall where the prior predicts that they rise, slope "
                f"{format_range(slopes[turned])}: {which}; is the sign of the torque, or of the "
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
                f"{format_range(np.abs(known))} joint by joint: "
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
    shift = best - most + find_vertex(whole[best - 1 : best + 2])
    time = "" if rate is None else f" ({abs(shift) / rate * 1e3:.3g} ms)"
    word = "behind" if shift > 0 else "ahead of"
    own = list_floats(np.where(told, np.argmin(left, axis=0) - most, np.nan))
    return (
        SignalRemark(
            "lag",
            f"torques are {abs(shift):.3g} samples{time} {word} what their motion predicts: "
            f"shifted by that, the squared residuals are {whole[best]:.0%} smaller, in the mean of "
            f"{list_joints(joints, told)}",
            {"samples": shift, "saved": float(whole[best]), "joints": own},
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
