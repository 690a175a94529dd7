"""Uniform solids that have a body's mass and principal moments: what the numbers look like.

The spreads s_i = (J_j + J_k - J_i) / 2 are the eigenvalues of the central second moment. A uniform
box has them with edges sqrt(12 s_i / m), a uniform ellipsoid with semi-axes sqrt(5 s_i / m). Where
no body has the moments, no solid does: those entries are NaN.

The examples of this module continue this session:

>>> from inertial_check.inertia import equivalents
"""

from __future__ import annotations

from inertial_check.arrays.broadcasting import batch_shape, expect_shape, quiet, real_arrays
from inertial_check.arrays.types import Array, ArrayLike, Namespace
from inertial_check.inertia import tolerances


def equivalent_box(mass: ArrayLike, principal_moments: ArrayLike) -> Array:
    """Edges of the uniform box with this mass and these principal moments.

    Args:
        mass: (...,) [kg].
        principal_moments: (..., 3) about the centre of mass, in any order [kg m^2].

    Returns:
        (..., 3) edges, ascending [m]; 0 for the thickness of a plate (also where rounding has made
        it negative), NaN where the spread is negative or the mass not positive.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> # 12 kg: I = (b^2 + c^2, a^2 + c^2, a^2 + b^2) for edges a, b, c
        >>> print(equivalents.equivalent_box(12.0, [13.0, 10.0, 5.0]).round(9))
        [1. 2. 3.]
    """
    return _lengths(mass, principal_moments, 12.0)


def equivalent_ellipsoid(mass: ArrayLike, principal_moments: ArrayLike) -> Array:
    """Semi-axes of the uniform ellipsoid with this mass and these principal moments.

    Args:
        mass: (...,) [kg].
        principal_moments: (..., 3) about the centre of mass, in any order [kg m^2].

    Returns:
        (..., 3) semi-axes, ascending [m]; 0 and NaN as for equivalent_box.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> # A ball: each moment is 2/5 m r^2
        >>> print(equivalents.equivalent_ellipsoid(5.0, [2.0, 2.0, 2.0]).round(9))
        [1. 1. 1.]
    """
    return _lengths(mass, principal_moments, 5.0)


@quiet
def radius_of_gyration(mass: ArrayLike, principal_moments: ArrayLike) -> Array:
    """Root mean square distance of the mass from its centre: k = sqrt(tr(S_c) / m).

    Args:
        mass: (...,) [kg].
        principal_moments: (..., 3) about the centre of mass, in any order [kg m^2].

    Returns:
        (...,) [m]; NaN where the moments sum to less than 0 or the mass is not positive.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(equivalents.radius_of_gyration(2.0, [2.0, 1.0, 1.0]))  # tr(S) is tr(I) / 2 = 2
        1.0
    """
    xp, mass, moments = _check_moments(mass, principal_moments)
    return _root(xp, xp.sum(moments, axis=-1) / 2, mass)


@quiet
def _lengths(mass: ArrayLike, principal_moments: ArrayLike, factor: float) -> Array:
    """sqrt(factor s_i / m), ascending."""
    xp, mass, moments = _check_moments(mass, principal_moments)
    a, b, c = (moments[..., i] for i in range(3))
    spreads = xp.stack([(b + c - a) / 2, (c + a - b) / 2, (a + b - c) / 2], axis=-1)
    size = xp.sum(xp.abs(spreads), axis=-1, keepdims=True)
    rounding = (spreads < 0) & (spreads >= -tolerances.floor(size))
    spreads = xp.sort(xp.where(rounding, xp.zeros_like(spreads), spreads), axis=-1)
    return _root(xp, factor * spreads, mass[..., None])


def _root(xp: Namespace, moment: Array, mass: Array) -> Array:
    """sqrt(moment / mass), NaN where the moment is negative or the mass not positive."""
    possible = (moment >= 0) & (mass > 0)
    root = xp.sqrt(xp.where(possible, moment / mass, xp.zeros_like(moment)))
    return xp.where(possible, root, xp.full_like(root, xp.nan))


def _check_moments(mass: ArrayLike, principal_moments: ArrayLike) -> tuple[Namespace, Array, Array]:
    xp, (mass, moments) = real_arrays(mass=mass, principal_moments=principal_moments)
    expect_shape("principal_moments", moments, 3)
    batch_shape(mass=mass.shape, principal_moments=moments.shape[:-1])
    return xp, mass, moments
