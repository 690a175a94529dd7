"""Writing of given parameters of bodies and joints into a document, whether it states any or none.

What the document states of a body changes in its digits alone, see fixing.assign. What it does not
state is first inserted, with placeholders, where the format wants it and in the document's own
style; the placeholders then change as numbers do that were always there.

Damping, friction and armature of joints follow, after the bodies: all joints change or none. The
new document is read again before it is returned: its joints have these numbers, and nothing else
that is read from it has changed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import isclose, isfinite
from typing import NamedTuple

import numpy as np

from inertial_check.documents.context import Context
from inertial_check.documents.edits import JOINT_NUMBERS, JointEdits, NotInsertable
from inertial_check.documents.load import load
from inertial_check.documents.model import ENTRIES, Body, Joint, Model, judge
from inertial_check.documents.source import Edit, Span
from inertial_check.documents.writing import CAN_INSERT, find_overrides, insert, set_joint
from inertial_check.errors import InertialCheckError, expect
from inertial_check.fixing.assign import (
    Parameters,
    Target,
    assign_targets,
    check_digits,
    find_targets,
)
from inertial_check.fixing.edits import Draft, compare
from inertial_check.fixing.request import (
    CENTER,
    MASS,
    MOMENTS,
    PRODUCTS,
    Case,
    collect_editable_numbers,
    is_in_text,
)
from inertial_check.fixing.result import INTACT, BodyFix, Fix

_NAMES = (MASS, *CENTER, *ENTRIES)
_SIX_NUMBERS = ("urdf", "xacro", "sdf")
"""Formats in which an inertial has six numbers, and no principal moments with axes."""

_FULL_FORMATS = ("urdf", "xacro", "usd")
"""Formats whose engines ask for all six entries, also for products of 0, or take axes that are not
written from the shapes."""

_MOMENTS_OF_USD = "physics:diagonalInertia"
_COMPUTED = (
    "a number that is inserted in it would be another one of the body: the scale of its prim, or a "
    "template, computes with it"
)

_WORDS = {MASS: "mass", **dict.fromkeys(CENTER, "centre of mass")}


def find_missing(case: Case, target: Target) -> frozenset[str]:
    """The names of the numbers that the document has to state for a target and does not."""
    numbers, turns = case.numbers, target.turns_axes(case)
    wanted = {MASS, *MOMENTS}
    if turns or case.model.format in _FULL_FORMATS:
        wanted |= set(PRODUCTS)
    if np.any(target.p_BoBcm_B != 0) or case.model.format == "usd":
        wanted |= set(CENTER)  # engines take an unwritten one of USD from the shapes
    if case.body.inertial is not None and case.body.inertial.quaternion is not None:
        wanted -= set(PRODUCTS)  # a quaternion states the axes, which turn
    missing = {name for name in wanted if not is_in_text(numbers.get(name))}
    spelled = [bool(case.body.find_numbers(name)) for name in ("newton:inertia", _MOMENTS_OF_USD)]
    if spelled == [True, False]:  # the tensor is in text, but engines other than Newton read none
        missing |= {*MOMENTS, *PRODUCTS}
    return frozenset(missing)


def tell_failure(result: BodyFix, case: Case, draft: Draft) -> BodyFix:
    """The result for a body that cannot be written, in terms of the document as it is."""
    (body,) = (body for body in draft.model.bodies if body.id == result.id)
    for number in collect_editable_numbers(body).values():
        if number.span and not number.literal and draft.find_original(number.span) is None:
            return case.report(result.status, _COMPUTED)
    return case.report(result.status, result.reason)


def tell_insertion(case: Case, result: BodyFix, inserted: bool, target: Target) -> BodyFix:
    """The result for a body in terms of the document as it is, not of the one with placeholders."""
    before = case.report(result.status, result.reason)
    result = replace(result, line=before.line, file=before.file)
    if not inserted or result.status != "fixed":
        return result
    names = find_missing(case, target)
    judgement = case.judgement
    mass = None if result.mass is None else (judgement.mass, result.mass[1])
    com = None if result.com is None else (judgement.p_BoBcm_B, result.com[1])
    if case.body.inertial is None or {MASS, *MOMENTS} <= set(names):
        reason = f"its inertial is inserted: mass {target.mass:.6g} kg"
    else:
        own = {} if case.model.format in _SIX_NUMBERS else dict.fromkeys(PRODUCTS, "axes")
        shown = [_WORDS.get(name) or own.get(name, name) for name in _NAMES if name in names]
        words = dict.fromkeys(shown)
        reason = f"inserted: {', '.join(words)}"
    if names.isdisjoint(ENTRIES):
        reason = f"{reason}; {result.reason}" if result.reason else reason
    else:  # its changes are from placeholders
        reason = "; ".join([reason, *result.remarks])
    return replace(
        result,
        old=before.old,
        margin_before=before.margin_before,
        mass=mass,
        com=com,
        reason=reason,
    )


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
        # The fix that changes nothing, as some of its bodies cannot be written.
        left = [body.name for body in fix.bodies if body.status not in INTACT]
        shown = ", ".join(left[:4]) + (", ..." if len(left) > 4 else "")
        reason = f"all bodies are written or none, and {shown} cannot be"
        bodies = tuple(
            replace(
                body,
                status="withheld",
                reason=reason,
                new=None,
                mass=None,
                com=None,
                relative_change=0.0,
                distance=0.0,
                margin=body.margin_before,
            )
            if body.status == "fixed"
            else body
            for body in fix.bodies
        )
        return Fix(model.source, model.format, model.source.data, bodies)
    return fix


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
        # Bodies for which the engine of the document would use other numbers cannot be written.
        failures: dict[str, BodyFix] = {}
        overrides = find_overrides(self.model, self.context) if cases else None
        if overrides is not None:
            for id_, case in cases.items():
                target = self.targets[id_]
                least = float(np.linalg.eigvalsh(target.I_BBcm_B)[0])
                if reason := overrides.describe(case.body, target.mass, least):
                    failures[id_] = case.report("overridden", reason)
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

    def _plan(
        self,
        case: Case,
        cases: Mapping[str, Case],
        plans: dict[str, tuple[Edit, ...]],
        failures: dict[str, BodyFix],
    ) -> None:
        """Plan the insertion of the numbers that a body lacks, or say why there is none."""
        body = case.body
        names = find_missing(case, self.targets[body.id])
        if self.model.format not in CAN_INSERT or not names:
            return
        # The bodies that would get the same text and are given other numbers; "" if none are.
        place = _place_of(body)
        others = [
            other.name
            for other in self._bodies_by_place[place]
            if other.id != body.id
            and not _is_same(self.targets.get(other.id), self.targets[body.id])
        ]
        if not others:
            sharing = ""
        else:
            at = self.model.place(place)
            line = f"{at.path}:{at.line}" if at.path else f"line {at.line}"
            shown = ", ".join(others[:4]) + (", ..." if len(others) > 4 else "")
            sharing_way = "take the numbers as macro arguments, or write it apart"
            if self.model.format != "xacro":
                sharing_way = "write it apart"
            sharing = (
                f"what is written in {line} makes {shown}, too, which would change: {sharing_way}"
            )
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


_SINGLE = 2.0**-23
"""Relative difference up to which numbers of a USD layer are equal, which are mostly float32."""

_ROUNDING = 2.0**-51
"""Relative difference up to which other numbers are equal, which units may have multiplied."""


class JointResult(NamedTuple):
    """Result of the writing of one joint.

    Attributes:
        name: Name of the joint.
        status: "fixed", "unchanged", "refused" where it cannot be written, or "withheld" where
            another joint cannot.
        reason: Explanation in one line; "" where there is nothing to explain.
        values: Numbers that the new document states, by their names.
        left: Numbers for which the format has no place, and the reason.
    """

    name: str
    status: str
    reason: str
    values: Mapping[str, float]
    left: Mapping[str, str]


@dataclass(frozen=True)
class JointsFix:
    """Document with new numbers of its joints, not yet written.

    Attributes:
        fix: The document; that without these numbers where a joint cannot be written.
        joints: Result for each joint.
    """

    fix: Fix
    joints: tuple[JointResult, ...]

    @property
    def complete(self) -> bool:
        """Whether all joints have their numbers."""
        return all(joint.status in ("fixed", "unchanged") for joint in self.joints)


def write_joints(
    model: Model,
    fix: Fix,
    targets: Mapping[str, Mapping[str, float]],
    context: Context | None = None,
) -> JointsFix:
    """Write the numbers of joints into a document whose bodies have been written.

    Args:
        model: The model as it was read.
        fix: Its document with the new numbers of bodies.
        targets: Damping, friction and armature [SI], by the id of the body that the joint moves.
        context: Where the files are that the document includes.

    Returns:
        The new bytes, not written. If a joint cannot be written, no joint changes.
    """
    writer = _JointWriter(model, fix, targets, context or Context())
    refused = {id_: reason for id_ in targets if (reason := writer.find_obstacle(id_))}
    if not refused:
        try:
            return writer.write()
        except _RefusedError as error:
            refused = error.reasons
    return JointsFix(fix, tuple(writer.withhold(id_, refused) for id_ in targets))


class _RefusedError(Exception):
    """Joints that cannot be written, by the ids of their bodies, with the reasons."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__(reasons)
        self.reasons = dict(reasons)


@dataclass(frozen=True)
class _JointWriter:
    """Writes joints into the document of a fix.

    Attributes: As the arguments of `write_joints`.
    """

    model: Model
    fix: Fix
    targets: Mapping[str, Mapping[str, float]]
    context: Context

    def find_obstacle(self, id_: str) -> str:
        """Say which number no joint has, or why the document cannot change; "" for neither."""
        wrong = [
            f"{name} {value!r}"
            for name, value in self.targets[id_].items()
            if not (isfinite(value) and value >= 0)
        ]
        if wrong:
            return f"{', '.join(wrong)}: no engine simulates a negative number rightly"
        if self.fix.layer is not None:
            return "the document is binary, and its joints are not written in a layer over it"
        return ""

    def write(self) -> JointsFix:
        """Write all joints.

        Raises:
            _RefusedError: A joint cannot be written.
        """
        overlay = {os.path.abspath(source.path): data for source, data in self.fix.others}
        model = self._read(self.fix.data, overlay)
        bodies = {body.id: body for body in model.bodies}
        plans: dict[str, JointEdits] = {}
        refused = {}
        for id_, values in self.targets.items():
            try:
                plans[id_] = set_joint(model, bodies[id_], values)
            except NotInsertable as error:
                refused[id_] = error.reason
        if refused:
            raise _RefusedError(refused)
        edits = dict.fromkeys(chain.from_iterable(plan.edits for plan in plans.values()))
        fix = self._apply(model, edits)
        again = self._read(fix.data, {os.path.abspath(s.path): data for s, data in fix.others})
        self._compare(model, again, plans)
        return JointsFix(fix, tuple(self._tell(bodies[id_], plans[id_]) for id_ in self.targets))

    def withhold(self, id_: str, refused: Mapping[str, str]) -> JointResult:
        """Make the result of a joint that is not written."""
        name = next(body.joints[0].name for body in self.model.bodies if body.id == id_)
        status = "refused" if id_ in refused else "withheld"
        reason = refused.get(id_, "all joints are written or none")
        return JointResult(name, status, reason, {}, {})

    def _read(self, data: bytes, overlay: Mapping[str, bytes]) -> Model:
        """Read the document with new bytes of those that it includes.

        Raises:
            _RefusedError: It cannot be read.
        """
        context = replace(self.context, overlay={**self.context.overlay, **overlay})
        path = self.model.source.path
        try:
            return load(data, format=self.fix.format, path=path, context=context)
        except InertialCheckError as error:
            raise _RefusedError(dict.fromkeys(self.targets, str(error))) from None

    def _apply(self, model: Model, edits: Mapping[Edit, None]) -> Fix:
        """Apply edits to the documents of the model that the fix holds.

        Raises:
            _RefusedError: Two of them overlap, as the same text makes several joints.
        """
        try:
            data, *others = (
                source.apply_edits(edit for edit in edits if edit.span.file == file)
                for file, source in enumerate((model.source, *model.others))
            )
        except ValueError as error:
            reason = f"the same text makes several joints ({error})"
            raise _RefusedError(dict.fromkeys(self.targets, reason)) from None
        before = {source.path: source for source in self.model.others}
        pairs = tuple(
            (before[source.path], new)
            for source, new in zip(model.others, others, strict=True)
            if source.path in before and new != before[source.path].data
        )
        return replace(self.fix, data=data, others=pairs)

    def _compare(self, before: Model, after: Model, plans: Mapping[str, JointEdits]) -> None:
        """Compare the new document with the numbers that were written.

        Raises:
            _RefusedError: A joint has other numbers, or something else has changed.
        """
        changed = dict.fromkeys(self.targets, JOINT_NUMBERS)
        differences = list(compare(before, after, changed))
        if any(each.body is None for each in differences):
            reason = "the new document reads as another model"
            raise _RefusedError(dict.fromkeys(self.targets, reason))
        wrong = {each.body.id for each in differences if each.body is not None}
        refused: dict[str, str] = {}
        for old, new in zip(before.bodies, after.bodies, strict=True):
            plan, values = plans.get(old.id), self.targets.get(old.id, {})
            placed = {} if plan is None else {k: v for k, v in values.items() if k not in plan.left}
            expected = tuple(
                joint._replace(
                    damping=placed.get("damping", joint.damping),
                    friction=placed.get("friction", joint.friction),
                    armature=placed.get("armature", joint.armature),
                )
                for joint in old.joints
            )
            if old.id not in wrong and self._agree(expected, tuple(new.joints)):
                continue
            own = [old.id] if old.id in self.targets else list(self.targets)
            reason = f"the new document states other numbers of {old.name} than were written"
            refused |= dict.fromkeys(own, reason)
        if refused:
            raise _RefusedError(refused)

    def _agree(self, expected: tuple[Joint, ...], found: tuple[Joint, ...]) -> bool:
        """Decide whether joints state the same, but for the rounding of their numbers."""
        rounding = _SINGLE if self.fix.format == "usd" else _ROUNDING
        if len(expected) != len(found):
            return False
        for one, other in zip(expected, found, strict=True):
            for name in JOINT_NUMBERS:
                pair = getattr(one, name), getattr(other, name)
                near = None not in pair and isclose(*pair, rel_tol=rounding, abs_tol=0.0)
                if not near and repr(pair[0]) != repr(pair[1]):
                    return False
            if repr(_blank(one)) != repr(_blank(other)):  # a NaN equals itself as text
                return False
        return True

    def _tell(self, before: Body, plan: JointEdits) -> JointResult:
        """Make the result of a joint that is written."""
        values = {k: v for k, v in self.targets[before.id].items() if k not in plan.left}
        status = "fixed" if plan.edits else "unchanged"
        return JointResult(before.joints[0].name, status, "", values, plan.left)


def _blank(joint: Joint) -> Joint:
    """Leave out the numbers of a joint's dynamics."""
    return joint._replace(damping=None, friction=None, armature=None)
