"""Symmetric matrices as vectors, and the pseudo-inertia in that form.

svec(X) is the upper triangle of X by rows, with off-diagonal entries times sqrt(2), so that inner
products of vectors are those of matrices. For a pseudo-inertia Pi, svec(Pi) = TO_SVEC theta.

The certificate of an answer: the optimality conditions, and by how much they fail.
"""

from __future__ import annotations

from functools import cache
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.representations import pseudo_inertia

ROW, COLUMN = np.triu_indices(4)
"""Row and column in the 4x4 matrix of each of the ten entries of an svec."""

SCALE = np.where(ROW == COLUMN, 1.0, np.sqrt(2.0))
"""Factors (10,) from the entries of the 4x4 matrix to those of its svec."""

_PAIR = SCALE[:, None] * SCALE[None, :] / 2
_RR, _CC, _RC, _CR = (
    (4 * a[:, None] + b[None, :]).ravel()
    for a, b in ((ROW, ROW), (COLUMN, COLUMN), (ROW, COLUMN), (COLUMN, ROW))
)
_DIAGONAL_PAIR = np.where(ROW == COLUMN, 2.0, 1.0) * _PAIR.diagonal()
ENTRY = np.zeros((4, 4), dtype=np.int64)
"""Index into the svec of each entry of the 4x4 matrix."""
ENTRY[ROW, COLUMN] = ENTRY[COLUMN, ROW] = np.arange(10)


def pack(matrices: Floats) -> Floats:
    """Pack symmetric matrices (..., 4, 4) as svec (..., 10); only the upper triangle counts."""
    return matrices[..., ROW, COLUMN] * SCALE


def unpack(vectors: Floats) -> Floats:
    """Unpack svec (..., 10) to symmetric matrices (..., 4, 4)."""
    return (vectors / SCALE)[..., ENTRY]


def congruence(G: Floats) -> Floats:
    """Build the maps (n, 10, 10) of svec(X) to svec(G X G^T), for G (n, 4, 4)."""
    entries = G.reshape(len(G), 16)
    own = entries[:, ::5]
    if np.count_nonzero(entries) == np.count_nonzero(own):  # diagonal, as most units are
        maps = np.zeros((len(G), 100))
        maps[:, ::11] = own[:, ROW] * own[:, COLUMN] * _DIAGONAL_PAIR
        return maps.reshape(-1, 10, 10)
    both = np.take(entries, _RR, axis=1) * np.take(entries, _CC, axis=1)
    both += np.take(entries, _RC, axis=1) * np.take(entries, _CR, axis=1)
    return both.reshape(len(G), 10, 10) * _PAIR


def apply(G: Floats, x: Floats) -> Floats:
    """Compute svec(G X G^T) (n, 10) for x = svec(X)."""
    return pack(np.matmul(np.matmul(G, unpack(x)), G.transpose(0, 2, 1)))


TO_SVEC: Floats = pack(pseudo_inertia(np.eye(10))).T
"""Map (10, 10) with svec(Pi) = TO_SVEC theta, theta in order "urdf" about the body origin."""

FROM_SVEC: Floats = np.asarray(np.linalg.inv(TO_SVEC), dtype=np.float64)
"""Inverse (10, 10) of TO_SVEC: theta = FROM_SVEC svec(Pi)."""


def factors(reference: Floats) -> tuple[Floats, Floats]:
    """Factor bodies as L L^T: L (n, 4, 4) and L^-1, each entry to its own digits.

    Rows and columns are scaled to a unit diagonal first: mass and moments may differ by many orders
    of magnitude, which the factor of the matrix itself would not survive.
    """
    units = np.sqrt(np.einsum("nii->ni", reference))
    if np.count_nonzero(reference) == np.count_nonzero(units):  # diagonal, as most references are
        return units[:, :, None] * np.eye(4), np.eye(4) / units[:, None, :]
    factor = np.linalg.cholesky(reference / (units[:, :, None] * units[:, None, :]))
    return units[:, :, None] * factor, np.linalg.inv(factor) / units[:, None, :]


def order_of(length: int) -> int:
    """Order n of the symmetric matrices whose svec has this length, n (n + 1) / 2."""
    return (isqrt(8 * length + 1) - 1) // 2


@cache
def triangle(n: int) -> tuple[Integers, Integers, Floats]:
    """Rows, columns and factors of the svec of an n x n matrix."""
    i, j = np.triu_indices(n)
    return i, j, np.where(i == j, 1.0, np.sqrt(2.0))


def symmetric(vector: Floats) -> Floats:
    """Unpack the svec (k,) of one matrix of any order."""
    n = order_of(len(vector))
    i, j, scale = triangle(n)
    matrix = np.zeros((n, n))
    matrix[i, j] = matrix[j, i] = vector / scale
    return matrix


def unsvec(n: int) -> Floats:
    """Build the map (n n, n (n + 1) / 2) of an svec to its symmetric matrix, row by row."""
    i, j, _ = triangle(n)
    spread = np.zeros((n, n, len(i)))
    weight = np.where(i == j, 1.0, np.sqrt(0.5))
    spread[i, j, np.arange(len(i))] = spread[j, i, np.arange(len(i))] = weight
    return spread.reshape(n * n, -1)


def eigenbases(vectors: Floats) -> Floats:
    """Build the maps (count, k, k) of svec(A) to svec(V^T A V), V (count, n, n) orthonormal."""
    rows = vectors.transpose(0, 2, 1)
    if vectors.shape[-1] == len(ENTRY):
        return congruence(rows)
    i, j, scale = triangle(vectors.shape[-1])
    products = rows[:, i, :, None] * rows[:, j, None, :]
    products = (products + products.swapaxes(2, 3)) / 2
    return np.asarray(scale[:, None] * products[:, :, i, j] * scale)


def decompose(matrices: Floats) -> tuple[Floats, Floats]:
    """Compute the eigenvalues and eigenvectors of symmetric matrices (n, k, k).

    Returns:
        (n, k) ascending, and (n, k, k) as columns; NaN for a matrix that is not finite, which would
        otherwise refuse all others with it.
    """
    finite = np.all(np.isfinite(matrices), axis=(-2, -1))
    if np.all(finite):
        values, vectors = np.linalg.eigh(matrices)
        return values, vectors
    values, vectors = np.linalg.eigh(np.where(finite[..., None, None], matrices, 0.0))
    return np.where(finite[..., None], values, np.nan), np.where(
        finite[..., None, None], vectors, np.nan
    )


def spectrum(matrices: Floats) -> Floats:
    """Compute the eigenvalues alone that `decompose` computes, in half of its time."""
    finite = np.all(np.isfinite(matrices), axis=(-2, -1))[..., None]
    values = np.linalg.eigvalsh(np.where(finite[..., None], matrices, 0.0))
    return np.where(finite, values, np.nan)


def smooth_positive(values: Floats, mu: Floats | float) -> tuple[Floats, Floats]:
    """Smooth the positive part of eigenvalues l: p(l) = (l + r) / 2 with r = sqrt(l^2 + 4 mu^2).

    Returns:
        The p and the r of each; with X = p(Y) and Z = X - Y, X Z = mu^2 1 is the central path.
    """
    if not np.any(mu):  # the same numbers without a root
        return np.where(values > 0, values, 0.0), np.abs(values)
    radius = np.hypot(values, 2 * mu)
    below = np.where(values > 0, 1.0, radius - values)
    conjugate = 2 * mu**2 / np.where(below > 0, below, 1.0)  # (l + r) / 2 would cancel
    return np.where(values > 0, (values + radius) / 2, conjugate), radius


def root_of(M: Floats) -> Floats:
    """Compute R with R^T R = M, for M positive semidefinite except for rounding."""
    values, vectors = np.linalg.eigh(M)
    return np.asarray(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)


_Residual = Any  # Any: a number, or an array with one for each body


class Certificate(NamedTuple):
    """Residuals of the optimality conditions, in a problem of unit size: dimensionless.

    A convex problem has no other minimum: where all three are small, nothing better is feasible.
    Each is one number, or an array with one for each body.

    Attributes:
        primal_residual: Distance by which the answer leaves the feasible set.
        dual_residual: Part of the gradient that no multiplier in the dual cone explains. In
            identification, the decrease r^T H^-1 r that this part r could still bring, relative to
            the objective.
        gap: Complementarity |<multiplier, slack>|: the decrease that moving along the answer itself
            would bring. In identification, the proven distance from the optimum, relative to the
            objective: complementarity and dual residual together.
    """

    primal_residual: _Residual
    dual_residual: _Residual
    gap: _Residual

    @property
    def worst(self) -> Floats:
        """Largest of the three residuals, body by body."""
        return np.asarray(np.max(self, axis=0))

    @property
    def proves(self) -> bool:
        """Whether every answer is proven optimal: gap and primal residual within CERTIFIED."""
        proven = np.maximum(self.gap, self.primal_residual) <= tolerances.CERTIFIED
        return bool(np.all(proven))


def has_pivots(x: Floats, shift: Floats | float) -> Mask:
    """Tell for which svec (n, 10) X + shift 1 has positive pivots only, and so is definite."""
    entries = np.array((x / SCALE).T, order="C")
    A = {(ROW[k], COLUMN[k]): entries[k] for k in range(10)}
    sure = np.ones(len(x), dtype=np.bool_)
    with np.errstate(all="ignore"):
        for k in range(4):
            A[k, k] += shift
            sure &= A[k, k] > 0
            for i in range(k + 1, 4):
                factor = A[k, i] / A[k, k]
                for j in range(i, 4):
                    A[i, j] -= factor * A[k, j]
    return sure


def cone_residual(x: Floats) -> Floats:
    """Distance (n,) of svec (n, 10) from the semidefinite cone, or a bound of it.

    The bound is rounding of what is no larger than one, where pivots show that it is kept. Infinite
    where a number is not finite: nothing is proven there.
    """
    size = np.minimum(np.linalg.norm(x, axis=1), 1.0)
    residual = tolerances.ROUNDING_FACTOR * tolerances.EPS * size
    rows = np.flatnonzero(~has_pivots(x, residual))
    if rows.size:
        finite = np.all(np.isfinite(x[rows]), axis=1)
        least = np.linalg.eigvalsh(unpack(np.where(finite[:, None], x[rows], 0.0)))[:, 0]
        residual[rows] = np.where(finite, np.maximum(-least, 0.0), np.inf)
    return np.asarray(residual)
