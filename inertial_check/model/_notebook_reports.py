"""Reports in notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from inertial_check.markup.html import (
    MOST_ROWS,
    color_word,
    count,
    escape_text,
    write_box,
    write_table,
)
from inertial_check.model import FileReport, Report, Severity
from inertial_check.model._notebook import read_bodies

_KINDS = {Severity.ERROR: "bad", Severity.WARNING: "doubtful", Severity.NOTE: "good"}


def show_report(report: Report) -> str:
    """Show a report: its findings, the most severe first, and its bodies in the triangle."""
    return _show_files(report.files, [*report.failures])


def show_file_report(file: FileReport) -> str:
    """Show the report on one document."""
    return _show_files((file,), [])


def _show_files(files: Sequence[FileReport], failures: Sequence[str]) -> str:
    findings = [(file, finding) for file in files for finding in file.findings]
    findings.sort(key=lambda each: -each[1].severity)  # stable: else as in the files
    bodies = [body for file in files for body in file.bodies]
    counts = [
        count(number, severity.word)
        for severity in sorted(Severity, reverse=True)
        if (number := sum(finding.severity == severity for _, finding in findings))
    ]
    said = ", ".join(counts) or ("incomplete" if failures else "no findings")
    subtitle = f"{count(len(bodies), 'body')} in {count(len(files), 'file')}: {said}"
    if failures:
        subtitle += f"; {count(len(failures), 'failure')}, the first: {failures[0]}"
    rows = [
        (
            color_word(finding.severity.word, _KINDS[finding.severity]),
            f"{finding.code} {finding.name}",
            escape_text(finding.body or ", ".join(finding.bodies[:3]) or "\N{EN DASH}"),
            escape_text(f"{finding.place.path or file.path}:{finding.place.line}"),
            escape_text(finding.message, 110),
        )
        for file, finding in findings[:MOST_ROWS]
    ]
    table = write_table(("", "rule", "body", "place", "message"), rows, len(findings), "findings")
    shown = read_bodies([body.name for body in bodies], [body.judgement for body in bodies])
    return write_box("Report", subtitle, *([table] if rows else []), shown.draw_triangle())
