"""Margins of rows of bodies, and the sign tests that settle most rows without a margin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from inertial_check.arrays.types import Array, Namespace, NumpyArray
from inertial_check.inertia import tolerances
from inertial_check.inertia.eigen import CHUNK, Components, eigenvalues_of_entries
from inertial_check.inertia.representations import Point


def measure_margin(
    xp: Namespace, columns: Sequence[Array], about: Point
) -> tuple[Array, Array, Array]:
    """Margin, numerical floor and |s1| + |s2| + |s3| from the ten columns of theta."""
    low, middle, high = eigenvalues_of_entries(xp, list_central_entries(xp, columns, about))
    spread = xp.abs(low) + xp.abs(middle) + xp.abs(high)
    safe = xp.where(spread > 0, spread, xp.ones_like(spread))
    kappa = xp.ones_like(spread)
    if about == "origin":
        # h (h / m) in this order: h^2 alone leaves the range of float32 for small bodies.
        mass, hx, hy, hz = columns[:4]
        mass = xp.where(mass != 0, xp.abs(mass), xp.ones_like(mass))
        offset = hx * (hx / mass) + hy * (hy / mass) + hz * (hz / mass)
        point = (spread == 0) & ((hx != 0) | (hy != 0) | (hz != 0))
        kappa = xp.where(point, xp.full_like(kappa, np.inf), 1 + offset / safe)
    return low / safe, tolerances.floor(kappa), spread


def list_central_moments(xp: Namespace, theta: Array, about: Point) -> Components:
    """The six entries of S_c; NaN where S_c does not exist (m = 0 and h != 0)."""
    return list_central_entries(xp, [theta[..., i] for i in range(10)], about)


def list_central_entries(xp: Namespace, columns: Sequence[Array], about: Point) -> Components:
    """The same from the ten columns of theta."""
    xx, xy, xz, yy, yz, zz = columns[4:]
    half = xx / 2 + yy / 2 + zz / 2
    xx, yy, zz = half - xx, half - yy, half - zz
    if about == "com":
        return xx, -xy, -xz, yy, -yz, zz
    mass, hx, hy, hz = columns[:4]
    has_mass = mass != 0
    safe = xp.where(has_mass, mass, xp.ones_like(mass))
    cx, cy, cz = hx / safe, hy / safe, hz / safe
    exists = has_mass | ((hx == 0) & (hy == 0) & (hz == 0))
    xx = xp.where(exists, xx - hx * cx, xp.full_like(xx, np.nan))
    return xx, -xy - hx * cy, -xz - hx * cz, yy - hy * cy, -yz - hy * cz, zz - hz * cz


def apply_in_chunks(xp: Namespace, theta: Array, function: Callable[[Array], Array]) -> Array:
    """function(theta), whose last axis is the bodies, on NumPy by chunks that stay in the cache."""
    with np.errstate(all="ignore"):
        if xp is not np or theta.ndim != 2 or theta.shape[0] <= CHUNK:
            return function(theta)
        parts = [function(theta[i : i + CHUNK]) for i in range(0, theta.shape[0], CHUNK)]
    whole: Array = np.concatenate(parts, axis=-1)
    return whole


def screen_rows(theta: NumpyArray, about: Point, slow: Callable[[Array], Array]) -> NumpyArray:
    """Codes of NumPy rows: the sign tests where they settle a row, the margin for the others.

    The first test rounds float64 to float32, which moves half as many bytes. Of a million solid
    bodies, 14 about the centre of mass and 94 about the origin need the second, in float64.
    """
    rows = theta.reshape(-1, 10)
    codes = np.zeros(rows.shape[0], dtype=np.int8)
    settled = apply_in_chunks(np, rows, lambda chunk: _settle(np.asarray(chunk), about))
    unsettled = np.flatnonzero(~settled)
    if unsettled.size:
        codes[unsettled] = apply_in_chunks(np, rows[unsettled], slow)
    return codes.reshape(theta.shape[:-1])


def _settle(rows: NumpyArray, about: Point) -> NumpyArray:
    """Tell which rows (n, 10) are consistent for certain, first in float32, then as they are."""
    precise = tolerances.FLOOR_FACTOR * tolerances.epsilon(rows.dtype, np)
    precise = 2 * precise if about == "com" else precise / tolerances.ILL_POSED_FLOOR
    if rows.dtype == np.float32:
        return _surely_consistent(np.array(rows.T, order="C"), about, precise)
    # One tau of float32 covers the rounding of the rows to it, and a second that of the pivots.
    coarse = 2 * tolerances.FLOOR_FACTOR * tolerances.epsilon(np.dtype(np.float32), np)
    rounded = np.ascontiguousarray(rows.astype(np.float32).T)
    settled = _surely_consistent(rounded, about, max(coarse, precise))
    if not settled.all():
        left = np.flatnonzero(~settled)
        settled[left] = _surely_consistent(np.array(rows[left].T, order="C"), about, precise)
    return settled


def _surely_consistent(columns: NumpyArray, about: Point, shift: float) -> NumpyArray:
    """Tell for which columns (10, n) S_c - shift tr(S) has only positive pivots; overwrite them.

    S is S_c about the centre of mass, and S_Bo about the origin. The elimination is LDL^T, whose
    pivots are those of a matrix that differs by rounding (Higham, Accuracy and Stability, theorem
    10.3). About the centre of mass the shift is 2 tau: the second tau covers that rounding. About
    the origin it is 8 eps / ILL_POSED_FLOOR, which leaves no row whose tau is above that floor.
    NaN and infinity fail every comparison and stay unsettled. So do masses and pivots so small or
    large that a product or quotient of theirs may under- or overflow.
    """
    mass, h0, h1, h2, xx, xy, xz, yy, yz, zz = columns
    least = float(tolerances.limits(columns.dtype, np).tiny) ** 0.5
    raised = xx + yy
    raised += zz
    raised *= 0.5 - 0.5 * shift
    sure: NumpyArray = raised < 1 / least
    a, d, f = (np.subtract(raised, moment, out=moment) for moment in (xx, yy, zz))
    product = raised  # its memory, used again: a new array costs as much as the product
    sure &= mass > least
    inverse = np.divide(1, mass, out=mass)
    sure &= inverse > least
    if about == "origin":
        # The products of inertia enter S with the other sign, so here they are added to.
        c = h0 * inverse
        a -= np.multiply(h0, c, out=product)
        xy += np.multiply(h1, c, out=product)
        xz += np.multiply(h2, c, out=product)
        np.multiply(h1, inverse, out=c)
        d -= np.multiply(h1, c, out=product)
        yz += np.multiply(h2, c, out=product)
        inverse *= h2
        inverse *= h2
        f -= inverse
    else:
        h0 += h1
        h0 += h2
        sure &= np.isfinite(h0)
    sure &= a > least
    quotient = np.divide(xy, a, out=h0)
    d -= np.multiply(quotient, xy, out=product)
    sure &= d > least
    yz += np.multiply(quotient, xz, out=product)  # against the sign of yz in S, as above
    np.divide(xz, a, out=quotient)
    f -= np.multiply(quotient, xz, out=product)
    np.divide(yz, d, out=quotient)
    f -= np.multiply(quotient, yz, out=product)
    sure &= f > least
    return sure
