"""Deviation of the added masses of the fluid around two bodies."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from inertial_check.arrays.types import Floats

Matrix = Sequence[Sequence[float]]


def compare_added_mass(a: Matrix, b: Matrix) -> float:
    """Norm of the difference of two added masses, relative to the larger one.

    The blocks of masses and of inertias are each divided by their norm, and the coupling by the
    root of both, so that no unit decides.

    Args:
        a: 6x6, or empty for none, which is one of zeros.
        b: The same.

    Returns:
        0 for equal ones; infinite where a number is not finite in one of them alone.
    """
    if not a and not b:
        return 0.0
    one, other = (np.array(each or np.zeros((6, 6)), dtype=np.float64) for each in (a, b))
    if np.array_equal(one, other, equal_nan=True):
        return 0.0
    if not np.all(np.isfinite([one, other])):
        return inf
    roots = np.repeat([_root(one[part, part], other[part, part]) for part in _BLOCKS], 3)
    scale = np.outer(roots, roots)
    size = max(float(np.linalg.norm(scale * each)) for each in (one, other))
    return float(np.linalg.norm(scale * (one - other))) / size


_BLOCKS = slice(0, 3), slice(3, 6)


def _root(one: Floats, other: Floats) -> float:
    size = max(float(np.linalg.norm(each)) for each in (one, other))
    return 1 / float(np.sqrt(size)) if size > 0 else 1.0
