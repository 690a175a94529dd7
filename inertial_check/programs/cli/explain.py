"""The commands that print what this program knows: `explain` one rule or cause, `rules` all."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping

from inertial_check.checking.causes.catalogue import ALL_CAUSES
from inertial_check.checking.pages import (
    cause_page,
    describe_cause,
    describe_rule,
    find_cause,
    find_rule,
    rule_page,
)
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.standards import STANDARDS, list_requirements
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import UsageError
from inertial_check.programs.cli import options, output

EXPLAIN = """Print the page of a rule or of a cause: meaning, reason, and correction."""
RULES = """List every rule: code, severity, name."""


def add_explain_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `explain`."""
    parser.add_argument(
        "subject",
        metavar="CODE",
        help="a rule's code (IC301) or name, or the name of a cause (decimal-slip)",
    )
    add = options.add_group(parser, "Output")
    add("--output-format", "the page, or its parts", choices=("text", "json"), default="text")


def explain(args: argparse.Namespace) -> int:
    """Write the page."""
    page, facts = _find(args.subject)
    if args.output_format == "json":
        output.write(json.dumps(facts, indent=2) + "\n")
    else:
        output.write(page)
    return output.CLEAN


def _find(selector: str) -> tuple[str, Mapping[str, object]]:
    """Find the page of a rule or a cause, as text and as JSON.

    Raises:
        UsageError: No rule or cause has this name, or several have; suggests the nearest.
    """
    rule = find_rule(selector)
    if rule is not None:
        return rule_page(rule), describe_rule(rule)
    cause = find_cause(selector)
    if cause is not None:
        return cause_page(cause), describe_cause(cause)
    codes = [rule.code for rule in ALL_RULES]
    if selector == "ALL" or any(code.startswith(selector) for code in codes):
        raise UsageError(f"{selector!r} is more than one rule; `inertial-check rules` lists them")
    names = [rule.name for rule in ALL_RULES] + [c.name for c in ALL_CAUSES]
    hint = suggest_name(selector, codes + names, "; `inertial-check rules` lists them")
    raise UsageError(f"unknown rule or cause {selector!r}{hint}")


def add_rules_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `rules`."""
    add = options.add_group(parser, "Output")
    add(
        "--output-format",
        "a line for each rule, or every page",
        choices=("text", "json"),
        default="text",
    )
    add(
        "--standard",
        "instead, the requirements of a standard, and the rules that cover each",
        choices=tuple(each.name for each in STANDARDS),
    )


def list_rules(args: argparse.Namespace) -> int:
    """Write the list of rules, in the order of their codes, or the requirements of a standard."""
    requirements = list_requirements(args.standard)
    if args.output_format == "json":
        rules = [describe_rule(rule) for rule in ALL_RULES]
        found = [each._asdict() for each in requirements] if args.standard else rules
        output.write(json.dumps(found, indent=2) + "\n")
    elif args.standard:
        (standard,) = (each for each in STANDARDS if each.name == args.standard)
        output.write(f"{standard.title}: {standard.source}\n")
        for each in requirements:
            rules_of = ", ".join(each.codes) or "no rule"
            output.write(f"\n{each.id}: {each.asks}\n  {each.relation}, {rules_of}: ")
            output.write(f"{each.reason}\n")
    else:
        lines = (f"{rule.code}  {rule.severity.word:<7}  {rule.name}\n" for rule in ALL_RULES)
        output.write("".join(lines))
    return output.CLEAN
