"""Bodies in notebooks: a table, the worst first, beside the triangle of principal moments.

Coordinates of a body in the triangle whose corners are the ball, the rod and the plate.

The shape of a mass distribution, whatever its size and mass, is told by two numbers. A body with
the principal second moments s1 >= s2 >= s3 about its centre of mass is the mixture a rod + b plate
+ c ball, with a = (s1 - s2) / s, b = 2 (s2 - s3) / s, c = 3 s3 / s and s = |s1| + |s2| + |s3|. The
weights of a real body are at least 0 and sum to 1. The margin is s3 / s = c / 3, so what no body
has lies below the edge from the rod to the plate, at a distance that is its margin.

HTML fragments for notebooks: escaped texts, bounded tables, and the box around them.

A fragment has no script, no style sheet and no link; colours are those of the notebook, so that it
can be read in light and in dark ones.

Inline SVG of the triangle of ball, rod and plate, for notebooks without matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.inertia.arrays import Floats, Integers

if TYPE_CHECKING:
    from inertial_check.inertia.consistency import Consistency


CORNERS = {"rod": (0.0, 0.0), "plate": (1.0, 0.0), "ball": (0.5, 1.0)}
"""Coordinates of the corners: (x, y) with y three times the margin."""

LOWEST = -1.0
"""Coordinate y of a body with a moment of 0 whose other moments differ by as much as they can;
below it only tensors with a negative principal moment lie."""


def place_shapes(principal_moments: npt.ArrayLike) -> Floats:
    """Compute the coordinates of bodies in the triangle of ball, rod and plate.

    Args:
        principal_moments: (..., 3) about the centre of mass [kg m^2], in any order.

    Returns:
        (..., 2) coordinates x from -1 to 2 and y from -3 to 1 (dimensionless); NaN for bodies
        without inertia and for numbers that are not finite.
    """
    moments = np.sort(np.asarray(principal_moments, dtype=np.float64), axis=-1)
    with np.errstate(all="ignore"):
        # The moments are divided by the largest first: sums of 1e308 would overflow.
        moments = moments / np.max(np.abs(moments), axis=-1, keepdims=True)
        second = np.sum(moments, axis=-1, keepdims=True) / 2 - moments
        shares = second / np.sum(np.abs(second), axis=-1, keepdims=True)
    plate, ball = 2 * (shares[..., 1] - shares[..., 2]), 3 * shares[..., 2]
    return np.stack([plate + ball / 2, ball], axis=-1)


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


def _escape(text: str) -> str:
    """Escape the characters of markup in a text."""
    from html import escape  # slow to import: it holds the names of all characters

    return escape(text)


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
    return Fragment(f"<bdi>{_escape(text)}</bdi>")


def write_number(value: float, digits: int = 3) -> str:
    """Write a number in a cell; a dash where there is none."""
    return "\N{EN DASH}" if math.isnan(value) else f"{value:.{digits}g}"


def color_word(word: str, kind: str) -> Fragment:
    """Write a word in the colour of its kind: "bad", "doubtful", or anything else for none."""
    color = _COLORS.get(kind)
    style = f' style="color:{color}"' if color else ""
    return Fragment(f"<span{style}>{_escape(word)}</span>")


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
        f'<th style="{_CELL}{side}">{_escape(column.lstrip(">"))}</th>'
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


MOST_POINTS = 200
"""Largest number of bodies in one drawing; the callers give the worst first."""

_LEFT, _RIGHT, _TOP, _BOTTOM = -0.35, 1.35, 1.2, -0.75
"""Ends of the drawing in coordinates of the triangle; bodies beyond them lie at the edge."""

_SCALE = 150.0
"""Pixels per unit of the triangle's coordinates."""

_TRIANGLE_COLORS = {"good": "#3388cc", "doubtful": "#e69f00", "bad": "#d55e00"}


class ShapePoint(NamedTuple):
    """A body in the triangle.

    Attributes:
        name: Name of the body, as written.
        x: Coordinate along the edge from rod to plate.
        y: Coordinate towards the ball: three times the margin.
        kind: Colour: "good", "doubtful" or "bad".
    """

    name: str
    x: float
    y: float
    kind: str


def draw_triangle(points: Iterable[ShapePoint]) -> Fragment:
    """Draw bodies in the triangle; those without coordinates are left out."""
    drawn: list[str] = []
    for point in points:
        if len(drawn) == MOST_POINTS:
            break
        if math.isfinite(point.x) and math.isfinite(point.y):
            x = min(max(point.x, _LEFT + 0.03), _RIGHT - 0.03)
            y = min(max(point.y, _BOTTOM + 0.03), _TOP)
            at = 'cx="{:.1f}" cy="{:.1f}"'.format(*_scale(x, y))
            color = _TRIANGLE_COLORS.get(point.kind, _TRIANGLE_COLORS["bad"])
            name = escape_text(point.name).removeprefix("<bdi>").removesuffix("</bdi>")
            drawn.append(f'<circle {at} r="3.5" fill="{color}"><title>{name}</title></circle>')
    width, height = _scale(_RIGHT, _BOTTOM)
    edge = _scale(_LEFT, 0.0)[1]
    corners = " ".join("{:.1f},{:.1f}".format(*_scale(*at)) for at in ((0, 0), (1, 0), (0.5, 1)))
    labels = (_label("rod", -0.15, 0.02), _label("plate", 1.17, 0.02), _label("ball", 0.5, 1.05))
    return Fragment(
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.1f} {height:.1f}" font-size="11" '
        'font-family="sans-serif" fill="currentColor">'
        "<title>Principal moments between ball, rod and plate; no body lies in the shaded part"
        "</title>"
        f'<rect x="0" y="{edge:.1f}" width="{width:.1f}" height="{height - edge:.1f}" '
        'fill="#d55e00" fill-opacity=".15"/>'
        f'<polygon points="{corners}" fill="none" stroke="currentColor"/>'
        f"{''.join(labels)}{''.join(drawn)}</svg>"
    )


def _scale(x: float, y: float) -> tuple[float, float]:
    return (x - _LEFT) * _SCALE, (_TOP - y) * _SCALE


def _label(word: str, x: float, y: float) -> str:
    left, top = _scale(x, y)
    return f'<text x="{left:.1f}" y="{top:.1f}" text-anchor="middle">{word}</text>'


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
        return write_table(
            columns,
            [
                (
                    escape_text(self.names[i]),
                    write_number(float(self.mass[i])),
                    ", ".join(map(write_number, self.moments[i].tolist())),
                    write_number(float(self.margin[i])),
                    color_word(self.verdicts[i], _KINDS.get(self.verdicts[i], "bad")),
                )
                for i in self.rank()[:MOST_ROWS].tolist()
            ],
            len(self.names),
            "bodies",
        )

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
