"""Criteria of an exciting motion: functions of the singular values of the rows that it has.

The rows are those of the base regressor with its friction columns, without units: each parameter in
units of what its prior leaves open, over its weight.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from inertial_check.arrays.types import Floats

Criterion = Literal["condition", "log-det", "mean-variance"]
"""Criterion that a motion makes small: the condition number; the volume of the ellipsoid of errors,
which depends on no unit; or the mean of the squared deviations of all parameters."""

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

POWER = 2
"""Exponent of the power means that stand for the extreme eigenvalues: 1 weighs all of them alike, 4
has kinks again."""


def measure(criterion: Criterion, sizes: Floats) -> tuple[float, Floats]:
    """Measure singular values: a smooth number that is to be small, and its slopes.

    Args:
        criterion: Name of the criterion.
        sizes: (r,) singular values, descending.

    Returns:
        For "condition" the logarithm of a smooth bound of the condition number, for "log-det" the
        mean logarithm of 1 / size, for "mean-variance" that of the root mean square of 1 / size;
        infinite where the least is zero. And the derivatives (r,).
    """
    if not sizes[-1] > 0:
        return float("inf"), np.zeros_like(sizes)
    if criterion == "log-det":
        return float(-np.mean(np.log(sizes))), -1 / (len(sizes) * sizes)
    if criterion == "mean-variance":
        inverse = (sizes[-1] / sizes) ** 2
        total = float(np.sum(inverse))
        value = float(np.log(total / len(sizes)) / 2 - np.log(sizes[-1]))
        return value, -inverse / total / sizes
    return _bound_condition(sizes)


def report(criterion: Criterion, sizes: Floats, samples: int) -> float:
    """Value of a criterion that is printed: of the information that one motion's samples have.

    Args:
        criterion: Name of the criterion.
        sizes: (r,) singular values, descending.
        samples: Number of samples of one motion.

    Returns:
        The condition number; the logarithm of the determinant of the information of a sample, which
        is to be large; or the root mean square of the deviations, for one sample of unit noise.
    """
    if not sizes[-1] > 0:
        return float("-inf" if criterion == "log-det" else "inf")
    if criterion == "log-det":
        return float(np.sum(np.log(sizes**2 / samples)))
    if criterion == "mean-variance":
        return float(np.sqrt(np.mean(samples / sizes**2)))
    return float(sizes[0] / sizes[-1])


def _bound_condition(sizes: Floats) -> tuple[float, Floats]:
    """Log of (sum s^(2 p) sum s^(-2 p))^(1 / 2 p) of sizes s, p = POWER, and its slopes (r,)."""
    square = 2 * np.log(sizes)
    up, down = POWER * (square - square.max()), -POWER * (square - square.min())
    largest, least = np.exp(up), np.exp(down)
    log_sums = np.log(largest.sum()) + np.log(least.sum())
    value = float((log_sums / POWER + square.max() - square.min()) / 2)
    return value, (largest / largest.sum() - least / least.sum()) / sizes
