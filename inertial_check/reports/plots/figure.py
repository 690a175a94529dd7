"""Figures of plots: axes, style, pages and files, and lines of recorded signals.

Axes are those of the caller, or of a new figure in the style of this package; texts are never
markup. The format of a file is that of its suffix, and a file is written whole or not at all. Pages
are panels of one size on sheets of A4. Lines are broken where samples are missing, and thinned to
what a page shows.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from inertial_check.documents.escaping import printable
from inertial_check.documents.files.writing import ANYWHERE_NAMED, write_output
from inertial_check.errors import ParameterError, UsageError
from inertial_check.inertia.arrays import Floats, Mask
from inertial_check.inertia.tolerances import GAP

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec


Style = Mapping[str, Any]  # Any: every option of matplotlib has a type of its own
"""Keyword arguments of a drawing function of matplotlib."""

GRAY, ORANGE, BLUE, GREEN, RED = "#7f7f7f", "#e69f00", "#0072b2", "#009e73", "#d55e00"
"""Colours of Okabe and Ito, which people with any colour vision can tell apart."""

BEFORE: Style = {"color": ORANGE, "linestyle": (0, (4, 1.5)), "linewidth": 0.9}
"""Style of a line that shows the numbers before a change."""

AFTER: Style = {"color": BLUE, "linestyle": "-", "linewidth": 0.9}
"""Style of a line that shows the numbers after a change."""

PLAIN: Style = {"parse_math": False}
"""Arguments of a text that names something: a dollar sign in a name begins no formula."""

LONGEST_NAME = 48
"""Largest number of characters of a name in a plot; a longer one loses its middle."""

ENTRIES = (
    "$m$", "$h_x$", "$h_y$", "$h_z$",
    "$I_{xx}$", "$I_{xy}$", "$I_{xz}$", "$I_{yy}$", "$I_{yz}$", "$I_{zz}$",
)  # fmt: skip
"""Symbols of the ten parameters, in the order "urdf"."""

_SETTINGS: Mapping[str, object] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "savefig.dpi": 150.0,
    "svg.hashsalt": "inertial-check",  # so that the same numbers give the same bytes
}
"""Settings of matplotlib for a page; the user's own settings do not show in it."""


@contextmanager
def page_settings() -> Iterator[None]:
    """Set the style of a page in matplotlib, and restore the user's settings afterwards.

    Raises:
        UsageError: It is not installed.
    """
    matplotlib = import_matplotlib()
    with matplotlib.rc_context(), warnings.catch_warnings():
        # Letters that its font lacks are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def import_matplotlib() -> Any:  # noqa: ANN401 - a module of a library without types
    """Import matplotlib, without pyplot.

    Raises:
        UsageError: It is not installed.
    """
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise UsageError('plots need matplotlib: pip install "inertial-check[report]"') from None
    return matplotlib


def shorten(name: str, longest: int = LONGEST_NAME) -> str:
    """Shorten a name to its beginning and its end, and escape what does not print."""
    if len(name) > longest:
        half = (longest - 1) // 2
        name = f"{name[:half]}\N{HORIZONTAL ELLIPSIS}{name[-half:]}"
    return printable(name)


def check_shape(name: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return values as an array of floats.

    Raises:
        ParameterError: They have another shape.
    """
    array = np.asarray(values, dtype=float)
    if array.shape != shape:
        raise ParameterError(f"{name} has shape {array.shape}, expected {shape}")
    return array


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
        from inertial_check.reports.plots.plain_figure import PlotFigure

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

    rows, columns = -(-len(panels) // grid.columns), grid.columns
    width, full = _PAGE if grid.rows > 1 else (_PAGE[0], 0.75 * _PAGE[0])
    tall = (full - _TOP - _BOTTOM - (grid.rows - 1) * _BETWEEN_ROWS) / grid.rows
    wide = (width - _LEFT - _RIGHT - (columns - 1) * _LEFT) / columns
    height = _TOP + _BOTTOM + rows * tall + (rows - 1) * _BETWEEN_ROWS
    from inertial_check.reports.plots.plain_figure import PlotFigure

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


SUFFIXES = (".pdf", ".svg", ".png")
"""File name suffixes of the formats of pictures; all pages of a pdf are in one file."""


def check_target(path: str | os.PathLike[str], *, folder: bool = False) -> None:
    """Check that a plot can be written to a path, before the work whose result it shows.

    Args:
        path: File of the plot.
        folder: Whether the path may be a folder, or have no suffix and become one.

    Raises:
        UsageError: The suffix names no format of plots, or matplotlib is not installed.
    """
    target = os.fspath(path)
    suffix = os.path.splitext(target)[1].lower()
    if suffix not in SUFFIXES and not (folder and (not suffix or os.path.isdir(target))):
        other = ", or a folder" if folder else ""
        raise UsageError(
            f"{target}: the format of a plot is that of its suffix, expected "
            f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}{other}"
        )
    import_matplotlib()


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure to one file, whole or not at all; the same numbers give the same bytes.

    Args:
        figure: Figure of matplotlib.
        path: NAME.pdf, NAME.svg or NAME.png.

    Raises:
        UsageError: Another suffix, or the file cannot be written.
    """
    check_target(path)
    target = os.fspath(path)
    with page_settings():
        _write(target, _render(figure, os.path.splitext(target)[1].lower()))


def render_pages(path: str | os.PathLike[str], pages: Sequence[Page]) -> dict[str, bytes]:
    """Render pages as files: their paths and bytes, which depend on the numbers alone.

    Args:
        path: NAME.pdf, one file; NAME.svg or NAME.png, a file a page, NAME-torques-1.svg; a folder,
            a svg a page in it.
        pages: In order.

    Raises:
        UsageError: Another suffix, no pages, or matplotlib is not installed.
    """
    target = os.fspath(path)
    stem, suffix = os.path.splitext(target)
    suffix = suffix.lower()
    if not pages:
        raise UsageError(f"{target}: there is nothing to draw")
    check_target(target, folder=True)
    with page_settings():
        if suffix == ".pdf":
            from matplotlib.backends.backend_pdf import PdfPages

            stream = BytesIO()
            with PdfPages(stream, metadata={"CreationDate": None}) as document:
                for page in pages:
                    document.savefig(page.figure)
            return {target: stream.getvalue()}
        if suffix in SUFFIXES:
            return {f"{stem}-{page.name}{suffix}": _render(page.figure, suffix) for page in pages}
        return {
            os.path.join(target, f"{page.name}.svg"): _render(page.figure, ".svg") for page in pages
        }


def write_all(path: str | os.PathLike[str], pages: Sequence[Page]) -> list[str]:
    """Write pages; see `render_pages`. A folder that does not exist is made.

    Returns:
        The paths of the files.

    Raises:
        UsageError: As for `render_pages`, or a file cannot be written.
    """
    files = render_pages(path, pages)
    for name, data in files.items():
        ANYWHERE_NAMED.resolve(name)
        try:
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        except OSError as error:
            raise _refuse(name, error) from error
        _write(name, data)
    return list(files)


def _write(path: str, data: bytes) -> None:
    ANYWHERE_NAMED.resolve(path)
    try:
        write_output(path, data)
    except OSError as error:
        raise _refuse(path, error) from error


def _refuse(path: str, error: OSError) -> UsageError:
    return UsageError(f"{path}: cannot be written: {error.strerror or type(error).__name__}")


def _render(figure: Figure, suffix: str) -> bytes:
    """Render a figure in the format of a suffix, without the time and the library's version."""
    stream = BytesIO()
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}
    figure.savefig(stream, format=suffix[1:], metadata=metadata[suffix])
    return stream.getvalue()


MOST_POINTS = 4000
"""Largest number of points of a drawn line, besides those at its breaks; a longer one is drawn by
the extremes of each stretch, and the page says so."""


class BrokenLine(NamedTuple):
    """Points of a line that is interrupted where the recording is.

    Attributes:
        x: (k,) abscissae; NaN at a break.
        y: (k,) ordinates; NaN at a break.
        lone: (l, 2) points that are drawn as dots, as no line reaches them: samples between two
            breaks, and all points of a line with more breaks than points to be drawn.
    """

    x: Floats
    y: Floats
    lone: Floats


def count_in_stretch(samples: int) -> int:
    """Compute the number of samples of which the two extremes are drawn."""
    return -(-2 * samples // MOST_POINTS)


def find_joins(t: Floats, joins: Sequence[int] = ()) -> Mask:
    """Find the samples at which a new part of a recording begins.

    Args:
        t: (S,) times, or numbers of samples.
        joins: Samples at which a part is known to begin, as the first sample of another file.

    Returns:
        (S,) true where the time runs backwards or stands, is no number, or steps by more than GAP
        median steps from the sample before.
    """
    begins = np.zeros(t.size, dtype=bool)
    begins[[each for each in joins if 0 < each < t.size]] = True
    steps = np.diff(t)
    forward = steps[steps > 0]
    median = np.median(forward) if forward.size else np.inf
    begins[1:] |= ~((steps > 0) & (steps <= GAP * median))
    return begins


def break_line(t: Floats, values: Floats, begins: Mask) -> BrokenLine:
    """Break a line at joins and missing values, and thin it out to its extremes.

    Args:
        t: (S,) times.
        values: (S,) values; one that is not finite is missing.
        begins: (S,) samples that no line joins to the one before.
    """
    kept = np.flatnonzero(np.isfinite(values) & np.isfinite(t))
    # A part ends at a join, and where samples between two that are kept are missing.
    parts = np.cumsum(begins)[kept]
    new = np.ones(kept.size, dtype=bool)
    new[1:] = (np.diff(parts) > 0) | (np.diff(kept) > 1)
    dots_only = np.count_nonzero(new) > MOST_POINTS
    if t.size > MOST_POINTS:
        length = count_in_stretch(t.size)
        # Choose the least and the largest of each stretch of samples; no stretch spans a break.
        extremes_values = values[kept]
        extremes_new = np.zeros_like(new) if dots_only else new
        samples = np.arange(extremes_values.size)
        extremes_starts = np.maximum.accumulate(np.where(extremes_new, samples, 0))
        extremes_begins = np.flatnonzero((samples - extremes_starts) % length == 0)
        stretch = np.repeat(
            np.arange(extremes_begins.size),
            np.diff(np.append(extremes_begins, extremes_values.size)),
        )
        order = np.lexsort((extremes_values, stretch))
        ends = np.append(extremes_begins[1:], extremes_values.size) - 1
        # Sorted by stretch and then by value, the extremes stand at both ends of each stretch.
        chosen = np.unique(np.concatenate([order[extremes_begins], order[ends]]))
        kept, new = kept[chosen], np.diff(np.cumsum(new)[chosen], prepend=0) > 0
    points = np.stack([t[kept], values[kept]], axis=1)
    if dots_only:
        return BrokenLine(np.empty(0), np.empty(0), points)
    starts = np.flatnonzero(new)
    lengths = np.diff(np.append(starts, kept.size))
    lone = np.repeat(lengths == 1, lengths)
    broken = np.insert(points, starts[1:], np.nan, axis=0)
    return BrokenLine(broken[:, 0], broken[:, 1], points[lone])
