"""The causes of a finding on a whole model: its readings, with the edits of all its bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.checking.causes.base import Proposal, Subject, edit
from inertial_check.checking.causes.weighing import tidy
from inertial_check.checking.evidence.digits import find_coarse_decimals, restore_digits
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.evidence.votes import Flags, find_sorted_moments, restore_axes
from inertial_check.checking.report import Finding, Hypothesis
from inertial_check.inertia import resemblance
from inertial_check.inertia.arrays import Floats


def explain_model(examination: Examination, finding: Finding) -> tuple[Hypothesis, ...]:
    """Give a finding on several bodies its causes: the readings that these have voted for.

    Args:
        examination: The model.
        finding: The finding; its values name the readings, with the share of each among them, and
            the votes.

    Returns:
        The readings, most probable first. The confidence in the vote is that of Laplace's rule of
        succession: after p votes for and c against it is (p + 1) / (p + c + 2).
    """
    values = finding.values
    pro, contra = int(values["votes"]), int(values["votes_against"])
    trust = (pro + 1) / (pro + contra + 2)
    ballots = {ballot.reading.what: ballot for ballot in examination.votes.ballots}
    places = {body.id: index for index, body in enumerate(examination.model.bodies)}
    chosen = [places[id_] for id_ in finding.body_ids]
    found = []
    for what, share in values["readings"].items():
        ballot = ballots.get(what)
        cause = values["cause"] if ballot is None else ballot.reading.cause
        meant = (
            _read_pattern(examination, cause)
            if ballot is None
            else _Meant(ballot.reading.mass, ballot.reading.I_BBcm_Bi, ballot.changes)
        )
        edits = _edits(examination, meant, chosen)
        against = f"{contra} speak{'s' * (contra == 1)}" if contra else "none speaks"
        evidence = f"{what}, {pro} bodies {values['proof']}, and {against} against it"
        if ballot is None:
            # The end of the evidence: which part of the lost numbers the shapes of the bodies
            # restore.
            count = len(chosen)
            bodies = edits["bodies"] if edits else {}
            restored = len(bodies) if isinstance(bodies, Mapping) else 0
            lost = "axes" if cause == "sorted-principal-moments" else "digits"
            if not restored:
                restored_ = f"; no shapes restore the {lost}"
            else:
                others = (
                    "" if restored == count else f"; those of the other {count - restored} are lost"
                )
                bodies_text = (
                    "1 body from its" if restored == 1 else f"{restored} bodies from their"
                )
                restored_ = f"; the edit takes the {lost} of {bodies_text} shapes{others}"
            evidence += restored_
        found.append(Hypothesis(cause, trust * share, evidence, edits))
    return tuple(found)


class _Meant(NamedTuple):
    """Numbers that were meant, of all bodies of a model.

    Attributes:
        mass: (N,) [kg].
        I_BBcm_Bi: (N, 6) tensors in the inertials' own axes [kg m^2].
        changes: (N,) bodies of which they are known.
    """

    mass: Floats
    I_BBcm_Bi: Floats
    changes: Flags


def _read_pattern(examination: Examination, cause: str) -> _Meant | None:
    """Numbers that shapes restore where a mistake lost a part of them; None without such a part."""
    votes = examination.votes
    if cause == "sorted-principal-moments":
        found = find_sorted_moments(votes)
        if found is not None:
            return _Meant(votes.mass, restore_axes(votes, found.pro), found.pro)
    elif cause == "fixed-decimals":
        coarse = find_coarse_decimals(votes)
        if coarse is not None:
            return _Meant(votes.mass, *restore_digits(votes, coarse))
    return None


def _edits(
    examination: Examination, meant: _Meant | None, chosen: Sequence[int]
) -> Mapping[str, object] | None:
    """The entries that change, of each body that a finding concerns."""
    if meant is None:
        return None
    bodies = examination.model.bodies
    names = Counter(body.name for body in bodies)
    edits: dict[str, object] = {}
    for index in chosen:
        body, subject = bodies[index], Subject(examination, index)
        if not meant.changes[index]:
            continue
        mass, six = float(meant.mass[index]), meant.I_BBcm_Bi[index]
        tensor = resemblance.matrices(np.where(six == subject.six, six, tidy(six)))
        change = edit(
            subject, Proposal(1.0, "", None if mass == subject.mass else mass, None, tensor)
        )
        if change is not None:
            key = body.name if names[body.name] == 1 else body.id
            edits[key] = {"entries": change["entries"]}
    return {"body": None, "entries": {}, "bodies": edits} if edits else None
