"""Report for GitLab Code Quality: a JSON list of issues."""

from __future__ import annotations

from inertial_check.files.json import Json
from inertial_check.model import FileReport, Finding, Report, Severity
from inertial_check.reports import View
from inertial_check.reports.details import list_causes, pinpoint
from inertial_check.reports.escaping import clip, dump_json
from inertial_check.reports.identity import fingerprint_of, fingerprints, normalize_path

_LENGTH = 4_000
"""Longest description that is shown in full [code points]."""

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(report: Report, view: View) -> str:
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
            "description": clip(line, _LENGTH),
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
    text = "\n".join((clip(body + finding.message, _LENGTH), *list_causes(finding)))
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
