"""A bound on the differences of twins: whether the search for the symmetry of a model can be left.

Most models with two sides have frames whose axes are reflected with the bodies. Where one of these
eight reflections brings every pair together, the full comparison in twins.py chooses a symmetry on
which every pair agrees, and finding that symmetry would cost a hundred times as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.evidence.twins import AGREEMENT, SIGNS, SIGNS_OF_ENTRIES, VOTES, Numbers

if TYPE_CHECKING:
    import numpy.typing as npt

_ROUNDING = 0.5
"""Factor on a limit that keeps the bound below the limit whatever the rounding of either is."""


def are_surely_alike(
    pairs: Sequence[tuple[int, int]],
    stated: npt.NDArray[np.bool_],
    numbers: Numbers,
    mass: float,
    offset: float,
) -> bool:
    """Tell whether all twins of a model are so alike that no comparison can set two of them apart.

    The answer "no" says nothing. After "yes", `twins.compare_twins` finds every ratio of masses
    within its limit. With three pairs or more, it chooses a symmetry on which every pair agrees: no
    candidate can have more votes than a reflection that brings all pairs together, and a candidate
    with fewer loses to it. With fewer pairs there is no symmetry, and moments and spreads are
    within the limit.

    Args:
        pairs: Indices of all twins.
        stated: (N,) which bodies state numbers; pairs of others are not compared.
        numbers: Of all bodies of the model.
        mass: Limit of the ratio of the masses.
        offset: Limit of the offsets of centres and spreads, and of the difference of the moments.
    """
    compared = [pair for pair in pairs if stated[pair[0]] and stated[pair[1]]]
    if not compared:
        return True
    if offset < AGREEMENT:
        return False
    one, other = (numbers.of(column) for column in np.array(compared).T)
    if np.any(np.maximum(one.mass, other.mass) > mass * _least(one.mass, other.mass)):
        return False
    size = np.maximum(one.size, other.size)
    spreads = _measure(one.C_BBcm_B - SIGNS_OF_ENTRIES[:, None] * other.C_BBcm_B, (-2, -1))
    if len(compared) < VOTES:
        return bool(
            np.all(np.any(spreads <= _ROUNDING * offset * size**2, axis=0))
            and _have_alike_moments(one, other, offset)
        )
    centers = _measure(one.p_BoBcm_B - SIGNS[:, None] * other.p_BoBcm_B, -1)
    agree = (spreads <= _ROUNDING * AGREEMENT * size**2) & (centers <= _ROUNDING * AGREEMENT * size)
    return bool(np.any(np.all(agree, axis=1)))


def _measure(differences: Floats, axis: int | tuple[int, int]) -> Floats:
    """Frobenius norms; the plain sum of squares is a tenth of the time of np.linalg.norm."""
    norms: Floats = np.sqrt(np.sum(differences * differences, axis=axis))
    return norms


def _least(one: Floats, other: Floats) -> Floats:
    """The lesser masses, a rounding smaller, since the comparison divides where this multiplies."""
    least: Floats = np.minimum(one, other) * (1 - 4 * np.finfo(float).eps)
    return least


def _have_alike_moments(one: Numbers, other: Numbers, limit: float) -> bool:
    """Whether the principal moments per unit of mass are within half the limit."""
    moments, others = one.moments / one.mass[:, None], other.moments / other.mass[:, None]
    larger = np.maximum(moments[:, 2], others[:, 2])
    return bool(np.all(np.abs(moments - others) <= _ROUNDING * limit * larger[:, None]))
