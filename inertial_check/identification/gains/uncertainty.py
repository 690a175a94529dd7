"""Uncertainty of drive gains and of their common scale in the problem of the last round."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.gains.estimate import invert_information
from inertial_check.inertia import tolerances

OPEN = 0.1
"""Squared part of a direction that no sample shows, from which on it is told of a gain."""


def convert_to_units(problem: Problem, x: Floats) -> Floats:
    """Convert parameters (p,) [SI] to the units of a problem, with gains that do not change."""
    count = 10 * problem.bodies
    numbers = np.zeros(problem.A.shape[1] - count)
    numbers[: len(x) - count] = x[count:]
    return problem.x(x[:count].reshape(-1, 10), numbers)


def find_free_scale(problem: Problem, x: Floats) -> float:
    """Find the factor of the prior at which its term does not change with the scale of x (p,)."""
    if problem.regularization == 0:
        return 1.0
    own = convert_to_units(problem, x)
    count = 10 * problem.bodies
    own[count:] = 0.0
    pull = problem.K @ own
    along = float(pull[:count] @ problem.prior[:count])
    return float(pull @ own) / along if along > 0 else 1.0


def measure_mass_error(problem: Problem, row: Floats) -> float:
    """Measure the standard deviation of a sum of masses that bodies at given gains have.

    What the samples leave open of it is as the prior has it. Two things make the prior's own error
    larger than the weight says that the samples suggest: they show few directions, and a wrong
    guess of the shape is the same for all bodies. So the prior is trusted no more than to the
    bodies' own size, a weight of 1, and the errors of the bodies add up with one sign.

    Args:
        problem: Problem of independent samples.
        row: (p,) slopes of the sum by the parameters in their units.
    """
    along = invert_information(problem.H) @ row
    squares = along * (problem.K @ along)
    count = 10 * problem.bodies
    bodies = np.maximum(squares[:count].reshape(-1, 10).sum(axis=1), 0.0)
    prior = max(1.0, problem.regularization) * float(np.sqrt(bodies).sum()) ** 2
    beside = max(float(squares[count:].sum()), 0.0)
    return float(np.sqrt(np.sum((problem.A @ along) ** 2) + prior + beside))


def measure_covariance(problem: Problem, x: Floats, joints: int) -> Floats:
    """Measure the covariance (n, n) of the relative errors of the gains.

    The prior does not pull at the common scale, so it tells nothing along the answer itself.

    Args:
        problem: Problem with the gains' numbers last, of independent samples.
        x: (p + n,) answer in its units.
        joints: n.
    """
    own = np.array(x)
    own[10 * problem.bodies :] = 0.0
    pull = problem.K @ own
    H, along = problem.H, float(pull @ own)
    if along > 0:
        H = H - np.outer(pull, pull) / along
    units = problem.unit[-joints:]
    return np.asarray(invert_information(H)[-joints:, -joints:] * np.multiply.outer(units, units))


def find_open_gains(problem: Problem, joints: int) -> tuple[int, ...]:
    """Find the joints whose gain no sample ties to the gains of the others."""
    sizes = np.linalg.norm(problem.A, axis=0)
    _, values, V = np.linalg.svd(problem.A / np.where(sizes > 0, sizes, 1.0), full_matrices=True)
    rank = int(np.sum(values > tolerances.RANK * values.max(initial=0.0)))
    blind = V[rank:, -joints:]
    if np.sum(blind**2, axis=0).max(initial=0.0) <= tolerances.BLIND:
        return ()
    blind = blind * problem.unit[-joints:] / np.where(sizes > 0, sizes, 1.0)[-joints:]
    largest = np.abs(blind).max()
    # The common scale of all gains is one of these directions, and is told of by itself.
    beside = (blind - blind.mean(axis=1, keepdims=True)) / largest
    return tuple(np.flatnonzero(np.sum(beside**2, axis=0) > OPEN).tolist())
