"""The report as GitLab Code Quality takes it in: a JSON list of issues."""

from __future__ import annotations

import json
from typing import Any

from inertial_check.model import FileReport, Finding, Report, Severity
from inertial_check.reports import View
from inertial_check.reports.details import lines_of_causes
from inertial_check.reports.identity import fingerprint_of, fingerprints, relative
from inertial_check.reports.text import clipped

_LENGTH = 4_000
"""[code points] A longer description is cut."""

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(report: Report, view: View) -> str:
    """An issue a finding, in file order, then one a failure; ASCII only, a line an issue."""
    issues = [
        _issue(file, finding, fingerprint)
        for file in report.files
        for finding, fingerprint in zip(
            file.findings, fingerprints(file, file.findings), strict=True
        )
    ]
    issues += [_failed(line) for line in report.failures]
    lines = ",\n".join(" " + json.dumps(issue) for issue in issues)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def _issue(file: FileReport, finding: Finding, fingerprint: str) -> dict[str, Any]:
    place = finding.place
    body = "" if finding.body is None else f"[{finding.body}] "
    text = "\n".join((clipped(body + finding.message, _LENGTH), *lines_of_causes(finding)))
    return {
        "description": f"{finding.code} {text}",
        "check_name": finding.name,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": relative(place.path or file.path),
            "lines": {"begin": place.line, "end": place.end_line},
        },
    }


def _failed(line: str) -> dict[str, Any]:
    """An issue that is about no file: GitLab knows no others, so it is one of the whole folder."""
    return {
        "description": clipped(line, _LENGTH),
        "check_name": "failure",
        "fingerprint": fingerprint_of(line),
        "severity": "blocker",
        "location": {"path": ".", "lines": {"begin": 1}},
    }
