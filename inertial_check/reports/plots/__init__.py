"""Plots of inertial parameters, fixes and identifications; `import inertial_check as ic; ic.plot`.

Models, reports and arrays in, figures of matplotlib out. matplotlib is imported when a plot is
drawn, never pyplot: the user's own figures, backend and settings stay as they are, and do not show
in a new figure.
"""

from __future__ import annotations

from inertial_check.reports.plots.bodies import (
    ellipsoids,
    identification,
    k_fold,
    l_curve,
    margins,
    overview,
    parameters,
    principal_moments,
    torques,
)
from inertial_check.reports.plots.figure import (
    MOST_POINTS,
    SUFFIXES,
    Page,
    check_target,
    render_pages,
    save,
    write_all,
)
from inertial_check.reports.plots.fixes import fix

__all__ = [
    "MOST_POINTS",
    "SUFFIXES",
    "Page",
    "check_target",
    "ellipsoids",
    "fix",
    "identification",
    "k_fold",
    "l_curve",
    "margins",
    "overview",
    "parameters",
    "principal_moments",
    "render_pages",
    "save",
    "torques",
    "write_all",
]
