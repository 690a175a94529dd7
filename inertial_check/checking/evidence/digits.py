"""Numbers that were printed with so few decimals that little of the tensor is left.

One body shows it where its mass has more digits, or its zeros; several bodies of a model show the
format that printed them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.evidence.likeness import is_whole
from inertial_check.documents.model import ENTRIES, Body
from inertial_check.inertia import resemblance
from inertial_check.inertia.arrays import Floats, Mask
from inertial_check.inertia.intervals import decimal_places

if TYPE_CHECKING:
    from inertial_check.checking.evidence.votes import Votes

Flags = Mask

COARSE = 0.04
"""Share of the trace above which half a count of the last decimal is a coarse one: 24 of 32 tensors
printed with so few decimals exceed it, and none of 3,136 clean bodies does."""

_FEW_DIGITS = 2
"""Digits that no entry of a tensor exceeds whose trace is that of so few counts."""

COUNTS = 2.5
"""Counts of the last printed decimal below which a moment has less than one significant digit."""

_DIGITS_OF_MASS = 3
"""Significant digits of a mass, without zeros at its ends, from which the numbers were measured or
computed, not guessed: 100. and 1.0 have one."""


def is_measured(mass: str) -> bool:
    """Whether a mass as printed has so many digits that it was measured or computed."""
    return count_digits(mass) >= _DIGITS_OF_MASS


def last_count(texts: Sequence[str], unit: float) -> float | None:
    """One count of the last decimal that any entry of a tensor shows [kg m^2].

    Args:
        texts: The six entries as printed.
        unit: Size of the document's unit of inertia [kg m^2].

    Returns:
        None where an entry is missing, has an exponent, or none has a decimal.
    """
    together = " ".join(texts)
    if "e" in together or "E" in together or not all(texts):
        return None
    places = [each for each in map(decimal_places, texts) if each is not None]
    if len(places) < 3 or max(places) < 1:
        return None
    return unit * float(f"1e-{max(places)}") or None


def has_lost_decimals(texts: Sequence[str], six: Iterable[float], unit: float, mass: str) -> bool:
    """Whether a tensor that a body has was printed with too few decimals to tell which.

    Half a count of the last decimal is more than COARSE of the trace, and that is no guess of a
    person: the mass was measured, or the zeros have as many decimals as the moments, as a program
    prints them. Three equal moments without products are guessed more often than printed: the
    zeros have to have the decimals, and a power of ten needs the measured mass as well. A zero with
    a minus is a number that was rounded away.

    Args:
        texts: The six entries as printed.
        six: (6,) the same as numbers [kg m^2].
        unit: Size of the document's unit of inertia [kg m^2].
        mass: The mass as printed.
    """
    for text in texts:
        if len(text) > _FEW_DIGITS and len(text.strip("-+0.")) > _FEW_DIGITS:
            return False  # a trace of at most 12 counts has no longer entry
    xx, xy, xz, yy, yz, zz = (float(each) for each in six)
    count = last_count(texts, unit)
    if count is None or not 0 < xx + yy + zz < count / 2 / COARSE:
        return False
    places = {decimal_places(text) for text in texts}
    zeros = [text for text in texts if not text.strip("-+0.")]
    padded = bool(zeros) and len(places) == 1 and max(filter(None, places)) > 1
    if padded and any(text.startswith("-") for text in zeros):
        return True
    measured = is_measured(mass)
    if not xx == yy == zz or xy or xz or yz:
        return padded or measured
    power = texts[0].strip("+0.") == "1"
    return padded and (measured or not power)


def is_padded(texts: Sequence[str]) -> bool:
    """Whether numbers have one number of decimals, and a zero at the end of one of them.

    A format such as "%.3f" prints so: 0.120, 0.000. A person leaves such zeros out.
    """
    if not any(text.endswith("0") for text in texts):
        return False
    places = set(map(decimal_places, texts))
    together = " ".join(texts)
    exponents = "e" in together or "E" in together
    return len(places) == 1 and None not in places and not exponents


@lru_cache(maxsize=4096)  # rules and causes ask it of the same few texts
def count_digits(text: str) -> int:
    """Number of significant digits of a printed number, zeros at its ends left out."""
    mantissa = text.lower().partition("e")[0]
    return len("".join(filter(str.isdigit, mantissa)).strip("0"))


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
