"""Plot of an identification: how well its bodies explain the torques, and what they moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia.representations import reorder
from inertial_check.plotting.canvas import find_figure, open_axes
from inertial_check.plotting.parameters import scale_by_prior
from inertial_check.plotting.style import BLUE, ENTRIES, GREEN, ORANGE, PLAIN, shorten
from inertial_check.plotting.subjects import Identified, is_identification
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
        _draw_changes(panels[0], subject, most)
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


def _draw_changes(axes: Axes, found: Identified, most: int) -> None:
    """Draw the changes of the parameters from the prior, a row a body."""
    theta = np.asarray(reorder(found.theta, found.order, "urdf"))
    prior = np.asarray(found.given)
    moved = (theta - prior) / scale_by_prior(prior, found.bodies)
    order = np.argsort(-np.max(np.abs(moved), axis=1), kind="stable")[:most]
    kept = np.sort(order)
    shown = moved[kept]
    # The ends of the colours: the largest change, which a single body can make large.
    reach = float(np.max(np.abs(shown), initial=0.0)) or 1.0
    image = axes.imshow(shown, cmap="PuOr", vmin=-reach, vmax=reach, aspect="auto")
    bar = axes.figure.colorbar(image, ax=axes, fraction=0.04)
    bar.set_label("change / prior")
    decided = np.asarray(found.identifiability.decided_by)
    columns = np.asarray(reorder(np.arange(10.0), found.order, "urdf")).astype(int)
    rows, entries = np.nonzero(decided[:, columns][kept] == "prior")
    axes.plot(entries, rows, linestyle="", marker=".", markersize=3, color="black",
              label="decided by the prior alone")  # fmt: skip
    axes.set_xticks(range(10), ENTRIES)
    axes.set_yticks(range(len(kept)), [shorten(found.bodies[i], 24) for i in kept], **PLAIN)
    axes.grid(visible=False)
    title = "Changes from the prior"
    if len(kept) < len(found.bodies):
        title += f": {len(kept)} of {plural(len(found.bodies), 'body')} that moved most"
    axes.set_title(title)
    axes.set_xlabel("dot: decided by the prior alone")
