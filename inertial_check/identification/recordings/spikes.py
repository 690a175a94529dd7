"""Spikes of recorded torques: samples far off their neighbours, which no motion makes."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.identification.recordings.signal_remark import SignalRemark

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


def describe_spikes(tau: Floats, spikes: Mask, joints: tuple[str, ...]) -> SignalRemark:
    """Describe the spikes of each joint."""
    counts = spikes.sum(axis=0)
    sizes = np.abs(np.where(spikes, tau, 0.0)).max(axis=0)
    shown = ", ".join(
        f"{name} {count} (up to {size:.3g})"
        for name, count, size in zip(joints, counts.tolist(), sizes.tolist(), strict=True)
        if count
    )
    return SignalRemark(
        "spikes",
        f"torques that stand alone, far off their neighbours: {shown}; bridged by straight lines "
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
