"""Texts that the reports share: colour, safe text, numbers with sensible digits, counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import floor, log10
from sys import float_info
from typing import NamedTuple

from inertial_check.model import Finding, Report, Severity
from inertial_check.reports.escaping import clip

_DIGITS = 6
"""Significant digits of a number for reading."""

PATH_LENGTH = 4096
"""Longest path that is shown in full [code points]; no system takes a longer one."""

_COLORS = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "path": "1",
    "code": "1",
    "label": "2",
}


_COLOR = re.compile("\x1b\\[[0-9;]*m")


class Style(NamedTuple):
    """Style of a terminal's text: with colours, or without."""

    color: bool

    def __call__(self, kind: str, text: str) -> str:
        """The text in the colour of its kind: error, warning, note, path, code, label."""
        return f"\x1b[{_COLORS[kind]}m{text}\x1b[0m" if self.color else text


def remove_colors(text: str) -> str:
    """The text without the colours of a style."""
    return _COLOR.sub("", text)


def location(style: Style, path: str, finding: Finding) -> str:
    """The place path:line:column, which editors and terminals turn into a link."""
    place = finding.place
    return f"{style('path', clip(place.path or path, PATH_LENGTH))}:{place.line}:{place.column}"


def number(value: float) -> str:
    """A number for reading, with six digits."""
    return f"{value:.{_DIGITS}g}"


def round_together(values: Iterable[float | None], digits: int) -> list[str]:
    """Numbers of one kind, none finer than a hundredth of the largest's last digit; - for None.

    Rounding noise beside the largest becomes 0.
    """
    known = list(values)
    largest = max((abs(value) for value in known if value), default=1.0)
    decimals = digits + 1 - floor(log10(largest))
    return ["-" if v is None else f"{round(v, decimals) + 0.0:.{digits}g}" for v in known]


def interval(low: float, high: float) -> str:
    """An interval, its ends rounded inwards: a printed end can be copied and still lies inside."""
    shown_low, shown_high = _inwards(low, up=True), _inwards(high, up=False)
    if float(shown_low) > float(shown_high):
        shown_low, shown_high = repr(low), repr(high)
    return f"{shown_low} to {shown_high}" if shown_low != shown_high else f"exactly {shown_low}"


def _inwards(value: float, up: bool) -> str:
    from inertial_check.inertia import tolerances

    value = max(-float_info.max, min(value, float_info.max))  # an end beyond float64
    # Relative to its size, the margin moves by no more than the entry. So an end that is shown
    # outside the interval by this slack is still accepted: the verdict's floor covers twice that.
    slack = tolerances.FLOOR_FACTOR / 2 * float_info.epsilon * abs(value)
    text = number(value)
    beyond = value - float(text) if up else float(text) - value
    if beyond <= slack:
        return text
    unit = 10.0 ** (floor(log10(abs(value))) - _DIGITS + 1)
    return number(value + unit if up else value - unit)


def summary(report: Report, complete: bool = True) -> str:
    """The numbers of files, bodies and findings, in one sentence.

    Args:
        report: The report.
        complete: Whether the run was not interrupted.
    """
    counts = [(report.count(severity), severity.word) for severity in reversed(Severity)]
    # A run that could not do its job does not say that there is nothing to find.
    clean = complete and not report.failures
    nothing = "no findings" if clean else "nothing found in what was checked"
    found = ", ".join(plural(count, word) for count, word in counts if count) or nothing
    if report.distinct < len(report.findings):
        found += f" ({report.distinct} distinct)"
    if report.suppressed:
        found += f"; {len(report.suppressed)} suppressed"
        if report.accepted:
            found += f", of which {report.accepted} accepted (known, with reason)"
    bodies, files = plural(report.body_count, "body"), plural(len(report.files), "file")
    failures = ""
    if report.failures:
        failures = f" {plural(len(report.failures), 'failure')}: not everything could be checked."
    return f"Checked {bodies} in {files}: {found}.{failures}"


def statistics(report: Report) -> str:
    """A line for each rule with its number of findings, most first; "" without findings."""
    counts = count_rules(report)
    width = max((len(str(count)) for count, _ in counts), default=0)
    return "".join(f"{count:>{width}}  {rule}\n" for count, rule in counts)


def count_rules(report: Report) -> list[tuple[int, str]]:
    """The number of findings of each rule, most first, with the rule's code and name."""
    counts = Counter((finding.code, finding.name) for finding in report.findings)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(count, f"{code} {name}") for (code, name), count in ordered]


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun.removesuffix('y') + 'ies' if noun.endswith('y') else noun + 's'}"
