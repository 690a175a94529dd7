"""Style of the plots: matplotlib's settings, colours, and texts that are never markup."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError, UsageError
from inertial_check.reports.escaping import printable

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
