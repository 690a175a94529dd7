"""One line a finding: path:line:column: severity code [body] message."""

from __future__ import annotations

from inertial_check.model import Finding, Report
from inertial_check.reports import View
from inertial_check.reports.text import Style, location, printable, statistics


def render(report: Report, view: View) -> str:
    """The findings, in file order; with view.statistics the counts of the rules after them."""
    style = Style(view.color)
    lines = [_line(style, file.path, finding) for file in report.files for finding in file.findings]
    return "".join(lines) + (statistics(report) if view.statistics else "")


def _line(style: Style, path: str, finding: Finding) -> str:
    severity = style(finding.severity.word, finding.severity.word)
    code = style("code", finding.code)
    body = "" if finding.body is None else f" [{printable(finding.body)}]"
    message = printable(finding.message)
    return f"{location(style, path, finding)}: {severity} {code}{body} {message}\n"
