"""Small moves to their own digits: answers that lie hardly farther than rounding from the given.

A solver whose problem has the size of the body leaves residuals of rounding units of the body, and
these may be a fifth of a move that is 1e-14 of it. Next to the boundary only the small block of the
pseudo-inertia has to become positive semidefinite: its entries are computed in twice the digits, it
is projected in units of the move, and the large block enters by its Schur complement, which is of
the order of the move squared and follows in a few rounds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inertial_check.inertia.arrays import Array, Floats, Mask
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.representations import Point, inertia_from_second_moment
from inertial_check.inertia.tolerances import SMALL_MOVE
from inertial_check.projection import newton
from inertial_check.projection.certificate import (
    SolverResult,
    diagonalise,
    diagonalise_spread,
    find_nearness,
    verify_matrices,
)
from inertial_check.projection.moments import MomentMetric, find_multipliers
from inertial_check.projection.quadratic import (
    Normalised,
    Quadratic,
    Solution,
    certify_in_units,
    normalise,
    to_units,
)
from inertial_check.projection.svec import COLUMN, FROM_SVEC, ROW, congruence, pack, unpack

ROUNDS = 2
"""Rounds in which the Schur complement of the large block follows; each gains five digits."""


LIFTS = 6
"""Doublings of the rounding unit by which moments are raised where rounding left no body."""


def sharpen_matrices(problem: Quadratic, found: Solution) -> Solution:
    """Find small moves anew, to their own digits, where that proves nearer; the others stay.

    Args:
        problem: The problem that was solved.
        found: Its answer.
    """
    # Find rows whose move is small in units of their body, and that have no floor under them.
    change = np.abs(found.theta - problem.theta0)
    size = np.abs(problem.theta0)
    small_units = np.sqrt(np.einsum("nii->ni", problem.reference))
    scale = 1 / (small_units[:, _ROWS] * small_units[:, _COLUMNS])
    move, own = (np.max(v * scale, axis=1) for v in (change, size))
    small = (move > 0) & (move < SMALL_MOVE * own)
    if small.any():
        small &= ~problem.Delta.any(axis=(1, 2))
    rows = np.flatnonzero(small)
    if not rows.size:
        return found
    part = problem.rows(rows)
    with np.errstate(all="ignore"):
        units = normalise(part)
        theta, dual = _solve_block(part, units)
        old, new = (
            verify_matrices(part, z, t - part.theta0, "move", units).worst
            for t, z in ((found.theta[rows], found.dual[rows]), (theta, dual))
        )
        proof = certify_in_units(units, *to_units(part, units, theta, dual))
    # Kept only where the residuals relative to the move prove it nearer.
    better = new < old
    steps = found.iterations[rows]
    anew = Solution(theta, dual, proof, steps).rows(np.flatnonzero(better))
    kept = found.rows(np.arange(len(found.theta)))
    kept.put(rows[better], anew)
    return kept


_ROWS = [3, 0, 1, 2, 0, 0, 0, 1, 1, 2]
_COLUMNS = [3, 3, 3, 3, 0, 1, 2, 1, 2, 2]


def _solve_block(problem: Quadratic, units: Normalised) -> tuple[Floats, Floats]:
    """Solve for small moves: theta (n, 10), and svec of the multipliers (n, 10)."""
    start = find_nearness(problem, 0 * problem.theta0, units)
    values, rotation = diagonalise(start.X)
    basis = start.basis @ rotation
    X0 = values[:, :, None] * np.eye(4)
    back = congruence(basis)
    M = np.matmul(back.transpose(0, 2, 1), np.matmul(units.M, back))
    reach = newton.invert((M + M.transpose(0, 2, 1)) / 2)
    # Entries below the root of the move are the small block: the others stay definite. Where the
    # least is exactly 0, as of plates and rods, it is the small block, and not part of the large.
    small = values <= np.sqrt(np.abs(values[:, :1]))
    z, D = np.zeros_like(problem.theta0), np.zeros_like(X0)
    B = np.zeros_like(X0) + np.eye(4)
    for _ in range(ROUNDS):
        # Build B (n, 4, 4) with B^T X B block diagonal: the small block becomes its complement.
        X = X0 + D
        large = ~small[:, :, None] & ~small[:, None, :]
        one = np.eye(4)
        # B^T X B = diag(small - cross^T large^-1 cross, large) (Boyd and Vandenberghe, A.5.5): only
        # the first can be indefinite, and it is of the order of the move.
        inner = np.where(large, X, 0.0) + small[:, :, None] * one
        cross = np.where(~small[:, :, None] & small[:, None, :], X, 0.0)
        B = np.asarray(one - newton.solve_systems(inner, cross))
        Schur = B.transpose(0, 2, 1) @ (X0 + D) @ B
        # The move that the last multiplier made is taken back before the block is projected anew.
        own = pack(Schur) - np.matmul(reach, z[:, :, None])[:, :, 0]
        z = _project_block(own, reach, small)
        Z = B @ unpack(z) @ B.transpose(0, 2, 1)
        D = unpack(np.matmul(reach, pack(Z)[:, :, None])[:, :, 0])
    Z = B @ unpack(z) @ B.transpose(0, 2, 1)
    x = np.matmul(back, pack(D)[:, :, None])[:, :, 0] * units.size[:, None]
    change = np.einsum("nij,nj->ni", congruence(units.factor), x) @ FROM_SVEC.T
    multiplier = np.matmul(back, pack(Z)[:, :, None])[:, :, 0]
    multiplier = np.einsum("nij,ni->nj", congruence(units.inverse), multiplier)
    return problem.theta0 + change, multiplier * (units.weight * units.size)[:, None]


def _project_block(own: Floats, reach: Floats, small: Mask) -> Floats:
    """Project the small blocks of svec (n, 10), in units of their size: their multipliers.

    Minimise <x - own, reach^-1 (x - own)> over the block of x that is positive semidefinite. The
    large block is the identity there, which stays.
    """
    inside = small[:, ROW] & small[:, COLUMN]
    both = inside[:, :, None] & inside[:, None, :]
    block = np.where(both, reach, 0.0)
    gain = np.max(np.abs(block), axis=(1, 2))
    # The metric of the block alone is the inverse of the block of M^-1, not the block of M: the
    # rest of the matrix follows freely.
    block = block / gain[:, None, None] + ~inside[:, :, None] * np.eye(10)
    M = newton.invert(block)
    x0 = np.where(inside, own, 0.0)
    size = np.max(np.abs(x0), axis=1)
    size = np.where(size > 0, size, 1.0)
    x0 = np.where(inside, x0 / size[:, None], pack(np.eye(4)))
    count = len(x0)
    frame = np.broadcast_to(np.eye(4), (count, 4, 4))
    flat = np.zeros(count)
    problem = Normalised(
        x0, (M + M.transpose(0, 2, 1)) / 2, 0 * x0, flat, frame, frame, flat + 1, flat + 1
    )
    root = newton.solve(problem)
    return np.asarray(np.where(inside, root.z, 0.0) * (size / gain)[:, None])


def sharpen_moments(
    result: SolverResult, given: Array, about: Point, metric: MomentMetric
) -> SolverResult:
    """Find small moves at fixed mass and centre of mass anew, to their own digits.

    Args:
        result: The result of a NumPy batch without a margin.
        given: (n, 10) before, in order "urdf", about `about`.
        about: "origin" or "com".
        metric: Metric that is least.
    """
    theta = np.asarray(result.theta)
    change = theta[:, 4:] - given[:, 4:]
    moves, sizes = (np.einsum("ni,ni->n", six, six) for six in (change, given[:, 4:]))
    small = moves < SMALL_MOVE**2 * sizes
    rows = np.flatnonzero(small & np.asarray(result.changed) & ~np.asarray(result.vanished))
    if not rows.size:
        return result
    part = np.asarray(given[rows])
    spread = diagonalise_spread(part, about)
    low, middle, high = spread.values.T
    z1, z2, share, _ = find_multipliers(np, (low, middle, high), 0.0, metric.trace_weight)
    lifts = np.stack([z1, z2, 0 * z1], axis=1) - (share * (z1 + z2))[:, None]
    axes = spread.axes
    moved = (axes * lifts[:, None, :]) @ axes.transpose(0, 2, 1)
    six = np.asarray(inertia_from_second_moment(moved[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]))
    found = np.array(theta)
    sharp = np.array(found[rows])
    sharp[:, 4:] = part[:, 4:] + six
    # Raise moments (n, 10), in place, by the fewest rounding units that leave a margin of zero.
    unit = np.finfo(sharp.dtype).eps / 4 * np.max(np.abs(sharp[:, 4:]), axis=1)
    exact = np.array(sharp)
    short = np.flatnonzero(~(Consistency(sharp, about).margin >= 0))
    for power in range(LIFTS):
        if not short.size:
            break
        lift = unit[short] * 2.0**power
        sharp[short[:, None], [4, 7, 9]] = exact[short[:, None], [4, 7, 9]] + lift[:, None]
        short = short[~(Consistency(sharp[short], about).margin >= 0)]
    held = np.ones(len(sharp), dtype=np.bool_)
    held[short] = False
    found[rows[held]] = sharp[held]
    return replace(result, theta=found)
