"""One primal-dual step towards the entropic estimate of all bodies, from where the last step ended.

    minimise x^T H x / 2 - g^T x + mu sum_i (tr X_i - log det X_i) + numbers' prior terms

with X_i = L_i^-1 Pi_i L_i^-T of each body in units of its prior, and H, g the information of all
samples so far. This is the problem of `identify(..., metric="entropic")` with mu half of its
regularization. The multipliers Z_i = mu X_i^-1 are tracked, too: with the scaling of Nesterov and
Todd, one step follows the minimum from sample to sample also where it lies at the edge of the cone,
where Newton's method on x alone would be stopped by it.

Source: Nesterov, Todd, Math. Oper. Res. 22 (1997); Lee, Wensing, Park, IEEE Trans. Robot. 36
(2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lapack

from inertial_check.arrays.types import Floats, Integers, Mask
from inertial_check.solvers.iteration import BOUNDARY_FRACTION, length_to_boundary
from inertial_check.solvers.svec import congruence, pack, unpack


@dataclass(frozen=True, eq=False)
class TrackedProblem:
    """The parts of the problem that no sample changes.

    Attributes:
        bodies: Number of bodies L.
        mu: Weight of tr X - log det X of each body.
        pull: (k,) diagonal of the prior terms of the further numbers.
        center: (k,) their priors, in their units.
        lower: (k,) their bounds, in their units.
        upper: (k,).
    """

    bodies: int
    mu: float
    pull: Floats
    center: Floats
    lower: Floats
    upper: Floats

    @cached_property
    def blocks(self) -> tuple[Integers, Integers]:
        """(L, 10, 10) rows and columns of the bodies' blocks in the matrix of the problem."""
        own = 10 * np.arange(self.bodies)[:, None] + np.arange(10)
        return own[:, :, None], own[:, None, :]

    @cached_property
    def numbers(self) -> Integers:
        """(k,) places of the further numbers."""
        return 10 * self.bodies + np.arange(len(self.pull))

    @cached_property
    def identity(self) -> Floats:
        """(10 L,) svec of the bodies' priors, which are 1 in these units."""
        return np.tile(pack(np.eye(4)), self.bodies)


@dataclass
class Track:
    """Point of the estimate: bodies and numbers x, and the multipliers of the bodies.

    Attributes:
        x: (p,) svec of X of each body, then the further numbers.
        Z: (L, 4, 4) multipliers.
        factor: (p, p) lower triangular factor of the matrix of the last step, in `units`.
        units: (p,) units of its rows and columns.
        decrement: Newton decrement of the last step: half the squared length of the step in the
            metric of its matrix, in the unit of the objective; infinite before the first.
    """

    x: Floats
    Z: Floats
    factor: Floats
    units: Floats
    decrement: float = np.inf

    def solve(self, right: Floats) -> Floats:
        """Solve the equations of the last step for right sides (p, r)."""
        found, _ = lapack.dpotrs(self.factor, self.units[:, None] * right, lower=1)
        return np.asarray(self.units[:, None] * found)


def begin(problem: TrackedProblem) -> Track:
    """Begin at the priors, which are on the central path."""
    count = 10 * problem.bodies + len(problem.pull)
    Z = np.tile(problem.mu * np.eye(4), (problem.bodies, 1, 1))
    x = np.concatenate([problem.identity, problem.center])
    track = Track(x, Z, np.eye(count, order="F"), np.ones(count))
    advance(problem, np.zeros((count, count)), np.zeros(count), track)
    return track


def advance(problem: TrackedProblem, H: Floats, g: Floats, track: Track) -> None:
    """Make one step to the minimum for the information H (p, p), g (p,); X and Z stay inside."""
    count = 10 * problem.bodies
    X = unpack(track.x[:count].reshape(-1, 10))
    try:
        root_X, root_Z = np.linalg.cholesky(X), np.linalg.cholesky(track.Z)
    except np.linalg.LinAlgError:  # rounding at the edge: what was found stays
        track.decrement = np.inf
        return
    _, middle, Vt = np.linalg.svd(np.matmul(root_Z.transpose(0, 2, 1), root_X))
    scale = np.sqrt(middle)
    inverse = (scale[:, :, None] * Vt) @ np.linalg.inv(root_X)  # R^-1, with R^-1 X R^-T diagonal
    weight = np.matmul(inverse.transpose(0, 2, 1), inverse)
    matrix = np.array(H, order="F")
    matrix[problem.blocks] += congruence(weight)
    matrix[problem.numbers, problem.numbers] += problem.pull
    # R^-T diag(mu / middle) R^-1 = mu X^-1 is the gradient of the barrier.
    push = np.matmul(inverse.transpose(0, 2, 1) * (problem.mu / middle)[:, None, :], inverse)
    right = g - H @ track.x
    right[:count] += pack(push).ravel() - problem.mu * problem.identity
    right[count:] -= problem.pull * (track.x[count:] - problem.center)
    held = _hold_bounds(problem, track, matrix, right)
    track.units = 1 / np.sqrt(np.diag(matrix))
    matrix *= track.units[:, None] * track.units
    factor, failed = lapack.dpotrf(matrix, lower=1, overwrite_a=1)
    if failed or not np.all(np.isfinite(right)):
        track.decrement = np.inf
        return
    track.factor = factor
    step = track.solve(right[:, None])[:, 0]
    step[count:][held] = 0.0
    track.decrement = float(right @ step) / 2
    _move(problem, track, step, (inverse, middle))


def _hold_bounds(problem: TrackedProblem, track: Track, matrix: Floats, right: Floats) -> Mask:
    """Hold further numbers at bounds that they press against, in the equations of a step."""
    f, force = track.x[10 * problem.bodies :], right[10 * problem.bodies :]
    held = ((f <= problem.lower) & (force < 0)) | ((f >= problem.upper) & (force > 0))
    places = problem.numbers[held]
    if len(places):
        sizes = matrix[places, places]
        matrix[places, :] = matrix[:, places] = 0.0
        matrix[places, places] = sizes
        right[places] = 0.0
    return held


def _move(
    problem: TrackedProblem, track: Track, step: Floats, scaling: tuple[Floats, Floats]
) -> None:
    """Move along a step as far as X and Z stay inside; numbers stop at their bounds."""
    count, (inverse, middle) = 10 * problem.bodies, scaling
    dX = unpack(step[:count].reshape(-1, 10))
    ds = np.matmul(np.matmul(inverse, dX), inverse.transpose(0, 2, 1))
    dz = -ds
    dz[:, range(4), range(4)] += problem.mu / middle - middle
    root = np.sqrt(middle)
    both = np.concatenate([ds, dz])
    both /= np.concatenate([root[:, :, None] * root[:, None, :]] * 2)
    shrinkage = float(np.max(-np.linalg.eigvalsh((both + both.transpose(0, 2, 1)) / 2)))
    length = length_to_boundary(max(shrinkage, 0.0), BOUNDARY_FRACTION)
    track.x = track.x + length * step
    track.x[count:] = np.clip(track.x[count:], problem.lower, problem.upper)
    dZ = np.matmul(np.matmul(inverse.transpose(0, 2, 1), dz), inverse)
    track.Z = track.Z + length * (dZ + dZ.transpose(0, 2, 1)) / 2
