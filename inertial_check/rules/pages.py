"""The page of a rule, made from its class."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

from inertial_check.rules._base import Rule


def find(selector: str) -> type[Rule] | None:
    """The rule with this code or name, in any case; None where there is none."""
    from inertial_check.rules import ALL_RULES

    wanted = selector.strip().lower()
    return next((rule for rule in ALL_RULES if wanted in (rule.code.lower(), rule.name)), None)


def page(rule: type[Rule]) -> str:
    """The rule's page as Markdown."""
    summary, _, rest = cleandoc(rule.__doc__ or "").partition("\n\n")
    severity = rule.severity.word
    if rule.strict_severity != rule.severity:
        severity += f" ({rule.strict_severity.word} with --strict)"
    head = f"# {rule.code} {rule.name}\n\n{summary}\n\nSeverity: {severity}. Since {rule.since}."
    return f"{head}\n\n{rest.rstrip()}\n"


def as_dict(rule: type[Rule]) -> dict[str, Any]:
    """The rule for machines: code, name, severity, summary, since and the page's sections."""
    summary, _, rest = cleandoc(rule.__doc__ or "").partition("\n\n")
    sections = [section.partition("\n") for section in rest.split("## ") if section]
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.word,
        "strict_severity": rule.strict_severity.word,
        "since": rule.since,
        "summary": summary.strip(),
        "explanation": {heading.strip(): cleandoc(text) for heading, _, text in sections},
    }
