"""Finite Fourier series as motions of joints: exact derivatives, and bounds at all times.

Criteria of an exciting motion: functions of the singular values of the rows that it has.

The rows are those of the base regressor with its friction columns, without units: each parameter in
units of what its prior leaves open, over its weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, pi
from typing import Literal, NamedTuple, get_args

import numpy as np

from inertial_check.inertia.arrays import ArrayLike, Floats

Motion = tuple[Floats, Floats, Floats]
"""q, u and du, each (S, n)."""

PROVEN_AT = 128
"""Times in a period of the highest harmonic for bounds at all times: 1 / cos(pi / 128) = 1.0003."""


@dataclass(frozen=True, eq=False, repr=False)
class FourierSeries:
    """q(t) = q0 + sum_k a_k / (w k) sin(w k t) - b_k / (w k) cos(w k t), w = 2 pi / duration.

    Attributes:
        duration: Of a period [s].
        q0: (n,) the mean position.
        a: (n, N) amplitudes of the velocity's cosines, in the unit of u.
        b: (n, N) those of its sines.
    """

    duration: float
    q0: Floats
    a: Floats
    b: Floats

    def __repr__(self) -> str:
        """The sizes."""
        joints, harmonics = self.a.shape
        return f"FourierSeries({joints} joints, {harmonics} harmonics of {self.duration:g} s)"

    @property
    def w(self) -> float:
        """The angular frequency of the first harmonic [rad/s]."""
        return 2 * pi / self.duration

    def at(self, t: ArrayLike) -> Motion:
        """Position, velocity and acceleration at times t (S,), each (S, n), exactly."""
        basis = Basis.at(np.asarray(t, dtype=np.float64), self.a.shape[1], self.duration)
        both = np.concatenate([self.a, self.b], axis=1).T
        return basis.q @ both + self.q0, basis.u @ both, basis.du @ both

    @cached_property
    def peaks(self) -> Motion:
        """Bounds (n,) of |q - q0|, |u| and |du| at all times; above the maxima by at most 0.03 %.

        A trigonometric polynomial T of degree N that is at most m at M > 2 N equidistant points of
        a period is nowhere above m / cos(pi N / M): at an angle x from where it is largest it is at
        least max|T| cos(N x) (M. Riesz, 1914), and some point lies within pi / M of there.
        """
        harmonics = self.a.shape[1]
        samples = PROVEN_AT * harmonics
        q, u, du = self.at(np.arange(samples) * (self.duration / samples))
        factor = between(PROVEN_AT)
        parts = [np.abs(each).max(axis=0) / factor for each in (q - self.q0, u, du)]
        return parts[0], parts[1], parts[2]


class Basis(NamedTuple):
    """Matrices (S, 2 N) by which the coefficients [a b] of one joint are multiplied."""

    q: Floats
    u: Floats
    du: Floats

    @classmethod
    def at(cls, t: Floats, harmonics: int, duration: float) -> Basis:
        """At times t (S,)."""
        wk = 2 * pi / duration * np.arange(1, harmonics + 1)
        sine, cosine = np.sin(t[:, None] * wk), np.cos(t[:, None] * wk)
        return cls(
            np.concatenate([sine / wk, -cosine / wk], axis=1),
            np.concatenate([cosine, sine], axis=1),
            np.concatenate([-sine * wk, cosine * wk], axis=1),
        )


def between(density: int) -> float:
    """Least share of a polynomial's largest value that it has at points of such a density."""
    return cos(pi / density)


Criterion = Literal["condition", "log-det", "mean-variance"]
"""Criterion that a motion makes small: the condition number; the volume of the ellipsoid of errors,
which depends on no unit; or the mean of the squared deviations of all parameters."""

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

POWER = 2
"""Exponent of the power means that stand for the extreme eigenvalues: 1 weighs all of them alike, 4
has kinks again."""


def measure(criterion: Criterion, sizes: Floats) -> tuple[float, Floats]:
    """Measure singular values: a smooth number that is to be small, and its slopes.

    Args:
        criterion: Name of the criterion.
        sizes: (r,) singular values, descending.

    Returns:
        For "condition" the logarithm of a smooth bound of the condition number, for "log-det" the
        mean logarithm of 1 / size, for "mean-variance" that of the root mean square of 1 / size;
        infinite where the least is zero. And the derivatives (r,).
    """
    if not sizes[-1] > 0:
        return float("inf"), np.zeros_like(sizes)
    if criterion == "log-det":
        return float(-np.mean(np.log(sizes))), -1 / (len(sizes) * sizes)
    if criterion == "mean-variance":
        inverse = (sizes[-1] / sizes) ** 2
        total = float(np.sum(inverse))
        value = float(np.log(total / len(sizes)) / 2 - np.log(sizes[-1]))
        return value, -inverse / total / sizes
    # Log of (sum s^(2 p) sum s^(-2 p))^(1 / 2 p) of sizes s, p = POWER, and its slopes (r,).
    square = 2 * np.log(sizes)
    up, down = POWER * (square - square.max()), -POWER * (square - square.min())
    largest, least = np.exp(up), np.exp(down)
    log_sums = np.log(largest.sum()) + np.log(least.sum())
    value = float((log_sums / POWER + square.max() - square.min()) / 2)
    return value, (largest / largest.sum() - least / least.sum()) / sizes


def report(criterion: Criterion, sizes: Floats, samples: int) -> float:
    """Value of a criterion that is printed: of the information that one motion's samples have.

    Args:
        criterion: Name of the criterion.
        sizes: (r,) singular values, descending.
        samples: Number of samples of one motion.

    Returns:
        The condition number; the logarithm of the determinant of the information of a sample, which
        is to be large; or the root mean square of the deviations, for one sample of unit noise.
    """
    if not sizes[-1] > 0:
        return float("-inf" if criterion == "log-det" else "inf")
    if criterion == "log-det":
        return float(np.sum(np.log(sizes**2 / samples)))
    if criterion == "mean-variance":
        return float(np.sqrt(np.mean(samples / sizes**2)))
    return float(sizes[0] / sizes[-1])
