"""Angular velocity and the rates of every parameterisation of a rotation; velocities and poses.

Rotations are those of inertial_check.mechanics.rotations, by the names in PARAMETERISATIONS. An
angular velocity is that of B in I, with its coordinates in the frame that `expressed_in` names:

    expressed_in="B"    w_IB_B, the sheet's local B_w_IB:   dC_IB/dt = C_IB w^x
    expressed_in="I"    w_IB_I, the sheet's global I_w_IB:  dC_IB/dt = w^x C_IB

There is no default: the two differ by a rotation, and the wrong one looks as plausible. Poses are
4x4, X_IB = [[C_IB, p_IoBo_I], [0, 1]], the sheet's T_IB. Source: Kindr Cheat Sheet, "Time
Derivatives of Position & Orientation" and its Appendix I.

The equations of the sheet by number: 3) rotations.elementary; 4) inverse; 5) multiply of
quaternions, @ of matrices; 6) quaternion_from_rotation_vector, matrix_from_rotation_vector;
7) rotation_vector_from_quaternion, rotation_vector_from_matrix; 8) box_plus; 9) box_minus;
10) integrate; 11) mean_angular_velocity; 12) interpolate. Where it does not hold as printed, each
with a test `test_slip_...` in tests/mechanics::

    phi = 2 atan2(norm(q), q0) q / norm(q) and theta = 2 arccos q0 give 2 pi - theta for q0 < 0
    the lower end of y in [-pi/2, pi/2) is singular
    rates are singular at every theta = 2 k pi, not at 0 alone; for rotation vectors 0 has a
        limit, 1
    Gamma(-v) = Gamma(v) + v^x holds for the inverses: Gamma^-1(-v) = Gamma^-1(v) + v^x
    Appendix I (4): the third entry of I_e_x_z'' is -sin y, as in (5), the last of C_y is cos y
    Appendix I (8): dchi/dt = E(chi)^-1 C_IB B_w, with the inverse

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import kinematics
>>> half = np.sqrt(0.5)
>>> turn_z = [half, 0, 0, half]  # a quarter turn, scalar first
>>> C_IB = [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]  # the same
>>> X_IB = kinematics.pose(C_IB, [1.0, 0, 0])

Calculus on rotations, as unit quaternions: products, box plus and minus, derivatives.

Conventions are those of inertial_check.mechanics.rotations, whose quaternion_from_rotation_vector
and rotation_vector_from_quaternion are the exponential and the logarithmic map. Perturbations are
taken on the left: box_plus(q_IB, v) is exp(v) q_IB with v in I, and the derivative of, or by, a
rotation is that of, or by, such a v (Bloesch et al., A Primer on the Differential Calculus of 3D
Orientations, 2016).

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import kinematics as calculus
>>> half = np.sqrt(0.5)
>>> turn_z = np.array([half, 0, 0, half])  # quarter turns, scalar first
>>> turn_x = np.array([half, half, 0, 0])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    Namespace,
    batch_shape,
    device_of,
    expect_shape,
    first_index,
    of_body,
    product,
    quiet,
    real_arrays,
)
from inertial_check.inertia.frames import (
    cotangent_defect,
    cross,
    matrix_of_rows,
    polynomial_of_skew,
    pose_parts,
    refuse_nonrotation,
    rotate_vector,
    sinc,
    sine_defect,
    skew_matrix,
    skew_part,
    square_of,
    versine,
)
from inertial_check.mechanics.rotations import (
    Parameterisation,
    angle_and_axis,
    blank,
    elementary,
    find_gimbal_lock,
    find_singular,
    matrix_from_rotation_vector,
    quaternion_from_rotation_vector,
    read_parameterisation,
    refuse_nonskew,
    refuse_nonunit,
    refuse_unknown,
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


Frame = Literal["B", "I"]
"""Frame of the coordinates of an angular velocity: the body B or the inertial frame I."""

FRAMES: tuple[Frame, ...] = get_args(Frame)
"""Frames of the coordinates of an angular velocity: the body frame, or the inertial frame."""


# Angular velocity and rates


@quiet
def rate_map(values: ArrayLike, parameterisation: Parameterisation, expressed_in: Frame) -> Array:
    """The matrix E of w_IB = E dx/dt, for parameters x of k numbers.

    2 H(q) in I and 2 Hbar(q) in B for quaternions; Gamma(phi) in I and its transpose in B for
    rotation vectors; E(chi) of Appendix I for Euler angles ZYX in I.

    Args:
        values: (..., k) x.
        parameterisation: One of PARAMETERISATIONS but "matrix", whose rates are no vector.
        expressed_in: "B" or "I", the frame of w_IB.

    Returns:
        (..., 3, k).

    Raises:
        ParameterError: Unknown name, wrong shape, or values that are no rotation.

    Example:
        >>> print(kinematics.rate_map([0, 0, 0.0], "rotation-vector", "I"))
        [[1. 0. 0.]
         [0. 1. 0.]
         [0. 0. 1.]]
    """
    _, (values,) = real_arrays(values=values)
    return _maps(parameterisation, expressed_in)[0](values, expressed_in)


@quiet
def inverse_rate_map(
    values: ArrayLike, parameterisation: Parameterisation, expressed_in: Frame
) -> Array:
    """The matrix F of dx/dt = F w_IB: E F = 1, and F E = 1 on the rates that a rotation can have.

    Args:
        values: (..., k) x.
        parameterisation: One of PARAMETERISATIONS but "matrix", whose rates are no vector.
        expressed_in: "B" or "I", the frame of w_IB.

    Returns:
        (..., k, 3). In a batch, rows at a singularity are NaN: Euler angles at y = pi/2 + k pi, the
        axis of an angle 2 k pi, a rotation vector of length 2 k pi but 0; each as soon as half the
        digits are lost.

    Raises:
        ParameterError: Unknown name, wrong shape, values that are no rotation; a single rotation
            at a singularity.

    Example:
        >>> F = kinematics.inverse_rate_map([1.0, 0, 0, 0], "quaternion", "B")
        >>> print(F @ [0, 0, 2.0])  # half the velocity
        [0. 0. 0. 1.]
    """
    _, (values,) = real_arrays(values=values)
    return _maps(parameterisation, expressed_in)[1](values, expressed_in)


@quiet
def angular_velocity(
    values: ArrayLike, rates: ArrayLike, parameterisation: Parameterisation, expressed_in: Frame
) -> Array:
    """The angular velocity of a rotation that changes at given rates.

    Args:
        values: Of the parameterisation: (..., 3, 3), (..., 4) or (..., 3).
        rates: Their derivatives by time, of the same shape [1/s, rad/s].
        parameterisation: One of PARAMETERISATIONS.
        expressed_in: "B" or "I".

    Returns:
        (..., 3) w_IB [rad/s], leading axes broadcast.

    Raises:
        ParameterError: Unknown name, shapes that do not fit, values that are no rotation, or rates
            that leave the rotations, as a difference of two quaternions does; mean_angular_velocity
            is exact for those.

    Example:
        >>> print(kinematics.angular_velocity([1.0, 0, 0, 0], [0, 0, 0, 0.5], "quaternion", "B"))
        [0. 0. 1.]
    """
    name = read_parameterisation("parameterisation", parameterisation)
    refuse_unknown("frame expressed_in", expressed_in, FRAMES)
    xp, (values, rates) = real_arrays(values=values, rates=rates)
    if name == "matrix":
        refuse_nonrotation(xp, "values", values)
        expect_shape("rates", rates, 3, 3)
        batch_shape(values=values.shape[:-2], rates=rates.shape[:-2])
        C_BI = xp.matrix_transpose(values)
        turn = product(xp, C_BI, rates) if expressed_in == "B" else product(xp, rates, C_BI)
        refuse_nonskew(
            xp,
            "the rate, seen from the rotation,",
            turn,
            "for a difference of two rotations use mean_angular_velocity",
        )
        return skew_part(xp, turn)
    change = rate_map(values, parameterisation, expressed_in)
    expect_shape("rates", rates, change.shape[-1])
    batch_shape(values=values.shape[:-1], rates=rates.shape[:-1])
    _refuse_leaving(xp, values, rates, name)
    return rotate_vector(xp, change, rates)


@quiet
def rates(
    values: ArrayLike, w_IB: ArrayLike, parameterisation: Parameterisation, expressed_in: Frame
) -> Array:
    """The rates at which a rotation's parameters change under an angular velocity.

    Args:
        values: Of the parameterisation: (..., 3, 3), (..., 4) or (..., 3).
        w_IB: (..., 3) [rad/s].
        parameterisation: One of PARAMETERISATIONS.
        expressed_in: "B" or "I", the frame of w_IB.

    Returns:
        The derivatives of the values by time [1/s, rad/s], leading axes broadcast.

    Raises:
        ParameterError: Unknown name, shapes that do not fit, values that are no rotation, or a
            singularity, as inverse_rate_map.

    Example:
        >>> print(kinematics.rates([0, 0, 0], [0, 0, 1.0], "euler-ZYX", "I"))  # the yaw turns
        [1. 0. 0.]
    """
    name = read_parameterisation("parameterisation", parameterisation)
    refuse_unknown("frame expressed_in", expressed_in, FRAMES)
    xp, (values, w_IB) = real_arrays(values=values, w_IB=w_IB)
    expect_shape("w_IB", w_IB, 3)
    if name == "matrix":
        refuse_nonrotation(xp, "values", values)
        batch_shape(values=values.shape[:-2], w_IB=w_IB.shape[:-1])
        turn = skew_matrix(xp, w_IB)
        return product(xp, values, turn) if expressed_in == "B" else product(xp, turn, values)
    change = inverse_rate_map(values, parameterisation, expressed_in)
    batch_shape(values=values.shape[:-1], w_IB=w_IB.shape[:-1])
    return rotate_vector(xp, change, w_IB)


@quiet
def compose_angular_velocities(w_AB_B: ArrayLike, w_BC_C: ArrayLike, C_BC: ArrayLike) -> Array:
    """The angular velocity of C in A: w_AC_C = C_BC^T w_AB_B + w_BC_C; of B in A, -w_BA.

    Args:
        w_AB_B: (..., 3) of B in A, in B [rad/s].
        w_BC_C: (..., 3) of C in B, in C [rad/s].
        C_BC: (..., 3, 3).

    Returns:
        (..., 3) w_AC_C [rad/s], leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, or a matrix that is no rotation.

    Example:
        >>> # B turns about z in A, C about z in B: both axes are the same
        >>> print(kinematics.compose_angular_velocities([0, 0, 1.0], [0, 0, 2.0], np.eye(3)))
        [0. 0. 3.]
    """
    xp, (w_AB_B, w_BC_C, C_BC) = real_arrays(w_AB_B=w_AB_B, w_BC_C=w_BC_C, C_BC=C_BC)
    expect_shape("w_AB_B", w_AB_B, 3)
    expect_shape("w_BC_C", w_BC_C, 3)
    refuse_nonrotation(xp, "C_BC", C_BC)
    batch_shape(w_AB_B=w_AB_B.shape[:-1], w_BC_C=w_BC_C.shape[:-1], C_BC=C_BC.shape[:-2])
    return rotate_vector(xp, xp.matrix_transpose(C_BC), w_AB_B) + w_BC_C


def integrate(q_IB: ArrayLike, w_IB: ArrayLike, duration: ArrayLike, expressed_in: Frame) -> Array:
    """The rotation after a time at constant angular velocity; exact, whatever the time.

    box_plus(q_IB, w_IB_I dt), or box_plus(q_BI, -w_IB_B dt) as a q_BI, inverted.

    Args:
        q_IB: (..., 4) unit quaternions.
        w_IB: (..., 3) [rad/s].
        duration: (...,) [s].
        expressed_in: "B" or "I", the frame in which w_IB is constant.

    Returns:
        (..., 4), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, unknown frame, a quaternion whose length is not 1.

    Example:
        >>> print(kinematics.integrate([1.0, 0, 0, 0], [0, 0, np.pi / 2], 1.0, "I").round(4))
        [0.7071 0.     0.     0.7071]
    """
    refuse_unknown("frame expressed_in", expressed_in, FRAMES)
    _, (q_IB, w_IB, duration) = real_arrays(q_IB=q_IB, w_IB=w_IB, duration=duration)
    expect_shape("w_IB", w_IB, 3)
    batch_shape(q_IB=q_IB.shape[:-1], w_IB=w_IB.shape[:-1], duration=duration.shape)
    turn = w_IB * duration[..., None]
    return box_plus(q_IB, turn) if expressed_in == "I" else inverse(box_plus(inverse(q_IB), -turn))


@quiet
def mean_angular_velocity(
    q_0: ArrayLike, q_1: ArrayLike, duration: ArrayLike, expressed_in: Frame
) -> Array:
    """The constant angular velocity that leads from one rotation to another, the shorter way.

    Args:
        q_0: (..., 4) q_IB before.
        q_1: (..., 4) q_IB after.
        duration: (...,) [s].
        expressed_in: "B" or "I".

    Returns:
        (..., 3) w_IB [rad/s], leading axes broadcast; integrate leads back to q_1.

    Raises:
        ParameterError: Shapes that do not fit, unknown frame, a quaternion whose length is not 1,
            a duration of 0.

    Example:
        >>> print(kinematics.mean_angular_velocity([1.0, 0, 0, 0], turn_z, 0.5, "I").round(4) + 0.0)
        [0.     0.     3.1416]
    """
    refuse_unknown("frame expressed_in", expressed_in, FRAMES)
    xp, (q_0, q_1, duration) = real_arrays(q_0=q_0, q_1=q_1, duration=duration)
    batch_shape(q_0=q_0.shape[:-1], q_1=q_1.shape[:-1], duration=duration.shape)
    body = first_index(xp, duration == 0)
    if body is not None:
        raise ParameterError(f"duration{of_body(body)} is 0 s, expected any other time")
    turn = box_minus(q_1, q_0) if expressed_in == "I" else -box_minus(inverse(q_1), inverse(q_0))
    return turn / duration[..., None]


# Points and poses


@quiet
def point_velocity(
    v_A: ArrayLike, w_IB: ArrayLike, r_AP: ArrayLike, dr_AP: ArrayLike = (0.0, 0.0, 0.0)
) -> Array:
    """The velocity of P in I from that of A: v_P = v_A + dr_AP + w_IB x r_AP.

    Args:
        v_A: (..., 3) velocity of A in I [m/s].
        w_IB: (..., 3) angular velocity of the frame B [rad/s].
        r_AP: (..., 3) from A to P [m].
        dr_AP: (..., 3) derivative of the coordinates of r_AP in B [m/s]; 0 where both are fixed in
            B. All four have their coordinates in one frame, B or I.

    Returns:
        (..., 3) [m/s] in that frame, leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(kinematics.point_velocity([1.0, 0, 0], [0, 0, 2.0], [0.5, 0, 0]))  # v + w x r
        [1. 1. 0.]
    """
    xp, arrays = real_arrays(v_A=v_A, w_IB=w_IB, r_AP=r_AP, dr_AP=dr_AP)
    given = ("v_A", "w_IB", "r_AP", "dr_AP")
    for name, array in zip(given, arrays, strict=True):
        expect_shape(name, array, 3)
    batch_shape(**{name: a.shape[:-1] for name, a in zip(given, arrays, strict=True)})
    v_A, w_IB, r_AP, dr_AP = arrays
    return v_A + dr_AP + rotate_vector(xp, skew_matrix(xp, w_IB), r_AP)


@quiet
def pose(C_IB: ArrayLike, p_IoBo_I: ArrayLike) -> Array:
    """X_IB = [[C_IB, p_IoBo_I], [0, 1]].

    Args:
        C_IB: (..., 3, 3).
        p_IoBo_I: (..., 3) [m].

    Returns:
        (..., 4, 4), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, or a matrix that is no rotation.

    Example:
        >>> print(kinematics.pose(C_IB, [1.0, 0, 0]))
        [[ 0. -1.  0.  1.]
         [ 1.  0.  0.  0.]
         [ 0.  0.  1.  0.]
         [ 0.  0.  0.  1.]]
    """
    xp, (C_IB, p_IoBo_I) = real_arrays(C_IB=C_IB, p_IoBo_I=p_IoBo_I)
    refuse_nonrotation(xp, "C_IB", C_IB)
    expect_shape("p_IoBo_I", p_IoBo_I, 3)
    batch = batch_shape(C_IB=C_IB.shape[:-2], p_IoBo_I=p_IoBo_I.shape[:-1])
    C_IB = xp.broadcast_to(C_IB, (*batch, 3, 3))
    top = xp.concat([C_IB, xp.broadcast_to(p_IoBo_I, (*batch, 3))[..., None]], axis=-1)
    zero = xp.zeros_like(top[..., :1, :1])
    return xp.concat([top, xp.concat([zero, zero, zero, zero + 1], axis=-1)], axis=-2)


@quiet
def inverse_pose(X_IB: ArrayLike) -> Array:
    """X_BI = [[C_IB^T, -C_IB^T p_IoBo_I], [0, 1]].

    Args:
        X_IB: (..., 4, 4).

    Returns:
        (..., 4, 4).

    Raises:
        ParameterError: Wrong shape, or a matrix that is no pose.

    Example:
        >>> print(kinematics.inverse_pose(X_IB)[:3, 3] + 0.0)  # the origin of I in B
        [0. 1. 0.]
    """
    xp, (X_IB,) = real_arrays(X_IB=X_IB)
    C_IB, p_IoBo_I = pose_parts(X_IB, like=X_IB, name="X_IB")
    C_BI = xp.matrix_transpose(C_IB)
    return pose(C_BI, -rotate_vector(xp, C_BI, p_IoBo_I))


@quiet
def compose_poses(*poses: ArrayLike) -> Array:
    """X_AD = X_AB X_BC X_CD, of any number of poses from one on.

    Args:
        *poses: (..., 4, 4), each from its neighbour on the right to that on the left.

    Returns:
        (..., 4, 4), leading axes broadcast.

    Raises:
        ParameterError: No pose, shapes that do not fit, or a matrix that is no pose.

    Example:
        >>> print(kinematics.compose_poses(X_IB, X_IB)[:3, 3])
        [1. 1. 0.]
    """
    if not poses:
        raise ParameterError("compose_poses was given no pose, expected at least one")
    xp, chain = real_arrays(**{f"poses[{i}]": X for i, X in enumerate(poses)})
    for i, X in enumerate(chain):
        pose_parts(X, like=X, name=f"poses[{i}]")
    batch_shape(**{f"poses[{i}]": X.shape[:-2] for i, X in enumerate(chain)})
    total = chain[0]
    for X in chain[1:]:
        total = product(xp, total, X)
    return total


@quiet
def transform_point(X_IB: ArrayLike, p_BoP_B: ArrayLike) -> Array:
    """p_IoP_I = C_IB p_BoP_B + p_IoBo_I.

    Args:
        X_IB: (..., 4, 4).
        p_BoP_B: (..., 3) [m].

    Returns:
        (..., 3) [m], leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, or a matrix that is no pose.

    Example:
        >>> print(kinematics.transform_point(X_IB, [1.0, 0, 0]))
        [1. 1. 0.]
    """
    xp, (X_IB, p_BoP_B) = real_arrays(X_IB=X_IB, p_BoP_B=p_BoP_B)
    expect_shape("p_BoP_B", p_BoP_B, 3)
    C_IB, p_IoBo_I = pose_parts(X_IB, like=X_IB, name="X_IB")
    batch_shape(X_IB=X_IB.shape[:-2], p_BoP_B=p_BoP_B.shape[:-1])
    return rotate_vector(xp, C_IB, p_BoP_B) + p_IoBo_I


# The maps of each parameterisation


def _quaternion_map(q_IB: ArrayLike, expressed_in: Frame) -> Array:
    """2 H(q) = 2 [-q, q0 1 + q^x] in I; Hbar, with the other sign of q^x, in B."""
    xp, (q_IB,) = real_arrays(q_IB=q_IB)
    refuse_nonunit(xp, "q_IB", q_IB, 4)
    sign = 1 if expressed_in == "I" else -1
    w, x, y, z = (q_IB[..., i] for i in range(4))
    a, b, c = sign * x, sign * y, sign * z
    return 2 * matrix_of_rows(xp, ((-x, w, -c, b), (-y, c, w, -a), (-z, -b, a, w)))


def _angle_axis_map(angle_axis: ArrayLike, expressed_in: Frame) -> Array:
    """[n, sin(theta) 1 + (1 - cos(theta)) n^x] in I; with the other sign of n^x in B."""
    xp, angle, axis = angle_and_axis(angle_axis)
    sign = 1 if expressed_in == "I" else -1
    half = xp.sin(angle / 2)[..., None, None]
    along = xp.sin(angle)[..., None, None] * _identity(xp, axis)
    across = along + (2 * sign) * half * half * skew_matrix(xp, axis)
    return xp.concat([axis[..., None], across], axis=-1)


def _angle_axis_inverse_map(angle_axis: ArrayLike, expressed_in: Frame) -> Array:
    """[n^T; -cot(theta/2)/2 n^x n^x - n^x / 2] in I; with the other sign of n^x in B."""
    xp, angle, axis = angle_and_axis(angle_axis)
    sine, half = xp.sin(angle / 2), angle / 2
    floor = tolerances.rotation_floor(angle.dtype, xp)
    singular = find_singular(
        xp,
        xp.abs(sine) <= floor * xp.abs(half),
        lambda: (
            f"angle_axis turns by {float(angle):.9g} rad, full turns to half its digits, where "
            "every axis is the same rotation and none has a rate; use quaternions or rotation "
            "vectors there"
        ),
    )
    sign = 1 if expressed_in == "I" else -1
    cross = skew_matrix(xp, axis)
    cotangent = (xp.cos(half) / sine)[..., None, None]
    across = -(cotangent * product(xp, cross, cross) + sign * cross) / 2
    return blank(xp, singular, xp.concat([axis[..., None, :], across], axis=-2))


def _euler_axes(
    angles: ArrayLike, sequence: str, expressed_in: Frame
) -> tuple[Namespace, Array, list[Array]]:
    """The axes of the three turns: each carried along by those before it in I, behind it in B."""
    xp, (angles,) = real_arrays(angles=angles)
    expect_shape("angles", angles, 3)
    names = sequence.lower()
    unit = _identity(xp, angles)
    units = [xp.broadcast_to(unit["xyz".index(name), :], angles.shape) for name in names]
    turns = [elementary(name, angles[..., i]) for i, name in enumerate(names)]
    if expressed_in == "I":
        middle = rotate_vector(xp, turns[0], units[1])
        last = rotate_vector(xp, turns[0], rotate_vector(xp, turns[1], units[2]))
        return xp, angles, [units[0], middle, last]
    back = [turn.mT for turn in turns]
    middle = rotate_vector(xp, back[2], units[1])
    first = rotate_vector(xp, back[2], rotate_vector(xp, back[1], units[0]))
    return xp, angles, [first, middle, units[2]]


def _euler_map(sequence: str) -> Callable[[ArrayLike, Frame], Array]:
    def change(angles: ArrayLike, expressed_in: Frame) -> Array:
        xp, _, axes = _euler_axes(angles, sequence, expressed_in)
        return xp.stack(axes, axis=-1)

    return change


def _euler_inverse_map(sequence: str) -> Callable[[ArrayLike, Frame], Array]:
    """The reciprocal basis of the three axes; their volume is cos(y) or its negative.

    NaN at gimbal lock, where there is none: one row must not refuse a batch.
    """

    def change(angles: ArrayLike, expressed_in: Frame) -> Array:
        xp, angles, (a, b, c) = _euler_axes(angles, sequence, expressed_in)
        rows = [cross(xp, b, c), cross(xp, c, a), cross(xp, a, b)]
        volume = xp.sum(a * rows[0], axis=-1)
        singular = find_gimbal_lock(xp, sequence, angles[..., 1], volume)
        return blank(xp, singular, xp.stack(rows, axis=-2) / volume[..., None, None])

    return change


def _reverse(angles: ArrayLike, axis: int = -1) -> Array:
    """Reverse three angles, or the columns or rows of their maps."""
    xp, (angles,) = real_arrays(angles=angles)
    expect_shape("angles", angles, 3)
    return xp.flip(angles, axis=axis)


Map = Callable[[ArrayLike, Frame], Array]

_MAPS: dict[str, tuple[Map, Map]] = {
    "quaternion": (_quaternion_map, lambda q_IB, frame: _quaternion_map(q_IB, frame).mT / 4),
    "angle-axis": (_angle_axis_map, _angle_axis_inverse_map),
    "rotation-vector": (  # in B the transposes: J(-phi) = J(phi)^T
        lambda phi_IB, frame: exp_jacobian(phi_IB) if frame == "I" else exp_jacobian(phi_IB).mT,
        lambda phi_IB, frame: (
            exp_jacobian_inverse(phi_IB) if frame == "I" else exp_jacobian_inverse(phi_IB).mT
        ),
    ),
    "euler-ZYX": (_euler_map("ZYX"), _euler_inverse_map("ZYX")),
    "euler-XYZ": (_euler_map("XYZ"), _euler_inverse_map("XYZ")),
    "rpy": (  # those of ZYX, whose angles are [yaw, pitch, roll], in reverse
        lambda angles, frame: _reverse(_euler_map("ZYX")(_reverse(angles), frame)),
        lambda angles, frame: _reverse(_euler_inverse_map("ZYX")(_reverse(angles), frame), -2),
    ),
}


def _maps(parameterisation: Parameterisation, expressed_in: Frame) -> tuple[Map, Map]:
    refuse_unknown("frame expressed_in", expressed_in, FRAMES)
    name = read_parameterisation("parameterisation", parameterisation)
    if name == "matrix":
        refuse_unknown("parameterisation", name, tuple(_MAPS))
    return _MAPS[name]


def _refuse_leaving(xp: Namespace, values: Array, rates: Array, parameterisation: str) -> None:
    """Refuse rates along which a quaternion or an axis would not stay of length 1."""
    if parameterisation == "quaternion":
        what, unit, rate = "quaternion", values, rates
    elif parameterisation == "angle-axis":
        what, unit, rate = "axis", values[..., 1:], rates[..., 1:]
    else:
        return
    along = xp.abs(xp.sum(unit * rate, axis=-1))
    size = xp.max(xp.abs(rate), axis=-1)
    body = first_index(xp, along > tolerances.rotation_floor(rate.dtype, xp) * size)
    if body is not None:
        raise ParameterError(
            f"rates{of_body(body)} change the length of the {what} by "
            f"{float(along[body]):.3g} per second, expected 0; for a difference of two rotations "
            "use mean_angular_velocity"
        )


def _identity(xp: Namespace, like: Array) -> Array:
    return xp.eye(3, dtype=like.dtype, device=device_of(like))
