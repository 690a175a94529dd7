"""Report in the Reviewdog Diagnostic Format, for comments on the lines of a pull request.

A suggestion is the edit that undoes the first cause. Columns are counted in bytes of UTF-8, as the
format asks; a column that is not known, in a line that is too long to be shown, is left out.
reviewdog posts messages as Markdown, so nothing in them is markup.
"""

from __future__ import annotations

import re

from inertial_check.files.json import Json
from inertial_check.model import ExcerptLine, FileReport, Finding, Place, Report
from inertial_check.reports import View
from inertial_check.reports.details import describe_cause
from inertial_check.reports.escaping import dump_json, markdown_text
from inertial_check.reports.grouping import find_guilty_place
from inertial_check.reports.homepage import find_documentation, find_rule_page
from inertial_check.reports.identity import normalize_path

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}
_MESSAGE_LENGTH = 10_000
"""Longest message that is shown in full [code points]."""

_NAME_LENGTH = 200
"""Longest name of a body that is shown in full [code points]."""

_INSIDE_WORD = re.compile(r"(?<=\w)\\_(?=\w)")
"""An escaped underscore that is no markup without its backslash, either."""

_CUT = "..."


def render(report: Report, view: View) -> str:
    """A DiagnosticResult, ASCII only, with a line for each diagnostic."""
    source: dict[str, Json] = {"name": "inertial-check"}
    if (url := find_documentation()) is not None:
        source["url"] = url
    members = [f'"source": {dump_json(source)}']
    worst = max((finding.severity for finding in report.findings), default=None)
    if worst is not None:
        members.append(f'"severity": {dump_json(_SEVERITIES[worst.word])}')
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
    body = "" if finding.body is None else f"{_plain(finding.body, _NAME_LENGTH)}: "
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
        "severity": _SEVERITIES[finding.severity.word],
        "code": code,
    }
    if finding.cause_edit is not None:
        edit = finding.cause_edit
        suggestion_place = edit.range
        diagnostic["suggestions"] = [
            {
                "range": {
                    "start": {"line": suggestion_place.line, "column": suggestion_place.column},
                    "end": {
                        "line": suggestion_place.end_line,
                        "column": suggestion_place.end_column,
                    },
                },
                "text": edit.text,
            }
        ]
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
    if (
        line is None
        or _begins_cut(finding, line)
        or column - 1 > (len(line.text) - (len(_CUT) if line.text.endswith(_CUT) else 0))
    ):
        return None
    return len(line.text[: column - 1].encode("utf-8", "replace")) + 1


def _begins_cut(finding: Finding, line: ExcerptLine) -> bool:
    """Whether the beginning of a line is not in the excerpt."""
    if line.number == finding.place.line:
        return line.start != finding.place.column - 1
    return line.text.startswith(_CUT)
