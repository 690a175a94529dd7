"""Estimated base parameters with their covariance: the table that identification papers print.

With weighted and independent samples the covariance of least squares is (A_b^T A_b)^-1, A_b being
the columns of the weighted regressor that stay. It counts the samples alone: neither the prior nor
the cones make it smaller. Source: Khalil and Dombre, Modeling, Identification and Control of
Robots, chapter 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inertial_check.arrays.equality import EqualByValue
from inertial_check.arrays.types import Floats, Integers
from inertial_check.identification.estimation.base import BaseParameters, base_parameters
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.inertia.representations import Order

_UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)


@dataclass(frozen=True, eq=False, repr=False)
class BaseEstimate(EqualByValue):
    """Estimated base parameters, beta = K theta, and how well the samples decide them.

    Attributes:
        parameters: The base parameters: which columns stay, and what is regrouped into them.
        values: (b,) by weighted least squares: by the samples alone, without prior, cones and
            bounds, so that errors are within three deviations in 99.7 % of all cases [SI].
        covariance: (b, b) covariance of the values [SI].
        identified: (b,) of the identified bodies, friction and other numbers, which prior, cones
            and bounds can move from the values by some deviations [SI].
        further_units: (k,) units of the numbers beside the bodies; "" where they are not known.
    """

    parameters: BaseParameters
    values: Floats
    covariance: Floats
    identified: Floats
    further_units: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Show the rank, and how many deviations are below a tenth of their values."""
        sure = int(np.count_nonzero(self.relative_standard_deviation < 10))
        return f"BaseEstimate({len(self)} base parameters, {sure} to better than 10 %)"

    def __str__(self) -> str:
        """Show the table: name, value, standard deviation, per cent."""
        rows = [
            (
                name,
                f"{value:.5g}",
                f"{deviation:.2g}",
                f"{percent:.2g}" if percent < 99.5 else f"{percent:.0f}",
            )
            for name, value, deviation, percent in zip(
                self.names,
                self.values.tolist(),
                self.standard_deviation.tolist(),
                self.relative_standard_deviation.tolist(),
                strict=True,
            )
        ]
        rows.insert(0, ("base parameter", "value", "deviation", "%"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        )

    def __len__(self) -> int:
        """Return the number of base parameters."""
        return len(self.values)

    @property
    def names(self) -> tuple[str, ...]:
        """(b,) the combinations in symbols, as "Iyy(upper) + 0.16 m(lower)"."""
        return self.parameters.names

    @property
    def columns(self) -> tuple[str, ...]:
        """(p,) names of the single parameters: the columns of the regressor."""
        return self.parameters.columns

    @property
    def independent(self) -> Integers:
        """(b,) indices of the columns that stay, the first in each name."""
        return self.parameters.independent

    @property
    def basis(self) -> Floats:
        """(b, p) matrix K with beta = K theta; regressors are Y = Y[:, independent] K."""
        return self.parameters.K

    @property
    def rank(self) -> int:
        """Number of base parameters."""
        return len(self)

    @property
    def condition(self) -> float:
        """Condition number of the regressor of the base parameters, columns of length one."""
        return self.parameters.condition

    @cached_property
    def standard_deviation(self) -> Floats:
        """(b,) roots of the diagonal of the covariance [SI]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @cached_property
    def relative_standard_deviation(self) -> Floats:
        """(b,) standard deviations in per cent of the values; infinite for a value of 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(100 * self.standard_deviation / np.abs(self.values))

    @cached_property
    def correlation(self) -> Floats:
        """(b, b) covariance in units of the standard deviations: ones on the diagonal."""
        sizes = np.where(self.standard_deviation > 0, self.standard_deviation, 1.0)
        return np.asarray(self.covariance / np.multiply.outer(sizes, sizes))

    @property
    def units(self) -> tuple[str, ...]:
        """(b,) SI units; "" for numbers beside the bodies whose unit is not known."""
        count = len(self.columns) - self.parameters.further
        further = self.further_units or ("",) * self.parameters.further
        return tuple(
            _UNITS[column % 10] if column < count else further[column - count]
            for column in self.independent.tolist()
        )


def estimate_base(
    reduction: Reduction,
    weights: Floats,
    x: Floats,
    parameters: BaseParameters,
    redundancy: float = 1.0,
) -> BaseEstimate:
    """Estimate base parameters from reduced samples.

    Args:
        reduction: The samples.
        weights: (n,) one over the deviation of each joint's noise [1/(N m)].
        x: (p,) all parameters of the answer in the order of the reduction's columns [SI].
        parameters: Base parameters of joints with a positive weight.
        redundancy: Number of samples that tell as much as one independent sample.
    """
    A, b, _ = reduction.stack(weights)
    kept = A[:, parameters.independent]
    sizes = np.linalg.norm(kept, axis=0)
    # Columns of length one, so that units do not decide how well the triangle can be inverted.
    Q, R = np.linalg.qr(kept / sizes)
    inverse = np.linalg.solve(R, np.eye(len(R))) / sizes[:, None]
    covariance = redundancy * inverse @ inverse.T
    return BaseEstimate(parameters, inverse @ (Q.T @ b), covariance, parameters.of(x))


def find_base(
    reduction: Reduction,
    weights: Floats,
    bodies: Sequence[str],
    further: Sequence[str],
    order: Order,
) -> BaseParameters:
    """Find the base parameters of those joints whose residuals count.

    Args:
        reduction: The samples.
        weights: (n,) weights of the joints; a joint of weight 0 shows nothing.
        bodies: (L,) names.
        further: (k,) names of the numbers beside the bodies.
        order: Order of the last six of each body's columns.
    """
    counted = zip(reduction.systems, (weights > 0).tolist(), strict=True)
    systems = tuple(system for system, counts in counted if counts)
    return base_parameters(Reduction(reduction.columns, systems), bodies, further, order)
