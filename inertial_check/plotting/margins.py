"""Plot of the margins of bodies, the worst first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia.representations import Order, Point
from inertial_check.plotting.canvas import find_figure, open_axes
from inertial_check.plotting.style import BLUE, GRAY, ORANGE, PLAIN, RED, shorten
from inertial_check.plotting.subjects import Change, Subject, read_subject
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 40
"""Default of the largest number of bodies that `margins` draws: more make a page that nobody reads;
the others are counted."""

_BEST = 1 / 3
"""Margin of a ball; none is larger."""

_COLORS = {"consistent": BLUE, "boundary": ORANGE, "rounding": ORANGE}
"""Colour of each verdict; all others are red."""


def margins(
    subject: Subject,
    names: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
    most: int = MOST,
    order: Order = "urdf",
    about: Point = "origin",
) -> Figure:
    """Draw the margins of bodies, the worst first; a body below 0 cannot exist.

    A margin has no unit: it does not depend on the mass and the size of a body. Of a Fix and an
    Identification, a hollow circle is the margin before.

    Args:
        subject: Model, Report, Fix, Identification, Consistency, Projection, InertialParameters, or
            an array (..., 10).
        names: Names of the bodies, in place of those of the subject.
        ax: Axes to draw in; None for a new figure.
        most: Largest number of bodies to draw; the others are counted.
        order: Order of the last six parameters of an array.
        about: Point about which an array takes its inertias.

    Returns:
        The figure.

    Raises:
        ParameterError: The subject or its numbers have another form, or most is below 1.
        UsageError: matplotlib is not installed.
    """
    if most < 1:
        raise ParameterError(f"most is {most!r}, expected at least 1")
    change = read_subject(subject, names, order, about)
    known = np.flatnonzero(np.isfinite(change.after.margins))
    after = change.after.margins
    worst = known[
        np.argsort(
            (after if change.before is None else np.fmin(after, change.before.margins))[known],
            kind="stable",
        )
    ][:most]
    with open_axes(ax, (7.2, 1.1 + 0.19 * max(len(worst), 4))) as (axes,):
        _draw_rows(axes, change, worst.tolist())
        title = "Margins, worst first"
        if worst.size < known.size:
            title += f": {worst.size} of {plural(known.size, 'body')}"
        axes.set_title(title)
        note = "margin (0 or more is needed; a ball has 1/3)"
        if missing := len(change.after) - known.size:
            note += f"; {plural(missing, 'body')} without one not shown"
        axes.set_xlabel(note)
    return find_figure(axes)


def _draw_rows(axes: Axes, change: Change, worst: list[int]) -> None:
    rows, before = change.after, change.before
    places = np.arange(len(worst))
    values = rows.margins[worst]
    colors = [_COLORS.get(rows.verdicts[i], RED) for i in worst]
    axes.barh(places, values, height=0.7, color=colors)
    if before is not None:
        axes.plot(
            np.where(before.margins[worst] == values, np.nan, before.margins[worst]), places,
            linestyle="", marker="o", markersize=4, color=GRAY, markerfacecolor="none",
            label="before",
        )  # fmt: skip
        axes.legend(loc="lower right", frameon=False)
    # Numbers stand to the right of the bar and of the mark before, so that none covers another.
    ends = np.fmax(values, 0.0 if before is None else before.margins[worst])
    for place, value, end in zip(places.tolist(), values.tolist(), ends.tolist(), strict=True):
        axes.annotate(
            f"{value:.3g}", (max(end, 0.0), place), xytext=(5, 0), textcoords="offset points",
            va="center", fontsize=6,
        )  # fmt: skip
    axes.set_yticks(places, [shorten(rows.names[i], 36) for i in worst], **PLAIN)
    axes.set_ylim(len(worst) - 0.4 if worst else 0.5, -0.6)
    axes.axvline(0.0, color="black", linewidth=0.8)
    least = min([0.0, *values.tolist(), *_list_finite(change, worst)])
    axes.axvspan(least - 0.05, 0.0, color="#f4d9d0", linewidth=0, zorder=0)
    axes.set_xlim(least - 0.05, _BEST + 0.08)
    axes.grid(visible=False, axis="y")


def _list_finite(change: Change, worst: list[int]) -> list[float]:
    if change.before is None:
        return []
    values = change.before.margins[worst]
    return [each for each in values.tolist() if np.isfinite(each)]
