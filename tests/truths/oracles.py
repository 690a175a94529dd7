"""Independent truths for tests: exact rationals on printed decimals, and brute force in numpy."""

from fractions import Fraction

import numpy as np

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def twice_second_moment(entries):
    """2 S = tr(I) 1 - 2 I in exact rationals, from six decimals as text or numbers."""
    xx, xy, xz, yy, yz, zz = (Fraction(entry) for entry in entries)
    return [
        [yy + zz - xx, -2 * xy, -2 * xz],
        [-2 * xy, xx + zz - yy, -2 * yz],
        [-2 * xz, -2 * yz, xx + yy - zz],
    ]


def inertia(entries):
    xx, xy, xz, yy, yz, zz = (Fraction(entry) for entry in entries)
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def determinant(matrix):
    if len(matrix) == 1:
        return matrix[0][0]
    return sum(
        (-1) ** j * matrix[0][j] * determinant([row[:j] + row[j + 1 :] for row in matrix[1:]])
        for j in range(len(matrix))
    )


def principal_minors(matrix):
    n = len(matrix)
    for mask in range(1, 2**n):
        keep = [i for i in range(n) if mask >> i & 1]
        yield determinant([[matrix[i][j] for j in keep] for i in keep])


def is_psd(matrix):
    """Exactly: every principal minor is non-negative."""
    return all(minor >= 0 for minor in principal_minors(matrix))


def is_consistent(entries):
    """Whether a non-negative density has this inertia about its centre of mass, exactly."""
    return is_psd(twice_second_moment(entries))


def is_singular(entries):
    return determinant(twice_second_moment(entries)) == 0


def margin(six):
    """mu by LAPACK, for one tensor about the centre of mass."""
    xx, xy, xz, yy, yz, zz = (float(value) for value in six)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    s = np.linalg.eigvalsh(np.trace(tensor) / 2 * np.eye(3) - tensor)
    return s[0] / np.abs(s).sum() if s.any() else 0.0


def six_of(matrix):
    """The entries xx, xy, xz, yy, yz, zz of (..., 3, 3)."""
    return np.asarray(matrix)[..., [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def rotations(rng, count):
    """(count, 3, 3) uniform rotations."""
    q, r = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    q = q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    q[:, :, 0] *= np.linalg.det(q)[:, None]
    return q
