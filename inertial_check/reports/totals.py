"""Totals of a report: what its summary says, counted file by file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from inertial_check.model import FileReport, Finding, Report, Severity


class Totals:
    """Counts of the files of a report.

    Attributes:
        files: Number of files.
        bodies: Number of bodies.
        severities: Number of findings that count, by severity.
        codes: Number of findings that count, by the code of the rule.
        suppressed: Number of suppressed findings.
        accepted: Number of those that are accepted as known, with a reason.
    """

    def __init__(self) -> None:
        self.files = 0
        self.bodies = 0
        self.severities: Counter[Severity] = Counter()
        self.codes: Counter[str] = Counter()
        self.suppressed = 0
        self.accepted = 0
        self._facts: set[str] = set()
        self._without_fact = 0

    @classmethod
    def of(cls, report: Report) -> Totals:
        """Count the files of a report."""
        totals = cls()
        for file in report.files:
            totals.add(file)
        return totals

    @property
    def distinct(self) -> int:
        """Number of facts that the findings which count state; see Finding.fact."""
        return len(self._facts) + self._without_fact

    def add(self, file: FileReport) -> None:
        """Count a file."""
        self.files += 1
        self.bodies += len(file.bodies)
        self.suppressed += len(file.suppressed)
        for each in file.suppressed:
            self.accepted += each.suppression is not None and each.suppression.accepted
        self.add_findings(file.findings)

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Count findings of a file that is counted already."""
        for finding in findings:
            self.severities[finding.severity] += 1
            self.codes[finding.code] += 1
            if finding.fact:
                self._facts.add(finding.fact)
            else:
                self._without_fact += 1
