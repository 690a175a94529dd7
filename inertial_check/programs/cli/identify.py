"""Identify the inertial parameters of a robot from the recorded torques of its joints.

The torques are linear in the ten parameters of each body. All bodies are fitted together, each
constrained to be physically consistent; the prior decides what the data leave open. Prints the
result and how far it can be trusted; writes no robot file unless -o or --write is given.
"""

from __future__ import annotations

import argparse
import sys
from argparse import SUPPRESS
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from inertial_check.errors import UsageError
from inertial_check.programs.cli import options, output, payload
from inertial_check.programs.cli.payload import (
    exit_code,
    read_options,
    run_from_base,
    run_payload,
    write_model,
)
from inertial_check.reports import View
from inertial_check.reports.identification import FORMS, render
from inertial_check.reports.identification_types import IdentificationReport

if TYPE_CHECKING:
    from inertial_check.identification.command import RobotIdentification
    from inertial_check.identification.fit.solve import Method


_METRICS = ("prior", "entropic", "affine-invariant", "euclidean")
_LOSSES = ("squares", "huber")
_FAIL_ON = ("error", "warning", "note", "never")
_TIME_UNITS = ("s", "ms", "us", "ns", "min")
_ORDERS = ("urdf", "pinocchio", "mujoco", "wensing", "ksl")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `identify`."""
    parser.add_argument(
        "data",
        nargs="*",
        metavar="DATA",
        help="recordings, csv, npz, mcap or rosbag2: q, tau and t, or qd and qdd with them; or "
        "Y and tau",
    )
    parser.add_argument(
        "--model", required=True, metavar="ROBOT", help="the robot that moved (required)"
    )
    parser.add_argument(
        "--from-base",
        metavar="FILE",
        help="find consistent bodies for published base parameters, without DATA: csv, json, toml "
        "or yaml of name, value and standard_deviation; or a JSON report of identify",
    )
    _add_recordings(parser)
    _add_robot(parser)
    _add_contacts(parser)
    payload.add_arguments(options.add_group(parser, "Payload of a robot that is known"))
    _add_prior(parser)
    _add_torques(parser)
    _add_fit(parser)
    options.add_context(parser, configured=False)
    _add_output(parser)


def _add_recordings(parser: argparse.ArgumentParser) -> None:
    add = options.add_group(parser, "Recordings", argument_default=SUPPRESS)
    add("--validation DATA ...", "a recording that is predicted and not fitted (repeatable)")
    add(
        "--holdout FRACTION",
        "keep this part of every recording for validation, in five stretches (default: 0)",
        type=float,
    )
    add(
        "--columns FILE",
        "TOML file that says what columns mean: quantity, joint, unit and sign of each "
        "(default: by their names)",
    )
    add(
        "--topic NAME",
        "topic of joint states in MCAP and rosbag2 recordings (default: the only one)",
    )
    add(
        "--with [DATA=]FILE ...",
        "a further file of the same motion, joined by the stamps (repeatable)",
        dest="beside",
    )
    add(
        "--clock-offset S",
        "time by which the clocks of the --with files are ahead [s], or estimate "
        "(default: one clock)",
    )
    add(
        "--skip-bad-rows",
        "leave out samples with numbers that are not finite or stamps that do not increase "
        "(default: errors)",
    )
    add(
        "--gain G[,G...]",
        "multiply the torques by drive gains, one or one for each joint [N m/A]; unknown: find "
        "them with the bodies",
        type=_read_gain,
    )
    add("--degrees", "positions, velocities, accelerations are in degrees")
    add("--time-unit", "unit of the time stamps (default: s)", choices=_TIME_UNITS)
    add(
        "--reverse JOINT ...",
        "a joint whose positions have the other sign, with their rates (repeatable)",
    )
    add(
        "--delay S",
        "time by which the torques lag behind the motion that they belong to [s] (default: 0)",
        type=float,
    )
    add("--rate HZ", "resample to this rate (default: that of t)", type=float)
    add("--cutoff HZ", "cut-off frequency of the filter (default: from the motion)", type=float)
    add("--no-filter", "do not filter the signals")
    add("--decimate N", "keep every N-th sample of the filtered signals (default: 1)", type=int)


def _add_robot(parser: argparse.ArgumentParser) -> None:
    add = options.add_group(parser, "The robot while it was recorded", argument_default=SUPPRESS)
    add(
        "--base",
        "attachment to the world: fixed (default); or floating, with its motion in the data",
        choices=("fixed", "floating"),
    )
    options.add_motion(add, others="; others: every joint that is in no recording")
    add(
        "--unmeasured JOINT ...",
        "a joint whose torque was not recorded: its row is left out (repeatable)",
    )
    add(
        "--merge-fixed",
        "identify bodies that no joint moves apart as one, and share its numbers back (default)",
        action=argparse.BooleanOptionalAction,
    )
    add(
        "--order",
        "order of the last six of each body's columns in Y, about the body origins (default: "
        "urdf, with a warning)",
        choices=_ORDERS,
    )


def _add_contacts(parser: argparse.ArgumentParser) -> None:
    add = options.add_group(parser, "Floating base and contacts", argument_default=SUPPRESS)
    add(
        "--contact BODY=COLUMNS ...",
        "columns of the wrench on a body, at its origin: a prefix or array (default: "
        "wrench_BODY), or three or six names (repeatable)",
    )
    add(
        "--wrench-axes",
        "axes of the wrenches: those of their bodies (default), or of the world",
        choices=("body", "world"),
    )
    add(
        "--wrench-order",
        "order of the six columns of a wrench (default: force-first)",
        choices=("force-first", "moment-first"),
    )
    add(
        "--reverse-wrench BODY ...",
        "the wrench on this body was recorded as the robot's on its surroundings (repeatable)",
    )
    add(
        "--force-plate BODY",
        "columns plate_fx ... plate_mz are the wrench of a force plate, in the axes of the "
        "world, on this body (default: the base); *: on any bodies, for the base's equations alone",
        nargs="?",
        const="",
    )
    add(
        "--plate-at X,Y,Z",
        "point of the world that the plate's moments are about [m] (default: 0,0,0)",
        type=options.numbers,
    )
    add(
        "--twist-axes",
        "axes of the base's velocity and acceleration; mixed: linear in the world, angular in "
        "the body (default: world)",
        choices=("world", "body", "mixed"),
    )
    add(
        "--quaternion-order",
        "order of the quaternion in an array base_pose (default: wxyz)",
        choices=("wxyz", "xyzw"),
    )


def _add_prior(parser: argparse.ArgumentParser) -> None:
    add = options.add_group(parser, "Prior", argument_default=SUPPRESS)
    add(
        "--prior PRIOR",
        "file: the robot's own inertials (default); geometry: the written masses spread over "
        "the shapes; or another model, by the names of its bodies (./file is a model)",
    )
    add(
        "--regularization WEIGHT",
        "weight of the prior: a number, or a rule that chooses it: evidence, k-fold or "
        "l-curve (default: evidence)",
        type=_read_weight,
    )
    add(
        "--metric METRIC",
        f"distance from the prior: {', '.join(_METRICS)} (default: prior)",
        choices=_METRICS,
    )


def _add_torques(parser: argparse.ArgumentParser) -> None:
    add = options.add_group(
        parser, "Torques besides those of the bodies", argument_default=SUPPRESS
    )
    add(
        "--friction TERMS",
        "viscous, coulomb, offset, rotor, asymmetric (by direction), stribeck, load (in "
        "proportion to the torque), separated by commas; or none (default: viscous,coulomb,offset)",
        type=options.split_at_commas,
    )
    add(
        "--stribeck-velocity V[,V...]",
        "velocity at which Stribeck friction has fallen to 1/e, for all joints or each [rad/s "
        "or m/s] (default: identified for each joint)",
        type=options.numbers,
    )
    add(
        "--friction-prior SCALE",
        "standard deviation of these terms about 0: one for all, or TERM=SCALE separated by "
        "commas (default: none)",
    )
    add(
        "--coupling JOINT,JOINT ...",
        "two joints that share a gear: friction and rotor inertia between them (repeatable)",
    )


def _add_fit(parser: argparse.ArgumentParser) -> None:
    add = options.add_group(parser, "Fit", argument_default=SUPPRESS)
    add(
        "--method METHOD",
        "least-squares or ls; instrumental-variables or iv, which noise in positions does not "
        "bias; or didim, without recorded velocities: both simulate the robot (default: "
        "least-squares)",
        type=_read_method,
    )
    add(
        "--weights W,W...",
        "one over the standard deviation of the noise of each joint [1/(N m)] (default: "
        "estimated from the residuals)",
        type=options.numbers,
    )
    add("--loss", "squares (default), or huber for recordings with outliers", choices=_LOSSES)
    add(
        "--margin MARGIN",
        "give the results at least this margin, 0 to 1/3 (dimensionless; default: 0)",
        type=float,
    )
    add(
        "--total-mass KG[:REL]",
        "known total mass of the identified bodies, within the relative tolerance REL",
    )
    add(
        "--mass BODY=KG ...",
        "known mass of a body, or with --payload LINK=KG of the payload (repeatable)",
    )
    add(
        "--loads FILE",
        "TOML file of the loads that the robot carried in some recordings, known or not",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    add = options.add_group(parser, "Output")
    add("-o, --output FILE", "write the robot's file here")
    add("--write", "change the robot's file in place")
    add(
        "--write-joints",
        "also write friction and rotor inertia as damping, friction and armature of the joints, "
        "all or none",
    )
    add("--force", "write the robot's file although a remark fails the run; it stays an error")
    add(
        "--dry-run",
        "write no file: print the report with a diff of the robot's file, and exit as without it",
    )
    add(
        "--output-format",
        "format of the report; latex: tables for a paper; html: a page with plots "
        "(needs matplotlib; default: text)",
        choices=FORMS,
        default="text",
    )
    add("--output-file FILE", "write the report here")
    add(
        "--plot FILE",
        "draw torques, parameters and ellipsoids: a pdf, an svg or png a page, or a folder "
        "(needs matplotlib)",
    )
    add(
        "--fail-on",
        "least severity of a remark that fails the run (default: error); with such a remark, "
        "and with any error, no robot file is written without --force",
        choices=_FAIL_ON,
        default="error",
    )


def _read_weight(text: str) -> float | str:
    """Read a number, or the name of a rule.

    Raises:
        argparse.ArgumentTypeError: It is none of them.
    """
    if text in ("evidence", "k-fold", "l-curve"):
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number nor evidence, k-fold or l-curve"
        ) from None


def _read_gain(text: str) -> tuple[float, ...] | str:
    """Read numbers, or the word "unknown".

    Raises:
        argparse.ArgumentTypeError: It is none of them.
    """
    return text if text == "unknown" else options.numbers(text)


_METHODS: dict[str, Method] = {
    "least-squares": "least-squares",
    "ls": "least-squares",
    "instrumental-variables": "instrumental-variables",
    "iv": "instrumental-variables",
    "didim": "didim",
}
"""Methods by their names and short forms."""


def _read_method(text: str) -> Method:
    """Read the name of a method.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    if text not in _METHODS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(_METHODS)}")
    return _METHODS[text]


def run(args: argparse.Namespace) -> int:
    """Identify the bodies, write the files that were asked for, and return the exit code."""
    from inertial_check.identification.command import identify_robot
    from inertial_check.reports import plots

    _refuse_same_files(args)
    if args.write_joints and not (args.write or args.output is not None or args.dry_run):
        raise UsageError("--write-joints adds to what -o FILE or --write writes: give one of them")
    if args.from_base is not None:
        return run_from_base(args, read_options(args))
    if not args.data:
        raise UsageError("the following arguments are required: DATA, or --from-base FILE")
    if args.payload is not None:
        return run_payload(args, read_options(args))
    if args.wrench is not None:
        raise UsageError("--wrench is of a payload: give --payload LINK")
    if args.plot is not None or args.output_format == "html":
        plots.check_target(args.plot or "", folder=True)
    with closing(output.ProgressBar(wanted=not args.quiet)) as bar:
        found = identify_robot(read_options(args), bar)
    report, failure = found.report, ""
    if args.write or args.output is not None or args.dry_run:
        report, failure = _write_model(args, found)
    if args.plot is not None and not args.dry_run:
        found.plot(args.plot)
    code = exit_code(args, found.report.remarks, report.written, failure)
    pictures = plots.render_pages("", found.draw()) if args.output_format == "html" else {}
    color = output.wants_color(args.color, None if args.output_file else sys.stdout)
    view = View(code, color, not args.quiet, verbose=args.verbose, pictures=tuple(pictures.items()))
    target = None if args.dry_run else args.output_file
    output.write(render(report, args.output_format, view), target)
    others = [path for path in (args.output_file, args.plot) if path is not None]
    if args.dry_run and others:
        output.note(f"--dry-run: not written: {', '.join(others)}")
    if failure:
        output.failure(failure)
    return code


def _write_model(
    args: argparse.Namespace, found: RobotIdentification
) -> tuple[IdentificationReport, str]:
    """Write the robot's file; return the report on it, and the reason if it cannot be written.

    Raises:
        InertialCheckError: The new document does not read back as these numbers.
    """
    from inertial_check.identification.motion.friction import remark_on_joints

    joints = found.fix_joints() if args.write_joints else None
    fix = found.fix() if joints is None else joints.fix
    written, failure = write_model(args, fix, found.report.remarks, joints)
    said = (
        ()
        if joints is None
        else remark_on_joints(found.robot, found.report.friction, joints.joints)
    )
    remarks = sorted([*found.report.remarks, *said], key=lambda remark: -remark.severity)
    return replace(found.report, written=written, remarks=tuple(remarks)), failure


def _refuse_same_files(args: argparse.Namespace) -> None:
    """Stop before a file is written over another that is read or written.

    Raises:
        UsageError: Names the options.
    """
    if args.write and args.output is not None:
        raise UsageError("--write changes the robot's file itself, -o writes another: choose one")
    read: list[tuple[str, str | None]] = [("DATA", path) for path in args.data]
    read += [("--validation", path) for path in getattr(args, "validation", ())]
    read += [("--with", path.rpartition("=")[2]) for path in getattr(args, "beside", ())]
    read.append(("--columns", getattr(args, "columns", None)))
    written = {"-o": args.output, "--output-file": args.output_file, "--plot": args.plot}
    options.refuse_same_files(read, written, ("--model", args.model))
