"""Vectors (..., 3, k) and matrices (..., 3, 3, k) over k configurations, the last axis.

With the configurations last, every operation runs over contiguous numbers, in any array library.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inertial_check.arrays.broadcasting import cross_components
from inertial_check.arrays.types import Array, Namespace, NumpyArray

_NEXT, _LAST = (1, 2, 0), (2, 0, 1)

_einsum: Callable[..., NumpyArray] = np.einsum  # NumPy declares the result of both as Any
_matmul: Callable[..., NumpyArray] = np.matmul


def cross(xp: Namespace, a: Array, b: Array) -> Array:
    """A x b, (..., 3, k)."""
    if xp is np:
        out = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a, b))
        for i, j, k in zip(range(3), _NEXT, _LAST, strict=True):
            np.multiply(a[..., j, :], b[..., k, :], out=out[..., i, :])
            out[..., i, :] -= a[..., k, :] * b[..., j, :]
        return out
    first, second = ([v[..., i, :] for i in range(3)] for v in (a, b))
    return xp.stack(list(cross_components(first, second)), axis=-2)


def apply(M: Array, a: Array) -> Array:
    """M a, (3, k); one of them may be a constant, (..., 1)."""
    if isinstance(M, np.ndarray):
        if M.shape[-1] == 1:
            return _matmul(M[..., 0], a)
        if a.shape[-1] == 1:
            return _matmul(a[:, 0], M)
        return _einsum("ijk,jk->ik", M, a)
    return M[:, 0] * a[0] + M[:, 1] * a[1] + M[:, 2] * a[2]


def apply_transpose(M: Array, a: Array) -> Array:
    """M^T a, (3, k)."""
    if isinstance(M, np.ndarray):
        return _einsum("jik,jk->ik", M, a)
    return M[0] * a[0] + M[1] * a[1] + M[2] * a[2]


def product(A: Array, B: Array) -> Array:
    """A B, (3, 3, k); B may be a constant, (3, 3, 1)."""
    if isinstance(A, np.ndarray):
        if B.shape[-1] == 1:
            return _matmul(B[..., 0].T, A)
        return _einsum("ijk,jlk->ilk", A, B)
    return A[:, 0, None] * B[None, 0] + A[:, 1, None] * B[None, 1] + A[:, 2, None] * B[None, 2]


def multiply_transpose(A: Array, B: Array) -> Array:
    """A B^T, (3, 3, k)."""
    if isinstance(A, np.ndarray):
        return _einsum("ijk,ljk->ilk", A, B)
    parts = [A[:, i, None] * B[None, :, i] for i in range(3)]
    return parts[0] + parts[1] + parts[2]


def outer(a: Array, b: Array) -> Array:
    """The outer product a b^T, (..., 3, 3, k)."""
    return a[..., :, None, :] * b[..., None, :, :]


def trace(M: Array) -> Array:
    """(..., k)."""
    return M[..., 0, 0, :] + M[..., 1, 1, :] + M[..., 2, 2, :]


def symmetric(xp: Namespace, six: Array) -> Array:
    """(..., 3, 3, k) of xx, xy, xz, yy, yz, zz (..., 6, k)."""
    rows = ((0, 1, 2), (1, 3, 4), (2, 4, 5))
    return xp.stack([xp.stack([six[..., i, :] for i in row], axis=-2) for row in rows], axis=-3)


def second_moments(xp: Namespace, inertia: Array) -> Array:
    """S = tr(I)/2 1 - I, (..., 3, 3, k), of I (..., 3, 3, k) about the same point."""
    half = trace(inertia) / 2
    none = xp.zeros_like(half)
    rows = ((half, none, none), (none, half, none), (none, none, half))
    return xp.stack([xp.stack(row, axis=-2) for row in rows], axis=-3) - inertia
