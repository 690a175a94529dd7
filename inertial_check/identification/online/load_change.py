"""Detection of a load that a body picks up or drops, from the innovations of an online estimate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.errors import ParameterError
from inertial_check.identification.payload.identify import identify_payload
from inertial_check.inertia import tolerances
from inertial_check.inertia.parameters import InertialParameters

ALARM = 50.0
"""Statistic from which on a change is reported: chi-squared of four degrees of freedom, the mass
and the first moment, exceeds it by chance once in three billion windows."""

SETTLE = 5
"""Windows at the beginning in which nothing is reported: the noise is measured then."""


@dataclass(frozen=True)
class LoadChange:
    """A change of what a body carries.

    Attributes:
        sample: Number of samples up to the one at which it was noticed.
        body: Index of the body.
        statistic: Chi-squared of the evidence, of four degrees of freedom.
    """

    sample: int
    body: int
    statistic: float


@dataclass
class LoadDetector:
    """Test of the innovations of the last samples for a mass and a first moment that came new.

    Attributes:
        body: Index of the body that can carry a load.
        window: Samples after which a sample counts for 1/e.
        redundancy: Number of samples that carry as much information as one independent sample.
    """

    body: int
    window: int
    redundancy: float = 1.0
    _score: Floats = field(default_factory=lambda: np.zeros(4))
    _variance: Floats = field(default_factory=lambda: np.zeros((4, 4)))
    _noise: float = 0.0
    _seen: int = 0
    _quiet: int = 0

    def observe(self, innovation: Floats, columns: Floats, sample: int) -> LoadChange | None:
        """Take the innovation of a sample, and test for a change.

        Args:
            innovation: (n,) weighted by its expected deviation: of unit variance by the model.
            columns: (n, 4) regressor of mass and first moment of the body, weighted alike.
            sample: Number of samples so far.
        """
        keep = 1 - 1 / self.window
        self._score = keep * self._score + columns.T @ innovation
        self._variance = keep**2 * self._variance + columns.T @ columns
        self._seen += 1
        ready = self._seen > SETTLE * self.window and sample > self._quiet
        found = self._test(sample) if ready else None
        # The noise is that of longer ago than the window, which a load would be in.
        slow = 1 / min(self._seen, 10 * self.window)
        self._noise += slow * (
            min(float(innovation @ innovation) / len(innovation), 9.0) - self._noise
        )
        if found is not None:
            self._score, self._quiet = np.zeros(4), sample + self.window
            self._variance = np.zeros((4, 4))
        return found

    def _test(self, sample: int) -> LoadChange | None:
        sizes = np.sqrt(np.diag(self._variance))
        if not np.all(np.isfinite(sizes)) or not sizes[0] > 0:
            return None
        units = 1 / np.where(sizes > 0, sizes, 1.0)
        values, vectors = np.linalg.eigh(self._variance * units[:, None] * units)
        seen = values > tolerances.RANK * values[-1]
        along = vectors[:, seen].T @ (units * self._score)
        noise = max(self._noise, 1.0) * self.redundancy
        statistic = float(np.sum(along**2 / values[seen])) / noise
        if statistic <= ALARM:
            return None
        return LoadChange(sample, self.body, statistic)


class LoadEstimate(NamedTuple):
    """Load that a body picked up or dropped, in the frame of that body.

    Attributes:
        parameters: The load, which some body has.
        standard_deviation: (10,) by the samples since the change, in order "urdf".
        picked_up: Whether it was picked up; False for a load that was dropped.
    """

    parameters: InertialParameters
    standard_deviation: Floats
    picked_up: bool


@dataclass
class LoadRecord:
    """Information of the samples since a change on the load that made it.

    Attributes:
        x: (p,) parameters of the whole robot before the change, in the units of the estimate.
        covariance: (p, p) their covariance.
        redundancy: Number of samples that carry as much information as one independent sample.
        information: (10, 10) of the load, in order "urdf" [SI].
        score: (10,) information times the load of least squares.
        cross: (10, p) products of the columns of the load and of the robot: how errors of `x` enter
            the score.
    """

    x: Floats
    covariance: Floats
    redundancy: float
    information: Floats = field(default_factory=lambda: np.zeros((10, 10)))
    score: Floats = field(default_factory=lambda: np.zeros(10))
    cross: Floats = field(default_factory=lambda: np.zeros((10, 0)))

    def observe(self, A: Floats, b: Floats, columns: Floats) -> None:
        """Take a sample.

        Args:
            A: (n, p) weighted regressor of the robot, in the units of the estimate.
            b: (n,) weighted torques.
            columns: (n, 10) regressor of the load, weighted alike.
        """
        self.information += columns.T @ columns
        self.score += columns.T @ (b - A @ self.x)
        cross = columns.T @ A
        self.cross = self.cross + cross if self.cross.size else cross

    def estimate(self, prior: ArrayLike | None = None) -> LoadEstimate:
        """Estimate the load: the nearest body in the metric of the information.

        Raises:
            ParameterError: The samples leave a part of it open, and there is no prior.
        """
        units = np.sqrt(np.diag(self.information))
        if not units.all() and prior is None:
            raise ParameterError("no sample shows the whole load so far: go on, or give prior=")
        units = np.where(units > 0, units, 1.0)
        values, vectors = np.linalg.eigh(self.information / (units[:, None] * units))
        values = np.maximum(values, 0.0)
        seen = values > tolerances.RANK * values[-1]
        rows = np.sqrt(values[seen])[:, None] * vectors[:, seen].T * units
        left = vectors[:, seen].T @ (self.score / units) / np.sqrt(values[seen])
        mass = float(vectors[0, seen] @ (left / np.sqrt(values[seen])))
        sign = 1.0 if mass >= 0 else -1.0
        found = identify_payload(rows[:, None, :], sign * left[:, None], weights=1.0, prior=prior)
        inverse = (vectors[:, seen] / values[seen]) @ vectors[:, seen].T
        gain = inverse @ (self.cross / units[:, None])
        spread = self.redundancy * inverse + gain @ self.covariance @ gain.T
        deviation = np.sqrt(np.maximum(np.diag(spread), 0.0)) / units
        open_ = np.linalg.norm(vectors[:, ~seen], axis=1) > tolerances.RANK**0.5
        return LoadEstimate(found.parameters, np.where(open_, np.inf, deviation), sign > 0)
