"""The search for a motion within limits: coefficients of Fourier series, improved by SLSQP.

Position, velocity and acceleration are linear in the coefficients, and so are all limits; what is
best is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.identification.excitation.clearance import Clearance
from inertial_check.identification.excitation.criteria import Criterion, measure
from inertial_check.identification.excitation.fourier import (
    PROVEN_AT,
    Basis,
    FourierSeries,
    Motion,
    between,
)
from inertial_check.identification.excitation.torques import TorqueBound
from inertial_check.identification.excitation.visibility import Visibility
from inertial_check.inertia import tolerances

SEEN_AT = 12
"""Times in a period of the highest harmonic at which the regressor is looked at."""

HELD_AT = 8
"""The same for the limits while searching; SLSQP's work grows with them."""

WATCHED_AT = 24
"""The same for distances, which change fast beside the sizes of shapes."""

HELD_TO = 0.98
"""Share of the limits that is used at these times while searching: between them it may be more."""

STEPS = 200
"""Largest number of SLSQP steps from one start; thirty to sixty are usual."""

_STEP = 0.05
"""Step in velocity and acceleration for differences of friction, of their limits: it rounds the
steps of Coulomb friction."""


class Limits(NamedTuple):
    """Limits of the joints, each (n,) and finite: [rad] or [m], and per second.

    Attributes:
        lower: Least positions.
        upper: Largest positions.
        velocity: Largest speeds.
        acceleration: Largest accelerations.
    """

    lower: Floats
    upper: Floats
    velocity: Floats
    acceleration: Floats


class LimitUse(NamedTuple):
    """How much of its limits each joint uses at most, 0 to 1.

    Attributes:
        position: (n,) of the larger distance to the middle of the range, in half ranges.
        velocity: (n,).
        acceleration: (n,).
    """

    position: Floats
    velocity: Floats
    acceleration: Floats


class Held(NamedTuple):
    """Torques and distances to hold while searching, with a penalty of squares.

    Attributes:
        target: (n,) share of each torque limit that may be used.
        slack: Distance beyond the least one [m].
        weight: Factor of the penalty, beside the criterion.
    """

    target: Floats
    slack: float
    weight: float


@dataclass(frozen=True, eq=False)
class Search:
    """The search for coefficients.

    A point is (T, n, 2 N - 1): for each trajectory and joint the mean position, from the middle of
    the range in half ranges, and coordinates of the coefficients that start at rest, in velocity
    limits. What the trajectories show adds up.

    Attributes:
        visible: What is to be seen.
        limits: Of the joints.
        duration: Of a period.
        harmonics: Of the series.
        rest: (2 N, 2 N - 2) orthonormal: coefficients [a b] with u(0) = du(0) = 0, which is
            sum a_k = 0 and sum k b_k = 0.
        seen: (3, S, 2 N - 1) from points, in the units above, to q less its middle, u and du, at
            the times at which the regressor is looked at.
        held: (3, M, 2 N - 1) the same at the times at which limits are held.
        trajectories: Number T of motions that are designed together.
        criterion: Name of what is made small.
        torques: Torque limits; None for none.
        clearance: Shapes that are to stay apart; None for none.
    """

    visible: Visibility
    limits: Limits
    duration: float
    harmonics: int
    rest: Floats
    trajectories: int = 1
    criterion: Criterion = "condition"
    torques: TorqueBound | None = None
    clearance: Clearance | None = None

    @classmethod
    def of(  # noqa: PLR0913 - what is moved, within what
        cls,
        visible: Visibility,
        limits: Limits,
        duration: float,
        harmonics: int,
        *,
        trajectories: int = 1,
        criterion: Criterion = "condition",
        torques: TorqueBound | None = None,
        clearance: Clearance | None = None,
    ) -> Search:
        """The search."""
        at_rest = np.zeros((2, 2 * harmonics))
        at_rest[0, :harmonics] = 1.0
        at_rest[1, harmonics:] = np.arange(1, harmonics + 1)
        rest = np.linalg.svd(at_rest)[2][2:].T
        return cls(
            *(visible, limits, duration, harmonics, rest),
            *(trajectories, criterion, torques, clearance),
        )

    @cached_property
    def middle(self) -> Floats:
        """(n,) of the ranges."""
        return np.asarray((self.limits.upper + self.limits.lower) / 2)

    @cached_property
    def half(self) -> Floats:
        """(n,) of the ranges."""
        return np.asarray((self.limits.upper - self.limits.lower) / 2)

    @cached_property
    def units(self) -> Floats:
        """(3, n) what positions, velocities and accelerations are measured in: the limits."""
        return np.stack([self.half, self.limits.velocity, self.limits.acceleration])

    @cached_property
    def seen(self) -> Floats:
        """From points to the motion at the times at which the regressor is looked at."""
        return self._basis(SEEN_AT * self.harmonics)

    @cached_property
    def held(self) -> Floats:
        """(3 M, n, 2 N - 1) positions, velocities and accelerations of each joint in its limits."""
        return self._in_limits(HELD_AT)

    @cached_property
    def proven(self) -> Floats:
        """The same, as densely as for the result."""
        return self._in_limits(PROVEN_AT)

    def _basis(self, count: int) -> Floats:
        """(3, count, 2 N - 1): of the mean and of coordinates, to q, u and du in a period."""
        t: Floats = np.arange(count, dtype=np.float64) * (self.duration / count)
        oscillation = np.stack(Basis.at(t, self.harmonics, self.duration)) @ self.rest
        mean = np.zeros((3, count, 1))
        mean[0] = 1.0
        return np.concatenate([mean, oscillation], axis=2)

    @cached_property
    def scale(self) -> Floats:
        """(n, 2 N - 1) the units of a point."""
        speeds = np.repeat(self.limits.velocity[:, None], self.rest.shape[1], axis=1)
        return np.concatenate([self.half[:, None], speeds], axis=1)

    def _in_limits(self, density: int) -> Floats:
        basis = self._basis(density * self.harmonics)[:, :, None, :]
        rows = basis * self.scale / self.units[:, None, :, None]
        return np.asarray(rows.reshape(-1, *self.scale.shape))

    @cached_property
    def proof_basis(self) -> Floats:
        """From points to the motion at the times of a proof."""
        return self._basis(PROVEN_AT * self.harmonics)

    @cached_property
    def watched(self) -> Floats:
        """From points to the motion at the times at which distances are looked at."""
        return self._basis(WATCHED_AT * self.harmonics)

    def motion(self, point: Floats, basis: Floats | None = None) -> Motion:
        """q, u and du (T S, n) of all trajectories in a period."""
        rows = self.seen if basis is None else basis
        q, u, du = np.einsum("wsc,tjc->wtsj", rows, point * self.scale).reshape(
            3, -1, point.shape[1]
        )
        return q + self.middle, u, du

    def series(self, point: Floats) -> list[FourierSeries]:
        """The series of each trajectory of a point."""
        found = []
        for own in point * self.scale:
            both = own[:, 1:] @ self.rest.T
            a, b = both[:, : self.harmonics], both[:, self.harmonics :]
            found.append(FourierSeries(self.duration, own[:, 0] + self.middle, a, b))
        return found

    def random(self, rng: np.random.Generator) -> Floats:
        """A random point, as wide as the limits allow."""
        point = rng.normal(size=(self.trajectories, *self.scale.shape))
        point[..., 0] = rng.uniform(-0.5, 0.5, point.shape[:2])
        return self.fit_limits(point, self.held, HELD_TO, np.inf)

    def fit_limits(self, point: Floats, rows: Floats, share: float, most: float = 1.0) -> Floats:
        """Scale a point about its mean until each joint is as wide as its limits allow.

        Args:
            point: (T, n, 2 N - 1).
            rows: held or proven.
            share: Of the limits that may be used at these times.
            most: Factor that no joint is widened by.
        """
        found = np.array(point)
        for own in found:
            mean = rows[:, :, 0] * own[:, 0]
            swing = np.einsum("mjc,jc->mj", rows[:, :, 1:], own[:, 1:])
            room = share - np.sign(swing) * mean
            wide = np.abs(swing) > 0
            factors = np.where(wide, room / np.where(wide, np.abs(swing), 1.0), np.inf)
            own[:, 1:] *= np.clip(factors.min(axis=0), 0.0, most)[:, None]
        return found

    def use(self, point: Floats) -> LimitUse:
        """How much of the limits is used, at all times."""
        used = np.abs(np.einsum("mjc,tjc->tmj", self.proven, point))
        used = used.reshape(len(point), 3, -1, point.shape[1])
        return LimitUse(*(used.max(axis=(0, 2)) / between(PROVEN_AT)))

    def value(self, point: Floats) -> float:
        """The criterion, such as the logarithm of the smooth bound of the condition number."""
        sizes = _spectrum(self.visible.project_rows(*self.motion(point)))[0]
        return measure(self.criterion, sizes)[0]

    def value_and_slope(self, point: Floats, held: Held | None = None) -> tuple[float, Floats]:
        """The same with what exceeds torques and distances, and its derivatives (T, n, 2 N - 1)."""
        motion = self.motion(point)
        rows = self.visible.body_rows(*motion)
        seen = self.visible.project_rows(*motion, bodies=rows)
        sizes, V = _spectrum(seen)
        value, slopes = measure(self.criterion, sizes)
        dual = seen @ ((V * (slopes / np.where(sizes > 0, sizes, 1.0))) @ V.T)
        further, beside = None, np.zeros(())
        if held is not None and self.torques is not None:
            excess, further, beside = self.torques.excess(motion, rows, held.target)
            value += held.weight * excess
            further *= held.weight
            beside = beside * held.weight
        changes = self.visible.differentiate_rows(motion, dual, further, self._steps) + beside
        slope = self._collect(changes, self.seen)
        if held is not None and self.clearance is not None:
            short, with_q = self.clearance.shortfall(
                self.motion(point, self.watched)[0], held.slack
            )
            value += held.weight * short
            slope += held.weight * self._collect(with_q[None], self.watched[:1])
        return value, slope

    def _collect(self, changes: Floats, basis: Floats) -> Floats:
        """Turn derivatives with the motion (w, T S, n) into those with a point (T, n, 2 N - 1)."""
        own = changes.reshape(len(changes), self.trajectories, -1, changes.shape[-1])
        return np.asarray(np.einsum("wtsj,wsc->tjc", own, basis) * self.scale)

    @cached_property
    def _steps(self) -> Floats:
        """(3, n) for differences of friction with q, u and du."""
        return _STEP * self.units

    def descend(
        self, start: Floats, held: Held | None, watch: Callable[[float], None] | None = None
    ) -> Floats:
        """Go down to a local minimum, within the limits of the joints at all times.

        Args:
            start: Point to start from.
            held: Torques and distances to hold; None for none.
            watch: Receives the value at each step.
        """
        from scipy.optimize import minimize

        shape = start.shape
        limited = self._limited

        def objective(x: Floats) -> tuple[float, Floats]:
            value, slope = self.value_and_slope(x.reshape(shape), held)
            if watch is not None:
                watch(value)
            return value, slope.ravel()

        found = minimize(
            objective,
            start.ravel(),
            jac=True,
            method="SLSQP",
            constraints=[
                {"type": "ineq", "fun": lambda x: HELD_TO - limited @ x, "jac": lambda x: -limited}
            ],
            options={"maxiter": STEPS, "ftol": tolerances.SEARCH_SETTLED},
        )
        return self.fit_limits(found.x.reshape(shape), self.proven, between(PROVEN_AT))

    @cached_property
    def _limited(self) -> Floats:
        """All positions, velocities and accelerations as rows over points, and their negatives."""
        count, n, width = self.held.shape
        whole = np.zeros((n, count, n, width))
        for joint in range(n):
            whole[joint, :, joint] = self.held[:, joint]
        one = whole.reshape(n * count, n * width)
        rows = np.kron(np.eye(self.trajectories), one)
        return np.concatenate([rows, -rows])


def _spectrum(seen: Floats) -> tuple[Floats, Floats]:
    """Singular values (r,) of rows (S, n, r), descending, and right singular vectors as columns."""
    rows = seen.reshape(-1, seen.shape[-1])
    squares, V = np.linalg.eigh(rows.T @ rows)  # takes a tenth of the time of a decomposition
    if squares[0] > tolerances.GRAM_PRECISE * squares[-1]:
        return np.sqrt(squares[::-1]), V[:, ::-1]
    _, found, Vt = np.linalg.svd(rows)
    sizes = np.zeros(len(Vt))
    sizes[: len(found)] = found
    return sizes, Vt.T
