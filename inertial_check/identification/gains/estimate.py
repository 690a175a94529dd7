"""Drive gains that were identified, their uncertainty, and remarks on what decides them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.identification.assessment.base_estimate import BaseEstimate
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.inertia import tolerances

ScaleSource = Literal["loads", "masses", "prior"]
"""Statement that decides the common scale of drive gains and masses."""


class GainRemark(NamedTuple):
    """Doubt about drive gains.

    Attributes:
        kind: "gain-scale" where the common scale rests on the prior, else "gain".
        message: One line with the numbers.
    """

    kind: Literal["gain-scale", "gain"]
    message: str


@dataclass(frozen=True, eq=False, repr=False)
class GainEstimate:
    """Drive gains of the joints.

    Attributes:
        values: (n,) factors from what was recorded to torques [N m/A, or what the recording needs].
        covariance: (n, n) covariance of the relative errors of the gains (dimensionless).
        scale: What decides the common scale of all gains: known loads, known masses, or the prior.
        open: Indices of joints whose gain only the prior ties to those of the others.
        change: Largest relative change of a gain in the last round.
        rounds: Number of rounds.
        along: (p, n) products of the columns in order "urdf" with the torques of the joints [SI].
    """

    values: Floats
    covariance: Floats
    scale: ScaleSource
    open: tuple[int, ...]
    change: float
    rounds: int
    along: Floats

    def __repr__(self) -> str:
        """Show the gains with their standard deviations, and what decides their scale."""
        pairs = zip(self.values.tolist(), self.standard_deviation.tolist(), strict=True)
        shown = ", ".join(f"{value:.4g} +- {deviation:.2g}" for value, deviation in pairs)
        return f"GainEstimate({shown}; scale by {self.scale})"

    @property
    def relative_standard_deviation(self) -> Floats:
        """(n,) standard deviations relative to the gains."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def standard_deviation(self) -> Floats:
        """(n,) standard deviations in the unit of the gains."""
        return np.asarray(self.relative_standard_deviation * np.abs(self.values))

    @property
    def ratio_standard_deviation(self) -> Floats:
        """(n,) relative standard deviations of the ratios of the gains to their geometric mean."""
        count = len(self.values)
        centre = np.eye(count) - 1 / count
        return np.asarray(np.sqrt(np.maximum(np.diag(centre @ self.covariance @ centre), 0.0)))

    @property
    def settled(self) -> bool:
        """Whether the rounds came to an end."""
        return self.change <= tolerances.GAIN_SETTLED

    def remarks(self) -> tuple[GainRemark, ...]:
        """Remarks on what the gains rest on, and on whether they settled."""
        found = []
        if self.scale == "prior":
            worst = 100 * float(self.ratio_standard_deviation.max(initial=0.0))
            found.append(
                GainRemark(
                    "gain-scale",
                    "only the masses of the prior decide the common scale of the drive gains: "
                    "where those are too large by a factor, all gains and masses are; the ratios "
                    f"of the gains are known to {worst:.2g} %; a known load, the mass of a body or "
                    "the total mass decides the scale",
                )
            )
        if self.open:
            which = ", ".join(str(joint) for joint in self.open)
            message = f"only the prior decides the drive gains of joints {which}"
            found.append(GainRemark("gain", message))
        if not self.settled:
            found.append(
                GainRemark(
                    "gain",
                    f"drive gains still change by {self.change:.2g} of themselves after "
                    f"{self.rounds} rounds: they are not proven to be the best",
                )
            )
        return tuple(found)

    def widen_base(
        self, base: BaseEstimate, reduction: Reduction, weights: Floats, labels: Integers
    ) -> BaseEstimate:
        """Add the uncertainty of the gains to that of base parameters that take them as known.

        The covariance is that given the gains, and J C J^T with J the slopes of the estimate.

        Args:
            base: Base parameters at these gains.
            reduction: The samples in torques.
            weights: (n,) factors of the residuals of each joint.
            labels: (p,) place of each of their columns in order "urdf".
        """
        A, _, _ = reduction.stack(weights)
        kept = A[:, base.independent]
        sizes = np.linalg.norm(kept, axis=0)
        R = np.linalg.qr(kept / sizes, mode="r")
        inverse = np.linalg.solve(R, np.eye(len(R))) / sizes[:, None]
        J = inverse @ (inverse.T @ (self.along[labels] * weights**2)[base.independent])
        return replace(base, covariance=base.covariance + J @ self.covariance @ J.T)

    def spread(self, problem: Problem, weights: Floats) -> Floats:
        """Covariance (p, p) that the uncertainty of the gains gives an answer x, in its units.

        Args:
            problem: Problem at these gains.
            weights: (n,) factors of the residuals of each joint.
        """
        J = find_slopes(problem, self.along, weights)
        return np.asarray(J @ self.covariance @ J.T)


def find_slopes(problem: Problem, along: Floats, weights: Floats) -> Floats:
    """Find the changes (p, n) of an answer x by a relative change of each gain.

    Args:
        problem: Problem at these gains.
        along: (p, n) products of the columns with the torques of the joints [SI].
        weights: (n,) factors of the residuals of each joint.
    """
    along, count = along * weights**2, 10 * problem.bodies
    bodies = along[:count].reshape(problem.bodies, 10, -1)
    scaled = np.concatenate(
        [
            np.matmul(problem.to_theta.transpose(0, 2, 1), bodies).reshape(count, -1),
            along[count:] * problem.unit[:, None],
        ]
    )
    return np.asarray(invert_information(problem.H) @ scaled)


def invert_information(H: Floats) -> Floats:
    """Invert an information matrix; directions of which it says nothing get a large variance."""
    size = np.sqrt(np.maximum(np.diag(H), 0.0))
    size = np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(H / np.multiply.outer(size, size))
    least = len(H) * tolerances.EPS * float(values.max(initial=0.0))
    inverse = (vectors / np.maximum(values, least)) @ vectors.T
    return np.asarray(inverse / np.multiply.outer(size, size))
