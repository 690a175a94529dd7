"""Newton's method on the normal map of projection/newton.py, in any array library.

Rows on which it stalls follow the central path, at up to three scales of the multiplier. All of it
is one loop over stages: 0 is Newton's method alone; then, for each scale, the points of the path
and a last stage with mu = 0. The stages share one Newton loop, so that JAX compiles that once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.inertia.arrays import Array, Namespace
from inertial_check.inertia.derivatives import repeat_while
from inertial_check.projection.newton import PATH, PATH_STEPS, SEARCH, STEPS
from inertial_check.projection.portable.vectors import (
    congruence,
    decompose,
    make_constant,
    multiply,
    norm,
    pack,
    pairs_of,
)

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
    start = multiply(xp, xp.zeros_like(M), x0) + pack(xp, make_constant(xp, np.eye(4), x0))
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
    xp: Namespace,
    x0: Array,
    M: Array,
    Y: Array,
    mu: Array,
    target: Array,
    most: Array,
    rows: Array,
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
    (a, b), (ra, rb) = pairs_of(xp, values), pairs_of(xp, radius)
    total = ra + rb
    slopes = (1 + (a + b) / xp.where(total > 0, total, xp.ones_like(total))) / 2
    F = multiply(xp, M, X - x0) + Y - X
    T = congruence(xp, vectors)
    transposed = xp.matrix_transpose(T)
    jacobian = xp.matmul(transposed, xp.matmul(M, T)) * slopes[..., None, :]
    jacobian = jacobian + (1 - slopes)[..., None, :] * make_constant(xp, np.eye(10), T)
    inner = xp.linalg.solve(jacobian, multiply(xp, transposed, F)[..., None])
    size = norm(xp, F)
    lost = ~xp.isfinite(size)
    size = xp.where(lost, xp.full_like(size, xp.inf), size)  # passes for no answer
    return X, -multiply(xp, T, inner[..., 0]), size


def find_closed_form(xp: Namespace, x0: Array) -> Root:
    """Find the nearest in a metric of one: eigenvalues clipped at zero."""
    values, vectors = decompose(xp, x0)
    lifted = xp.where(values < 0, -values, xp.zeros_like(values))
    z = pack(xp, xp.matmul(vectors * lifted[..., None, :], xp.matrix_transpose(vectors)))
    zero = xp.zeros_like(x0[..., 0])
    return Root(x0 + z, z, zero, xp.astype(zero, xp.int32))
