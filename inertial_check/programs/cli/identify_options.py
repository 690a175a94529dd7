"""The command line of `identify`: its arguments, group by group."""

from __future__ import annotations

import argparse
from argparse import SUPPRESS
from typing import TYPE_CHECKING

from inertial_check.programs.cli import options, payload

if TYPE_CHECKING:
    from inertial_check.identification.fit.options import Method


_METRICS = ("prior", "entropic", "affine-invariant", "euclidean")
_LOSSES = ("squares", "huber")
_FORMS = ("text", "json", "markdown", "latex")
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
    payload.add_arguments(parser.add_argument_group("Payload of a robot that is known"))
    _add_prior(parser)
    _add_torques(parser)
    _add_fit(parser)
    options.add_context(parser)
    _add_output(parser)


def _add_recordings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Recordings", argument_default=SUPPRESS)
    group.add_argument(
        "--validation",
        action="append",
        metavar="DATA",
        help="a recording that is predicted and not fitted (repeatable)",
    )
    group.add_argument(
        "--holdout",
        type=float,
        metavar="FRACTION",
        help="keep this part of every recording for validation, in five stretches (default: 0)",
    )
    group.add_argument(
        "--columns",
        metavar="FILE",
        help="TOML file that says what columns mean: quantity, joint, unit and sign of each "
        "(default: by their names)",
    )
    group.add_argument(
        "--topic",
        metavar="NAME",
        help="topic of joint states in MCAP and rosbag2 recordings (default: the only one)",
    )
    group.add_argument(
        "--with",
        dest="beside",
        action="append",
        metavar="[DATA=]FILE",
        help="a further file of the same motion, such as its torques at another rate; joined by "
        "the stamps (repeatable)",
    )
    group.add_argument(
        "--clock-offset",
        metavar="S",
        help="time by which the clocks of the --with files are ahead [s], or estimate "
        "(default: one clock)",
    )
    group.add_argument(
        "--skip-bad-rows",
        action="store_true",
        help="leave out samples with numbers that are not finite and stamps that do not increase, "
        "with a remark (default: they are errors)",
    )
    group.add_argument(
        "--gain",
        type=_read_gain,
        metavar="G[,G...]",
        help="multiply the torques by one number, or by one for each joint, as drive gains "
        "[N m/A]; unknown: find them with the bodies",
    )
    group.add_argument(
        "--degrees", action="store_true", help="positions, velocities, accelerations are in degrees"
    )
    group.add_argument(
        "--time-unit",
        choices=_TIME_UNITS,
        help="unit of the time stamps (default: s)",
    )
    group.add_argument(
        "--reverse",
        action="append",
        metavar="JOINT",
        help="a joint whose positions have the other sign, with their rates (repeatable)",
    )
    group.add_argument(
        "--delay",
        type=float,
        metavar="S",
        help="time by which the torques lag behind the motion that they belong to [s] (default: 0)",
    )
    group.add_argument(
        "--rate", type=float, metavar="HZ", help="resample to this rate (default: that of t)"
    )
    group.add_argument(
        "--cutoff",
        type=float,
        metavar="HZ",
        help="cut-off frequency of the filter (default: from the motion)",
    )
    group.add_argument(
        "--filter-order", type=int, metavar="N", help="order of the filter (default: 4)"
    )
    group.add_argument("--no-filter", action="store_true", help="do not filter the signals")
    group.add_argument(
        "--decimate",
        type=int,
        metavar="N",
        help="keep every N-th sample of the filtered signals (default: 1)",
    )
    group.add_argument(
        "--trim",
        type=int,
        metavar="N",
        help="samples to leave out at both ends (default: those that the filter distorts)",
    )


def _add_robot(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("The robot while it was recorded", argument_default=SUPPRESS)
    group.add_argument(
        "--base",
        choices=("fixed", "floating"),
        help="attachment to the world: fixed (default); or floating, with its motion in the data",
    )
    options.add_motion(group, others="; others: every joint that is in no recording")
    group.add_argument(
        "--unmeasured",
        action="append",
        metavar="JOINT",
        help="a joint whose motion is recorded and whose torque is not: its row is left out "
        "(repeatable)",
    )
    group.add_argument(
        "--merge-fixed",
        action="store_true",
        help="identify bodies that no joint moves apart as one, and share its numbers back: those "
        "on fixed joints keep theirs where the rest is a consistent body",
    )
    group.add_argument(
        "--order",
        choices=_ORDERS,
        help="order of the last six of each body's parameters in Y, whose columns are about the "
        "body origins (default: urdf, with a warning)",
    )


def _add_contacts(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Floating base and contacts", argument_default=SUPPRESS)
    group.add_argument(
        "--contact",
        action="append",
        metavar="BODY=COLUMNS",
        help="columns of the wrench on a body, at its origin: a prefix or array (default: "
        "wrench_BODY), or three or six names (repeatable)",
    )
    group.add_argument(
        "--wrench-axes",
        choices=("body", "world"),
        help="axes of the wrenches: those of their bodies (default), or of the world",
    )
    group.add_argument(
        "--wrench-order",
        choices=("force-first", "moment-first"),
        help="order of the six columns of a wrench (default: force-first)",
    )
    group.add_argument(
        "--reverse-wrench",
        action="append",
        metavar="BODY",
        help="the wrench on this body was recorded as the robot's on its surroundings (repeatable)",
    )
    group.add_argument(
        "--force-plate",
        nargs="?",
        const="",
        metavar="BODY",
        help="columns plate_fx ... plate_mz are the wrench of a force plate, in the axes of the "
        "world, on this body (default: the base); *: on any bodies, for the base's equations alone",
    )
    group.add_argument(
        "--plate-at",
        type=options.numbers,
        metavar="X,Y,Z",
        help="point of the world that the plate's moments are about [m] (default: 0,0,0)",
    )
    group.add_argument(
        "--twist-axes",
        choices=("world", "body", "mixed"),
        help="axes of the base's velocity and acceleration; mixed: linear in the world, angular in "
        "the body (default: world)",
    )
    group.add_argument(
        "--quaternion-order",
        choices=("wxyz", "xyzw"),
        help="order of the quaternion in an array base_pose (default: wxyz)",
    )


def _add_prior(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Prior", argument_default=SUPPRESS)
    group.add_argument(
        "--prior",
        metavar="PRIOR",
        help="file: the robot's own inertials (default); geometry: the written masses spread over "
        "the shapes; or another model, by the names of its bodies (./file is a model)",
    )
    group.add_argument(
        "--prior-margin",
        type=float,
        metavar="MARGIN",
        help="least margin of the prior's bodies, above 0 to 1/3 (default: 0.001)",
    )
    group.add_argument(
        "--prior-radius",
        type=float,
        metavar="M",
        help="least radius of gyration of the prior's bodies [m] (default for point masses: the "
        "smallest radius among the other bodies)",
    )
    group.add_argument(
        "--regularization",
        type=_read_weight,
        metavar="WEIGHT",
        help="weight of the prior: a number, or a rule that chooses it: evidence, k-fold or "
        "l-curve (default: evidence)",
    )
    group.add_argument(
        "--metric",
        choices=_METRICS,
        metavar="METRIC",
        help=f"distance from the prior: {', '.join(_METRICS)} (default: prior)",
    )


def _add_torques(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "Torques besides those of the bodies", argument_default=SUPPRESS
    )
    group.add_argument(
        "--friction",
        type=options.split_at_commas,
        metavar="TERMS",
        help="viscous, coulomb, offset, rotor, asymmetric (by direction), stribeck, load (in "
        "proportion to the torque), separated by commas; or none (default: viscous,coulomb,offset)",
    )
    group.add_argument(
        "--stribeck-velocity",
        type=options.numbers,
        metavar="V[,V...]",
        help="velocity at which Stribeck friction has fallen to 1/e, one for all joints or one for "
        "each [rad/s or m/s] (default: identified for each joint)",
    )
    group.add_argument(
        "--friction-prior",
        metavar="SCALE",
        help="standard deviation of these terms about 0: one for all, or TERM=SCALE separated by "
        "commas (default: none)",
    )
    group.add_argument(
        "--coupling",
        action="append",
        metavar="JOINT,JOINT",
        help="two joints that share a gear: friction and rotor inertia between them (repeatable)",
    )


def _add_fit(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Fit", argument_default=SUPPRESS)
    group.add_argument(
        "--method",
        type=_read_method,
        metavar="METHOD",
        help="least-squares or ls; instrumental-variables or iv, which noise in positions does not "
        "bias; or didim, without recorded velocities: both simulate the robot (default: "
        "least-squares)",
    )
    group.add_argument(
        "--weights",
        type=options.numbers,
        metavar="W,W...",
        help="one over the standard deviation of the noise of each joint [1/(N m)] (default: "
        "estimated from the residuals)",
    )
    group.add_argument(
        "--loss",
        choices=_LOSSES,
        help="squares (default), or huber for recordings with outliers",
    )
    group.add_argument(
        "--margin",
        type=float,
        metavar="MARGIN",
        help="give the results at least this margin, 0 to 1/3 (dimensionless; default: 0)",
    )
    group.add_argument(
        "--total-mass",
        metavar="KG[:REL]",
        help="known total mass of the identified bodies, within the relative tolerance REL",
    )
    group.add_argument(
        "--mass",
        action="append",
        metavar="BODY=KG",
        help="known mass of a body, or with --payload LINK=KG of the payload (repeatable)",
    )
    group.add_argument(
        "--loads",
        metavar="FILE",
        help="TOML file of the loads that the robot carried in some recordings, known or not",
    )
    group.add_argument(
        "--solver",
        metavar="NAME",
        help="solve with this installed conic solver, such as clarabel or scs",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Output")
    group.add_argument("-o", "--output", metavar="FILE", help="write the robot's file here")
    group.add_argument("--write", action="store_true", help="change the robot's file in place")
    group.add_argument(
        "--write-joints",
        action="store_true",
        help="write identified friction and rotor inertia as the damping, friction and armature of "
        "the joints, too: all joints or none",
    )
    group.add_argument(
        "--force",
        action="store_true",
        help="write the robot's file although a remark fails the run; it stays an error",
    )
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="write no file at all: print the report with a diff of the robot's file, and exit as "
        "without this option",
    )
    group.add_argument(
        "--output-format",
        choices=_FORMS,
        default="text",
        help="format of the report; latex: tables for a paper (default: text)",
    )
    group.add_argument("--output-file", metavar="FILE", help="write the report here")
    group.add_argument(
        "--plot",
        metavar="FILE",
        help="draw torques, parameters and ellipsoids: a pdf, an svg or png a page, or a folder "
        "(needs matplotlib)",
    )
    group.add_argument(
        "--fail-on",
        choices=_FAIL_ON,
        default="error",
        help="least severity of a remark that fails the run (default: error); with such a remark, "
        "and with any error, no robot file is written without --force",
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
