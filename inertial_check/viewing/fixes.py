"""Fixes of the bodies of a scene: numbers, equivalent solids and changed lines after each fix."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.errors import DefectError, InertialCheckError
from inertial_check.files.json import Json
from inertial_check.fixing.fix import carry_out
from inertial_check.fixing.request import FixRequest
from inertial_check.fixing.result import BodyFix
from inertial_check.inertia.representations import six, symmetric
from inertial_check.isolation import raise_defects
from inertial_check.model import Body, Finding, Judgement, Model
from inertial_check.settings.settings import Settings
from inertial_check.viewing.lines import describe_edits
from inertial_check.viewing.numbers import encode_number, encode_numbers
from inertial_check.viewing.solids import find_equivalent_solid


class _Method(NamedTuple):
    """A way to fix bodies.

    Attributes:
        name: "cause" for the numbers that the first cause says were meant, "nearest" for the least
            change.
        cause: Argument of fix_model.
        option: Option of the command `fix` that does the same.
    """

    name: str
    cause: int | None
    option: str


_CAUSE = _Method("cause", 1, "--cause 1")
_NEAREST = _Method("nearest", None, "--unsafe")


def describe_fixes(
    model: Model,
    judgements: Sequence[Judgement],
    findings: Sequence[Finding],
    settings: Settings,
) -> tuple[dict[str, list[Json]], list[str]]:
    """Describe the fixes of all bodies with a finding that a fix removes.

    Args:
        model: The model that was checked.
        judgements: One for each body.
        findings: The findings that count.
        settings: The settings of the check.

    Returns:
        The fixes of each body by its id, what the first cause says was meant before the nearest
        numbers; and notes on fixes that could not be computed.
    """
    broken = {each.body_id for each in findings if each.fix is not None and each.body_id}
    explained = {
        id_
        for each in findings
        if each.causes and each.causes[0].edit is not None
        for id_ in (each.body_id, *each.body_ids)
        if id_ is not None
    }
    by_id = {body.id: each for body, each in zip(model.bodies, judgements, strict=True)}
    fixes: dict[str, list[Json]] = {}
    notes: list[str] = []
    for method, ids in ((_CAUSE, explained), (_NEAREST, broken)):
        if not ids:
            continue
        try:
            with raise_defects(model.source.path, InertialCheckError):
                request = FixRequest(
                    cause=method.cause,
                    unsafe=True,
                    bodies=ids,
                    tolerance=settings.tolerance,
                    context=settings.context,
                    findings=findings,
                )
                fix = carry_out(request, model)
        except InertialCheckError as error:
            if isinstance(error, DefectError):
                notes.append(f"no fix ({method.name}) is shown: {error.reason}")
            continue
        bodies = {body.id: body for body in model.bodies}
        for result in fix.bodies:
            if result.status == "fixed" and result.new is not None:
                described = _describe_fix(model, bodies[result.id], by_id[result.id], result)
                described["method"] = method.name
                described["lines"] = describe_edits(model, fix.edits.get(result.id, ()))
                described["command"] = (
                    f"inertial-check fix {method.option} --body {shlex.quote(result.name)} "
                    f"{shlex.quote(model.source.path)}"
                )
                fixes.setdefault(result.id, []).append(described)
    return fixes, notes


def _describe_fix(
    model: Model, body: Body, judgement: Judgement, result: BodyFix
) -> dict[str, Json]:
    """Describe the numbers of a body after a fix."""
    mass = judgement.mass if result.mass is None else result.mass[1]
    center = judgement.p_BoBcm_B if result.com is None else result.com[1]
    return {
        "cause": result.cause,
        "reason": result.reason,
        "margin": encode_number(result.margin),
        **describe_solid(mass, center, _rotate_to_body(body, result)),
    }


def describe_solid(
    mass: float, center: Sequence[float], I_BBcm_B: Sequence[float]
) -> dict[str, Json]:
    """Describe mass, centre of mass, principal axes and equivalent solids of a body."""
    solid = find_equivalent_solid(mass, I_BBcm_B)
    return {
        "mass": encode_number(mass),
        "com": encode_numbers(center),
        "moments": None if solid is None else encode_numbers(solid.moments),
        "axes": None if solid is None else encode_numbers(solid.R_BS.ravel(), 7),
        "ellipsoid": None if solid is None else encode_numbers(solid.ellipsoid, 7),
        "box": None if solid is None else encode_numbers(solid.box, 7),
    }


def _rotate_to_body(body: Body, result: BodyFix) -> list[float]:
    """Rotate the new tensor of a fix from the inertial's own axes to those of the body."""
    assert body.inertial is not None  # a fixed body has both
    assert result.new is not None
    R_BBi = np.array(body.inertial.R_BBi)
    rotated: list[float] = six(R_BBi @ symmetric(np.array(result.new)) @ R_BBi.T).tolist()
    return rotated
