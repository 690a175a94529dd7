"""One quadratic over bodies and other numbers together, under cones of any kind.

Minimise d^T M d / 2 over the change d and the auxiliary y, with g + Gu d + Gy y in a product of
cones. Unlike a `JointProblem`, M couples everything, so that no pattern of it is worth keeping.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ProjectionError
from inertial_check.projection._constraint import Block
from inertial_check.projection.conic.cones import Part, project
from inertial_check.projection.conic.joint import ATTEMPTS
from inertial_check.projection.conic.joint_problem import row_lengths
from inertial_check.projection.conic.polish import polish
from inertial_check.projection.conic.program import ask_solver
from inertial_check.projection.conic.solvers import NoAnswer, find_solver


class CoupledProblem(NamedTuple):
    """A quadratic problem over a vector d whose M couples everything.

    Attributes:
        M: (p, p) positive definite.
        Gu: (k, p).
        Gy: (k, aux).
        g: (k,).
        parts: The cones of the rows.
    """

    M: Floats
    Gu: Floats
    Gy: Floats
    g: Floats
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, M: Floats, groups: Iterable[Sequence[Block]]) -> CoupledProblem:
        """Build the problem of groups of blocks; those of a group share auxiliary variables."""
        groups = list(groups)
        widths = [max(block.B.shape[1] for block in group) for group in groups]
        Gu, Gy, g, parts = [], [], [], []
        rows = column = 0
        for group, width in zip(groups, widths, strict=True):
            for block in group:
                length = row_lengths(block.cone, block.A, block.B)
                B = np.zeros((len(block.b), sum(widths)))
                B[:, column : column + block.B.shape[1]] = block.B
                Gu.append(block.A / length[:, None])
                Gy.append(B / length[:, None])
                g.append(block.b / length)
                parts.append(Part(block.cone, slice(rows, rows + len(block.b))))
                rows += len(block.b)
            column += width
        return cls(M, np.concatenate(Gu), np.concatenate(Gy), np.concatenate(g), tuple(parts))


class CoupledAnswer(NamedTuple):
    """Answer of a solver to a coupled problem.

    Attributes:
        d: (p,) the change.
        y: (aux,) auxiliary variables.
        z: (k,) multipliers of the rows: M d = Gu^T z.
        steps: Iterations.
    """

    d: Floats
    y: Floats
    z: Floats
    steps: int


def solve_coupled_problem(problem: CoupledProblem, solver: str) -> list[CoupledAnswer]:
    """Find the polished answers of a solver, for one setting of its tolerances after the other.

    Args:
        problem: A problem in units in which everything has size one.
        solver: Name of an installed cvxpy solver with semidefinite cones, in any case.

    Returns:
        At least one answer, none of them certified.

    Raises:
        ParameterError: No such solver.
        NoAnswer: It says that there is none.
        ProjectionError: It broke at every setting.
    """
    name = find_solver(solver)
    found, failures = [], []
    for options in ATTEMPTS.get(name, ({},)):
        try:
            start, steps = ask_solver(problem, 1.0, name, options)
        except NoAnswer as error:
            if error.infeasible:
                raise
            failures.append(str(error))
            continue
        point, _ = polish(problem, start)
        z = project(point.w, problem.parts) - point.w
        found.append(CoupledAnswer(point.d, point.y, z, steps))
    if not found:
        raise ProjectionError(f"{name} gave no answer ({'; '.join(failures)})", problem)
    return found
