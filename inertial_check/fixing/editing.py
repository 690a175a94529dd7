"""New texts onto spans: what one text states for several numbers, and the bytes that result."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any

from inertial_check.errors import UsageError
from inertial_check.fixing.case import (
    CENTER,
    MASS,
    QUATERNION,
    Texts,
    changeable,
)
from inertial_check.fixing.obstacles import is_in_text, spot
from inertial_check.fixing.result import Layer
from inertial_check.formats import FORMATS
from inertial_check.model import ENTRIES, Body, Edit, Model, Number, Source, Span

Changes = Mapping[str, Texts]
"""By the id of a body, the new texts of its numbers by their names."""

Documents = tuple[bytes, tuple[tuple[Source, bytes], ...]]
"""The bytes of a model's own document, and those of the included ones that change."""


def unknown_bodies(model: Model, bodies: Collection[str]) -> list[str]:
    """Those of the names and ids that no body of the model has."""
    known = {key for body in model.bodies for key in (body.name, body.id)}
    return [name for name in bodies if name not in known]


def named_bodies(model: Model, bodies: Collection[str]) -> set[str]:
    """Ids of the bodies with these names or ids; of all if there are none.

    Raises:
        UsageError: A body that does not exist.
    """
    if unknown := unknown_bodies(model, bodies):
        raise UsageError(f"{model.source.path}: no body is called {unknown[0]!r}")
    return {body.id for body in model.bodies if not bodies or {body.name, body.id} & set(bodies)}


def with_the_same_text(model: Model, chosen: set[str]) -> set[str]:
    """Ids of the bodies that change with those, as a text that is included can state several."""
    stated = {body.id: _places(body) for body in model.bodies}
    places = {stated[id_] for id_ in chosen} - {()}
    return chosen | {id_ for id_ in stated if stated[id_] in places}


def _places(body: Body) -> tuple[Span | str, ...]:
    """Where each number of a body's inertia stands, or the default; () where none is written."""
    numbers = body.inertial.I_BBcm_Bi.values() if body.inertial is not None else ()
    if not any(number.span for number in numbers) or not all(map(_is_text, numbers)):
        return ()
    return tuple(number.span or number.text for number in numbers)


def _is_text(number: Number) -> bool:
    """Whether a number is a default or text, not binary data."""
    return number.span is None or number.span.start < number.span.end


def disagreeing(model: Model, changes: Changes) -> dict[str, str]:
    """Bodies that cannot change because what they change stands for another number too, and why."""
    users: dict[Span, list[tuple[Body, str, str]]] = {}
    for body in model.bodies:
        for name, span, text in _wished(body, changes.get(body.id, {})):
            users.setdefault(span, []).append((body, name, text))
    reasons = {}
    for body in model.bodies:
        texts = changes.get(body.id, {})
        for name, span, text in _wished(body, texts):
            for other, its_name, its_text in users[span] if name in texts else ():
                if its_text != text:
                    reasons[body.id] = (
                        f"{name} = {text} would change {_SPOKEN.get(its_name, its_name)} of "
                        f"{other.name}, which is written by the same text ({spot(model, span)}): "
                        "write it apart"
                    )
    return reasons


_SPOKEN = {
    MASS: "the mass",
    **dict.fromkeys(CENTER, "the centre of mass"),
    **dict.fromkeys(QUATERNION, "the axes"),
}


def _wished(body: Body, texts: Texts) -> Iterator[tuple[str, Span, str]]:
    """The literal numbers of a body: name, where it stands, and the text that it is to have."""
    for name, number in changeable(body).items():
        if number.span is not None and number.literal and _is_text(number):
            yield name, number.span, texts.get(name, number.text)


def groups(model: Model, changes: Changes) -> list[set[str]]:
    """Bodies that can only change together, as the same text states their numbers."""
    found: list[tuple[set[Span], set[str]]] = []
    for body in model.bodies:
        if body.id not in changes:
            continue
        spans = {edit.span for edit in _edits(model, body, changes[body.id])}
        joined = [group for group in found if group[0] & spans]
        found = [group for group in found if not group[0] & spans]
        found.append(
            (
                spans.union(*(group[0] for group in joined)),
                {body.id}.union(*(group[1] for group in joined)),
            )
        )
    return [ids for _, ids in found]


def edited(model: Model, changes: Changes) -> Documents:
    """The document's bytes with the new texts, and those of the included ones that change."""
    # A document that is included twice states two bodies once.
    edits = dict.fromkeys(
        edit
        for body in model.bodies
        if body.id in changes
        for edit in _edits(model, body, changes[body.id])
    )
    data, *others = (
        source.apply_edits(edit for edit in edits if edit.span.file == file)
        for file, source in enumerate((model.source, *model.others))
    )
    pairs = zip(model.others, others, strict=True)
    return data, tuple((source, new) for source, new in pairs if new != source.data)


def _edits(model: Model, body: Body, texts: Texts) -> Iterator[Edit]:
    """The new texts on the spans of a body's numbers, and wherever the tag states them again."""
    for name, number in changeable(body).items():
        text = texts.get(name, number.text)
        if number.span is not None and text != number.text:
            yield Edit(number.span, text)
            for again in _repeated(model.source_of(number.span), name, number, number.span):
                yield Edit(again, text)


def _repeated(source: Source, name: str, number: Number, span: Span) -> Iterator[Span]:
    """Where the tag around a number states it below the diagonal too: iyx beside ixy.

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


_PROPERTIES = ((MASS,), CENTER, ("ixx", "iyy", "izz"), QUATERNION)
"""What a layer overrides as a whole."""


def layer_over(model: Model, changes: Changes) -> Layer | None:
    """What writes a document with the new texts over the model's; None where edits do."""
    overlay: Any = getattr(FORMATS.get(model.format), "overlay", None)
    changed = [
        (changeable(body), changes[body.id], body.id) for body in model.bodies if body.id in changes
    ]
    reached = all(
        is_in_text(numbers.get(name))
        for numbers, texts, _ in changed
        for name, text in texts.items()
        if name not in numbers or text != numbers[name].text
    )
    if overlay is None or reached:
        return None
    layers = {
        id_: {
            name: texts[name] if name in texts else numbers[name].text
            for names in _PROPERTIES
            if not texts.keys().isdisjoint(names)
            for name in names
        }
        for numbers, texts, id_ in changed
    }
    return partial(overlay, model, layers)
