"""Symmetric 4x4 matrices as svec (..., 10), as in projection/svec.py, in any array library."""

from __future__ import annotations

import numpy as np

from inertial_check.inertia.arrays import Array, Floats, Namespace, device_of
from inertial_check.projection.svec import COLUMN, ROW, SCALE

BASIS: Floats = np.zeros((10, 4, 4))
"""Orthonormal basis of the symmetric matrices: X = sum x_k BASIS[k] for x = svec(X)."""
BASIS[np.arange(10), ROW, COLUMN] = BASIS[np.arange(10), COLUMN, ROW] = 1 / SCALE


def make_constant(xp: Namespace, values: Floats, like: Array) -> Array:
    """Make an array of numbers with the precision and device of another."""
    return xp.asarray(values.tolist(), dtype=like.dtype, device=device_of(like))


def multiply(xp: Namespace, matrix: Array, vector: Array) -> Array:
    """Multiply matrices (..., n, k) with vectors (..., k)."""
    return xp.matmul(matrix, vector[..., None])[..., 0]


def pack(xp: Namespace, X: Array) -> Array:
    """Pack symmetric matrices (..., 4, 4) as svec (..., 10)."""
    flat = xp.reshape(X, (*X.shape[:-2], 16))
    return multiply(xp, make_constant(xp, BASIS.reshape(10, 16), X), flat)


def unpack(xp: Namespace, x: Array) -> Array:
    """Unpack svec (..., 10) to symmetric matrices (..., 4, 4)."""
    flat = multiply(xp, make_constant(xp, BASIS.reshape(10, 16).T, x), x)
    return xp.reshape(flat, (*x.shape[:-1], 4, 4))


def apply(xp: Namespace, G: Array, x: Array) -> Array:
    """Compute svec(G X G^T) (..., 10) for x = svec(X)."""
    return pack(xp, xp.matmul(xp.matmul(G, unpack(xp, x)), xp.matrix_transpose(G)))


def congruence(xp: Namespace, G: Array) -> Array:
    """Build the maps (..., 10, 10) of svec(X) to svec(G X G^T)."""
    basis, left = make_constant(xp, BASIS, G), G[..., None, :, :]
    images = xp.matmul(left, xp.matmul(basis, xp.matrix_transpose(left)))
    flat = xp.reshape(images, (*G.shape[:-2], 10, 16))
    return xp.matmul(xp.reshape(basis, (10, 16)), xp.matrix_transpose(flat))


def diagonal(xp: Namespace, matrices: Array) -> Array:
    """Take the diagonals (..., n) of matrices (..., n, n)."""
    return xp.stack([matrices[..., i, i] for i in range(matrices.shape[-1])], axis=-1)


def pairs_of(xp: Namespace, values: Array) -> tuple[Array, Array]:
    """Take from four values (..., 4) those of the row and of the column of each entry (..., 10)."""
    rows, columns = (
        xp.stack([values[..., int(i)] for i in index], axis=-1) for index in (ROW, COLUMN)
    )
    return rows, columns


def decompose(xp: Namespace, x: Array) -> tuple[Array, Array]:
    """Compute eigenvalues (..., 4) and eigenvectors (..., 4, 4) of matrices given as svec.

    Those of the unit matrix stand where a number is not finite: some libraries would refuse all
    rows because of one.
    """
    finite = xp.all(xp.isfinite(x), axis=-1)[..., None, None]
    X = unpack(xp, x)
    one = make_constant(xp, np.eye(4), X)
    values, vectors = xp.linalg.eigh(xp.where(finite, X, one))
    return values, vectors


def norm(xp: Namespace, x: Array) -> Array:
    """Compute the lengths (...,) of vectors (..., n)."""
    return xp.sqrt(xp.sum(x * x, axis=-1))
