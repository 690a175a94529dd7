"""Find a motion from which the inertial parameters of a robot can be identified.

The motion starts and ends at rest and keeps the limits of the joints. It is a finite Fourier series
with the smallest condition number that a search finds, within the torques that the joints can give
and without the robot's shapes touching each other. --from judges a given motion instead.
"""

from __future__ import annotations

import argparse
import sys
from argparse import SUPPRESS
from contextlib import closing
from dataclasses import fields
from functools import partial
from math import exp
from typing import TYPE_CHECKING

from inertial_check import __version__
from inertial_check.documents.escaping import dump_json, printable
from inertial_check.documents.files.writing import replace_file, same_file
from inertial_check.errors import UsageError
from inertial_check.programs.cli import options, output
from inertial_check.programs.cli.options import read_group, read_texts
from inertial_check.programs.cli.output import ProgressBar
from inertial_check.reports.json import plain
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from inertial_check.identification.excitation.excite import (
        Approach,
        ExciteOptions,
        RobotExcitation,
    )


SCHEMA_VERSION = "1"
"""Version of the JSON form."""

_MOST_SHOWN = 700.0
"""Largest logarithm of a number that is shown while searching; floats end at 709."""

_MOST_PAIRS = 8
"""Largest number of pairs of bodies that a line lists."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `excite`."""
    parser.add_argument("model", metavar="ROBOT", help="the robot's file")
    add = options.add_group(parser, "Motion", argument_default=SUPPRESS)
    add("--duration S", "duration [s] (default: 10)", type=float)
    add("--harmonics N", "harmonics of the Fourier series (default: 5)", type=int)
    add(
        "--rate HZ",
        "samples a second (default: 32 in a period of the highest harmonic)",
        type=float,
    )
    add("--seed N", "seed of the random motions that the search starts from", type=int)
    add(
        "--trajectories N",
        "number of motions that are designed together: what they show adds up (default: 1)",
        type=int,
    )
    add(
        "--criterion",
        "of the base regressor with friction: its condition number, the determinant of its "
        "information, or the mean variance of the parameters (default: condition)",
        choices=("condition", "log-det", "mean-variance"),
    )
    add(
        "--from FILE",
        "judge this motion, csv or npz, instead of a search",
        dest="given",
        default=None,
    )
    add = options.add_group(parser, "Joints (names, or numbers from 1)", argument_default=SUPPRESS)
    for name, form, unit, example in (
        ("position", "LOWER:UPPER", "rad or m", "-1:1"),
        ("velocity", "VALUE", "rad/s or m/s", "2"),
        ("acceleration", "VALUE", "rad/s^2 or m/s^2", "5"),
    ):
        add(
            f"--{name}-limit [JOINT=]{form} ...",
            f"limit of one joint or of all, instead of the file's [{unit}] (repeatable; "
            f"with =, as in --{name}-limit={example})",
        )
    add(
        "--max-torque [JOINT=]VALUE ...",
        "largest torque of one joint or of all, instead of the file's effort limit [N m or "
        "N]; inf for none (repeatable)",
    )
    add(
        "--torque-margin SHARE",
        "standard deviation of each body and of friction, as a part of itself, that torques "
        "leave room for (default: 0.1)",
        type=float,
    )
    options.add_motion(add)
    add = options.add_group(parser, "Collisions", argument_default=SUPPRESS)
    add(
        "--clearance M",
        "distance that bodies keep from each other and from obstacles [m]; none to leave "
        "collisions out (default: 0)",
    )
    add("--allow-contact BODY,BODY ...", "two bodies that may touch (repeatable)")
    add("--floor Z", "height of a floor in the frame of the base [m]", type=float)
    add(
        "--keep-out X:X,Y:Y,Z:Z ...",
        "box that the robot keeps out of, in the frame of the base [m] (repeatable; with =)",
    )
    add = options.add_group(parser, "Parameters to be identified", argument_default=SUPPRESS)
    add(
        "--friction TERMS",
        "friction terms besides the bodies: viscous, coulomb, offset, rotor, separated by "
        "commas; or none (default: viscous,coulomb,offset)",
        type=options.split_at_commas,
    )
    add(
        "--weights NAME=WEIGHT ...",
        "importance of a body or friction term, 1 by default: with 2 it is to be known twice as "
        "precisely (repeatable)",
    )
    options.add_context(parser, configured=False)
    add = options.add_group(parser, "Output")
    add(
        "-o, --output FILE",
        "write the trajectory here, as .csv, .npz or .yaml, a JointTrajectory of ROS; several as "
        "FILE-1, FILE-2, ...",
    )
    add("--output-format", "format of the report", choices=("text", "json"), default="text")
    add("--output-file FILE", "write the report here")


def run(args: argparse.Namespace) -> int:
    """Find or judge a motion, report it, and write it if asked to."""
    excited = _excite(args)
    code = output.FINDINGS if excited.exceeded else output.CLEAN
    files = [] if args.output is None else excited.files(args.output)
    if files:
        for path, data in files:
            replace_file(path, data)
    if args.output_format == "json":
        written = [path for path, _ in files]
        document = {
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": output.PROGRAM, "version": __version__},
            **excited.as_dict(),
            "written": written[0] if written else None,
            "files": written,
            "exit_code": code,
        }
        report = dump_json(plain(document), indent=2) + "\n"
    else:
        report = "".join(f"{printable(line)}\n" for line in _lines(excited))
    if args.output_file is None:
        output.write(report)
    else:
        replace_file(args.output_file, report.encode())
    if not args.quiet:
        for line in excited.notes:
            output.note(line)
        for path, _ in files:
            output.note(f"{path}: written")
        if not files and args.given is None:
            output.note("-o FILE.csv, FILE.npz or FILE.yaml writes the trajectory")
    return code


def _excite(args: argparse.Namespace) -> RobotExcitation:
    """Find or judge a motion, with a bar of the progress on a terminal."""
    from inertial_check.identification.excitation.excite import excite

    chosen = _read_options(args)
    color = output.wants_color(args.color, sys.stderr)
    with closing(ProgressBar(wanted=not args.quiet, color=color)) as bar:
        return excite(
            chosen,
            None if args.quiet else output.note,
            lambda part, value: bar(part, _show_best(chosen.search.criterion, value)),
        )


def _show_best(criterion: str, value: float) -> str:
    """Write the best value that a criterion has had, by its logarithm."""
    if criterion == "log-det":
        return f"mean logarithm of deviations {value:.4g}"
    name = "condition number below" if criterion == "condition" else "mean deviation"
    return f"{name} {exp(min(value, _MOST_SHOWN)):.4g}"


def _read_options(args: argparse.Namespace) -> ExciteOptions:
    """Read the options of the command line; those that are not given keep their defaults.

    Raises:
        UsageError: Options exclude each other, or a text has another form. The message names the
            options.
    """
    from inertial_check.identification.excitation import collisions, excite
    from inertial_check.identification.options import (
        FrictionOptions,
        RobotOptions,
        read_pairs,
        read_positions,
        read_terms,
    )

    if args.output is not None:
        excite.refuse_ending(args.output)
        if same_file(args.output, args.model):
            raise UsageError(f"-o and ROBOT name one file, {args.output}")
    if args.given is not None:
        names = [field.name for field in fields(excite.SearchOptions) if hasattr(args, field.name)]
        searching = [f"--{name}" for name in names] + ["-o"] * (args.output is not None)
        if searching:
            raise UsageError(f"--from only judges a trajectory: leave out {', '.join(searching)}")
    context = options.context_of(args)
    read_texts(
        args,
        {
            "locked": read_positions,
            "friction": read_terms,
            "clearance": collisions.read_clearance,
            "allow_contact": partial(read_pairs, "--allow-contact", form="bodies, BODY,BODY"),
            "keep_out": collisions.read_boxes,
        },
    )
    return excite.ExciteOptions(
        model=args.model,
        context=context,
        robot=read_group(RobotOptions, args),
        friction=read_group(FrictionOptions, args),
        limits=read_group(excite.LimitOptions, args),
        collisions=read_group(collisions.CollisionOptions, args),
        weights=getattr(args, "weights", ()),
        search=read_group(excite.SearchOptions, args),
        given=args.given,
    )


def _lines(excited: RobotExcitation) -> list[str]:
    """Write the report as lines of text."""
    condition, model = excited.condition, excited.options.model
    shown = "all" if condition.rank == condition.columns else str(condition.rank)
    count = len(excited.motions)
    together = f"{count} motions together, each of " if count > 1 else ""
    lines = [
        f"{model}: {plural(len(excited.joints), 'joint')}, {together}"
        f"{len(excited.t)} samples of {excited.t[-1] - excited.t[0]:g} s",
        f"rank {condition.rank} of {condition.columns}: of the combinations of parameters that any "
        f"motion shows, {'this one shows' if count < 2 else 'these show'} {shown}",
    ]
    if excited.before is None:
        lines.append(f"condition number {condition.number:.4g}")
    else:
        search = excited.options.search
        lines.append(
            f"condition number {excited.before.number:.4g} -> {condition.number:.4g}, from a "
            f"random to the best motion of {search.harmonics} harmonics (seed {search.seed})"
        )
        if search.criterion != "condition":
            after, before = excited.criterion
            lines.append(f"{search.criterion} {before:.4g} -> {after:.4g}")
    lines += ["", *_table(excited)]
    if excited.approach is not None:
        lines += ["", *_list_approach(excited.approach, excited.options.collisions.clearance or 0)]
    if excited.exceeded:
        lines += ["", f"beyond its limit: {', '.join(excited.exceeded)}"]
    return lines


def _list_approach(approach: Approach, clearance: float) -> list[str]:
    """Write what is known of distances as lines."""
    lines = []
    if approach.pairs:
        when = "at all times" if approach.proven else "at its samples"
        least = f"clearance {clearance:g} m, {'kept' if approach.kept else 'not kept'} {when}"
        lines.append(
            f"collisions: {' and '.join(approach.bodies)} come nearest, at least "
            f"{approach.distance:.4g} m apart; {least} by "
            f"{plural(approach.pairs, 'pair')} of shapes"
        )
    else:
        lines.append("collisions: no pair of shapes that could touch")
    for because in dict.fromkeys(each.because for each in approach.left_out):
        names = ["-".join(e.bodies) for e in approach.left_out if e.because == because]
        more = f" and {len(names) - _MOST_PAIRS} more" if len(names) > _MOST_PAIRS else ""
        where = {
            "adjacent": "adjacent",
            "touching": "touching at the home position",
            "allowed": "allowed to touch",
        }[because]
        lines.append(f"not looked at, {where}: {', '.join(names[:_MOST_PAIRS])}{more}")
    return lines


def _table(excited: RobotExcitation) -> list[str]:
    """Tabulate the ranges and limits, a line for each joint and quantity."""
    from inertial_check.identification.excitation.excite import QUANTITIES

    header = ["joint", "", "moves", "limits", "", "used"]
    rows = [header]
    for each in excited.ranges:
        for place, quantity in enumerate(QUANTITIES):
            label = f"{quantity.name} [{quantity.unit(each.prismatic)}]"
            if quantity.name == "torque" and each.prismatic:
                label = "force [N]"
            own = each.ranges[place]
            moves = f"{own.least:.4g} to {own.most:.4g}"
            if own.source == "unknown":
                cells = [moves, "not known", "", ""]
            else:
                cells = [
                    moves,
                    f"{own.lower:.4g} to {own.upper:.4g}",
                    own.source,
                    f"{100 * own.share:.3g} %",
                ]
            rows.append([each.joint if place == 0 else "", label, *cells])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
