"""List every rule: code, severity, name."""

from __future__ import annotations

import argparse

from inertial_check.programs.cli import exit_codes, output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `rules`."""
    group = parser.add_argument_group("Output")
    group.add_argument(
        "--output-format",
        choices=("text", "json"),
        default="text",
        help="a line for each rule, or every page",
    )


def run(args: argparse.Namespace) -> int:
    """Write the list of rules, in the order of their codes."""
    from inertial_check.checking.pages import describe_rule
    from inertial_check.checking.rules.catalogue import ALL_RULES

    if args.output_format == "json":
        import json

        output.write(json.dumps([describe_rule(rule) for rule in ALL_RULES], indent=2) + "\n")
    else:
        lines = (f"{rule.code}  {rule.severity.word:<7}  {rule.name}\n" for rule in ALL_RULES)
        output.write("".join(lines))
    return exit_codes.CLEAN
