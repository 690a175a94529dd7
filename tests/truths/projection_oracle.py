"""The nearest parameters by another road, and proven; nothing here comes from the package.

SCS is asked at 1e-10 in a formulation of its own: the change in units of its standard deviation,
z = R (p - p0) with R^T R the weights, so that the objective is |z|^2 and the cone holds an affine
image of z. A first-order answer has ten digits of the body, fewer of a small move; so it is refined
by Newton's method on X Z + Z X = 0 (Alizadeh, Haeberly and Overton, SIAM J. Optim. 8, 1998; Z the
gradient at X) in decimals of a hundred digits. What comes out is then proven, wherever it came
from: a feasible X and a feasible multiplier, both by the signs of their pivots, whose duality gap
bounds the distance to the one nearest point. `Reference.bound` is that bound.

`by_clarabel` is a third road, with cvxpy's own modelling.
"""

import decimal
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import cvxpy as cp
import numpy as np
import scs
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Decimals = NDArray[Any]  # of dtype object

DIGITS = 100
CONVERGED = Decimal("1e-70")  # of a Newton step, in a problem of size one
SHIFT = Decimal("1e-60")  # makes a matrix definite that is singular up to the last digits
PROVEN = 1e-15  # relative to the move: far below what is held against it
NEWTON_STEPS = 30
SCS_TOLERANCE = 1e-10
SCS_STEPS = 20_000
SCS_SCALES = (0.1, 10.0, 1e-3)  # its weight of primal against dual residuals, to try in turn

_UPPER = np.triu_indices(4)
_ENTRY = np.zeros((4, 4), dtype=int)
_ENTRY[_UPPER] = np.arange(10)
_ENTRY = np.maximum(_ENTRY, _ENTRY.T)  # where in the triangle p each entry of the matrix is
_METRES = np.array([2, 2, 2, 1, 2, 2, 1, 2, 1, 0])  # the unit of each entry of p is kg m^k
_IDENTITY = np.eye(4, dtype=int)[_UPPER]
_BASIS = np.array([(index == _ENTRY).astype(int) for index in range(10)])
_HALVES = np.where(_IDENTITY, Decimal(1), Decimal("0.5"))
_SCS_ROW, _SCS_COLUMN = np.array([(i, j) for j in range(4) for i in range(j, 4)]).T
_SCS_ENTRY = _ENTRY[_SCS_ROW, _SCS_COLUMN]  # SCS stacks the lower triangle by columns
_SCS_ROOT = np.where(_SCS_ROW == _SCS_COLUMN, 1.0, np.sqrt(2.0))

THETA = np.zeros((10, 10), dtype=int)
"""theta = THETA p, p the upper triangle of Pi by rows: I = tr(S) 1 - S, entry by entry."""
THETA[0, 9] = 1  # m
THETA[[1, 2, 3], [3, 6, 8]] = 1  # h
THETA[4, [4, 7]] = THETA[7, [0, 7]] = THETA[9, [0, 4]] = 1  # Ixx = Syy + Szz and so on
THETA[[5, 6, 8], [1, 2, 5]] = -1  # Ixy = -Sxy and so on


@dataclass(frozen=True)
class Reference:
    """The nearest of one body.

    Attributes:
        theta0: (10,) Decimals: what was given, exactly.
        W: (10, 10) Decimals: the weights, exactly.
        theta: (10,) Decimals: the nearest.
        bound: Proven: ||theta - nearest||_W <= bound ||theta - theta0||_W.
        first: (10,) SCS's own answer; NaN where nothing had to move.
        steps: SCS's iterations.
    """

    theta0: Decimals
    W: Decimals
    theta: Decimals
    bound: float
    first: Floats
    steps: int

    @cached_property
    def move(self) -> float:
        """||theta - theta0||_W; 0 where the given parameters are feasible."""
        return self._length(self.theta - self.theta0)

    def deviation(self, theta: Floats) -> float:
        """||theta - reference||_W / ||reference - theta0||_W, of a body that has to move."""
        with decimal.localcontext(prec=DIGITS):
            return self._length(_exact(theta) - self.theta) / self.move

    def objective_deviation(self, theta: Floats) -> float:
        """|f(theta) / f(reference) - 1|, f the squared distance, of a body that has to move."""
        with decimal.localcontext(prec=DIGITS):
            change, least = _exact(theta) - self.theta0, self.theta - self.theta0
            return float(abs((change @ self.W @ change) / (least @ self.W @ least) - 1))

    @cached_property
    def rounding(self) -> float:
        """The deviation that rounding the ten numbers to float64, half a unit each, can cause."""
        half = np.spacing(np.abs(self.theta.astype(float))) / 2
        return float(np.sqrt(half @ np.abs(self.W.astype(float)) @ half)) / self.move

    def _length(self, change: Decimals) -> float:
        with decimal.localcontext(prec=DIGITS):
            return float((change @ self.W @ change).sqrt())


def reference(theta0: Floats, W: Floats, floor: Floats | None = None) -> Reference:
    """The theta nearest to theta0 (10,) in W (10, 10) with Pi(theta) >= floor (4, 4), by default 0.

    Raises:
        ArithmeticError: Nothing could be proven; has the instance.
    """
    with decimal.localcontext(prec=DIGITS):
        problem = _Problem(theta0, W, floor)
        if _is_semidefinite(problem.p0[_ENTRY]):
            given = _exact(theta0)
            return Reference(given, _exact(W), given, 0.0, np.full(10, np.nan), 0)
        for scale in SCS_SCALES:
            first, steps = problem.first_order(scale)
            proof = problem.proof(problem.refined(first))
            if proof:
                p, bound = proof
                theta, first = problem.theta(p), problem.theta(_exact(first)).astype(float)
                return Reference(_exact(theta0), _exact(W), theta, bound, first, steps)
    raise ArithmeticError(f"no proof for theta0={theta0.tolist()}, W={W.tolist()}, floor={floor}")


class _Problem:
    """Minimise (p - p0)^T H (p - p0) / 2, P = p[_ENTRY] >= 0: theta in units that suit it.

    The length unit is that at which the weights hold kilograms and inertias equal, the mass unit
    makes the largest entry of p0 one, the trace of H is one.
    """

    def __init__(self, theta0: Floats, W: Floats, floor: Floats | None) -> None:
        length = Decimal(float((W[0, 0] / W.diagonal()[4:].mean()) ** 0.25))
        self.floor = _exact(np.zeros(10) if floor is None else floor[_UPPER])
        inverse = _exact(np.linalg.inv(THETA))  # its entries are 0, 1 and 1/2
        p0 = (inverse @ _exact(theta0) - self.floor) / length**_METRES
        size = abs(p0).max() or Decimal(1)
        self.units = length**_METRES * size
        self.p0 = p0 / size
        spread = THETA * self.units
        H = spread.T @ _exact(W) @ spread
        self.H = H / H.trace()

    def theta(self, p: Decimals) -> Decimals:
        return np.asarray(THETA @ (self.units * p + self.floor))

    def first_order(self, scale: float) -> tuple[Floats, int]:
        """SCS's p, and its iterations; zeros where it fails."""
        H, p0 = self.H.astype(float), self.p0.astype(float)
        inverse = np.linalg.inv(np.linalg.cholesky(H).T)
        data = {
            "P": sparse.identity(10, format="csc"),
            "A": sparse.csc_matrix(-_SCS_ROOT[:, None] * inverse[_SCS_ENTRY]),
            "b": _SCS_ROOT * p0[_SCS_ENTRY],
            "c": np.zeros(10),
        }
        asked = {"eps_abs": SCS_TOLERANCE, "eps_rel": SCS_TOLERANCE, "max_iters": SCS_STEPS}
        found = scs.SCS(data, {"s": [4]}, scale=scale, verbose=False, **asked).solve()
        p = p0 + inverse @ found["x"]
        return np.where(np.isfinite(p), p, 0.0), int(found["info"]["iter"])

    def refined(self, p: Floats | Decimals) -> Decimals:
        """Newton's method on (X Z + Z X) / 2 = 0, as far as it converges."""
        p = _exact(p)
        moved = np.stack([_dual(column) for column in self.H.T])
        for _ in range(NEWTON_STEPS):
            X, Z = p[_ENTRY], _dual(self.H @ (p - self.p0))
            jacobian = _symmetric_products(X, moved) + _symmetric_products(_BASIS, Z)
            step = _solve(jacobian.T, -_symmetric_products(X, Z))
            p = p + step
            if abs(step).max() < CONVERGED:
                break
        return p

    def proof(self, p: Decimals) -> tuple[Decimals, float] | None:
        """A feasible point beside p and its bound; None where p is not the nearest.

        For feasible x and z and r = H (x - x0) - z the duality gap is <x, z> + r^T H^-1 r / 2; and
        the objective f grows by at least ||x - nearest||_H^2 / 2.
        """
        p = p + SHIFT * _IDENTITY
        gradient = self.H @ (p - self.p0)
        z = gradient + 4 * SHIFT * _IDENTITY  # which H, of trace one, cannot have moved as far
        if not (_is_semidefinite(p[_ENTRY]) and _is_semidefinite(_dual(z))):
            return None
        r = gradient - z
        gap = p @ z + r @ _solve(self.H, r) / 2
        bound = float((2 * gap / ((p - self.p0) @ gradient)).sqrt())
        return (p, bound) if bound < PROVEN else None


def by_clarabel(theta0: Floats, W: Floats) -> Floats:
    """Theta by cvxpy and Clarabel: the change, in units of the violation, of a body of size one."""
    with decimal.localcontext(prec=DIGITS):
        problem = _Problem(theta0, W, None)
        H, p0 = problem.H.astype(float), problem.p0.astype(float)
        violation = -np.linalg.eigvalsh(p0[_ENTRY])[0]
        change = cp.Variable((4, 4), symmetric=True)
        entries = cp.hstack([change[i, j] for i, j in zip(*_UPPER, strict=True)])
        length = cp.sum_squares(np.linalg.cholesky(H).T @ entries)
        cone = p0[_ENTRY] + violation * change >> 0
        cp.Problem(cp.Minimize(length), [cone]).solve(solver=cp.CLARABEL)
        found = p0 + violation * change.value[_UPPER]
        return problem.theta(_exact(found)).astype(float)


def _exact(values: Any) -> Decimals:
    """Decimals of numbers, not rounded."""
    flat = [v if isinstance(v, Decimal) else Decimal(float(v)) for v in np.ravel(values)]
    return np.array(flat, dtype=object).reshape(np.shape(values))


def _dual(g: Decimals) -> Decimals:
    """The matrix Z with <Z, P> = g^T p."""
    return (g * _HALVES)[_ENTRY]


def _symmetric_products(A: Decimals, B: Decimals) -> Decimals:
    """Upper triangles of (A B + B A) / 2, (..., 10)."""
    product = A @ B
    product = product + np.swapaxes(product, -1, -2)
    return product[..., _UPPER[0], _UPPER[1]] / 2


def _is_semidefinite(matrix: Decimals) -> bool:
    """By the signs of its pivots, the largest first."""
    A = matrix.copy()
    while len(A):
        k = int(np.argmax(np.diagonal(A)))
        pivot, rest = A[k, k], np.arange(len(A)) != k
        if pivot <= 0:
            return pivot == 0 and not A.any()
        A = A[np.ix_(rest, rest)] - np.outer(A[rest, k], A[k, rest]) / pivot
    return True


def _solve(A: Decimals, b: Decimals) -> Decimals:
    """Gauss-Jordan elimination with row pivots."""
    M = np.concatenate([A, b[:, None]], axis=1)
    for k in range(len(M)):
        pivot = k + int(np.argmax(abs(M[k:, k])))
        M[[k, pivot]] = M[[pivot, k]]
        M[k] = M[k] / M[k, k]
        rest = np.arange(len(M)) != k
        M[rest] = M[rest] - np.outer(M[rest, k], M[k])
    return M[:, -1]
