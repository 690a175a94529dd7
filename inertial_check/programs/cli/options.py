"""Options that several commands share, and options objects made of the command line.

A group of arguments that is declared with argument_default=SUPPRESS leaves out what is not on the
command line, so that the defaults of the options object hold and are not stated twice.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from inertial_check.documents.files.access import Access, contains, root_of
from inertial_check.documents.files.writing import same_file
from inertial_check.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from inertial_check.checking.configuration import Configurations, Stand
    from inertial_check.documents.context import Context


AddOption = Callable[..., object]
"""Function that adds an option to a group, of its usage and its help as `add_option` takes them."""


def add_option(group: argparse._ArgumentGroup, usage: str, text: str, **further: object) -> None:
    """Add the option that a usage shows to a group of a command's options.

    Args:
        group: Group of the option.
        usage: Names of the option and the form of its value, as "-o, --output FILE"; with " ..."
            behind it where the option may be repeated; without a form it is a flag, or takes one of
            the choices.
        text: Help text.
        further: Further arguments of argparse, such as type and default.
    """
    words = usage.split()
    names = [word.rstrip(",") for word in words if word.startswith("-")]
    form = words[len(names) :]
    if form[1:] == ["..."]:
        further["action"] = "append"
    if form:
        further["metavar"] = form[0]
    elif "choices" not in further:
        further.setdefault("action", "store_true")
    declare: AddOption = group.add_argument
    declare(*names, help=text, **further)


def add_group(parser: argparse.ArgumentParser, title: str, **further: object) -> AddOption:
    """Add a group of options to a parser; returns the function that adds an option to it."""
    group: Callable[..., argparse._ArgumentGroup] = parser.add_argument_group
    return partial(add_option, group(title, **further))


def split_at_commas(text: str) -> list[str]:
    """Split a comma-separated list."""
    return [part.strip() for part in text.split(",") if part.strip()]


LIST: Mapping[str, object] = {"action": "extend", "type": split_at_commas}
"""Further arguments of an option that takes a list with commas, and may be repeated."""

MOMENT_METRICS = {
    "inertia": "whose change is least: that of the inertia tensor (default)",
    "covariance": "or of the mass's spread",
}
"""Metrics that keep mass and centre of mass, with their help texts."""


def add_nearest(
    parser: argparse.ArgumentParser, further: dict[str, str] | None = None
) -> AddOption:
    """Add --metric and --margin, which define the nearest body.

    Args:
        parser: Parser of the command.
        further: More metrics of the command, with their help texts.

    Returns:
        The function that adds further options of those metrics.
    """
    metrics = MOMENT_METRICS | (further or {})
    add = add_group(parser, "What is nearest")
    add(
        "--metric METRIC" if further else "--metric",
        ", ".join(metrics.values()),
        choices=tuple(metrics),
        default="inertia",
    )
    add(
        "--margin MARGIN",
        "give the results at least this margin, 0 to 1/3 (dimensionless; default: 0)",
        type=float,
        default=0.0,
    )
    return add


def add_sniff(add: AddOption) -> None:
    """Add --sniff."""
    add(
        "--sniff",
        "skip named files that are excluded or are not robot models, as in a folder search",
    )


def add_context(parser: argparse.ArgumentParser, configured: bool = True) -> None:
    """Add the options about what a model refers to, and about how much it may take.

    Args:
        parser: Parser of the command.
        configured: Whether to add --config and --isolated, too.
    """
    add = add_group(parser, "What a model refers to")
    add(
        "--package-path PKG=DIR ...",
        "folder of the package or model PKG in package:// and model://; or a folder of "
        "packages, an install tree, or several of these with the system's path separator, as "
        '"$AMENT_PREFIX_PATH" (repeatable; default: search the tree around the file)',
        default=[],
    )
    add(
        "--xacro-arg NAME:=VALUE ...",
        "argument of xacro files, as on xacro's own command line (repeatable)",
        default=[],
    )
    add(
        "--xacro-env NAME[=VALUE] ...",
        "let xacro files read this environment variable, or this value (repeatable; default: "
        "they read none)",
    )
    add(
        "--follow-outside",
        "open and write files outside the repository and the named paths (default: they are "
        "findings)",
        default=None,
    )
    add(
        "--max-file-size SIZE",
        "largest size of a document, as 200MB (default: 64MB, and 1GB for a mesh)",
    )
    add(
        "--timeout SECONDS",
        "largest time for one document with all that it refers to [s] (default: 60)",
    )
    if not configured:
        return
    add = add_group(parser, "Configuration")
    add(
        "--config FILE",
        "use this configuration instead of the inertial-check.toml, .inertial-check.toml or "
        "pyproject.toml nearest to each file",
    )
    add("--isolated", "read no configuration file")


def context_of(args: argparse.Namespace) -> Context:
    """Package paths and xacro arguments from the arguments of `add_context`.

    Raises:
        UsageError: A malformed argument, or a folder that does not exist.
    """
    return _configurations(args, {}, None, True).run.settings.context


def configurations(args: argparse.Namespace, stand: Stand | None = None) -> Configurations:
    """The configurations of a run, overridden by the command line.

    Arguments that are None are not set: parsers have no defaults for options of configurations.

    Args:
        args: The command line.
        stand: What stands for the files of the checked tree; None if they count.

    Raises:
        UsageError: A configuration or an option is wrong.
    """
    from inertial_check.checking.configuration import OPTIONS

    given = {name: getattr(args, name.replace("-", "_"), None) for name in OPTIONS}
    return _configurations(args, given, args.config, args.isolated, stand)


def repeat_context(args: argparse.Namespace) -> tuple[str, ...]:
    """The words of a command line by which another command reads the same models."""
    words = ["--isolated"] if args.isolated else []
    for name in ("config", "expect", "history", "package_path", "xacro_arg", "xacro_env"):
        value = getattr(args, name, None) or ()
        for each in (value,) if isinstance(value, str | int) else value:
            words += [f"--{name.replace('_', '-')}", str(each)]
    return tuple(words)


def context_configurations(args: argparse.Namespace) -> Configurations:
    """The configurations of a command with only the arguments of `add_context`.

    Raises:
        UsageError: A configuration or an option is wrong.
    """
    given: dict[str, object] = {name: getattr(args, name, None) for name in ("expect", "history")}
    return _configurations(args, given, args.config, args.isolated)


def _configurations(
    args: argparse.Namespace,
    given: dict[str, object],
    config: str | None,
    isolated: bool,
    stand: Stand | None = None,
) -> Configurations:
    """Make configurations with the options given and the arguments of `add_context`."""
    from inertial_check.checking.configuration import Configurations

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
    if stand is not None:  # a gate follows no link out of the tree, to a folder neither
        folders = [at for at in folders if contains(root_of(at).path, os.path.realpath(at))]
    if not getattr(args, "sniff", False) and stand is None:
        # A link that a person types is followed, and may use what its target may use. Who gives
        # --sniff or --gate has not looked at the files.
        typed = [(path, os.path.realpath(path)) for path in paths if os.path.lexists(path)]
        folders += [
            root_of(real).path for at, real in typed if not contains(root_of(at).path, real)
        ]
    access = replace(Access().with_folders(folders), trees=trees)
    return Configurations(written, config, isolated, access, stand)


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


def add_plot(add: AddOption, content: str) -> None:
    """Add --plot, whose help says what is drawn."""
    add("--plot FILE", f"draw {content} into a png, svg or pdf file (needs matplotlib)")


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


def refuse_same_files(
    read: Iterable[tuple[str, str | None]], written: Mapping[str, str | None], own: tuple[str, str]
) -> None:
    """Stop before a file is written over another that is read or written.

    Args:
        read: Names of options that read a file, and their files; None where not given.
        written: Files that are written, by the names of their options in order.
        own: Name and file of what -o alone may write over.

    Raises:
        UsageError: Names the options.
    """
    others = list(read)
    for option, path in written.items():
        for name, other in others if option == "-o" else [*others, own]:
            if path and other and (path == other or same_file(path, other)):
                raise UsageError(f"{option} and {name} name one file, {path}")
        others.append((option, path))


def add_motion(add: AddOption, others: str = "") -> None:
    """Add --gravity and --locked.

    Args:
        add: Adds an option to their group.
        others: What the help of --locked says of its word "others", where the command has it.
    """
    add(
        "--gravity X,Y,Z",
        "gravity in the axes of the base [m/s^2] (default: that of an MJCF, else 0,0,-9.81)",
        type=numbers,
    )
    add(
        "--locked JOINT[=POSITION] ...",
        f"hold a joint at this position [rad or m]{others} (repeatable; default: 0)",
    )


def numbers(text: str) -> tuple[float, ...]:
    """Parse a comma-separated list of numbers.

    Raises:
        argparse.ArgumentTypeError: A part is no number.
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
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
