"""Base class of the readers of bodies in XML: numbers with their places, and problems."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from inertial_check.formats.numbers import parse_number, quote
from inertial_check.formats.xml.document import XmlDocument
from inertial_check.formats.xml.markup import QUOTED, WORD, XML_SPACE, Element, PlacedText
from inertial_check.model.body import Number, Problem, ProblemKind
from inertial_check.model.source import Span

_SEPARATORS = re.compile(r"[,;]")
_LONGEST = 100
"""Largest number of characters of a text whose numbers are remembered."""


class PlainNumber(NamedTuple):
    """A number to which nothing is to be said, with its start and end in a text."""

    value: float
    text: str
    start: int
    end: int


def parse_plain(text: str) -> tuple[PlainNumber, ...] | None:
    """Parse numbers separated by space; None if one has a complaint, or the text is long.

    Texts repeat: more than half of the origins in robot models are zeros.
    """
    return _parse_known(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=8192)
def _parse_known(text: str) -> tuple[PlainNumber, ...] | None:
    found = []
    for match in WORD.finditer(text):
        value, complaint = parse_number(match[0])
        if complaint is not None:
            return None
        found.append(PlainNumber(value, match[0], *match.span()))
    return tuple(found)


@lru_cache(maxsize=8192)
def _parse_quoted(text: str) -> PlainNumber | None:
    """Parse a value with its quotes, which is one number; None if it is anything else."""
    word = text[1:-1].strip(XML_SPACE)
    value, complaint = parse_number(word)
    if complaint is not None:
        return None
    start = text.index(word, 1)
    return PlainNumber(value, word, start, start + len(word))


class TextReader:
    """Reads the numbers of one body and collects the problems of its text."""

    def __init__(self, document: XmlDocument, who: str) -> None:
        """Begin without a problem.

        Args:
            document: Document that contains the body.
            who: Name of the body in messages.
        """
        self._document = document
        self._who = who
        self._problems: list[Problem] = []

    def _problem(self, message: str, span: Span, kind: ProblemKind = "malformed") -> None:
        self._problems.append(Problem(kind, f"{self._who}: {message}", span))

    def _complain(self, element: Element, message: str) -> None:
        self._problem(f"<{element.tag}> {message}", self._document.tag_span(element))

    def _first_child(self, parent: Element, tag: str) -> Element | None:
        """Return the first child with exactly this tag, as engines do; note other candidates."""
        first = None
        for child in parent.children:
            if child.tag.lower() != tag:
                continue
            if child.tag == tag and first is None:
                first = child
            elif child.tag == tag:
                what = f"a second <{tag}> in <{parent.tag}>; the first is taken: delete one"
                self._problem(what, self._document.tag_span(child))
            else:
                self._complain(child, f"is ignored by engines: write <{tag}>")
        return first

    def _parse_number(self, what: str, text: str, start: int, end: int) -> Number:
        """Parse one number; `what` names it in a message."""
        value, complaint = parse_number(text)
        span = self._document.span(start, end)
        if complaint:
            self._problem(f"{what}: {complaint}", span)
        return Number(value, text, span)

    def _read_attributes(self, element: Element, names: Iterable[str]) -> dict[str, Number]:
        """Read those of the named attributes that an element has, each of them one number."""
        plain = self._read_plain(element)
        if plain is not None:
            return plain
        texts = self._document.attributes(element)
        return {
            name: self._parse_value(f"{name} of <{element.tag}>", texts[name])
            for name in names
            if name in texts
        }

    def _read_plain(self, element: Element) -> dict[str, Number] | None:
        """Read all attributes of an element; None if one is not a number as most are written."""
        document = self._document
        if document.problems:  # perhaps it is not well-formed, and values are not quoted
            return None
        locate, found = document.span, {}
        values = QUOTED.finditer(document.text, element.start)
        for name, match in zip(element.attributes, values, strict=False):
            quoted = match[0]
            plain = _parse_quoted(quoted) if len(quoted) <= _LONGEST else None
            if plain is None:
                return None
            value, word, start, end = plain
            at = match.start()
            found[name] = tuple.__new__(Number, (value, word, locate(at + start, at + end), True))
        return found

    def _read_plain_series(self, element: Element, name: str, count: int) -> list[Number] | None:
        """Read an attribute of `count` numbers; None if they are not written as most are."""
        document = self._document
        if document.problems:  # as in _read_plain
            return None
        values = QUOTED.finditer(document.text, element.start)
        for attribute, match in zip(element.attributes, values, strict=False):
            if attribute == name:
                plain = parse_plain(match[0][1:-1])
                if plain is None or len(plain) != count:
                    return None
                at, locate = match.start() + 1, document.span
                return [
                    tuple.__new__(Number, (value, word, locate(at + start, at + end), True))
                    for value, word, start, end in plain
                ]
        return None

    def _parse_value(self, what: str, text: PlacedText) -> Number:
        """Parse a text that is one number; `what` names it in a message."""
        plain = parse_plain(text.value)
        if plain is None or len(plain) != 1:
            return self._parse_number(what, *text.trim())
        value, word, start, end = plain[0]
        return Number(value, word, self._document.span(text.places[start], text.places[end]))

    def _parse_series(self, what: str, text: PlacedText, count: int, names: str) -> list[Number]:
        """Parse `count` numbers separated by space; all are NaN if the text holds another count."""
        plain = parse_plain(text.value)
        if plain is not None and len(plain) == count:
            places, locate = text.places, self._document.span
            return [
                tuple.__new__(Number, (value, word, locate(places[start], places[end]), True))
                for value, word, start, end in plain
            ]
        pieces = list(islice(text.pieces(), count + 1))
        words = [] if len(pieces) > count else _SEPARATORS.sub(" ", text.value).split()
        commas = len(words) == count and words != [piece for piece, _, _ in pieces]
        meant = commas and all(parse_number(word)[1] is None for word in words)
        if len(pieces) == count and not meant:
            return [self._parse_number(what, *piece) for piece in pieces]
        whole, start, end = text.trim()
        span = self._document.span(start, end)
        expected = "a number" if count == 1 else f"{count} numbers"
        way = f"write {' '.join(words)}" if meant else f"expected {expected}, {names}"
        self._problem(f"{what}: {quote(whole)}: {way}", span)
        return [Number(math.nan, whole, span)] * count
