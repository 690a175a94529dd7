"""Known sums that exclude each other: the smallest set that no deletion leaves infeasible."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.filling.densities.problem import DensityProblem, InfeasibleSumsError
from inertial_check.inertia import tolerances


def find_conflict(problem: DensityProblem) -> InfeasibleSumsError | None:
    """Find sums that exclude each other; None if densities between the bounds meet them all.

    One sum after the other is left out for good where the rest still conflict.
    """
    every = list(range(len(problem.wanted)))
    if _is_feasible(problem, every, problem.upper):
        return None
    kept = list(every)
    for candidate in every:
        rest = [row for row in kept if row != candidate]
        if rest and not _is_feasible(problem, rest, problem.upper):
            kept = rest
    unbounded = np.full_like(problem.upper, np.inf)
    needed = _is_feasible(problem, kept, unbounded, np.zeros_like(problem.lower))
    bounds = ""
    if needed:
        touched = np.asarray(abs(problem.rows[kept]).sum(axis=0)).ravel() > 0
        low, high = problem.lower[touched], problem.upper[touched]
        bounds = f"of {np.min(low, initial=np.inf):g} to {np.max(high, initial=0):g} kg/m^3"
    return InfeasibleSumsError(tuple(problem.names[row] for row in kept), bounds)


def _is_feasible(
    problem: DensityProblem, rows: list[int], upper: Floats, lower: Floats | None = None
) -> bool:
    """Whether densities exist with some of the sums: the least error of them is rounding."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack

    low = problem.lower if lower is None else lower
    masses = problem.volumes * problem.nominal  # unknowns are densities in units of the nominal
    A = csr_array(problem.rows[rows].multiply(masses))
    wanted = problem.wanted[rows]
    size = np.maximum(np.asarray(abs(A).sum(axis=1)).ravel(), np.abs(wanted))
    size = np.where(size > 0, size, 1.0)
    scaled = csr_array(A.multiply(1 / size[:, None]))
    both = hstack([scaled, eye_array(len(rows)), -eye_array(len(rows))], format="csr")
    costs = np.concatenate([np.zeros(len(masses)), np.ones(2 * len(rows))])
    bounds = np.concatenate(
        [
            np.stack([low / problem.nominal, upper / problem.nominal], axis=1),
            np.tile([0.0, np.inf], (2 * len(rows), 1)),
        ]
    )
    answer = linprog(costs, A_eq=both, b_eq=wanted / size, bounds=bounds, method="highs")
    return bool(answer.status == 0 and answer.fun <= tolerances.SUM_MET)
