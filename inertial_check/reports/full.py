"""Findings with the document's own lines and the numbers behind them, for people."""

from __future__ import annotations

from inertial_check.model import Finding, Report
from inertial_check.reports import View
from inertial_check.reports.details import Bodies
from inertial_check.reports.excerpt import numbered
from inertial_check.reports.text import Style, location, printable, statistics, summary

_LABEL_WIDTH = 18


def render(report: Report, view: View) -> str:
    """A paragraph for each finding, in file order, then counts as asked for."""
    style = Style(view.color)
    parts = []
    for file in report.files:
        bodies = Bodies(file)
        parts += [_paragraph(style, file.path, bodies, finding) for finding in file.findings]
    if view.statistics:
        parts.append(statistics(report))
    if view.summary:
        parts.append(summary(report) + "\n")
    return "\n".join(part for part in parts if part)


def _paragraph(style: Style, path: str, bodies: Bodies, finding: Finding) -> str:
    severity = style(finding.severity.word, finding.severity.word)
    title = f"{style('code', finding.code)} {finding.name}"
    body = "" if finding.body is None else f" [{printable(finding.body)}]"
    lines = [
        f"{location(style, path, finding)}: {severity} {title}{body}",
        f"  {printable(finding.message)}",
    ]
    if finding.excerpt is not None:
        lines += [f"  {line}" for line in numbered(finding.excerpt, style, finding.severity.word)]
    for label, text in bodies.details(finding):
        lines.append(f"    {style('label', f'{label:<{_LABEL_WIDTH}}')} {text}")
    return "".join(line + "\n" for line in lines)
