"""Likely densities of the links of robots, before any sum is met.

The logarithms of the mean densities of the bodies of one model are jointly normal. Their means
follow the size of a body and whether it carries a joint; they share an uncertain level and an
uncertain slope with the size; and each has a deviation of its own. Measured bodies and given masses
narrow what is shared, so that what is known of some bodies is passed on to the others, as far as
bodies of one model are alike. `benchmarks/likely_densities.py` finds the numbers below again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats

LEVEL = 700.0
"""Median density of bodies of LITRE that carry no joint [kg/m^3]: covers, tools and feet are hollow
or of plastic."""

LITRE = 1 / 1000
"""Volume at which LEVEL holds [m^3]."""

CARRIER = 0.5
"""Increase of the logarithm of the density where a body carries a joint that moves, as
the motor of that joint is in it: a factor of 1.6."""

SLOPE = -1 / 6
"""Change of the logarithm of the density per logarithm of the volume: half way between solids (0)
and walls of one thickness (-1/3), as small parts are solid and large ones hollow."""

LEVEL_SPREAD = 0.5
"""Standard deviation of the level between models, in logarithms: a factor of 1.6."""

SLOPE_SPREAD = 0.1
"""Standard deviation of the slope between models."""

OWN_SPREAD = 0.55
"""Standard deviation of bodies of one model about its level and slope, in logarithms."""

GUESS_SPREAD = 1.1
"""The same of bodies without shapes, whose volume is a guess too: twice as large."""

STATED_SPREAD = 0.2
"""The same of densities that a material or another model states, beside others that are unknown."""

CAUTION = 0.15
"""How far an estimate lies between the median of its density (0) and the value of the least
expected relative error (1), which is lower by the variance of the logarithm. The heaviest bodies,
which a sum determines, take what is left."""

FREEDOM = 4.0
"""Degrees of freedom of the Student distribution that weighs known densities: one body that is far
off, as a block of lead, then says little about the others."""

_WEIGHINGS = 20
"""Number of times that known densities are weighed by how far off they are; ten are enough."""

_STEPS = 200
"""Largest number of steps towards masses that meet the sums; sums that can be met take ten."""

_LARGEST_STEP = 0.5
"""Largest change of the logarithm of a mass in one step, within which a sum is nearly linear."""


class Sized(NamedTuple):
    """Bodies as far as their likely density depends on them.

    Attributes:
        volumes: (n,) [m^3].
        carriers: (n,) whether each carries a joint that moves.
        spreads: (n,) standard deviations of the logarithms of their densities, each its own.
        stated: (n,) densities that are stated [kg/m^3]; NaN where none is.
    """

    volumes: Floats
    carriers: Floats
    spreads: Floats
    stated: Floats

    @property
    def means(self) -> Floats:
        """(n,) means of the logarithms of the densities."""
        size = np.log(self.volumes / LITRE)
        likely = np.log(LEVEL) + SLOPE * size + CARRIER * self.carriers
        found: Floats = np.where(np.isnan(self.stated), likely, np.log(self.stated))
        return found

    def covary(self, other: Sized) -> Floats:
        """(n, m) covariances that bodies share with others: level and slope of the model."""
        one = self._shared * np.stack([np.full(len(self.volumes), LEVEL_SPREAD), self._sizes])
        two = other._shared * np.stack([np.full(len(other.volumes), LEVEL_SPREAD), other._sizes])
        shared: Floats = one.T @ two
        return shared

    @property
    def _sizes(self) -> Floats:
        sizes: Floats = SLOPE_SPREAD * np.log(self.volumes / LITRE)
        return sizes

    @property
    def _shared(self) -> Floats:
        """1 where a density follows those of the model, 0 where it is stated."""
        return np.isnan(self.stated).astype(float)


class LogSum(NamedTuple):
    """A known sum of masses of bodies.

    Attributes:
        bodies: Their places.
        mass: The sum [kg], positive.
    """

    bodies: Sequence[int]
    mass: float


class Likely(NamedTuple):
    """Logarithms of densities, jointly normal: means (n,) and covariances (n, n)."""

    mean: Floats
    covariance: Floats

    def condition(self, rows: Floats, wanted: Floats) -> Likely:
        """The same where rows (k, n) of the logarithms have values (k,)."""
        if not len(rows):
            return self
        across = self.covariance @ rows.T
        # The pseudo-inverse: rows may repeat each other, as pairs of twins in a circle.
        gain = across @ np.linalg.pinv(rows @ across, hermitian=True)
        mean = self.mean + gain @ (wanted - rows @ self.mean)
        return Likely(mean, self.covariance - gain @ across.T)


def estimate_masses(
    bodies: Sized,
    known: Sized,
    densities: Floats,
    sums: Sequence[LogSum],
    equal: Sequence[tuple[int, int]],
) -> Floats:
    """The most probable masses (n,) that meet known sums [kg].

    A sum of one body is its mass. Where sums exclude each other, they are met as far as possible.

    Args:
        bodies: The bodies.
        known: Other bodies of the model, whose densities are known.
        densities: Their densities [kg/m^3].
        sums: Sums of masses.
        equal: Pairs of bodies that have one mass.
    """
    single = {each.bodies[0]: each.mass for each in sums if len(each.bodies) == 1}
    own = list(single)
    logs = np.log(np.array(list(single.values())) / bodies.volumes[own])
    seen = Sized(*(np.concatenate([a, b[own]]) for a, b in zip(known, bodies, strict=True)))
    values = np.concatenate([np.log(densities), logs])
    # Deviations (n,) of known densities, larger for those that are far off.
    spreads = seen.spreads
    shared, residual = seen.covary(seen), values - seen.means
    for _ in range(_WEIGHINGS if len(values) else 0):
        total = shared + np.diag(spreads**2)
        off = residual - shared @ np.linalg.solve(total, residual)
        weights = (FREEDOM + 1) / (FREEDOM + (off / seen.spreads) ** 2)
        spreads = seen.spreads / np.sqrt(weights)
    count = len(known.volumes)
    bodies = bodies._replace(spreads=bodies.spreads.copy())
    bodies.spreads[own] = spreads[count:]
    # Densities of bodies where those of others are known.
    known, values = known._replace(spreads=spreads[:count]), values[:count]
    mean, covariance = bodies.means, bodies.covary(bodies) + np.diag(bodies.spreads**2)
    likely = Likely(mean, covariance)
    if len(values):
        across = bodies.covary(known)
        inverse = np.linalg.inv(known.covary(known) + np.diag(known.spreads**2))
        gain = across @ inverse
        likely = Likely(mean + gain @ (values - known.means), covariance - gain @ across.T)
    rows = np.zeros((len(own) + len(equal), len(bodies.volumes)))
    rows[np.arange(len(own)), own] = 1.0
    sizes = np.log(bodies.volumes)
    for row, (i, j) in enumerate(equal, len(own)):
        rows[row, [i, j]] = 1.0, -1.0
    wanted = np.concatenate([logs, [sizes[j] - sizes[i] for i, j in equal]])
    likely = likely.condition(rows, wanted)
    uncertain = np.where(np.isnan(bodies.stated), np.diagonal(likely.covariance), 0.0)
    likely = likely._replace(mean=likely.mean - CAUTION * np.maximum(uncertain, 0.0))
    masses: Floats = np.exp(_meet_sums(likely, sizes, sums) + sizes)
    return masses


def _meet_sums(likely: Likely, sizes: Floats, sums: Sequence[LogSum]) -> Floats:
    """The most probable logarithms of densities (n,) with known sums of masses.

    Each step makes the sums' logarithms linear, and solves the quadratic problem that is left.
    """
    several = [each for each in sums if len(each.bodies) > 1]
    logs = likely.mean.copy()
    if not several:
        return logs
    wanted = np.log([each.mass for each in several])
    for _ in range(_STEPS):
        masses = np.exp(logs + sizes)
        rows, found = np.zeros((len(several), len(logs))), np.zeros(len(several))
        for row, each in enumerate(several):
            at = list(each.bodies)
            total = masses[at].sum()
            rows[row, at], found[row] = masses[at] / total, np.log(total)
        target = wanted - found + rows @ logs
        step = likely.condition(rows, target).mean - logs
        size = float(np.max(np.abs(step)))
        if size <= tolerances.CERTIFIED:
            break
        logs = logs + step * min(1.0, _LARGEST_STEP / size)
    return logs
