"""What a run knows already: --baseline, --write-baseline and --prune-baseline."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from inertial_check.cli import output
from inertial_check.errors import UsageError

if TYPE_CHECKING:
    from inertial_check.model import Report
    from inertial_check.selecting.baseline import Baseline, Key
    from inertial_check.settings.configuration import Configurations

_SHOWN = 3
"""Of the entries that a line on stderr speaks of."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("Known findings")
    group.add_argument(
        "--baseline", metavar="FILE", help="what this file knows counts only once it gets worse"
    )
    group.add_argument(
        "--write-baseline",
        metavar="FILE",
        help="write all findings to this file; from then on they are known",
    )
    group.add_argument(
        "--prune-baseline",
        action="store_true",
        help="take out of the file of --baseline what is gone or better than it says",
    )


class KnownFindings:
    """Holds the report of a run against the baseline, and keeps that."""

    def __init__(
        self, args: argparse.Namespace, path: str | None, configurations: Configurations
    ) -> None:
        """Read the baseline, before anything is checked.

        Args:
            args: As declared above.
            path: Of the baseline, from the command line or a configuration.
            configurations: Say which rules are on for a file.

        Raises:
            UsageError: It cannot be read, or options contradict each other.
        """
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

    def suppressed(self, report: Report) -> Report:
        """The report with what is known suppressed; writes the baseline where that is asked for."""
        if self._target is not None:
            return self._written(report, self._target)
        if self._known is None:
            return report
        outcome = self._known.applied(report, self._rules_of)
        report = outcome.report
        if self._prunes and outcome.kept != self._known:
            report = self._saved(outcome.kept, report)
        elif outcome.gone and not self._prunes:
            told = f"{self._known.path} knows what occurs no more: {_some(outcome.gone)}"
            self._tell(f"{told}; --prune-baseline takes it out")
        return report

    def _written(self, report: Report, target: str) -> Report:
        from inertial_check.selecting.baseline import Baseline

        baseline = Baseline.of(report, target, self._known)
        written = self._saved(baseline, report)
        if written.failures:
            return written
        return baseline.applied(written, self._rules_of).report

    def _saved(self, baseline: Baseline, report: Report) -> Report:
        """Write the baseline, and say what has changed; a failure is one of the report."""
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
            f"changed; {len(gone)} taken out"
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
