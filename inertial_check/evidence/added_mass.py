"""Whether the added mass of a fluid leaves a body without inertia in some direction."""

from __future__ import annotations

import numpy as np

from inertial_check.inertia.tolerances import ILL_POSED_FLOOR
from inertial_check.model import Inertial, Judgement

Margins = dict[str, float]
"""Margins of a body with its added mass, by the names of the attributes of AddedMassJudgement."""


def read_added_mass(inertial: Inertial) -> list[list[float]]:
    """The added mass of an inertial as a 6x6 matrix of numbers."""
    return [[number.value for number in row] for row in inertial.fluid_added_mass]


def has_known_numbers(judgement: Judgement, added: list[list[float]]) -> bool:
    """Whether all numbers of a body and of its added mass are finite."""
    numbers = (judgement.mass, *judgement.p_BoBcm_B, *judgement.I_BBcm_B)
    return bool(np.isfinite(numbers).all() and np.isfinite(added).all())


def measure_added_mass(
    judgements: list[Judgement], added: list[list[list[float]]]
) -> list[Margins]:
    """Judgements of judge_added_mass for each body, all judged together."""
    from inertial_check.inertia.parameters import InertialParameters
    from inertial_check.spatial.added_mass import judge_added_mass

    mass, com, inertia = (
        np.array([getattr(judgement, name) for judgement in judgements])
        for name in ("mass", "p_BoBcm_B", "I_BBcm_B")
    )
    rigid = InertialParameters.from_com(mass, com, inertia)
    judged = judge_added_mass(rigid, np.array(added), order="linear-angular")
    names = ("margin", "added_margin", "rigid_margin", "tolerance")
    columns = [getattr(judged, name).tolist() for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def is_to_blame(margins: Margins) -> bool:
    """Whether the sum is not positive definite, and would be better without the added mass."""
    together, alone, floor = (margins[name] for name in ("margin", "rigid_margin", "tolerance"))
    if floor > ILL_POSED_FLOOR:
        return False
    return alone >= -floor if together < -floor else together <= floor < alone
