"""Forces on points of bodies as forces of the joints: f = sum J^T F, and contacts, W lambda.

All are batched over the leading axes of q, keep the array library and the precision of the input,
and can be differentiated where the library can. Source: "Sheet": Kindr Cheat Sheet, "Projected
Newton-Euler Equations" (f = sum J_P^T F + J_R^T T) and "Equations of Motion with Contacts and no
Impulses" (M du - h = W lambda).

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import contacts as forces
>>> from inertial_check.mechanics.tree import Tree
>>> rod = [[2.0, 0, 0, -1.0, 0.7, 0, 0, 0.7, 0, 0.01]]  # hangs 0.5 m below a hinge about y
>>> pendulum = Tree(["rod"], [-1], ["revolute"], [np.eye(4)], [[0, 1, 0]], rod)

Impacts, M (u+ - u-) = W P, and equations of motion in other velocities.

W holds the directions in which impulses act, as columns: W^T u are the velocities of the contacts
along them. Source: the Kindr Cheat Sheet, "Equations of Motion with Contacts and
Impulses" and "Transformation of Equations of Motion".

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import contacts as impacts
>>> M, W = np.diag([2.0, 2.0]), [[0.0], [1.0]]  # 2 kg, and a floor across the second coordinate
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    Namespace,
    batch_shape,
    expect_shape,
    first_index,
    quiet,
    real_arrays,
)
from inertial_check.mechanics.batches import (
    Batch,
    Chunk,
    Frame,
    apply,
    body_frame,
    columns,
    configurations_first,
    cross,
    list_carriers,
    root_positions,
    walk,
)
from inertial_check.mechanics.tree import INERTIAL_FRAME, Tree

Bodies = int | str | Sequence[int | str]
"""One body, or c of them, by index or name."""

_ORIGIN = (0.0, 0.0, 0.0)


@quiet
def generalized_forces(
    tree: Tree,
    q: ArrayLike,
    bodies: Bodies,
    forces: ArrayLike = _ORIGIN,
    moments: ArrayLike = _ORIGIN,
    p_BoQ_B: ArrayLike = _ORIGIN,
) -> Array:
    """F = sum over c wrenches of J_P^T F + J_R^T T (Sheet, "Projected Newton-Euler Equations").

    f . u is the power of the wrenches. Added to the tau of forward_dynamics, or taken from that of
    inverse_dynamics, they act on the tree beside gravity.

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        bodies: Index or name of the body of each wrench, c of them; or of one body alone, whose
            vectors are then (..., 3).
        forces: (..., c, 3) F on the body, in the axes of I [N]; (3,) is one for each.
        moments: (..., c, 3) T on the body, in the axes of I [N m]; (3,) is one for each.
        p_BoQ_B: (..., c, 3) where each force acts, in its body [m]; (3,) is one for each.

    Returns:
        (..., n_u) [N] or [N m], leading axes broadcast.

    Raises:
        ParameterError: No such body, shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> # 10 N along x on the tip, 1 m below the hinge
        >>> tip, push = [0, 0, -1.0], [10.0, 0, 0]
        >>> print(forces.generalized_forces(pendulum, [0.0], "rod", push, p_BoQ_B=tip))
        [-10.]
    """
    expect(Tree, tree=tree)
    found = _find_bodies(tree, "bodies", bodies)
    shape = (len(found), 3)
    given = _spread(q, bodies, len(found), forces=forces, moments=moments, p_BoQ_B=p_BoQ_B)

    def work(chunk: Chunk) -> Array:
        xp, frames = chunk.xp, dict(walk(tree, chunk))
        total = [chunk.zeros() for _ in range(tree.n_u)]
        for row, body in enumerate(found):
            force, moment = (chunk.beside[name][row] for name in ("forces", "moments"))
            Q = _place(tree, chunk, frames[body], body, chunk.beside["p_BoQ_B"][row])
            for carrier in list_carriers(tree, body):
                frame, start = frames[carrier], tree.velocities[carrier].start
                lever = cross(xp, Q - frame.p, force) + moment
                for index, column in enumerate(columns(tree, chunk, carrier, frame), start):
                    part = column.axis * (lever if column.turns else force)
                    total[index] = total[index] + part[0] + part[1] + part[2]
        whole = xp.stack(total) if total else chunk.zeros(0)
        return configurations_first(xp, whole)

    return Batch(tree, q, **{name: (value, shape) for name, value in given.items()}).map(work)


@quiet
def contact_directions(
    tree: Tree,
    q: ArrayLike,
    bodies: Bodies,
    directions: ArrayLike,
    p_BoQ_B: ArrayLike = _ORIGIN,
    *,
    against: Bodies | None = None,
) -> Array:
    """W, whose columns are the generalised directions of c contact forces (the grasp map).

    W lambda are the forces of the joints under contact forces lambda, and W^T u the velocities of
    the contacts along their directions (Sheet, "Equations of Motion with Contacts"). A contact with
    friction has three columns, one for each direction.

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        bodies: Index or name of the body that each contact force pushes, c of them; or of one body
            alone, whose vectors are then (..., 3) and c = 1.
        directions: (..., c, 3) of these forces, in the axes of I, mostly of length 1.
        p_BoQ_B: (..., c, 3) where each contact is, in its body [m]; (3,) is one for each.
        against: Bodies that are pushed back at the same places, as the finger that holds an object;
            -1 is the inertial frame. None where all contacts are with the surroundings.

    Returns:
        (..., n_u, c), leading axes broadcast.

    Raises:
        ParameterError: No such body, as many bodies as contacts on both sides, shapes that do not
            fit, a quaternion that is not of length 1.

    Example:
        >>> W = forces.contact_directions(pendulum, [0.0], ["rod"], [[1.0, 0, 0]], [[0, 0, -1.0]])
        >>> print(W)
        [[-1.]]
    """
    expect(Tree, tree=tree)
    found = _find_bodies(tree, "bodies", bodies)
    others = [INERTIAL_FRAME] * len(found)
    if against is not None:
        others = _find_bodies(tree, "against", against, ground=True)
    if len(others) != len(found):
        raise ParameterError(
            f"against names {len(others)} bodies, expected one for each of {len(found)} contacts"
        )
    shape = (len(found), 3)
    given = _spread(q, bodies, len(found), directions=directions, p_BoQ_B=p_BoQ_B)

    def work(chunk: Chunk) -> Array:
        xp, frames, starts = chunk.xp, dict(walk(tree, chunk)), root_positions(tree, chunk)
        contacts = []
        for row, (body, other) in enumerate(zip(found, others, strict=True)):
            direction = chunk.beside["directions"][row]
            Q = _place(tree, chunk, frames[body], body, chunk.beside["p_BoQ_B"][row])
            push = _push(tree, chunk, frames, body, Q, direction)
            if other != INERTIAL_FRAME:
                seen = Q + (starts[body] - starts[other])
                back = _push(tree, chunk, frames, other, seen, direction)
                push = [one - two for one, two in zip(push, back, strict=True)]
            contacts.append(xp.stack(push) if push else chunk.zeros(0))
        whole = xp.stack(contacts, axis=1) if contacts else chunk.zeros(tree.n_u, 0)
        return configurations_first(xp, whole)

    return Batch(tree, q, **{name: (value, shape) for name, value in given.items()}).map(work)


@quiet
def contact_forces(W: ArrayLike, magnitudes: ArrayLike) -> Array:
    """W lambda: the forces of the joints under contact forces (Sheet, M du - h = W lambda).

    Args:
        W: (..., n_u, c) directions, as contact_directions gives them.
        magnitudes: (..., c) lambda [N], or percussions [N s].

    Returns:
        (..., n_u), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(forces.contact_forces([[-1.0]], [10.0]))
        [-10.]
    """
    xp, (W, magnitudes) = real_arrays(W=W, magnitudes=magnitudes)
    contacts = W.shape[-1] if W.ndim else 0
    expect_shape("W", W, W.shape[-2] if W.ndim > 1 else 0, contacts)
    expect_shape("magnitudes", magnitudes, contacts)
    batch_shape(W=W.shape[:-2], magnitudes=magnitudes.shape[:-1])
    return xp.matmul(W, magnitudes[..., None])[..., 0]


def _find_bodies(tree: Tree, name: str, bodies: Bodies, ground: bool = False) -> list[int]:
    """Indices of bodies; -1 of the inertial frame, where it may be one."""
    several: Any = [bodies] if isinstance(bodies, (int, str, np.integer)) else bodies
    expect("list", **{name: several})
    for each in several:
        expect("whole", "text", **{name: each})
    return [
        INERTIAL_FRAME if ground and each == INERTIAL_FRAME else tree.index(each)
        for each in several
    ]


def _spread(q: ArrayLike, bodies: Bodies, count: int, **vectors: ArrayLike) -> dict[str, Array]:
    """Vectors (..., c, 3) in the library of q, from (..., 3) of one body, or (3,) of all."""
    xp, (_, *arrays) = real_arrays(q=q, **vectors)
    if isinstance(bodies, (int, str, np.integer)):
        arrays = [array[..., None, :] if array.ndim else array for array in arrays]
    given = zip(vectors, arrays, strict=True)
    return {
        name: xp.broadcast_to(array, (count, 3)) if tuple(array.shape) == (3,) else array
        for name, array in given
    }


def _place(tree: Tree, chunk: Chunk, frame: Frame, body: int, p_BoQ_B: Array) -> Array:
    """(3, k) where a point of a body is, measured as the frame is."""
    own = body_frame(tree, chunk, body, frame)
    return own.p + apply(own.R, p_BoQ_B)


def _push(
    tree: Tree, chunk: Chunk, frames: dict[int, Frame], body: int, Q: Array, direction: Array
) -> list[Array]:
    """J_P^T d, (k,) for each velocity, of the point Q of a body."""
    found = [chunk.zeros() for _ in range(tree.n_u)]
    for carrier in list_carriers(tree, body):
        frame, start = frames[carrier], tree.velocities[carrier].start
        lever = cross(chunk.xp, Q - frame.p, direction)
        for index, column in enumerate(columns(tree, chunk, carrier, frame), start):
            part = column.axis * (lever if column.turns else direction)
            found[index] = part[0] + part[1] + part[2]
    return found


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
