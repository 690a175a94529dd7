"""What the reports for people share: colour, safe text, numbers with sensible digits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import floor, log10
from sys import float_info
from typing import NamedTuple

from inertial_check.model import Finding, Report, Severity

_DIGITS = 6
_PATH = 4096
"""[code points] No system takes a longer path."""

_COLORS = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "path": "1",
    "code": "1",
    "label": "2",
}


class Style(NamedTuple):
    """Colours, or none."""

    color: bool

    def __call__(self, kind: str, text: str) -> str:
        """The text as this kind of text looks: error, warning, note, path, code, label."""
        return f"\x1b[{_COLORS[kind]}m{text}\x1b[0m" if self.color else text


def printable(text: str) -> str:
    """The text on one line: what would move a cursor or not show is escaped."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def clipped(text: str, length: int) -> str:
    """The text on one line, and no longer than this plus a word about what is left out."""
    if len(text) > length:
        return f"{printable(text[:length])}... ({len(text) - length} more characters)"
    return printable(text)


def location(style: Style, path: str, finding: Finding) -> str:
    """path:line:column, as editors and terminals follow it."""
    place = finding.place
    return f"{style('path', clipped(place.path or path, _PATH))}:{place.line}:{place.column}"


def number(value: float) -> str:
    """A number for reading."""
    return f"{value:.{_DIGITS}g}"


def rounded(values: Iterable[float | None], digits: int) -> list[str]:
    """Numbers of one kind, none finer than a hundredth of the largest's last digit; - for none.

    What is rounding noise beside the largest is then 0.
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

    # The margin moves by no more than the entry does, relative to its size: the verdict's floor
    # covers twice this.
    slack = tolerances.FLOOR_FACTOR / 2 * float_info.epsilon * abs(value)
    text = number(value)
    beyond = value - float(text) if up else float(text) - value
    if beyond <= slack:
        return text
    unit = 10.0 ** (floor(log10(abs(value))) - _DIGITS + 1)
    return number(value + unit if up else value - unit)


def summary(report: Report) -> str:
    """What was checked and how much was found, in one sentence."""
    counts = [(report.count(severity), severity.word) for severity in reversed(Severity)]
    found = ", ".join(plural(count, word) for count, word in counts if count) or "no findings"
    if report.suppressed:
        found += f"; {len(report.suppressed)} suppressed"
    bodies, files = plural(len(report.bodies), "body"), plural(len(report.files), "file")
    return f"Checked {bodies} in {files}: {found}."


def statistics(report: Report) -> str:
    """How often each rule spoke, most often first, one line each; "" where none did."""
    counts = Counter((finding.code, finding.name) for finding in report.findings)
    width = max((len(str(count)) for count in counts.values()), default=0)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return "".join(f"{count:>{width}}  {code} {name}\n" for (code, name), count in ordered)


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun.removesuffix('y') + 'ies' if noun.endswith('y') else noun + 's'}"
