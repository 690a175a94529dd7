"""The admissible interval of each single entry of a tensor, with the five others as they stand.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import intervals
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inertial_check.arrays.broadcasting import real_arrays
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array, Namespace
from inertial_check.inertia import tolerances
from inertial_check.inertia.eigen import Components, columns

_BISECTIONS = 70  # halves any bracket to below the last bit of float64
_USUALLY_SETTLED = 56  # halvings after which most brackets have no float64 between their ends
_MAY_BE_SETTLED = frozenset([0, *range(_USUALLY_SETTLED, _BISECTIONS, 4)])
"""Numbers of halvings after which brackets are asked whether they need more; of a diagonal tensor
two of the three need none."""


def admissible_intervals(I_BBcm: Array) -> Array:
    """Where each entry may lie so that S_c = tr(I)/2 1 - I >= 0, the others unchanged.

    Args:
        I_BBcm: (..., 6) entries xx, xy, xz, yy, yz, zz about the centre of mass, any axes [kg m^2].

    Returns:
        (..., 6, 2) lower and upper end [kg m^2]; NaN where no value of that entry alone suffices.
        A single point has equal ends.

    Example:
        >>> # iyy may lie between |ixx - izz| and ixx + izz
        >>> print(intervals.admissible_intervals(np.array([0.02, 0, 0, 0.03, 0, 0.04]))[3].round(9))
        [0.02 0.06]
    """
    _, (I_BBcm,) = real_arrays(I_BBcm=I_BBcm)
    xp = array_namespace(I_BBcm)
    with np.errstate(all="ignore"):  # an infinite term has the right sign
        return _intervals(xp, columns(I_BBcm))


def _intervals(xp: Namespace, entries: Components) -> Array:
    xx, xy, xz, yy, yz, zz = entries
    sx, sy, sz = (yy + zz - xx) / 2, (xx + zz - yy) / 2, (xx + yy - zz) / 2
    diagonal = _diagonal(
        xp,
        xp.stack([yy, xx, xx]),
        xp.stack([zz, zz, yy]),
        xp.stack([xy, xy, xz]),
        xp.stack([xz, yz, yz]),
        xp.stack([yz, xz, xy]),
    )
    product = _product(
        xp,
        xp.stack([sx, sx, sy]),
        xp.stack([sy, sz, sz]),
        xp.stack([sz, sy, sx]),
        xp.stack([xz, xy, xy]),
        xp.stack([yz, yz, xz]),
    )
    on, off = xp.stack(list(diagonal), axis=-1), xp.stack(list(product), axis=-1)
    rows = [on[0, ...], off[0, ...], off[1, ...], on[1, ...], off[2, ...], on[2, ...]]
    return xp.stack(rows, axis=-2)


def _product(
    xp: Namespace, a: Array, b: Array, f: Array, ac: Array, bc: Array
) -> tuple[Array, Array]:
    """Interval of the product I_ab, from the Schur complement of S by its third diagonal entry f.

    S_ab = -I_ab lies within sqrt((a f - S_ac^2)(b f - S_bc^2)) / f of S_ac S_bc / f.
    """
    floor = tolerances.FLOOR_FACTOR * tolerances.epsilon(a.dtype, xp)
    first, second = a * f - ac * ac, b * f - bc * bc
    allowed = (
        (first >= -floor * (xp.abs(a * f) + ac * ac))
        & (second >= -floor * (xp.abs(b * f) + bc * bc))
        & (a >= 0) & (b >= 0) & (f >= 0)
    )  # fmt: skip
    filled = f > 0
    safe = xp.where(filled, f, xp.ones_like(f))
    reach = xp.sqrt(xp.where(first > 0, first, 0 * f)) * xp.sqrt(
        xp.where(second > 0, second, 0 * f)
    )
    flat = xp.sqrt(xp.where(a > 0, a, 0 * a)) * xp.sqrt(xp.where(b > 0, b, 0 * b))
    center = xp.where(filled, -ac * bc / safe, xp.zeros_like(f))
    reach = xp.where(filled, reach / safe, flat)
    nothing = xp.full_like(f, xp.nan)
    low, high = center - reach + 0.0, center + reach + 0.0  # no -0
    return xp.where(allowed, low, nothing), xp.where(allowed, high, nothing)


def _diagonal(
    xp: Namespace, second: Array, third: Array, p12: Array, p13: Array, p23: Array
) -> tuple[Array, Array]:
    """Interval of the first diagonal entry x of I, the other two being `second` and `third`.

    With y = x / 2, the lower block of S is y 1 + [[q, -p23], [-p23, -q]] with eigenvalues y +- rho;
    in its eigenbasis the Schur complement is the concave scalar function `value`.
    """
    q, sigma = (third - second) / 2, (second + third) / 2
    rho = xp.hypot(q, p23)
    angle = xp.atan2(-p23, q) / 2
    plus = xp.abs(-p12 * xp.cos(angle) - p13 * xp.sin(angle))
    minus = xp.abs(p12 * xp.sin(angle) - p13 * xp.cos(angle))
    size = xp.maximum(xp.maximum(xp.abs(sigma), rho), xp.maximum(plus, minus))
    slop = tolerances.FLOOR_FACTOR * tolerances.epsilon(q.dtype, xp) * size
    minus = xp.where(minus <= slop, xp.zeros_like(minus), minus)
    plus = xp.where(plus <= slop, xp.zeros_like(plus), plus)

    # A term that is zero stays zero over any divisor, so that 0 / 0 never arises.
    ahead = rho + xp.astype(plus == 0, q.dtype)
    behind = xp.astype(minus == 0, q.dtype) - rho

    def value(y: Array) -> Array:
        return sigma - y - plus * (plus / (y + ahead)) - minus * (minus / (y + behind))

    def rising(y: Array) -> Array:
        return (plus / (y + ahead)) ** 2 + (minus / (y + behind)) ** 2 >= 1

    peak = _bisect(xp, rising, xp.maximum(rho, plus - rho), rho + plus + minus)
    exists = value(peak) >= -slop
    low = _bisect(xp, lambda y: value(y) < 0, rho, peak)
    low = xp.where(value(rho) >= 0, rho, low)
    high = _bisect(xp, lambda y: value(y) >= 0, peak, xp.maximum(sigma, peak))
    nothing = xp.full_like(q, xp.nan)
    return xp.where(exists, 2 * low, nothing), xp.where(exists, 2 * high, nothing)


def _bisect(xp: Namespace, ahead: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Where `ahead` turns from true to false between low and high."""
    for step in range(_BISECTIONS):
        middle = (low + high) / 2
        if step in _MAY_BE_SETTLED and _is_settled(middle, low, high):
            return middle
        go = ahead(middle)
        low, high = xp.where(go, middle, low), xp.where(go, high, middle)
    return (low + high) / 2


def _is_settled(middle: Array, low: Array, high: Array) -> bool:
    """Whether every middle is an end of its bracket, or no number: no halving changes it any more.

    Arrays of other libraries may be traced, and are never said to be settled.
    """
    if not isinstance(middle, np.ndarray):
        return False
    return bool(np.all((middle == low) | (middle == high) | np.isnan(middle)))
