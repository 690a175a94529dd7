"""Certificates of the numbers that a projection returns, in the caller's point and precision.

A certificate is computed from the ten numbers given and the ten returned. Where the nearest body is
1e-12 of its size away, rounding of its numbers is a part of that move: residuals relative to the
body do not see it, residuals relative to the move do. Differences of numbers so near are exact, and
the least eigenvalue is computed in twice the digits.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import Array, Floats
from inertial_check.inertia.representations import Point, about_origin, second_moment
from inertial_check.projection.closed_form import find_multipliers
from inertial_check.projection.metrics import MomentMetric
from inertial_check.projection.quadratic import Normalised, Quadratic, normalise, stationarity
from inertial_check.solvers.certificate import Certificate, cone_residual
from inertial_check.solvers.svec import TO_SVEC, apply, congruence, decompose, unpack
from inertial_check.solvers.twofold import diagonalise, transform_pseudo_inertia

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
