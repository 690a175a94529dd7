"""Eigenvalues and eigenvectors of symmetric 3x3 matrices, batched, by a deflated closed form.

The trigonometric form alone loses half the digits where two eigenvalues nearly meet (rods, plates).
Here it gives only the eigenvalue that is farthest from the other two, which it gives to full
precision; its eigenvector, or the projector on it, splits the space, and what remains is solved by
a square root.

Derivatives are those of eigen_slopes.py.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import eigen

Derivatives of eigenvalues and eigenvectors of symmetric 3x3 matrices.

They are d l_i = v_i^T dA v_i, and not those of the formulas of eigen.py, which divide by zero where
eigenvalues meet. There an eigenvalue has no derivative. What is given is the mean of d l over the
equal ones: what central differences give of two equal ones in any direction, a supergradient of the
smallest, and the same in any axes. Eigenvectors do not turn within the space of equal eigenvalues.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    SIX_PLACES,
    Array,
    Namespace,
    array_namespace,
    cross_components,
    expect_shape,
    real_arrays,
)
from inertial_check.inertia.derivatives import Arrays, differentiable, differentiates

__all__ = [
    "CHUNK",
    "Components",
    "Vector",
    "change_of_system",
    "change_of_values",
    "close_pairs",
    "eigensystem",
    "eigenvalues",
    "in_eigenbasis",
]


CHUNK = 8192
"""Rows per chunk on NumPy: a chunk and its temporaries stay in the cache."""

Components = tuple[Array, Array, Array, Array, Array, Array]
Vector = tuple[Array, Array, Array]


def eigenvalues(six: Array) -> Array:
    """Eigenvalues of symmetric matrices.

    Args:
        six: (..., 6) entries xx, xy, xz, yy, yz, zz.

    Returns:
        (..., 3) ascending; as accurate as a LAPACK solver, relative to the largest of each matrix,
        and exact where the matrix is diagonal.

    Example:
        >>> # [[2, 1, 0], [1, 2, 0], [0, 0, 5]]
        >>> print(eigen.eigenvalues(np.array([2.0, 1, 0, 2.0, 0, 5.0])).round(9))
        [1. 3. 5.]
    """
    xp, (six,) = real_arrays(six=six)
    expect_shape("six", six, 6)
    if not differentiates(xp):
        return _exact_eigenvalues(xp, six)

    (values,) = differentiable(xp, lambda of: (_exact_eigenvalues(xp, of),), change_of_values, six)
    return values


def _exact_eigenvalues(xp: Namespace, six: Array) -> Array:
    """Compute eigenvalues (..., 3) of (..., 6), and read those of diagonal matrices."""
    entries = columns(six)
    low, middle, high = _eigenvalues_of(xp, entries)
    a, b, c = entries[0], entries[3], entries[5]
    diagonal = (entries[1] == 0) & (entries[2] == 0) & (entries[4] == 0)
    least, most = xp.minimum(xp.minimum(a, b), c), xp.maximum(xp.maximum(a, b), c)
    between = xp.maximum(xp.minimum(a, b), xp.minimum(xp.maximum(a, b), c))
    exact = zip((least, between, most), (low, middle, high), strict=True)
    return xp.stack([xp.where(diagonal, e, value) for e, value in exact], axis=-1)


def eigenvalues_of_entries(xp: Namespace, entries: Components) -> Vector:
    """The same, from six arrays to three: no copy where the entries are at hand one by one."""
    if not differentiates(xp):
        return _eigenvalues_of(xp, entries)

    def value(six: Array) -> Arrays:
        return (xp.stack(list(_eigenvalues_of(xp, columns(six))), axis=-1),)

    (values,) = differentiable(xp, value, change_of_values, xp.stack(list(entries), axis=-1))
    return values[..., 0], values[..., 1], values[..., 2]


def _eigenvalues_of(xp: Namespace, entries: Components) -> Vector:
    """Compute the eigenvalues, ascending.

    The projector on the far eigenvector is v v^T = adj(D - f 1) / tr adj(D - f 1). What D = M - q 1
    is beside f and the mean of the other two, B = D - f v v^T + f/2 (1 - v v^T), has the
    eigenvalues 0, half and -half: half^2 is minus the sum of its principal 2x2 minors. No vector is
    chosen, nothing cancels where the two meet, and an error in the length of v drops out.
    """
    components, scale = _normalise(xp, entries)
    (xx, xy, xz, yy, yz, zz), adjugate, q, f = _far(xp, components)
    axx, axy, axz, ayy, ayz, azz = _shift_adjugate((xx, xy, xz, yy, yz, zz), adjugate, f)
    trace = axx + ayy + azz
    weight = 1.5 * f / (trace + _tiny(xp, trace))
    step = f / 2
    xx, yy, zz = xx + step - weight * axx, yy + step - weight * ayy, zz + step - weight * azz
    xy, xz, yz = xy - weight * axy, xz - weight * axz, yz - weight * ayz
    # The textbook's other two, q + 2 p cos(angle +- 120 degrees), lose half the digits where they
    # meet (Kopp, Int. J. Mod. Phys. C 19, 2008); a sum of squares under a root does not.
    square = (xy * xy + xz * xz + yz * yz) - (xx * yy + xx * zz + yy * zz)
    half = xp.sqrt(xp.maximum(square, xp.zeros_like(square)))
    far, mean = q + f, q - step
    near, other = mean - half, mean + half
    low, rest = xp.minimum(far, near), xp.maximum(far, near)
    return low * scale, xp.minimum(rest, other) * scale, xp.maximum(rest, other) * scale


def columns(six: Array) -> Components:
    """The six entries of (..., 6) tensors, one array each."""
    _, (six,) = real_arrays(six=six)
    expect_shape("six", six, 6)
    xx, xy, xz, yy, yz, zz = (six[..., i] for i in range(6))
    return xx, xy, xz, yy, yz, zz


def eigensystem(six: Array) -> tuple[Array, Array]:
    """Eigenvalues and right-handed eigenvectors of symmetric matrices.

    Args:
        six: (..., 6) entries xx, xy, xz, yy, yz, zz.

    Returns:
        (..., 3) eigenvalues, ascending, and (..., 3, 3) rotations whose columns are their unit
        eigenvectors.

    Example:
        >>> values, axes = eigen.eigensystem(np.array([3.0, 0, 0, 1.0, 0, 2.0]))
        >>> print(values, np.abs(axes[:, 0]))  # the least is about y
        [1. 2. 3.] [0. 1. 0.]
    """
    xp, (six,) = real_arrays(six=six)
    expect_shape("six", six, 6)
    if not differentiates(xp):
        return _stack_system(xp, six)

    values, vectors = differentiable(xp, partial(_stack_system, xp), change_of_system, six)
    return values, vectors


def _stack_system(xp: Namespace, six: Array) -> tuple[Array, Array]:
    """Compute eigenvalues (..., 3) and eigenvectors (..., 3, 3) of (..., 6)."""
    values, vectors = eigensystem_of_entries(xp, columns(six))
    return xp.stack(list(values), axis=-1), xp.stack(
        [xp.stack(list(row), axis=-1) for row in vectors], axis=-2
    )


def eigensystem_of_entries(
    xp: Namespace, entries: Components
) -> tuple[Vector, tuple[Vector, Vector, Vector]]:
    """The same, from six arrays to three eigenvalues and the three rows of the rotations."""
    components, scale = _normalise(xp, entries)
    far, mean, half, upper, far_vector, block = _deflate(xp, components)
    u, w, t, y = block
    # (t + half, y) and (y, half - t) are both the eigenvector of [[t, y], [y, -t]]: taken is the
    # one whose sum does not cancel.
    ahead, behind = xp.where(t >= 0, t + half, y), xp.where(t >= 0, y, half - t)
    length = xp.hypot(ahead, behind)
    safe = xp.where(length > 0, length, 1.0)
    cosine, sine = xp.where(length > 0, ahead / safe, 1.0), behind / safe
    plus = tuple(cosine * ui + sine * wi for ui, wi in zip(u, w, strict=True))
    minus = tuple(cosine * wi - sine * ui for ui, wi in zip(u, w, strict=True))
    low, high = _pick(xp, upper, minus, far_vector), _pick(xp, upper, far_vector, plus)
    # A cross product is orthogonal to both to rounding and makes the frame right-handed.
    middle = cross_components(high, low)
    values = (
        xp.where(upper, mean - half, far) * scale,
        xp.where(upper, mean + half, mean - half) * scale,
        xp.where(upper, far, mean + half) * scale,
    )
    rows = ((low[i], middle[i], high[i]) for i in range(3))
    return values, (next(rows), next(rows), next(rows))


def _normalise(xp: Namespace, entries: Components) -> tuple[Components, Array]:
    """The six entries divided by the largest magnitude of each matrix, and that magnitude."""
    scale = xp.abs(entries[0])
    for entry in entries[1:]:
        scale = xp.maximum(scale, xp.abs(entry))
    scale = scale + _tiny(xp, scale)
    xx, xy, xz, yy, yz, zz = (entry / scale for entry in entries)
    return (xx, xy, xz, yy, yz, zz), scale


def _tiny(xp: Namespace, like: Array) -> float:
    """The smallest normal number: added to a divisor, it only matters where that vanishes."""
    tiny: float = tolerances.limits(like.dtype, xp).smallest_normal
    return tiny


def _far(xp: Namespace, components: Components) -> tuple[Components, Components, Array, Array]:
    """The eigenvalue farthest from the other two, q + f: deviator, its adjugate, q and f."""
    xx, xy, xz, yy, yz, zz = components
    q = (xx + yy + zz) / 3
    xx, yy, zz = xx - q, yy - q, zz - q
    xy2, xz2, yz2 = xy * xy, xz * xz, yz * yz
    adjugate = (
        yy * zz - yz2,
        xz * yz - xy * zz,
        xy * yz - xz * yy,
        xx * zz - xz2,
        xy * xz - yz * xx,
        xx * yy - xy2,
    )
    off = xy2 + xz2 + yz2
    p = xp.sqrt((xx * xx + yy * yy + zz * zz + off + off) / 6)
    determinant = xx * adjugate[0] + xy * adjugate[1] + xz * adjugate[2]
    double = p + p
    cube = double * p * p
    # Smith, Comm. ACM 4, 1961, p. 168: cos(3 angle) = r = det(D) / (2 p^3). With |r| the angle is
    # at most 30 degrees, and f has a bounded slope in r there, though acos has none at 1.
    r = determinant / (cube + _tiny(xp, cube))
    # Rounding takes |r| beyond 1 where two eigenvalues meet; acos would give NaN there.
    angle = xp.acos(xp.minimum(xp.abs(r), xp.ones_like(r))) / 3
    f = xp.copysign(double * xp.cos(angle), r)
    return (xx, xy, xz, yy, yz, zz), adjugate, q, f


def _shift_adjugate(deviator: Components, adjugate: Components, f: Array) -> Components:
    """adj(D - f 1) = adj(D) + f D + f^2 1, since D has no trace."""
    xx, xy, xz, yy, yz, zz = (a + f * d for a, d in zip(adjugate, deviator, strict=True))
    square = f * f
    return xx + square, xy, xz, yy + square, yz, zz + square


def _deflate(
    xp: Namespace, components: Components
) -> tuple[Array, Array, Array, Array, Vector, tuple[Vector, Vector, Array, Array]]:
    """The well separated eigenvalue, and mean and half difference of the other two.

    Returns:
        The far eigenvalue; mean and half difference of the others; whether the far one is the
        largest; its unit vector; and the block [[mean + t, y], [y, mean - t]] in the basis u, w.
    """
    (dx, xy, xz, dy, yz, dz), _, q, shift = _far(xp, components)
    upper = shift >= 0
    v = _null_vector(xp, (dx - shift, xy, xz, dy - shift, yz, dz - shift))
    u, w = _plane(xp, v)
    image = (
        dx * u[0] + xy * u[1] + xz * u[2],
        xy * u[0] + dy * u[1] + yz * u[2],
        xz * u[0] + yz * u[1] + dz * u[2],
    )
    t = _dot(u, image) + shift / 2
    y = _dot(w, image)
    return shift + q, q - shift / 2, xp.sqrt(t * t + y * y), upper, v, (u, w, t, y)


def _null_vector(xp: Namespace, components: Components) -> Vector:
    """Unit null vector of a singular matrix; the x axis where the matrix vanishes.

    The cofactors of a matrix of rank two are a multiple of v v^T: the column with the largest
    diagonal entry is the longest.
    """
    xx, xy, xz, yy, yz, zz = components
    first, second, third = yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy
    x_y, x_z, y_z = xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz
    a, b, c = xp.abs(first), xp.abs(second), xp.abs(third)
    best = _pick(xp, b > a, (x_y, second, y_z), (first, x_y, x_z))
    x, y, z = _pick(xp, c > xp.maximum(a, b), (x_z, y_z, third), best)
    length = xp.sqrt(x * x + y * y + z * z)
    found = length > 0
    safe = xp.where(found, length, xp.ones_like(length))
    return xp.where(found, x / safe, xp.ones_like(x)), y / safe, z / safe


def _plane(xp: Namespace, v: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors that complete v to a right-handed frame (Duff et al. 2017, no branch)."""
    x, y, z = v
    sign = xp.copysign(xp.ones_like(z), z)
    # |sign + z| is at least 1: no division by zero for any unit vector.
    a = -1 / (sign + z)
    b = x * y * a
    return (1 + sign * x * x * a, sign * b, -sign * x), (b, sign + y * y * a, -y)


def _dot(a: Vector, b: Vector) -> Array:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _pick(xp: Namespace, condition: Array, yes: Sequence[Array], no: Sequence[Array]) -> Vector:
    x, y, z = (xp.where(condition, a, b) for a, b in zip(yes, no, strict=True))
    return x, y, z


SlopeComponents = tuple[Array, Array, Array, Array, Array, Array]


def in_eigenbasis(six: Array, vectors: Array) -> SlopeComponents:
    """Compute the entries of V^T A V for A (..., 6) and V (..., 3, 3)."""
    xx, xy, xz, yy, yz, zz = (six[..., i] for i in range(6))
    v = [[vectors[..., i, j] for i in range(3)] for j in range(3)]
    image = [
        (xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z)
        for x, y, z in v
    ]
    aa, ab, ac, bb, bc, cc = (
        v[i][0] * image[j][0] + v[i][1] * image[j][1] + v[i][2] * image[j][2] for i, j in SIX_PLACES
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
        # d v_j = sum v_i (v_i^T dA v_j) / (l_j - l_i): the gap is the divisor, so equal ones are
        # left out.
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
