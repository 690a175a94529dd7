"""Patterns that the numbers of a whole model show, whatever they should be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.evidence import limits
from inertial_check.evidence.decimals import has_coarse_decimals
from inertial_check.evidence.votes import Votes
from inertial_check.inertia import resemblance, tolerances
from inertial_check.model.body import ENTRIES

Flags = npt.NDArray[np.bool_]

_FEW_DIGITS = 2
"""Digits that no entry of coarse decimals exceeds: a trace of at most 12 counts has no longer
one."""


class SortedDiagonals(NamedTuple):
    """The diagonals of all tensors of a model, in one order, without products.

    Attributes:
        descending: Whether ixx is the largest moment of each; otherwise it is the smallest.
        bodies: (N,) bodies with three different moments.
        pro: (N,) bodies whose shapes have these moments about other axes.
        contra: (N,) bodies whose shapes fit the tensor as it is written.
    """

    descending: bool
    bodies: Flags
    pro: Flags
    contra: Flags


def find_sorted_diagonals(votes: Votes) -> SortedDiagonals | None:
    """The sorted diagonals of a model; None where some tensor has products or another order."""
    diagonal, products = votes.six[:, [0, 3, 5]], votes.six[:, [1, 2, 4]]
    if np.sum(votes.stated) < limits.VOTES or np.any(products[votes.stated]):
        return None
    turned = np.any(votes.R_BBi != np.eye(3), axis=(1, 2))
    with np.errstate(invalid="ignore"):
        steps = np.diff(diagonal, axis=1)
        least = tolerances.SAME_READING * np.max(np.abs(diagonal), axis=1)
        different = np.all(np.abs(steps) > least[:, None], axis=1) & votes.stated & ~turned
    if np.sum(different) < limits.VOTES:  # before the texts are looked at
        return None
    bodies, others = different & votes.voters, votes.stated & votes.voters
    falls, rises = np.all(steps[others] <= 0), np.all(steps[others] >= 0)
    if np.any(turned[others]) or not (falls or rises):
        return None
    pro, contra = _compare_orders(votes)
    return SortedDiagonals(bool(falls), bodies, pro & bodies, contra & bodies)


def _compare_orders(votes: Votes) -> tuple[Flags, Flags]:
    """Bodies whose shapes have their moments about other axes; and those that fit as written."""
    body, C_G = votes.rows
    C, count = votes.C_BBcm_B[body], len(votes.known)
    with np.errstate(all="ignore"):
        misfit = resemblance.misfit(C, C_G)
        fits = misfit <= limits.DROP
        other = ~fits & (resemblance.shape_distance(C, C_G) <= limits.DROP)
    pro, contra = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    pro[body[other]] = True
    contra[body[fits]] = True
    return pro & ~contra, contra


class CoarseDecimals(NamedTuple):
    """Tensors of a model that were printed with too few decimals.

    Attributes:
        witnesses: (N,) those of bodies that exist, and that are no power of ten of the identity,
            which somebody may have meant.
        bodies: (N,) these, and all others that were printed as coarsely with a measured mass.
    """

    witnesses: Flags
    bodies: Flags


def find_coarse_decimals(votes: Votes) -> CoarseDecimals:
    """The tensors of a model that were printed with too few decimals."""
    witnesses = np.zeros(len(votes.known), dtype=bool)
    for index in np.flatnonzero(votes.stated & votes.known).tolist():
        witnesses[index] = _is_coarse(votes, index)
    bodies = witnesses.copy()
    if np.any(witnesses):  # hardly ever, so that few texts are looked at twice
        for index in np.flatnonzero(~witnesses).tolist():
            bodies[index] = _is_coarse(votes, index)
    return CoarseDecimals(witnesses, bodies)


def _is_coarse(votes: Votes, index: int) -> bool:
    """Whether the tensor of a body was printed with too few decimals."""
    body, six = votes.examination.model.bodies[index], votes.six[index]
    inertial = body.inertial
    if inertial is None or inertial.mass is None or len(inertial.I_BBcm_Bi) < len(ENTRIES):
        return False
    texts = [inertial.I_BBcm_Bi[entry].text for entry in ENTRIES]
    if any(len(text.strip("-+0.")) > _FEW_DIGITS for text in texts) or not np.all(np.isfinite(six)):
        return False
    return has_coarse_decimals(texts, six, body.unit, inertial.mass.text)
