"""Options that say how a check is carried out, and of which files; they do not change a report."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from inertial_check.errors import UsageError

if TYPE_CHECKING:
    from inertial_check.running.run import Plan

_STDIN = "-"
_FORETELLING: dict[str, Literal["all", "findings"]] = {
    "json": "all",
    "jsonl": "all",
    "full": "findings",
    "markdown": "findings",
    "sarif": "findings",
}
"""Of which bodies the forms of a report say what engines do with them; of none, the others."""

_WITHOUT_CAUSES = frozenset(["concise"])
"""The forms that show no probable causes."""


def add_selection(group: argparse._ArgumentGroup) -> None:
    """Declare which files are checked besides or instead of the named ones."""
    group.add_argument(
        "--files-from",
        metavar="FILE",
        help="check the files that FILE names, too: one a line, or parted by NUL as from "
        "`find -print0`; - for standard input",
    )
    group.add_argument(
        "--changed-since",
        metavar="REV",
        help="check only what has changed since the git revision REV, committed or not, and what "
        "includes it or takes its meshes from it",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how the work is done."""
    group = parser.add_argument_group("Run")
    group.add_argument(
        "--jobs",
        metavar="N",
        type=_number,
        help="check with N processes; auto or 0 for one a core, where there are enough files "
        "(default: auto)",
    )
    group.add_argument(
        "--cache",
        metavar="DIR",
        help="where to keep what came of each file, and to take it from while nothing has changed "
        "(default: .inertial_check_cache in the root of the project, for many files only)",
    )
    group.add_argument("--no-cache", action="store_true", help="check every file anew")
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="check with the workers of a Dask cluster, tcp://HOST:PORT",
    )
    group.add_argument(
        "--resume",
        metavar="FILE",
        help="write what came of each file to FILE, and take up the run that has written it",
    )


class Listed(NamedTuple):
    """What a list of files names.

    Attributes:
        paths: Those that are there, in the order of the list.
        failures: What is not there, one line each.
    """

    paths: list[str]
    failures: list[str]


def listed(args: argparse.Namespace) -> Listed:
    """The files that --files-from names.

    Raises:
        UsageError: The list cannot be read.
    """
    name = args.files_from
    if name is None:
        return Listed([], [])
    if name == _STDIN and _STDIN in args.paths:
        raise UsageError("--files-from - and the path - both read standard input")
    data = _content(name)
    shown = "<stdin>" if name == _STDIN else name
    by_nul = b"\0" in data
    found = Listed([], [])
    for number, entry in enumerate(data.split(b"\0" if by_nul else b"\n"), 1):
        path = os.fsdecode(entry if by_nul else entry.removesuffix(b"\r"))
        if not path:
            continue
        if os.path.lexists(path):
            found.paths.append(os.path.join(os.curdir, path) if path == _STDIN else path)
        else:
            place = f"{shown}, entry {number}" if by_nul else f"{shown}:{number}"
            found.failures.append(f"{place}: {path}: No such file or directory")
    return found


def _content(name: str) -> bytes:
    if name == _STDIN:
        if sys.stdin is None:
            raise UsageError("cannot read standard input: it is closed")
        return sys.stdin.buffer.read()
    try:
        with open(name, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise UsageError(f"--files-from {name}: {error.strerror or error}") from None


def plan_of(
    args: argparse.Namespace, jobs: int | str, form: str, progress: Callable[[float], None]
) -> Plan:
    """How to carry out the check.

    Args:
        args: The command line.
        jobs: How many processes, or "auto".
        form: Of the report.
        progress: Is told which part of the work is done.

    Raises:
        UsageError: What was asked for cannot be had.
    """
    from inertial_check.checking.check import Extent
    from inertial_check.running.run import Plan

    if args.no_cache and args.cache is not None:
        raise UsageError("--no-cache keeps nothing, --cache names a folder for it: choose one")
    changes = None
    if args.changed_since is not None:
        from inertial_check.running.changes import Changes

        changes = Changes(args.changed_since)
    return Plan(
        jobs=int(jobs) or None if jobs != "auto" else None,
        cache=None if args.no_cache else args.cache or _default_cache(),
        always_cache=args.cache is not None,
        resume=args.resume,
        cluster=args.cluster,
        extent=Extent(_FORETELLING.get(form, "none"), form not in _WITHOUT_CAUSES),
        progress=progress,
        changes=changes,
    )


def _default_cache() -> str:
    from inertial_check.running.run import default_cache

    return default_cache()


def _number(text: str) -> int | str:
    """What a configuration would have: a number, or a word."""
    return int(text) if text.isdecimal() else text
