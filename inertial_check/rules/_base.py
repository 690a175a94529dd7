"""The base classes of rules: each rule is one class, with its page as docstring."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import ClassVar, NamedTuple

from inertial_check.evidence import Examination
from inertial_check.model import (
    Body,
    Excerpt,
    Finding,
    FindingEntry,
    FixKind,
    Judgement,
    Model,
    Number,
    Place,
    Problem,
    Severity,
    Span,
    extract_excerpt,
    locate_entries,
    name_numbers,
)

HEADINGS = (
    "What it does",
    "Why is this bad",
    "Example",
    "Use instead",
    "Tolerance",
    "Fix",
    "References",
)
"""The sections of every rule's docstring, in this order."""


class _Quotes(NamedTuple):
    """Parts of a finding that quote the document; the attributes are those of Finding."""

    excerpt: Excerpt | None = None
    written: Mapping[str, str] = {}
    entries: tuple[FindingEntry, ...] = ()


_NO_QUOTES = _Quotes()


class Rule(ABC):
    """One statement about a model; subclasses carry code, name, severity and their page."""

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    strict_severity: ClassVar[Severity]
    engine_severity: ClassVar[Severity]
    """Severity where the run is gated on engines."""
    since: ClassVar[str] = "0.1.0"
    explained: ClassVar[bool] = False
    """Flag: probable causes are sought for the findings of this rule."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        """A rule whose severity does not change under --strict or --engine need not say so."""
        super().__init_subclass__(**kwargs)
        if "severity" in cls.__dict__:
            for name in ("strict_severity", "engine_severity"):
                if name not in cls.__dict__:
                    setattr(cls, name, cls.severity)

    def __init__(self, model: Model, severity: Severity | None = None, quotes: bool = True) -> None:
        """Bind the rule to a model.

        Args:
            model: The model whose places the findings name.
            severity: Of this run's findings; None for the rule's own.
            quotes: Whether the findings have an excerpt, written numbers and entries.
        """
        self.model = model
        self.run_severity = severity or self.severity
        self.quotes = quotes

    @abstractmethod
    def findings(self, examination: Examination) -> Iterator[Finding]:
        """Every finding of this rule on the model."""

    def at(
        self,
        span: Span,
        message: str,
        body: Body | None = None,
        values: Mapping[str, object] | None = None,
        fix: FixKind | None = None,
        about: Collection[str] = (),
    ) -> Finding:
        """A finding at a span of the model's document.

        Args:
            span: Its place.
            message: One line.
            body: Its body; None for the document.
            values: The numbers behind the message.
            fix: Kind of fix that `fix` has for it.
            about: Names of the body's numbers that it is about: mass, x, y, z, ixx ... izz.
        """
        place = self.model.place(span)
        quotes = self._quote(span, place, body, about) if self.quotes else _NO_QUOTES
        return Finding(
            code=self.code,
            name=self.name,
            severity=self.run_severity,
            body=None if body is None else body.name,
            message=message,
            place=place,
            values=dict(values or {}),
            fix=fix,
            body_id=None if body is None else body.id,
            excerpt=quotes.excerpt,
            written=quotes.written,
            entries=quotes.entries,
        )

    def _quote(
        self, span: Span, place: Place, body: Body | None, about: Collection[str]
    ) -> _Quotes:
        """Quote the document; this takes longer than all the rest of a finding."""
        inertial = None if body is None else body.inertial
        written = {} if inertial is None else name_numbers(inertial)
        return _Quotes(
            extract_excerpt(self.model.source_of(span), span, place.line),
            {name: number.text for name, number in written.items()},
            () if body is None else locate_entries(self.model, body, about),
        )


class BodyRule(Rule):
    """A rule that looks at one body after the other."""

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """The findings on every body."""
        for body, judgement in zip(self.model.bodies, examination.judgements, strict=True):
            yield from self.check(body, judgement)

    @abstractmethod
    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """The findings on one body."""


class ProblemRule(Rule):
    """A rule whose findings are what the reader could not take as it stands."""

    kind: ClassVar[str]

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding for each problem of this kind, of the document and of its bodies."""
        for body, problem in examination.problems.get(self.kind, ()):
            yield self._of(problem, body)

    def _of(self, problem: Problem, body: Body | None) -> Finding:
        return self.at(problem.span, problem.message, body, about=_names_around(problem, body))


def _names_around(problem: Problem, body: Body | None) -> list[str]:
    """Names of the numbers in whose text a reader found a problem."""
    if body is None or body.inertial is None:
        return []
    start, end, file = problem.span
    return [
        name
        for name, number in name_numbers(body.inertial).items()
        if number.span is not None
        if number.span.file == file and number.span.start <= start < end <= number.span.end
    ]


def mover(body: Body) -> str:
    """What moves a body, as the beginning of a sentence of which the body is the object."""
    return "nothing holds" if body.joint is None else f"a {body.joint} joint moves"


def hull(numbers: Iterable[Number], otherwise: Span) -> Span:
    """The smallest span that holds all numbers that are written in the first one's document."""
    spans = [number.span for number in numbers if number.span is not None]
    if not spans:
        return otherwise
    first = spans[0].file
    together = [span for span in spans if span.file == first]
    start, end = min(span.start for span in together), max(span.end for span in together)
    return Span(start, end, first)
