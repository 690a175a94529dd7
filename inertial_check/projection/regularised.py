"""Data terms with a divergence to a prior body: estimates strictly inside the cone.

    minimise (theta - theta0)^T W (theta - theta0) + rho D(Pi, P)   over   Pi > 0

with D the log-det Bregman divergence tr(P^-1 Pi) - log det(P^-1 Pi) - 4 (entropic), or the squared
geodesic distance ||log(P^-1/2 Pi P^-1/2)||_F^2 (affine-invariant): Lee, Wensing and Park, IEEE
Trans. Robot. 36, 2020, sec. III. Neither exists at a body that is not consistent, so neither can
say how far one is from the nearest; both are invariant to frames and units. The first problem is
convex. The second is convex along geodesics only: what is found is a minimum among its neighbours.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances
from inertial_check.inertia.tolerances import EPS
from inertial_check.projection import newton
from inertial_check.projection.quadratic import (
    Counts,
    Normalised,
    Quadratic,
    Solution,
    in_units,
    normalised,
    restored,
    stationarity,
)
from inertial_check.solvers.svec import COLUMN, ROW, congruence, pack, unpack

Divergence = Literal["entropic", "affine-invariant"]

STEPS = 60
"""Newton steps at most at each weight of the divergence; five to ten are usual."""

HALVINGS = 40
"""Halvings of a step at most: below that, no step in this direction helps."""

FALL = 0.1
"""Each weight of the divergence in terms of the one before, down to the one asked for."""

CLOSE = 1e-4
"""Eigenvalues so close, relative to their sum: a quotient of differences would cancel."""


def nearest(problem: Quadratic, rho: float, divergence: Divergence) -> Solution:
    """The minimum of every body.

    Args:
        problem: The data term; its reference is the prior P. Delta is not looked at.
        rho: Weight of the divergence, positive.
        divergence: Which.
    """
    units, c = _units(problem, rho, divergence)
    if divergence == "entropic":
        found = newton.solve(units)
        x, z, steps = found.x, found.z, found.steps
    else:
        x, z, steps = _geodesic(units, c)
    theta, dual = restored(problem, units, x, z)
    return Solution(theta, dual, *residuals(problem, rho, divergence, theta, dual), steps)


def residuals(
    problem: Quadratic, rho: float, divergence: Divergence, theta: Floats, dual: Floats
) -> tuple[Floats, Floats, Floats]:
    """By how much the conditions of a minimum fail, as `quadratic.residuals` has them.

    Here Z is minus the slope of the divergence's barrier: X^1/2 Z X^1/2 = c 1 for the entropic one,
    -2 c log X for the other. The gap is how far that is from so.
    """
    units, c = _units(problem, rho, divergence)
    x, z = in_units(problem, units, theta, dual)
    values, vectors = np.linalg.eigh(unpack(x))
    root = np.sqrt(np.maximum(values, 0.0))
    between = np.matmul(vectors.transpose(0, 2, 1), np.matmul(unpack(z), vectors))
    between *= root[:, :, None] * root[:, None, :]
    if divergence == "entropic":
        expected = np.broadcast_to(c[:, None], values.shape)
    else:
        expected = -2 * c[:, None] * _log(units.size[:, None] * values)
    between[:, range(4), range(4)] -= expected
    gap = np.linalg.norm(between, axis=(1, 2))
    return np.maximum(-values[:, 0], 0.0), stationarity(units, x, z), np.asarray(gap)


def _units(problem: Quadratic, rho: float, divergence: Divergence) -> tuple[Normalised, Floats]:
    """The problem in the units of the prior, and the weight (n,) of the divergence there.

    The data term and the divergence weigh one in all, whichever is heavier.
    """
    units = normalised(problem)
    c = rho / (2 * units.weight * units.size**2)
    whole = 1 + c
    units = units._replace(M=units.M / whole[:, None, None], weight=units.weight * whole)
    c = c / whole
    if divergence == "entropic":
        slope = (c * units.size)[:, None] * pack(np.eye(4))
        units = units._replace(slope=slope, mu=np.sqrt(c))
    return units, c


def _geodesic(units: Normalised, c: Floats) -> tuple[Floats, Floats, Counts]:
    """Find x (n, 10), z and steps for the geodesic distance, by way of larger weights of it."""
    x = pack(np.eye(4)) / units.size[:, None]
    steps = np.zeros(len(x), dtype=np.int32)
    weight = np.ones_like(c)
    while True:
        x, more = _descend(units, weight, x)
        steps += more
        if np.all(weight == c):
            return x, -_pull(units, c, x)[0], steps
        weight = np.maximum(FALL * weight, c)


def _descend(units: Normalised, c: Floats, x: Floats) -> tuple[Floats, Counts]:
    """Newton's method on ||x - x0||_M^2 / 2 + c ||log X||_F^2, row by row until no step helps."""
    x, steps = np.array(x), np.zeros(len(x), dtype=np.int32)
    rows = np.arange(len(x))
    for _ in range(STEPS):
        part, weight = units.rows(rows), c[rows]
        pull, bends, vectors = _pull(part, weight, x[rows])
        gradient = np.matmul(part.M, (x[rows] - part.x0)[:, :, None])[:, :, 0] + pull
        step = _step(part.M, gradient, bends, vectors)
        trial, better = _searched(part, weight, x[rows], step, gradient)
        x[rows[better]], steps[rows] = trial[better], steps[rows] + 1
        small = np.linalg.norm(gradient, axis=1) <= part.rounding
        rows = rows[better & ~small]
        if not rows.size:
            break
    return x, steps


def _pull(units: Normalised, c: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Gradient (n, 10) of c ||log X||_F^2, divided differences (n, 10), eigenvectors of X."""
    values, vectors = np.linalg.eigh(unpack(x))
    slopes, bends = log_slopes(units.size[:, None] * values)
    slopes *= (c * units.size)[:, None]
    pull = pack(np.matmul(vectors * slopes[:, None, :], vectors.transpose(0, 2, 1)))
    return pull, (c * units.size**2)[:, None] * bends, vectors


def log_slopes(values: Floats) -> tuple[Floats, Floats]:
    """The first and second derivative of ||log X||_F^2 in the eigenbasis of X.

    Args:
        values: (n, 4) eigenvalues, positive.

    Returns:
        Slopes (n, 4), and their divided differences (n, 10) in the order of svec: the curvature,
        which is diagonal there.
    """
    slopes = 2 * _log(values) / values
    a, b = values[:, ROW], values[:, COLUMN]
    middle = (a + b) / 2
    near = np.abs(a - b) <= CLOSE * (a + b)
    bend = 2 * (1 - _log(middle)) / middle**2
    quotient = (slopes[:, ROW] - slopes[:, COLUMN]) / np.where(near, 1.0, a - b)
    return slopes, np.where(near, bend, quotient)


def _step(M: Floats, gradient: Floats, bends: Floats, vectors: Floats) -> Floats:
    """A Newton step (n, 10), without the negative part of the curvature where it is not convex."""
    T = congruence(vectors)
    curved = np.matmul(T * bends[:, None, :], T.transpose(0, 2, 1))
    hessian = M + curved
    bad = ~(np.linalg.eigvalsh(hessian)[:, 0] > 0)
    if np.any(bad):
        clipped = T[bad] * np.maximum(bends[bad], 0.0)[:, None, :]
        hessian[bad] = M[bad] + np.matmul(clipped, T[bad].transpose(0, 2, 1))
    return np.asarray(-newton.solved(hessian, gradient[:, :, None])[:, :, 0])


def _searched(
    units: Normalised, c: Floats, x: Floats, step: Floats, gradient: Floats
) -> tuple[Floats, np.ndarray]:
    """The step, halved in each row until the objective falls, or the gradient where it is flat."""
    before, size = _objective(units, c, x), np.linalg.norm(gradient, axis=1)
    trial, better = np.array(x), np.zeros(len(x), dtype=np.bool_)
    length, rows = 1.0, np.arange(len(x))
    for _ in range(HALVINGS):
        part = units.rows(rows)
        y = x[rows] + length * step[rows]
        value = _objective(part, c[rows], y)
        inside = np.isfinite(value)
        flat = np.abs(value - before[rows]) <= tolerances.SOLVED_FACTOR * EPS * np.abs(before[rows])
        slope = np.full(len(rows), np.inf)
        slope[inside] = np.linalg.norm(
            _gradient(part.rows(inside), c[rows][inside], y[inside]), axis=1
        )
        accepted = inside & np.where(flat, slope < size[rows], value < before[rows])
        trial[rows[accepted]], better[rows[accepted]] = y[accepted], True
        rows, length = rows[~accepted], length / 2
        if not rows.size:
            break
    return trial, better


def _gradient(units: Normalised, c: Floats, x: Floats) -> Floats:
    """The gradient (n, 10) of the objective."""
    pulled = np.matmul(units.M, (x - units.x0)[:, :, None])[:, :, 0]
    return np.asarray(pulled + _pull(units, c, x)[0])


def _objective(units: Normalised, c: Floats, x: Floats) -> Floats:
    """||x - x0||_M^2 / 2 + c ||log X||_F^2 (n,); infinite where X is not positive definite."""
    values = np.linalg.eigvalsh(unpack(x))
    change = x - units.x0
    square = np.einsum("ni,nij,nj->n", change, units.M, change) / 2
    distance = np.sum(_log(units.size[:, None] * values) ** 2, axis=1)
    return np.asarray(np.where(values[:, 0] > 0, square + c * distance, np.inf))


def _log(values: Floats) -> Floats:
    return np.asarray(np.log(np.where(values > 0, values, 1.0)))
