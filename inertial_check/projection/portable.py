"""The nearest by metrics of the whole pseudo-inertia, in the array library of the caller.

The same problems, floors and equations as quadratic.py, newton.py and holding.py state for NumPy,
written so that JAX compiles them, PyTorch keeps them on its device, and any array API runs them.
NumPy keeps a loop of its own, which gathers the rows that still move: three to six steps solve most
of them, and this loop takes every row through the steps of the slowest. 2,000 bodies by the metric
"euclidean" take 0.13 s with that loop, certificates included, and 0.39 s with this one on NumPy.

Newton's method runs on the normal map of newton.py. Rows on which it stalls follow the central
path, at up to three scales of the multiplier. All of it is one loop over stages: 0 is Newton's
method alone; then, for each scale, the points of the path and a last stage with mu = 0. The stages
share one Newton loop, so that JAX compiles that once. A loop around it raises the floor of rows
that have too little mass or no sound verdict: by a share of a body of their own, and where that
does not suffice, of the reference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Array, Floats, Namespace, constant_like
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.derivatives import repeat_while
from inertial_check.projection.newton import PATH, PATH_STEPS, SEARCH, STEPS
from inertial_check.projection.problems import (
    LEAST_RISE,
    OWN_SHARE,
    RISE,
    like_reference,
    spread_about_origin,
)
from inertial_check.projection.quadratic import UNITS_FIT
from inertial_check.projection.svec import COLUMN, FROM_SVEC, ROW, SCALE, TO_SVEC, Certificate

BASIS: Floats = np.zeros((10, 4, 4))
"""Orthonormal basis of the symmetric matrices: X = sum x_k BASIS[k] for x = svec(X)."""
BASIS[np.arange(10), ROW, COLUMN] = BASIS[np.arange(10), COLUMN, ROW] = 1 / SCALE


def multiply(xp: Namespace, matrix: Array, vector: Array) -> Array:
    """Multiply matrices (..., n, k) with vectors (..., k)."""
    return xp.matmul(matrix, vector[..., None])[..., 0]


def pack(xp: Namespace, X: Array) -> Array:
    """Pack symmetric matrices (..., 4, 4) as svec (..., 10)."""
    flat = xp.reshape(X, (*X.shape[:-2], 16))
    return multiply(xp, constant_like(xp, BASIS.reshape(10, 16), X), flat)


def unpack(xp: Namespace, x: Array) -> Array:
    """Unpack svec (..., 10) to symmetric matrices (..., 4, 4)."""
    flat = multiply(xp, constant_like(xp, BASIS.reshape(10, 16).T, x), x)
    return xp.reshape(flat, (*x.shape[:-1], 4, 4))


def apply(xp: Namespace, G: Array, x: Array) -> Array:
    """Compute svec(G X G^T) (..., 10) for x = svec(X)."""
    return pack(xp, xp.matmul(xp.matmul(G, unpack(xp, x)), xp.matrix_transpose(G)))


def congruence(xp: Namespace, G: Array) -> Array:
    """Build the maps (..., 10, 10) of svec(X) to svec(G X G^T)."""
    basis, left = constant_like(xp, BASIS, G), G[..., None, :, :]
    images = xp.matmul(left, xp.matmul(basis, xp.matrix_transpose(left)))
    flat = xp.reshape(images, (*G.shape[:-2], 10, 16))
    return xp.matmul(xp.reshape(basis, (10, 16)), xp.matrix_transpose(flat))


def diagonal(xp: Namespace, matrices: Array) -> Array:
    """Take the diagonals (..., n) of matrices (..., n, n)."""
    return xp.stack([matrices[..., i, i] for i in range(matrices.shape[-1])], axis=-1)


def pairs_of(xp: Namespace, values: Array) -> tuple[Array, Array]:
    """Take from four values (..., 4) those of the row and of the column of each entry (..., 10)."""
    rows, columns = (
        xp.stack([values[..., int(i)] for i in index], axis=-1) for index in (ROW, COLUMN)
    )
    return rows, columns


def decompose(xp: Namespace, x: Array) -> tuple[Array, Array]:
    """Compute eigenvalues (..., 4) and eigenvectors (..., 4, 4) of matrices given as svec.

    Those of the unit matrix stand where a number is not finite: some libraries would refuse all
    rows because of one.
    """
    finite = xp.all(xp.isfinite(x), axis=-1)[..., None, None]
    X = unpack(xp, x)
    one = constant_like(xp, np.eye(4), X)
    values, vectors = xp.linalg.eigh(xp.where(finite, X, one))
    return values, vectors


def norm(xp: Namespace, x: Array) -> Array:
    """Compute the lengths (...,) of vectors (..., n)."""
    return xp.sqrt(xp.sum(x * x, axis=-1))


SCALES = 3
"""Number of scales of the multiplier at which the central path is tried."""

STAGES = 1 + SCALES * (len(PATH) + 1)
"""Number of stages: Newton's method alone, and for each scale the path and Newton's method."""

HALF_DECADE = float(np.log(10) / 2)
"""Logarithm of the ratio of neighbouring points of PATH."""

SHORTEST = 2.0 ** (1 - SEARCH.trials)
"""Length of the last step that the line search tries."""


class Root(NamedTuple):
    """Point at which Newton's method ends, as newton.Root has it, with any leading axes."""

    x: Array
    z: Array
    residual: Array
    steps: Array


class _Step(NamedTuple):
    """State of the Newton loop: the point Y, its Y+, the step from it and the line search."""

    Y: Array
    X: Array
    step: Array
    length: Array
    size: Array
    steps: Array
    going: Array


class _Stage(NamedTuple):
    """State of the loop over stages: the last point, and the best answer so far."""

    stage: Array
    Y: Array
    best: Root


def find_root(xp: Namespace, x0: Array, M: Array, target: Array) -> Root:
    """Find the root of every row (..., 10), as far as Newton's method goes.

    Args:
        xp: The library of the arrays.
        x0: (..., 10) svec of the given, of length one.
        M: (..., 10, 10) metric of determinant one.
        target: (...,) residuals that count as solved.
    """
    zero = xp.zeros_like(target)
    size = xp.sqrt(xp.sum(M * M, axis=(-2, -1)))
    start = multiply(xp, xp.zeros_like(M), x0) + pack(xp, constant_like(xp, np.eye(4), x0))
    last = len(PATH)

    def advance(state: _Stage) -> _Stage:
        stage, best = state.stage, state.best
        turn = (stage - 1) // (last + 1)
        point = (stage - 1) - turn * (last + 1)
        t = xp.where(turn == 1, size**-0.5, xp.where(turn >= 2, 1 / size, xp.ones_like(size)))
        final = (stage == 0) | (point == last)
        mu = xp.where(final, zero, zero + xp.exp(-HALF_DECADE * xp.astype(point, x0.dtype)))
        Y = xp.where((stage > 0) & (point == 0), start, state.Y)
        most = PATH_STEPS + (STEPS - PATH_STEPS) * xp.astype(final, xp.int32)
        open_ = best.residual > target
        found = _iterate(xp, x0, M * t[..., None, None], Y, mu, t * target, most, open_)
        residual = found.size / t
        better = final & open_ & (residual < best.residual)
        z = (found.X - found.Y) / t[..., None]
        best = Root(
            xp.where(better[..., None], found.X, best.x),
            xp.where(better[..., None], z, best.z),
            xp.where(better, residual, best.residual),
            best.steps + found.steps,
        )
        return _Stage(stage + 1, found.Y, best)

    def goes_on(state: _Stage) -> Array:
        return (state.stage < STAGES) & xp.any(state.best.residual > target)

    count = xp.astype(zero, xp.int32)
    none = Root(x0, xp.zeros_like(x0), xp.full_like(zero, xp.inf), count)
    first = _Stage(xp.sum(xp.zeros_like(count)), x0, none)
    return repeat_while(xp, goes_on, advance, first).best


def _iterate(  # noqa: PLR0913, PLR0917 - the equation, and where to begin and end
    xp: Namespace, x0: Array, M: Array, Y: Array, mu: Array, target: Array, most: Array, rows: Array
) -> _Step:
    """Run damped Newton steps until no step helps a row, or `most` of them."""

    def advance(state: _Step) -> _Step:
        trial = state.Y + state.length[..., None] * state.step
        X, step, after = _evaluate(xp, x0, M, trial, mu)
        fell = state.going & (after < state.size * (1 - SEARCH.decrease * state.length))
        over = state.length <= SHORTEST
        taken = fell | (state.going & over & (after < state.size))
        wide = taken[..., None]
        steps = state.steps + xp.astype(taken, state.steps.dtype)
        further = xp.where(fell, (after > target) & (steps < most), ~over)
        return _Step(
            xp.where(wide, trial, state.Y),
            xp.where(wide, X, state.X),
            xp.where(wide, step, state.step),
            xp.where(fell, xp.ones_like(state.length), state.length / 2),
            xp.where(taken, after, state.size),
            steps,
            state.going & further,
        )

    X, step, size = _evaluate(xp, x0, M, Y, mu)
    count = xp.astype(xp.zeros_like(size), xp.int32)
    first = _Step(Y, X, step, xp.ones_like(size), size, count, rows & (size > target))
    return repeat_while(xp, lambda state: xp.any(state.going), advance, first)


def _evaluate(
    xp: Namespace, x0: Array, M: Array, Y: Array, mu: Array
) -> tuple[Array, Array, Array]:
    """Evaluate the normal map at Y (..., 10): Y+, the Newton step, and the length of the map."""
    values, vectors = decompose(xp, Y)
    mu = mu[..., None]
    radius = xp.sqrt(values**2 + 4 * mu**2)
    below = xp.where(values > 0, xp.ones_like(values), radius - values)
    conjugate = 2 * mu**2 / xp.where(below > 0, below, xp.ones_like(below))
    p = xp.where(values > 0, (values + radius) / 2, conjugate)
    X = pack(xp, xp.matmul(vectors * p[..., None, :], xp.matrix_transpose(vectors)))
    F = multiply(xp, M, X - x0) + Y - X
    T, _, inner = solve_linearised(xp, values, radius, vectors, M, F)
    size = norm(xp, F)
    lost = ~xp.isfinite(size)
    size = xp.where(lost, xp.full_like(size, xp.inf), size)  # passes for no answer
    return X, -multiply(xp, T, inner), size


def solve_linearised(
    xp: Namespace, values: Array, radius: Array, vectors: Array, M: Array, right: Array
) -> tuple[Array, Array, Array]:
    """Solve (M Q + 1 - Q) s = right in the eigenbasis of Y, where the slope Q of Y+ is diagonal.

    Args:
        xp: The library of the arrays.
        values: (..., 4) eigenvalues of Y.
        radius: (..., 4) their sizes, smoothed as Y+ is.
        vectors: (..., 4, 4) eigenvectors of Y.
        M: (..., 10, 10) metric.
        right: (..., 10).

    Returns:
        (..., 10, 10) the map T from the eigenbasis, (..., 10) the slopes Q there, (..., 10) T^-1 s.
    """
    (a, b), (ra, rb) = pairs_of(xp, values), pairs_of(xp, radius)
    total = ra + rb
    slopes = (1 + (a + b) / xp.where(total > 0, total, xp.ones_like(total))) / 2
    T = congruence(xp, vectors)
    transposed = xp.matrix_transpose(T)
    jacobian = xp.matmul(transposed, xp.matmul(M, T)) * slopes[..., None, :]
    jacobian = jacobian + (1 - slopes)[..., None, :] * constant_like(xp, np.eye(10), T)
    inner = xp.linalg.solve(jacobian, multiply(xp, transposed, right)[..., None])
    return T, slopes, inner[..., 0]


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
        M = xp.zeros_like(W) + constant_like(xp, np.eye(10), W)
        return Problem(theta0, M, xp.ones_like(theta0[..., 0]), reference, factor, inverse, True)
    to_theta = xp.matmul(constant_like(xp, FROM_SVEC, W), congruence(xp, factor))
    M = xp.matmul(xp.matrix_transpose(to_theta), xp.matmul(W, to_theta))
    M = (M + xp.matrix_transpose(M)) / 2
    weight = xp.exp(xp.linalg.slogdet(M)[1] / 10)
    M = M / weight[..., None, None]
    return Problem(theta0, M, weight, reference, factor, inverse, False)


def fit_reference(xp: Namespace, W: Array, theta0: Array) -> Array:
    """Fit diagonal references (..., 4, 4) of theta0's size, in whose units W is most even."""
    from_svec, to_svec = (constant_like(xp, m, W) for m in (FROM_SVEC, TO_SVEC))
    even = xp.sum(xp.matmul(W, from_svec) * from_svec, axis=-2)
    log_d = multiply(xp, constant_like(xp, UNITS_FIT, W), xp.log(even)) / 2
    units = xp.exp(log_d - xp.mean(log_d, axis=-1, keepdims=True))
    rows, columns = pairs_of(xp, units)
    size = norm(xp, multiply(xp, to_svec, theta0) * rows * columns)
    size = xp.where(size > 0, size, xp.ones_like(size))
    return (size[..., None] / units**2)[..., None] * constant_like(xp, np.eye(4), W)


def solve(xp: Namespace, problem: Problem, Delta: Array) -> Solution:
    """Find the nearest with Pi >= Delta (..., 4, 4)."""
    x0, size = _normalise(xp, problem, Delta)
    if problem.direct:
        # In a metric of one the nearest has the eigenvalues clipped at zero: no iteration.
        values, vectors = decompose(xp, x0)
        lifted = xp.where(values < 0, -values, xp.zeros_like(values))
        z = pack(xp, xp.matmul(vectors * lifted[..., None, :], xp.matrix_transpose(vectors)))
        zero = xp.zeros_like(x0[..., 0])
        root = Root(x0 + z, z, zero, xp.astype(zero, xp.int32))
    else:
        root = find_root(xp, x0, problem.M, find_rounding(xp, problem))
    Pi = apply(xp, problem.factor, root.x * size[..., None]) + pack(xp, Delta)
    back = xp.matrix_transpose(congruence(xp, problem.inverse))
    dual = multiply(xp, back, root.z) * (problem.weight * size)[..., None]
    return Solution(multiply(xp, constant_like(xp, FROM_SVEC, Pi), Pi), dual, root.steps)


def _normalise(xp: Namespace, problem: Problem, Delta: Array) -> tuple[Array, Array]:
    """Compute svec (..., 10) of what is to be moved, of length one, and its size (...,)."""
    Pi = multiply(xp, constant_like(xp, TO_SVEC, Delta), problem.theta0) - pack(xp, Delta)
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
    """Compute by how much answers fail the optimality conditions, as certify_in_units does."""
    x0, size = _normalise(xp, problem, Delta)
    to_svec = constant_like(xp, TO_SVEC, Delta)
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


ROUNDS = 400
"""Rounds at most in which a floor is raised: by LEAST_RISE from SOUND_SHARE to one takes 266."""


class Held(NamedTuple):
    """Answers that are bodies, with the floors that make them so.

    Attributes:
        solution: The answers.
        Delta: (..., 4, 4) the floors.
        floored: (...,) rows that end at the least mass.
    """

    solution: Solution
    Delta: Array
    floored: Array


class _Round(NamedTuple):
    """State of the loop: what is held, and by what each row is raised.

    Attributes:
        held: Answers and floors so far.
        below: (..., 4, 4) the floors of mass alone.
        body: (..., 4, 4) whose share is added to these.
        share: (...,) of it.
        level: (...,) 0 for no body, 1 for the row's own, 2 for the reference.
        going: (...,) rows that are solved again.
        round: Number of rounds so far.
    """

    held: Held
    below: Array
    body: Array
    share: Array
    level: Array
    going: Array
    round: Array


def hold(xp: Namespace, problem: Problem, mass_min: float | None) -> Held:
    """Solve, and again where the answer has too little mass or no sound verdict.

    Args:
        xp: The library of the arrays.
        problem: The problem, without floors.
        mass_min: Least mass [kg]; None for MASS_FLOOR of the mass given, or of the reference's
            where that is zero.
    """
    mass = problem.theta0[..., 0]
    zero, none = xp.zeros_like(mass), xp.zeros_like(problem.reference)
    given, own = xp.abs(mass), problem.reference[..., 3, 3]
    least = tolerances.MASS_FLOOR * xp.where(given > 0, given, own)
    if mass_min is not None:
        least = zero + mass_min
    corner = np.zeros((4, 4))
    corner[3, 3] = 1.0
    floor = least[..., None, None] * constant_like(xp, corner, none)

    def advance(state: _Round) -> _Round:
        anew = solve(xp, problem, state.held.Delta)
        old, wide = state.held.solution, state.going[..., None]
        more = xp.where(state.going, anew.steps, xp.zeros_like(anew.steps))
        solution = Solution(
            xp.where(wide, anew.theta, old.theta),
            xp.where(wide, anew.dual, old.dual),
            old.steps + more,
        )
        held = state.held._replace(solution=solution)
        light = (state.round == 0) & (held.solution.theta[..., 0] < least)
        Delta = xp.where(light[..., None, None], floor, held.Delta)
        held = Held(held.solution, Delta, held.floored | light)
        below = xp.where(light[..., None, None], floor, state.below)
        # theta = 0 is no body, and lacks nothing.
        code = Consistency(held.solution.theta, "origin").verdict_code
        bad = (
            ((code > int(Verdict.BOUNDARY)) & (code != int(Verdict.MASSLESS)))
            & state.going
            & ~light
        )
        return _raise(xp, problem, state._replace(held=held, below=below), light, bad)

    count = xp.astype(zero, xp.int32)
    empty = Solution(problem.theta0, xp.zeros_like(problem.theta0), count)
    start = _Round(
        held=Held(empty, none, xp.zeros_like(mass, dtype=xp.bool)),
        below=none,
        body=none,
        share=zero,
        level=count,
        going=xp.ones_like(mass, dtype=xp.bool),
        round=xp.sum(xp.zeros_like(count)),
    )

    def goes_on(state: _Round) -> Array:
        return (state.round < ROUNDS) & xp.any(state.going)

    return repeat_while(xp, goes_on, advance, start).held


def _raise(xp: Namespace, problem: Problem, state: _Round, light: Array, bad: Array) -> _Round:
    """Raise the floors of rows without a sound verdict."""
    theta, level = state.held.solution.theta, state.level
    reached = Consistency(theta, "origin").margin
    rise = xp.where(reached > 0, xp.full_like(reached, LEAST_RISE), xp.full_like(reached, RISE))
    share = state.share * rise
    begins = bad & (level == 0)
    spent = bad & (level == 1) & (share > OWN_SHARE)
    ended = bad & (level == 2) & (share > 1.0)
    own = spread_about_origin(problem.reference, theta)
    body = xp.where(begins[..., None, None], own, state.body)
    body = xp.where(spent[..., None, None], like_reference(problem.reference), body)
    share = xp.where(begins | spent, xp.full_like(share, tolerances.SOUND_SHARE), share)
    level = level + xp.astype(begins | spent, level.dtype)
    raised = bad & ~ended
    Delta = state.below + share[..., None, None] * body
    Delta = xp.where(raised[..., None, None], Delta, state.held.Delta)
    held = state.held._replace(Delta=Delta)
    return _Round(held, state.below, body, share, level, light | raised, state.round + 1)
