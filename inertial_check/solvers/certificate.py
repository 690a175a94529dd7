"""The certificate of an answer: the optimality conditions, and by how much they fail."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances
from inertial_check.solvers.svec import symmetric, unpack

_Residual = Any  # Any: a number, or an array with one for each body


class Certificate(NamedTuple):
    """Residuals of the optimality conditions, in a problem of unit size: dimensionless.

    A convex problem has no other minimum: where all three are small, nothing better is feasible.
    Each is one number, or an array with one for each body.

    Attributes:
        primal_residual: Distance by which the answer leaves the feasible set.
        dual_residual: Part of the gradient that no multiplier in the dual cone explains. In
            identification, the decrease r^T H^-1 r that this part r could still bring, relative to
            the objective.
        gap: Complementarity |<multiplier, slack>|: the decrease that moving along the answer itself
            would bring. In identification, the proven distance from the optimum, relative to the
            objective: complementarity and dual residual together.
    """

    primal_residual: _Residual
    dual_residual: _Residual
    gap: _Residual

    @property
    def worst(self) -> Floats:
        """Largest of the three residuals, body by body."""
        return np.asarray(np.max(self, axis=0))

    @property
    def proves(self) -> bool:
        """Whether every answer is proven optimal: gap and primal residual within CERTIFIED."""
        proven = np.maximum(self.gap, self.primal_residual) <= tolerances.CERTIFIED
        return bool(np.all(proven))


def cone_residual(x: Floats) -> Floats:
    """Distance (n,) of svec (n, 10) from the semidefinite cone, by the least eigenvalue.

    Infinite where a number is not finite: nothing is proven there.
    """
    finite = np.all(np.isfinite(x), axis=1)
    least = np.linalg.eigvalsh(unpack(np.where(finite[:, None], x, 0.0)))[:, 0]
    return np.asarray(np.where(finite, np.maximum(-least, 0.0), np.inf))


def least_eigenvalue(vector: Floats) -> float:
    """Compute the least eigenvalue of one symmetric matrix of any order, given as its svec (k,)."""
    return float(np.linalg.eigvalsh(symmetric(vector))[0])
