"""Doubts about consistent bodies: all comparisons of a model, made once.

A body gets the first doubt of SCREENS that it gives rise to, and a later one where it rests on
other evidence than those before it: the amount of mass, its centre, and the form of the tensor can
be wrong independently. The causes of a finding say what else speaks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.evidence.assembly import Assembly
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.limits import LIMITS, Limits
from inertial_check.checking.report import Finding, Severity
from inertial_check.checking.rules.base import (
    Doubt,
    Doubts,
    FoundDoubts,
    Rule,
    Where,
    hull,
    is_explained,
)
from inertial_check.checking.rules.shapes import (
    box_densities,
    centers,
    densities,
    forms,
    placeholders,
    repetitions,
    sizes,
)
from inertial_check.checking.rules.siblings import copies, lost_decimals, twins
from inertial_check.documents.model import ENTRIES

SCREENS: tuple[Callable[[Examination, Limits, FoundDoubts], Doubts], ...] = (
    lost_decimals,
    placeholders,
    repetitions,
    copies,
    centers,
    sizes,
    densities,
    box_densities,
    forms,
    twins,
)
"""Comparisons in the order in which they are made, the plainest first: a body keeps the first
doubt on each evidence."""


_KNOWN: WeakKeyDictionary[Assembly, Mapping[str, Sequence[tuple[int, Doubt]]]] = WeakKeyDictionary()

_EXPLAINED = frozenset({"IC502", "IC503", "IC504", "IC505"})
"""Codes of the doubts that a reading of the whole model explains."""

_ONLY_FORM = frozenset({"sign-of-products", "wrong-frame", "sorted-principal-moments"})
"""Causes that leave the trace of a tensor as it is, and so explain no doubt about a size."""

_NAMES: Mapping[Where, tuple[str, ...]] = {
    "mass": ("mass",),
    "center": ("x", "y", "z"),
    "tensor": ENTRIES,
    "inertial": ("mass", *ENTRIES),
}
"""Names of the numbers that a doubt is about."""


def doubts(examination: Examination) -> Mapping[str, Sequence[tuple[int, Doubt]]]:
    """Find the doubts about suspicious bodies by their codes, each with the index of its body.

    No two doubts about a body rest on one evidence.
    """
    assembly = examination.assembly
    if assembly not in _KNOWN:
        found: dict[int, list[Doubt]] = {}
        if assembly.stated.any():
            for screen in SCREENS:
                for index, doubt in screen(examination, LIMITS[examination.strictness], found):
                    if not is_explained(found, index, doubt.evidence, doubt.weak):
                        kept = [
                            each
                            for each in found.get(index, ())
                            if not each.evidence & doubt.evidence
                        ]
                        found[index] = [*kept, doubt]
        found = _heed_the_model(examination, found)
        by_code: dict[str, list[tuple[int, Doubt]]] = {}
        for index, each in sorted(found.items()):
            for doubt in each:
                by_code.setdefault(doubt.code, []).append((index, doubt))
        _KNOWN[assembly] = by_code
    return _KNOWN[assembly]


def _heed_the_model(
    examination: Examination, found: Mapping[int, Sequence[Doubt]]
) -> dict[int, list[Doubt]]:
    """The doubts about single bodies that the whole model leaves.

    A doubt that a reading of the model explains is not repeated. A reading of one body that all
    others contradict is a note, unless its fit is near exact.
    """
    explained: dict[int, set[str]] = {}
    for reading, *_ in examination.votes.elections:
        # One count of the last decimal, on all three moments, looks like a placeholder, and
        # different parts come to share a tensor.
        also = {"IC307", "IC501", "IC602", "IC603"} if reading.cause == "fixed-decimals" else set()
        kept = {"IC502", "IC503"} if reading.cause in _ONLY_FORM else set()
        for index in reading.bodies:
            explained.setdefault(index, set()).update(_EXPLAINED - kept | also)
    left: dict[int, list[Doubt]] = {}
    for index, every in found.items():
        for doubt in every:
            if doubt.code in explained.get(index, ()):
                continue
            cause, rest = doubt.values.get("cause"), doubt.values.get("nearest")
            weak = False
            if cause is not None and isinstance(rest, float) and rest > limits.NEAR_EXACT:
                weak = any(
                    int(np.sum(each.contra)) >= limits.CONTRADICTED * max(int(np.sum(each.pro)), 1)
                    for each in examination.votes.forms
                    if each.cause == cause
                )
            left.setdefault(index, []).append(doubt._replace(weak=True) if weak else doubt)
    return left


class DoubtRule(Rule):
    """A rule whose findings are the doubts of its code."""

    explained = True

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """The findings on bodies with a doubt of this code; notes where the evidence is weak."""
        yield from find_doubts(self, examination)


def find_doubts(rule: Rule, examination: Examination) -> Iterator[Finding]:
    """Find the bodies with a doubt of a rule's code; notes where the evidence is weak."""
    for index, doubt in doubts(examination).get(rule.code, ()):
        body = rule.model.bodies[index]
        where, inertial, span = doubt.where, body.inertial, body.span
        if inertial is not None:
            span = inertial.span
            if where == "tensor":
                span = hull(inertial.I_BBcm_Bi.values(), span)
            elif where == "center":
                span = hull(inertial.p_BoBcm_B, span)
            elif where == "mass" and inertial.mass is not None:
                span = inertial.mass.span or span
        about = _NAMES[where]
        finding = rule.at(span, doubt.message, body, doubt.values, about=about)
        yield finding._replace(severity=Severity.NOTE) if doubt.weak else finding
