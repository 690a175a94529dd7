"""Axes to draw in: those of the caller, or those of a new figure in the style of this package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inertial_check.errors import ParameterError
from inertial_check.plotting.style import import_matplotlib, page_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Size = tuple[float, float]
"""Width and height of a figure [in]."""


@contextmanager
def open_axes(ax: Axes | None, size: Size, columns: int = 1) -> Iterator[list[Axes]]:
    """Give axes to draw in; those of a new figure have the style of this package.

    Args:
        ax: Axes of the caller, whose style stays; None for a new figure.
        size: Size of a new figure [in].
        columns: Number of axes of a new figure, beside each other.

    Yields:
        One axes of the caller, or all axes of the new figure.

    Raises:
        UsageError: matplotlib is not installed.
        ParameterError: ax is no axes of matplotlib.
    """
    if ax is not None:
        import_matplotlib()
        from matplotlib.axes import Axes

        if not isinstance(ax, Axes):
            raise ParameterError(f"ax is {type(ax).__name__}, expected matplotlib.axes.Axes")
        yield [ax]
        return
    with page_settings():
        from inertial_check.plotting.figure import PlotFigure

        figure = PlotFigure(figsize=size, layout="constrained")
        yield [figure.add_subplot(1, columns, column + 1) for column in range(columns)]
        # The layout is computed once: again and again it would move by a rounding error, and the
        # same figure would give other bytes.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")


def find_figure(axes: Axes) -> Figure:
    """Find the figure of axes, also of axes in a part of a figure."""
    from matplotlib.figure import Figure

    figure = axes.figure
    while not isinstance(figure, Figure):
        figure = figure.figure
    return figure
