"""Why an answer is the nearest: the multipliers, and what they leave unexplained."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.projection.conic.cones import distance, gaps
from inertial_check.projection.conic.posed import Posed


class Piece(NamedTuple):
    """The proof of one joint problem.

    Attributes:
        rows: Of the batch.
        problem: In its units.
        y: (aux,) auxiliary variables.
        z: (k,) multipliers of the rows.
    """

    rows: npt.NDArray[np.intp]
    problem: Posed
    y: Floats
    z: Floats


class Proof(NamedTuple):
    """The optimality conditions of a batch under constraints, to be looked over again.

    A convex problem has no other minimum: where all residuals are small, nothing nearer is allowed.
    """

    pieces: tuple[Piece, ...]

    def residuals(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """By how much bodies (n, 10) fail them, computed anew.

        Returns:
            (n,) primal residual, by which they leave a cone; dual residual, by which multipliers
            leave theirs or fail to explain the change; gap, sum of |<s, z>|. Dimensionless, in the
            units of each joint problem, which its bodies share.
        """
        found = np.zeros((3, len(theta)))
        for rows, problem, y, z in self.pieces:
            found[:, rows] = np.array(residuals(problem, theta[rows], y, z))[:, None]
        primal, dual, gap = found
        return primal, dual, gap


def residuals(problem: Posed, theta: Floats, y: Floats, z: Floats) -> tuple[float, float, float]:
    """Primal residual, dual residual and gap of the bodies (n, 10) of one joint problem."""
    u = problem.change(theta)
    s = problem.g + problem.Gu @ u + problem.Gy @ y
    force = np.concatenate([problem.M @ u - problem.Gu.T @ z, problem.Gy.T @ z])
    outside = distance(z, problem.parts, dual=True)
    dual = max(float(np.linalg.norm(force)), outside)
    return distance(s, problem.parts), dual, gaps(s, z, problem.parts)
