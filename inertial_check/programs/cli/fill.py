"""Fill inertials that are missing, from the shapes of bodies and from what is known of masses.

Prints the change as a unified diff and writes nothing, unless --write or -o is given. Bodies are
filled whose inertial is missing, the default of the format, zero or a placeholder; measured ones
count in known sums and stay.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inertial_check.documents.escaping import printable
from inertial_check.documents.model import Model
from inertial_check.errors import DocumentError, InertialCheckError, UsageError
from inertial_check.inertia import tolerances
from inertial_check.programs.cli import options, output
from inertial_check.programs.cli.fix import (
    ChangeRun,
    add_writing,
    change_models,
    count_bodies,
    dump_run,
    find_files,
    name_written,
    show_diff,
    write_changes,
)

if TYPE_CHECKING:
    from inertial_check.checking.settings import Settings
    from inertial_check.fixing.fill.fill import FillOptions
    from inertial_check.fixing.fill.result import Filling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `fill`."""
    parser.add_argument("paths", nargs="+", metavar="MODEL", help="a file, a folder or a glob")
    add = add_writing(parser)
    add("--provenance", "add a comment beside each new inertial that says where it comes from")
    add = options.add_group(parser, "What is known")
    add(
        "--density KG/M3",
        "nominal density (default: the median of measured bodies, else 1000)",
        type=float,
    )
    add("--materials FILE", "TOML table of link patterns and materials or densities")
    add("--mass LINK=KG ...", "mass of a body that is filled (repeatable)", default=[])
    add("--total-mass KG[:REL]", "mass of the whole model, within REL in intervals")
    add(
        "--subtree-mass LINK=KG ...",
        "mass of a body with all that it carries (repeatable)",
        default=[],
    )
    add(
        "--com X,Y,Z",
        "centre of mass of the whole model, measured bodies included, in its root [m]",
        type=options.numbers,
    )
    add(
        "--at JOINT=POSITION ...",
        "position of a joint where --com was measured [rad or m] (repeatable; default: 0)",
        default=[],
    )
    add(
        "--pair LINK=LINK[:mirrored|equal] ...",
        "two bodies with one mass, and with one distribution of it where one is measured: "
        "mirrored, or equal by a rotation (repeatable)",
        default=[],
    )
    add(
        "--no-twins",
        "do not give left and right bodies with equal shapes one mass",
        action="store_false",
        dest="twins",
        default=None,
    )
    add(
        "--prior MODEL",
        "another model, whose masses tell the densities of bodies of the same names",
    )
    add(
        "--density-range LOW:HIGH",
        "least and largest density of every part [kg/m^3] (default: 10:25000)",
    )
    add = options.add_group(parser, "Where the numbers come from")
    add(
        "--shapes",
        "use only these (default: visual, else collision)",
        choices=("visual", "collision"),
    )
    add(
        "--thickness M",
        "take open meshes for walls of this thickness [m] (default: for their hulls)",
        type=float,
    )
    options.add_context(parser)
    add = options.add_group(parser, "Selection")
    add("--body NAME ...", "fill this body only, whatever it states (repeatable)", default=[])
    options.add_sniff(add)
    add("--allow-empty", "succeed if no model is found")
    add = options.add_group(parser, "Output")
    add(
        "--output-format",
        "text: the diff, unless it is written (default); json, markdown, html: every body, "
        "with the interval of each number",
        choices=("text", "json", "markdown", "html"),
        default="text",
    )


def read_given(args: argparse.Namespace) -> dict[str, Any]:
    """The fields of Knowledge that the command line gives; those that it leaves open are absent.

    Raises:
        UsageError: An option has another form.
        ParameterError: A number that cannot be.
    """
    from inertial_check.fixing.fill import knowledge
    from inertial_check.fixing.fill.knowledge import read_pairs

    com = args.com
    if com is not None and len(com) != 3:
        raise UsageError(f"--com takes three numbers, and there are {len(com)}")
    pairs = []
    for text in args.pair:
        one, sign, other = text.partition("=")
        if not (one and sign and other):
            raise UsageError(f"--pair {text}: expected LINK=LINK, or LINK=LINK:mirrored")
        name, colon, relation = other.rpartition(":")
        related = bool(colon) and relation in knowledge.RELATIONS
        pairs.append((one, name, relation) if related else (one, other))
    spread, total = args.density_range, args.total_mass
    fields = {
        "density": args.density,
        "links": None if args.materials is None else knowledge.read_materials(args.materials),
        "masses": knowledge.parse_assignments("--mass", args.mass, "LINK=KG") or None,
        "total_mass": None if total is None else knowledge.parse_total_mass(total),
        "subtree_masses": knowledge.parse_assignments(
            "--subtree-mass", args.subtree_mass, "LINK=KG"
        )
        or None,
        "center_of_mass": com,
        "positions": knowledge.parse_assignments("--at", args.at, "JOINT=POSITION") or None,
        "twins": args.twins,
        "pairs": read_pairs(pairs) or None,
        "prior": args.prior,
        "density_range": None if spread is None else knowledge.parse_range(spread),
    }
    given = {name: value for name, value in fields.items() if value is not None}
    knowledge.Knowledge(**given)  # refuses numbers before any model is read
    return given


def read_options(args: argparse.Namespace, configured: Mapping[str, Any]) -> FillOptions:
    """The options of filling that the command line gives, else those of the table [fill]."""
    from inertial_check.fixing.fill.fill import FillOptions

    thickness = configured.get("thickness") if args.thickness is None else args.thickness
    chosen = FillOptions(thickness=thickness, provenance=args.provenance)
    shapes = args.shapes or configured.get("shapes")
    return chosen._replace(roles=(shapes,)) if shapes else chosen


def run(args: argparse.Namespace) -> int:
    """Fill the models; show or write the result, and return the exit code."""
    if args.write and args.output is not None:
        raise UsageError("--write changes the file itself, -o writes another: choose one")
    from inertial_check.fixing.fill.fill import fill_model
    from inertial_check.fixing.fill.knowledge import complete_knowledge
    from inertial_check.fixing.fill.result import describe_filling

    given = read_given(args)
    configurations = options.context_configurations(args)
    found = find_files(args, configurations, "fill")

    def fill(path: str, model: Model, settings: Settings) -> Filling:
        configured = configurations.of(path)["fill"]
        try:
            known = complete_knowledge(given, configured, model)
            chosen = read_options(args, configured)
            return fill_model(model, known, chosen, args.body, settings.context)
        except DocumentError:
            raise
        except InertialCheckError as error:
            message = str(error)
            raise UsageError(message if path in message else f"{path}: {message}") from None

    result = change_models(found, configurations, fill, args.quiet)
    code = write_changes(args, result)
    if args.output_format == "json":
        described = [describe_filling(own, name_written(args, own.fix)) for own in result.changes]
        output.write(dump_run(result, code, described))
    elif args.output_format in ("markdown", "html"):
        from inertial_check.fixing.fill.result import write_html, write_markdown

        write = write_html if args.output_format == "html" else write_markdown
        output.write(write(result.changes))
    elif not (args.write or args.output is not None):
        show_diff(result)
    _print_summary(args, result)
    return code


def _print_summary(args: argparse.Namespace, result: ChangeRun[Filling]) -> None:
    """Print a line for each body, then counts, on stderr; failures even when quiet."""
    from inertial_check.fixing.fill.result import write_lines
    from inertial_check.fixing.fill.shapes import SKIPPED

    for filling in () if args.quiet else result.changes:
        for body in filling.bodies:
            path = filling.fix.source.path
            # The result for one body: mass and its interval, and where it comes from.
            text = f"[{body.name}] {body.status}: {body.reason}"
            if body.parameters is None or body.status != "filled":
                found = text
            elif body.interval is None:
                mass = float(body.parameters.mass)
                found = f"{text}; {mass:.6g} kg (a guess, without a shape): {body.source}"
            else:
                least, most = (float(value) for value in body.interval.mass)
                mass = float(body.parameters.mass)
                known = (
                    "known"
                    if most - least <= tolerances.MASS_KNOWN * mass
                    else f"{least:.3g} to {most:.3g} kg possible"
                )
                guess = ", a guess" if body.guess else ""
                found = f"{text}; {mass:.6g} kg ({known}{guess}): {body.source}"
            print(printable(f"{path}:{body.line}: {found}"), file=sys.stderr)
            for line in write_lines(body) if args.verbose and body.status == "filled" else ():
                print(printable(f"  {line}"), file=sys.stderr)
            for remark in body.remarks if body.status == "filled" else ():
                if args.verbose or SKIPPED in remark:
                    print(printable(f"  {remark}"), file=sys.stderr)
        for note in filling.notes:
            print(printable(f"{filling.fix.source.path}: {note}"), file=sys.stderr)
    if result.changes and not args.quiet:
        changed = any(each.changed for each in result.changes)
        hint = "; --write does it." if changed and not (args.write or args.output) else "."
        print(count_bodies(args, result, "filled", "filled") + hint, file=sys.stderr)
    for line in (*result.unreadable, *result.failures):
        output.failure(line)
