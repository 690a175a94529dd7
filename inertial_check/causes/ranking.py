"""Which causes explain a finding, best first."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from inertial_check.causes._base import Subject, edit
from inertial_check.model import Examination, Finding, Hypothesis


def explained(
    examination: Examination, findings: Sequence[Finding], codes: Collection[str]
) -> list[Finding]:
    """The findings with their probable causes.

    Args:
        examination: The model that they are about.
        findings: On that model.
        codes: Of the rules for whose findings causes are sought.
    """
    indices = {body.id: index for index, body in enumerate(examination.model.bodies)}
    known: dict[int, tuple[Hypothesis, ...]] = {}
    result = []
    for finding in findings:
        index = indices.get(finding.body_id or "")
        if index is None or finding.code not in codes:
            result.append(finding)
            continue
        if index not in known:
            known[index] = hypotheses(Subject(examination, index))
        result.append(finding._replace(causes=known[index]))
    return result


def hypotheses(subject: Subject) -> tuple[Hypothesis, ...]:
    """The probable causes of what is wrong with one body, most probable first."""
    from inertial_check.causes import ALL_CAUSES

    weighed = [
        (cause.prior * proposal.weight, cause, proposal)
        for cause in ALL_CAUSES
        for proposal in cause().proposals(subject)
    ]
    total = 1.0 + sum(weight for weight, _, _ in weighed)
    ranked = sorted(weighed, key=lambda each: -each[0])
    return tuple(
        Hypothesis(cause.name, weight / total, proposal.evidence, edit(subject, proposal))
        for weight, cause, proposal in ranked
    )
