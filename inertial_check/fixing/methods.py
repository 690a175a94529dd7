"""The three methods of a fix: the nearest tensor, the shapes of a body, or a cause of a finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import floor, log10
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.checking.check import FINDINGS_ONLY, check_model
from inertial_check.errors import UsageError
from inertial_check.fixing.added_mass import propose_added_mass
from inertial_check.fixing.case import (
    BROKEN,
    CENTER,
    MASS,
    WHOLE,
    Case,
    Change,
    Method,
    Proposal,
    Texts,
    format_percent,
)
from inertial_check.fixing.digits import (
    FEWEST_DIGITS,
    format_exactly,
    format_number,
    print_nearest,
)
from inertial_check.fixing.engine_targets import EngineTargets
from inertial_check.fixing.request import FixRequest
from inertial_check.geometry.shapes import ROLES, GeometryReader, Reading, ShapeUse, check_choices
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import six as six_of
from inertial_check.inertia.scaling import LARGEST, SMALLEST
from inertial_check.inertia.tolerances import DIGITS_LOST, digits_margin
from inertial_check.model import ENTRIES, Finding, Hypothesis, Model, Number, Role, Severity
from inertial_check.model.judging import measure_open_share

_MESH_READINGS: tuple[Reading, ...] = ("solid", "flipped", "hull")
"""Readings of a mesh that may be tried; the reason of the result names the one that was taken."""

_PASSES = (*WHOLE, "rounding")
"""Verdicts that a body may have once a cause is undone: too few digits are not the cause."""


def choose_method(model: Model, request: FixRequest, targets: EngineTargets) -> Method:
    """The method that a request asks for, ready for the bodies of a model.

    Raises:
        UsageError: An unknown role of shapes, or a cause that is not counted from 1.
    """
    if request.cause is not None:
        return _CauseMethod(request.cause, request, _find_causes(model, request))
    if request.method == "geometry":
        return _GeometryMethod(model, request, targets)
    return NearestMethod(request, targets)


@dataclass(frozen=True)
class NearestMethod(Method):
    """Gives bodies that are inconsistent, or that an engine refuses, the nearest tensor.

    Attributes:
        request: What is asked of every body.
        targets: The engines that must accept them.
    """

    request: FixRequest
    targets: EngineTargets

    def propose(self, case: Case, chosen: bool) -> Proposal:
        """Propose the nearest tensor of the region, and the nearest added mass of a fluid.

        Whether the body was chosen makes no difference.
        """
        return propose_added_mass(case, self._propose_rigid(case), self.request)

    def _propose_rigid(self, case: Case) -> Proposal:
        """Propose the nearest tensor of the region."""
        refusal = self.targets.describe_refusal(case)
        if (obstacle := case.find_obstacle()) is not None:
            return case.skip(*obstacle)
        broken = case.judgement.verdict in BROKEN
        if not (broken or refusal) or not case.has_stated_inertia():
            return case.skip("unchanged")
        if case.judgement.numerically_zero:
            why = "it is smaller than a micrometre; write the body's inertia"
            return case.skip("numerically-zero", f"{refusal}: {why}" if refusal else why)
        open_share = measure_open_share(case.body)
        if case.judgement.verdict == "rounding" and open_share > DIGITS_LOST:
            why = (
                "its printed digits say nothing about the body; write more of them, or use "
                "--method geometry"
            )
            return case.skip("digits-lost", f"{refusal}: {why}" if refusal else why)
        found = _propose_tensor(case, case.six, self.request, self.targets, remark=refusal)
        return replace(found, for_engine=not broken)


def _propose_tensor(  # noqa: PLR0911, PLR0913 - a reason each; a tensor, what changes with it, and words for both
    case: Case,
    tensor: Floats,
    request: FixRequest,
    targets: EngineTargets,
    *,
    others: Texts | None = None,
    remark: str = "",
    noun: str = "moments",
) -> Proposal:
    """Propose the tensor of the region nearest to one, in the fewest digits.

    Args:
        case: The body, which has six numbers.
        tensor: (6,) in the document's own units and the inertial's own axes.
        request: What is asked of it.
        targets: The engines that must accept it.
        others: New texts of other numbers that change with it.
        remark: What the reason of the result says besides.
        noun: What changes, in the words of the reason.
    """
    floors = targets.floors(case.body)
    # Floors are in kg m^2, the tensor in the document's own units.
    region = replace(request.region, floors=floors._replace(moment=floors.moment / case.unit))
    size = float(np.max(np.abs(tensor)))
    if not (size == 0 or SMALLEST < size < LARGEST):
        return case.skip("not-representable", "no decimals of its size survive float32")
    nearest = region.find_nearest(tensor)
    if nearest is None:
        return case.skip("no-nearest", "the nearest tensor is zero; write the body's inertia")
    six = print_nearest(case.entries, nearest, region)
    if six is None:
        return case.skip("not-representable", "no decimals of its size survive float32")
    wanted = dict(zip(ENTRIES, six, strict=True)) | dict(others or {})
    numbers = case.numbers
    texts = {name: text for name, text in wanted.items() if text != numbers[name].text}
    if (obstacle := case.find_uneditable(texts)) is not None:
        return case.skip(*obstacle)
    measured = case.measure_change(texts, request.region.metric)
    change, tail = measured["relative_change"], f"; {remark}" if remark else ""
    if limit := request.explain_limit(noun, change):
        return case.skip("needs-unsafe", limit + tail, **measured)
    if not texts:
        return case.skip("unchanged", remark)
    verb = "change" if noun.endswith("s") else "changes"
    reason = f"its {noun} {verb} by {format_percent(change)}{tail}"
    return Proposal(case.report("fixed", reason, **measured), texts)


class _Solid(NamedTuple):
    """The solid that the shapes of a body form.

    Attributes:
        role: Role of the shapes.
        unit: Parameters of the solid at unit density, in the body frame.
        remarks: What some of the shapes were read as, one line each.
    """

    role: Role
    unit: InertialParameters
    remarks: tuple[str, ...]


class _GeometryMethod(Method):
    """Gives bodies the inertia of their shapes, filled evenly with the mass that is written."""

    def __init__(self, model: Model, request: FixRequest, targets: EngineTargets) -> None:
        if request.shapes:
            check_choices("shapes", request.shapes, ROLES)
        self._reader = GeometryReader(model, "solid", _MESH_READINGS, request.context)
        self._roles = tuple(request.shapes) or ROLES
        self._request, self._targets = request, targets

    def propose(self, case: Case, chosen: bool) -> Proposal:
        """Propose the inertia of its shapes for a body that is broken, chosen, or refused.

        Shapes say nothing of a fluid: its added mass becomes the nearest, beside the new inertia.
        """
        return propose_added_mass(case, self._propose_rigid(case, chosen), self._request)

    def _propose_rigid(self, case: Case, chosen: bool) -> Proposal:
        """Propose the inertia of the shapes.

        The tensor is that of the shapes about their own centre, at the mass that is written: what
        I_BBcm is to be if the shapes are right, wherever the centre of mass is written.
        """
        if (obstacle := case.find_obstacle()) is not None:
            return case.skip(*obstacle)
        wanted = chosen or case.judgement.verdict in BROKEN
        if not (wanted or self._targets.describe_refusal(case)) or not case.has_stated_inertia():
            return case.skip("unchanged")
        if not case.judgement.mass > 0:
            return case.skip("unchanged", "it has no mass that its shapes could hold")
        solid = self._build_solid(case)
        if isinstance(solid, str):
            return case.skip("no-geometry", solid)
        # The solid has a volume, so its unit mass is positive.
        share = case.judgement.mass / float(solid.unit.mass)
        tensor = _express_in_axes(case, share * np.asarray(solid.unit.inertia_com))
        center = np.asarray(solid.unit.com, dtype=float)
        reach = float(np.sqrt(np.trace(solid.unit.central_second_moment) / solid.unit.mass))
        found = _propose_tensor(
            case,
            tensor,
            self._request,
            self._targets,
            others=_print_center(case, center, reach) if self._request.move_com else {},
            remark="; ".join(self._remarks(case, solid, center)),
            noun="inertia",
        )
        return replace(found, for_engine=not wanted)

    def _build_solid(self, case: Case) -> _Solid | str:
        """The solid of the first role whose shapes are all solid; or why there is none."""
        reasons: list[str] = []
        for role in self._roles:
            geometry = self._reader.body(case.body, (role,))
            faulty = [use for use in geometry.shapes if use.reading is None]
            if geometry.unit is not None and not faulty:
                remarks = tuple(
                    f"{_describe_shape(use)} taken as {use.reading}: {use.reason}"
                    for use in geometry.shapes
                    if use.reason is not None
                )
                return _Solid(role, geometry.unit, remarks)
            reasons += [f"{_describe_shape(use)}: {use.reason}" for use in faulty]
        words = "; ".join(dict.fromkeys(reasons))
        return words or f"it has no {' or '.join(self._roles)} shapes"

    def _remarks(self, case: Case, solid: _Solid, center: Floats) -> Iterator[str]:
        yield f"as its {solid.role} shapes hold {case.judgement.mass:.6g} kg evenly"
        yield from solid.remarks
        away = float(np.linalg.norm(center - np.array(case.judgement.p_BoBcm_B)))
        if away > 0:
            verb = "moves" if self._request.move_com else "stays"
            yield f"its centre of mass {verb}, {away:.3g} m from that of the shapes"


def _describe_shape(use: ShapeUse) -> str:
    kind = f"{use.shape.role} {use.shape.kind or 'shape'}"
    return f"{kind} {use.shape.uri}" if use.shape.uri else kind


def _express_in_axes(case: Case, I_BBcm_B: Floats) -> Floats:
    """(6,) entries in the inertial's own axes and the document's units, without rounding noise.

    An entry below the last digit that is written of the largest is set to zero.
    """
    R_BBi = np.eye(3) if case.body.inertial is None else np.array(case.body.inertial.R_BBi)
    tensor: Floats = six_of(R_BBi.T @ I_BBcm_B @ R_BBi) / case.unit
    largest = float(np.max(np.abs(tensor)))
    return np.where(np.abs(tensor) < digits_margin(FEWEST_DIGITS) / 2 * largest, 0.0, tensor)


def _print_center(case: Case, center: Floats, reach: float) -> dict[str, str]:
    """Texts of a centre of mass [m], down to the last digit that matters for a body of this size.

    Args:
        case: The body.
        center: (3,) in the body frame [m].
        reach: Root mean square distance of the body's matter from the centre [m].
    """
    numbers, finest = case.numbers, reach * digits_margin(FEWEST_DIGITS)
    texts = {}
    for name, meters in zip(CENTER, center.tolist(), strict=True):
        number, value = numbers[name], meters / case.meters
        if abs(meters - number.value * case.meters) <= finest / 2:
            texts[name] = number.text
        elif abs(meters) <= finest / 2:
            texts[name] = "0"
        else:
            digits = max(1, 1 + floor(log10(abs(meters))) - floor(log10(finest)))
            texts[name] = format_number(value, digits, number.text)
    return texts


@dataclass(frozen=True)
class _CauseMethod(Method):
    """Undoes the same probable cause, by its rank, for every body.

    Attributes:
        rank: Which cause, from 1, the most probable.
        request: How large the changes may be, and how the model is checked.
        findings: Findings with causes on the model as it is, by the ids of the bodies; one on the
            whole model stands under each body that it concerns.
    """

    rank: int
    request: FixRequest
    findings: Mapping[str, tuple[Finding, ...]]

    def propose(self, case: Case, chosen: bool) -> Proposal:
        """Propose the numbers that the cause says were meant, and the nearest added mass.

        A chosen body is reported even if no cause is known. Causes say nothing of a fluid, whose
        added mass is judged beside the numbers that were meant.
        """
        return propose_added_mass(case, self._propose_rigid(case, chosen), self.request)

    def _propose_rigid(self, case: Case, chosen: bool) -> Proposal:
        """Propose the numbers that the cause says were meant."""
        findings = self.findings.get(case.body.id, ())
        if (malformed := case.find_malformed_text()) is not None:
            return case.skip(*malformed)
        if not (findings or chosen or case.judgement.verdict in BROKEN):
            return case.skip("unchanged")
        # What is said of the whole model comes first, where it says what to write here.
        for finding in findings:
            if finding.bodies and len(finding.causes) >= self.rank:
                common = finding.causes[self.rank - 1]
                if _find_entries(case, common):
                    return self._undo(case, common)
        own = [finding for finding in findings if not finding.bodies]
        if not own and findings:
            own = list(findings)
        causes = own[0].causes if own else ()
        if len(causes) < self.rank:
            return case.skip("no-such-cause", _list_causes(causes))
        return self._undo(case, causes[self.rank - 1])

    def _undo(self, case: Case, hypothesis: Hypothesis) -> Proposal:
        cause, meant = hypothesis.cause, _find_entries(case, hypothesis)
        if not meant:
            reason = f"{cause}: {hypothesis.evidence}; which numbers undo it cannot be told"
            return case.skip("cause-without-edit", reason, cause=cause)
        numbers = case.numbers
        texts = {
            name: format_exactly(meant[name], numbers[name].text if name in numbers else "0")
            for name in (MASS, *CENTER, *ENTRIES)
            if name in meant
        }
        texts = {name: text for name, text in texts.items() if _differs(numbers.get(name), text)}
        if not texts:
            reason = f"{cause}: {hypothesis.evidence}; what it says was meant is what is written"
            return case.skip("cause-without-edit", reason, cause=cause)
        if (obstacle := case.find_uneditable(texts)) is not None:
            return case.skip(*obstacle, cause=cause)
        if len(case.body.inertial.I_BBcm_Bi if case.body.inertial else ()) < len(ENTRIES):
            return case.skip("unwritten", "some of its six numbers are not written", cause=cause)
        measured: Change = {**case.measure_change(texts), "cause": cause}
        edits = ", ".join(f"{name} {numbers[name].text} -> {texts[name]}" for name in texts)
        change = measured["relative_change"]
        if limit := self.request.explain_limit("inertia", change):
            return case.skip("needs-unsafe", f"{cause}: {edits}; {limit}", **measured)
        reason = f"{cause}: {edits}; its inertia changes by {format_percent(change)}"
        result = case.report("fixed", reason, **measured)
        return Proposal(result, texts, f"{cause}: {edits}", strict=False)

    def find_objections(self, again: Model, changing: Mapping[str, Proposal]) -> dict[str, str]:
        """Bodies that are no better after the change, by id, and why.

        The most severe findings with causes must be gone, no error may be new, and the body must be
        consistent.
        """
        report = check_model(again, self.request.check_settings, FINDINGS_ONLY)
        verdicts = {body.id: body.judgement.verdict for body in report.bodies}
        reasons = {}
        for id_, proposal in changing.items():
            findings = self.findings.get(id_, ())
            worst = max(finding.severity for finding in findings)
            # Bodies that keep the mistake still vote for it: it is gone when all are changed.
            together = all(changing.keys() >= set(each.body_ids) for each in findings)
            before = {finding.code for finding in findings if finding.severity == worst}
            left = [
                finding
                for finding in report.findings
                if (finding.body_id == id_ or (id_ in finding.body_ids and together))
                and (finding.code in before or finding.severity is Severity.ERROR)
            ]
            if left:
                why = f"{left[0].code} {left[0].message}"
            elif verdicts[id_] not in _PASSES:
                why = f"it would be {verdicts[id_]}"
            else:
                continue
            reasons[id_] = f"{proposal.edits} would not do: {why}"
        return reasons


def _differs(number: Number | None, text: str) -> bool:
    """Whether a text states another number; the digits may be others, as a computation rounds."""
    return number is None or float(text) != number.value


def _find_causes(model: Model, request: FixRequest) -> dict[str, tuple[Finding, ...]]:
    """The findings that have causes, by the body's id.

    Raises:
        UsageError: Causes are counted from 1.
    """
    if request.cause is not None and request.cause < 1:
        raise UsageError(f"cause is {request.cause}; causes are counted from 1, the most probable")
    found: dict[str, tuple[Finding, ...]] = {}
    findings = request.findings
    if findings is None:
        findings = check_model(model, request.check_settings).findings
    for finding in findings:
        concerned = finding.body_ids or ((finding.body_id,) if finding.body_id else ())
        for id_ in concerned if finding.causes else ():
            found[id_] = (*found.get(id_, ()), finding)
    return found


def _find_entries(case: Case, hypothesis: Hypothesis) -> Mapping[str, float]:
    """The entries that a cause would write for a body; none where it has no edit of it."""
    edit = hypothesis.edit or {}
    bodies = edit.get("bodies", {})
    own = bodies.get(case.body.name, bodies.get(case.body.id, {})) if bodies else edit
    entries: Mapping[str, float] = own.get("entries", {})
    return entries


def _list_causes(causes: tuple[Hypothesis, ...]) -> str:
    if not causes:
        return "no cause of it is known"
    names = ", ".join(f"{i} {each.cause}" for i, each in enumerate(causes, 1))
    return f"its probable causes are {names}"
