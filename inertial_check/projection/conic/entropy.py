"""Densities of least divergence under linear equations, by a solver of cvxpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError
from inertial_check.projection.conic.solvers import NoAnswer, translate_failures

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_TIGHT = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}
"""Tolerances of Clarabel: those of its default leave a gap above tolerances.CERTIFIED."""


class DivergenceProblem(Protocol):
    """A problem as filling.densities.problem.DensityProblem states it."""

    @property
    def volumes(self) -> Floats:
        """(n,) volumes of the cells."""

    @property
    def nominal(self) -> Floats:
        """(n,) nominal densities."""

    @property
    def lower(self) -> Floats:
        """(n,) least densities."""

    @property
    def upper(self) -> Floats:
        """(n,) largest densities."""

    @property
    def rows(self) -> csr_array:
        """(k, n) coefficients of the sums."""

    @property
    def wanted(self) -> Floats:
        """(k,) the sums."""

    @property
    def divergence(self) -> str:
        """The measure: "entropic" or "quadratic"."""


def minimise_divergence(
    problem: DivergenceProblem, solver: str
) -> tuple[Floats | None, Floats, int]:
    """Minimise the divergence of densities from nominal ones under linear equations.

    Args:
        problem: The problem.
        solver: Name of a solver of cvxpy, with exponential cones for the relative entropy.

    Returns:
        Densities, None where the solver finds none; multipliers of the equations; and steps.

    Raises:
        ParameterError: The solver is not installed.
    """
    import cvxpy as cp

    names = {str(name).upper(): str(name) for name in cp.installed_solvers()}
    if solver.upper() not in names:
        known = ", ".join(repr(name.lower()) for name in sorted(names.values()))
        raise ParameterError(f"solver {solver!r} is not installed; installed are {known}")
    name = names[solver.upper()]
    masses = problem.volumes * problem.nominal
    unit = float(masses.sum())
    weights = masses / unit
    ratio = cp.Variable(len(masses))
    if problem.divergence == "quadratic":
        deviation = cp.sum(cp.multiply(weights, cp.square(ratio - 1))) / 2
    else:
        deviation = cp.sum(cp.multiply(weights, cp.kl_div(ratio, 1)))
    constraints = [problem.rows.multiply(weights) @ ratio == problem.wanted / unit]
    constraints += [ratio >= problem.lower / problem.nominal]
    finite = np.isfinite(problem.upper)
    if np.any(finite):
        constraints += [ratio[finite] <= (problem.upper / problem.nominal)[finite]]
    program = cp.Problem(cp.Minimize(deviation), constraints)
    options = _TIGHT if name == "CLARABEL" else {}
    none = np.zeros(len(problem.wanted))
    try:
        with translate_failures():
            program.solve(solver=name, **options)
    except NoAnswer:
        return None, none, 0
    if ratio.value is None or "infeasible" in str(program.status):
        return None, none, 0
    y = -np.asarray(constraints[0].dual_value, dtype=float).reshape(-1)
    steps = int(program.solver_stats.num_iters or 0)
    return np.asarray(ratio.value) * problem.nominal, y, steps
