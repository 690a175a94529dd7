"""Reports for programs: a JSON document, or a JSON object on each line.

The file `check.schema.json` beside this one describes the document. Both forms are ASCII only, as a
name may hold characters that no encoding can write. Numbers have full precision; NaN and the
infinities are null.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import isfinite

from inertial_check import __version__
from inertial_check.files.json import Json
from inertial_check.model import (
    ENTRIES,
    BodyReport,
    FileReport,
    Finding,
    FindingEntry,
    Report,
    Severity,
)
from inertial_check.reports import View
from inertial_check.reports.details import list_disagreements
from inertial_check.reports.escaping import dump_json

SCHEMA_VERSION = "1"
TOOL = {"name": "inertial-check", "version": __version__}

_LEVELS_OF_LINES = 4
"""Outer levels of the document with a line for each item: the document, its files, a file and its
lists. So each body and each finding is one line."""


def render(report: Report, view: View) -> str:
    """The report as one document."""
    document: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        **run_members(report, view),
        "files": [_file_members(file) for file in report.files],
    }
    document |= statistics_members(report, view)
    return _lines(document, _LEVELS_OF_LINES) + "\n"


def render_lines(report: Report, view: View) -> str:
    """A line of type "file" for each file, by path; last the line of type "summary"."""
    lines: list[dict[str, Json]] = [
        {"type": "file", "schema_version": SCHEMA_VERSION, **_file_members(file)}
        for file in report.files
    ]
    lines.append(
        {
            "type": "summary",
            "schema_version": SCHEMA_VERSION,
            "tool": TOOL,
            **run_members(report, view),
            **statistics_members(report, view),
        }
    )
    return "".join(_dump(line) + "\n" for line in lines)


def run_members(report: Report, view: View) -> dict[str, Json]:
    """The members about the whole run."""
    return {
        "summary": {
            "files": len(report.files),
            "bodies": len(report.bodies),
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
            "notes": report.count(Severity.NOTE),
            "distinct_findings": report.distinct,
            "suppressed": len(report.suppressed),
            "accepted": report.accepted,
            "exit_code": view.exit_code,
        },
        "failures": list(report.failures),
        "notes": list(report.notes),
    }


def statistics_members(report: Report, view: View) -> dict[str, Json]:
    """The number of findings of each rule, if the view asks for it."""
    if not view.statistics:
        return {}
    counts = Counter(finding.code for finding in report.findings)
    return {"statistics": dict(sorted(counts.items()))}


def _file_members(file: FileReport) -> dict[str, Json]:
    """The members about one file."""
    return {
        "path": file.path,
        "format": file.format,
        "model": file.model,
        "bodies": [_body(body) for body in file.bodies],
        "findings": [_finding(finding) for finding in file.findings],
    }


_PLAIN = frozenset({str, int, bool, type(None)})
"""Classes of values that JSON can write as they are."""


def plain(value: object) -> object:
    """The value with null in place of NaN and infinities, which JSON cannot write."""
    if value.__class__ in _PLAIN:  # most values; subclasses are asked for below
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, str | int):
        return value
    if isinstance(value, dict | Mapping):  # a dict is known at once, the class of others is asked
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _body(body: BodyReport) -> dict[str, Json]:
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
            for name, each in list_disagreements(body).items()
        },
    }


def _finding(finding: Finding) -> dict[str, Json]:
    place = finding.place
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.word,
        "body": finding.body,
        "body_id": finding.body_id,
        "bodies": list(finding.bodies),
        "message": finding.message,
        "file": place.path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "values": finding.values,
        "fix": finding.fix,
        "causes": [each._asdict() for each in finding.causes],
        "no_cause": finding.no_cause or None,
        "entries": [_entry(each) for each in finding.entries],
    }


def _entry(entry: FindingEntry) -> dict[str, Json]:
    """A number that a finding is about; what is as usual is left out."""
    place = entry.place
    members: dict[str, Json] = {
        "name": entry.name,
        "text": entry.text,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }
    if place.path is not None:
        members["path"] = place.path
    if not entry.literal:
        members["computed"] = True
    if entry.body_id is not None:
        members["body_id"] = entry.body_id
    return members


def _dump(value: object) -> str:
    """JSON in one line; only what the encoder refuses is made plain before, which takes longer."""
    try:
        return dump_json(value)
    except (TypeError, ValueError):  # other mappings than dict; NaN and infinities
        return dump_json(plain(value))


def _lines(value: object, levels: int, indent: str = "") -> str:
    """JSON with a line for each item of the outer levels: quick to write, easy to read and diff."""
    if levels == 0 or not value or not isinstance(value, dict | list):
        return _dump(value)
    deeper = indent + " "
    if isinstance(value, dict):
        items = [f"{dump_json(k)}: {_lines(v, levels - 1, deeper)}" for k, v in value.items()]
        opening, closing = "{", "}"
    else:
        items = [_lines(item, levels - 1, deeper) for item in value]
        opening, closing = "[", "]"
    inside = f",\n{deeper}".join(items)
    return f"{opening}\n{deeper}{inside}\n{indent}{closing}"
