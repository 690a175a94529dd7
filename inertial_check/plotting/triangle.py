"""Plot of principal moments in the triangle whose corners are the ball, the rod and the plate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia.representations import Order, Point
from inertial_check.inertia.shape_triangle import CORNERS, LOWEST, place_shapes
from inertial_check.plotting.canvas import find_figure, open_axes
from inertial_check.plotting.style import BLUE, GRAY, ORANGE, PLAIN, RED, Style, shorten
from inertial_check.plotting.subjects import BodyRows, Subject, read_subject
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LABELS = 12
"""Largest number of bodies with a name beside their point: the worst of them."""

_MOST_MARKS = 2000
"""Number of bodies from which the points are drawn as an image, so that a file stays small."""

_LEFT, _RIGHT, _TOP = -0.3, 1.3, 1.12
"""Ends of the axes; bodies beyond them are drawn at the edge."""

_HEIGHT = 3**0.5 / 2
"""Height of the triangle over its base: its sides are equal."""

_ROOM = 0.14
"""Room below the lowest body."""

_IMPOSSIBLE = "#f4d9d0"
"""Colour of the region of tensors that no body has."""

_MARKS: dict[str, Style] = {
    "consistent": {"marker": "o", "color": BLUE},
    "singular or rounded": {"marker": "D", "color": ORANGE},
    "impossible": {"marker": "X", "color": RED},
}
"""Markers of the groups of verdicts."""

_GROUPS = {
    "consistent": "consistent",
    "boundary": "singular or rounded",
    "rounding": "singular or rounded",
}
"""Group of each verdict; all others are impossible."""


def principal_moments(
    subject: Subject,
    names: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
    order: Order = "urdf",
    about: Point = "origin",
) -> Figure:
    """Draw where bodies lie between ball, rod and plate; the impossible region is shaded.

    The height above the edge from rod to plate is the margin. Size and mass of a body do not
    matter. Of a Fix and an Identification, a line leads from where each body was before.

    Args:
        subject: Model, Report, Fix, Identification, Consistency, Projection, InertialParameters, or
            an array (..., 10).
        names: Names of the bodies, in place of those of the subject.
        ax: Axes to draw in; None for a new figure.
        order: Order of the last six parameters of an array.
        about: Point about which an array takes its inertias.

    Returns:
        The figure.

    Raises:
        ParameterError: The subject or its numbers have another form.
        UsageError: matplotlib is not installed.
    """
    change = read_subject(subject, names, order, about)
    sides = [rows for rows in (change.before, change.after) if rows is not None]
    places = [place_shapes(rows.moments) for rows in sides]
    # Find the lower end of the axes: some of the impossible region, and all of the bodies in it.
    heights = np.concatenate([points[:, 1] for points in places])
    least = float(np.min(heights, initial=0.0, where=np.isfinite(heights)))
    bottom = max(LOWEST, min(least, -_ROOM)) - _ROOM
    places = [
        np.clip(points, [_LEFT + 0.02, bottom + 0.02], [_RIGHT - 0.02, _TOP - 0.02])
        for points in places
    ]
    height = _HEIGHT * (_TOP - bottom) / (_RIGHT - _LEFT)
    with open_axes(ax, (5.6, 0.7 + 5.0 * height)) as (axes,):
        _draw_regions(axes, bottom)
        if len(places) > 1:
            # Draw lines from where the bodies were to where they are.
            points = np.stack(places)
            moved = np.all(np.isfinite(points), axis=(0, 2)) & np.any(
                points[0] != points[1], axis=-1
            )
            if moved.any():
                # One line of all bodies, broken between them, is one object to draw.
                gaps = np.full((1, int(np.count_nonzero(moved)), 2), np.nan)
                path = np.concatenate([points[:, moved], gaps]).transpose(1, 0, 2).reshape(-1, 2)
                axes.plot(*path.T, color=GRAY, linewidth=0.7, zorder=1)
                axes.plot(
                    *points[0, moved].T, linestyle="", marker="o", markersize=4, color=GRAY,
                    markerfacecolor="white", label=f"before: {np.count_nonzero(moved)}",
                )  # fmt: skip
        _draw_bodies(axes, change.after, places[-1])
        axes.set_title("Principal moments between ball, rod and plate")
    return find_figure(axes)


def _draw_regions(axes: Axes, bottom: float) -> None:
    """Draw the triangle, its corners, and the region of tensors that no body has."""
    axes.axhspan(bottom, 0.0, color=_IMPOSSIBLE, linewidth=0, zorder=0)
    axes.text(0.5, bottom + 0.03, "no body has these moments", ha="center", va="bottom", color=RED)
    corners = [CORNERS[name] for name in ("rod", "plate", "ball", "rod")]
    axes.plot(*zip(*corners, strict=True), color="black", linewidth=0.8, zorder=1)
    for name, (x, y) in CORNERS.items():
        above = y > 0
        axes.annotate(
            name,
            (x, y),
            xytext=(0, 5) if above else (-8 if x == 0 else 8, 5),
            textcoords="offset points",
            ha="center" if above else "right" if x == 0 else "left",
        )
    axes.set_xlim(_LEFT, _RIGHT)
    axes.set_ylim(bottom, _TOP)
    axes.set_aspect(_HEIGHT)
    axes.set_xticks([])
    margins = [-1 / 3, -1 / 6, 0.0, 1 / 6, 1 / 3]
    shown = [each for each in margins if 3 * each >= bottom]
    axes.set_yticks([3 * each for each in shown], [f"{each:.2g}" for each in shown])
    axes.set_ylabel("margin")
    axes.grid(visible=False)


def _draw_bodies(axes: Axes, rows: BodyRows, points: Floats) -> None:
    placed = np.all(np.isfinite(points), axis=-1)
    groups = np.array([_GROUPS.get(verdict, "impossible") for verdict in rows.verdicts], dtype=str)
    for group, style in _MARKS.items():
        chosen = placed & (groups == group)
        if chosen.any():
            axes.plot(
                *points[chosen].T,
                linestyle="",
                markersize=5,
                markeredgecolor="white",
                markeredgewidth=0.4,
                label=f"{group}: {np.count_nonzero(chosen)}",
                rasterized=np.count_nonzero(chosen) > _MOST_MARKS,
                **style,
            )
    # Write the names of the worst bodies beside their points, where there is room.
    taken: list[Floats] = []
    for i in np.lexsort((rows.margins, ~placed))[: 4 * _LABELS].tolist():
        near = any(np.all(np.abs(points[i] - each) < (0.35, 0.045)) for each in taken)
        if not placed[i] or near or len(taken) == _LABELS:
            continue
        taken.append(points[i])
        right = bool(points[i][0] > 0.7)
        axes.annotate(
            shorten(rows.names[i], 24),
            points[i],
            xytext=(-5 if right else 5, 2),
            textcoords="offset points",
            ha="right" if right else "left",
            fontsize=6,
            annotation_clip=True,
            **PLAIN,
        )
    if missing := len(rows) - np.count_nonzero(placed):
        axes.set_xlabel(f"{plural(int(missing), 'body')} without moments not shown")
    if placed.any():
        axes.legend(loc="upper left", frameon=False)
