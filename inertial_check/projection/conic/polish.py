"""Newton's method on the optimality conditions of a conic problem, all cones alike.

With w = s - z, s the projection of w onto the cones and z = s - w its multiplier (in the units of
the problem scaled by `step`, u = step d), the conditions are one semismooth equation in d, y, w:

    M d - Gu^T z = 0,    Gy^T z = 0,    g + step Gu d + Gy y - s = 0.

Everything else (cones, complementarity) holds by construction. The Jacobian may be singular, as
where auxiliary variables are not unique: steps are those of least squares.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia.tolerances import (
    BEYOND_CERTIFIED,
    CERTIFIED,
    DAMPED_SYSTEM,
    DAMPING,
    EPS,
    REGULAR_SYSTEM,
    ROUNDING_FACTOR,
)
from inertial_check.projection.conic.cones import ConeProblem, project, slopes
from inertial_check.solvers.iteration import PATIENCE, LineSearch, solve_equation

STEPS = 30
"""Newton steps at most; from a solver's answer three to six reach the rounding unit."""

SEARCH = LineSearch(trials=12)
"""Line search of a Newton step, on the norm of the equation."""

PATH = tuple(10.0**-k for k in range(2, 13))
"""Points of the central path for answers on which plain Newton steps stall."""

PATH_STEPS = 8
"""Newton steps at most at each point of the central path."""


class Point(NamedTuple):
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


def polish(problem: ConeProblem, start: Point, *, along_path: bool = True) -> tuple[Point, float]:
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
    other, after = _newton(problem, on_path, 0.0, STEPS)
    return (other, after) if after < residual else (point, residual)


def _newton(problem: ConeProblem, point: Point, mu: float, most: int) -> tuple[Point, float]:
    """Run damped steps at one point of the central path; mu = 0 is the problem itself."""
    size = 1 + float(np.linalg.norm(problem.M)) + float(np.linalg.norm(problem.g))
    point, value = solve_equation(
        _Equation(problem, mu),
        point,
        SEARCH,
        steps=most,
        target=ROUNDING_FACTOR * EPS * size,
        patience=PATIENCE if mu == 0 else None,
    )
    return point, float(np.linalg.norm(value))


class _Equation(NamedTuple):
    """The optimality conditions of a problem, at mu of the central path."""

    problem: ConeProblem
    mu: float

    def value(self, point: Point) -> Floats:
        """Compute the value that vanishes at the answer."""
        problem = self.problem
        s = project(point.w, problem.parts, self.mu)
        z = s - point.w
        inside = problem.g + point.step * (problem.Gu @ point.d) + problem.Gy @ point.y - s
        pulled = problem.M @ point.d - problem.Gu.T @ z
        return np.concatenate([pulled, -(problem.Gy.T @ z), inside])

    def directions(self, point: Point, value: Floats) -> Iterator[Floats | None]:
        """Yield the Newton step, and then the shortest step that solves the linear system best."""
        jacobian = self._jacobian(point)
        if point.y.size:  # y is mostly not unique: prefer the shortest step of it
            own = np.arange(len(point.d), len(jacobian))
            damped = np.array(jacobian)
            damped[own, own] += np.where(own < len(point.d) + len(point.y), 1.0, -1.0) * DAMPING
            yield _solve_regular(jacobian, value, damped)
        else:
            yield _solve_regular(jacobian, value, jacobian)
        try:
            yield np.asarray(np.linalg.lstsq(jacobian, -value, rcond=None)[0])
        except np.linalg.LinAlgError:  # numbers so large that its singular values do not converge
            yield None

    def move(self, point: Point, step: Floats) -> Point:
        """Make the step, which holds d, y and w one after the other."""
        d, y, w = np.split(step, [len(point.d), len(point.d) + len(point.y)])
        return Point(point.d + d, point.y + y, point.w + w, point.step)

    def _jacobian(self, point: Point) -> Floats:
        """Compute one generalised Jacobian of the value by d, y and w."""
        problem = self.problem
        slope = slopes(point.w, problem.parts, self.mu)
        pulled = slope - np.eye(len(slope))
        n, aux = len(point.d), len(point.y)
        jacobian = np.zeros((n + aux + len(slope),) * 2)
        jacobian[:n, :n] = problem.M
        jacobian[:n, n + aux :] = -problem.Gu.T @ pulled
        jacobian[n : n + aux, n + aux :] = -problem.Gy.T @ pulled
        jacobian[n + aux :, :n] = point.step * problem.Gu
        jacobian[n + aux :, n : n + aux] = problem.Gy
        jacobian[n + aux :, n + aux :] = -slope
        return jacobian


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
