"""The report as workflow commands, which GitHub Actions shows as annotations of the files.

GitHub shows the first ten errors, warnings and notices of a step each; all stand in its log.
"""

from __future__ import annotations

from inertial_check.model import FileReport, Finding, Report, Severity
from inertial_check.reports import View
from inertial_check.reports.details import lines_of_causes
from inertial_check.reports.identity import relative
from inertial_check.reports.text import clipped, plural, statistics, summary

SHOWN = 10
"""How many annotations of a kind GitHub shows a step."""

_LENGTH = 4_000
"""[code points] A longer message is cut."""

_NAME = 100

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(report: Report, view: View) -> str:
    """A command a finding, in file order, and one a failure; then a sentence on the whole run."""
    lines = [_command(file, finding) for file in report.files for finding in file.findings]
    lines += [f"::error title=inertial-check::{_data(line)}\n" for line in report.failures]
    if view.statistics:
        lines.append(statistics(report))
    if view.summary:
        lines.append(f"{summary(report)}{_hidden(report)}\n")
    return "".join(lines)


def _command(file: FileReport, finding: Finding) -> str:
    place = finding.place
    body = "" if finding.body is None else f" [{clipped(finding.body, _NAME)}]"
    properties: dict[str, str | int] = {
        "file": clipped(relative(place.path or file.path), _LENGTH),
        "line": place.line,
        "endLine": place.end_line,
    }
    if place.line == place.end_line:  # otherwise GitHub takes no columns
        properties |= {"col": place.column, "endColumn": place.end_column}
    properties["title"] = f"{finding.code} {finding.name}{body}"
    given = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    message = "%0A".join(_data(line) for line in (finding.message, *lines_of_causes(finding)))
    return f"::{_COMMANDS[finding.severity]} {given}::{message}\n"


def _data(text: str) -> str:
    """What stands after the last colons: without line ends, and a percent sign is escaped."""
    return clipped(text, _LENGTH).replace("%", "%25")


def _property(text: str) -> str:
    """The value of a property: what would end it is escaped, too."""
    return text.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def _hidden(report: Report) -> str:
    """What GitHub shows in its log only."""
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
