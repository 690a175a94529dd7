"""The numbers that a probable cause of a finding says were meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inertial_check.checking.check import check_model
from inertial_check.errors import UsageError
from inertial_check.fixing.case import (
    BROKEN,
    CENTER,
    MASS,
    WHOLE,
    Case,
    Proposal,
    percent,
)
from inertial_check.fixing.digits import exactly
from inertial_check.fixing.moving import Terms
from inertial_check.fixing.obstacles import complaint, unreachable
from inertial_check.formats import Context
from inertial_check.model import ENTRIES, Finding, Hypothesis, Model, Number, Severity
from inertial_check.settings.settings import Settings

_PASSES = (*WHOLE, "rounding")
"""Verdicts that a body may have once a cause is undone: digits that were too few stay so."""

Findings = Mapping[str, tuple[Finding, ...]]


@dataclass(frozen=True)
class Causes:
    """Undoes the same cause, by its place among the probable ones, of every body.

    Attributes:
        number: Which cause, from 1.
        settings: Of the check that tells the causes.
        terms: How large the changes may be.
        findings: On the model as it is, by the body's id.
    """

    number: int
    settings: Settings
    terms: Terms
    findings: Findings

    @classmethod
    def of(
        cls, model: Model, number: int, terms: Terms, context: Context, tolerance: float
    ) -> Causes:
        """The probable causes of what is wrong with the bodies of a model.

        Raises:
            UsageError: Causes are counted from 1.
        """
        if number < 1:
            raise UsageError(f"cause is {number}; causes are counted from 1, the most probable")
        settings = Settings(context=context, tolerance=tolerance)
        return cls(number, settings, terms, _explained(model, settings))

    def proposal(self, case: Case, chosen: bool) -> Proposal:
        """What the cause says was meant, over what is written.

        Args:
            case: The body.
            chosen: Whether it was asked for, so that it is said if no cause is known.
        """
        findings = self.findings.get(case.body.id, ())
        if (malformed := complaint(case)) is not None:
            return case.left(*malformed)
        if not (findings or chosen or case.judgement.verdict in BROKEN):
            return case.left("unchanged")
        hypotheses = findings[0].causes if findings else ()
        if len(hypotheses) < self.number:
            return case.left("no-such-cause", _known(hypotheses))
        return self._undone(case, hypotheses[self.number - 1])

    def _undone(self, case: Case, hypothesis: Hypothesis) -> Proposal:
        cause, wanted = hypothesis.cause, (hypothesis.edit or {}).get("entries", {})
        if not wanted:
            reason = f"{cause}: {hypothesis.evidence}; which numbers undo it cannot be told"
            return case.left("cause-without-edit", reason, cause=cause)
        numbers = case.numbers
        texts = {
            name: exactly(wanted[name], numbers[name].text if name in numbers else "0")
            for name in (MASS, *CENTER, *ENTRIES)
            if name in wanted
        }
        texts = {name: text for name, text in texts.items() if _differs(numbers.get(name), text)}
        if not texts:
            reason = f"{cause}: {hypothesis.evidence}; what it says was meant is what is written"
            return case.left("cause-without-edit", reason, cause=cause)
        if (obstacle := unreachable(case, texts)) is not None:
            return case.left(*obstacle, cause=cause)
        if len(case.body.inertial.I_BBcm_Bi if case.body.inertial else ()) < len(ENTRIES):
            return case.left("unwritten", "some of its six numbers are not written", cause=cause)
        moves = case.moves(texts)
        told = ", ".join(f"{name} {numbers[name].text} -> {texts[name]}" for name in texts)
        change = moves["relative_change"]
        if self.terms.forbid(change):
            reason = (
                f"{cause}: {told}; its inertia would change by {percent(change)}, more than "
                f"{percent(self.terms.max_change)}; --unsafe does it"
            )
            return case.left("needs-unsafe", reason, cause=cause, **moves)
        reason = f"{cause}: {told}; its inertia changes by {percent(change)}"
        return Proposal(case.result("fixed", reason, cause=cause, **moves), texts, strict=False)

    def objections(self, again: Model, moved: Mapping[str, Proposal]) -> dict[str, str]:
        """Bodies that are no better for what was written, by id, and why.

        The worst of what was said of it and has causes is to be gone, no error may have come, and
        what is written must be a body.
        """
        report = check_model(again, self.settings)
        verdicts = {body.id: body.judgement.verdict for body in report.bodies}
        reasons = {}
        for id_, proposal in moved.items():
            findings = self.findings.get(id_, ())
            worst = max(finding.severity for finding in findings)
            before = {finding.code for finding in findings if finding.severity == worst}
            left = [
                finding
                for finding in report.findings
                if finding.body_id == id_
                and (finding.code in before or finding.severity is Severity.ERROR)
            ]
            if left:
                why = f"{left[0].code} {left[0].message}"
            elif verdicts[id_] not in _PASSES:
                why = f"it would be {verdicts[id_]}"
            else:
                continue
            told = proposal.result.reason.partition(";")[0]
            reasons[id_] = f"{told} would not do: {why}"
        return reasons


def _differs(number: Number | None, text: str) -> bool:
    """Whether a text says another number; whoever computed it may have rounded it."""
    return number is None or float(text) != number.value


def _explained(model: Model, settings: Settings) -> Findings:
    """The findings that have causes, by the body's id."""
    found: dict[str, tuple[Finding, ...]] = {}
    for finding in check_model(model, settings).findings:
        if finding.body_id is not None and finding.causes:
            found[finding.body_id] = (*found.get(finding.body_id, ()), finding)
    return found


def _known(hypotheses: tuple[Hypothesis, ...]) -> str:
    if not hypotheses:
        return "no cause of it is known"
    names = ", ".join(f"{i} {each.cause}" for i, each in enumerate(hypotheses, 1))
    return f"its probable causes are {names}"
