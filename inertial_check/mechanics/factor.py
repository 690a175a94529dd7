"""Spatial inertias as compact factors that show their rank, and the systems they solve.

KSL factors the inertia of a body in place and returns its rank; this is that factorisation with the
mass and the place of the centre of mass beside it, so that it is one of the whole 6x6, and with a
rank that no unit changes. Terms are those of compact.py.

Source: "KSL": KSL documentation, ksl_inertia_factor; docs/ksl-inertia.md.

The examples of this module continue this session:

>>> from inertial_check.mechanics import factor as factors
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import frames, tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    EqualByValue,
    Namespace,
    batch_shape,
    device_of,
    expect_shape,
    first_index,
    gather,
    of_body,
    product,
    quiet,
    real_arrays,
)
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.frames import cross
from inertial_check.inertia.representations import SpatialOrder, reorder
from inertial_check.mechanics import vectors
from inertial_check.mechanics.compact import length, read_terms, write_in_place
from inertial_check.mechanics.compact import spatial_inertia as matrix_of


@dataclass(frozen=True, slots=True, eq=False)
class InertiaFactor(EqualByValue):
    """A positive semidefinite spatial inertia, factored, in ten numbers and three indices.

    At the centre of mass M is diag(m 1, P^T F F^T P): F is lower triangular with as many columns as
    the inertia has rank, the others are 0, and P puts the axes `pivots` first, second and third.

    Attributes:
        terms: (..., 10) [m, m r, F_ii, F_ji, F_ki, F_jj, F_kj, F_kk] in KSL's order, with i, j, k
            the pivots.
        pivots: (..., 3) integers i, j, k.
        rotational_rank: (...,) 3 full, 2 of a rod, 1 of no body, 0 of a point.
        rank: (...,) of the 6x6: 3 more where there is mass.
    """

    terms: Array
    pivots: Array
    rotational_rank: Array
    rank: Array

    @quiet
    def spatial_inertia(self, order: SpatialOrder) -> Array:
        """M_ff (..., 6, 6) multiplied out of the factors again.

        Raises:
            ParameterError: Unknown order.
        """
        xp, (terms,) = real_arrays(terms=self.terms)
        F = self._undo_pivots(xp)
        inertia = product(xp, F, xp.matrix_transpose(F))
        six = [inertia[..., i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
        return matrix_of(xp.concat([terms[..., :4], xp.stack(six, axis=-1)], axis=-1), order)

    @quiet
    def solve(self, rhs: ArrayLike, order: SpatialOrder, *, least_squares: bool = False) -> Array:
        """The x with M_ff x = rhs: the acceleration under a wrench, with the shortest w.

        Args:
            rhs: (..., 6) wrenches, as spatial.join makes them.
            order: Of the vectors, a name of representations.SPATIAL_ORDERS.
            least_squares: Accept what no motion balances: the torque about the centre of mass that
                is left is then the shortest, as is w; of a body without mass, all force is left.

        Returns:
            (..., 6), leading axes broadcast.

        Raises:
            ParameterError: Shapes that do not fit, unknown order; without least_squares, a wrench
                outside of the range, to half its digits, with what is left of it and the index.
        """
        expect("flag", least_squares=least_squares)
        xp, r, force, torque = self._at_center(rhs, order)
        if not least_squares:
            left_force, left_torque = (length(xp, v) for v in self._find_rest(xp, force, torque))
            size = length(xp, torque) + length(xp, r) * length(xp, force)
            floor = tolerances.rotation_floor(size.dtype, xp)
            body = first_index(xp, (left_force > 0) | (left_torque > floor * size))
            if body is not None:
                shape = left_torque.shape
                rank = xp.broadcast_to(self.rank, shape)[body]
                raise ParameterError(
                    f"rhs{of_body(body)} is outside of the range of its inertia of rank "
                    f"{int(rank)}: a force of "
                    f"{float(xp.broadcast_to(left_force, shape)[body]):.6g} N and a torque of "
                    f"{float(left_torque[body]):.6g} N m about the centre of mass are balanced by "
                    "no motion; pass least_squares=True for the nearest"
                )
        mass = self.terms[..., :1]
        heavy = mass > 0
        linear = xp.where(
            heavy, force / xp.where(heavy, mass, xp.ones_like(mass)), xp.zeros_like(force)
        )
        angular = self._angular(xp, torque)
        return vectors.join(angular, linear - cross(xp, angular, r), order)

    @quiet
    def residual(self, rhs: ArrayLike, order: SpatialOrder) -> Array:
        """Part of a wrench that no motion balances: force, and torque about the centre of mass.

        Args:
            rhs: (..., 6) wrenches at the origin.
            order: Of the vectors, a name of representations.SPATIAL_ORDERS.

        Returns:
            (..., 6) wrenches at the centre of mass, leading axes broadcast.

        Raises:
            ParameterError: Shapes that do not fit, unknown order.
        """
        xp, _, force, torque = self._at_center(rhs, order)
        force, torque = self._find_rest(xp, force, torque)
        return vectors.join(torque, force, order)

    def _at_center(
        self, rhs: ArrayLike, order: SpatialOrder
    ) -> tuple[Namespace, Array, Array, Array]:
        """The namespace, r_fc, and the force and torque at the centre of mass."""
        xp, (terms, rhs) = real_arrays(terms=self.terms, rhs=rhs)
        expect_shape("rhs", rhs, 6)
        torque, force = vectors.split(rhs, order)
        batch_shape(factor=terms.shape[:-1], rhs=rhs.shape[:-1])
        # r is 0 where neither m nor m r is, and NaN where only m r is.
        mass, moved = terms[..., :1], terms[..., 1:4]
        light = mass == 0
        safe = xp.where(light, xp.ones_like(moved), mass)
        nowhere = xp.where(moved == 0, moved, xp.full_like(moved, xp.nan))
        r = xp.where(light, nowhere, moved / safe)
        return xp, r, force, torque - cross(xp, r, force)

    def _find_rest(self, xp: Namespace, force: Array, torque: Array) -> tuple[Array, Array]:
        """Force and torque at the centre of mass that are outside of the range."""
        F = self._undo_pivots(xp)
        balanced = frames.rotate_vector(
            xp, F, frames.rotate_vector(xp, xp.matrix_transpose(F), self._angular(xp, torque))
        )
        massless = self.terms[..., :1] == 0
        full = (self.rotational_rank == 3)[..., None]
        left = torque - balanced
        return xp.where(massless, force, xp.zeros_like(force)), xp.where(full, 0 * left, left)

    def _angular(self, xp: Namespace, torque: Array) -> Array:
        """The shortest w for which the torque that is left of I_c w = torque is the shortest."""
        F = self._undo_pivots(xp)
        # I^+ tau = f (f.tau) / |f|^4 with the one column f of F.
        f = F[..., 0]
        square = xp.sum(f * f, axis=-1, keepdims=True)
        square = xp.where(square > 0, square, xp.ones_like(square))
        by_rank = (
            0 * torque,
            f / square * (xp.sum(f * torque, axis=-1, keepdims=True) / square),
            _by_two(xp, F, torque),
            None,
        )
        rank = self.rotational_rank[..., None]
        # F_ii, F_jj, F_kk, and F_ji, F_ki, F_kj.
        triangle = gather(xp, self.terms, (4, 7, 9)), gather(xp, self.terms, (5, 6, 8))
        angular = _by_substitution(xp, *triangle, self.pivots, torque)
        for k in (2, 1, 0):
            angular = xp.where(rank == k, by_rank[k], angular)
        return angular

    def _undo_pivots(self, xp: Namespace) -> Array:
        """(..., 3, 3) P^T F: its rows are the axes x, y, z."""
        f = self.terms[..., 4:]
        zero = xp.zeros_like(f[..., 0])
        rows = [
            [f[..., 0], zero, zero],
            [f[..., 1], f[..., 3], zero],
            [f[..., i] for i in (2, 4, 5)],
        ]
        F = xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)
        return product(xp, _permutation(xp, self.pivots, F), F)


@quiet
def factor(terms: ArrayLike) -> InertiaFactor:
    """The rank-revealing Cholesky factorisation of positive semidefinite spatial inertias.

    At the centre of mass force and torque part, so the rank of M_ff is that of the inertia about
    the centre of mass, and 3 more with mass. KSL's four cases: full rank, positive definite; rank
    2, semidefinite (rods); rank 1 (of no body, but of a matrix); rank 0 (points). A principal
    moment counts where it exceeds the floor tau of tolerances.py times the sum of all three, in the
    precision of the array: no rotation and no unit changes the rank.

    Args:
        terms: (..., 10) or (..., 13) in any frame.

    Raises:
        ParameterError: Wrong shape; a body whose spatial inertia is not positive semidefinite, or
            not finite, with its index.

    Example:
        >>> body = [2.0, 0, 0, 1.0, 0.3, 0.3, 0.1, 0, 0, 0]  # m, m r, Ixx, Iyy, Izz, Ixy, Iyz, Izx
        >>> found = factors.factor(body)
        >>> print(found.rank)
        6
        >>> # A force through the centre of mass, 0.5 m above the origin, accelerates without a turn
        >>> print(found.solve([2.0, 0, 0, 0, 1.0, 0], "linear-angular").round(9) + 0.0)
        [1. 0. 0. 0. 0. 0.]
    """
    xp, theta, _ = read_terms(terms)
    rank, scale = _rotational_rank(xp, theta)
    six = reorder(theta, "urdf", "ksl")[..., 4:]
    entries, pivots = _cholesky(xp, six, rank, scale)
    mass = theta[..., 0]
    stored = xp.concat([theta[..., :4], entries], axis=-1)
    whole = rank + 3 * xp.astype(mass > 0, rank.dtype)
    return InertiaFactor(stored, pivots, rank, whole)


def factor_(terms: ArrayLike) -> InertiaFactor:
    """Factor like `factor`, but write the ten factors over the terms, as ksl_inertia_factor does.

    Args:
        terms: (..., 10) in any frame, a writable floating array; thirteen terms have no place for
            factors.

    Returns:
        The factors, whose `terms` are the array that was given, with the ranks and pivots.

    Raises:
        ParameterError: As `factor`; an array that cannot be written.

    Example:
        >>> import numpy as np
        >>> terms = np.array([2.0, 0, 0, 0, 0.3, 0.3, 0.0, 0, 0, 0])  # a rod: no moment about z
        >>> found = factors.factor_(terms)
        >>> print(found.rotational_rank, found.terms is terms)
        2 True
    """
    found = factor(terms)
    return replace(found, terms=write_in_place("factor", terms, found.terms))


def _rotational_rank(xp: Namespace, theta: Array) -> tuple[Array, Array]:
    """Rank of the inertia about the centre of mass, and its trace; refuses what has no factor."""
    mass, moved, six = theta[..., 0], theta[..., 1:4], theta[..., 4:]
    moments = eigenvalues(six)
    size = xp.sum(xp.abs(moments), axis=-1)
    floor = (tolerances.floor(xp.ones_like(size)) * size)[..., None]
    adrift = (mass == 0) & xp.any(moved != 0, axis=-1)
    finite = xp.all(xp.isfinite(theta), axis=-1)
    bad = ~finite | (mass < 0) | adrift | xp.any(moments < -floor, axis=-1)
    body = first_index(xp, bad)
    if body is not None:
        least = float(moments[..., 0][body])
        raise ParameterError(
            f"the spatial inertia{of_body(body)} has no factor: it is not positive semidefinite "
            f"(mass {float(mass[body])!r} kg, least principal moment {least!r} kg m^2); "
            "inertial_check.check says why"
        )
    rank = xp.sum(xp.astype(moments > floor, xp.int32), axis=-1, dtype=xp.int32)
    return rank, size


def _cholesky(xp: Namespace, six: Array, rank: Array, scale: Array) -> tuple[Array, Array]:
    """F_ii, F_ji, F_ki, F_jj, F_kj, F_kk and i, j, k with P I P^T = F F^T, largest pivot first."""
    d0, d1, d2, s10, s21, s20 = (six[..., i] for i in range(6))
    index = xp.zeros_like(rank)
    i, j, k = index, index + 1, index + 2
    least = tolerances.epsilon(six.dtype, xp) * scale

    def root(pivot: Array, needed: int) -> Array:
        return xp.sqrt(xp.where(rank >= needed, xp.maximum(pivot, least), xp.zeros_like(pivot)))

    def over(entry: Array, pivot: Array) -> Array:
        return xp.where(pivot > 0, entry / xp.where(pivot > 0, pivot, 1.0), 0 * entry)

    swap = d1 > d0
    (d0, d1), (s20, s21), (i, j) = (_swap(xp, swap, *p) for p in ((d0, d1), (s20, s21), (i, j)))
    swap = d2 > d0
    (d0, d2), (s10, s21), (i, k) = (_swap(xp, swap, *p) for p in ((d0, d2), (s10, s21), (i, k)))
    f_ii = root(d0, 1)
    f_ji, f_ki = over(s10, f_ii), over(s20, f_ii)
    d1, d2, s21 = d1 - f_ji * f_ji, d2 - f_ki * f_ki, s21 - f_ji * f_ki
    swap = d2 > d1
    (d1, d2), (f_ji, f_ki), (j, k) = (_swap(xp, swap, *p) for p in ((d1, d2), (f_ji, f_ki), (j, k)))
    f_jj = root(d1, 2)
    f_kj = over(s21, f_jj)
    f_kk = root(d2 - f_kj * f_kj, 3)
    entries = xp.stack([f_ii, f_ji, f_ki, f_jj, f_kj, f_kk], axis=-1)
    return entries, xp.stack([i, j, k], axis=-1)


def _swap(xp: Namespace, condition: Array, a: Array, b: Array) -> tuple[Array, Array]:
    return xp.where(condition, b, a), xp.where(condition, a, b)


def _permutation(xp: Namespace, pivots: Array, like: Array) -> Array:
    """(..., 3, 3) P^T: column n has its 1 in the row pivots[n]."""
    axes = xp.arange(3, dtype=pivots.dtype, device=device_of(pivots))
    return xp.astype(axes[:, None] == pivots[..., None, :], like.dtype)


def _by_substitution(
    xp: Namespace, diagonal: Array, lower: Array, pivots: Array, torque: Array
) -> Array:
    """F F^T w = tau in the order of the pivots, forth and back; where F has full rank."""
    P_T = _permutation(xp, pivots, torque)
    tau = frames.rotate_vector(xp, xp.matrix_transpose(P_T), torque)
    positive = diagonal > 0
    diagonal = xp.where(positive, diagonal, xp.ones_like(diagonal))
    (a, b, c), (ba, ca, cb) = ([v[..., n] for n in range(3)] for v in (diagonal, lower))
    x = tau[..., 0] / a
    y = (tau[..., 1] - ba * x) / b
    z = (tau[..., 2] - ca * x - cb * y) / c
    z = z / c
    y = (y - cb * z) / b
    x = (x - ba * y - ca * z) / a
    return frames.rotate_vector(xp, P_T, xp.stack([x, y, z], axis=-1))


def _by_two(xp: Namespace, F: Array, torque: Array) -> Array:
    """I^+ tau with the two columns f, g of F, through the normal n of their plane."""
    f, g = F[..., 0], F[..., 1]
    n = cross(xp, f, g)
    square = xp.sum(n * n, axis=-1, keepdims=True)
    square = xp.where(square > 0, square, xp.ones_like(square))
    dual_f, dual_g = cross(xp, g, n) / square, cross(xp, n, f) / square
    along_f = xp.sum(dual_f * torque, axis=-1, keepdims=True)
    along_g = xp.sum(dual_g * torque, axis=-1, keepdims=True)
    return dual_f * along_f + dual_g * along_g
