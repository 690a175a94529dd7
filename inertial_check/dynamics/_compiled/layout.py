"""A tree, and configurations of it, as the arrays of numbers that compiled loops run over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Integers, Mask
from inertial_check.dynamics._batches import Chunk
from inertial_check.dynamics.tree import JOINT_TYPES, Tree
from inertial_check.spatial.rotations import matrix_from_quaternion

FIXED, REVOLUTE, PRISMATIC, FLOATING = (JOINT_TYPES.index(name) for name in JOINT_TYPES)


class Layout(NamedTuple):
    """A tree as arrays.

    Attributes:
        order: (N,) bodies, parents before children.
        parents: (N,) N for the inertial frame, so that no index is negative.
        joints: (N,) type of each joint, its place in tree.JOINT_TYPES.
        in_q: (N,) row of each joint in the arrays of States: of q, or of the first entry of R.
        in_u: (N,) first velocity of each joint.
        X_PJ: (N, 4, 4) joint frames at q = 0.
        X_JB: (N, 4, 4) bodies in their joint frames.
        theta: (N, 10) about the origins of the joint frames, in their axes.
        moves: (n_u, N) whether a velocity moves a body.
    """

    order: Integers
    parents: Integers
    joints: Integers
    in_q: Integers
    in_u: Integers
    X_PJ: Floats
    X_JB: Floats
    theta: Floats
    moves: Mask


class States(NamedTuple):
    """Configurations, last axis of all arrays.

    Attributes:
        q: (n + 1, k) coordinates of joints with an axis, and a row of zeros for fixed joints.
        sines: (n + 1, k) of them.
        cosines: (n + 1, k) of them.
        R: (9 F, k) rotation matrices R_IB of the F floating bodies, one column after another.
        u: (n_u, k) velocities; (0, k) for zero.
        du: (n_u, k) their derivatives; (0, k) for zero u.
    """

    q: Floats
    sines: Floats
    cosines: Floats
    R: Floats
    u: Floats
    du: Floats


def lay_out(tree: Tree, chunk: Chunk) -> Layout:
    """The tree, with the parameters of a chunk that are the same for all configurations."""
    count = len(tree)
    joints = np.array([JOINT_TYPES.index(joint) for joint in tree.joints], dtype=np.intp)
    angles = np.cumsum((joints == REVOLUTE) | (joints == PRISMATIC))
    in_q = np.where(joints == FIXED, angles[-1] if count else 0, angles - 1)
    in_q[joints == FLOATING] = 9 * np.arange(np.sum(joints == FLOATING))
    moves = np.zeros((tree.n_u, count), bool)
    for body, moving in enumerate(tree.columns):
        moves[list(moving), body] = True
    return Layout(
        np.array(tree.order, dtype=np.intp),
        np.where(tree.parents < 0, count, tree.parents),
        joints,
        in_q,
        np.array([place.start for place in tree.velocities], dtype=np.intp),
        np.array(tree.X_PJ, order="C"),
        np.array(tree.X_JB, order="C"),
        np.array(chunk.theta[..., 0], order="C"),
        moves,
    )


def read_states(tree: Tree, chunk: Chunk) -> States:
    """The configurations of a chunk."""
    rows, R = [], []
    for joint, place in zip(tree.joints, tree.coordinates, strict=True):
        if joint in ("revolute", "prismatic"):
            rows.append(chunk.q[place.start])
        elif joint == "floating":
            matrices = np.asarray(matrix_from_quaternion(chunk.q[place.start + 3 : place.stop].T))
            R += list(matrices.transpose(2, 1, 0).reshape(9, chunk.count))
    q = np.array([*rows, np.zeros(chunk.count)])
    none = np.zeros((0, chunk.count))
    u = none if chunk.u is None else np.array(chunk.u, order="C")
    du = np.zeros(u.shape) if chunk.du is None else np.array(chunk.du, order="C")
    turns = np.array(R) if R else none
    return States(q, np.sin(q), np.cos(q), turns, u, du)
