"""Lag of recorded torques, estimated by fitting all parameters anew at each shift.

A fit to lagging torques hides a part of their lag, since friction and inertia stand in for it. With
the parameters fitted again at each shift the residuals are least where the torques belong.
"""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.identification.recordings.signal_remark import SignalRemark
from inertial_check.identification.recordings.thresholds import LAGS
from inertial_check.inertia import tolerances

SAMPLES = 5000
"""Largest number of neighbouring samples that a lag is estimated from."""

_ALIKE = 2
"""Samples on each side of the best shift through which the parabola is drawn."""


def estimate_lag(A: Floats, tau: Floats, guess: float = 0.0) -> float | None:
    """Estimate by how many samples torques lag behind their motion; None if no shift is best.

    Args:
        A: (S, n, p) columns of bodies and friction, at uniform steps.
        tau: (S, n) torques of the same samples.
        guess: Lag that is expected, in samples; about twice as much is tried.
    """
    most = min(int(2 * abs(guess)) + LAGS, len(tau) // 5)
    if most <= _ALIKE:
        return None
    shifts = np.arange(-most, most + 1)
    middle = slice(most, len(tau) - most)
    left = np.zeros(len(shifts))
    for joint in range(tau.shape[1]):
        columns = A[middle, joint]
        U, sizes, _ = np.linalg.svd(columns[:, columns.any(axis=0)], full_matrices=False)
        basis = U[:, sizes > tolerances.MADE_UP * sizes.max(initial=0.0)]
        own = np.stack([tau[most + k : len(tau) - most + k, joint] for k in shifts], axis=1)
        squares = (own**2).sum(axis=0)
        rest = squares - ((basis.T @ own) ** 2).sum(axis=0)
        if np.all(squares > 0):
            left += np.log(np.maximum(rest / squares, tolerances.EPS))
    best = int(np.argmin(left))
    if best < _ALIKE or best >= len(shifts) - _ALIKE:
        return None
    near = np.arange(best - _ALIKE, best + _ALIKE + 1)
    bend, slope, _ = np.polyfit(near - best, left[near], 2)
    if bend <= 0:
        return None
    return float(shifts[best] - np.clip(slope / (2 * bend), -1.0, 1.0))


def correct_lag(remark: SignalRemark, lag: float, rate: float | None) -> SignalRemark:
    """Return a remark on a lag with the estimate in place of what the fit shows of it."""
    saved = float(np.max(remark.values["saved"]))
    time = "" if rate is None else f" ({abs(lag) / rate * 1e3:.3g} ms)"
    word = "behind" if lag > 0 else "ahead of"
    hint = "" if rate is None else f"; --delay={lag / rate:.4g} moves them back"
    message = (
        f"torques are {abs(lag):.3g} samples{time} {word} their motion, by fits at each shift; "
        f"the shift alone makes the squared residuals {saved:.0%} smaller{hint}"
    )
    return SignalRemark("lag", message, {**remark.values, "samples": lag})
