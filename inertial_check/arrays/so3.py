"""Parts of which rotations are computed: matrices by rows, skew ones, even functions.

The exponential map and its Jacobians are polynomials in v^x whose coefficients are even, smooth
functions of t = |v|. They are functions of t^2 here and take their series where t < 1: no digits
cancel near 0, and the square root, whose slope is infinite at 0, is not taken there, so that
gradients stay finite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial

from inertial_check.arrays.broadcasting import cross_components, device_of, product
from inertial_check.arrays.types import Array, Namespace

_TERMS = 12
_SINC = tuple((-1) ** k / factorial(2 * k + 1) for k in range(_TERMS))
_COSINE = tuple((-1) ** k / factorial(2 * k) for k in range(_TERMS))
_SINE_DEFECT = tuple((-1) ** k / factorial(2 * k + 3) for k in range(_TERMS))
_BERNOULLI = (
    1 / 6, 1 / 30, 1 / 42, 1 / 30, 5 / 66, 691 / 2730, 7 / 6, 3617 / 510, 43867 / 798,
    174611 / 330, 854513 / 138, 236364091 / 2730,
)  # fmt: skip
_COTANGENT = tuple(b / factorial(2 * k + 2) for k, b in enumerate(_BERNOULLI))
_ARCTANGENT = tuple((-1) ** k / (2 * k + 1) for k in range(_TERMS))
_NEAR_ARCTANGENT = 0.01
"""Largest t^2 at which the arctangent is summed as a series: twelve terms of a series of radius 1
hold every digit there."""


def matrix_of_rows(xp: Namespace, rows: Sequence[Sequence[Array]]) -> Array:
    """The matrices (..., m, n) of m rows of n entries (...,)."""
    return xp.stack([xp.stack(list(row), axis=-1) for row in rows], axis=-2)


def skew_matrix(xp: Namespace, vector: Array) -> Array:
    """The matrices a^x of vectors (..., 3)."""
    x, y, z = (vector[..., i] for i in range(3))
    zero = xp.zeros_like(x)
    return matrix_of_rows(xp, ((zero, -z, y), (z, zero, -x), (-y, x, zero)))


def cross(xp: Namespace, a: Array, b: Array) -> Array:
    """Vectors a x b (..., 3), broadcast; xp.cross does not broadcast in every library."""
    first, second = ([v[..., i] for i in range(3)] for v in (a, b))
    return xp.stack(list(cross_components(first, second)), axis=-1)


def skew_part(xp: Namespace, matrix: Array) -> Array:
    """The vectors a (..., 3) of the skew-symmetric part a^x of matrices."""
    entries = [matrix[..., i, j] - matrix[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))]
    return xp.stack(entries, axis=-1) / 2


def polynomial_of_skew(xp: Namespace, vector: Array, first: Array, second: Array) -> Array:
    """1 + first v^x + second v^x v^x for vectors (..., 3) and coefficients (..., 1)."""
    cross = skew_matrix(xp, vector)
    identity = xp.eye(3, dtype=vector.dtype, device=device_of(vector))
    return identity + first[..., None] * cross + second[..., None] * product(xp, cross, cross)


def exponential(xp: Namespace, vector: Array) -> Array:
    """The rotation matrices exp(v^x) (..., 3, 3) of rotation vectors (..., 3) [rad]."""
    square = square_of(xp, vector)
    return polynomial_of_skew(xp, vector, sinc(xp, square), versine(xp, square))


def square_of(xp: Namespace, vector: Array) -> Array:
    """|v|^2 as (..., 1)."""
    return xp.sum(vector * vector, axis=-1, keepdims=True)


def cosine(xp: Namespace, square: Array) -> Array:
    """Of t: cos t."""
    return _even(xp, square, _COSINE, xp.cos)


def sinc(xp: Namespace, square: Array) -> Array:
    """Of t: sin t / t."""
    return _even(xp, square, _SINC, lambda t: xp.sin(t) / t)


def versine(xp: Namespace, square: Array) -> Array:
    """Of t: (1 - cos t) / t^2."""
    half = sinc(xp, square / 4)
    return half * half / 2


def sine_defect(xp: Namespace, square: Array) -> Array:
    """Of t: (t - sin t) / t^3."""
    return _even(xp, square, _SINE_DEFECT, lambda t: (t - xp.sin(t)) / (t * t * t))


def cotangent_defect(xp: Namespace, square: Array) -> Array:
    """Of t: (1 - t/2 cot(t/2)) / t^2; its poles are the full turns but 0."""
    return _even(xp, square, _COTANGENT, lambda t: (1 - t / (2 * xp.tan(t / 2))) / (t * t))


def arctangent_ratio(xp: Namespace, square: Array, real: Array) -> Array:
    """Of t >= 0 and w >= 0, t^2 + w^2 = 1: atan2(t, w) / t."""
    near = square < _NEAR_ARCTANGENT
    one, zero = xp.ones_like(square), xp.zeros_like(square)
    safe = xp.where(near, real, one)
    series = _horner(xp.where(near, square, zero) / (safe * safe), _ARCTANGENT) / safe
    length = xp.sqrt(xp.where(near, one, square))
    return xp.where(near, series, xp.atan2(length, real) / length)


def _even(
    xp: Namespace, square: Array, series: Sequence[float], closed: Callable[[Array], Array]
) -> Array:
    near = square < 1
    one, zero = xp.ones_like(square), xp.zeros_like(square)
    length = xp.sqrt(xp.where(near, one, square))
    return xp.where(near, _horner(xp.where(near, square, zero), series), closed(length))


def _horner(x: Array, coefficients: Sequence[float]) -> Array:
    total = coefficients[-1] * x
    for coefficient in coefficients[-2:0:-1]:
        total = (total + coefficient) * x
    return total + coefficients[0]
