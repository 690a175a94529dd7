"""Options of `check` that select files and say how the check is carried out."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, get_args

from inertial_check.checking.check import Document, ReportContent
from inertial_check.errors import UsageError
from inertial_check.programs.cli import options, output

if TYPE_CHECKING:
    import argparse

    from inertial_check.checking.configuration import Configurations
    from inertial_check.running.run import CheckRequest


_STDIN = "-"
_Extent = Literal["all", "findings", "provable", "none"]
_PREDICTIONS: dict[str, _Extent] = {
    "json": "all",
    "jsonl": "all",
    "full": "provable",  # for the order of its groups
    "markdown": "findings",
    "html": "all",
    "sarif": "findings",
}
"""Extent of the predictions of engines in a report, by its form; other forms have none."""

_MOST_FIRST: tuple[_Extent, ...] = get_args(_Extent)
"""Extents of the predictions in a report, largest first."""

_WITHOUT_CAUSES = frozenset(["concise"])
"""Forms of the report that do not show probable causes."""

WITHOUT_REMEDIES = frozenset(["badge", "concise", "github", "gitlab", "junit"])
"""Forms of the report that do not show what to write."""

_WITHOUT_QUOTES = frozenset(["concise", "badge"])
"""Forms of the report that quote nothing of the documents."""

_WITHOUT_MARKS = frozenset(["json", "jsonl"])
"""Forms of the report that do not show lines with marks under the guilty numbers."""


def add_selection(add: options.AddOption) -> None:
    """Add --files-from and --changed-since."""
    add(
        "--files-from FILE",
        "also check the files listed in FILE, one a line, or separated by NUL bytes as from "
        "`find -print0`; - for standard input",
    )
    add(
        "--changed-since REV",
        "check only files that have changed since the git revision REV, committed or not, and "
        "models that use them",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how the check is carried out."""
    add = options.add_group(parser, "Run")
    add(
        "--jobs N",
        "check with N processes; auto or 0: one a core, if there are enough files (default: auto)",
        type=_number,
    )
    add(
        "--cache DIR",
        "folder for results, used again while nothing has changed (default: "
        ".inertial_check_cache in the root of the project, for many files only)",
    )
    add("--no-cache", "check every file again and store no results")
    add("--cluster ADDRESS", "check on the workers of a Dask cluster, tcp://HOST:PORT")
    add(
        "--allow-host HOST ...",
        "follow redirects of web servers to this host, too (repeatable; default: only within "
        "the host that a URL names)",
    )
    add(
        "--resume FILE",
        "write the result of each file to FILE, and resume the run that has written FILE",
    )


def read_file_list(args: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Read the list of --files-from; without that option it is empty.

    Returns:
        The files that exist, and URLs, in the order of the list; and a message for each file that
        does not exist.

    Raises:
        UsageError: The list cannot be read.
    """
    name = args.files_from
    if name is None:
        return [], []
    if name == _STDIN and _STDIN in args.paths:
        raise UsageError("--files-from - and the path - both read standard input")
    if name == _STDIN:
        data = output.open_stdin().read()
    else:
        try:
            with open(name, "rb") as stream:
                data = stream.read()
        except OSError as error:
            raise UsageError(f"--files-from {name}: {error.strerror or error}") from None
    shown = "<stdin>" if name == _STDIN else name
    by_nul = b"\0" in data
    paths: list[str] = []
    failures: list[str] = []
    for number, entry in enumerate(data.split(b"\0" if by_nul else b"\n"), 1):
        path = os.fsdecode(entry if by_nul else entry.removesuffix(b"\r"))
        if not path:
            continue
        if "://" in path or os.path.lexists(path):
            paths.append(os.path.join(os.curdir, path) if path == _STDIN else path)
        else:
            place = f"{shown}, entry {number}" if by_nul else f"{shown}:{number}"
            failures.append(f"{place}: {path}: No such file or directory")
    return paths, failures


def list_forms(args: argparse.Namespace, configurations: Configurations) -> frozenset[str]:
    """The forms of the report that are written: that of --output-format, and those of --also."""
    return frozenset([configurations.run["output-format"], *(each.form for each in args.also)])


def build_request(
    args: argparse.Namespace,
    configurations: Configurations,
    paths: list[str],
    stdin: Document | None,
    progress: Callable[[float, str], None],
    remark: Callable[[str], None],
) -> CheckRequest:
    """Build the request for a check.

    Args:
        args: The command line.
        configurations: The configurations of the run and of each file.
        paths: The paths to check, those of --files-from included.
        stdin: The document read from standard input.
        progress: Called with the completed fraction of the work, 0 to 1, and the path of a file.
        remark: Called with each remark about how the check was carried out.

    Raises:
        UsageError: The options contradict each other, or git fails.
    """
    from inertial_check.running.run import Changes, CheckRequest, default_cache

    if args.no_cache and args.cache is not None:
        raise UsageError("--no-cache keeps nothing, --cache names a folder for it: choose one")
    changes = None if args.changed_since is None else Changes(args.changed_since)
    forms, jobs = list_forms(args, configurations), configurations.run["jobs"]
    told: dict[str, _Extent] = {"full": "findings"} if args.verbose else {}
    wanted = {{**_PREDICTIONS, **told}.get(form, "none") for form in forms}
    return CheckRequest(
        paths,
        configurations.settings,
        stdin=stdin,
        sniff=args.sniff,
        allow_empty=args.allow_empty,
        allow_unjudged=configurations.run["allow-unjudged"],
        changes=changes,
        content=ReportContent(
            next(each for each in _MOST_FIRST if each in wanted),
            not forms <= _WITHOUT_CAUSES,
            not forms <= _WITHOUT_MARKS,
            not forms <= _WITHOUT_QUOTES,
            not forms <= WITHOUT_REMEDIES,
        ),
        jobs=None if jobs in ("auto", 0) else jobs,
        cache=None if args.no_cache else args.cache or default_cache(),
        always_cache=args.cache is not None,
        resume=args.resume,
        cluster=args.cluster,
        allowed_hosts=args.allow_host or (),
        progress=progress,
        remark=remark,
    )


def _number(text: str) -> int | str:
    """Parse --jobs as a configuration file would: a number, or a word that is checked later."""
    return int(text) if text.isdecimal() else text
