"""One weight a joint: one over the deviation of its noise, found from the residuals themselves.

Iterated weighted least squares: the deviation of a joint's residuals tells its noise, its noise how
much its residuals count, and so on until both agree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.inertia import tolerances

ROUNDS = 50
"""Rounds at most; three to fifteen are usual."""

SETTLED = 0.1
"""Part of a deviation's own statistical error, 1 / sqrt(2 S), below which a change is no news."""

FEW = 3.0
"""Samples for each parameter of a joint below which residuals tell little of its noise."""


class Noise(NamedTuple):
    """The noise of the joints.

    Attributes:
        weights: (n,) one over the deviation [1/(N m)]; 0 for a joint without torque.
        remarks: What is doubtful, one line each.
    """

    weights: Floats
    remarks: tuple[str, ...]


def news(samples: npt.NDArray[np.int64]) -> Floats:
    """(n,) relative changes of deviations up to which they tell nothing new."""
    return np.asarray(SETTLED / np.sqrt(2 * np.maximum(samples, 1)))


def estimate_noise(reduction: Reduction, theta0: Floats, nuisance: Nuisance) -> Noise:
    """Weights from the residuals of least squares.

    Args:
        reduction: Of the samples, in order "urdf".
        theta0: (L, 10) priors, in whose units least squares is solved.
        nuisance: The further numbers.

    Raises:
        ParameterError: No torque at all, or too few samples to tell.
    """
    sizes = np.sqrt(reduction.squares / np.maximum(reduction.samples, 1))
    silent = sizes == 0
    if silent.all():
        raise ParameterError(
            "the torque is zero in every sample of every joint: there is nothing to identify"
        )
    weights = np.where(silent, 0.0, 1 / np.where(silent, 1.0, sizes))
    remarks = [
        f"joint {j}: its torque is zero in every sample; left out" for j in np.flatnonzero(silent)
    ]
    squares, rank = _fit(reduction, weights, theta0, nuisance)
    share = rank / int((~silent).sum())
    _refuse_too_few(reduction, rank, share)
    if np.any(reduction.samples[~silent] < FEW * share):
        pooled = float(weights**2 @ squares) / float((reduction.samples - share)[~silent].sum())
        remarks.append(
            f"{int(reduction.samples.max())} samples for {rank} parameters of {reduction.joints} "
            "joints tell little of the noise of each: the same part of the torque for all; give "
            "weights"
        )
        return Noise(weights / max(np.sqrt(pooled), tolerances.LEAST_NOISE), tuple(remarks))
    for _ in range(ROUNDS):
        deviations = np.sqrt(squares / np.where(silent, 1.0, reduction.samples - share))
        deviations = np.maximum(deviations, tolerances.LEAST_NOISE * sizes)
        change = np.abs(weights * deviations - 1)
        weights = np.where(silent, 0.0, 1 / np.where(silent, 1.0, deviations))
        if np.all((change <= news(reduction.samples))[~silent]):
            break
        squares, _ = _fit(reduction, weights, theta0, nuisance)
    remarks += [
        f"joint {j}: its residuals are rounding; its noise counts as "
        f"{tolerances.LEAST_NOISE:g} of its torque"
        for j in np.flatnonzero(~silent & (deviations <= tolerances.LEAST_NOISE * sizes))
    ]
    return Noise(weights, tuple(remarks))


def _refuse_too_few(reduction: Reduction, rank: int, share: float) -> None:
    """Refuse samples of which least squares leaves no residual, or nothing at all.

    Raises:
        ParameterError: They are.
    """
    if rank == 0:
        raise ParameterError(
            f"the regressor is zero: the samples decide 0 of {reduction.columns} parameters; did "
            "any joint move, and is there gravity?"
        )
    if np.any(reduction.samples <= share):
        raise ParameterError(
            f"{int(reduction.samples.max())} samples of {reduction.joints} joints are too few for "
            f"{rank} parameters to tell the noise: give weights, one over the deviation of each "
            "joint's torque"
        )


def _fit(
    reduction: Reduction, weights: Floats, theta0: Floats, nuisance: Nuisance
) -> tuple[Floats, int]:
    """Fit weighted least squares: sums of squared residuals (n,), and the rank."""
    problem = Problem.of(reduction.stack(weights), theta0, nuisance, 0.0)
    x, rank = problem.least_squares
    return reduction.residual_squares(problem.si(x)), rank
