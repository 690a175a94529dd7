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

from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.tolerances import CLOSE_EIGENVALUES, EPS, ROUNDING_FACTOR
from inertial_check.projection import newton
from inertial_check.projection.certificate import Unit
from inertial_check.projection.quadratic import (
    Counts,
    LineSearch,
    Normalised,
    Quadratic,
    Solution,
    is_flat,
    iterate_rows,
    normalise,
    stationarity,
    to_si,
    to_units,
    weights_of_prior,
)
from inertial_check.projection.svec import (
    COLUMN,
    FROM_SVEC,
    ROW,
    TO_SVEC,
    Certificate,
    apply,
    congruence,
    decompose,
    factors,
    pack,
    spectrum,
    unpack,
)

Divergence = Literal["entropic", "affine-invariant"]
"""Divergence between a body and a prior body, named as the metric that it regularises."""

STEPS = 60
"""Newton steps at most at each weight of the divergence; five to ten are usual."""

SEARCH = LineSearch(trials=40)
"""Line search of a Newton step, on the objective."""

WEIGHT_RATIO = 0.1
"""Ratio of each weight of the divergence to the one before, down to the one that was asked for."""


def project(problem: Quadratic, rho: float, divergence: Divergence) -> Solution:
    """Find the minimum of every body.

    Args:
        problem: The data term; its reference is the prior P, and its Delta is ignored.
        rho: Weight of the divergence, positive.
        divergence: Divergence from the prior.
    """
    units, c = _normalise(problem, rho, divergence)
    if divergence == "entropic":
        root = newton.solve(units)
        x, z, steps = root.x, root.z, root.steps
    else:
        x, z, steps = _minimise_geodesic(units, c)
    theta, dual = to_si(problem, units, x, z)
    return Solution(theta, dual, certify(problem, rho, divergence, theta, dual), steps)


def certify(
    problem: Quadratic, rho: float, divergence: Divergence, theta: Floats, dual: Floats
) -> Certificate:
    """Compute by how much the conditions of a minimum fail, as `quadratic.certify_in_units`.

    Here Z is minus the slope of the divergence's barrier: X^1/2 Z X^1/2 = c 1 for the entropic one,
    -2 c log X for the other. The gap is the distance from that.
    """
    units, c = _normalise(problem, rho, divergence)
    x, z = to_units(problem, units, theta, dual)
    values, vectors = decompose(unpack(x))
    root = np.sqrt(np.maximum(values, 0.0))
    between = np.matmul(vectors.transpose(0, 2, 1), np.matmul(unpack(z), vectors))
    between *= root[:, :, None] * root[:, None, :]
    if divergence == "entropic":
        expected = np.broadcast_to(c[:, None], values.shape)
    else:
        expected = -2 * c[:, None] * _log(units.size[:, None] * values)
    between[:, range(4), range(4)] -= expected
    gap = np.linalg.norm(between, axis=(1, 2))
    return Certificate(np.maximum(-values[:, 0], 0.0), stationarity(units, x, z), np.asarray(gap))


def verify(
    problem: Quadratic, rho: float, divergence: Divergence, dual: Floats, change: Floats, unit: Unit
) -> Certificate:
    """Compute by how much bodies theta0 + change (n, 10) fail these conditions."""
    found = certify(problem, rho, divergence, problem.theta0 + change, dual)
    if unit == "body":
        return found
    units, _ = _normalise(problem, rho, divergence)
    move = np.linalg.norm(apply(units.inverse, change @ TO_SVEC.T), axis=1) / units.size
    move = np.where(move > 0, move, 1.0)
    return Certificate(*(np.asarray(residual / move) for residual in found))


def evaluate(prior: Floats, theta: Floats, divergence: Divergence) -> tuple[Floats, Floats, Floats]:
    """Compute divergences (n,) of bodies (n, 10) from priors (n, 4, 4), infinite outside the cone.

    Returns:
        The divergences, their gradients (n, 10) and their Hessians (n, 10, 10) by theta.
    """
    to_x = congruence(factors(prior)[1]) @ TO_SVEC
    values, vectors = decompose(unpack(np.matmul(to_x, theta[:, :, None])[:, :, 0]))
    inside = values[:, 0] > 0
    values = np.where(inside[:, None], values, 1.0)
    if divergence == "entropic":
        value = np.sum(values - np.log(values) - 1, axis=1)
        slopes, bends = 1 - 1 / values, 1 / (values[:, ROW] * values[:, COLUMN])
    else:
        value = np.sum(_log(values) ** 2, axis=1)
        slopes, bends = log_slopes(values)
    turned = congruence(vectors).transpose(0, 2, 1) @ to_x
    gradient = np.einsum("nik,ni->nk", turned, pack(slopes[:, :, None] * np.eye(4)))
    bent = turned.transpose(0, 2, 1) @ (bends[:, :, None] * turned)
    return np.where(inside, value, np.inf), gradient, bent


def linearise(
    problem: Quadratic, rho: float, divergence: Divergence, theta: Floats
) -> tuple[Quadratic, Mask]:
    """Build quadratic problems whose bodies are as far below theta (n, 10) as any at most.

    The divergence is at least its tangent, that of the geodesic distance less a square: log^2 bends
    down by no more than e^-3, where its argument is e^(3/2).

    Returns:
        The problems, and (n,) for which that holds, as their weights stay definite.
    """
    assert problem.W is not None  # the caller has built it
    whole, bend = weights_of_prior(problem.reference), 0.0
    if divergence == "affine-invariant":
        bend = rho * np.exp(-3.0) / 2
    back = FROM_SVEC @ congruence(factors(problem.reference)[0])
    values = spectrum(back.transpose(0, 2, 1) @ problem.W @ back)
    definite = values[:, 0] > bend + ROUNDING_FACTOR * EPS * values[:, -1]
    W = np.where(definite[:, None, None], problem.W - bend * whole, whole)
    force = np.matmul(problem.W, (theta - problem.theta0)[:, :, None])[:, :, 0]
    force += rho * evaluate(problem.reference, theta, divergence)[1] / 2
    moved = theta - np.matmul(newton.invert(W), force[:, :, None])[:, :, 0]
    return problem._replace(theta0=moved, W=W), definite


def _normalise(problem: Quadratic, rho: float, divergence: Divergence) -> tuple[Normalised, Floats]:
    """Put a problem into the units of the prior, with the weight (n,) of the divergence there.

    The data term and the divergence together weigh one, whichever is heavier.
    """
    units = normalise(problem)
    c = rho / (2 * units.weight * units.size**2)
    whole = 1 + c
    scaled = units.M / whole[:, None, None]
    units = units._replace(M=scaled, weight=units.weight * whole, reach=None)
    c = c / whole
    if divergence == "entropic":
        slope = (c * units.size)[:, None] * pack(np.eye(4))
        units = units._replace(slope=slope, mu=np.sqrt(c))
    return units, c


def _minimise_geodesic(units: Normalised, c: Floats) -> tuple[Floats, Floats, Counts]:
    """Find x (n, 10), z and steps for the geodesic distance, by way of larger weights of it."""
    x = pack(np.eye(4)) / units.size[:, None]
    steps = np.zeros(len(x), dtype=np.int32)
    # Continuation in the weight: at weight one the prior itself is nearly the answer.
    weight = np.ones_like(c)
    while True:
        x, more = _descend(units, weight, x)
        steps += more
        if np.all(weight == c):
            return x, -_pull(units, c, x)[0], steps
        weight = np.maximum(WEIGHT_RATIO * weight, c)


def _descend(units: Normalised, c: Floats, x: Floats) -> tuple[Floats, Counts]:
    """Minimise ||x - x0||_M^2 / 2 + c ||log X||_F^2 by Newton's method, until no step helps."""
    x = np.array(x)

    def advance(rows: Integers) -> Mask:
        part, weight = units.rows(rows), c[rows]
        pull, bends, vectors = _pull(part, weight, x[rows])
        gradient = np.matmul(part.M, (x[rows] - part.x0)[:, :, None])[:, :, 0] + pull
        step = _newton_step(part.M, gradient, bends, vectors)
        trial, better = _search(part, weight, x[rows], step, gradient)
        x[rows[better]] = trial[better]
        small = np.linalg.norm(gradient, axis=1) <= part.rounding
        return np.asarray(better & ~small)

    steps = iterate_rows(np.arange(len(x)), len(x), STEPS, advance)
    return x, steps


def _pull(units: Normalised, c: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Compute gradient and divided differences (n, 10) of c ||log X||_F^2; eigenvectors of X."""
    values, vectors = decompose(unpack(x))
    slopes, bends = log_slopes(units.size[:, None] * values)
    slopes *= (c * units.size)[:, None]
    pull = pack(np.matmul(vectors * slopes[:, None, :], vectors.transpose(0, 2, 1)))
    return pull, (c * units.size**2)[:, None] * bends, vectors


def log_slopes(values: Floats) -> tuple[Floats, Floats]:
    """Compute the first and second derivatives of ||log X||_F^2 in the eigenbasis of X.

    Args:
        values: (n, 4) eigenvalues, positive.

    Returns:
        Slopes (n, 4), and their divided differences (n, 10) in the order of svec: the curvature,
        which is diagonal there.
    """
    slopes = 2 * _log(values) / values
    a, b = values[:, ROW], values[:, COLUMN]
    middle = (a + b) / 2
    near = np.abs(a - b) <= CLOSE_EIGENVALUES * (a + b)  # the quotient below would cancel
    bend = 2 * (1 - _log(middle)) / middle**2
    quotient = (slopes[:, ROW] - slopes[:, COLUMN]) / np.where(near, 1.0, a - b)
    return slopes, np.where(near, bend, quotient)


def _newton_step(M: Floats, gradient: Floats, bends: Floats, vectors: Floats) -> Floats:
    """Compute Newton steps (n, 10), without the negative curvature where it is not convex."""
    T = congruence(vectors)
    curved = np.matmul(T * bends[:, None, :], T.transpose(0, 2, 1))
    hessian = M + curved
    # ||log X||^2 is convex along geodesics only: where X is e times the prior its curvature turns
    # negative, and a plain Newton step would climb.
    bad = ~(np.linalg.eigvalsh(hessian)[:, 0] > 0)
    if np.any(bad):
        clipped = T[bad] * np.maximum(bends[bad], 0.0)[:, None, :]
        hessian[bad] = M[bad] + np.matmul(clipped, T[bad].transpose(0, 2, 1))
    return np.asarray(-newton.solve_systems(hessian, gradient[:, :, None])[:, :, 0])


def _search(
    units: Normalised, c: Floats, x: Floats, step: Floats, gradient: Floats
) -> tuple[Floats, Mask]:
    """Halve the step in each row until the objective falls, or the gradient where it is flat.

    Returns:
        The new x (n, 10), and the rows (n,) for which a step was found.
    """
    before, size = _objective(units, c, x), np.linalg.norm(gradient, axis=1)
    trial, better = np.array(x), np.zeros(len(x), dtype=np.bool_)

    def attempt(rows: Integers, length: float) -> Mask:
        part = units.rows(rows)
        y = x[rows] + length * step[rows]
        value = _objective(part, c[rows], y)
        inside = np.isfinite(value)
        flat = is_flat(value, before[rows])
        slope = np.full(len(rows), np.inf)
        some, at = part.rows(inside), y[inside]
        pulled = np.matmul(some.M, (at - some.x0)[:, :, None])[:, :, 0]
        slope[inside] = np.linalg.norm(pulled + _pull(some, c[rows][inside], at)[0], axis=1)
        falls = SEARCH.accepts(value, before[rows], length)
        accepted = inside & np.where(flat, slope < size[rows], falls)
        trial[rows[accepted]], better[rows[accepted]] = y[accepted], True
        return np.asarray(accepted)

    SEARCH.find_rows(len(x), attempt)
    return trial, better


def _objective(units: Normalised, c: Floats, x: Floats) -> Floats:
    """Compute ||x - x0||_M^2 / 2 + c ||log X||_F^2 (n,); infinite where X is not definite."""
    # The eigenvalues that `_pull` takes: eigvalsh may give the smallest the other sign.
    values = spectrum(unpack(x))
    change = x - units.x0
    square = np.einsum("ni,nij,nj->n", change, units.M, change) / 2
    distance = np.sum(_log(units.size[:, None] * values) ** 2, axis=1)
    return np.asarray(np.where(values[:, 0] > 0, square + c * distance, np.inf))


def _log(values: Floats) -> Floats:
    return np.asarray(np.log(np.where(values > 0, values, 1.0)))
