"""Report as Markdown, for the summary of a job and for comments on a pull request.

Findings are grouped as on a terminal: a row of the table is one mistake, with the number of its
bodies. GitHub takes comments of at most 65,536 characters and summaries of at most 1 MiB; a report
keeps to the smaller limit, so that one text serves for both. A longer one is shortened, details
first and then the last groups, and a line says how many findings are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from inertial_check.checking.report import Report
from inertial_check.documents.escaping import clip, fence, html_code, markdown_code, markdown_text
from inertial_check.reports.grouping import FindingGroup, GroupPlace, group_findings
from inertial_check.reports.terminal import LABEL_WIDTH, BodyDetails, draw_excerpt
from inertial_check.reports.text import (
    Style,
    View,
    count_rules,
    cut_sentence,
    cut_text,
    describe_account,
    plural,
    summary,
)

MOST_CHARACTERS = 65_536
"""Largest size of a comment [UTF-16 code units]."""

_SLACK = 2_000
"""Part of it that is kept for everything but findings and lists [UTF-16 code units]."""

_LIST_SIZE = 8_000
"""Largest size of the list of failures, and of that of notes [UTF-16 code units]."""

_LENGTH = 2_000
"""Longest message that is shown in full [code points]."""

_ROW_LENGTH = 200
"""Length of a message to which a row of the table is cut at the end of a clause [columns]."""

_NAME_LENGTH = 200
"""Longest name that is shown in full [code points]."""

_MOST_PLACES = 20
"""Largest number of places that the details of a group list."""


def render(report: Report, view: View) -> str:
    """Counts, a table of the groups of findings, worst first, and their details, folded."""
    groups = group_findings(report)
    rows = [_row(group) for group in groups]
    failures = _bullets("Could not be done", report.failures)
    notes = _bullets("Notes", report.notes)
    counted = count_rules(report) if view.statistics else ()
    rules = "".join(f"| {count} | {rule} |\n" for count, rule in counted)
    rules = f"| findings | rule |\n|---:|---|\n{rules}" if rules else ""
    room = MOST_CHARACTERS - _SLACK - sum(_size(text) for text in (failures, notes, rules))
    shown = _count_fitting(rows, room)
    bodies = {
        file.path: BodyDetails(file, report.options) for file in report.files if file.findings
    }
    details = [_details(group, bodies) for group in groups[:shown]]
    detailed = _count_fitting(details, room - sum(map(_size, rows[:shown])))
    told = f"{summary(report)} {describe_account(report.account)}".rstrip()
    parts = ["## inertial-check\n", f"{markdown_text(told, _LENGTH)}\n", failures]
    if shown:
        head = "| severity | where | body | finding |\n|---|---|---|---|\n"
        parts.append(head + "".join(rows[:shown]))
    if shown < len(groups):
        left_out = _count(groups[shown:])
        parts.append(f"{left_out} left out, the last in order: the report would be too long.\n")
    parts += details[:detailed]
    if detailed < shown:
        left_out = _count(groups[detailed:shown])
        parts.append(f"Details of {left_out} left out: the report would be too long.\n")
    return "\n".join(part for part in (*parts, rules, notes) if part)


def _count(groups: Sequence[FindingGroup]) -> str:
    """The number of findings of groups, in words."""
    found = plural(sum(group.findings for group in groups), "finding")
    return f"{found} in {plural(len(groups), 'group')}"


def _row(group: FindingGroup) -> str:
    what = f"{group.code} {group.name}: {markdown_text(_shorten(group.message), _LENGTH)}"
    if group.cause is not None:
        cause = markdown_text(group.cause.cause, _NAME_LENGTH)
        what += f"; probable cause: {cause} ({100 * group.cause.confidence:.0f} %)"
    finding = group.representative.finding
    if group.findings > 1 or finding.body is None:
        body = _count_places(group)
    else:
        body = markdown_code(finding.body, _NAME_LENGTH)
    where = markdown_code(_locate(_find_shown_place(group)), _NAME_LENGTH)
    return f"| {group.severity.word} | {where} | {body} | {what} |\n"


def _shorten(message: str) -> str:
    """A message for a row of the table: its first clauses; the details have the whole."""
    return cut_text(cut_sentence(clip(message, _LENGTH), _ROW_LENGTH), 2 * _ROW_LENGTH)


def _count_places(group: FindingGroup) -> str:
    """The number of bodies and files of a group; "" for one finding on a document."""
    if not group.bodies:
        return "" if group.files == 1 else plural(group.files, "file")
    bodies = plural(group.bodies, "body")
    return bodies if group.files == 1 else f"{bodies} in {plural(group.files, 'file')}"


def _find_shown_place(group: FindingGroup) -> GroupPlace:
    """The place of the representative of a group."""
    at = next(i for i, each in enumerate(group.members) if each is group.representative)
    return group.places[at]


def _locate(place: GroupPlace) -> str:
    return f"{clip(place.path, _NAME_LENGTH)}:{place.line}:{place.column}"


def _details(group: FindingGroup, bodies: Mapping[str, BodyDetails]) -> str:
    """The folded details of a group: those of its representative, the command, its places.

    Args:
        group: The group.
        bodies: The details of the bodies of each file, by its path.
    """
    file, finding = group.representative
    message = clip(group.message, _LENGTH)
    lines = [message] if _shorten(message) != message else []
    if finding.excerpt is not None:
        lines += draw_excerpt(finding.excerpt, Style(color=False), finding.severity.word)
    rows = [(row.label, row.text) for row in bodies[file.path].details(finding)]
    rows = [row for row in rows if row[0] != "fix" or group.command is None]
    if group.command is not None and group.command not in (text for _, text in rows):
        more = f" and {plural(group.more_files, 'more file')}" if group.more_files else ""
        rows.append(("fix", f"{group.command}{more}"))
    lines += [f"{label:<{LABEL_WIDTH}} {text}" for label, text in rows]
    if group.findings > 1:
        # A line for each of the first places of a group, and how many more there are.
        places_lines = ["", f"{'places':<{LABEL_WIDTH}} {plural(len(group.places), 'finding')}"]
        for place in group.places[:_MOST_PLACES]:
            places_body = "" if place.body is None else f" [{clip(place.body, _NAME_LENGTH)}]"
            places_lines.append(f"  {_locate(place)}{places_body}")
        if len(group.places) > _MOST_PLACES:
            places_lines.append(f"  and {len(group.places) - _MOST_PLACES} more")
        lines += places_lines
    if not lines:
        return ""
    body = _count_places(group) if group.findings > 1 else ""
    if group.findings == 1 and finding.body is not None:
        body = html_code(finding.body, _NAME_LENGTH)
    where = html_code(_locate(_find_shown_place(group)), _NAME_LENGTH)
    title = " ".join(filter(None, (group.severity.word, group.code, body, where)))
    return f"<details><summary>{title}</summary>\n\n{fence(lines)}\n\n</details>\n"


def _count_fitting(texts: Sequence[str], room: int) -> int:
    """Number of texts, from the first, that fit into so many UTF-16 code units."""
    return sum(total <= room for total in accumulate(map(_size, texts)))


def _size(text: str) -> int:
    """Size of a text [UTF-16 code units]; a lone surrogate is written as an escape."""
    return len(text) + sum(6 if "\ud800" <= char <= "\udfff" else char > "\uffff" for char in text)


def _bullets(title: str, lines: Sequence[str]) -> str:
    """A titled list of lines; the last ones are left out where there are too many."""
    if not lines:
        return ""
    bullets = [f"- {markdown_text(line, _LENGTH)}\n" for line in lines]
    shown = bullets[: _count_fitting(bullets, _LIST_SIZE)]
    if len(shown) < len(bullets):
        shown.append(f"- and {len(bullets) - len(shown)} more\n")
    return f"**{title}**\n\n{''.join(shown)}"
