"""Report as workflow commands, which GitHub Actions shows as annotations of the files.

GitHub shows the first ten errors, warnings and notices of a step each; all are in its log.

Report for GitLab Code Quality: a JSON list of issues.

Report as JUnit XML for build servers: a suite for each file, a case for each body.

Report in the Reviewdog Diagnostic Format, for comments on the lines of a pull request.

A suggestion is the remedy. Columns are counted in bytes of UTF-8, as the
format asks; a column that is not known, in a line that is too long to be shown, is left out.
reviewdog posts messages as Markdown, so nothing in them is markup.

Badge of a repository: an SVG image with the number of bodies and what is wrong with them.

Addresses of the documentation: the Project-URL "Documentation" of the installed package.

Without it no report links anywhere: an address that is guessed would be a stranger's.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from inertial_check.checking.report import FileReport, Finding, Report, Severity
from inertial_check.documents.escaping import (
    clip,
    dump_json,
    escape_command,
    escape_property,
    guard_log,
    guard_xml,
    markdown_text,
)
from inertial_check.documents.files.access import Json
from inertial_check.documents.source import Place
from inertial_check.reports.grouping import find_guilty_place
from inertial_check.reports.json import fingerprint_of, fingerprints, normalize_path
from inertial_check.reports.terminal import describe_cause, list_causes, pinpoint
from inertial_check.reports.text import (
    Style,
    View,
    describe_account,
    location,
    plural,
    statistics,
    summary,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


SHOWN = 10
"""Number of annotations of a kind that GitHub shows for a step."""

_LENGTH = 4_000
"""Longest message that is shown in full [code points]."""

_NAME_LENGTH = 100
"""Longest name of a body that is shown in full [code points]."""

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render_github(report: Report, view: View) -> str:
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
        lines += [guard_log(f"{line}\n") for line in [describe_account(report.account)] if line]
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


_GITLAB_LENGTH = 4_000
"""Longest description that is shown in full [code points]."""

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render_gitlab(report: Report, view: View) -> str:
    """An issue for each finding, in file order, then for each failure; ASCII, one on each line."""
    issues = [
        _issue(file, finding, fingerprint)
        for file in report.files
        for finding, fingerprint in zip(
            file.findings, fingerprints(file, file.findings), strict=True
        )
    ]
    issues += [
        {
            "description": clip(line, _GITLAB_LENGTH),
            "check_name": "failure",
            "fingerprint": fingerprint_of(line),
            "severity": "blocker",
            "location": {"path": ".", "lines": {"begin": 1}},
        }
        for line in report.failures
    ]
    lines = ",\n".join(" " + dump_json(issue) for issue in issues)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def _issue(file: FileReport, finding: Finding, fingerprint: str) -> dict[str, Json]:
    place = pinpoint(finding)
    body = "" if finding.body is None else f"[{finding.body}] "
    text = "\n".join((clip(body + finding.message, _GITLAB_LENGTH), *list_causes(finding)))
    return {
        "description": f"{finding.code} {text}",
        "check_name": finding.name,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": normalize_path(place.path or file.path),
            "lines": {"begin": place.line, "end": place.end_line},
        },
    }


_JUNIT_LENGTH = 10_000
"""Longest name or message that is shown in full [code points]."""


def render_junit(report: Report, view: View) -> str:
    """XML, ASCII only. A finding at or above View.fail_on fails its case; others are its output."""
    from xml.etree.ElementTree import Element, indent, tostring

    root = Element("testsuites", name="inertial-check")
    for file in report.files:
        # Add the suite of a file: a case for the document, then one for each body.
        suite = _add(root, "testsuite", name=clip(file.path, _JUNIT_LENGTH))
        of_bodies: dict[str | None, list[Finding]] = defaultdict(list)
        ids = {body.id for body in file.bodies}
        for finding in file.findings:
            of_bodies[finding.body_id if finding.body_id in ids else None].append(finding)
        names = Counter(body.name for body in file.bodies)
        failing = [_add_case(suite, file, "(document)", of_bodies[None], view)]
        for body in file.bodies:
            name = body.name if names[body.name] == 1 else f"{body.name} {body.id}"
            failing.append(_add_case(suite, file, name, of_bodies[body.id], view))
        counts = {"tests": len(suite), "failures": sum(failing), "errors": 0, "skipped": 0}
        for name, number in counts.items():
            suite.set(name, str(number))
    if report.failures:
        # Add a suite of the failures of the run.
        total = str(len(report.failures))
        suite = _add(
            root, "testsuite", name="(run)", tests=total, failures="0", errors=total, skipped="0"
        )
        for index, line in enumerate(report.failures, 1):
            case = _add(suite, "testcase", classname="(run)", name=f"failure {index}")
            _add(case, "error", message=clip(line, _JUNIT_LENGTH), type="failure")
    for count in ("tests", "failures", "errors", "skipped"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    if view.statistics:
        _add(root, "system-out", statistics(report) + summary(report))
    indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{guard_xml(tostring(root).decode("ascii"))}\n'


def _add(parent: Element, tag: str, text: str | None = None, **attributes: str) -> Element:
    from xml.etree.ElementTree import SubElement

    element = SubElement(parent, tag, attributes)
    element.text = text
    return element


def _add_case(
    suite: Element, file: FileReport, name: str, findings: Sequence[Finding], view: View
) -> bool:
    """Add a case, and return whether it fails; it fails once, as some readers take no more."""
    case = _add(
        suite, "testcase", classname=clip(file.path, _JUNIT_LENGTH), name=clip(name, _JUNIT_LENGTH)
    )
    failing: list[Finding] = []
    others: list[Finding] = []
    for each in findings:
        fails = view.fail_on is not None and each.severity >= view.fail_on
        (failing if fails else others).append(each)
    if failing:
        message = clip(failing[0].message, _JUNIT_LENGTH)
        if len(failing) > 1:
            message += f" (and {len(failing) - 1} more)"
        kinds = " ".join(dict.fromkeys(each.code for each in failing))
        _add(case, "failure", _text(file, failing), message=message, type=kinds)
    if others:
        _add(case, "system-out", _text(file, others))
    return bool(failing)


def _text(file: FileReport, findings: Sequence[Finding]) -> str:
    lines = []
    for finding in findings:
        found = finding._replace(place=pinpoint(finding))
        where = location(Style(color=False), file.path, found)
        what = f"{finding.severity.word} {finding.code} {finding.name}"
        lines.append(f"{where}: {what}: {clip(finding.message, _JUNIT_LENGTH)}")
        lines += [f"  {line}" for line in list_causes(finding)]
    return "\n".join(lines)


_LABEL = "inertias"

_HEIGHT = 20
"""Height of the badge, as of other badges of README files [pixels]."""

_LETTER = 6.6
"""Width of a letter of Verdana at 11 pixels, on average [pixels]; textLength makes texts fit."""

_PADDING = 10
"""Space beside each of the two texts, both sides together [pixels]."""

_COLORS = {"broken": "#c92a2a", "doubtful": "#b35c00", "sound": "#2b8a3e", "unknown": "#5c636a"}
"""Colour of the right half; white text on each has a contrast of at least 4.5."""


def render_badge(report: Report, view: View) -> str:
    """Draw the badge; it states numbers only, and no text of a document."""
    text, kind = _describe(report)
    left, right = (round(_LETTER * len(each)) for each in (_LABEL, text))
    widths = (left + _PADDING, right + _PADDING)
    total = sum(widths)
    parts = (
        f'<rect width="{widths[0]}" height="{_HEIGHT}" fill="#343a40"/>',
        f'<rect x="{widths[0]}" width="{widths[1]}" height="{_HEIGHT}" fill="{_COLORS[kind]}"/>',
        f'<text x="{_PADDING / 2:g}" y="14" textLength="{left}">{_LABEL}</text>',
        f'<text x="{widths[0] + _PADDING / 2:g}" y="14" textLength="{right}">{text}</text>',
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{_HEIGHT}" role="img" '
        f'aria-label="{_LABEL}: {text}"><title>{_LABEL}: {text}</title>'
        f'<clipPath id="r"><rect width="{total}" height="{_HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
        f'fill="#fff">{"".join(parts)}</g></svg>\n'
    )


def _describe(report: Report) -> tuple[str, str]:
    """Say in a few words how the run ended, and choose the colour."""
    errors, warnings = report.count(Severity.ERROR), report.count(Severity.WARNING)
    bodies = report.body_count
    if errors:
        return f"{errors} error{'s' * (errors != 1)}", "broken"
    if report.failures:
        return "not everything checked", "unknown"
    if not bodies:
        return "no bodies", "unknown"
    if warnings:
        return f"{warnings} warning{'s' * (warnings != 1)}", "doubtful"
    return f"no errors in {bodies} bod{'ies' if bodies > 1 else 'y'}", "sound"


@cache
def find_address(label: str) -> str | None:
    """The address of the "documentation" or the "repository"; None if the package states none."""
    from importlib import metadata  # only for forms that link to it

    try:
        urls = metadata.metadata("inertial-check").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:  # run from its sources
        return None
    for text in urls:
        name, _, url = text.partition(",")
        if name.strip().casefold() == label and url.strip().startswith("https://"):
            return str(url.strip().rstrip("/"))
    return None


def find_rule_page(code: str) -> str | None:
    """The address of the page of a rule; None if the documentation is published nowhere."""
    base = find_address("documentation")
    return None if base is None else f"{base}/rules/{code}.html"


_RDJSON_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}
_MESSAGE_LENGTH = 10_000
"""Longest message that is shown in full [code points]."""

_RDJSON_NAME_LENGTH = 200
"""Longest name of a body that is shown in full [code points]."""

_INSIDE_WORD = re.compile(r"(?<=\w)\\_(?=\w)")
"""An escaped underscore that is no markup without its backslash, either."""

_CUT = "..."


def render_rdjson(report: Report, view: View) -> str:
    """A DiagnosticResult, ASCII only, with a line for each diagnostic."""
    source: dict[str, Json] = {"name": "inertial-check"}
    if (url := find_address("documentation")) is not None:
        source["url"] = url
    members = [f'"source": {dump_json(source)}']
    worst = max((finding.severity for finding in report.findings), default=None)
    if worst is not None:
        members.append(f'"severity": {dump_json(_RDJSON_SEVERITIES[worst.word])}')
    lines = [
        f"  {dump_json(_diagnostic(file, finding))}"
        for file in report.files
        for finding in file.findings
    ]
    listed = "[\n" + ",\n".join(lines) + "\n ]" if lines else "[]"
    members.append(f'"diagnostics": {listed}')
    return "{\n " + ",\n ".join(members) + "\n}\n"


def _diagnostic(file: FileReport, finding: Finding) -> dict[str, Json]:
    place = find_guilty_place(finding)
    code: dict[str, Json] = {"value": finding.code}
    if (url := find_rule_page(finding.code)) is not None:
        code["url"] = url
    # The message of a finding with its first cause, in two paragraphs of Markdown.
    body = "" if finding.body is None else f"{_plain(finding.body, _RDJSON_NAME_LENGTH)}: "
    text = f"{body}{_plain(finding.message, _MESSAGE_LENGTH)}"
    if finding.causes:
        cause = _plain(describe_cause(finding.causes[0]), _MESSAGE_LENGTH)
        text = f"{text}\n\nProbable cause: {cause}"
    diagnostic: dict[str, Json] = {
        "message": text,
        "location": {
            "path": normalize_path(place.path or file.path),
            "range": _range(finding, place),
        },
        "severity": _RDJSON_SEVERITIES[finding.severity.word],
        "code": code,
    }
    if finding.remedy is not None and finding.remedy.joined is not None:
        range_, text = finding.remedy.joined
        start = {"line": range_.line, "column": range_.column}
        end = {"line": range_.end_line, "column": range_.end_column}
        if range_.path == finding.place.path:  # a program takes it for the file of the finding
            suggestion: Json = {"range": {"start": start, "end": end}, "text": text}
            diagnostic["suggestions"] = [suggestion]
    return diagnostic


def _plain(text: str, length: int) -> str:
    return _INSIDE_WORD.sub("_", markdown_text(text, length))


def _range(finding: Finding, place: Place) -> dict[str, Json]:
    """The range of a place, whose end is exclusive; only its line if a column is not known."""
    start = _find_column(finding, place.line, place.column)
    end = _find_column(finding, place.end_line, place.end_column)
    if start is None or end is None or place[:2] == place[2:4]:
        return {"start": {"line": place.line}}
    return {
        "start": {"line": place.line, "column": start},
        "end": {"line": place.end_line, "column": end},
    }


def _find_column(finding: Finding, number: int, column: int) -> int | None:
    """The column in bytes of UTF-8, 1-based, of one in code points; None if it is not known."""
    lines = () if finding.excerpt is None else finding.excerpt.lines
    line = next((each for each in lines if each.number == number), None)
    if line is None:
        return None
    if line.number == finding.place.line:
        begins_cut = line.start != finding.place.column - 1
    else:
        begins_cut = line.text.startswith(_CUT)
    end = len(line.text) - (len(_CUT) if line.text.endswith(_CUT) else 0)
    if begins_cut or column - 1 > end:
        return None
    return len(line.text[: column - 1].encode("utf-8", "replace")) + 1
