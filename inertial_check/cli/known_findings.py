"""Known findings: --baseline, --write-baseline and --prune-baseline."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from inertial_check.cli import output
from inertial_check.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from inertial_check.model import Report
    from inertial_check.selecting.baseline import Baseline, Key
    from inertial_check.settings.configuration import Configurations

_SHOWN = 3
"""Number of entries that a note on stderr lists by name."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options about known findings."""
    group = parser.add_argument_group("Known findings")
    group.add_argument(
        "--baseline",
        metavar="FILE",
        help="findings listed in this file count only if they have become worse",
    )
    group.add_argument(
        "--write-baseline",
        metavar="FILE",
        help="write all findings to this file, which then lists them as known",
    )
    group.add_argument(
        "--prune-baseline",
        action="store_true",
        help="remove findings that no longer occur from the file of --baseline, and record those "
        "that have improved",
    )


class KnownFindings:
    """Compares the report of a run with a baseline, and writes the baseline if asked to."""

    def __init__(self, args: argparse.Namespace, configurations: Configurations) -> None:
        """Read the baseline, before anything is checked.

        Args:
            args: The command line.
            configurations: The path of the baseline, and the rules that are on for a file.

        Raises:
            UsageError: The baseline cannot be read, or options contradict each other.
        """
        path: str | None = configurations.run["baseline"]
        self._target: str | None = args.write_baseline
        self._prunes: bool = args.prune_baseline
        self._tells = not args.quiet
        self._configurations = configurations
        if self._prunes and self._target is not None:
            raise UsageError("--write-baseline also takes out what is gone: leave --prune-baseline")
        if self._prunes and path is None:
            raise UsageError("--prune-baseline needs the file that --baseline names")
        if self._target is not None:
            path = self._target if os.path.exists(self._target) else None
        self._known: Baseline | None = None
        if path is not None:
            from inertial_check.selecting.baseline import Baseline

            self._known = Baseline.read(path)

    @staticmethod
    def has_baseline(args: argparse.Namespace, configurations: Configurations) -> bool:
        """Whether the run reads or writes a baseline."""
        return args.write_baseline is not None or configurations.run["baseline"] is not None

    def suppress(self, report: Report) -> Report:
        """Suppress the known findings of a report; writes the baseline if the options say so."""
        if self._target is not None:
            return self._write(report, self._target)
        if self._known is None:
            return report
        result = self._known.apply(report, self._rules_of)
        report = result.report
        if self._prunes and result.kept != self._known:
            report = self._save(result.kept, report)
        elif result.gone and not self._prunes:
            told = f"{self._known.path} lists findings that no longer occur: {_some(result.gone)}"
            self._tell(f"{told}; --prune-baseline removes them")
        return report

    def suppress_partial(self, report: Report) -> Report:
        """Suppress the known findings of an interrupted run; writes nothing."""
        return report if self._known is None else self._known.apply(report, self._rules_of).report

    def _write(self, report: Report, target: str) -> Report:
        from inertial_check.selecting.baseline import Baseline

        baseline = Baseline.of(report, target, self._known)
        written = self._save(baseline, report)
        if written.failures:
            return written
        return baseline.apply(written, self._rules_of).report

    def _save(self, baseline: Baseline, report: Report) -> Report:
        """Write the baseline and say what has changed; a failure is added to the report."""
        if report.failures:
            self._tell(f"{baseline.path} is not written: not everything could be checked")
            return report
        try:
            baseline.write()
        except UsageError as error:
            return replace(report, failures=(*report.failures, str(error)))
        before = {} if self._known is None else self._known.entries
        after = baseline.entries
        new = sorted(after.keys() - before.keys())
        gone = sorted(before.keys() - after.keys())
        changed = sum(after[key] != before[key] for key in after.keys() & before.keys())
        self._tell(
            f"{baseline.path}: {_entries(len(after))}, of which {len(new)} new and {changed} "
            f"changed; {len(gone)} removed"
        )
        return report

    def _rules_of(self, path: str) -> Collection[str]:
        return {rule.code for rule in self._configurations.settings(path).rules()}

    def _tell(self, line: str) -> None:
        if self._tells:
            output.note(line)


def _entries(count: int) -> str:
    return f"{count} entr{'y' if count == 1 else 'ies'}"


def _some(keys: Sequence[Key]) -> str:
    named = [f"{key.file} [{key.body}] {key.code}" for key in keys[:_SHOWN]]
    more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
    return f"{_entries(len(keys))} ({', '.join(named)}{more})"
