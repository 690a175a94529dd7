"""The rotation nearest to a matrix, and the unit quaternion along four numbers."""

from __future__ import annotations

from inertial_check.arrays.broadcasting import expect_shape, quiet, real_arrays
from inertial_check.arrays.types import Array, ArrayLike
from inertial_check.inertia import frames


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
