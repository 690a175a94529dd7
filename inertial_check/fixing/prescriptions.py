"""Remedies at the findings of a report: what `fix` writes for each, tried on the whole model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.limits import MOST_EXPLAINED, MOST_TRIED
from inertial_check.checking.report import ByteRange, Finding, JoinedEdit, Remedy, TextReplacement
from inertial_check.checking.settings import Settings
from inertial_check.documents.model import Model
from inertial_check.documents.source import Edit, Source
from inertial_check.errors import InertialCheckError
from inertial_check.fixing.edits import carry_out
from inertial_check.fixing.remedies import RemedyMethod
from inertial_check.fixing.request import FixRequest, Method
from inertial_check.fixing.result import BodyFix, Fix

_SAID = ("cause-refused", "expression", "shared", "unwritten")
"""Statuses of bodies that can exist whose reasons a report shows: numbers are told, and no edit
gives them."""

_LONGEST_EDIT = 10_000
"""Largest length of a replacement that is joined from several edits [bytes]."""


def prescribe(
    examination: Examination, findings: Sequence[Finding], settings: Settings
) -> Sequence[Finding]:
    """Give the findings on a model their remedies.

    Args:
        examination: The model, as it was checked.
        findings: Its findings that count, with their causes.
        settings: The settings of the check.

    Returns:
        The same findings. A finding on a body has the remedy of the body, or that of another one
        which makes it go, as of two twins only one is changed. A model that cannot be fixed as a
        whole has none, nor has one of more than MOST_TRIED bodies, nor have the bodies with
        findings after the first MOST_EXPLAINED.
    """
    model = examination.model.whole
    told = {id_ for each in findings for id_ in each.body_ids or (each.body_id,)}
    first = islice((body.id for body in model.bodies if body.id in told), MOST_EXPLAINED)
    ids = {None, *first}
    some = [each for each in findings if ids.issuperset(each.body_ids or (each.body_id,))]
    if len(model.bodies) > MOST_TRIED:
        return findings
    methods: list[Method] = []
    request = FixRequest(
        unsafe=True,
        all_remedies=True,
        tolerance=settings.tolerance,
        context=settings.context,
        findings=some,
        settings=settings,
        # Bodies of macros are no part of what was examined: a check of the new bytes judges them.
        examination=None if examination.model.macros else examination,
    )
    try:
        fix = carry_out(request, model, methods.append)
    except InertialCheckError:
        return findings  # `fix` itself reports the reason
    (method,) = methods
    assert isinstance(method, RemedyMethod)  # by the request
    tried, together = set(map(id, some)), _find_equals(examination)
    return [_remedy(model, fix, method, f, together) if id(f) in tried else f for f in findings]


_FEW = range(2, 17)
"""Numbers of bodies that change together, chosen: each of their remedies names them all."""


def _find_equals(examination: Examination) -> Mapping[str, set[str]]:
    """The bodies with the numbers of each: its copies, and its twin if no more than signs differ.

    What is wrong with one is wrong with all: if one changed, the digits of the others would refute
    it. Numbers of one digit were made up and refute nothing: of these only pairs change together.
    """
    bodies, judgements = examination.model.bodies, examination.judgements
    numbers = [(each.mass, *map(abs, each.I_BBcm_Bi)) for each in judgements]
    twins = (pair for pair in examination.assembly.twins if len({numbers[i] for i in pair}) == 1)
    alike: dict[tuple[float, ...], list[int]] = defaultdict(list)
    for index, judgement in enumerate(judgements):
        if judgement.mass > 0:
            alike[judgement.ten].append(index)
    found: dict[str, set[str]] = {}
    for group in (*alike.values(), *twins):
        if len(group) in _FEW and (len(group) == 2 or examination.votes.measured[group[0]]):
            ids = {bodies[index].id for index in group}
            found |= {id_: ids | found.get(id_, set()) for id_ in ids}
    return found


def _remedy(
    model: Model, fix: Fix, method: RemedyMethod, finding: Finding, together: Mapping[str, set[str]]
) -> Finding:
    """Give a finding its remedy: that of its bodies, and of their equals that change with them."""
    ids = set(finding.body_ids or ((finding.body_id,) if finding.body_id else ()))
    fixed = [body for body in fix.bodies if body.status == "fixed"]
    own = [body for body in fixed if body.id in ids]
    # The digits of a nearest body are its own.
    told = [each.id for each in own if method.prescribed[each.id].choice.source != "nearest"]
    equals = {other for id_ in told for other in together.get(id_, ())} - ids
    done = own + [body for body in fixed if body.id in equals]
    if not done and ids and not any((finding.code, id_) in method.after for id_ in ids):
        done = [body for body in fixed if body.name in finding.message]
    if done:
        remedy = _describe(model, fix, method, done)
        return finding._replace(remedy=remedy, fix="safe" if remedy.safe else "unsafe")
    left = [body for body in fix.bodies if body.id in ids and not body.intact]
    if not left or (finding.fix is None and left[0].status not in _SAID):
        return finding
    why = "; ".join(dict.fromkeys(body.reason for body in left))
    names, those = tuple(body.name for body in left), tuple(body.id for body in left)
    by_hand = Remedy(names, those, (), "hand", why, 0.0, tuple(filter(None, (left[0].cause,))))
    return finding._replace(remedy=by_hand, fix=None)


def _describe(model: Model, fix: Fix, method: RemedyMethod, done: Sequence[BodyFix]) -> Remedy:
    """The remedy of bodies that are fixed."""
    first = method.prescribed[done[0].id]
    ids = {body.id for body in done}
    edits = sorted({edit for id_ in ids for edit in fix.edits.get(id_, ())})
    others = (clause for id_ in ids for clause in method.prescribed[id_].choice.others)
    return Remedy(
        tuple(body.name for body in done),
        tuple(body.id for body in done),
        tuple(method.texts[body.id] for body in done),
        first.choice.source,
        done[0].reason,
        min(method.prescribed[id_].confidence for id_ in ids),
        tuple(dict.fromkeys(others)),
        tuple(sorted(pair for pair in method.after if pair[1] in ids)),
        all(method.prescribed[id_].safe for id_ in ids),
        ids.isdisjoint(method.burdened),
        max(body.relative_change for body in done),
        tuple(TextReplacement(model.place(edit.span), edit.text) for edit in edits),
        _join(model, edits),
        tuple(edits),
    )


def _join(model: Model, edits: Sequence[Edit]) -> JoinedEdit | None:
    """The edits as one replacement; None without any, or where they are in several documents."""
    if not edits or len({edit.span.file for edit in edits}) > 1:
        return None
    source = model.source_of(edits[0].span)
    range_ = _find_byte_range(source, edits, source.path if edits[0].span.file else None)
    if range_ is None:
        return None
    first, last = edits[0].span.start, edits[-1].span.end
    data = source.data[first:last]
    pieces, at = [], 0
    for edit in edits:
        pieces += [data[at : edit.span.start - first], edit.text.encode()]
        at = edit.span.end - first
    return JoinedEdit(range_, b"".join([*pieces, data[at:]]).decode("utf-8", "replace"))


def _find_byte_range(source: Source, edits: Sequence[Edit], path: str | None) -> ByteRange | None:
    """The range from the first edit to the last; None where lines or bytes are counted otherwise.

    That is so in a document that is not UTF-8, and in one with lone carriage returns. A range that
    is longer than a person reads is none, either.
    """
    data, first, last = source.data, edits[0].span.start, edits[-1].span.end
    if source.encoding.replace("_", "-") not in ("utf-8", "ascii") or last - first > _LONGEST_EDIT:
        return None
    if data.count(b"\r") != data.count(b"\r\n"):
        return None
    line, end_line = (data.count(b"\n", 0, at) + 1 for at in (first, last))
    column, end_column = (at - data.rfind(b"\n", 0, at) for at in (first, last))
    return ByteRange(line, column, end_line, end_column, path)
