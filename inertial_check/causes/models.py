"""The causes of a finding on a whole model: its readings, with the edits of all its bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from inertial_check.causes._base import Proposal, Subject, edit
from inertial_check.causes._witnesses import tidy
from inertial_check.evidence import Examination
from inertial_check.evidence.votes import Ballot
from inertial_check.inertia import resemblance
from inertial_check.model import Finding, Hypothesis


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
        edits = None if ballot is None else _edits(examination, ballot, chosen)
        against = f"{contra} speak{'s' * (contra == 1)}" if contra else "none speaks"
        evidence = f"{what}, {pro} bodies {values['proof']}, and {against} against it"
        found.append(Hypothesis(cause, trust * share, evidence, edits))
    return tuple(found)


def _edits(
    examination: Examination, ballot: Ballot, chosen: Sequence[int]
) -> Mapping[str, object] | None:
    """The entries that a reading changes, of each body that it concerns."""
    bodies = examination.model.bodies
    names = Counter(body.name for body in bodies)
    edits: dict[str, object] = {}
    for index in chosen:
        body, subject = bodies[index], Subject(examination, index)
        if not ballot.changes[index]:
            continue
        mass = float(ballot.reading.mass[index])
        meant = ballot.reading.I_BBcm_Bi[index]
        tensor = resemblance.matrices(np.where(meant == subject.six, meant, tidy(meant)))
        change = edit(
            subject, Proposal(1.0, "", None if mass == subject.mass else mass, None, tensor)
        )
        if change is not None:
            key = body.name if names[body.name] == 1 else body.id
            edits[key] = {"entries": change["entries"]}
    return {"body": None, "entries": {}, "bodies": edits} if edits else None
