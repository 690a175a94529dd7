"""Report as Markdown, for the summary of a job and for comments.

GitHub takes summaries of at most 1 MiB. A longer report is shortened, details first and then the
least severe findings, and a line says how many are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from inertial_check.model import FileReport, Finding, Report, Severity
from inertial_check.reports import View
from inertial_check.reports.details import LABEL_WIDTH, BodyDetails, draw_excerpt
from inertial_check.reports.escaping import fence, html_code, markdown_code, markdown_text
from inertial_check.reports.text import Style, count_rules, location, plural, summary

MOST_BYTES = 1_000_000
"""Largest size of a report [bytes], a little less than 1 MiB: other steps write to it, too."""

_SLACK = 20_000
"""Part of it that is kept for everything but findings and lists [bytes]."""

_LENGTH = 2_000
"""Longest message that is shown in full [code points]."""

_NAME_LENGTH = 200
"""Longest name that is shown in full [code points]."""

_PLAIN = Style(color=False)


class _MarkdownFinding(NamedTuple):
    """A finding: its row of the table, and its block of details."""

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
    rows = _select_fitting(entries, [_size(entry.row) for entry in entries], room)
    room -= sum(_size(entries[i].row) for i in rows)
    shown = [entries[i] for i in rows]
    blocks = _select_fitting(shown, [_size(entry.details) for entry in shown], room)
    parts = ["## inertial-check\n", f"{markdown_text(summary(report), _LENGTH)}\n", failures]
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


def _entries(file: FileReport) -> list[_MarkdownFinding]:
    bodies = BodyDetails(file)
    return [
        _MarkdownFinding(finding.severity, _row(file, finding), _details(file, bodies, finding))
        for finding in file.findings
    ]


def _row(file: FileReport, finding: Finding) -> str:
    what = f"{finding.code} {finding.name}: {markdown_text(finding.message, _LENGTH)}"
    body = "" if finding.body is None else markdown_code(finding.body, _NAME_LENGTH)
    where = markdown_code(location(_PLAIN, file.path, finding), _NAME_LENGTH)
    return f"| {finding.severity.word} | {where} | {body} | {what} |\n"


def _details(file: FileReport, bodies: BodyDetails, finding: Finding) -> str:
    """The folded details of a finding, under a title; "" without details."""
    lines: list[str] = []
    if finding.excerpt is not None:
        lines += draw_excerpt(finding.excerpt, _PLAIN, finding.severity.word)
    lines += [f"{label:<{LABEL_WIDTH}} {text}" for label, text in bodies.details(finding)]
    if not lines:
        return ""
    body = "" if finding.body is None else f" {html_code(finding.body, _NAME_LENGTH)}"
    where = html_code(location(_PLAIN, file.path, finding), _NAME_LENGTH)
    return (
        f"<details><summary>{finding.severity.word} {finding.code}{body} {where}</summary>\n\n"
        f"{fence(lines)}\n\n</details>\n"
    )


def _select_fitting(
    entries: Sequence[_MarkdownFinding], sizes: Sequence[int], room: int
) -> list[int]:
    """Indices of the findings that fit into so many bytes, chosen by severity, in file order."""
    worst = sorted(range(len(entries)), key=lambda i: -entries[i].severity)
    totals = accumulate(sizes[i] for i in worst)
    return sorted(i for i, total in zip(worst, totals, strict=True) if total <= room)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))


def _bullets(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return f"**{title}**\n\n" + "".join(f"- {markdown_text(line, _LENGTH)}\n" for line in lines)


def _statistics(report: Report) -> str:
    rows = "".join(f"| {count} | {rule} |\n" for count, rule in count_rules(report))
    return f"| findings | rule |\n|---:|---|\n{rows}" if rows else ""
