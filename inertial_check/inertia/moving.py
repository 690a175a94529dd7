"""Bodies rotated and translated entry by entry: the quick way of frames.py for NumPy's float64.

One body is computed in Python floats, whose products cost a tenth of an array's; a batch by chunks
whose columns stay in the cache. Whatever does not fit (other libraries and precisions, shapes that
broadcast in other ways, matrices that are no rotations) is None here, and frames.py computes it, or
refuses it by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import ORDERS, Order, Point

CHUNK = 2048
"""Rows of a batch that are moved at a time: their columns and temporaries fit the second cache."""

_Entry = Any  # Any: a float, or an array with one for each body: both have the same operators
_PLACES = {
    order: tuple(4 + names.index(entry) for entry in ORDERS["urdf"])
    for order, names in ORDERS.items()
}
_LAST_ROW = [0.0, 0.0, 0.0, 1.0]
_FLOOR = tolerances.rotation_floor(np.float64, np)


def move(
    theta: ArrayLike,
    R_AB: ArrayLike,
    p_AoBo_A: ArrayLike | None = None,
    about: Point = "origin",
    order: Order = "urdf",
) -> Floats | None:
    """Rotate bodies given in B to the axes of A, and translate them; None for the general way.

    Args:
        theta: (..., 10) in `order`, about `about`.
        R_AB: (..., 3, 3), one for each body or (3, 3) for all.
        p_AoBo_A: (..., 3) likewise [m]; None to stay about the same point.
        about: Point about which the inertia is taken, "origin" or "com".
        order: Order of the last six, given and returned.
    """
    if not (_is_double(theta) and _is_double(R_AB) and theta.shape[-1:] == (10,)):
        return None
    batch = theta.shape[:-1]
    if R_AB.shape not in ((*batch, 3, 3), (3, 3)):
        return None
    if p_AoBo_A is not None and not (
        _is_double(p_AoBo_A) and p_AoBo_A.shape in ((*batch, 3), (3,))
    ):
        return None
    if about == "com" and p_AoBo_A is not None and not theta[..., 0].all():
        return None  # a row without mass is about the origin, and moves as that does
    places = _PLACES[order]
    if not batch:
        p = None if p_AoBo_A is None else p_AoBo_A.tolist()
        entries = _move_entries(theta.tolist(), R_AB.ravel().tolist(), p, about, places)
        return None if entries is None else np.array(entries)
    return _move_rows(theta, R_AB, p_AoBo_A, about, places)


def move_by_poses(
    theta: ArrayLike, X_AB: ArrayLike, about: Point = "origin", order: Order = "urdf"
) -> Floats | None:
    """Move bodies as `move` does, by poses (..., 4, 4) that map points of B to A."""
    if not _is_double(X_AB) or X_AB.shape[-2:] != (4, 4):
        return None
    last = X_AB[..., 3, :].reshape(-1, 4)
    if not (last[0].tolist() == _LAST_ROW if len(last) == 1 else (last == _LAST_ROW).all()):
        return None
    return move(theta, X_AB[..., :3, :3], X_AB[..., :3, 3], about, order)


def translate_first_moment(theta: ArrayLike, p_AoBo_A: ArrayLike) -> Floats | None:
    """Translate bodies given about their centres of mass, of which only h changes, by m p."""
    if not (_is_double(theta) and _is_double(p_AoBo_A) and theta.shape[-1:] == (10,)):
        return None
    if p_AoBo_A.shape not in ((*theta.shape[:-1], 3), (3,)) or not theta[..., 0].all():
        return None
    result = theta.copy()
    if theta.ndim == 1:
        result[1:4] += theta.item(0) * p_AoBo_A
        return result
    with np.errstate(all="ignore"):
        result[..., 1:4] += theta[..., :1] * p_AoBo_A
    return result


def _is_double(array: object) -> TypeGuard[Floats]:
    return type(array) is np.ndarray and array.dtype == np.float64


def _move_rows(
    theta: Floats, R_AB: Floats, p_AoBo_A: Floats | None, about: Point, places: Sequence[int]
) -> Floats | None:
    """Move a batch (..., 10), chunk by chunk."""
    result = np.empty(theta.shape)
    rows, moved = theta.reshape(-1, 10), result.reshape(-1, 10)
    R: _Entry = R_AB.ravel().tolist() if R_AB.ndim == 2 else R_AB.reshape(-1, 9)
    p: _Entry = p_AoBo_A
    if p is not None:
        p = p.tolist() if p.ndim == 1 else p.reshape(-1, 3)
    with np.errstate(all="ignore"):
        for start in range(0, len(rows), CHUNK):
            some = slice(start, start + CHUNK)
            entries = _move_entries(
                _columns(rows, some), _columns(R, some), _columns(p, some), about, places
            )
            if entries is None:
                return None
            for k, entry in enumerate(entries):
                moved[some, k] = entry
    return result


def _columns(rows: _Entry, some: slice) -> _Entry:
    """Copy the columns of some rows, each in one piece; entries that all share stay as they are."""
    return np.ascontiguousarray(rows[some].T) if isinstance(rows, np.ndarray) else rows


def _move_entries(
    theta: _Entry, R: _Entry, p: _Entry, about: Point, places: Sequence[int]
) -> list[_Entry] | None:
    """Move the ten entries; None where R is no rotation."""
    if not _is_rotation(R):
        return None
    a, b, c, d, e, f, g, h, i = R
    m, x, y, z = theta[:4]
    xx, xy, xz, yy, yz, zz = (theta[k] for k in places)
    # R M, row by row, and then those rows times R^T.
    ax, ay, az = a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, a * xz + b * yz + c * zz
    bx, by, bz = d * xx + e * xy + f * xz, d * xy + e * yy + f * yz, d * xz + e * yz + f * zz
    cx, cy, cz = g * xx + h * xy + i * xz, g * xy + h * yy + i * yz, g * xz + h * yz + i * zz
    six = [
        ax * a + ay * b + az * c,
        ((ax * d + ay * e + az * f) + (bx * a + by * b + bz * c)) / 2,
        ((ax * g + ay * h + az * i) + (cx * a + cy * b + cz * c)) / 2,
        bx * d + by * e + bz * f,
        ((bx * g + by * h + bz * i) + (cx * d + cy * e + cz * f)) / 2,
        cx * g + cy * h + cz * i,
    ]
    first = [a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z]
    if p is not None:
        moved = [m * one for one in p]
        if about == "origin":
            half = [one + other / 2 for one, other in zip(first, moved, strict=True)]
            six = [one + other for one, other in zip(six, _shift(half, p), strict=True)]
        first = [one + other for one, other in zip(first, moved, strict=True)]
    entries = [m, *first, *six]
    for k, entry in zip(places, six, strict=True):
        entries[k] = entry
    return entries


def _shift(a: _Entry, p: _Entry) -> list[_Entry]:
    """Compute what representations.shift does: the six of 2 a.p 1 - a p^T - p a^T."""
    (ax, ay, az), (px, py, pz) = a, p
    return [
        2 * (ay * py + az * pz),
        -(ax * py + px * ay),
        -(ax * pz + px * az),
        2 * (ax * px + az * pz),
        -(ay * pz + py * az),
        2 * (ax * px + ay * py),
    ]


def _is_rotation(R: _Entry) -> bool:
    """Decide whether all of these nine entries, by rows, are rotations; NaN is none."""
    a, b, c, d, e, f, g, h, i = R
    errors = (
        a * a + d * d + g * g - 1,
        b * b + e * e + h * h - 1,
        c * c + f * f + i * i - 1,
        a * b + d * e + g * h,
        a * c + d * f + g * i,
        b * c + e * f + h * i,
    )
    # Of columns as even as these the determinant is near 1 or -1.
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if isinstance(a, float):
        return determinant > 0 and all(-_FLOOR <= error <= _FLOOR for error in errors)
    worst = np.abs(errors[0])
    for error in errors[1:]:
        worst = np.maximum(worst, np.abs(error))
    return bool((worst <= _FLOOR).all() and (determinant > 0).all())
