"""The report for programs that read line by line: a JSON object a file, and one on the run."""

from __future__ import annotations

import json
from typing import Any

from inertial_check.model import Report
from inertial_check.reports import View
from inertial_check.reports.json import (
    SCHEMA_VERSION,
    TOOL,
    file_members,
    plain,
    run_members,
    statistics_members,
)


def render(report: Report, view: View) -> str:
    """One line a file, type "file", in the order of their paths; last the line of type "summary".

    The members are those of the JSON report. ASCII only.
    """
    lines: list[dict[str, Any]] = [
        {"type": "file", "schema_version": SCHEMA_VERSION, **file_members(file)}
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
    return "".join(json.dumps(plain(line), allow_nan=False) + "\n" for line in lines)
