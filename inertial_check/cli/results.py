"""Options --results and --results-format of `check`: results go to a folder instead of a report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from inertial_check.cli import exit_codes, output, rendering, running
from inertial_check.cli.progress import ProgressBar
from inertial_check.errors import UsageError
from inertial_check.isolation import Termination

if TYPE_CHECKING:
    import argparse

    from inertial_check.results.counts import Counts
    from inertial_check.running.stream import StreamOutcome
    from inertial_check.settings.configuration import Configurations
    from inertial_check.settings.settings import Settings

_EXCLUDED = (
    "output_format",
    "output_file",
    "also",
    "plot",
    "resume",
    "stdin_filename",
    "changed_since",
    "write_baseline",
    "baseline",
)
"""Options that belong to a report, which a run with --results does not make."""


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Add --results and --results-format."""
    group.add_argument(
        "--results",
        metavar="DIR",
        help="write the result of every file into DIR instead of a report, with memory that does "
        "not grow with their number, and print counts as `summary` does; the same command goes on "
        "from what is there, and checks what has changed since",
    )
    group.add_argument(
        "--results-format",
        choices=("parquet", "jsonl"),
        default="parquet",
        help="form of the files in DIR (default: parquet, which needs pyarrow)",
    )


def run(
    args: argparse.Namespace,
    configurations: Configurations,
    paths: Sequence[str],
    missing: Sequence[str],
) -> int:
    """Check into the folder of --results, print the counts, and return the exit code.

    Args:
        args: The command line.
        configurations: The configurations of the run.
        paths: The paths to check, those of --files-from included.
        missing: Messages on files of a list that do not exist.

    Raises:
        UsageError: An option does not go with --results, or the run cannot begin.
    """
    _refuse_options(args, paths)
    outcome = _check(args, configurations, list(paths), bool(missing))
    rendering.tell(args, (), outcome.notes, limited=not args.verbose)
    failures = [*missing, *outcome.failures]
    counts = _count(args.results, failures)
    from inertial_check.results.tables import render

    output.write(render(counts, (), "text"))
    if not args.quiet:
        held = f", {outcome.kept} unchanged" if outcome.kept else ""
        checked = "file" if outcome.checked == 1 else "files"
        output.note(f"{outcome.checked} {checked} checked{held}; results in {args.results}")
    if args.verbose and args.cluster is not None:
        sent, received = outcome.sent / 1e6, outcome.received / 1e6
        output.note(f"{sent:.1f} MB sent to the workers of the cluster, {received:.1f} MB received")
    rendering.tell(args, failures, (), limited=not args.verbose)
    if failures:
        return exit_codes.FAILURE
    failing = _fails(counts, configurations.run.settings)
    return exit_codes.FINDINGS if failing else exit_codes.CLEAN


def _refuse_options(args: argparse.Namespace, paths: Sequence[str]) -> None:
    for name in _EXCLUDED:
        if getattr(args, name, None):
            option = "--" + name.replace("_", "-")
            raise UsageError(f"--results writes rows and no report: leave out {option}")
    if "-" in paths:
        raise UsageError("--results takes files and folders, not standard input")


def _check(
    args: argparse.Namespace, configurations: Configurations, paths: list[str], missing: bool
) -> StreamOutcome:
    from dataclasses import replace

    from inertial_check.checking.check import ReportContent
    from inertial_check.running.stream import check_to_folder

    remarks: list[str] = []
    color = output.wants_color(args.color, sys.stderr)
    with closing(ProgressBar(wanted=not args.quiet, color=color)) as bar:
        request = running.build_request(args, configurations, paths, None, bar, remarks.append)
        content = ReportContent("all", causes=True, marks=False)
        allow_empty = request.allow_empty or missing
        request = replace(request, content=content, allow_empty=allow_empty)
        try:
            outcome = check_to_folder(request, args.results, args.results_format)
        except (KeyboardInterrupt, Termination):
            bar.close()
            output.failure("interrupted: the same command goes on from what is done")
            raise
    rendering.tell(args, (), remarks)
    return outcome


def _count(path: str, failures: list[str]) -> Counts:
    from inertial_check.results.reading import read_counts

    return read_counts(path, failures.append)


def _fails(counts: Counts, settings: Settings) -> bool:
    """Whether a finding in the folder is as severe as --fail-on says."""
    from inertial_check.model import Severity

    words = {kind.severity for kind in counts.findings}
    return any(settings.fails(each) for each in Severity if each.word in words)
