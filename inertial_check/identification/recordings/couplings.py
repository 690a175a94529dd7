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


_INDEPENDENT = float(np.sqrt(np.finfo(float).eps))
"""Singular value of unit columns below which they depend on each other: half of the digits."""


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
    own = np.stack([_span(u[:, joint], du[:, joint]) for joint in range(count)])  # (n, S, 3)
    left = (residuals - residuals.mean(axis=0)).T[..., None]  # (n, S, 1)
    left = left - own @ (own.transpose(0, 2, 1) @ left)
    before = np.sum(left**2, axis=(1, 2))
    shares = np.zeros((count, count))
    for joint in np.flatnonzero(before > 0):
        # Of the others' columns what stands beside the joint's own, and what it explains.
        overlap = own[joint].T @ own  # (n, 3, 3)
        gram = own.transpose(0, 2, 1) @ own - overlap.transpose(0, 2, 1) @ overlap
        along = own.transpose(0, 2, 1) @ left[joint]  # (n, 3, 1)
        inverse = np.linalg.pinv(gram, rcond=_INDEPENDENT, hermitian=True)
        explained = (along.transpose(0, 2, 1) @ inverse @ along)[:, 0, 0]
        chance = own.shape[2] / independent
        shares[joint] = np.maximum(explained / before[joint] - chance, 0.0)
    np.fill_diagonal(shares, 0.0)
    found = [
        CoupledJoints((a, b), (float(shares[a, b]), float(shares[b, a])))
        for a in range(count)
        for b in range(a + 1, count)
        if max(shares[a, b], shares[b, a]) > SHARED and min(shares[a, b], shares[b, a]) > MUTUAL
    ]
    return tuple(sorted(found, key=lambda pair: -sum(pair.shares)))


def _span(u: Floats, du: Floats) -> Floats:
    """Span what a joint's motion adds to a torque: viscous and Coulomb friction, and a rotor's.

    Returns:
        (S, 3) orthonormal columns without a mean; 0 in place of those that depend on the others.
    """
    columns = np.column_stack([u, np.sign(u), du])
    columns -= columns.mean(axis=0)
    size = np.linalg.norm(columns, axis=0)
    U, singular, _ = np.linalg.svd(columns / np.where(size > 0, size, 1.0), full_matrices=False)
    spanned: Floats = U * (singular > _INDEPENDENT)
    return spanned
