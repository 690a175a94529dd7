"""Rotations as files and estimators state them, and the calculus on them.

The convention is the passive one of the Kindr Cheat Sheet: C_IB takes the coordinates of a vector
in B to its coordinates in I, I_r = C_IB B_r; its columns are the axes of B in I, so it is the
matrix that other modules, and Drake, call R_IB. Every other parameterisation here is one of C_IB:

    quaternion       q_IB = [q0, q1, q2, q3], Hamiltonian (i j = k), of length 1, scalar first
    angle-axis       [theta, nx, ny, nz], n of length 1, theta in [rad]
    rotation-vector  phi = theta n [rad]
    euler-ZYX        [z, y, x]: C_IB = Cz(z) Cy(y) Cx(x), yaw, pitch, roll about moving axes [rad]
    euler-XYZ        [x, y, z]: C_IB = Cx(x) Cy(y) Cz(z) [rad]
    rpy              [x, y, z] of URDF, the angles of euler-ZYX in reverse: Cz(z) Cy(y) Cx(x) [rad]

"ZYX" and "XYZ" are accepted for euler-ZYX and euler-XYZ. Euler angles are in spatial.euler.

One code serves every array library, in its precision and with its gradients; SciPy's Rotation is
the oracle of the tests, not a dependency. Perturbations are taken on the left, in I: box_plus(q, v)
is exp(v) q, and a derivative by a rotation is one by that v.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.spatial import rotations
>>> half = np.sqrt(0.5)
>>> q_IB = [half, 0, 0, half]  # a quarter turn about z, scalar first
>>> C_IB = [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]  # the same
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from inertial_check.arrays.broadcasting import (
    expect_shape,
    quiet,
    real_arrays,
)
from inertial_check.arrays.so3 import (
    arctangent_ratio,
    cosine,
    exponential,
    matrix_of_rows,
    sinc,
    skew_matrix,
    skew_part,
    square_of,
)
from inertial_check.arrays.types import Array, ArrayLike, Namespace
from inertial_check.errors import expect
from inertial_check.inertia import tolerances
from inertial_check.inertia.frames import read_rotation
from inertial_check.spatial.euler import (
    SEQUENCES,
    EulerAngles,
    EulerSequence,
    elementary,
    euler_and_gimbal_lock,
    euler_from_matrix,
    matrix_from_euler,
)
from inertial_check.spatial.normalization import (
    nearest_rotation,
    normalize_quaternion,
)
from inertial_check.spatial.rotation_checks import refuse_nonskew, refuse_nonunit, refuse_unknown

__all__ = [
    "PARAMETERISATIONS",
    "SEQUENCES",
    "Conversion",
    "EulerAngles",
    "EulerSequence",
    "Parameterisation",
    "angle_axis_from_quaternion",
    "convert",
    "elementary",
    "euler_and_gimbal_lock",
    "euler_from_matrix",
    "matrix_from_euler",
    "matrix_from_quaternion",
    "matrix_from_rotation_vector",
    "nearest_rotation",
    "normalize_quaternion",
    "quaternion_from_angle_axis",
    "quaternion_from_matrix",
    "quaternion_from_rotation_vector",
    "rotation_vector_from_matrix",
    "rotation_vector_from_quaternion",
    "scalar_first",
    "scalar_last",
    "skew",
    "unskew",
]

Parameterisation = Literal[
    "matrix",
    "quaternion",
    "angle-axis",
    "rotation-vector",
    "euler-ZYX",
    "euler-XYZ",
    "rpy",
    "ZYX",
    "XYZ",
]
PARAMETERISATIONS: tuple[Parameterisation, ...] = get_args(Parameterisation)[:6]
"""Names of the parameterisations of a rotation, in `convert` and spatial.kinematics.

`rpy`, `ZYX` and `XYZ` are accepted, too; see read_parameterisation.
"""

_ALIASES = {"ZYX": "euler-ZYX", "XYZ": "euler-XYZ"}


def read_parameterisation(what: str, name: str) -> str:
    """The name among PARAMETERISATIONS, or "rpy", of a parameterisation that a caller names.

    Raises:
        ParameterError: Unknown name.
    """
    refuse_unknown(what, name, (*PARAMETERISATIONS, "rpy", *_ALIASES))
    return _ALIASES.get(name, name)


# Operators


def skew(vector: ArrayLike) -> Array:
    """The matrix a^x of the cross product: a^x b = a x b.

    Args:
        vector: (..., 3) a.

    Returns:
        (..., 3, 3).

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(rotations.skew([1.0, 2, 3]) @ [1.0, 0, 0])  # the cross product
        [ 0.  3. -2.]
    """
    xp, (vector,) = real_arrays(vector=vector)
    expect_shape("vector", vector, 3)
    return skew_matrix(xp, vector)


def unskew(matrix: ArrayLike) -> Array:
    """The vector a of a matrix a^x.

    Args:
        matrix: (..., 3, 3), skew-symmetric.

    Returns:
        (..., 3).

    Raises:
        ParameterError: Wrong shape, or a matrix that is not skew-symmetric to half its digits.

    Example:
        >>> print(rotations.unskew(rotations.skew([1.0, 2, 3])))
        [1. 2. 3.]
    """
    xp, (matrix,) = real_arrays(matrix=matrix)
    expect_shape("matrix", matrix, 3, 3)
    refuse_nonskew(xp, "matrix", matrix, "its skew-symmetric part is (A - A^T) / 2")
    return skew_part(xp, matrix)


# Parameterisations


@quiet
def matrix_from_quaternion(q_IB: ArrayLike) -> Array:
    """C_IB = 1 + 2 q0 q^x + 2 q^x q^x.

    Args:
        q_IB: (..., 4) unit quaternions; q and -q are the same rotation.

    Returns:
        (..., 3, 3).

    Raises:
        ParameterError: Wrong shape, or a quaternion whose length is not 1.

    Example:
        >>> print(rotations.matrix_from_quaternion(q_IB).round(9) + 0.0)
        [[ 0. -1.  0.]
         [ 1.  0.  0.]
         [ 0.  0.  1.]]
    """
    xp, (q_IB,) = real_arrays(q_IB=q_IB)
    refuse_nonunit(xp, "q_IB", q_IB, 4)
    w, x, y, z = (q_IB[..., i] for i in range(4))
    return matrix_of_rows(
        xp,
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        ),
    )


@quiet
def quaternion_from_matrix(C_IB: ArrayLike, *, renormalize: bool = False) -> Array:
    """The unit quaternion of a matrix, with q0 >= 0.

    4 q q^T is linear in C_IB; its row with the largest diagonal entry, over its length, is q. No
    branch is near its own singularity, so nothing cancels at any angle.

    Args:
        C_IB: (..., 3, 3).
        renormalize: Take the nearest rotation of matrices with rounded entries.

    Returns:
        (..., 4).

    Raises:
        ParameterError: Wrong shape, or a matrix that is no rotation.

    Example:
        >>> print(rotations.quaternion_from_matrix(C_IB).round(4))
        [0.7071 0.     0.     0.7071]
    """
    expect("flag", renormalize=renormalize)
    xp, (C_IB,) = real_arrays(C_IB=C_IB)
    C_IB = read_rotation(xp, "C_IB", C_IB, renormalize=renormalize)
    (a, b, c), (d, e, f), (g, h, i) = ([C_IB[..., j, k] for k in range(3)] for j in range(3))
    rows = [
        [1 + a + e + i, h - f, c - g, d - b],
        [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h],
        [d - b, c + g, f + h, 1 - a - e + i],
    ]
    best, row = rows[0][0], xp.stack(rows[0], axis=-1)
    for k in range(1, 4):
        better = rows[k][k] > best
        best = xp.where(better, rows[k][k], best)
        row = xp.where(better[..., None], xp.stack(rows[k], axis=-1), row)
    row = row / xp.sqrt(xp.sum(row * row, axis=-1, keepdims=True))
    return _canonical(xp, row)


@quiet
def quaternion_from_angle_axis(angle_axis: ArrayLike) -> Array:
    """q_IB = [cos(theta / 2), n sin(theta / 2)].

    Args:
        angle_axis: (..., 4) [theta, n] of any angle.

    Returns:
        (..., 4).

    Raises:
        ParameterError: Wrong shape, or an axis whose length is not 1.

    Example:
        >>> print(rotations.quaternion_from_angle_axis([np.pi / 2, 0, 0, 1.0]).round(4))
        [0.7071 0.     0.     0.7071]
    """
    xp, angle, axis = angle_and_axis(angle_axis)
    half = angle[..., None] / 2
    return xp.concat([xp.cos(half), axis * xp.sin(half)], axis=-1)


@quiet
def angle_axis_from_quaternion(q_IB: ArrayLike) -> Array:
    """[theta, n] with theta in [0, pi], exact at both ends; the axis x where the angle is 0.

    Args:
        q_IB: (..., 4) unit quaternions.

    Returns:
        (..., 4).

    Raises:
        ParameterError: Wrong shape, or a quaternion whose length is not 1.

    Example:
        >>> print(rotations.angle_axis_from_quaternion(q_IB).round(4))
        [1.5708 0.     0.     1.    ]
    """
    xp, (q_IB,) = real_arrays(q_IB=q_IB)
    refuse_nonunit(xp, "q_IB", q_IB, 4)
    q_IB = _canonical(xp, q_IB)
    imaginary = q_IB[..., 1:]
    size = xp.max(xp.abs(imaginary), axis=-1, keepdims=True)
    turned = size != 0
    x_axis = xp.stack([xp.ones_like(q_IB[..., 0]), *[xp.zeros_like(q_IB[..., 0])] * 2], axis=-1)
    scaled = xp.where(turned, imaginary / xp.where(turned, size, xp.ones_like(size)), x_axis)
    length = xp.sqrt(xp.sum(scaled * scaled, axis=-1, keepdims=True))
    angle = 2 * xp.atan2(xp.where(turned, size * length, xp.zeros_like(size)), q_IB[..., :1])
    return xp.concat([angle, scaled / length], axis=-1)


@quiet
def quaternion_from_rotation_vector(phi_IB: ArrayLike) -> Array:
    """The exponential map, as a unit quaternion: [cos(t / 2), phi sin(t / 2) / t], t = |phi|.

    Args:
        phi_IB: (..., 3) [rad], of any length.

    Returns:
        (..., 4).

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(rotations.quaternion_from_rotation_vector([0, 0, np.pi / 2]).round(4))
        [0.7071 0.     0.     0.7071]
    """
    xp, (phi_IB,) = real_arrays(phi_IB=phi_IB)
    expect_shape("phi_IB", phi_IB, 3)
    quarter = square_of(xp, phi_IB) / 4  # the square of half the angle
    return xp.concat([cosine(xp, quarter), phi_IB * sinc(xp, quarter) / 2], axis=-1)


@quiet
def rotation_vector_from_quaternion(q_IB: ArrayLike) -> Array:
    """The logarithmic map: phi of length at most pi, 2 atan2(|q|, q0) q / |q| of q or -q.

    Accurate at 0 and at pi, where the arccosine of the sheet is not. At pi the sign is that of q.

    Args:
        q_IB: (..., 4) unit quaternions; q and -q have the same logarithm.

    Returns:
        (..., 3) [rad].

    Raises:
        ParameterError: Wrong shape, or a quaternion whose length is not 1.

    Example:
        >>> print(rotations.rotation_vector_from_quaternion(q_IB).round(4))
        [0.     0.     1.5708]
    """
    xp, (q_IB,) = real_arrays(q_IB=q_IB)
    refuse_nonunit(xp, "q_IB", q_IB, 4)
    q_IB = _canonical(xp, q_IB)
    real, imaginary = q_IB[..., :1], q_IB[..., 1:]
    return 2 * imaginary * arctangent_ratio(xp, square_of(xp, imaginary), real)


@quiet
def matrix_from_rotation_vector(phi_IB: ArrayLike) -> Array:
    """The exponential map, as a matrix: C_IB = 1 + sin(t) / t phi^x + (1 - cos t) / t^2 phi^x^2.

    Args:
        phi_IB: (..., 3) [rad], of any length t.

    Returns:
        (..., 3, 3).

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(rotations.matrix_from_rotation_vector([0, 0, np.pi / 2]).round(9) + 0.0)
        [[ 0. -1.  0.]
         [ 1.  0.  0.]
         [ 0.  0.  1.]]
    """
    xp, (phi_IB,) = real_arrays(phi_IB=phi_IB)
    expect_shape("phi_IB", phi_IB, 3)
    return exponential(xp, phi_IB)


def rotation_vector_from_matrix(C_IB: ArrayLike) -> Array:
    """The logarithmic map of a matrix: phi of length at most pi.

    Args:
        C_IB: (..., 3, 3).

    Returns:
        (..., 3) [rad].

    Raises:
        ParameterError: Wrong shape, or a matrix that is no rotation.

    Example:
        >>> print(rotations.rotation_vector_from_matrix(C_IB).round(4) + 0.0)
        [0.     0.     1.5708]
    """
    return rotation_vector_from_quaternion(quaternion_from_matrix(C_IB))


def convert(
    values: ArrayLike,
    source: Parameterisation,
    target: Parameterisation,
    *,
    renormalize: bool = False,
) -> Array:
    """Rotations from one parameterisation to another.

    Args:
        values: Of the source: (..., 3, 3), (..., 4) or (..., 3).
        source: One of PARAMETERISATIONS, or "rpy", "ZYX", "XYZ".
        target: The same; equal to the source to have the values looked over.
        renormalize: Take the nearest rotation, or the unit quaternion, of values with rounded
            entries, as matrices of six digits and float32 products have them.

    Returns:
        Of the target. Quaternions have q0 >= 0 where they come from a matrix or Euler angles;
        angles and rotation vectors go to pi. Euler angles at gimbal lock have 0 as their last
        angle; euler.euler_and_gimbal_lock flags them.

    Raises:
        ParameterError: Unknown name, wrong shape, or values that are no rotation.

    Example:
        >>> print(rotations.convert([0.1, 0.2, 0.3], "rpy", "euler-ZYX"))
        [0.3 0.2 0.1]
        >>> print(rotations.convert(C_IB, "matrix", "angle-axis").round(4) + 0.0)
        [1.5708 0.     0.     1.    ]
    """
    _, (values,) = real_arrays(values=values)
    expect("flag", renormalize=renormalize)
    start, end = (
        read_parameterisation(what, name) for what, name in (("source", source), ("target", target))
    )
    if renormalize and start == "matrix":
        values = matrix_of(values, renormalize=True)
    elif renormalize and start == "quaternion":
        values = _renormalize_quaternion(values)
    if start in _TO_QUATERNION:
        hub, rotation = "quaternion", _TO_QUATERNION[start](values)
    else:
        hub, rotation = "matrix", _TO_MATRIX[start](values)
    if start == end:
        return real_arrays(values=values)[1][0]
    if end in _FROM_QUATERNION:
        return _FROM_QUATERNION[end](
            rotation if hub == "quaternion" else quaternion_from_matrix(rotation)
        )
    return _FROM_MATRIX[end](rotation if hub == "matrix" else matrix_from_quaternion(rotation))


def scalar_last(q_IB: ArrayLike) -> Array:
    """[q1, q2, q3, q0], the order of SciPy, ROS and USD files; of the same, Hamiltonian, algebra.

    Args:
        q_IB: (..., 4) scalar first.

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(rotations.scalar_last([1.0, 0, 0, 0]))  # the identity for ROS
        [0. 0. 0. 1.]
    """
    xp, (q_IB,) = real_arrays(q_IB=q_IB)
    expect_shape("q_IB", q_IB, 4)
    return xp.concat([q_IB[..., 1:], q_IB[..., :1]], axis=-1)


def scalar_first(xyzw_IB: ArrayLike) -> Array:
    """[q0, q1, q2, q3] of a quaternion with its scalar last.

    Args:
        xyzw_IB: (..., 4) scalar last.

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(rotations.scalar_first([0, 0, 0, 1.0]))
        [1. 0. 0. 0.]
    """
    xp, (xyzw_IB,) = real_arrays(xyzw_IB=xyzw_IB)
    expect_shape("xyzw_IB", xyzw_IB, 4)
    return xp.concat([xyzw_IB[..., 3:], xyzw_IB[..., :3]], axis=-1)


def angle_and_axis(angle_axis: ArrayLike) -> tuple[Namespace, Array, Array]:
    """The namespace, the angle (...,) and the axis (..., 3), its length looked at.

    Raises:
        ParameterError: Wrong shape, or an axis whose length is not 1.
    """
    xp, (angle_axis,) = real_arrays(angle_axis=angle_axis)
    expect_shape("angle_axis", angle_axis, 4)
    refuse_nonunit(xp, "the axis of angle_axis", angle_axis[..., 1:], 3)
    return xp, angle_axis[..., 0], angle_axis[..., 1:]


def matrix_of(C_IB: ArrayLike, *, renormalize: bool = False) -> Array:
    """The matrices of rotations, looked over once.

    Raises:
        ParameterError: Wrong shape, or a matrix that is no rotation.
    """
    expect("flag", renormalize=renormalize)
    xp, (C_IB,) = real_arrays(C_IB=C_IB)
    return read_rotation(xp, "C_IB", C_IB, renormalize=renormalize)


def _renormalize_quaternion(q_IB: ArrayLike) -> Array:
    """Unit quaternions of nearly unit ones.

    Raises:
        ParameterError: Wrong shape, or a length that is off by more than rounding of digits.
    """
    xp, (q_IB,) = real_arrays(q_IB=q_IB)
    refuse_nonunit(xp, "q_IB", q_IB, 4, tolerances.RENORMALIZED)
    return normalize_quaternion(q_IB)


def _check_quaternion(q_IB: ArrayLike) -> Array:
    xp, (q_IB,) = real_arrays(q_IB=q_IB)
    refuse_nonunit(xp, "q_IB", q_IB, 4)
    return q_IB


Conversion = Callable[[ArrayLike], Array]

_TO_QUATERNION: dict[str, Conversion] = {
    "quaternion": _check_quaternion,
    "angle-axis": quaternion_from_angle_axis,
    "rotation-vector": quaternion_from_rotation_vector,
}
_FROM_QUATERNION: dict[str, Conversion] = {
    "quaternion": _check_quaternion,
    "angle-axis": angle_axis_from_quaternion,
    "rotation-vector": rotation_vector_from_quaternion,
}
_TO_MATRIX: dict[str, Conversion] = {
    "matrix": matrix_of,
    "euler-ZYX": lambda angles: matrix_from_euler(angles, "ZYX"),
    "euler-XYZ": lambda angles: matrix_from_euler(angles, "XYZ"),
    "rpy": lambda angles: matrix_from_euler(angles, "rpy"),
}
_FROM_MATRIX: dict[str, Conversion] = {
    "matrix": matrix_of,
    "euler-ZYX": lambda C_IB: euler_from_matrix(C_IB, "ZYX"),
    "euler-XYZ": lambda C_IB: euler_from_matrix(C_IB, "XYZ"),
    "rpy": lambda C_IB: euler_from_matrix(C_IB, "rpy"),
}


def _canonical(xp: Namespace, q: Array) -> Array:
    """Of q and -q the one with q0 >= 0."""
    return xp.where(q[..., :1] < 0, -q, q)
