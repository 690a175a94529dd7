"""The admissible interval of each single entry of a tensor, with the five others as they stand.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import intervals

What printed digits leave open: the box of numbers that print the same.

A number of k digits stands for every number within half a unit of the last. A tensor that violates
the conditions, but whose box holds one that does not, is explained by rounding.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import intervals as printed
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.errors import expect
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    SIX_PLACES,
    Array,
    Floats,
    Namespace,
    array_namespace,
    read_floats,
    real_arrays,
)
from inertial_check.inertia.eigen import columns, eigensystem, eigenvalues

if TYPE_CHECKING:
    import numpy.typing as npt


_BISECTIONS = 70  # halves any bracket to below the last bit of float64


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
        xx, xy, xz, yy, yz, zz = columns(I_BBcm)
        sx, sy, sz = (yy + zz - xx) / 2, (xx + zz - yy) / 2, (xx + yy - zz) / 2
        diagonal = _diagonal(
            xp,
            xp.stack([yy, xx, xx]),
            xp.stack([zz, zz, yy]),
            xp.stack([xy, xy, xz]),
            xp.stack([xz, yz, yz]),
            xp.stack([yz, xz, xy]),
        )
        # The product I_ab, from the Schur complement of S by its third diagonal entry f.
        a = xp.stack([sx, sx, sy])
        b = xp.stack([sy, sz, sz])
        f = xp.stack([sz, sy, sx])
        ac = xp.stack([xz, xy, xy])
        bc = xp.stack([yz, yz, xz])
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
        product = xp.where(allowed, low, nothing), xp.where(allowed, high, nothing)
        on, off = xp.stack(list(diagonal), axis=-1), xp.stack(list(product), axis=-1)
        rows = [on[0, ...], off[0, ...], off[1, ...], on[1, ...], off[2, ...], on[2, ...]]
        return xp.stack(rows, axis=-2)


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
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        go = ahead(middle)
        low, high = xp.where(go, middle, low), xp.where(go, high, middle)
    return (low + high) / 2


_NONZERO = frozenset("123456789")
_STEPS = 36  # the barrier parameter then ends a few rounding units above nothing


def half_units(texts: Sequence[str]) -> tuple[float, ...]:
    """Half a unit of the last printed digit of each entry of one tensor.

    A number without decimal point and exponent is exact. A zero is exact, unless it is printed with
    at least as many decimals as the finest non-zero entry of the same tensor, as `%.6f` does.

    Args:
        texts: Decimal numbers of one tensor, as printed.

    Returns:
        One radius for each text, in the unit of the tensor.

    Example:
        >>> print(printed.half_units(["0.0049", "1.2e-3", "0"]))
        (5e-05, 5e-05, 0.0)
    """
    expect("texts", texts=texts)
    return _read_radii(tuple(texts))


@lru_cache(maxsize=2048)  # asked for by the judgement, and by the causes of a doubted body
def _read_radii(texts: tuple[str, ...]) -> tuple[float, ...]:
    """Half a unit of the last printed digit of each entry, of texts that are known to be some."""
    decimals = [_count_places(text) for text in texts]
    nonzero = [_is_nonzero(text) for text in texts]
    finest = max(
        (d or 0 for d, filled in zip(decimals, nonzero, strict=True) if filled), default=None
    )
    return tuple(
        0.0
        if d is None or (not filled and (finest is None or d < finest))
        else float(f"5e{-d - 1}")
        for d, filled in zip(decimals, nonzero, strict=True)
    )


def decimal_places(text: str) -> int | None:
    """Decimal places of the last printed digit; None for an integer, which is exact.

    Example:
        >>> print([printed.decimal_places(text) for text in ("0.0049", "1.2e-3", "0")])
        [4, 4, None]
    """
    expect("text", text=text)
    return _count_places(text)


@lru_cache(maxsize=4096)  # the six entries are read several times, and many are zero
def _count_places(text: str) -> int | None:
    """Decimal places of the last digit of a text; see `decimal_places`."""
    mantissa, _, exponent = text.strip().lower().partition("e")
    if "." not in mantissa and not exponent:
        return None
    return len(mantissa.partition(".")[2]) - int(exponent or 0)


@lru_cache(maxsize=4096)
def _is_nonzero(text: str) -> bool:
    return not _NONZERO.isdisjoint(text.lower().partition("e")[0])


def explained_by_digits(six: Floats, radii: Floats) -> npt.NDArray[np.bool_]:
    """Whether a consistent tensor lies within the box of printed digits.

    Cheapest certificate first. For any Z >= 0 with tr Z = 1, lmin(S) <= <Z, S>: with Z = v v^T of
    the printed tensor this excludes most boxes; the corner where that bound is attained includes
    most others; a barrier method with both certificates decides the rest.

    Args:
        six: (n, 6) entries of I about the centre of mass [kg m^2].
        radii: (n, 6) half widths of the box.

    Returns:
        (n,) booleans.

    Example:
        >>> six = np.array([[0.0024, 0, 0, 0.0024, 0, 0.0049], [0.0024, 0, 0, 0.0024, 0, 0.0052]])
        >>> radii = np.full((2, 6), 0.00005) * (six != 0)  # zeros are exact
        >>> print(printed.explained_by_digits(six, radii))
        [ True False]
    """
    six, radii = read_floats((6,), six=six, radii=radii)
    values, vectors = eigensystem(_second_moment(six))
    v = vectors[..., 0]
    gradient = np.stack(
        [0.5 - v[:, i] ** 2 if i == j else -2 * v[:, i] * v[:, j] for i, j in SIX_PLACES], axis=-1
    )
    reach = np.sum(radii * np.abs(gradient), axis=-1)
    excluded = values[:, 0] + reach < 0
    explained = _holds(six + radii * np.sign(gradient)) & ~excluded
    for row in np.flatnonzero(~excluded & ~explained):
        explained[row] = _box_meets_cone(six[row], radii[row])
    return np.asarray(explained)


def _second_moment(six: Floats) -> Floats:
    half = (six[..., 0] + six[..., 3] + six[..., 5]) / 2
    diagonal = np.array([1.0, 0, 0, 1, 0, 1])
    return np.asarray(half[..., None] * diagonal - six)


def _holds(six: Floats) -> npt.NDArray[np.bool_]:
    """Whether S >= 0 up to the floor."""
    values = eigenvalues(_second_moment(six))
    floor = tolerances.floor(np.ones(values.shape[:-1])) * np.sum(np.abs(values), axis=-1)
    return np.asarray(values[..., 0] >= -floor)


def _box_meets_cone(six: Floats, radii: Floats) -> bool:
    """Maximise lmin(S(x)) over the box by a barrier method until its sign is certain.

    Boxes whose best tensor is singular to the last bit end undecided: rounding explains those.
    """
    scale = float(np.max(np.abs(six) + radii))
    if scale == 0:
        return True
    x0, r = six / scale, radii / scale
    basis = np.stack([_matrix(_second_moment(row)) for row in np.eye(6)])
    y, barrier = np.zeros(6), 1.0
    t = float(np.linalg.eigvalsh(_matrix(_second_moment(x0)))[0]) - 1.0
    for _ in range(_STEPS):
        y, t = _newton_step(x0, r, basis, y, t, barrier)
        x = x0 + r * y
        if bool(_holds(x)):
            return True
        inverse = np.linalg.inv(_matrix(_second_moment(x)) - t * np.eye(3))
        dual = inverse / np.trace(inverse)
        along = np.einsum("ij,kij->k", dual, basis)
        if float(along @ x0 + np.abs(along) @ r) < 0:
            return False
        barrier *= 0.4
    return True


def _newton_step(
    x0: Floats, r: Floats, basis: Floats, y: Floats, t: float, barrier: float
) -> tuple[Floats, float]:
    """One damped Newton step on -t / barrier - log det(S(x0 + r y) - t 1) - sum log(1 - y^2)."""
    slack = _matrix(_second_moment(x0 + r * y)) - t * np.eye(3)
    inverse_root = np.linalg.inv(np.linalg.cholesky(slack))
    directions = np.concatenate([r[:, None, None] * basis, -np.eye(3)[None]])
    image = inverse_root @ directions @ inverse_root.T
    gradient = -np.trace(image, axis1=1, axis2=2)
    hessian = image.reshape(7, 9) @ image.reshape(7, 9).T
    gradient[:6] += 2 * y / (1 - y**2)
    gradient[6] -= 1 / barrier
    hessian[np.arange(6), np.arange(6)] += 2 * (1 + y**2) / (1 - y**2) ** 2
    # Slopes differ by many decades near the boundary: in units of its diagonal H is well posed.
    units = 1 / np.sqrt(np.diagonal(hessian))
    scaled = hessian * units[:, None] * units[None, :]
    step = -units * np.linalg.lstsq(scaled, units * gradient, rcond=None)[0]
    length, tiny = 1.0, float(tolerances.floor(np.ones(())))
    while length > tiny:
        new_y, new_t = y + length * step[:6], t + length * step[6]
        new_slack = slack + np.einsum("k,kij->ij", length * step, directions)
        lowest, _, highest = np.linalg.eigvalsh(new_slack)
        if np.max(np.abs(new_y)) < 1 and lowest > tiny * highest:
            return new_y, float(new_t)
        length /= 2
    return y, t


def _matrix(six: Floats) -> Floats:
    return np.asarray(six[..., [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(*six.shape[:-1], 3, 3))
