"""Reports for people at a terminal: a paragraph for each finding, or a line."""

from __future__ import annotations

from inertial_check.model import Finding, Report
from inertial_check.reports import View
from inertial_check.reports.details import LABEL_WIDTH, BodyDetails, draw_excerpt
from inertial_check.reports.escaping import printable
from inertial_check.reports.text import Style, location, statistics, summary


def render_full(report: Report, view: View) -> str:
    """A paragraph for each finding, in file order, then counts if the view asks for them."""
    style = Style(view.color)
    parts = []
    for file in report.files:
        bodies = BodyDetails(file)
        parts += [_paragraph(style, file.path, bodies, finding) for finding in file.findings]
    if view.statistics:
        parts.append(statistics(report))
    if view.summary:
        parts.append(summary(report) + "\n")
    return "\n".join(part for part in parts if part)


def render_concise(report: Report, view: View) -> str:
    """A line `path:line:column: severity code [body] message` for each finding, then counts."""
    style = Style(view.color)
    lines = [
        f"{_title(style, file.path, finding)} {printable(finding.message)}\n"
        for file in report.files
        for finding in file.findings
    ]
    return "".join(lines) + (statistics(report) if view.statistics else "")


def _title(style: Style, path: str, finding: Finding, name: str = "") -> str:
    severity = style(finding.severity.word, finding.severity.word)
    body = "" if finding.body is None else f" [{printable(finding.body)}]"
    return f"{location(style, path, finding)}: {severity} {style('code', finding.code)}{name}{body}"


def _paragraph(style: Style, path: str, bodies: BodyDetails, finding: Finding) -> str:
    lines = [
        _title(style, path, finding, f" {finding.name}"),
        f"  {printable(finding.message)}",
    ]
    if finding.excerpt is not None:
        word = finding.severity.word
        lines += [f"  {line}" for line in draw_excerpt(finding.excerpt, style, word)]
    for label, text in bodies.details(finding):
        lines.append(f"    {style('label', f'{label:<{LABEL_WIDTH}}')} {text}")
    return "".join(line + "\n" for line in lines)
