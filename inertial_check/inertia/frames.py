"""The same body seen from another frame, and bodies joined to one.

Poses are Drake's: X_AB = [[R_AB, p_AoBo_A], [0, 1]] maps points of B to A, and a body whose
parameters are given in B has Pi_A = X_AB Pi_B X_AB^T in A (Heins, Rigid Body Inertial Parameters,
eq. 15). Theta is in order "urdf"; its point, "origin" or "com", is kept: a tensor about the centre
of mass does not know where the origin is, and is never sent through it.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import frames
>>> rod = [2.0, 0, 0, 0, 0.3, 0, 0, 0.3, 0, 0.1]  # along z, about its centre
>>> x_to_y = [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]  # a quarter turn about z

Parts of which rotations are computed: matrices by rows, skew ones, even functions.

The exponential map and its Jacobians are polynomials in v^x whose coefficients are even, smooth
functions of t = |v|. They are functions of t^2 here and take their series where t < 1: no digits
cancel near 0, and the square root, whose slope is infinite at 0, is not taken there, so that
gradients stay finite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    Floats,
    Namespace,
    batch_shape,
    cross_components,
    device_of,
    expect_shape,
    first_index,
    of_body,
    product,
    quiet,
    read_floats,
    real_arrays,
)
from inertial_check.inertia.representations import (
    Point,
    find_own_form,
    join,
    read_theta,
    shift,
    state_form_of,
)

__all__ = ["add", "homogeneous", "merge", "rotate", "total", "transform", "translate"]


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


def _read_body(
    theta: ArrayLike, about: Point | None = None, name: str = "theta"
) -> tuple[ArrayLike, Point]:
    """Read bodies that know their form; bare ones stay lists, which follow arrays beside them."""
    _, body, about = read_theta(theta, None, about, name=name)
    return (theta if find_own_form(theta) == (None, None) else body), about


@quiet
def rotate(theta: ArrayLike, R_AB: ArrayLike, *, renormalize: bool = False) -> Array:
    """Parameters of a body given in B, in the axes of A about the same point: I_A = R I_B R^T.

    Args:
        theta: (..., 10), about the origin or the centre of mass.
        R_AB: (..., 3, 3) rotations whose columns are the axes of B in A.
        renormalize: Take the nearest rotations of matrices with rounded entries.

    Returns:
        (..., 10) about the same point, leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, or a matrix that is no rotation.

    Example:
        >>> y_to_z = [[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]  # a quarter turn about x
        >>> print(frames.rotate(rod, y_to_z)[4:])  # the rod now lies along y
        [0.3 0.  0.  0.1 0.  0.3]
    """
    expect("flag", renormalize=renormalize)
    body, about = _read_body(theta)
    xp, (body, R_AB) = real_arrays(theta=body, R_AB=R_AB)
    R_AB = read_rotation(xp, "R_AB", R_AB, renormalize=renormalize)
    return state_form_of(theta, rotate_checked(xp, body, R_AB), "urdf", about)


@quiet
def rotate_checked(xp: Namespace, theta: Array, R_AB: Array) -> Array:
    """Rotate bodies (..., 10) by matrices that are known to be rotations."""
    batch_shape(theta=theta.shape[:-1], R_AB=R_AB.shape[:-2])
    inertia = rotate_tensor(xp, R_AB, theta[..., 4:])
    return join(theta[..., 0], rotate_vector(xp, R_AB, theta[..., 1:4]), inertia)


@quiet
def translate(theta: ArrayLike, p_AoBo_A: ArrayLike, about: Point | None = None) -> Array:
    """Parameters of a body given in B, in the frame A with the same axes and its origin at Ao.

    About the origin S' = S + h p^T + p h^T + m p p^T (Heins eq. 14); about the centre of mass only
    the first moment changes. A row without mass is about the origin in both.

    Args:
        theta: (..., 10), about `about`.
        p_AoBo_A: (..., 3) position of the old origin Bo in the new frame [m].
        about: "origin" (Bo before, Ao after) or "com"; None for theta's own, else the origin.

    Returns:
        (..., 10), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, unknown point.

    Example:
        >>> print(frames.translate(rod, [0.5, 0, 0]))  # h = m c, and 2 * 0.5^2 more about y and z
        [2.  1.  0.  0.  0.3 0.  0.  0.8 0.  0.6]
    """
    body, about = _read_body(theta, about)
    xp, (body, p_AoBo_A) = real_arrays(theta=body, p_AoBo_A=p_AoBo_A)
    expect_shape("p_AoBo_A", p_AoBo_A, 3)
    batch_shape(theta=body.shape[:-1], p_AoBo_A=p_AoBo_A.shape[:-1])
    moved = body[..., :1] * p_AoBo_A
    gain = shift(xp, body[..., 1:4] + moved / 2, p_AoBo_A)
    if about == "com":  # a row without mass has no centre: its tensor stands about the origin
        gain = xp.where(body[..., :1] == 0, gain, xp.zeros_like(gain))
    result = join(body[..., 0], body[..., 1:4] + moved, body[..., 4:] + gain)
    return state_form_of(theta, result, "urdf", about)


def transform(
    theta: ArrayLike,
    X_AB: ArrayLike,
    about: Point | None = None,
    *,
    name: str = "X_AB",
    renormalize: bool = False,
) -> Array:
    """Parameters of a body given in B, in the frame A: Pi_A = X_AB Pi_B X_AB^T (Heins eq. 15).

    Args:
        theta: (..., 10), about `about`.
        X_AB: (..., 4, 4) poses, mapping points of B to A.
        about: "origin" (Bo before, Ao after) or "com"; None for theta's own, else the origin.
        renormalize: Take the nearest rotations of poses with rounded entries.
        name: What error messages call the poses.

    Returns:
        (..., 10), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, a matrix that is no pose, unknown point.

    Example:
        >>> X_AB = frames.homogeneous(x_to_y, [0, 0, 0.5])
        >>> print(frames.transform(rod, X_AB))
        [2.  0.  0.  1.  0.8 0.  0.  0.8 0.  0.1]
    """
    expect("flag", renormalize=renormalize)
    expect("text", name=name)
    body, about = _read_body(theta, about)
    xp, (body, X_AB) = real_arrays(**{"theta": body, name: X_AB})
    R_AB, p_AoBo_A = pose_parts(X_AB, like=body, name=name, renormalize=renormalize)
    result = translate(rotate_checked(xp, body, R_AB), p_AoBo_A, about)
    return state_form_of(theta, result, "urdf", about)


def homogeneous(R_AB: ArrayLike, p_AoBo_A: ArrayLike) -> Floats:
    """The pose X_AB (4, 4) of a rotation (3, 3) and a position (3,), as `transform` takes it.

    Example:
        >>> print(frames.homogeneous(x_to_y, [0, 0, 0.5]))
        [[ 0.  -1.   0.   0. ]
         [ 1.   0.   0.   0. ]
         [ 0.   0.   1.   0.5]
         [ 0.   0.   0.   1. ]]
    """
    (R_AB,), (p_AoBo_A,) = read_floats((3, 3), R_AB=R_AB), read_floats((3,), p_AoBo_A=p_AoBo_A)
    X_AB = np.eye(4)
    X_AB[:3, :3], X_AB[:3, 3] = R_AB, p_AoBo_A
    return X_AB


@quiet
def add(theta_1: ArrayLike, theta_2: ArrayLike, about: Point | None = None) -> Array:
    """Parameters of two bodies together, given in the same frame.

    About the origin they add. About the centre of mass each is moved to the shared one, as in
    `total`. What has no mass has no centre: its first moment and its tensor are about the origin,
    in `theta_1` and `theta_2` and, where the masses cancel, in the result.

    Args:
        theta_1: (..., 10), about `about`.
        theta_2: (..., 10), about `about`; negated to take a body away.
        about: "origin", or "com": each about its own centre of mass, the result about the shared;
            None for theta's own, else the origin.

    Returns:
        (..., 10), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, unknown point.

    Example:
        >>> print(frames.add(rod, rod))
        [4.  0.  0.  0.  0.6 0.  0.  0.6 0.  0.2]
    """
    one, about = _read_body(theta_1, about, name="theta_1")
    other, about = _read_body(theta_2, about, name="theta_2")
    xp, bodies = real_arrays(theta_1=one, theta_2=other)
    batch_shape(theta_1=bodies[0].shape[:-1], theta_2=bodies[1].shape[:-1])
    if about == "origin":
        whole = bodies[0] + bodies[1]
    else:
        whole = total(xp.stack(xp.broadcast_arrays(*bodies)), (0,), about)
    return state_form_of(theta_1, whole, "urdf", about)


def move_to_point(xp: Namespace, theta: Array, central: Array, point: Array) -> Array:
    """Compute the inertia (..., 6) about points (..., 3), in one step from where it stands.

    Args:
        xp: The library of the arrays.
        theta: (..., 10) bodies.
        central: (..., 1) whether a body is about its centre of mass; else it is about the origin.
        point: (..., 3) in the frame of the bodies [m].
    """
    mass, h = theta[..., :1], theta[..., 1:4]
    arm = h / xp.where(central, mass, xp.ones_like(mass)) - point
    start = xp.where(central, mass * arm / 2, mass * point / 2 - h)
    return theta[..., 4:] + shift(xp, start, xp.where(central, arm, xp.zeros_like(arm) + point))


def combine(
    xp: Namespace, theta: Array, central: Array, axes: tuple[int, ...], least: float
) -> tuple[Array, Array]:
    """Join bodies along axes of a batch about their shared centre, or the origin without one.

    Args:
        xp: The library of the arrays.
        theta: (..., 10) bodies.
        central: (..., 1) whether a body is about its centre of mass; else it is about the origin.
        axes: Axes of the batch, counted from 0.
        least: Part of the masses up to which their total has cancelled, so that there is no centre;
            nor is there one where this part of h.h / m of the total is more than the moments that
            the bodies have about the origin.

    Returns:
        (..., 10) without these axes, and (...,) whether a row is about its centre of mass.
    """
    whole = xp.sum(theta, axis=axes, keepdims=True)
    mass = whole[..., :1]
    lost = xp.abs(mass) <= least * xp.sum(xp.abs(theta[..., :1]), axis=axes, keepdims=True)
    # Bodies of positive mass never have less about the origin than h.h / m of their sum.
    own = square_of(xp, theta[..., 1:4]) / xp.where(central, theta[..., :1], xp.inf)
    own = xp.abs(own) + xp.sum(xp.abs(theta[..., 4:]), axis=-1, keepdims=True)
    size = xp.abs(mass) * xp.sum(own, axis=axes, keepdims=True)
    lost |= least * square_of(xp, whole[..., 1:4]) > size
    center = whole[..., 1:4] / xp.where(lost, xp.full_like(mass, xp.inf), mass)
    six = xp.sum(move_to_point(xp, theta, central, center), axis=axes, keepdims=True)
    whole = xp.squeeze(xp.concat([whole[..., :4], six], axis=-1), axis=axes)
    return whole, ~xp.squeeze(lost, axis=axes)[..., 0]


@quiet
def total(theta: ArrayLike, axes: tuple[int, ...], about: Point | None = None) -> Array:
    """Parameters of all bodies along axes of a batch together, given in the same frame.

    About the centre of mass each is moved straight to the shared centre:
    I = sum(I_i + m_i (d_i.d_i 1 - d_i d_i^T)). What has no mass is about the origin: rows of
    `theta`, and the result where the masses cancel.

    Args:
        theta: (..., 10), about `about`.
        axes: Axes of the batch, counted from 0.
        about: "origin", or "com": each about its own centre of mass, the result about the shared;
            None for theta's own, else the origin.

    Returns:
        (..., 10), without these axes.

    Raises:
        ParameterError: Wrong shape, unknown point.

    Example:
        >>> print(frames.total([rod, rod, rod], axes=(0,)))
        [6.  0.  0.  0.  0.9 0.  0.  0.9 0.  0.3]
    """
    expect("list", axes=axes)
    for axis in axes:
        expect("whole", axes=axis)
    axes = tuple(axes)
    xp, body, about = read_theta(theta, None, about)
    if not all(0 <= axis < body.ndim - 1 for axis in axes) or len(set(axes)) != len(axes):
        raise ParameterError(f"axes is {axes}, expected different axes of {tuple(body.shape)[:-1]}")
    if about == "com":
        whole = combine(xp, body, body[..., :1] != 0, axes, 0.0)[0]
    else:
        whole = xp.sum(body, axis=axes)
    return state_form_of(theta, whole, "urdf", about)


def merge(
    theta_P: ArrayLike,
    theta_C: ArrayLike,
    X_PC: ArrayLike,
    about: Point | None = None,
    *,
    renormalize: bool = False,
) -> Array:
    """Parameters of a parent body P with a child body C fixed to it, in the parent's frame.

    Args:
        theta_P: (..., 10) parent in its own frame, about `about`.
        theta_C: (..., 10) child in its own frame, about `about`.
        X_PC: (..., 4, 4) poses of the child's frame in the parent's.
        about: "origin" or "com", of both and of the result; None for theta's own, else the origin.
        renormalize: Take the nearest rotations of poses with rounded entries.

    Returns:
        (..., 10), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, a matrix that is no pose, unknown point.

    Example:
        >>> # A second rod whose frame stands 0.5 m along z from that of the first
        >>> print(frames.merge(rod, rod, frames.homogeneous(np.eye(3), [0, 0, 0.5])))
        [4.  0.  0.  1.  1.1 0.  0.  1.1 0.  0.2]
    """
    expect("flag", renormalize=renormalize)
    parent, about = _read_body(theta_P, about, name="theta_P")
    child, about = _read_body(theta_C, about, name="theta_C")
    _, (parent, child, X_PC) = real_arrays(theta_P=parent, theta_C=child, X_PC=X_PC)
    moved = transform(child, X_PC, about, name="X_PC", renormalize=renormalize)
    return state_form_of(theta_P, add(parent, moved, about), "urdf", about)


def rotate_vector(xp: Namespace, R_AB: Array, vector: Array) -> Array:
    """R v for (..., 3) vectors."""
    return xp.sum(R_AB * vector[..., None, :], axis=-1)


def rotate_tensor(xp: Namespace, R_AB: Array, six: Array) -> Array:
    """The six of R M R^T for symmetric tensors (..., 6), entry by entry.

    Written out, as matrix products of 3x3 blocks take four times as long; off the diagonal both
    halves, which differ by rounding, are averaged.
    """
    (a, b, c), (d, e, f), (g, h, i) = ([R_AB[..., j, k] for k in range(3)] for j in range(3))
    xx, xy, xz, yy, yz, zz = (six[..., k] for k in range(6))
    # R M, row by row, and then those rows times R^T.
    ax, ay, az = a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, a * xz + b * yz + c * zz
    bx, by, bz = d * xx + e * xy + f * xz, d * xy + e * yy + f * yz, d * xz + e * yz + f * zz
    cx, cy, cz = g * xx + h * xy + i * xz, g * xy + h * yy + i * yz, g * xz + h * yz + i * zz
    entries = [
        ax * a + ay * b + az * c,
        ((ax * d + ay * e + az * f) + (bx * a + by * b + bz * c)) / 2,
        ((ax * g + ay * h + az * i) + (cx * a + cy * b + cz * c)) / 2,
        bx * d + by * e + bz * f,
        ((bx * g + by * h + bz * i) + (cx * d + cy * e + cz * f)) / 2,
        cx * g + cy * h + cz * i,
    ]
    return xp.stack(entries, axis=-1)


def pose_parts(
    X_AB: ArrayLike, like: ArrayLike, name: str = "X_AB", *, renormalize: bool = False
) -> tuple[Array, Array]:
    """The rotation (..., 3, 3) and the position (..., 3) of poses (..., 4, 4), for parameters.

    Args:
        X_AB: Poses; numbers and lists become arrays of the library and precision of `like`.
        like: The parameters that they are for.
        name: What error messages call them.
        renormalize: Take the nearest rotations of matrices with rounded entries.

    Raises:
        ParameterError: Wrong shape, or a matrix that is no pose.
    """
    xp, (_, X_AB) = real_arrays(**{"theta": like, name: X_AB})
    expect_shape(name, X_AB, 4, 4)
    last = X_AB[..., 3, :]
    bad = xp.any(last[..., :3] != 0, axis=-1) | (last[..., 3] != 1)
    body = first_index(xp, bad)
    if body is not None:
        got = [float(last[(*body, i)]) for i in range(4)]
        raise ParameterError(f"{name}{of_body(body)} has the last row {got}, expected [0, 0, 0, 1]")
    rotation = X_AB[..., :3, :3]
    R_AB = read_rotation(xp, f"rotation in {name}", rotation, renormalize=renormalize)
    return R_AB, X_AB[..., :3, 3]


@quiet
def find_nearest_rotation(xp: Namespace, matrix: Array) -> Array:
    """The rotations nearest to matrices (..., 3, 3); NaN where there is no single one."""
    finite = xp.all(xp.isfinite(matrix), axis=(-2, -1))[..., None, None]
    identity = xp.eye(3, dtype=matrix.dtype, device=device_of(matrix))
    # Scaled by the largest entry, as squares of large numbers overflow; 0 stays 0.
    size = xp.max(xp.abs(matrix), axis=(-2, -1), keepdims=True)
    scaled = matrix / xp.where(size > 0, size, xp.ones_like(size))
    U, values, Vh = xp.linalg.svd(xp.where(finite, scaled, identity), full_matrices=False)
    x, y, z = (product(xp, U, Vh)[..., i, :] for i in range(3))
    determinant = xp.sum(cross(xp, x, y) * z, axis=-1)
    one = xp.ones_like(determinant)
    sign = xp.where(determinant < 0, -one, one)[..., None]
    turned = xp.concat([U[..., :2], U[..., 2:] * sign[..., None]], axis=-1)
    rounding = tolerances.SOLVED_FACTOR * tolerances.epsilon(matrix.dtype, xp)
    single = values[..., 1] + sign[..., 0] * values[..., 2] > rounding * values[..., 0]
    found = product(xp, turned, Vh)
    return xp.where(finite & single[..., None, None], found, xp.full_like(found, xp.nan))


@quiet
def read_rotation(xp: Namespace, name: str, R_AB: Array, *, renormalize: bool = False) -> Array:
    """The rotations that a caller passes, looked over once, or made exact where that is asked for.

    Raises:
        ParameterError: As refuse_nonrotation; to be renormalised, a matrix must be a rotation to
            two digits.
    """
    if not renormalize:
        refuse_nonrotation(xp, name, R_AB)
        return R_AB
    refuse_nonrotation(xp, name, R_AB, tolerances.RENORMALIZED)
    return find_nearest_rotation(xp, R_AB)


@quiet
def refuse_nonrotation(xp: Namespace, name: str, R_AB: Array, most: float | None = None) -> None:
    """Refuse matrices that are not rotations, by more than `most`, or half their digits.

    Raises:
        ParameterError: Wrong shape; columns that are not orthonormal; a reflection. Says by how
            much and which body. Values that a trace hides are not looked at.
    """
    expect_shape(name, R_AB, 3, 3)
    (a, b, c), (d, e, f), (g, h, i) = ([R_AB[..., j, k] for k in range(3)] for j in range(3))
    errors = (
        a * a + d * d + g * g - 1,
        b * b + e * e + h * h - 1,
        c * c + f * f + i * i - 1,
        a * b + d * e + g * h,
        a * c + d * f + g * i,
        b * c + e * f + h * i,
    )
    error = xp.abs(errors[0])
    for other in errors[1:]:
        error = xp.maximum(error, xp.abs(other))
    floor = tolerances.rotation_floor(R_AB.dtype, xp) if most is None else most
    body = first_index(xp, ~(error <= floor))
    if body is not None:
        raise ParameterError(
            f"{name}{of_body(body)} is not orthonormal: max|R^T R - 1| is "
            f"{float(error[body]):.3g}, expected at most {floor:.2g}; if its entries are rounded, "
            "mechanics.rotations.nearest_rotation gives the rotation that is meant"
        )
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    body = first_index(xp, determinant < 0)
    if body is not None:
        raise ParameterError(
            f"{name}{of_body(body)} is a reflection (determinant -1), no rotation; mirror a body "
            "with T Pi T^T and InertialParameters.from_pseudo_inertia"
        )
