"""Closed loops of a tree: constraints between bodies or joints, and equations without their forces.

A loop that a tree leaves open is closed by constraints c(q) = 0 with the rates A(q) u = 0. Their
forces A^T lambda drop out of the equations of motion in the null space of A: with A N = 0,
N^T (Y theta - tau) = 0. Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, Integers, Mask
from inertial_check.mechanics.jacobians import jacobian, jacobian_derivative, poses
from inertial_check.mechanics.tree import INERTIAL_FRAME, Tree

POINT = (0, 1, 2)
"""Directions that a ball joint holds: the three translations."""

RIGID = (0, 1, 2, 3, 4, 5)
"""Directions that a weld holds."""

STEPS = 8
"""Number of parts in which known positions move from zero while the others follow them."""

ITERATIONS = 30
"""Largest number of Newton steps at the final positions; five are usual."""


class LoopClosure(NamedTuple):
    """Closure of a loop between two bodies, or a body and the inertial frame.

    Attributes:
        name: Name for messages.
        bodies: Indices of the two bodies; -1 for the inertial frame.
        X_BF: (2, 4, 4) pose of the frame F of the closure in each body.
        holds: Directions in which F of the second body cannot move in F of the first: 0 to 2 along
            its axes, 3 to 5 about them.
    """

    name: str
    bodies: tuple[int, int]
    X_BF: Floats
    holds: tuple[int, ...] = RIGID


class JointCoupling(NamedTuple):
    """Joint that follows another one: q_follower = sum of coefficients_k q_leader^k.

    Attributes:
        name: Name for messages.
        follower: Index of the body that the following joint moves.
        leader: Index of the body that the other joint moves; -1 for a constant position.
        coefficients: Coefficients of the polynomial, the constant first.
    """

    name: str
    follower: int
    leader: int
    coefficients: tuple[float, ...]


Constraint = LoopClosure | JointCoupling


def loop_residuals(tree: Tree, q: ArrayLike, loops: Sequence[Constraint]) -> Floats:
    """Residuals c(q) of constraints: distances [m] and angles [rad] by which loops stay open.

    Args:
        tree: Spanning tree.
        q: (S, n_q) coordinates.
        loops: Constraints.

    Returns:
        (S, m).
    """
    coordinates = np.asarray(q, dtype=np.float64)
    X_IB = np.asarray(poses(tree, coordinates))
    parts = [_residual(tree, coordinates, X_IB, loop) for loop in loops]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(coordinates), 0))


def loop_jacobian(tree: Tree, q: ArrayLike, loops: Sequence[Constraint]) -> Floats:
    """Jacobian A(q) of constraints, with dc/dt = A u where the loops are closed.

    Args:
        tree: Spanning tree.
        q: (S, n_q) coordinates.
        loops: Constraints.

    Returns:
        (S, m, n_u).
    """
    coordinates = np.asarray(q, dtype=np.float64)
    X_IB = np.asarray(poses(tree, coordinates))
    parts = [_rates(tree, coordinates, X_IB, loop) for loop in loops]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(X_IB), 0, tree.n_u))


def loop_drift(tree: Tree, q: ArrayLike, u: ArrayLike, loops: Sequence[Constraint]) -> Floats:
    """Rate dA/dt u of constraints (S, m): A du + dA/dt u = 0 for motions that keep loops closed.

    Args:
        tree: Spanning tree.
        q: (S, n_q) coordinates.
        u: (S, n_u) velocities.
        loops: Constraints.
    """
    coordinates, rates = np.asarray(q, dtype=np.float64), np.asarray(u, dtype=np.float64)
    X_IB = np.asarray(poses(tree, coordinates))
    parts = [_drift(tree, coordinates, rates, X_IB, loop) for loop in loops]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(X_IB), 0))


def close_loops(
    tree: Tree, q: ArrayLike, loops: Sequence[Constraint], unknown: Sequence[int]
) -> Floats:
    """Find the coordinates that close all loops, by Newton's method.

    The known coordinates move from zero, where a model is assembled, to their values in STEPS
    parts, and the unknown ones follow: that keeps the branch in which the model is written.

    Args:
        tree: Spanning tree, without a floating base among the unknown.
        q: (S, n_q) coordinates; the unknown ones are not looked at.
        loops: Constraints.
        unknown: Indices of the velocities whose coordinates are unknown.

    Returns:
        (S, n_q). Whether the loops are closed there, loop_residuals tells.
    """
    given = np.array(q, dtype=np.float64)
    places = np.array([coordinate_of(tree, velocity) for velocity in unknown], dtype=np.intp)
    now = np.array(given)
    now[:, places] = 0.0
    floating = [
        place
        for own, joint in zip(tree.coordinates, tree.joints, strict=True)
        if joint == "floating"
        for place in range(own.start, own.stop)
    ]
    known = np.setdiff1d(np.arange(tree.n_q), [*places, *floating])
    for step in range(1, STEPS + 1):
        now[:, known] = given[:, known] * step / STEPS
        for _ in range(ITERATIONS if step == STEPS else 2):
            left = loop_residuals(tree, now, loops)
            own = loop_jacobian(tree, now, loops)[:, :, list(unknown)]
            change = np.einsum("sij,sj->si", np.linalg.pinv(own), left)
            now[:, places] -= change
            if np.abs(change).max(initial=0.0) < tolerances.LOOP_CLOSED:
                break
    return now


class NullSpace(NamedTuple):
    """Motions that keep loops closed: u = N u[independent].

    Attributes:
        N: (S, n_u, r) null space of A; zero at singular configurations.
        independent: (r,) indices of the independent velocities.
        singular: (S,) configurations near which these velocities do not tell the others.
    """

    N: Floats
    independent: Integers
    singular: Mask


def null_space(A: ArrayLike, preferred: Sequence[int] = ()) -> NullSpace:
    """Null space of the constraints of a motion, in independent velocities of the tree.

    The rank is that of most configurations. Where A or the choice of velocities is near a
    singularity, a configuration is marked.

    Args:
        A: (S, m, n_u) Jacobian of the constraints.
        preferred: Indices of velocities to be independent where they can be, as those of motors.

    Raises:
        ParameterError: A leaves no motion.
    """
    matrices = np.asarray(A, dtype=np.float64)
    if matrices.shape[1] == 0:
        n_u = matrices.shape[2]
        whole = np.broadcast_to(np.eye(n_u), (len(matrices), n_u, n_u))
        none = np.zeros(len(matrices), dtype=bool)
        return NullSpace(np.array(whole), np.arange(matrices.shape[2]), none)
    _, sizes, Vh = np.linalg.svd(matrices, full_matrices=True)
    usual = np.median(sizes, axis=0)
    rank = int(np.sum(usual > tolerances.LOOP_RANK * usual.max(initial=0.0)))
    free = matrices.shape[2] - rank
    if free == 0:
        raise ParameterError("the constraints leave no motion of the tree")
    basis = np.swapaxes(Vh[:, rank:], 1, 2)
    # Choose independent velocities by a pivoted Cholesky factor of the mean projector.
    shared = np.einsum("sij,skj->ik", basis, basis) / len(basis)
    residual, chosen = np.array(shared), list[int]()
    first = np.zeros(len(residual), dtype=bool)
    first[list(preferred)] = True
    while len(chosen) < free:
        pivots = np.diagonal(residual).copy()
        pivots[chosen] = -1.0
        wanted = np.where(first, pivots, -1.0)
        best = int(np.argmax(wanted))
        if wanted[best] <= tolerances.SINGULAR:
            best = int(np.argmax(pivots))
        chosen.append(best)
        column = residual[:, best] / np.sqrt(max(residual[best, best], np.finfo(np.float64).tiny))
        residual = residual - np.outer(column, column)
    independent = np.array(sorted(chosen), dtype=np.intp)
    own = basis[:, independent]
    left = np.linalg.svd(own, compute_uv=False)[:, -1]
    singular = left < tolerances.SINGULAR * np.median(left)
    if rank:
        singular |= sizes[:, rank - 1] < tolerances.SINGULAR * usual[rank - 1]
    own[singular] = np.eye(free)
    N = np.matmul(basis, np.linalg.inv(own))
    N[singular] = 0.0
    return NullSpace(N, independent, singular)


def coordinate_of(tree: Tree, velocity: int) -> int:
    """Index of the coordinate that a velocity of a joint with one axis is the rate of.

    Raises:
        ParameterError: The velocity is one of a floating base.
    """
    for body, own in enumerate(tree.velocities):
        if own.start <= velocity < own.stop and tree.joints[body] != "floating":
            return int(tree.coordinates[body].start)
    raise ParameterError(f"velocity {velocity} belongs to no joint with one axis")


def _frames(X_IB: Floats, loop: LoopClosure) -> tuple[Floats, Floats]:
    """(S, 4, 4) poses of F of both bodies in the inertial frame."""
    first, second = (
        np.broadcast_to(X_BF, (len(X_IB), 4, 4)) if body == INERTIAL_FRAME else X_IB[:, body] @ X_BF
        for body, X_BF in zip(loop.bodies, loop.X_BF, strict=True)
    )
    return first, second


def _polynomials(q: Floats, tree: Tree, loop: JointCoupling) -> tuple[Floats, Floats, Floats]:
    """Position of the leader's polynomial, and its first two derivatives, (S,) each."""
    leader = np.zeros(len(q)) if loop.leader < 0 else q[:, tree.coordinates[loop.leader].start]
    whole = np.polynomial.Polynomial(loop.coefficients)
    return whole(leader), whole.deriv(1)(leader), whole.deriv(2)(leader)


def _residual(tree: Tree, q: Floats, X_IB: Floats, loop: Constraint) -> Floats:
    if isinstance(loop, JointCoupling):
        follower = q[:, tree.coordinates[loop.follower].start]
        return (follower - _polynomials(q, tree, loop)[0])[:, None]
    first, second = _frames(X_IB, loop)
    relative = np.swapaxes(first[:, :3, :3], 1, 2)
    apart = np.einsum("sij,sj->si", relative, second[:, :3, 3] - first[:, :3, 3])
    R = relative @ second[:, :3, :3]
    if 5 in loop.holds:
        turn = np.stack(
            [R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1
        )
        turn = turn / 2
    else:  # z x R z, which any turn about the axis leaves alone
        turn = np.stack([-R[:, 1, 2], R[:, 0, 2], np.zeros(len(R))], axis=1)
    return np.concatenate([apart, turn], axis=1)[:, list(loop.holds)]


def _rates(tree: Tree, q: Floats, X_IB: Floats, loop: Constraint) -> Floats:
    if isinstance(loop, JointCoupling):
        row = np.zeros((len(q), 1, tree.n_u))
        row[:, 0, tree.velocities[loop.follower].start] = 1.0
        if loop.leader >= 0:
            row[:, 0, tree.velocities[loop.leader].start] -= _polynomials(q, tree, loop)[1]
        return row
    first, second = _frames(X_IB, loop)
    meeting = second[:, :3, 3]
    difference = _carry(tree, q, X_IB, loop.bodies[1], meeting) - _carry(
        tree, q, X_IB, loop.bodies[0], meeting
    )
    turned = np.swapaxes(first[:, :3, :3], 1, 2)[:, None] @ difference.reshape(len(q), 2, 3, -1)
    return np.asarray(turned.reshape(len(q), 6, -1)[:, list(loop.holds)])


def _place(X_IB: Floats, body: int, p_I: Floats) -> Floats:
    """(S, 3) point of the inertial frame in the frame of a body."""
    own = X_IB[:, body]
    return np.asarray(np.einsum("sji,sj->si", own[:, :3, :3], p_I - own[:, :3, 3]))


def _carry(tree: Tree, q: Floats, X_IB: Floats, body: int, p_I: Floats) -> Floats:
    """(S, 6, n_u) Jacobian of a body at points of the inertial frame."""
    if body == INERTIAL_FRAME:
        return np.zeros((len(q), 6, tree.n_u))
    return np.asarray(jacobian(tree, q, body, _place(X_IB, body, p_I)))


def _drift(tree: Tree, q: Floats, u: Floats, X_IB: Floats, loop: Constraint) -> Floats:
    """Rate of the constraint's velocity at zero acceleration.

    With v = R_1^T (d' - w_1 x d) and d = p_2 - p_1, at the frames' own origins:
    v' = R_1^T (d'' - w_1' x d - 2 w_1 x d' + w_1 x (w_1 x d)).
    """
    if isinstance(loop, JointCoupling):
        if loop.leader < 0:
            return np.zeros((len(q), 1))
        rate = u[:, tree.velocities[loop.leader].start]
        return np.asarray(-_polynomials(q, tree, loop)[2] * rate**2)[:, None]
    first, second = _frames(X_IB, loop)
    motions = []
    for body, frame in zip(loop.bodies, (first, second), strict=True):
        if body == INERTIAL_FRAME:
            motions.append((np.zeros((len(q), 6)), np.zeros((len(q), 6))))
            continue
        point = _place(X_IB, body, frame[:, :3, 3])
        J = np.asarray(jacobian(tree, q, body, point))
        dJ = np.asarray(jacobian_derivative(tree, q, u, body, point))
        motions.append((np.einsum("sij,sj->si", J, u), np.einsum("sij,sj->si", dJ, u)))
    (velocity_1, rate_1), (velocity_2, rate_2) = motions
    d = second[:, :3, 3] - first[:, :3, 3]
    dd, w_1 = velocity_2[:, :3] - velocity_1[:, :3], velocity_1[:, 3:]
    linear = rate_2[:, :3] - rate_1[:, :3] - np.cross(rate_1[:, 3:], d) - 2 * np.cross(w_1, dd)
    linear += np.cross(w_1, np.cross(w_1, d))
    angular = rate_2[:, 3:] - rate_1[:, 3:] - np.cross(w_1, velocity_2[:, 3:])
    turned = np.einsum(
        "sji,skj->ski", first[:, :3, :3], np.stack([linear, angular], axis=1)
    ).reshape(len(q), 6)
    return np.asarray(turned[:, list(loop.holds)])
