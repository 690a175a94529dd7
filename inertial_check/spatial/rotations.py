"""Rotations as files and estimators state them, and the calculus on them.

The convention is the passive one of the Kindr Cheat Sheet: C_IB takes the coordinates of a vector
in B to its coordinates in I, I_r = C_IB B_r; its columns are the axes of B in I, so it is the
matrix that other modules, and Drake, call R_IB. Every other parameterisation here is one of C_IB:

    quaternion       q_IB = [q0, q1, q2, q3], Hamiltonian (i j = k), of length 1, scalar first
    angle-axis       [theta, nx, ny, nz], n of length 1, theta in [rad]
    rotation-vector  phi = theta n [rad]
    euler-ZYX        [z, y, x]: C_IB = Cz(z) Cy(y) Cx(x), yaw, pitch, roll about moving axes [rad]
    euler-XYZ        [x, y, z]: C_IB = Cx(x) Cy(y) Cz(z) [rad]

One code serves every array library, in its precision and with its gradients; SciPy's Rotation is
the oracle of the tests, not a dependency. Perturbations are taken on the left, in I: box_plus(q, v)
is exp(v) q, and a derivative by a rotation is one by that v.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

from inertial_check.arrays.broadcasting import (
    expect_shape,
    first_index,
    of_body,
    product,
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
from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.frames import refuse_nonrotation

EulerSequence = Literal["ZYX", "XYZ"]
SEQUENCES: tuple[EulerSequence, ...] = get_args(EulerSequence)
"""Euler angles about moving axes, in the order of their turns: upper case, as SciPy has it."""

Parameterisation = Literal[
    "matrix", "quaternion", "angle-axis", "rotation-vector", "euler-ZYX", "euler-XYZ"
]
PARAMETERISATIONS: tuple[Parameterisation, ...] = get_args(Parameterisation)
"""Names of the parameterisations of a rotation, in `convert` and spatial.kinematics."""

# Operators


def skew(vector: ArrayLike) -> Array:
    """The matrix a^x of the cross product: a^x b = a x b.

    Args:
        vector: (..., 3) a.

    Returns:
        (..., 3, 3).

    Raises:
        ParameterError: Wrong shape.
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
    """
    xp, (matrix,) = real_arrays(matrix=matrix)
    expect_shape("matrix", matrix, 3, 3)
    refuse_nonskew(xp, "matrix", matrix, "its skew-symmetric part is (A - A^T) / 2")
    return skew_part(xp, matrix)


@quiet
def elementary(axis: str, angle: ArrayLike) -> Array:
    """The turn by an angle about one axis of the frame.

    Args:
        axis: "x", "y" or "z".
        angle: (...,) [rad].

    Returns:
        (..., 3, 3) C_IB, where B is I turned by the angle.

    Raises:
        ParameterError: Unknown axis.
    """
    if axis not in ("x", "y", "z"):
        raise ParameterError(f"unknown axis {axis!r}, expected x, y or z")
    xp, (angle,) = real_arrays(angle=angle)
    c, s, one, zero = xp.cos(angle), xp.sin(angle), xp.ones_like(angle), xp.zeros_like(angle)
    rows = {
        "x": ((one, zero, zero), (zero, c, -s), (zero, s, c)),
        "y": ((c, zero, s), (zero, one, zero), (-s, zero, c)),
        "z": ((c, -s, zero), (s, c, zero), (zero, zero, one)),
    }
    return matrix_of_rows(xp, rows[axis])


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
def quaternion_from_matrix(C_IB: ArrayLike) -> Array:
    """The unit quaternion of a matrix, with q0 >= 0.

    4 q q^T is linear in C_IB; its row with the largest diagonal entry, over its length, is q. No
    branch is near its own singularity, so nothing cancels at any angle.

    Args:
        C_IB: (..., 3, 3).

    Returns:
        (..., 4).

    Raises:
        ParameterError: Wrong shape, or a matrix that is no rotation.
    """
    xp, (C_IB,) = real_arrays(C_IB=C_IB)
    refuse_nonrotation(xp, "C_IB", C_IB)
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
    """
    return rotation_vector_from_quaternion(quaternion_from_matrix(C_IB))


@quiet
def matrix_from_euler(angles: ArrayLike, sequence: EulerSequence) -> Array:
    """C_IB of three turns about moving axes; every three angles are a rotation.

    Args:
        angles: (..., 3) in the order of the sequence [rad].
        sequence: "ZYX" (yaw, pitch, roll) or "XYZ".

    Returns:
        (..., 3, 3).

    Raises:
        ParameterError: Wrong shape, unknown sequence.
    """
    xp, (angles,) = real_arrays(angles=angles)
    expect_shape("angles", angles, 3)
    refuse_unknown("sequence", sequence, SEQUENCES)
    first, second, third = (
        elementary(axis, angles[..., i]) for i, axis in enumerate(sequence.lower())
    )
    return product(xp, product(xp, first, second), third)


@quiet
def euler_from_matrix(C_IB: ArrayLike, sequence: EulerSequence) -> Array:
    """Euler angles of a rotation, the middle one inside (-pi/2, pi/2), the others in [-pi, pi].

    Args:
        C_IB: (..., 3, 3).
        sequence: "ZYX" (yaw, pitch, roll) or "XYZ".

    Returns:
        (..., 3) in the order of the sequence [rad].

    Raises:
        ParameterError: Wrong shape, unknown sequence, a matrix that is no rotation, or one at the
            singularity: cos(y) is no larger than the error that a rotation may have, so that any
            first and third angle with the right sum would do.
    """
    refuse_unknown("sequence", sequence, SEQUENCES)
    xp, (C_IB,) = real_arrays(C_IB=C_IB)
    refuse_nonrotation(xp, "C_IB", C_IB)
    C = {(i + 1, j + 1): C_IB[..., i, j] for i in range(3) for j in range(3)}
    if sequence == "ZYX":
        sine, first, third = -C[3, 1], (C[2, 1], C[1, 1]), (C[3, 2], C[3, 3])
    else:
        sine, first, third = C[1, 3], (-C[2, 3], C[3, 3]), (-C[1, 2], C[1, 1])
    rest = xp.sqrt(first[0] * first[0] + first[1] * first[1])  # cos(y)
    middle = xp.atan2(sine, rest)
    refuse_gimbal_lock(xp, sequence, middle, rest)
    return xp.stack([xp.atan2(*first), middle, xp.atan2(*third)], axis=-1)


def convert(values: ArrayLike, source: Parameterisation, target: Parameterisation) -> Array:
    """Rotations from one parameterisation to another.

    Args:
        values: Of the source: (..., 3, 3), (..., 4) or (..., 3).
        source: One of PARAMETERISATIONS.
        target: One of PARAMETERISATIONS; the same as the source to have the values looked over.

    Returns:
        Of the target. Quaternions have q0 >= 0 where they come from a matrix or Euler angles;
        angles and rotation vectors go to pi.

    Raises:
        ParameterError: Unknown name, wrong shape, values that are no rotation, or Euler angles
            asked for at their singularity.
    """
    for name, given in (("source", source), ("target", target)):
        refuse_unknown(name, given, PARAMETERISATIONS)
    if source in _TO_QUATERNION:
        hub, rotation = "quaternion", _TO_QUATERNION[source](values)
    else:
        hub, rotation = "matrix", _TO_MATRIX[source](values)
    if source == target:
        return real_arrays(values=values)[1][0]
    if target in _FROM_QUATERNION:
        return _FROM_QUATERNION[target](
            rotation if hub == "quaternion" else quaternion_from_matrix(rotation)
        )
    return _FROM_MATRIX[target](rotation if hub == "matrix" else matrix_from_quaternion(rotation))


def scalar_last(q_IB: ArrayLike) -> Array:
    """[q1, q2, q3, q0], the order of SciPy, ROS and USD files; of the same, Hamiltonian, algebra.

    Args:
        q_IB: (..., 4) scalar first.

    Raises:
        ParameterError: Wrong shape.
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
    """
    xp, (xyzw_IB,) = real_arrays(xyzw_IB=xyzw_IB)
    expect_shape("xyzw_IB", xyzw_IB, 4)
    return xp.concat([xyzw_IB[..., 3:], xyzw_IB[..., :3]], axis=-1)


# What callers in this package share


def refuse_unknown(what: str, given: str, known: Sequence[str]) -> None:
    """Refuse a name that is not among the known.

    Raises:
        ParameterError: Naming both.
    """
    if given not in known:
        raise ParameterError(f"unknown {what} {given!r}, expected one of {', '.join(known)}")


@quiet
def refuse_nonunit(xp: Namespace, name: str, array: Array, size: int) -> None:
    """Refuse vectors whose length is not 1.

    Raises:
        ParameterError: Wrong shape; a length that is not 1, and of which body. Values that a trace
            hides are not looked at.
    """
    expect_shape(name, array, size)
    square = xp.sum(array * array, axis=-1)
    floor = tolerances.rotation_floor(array.dtype, xp)
    body = first_index(xp, ~(xp.abs(square - 1) <= floor))
    if body is not None:
        raise ParameterError(
            f"{name}{of_body(body)} is {float(square[body]) ** 0.5:.9g} long, expected 1 within "
            f"{floor / 2:.2g}; divide it by its length if only its direction is meant"
        )


@quiet
def refuse_nonskew(xp: Namespace, name: str, matrix: Array, way_out: str) -> None:
    """Refuse matrices that are not skew-symmetric to half their digits.

    Raises:
        ParameterError: By how much, of which body, and the way out.
    """
    error = xp.max(xp.abs(matrix + matrix.mT), axis=(-2, -1))
    size = xp.max(xp.abs(matrix), axis=(-2, -1))
    body = first_index(xp, error > tolerances.rotation_floor(matrix.dtype, xp) * size)
    if body is not None:
        raise ParameterError(
            f"{name}{of_body(body)} is not skew-symmetric: max|A + A^T| is "
            f"{float(error[body]):.3g} beside max|A| = {float(size[body]):.3g}; {way_out}"
        )


def refuse_gimbal_lock(xp: Namespace, sequence: str, middle: Array, cosine: Array) -> None:
    """Refuse Euler angles so near their singularity that half the digits of the others are lost.

    Raises:
        ParameterError: Naming the middle angle and the body.
    """
    body = first_index(xp, xp.abs(cosine) <= tolerances.rotation_floor(middle.dtype, xp))
    if body is not None:
        raise ParameterError(
            f"Euler angles {sequence}{of_body(body)} are singular at y = "
            f"{float(middle[body]):.9g} rad: the first and the third turn are about one line; use "
            "quaternions or rotation vectors there"
        )


def angle_and_axis(angle_axis: ArrayLike) -> tuple[Namespace, Array, Array]:
    """The namespace, the angle (...,) and the axis (..., 3), its length looked at.

    Raises:
        ParameterError: Wrong shape, or an axis whose length is not 1.
    """
    xp, (angle_axis,) = real_arrays(angle_axis=angle_axis)
    expect_shape("angle_axis", angle_axis, 4)
    refuse_nonunit(xp, "the axis of angle_axis", angle_axis[..., 1:], 3)
    return xp, angle_axis[..., 0], angle_axis[..., 1:]


def _check_matrix(C_IB: ArrayLike) -> Array:
    xp, (C_IB,) = real_arrays(C_IB=C_IB)
    refuse_nonrotation(xp, "C_IB", C_IB)
    return C_IB


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
    "matrix": _check_matrix,
    "euler-ZYX": lambda angles: matrix_from_euler(angles, "ZYX"),
    "euler-XYZ": lambda angles: matrix_from_euler(angles, "XYZ"),
}
_FROM_MATRIX: dict[str, Conversion] = {
    "matrix": _check_matrix,
    "euler-ZYX": lambda C_IB: euler_from_matrix(C_IB, "ZYX"),
    "euler-XYZ": lambda C_IB: euler_from_matrix(C_IB, "XYZ"),
}


def _canonical(xp: Namespace, q: Array) -> Array:
    """Of q and -q the one with q0 >= 0."""
    return xp.where(q[..., :1] < 0, -q, q)
