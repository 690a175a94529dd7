"""Metrics inertia and covariance by a conic solver: the same answers as in closed form, certified.

A solver is asked for the change, in units of the violation, of a body in units of its own size:
posed in theta itself, its tolerance would hide a small violation. Its answer is polished by
Newton's method on the optimality conditions and then certified from the data alone. Between 0.3333
and 1/3 the cone of the margin is so thin that few answers can be: there it refuses, where the
closed form does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.errors import ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Array, Floats, array_namespace
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import Point, inertia_from_second_moment, second_moment
from inertial_check.projection.conic.solvers import NoAnswer, find_solver, translate_failures
from inertial_check.projection.moments import MomentMetric, central_inertia, with_margin
from inertial_check.projection.quadratic import LineSearch, solve_equation
from inertial_check.projection.solution import certify_moments
from inertial_check.projection.svec import eigenbasis, triangle

if TYPE_CHECKING:
    import cvxpy as cp


ATTEMPTS: dict[str, tuple[dict[str, float], ...]] = {
    "CLARABEL": tuple({"tol_gap_abs": t, "tol_gap_rel": t, "tol_feas": t} for t in (1e-8, 1e-3)),
    "SCS": tuple({"eps_abs": t, "eps_rel": t, "max_iters": 20_000} for t in (1e-6, 1e-3)),
}
"""Options of each solver to try in turn. Near rods Clarabel stalls at 1e-8; the polish goes as far
from an answer at 1e-3."""

POLISHING_STEPS = 30
"""Newton steps at most; from a solver's answer three or four reach the rounding unit."""

_WHOLE_STEP = LineSearch(trials=1)
_ROW, _COLUMN, _SCALE = triangle(3)
_TRIANGLE = (_ROW, _COLUMN)
_UNIT = np.where(_TRIANGLE[0] == _TRIANGLE[1], 1.0, 0.0)
_LOCK = Lock()  # a cached problem holds the data of one body at a time


def move_inertias(
    theta: Array, about: Point, metric: MomentMetric, margin: float, solver: str
) -> tuple[Array, Array, Array]:
    """Move rows as `closed_form.move_inertias` does, by a conic solver.

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
    found = try_inertias(theta, about, metric, margin, solver)
    if found.errors:
        raise found.errors[0][1]
    return found.before, found.after, found.steps


class Attempt(NamedTuple):
    """Answers of a conic solver, with the errors of the rows that have none.

    Attributes:
        before: (..., 6) inertias about the centre of mass.
        after: (..., 6) the nearest; as before for rows without an answer.
        steps: (...,) iterations.
        errors: Index in the flattened batch, and the error, of each such row.
    """

    before: Array
    after: Array
    steps: Array
    errors: tuple[tuple[int, ProjectionError], ...]


def try_inertias(
    theta: Array, about: Point, metric: MomentMetric, margin: float, solver: str
) -> Attempt:
    """Move rows as `move_inertias` does, where a row without a certified answer raises nothing.

    Raises:
        ParameterError: No such solver.
    """
    name, xp = find_solver(solver), array_namespace(theta)
    before = central_inertia(theta, about)
    rows = np.asarray(before, dtype=np.float64).reshape(-1, 6)
    moved, counts = np.array(rows), np.zeros(len(rows), dtype=np.int32)
    errors = []
    for i, row in enumerate(rows):
        try:
            moved[i], counts[i] = _move_body(row, metric, margin, name)
        except ProjectionError as error:
            errors.append((i, error))
    after: Array = moved
    steps: Array = counts.reshape(before.shape[:-1])
    if xp is not np:
        after = xp.asarray(after, dtype=before.dtype, device=before.device)
        steps = xp.asarray(steps, device=before.device)
    after = xp.astype(xp.reshape(after, before.shape), before.dtype)
    raised = with_margin(theta, about, after, margin)
    for i, _ in errors:
        np.asarray(raised).reshape(-1, 6)[i] = rows[i]
    return Attempt(before, raised, steps, tuple(errors))


def _move_body(
    I_BBcm: Floats, metric: MomentMetric, margin: float, solver: str
) -> tuple[Floats, int]:
    """One body: solve, polish and certify, until an attempt succeeds."""
    given = np.asarray(second_moment(I_BBcm))
    size = float(np.abs(eigenvalues(given)).sum())
    s = given / size * _SCALE
    failures = []
    rounding = tolerances.SOLVED_FACTOR * tolerances.EPS
    for options in ATTEMPTS.get(solver, ({},)):
        try:
            P, steps = _ask(s, metric, margin, solver, options)
        except NoAnswer as error:
            failures.append(f"{error}")
            continue
        P, Z = _polish(P, s, metric, margin)
        found = _spread(margin) @ P
        after = np.asarray(inertia_from_second_moment(size * found / _SCALE))
        residual, move = _residual(P, Z, s, metric, margin), float(np.linalg.norm(found - s))
        proved = residual <= tolerances.CERTIFIED * move + rounding
        if proved and max(certify_moments(I_BBcm, after, metric, margin)) <= tolerances.CERTIFIED:
            return after, steps
        failures.append(f"residual {residual:.1e} for a move of {move:.1e} of the body's size")
    raise ProjectionError(
        f"{solver} gave no certified answer ({'; '.join(failures)}); "
        "the closed form (solver=None) needs no solver",
        {"I_BBcm": I_BBcm.tolist(), "metric": metric.name, "margin": margin, "solver": solver},
    )


def _residual(P: Floats, Z: Floats, s: Floats, metric: MomentMetric, margin: float) -> float:
    """Measure how far P and its multiplier Z fail the optimality conditions of the problem.

    P >= 0, Z >= 0, <P, Z> = 0 in units of Z, and stationarity. Held against the size of the move,
    they tell the nearest body from one ten times as far, where both are next to the given one and
    the `certificate` of the result alone would see rounding.
    """
    stationarity = _slope(P, s, metric, margin) - Z
    lowest = [float(eigenvalues(matrix / _SCALE)[0]) for matrix in (P, Z)]
    product = abs(float(P @ Z)) / max(float(np.linalg.norm(Z)), np.finfo(np.float64).tiny)
    return max(float(np.linalg.norm(stationarity)), -lowest[0], -lowest[1], product)


def _ask(
    s: Floats, metric: MomentMetric, margin: float, solver: str, options: dict[str, float]
) -> tuple[Floats, int]:
    """Ask a solver for the P of the problem in _problem, as a vector (6,), and its iterations."""
    violation = margin * float(s @ _UNIT) - float(eigenvalues(s / _SCALE)[0])
    with _LOCK, translate_failures():
        problem, parameters, P = _problem(metric.trace_weight)
        parameters["given"].value = s
        parameters["violation"].value = max(violation, tolerances.EPS)
        parameters["margin"].value = margin
        parameters["rest"].value = 1 - 3 * margin
        problem.solve(solver=solver, **options)
        value, steps = P.value, problem.solver_stats.num_iters
    if value is None or not np.all(np.isfinite(value)):
        raise NoAnswer(f"no answer, status {problem.status}")
    return value[_TRIANGLE] * _SCALE, int(steps or 0)


@cache
def _problem(
    trace_weight: float,
) -> tuple[cp.Problem, dict[str, cp.Parameter], cp.Variable]:
    """Compile the parametrised problem, once for a metric: change d, cone image P.

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


class _NormalMap(NamedTuple):
    """F(Y) = slope(Y+) + Y - Y+ with Y+ the positive part of Y: semismooth, and zero at the answer.

    Where it vanishes, P = Y+ solves the problem and Z = Y+ - Y is its multiplier.
    """

    s: Floats
    metric: MomentMetric
    margin: float
    curvature: Floats

    def value(self, Y: Floats) -> Floats:
        """Compute F at Y (6,)."""
        positive = _positive(Y)[0]
        return np.asarray(_slope(positive, self.s, self.metric, self.margin) + Y - positive)

    def directions(self, Y: Floats, value: Floats) -> Iterator[Floats]:
        """Yield the shortest Newton step: the Jacobian is singular at margin 1/3."""
        part = _positive(Y)[1]
        jacobian = self.curvature @ part + np.eye(6) - part
        yield np.asarray(np.linalg.lstsq(jacobian, -value, rcond=None)[0])

    def move(self, Y: Floats, step: Floats) -> Floats:
        """Add the step."""
        return Y + step


def _polish(P: Floats, s: Floats, metric: MomentMetric, margin: float) -> tuple[Floats, Floats]:
    """Improve P and its multiplier Z, vectors (6,), by Newton steps on the normal map."""
    K = _spread(margin)
    equation = _NormalMap(s, metric, margin, K @ _weights(metric) @ K)
    start = P - _slope(P, s, metric, margin)
    Y, _ = solve_equation(equation, start, _WHOLE_STEP, steps=POLISHING_STEPS)
    return _positive(Y)[0], _positive(-Y)[0]


def _slope(P: Floats, s: Floats, metric: MomentMetric, margin: float) -> Floats:
    """Compute the gradient (6,) by P of half the squared length of the change."""
    K = _spread(margin)
    return np.asarray(K @ (_weights(metric) @ (K @ P - s)))


def _weights(metric: MomentMetric) -> Floats:
    """Build the metric (6, 6) on svec of 3x3 matrices."""
    return np.eye(6) + metric.trace_weight * np.outer(_UNIT, _UNIT)


def _positive(Y: Floats) -> tuple[Floats, Floats]:
    """Compute the positive part of an svec (6,), and its generalised Jacobian (6, 6)."""
    matrix = np.zeros((3, 3))
    matrix[_TRIANGLE] = Y / _SCALE
    values, vectors = np.linalg.eigh(matrix, UPLO="U")
    clipped = np.maximum(values, 0)
    part = (vectors * clipped) @ vectors.T
    difference = values[:, None] - values[None, :]
    same = difference == 0
    quotient = (clipped[:, None] - clipped[None, :]) / np.where(same, 1, difference)
    quotient = np.where(same, values[:, None] > 0, quotient)
    basis = eigenbasis(vectors)
    return part[_TRIANGLE] * _SCALE, (basis.T * quotient[_TRIANGLE]) @ basis


def _spread(margin: float) -> Floats:
    """Build the map (6, 6) of svec from P >= 0 onto the cone of the margin."""
    return margin * np.outer(_UNIT, _UNIT) + (1 - 3 * margin) * np.eye(6)
