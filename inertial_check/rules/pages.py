"""The page of a rule, made from its class."""

from __future__ import annotations

from typing import TypedDict

from inertial_check.evidence.pages import read_page
from inertial_check.rules._base import Rule
from inertial_check.rules.catalogue import ALL_RULES


class RuleDescription(TypedDict):
    """A rule as `rules --output-format json` prints it."""

    code: str
    name: str
    severity: str
    strict_severity: str
    since: str
    summary: str
    explanation: dict[str, str]


def find(selector: str) -> type[Rule] | None:
    """Find the rule with this code or name, in any case; None where there is none."""
    wanted = selector.strip().lower()
    return next((rule for rule in ALL_RULES if wanted in (rule.code.lower(), rule.name)), None)


def page(rule: type[Rule]) -> str:
    """The page of the rule as Markdown."""
    text = read_page(rule)
    severity = rule.severity.word
    if rule.strict_severity != rule.severity:
        severity += f" ({rule.strict_severity.word} with --strict)"
    note = f"Severity: {severity}. Since {rule.since}."
    return f"# {rule.code} {rule.name}\n\n{text.summary}\n\n{note}\n\n{text.body.rstrip()}\n"


def as_dict(rule: type[Rule]) -> RuleDescription:
    """The rule as JSON: code, name, severity, summary, since and the sections of its page."""
    text = read_page(rule)
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.word,
        "strict_severity": rule.strict_severity.word,
        "since": rule.since,
        "summary": text.summary,
        "explanation": text.sections,
    }
