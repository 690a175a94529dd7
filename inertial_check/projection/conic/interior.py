"""Conic problems handed to Clarabel directly, which solves small ones faster than cvxpy poses them.

Other solvers are asked through cvxpy (program.py); what both return means the same.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.projection.conic.cones import ConeProblem, Part
from inertial_check.projection.conic.solvers import NoAnswer, translate_failures
from inertial_check.solvers.svec import order_of, triangle

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

DIRECT = "CLARABEL"
"""Name of the solver that is asked without cvxpy, as cvxpy calls it."""

_ANSWERS = ("Solved", "AlmostSolved")
_IMPOSSIBLE = ("PrimalInfeasible", "AlmostPrimalInfeasible")


def solve_directly(
    problem: ConeProblem, step: float, options: dict[str, float]
) -> tuple[Floats, Floats, Floats, int]:
    """Solve a problem with u = step d, so that d is of the order of one.

    Args:
        problem: A problem in its units.
        step: Size of the change.
        options: Settings of the solver.

    Returns:
        (p,) the change d, in units of the step; (aux,) auxiliary variables; (k,) multipliers of the
        rows; iterations.

    Raises:
        NoAnswer: The solver broke, or says that there is none.
    """
    import clarabel

    width = len(problem.M)
    order, cones = _arrange_cones(problem.parts)
    rows = np.concatenate([step * problem.Gu, problem.Gy], axis=1)[order]
    P = np.zeros((rows.shape[1],) * 2)
    P[:width, :width] = np.triu(problem.M)
    with translate_failures():
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        for name, value in options.items():
            setattr(settings, name, value)
        solver = clarabel.DefaultSolver(
            _compress(P), np.zeros(len(P)), _compress(-rows), problem.g[order], cones, settings
        )
        answer = solver.solve()
        status, x = str(answer.status), np.array(answer.x)
        if status not in _ANSWERS or not np.all(np.isfinite(x)):
            raise NoAnswer(f"no answer, status {status}", status in _IMPOSSIBLE)
        z = np.empty(len(rows))
        z[order] = answer.z
    return x[:width], x[width:], z, int(answer.iterations)


def minimise_linear(
    cost: Floats, A: Floats, b: Floats, parts: tuple[Part, ...], tolerance: float
) -> float:
    """Minimise cost x with A x + b in a product of cones.

    Returns:
        The smaller of the values of the program and of its dual; 0 where the solver has none.
    """
    import clarabel

    order, cones = _arrange_cones(parts)
    try:
        with translate_failures():
            settings = clarabel.DefaultSettings()
            settings.verbose = False
            settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
            none = _compress(np.zeros((len(cost),) * 2))
            solver = clarabel.DefaultSolver(
                none, cost, _compress(-A[order]), b[order], cones, settings
            )
            answer = solver.solve()
    except NoAnswer:
        return 0.0
    if str(answer.status) not in (*_ANSWERS, "InsufficientProgress"):
        return 0.0
    return float(min(answer.obj_val, answer.obj_val_dual))


def _arrange_cones(parts: tuple[Part, ...]) -> tuple[Integers, list[object]]:
    """Arrange the rows as the solver has them: the order (k,), and its cones.

    It stacks the triangle of a symmetric matrix by columns, an svec by rows.
    """
    import clarabel

    order: list[Integers] = []
    cones: list[object] = []
    for cone, rows in parts:
        length = rows.stop - rows.start
        own = np.arange(rows.start, rows.stop)
        if cone == "psd":
            own = own[_by_columns(order_of(length))]
            cones.append(clarabel.PSDTriangleConeT(order_of(length)))
        elif cone == "zero":
            cones.append(clarabel.ZeroConeT(length))
        elif cone == "nonneg":
            cones.append(clarabel.NonnegativeConeT(length))
        else:
            cones.append(clarabel.SecondOrderConeT(length))
        order.append(own)
    return np.concatenate(order), cones


@cache
def _by_columns(n: int) -> Integers:
    """Return where each entry of a triangle that is stacked by columns stands in an svec."""
    i, j, _ = triangle(n)
    return np.lexsort((i, j))


def _compress(matrix: Floats) -> csc_matrix:
    """Compress a matrix by columns."""
    from scipy.sparse import csc_matrix

    columns, rows = np.nonzero(matrix.T)
    starts = np.zeros(matrix.shape[1] + 1, dtype=np.int64)
    np.cumsum(np.bincount(columns, minlength=matrix.shape[1]), out=starts[1:])
    return csc_matrix((matrix[rows, columns], rows, starts), shape=matrix.shape)
