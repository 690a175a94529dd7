"""The report as Markdown, for the summary of a job and for comments.

GitHub takes summaries of at most 1 MiB; what goes beyond is left out, details first and then the
least severe findings, and a line says how many.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import accumulate
from typing import NamedTuple

from inertial_check.model import FileReport, Finding, Report, Severity
from inertial_check.reports import View
from inertial_check.reports.details import Bodies
from inertial_check.reports.excerpt import numbered
from inertial_check.reports.text import Style, clipped, location, plural, summary

MOST_BYTES = 1_000_000
"""A little less than 1 MiB, so that other steps have something to say, too."""

_SLACK = 20_000
"""[bytes] Of them, for everything but findings and lists."""

_LENGTH = 2_000
"""[code points] A longer message is cut."""

_NAME = 200
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_PLAIN = Style(color=False)
_LABEL_WIDTH = 18


class _Entry(NamedTuple):
    """A finding as a row of the table and as a block of details."""

    severity: Severity
    row: str
    details: str


def render(report: Report, view: View) -> str:
    """Counts, a table of the findings in file order, and the details of each, folded."""
    entries = [entry for file in report.files for entry in _entries(file)]
    failures = _bullets("Could not be done", report.failures)
    notes = _bullets("Notes", report.notes)
    rules = _statistics(report) if view.statistics else ""
    room = MOST_BYTES - _SLACK - sum(_size(text) for text in (failures, notes, rules))
    rows = _fitting(entries, [_size(entry.row) for entry in entries], room)
    room -= sum(_size(entries[i].row) for i in rows)
    shown = [entries[i] for i in rows]
    blocks = _fitting(shown, [_size(entry.details) for entry in shown], room)
    parts = ["## inertial-check\n", f"{_text(summary(report), _LENGTH)}\n", failures]
    if shown:
        head = "| severity | where | body | finding |\n|---|---|---|---|\n"
        parts.append(head + "".join(entry.row for entry in shown))
    if len(shown) < len(entries):
        left_out = plural(len(entries) - len(shown), "finding")
        parts.append(f"{left_out} left out, the least severe: the report would be too long.\n")
    parts += [shown[i].details for i in blocks]
    if len(blocks) < len(shown):
        left_out = plural(len(shown) - len(blocks), "finding")
        parts.append(f"Details of {left_out} left out: the report would be too long.\n")
    return "\n".join(part for part in (*parts, rules, notes) if part)


def _entries(file: FileReport) -> list[_Entry]:
    bodies = Bodies(file)
    return [
        _Entry(finding.severity, _row(file, finding), _details(file, bodies, finding))
        for finding in file.findings
    ]


def _row(file: FileReport, finding: Finding) -> str:
    what = f"{finding.code} {finding.name}: {_text(finding.message, _LENGTH)}"
    body = "" if finding.body is None else _code(finding.body)
    where = _code(location(_PLAIN, file.path, finding))
    return f"| {finding.severity.word} | {where} | {body} | {what} |\n"


def _details(file: FileReport, bodies: Bodies, finding: Finding) -> str:
    """The details of a finding behind its title; "" where there are none."""
    lines: list[str] = []
    if finding.excerpt is not None:
        lines += numbered(finding.excerpt, _PLAIN, finding.severity.word)
    lines += [f"{label:<{_LABEL_WIDTH}} {text}" for label, text in bodies.details(finding)]
    if not lines:
        return ""
    body = "" if finding.body is None else f" {_html(finding.body)}"
    where = _html(location(_PLAIN, file.path, finding))
    return (
        f"<details><summary>{finding.severity.word} {finding.code}{body} {where}</summary>\n\n"
        f"{_fenced(lines)}\n</details>\n"
    )


def _fenced(lines: Sequence[str]) -> str:
    """A block of text; its fence is longer than any that stands in it."""
    text = "\n".join(lines)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}\n"


def _fitting(entries: Sequence[_Entry], sizes: Sequence[int], room: int) -> list[int]:
    """Which of them fit, the most severe first; in their own order."""
    worst = sorted(range(len(entries)), key=lambda i: -entries[i].severity)
    totals = accumulate(sizes[i] for i in worst)
    return sorted(i for i, total in zip(worst, totals, strict=True) if total <= room)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))


def _text(text: str, length: int) -> str:
    """Text in which nothing is markup and nobody is mentioned."""
    plain = escape(clipped(text, length), quote=False)
    return _unmentioned(_SPECIAL.sub(r"\\\1", plain))


def _code(text: str) -> str:
    """A name in a table, where Markdown still reads what HTML holds."""
    return f"<code>{_text(text, _NAME)}</code>"


def _html(text: str) -> str:
    """A name in a block of HTML, where Markdown reads nothing."""
    return f"<code>{_unmentioned(escape(clipped(text, _NAME), quote=False))}</code>"


def _unmentioned(text: str) -> str:
    return text.replace("@", "@<!-- -->")


def _bullets(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return f"**{title}**\n\n" + "".join(f"- {_text(line, _LENGTH)}\n" for line in lines)


def _statistics(report: Report) -> str:
    counts = Counter((finding.code, finding.name) for finding in report.findings)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if not ordered:
        return ""
    rows = "".join(f"| {count} | {code} {name} |\n" for (code, name), count in ordered)
    return f"| findings | rule |\n|---:|---|\n{rows}"
