"""Edits of one of two bodies with equal digits: a sign, a power of ten, a slot, a digit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inertial_check.checking.evidence.assembly import Assembly
from inertial_check.checking.evidence.digits import count_digits
from inertial_check.checking.evidence.fingerprints import NAMES
from inertial_check.documents.model import ENTRIES, Body, Model, Number, judge

REMAINING = 11
"""Digits that two bodies have to share beside any two of their numbers: fewer say nothing."""

SEEN = 2e-3
"""Least part of the largest number of its kind that an edit has to change."""

Texts = dict[int, str]


class Site(NamedTuple):
    """A body with a twin of equal digits.

    Attributes:
        index: Of the body.
        twin: Index of the other.
        third: Whether a third body agrees with both.
    """

    index: int
    twin: int
    third: bool


def read(body: Body) -> list[Number]:
    """The ten numbers of a body, in the order of NAMES."""
    inertial = body.inertial
    assert inertial is not None
    assert inertial.mass is not None
    return [inertial.mass, *inertial.p_BoBcm_B, *(inertial.I_BBcm_Bi[key] for key in ENTRIES)]


def list_sites(model: Model) -> Iterator[Site]:
    """Bodies whose magnitudes, all ten in place, are those of another, with digits that tell."""
    groups: dict[tuple[float, ...], list[int]] = {}
    judgements = judge(model)
    stated = Assembly(model, judgements).stated
    for index, (body, judgement) in enumerate(zip(model.bodies, judgements, strict=True)):
        inertial = body.inertial
        if not stated[index] or inertial is None or len(inertial.I_BBcm_Bi) < len(ENTRIES):
            continue
        if inertial.R_BBi == ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            ten = judgement.mass, *judgement.p_BoBcm_B, *judgement.I_BBcm_B
            groups.setdefault(tuple(map(abs, ten)), []).append(index)
    for ten, group in groups.items():
        texts = [number.text for number in read(model.bodies[group[0]])]
        told = {abs(x): min(count_digits(t), 6) for x, t in zip(ten, texts, strict=True) if x}
        digits = sorted(told.values())
        if len(group) > 1 and sum(digits[:-2]) >= REMAINING:
            for place, index in enumerate(group):
                yield Site(index, group[place - 1], len(group) > 2)


def plant(model: Model, site: Site, change: str, rng: np.random.Generator) -> Model | None:
    """The model with one edit of a body; None where there is nothing to edit, or to see."""
    numbers = read(model.bodies[site.index])
    values = np.array([number.value for number in numbers])
    largest = np.array(
        [values[0], *[np.max(np.abs(values[1:4]))] * 3, *[np.max(np.abs(values[4:]))] * 6]
    )
    long = [row for row in range(10) if count_digits(numbers[row].text) >= 3]
    seen = [row for row in long if abs(values[row]) > SEEN * largest[row]]
    if not seen:
        return None
    texts = CHANGES[change](int(rng.choice(seen)), [each.text for each in numbers], rng)
    new = [
        each._replace(text=texts[row], value=float(texts[row]) * (each.value / float(each.text)))
        if row in texts and float(each.text)
        else each
        for row, each in enumerate(numbers)
    ]
    after = np.array([each.value for each in new])
    counts = [0.1 ** (len(each.text.partition(".")[2].partition("e")[0])) for each in new]
    changed = np.abs(np.abs(after) - np.abs(values))
    if not texts or (change == "digit" and np.all(changed <= np.maximum(SEEN * largest, counts))):
        return None
    inertial = model.bodies[site.index].inertial
    assert inertial is not None
    inertial = inertial._replace(
        mass=new[0],
        p_BoBcm_B=(new[1], new[2], new[3]),
        I_BBcm_Bi=dict(zip(ENTRIES, new[4:], strict=True)),
    )
    bodies = list(model.bodies)
    bodies[site.index] = bodies[site.index]._replace(inertial=inertial)
    return replace(model, bodies=tuple(bodies))


def _negate(row: int, texts: list[str], rng: np.random.Generator) -> Texts:
    text = texts[row]
    return (
        {}
        if NAMES[row] in ("mass", "ixx", "iyy", "izz")
        else {row: text[1:] if text[0] == "-" else f"-{text}"}
    )


def _shift(row: int, texts: list[str], rng: np.random.Generator) -> Texts:
    return {row: f"{float(texts[row]) * 10.0 ** rng.choice([-2, -1, 1, 2, 3]):.12g}"}


def _exchange(row: int, texts: list[str], rng: np.random.Generator) -> Texts:
    kind = range(1, 4) if row < 4 else range(4, 10)
    own = abs(float(texts[row]))
    others = [each for each in kind if abs(float(texts[each])) not in (own, 0.0)]
    if not row or not others:
        return {}
    other = int(rng.choice(others))
    return {row: texts[other], other: texts[row]}


def _mistype(row: int, texts: list[str], rng: np.random.Generator) -> Texts:
    if NAMES[row] in ("x", "y", "z"):
        return {}  # another origin of the link explains it
    text = texts[row]
    first = next(place for place, digit in enumerate(text) if digit in "123456789")
    digit = str(rng.choice([each for each in "123456789" if each != text[first]]))
    return {row: text[:first] + digit + text[first + 1 :]}


CHANGES: dict[str, Callable[[int, list[str], np.random.Generator], Texts]] = {
    "sign": _negate,
    "power": _shift,
    "slot": _exchange,
    "digit": _mistype,
}
"""Edits by name; each gives the new texts of a body by their places in NAMES."""
