"""Solvers of conic programs, asked by name and never trusted: their answers are starting points.

Clarabel is handed the matrices, because it solves small problems faster than cvxpy poses them;
every other solver is asked through cvxpy, and what both return means the same. Densities of least
divergence are found by cvxpy as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Protocol
from warnings import catch_warnings, simplefilter

import numpy as np

from inertial_check.errors import ParameterError, PicklableError
from inertial_check.inertia.arrays import Floats, Integers
from inertial_check.projection.conic.cones import ConePoint, ConeProblem, Part
from inertial_check.projection.constraint import Cone
from inertial_check.projection.svec import order_of, root_of, triangle, unsvec

if TYPE_CHECKING:
    import cvxpy as cp
    from scipy.sparse import csc_matrix, csr_array


class NoAnswer(PicklableError, Exception):
    """A solver stopped without an answer, or broke.

    Attributes:
        infeasible: Whether it says that there is none.
    """

    def __init__(self, reason: str, infeasible: bool = False) -> None:
        super().__init__(reason)
        self.infeasible = infeasible


def find_solver(solver: str) -> str:
    """Find the name that cvxpy has for a solver.

    Raises:
        ParameterError: Not installed, or without semidefinite cones; lists those that can.
    """
    if isinstance(solver, str) and solver.upper() == "CLARABEL":  # a dependency: always there
        return "CLARABEL"
    import cvxpy as cp

    known = {str(name).upper(): str(name) for name in cp.installed_solvers()}
    name = known.get(solver.upper()) if isinstance(solver, str) else None
    if name is None or not _has_semidefinite_cones(name):
        able = ", ".join(
            repr(n.lower()) for n in sorted(known.values()) if _has_semidefinite_cones(n)
        )
        reason = "is not installed" if name is None else "has no semidefinite cones"
        raise ParameterError(
            f"solver {solver!r} {reason}; installed are {able}, and None is the closed form"
        )
    return name


@contextmanager
def translate_failures() -> Iterator[None]:
    """Translate whatever a solver raises into NoAnswer; the user can still stop it.

    Clarabel's panics are no Exception, hence the broad clause. Warnings of inaccurate answers are
    dropped: an answer is certified, or refused, afterwards.
    """
    try:
        with catch_warnings():
            simplefilter("ignore")
            yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, NoAnswer):
        raise
    except BaseException as error:
        raise NoAnswer(f"{error}" or type(error).__name__) from error


@cache
def _has_semidefinite_cones(name: str) -> bool:
    """Decide whether cvxpy can hand this solver a semidefinite problem."""
    import cvxpy as cp

    P = cp.Variable((2, 2), PSD=True)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(P)), [P[0, 1] == 1])
    try:
        problem.get_problem_data(name)
    except cp.error.SolverError:
        return False
    return True


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
    # Asked for d in units of its own size: at the tolerance of a solver, 1e-9 of the body, small
    # violations would be feasible already.
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


def _tolerances(tolerance: float) -> dict[str, float]:
    """Return settings of Clarabel with this tolerance."""
    return {"tol_gap_abs": tolerance, "tol_gap_rel": tolerance, "tol_feas": tolerance}


ATTEMPTS: dict[str, tuple[dict[str, float], ...]] = {
    "CLARABEL": (
        {**_tolerances(1e-9), "iterative_refinement_enable": False, "max_step_fraction": 0.995},
        *map(_tolerances, (1e-9, 1e-7, 1e-4)),
    ),
    "SCS": tuple({"eps_abs": t, "eps_rel": t, "max_iters": 20_000} for t in (1e-7, 1e-4)),
}
"""Options of each solver to try in turn. Clarabel's first are fast: no refinement, and steps close
to the boundary, because the polish does the rest. Tighter ones than these make it stall or panic,
and the polish goes on from these."""


def ask_in_turn(
    problem: ConeProblem, step: float, solver: str, failures: list[str]
) -> Iterator[tuple[ConePoint, int]]:
    """Ask a solver for one setting of its tolerances after the other.

    Args:
        problem: A problem in its units.
        step: The change is asked for in these units, or the solver's tolerance would hide it.
        solver: As cvxpy calls it.
        failures: Gets the reason of each setting without an answer.

    Yields:
        The answers, with their iterations.

    Raises:
        NoAnswer: The solver says that there is none.
    """
    for options in ATTEMPTS.get(solver, ({},)):
        try:
            found = ask_solver(problem, step, solver, options)
        except NoAnswer as error:
            if error.infeasible:
                raise
            failures.append(str(error))
            continue
        yield found


def ask_solver(
    problem: ConeProblem, step: float, solver: str, options: dict[str, float]
) -> tuple[ConePoint, int]:
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
    return ConePoint(d, y, s - step * z, step), steps


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
        # Read the multipliers of the rows from cvxpy's constraints; zeros if the solver gives none.
        found = []
        for constraint, part in zip(constraints, problem.parts, strict=True):
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
        z = np.concatenate(found)
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
