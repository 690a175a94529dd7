"""Identifications in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from inertial_check.inertia._notebook import read_consistency
from inertial_check.markup.html import (
    MOST_ROWS,
    count,
    escape_text,
    write_box,
    write_number,
    write_table,
)

if TYPE_CHECKING:
    from inertial_check.identification.estimation.result import Identification


def show_identification(found: Identification) -> str:
    """Show an identification: each body, its mass before and after, and what decided it."""
    shown = read_consistency(found.consistency, found.bodies)
    prior = np.asarray(found.given, dtype=np.float64)[:, 0]
    by_data = np.mean(np.asarray(found.identifiability.decided_by) == "data", axis=1)
    rows = [
        (
            escape_text(found.bodies[i]),
            write_number(float(prior[i])),
            write_number(float(shown.mass[i])),
            write_number(float(shown.margin[i])),
            f"{10 * by_data[i]:.0f} of 10",
        )
        for i in range(min(len(found.bodies), MOST_ROWS))
    ]
    columns = ("body", ">prior kg", ">mass kg", ">margin", ">decided by the data")
    subtitle = (
        f"{count(len(found.bodies), 'body')}; rank {found.rank} of {len(found.x)} columns; "
        f"torque errors (RMS) {', '.join(map(write_number, found.rmse[:8].tolist()))}"
        f"{', ...' if len(found.rmse) > 8 else ''}; gap {found.gap:.1e}"
    )
    table = write_table(columns, rows, len(found.bodies), "bodies")
    return write_box("Identification", subtitle, table, shown.draw_triangle())
