"""Regressors, compiled: the wrenches of unit parameters, times the twists of the velocities.

Rows of a body's scratch numbers are those of motions; poses in I have scratch numbers of their own.
"""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.dynamics._compiled.layout import FLOATING, PRISMATIC, REVOLUTE, Layout, States
from inertial_check.dynamics._compiled.motions import PUSH, SPIN, SWING, carry, drive
from inertial_check.dynamics._compiled.places import (
    POSITION,
    locate,
    make_scratch,
    place_all,
    read_pose,
    scratch_of,
)
from inertial_check.dynamics._compiled.vectors import (
    Columns,
    Index,
    K,
    U,
    Vector,
    combine,
    compile_loop,
    compile_part,
    cross,
    load,
    load_columns,
    plus,
    project,
    store,
)

UNIT = U(6 * K)
"""Distance of the wrenches of two parameters of a body."""


@compile_loop
def regressor(
    tree: Layout, states: States, gravity: Floats, positions: Integers, out: Floats
) -> None:
    """Write Y into (k, n_u, 10 N), each body's parameters at these positions."""
    bodies, count, n_u = len(tree.order), states.q.shape[1], tree.moves.shape[0]
    S, frames, units = make_scratch(bodies), make_scratch(bodies), np.empty(60 * K)
    twists, wrenches = np.zeros(n_u * 6 * K), np.empty(K * bodies * 60)
    for k in range(K):
        still = -gravity[0], -gravity[1], -gravity[2]
        store(S, scratch_of(bodies) + PUSH + U(k), still)
    for start in range(0, count, K):
        stop = min(start + K, count)
        m = U(stop - start)
        place_all(tree, states, start, stop, frames)
        for body in tree.order:
            own = scratch_of(body)
            locate(tree, states, body, start, stop, S)
            carry(scratch_of(tree.parents[body]), own, m, S)
            drive(tree, states, body, start, stop, S)
            write_units(tree.X_JB[body], own, m, S, frames, units)
            write_twists(tree.joints[body], own, m, frames, U(6 * tree.in_u[body] * K), twists)
            for k in range(stop - start):
                first = (k * bodies + body) * 60
                for row in range(6):
                    for column in range(10):
                        at = (6 * positions[column] + row) * K + k
                        wrenches[first + 10 * row + column] = units[at]
        for k in range(start, stop):
            for i in range(n_u):
                multiply(tree, i, k - start, twists, wrenches, out[k, i])


@compile_part
def multiply(tree: Layout, i: int, k: int, twists: Floats, wrenches: Floats, out: Floats) -> None:
    """Write the row of a velocity: zero for the parameters of bodies that it does not move."""
    bodies = len(tree.order)
    at = U(6 * i * K + k)
    turning, moving = load(twists, at), load(twists, at + U(3 * K))
    for body in range(bodies):
        place, to = U((k * bodies + body) * 60), U(10 * body)
        if tree.moves[i, body]:
            for column in range(U(10)):
                W = place + column
                one = turning[0] * wrenches[W] + turning[1] * wrenches[W + U(10)]
                two = turning[2] * wrenches[W + U(20)] + moving[0] * wrenches[W + U(30)]
                three = moving[1] * wrenches[W + U(40)] + moving[2] * wrenches[W + U(50)]
                out[to + column] = one + two + three
        else:
            out[10 * body : 10 * body + 10] = 0


@compile_part
def write_twists(joint: int, own: Index, m: Index, S: Floats, at: Index, out: Floats) -> None:
    """Write the twists of a joint's velocities, about the root in the axes of I."""
    for k in range(m):
        (x, y, z), p = load_columns(S, own + k), load(S, own + k + POSITION)
        if joint == REVOLUTE:
            store(out, at + k, z)
            store(out, at + k + U(3 * K), cross(p, z))
        elif joint == PRISMATIC:
            store(out, at + k + U(3 * K), z)
        elif joint == FLOATING:
            slides = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
            for i, slide, turn in zip(range(3), slides, (x, y, z)):  # noqa: B905 - not compiled
                there = at + k + U(6 * i * K)
                store(out, there + U(3 * K), slide)
                store(out, there + U(18 * K), turn)
                store(out, there + U(21 * K), cross(p, turn))


@compile_part
def write_units(X_JB: Floats, own: Index, m: Index, S: Floats, frames: Floats, out: Floats) -> None:
    """Write the wrench, about the root in the axes of I, of each of a body's parameters at 1."""
    local, r = read_pose(X_JB)
    for k in range(m):
        w, alpha = load(S, own + k + SPIN), load(S, own + k + SWING)
        a = plus(load(S, own + k + PUSH), plus(cross(alpha, r), cross(w, cross(w, r))))
        w, alpha, a = project(local, w), project(local, alpha), project(local, a)
        R_IJ = load_columns(frames, own + k)
        R = combine(R_IJ, local[0]), combine(R_IJ, local[1]), combine(R_IJ, local[2])
        p = plus(load(frames, own + k + POSITION), combine(R_IJ, r))
        write_of_mass(R, p, (w, alpha, a), U(k), out)
        write_of_inertia(R, (w, alpha), UNIT * U(4) + k, out)


@compile_part
def write_of_mass(R: Columns, p: Vector, motion: Columns, at: Index, out: Floats) -> None:
    """Write what the mass and the first moment take; the motion is that of Bo, in the axes of B."""
    (wx, wy, wz), (x, y, z), a = motion
    write_wrench(R, p, ((0.0, 0.0, 0.0), a), at, out)
    force = -(wy * wy + wz * wz), wx * wy + z, wx * wz - y
    write_wrench(R, p, ((0.0, -a[2], a[1]), force), at + UNIT, out)
    force = wx * wy - z, -(wx * wx + wz * wz), wy * wz + x
    write_wrench(R, p, ((a[2], 0.0, -a[0]), force), at + UNIT * U(2), out)
    force = wx * wz + y, wy * wz - x, -(wx * wx + wy * wy)
    write_wrench(R, p, ((-a[1], a[0], 0.0), force), at + UNIT * U(3), out)


@compile_part
def write_wrench(
    R: Columns, p: Vector, wrench: tuple[Vector, Vector], at: Index, out: Floats
) -> None:
    """Write a moment about Bo and a force in the axes of B, as one about the root in those of I."""
    force = combine(R, wrench[1])
    store(out, at, plus(combine(R, wrench[0]), cross(p, force)))
    store(out, at + U(3 * K), force)


@compile_part
def write_of_inertia(R: Columns, turning: tuple[Vector, Vector], at: Index, out: Floats) -> None:
    """Write the moments I alpha + w x I w of each entry of the rotational inertia; no forces."""
    (wx, wy, wz), (x, y, z) = turning
    none, step = (0.0, 0.0, 0.0), UNIT
    store(out, at, combine(R, (x, wx * wz, -wx * wy)))
    store(out, at + step, combine(R, (y - wx * wz, x + wy * wz, wx * wx - wy * wy)))
    store(out, at + step * U(2), combine(R, (z + wx * wy, wz * wz - wx * wx, x - wy * wz)))
    store(out, at + step * U(3), combine(R, (-wy * wz, y, wx * wy)))
    store(out, at + step * U(4), combine(R, (wy * wy - wz * wz, z - wx * wy, y + wx * wz)))
    store(out, at + step * U(5), combine(R, (wy * wz, -wx * wz, z)))
    for i in range(6):
        store(out, at + step * U(i) + U(3 * K), none)
