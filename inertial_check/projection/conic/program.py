"""A joint problem as a cvxpy program, compiled once for a pattern of cones and reused."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.projection._constraint import Cone
from inertial_check.projection.conic.cones import Part
from inertial_check.projection.conic.interior import DIRECT, solve_directly
from inertial_check.projection.conic.joint_problem import JointProblem
from inertial_check.projection.conic.polish import Point
from inertial_check.projection.conic.solvers import NoAnswer, translate_failures
from inertial_check.solvers.svec import order_of, root_of, unsvec

if TYPE_CHECKING:
    import cvxpy as cp

PATTERNS = 64
"""Number of compiled programs that are kept."""


class _Pattern(NamedTuple):
    """Pattern that a program is compiled for: everything else is a parameter.

    Attributes:
        bodies: Number of bodies.
        aux: Number of auxiliary variables.
        blocks: For each block its cone, its rows, the bodies it touches, and where Gy is not zero.
    """

    bodies: int
    aux: int
    blocks: tuple[tuple[Cone, int, tuple[int, ...], bytes], ...]


class _Program(NamedTuple):
    """A compiled program with its parameters and variables."""

    problem: cp.Problem
    roots: list[cp.Parameter]
    coefficients: list[tuple[cp.Parameter | None, cp.Parameter | None, cp.Parameter]]
    d: cp.Variable
    y: cp.Variable | None
    constraints: list[cp.Constraint]
    lock: Lock


def ask_solver(
    problem: JointProblem, step: float, solver: str, options: dict[str, float]
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
        found = solve_directly(problem, step, options)
        s = problem.g + step * (problem.Gu @ found.d) + problem.Gy @ found.y
        return Point(found.d, found.y, s - found.z * step, step), found.steps
    program = _program(_pattern(problem))
    with program.lock, translate_failures():
        _fill(program, problem, step)
        program.problem.solve(solver=solver, warm_start=False, **options)
        status = str(program.problem.status)
        if program.d.value is None or not np.all(np.isfinite(program.d.value)):
            raise NoAnswer(f"no answer, status {status}", "infeasible" in status)
        d = np.array(program.d.value)
        y = np.zeros(0) if program.y is None else np.array(program.y.value)
        z = multipliers(program.constraints, problem.parts) * step
        steps = program.problem.solver_stats.num_iters
    s = problem.g + step * (problem.Gu @ d) + problem.Gy @ y
    return Point(d, y, s - z, step), int(steps or 0)


def _pattern(problem: JointProblem) -> _Pattern:
    bodies = len(problem.theta0)
    blocks = tuple(
        (
            part.cone,
            part.rows.stop - part.rows.start,
            _find_bodies(problem.Gu[part.rows]),
            np.packbits(problem.Gy[part.rows] != 0).tobytes(),
        )
        for part in problem.parts
    )
    return _Pattern(bodies, problem.Gy.shape[1], blocks)


def _find_bodies(rows: Floats) -> tuple[int, ...]:
    """Find the bodies on which some rows (k, 10 n) depend."""
    return tuple(int(i) for i in np.flatnonzero(rows.reshape(len(rows), -1, 10).any(axis=(0, 2))))


@lru_cache(maxsize=PATTERNS)
def _program(pattern: _Pattern) -> _Program:
    """Compile: minimise ||R d||^2 / 2 with A d + B y + b in the cones, all four parameters."""
    import cvxpy as cp

    d = cp.Variable(10 * pattern.bodies)
    y = cp.Variable(pattern.aux) if pattern.aux else None
    roots = [cp.Parameter((10, 10)) for _ in range(pattern.bodies)]
    change = [R @ d[10 * i : 10 * i + 10] for i, R in enumerate(roots)]
    coefficients, constraints = [], []
    for cone, rows, touched, mask in pattern.blocks:
        b = cp.Parameter(rows)
        A = B = None
        expression = b
        if touched:
            A = cp.Parameter((rows, 10 * len(touched)))
            expression += A @ cp.hstack([d[10 * i : 10 * i + 10] for i in touched])
        where = _unpack_mask(mask, rows, pattern.aux)
        if len(where[0]):
            B = cp.Parameter((rows, pattern.aux), sparsity=where)
            expression += B @ y
        coefficients.append((A, B, b))
        constraints.append(member(cone, expression))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(cp.hstack(change)) / 2), constraints)
    return _Program(problem, roots, coefficients, d, y, constraints, Lock())


def _unpack_mask(mask: bytes, rows: int, aux: int) -> tuple[Integers, ...]:
    """Find the places that a packed mask (rows, aux) marks, axis by axis."""
    bits = np.unpackbits(np.frombuffer(mask, dtype=np.uint8), count=rows * aux)
    return np.nonzero(bits.reshape(rows, aux))


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


def _fill(program: _Program, problem: JointProblem, step: float) -> None:
    """Set the parameters of a program."""
    for i, root in enumerate(program.roots):
        own = slice(10 * i, 10 * i + 10)
        root.value = root_of(problem.M[own, own])
    for (A, B, b), part in zip(program.coefficients, problem.parts, strict=True):
        b.value = problem.g[part.rows]
        if A is not None:
            rows = problem.Gu[part.rows]
            columns = [np.arange(10 * i, 10 * i + 10) for i in _find_bodies(rows)]
            A.value = step * rows[:, np.concatenate(columns)]
        if B is not None:
            from scipy.sparse import coo_array

            B.value_sparse = coo_array(problem.Gy[part.rows])


def multipliers(constraints: list[cp.Constraint], parts: tuple[Part, ...]) -> Floats:
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
