"""Inline SVG of the triangle of ball, rod and plate, for notebooks without matplotlib."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from inertial_check.markup.html import Fragment, escape_text

MOST_POINTS = 200
"""Largest number of bodies in one drawing; the callers give the worst first."""

_LEFT, _RIGHT, _TOP, _BOTTOM = -0.35, 1.35, 1.2, -0.75
"""Ends of the drawing in coordinates of the triangle; bodies beyond them lie at the edge."""

_SCALE = 150.0
"""Pixels per unit of the triangle's coordinates."""

_COLORS = {"good": "#3388cc", "doubtful": "#e69f00", "bad": "#d55e00"}


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
            drawn.append(_draw_point(point))
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


def _draw_point(point: ShapePoint) -> str:
    x = min(max(point.x, _LEFT + 0.03), _RIGHT - 0.03)
    y = min(max(point.y, _BOTTOM + 0.03), _TOP)
    at = 'cx="{:.1f}" cy="{:.1f}"'.format(*_scale(x, y))
    color = _COLORS.get(point.kind, _COLORS["bad"])
    name = escape_text(point.name).removeprefix("<bdi>").removesuffix("</bdi>")
    return f'<circle {at} r="3.5" fill="{color}"><title>{name}</title></circle>'
