"""The ranking of the causes that may explain a finding, best first.

The share of a cause is its prior, times how much more often its signature is seen with it than
without (Proposal.weight), times how natural the body is that it leads to (plausibility.py), divided
by the sum over all causes and what none of them explains. Bodies of one model come the same way: a
cause that others of them have gains, one that they do not have loses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Literal

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.causes.amounts import TotalMass
from inertial_check.checking.causes.base import (
    Cause,
    Proposal,
    Subject,
    calibrate,
    edit,
    enumerate_words,
    likelihood_of_density,
    limit_confidence,
    try_together,
)
from inertial_check.checking.causes.catalogue import ALL_CAUSES
from inertial_check.checking.causes.copies import EXACT, weigh_copies
from inertial_check.checking.causes.differences import name_mistakes
from inertial_check.checking.causes.frames import pairs_of, with_units
from inertial_check.checking.causes.weighing import (
    HELD_BACK,
    VETOED,
    find_vetoes,
    naturalness,
    tidy,
    weigh_together,
)
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.evidence.likeness import find_guilt
from inertial_check.checking.report import Finding, Hypothesis
from inertial_check.documents.model import is_computable
from inertial_check.inertia import tolerances
from inertial_check.inertia.resemblance import entries, matrices

TWINS = "IC601"
"""Code of the findings on twins that differ."""

TOTAL_MASS = "IC604"
"""Code of the findings on the sum of all masses, which name no body."""

MATERIAL = "IC510"
"""Code of the finding on the parts of a model that have one assumed density."""

MOST = 5
"""Largest number of causes listed for one finding; longer lists help nobody."""

LEAST = 0.02
"""Least share of a cause that is listed."""

_UNKNOWN = 0.15
"""Prior probability of every reason that is not a cause here; with the priors of the causes it sums
to about 1."""

_ACCUSTOMED = 3.0
"""Number of bodies whose causes weigh as much as the general priors do when the bodies of a model
vote."""

_ROUNDS = 3
"""Rounds of the vote among the bodies of a model; further ones change shares by less than 0.01."""

_COMPANY = 2
"""Least number of bodies of a model with the same first cause for the evidence to mention it."""

_DOUBTFUL = 0.5
"""Total weight of the single causes, relative to the unknown, below which pairs of causes are
tried."""


_Matter = Literal["center", "tensor", "all"]
"""Numbers that a finding is about, and that its causes have to change: the centre of mass, mass and
tensor, or all."""

_MATTERS: Mapping[str, _Matter] = {
    "IC201": "center", "IC202": "center", "IC601": "all", "IC602": "all", "IC604": "all",
    "IC605": "all",
}  # fmt: skip
"""Numbers that findings are about by their codes; all others are about mass and tensor."""

_OF_CENTERS = frozenset({"com-outside", "mirror", "copied-block", "units"})
"""Causes that can displace a centre of mass; units are those of the meshes beside it."""

_Weighed = tuple[Cause, Proposal]
"""A cause and its best proposal, with the weight of all of them against the unknown."""


def explain(
    examination: Examination, findings: Sequence[Finding], codes: Collection[str]
) -> list[Finding]:
    """Give findings their probable causes.

    Args:
        examination: The model and the evidence about it.
        findings: Findings on that model.
        codes: Codes of the rules whose findings get causes.

    Returns:
        The same findings, those of the given codes with their causes: for the first MOST_EXPLAINED
        bodies.
    """
    wanted = {finding.body_id for finding in findings if finding.code in codes}
    bodies = zip(examination.model.bodies, examination.judgements, strict=True)
    told = (
        (body.id, i)
        for i, (body, judgement) in enumerate(bodies)
        # Readings of numbers near the ends of float64 overflow: no mistake is told from them.
        if body.id in wanted and is_computable(judgement)
    )
    subjects = {id_: Subject(examination, i) for id_, i in islice(told, limits.MOST_EXPLAINED)}
    matters = {_MATTERS.get(each.code, "tensor") for each in findings if each.code in codes}
    known = dict(zip(subjects, rank_all(list(subjects.values()), matters), strict=True))
    return [
        _give_causes(examination, finding, subjects.get(finding.body_id or ""), known)
        if finding.code in codes
        else finding
        for finding in findings
    ]


def _give_causes(
    examination: Examination,
    finding: Finding,
    subject: Subject | None,
    known: Mapping[str, Mapping[_Matter, tuple[Hypothesis, ...]]],
) -> Finding:
    """Return the finding with the causes of its body, or with the sentence why it has none."""
    by_matter = known.get(finding.body_id or "", {})
    causes = by_matter.get(_MATTERS.get(finding.code, "tensor"), ())
    if finding.code == TWINS and subject is not None:
        guilt = find_guilt(examination, subject.index)
        causes = tuple(each._replace(confidence=guilt * each.confidence) for each in causes)
        if guilt < limits.GUILTY:
            veto = "nothing tells which of the two sides is wrong: compare both with their source"
            causes = tuple(
                each._replace(evidence=f"{each.evidence}; {veto}", veto=each.veto or veto)
                for each in causes
            )
    if finding.code == MATERIAL:
        pro, contra = finding.values["votes"], finding.values["votes_against"]
        told = f"{finding.values['density']:.5g} kg/m^3 inside {pro} closed meshes"
        causes = (Hypothesis("density", _trust_votes(pro, contra), told),)
    elif finding.bodies:
        causes = explain_model(examination, finding)
    elif finding.code == TOTAL_MASS:
        # The bodies whose mass may be the wrong one, most probable first.
        stated = np.flatnonzero(examination.assembly.stated).tolist()
        subjects = [Subject(examination, index) for index in stated]
        cause = TotalMass()
        found = [(each, p) for each in subjects for p in cause.proposals(each)]
        total = _UNKNOWN + sum(cause.prior * p.weight for _, p in found)
        ranked = sorted(found, key=lambda one: (-one[1].weight, one[0].index))[:MOST]
        causes = tuple(
            Hypothesis(
                cause.name,
                cause.prior * p.weight / total,
                f"{each.body.name}: {p.evidence}",
                edit(each, p),
            )
            for each, p in ranked
            if cause.prior * p.weight / total >= LEAST
        )
    if causes:
        return finding._replace(causes=causes, no_cause="")
    from inertial_check.checking.causes.catalogue import say_why_none

    return finding._replace(causes=(), no_cause=say_why_none(finding, subject))


def explain_model(examination: Examination, finding: Finding) -> tuple[Hypothesis, ...]:
    """Give a finding on several bodies its causes: the readings that these have voted for.

    Args:
        examination: The model.
        finding: The finding, with the cause of its first reading in its values.

    Returns:
        The readings, most probable first, each with its share of the confidence in the vote.
    """
    bodies = examination.model.bodies
    cause, what = finding.values["cause"], finding.values["reading"]
    election = next(
        each
        for each in examination.votes.elections
        if (each[0].cause, each[0].what) == (cause, what)
    )
    first = election[0]
    pro, contra = int(np.sum(first.pro)), int(np.sum(first.contra))
    against = f"{contra} speak{'s' * (contra == 1)}" if contra else "none speaks"
    names = Counter(body.name for body in bodies)
    found = []
    for each in election:
        edits: dict[str, object] = {}
        for index in first.bodies:
            if each.changes[index]:
                body, subject = bodies[index], Subject(examination, index)
                mass, six = float(each.mass[index]), each.I_BBcm_Bi[index]
                tensor = matrices(np.where(six == subject.six, six, tidy(six)))
                changed = None if mass == subject.mass else mass
                center = None if each.centers is None else tidy(each.centers[index])
                change = edit(subject, Proposal(1.0, "", changed, center, tensor))
                if change is not None:
                    key = body.name if names[body.name] == 1 else body.id
                    edits[key] = {"entries": change["entries"]}
        evidence = f"{each.what}, {pro} bodies {first.proof}, and {against} against it"
        if each.lost and not edits:
            evidence += f"; no shapes restore the {each.lost}"
        elif each.lost:
            whose = "1 body from its" if len(edits) == 1 else f"{len(edits)} bodies from their"
            rest = len(first.bodies) - len(edits)
            others = f"; those of the other {rest} are lost" if rest else ""
            evidence += f"; the edit takes the {each.lost} of {whose} shapes{others}"
        whole = {"body": None, "entries": {}, "bodies": edits} if edits else None
        trust = _trust_votes(pro, contra)
        found.append(Hypothesis(each.cause, trust * each.share, evidence, whole))
    return tuple(found)


def _trust_votes(pro: int, contra: int) -> float:
    """Confidence in a vote of bodies, by Laplace's rule of succession."""
    return (pro + 1) / (pro + contra + 2)


def rank_all(
    subjects: Sequence[Subject], matters: Collection[_Matter]
) -> Sequence[Mapping[_Matter, tuple[Hypothesis, ...]]]:
    """Find the probable causes of several bodies of one model, best first, by what they change.

    Args:
        subjects: The bodies.
        matters: The numbers that findings are about.
    """
    if not subjects:
        return []
    causes = [cause() for cause in ALL_CAUSES]
    try_together(causes, subjects)
    weigh_together(causes, subjects)
    weighed = [_weigh(subject, causes) for subject in subjects]
    unknown = np.array([_unknown(subject) for subject in subjects])
    # Adapt the priors of the causes of each body to the causes that the other bodies have.
    general = {cause.name: cause.prior for one in weighed for cause, _ in one}
    if len(weighed) == 1:
        priors = [general]
    else:
        names = sorted(general)
        prior = np.tile([general[name] for name in names], (len(weighed), 1))
        if names:
            weight = np.zeros((len(weighed), len(names)))
            for row, one in enumerate(weighed):
                for cause, proposal in one:
                    weight[row, names.index(cause.name)] = proposal.weight
            base = prior[0]
            for _ in range(_ROUNDS):
                mass = prior * weight
                share = mass / (mass.sum(axis=1, keepdims=True) + unknown[:, None])
                others = share.sum(axis=0) - share
                prior = (_ACCUSTOMED * base + others) / (_ACCUSTOMED + len(weighed) - 1)
        priors = [dict(zip(names, row.tolist(), strict=True)) for row in prior]
    found: list[dict[_Matter, tuple[Hypothesis, ...]]] = [{} for _ in subjects]
    every = frozenset(general)
    able_of = {"all": every, "center": _OF_CENTERS, "tensor": every - {"com-outside"}}
    for matter in matters:
        able = [[each for each in one if each[0].name in able_of[matter]] for one in weighed]
        ranked = [_rank(*each) for each in zip(subjects, able, priors, unknown, strict=True)]
        first = Counter(each[0].cause for each in ranked if each)
        for told, known in zip(ranked, found, strict=True):
            known[matter] = tuple(_in_company(each, first, len(subjects)) for each in told)
    return found


def _in_company(hypothesis: Hypothesis, first: Counter[str], bodies: int) -> Hypothesis:
    """The hypothesis, with the number of bodies of the model that have the same cause first."""
    count = first[hypothesis.cause]
    if count < _COMPANY:
        return hypothesis
    shared = (
        f"; {count} of the {bodies} bodies with a finding in this model point to the same cause"
    )
    return hypothesis._replace(evidence=hypothesis.evidence + shared)


def _weigh(subject: Subject, causes: Sequence[Cause]) -> list[_Weighed]:
    """Weigh every proposal for one body; the best of a cause carries the sum of their weights.

    Args:
        subject: The body.
        causes: All causes; those that can explain no body of its kind are not asked.
    """
    able = [cause for cause in causes if subject.kind in cause.kinds]
    proposed = [(cause, p) for cause in able for p in cause.proposals(subject)]
    proposed += [*with_units(subject, proposed)]
    factors = _factors(subject, proposed)
    pairs = zip(proposed, factors, strict=True)
    single = sum(cause.prior * p.weight * factor for (cause, p), factor in pairs)
    if single < _DOUBTFUL * _unknown(subject):
        second = pairs_of(subject)
        proposed += second
        factors += _factors(subject, second)
    copied = weigh_copies(subject, proposed)
    factors = [factor * exact for factor, (exact, _) in zip(factors, copied, strict=True)]
    proposed = [
        (cause, p._replace(words=p.evidence + clause) if clause else p)
        for (cause, p), (_, clause) in zip(proposed, copied, strict=True)
    ]
    by_name = {cause.name: cause for cause in causes}
    exact = [(by_name[name], proposal) for name, proposal in name_mistakes(subject)]
    proposed += exact
    factors += [EXACT] * len(exact)
    weights = [c.prior * p.weight * f for (c, p), f in zip(proposed, factors, strict=True)]
    least = LEAST * VETOED * sum(weights)
    told = [place for place, weight in enumerate(weights) if weight >= least]
    vetoes = find_vetoes(subject, [proposed[place][1] for place in told])
    for place, veto in zip(told, vetoes, strict=True):
        cause, proposal = proposed[place]
        proposed[place] = cause, proposal._replace(veto=veto)
        factors[place] *= VETOED if veto and not cause.by_digits else 1.0
    found: dict[str, list[tuple[float, Cause, Proposal]]] = {}
    for (cause, proposal), factor in zip(proposed, factors, strict=True):
        found.setdefault(cause.name, []).append((proposal.weight * factor, cause, proposal))
    return [
        (best[1], best[2]._replace(weight=sum(weight for weight, _, _ in each)))
        for each in found.values()
        for best in (max(each, key=lambda one: one[0]),)
    ]


def _factors(subject: Subject, proposed: Sequence[tuple[Cause, Proposal]]) -> list[float]:
    """Rate how natural each mended body is: 1 where the weight of the cause contains it already."""
    factors = [1.0] * len(proposed)
    meant = [(i, p.I_BBcm_Bi, p.mass) for i, (_, p) in enumerate(proposed)]
    chosen = [(i, tensor, mass) for i, tensor, mass in meant if tensor is not None]
    if not chosen or not subject.broken:
        return factors
    rows = [i for i, _, _ in chosen]
    tensors = entries(np.stack([tensor for _, tensor, _ in chosen]))
    mass = np.array([subject.mass if mass is None else mass for _, _, mass in chosen])
    natural = naturalness(mass, tensors, subject.geometry, subject.R_BBi)
    for i, factor in zip(rows, natural.tolist(), strict=True):
        factors[i] = (factor if proposed[i][0].mends else 1.0) if factor else tolerances.UNMENDED
    return factors


def _unknown(subject: Subject) -> float:
    """Weigh the unknown for one body: less where the size is odd, because small errors keep it."""
    if not subject.broken or not subject.mass > 0:
        return _UNKNOWN
    size = np.array([np.sum(np.abs(subject.judgement.principal_moments)) / 2])
    likelihood = likelihood_of_density(np.array([subject.mass]), size)[0]
    return _UNKNOWN * float(0.2 + 0.8 * likelihood)


def _rank(
    subject: Subject, weighed: Sequence[_Weighed], priors: dict[str, float], unknown: float
) -> tuple[Hypothesis, ...]:
    """Turn proposals into hypotheses with their shares, most probable first, then by name."""
    odds = {cause.name: priors[cause.name] * proposal.weight for cause, proposal in weighed}
    total = unknown + sum(odds.values())
    ranked = sorted(weighed, key=lambda each: (-odds[each[0].name], each[0].name))
    # The causes in groups that the numbers cannot tell apart, in the order of their first.
    groups: list[list[_Weighed]] = []
    for each in ranked:
        group = next((g for g in groups if _is_tied(g[0][1], each[1])), None)
        if group is None:
            groups.append([each])
        else:
            group.append(each)
    totals = [sum(odds[cause.name] / total for cause, _ in tied) for tied in groups]
    listed: list[Hypothesis] = []
    for place, (tied, share) in enumerate(zip(groups, totals, strict=True)):
        sure = limit_confidence(groups[0][0][0].name, calibrate(totals[0], subject.broken))
        if groups[0][0][1].veto and not groups[0][0][0].by_digits:
            sure = min(sure, HELD_BACK)
        confidence = share * (1 - sure) / max(1 - totals[0], 1 - sure) if place else sure
        if confidence / len(tied) >= LEAST:
            for cause, proposal in tied:
                others = [each.name for each, _ in tied if each is not cause]
                words = enumerate_words(others, "or") if others else ""
                same = f"; the numbers cannot tell it from {words}" if others else ""
                change = edit(subject, proposal)
                against = f"; {proposal.veto}" if proposal.veto else ""
                evidence = proposal.evidence + against + same
                share_of_tied = float(proposal.guilt * confidence / len(tied))
                listed.append(
                    Hypothesis(cause.name, share_of_tied, evidence, change, proposal.veto)
                )
    return tuple(sorted(listed, key=lambda each: -each.confidence)[:MOST])


def _is_tied(one: Proposal, other: Proposal) -> bool:
    """Whether two causes mean the same body, so that no witness prefers one of them."""
    if one.gain is None or other.gain is None or one.I_BBcm_Bi is None or other.I_BBcm_Bi is None:
        return False
    if one.mass != other.mass or one.p_BoBcm_B is not None or other.p_BoBcm_B is not None:
        return False
    apart = np.max(np.abs(one.I_BBcm_Bi - other.I_BBcm_Bi))
    return bool(apart <= tolerances.SAME_MEANING * np.max(np.abs(one.I_BBcm_Bi)))
