"""The mistakes that lead from the numbers of a witness to those of a body.

A witness has the body's numbers as they were: another text, or a body with the same digits. Most
mistakes leave numbers that some body has, and show nothing; beside the numbers as they were they
are what makes one of the other, digit for digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.causes.base import (
    Meant,
    Proposal,
    Subject,
    enumerate_words,
    number,
)
from inertial_check.checking.causes.copies import (
    SHOWN,
    SOUND,
    find_differences,
    list_other_texts,
)
from inertial_check.checking.causes.text import is_rough
from inertial_check.checking.causes.weighing import gains, tidy, twin_of
from inertial_check.checking.evidence.fingerprints import (
    CENTER,
    NAMES,
    TENSOR,
    find_own_term,
    list_contradictions,
)
from inertial_check.checking.evidence.readings import EXCHANGES, list_slots, list_undone
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import symmetric
from inertial_check.inertia.resemblance import entries

_UNREFLECTED = 15.0
"""Weight of signs that are those of the body on the other side, beside the same signs by
themselves: of 25 public pairs that signs refute 14 differ by them, where a mistake that knows no
twin, which takes the axis of its mirror once in three, explains 5 or 6."""

_LEFT = 0.05
"""Part of a difference that the digits of a text may leave of it; more is another mistake."""


class _Witness(NamedTuple):
    """The numbers that a body had.

    Attributes:
        ten: (10,) mass, centre and tensor, in the body's axes [SI].
        where: The texts, or the body, that have them, or the kind of body that would.
        guilt: Probability that the body is the wrong one of the two.
        is_text: Whether it is the same body in another text.
    """

    ten: Floats
    where: str
    guilt: float
    is_text: bool = False


def name_mistakes(subject: Subject) -> Iterator[tuple[str, Proposal]]:
    """Name the mistakes that made the numbers of a body of those that its witnesses have.

    Yields:
        The name of each cause, and what it proposes: the numbers of the witness.
    """
    for ten, where, guilt, is_text in _list_witnesses(subject):
        rows = find_differences(np.array(subject.judgement.ten), ten)
        mass, I_BBcm_B = float(ten[0]), resemblance.matrices(ten[TENSOR])
        six = entries(tidy(resemblance.rotate(subject.R_BBi.T, I_BBcm_B)))
        mistakes = [*_list_mistakes(subject, ten, six, rows, where)] if rows else []
        if rows and not mistakes and is_text and not subject.broken:
            mistakes = [*_list_plain(subject, ten, rows, where)]
        if rows == [0] and not mistakes:
            # Texts alone show it: one tensor on bodies of several masses was copied.
            texts = [each.judgement.mass for each in list_other_texts(subject)]
            low, high = sorted((mass, subject.mass))
            if mass in texts and high > limits.OTHER_MASS * low:
                what = f"{where} has {number(mass)} kg beside this tensor: its mass was replaced"
                mistakes = [("mass-replaced", what)]
        if not mistakes:
            continue
        same = np.abs(six - subject.six) <= tolerances.EQUAL_TEXTS * np.max(np.abs(six))
        six = np.where(same, subject.six, six)
        C_BBcm_B = resemblance.spread(mass, I_BBcm_B)
        meant = Meant(np.array([mass]), ten[None, CENTER], C_BBcm_B[None])
        weight = SOUND if subject.broken else float(gains(subject, meant)[0])
        for cause, what in mistakes:
            yield (
                cause,
                Proposal(
                    weight * (_UNREFLECTED if cause == "mirror" else 1.0),
                    what,
                    mass=mass if rows[0] == 0 else None,
                    p_BoBcm_B=ten[CENTER] if any(0 < row < TENSOR.start for row in rows) else None,
                    I_BBcm_Bi=symmetric(six) if rows[-1] >= TENSOR.start else None,
                    guilt=guilt,
                ),
            )


def _list_witnesses(subject: Subject) -> Iterator[_Witness]:
    """List those that have other numbers of a body: texts, and bodies with its digits."""
    for others in list_other_texts(subject):
        if subject.broken or not others.older:
            count = len(others.texts)
            guilt = 1.0 if subject.broken else count / (count + 1 + others.agreeing)
            where = enumerate_words(others.texts[:SHOWN])
            yield _Witness(np.array(others.judgement.ten), where, guilt, is_text=True)
    bodies = subject.examination.model.bodies
    assembly = subject.examination.assembly
    for found in list_contradictions(assembly):
        told = subject.index in found.bodies and found.blamed in (None, subject.index)
        if told and not assembly.share_copy(*found.bodies):
            other, _, ten = found.of(subject.index)
            guilt = 0.5 if found.blamed is None and not subject.broken else 1.0
            yield _Witness(ten, bodies[other].name, guilt)
    part = find_own_term(subject.body, subject.judgement)
    if part and not subject.broken:
        ten = np.array(subject.judgement.ten)
        ten[TENSOR] -= part * subject.numbers.parallel_axis_term[0]
        yield _Witness(ten, "a body that has no products about its centre of mass", 1.0)


def _list_mistakes(
    subject: Subject, ten: Floats, six: Floats, rows: Sequence[int], where: str
) -> Iterator[tuple[str, str]]:
    """List the mistakes that made the ten numbers of a body of ten others.

    Args:
        subject: The body.
        ten: (10,) the numbers as they were, in the body's axes.
        six: (6,) the tensor among them, in the inertial's own axes.
        rows: Which of the ten differ, in order; one at least.
        where: The texts, or the body, that have the others.

    Yields:
        The name of the cause, and the mistake in a sentence.
    """
    own, changed = np.array(subject.judgement.ten), [*rows]
    names = enumerate_words([NAMES[row] for row in rows])
    twin = twin_of(subject)
    if twin is not None:
        theirs = np.array(subject.examination.judgements[twin].ten)[changed]
        largest = tolerances.COPIED_NUMBER * np.abs(ten[changed])
        if np.all((np.abs(own + ten)[changed] <= largest) & (own[changed] * theirs > 0)):
            name = subject.examination.model.bodies[twin].name
            yield "mirror", f"{names} have the signs of {name}, which {where} has mirrored"
    if rows[0] in range(1, TENSOR.start):
        return
    assembly = subject.examination.assembly
    copies = [k for k in assembly.copied_tensors.get(subject.index, ()) if k != subject.index]
    if copies and rows[0] >= TENSOR.start and not is_rough(subject):
        names_of_copies = enumerate_words([assembly.model.bodies[k].name for k in copies[:SHOWN]])
        yield "copied-block", f"the tensor is that of {names_of_copies}, and not that of {where}"
    if not np.any(own[changed]):
        yield "unpopulated", f"{names} are lost: {where} has numbers for them"
    if len(rows) == 1 and own[rows[0]] * ten[rows[0]] > 0:
        decades = np.log10(own[rows[0]] / ten[rows[0]])
        if abs(decades - np.round(decades)) <= tolerances.COPIED_WIDTH:
            times = f"{10.0 ** np.round(decades):g}"
            yield "decimal-slip", f"{names} is {times} times that of {where}"
    slack = tolerances.COPIED_NUMBER * float(np.max(np.abs(six)))
    by_rows = subject.six[list_slots(subject.examination.model.format)]
    if np.all(np.abs(by_rows - symmetric(six).ravel()[:6]) <= slack):
        what = f"the six numbers are the first of the nine, row by row, that {where} has"
        yield "component-order", what
    misread = subject.examination.find_misreading(subject.index)
    if misread is not None and not misread.of_one_entry and rows[0] >= TENSOR.start:
        what = f"the moments are those of its {misread.kind} with {misread.mistake}"
        yield "wrong-formula", f"{what}, and others in {where}"
    I_BBcm_B = resemblance.matrices(ten[TENSOR])
    apart = float(np.max(np.abs(I_BBcm_B - resemblance.matrices(own[TENSOR]))))
    slack, seen = min(slack, _LEFT * apart), {""}
    for cause, what, mass, meant in list_undone(subject.numbers):
        same = abs(mass - ten[0]) <= tolerances.COPIED_NUMBER * ten[0]
        if same and cause not in seen and np.max(np.abs(meant - I_BBcm_B)) <= slack:
            seen.add(cause)
            yield cause, f"{what}, the tensor is that of {where}"


def _list_plain(
    subject: Subject, ten: Floats, rows: Sequence[int], where: str
) -> Iterator[tuple[str, str]]:
    """List what can be said of a difference that no known mistake makes, as `_list_mistakes`."""
    own = np.array(subject.judgement.ten)
    names = enumerate_words([NAMES[row] for row in rows])
    if rows[0] > 0 and rows[-1] < TENSOR.start:
        for what, center in _list_places(subject, ten[CENTER]):
            if np.max(np.abs(center - own[CENTER])) <= tolerances.COPIED_NUMBER * np.max(
                np.abs(center)
            ):
                yield "com-outside", f"{names} of {where} {what}"
                return
    elif len(rows) == 1 and rows[0] >= TENSOR.start:
        grown = rows[0] in _DIAGONAL and own[rows[0]] > ten[rows[0]] > 0
        more, (was, now) = own[rows[0]] - ten[rows[0]], (number(x[rows[0]]) for x in (ten, own))
        if grown and not _is_one_edit(was, now):
            yield "rotor-inertia", f"{names} alone is {number(more)} kg m^2 more than in {where}"
        else:
            yield "wrong-entry", f"{names} alone is another number than in {where}, {was}"
    elif rows[0] >= TENSOR.start:
        moments, others = (np.linalg.eigvalsh(resemblance.matrices(x[TENSOR])) for x in (own, ten))
        if np.max(np.abs(moments - others)) <= tolerances.COPIED_NUMBER * np.max(others):
            yield "wrong-frame", f"the tensor is that of {where} in other axes"
            return
        factor = float(np.sum(own[TENSOR] * ten[TENSOR]) / np.sum(ten[TENSOR] ** 2))
        left = np.max(np.abs(own - factor * ten)[TENSOR])
        if factor > 0 and left <= tolerances.COPIED_NUMBER * np.max(np.abs(own[TENSOR])):
            yield "size-mismatch", f"the tensor is {number(factor)} times that of {where}"


_DIAGONAL = (TENSOR.start, TENSOR.start + 3, TENSOR.start + 5)


def _list_places(subject: Subject, p_BoBcm_B: Floats) -> Iterator[tuple[str, Floats]]:
    """List the places (3,) that a centre of mass gets from another frame, axes, signs or unit [m].

    Yields:
        What was done to it, in words, and the place.
    """
    for signs in product((1.0, -1.0), repeat=3):
        yield "with other signs", p_BoBcm_B * signs
    for turn in EXCHANGES:
        yield "in turned axes", turn @ p_BoBcm_B
    for power in (3, 2, -2, -3):
        yield f"times {10.0**power:g}", p_BoBcm_B * 10.0**power
    assembly, bodies = subject.examination.assembly, subject.examination.model.bodies
    frames = [("of the base", assembly.poses[subject.index])]
    frames.append(("of the parent", assembly.parent_poses[subject.index]))
    for child in assembly.children[subject.index]:
        frames.append((f"of {bodies[child].name}", np.linalg.inv(assembly.parent_poses[child])))
    for whose, X_FB in frames:
        yield f"in the frame {whose}", X_FB[:3, :3] @ p_BoBcm_B + X_FB[:3, 3]


def _is_one_edit(one: str, other: str) -> bool:
    """Whether one digit lost, doubled, exchanged or mistyped leads from a number to another."""
    short, long = sorted((one, other), key=len)
    pairs = zip(short, long, strict=False)
    start = next((k for k, (a, b) in enumerate(pairs) if a != b), len(short))
    a, b = short[start:], long[start:]
    if len(short) == len(long):
        return a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
    return a == b[1:]
