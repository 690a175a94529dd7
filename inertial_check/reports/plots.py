"""Pictures of an identification: torques, parameters, ellipsoids, and how the weight was chosen.

Arrays and names in, pages out. matplotlib is imported when a page is drawn, never pyplot: the
user's own figures, backend and settings stay as they are, and do not show here.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError, UsageError
from inertial_check.files.writing import ANYWHERE_NAMED, write_output
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.parameters import InertialParameters

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec

Decision = Literal["data", "both", "prior"]
_Style = Mapping[str, Any]  # Any: every option of matplotlib has a type of its own

SUFFIXES = (".pdf", ".svg", ".png")
"""File name suffixes of the formats of pictures; all pages of a pdf are in one file."""

MOST_POINTS = 4000
"""Largest number of points of a drawn line; a longer one is drawn by the extremes of each stretch,
and the page says so."""

_PAGE = (8.27, 11.69)  # A4 [in]
_TOP, _BOTTOM, _LEFT, _RIGHT, _BETWEEN_ROWS = 0.8, 0.45, 0.7, 0.2, 0.65
"""Room around panels and between them [in]; a layout that is computed from all texts takes longer
than the drawing."""
_GRAY, _ORANGE, _BLUE, _GREEN = "#7f7f7f", "#e69f00", "#0072b2", "#009e73"
"""Colours of Okabe and Ito, which people with any colour vision can tell apart."""

_BEFORE: _Style = {"color": _ORANGE, "linestyle": (0, (4, 1.5)), "linewidth": 0.9}
_AFTER: _Style = {"color": _BLUE, "linestyle": "-", "linewidth": 0.9}
_ERROR: _Style = {"linestyle": "-", "linewidth": 0.6}
_MEASURED: _Style = {"color": _GRAY, "linestyle": "-", "linewidth": 1.8, "alpha": 0.6}

_CANDIDATES: _Style = {
    "color": _BLUE, "marker": "o", "markersize": 4, "linewidth": 1.0,
}  # fmt: skip
_CHOSEN: _Style = {
    "color": _ORANGE, "marker": "s", "markersize": 9, "markerfacecolor": "none", "linestyle": "",
}  # fmt: skip

_DECIDED: Mapping[Decision, _Style] = {
    "data": {"color": _BLUE, "marker": "o", "markerfacecolor": _BLUE},
    "both": {"color": _GREEN, "marker": "D", "markerfacecolor": "white"},
    "prior": {"color": _ORANGE, "marker": "s", "markerfacecolor": "white"},
}
_DECIDED_BY: Mapping[Decision, str] = {
    "data": "decided by the data",
    "both": "by data and prior",
    "prior": "by the prior alone",
}

_ENTRIES = (
    "$m$", "$h_x$", "$h_y$", "$h_z$",
    "$I_{xx}$", "$I_{xy}$", "$I_{xz}$", "$I_{yy}$", "$I_{yz}$", "$I_{zz}$",
)  # fmt: skip
_PLANES = ((0, 1), (0, 2), (1, 2))
_LETTERS = ("x", "y", "z")
_OUTLINE = 181
_LABEL_DISTANCE = 0.04  # of the curve's width and height
_LONGEST_NAME = 48

_STYLE: Mapping[str, object] = {
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


class Page(NamedTuple):
    """One drawn page.

    Attributes:
        name: Of what it is a picture, with its number: "torques-2".
        figure: matplotlib's Figure.
    """

    name: str
    figure: Figure


def torques(  # noqa: PLR0913, PLR0917 - three curves over one time, of joints with names and units
    t: npt.ArrayLike,
    measured: npt.ArrayLike,
    before: npt.ArrayLike | None,
    after: npt.ArrayLike,
    joints: Sequence[str],
    units: Sequence[str] | None = None,
    title: str = "Torques and the errors of their predictions",
    axis: str = "time [s]",
) -> list[Page]:
    """The measured torques and what two sets of parameters predict, a panel a joint.

    Args:
        t: (S,) times, or numbers of samples.
        measured: (S, n).
        before: (S, n) by the parameters that the file had; None to leave out.
        after: (S, n) by those that were identified.
        joints: (n,) names.
        units: (n,) of the torques; "N m" for all if None.
        title: Over each page.
        axis: What t is.

    Raises:
        ParameterError: Shapes that do not fit.
        UsageError: matplotlib is not installed.
    """
    time = np.asarray(t, dtype=float)
    shape = (time.size, len(joints))
    curves: dict[str, tuple[Floats, _Style]] = {}
    curves["measured"] = (_check_shape("measured", measured, shape), _MEASURED)
    if before is not None:
        curves["before"] = (_check_shape("before", before, shape), _BEFORE)
    curves["after"] = (_check_shape("after", after, shape), _AFTER)
    _check_shape("t", time, shape[:1])
    units = units or ["N m"] * len(joints)
    if time.size > MOST_POINTS:
        title = f"{title}, drawn by the extremes of each {_stretch(time.size)} samples"

    def draw(figure: Figure, place: SubplotSpec, j: int) -> None:
        rows = place.subgridspec(2, 1, height_ratios=(3, 1), hspace=0.08)
        upper = figure.add_subplot(rows[0])
        lower = figure.add_subplot(rows[1], sharex=upper)
        true, said = curves["measured"][0][:, j], []
        for label, (values, style) in curves.items():
            upper.plot(*_thin_out(time, values[:, j]), label=label, **style)
            if label != "measured":
                error = values[:, j] - true
                lower.plot(*_thin_out(time, error), **{**style, **_ERROR})
                said.append(f"{label} {_rms(error):.3g}")
        upper.set_title(f"{_short(joints[j])}: RMSE {', '.join(said)} {units[j]}", **_PLAIN)
        upper.set_ylabel(f"[{units[j]}]", **_PLAIN)
        upper.tick_params(labelbottom=False)
        upper.margins(x=0)
        lower.set_ylabel("error")
        lower.set_xlabel(axis)

    return _pages("torques", title, draw, len(joints), _Grid(4, min(2, len(joints))))


def parameters(
    theta: npt.ArrayLike,
    prior: npt.ArrayLike,
    standard_deviation: npt.ArrayLike,
    bodies: Sequence[str],
    decided_by: Sequence[Sequence[Decision]] | npt.NDArray[np.str_] | None = None,
    title: str = "Parameters with standard deviations, from the prior and in its units",
) -> list[Page]:
    """Identified parameters against the prior, with standard deviations, a panel a body.

    The units are those of the prior itself: its mass m, and m r and m r^2 with r the root mean
    square distance of its mass from the body origin. So 0 is the prior, and -1 of a mass none left.

    Args:
        theta: (L, 10) about the body origins, in the order "urdf".
        prior: (L, 10) in the same way; of bodies with a mass.
        standard_deviation: (L, 10) in the units of theta; NaN and infinity draw no bar.
        bodies: (L,) names.
        decided_by: (L, 10) of "data", "both" and "prior"; all are drawn as "data" if None.
        title: Over each page.

    Raises:
        ParameterError: Shapes that do not fit, a prior without mass or extent.
        UsageError: matplotlib is not installed.
    """
    shape = (len(bodies), 10)
    theta, prior = _check_shape("theta", theta, shape), _check_shape("prior", prior, shape)
    deviation = _check_shape("standard_deviation", standard_deviation, shape)
    unit = _units(prior, bodies)
    moved, bars = (theta - prior) / unit, deviation / unit
    bars = np.where(np.isfinite(bars), bars, 0.0)
    chosen = np.full(shape, "data") if decided_by is None else np.asarray(decided_by)
    if chosen.shape != shape:
        raise ParameterError(f"decided_by has shape {chosen.shape}, expected {shape}")
    if unknown := set(chosen.ravel().tolist()) - set(_DECIDED):
        raise ParameterError(
            f"decided_by has {sorted(unknown)[0]!r}: expected {', '.join(_DECIDED)}"
        )

    def draw(figure: Figure, place: SubplotSpec, i: int) -> None:
        axes = figure.add_subplot(place)
        axes.axhline(0.0, color="black", linewidth=0.7)
        for decision, style in _DECIDED.items():
            entries = np.flatnonzero(chosen[i] == decision)
            if not entries.size:
                continue
            axes.errorbar(
                entries,
                moved[i, entries],
                yerr=bars[i, entries],
                label=_DECIDED_BY[decision],
                linestyle="",
                markersize=4,
                capsize=2,
                linewidth=0.9,
                **style,
            )
        axes.set_title(_short(bodies[i]), **_PLAIN)
        axes.set_ylabel("change / prior")
        axes.set_xticks(range(10), _ENTRIES)
        axes.set_xlim(-0.5, 9.5)

    return _pages("parameters", title, draw, len(bodies), _Grid(6, 2))


def ellipsoids(
    before: npt.ArrayLike,
    after: npt.ArrayLike,
    bodies: Sequence[str],
    title: str = "Uniform ellipsoids of the same mass and inertia, in the frames of the bodies",
) -> list[Page]:
    """The ellipsoids that have the inertia of each body, before and after: three shadows a body.

    A uniform solid ellipsoid of the body's mass about its centre of mass, with semi-axes
    sqrt(5 s_i / m) along the principal axes, s_i the principal second moments.

    Args:
        before: (L, 10) about the body origins, in the order "urdf"; rows of NaN draw nothing.
        after: (L, 10) in the same way.
        bodies: (L,) names.
        title: Over each page.

    Raises:
        ParameterError: Shapes that do not fit.
        UsageError: matplotlib is not installed.
    """
    shape = (len(bodies), 10)
    sets = [
        ("before", _check_shape("before", before, shape), _BEFORE),
        ("after", _check_shape("after", after, shape), _AFTER),
    ]
    drawable = {
        label: np.asarray(Consistency(theta, "origin").consistent) for label, theta, _ in sets
    }

    def draw(figure: Figure, place: SubplotSpec, panel: int) -> None:
        axes = figure.add_subplot(place)
        i, plane = panel // 3, _PLANES[panel % 3]
        axes.plot(0.0, 0.0, marker="+", color="black", markersize=7, linestyle="")
        lacking = []
        for label, theta, style in sets:
            outline = _shadow(theta[i], plane, drawable[label][i])
            axes.plot(*outline, label=label, **style)
            center = theta[i, 1:4] / theta[i, 0] if theta[i, 0] != 0 else np.full(3, np.nan)
            axes.plot(*center[list(plane)], marker=".", color=style["color"], linestyle="")
            if not drawable[label][i]:
                lacking.append(label)
        if panel % 3 == 0:
            note = f" ({' and '.join(lacking)}: no body, no ellipsoid)" if lacking else ""
            axes.set_title(f"{_short(bodies[i])}{note}", loc="left", **_PLAIN)
        axes.set_xlabel(f"{_LETTERS[plane[0]]} [m]")
        axes.set_ylabel(f"{_LETTERS[plane[1]]} [m]")
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.1)

    return _pages("ellipsoids", title, draw, 3 * len(bodies), _Grid(5, 3))


def k_fold(
    weights: npt.ArrayLike,
    errors: npt.ArrayLike,
    standard_errors: npt.ArrayLike | None,
    chosen: float,
    title: str = "Choice of the weight of the prior by cross-validation",
) -> list[Page]:
    """Validation error over the weight of the prior, and the weight that was chosen.

    Args:
        weights: (c,) candidates, positive.
        errors: (c,) root mean square error of the folds left out, in units of the noise.
        standard_errors: (c,) of those; None to leave out.
        chosen: The weight.
        title: Over the page.

    Raises:
        ParameterError: Shapes that do not fit, a weight that is not positive.
        UsageError: matplotlib is not installed.
    """
    without = standard_errors is None
    deviations = np.zeros_like(errors, dtype=float) if standard_errors is None else standard_errors
    weights, errors, bars = _candidates(weights, errors=errors, standard_errors=deviations)

    def draw(figure: Figure, place: SubplotSpec, _: int) -> None:
        axes = figure.add_subplot(place)
        yerr = None if without else bars
        axes.errorbar(weights, errors, yerr=yerr, capsize=2, label="candidates", **_CANDIDATES)
        axes.axvline(chosen, label=f"chosen: {chosen:.3g}", **_BEFORE)
        axes.set_xscale("log")
        axes.set_xlabel("weight of the prior")
        axes.set_ylabel("validation error / noise")

    return _pages("k-fold", title, draw, 1, _Grid(1, 1))


def l_curve(
    weights: npt.ArrayLike,
    data_terms: npt.ArrayLike,
    prior_terms: npt.ArrayLike,
    chosen: float,
    title: str = "Choice of the weight of the prior by the L-curve",
) -> list[Page]:
    """Distance to the prior over misfit to the data, a point a weight, and the one chosen.

    Args:
        weights: (c,) candidates, positive.
        data_terms: (c,) weighted sums of squared residuals.
        prior_terms: (c,) squared distances to the prior, without the weight.
        chosen: The weight; the candidate nearest to it is marked.
        title: Over the page.

    Raises:
        ParameterError: Shapes that do not fit, a weight or a term that is not positive.
        UsageError: matplotlib is not installed.
    """
    weights, data, prior = _candidates(weights, data_terms=data_terms, prior_terms=prior_terms)
    _expect_positive("data_terms", data)
    _expect_positive("prior_terms", prior)
    best = int(np.argmin(np.abs(np.log(weights / chosen))))

    def draw(figure: Figure, place: SubplotSpec, _: int) -> None:
        axes = figure.add_subplot(place)
        axes.plot(data, prior, label="candidates, with their weights", **_CANDIDATES)
        axes.plot(data[best], prior[best], label=f"chosen: {weights[best]:.3g}", **_CHOSEN)
        for k in _apart(np.log(data), np.log(prior)):
            at = (float(data[k]), float(prior[k]))
            near: _Style = {"xytext": (4, 4), "textcoords": "offset points"}
            axes.annotate(f"{weights[k]:.3g}", at, fontsize=6, **near)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("misfit to the data, weighted sum of squares")
        axes.set_ylabel("squared distance to the prior")

    return _pages("l-curve", title, draw, 1, _Grid(1, 1))


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
    if suffix and suffix not in SUFFIXES and not os.path.isdir(target):
        expected = ", ".join(SUFFIXES)
        raise UsageError(f"{target}: pictures are {expected}, or svg in a folder: name it so")
    with _library():
        if suffix == ".pdf":
            return {target: _pdf(pages)}
        if suffix in SUFFIXES:
            return {f"{stem}-{page.name}{suffix}": _image(page, suffix) for page in pages}
        return {os.path.join(target, f"{page.name}.svg"): _image(page, ".svg") for page in pages}


def write_all(path: str | os.PathLike[str], pages: Sequence[Page]) -> list[str]:
    """Write pages; see `render_pages`. A folder that does not exist is made.

    Returns:
        The paths of the files.

    Raises:
        UsageError: As for `render_pages`, or a file cannot be written.
    """
    files = render_pages(path, pages)
    for name, data in files.items():
        try:
            ANYWHERE_NAMED.resolve(name)
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            write_output(name, data)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise UsageError(f"{name}: cannot be written: {reason}") from error
    return list(files)


# Pages


Draw: TypeAlias = "Callable[[Figure, SubplotSpec, int], None]"


class _Grid(NamedTuple):
    """How many panels are below and beside each other on a full page."""

    rows: int
    columns: int


_PLAIN: _Style = {"parse_math": False}
"""Names are text: a dollar sign in one begins no formula."""


@contextmanager
def _library() -> Iterator[None]:
    """Our style for matplotlib, and its settings as they were afterwards.

    Raises:
        UsageError: It is not installed.
    """
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise UsageError(
            'pictures are drawn by matplotlib: pip install "inertial-check[report]"'
        ) from None
    with matplotlib.rc_context(), warnings.catch_warnings():
        # Letters that its font lacks are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def _pages(name: str, title: str, draw: Draw, panels: int, grid: _Grid) -> list[Page]:
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
    with _library():
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


def _page(title: str, draw: Draw, panels: range, grid: _Grid) -> Figure:
    from matplotlib.figure import Figure

    rows, columns = -(-len(panels) // grid.columns), grid.columns
    width, full = _PAGE if grid.rows > 1 else (_PAGE[0], 0.75 * _PAGE[0])
    tall = (full - _TOP - _BOTTOM - (grid.rows - 1) * _BETWEEN_ROWS) / grid.rows
    wide = (width - _LEFT - _RIGHT - (columns - 1) * _LEFT) / columns
    height = _TOP + _BOTTOM + rows * tall + (rows - 1) * _BETWEEN_ROWS
    figure = Figure(figsize=(width, height))
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
    figure.suptitle(title, x=left, y=1 - 0.12 / height, ha="left", va="top", fontsize=10, **_PLAIN)
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


def _pdf(pages: Sequence[Page]) -> bytes:
    from matplotlib.backends.backend_pdf import PdfPages

    stream = BytesIO()
    with PdfPages(stream, metadata={"CreationDate": None}) as document:
        for page in pages:
            document.savefig(page.figure)
    return stream.getvalue()


def _image(page: Page, suffix: str) -> bytes:
    stream = BytesIO()
    metadata = {"Date": None} if suffix == ".svg" else {"Software": None}
    page.figure.savefig(stream, format=suffix[1:], metadata=metadata)
    return stream.getvalue()


def _short(name: str) -> str:
    """A name that fits over a panel: its beginning and its end."""
    if len(name) <= _LONGEST_NAME:
        return name
    half = (_LONGEST_NAME - 1) // 2
    return f"{name[:half]}\N{HORIZONTAL ELLIPSIS}{name[-half:]}"


# Numbers


def _check_shape(name: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = np.asarray(values, dtype=float)
    if array.shape != shape:
        raise ParameterError(f"{name} has shape {array.shape}, expected {shape}")
    return array


def _candidates(weights: npt.ArrayLike, **values: npt.ArrayLike) -> list[Floats]:
    """The weights and what belongs to each, by ascending weight."""
    candidates = np.atleast_1d(np.asarray(weights, dtype=float))
    _expect_positive("weights", candidates)
    order = np.argsort(candidates)
    return [
        candidates[order],
        *(_check_shape(name, each, candidates.shape)[order] for name, each in values.items()),
    ]


def _expect_positive(name: str, values: Floats) -> None:
    if not np.all(values > 0):
        bad = float(values[~(values > 0)][0])
        raise ParameterError(f"{name} has {bad!r}: on a logarithmic axis all are positive")


def _apart(x: Floats, y: Floats) -> Iterator[int]:
    """Those points of a curve that are far enough from the one before to bear a label."""
    points = np.stack([x / (np.ptp(x) or 1.0), y / (np.ptp(y) or 1.0)], axis=1)
    last = np.full(2, np.inf)
    for k, point in enumerate(points):
        if not np.linalg.norm(point - last) < _LABEL_DISTANCE:
            last = point
            yield k


def _stretch(samples: int) -> int:
    """Compute the number of samples of which the two extremes are drawn."""
    return -(-2 * samples // MOST_POINTS)


def _thin_out(time: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Thin out a line to about MOST_POINTS points: the extremes of each stretch of samples."""
    if time.size <= MOST_POINTS:
        return time, values
    stretch = _stretch(time.size)
    whole = time.size // stretch * stretch
    rows = values[:whole].reshape(-1, stretch)
    extremes = np.stack([rows.argmin(axis=1), rows.argmax(axis=1)], axis=1)
    kept = np.sort(extremes, axis=1) + np.arange(0, whole, stretch)[:, None]
    chosen = np.append(kept.ravel(), np.arange(whole, time.size))
    return time[chosen], values[chosen]


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2))) if values.size else 0.0


def _units(prior: Floats, bodies: Sequence[str]) -> Floats:
    """(L, 10) what one is of each parameter: m, m r and m r^2 of the prior."""
    mass = prior[:, 0]
    # The trace of an inertia is twice the second moment of the distances.
    spread = (prior[:, 4] + prior[:, 7] + prior[:, 9]) / 2
    for i in np.flatnonzero(~((mass > 0) & (spread > 0))).tolist():
        raise ParameterError(
            f"prior of {bodies[i]!r} has mass {float(mass[i])!r} and second moment "
            f"{float(spread[i])!r}; its units are those of a body, whose are positive"
        )
    powers = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    found: Floats = mass[:, None] * np.sqrt(spread / mass)[:, None] ** powers
    return found


def _shadow(theta: Floats, plane: tuple[int, int], drawable: bool) -> Floats:
    """(2, n) outline of a body's uniform ellipsoid, seen along the axis that is not in a plane.

    The shadow of {c + A u, |u| <= 1} is the ellipse of the plane's rows of A A^T = 5 S_c / m.
    """
    if not drawable:
        return np.full((2, _OUTLINE), np.nan)
    body = InertialParameters.from_theta(theta)
    axes = list(plane)
    squares, directions = np.linalg.eigh(5.0 * np.asarray(body.covariance)[np.ix_(axes, axes)])
    angles = np.linspace(0.0, 2 * np.pi, _OUTLINE)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    radii = np.sqrt(np.maximum(squares, 0.0))[:, None]
    outline: Floats = np.asarray(body.com)[axes, None] + directions @ (radii * circle)
    return outline
