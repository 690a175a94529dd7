"""Plots of the choice of the weight of the prior: cross-validation and L-curve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError
from inertial_check.plotting.pages import Grid, Page, build_pages
from inertial_check.plotting.style import BEFORE, BLUE, ORANGE, Style, check_shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec

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
