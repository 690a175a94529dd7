"""The nearest positive semidefinite pseudo-inertia in any quadratic norm, many bodies at once.

Minimise (x - x0)^T M (x - x0) / 2 over x = svec(Pi - Delta) with Pi - Delta >= 0. The optimality
conditions are one equation, the normal map

    F(Y) = M (Y+ - x0) + Y - Y+ = 0,    X = Y+,    Z = Y+ - Y,

whose positive part makes X >= 0, Z >= 0 and <X, Z> = 0 hold by construction: ||F|| is all that can
be wrong. Its generalised Jacobian is one 10x10 system in the eigenbasis of Y (Qi and Sun, SIAM J.
Matrix Anal. Appl. 28, 2006). With Y+ smoothed to (l + sqrt(l^2 + 4 mu^2)) / 2 for each eigenvalue,
X Z = mu^2 1 is the central path. Rows on which Newton's method stalls follow it towards mu = 0; and
a log-det Bregman divergence to a prior is that same equation at a mu of its own.

Rows that still move are gathered after each step. portable.py has the loop for other libraries,
which masks them: on NumPy that takes 3 times as long for 2,000 bodies (0.39 s for 0.13 s).
`test_both_newton_loops_find_the_same` holds both to the same answers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.tolerances import EPS, ROUNDING_FACTOR, SUFFICIENT_DECREASE
from inertial_check.projection.quadratic import (
    Counts,
    LineSearch,
    Normalised,
    Quadratic,
    Solution,
    iterate_rows,
    normalise,
    restore,
)
from inertial_check.projection.svec import (
    COLUMN,
    ROW,
    SCALE,
    congruence,
    decompose,
    has_pivots,
    pack,
    smooth_positive,
    unpack,
)

CHUNK = 1024
"""Rows of a batch that are solved at a time: their 10x10 systems fit the processor's cache."""

POINT_STEPS = 4
"""Newton steps on a multiplier of rank one: enough from its first guess, where it is the answer."""

STEPS = 40
"""Newton steps at most; three to six are usual, and rows that stall follow the central path."""

PATH_STEPS = 6
"""Newton steps at most at each point of the central path; one or two are usual."""

PATH = tuple(10.0 ** (-k / 2) for k in range(20))
"""Points of the central path, from 1 to below CERTIFIED, in units of ||x0||."""

SEARCH = LineSearch(trials=26, decrease=SUFFICIENT_DECREASE)
"""Line search of a Newton step, on ||F||: down to 2^-25 of it, below which rounding decides."""

BRIEF = LineSearch(trials=8, decrease=SUFFICIENT_DECREASE)
"""Line search for multipliers that bound wherever they end: longer ones take 2.7 times the time."""


class Root(NamedTuple):
    """Point at which Newton's method ends, in the units of a Normalised problem.

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


def project(problem: Quadratic) -> Solution:
    """Find the nearest of every body, each as far as Newton's method goes.

    The residuals say how far that is: rows above CERTIFIED are for a conic solver.
    """
    found, open_rows = Solution.keep(problem.theta0), np.zeros(len(problem.theta0), dtype=np.bool_)
    for start in range(0, len(open_rows), CHUNK):
        some = slice(start, start + CHUNK)
        part = problem.rows(some)
        units = normalise(part)
        root = iterate(units)
        found.put(some, restore(part, units, root.x, root.z, root.steps))
        open_rows[some] = root.residual > units.rounding
    stalled = np.flatnonzero(open_rows)
    for start in range(0, len(stalled), CHUNK):  # together: few rows take as long as many
        rows = stalled[start : start + CHUNK]
        part = problem.rows(rows)
        units = normalise(part)
        root = _rescue(units, iterate(units))
        found.put(rows, restore(part, units, root.x, root.z, root.steps))
    return found


def solve(problem: Normalised) -> Root:
    """Solve every row as far as Newton's method goes; `residual` says how far that is."""
    return _rescue(problem, iterate(problem))


def iterate(problem: Normalised, most: int | None = None, search: LineSearch = SEARCH) -> Root:
    """Run Newton's method from a first guess; the multiplier is semidefinite wherever it ends."""
    if np.any(problem.mu > 0):
        return _polish(problem, problem.x0, 0 * problem.x0, np.ones(len(problem.mu)), most, search)
    # Guess X and Z: Z = v v^T where x0 has one negative eigenvalue. For most of those rows that is
    # the answer except for rounding: no Newton step on F is left.
    x0, M, reach = problem.x0, problem.M, problem.reach
    X, Z, residual = np.array(x0), np.zeros_like(x0), np.full(len(x0), np.inf)
    values, vectors = decompose(unpack(x0))
    rows = np.flatnonzero((values[:, 0] < 0) & (values[:, 1] >= 0))
    if rows.size:
        inverse = invert(M[rows]) if reach is None else reach[rows]
        lowest = values[rows, 0], vectors[rows, :, 0]
        x, z, apart = _solve_rank_one(x0[rows], inverse, *lowest)
        pulled = np.matmul(M[rows], (x - x0[rows])[:, :, None])[:, :, 0]
        rest = np.linalg.norm(pulled - z, axis=1) + apart * (
            1 + np.linalg.norm(M[rows], axis=(1, 2))
        )
        X[rows], Z[rows] = x, z
        residual[rows] = np.where(has_pivots(x, ROUNDING_FACTOR * EPS), rest, np.inf)
    found = Root(X, Z, residual, np.zeros(len(x0), dtype=np.int32))
    rows = np.flatnonzero(~(found.residual <= problem.rounding))
    if rows.size:
        start = found.x[rows], found.z[rows], np.ones(len(rows))
        ends = _polish(problem.rows(rows), *start, most, search)
        for whole, part in zip(found, ends, strict=True):
            np.asarray(whole)[rows] = part
    return found


def _rescue(problem: Normalised, best: Root) -> Root:
    """Improve, in place, the answers of rows on which Newton's method stalled."""
    size = np.linalg.norm(problem.M, axis=(1, 2))
    # In Y = X - t Z (Robinson's normal map, Math. Oper. Res. 17, 1992) with t = 1 a badly
    # conditioned M makes one of the two the other's rounding.
    for t in (np.ones(len(size)), size**-0.5, 1 / size):  # neither X nor t Z may drown the other
        rows = np.flatnonzero(best.residual > problem.rounding)
        if not rows.size:
            break
        _keep_better(best, rows, _follow_path(problem.rows(rows), t[rows]))
    return best


def _keep_better(best: Root, rows: np.ndarray, found: Root) -> None:
    """Replace in `rows` of `best`, in place, the answers that are worse."""
    best.steps[rows] += found.steps
    better = found.residual < best.residual[rows]
    for whole, part in zip(best[:3], found[:3], strict=True):
        whole[rows[better]] = part[better]


def _solve_rank_one(x0: Floats, inverse: Floats, value: Floats, v: Floats) -> tuple[Floats, ...]:
    """Solve for X = x0 + M^-1 svec(v v^T) with v in its kernel: four unknowns instead of ten.

    Then Z = v v^T. X v = 0 has the Jacobian X + C^T M^-1 C / 2 with C = d svec(v v^T) / dv. Whether
    X >= 0 remains to be seen.

    Args:
        x0: (n, 10).
        inverse: (n, 10, 10) M^-1, which serves all steps and their four columns.
        value: (n,) the negative eigenvalues of x0.
        v: (n, 4) their eigenvectors.

    Returns:
        X and Z (n, 10), and ||X v|| / ||v|| (n,).
    """
    C = (v @ DYAD).reshape(-1, 10, 4)
    z = np.matmul(C, v[:, :, None]) / 2
    reach = np.matmul(z.transpose(0, 2, 1), np.matmul(inverse, z))[:, 0, 0]
    # value < 0, and the quotient is positive where M is definite: rounding can take that away.
    v = v * np.sqrt(np.maximum(-value / np.where(reach > 0, reach, np.inf), 0.0))[:, None]
    for _ in range(POINT_STEPS):
        C = (v @ DYAD).reshape(-1, 10, 4)
        spread = np.matmul(inverse, C)
        X = unpack(x0 + np.matmul(spread, v[:, :, None])[:, :, 0] / 2)
        jacobian = X + np.matmul(C.transpose(0, 2, 1), spread) / 2
        v = v - solve_systems(jacobian, np.matmul(X, v[:, :, None]))[:, :, 0]
    z = pack(v[:, :, None] * v[:, None, :])
    x = x0 + np.matmul(inverse, z[:, :, None])[:, :, 0]
    rest, size = (
        np.linalg.norm(a, axis=1) for a in (np.matmul(unpack(x), v[:, :, None])[:, :, 0], v)
    )
    return x, z, rest / size


def invert(M: Floats) -> Floats:
    """Invert matrices (n, 10, 10); a singular one gives NaN and does not decide over the others."""
    try:
        return np.asarray(np.linalg.inv(M))
    except np.linalg.LinAlgError:
        regular = np.asarray(np.isfinite(M).all(axis=(1, 2)))
        regular[regular] = np.linalg.matrix_rank(M[regular]) == M.shape[-1]
        inverse = np.full_like(M, np.nan)
        inverse[regular] = np.linalg.inv(M[regular])
        return inverse


_PLACES = np.eye(4)[ROW][:, :, None] * np.eye(4)[COLUMN][:, None, :]
DYAD: Floats = (_PLACES + _PLACES.transpose(0, 2, 1)) * SCALE[:, None, None]
DYAD = DYAD.transpose(2, 0, 1).reshape(4, 40)
"""Map (4, 40) from v to d svec(v v^T) / dv, (10, 4)."""


def _follow_path(problem: Normalised, t: Floats) -> Root:
    """Follow the central path from its well-conditioned end, then iterate from its last point.

    The path ends where X Z = mu^2 1; t scales Z against X in Y = X - t Z.
    """
    Y, steps = np.broadcast_to(pack(np.eye(4)), problem.x0.shape), np.zeros(len(t), dtype=np.int32)
    for point in PATH:
        # X Z = mu^2 1 holds at every point of the smoothed equation (Kanzow, SIAM J. Matrix Anal.
        # Appl. 17, 1996), so no interior start is needed, as a barrier method would.
        mu = np.maximum(point, np.sqrt(t) * problem.mu)
        Y, X, _, more = _newton(problem, Y, t, mu, PATH_STEPS)
        steps += more
    best = _polish(problem, X, (X - Y) / t[:, None], t)
    best.steps[:] += steps
    size = 1 / np.maximum(np.linalg.norm(best.z, axis=1), 1.0)
    _keep_better(best, np.arange(len(t)), _polish(problem, best.x, best.z, size))
    return best


def _polish(
    problem: Normalised,
    X: Floats,
    Z: Floats,
    t: Floats,
    most: int | None = None,
    search: LineSearch = SEARCH,
) -> Root:
    """Run Newton's method from X and Z, with Y = X - t Z."""
    mu = np.sqrt(t) * problem.mu
    Y, X, residual, steps = _newton(
        problem, X - t[:, None] * Z, t, mu, STEPS if most is None else most, search
    )
    return Root(X, (X - Y) / t[:, None], residual / t, steps)


def _newton(
    problem: Normalised, Y: Floats, t: Floats, mu: Floats, most: int, search: LineSearch = SEARCH
) -> tuple[Floats, Floats, Floats, Counts]:
    """Run damped Newton steps on t M (Y+ - x0) + t slope + Y - Y+, until no step helps a row.

    Returns:
        (n, 10) Y, (n, 10) Y+, (n,) norm of the equation, (n,) steps.
    """
    Y, target = np.array(Y), t * problem.rounding
    equation = _Equation(problem.x0, t[:, None, None] * problem.M, t[:, None] * problem.slope, mu)
    state = equation.at(Y)
    X, norm = state.positive, np.linalg.norm(state.F, axis=1)
    norm = np.where(np.isnan(norm), np.inf, norm)  # so that no such row passes for solved
    going = np.flatnonzero(norm > target)
    state = state.rows(going)

    def advance(rows: Integers) -> Mask:
        nonlocal state
        part = equation.rows(rows)
        y, state, after = part.search(Y[rows], part.step(state), norm[rows], search)
        better = after < norm[rows]
        Y[rows[better]], X[rows[better]] = y[better], state.positive[better]
        norm[rows[better]] = after[better]
        further = better & (after > target[rows])
        state = state.rows(further)
        return np.asarray(further)

    steps = iterate_rows(going, len(Y), most, advance)
    return Y, X, norm, steps


class _State(NamedTuple):
    """Value of the equation at some Y, with the parts of its Jacobian.

    Attributes:
        F: (n, 10) value.
        positive: (n, 10) Y+.
        vectors: (n, 4, 4) eigenvectors of Y.
        slopes: (n, 10) divided differences of the positive part, in their basis.
    """

    F: Floats
    positive: Floats
    vectors: Floats
    slopes: Floats

    def rows(self, rows: Integers | Mask) -> _State:
        """Select some of the rows."""
        return _State(*(part[rows] for part in self))


class _Equation(NamedTuple):
    """Normal map F(Y) = M (Y+ - x0) + slope + Y - Y+, with Y+ smoothed by mu."""

    x0: Floats
    M: Floats
    slope: Floats
    mu: Floats

    def rows(self, rows: Integers) -> _Equation:
        """Select some of the rows; all of them without a copy."""
        if len(rows) == len(self.x0):
            return self
        return _Equation(*(part[rows] for part in self))

    def at(self, Y: Floats) -> _State:
        """Evaluate the equation at Y (n, 10)."""
        # The positive part p of Y, smoothed by mu, and its divided differences
        # (p(a) - p(b)) / (a - b) = (1 + (a + b) / (r_a + r_b)) / 2.
        values, vectors = decompose(unpack(Y))
        p, radius = smooth_positive(values, self.mu[:, None])
        positive = pack(np.matmul(vectors * p[:, None, :], vectors.transpose(0, 2, 1)))
        total = radius[:, ROW] + radius[:, COLUMN]
        slopes = (1 + (values[:, ROW] + values[:, COLUMN]) / np.where(total > 0, total, 1.0)) / 2
        pulled = np.matmul(self.M, (positive - self.x0)[:, :, None])[:, :, 0]
        return _State(pulled + self.slope + Y - positive, positive, vectors, slopes)

    def step(self, state: _State) -> Floats:
        """Solve (M Q + 1 - Q) s = -F for the step s (n, 10), Q the slopes in Y's eigenbasis."""
        F, _, vectors, slopes = state
        # In Y's eigenbasis the slope of Y+ is diagonal, so one 10x10 product builds the Jacobian
        # (Qi and Sun 2006); conjugate gradients pay from larger matrices on.
        T = congruence(vectors)
        transposed = T.transpose(0, 2, 1)
        jacobian = np.matmul(np.matmul(transposed, self.M), T) * slopes[:, None, :]
        # M Q + 1 - Q is regular for M > 0 and 0 <= Q <= 1: no step needs regularisation.
        jacobian[:, np.arange(10), np.arange(10)] += 1 - slopes
        right = np.matmul(transposed, F[:, :, None])
        return np.asarray(-np.matmul(T, solve_systems(jacobian, right))[:, :, 0])

    def search(
        self, Y: Floats, step: Floats, norm: Floats, search: LineSearch
    ) -> tuple[Floats, _State, Floats]:
        """Halve the step in each row until ||F|| falls: the new Y, its state and ||F||."""
        trial = Y + step
        state = self.at(trial)
        after = np.linalg.norm(state.F, axis=1)

        def attempt(rows: Integers, length: float) -> Mask:
            if length < 1:  # the whole step has been evaluated above, for all rows at once
                trial[rows] = Y[rows] + length * step[rows]
                for whole, part in zip(state, self.rows(rows).at(trial[rows]), strict=True):
                    whole[rows] = part
                after[rows] = np.linalg.norm(state.F[rows], axis=1)
            return search.accepts(after[rows], norm[rows], length)

        search.find_rows(len(Y), attempt)
        return trial, state, after


def solve_systems(A: Floats, b: Floats) -> Floats:
    """Solve linear systems A x = b: (n, k, j), the shortest solution where one is singular."""
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:  # a single row can raise it: solve the others as before
        if len(A) > 1:
            return np.concatenate(
                [solve_systems(A[i : i + 1], b[i : i + 1]) for i in range(len(A))]
            )
        if not np.isfinite(A).all():  # its singular values would not converge
            return np.full_like(b, np.nan)
        return np.asarray(np.linalg.lstsq(A[0], b[0], rcond=None)[0])[None]
