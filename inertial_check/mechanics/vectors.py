"""Spatial vectors and Plücker transforms, with the convention in every name.

A motion is [w, v], a force [tau, F]: the velocity, and the torque, at the frame's origin. That is
order "angular-linear" (Featherstone, RBDL, Drake, DART, brax), the default everywhere in this
module; "linear-angular" is [v, w] and [F, tau] (Pinocchio, KSL, Gazebo). One frame A, one frame B:
B's origin stands at r = p_AoBo_A, and motions m_A become m_B. Two pairs (E, r) say the same:

    plx(E, r)    E = R_BA    RBDA and RBDL; left-associative:  X1 @ X2 first does X2
    plxb(E, r)   E = R_AB    TDS and brax;  right-associative: Y1 @ Y2 first does Y1

Sources: "RBDA": Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 2.8, 2.9 and 2.13,
appendix A.2; the derivation on btaba's blog that both names are from. Its equations, what computes
them, and their tests in tests/mechanics/test_vectors.py::

    m = [v, w], f = [F, tau]    join, split, reorder, power; slip 1
                                (test_the_vectors_are_angular_first,
                                test_power_is_the_same_in_every_frame)
    X = X_rot X_trans           plx, plxb, skew; slip 2 (test_translation_comes_first)
    X1 X2, Y1 Y2                Plx.compose (test_left_associative_composition),
                                Plxb.compose; slips 3, 4 (test_right_associative_composition)
    X m, forces                 apply_motion, apply_force; slip 5
                                (test_vectors_move_as_the_matrices_say)
    X^-1, X^-T                  inverse, as_dual_matrix; slips 6, 7 (test_the_dual_of_plx_keeps_e)
    not there, X^* M X^-1       apply_inertia, apply_spatial_inertia, cross_motion, cross_force
                                (test_theta_and_matrix_move_alike)

Where the printed form is not the right one (TestSlipsOfTheDerivation)::

    1  m = [v, w], f = [F, tau] of the first section: every matrix is for [w, v], [tau, F].
    2  "If T is left-associative, we first rotate X then translate": both translate first.
    3  Y1 Y2, second line: E1 [r2]x E1^T - [r1]x has to be a plus; last line: -E1^T E2^T is
       -E2^T E1^T.
    4  The matrix shown for Y1 Y2 is the matrix of Y2 times that of Y1.
    5  X m: -[r]x E in the lower left is -E [r]x.
    6  X^-T: printed [[E^T, -[r]x E^T], [0, E^T]]; it is [[E, -E [r]x], [0, E]].
    7  Y^-T: printed [[E, [r]x E], [0, E]], its inverse; it is [[E^T, -E^T [r]x], [0, E^T]].

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import vectors
>>> quarter = [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]  # a quarter turn about z
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

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
    of_body,
    product,
    quiet,
    real_arrays,
)
from inertial_check.inertia.derivatives import register_pytree
from inertial_check.inertia.frames import cross
from inertial_check.inertia.representations import (
    SPATIAL_ORDERS,
    Point,
    SpatialOrder,
    check_spatial_order,
)
from inertial_check.mechanics.rotations import skew

# Vectors


def join(angular: ArrayLike, linear: ArrayLike, order: SpatialOrder = "angular-linear") -> Array:
    """Motions from w and v, or forces from tau and F.

    Args:
        angular: (..., 3) angular velocity [rad/s], or torque [N m].
        linear: (..., 3) velocity of the point at the origin [m/s], or force [N].
        order: A name of representations.SPATIAL_ORDERS.

    Returns:
        (..., 6), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, unknown order.

    Example:
        >>> print(vectors.join([1.0, 2, 3], [4.0, 5, 6], "linear-angular"))
        [4. 5. 6. 1. 2. 3.]
    """
    check_spatial_order(order)
    xp, (angular, linear) = real_arrays(angular=angular, linear=linear)
    expect_shape("angular", angular, 3)
    expect_shape("linear", linear, 3)
    batch_shape(angular=angular.shape[:-1], linear=linear.shape[:-1])
    return _join(xp, angular, linear, order)


def split(vector: ArrayLike, order: SpatialOrder = "angular-linear") -> tuple[Array, Array]:
    """The angular half and the linear half (..., 3) of motions or forces (..., 6).

    Raises:
        ParameterError: Wrong shape, unknown order.

    Example:
        >>> angular, linear = vectors.split([1.0, 2, 3, 4, 5, 6])
        >>> print(angular, linear)
        [1. 2. 3.] [4. 5. 6.]
    """
    check_spatial_order(order)
    _, (vector,) = real_arrays(vector=vector)
    expect_shape("vector", vector, 6)
    return _halves(vector, order)


def reorder(vector: ArrayLike, source: SpatialOrder, target: SpatialOrder) -> Array:
    """Motions or forces (..., 6) in the other order of their halves.

    Args:
        vector: (..., 6) in order `source`.
        source: A name of representations.SPATIAL_ORDERS.
        target: The same.

    Raises:
        ParameterError: Wrong shape, unknown order.

    Example:
        >>> print(vectors.reorder([1.0, 2, 3, 4, 5, 6], "angular-linear", "linear-angular"))
        [4. 5. 6. 1. 2. 3.]
    """
    check_spatial_order(source, "source")
    check_spatial_order(target, "target")
    angular, linear = split(vector, source)
    return join(angular, linear, target)


def reorder_matrix(matrix: ArrayLike, source: SpatialOrder, target: SpatialOrder) -> Array:
    """6x6 matrices with their rows and columns in the other order of the halves.

    Args:
        matrix: (..., 6, 6) in order `source`: transforms, inertias, added masses.
        source: A name of representations.SPATIAL_ORDERS.
        target: The same.

    Raises:
        ParameterError: Wrong shape, unknown order.

    Example:
        >>> M = np.diag([0.1, 0.1, 0.2, 2.0, 2.0, 2.0])
        >>> print(vectors.reorder_matrix(M, "angular-linear", "linear-angular").diagonal())
        [2.  2.  2.  0.1 0.1 0.2]
    """
    check_spatial_order(source, "source")
    check_spatial_order(target, "target")
    xp, (matrix,) = real_arrays(matrix=matrix)
    expect_shape("matrix", matrix, 6, 6)
    return matrix if source == target else _swap(xp, matrix)


@quiet
def cross_motion(
    first: ArrayLike, second: ArrayLike, order: SpatialOrder = "angular-linear"
) -> Array:
    """m1 x m2 = [w1 x w2, w1 x v2 + v1 x w2], the rate at which m1 carries m2 (RBDA section 2.9).

    Args:
        first: (..., 6) motions m1.
        second: (..., 6) motions m2.
        order: Order of all three, a name of representations.SPATIAL_ORDERS.

    Returns:
        (..., 6), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, unknown order.

    Example:
        >>> # A turn about z carries a motion along x towards y
        >>> print(vectors.cross_motion([0, 0, 1.0, 0, 0, 0], [0, 0, 0, 1.0, 0, 0]) + 0.0)
        [0. 0. 0. 0. 1. 0.]
    """
    xp, (w1, v1), (w2, v2) = _pair(order, first=first, second=second)
    linear = cross(xp, w1, v2) + cross(xp, v1, w2)
    return _join(xp, cross(xp, w1, w2), linear, order)


@quiet
def cross_force(
    motion: ArrayLike, force: ArrayLike, order: SpatialOrder = "angular-linear"
) -> Array:
    """M x* f = [w x tau + v x F, w x F], the rate at which m carries f (RBDA section 2.9).

    Args:
        motion: (..., 6) motions m.
        force: (..., 6) forces f.
        order: Order of all three, a name of representations.SPATIAL_ORDERS.

    Returns:
        (..., 6) forces, leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, unknown order.

    Example:
        >>> print(vectors.cross_force([0, 0, 1.0, 0, 0, 0], [0, 0, 0, 1.0, 0, 0]) + 0.0)
        [0. 0. 0. 0. 1. 0.]
    """
    xp, (w, v), (torque, push) = _pair(order, motion=motion, force=force)
    angular = cross(xp, w, torque) + cross(xp, v, push)
    return _join(xp, angular, cross(xp, w, push), order)


@quiet
def power(motion: ArrayLike, force: ArrayLike) -> Array:
    """M . f = w . tau + v . F [W], the same in every frame; both in the same order.

    Args:
        motion: (..., 6).
        force: (..., 6).

    Returns:
        (...,), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(vectors.power([0, 0, 2.0, 1.0, 0, 0], [0, 0, 3.0, 4.0, 0, 0]))  # 2 * 3 + 1 * 4 W
        10.0
    """
    xp, (motion, force) = real_arrays(motion=motion, force=force)
    for name, vector in (("motion", motion), ("force", force)):
        expect_shape(name, vector, 6)
    batch_shape(motion=motion.shape[:-1], force=force.shape[:-1])
    return xp.sum(motion * force, axis=-1)


# Transforms


@dataclass(frozen=True, slots=True, eq=False)
class PluckerTransform(EqualByValue, ABC):
    """The change of Plücker coordinates from A to B, as a rotation and a position.

    Made by plx, plxb, or from_pose; a batch where E or r has leading axes. Arrays of inertias and
    vectors that it is applied to broadcast with it.

    Attributes:
        E: (..., 3, 3) rotation, read as the subclass says.
        r: (..., 3) p_AoBo_A [m].
    """

    E: Array
    r: Array

    __array_ufunc__: ClassVar[None] = None  # NumPy then leaves @ to this class

    @classmethod
    @abstractmethod
    def from_pose(cls, X_AB: ArrayLike, *, renormalize: bool = False) -> Self:
        """The transform of motions from A to B, for the pose of B in A (Drake's X_AB).

        Args:
            X_AB: (..., 4, 4) [[R_AB, p_AoBo_A], [0, 1]], mapping points of B to A.
            renormalize: Take the nearest rotations of poses with rounded entries.

        Raises:
            ParameterError: Wrong shape, or a matrix that is no pose.
        """

    @property
    @abstractmethod
    def R_BA(self) -> Array:
        """(..., 3, 3) rotation that turns coordinates in A into coordinates in B."""

    @abstractmethod
    def inverse(self) -> Self:
        """The transform of motions from B to A."""

    def compose(self, other: Self) -> Self:
        """Both transforms as one, in the order of the convention; the same as self @ other.

        Raises:
            ParameterError: A transform of the other convention, shapes that do not broadcast.
        """
        if type(other) is not type(self):
            raise ParameterError(
                f"{type(self).__name__} @ {type(other).__name__}: the two conventions compose in "
                "opposite order; convert one with as_plx() or as_plxb()"
            )
        return self._compose(other)

    def __matmul__(self, other: Self) -> Self:
        """Both transforms as one, in the order of the convention."""
        return self.compose(other) if isinstance(other, PluckerTransform) else NotImplemented

    def as_plx(self) -> Plx:
        """The same transform, left-associative."""
        return Plx(self.R_BA, self.r)

    def as_plxb(self) -> Plxb:
        """The same transform, right-associative."""
        return Plxb(_transpose(self.R_BA), self.r)

    def as_pose(self) -> Array:
        """(..., 4, 4) pose X_AB of B in A."""
        xp, (R_BA, r) = real_arrays(E=self.R_BA, r=self.r)
        batch = batch_shape(E=R_BA.shape[:-2], r=r.shape[:-1])
        rotation = xp.broadcast_to(_transpose(R_BA), (*batch, 3, 3))
        position = xp.broadcast_to(r, (*batch, 3))[..., None]
        bottom = xp.eye(4, dtype=r.dtype, device=device_of(r))[3:, :]
        top = xp.concat([rotation, position], axis=-1)
        return xp.concat([top, xp.broadcast_to(bottom, (*batch, 1, 4))], axis=-2)

    @quiet
    def as_matrix(self, order: SpatialOrder = "angular-linear") -> Array:
        """(..., 6, 6) matrix X of motions: [[E, 0], [-E [r]x, E]] with E = R_BA (RBDA section 2.8).

        Raises:
            ParameterError: Unknown order.
        """
        xp, R_BA, lower = self._blocks()
        return _order_blocks(xp, assemble(xp, R_BA, xp.zeros_like(lower), lower, R_BA), order)

    @quiet
    def as_dual_matrix(self, order: SpatialOrder = "angular-linear") -> Array:
        """(..., 6, 6) matrix X* = X^-T of forces: [[E, -E [r]x], [0, E]] (RBDA section 2.8).

        Raises:
            ParameterError: Unknown order.
        """
        xp, R_BA, upper = self._blocks()
        return _order_blocks(xp, assemble(xp, R_BA, upper, xp.zeros_like(upper), R_BA), order)

    @quiet
    def apply_motion(self, motion: ArrayLike, order: SpatialOrder = "angular-linear") -> Array:
        """Motions in B from motions in A: [E w, E (v - r x w)].

        Args:
            motion: (..., 6) in A.
            order: Of the vectors, a name of representations.SPATIAL_ORDERS.

        Returns:
            (..., 6) in B, leading axes broadcast.

        Raises:
            ParameterError: Shapes that do not fit, unknown order.
        """
        xp, R_BA, r, (w, v) = self._with(order, motion=motion)
        linear = frames.rotate_vector(xp, R_BA, v - cross(xp, r, w))
        return _join(xp, frames.rotate_vector(xp, R_BA, w), linear, order)

    @quiet
    def apply_force(self, force: ArrayLike, order: SpatialOrder = "angular-linear") -> Array:
        """Forces in B from forces in A: [E (tau - r x F), E F].

        Args:
            force: (..., 6) in A.
            order: Of the vectors, a name of representations.SPATIAL_ORDERS.

        Returns:
            (..., 6) in B, leading axes broadcast.

        Raises:
            ParameterError: Shapes that do not fit, unknown order.
        """
        xp, R_BA, r, (torque, push) = self._with(order, force=force)
        angular = frames.rotate_vector(xp, R_BA, torque - cross(xp, r, push))
        return _join(xp, angular, frames.rotate_vector(xp, R_BA, push), order)

    def apply_inertia(self, theta: ArrayLike, about: Point | None = None) -> Array:
        """Inertial parameters in B from those in A, theta in order "urdf".

        Args:
            theta: (..., 10) in A, about `about`.
            about: "origin" (Ao before, Bo after) or "com", which is kept; None for theta's own,
                else the origin.

        Returns:
            (..., 10) in B, leading axes broadcast.

        Raises:
            ParameterError: Shapes that do not fit, unknown point.
        """
        return frames.rotate(frames.translate(theta, -self.r, about), self.R_BA)

    def apply_spatial_inertia(
        self, matrix: ArrayLike, order: SpatialOrder = "angular-linear"
    ) -> Array:
        """Any symmetric 6x6 inertia in B from that in A: X* M X^-1 (RBDA section 2.13).

        Args:
            matrix: (..., 6, 6) symmetric: of a rigid body, articulated, or an added mass.
            order: A name of representations.SPATIAL_ORDERS.

        Returns:
            (..., 6, 6) in B, exactly symmetric, leading axes broadcast.

        Raises:
            ParameterError: Shapes that do not fit, a matrix that is not symmetric, unknown order.
        """
        return congruence(matrix, self.inverse().as_matrix(order))

    @abstractmethod
    def _compose(self, other: Self) -> Self: ...

    def _blocks(self) -> tuple[Namespace, Array, Array]:
        """The namespace, R_BA, and -R_BA [r]x."""
        xp, (R_BA, r) = real_arrays(E=self.R_BA, r=self.r)
        return xp, R_BA, -product(xp, R_BA, skew(r))

    def _with(
        self, order: SpatialOrder, **vector: ArrayLike
    ) -> tuple[Namespace, Array, Array, tuple[Array, Array]]:
        """The namespace, R_BA, r and the halves of a vector, in one precision."""
        check_spatial_order(order)
        ((name, value),) = vector.items()
        xp, (R_BA, r, value) = real_arrays(E=self.R_BA, r=self.r, **{name: value})
        expect_shape(name, value, 6)
        batch_shape(transform=_batch(R_BA, r), **{name: value.shape[:-1]})
        return xp, R_BA, r, _halves(value, order)


@register_pytree(leaves=("E", "r"))
@dataclass(frozen=True, slots=True, eq=False)
class Plx(PluckerTransform):
    """Left-associative, as in RBDA and RBDL: E = R_BA, and X1 @ X2 first does X2."""

    @classmethod
    def from_pose(cls, X_AB: ArrayLike, *, renormalize: bool = False) -> Self:
        """The transform of motions from A to B, for the pose of B in A."""
        _, (X_AB,) = real_arrays(X_AB=X_AB)
        expect("flag", renormalize=renormalize)
        R_AB, p_AoBo_A = frames.pose_parts(X_AB, like=X_AB, renormalize=renormalize)
        return cls(_transpose(R_AB), p_AoBo_A)

    @property
    def R_BA(self) -> Array:
        """(..., 3, 3) E."""
        return self.E

    def inverse(self) -> Self:
        """plx(E^T, -E r)."""
        xp, (E, r) = real_arrays(E=self.E, r=self.r)
        return type(self)(_transpose(E), -frames.rotate_vector(xp, E, r))

    def _compose(self, other: Self) -> Self:
        """plx(E1 E2, r2 + E2^T r1)."""
        xp, (E1, r1, E2, r2) = _two(self, other)
        return type(self)(product(xp, E1, E2), r2 + frames.rotate_vector(xp, _transpose(E2), r1))


@register_pytree(leaves=("E", "r"))
@dataclass(frozen=True, slots=True, eq=False)
class Plxb(PluckerTransform):
    """Right-associative, as in TDS and brax: E = R_AB, and Y1 @ Y2 first does Y1."""

    @classmethod
    def from_pose(cls, X_AB: ArrayLike, *, renormalize: bool = False) -> Self:
        """The transform of motions from A to B, for the pose of B in A."""
        _, (X_AB,) = real_arrays(X_AB=X_AB)
        expect("flag", renormalize=renormalize)
        return cls(*frames.pose_parts(X_AB, like=X_AB, renormalize=renormalize))

    @property
    def R_BA(self) -> Array:
        """(..., 3, 3) E^T."""
        return _transpose(self.E)

    def inverse(self) -> Self:
        """plxb(E^T, -E^T r)."""
        xp, (E, r) = real_arrays(E=self.E, r=self.r)
        back = _transpose(E)
        return type(self)(back, -frames.rotate_vector(xp, back, r))

    def _compose(self, other: Self) -> Self:
        """plxb(E1 E2, r1 + E1 r2)."""
        xp, (E1, r1, E2, r2) = _two(self, other)
        return type(self)(product(xp, E1, E2), r1 + frames.rotate_vector(xp, E1, r2))


def plx(E: ArrayLike, r: ArrayLike, *, renormalize: bool = False) -> Plx:
    """The transform that shifts by r and then turns by E: E = R_BA, r = p_AoBo_A.

    Args:
        E: (..., 3, 3) rotations that turn coordinates in A into coordinates in B.
        r: (..., 3) [m].
        renormalize: Take the nearest rotations of matrices with rounded entries.

    Raises:
        ParameterError: Shapes that do not fit, or a matrix that is no rotation.

    Example:
        >>> X = vectors.plx(np.eye(3), [1.0, 0, 0])  # B stands 1 m along x
        >>> print(X.apply_motion([0, 0, 1.0, 0, 0, 0]))  # w x r: B moves along y
        [0. 0. 1. 0. 1. 0.]
    """
    expect("flag", renormalize=renormalize)
    return Plx(*_check_pair(E, r, renormalize))


def plxb(E: ArrayLike, r: ArrayLike, *, renormalize: bool = False) -> Plxb:
    """The same transform by the child's axes in the parent: E = R_AB, r = p_AoBo_A.

    Args:
        E: (..., 3, 3) rotations whose columns are the axes of B in A.
        r: (..., 3) [m].
        renormalize: Take the nearest rotations of matrices with rounded entries.

    Raises:
        ParameterError: Shapes that do not fit, or a matrix that is no rotation.

    Example:
        >>> X = vectors.plxb(quarter, [0, 0, 0])  # the axes of B in A
        >>> print(X.apply_motion([1.0, 0, 0, 0, 0, 0]) + 0.0)  # x of A is -y of B
        [ 0. -1.  0.  0.  0.  0.]
    """
    expect("flag", renormalize=renormalize)
    return Plxb(*_check_pair(E, r, renormalize))


# Matrices


@quiet
def congruence(matrix: ArrayLike, X: ArrayLike) -> Array:
    """X^T M X, exactly symmetric: the inertia M in the coordinates of which X is the transform.

    With X the matrix of motions from A to B, and M an inertia in B, it is the inertia in A. Both in
    the same order, whichever it is.

    Args:
        matrix: (..., 6, 6) symmetric M.
        X: (..., 6, 6).

    Returns:
        (..., 6, 6), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, a matrix that is not symmetric.

    Example:
        >>> X = vectors.plx(np.eye(3), [-1.0, 0, 0]).as_matrix()
        >>> M = vectors.congruence(np.diag([0.1, 0.1, 0.1, 2.0, 2.0, 2.0]), X)
        >>> print(M.diagonal())  # 2 kg at a distance of 1 m: 2 kg m^2 more about y and z
        [0.1 2.1 2.1 2.  2.  2. ]
    """
    xp, (matrix, X) = real_arrays(matrix=matrix, X=X)
    for name, value in (("matrix", matrix), ("X", X)):
        expect_shape(name, value, 6, 6)
    batch_shape(matrix=matrix.shape[:-2], X=X.shape[:-2])
    refuse_asymmetric(xp, "matrix", matrix)
    moved = product(xp, product(xp, _transpose(X), matrix), X)
    return (moved + _transpose(moved)) / 2


@quiet
def refuse_asymmetric(xp: Namespace, name: str, matrix: Array) -> None:
    """Refuse 6x6 inertias whose halves differ by more than rounding, each entry in its own unit.

    An entry is measured against sqrt(|M_ii M_jj|), which bounds it in a semidefinite matrix.

    Raises:
        ParameterError: With the two entries and the body.
    """
    other = _transpose(matrix)
    size = xp.maximum(xp.abs(matrix), xp.abs(other))
    root = xp.sqrt(xp.abs(xp.stack([matrix[..., i, i] for i in range(6)], axis=-1)))
    size = xp.maximum(size, root[..., :, None] * root[..., None, :])
    bad = xp.abs(matrix - other) > tolerances.rotation_floor(matrix.dtype, xp) * size
    where = first_index(xp, bad)
    if where is not None:
        *body, i, j = where
        upper, lower = float(matrix[where]), float(matrix[(*body, j, i)])
        raise ParameterError(
            f"{name}{of_body(tuple(body))} is not symmetric: entry [{i}, {j}] is {upper!r} "
            f"and [{j}, {i}] is {lower!r}"
        )


def assemble(xp: Namespace, upper_left: Array, upper_right: Array, *lower: Array) -> Array:
    """6x6 matrices from four blocks (..., 3, 3), row by row, leading axes broadcast."""
    blocks = (upper_left, upper_right, *lower)
    batch = batch_shape(**{f"block {i}": block.shape[:-2] for i, block in enumerate(blocks)})
    a, b, c, d = (xp.broadcast_to(block, (*batch, 3, 3)) for block in blocks)
    return xp.concat([xp.concat([a, b], axis=-1), xp.concat([c, d], axis=-1)], axis=-2)


def _check_pair(E: ArrayLike, r: ArrayLike, renormalize: bool) -> tuple[Array, Array]:
    xp, (E, r) = real_arrays(E=E, r=r)
    E = frames.read_rotation(xp, "E", E, renormalize=renormalize)
    expect_shape("r", r, 3)
    batch_shape(E=E.shape[:-2], r=r.shape[:-1])
    return E, r


def _two(first: PluckerTransform, second: PluckerTransform) -> tuple[Namespace, tuple[Array, ...]]:
    xp, arrays = real_arrays(E1=first.E, r1=first.r, E2=second.E, r2=second.r)
    batch_shape(first=_batch(*arrays[:2]), second=_batch(*arrays[2:]))
    return xp, arrays


def _batch(E: Array, r: Array) -> tuple[int, ...]:
    return batch_shape(E=E.shape[:-2], r=r.shape[:-1])


def _pair(
    order: SpatialOrder, **vectors: ArrayLike
) -> tuple[Namespace, tuple[Array, Array], tuple[Array, Array]]:
    """The namespace, and the halves of two vectors of one order."""
    check_spatial_order(order)
    xp, (one, two) = real_arrays(**vectors)
    for name, vector in zip(vectors, (one, two), strict=True):
        expect_shape(name, vector, 6)
    batches = (one.shape[:-1], two.shape[:-1])
    batch_shape(**dict(zip(vectors, batches, strict=True)))
    return xp, _halves(one, order), _halves(two, order)


def _halves(vector: Array, order: SpatialOrder) -> tuple[Array, Array]:
    first, last = vector[..., :3], vector[..., 3:]
    return (first, last) if order == SPATIAL_ORDERS[0] else (last, first)


def _join(xp: Namespace, angular: Array, linear: Array, order: SpatialOrder) -> Array:
    batch = batch_shape(angular=angular.shape[:-1], linear=linear.shape[:-1])
    halves = [xp.broadcast_to(half, (*batch, 3)) for half in (angular, linear)]
    return xp.concat(halves if order == SPATIAL_ORDERS[0] else halves[::-1], axis=-1)


def _order_blocks(xp: Namespace, matrix: Array, order: SpatialOrder) -> Array:
    check_spatial_order(order)
    return matrix if order == SPATIAL_ORDERS[0] else _swap(xp, matrix)


def _swap(xp: Namespace, matrix: Array) -> Array:
    """The two halves of rows and of columns exchanged."""
    rows = xp.concat([matrix[..., 3:, :], matrix[..., :3, :]], axis=-2)
    return xp.concat([rows[..., 3:], rows[..., :3]], axis=-1)


def _transpose(matrix: Array) -> Array:
    xp, (matrix,) = real_arrays(matrix=matrix)
    return xp.matrix_transpose(matrix)
