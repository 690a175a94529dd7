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
>>> from inertial_check.mechanics import rotations
>>> half = np.sqrt(0.5)
>>> q_IB = [half, 0, 0, half]  # a quarter turn about z, scalar first
>>> C_IB = [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]  # the same

Euler angles: three turns about axes of the frame, and what is left of them at gimbal lock.

The rotation nearest to a matrix, and the unit quaternion along four numbers.

Checks of names, unit vectors, skew-symmetric matrices and Euler angles that callers pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

from inertial_check.errors import ParameterError, expect, show_value
from inertial_check.inertia import frames, tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    Namespace,
    expect_shape,
    first_index,
    of_body,
    product,
    quiet,
    real_arrays,
)
from inertial_check.inertia.frames import (
    arctangent_ratio,
    cosine,
    exponential,
    matrix_of_rows,
    read_rotation,
    sinc,
    skew_matrix,
    skew_part,
    square_of,
)


@quiet
def nearest_rotation(matrix: ArrayLike) -> Array:
    """The rotation R with the least ||R - matrix||_F: U diag(1, 1, det(U V^T)) V^T of the SVD.

    It removes the rounding of matrices printed with six digits, of float32 products and of long
    chains of products. The nearest rotation of a reflection is far away; it is given all the same.

    Args:
        matrix: (..., 3, 3).

    Returns:
        (..., 3, 3); NaN for rows that are not finite, or that several rotations are equally near
        to, as of a matrix of rank 1.

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> rounded = [[0, -0.99, 0], [1.01, 0, 0], [0, 0, 1]]
        >>> print(rotations.nearest_rotation(rounded).round(9) + 0.0)
        [[ 0. -1.  0.]
         [ 1.  0.  0.]
         [ 0.  0.  1.]]
    """
    xp, (matrix,) = real_arrays(matrix=matrix)
    expect_shape("matrix", matrix, 3, 3)
    return frames.find_nearest_rotation(xp, matrix)


@quiet
def normalize_quaternion(quaternion: ArrayLike) -> Array:
    """The quaternion of length 1 in the direction of four numbers; its sign stays.

    Args:
        quaternion: (..., 4), of any length: neither small nor large numbers under- or overflow.

    Returns:
        (..., 4); NaN for rows that are zero or not finite.

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(rotations.normalize_quaternion([3.0, 0, 0, 4.0]))
        [0.6 0.  0.  0.8]
    """
    xp, (quaternion,) = real_arrays(quaternion=quaternion)
    expect_shape("quaternion", quaternion, 4)
    size = xp.max(xp.abs(quaternion), axis=-1, keepdims=True)
    scaled = quaternion / size  # 0 / 0 and inf / inf are NaN, as the rows shall be
    return scaled / xp.sqrt(xp.sum(scaled * scaled, axis=-1, keepdims=True))


def refuse_unknown(what: str, given: str, known: Sequence[str]) -> None:
    """Refuse a name that is not among the known.

    Raises:
        ParameterError: Naming both.
    """
    if not isinstance(given, str):
        shown = show_value(given)
        raise ParameterError(f"{what}: its name is {shown}, expected one of {', '.join(known)}")
    if given not in known:
        raise ParameterError(f"unknown {what} {given!r}, expected one of {', '.join(known)}")


@quiet
def refuse_nonunit(
    xp: Namespace, name: str, array: Array, size: int, most: float | None = None
) -> None:
    """Refuse vectors whose length is not 1, by more than `most`, or half their digits.

    Raises:
        ParameterError: Wrong shape; a length that is not 1, and of which body. Values that a trace
            hides are not looked at.
    """
    expect_shape(name, array, size)
    square = xp.sum(array * array, axis=-1)
    floor = tolerances.rotation_floor(array.dtype, xp) if most is None else most
    body = first_index(xp, ~(xp.abs(square - 1) <= floor))
    if body is not None:
        raise ParameterError(
            f"{name}{of_body(body)} is {float(square[body]) ** 0.5:.9g} long, expected 1 within "
            f"{floor / 2:.2g}; mechanics.rotations.normalize_quaternion divides one by its length"
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


def find_singular(xp: Namespace, singular: Array, describe: Callable[[], str]) -> Array:
    """Say which rows are singular, (...,), for the caller to make them NaN; refuse a single one.

    One row of a batch never refuses the others. A single rotation that has no answer is an error.

    Raises:
        ParameterError: What `describe` says, where there are no batch axes.
    """
    if singular.ndim == 0 and first_index(xp, singular) is not None:
        raise ParameterError(describe())
    return singular


def find_gimbal_lock(xp: Namespace, sequence: str, middle: Array, cosine: Array) -> Array:
    """Find Euler angles so near their singularity that half the digits of the others are lost.

    Raises:
        ParameterError: Naming the middle angle, where there are no batch axes.
    """
    singular = xp.abs(cosine) <= tolerances.rotation_floor(middle.dtype, xp)
    return find_singular(
        xp,
        singular,
        lambda: (
            f"Euler angles {sequence} are singular at y = {float(middle):.9g} rad: the first and "
            "the third turn are about one line; use quaternions or rotation vectors there"
        ),
    )


def blank(xp: Namespace, singular: Array, matrices: Array) -> Array:
    """Make the matrices (..., k, n) of singular rows NaN."""
    return xp.where(singular[..., None, None], xp.full_like(matrices, xp.nan), matrices)


EulerSequence = Literal["ZYX", "XYZ", "rpy", "euler-ZYX", "euler-XYZ"]
"""Name of Euler angles: "rpy" is [roll, pitch, yaw] of URDF, the angles of ZYX in reverse order."""

SEQUENCES: tuple[Literal["ZYX"], Literal["XYZ"]] = ("ZYX", "XYZ")
"""Euler angles about moving axes, in the order of their turns: upper case, as SciPy has it."""

_NAMES: tuple[str, ...] = get_args(EulerSequence)


class EulerAngles(NamedTuple):
    """Euler angles with a flag for gimbal lock.

    Attributes:
        angles: (..., 3) in the order of the sequence [rad].
        gimbal_lock: (...,) whether the first and the third turn are about one line, so that only
            their sum or difference is known; the last of the three angles is then 0.
    """

    angles: Array
    gimbal_lock: Array


def read_sequence(sequence: str) -> str:
    """The name "ZYX", "XYZ" or "rpy" of a sequence, which may be given as "euler-ZYX", too.

    Raises:
        ParameterError: Unknown sequence.
    """
    refuse_unknown("sequence", sequence, _NAMES)
    return sequence.removeprefix("euler-")


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

    Example:
        >>> print(rotations.elementary("z", np.pi / 2).round(9) + 0.0)
        [[ 0. -1.  0.]
         [ 1.  0.  0.]
         [ 0.  0.  1.]]
    """
    if not isinstance(axis, str) or axis not in ("x", "y", "z"):
        raise ParameterError(f"unknown axis {axis!r}, expected x, y or z")
    xp, (angle,) = real_arrays(angle=angle)
    c, s, one, zero = xp.cos(angle), xp.sin(angle), xp.ones_like(angle), xp.zeros_like(angle)
    rows = {
        "x": ((one, zero, zero), (zero, c, -s), (zero, s, c)),
        "y": ((c, zero, s), (zero, one, zero), (-s, zero, c)),
        "z": ((c, -s, zero), (s, c, zero), (zero, zero, one)),
    }
    return matrix_of_rows(xp, rows[axis])


@quiet
def matrix_from_euler(angles: ArrayLike, sequence: EulerSequence) -> Array:
    """C_IB of three turns about moving axes; every three angles are a rotation.

    Args:
        angles: (..., 3) in the order of the sequence [rad].
        sequence: "ZYX" (yaw, pitch, roll), "XYZ", or "rpy" (roll, pitch, yaw of URDF, the turns of
            ZYX); "euler-ZYX" and "euler-XYZ" are the same as without the prefix.

    Returns:
        (..., 3, 3).

    Raises:
        ParameterError: Wrong shape, unknown sequence.

    Example:
        >>> print(rotations.matrix_from_euler([np.pi / 2, 0, 0], "ZYX").round(9) + 0.0)
        [[ 0. -1.  0.]
         [ 1.  0.  0.]
         [ 0.  0.  1.]]
    """
    name = read_sequence(sequence)
    xp, (angles,) = real_arrays(angles=angles)
    expect_shape("angles", angles, 3)
    turns = [
        elementary(axis, angles[..., i])
        for i, axis in enumerate("xyz" if name == "rpy" else name.lower())
    ]
    if name == "rpy":
        turns.reverse()
    first, second, third = turns
    return product(xp, product(xp, first, second), third)


def euler_from_matrix(
    C_IB: ArrayLike, sequence: EulerSequence, *, renormalize: bool = False
) -> Array:
    """Euler angles of a rotation, the middle one in [-pi/2, pi/2], the others in [-pi, pi].

    At gimbal lock, where the cosine of the middle angle is no larger than the error that a
    rotation may have, the last of the three angles is 0; euler_and_gimbal_lock flags these rows.

    Args:
        C_IB: (..., 3, 3).
        sequence: "ZYX" (yaw, pitch, roll), "XYZ", or "rpy" (roll, pitch, yaw).
        renormalize: Take the nearest rotation of matrices with rounded entries.

    Returns:
        (..., 3) in the order of the sequence [rad].

    Raises:
        ParameterError: Wrong shape, unknown sequence, or a matrix that is no rotation.

    Example:
        >>> print(np.rad2deg(rotations.euler_from_matrix(C_IB, "ZYX")).round(6) + 0.0)
        [90.  0.  0.]
    """
    return euler_and_gimbal_lock(C_IB, sequence, renormalize=renormalize).angles


@quiet
def euler_and_gimbal_lock(
    C_IB: ArrayLike, sequence: EulerSequence, *, renormalize: bool = False
) -> EulerAngles:
    """Euler angles of a rotation, and which rows are at gimbal lock; see euler_from_matrix.

    Args:
        C_IB: (..., 3, 3).
        sequence: "ZYX" (yaw, pitch, roll), "XYZ", or "rpy" (roll, pitch, yaw).
        renormalize: Take the nearest rotation of matrices with rounded entries.

    Raises:
        ParameterError: Wrong shape, unknown sequence, or a matrix that is no rotation.

    Example:
        >>> C = rotations.matrix_from_euler([0.3, np.pi / 2, 0], "ZYX")  # pitch is 90 degrees
        >>> print(rotations.euler_and_gimbal_lock(C, "ZYX").gimbal_lock)
        True
    """
    name = read_sequence(sequence)
    xp, (C_IB,) = real_arrays(C_IB=C_IB)
    C_IB = read_rotation(xp, "C_IB", C_IB, renormalize=renormalize)
    C = {(i + 1, j + 1): C_IB[..., i, j] for i in range(3) for j in range(3)}
    if name == "XYZ":
        sine, first = C[1, 3], (-C[2, 3], C[3, 3])
        locked_first, rows = (C[3, 2], C[2, 2]), ((C[2, 1], C[3, 1]), (C[2, 2], C[3, 2]))
    else:
        sine, first = -C[3, 1], (C[2, 1], C[1, 1])
        locked_first, rows = (-C[1, 2], C[2, 2]), ((-C[2, 3], C[1, 3]), (C[2, 2], -C[1, 2]))
    cosine = xp.sqrt(first[0] * first[0] + first[1] * first[1])
    middle = xp.atan2(sine, cosine)
    lock = cosine <= tolerances.rotation_floor(C_IB.dtype, xp)
    if name == "rpy":  # the last angle is that of the first turn, which is 0 at the lock
        one, zero = xp.ones_like(sine), xp.zeros_like(sine)
        turn = xp.atan2(xp.where(lock, zero, first[0]), xp.where(lock, one, first[1]))
        angles = [_third(xp, turn, rows), middle, turn]
    else:
        turn = xp.atan2(*(xp.where(lock, a, b) for a, b in zip(locked_first, first, strict=True)))
        last = _third(xp, turn, rows)
        angles = [turn, middle, xp.where(lock, xp.zeros_like(last), last)]
    return EulerAngles(xp.stack(angles, axis=-1), lock)


def _third(
    xp: Namespace, first: Array, rows: tuple[tuple[Array, Array], tuple[Array, Array]]
) -> Array:
    """The third angle after the first turn is undone: the sum of both stays right near the lock.

    Args:
        xp: The array library.
        first: (...,) angle of the first turn [rad].
        rows: Numerator and denominator of the tangent, each as factors of the cosine and the sine
            of the first angle.
    """
    c, s = xp.cos(first), xp.sin(first)
    numerator, denominator = (c * row[0] + s * row[1] for row in rows)
    return xp.atan2(numerator, denominator)


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
        # Unit quaternions of nearly unit ones.
        q_IB = values
        xp, (q_IB,) = real_arrays(q_IB=q_IB)
        refuse_nonunit(xp, "q_IB", q_IB, 4, tolerances.RENORMALIZED)
        values = normalize_quaternion(q_IB)
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
