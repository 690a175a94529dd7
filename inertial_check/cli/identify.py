"""Identify the inertial parameters of a robot from what its joints measured.

The torques are linear in the ten parameters of each body. They are fitted for all bodies together,
every one of them held inside the cone of bodies that exist, and what the data leave open is left to
the prior. Prints what was found and how far it can be trusted; writes nothing unless -o or --write
is given.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from inertial_check.cli import exit_codes, options, output
from inertial_check.errors import UsageError
from inertial_check.model import Severity

if TYPE_CHECKING:
    from inertial_check.identification.recordings.signals import Smoothing
    from inertial_check.identifying.identify import Outcome
    from inertial_check.identifying.request import Request
    from inertial_check.model.identified import Identified

_METRICS = ("prior", "entropic", "affine-invariant", "euclidean")
_LOSSES = ("squares", "huber")
_FORMS = ("text", "json", "markdown")
_FAIL_ON = ("error", "warning", "note", "never")
_ORDERS = ("urdf", "pinocchio", "mujoco", "wensing", "ksl")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `identify` takes."""
    parser.add_argument(
        "data",
        nargs="+",
        metavar="DATA",
        help="recordings, npz or csv: q, tau and t, or qd and qdd with them; or Y and tau",
    )
    parser.add_argument(
        "--model", required=True, metavar="ROBOT", help="the robot that moved (required)"
    )
    _add_recordings(parser)
    _add_robot(parser)
    _add_prior(parser)
    _add_torques(parser)
    _add_fit(parser)
    options.add_context(parser)
    _add_output(parser)


def _add_recordings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Recordings")
    group.add_argument(
        "--validation",
        action="append",
        default=[],
        metavar="DATA",
        help="a recording that is predicted and not fitted (repeatable)",
    )
    group.add_argument(
        "--holdout",
        type=float,
        default=0.0,
        metavar="FRACTION",
        help="keep this part of every recording for validation, in five stretches (default: 0)",
    )
    group.add_argument(
        "--gain",
        type=options.numbers,
        metavar="G[,G...]",
        help="multiply the torques, by one number or by one a joint: drive gains [N m/A], units",
    )
    group.add_argument(
        "--degrees", action="store_true", help="positions, velocities, accelerations are in degrees"
    )
    group.add_argument(
        "--delay",
        type=float,
        default=0.0,
        metavar="S",
        help="the torques come so much later than the motion that they go with (default: 0)",
    )
    group.add_argument(
        "--rate", type=float, metavar="HZ", help="clock to resample to (default: that of t)"
    )
    group.add_argument(
        "--cutoff", type=float, metavar="HZ", help="of the filter (default: from the motion)"
    )
    group.add_argument(
        "--filter-order", type=int, default=4, metavar="N", help="of the filter (default: 4)"
    )
    group.add_argument("--no-filter", action="store_true", help="take the signals as they are")
    group.add_argument(
        "--decimate",
        type=int,
        default=1,
        metavar="N",
        help="of the filtered signals take every N-th sample (default: 1)",
    )
    group.add_argument(
        "--trim",
        type=int,
        metavar="N",
        help="samples to leave out at both ends (default: what the filter spoils)",
    )


def _add_robot(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("The robot while it was recorded")
    group.add_argument(
        "--base",
        choices=("fixed", "floating"),
        default="fixed",
        help="fixed is what recordings of joints are about (default)",
    )
    options.add_motion(group)
    group.add_argument(
        "--order",
        choices=_ORDERS,
        help="order of the last six of each body's parameters in Y, whose columns are about the "
        "body origins (default: urdf, with a warning)",
    )


def _add_prior(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Prior")
    group.add_argument(
        "--prior",
        default="file",
        metavar="PRIOR",
        help="file: the robot's own inertials (default); geometry: the written masses spread over "
        "the shapes; or another model, by the names of its bodies (./file is a model)",
    )
    group.add_argument(
        "--prior-margin",
        type=float,
        metavar="MARGIN",
        help="bodies of the prior are given at least this margin, above 0 to 1/3 (default: 0.001)",
    )
    group.add_argument(
        "--prior-radius",
        type=float,
        metavar="M",
        help="bodies of the prior that have a smaller radius of gyration are given this one [m]; "
        "without it, point masses get that of the least of the others",
    )
    group.add_argument(
        "--regularization",
        type=_weight,
        default=1.0,
        metavar="WEIGHT",
        help="weight of the prior: a number, k-fold or l-curve (default: 1)",
    )
    group.add_argument(
        "--metric",
        choices=_METRICS,
        metavar="METRIC",
        default="prior",
        help=f"of the distance to the prior: {', '.join(_METRICS)} (default: prior)",
    )


def _add_torques(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Torques beside those of the bodies")
    group.add_argument(
        "--friction",
        type=options.comma_separated,
        metavar="TERMS",
        help="viscous, coulomb, offset, rotor, with commas; none (default: viscous,coulomb,offset)",
    )
    group.add_argument(
        "--friction-prior",
        metavar="SCALE",
        help="standard deviation of these terms about 0, one for all, or TERM=SCALE with commas "
        "(default: none)",
    )
    group.add_argument(
        "--coupling",
        action="append",
        default=[],
        metavar="JOINT,JOINT",
        help="two joints that share a gear: friction and rotor inertia between them (repeatable)",
    )


def _add_fit(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Fit")
    group.add_argument(
        "--weights",
        type=options.numbers,
        metavar="W,W...",
        help="one over the standard deviation of the noise of each joint [1/(N m)] (default: found "
        "with the parameters)",
    )
    group.add_argument(
        "--loss",
        choices=_LOSSES,
        default="squares",
        help="squares (default), or huber where some samples are far off",
    )
    group.add_argument(
        "--margin",
        type=float,
        default=0.0,
        metavar="MARGIN",
        help="give the results at least this margin, 0 to 1/3 (dimensionless; default: 0)",
    )
    group.add_argument(
        "--total-mass", metavar="KG[:REL]", help="of the identified bodies, within REL of it"
    )
    group.add_argument(
        "--mass",
        action="append",
        default=[],
        metavar="BODY=KG",
        help="a mass that is known (repeatable)",
    )
    group.add_argument(
        "--solver", metavar="NAME", help="solve by this installed conic solver, as clarabel or scs"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Output")
    group.add_argument("-o", "--output", metavar="FILE", help="write the robot's file here")
    group.add_argument("--write", action="store_true", help="change the robot's file in place")
    group.add_argument(
        "--output-format",
        choices=_FORMS,
        default="text",
        help="of the report (default: text)",
    )
    group.add_argument("--output-file", metavar="FILE", help="write the report here")
    group.add_argument(
        "--plot",
        metavar="FILE",
        help="draw torques, parameters and ellipsoids: a pdf, or a folder (needs matplotlib)",
    )
    group.add_argument(
        "--fail-on",
        choices=_FAIL_ON,
        default="error",
        help="least remark that fails the run; then no robot is written (default: error)",
    )


def run(args: argparse.Namespace) -> int:
    """Identify, write what was asked for, report, and tell in the exit code how it went."""
    from inertial_check.identifying.identify import identify_robot
    from inertial_check.reports import View
    from inertial_check.reports.identification import render

    _refuse_same_files(args)
    outcome = identify_robot(_request(args))
    fail_on = None if args.fail_on == "never" else Severity[args.fail_on.upper()]
    report, failed, failure = outcome.report, outcome.report.fails(fail_on), ""
    if args.write or args.output is not None:
        report, failure = _written(args, outcome, failed)
    if args.plot is not None:
        outcome.plot(args.plot)
    code = _exit_code(report, failed, failure)
    view = View(
        exit_code=code,
        color=output.wants_color(args.color, None if args.output_file else sys.stdout),
        summary=not args.quiet,
    )
    output.write(render(report, args.output_format, view), args.output_file)
    if failure:
        output.failure(failure)
    return code


def _exit_code(report: Identified, failed: bool, failure: str) -> int:
    """0 where all is as asked; 1 where a remark fails the run, or a body stays; 2 for a failure."""
    if failure:
        return exit_codes.FAILURE
    complete = report.written is None or report.written.complete
    return exit_codes.CLEAN if complete and not failed else exit_codes.FINDINGS


def _written(args: argparse.Namespace, outcome: Outcome, failed: bool) -> tuple[Identified, str]:
    """The report with what became of the robot's file, and why that could not be written.

    Raises:
        InertialCheckError: The new document would not read as told.
    """
    from inertial_check.model.identified import Written, WrittenBody

    fix, failure = outcome.fix(), ""
    reason = f"there are remarks at or above --fail-on {args.fail_on}; never would write it"
    if not failed:
        try:
            fix.write(args.output)
        except UsageError as error:
            failure = reason = str(error)
        else:
            reason = ""
    bodies = tuple(WrittenBody(body.name, body.status, body.reason) for body in fix.bodies)
    path = fix.source.path if args.output is None else args.output
    written = Written(path, not reason, reason, fix.complete, bodies)
    return replace(outcome.report, written=written), failure


def _refuse_same_files(args: argparse.Namespace) -> None:
    """Stop before a file is written over another that is read or written.

    Raises:
        UsageError: Names the options.
    """
    from inertial_check.files.writing import same_file

    if args.write and args.output is not None:
        raise UsageError("--write changes the robot's file itself, -o writes another: choose one")
    read = [("DATA", path) for path in args.data]
    read += [("--validation", path) for path in args.validation]
    written = [("-o", args.output), ("--output-file", args.output_file), ("--plot", args.plot)]
    for place, (option, path) in enumerate(written):
        if path is None:
            continue
        others = [*read, *(each for each in written[:place] if each[1] is not None)]
        if option != "-o":
            others.append(("--model", args.model))
        for name, other in others:
            if path == other or same_file(path, other):
                raise UsageError(f"{option} and {name} name one file, {path}")


def _request(args: argparse.Namespace) -> Request:
    """What the command line asks for."""
    from inertial_check.identifying import request as asked

    return asked.Request(
        data=tuple(args.data),
        model=args.model,
        context=options.context_of(args),
        validation=tuple(args.validation),
        holdout=args.holdout,
        gain=args.gain,
        degrees=args.degrees,
        delay=args.delay,
        smoothing=_smoothing(args),
        base=args.base,
        gravity=args.gravity,
        locked=asked.positions(args.locked),
        order=args.order,
        prior=args.prior,
        prior_margin=args.prior_margin,
        prior_radius=args.prior_radius,
        regularization=args.regularization,
        metric=args.metric,
        friction=None if args.friction is None else asked.terms(args.friction),
        friction_prior=asked.scales(args.friction_prior),
        coupling=asked.pairs(args.coupling),
        weights=args.weights,
        loss=args.loss,
        margin=args.margin,
        total_mass=asked.total_mass(args.total_mass),
        masses=asked.masses(args.mass),
        solver=args.solver,
    )


def _smoothing(args: argparse.Namespace) -> Smoothing:
    """What is to be done to the signals.

    Raises:
        UsageError: A filter is wanted and unwanted.
    """
    from inertial_check.identification.recordings.signals import Smoothing

    if args.no_filter and args.cutoff is not None:
        raise UsageError("--no-filter leaves nothing for --cutoff: choose one")
    cutoff = inf if args.no_filter else args.cutoff
    return Smoothing(
        rate=args.rate,
        cutoff=cutoff,
        order=args.filter_order,
        trim=args.trim,
        decimate=args.decimate,
    )


def _weight(text: str) -> float | str:
    """A number, k-fold or l-curve.

    Raises:
        argparse.ArgumentTypeError: It is none of them.
    """
    if text in ("k-fold", "l-curve"):
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number nor k-fold nor l-curve"
        ) from None
