"""Fixes in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inertial_check.inertia._notebook import count_words
from inertial_check.markup.html import (
    MOST_ROWS,
    color_word,
    escape_text,
    write_box,
    write_number,
    write_table,
)

if TYPE_CHECKING:
    from inertial_check.fixing.result import BodyFix, Fix


def show_fix(fix: Fix) -> str:
    """Show a fix: what it does for each body that needs one, what it leaves first."""
    shown = sorted(
        (body for body in fix.bodies if body.status != "unchanged"), key=lambda body: body.intact
    )
    columns = ("body", "status", ">change", ">margin before", ">margin after", "reason")
    table = write_table(columns, map(_write_row, shown[:MOST_ROWS]), len(shown), "bodies")
    return write_box(
        "Fix",
        f"{fix.source.path} ({fix.format}): "
        + (count_words([body.status for body in fix.bodies]) or "no bodies"),
        *([table] if shown else []),
    )


def _write_row(body: BodyFix) -> tuple[str, ...]:
    change = f"{100 * body.relative_change:.3g} %" if body.new is not None else "\N{EN DASH}"
    return (
        escape_text(body.name),
        color_word(body.status, "good" if body.intact else "bad"),
        change,
        write_number(body.margin_before),
        write_number(body.margin),
        escape_text(body.reason, 110),
    )
