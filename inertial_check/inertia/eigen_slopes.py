"""Derivatives of eigenvalues and eigenvectors of symmetric 3x3 matrices.

They are d l_i = v_i^T dA v_i, and not those of the formulas of eigen.py, which divide by zero where
eigenvalues meet. There an eigenvalue has no derivative. What is given is the mean of d l over the
equal ones: what central differences give of two equal ones in any direction, a supergradient of the
smallest, and the same in any axes. Eigenvectors do not turn within the space of equal eigenvalues.
"""

from __future__ import annotations

from inertial_check.arrays.derivatives import Arrays
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array
from inertial_check.inertia import tolerances

Components = tuple[Array, Array, Array, Array, Array, Array]


def in_eigenbasis(six: Array, vectors: Array) -> Components:
    """Compute the entries of V^T A V for A (..., 6) and V (..., 3, 3)."""
    xx, xy, xz, yy, yz, zz = (six[..., i] for i in range(6))
    v = [[vectors[..., i, j] for i in range(3)] for j in range(3)]
    image = [
        (xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z)
        for x, y, z in v
    ]
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    aa, ab, ac, bb, bc, cc = (
        v[i][0] * image[j][0] + v[i][1] * image[j][1] + v[i][2] * image[j][2] for i, j in pairs
    )
    return aa, ab, ac, bb, bc, cc


def close_pairs(values: Array) -> tuple[Array, Array]:
    """Find where the first and second, and the second and third of (..., 3) ascending are equal.

    Equal means within the rounding of their computation.
    """
    xp = array_namespace(values)
    low, middle, high = (values[..., i] for i in range(3))
    error = tolerances.floor(xp.ones_like(low)) * xp.maximum(xp.abs(low), xp.abs(high))
    return middle - low <= error, high - middle <= error


def change_of_values(arrays: Arrays, results: Arrays, changes: Arrays) -> Arrays:
    """Compute the changes (..., 3) of eigenvalues: the mean over equal ones."""
    from inertial_check.inertia.eigen import eigensystem  # which takes its slopes from here

    values, vectors = eigensystem(arrays[0])
    aa, _, _, bb, _, cc = in_eigenbasis(changes[0], vectors)
    return (_average_equal(values, aa, bb, cc),)


def change_of_system(arrays: Arrays, results: Arrays, changes: Arrays) -> Arrays:
    """Compute the changes of eigenvalues and eigenvectors; equal ones do not turn."""
    values, vectors = results
    xp = array_namespace(values)
    aa, ab, ac, bb, bc, cc = in_eigenbasis(changes[0], vectors)
    first, second = close_pairs(values)
    low, middle, high = (values[..., i] for i in range(3))

    def turn(entry: Array, gap: Array, equal: Array) -> Array:
        rate = entry / xp.where(equal, xp.ones_like(gap), gap)
        return xp.where(equal, xp.zeros_like(rate), rate)

    z = turn(ab, middle - low, first)
    y = turn(ac, high - low, first & second)
    x = turn(bc, high - middle, second)
    a, b, c = (vectors[..., :, i] for i in range(3))
    x, y, z = x[..., None], y[..., None], z[..., None]
    turned = xp.stack([-(z * b) - y * c, z * a - x * c, y * a + x * b], axis=-1)
    return _average_equal(values, aa, bb, cc), turned


def _average_equal(values: Array, aa: Array, bb: Array, cc: Array) -> Array:
    """Stack three numbers (...,) to (..., 3), with the mean where the values are equal."""
    xp = array_namespace(values)
    first, second = close_pairs(values)
    front, back, whole = (aa + bb) / 2, (bb + cc) / 2, (aa + bb + cc) / 3
    all_three = first & second
    low = xp.where(all_three, whole, xp.where(first, front, aa))
    middle = xp.where(first, front, xp.where(second, back, bb))
    high = xp.where(all_three, whole, xp.where(second, back, cc))
    return xp.stack([low, xp.where(all_three, whole, middle), high], axis=-1)
