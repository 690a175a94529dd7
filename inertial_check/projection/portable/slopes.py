"""Derivatives of the nearest by the implicit function theorem, in the array library of the caller.

With x = svec(Pi) in units in which the body has size one, M the metric, Y = X - Z and Q the
derivative of the positive part at Y, (M Q + 1 - Q) dY = M dx0 - dM (x - x0) and dX = Q dY. At an
eigenvalue zero of Y, Q is that of one half: the mean of the sides.
"""

from __future__ import annotations

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Array, Namespace
from inertial_check.inertia.derivatives import Arrays, hold_constant
from inertial_check.inertia.representations import pseudo_inertia
from inertial_check.projection.moments import BALL
from inertial_check.projection.portable.vectors import BASIS, make_constant
from inertial_check.projection.svec import COLUMN, FROM_SVEC, ROW, TO_SVEC


def compute_change(
    xp: Namespace, arrays: Arrays, results: Arrays, changes: Arrays, mass_min: float | None
) -> Array:
    """Compute the change (..., 10) of the nearest theta by the implicit function theorem."""
    (theta0, W, mask), (found, _, facts), (dtheta, dW) = arrays, results, changes
    moved, floored = mask[..., None] != 0, facts[..., 1] != 0
    ball = xp.zeros_like(theta0) + make_constant(xp, np.asarray(BALL), theta0)
    before, after = xp.where(moved, theta0, ball), xp.where(moved, found, ball)
    W = xp.where(moved[..., None], W, make_constant(xp, np.eye(10), W))
    apart = make_constant(xp, np.eye(10)[9], theta0)
    least = xp.where(floored, after[..., 0], xp.zeros_like(after[..., 0]))
    rate = tolerances.MASS_FLOOR if mass_min is None else 0.0
    sign = xp.where(before[..., 0] >= 0, floored * 1.0, floored * -1.0)
    dleast = (rate * sign * dtheta[..., 0])[..., None] * apart
    to_svec, from_svec = (make_constant(xp, m, theta0) for m in (TO_SVEC, FROM_SVEC))
    floor = least[..., None] * apart
    x0, x, dx0 = (
        xp.matmul(to_svec, v[..., None])[..., 0] - d
        for v, d in ((before, floor), (after, floor), (dtheta, dleast))
    )
    units = _choose_units(xp, before, after)
    M, dM = (
        xp.matmul(xp.matrix_transpose(from_svec), xp.matmul(m, from_svec))
        * units[..., :, None]
        * units[..., None, :]
        for m in (W, dW)
    )
    trace = xp.sum(xp.stack([M[..., i, i] for i in range(10)], axis=-1), axis=-1)
    size = hold_constant(trace)[..., None, None] / 10
    M, dM, x0, x, dx0 = M / size, dM / size, x0 / units, x / units, dx0 / units
    pulled = xp.matmul(M, (x - x0)[..., None])
    right = xp.matmul(M, dx0[..., None]) - xp.matmul(dM, (x - x0)[..., None])
    T, slopes = _positive_part(xp, x - pulled[..., 0])
    transposed = xp.matrix_transpose(T)
    jacobian = xp.matmul(transposed, xp.matmul(M, T)) * slopes[..., None, :]
    jacobian = jacobian + (1 - slopes)[..., None, :] * make_constant(xp, np.eye(10), T)
    turned = xp.linalg.solve(jacobian, xp.matmul(transposed, right))
    dx = xp.matmul(T, slopes[..., :, None] * turned)[..., 0] * units + dleast
    dfound = xp.matmul(from_svec, dx[..., None])[..., 0]
    return xp.where(moved, dfound, dtheta)


def _choose_units(xp: Namespace, before: Array, after: Array) -> Array:
    """Choose the unit (..., 10) of each entry of svec(Pi): the size of the body about its frame."""
    both = xp.abs(pseudo_inertia(before)) + xp.abs(pseudo_inertia(after))
    total = both[..., 0, 0] + both[..., 1, 1] + both[..., 2, 2]
    length, mass = xp.sqrt(hold_constant(total)), xp.sqrt(hold_constant(both[..., 3, 3]))
    own = xp.stack([length, length, length, mass], axis=-1)
    own = xp.where(own > 0, own, xp.ones_like(own))
    rows, columns = ([own[..., int(i)] for i in index] for index in (ROW, COLUMN))
    return xp.stack([r * c for r, c in zip(rows, columns, strict=True)], axis=-1)


def _positive_part(xp: Namespace, y: Array) -> tuple[Array, Array]:
    """Compute the map (..., 10, 10) to the eigenbasis of Y, and the slopes of Y+ there."""
    basis = make_constant(xp, BASIS, y)
    Y = xp.sum(y[..., :, None, None] * basis, axis=-3)
    values, vectors = xp.linalg.eigh(Y)
    V = vectors[..., None, :, :]
    turned = xp.matmul(V, xp.matmul(basis, xp.matrix_transpose(V)))
    flat = xp.reshape(turned, (*y.shape[:-1], 10, 16))
    T = xp.matmul(xp.reshape(basis, (10, 16)), xp.matrix_transpose(flat))
    slopes = []
    for i, j in zip(ROW.tolist(), COLUMN.tolist(), strict=True):
        a, b = values[..., i], values[..., j]
        total = xp.abs(a) + xp.abs(b)
        slopes.append((1 + (a + b) / xp.where(total > 0, total, xp.ones_like(total))) / 2)
    return T, xp.stack(slopes, axis=-1)
