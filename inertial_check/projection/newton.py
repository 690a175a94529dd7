"""The nearest positive semidefinite pseudo-inertia in any quadratic norm, many bodies at once.

Minimise (x - x0)^T M (x - x0) / 2 over x = svec(Pi - Delta) with Pi - Delta >= 0. The optimality
conditions are one equation, the normal map

    F(Y) = M (Y+ - x0) + Y - Y+ = 0,    X = Y+,    Z = Y+ - Y,

whose positive part makes X >= 0, Z >= 0 and <X, Z> = 0 hold by construction: ||F|| is all that can
be wrong. Its generalised Jacobian is one 10x10 system in the eigenbasis of Y (Qi and Sun, SIAM J.
Matrix Anal. Appl. 28, 2006). With Y+ smoothed to (l + sqrt(l^2 + 4 mu^2)) / 2 for each eigenvalue,
X Z = mu^2 1 is the central path. Rows on which Newton's method stalls follow it towards mu = 0; and
a log-det Bregman divergence to a prior is that same equation at a mu of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.projection.quadratic import (
    Counts,
    Normalised,
    Quadratic,
    Solution,
    normalised,
    solution,
)
from inertial_check.solvers.svec import COLUMN, ROW, SCALE, congruence, pack, unpack

CHUNK = 1024
"""Rows worked on at a time: their 10x10 systems fit the cache."""

POINT_STEPS = 4
"""Newton steps on a multiplier of rank one: enough from its first guess, where it is the answer."""

STEPS = 40
"""Newton steps at most; three to six are usual, and stalled rows are smoothed."""

HALVINGS = 25
"""Halvings of a step at most: below that, no step in this direction helps."""

DECREASE = 1e-4
"""Part of the decrease that a step promises which it has to bring (Armijo's rule)."""

PATH_STEPS = 6
"""Newton steps at most at each point of the central path; one or two are usual."""

PATH = tuple(10.0 ** (-k / 2) for k in range(20))
"""The points of the central path, from 1 to below CERTIFIED, in units of ||x0||."""


class Found(NamedTuple):
    """What Newton's method ends at, in the units of a Normalised problem.

    Attributes:
        x: (n, 10) svec of X >= 0.
        z: (n, 10) svec of its multiplier Z >= 0.
        residual: (n,) ||M (x - x0) + slope - z||.
        steps: (n,) Newton steps.
    """

    x: Floats
    z: Floats
    residual: Floats
    steps: Counts


def nearest(problem: Quadratic) -> Solution:
    """The nearest of every body, each as far as Newton's method goes; the residuals say how far.

    The result is not certified: rows above CERTIFIED are for a conic solver.
    """
    slices = [slice(i, i + CHUNK) for i in range(0, max(len(problem.theta0), 1), CHUNK)]
    parts = [_nearest(problem.rows(rows)) for rows in slices]
    found = Solution(*map(np.concatenate, zip(*(part for part, _ in parts), strict=True)))
    stalled = np.flatnonzero(np.concatenate([rows for _, rows in parts]))
    for start in range(0, len(stalled), CHUNK):  # together: few rows take as long as many
        rows = stalled[start : start + CHUNK]
        part = problem.rows(rows)
        units = normalised(part)
        followed = _rescued(units, _direct(units))
        anew = solution(part, units, followed.x, followed.z, followed.steps)
        found.put(rows, anew)
    return found


def _nearest(problem: Quadratic) -> tuple[Solution, Mask]:
    """The answers of Newton's method alone, and on which rows (n,) it stalled."""
    units = normalised(problem)
    found = _direct(units)
    answers = solution(problem, units, found.x, found.z, found.steps)
    return answers, found.residual > units.rounding


def solve(problem: Normalised) -> Found:
    """Solve every row as far as Newton's method goes; `residual` says how far that is."""
    return _rescued(problem, _direct(problem))


def _direct(problem: Normalised) -> Found:
    """Newton's method from a first guess."""
    smoothed = np.any(problem.mu > 0)
    X, Z = (problem.x0, np.zeros_like(problem.x0)) if smoothed else _point_start(problem)
    return _polished(problem, X, Z, np.ones(len(X)))


def _rescued(problem: Normalised, best: Found) -> Found:
    """The answers, better where Newton's method stalled; replaced in place."""
    size = np.linalg.norm(problem.M, axis=(1, 2))
    for t in (np.ones(len(size)), size**-0.5, 1 / size):  # neither X nor t Z may drown the other
        rows = np.flatnonzero(best.residual > problem.rounding)
        if not rows.size:
            break
        _keep_better(best, rows, _followed(problem.rows(rows), t[rows]))
    return best


def _keep_better(best: Found, rows: np.ndarray, found: Found) -> None:
    """Put into `rows` of `best`, in place, those answers that are better."""
    best.steps[rows] += found.steps
    better = found.residual < best.residual[rows]
    for whole, part in zip(best[:3], found[:3], strict=True):
        whole[rows[better]] = part[better]


def _point_start(problem: Normalised) -> tuple[Floats, Floats]:
    """X and Z (n, 10) to begin with: Z = v v^T where x0 has one negative eigenvalue.

    For most of those rows that is the answer but for rounding: no Newton step on F is left.
    """
    X, Z = np.array(problem.x0), np.zeros_like(problem.x0)
    values, vectors = np.linalg.eigh(unpack(problem.x0))
    rows = np.flatnonzero((values[:, 0] < 0) & (values[:, 1] >= 0))
    if rows.size:
        lowest = values[rows, 0], vectors[rows, :, 0]
        X[rows], Z[rows] = _of_rank_one(problem.x0[rows], problem.M[rows], *lowest)
    return X, Z


def _of_rank_one(x0: Floats, M: Floats, value: Floats, v: Floats) -> tuple[Floats, Floats]:
    """X = x0 + M^-1 svec(v v^T) with v in its kernel, and Z = v v^T: four unknowns instead of ten.

    X v = 0 has the Jacobian X + C^T M^-1 C / 2 with C = d svec(v v^T) / dv. Whether X >= 0 is left
    to see.

    Args:
        x0: (n, 10).
        M: (n, 10, 10).
        value: (n,) the negative eigenvalues of x0.
        v: (n, 4) their eigenvectors.
    """
    inverse = np.linalg.inv(M)
    C = (v @ _DYAD).reshape(-1, 10, 4)
    z = np.matmul(C, v[:, :, None]) / 2
    reach = np.matmul(z.transpose(0, 2, 1), np.matmul(inverse, z))[:, 0, 0]
    v = v * np.sqrt(-value / reach)[:, None]
    for _ in range(POINT_STEPS):
        C = (v @ _DYAD).reshape(-1, 10, 4)
        spread = np.matmul(inverse, C)
        X = unpack(x0 + np.matmul(spread, v[:, :, None])[:, :, 0] / 2)
        jacobian = X + np.matmul(C.transpose(0, 2, 1), spread) / 2
        v = v - solved(jacobian, np.matmul(X, v[:, :, None]))[:, :, 0]
    z = pack(v[:, :, None] * v[:, None, :])
    return x0 + np.matmul(inverse, z[:, :, None])[:, :, 0], z


def _dyad() -> Floats:
    """The map (4, 40) from v to d svec(v v^T) / dv, (10, 4)."""
    unit = np.eye(4)
    entries = unit[ROW][:, :, None] * unit[COLUMN][:, None, :]
    both = (entries + entries.transpose(0, 2, 1)) * SCALE[:, None, None]
    return np.asarray(both.reshape(10, 4, 4).transpose(2, 0, 1).reshape(4, 40))


_DYAD = _dyad()


def _followed(problem: Normalised, t: Floats) -> Found:
    """Along the central path from its well-conditioned end, then Newton steps from its last point.

    The path ends where X Z = mu^2 1; t scales Z against X in Y = X - t Z.
    """
    Y, steps = np.broadcast_to(pack(np.eye(4)), problem.x0.shape), np.zeros(len(t), dtype=np.int32)
    for point in PATH:
        mu = np.maximum(point, np.sqrt(t) * problem.mu)
        Y, X, _, more = _newton(problem, Y, t, mu, PATH_STEPS)
        steps += more
    best = _polished(problem, X, (X - Y) / t[:, None], t)
    best.steps[:] += steps
    size = 1 / np.maximum(np.linalg.norm(best.z, axis=1), 1.0)
    _keep_better(best, np.arange(len(t)), _polished(problem, best.x, best.z, size))
    return best


def _polished(problem: Normalised, X: Floats, Z: Floats, t: Floats) -> Found:
    """Newton's method from X and Z, with Y = X - t Z."""
    mu = np.sqrt(t) * problem.mu
    Y, X, residual, steps = _newton(problem, X - t[:, None] * Z, t, mu, STEPS)
    return Found(X, (X - Y) / t[:, None], residual / t, steps)


def _newton(
    problem: Normalised, Y: Floats, t: Floats, mu: Floats, most: int
) -> tuple[Floats, Floats, Floats, Counts]:
    """Damped Newton steps on t M (Y+ - x0) + t slope + Y - Y+, until no step helps a row.

    Returns:
        (n, 10) Y, (n, 10) Y+, (n,) norm of the equation, (n,) steps.
    """
    Y, target = np.array(Y), t * problem.rounding
    steps = np.zeros(len(Y), dtype=np.int32)
    equation = _Equation(problem.x0, t[:, None, None] * problem.M, t[:, None] * problem.slope, mu)
    state = equation.at(Y)
    X, norm = state.positive, np.linalg.norm(state.F, axis=1)
    rows = np.flatnonzero(norm > target)
    state = state.rows(rows)
    for _ in range(most):
        if not rows.size:
            break
        part = equation.rows(rows)
        step = part.step(state)
        steps[rows] += 1
        y, state, after = part.searched(Y[rows], step, norm[rows])
        better = after < norm[rows]
        Y[rows[better]], X[rows[better]] = y[better], state.positive[better]
        norm[rows[better]] = after[better]
        keep = better & (after > target[rows])
        rows, state = rows[keep], state.rows(keep)
    return Y, X, norm, steps


class _State(NamedTuple):
    """What the equation is at some Y, and what its Jacobian needs.

    Attributes:
        F: (n, 10).
        positive: (n, 10) Y+.
        vectors: (n, 4, 4) eigenvectors of Y.
        slopes: (n, 10) divided differences of the positive part, in their basis.
    """

    F: Floats
    positive: Floats
    vectors: Floats
    slopes: Floats

    def rows(self, rows: np.ndarray) -> _State:
        """Of some of the rows."""
        return _State(*(part[rows] for part in self))


class _Equation(NamedTuple):
    """F(Y) = M (Y+ - x0) + slope + Y - Y+, with Y+ smoothed by mu."""

    x0: Floats
    M: Floats
    slope: Floats
    mu: Floats

    def rows(self, rows: np.ndarray) -> _Equation:
        """Of some of the rows; all of them without a copy."""
        if len(rows) == len(self.x0):
            return self
        return _Equation(*(part[rows] for part in self))

    def at(self, Y: Floats) -> _State:
        """What the equation is at Y (n, 10)."""
        positive, vectors, slopes = _positive(Y, self.mu)
        pulled = np.matmul(self.M, (positive - self.x0)[:, :, None])[:, :, 0]
        return _State(pulled + self.slope + Y - positive, positive, vectors, slopes)

    def step(self, state: _State) -> Floats:
        """The Newton step (n, 10): (M Q + 1 - Q) s = -F in the eigenbasis of Y, Q the slopes."""
        F, _, vectors, slopes = state
        T = congruence(vectors)
        transposed = T.transpose(0, 2, 1)
        jacobian = np.matmul(np.matmul(transposed, self.M), T) * slopes[:, None, :]
        jacobian[:, np.arange(10), np.arange(10)] += 1 - slopes
        right = np.matmul(transposed, F[:, :, None])
        return np.asarray(-np.matmul(T, solved(jacobian, right))[:, :, 0])

    def searched(self, Y: Floats, step: Floats, norm: Floats) -> tuple[Floats, _State, Floats]:
        """The step, halved in each row until ||F|| falls: the new Y, its state and ||F||."""
        trial = Y + step
        state = self.at(trial)
        after = np.linalg.norm(state.F, axis=1)
        length = 1.0
        rows = np.flatnonzero(~(after < norm * (1 - DECREASE)))
        for _ in range(HALVINGS):
            if not rows.size:
                break
            length /= 2
            trial[rows] = Y[rows] + length * step[rows]
            for whole, part in zip(state, self.rows(rows).at(trial[rows]), strict=True):
                whole[rows] = part
            after[rows] = np.linalg.norm(state.F[rows], axis=1)
            rows = rows[~(after[rows] < norm[rows] * (1 - DECREASE * length))]
        return trial, state, after


def solved(A: Floats, b: Floats) -> Floats:
    """The solutions (n, k, 1) of linear systems, the shortest where one is singular."""
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:  # of a single row: the others are solved as before
        return np.array([_shortest(*system) for system in zip(A, b, strict=True)])


def _shortest(A: Floats, b: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0])


def _positive(Y: Floats, mu: Floats) -> tuple[Floats, Floats, Floats]:
    """The positive part of Y (n, 10), smoothed by mu (n,).

    Returns:
        (n, 10) p(Y) with p(l) = (l + r) / 2, r = sqrt(l^2 + 4 mu^2); the eigenvectors (n, 4, 4) of
        Y; (n, 10) divided differences (p(a) - p(b)) / (a - b) = (1 + (a + b) / (r_a + r_b)) / 2.
    """
    values, vectors = np.linalg.eigh(unpack(Y))
    radius = np.hypot(values, 2 * mu[:, None])
    below = np.where(values > 0, 1.0, radius - values)
    conjugate = 2 * mu[:, None] ** 2 / np.where(below > 0, below, 1.0)  # (l + r) / 2 would cancel
    p = np.where(values > 0, (values + radius) / 2, conjugate)
    positive = pack(np.matmul(vectors * p[:, None, :], vectors.transpose(0, 2, 1)))
    total = radius[:, ROW] + radius[:, COLUMN]
    slopes = (1 + (values[:, ROW] + values[:, COLUMN]) / np.where(total > 0, total, 1.0)) / 2
    return positive, vectors, slopes
