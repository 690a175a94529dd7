"""Impacts, M (u+ - u-) = W P, and equations of motion in other velocities.

W holds the directions in which impulses act, as columns: W^T u are the velocities of the contacts
along them. Source: the Kindr Cheat Sheet, "Equations of Motion with Contacts and
Impulses" and "Transformation of Equations of Motion".

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.dynamics import impacts
>>> M, W = np.diag([2.0, 2.0]), [[0.0], [1.0]]  # 2 kg, and a floor across the second coordinate
"""

from __future__ import annotations

from inertial_check.arrays.broadcasting import (
    batch_shape,
    expect_shape,
    first_index,
    quiet,
    real_arrays,
)
from inertial_check.arrays.types import Array, ArrayLike, Namespace
from inertial_check.errors import ParameterError


@quiet
def velocities_after(M: ArrayLike, W: ArrayLike, u_before: ArrayLike, P: ArrayLike) -> Array:
    """u+ = u- + M^-1 W P.

    Args:
        M: (..., n_u, n_u) mass matrices.
        W: (..., n_u, c) directions of the impulses.
        u_before: (..., n_u) u-.
        P: (..., c) percussions [N s] or [N m s].

    Returns:
        (..., n_u).

    Raises:
        ParameterError: Shapes that do not fit, a mass matrix that is singular.

    Example:
        >>> print(impacts.velocities_after(M, W, [1.0, -3.0], [6.0]))  # 6 N s stop it
        [1. 0.]
    """
    xp, (M, W, u_before, P) = _read_arguments(M=M, W=W, u_before=u_before, P=P)
    push = xp.matmul(W, P[..., None])
    return u_before + _solve(xp, "M", M, push)[..., 0]


@quiet
def impulses(
    M: ArrayLike, W: ArrayLike, u_before: ArrayLike, restitution: ArrayLike = 0.0
) -> Array:
    """P with W^T u+ = -restitution W^T u-, by Newton's law of impact, all contacts closed.

    Nothing keeps a contact from pulling: P can have either sign.

    Args:
        M: (..., n_u, n_u) mass matrices.
        W: (..., n_u, c) directions of the impulses, independent of each other.
        u_before: (..., n_u) u-.
        restitution: 0, where the contacts stay together, to 1; a number or (..., c).

    Returns:
        (..., c) percussions [N s] or [N m s].

    Raises:
        ParameterError: Shapes that do not fit, a singular mass matrix, directions that depend on
            each other.

    Example:
        >>> print(impacts.impulses(M, W, [1.0, -3.0]), impacts.impulses(M, W, [1.0, -3.0], 0.5))
        [6.] [9.]
    """
    xp, (M, W, u_before, restitution) = _read_arguments(
        M=M, W=W, u_before=u_before, restitution=restitution
    )
    transposed = xp.matrix_transpose(W)
    before = xp.matmul(transposed, u_before[..., None])[..., 0]
    yielding = xp.matmul(transposed, _solve(xp, "M", M, W))
    wanted = -(1 + restitution) * before
    return _solve(xp, "W^T M^-1 W", yielding, wanted[..., None])[..., 0]


@quiet
def in_other_velocities(
    M: ArrayLike, h: ArrayLike, B: ArrayLike, dB_w: ArrayLike
) -> tuple[Array, Array]:
    """The equations M du - h = tau in velocities w with u = B w: B^T M B and B^T (h - M dB/dt w).

    Args:
        M: (..., n_u, n_u) mass matrices.
        h: (..., n_u) all other forces; -(b + g) of `equations`.
        B: (..., n_u, n_w).
        dB_w: (..., n_u) dB/dt w.

    Returns:
        (..., n_w, n_w) and (..., n_w).

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> # u = B w: the velocities in a frame that is turned by 90 degrees
        >>> M_w, h_w = impacts.in_other_velocities(M, [0, -19.62], [[0.0, -1], [1, 0]], [0.0, 0])
        >>> print(M_w, h_w)
        [[2. 0.]
         [0. 2.]] [-19.62   0.  ]
    """
    xp, (M, h, B, dB_w) = real_arrays(M=M, h=h, B=B, dB_w=dB_w)
    size = M.shape[-1] if M.ndim else 0
    expect_shape("M", M, size, size)
    expect_shape("h", h, size)
    expect_shape("dB_w", dB_w, size)
    expect_shape("B", B, size, B.shape[-1] if B.ndim else 0)
    transposed = xp.matrix_transpose(B)
    forces = h - xp.matmul(M, dB_w[..., None])[..., 0]
    return (
        xp.matmul(xp.matmul(transposed, M), B),
        xp.matmul(transposed, forces[..., None])[..., 0],
    )


def _read_arguments(**values: ArrayLike) -> tuple[Namespace, tuple[Array, ...]]:
    xp, arrays = real_arrays(**values)
    M, W, u_before, last = arrays
    size = M.shape[-1] if M.ndim else 0
    contacts = W.shape[-1] if W.ndim else 0
    expect_shape("M", M, size, size)
    expect_shape("W", W, size, contacts)
    expect_shape("u_before", u_before, size)
    name = list(values)[-1]
    if name == "P" or last.ndim:
        expect_shape(name, last, contacts)
    batch_shape(
        M=M.shape[:-2],
        W=W.shape[:-2],
        u_before=u_before.shape[:-1],
        **{name: last.shape[:-1] if last.ndim else ()},
    )
    return xp, arrays


def _solve(xp: Namespace, name: str, matrix: Array, right: Array) -> Array:
    """The solution of a system; the error names the first that is singular."""
    largest = xp.max(xp.abs(matrix), axis=(-2, -1))
    safe = xp.where(largest > 0, largest, xp.ones_like(largest))
    ranks = xp.linalg.matrix_rank(matrix / safe[..., None, None])
    bad = first_index(xp, (ranks < matrix.shape[-1]) | ~(largest > 0))
    if bad is not None:
        where = f" at {bad}" if bad else ""
        what = "directions depend on each other" if name != "M" else "a motion has no inertia"
        raise ParameterError(f"{name}{where} is singular: {what}")
    solution: Array = xp.linalg.solve(matrix, right)
    return solution
