"""Principal moments that were sorted and lost their axes: a pattern of all bodies of a model."""

from __future__ import annotations

from itertools import permutations
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.evidence import limits
from inertial_check.evidence.votes import Votes
from inertial_check.inertia import resemblance, tolerances

Flags = Mask

_DISTINCT = 0.01
"""Relative difference from which two moments have an order; below it a body counts as one with an
axis of symmetry."""

_TURNED = 0.25
"""Share of bodies with a rotated inertial above which moments say nothing by their order: compiled
models state sorted moments and the rotation of their axes, by design."""


class SortedMoments(NamedTuple):
    """Diagonal tensors of a model that are all in one order of size.

    Attributes:
        order: The order in which all of them are.
        bodies: (N,) bodies in that order; isotropic ones have none.
        voters: (N,) bodies of these whose numbers were not made up or copied.
        distinct: (N,) bodies in that order with three different moments.
        pro: (N,) bodies in that order whose shapes have these moments about other axes.
        contra: (N,) bodies in that order whose shapes fit the tensor as it is written.
    """

    order: Literal["ascending", "descending"]
    bodies: Flags
    voters: Flags
    distinct: Flags
    pro: Flags
    contra: Flags


_KNOWN: WeakKeyDictionary[Votes, SortedMoments | None] = WeakKeyDictionary()


def find_sorted_moments(votes: Votes) -> SortedMoments | None:
    """Find the one order of the moments of all tensors of a model.

    Returns:
        None where fewer than three bodies have an order, where a tensor has products or another
        order, or where many inertials are rotated.
    """
    if votes not in _KNOWN:
        _KNOWN[votes] = _find(votes)
    return _KNOWN[votes]


def _find(votes: Votes) -> SortedMoments | None:
    diagonal, products = votes.six[:, [0, 3, 5]], votes.six[:, [1, 2, 4]]
    size = np.max(np.abs(diagonal), axis=1, initial=0.0)
    stated = votes.stated & votes.known
    with np.errstate(invalid="ignore"):
        steps = np.diff(diagonal, axis=1)
        ordered = stated & np.any(np.abs(steps) > tolerances.SAME_READING * size[:, None], axis=1)
        oblique = np.any(np.abs(products) > tolerances.ROTATED_ZERO * size[:, None], axis=1)
    if np.sum(ordered) < limits.VOTES or np.any(oblique & stated):
        return None
    voters = ordered & votes.voters  # looks at the texts, and therefore comes last
    turned = np.any(np.abs(votes.R_BBi - np.eye(3)) > tolerances.ROTATED_ZERO, axis=(1, 2))
    if np.sum(voters & turned) > _TURNED * np.sum(voters):
        return None
    slack = tolerances.SAME_READING * size[:, None]
    rises, falls = np.all(steps >= -slack, axis=1), np.all(steps <= slack, axis=1)
    straight = voters & ~turned
    if np.sum(straight) < limits.VOTES or not (np.all(rises[straight]) or np.all(falls[straight])):
        return None
    ascending = bool(np.all(rises[straight]))
    bodies = ordered & (rises if ascending else falls)
    distinct = np.all(np.abs(steps) > _DISTINCT * size[:, None], axis=1)
    pro, contra = _compare_orders(votes)
    order: Literal["ascending", "descending"] = "ascending" if ascending else "descending"
    return SortedMoments(
        order, bodies, *(bodies & each for each in (voters, distinct, pro, contra))
    )


def _compare_orders(votes: Votes) -> tuple[Flags, Flags]:
    """Bodies whose shapes have their moments about other axes; and those that fit as written."""
    body, C_G = votes.rows
    C, count = votes.C_BBcm_B[body], len(votes.known)
    with np.errstate(all="ignore"):
        before, after = resemblance.misfit(C, C_G), resemblance.shape_distance(C, C_G)
        fits = before <= limits.DROP
        other = (before - after >= limits.DROP) & (after <= limits.CLOSE)
        other &= before >= limits.GAIN * np.maximum(after, limits.FIT)
    pro, contra = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    pro[body[other]] = True
    contra[body[fits]] = True
    return pro & ~contra, contra


def restore_axes(votes: Votes, bodies: Flags) -> Floats:
    """Give the moments of some bodies the axes that suit their shapes best.

    Args:
        votes: The bodies of the model.
        bodies: (N,) bodies to change, all of which have shapes.

    Returns:
        (N, 6) tensors in the inertials' own axes: the moments in the order that fits best, or
        along the principal axes of the shapes where that fits clearly better [kg m^2].
    """
    meant = votes.six.copy()
    for index in np.flatnonzero(bodies).tolist():
        R_BBi = votes.R_BBi[index]
        shapes = resemblance.rotate(R_BBi.T, votes.rows[1][votes.rows[0] == index])
        C_BBcm_Bi = resemblance.spread(votes.mass[index], resemblance.matrices(votes.six[index]))
        orders = np.array([C_BBcm_Bi[np.ix_(order, order)] for order in permutations(range(3))])
        spreads = np.linalg.eigvalsh(C_BBcm_Bi)
        along = np.array([(V * spreads) @ V.T for V in np.linalg.eigh(shapes)[1]])
        best = [
            tensors[np.argmin(np.max(resemblance.misfit(tensors[:, None], shapes), axis=1))]
            for tensors in (orders, along)
        ]
        rest = [float(np.max(resemblance.misfit(each, shapes))) for each in best]
        C = best[0] if rest[0] <= rest[1] + limits.FIT else best[1]
        meant[index] = resemblance.entries(resemblance.inertia(votes.mass[index], C))
    return meant
