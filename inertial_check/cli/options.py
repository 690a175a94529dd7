"""Options that several commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from inertial_check.errors import UsageError

if TYPE_CHECKING:
    from inertial_check.formats import Context
    from inertial_check.settings.configuration import Configurations


MOMENT_METRICS = {
    "inertia": "whose change is least: that of the inertia tensor (default)",
    "covariance": "or of the mass's spread",
}
"""Metrics under which mass and centre of mass stay, and what the help says of them."""


def add_nearest(
    parser: argparse.ArgumentParser, further: dict[str, str] | None = None
) -> argparse._ArgumentGroup:
    """Declare what the nearest body is: --metric and --margin.

    Args:
        parser: Of the command.
        further: Metrics beside inertia and covariance, and what the help says of them.

    Returns:
        The group, for the options that those need.
    """
    metrics = MOMENT_METRICS | (further or {})
    group = parser.add_argument_group("What is nearest")
    group.add_argument(
        "--metric",
        choices=tuple(metrics),
        metavar="METRIC" if further else None,
        default="inertia",
        help=", ".join(metrics.values()),
    )
    group.add_argument(
        "--margin",
        type=float,
        default=0.0,
        metavar="MARGIN",
        help="give the results at least this margin, 0 to 1/3 (dimensionless; default: 0)",
    )
    return group


def add_sniff(group: argparse._ArgumentGroup) -> None:
    """Declare whether the caller means what he names: --sniff."""
    group.add_argument(
        "--sniff",
        action="store_true",
        help="treat the files that are named as those of a folder: leave out what is no robot "
        "model, and what is excluded",
    )


def add_context(parser: argparse.ArgumentParser) -> None:
    """Declare where a model finds what it refers to: --package-path and --xacro-arg."""
    group = parser.add_argument_group("What a model refers to")
    group.add_argument(
        "--package-path",
        action="append",
        default=[],
        metavar="PKG=DIR",
        help="folder of the package or model PKG in package:// and model:// (repeatable; without "
        "it, the folders above the file are searched)",
    )
    group.add_argument(
        "--xacro-arg",
        action="append",
        default=[],
        metavar="NAME:=VALUE",
        help="argument of xacro files, as on xacro's own command line (repeatable)",
    )


def context_of(args: argparse.Namespace) -> Context:
    """Where what a model refers to is found, as the arguments of `add_context` say.

    Raises:
        UsageError: An argument of another form, or a folder that does not exist.
    """
    from inertial_check.formats import Context

    if not args.package_path and not args.xacro_arg:
        return Context()
    from inertial_check.formats.resources import package_paths  # rarely asked for

    return Context(package_paths(args.package_path), _xacro_args(args.xacro_arg))


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Declare which configuration counts: --config and --isolated."""
    group = parser.add_argument_group("Configuration")
    group.add_argument(
        "--config",
        metavar="FILE",
        help="take this configuration, not the inertial-check.toml, .inertial-check.toml or "
        "pyproject.toml that is nearest to each file",
    )
    group.add_argument("--isolated", action="store_true", help="read no configuration")


def configurations(args: argparse.Namespace) -> Configurations:
    """The configurations of a run; the command line overrules each.

    Of the options that may be configured, those count that the arguments hold and that are not
    None: their parser has no defaults of its own.

    Raises:
        UsageError: A configuration, or an option, that cannot be carried out.
    """
    from inertial_check.settings.configuration import OPTIONS, Configurations

    context = context_of(args)
    given = {name: getattr(args, name.replace("-", "_"), None) for name in OPTIONS}
    given |= {"package-path": dict(context.packages), "xacro-arg": dict(context.xacro_args)}
    written = {name: value for name, value in given.items() if value is not None}
    return Configurations(written, args.config, args.isolated)


def context_configurations(args: argparse.Namespace) -> Configurations:
    """The configurations of a command that takes only what files refer to on its command line.

    Raises:
        UsageError: A configuration, or an option, that cannot be carried out.
    """
    from inertial_check.settings.configuration import Configurations

    context = context_of(args)
    given = {"package-path": dict(context.packages), "xacro-arg": dict(context.xacro_args)}
    return Configurations(given, args.config, args.isolated)


def comma_separated(text: str) -> list[str]:
    """The parts of a list on the command line."""
    return [part.strip() for part in text.split(",") if part.strip()]


def add_motion(group: argparse._ArgumentGroup) -> None:
    """Declare how a robot stands while it moves: --gravity and --locked."""
    group.add_argument(
        "--gravity",
        type=numbers,
        metavar="X,Y,Z",
        help="in the axes of the base [m/s^2] (default: 0,0,-9.81)",
    )
    group.add_argument(
        "--locked",
        action="append",
        metavar="JOINT[=POSITION]",
        help="a joint that does not move, held there [rad or m] (repeatable; default: 0)",
    )


def numbers(text: str) -> tuple[float, ...]:
    """The numbers of a list on the command line.

    Raises:
        argparse.ArgumentTypeError: A part is none.
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of numbers with commas between them"
        ) from None


def _xacro_args(texts: list[str]) -> dict[str, str]:
    """The arguments that texts NAME:=VALUE give; the last of a name counts, as in xacro.

    Raises:
        UsageError: A text of another form.
    """
    found = {}
    for text in texts:
        name, sign, value = text.partition(":=")
        if not (sign and name.strip()):
            raise UsageError(f"--xacro-arg {text}: expected NAME:=VALUE")
        found[name.strip()] = value.strip()
    return found
