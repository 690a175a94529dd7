"""What geometry, twin and experience say of a body that was perhaps meant.

Each witness gives a likelihood with long tails, 1 at best: none can rule a body out alone. Their
product is compared with that of the numbers as written.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import Subject
from inertial_check.causes.plausibility import density_likelihood
from inertial_check.inertia import resemblance

_DISCREPANCY = 0.35
"""Of a body from its geometry: sizes of honest links differ by less than a factor of 1.4."""

_OUTSIDE = 0.1
"""Of the centre of mass from the hull, in parts of its extent."""

_FAR = 0.3
"""Decades by which the centre of mass is farther away than twice body and skeleton together."""

_TWIN = 0.1
"""Of a body from its twin: CAD noise leaves some percent."""

MOST = 1e4
"""Ratios of likelihoods above it are no longer believed."""


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


def written(subject: Subject) -> Meant:
    """The body as it stands."""
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
    mass, _, C_BBcm_B = written(subject)
    return Meant(
        np.repeat(mass, len(p_BoBcm_B)), p_BoBcm_B, np.tile(C_BBcm_B, (len(p_BoBcm_B), 1, 1))
    )


def gains(subject: Subject, meant: Meant, twin: bool = True) -> Floats:
    """How many times more probable bodies are than the one that is written.

    Args:
        subject: The body as it stands.
        meant: n others.
        twin: Whether the body on the other side is heard.

    Returns:
        (n,) ratios of likelihoods, at most MOST; 0 where one is not finite.
    """
    together = Meant(*(np.concatenate(pair) for pair in zip(written(subject), meant, strict=True)))
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
    return tidy(resemblance.inertia(mass, resemblance.turned(subject.R_BBi.T, C_BBcm_B)))


_DUST = 1e-14
"""Of the largest number: what is left of a zero that was turned, some 50 roundings at most."""


def tidy(values: Any) -> Floats:
    """Numbers without the rounding of the arithmetic that led to them: 12 digits, and zeros."""
    values = np.asarray(values, dtype=float)
    size = np.max(np.abs(values), initial=0.0)
    kept = np.where(np.abs(values) > _DUST * size, values, 0.0)
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


def _tailed(deviation: Floats) -> Floats:
    """Student's density with two degrees of freedom, 1 at 0."""
    result: Floats = (1 + deviation**2 / 2) ** -1.5
    return result


def _distance(subject: Subject, meant: Meant) -> Floats:
    assembly = subject.examination.assembly
    sizes = resemblance.size(meant.C_BBcm_B)
    reach = np.minimum(sizes, sizes[0])  # a tensor that grows must not excuse a far centre
    reach = reach + np.fmax(assembly.skeleton[subject.index], np.nan_to_num(assembly.scale))
    ratio = np.linalg.norm(meant.p_BoBcm_B, axis=1) / (2 * reach)
    return _tailed(np.log10(np.maximum(ratio, 1.0)) / _FAR)


def _geometry(subject: Subject, meant: Meant) -> Floats:
    """Of the roles together: their geometric mean, for they show the same."""
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
        fit = _tailed(discrepancy / _DISCREPANCY) * _tailed(np.maximum(outside, 0.0) / _OUTSIDE)
        likelihood = likelihood * fit ** (1 / len(rows))
    return likelihood


def _twin(subject: Subject, meant: Meant) -> Floats:
    other = twin_of(subject)
    if other is None:
        return np.ones(len(meant.mass))
    assembly = subject.examination.assembly
    off = assembly.apart(other, meant.p_BoBcm_B, meant.C_BBcm_B)
    heavier = np.log(meant.mass / assembly.mass[other])
    return _tailed(off / _TWIN) * _tailed(heavier / _TWIN)
