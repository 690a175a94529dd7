"""The same projections by a conic solver: slower, general, and certified before they are returned.

The only module that imports cvxpy, and only when it is called. A solver is asked for the change, in
units of the violation, of a body in units of its own size: posed in theta itself, its tolerance
would hide a small violation. Its answer is polished by Newton's method on the optimality conditions
and then certified from the data alone.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia._namespace import Array, array_namespace
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import inertia_from_second_moment, second_moment
from inertial_check.projection.closed_form import central_inertia, with_margin
from inertial_check.projection.metrics import MomentMetric
from inertial_check.projection.result import certificate

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
    theta: Array, about: str, metric: MomentMetric, margin: float, solver: str
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
    name, xp = _capable(solver), array_namespace(theta)
    before = central_inertia(theta, about)
    rows = np.asarray(before, dtype=np.float64).reshape(-1, 6)
    found = [_solved(row, metric, margin, name) for row in rows]
    after = np.array([six for six, _ in found]).reshape(rows.shape)
    steps = np.array([count for _, count in found], dtype=np.int32).reshape(before.shape[:-1])
    if xp is not np:
        after = xp.asarray(after, dtype=before.dtype, device=before.device)
        steps = xp.asarray(steps, device=before.device)
    after = xp.astype(xp.reshape(after, before.shape), before.dtype)
    return before, with_margin(theta, about, after, margin), steps


def _solved(
    I_BBcm: np.ndarray, metric: MomentMetric, margin: float, solver: str
) -> tuple[np.ndarray, int]:
    """One body: solve, polish and certify, until an attempt succeeds."""
    given = second_moment(I_BBcm)
    size = float(np.abs(eigenvalues(given)).sum())
    s = given / size * _SCALE
    failures = []
    for options in ATTEMPTS.get(solver, ({},)):
        try:
            P, steps = _ask(s, metric, margin, solver, options)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of Clarabel's is no Exception
            failures.append(f"{error}")
            continue
        found = size * (_spread(margin) @ _polished(P, s, metric, margin)) / _SCALE
        after = np.asarray(inertia_from_second_moment(found))
        worst = max(map(float, certificate(I_BBcm, after, metric, margin)))
        move = float(metric.distance(I_BBcm, after)) / size
        if worst <= _certified(move):
            return after, steps
        failures.append(f"residual {worst:.1e} for a move of {move:.1e} of the body's size")
    raise ProjectionError(
        f"{solver} gave no certified answer ({'; '.join(failures)}); "
        "the closed form (solver=None) needs no solver",
        {"I_BBcm": I_BBcm.tolist(), "metric": metric.name, "margin": margin, "solver": solver},
    )


def _certified(move: float) -> float:
    """Residuals at most so large prove a move of that size, relative to the body's, the least.

    Measured in the move itself, or any answer to a tiny violation would pass, and in the rounding
    of the data, below which a residual means nothing.
    """
    rounding = 8 * tolerances.FLOOR_FACTOR * float(np.finfo(np.float64).eps)
    return tolerances.CERTIFIED * min(move, 1.0) + rounding


def _ask(
    s: np.ndarray, metric: MomentMetric, margin: float, solver: str, options: dict[str, float]
) -> tuple[np.ndarray, int]:
    """The solver's P of the problem in _problem, as a scaled vector (6,), and its iterations."""
    violation = margin * float(s @ _UNIT) - float(eigenvalues(s / _SCALE)[0])
    with _LOCK, catch_warnings():
        simplefilter("ignore")  # of an inaccurate answer: it is certified, or refused, afterwards
        problem, parameters, P = _problem(metric.trace_weight)
        parameters["given"].value = s
        parameters["violation"].value = max(violation, float(np.finfo(np.float64).eps))
        parameters["margin"].value = margin
        parameters["rest"].value = 1 - 3 * margin
        problem.solve(solver=solver, **options)
        value, steps = P.value, problem.solver_stats.num_iters
    if value is None or not np.all(np.isfinite(value)):
        raise ArithmeticError(f"no answer, status {problem.status}")
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


def _polished(P: np.ndarray, s: np.ndarray, metric: MomentMetric, margin: float) -> np.ndarray:
    """The scaled vector P (6,) after semismooth Newton steps on the normal map.

    F(Y) = K W (K Y+ - s) + Y - Y+ with Y+ the positive part of Y, K the map of `_spread` and W the
    metric: at the solution P = Y+, and Y+ - Y is the multiplier of the cone.
    """
    K = _spread(margin)
    KW = K @ (np.eye(6) + metric.trace_weight * np.outer(_UNIT, _UNIT))

    def residual(Y: np.ndarray) -> np.ndarray:
        positive = _positive(Y)[0]
        return np.asarray(KW @ (K @ positive - s) + Y - positive)

    Y = P - KW @ (K @ P - s)
    F = residual(Y)
    for _ in range(POLISHING_STEPS):
        slope = _positive(Y)[1]
        step = np.linalg.lstsq(KW @ K @ slope + np.eye(6) - slope, -F, rcond=None)[0]
        trial = Y + step
        changed = residual(trial)
        if not np.linalg.norm(changed) < np.linalg.norm(F):
            break
        Y, F = trial, changed
    return _positive(Y)[0]


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


def _capable(solver: str) -> str:
    """The name that cvxpy has for the solver.

    Raises:
        ParameterError: Not installed, or without semidefinite cones; lists those that can.
    """
    import cvxpy as cp

    known = {str(name).upper(): str(name) for name in cp.installed_solvers()}
    name = known.get(solver.upper()) if isinstance(solver, str) else None
    if name is None or not _takes_matrices(name):
        able = ", ".join(repr(n.lower()) for n in sorted(known.values()) if _takes_matrices(n))
        reason = "is not installed" if name is None else "has no semidefinite cones"
        raise ParameterError(
            f"solver {solver!r} {reason}; installed are {able}, and None is the closed form"
        )
    return name


@cache
def _takes_matrices(name: str) -> bool:
    """Whether cvxpy can hand this solver a semidefinite problem."""
    import cvxpy as cp

    P = cp.Variable((2, 2), PSD=True)
    try:
        cp.Problem(cp.Minimize(cp.sum_squares(P)), [P[0, 1] == 1]).get_problem_data(name)
    except cp.error.SolverError:
        return False
    return True
