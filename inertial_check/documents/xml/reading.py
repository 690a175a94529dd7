"""Base class of the readers of bodies in XML: numbers with their places, and problems."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import islice

from inertial_check.documents.model import Number, Problem, ProblemKind
from inertial_check.documents.numbers import parse_number, quote
from inertial_check.documents.source import Span
from inertial_check.documents.xml.document import XmlDocument
from inertial_check.documents.xml.markup import Element, PlacedText

_SEPARATORS = re.compile(r"[,;]")


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
        texts = self._document.attributes(element)
        return {
            name: self._parse_number(f"{name} of <{element.tag}>", *texts[name].trim())
            for name in names
            if name in texts
        }

    def _parse_series(self, what: str, text: PlacedText, count: int, names: str) -> list[Number]:
        """Parse `count` numbers separated by space; all are NaN if the text holds another count."""
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
