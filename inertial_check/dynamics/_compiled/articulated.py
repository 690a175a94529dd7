"""Forward dynamics by articulated bodies, compiled.

Rows of a body's scratch numbers, beside its pose in I, with the letters of `forward`: 12 and 15 A
(diagonal, and beside it), 18 the columns of B, 27 and 30 C, 33 moment, 36 force; of its joint 39
and 42 the moment and the force at a unit acceleration, 45 inertia and rest; in the end 12 angular
acceleration, 15 acceleration of Jo.
"""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics._compiled.layout import FLOATING, PRISMATIC, REVOLUTE, Layout, States
from inertial_check.dynamics._compiled.places import POSITION, make_scratch, place_all, scratch_of
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
    dot,
    load,
    load_columns,
    minus,
    plus,
    project,
    store,
    store_columns,
    symmetric,
    times,
    turn,
)

AXIS, A, B, C = U(6 * K), U(12 * K), U(18 * K), U(27 * K)
MOMENT, FORCE, TURNING, MOVING = U(33 * K), U(36 * K), U(39 * K), U(42 * K)
INERTIA, REST = U(45 * K), U(46 * K)
SWING, PUSH = U(12 * K), U(15 * K)
BESIDE = U(3 * K)
"""Distance of the entries beside the diagonal of a symmetric matrix from those on it."""


@compile_loop
def solve_mass_matrix(tree: Layout, states: States, tau: Floats, floor: float, out: Floats) -> bool:
    """Write M^-1 tau into (n_u, k); False where a joint moves nothing that has inertia.

    An inertia of the floor times the largest entry that it is computed from counts as none.
    """
    bodies, count = len(tree.order), states.q.shape[1]
    S = make_scratch(bodies)
    for start in range(0, count, K):
        stop = min(start + K, count)
        m = U(stop - start)
        place_all(tree, states, start, stop, S)
        for body in tree.order:
            compose(tree.theta[body], scratch_of(body), m, S)
        for place in range(bodies - 1, -1, -1):
            body = tree.order[place]
            parent, own = tree.parents[body], scratch_of(body)
            joint, row = tree.joints[body], tree.in_u[body]
            if joint in (REVOLUTE, PRISMATIC):
                if not give_way(joint, own, m, S, tau[row, start:stop], floor):
                    return False
            elif joint == FLOATING and not let_float(own, m, S, tau[row : row + 6, start:stop]):
                return False
            if parent < bodies:
                join(scratch_of(parent), own, m, S)
        for body in tree.order:
            parent, own = scratch_of(tree.parents[body]), scratch_of(body)
            accelerate(tree, body, parent, own, S, out[:, start:stop])
    return True


@compile_part
def compose(theta: Floats, own: Index, m: Index, S: Floats) -> None:
    """Write a rigid body alone."""
    mass, h = theta[0], (theta[1], theta[2], theta[3])
    inertia = symmetric((theta[4], theta[7], theta[9]), (theta[8], theta[6], theta[5]))
    none = (0.0, 0.0, 0.0)
    for k in range(m):
        R = load_columns(S, own + k)
        diagonal, beside = turn(R, inertia)
        x, y, z = combine(R, h)
        store(S, own + k + A, diagonal)
        store(S, own + k + A + BESIDE, beside)
        store_columns(S, own + k + B, ((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)))
        store(S, own + k + C, (mass, mass, mass))
        store(S, own + k + C + BESIDE, none)
        store(S, own + k + MOMENT, none)
        store(S, own + k + FORCE, none)


@compile_part
def load_symmetric(S: Floats, at: Index) -> Columns:
    """Read a symmetric matrix of a configuration."""
    return symmetric(load(S, at), load(S, at + BESIDE))


@compile_part
def largest(M: Columns) -> float:
    """The largest magnitude of the entries of a symmetric matrix."""
    along = max(abs(M[0][0]), abs(M[1][1]), abs(M[2][2]))
    return max(along, abs(M[0][1]), abs(M[0][2]), abs(M[1][2]))


@compile_part
def give_way(joint: int, own: Index, m: Index, S: Floats, tau: Floats, floor: float) -> bool:
    """Take from an articulated body what its joint gives way to; False where nothing resists."""
    fine = True
    for k in range(m):
        at = own + k
        a, b, c = load_symmetric(S, at + A), load_columns(S, at + B), load_symmetric(S, at + C)
        axis, moment, force = load(S, at + AXIS), load(S, at + MOMENT), load(S, at + FORCE)
        if joint == REVOLUTE:
            turning, moving = combine(a, axis), project(b, axis)
            inertia, rest, size = dot(axis, turning), tau[k] - dot(axis, moment), largest(a)
        else:
            turning, moving = combine(b, axis), combine(c, axis)
            inertia, rest, size = dot(axis, moving), tau[k] - dot(axis, force), largest(c)
        fine = fine and abs(inertia) > floor * size
        store(S, at + TURNING, turning)
        store(S, at + MOVING, moving)
        S[at + INERTIA] = inertia
        S[at + REST] = rest
        one, two = times(1 / inertia, turning), times(1 / inertia, moving)
        store(S, at + MOMENT, plus(moment, times(rest, one)))
        store(S, at + FORCE, plus(force, times(rest, two)))
        take_square(S, at + A, one, turning)
        take_square(S, at + C, two, moving)
        x, y, z = times(moving[0], one), times(moving[1], one), times(moving[2], one)
        store_columns(S, at + B, (minus(b[0], x), minus(b[1], y), minus(b[2], z)))
    return fine


@compile_part
def take_square(S: Floats, at: Index, a: Vector, b: Vector) -> None:
    """Subtract a b^T, which is symmetric, from a symmetric matrix."""
    diagonal = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    beside = a[1] * b[2], a[0] * b[2], a[0] * b[1]
    store(S, at, minus(load(S, at), diagonal))
    store(S, at + BESIDE, minus(load(S, at + BESIDE), beside))


@compile_part
def join(parent: Index, own: Index, m: Index, S: Floats) -> None:
    """Add an articulated body to its parent, about the point of that."""
    for k in range(m):
        at, to = own + k, parent + k
        r = minus(load(S, at + POSITION), load(S, to + POSITION))
        b, c = load_columns(S, at + B), load_symmetric(S, at + C)
        x, y, z = (
            plus(b[0], cross(r, c[0])),
            plus(b[1], cross(r, c[1])),
            plus(b[2], cross(r, c[2])),
        )
        # The rows of B and of B + r^ C, whose cross products with r are A's part of both.
        rows = (b[0][0], b[1][0], b[2][0]), (b[0][1], b[1][1], b[2][1]), (b[0][2], b[1][2], b[2][2])
        one, two, three = cross(r, rows[0]), cross(r, rows[1]), cross(r, rows[2])
        u = cross((x[0], y[0], z[0]), r)
        v = cross((x[1], y[1], z[1]), r)
        w = cross((x[2], y[2], z[2]), r)
        diagonal = one[0] - u[0], two[1] - v[1], three[2] - w[2]
        beside = three[1] - v[2], three[0] - u[2], two[0] - u[1]
        force = load(S, at + FORCE)
        add(S, to + A, plus(load(S, at + A), diagonal))
        add(S, to + A + BESIDE, plus(load(S, at + A + BESIDE), beside))
        add(S, to + B, x)
        add(S, to + B + U(3 * K), y)
        add(S, to + B + U(6 * K), z)
        add(S, to + C, load(S, at + C))
        add(S, to + C + BESIDE, load(S, at + C + BESIDE))
        add(S, to + MOMENT, plus(load(S, at + MOMENT), cross(r, force)))
        add(S, to + FORCE, force)


@compile_part
def add(S: Floats, at: Index, v: Vector) -> None:
    """Add to a vector of a configuration."""
    store(S, at, plus(load(S, at), v))


@compile_part
def let_float(own: Index, m: Index, S: Floats, tau: Floats) -> bool:
    """Write the accelerations of a floating body; False where it has no inertia."""
    M = np.empty((6, 7))
    for k in range(m):
        at = own + k
        R, a = load_columns(S, at), load_symmetric(S, at + A)
        b, c = load_columns(S, at + B), load_symmetric(S, at + C)
        push = minus((tau[0, k], tau[1, k], tau[2, k]), load(S, at + FORCE))
        moment = combine(R, (tau[3, k], tau[4, k], tau[5, k]))
        swing = minus(moment, load(S, at + MOMENT))
        mass, inertia = (c[0][0] + c[1][1] + c[2][2]) / 3, (a[0][0] + a[1][1] + a[2][2]) / 3
        if not (mass > 0 and inertia > 0):
            return False
        for i in range(3):
            for j in range(3):
                M[i, j], M[3 + i, 3 + j] = c[j][i], a[j][i]
                M[3 + i, j] = M[j, 3 + i] = b[j][i]
            M[i, 6], M[3 + i, 6] = push[i], swing[i]
        # Lengths in units of the radius of gyration, so that the solution does not depend on it.
        one, two = 1 / np.sqrt(mass), 1 / np.sqrt(inertia)
        for i in range(6):
            s = one if i < 3 else two
            for j in range(7):
                M[i, j] *= s * (one if j < 3 else two if j < 6 else 1.0)
        if not eliminate(M):
            return False
        store(S, at + PUSH, (one * M[0, 6], one * M[1, 6], one * M[2, 6]))
        store(S, at + SWING, (two * M[3, 6], two * M[4, 6], two * M[5, 6]))
    return True


@compile_part
def eliminate(M: Floats) -> bool:
    """Solve six equations in place, the right side last, with pivots; False where singular."""
    for i in range(6):
        best = i
        for row in range(i + 1, 6):
            if abs(M[row, i]) > abs(M[best, i]):
                best = row
        if M[best, i] == 0:
            return False
        for j in range(7):
            M[i, j], M[best, j] = M[best, j], M[i, j]
        for row in range(i + 1, 6):
            factor = M[row, i] / M[i, i]
            for j in range(i + 1, 7):
                M[row, j] -= factor * M[i, j]
    for i in range(5, -1, -1):
        for j in range(i + 1, 6):
            M[i, 6] -= M[i, j] * M[j, 6]
        M[i, 6] /= M[i, i]
    return True


@compile_part
def accelerate(tree: Layout, body: int, parent: Index, own: Index, S: Floats, out: Floats) -> None:
    """Write the accelerations of a joint and of its body."""
    joint, row, m = tree.joints[body], tree.in_u[body], U(out.shape[1])
    if joint == FLOATING:
        six = out[row : row + 6]
        for k in range(m):
            six[0, k], six[1, k], six[2, k] = load(S, own + k + PUSH)
            swing = project(load_columns(S, own + k), load(S, own + k + SWING))
            six[3, k], six[4, k], six[5, k] = swing
        return
    for k in range(m):
        at, to = own + k, parent + k
        r = minus(load(S, at + POSITION), load(S, to + POSITION))
        alpha = load(S, to + SWING)
        store(S, at + PUSH, plus(load(S, to + PUSH), cross(alpha, r)))
        store(S, at + SWING, alpha)
    if joint in (REVOLUTE, PRISMATIC):
        rates, place = out[row], SWING if joint == REVOLUTE else PUSH
        for k in range(m):
            at = own + k
            taken = dot(load(S, at + TURNING), load(S, at + SWING))
            taken += dot(load(S, at + MOVING), load(S, at + PUSH))
            rates[k] = (S[at + REST] - taken) / S[at + INERTIA]
            add(S, at + place, times(rates[k], load(S, at + AXIS)))
