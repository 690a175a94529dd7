"""Metrics inertia and covariance by a conic solver: the same answers as in closed form, certified.

A solver is asked for the change, in units of the violation, of a body in units of its own size:
posed in theta itself, its tolerance would hide a small violation. Its answer is polished by
Newton's method on the optimality conditions and then certified from the data alone. Between 0.3333
and 1/3 the cone of the margin is so thin that few answers can be: there it refuses, where the
closed form does not.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any

import numpy as np

from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array
from inertial_check.errors import ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import Point, inertia_from_second_moment, second_moment
from inertial_check.projection.closed_form import central_inertia, with_margin
from inertial_check.projection.conic.solvers import NoAnswer, broken_solvers_are_told, capable
from inertial_check.projection.metrics import MomentMetric
from inertial_check.projection.outcome import certificate

ATTEMPTS: dict[str, tuple[dict[str, float], ...]] = {
    "CLARABEL": tuple({"tol_gap_abs": t, "tol_gap_rel": t, "tol_feas": t} for t in (1e-8, 1e-3)),
    "SCS": tuple({"eps_abs": t, "eps_rel": t, "max_iters": 20_000} for t in (1e-6, 1e-3)),
}
"""Options to try in turn. Near rods Clarabel stalls at 1e-8; from 1e-3 the polish goes as far."""

POLISHING_STEPS = 30
"""Newton steps at most; from a solver's answer three or four reach the rounding unit."""

_TRIANGLE = np.triu_indices(3)
_ROOT2 = np.sqrt(2.0)
_SCALE = np.where(_TRIANGLE[0] == _TRIANGLE[1], 1.0, _ROOT2)
_UNIT = np.where(_TRIANGLE[0] == _TRIANGLE[1], 1.0, 0.0)
_LOCK = Lock()  # a cached problem holds the data of one body at a time


def moved(
    theta: Array, about: Point, metric: MomentMetric, margin: float, solver: str
) -> tuple[Array, Array, Array]:
    """The projection of rows that need it, as `closed_form.moved` does it, by a conic solver.

    Args:
        theta: (..., 10) in order urdf, finite, of positive mass.
        about: "origin" or "com".
        metric: Which change is least.
        margin: What the result has at least.
        solver: Name of an installed solver, in any case.

    Returns:
        (..., 6) inertias about the centre of mass before and after, and (...,) iterations.

    Raises:
        ParameterError: No such solver, or one without semidefinite cones; lists those that can.
        ProjectionError: An answer could not be certified; `instance` holds body, metric and margin.
    """
    name, xp = capable(solver), array_namespace(theta)
    before = central_inertia(theta, about)
    rows = np.asarray(before, dtype=np.float64).reshape(-1, 6)
    found = [_solved(row, metric, margin, name) for row in rows]
    after: Array = np.array([six for six, _ in found]).reshape(rows.shape)
    steps: Array = np.array([n for _, n in found], dtype=np.int32).reshape(before.shape[:-1])
    if xp is not np:
        after = xp.asarray(after, dtype=before.dtype, device=before.device)
        steps = xp.asarray(steps, device=before.device)
    after = xp.astype(xp.reshape(after, before.shape), before.dtype)
    return before, with_margin(theta, about, after, margin), steps


def _solved(
    I_BBcm: np.ndarray, metric: MomentMetric, margin: float, solver: str
) -> tuple[np.ndarray, int]:
    """One body: solve, polish and certify, until an attempt succeeds."""
    given = np.asarray(second_moment(I_BBcm))
    size = float(np.abs(eigenvalues(given)).sum())
    s = given / size * _SCALE
    failures = []
    for options in ATTEMPTS.get(solver, ({},)):
        try:
            P, steps = _ask(s, metric, margin, solver, options)
        except NoAnswer as error:
            failures.append(f"{error}")
            continue
        P, Z = _polished(P, s, metric, margin)
        found = _spread(margin) @ P
        after = np.asarray(inertia_from_second_moment(size * found / _SCALE))
        residual, move = _residual(P, Z, s, metric, margin), float(np.linalg.norm(found - s))
        rounding = tolerances.SOLVED_FACTOR * tolerances.epsilon(np.float64, np)
        proved = residual <= tolerances.CERTIFIED * move + rounding
        if proved and max(certificate(I_BBcm, after, metric, margin)) <= tolerances.CERTIFIED:
            return after, steps
        failures.append(f"residual {residual:.1e} for a move of {move:.1e} of the body's size")
    raise ProjectionError(
        f"{solver} gave no certified answer ({'; '.join(failures)}); "
        "the closed form (solver=None) needs no solver",
        {"I_BBcm": I_BBcm.tolist(), "metric": metric.name, "margin": margin, "solver": solver},
    )


def _residual(
    P: np.ndarray, Z: np.ndarray, s: np.ndarray, metric: MomentMetric, margin: float
) -> float:
    """By how much P and its multiplier Z fail the optimality conditions of the problem.

    P >= 0, Z >= 0, <P, Z> = 0 in units of Z, and stationarity. Held against the size of the move,
    they tell the nearest body from one ten times as far, where both are next to the given one and
    the `certificate` of the result alone would see rounding.
    """
    stationarity = _slope(P, s, metric, margin) - Z
    lowest = [float(eigenvalues(matrix / _SCALE)[0]) for matrix in (P, Z)]
    product = abs(float(P @ Z)) / max(float(np.linalg.norm(Z)), np.finfo(np.float64).tiny)
    return max(float(np.linalg.norm(stationarity)), -lowest[0], -lowest[1], product)


def _ask(
    s: np.ndarray, metric: MomentMetric, margin: float, solver: str, options: dict[str, float]
) -> tuple[np.ndarray, int]:
    """The solver's P of the problem in _problem, as a scaled vector (6,), and its iterations."""
    violation = margin * float(s @ _UNIT) - float(eigenvalues(s / _SCALE)[0])
    with _LOCK, broken_solvers_are_told():
        problem, parameters, P = _problem(metric.trace_weight)
        parameters["given"].value = s
        parameters["violation"].value = max(violation, float(np.finfo(np.float64).eps))
        parameters["margin"].value = margin
        parameters["rest"].value = 1 - 3 * margin
        problem.solve(solver=solver, **options)
        value, steps = P.value, problem.solver_stats.num_iters
    if value is None or not np.all(np.isfinite(value)):
        raise NoAnswer(f"no answer, status {problem.status}")
    return value[_TRIANGLE] * _SCALE, int(steps or 0)


@cache
def _problem(trace_weight: float) -> tuple[Any, dict[str, Any], Any]:
    """The parametrised problem, compiled once for a metric: change d, cone image P.

    Minimise ||d||^2 + trace_weight tr(d)^2 with given + violation d = margin tr(P) 1 + rest P and
    P >= 0, rest = 1 - 3 margin: the cone of the margin is the image of P, also at margin 1/3.
    """
    import cvxpy as cp

    parameters = {
        "given": cp.Parameter(6),
        "violation": cp.Parameter(nonneg=True),
        "margin": cp.Parameter(nonneg=True),
        "rest": cp.Parameter(nonneg=True),
    }
    change, P = cp.Variable(6), cp.Variable((3, 3), PSD=True)
    entries = cp.hstack([P[i, j] * k for i, j, k in zip(*_TRIANGLE, _SCALE, strict=True)])
    cone = parameters["margin"] * cp.trace(P) * _UNIT + parameters["rest"] * entries
    length = cp.sum_squares(change) + trace_weight * cp.square(_UNIT @ change)
    problem = cp.Problem(
        cp.Minimize(length),
        [parameters["given"] + parameters["violation"] * change == cone],
    )
    return problem, parameters, P


def _polished(
    P: np.ndarray, s: np.ndarray, metric: MomentMetric, margin: float
) -> tuple[np.ndarray, np.ndarray]:
    """P and its multiplier Z, scaled vectors (6,), after Newton steps on the normal map.

    F(Y) = slope(Y+) + Y - Y+ with Y+ the positive part of Y: where it vanishes, P = Y+ solves the
    problem and Z = Y+ - Y is its multiplier. F is semismooth: convergence is quadratic.
    """
    K = _spread(margin)
    curvature = K @ _weights(metric) @ K

    def F(Y: np.ndarray) -> np.ndarray:
        positive = _positive(Y)[0]
        return np.asarray(_slope(positive, s, metric, margin) + Y - positive)

    Y = P - _slope(P, s, metric, margin)
    value = F(Y)
    for _ in range(POLISHING_STEPS):
        part = _positive(Y)[1]
        jacobian = curvature @ part + np.eye(6) - part
        trial = Y + np.linalg.lstsq(jacobian, -value, rcond=None)[0]  # singular at margin 1/3
        changed = F(trial)
        if not np.linalg.norm(changed) < np.linalg.norm(value):
            break
        Y, value = trial, changed
    return _positive(Y)[0], _positive(-Y)[0]


def _slope(P: np.ndarray, s: np.ndarray, metric: MomentMetric, margin: float) -> np.ndarray:
    """Gradient (6,) by P of half the squared length of the change."""
    K = _spread(margin)
    return np.asarray(K @ (_weights(metric) @ (K @ P - s)))


def _weights(metric: MomentMetric) -> np.ndarray:
    """The metric (6, 6) on scaled vectors."""
    return np.eye(6) + metric.trace_weight * np.outer(_UNIT, _UNIT)


def _positive(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positive part of a scaled vector (6,), and its generalised Jacobian (6, 6)."""
    matrix = np.zeros((3, 3))
    matrix[_TRIANGLE] = Y / _SCALE
    values, vectors = np.linalg.eigh(matrix, UPLO="U")
    clipped = np.maximum(values, 0)
    part = (vectors * clipped) @ vectors.T
    difference = values[:, None] - values[None, :]
    same = difference == 0
    quotient = (clipped[:, None] - clipped[None, :]) / np.where(same, 1, difference)
    quotient = np.where(same, values[:, None] > 0, quotient)
    products = vectors.T[_TRIANGLE[0], :, None] * vectors.T[_TRIANGLE[1], None, :]
    products = (products + products.transpose(0, 2, 1)) / 2
    basis = _SCALE[:, None] * products[:, *_TRIANGLE] * _SCALE  # orthonormal scaled vectors
    return part[_TRIANGLE] * _SCALE, (basis.T * quotient[_TRIANGLE]) @ basis


def _spread(margin: float) -> np.ndarray:
    """The map (6, 6) of scaled vectors from P >= 0 onto the cone of the margin."""
    return margin * np.outer(_UNIT, _UNIT) + (1 - 3 * margin) * np.eye(6)
