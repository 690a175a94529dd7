"""Spread of the base parameters between runs: each recording alone against all of them together.

The covariance of one fit presumes independent noise. Recordings made apart differ by more: friction
warms up, the payload of a gripper hangs differently, noise has a colour. Cochran's Q, the weighted
squares of the runs' estimates about their mean, says by how much; its root over the degrees of
freedom is the Birge ratio, the factor by which the deviations are too small. Source: R. T. Birge,
The Calculation of Errors by the Method of Least Squares, Phys. Rev. 40 (1932).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inertial_check.arrays.equality import EqualByValue
from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError
from inertial_check.identification.assessment.base_estimate import BaseEstimate
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.inertia import tolerances


@dataclass(frozen=True, eq=False, repr=False)
class RunSpread(EqualByValue):
    """Base parameters of each run alone, by weighted least squares.

    Attributes:
        base: Base parameters of all runs together.
        values: (r, b) least squares of each run [SI]; NaN where a run alone does not decide one.
        standard_deviation: (r, b) of these values [SI]; infinite where a run does not decide one.
    """

    base: BaseEstimate
    values: Floats
    standard_deviation: Floats

    def __repr__(self) -> str:
        """Show the number of runs and the overall factor."""
        return f"RunSpread({len(self.values)} runs, Birge ratio {self.overall:.3g})"

    @cached_property
    def deviations(self) -> Floats:
        """(r, b) differences from the joint fit, in standard deviations of the difference.

        A run is a part of the joint fit, so the variance of the difference is that of the run less
        that of all. NaN where a run does not decide a parameter, or is all that decides it.
        """
        variance = self.standard_deviation**2 - self.base.standard_deviation**2
        alone = variance <= tolerances.RANK * self.standard_deviation**2
        variance = np.where(alone | ~np.isfinite(variance), np.nan, variance)
        return np.asarray((self.values - self.base.values) / np.sqrt(variance))

    @cached_property
    def birge_ratio(self) -> Floats:
        """(b,) root of Cochran's Q over the degrees of freedom: 1 where only noise differs.

        NaN for a parameter that fewer than two runs decide.
        """
        decided = np.isfinite(self.standard_deviation)
        weights = np.where(decided, 1 / np.where(decided, self.standard_deviation, 1.0) ** 2, 0.0)
        values = np.where(decided, self.values, 0.0)
        total = weights.sum(axis=0)
        mean = np.sum(weights * values, axis=0) / np.where(total > 0, total, 1.0)
        squares = np.sum(weights * (values - mean) ** 2, axis=0)
        free = decided.sum(axis=0) - 1
        return np.where(free > 0, np.sqrt(squares / np.maximum(free, 1)), np.nan)

    @cached_property
    def overall(self) -> float:
        """Root mean square of the Birge ratios of all parameters; NaN if there is none."""
        squares = self.birge_ratio[np.isfinite(self.birge_ratio)] ** 2
        return float(np.sqrt(squares.mean())) if len(squares) else float("nan")


def compare_runs(
    base: BaseEstimate, runs: Sequence[Reduction], weights: Floats, redundancy: float = 1.0
) -> RunSpread:
    """Estimate the base parameters of each run alone.

    Args:
        base: Base parameters of all runs together.
        runs: Reductions of the runs, with the same columns.
        weights: (n,) weights of the joints.
        redundancy: Number of samples that tell as much as one independent sample.

    Raises:
        ParameterError: Fewer than two runs, or one of other parameters.
    """
    if len(runs) < 2:
        raise ParameterError(f"{len(runs)} runs have no spread: expected two or more")
    width = len(base.columns)
    for run in runs:
        if run.columns != width:
            raise ParameterError(f"{run!r} has other columns than the base parameters: {width}")
    found = [_estimate_run(base, run, weights) for run in runs]
    values, deviations = (np.stack(each) for each in zip(*found, strict=True))
    return RunSpread(base, values, np.sqrt(redundancy) * deviations)


def _estimate_run(base: BaseEstimate, run: Reduction, weights: Floats) -> tuple[Floats, Floats]:
    """Estimate (b,) values and deviations of a run, as changes of the joint fit."""
    A, b, _ = run.stack(weights)
    kept = A[:, base.independent]
    # The joint fit's deviations are the units: a direction that this run hardly sees is then one
    # in which it is much less sure than all runs together.
    sizes = base.standard_deviation
    U, s, Vt = np.linalg.svd(kept * sizes, full_matrices=False)
    seen = s > tolerances.RANK * s.max(initial=0.0)
    along = (U.T @ (b - kept @ base.values))[seen] / s[seen]
    change = Vt[seen].T @ along
    variance = (Vt[seen].T ** 2) @ (1 / s[seen] ** 2)
    blind = 1 - np.sum(Vt[seen] ** 2, axis=0) > tolerances.BLIND
    values = np.where(blind, np.nan, base.values + sizes * change)
    return values, np.where(blind, np.inf, sizes * np.sqrt(variance))
