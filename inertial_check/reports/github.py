"""Report as workflow commands, which GitHub Actions shows as annotations of the files.

GitHub shows the first ten errors, warnings and notices of a step each; all are in its log.
"""

from __future__ import annotations

from inertial_check.model import FileReport, Finding, Report, Severity
from inertial_check.reports import View
from inertial_check.reports.details import list_causes, pinpoint
from inertial_check.reports.escaping import clip, escape_command, escape_property
from inertial_check.reports.identity import normalize_path
from inertial_check.reports.text import plural, statistics, summary

SHOWN = 10
"""Number of annotations of a kind that GitHub shows for a step."""

_LENGTH = 4_000
"""Longest message that is shown in full [code points]."""

_NAME_LENGTH = 100
"""Longest name of a body that is shown in full [code points]."""

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(report: Report, view: View) -> str:
    """A command for each finding, in file order, and for each failure; then a summary."""
    lines = [_command(file, finding) for file in report.files for finding in file.findings]
    lines += [
        f"::error title=inertial-check::{escape_command(line, _LENGTH)}\n"
        for line in report.failures
    ]
    if view.statistics:
        lines.append(statistics(report))
    if view.summary:
        lines.append(f"{summary(report)}{_describe_hidden_findings(report)}\n")
    return "".join(lines)


def _command(file: FileReport, finding: Finding) -> str:
    place = pinpoint(finding)
    body = "" if finding.body is None else f" [{clip(finding.body, _NAME_LENGTH)}]"
    properties: dict[str, str | int] = {
        "file": clip(normalize_path(place.path or file.path), _LENGTH),
        "line": place.line,
        "endLine": place.end_line,
    }
    if place.line == place.end_line:  # otherwise GitHub takes no columns
        properties |= {"col": place.column, "endColumn": place.end_column}
    properties["title"] = f"{finding.code} {finding.name}{body}"
    given = ",".join(f"{name}={escape_property(str(value))}" for name, value in properties.items())
    message = "%0A".join(
        escape_command(line, _LENGTH) for line in (finding.message, *list_causes(finding))
    )
    return f"::{_COMMANDS[finding.severity]} {given}::{message}\n"


def _describe_hidden_findings(report: Report) -> str:
    """A sentence on the annotations that GitHub shows in its log only; "" without any."""
    counts = {severity: report.count(severity) for severity in reversed(Severity)}
    counts[Severity.ERROR] += len(report.failures)
    beyond = [
        plural(count - SHOWN, _COMMANDS[severity])
        for severity, count in counts.items()
        if count > SHOWN
    ]
    if not beyond:
        return ""
    return (
        f" GitHub shows {SHOWN} annotations of a kind for a step: {', '.join(beyond)} stand only "
        "in this log."
    )
