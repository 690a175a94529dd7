"""Plot of identified parameters against the prior, with standard deviations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError
from inertial_check.plotting.pages import Grid, Page, build_pages
from inertial_check.plotting.style import (
    BLUE,
    ENTRIES,
    GREEN,
    ORANGE,
    PLAIN,
    Style,
    check_shape,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec

Decision = Literal["data", "both", "prior"]
"""Source that decides a parameter: the data, both, or the prior alone."""

_DECIDED: Mapping[Decision, Style] = {
    "data": {"color": BLUE, "marker": "o", "markerfacecolor": BLUE},
    "both": {"color": GREEN, "marker": "D", "markerfacecolor": "white"},
    "prior": {"color": ORANGE, "marker": "s", "markerfacecolor": "white"},
}
_DECIDED_BY: Mapping[Decision, str] = {
    "data": "decided by the data",
    "both": "by data and prior",
    "prior": "by the prior alone",
}


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
    theta, prior = check_shape("theta", theta, shape), check_shape("prior", prior, shape)
    deviation = check_shape("standard_deviation", standard_deviation, shape)
    unit = scale_by_prior(prior, bodies)
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
        axes.set_title(shorten(bodies[i]), **PLAIN)
        axes.set_ylabel("change / prior")
        axes.set_xticks(range(10), ENTRIES)
        axes.set_xlim(-0.5, 9.5)

    return build_pages("parameters", title, draw, len(bodies), Grid(6, 2))


def scale_by_prior(prior: Floats, bodies: Sequence[str]) -> Floats:
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
