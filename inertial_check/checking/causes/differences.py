"""The mistakes that lead from the numbers of a witness to those of a body.

A witness has the body's numbers as they were: another text, or a body with the same digits. Most
mistakes leave numbers that some body has, and show nothing; beside the numbers as they were they
are what makes one of the other, digit for digit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from inertial_check.checking.causes.base import Meant, Proposal, Subject, enumerate_words
from inertial_check.checking.causes.copies import SHOWN, SOUND, list_other_texts
from inertial_check.checking.causes.weighing import gains, tidy, twin_of
from inertial_check.checking.evidence.fingerprints import (
    CENTER,
    NAMES,
    TENSOR,
    list_contradictions,
)
from inertial_check.checking.evidence.readings import list_undone
from inertial_check.documents.model import Judgement
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats, LongIntegers
from inertial_check.inertia.representations import ORDERS, Order, symmetric
from inertial_check.inertia.resemblance import entries

_UNREFLECTED = 3.0
"""Weight of signs that are those of the body on the other side, beside the same signs by
themselves: a mistake that knows no twin takes the axis of its mirror once in three."""

_LEFT = 0.05
"""Part of a difference that the digits of a text may leave of it; more is another mistake."""


class _Witness(NamedTuple):
    """The numbers that a body had.

    Attributes:
        ten: (10,) mass, centre and tensor, in the body's axes [SI].
        where: The texts, or the body, that have them.
        guilt: Probability that the body is the wrong one of the two.
    """

    ten: Floats
    where: str
    guilt: float


def name_mistakes(subject: Subject) -> Iterator[tuple[str, Proposal]]:
    """Name the mistakes that made the numbers of a body of those that its witnesses have.

    Yields:
        The name of each cause, and what it proposes: the numbers of the witness.
    """
    own = _read_ten(subject.judgement)
    for ten, where, guilt in _list_witnesses(subject):
        off = np.abs(own - ten)
        for kind in (slice(0, 1), CENTER, TENSOR):
            off[kind] -= tolerances.SAME_READING * np.max(np.abs(ten[kind]))
        rows = np.flatnonzero(off > 0)
        mistakes = [*_list_mistakes(subject, own, ten, rows, where)] if len(rows) else []
        if not mistakes:
            continue
        mass, I_BBcm_B = float(ten[0]), resemblance.matrices(ten[TENSOR])
        six = entries(tidy(resemblance.rotate(subject.R_BBi.T, I_BBcm_B)))
        same = np.abs(six - subject.six) <= tolerances.EQUAL_TEXTS * np.max(np.abs(six))
        six = np.where(same, subject.six, six)
        C_BBcm_B = resemblance.spread(mass, I_BBcm_B)
        meant = Meant(np.array([mass]), ten[None, CENTER], C_BBcm_B[None])
        weight = SOUND if subject.broken else float(gains(subject, meant)[0])
        for cause, what, factor in mistakes:
            yield (
                cause,
                Proposal(
                    weight * factor,
                    what,
                    mass=mass if rows[0] == 0 else None,
                    p_BoBcm_B=ten[CENTER] if any(0 < row < TENSOR.start for row in rows) else None,
                    I_BBcm_Bi=symmetric(six) if rows[-1] >= TENSOR.start else None,
                    guilt=guilt,
                ),
            )


def _read_ten(judgement: Judgement) -> Floats:
    """(10,) mass, centre and tensor of a body, in its axes."""
    return np.array([judgement.mass, *judgement.p_BoBcm_B, *judgement.I_BBcm_B])


def _list_witnesses(subject: Subject) -> Iterator[_Witness]:
    """List those that have other numbers of a body: texts, and bodies with its digits."""
    for others in list_other_texts(subject):
        if subject.broken or not others.older:
            count = len(others.texts)
            guilt = 1.0 if subject.broken else count / (count + 1 + others.agreeing)
            yield _Witness(
                _read_ten(others.judgement), enumerate_words(others.texts[:SHOWN]), guilt
            )
    bodies = subject.examination.model.bodies
    for found in list_contradictions(subject.examination.assembly):
        if subject.index in found.bodies and found.blamed in (None, subject.index):
            other, _, ten = found.of(subject.index)
            guilt = 0.5 if found.blamed is None and not subject.broken else 1.0
            yield _Witness(ten, bodies[other].name, guilt)


def _list_mistakes(
    subject: Subject, own: Floats, ten: Floats, rows: LongIntegers, where: str
) -> Iterator[tuple[str, str, float]]:
    """List the mistakes that made the ten numbers of a body of ten others.

    Args:
        subject: The body.
        own: (10,) its numbers.
        ten: (10,) the numbers as they were.
        rows: Which of them differ, one at least.
        where: The texts, or the body, that have the others.

    Yields:
        The name of the cause, the mistake in a sentence, and a factor on its weight.
    """
    twin = twin_of(subject)
    if twin is not None:
        theirs = _read_ten(subject.examination.judgements[twin])
        largest = tolerances.COPIED_NUMBER * np.abs(theirs[rows])
        copied = np.abs(own - theirs)[rows] <= largest
        if np.all(copied & (np.abs(own + ten)[rows] <= largest)):
            words = enumerate_words([NAMES[row] for row in rows])
            name = subject.examination.model.bodies[twin].name
            what = f"{words} have the signs of {name}, which {where} has mirrored"
            yield "mirror", what, _UNREFLECTED
    if rows[0] in range(1, TENSOR.start):
        return
    if not np.any(own[rows]):
        words = enumerate_words([NAMES[row] for row in rows])
        yield "unpopulated", f"{words} are lost: {where} has numbers for them", 1.0
    if len(rows) == 1 and own[rows[0]] * ten[rows[0]] > 0:
        decades = np.log10(own[rows[0]] / ten[rows[0]])
        if abs(decades - np.round(decades)) <= tolerances.COPIED_WIDTH:
            what = f"{NAMES[rows[0]]} is {10.0 ** np.round(decades):g} times that of {where}"
            yield "decimal-slip", what, 1.0
    nine = resemblance.matrices(ten[TENSOR]).ravel()
    order: Order = "mujoco" if subject.examination.model.format == "mjcf" else "urdf"
    slots = [ORDERS["urdf"].index(entry) for entry in ORDERS[order]]
    slack = tolerances.COPIED_NUMBER * float(np.max(np.abs(nine)))
    if np.all(np.abs(own[TENSOR][slots] - nine[:6]) <= slack):
        what = f"the six numbers are the first of the nine, row by row, that {where} has"
        yield "component-order", what, 1.0
    misread = subject.examination.find_misreading(subject.index)
    if misread is not None and not misread.of_one_entry and rows[0] >= TENSOR.start:
        what = f"the moments are those of its {misread.kind} with {misread.mistake}"
        yield "wrong-formula", f"{what}, and others in {where}", 1.0
    meant, written = resemblance.matrices(ten[TENSOR]), resemblance.matrices(own[TENSOR])
    slack = min(
        tolerances.COPIED_NUMBER * np.max(np.abs(meant)), _LEFT * np.max(np.abs(meant - written))
    )
    seen = {""}
    for cause, what, mass, I_BBcm_B in list_undone(subject.numbers):
        same = abs(mass - ten[0]) <= tolerances.COPIED_NUMBER * ten[0]
        if same and cause not in seen and np.max(np.abs(I_BBcm_B - meant)) <= slack:
            seen.add(cause)
            yield cause, f"{what}, the tensor is that of {where}", 1.0
