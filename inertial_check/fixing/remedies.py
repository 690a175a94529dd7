"""The remedies of a model: what `fix` writes unless told otherwise, and what every report shows.

The numbers of each body are chosen from its findings (checking.remedies), written with the other
remedies of the model, and the model is checked as a whole. A remedy that leaves its findings, or
brings new ones, is withdrawn: of several, the one that is least sure goes first, because of two
twins that differ only one has to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, cached_property, partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from inertial_check.checking.check import FINDINGS_ONLY, check_model, recheck
from inertial_check.checking.remedies import (
    OF_DIGITS,
    PROBABLE,
    UNWRITTEN,
    Choice,
    choose,
    find_entries,
)
from inertial_check.checking.report import Finding, Severity
from inertial_check.documents.model import ENTRIES, Model
from inertial_check.errors import UsageError
from inertial_check.fixing.methods import (
    PASSES,
    EngineTargets,
    GeometryMethod,
    NearestMethod,
    propose_added_mass,
    propose_tensor,
    undo_cause,
)
from inertial_check.fixing.request import (
    BROKEN,
    MOMENTS,
    Case,
    FixRequest,
    Method,
    Obstacle,
    Proposal,
    Texts,
    collect_editable_numbers,
    format_percent,
    group_by_body,
)
from inertial_check.inertia.intervals import admissible_intervals, half_units

_OF_PAIRS = ("IC601", "IC602", "IC603", "IC605")
"""Codes of findings on one body beside another: where both change, neither need be wrong."""

_BESIDE = ("others", "same_tensor", "same_numbers")
"""Values of these findings that name the bodies beside which they see their own, as "twin" does."""

_MOST_TRIALS = 8
"""Largest number of checks of one model in which one remedy is withdrawn at a time; after these
all that do not hold are withdrawn together."""


_MOST_JUDGED = 20_000
"""Number of bodies that are judged in trials of one model before remedies are given up in haste."""

_TOO_MANY = (
    "too many remedies of this model do not hold together: fix fewer bodies with --body NAME"
)

SHAPED = 0.17
"""Probability that shapes that are filled evenly have the tensor of the body within 5 %: 13 of 76
different sound bodies of nine repositories with meshes; one half are within 25 %."""


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
    if request.cause is not None and request.cause < 1:
        raise UsageError(f"cause is {request.cause}; causes are counted from 1, the most probable")
    if request.cause is None and request.method == "geometry":
        return GeometryMethod(model, request, targets)
    if request.cause is None and (request.method == "nearest" or request.aimed):
        return NearestMethod(request, targets)
    return RemedyMethod(model, request, targets)


class RemedyMethod(Method):
    """Gives bodies what their findings tell, or else the nearest body; or undoes a cause by rank.

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
        self._model, self._targets = model, targets
        broken = any(each.verdict in BROKEN for each in request.judge(model))
        chosen = request.bodies or request.select or request.cause is not None
        asked = broken or request.all_remedies or chosen
        self._by_body = group_by_body(request.find_findings(model) if asked else ())
        self.burdened: set[str] = set()
        self._trials = self._haste = 0
        self.after = {(each.code, id_) for id_, own in self._by_body.items() for each in own}
        self._before = self.after

    def propose(self, case: Case, chosen: bool) -> Proposal:
        """Propose the numbers that the findings tell, and the nearest added mass of a fluid."""
        wanted = chosen or case.judgement.verdict in BROKEN
        if wanted and (obstacle := case.find_contradiction()) is not None:
            return case.skip(*obstacle)
        propose = self._propose_rigid if self._request.cause is None else self._propose_ranked
        return propose_added_mass(case, propose(case, chosen), self._request)

    def _propose_ranked(self, case: Case, chosen: bool) -> Proposal:
        """Propose what the cause that is asked for says was meant.

        A chosen body is reported even if no cause is known.
        """
        findings = [each for each in self._by_body.get(case.body.id, ()) if each.causes]
        if (malformed := case.find_malformed_text()) is not None:
            return case.skip(*malformed)
        if not (findings or chosen or case.judgement.verdict in BROKEN):
            return case.skip("unchanged")
        rank = self._request.cause or 1
        # What is said of the whole model comes first, where it says what to write here.
        common = (each.causes[rank - 1 :][:1] for each in findings if each.bodies)
        found = [
            one for two in common for one in two if find_entries(one, case.body.name, case.body.id)
        ]
        own = [each for each in findings if not each.bodies] or findings
        causes = own[0].causes if own else ()
        if not found and len(causes) < rank:
            names = ", ".join(f"{i} {each.cause}" for i, each in enumerate(causes, 1))
            why = f"its probable causes are {names}" if causes else "no cause of it is known"
            return case.skip("no-such-cause", why)
        proposal = undo_cause(case, (found or causes[rank - 1 :])[0], self._request, self._written)
        if proposal.texts:
            self.prescribed[case.body.id] = Prescription(Choice("cause", None, ()), 1.0, True)
        return proposal

    def _propose_rigid(self, case: Case, chosen: bool) -> Proposal:
        findings = self._by_body.get(case.body.id, ())
        broken = case.judgement.verdict in BROKEN
        wanted = broken or (findings and (chosen or self._request.all_remedies))
        # No mistake explains written moments beside one that is a default.
        implied = any(n.span is None for name, n in case.numbers.items() if name in MOMENTS)
        if not wanted or implied or case.find_malformed_text() is not None:
            nearest = self._nearest.propose_rigid(case)
            near = nearest.result.relative_change <= self._request.allowed_change
            return self._admit(case, nearest, Choice("nearest", None, ()), 1.0, near)
        find_nearest = cache(partial(self._nearest.propose_rigid, case))

        def is_near() -> bool:
            if not broken:
                return True
            change, most = find_nearest().result.relative_change, self._request.allowed_change
            return bool(find_nearest().texts and change <= most)

        choice = choose(case.body.name, case.body.id, findings, broken, is_near)
        cause = choice.cause
        if cause is not None and choice.source == "hand":
            shaped = self._propose_shapes(case) if cause.cause in UNWRITTEN else None
            if shaped is not None:
                choice = choice._replace(source="shapes")
                return self._admit(case, shaped, choice, SHAPED, False)
            reason = f"{cause.cause} ({100 * cause.confidence:.0f} %): {cause.evidence}; "
            reason += cause.veto or "which numbers undo it cannot be told"
            return case.skip("cause-without-edit", reason, cause=cause.cause)
        if cause is not None:
            proposal = undo_cause(case, cause, self._insistent, self._written)
            if proposal.texts or cause.confidence >= PROBABLE:
                change, most = proposal.result.relative_change, self._request.max_change
                sure = choice.trusted and (
                    most is None or self._request.unsafe or not change > most
                )
                return self._admit(case, proposal, choice, cause.confidence, sure)
        choice = choice._replace(source="nearest", cause=None)
        near = is_near()
        nearest = (None if near else self._propose_entry(case)) or find_nearest()
        if not nearest.texts:
            return nearest
        within = _is_within_digits(case, nearest)
        causes = findings[0].causes if findings else ()
        doubt = sum(each.confidence for each in causes if each.cause not in OF_DIGITS)
        # What stays within the printed digits is safe, unless a smaller change was asked for.
        safe = near or (within and self._request.max_change is None)
        confidence = 1.0 if within else max(0.0, 1.0 - doubt)
        return self._admit(case, nearest, choice, confidence, safe)

    def _propose_shapes(self, case: Case) -> Proposal | None:
        """Propose the mass that is written, spread evenly over the shapes; None without such."""
        if self._request.check_settings.geometry == "off":
            return None
        proposal = self._shapes.propose_rigid(case, True)
        return proposal if proposal.texts else None

    @cached_property
    def _written(self) -> Iterable[str]:
        """The texts of all numbers of the model, each once."""
        numbers = (collect_editable_numbers(body).values() for body in self._model.bodies)
        return dict.fromkeys(number.text for number in chain.from_iterable(numbers))

    @cached_property
    def _shapes(self) -> GeometryMethod:
        return GeometryMethod(self._model, self._insistent, self._targets)

    def _propose_entry(self, case: Case) -> Proposal | None:
        """Propose the middle of what five entries allow the sixth; None unless it is the only one.

        Of a tensor far from all that a body can have, one wrong number is likelier than six.
        """
        intervals = admissible_intervals(case.six)
        possible = np.flatnonzero(intervals[:, 1] > intervals[:, 0])
        if len(possible) != 1:
            return None
        (at,) = possible.tolist()
        low, high = intervals[at].tolist()
        entries = case.six
        entries[at] = (low + high) / 2
        unit = case.unit
        why = f"{ENTRIES[at]} is the only one that can be wrong by itself: with the other five a "
        why += f"body has {unit * low:.3g} to {unit * high:.3g} kg m^2, of which this is the middle"
        proposal = propose_tensor(case, entries, self._insistent, self._targets, remark=why)
        return proposal if proposal.texts else None

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

    def find_objections(
        self, again: Model, changing: Mapping[str, Proposal]
    ) -> dict[str, Obstacle]:
        """Bodies whose remedies do not hold, by id, and why: a check of the whole model tells.

        The findings that told a remedy must be gone, no error may be new, and the body must be one
        that can exist. Without --unsafe no other finding may be new, either.
        """
        if not changing or not self._by_body:
            return {}
        examination, settings = self._request.examination, self._request.check_settings
        judgements = self._request.judge(again)
        if examination is None:
            findings: Sequence[Finding] = check_model(again, settings, FINDINGS_ONLY).findings
        else:
            findings = recheck(examination, again, judgements, settings)
        after = group_by_body(findings)
        self.after = {(each.code, id_) for id_, own in after.items() for each in own}
        verdicts = {b.id: j.verdict for b, j in zip(again.bodies, judgements, strict=True)}
        reasons: dict[str, Obstacle] = {}
        pairs: dict[str, set[str | None]] = {}
        for id_, proposal in changing.items():
            left = [each for each in after.get(id_, ()) if not each.bodies]
            obstacle, told = self._weigh(proposal, left, verdicts[id_])
            if obstacle is not None:
                reasons[id_] = obstacle
                if told is not None and told.code in _OF_PAIRS:
                    others = chain.from_iterable(told.values.get(key, ()) for key in _BESIDE)
                    pairs[id_] = {proposal.result.name, told.values.get("twin"), *others}
        # More bodies may speak for a mistake of the whole model: the finding is the same. A spread
        # beyond the shapes is told where nothing else is, and is not new on a body that stays.
        known = {code for code, _ in self._before}
        strangers = sorted(
            each.code
            for id_, own in after.items()
            for each in own
            if (each.code not in known if each.bodies else id_ not in changing)
            and (each.code, id_) not in self._before
            and "variance_ratio" not in each.values
        )
        if strangers and not reasons and self._request.cause is None:
            least = min(changing, key=self._sureness)
            reasons[least] = "cause-refused", f"another body would get {strangers[0]}"
        self._trials += 1
        if reasons and self._trials * len(again.bodies) > _MOST_JUDGED:
            # Twice as many each time, so that a large model is not checked once for each of them.
            self._haste = 2 * self._haste or 1
            late = sorted(changing, key=self._sureness)[: self._haste]
            reasons |= dict.fromkeys(late, ("cause-refused", _TOO_MANY)) | reasons
        elif self._trials < _MOST_TRIALS:
            reasons = self._choose(reasons, pairs)
        for id_ in reasons:
            self.prescribed.pop(id_, None)
        return reasons

    def _choose(
        self, reasons: dict[str, Obstacle], pairs: Mapping[str, set[str | None]]
    ) -> dict[str, Obstacle]:
        """The bodies whose remedies are withdrawn first: of a pair, the least sure."""
        if not pairs or pairs.keys() != reasons.keys():
            return {id_: each for id_, each in reasons.items() if id_ not in pairs} or reasons
        settled: set[str | None] = set()
        for id_ in sorted(pairs, key=self._sureness):
            if not settled.isdisjoint(pairs[id_]):
                del reasons[id_]
            settled |= pairs[id_] - {None}
        return reasons

    def _weigh(
        self, proposal: Proposal, left: Sequence[Finding], verdict: str
    ) -> tuple[Obstacle | None, Finding | None]:
        """The obstacle of a body with the findings that it would be left with, and one of these."""
        id_ = proposal.result.id
        before = [each for each in self._by_body.get(id_, ()) if not each.bodies]
        known = {each.code for each in before}
        new = [each for each in left if each.code not in known]
        errors = [each for each in new if each.severity is Severity.ERROR]
        broken = any(each.fix is not None for each in before)
        stays = [*left] if len(left) >= len(before) + broken else []
        if self._request.cause is not None:  # asked for: the worst findings have to go
            worst = max((each.severity for each in before), default=None)
            stays = [each for each in left if each.code in known and each.severity == worst]
            new = new if len(left) > len(before) else []
        if errors or stays:
            told = (errors or [each for each in stays if each in new] or stays)[0]
            why = f"{proposal.edits or proposal.result.reason}, would not do: {told.code}"
            return ("cause-refused", f"{why} {told.message}"), told
        if verdict not in PASSES:
            return ("cause-refused", f"it would be {verdict}"), None
        # Only a body that can exist is compared with shapes and others: what the nearest is
        # warned of then was hidden by what it had, and is not brought by the move.
        if id_ in self.prescribed and self.prescribed[id_].choice.source == "nearest":
            new = []
        if new and not self._request.unsafe:
            why = f"it would be warned of {new[0].code} {new[0].message}; --unsafe writes it"
            return ("needs-unsafe", f"{proposal.result.reason}; {why}"), None
        if left and len(left) == len(before):
            self.burdened.add(id_)
        if new:
            self.prescribed[id_] = self.prescribed[id_]._replace(safe=False)
        return None, None

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
