"""Bodies to draw, taken from a model, a report, a fix, an identification, or an array.

Plot of the uniform ellipsoids that have the inertia of each body, before and after.

Plot of the margins of bodies, the worst first.

Plot of principal moments in the triangle whose corners are the ball, the rod and the plate.

Plot of identified parameters against the prior, with standard deviations.

Plot of an identification: how well its bodies explain the torques, and what they moved.

Plot of torques over time: measured, and as two sets of parameters predict them.

Plots of the choice of the weight of the prior: cross-validation and L-curve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from inertial_check.checking.report import FileReport, Report
from inertial_check.documents.model import Judgement, Model, judge
from inertial_check.errors import ParameterError
from inertial_check.fixing.result import Fix
from inertial_check.inertia.arrays import ArrayLike, Floats
from inertial_check.inertia.consistency import Bodies, Consistency, check
from inertial_check.inertia.notebook import CORNERS, LOWEST, place_shapes
from inertial_check.inertia.parameters import InertialParameters, body_names
from inertial_check.inertia.representations import Order, Point, find_form, reorder
from inertial_check.projection.result import Projection
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
    RED,
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
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec


class Identified(Protocol):
    """An identification, as `inertial_check.identify` returns it: what the plots read of it.

    The estimate stands above the plots, which therefore know its attributes and not its class.
    """

    bodies: tuple[str, ...]
    order: Order
    given: Floats
    rmse: Floats
    prior_rmse: Floats
    least_squares_rmse: Floats

    @property
    def theta(self) -> Floats:
        """(L, 10) the identified parameters in the order of the caller."""

    @property
    def consistency(self) -> Consistency:
        """The verdicts of the identified bodies."""

    @property
    def identifiability(self) -> Identifiability:
        """Information that decided each parameter."""


class Identifiability(Protocol):
    """Information that decided the parameters of an identification."""

    decided_by: ArrayLike


def is_identification(subject: object) -> TypeGuard[Identified]:
    """Tell whether an object is an identification, by the attributes of its class."""
    return hasattr(type(subject), "identifiability") and hasattr(subject, "least_squares_rmse")


Subject: TypeAlias = (
    Model | Report | FileReport | Fix | Identified | Consistency | Projection | Bodies
    | ArrayLike
)  # fmt: skip
"""Anything that holds inertial parameters of bodies."""


@dataclass(frozen=True, eq=False)
class BodyRows:
    """Bodies as rows of arrays.

    Attributes:
        names: Names of the n bodies, as written.
        moments: (n, 3) principal moments [kg m^2]; NaN where there are none.
        margins: (n,) margins; NaN where they are not defined.
        verdicts: Names of the verdicts.
    """

    names: tuple[str, ...]
    moments: Floats
    margins: Floats
    verdicts: tuple[str, ...]

    def __len__(self) -> int:
        """Number of bodies."""
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Change:
    """Bodies, and what they were before a change.

    Attributes:
        after: The bodies; those of a subject without a history.
        before: The same bodies before the change; None without a history.
    """

    after: BodyRows
    before: BodyRows | None = None


def read_subject(
    subject: Subject,
    names: Sequence[str] | None = None,
    order: Order | None = None,
    about: Point | None = None,
) -> Change:
    """Read the bodies of a subject.

    Args:
        subject: See `Subject`; an array holds ten parameters in its last axis.
        names: Names of the bodies, in place of those of the subject.
        order: Order of the last six parameters of an array.
        about: Point about which an array takes its inertias.

    Raises:
        ParameterError: Another kind of object, numbers of another shape, or another number of
            names.
    """
    change = _read(subject, order, about)
    if names is None:
        return change
    shown = body_names(names, len(change.after))
    before = None if change.before is None else replace(change.before, names=shown)
    return Change(replace(change.after, names=shown), before)


def _read(subject: Subject, order: Order | None, about: Point | None) -> Change:
    if isinstance(subject, Model):
        bodies = subject.bodies
        return Change(_join([body.name for body in bodies], judge(subject)))
    if isinstance(subject, (Report, FileReport)):
        files = subject.files if isinstance(subject, Report) else (subject,)
        # Read the bodies of all files; with several files, names say which one.
        several = len(files) > 1
        files_bodies = [(body, file.path) for file in files for body in file.bodies]
        names = [f"{body.name} ({path})" if several else body.name for body, path in files_bodies]
        return Change(_join(names, [body.judgement for body, _ in files_bodies]))
    if isinstance(subject, Fix):
        # Read the tensors before and after what the fix writes, in any axes: moments need none.
        old = [(np.nan,) * 6 if body.old is None else body.old for body in subject.bodies]
        new = [
            body.new if body.status == "fixed" and body.new is not None else before
            for body, before in zip(subject.bodies, old, strict=True)
        ]
        fix_names = [body.name for body in subject.bodies]
        return Change(*(_read_tensors(tensors, fix_names) for tensors in (new, old)))
    if is_identification(subject):
        sides = (subject.consistency, check(subject.given))
        return Change(*(_read_consistency(side, subject.bodies) for side in sides))
    return Change(_read_consistency(_check_numbers(subject, order, about)))


def _check_numbers(subject: Subject, order: Order | None, about: Point | None) -> Consistency:
    if isinstance(subject, Consistency):
        return subject
    expected = (
        "a Model, a Report, a Fix, an Identification, InertialParameters, or an array of shape "
        "(..., 10)"
    )
    if isinstance(subject, Bodies):
        return check(subject)
    return check(read_parameters(subject, order, about, expected))


def read_parameters(
    subject: object, order: Order | None, about: Point | None, expected: str
) -> InertialParameters:
    """Read bodies from a projection, parameters or an array (..., 10).

    Raises:
        ParameterError: The subject is none of these; names what is expected.
    """
    if isinstance(subject, Projection):
        subject = subject.parameters
    if isinstance(subject, InertialParameters):
        return subject
    try:
        theta = np.asarray(subject, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"cannot plot {type(subject).__name__}: expected {expected}") from None
    return InertialParameters.from_theta(theta, *find_form(subject, order, about))


def _join(names: Sequence[str], judgements: Sequence[Judgement]) -> BodyRows:
    return BodyRows(
        tuple(names),
        np.array([each.principal_moments for each in judgements], dtype=np.float64).reshape(-1, 3),
        np.array([each.margin for each in judgements], dtype=np.float64),
        tuple(each.verdict for each in judgements),
    )


def _read_consistency(judged: Consistency, names: Sequence[str] | None = None) -> BodyRows:
    margins = np.asarray(judged.margin, dtype=np.float64).reshape(-1)
    return BodyRows(
        body_names(names, margins.size),
        np.asarray(judged.principal_moments, dtype=np.float64).reshape(-1, 3),
        margins,
        tuple(np.asarray(judged.verdict).reshape(-1).tolist()),
    )


def _read_tensors(tensors: Sequence[Sequence[float]], names: Sequence[str]) -> BodyRows:
    theta = np.zeros((len(tensors), 10))
    theta[:, 0] = 1.0  # the mass decides neither the moments nor the margin
    theta[:, 4:] = np.array(tensors, dtype=np.float64).reshape(-1, 6)
    return _read_consistency(check(theta, about="com"), names)


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
        i, plane = panel // 3, ((0, 1), (0, 2), (1, 2))[panel % 3]
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


MOST = 40
"""Default of the largest number of bodies that `margins` draws: more make a page that nobody reads;
the others are counted."""

_BEST = 1 / 3
"""Margin of a ball; none is larger."""

_COLORS = {"consistent": BLUE, "boundary": ORANGE, "rounding": ORANGE}
"""Colour of each verdict; all others are red."""


def margins(
    subject: Subject,
    names: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
    most: int = MOST,
    order: Order | None = None,
    about: Point | None = None,
) -> Figure:
    """Draw the margins of bodies, the worst first; a body below 0 cannot exist.

    A margin has no unit: it does not depend on the mass and the size of a body. Of a Fix and an
    Identification, a hollow circle is the margin before.

    Args:
        subject: Model, Report, Fix, Identification, Consistency, Projection, InertialParameters, or
            an array (..., 10).
        names: Names of the bodies, in place of those of the subject.
        ax: Axes to draw in; None for a new figure.
        most: Largest number of bodies to draw; the others are counted.
        order: Order of the last six parameters of an array.
        about: Point about which an array takes its inertias.

    Returns:
        The figure.

    Raises:
        ParameterError: The subject or its numbers have another form, or most is below 1.
        UsageError: matplotlib is not installed.
    """
    if most < 1:
        raise ParameterError(f"most is {most!r}, expected at least 1")
    change = read_subject(subject, names, order, about)
    known = np.flatnonzero(np.isfinite(change.after.margins))
    after = change.after.margins
    worst = known[
        np.argsort(
            (after if change.before is None else np.fmin(after, change.before.margins))[known],
            kind="stable",
        )
    ][:most]
    with open_axes(ax, (7.2, 1.1 + 0.19 * max(len(worst), 4))) as (axes,):
        _draw_rows(axes, change, worst.tolist())
        title = "Margins, worst first"
        if worst.size < known.size:
            title += f": {worst.size} of {plural(known.size, 'body')}"
        axes.set_title(title)
        note = "margin (0 or more is needed; a ball has 1/3)"
        if missing := len(change.after) - known.size:
            note += f"; {plural(missing, 'body')} without one not shown"
        axes.set_xlabel(note)
    return find_figure(axes)


def _draw_rows(axes: Axes, change: Change, worst: list[int]) -> None:
    rows, before = change.after, change.before
    places = np.arange(len(worst))
    values = rows.margins[worst]
    colors = [_COLORS.get(rows.verdicts[i], RED) for i in worst]
    axes.barh(places, values, height=0.7, color=colors)
    if before is not None:
        axes.plot(
            np.where(before.margins[worst] == values, np.nan, before.margins[worst]), places,
            linestyle="", marker="o", markersize=4, color=GRAY, markerfacecolor="none",
            label="before"
        )  # fmt: skip
        axes.legend(loc="lower right", frameon=False)
    # Numbers stand to the right of the bar and of the mark before, so that none covers another.
    ends = np.fmax(values, 0.0 if before is None else before.margins[worst])
    for place, value, end in zip(places.tolist(), values.tolist(), ends.tolist(), strict=True):
        axes.annotate(
            f"{value:.3g}", (max(end, 0.0), place), xytext=(5, 0), textcoords="offset points",
            va="center", fontsize=6
        )  # fmt: skip
    axes.set_yticks(places, [shorten(rows.names[i], 36) for i in worst], **PLAIN)
    axes.set_ylim(len(worst) - 0.4 if worst else 0.5, -0.6)
    axes.axvline(0.0, color="black", linewidth=0.8)
    lowest = values if before is None else np.fmin(values, before.margins[worst])
    least = float(np.min(lowest, initial=0.0))
    axes.axvspan(least - 0.05, 0.0, color="#f4d9d0", linewidth=0, zorder=0)
    axes.set_xlim(least - 0.05, _BEST + 0.08)
    axes.grid(visible=False, axis="y")


_LABELS = 12
"""Largest number of bodies with a name beside their point: the worst of them."""

_MOST_MARKS = 2000
"""Number of bodies from which the points are drawn as an image, so that a file stays small."""

_LEFT, _RIGHT, _TOP = -0.3, 1.3, 1.12
"""Ends of the axes; bodies beyond them are drawn at the edge."""

_HEIGHT = 3**0.5 / 2
"""Height of the triangle over its base: its sides are equal."""

_ROOM = 0.14
"""Room below the lowest body."""

_IMPOSSIBLE = "#f4d9d0"
"""Colour of the region of tensors that no body has."""

_MARKS: dict[str, Style] = {
    "consistent": {"marker": "o", "color": BLUE},
    "singular or rounded": {"marker": "D", "color": ORANGE},
    "impossible": {"marker": "X", "color": RED},
}
"""Markers of the groups of verdicts."""

_GROUPS = {
    "consistent": "consistent",
    "boundary": "singular or rounded",
    "rounding": "singular or rounded",
}
"""Group of each verdict; all others are impossible."""


def principal_moments(
    subject: Subject,
    names: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
    order: Order | None = None,
    about: Point | None = None,
) -> Figure:
    """Draw where bodies lie between ball, rod and plate; the impossible region is shaded.

    The height above the edge from rod to plate is the margin. Size and mass of a body do not
    matter. Of a Fix and an Identification, a line leads from where each body was before.

    Args:
        subject: Model, Report, Fix, Identification, Consistency, Projection, InertialParameters, or
            an array (..., 10).
        names: Names of the bodies, in place of those of the subject.
        ax: Axes to draw in; None for a new figure.
        order: Order of the last six parameters of an array.
        about: Point about which an array takes its inertias.

    Returns:
        The figure.

    Raises:
        ParameterError: The subject or its numbers have another form.
        UsageError: matplotlib is not installed.
    """
    change = read_subject(subject, names, order, about)
    sides = [rows for rows in (change.before, change.after) if rows is not None]
    places = [place_shapes(rows.moments) for rows in sides]
    # Find the lower end of the axes: some of the impossible region, and all of the bodies in it.
    heights = np.concatenate([points[:, 1] for points in places])
    least = float(np.min(heights, initial=0.0, where=np.isfinite(heights)))
    bottom = max(LOWEST, min(least, -_ROOM)) - _ROOM
    places = [
        np.clip(points, [_LEFT + 0.02, bottom + 0.02], [_RIGHT - 0.02, _TOP - 0.02])
        for points in places
    ]
    height = _HEIGHT * (_TOP - bottom) / (_RIGHT - _LEFT)
    with open_axes(ax, (5.6, 0.7 + 5.0 * height)) as (axes,):
        _draw_regions(axes, bottom)
        if len(places) > 1:
            # Draw lines from where the bodies were to where they are.
            points = np.stack(places)
            moved = np.all(np.isfinite(points), axis=(0, 2)) & np.any(
                points[0] != points[1], axis=-1
            )
            if moved.any():
                # One line of all bodies, broken between them, is one object to draw.
                gaps = np.full((1, int(np.count_nonzero(moved)), 2), np.nan)
                path = np.concatenate([points[:, moved], gaps]).transpose(1, 0, 2).reshape(-1, 2)
                axes.plot(*path.T, color=GRAY, linewidth=0.7, zorder=1)
                axes.plot(
                    *points[0, moved].T, linestyle="", marker="o", markersize=4, color=GRAY,
                    markerfacecolor="white", label=f"before: {np.count_nonzero(moved)}"
                )  # fmt: skip
        _draw_bodies(axes, change.after, places[-1])
        axes.set_title("Principal moments between ball, rod and plate")
    return find_figure(axes)


def _draw_regions(axes: Axes, bottom: float) -> None:
    """Draw the triangle, its corners, and the region of tensors that no body has."""
    axes.axhspan(bottom, 0.0, color=_IMPOSSIBLE, linewidth=0, zorder=0)
    axes.text(0.5, bottom + 0.03, "no body has these moments", ha="center", va="bottom", color=RED)
    corners = [CORNERS[name] for name in ("rod", "plate", "ball", "rod")]
    axes.plot(*zip(*corners, strict=True), color="black", linewidth=0.8, zorder=1)
    for name, (x, y) in CORNERS.items():
        above = y > 0
        axes.annotate(
            name,
            (x, y),
            xytext=(0, 5) if above else (-8 if x == 0 else 8, 5),
            textcoords="offset points",
            ha="center" if above else "right" if x == 0 else "left",
        )
    axes.set_xlim(_LEFT, _RIGHT)
    axes.set_ylim(bottom, _TOP)
    axes.set_aspect(_HEIGHT)
    axes.set_xticks([])
    margins = [-1 / 3, -1 / 6, 0.0, 1 / 6, 1 / 3]
    shown = [each for each in margins if 3 * each >= bottom]
    axes.set_yticks([3 * each for each in shown], [f"{each:.2g}" for each in shown])
    axes.set_ylabel("margin")
    axes.grid(visible=False)


def _draw_bodies(axes: Axes, rows: BodyRows, points: Floats) -> None:
    placed = np.all(np.isfinite(points), axis=-1)
    groups = np.array([_GROUPS.get(verdict, "impossible") for verdict in rows.verdicts], dtype=str)
    for group, style in _MARKS.items():
        chosen = placed & (groups == group)
        if chosen.any():
            axes.plot(
                *points[chosen].T,
                linestyle="",
                markersize=5,
                markeredgecolor="white",
                markeredgewidth=0.4,
                label=f"{group}: {np.count_nonzero(chosen)}",
                rasterized=np.count_nonzero(chosen) > _MOST_MARKS,
                **style,
            )
    # Write the names of the worst bodies beside their points, where there is room.
    taken: list[Floats] = []
    for i in np.lexsort((rows.margins, ~placed))[: 4 * _LABELS].tolist():
        near = any(np.all(np.abs(points[i] - each) < (0.35, 0.045)) for each in taken)
        if not placed[i] or near or len(taken) == _LABELS:
            continue
        taken.append(points[i])
        right = bool(points[i][0] > 0.7)
        axes.annotate(
            shorten(rows.names[i], 24),
            points[i],
            xytext=(-5 if right else 5, 2),
            textcoords="offset points",
            ha="right" if right else "left",
            fontsize=6,
            annotation_clip=True,
            **PLAIN,
        )
    if missing := len(rows) - np.count_nonzero(placed):
        axes.set_xlabel(f"{plural(int(missing), 'body')} without moments not shown")
    if placed.any():
        axes.legend(loc="upper left", frameon=False)


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


def overview(subject: Subject, *, order: Order | None = None, about: Point | None = None) -> Figure:
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
