"""Plot of the uniform ellipsoids that have the inertia of each body, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.plotting.pages import Grid, Page, build_pages
from inertial_check.plotting.style import AFTER, BEFORE, PLAIN, check_shape, shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec

_PLANES = ((0, 1), (0, 2), (1, 2))
_LETTERS = ("x", "y", "z")
_OUTLINE = 181


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
        ("before", check_shape("before", before, shape), BEFORE),
        ("after", check_shape("after", after, shape), AFTER),
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
            axes.set_title(f"{shorten(bodies[i])}{note}", loc="left", **PLAIN)
        axes.set_xlabel(f"{_LETTERS[plane[0]]} [m]")
        axes.set_ylabel(f"{_LETTERS[plane[1]]} [m]")
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.1)

    return build_pages("ellipsoids", title, draw, 3 * len(bodies), Grid(5, 3))


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
