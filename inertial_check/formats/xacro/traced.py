"""Strings and numbers that keep the place where they were written through every copy by xacro.

xacro passes values on as Python objects: the text of an attribute becomes a property, the property
an argument of a macro, the argument an attribute. A traced object survives all of these copies.
Arithmetic makes plain objects of traced ones, which shows where a copy ends and a computation
begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from inertial_check.model.source import Span


class Holder(Protocol):
    """Interface of a document that maps positions of its text to bytes."""

    def span(self, start: int, end: int) -> Span:
        """Return the bytes between two positions of the text."""


class TextRange(NamedTuple):
    """Interval of positions in the text of a document."""

    document: Holder
    start: int
    end: int


class Located(NamedTuple):
    """Origin of a piece of text.

    Attributes:
        span: Span of the text, or of the expression that computes it.
        verbatim: Whether the text is written there character by character.
    """

    span: Span
    verbatim: bool


class TracedRun(NamedTuple):
    """Part of a traced text that has a single origin.

    Attributes:
        start: Its start in the traced text.
        end: Its end in the traced text.
        where: The characters that it copies, or the expression that computed it.
        places: Position of each character, and the one after the last; None for an expression.
        value: Value of the expression, if it is a copy of another text.
        reprinted: Whether the part prints the number in `value` in other characters.
    """

    start: int
    end: int
    where: TextRange
    places: Sequence[int] | None = None
    value: Traced | None = None
    reprinted: bool = False

    def part(self, start: int, end: int, shift: int) -> TracedRun:
        """Cut the part between two positions of the text, and shift it."""
        start, end = max(start, self.start), min(end, self.end)
        first, last = start - self.start, end - self.start
        where, places, value = self.where, self.places, self.value
        if places is not None:
            places = places[first : last + 1]
            where = TextRange(where.document, places[0], places[-1])
        elif value is not None and (start, end) != (self.start, self.end):
            # Single digits of a number that was printed again have no origin.
            value = None if self.reprinted else value.part(first, last)
        return TracedRun(start + shift, end + shift, where, places, value, self.reprinted)

    def locate(self, start: int, end: int) -> Located:
        """Find the origin of the characters between two positions inside this part."""
        first, last = start - self.start, end - self.start
        if self.places is not None:
            return Located(self.where.document.span(self.places[first], self.places[last]), True)
        found = None
        if self.value is not None and not self.reprinted:
            found = self.value.locate(first, last)
        elif self.value is not None and (start, end) == (self.start, self.end):
            text = self.value.trim()
            found = text.locate(0, len(text))
        return found or Located(self.where.document.span(self.where.start, self.where.end), False)


class Traced(str):
    """A text that keeps the origins of its characters."""

    runs: tuple[TracedRun, ...]

    def __new__(cls, text: str, runs: Iterable[TracedRun] = ()) -> Traced:
        """Make a text from its characters and the origins of its parts, in order."""
        traced = super().__new__(cls, text)
        traced.runs = tuple(runs)
        return traced

    def __str__(self) -> str:
        """Return the text itself, so that str() keeps its origins."""
        return self

    def __deepcopy__(self, _: object) -> Traced:
        """Return the text itself: it never changes, and its origins hold whole documents.

        xacro copies the names of the files that it reads with every macro that it defines.
        """
        return self

    @property
    def where(self) -> TextRange | None:
        """Interval of the document that contains all of the text; None if it is unknown."""
        if not self.runs:
            return None
        first, last = self.runs[0].where, self.runs[-1].where
        return TextRange(first.document, first.start, last.end)

    def part(self, start: int, end: int) -> Traced:
        """Return the characters between two positions with their origins."""
        runs = [
            run.part(start, end, -start) for run in self.runs if run.start < end and start < run.end
        ]
        return Traced(str.__getitem__(self, slice(start, end)), runs)

    def trim(self) -> Traced:
        """Return the text without surrounding space, with its origins."""
        text = self.strip()
        start = self.index(text) if text else 0
        return self.part(start, start + len(text))

    def locate(self, start: int, end: int) -> Located | None:
        """Find the origin of the characters between two positions; None if it is unknown."""
        met = [run for run in self.runs if run.start < end and start < run.end]
        if not met:
            return None
        if len(met) > 1 or start < met[0].start or end > met[0].end:
            first, last = met[0].where, met[-1].where
            return Located(first.document.span(first.start, last.end), False)
        return met[0].locate(start, end)


class TracedFloat(float):
    """A number that keeps the text from which it was read."""

    text: Traced

    def __str__(self) -> str:
        """Print the number, with the origin of its text."""
        return _reprint(float.__repr__(self), self.text)


class TracedInt(int):
    """A whole number that keeps the text from which it was read."""

    text: Traced

    def __str__(self) -> str:
        """Print the number, with the origin of its text."""
        return _reprint(int.__repr__(self), self.text)


def trace_verbatim(text: str, document: Holder, places: Sequence[int]) -> Traced:
    """Trace a text of a document by the positions of its characters and the one after the last."""
    if not text:
        return Traced(text)
    where = TextRange(document, places[0], places[-1])
    return Traced(text, (TracedRun(0, len(text), where, places),))


def trace_value(value: object, where: TextRange | None) -> object:
    """Trace a value to the expression that computed it, unless it is a copy of a traced value.

    Truth values, lists and dictionaries are not traced, since no number is printed from them.
    """
    if isinstance(value, (Traced, TracedFloat, TracedInt, bool)) or where is None:
        return value
    if isinstance(value, (int, float)):
        text = repr(value)
        return trace_number(value, Traced(text, (TracedRun(0, len(text), where),)))
    if isinstance(value, str):
        return Traced(value, (TracedRun(0, len(value), where),))
    return value


def trace_number(value: float, text: Traced) -> float:
    """Trace a number to the text from which it was read."""
    number = TracedInt(value) if isinstance(value, int) else TracedFloat(value)
    number.text = text
    return number


def join_pieces(pieces: Iterable[tuple[object, TextRange | None]]) -> Traced:
    """Join the values of the pieces of a template to one text.

    Args:
        pieces: Values, each with its expression; None instead for text of the template.
    """
    texts: list[str] = []
    runs: list[TracedRun] = []
    at = 0
    for value, where in pieces:
        text = str(value)
        traced = text if isinstance(text, Traced) else None
        if text and where is not None:
            runs.append(TracedRun(at, at + len(text), where, None, traced))
        elif traced is not None:
            runs += [run.part(0, len(text), at) for run in traced.runs]
        texts.append(text)
        at += len(text)
    return Traced("".join(texts), runs)


def _reprint(text: str, source: Traced) -> Traced:
    where = source.where
    if where is None:
        return Traced(text)
    return Traced(text, (TracedRun(0, len(text), where, None, source, text != source),))
