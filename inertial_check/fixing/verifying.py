"""The new bytes, read and judged again before anything is written."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from inertial_check.errors import InertialCheckError
from inertial_check.fixing.case import QUATERNION, WHOLE, Proposal, Texts, changeable
from inertial_check.fixing.editing import Documents, edited, groups
from inertial_check.fixing.result import BodyFix, FixStatus
from inertial_check.fixing.strict import is_body
from inertial_check.formats import Context, load
from inertial_check.model import Body, Judgement, Model
from inertial_check.model.judging import judge

Proposals = Mapping[str, Proposal]


@dataclass(frozen=True)
class Reader:
    """Reads what would be written.

    Attributes:
        model: As it is.
        context: Where what its document includes is found.
        tolerance: Of the judgements.
    """

    model: Model
    context: Context
    tolerance: float

    def settled(self, proposals: dict[str, Proposal]) -> tuple[Documents, Model]:
        """The new bytes of the document and of those it includes, and the model that they hold.

        In a template, a number can have effects that only its expansion shows. What has such
        effects is left, and its proposal says so.

        Args:
            proposals: By id; changed in place where a body is left.

        Raises:
            InertialCheckError: Something else would change.
        """
        try:
            return self._attempt(proposals)
        except InertialCheckError:
            if not self.model.rest:
                raise
        for group in groups(self.model, changes_of(proposals)):
            try:
                self._attempt({id_: proposals[id_] for id_ in group})
            except InertialCheckError as error:
                reason = f"its numbers have other effects, too ({error})"
                leave(dict.fromkeys(group, reason), proposals, "shared")
        return self._attempt(proposals)

    def _attempt(self, proposals: Proposals) -> tuple[Documents, Model]:
        changes = changes_of(proposals)
        documents = edited(self.model, changes)
        if not changes:
            return documents, self.model
        overlay = {os.path.abspath(source.path): new for source, new in documents[1]}
        within = replace(self.context, overlay={**self.context.overlay, **overlay})
        return documents, self.read(self.model.source.path, documents[0], within, proposals)

    def read(self, path: str, data: bytes, context: Context, proposals: Proposals) -> Model:
        """The new document: what was to change reads as told, and all else stands as it stood.

        Raises:
            InertialCheckError: Something else changed, or a mended body does not pass.
        """
        model = self.model
        again = load(data, format=model.format, path=path, context=context)
        if again.rest != model.rest:
            raise InertialCheckError(f"{path}: not fixed: more than an inertia would change")
        if [body.id for body in again.bodies] != [body.id for body in model.bodies]:
            raise InertialCheckError(f"{path}: not fixed: the new document reads as another model")
        judgements = judge(again, self.tolerance)
        for old, new, judgement in zip(model.bodies, again.bodies, judgements, strict=True):
            proposal = proposals.get(old.id)
            changed = proposal.texts.keys() if proposal is not None else ()
            if _stated(old, changed) != _stated(new, changed):
                raise InertialCheckError(
                    f"{path}: not fixed: more than the inertia of {old.name} would change"
                )
            if proposal is not None and proposal.texts and not _passes(proposal, judgement):
                raise InertialCheckError(
                    f"{path}: not fixed: {old.name} does not pass after writing"
                )
        return again


def leave(reasons: Mapping[str, str], proposals: dict[str, Proposal], status: FixStatus) -> None:
    """Take bodies out of those that change."""
    for id_, reason in reasons.items():
        was = proposals[id_].result
        left = replace(was, status=status, reason=reason, new=None, mass=None, com=None)
        left = replace(left, relative_change=0.0, distance=0.0, margin=was.margin_before)
        proposals[id_] = Proposal(left)


def moving(proposals: Proposals) -> dict[str, Proposal]:
    """Those that change something."""
    return {id_: proposal for id_, proposal in proposals.items() if proposal.texts}


def changes_of(proposals: Proposals) -> dict[str, Texts]:
    """What changes, by the body's id."""
    return {id_: proposal.texts for id_, proposal in moving(proposals).items()}


def _passes(proposal: Proposal, judgement: Judgement) -> bool:
    """Whether a body that was read again has the numbers that were told, and they are a body's."""
    if not _has(proposal.result, judgement):
        return False
    return not proposal.strict or (judgement.verdict in WHOLE and is_body(judgement.I_BBcm_Bi))


def _has(result: BodyFix, judgement: Judgement) -> bool:
    return (
        judgement.I_BBcm_Bi == result.new
        and (result.mass is None or judgement.mass == result.mass[1])
        and (result.com is None or judgement.p_BoBcm_B == result.com[1])
    )


def _stated(body: Body, changed: Collection[str]) -> tuple[Any, ...]:
    """All that a body's text states, without the numbers that are to change."""
    inertial = body.inertial
    # What an engine would make of the numbers is not stated, and ends when they are mended.
    problems = sum(problem.kind != "engine" for problem in body.problems)
    if inertial is None:
        return body.name, body.joint, body.moved, problems
    texts = {name: number.text for name, number in changeable(body).items() if name not in changed}
    axes = inertial.R_BBi if set(changed).isdisjoint(QUATERNION) else None
    return body.name, body.joint, body.moved, problems, axes, texts
