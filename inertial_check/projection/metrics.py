"""How far a change of inertial parameters goes, and which changes count the same.

A metric at fixed mass and centre of mass is one line in METRICS: `project`, `fix` and tables take
it by its name, in closed form. The name also stands in `options.Metric` for type checkers, and with
its help in `cli/options.py` for the command line.

The examples of this module continue this session:

>>> from inertial_check.projection import metrics
"""

from __future__ import annotations

from dataclasses import dataclass

from inertial_check.arrays.broadcasting import expect_shape, real_arrays
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array, Namespace
from inertial_check.errors import ParameterError, show_value
from inertial_check.inertia.representations import second_moment

__all__ = [
    "COVARIANCE",
    "INERTIA",
    "METRICS",
    "MomentMetric",
    "find_metric",
]


@dataclass(frozen=True)
class MomentMetric:
    """||dS||_F^2 + trace_weight tr(dS)^2 of a change dS of S_c, at fixed mass and centre of mass.

    It does not change with the axes, the point of the frame, or the units of mass and length (but
    for one factor), so neither does the nearest body.

    Attributes:
        name: As `project` takes it.
        trace_weight: 1 measures the inertia, since ||dI||_F^2 = ||dS||_F^2 + tr(dS)^2; 0 the
            covariance of the mass.
    """

    name: str
    trace_weight: float

    def distance(self, before: Array, after: Array) -> Array:
        """Length of the change between two inertias (..., 6) [kg m^2]."""
        xp = array_namespace(before, after)
        change = after - before
        largest = xp.max(xp.abs(change), axis=-1)
        unit = xp.where(largest > 0, largest, xp.ones_like(largest))  # no square underflows
        change = second_moment(change / unit[..., None])
        square = inner(change, change) + self.trace_weight * trace(change) ** 2
        return xp.sqrt(square) * largest

    def gradient(self, change: Array) -> Array:
        """Gradient of half the squared length at the change (..., 6) of S_c; the same shape."""
        xp = array_namespace(change)
        weighted = self.trace_weight * trace(change)
        return add_isotropic(xp, change, weighted)


INERTIA = MomentMetric("inertia", 1.0)
COVARIANCE = MomentMetric("covariance", 0.0)

METRICS = {metric.name: metric for metric in (INERTIA, COVARIANCE)}
"""The metrics that `project` offers, by name."""


def find_metric(name: str) -> MomentMetric:
    """The metric of that name.

    Raises:
        ParameterError: No such metric; names those that exist.

    Example:
        >>> print(metrics.find_metric("covariance").name)
        covariance
    """
    if not isinstance(name, str):
        raise ParameterError(f"the name of the metric is {show_value(name)}, expected a text")
    if name not in METRICS:
        raise ParameterError(f"metric is {name!r}; available are {', '.join(map(repr, METRICS))}")
    return METRICS[name]


def trace(six: Array) -> Array:
    """Trace (...,) of symmetric matrices given by six entries."""
    _, (six,) = real_arrays(six=six)
    expect_shape("six", six, 6)
    return six[..., 0] + six[..., 3] + six[..., 5]


def inner(a: Array, b: Array) -> Array:
    """Frobenius inner product (...,) of symmetric matrices given by six entries."""
    _, (a, b) = real_arrays(a=a, b=b)
    expect_shape("a", a, 6)
    expect_shape("b", b, 6)
    diagonal = a[..., 0] * b[..., 0] + a[..., 3] * b[..., 3] + a[..., 5] * b[..., 5]
    return diagonal + 2 * (a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2] + a[..., 4] * b[..., 4])


def add_isotropic(xp: Namespace, six: Array, amount: Array) -> Array:
    """Six entries of A + amount 1."""
    xx, xy, xz, yy, yz, zz = (six[..., i] for i in range(6))
    return xp.stack([xx + amount, xy, xz, yy + amount, yz, zz + amount], axis=-1)
