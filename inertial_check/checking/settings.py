"""The settings with which a document is checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from math import inf
from typing import TYPE_CHECKING, Literal, NamedTuple

from inertial_check.checking.engines import ENGINES, VALIDATORS
from inertial_check.checking.report import Finding, Severity
from inertial_check.checking.rules.base import Rule
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.documents.context import Context
from inertial_check.documents.source import Place
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import UsageError

if TYPE_CHECKING:
    from inertial_check.checking.expected import Expected
    from inertial_check.documents.files.walking import PathPattern


SIMULATOR = "simulator:"
"""Prefix of the presets that add an engine to `engines`."""

_EXPECTED_ENGINES = f": expected {', '.join((*ENGINES, *VALIDATORS))}"

_PRESETS = ("default", "strict", *(SIMULATOR + engine for engine in ENGINES))


class Exemption(NamedTuple):
    """Findings that a configuration exempts, by file, body and rule.

    Attributes:
        files: The documents, including documents that others include.
        body: Name or id of the bodies, with "*" for any text; None for all findings.
        selectors: The rules: codes, prefixes of codes, or names.
        reason: The reason given in the configuration.
        accepted: Whether the findings are accepted as known, so that the summary counts them.
        place: Place in the configuration; None if it is unknown.
    """

    files: PathPattern
    body: str | None
    selectors: tuple[str, ...]
    reason: str = ""
    accepted: bool = False
    place: Place | None = None

    def covers(self, finding: Finding, path: str) -> bool:
        """Whether a finding on the document at a path is exempted."""
        if not any(finding.code in codes_of(selector) for selector in self.selectors):
            return False
        if not self.concerns(path, (finding.place.path,)):
            return False
        from fnmatch import fnmatchcase

        names = [name for name in (finding.body, finding.body_id) if name is not None]
        return self.body is None or any(
            name == self.body or fnmatchcase(name, self.body) for name in names
        )

    def concerns(self, path: str, included: Iterable[str | None]) -> bool:
        """Whether the document at a path, or one that it includes, is one of the files."""
        return any(each is not None and self.files.matches(each) for each in (path, *included))


FORMS = (
    "full",
    "concise",
    "json",
    "jsonl",
    "sarif",
    "junit",
    "github",
    "gitlab",
    "markdown",
    "rdjson",
    "badge",
    "html",
)
"""Names of the forms of a report, as --output-format takes them; html, which draws the models and
therefore reads their files, is made by viewing.report, the others by reports."""


@dataclass(frozen=True)
class Settings:
    """Settings of a check.

    Attributes:
        select: Codes, prefixes of codes ("IC3"), names, or "ALL".
        ignore: The same; the more specific of select and ignore wins, ignore at a tie.
        fail_on: Findings of this severity or above fail the run; None: no finding does.
        strict: Warnings fail the run, singular-inertia is a warning, and digits-lost an error.
        tolerance: Margins down to -tolerance are accepted. Dimensionless.
        context: Package paths and xacro arguments, for files that a document refers to.
        preset: Presets, separated by commas: "default" reports nothing on plausible models;
            "strict" reports every doubt and sets `strict`; "simulator:NAME" adds to `engines`.
        geometry: Whether shapes and meshes are read as evidence, "auto" or "off".
        engines: Names of engines; a body that one refuses, alters, replaces or drops is an error.
        expected_mass: Total mass [kg] of a model, and its allowed relative deviation.
        expected: Expected numbers of bodies.
        history: How many older versions of a document are read from git, for causes alone.
        exemptions: Findings that do not count.
        exclude: Files that a folder search leaves out.
    """

    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    fail_on: Severity | None = Severity.ERROR
    strict: bool = False
    tolerance: float = 0.0
    context: Context = field(default_factory=Context)
    preset: str = "default"
    geometry: Literal["auto", "off"] = "auto"
    engines: tuple[str, ...] = ()
    expected_mass: tuple[float, float] | None = None
    expected: tuple[Expected, ...] = ()
    history: int = 0
    exemptions: tuple[Exemption, ...] = ()
    exclude: tuple[PathPattern, ...] = ()

    def validate(self) -> Settings:
        """Check the settings, and apply `preset` and `strict` to the others.

        Raises:
            UsageError: An unknown rule, engine or preset, a negative tolerance, or an expected
                mass or deviation that is not positive.
        """
        exempted = (selector for each in self.exemptions for selector in each.selectors)
        for selector in (*self.select, *self.ignore, *exempted):
            validate_selector(selector)
        if not 0 <= self.tolerance < inf:
            raise UsageError(f"tolerance is {self.tolerance!r}; it is a margin, so 0 or positive")
        presets = validate_presets(self.preset)
        simulated = [each.removeprefix(SIMULATOR) for each in presets if each.startswith(SIMULATOR)]
        engines = tuple(dict.fromkeys((*self.engines, *simulated)))
        for engine in engines:
            validate_engine(engine)
        if self.expected_mass is not None and not all(0 < x < inf for x in self.expected_mass):
            raise UsageError(
                f"expected mass is {self.expected_mass}: it is a mass [kg] and a relative "
                "deviation, both positive"
            )
        strict = self.strict or "strict" in presets
        fail_on = self.fail_on
        if strict and fail_on is not None:
            fail_on = min(fail_on, Severity.WARNING)
        return replace(self, strict=strict, fail_on=fail_on, engines=engines)

    @property
    def strictness(self) -> Literal["default", "strict"]:
        """The thresholds of the rules about plausibility."""
        return "strict" if "strict" in validate_presets(self.preset) else "default"

    def rules(self) -> tuple[type[Rule], ...]:
        """The rules that run with these settings."""
        return self._rules

    def severity(self, rule: type[Rule]) -> Severity:
        """The severity of a rule with these settings."""
        severity = rule.strict_severity if self.strict else rule.severity
        return max(severity, rule.engine_severity) if self.engines else severity

    def fails(self, severity: Severity) -> bool:
        """Whether a finding of this severity fails the run."""
        return self.fail_on is not None and severity >= self.fail_on

    def excludes(self, path: str) -> bool:
        """Whether a folder search leaves out the file at a path."""
        return any(pattern.matches(path) for pattern in self.exclude)

    @cached_property
    def text(self) -> str:
        """The settings as text, the same for equal settings; part of cache keys."""
        return repr(self)

    @cached_property
    def _rules(self) -> tuple[type[Rule], ...]:
        return tuple(rule for rule in ALL_RULES if self._is_on(rule))

    def _is_on(self, rule: type[Rule]) -> bool:
        selected = max((_specificity(selector, rule) for selector in self.select), default=0)
        ignored = max((_specificity(selector, rule) for selector in self.ignore), default=0)
        return selected > ignored


@cache
def codes_of(selector: str) -> frozenset[str]:
    """The codes of the rules that a selector means: a code, a prefix of codes, a name or ALL."""
    return frozenset(rule.code for rule in ALL_RULES if _specificity(selector, rule))


def validate_selector(selector: str) -> str:
    """Return the selector if it means at least one rule.

    Raises:
        UsageError: It means no rule; suggests the nearest selector.
    """
    if not codes_of(selector):
        hint = suggest_name(
            selector,
            ["ALL", *(rule.code for rule in ALL_RULES), *(rule.name for rule in ALL_RULES)],
            "; `inertial-check rules` lists them",
        )
        raise UsageError(f"unknown rule {selector!r}{hint}")
    return selector


def validate_engine(name: str) -> str:
    """Return the name if an engine has it.

    Raises:
        UsageError: No engine has it; suggests the nearest.
    """
    if name not in (*ENGINES, *VALIDATORS):
        raise UsageError(f"unknown engine {name!r}{suggest_name(name, ENGINES, _EXPECTED_ENGINES)}")
    return name


def validate_presets(text: str) -> tuple[str, ...]:
    """Split a text into presets.

    Raises:
        UsageError: A preset is unknown.
    """
    presets = tuple(part.strip() for part in text.split(","))
    for preset in presets:
        if preset not in _PRESETS:
            expected = f": expected default, strict, or {SIMULATOR}NAME with one of "
            hint = suggest_name(preset, _PRESETS, f"{expected}{', '.join(ENGINES)}")
            raise UsageError(f"unknown preset {preset!r}{hint}")
    return presets


def _specificity(selector: str, rule: type[Rule]) -> int:
    """How specifically a selector means a rule; 0 if it does not."""
    if selector == "ALL":
        return 1
    if selector in (rule.name, rule.code):
        return 100
    if selector.startswith("IC") and rule.code.startswith(selector):
        return len(selector)
    return 0
