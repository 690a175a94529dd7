"""Interior-point method for densities of which many lie on a bound.

Newton's method on the dual function stalls where all cells of a sum lie on their bounds, as the
function is then linear along that sum. The interior-point method keeps every cell off its bounds
until the multipliers of the bounds are known. With ratios r = rho / rho0, masses w = v rho0 and
multipliers p, q of the bounds per mass, it solves

    phi'(r) - rows^T y - p + q = 0,  p (r - l) = mu,  q (u - r) = mu,  rows (w r) = b

for mu that falls to 0: all of these are logarithms of densities, whatever the masses are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances

if TYPE_CHECKING:
    from inertial_check.filling.densities.problem import DensityProblem

_STEPS = 80
"""Largest number of steps; sums that can be met take 15 to 40."""

_CENTERING = 0.1
"""Part of the mean complementarity that a step aims at; 0.1 to 0.3 are usual."""

_TO_BOUNDARY = 0.95
"""Part of the way to the nearest bound that a step goes at most."""

_START = 0.05
"""Least distance of the first ratios from a bound, in parts of the range."""


class _Point(NamedTuple):
    """A point of the path: ratios, multipliers of the rows, of the lower and of the upper bounds.

    Attributes:
        r: (n,) densities in units of the nominal ones.
        y: (k,) multipliers of the rows.
        p: (n,) multipliers of the lower bounds.
        q: (n,) multipliers of the upper bounds; 0 where there is none.
        below: (n,) distances from the lower bounds, kept beside r, as differences would be rounded
            to 0; 1 where there is no way to go.
        above: (n,) distances from the upper bounds; 1 where there is none.
    """

    r: Floats
    y: Floats
    p: Floats
    q: Floats
    below: Floats
    above: Floats


def follow_path(problem: DensityProblem) -> tuple[Floats, Floats, int]:
    """Follow the central path to the densities of least deviation.

    Args:
        problem: The problem.

    Returns:
        Densities (n,) strictly between the bounds [kg/m^3], multipliers of the rows (k,), and the
        number of steps. Where no densities have the sums, the residuals stay large.
    """
    path = _Path(problem)
    point = best = path.start()
    least = error = path.measure_error(point)
    steps = 0
    while error > tolerances.CERTIFIED * tolerances.BEYOND_CERTIFIED and steps < _STEPS:
        following = path.step(point)
        if following is None:
            break
        point, steps = following, steps + 1
        error = path.measure_error(point)
        if error < least:
            best, least = point, error
        elif least <= tolerances.CERTIFIED:  # rounding: later steps only lose digits
            break
    return best.r * problem.nominal, best.y, steps


class _Path:
    """The equations of the central path of one problem."""

    def __init__(self, problem: DensityProblem) -> None:
        self._problem = problem
        self._quadratic = problem.divergence == "quadratic"
        self._w = problem.volumes * problem.nominal
        self._l = problem.lower / problem.nominal
        self._u = problem.upper / problem.nominal
        self._bounded = np.isfinite(self._u)
        # A cell whose bounds are equal has no way to go.
        width = np.where(self._bounded, self._u - self._l, 1.0)
        self._free = width > np.finfo(float).eps * np.where(self._bounded, self._u, 1.0)
        self._upper = self._free & self._bounded

    def start(self) -> _Point:
        """Nominal densities, moved between the bounds, with multipliers of size 1."""
        width = np.where(self._bounded, self._u - self._l, 1.0)
        low = self._l + _START * np.minimum(width, 1.0)
        high = np.where(self._bounded, self._u - _START * width, np.inf)
        r = np.where(self._free, np.clip(1.0, np.minimum(low, high), high), self._l)
        below = np.where(self._free, r - self._l, 1.0)
        above = np.where(self._upper, self._u - r, 1.0)
        # Multipliers of the bounds are as large as the slope differs between the bounds.
        size = np.maximum(np.where(self._upper, self._find_slope(self._u), 0.0), 1.0)
        p, q = np.where(self._free, size, 0.0), np.where(self._upper, size, 0.0)
        return _Point(r, np.zeros(len(self._problem.wanted)), p, q, below, above)

    def _find_slope(self, r: Floats) -> Floats:
        """(n,) derivatives of the deviation per mass."""
        found: Floats = r - 1 if self._quadratic else np.log(r)
        return found

    def _find_mean(self, point: _Point) -> float:
        """Mean complementarity, over the masses."""
        gaps = point.p * point.below + point.q * point.above
        return float(self._w @ gaps / (2 * self._w.sum()))

    def measure_error(self, point: _Point) -> float:
        """The largest error of a sum, or the complementarity in units of the deviation."""
        rho = point.r * self._problem.nominal
        deviation = max(self._problem.mass, self._problem.objective(rho)) / self._problem.mass
        sums = float(np.max(np.abs(self._problem.residuals(rho)), initial=0.0))
        return max(sums, self._find_mean(point) / deviation)

    def step(self, point: _Point) -> _Point | None:
        """The next point; None where the equations have no finite solution."""
        r, y, p, q, below, above = point
        rows, free = self._problem.rows, self._free
        mu = _CENTERING * self._find_mean(point)
        slope, curvature = self._find_slope(r), np.ones_like(r) if self._quadratic else 1 / r
        pull = np.where(self._upper, mu / above, 0.0)
        bent = rows.T @ y - slope + mu / below - pull
        inverse = np.where(free, 1 / (curvature + p / below + q / above), 0.0)
        missing = self._problem.wanted - rows @ (self._w * r)
        dy = self._solve_rows(self._w * inverse, missing - rows @ (self._w * inverse * bent))
        dr = inverse * (bent + rows.T @ dy)
        if not np.all(np.isfinite(dr)):
            return None
        dp = np.where(free, (mu - p * dr) / below - p, 0.0)
        dq = np.where(self._upper, (mu + q * dr) / above - q, 0.0)
        length = min(
            _find_length(below, dr),
            _find_length(above, np.where(self._upper, -dr, 0.0)),
            _find_length(p, dp),
            _find_length(q, dq),
            1.0 if self._quadratic else _find_length(r, dr),
        )
        return _Point(
            r + length * dr,
            y + length * dy,
            p + length * dp,
            q + length * dq,
            below + length * np.where(free, dr, 0.0),
            above - length * np.where(self._upper, dr, 0.0),
        )

    def _solve_rows(self, weights: Floats, right: Floats) -> Floats:
        """Solve rows diag(weights) rows^T y = right, each row in units of its own curvature."""
        rows = self._problem.rows
        matrix = (rows.multiply(weights) @ rows.T).tocsr()
        scale = np.sqrt(matrix.diagonal())
        root = np.where(scale > 0, scale, 1.0)
        found: Floats = right / root**2
        for group in self._problem.groups:
            unit = root[group]
            block = matrix[group][:, group].toarray() / np.outer(unit, unit)
            values, vectors = np.linalg.eigh(block)
            # Sums that repeat each other have no curvature, and nothing is left to do along them.
            kept = values > len(values) * np.finfo(float).eps * values[-1]
            along = np.where(kept, (vectors.T @ (right[group] / unit)), 0.0)
            found[group] = vectors @ (along / np.where(kept, values, 1.0)) / unit
        return found


def _find_length(values: Floats, steps: Floats) -> float:
    """The longest step, up to 1, that keeps positive values positive."""
    falling = steps < 0
    if not np.any(falling):
        return 1.0
    return min(1.0, _TO_BOUNDARY * float(np.min(-values[falling] / steps[falling])))
