"""Compare two models body by body, whatever their formats.

Mass, centre of mass and inertia are compared in the body frame, so that the order and the signs of
principal axes do not matter. Where a known mistake of converters turns the numbers of one model
into those of the other, it is named. The exit code is 0 where the models are equal, 1 where they
differ, 2 where no body of one could be read.
"""

from __future__ import annotations

import argparse
import sys

from inertial_check.documents.load import load
from inertial_check.errors import UsageError
from inertial_check.inertia.tolerances import SAME_BODY
from inertial_check.programs.cli import options, output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `diff`."""
    parser.add_argument("a", metavar="A", help="a model; - for standard input")
    parser.add_argument("b", metavar="B", help="the model to compare it with; - for standard input")
    add = options.add_group(parser, "Comparison")
    add(
        "--tolerance RELATIVE",
        "largest deviation that counts as none, relative to the mass, the radius of gyration "
        f"or the largest principal moment (default: {SAME_BODY:g})",
        type=float,
        default=SAME_BODY,
    )
    add(
        "--map A=B|FILE ...",
        "body A of the first model is B of the second; or a csv, json or toml file of such "
        "pairs (repeatable; default: match by name, then by the end of scoped names)",
        default=[],
    )
    add("--lump-fixed", "first merge the bodies on fixed joints into the bodies that carry them")
    options.add_context(parser, configured=False)
    add = options.add_group(parser, "Output")
    add(
        "--output-format",
        "text: the bodies that differ (default); json: every body",
        choices=("text", "json"),
        default="text",
    )
    add("--impact", "also report how the numbers of B change the dynamics of robot A")


def run(args: argparse.Namespace) -> int:
    """Compare and report; the exit code says whether the models are equal."""
    from inertial_check.fixing.diff import diff_models, read_name_maps
    from inertial_check.reports import View, difference

    if args.a == args.b == "-":
        raise UsageError("standard input can be one of the models only")
    names, context = read_name_maps(args.map), options.context_of(args)
    a, b = (
        load(output.open_stdin().read(), path="<stdin>", context=context)
        if path == "-"
        else load(path, context=context)
        for path in (args.a, args.b)
    )
    found = diff_models(
        a, b, names=names, lump_fixed=args.lump_fixed, tolerance=args.tolerance, context=context
    )
    code = output.CLEAN if found.equal else output.FINDINGS
    code = output.FAILURE if found.failed else code
    view = View(
        exit_code=code, color=output.wants_color(args.color, sys.stdout), summary=not args.quiet
    )
    impact = None
    if args.impact:
        from inertial_check.fixing.impact import impact_of_difference

        impact = impact_of_difference(a, found)
    if args.output_format == "json":
        output.write(difference.as_json(found, view, impact.as_dict() if impact else None))
    else:
        output.write(difference.text(found, view))
    if not args.quiet:
        for line in (impact.text(), *impact.notes) if impact else ():
            output.note(line)
        for line in found.notes:
            output.note(line)
    return code
