"""HTML fragments for notebooks: escaped texts, bounded tables, and the box around them.

A fragment has no script, no style sheet and no link; colours are those of the notebook, so that it
can be read in light and in dark ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

LONGEST = 60
"""Largest number of characters of a text in a cell; a longer one loses its middle."""

MOST_ROWS = 10
"""Largest number of rows of a table; the others are counted."""

_CELL = "padding:.15em .6em;border-bottom:1px solid rgba(128,128,128,.25);"
_SIDES = {
    "left": "text-align:left;overflow-wrap:anywhere",
    "right": "text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums",
}
_COLORS = {"bad": "#d55e00", "doubtful": "#b8860b"}
"""Colours of words that name a problem; both can be read on white and on black."""


class Fragment(str):
    """HTML that is finished: its texts are escaped."""

    __slots__ = ()


def escape_text(text: str, longest: int = LONGEST) -> Fragment:
    """Escape a text that anybody may have written, on one line and without its middle if long.

    Control characters, and those that change the direction of a line, are written as escapes.
    """
    if len(text) > longest:
        half = (longest - 1) // 2
        text = f"{text[:half]}\N{HORIZONTAL ELLIPSIS}{text[-half:]}"
    if not text.isprintable():
        text = "".join(
            char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
        )
    # bdi keeps letters that run from right to left from turning what stands beside them.
    return Fragment(f"<bdi>{escape(text)}</bdi>")


def write_number(value: float, digits: int = 3) -> str:
    """Write a number in a cell; a dash where there is none."""
    return "\N{EN DASH}" if math.isnan(value) else f"{value:.{digits}g}"


def color_word(word: str, kind: str) -> Fragment:
    """Write a word in the colour of its kind: "bad", "doubtful", or anything else for none."""
    color = _COLORS.get(kind)
    style = f' style="color:{color}"' if color else ""
    return Fragment(f"<span{style}>{escape(word)}</span>")


def write_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], total: int, noun: str
) -> Fragment:
    """Write a table of the first rows, and count the others.

    Args:
        columns: Heads of the columns; one that begins with ">" has numbers.
        rows: Texts of the cells; a Fragment is not escaped. At most MOST_ROWS are used.
        total: Number of all rows.
        noun: Plural of what a row is, for the count.
    """
    sides = [_SIDES["right" if column.startswith(">") else "left"] for column in columns]
    heads = "".join(
        f'<th style="{_CELL}{side}">{escape(column.lstrip(">"))}</th>'
        for column, side in zip(columns, sides, strict=True)
    )
    body, shown = [], 0
    for row in rows:
        if shown == MOST_ROWS:
            break
        cells = "".join(
            f'<td style="{_CELL}{side}">{_finish(cell)}</td>'
            for cell, side in zip(row, sides, strict=True)
        )
        body.append(f"<tr>{cells}</tr>")
        shown += 1
    left = total - shown
    more = f'<div style="opacity:.7;padding:.2em .6em">and {left} more {noun}</div>' if left else ""
    return Fragment(
        f'<div><table style="border-collapse:collapse;font-size:90%;background:none;color:inherit">'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table>{more}</div>"
    )


def count(number: int, noun: str) -> str:
    """Write a number with its noun: "1 body", "2 bodies"."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def write_box(title: str, subtitle: str, *parts: Fragment) -> Fragment:
    """Write a titled box with parts beside each other; a Fragment is not escaped."""
    return Fragment(
        '<div style="color:inherit;max-width:100%;overflow-x:auto">'
        f'<div style="font-weight:600">{_finish(title)}</div>'
        f'<div style="opacity:.8">{_finish(subtitle)}</div>'
        '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">'
        f"{''.join(parts)}</div></div>"
    )


def _finish(text: str) -> str:
    return text if isinstance(text, Fragment) else escape_text(text, 4 * LONGEST)
