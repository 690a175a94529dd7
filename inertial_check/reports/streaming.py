"""Reports for programs as a frame with items: one of each file, or of each finding.

Totals of a report: what its summary says, counted file by file.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from inertial_check.checking.report import FileReport, Finding, Report, Severity
from inertial_check.reports import View


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


class Item(NamedTuple):
    """The text of a report about a file, or about one finding of it.

    Attributes:
        text: The text, ASCII only.
        rank: Items of the least rank are left out first where a report has a largest size.
    """

    text: str
    rank: int = 0


class Frame(NamedTuple):
    """The text around the items of a report.

    Attributes:
        head: Text before the first item.
        between: Text between two items.
        tail: Text after the last item.
    """

    head: str
    between: str
    tail: str


class Run(NamedTuple):
    """The facts of the whole run that a report states.

    Attributes:
        totals: Counts of the files.
        failures: Reasons why the check failed.
        notes: Files and checks that were skipped and why.
        view: Options of the report.
    """

    totals: Totals
    failures: Sequence[str]
    notes: Sequence[str]
    view: View


class Form(NamedTuple):
    """A form of the report whose items are written file by file.

    Attributes:
        items: Gives the items of a file.
        frame: Gives the text around so many items, of which so many are left out.
        most: Largest number of items, and largest size of the report [bytes], compressed if need
            be; None without limits.
    """

    items: Callable[[FileReport, View], Iterable[Item]]
    frame: Callable[[Run, int, int], Frame]
    most: Callable[[], tuple[int, int]] | None = None


def write_whole(form: Form, report: Report, view: View) -> str:
    """Write a report; where it has a largest size, items of the least rank are left out first."""
    items = [item for file in report.files for item in form.items(file, view)]
    run = Run(Totals.of(report), report.failures, report.notes, view)
    if form.most is None:
        return _join(form, run, items, 0)
    most, largest = form.most()
    worst = sorted(range(len(items)), key=lambda place: -items[place].rank)
    count = min(len(items), most)
    while True:
        kept = [items[place] for place in sorted(worst[:count])]
        text = _join(form, run, kept, len(items) - count)
        size = len(text)
        if size > largest:  # it is sent compressed
            size = len(zlib.compress(text.encode("ascii")))
        if not count or size <= largest:
            return text
        count = min(count - 1, int(0.95 * count * largest / size))


def _join(form: Form, run: Run, items: Sequence[Item], left_out: int) -> str:
    head, between, tail = form.frame(run, len(items), left_out)
    return f"{head}{between.join(item.text for item in items)}{tail}"
