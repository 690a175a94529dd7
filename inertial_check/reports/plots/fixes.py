"""Plot of what a fix changes: each number of each body before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.documents.model import ENTRIES
from inertial_check.errors import ParameterError
from inertial_check.fixing.result import BodyFix, Fix
from inertial_check.inertia.arrays import ArrayLike, Floats
from inertial_check.inertia.consistency import Bodies, check
from inertial_check.inertia.parameters import body_names
from inertial_check.inertia.representations import Order, Point
from inertial_check.projection.result import Projection
from inertial_check.reports.plots.bodies import read_parameters
from inertial_check.reports.plots.figure import GRAY, PLAIN, find_figure, open_axes, shorten
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST = 30
"""Default of the largest number of bodies that `fix` draws; the others are counted."""

_COLUMNS = ("m", "x", "y", "z", *ENTRIES)
"""Names of the numbers of a body: mass, centre of mass, and the six entries."""

_LEGEND = (
    "upper number: before; lower: after; times: after over before; per cent and colour: its change "
    "over the largest number of its kind (mass, centre of mass, tensor) in the body"
)


class _Row(NamedTuple):
    """Numbers of a body before and after: mass, centre of mass, and tensor about it.

    Attributes:
        name: Name of the body.
        before: (10,) numbers before; NaN where there are none.
        after: (10,) numbers after.
        change: Relative change of the tensor in the Frobenius norm.
        margins: Margins before and after.
    """

    name: str
    before: Floats
    after: Floats
    change: float
    margins: tuple[float, float]

    @property
    def changes(self) -> Floats:
        """(10,) change of each number over the largest of its kind in the body."""
        # (10,) change of each number over the largest of its kind: mass, centre of mass, tensor.
        before = self.before
        after = self.after
        found = np.zeros(10)
        with np.errstate(all="ignore"):
            for kind in (slice(0, 1), slice(1, 4), slice(4, 10)):
                both = np.array([before[kind], after[kind]])
                size = np.max(np.abs(both), initial=0.0, where=np.isfinite(both))
                # Divided before they are subtracted: numbers near the largest float would overflow.
                found[kind] = both[1] / size - both[0] / size if size > 0 else 0.0
        return np.where(np.isnan(before) & np.isnan(after), np.nan, found)

    @property
    def moved(self) -> bool:
        """Whether any number changes."""
        return bool(np.any((self.before != self.after) & ~np.isnan(self.after)))


def fix(  # noqa: PLR0913 - before and after, and the options of every plot
    subject: Fix | Sequence[Fix] | Sequence[BodyFix] | Bodies | ArrayLike,
    after: Projection | Bodies | ArrayLike | None = None,
    names: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
    most: int = MOST,
    order: Order | None = None,
    about: Point | None = None,
) -> Figure:
    """Draw the numbers of bodies before and after a change, the largest change first.

    The colour of a number is its change over the largest number of its kind in the body: the mass,
    the centre of mass, or the inertia about it. So it does not depend on the size of the body.

    Args:
        subject: Fix, or several; or what `repair` of a loaded model returns; or the bodies before,
            InertialParameters or an array (..., 10).
        after: The bodies after, where the subject is no Fix: a Projection, InertialParameters or an
            array of the same shape.
        names: Names of the bodies, in place of those of the subject.
        ax: Axes to draw in; None for a new figure.
        most: Largest number of bodies to draw; the others are counted.
        order: Order of the last six parameters of arrays.
        about: Point about which arrays take their inertias.

    Returns:
        The figure.

    Raises:
        ParameterError: The subject or its numbers have another form, or most is below 1.
        UsageError: matplotlib is not installed.
    """
    if most < 1:
        raise ParameterError(f"most is {most!r}, expected at least 1")
    # List the names and results of the bodies of fixes; None if the subject is something else.
    found = [subject] if isinstance(subject, Fix) else subject
    if not isinstance(found, (list, tuple)):
        bodies = None
    elif all(isinstance(each, Fix) for each in found):
        several = len(found) > 1
        bodies = [
            (f"{body.name} ({one.source.path})" if several else body.name, body)
            for one in found
            for body in one.bodies
        ]
    else:
        bodies = [(body.name, body) for body in found] if isinstance(found[0], BodyFix) else None
    left: Counter[str] = Counter()
    if after is not None:
        rows = _read_arrays(subject, after, order, about)
    elif bodies is not None:
        rows = [_read_body(body, name) for name, body in bodies]
        left.update(body.status for _, body in bodies if not body.intact)
    else:
        raise ParameterError("after is missing: without a Fix, give the bodies before and after")
    if names is not None:
        shown = body_names(names, len(rows))
        rows = [row._replace(name=name) for row, name in zip(rows, shown, strict=True)]
    moved = sorted(
        (row for row in rows if row.moved),
        key=lambda row: -(row.change if np.isfinite(row.change) else np.inf),
    )
    drawn = moved[:most]
    with open_axes(ax, (9.6, 1.2 + 0.32 * max(len(drawn), 2))) as (axes,):
        _draw_rows(axes, drawn)
        axes.set_title(_describe(len(drawn), len(moved), len(rows), left), **PLAIN)
    return find_figure(axes)


def _describe(drawn: int, moved: int, rows: int, left: Counter[str]) -> str:
    """Describe how many bodies change, are drawn, and stay as they are."""
    title = f"{moved} of {plural(rows, 'body')} changed"
    if drawn < moved:
        title += f", the {drawn} largest changes shown"
    if left:
        listed = ", ".join(f"{count} {status}" for status, count in sorted(left.items()))
        title += f"; left: {listed}"
    return title


def _read_body(body: BodyFix, name: str) -> _Row:
    """Read what a fix writes; a change that needs --unsafe is not written."""
    before, after = np.full((2, 10), np.nan)
    if body.old is not None:
        before[4:] = after[4:] = body.old
    margins = (body.margin_before, body.margin_before)
    if body.status != "fixed":
        return _Row(name, before, after, 0.0, margins)
    if body.new is not None:
        after[4:] = body.new
        margins = (body.margin_before, body.margin)
    if body.mass is not None:
        before[0], after[0] = body.mass
    if body.com is not None:
        before[1:4], after[1:4] = body.com
    return _Row(name, before, after, body.relative_change, margins)


def _read_arrays(
    before: object, after: object, order: Order | None, about: Point | None
) -> list[_Row]:
    """Read bodies before and after a change.

    Raises:
        ParameterError: They have other shapes.
    """
    expected = "a Fix, or the bodies before and after"
    sides = [read_parameters(each, order, about, expected) for each in (before, after)]
    if sides[0].shape != sides[1].shape:
        raise ParameterError(
            f"after has shape {sides[1].shape}, expected {sides[0].shape} as before"
        )
    tables = []
    with np.errstate(all="ignore"):
        for body in sides:
            columns = (
                np.asarray(body.mass)[..., None],
                body.com,
                body.as_theta(about="com")[..., 4:],
            )
            tables.append(np.concatenate([*map(np.asarray, columns)], axis=-1).reshape(-1, 10))
        old, new = tables
        size = np.linalg.norm(old[:, 4:], axis=-1)
        relative = np.linalg.norm(new[:, 4:] - old[:, 4:], axis=-1) / size
    margins = np.stack([np.asarray(check(body).margin).reshape(-1) for body in sides], axis=1)
    return [
        _Row(name, row[0], row[1], change, (own[0], own[1]))
        for name, row, change, own in zip(
            body_names(None, len(old)),
            np.stack(tables, axis=1),
            relative.tolist(),
            margins.tolist(),
            strict=True,
        )
    ]


def _draw_rows(axes: Axes, rows: Sequence[_Row]) -> None:
    """Draw a row a body and a column a number, shaded by its change."""
    changes = np.array([row.changes for row in rows]).reshape(-1, 10)
    used = [j for j in range(10) if j >= 4 or np.any(np.nan_to_num(changes[:, j]) != 0)]
    if rows:
        shades = np.clip(np.nan_to_num(changes[:, used]), -1.0, 1.0)
        shades = np.sign(shades) * np.sqrt(np.abs(shades))  # so that a change of 1 % shows
        axes.imshow(shades, cmap="PuOr_r", vmin=-1.5, vmax=1.5, aspect="auto", alpha=0.7)
    for place, row in enumerate(rows):
        for column, j in enumerate(used):
            # Write a number before and after, or once where it stays; with its colour.
            before, after = row.before[j], row.after[j]
            if np.isnan(before) and np.isnan(after):
                text, color = "", GRAY
            elif before == after or f"{100 * row.changes[j]:.4f}" in ("0.0000", "-0.0000"):
                text, color = f"{before:.4g}", GRAY  # rounding is no change to look at
            else:
                ratio = after / before if before else np.inf
                own = f"{ratio:.3g} times" if 2 <= abs(ratio) < np.inf or abs(ratio) <= 0.5 else ""
                text = f"{before:.4g}\n{after:.4g} ({own or f'{100 * row.changes[j]:+.2g} %'})"
                color = "black"
            axes.annotate(
                text, (column, place), ha="center", va="center", fontsize=5.5, color=color
            )
        by = f"by {100 * row.change:.3g} %" if np.isfinite(row.change) else "from nothing"
        note = f"changed {by}\nmargin {row.margins[0]:.2g} to {row.margins[1]:.2g}"
        axes.annotate(note, (len(used) - 0.4, place), va="center", fontsize=5.5)
    axes.set_xticks(range(len(used)), [_COLUMNS[j] for j in used])
    axes.set_xlim(-0.5, len(used) + 0.8)
    axes.set_yticks(range(len(rows)), [shorten(row.name, 36) for row in rows], **PLAIN)
    axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    axes.set_xlabel(_LEGEND, fontsize=6.5)
    axes.grid(visible=False)
