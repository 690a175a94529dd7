"""The witnesses of a body that was perhaps meant: its shapes, its twin and experience.

The product of their likelihoods (likelihoods.py) is compared with that of the numbers as written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import Subject
from inertial_check.causes.likelihoods import (
    FAR,
    IN_BOX,
    IN_BOX_DECADES,
    MOST,
    OUTSIDE,
    heavy_tail,
    likelihood_of_density,
    likelihood_of_likeness,
    likelihood_of_twin,
    likelihood_of_wrong_size,
)
from inertial_check.inertia import resemblance, tolerances

Flags = npt.NDArray[np.bool_]


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


def gains(subject: Subject, meant: Meant, twin: bool = True, any_size: bool = False) -> Floats:
    """Compare the likelihood of other bodies with that of the body as written.

    Args:
        subject: The body as it stands.
        meant: n others.
        twin: Whether the body on the other side is heard.
        any_size: Whether the size of the others was chosen to agree with the shapes, so that the
            agreement is no evidence.

    Returns:
        (n,) ratios of likelihoods, at most MOST; 0 where one is not finite.
    """
    together = Meant(
        *(np.concatenate(pair) for pair in zip(read_body(subject), meant, strict=True))
    )
    free = np.array([False] + [any_size] * len(meant.mass))
    with np.errstate(all="ignore"):
        second_moment = together.mass * np.trace(together.C_BBcm_B, axis1=1, axis2=2)
        likelihood = likelihood_of_density(together.mass, second_moment)
        likelihood = likelihood * _distance(subject, together) * _shapes(subject, together, free)
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
    row = assembly.twin_row(subject.index)
    if row is None:
        return None
    one, other = assembly.twin_pairs.bodies[row].tolist()
    return int(one + other - subject.index)


def reflect_twin(subject: Subject, twin: int) -> tuple[Floats, Floats]:
    """Centre of mass [m] and spread [m^2] of the twin as this body would have them, in its axes.

    In the symmetry of the model; the twin's own numbers where the model has none.
    """
    assembly = subject.examination.assembly
    X_BT = assembly.twin_map(subject.index)
    R_BT, p_BT = X_BT[:3, :3], X_BT[:3, 3]
    center: Floats = R_BT @ assembly.p_BoBcm_B[twin] + p_BT
    return center, resemblance.rotate(R_BT, assembly.C_BBcm_B[twin])


def _distance(subject: Subject, meant: Meant) -> Floats:
    """Likelihood of the distances of the centres of mass from the origin of the body."""
    assembly = subject.examination.assembly
    sizes = resemblance.size(meant.C_BBcm_B)
    reach = np.minimum(sizes, sizes[0])  # a tensor that grows must not excuse a far centre
    reach = reach + np.fmax(assembly.skeleton[subject.index], np.nan_to_num(assembly.scale))
    ratio = np.linalg.norm(meant.p_BoBcm_B, axis=1) / (2 * reach)
    return heavy_tail(np.log10(np.maximum(ratio, 1.0)) / FAR)


def _shapes(subject: Subject, meant: Meant, free: Flags) -> Floats:
    """Geometric mean of the likelihoods by visual and collision shapes, which show one body.

    Args:
        subject: The body.
        meant: n bodies.
        free: (n,) whether the size of each was chosen to agree with the shapes.
    """
    likelihood = np.ones(len(meant.mass))
    if not subject.beside:
        return likelihood
    form, size = resemblance.form(meant.C_BBcm_B), resemblance.size(meant.C_BBcm_B)
    for shapes in subject.beside:
        outside = resemblance.excess(
            meant.p_BoBcm_B, shapes.directions, shapes.support, shapes.extent
        )
        misfit = np.linalg.norm(form - shapes.form, axis=(-2, -1))
        log_size = np.log(size / shapes.size)
        fit = likelihood_of_likeness(misfit, log_size, shapes.components)
        if np.any(free):
            other = likelihood_of_wrong_size(misfit, float(log_size[0]), shapes.components)
            fit = np.where(free, other, fit)
        fit = fit * heavy_tail((np.log10(meant.mass / shapes.box) - IN_BOX) / IN_BOX_DECADES)
        fit = fit * heavy_tail(np.maximum(outside, 0.0) / OUTSIDE)
        likelihood = likelihood * fit ** (1 / len(subject.beside))
    return likelihood


def gain_of_scaled_shapes(subject: Subject, factor: float) -> float:
    """Compare the likelihood of the body beside its shapes times a factor with that as they are."""
    now = read_body(subject)
    scaled = Meant(now.mass, now.p_BoBcm_B / factor, now.C_BBcm_B / factor**2)
    together = Meant(*(np.concatenate(pair) for pair in zip(now, scaled, strict=True)))
    written, meant = _shapes(subject, together, np.zeros(2, dtype=bool)).tolist()
    return min(meant / written, MOST) if written > 0 else MOST


def _twin(subject: Subject, meant: Meant) -> Floats:
    """Likelihood of the differences from the twin; 1 for a body without one."""
    other = twin_of(subject)
    if other is None:
        return np.ones(len(meant.mass))
    assembly = subject.examination.assembly
    off = assembly.apart(subject.index, meant.p_BoBcm_B, meant.C_BBcm_B)
    heavier = np.log(meant.mass / assembly.mass[other])
    return likelihood_of_twin(off, heavier, subject.printed_misfit)
