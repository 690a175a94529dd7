"""Batches of linear programs over the masses of cells that a few sums couple.

All programs of a batch have the same bodies, cells, bounds and rows, and each has its own costs:

    minimise g . x  with  sum over i of x_ji = M_j,  G M + P x = b + s,
    lower <= x <= upper,  least <= M <= most,  |s| <= deviation.

An interior-point method solves them together. Its normal equations are diagonal in the bodies'
rows, so that a step costs a sum over the cells and a small system for the rows of G and P. Its
multipliers need not be exact: whatever they are, `find_bounds` makes sound bounds of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances

_STEPS = 50
"""Largest number of steps of the interior-point method; programs take 15 to 30."""

_CENTERING = 0.1
"""Part of the mean complementarity that a step aims at; 0.1 to 0.3 are usual."""

_TO_BOUNDARY = 0.99
"""Part of the way to the nearest bound that a step goes at most."""


class CoupledBodies(NamedTuple):
    """Cells of n bodies, q cells each, and the rows between them.

    Attributes:
        lower: (n, q) least masses of the cells [kg].
        upper: (n, q) largest masses of the cells [kg]; equal to lower for cells that are none.
        least: (n,) least masses of the bodies [kg].
        most: (n,) largest masses of the bodies [kg].
        G: (k, n) coefficients of the bodies' masses.
        P: (c, n, q) coefficients of the cells' masses in the last c rows.
        wanted: (k,) the sums b [kg].
        deviation: (k,) by how much they may differ [kg].
    """

    lower: Floats
    upper: Floats
    least: Floats
    most: Floats
    G: Floats
    P: Floats
    wanted: Floats
    deviation: Floats


class ProgramAnswers(NamedTuple):
    """Answers of a batch of T programs.

    Attributes:
        cells: (T, n, q) masses of the cells [kg].
        of_bodies: (T, n) multipliers of the bodies' rows.
        of_rows: (T, k) multipliers of the other rows.
    """

    cells: Floats
    of_bodies: Floats
    of_rows: Floats


def solve_programs(bodies: CoupledBodies, costs: Floats) -> ProgramAnswers:
    """Solve a batch of programs with costs (T, n, q) of the cells."""
    T, n, q = costs.shape
    lower = np.concatenate([bodies.lower.ravel(), bodies.least, -bodies.deviation])
    upper = np.concatenate([bodies.upper.ravel(), bodies.most, bodies.deviation])
    unit = float(np.max(np.abs(upper)))
    # Costs of the order of 1 and masses in parts of the largest bound: both are positive, as a
    # density range is not empty, and a cost of zeros has nothing to scale.
    scale = np.max(np.abs(costs), axis=(1, 2))
    scale = np.where(scale > 0, scale, 1.0)
    g = np.zeros((T, len(lower)))
    g[:, : n * q] = costs.reshape(T, -1) / scale[:, None]
    rows = _Rows(bodies, unit)
    z, y = _follow_path(rows, g, lower / unit, upper / unit)
    return ProgramAnswers(
        unit * z[:, : n * q].reshape(T, n, q), y[:, :n] * scale[:, None], y[:, n:] * scale[:, None]
    )


def _follow_path(rows: _Rows, g: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Masses (T, N) and multipliers (T, n + k): the primal-dual path with boxed variables."""
    free = upper - lower > np.finfo(float).eps
    z = np.tile((lower + upper) / 2, (len(g), 1))
    # Distances from the bounds are kept beside z: differences would be rounded to 0.
    w, v = np.where(free, z - lower, 1.0), np.where(free, upper - z, 1.0)
    y = np.zeros((len(g), len(rows.wanted)))
    p = np.tile(np.where(free, 1.0, 0.0), (len(g), 1))  # multipliers of the lower bounds
    r = p.copy()  # and of the upper ones
    count = max(int(free.sum()), 1)
    size = float(np.sum(np.abs(lower) + np.abs(upper)))
    for _ in range(_STEPS):
        gap = (w * p + v * r).sum(axis=1)
        missing = rows.wanted - rows.apply(z)
        # Later steps would only lose digits: near a vertex the normal equations are singular.
        going = gap > tolerances.PROGRAM * size
        if not np.any(going):
            break
        mu = (_CENTERING * gap / (2 * count))[:, None]
        d = np.where(free, 1 / np.where(free, p / w + r / v, 1.0), 0.0)
        bent = np.where(free, g - mu / w + mu / v, 0.0)
        aim = rows.solve(d, missing + rows.apply(d * bent))
        dz = d * (rows.lift(aim) - bent)
        dp = np.where(free, (mu - p * dz) / w - p, 0.0)
        dr = np.where(free, (mu + r * dz) / v - r, 0.0)
        primal = np.minimum(_find_length(w, dz), _find_length(v, -dz)) * going[:, None]
        dual = np.minimum(_find_length(p, dp), _find_length(r, dr)) * going[:, None]
        z, w, v = z + primal * dz, w + primal * dz, v - primal * dz
        y, p, r = y + dual * (aim - y), p + dual * dp, r + dual * dr
    return z, y


def _find_length(values: Floats, steps: Floats) -> Floats:
    """(T, 1) longest steps, up to 1, that keep positive values positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = np.where(steps < 0, -values / steps, np.inf)
    lengths: Floats = np.minimum(1.0, _TO_BOUNDARY * ways.min(axis=1))
    return lengths[:, None]


class _Rows:
    """The equations of all variables: cells, masses of bodies, deviations."""

    def __init__(self, bodies: CoupledBodies, unit: float) -> None:
        self._shape = bodies.lower.shape
        n, q = self._shape
        self._P, self._G = bodies.P, bodies.G
        c = len(bodies.P)
        self._flat = bodies.P.reshape(c, n * q)
        self._squares = (bodies.P[:, None] * bodies.P[None]).reshape(c * c, n * q)
        self.wanted = np.concatenate([np.zeros(n), bodies.wanted / unit])

    def _split(self, z: Floats) -> tuple[Floats, Floats, Floats]:
        n, q = self._shape
        return z[:, : n * q], z[:, n * q : n * q + n], z[:, n * q + n :]

    def apply(self, z: Floats) -> Floats:
        """(T, n + k) left-hand sides."""
        n, q = self._shape
        cells, masses, deviations = self._split(z)
        found = masses @ self._G.T - deviations
        found[:, len(found[0]) - len(self._P) :] += cells @ self._flat.T
        return np.concatenate([cells.reshape(-1, n, q).sum(axis=2) - masses, found], axis=1)

    def lift(self, y: Floats) -> Floats:
        """(T, N) transposed equations times multipliers (T, n + k)."""
        n, q = self._shape
        bodies, rows = y[:, :n], y[:, n:]
        cells = np.repeat(bodies, q, axis=1)
        cells += rows[:, rows.shape[1] - len(self._P) :] @ self._flat
        return np.concatenate([cells, rows @ self._G - bodies, -rows], axis=1)

    def solve(self, d: Floats, right: Floats) -> Floats:
        """Solve E diag(d) E^T y = right (T, n + k) by eliminating the bodies' rows."""
        n, q = self._shape
        c, k = len(self._P), len(self._G)
        cells, masses, deviations = self._split(d)
        tiny = np.finfo(float).tiny
        own = cells.reshape(-1, n, q).sum(axis=2) + masses
        own = own + np.finfo(float).eps * own.max(axis=1, keepdims=True) + tiny  # fixed bodies
        mixed = -masses[:, None, :] * self._G
        mixed[:, k - c :] += np.einsum("tnq,cnq->tcn", cells.reshape(-1, n, q), self._P)
        matrix = (masses[:, None, :] * self._G) @ self._G.T
        matrix[:, k - c :, k - c :] += (cells @ self._squares.T).reshape(-1, c, c)
        matrix[:, range(k), range(k)] += deviations
        share = mixed / own[:, None, :]
        matrix -= share @ mixed.transpose(0, 2, 1)
        trace = np.einsum("tkk->t", np.abs(matrix)) + tiny
        matrix[:, range(k), range(k)] += np.finfo(float).eps * trace[:, None]  # repeated rows
        ends = right[:, n:] - np.einsum("tkn,tn->tk", share, right[:, :n])
        rows = np.linalg.solve(matrix, ends[..., None])[..., 0]
        bodies = (right[:, :n] - np.einsum("tkn,tk->tn", mixed, rows)) / own
        return np.concatenate([bodies, rows], axis=1)
