"""Results of a check: judgements of bodies, findings and reports. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal, NamedTuple

from inertial_check.arrays.equality import EqualByValue
from inertial_check.model.excerpt import Excerpt, MarkedLine
from inertial_check.model.judgement import Judgement
from inertial_check.model.source import Place

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
    """

    cause: str
    confidence: float
    evidence: str
    edit: Values | None = None


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


class CauseEdit(NamedTuple):
    """Edit that undoes the first cause of a finding, as one replacement.

    Attributes:
        description: One line: what the edit does.
        range: The range that is replaced, from the first changed number to the last.
        text: The new text of the range.
    """

    description: str
    range: ByteRange
    text: str


class Suggestion(NamedTuple):
    """Edit that resolves a finding.

    Attributes:
        description: One line: what the edit does, and how far it moves the numbers.
        replacements: Replacements in the order of the document; no two overlap.
    """

    description: str
    replacements: tuple[TextReplacement, ...]


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
        suggestion: Edit of `fix`, if suggestions were requested.
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
        cause_edit: Edit that undoes the first cause, if such edits were requested.
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
    suggestion: Suggestion | None = None
    suppression: Suppression | None = None
    entries: tuple[FindingEntry, ...] = ()
    bodies: tuple[str, ...] = ()
    body_ids: tuple[str, ...] = ()
    no_cause: str = ""
    fact: str = ""
    cause_edit: CauseEdit | None = None
    guilty: MarkedLine | None = None


class BodyReport(NamedTuple):
    """A body with its judgement.

    Attributes:
        name: Name as written; several bodies may share it.
        id: Id, unique in the file.
        line: Line where it begins, 1-based.
        judgement: Judgement of the body.
        file: Document with that line; None for the file of the report.
        predictions: Predicted behaviour of engines, by the engine's name.
    """

    name: str
    id: str
    line: int
    judgement: Judgement
    file: str | None = None
    predictions: Mapping[str, Prediction] = {}


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
    """

    path: str
    format: str | None
    model: str | None
    bodies: tuple[BodyReport, ...]
    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table and a drawing."""
        from inertial_check.model._notebook_reports import show_file_report  # notebooks only

        return show_file_report(self)


@dataclass(frozen=True, eq=False)
class Report(EqualByValue):
    """Result of a check.

    Attributes:
        files: Results of the documents, sorted by path.
        failures: Reasons why the check failed, one line each (exit code 2).
        notes: Files and checks that were skipped and why, one line each.
    """

    files: tuple[FileReport, ...]
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table and a drawing."""
        from inertial_check.model._notebook_reports import show_report  # notebooks only

        return show_report(self)

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
