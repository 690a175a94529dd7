"""Derivatives of a weighted sum of a regressor's entries with the motion, in one pass.

The sum is that of all torques, each with parameters of its own. Its derivatives are found as by
reverse differentiation: forces are collected from the leaves to the root, and what the sum is
multiplied by goes from the root to the leaves. One pass takes as long as a few regressors, for any
number of joints, where differences take four regressors for each joint.

All is in joint frames J, with the axis of the joint as z. Twists are (angular velocity, velocity of
Jo), wrenches (moment about Jo, force); the transform X of a joint turns by dX/dq t = (X t) x S,
with its unit twist S (Featherstone, Rigid Body Dynamics Algorithms, 2008).
"""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.tree import INERTIAL_FRAME, Tree
from inertial_check.identification.excitation.fourier import Motion
from inertial_check.inertia.frames import transform

_AXIS = {"revolute": 2, "prismatic": 5}
"""Place of a joint's velocity in the twist."""

_BY_Z = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
"""Vector product of a vector with z."""


def _follow_axis() -> dict[str, Floats]:
    """Build matrices (6, 6) of t x S for twists t, by the type of the joint."""
    both, none = np.zeros((2, 6, 6))
    both[:3, :3] = both[3:, 3:] = _BY_Z
    none[3:, :3] = _BY_Z
    return {"revolute": both, "prismatic": none}


_TIMES_AXIS = _follow_axis()


def _build_wrenches() -> Floats:
    """Build (15, 60): the wrench (6, 10) of each parameter, of a, alpha and w w^T of the body."""
    levi = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        levi[i, j, k], levi[i, k, j] = 1.0, -1.0
    one = np.eye(3)
    found = np.zeros((15, 6, 10))
    found[:3, 3:, 0] = one  # a mass takes the force a
    found[:3, :3, 1:4] = np.einsum("akb->bak", levi)  # a first moment the moment e x a
    found[3:6, 3:, 1:4] = np.einsum("abk->bak", levi)  # and the force alpha x e
    centrifugal = np.einsum("ab,kc->bcak", one, one) - np.einsum("ak,bc->bcak", one, one)
    found[6:, 3:, 1:4] = centrifugal.reshape(9, 3, 3)  # and w x (w x e)
    for place, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)), start=4):
        for x, y in {(i, j), (j, i)}:
            found[3 + y, x, place] += 1.0  # an inertia takes x (y . alpha)
            found[6:, :3, place].reshape(3, 3, 3)[:, y] += levi[:, :, x].T  # and w x (x (y . w))
    return found.reshape(15, 60)


_WRENCHES = _build_wrenches()


class RegressorSlope:
    """Derivatives of sums of a regressor's entries with the motion.

    Args:
        tree: The robot, of fixed, revolute and prismatic joints.
        gravity: (3,) in the axes of I [m/s^2].
    """

    def __init__(self, tree: Tree, gravity: Floats) -> None:
        self._tree = tree
        self._ground = np.concatenate([np.zeros(3), -np.asarray(gravity, dtype=np.float64)])
        units = np.broadcast_to(np.eye(10), (len(tree), 10, 10))
        moved = transform(units, tree.X_JB[:, None])
        self._to_joint = np.asarray(moved)  # (N, 10, 10): rows of a body's ten, about Jo

    def differentiate(self, motion: Motion, weights: Floats) -> Floats:
        """Differentiate the sum of a regressor times weights.

        Args:
            motion: (S, n) each.
            weights: (S, n, N, 10) what each entry is multiplied by.

        Returns:
            (3, S, n) derivatives with q, u and du.
        """
        tree, (q, u, du) = self._tree, motion
        X, V, A, T, W, C = ({} for _ in range(6))
        V[INERTIAL_FRAME] = np.zeros((len(q), 6))
        T[INERTIAL_FRAME] = np.zeros((len(q), 6, tree.n_u))
        A[INERTIAL_FRAME] = np.broadcast_to(self._ground, (len(q), 6))
        for body in tree.order:
            parent, place = int(tree.parents[body]), tree.velocities[body].start
            X[body] = self._place(body, q)
            V[body], A[body] = _turn(X[body], V[parent]), _turn(X[body], A[parent])
            T[body] = X[body] @ T[parent]
            if tree.joints[body] in _AXIS:
                axis = _AXIS[tree.joints[body]]
                V[body][:, axis] += u[:, place]
                A[body] += (V[body] @ _TIMES_AXIS[tree.joints[body]].T) * u[:, [place]]
                A[body][:, axis] += du[:, place]
                T[body][:, axis, place] = 1.0
            W[body] = weights[:, :, body] @ self._to_joint[body]
            wrenches = (_list_features(V[body], A[body]) @ _WRENCHES).reshape(-1, 6, 10)
            C[body] = wrenches @ np.swapaxes(W[body], 1, 2)
        return self._go_back(motion, (X, V, A, T, W, C))

    def _go_back(self, motion: Motion, found: tuple[dict[int, Floats], ...]) -> Floats:
        """Go from the leaves to the root."""
        tree, (X, V, A, T, W, C) = self._tree, found
        u, slopes = motion[1], np.zeros((3, *motion[0].shape))
        over_V, over_A = ({body: np.zeros_like(V[body]) for body in V} for _ in range(2))
        for body in reversed(tree.order):
            parent, place = int(tree.parents[body]), tree.velocities[body].start
            self._count_body(V[body], T[body] @ W[body], over_V[body], over_A[body])
            if tree.joints[body] in _AXIS:
                times, axis = _TIMES_AXIS[tree.joints[body]], _AXIS[tree.joints[body]]
                own_V, own_A = over_V[body], over_A[body]
                slopes[2, :, place] = own_A[:, axis]
                slopes[1, :, place] = np.sum(own_A * (V[body] @ times.T), axis=1)
                own_V += (own_A @ times) * u[:, [place]]
                slopes[1, :, place] += own_V[:, axis]
                slopes[0, :, place] = (
                    np.sum(own_A * (_turn(X[body], A[parent]) @ times.T), axis=1)
                    + np.sum(own_V * (V[body] @ times.T), axis=1)
                    + np.sum(np.matmul(times, T[body]) * C[body], axis=(1, 2))
                )
            if parent != INERTIAL_FRAME:
                back = np.swapaxes(X[body], 1, 2)
                C[parent] += back @ C[body]
                over_V[parent] += _turn(back, over_V[body])
                over_A[parent] += _turn(back, over_A[body])
        return slopes

    def _count_body(self, V: Floats, sums: Floats, over_V: Floats, over_A: Floats) -> None:
        """Add the derivatives of a body's own wrench, times sums (S, 6, 10), with its motion."""
        c = sums.reshape(len(V), 60) @ _WRENCHES.T
        a, quadratic, (w, v) = c[:, :3], c[:, 6:].reshape(-1, 3, 3), (V[:, :3], V[:, 3:])
        over_A[:, :3] += c[:, 3:6]
        over_A[:, 3:] += a
        both = quadratic + np.swapaxes(quadratic, 1, 2)
        over_V[:, :3] += _turn(both, w) + np.cross(v, a)
        over_V[:, 3:] += np.cross(a, w)

    def _place(self, body: int, q: Floats) -> Floats:
        """Build the transform (S, 6, 6) of twists, from the joint frame above to that of a body."""
        tree = self._tree
        R, r = np.broadcast_to(tree.X_PJ[body, :3, :3], (len(q), 3, 3)), tree.X_PJ[body, :3, 3]
        own = q[:, tree.velocities[body]]
        if tree.joints[body] == "revolute":
            turn = np.zeros((len(q), 3, 3))
            turn[:, 0, 0] = turn[:, 1, 1] = np.cos(own[:, 0])
            turn[:, 1, 0] = np.sin(own[:, 0])
            turn[:, 0, 1] = -turn[:, 1, 0]
            turn[:, 2, 2] = 1.0
            R = R @ turn
        elif tree.joints[body] == "prismatic":
            r = r + own * tree.X_PJ[body, :3, 2]
        back = np.swapaxes(R, 1, 2)
        X = np.zeros((len(q), 6, 6))
        X[:, :3, :3] = X[:, 3:, 3:] = back
        lever = np.zeros((*r.shape[:-1], 3, 3))
        lever[..., 0, 1], lever[..., 0, 2], lever[..., 1, 2] = r[..., 2], -r[..., 1], r[..., 0]
        X[:, 3:, :3] = back @ (lever - np.swapaxes(lever, -1, -2))  # w x r of a velocity w
        return X


def _turn(X: Floats, vectors: Floats) -> Floats:
    """Multiply vectors (S, k) by matrices (S, k, k)."""
    return np.asarray(np.matmul(X, vectors[..., None])[..., 0])


def _list_features(V: Floats, A: Floats) -> Floats:
    """List what wrenches are linear in (S, 15): a of Jo, alpha, w w^T."""
    w = V[:, :3]
    a = A[:, 3:] + np.cross(w, V[:, 3:])
    squares = (w[:, :, None] * w[:, None]).reshape(-1, 9)
    return np.concatenate([a, A[:, :3], squares], axis=1)
