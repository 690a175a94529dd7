"""Fix of a model: edits of its document for new numbers, and the test of the new bytes.

Only the numbers of bodies that are fixed change. Before a Fix is returned, its bytes have been read
again, compared, and every body has been judged again. The new numbers come from a method, see
fixing.methods. A draft is a document with inserted placeholders, and the way from its bytes to
those of the original.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Literal, NamedTuple

from inertial_check.checking.engines.usd import contradicts
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.model import (
    ENTRIES,
    NEWTON_ORDER,
    Body,
    Judgement,
    Model,
    Number,
    Role,
    judge,
)
from inertial_check.documents.source import Edit, Source, Span
from inertial_check.errors import InertialCheckError, expect
from inertial_check.fixing.digits import QUATERNION, find_axes, respell
from inertial_check.fixing.methods import EngineTargets, has_proposed_added_mass
from inertial_check.fixing.remedies import choose_method
from inertial_check.fixing.request import (
    CENTER,
    EDITABLE,
    MASS,
    MOMENTS,
    PRODUCTS,
    WHOLE,
    FixRequest,
    Locator,
    Method,
    Proposal,
    Texts,
    collect_editable_numbers,
    describe_place,
    group_by_body,
    is_in_text,
    layer_function,
    propose_all,
    spell_center,
    spell_expressions,
    spell_products,
)
from inertial_check.fixing.result import Fix, FixStatus, LayerWriter, layer_path
from inertial_check.inertia.arrays import quiet
from inertial_check.projection.exact import is_exact_tensor

Changes = Mapping[str, Texts]
"""New texts of the numbers of bodies, by the ids of the bodies."""

Documents = tuple[bytes, tuple[tuple[Source, bytes], ...]]
"""The bytes of a model's own document, and those of the included documents that change."""

_SHORT_NAMES = {
    MASS: "the mass",
    **dict.fromkeys(CENTER, "the centre of mass"),
    **dict.fromkeys(QUATERNION, "the axes"),
}


def settle(
    model: Model,
    context: Context,
    proposals: dict[str, Proposal],
    method: Method,
    targets: EngineTargets,
    locate: Locator | None = None,
) -> Fix:
    """Apply proposals to the bytes of a model, after withdrawing those that must not be applied.

    Args:
        model: As it is.
        context: Where the files are that its document includes.
        proposals: By id, those of each requested body; changed in place where one is withdrawn.
        method: Where they come from.
        targets: The engines that must accept the bodies.
        locate: Describes the place of a span to a reader; None for its line in the model.

    Returns:
        The fix; that of a method which only tries has the old bytes, as the numbers of the model
        are replaced without writing and reading it again.

    Raises:
        InertialCheckError: Something else would change.
    """
    locate = locate or partial(describe_place, model)
    editor = _Editor(model, context, targets.tolerance)
    while True:
        while conflicts := _find_conflicts(model, _changes_of(proposals), locate):
            withdraw(conflicts, proposals, "shared")
        layer = _make_layer(model, _changes_of(proposals))
        if method.tries and _is_local(model, _changes_of(proposals)):
            documents: Documents = model.source.data, ()
            again = imagine(model, _changes_of(proposals))
        elif layer is None:
            documents, again = editor.apply(proposals)
        else:
            path = layer_path(model.source.path)
            documents = layer(path), ()
            again = editor.read(path, documents[0], context, proposals)
        after = targets.predict(again)
        if objections := method.find_objections(again, select_changing(proposals)):
            for id_, (status, why) in objections.items():
                withdraw({id_: why}, proposals, status)
        elif useless := targets.find_useless(after, select_changing(proposals)):
            withdraw(useless, proposals, "engine-refused")
        else:
            break
    bodies = tuple(targets.conclude(each, after).result for each in proposals.values())
    edits: dict[str, tuple[Edit, ...]] = {}
    if layer is None:
        edits = _edits_by_body(model, _changes_of(proposals))
    outside = context.granted.follow_outside
    return Fix(
        model.source, model.format, documents[0], bodies, documents[1], edits, layer, outside
    )


def _is_local(model: Model, changes: Changes) -> bool:
    """Whether the texts that change make nothing else than the inertials that hold them.

    In a template, a number beside them may be used in any place, and axes turn with a quaternion.
    """
    if any(not texts.keys().isdisjoint(QUATERNION) for texts in changes.values()):
        return False
    if not model.rest:
        return True
    spans = {body.id: body.inertial.span for body in model.bodies if body.inertial is not None}
    return all(
        edit.span.file == spans[id_].file
        and spans[id_].start <= edit.span.start <= edit.span.end <= spans[id_].end
        for id_, edits in _edits_by_body(model, changes).items()
        for edit in edits
    )


def imagine(model: Model, changes: Changes) -> Model:
    """The model with new texts of the numbers of bodies, as if they had been written and read."""

    def renew(number: Number, name: str, texts: Texts) -> Number:
        text = texts.get(name)
        return number if text is None else number._replace(value=float(text), text=text)

    def rewrite(body: Body) -> Body:
        texts, inertial = changes.get(body.id, {}), body.inertial
        if texts and inertial is not None:
            center = zip(inertial.p_BoBcm_B, CENTER, strict=True)
            x, y, z = (renew(number, name, texts) for number, name in center)
            mass = inertial.mass and renew(inertial.mass, MASS, texts)
            six = {name: renew(number, name, texts) for name, number in inertial.I_BBcm_Bi.items()}
            axes = tuple(map(tuple, find_axes(inertial, texts).tolist()))
            inertial = inertial._replace(mass=mass, p_BoBcm_B=(x, y, z), R_BBi=axes, I_BBcm_Bi=six)
            return body._replace(inertial=inertial, spellings=respell(body, texts))
        return body

    return replace(model, bodies=tuple(map(rewrite, model.bodies)))


def withdraw(reasons: Mapping[str, str], proposals: dict[str, Proposal], status: FixStatus) -> None:
    """Replace the proposals for some bodies, by id, by one that changes nothing."""
    for id_, reason in reasons.items():
        was = proposals[id_].result
        left = replace(was, status=status, reason=reason, new=None, mass=None, com=None)
        left = replace(left, relative_change=0.0, distance=0.0, margin=was.margin_before)
        left = replace(left, added_mass=None)
        proposals[id_] = Proposal(left)


def select_changing(proposals: Mapping[str, Proposal]) -> dict[str, Proposal]:
    """The proposals that change something."""
    return {id_: proposal for id_, proposal in proposals.items() if proposal.texts}


def _changes_of(proposals: Mapping[str, Proposal]) -> dict[str, Texts]:
    return {id_: proposal.texts for id_, proposal in select_changing(proposals).items()}


@dataclass(frozen=True)
class _Editor:
    """Applies proposals to the documents of a model, and reads and judges the result.

    Attributes:
        model: As it is.
        context: Where the files are that its document includes.
        tolerance: Tolerance of the judgements.
    """

    model: Model
    context: Context
    tolerance: float

    def apply(self, proposals: dict[str, Proposal]) -> tuple[Documents, Model]:
        """The new bytes of the document and of those it includes, and the model that they hold.

        In a template, a number can have effects that only its expansion shows. Proposals with such
        effects are withdrawn.

        Args:
            proposals: By id; changed in place where one is withdrawn.

        Raises:
            InertialCheckError: Something else would change.
        """
        try:
            return self._try(proposals)
        except InertialCheckError:
            if not self.model.rest:
                raise
        # Ids of bodies that can only change together, as the same text states their numbers.
        changes = _changes_of(proposals)
        groups: list[tuple[set[Span], set[str]]] = []
        for id_, edits in _edits_by_body(self.model, changes).items():
            spans, ids = {edit.span for edit in edits}, {id_}
            joined = [group for group in groups if group[0] & spans]
            groups = [group for group in groups if not group[0] & spans]
            groups.append(
                (
                    spans.union(*(each for each, _ in joined)),
                    ids.union(*(each for _, each in joined)),
                )
            )
        for group in [ids for _, ids in groups]:
            try:
                self._try({id_: proposals[id_] for id_ in group})
            except InertialCheckError as error:
                reason = f"its numbers have other effects, too ({error})"
                withdraw(dict.fromkeys(group, reason), proposals, "shared")
        return self._try(proposals)

    def _try(self, proposals: Mapping[str, Proposal]) -> tuple[Documents, Model]:
        changes = _changes_of(proposals)
        # The document's bytes with the new texts, and those of the included documents that change.
        model = self.model
        # A document that is included twice states the numbers of two bodies once: no edit twice.
        edits = dict.fromkeys(chain.from_iterable(_edits_by_body(model, changes).values()))
        data, *others = (
            source.apply_edits(edit for edit in edits if edit.span.file == file)
            for file, source in enumerate((model.source, *model.others))
        )
        pairs = zip(model.others, others, strict=True)
        documents = data, tuple((source, new) for source, new in pairs if new != source.data)
        if not changes:
            return documents, self.model
        overlay = {os.path.abspath(source.path): new for source, new in documents[1]}
        context = replace(self.context, overlay={**self.context.overlay, **overlay})
        return documents, self.read(self.model.source.path, documents[0], context, proposals)

    def read(
        self, path: str, data: bytes, context: Context, proposals: Mapping[str, Proposal]
    ) -> Model:
        """The model of new bytes in which only what is proposed has changed.

        Raises:
            InertialCheckError: Something else changed, or a fixed body is still inconsistent.
        """
        model = self.model
        again = load(data, format=model.format, path=path, context=context)
        again = again.whole if model.whole is model else again
        if again.rest != self._find_rest(proposals):
            raise InertialCheckError(f"{path}: not fixed: more than an inertia would change")
        changes = _changes_of(proposals)
        for difference in compare(model, again, changes):
            if difference.what == "files" and path != model.source.path:
                continue  # a layer beside the document names it as one more file
            reason = "the new document reads as another model"
            if difference.body is not None:
                reason = f"more than the inertia of {difference.body.name} would change"
            raise InertialCheckError(f"{path}: not fixed: {reason}")
        for body, judgement in zip(again.bodies, judge(again, self.tolerance), strict=True):
            if body.id in changes and not _passes(proposals[body.id], body, judgement):
                raise InertialCheckError(
                    f"{path}: not fixed: {body.name} does not pass after writing"
                )
        return again

    def _find_rest(self, proposals: Mapping[str, Proposal]) -> str:
        """The digest of the rest of the document, with the origins that the proposals insert."""
        texts = _changes_of(proposals)
        origins = {
            body.id: (edit,)
            for body in self.model.bodies
            for edit in _edits(self.model, body, texts.get(body.id, {}))
            if self.model.rest and edit.span.start == edit.span.end
        }
        if not origins:
            return self.model.rest
        return Draft.make(self.model, self.context, origins).model.rest


def _passes(proposal: Proposal, body: Body, judgement: Judgement) -> bool:
    """Decide whether a body that was read again has the proposed numbers, and is sound by them."""
    result = proposal.result
    return (
        (result.new is None or judgement.I_BBcm_Bi == result.new)
        and (result.mass is None or judgement.mass == result.mass[1])
        and (result.com is None or judgement.p_BoBcm_B == result.com[1])
        and (
            not proposal.strict
            or (judgement.verdict in WHOLE and is_exact_tensor(judgement.I_BBcm_Bi))
        )
        and has_proposed_added_mass(proposal, body, judgement)
        and not contradicts(body, judgement)
    )


class Difference(NamedTuple):
    """Difference between a document and its new form.

    Attributes:
        what: "bodies" or "files" of the whole model, "surroundings" of a body's inertia, its
            "numbers", or its "problems".
        body: The body as it was; None for the whole model.
        again: The body as it is read again; None for the whole model.
    """

    what: Literal["bodies", "files", "surroundings", "numbers", "problems"]
    body: Body | None = None
    again: Body | None = None


def compare(
    before: Model, after: Model, allowed: Mapping[str, Collection[str]]
) -> Iterator[Difference]:
    """Find what differs in a document that was read again, besides what is to differ.

    Args:
        before: The model as it was.
        after: The model of the new bytes.
        allowed: By the ids of bodies, the names of the numbers that may change or appear; only
            these bodies may lose problems.
    """
    if [body.id for body in after.bodies] != [body.id for body in before.bodies]:
        yield Difference("bodies")
        return
    if [source.path for source in after.others] != [source.path for source in before.others]:
        yield Difference("files")
    for old, new in zip(before.bodies, after.bodies, strict=True):
        free = allowed.get(old.id, ())
        more = _count_problems(new) - _count_problems(old)
        if _describe_surroundings(old, free) != _describe_surroundings(new, free):
            yield Difference("surroundings", old, new)
        elif _list_texts(old, free) != _list_texts(new, free):
            yield Difference("numbers", old, new)
        elif more > 0 or (more < 0 and not free):
            yield Difference("problems", old, new)


def _describe_surroundings(body: Body, free: Collection[str]) -> str:
    """Everything that is read of a body besides its numbers, as text: there a NaN equals itself."""
    axes = None
    if body.inertial is not None and set(free).isdisjoint(QUATERNION):
        axes = body.inertial.R_BBi
    poses = body.X_PB, body.axis_B, body.p_BoJo_B
    return repr((body.name, body.joint, body.moved, body.parent, *poses, axes))


def _list_texts(body: Body, free: Collection[str]) -> dict[str, str]:
    numbers = collect_editable_numbers(body)
    return {name: number.text for name, number in numbers.items() if name not in free}


def _count_problems(body: Body) -> int:
    """Count the problems that the text states: what an engine makes of numbers ends with them."""
    return sum(problem.kind != "engine" for problem in body.problems)


def _find_conflicts(model: Model, changes: Changes, locate: Locator) -> dict[str, str]:
    """Bodies that cannot change as another number has the same text, by id, and why."""
    users: dict[Span, list[tuple[Body, str, str]]] = {}
    for body in model.bodies:
        for name, span, text in _literal_texts(body, changes.get(body.id, {})):
            users.setdefault(span, []).append((body, name, text))
    reasons = {}
    for body in model.bodies:
        texts = changes.get(body.id, {})
        for name, span, text in _literal_texts(body, texts) if texts else ():
            for other, its_name, its_text in users[span] if name in texts else ():
                if its_text != text:
                    reasons[body.id] = (
                        f"{name} = {text} would change {_SHORT_NAMES.get(its_name, its_name)} of "
                        f"{other.name}, which is written by the same text "
                        f"({locate(span)}): write it apart"
                    )
    return reasons


def _literal_texts(body: Body, texts: Texts) -> Iterator[tuple[str, Span, str]]:
    """The numbers of a body that are written literally: name, span, and text after the change."""
    for name, number in collect_editable_numbers(body).items():
        if number.span is not None and number.literal and is_in_text(number):
            yield name, number.span, texts.get(name, number.text)


def _edits_by_body(model: Model, changes: Changes) -> dict[str, tuple[Edit, ...]]:
    return {
        body.id: tuple(_edits(model, body, changes[body.id]))
        for body in model.bodies
        if body.id in changes
    }


def _edits(model: Model, body: Body, texts: Texts) -> Iterator[Edit]:
    """The edits of a body's numbers, wherever its tag states them."""
    numbers = collect_editable_numbers(body)
    # A newton:inertia stays equal to a physics:diagonalInertia that changes.
    if copy := body.find_numbers("physics:diagonalInertia") and body.find_numbers("newton:inertia"):
        renewed = body._replace(spellings=respell(body, texts)).find_numbers("newton:inertia")
        for old, new in zip(copy, renewed, strict=True):
            if is_in_text(old) and old.span is not None and new.text != old.text:
                yield Edit(old.span, new.text)
    implied = any(numbers[name].span is None for name in PRODUCTS if name in texts)
    full = spell_products(model, body, texts) if implied else None
    if full is not None:
        yield full
    if any(numbers[name].span is None for name in CENTER if name in texts):
        origin = spell_center(model, body, texts)
        yield from () if origin is None else (origin,)
    computed = spell_expressions(model, body, texts)
    for name, number in numbers.items():
        text = computed.get(name, texts.get(name, number.text))
        spelt = full is not None and name in ENTRIES
        if number.span is not None and text != number.text and not spelt:
            yield Edit(number.span, text)
            for again in _find_repetitions(model.source_of(number.span), name, number, number.span):
                yield Edit(again, text)


def _find_repetitions(source: Source, name: str, number: Number, span: Span) -> Iterator[Span]:
    """Where the tag around a product states it below the diagonal too: iyx beside ixy.

    Engines read neither, but a tensor that is not symmetric on paper is malformed.
    """
    if name not in ENTRIES or name[1] == name[2]:
        return
    width = len("<".encode(source.encoding))
    start = source.data.rfind("<".encode(source.encoding), 0, span.start) + width
    end = source.data.find(">".encode(source.encoding), span.end)
    tag = source.text(Span(start, end))
    for match in re.finditer(rf"\bi{name[2]}{name[1]}\s*=\s*([\"'])\s*([^\"']*?)\s*\1", tag):
        if _is_number(match[2], number.value):
            before, after = (len(tag[:i].encode(source.encoding)) for i in match.span(2))
            yield Span(start + before, start + after, span.file)


def _is_number(text: str, value: float) -> bool:
    try:
        return float(text) == value
    except ValueError:
        return False


def _make_layer(model: Model, changes: Changes) -> LayerWriter | None:
    """The writer of a layer with the new texts over the model's document; None where edits do."""
    overlay = layer_function(model)
    bodies = [body for body in model.bodies if body.id in changes]
    changed = [(collect_editable_numbers(body), changes[body.id], body.id) for body in bodies]
    reached = all(
        is_in_text(numbers.get(name))
        for numbers, texts, _ in changed
        for name, text in texts.items()
        if name not in numbers or text != numbers[name].text
    )
    copies = {
        body.id: body._replace(spellings=respell(body, changes[body.id])).find_numbers(
            "newton:inertia"
        )
        for body in bodies
        if body.find_numbers("physics:diagonalInertia")
    }
    reached = reached and all(map(is_in_text, chain.from_iterable(copies.values())))
    if overlay is None or reached:
        return None
    layers = {
        id_: {
            name: texts[name] if name in texts else numbers[name].text
            for names in ((MASS,), CENTER, MOMENTS, QUATERNION)
            if not texts.keys().isdisjoint(names)
            for name in names
        }
        | {
            f"newton:{name}": number.text
            for name, number in zip(NEWTON_ORDER, copies.get(id_, ()), strict=False)
        }
        for numbers, texts, id_ in changed
    }
    return partial(overlay, model, layers)


class _Region(NamedTuple):
    """Bytes of an insertion in a draft.

    Attributes:
        insertion: The insertion.
        start: Its first byte.
        end: The byte after its last one.
        shift: By how much the bytes after it are further back than in the original.
    """

    insertion: Edit
    start: int
    end: int
    shift: int


@dataclass(frozen=True)
class Draft:
    """A model's document with insertions.

    Attributes:
        original: The model without them.
        model: The model with them.
        context: Where the files are that the document includes, with their insertions.
        insertions: The insertions in the order of their places, each once.
    """

    original: Model
    model: Model
    context: Context
    insertions: tuple[Edit, ...]

    @classmethod
    def make(cls, model: Model, context: Context, plans: Mapping[str, Iterable[Edit]]) -> Draft:
        """Insert what was planned for some bodies, by their ids, and read the document again.

        Raises:
            InertialCheckError: More than their numbers would change, or they do not state them.
            ValueError: Two insertions overlap.
        """
        # A template, or a document that is included twice, holds two bodies: no insertion twice.
        insertions = tuple(
            sorted(dict.fromkeys(chain.from_iterable(plans.values())), key=_sort_key)
        )
        if not insertions:
            return cls(model, model, context, ())
        data, *others = (
            source.apply_edits(edit for edit in insertions if edit.span.file == file)
            for file, source in enumerate((model.source, *model.others))
        )
        overlay = {
            os.path.abspath(source.path): new
            for source, new in zip(model.others, others, strict=True)
            if new != source.data
        }
        context = replace(context, overlay={**context.overlay, **overlay})
        again = load(data, format=model.format, path=model.source.path, context=context)
        # Refuse insertions that change more than the inertials of some bodies.
        inserted = set(plans)
        allowed = {
            body.id: [name for name in EDITABLE if not is_in_text(numbers.get(name))]
            for body in model.bodies
            if body.id in inserted
            for numbers in (collect_editable_numbers(body),)
        }
        for what, old, new in compare(model, again, allowed):
            reason = _WORDS.get(what, "").format("" if old is None else old.name)
            if what == "problems" and new is not None:
                reason = new.problems[0].message
            raise InertialCheckError(f"{model.source.path}: {reason}")
        return cls(model, again, context, insertions)

    def finish(self, fix: Fix) -> tuple[bytes, tuple[tuple[Source, bytes], ...]]:
        """The bytes of the document and of included ones once numbers have changed in the draft.

        Args:
            fix: The change of the numbers.
        """
        changed = {source.path: new for source, new in fix.others}
        pairs = [
            (old, changed.get(new.path, new.data))
            for old, new in zip(self.original.others, self.model.others, strict=True)
        ]
        return fix.data, tuple((source, new) for source, new in pairs if new != source.data)

    def compose(self, planned: Sequence[Edit], edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """Join the insertions for a body with edits of the draft to edits of the original."""
        texts = {each: [each.text] for each in planned}
        outside: list[Edit] = []
        inside: dict[Edit, list[Edit]] = {each: [] for each in planned}
        for edit in edits:
            around, span = self._locate(edit.span)
            if around is None:
                outside.append(Edit(span, edit.text))
            elif around in inside:
                inside[around].append(Edit(span, edit.text))
        for each, own in inside.items():
            source = self.original.source_of(each.span)
            data = Source("", each.text.encode(source.encoding), source.encoding)
            texts[each] = [data.apply_edits(own).decode(source.encoding)]
        joined = [Edit(each.span, "".join(texts[each])) for each in planned]
        return tuple(sorted([*joined, *outside], key=_sort_key))

    def find_original(self, span: Span) -> Span | None:
        """Find the place of a span of the draft in the original; None for what is inserted."""
        around, place = self._locate(span)
        return place if around is None else None

    def describe_place(self, span: Span) -> str:
        """Describe the place of a span of the draft to a reader of the original."""
        place = self.find_original(span)
        return "to be inserted" if place is None else describe_place(self.original, place)

    def _locate(self, span: Span) -> tuple[Edit | None, Span]:
        """Find the insertion around a span of the draft, and the span in it or in the original."""
        regions = self._regions.get(span.file, [])
        index = bisect_right(regions, span.start, key=lambda region: region.start) - 1
        if index < 0:
            return None, span
        region = regions[index]
        if span.end <= region.end:
            return region.insertion, Span(span.start - region.start, span.end - region.start)
        return None, Span(span.start - region.shift, span.end - region.shift, span.file)

    @cached_property
    def _regions(self) -> dict[int, list[_Region]]:
        """The bytes of the insertions in the draft, in order, by the number of the document."""
        regions: dict[int, list[_Region]] = {}
        for each in self.insertions:
            own = regions.setdefault(each.span.file, [])
            start = each.span.start + (own[-1].shift if own else 0)
            end = start + len(each.text.encode(self.original.source_of(each.span).encoding))
            own.append(_Region(each, start, end, end - each.span.end))
        return regions


def _sort_key(edit: Edit) -> tuple[int, int, int]:
    return edit.span.file, edit.span.start, edit.span.end


_WORDS = {
    "bodies": "the new document reads as another model",
    "files": "the new document includes other files",
    "surroundings": "more than the inertia of {} would change",
    "numbers": "other numbers of {} would change",
}
"""Differences that are refused, in words, by Difference.what."""


def fix_model(  # noqa: PLR0913 - the public signature
    model_or_path: Model | str | os.PathLike[str] | bytes,
    *,
    method: str = "remedy",
    metric: str | None = None,
    margin: float = 0.0,
    engines: Sequence[str] = (),
    cause: int | None = None,
    shapes: Sequence[Role] = (),
    move_com: bool = False,
    max_change: float | None = None,
    unsafe: bool = False,
    bodies: Collection[str] = (),
    select: Collection[str] = (),
    all_remedies: bool = False,
    tolerance: float = 0.0,
    context: Context | None = None,
) -> Fix:
    """Write the remedies of a model: what its findings tell, or else the nearest body that exists.

    A remedy is written if the model, checked with it as a whole, has fewer findings on the body and
    no new one. Without `unsafe` it must be sure: within the printed digits, told by a cause, a twin
    or a part of the same kind with at least 97 %, or the nearest body within `max_change` where no
    probable cause says otherwise. The nearest body passes a test without any tolerance after it has
    been printed and parsed, in float64 and rounded to float32; its mass, centre of mass and axes
    stay as written, unless `move_com` says otherwise.

    Args:
        model_or_path: A loaded model, a path, or a document's bytes.
        method: "remedy", as above; "nearest", the least change; "geometry", the written mass spread
            evenly over the body's own shapes, also for consistent bodies that are chosen by
            `bodies` or `select`.
        metric: Which change is least: "inertia", that of the tensor (the default), or "covariance",
            that of the second moment of the mass.
        margin: Least margin of the results, 0 to 1/3.
        engines: Names of engines that must accept the bodies as written; consistent bodies that one
            of them would refuse or change are moved, too, above its absolute floors.
        cause: Instead, write what this probable cause of a body's findings says was meant, counted
            from 1, the most probable.
        shapes: Roles of the shapes under "geometry", "collision" and "visual", best first; both if
            empty.
        move_com: Under "geometry", give the body the centre of mass of its shapes, too.
        max_change: Larger relative changes of the inertia are made only if `unsafe`; None for 0.05,
            and for any change under `cause`.
        unsafe: Also make changes larger than max_change.
        bodies: Names or ids of the only bodies to look at; all if empty.
        select: Only bodies with findings of these rules (codes, prefixes, names); all if empty.
        all_remedies: Write the remedies of all bodies; else those of bodies that are chosen by
            `bodies` or `select`, or are inconsistent, if only by rounding.
        tolerance: Bodies with margins down to -tolerance count as consistent.
        context: Where the files are that the document includes.

    Returns:
        The new bytes, not written, and the result for each body.

    Raises:
        DocumentError: The document cannot be read.
        ParameterError: An unknown metric, or a margin outside 0 to 1/3.
        UsageError: No such body, rule, engine or method, a max_change that is no relative change, a
            cause together with an option that it replaces.

    Example:
        >>> fix = ic.fix_model("data/defects/ic305-rounding.urdf")
        >>> print([(body.name, body.status, body.reason) for body in fix.bodies])
        [('base', 'unchanged', ''), ('body', 'fixed', 'its moments change by 1.31 %')]
    """
    expect(Model, "path", bytes, model_or_path=model_or_path)
    expect("texts", engines=engines, shapes=shapes, bodies=bodies, select=select)
    engines, shapes = tuple(engines), tuple(shapes)
    expect("whole", "nothing", cause=cause)
    expect("flag", move_com=move_com, all_remedies=all_remedies)
    expect("number", "nothing", max_change=max_change)
    expect("number", tolerance=tolerance)
    expect(Context, "nothing", context=context)
    request = FixRequest(
        method=method,
        metric=metric,
        margin=margin,
        engines=engines,
        cause=cause,
        shapes=shapes,
        move_com=move_com,
        max_change=max_change,
        unsafe=unsafe,
        bodies=bodies,
        select=select,
        all_remedies=all_remedies,
        tolerance=tolerance,
        context=context or Context(),
    )
    return carry_out(request, model_or_path)


@quiet
def carry_out(
    request: FixRequest,
    model_or_path: Model | str | os.PathLike[str] | bytes,
    keep: Callable[[Method], None] = lambda method: None,
) -> Fix:
    """Fix a model as a request says; see fix_model. `keep` gets the method before it is asked.

    Raises:
        DocumentError: See fix_model, as for the others.
        ParameterError: A value that is out of range.
        UsageError: A name that does not exist, or options that exclude each other.
    """
    request.validate()
    context, tolerance = request.context, request.tolerance
    if isinstance(model_or_path, Model):
        model = model_or_path
    else:
        model = load(model_or_path, context=context)
    model = model.whole
    ids = request.choose_bodies(model)
    if request.findings is not None:  # what is tried is what findings speak of
        ids &= group_by_body(request.find_findings(model)).keys()
    targets = EngineTargets.of(model, request.engines, tolerance)
    method = choose_method(model, request, targets)
    keep(method)
    chosen = bool(request.bodies or request.select)
    proposals = propose_all(model, method, ids, chosen, request.judge(model))
    return settle(model, context, proposals, method, targets)
