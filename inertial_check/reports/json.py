"""The report for programs; `check.schema.json` beside this file describes it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from math import isfinite
from typing import Any

from inertial_check import __version__
from inertial_check.model import ENTRIES, BodyReport, FileReport, Finding, Report, Severity
from inertial_check.reports import View
from inertial_check.reports.details import disagreeing

SCHEMA_VERSION = "1"
TOOL = {"name": "inertial-check", "version": __version__}

_LEVELS_OF_LINES = 4
"""The document, its files, a file, its lists: each body and each finding is one line."""


def render(report: Report, view: View) -> str:
    """A JSON document, ASCII only: a name may hold what no encoding can.

    Numbers have full precision; NaN and the infinities are null.
    """
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        **run_members(report, view),
        "files": [file_members(file) for file in report.files],
    }
    document |= statistics_members(report, view)
    return _lines(plain(document), _LEVELS_OF_LINES) + "\n"


def run_members(report: Report, view: View) -> dict[str, Any]:
    """What is said of the whole run."""
    return {
        "summary": {
            "files": len(report.files),
            "bodies": len(report.bodies),
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
            "notes": report.count(Severity.NOTE),
            "suppressed": len(report.suppressed),
            "exit_code": view.exit_code,
        },
        "failures": list(report.failures),
        "notes": list(report.notes),
    }


def statistics_members(report: Report, view: View) -> dict[str, Any]:
    """The findings of each rule counted, where that is asked for."""
    if not view.statistics:
        return {}
    counts = Counter(finding.code for finding in report.findings)
    return {"statistics": dict(sorted(counts.items()))}


def file_members(file: FileReport) -> dict[str, Any]:
    """What is said of one document."""
    return {
        "path": file.path,
        "format": file.format,
        "model": file.model,
        "bodies": [_body(body) for body in file.bodies],
        "findings": [_finding(finding) for finding in file.findings],
    }


def plain(value: Any) -> Any:
    """The value with null for every number that JSON cannot write."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _body(body: BodyReport) -> dict[str, Any]:
    judgement = body.judgement
    return {
        "name": body.name,
        "id": body.id,
        "file": body.file,
        "line": body.line,
        "mass": judgement.mass,
        "com": judgement.p_BoBcm_B,
        "inertia": dict(zip(ENTRIES, judgement.I_BBcm_B, strict=True)),
        "verdict": judgement.verdict,
        "margin": judgement.margin,
        "tolerance": judgement.tolerance,
        "principal_moments": judgement.principal_moments,
        "equivalent_box": judgement.equivalent_box,
        "witness": judgement.witness,
        "engines": {name: each.action for name, each in body.predictions.items()},
        "engine_details": {
            name: {
                "action": each.action,
                "version": each.version,
                "message": each.message or None,
                "becomes": each.becomes or None,
            }
            for name, each in disagreeing(body).items()
        },
    }


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.word,
        "body": finding.body,
        "body_id": finding.body_id,
        "message": finding.message,
        "file": place.path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "values": finding.values,
        "fix": finding.fix,
        "causes": [each._asdict() for each in finding.causes],
    }


def _lines(value: Any, levels: int, indent: str = "") -> str:
    """JSON with a line for each item of the outer levels: quick to write, easy to read and diff."""
    if levels == 0 or not value or not isinstance(value, dict | list):
        return json.dumps(value, allow_nan=False)
    deeper = indent + " "
    if isinstance(value, dict):
        items = [f"{json.dumps(k)}: {_lines(v, levels - 1, deeper)}" for k, v in value.items()]
        opening, closing = "{", "}"
    else:
        items = [_lines(item, levels - 1, deeper) for item in value]
        opening, closing = "[", "]"
    inside = f",\n{deeper}".join(items)
    return f"{opening}\n{deeper}{inside}\n{indent}{closing}"
