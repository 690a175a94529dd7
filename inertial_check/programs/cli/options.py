"""Options that several commands share, and options objects made of the command line.

A group of arguments that is declared with argument_default=SUPPRESS leaves out what is not on the
command line, so that the defaults of the options object hold and are not stated twice.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from inertial_check.documents.files.writing import same_file
from inertial_check.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from inertial_check.checking.configuration import Configurations
    from inertial_check.documents.context import Context


MOMENT_METRICS = {
    "inertia": "whose change is least: that of the inertia tensor (default)",
    "covariance": "or of the mass's spread",
}
"""Metrics that keep mass and centre of mass, with their help texts."""


def add_nearest(
    parser: argparse.ArgumentParser, further: dict[str, str] | None = None
) -> argparse._ArgumentGroup:
    """Add --metric and --margin, which define the nearest body.

    Args:
        parser: Parser of the command.
        further: More metrics of the command, with their help texts.

    Returns:
        The group, for further options of those metrics.
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
    """Add --sniff."""
    group.add_argument(
        "--sniff",
        action="store_true",
        help="skip named files that are excluded or are not robot models, as in a folder search",
    )


def add_context(parser: argparse.ArgumentParser) -> None:
    """Add the options about what a model refers to, and about how much it may take."""
    group = parser.add_argument_group("What a model refers to")
    group.add_argument(
        "--package-path",
        action="append",
        default=[],
        metavar="PKG=DIR",
        help="folder of the package or model PKG in package:// and model://; or a folder of "
        "packages, an install tree, or several of these with the system's path separator, as "
        '"$AMENT_PREFIX_PATH" (repeatable; default: search the tree around the file)',
    )
    group.add_argument(
        "--xacro-arg",
        action="append",
        default=[],
        metavar="NAME:=VALUE",
        help="argument of xacro files, as on xacro's own command line (repeatable)",
    )
    group.add_argument(
        "--xacro-env",
        action="append",
        metavar="NAME[=VALUE]",
        help="let xacro files read this environment variable, or this value in its place "
        "(repeatable; default: they read none)",
    )
    group.add_argument(
        "--follow-outside",
        action="store_true",
        default=None,
        help="open and write files that lie outside the repository and the paths named (default: "
        "they are findings)",
    )
    group.add_argument(
        "--max-file-size",
        metavar="SIZE",
        help="largest size of a document, as 200MB (default: 64MB, and 1GB for a mesh)",
    )
    group.add_argument(
        "--timeout",
        metavar="SECONDS",
        help="largest time for one document with all that it refers to [s] (default: 60)",
    )


def context_of(args: argparse.Namespace) -> Context:
    """Package paths and xacro arguments from the arguments of `add_context`.

    Raises:
        UsageError: A malformed argument, or a folder that does not exist.
    """
    return _configurations(args, {}, None, True).run.settings.context


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Add --config and --isolated."""
    group = parser.add_argument_group("Configuration")
    group.add_argument(
        "--config",
        metavar="FILE",
        help="use this configuration instead of the inertial-check.toml, .inertial-check.toml or "
        "pyproject.toml nearest to each file",
    )
    group.add_argument("--isolated", action="store_true", help="read no configuration file")


def configurations(args: argparse.Namespace) -> Configurations:
    """The configurations of a run, overridden by the command line.

    Arguments that are None are not set: parsers have no defaults for options of configurations.

    Raises:
        UsageError: A configuration or an option is wrong.
    """
    from inertial_check.checking.configuration import OPTIONS

    given = {name: getattr(args, name.replace("-", "_"), None) for name in OPTIONS}
    return _configurations(args, given, args.config, args.isolated)


def repeat_context(args: argparse.Namespace) -> tuple[str, ...]:
    """The words of a command line by which another command reads the same models."""
    words = ["--isolated"] if args.isolated else []
    for name in ("config", "expect", "package_path", "xacro_arg", "xacro_env"):
        value = getattr(args, name, None) or ()
        for each in (value,) if isinstance(value, str) else value:
            words += [f"--{name.replace('_', '-')}", each]
    return tuple(words)


def context_configurations(args: argparse.Namespace) -> Configurations:
    """The configurations of a command with only the arguments of `add_context`.

    Raises:
        UsageError: A configuration or an option is wrong.
    """
    expected = getattr(args, "expect", None)
    return _configurations(args, {"expect": expected}, args.config, args.isolated)


def _configurations(
    args: argparse.Namespace, given: dict[str, object], config: str | None, isolated: bool
) -> Configurations:
    """Make configurations with the options given and the arguments of `add_context`."""
    from inertial_check.checking.configuration import Configurations
    from inertial_check.documents.files.access import Access, contains, root_of

    packages: dict[str, str] = {}
    trees: tuple[str, ...] = ()
    if args.package_path:
        from inertial_check.documents.resources import package_paths

        packages, trees = package_paths(args.package_path)
    # Parse texts NAME:=VALUE; the last one for a name is used, as in xacro.
    xacro_args = {}
    for text in args.xacro_arg:
        name, sign, value = text.partition(":=")
        if not (sign and name.strip()):
            raise UsageError(f"--xacro-arg {text}: expected NAME:=VALUE")
        xacro_args[name.strip()] = value.strip()
    given |= {
        "package-path": packages,
        "xacro-arg": xacro_args,
        "xacro-env": args.xacro_env,
        "follow-outside": args.follow_outside,
        "max-file-size": args.max_file_size,
        "timeout": args.timeout,
    }
    written = {name: value for name, value in given.items() if value is not None}
    paths = getattr(args, "paths", [])
    folders = [*list_folders(paths), *trees]
    if not getattr(args, "sniff", False):
        # A link that a person types is followed, and may use what its target may use. Who gives
        # --sniff has not looked at the files.
        typed = [(path, os.path.realpath(path)) for path in paths if os.path.lexists(path)]
        folders += [
            root_of(real).path for at, real in typed if not contains(root_of(at).path, real)
        ]
    access = replace(Access().with_folders(folders), trees=trees)
    return Configurations(written, config, isolated, access)


def list_folders(paths: list[str]) -> list[str]:
    """List the folders among paths, and those in which a glob among them begins."""
    folders = []
    for path in paths:
        folder = path
        while folder and any(mark in folder for mark in "*?[") and not os.path.lexists(folder):
            folder = os.path.dirname(folder)
        if os.path.isdir(folder or os.curdir):
            folders.append(folder or os.curdir)
    return folders


def split_at_commas(text: str) -> list[str]:
    """Split a comma-separated list."""
    return [part.strip() for part in text.split(",") if part.strip()]


def add_plot(group: argparse._ArgumentGroup, content: str) -> None:
    """Declare --plot.

    Args:
        group: Group of options to add it to.
        content: Content of the plot, for the help.
    """
    group.add_argument(
        "--plot",
        metavar="FILE",
        help=f"draw {content} into a png, svg or pdf file (needs matplotlib)",
    )


def check_plot(path: str | None, others: Iterable[str | None]) -> None:
    """Check the file of --plot before the work begins; without the option, do nothing.

    Args:
        path: File of --plot; None without the option.
        others: Files that the command reads or writes.

    Raises:
        UsageError: The suffix names no format of plots, the file is one of the others, or
            matplotlib is not installed.
    """
    if path is None:
        return
    from inertial_check.reports import plots

    plots.check_target(path)
    for other in others:
        if other is not None and (path == other or same_file(path, other)):
            raise UsageError(f"--plot would be written over {other}; name another file")


def add_motion(group: argparse._ArgumentGroup, others: str = "") -> None:
    """Add --gravity and --locked.

    Args:
        group: Group of the options.
        others: What the help of --locked says of its word "others", where the command has it.
    """
    group.add_argument(
        "--gravity",
        type=numbers,
        metavar="X,Y,Z",
        help="gravity in the axes of the base [m/s^2] (default: 0,0,-9.81)",
    )
    group.add_argument(
        "--locked",
        action="append",
        metavar="JOINT[=POSITION]",
        help=f"hold a joint at this position [rad or m]{others} (repeatable; default: 0)",
    )


def numbers(text: str) -> tuple[float, ...]:
    """Parse a comma-separated list of numbers.

    Raises:
        argparse.ArgumentTypeError: A part is no number.
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        import argparse

        raise argparse.ArgumentTypeError(
            f"{text!r} is not a comma-separated list of numbers"
        ) from None


Group = TypeVar("Group", bound="DataclassInstance")
"""Options object, a dataclass."""

Readers = Mapping[str, Callable[[Any], object]]  # Any: a text or a list of texts, by the option
"""Functions that read the texts of options, by the names of the options."""


def read_texts(args: argparse.Namespace, readers: Readers) -> None:
    """Replace the texts of options that are given by their values.

    Raises:
        UsageError: A text of another form.
    """
    for name, read in readers.items():
        if hasattr(args, name):
            setattr(args, name, read(getattr(args, name)))


def read_group(group: type[Group], args: argparse.Namespace, **given: object) -> Group:
    """Make an options object of the arguments that are named like its fields.

    Args:
        group: Class of the options object.
        args: Arguments of the command line.
        given: Values of fields that are not read from the arguments.
    """
    names = [field.name for field in fields(group) if field.name not in given]
    return group(**{name: getattr(args, name) for name in names if hasattr(args, name)}, **given)
