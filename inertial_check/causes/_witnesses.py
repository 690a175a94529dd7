"""Likelihoods of a body that was perhaps meant, from its shapes, its twin and experience.

Each witness gives a likelihood with long tails, 1 at best: none can rule a body out alone. Their
product is compared with that of the numbers as written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import Subject
from inertial_check.causes.plausibility import density_likelihood
from inertial_check.inertia import resemblance, tolerances

_DISCREPANCY = 0.35
"""Width of the shape likelihood: discrepancy between a body and its shapes at which it starts to
fall. Sizes of honest links differ by a factor below 1.4."""

_OUTSIDE = 0.1
"""Width of the hull likelihood: distance of the centre of mass outside the hull, as a fraction of
its extent."""

_FAR = 0.3
"""Width of the distance likelihood: decades by which the centre of mass is farther from the origin
than twice the body and the skeleton together."""

_TWIN = 0.1
"""Width of the twin likelihood: relative difference of a body from its twin. Rounding in CAD leaves
a few per cent."""

MOST = 1e4
"""Largest likelihood ratio that is believed; larger ones are cut to it."""


class Meant(NamedTuple):
    """Bodies that were perhaps meant, one a row.

    Attributes:
        mass: (n,) [kg].
        p_BoBcm_B: (n, 3) [m].
        C_BBcm_B: (n, 3, 3) spreads, in the body's axes [m^2].
    """

    mass: Floats
    p_BoBcm_B: Floats
    C_BBcm_B: Floats


def is_stated(subject: Subject) -> bool:
    """Whether some body has the numbers as written, with mass: what the causes here explain."""
    return bool(subject.examination.assembly.stated[subject.index])


def read_body(subject: Subject) -> Meant:
    """Read the numbers of a body as the document states them."""
    return Meant(
        np.array([subject.mass]),
        subject.p_BoBcm_B[None],
        subject.examination.assembly.C_BBcm_B[subject.index][None],
    )


def with_spreads(subject: Subject, C_BBcm_B: Floats) -> Meant:
    """The body with other spreads (n, 3, 3), mass and centre as they stand."""
    count = len(C_BBcm_B)
    return Meant(np.full(count, subject.mass), np.tile(subject.p_BoBcm_B, (count, 1)), C_BBcm_B)


def with_centers(subject: Subject, p_BoBcm_B: Floats) -> Meant:
    """The body with other centres of mass (n, 3)."""
    mass, _, C_BBcm_B = read_body(subject)
    return Meant(
        np.repeat(mass, len(p_BoBcm_B)), p_BoBcm_B, np.tile(C_BBcm_B, (len(p_BoBcm_B), 1, 1))
    )


def gains(subject: Subject, meant: Meant, twin: bool = True) -> Floats:
    """Compare the likelihood of other bodies with that of the body as written.

    Args:
        subject: The body as it stands.
        meant: n others.
        twin: Whether the body on the other side is heard.

    Returns:
        (n,) ratios of likelihoods, at most MOST; 0 where one is not finite.
    """
    together = Meant(
        *(np.concatenate(pair) for pair in zip(read_body(subject), meant, strict=True))
    )
    with np.errstate(all="ignore"):
        second_moment = together.mass * np.trace(together.C_BBcm_B, axis1=1, axis2=2)
        likelihood = density_likelihood(together.mass, second_moment)
        likelihood = likelihood * _distance(subject, together) * _geometry(subject, together)
        if twin:
            likelihood = likelihood * _twin(subject, together)
        ratio = likelihood[1:] / likelihood[0]
    believed: Floats = np.minimum(np.nan_to_num(ratio, nan=0.0, posinf=MOST), MOST)
    return believed


def I_BBcm_Bi(subject: Subject, mass: float, C_BBcm_B: Floats) -> Floats:
    """The rotational inertia of a spread, in the inertial's own axes [kg m^2]."""
    return tidy(resemblance.inertia(mass, resemblance.rotate(subject.R_BBi.T, C_BBcm_B)))


def tidy(values: npt.ArrayLike) -> Floats:
    """Round numbers to 12 digits, and those that rounding alone left to zero."""
    values = np.asarray(values, dtype=float)
    size = np.max(np.abs(values), initial=0.0)
    kept = np.where(np.abs(values) > tolerances.ROTATED_ZERO * size, values, 0.0)
    rounded: Floats = np.array([float(f"{x:.12g}") for x in kept.ravel()]).reshape(kept.shape)
    return rounded


def box_text(mass: float, C_BBcm_B: Floats) -> str:
    """The equivalent box in words."""
    edges = np.sqrt(12 * np.maximum(np.linalg.eigvalsh(C_BBcm_B), 0.0))
    sizes = " x ".join(f"{edge:.3g}" for edge in edges)
    return f"a box of {sizes} m and {resemblance.equivalent_density(mass, C_BBcm_B):.3g} kg/m^3"


def twin_of(subject: Subject) -> int | None:
    """The body on the other side, where it states numbers that some body has."""
    assembly = subject.examination.assembly
    for pair in assembly.twin_pairs.bodies.tolist():
        if subject.index in pair:
            return int(pair[0] + pair[1] - subject.index)
    return None


def _heavy_tail(deviation: Floats) -> Floats:
    """Student's density with two degrees of freedom, 1 at 0."""
    result: Floats = (1 + deviation**2 / 2) ** -1.5
    return result


def _distance(subject: Subject, meant: Meant) -> Floats:
    """Likelihood of the distances of the centres of mass from the origin of the body."""
    assembly = subject.examination.assembly
    sizes = resemblance.size(meant.C_BBcm_B)
    reach = np.minimum(sizes, sizes[0])  # a tensor that grows must not excuse a far centre
    reach = reach + np.fmax(assembly.skeleton[subject.index], np.nan_to_num(assembly.scale))
    ratio = np.linalg.norm(meant.p_BoBcm_B, axis=1) / (2 * reach)
    return _heavy_tail(np.log10(np.maximum(ratio, 1.0)) / _FAR)


def _geometry(subject: Subject, meant: Meant) -> Floats:
    """Geometric mean of the likelihoods by visual and collision shapes, which show one body."""
    rows = subject.examination.likeness.of(subject.index)
    likelihood = np.ones(len(meant.mass))
    joints = subject.examination.assembly.joints[subject.index]
    for row in rows:
        discrepancy = resemblance.discrepancy(meant.C_BBcm_B, resemblance.matrices(row.C_GGcm_B))
        directions, support = np.array(row.directions), np.array(row.support)
        if len(joints):
            support = np.maximum(support, np.max(joints @ directions.T, axis=0))
        extent = float(np.linalg.norm(np.subtract(row.upper, row.lower)))
        outside = resemblance.excess(meant.p_BoBcm_B, directions, support, extent)
        fit = _heavy_tail(discrepancy / _DISCREPANCY) * _heavy_tail(
            np.maximum(outside, 0.0) / _OUTSIDE
        )
        likelihood = likelihood * fit ** (1 / len(rows))
    return likelihood


def _twin(subject: Subject, meant: Meant) -> Floats:
    """Likelihood of the differences from the twin; 1 for a body without one."""
    other = twin_of(subject)
    if other is None:
        return np.ones(len(meant.mass))
    assembly = subject.examination.assembly
    off = assembly.apart(other, meant.p_BoBcm_B, meant.C_BBcm_B)
    heavier = np.log(meant.mass / assembly.mass[other])
    return _heavy_tail(off / _TWIN) * _heavy_tail(heavier / _TWIN)
