"""Reports for people at a terminal: groups of findings, a paragraph or a line for each finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from inertial_check.model import Finding, Report, Severity
from inertial_check.reports import View
from inertial_check.reports.closing import write_closing
from inertial_check.reports.escaping import printable
from inertial_check.reports.layout import count_rows, wrap
from inertial_check.reports.text import Style, location, plural, remove_colors

if TYPE_CHECKING:
    from inertial_check.reports.details import BodyDetails
    from inertial_check.reports.grouping import FindingGroup


def render_full(report: Report, view: View) -> str:
    """Groups of findings, worst first; if the view is verbose, a paragraph for each finding."""
    parts = _list_paragraphs(report, view) if view.verbose else _list_groups(report, view)
    parts.append(write_closing(report, view))
    return "\n".join(part for part in parts if part)


def render_concise(report: Report, view: View) -> str:
    """A line `path:line:column: severity code [body] message` for each finding, then counts."""
    style = Style(view.color)
    lines = [
        f"{_title(style, file.path, finding)} {printable(finding.message)}\n"
        for file in report.files
        for finding in file.findings
    ]
    return "".join(lines) + write_closing(report, view)


def _list_groups(report: Report, view: View) -> list[str]:
    """As many groups as the lines of the view allow, and a line that counts the others."""
    if not any(file.findings for file in report.files):
        return []
    from inertial_check.reports.grouped import GroupDrawing  # a sound model does not need these
    from inertial_check.reports.grouping import group_findings

    groups = group_findings(report)
    drawing = GroupDrawing(Style(view.color), view.width, complete=view.most_lines is None)
    room = None
    if view.most_lines is not None:
        closing = write_closing(report, view)
        room = view.most_lines - _count_rows(closing.splitlines(), view) - (1 if closing else 0)
    parts: list[str] = []
    used = 0
    for index, group in enumerate(groups):
        lines = drawing.draw(group)
        used += _count_rows(lines, view) + (1 if parts else 0)
        if room is not None and used + _keep_room(groups[index + 1 :], len(groups), view) > room:
            lines = _count_left_out(groups[index:], len(groups), view)
            parts.append("".join(f"{line}\n" for line in lines))
            break
        parts.append("".join(f"{line}\n" for line in lines))
    return parts


def _keep_room(rest: Sequence[FindingGroup], total: int, view: View) -> int:
    """The rows that the count of the groups which are left out may take, and empty ones."""
    return 1 + max(2, _count_rows(_count_left_out(rest, total, view), view)) if rest else 0


def _count_rows(lines: Iterable[str], view: View) -> int:
    """Count the rows of lines on a terminal, where colours take none."""
    return count_rows((remove_colors(line) if view.color else line for line in lines), view.width)


def _count_left_out(groups: Sequence[FindingGroup], total: int, view: View) -> list[str]:
    """The lines that count the groups which are left out; none if there are none."""
    if not groups:
        return []
    counts: Counter[Severity] = Counter()
    for group in groups:
        counts[group.severity] += group.findings
    listed = ", ".join(
        plural(counts[each], each.word) for each in reversed(Severity) if counts[each]
    )
    more = "more " if len(groups) < total else ""
    text = f"... and {plural(len(groups), f'{more}group')} with {listed}: --all shows them"
    return wrap(text, view.width)


def _list_paragraphs(report: Report, view: View) -> list[str]:
    from inertial_check.reports.details import BodyDetails  # nothing else of this form needs it

    style = Style(view.color)
    parts = []
    for file in report.files:
        bodies = BodyDetails(file)
        parts += [_paragraph(style, file.path, bodies, finding) for finding in file.findings]
    return parts


def _title(style: Style, path: str, finding: Finding, name: str = "") -> str:
    severity = style(finding.severity.word, finding.severity.word)
    body = "" if finding.body is None else f" [{printable(finding.body)}]"
    return f"{location(style, path, finding)}: {severity} {style('code', finding.code)}{name}{body}"


def _paragraph(style: Style, path: str, bodies: BodyDetails, finding: Finding) -> str:
    from inertial_check.reports.details import LABEL_WIDTH, draw_excerpt

    lines = [
        _title(style, path, finding, f" {finding.name}"),
        f"  {printable(finding.message)}",
    ]
    if finding.excerpt is not None:
        word = finding.severity.word
        lines += [f"  {line}" for line in draw_excerpt(finding.excerpt, style, word)]
    for label, text in bodies.details(finding):
        lines.append(f"    {style('label', f'{label:<{LABEL_WIDTH}}')} {text}")
    return "".join(line + "\n" for line in lines)
