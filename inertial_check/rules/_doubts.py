"""Doubts about consistent bodies: all comparisons of a model, made once, and one doubt a body.

A body gets the first doubt of SCREENS that it gives rise to; the causes of the finding say what
else speaks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from weakref import WeakKeyDictionary

from inertial_check.evidence import Examination
from inertial_check.evidence.assembly import Assembly
from inertial_check.model import Body, Finding, Span
from inertial_check.rules._base import Rule, hull
from inertial_check.rules.screens import SCREENS
from inertial_check.rules.screens._base import Doubt, Where
from inertial_check.rules.screens._limits import LIMITS

_KNOWN: WeakKeyDictionary[Assembly, Mapping[int, Doubt]] = WeakKeyDictionary()


def doubts(examination: Examination) -> Mapping[int, Doubt]:
    """Find the first doubt about each suspicious body, by its index."""
    assembly = examination.assembly
    if assembly not in _KNOWN:
        found: dict[int, Doubt] = {}
        if assembly.stated.any():
            for screen in SCREENS:
                for index, doubt in screen(examination, LIMITS[examination.strictness], found):
                    found.setdefault(index, doubt)
        _KNOWN[assembly] = found
    return _KNOWN[assembly]


class DoubtRule(Rule):
    """A rule whose findings are the doubts of its code."""

    explained = True

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding a body whose doubt is this rule's."""
        for index, doubt in sorted(doubts(examination).items()):
            if doubt.code == self.code:
                body = self.model.bodies[index]
                yield self.at(_span(body, doubt.where), doubt.message, body, doubt.values)


def _span(body: Body, where: Where) -> Span:
    inertial = body.inertial
    if inertial is None:
        return body.span
    if where == "tensor":
        return hull(inertial.I_BBcm_Bi.values(), inertial.span)
    if where == "center":
        return hull(inertial.p_BoBcm_B, inertial.span)
    mass = inertial.mass
    return inertial.span if where == "inertial" or mass is None or mass.span is None else mass.span
