"""Momenta of a whole tree at unit velocities, compiled."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.dynamics._compiled.layout import FLOATING, Layout, States
from inertial_check.dynamics._compiled.matrices import MOMENT, twists_and_wrenches
from inertial_check.dynamics._compiled.places import POSITION, make_scratch, scratch_of
from inertial_check.dynamics._compiled.vectors import (
    Index,
    K,
    U,
    compile_loop,
    compile_part,
    cross,
    load,
    minus,
    plus,
    store,
    times,
)


@compile_loop
def centroidal_momenta(
    tree: Layout, states: States, roots: Integers, shifts: Floats, out: Floats
) -> None:
    """Write angular momenta about S and linear ones at unit velocities into (k, 6, n_u).

    Args:
        tree: The tree.
        states: The configurations.
        roots: (N,) place in shifts of each body's root.
        shifts: (roots, 3, k) the origins of each root's positions, from that of the first body's.
        out: Array to write into.
    """
    bodies, count, n_u = len(tree.order), states.q.shape[1], tree.moves.shape[0]
    S, center, total = make_scratch(bodies), np.empty(3 * K), tree.theta[:, 0].sum()
    twists, wrenches = np.empty(n_u * 6 * K), np.empty(n_u * 6 * K)
    masses = tree.theta[:, 0].copy()
    for place in range(bodies - 1, -1, -1):
        body = tree.order[place]
        if tree.parents[body] < bodies:
            masses[tree.parents[body]] += masses[body]
    for start in range(0, count, K):
        stop = min(start + K, count)
        m = U(stop - start)
        twists_and_wrenches(tree, states, start, stop, S, (twists, wrenches))
        center[:] = 0
        for body in range(bodies):
            if tree.parents[body] == bodies:
                shift = shifts[roots[body], :, start:stop]
                add_moment(masses[body] / total, 1 / total, scratch_of(body), shift, S, center)
        for body in range(bodies):
            shift, first = shifts[roots[body], :, start:stop], tree.in_u[body]
            size = 6 if tree.joints[body] == FLOATING else min(tree.joints[body], 1)
            for j in range(first, first + size):
                see_from_center(U(6 * j * K), m, center, shift, wrenches)
        for k in range(start, stop):
            for row in range(6):
                for j in range(n_u):
                    out[k, row, j] = wrenches[U((6 * j + row) * K + k - start)]


@compile_part
def add_moment(
    share: float, rate: float, own: Index, shift: Floats, S: Floats, center: Floats
) -> None:
    """Add to S what the bodies of a root contribute: share p + rate h."""
    for k in range(U(shift.shape[1])):
        p = plus(load(S, own + k + POSITION), (shift[0, k], shift[1, k], shift[2, k]))
        part = plus(times(share, p), times(rate, load(S, own + k + MOMENT)))
        store(center, U(0) + k, plus(load(center, U(0) + k), part))


@compile_part
def see_from_center(at: Index, m: Index, center: Floats, shift: Floats, wrenches: Floats) -> None:
    """Turn a momentum about the root into the one about S."""
    for k in range(m):
        arm = minus(load(center, U(0) + k), (shift[0, k], shift[1, k], shift[2, k]))
        moved = cross(arm, load(wrenches, at + k + U(3 * K)))
        store(wrenches, at + k, minus(load(wrenches, at + k), moved))
