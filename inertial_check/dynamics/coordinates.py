"""Coordinates and velocities of a tree: dq = F(q) u, u = F-bar(q) dq, and steps of finite time.

Source: "Sheet": Kindr Cheat Sheet, "Generalized Coordinates of a Floating-Base System".

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.dynamics import coordinates
>>> from inertial_check.dynamics.tree import Tree
>>> ball = [[2.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1]]
>>> free = Tree(["ball"], [-1], ["floating"], [np.eye(4)], [[0, 0, 1]], ball)
>>> q = [0, 0, 1.0, 1.0, 0, 0, 0]  # 1 m up; the quaternion of no turn
>>> u = [0.5, 0, 0, 0, 0, 2.0]  # along x, and about z
"""

from __future__ import annotations

from inertial_check.arrays.broadcasting import quiet, real_arrays
from inertial_check.arrays.types import Array, ArrayLike
from inertial_check.dynamics._batches import Batch, Chunk, configurations_first
from inertial_check.dynamics.tree import Tree
from inertial_check.errors import expect
from inertial_check.inertia.frames import rotate_vector
from inertial_check.spatial.kinematics import integrate, rate_map
from inertial_check.spatial.kinematics import rates as rates_of


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
