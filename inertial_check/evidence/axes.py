"""Principal moments without their axes: what all bodies of a model have in common."""

from __future__ import annotations

from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.evidence.assembly import Assembly
from inertial_check.inertia import tolerances

LINKS = 4
"""Least number of bodies whose diagonals are all in one order: of random orders three are all
ascending or all descending in one case of 108, and four in one of 648."""

_DISTINCT = 0.01
"""Relative difference from which two moments have an order."""


class SortedMoments(NamedTuple):
    """Diagonal tensors of a model that are all in one order of size.

    Attributes:
        order: The order in which all of them are.
        bodies: Indices of the bodies.
    """

    order: Literal["ascending", "descending"]
    bodies: tuple[int, ...]


_KNOWN: WeakKeyDictionary[Assembly, SortedMoments | None] = WeakKeyDictionary()


def find_sorted_moments(assembly: Assembly) -> SortedMoments | None:
    """Find the one order of the moments of all diagonal tensors of a model.

    Returns:
        None where fewer than LINKS bodies have a diagonal tensor with three different moments, or
        these are not all in one order, or most bodies of the model have products.
    """
    if assembly not in _KNOWN:
        _KNOWN[assembly] = _find(assembly)
    return _KNOWN[assembly]


def _find(assembly: Assembly) -> SortedMoments | None:
    six = np.array([judgement.I_BBcm_Bi for judgement in assembly.judgements]).reshape(-1, 6)
    moments: Floats = six[:, [0, 3, 5]]
    size = np.max(np.abs(moments), axis=1, initial=0.0)
    with np.errstate(invalid="ignore"):
        products = np.max(np.abs(six[:, [1, 2, 4]]), axis=1) > tolerances.ROTATED_ZERO * size
        steps = np.diff(moments, axis=1)
        distinct = np.all(np.abs(steps) > _DISTINCT * size[:, None], axis=1)
    diagonal = assembly.stated & ~products & distinct
    if np.sum(diagonal) < LINKS or np.sum(assembly.stated & products) > np.sum(diagonal):
        return None
    bodies = tuple(np.flatnonzero(diagonal).tolist())
    if np.all(steps[diagonal] < 0):
        return SortedMoments("descending", bodies)
    return SortedMoments("ascending", bodies) if np.all(steps[diagonal] > 0) else None
