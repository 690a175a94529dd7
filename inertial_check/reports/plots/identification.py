"""Plot of an identification: how well its bodies explain the torques, and what they moved.

Plot of torques over time: measured, and as two sets of parameters predict them.

Plots of the choice of the weight of the prior: cross-validation and L-curve.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inertial_check.errors import ParameterError
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import reorder
from inertial_check.reports.plots.bodies import scale_by_prior
from inertial_check.reports.plots.figure import (
    AFTER,
    BEFORE,
    BLUE,
    ENTRIES,
    GRAY,
    GREEN,
    MOST_POINTS,
    ORANGE,
    PLAIN,
    Grid,
    Page,
    Style,
    break_line,
    build_pages,
    check_shape,
    count_in_stretch,
    find_figure,
    find_joins,
    open_axes,
    shorten,
)
from inertial_check.reports.plots.subjects import Identified, is_identification
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec


MOST = 40
"""Default of the largest number of bodies that `identification` draws; the others are counted."""

_FITS = (("prior", ORANGE), ("identified", BLUE), ("least squares", GREEN))


def identification(subject: Identified, *, ax: Axes | None = None, most: int = MOST) -> Figure:
    """Draw what an identification moved, in the units of the prior, and how well it fits.

    A cell is the change of a parameter over the prior's own unit: its mass m, m r for the first
    moment and m r^2 for the inertia, with r the root mean square distance of its mass from the
    body's origin. A dot marks a parameter that the prior alone decides. Beside it stands the root
    mean square error of each joint's torque.

    Args:
        subject: Identification.
        ax: Axes to draw the changes in, without the errors; None for a new figure with both.
        most: Largest number of bodies to draw, those that moved most; the others are counted.

    Returns:
        The figure.

    Raises:
        ParameterError: The subject is no Identification, a body of the prior has no mass or no
            extent, or most is below 1.
        UsageError: matplotlib is not installed.
    """
    if not is_identification(subject):
        raise ParameterError(f"cannot plot {type(subject).__name__}: expected an Identification")
    if most < 1:
        raise ParameterError(f"most is {most!r}, expected at least 1")
    height = 1.4 + 0.24 * max(min(len(subject.bodies), most), len(subject.rmse), 4)
    with open_axes(ax, (10.0, height), columns=2) as panels:
        # Draw the changes of the parameters from the prior, a row a body.
        changes_axes = panels[0]
        theta = np.asarray(reorder(subject.theta, subject.order, "urdf"))
        prior = np.asarray(subject.given)
        moved = (theta - prior) / scale_by_prior(prior, subject.bodies)
        order = np.argsort(-np.max(np.abs(moved), axis=1), kind="stable")[:most]
        kept = np.sort(order)
        shown = moved[kept]
        # The ends of the colours: the largest change, which a single body can make large.
        reach = float(np.max(np.abs(shown), initial=0.0)) or 1.0
        image = changes_axes.imshow(shown, cmap="PuOr", vmin=-reach, vmax=reach, aspect="auto")
        bar = changes_axes.figure.colorbar(image, ax=changes_axes, fraction=0.04)
        bar.set_label("change / prior")
        decided = np.asarray(subject.identifiability.decided_by)
        columns = np.asarray(reorder(np.arange(10.0), subject.order, "urdf")).astype(int)
        rows, entries = np.nonzero(decided[:, columns][kept] == "prior")
        changes_axes.plot(entries, rows, linestyle="", marker=".", markersize=3, color="black",
                  label="decided by the prior alone")  # fmt: skip
        changes_axes.set_xticks(range(10), ENTRIES)
        changes_axes.set_yticks(
            range(len(kept)), [shorten(subject.bodies[i], 24) for i in kept], **PLAIN
        )
        changes_axes.grid(visible=False)
        title = "Changes from the prior"
        if len(kept) < len(subject.bodies):
            title += f": {len(kept)} of {plural(len(subject.bodies), 'body')} that moved most"
        changes_axes.set_title(title)
        changes_axes.set_xlabel("dot: decided by the prior alone")
        if len(panels) > 1:
            # Draw the root mean square error of each joint under three sets of parameters.
            axes = panels[1]
            errors = (subject.prior_rmse, subject.rmse, subject.least_squares_rmse)
            places = np.arange(len(subject.rmse))
            for shift, ((label, color), values) in enumerate(zip(_FITS, errors, strict=True)):
                axes.barh(
                    places + 0.27 * (shift - 1), values, height=0.25, color=color, label=label
                )
            axes.set_yticks(places, [f"joint {j + 1}" for j in places.tolist()])
            axes.invert_yaxis()
            axes.set_xlabel("root mean square error of the torque [N m or N]")
            axes.set_title("Errors of the predicted torques")
            axes.grid(visible=False, axis="y")
            axes.legend(frameon=False)
    return find_figure(panels[0])


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


_CANDIDATES: Style = {
    "color": BLUE, "marker": "o", "markersize": 4, "linewidth": 1.0,
}  # fmt: skip
_CHOSEN: Style = {
    "color": ORANGE, "marker": "s", "markersize": 9, "markerfacecolor": "none", "linestyle": "",
}  # fmt: skip

_LABEL_DISTANCE = 0.04  # of the curve's width and height


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
        axes.axvline(chosen, label=f"chosen: {chosen:.3g}", **BEFORE)
        axes.set_xscale("log")
        axes.set_xlabel("weight of the prior")
        axes.set_ylabel("validation error / noise")

    return build_pages("k-fold", title, draw, 1, Grid(1, 1))


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
            near: Style = {"xytext": (4, 4), "textcoords": "offset points"}
            axes.annotate(f"{weights[k]:.3g}", at, fontsize=6, **near)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("misfit to the data, weighted sum of squares")
        axes.set_ylabel("squared distance to the prior")

    return build_pages("l-curve", title, draw, 1, Grid(1, 1))


def _candidates(weights: npt.ArrayLike, **values: npt.ArrayLike) -> list[Floats]:
    """The weights and what belongs to each, by ascending weight."""
    candidates = np.atleast_1d(np.asarray(weights, dtype=float))
    _expect_positive("weights", candidates)
    order = np.argsort(candidates)
    return [
        candidates[order],
        *(check_shape(name, each, candidates.shape)[order] for name, each in values.items()),
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
