"""The projections as convex programs: by any cvxpy solver, and in a user's own cvxpy problem.

The only package that imports cvxpy, and only inside functions.
"""

from inertial_check.projection.conic.expressions import (
    consistent,
    constrained,
    entropic,
    pseudo_inertia,
    squared_distance,
)
from inertial_check.projection.conic.joint import nearest, proven
from inertial_check.projection.conic.moments import moved
from inertial_check.projection.conic.solvers import NoAnswer
from inertial_check.projection.conic.whole import Whole, answers

__all__ = [
    "NoAnswer",
    "Whole",
    "answers",
    "consistent",
    "constrained",
    "entropic",
    "moved",
    "nearest",
    "proven",
    "pseudo_inertia",
    "squared_distance",
]
