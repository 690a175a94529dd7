"""The surface of an ellipsoid: its area, and the second moments of a uniform thin shell of it.

With n on the unit sphere, the surface at (a n_x, b n_y, c n_z) has the element sqrt(Q) dn, where
Q = x n_x^2 + y n_y^2 + z n_z^2 and x, y, z = (b c)^2, (a c)^2, (a b)^2. Averages over the sphere
are symmetric elliptic integrals: that of sqrt(Q) is R_G, that of 1 / sqrt(Q) is R_F, and that of
n_z^2 / Q^(3/2) is R_D / 3. The divergence theorem on the sphere, for n_i sqrt(Q) and
n_i / sqrt(Q) along the projection of axis i, gives the others from them:

    avg(n_i^2 sqrt(Q))   = (avg(sqrt(Q)) + x_i avg(n_i^2 / sqrt(Q))) / 4
    avg(n_i^2 / sqrt(Q)) = (R_F - x_i avg(n_i^2 / Q^(3/2))) / 2

Source: B. C. Carlson, Numerical computation of real or complex elliptic integrals, Numerical
Algorithms 10 (1995); DLMF, chapter 19.
"""

from __future__ import annotations

from math import pi

from inertial_check.arrays.types import Array, Namespace
from inertial_check.inertia import tolerances

_DOUBLINGS = 18
"""Steps of Carlson's duplication: ten halve the exponent of the largest ratio of radii that is not
rounding, and each further one divides the differences by 4, until their sixth power is rounding."""


def measure_shell(xp: Namespace, radii: Array) -> tuple[Array, Array]:
    """The area (...,) [m^2], and the variances (..., 3) along the axes [m^2], of a uniform shell.

    Args:
        xp: The array library.
        radii: (..., 3) semi-axes, 0 or positive [m].
    """
    largest = xp.max(radii, axis=-1, keepdims=True)
    unit = xp.where(largest > 0, largest, xp.ones_like(largest))
    # A flat ellipsoid is one of the thickness of rounding, of which all integrals are finite.
    shape = xp.maximum(radii / unit, tolerances.epsilon(radii.dtype, xp) * xp.ones_like(radii))
    a, b, c = (shape[..., i] for i in range(3))
    squares = ((b * c) ** 2, (a * c) ** 2, (a * b) ** 2)
    first = _integrate_f(xp, *squares)
    slopes = []
    for i in range(3):
        x, y, z = (squares[(i + k) % 3] for k in (1, 2, 0))
        slopes.append((first - z * _integrate_d(xp, x, y, z) / 3) / 2)
    mean = sum(x * slope for x, slope in zip(squares, slopes, strict=True))
    moments = [(mean + x * slope) / 4 for x, slope in zip(squares, slopes, strict=True)]
    shares = xp.stack([moment / mean for moment in moments], axis=-1)
    flat = xp.sum(xp.astype(radii > 0, xp.int32), axis=-1) < 2  # a needle or a point
    area = 4 * pi * mean * unit[..., 0] ** 2
    return xp.where(flat, xp.zeros_like(area), area), radii * radii * shares


def _integrate_f(xp: Namespace, x: Array, y: Array, z: Array) -> Array:
    """R_F(x, y, z), by duplication and a series of fifth order (Carlson, eq. 2.12)."""
    for _ in range(_DOUBLINGS):
        step = _step(xp, x, y, z)
        x, y, z = ((each + step) / 4 for each in (x, y, z))
    mean = (x + y + z) / 3
    X, Y = 1 - x / mean, 1 - y / mean
    Z = -X - Y
    E2, E3 = X * Y - Z * Z, X * Y * Z
    series = 1 - E2 / 10 + E3 / 14 + E2 * E2 / 24 - 3 * E2 * E3 / 44
    return series / xp.sqrt(mean)


def _integrate_d(xp: Namespace, x: Array, y: Array, z: Array) -> Array:
    """R_D(x, y, z), which is not symmetric in z (Carlson, eq. 2.30)."""
    total, share = xp.zeros_like(x), 1.0
    for _ in range(_DOUBLINGS):
        step = _step(xp, x, y, z)
        total = total + share / (xp.sqrt(z) * (z + step))
        x, y, z = ((each + step) / 4 for each in (x, y, z))
        share /= 4
    mean = (x + y + 3 * z) / 5
    X, Y = 1 - x / mean, 1 - y / mean
    Z = -(X + Y) / 3
    E2, E3 = X * Y - 6 * Z * Z, (3 * X * Y - 8 * Z * Z) * Z
    E4, E5 = 3 * (X * Y - Z * Z) * Z * Z, X * Y * Z * Z * Z
    series = 1 - 3 * E2 / 14 + E3 / 6 + 9 * E2 * E2 / 88 - 3 * E4 / 22 - 9 * E2 * E3 / 52
    series = series + 3 * E5 / 26
    return 3 * total + share * series / (mean * xp.sqrt(mean))


def _step(xp: Namespace, x: Array, y: Array, z: Array) -> Array:
    p, q, r = xp.sqrt(x), xp.sqrt(y), xp.sqrt(z)
    return p * q + p * r + q * r
