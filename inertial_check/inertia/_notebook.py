"""Bodies in notebooks: a table, the worst first, beside the triangle of principal moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.inertia.shape_triangle import place_shapes
from inertial_check.markup.html import (
    MOST_ROWS,
    Fragment,
    color_word,
    escape_text,
    write_box,
    write_number,
    write_table,
)
from inertial_check.markup.triangle import MOST_POINTS, ShapePoint, draw_triangle

if TYPE_CHECKING:
    from inertial_check.inertia.consistency import Consistency

_KINDS = {
    "consistent": "good",
    "boundary": "doubtful",
    "rounding": "doubtful",
    "massless": "good",
    "missing": "good",
    "derived": "good",
    "defaulted": "good",
}
"""Kind of each verdict, by which it is coloured; the others are bad."""


@dataclass(frozen=True, eq=False)
class ShownBodies:
    """Bodies to show, as columns.

    Attributes:
        names: Names of the n bodies, as written.
        mass: (n,) masses [kg].
        moments: (n, 3) principal moments [kg m^2].
        margin: (n,) margins.
        verdicts: Names of the verdicts.
    """

    names: Sequence[str]
    mass: Floats
    moments: Floats
    margin: Floats
    verdicts: Sequence[str]

    def rank(self) -> Integers:
        """Rank the bodies: bad ones first, then by margin; those without one last."""
        kinds = [_KINDS.get(verdict, "bad") != "bad" for verdict in self.verdicts]
        return np.lexsort((self.margin, np.array(kinds, dtype=bool)))

    def write_table(self) -> Fragment:
        """Write the worst bodies as a table, and count the others."""
        columns = ("body", ">mass kg", ">principal moments kg m\N{SUPERSCRIPT TWO}", ">margin", "")
        return write_table(columns, self._list_cells(), len(self.names), "bodies")

    def _list_cells(self) -> list[tuple[str, ...]]:
        return [
            (
                escape_text(self.names[i]),
                write_number(float(self.mass[i])),
                ", ".join(map(write_number, self.moments[i].tolist())),
                write_number(float(self.margin[i])),
                color_word(self.verdicts[i], _KINDS.get(self.verdicts[i], "bad")),
            )
            for i in self.rank()[:MOST_ROWS].tolist()
        ]

    def draw_triangle(self) -> Fragment:
        """Draw the worst bodies in the triangle of ball, rod and plate."""
        worst = self.rank()[:MOST_POINTS].tolist()
        places = place_shapes(self.moments[worst]).tolist()
        return draw_triangle(
            ShapePoint(self.names[i], x, y, _KINDS.get(self.verdicts[i], "bad"))
            for i, (x, y) in reversed(list(zip(worst, places, strict=True)))
        )


def read_consistency(result: Consistency, names: Sequence[str] | None = None) -> ShownBodies:
    """Read the rows of a verdict on arrays."""
    theta = np.asarray(result.theta, dtype=np.float64).reshape(-1, 10)
    return ShownBodies(
        names=[f"row {row}" for row in range(len(theta))] if names is None else names,
        mass=theta[:, 0],
        moments=np.asarray(result.principal_moments, dtype=np.float64).reshape(-1, 3),
        margin=np.asarray(result.margin, dtype=np.float64).reshape(-1),
        verdicts=np.asarray(result.verdict).reshape(-1).tolist(),
    )


def count_words(words: Sequence[str]) -> str:
    """Count equal words: "3 consistent, 1 inconsistent"."""
    found, counts = np.unique(np.asarray(words, dtype=str), return_counts=True)
    listed = zip(found.tolist(), counts.tolist(), strict=True)
    return ", ".join(f"{count} {word}" for word, count in listed)


def show_consistency(result: Consistency) -> str:
    """Show the verdicts on arrays."""
    shown = read_consistency(result)
    return write_box(
        "Consistency", count_words(shown.verdicts), shown.write_table(), shown.draw_triangle()
    )
