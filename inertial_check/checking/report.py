"""Results of a check: judgements of bodies, findings and reports. Plain data.

Result of a comparison of two models: pairs of bodies, their deviations, and explanations.

Excerpts of a document for reports: the lines of a span, cut to a readable length.

Reports in notebooks.

The numbers of a body by name, and their places in the document.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from typing import Any, Literal, NamedTuple, get_args

from inertial_check.documents.inertials import UNEXPLAINED, CountedFile, CountedInertial
from inertial_check.documents.model import (
    Body,
    How,
    Inertial,
    Judgement,
    Model,
    Number,
    SpellingState,
    read_bodies,
)
from inertial_check.documents.source import Edit, Place, Source, Span
from inertial_check.inertia.arrays import EqualByValue, show_fields

MassProperty = Literal["mass", "com", "inertia", "added_mass"]
QUANTITIES: tuple[MassProperty, ...] = ("mass", "com", "inertia")
"""Mass properties of the rigid body: mass, centre of mass, and the inertia about it.

The added mass of a fluid is compared, too, where a model states one.
"""

Which = Literal["a", "b"]
"""One of the two models, in the order in which they were given."""

PairStatus = Literal["equal", "differs", "incomparable", "only-a", "only-b"]
"""Status of a pair of bodies, whose numbers are equal, differ or cannot be compared, or of a body
that only one of the models has."""


class Deviations(NamedTuple):
    """Deviations between two bodies (dimensionless).

    Attributes:
        mass: Difference of the masses, relative to the larger one.
        com: Distance of the centres of mass, relative to the larger radius of gyration.
        inertia: Largest eigenvalue, in magnitude, of the difference of the tensors about the
            centre of mass, relative to the largest of either tensor.
    """

    mass: float
    com: float
    inertia: float


class ComparedBody(NamedTuple):
    """One side of a pair, in SI units.

    Attributes:
        name: Name as written.
        id: Id, unique in its document.
        line: Line where it begins, 1-based.
        file: Document with that line; None for the main document of the model.
        mass: Mass [kg]; NaN if unknown, as all numbers here.
        p_BoBcm_B: Centre of mass in the body frame [m].
        I_BBcm_B: Six entries of the inertia about it in the body's axes [kg m^2].
        merged: Names of the bodies on fixed joints that are lumped into it.
        added_mass: Added mass of the fluid about the body's origin, 6x6; () where none is stated.
    """

    name: str
    id: str
    line: int
    file: str | None
    mass: float
    p_BoBcm_B: tuple[float, ...]
    I_BBcm_B: tuple[float, ...]
    merged: tuple[str, ...] = ()
    added_mass: tuple[tuple[float, ...], ...] = ()


class Explanation(NamedTuple):
    """A mistake of a converter that turns the numbers of one body into those of the other.

    Attributes:
        name: Name of the mistake, such as rotation-transposed.
        of: Model whose numbers become those of the other model by the mistake.
        change: The mistake as a clause, such as "with its rotation transposed".
        explains: Mass properties whose difference it explains.
        residual: Part of the difference that it leaves, from 0 to 1.
    """

    name: str
    of: Which
    change: str
    explains: tuple[MassProperty, ...]
    residual: float


class BodyDifference(NamedTuple):
    """Difference between a pair of bodies, or a body that only one model has.

    Attributes:
        status: Status of the pair.
        a: Body of the first model; None if only the second has it.
        b: Body of the second model; None if only the first has it.
        deviations: Deviations of the numbers; None if they cannot be compared.
        differs: Mass properties that deviate by more than the tolerance.
        reason: Why the pair cannot be compared, that a sum is, or why a model lacks the body; "" if
            there is nothing to say.
        frame: Whether it is a single body without mass and inertia, whose absence has no effect.
        explanations: Mistakes that explain the difference, best first.
        added_mass: Norm of the difference of the added masses of the fluid, relative to the larger
            one; masses and inertias, which have other units, weigh the same. 0 where none is
            stated.
    """

    status: PairStatus
    a: ComparedBody | None
    b: ComparedBody | None
    deviations: Deviations | None = None
    differs: tuple[MassProperty, ...] = ()
    reason: str = ""
    frame: bool = False
    explanations: tuple[Explanation, ...] = ()
    added_mass: float = 0.0


class ComparedModel(NamedTuple):
    """One of the two models.

    Attributes:
        path: Its path.
        format: Name of its format.
        name: Its name; "" if it has none.
        unread: Parts of its documents that could not be read, and inertials of no body.
    """

    path: str
    format: str
    name: str
    unread: tuple[UnjudgedInertial, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Difference(EqualByValue):
    """Result of a comparison.

    Attributes:
        a: The first model.
        b: The second.
        tolerance: Largest deviation of numbers that count as equal.
        bodies: Pairs in the order of the first model, then the other bodies of the second.
        notes: Parts that were not compared and why, one line each.
        compiled: The same comparison of the bodies as MuJoCo compiles them, without explanations.
            None unless one model is an MJCF, and settings of one change its bodies.
    """

    a: ComparedModel
    b: ComparedModel
    tolerance: float
    bodies: tuple[BodyDifference, ...]
    notes: tuple[str, ...] = ()
    compiled: Difference | None = None

    @property
    def equal(self) -> bool:
        """Whether both models were read, and have the same mass properties, body by body.

        As written, and as compiled where MuJoCo compiles other bodies.
        """
        same = all(body.status == "equal" or body.frame for body in self.bodies)
        return same and not self.failed and (self.compiled is None or self.compiled.equal)

    @property
    def failed(self) -> bool:
        """Whether no body of a model was read, because parts of it could not be."""
        return any(
            model.unread and not any(getattr(body, side) for body in self.bodies)
            for side, model in (("a", self.a), ("b", self.b))
        )

    def count(self, status: PairStatus) -> int:
        """Count the pairs and single bodies with this status, without massless frames."""
        return sum(body.status == status and not body.frame for body in self.bodies)

    @property
    def explained(self) -> dict[str, int]:
        """Number of bodies that each mistake explains, largest first."""
        return dict(fits(body.explanations for body in self.bodies).most_common())


def fits(explanations: Iterable[Iterable[Explanation]]) -> Counter[str]:
    """Count the bodies that each mistake explains."""
    return Counter(name for each in explanations for name in dict.fromkeys(e.name for e in each))


_LINES = 4
"""Largest number of lines of an excerpt; of a longer span only the first line is shown."""

_WIDTH = 110
"""Largest width of a line [code points]; a longer one is cut around the marked text."""

_LEFT = 40
"""Largest number of code points before the marked text in a line that is cut."""

_REACH = 8 * _WIDTH
"""Largest distance from the span at which text is read [bytes]; bounds the cost of long lines."""

_CUT = "..."
_LINE_END = re.compile(r"\r\n?|\n")
_UNREADABLE = ("\0", "\ufffd")


class ExcerptLine(NamedTuple):
    """A line of a document, or the part of it around the marked text.

    Attributes:
        number: Number of the line, 1-based.
        text: Text without its line end; "..." replaces parts that are cut.
        start: First marked code point of the text, from 0.
        end: Code point after the last marked one; may equal start.
    """

    number: int
    text: str
    start: int
    end: int


class Excerpt(NamedTuple):
    """The lines of a span.

    Attributes:
        lines: One to four lines.
        more: Whether the span has more lines.
    """

    lines: tuple[ExcerptLine, ...]
    more: bool = False


class MarkedLine(NamedTuple):
    """A line of a document with marks under some of its numbers.

    Attributes:
        place: Place of the first marked number.
        text: Text of the line without its end; "..." replaces parts that are cut.
        marks: First code point of each marked number, from 0, and the one after its last.
    """

    place: Place
    text: str
    marks: tuple[tuple[int, int], ...]


def extract_excerpt(source: Source, span: Span, line: int) -> Excerpt | None:
    """Extract the lines of a span from a document.

    Args:
        source: The document.
        span: Bytes to mark.
        line: Number of the line on which the span begins.

    Returns:
        The excerpt; None if the document is binary there.
    """
    before = _take_last_line(_before(source, span.start))
    stop = min(span.end, span.start + _LINES * _REACH)
    marked = _LINE_END.split(source.text(Span(span.start, stop)))
    more = stop < span.end or len(marked) > _LINES
    if more:
        marked, after = marked[:1], ""
    else:
        following = Span(span.end, min(span.end + _REACH, len(source.data)))
        after = _take_first_line(source.text(following).rstrip("\ufffd"))
    lines = []
    for index, text in enumerate(marked):
        blank = len(text) - len(text.lstrip()) if index else 0
        head = before if index == 0 else text[:blank]
        tail = after if index == len(marked) - 1 else ""
        lines.append(_cut(line + index, head, text[blank:], tail))
    if any(sign in each.text for each in lines for sign in _UNREADABLE):
        return None
    return Excerpt(tuple(lines), more)


def mark_numbers(source: Source, spans: Sequence[Span], place: Place) -> MarkedLine | None:
    """Mark numbers on the line of the first of them.

    Args:
        source: The document.
        spans: Bytes of the numbers, in ascending order.
        place: Place of the first.

    Returns:
        The line with marks under those numbers that begin on it; None if the document is binary.
    """
    first = spans[0]
    text = _take_last_line(_before(source, first.start))
    marks: list[tuple[int, int]] = []
    at = first.start
    for span in spans:
        if not at <= span.start <= first.start + _REACH:
            break
        gap = source.text(Span(at, span.start))
        if "\n" in gap or "\r" in gap:
            break
        marked = source.text(Span(span.start, min(span.end, span.start + _REACH)))
        marked = _take_first_line(marked)
        start = len(text) + len(gap)
        marks.append((start, start + len(marked)))
        text += gap + marked
        at = span.start + len(marked.encode(source.encoding, "replace"))
    following = Span(at, min(at + _REACH, len(source.data)))
    after = _take_first_line(source.text(following).rstrip("\ufffd"))
    line = _cut(place.line, text[: marks[0][0]], text[marks[0][0] :], after)
    if any(sign in line.text for sign in _UNREADABLE):
        return None
    moved = line.start - marks[0][0]
    end = len(line.text)
    within = ((start + moved, min(stop + moved, end)) for start, stop in marks)
    return MarkedLine(place, line.text, tuple(pair for pair in within if pair[0] < end))


def _take_first_line(text: str) -> str:
    """The text before the first line end."""
    return text.partition("\n")[0].partition("\r")[0]


def _take_last_line(text: str) -> str:
    """The text after the last line end."""
    return text[max(text.rfind("\n"), text.rfind("\r")) + 1 :]


def _before(source: Source, offset: int) -> str:
    """Read the text before a byte, up to the largest distance."""
    first = len(source.bom)
    start = max(first, offset - _REACH)
    if start > first:  # _REACH is a multiple of 4 bytes, so that no UTF-16 unit is cut
        return source.text(Span(start, offset)).lstrip("\ufffd")
    return source.text(Span(start, offset))


def _cut(number: int, before: str, marked: str, after: str) -> ExcerptLine:
    """Make a line; of a long one, keep the part around the beginning of the marked text."""
    if len(before) + len(marked) + len(after) > _WIDTH:
        if len(before) > _LEFT:
            before = _CUT + before[-_LEFT:]
        room = max(_WIDTH - len(before), 0)
        if len(marked) > room:
            marked, after = marked[:room], _CUT
        elif len(marked) + len(after) > room:
            after = after[: room - len(marked)] + _CUT
    start = len(before)
    return ExcerptLine(number, before + marked + after, start, start + len(marked))


Values = Mapping[str, Any]  # Any: every rule and cause states numbers and texts of its own
"""Numbers and texts of a finding or of the edit of a cause, by name."""


class Severity(IntEnum):
    """Severity of a finding; severities can be compared."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The severity in lower case: note, warning or error."""
        return self.name.lower()


FixKind = Literal["safe", "unsafe"]
"""Kind of fix of a finding: `fix` makes it by default (safe) or only with --unsafe."""

PROVABLE = ("IC1", "IC3", "IC4", "IC7")
"""Families of rules whose findings follow from the written numbers, without any comparison."""

REFUSALS = ("reject", "drop")
"""Actions of engines that leave a body, or its whole model, out of the simulation."""

Action = Literal["accept", "warn", "alter", "replace", "reject", "drop"]
"""Action of an engine on a body: load it as written (accept), also with a warning (warn), change
its numbers (alter), replace them by a default such as a sphere or zero (replace), refuse the model
(reject), or leave the body out (drop)."""


class Prediction(NamedTuple):
    """Predicted behaviour of one engine with one body.

    Attributes:
        engine: Name of the engine, as in engines.ENGINES.
        version: Version of the engine for which this holds.
        action: Action of the engine.
        message: Literal text that the engine prints or raises; "" if there is none.
        becomes: Description of the body that it simulates instead; "" if it is as written.
    """

    engine: str
    version: str
    action: Action
    message: str = ""
    becomes: str = ""


class ValidatorVerdict(NamedTuple):
    """Predicted verdict of a validator of USD on a file.

    Attributes:
        action: reject where it refuses the stage or one of its bodies, warn where it only warns
            of one, else accept.
        stage: What it says of the stage as a whole, such as of its units; "" if nothing.
        bodies: Number of bodies that it refuses or warns of.
    """

    action: Action
    stage: str
    bodies: int


class Hypothesis(NamedTuple):
    """One probable cause of a finding.

    Attributes:
        cause: Name of the cause, such as decimal-slip.
        confidence: Probability of the cause, 0 to 1; those of a finding sum to at most 1.
        evidence: One sentence with the numbers that support it.
        edit: Edit that would undo it, such as {"body": name, "entries": {"izz": 0.001676}}; entries
            are mass, x, y, z (centre of mass) and ixx ... izz, in the units of the document and the
            inertial's own axes. That of a finding on the whole model is {"body": None, "entries":
            {}, "bodies": {name: {"entries": {...}}}}, with the id in place of a name that several
            bodies share. None if no edit is known.
        veto: What speaks against the edit, in one clause; "" if nothing that was asked does.
    """

    cause: str
    confidence: float
    evidence: str
    edit: Values | None = None
    veto: str = ""


class Suppression(NamedTuple):
    """Suppression of a finding, which therefore does not count.

    Attributes:
        kind: "inSource" for a comment in the document, "external" for a configuration or baseline.
        reason: Reason as its author wrote it; "" if none is given.
        accepted: Whether a maintainer has accepted the finding as known, for that reason.
    """

    kind: Literal["inSource", "external"]
    reason: str = ""
    accepted: bool = False


class FindingEntry(NamedTuple):
    """Number of the document that a finding is about.

    Attributes:
        name: Name of the number: mass, x, y, z (centre of mass), ixx ... izz, qw ... qz (quaternion
            of the inertial's axes), or the word of the format for a number of added mass.
        text: Text of the document at the place; that of the number where the document is binary.
        place: Place of the text; empty where the document is binary.
        literal: Whether the text is the number; False if it is an expression that computes it.
        body_id: Id of the body that has the number; None if it is the body of the finding.
    """

    name: str
    text: str
    place: Place
    literal: bool = True
    body_id: str | None = None


class TextReplacement(NamedTuple):
    """Replacement of the text at a place.

    Attributes:
        place: Place of the old text.
        text: The new text.
    """

    place: Place
    text: str


class ByteRange(NamedTuple):
    """Range of a document in UTF-8, as programs count that read lines of bytes.

    Attributes:
        line: Line of the first byte, 1-based; a line ends with a line feed.
        column: Column of the first byte, 1-based [bytes].
        end_line: Line of the end.
        end_column: Column after the last byte.
        path: Path of the document; None for the main one of a model.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    path: str | None = None


class JoinedEdit(NamedTuple):
    """The edits of a remedy as one replacement.

    Attributes:
        range: The range that is replaced, from the first changed number to the last.
        text: The new text of the range.
    """

    range: ByteRange
    text: str


RemedySource = Literal["cause", "twin", "sibling", "expected", "shapes", "sums", "nearest", "hand"]
"""Source of the numbers of a remedy: a probable cause, the body on the other side, a part of the
same kind, a table of expected values, the shapes of the body, a known sum, the nearest body that
can exist, or the reader's hand."""


class Remedy(NamedTuple):
    """What to write so that the findings of a body, or of bodies that move together, are gone.

    Attributes:
        bodies: Names of the bodies.
        body_ids: Their ids, in the same order.
        edits: For each body its new numbers by name, with the digits that `fix` writes; empty where
            the numbers have to be found by hand.
        source: Source of the numbers.
        why: One sentence that says why these numbers.
        confidence: Probability that they were meant, 0 to 1; for the nearest body, of no cause.
        others: What else was considered, one clause each.
        leaves: Code and body of each finding that these bodies keep, by a check of the whole model
            with the edits.
        safe: Whether `fix --write` writes it without --unsafe.
        helps: Whether the bodies have fewer findings with it.
        change: Largest relative change of an inertia.
        replacements: The edits as texts at their places; empty where the document is binary.
        joined: The same as one replacement; None where they stand in several documents, or where a
            range of bytes cannot be told.
        text_edits: The same as bytes of the documents of the model.
    """

    bodies: tuple[str, ...]
    body_ids: tuple[str, ...]
    edits: tuple[Mapping[str, str], ...]
    source: RemedySource
    why: str
    confidence: float
    others: tuple[str, ...] = ()
    leaves: tuple[tuple[str, str], ...] = ()
    safe: bool = False
    helps: bool = True
    change: float = 0.0
    replacements: tuple[TextReplacement, ...] = ()
    joined: JoinedEdit | None = None
    text_edits: tuple[Edit, ...] = ()


class Finding(NamedTuple):
    """A finding about a document or a body.

    Attributes:
        code: Code of the rule, such as IC301.
        name: Name of the rule, such as triangle-inequality-violation.
        severity: Severity in this run.
        body: Name of the body; None for the document.
        message: One line: numbers with units, what is expected, what to do.
        place: Place of the number.
        values: Numbers and strings of the message.
        fix: Kind of fix that `fix` has for it; None if it has none.
        causes: Probable causes, best first.
        body_id: Id of the body, unique in the document.
        excerpt: Excerpt of the document; None if it is unknown or binary.
        written: Numbers of the body as written, by name: mass, x, y, z (centre of mass) and
            ixx ... izz; empty if it has none.
        suppression: Suppression of the finding; None if it counts.
        entries: Numbers of the document that the finding is about, the guilty ones where they can
            be told, in the order mass, x, y, z, ixx ... izz; empty if it is about no number that is
            written.
        bodies: Names of the bodies of a finding on the whole model, in file order; empty for a
            finding on one body or on the document.
        body_ids: Ids of these bodies, in the same order.
        no_cause: Sentence that says why no cause is named; "" if one is, or none was sought.
        fact: Digest of the rule and of the mass, inertia and shapes of the bodies: findings with
            the same one state one fact, in several bodies or files; "" where each is its own.
        remedy: What to write so that it is gone; None if remedies were not requested, or where
            nothing is to be written.
        uses: Other bodies that have the same numbers from the same place, each with the path of its
            document.
        needs: Names of what is unknown, for which 1 stands in the numbers; "" if nothing is.
        guilty: Line with marks under the numbers that the first cause would change, or else under
            those that the finding is about; None if none is written in text.
    """

    code: str
    name: str
    severity: Severity
    body: str | None
    message: str
    place: Place
    values: Mapping[str, Any] = {}  # Any: as Values
    fix: FixKind | None = None
    causes: tuple[Hypothesis, ...] = ()
    body_id: str | None = None
    excerpt: Excerpt | None = None
    written: Mapping[str, str] = {}
    suppression: Suppression | None = None
    entries: tuple[FindingEntry, ...] = ()
    bodies: tuple[str, ...] = ()
    body_ids: tuple[str, ...] = ()
    no_cause: str = ""
    fact: str = ""
    remedy: Remedy | None = None
    guilty: MarkedLine | None = None
    uses: tuple[tuple[str, str | None], ...] = ()
    needs: str = ""

    def __repr__(self) -> str:
        """Show the fields on one line, without the content of long ones."""
        return show_fields(self, self._asdict())


class BodyReport(NamedTuple):
    """A body with its judgement.

    Attributes:
        name: Name as written; several bodies may share it.
        id: Id, unique in the file.
        line: Line where it begins, 1-based.
        judgement: Judgement of the body.
        file: Document with that line; None for the file of the report.
        predictions: Predicted behaviour of engines, by the engine's name.
        attributes: How the prim of a body in USD states each attribute of its mass properties:
            absent, fallback, written or ignored; empty in other formats.
    """

    name: str
    id: str
    line: int
    judgement: Judgement
    file: str | None = None
    predictions: Mapping[str, Prediction] = {}
    attributes: Mapping[str, SpellingState] = {}

    def __repr__(self) -> str:
        """Show the fields on one line, without the content of long ones."""
        return show_fields(self, self._asdict())


class FileReport(NamedTuple):
    """Result of a check of one document.

    Attributes:
        path: Path as given, or below the folder as given.
        format: Name of the format, such as "urdf"; None if the document cannot be read.
        model: Name of the model; None if the document cannot be read.
        bodies: Bodies in file order.
        findings: Findings that count, in file order.
        suppressed: Suppressed findings, in file order.
        notes: Evidence that was left out and why, one line each.
        validators: Predicted verdicts of validators of USD, by name; empty in other formats.
    """

    path: str
    format: str | None
    model: str | None
    bodies: tuple[BodyReport, ...]
    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    validators: Mapping[str, ValidatorVerdict] = {}

    def __repr__(self) -> str:
        """Show the fields on one line, without the content of long ones."""
        return show_fields(self, self._asdict())

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table and a drawing."""
        return _show_files((self,), [])


class UnjudgedInertial(NamedTuple):
    """An inertial of the checked files that was not judged.

    Attributes:
        path: File in which it stands, as the report shows it.
        line: Line where it begins, 1-based; 1 in binary files.
        reason: One sentence that says why.
        needs: Name of what is missing: an argument, a package, a file; "" if nothing is.
        new: Whether a baseline knows fewer of its file.
    """

    path: str
    line: int
    reason: str
    needs: str = ""
    new: bool = False


@dataclass(frozen=True)
class SkippedFiles:
    """Files of one kind that a search met and that are no models.

    Attributes:
        kind: What they are, such as "dangling link" or "Git LFS pointer".
        count: Number of files.
        paths: Their paths, or the first of many.
    """

    kind: str
    count: int
    paths: tuple[str, ...]


class Lowering(NamedTuple):
    """A setting of the checked tree that makes the check report less.

    Attributes:
        path: File with the setting.
        line: Its line, 1-based.
        what: What it lowers, in one sentence.
        fails: Whether a gate refuses it.
    """

    path: str
    line: int
    what: str
    fails: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Account(EqualByValue):
    """Account of a check: the inertials of the files that were met, and what became of them.

    Attributes:
        inertials: Number of inertials, counted in the bytes of the files; each place once.
        judged: Number of those that were judged, by how; see documents.model.How.
        unjudged: The others, by path and line.
        skipped: Files that are no models, by kind; as "include", those that were not read although
            engines may, with the paths of the files that include them.
        lowered_by: Settings of the checked tree that make the check report less.
    """

    inertials: int = 0
    judged: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(get_args(How), 0))
    unjudged: tuple[UnjudgedInertial, ...] = ()
    skipped: tuple[SkippedFiles, ...] = ()
    lowered_by: tuple[Lowering, ...] = ()

    @classmethod
    def of(cls, counted: Iterable[CountedFile], skipped: tuple[SkippedFiles, ...] = ()) -> Account:
        """Make the account of what was counted in files, some of them for several documents.

        A place counts once, however many documents and links lead to it. It is judged if it was
        for one of them; else the most precise reason tells why not.
        """
        hows = [*get_args(How), ""]
        best: dict[tuple[str, int, str], tuple[tuple[int, bool, bool], str, CountedInertial]] = {}
        real = cache(os.path.realpath)
        unread: dict[str, CountedFile] = {}
        for file in counted:
            path = real(file.path)
            if file.unread:
                unread.setdefault(path, file)
            for each in file.inertials:
                rank = (hows.index(each.how), not each.needs, each.reason in UNEXPLAINED)
                key = (path, each.offset, each.prim)
                if key not in best or rank < best[key][0]:
                    best[key] = (rank, file.path, each)
        judged = Counter(each.how for _, _, each in best.values())
        unjudged = (
            UnjudgedInertial(path, each.line, each.reason, each.needs)
            for _, path, each in best.values()
            if not each.how
        )
        counts = {how: judged[how] for how in get_args(How)}
        if unread:
            count, paths = sum(file.unread for file in unread.values()), sorted(unread)
            skipped += (SkippedFiles("include", count, tuple(unread[path].path for path in paths)),)
        return cls(len(best), counts, tuple(sorted(unjudged)), skipped)


@dataclass(frozen=True, eq=False, repr=False)
class Report(EqualByValue):
    """Result of a check.

    Attributes:
        files: Results of the documents, sorted by path.
        failures: Reasons why the check failed, one line each (exit code 2).
        notes: Files and checks that were skipped and why, one line each.
        account: The inertials that were found, and what became of them.
        options: Options of the command line that the commands of a report have to repeat, so that
            they read the same models.
    """

    files: tuple[FileReport, ...]
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    account: Account = field(default_factory=Account)
    options: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table and a drawing."""
        return _show_files(self.files, [*self.failures])

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings that count, in file order."""
        return tuple(finding for file in self.files for finding in file.findings)

    @property
    def suppressed(self) -> tuple[Finding, ...]:
        """All suppressed findings, in file order."""
        return tuple(finding for file in self.files for finding in file.suppressed)

    @property
    def accepted(self) -> int:
        """Number of suppressed findings that are accepted as known, with a reason."""
        return sum(
            each.suppression is not None and each.suppression.accepted for each in self.suppressed
        )

    @property
    def bodies(self) -> tuple[BodyReport, ...]:
        """All bodies, in file order."""
        return tuple(body for file in self.files for body in file.bodies)

    @property
    def body_count(self) -> int:
        """Number of bodies; stored ones are not decoded for it."""
        return sum(len(file.bodies) for file in self.files)

    @property
    def distinct(self) -> int:
        """Number of facts that the findings which count state; see Finding.fact."""
        facts = [finding.fact for finding in self.findings]
        return len({fact for fact in facts if fact}) + facts.count("")

    def count(self, severity: Severity) -> int:
        """Count the findings that count and have exactly this severity."""
        return sum(finding.severity == severity for finding in self.findings)


_KINDS = {Severity.ERROR: "bad", Severity.WARNING: "doubtful", Severity.NOTE: "good"}


def _show_files(files: Sequence[FileReport], failures: Sequence[str]) -> str:
    from inertial_check.inertia.notebook import (
        MOST_ROWS,
        color_word,
        count,
        escape_text,
        write_box,
        write_table,
    )

    findings = [(file, finding) for file in files for finding in file.findings]
    findings.sort(key=lambda each: -each[1].severity)  # stable: else as in the files
    bodies = [body for file in files for body in file.bodies]
    counts = [
        count(number, severity.word)
        for severity in sorted(Severity, reverse=True)
        if (number := sum(finding.severity == severity for _, finding in findings))
    ]
    said = ", ".join(counts) or ("incomplete" if failures else "no findings")
    subtitle = f"{count(len(bodies), 'body')} in {count(len(files), 'file')}: {said}"
    if failures:
        subtitle += f"; {count(len(failures), 'failure')}, the first: {failures[0]}"
    rows = [
        (
            color_word(finding.severity.word, _KINDS[finding.severity]),
            f"{finding.code} {finding.name}",
            escape_text(finding.body or ", ".join(finding.bodies[:3]) or "\N{EN DASH}"),
            escape_text(f"{finding.place.path or file.path}:{finding.place.line}"),
            escape_text(finding.message, 110),
        )
        for file, finding in findings[:MOST_ROWS]
    ]
    table = write_table(("", "rule", "body", "place", "message"), rows, len(findings), "findings")
    shown = read_bodies([body.name for body in bodies], [body.judgement for body in bodies])
    return write_box("Report", subtitle, *([table] if rows else []), shown.draw_triangle())


CENTER = ("x", "y", "z")
"""Names of the coordinates of the centre of mass."""

QUATERNION = ("qw", "qx", "qy", "qz")
"""Names of the numbers of the quaternion that states the axes of an inertial."""

MOTIONS = "xyzpqr"
"""Letters of SDF for translations along and rotations about x, y, z; two of them name an entry of
the matrix of added mass."""


def name_numbers(inertial: Inertial) -> dict[str, Number]:
    """The numbers of an inertial by name: mass, x, y, z, and ixx ... izz."""
    numbers = {} if inertial.mass is None else {"mass": inertial.mass}
    numbers["x"], numbers["y"], numbers["z"] = inertial.p_BoBcm_B
    numbers.update(inertial.I_BBcm_Bi)
    return numbers


def name_all_numbers(inertial: Inertial) -> dict[str, Number]:
    """The numbers of an inertial by name: also qw ... qz, and xx ... rr for the added mass."""
    quaternion = zip(QUATERNION, inertial.quaternion or (), strict=False)
    return name_numbers(inertial) | dict(quaternion) | name_added_mass(inertial)


def name_added_mass(inertial: Inertial) -> dict[str, Number]:
    """The upper triangle of the added mass by name, xx ... rr; empty where none is stated."""
    return {
        f"{MOTIONS[i]}{MOTIONS[j]}": number
        for i, row in enumerate(inertial.fluid_added_mass)
        for j, number in enumerate(row)
        if i <= j
    }


def locate_entries(
    model: Model, body: Body, names: Collection[str], body_id: str | None = None
) -> tuple[FindingEntry, ...]:
    """Find the places of numbers of a body; numbers that the document does not write have none.

    Args:
        model: The model, for the places.
        body: The body that has the numbers.
        names: Names of the numbers, as in `name_all_numbers`.
        body_id: Id to give the entries; None where the finding names the body.

    Returns:
        The entries in the order mass, x, y, z, ixx ... izz, quaternion, added mass.
    """
    if body.inertial is None or not names:
        return ()
    numbers = name_numbers(body.inertial)
    if not numbers.keys() >= set(names):
        numbers = name_all_numbers(body.inertial)
    found: list[FindingEntry] = []
    for name, (_, written, span, literal) in numbers.items():
        if span is not None and name in names:
            source = model.source_of(span)
            text = source.text(span) or written
            place = source.place(span) if span.file == 0 else model.place(span)
            found.append(FindingEntry(name, text, place, literal, body_id))
    return tuple(found)
