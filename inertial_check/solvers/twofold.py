"""Pseudo-inertias in twice the digits of float64, where a move is as small as their rounding.

Sums and products are kept as pairs of a number and its rounding error (Dekker, Numer. Math. 18,
1971; Knuth, TAOCP 2, 4.2.2). In a basis in which a matrix is nearly diagonal, the entries that such
a congruence gives hold its small eigenvalues to all their digits, and Jacobi rotations keep them.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from inertial_check.arrays.types import Floats

_SPLIT = 2.0**27 + 1
"""Factor that splits a float64 into two halves of 26 digits whose products are exact (Veltkamp)."""

SWEEPS = 4
"""Sweeps of Jacobi rotations over a matrix that is nearly diagonal; they converge quadratically."""

Pair = tuple[Floats, Floats]
"""Numbers and what their rounding left."""


def two_sum(a: Floats, b: Floats) -> Pair:
    """Add numbers: the rounded sums, and the exact rest."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_product(a: Floats, b: Floats) -> Pair:
    """Multiply numbers: the rounded products, and the exact rest."""
    product = a * b
    a_high, b_high = (_SPLIT * v - (_SPLIT * v - v) for v in (a, b))
    a_low, b_low = a - a_high, b - b_high
    rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return product, rest


def transform_pseudo_inertia(K: Floats, theta: Floats, Delta: Floats | None = None) -> Floats:
    """Compute K (Pi - Delta) K^T in twice the digits, rounded at the end.

    Args:
        K: (n, 4, 4).
        theta: (n, 10) in order "urdf" about the body origin.
        Delta: (n, 4, 4); None for zero.
    """
    left = _multiply(_pseudo_inertia(theta, Delta), K)  # (Pi K^T)
    high, low = _multiply((left[0].transpose(0, 2, 1), left[1].transpose(0, 2, 1)), K)
    return high + low


def _pseudo_inertia(theta: Floats, Delta: Floats | None) -> Pair:
    high, low = np.zeros((len(theta), 4, 4)), np.zeros((len(theta), 4, 4))
    moments = theta[:, [4, 7, 9]]
    for i in range(3):
        part, rest = two_sum(moments[:, i - 2], moments[:, i - 1])
        total, more = two_sum(part, -moments[:, i])
        high[:, i, i], low[:, i, i] = total / 2, (rest + more) / 2
    for entry, (i, j) in zip((5, 6, 8), ((0, 1), (0, 2), (1, 2)), strict=True):
        high[:, i, j] = high[:, j, i] = -theta[:, entry]
    high[:, :3, 3] = high[:, 3, :3] = theta[:, 1:4]
    high[:, 3, 3] = theta[:, 0]
    if Delta is not None:
        high, rest = two_sum(high, -Delta)
        low = low + rest
    return high, low


def _multiply(matrix: Pair, K: Floats) -> Pair:
    """Multiply matrices (n, 4, 4) by K^T (n, 4, 4) from the right."""
    high, low = np.zeros_like(K), np.zeros_like(K)
    for i in range(4):
        factor = K[:, None, :, i]
        product, rest = two_product(matrix[0][:, :, i, None], factor)
        high, more = two_sum(high, product)
        low = low + (more + (rest + matrix[1][:, :, i, None] * factor))
    return two_sum(high, low)


def diagonalise(T: Floats) -> tuple[Floats, Floats]:
    """Compute eigenvalues (n, k), ascending, of nearly diagonal matrices to their own digits.

    Returns:
        The eigenvalues, and the rotations R (n, k, k) with R^T T R diagonal.
    """
    T, size = np.array(T), T.shape[-1]
    R = np.zeros_like(T) + np.eye(size)
    with np.errstate(all="ignore"):
        for _ in range(SWEEPS):
            for p, q in combinations(range(size), 2):
                _rotate(T, R, p, q)
    values = np.einsum("nii->ni", T)
    order = np.argsort(values, axis=1)
    return np.take_along_axis(values, order, axis=1), np.take_along_axis(R, order[:, None], axis=2)


def _rotate(T: Floats, R: Floats, p: int, q: int) -> None:
    """Rotate, in place, so that T[p, q] vanishes; the angle is 45 degrees at most."""
    off = T[:, p, q].copy()
    ratio = (T[:, q, q] - T[:, p, p]) / np.where(off != 0, 2 * off, 1.0)
    t = np.where(off != 0, np.copysign(1.0, ratio) / (np.abs(ratio) + np.hypot(ratio, 1.0)), 0.0)
    cosine = 1 / np.hypot(t, 1.0)
    c, s = cosine[:, None], (t * cosine)[:, None]
    diagonal = T[:, p, p] - t * off, T[:, q, q] + t * off
    rows = T[:, p].copy(), T[:, q].copy()
    T[:, p] = T[:, :, p] = c * rows[0] - s * rows[1]
    T[:, q] = T[:, :, q] = s * rows[0] + c * rows[1]
    T[:, p, p], T[:, q, q] = diagonal
    T[:, p, q] = T[:, q, p] = 0.0
    turned = R[:, :, p].copy(), R[:, :, q].copy()
    R[:, :, p], R[:, :, q] = c * turned[0] - s * turned[1], s * turned[0] + c * turned[1]
