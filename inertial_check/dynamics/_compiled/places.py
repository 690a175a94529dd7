"""Poses of joint frames: in those of their parents, and in the axes of I.

Rows of a body's scratch numbers: 0-8 the columns of the rotation matrix, 9-11 the position.
"""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics._compiled.layout import FLOATING, REVOLUTE, Layout, States
from inertial_check.dynamics._compiled.vectors import (
    Columns,
    Index,
    K,
    U,
    Vector,
    combine,
    compile_part,
    load,
    load_columns,
    plus,
    store,
    store_columns,
    times,
)

ROWS = 48
"""Scratch numbers of a body and configuration, at most."""

POSITION = U(9 * K)


@compile_part
def make_scratch(bodies: int) -> Floats:
    """Numbers of all bodies for a block of configurations; the last is the frame I, at rest."""
    S = np.zeros((bodies + 1) * ROWS * K)
    for k in range(K):
        for i in range(3):
            S[bodies * ROWS * K + 4 * i * K + k] = 1
    return S


@compile_part
def scratch_of(body: int) -> Index:
    """Where the numbers of a body begin."""
    return U(body * ROWS * K)


@compile_part
def read_pose(X: Floats) -> tuple[Columns, Vector]:
    """The columns of the rotation matrix, and the position, of a matrix 4x4."""
    x, y, z = (X[0, 0], X[1, 0], X[2, 0]), (X[0, 1], X[1, 1], X[2, 1]), (X[0, 2], X[1, 2], X[2, 2])
    return (x, y, z), (X[0, 3], X[1, 3], X[2, 3])


@compile_part
def locate(tree: Layout, states: States, body: int, start: int, stop: int, S: Floats) -> None:
    """Write the pose of a joint frame in that of its parent; of a floating body R_IB, at rest."""
    (x, y, z), r = read_pose(tree.X_PJ[body])
    own, m = scratch_of(body), U(stop - start)
    row = tree.in_q[body]
    if tree.joints[body] == REVOLUTE:
        sines, cosines = states.sines[row, start:stop], states.cosines[row, start:stop]
        for k in range(m):
            s, c = sines[k], cosines[k]
            turned = plus(times(c, x), times(s, y)), plus(times(c, y), times(-s, x)), z
            store_columns(S, own + k, turned)
            store(S, own + k + POSITION, r)
    elif tree.joints[body] == FLOATING:
        for i in range(9):
            entries, place = states.R[row + i, start:stop], own + U(i * K)
            for k in range(m):
                S[place + k] = entries[k]
        for k in range(m):
            store(S, own + k + POSITION, (0.0, 0.0, 0.0))
    else:
        q = states.q[row, start:stop]
        for k in range(m):
            store_columns(S, own + k, (x, y, z))
            store(S, own + k + POSITION, plus(r, times(q[k], z)))


@compile_part
def lift(parent: Index, own: Index, m: Index, S: Floats) -> None:
    """Turn the pose of a joint frame into the axes of I, with the position from the root."""
    for k in range(m):
        R = load_columns(S, parent + k)
        r = combine(R, load(S, own + k + POSITION))
        (x, y, z) = load_columns(S, own + k)
        store_columns(S, own + k, (combine(R, x), combine(R, y), combine(R, z)))
        store(S, own + k + POSITION, plus(load(S, parent + k + POSITION), r))


@compile_part
def place_all(tree: Layout, states: States, start: int, stop: int, S: Floats) -> None:
    """Write the poses of all joint frames in the axes of I, positions from the roots."""
    for body in tree.order:
        locate(tree, states, body, start, stop, S)
        if tree.joints[body] != FLOATING:
            parent = scratch_of(tree.parents[body])
            lift(parent, scratch_of(body), U(stop - start), S)
