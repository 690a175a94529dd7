"""Digits that were not printed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import Cause, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes._wording import enumerate_words
from inertial_check.evidence.assembly import STATED
from inertial_check.evidence.decimals import COUNTS, has_lost_decimals, last_count
from inertial_check.inertia.printed import decimal_places, explained_by_digits, half_units
from inertial_check.model import ENTRIES


class FewDigits(Cause):
    """The numbers were rounded, or cut off, to too few digits.

    ## What happened
    A tensor near the edge of what a body can have, as of a plate or a tube, was printed with few
    digits: each entry moved by up to half a unit of its last, and the sum of two no longer reaches
    the third.

    ## How it is recognised
    Some body has numbers that print the same (the verdict is rounding); or would, if digits had
    been cut off and not rounded, which moves them by a whole unit.

    ## Example
        <mass value="1.5"/>
        <inertia ixx="0.0021" ixy="0" ixz="0" iyy="0.0034" iyz="0" izz="0.0056"/>

    ## What undoes it
    More digits from the source. `inertial-check fix` writes the nearest tensor that a body has.

    ## What people search for
    "inertia must satisfy A + B >= C; use 'balanceinertia' to fix" (MuJoCo, whose tolerance is
    zero); "Bad inertia tensor properties, setting inertia to zero" (PyBullet).

    ## References
    The theory page, "The box of printed digits".
    """

    name, prior = "few-digits", 0.15
    kinds = frozenset({"impossible", "other"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """That more digits were there; not which."""
        if subject.judgement.verdict not in ("rounding", "inconsistent") or _negative(subject):
            return
        radii = _radii(subject)
        if not np.any(radii):
            return
        rounded = subject.judgement.verdict == "rounding"
        if not rounded and not _within(subject, 2 * radii):
            return
        least = min(_count_digits(text) for text, r in zip(subject.texts, radii, strict=True) if r)
        unit = "half a unit" if rounded else "one unit, as where digits were cut off,"
        yield Proposal(
            30.0 if rounded else 3.0,
            f"within {unit} of the last printed digits, of which the shortest entry has {least}, "
            f"there is a body (margin as printed {subject.judgement.margin:.2g})",
            editable=False,
        )


class FixedDecimals(Cause):
    """The numbers were printed with a fixed number of decimals, too few for such small ones.

    ## What happened
    "%.3f" and its like: 0.0004 became 0.000, 0.0016 became 0.002. For a light link the numbers
    are a few counts of the last decimal, or none.

    ## How it is recognised
    No entry has a digit beyond the k-th decimal, the smallest moment of inertia is two counts or
    less, and within one count of each entry there is a body. Where all six are 0, a body of that
    mass has to be so light that they would be. A tensor that some body has shows it too, where half
    a count is more than 4 % of its trace, nothing has an exponent, and the zeros have as many
    decimals as the moments, or the mass has three digits. A zero with a minus is a number that was
    rounded away.

    ## Example
        <mass value="0.3"/>
        <inertia ixx="0.001" ixy="0.000" ixz="0.000" iyy="0.003" iyz="0.001" izz="0.005"/>

    ## What undoes it
    The numbers with more decimals, or with an exponent.

    ## What people search for
    "inertia must satisfy A + B >= C; use 'balanceinertia' to fix" and "mass and inertia of moving
    bodies must be larger than mjMINVAL" (MuJoCo).

    ## References
    The theory page, "The box of printed digits".
    """

    name, prior = "fixed-decimals", 0.08

    _COARSE, _ROUNDED_AWAY = 1e3, 1e4
    """Likelihood ratios of coarse decimals in a tensor that some body has: nine of ten planted ones
    have them, and four of 3,288 clean bodies; with a zero with a minus beside them, none."""

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Propose that decimals were lost; which ones, nothing tells."""
        judgement = subject.judgement
        if judgement.verdict in ("rounding", "inconsistent") or judgement.numerically_zero:
            yield from self._of_no_body(subject)
        elif judgement.verdict in STATED:
            yield from self._of_a_body(subject)

    def _of_no_body(self, subject: Subject) -> Iterator[Proposal]:
        """Propose lost decimals where no body has the tensor as printed."""
        if not all(subject.texts) or _negative(subject):
            return
        decimals = [decimal_places(text) for text in subject.texts]
        known = [d for d in decimals if d is not None]
        if not known or len(known) < 3 or max(known) < 1:
            return
        places = max(known)
        unit = subject.body.unit * float(f"1e-{places}")
        if not unit:  # so many decimals that one count of the last is below float64
            return
        if not np.any(subject.six) and _usual_moment(subject.mass) > COUNTS * unit:
            return
        least = float(np.min(np.abs(subject.six[[0, 3, 5]])))
        if least > COUNTS * unit:
            return
        if subject.broken and not _within(subject, np.full(6, unit)):
            return
        together = len(set(known)) == 1
        names = [ENTRIES[i] for i in (0, 3, 5) if abs(subject.six[i]) == least]
        yield Proposal(
            (60.0 if together else 15.0) * (0.3 if "e" in "".join(subject.texts).lower() else 1.0),
            f"no entry has more than {places} decimals, and {enumerate_words(names)} is "
            f"{least / unit:.0f} counts of the last; within one count of each there is a body",
            editable=False,
        )

    def _of_a_body(self, subject: Subject) -> Iterator[Proposal]:
        """Propose lost decimals where some body has the tensor as printed."""
        inertial, unit = subject.body.inertial, subject.body.unit
        mass = "" if inertial is None or inertial.mass is None else inertial.mass.text
        if not has_lost_decimals(subject.texts, subject.judgement.I_BBcm_Bi, unit, mass):
            return
        count = last_count(subject.texts, unit)
        if count is None:
            return
        least = float(np.min(subject.six[[0, 3, 5]]))
        negative = any(text.startswith("-") and not float(text) for text in subject.texts)
        yield Proposal(
            self._ROUNDED_AWAY if negative else self._COARSE,
            f"no entry has a digit below {count / unit:.0e}, so that the smallest moment is "
            f"{least / count:.0f} of the last printed counts and half a count is "
            f"{50 * count / np.sum(subject.six[[0, 3, 5]]):.0f} % of the trace, while the mass has "
            f"the digits {mass}"
            + ("; a zero with a minus is a number that was rounded away" if negative else ""),
            editable=False,
        )


def _radii(subject: Subject) -> Floats:
    """(6,) half a unit of the last digit of each entry as printed [kg m^2]."""
    if not all(subject.texts):
        return np.zeros(6)
    return np.array(half_units(subject.texts)) * subject.body.unit


def _usual_moment(mass: float) -> float:
    """Moment of inertia of a cube with the density of water [kg m^2]."""
    return float(mass * (mass / 1000) ** (2 / 3) / 6)


def _negative(subject: Subject) -> bool:
    """Whether a moment is printed with a minus, which rounding does not add."""
    return bool(np.any(subject.six[[0, 3, 5]] < 0))


def _within(subject: Subject, radii: Floats) -> bool:
    """Whether there is a body in that box around the tensor.

    A spread moves by less than the radii sum to: where more is missing, no box is looked into.
    """
    low, middle, high = subject.judgement.principal_moments
    missing = (high - low - middle) / 2
    return bool(missing < np.sum(radii) and explained_by_digits(subject.six[None], radii[None])[0])


def _count_digits(text: str) -> str:
    """How many significant digits a text shows, with the noun."""
    count = len([c for c in text.lower().partition("e")[0].lstrip("+-0.") if c.isdigit()])
    return f"{count} digit{'s' if count != 1 else ''}"
