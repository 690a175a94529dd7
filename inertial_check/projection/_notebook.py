"""Projections in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from inertial_check.inertia._notebook import count_words, read_consistency
from inertial_check.inertia.consistency import check
from inertial_check.markup.html import MOST_ROWS, color_word, write_box, write_number, write_table

if TYPE_CHECKING:
    from inertial_check.projection.result import Projection


def show_projection(found: Projection) -> str:
    """Show a projection: the rows that moved most, with their margins afterwards."""
    shown = read_consistency(check(found.parameters))
    change = np.asarray(found.relative_change, dtype=np.float64).reshape(-1)
    status = np.asarray(found.status).reshape(-1).tolist()
    order = np.argsort(-np.where(np.isnan(change), np.inf, change), kind="stable")
    rows = [
        (
            shown.names[i],
            color_word(status[i], "bad" if status[i] == "no-nearest" else "good"),
            f"{write_number(100 * float(change[i]))} %",
            write_number(float(shown.mass[i])),
            write_number(float(shown.margin[i])),
        )
        for i in order[:MOST_ROWS].tolist()
    ]
    columns = ("row", "status", ">change of the moments", ">mass kg", ">margin")
    subtitle = f"{count_words(status)}; metric {found.metric}, solver {found.solver}"
    table = write_table(columns, rows, len(status), "rows")
    return write_box("Projection", subtitle, table, shown.draw_triangle())
