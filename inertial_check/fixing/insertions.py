"""Numbers that a document lacks of a body, and the results for bodies that are given them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inertial_check.fixing.assign import Target
from inertial_check.fixing.case import (
    CENTER,
    MASS,
    MOMENTS,
    PRODUCTS,
    Case,
    collect_editable_numbers,
    is_in_text,
)
from inertial_check.fixing.drafts import Draft
from inertial_check.fixing.result import INTACT, BodyFix, Fix
from inertial_check.model import ENTRIES, Model

_NAMES = (MASS, *CENTER, *ENTRIES)
_SIX_NUMBERS = ("urdf", "xacro", "sdf")
"""Formats in which an inertial has six numbers, and no principal moments with axes."""

_FULL_FORMATS = ("urdf", "xacro")
"""Formats whose engines ask for all six entries, also for products of 0."""

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
    if np.any(target.p_BoBcm_B != 0):
        wanted |= set(CENTER)
    if case.body.inertial is not None and case.body.inertial.quaternion is not None:
        wanted -= set(PRODUCTS)  # a quaternion states the axes, which turn
    return frozenset(name for name in wanted if not is_in_text(numbers.get(name)))


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
    reason = _describe_insertion(case, names, target)
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


def _describe_insertion(case: Case, names: frozenset[str], target: Target) -> str:
    if case.body.inertial is None or {MASS, *MOMENTS} <= set(names):
        return f"its inertial is inserted: mass {target.mass:.6g} kg"
    own = {} if case.model.format in _SIX_NUMBERS else dict.fromkeys(PRODUCTS, "axes")
    shown = [_WORDS.get(name) or own.get(name, name) for name in _NAMES if name in names]
    words = dict.fromkeys(shown)
    return f"inserted: {', '.join(words)}"


def withhold(model: Model, fix: Fix) -> Fix:
    """The fix that changes nothing, as some of its bodies cannot be written."""
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
