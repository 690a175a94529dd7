"""Findings with the numbers behind them, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inertial_check.model import Finding, Report
from inertial_check.reports import View
from inertial_check.reports.text import (
    Style,
    interval,
    location,
    number,
    printable,
    rounded,
    statistics,
    summary,
)

_LABEL_WIDTH = 18
_SHORT = 4
"""Significant digits of what nobody copies."""


def render(report: Report, view: View) -> str:
    """A paragraph for each finding, in file order, then counts as asked for."""
    style = Style(view.color)
    parts = [
        _paragraph(style, file.path, finding) for file in report.files for finding in file.findings
    ]
    if view.statistics:
        parts.append(statistics(report))
    if view.summary:
        parts.append(summary(report) + "\n")
    return "\n".join(part for part in parts if part)


def _paragraph(style: Style, path: str, finding: Finding) -> str:
    severity = style(finding.severity.word, finding.severity.word)
    title = f"{style('code', finding.code)} {finding.name}"
    body = "" if finding.body is None else f" [{printable(finding.body)}]"
    lines = [
        f"{location(style, path, finding)}: {severity} {title}{body}",
        f"  {printable(finding.message)}",
    ]
    for label, text in _details(path, finding):
        lines.append(f"    {style('label', f'{label:<{_LABEL_WIDTH}}')} {text}")
    return "".join(line + "\n" for line in lines)


def _details(path: str, finding: Finding) -> Iterator[tuple[str, str]]:
    """Label and text of every number that the finding carries and a reader can use."""
    values = finding.values
    margin = values.get("margin")
    if margin is not None:
        yield "margin", f"{margin:.4g} ({100 * margin:.4g} %)"
    moments = values.get("principal_moments")
    if moments is not None:
        yield "principal moments", ", ".join(map(number, moments)) + " kg m^2"
    if _is_violated(values) and "admissible" in values:
        yield from _admissible(values["admissible"])
    if "equivalent_box" in values:
        yield "equivalent box", _box(values["equivalent_box"])
    witness = values.get("witness")
    if witness is not None:
        yield "negative along", f"({', '.join(rounded(witness, _SHORT))})"
    if finding.fix is not None:
        yield "fix", _command(path, finding.fix)


def _is_violated(values: Mapping[str, Any]) -> bool:
    """Whether a value would have to change; at the boundary every entry is as it may be."""
    margin, tolerance = values.get("margin"), values.get("tolerance", 0.0)
    return margin is not None and margin < -tolerance


def _admissible(intervals: dict[str, list[float] | None]) -> Iterator[tuple[str, str]]:
    """What an entry could be with the others as they are; entries that cannot help are left out."""
    helpful = [
        f"{entry} {interval(*ends)} kg m^2" for entry, ends in intervals.items() if ends is not None
    ]
    if not helpful:
        yield "admissible", "none alone"
        return
    yield "admissible", f"{helpful[0]} (one entry, the others as written)"
    for text in helpful[1:]:
        yield "", text


def _box(edges: list[float | None]) -> str:
    if all(edge is None for edge in edges):
        return "none has these moments"
    millimetres = [None if edge is None else 1000 * edge for edge in edges]
    return " x ".join(rounded(millimetres, _SHORT)) + " mm"


def _command(path: str, fix: str) -> str:
    from shlex import quote

    return f"inertial-check fix {'--unsafe ' if fix == 'unsafe' else ''}{quote(printable(path))}"
