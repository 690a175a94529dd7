"""The nearest pseudo-inertia in a quadratic norm: the problem, its units and its solution.

Pseudo-inertias are svec (projection/svec.py). Where the norm is that of a prior body, the answer
is a closed form too: see project_by_whitening.

Every iteration damps its steps and stops by the rules that stand here once; an algorithm states its
own limits, as one LineSearch and numbers of steps, beside itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.tolerances import CERTIFIED, EPS, ROUNDING_FACTOR
from inertial_check.projection.svec import (
    COLUMN,
    FROM_SVEC,
    ROW,
    TO_SVEC,
    Certificate,
    apply,
    cone_residual,
    congruence,
    decompose,
    factors,
    pack,
    unpack,
)

Counts = npt.NDArray[np.int32]
"""Numbers of iterations, one for each row of a batch."""

Value = Floats | np.float64 | float
"""Value that a step has to lower: one number, or one for each row (n,)."""

PATIENCE = 4
"""Steps in a row that may fail to improve the answer before an iteration ends: it has stalled."""

BOUNDARY_FRACTION = 0.99
"""Fraction of the way to the boundary of a cone that a step goes: at the boundary none is left."""


@dataclass(frozen=True)
class LineSearch:
    """Backtracking line search: the longest step first, then half of it, and so on.

    Attributes:
        trials: Lengths that are tried at most; below the last, no step in this direction helps.
        decrease: Part of the promised decrease that a step has to bring (Armijo's rule); 0 accepts
            any decrease.
    """

    trials: int
    decrease: float = 0.0

    def lengths(self, longest: float = 1.0) -> Iterator[float]:
        """Yield the lengths to try, in turn."""
        for _ in range(self.trials):
            yield longest
            longest /= 2

    def accepts(self, after: Value, before: Value, length: float) -> Mask:
        """Decide whether a value (n,) fell enough by a step of this length."""
        return np.asarray(after < before * (1 - self.decrease * length))

    def find_rows(self, count: int, attempt: Callable[[Integers, float], Mask]) -> None:
        """Search for each row of a batch.

        Args:
            count: Number of rows.
            attempt: Tries a length on some rows, keeps what it finds, and says which accept it.
        """
        rows = np.arange(count)
        for length in self.lengths():
            if not rows.size:
                break
            rows = rows[~attempt(rows, length)]


def is_flat(after: Value, before: Value) -> Mask:
    """Decide whether values differ by no more than the rounding of what they were computed from."""
    rounding = tolerances.SOLVED_FACTOR * tolerances.EPS
    return np.asarray(np.abs(after - before) <= rounding * np.abs(before))


def length_to_boundary(shrinkage: float, fraction: float = BOUNDARY_FRACTION) -> float:
    """Return the length of a step, at most 1, that stays inside a cone.

    Args:
        shrinkage: Inverse of the length at which the step meets the boundary; 0 for never.
        fraction: Fraction of the way to the boundary that the step may go.
    """
    return 1.0 if shrinkage <= fraction else fraction / shrinkage


def iterate_rows(
    rows: Integers, count: int, most: int, advance: Callable[[Integers], Mask]
) -> Counts:
    """Iterate on the rows of a batch, each until it has no further step.

    Args:
        rows: Rows that need any.
        count: Number of rows of the batch.
        most: Steps at most.
        advance: Makes one step on some rows, in place, and says which of them go on.

    Returns:
        (count,) steps of every row, int32.
    """
    steps = np.zeros(count, dtype=np.int32)
    for _ in range(most):
        if not rows.size:
            break
        steps[rows] += 1
        rows = rows[advance(rows)]
    return steps


Selection = slice | Integers
"""Rows of a batch: a slice, or their indices."""


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

    def rows(self, rows: Selection) -> Quadratic:
        """Select the problem of some of the bodies."""
        if isinstance(rows, slice) and rows.indices(len(self.theta0)) == (0, len(self.theta0), 1):
            return self
        return Quadratic(
            self.theta0[rows],
            None if self.W is None else self.W[rows],
            self.Delta[rows],
            self.reference[rows],
            self.fixed,
        )


def _take_diagonal(matrices: Floats) -> Floats:
    """Return the diagonals (n, k) of matrices (n, k, k) that have nothing beside them."""
    diagonals = np.einsum("nii->ni", matrices)
    if np.count_nonzero(matrices) == np.count_nonzero(diagonals):
        return np.array(diagonals)
    return matrices


class Solution(NamedTuple):
    """Answer for each body, and its certificate.

    Attributes:
        theta: (n, 10) in order "urdf" about the body origin.
        dual: (n, 10) svec of the multiplier Z >= 0 of Pi - Delta >= 0.
        certificate: (n,) each, of the problem in units in which body and weights have size one.
        iterations: (n,) of the solver.
    """

    theta: Floats
    dual: Floats
    certificate: Certificate
    iterations: Counts

    @classmethod
    def keep(cls, theta: Floats, residual: float = 0.0) -> Solution:
        """Make the solution in which bodies (n, 10) stay as they are, with this residual."""
        count = len(theta)
        certificate = Certificate(*np.full((3, count), residual))
        return cls(
            np.array(theta), np.zeros((count, 10)), certificate, np.zeros(count, dtype=np.int32)
        )

    @property
    def worst(self) -> Floats:
        """(n,) the largest of the three residuals."""
        return self.certificate.worst

    def rows(self, rows: Selection) -> Solution:
        """Select the answers of some of the bodies."""
        certificate = Certificate(*(part[rows] for part in self.certificate))
        return Solution(self.theta[rows], self.dual[rows], certificate, self.iterations[rows])

    def put(self, rows: Selection, other: Solution) -> None:
        """Replace the answers of some of the bodies, in place."""
        self.theta[rows], self.dual[rows] = other.theta, other.dual
        self.iterations[rows] = other.iterations
        for whole, part in zip(self.certificate, other.certificate, strict=True):
            whole[rows] = part


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
        reach: (n, 10, 10) M^-1 where it is known; else None.
    """

    x0: Floats
    M: Floats
    slope: Floats
    mu: Floats
    factor: Floats
    inverse: Floats
    size: Floats
    weight: Floats
    reach: Floats | None = None

    def rows(self, rows: Selection | Mask) -> Normalised:
        """Select some of the problems."""
        some = Normalised(*(part[rows] for part in self[:-1]))
        return some if self.reach is None else some._replace(reach=self.reach[rows])

    @property
    def rounding(self) -> Floats:
        """(n,) least residual that can be reached: some rounding units of its own terms."""
        size = 1 + np.linalg.norm(self.M, axis=(1, 2))
        return np.asarray(np.minimum(ROUNDING_FACTOR * EPS * size, CERTIFIED))


def normalise(problem: Quadratic) -> Normalised:
    """Put a problem, with W positive definite, into its own units."""
    factor, inverse = factors(problem.reference)
    x0 = apply(inverse, problem.theta0 @ TO_SVEC.T - pack(problem.Delta))
    size = np.linalg.norm(x0, axis=1)
    size = np.where(size > 0, size, 1.0)
    back = congruence(factor)
    weight, reach = np.ones(len(x0)), None
    if problem.W is None:
        M = reach = np.broadcast_to(np.eye(10), back.shape)
    else:
        unit, own = _take_diagonal(back), _take_diagonal(problem.W)  # most are diagonal
        if unit.ndim == own.ndim == 2:
            log_det = 2 * np.sum(np.log(unit), axis=1) + np.sum(np.log(own), axis=1) + _LOG_DET
            weight = np.exp(log_det / 10)
            M = _build_squares(FROM_SVEC, own / weight[:, None], unit)
            reach = _build_squares(TO_SVEC.T, weight[:, None] / own, 1 / unit)
        else:
            to_theta = (
                FROM_SVEC * unit[:, None, :] if unit.ndim == 2 else np.matmul(FROM_SVEC, back)
            )
            weighted = own[:, :, None] * to_theta if own.ndim == 2 else np.matmul(own, to_theta)
            M = np.matmul(to_theta.transpose(0, 2, 1), weighted)
            # By the determinant and not the norm: one direction of large weight does not make the
            # others vanish beside the size-one X.
            weight = np.exp(_log_det(M) / 10)
            M = (M + M.transpose(0, 2, 1)) / (2 * weight[:, None, None])
    x0 = x0 / size[:, None]
    return Normalised(x0, M, np.zeros_like(x0), 0 * size, factor, inverse, size, weight, reach)


_LOG_DET = 2 * np.linalg.slogdet(FROM_SVEC)[1]


def _build_squares(A: Floats, own: Floats, unit: Floats) -> Floats:
    """Build the matrices (n, 10, 10) of sum_k own_k A_ki A_kj unit_i unit_j, A being sparse."""
    products = A[:, :, None] * A[:, None, :]
    row, column = np.nonzero(np.triu(products.any(axis=0)))
    square = np.zeros((len(own), 10, 10))
    values = own @ products[:, row, column] * (unit[:, row] * unit[:, column])
    square[:, row, column] = square[:, column, row] = values
    return square


def _log_det(M: Floats) -> Floats:
    """Compute the logarithms (n,) of the determinants of positive definite matrices."""
    try:
        diagonal = np.einsum("nii->ni", np.linalg.cholesky(M))
    except np.linalg.LinAlgError:  # definite but for rounding
        logarithm = np.linalg.slogdet(M)[1]
        rough = 10 * np.log(np.trace(M, axis1=1, axis2=2) / 10)
        return np.asarray(np.where(np.isfinite(logarithm), logarithm, rough))
    return np.asarray(2 * np.sum(np.log(diagonal), axis=1))


def restore(problem: Quadratic, units: Normalised, x: Floats, z: Floats, steps: Counts) -> Solution:
    """Restore SI units of an answer x = svec(X), with its multiplier z, and certify it."""
    theta, dual = to_si(problem, units, x, z)
    return Solution(
        theta, dual, certify_in_units(units, *to_units(problem, units, theta, dual)), steps
    )


def to_si(problem: Quadratic, units: Normalised, x: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Convert x and z of a normalised problem to theta (n, 10) and the multiplier (n, 10) [SI]."""
    Pi = apply(units.factor, x * units.size[:, None]) + pack(problem.Delta)
    dual = np.einsum("nij,ni->nj", congruence(units.inverse), z)
    return Pi @ FROM_SVEC.T, dual * (units.weight * units.size)[:, None]


def to_units(
    problem: Quadratic, units: Normalised, theta: Floats, dual: Floats
) -> tuple[Floats, Floats]:
    """Convert theta and its multiplier back, as the inverse of `to_si`."""
    x = apply(units.inverse, theta @ TO_SVEC.T - pack(problem.Delta)) / units.size[:, None]
    z = np.einsum("nij,ni->nj", congruence(units.factor), dual)
    return x, z / (units.weight * units.size)[:, None]


def certify_in_units(units: Normalised, x: Floats, z: Floats) -> Certificate:
    """Compute by how much x = svec(X) and its multiplier z fail the optimality conditions.

    These are X = Pi - Delta >= 0, Z >= 0, <X, Z> = 0 and W (theta - theta0) = Z, all in the units
    of the normalised problem.
    """
    # The KKT conditions of a convex problem are sufficient (Boyd and Vandenberghe, sec. 5.5.3):
    # where all residuals are small, the answer is proven whatever found it.
    unexplained = np.maximum(stationarity(units, x, z), cone_residual(z))
    gap = np.abs(np.einsum("ni,ni->n", x, z))
    residuals = (cone_residual(x), unexplained, gap)
    return Certificate(*(np.where(np.isnan(each), np.inf, each) for each in residuals))


def stationarity(units: Normalised, x: Floats, z: Floats, move: Floats | None = None) -> Floats:
    """Compute ||M (x - x0) + slope - z|| (n,); `move` is x - x0 where that would cancel."""
    move = x - units.x0 if move is None else move
    pulled = np.matmul(units.M, move[:, :, None])[:, :, 0]
    return np.asarray(np.linalg.norm(pulled + units.slope - z, axis=1))


def measure_change(problem: Quadratic, theta: Floats) -> Floats:
    """Measure changes from theta0 to theta (n, 10) in the metric of the problem: (n,)."""
    change = theta - problem.theta0
    if problem.W is not None:
        square = np.einsum("ni,nij,nj->n", change, problem.W, change)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))
    _, inverse = factors(problem.reference)
    return np.asarray(np.linalg.norm(apply(inverse, change @ TO_SVEC.T), axis=1))


def weights_of_prior(prior: Floats) -> Floats:
    """Build W (n, 10, 10) with d^T W d = ||L^-1 dPi L^-T||_F^2 for the bodies L L^T."""
    # The affine-invariant metric at the prior (Lee and Park, IEEE Robot. Autom. Lett. 3, 2018, eq.
    # 24), as the square of one map: W stays semidefinite under rounding.
    whiten = np.matmul(congruence(factors(prior)[1]), TO_SVEC)
    return np.asarray(np.matmul(whiten.transpose(0, 2, 1), whiten))


def fit_reference(W: Floats, theta0: Floats) -> Floats:
    """Fit diagonal references (n, 4, 4) of theta0's size, in whose units W is most even.

    It is a least-squares fit to the logarithms of the diagonal of W on svec.
    """
    own = np.einsum("nii->ni", W)
    if np.count_nonzero(W) == np.count_nonzero(own):  # diagonal weights, as most are
        diagonal = own @ FROM_SVEC**2
    else:
        diagonal = np.sum(np.matmul(W, FROM_SVEC) * FROM_SVEC, axis=1)
    # W is definite, or has a prior's norm added: its diagonal is positive.
    # Entry ij of svec scales with u_i u_j: in logarithms ten equations for four unknowns. Even
    # diagonals nearly minimise the condition (van der Sluis, Numer. Math. 14, 1969).
    log_d = np.log(diagonal) @ UNITS_FIT.T / 2
    units = np.exp(log_d - log_d.mean(axis=1, keepdims=True))
    size = np.linalg.norm((theta0 @ TO_SVEC.T) * units[:, ROW] * units[:, COLUMN], axis=1)
    reference = np.zeros((len(W), 4, 4))
    reference[:, range(4), range(4)] = np.where(size > 0, size, 1.0)[:, None] / units**2
    return reference


UNITS_FIT: Floats = np.asarray(np.linalg.pinv(np.eye(4)[ROW] + np.eye(4)[COLUMN]), np.float64)
"""Least-squares map (4, 10) from log diag(M) to twice the logarithms of the four units."""


def project_by_whitening(problem: Quadratic) -> Solution:
    """Find the nearest by ||L^-1 (Pi - Pi0) L^-T||_F, L L^T the reference, in closed form.

    Whiten, clip the eigenvalues, un-whiten. The length is that of the change as a body of
    pseudo-inertia L L^T sees it, and does not change with the frame or the units as long as the
    reference changes with them (Lee and Park, IEEE Robot. Autom. Lett. 3, 2018, eq. 24, at the
    prior).

    Args:
        problem: A problem with W None, or in whose units W is one.
    """
    units = normalise(problem)
    # The nearest semidefinite matrix in the Frobenius norm clips the eigenvalues (Higham, Linear
    # Algebra Appl. 103, 1988, theorem 2.1); the clipped part is the multiplier.
    values, vectors = decompose(unpack(units.x0))
    lifted = np.maximum(-values, 0.0)
    z = pack(np.matmul(vectors * lifted[:, None, :], vectors.transpose(0, 2, 1)))
    return restore(problem, units, units.x0 + z, z, np.zeros(len(z), dtype=np.int32))
