"""Strings and numbers that know where they were written, through every copy that xacro makes.

xacro passes values around as Python objects: an attribute's text becomes a property, the property
a macro's argument, the argument an attribute. A traced object survives all of that. Arithmetic
gives plain objects, and so says by itself where a copy ends and a computation begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from inertial_check.model.source import Span


class Holder(Protocol):
    """A document that turns places in its text into bytes."""

    def span(self, start: int, end: int) -> Span:
        """The bytes between two places of the text."""


class TextRange(NamedTuple):
    """A stretch of a document's text."""

    document: Holder
    start: int
    end: int


class Located(NamedTuple):
    """Where a piece of text comes from.

    Attributes:
        span: Where it stands, or where the expression stands that computes it.
        verbatim: It stands there character by character.
    """

    span: Span
    verbatim: bool


class TracedRun(NamedTuple):
    """A stretch of a traced text that has one origin.

    Attributes:
        start: Where it begins in the traced text.
        end: Where it ends there.
        where: The characters that it copies, or the expression that gave it.
        places: Where each character stands, and past the last; None for what an expression gave.
        value: What the expression evaluated to, if that was a copy of another text.
        reprinted: The stretch shows the number that `value` states, in other characters.
    """

    start: int
    end: int
    where: TextRange
    places: Sequence[int] | None = None
    value: Traced | None = None
    reprinted: bool = False

    def part(self, start: int, end: int, shift: int) -> TracedRun:
        """What lies of it between two places of the text, moved."""
        start, end = max(start, self.start), min(end, self.end)
        first, last = start - self.start, end - self.start
        where, places, value = self.where, self.places, self.value
        if places is not None:
            places = places[first : last + 1]
            where = TextRange(where.document, places[0], places[-1])
        elif value is not None and (start, end) != (self.start, self.end):
            # Digits of a number that was printed anew stand nowhere.
            value = None if self.reprinted else value.part(first, last)
        return TracedRun(start + shift, end + shift, where, places, value, self.reprinted)

    def locate(self, start: int, end: int) -> Located:
        """Where the characters between two places of the text, within this run, come from."""
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
    """A text whose characters know where they come from."""

    runs: tuple[TracedRun, ...]

    def __new__(cls, text: str, runs: Iterable[TracedRun] = ()) -> Traced:
        """A text with the origins of its stretches, in order."""
        traced = super().__new__(cls, text)
        traced.runs = tuple(runs)
        return traced

    def __str__(self) -> str:
        """Itself, so that str() keeps the trace."""
        return self

    @property
    def where(self) -> TextRange | None:
        """The stretch of the document that holds all of it; None where nothing is known."""
        if not self.runs:
            return None
        first, last = self.runs[0].where, self.runs[-1].where
        return TextRange(first.document, first.start, last.end)

    def part(self, start: int, end: int) -> Traced:
        """The characters between two places, traced."""
        runs = (run.part(start, end, -start) for run in self.runs if _meets(run, start, end))
        return Traced(str.__getitem__(self, slice(start, end)), runs)

    def trim(self) -> Traced:
        """Without surrounding space, traced."""
        text = self.strip()
        start = self.index(text) if text else 0
        return self.part(start, start + len(text))

    def locate(self, start: int, end: int) -> Located | None:
        """Where the characters between two places come from; None where nothing is known."""
        met = [run for run in self.runs if _meets(run, start, end)]
        if not met:
            return None
        if len(met) > 1 or start < met[0].start or end > met[0].end:
            first, last = met[0].where, met[-1].where
            return Located(first.document.span(first.start, last.end), False)
        return met[0].locate(start, end)


class TracedFloat(float):
    """A number that knows the text it was read from."""

    text: Traced

    def __str__(self) -> str:
        """As a float prints, traced to the text it was read from."""
        return _reprint(float.__repr__(self), self.text)


class TracedInt(int):
    """A whole number that knows the text it was read from."""

    text: Traced

    def __str__(self) -> str:
        """As an int prints, traced to the text it was read from."""
        return _reprint(int.__repr__(self), self.text)


def trace_verbatim(text: str, document: Holder, places: Sequence[int]) -> Traced:
    """A text that stands in a document, its characters at these places (and past the last)."""
    if not text:
        return Traced(text)
    where = TextRange(document, places[0], places[-1])
    return Traced(text, (TracedRun(0, len(text), where, places),))


def trace_value(value: object, where: TextRange | None) -> object:
    """What an expression gave: numbers and texts that are no copies now stem from the expression.

    Truth values, lists and dictionaries stay what they are; no number is made of them directly.
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
    """A number that was read from a text."""
    number = TracedInt(value) if isinstance(value, int) else TracedFloat(value)
    number.text = text
    return number


def join_pieces(pieces: Iterable[tuple[object, TextRange | None]]) -> Traced:
    """One text of what the pieces of a template gave.

    Args:
        pieces: Values; with each the expression that gave it, None for text of the template.
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


def _meets(run: TracedRun, start: int, end: int) -> bool:
    return run.start < end and start < run.end


def _reprint(text: str, source: Traced) -> Traced:
    where = source.where
    if where is None:
        return Traced(text)
    return Traced(text, (TracedRun(0, len(text), where, None, source, text != source),))
