"""Plot of torques over time: measured, and as two sets of parameters predict them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.plotting.lines import MOST_POINTS, break_line, count_in_stretch, find_joins
from inertial_check.plotting.pages import Grid, Page, build_pages
from inertial_check.plotting.style import AFTER, BEFORE, GRAY, PLAIN, Style, check_shape, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec

_ERROR: Style = {"linestyle": "-", "linewidth": 0.6}
_MEASURED: Style = {"color": GRAY, "linestyle": "-", "linewidth": 1.8, "alpha": 0.6}


def torques(  # noqa: PLR0913, PLR0917 - three curves over one time, of joints with names and units
    t: npt.ArrayLike,
    measured: npt.ArrayLike,
    before: npt.ArrayLike | None,
    after: npt.ArrayLike,
    joints: Sequence[str],
    units: Sequence[str] | None = None,
    title: str = "Torques and the errors of their predictions",
    axis: str = "time [s]",
    joins: Sequence[int] = (),
) -> list[Page]:
    """Draw the measured torques and what two sets of parameters predict, a panel a joint.

    A line is broken where samples are missing: at NaN, where the time steps by more than three
    median steps, and where it does not grow, as where one recording follows another.

    Args:
        t: (S,) times, or numbers of samples.
        measured: (S, n).
        before: (S, n) by the parameters that the file had; None to leave out.
        after: (S, n) by those that were identified.
        joints: (n,) names.
        units: (n,) of the torques; "N m" for all if None.
        title: Over each page.
        axis: Name of the axis of t.
        joins: Samples at which another recording or another part of it begins.

    Raises:
        ParameterError: Shapes that do not fit.
        UsageError: matplotlib is not installed.
    """
    time = np.asarray(t, dtype=float)
    shape = (time.size, len(joints))
    curves: dict[str, tuple[Floats, Style]] = {}
    curves["measured"] = (check_shape("measured", measured, shape), _MEASURED)
    if before is not None:
        curves["before"] = (check_shape("before", before, shape), BEFORE)
    curves["after"] = (check_shape("after", after, shape), AFTER)
    check_shape("t", time, shape[:1])
    units = units or ["N m"] * len(joints)
    if time.size > MOST_POINTS:
        title = f"{title}, drawn by the extremes of each {count_in_stretch(time.size)} samples"

    begins = find_joins(time, joins)

    def draw_line(axes: Axes, values: Floats, style: Style, label: str = "") -> None:
        line = break_line(time, values, begins)
        (drawn,) = axes.plot(line.x, line.y, label=label or None, **style)
        if line.lone.size:
            axes.plot(*line.lone.T, linestyle="", marker=".", markersize=2, color=drawn.get_color())

    def draw(figure: Figure, place: SubplotSpec, j: int) -> None:
        rows = place.subgridspec(2, 1, height_ratios=(3, 1), hspace=0.08)
        upper = figure.add_subplot(rows[0])
        lower = figure.add_subplot(rows[1], sharex=upper)
        true, said = curves["measured"][0][:, j], []
        for label, (values, style) in curves.items():
            draw_line(upper, values[:, j], style, label)
            if label != "measured":
                error = values[:, j] - true
                draw_line(lower, error, {**style, **_ERROR})
                said.append(f"{label} {_rms(error):.3g}")
        upper.set_title(f"{shorten(joints[j])}: RMSE {', '.join(said)} {units[j]}", **PLAIN)
        upper.set_ylabel(f"[{units[j]}]", **PLAIN)
        upper.tick_params(labelbottom=False)
        upper.margins(x=0)
        lower.set_ylabel("error")
        lower.set_xlabel(axis)

    return build_pages("torques", title, draw, len(joints), Grid(4, min(2, len(joints))))


def _rms(values: Floats) -> float:
    """Compute the root mean square of the values that are not missing."""
    known = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(known**2))) if known.size else 0.0
