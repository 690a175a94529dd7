"""Fillings as tables: every number with its interval, as text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from inertial_check.filling.result import FilledBody, Filling
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import six
from inertial_check.markup.html import escape_text
from inertial_check.model import ENTRIES
from inertial_check.reports.escaping import markdown_code, markdown_text

_LONGEST = 200
"""Largest number of characters of a text in a table."""

_COLUMNS = ("body", "result", "number", "value", "least possible", "largest possible", "")

_STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;
color-scheme:light dark;color:CanvasText;background:Canvas}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.15em .6em;border-bottom:1px solid rgba(128,128,128,.3)}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"""


class NumberRange(NamedTuple):
    """One number of a filled body, with what is possible.

    Attributes:
        name: "mass", "x", "y", "z" of the centre of mass, "ixx", ...
        unit: Its unit.
        value: The number.
        least: Least possible number.
        most: Largest possible number.
    """

    name: str
    unit: str
    value: float
    least: float
    most: float


def list_numbers(body: FilledBody) -> list[NumberRange]:
    """List the ten numbers of a body: mass, centre of mass, tensor about it; none if unfilled."""
    if body.parameters is None or body.interval is None:
        return []
    own, interval = body.parameters, body.interval
    found = [NumberRange("mass", "kg", float(own.mass), *map(float, interval.mass))]
    for axis, name in enumerate("xyz"):
        ends = map(float, interval.com[:, axis])
        found.append(NumberRange(name, "m", float(own.com[axis]), *ends))
    for entry, (name, value) in enumerate(zip(ENTRIES, six(own.inertia_com), strict=True)):
        ends = map(float, interval.inertia[:, entry])
        found.append(NumberRange(name, "kg m^2", float(value), *ends))
    return found


def write_lines(body: FilledBody) -> Iterator[str]:
    """Write a line of text for each number of a body."""
    for each in list_numbers(body):
        yield (
            f"{each.name:4} {each.value:.6g} {each.unit}, "
            f"{each.least:.3g} to {each.most:.3g} {each.unit} possible"
        )
    if body.interval is not None and not body.interval.exact:
        yield "the intervals are outer bounds: they hold, and may be wider than they need be"


def _describe_certainty(body: FilledBody) -> str:
    """How sure the mass of a body is, in a few words."""
    numbers = list_numbers(body)
    if not numbers:
        return ""
    mass = numbers[0]
    if mass.most - mass.least <= tolerances.MASS_KNOWN * mass.value:
        word = "known"
    else:
        word = "a guess" if body.guess else "within its interval"
    exact = body.interval is None or body.interval.exact
    return word if exact else f"{word}; outer bounds"


def _list_rows(filling: Filling) -> Iterator[tuple[str, ...]]:
    """Rows of the table: the numbers of each body, or one row that says why it has none."""
    for body in filling.bodies:
        result = f"{body.status}: {body.source or body.reason}"
        numbers = list_numbers(body) if body.status == "filled" else []
        if not numbers:
            yield (body.name, f"{body.status}: {body.reason}", "", "", "", "", "")
        for place, each in enumerate(numbers):
            first = place == 0
            yield (
                body.name if first else "",
                result if first else "",
                f"{each.name}, {each.unit}",
                f"{each.value:.6g}",
                f"{each.least:.3g}",
                f"{each.most:.3g}",
                _describe_certainty(body) if first else "",
            )


def write_markdown(fillings: Sequence[Filling]) -> str:
    """Write fillings as Markdown, a table for each model."""
    parts = []
    for filling in fillings:
        lines = [f"### {markdown_code(filling.fix.source.path, _LONGEST)}", ""]
        lines += [f"| {' | '.join(_COLUMNS)} |", "|---|---|---|--:|--:|--:|---|"]
        for row in _list_rows(filling):
            cells = (markdown_text(cell, _LONGEST) for cell in row)
            lines.append(f"| {' | '.join(cells)} |")
        lines += ["", *(f"- {markdown_text(note, 2 * _LONGEST)}" for note in filling.notes)]
        parts.append("\n".join(lines).rstrip() + "\n")
    return "\n".join(parts)


def write_html(fillings: Sequence[Filling]) -> str:
    """Write fillings as one HTML page without scripts and links, a table for each model."""
    heads = "".join(f"<th>{escape(column)}</th>" for column in _COLUMNS)
    sections = []
    for filling in fillings:
        rows = []
        for row in _list_rows(filling):
            cells = (
                f'<td class="n">{cell}</td>' if 3 <= place <= 5 else f"<td>{cell}</td>"
                for place, cell in enumerate(escape_text(text, _LONGEST) for text in row)
            )
            rows.append(f"<tr>{''.join(cells)}</tr>")
        notes = "".join(f"<li>{escape_text(note, 2 * _LONGEST)}</li>" for note in filling.notes)
        sections.append(
            f"<h2>{escape_text(filling.fix.source.path, _LONGEST)}</h2>"
            f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
            + (f"<ul>{notes}</ul>" if notes else "")
        )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\"><title>Filled inertials</title>"
        f"<style>{_STYLE}</style></head><body><h1>Filled inertials</h1>"
        "<p>Values deviate least from the nominal densities; between the least and the largest, "
        "every number is possible with what is known.</p>"
        f"{''.join(sections)}</body></html>\n"
    )
