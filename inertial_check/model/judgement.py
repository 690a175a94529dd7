"""The judgement of a body: its verdict and the numbers behind it."""

from __future__ import annotations

from typing import NamedTuple


class Judgement(NamedTuple):
    """Verdict of the consistency conditions on one body, with the numbers behind it.

    Attributes:
        verdict: Name of an inertia.consistency.Verdict (consistent, boundary, rounding, ...).
        margin: Margin mu in [-1, 1/3]; NaN if it is not defined.
        tolerance: Numerical floor tau with which the margin was compared.
        mass: Mass [kg]; NaN if it was not read.
        p_BoBcm_B: (3,) centre of mass [m].
        I_BBcm_B: (6,) inertia about the centre of mass in body axes [kg m^2], order of ENTRIES.
        I_BBcm_Bi: (6,) the same inertia in the inertial's own axes, as printed [kg m^2].
        principal_moments: (3,) principal moments, ascending [kg m^2].
        equivalent_box: (3,) edges [m] of the uniform box with these moments, ascending; NaN if no
            box has them.
        witness: (3,) unit vector in body axes along which the second moment of the mass would be
            negative; None if there is none.
        numerically_zero: Whether max|I| < m (1e-6 m)^2.
    """

    verdict: str
    margin: float
    tolerance: float
    mass: float
    p_BoBcm_B: tuple[float, float, float]
    I_BBcm_B: tuple[float, ...]
    I_BBcm_Bi: tuple[float, ...]
    principal_moments: tuple[float, float, float]
    equivalent_box: tuple[float, float, float]
    witness: tuple[float, float, float] | None
    numerically_zero: bool
