"""The remedies of a model: what `fix` writes unless told otherwise, and what every report shows.

The numbers of each body are chosen from its findings (checking.remedies), written with the other
remedies of the model, and the model is checked as a whole. A remedy that leaves its findings, or
brings new ones, is withdrawn: of several, the one that is least sure goes first, because of two
twins that differ only one has to change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from inertial_check.checking.check import FINDINGS_ONLY, check_model, recheck
from inertial_check.checking.remedies import OF_DIGITS, PROBABLE, Choice, choose
from inertial_check.checking.report import Finding, Severity
from inertial_check.documents.model import ENTRIES, Model, judge
from inertial_check.errors import UsageError
from inertial_check.fixing.methods import (
    PASSES,
    CauseMethod,
    EngineTargets,
    GeometryMethod,
    NearestMethod,
    propose_added_mass,
    undo_cause,
)
from inertial_check.fixing.request import (
    BROKEN,
    MOMENTS,
    Case,
    FixRequest,
    Method,
    Proposal,
    Texts,
    format_percent,
    group_by_body,
)
from inertial_check.inertia.intervals import half_units

_OF_PAIRS = ("IC601", "IC602", "IC603")
"""Codes of findings on one body beside another: where both change, neither need be wrong."""

_MOST_TRIALS = 8
"""Largest number of checks of one model in which one remedy is withdrawn at a time; after these
all that do not hold are withdrawn together."""


class Prescription(NamedTuple):
    """What is chosen for a body, beside the proposal of its numbers.

    Attributes:
        choice: Where the numbers come from.
        confidence: Probability that they were meant.
        safe: Whether they are written without --unsafe.
    """

    choice: Choice
    confidence: float
    safe: bool


def choose_method(model: Model, request: FixRequest, targets: EngineTargets) -> Method:
    """The method that a request asks for, ready for the bodies of a model.

    Raises:
        UsageError: An unknown role of shapes, or a cause that is not counted from 1.
    """
    if request.cause is not None:
        if request.cause < 1:
            raise UsageError(
                f"cause is {request.cause}; causes are counted from 1, the most probable"
            )
        grouped = group_by_body(
            finding for finding in request.find_findings(model) if finding.causes
        )
        return CauseMethod(
            request.cause, request, {id_: tuple(own) for id_, own in grouped.items()}
        )
    if request.method == "geometry":
        return GeometryMethod(model, request, targets)
    if request.method == "nearest" or request.aimed:
        return NearestMethod(request, targets)
    return RemedyMethod(model, request, targets)


class RemedyMethod(Method):
    """Gives bodies what their findings tell, or else the nearest body.

    Attributes:
        prescribed: What is chosen for each body that has a proposal, by its id.
        texts: The new texts of its numbers, by its id.
        burdened: Ids of bodies that keep as many findings as they have, if milder ones.
        after: Code, and id of the body, of each finding that the model keeps with what is proposed.
    """

    def __init__(self, model: Model, request: FixRequest, targets: EngineTargets) -> None:
        self.prescribed: dict[str, Prescription] = {}
        self.texts: dict[str, Texts] = {}
        self._request = request
        self.tries = request.examination is not None
        self._insistent = replace(request, unsafe=True)
        self._nearest = NearestMethod(self._insistent, targets)
        broken = any(each.verdict in BROKEN for each in request.judge(model))
        asked = broken or request.all_remedies or request.bodies or request.select
        self._by_body = group_by_body(request.find_findings(model) if asked else ())
        self.burdened: set[str] = set()
        self._trials = 0
        self.after = {(each.code, id_) for id_, own in self._by_body.items() for each in own}
        self._before = self.after

    def propose(self, case: Case, chosen: bool) -> Proposal:
        """Propose the numbers that the findings tell, and the nearest added mass of a fluid."""
        return propose_added_mass(case, self._propose_rigid(case, chosen), self._request)

    def _propose_rigid(self, case: Case, chosen: bool) -> Proposal:
        findings = self._by_body.get(case.body.id, ())
        broken = case.judgement.verdict in BROKEN
        wanted = broken or (findings and (chosen or self._request.all_remedies))
        # No mistake explains written moments beside one that is a default.
        implied = any(n.span is None for name, n in case.numbers.items() if name in MOMENTS)
        if not wanted or implied or case.find_malformed_text() is not None:
            return self._nearest.propose_rigid(case)
        nearest = self._nearest.propose_rigid(case) if broken else case.skip("unchanged")
        change = nearest.result.relative_change
        near = not broken or bool(nearest.texts and change <= self._request.allowed_change)
        choice = choose(case.body.name, case.body.id, findings, near)
        cause = choice.cause
        if cause is not None and choice.source == "hand":
            reason = f"{cause.cause} ({100 * cause.confidence:.0f} %): {cause.evidence}; "
            reason += cause.veto or "which numbers undo it cannot be told"
            return case.skip("cause-without-edit", reason, cause=cause.cause)
        if cause is not None:
            proposal = undo_cause(case, cause, self._insistent)
            if proposal.texts or cause.confidence >= PROBABLE:
                limit = (
                    ""
                    if self._request.max_change is None
                    else self._request.explain_limit("inertia", proposal.result.relative_change)
                )
                sure = choice.trusted and not limit
                return self._admit(case, proposal, choice, cause.confidence, sure)
        if not nearest.texts:
            return nearest
        choice = choice._replace(source="nearest", cause=None)
        within = _is_within_digits(case, nearest)
        causes = findings[0].causes if findings else ()
        doubt = sum(each.confidence for each in causes if each.cause not in OF_DIGITS)
        return self._admit(
            case, nearest, choice, 1.0 if within else max(0.0, 1.0 - doubt), within or near
        )

    def _admit(
        self, case: Case, proposal: Proposal, choice: Choice, confidence: float, safe: bool
    ) -> Proposal:
        """Note what is chosen for a body; without --unsafe, leave what is not sure enough."""
        if not proposal.texts:
            return proposal
        result = replace(proposal.result, source=choice.source, confidence=confidence)
        self.prescribed[case.body.id] = Prescription(choice, confidence, safe)
        self.texts[case.body.id] = proposal.texts
        if safe or self._request.unsafe:
            return replace(proposal, result=result)
        if choice.source == "nearest":
            change, limit = result.relative_change, self._request.allowed_change
            why = f"its moments would change by {format_percent(change)}, more than "
            why += f"{format_percent(limit)}; --unsafe does it"
        else:
            why = f"{result.reason}; {100 * confidence:.0f} % sure; --unsafe writes it"
        return Proposal(replace(result, status="needs-unsafe", reason=why))

    def find_objections(self, again: Model, changing: Mapping[str, Proposal]) -> dict[str, str]:
        """Bodies whose remedies do not hold, by id, and why: a check of the whole model tells.

        The findings that told a remedy must be gone, none may be new, and the body must be one that
        can exist.
        """
        if not changing or not self._by_body:
            return {}
        examination, settings = self._request.examination, self._request.check_settings
        judgements = judge(again, self._request.tolerance)
        if examination is None:
            findings: Sequence[Finding] = check_model(again, settings, FINDINGS_ONLY).findings
        else:
            findings = recheck(examination, again, judgements, settings)
        after = group_by_body(findings)
        self.after = {(each.code, id_) for id_, own in after.items() for each in own}
        verdicts = {b.id: j.verdict for b, j in zip(again.bodies, judgements, strict=True)}
        reasons: dict[str, str] = {}
        pairs: set[str] = set()
        for id_, proposal in changing.items():
            before = [each for each in self._by_body.get(id_, ()) if not each.bodies]
            left = [each for each in after.get(id_, ()) if not each.bodies]
            known = {each.code for each in before}
            new = [each for each in left if each.code not in known]
            broken = any(each.fix is not None for each in before)
            worse = len(left) > len(before) or any(each.severity is Severity.ERROR for each in new)
            if left and (worse or (len(left) == len(before) and not broken)):
                told = (new or left)[0]
                reasons[id_] = f"{proposal.edits or proposal.result.reason}, would not do: "
                reasons[id_] += f"{told.code} {told.message}"
                pairs |= {id_} if told.code in _OF_PAIRS else set()
            elif verdicts[id_] not in PASSES:
                reasons[id_] = f"it would be {verdicts[id_]}"
            elif left and len(left) == len(before):
                self.burdened.add(id_)
        strangers = sorted(code for code, id_ in self.after - self._before if id_ not in changing)
        if strangers and not reasons:
            least = min(changing, key=self._sureness)
            reasons[least] = f"another body would get {strangers[0]}"
        self._trials += 1
        if pairs and pairs == reasons.keys() and self._trials < _MOST_TRIALS:
            least = min(pairs, key=self._sureness)
            reasons = {least: reasons[least]}
        elif self._trials < _MOST_TRIALS:
            reasons = {id_: why for id_, why in reasons.items() if id_ not in pairs} or reasons
        for id_ in reasons:
            self.prescribed.pop(id_, None)
        return reasons

    def _sureness(self, id_: str) -> float:
        return self.prescribed[id_].confidence if id_ in self.prescribed else 0.0


def _is_within_digits(case: Case, proposal: Proposal) -> bool:
    """Whether new entries differ from the old by no more than half a unit of the last digits."""
    old = [number.text for number in case.entries]
    new = [proposal.texts.get(entry, text) for entry, text in zip(ENTRIES, old, strict=True)]
    return all(
        abs(Decimal(after) - Decimal(before)) <= Decimal(half)
        for after, before, half in zip(new, old, half_units(old), strict=True)
    )
