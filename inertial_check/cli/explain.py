"""Print the page of a rule: what it reports, why that is bad, what to write instead."""

from __future__ import annotations

import argparse

from inertial_check.cli import exit_codes, output
from inertial_check.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `explain` takes."""
    parser.add_argument("rule", metavar="CODE", help="a rule's code (IC301) or name")
    group = parser.add_argument_group("Output")
    group.add_argument("--output-format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    """Write the page."""
    from inertial_check.pipeline.settings import Settings
    from inertial_check.rules import as_dict, find, page

    rule = find(args.rule)
    if rule is None:
        Settings(select=(args.rule,)).validated()
        raise UsageError(f"{args.rule!r} is more than one rule; `inertial-check rules` lists them")
    if args.output_format == "json":
        import json

        output.write(json.dumps(as_dict(rule), indent=2) + "\n")
    else:
        output.write(page(rule))
    return exit_codes.CLEAN
