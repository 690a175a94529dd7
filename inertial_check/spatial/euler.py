"""Euler angles: three turns about axes of the frame, and what is left of them at gimbal lock."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from inertial_check.arrays.broadcasting import expect_shape, product, quiet, real_arrays
from inertial_check.arrays.so3 import matrix_of_rows
from inertial_check.arrays.types import Array, ArrayLike, Namespace
from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.frames import read_rotation
from inertial_check.spatial.rotation_checks import refuse_unknown

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
    turns = [elementary(axis, angles[..., i]) for i, axis in enumerate(_axes(name))]
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


def _axes(name: str) -> str:
    return "xyz" if name == "rpy" else name.lower()
