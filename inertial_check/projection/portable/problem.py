"""The quadratic problem of projection/quadratic.py in any array library, with its own units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Array, Namespace
from inertial_check.projection.portable import newton
from inertial_check.projection.portable.vectors import (
    apply,
    congruence,
    decompose,
    diagonal,
    make_constant,
    multiply,
    norm,
    pack,
    pairs_of,
)
from inertial_check.projection.quadratic import UNITS_FIT
from inertial_check.projection.svec import FROM_SVEC, TO_SVEC, Certificate


class Problem(NamedTuple):
    """For each body: minimise (theta - theta0)^T W (theta - theta0), Pi(theta) - Delta >= 0.

    Attributes:
        theta0: (..., 10) in order "urdf" about the origin.
        M: (..., 10, 10) W on svec in the units of the reference, of determinant one.
        weight: (...,) by which that was divided.
        reference: (..., 4, 4) positive definite: the bodies in whose units the problem is solved.
        factor: (..., 4, 4) Cholesky factor L of the reference.
        inverse: (..., 4, 4) L^-1.
        direct: Whether M is one, so that the answer is a closed form.
    """

    theta0: Array
    M: Array
    weight: Array
    reference: Array
    factor: Array
    inverse: Array
    direct: bool


class Solution(NamedTuple):
    """Answers theta (..., 10) with multipliers (..., 10) svec, in SI units, and Newton steps."""

    theta: Array
    dual: Array
    steps: Array


def build_problem(xp: Namespace, theta0: Array, W: Array, prior: Array | None) -> Problem:
    """Build the problem in the units of a prior, or of a reference that makes W even.

    Args:
        xp: The library of the arrays.
        theta0: (..., 10) about the origin, finite.
        W: (..., 10, 10) positive definite.
        prior: (..., 4, 4) where W is the metric of these bodies alone; else None.
    """
    direct = prior is not None
    reference = fit_reference(xp, W, theta0) if prior is None else prior
    units = xp.sqrt(diagonal(xp, reference))
    both = units[..., :, None] * units[..., None, :]
    lower = xp.linalg.cholesky(reference / both)
    factor, inverse = units[..., :, None] * lower, xp.linalg.inv(lower) / units[..., None, :]
    if direct:
        M = xp.zeros_like(W) + make_constant(xp, np.eye(10), W)
        return Problem(theta0, M, xp.ones_like(theta0[..., 0]), reference, factor, inverse, True)
    to_theta = xp.matmul(make_constant(xp, FROM_SVEC, W), congruence(xp, factor))
    M = xp.matmul(xp.matrix_transpose(to_theta), xp.matmul(W, to_theta))
    M = (M + xp.matrix_transpose(M)) / 2
    weight = xp.exp(xp.linalg.slogdet(M)[1] / 10)
    M = M / weight[..., None, None]
    return Problem(theta0, M, weight, reference, factor, inverse, False)


def fit_reference(xp: Namespace, W: Array, theta0: Array) -> Array:
    """Fit diagonal references (..., 4, 4) of theta0's size, in whose units W is most even."""
    from_svec, to_svec = (make_constant(xp, m, W) for m in (FROM_SVEC, TO_SVEC))
    even = xp.sum(xp.matmul(W, from_svec) * from_svec, axis=-2)
    log_d = multiply(xp, make_constant(xp, UNITS_FIT, W), xp.log(even)) / 2
    units = xp.exp(log_d - xp.mean(log_d, axis=-1, keepdims=True))
    rows, columns = pairs_of(xp, units)
    size = norm(xp, multiply(xp, to_svec, theta0) * rows * columns)
    size = xp.where(size > 0, size, xp.ones_like(size))
    return (size[..., None] / units**2)[..., None] * make_constant(xp, np.eye(4), W)


def solve(xp: Namespace, problem: Problem, Delta: Array) -> Solution:
    """Find the nearest with Pi >= Delta (..., 4, 4)."""
    x0, size = _normalise(xp, problem, Delta)
    if problem.direct:
        root = newton.find_closed_form(xp, x0)
    else:
        root = newton.find_root(xp, x0, problem.M, find_rounding(xp, problem))
    Pi = apply(xp, problem.factor, root.x * size[..., None]) + pack(xp, Delta)
    back = xp.matrix_transpose(congruence(xp, problem.inverse))
    dual = multiply(xp, back, root.z) * (problem.weight * size)[..., None]
    return Solution(multiply(xp, make_constant(xp, FROM_SVEC, Pi), Pi), dual, root.steps)


def _normalise(xp: Namespace, problem: Problem, Delta: Array) -> tuple[Array, Array]:
    """Compute svec (..., 10) of what is to be moved, of length one, and its size (...,)."""
    Pi = multiply(xp, make_constant(xp, TO_SVEC, Delta), problem.theta0) - pack(xp, Delta)
    x0 = apply(xp, problem.inverse, Pi)
    size = norm(xp, x0)
    size = xp.where(size > 0, size, xp.ones_like(size))
    return x0 / size[..., None], size


def find_rounding(xp: Namespace, problem: Problem) -> Array:
    """Find the residuals (...,) that can be reached: some rounding units of their terms."""
    size = 1 + xp.sqrt(xp.sum(problem.M * problem.M, axis=(-2, -1)))
    eps = tolerances.epsilon(size.dtype, xp)
    return tolerances.ROUNDING_FACTOR * eps * size


def certify(xp: Namespace, problem: Problem, Delta: Array, found: Solution) -> Certificate:
    """Compute by how much answers fail the optimality conditions, as quadratic.certify does."""
    x0, size = _normalise(xp, problem, Delta)
    to_svec = make_constant(xp, TO_SVEC, Delta)
    Pi = multiply(xp, to_svec, found.theta) - pack(xp, Delta)
    x = apply(xp, problem.inverse, Pi) / size[..., None]
    to_units = xp.matrix_transpose(congruence(xp, problem.factor))
    z = multiply(xp, to_units, found.dual) / (problem.weight * size)[..., None]
    unexplained = norm(xp, multiply(xp, problem.M, x - x0) - z)
    gap = xp.abs(xp.sum(x * z, axis=-1))

    def outside(y: Array) -> Array:
        least = decompose(xp, y)[0][..., 0]
        return xp.where(least < 0, -least, xp.zeros_like(least))

    return Certificate(outside(x), xp.maximum(unexplained, outside(z)), gap)
