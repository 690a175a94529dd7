"""Doubts about consistent bodies: all comparisons of a model, made once.

A body gets the first doubt of SCREENS that it gives rise to, and a later one where it rests on
other evidence than those before it: the amount of mass, its centre, and the form of the tensor can
be wrong independently. The causes of a finding say what else speaks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

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
from inertial_check.checking.rules.model import CommonReading, find_common_readings, heed_the_model
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
_COMMON: WeakKeyDictionary[Assembly, tuple[CommonReading, ...]] = WeakKeyDictionary()

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
        found = heed_the_model(examination, found, common_readings(examination))
        by_code: dict[str, list[tuple[int, Doubt]]] = {}
        for index, each in sorted(found.items()):
            for doubt in each:
                by_code.setdefault(doubt.code, []).append((index, doubt))
        _KNOWN[assembly] = by_code
    return _KNOWN[assembly]


def common_readings(examination: Examination) -> tuple[CommonReading, ...]:
    """The readings of the whole model that its bodies have voted for."""
    assembly = examination.assembly
    if assembly not in _COMMON:
        _COMMON[assembly] = find_common_readings(examination)
    return _COMMON[assembly]


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
        where = doubt.where
        inertial = body.inertial
        if inertial is None:
            span_ = body.span
        elif where == "tensor":
            span_ = hull(inertial.I_BBcm_Bi.values(), inertial.span)
        elif where == "center":
            span_ = hull(inertial.p_BoBcm_B, inertial.span)
        else:
            mass = inertial.mass
            span_ = (
                inertial.span
                if where == "inertial" or mass is None or mass.span is None
                else mass.span
            )
        span, about = span_, _NAMES[doubt.where]
        finding = rule.at(span, doubt.message, body, doubt.values, about=about)
        yield finding._replace(severity=Severity.NOTE) if doubt.weak else finding
