"""Plot of all bodies of a model or a report: margins beside the triangle of principal moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inertial_check.inertia.representations import Order, Point
from inertial_check.reports.plots.bodies import MOST, margins, principal_moments
from inertial_check.reports.plots.figure import find_figure, open_axes
from inertial_check.reports.plots.subjects import Subject, read_subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def overview(subject: Subject, *, order: Order = "urdf", about: Point = "origin") -> Figure:
    """Draw the margins of bodies beside the triangle of their principal moments.

    Args:
        subject: As `principal_moments` and `margins` take it.
        order: Order of the last six parameters of an array.
        about: Point about which an array takes its inertias.

    Returns:
        The figure.

    Raises:
        ParameterError: The subject or its numbers have another form.
        UsageError: matplotlib is not installed.
    """
    count = len(read_subject(subject, None, order, about).after)
    size = (11.0, max(5.6, 1.1 + 0.19 * min(count, MOST)))
    with open_axes(None, size, columns=2) as (left, right):
        margins(subject, ax=left, order=order, about=about)
        principal_moments(subject, ax=right, order=order, about=about)
    return find_figure(left)
