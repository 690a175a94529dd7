"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from math import inf
from typing import Literal, NamedTuple

from inertial_check.engines import ENGINES
from inertial_check.errors import UsageError
from inertial_check.files.patterns import PathPattern
from inertial_check.formats import Context
from inertial_check.model import Finding, Severity
from inertial_check.rules import ALL_RULES, Rule

SIMULATOR = "simulator:"
"""Begins the presets that gate on one engine."""

_PRESETS = ("default", "strict", *(SIMULATOR + engine for engine in ENGINES))


class Exemption(NamedTuple):
    """Findings that do not count, by where they are.

    Attributes:
        files: In which documents; also those that others include.
        body: Name or id of the bodies, "*" for any text; None for all, and the document's own.
        selectors: Of which rules: codes, beginnings of codes, names.
        reason: Why, in the words of who exempted them.
    """

    files: PathPattern
    body: str | None
    selectors: tuple[str, ...]
    reason: str = ""

    def covers(self, finding: Finding, path: str) -> bool:
        """Whether a finding on the document at this path is meant."""
        if not any(finding.code in codes_of(selector) for selector in self.selectors):
            return False
        place = finding.place.path
        if not (self.files.matches(path) or (place is not None and self.files.matches(place))):
            return False
        names = [name for name in (finding.body, finding.body_id) if name is not None]
        return self.body is None or any(
            name == self.body or fnmatchcase(name, self.body) for name in names
        )


@dataclass(frozen=True)
class Settings:
    """Settings of a check.

    Attributes:
        select: Codes, prefixes of codes ("IC3"), names, or "ALL".
        ignore: The same; the more specific of select and ignore wins, ignore at a tie.
        fail_on: Findings of this severity or above fail the run; None for never.
        strict: Fail on warnings, and singular-inertia becomes one.
        tolerance: Margins down to -tolerance pass. Dimensionless.
        context: Where what a document refers to is found.
        preset: Separated by commas: "default" keeps sound models quiet; "strict" wants to hear
            every doubt, and is strict; "simulator:NAME" adds an engine to `engines`.
        geometry: Whether shapes and meshes are read as evidence, "auto" or "off".
        engines: Names of engines; what they refuse, alter, replace or drop is an error.
        expected_mass: Total mass [kg] of a model and the relative deviation that is allowed.
        exemptions: Findings that do not count, by file and body.
        exclude: Files that a walk leaves out.
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
    exemptions: tuple[Exemption, ...] = ()
    exclude: tuple[PathPattern, ...] = ()

    def validated(self) -> Settings:
        """These settings, with `preset` and `strict` carried out.

        Raises:
            UsageError: A code, prefix or name that no rule has, an engine or preset that is not
                known, a tolerance that is no margin, or a mass that is none.
        """
        exempted = (selector for each in self.exemptions for selector in each.selectors)
        for selector in (*self.select, *self.ignore, *exempted):
            validated_selector(selector)
        if not 0 <= self.tolerance < inf:
            raise UsageError(f"tolerance is {self.tolerance!r}; it is a margin, so 0 or positive")
        presets = validated_presets(self.preset)
        simulated = [each.removeprefix(SIMULATOR) for each in presets if each.startswith(SIMULATOR)]
        engines = tuple(dict.fromkeys((*self.engines, *simulated)))
        for engine in engines:
            validated_engine(engine)
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
        """Whether every doubt is to be said."""
        return "strict" if "strict" in validated_presets(self.preset) else "default"

    def rules(self) -> tuple[type[Rule], ...]:
        """The rules that are on."""
        return self._rules

    def severity(self, rule: type[Rule]) -> Severity:
        """The rule's severity in this run."""
        return rule.strict_severity if self.strict else rule.severity

    def fails(self, severity: Severity) -> bool:
        """Whether a finding of this severity fails the run."""
        return self.fail_on is not None and severity >= self.fail_on

    def excludes(self, path: str) -> bool:
        """Whether a walk leaves a file out."""
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
    """The rules that a code, the beginning of one, a name or ALL means, as codes."""
    return frozenset(rule.code for rule in ALL_RULES if _specificity(selector, rule))


def validated_selector(selector: str) -> str:
    """The selector, if it means a rule.

    Raises:
        UsageError: It means none; names the nearest that does.
    """
    if not codes_of(selector):
        raise UsageError(f"unknown rule {selector!r}{_nearest(selector)}")
    return selector


def validated_engine(name: str) -> str:
    """The engine's name, if there is such an engine.

    Raises:
        UsageError: There is none.
    """
    if name not in ENGINES:
        raise UsageError(f"unknown engine {name!r}: expected {', '.join(ENGINES)}")
    return name


def validated_presets(text: str) -> tuple[str, ...]:
    """The presets that a text names, separated by commas.

    Raises:
        UsageError: There is no such preset.
    """
    presets = tuple(part.strip() for part in text.split(","))
    for preset in presets:
        if preset not in _PRESETS:
            raise UsageError(
                f"unknown preset {preset!r}: expected default, strict, or {SIMULATOR}NAME with one "
                f"of {', '.join(ENGINES)}"
            )
    return presets


def _specificity(selector: str, rule: type[Rule]) -> int:
    """0 where the selector does not mean the rule; the higher the more specific."""
    if selector == "ALL":
        return 1
    if selector in (rule.name, rule.code):
        return 100
    if selector.startswith("IC") and rule.code.startswith(selector):
        return len(selector)
    return 0


def _nearest(selector: str) -> str:
    from difflib import get_close_matches

    known = ["ALL", *(rule.code for rule in ALL_RULES), *(rule.name for rule in ALL_RULES)]
    close = get_close_matches(selector, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else "; `inertial-check rules` lists them"
