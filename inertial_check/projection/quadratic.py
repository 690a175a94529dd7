"""The nearest pseudo-inertia in a quadratic norm, as data: what is asked, and what was found.

A pseudo-inertia is kept as svec(Pi), its upper triangle by rows with off-diagonal entries times
sqrt(2), so that inner products of vectors are those of matrices, and svec(Pi) = TO_SVEC theta.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.inertia.tolerances import CERTIFIED, EPS, ROUNDING_FACTOR
from inertial_check.solvers.certificate import Certificate, cone_residual
from inertial_check.solvers.svec import (
    COLUMN,
    FROM_SVEC,
    ROW,
    TO_SVEC,
    apply,
    congruence,
    factors,
    pack,
)

Counts = npt.NDArray[np.int32]


class Quadratic(NamedTuple):
    """For each body: minimise (theta - theta0)^T W (theta - theta0), Pi(theta) - Delta >= 0.

    Attributes:
        theta0: (n, 10) in order "urdf" about the body origin, finite.
        W: (n, 10, 10) symmetric, positive semidefinite; definite where no constraint bounds what it
            leaves open. None for ||L^-1 (Pi - Pi0) L^-T||_F^2, L the Cholesky factor of reference.
        Delta: (n, 4, 4) positive semidefinite: a floor of mass, or of a margin; mostly zero.
        reference: (n, 4, 4) positive definite: the bodies in whose units the problem is solved.
        fixed: Whether mass and first moment stay (metrics inertia and covariance).
    """

    theta0: Floats
    W: Floats | None
    Delta: Floats
    reference: Floats
    fixed: bool = False

    def rows(self, rows: Any) -> Quadratic:
        """The problem of some of the bodies."""
        return Quadratic(
            self.theta0[rows],
            None if self.W is None else self.W[rows],
            self.Delta[rows],
            self.reference[rows],
            self.fixed,
        )


class Solution(NamedTuple):
    """What was found for each body, and by how much it fails to be the proven nearest.

    The residuals are dimensionless: of the problem in units in which the given body and the weights
    have size one.

    Attributes:
        theta: (n, 10) in order "urdf" about the body origin.
        dual: (n, 10) svec of the multiplier Z >= 0 of Pi - Delta >= 0.
        primal_residual: (n,) by how much the result leaves the feasible set.
        dual_residual: (n,) by how much Z leaves its cone, or fails to explain the change.
        gap: (n,) |<Z, Pi - Delta>|.
        iterations: (n,) of the solver.
    """

    theta: Floats
    dual: Floats
    primal_residual: Floats
    dual_residual: Floats
    gap: Floats
    iterations: Counts

    @property
    def worst(self) -> Floats:
        """(n,) the largest of the three residuals."""
        residuals = [self.primal_residual, self.dual_residual, self.gap]
        return np.asarray(np.max(residuals, axis=0))

    def rows(self, rows: Any) -> Solution:
        """The answers of some of the bodies."""
        return Solution(*(part[rows] for part in self._parts))

    def put(self, rows: Any, other: Solution) -> None:
        """Replace the answers of some of the bodies, in place."""
        for whole, part in zip(self._parts, other._parts, strict=True):
            whole[rows] = part

    @property
    def _parts(self) -> tuple[npt.NDArray[Any], ...]:
        return tuple(self)


class Normalised(NamedTuple):
    """A problem in its own units: L^-1 Pi L^-T of the reference L L^T, ||x0|| = 1 and det M = 1.

    Attributes:
        x0: (n, 10) svec of what is to be moved.
        M: (n, 10, 10) the metric.
        slope: (n, 10) of a linear term of half the objective.
        mu: (n,) where on the central path the answer lies: 0 for the nearest body.
        factor: (n, 4, 4) L.
        inverse: (n, 4, 4) L^-1.
        size: (n,) by which svec was divided.
        weight: (n,) by which M was divided.
    """

    x0: Floats
    M: Floats
    slope: Floats
    mu: Floats
    factor: Floats
    inverse: Floats
    size: Floats
    weight: Floats

    def rows(self, rows: Any) -> Normalised:
        """Some of the problems."""
        return Normalised(*(part[rows] for part in self))

    @property
    def rounding(self) -> Floats:
        """(n,) what the residual can reach: some rounding units of its own terms."""
        size = 1 + np.linalg.norm(self.M, axis=(1, 2))
        return np.asarray(np.minimum(ROUNDING_FACTOR * EPS * size, CERTIFIED))


def normalised(problem: Quadratic) -> Normalised:
    """The problem in its own units; W positive definite."""
    factor, inverse = factors(problem.reference)
    x0 = apply(inverse, problem.theta0 @ TO_SVEC.T - pack(problem.Delta))
    size = np.linalg.norm(x0, axis=1)
    size = np.where(size > 0, size, 1.0)
    back = congruence(factor)
    weight = np.ones(len(x0))
    if problem.W is None:
        M = np.broadcast_to(np.eye(10), back.shape)
    else:
        to_theta = np.matmul(FROM_SVEC, back)
        M = np.matmul(to_theta.transpose(0, 2, 1), np.matmul(problem.W, to_theta))
        weight = np.exp(_log_det(M) / 10)
        M = (M + M.transpose(0, 2, 1)) / (2 * weight[:, None, None])
    x0 = x0 / size[:, None]
    return Normalised(x0, M, np.zeros_like(x0), 0 * size, factor, inverse, size, weight)


def _log_det(M: Floats) -> Floats:
    """Logarithm (n,) of the determinant of positive definite matrices."""
    try:
        diagonal = np.einsum("nii->ni", np.linalg.cholesky(M))
    except np.linalg.LinAlgError:  # definite but for rounding
        return np.asarray(np.linalg.slogdet(M)[1])
    return np.asarray(2 * np.sum(np.log(diagonal), axis=1))


def solution(
    problem: Quadratic, units: Normalised, x: Floats, z: Floats, steps: Counts
) -> Solution:
    """An answer x = svec(X), with its multiplier z, of a normalised problem in SI units."""
    theta, dual = restored(problem, units, x, z)
    return Solution(theta, dual, *_residuals(problem, units, theta, dual), steps)


def restored(problem: Quadratic, units: Normalised, x: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Theta (n, 10) and the multiplier (n, 10) in SI units, of those of a normalised problem."""
    Pi = apply(units.factor, x * units.size[:, None]) + pack(problem.Delta)
    dual = np.einsum("nij,ni->nj", congruence(units.inverse), z)
    return Pi @ FROM_SVEC.T, dual * (units.weight * units.size)[:, None]


def in_units(
    problem: Quadratic, units: Normalised, theta: Floats, dual: Floats
) -> tuple[Floats, Floats]:
    """The inverse of `restored`."""
    x = apply(units.inverse, theta @ TO_SVEC.T - pack(problem.Delta)) / units.size[:, None]
    z = np.einsum("nij,ni->nj", congruence(units.factor), dual)
    return x, z / (units.weight * units.size)[:, None]


def residuals(problem: Quadratic, theta: Floats, dual: Floats) -> Certificate:
    """By how much theta and the multiplier fail the optimality conditions, from the data alone.

    The conditions are X = Pi - Delta >= 0, Z >= 0, <X, Z> = 0 and W (theta - theta0) = Z, in the
    units of the normalised problem. A convex problem has no other minimum.

    Args:
        problem: What was asked.
        theta: (n, 10) the answer.
        dual: (n, 10) svec of its multiplier Z.

    Returns:
        The certificate (n,), non-negative and dimensionless.
    """
    return _residuals(problem, normalised(problem), theta, dual)


def _residuals(problem: Quadratic, units: Normalised, theta: Floats, dual: Floats) -> Certificate:
    x, z = in_units(problem, units, theta, dual)
    unexplained = np.maximum(stationarity(units, x, z), cone_residual(z))
    return Certificate(cone_residual(x), unexplained, np.abs(np.einsum("ni,ni->n", x, z)))


def stationarity(units: Normalised, x: Floats, z: Floats) -> Floats:
    """||M (x - x0) + slope - z|| (n,)."""
    pulled = np.matmul(units.M, (x - units.x0)[:, :, None])[:, :, 0]
    return np.asarray(np.linalg.norm(pulled + units.slope - z, axis=1))


def separation(problem: Quadratic, theta: Floats) -> Floats:
    """Length (n,) of the change from theta0 to theta (n, 10) in the metric of the problem."""
    change = theta - problem.theta0
    if problem.W is not None:
        square = np.einsum("ni,nij,nj->n", change, problem.W, change)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))
    _, inverse = factors(problem.reference)
    return np.asarray(np.linalg.norm(apply(inverse, change @ TO_SVEC.T), axis=1))


def fitted(W: Floats, theta0: Floats) -> Floats:
    """Diagonal references (n, 4, 4) of theta0's size, in whose units W is as even as it can be.

    A least-squares fit to the logarithms of the diagonal of W on svec.
    """
    own = np.einsum("nii->ni", W)
    if np.count_nonzero(W) == np.count_nonzero(own):  # diagonal weights, as most are
        diagonal = own @ FROM_SVEC**2
    else:
        diagonal = np.sum(np.matmul(W, FROM_SVEC) * FROM_SVEC, axis=1)
    log_d = np.log(diagonal) @ _FIT.T / 2
    units = np.exp(log_d - log_d.mean(axis=1, keepdims=True))
    size = np.linalg.norm((theta0 @ TO_SVEC.T) * units[:, ROW] * units[:, COLUMN], axis=1)
    reference = np.zeros((len(W), 4, 4))
    reference[:, range(4), range(4)] = np.where(size > 0, size, 1.0)[:, None] / units**2
    return reference


def _units_fit() -> Floats:
    """The least-squares map (4, 10) from log diag(M) to twice the logs of the four units."""
    incidence = np.zeros((10, 4))
    np.add.at(incidence, (np.arange(10), ROW), 1.0)
    np.add.at(incidence, (np.arange(10), COLUMN), 1.0)
    return np.asarray(np.linalg.pinv(incidence))


_FIT = _units_fit()
