"""Instrumental variables: least squares whose regressor is projected on that of another motion.

Noise in recorded positions is in the regressor Y, too, and biases least squares. Instruments Z are
columns that follow the noise-free Y and not the noise, such as the regressor of a simulated robot.
The estimate solves Z^T W (Y theta - tau) = 0, W the squared weights of the joints.

With the orthonormal columns Q that span those of W^1/2 Z, these equations are the normal equations
of two-stage least squares: the least of ||Q^T W^1/2 (Y theta - tau)||^2, so that priors, cones and
constraints keep their meaning. The covariance of the base parameters is (Y_b^T W^1/2 Q Q^T W^1/2
Y_b)^-1.

Sources: Janot, Vandanjon, Gautier, A Generic Instrumental Variable Approach for Industrial Robot
Identification, IEEE Trans. Control Syst. Technol. 22 (2014); Young, Recursive Estimation and
Time-Series Analysis, 2011.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.errors import ParameterError
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.identification.estimation.sampled import Samples
from inertial_check.inertia import tolerances


@dataclass(frozen=True, eq=False, repr=False)
class InstrumentedReduction(Reduction):
    """Reduction of samples whose equations are projected on instruments.

    Residuals are those of the samples; the system to be solved is the projected one.

    Attributes:
        extended: Reduction of the same torques with the columns [Z Y].
    """

    extended: Reduction

    @classmethod
    def of_samples(cls, samples: Samples, instruments: Samples) -> InstrumentedReduction:
        """Reduce samples and their instruments, block by block.

        Args:
            samples: Samples of the equations Y theta = tau.
            instruments: Samples of the same size, whose columns are the instruments; their torques
                have no effect.

        Raises:
            ParameterError: Instruments of other sizes, or samples that cannot be reduced.
        """
        found = (instruments.samples, instruments.joints, instruments.columns, instruments.order)
        expected = (samples.samples, samples.joints, samples.columns, samples.order)
        if found != expected:
            raise ParameterError(
                f"instruments have {found[0]} samples of {found[1]} joints and {found[2]} columns "
                f"in order {found[3]}, expected {expected[0]}, {expected[1]}, {expected[2]} and "
                f"{expected[3]}, as the regressor has"
            )
        extended = Reduction.of(_pair_rows(samples, instruments), 2 * samples.columns)
        plain = samples.reduce()
        return cls(plain.columns, plain.systems, extended)

    def relabel(self, labels: Integers) -> InstrumentedReduction:
        """Return the same samples with the columns in another order."""
        plain = super().relabel(labels)
        both = np.concatenate([labels, len(labels) + labels])
        return InstrumentedReduction(plain.columns, plain.systems, self.extended.relabel(both))

    def merge(self, *others: Reduction) -> Reduction:
        """Return the reduction of all samples together.

        Raises:
            ParameterError: One of them has other columns, or no instruments.
        """
        extended = [each.extended for each in others if isinstance(each, InstrumentedReduction)]
        if len(extended) < len(others):
            raise ParameterError("a reduction with instruments merges only with others of them")
        plain = super().merge(*others)
        whole = self.extended.merge(*extended)
        return InstrumentedReduction(plain.columns, plain.systems, whole)

    def stack(self, weights: Floats) -> tuple[Floats, Floats, float]:
        """Build the projected system of all joints.

        Args:
            weights: (n,) factors of the residuals of each joint.

        Returns:
            A (r, p), b (r,) and the squares of the torques that the instruments do not explain.
        """
        count = self.columns
        whole, b, rest = self.extended.stack(weights)
        Z, Y = whole[:count, :count], whole[:count, count:]
        size = np.linalg.norm(Z, axis=0)
        U, values, _ = np.linalg.svd(Z / np.where(size > 0, size, 1.0))
        # Bodies have dependent columns, so that QR leaves rows of rounding, which are no
        # instruments: only directions above the rounding of the samples are kept.
        least = count * tolerances.EPS * values.max(initial=0.0)
        basis = U[:, : int(np.sum(values > least))]
        projected = basis.T @ b[:count]
        squares = max(float(b @ b) + rest - float(projected @ projected), 0.0)
        return basis.T @ Y, projected, squares


def _pair_rows(samples: Samples, instruments: Samples) -> Iterator[tuple[Floats, Floats]]:
    """Give blocks of [Z Y] (s, n, 2 p) and tau (s, n), whatever the blocks of each are."""
    others = instruments.rows()
    waiting = np.zeros((0, samples.joints, samples.columns))
    for Y, tau in samples.rows():
        while len(waiting) < len(Y):
            waiting = np.concatenate([waiting, next(others)[0]])
        yield np.concatenate([waiting[: len(Y)], Y], axis=2), tau
        waiting = waiting[len(Y) :]
