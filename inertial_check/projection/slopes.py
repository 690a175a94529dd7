"""Derivatives of nearest bodies, from their optimality conditions.

Under the metrics of moments the nearest is a function of the eigenvalues of S_c, whose derivative
has divided differences between the axes (Daleckii and Krein 1965). Under the metrics of the whole
pseudo-inertia it solves the normal map F(Y) = M (Y+ - x0) + Y - Y+ = 0 of newton.py; the implicit
function theorem gives (M Q + 1 - Q) dY = M dx0 - dM (Y+ - x0), with Q the derivative of the
positive part. On the boundary of a face the derivative is that of one of the sides.
"""

from __future__ import annotations

from inertial_check.arrays.derivatives import Arrays, Slope
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array
from inertial_check.inertia.eigen import eigensystem
from inertial_check.inertia.eigen_slopes import close_pairs, in_eigenbasis
from inertial_check.inertia.frames import rotate_tensor
from inertial_check.inertia.representations import second_moment, symmetric
from inertial_check.projection.closed_form import ISOTROPIC, find_multipliers
from inertial_check.projection.metrics import MomentMetric, add_isotropic


def slope_of_moments(metric: MomentMetric, margin: float) -> Slope:
    """Build the derivative of the nearest inertia (..., 6) about the centre of mass.

    Args:
        metric: Metric of moments that was least.
        margin: Margin mu of the results.

    Returns:
        A slope of functions whose last argument is I_BBcm, and whose result is the nearest.
    """

    def slope(arrays: Arrays, results: Arrays, changes: Arrays) -> Arrays:
        return (_change_of_moments(arrays[-1], changes[-1], metric, margin),)

    return slope


def _change_of_moments(I_BBcm: Array, dI: Array, metric: MomentMetric, margin: float) -> Array:
    """Compute dI' = dI + (1 - 2 b) tr(dZ) 1 - dZ for a change dI (..., 6)."""
    xp = array_namespace(I_BBcm)
    values, vectors = eigensystem(second_moment(I_BBcm))
    spreads = (values[..., 0], values[..., 1], values[..., 2])
    z1, z2, b, apex = find_multipliers(xp, spreads, margin, metric.trace_weight)
    aa, ab, ac, bb, bc, cc = in_eigenbasis(second_moment(dI), vectors)
    c = margin + b - 3 * margin * b
    total = aa + bb + cc
    r1, r2 = margin * total - aa, margin * total - bb
    zero = xp.zeros_like(z1)
    one_facet, two_facets = (z1 > 0) & ~(z2 > 0), z2 > 0
    common = c / (1 - 2 * c) * (r1 + r2)
    d1 = xp.where(two_facets, r1 + common, xp.where(one_facet, r1 / (1 - c), zero))
    d2 = xp.where(two_facets, r2 + common, zero)
    low, middle, high = spreads
    first, second = close_pairs(values)
    limit = xp.where(two_facets, zero - 1, zero)
    alone = limit if margin == ISOTROPIC else zero

    def divide(numerator: Array, gap: Array, equal: Array, otherwise: Array) -> Array:
        ratio = numerator / xp.where(equal, xp.ones_like(gap), gap)
        return xp.where(equal, otherwise, ratio)

    xy = ab * divide(z1 - z2, low - middle, first, limit)
    xz = ac * divide(z1, low - high, first & second, limit)
    yz = bc * divide(z2, middle - high, second, alone)
    turned = xp.stack([d1, xy, xz, d2, yz, zero], axis=-1)
    dZ = rotate_tensor(xp, vectors, symmetric(turned))
    moved = add_isotropic(xp, dI - dZ, (1 - 2 * b) * (d1 + d2))
    return xp.where(apex[..., None], xp.zeros_like(moved), moved)
