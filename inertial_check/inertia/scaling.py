"""Units in which the numbers of a body neither overflow nor underflow.

A verdict does not depend on the units of mass and length. Where numbers come near the ends of the
floating-point range, it is computed in units that are powers of two: scaling by them is exact, save
for entries too small to count. All other bodies are computed as they are, bit for bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.broadcasting import device_of, quiet
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array, DType, Namespace
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import Point

_RANGE_PARTS = 4
"""Part of the exponent range within which numbers are left as they are: the largest product of an
ordinary verdict, h^2 / m, has three factors."""

_STEPS = 4
"""Factors into which a power of two is split: the exponent of h^2 / m can be three times as large
as that of any number."""


LARGEST = 2.0**255
"""Largest float64 with which evidence, causes and fixes compute: the fourth power is finite."""

SMALLEST = 1 / LARGEST
"""Smallest mass or inertia with which evidence, causes and fixes compute."""


class Units(NamedTuple):
    """Binary exponents of the units of each body.

    Attributes:
        mass: (...,) exponents of the unit of mass.
        moment: (...,) exponents of the unit of the first moment.
        inertia: (...,) exponents of the unit of the inertia.
    """

    mass: Array
    moment: Array
    inertia: Array


@quiet
def leaves_range(theta: Array, about: Point = "origin") -> Array:
    """Which bodies need other units: (...,) booleans; False where a number is not finite.

    Args:
        theta: (..., 10) in order "urdf".
        about: Point about which the inertia is taken.
    """
    xp = array_namespace(theta)
    low, high = _bounds(theta.dtype, xp)
    mass, moment, inertia = _sizes(xp, theta)
    finite = xp.all(xp.isfinite(theta), axis=-1)
    if about == "com":
        return finite & ((inertia > high) | ((inertia < low) & (inertia > 0)))
    small = (inertia < low) & ((inertia > 0) | (moment > 0))
    large = (mass > high) | (moment > high) | (inertia > high)
    return finite & (large | small | ((mass < low) & (mass > 0)))


def change_units(theta: Array, about: Point) -> tuple[Array, Units | None]:
    """Bring all bodies into the middle of the floating-point range.

    Args:
        theta: (..., 10) in order "urdf".
        about: Point about which the inertia is taken.

    Returns:
        (..., 10) in other units where a body needs them, else unchanged; and these units, None
        where no body needs any.
    """
    xp = array_namespace(theta)
    if xp is np and _is_ordinary(theta, about):
        return theta, None
    far = leaves_range(theta, about)
    if _is_empty(xp, far):
        return theta, None
    units = _choose_units(xp, theta, about, far)
    with np.errstate(all="ignore"):
        parts = (
            scale_by_powers(theta[..., 0], -units.mass)[..., None],
            scale_by_powers(theta[..., 1:4], -units.moment[..., None]),
            scale_by_powers(theta[..., 4:], -units.inertia[..., None]),
        )
    return xp.concat(parts, axis=-1), units


def scale_by_powers(values: Array, exponents: Array) -> Array:
    """Multiply values by powers of two; exponents are integers that broadcast to the values."""
    xp = array_namespace(values)
    if xp is np:
        # Clipping changes nothing: beyond this every finite number is zero or infinite.
        scaled: Array = np.ldexp(values, np.clip(exponents, -(2**14), 2**14))
        return scaled
    reach = _reach(values.dtype, xp) - 1  # the smallest power is no subnormal number
    table = xp.asarray(
        [2.0**power for power in range(-reach, reach + 1)],
        dtype=values.dtype,
        device=device_of(values),
    )
    step = exponents // _STEPS
    for part in (step, step, step, exponents - (_STEPS - 1) * step):
        index = xp.reshape(xp.clip(part + reach, 0, 2 * reach), (-1,))
        values = values * xp.reshape(xp.take(table, index), part.shape)
    return values


def _is_ordinary(theta: Array, about: Point) -> bool:
    """Whether no body of a NumPy array can need other units: a few passes over the array."""
    low, high = _bounds(theta.dtype, np)
    if not theta.size or not (theta.max() <= high and theta.min() >= -high):
        return not theta.size
    trace = theta[..., 4] + theta[..., 7]
    return bool(trace.min() >= 2 * low and (about == "com" or theta[..., 0].min() >= low))


def _choose_units(xp: Namespace, theta: Array, about: Point, far: Array) -> Units:
    """Choose units that make m, and the larger of I and h^2 / m, about 1 for the far bodies.

    About the centre of mass only the inertia decides. About the origin the units have to agree: the
    square of that of the moment is the product of the other two.
    """
    mass, moment, inertia = (_exponents(xp, size) for size in _sizes(xp, theta))
    zero = xp.zeros_like(mass)
    # A body without mass has no central inertia to keep: each part has its own unit.
    coupled = (theta[..., 0] != 0) & (about == "origin")
    largest = xp.where(coupled, xp.maximum(inertia, 2 * moment - mass), inertia)
    largest = largest + (largest + mass) % 2  # so that the unit of length is a power of two, too
    units = Units(mass, xp.where(coupled, (largest + mass) // 2, moment), largest)
    return Units(*(xp.where(far, unit, zero) for unit in units))


def _sizes(xp: Namespace, theta: Array) -> tuple[Array, Array, Array]:
    """Largest magnitudes (...,) of mass, first moment and inertia."""
    size = xp.abs(theta)
    return size[..., 0], xp.max(size[..., 1:4], axis=-1), xp.max(size[..., 4:], axis=-1)


def _exponents(xp: Namespace, sizes: Array) -> Array:
    """Binary exponents (...,) of magnitudes, as integers; far below all others for zero."""
    limits = tolerances.limits(sizes.dtype, xp)
    lowest = 2.0 * float(np.log2(float(limits.smallest_normal)))
    usable = (sizes > 0) & xp.isfinite(sizes)
    logarithm = xp.log2(xp.where(usable, sizes, xp.ones_like(sizes)))
    # A library that takes subnormal numbers for zero has a logarithm of -inf.
    logarithm = xp.where(usable & xp.isfinite(logarithm), logarithm, lowest)
    return xp.astype(xp.floor(logarithm), xp.int32)


def _bounds(dtype: DType, xp: Namespace) -> tuple[float, float]:
    """Smallest and largest magnitude that is left as it is."""
    reach = _reach(dtype, xp) // _RANGE_PARTS
    return 2.0**-reach, 2.0**reach


def _reach(dtype: DType, xp: Namespace) -> int:
    """Binary exponent of the largest number."""
    return int(np.frexp(float(tolerances.limits(dtype, xp).max))[1]) - 1


def _is_empty(xp: Namespace, mask: Array) -> bool:
    """Whether a mask is known to be false everywhere; a trace hides its values."""
    try:
        return not bool(xp.any(mask))
    except (TypeError, RuntimeError):  # JAX and PyTorch tracers: there are no values yet
        return False
