"""Tables of counts for `summary`, as text, JSON, Markdown or CSV; all are the same on every run."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from inertial_check.reports.escaping import dump_json, markdown_text, printable
from inertial_check.reports.json import SCHEMA_VERSION, TOOL
from inertial_check.results.counts import ACTIONS, CountedGroup, Counts

FORMS = ("text", "json", "markdown", "csv")
"""Forms of a summary."""

_OVERVIEW: tuple[tuple[str, ...], ...] = (("upstream",), ("rule",), ("cause",), ("engine",))
"""Tables of a summary for which no dimensions are given."""

_LENGTH = 500
"""Longest name in a table of Markdown [characters]."""

_MOST_ROWS = 40
"""Largest number of rows of a table of text, of those that no dimensions were given for."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters by which spreadsheets take a text for a formula."""


class _Table:
    """A table of counts by dimensions.

    Args:
        counts: The counts.
        dimensions: The dimensions.
    """

    def __init__(self, counts: Counts, dimensions: Sequence[str]) -> None:
        self.dimensions = tuple(dimensions)
        self.groups = counts.project(dimensions)
        self._names = {kind.rule: kind.name for kind in counts.findings}
        self.noun = "findings" if {"rule", "cause", "severity"} & set(dimensions) else "bodies"
        self.actions = ACTIONS if "engine" in dimensions else ()

    @property
    def title(self) -> str:
        """The title: what is counted, and by what."""
        return f"{self.noun} by {' and '.join(self.dimensions)}"

    @property
    def head(self) -> list[str]:
        """The names of the columns."""
        return [*self.dimensions, self.noun, *self.actions]

    def cells(self, group: CountedGroup) -> list[str]:
        """The cells of a row, with the names of rules beside their codes."""
        keys = (
            f"{key} {self._names.get(key, '')}" if name == "rule" else key or "-"
            for name, key in zip(self.dimensions, group.keys, strict=True)
        )
        return [*keys, str(group.number), *(str(group.actions.get(a, 0)) for a in self.actions)]


def render(counts: Counts, dimensions: Sequence[str], form: str) -> str:
    """Render a summary.

    Args:
        counts: The counts.
        dimensions: What they are told apart by; none for one table each of the usual ones.
        form: One of FORMS.

    Raises:
        UsageError: A dimension is unknown or given twice.
    """
    wanted = [tuple(dimensions)] if dimensions else _OVERVIEW
    tables = [_Table(counts, each) for each in wanted]
    if form == "json":
        return _render_json(counts, tables)
    if form == "csv":
        return _render_csv(tables)
    if form == "markdown":
        return _render_markdown(counts, tables)
    most = None if dimensions else _MOST_ROWS
    return "\n".join([_describe_total(counts), *(_render_text(each, most) for each in tables)])


def _describe_total(counts: Counts) -> str:
    total = counts.total()
    words = [f"{number} {name.replace('_', ' ')}" for name, number in total.items()]
    return ", ".join(words) + "\n"


def _render_text(table: _Table, most: int | None) -> str:
    rows = [[printable(cell) for cell in table.cells(each)] for each in table.groups[:most]]
    widths = [max(map(len, column)) for column in zip(table.head, *rows, strict=True)]
    keys = len(table.dimensions)
    lines = [table.title]
    for row in (table.head, *rows):
        cells = [
            cell.ljust(width) if at < keys else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    if len(table.groups) > len(rows):
        by = ",".join(table.dimensions)
        lines.append(f"  and {len(table.groups) - len(rows)} more rows: --by {by} shows them")
    return "\n".join(lines) + "\n"


def _render_markdown(counts: Counts, tables: Sequence[_Table]) -> str:
    lines = [_describe_total(counts)]
    for table in tables:
        lines += [f"## {table.title[:1].upper()}{table.title[1:]}\n"]
        lines += list(write_markdown_table(table.head, [table.cells(g) for g in table.groups]))
    return "\n".join(lines)


def write_markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown, with an empty one at its end; cells are plain text."""
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    lines += ["| " + " | ".join(markdown_text(c, _LENGTH) for c in row) + " |" for row in rows]
    return [*lines, ""]


def _render_csv(tables: Sequence[_Table]) -> str:
    """Tables of comma-separated values, with an empty line between two."""
    texts = []
    for table in tables:
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(table.head)
        for group in table.groups:
            keys = [f"'{key}" if key.startswith(_FORMULA) else key for key in group.keys]
            writer.writerow(
                [*keys, group.number, *(group.actions.get(a, 0) for a in table.actions)]
            )
        texts.append(stream.getvalue())
    return "\n".join(texts)


def _render_json(counts: Counts, tables: Sequence[_Table]) -> str:
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        "summary": counts.total(),
        "tables": [
            {
                "by": list(table.dimensions),
                "counts": table.noun,
                "rows": [
                    {
                        **dict(zip(table.dimensions, group.keys, strict=True)),
                        table.noun: group.number,
                        **({"actions": dict(group.actions)} if table.actions else {}),
                    }
                    for group in table.groups
                ],
            }
            for table in tables
        ],
    }
    return dump_json(document, 1) + "\n"
