"""Pseudo-inertias in twice the digits of float64, where a move is as small as their rounding.

Sums and products are kept as pairs of a number and its rounding error (Dekker, Numer. Math. 18,
1971; Knuth, TAOCP 2, 4.2.2). In a basis in which a matrix is nearly diagonal, the entries that such
a congruence gives hold its small eigenvalues to all their digits, and Jacobi rotations keep them.

Certificates of the numbers that a projection returns, in the caller's point and precision.

A certificate is computed from the ten numbers given and the ten returned. Where the nearest body is
1e-12 of its size away, rounding of its numbers is a part of that move: residuals relative to the
body do not see it, residuals relative to the move do. Differences of numbers so near are exact, and
the least eigenvalue is computed in twice the digits.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.inertia.arrays import Array, Floats
from inertial_check.inertia.representations import Point, about_origin, second_moment
from inertial_check.projection.moments import MomentMetric, find_multipliers
from inertial_check.projection.quadratic import Normalised, Quadratic, normalise, stationarity
from inertial_check.projection.svec import (
    TO_SVEC,
    Certificate,
    apply,
    cone_residual,
    congruence,
    decompose,
    unpack,
)

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


Unit = Literal["body", "move"]
"""Size that residuals are relative to: that of the body, or of the change of it."""

_SIX = [[0, 1, 2], [1, 3, 4], [2, 4, 5]]


class Spread(NamedTuple):
    """Central second moments in a basis in which they are diagonal, in twice the digits.

    Attributes:
        values: (n, 3) eigenvalues, ascending, each to its own digits.
        axes: (n, 3, 3) eigenvectors as columns.
    """

    values: Floats
    axes: Floats


def diagonalise_spread(theta: Floats, about: Point) -> Spread:
    """Diagonalise the central second moments of bodies (n, 10) of positive mass.

    The point about which the numbers are taken cancels in twice the digits.
    """
    theta = np.array(theta, dtype=np.float64)
    if about == "com":
        theta[:, 1:4] = 0.0
    K = np.zeros((len(theta), 4, 4)) + np.eye(4)
    K[:, :3, 3] = -theta[:, 1:4] / theta[:, :1]
    axes = decompose(_central(transform_pseudo_inertia(K, theta)))[1]
    turn = np.zeros_like(K)
    turn[:, :3, :3], turn[:, 3, 3] = axes.transpose(0, 2, 1), 1.0
    values, rotation = diagonalise(_central(transform_pseudo_inertia(turn @ K, theta)))
    return Spread(values, axes @ rotation)


def _central(Pi: Floats) -> Floats:
    """Compute S_c (n, 3, 3) of pseudo-inertias about a point next to the centre of mass."""
    moment = Pi[:, :3, 3]
    spread = Pi[:, :3, :3] - moment[:, :, None] * moment[:, None, :] / Pi[:, 3:, 3:]
    return np.asarray(spread)


def verify_moments(
    given: Array, about: Point, metric: MomentMetric, margin: float, found: Array, unit: Unit
) -> Certificate:
    """Compute by how much rows (n, 10) fail to be the nearest at fixed mass and centre of mass.

    Args:
        given: (n, 10) before, in order "urdf", about `about`, of positive mass.
        about: "origin" or "com".
        metric: Metric that was to be least.
        margin: Margin mu that was asked for.
        found: (n, 10) as returned.
        unit: Size that the residuals are relative to.
    """
    before, after = (np.asarray(rows, dtype=np.float64) for rows in (given, found))
    spread = diagonalise_spread(before, about)
    change = np.asarray(second_moment(after[:, 4:] - before[:, 4:]))
    turned, gradient = (_turn(spread, six) for six in (change, np.asarray(metric.gradient(change))))
    S = turned + spread.values[:, :, None] * np.eye(3)
    values, _ = diagonalise(S)
    trace = np.maximum(values.sum(axis=1), 0.0)
    outside = np.maximum(margin * trace - values[:, 0], 0.0)
    size = _or_one(np.abs(spread.values).sum(axis=1))
    if unit == "body":
        lowest = decompose(gradient)[0][:, 0]
        total = np.einsum("nii->n", gradient)
        steepest = (margin * total + (1 - 3 * margin) * lowest) / size
        gap = np.abs(np.einsum("nij,nij->n", gradient, S)) / size**2
        return Certificate(outside / size, np.maximum(-steepest, 0.0), gap)
    Z = np.zeros_like(spread.values)
    low, middle, high = spread.values.T
    Z[:, 0], Z[:, 1], *_ = find_multipliers(np, (low, middle, high), margin, metric.trace_weight)
    best = (Z - margin * Z.sum(axis=1, keepdims=True))[:, :, None] * np.eye(3)
    unexplained = np.linalg.norm(gradient - best, axis=(1, 2))
    force = np.maximum(*(np.linalg.norm(G, axis=(1, 2)) for G in (gradient, best)))
    move = np.linalg.norm(turned, axis=(1, 2))
    slack = np.abs(np.einsum("nij,nij->n", best, S))
    return Certificate(*_relate(outside, unexplained, slack, move, force))


def _turn(spread: Spread, six: Floats) -> Floats:
    """Express symmetric matrices (n, 6) in the basis of the spreads: (n, 3, 3)."""
    return np.asarray(spread.axes.transpose(0, 2, 1) @ six[:, _SIX] @ spread.axes)


def _relate(
    outside: Floats, unexplained: Floats, slack: Floats, move: Floats, force: Floats
) -> tuple[Floats, Floats, Floats]:
    """Divide residuals by the size of the move and of the gradient there; 0 where nothing moved."""
    move, force = _or_one(move), _or_one(force)
    return outside / move, unexplained / force, slack / move / force


def _or_one(size: Floats) -> Floats:
    return np.where(size > 0, size, 1.0)


class Nearness(NamedTuple):
    """Answer of a quadratic problem next to what was given, in twice the digits.

    Attributes:
        X: (n, 4, 4) Pi - Delta in units of the normalised problem, in a basis in which it is nearly
            diagonal.
        basis: (n, 4, 4) the basis as columns.
        d: (n, 10) svec of the change, in those units and the problem's own axes.
    """

    X: Floats
    basis: Floats
    d: Floats


def find_nearness(problem: Quadratic, change: Floats, units: Normalised) -> Nearness:
    """Express what bodies become by a change of theta (n, 10) in units of their problem."""
    d = apply(units.inverse, change @ TO_SVEC.T) / units.size[:, None]
    basis = decompose(unpack(units.x0 + d))[1]
    turned = basis.transpose(0, 2, 1)
    K = turned @ units.inverse / np.sqrt(units.size)[:, None, None]
    T = transform_pseudo_inertia(K, problem.theta0, problem.Delta)
    return Nearness(T + turned @ unpack(d) @ basis, basis, d)


def verify_matrices(
    problem: Quadratic,
    dual: Floats,
    change: Floats,
    unit: Unit,
    units: Normalised | None = None,
) -> Certificate:
    """Compute by how much bodies theta0 + change fail to be the nearest pseudo-inertias.

    Args:
        problem: The problem that was solved.
        dual: (n, 10) svec of the multiplier Z of its answer.
        change: (n, 10) as returned, in the frame of the problem.
        unit: Size that the residuals are relative to.
        units: Those of the problem, where they are known.
    """
    units = normalise(problem) if units is None else units
    near = find_nearness(problem, change, units)
    z = np.einsum("nij,ni->nj", congruence(units.factor), dual)
    z = z / (units.weight * units.size)[:, None]
    outside = np.maximum(-diagonalise(near.X)[0][:, 0], 0.0)
    unexplained = np.maximum(stationarity(units, units.x0, z, near.d), cone_residual(z))
    Z = near.basis.transpose(0, 2, 1) @ unpack(z) @ near.basis
    gap = np.abs(np.einsum("nij,nij->n", near.X, Z))
    residuals = outside, unexplained, gap
    if unit == "move":
        lengths = (np.linalg.norm(v, axis=1) for v in (near.d, z))
        residuals = _relate(*residuals, *lengths)
    return Certificate(*(np.where(np.isnan(each), np.inf, each) for each in residuals))


def find_change(given: Array, found: Array, about: Point, p_BoFo_B: Floats) -> Floats:
    """Compute the change of theta about Fo from numbers about Bo or the centre of mass.

    Fo is the centre of mass that was given where the numbers are about it, and else Bo.

    Args:
        given: (n, 10) before, in order "urdf".
        found: (n, 10) as returned.
        about: "origin" or "com".
        p_BoFo_B: (n, 3) p_BoFo_B [m].
    """
    before, after = (np.asarray(rows, dtype=np.float64) for rows in (given, found))
    change = after - before
    if about == "origin":
        return np.asarray(change)
    # Where there is mass, the first moment about Fo was zero.
    h = change[:, 1:4] - change[:, :1] * p_BoFo_B
    start = np.where(before[:, :1] != 0, 0.0, before[:, 1:4])
    six = np.asarray(about_origin(after[:, 0], start + h, np.zeros((len(h), 6))))
    own = np.asarray(about_origin(before[:, 0], start, np.zeros((len(h), 6))))
    return np.concatenate([change[:, :1], h, change[:, 4:] + (six - own)], axis=1)
