"""Verdicts of inertial parameters in exact rational arithmetic, for numbers of any size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from inertial_check.inertia import tolerances


def judge_exactly(  # noqa: PLR0911 - a verdict each
    theta: Sequence[float], about: str, eps: float
) -> tuple[str | None, float]:
    """Judge one row: the word, None where rounding decides between two; and the margin.

    The central second moment and its units are exact; only the eigenvalues of a matrix whose
    largest entry is 1 are computed in float64.
    """
    if not np.all(np.isfinite(theta)):
        return "invalid", np.nan
    mass, hx, hy, hz, xx, xy, xz, yy, yz, zz = map(Fraction, map(float, theta))
    h = (hx, hy, hz)
    if mass < 0 or (mass == 0 and any(map(float, theta))):
        return "invalid", np.nan
    if mass == 0:
        return "massless", np.nan
    half = (xx + yy + zz) / 2
    S = [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]
    offset = Fraction(0)
    if about == "origin":
        S = [[S[i][j] - h[i] * h[j] / mass for j in range(3)] for i in range(3)]
        offset = sum(part * part for part in h) / mass
    unit = max(abs(entry) for row in S for entry in row)
    if unit == 0:
        return ("ill-posed" if any(h) and about == "origin" else "consistent"), 0.0
    values = np.linalg.eigvalsh([[float(entry / unit) for entry in row] for row in S])
    spread = float(np.sum(np.abs(values)))
    share = offset / unit
    kappa = 1 + (float(share) if share < 10**300 else np.inf) / spread
    floor, margin = tolerances.FLOOR_FACTOR * eps * kappa, float(values[0]) / spread
    for line in (floor / tolerances.ILL_POSED_FLOOR, margin / floor, -margin / floor):
        if 0.25 < line < 4:
            return None, margin
    if floor > tolerances.ILL_POSED_FLOOR:
        return "ill-posed", margin
    if margin > floor:
        return "consistent", margin
    return ("inconsistent" if margin < -floor else "boundary"), margin
