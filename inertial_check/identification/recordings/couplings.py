"""Joints whose residuals follow the motion of each other, as where two joints share a gear."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats

SHARED = 0.3
"""Part of the residual's variance that the motion of the other joint explains, above which the two
are taken for coupled: a third of what is left is no chance, and is worth two more columns."""

MUTUAL = 0.1
"""The same for the other of the two joints: a gear passes torques both ways."""

LEAST = 50
"""Least number of independent samples: with fewer, three columns explain much by chance."""


class CoupledJoints(NamedTuple):
    """Two joints whose residuals follow the motion of each other.

    Attributes:
        joints: Indices of the two.
        shares: Part of the variance of each one's residual that the other one's motion explains.
    """

    joints: tuple[int, int]
    shares: tuple[float, float]


def find_couplings(
    residuals: Floats, u: Floats, du: Floats, redundancy: float = 1.0
) -> tuple[CoupledJoints, ...]:
    """Find pairs of joints whose residuals follow the motion of each other.

    A joint's residual is first freed from what its own velocity, the sign of it and its
    acceleration explain: that is friction and a rotor, and no coupling.

    Args:
        residuals: (S, n) measured less fitted torques.
        u: (S, n) velocities.
        du: (S, n) accelerations.
        redundancy: How many samples say as much as one independent one, where signals are filtered.

    Returns:
        The pairs, those with the largest shares first.
    """
    count = residuals.shape[1]
    independent = len(residuals) / redundancy
    if independent < LEAST:
        return ()
    shares = np.zeros((count, count))
    columns = [_list_columns(u[:, joint], du[:, joint]) for joint in range(count)]
    for joint in range(count):
        own = np.column_stack([np.ones(len(u)), *columns[joint]])
        left = _leave(own, residuals[:, joint, None])
        before = float(np.sum(left**2))
        if not before > 0:
            continue
        for other in range(count):
            if other != joint:
                beside = _leave(own, np.column_stack(columns[other]))
                after = float(np.sum(_leave(beside, left) ** 2))
                chance = beside.shape[1] / independent
                shares[joint, other] = max(0.0, 1 - after / before - chance)
    found = [
        CoupledJoints((a, b), (float(shares[a, b]), float(shares[b, a])))
        for a in range(count)
        for b in range(a + 1, count)
        if max(shares[a, b], shares[b, a]) > SHARED and min(shares[a, b], shares[b, a]) > MUTUAL
    ]
    return tuple(sorted(found, key=lambda pair: -sum(pair.shares)))


def _list_columns(u: Floats, du: Floats) -> tuple[Floats, ...]:
    """List what a joint's motion adds to a torque: viscous and Coulomb friction, and a rotor's."""
    return u, np.sign(u), du


def _leave(columns: Floats, values: Floats) -> Floats:
    """Subtract from values (S, k) what columns (S, c) explain of them by least squares."""
    size = np.linalg.norm(columns, axis=0)
    scaled = columns / np.where(size > 0, size, 1.0)
    left: Floats = values - scaled @ np.linalg.lstsq(scaled, values, rcond=None)[0]
    return left
