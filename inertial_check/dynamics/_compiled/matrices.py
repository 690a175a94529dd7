"""Mass matrices by composite bodies, compiled.

Rows of a body's scratch numbers, beside its pose in I: 12 first moment, 15 and 18 second moment
(diagonal, and beside it), all about Jo in the axes of I, of the body with all that it carries.
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
    load,
    load_columns,
    minus,
    plus,
    store,
    symmetric,
    times,
    turn,
)

MOMENT, DIAGONAL, BESIDE = U(12 * K), U(15 * K), U(18 * K)


@compile_loop
def mass_matrix(tree: Layout, states: States, out: Floats) -> None:
    """Write M into (k, n_u, n_u)."""
    bodies, count, n_u = len(tree.order), states.q.shape[1], tree.moves.shape[0]
    S, row = make_scratch(bodies), np.empty(n_u * K)
    twists, wrenches = np.empty(n_u * 6 * K), np.empty(n_u * 6 * K)
    for start in range(0, count, K):
        stop = min(start + K, count)
        out[start:stop] = 0
        twists_and_wrenches(tree, states, start, stop, S, (twists, wrenches))
        for body in range(bodies):
            size = 6 if tree.joints[body] == FLOATING else min(tree.joints[body], 1)
            first = tree.in_u[body]
            for j in range(first, first + size):
                for i in range(n_u):
                    if tree.moves[i, body] and not j < i < first + size:
                        multiply(i, j, U(stop - start), twists, wrenches, row)
                for k in range(start, stop):
                    for i in range(n_u):
                        if tree.moves[i, body] and not j < i < first + size:
                            out[k, i, j] = out[k, j, i] = row[U(i * K + k - start)]


@compile_part
def multiply(i: int, j: int, m: Index, twists: Floats, wrenches: Floats, out: Floats) -> None:
    """Write what a velocity i gets of the wrench of a unit of j."""
    one, two, place = U(6 * i * K), U(6 * j * K), U(i * K)
    for k in range(m):
        turning = dot_rows(twists, one + k, wrenches, two + k)
        moving = dot_rows(twists, one + k + U(3 * K), wrenches, two + k + U(3 * K))
        out[place + k] = turning + moving


@compile_part
def dot_rows(a: Floats, at: Index, b: Floats, there: Index) -> float:
    """The product of a vector of each of two arrays."""
    u, v = load(a, at), load(b, there)
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@compile_part
def twists_and_wrenches(
    tree: Layout,
    states: States,
    start: int,
    stop: int,
    S: Floats,
    out: tuple[Floats, Floats],
) -> None:
    """Write the twist of each velocity at 1, and what gives it to all that the body carries."""
    bodies, m, masses = len(tree.order), U(stop - start), tree.theta[:, 0].copy()
    place_all(tree, states, start, stop, S)
    for body in range(bodies):
        compose(tree.theta[body], scratch_of(body), m, S)
    for place in range(bodies - 1, -1, -1):
        body = tree.order[place]
        own, parent, mass = scratch_of(body), tree.parents[body], masses[body]
        at, joint = U(6 * tree.in_u[body] * K), tree.joints[body]
        if joint in (REVOLUTE, PRISMATIC):
            take_axis(joint, mass, own, m, S, at, out)
        elif joint == FLOATING:
            take_all(mass, own, m, S, at, out)
        if parent < bodies:
            masses[parent] += mass
            join(mass, scratch_of(parent), own, m, S)


@compile_part
def compose(theta: Floats, own: Index, m: Index, S: Floats) -> None:
    """Write the first and second moment of a body alone."""
    h, half = (theta[1], theta[2], theta[3]), (theta[4] + theta[7] + theta[9]) / 2
    diagonal = half - theta[4], half - theta[7], half - theta[9]
    second = symmetric(diagonal, (-theta[8], -theta[6], -theta[5]))
    for k in range(m):
        R = load_columns(S, own + k)
        turned = turn(R, second)
        store(S, own + k + MOMENT, combine(R, h))
        store(S, own + k + DIAGONAL, turned[0])
        store(S, own + k + BESIDE, turned[1])


@compile_part
def join(mass: float, parent: Index, own: Index, m: Index, S: Floats) -> None:
    """Add the moments of a body and all that it carries to those of its parent."""
    for k in range(m):
        r = minus(load(S, own + k + POSITION), load(S, parent + k + POSITION))
        h, moved = load(S, own + k + MOMENT), times(mass, r)
        half = plus(h, times(0.5, moved))
        (a, b, c), (x, y, z) = half, r
        diagonal = 2 * a * x, 2 * b * y, 2 * c * z
        beside = b * z + c * y, a * z + c * x, a * y + b * x
        for at, more in (
            (MOMENT, plus(h, moved)),
            (DIAGONAL, plus(load(S, own + k + DIAGONAL), diagonal)),
            (BESIDE, plus(load(S, own + k + BESIDE), beside)),
        ):
            store(S, parent + k + at, plus(load(S, parent + k + at), more))


@compile_part
def take_axis(  # noqa: PLR0913, PLR0917 - the quantities of one step
    joint: int,
    mass: float,
    own: Index,
    m: Index,
    S: Floats,
    at: Index,
    out: tuple[Floats, Floats],
) -> None:
    """Write the twist and the wrench of a joint with one axis."""
    for k in range(m):
        axis, p, h = (
            load(S, own + k + U(6 * K)),
            load(S, own + k + POSITION),
            load(S, own + k + MOMENT),
        )
        if joint == REVOLUTE:
            second = symmetric(load(S, own + k + DIAGONAL), load(S, own + k + BESIDE))
            write_turn(axis, p, (h, second), at + k, out)
        else:
            write_slide(axis, p, (mass, h), at + k, out)


@compile_part
def take_all(
    mass: float, own: Index, m: Index, S: Floats, at: Index, out: tuple[Floats, Floats]
) -> None:
    """Write the twists and wrenches of a floating joint."""
    for k in range(m):
        R, p, h = load_columns(S, own + k), load(S, own + k + POSITION), load(S, own + k + MOMENT)
        second = symmetric(load(S, own + k + DIAGONAL), load(S, own + k + BESIDE))
        write_slide((1.0, 0.0, 0.0), p, (mass, h), at + k, out)
        write_slide((0.0, 1.0, 0.0), p, (mass, h), at + k + U(6 * K), out)
        write_slide((0.0, 0.0, 1.0), p, (mass, h), at + k + U(12 * K), out)
        write_turn(R[0], p, (h, second), at + k + U(18 * K), out)
        write_turn(R[1], p, (h, second), at + k + U(24 * K), out)
        write_turn(R[2], p, (h, second), at + k + U(30 * K), out)


@compile_part
def write_turn(
    axis: Vector,
    p: Vector,
    moments: tuple[Vector, Columns],
    at: Index,
    out: tuple[Floats, Floats],
) -> None:
    """Write the twist of a turn about an axis, and the wrench that it takes, about the root."""
    h, S = moments
    force = cross(axis, h)
    moment = minus(times(S[0][0] + S[1][1] + S[2][2], axis), combine(S, axis))
    store(out[0], at, axis)
    store(out[0], at + U(3 * K), cross(p, axis))
    store(out[1], at, plus(moment, cross(p, force)))
    store(out[1], at + U(3 * K), force)


@compile_part
def write_slide(
    axis: Vector,
    p: Vector,
    moments: tuple[float, Vector],
    at: Index,
    out: tuple[Floats, Floats],
) -> None:
    """Write the twist of a slide along an axis, and the wrench that it takes."""
    mass, h = moments
    force = times(mass, axis)
    store(out[0], at, (0.0, 0.0, 0.0))
    store(out[0], at + U(3 * K), axis)
    store(out[1], at, plus(cross(h, axis), cross(p, force)))
    store(out[1], at + U(3 * K), force)
