"""The nearest pseudo-inertia in the units of a prior body, in closed form.

||L^-1 (Pi - Pi0) L^-T||_F with P = L L^T is the length of the change as a body of pseudo-inertia P
sees it: whiten, clip the eigenvalues, un-whiten. It does not change with the frame or the units, as
long as the prior changes with them (Lee and Park, IEEE Robot. Autom. Lett. 3, 2018, eq. 24, at the
prior).
"""

from __future__ import annotations

import numpy as np

from inertial_check.projection.quadratic import Quadratic, Solution, normalised, solution
from inertial_check.solvers.svec import pack, unpack


def nearest(problem: Quadratic) -> Solution:
    """The nearest of every body, by ||L^-1 (Pi - Pi0) L^-T||_F with L L^T the reference.

    Args:
        problem: With W None.
    """
    units = normalised(problem)
    values, vectors = np.linalg.eigh(unpack(units.x0))
    lifted = np.maximum(-values, 0.0)
    z = pack(np.matmul(vectors * lifted[:, None, :], vectors.transpose(0, 2, 1)))
    return solution(problem, units, units.x0 + z, z, np.zeros(len(z), dtype=np.int32))
