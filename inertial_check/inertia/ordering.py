"""Which of two bodies has its mass farther out, in every direction at once.

Bodies are ordered by their second moments, S' - S >= 0; inertia follows, I' - I = tr(S' - S) 1 -
(S' - S) >= 0, and not the other way round (Heins, Rigid Body Inertial Parameters, "Bigger S, Bigger
I"). It is a partial order: of two bodies neither may spread more.

The examples of this module continue this session:

>>> from inertial_check.inertia import ordering
>>> ball, plate = [2.0, 0, 0, 2.0, 0, 2.0], [1.0, 0, 0, 1.0, 0, 2.0]
"""

from __future__ import annotations

from inertial_check.arrays.broadcasting import batch_shape, expect_shape, quiet, real_arrays
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array, ArrayLike
from inertial_check.inertia import tolerances
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import second_moment


def spreads_more(inertia: ArrayLike, than: ArrayLike) -> Array:
    """Whether S - S_than is positive semidefinite, up to rounding; equal bodies do.

    Then the body also resists every turn at least as much: I - I_than is positive semidefinite.

    Args:
        inertia: (..., 6) rotational inertia of one body, about a point and in axes [kg m^2].
        than: (..., 6) of the other, about the same point in the same axes [kg m^2].

    Returns:
        (...,) False, too, where a number is not finite.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(ordering.spreads_more(ball, plate), ordering.spreads_more(plate, ball))
        True False
    """
    difference, scale = _difference(inertia, than)
    return _semidefinite(second_moment(difference), scale)


def resists_more(inertia: ArrayLike, than: ArrayLike) -> Array:
    """Whether I - I_than is positive semidefinite, up to rounding; equal bodies do.

    Weaker than spreads_more: a ring resists every turn more than the ball of its mass and radius
    that fills it, but has no spread along its axis.

    Args:
        inertia: (..., 6) rotational inertia of one body, about a point and in axes [kg m^2].
        than: (..., 6) of the other, about a point in the same axes [kg m^2].

    Returns:
        (...,) False, too, where a number is not finite.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(ordering.resists_more(ball, plate), ordering.resists_more(plate, ball))
        True False
    """
    return _semidefinite(*_difference(inertia, than))


@quiet
def _difference(inertia: ArrayLike, than: ArrayLike) -> tuple[Array, Array]:
    """The difference (..., 6), and the largest entry (...,) that rounding could have come from."""
    xp, (inertia, than) = real_arrays(inertia=inertia, than=than)
    expect_shape("inertia", inertia, 6)
    expect_shape("than", than, 6)
    batch_shape(inertia=inertia.shape[:-1], than=than.shape[:-1])
    return inertia - than, xp.max(xp.maximum(xp.abs(inertia), xp.abs(than)), axis=-1)


@quiet
def _semidefinite(six: Array, scale: Array) -> Array:
    xp = array_namespace(six)
    finite = xp.all(xp.isfinite(six), axis=-1)
    six = xp.where(finite[..., None], six, xp.zeros_like(six))
    rounding = tolerances.floor(xp.where(finite, scale, xp.zeros_like(scale)))
    return finite & (eigenvalues(six)[..., 0] >= -rounding)
