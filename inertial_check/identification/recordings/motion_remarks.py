"""Remarks on the clock, the positions, their rates and the torques of one recording by itself."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats, Mask
from inertial_check.errors import ParameterError
from inertial_check.identification.recordings.remark_words import (
    format_range,
    list_floats,
    list_joints,
)
from inertial_check.identification.recordings.signal_remark import SignalRemark
from inertial_check.identification.recordings.slopes import fit_lines
from inertial_check.identification.recordings.thresholds import (
    AGREEMENT,
    CLOCKS,
    DEGREES,
    JITTER,
    MISMATCH,
    NOISE,
    TURNS,
    UNLIKE,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.tolerances import GAP


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


def _spreads(q: Floats) -> tuple[Floats, Floats]:
    """Standard deviation of positions, and that of their noise: of white noise, exactly."""
    noise = np.diff(q, 2, axis=0).std(axis=0) / np.sqrt(6) if len(q) > 3 else np.zeros(q.shape[1])
    return q.std(axis=0), noise


def find_still(q: Floats) -> Mask:
    """Find the joints (n,) whose positions spread no more than their noise."""
    spread, noise = _spreads(q)
    return np.asarray((spread <= tolerances.STILL * spread.max()) | (spread <= NOISE * noise))


def remark_on_still(q: Floats, joints: tuple[str, ...]) -> list[SignalRemark]:
    """Remark on joints that never move."""
    spread, noise = _spreads(q)
    still = find_still(q)
    if not still.any():
        return []
    which = "no joint moves" if still.all() else f"{list_joints(joints, still)}: never moves"
    return [
        SignalRemark(
            "still",
            f"{which}: positions spread by {format_range(spread[still])}, noise "
            f"{format_range(noise[still])}, and the joint that moves most by {spread.max():.3g}; "
            "what only its motion shows stays open",
            {"spread": list_floats(spread), "noise": list_floats(noise)},
        )
    ]


def remark_on_constant(tau: Floats | None, joints: tuple[str, ...]) -> list[SignalRemark]:
    """Remark on torques that are the same in all samples."""
    if tau is None:
        return []
    constant = np.ptp(tau, axis=0) == 0
    if not constant.any():
        return []
    return [
        SignalRemark(
            "constant",
            f"{list_joints(joints, constant)}: the torque is {format_range(tau[0, constant])} in "
            f"all {len(tau)} samples; was it recorded?",
            {"torque": list_floats(np.where(constant, tau[0], np.nan))},
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
    slopes, shares = fit_lines(integral, path)
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


_RATES = {"velocity": ("positions", "velocities"), "acceleration": ("velocities", "accelerations")}
"""Names of the signal that a rate is the derivative of, and of the rate itself."""


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
