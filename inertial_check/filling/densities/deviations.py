"""Sums that are known within a deviation, where they cannot all be met as they are stated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.filling.densities.equations import MassSum
from inertial_check.inertia import tolerances


def use_deviations(sums: Sequence[MassSum], low: Floats, high: Floats) -> list[MassSum] | None:
    """Move sums within their deviations as little as masses between bounds need.

    Args:
        sums: The sums; those without a deviation stay.
        low: (n,) least masses of the bodies [kg].
        high: (n,) largest masses [kg].

    Returns:
        The sums with what they are moved to; None where no deviations are enough, or none is there.
    """
    from scipy.optimize import linprog

    if not any(each.deviation > 0 for each in sums):
        return None
    n, k = len(low), len(sums)
    A = np.zeros((k, n + 2 * k))
    for row, each in enumerate(sums):
        A[row, list(each.coefficients)] = list(each.coefficients.values())
        A[row, n + row], A[row, n + k + row] = -1.0, 1.0
    wanted = np.array([each.wanted for each in sums])
    deviation = np.array([each.deviation for each in sums])
    unit = max(float(np.max(np.abs(wanted))), float(np.finfo(float).tiny))
    bounds = np.stack(
        [
            np.concatenate([low, np.zeros(2 * k)]),
            np.concatenate([high, deviation, deviation]),
        ],
        axis=1,
    )
    costs = np.concatenate([np.zeros(n), np.ones(2 * k)])
    answer = linprog(costs, A_eq=A, b_eq=wanted / unit, bounds=bounds / unit, method="highs")
    if answer.status != 0:
        return None
    moved = answer.x[n : n + k] - answer.x[n + k :]
    moved = unit * np.where(np.abs(moved) > tolerances.SUM_ROUNDING, moved, 0.0)
    return [
        each._replace(wanted=each.wanted + float(move))
        for each, move in zip(sums, moved, strict=True)
    ]
