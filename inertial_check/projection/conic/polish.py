"""Newton's method on the optimality conditions of a conic problem, all cones alike.

With w = s - z, s the projection of w onto the cones and z = s - w its multiplier (in the units of
the problem scaled by `step`, u = step d), the conditions are one semismooth equation in d, y, w:

    M d - Gu^T z = 0,    Gy^T z = 0,    g + step Gu d + Gy y - s = 0.

Everything else (cones, complementarity) holds by construction. The Jacobian may be singular, as
where auxiliary variables are not unique: steps are those of least squares.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances
from inertial_check.projection.conic.cones import Part, projected, slopes

STEPS = 30
"""Newton steps at most; from a solver's answer three to six reach the rounding unit."""

HALVINGS = 12
"""Halvings of a step at most."""

PATH = tuple(10.0**-k for k in range(2, 13))
"""Points of the central path for answers on which plain Newton stalls."""

PATH_STEPS = 8
"""Newton steps at each of them."""

ENOUGH = 1e-3
"""Part of CERTIFIED below which the path is not worth its time: a factor for every later sum."""

PATIENCE = 4
"""Steps in a row that may fail to halve the residual before Newton's method counts as stalled."""

SOLVED = 1e-6
"""Relative residual of a linear system above which its matrix counts as singular."""


class Conditions(Protocol):
    """A problem, as far as its optimality conditions go."""

    @property
    def M(self) -> Floats:
        """(n, n)."""

    @property
    def Gu(self) -> Floats:
        """(k, n)."""

    @property
    def Gy(self) -> Floats:
        """(k, aux)."""

    @property
    def g(self) -> Floats:
        """(k,)."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The cones of the rows."""


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


def polished(problem: Conditions, start: Point, *, along_path: bool = True) -> tuple[Point, float]:
    """The point from which no Newton step helps, and by how much it fails.

    Args:
        problem: In its units.
        start: What a solver says.
        along_path: Whether to follow the central path where plain steps stall.
    """
    point, residual = _newton(problem, start, 0.0, STEPS)
    if residual <= ENOUGH * tolerances.CERTIFIED or not along_path:
        return point, residual
    on_path = start
    for mu in PATH:
        on_path, _ = _newton(problem, on_path, mu, PATH_STEPS)
    other, after = _newton(problem, on_path, 0.0, STEPS)
    return (other, after) if after < residual else (point, residual)


def _target(problem: Conditions) -> float:
    size = 1 + float(np.linalg.norm(problem.M)) + float(np.linalg.norm(problem.g))
    return tolerances.ROUNDING_FACTOR * float(np.finfo(np.float64).eps) * size


def _newton(problem: Conditions, point: Point, mu: float, most: int) -> tuple[Point, float]:
    """Damped steps at one point of the central path; mu = 0 is the problem itself."""
    value = _value(problem, point, mu)
    target, slow = _target(problem), 0
    for _ in range(most):
        norm = float(np.linalg.norm(value))
        if norm <= target or (mu == 0 and slow == PATIENCE):
            break
        jacobian = _jacobian(problem, point, mu)
        for direction in (_direct, _least_squares):
            found = _searched(problem, point, direction(jacobian, value), norm, mu)
            if found is not None:
                break
        else:
            break
        point, value = found
        slow = slow + 1 if float(np.linalg.norm(value)) > norm / 2 else 0
    return point, float(np.linalg.norm(value))


def _direct(jacobian: Floats, value: Floats) -> Floats | None:
    """The Newton step; None where the Jacobian is singular."""
    try:
        step = np.asarray(np.linalg.solve(jacobian, -value))
    except np.linalg.LinAlgError:
        return None
    error = float(np.linalg.norm(jacobian @ step + value))
    return step if error <= SOLVED * float(np.linalg.norm(value)) else None


def _least_squares(jacobian: Floats, value: Floats) -> Floats | None:
    """The shortest of the steps that solve the linear system best."""
    try:
        return np.asarray(np.linalg.lstsq(jacobian, -value, rcond=None)[0])
    except np.linalg.LinAlgError:
        return None


def _searched(
    problem: Conditions, point: Point, step: Floats | None, norm: float, mu: float
) -> tuple[Point, Floats] | None:
    """The step, halved until the residual falls, with the value there; None if it never does."""
    if step is None:
        return None
    length = 1.0
    for _ in range(HALVINGS):
        trial = _moved(point, length * step)
        value = _value(problem, trial, mu)
        if float(np.linalg.norm(value)) < norm:
            return trial, value
        length /= 2
    return None


def _moved(point: Point, step: Floats) -> Point:
    d, y, w = np.split(step, [len(point.d), len(point.d) + len(point.y)])
    return Point(point.d + d, point.y + y, point.w + w, point.step)


def _value(problem: Conditions, point: Point, mu: float) -> Floats:
    """What vanishes at the answer."""
    s = projected(point.w, problem.parts, mu)
    z = s - point.w
    inside = problem.g + point.step * (problem.Gu @ point.d) + problem.Gy @ point.y - s
    pulled = problem.M @ point.d - problem.Gu.T @ z
    return np.concatenate([pulled, -(problem.Gy.T @ z), inside])


def _jacobian(problem: Conditions, point: Point, mu: float) -> Floats:
    """One generalised Jacobian of the value by d, y and w."""
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
    return jacobian
