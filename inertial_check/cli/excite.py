"""Find a motion from which the inertial parameters of a robot can be identified.

The motion starts and ends at rest and keeps the limits of the joints. It is a finite Fourier series
with the smallest condition number that a search finds. --from judges a given motion instead.
Limits that the robot's file does not state have to be given. Collisions are not considered.
"""

from __future__ import annotations

import argparse
from argparse import SUPPRESS
from dataclasses import fields
from typing import TYPE_CHECKING

from inertial_check import __version__
from inertial_check.cli import exit_codes, options, output
from inertial_check.cli.option_groups import read_group, read_texts
from inertial_check.errors import UsageError
from inertial_check.reports.escaping import dump_json, printable
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from inertial_check.identifying.excite import ExciteOptions, QuantityRange, RobotExcitation

SCHEMA_VERSION = "1"
"""Version of the JSON form."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `excite`."""
    parser.add_argument("model", metavar="ROBOT", help="the robot's file")
    _add_motion(parser)
    _add_limits(parser)
    group = parser.add_argument_group("Parameters to be identified", argument_default=SUPPRESS)
    group.add_argument(
        "--friction",
        type=options.split_at_commas,
        metavar="TERMS",
        help="friction terms besides the bodies: viscous, coulomb, offset, rotor, separated by "
        "commas; or none (default: viscous,coulomb,offset)",
    )
    options.add_context(parser)
    group = parser.add_argument_group("Output")
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write the trajectory here, as .csv or .npz"
    )
    group.add_argument(
        "--output-format", choices=("text", "json"), default="text", help="format of the report"
    )


def _add_motion(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Motion", argument_default=SUPPRESS)
    group.add_argument("--duration", type=float, metavar="S", help="duration [s] (default: 10)")
    group.add_argument(
        "--harmonics", type=int, metavar="N", help="harmonics of the Fourier series (default: 5)"
    )
    group.add_argument(
        "--rate",
        type=float,
        metavar="HZ",
        help="samples a second (default: 32 in a period of the highest harmonic)",
    )
    group.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of the random motions that the search starts from",
    )
    group.add_argument(
        "--from",
        dest="given",
        default=None,
        metavar="FILE",
        help="judge this motion, csv or npz, instead of a search",
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "Joints (names, or numbers from 1)", argument_default=SUPPRESS
    )
    for name, form, unit, example in (
        ("position", "LOWER:UPPER", "rad or m", "-1:1"),
        ("velocity", "VALUE", "rad/s or m/s", "2"),
        ("acceleration", "VALUE", "rad/s^2 or m/s^2", "5"),
    ):
        group.add_argument(
            f"--{name}-limit",
            action="append",
            metavar=f"[JOINT=]{form}",
            help=f"limit of one joint or of all, instead of the file's [{unit}] (repeatable; "
            f"with =, as in --{name}-limit={example})",
        )
    options.add_motion(group)


def run(args: argparse.Namespace) -> int:
    """Find or judge a motion, report it, and write it if asked to."""
    from inertial_check.identifying.excite import excite

    excited = excite(_read_options(args), None if args.quiet else output.note)
    code = exit_codes.FINDINGS if excited.exceeded else exit_codes.CLEAN
    if args.output is not None:
        from inertial_check.files.writing import replace_file

        replace_file(args.output, excited.file(args.output))
    if args.output_format == "json":
        output.write(_as_json(excited, args.output, code))
    else:
        output.write("".join(f"{printable(line)}\n" for line in _lines(excited)))
    if not args.quiet:
        for line in excited.notes:
            output.note(line)
        if args.output is not None:
            output.note(f"{args.output}: written")
        elif args.given is None:
            output.note("-o FILE.csv or FILE.npz writes the trajectory")
    return code


def _read_options(args: argparse.Namespace) -> ExciteOptions:
    """Read the options of the command line; those that are not given keep their defaults.

    Raises:
        UsageError: Options exclude each other, or a text has another form. The message names the
            options.
    """
    from inertial_check.files.writing import same_file
    from inertial_check.identifying import excite
    from inertial_check.identifying.options import (
        FrictionOptions,
        RobotOptions,
        read_positions,
        read_terms,
    )

    if args.output is not None:
        if not args.output.endswith((".csv", ".npz")):
            raise UsageError(f"-o {args.output}: a trajectory is csv or npz: name it .csv or .npz")
        if same_file(args.output, args.model):
            raise UsageError(f"-o and ROBOT name one file, {args.output}")
    if args.given is not None:
        names = [field.name for field in fields(excite.SearchOptions) if hasattr(args, field.name)]
        searching = [f"--{name}" for name in names] + ["-o"] * (args.output is not None)
        if searching:
            raise UsageError(f"--from only judges a trajectory: leave out {', '.join(searching)}")
    context = options.context_of(args)
    read_texts(args, {"locked": read_positions, "friction": read_terms})
    return excite.ExciteOptions(
        model=args.model,
        context=context,
        robot=read_group(RobotOptions, args),
        friction=read_group(FrictionOptions, args),
        limits=read_group(excite.LimitOptions, args),
        search=read_group(excite.SearchOptions, args),
        given=args.given,
    )


def _lines(excited: RobotExcitation) -> list[str]:
    """Write the report as lines of text."""
    condition, model = excited.condition, excited.options.model
    shown = "all" if condition.rank == condition.columns else str(condition.rank)
    lines = [
        f"{model}: {plural(len(excited.joints), 'joint')}, {len(excited.t)} samples of "
        f"{excited.t[-1] - excited.t[0]:g} s",
        f"rank {condition.rank} of {condition.columns}: of the combinations of parameters that any "
        f"motion shows, this one shows {shown}",
    ]
    if excited.before is None:
        lines.append(f"condition number {condition.number:.4g}")
    else:
        search = excited.options.search
        lines.append(
            f"condition number {excited.before.number:.4g} -> {condition.number:.4g}, from a "
            f"random to the best motion of {search.harmonics} harmonics (seed {search.seed})"
        )
    lines += ["", *_table(excited)]
    if excited.exceeded:
        lines += ["", f"beyond its limit: {', '.join(excited.exceeded)}"]
    return lines


def _table(excited: RobotExcitation) -> list[str]:
    """Tabulate the ranges and limits, a line for each joint and quantity."""
    from inertial_check.identifying.excite import QUANTITIES

    header = ["joint", "", "moves", "limits", "", "used"]
    rows = [header]
    for each in excited.ranges:
        for place, quantity in enumerate(QUANTITIES):
            label = f"{quantity.name} [{quantity.unit(each.prismatic)}]"
            if quantity.name == "torque" and each.prismatic:
                label = "force [N]"
            rows.append([each.joint if place == 0 else "", label, *_cells(each.ranges[place])])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _cells(own: QuantityRange) -> list[str]:
    moves = f"{own.least:.4g} to {own.most:.4g}"
    if own.source == "unknown":
        return [moves, "not known", "", ""]
    return [moves, f"{own.lower:.4g} to {own.upper:.4g}", own.source, f"{100 * own.share:.3g} %"]


def _as_json(excited: RobotExcitation, written: str | None, code: int) -> str:
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": output.PROGRAM, "version": __version__},
        **excited.as_dict(),
        "written": written,
        "exit_code": code,
    }
    return dump_json(document, indent=2) + "\n"
