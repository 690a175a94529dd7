"""The base classes of rules: each rule is one class, with its page as docstring.

What a comparison says of a body, and the helpers that several comparisons share.

Quantities, names and counts as messages print them.

The values that every finding about an inertia carries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.evidence.likeness import Likeness
from inertial_check.checking.report import (
    Excerpt,
    Finding,
    FindingEntry,
    FixKind,
    Severity,
    extract_excerpt,
    locate_entries,
    name_numbers,
)
from inertial_check.documents.model import ENTRIES, Body, Judgement, Model, Number, Problem
from inertial_check.documents.source import Span
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats, Mask

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
        excerpt: Excerpt | None = None
        written: dict[str, str] = {}
        entries: tuple[FindingEntry, ...] = ()
        if self.quotes:  # this takes longer than all the rest of a finding
            excerpt = extract_excerpt(self.model.source_of(span), span, place.line)
            if body is not None:
                numbers = {} if body.inertial is None else name_numbers(body.inertial)
                written = {name: number.text for name, number in numbers.items()}
                entries = locate_entries(self.model, body, about)
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
            excerpt=excerpt,
            written=written,
            entries=entries,
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
        # Names of the numbers in whose text a reader found a problem.
        if body is None or body.inertial is None:
            names_around = []
        else:
            start, end, file = problem.span
            names_around = [
                name
                for name, number in name_numbers(body.inertial).items()
                if number.span is not None
                if number.span.file == file and number.span.start <= start < end <= number.span.end
            ]
        return self.at(problem.span, problem.message, body, about=names_around)


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


Flags = Mask
Where = Literal["mass", "center", "tensor", "inertial"]
Evidence = Literal["amount", "center", "form", "digits", "sides"]
"""A kind of evidence: the amount (mass, and the size that mass and tensor give), the centre of
mass, the form of the tensor (shares and axes, which no change of mass or unit touches), digits
that another body has too, which are a proof beside any other evidence, and sides that differ in a
model with one mistake throughout."""

EVERY: frozenset[Evidence] = frozenset({"amount", "center", "form"})
"""Evidence against the whole inertial, as where it is that of another body."""

_EVIDENCE: Mapping[str, frozenset[Evidence]] = MappingProxyType(
    {
        "IC201": frozenset({"center"}),
        "IC202": frozenset({"center"}),
        "IC307": frozenset({"amount", "form"}),
        "IC501": frozenset({"amount", "form"}),
        "IC502": frozenset({"amount"}),
        "IC503": frozenset({"amount"}),
        "IC504": frozenset({"form"}),
        "IC505": frozenset({"form"}),
        "IC602": EVERY,
        "IC603": frozenset({"amount", "form"}),
        "IC605": frozenset({"digits"}),
    }
)
"""Evidence that the doubts of a code rest on, unless the doubt itself names it."""


class Doubt(NamedTuple):
    """What is suspicious about a body.

    Attributes:
        code: Of the rule that says it.
        where: Which of the written numbers it is about.
        message: One line.
        values: The numbers behind it.
        weak: Flag: the evidence is too weak for a warning, so that the finding is a note.
        against: Evidence that the doubt rests on; None for that of its code.
    """

    code: str
    where: Where
    message: str
    values: dict[str, object]
    weak: bool = False
    against: frozenset[Evidence] | None = None

    @property
    def evidence(self) -> frozenset[Evidence]:
        """The evidence that the doubt rests on; every kind where the code names none."""
        return _EVIDENCE.get(self.code, EVERY) if self.against is None else self.against


Doubts = Iterator[tuple[int, Doubt]]
FoundDoubts = Mapping[int, Sequence[Doubt]]
"""Doubts about each suspicious body so far, the plainest first; no two share evidence."""


def is_explained(
    found: FoundDoubts, index: int, evidence: frozenset[Evidence] = EVERY, weak: bool = False
) -> bool:
    """Whether a doubt about the body rests on some of this evidence already.

    One mistake shows in several comparisons of one evidence and is to be reported once; a mistake
    in the mass says nothing about the axes.

    Args:
        found: The doubts so far.
        index: Of the body.
        evidence: That of the new doubt.
        weak: Whether the new doubt is weak; one that is not yields to no weak one.
    """
    return any(
        doubt.evidence & evidence and (weak or not doubt.weak) for doubt in found.get(index, ())
    )


def find_frames(examination: Examination) -> Flags:
    """(N,) bodies that nothing moves, with next to no mass: frames with numbers."""
    assembly, bodies = examination.assembly, examination.model.bodies
    held = np.array([body.joint is not None and not body.moved for body in bodies], dtype=bool)
    with np.errstate(invalid="ignore"):
        long = assembly.box[:, 2] > assembly.scale
        light: Flags = assembly.mass < limits.FRAME_SHARE * assembly.total_mass
    return held & light & ~long


def contradict_shapes(examination: Examination, index: int, meant: Floats | None = None) -> float:
    """Measure how far a body is from its shapes in centre, size and form; NaN without shapes.

    Args:
        examination: The model.
        index: Of the body.
        meant: (10,) other numbers of it, in its axes [SI]; None for its own.
    """
    likeness, assembly = examination.likeness, examination.assembly
    center, C_BBcm_B = assembly.p_BoBcm_B[index], assembly.C_BBcm_B[index]
    if meant is not None:
        tensor = resemblance.matrices(meant[4:])
        center, C_BBcm_B = meant[1:4], resemblance.spread(meant[0], tensor)
    found = []
    for i in np.flatnonzero(likeness.body == index).tolist():
        C_GGcm_B = likeness.C_GGcm_B[i]
        away = np.linalg.norm(center - likeness.rows[i].p_BoGcm_B) / resemblance.size(C_GGcm_B)
        unlike = resemblance.discrepancy(C_BBcm_B, C_GGcm_B)
        found.append(float(np.hypot(away, likeness.discrepancy[i] if meant is None else unlike)))
    return min(found, default=np.nan)


def find_mildest(rows: Flags, measure: Floats) -> int:
    """Of the flagged rows the one with the least measure."""
    return int(np.argmin(np.where(rows, measure, np.inf)))


def is_weak(examination: Examination, clear: Flags) -> bool:
    """Whether none of a body's shapes makes the doubt clear enough for a warning.

    Args:
        examination: The model; with the preset strict no doubt is weak.
        clear: One flag for each geometry of the body.
    """
    return examination.strictness == "default" and not np.any(clear)


def explain_weakness(likeness: Likeness, index: int, weak: bool) -> str:
    """The end of a message that says why the finding is a note; nothing where it is none."""
    if not weak:
        return ""
    rows = likeness.body == index
    if np.any(likeness.unseen[rows]):
        return "; only a note, since its visual shapes could not be read"
    apart = 100 * float(np.min(likeness.offset[rows]))
    return (
        f"; only a note, since the centre of mass is {apart:.2g} % of the extent away from that of "
        "the shapes, which may not show where the mass is"
    )


_FEW = 3
"""Number of names that a message prints before it counts the rest."""


def length(meters: float) -> str:
    """A length, in millimetres below a metre."""
    return f"{1000 * meters:.3g} mm" if 0 < meters < 1 else f"{meters:.3g} m"


def box(edges: Iterable[float]) -> str:
    """The three edges of a box."""
    return " x ".join(map(length, edges))


def point(p: Iterable[float]) -> str:
    """The three coordinates of a point."""
    return f"({', '.join(f'{x:.4g}' for x in p)}) m"


def times(ratio: float) -> str:
    """A ratio of sizes: 3 times, 1/3."""
    return f"{ratio:.3g} times" if ratio > 1 else f"1/{1 / ratio:.3g}"


def between(values: Iterable[float]) -> str:
    """The range of several values."""
    ordered = sorted(values)
    low, high = ordered[0], ordered[-1]
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"


def beyond(density: float) -> str:
    """A known density to compare an implausible one [kg/m^3] with."""
    light = density < 1000
    return "foam has 15" if light else "osmium, the densest metal, has 22,590"


def having(names: Sequence[str]) -> str:
    """The first names of a list, the number of further ones, and the verb."""
    return f"{name_some(names)} {'has' if len(names) == 1 else 'have'}"


def count_noun(count: int, one: str, more: str | None = None) -> str:
    """A number with its noun: 1 file, 2 files."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def name_some(names: Sequence[str]) -> str:
    """The first names of a list, and the number of further ones."""
    shown = ", ".join(names[:_FEW])
    return shown if len(names) <= _FEW else f"{shown} and {len(names) - _FEW} more"


def evidence(judgements: Sequence[Judgement]) -> list[dict[str, object]]:
    """Margin, moments, box, witness and the admissible interval of each single entry, body by body.

    Intervals are of the entry as printed, in the inertial's own axes, with the others as written;
    None where no value of that entry alone gives a body.
    """
    from inertial_check.inertia.intervals import admissible_intervals  # few models need any

    every = admissible_intervals(np.array([each.I_BBcm_Bi for each in judgements])).tolist()
    return [
        {
            "mass": judgement.mass,
            "margin": judgement.margin,
            "tolerance": judgement.tolerance,
            "principal_moments": list(judgement.principal_moments),
            "admissible": {
                entry: [low, high] if isfinite(low) else None
                for entry, (low, high) in zip(ENTRIES, intervals, strict=True)
            },
            "equivalent_box": [
                edge if isfinite(edge) else None for edge in judgement.equivalent_box
            ],
            "witness": None if judgement.witness is None else list(judgement.witness),
        }
        for judgement, intervals in zip(judgements, every, strict=True)
    ]


def find_fix_kinds(bodies: Sequence[Body], judgements: Sequence[Judgement]) -> list[FixKind | None]:
    """Whether the nearest consistent tensor of each body is near enough to take unasked.

    All bodies are projected in one call: one alone takes as long as a hundred.

    Returns:
        None for a body that has no such tensor, or where expressions would have to give other
        values.
    """
    kinds: list[FixKind | None] = [None] * len(bodies)
    chosen = [at for at, judgement in enumerate(judgements) if not judgement.numerically_zero]
    if not chosen:
        return kinds
    # Most models need no projection, and loading it costs as much as reading one.
    from inertial_check.projection.moments import INERTIA, nearest_inertia

    before = np.array([judgements[at].I_BBcm_Bi for at in chosen])
    after = np.asarray(nearest_inertia(before))
    with np.errstate(all="ignore"):  # a tensor of zeros has no nearest one, and no kind
        change = INERTIA.distance(before, after) / INERTIA.distance(np.zeros_like(before), before)
    small = np.asarray(change <= tolerances.MAX_CHANGE).tolist()
    for at, old, new, safe in zip(chosen, before, after, small, strict=True):
        # An entry that changes may be the value of an expression; a zero is taken to stay one.
        inertial = bodies[at].inertial
        entries = {} if inertial is None else inertial.I_BBcm_Bi
        computed = [entry in entries and not entries[entry].literal for entry in ENTRIES]
        if np.any(new) and not np.any((new != old) & (old != 0) & computed):
            kinds[at] = "safe" if safe else "unsafe"
    return kinds


def moments_text(judgement: Judgement) -> str:
    """The principal moments as a reader wants them."""
    return ", ".join(f"{moment:.6g}" for moment in judgement.principal_moments)
