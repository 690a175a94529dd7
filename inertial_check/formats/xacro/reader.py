"""Reader of xacro files: the URDF to which a file expands, with places in the xacro files.

The file is expanded in a process of its own (run.py) and read as a URDF. Then every place in the
expanded document is replaced by its origin in the files: for a number, the literal that was copied,
or else the expression that computes it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import partial

from inertial_check.errors import NotAModelError
from inertial_check.formats.context import Context
from inertial_check.formats.numbers import parse_number
from inertial_check.formats.rest import digest_rest
from inertial_check.formats.urdf import reader as urdf
from inertial_check.formats.xacro.constants import NAME
from inertial_check.formats.xacro.run import Expansion, expand
from inertial_check.model.body import Body, Inertial, Model, Number, Problem
from inertial_check.model.shape import Shape, Shapes
from inertial_check.model.source import Source, Span


def read_model(source: Source, context: Context) -> Model:
    """Expand a xacro file and read the URDF; arguments and errors are those of xacro.read."""
    expansion = expand(source, context)
    try:
        model = urdf.read_model(Source(source.path, expansion.data))
    except NotAModelError as error:
        raise NotAModelError(source.path, f"expanded, {error.reason}") from None
    places = _PlaceMap(expansion)
    problems = (
        *(Problem("repair", text, span) for text, span in expansion.repairs),
        *(Problem("reference", text, span) for text, span in expansion.unmatched),
        *places.problems(model.problems),
    )
    return Model(
        expansion.sources[0],
        NAME,
        model.name,
        tuple(places.body(body) for body in model.bodies),
        problems,
        expansion.sources[1:],
        digest_rest(expansion.data, model.bodies),
    )


class _PlaceMap:
    """Maps places in the expanded document to places in the files that it was made from."""

    def __init__(self, expansion: Expansion) -> None:
        self._expansion = expansion
        self._starts = [element.start for element in expansion.elements]
        self._word_starts = [start for start, _ in expansion.words]
        self._words = list(expansion.words.items())

    def body(self, body: Body) -> Body:
        """Map every place of a body."""
        shapes: Sequence[Shape] = ()
        if isinstance(body.shapes, Shapes):
            shapes = Shapes(partial(self._shapes, body.shapes))
        return body._replace(
            span=self._span(body.span),
            inertial=None if body.inertial is None else self._inertial(body.inertial),
            problems=tuple(self.problems(body.problems)),
            shapes=shapes,
        )

    def problems(self, problems: Iterable[Problem]) -> list[Problem]:
        """Map the places of problems."""
        return [problem._replace(span=self._span(problem.span)) for problem in problems]

    def _shapes(self, shapes: Shapes) -> tuple[Shape, ...]:
        return tuple(shape._replace(span=self._span(shape.span)) for shape in shapes)

    def _inertial(self, inertial: Inertial) -> Inertial:
        x, y, z = (self._number(number) for number in inertial.p_BoBcm_B)
        entries = inertial.I_BBcm_Bi.items()
        return inertial._replace(
            span=self._span(inertial.span),
            mass=None if inertial.mass is None else self._number(inertial.mass),
            p_BoBcm_B=(x, y, z),
            I_BBcm_Bi={entry: self._number(number) for entry, number in entries},
        )

    def _number(self, number: Number) -> Number:
        """Map a number to the literal that it copies, or else to its expression."""
        if number.span is None:
            return number
        origin = self._expansion.words.get((number.span.start, number.span.end))
        if origin is None:
            return number._replace(span=self._span(number.span), literal=False)
        text = self._expansion.sources[origin.span.file].text(origin.span)
        same = text == number.text or parse_number(text) == (number.value, None)
        if origin.verbatim and same:
            return Number(number.value, text, origin.span)
        return number._replace(span=origin.span, literal=False)

    def _span(self, span: Span) -> Span:
        """Map the span of a word, of some words of one attribute, or of an element."""
        first = bisect_right(self._word_starts, span.start - 1)
        inside = []
        for (start, end), origin in self._words[first:]:
            if start >= span.end or end > span.end:
                break
            inside.append(origin.span)
        element = self._element(span)
        if element is not None and self._expansion.elements[element].start == span.start:
            found = self._expansion.elements[element]
            place = found.whole if span.end == found.end else found.tag
            if place is not None:
                return place
        elif inside and len({place.file for place in inside}) == 1:
            ends = max(place.end for place in inside)
            return Span(min(inside).start, ends, inside[0].file)
        return self._enclosing(element)

    def _element(self, span: Span) -> int | None:
        """Return the index of the innermost element around a place."""
        at = bisect_right(self._starts, span.start) - 1
        while at >= 0 and self._expansion.elements[at].end < span.end:
            at -= 1
        return at if at >= 0 else None

    def _enclosing(self, element: int | None) -> Span:
        """Return the tag of an element, or of the nearest one before it whose tag is known."""
        for at in range(-1 if element is None else element, -1, -1):
            tag = self._expansion.elements[at].tag
            if tag is not None:
                return tag
        return Span(0, 0)
