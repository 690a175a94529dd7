"""What a check says: judgements of bodies, findings, reports. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal, NamedTuple

from inertial_check.model.excerpt import Excerpt
from inertial_check.model.source import Place


class Severity(IntEnum):
    """How much a finding weighs; comparable."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """note, warning or error."""
        return self.name.lower()


class Judgement(NamedTuple):
    """What the conditions say of one body.

    Attributes:
        verdict: One of the words of the contract (consistent, boundary, rounding, ...).
        margin: mu in [-1, 1/3]; NaN where there is none.
        tolerance: The numerical floor tau that decided.
        mass: [kg]; NaN where unread.
        p_BoBcm_B: (3,) [m].
        I_BBcm_B: (6,) [kg m^2] about the centre of mass, body axes, order of model.body.ENTRIES.
        I_BBcm_Bi: (6,) the same in the inertial's own axes, as printed.
        principal_moments: (3,) ascending [kg m^2].
        equivalent_box: (3,) edges [m] of the uniform box with these moments, ascending; NaN where
            no box has them.
        witness: (3,) unit vector, body axes, along which the mass would have negative spread; None
            where there is none.
        numerically_zero: max|I| < m (1e-6 m)^2.
    """

    verdict: str
    margin: float
    tolerance: float
    mass: float
    p_BoBcm_B: tuple[float, float, float]
    I_BBcm_B: tuple[float, ...]
    I_BBcm_Bi: tuple[float, ...]
    principal_moments: tuple[float, float, float]
    equivalent_box: tuple[float, float, float]
    witness: tuple[float, float, float] | None
    numerically_zero: bool


FixKind = Literal["safe", "unsafe"]

Action = Literal["accept", "warn", "alter", "replace", "reject", "drop"]
"""What an engine does with a body: load it as written; the same, and print; load other numbers made
from these (clamp, shift, mean); put a stand-in (sphere, zero) in its place; refuse the model; leave
the body out."""


class Prediction(NamedTuple):
    """What one engine does with one body.

    Attributes:
        engine: Its name, as in engines.ENGINES.
        version: Of the engine, for which this holds.
        action: What it does.
        message: What the engine prints or raises, literally; "" where it says nothing.
        becomes: What it simulates instead, in words with numbers; "" where it is as written.
    """

    engine: str
    version: str
    action: Action
    message: str = ""
    becomes: str = ""


class Hypothesis(NamedTuple):
    """One probable cause of a finding.

    Attributes:
        cause: Its name: decimal-slip, ...
        confidence: Probability that it is the cause, 0 to 1; those of a finding sum to at most 1.
        evidence: One sentence with the numbers that speak for it.
        edit: What would undo it: {"body": name, "entries": {"izz": 0.001676}}; entries are mass, x,
            y, z (centre of mass) and ixx ... izz, in the document's own units and the inertial's
            own axes. None where no edit can be told.
    """

    cause: str
    confidence: float
    evidence: str
    edit: Mapping[str, Any] | None = None


class Suppression(NamedTuple):
    """Why a finding does not count.

    Attributes:
        kind: "inSource": a comment in the document says so; "external": a configuration or a
            baseline does.
        reason: In the words of who suppressed it; "" where none is given.
    """

    kind: Literal["inSource", "external"]
    reason: str = ""


class TextReplacement(NamedTuple):
    """New text for a place.

    Attributes:
        place: What it replaces.
        text: What stands there then.
    """

    place: Place
    text: str


class Suggestion(NamedTuple):
    """An edit that mends what a finding says.

    Attributes:
        description: One line: what it does, and how far it moves the numbers.
        replacements: In the order of the document; none overlaps another.
    """

    description: str
    replacements: tuple[TextReplacement, ...]


class Finding(NamedTuple):
    """One statement about a document or a body.

    Attributes:
        code: IC301, ...
        name: triangle-inequality-violation, ...
        severity: As decided for this run.
        body: The body's name; None for the document.
        message: One line: numbers with units, the expected, the way out.
        place: Where the number stands.
        values: Numbers and strings behind the message.
        fix: Whether `fix` would mend it, and how surely.
        causes: Probable causes, best first.
        body_id: The body's unique id in the document.
        excerpt: What the document says there; None where that is not known or no text.
        written: The numbers of the body as its document has them, by name: mass, x, y, z (centre of
            mass) and ixx ... izz; empty where it has none.
        suggestion: The edit of `fix`, where one was asked for.
        suppression: Why it does not count; None where it does.
    """

    code: str
    name: str
    severity: Severity
    body: str | None
    message: str
    place: Place
    values: Mapping[str, Any] = {}
    fix: FixKind | None = None
    causes: tuple[Hypothesis, ...] = ()
    body_id: str | None = None
    excerpt: Excerpt | None = None
    written: Mapping[str, str] = {}
    suggestion: Suggestion | None = None
    suppression: Suppression | None = None


class BodyReport(NamedTuple):
    """A body and what the conditions say of it.

    Attributes:
        name: As written; can repeat.
        id: Unique in the file.
        line: Where it begins, 1-based.
        judgement: What the conditions say.
        file: The document in which that line is; None for the report's own.
        predictions: What each engine does with it, by the engine's name.
    """

    name: str
    id: str
    line: int
    judgement: Judgement
    file: str | None = None
    predictions: Mapping[str, Prediction] = {}


class FileReport(NamedTuple):
    """All that a check says of one document.

    Attributes:
        path: As given, joined with the walk.
        format: "urdf", ...; None where it cannot be read.
        model: The model's own name; None where it cannot be read.
        bodies: In file order.
        findings: Those that count, in file order.
        suppressed: Those that do not, in file order; each has its suppression.
        notes: What was left out of the evidence and why, one line each.
    """

    path: str
    format: str | None
    model: str | None
    bodies: tuple[BodyReport, ...]
    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """All that a check says.

    Attributes:
        files: Sorted by path.
        failures: Why the job could not be done, one line each (exit code 2).
        notes: What was skipped and why, one line each.
    """

    files: tuple[FileReport, ...]
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding that counts, in file order."""
        return tuple(finding for file in self.files for finding in file.findings)

    @property
    def suppressed(self) -> tuple[Finding, ...]:
        """Every finding that does not count, in file order."""
        return tuple(finding for file in self.files for finding in file.suppressed)

    @property
    def bodies(self) -> tuple[BodyReport, ...]:
        """Every body, in file order."""
        return tuple(body for file in self.files for body in file.bodies)

    def count(self, severity: Severity) -> int:
        """How many findings that count have exactly this severity."""
        return sum(finding.severity == severity for finding in self.findings)
