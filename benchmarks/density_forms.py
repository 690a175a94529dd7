"""How exact the forms of density constraints are: maxima over moments against maxima over shapes.

A convex set is known by the maxima of linear functions over it. For random quadratic forms q(x) the
maximum of <q, Pi> over the bodies of unit mass that a constraint allows is compared with the global
maximum of q over the shape, found from its stationary points (tests/truths/limits.py). The excess,
as a part of the range of q over the shape, is 0 for an exact form and never negative.

Run: python benchmarks/density_forms.py [forms]
"""

from __future__ import annotations

import sys
from pathlib import Path

import cvxpy as cp
import numpy as np

sys.path[:0] = [
    str(Path(__file__).resolve().parents[1] / "tests" / folder) for folder in ("truths", "support")
]

from inertial_check.projection import conic
from inertial_check.projection.densities import Density, DensityInBox
from inertial_check.projection.svec import SCALE, TO_SVEC
from limits import SHAPES, maximum_over

SEEN = 1e-6
"""Excess from which a form counts as too large: the solver's tolerance is well below."""

HARD = np.array(
    [
        [-0.08713657, 0.9884964, -0.56829147, 0.4174017],
        [0.9884964, -0.99669151, 1.0, -0.66829396],
        [-0.56829147, 1.0, 0.05065047, 0.27406271],
        [0.4174017, -0.66829396, 0.27406271, 0.03718195],
    ]
)
"""A form, found by search, over which the corners of a cube do worst."""


def excesses(allowed: Density, shape: Density, forms: list[np.ndarray]) -> np.ndarray:
    """The excess of each form."""
    theta, q = cp.Variable(10), cp.Parameter(10)
    body = [*conic.consistent(theta), *conic.constrain(theta, allowed), theta[0] == 1]
    problem = cp.Problem(cp.Maximize(q @ (TO_SVEC @ theta)), body)
    found = []
    for form in forms:
        q.value = form[np.triu_indices(4)] * SCALE
        low, high = (sign * maximum_over(shape, sign * form) for sign in (-1, 1))
        found.append((problem.solve(solver="CLARABEL") - high) / (high - low))
    return np.array(found)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 250
    rng = np.random.default_rng(11)
    forms = [form + form.T for form in rng.normal(size=(count, 4, 4))]
    print(f"{'shape':20}{'forms':>6}{'largest excess':>16}{'too large':>11}")
    for name, (allowed, *_) in SHAPES.items():
        found = excesses(allowed, SHAPES[name.partition(",")[0]].constraint, forms)
        print(f"{name:20}{count:6}{found.max():16.1e}{np.mean(found > SEEN):11.1%}")
    cube = DensityInBox([1.0, 1, 1])
    for kind in ("exact", "vertices"):
        (found,) = excesses(DensityInBox([1.0, 1, 1], form=kind), cube, [HARD])
        print(f"{'cube, ' + kind:20}{'hard':>6}{found:16.1e}")


if __name__ == "__main__":
    main()
