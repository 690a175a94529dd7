"""Projections onto products of cones, smoothed where asked, with their generalised Jacobians.

A cone here is one of those of constraints.Block, each its own dual but for {0}: w = s - z with s
its projection and z in the dual cone, orthogonal to s. Smoothed by mu, each eigenvalue l becomes
p(l) = (l + sqrt(l^2 + 4 mu^2)) / 2, and s z = mu^2 1 is the central path.

Newton's method on the optimality conditions of a conic problem, all cones alike.

With w = s - z, s the projection of w onto the cones and z = s - w its multiplier (in the units of
the problem scaled by `step`, u = step d), the conditions are one semismooth equation in d, y, w:

    M d - Gu^T z = 0,    Gy^T z = 0,    g + step Gu d + Gy y - s = 0.

Everything else (cones, complementarity) holds by construction. The Jacobian may be singular, as
where auxiliary variables are not unique: steps are those of least squares.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from inertial_check.inertia.arrays import Floats, Integers
from inertial_check.inertia.tolerances import (
    BEYOND_CERTIFIED,
    CERTIFIED,
    DAMPED_SYSTEM,
    DAMPING,
    EPS,
    REGULAR_SYSTEM,
    ROUNDING_FACTOR,
)
from inertial_check.projection.constraint import Cone
from inertial_check.projection.quadratic import PATIENCE, LineSearch
from inertial_check.projection.svec import eigenbases, order_of, smooth_positive, triangle


class Part(NamedTuple):
    """Consecutive rows that belong to one cone."""

    cone: Cone
    rows: slice


class ConeProblem(Protocol):
    """Minimise d^T M d / 2 with g + Gu d + Gy y in a product of cones."""

    @property
    def M(self) -> Floats:
        """(p, p) positive semidefinite."""

    @property
    def Gu(self) -> Floats:
        """(k, p)."""

    @property
    def Gy(self) -> Floats:
        """(k, aux)."""

    @property
    def g(self) -> Floats:
        """(k,)."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The cones of the rows."""


_Layout = tuple[Cone, int, int]

LAYOUTS = 64
"""Number of products of cones whose matrices are kept grouped by their order."""


def project(w: Floats, parts: tuple[Part, ...], mu: float = 0.0) -> Floats:
    """Project w (k,) onto the product of the cones."""
    point = np.zeros_like(w)
    for cone, rows in parts:
        if cone == "nonneg":
            point[rows] = smooth_positive(w[rows], mu)[0]
        elif cone == "soc":
            values, direction = _decompose_arrow(w[rows])
            high, low = smooth_positive(values, mu)[0]
            point[rows] = np.concatenate([[(high + low) / 2], (high - low) / 2 * direction])
    for n, places in _group_matrices(_layout(parts)):
        values, vectors = _decompose_together(w[places], n)
        positive = smooth_positive(values, mu)[0]
        i, j, scale = triangle(n)
        matrices = np.matmul(vectors * positive[:, None, :], vectors.transpose(0, 2, 1))
        point[places] = matrices[:, i, j] * scale
    return point


def slopes(w: Floats, parts: tuple[Part, ...], mu: float = 0.0) -> Floats:
    """Compute the Jacobian (k, k) of the projection at w; a generalised one at a kink."""
    slope = np.zeros((len(w), len(w)))
    for cone, rows in parts:
        if cone == "nonneg":
            radius = smooth_positive(w[rows], mu)[1]
            slope[rows, rows] = np.diag((1 + w[rows] / np.where(radius > 0, radius, 1.0)) / 2)
        elif cone == "soc":
            values, direction = _decompose_arrow(w[rows])
            (first, across), (_, second) = _quotients(values, smooth_positive(values, mu)[1])
            mean, half = (first + second) / 2, (first - second) / 2
            outer = np.outer(direction, direction)
            own = across * (np.eye(len(outer)) - outer) + mean * outer
            slope[rows, rows] = np.block(
                [[mean, half * direction], [half * direction[:, None], own]]
            )
    for n, places in _group_matrices(_layout(parts)):
        values, vectors = _decompose_together(w[places], n)
        radius = smooth_positive(values, mu)[1]
        i, j, _ = triangle(n)
        quotients = _quotients(values, radius)[:, None, i, j]
        bases = eigenbases(vectors)
        found = np.matmul(bases.transpose(0, 2, 1) * quotients, bases)
        for rows, own in zip(places, found, strict=True):
            slope[rows[0] : rows[-1] + 1, rows[0] : rows[-1] + 1] = own
    return slope


def _layout(parts: tuple[Part, ...]) -> tuple[_Layout, ...]:
    """Describe parts by what can be hashed: slices cannot before Python 3.12."""
    return tuple((cone, rows.start, rows.stop) for cone, rows in parts)


@lru_cache(maxsize=LAYOUTS)
def _group_matrices(parts: tuple[_Layout, ...]) -> tuple[tuple[int, Integers], ...]:
    """Group the semidefinite cones by their order n: (count, rows) of those of the same order."""
    found: dict[int, list[Integers]] = {}
    for cone, start, stop in parts:
        if cone == "psd":
            found.setdefault(order_of(stop - start), []).append(np.arange(start, stop))
    return tuple((n, np.stack(places)) for n, places in found.items())


def _decompose_together(w: Floats, n: int) -> tuple[Floats, Floats]:
    """Compute the eigenvalues (count, n) and eigenvectors of matrices of order n, as svec."""
    i, j, scale = triangle(n)
    matrices = np.empty((len(w), n, n))
    matrices[:, i, j] = matrices[:, j, i] = w / scale
    values, vectors = np.linalg.eigh(matrices)
    return values, vectors


def distance(s: Floats, parts: tuple[Part, ...], *, dual: bool = False) -> float:
    """Measure by eigenvalues how far s leaves the product of the cones, or of their duals."""
    worst = [0.0]
    for cone, rows in parts:
        own = s[rows]
        if cone == "zero":
            worst.append(0.0 if dual else float(np.max(np.abs(own), initial=0.0)))
        elif cone == "nonneg":
            worst.append(float(-np.min(own, initial=0.0)))
        elif cone == "soc":
            worst.append(float(np.linalg.norm(own[1:]) - own[0]))
    for n, places in _group_matrices(_layout(parts)):
        i, j, scale = triangle(n)
        matrices = np.empty((len(places), n, n))
        matrices[:, i, j] = matrices[:, j, i] = s[places] / scale
        worst.append(-float(np.linalg.eigvalsh(matrices).min()))
    return max(worst)


def complementarity(s: Floats, z: Floats, parts: tuple[Part, ...]) -> float:
    """Add up |<s, z>| over the cones."""
    return float(sum(abs(s[rows] @ z[rows]) for cone, rows in parts if cone != "zero"))


def _quotients(values: Floats, radius: Floats) -> Floats:
    """Compute divided differences (p(a) - p(b)) / (a - b), derivatives on the diagonal."""
    total = radius[..., :, None] + radius[..., None, :]
    both = values[..., :, None] + values[..., None, :]
    return (1 + both / np.where(total > 0, total, 1.0)) / 2


def _decompose_arrow(w: Floats) -> tuple[Floats, Floats]:
    """Compute the eigenvalues t + |x| and t - |x| of a vector (t, x), and the direction of x."""
    length = float(np.linalg.norm(w[1:]))
    # Spectral decomposition of the second-order cone (Fukushima, Luo and Tseng, SIAM J. Optim. 12,
    # 2002): one formula then smooths every cone. At the axis every direction is as good: the
    # projection is the same.
    direction = w[1:] / length if length > 0 else np.eye(len(w) - 1)[0]
    return np.array([w[0] + length, w[0] - length]), direction


STEPS = 30
"""Newton steps at most; from a solver's answer three to six reach the rounding unit."""

SEARCH = LineSearch(trials=12)
"""Line search of a Newton step, on the norm of the equation."""

PATH = tuple(10.0**-k for k in range(2, 13))
"""Points of the central path for answers on which plain Newton steps stall."""

PATH_STEPS = 8
"""Newton steps at most at each point of the central path."""


class ConePoint(NamedTuple):
    """A point of the equation: u = step d.

    Attributes:
        d: (10 n,) change of the bodies in units of `step`.
        y: (aux,) auxiliary variables.
        w: (k,) s - z / step, z the multipliers.
        step: The size of the change.
    """

    d: Floats
    y: Floats
    w: Floats
    step: float


def polish(
    problem: ConeProblem, start: ConePoint, *, along_path: bool = True
) -> tuple[ConePoint, float]:
    """Find the point from which no Newton step helps, and by how much it fails.

    Args:
        problem: A problem in its units.
        start: The answer of a solver.
        along_path: Whether to follow the central path where plain steps stall.
    """
    point, residual = _newton(problem, start, 0.0, STEPS)
    if residual <= BEYOND_CERTIFIED * CERTIFIED or not along_path:
        return point, residual
    on_path = start
    for mu in PATH:
        on_path, _ = _newton(problem, on_path, mu, PATH_STEPS)
    # The path enters the region where plain steps converge quadratically (Chen and Tseng, Math.
    # Program. 95, 2003); a solver stops at its tolerance before.
    other, after = _newton(problem, on_path, 0.0, STEPS)
    return (other, after) if after < residual else (point, residual)


def _newton(
    problem: ConeProblem, point: ConePoint, mu: float, most: int
) -> tuple[ConePoint, float]:
    """Run damped Newton steps at one point of the central path; mu = 0 is the problem itself."""
    size = 1 + float(np.linalg.norm(problem.M)) + float(np.linalg.norm(problem.g))
    target = ROUNDING_FACTOR * EPS * size  # below it the value is its own rounding
    value, slow = _evaluate(problem, mu, point), 0
    for _ in range(most):
        norm = float(np.linalg.norm(value))
        if norm <= target or (mu == 0 and slow == PATIENCE):
            break
        for step in _find_steps(problem, mu, point, value):
            found = None if step is None else _search(problem, mu, point, norm, step)
            if found is not None:
                break
        else:
            break
        point, value = found
        slow = slow + 1 if np.linalg.norm(value) > norm / 2 else 0
    return point, float(np.linalg.norm(value))


def _evaluate(problem: ConeProblem, mu: float, point: ConePoint) -> Floats:
    """Compute the optimality conditions at mu of the central path: zero at the answer."""
    s = project(point.w, problem.parts, mu)
    # Moreau's decomposition at mu = 0: w = s - z with s in the cone, z in its dual and <s, z> = 0,
    # so one vector w holds both and complementarity cannot fail.
    z = s - point.w
    inside = problem.g + point.step * (problem.Gu @ point.d) + problem.Gy @ point.y - s
    pulled = problem.M @ point.d - problem.Gu.T @ z
    return np.concatenate([pulled, -(problem.Gy.T @ z), inside])


def _find_steps(
    problem: ConeProblem, mu: float, point: ConePoint, value: Floats
) -> Iterator[Floats | None]:
    """Yield the Newton step, and then the shortest step that solves the linear system best."""
    # Compute one generalised Jacobian of the value by d, y and w.
    slope = slopes(point.w, problem.parts, mu)
    pulled = slope - np.eye(len(slope))
    n, aux = len(point.d), len(point.y)
    jacobian = np.zeros((n + aux + len(slope),) * 2)
    jacobian[:n, :n] = problem.M
    jacobian[:n, n + aux :] = -problem.Gu.T @ pulled
    jacobian[n : n + aux, n + aux :] = -problem.Gy.T @ pulled
    jacobian[n + aux :, :n] = point.step * problem.Gu
    jacobian[n + aux :, n : n + aux] = problem.Gy
    jacobian[n + aux :, n + aux :] = -slope
    damped = jacobian
    if aux:  # y is mostly not unique: prefer the shortest step of it
        own = np.arange(n, len(jacobian))
        damped = np.array(jacobian)
        damped[own, own] += np.where(own < n + aux, 1.0, -1.0) * DAMPING
    yield _solve_regular(jacobian, value, damped)
    try:
        yield np.asarray(np.linalg.lstsq(jacobian, -value, rcond=None)[0])
    except np.linalg.LinAlgError:  # numbers so large that its singular values do not converge
        yield None


def _search(
    problem: ConeProblem, mu: float, point: ConePoint, norm: float, step: Floats
) -> tuple[ConePoint, Floats] | None:
    """Shorten a step until the norm of the value falls; None if it never does."""
    d, y, w = np.split(step, [len(point.d), len(point.d) + len(point.y)])
    for length in SEARCH.lengths():
        trial = ConePoint(
            point.d + length * d, point.y + length * y, point.w + length * w, point.step
        )
        value = _evaluate(problem, mu, trial)
        if SEARCH.accepts(float(np.linalg.norm(value)), norm, length):
            return trial, value
    return None


def _solve_regular(jacobian: Floats, value: Floats, damped: Floats) -> Floats | None:
    """Compute the Newton step by a damped Jacobian; None where it solves the system too badly.

    Steps of a damped system reduce the value by much, and the next one does again.
    """
    try:
        step = np.asarray(np.linalg.solve(damped, -value))
    except np.linalg.LinAlgError:
        return None
    error = float(np.linalg.norm(jacobian @ step + value))
    allowed = REGULAR_SYSTEM if damped is jacobian else DAMPED_SYSTEM
    return step if error <= allowed * float(np.linalg.norm(value)) else None
