"""The three methods of a fix: the nearest tensor, the shapes of a body, or a cause of a finding.

Engines that must accept a model as it is written add floors to the nearest tensor. The nearest
added mass of a fluid is the positive semidefinite matrix with the least ||D (A' - A) D||_F, where D
takes the units away: masses of body and fluid together count as one, and so do their inertias. Its
sum with a body that has an inertia in every direction has one, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, log10

import numpy as np

from inertial_check.checking.engines.base import Floors
from inertial_check.checking.engines.catalogue import exact_engines, floors, predict
from inertial_check.checking.evidence.likeness import (
    has_known_numbers,
    is_to_blame,
    measure_added_mass,
    read_added_mass,
)
from inertial_check.checking.remedies import SOURCES, find_entries
from inertial_check.checking.report import MOTIONS, Hypothesis, Prediction, name_added_mass
from inertial_check.checking.settings import validate_engine
from inertial_check.checking.shapes.evidence import (
    ROLES,
    GeometryReader,
    ShapeUse,
    check_choices,
)
from inertial_check.documents.model import (
    ENTRIES,
    Body,
    Judgement,
    Model,
    Number,
    judge,
    measure_open_share,
)
from inertial_check.fixing.digits import (
    ALIGNED,
    FEWEST_DIGITS,
    MOST_DIGITS,
    QUATERNION,
    diagonalise,
    format_exactly,
    format_number,
    print_nearest,
    print_numbers,
    spell_moments,
    turn_quaternion,
)
from inertial_check.fixing.request import (
    BROKEN,
    CENTER,
    MASS,
    MOMENTS,
    PRODUCTS,
    WHOLE,
    Case,
    Change,
    FixRequest,
    Method,
    Proposal,
    Texts,
    format_percent,
    is_in_text,
)
from inertial_check.fixing.result import INTACT, REFUSALS, EngineActions
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import LARGEST, SMALLEST, symmetric
from inertial_check.inertia.representations import six as six_of
from inertial_check.inertia.tolerances import (
    DIGITS_LOST,
    NEAREST_WRITTEN,
    SOLVED_FACTOR,
    digits_margin,
)
from inertial_check.inertia.tolerances import floor as floor_of

_LAST_BITS_REFUSAL = "may reject it (by the last bits of the moments that it computes)"

Predictions = Mapping[str, Mapping[str, Prediction]]
"""Predicted action of each engine, by the ids of bodies and the names of engines."""


@dataclass(frozen=True)
class EngineTargets:
    """Engines that must accept the bodies as they are written.

    Attributes:
        engines: Names of the engines.
        tolerance: Tolerance of the judgements on which predictions are based.
        before: Predictions for the model as it is.
    """

    engines: tuple[str, ...]
    tolerance: float
    before: Predictions

    @classmethod
    def of(cls, model: Model, engines: Sequence[str], tolerance: float) -> EngineTargets:
        """Predict what engines do with a model as it is.

        Raises:
            UsageError: An unknown engine.
        """
        for engine in engines:
            validate_engine(engine)
        targets = cls(tuple(dict.fromkeys(engines)), tolerance, {})
        return replace(targets, before=targets.predict(model))

    def predict(self, model: Model) -> Predictions:
        """What each of the engines does with the bodies of a model; empty without engines."""
        if not self.engines:
            return {}
        predictions = predict(model, judge(model, self.tolerance))
        return {
            body.id: {engine: each[engine] for engine in self.engines if engine in each}
            for body, each in zip(model.bodies, predictions, strict=True)
        }

    def floors(self, body: Body) -> Floors:
        """The highest floors of all engines for a body [kg m^2]."""
        return floors(body, self.engines)

    def describe_refusal(self, case: Case) -> str:
        """What the engines do with a body as it is, in words; "" where all surely accept it."""
        words = _describe_refusals(self.before.get(case.body.id, {}))
        products = [case.numbers[name].value for name in PRODUCTS if name in case.numbers]
        if not words and case.judgement.verdict == "boundary" and any(products):
            return "; ".join(f"{each} {_LAST_BITS_REFUSAL}" for each in exact_engines(self.engines))
        return words

    def find_useless(self, after: Predictions, changing: Mapping[str, Proposal]) -> dict[str, str]:
        """Bodies that change for engines only without any engine's acceptance, by id, and why."""
        return {
            id_: f"{refusal}, also with what would be written: {proposal.result.reason}"
            for id_, proposal in changing.items()
            if proposal.for_engine
            and (refusal := _describe_refusals(after.get(id_, {})))
            and not self._is_accepted_by_more(id_, after[id_])
        }

    def _is_accepted_by_more(self, id_: str, after: Mapping[str, Prediction]) -> bool:
        """Whether an engine accepts a body that it refused before."""
        before = self.before.get(id_, {})
        return any(
            was.action in REFUSALS and after[engine].action not in REFUSALS
            for engine, was in before.items()
        )

    def conclude(self, proposal: Proposal, after: Predictions) -> Proposal:
        """Add to a proposal what the engines do with its body before and after."""
        result = proposal.result
        before, then = self.before.get(result.id, {}), after.get(result.id, {})
        actions = {
            engine: EngineActions(was.action, then[engine].action) for engine, was in before.items()
        }
        result = replace(result, engines=actions)
        refusal = _describe_refusals(then)
        if refusal and result.status == "fixed":
            result = replace(result, reason=f"{result.reason}; still {refusal}")
        elif refusal and result.status in INTACT:
            why = result.reason or "no other inertia that fix could write changes that"
            result = replace(result, status="engine-refused", reason=f"{refusal}; {why}")
        return replace(proposal, result=result)


def _describe_refusals(predictions: Mapping[str, Prediction]) -> str:
    """What the engines do that refuse a body, in words; "" where all accept it."""
    words = []
    for engine, prediction in predictions.items():
        if prediction.action in REFUSALS:
            message = f" ({prediction.message})" if prediction.message else ""
            words.append(f"{engine} {prediction.action}s it{message}")
    return "; ".join(words)


def propose_added_mass(  # noqa: PLR0911 - a reason each
    case: Case, rigid: Proposal, request: FixRequest
) -> Proposal:
    """Add to the proposal for a rigid body the nearest added mass, where its own is to blame.

    Args:
        case: The body.
        rigid: What is proposed for the body without its fluid.
        request: What is asked of it.
    """
    inertial = case.body.inertial
    if inertial is None or not inertial.fluid_added_mass or case.body.inertia_from != "file":
        return rigid
    if rigid.result.status not in ("unchanged", "fixed"):
        return rigid
    # The judgement with the numbers of the body as they are proposed.
    proposed_result, judgement = rigid.result, case.judgement
    if not rigid.texts or proposed_result.new is None or case.body.inertial is None:
        pass
    else:
        R = np.array(case.body.inertial.R_BBi)
        xx, xy, xz, yy, yz, zz = proposed_result.new
        I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T  # noqa: E741 - inertia
        six = tuple(float(I[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
        mass = judgement.mass if proposed_result.mass is None else proposed_result.mass[1]
        center = judgement.p_BoBcm_B if proposed_result.com is None else proposed_result.com[1]
        judgement = judgement._replace(mass=mass, p_BoBcm_B=center, I_BBcm_B=six)
    before = np.array(read_added_mass(inertial))
    if not np.all(np.isfinite(before)):
        return case.skip("non-finite", "its added mass is not finite")
    if not has_known_numbers(judgement, before.tolist()):
        return rigid
    margins = measure_added_mass([judgement], [before.tolist()])[0]
    if not is_to_blame(margins):
        return rigid
    found = _print_nearest(case, judgement, before)
    if found is None:
        return case.skip("not-representable", "no decimals of its added mass survive")
    after, texts = found
    if (obstacle := case.find_uneditable(texts)) is not None:
        return case.skip(*obstacle)
    D = _remove_units(judgement, before)
    size, moved = np.linalg.norm(D * before), np.linalg.norm(D * (after - before))
    change = float(moved / size)
    matrices = tuple(tuple(tuple(row) for row in matrix.tolist()) for matrix in (before, after))
    words = f"its added mass changes by {format_percent(change)}"
    reason = f"{rigid.result.reason}; {words}" if rigid.texts else words
    result = replace(
        rigid.result, status="fixed", reason=reason, added_mass=(matrices[0], matrices[1])
    )
    if limit := request.explain_limit("added mass", change):
        return Proposal(replace(result, status="needs-unsafe", reason=limit))
    strict = rigid.strict and bool(rigid.texts)
    return Proposal(result, {**rigid.texts, **texts}, rigid.edits or words, strict)


def has_proposed_added_mass(proposal: Proposal, body: Body, judgement: Judgement) -> bool:
    """Whether a body that was read again has the proposed added mass, and an inertia with it."""
    wanted = proposal.result.added_mass
    if wanted is None:
        return True
    if body.inertial is None:
        return False
    written = read_added_mass(body.inertial)
    return written == [list(row) for row in wanted[1]] and not is_to_blame(
        measure_added_mass([judgement], [np.array(written).tolist()])[0]
    )


def find_nearest_semidefinite(matrix: Floats, D: Floats, least: float = 0.0) -> Floats:
    """The matrix A' >= 0 with the least ||D (A' - A) D||_F; exactly symmetric.

    Args:
        matrix: (6, 6) A, symmetric.
        D: (6, 6) products of the factors by which rows and columns lose their units.
        least: What negative eigenvalues become, without units: 0, or more to survive rounding.
    """
    scaled = D * matrix
    values, vectors = np.linalg.eigh(scaled)
    rounding = _rounding(scaled)
    if values[0] >= -rounding:
        return matrix
    # Eigenvalues that are zero stay so: they belong to entries that the file does not write.
    found = (vectors * np.where(values < -rounding, least, values)) @ vectors.T
    # Entries that are zero by the structure of the matrix come out as rounding.
    found = np.where(np.abs(found) <= rounding, 0.0, (found + found.T) / 2)
    return np.asarray(found / D)


def _print_nearest(case: Case, judgement: Judgement, before: Floats) -> tuple[Floats, Texts] | None:
    """The nearest added mass as it is printed, and its texts; None if no digits hold it."""
    D = _remove_units(judgement, before)
    tries = [(0.0, FEWEST_DIGITS), *((NEAREST_WRITTEN, d) for d in range(FEWEST_DIGITS, 13))]
    for least, digits in (*tries, (0.0, MOST_DIGITS)):
        nearest = find_nearest_semidefinite(before, D, least)
        # A matrix in decimals, and the texts of the entries that change.
        assert case.body.inertial is not None
        numbers, after, texts = name_added_mass(case.body.inertial), before.copy(), {}
        for name, number in numbers.items():
            i, j = (MOTIONS.index(letter) for letter in name)
            if nearest[i, j] == before[i, j]:
                continue
            text = format_number(float(nearest[i, j]), digits, number.text)
            after[i, j] = after[j, i] = float(text)
            texts[name] = text
        scaled = D * after
        semidefinite = np.linalg.eigvalsh(scaled)[0] >= -_rounding(scaled)
        if semidefinite and not is_to_blame(measure_added_mass([judgement], [after.tolist()])[0]):
            return after, texts
    return None


def _rounding(scaled: Floats) -> float:
    """Size of an eigenvalue that is rounding, of a matrix without units."""
    return float(SOLVED_FACTOR * np.finfo(np.float64).eps * np.max(np.abs(scaled)))


def _remove_units(judgement: Judgement, added: Floats) -> Floats:
    """(6, 6) factors by which an added mass loses its units: as judge_added_mass, about Bo."""
    center, mass = np.array(judgement.p_BoBcm_B), judgement.mass
    linear = mass + float(np.linalg.norm(added[:3, :3]))
    turning = float(np.linalg.norm(judgement.I_BBcm_B)) + mass * float(center @ center)
    angular = turning + float(np.linalg.norm(added[3:, 3:]))
    roots = [1 / np.sqrt(size) if size > 0 else 1.0 for size in (*[linear] * 3, *[angular] * 3)]
    return np.outer(roots, roots)


PASSES = (*WHOLE, "rounding")
"""Verdicts that a body may have once a cause is undone: too few digits are not the cause."""


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
        return propose_added_mass(case, self.propose_rigid(case), self.request)

    def propose_rigid(self, case: Case) -> Proposal:
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
        found = propose_tensor(case, case.six, self.request, self.targets, remark=refusal)
        return replace(found, for_engine=not broken)


def propose_tensor(  # noqa: PLR0911, PLR0913 - a reason each; a tensor, what changes with it, and words for both
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


class GeometryMethod(Method):
    """Gives bodies the inertia of their shapes, filled evenly with the mass that is written."""

    def __init__(self, model: Model, request: FixRequest, targets: EngineTargets) -> None:
        if request.shapes:
            check_choices("shapes", request.shapes, ROLES)
        self._reader = GeometryReader(model, "solid", ("solid", "flipped", "hull"), request.context)
        self._roles = tuple(request.shapes) or ROLES
        self._request, self._targets = request, targets

    def propose(self, case: Case, chosen: bool) -> Proposal:
        """Propose the inertia of its shapes for a body that is broken, chosen, or refused.

        Shapes say nothing of a fluid: its added mass becomes the nearest, beside the new inertia.
        """
        return propose_added_mass(case, self.propose_rigid(case, chosen), self._request)

    def propose_rigid(self, case: Case, chosen: bool) -> Proposal:
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
        unit, remarks = solid
        # The solid has a volume, so its unit mass is positive.
        share = case.judgement.mass / float(unit.mass)
        # (6,) entries in the inertial's own axes and the document's units, without rounding noise.
        I_BBcm_B = share * np.asarray(unit.inertia_com)
        R_BBi = np.eye(3) if case.body.inertial is None else np.array(case.body.inertial.R_BBi)
        tensor: Floats = six_of(R_BBi.T @ I_BBcm_B @ R_BBi) / case.unit
        largest = float(np.max(np.abs(tensor)))
        tensor = np.where(np.abs(tensor) < digits_margin(FEWEST_DIGITS) / 2 * largest, 0.0, tensor)
        center = np.asarray(unit.com, dtype=float)
        reach = float(np.sqrt(np.trace(unit.central_second_moment) / unit.mass))
        away = float(np.linalg.norm(center - np.array(case.judgement.p_BoBcm_B)))
        if away > 0:
            verb = "moves" if self._request.move_com else "stays"
            remarks.append(f"its centre of mass {verb}, {away:.3g} m from that of the shapes")
        found = propose_tensor(
            case,
            tensor,
            self._request,
            self._targets,
            others=_print_center(case, center, reach) if self._request.move_com else {},
            remark="; ".join(remarks),
            noun="inertia",
        )
        return replace(found, for_engine=not wanted)

    def _build_solid(self, case: Case) -> tuple[InertialParameters, list[str]] | str:
        """The solid of the first role whose shapes are all solid; or why there is none.

        Returns:
            Its parameters at unit density, in the body frame, and remarks on its shapes.
        """
        reasons: list[str] = []
        for role in self._roles:
            geometry = self._reader.body(case.body, (role,))
            faulty = [use for use in geometry.shapes if use.reading is None]
            if geometry.unit is not None and not faulty:
                remarks = [
                    f"{_describe_shape(use)} taken as {use.reading}: {use.reason}"
                    for use in geometry.shapes
                    if use.reason is not None
                ]
                held = f"as its {role} shapes hold {case.judgement.mass:.6g} kg evenly"
                return geometry.unit, [held, *remarks]
            reasons += [f"{_describe_shape(use)}: {use.reason}" for use in faulty]
        words = "; ".join(dict.fromkeys(reasons))
        return words or f"it has no {' or '.join(self._roles)} shapes"


def _describe_shape(use: ShapeUse) -> str:
    kind = f"{use.shape.role} {use.shape.kind or 'shape'}"
    return f"{kind} {use.shape.uri}" if use.shape.uri else kind


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


def undo_cause(
    case: Case, hypothesis: Hypothesis, request: FixRequest, everywhere: Iterable[str]
) -> Proposal:
    """Propose the numbers that a cause says were meant.

    Args:
        case: The body.
        hypothesis: The cause.
        request: What is asked.
        everywhere: The texts of all numbers of the model.
    """
    cause, meant = hypothesis.cause, find_entries(hypothesis, case.body.name, case.body.id)
    if not meant:
        reason = f"{cause}: {hypothesis.evidence}; which numbers undo it cannot be told"
        return case.skip("cause-without-edit", reason, cause=cause)
    numbers = case.numbers
    # Numbers may have been exchanged in the body, or come from another one as they stand there.
    elsewhere = cause in SOURCES or "source" in (hypothesis.edit or {})
    others = everywhere if elsewhere else [number.text for number in numbers.values()]
    texts = {
        name: format_exactly(meant[name], numbers[name].text if name in numbers else "0", others)
        for name in (MASS, *CENTER, *ENTRIES)
        if name in meant
    }
    if cause == "wrong-formula":  # with the last bits that the file's own formula gives
        formulas = spell_moments(case.model, case.body)
        texts |= {name: repr(formulas[name][0]) for name in texts if name in formulas}
    texts = {name: text for name, text in texts.items() if _differs(numbers.get(name), text)}
    texts = _turn_axes(case, texts)
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
    limit = request.explain_limit("inertia", change)
    if hypothesis.veto and not request.unsafe:
        limit = f"{hypothesis.veto}; --unsafe writes it all the same"
    if limit:
        return case.skip("needs-unsafe", f"{cause}: {edits}; {limit}", **measured)
    by = f" by {format_percent(change)}" if np.isfinite(change) else " from nothing"
    reason = f"{cause}: {edits}; its inertia changes{by}"
    result = case.report("fixed", reason, **measured)
    return Proposal(result, texts, f"{cause}: {edits}", strict=False)


def _turn_axes(case: Case, texts: dict[str, str]) -> dict[str, str]:
    """New texts with moments and a turn of the axes in place of products, where none is in text.

    Without a quaternion that the document states, or that a layer can, they stay as they are.
    """
    inertial, numbers = case.body.inertial, case.numbers
    wanted = [name for name in PRODUCTS if name in texts]
    if inertial is None or not wanted or any(is_in_text(numbers[name]) for name in wanted):
        return texts
    written = inertial.quaternion or (ALIGNED if case.can_be_layered() else None)
    if written is None:
        return texts
    tensor = symmetric(np.array([float(texts.get(e, numbers[e].text)) for e in ENTRIES]))
    unmoved = float(floor_of(np.ones(())))
    moments, turn = diagonalise(tensor, unmoved * float(np.max(np.abs(tensor))))
    axes = turn_quaternion([number.value for number in written], turn)
    old = [numbers[name] for name in MOMENTS]
    new = {name: text for name, text in texts.items() if name not in ENTRIES}
    printed = print_numbers(old, moments.tolist(), FEWEST_DIGITS, 0.0)
    new |= zip(MOMENTS, printed, strict=True)
    new |= zip(QUATERNION, print_numbers(written, axes.tolist(), FEWEST_DIGITS, 0.0), strict=True)
    return {name: text for name, text in new.items() if _differs(numbers.get(name), text)}


def _differs(number: Number | None, text: str) -> bool:
    """Whether a text states another number; the digits may be others, as a computation rounds."""
    return number is None or float(text) != number.value
