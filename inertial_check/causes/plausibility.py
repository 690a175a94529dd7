"""How natural a body is, compared with real ones; it weighs the causes that would mend a body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes.likelihoods import HEAVIER, heavy_tail, likelihood_of_density
from inertial_check.evidence import BodyGeometry
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import second_moment

# The constants below were fitted to the 1,420 different valid inertials of the model collection
# that the tests read: quartiles, and tails that never rule a body out.

_MARGIN = 0.01
"""Half-width of the flatness factor: a twentieth of real bodies have a margin below 0.006, half
have 0.13 or more."""

_CORRELATION = 0.5
"""Half-width of the correlation factor |S_ij| / sqrt(S_ii S_jj): half of real bodies are below
0.03, a tenth above 0.4."""

_DISCREPANCY = 0.35
"""Half-width of the shape factor: log ratio of the sizes and difference of the shapes. Hollow links
differ by less."""

_STAND_IN = 0.2
"""Probability that shapes are stand-ins (a marker of a millimetre, a hull of the whole robot) and
say nothing about the body."""

_LEAST = 0.1
"""Least flatness factor: plates are unusual, but how thin they are adds nothing."""


def naturalness(
    mass: Floats, six: Floats, geometry: Sequence[BodyGeometry] = (), R_BBi: Floats | None = None
) -> Floats:
    """Rate how often real bodies look like these, relative to the most usual ones.

    Args:
        mass: (n,) [kg].
        six: (n, 6) tensors about the centre of mass [kg m^2].
        geometry: What the body's shapes say.
        R_BBi: (3, 3) from the axes of the tensors to those of the geometry; None for the same.

    Returns:
        (n,) between 0 and 1; 0 where no body has the tensor.
    """
    with np.errstate(all="ignore"):
        S = np.asarray(second_moment(six))
        spreads = eigenvalues(S)
        size = np.sum(spreads, axis=-1)
        margin = spreads[:, 0] / size
        flat = np.maximum(_LEAST, _share(margin, _MARGIN))
        slanted = 1 / (1 + (_correlation(S) / _CORRELATION) ** 2)
        sized = likelihood_of_density(mass, size)
        if geometry:
            sized = np.fmax(_STAND_IN * sized, _resemblance(mass, six, geometry, R_BBi))
        sound = margin >= -tolerances.floor(np.ones_like(margin))
    result: Floats = np.nan_to_num(np.where(sound, flat * slanted * sized, 0.0), nan=0.0)
    return result


def _share(value: Floats, half: float) -> Floats:
    """A factor that grows from 0 to 1 and is 1/2 where the value is `half`."""
    result: Floats = np.maximum(value, 0.0) / (np.maximum(value, 0.0) + half)
    return result


def _correlation(S: Floats) -> Floats:
    """(n,) the largest |S_ij| / sqrt(S_ii S_jj)."""
    xx, xy, xz, yy, yz, zz = S.T
    every = np.stack([xy**2 / (xx * yy), xz**2 / (xx * zz), yz**2 / (yy * zz)])
    result: Floats = np.sqrt(np.max(np.nan_to_num(every, nan=0.0, posinf=1.0), axis=0))
    return np.minimum(result, 1.0)


def _resemblance(
    mass: Floats, six: Floats, geometry: Sequence[BodyGeometry], R_BBi: Floats | None
) -> Floats:
    """(n,) likelihood of the discrepancy from the shapes that fit best."""
    C = resemblance.rotate(
        np.eye(3) if R_BBi is None else R_BBi, resemblance.spread(mass, resemblance.matrices(six))
    )
    each = [
        resemblance.discrepancy(C, resemblance.matrices(shapes.C_GGcm_B)) for shapes in geometry
    ]
    return heavy_tail(np.min(np.stack(each), axis=0) / _DISCREPANCY, HEAVIER)
