"""A solver is asked for the answer of a problem over a product of cones.

Clarabel is handed the matrices; every other solver is asked through cvxpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.projection._constraint import Cone
from inertial_check.projection.conic.cones import ConeProblem, Part
from inertial_check.projection.conic.interior import DIRECT, solve_directly
from inertial_check.projection.conic.polish import Point
from inertial_check.projection.conic.solvers import NoAnswer, translate_failures
from inertial_check.solvers.svec import order_of, root_of, unsvec

if TYPE_CHECKING:
    import cvxpy as cp


def ask_solver(
    problem: ConeProblem, step: float, solver: str, options: dict[str, float]
) -> tuple[Point, int]:
    """Ask a solver for the answer of a problem, and its iterations.

    Args:
        problem: A problem in its units.
        step: The change is asked for in these units, or the solver's tolerance would hide it.
        solver: As cvxpy calls it.
        options: Of the solver.

    Raises:
        NoAnswer: The solver broke, or says that there is none.
    """
    if solver == DIRECT:
        d, y, z, steps = solve_directly(problem, step, options)
    else:
        d, y, z, steps = _solve_by_cvxpy(problem, step, solver, options)
    s = problem.g + step * (problem.Gu @ d) + problem.Gy @ y
    return Point(d, y, s - step * z, step), steps


def _solve_by_cvxpy(
    problem: ConeProblem, step: float, solver: str, options: dict[str, float]
) -> tuple[Floats, Floats, Floats, int]:
    """Pose a problem in cvxpy and solve it; what it returns means what `solve_directly` says."""
    import cvxpy as cp

    d = cp.Variable(len(problem.M))
    aux = problem.Gy.shape[1]
    y = cp.Variable(aux) if aux else None
    constraints = []
    for cone, rows in problem.parts:
        expression = problem.g[rows] + step * problem.Gu[rows] @ d
        if y is not None:
            expression += problem.Gy[rows] @ y
        constraints.append(member(cone, expression))
    program = cp.Problem(cp.Minimize(cp.sum_squares(root_of(problem.M) @ d) / 2), constraints)
    with translate_failures():
        program.solve(solver=solver, **options)
        status = str(program.status)
        if d.value is None or not np.all(np.isfinite(d.value)):
            raise NoAnswer(f"no answer, status {status}", "infeasible" in status)
        auxiliary = np.zeros(0) if y is None else np.array(y.value)
        z = _read_multipliers(constraints, problem.parts)
        return np.array(d.value), auxiliary, z, int(program.solver_stats.num_iters or 0)


def member(cone: Cone, expression: cp.Expression) -> cp.Constraint:
    """Constrain rows to lie in the cone, in cvxpy."""
    import cvxpy as cp

    if cone == "zero":
        return expression == 0
    if cone == "nonneg":
        return expression >= 0
    if cone == "soc":
        return cp.SOC(expression[0], expression[1:])
    n = order_of(expression.shape[0])
    return cp.reshape(unsvec(n) @ expression, (n, n), order="C") >> 0


def _read_multipliers(constraints: list[cp.Constraint], parts: tuple[Part, ...]) -> Floats:
    """Read the multipliers of the rows from cvxpy's constraints; zeros if the solver gives none."""
    found = []
    for constraint, part in zip(constraints, parts, strict=True):
        length = part.rows.stop - part.rows.start
        value = constraint.dual_value
        if value is None:
            found.append(np.zeros(length))
        elif part.cone == "zero":
            found.append(-np.asarray(value).ravel())
        elif part.cone == "psd":
            n = order_of(length)
            matrix = np.asarray(value)
            found.append(unsvec(n).T @ ((matrix + matrix.T) / 2).ravel())
        elif part.cone == "soc":
            found.append(np.concatenate([np.ravel(v) for v in value]))
        else:
            found.append(np.asarray(value).ravel())
    return np.concatenate(found)
