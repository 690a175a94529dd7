"""Models and reports in notebooks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertial_check.inertia._notebook import ShownBodies, count_words
from inertial_check.markup.html import (
    MOST_ROWS,
    color_word,
    count,
    escape_text,
    write_box,
    write_table,
)
from inertial_check.model import FileReport, Judgement, Model, Report, Severity
from inertial_check.model.judging import judge

_KINDS = {Severity.ERROR: "bad", Severity.WARNING: "doubtful", Severity.NOTE: "good"}


def show_model(model: Model) -> str:
    """Show a model: its bodies, the worst first."""
    shown = _read_bodies([body.name for body in model.bodies], judge(model))
    words = [count(len(model.bodies), "body"), count_words(shown.verdicts)]
    return write_box(
        escape_text(f"Model {model.name}".rstrip()),
        f"{model.source.path} ({model.format}): {': '.join(filter(None, words))}",
        shown.write_table(),
        shown.draw_triangle(),
    )


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
    shown = _read_bodies([body.name for body in bodies], [body.judgement for body in bodies])
    return write_box("Report", subtitle, *([table] if rows else []), shown.draw_triangle())


def _read_bodies(names: Sequence[str], judgements: Sequence[Judgement]) -> ShownBodies:
    def column(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return np.array([getattr(each, name) for each in judgements], dtype=np.float64)

    return ShownBodies(
        names,
        column("mass"),
        column("principal_moments").reshape(-1, 3),
        column("margin"),
        [each.verdict for each in judgements],
    )
