"""The projections as convex programs: by any cvxpy solver, and in a user's own cvxpy problem.

The only package that imports cvxpy, and only inside functions.

The examples of this module continue this session:

>>> import cvxpy as cp
>>> from inertial_check.projection import conic, constraints
>>> theta = cp.Variable(10)
>>> broken = [1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.08]  # 0.08 is more than 0.02 + 0.03
>>> ball = [1.2, 0, 0, 0, 0.03, 0, 0, 0.03, 0, 0.03]
"""

from __future__ import annotations

from inertial_check.projection.conic.expressions import (
    consistent,
    constrain,
    entropic,
    pseudo_inertia,
    squared_distance,
)
from inertial_check.projection.conic.joint import (
    CoupledProblem,
    nearest,
    prove_nearest,
    solve_coupled_problem,
    try_inertias,
    try_nearest,
)
from inertial_check.projection.conic.solvers import NoAnswer

__all__ = [
    "CoupledProblem",
    "NoAnswer",
    "consistent",
    "constrain",
    "entropic",
    "nearest",
    "prove_nearest",
    "pseudo_inertia",
    "solve_coupled_problem",
    "squared_distance",
    "try_inertias",
    "try_nearest",
]
