"""Metrics inertia and covariance by a conic solver: the same answers as in closed form, certified.

A solver is asked for the change, in units of the violation, of a body in units of its own size:
posed in theta itself, its tolerance would hide a small violation. Its answer is polished by
Newton's method on the optimality conditions and then certified from the data alone. Between 0.3333
and 1/3 the cone of the margin is so thin that few answers can be: there it refuses, where the
closed form does not.
"""

from __future__ import annotations

import numpy as np

from inertial_check.errors import ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Array, Floats, array_namespace
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import Point, inertia_from_second_moment, second_moment
from inertial_check.projection.conic.cones import Part, complementarity, distance, polish, project
from inertial_check.projection.conic.joint import CoupledProblem
from inertial_check.projection.conic.solvers import NoAnswer, ask_in_turn, find_solver
from inertial_check.projection.moments import (
    ISOTROPIC,
    MomentMetric,
    central_inertia,
    with_margin,
)
from inertial_check.projection.solution import certify_moments
from inertial_check.projection.svec import triangle

_ROW, _COLUMN, _SCALE = triangle(3)
_UNIT = np.where(_ROW == _COLUMN, 1.0, 0.0)
_DEVIATOR = np.eye(6) - np.outer(_UNIT, _UNIT) / 3
"""Map (6, 6) of svec of a 3x3 matrix to that of its deviator."""


def try_inertias(
    theta: Array, about: Point, metric: MomentMetric, margin: float, solver: str
) -> tuple[Array, Array, Array, tuple[tuple[int, ProjectionError], ...]]:
    """Move rows as `closed_form.move_inertias` does, by a conic solver.

    Args:
        theta: (..., 10) in order urdf, finite, of positive mass.
        about: "origin" or "com".
        metric: Which change is least.
        margin: What the result has at least.
        solver: Name of an installed solver, in any case.

    Returns:
        (..., 6) inertias about the centre of mass before and after, as before for rows without a
        certified answer; (...,) iterations; and, for each row without one, its index in the
        flattened batch and the error, whose `instance` holds body, metric and margin.

    Raises:
        ParameterError: No such solver, or one without semidefinite cones; lists those that can.
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
    return before, raised, steps, tuple(errors)


def _move_body(
    I_BBcm: Floats, metric: MomentMetric, margin: float, solver: str
) -> tuple[Floats, int]:
    """Move one body: solve, polish and certify, until an attempt succeeds.

    Raises:
        ProjectionError: None does.
    """
    given = np.asarray(second_moment(I_BBcm))
    size = float(np.abs(eigenvalues(given)).sum())
    s = given / size * _SCALE
    problem = _build_problem(s, metric, margin)
    step = max(distance(problem.g, problem.parts), tolerances.LEAST_CHANGE)
    rounding = tolerances.SOLVED_FACTOR * tolerances.EPS
    failures: list[str] = []
    try:
        for start, steps in ask_in_turn(problem, step, solver, failures):
            point, _ = polish(problem, start)
            inside = project(point.w, problem.parts)
            # At the apex of the cone the nearest is the zero tensor, and not its rounding.
            change = point.step * point.d if inside.any() else -s
            after = np.asarray(inertia_from_second_moment(size * (s + change) / _SCALE))
            # Of one eigensystem both, so that they are orthogonal to the digits of each.
            free = np.array([cone == "zero" for cone, _ in problem.parts]).repeat(
                [rows.stop - rows.start for _, rows in problem.parts]
            )
            z = np.where(free, -point.w, project(-point.w, problem.parts)) * point.step
            # Measure how far a change (6,) and multipliers z (6,) fail the optimality conditions.
            short = float(np.linalg.norm(problem.g + problem.Gu @ change - inside))
            pull = float(np.linalg.norm(problem.M @ change - problem.Gu.T @ z))
            length = max(float(np.linalg.norm(z)), float(np.finfo(np.float64).tiny))
            product = complementarity(inside, z, problem.parts) / length
            residual = max(short, pull, distance(z, problem.parts, dual=True), product)
            move = float(np.linalg.norm(change))
            # Held against the size of the move, the residual tells the nearest body from one ten
            # times as far, where both are next to the given one and certify_moments sees rounding.
            proved = residual <= tolerances.CERTIFIED * move + rounding
            certificate = certify_moments(I_BBcm, after, metric, margin)
            if proved and max(certificate) <= tolerances.CERTIFIED:
                return after, steps
            failures.append(f"residual {residual:.1e} for a move of {move:.1e} of the body's size")
    except NoAnswer as error:
        failures.append(str(error))
    raise ProjectionError(
        f"{solver} gave no certified answer ({'; '.join(failures)}); "
        "the closed form (solver=None) needs no solver",
        {"I_BBcm": I_BBcm.tolist(), "metric": metric.name, "margin": margin, "solver": solver},
    )


def _build_problem(s: Floats, metric: MomentMetric, margin: float) -> CoupledProblem:
    """Build the problem of the change d of s, svec (6,) of a central second moment.

    A spread S has the margin mu where S - mu tr(S) 1 is positive semidefinite; at 1/3 that leaves
    only multiples of 1, which are said by equations because such a cone has no inside.
    """
    M = np.eye(6) + metric.trace_weight * np.outer(_UNIT, _UNIT)
    if margin < ISOTROPIC:
        G = np.eye(6) - margin * np.outer(_UNIT, _UNIT)
        parts: tuple[Part, ...] = (Part("psd", slice(0, 6)),)
    else:  # the last diagonal entry of a deviator follows from the others
        G = np.concatenate([_DEVIATOR[:5], _UNIT[None]])
        parts = (Part("zero", slice(0, 5)), Part("nonneg", slice(5, 6)))
    return CoupledProblem(M, G, np.zeros((6, 0)), G @ s, parts)
