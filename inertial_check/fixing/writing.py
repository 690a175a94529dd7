"""Writing of given inertial parameters into a model's document, whether it states any or none.

What the document states changes in its digits alone, see fixing.assign. What it does not state is
first inserted, with placeholders, where the format wants it and in the document's own style; the
placeholders then change as numbers do that were always there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from inertial_check.errors import InertialCheckError, expect
from inertial_check.fixing.assign import (
    Parameters,
    Target,
    assign_targets,
    check_digits,
    find_targets,
)
from inertial_check.fixing.case import Case
from inertial_check.fixing.drafts import Draft
from inertial_check.fixing.insertions import find_missing, tell_failure, tell_insertion, withhold
from inertial_check.fixing.result import INTACT, BodyFix, Fix
from inertial_check.formats import FORMATS, Context, load
from inertial_check.formats.insertion import NotInsertable
from inertial_check.model import Body, Edit, Model, Span
from inertial_check.model.judging import judge
from inertial_check.model.vectors import Given, select_changes


def write_parameters(
    model_or_path: Model | str | os.PathLike[str] | bytes,
    parameters: Parameters,
    *,
    digits: int | None = None,
    all_or_none: bool = True,
    comments: Mapping[str, str] | None = None,
    context: Context | None = None,
) -> Fix:
    """Write inertial parameters into a model's document, and insert those that it does not state.

    Where the document states a number, its digits change and nothing else. Where it states none,
    an inertial element, or the part of it that is missing, is inserted in the style of the
    document. The new document is read again before it is returned, and its numbers are compared
    with those that were given.

    Args:
        model_or_path: A loaded model, a path, or a document's bytes.
        parameters: By the name of a body, or its id where names repeat: InertialParameters of one
            body, or (10,) about the body's origin in its axes, in the order "urdf". Parameters that
            are kept about the centre of mass are written as they are, to the last digit.
        digits: Significant digits, 8 to 17, but never fewer than the text that is replaced has;
            None for as many as tell each float64 from its neighbours.
        all_or_none: Whether nothing changes unless every one of these bodies can be written.
        comments: By name or id, text of a comment beside an inertial that is inserted as a whole.
        context: Where the files are that the document includes.

    Returns:
        The new bytes, not written, and the result for each of these bodies, see FixStatus. A body
        that cannot be written has the reason and its place.

    Raises:
        DocumentError: The document cannot be read.
        ParameterError: A name that no body or several have, parameters that are not ten finite
            numbers, or that are not consistent.
        UsageError: Too few or too many digits.
        InertialCheckError: The new document would not have these parameters.
    """
    expect(Context, "nothing", context=context)
    within, most = context or Context(), check_digits(digits)
    model = (
        model_or_path if isinstance(model_or_path, Model) else load(model_or_path, context=within)
    )
    targets = find_targets(model, parameters)
    remarks = dict(comments or {})
    fix = _Writer(model, within, targets, most, remarks).write()
    if all_or_none and not fix.complete:
        return withhold(model, fix)
    return fix


def write_model(
    model: Model,
    parameters: Given,
    bodies: Sequence[str] | None = None,
    *,
    digits: int | None = None,
    context: Context | None = None,
) -> Fix:
    """Write rows of parameters into a model's document; see model.Model.with_parameters."""
    expect(Context, "nothing", context=context)
    chosen = select_changes(model, parameters, bodies)
    return write_parameters(model, chosen, digits=digits, context=context)


@dataclass(frozen=True)
class _Writer:
    """Writes targets into the document of a model.

    Attributes:
        model: The model as it is.
        context: Where the files are that its document includes.
        targets: Parameters by the ids of bodies.
        digits: Significant digits of new texts.
        comments: Texts of comments by the names or ids of bodies.
    """

    model: Model
    context: Context
    targets: Mapping[str, Target]
    digits: int
    comments: Mapping[str, str]

    def write(self) -> Fix:
        """Write what can be written; a body that cannot be written keeps its bytes."""
        cases = self._cases()
        failures = self._find_overrides(cases)
        plans: dict[str, tuple[Edit, ...]] = {}
        for case in cases.values():
            if case.body.id not in failures:
                self._plan(case, cases, plans, failures)
        while True:
            draft = self._draft(cases, plans, failures)
            targets = {id_: each for id_, each in self.targets.items() if id_ not in failures}
            fix = assign_targets(
                draft.model, targets, self.digits, draft.context, draft.describe_place
            )
            if plans and fix.layer is not None:  # a layer stands over the document on the disk
                plans.clear()
                continue
            failed = {
                body.id: tell_failure(body, cases[body.id], draft)
                for body in fix.bodies
                if body.id in plans and body.status not in INTACT
            }
            if not failed:
                break
            failures |= failed
            for id_ in failed:
                del plans[id_]
        return self._compose(draft, fix, cases, plans, failures)

    def _cases(self) -> dict[str, Case]:
        """The bodies that are given parameters, by their ids."""
        judged = zip(self.model.bodies, judge(self.model), strict=True)
        return {
            body.id: Case(self.model, body, judgement)
            for body, judgement in judged
            if body.id in self.targets
        }

    def _find_overrides(self, cases: Mapping[str, Case]) -> dict[str, BodyFix]:
        """Results of the bodies for which the engine of the document would use other numbers."""
        find = getattr(FORMATS.get(self.model.format), "find_overrides", None)
        if find is None or not cases:
            return {}
        overrides, failures = find(self.model, self.context), {}
        for id_, case in cases.items():
            target = self.targets[id_]
            least = float(np.linalg.eigvalsh(target.I_BBcm_B)[0])
            if reason := overrides.describe(case.body, target.mass, least):
                failures[id_] = case.report("overridden", reason)
        return failures

    def _plan(
        self,
        case: Case,
        cases: Mapping[str, Case],
        plans: dict[str, tuple[Edit, ...]],
        failures: dict[str, BodyFix],
    ) -> None:
        """Plan the insertion of the numbers that a body lacks, or say why there is none."""
        insert = getattr(FORMATS.get(self.model.format), "insert", None)
        body = case.body
        names = find_missing(case, self.targets[body.id])
        if insert is None or not names:
            return
        sharing = self._find_sharing(body)
        comment = self.comments.get(body.id, self.comments.get(body.name, ""))
        try:
            plan = insert(self.model, body, names, comment)
        except NotInsertable as error:
            # All bodies of a binary stage begin at its first byte: they share a place, not a text.
            if case.can_be_layered():
                return
            way = f"write it: {self.targets[body.id]}"
            reason = sharing or f"{error.reason}; {way}"
            failures[body.id] = case.report("shared" if sharing else "unwritten", reason)
            return
        if sharing:
            failures[body.id] = case.report("shared", sharing)
        else:
            plans[body.id] = plan

    def _find_sharing(self, body: Body) -> str:
        """The bodies that would get the same text and are given other numbers; "" if none are."""
        place = _place_of(body)
        others = [
            other.name
            for other in self._bodies_by_place[place]
            if other.id != body.id
            and not _is_same(self.targets.get(other.id), self.targets[body.id])
        ]
        if not others:
            return ""
        at = self.model.place(place)
        line = f"{at.path}:{at.line}" if at.path else f"line {at.line}"
        shown = ", ".join(others[:4]) + (", ..." if len(others) > 4 else "")
        way = "take the numbers as macro arguments, or write it apart"
        if self.model.format != "xacro":
            way = "write it apart"
        return f"what is written in {line} makes {shown}, too, which would change: {way}"

    @cached_property
    def _bodies_by_place(self) -> dict[Span, list[Body]]:
        found: dict[Span, list[Body]] = {}
        for body in self.model.bodies:
            found.setdefault(_place_of(body), []).append(body)
        return found

    def _draft(
        self,
        cases: Mapping[str, Case],
        plans: dict[str, tuple[Edit, ...]],
        failures: dict[str, BodyFix],
    ) -> Draft:
        """The document with placeholders; bodies whose insertion changes anything else fail."""
        while True:
            try:
                return Draft.make(self.model, self.context, plans)
            except (InertialCheckError, ValueError) as error:
                why = str(error)
            wrong = {id_: reason for id_ in plans if (reason := self._try(id_, plans[id_]))}
            for id_, reason in (wrong or dict.fromkeys(plans, why)).items():
                failures[id_] = cases[id_].report("unwritten", f"it cannot be inserted: {reason}")
                del plans[id_]

    def _try(self, id_: str, plan: tuple[Edit, ...]) -> str:
        """Why the insertion for one body alone is not possible; "" if it is."""
        alike = {id_: plan}
        try:
            Draft.make(self.model, self.context, alike)
        except (InertialCheckError, ValueError) as error:
            return str(error)
        return ""

    def _compose(
        self,
        draft: Draft,
        fix: Fix,
        cases: Mapping[str, Case],
        plans: Mapping[str, tuple[Edit, ...]],
        failures: Mapping[str, BodyFix],
    ) -> Fix:
        """The fix of the document as it is on the disk."""
        if fix.layer is not None:
            results = {body.id: body for body in fix.bodies} | dict(failures)
            return replace(fix, bodies=tuple(results[id_] for id_ in cases))
        results = {body.id: body for body in fix.bodies}
        if plans:
            left = {
                id_: self.targets[id_]
                for id_, body in results.items()
                if body.status not in INTACT and id_ not in plans
            }
            # Their reasons tell places, which are those of the document without insertions.
            if left:
                again = assign_targets(self.model, left, self.digits, self.context)
                results |= {body.id: body for body in again.bodies if body.status not in INTACT}
        for id_, body in results.items():
            results[id_] = tell_insertion(cases[id_], body, id_ in plans, self.targets[id_])
        results |= failures
        data, others = draft.finish(fix)
        edits = {
            id_: draft.compose(plans.get(id_, ()), fix.edits.get(id_, ()))
            for id_ in cases
            if id_ in plans or id_ in fix.edits
        }
        bodies = tuple(results[id_] for id_ in cases)
        outside = self.context.granted.follow_outside
        return Fix(self.model.source, self.model.format, data, bodies, others, edits, None, outside)


def _place_of(body: Body) -> Span:
    """Where numbers of a body are inserted: its inertial, or the body without one."""
    inertial = body.inertial
    if inertial is None or inertial.span.start == inertial.span.end:
        return body.span
    return inertial.span


def _is_same(one: Target | None, other: Target) -> bool:
    return one is not None and (
        one.mass == other.mass
        and np.array_equal(one.p_BoBcm_B, other.p_BoBcm_B)
        and np.array_equal(one.I_BBcm_B, other.I_BBcm_B)
    )
