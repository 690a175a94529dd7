"""The page of a rule, made from its class.

The page of a cause, made from its class.

Pages of rules and causes, made from the docstrings of their classes.
"""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import NamedTuple, TypedDict

from inertial_check.checking.causes.base import Cause
from inertial_check.checking.causes.catalogue import ALL_CAUSES
from inertial_check.checking.rules.base import Rule
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.standards import list_requirements_of

_PLAIN = (
    r"(?:None|By hand(?:: see its causes)?|The messages of IC\d+(?: and IC\d+)?"
    r"|The plausibility page(?:, \".*\")?)\."
)
"""Sections that the pages leave out; those of the rules' index say what that means."""


class Page(NamedTuple):
    """The docstring of a rule or a cause, taken apart.

    Attributes:
        summary: The first sentence.
        body: Everything after it, as Markdown.
    """

    summary: str
    body: str

    @property
    def sections(self) -> dict[str, str]:
        """The text of each section, by its heading."""
        parts = [part.partition("\n") for part in self.body.split("## ") if part]
        return {heading.strip(): cleandoc(text) for heading, _, text in parts}


def read_page(documented: type) -> Page:
    """Take the docstring of a rule or a cause apart."""
    summary, _, body = cleandoc(documented.__doc__ or "").partition("\n\n")
    return Page(" ".join(summary.split()), body)


class RuleDescription(TypedDict):
    """A rule as `rules --output-format json` prints it."""

    code: str
    name: str
    severity: str
    strict_severity: str
    since: str
    summary: str
    explanation: dict[str, str]
    covers: list[dict[str, str]]


def find_rule(selector: str) -> type[Rule] | None:
    """Find the rule with this code or name, in any case; None where there is none."""
    wanted = selector.strip().lower()
    return next((rule for rule in ALL_RULES if wanted in (rule.code.lower(), rule.name)), None)


def rule_page(rule: type[Rule]) -> str:
    """The page of the rule as Markdown."""
    text = read_page(rule)
    severity = rule.severity.word
    if rule.strict_severity != rule.severity:
        severity += f" ({rule.strict_severity.word} with --strict)"
    note = f"Severity: {severity}."
    page = f"# {rule.code} {rule.name}\n\n{text.summary}\n\n{note}\n\n{_shorten(text.body)}\n"
    covered = dict.fromkeys(each.standard for each in list_requirements_of(rule.code))
    return page + (f"\nStandards: {', '.join(covered)}\n" if covered else "")


def _shorten(body: str) -> str:
    """A body without its first heading, and without sections that say nothing of their own."""
    return re.sub(rf"\A## .*\n|^## .*\n{_PLAIN}\n*", "", body, flags=re.MULTILINE).rstrip()


def describe_rule(rule: type[Rule]) -> RuleDescription:
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
        "covers": [
            {"standard": each.standard, "id": each.id, "relation": each.relation}
            for each in list_requirements_of(rule.code)
        ],
    }


def find_cause(selector: str) -> type[Cause] | None:
    """Find the cause with this name, in any case; None where there is none."""
    wanted = selector.strip().lower()
    return next((cause for cause in ALL_CAUSES if cause.name == wanted), None)


def summarise_cause(cause: type[Cause]) -> str:
    """The summary of what happened, in one sentence."""
    return read_page(cause).summary


def cause_page(cause: type[Cause]) -> str:
    """The page of the cause as Markdown."""
    text = read_page(cause)
    return f"# {cause.name}\n\n{text.summary}\n\n{_shorten(text.body)}\n"


def describe_cause(cause: type[Cause]) -> dict[str, str | dict[str, str]]:
    """The cause as JSON: name, summary and the sections of its page."""
    text = read_page(cause)
    return {"cause": cause.name, "summary": text.summary, "explanation": text.sections}
