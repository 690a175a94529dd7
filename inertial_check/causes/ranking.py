"""Which causes explain a finding, best first.

The share of a cause is its prior, times how much more often its signature is seen with it than
without (Proposal.weight), times how natural the body is that it leads to (plausibility.py), divided
by the sum over all causes and what none of them explains. Bodies of one model come the same way: a
cause that others of them have gains, one that they do not have loses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import Cause, Proposal, Subject, edit, entries, try_together
from inertial_check.causes.compounds import pairs_of, with_units
from inertial_check.causes.plausibility import density_likelihood, naturalness
from inertial_check.evidence import Examination
from inertial_check.model import Finding, Hypothesis

MOST = 5
"""Causes of one finding: who has to read more has been told nothing."""

LEAST = 0.02
"""A cause with a smaller share is left out."""

_UNKNOWN = 0.15
"""Prior of everything that is no cause here; together with theirs it makes about 1."""

_ACCUSTOMED = 3.0
"""Bodies whose causes weigh as much as the priors do: the fourth counts for more than they."""

_ROUNDS = 3
"""Of the agreement among the bodies of a model; further ones change shares by less than 0.01."""

_COMPANY = 2
"""Bodies of a model with the same cause first, from which on it is worth a word."""

_DOUBTFUL = 0.5
"""Where all single causes together weigh less than this, per unknown, two are tried at once."""

_MENDED = 1e-3
"""What is left of a cause whose edit leaves a body broken."""


class _Weighed(NamedTuple):
    """A proposal with its weight against the unknown, its prior left out."""

    cause: str
    prior: float
    weight: float
    proposal: Proposal


def explained(
    examination: Examination, findings: Sequence[Finding], codes: Collection[str]
) -> list[Finding]:
    """The findings with their probable causes.

    Args:
        examination: The model that they are about.
        findings: On that model.
        codes: Of the rules for whose findings causes are sought.
    """
    wanted = {finding.body_id for finding in findings if finding.code in codes}
    if not wanted:
        return list(findings)
    bodies = enumerate(examination.model.bodies)
    subjects = {body.id: Subject(examination, i) for i, body in bodies if body.id in wanted}
    known = dict(zip(subjects, hypotheses(list(subjects.values())), strict=True))
    return [
        finding._replace(causes=known.get(finding.body_id or "", ()))
        if finding.code in codes
        else finding
        for finding in findings
    ]


def hypotheses(subjects: Sequence[Subject]) -> list[tuple[Hypothesis, ...]]:
    """The probable causes of what is wrong with each of some bodies of a model, best first."""
    from inertial_check.causes import ALL_CAUSES

    causes = [cause() for cause in ALL_CAUSES]
    try_together(causes, subjects)
    weighed = [_weighed(subject, causes) for subject in subjects]
    unknown = np.array([_unknown(subject) for subject in subjects])
    agreed = _agreed(weighed, unknown)
    ranked = [_ranked(*each) for each in zip(subjects, weighed, agreed, unknown, strict=True)]
    first = Counter(each[0].cause for each in ranked if each)
    return [tuple(_in_company(each, first, len(subjects)) for each in one) for one in ranked]


def _in_company(hypothesis: Hypothesis, first: Counter[str], bodies: int) -> Hypothesis:
    """The hypothesis, with the number of bodies of the model that have the same cause first."""
    count = first[hypothesis.cause]
    if count < _COMPANY:
        return hypothesis
    told = f"; of the {bodies} bodies here that want a cause {count} have this one first"
    return hypothesis._replace(evidence=hypothesis.evidence + told)


def _weighed(subject: Subject, causes: Sequence[Cause]) -> list[_Weighed]:
    """Every proposal for one body; for each cause the best counts with the sum of its own."""
    proposed = [(cause, p) for cause in causes for p in cause.proposals(subject)]
    proposed += [*with_units(subject, proposed)]
    factors = _factors(subject, proposed)
    pairs = zip(proposed, factors, strict=True)
    told = sum(cause.prior * p.weight * factor for (cause, p), factor in pairs)
    if told < _DOUBTFUL * _unknown(subject):
        second = pairs_of(subject)
        proposed += second
        factors += _factors(subject, second)
    found: dict[str, list[tuple[float, Cause, Proposal]]] = {}
    for (cause, proposal), factor in zip(proposed, factors, strict=True):
        found.setdefault(cause.name, []).append((proposal.weight * factor, cause, proposal))
    return [
        _Weighed(name, best[1].prior, sum(weight for weight, _, _ in each), best[2])
        for name, each in found.items()
        for best in (max(each, key=lambda one: one[0]),)
    ]


def _factors(subject: Subject, proposed: Sequence[tuple[Cause, Proposal]]) -> list[float]:
    """How natural each mended body is; 1 where the cause says so itself, little if not mended."""
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
        factors[i] = (factor if proposed[i][0].mends else 1.0) if factor else _MENDED
    return factors


def _unknown(subject: Subject) -> float:
    """What no cause explains: less often a size that is odd, which errors of a percent leave."""
    if not subject.broken or not subject.mass > 0:
        return _UNKNOWN
    size = np.array([np.sum(np.abs(subject.judgement.principal_moments)) / 2])
    return _UNKNOWN * float(0.2 + 0.8 * density_likelihood(np.array([subject.mass]), size)[0])


def _agreed(weighed: Sequence[Sequence[_Weighed]], unknown: Floats) -> list[dict[str, float]]:
    """Priors of each body's causes, after those that the other bodies of the model have.

    Shares are computed from the priors, and priors from the shares of the others, by turns: the
    posterior mean of the model's own mixture of causes, each body left out of its own.
    """
    names = sorted({each.cause for one in weighed for each in one})
    general = {each.cause: each.prior for one in weighed for each in one}
    prior = np.tile([general[name] for name in names], (len(weighed), 1))
    if len(weighed) > 1 and names:
        weight = np.zeros((len(weighed), len(names)))
        for row, one in enumerate(weighed):
            for each in one:
                weight[row, names.index(each.cause)] = each.weight
        for _ in range(_ROUNDS):
            mass = prior * weight
            share = mass / (mass.sum(axis=1, keepdims=True) + unknown[:, None])
            others = share.sum(axis=0) - share
            base = np.array([general[name] for name in names])
            prior = (_ACCUSTOMED * base + others) / (_ACCUSTOMED + len(weighed) - 1)
    return [dict(zip(names, row.tolist(), strict=True)) for row in prior]


def _ranked(
    subject: Subject, weighed: Sequence[_Weighed], priors: dict[str, float], unknown: float
) -> tuple[Hypothesis, ...]:
    """Hypotheses with their shares, most probable first, then by name."""
    total = unknown + sum(priors[each.cause] * each.weight for each in weighed)
    ranked = sorted(weighed, key=lambda each: (-priors[each.cause] * each.weight, each.cause))
    return tuple(
        Hypothesis(each.cause, float(share), each.proposal.evidence, edit(subject, each.proposal))
        for each in ranked[:MOST]
        if (share := priors[each.cause] * each.weight / total) >= LEAST
    )
