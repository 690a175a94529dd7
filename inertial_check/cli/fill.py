"""Fill inertials that are missing, from the shapes of bodies and from what is known of masses.

Prints the change as a unified diff and writes nothing, unless --write or -o is given. Bodies are
filled whose inertial is missing, the default of the format, zero or a placeholder; measured ones
count in known sums and stay.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from inertial_check import __version__
from inertial_check.cli import exit_codes, options, output
from inertial_check.cli.fix import SCHEMA_VERSION, find_files, show_diff, writable_folders
from inertial_check.errors import (
    DocumentError,
    InertialCheckError,
    NotAModelError,
    NotExpandedError,
    UsageError,
)
from inertial_check.formats.xacro.total import limit_expansions
from inertial_check.inertia import tolerances
from inertial_check.isolation import raise_defects
from inertial_check.reports.escaping import dump_json, printable
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from inertial_check.files.json import Json
    from inertial_check.filling.fill import FillOptions
    from inertial_check.filling.known import Knowledge
    from inertial_check.filling.result import FilledBody, Filling
    from inertial_check.selecting.discovery import Discovery
    from inertial_check.settings.configuration import Configurations


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `fill`."""
    parser.add_argument("paths", nargs="+", metavar="MODEL", help="a file, a folder or a glob")
    group = parser.add_argument_group("Writing")
    group.add_argument("--write", action="store_true", help="change the files in place")
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write the result of a single model to this file"
    )
    group.add_argument(
        "--provenance",
        action="store_true",
        help="add a comment beside each new inertial that says where it comes from",
    )
    _add_known(parser)
    _add_shapes(parser)
    options.add_context(parser)
    options.add_configuration(parser)
    group = parser.add_argument_group("Selection")
    group.add_argument(
        "--body",
        action="append",
        default=[],
        metavar="NAME",
        help="fill this body only, whatever it states (repeatable)",
    )
    options.add_sniff(group)
    group.add_argument("--allow-empty", action="store_true", help="succeed if no model is found")
    group = parser.add_argument_group("Output")
    group.add_argument(
        "--output-format",
        choices=("text", "json"),
        default="text",
        help="text: the diff, unless it is written (default); json: every body, with intervals",
    )


def _add_known(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("What is known")
    group.add_argument(
        "--density",
        type=float,
        metavar="KG/M3",
        help="nominal density (default: the median of measured bodies, else 1000)",
    )
    group.add_argument(
        "--materials", metavar="FILE", help="TOML table of link patterns and materials or densities"
    )
    group.add_argument(
        "--mass",
        action="append",
        default=[],
        metavar="LINK=KG",
        help="mass of a body that is filled (repeatable)",
    )
    group.add_argument(
        "--total-mass", metavar="KG[:REL]", help="mass of the whole model, within REL in intervals"
    )
    group.add_argument(
        "--subtree-mass",
        action="append",
        default=[],
        metavar="LINK=KG",
        help="mass of a body with all that it carries (repeatable)",
    )
    group.add_argument(
        "--com",
        type=options.numbers,
        metavar="X,Y,Z",
        help="centre of mass of the whole model at zero joints, in its root [m]",
    )
    group.add_argument(
        "--pair",
        action="append",
        default=[],
        metavar="LINK=LINK",
        help="two bodies with one mass (repeatable)",
    )
    group.add_argument(
        "--no-twins",
        action="store_true",
        help="do not give left and right bodies with equal shapes one mass",
    )
    group.add_argument(
        "--prior",
        metavar="MODEL",
        help="another model, whose masses tell the densities of bodies of the same names",
    )
    group.add_argument(
        "--density-range",
        metavar="LOW:HIGH",
        help="least and largest density of every part [kg/m^3] (default: 10:25000)",
    )


def _add_shapes(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Where the numbers come from")
    group.add_argument(
        "--shapes",
        choices=("visual", "collision"),
        help="use only these (default: visual, else collision)",
    )
    group.add_argument(
        "--thickness",
        type=float,
        metavar="M",
        help="take open meshes for walls of this thickness [m] (default: for their hulls)",
    )
    group.add_argument(
        "--divergence",
        choices=("entropic", "quadratic"),
        default="entropic",
        help="deviation from the nominal densities that is least (default: entropic)",
    )
    group.add_argument(
        "--solver", metavar="NAME", help="solver of cvxpy, as clarabel (default: Newton's method)"
    )


def run(args: argparse.Namespace) -> int:
    """Fill the models; show or write the result, and return the exit code."""
    if args.write and args.output is not None:
        raise UsageError("--write changes the file itself, -o writes another: choose one")
    known, chosen = _read_known(args), _read_options(args)
    configurations = options.context_configurations(args)
    found = find_files(args, configurations, "fill")
    result = _fill_all(found, args, configurations, known, chosen)
    if args.write or args.output is not None:
        _write_all(result, args)
    code = _exit_code(args, result)
    if args.output_format == "json":
        output.write(_as_json(args, result, code))
    elif not (args.write or args.output is not None):
        show_diff("".join(filling.diff() for filling in result.fillings))
    _print_summary(args, result)
    return code


@dataclass
class _RunResult:
    """Fillings of a run, documents found in a folder that cannot be read, and failures."""

    fillings: list[Filling] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def _read_known(args: argparse.Namespace) -> Knowledge:
    """The knowledge that the command line states.

    Raises:
        UsageError: An option has another form.
        ParameterError: A number that cannot be.
    """
    from inertial_check.filling.known import (
        DENSITY_RANGE,
        Knowledge,
        parse_masses,
        parse_range,
        parse_total_mass,
        read_materials,
    )

    com = args.com
    if com is not None and len(com) != 3:
        raise UsageError(f"--com takes three numbers, and there are {len(com)}")
    pairs = []
    for text in args.pair:
        one, sign, other = text.partition("=")
        if not (one and sign and other):
            raise UsageError(f"--pair {text}: expected LINK=LINK")
        pairs.append((one, other))
    spread = args.density_range
    return Knowledge(
        density=args.density,
        links=() if args.materials is None else read_materials(args.materials),
        masses=parse_masses("--mass", args.mass),
        total_mass=None if args.total_mass is None else parse_total_mass(args.total_mass),
        subtree_masses=parse_masses("--subtree-mass", args.subtree_mass),
        center_of_mass=None if com is None else (com[0], com[1], com[2]),
        twins=not args.no_twins,
        pairs=tuple(pairs),
        prior=args.prior,
        density_range=DENSITY_RANGE if spread is None else parse_range(spread),
        divergence=args.divergence,
    )


def _read_options(args: argparse.Namespace) -> FillOptions:
    from inertial_check.filling.fill import FillOptions

    chosen = FillOptions(thickness=args.thickness, solver=args.solver, provenance=args.provenance)
    return chosen._replace(roles=(args.shapes,)) if args.shapes else chosen


@limit_expansions()
def _fill_all(
    found: Discovery,
    args: argparse.Namespace,
    configurations: Configurations,
    known: Knowledge,
    chosen: FillOptions,
) -> _RunResult:
    """The fillings of all files, none written yet; a body has to be in each of them."""
    from inertial_check.checking.check import is_fragment
    from inertial_check.filling.fill import fill_model
    from inertial_check.formats import load

    result = _RunResult(failures=list(found.failures))
    for path, named in found.files:
        try:
            settings = configurations.settings(path)
            model = load(path, context=settings.context)
            if named or not is_fragment(model):
                with raise_defects(path, InertialCheckError):
                    filling = fill_model(model, known, chosen, args.body, settings.context)
                result.fillings.append(filling)
        except NotAModelError as error:
            if named:
                result.failures.append(str(error))
        except DocumentError as error:
            if isinstance(error, NotExpandedError) and not named:
                output.note(f"skipped: {error}")
                continue
            (result.failures if named else result.unreadable).append(str(error))
        except InertialCheckError as error:
            message = str(error)
            result.failures.append(message if path in message else f"{path}: {message}")
    return result


def _write_all(result: _RunResult, args: argparse.Namespace) -> None:
    """Write every filling; one that cannot be written becomes a failure."""
    writable = writable_folders(args)
    fillings, result.fillings = result.fillings, []
    for filling in fillings:
        try:
            if args.output is not None:
                filling.write(args.output)
            else:
                outside = filling.fix.follow_outside
                filling.write(writable=replace(writable, follow_outside=outside))
            result.fillings.append(filling)
        except UsageError as error:
            result.failures.append(str(error))


def _exit_code(args: argparse.Namespace, result: _RunResult) -> int:
    if result.failures:
        return exit_codes.FAILURE
    shown_only = not args.write and args.output is None
    left = any(not each.complete or (shown_only and each.changed) for each in result.fillings)
    return exit_codes.FINDINGS if left or result.unreadable else exit_codes.CLEAN


def _print_summary(args: argparse.Namespace, result: _RunResult) -> None:
    """Print a line for each body, then counts, on stderr; failures even when quiet."""
    for filling in () if args.quiet else result.fillings:
        for body in filling.bodies:
            path = filling.fix.source.path
            print(printable(f"{path}:{body.line}: {_line(body)}"), file=sys.stderr)
            for remark in body.remarks if args.verbose and body.status == "filled" else ():
                print(printable(f"  {remark}"), file=sys.stderr)
        for note in filling.notes:
            print(printable(f"{filling.fix.source.path}: {note}"), file=sys.stderr)
    if result.fillings and not args.quiet:
        print(_counts(args, result), file=sys.stderr)
    for line in (*result.unreadable, *result.failures):
        output.failure(line)


def _line(body: FilledBody) -> str:
    """The result for one body: mass and its interval, and where it comes from."""
    text = f"[{body.name}] {body.status}: {body.reason}"
    if body.parameters is None or body.interval is None or body.status != "filled":
        return text
    least, most = (float(value) for value in body.interval.mass)
    mass = float(body.parameters.mass)
    known = (
        "known"
        if most - least <= tolerances.MASS_KNOWN * mass
        else f"{least:.3g} to {most:.3g} kg possible"
    )
    guess = ", a guess" if body.guess else ""
    return f"{text}; {mass:.6g} kg ({known}{guess}): {body.source}"


def _counts(args: argparse.Namespace, result: _RunResult) -> str:
    counts = Counter(body.status for each in result.fillings for body in each.bodies)
    filled = counts.pop("filled", 0)
    changed = sum(each.changed for each in result.fillings)
    shown_only = not args.write and args.output is None
    verb = "would be filled" if shown_only else "filled"
    parts = [f"{plural(filled, 'body')} {verb} in {plural(changed, 'file')}"]
    if counts:
        parts.append("left: " + ", ".join(f"{n} {word}" for word, n in sorted(counts.items())))
    return "; ".join(parts) + ("; --write does it." if shown_only and changed else ".")


def _as_json(args: argparse.Namespace, result: _RunResult, code: int) -> str:
    from inertial_check.filling.records import describe_filling

    bodies = [body for each in result.fillings for body in each.bodies]
    document: Json = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": output.PROGRAM, "version": __version__},
        "summary": {
            "files": len(result.fillings),
            "changed": sum(each.changed for each in result.fillings),
            "bodies": len(bodies),
            "statuses": dict(sorted(Counter(body.status for body in bodies).items())),
            "exit_code": code,
        },
        "failures": [*result.failures, *result.unreadable],
        "files": [describe_filling(each, _find_target(args, each)) for each in result.fillings],
    }
    return dump_json(document, indent=2) + "\n"


def _find_target(args: argparse.Namespace, filling: Filling) -> str | None:
    """The path that a filling was written to; None if it was not."""
    if args.output is not None:
        return str(args.output)
    return filling.fix.source.path if args.write and filling.changed else None
