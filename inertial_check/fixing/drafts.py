"""A document with inserted placeholders, and the way from its bytes to those of the original."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from inertial_check.errors import InertialCheckError
from inertial_check.fixing.case import (
    EDITABLE,
    collect_editable_numbers,
    describe_place,
    is_in_text,
)
from inertial_check.fixing.edits import compare
from inertial_check.fixing.result import Fix
from inertial_check.formats import Context, load
from inertial_check.model import Edit, Model, Source, Span


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
        _refuse_differences(model, again, plans)
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


def _refuse_differences(before: Model, after: Model, ids: Iterable[str]) -> None:
    """Refuse insertions that change more than the inertials of some bodies.

    Raises:
        InertialCheckError: The message names what would change.
    """
    inserted = set(ids)
    allowed = {
        body.id: [name for name in EDITABLE if not is_in_text(numbers.get(name))]
        for body in before.bodies
        if body.id in inserted
        for numbers in (collect_editable_numbers(body),)
    }
    for what, old, new in compare(before, after, allowed):
        reason = _WORDS.get(what, "").format("" if old is None else old.name)
        if what == "problems" and new is not None:
            reason = new.problems[0].message
        raise InertialCheckError(f"{before.source.path}: {reason}")
