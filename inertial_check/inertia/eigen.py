"""Eigenvalues and eigenvectors of symmetric 3x3 matrices, batched.

Jacobi's rotations find eigenvalues and eigenvectors. They leave zeros beside the diagonal alone, so
diagonal matrices keep their digits and an entry on its own is an eigenvalue; and they lose no more
of a small eigenvalue of a definite matrix than the rounding of the entries has cost it already
(Demmel and Veselic, SIAM J. Matrix Anal. Appl. 13, 1992).

The margin asks for eigenvalues relative to the largest, and a deflated closed form gives those four
times as fast. The trigonometric form alone loses half the digits where two eigenvalues nearly meet
(rods, plates). There it gives only the eigenvalue that is farthest from the other two, which it
gives to full precision; the projector on its eigenvector splits the space, and what remains is
solved by a square root.

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

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    SIX_PLACES,
    Array,
    DType,
    Namespace,
    array_namespace,
    device_of,
    expect_shape,
    real_arrays,
)
from inertial_check.inertia.derivatives import (
    Arrays,
    differentiable,
    is_jax,
    is_torch,
    repeat_while,
)

CHUNK = 8192
"""Rows per chunk on NumPy: a chunk and its temporaries stay in the cache."""

Components = tuple[Array, Array, Array, Array, Array, Array]
Vector = tuple[Array, Array, Array]
Rows = tuple[Vector, Vector, Vector]
Pair = tuple[Array, Array]


def eigenvalues(six: Array) -> Array:
    """Eigenvalues of symmetric matrices.

    Args:
        six: (..., 6) entries xx, xy, xz, yy, yz, zz.

    Returns:
        (..., 3) ascending, NaN where an entry is not finite. Exact where the matrix is diagonal;
        else as accurate as a LAPACK solver relative to the largest, and of a positive definite
        matrix within some units of what a change of each entry by its last digit makes of them.

    Example:
        >>> # [[2, 1, 0], [1, 2, 0], [0, 0, 5]]
        >>> print(eigen.eigenvalues(np.array([2.0, 1, 0, 2.0, 0, 5.0])).round(9))
        [1. 3. 5.]
    """
    xp, (six,) = real_arrays(six=six)
    expect_shape("six", six, 6)

    def value(six: Array) -> Arrays:
        return (xp.stack(list(_diagonalise(xp, columns(six), 0)[0]), axis=-1),)

    (values,) = differentiable(xp, value, change_of_values, six)
    return values


def eigenvalues_of_entries(xp: Namespace, entries: Components) -> Vector:
    """The same relative to the largest, from six arrays to three; four times as fast."""
    if not (is_jax(xp) or is_torch(xp)):
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

    def value(six: Array) -> Arrays:
        values, rows = eigensystem_of_entries(xp, columns(six))
        vectors = [xp.stack(list(row), axis=-1) for row in rows]
        return xp.stack(list(values), axis=-1), xp.stack(vectors, axis=-2)

    values, vectors = differentiable(xp, value, change_of_system, six)
    return values, vectors


def eigensystem_of_entries(xp: Namespace, entries: Components) -> tuple[Vector, Rows]:
    """The same, from six arrays to three eigenvalues and the three rows of the rotations."""
    values, (low, middle, high) = _diagonalise(xp, entries, 3)
    rows = ((low[i, ...], middle[i, ...], high[i, ...]) for i in range(3))
    return values, (next(rows), next(rows), next(rows))


class _State(NamedTuple):
    """A matrix on its way to a diagonal one.

    Attributes:
        diagonal: xx, yy, zz.
        couplings: yz, xz, xy: each couples the two axes that are not its own.
        axes: (k, ...) the first k components of each column of the rotation so far.
        sweeps: Rounds of three rotations so far.
    """

    diagonal: Vector
    couplings: Vector
    axes: Vector
    sweeps: Array


_SWEEPS = 12
"""Most rounds of Jacobi's rotations: three to five settle a matrix, but for subnormal entries."""


def _diagonalise(xp: Namespace, entries: Components, kept: int) -> tuple[Vector, Vector]:
    """Compute eigenvalues, ascending, and the first `kept` components of their eigenvectors."""
    xx, xy, xz, yy, yz, zz = entries
    one, zero = xp.ones_like(xx), xp.zeros_like(xx)
    unit = [[one if i == k else zero for i in range(3)] for k in range(3)]
    x, y, z = (xp.stack(axis)[:kept, ...] for axis in unit)
    none = xp.zeros((), dtype=xp.int32, device=device_of(xx))
    start = _State((xx, yy, zz), (yz, xz, xy), (x, y, z), none)
    found = repeat_while(xp, *_iteration(xp, xx.dtype), start)
    values, axes = list(found.diagonal), list(found.axes)
    for p, q in ((0, 1), (1, 2), (0, 1)):
        swap, low, high = values[p] > values[q], axes[p], axes[q]
        values[p], values[q] = xp.minimum(values[p], values[q]), xp.maximum(values[p], values[q])
        # The minus makes the exchange a quarter turn, so that the frame stays right-handed.
        axes[p], axes[q] = xp.where(swap, high, low), xp.where(swap, -low, high)
    # 0, or NaN where an entry is not finite, which the rotations may have left alone.
    rest = 0 * xx + 0 * xy + 0 * xz + 0 * yy + 0 * yz + 0 * zz
    low, middle, high = (value + rest for value in values)
    x, y, z = (axis + rest for axis in axes)
    return (low, middle, high), (x, y, z)


@cache
def _iteration(
    xp: Namespace, dtype: DType
) -> tuple[Callable[[_State], Array], Callable[[_State], _State]]:
    """Build condition and step of Jacobi's method; always the same two, which JAX compiles once."""
    least = tolerances.COUPLED * tolerances.epsilon(dtype, xp)

    def couples(a: Array, b: Array, ab: Array) -> Array:
        # Relative to the smaller entry and not to the larger: it keeps its own digits.
        return xp.abs(ab) > least * xp.minimum(xp.abs(a), xp.abs(b))

    def goes_on(state: _State) -> Array:
        (a, b, c), (bc, ac, ab), _, sweeps = state
        return xp.any(couples(a, b, ab) | couples(a, c, ac) | couples(b, c, bc)) & (
            sweeps < _SWEEPS
        )

    def rotate(block: Vector, beside: Pair, axes: Pair) -> tuple[Vector, Pair, Pair]:
        """Turn two axes so that ab vanishes; rows where it couples nothing stay bit for bit."""
        a, b, ab = block
        coupled = couples(a, b, ab)
        # The smaller root of t^2 + 2 gap t / ab - 1 = 0, gap = (b - a) / 2, t the tangent of the
        # angle (Golub and Van Loan, 4th ed., algorithm 8.5.1). The divisor is at least |ab|.
        gap = b / 2 - a / 2
        divisor = gap + xp.copysign(xp.hypot(gap, ab), gap)
        tangent = xp.where(coupled, ab, 0.0) / xp.where(coupled, divisor, 1.0)
        cosine = 1 / xp.sqrt(1 + tangent * tangent)
        sine = tangent * cosine
        share, step = sine / (1 + cosine), tangent * ab

        def turn(pair: Pair) -> Pair:
            # c u - s v and s u + c v, where a small angle changes u and v little and adds no error.
            u, v = pair
            return u - sine * (v + share * u), v + sine * (u - share * v)

        return (a - step, b + step, xp.where(coupled, 0.0, ab)), turn(beside), turn(axes)

    def sweep(state: _State) -> _State:
        (a, b, c), (bc, ac, ab), (x, y, z), sweeps = state
        (a, b, ab), (ac, bc), (x, y) = rotate((a, b, ab), (ac, bc), (x, y))
        (a, c, ac), (ab, bc), (x, z) = rotate((a, c, ac), (ab, bc), (x, z))
        (b, c, bc), (ab, ac), (y, z) = rotate((b, c, bc), (ab, ac), (y, z))
        return _State((a, b, c), (bc, ac, ab), (x, y, z), sweeps + 1)

    return goes_on, sweep


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
