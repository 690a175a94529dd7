"""Analysis of residuals: whether they are white, at which frequencies and velocities they lie.

Standard deviations of an identification presume that residuals are noise. Three questions tell:

* Whiteness, by the test of Ljung and Box on the autocorrelations. It weighs all lags together, and
  the deterministic regressor of a robot costs it no degrees of freedom to first order; a test of
  turning points looks at neighbours only, which a filter makes alike. For the same reason samples
  are thinned to independent ones first.
* The spectrum: a flexible joint or a gear shows as a line, friction that is wrong at low
  frequencies.
* The mean at each velocity: what it has of a course is friction that the model lacks (Stribeck,
  asymmetry, breakaway).

Source: G. M. Ljung, G. E. P. Box, On a measure of lack of fit in time series models, Biometrika 65
(1978).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.identification.fit.samples import read_reals
from inertial_check.inertia.arrays import ArrayLike, Floats
from inertial_check.reports.identification_types import (
    JointResiduals,
    ResidualCourse,
    ResidualSpectrum,
    ResidualWhiteness,
)

LAGS = 20
"""Lags of the Ljung-Box test at most: the usual choice for some hundred samples and more."""

LEAST_SAMPLES = 20
"""Independent samples below which autocorrelations tell nothing, and none is tested."""

SPACING = 2.0
"""Spacing of the samples that are tested for whiteness, in independent samples: at one, what is
left of a filter's autocorrelation rejects white noise four times in ten at a level of 5 %, at two
as often as it should."""

BINS = 10
"""Velocity bins, each with the same number of samples."""

RESOLUTION = 16
"""Frequencies of a spectrum between 0 and the cut-off frequency of the filter."""

UNFILTERED = 128
"""Samples in a segment of the spectrum where no filter limits the signals."""


def analyse_residuals(
    residuals: ArrayLike,
    velocities: ArrayLike | None = None,
    *,
    rate: float | None = None,
    cutoff: float = np.inf,
    redundancy: float = 1.0,
    joins: Sequence[int] = (),
) -> tuple[JointResiduals, ...]:
    """Analyse the residuals of each joint.

    Args:
        residuals: (S, n) measured less predicted torques [N m or N].
        velocities: (S, n) of the joints [rad/s or m/s].
        rate: Samples a second [Hz]; None for no spectrum.
        cutoff: Cut-off frequency of the filter that the torques passed [Hz].
        redundancy: Number of samples that tell as much as one independent sample.
        joins: Indices of samples that do not follow on those before them.

    Returns:
        The residuals of each joint; joints are counted from 1 and without a unit.

    Raises:
        ParameterError: Shapes do not fit, or a number is not finite.
    """
    left = read_reals("residuals", residuals)
    if left.ndim != 2 or not len(left) or not np.isfinite(left).all():
        raise ParameterError(f"residuals have shape {left.shape}, expected (S, n), all finite")
    speeds = None if velocities is None else read_reals("velocities", velocities)
    if speeds is not None and speeds.shape != left.shape:
        raise ParameterError(f"velocities have shape {speeds.shape}, expected {left.shape}")
    bounds = sorted({0, len(left), *(join for join in joins if 0 < join < len(left))})
    runs = [slice(*bound) for bound in pairwise(bounds)]
    return tuple(
        JointResiduals(
            str(joint + 1),
            "",
            len(own),
            float(np.sqrt(np.mean(own**2))),
            float(own.mean()),
            _judge_whiteness([own[run] for run in runs], redundancy),
            _find_spectrum([own[run] for run in runs], rate, cutoff),
            None if speeds is None else _find_course(own, speeds[:, joint], redundancy),
        )
        for joint, own in enumerate(left.T)
    )


def _correlate(runs: Sequence[Floats], lags: int) -> Floats:
    """(lags + 1,) autocorrelations within runs, about the common mean, 1 at lag 0."""
    mean = np.concatenate(runs).mean()
    covariances = np.zeros(lags + 1)
    for run in runs:
        own = run - mean
        for lag in range(min(lags + 1, len(own))):
            covariances[lag] += own[lag:] @ own[: len(own) - lag]
    if covariances[0] <= 0:  # no residual varies
        covariances[0] = 1.0
    correlations: Floats = covariances / covariances[0]
    return correlations


def _judge_whiteness(runs: Sequence[Floats], redundancy: float) -> ResidualWhiteness | None:
    """Test residuals for autocorrelation beyond that of the filter."""
    from scipy.special import gammaincc

    spacing = 1 if redundancy == 1 else int(np.ceil(SPACING * redundancy))
    thin = [run[::spacing] for run in runs]
    count = sum(map(len, thin))
    if count < LEAST_SAMPLES or not np.ptp(np.concatenate(thin)) > 0:
        return None
    lags = min(LAGS, count // 5)
    own = _correlate(thin, lags)[1:]
    # Ljung, Box, On a measure of lack of fit in time series models, Biometrika 65 (1978).
    statistic = float(count * (count + 2) * np.sum(own**2 / (count - np.arange(1, lags + 1))))
    # The survival function of chi squared with `lags` degrees of freedom.
    p_value = float(gammaincc(lags / 2, statistic / 2))
    return ResidualWhiteness(float(own[0]), statistic, lags, p_value, spacing, _count_alike(runs))


def _count_alike(runs: Sequence[Floats]) -> float:
    """Sum the autocorrelations, 1 + 2 sum rho, over the window after which they are noise.

    The window is the first one that is six times as long as the sum (Sokal's rule).
    """
    longest = max(map(len, runs))
    lags, sums = min(64, longest - 1), np.ones(1)
    while lags >= 1:
        # A sum over all lags has a variance that does not fall with the samples: the window ends it
        # (Sokal, Monte Carlo Methods in Statistical Mechanics, 1997).
        sums = 2 * np.cumsum(_correlate(runs, lags)) - 1
        done = np.flatnonzero(np.arange(lags + 1) >= 6 * sums)
        if len(done):
            return float(max(sums[done[0]], 1.0))
        if lags >= min(longest - 1, 4096):
            break
        lags = min(4 * lags, longest - 1, 4096)
    return float(max(sums[-1], 1.0))


def _find_spectrum(
    runs: Sequence[Floats], rate: float | None, cutoff: float
) -> ResidualSpectrum | None:
    """Average the spectra of all runs that are as long as a segment."""
    if rate is None:
        return None
    from scipy.signal import welch

    wanted = UNFILTERED if not np.isfinite(cutoff) else int(np.ceil(RESOLUTION * rate / cutoff))
    length = min(wanted, max(map(len, runs)))
    if length < LEAST_SAMPLES:
        return None
    total, weight, frequency = np.zeros(length // 2 + 1), 0, np.zeros(0)
    for run in runs:
        if len(run) >= length:
            frequency, density = welch(run, fs=rate, nperseg=length, detrend=False)
            total, weight = total + len(run) * density, weight + len(run)
    density = total / weight
    band = frequency <= (2 * cutoff if np.isfinite(cutoff) else rate)
    frequency, density = frequency[band], density[band]
    power = float(density.sum())
    if not power > 0:
        return None
    peak = int(np.argmax(density))
    edge = min(cutoff, rate / 2)
    low, whole = density[frequency < edge / 2].sum(), density[frequency < edge].sum()
    near = density[max(peak - 1, 0) : peak + 2].sum()
    return ResidualSpectrum(
        tuple(frequency.tolist()),
        tuple(density.tolist()),
        float(frequency[peak]),
        float(near / power),
        float(low / whole),
    )


def _find_course(residuals: Floats, velocities: Floats, redundancy: float) -> ResidualCourse | None:
    """Average residuals in bins of velocity that have the same number of samples each."""
    count = len(residuals)
    if count < BINS * LEAST_SAMPLES or not np.ptp(velocities) > 0:
        return None
    parts = np.array_split(np.argsort(velocities, kind="stable"), BINS)
    mean = np.array([residuals[part].mean() for part in parts])
    within = np.array([np.sum((residuals[part] - residuals[part].mean()) ** 2) for part in parts])
    sizes = np.array([len(part) for part in parts])
    between = float(sizes @ (mean - residuals.mean()) ** 2)
    total = between + float(within.sum())
    if not total > 0:
        return None
    chance = min((BINS - 1) * redundancy / count, 1.0)
    share = max(0.0, (between / total - chance) / max(1 - chance, chance))
    independent = np.maximum(sizes / redundancy, 1.0)
    error = np.sqrt(within / np.maximum(sizes - 1, 1) / independent)
    velocity = np.array([velocities[part].mean() for part in parts])
    return ResidualCourse(
        tuple(velocity.tolist()), tuple(mean.tolist()), tuple(error.tolist()), share
    )
