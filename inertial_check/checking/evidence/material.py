"""Densities that no body has: of mass and inertia alone, and of shapes that are solid."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from inertial_check.documents.model import ENTRIES, Body
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.intervals import half_units

OSMIUM = 22_590.0
"""Density of osmium [kg/m^3], the densest substance; no body exceeds it anywhere."""

AEROGEL = 1.0
"""Density of the lightest solid, a silica aerogel without its air [kg/m^3]."""


def explain_density(density: float, kinds: Collection[str]) -> str:
    """Explain a density that no solid has; "" for one that some solid has.

    Args:
        density: Mass of a body over the volume of its shapes of one role [kg/m^3].
        kinds: Kinds of these shapes.
    """
    what = "mesh" if set(kinds) == {"mesh"} else f"solid {', '.join(sorted(set(kinds)))}"
    if density > OSMIUM:
        return f"denser than osmium: the {what} is smaller than the body, or the mass too large"
    if density < AEROGEL:
        return f"lighter than aerogel: the {what} is hollow in truth, or the mass too small"
    return ""


_UNIT_ELLIPSOID = 4 / 3 * np.pi * 5**1.5
"""Volume of the uniform ellipsoid whose covariance is the identity."""


def bound_density(mass: Floats, moments: Floats) -> Floats:
    """Density of the uniform ellipsoid, which every body with these numbers reaches somewhere.

    Of all bodies with one mass and covariance, none has a smaller greatest density
    (docs/theory.md).

    Args:
        mass: (...,) [kg].
        moments: (..., 3) principal moments [kg m^2].

    Returns:
        (...,) [kg/m^3]; infinite for plates, rods and points.
    """
    spreads = np.sum(moments, axis=-1, keepdims=True) / 2 - moments
    with np.errstate(all="ignore"):
        spread = np.maximum(spreads, 0.0) / mass[..., None]
        density: Floats = mass / (_UNIT_ELLIPSOID * np.sqrt(np.prod(spread, axis=-1)))
    return density


def bound_printed_density(body: Body, mass: float, moments: Sequence[float]) -> float:
    """Least of these densities over all numbers that print as those of a body do [kg/m^3].

    An entry of the inertia that changes by r changes no eigenvalue of the second moment by more
    than the row sums of the changes.

    Args:
        body: The body as the document states it.
        mass: Its mass [kg].
        moments: (3,) its principal moments [kg m^2].
    """
    inertial = body.inertial
    if inertial is None or inertial.mass is None or len(inertial.I_BBcm_Bi) < len(ENTRIES):
        return 0.0
    xx, xy, xz, yy, yz, zz = half_units([inertial.I_BBcm_Bi[entry].text for entry in ENTRIES])
    change = body.unit * ((xx + yy + zz) / 2 + max(xy + xz, xy + yz, xz + yz))
    (half,) = half_units([inertial.mass.text])
    least = max(mass - half * inertial.kilograms_per_unit, 0.0)
    # Moments of which all three spreads are larger by the change.
    widened = np.array(moments) + 2 * change
    return float(bound_density(np.array(least), widened))
