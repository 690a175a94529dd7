"""Plots of inertial parameters, fixes and identifications; `import inertial_check as ic; ic.plot`.

Models, reports and arrays in, figures of matplotlib out. matplotlib is imported when a plot is
drawn, never pyplot: the user's own figures, backend and settings stay as they are, and do not show
in a new figure.
"""

from inertial_check.plotting.ellipsoids import ellipsoids
from inertial_check.plotting.files import SUFFIXES, check_target, render_pages, save, write_all
from inertial_check.plotting.fixes import fix
from inertial_check.plotting.identification import identification
from inertial_check.plotting.lines import MOST_POINTS
from inertial_check.plotting.margins import margins
from inertial_check.plotting.overview import overview
from inertial_check.plotting.pages import Page
from inertial_check.plotting.parameters import parameters
from inertial_check.plotting.torques import torques
from inertial_check.plotting.triangle import principal_moments
from inertial_check.plotting.weights import k_fold, l_curve

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
