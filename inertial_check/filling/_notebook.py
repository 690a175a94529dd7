"""Fillings in notebooks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from inertial_check.filling.tables import list_numbers
from inertial_check.markup.html import (
    MOST_ROWS,
    Fragment,
    color_word,
    escape_text,
    write_box,
    write_table,
)

if TYPE_CHECKING:
    from inertial_check.filling.result import FilledBody, Filling


def show_filling(filling: Filling) -> str:
    """Show a filling: the mass of each body with its interval, those that are left first."""
    shown = sorted(filling.bodies, key=lambda body: body.status == "filled")
    columns = ("body", "status", ">mass [kg]", ">possible [kg]", "", "from")
    table = write_table(columns, map(_write_row, shown[:MOST_ROWS]), len(shown), "bodies")
    counts = Counter(body.status for body in filling.bodies)
    words = ", ".join(f"{count} {word}" for word, count in counts.items()) or "no bodies"
    return write_box(
        "Filling",
        f"{filling.fix.source.path} ({filling.fix.format}): {words}",
        *([table] if shown else []),
    )


def _write_row(body: FilledBody) -> tuple[str | Fragment, ...]:
    numbers = list_numbers(body)
    mass = f"{numbers[0].value:.4g}" if numbers else "\N{EN DASH}"
    spread = f"{numbers[0].least:.3g} to {numbers[0].most:.3g}" if numbers else "\N{EN DASH}"
    return (
        escape_text(body.name),
        color_word(body.status, "good" if body.status == "filled" else "bad"),
        mass,
        spread,
        color_word("guess", "doubtful") if body.guess else "",
        escape_text(body.source or body.reason, 110),
    )
