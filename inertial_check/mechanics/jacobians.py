"""Poses of bodies; Jacobians of their points, with time derivatives and Hessians.

A point Q is fixed in a body B at p_BoQ_B. Its Jacobian J = [J_P; J_R] maps u to its velocity and to
the angular velocity of B, both in the axes of the inertial frame I. Source: "Sheet": Kindr Cheat
Sheet, eqs. 9-18.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import jacobians as kinematics
>>> from inertial_check.mechanics.tree import Tree
>>> rod = [[2.0, 0, 0, -1.0, 0.7, 0, 0, 0.7, 0, 0.01]]  # hangs 0.5 m below a hinge about y
>>> pendulum = Tree(["rod"], [-1], ["revolute"], [np.eye(4)], [[0, 1, 0]], rod)

Coordinates and velocities of a tree: dq = F(q) u, u = F-bar(q) dq, and steps of finite time.

Source: "Sheet": Kindr Cheat Sheet, "Generalized Coordinates of a Floating-Base System".

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import jacobians as coordinates
>>> from inertial_check.mechanics.tree import Tree
>>> ball = [[2.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1]]
>>> free = Tree(["ball"], [-1], ["floating"], [np.eye(4)], [[0, 0, 1]], ball)
>>> q = [0, 0, 1.0, 1.0, 0, 0, 0]  # 1 m up; the quaternion of no turn
>>> u = [0.5, 0, 0, 0, 0, 2.0]  # along x, and about z
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.errors import expect
from inertial_check.inertia.arrays import Array, ArrayLike, quiet, real_arrays
from inertial_check.inertia.frames import rotate_vector
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
from inertial_check.mechanics.kinematics import integrate, rate_map
from inertial_check.mechanics.kinematics import rates as rates_of
from inertial_check.mechanics.tree import Tree


@quiet
def coordinate_rates(tree: Tree, q: ArrayLike, u: ArrayLike) -> Array:
    """dq/dt = F(q) u (Sheet, "Generalized Coordinates": F = diag(1, H^T / 2, 1)).

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        u: (..., n_u) velocities.

    Returns:
        (..., n_q).

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> print(coordinates.coordinate_rates(free, q, u))  # seven rates of six velocities
        [0.5 0.  0.  0.  0.  0.  1. ]
    """
    real_arrays(u=u)
    expect(Tree, tree=tree)

    def work(chunk: Chunk) -> Array:
        parts = []
        for body, joint in enumerate(tree.joints):
            rates = chunk.u[tree.velocities[body]]
            if joint == "floating":
                q_IB, w_IB_B = _rows(chunk, chunk.q[tree.coordinates[body]][3:], rates[3:])
                parts += [rates[:3], rates_of(q_IB, w_IB_B, "quaternion", "B").T]
            elif joint != "fixed":
                parts.append(rates)
        return _stack(chunk, parts)

    return Batch(tree, q, u).map(work)


@quiet
def velocities_from_rates(tree: Tree, q: ArrayLike, dq: ArrayLike) -> Array:
    """Velocities u = F-bar(q) dq/dt (Sheet, "Generalized Coordinates": F-bar = diag(1, 2 H, 1)).

    F-bar is the left inverse of F of coordinate_rates: F-bar F = 1. A part of the rate of a
    quaternion along the quaternion itself, as in a difference of two, changes no direction and
    drops out.

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        dq: (..., n_q) their time derivatives.

    Returns:
        (..., n_u) velocities.

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> print(coordinates.velocities_from_rates(free, q, [0.5, 0, 0, 0, 0, 0, 1.0]))
        [0.5 0.  0.  0.  0.  2. ]
    """
    expect(Tree, tree=tree)

    def work(chunk: Chunk) -> Array:
        parts = []
        for body, joint in enumerate(tree.joints):
            place = tree.coordinates[body]
            rates = chunk.beside["dq"][place]
            if joint == "floating":
                q_IB, dq_IB = _rows(chunk, chunk.q[place][3:], rates[3:])
                w_IB_B = rotate_vector(chunk.xp, rate_map(q_IB, "quaternion", "B"), dq_IB)
                parts += [rates[:3], w_IB_B.T]
            elif joint != "fixed":
                parts.append(rates)
        return _stack(chunk, parts)

    return Batch(tree, q, dq=(dq, (tree.n_q,))).map(work)


@quiet
def move(tree: Tree, q: ArrayLike, step: ArrayLike) -> Array:
    """The configuration after a constant u has acted for a time t, with step = u t.

    Positions and joints add; a quaternion q_IB becomes q_IB exp(w_IB_B t) (Sheet, "Discrete
    integration").

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        step: (..., n_u) velocities times time.

    Returns:
        (..., n_q).

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> print(coordinates.move(free, q, [0.5, 0, 0, 0, 0, np.pi]).round(9) + 0.0)
        [0.5 0.  1.  0.  0.  0.  1. ]
    """
    expect(Tree, tree=tree)

    def work(chunk: Chunk) -> Array:
        parts = []
        for body, joint in enumerate(tree.joints):
            now, change = (
                chunk.q[tree.coordinates[body]],
                chunk.beside["step"][tree.velocities[body]],
            )
            if joint == "floating":
                q_IB, turn = _rows(chunk, now[3:], change[3:])
                parts += [now[:3] + change[:3], integrate(q_IB, turn, 1.0, "B").T]
            elif joint != "fixed":
                parts.append(now + change)
        return _stack(chunk, parts)

    return Batch(tree, q, step=(step, (tree.n_u,))).map(work)


def _stack(chunk: Chunk, parts: list[Array]) -> Array:
    whole = chunk.xp.concat(parts, axis=0) if parts else chunk.zeros(0)
    return configurations_first(chunk.xp, whole)


def _rows(chunk: Chunk, a: Array, b: Array) -> tuple[Array, Array]:
    return configurations_first(chunk.xp, a), configurations_first(chunk.xp, b)


_LAST_ROW = np.array([[0.0, 0.0, 0.0, 1.0]])


class _Lever(NamedTuple):
    """One velocity at 1, seen from the point Q.

    Attributes:
        turn: (3, k) angular velocity.
        push: (3, k) velocity of Q.
        body: To which the velocity belongs.
        rides: Whether its axis turns with its own and with earlier velocities: not so where it is
            an axis of I.
    """

    turn: Array
    push: Array
    body: int
    rides: bool


@quiet
def poses(tree: Tree, q: ArrayLike) -> Array:
    """(..., N, 4, 4) poses X_IB of all bodies, mapping points of B to I [m].

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> print(kinematics.poses(pendulum, [np.pi / 2])[0].round(9) + 0.0)
        [[ 0.  0.  1.  0.]
         [ 0.  1.  0.  0.]
         [-1.  0.  0.  0.]
         [ 0.  0.  0.  1.]]
    """

    def work(chunk: Chunk) -> Array:
        xp, found = chunk.xp, dict(walk(tree, chunk))
        starts, last = root_positions(tree, chunk), chunk.zeros(1, 4)
        last = last + chunk.constant(_LAST_ROW)[..., None]
        matrices = []
        for body in range(len(tree)):
            frame = body_frame(tree, chunk, body, found[body])
            p = (frame.p + starts[body])[:, None]
            matrices.append(xp.concat([xp.concat([frame.R, p], axis=1), last], axis=0))
        return configurations_first(xp, xp.stack(matrices))

    return Batch(tree, q).map(work)


@quiet
def jacobian(
    tree: Tree, q: ArrayLike, body: int | str, p_BoQ_B: ArrayLike = (0.0, 0.0, 0.0)
) -> Array:
    """J = [J_P; J_R] of a point Q of a body: [v_IQ_I; w_IB_I] = J u (Sheet, eqs. 10, 13 and 14).

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        body: Index or name of the body B.
        p_BoQ_B: (3,) or (..., 3) where Q is fixed in B [m]; leading axes broadcast with q.

    Returns:
        (..., 6, n_u).

    Raises:
        ParameterError: No such body, shapes that do not fit, a quaternion not of length 1.

    Example:
        >>> # The tip hangs 1 m below the hinge: it moves along -x
        >>> print(kinematics.jacobian(pendulum, [0.0], "rod", [0, 0, -1.0])[:, 0] + 0.0)
        [-1.  0.  0.  0.  1.  0.]
    """
    expect(Tree, tree=tree)
    index = tree.index(body)

    def work(chunk: Chunk) -> Array:
        levers = _levers(tree, chunk, index)
        none = chunk.zeros(6)
        both = {i: chunk.xp.concat([each.push, each.turn], axis=0) for i, each in levers.items()}
        return _matrix(chunk, [both.get(i, none) for i in range(tree.n_u)])

    return Batch(tree, q, p_BoQ_B=(p_BoQ_B, (3,))).map(work)


@quiet
def jacobian_derivative(
    tree: Tree, q: ArrayLike, u: ArrayLike, body: int | str, p_BoQ_B: ArrayLike = (0.0, 0.0, 0.0)
) -> Array:
    """dJ/dt of a point Q of a body while the tree moves with u (Sheet, eq. 18).

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        u: (..., n_u) velocities.
        body: Index or name of the body B.
        p_BoQ_B: (3,) or (..., 3) where Q is fixed in B [m]; leading axes broadcast with q.

    Returns:
        (..., 6, n_u): [dv; dw] = J du + dJ/dt u.

    Raises:
        ParameterError: No such body, shapes that do not fit, a quaternion not of length 1.

    Example:
        >>> # At 2 rad/s the tip is pulled up with w^2 r, of which dJ/dt is one w
        >>> dJ = kinematics.jacobian_derivative(pendulum, [0.0], [2.0], "rod", [0, 0, -1.0])
        >>> print(dJ[:, 0] + 0.0)
        [0. 0. 2. 0. 0. 0.]
    """
    real_arrays(u=u)
    expect(Tree, tree=tree)
    index = tree.index(body)

    def work(chunk: Chunk) -> Array:
        levers = _levers(tree, chunk, index)
        found = []
        for i in range(tree.n_u):
            total = chunk.zeros(6)
            for j in levers if i in levers else ():
                total = total + _second(tree, chunk, levers, i, j) * chunk.u[j]
            found.append(total)
        return _matrix(chunk, found)

    return Batch(tree, q, u, p_BoQ_B=(p_BoQ_B, (3,))).map(work)


@quiet
def hessian(
    tree: Tree, q: ArrayLike, body: int | str, p_BoQ_B: ArrayLike = (0.0, 0.0, 0.0)
) -> Array:
    """H[..., i, j], the derivative of column i of J along velocity j (Sheet, eqs. 15 and 16).

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        body: Index or name of the body B.
        p_BoQ_B: (3,) or (..., 3) where Q is fixed in B [m]; leading axes broadcast with q.

    Returns:
        (..., 6, n_u, n_u). Symmetric in i and j only where all velocities are rates of coordinates;
        the angular velocity of a floating body is none.

    Raises:
        ParameterError: No such body, shapes that do not fit, a quaternion not of length 1.

    Example:
        >>> print(kinematics.hessian(pendulum, [0.0], "rod", [0, 0, -1.0])[:, 0, 0] + 0.0)
        [0. 0. 1. 0. 0. 0.]
    """
    expect(Tree, tree=tree)
    index = tree.index(body)

    def work(chunk: Chunk) -> Array:
        xp = chunk.xp
        levers = _levers(tree, chunk, index)
        none = chunk.zeros(6)
        rows = [
            xp.stack(
                [
                    _second(tree, chunk, levers, i, j) if i in levers and j in levers else none
                    for j in range(tree.n_u)
                ],
                axis=1,
            )
            for i in range(tree.n_u)
        ]
        whole = xp.stack(rows, axis=1) if rows else chunk.zeros(6, 0, 0)
        return configurations_first(xp, whole)

    return Batch(tree, q, p_BoQ_B=(p_BoQ_B, (3,))).map(work)


def _levers(tree: Tree, chunk: Chunk, body: int) -> dict[int, _Lever]:
    """The velocities that move Q, by their places in u, from the root on."""
    frames: dict[int, Frame] = dict(walk(tree, chunk))
    frame = body_frame(tree, chunk, body, frames[body])
    Q = frame.p + apply(frame.R, chunk.beside["p_BoQ_B"])
    found: dict[int, _Lever] = {}
    for carrier in list_carriers(tree, body):
        frame, place = frames[carrier], tree.velocities[carrier]
        for index, column in enumerate(columns(tree, chunk, carrier, frame), start=place.start):
            if column.turns:
                push = cross(chunk.xp, column.axis, Q - frame.p)
                found[index] = _Lever(column.axis, push, carrier, True)
            else:
                none, rides = chunk.zeros(3), tree.joints[carrier] != "floating"
                found[index] = _Lever(none, column.axis, carrier, rides)
    return found


def _second(tree: Tree, chunk: Chunk, levers: dict[int, _Lever], i: int, j: int) -> Array:
    """(6, k) derivative of column i along velocity j, both of which move Q (Sheet, eq. 15)."""
    xp, first, other = chunk.xp, levers[i], levers[j]
    if not first.rides:
        return chunk.zeros(6)
    places = list(levers)
    if other.body == first.body or places.index(j) < places.index(i):
        parts = [cross(xp, other.turn, first.push), cross(xp, other.turn, first.turn)]
        return xp.concat(parts, axis=0)
    return xp.concat([cross(xp, first.turn, other.push), chunk.zeros(3)], axis=0)


def _matrix(chunk: Chunk, found: list[Array]) -> Array:
    whole = chunk.xp.stack(found, axis=1) if found else chunk.zeros(6, 0)
    return configurations_first(chunk.xp, whole)
