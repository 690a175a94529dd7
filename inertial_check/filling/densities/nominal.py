"""Nominal densities of the bodies to fill: stated, or learnt from what is known of the model.

`fill` deviates from them as little as the known sums allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.filling.densities.equations import MassSum, Unknowns
from inertial_check.filling.densities.likely_densities import (
    GUESS_SPREAD,
    OWN_SPREAD,
    STATED_SPREAD,
    LogSum,
    Sized,
    estimate_masses,
)
from inertial_check.filling.known import Knowledge
from inertial_check.filling.shapes.pieces import BodyPieces
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Judgement

TAUGHT_DENSITIES = (100.0, 12000.0)
"""Least and largest mean density from which others are learnt [kg/m^3]: from foam to lead; other
numbers stand for more or less than the shapes that are there."""

TAUGHT_MISFIT = 0.5
"""Largest relative difference of the tensors per mass of a measured body and of its shapes at which
the density of its shapes is taken as known."""


def fits_shapes(judgement: Judgement, own: BodyPieces) -> bool:
    """Whether the numbers of a measured body stand for the shapes that are there."""
    if not own.pieces or own.guess or judgement.verdict != "consistent":
        return False
    least, most = TAUGHT_DENSITIES
    if not least <= judgement.mass / own.volume <= most:
        return False
    points = np.concatenate([piece.points for piece in own.pieces])
    stated = InertialParameters.from_com(judgement.mass, judgement.p_BoBcm_B, judgement.I_BBcm_B)
    unit = InertialParameters.from_theta(own.unit)
    one, other = stated.inertia_com / stated.mass, unit.inertia_com / unit.mass
    misfit = float(np.linalg.norm(one - other) / np.linalg.norm(other))
    center = np.asarray(stated.com)
    within = bool(np.all((points.min(axis=0) <= center) & (center <= points.max(axis=0))))
    return within and misfit <= TAUGHT_MISFIT


def find_nominal(
    unknowns: Unknowns, known: Knowledge, sums: Sequence[MassSum]
) -> tuple[Floats, str]:
    """Find the nominal density of each body to fill, and say where it comes from.

    It is that of the pattern that matches, that of the prior model, or the given one. Where nothing
    states it, it is the most probable one of a link of its size, given the densities of measured
    bodies and the known sums.

    Args:
        unknowns: The bodies.
        known: What is known.
        sums: Known sums of masses.

    Returns:
        (n,) densities [kg/m^3], and the source for those that nothing states.
    """
    stated = _list_stated(unknowns, known)
    teachers = sorted(unknowns.teachers)
    usual = "that of robot links of their size"
    if teachers:
        usual += (
            f", given those of {len(teachers)} measured bod{'y' if len(teachers) == 1 else 'ies'}"
        )
    if not np.any(np.isnan(stated)):
        return stated, usual
    sized = _size(unknowns, list(unknowns.pieces), stated)
    taught = [unknowns.others[index] for index in teachers]
    measured = _size(unknowns, taught, np.full(len(taught), np.nan))
    densities = unknowns.measured[teachers] / measured.volumes
    positive = [
        LogSum(tuple(each.coefficients), each.wanted)
        for each in sums
        if each.wanted > 0 and all(value == 1 for value in each.coefficients.values())
    ]
    equal = [_order(each) for each in sums if each.wanted == 0 and len(each.coefficients) == 2]
    masses = estimate_masses(sized, measured, densities, positive, equal)
    return np.clip(masses / sized.volumes, *known.density_range), usual


def _order(each: MassSum) -> tuple[int, int]:
    one, other = each.coefficients
    return one, other


def _size(unknowns: Unknowns, pieces: Sequence[BodyPieces], stated: Floats) -> Sized:
    """The bodies as far as their likely density depends on them."""
    carriers = {body.parent for body in unknowns.model.bodies if body.moved}
    spreads = np.array([GUESS_SPREAD if own.guess else OWN_SPREAD for own in pieces])
    return Sized(
        np.array([own.volume for own in pieces]),
        np.array([float(own.body.id in carriers) for own in pieces]),
        np.where(np.isnan(stated), spreads, STATED_SPREAD),
        stated,
    )


def _list_stated(unknowns: Unknowns, known: Knowledge) -> Floats:
    """(n,) densities that a pattern, another model or the user states; NaN where none does."""
    found = []
    for index, own in zip(unknowns.indices, unknowns.pieces, strict=True):
        link = next((k.density for k in known.links if fnmatchcase(own.body.name, k.pattern)), None)
        choices = (link, unknowns.prior.get(index), known.density)
        found.append(next((each for each in choices if each is not None), np.nan))
    return np.array(found, dtype=float)
