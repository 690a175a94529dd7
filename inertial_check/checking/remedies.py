"""The choice of what to write for a body: the numbers that its findings and their causes tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.checking.causes.base import Proposal, Subject, edit
from inertial_check.checking.causes.copies import list_differences, list_other_texts, name_texts
from inertial_check.checking.causes.weighing import I_BBcm_Bi, reflect_twin
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.evidence.twins import AGREEMENT
from inertial_check.checking.report import Finding, Hypothesis, RemedySource, Values
from inertial_check.documents.model import ENTRIES

PROBABLE = 0.6
"""Least confidence of a cause that forbids the nearest body: more probable than all else."""

PLAUSIBLE = 0.3
"""Least confidence of a cause whose numbers are taken where the nearest body is far away: of
tensors that are off by more than tolerances.MAX_CHANGE the nearest body is hardly ever meant."""

TRUSTED = 0.97
"""Least confidence of a cause, a twin or a part of the same kind whose numbers are written
without --unsafe."""

SOURCES: Mapping[str, RemedySource] = {
    "expected": "expected",
    "mirror": "twin",
    "copied-block": "sibling",
    "other-text": "sibling",
    "placeholder": "shapes",
}
"""Sources of numbers by the name of the cause; that of all others is the cause itself."""

UNWRITTEN = ("unpopulated", "placeholder", "same-number-everywhere")
"""Causes that say that the tensor was never written, so that shapes may tell it."""

OF_DIGITS = ("few-digits", "fixed-decimals")
"""Causes that name no other numbers than the nearest within the printed digits."""


class Choice(NamedTuple):
    """What the findings of a body tell to write.

    Attributes:
        source: Where the numbers come from; "nearest" where no finding tells them.
        cause: The cause that tells them, or that forbids the nearest body; None without one.
        others: Causes that were considered and not taken, one clause each.
    """

    source: RemedySource
    cause: Hypothesis | None
    others: tuple[str, ...]

    @property
    def trusted(self) -> bool:
        """Whether the numbers are written without --unsafe, however far they are."""
        sure = self.cause is not None and self.cause.confidence >= TRUSTED
        return self.source == "expected" or (self.source in ("cause", "twin", "sibling") and sure)


def choose(
    name: str,
    id_: str,
    findings: Sequence[Finding],
    broken: bool,
    is_near: Callable[[], bool],
) -> Choice:
    """Choose where the numbers of a body come from.

    Args:
        name: Name of the body.
        id_: Its id.
        findings: All findings that concern it.
        broken: Whether it cannot exist as written, so that an expected mass alone is no remedy.
        is_near: Tells whether the nearest body is within the largest change that is made unasked;
            asked where no cause decides.

    Returns:
        The choice; its source is "hand" where a probable cause names no numbers, or a veto speaks
        against them.
    """
    first = [each.causes[0] for each in findings if each.causes]
    entries = {id(each): find_entries(each, name, id_) for each in first}
    if broken:
        tensors = [each for each in first if not entries[id(each)].keys().isdisjoint(ENTRIES)]
        first = [each for each in first if each.cause != "expected" or each in tensors]
    known = {each.cause: each for finding in findings for each in finding.causes}
    first.sort(key=lambda each: (each.cause != "expected", -each.confidence))
    best = next((each for each in first if each.cause not in OF_DIGITS), None)
    told = [each for each in first if entries[id(each)] and not each.veto]
    taken = next(iter(told), None)
    if best is not None and best.confidence >= PROBABLE and best is not taken:
        taken = None if taken is None or taken.confidence < PROBABLE else taken
        source: RemedySource = "hand" if taken is None else "cause"
    elif taken is None or (
        taken.confidence < PROBABLE and (taken.confidence < PLAUSIBLE or is_near())
    ):
        taken, source = None, "nearest"
    else:
        source = "cause"
    if taken is not None:
        source = (taken.edit or {}).get("source") or SOURCES.get(taken.cause, "cause")
    others = (each for each in known.values() if taken is None or each.cause != taken.cause)
    clauses = tuple(
        f"{each.cause} ({100 * each.confidence:.0f} %)" + (f": {each.veto}" if each.veto else "")
        for each in others
    )
    return Choice(source, taken if source != "hand" else best, clauses)


def find_entries(hypothesis: Hypothesis, name: str, id_: str) -> Mapping[str, float]:
    """The entries that a cause would write for a body; none where it has no edit of it."""
    edit = hypothesis.edit or {}
    bodies = edit.get("bodies", {})
    own = bodies.get(name, bodies.get(id_, {})) if bodies else edit
    entries: Mapping[str, float] = own.get("entries", {})
    return entries


def tell_by_twins(examination: Examination, findings: Sequence[Finding]) -> list[Finding]:
    """Findings on bodies without an inertia, with the numbers of their twins as the edit.

    The twin has the same mass, and its centre of mass, reflected as the other twins of the model
    are, is that of the body.
    """
    model, judgements = examination.model, [*examination.judgements]
    if not any(_is_empty(each) for each in findings):
        return [*findings]
    assembly = examination.assembly
    pairs = [pair for two in assembly.twins for pair in (two, two[::-1])]
    empty = {each.body_id for each in findings if _is_empty(each)}
    twins = {
        body: twin
        for body, twin in pairs
        if model.bodies[body].id in empty and assembly.stated[twin]
    }
    # How the axes of the two stand is told as if the body had the numbers of its twin.
    for body, twin in twins.items():
        own = judgements[body]
        judgements[body] = judgements[twin]._replace(mass=own.mass, p_BoBcm_B=own.p_BoBcm_B)
    filled = Examination(model, judgements)
    told: dict[str, tuple[Values, str]] = {}
    for body, twin in twins.items():
        row = filled.assembly.twin_row(body)
        if row is None or not filled.assembly.twin_pairs.known[row]:
            continue
        subject = Subject(filled, body)
        center, C_BBcm_B = reflect_twin(subject, twin)
        away = np.linalg.norm(center - subject.p_BoBcm_B) / filled.assembly.size[twin]
        if away > AGREEMENT or filled.assembly.twin_pairs.mass[row] > 1 + AGREEMENT:
            continue
        tensor = I_BBcm_Bi(subject, subject.mass, C_BBcm_B)
        meant = edit(Subject(examination, body), Proposal(1.0, "", None, None, tensor))
        if meant is not None:
            twin_name = model.bodies[twin].name
            told[model.bodies[body].id] = {**meant, "source": "twin"}, twin_name
    mended = []
    for finding in findings:
        found = told.get(finding.body_id or "") if _is_empty(finding) else None
        if found is not None:
            first, rest = finding.causes[0], finding.causes[1:]
            head, gap, rest_of = first.evidence.partition("; ")
            evidence = f"{head}, but {found[1]}, its twin, has the numbers{gap}{rest_of}"
            first = first._replace(evidence=evidence, edit=found[0])
            mended.append(finding._replace(causes=(first, *rest)))
        else:
            mended.append(finding)
    return mended


def tell_by_texts(examination: Examination, findings: Sequence[Finding]) -> list[Finding]:
    """Findings on bodies whose tensor was never written, with that of another text as the edit.

    The other text has the same mass and centre of mass, and a tensor that a body can have.
    """
    places = {body.id: at for at, body in enumerate(examination.model.bodies)}

    def tell(finding: Finding) -> Finding:
        first = next(iter(finding.causes), None)
        place = places.get(finding.body_id or "")
        if first is None or first.cause not in UNWRITTEN or place is None:
            return finding
        subject = Subject(examination, place)
        found = list_other_texts(subject)
        own = subject.judgement
        if len(found) != 1 or not list_differences(own, found[0].judgement) <= {*ENTRIES}:
            return finding
        tensor = found[0].express_tensor(subject)
        meant = edit(subject, Proposal(1.0, "", None, None, tensor))
        if meant is None:
            return finding
        evidence = f"{first.evidence}; {name_texts(found[0].texts)} the numbers"
        first = first._replace(evidence=evidence, edit={**meant, "source": "sibling"})
        return finding._replace(causes=(first, *finding.causes[1:]))

    return [tell(finding) for finding in findings]


def _is_empty(finding: Finding) -> bool:
    """Whether the first cause of a finding is that nothing was written."""
    first = next(iter(finding.causes), None)
    return first is not None and first.cause == "unpopulated" and first.edit is None
