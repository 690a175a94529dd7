"""Pages of a plot: panels of one size on sheets of A4."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from inertial_check.plotting.style import PLAIN, page_settings, shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec

_PAGE = (8.27, 11.69)
"""Width and height of a page of A4 [in]."""

_TOP, _BOTTOM, _LEFT, _RIGHT, _BETWEEN_ROWS = 0.8, 0.45, 0.7, 0.2, 0.65
"""Room around panels and between them [in]; a layout that is computed from all texts takes longer
than the drawing."""

_LONGEST_TITLE = 110
"""Largest number of characters of a title; a longer one, as of a long path, loses its middle."""


class Page(NamedTuple):
    """One drawn page.

    Attributes:
        name: Of what it is a picture, with its number: "torques-2".
        figure: matplotlib's Figure.
    """

    name: str
    figure: Figure


Draw: TypeAlias = "Callable[[Figure, SubplotSpec, int], None]"


class Grid(NamedTuple):
    """How many panels are below and beside each other on a full page."""

    rows: int
    columns: int


def build_pages(name: str, title: str, draw: Draw, panels: int, grid: Grid) -> list[Page]:
    """Panels, as many to a page as fit.

    Args:
        name: Of the pages.
        title: Over each.
        draw: What draws a panel, by its number, at a place of a figure.
        panels: How many.
        grid: Of a full page.
    """
    most = grid.rows * grid.columns
    count = -(-panels // most)
    with page_settings():
        return [
            Page(
                f"{name}-{number + 1}",
                _page(
                    title if count == 1 else f"{title} ({number + 1} of {count})",
                    draw,
                    range(number * most, min(panels, (number + 1) * most)),
                    grid,
                ),
            )
            for number in range(count)
        ]


def _page(title: str, draw: Draw, panels: range, grid: Grid) -> Figure:
    from inertial_check.plotting.figure import PlotFigure

    rows, columns = -(-len(panels) // grid.columns), grid.columns
    width, full = _PAGE if grid.rows > 1 else (_PAGE[0], 0.75 * _PAGE[0])
    tall = (full - _TOP - _BOTTOM - (grid.rows - 1) * _BETWEEN_ROWS) / grid.rows
    wide = (width - _LEFT - _RIGHT - (columns - 1) * _LEFT) / columns
    height = _TOP + _BOTTOM + rows * tall + (rows - 1) * _BETWEEN_ROWS
    figure = PlotFigure(figsize=(width, height))
    places = figure.add_gridspec(
        rows,
        columns,
        left=_LEFT / width,
        right=1 - _RIGHT / width,
        bottom=_BOTTOM / height,
        top=1 - _TOP / height,
        wspace=_LEFT / wide,
        hspace=_BETWEEN_ROWS / tall,
    )
    for place, panel in enumerate(panels):
        draw(figure, places[divmod(place, columns)], panel)
    left = _RIGHT / width
    figure.suptitle(
        shorten(title, _LONGEST_TITLE),
        x=left,
        y=1 - 0.12 / height,
        ha="left",
        va="top",
        fontsize=10,
        **PLAIN,
    )
    handles = {
        label: handle
        for axes in figure.axes
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="upper left",
        bbox_to_anchor=(left, 1 - 0.32 / height),
        borderaxespad=0.0,
        borderpad=0.0,
        ncols=len(handles),
        frameon=False,
    )
    return figure
