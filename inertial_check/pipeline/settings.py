"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal

from inertial_check.engines import ENGINES
from inertial_check.errors import UsageError
from inertial_check.formats import Context
from inertial_check.model import Severity
from inertial_check.rules import ALL_RULES, Rule


@dataclass(frozen=True)
class Settings:
    """Settings of a check.

    Attributes:
        select: Codes, prefixes of codes ("IC3"), names, or "ALL".
        ignore: The same; the more specific of select and ignore wins, ignore at a tie.
        fail_on: Findings of this severity or above fail the run; None for never.
        strict: Fail on warnings, and singular-inertia becomes one.
        tolerance: Margins down to -tolerance pass. Dimensionless.
        allow_empty: Nothing to check is no failure.
        context: Where what a document refers to is found.
        preset: "default" keeps sound models quiet; "strict" wants to hear every doubt.
        geometry: Whether shapes and meshes are read as evidence, "auto" or "off".
        engines: Names of engines; what they refuse, alter, replace or drop is an error.
        expected_mass: Total mass [kg] of a model and the relative deviation that is allowed.
    """

    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    fail_on: Severity | None = Severity.ERROR
    strict: bool = False
    tolerance: float = 0.0
    allow_empty: bool = False
    context: Context = field(default_factory=Context)
    preset: Literal["default", "strict"] = "default"
    geometry: Literal["auto", "off"] = "auto"
    engines: tuple[str, ...] = ()
    expected_mass: tuple[float, float] | None = None

    def validated(self) -> Settings:
        """These settings, with --strict carried out.

        Raises:
            UsageError: A code, prefix or name that no rule has, an engine that is not known, a
                tolerance that is no margin, or a mass that is none.
        """
        for selector in (*self.select, *self.ignore):
            if not any(_specificity(selector, rule) for rule in ALL_RULES):
                raise UsageError(f"unknown rule {selector!r}{_nearest(selector)}")
        if not 0 <= self.tolerance < inf:
            raise UsageError(f"tolerance is {self.tolerance!r}; it is a margin, so 0 or positive")
        for engine in self.engines:
            if engine not in ENGINES:
                raise UsageError(f"unknown engine {engine!r}: expected {', '.join(ENGINES)}")
        if self.expected_mass is not None and not all(0 < x < inf for x in self.expected_mass):
            raise UsageError(
                f"expected mass is {self.expected_mass}: it is a mass [kg] and a relative "
                "deviation, both positive"
            )
        if self.strict and self.fail_on is not None and self.fail_on > Severity.WARNING:
            return replace(self, fail_on=Severity.WARNING)
        return self

    def rules(self) -> tuple[type[Rule], ...]:
        """The rules that are on."""
        return tuple(rule for rule in ALL_RULES if self._is_on(rule))

    def severity(self, rule: type[Rule]) -> Severity:
        """The rule's severity in this run."""
        return rule.strict_severity if self.strict else rule.severity

    def fails(self, severity: Severity) -> bool:
        """Whether a finding of this severity fails the run."""
        return self.fail_on is not None and severity >= self.fail_on

    def _is_on(self, rule: type[Rule]) -> bool:
        selected = max((_specificity(selector, rule) for selector in self.select), default=0)
        ignored = max((_specificity(selector, rule) for selector in self.ignore), default=0)
        return selected > ignored


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
