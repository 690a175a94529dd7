"""Equivalent solids of bodies: principal axes, and the ellipsoid and box with the same inertia."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia.equivalents import equivalent_box, equivalent_ellipsoid
from inertial_check.inertia.representations import symmetric


class EquivalentSolid(NamedTuple):
    """Principal moments and axes of a body, and the uniform solids that have them.

    Attributes:
        moments: (3,) principal moments, ascending [kg m^2].
        R_BS: (3, 3) rotation whose columns are the principal axes in the body frame, in the order
            of the moments; right-handed.
        ellipsoid: (3,) semi-axes of the uniform ellipsoid along these axes [m]; NaN along an axis
            in which no body has the moments.
        box: (3,) edges of the uniform box along these axes [m]; NaN as for the ellipsoid.
    """

    moments: Floats
    R_BS: Floats
    ellipsoid: Floats
    box: Floats


def find_equivalent_solid(mass: float, I_BBcm_B: Sequence[float]) -> EquivalentSolid | None:
    """Find the equivalent solids of a body.

    Args:
        mass: Mass [kg].
        I_BBcm_B: Six entries of the inertia about the centre of mass [kg m^2], order of ENTRIES.

    Returns:
        The solids; None if a number is missing or not finite.
    """
    six = np.array(I_BBcm_B, dtype=float)
    if not (np.isfinite(mass) and np.all(np.isfinite(six))):
        return None
    size = float(np.max(np.abs(six))) or 1.0
    # Eigenvalues of the scaled tensor: squares of 1e300 or 1e-300 would leave float64.
    values, R_BS = np.linalg.eigh(symmetric(six / size))
    if np.linalg.det(R_BS) < 0:
        R_BS[:, 0] *= -1
    # The largest moment has the shortest length, so the ascending lengths are turned round.
    scaled_mass = mass / size
    ellipsoid = np.asarray(equivalent_ellipsoid(scaled_mass, values))[::-1]
    box = np.asarray(equivalent_box(scaled_mass, values))[::-1]
    return EquivalentSolid(values * size, R_BS, ellipsoid, box)
