"""Bodies whose equal digits refute each other: which one is told, and in which words."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from inertial_check.checking import limits as _limits
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.evidence.fingerprints import (
    NAMES,
    OF_TERM,
    PRODUCTS,
    Contradiction,
    contradict_texts,
    find_lost_product,
    find_own_term,
    list_contradictions,
)
from inertial_check.checking.limits import Limits
from inertial_check.checking.rules.base import (
    Doubt,
    Doubts,
    FoundDoubts,
    contradict_shapes,
    count_noun,
    name_some,
)
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.tolerances import TURNED_COPY

_ORDER = {"places": 0, "power": 1, "signs": 2, "entry": 3, "tensor": 4}
"""Order in which the differences of one body from several others are told, the plainest first."""


_MOMENTS = frozenset(NAMES.index(name) for name in ("ixx", "iyy", "izz"))
"""Rows of the ten numbers that are below 0 in no body."""


def contradictions(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
    """Bodies whose equal digits refute those of another."""
    assembly, bodies = examination.assembly, examination.model.bodies
    told: dict[int, list[tuple[Contradiction, str]]] = {}
    for each in list_contradictions(assembly):
        sound = [i for i in each.bodies if examination.judgements[i].verdict != "inconsistent"]
        if len(sound) == 1 and each.blamed in (None, *sound):
            continue  # whatever others have, the one that no body can have is wrong: its error
        if each.kind == "signs" and len(sound) < 2 and {*each.entries[0]} <= _MOMENTS:
            continue  # a moment below 0 is an error by itself
        blamed, reason = each.blamed, "; the digits do not tell which of the two is wrong"
        if blamed is not None:
            further = count_noun(each.witnesses, "other body", "other bodies")
            agree = "agrees" if each.witnesses == 1 else "agree"
            reason = f"; {further} {agree} with that one" if each.witnesses else ""
            reason = reason or "; no body has the numbers of this one"
            # Many copies outvote the body that the numbers were made for; its shapes know it.
            if contradict_shapes(examination, blamed) <= _limits.SHAPE_FIT:
                (blamed,) = (index for index in each.bodies if index != blamed)
                reason = "; the shapes of that one fit its own numbers"
        else:
            worse = np.array([contradict_shapes(examination, index) for index in each.bodies])
            low, high = float(np.min(worse)), float(np.max(worse))
            clear = high > _limits.BLAME * max(low, _limits.SHAPE_FIT)
            if clear and high - low > _limits.BLAME_LEAST:
                blamed = each.bodies[int(np.argmax(worse))]
                reason = "; its shapes fit the other's numbers, not its own"
        for index in each.bodies if blamed is None else (blamed,):
            told.setdefault(index, []).append((each, reason))
    for index, found in sorted(told.items()):
        sides = [each.of(index) for each, _ in found]
        if all(set(rows) == {0} for _, rows, _ in sides) and len({m[0] for _, _, m in sides}) > 1:
            continue  # one tensor on several masses, which IC603 tells
        first, reason = min(found, key=lambda one: (_ORDER[one[0].kind], len(one[0].entries[0])))
        others = [bodies[each.of(index)[0]].name for each, _ in found]
        other, rows, meant = first.of(index)
        judgement = examination.judgements[index]
        own = np.array(judgement.ten)
        values: dict[str, object] = {
            "others": others,
            "difference": first.kind,
            "meant": {NAMES[row]: float(meant[row]) for row in rows},
        }
        message = _describe(first, bodies[other].name, rows, own, meant) + reason
        if len(others) > 1:
            rest = name_some([name for name in others if name != bodies[other].name])
            message += f"; likewise beside {rest}"
        yield index, Doubt("IC605", "inertial", message, values)
    yield from _contradict_alone(examination, told)


def _contradict_alone(examination: Examination, told: Collection[int]) -> Doubts:
    """Bodies that their own products refute, or several files beside the document, which agree.

    By files not those that are nearer to their shapes, or equal to their twins, as they are.
    """
    assembly, asked = examination.assembly, examination.changed_bodies.difference(told)
    elsewhere = examination.elsewhere if examination.read_elsewhere is not None else None
    for index in sorted(asked.intersection(np.flatnonzero(assembly.stated).tolist())):
        body, judgement = examination.model.bodies[index], examination.judgements[index]
        part = find_own_term(body, judgement)
        # What runs through the model is told once.
        readings = examination.votes.elections if part else ()
        of_all = {each.cause for each, *_ in readings if index in each.bodies}
        if part and of_all.isdisjoint(OF_TERM[part]):
            products = [(NAMES[row], judgement.ten[row]) for row in PRODUCTS if judgement.ten[row]]
            what = (
                "those that a body without any about its centre has about the link's origin"
                if part > 0
                else "left where the parallel-axis term is subtracted from a tensor that lacks it"
            )
            message = (
                f"its products of inertia are, digit for digit, {what}: "
                f"{', '.join(f'{name} {value:.6g}' for name, value in products)}"
            )
            yield index, Doubt("IC605", "tensor", message, {"difference": "term", "part": part})
            continue
        lost = find_lost_product(body, judgement)
        if lost:
            products = [(NAMES[row], judgement.ten[row]) for row in PRODUCTS if row != lost]
            message = (
                f"its {NAMES[lost]} is 0 beside "
                f"{' and '.join(f'{name} {value:.6g}' for name, value in products)}: a plane of "
                "symmetry leaves one product, and a body without any has three"
            )
            yield index, Doubt("IC605", "tensor", message, {"difference": "lost"})
            continue
        others = elsewhere.find_others(body, judgement) if elsewhere is not None else ()
        found = contradict_texts(body, judgement, others) if others else None
        if found is None:
            continue
        texts, contradiction = found
        _, rows, meant = contradiction.of(0)
        # One that was mended alone is nearer to its shapes, or to its twin, than the others.
        own = contradict_shapes(examination, index)
        if own <= _limits.SHAPE_FIT or own < contradict_shapes(examination, index, meant):
            continue
        row = assembly.twin_row(index)
        if row is not None:
            pairs = assembly.twin_pairs
            signs = contradiction.kind == "signs"
            apart = np.max(pairs.offsets[row]) if signs else pairs.apart[row]
            if max(apart, pairs.mass[row] - 1) <= TURNED_COPY:
                continue
        ten = np.array(judgement.ten)
        values: dict[str, object] = {
            "texts": list(texts),
            "difference": contradiction.kind,
            "meant": {NAMES[row]: float(meant[row]) for row in rows},
        }
        message = _describe(contradiction, name_some(texts), rows, ten, meant)
        yield index, Doubt("IC605", "inertial", f"{message}; these agree on it", values)


def _describe(
    found: Contradiction, other: str, rows: tuple[int, ...], own: Floats, meant: Floats
) -> str:
    """One sentence that anyone can check with the two blocks before them."""
    pairs = [f"{NAMES[row]} {own[row]:.6g} and {meant[row]:.6g}" for row in rows]
    listed = ", ".join(pairs)
    if found.kind == "signs":
        names = " and ".join(NAMES[row] for row in rows)
        return (
            f"it has the digits of {other} in all ten numbers, but no mirror image or turn of one "
            f"part gives both their signs: with the other sign of {names} one would"
        )
    if found.kind == "places":
        return (
            f"it has the digits of {other}, some of them in other places than any mirror image or "
            f"turn of one part puts them: here and as {other} asks for them, {listed}"
        )
    if found.kind == "power":
        return (
            f"it has the digits of {other}, with another power of ten: here and as {other} asks "
            f"for it, {listed}"
        )
    if found.kind == "entry":
        return f"it has the digits of {other}, but for {listed} here and there"
    return (
        f"it has mass and centre of mass of {other} to the last digit, which one tensor belongs "
        f"to, and another tensor: {listed} here and there"
    )
