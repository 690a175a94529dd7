"""Decimals that are too few for the tensors of a model: a pattern that several of them show."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.evidence.likeness import is_whole
from inertial_check.checking.evidence.readings import (
    COARSE,
    has_lost_decimals,
    is_measured,
    is_padded,
    last_count,
)
from inertial_check.documents.model import ENTRIES, Body
from inertial_check.inertia import resemblance
from inertial_check.inertia.arrays import Floats, Mask

if TYPE_CHECKING:
    from inertial_check.checking.evidence.votes import Votes

Flags = Mask

_PADDED_PARTS = 3
"""Number of different parts with padded numbers of one number of decimals, from which a format
printed them, whatever the digits of the masses; chosen as the least number of votes."""


class CoarseDecimals(NamedTuple):
    """Tensors of a model that were printed with one number of decimals, too few for them.

    Attributes:
        places: The number of decimals.
        bodies: (N,) bodies of whose trace half a count of the last decimal is more than COARSE, and
            that were measured, or printed by a format.
        witnesses: (N,) bodies of these that are no guess, whatever the rest of the model shows.
        padded: (N,) bodies of these whose zeros at the ends of the numbers show a format.
    """

    places: int
    bodies: Flags
    witnesses: Flags
    padded: Flags


class _Print(NamedTuple):
    """How the tensor of a body was printed.

    Attributes:
        last: One count of the last decimal [kg m^2].
        padded: Whether zeros at the ends of the numbers show a format.
        measured: Whether the mass has so many digits that it was no guess.
        lost: Whether the tensor alone shows that a program printed it.
    """

    last: float
    padded: bool
    measured: bool
    lost: bool


def find_coarse_decimals(votes: Votes) -> CoarseDecimals | None:
    """Find the tensors of a model that were printed with too few decimals; None without any."""
    candidates = np.flatnonzero(votes.in_few_counts).tolist()
    if len(candidates) < limits.VOTES:  # before the texts are looked at
        return None
    coarse = {
        index: each for index in candidates if (each := _read_print(votes, index)) is not None
    }
    if not coarse:
        return None
    places = Counter(_places(votes, index, each.last) for index, each in coarse.items())
    common = places.most_common(1)[0][0]
    open_ = any(each.padded and not (each.lost or each.measured) for each in coarse.values())
    by_format = open_ and _is_format(votes, common)
    bodies, witnesses, padded = (np.zeros(len(votes.known), dtype=bool) for _ in range(3))
    for index, each in coarse.items():
        if _places(votes, index, each.last) == common:
            bodies[index] = each.lost or each.measured or (each.padded and by_format)
            witnesses[index], padded[index] = each.lost, each.padded
    return CoarseDecimals(common, bodies, bodies & witnesses, bodies & padded)


def _read_print(votes: Votes, index: int) -> _Print | None:
    """How the tensor of a body was printed; None where that is not coarse, or not written out."""
    body, six = votes.examination.model.bodies[index], votes.examination.judgements[index].I_BBcm_Bi
    texts = _list_texts(body)
    if body.inertial is None or body.inertial.mass is None or texts is None:
        return None
    unit, mass = body.unit, body.inertial.mass.text
    count, trace = last_count(texts, unit), six[0] + six[3] + six[5]
    if count is None or not count / 2 > COARSE * trace:
        return None
    lost = has_lost_decimals(texts, six, unit, mass)
    return _Print(count, is_padded(texts), is_measured(mass), lost)


def _list_texts(body: Body) -> list[str] | None:
    """The entries of the tensor as written; None where it, or its mass, is not written out."""
    inertial = body.inertial
    if inertial is None or inertial.mass is None or len(inertial.I_BBcm_Bi) < len(ENTRIES):
        return None
    return [inertial.I_BBcm_Bi[entry].text for entry in ENTRIES]


def _places(votes: Votes, index: int, last: float) -> int:
    """The number of decimals that the document shows for a body."""
    return round(-float(np.log10(last / votes.examination.model.bodies[index].unit)))


def _is_format(votes: Votes, places: int) -> bool:
    """Whether several parts, coarse or not, have padded numbers of one number of decimals."""
    padded = np.zeros(len(votes.known), dtype=bool)
    bodies = votes.examination.model.bodies
    for index in np.flatnonzero(votes.stated).tolist():
        texts = _list_texts(bodies[index])
        if texts is not None and is_padded(texts):
            count = last_count(texts, bodies[index].unit)
            padded[index] = count is not None and _places(votes, index, count) == places
    return votes.count_parts(padded) >= _PADDED_PARTS


def restore_digits(votes: Votes, coarse: CoarseDecimals) -> tuple[Floats, Flags]:
    """Give coarse tensors the digits of their bodies' shapes, where these print the same numbers.

    Args:
        votes: The bodies of the model.
        coarse: The tensors that were printed with too few decimals.

    Returns:
        (N, 6) tensors in the inertials' own axes [kg m^2], and (N,) which of them are restored:
        all entries of the shapes' inertia are within one count of the printed ones, as numbers are
        that were rounded or cut off.
    """
    meant, restored = votes.six.copy(), np.zeros(len(votes.known), dtype=bool)
    for index in np.flatnonzero(coarse.bodies).tolist():
        every = votes.examination.geometry.bodies[index]
        shapes = [resemblance.matrices(each.C_GGcm_B) for each in every if is_whole(each)]
        if shapes:
            C_GGcm_Bi = resemblance.rotate(votes.R_BBi[index].T, np.array(shapes))
            six = resemblance.entries(resemblance.inertia(votes.mass[index], C_GGcm_Bi))
            off = np.max(np.abs(six - votes.six[index]), axis=1)
            best = int(np.argmin(off))
            restored[index] = (
                off[best] <= votes.examination.model.bodies[index].unit * 10.0**-coarse.places
            )
            meant[index] = six[best] if restored[index] else meant[index]
    return meant, restored
