"""Find a motion from which the inertial parameters of a robot can be identified.

A trajectory that starts and ends at rest and keeps the limits of the joints, a finite Fourier
series with the smallest condition number that a search finds. --from judges a trajectory instead.
Limits that the robot's file does not state have to be given. Nothing here knows of collisions.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from inertial_check import __version__
from inertial_check.cli import exit_codes, options, output
from inertial_check.errors import UsageError
from inertial_check.reports.text import plural, printable

if TYPE_CHECKING:
    from inertial_check.identifying.excite import ExcitationRequest, Excited, Use

SCHEMA_VERSION = "1"
"""Of the JSON form."""

_SEARCH = ("duration", "harmonics", "rate", "seed")
"""Options that say how a motion is looked for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `excite` takes."""
    parser.add_argument("model", metavar="ROBOT", help="the robot's file")
    _add_motion(parser)
    _add_limits(parser)
    group = parser.add_argument_group("What is to be identified")
    group.add_argument(
        "--friction",
        type=options.comma_separated,
        metavar="TERMS",
        help="terms beside the bodies: viscous, coulomb, offset, rotor, with commas; none "
        "(default: viscous,coulomb,offset)",
    )
    options.add_context(parser)
    group = parser.add_argument_group("Output")
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write the trajectory here, as .csv or .npz"
    )
    group.add_argument(
        "--output-format", choices=("text", "json"), default="text", help="of the report"
    )


def _add_motion(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Motion")
    group.add_argument("--duration", type=float, metavar="S", help="[s] (default: 10)")
    group.add_argument(
        "--harmonics", type=int, metavar="N", help="of the Fourier series (default: 5)"
    )
    group.add_argument(
        "--rate",
        type=float,
        metavar="HZ",
        help="samples a second (default: 32 in a period of the highest harmonic)",
    )
    group.add_argument(
        "--seed", type=int, metavar="N", help="of the motions that the search starts from"
    )
    group.add_argument(
        "--from",
        dest="given",
        metavar="FILE",
        help="judge this trajectory, csv or npz, and look for none",
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Joints (names, or numbers from 1)")
    for name, form, unit, example in (
        ("position", "LOWER:UPPER", "rad or m", "-1:1"),
        ("velocity", "VALUE", "rad/s or m/s", "2"),
        ("acceleration", "VALUE", "rad/s^2 or m/s^2", "5"),
    ):
        group.add_argument(
            f"--{name}-limit",
            action="append",
            default=[],
            metavar=f"[JOINT=]{form}",
            help=f"in place of what the file states, of one joint or of all [{unit}] (repeatable; "
            f"with =, as in --{name}-limit={example})",
        )
    options.add_motion(group)


def run(args: argparse.Namespace) -> int:
    """Find or judge a motion, report it, write it if asked to."""
    from inertial_check.identifying.excite import excite

    _refuse_at_odds(args)
    excited = excite(_request(args), None if args.quiet else output.note)
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


def _refuse_at_odds(args: argparse.Namespace) -> None:
    """Stop before a search is started in vain.

    Raises:
        UsageError: Names the options.
    """
    from inertial_check.files.writing import same_file

    if args.output is not None:
        if not args.output.endswith((".csv", ".npz")):
            raise UsageError(f"-o {args.output}: a trajectory is csv or npz: name it .csv or .npz")
        if same_file(args.output, args.model):
            raise UsageError(f"-o and ROBOT name one file, {args.output}")
    if args.given is None:
        return
    searching = [f"--{name}" for name in _SEARCH if getattr(args, name) is not None]
    searching += ["-o"] if args.output is not None else []
    if searching:
        raise UsageError(f"--from only judges a trajectory: leave out {', '.join(searching)}")


def _request(args: argparse.Namespace) -> ExcitationRequest:
    """What the command line asks for."""
    from inertial_check.identifying.excite import ExcitationRequest
    from inertial_check.identifying.request import positions, terms

    search = {name: getattr(args, name) for name in _SEARCH if getattr(args, name) is not None}
    return ExcitationRequest(
        model=args.model,
        context=options.context_of(args),
        locked=positions(args.locked),
        gravity=args.gravity,
        friction=None if args.friction is None else terms(args.friction),
        position=args.position_limit,
        velocity=args.velocity_limit,
        acceleration=args.acceleration_limit,
        given=args.given,
        **search,
    )


def _lines(excited: Excited) -> list[str]:
    """The report as text."""
    request, condition = excited.request, excited.condition
    seen = "all" if condition.rank == condition.columns else str(condition.rank)
    lines = [
        f"{request.model}: {plural(len(excited.joints), 'joint')}, {len(excited.t)} samples of "
        f"{excited.t[-1] - excited.t[0]:g} s",
        f"rank {condition.rank} of {condition.columns}: of the combinations of parameters that any "
        f"motion shows, this one shows {seen}",
    ]
    if excited.before is None:
        lines.append(f"condition number {condition.number:.4g}")
    else:
        lines.append(
            f"condition number {excited.before.number:.4g} -> {condition.number:.4g}, from a "
            f"random to the best motion of {request.harmonics} harmonics (seed {request.seed})"
        )
    lines += ["", *_table(excited)]
    if excited.exceeded:
        lines += ["", f"beyond its limit: {', '.join(excited.exceeded)}"]
    return lines


def _table(excited: Excited) -> list[str]:
    """What each joint does, and its limits, one line a joint and quantity."""
    from inertial_check.identifying.excite import QUANTITIES

    header = ["joint", "", "moves", "limits", "", "used"]
    rows = [header]
    for each in excited.uses:
        for place, quantity in enumerate(QUANTITIES):
            what = f"{quantity.name} [{quantity.unit(each.slides)}]"
            if quantity.name == "torque" and each.slides:
                what = "force [N]"
            rows.append([each.joint if place == 0 else "", what, *_cells(each.uses[place])])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _cells(use: Use) -> list[str]:
    moves = f"{use.least:.4g} to {use.most:.4g}"
    if use.source == "unknown":
        return [moves, "not known", "", ""]
    return [moves, f"{use.lower:.4g} to {use.upper:.4g}", use.source, f"{100 * use.share:.3g} %"]


def _as_json(excited: Excited, written: str | None, code: int) -> str:
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": output.PROGRAM, "version": __version__},
        **excited.as_dict(),
        "written": written,
        "exit_code": code,
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"
