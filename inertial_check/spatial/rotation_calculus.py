"""Calculus on rotations, as unit quaternions: products, box plus and minus, derivatives.

Conventions are those of inertial_check.spatial.rotations, whose quaternion_from_rotation_vector and
rotation_vector_from_quaternion are the exponential and the logarithmic map. Perturbations are taken
on the left: box_plus(q_IB, v) is exp(v) q_IB with v in I, and the derivative of, or by, a rotation
is that of, or by, such a v (Bloesch et al., A Primer on the Differential Calculus of 3D
Orientations, 2016).

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.spatial import rotation_calculus as calculus
>>> half = np.sqrt(0.5)
>>> turn_z = np.array([half, 0, 0, half])  # quarter turns, scalar first
>>> turn_x = np.array([half, half, 0, 0])
"""

from __future__ import annotations

from inertial_check.arrays.broadcasting import (
    batch_shape,
    expect_shape,
    product,
    quiet,
    real_arrays,
)
from inertial_check.arrays.so3 import (
    cotangent_defect,
    matrix_of_rows,
    polynomial_of_skew,
    sinc,
    sine_defect,
    skew_matrix,
    square_of,
    versine,
)
from inertial_check.arrays.types import Array, ArrayLike
from inertial_check.inertia import tolerances
from inertial_check.inertia.frames import rotate_vector
from inertial_check.spatial.rotation_checks import blank, find_singular, refuse_nonunit
from inertial_check.spatial.rotations import (
    matrix_from_rotation_vector,
    quaternion_from_rotation_vector,
    rotation_vector_from_quaternion,
)


@quiet
def left_matrix(q: ArrayLike) -> Array:
    """The quaternion matrix Q(q): q p = Q(q) p.

    Args:
        q: (..., 4) of any length.

    Returns:
        (..., 4, 4).

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> product = calculus.left_matrix(turn_z) @ turn_x
        >>> print(np.allclose(product, calculus.multiply(turn_z, turn_x)))
        True
    """
    return _product_matrix(q, 1)


@quiet
def right_matrix(p: ArrayLike) -> Array:
    """The conjugate quaternion matrix Qbar(p): q p = Qbar(p) q.

    Args:
        p: (..., 4) of any length.

    Returns:
        (..., 4, 4).

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> product = calculus.right_matrix(turn_x) @ turn_z
        >>> print(np.allclose(product, calculus.multiply(turn_z, turn_x)))
        True
    """
    _, (p,) = real_arrays(p=p)
    return _product_matrix(p, -1)


@quiet
def multiply(q: ArrayLike, p: ArrayLike) -> Array:
    """The Hamilton product q p; of rotations their concatenation, q_IC = q_IB q_BC.

    Args:
        q: (..., 4) of any length.
        p: (..., 4) of any length.

    Returns:
        (..., 4), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(calculus.multiply(turn_z, turn_z).round(9) + 0.0)  # half a turn
        [0. 0. 0. 1.]
    """
    xp, (q, p) = real_arrays(q=q, p=p)
    expect_shape("q", q, 4)
    expect_shape("p", p, 4)
    batch_shape(q=q.shape[:-1], p=p.shape[:-1])
    return rotate_vector(xp, left_matrix(q), p)


def inverse(q_IB: ArrayLike) -> Array:
    """q_BI = [q0, -q1, -q2, -q3], the conjugate of a unit quaternion.

    Args:
        q_IB: (..., 4) unit quaternions.

    Returns:
        (..., 4).

    Raises:
        ParameterError: Wrong shape, or a quaternion whose length is not 1.

    Example:
        >>> print(calculus.inverse(turn_z).round(4) + 0.0)
        [ 0.7071  0.      0.     -0.7071]
    """
    xp, (q_IB,) = real_arrays(q_IB=q_IB)
    refuse_nonunit(xp, "q_IB", q_IB, 4)
    return xp.concat([q_IB[..., :1], -q_IB[..., 1:]], axis=-1)


def box_plus(q: ArrayLike, v: ArrayLike) -> Array:
    """exp(v) q: the rotation, turned further by v about axes of the frame it leads to.

    Args:
        q: (..., 4) unit quaternions; for q_IB, v is in I.
        v: (..., 3) [rad].

    Returns:
        (..., 4), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, or a quaternion whose length is not 1.

    Example:
        >>> print(calculus.box_plus(turn_z, [0, 0, np.pi / 2]).round(9) + 0.0)  # half a turn
        [0. 0. 0. 1.]
    """
    xp, (q, v) = real_arrays(q=q, v=v)
    refuse_nonunit(xp, "q", q, 4)
    return multiply(quaternion_from_rotation_vector(v), q)


def box_minus(q_1: ArrayLike, q_2: ArrayLike) -> Array:
    """The logarithm of q_1 q_2^-1, at most pi long: the v with which box_plus(q_2, v) is q_1.

    Args:
        q_1: (..., 4) unit quaternions.
        q_2: (..., 4) unit quaternions.

    Returns:
        (..., 3) [rad], leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, or a quaternion whose length is not 1.

    Example:
        >>> print(calculus.box_minus(turn_z, [1.0, 0, 0, 0]).round(4) + 0.0)  # pi / 2 about z
        [0.     0.     1.5708]
    """
    xp, (q_1, q_2) = real_arrays(q_1=q_1, q_2=q_2)
    refuse_nonunit(xp, "q_1", q_1, 4)
    refuse_nonunit(xp, "q_2", q_2, 4)
    return rotation_vector_from_quaternion(multiply(q_1, inverse(q_2)))


def interpolate(q_0: ArrayLike, q_1: ArrayLike, t: ArrayLike) -> Array:
    """(q_1 q_0^-1)^t q_0: from q_0 at t = 0 to q_1 at t = 1 at constant angular velocity.

    The shorter way round; at exactly pi apart, that of the sign of q_1 q_0^-1. Other t go on along
    the same axis.

    Args:
        q_0: (..., 4) unit quaternions.
        q_1: (..., 4) unit quaternions.
        t: (...,).

    Returns:
        (..., 4), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, or a quaternion whose length is not 1.

    Example:
        >>> middle = calculus.interpolate([1.0, 0, 0, 0], turn_z, 0.5)
        >>> print(np.rad2deg(2 * np.arccos(middle[0])).round(6))
        45.0
    """
    _, (q_0, q_1, t) = real_arrays(q_0=q_0, q_1=q_1, t=t)
    batch_shape(q_0=q_0.shape[:-1], q_1=q_1.shape[:-1], t=t.shape)
    return box_plus(q_0, t[..., None] * box_minus(q_1, q_0))


@quiet
def exp_jacobian(v: ArrayLike) -> Array:
    """Gamma(v) = d exp(v) / dv = 1 + (1 - cos t) / t^2 v^x + (t - sin t) / t^3 v^x^2, t = |v|.

    exp(v + d) = exp(Gamma(v) d) exp(v) to first order: the left Jacobian of SO(3). Gamma(-v) is its
    transpose, the right one.

    Args:
        v: (..., 3) [rad].

    Returns:
        (..., 3, 3).

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(calculus.exp_jacobian([0, 0, 0.0]))
        [[1. 0. 0.]
         [0. 1. 0.]
         [0. 0. 1.]]
    """
    xp, (v,) = real_arrays(v=v)
    expect_shape("v", v, 3)
    square = square_of(xp, v)
    return polynomial_of_skew(xp, v, versine(xp, square), sine_defect(xp, square))


@quiet
def exp_jacobian_inverse(v: ArrayLike) -> Array:
    """Gamma(v)^-1 = 1 - v^x / 2 + (1 - t/2 cot(t/2)) / t^2 v^x^2: d log(R) / dR at R = exp(v).

    Args:
        v: (..., 3) [rad]; 0 is no singularity.

    Returns:
        (..., 3, 3); NaN in a batch for a v of one or more full turns, where Gamma has no inverse.

    Raises:
        ParameterError: Wrong shape, or a single v of one or more full turns.

    Example:
        >>> v = [0.1, 0.2, 0.3]
        >>> product = calculus.exp_jacobian(v) @ calculus.exp_jacobian_inverse(v)
        >>> print(np.allclose(product, np.eye(3)))
        True
    """
    xp, (v,) = real_arrays(v=v)
    expect_shape("v", v, 3)
    square = square_of(xp, v)
    # The sine of the half angle over that angle is the share of its digits that are left.
    left = xp.abs(sinc(xp, square / 4))[..., 0]
    singular = find_singular(
        xp,
        left <= tolerances.rotation_floor(v.dtype, xp),
        lambda: (
            f"v is {float(square[0]) ** 0.5:.9g} rad long, full turns to half its digits, where "
            "the exponential map has no inverse; take the rotation vector of at most pi: "
            "rotation_vector_from_quaternion(quaternion_from_rotation_vector(v))"
        ),
    )
    half = xp.full_like(square, -0.5)
    return blank(xp, singular, polynomial_of_skew(xp, v, half, cotangent_defect(xp, square)))


@quiet
def rotated_vector_jacobian(v: ArrayLike, r: ArrayLike) -> Array:
    """The derivative of C(v) r by v, with C(v) = exp(v^x): -(C(v) r)^x Gamma(v).

    Args:
        v: (..., 3) [rad].
        r: (..., 3).

    Returns:
        (..., 3, 3) in the unit of r, leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> # A small turn about z moves a point at x = 2 along y
        >>> print(calculus.rotated_vector_jacobian([0, 0, 0.0], [2.0, 0, 0])[:, 2] + 0.0)
        [0. 2. 0.]
    """
    xp, (v, r) = real_arrays(v=v, r=r)
    expect_shape("r", r, 3)
    batch_shape(v=v.shape[:-1], r=r.shape[:-1])
    rotated = rotate_vector(xp, matrix_from_rotation_vector(v), r)
    return -product(xp, skew_matrix(xp, rotated), exp_jacobian(v))


def box_minus_jacobians(q_1: ArrayLike, q_2: ArrayLike) -> tuple[Array, Array]:
    """Derivatives of v = box_minus(q_1, q_2): Gamma(v)^-1 by q_1, -Gamma(-v)^-1 by q_2.

    Args:
        q_1: (..., 4) unit quaternions.
        q_2: (..., 4) unit quaternions.

    Returns:
        Two (..., 3, 3).

    Raises:
        ParameterError: Shapes that do not fit, or a quaternion whose length is not 1.

    Example:
        >>> by_1, by_2 = calculus.box_minus_jacobians(turn_z, turn_z)
        >>> print(np.allclose(by_1, np.eye(3)), np.allclose(by_2, -np.eye(3)))
        True True
    """
    v = box_minus(q_1, q_2)
    return exp_jacobian_inverse(v), -exp_jacobian_inverse(-v)


def _product_matrix(q: ArrayLike, sign: int) -> Array:
    """Q(q) for sign 1, Qbar(q) for -1."""
    xp, (q,) = real_arrays(q=q)
    expect_shape("q", q, 4)
    w, x, y, z = (q[..., i] for i in range(4))
    a, b, c = sign * x, sign * y, sign * z
    return matrix_of_rows(xp, ((w, -x, -y, -z), (x, w, -c, b), (y, c, w, -a), (z, -b, a, w)))
