"""Recursive Newton-Euler, in the axes of the joint frames, compiled.

Rows of a body's scratch numbers, beside the pose in its parent: 12 angular velocity, 15 angular
acceleration, 18 acceleration of Jo, 21 moment about Jo, 24 force.
"""

from __future__ import annotations

from inertial_check.arrays.types import Floats
from inertial_check.dynamics._compiled.layout import FLOATING, PRISMATIC, REVOLUTE, Layout, States
from inertial_check.dynamics._compiled.places import POSITION, locate, make_scratch, scratch_of
from inertial_check.dynamics._compiled.vectors import (
    Index,
    K,
    U,
    combine,
    compile_loop,
    compile_part,
    cross,
    load,
    load_columns,
    plus,
    project,
    store,
    symmetric,
    times,
)

SPIN, SWING, PUSH, MOMENT, FORCE = U(12 * K), U(15 * K), U(18 * K), U(21 * K), U(24 * K)


@compile_loop
def newton_euler(tree: Layout, states: States, gravity: Floats, out: Floats) -> None:
    """Write tau = M du + b + g into (n_u, k)."""
    bodies, count = len(tree.order), states.q.shape[1]
    moving = states.u.shape[0] > 0
    S = make_scratch(bodies)
    for k in range(K):
        still = -gravity[0], -gravity[1], -gravity[2]
        store(S, scratch_of(bodies) + PUSH + U(k), still)
    for start in range(0, count, K):
        stop = min(start + K, count)
        m = U(stop - start)
        for body in tree.order:
            parent, own = scratch_of(tree.parents[body]), scratch_of(body)
            locate(tree, states, body, start, stop, S)
            if moving:
                carry(parent, own, m, S)
                drive(tree, states, body, start, stop, S)
                weigh(tree.theta[body], own, m, S)
            else:
                hold(tree.theta[body], parent, own, m, S)
        for place in range(bodies - 1, -1, -1):
            body = tree.order[place]
            read_joint(tree, body, start, stop, S, out)
            if tree.parents[body] < bodies:
                pass_on(scratch_of(tree.parents[body]), scratch_of(body), m, S)


@compile_part
def carry(parent: Index, own: Index, m: Index, S: Floats) -> None:
    """Write the motion that a joint frame has from its parent."""
    for k in range(m):
        R, r = load_columns(S, own + k), load(S, own + k + POSITION)
        w, alpha = load(S, parent + k + SPIN), load(S, parent + k + SWING)
        swing = plus(cross(alpha, r), cross(w, cross(w, r)))
        store(S, own + k + SPIN, project(R, w))
        store(S, own + k + SWING, project(R, alpha))
        store(S, own + k + PUSH, project(R, plus(load(S, parent + k + PUSH), swing)))


@compile_part
def drive(tree: Layout, states: States, body: int, start: int, stop: int, S: Floats) -> None:
    """Add what the joint of a body does to its motion."""
    joint, row = tree.joints[body], tree.in_u[body]
    own, m = scratch_of(body), U(stop - start)
    if joint == REVOLUTE:
        u, du = states.u[row, start:stop], states.du[row, start:stop]
        for k in range(m):
            w, alpha = load(S, own + k + SPIN), load(S, own + k + SWING)
            swing = alpha[0] + w[1] * u[k], alpha[1] - w[0] * u[k], alpha[2] + du[k]
            store(S, own + k + SWING, swing)
            store(S, own + k + SPIN, (w[0], w[1], w[2] + u[k]))
    elif joint == PRISMATIC:
        u, du = states.u[row, start:stop], states.du[row, start:stop]
        for k in range(m):
            w, a = load(S, own + k + SPIN), load(S, own + k + PUSH)
            coriolis = 2 * w[1] * u[k], -2 * w[0] * u[k], du[k]
            store(S, own + k + PUSH, plus(a, coriolis))
    elif joint == FLOATING:
        rates, slopes = states.u[row : row + 6, start:stop], states.du[row : row + 6, start:stop]
        for k in range(m):
            R, a = load_columns(S, own + k), load(S, own + k + PUSH)
            push = slopes[0, k], slopes[1, k], slopes[2, k]
            store(S, own + k + PUSH, plus(a, project(R, push)))
            store(S, own + k + SPIN, (rates[3, k], rates[4, k], rates[5, k]))
            store(S, own + k + SWING, (slopes[3, k], slopes[4, k], slopes[5, k]))


@compile_part
def weigh(theta: Floats, own: Index, m: Index, S: Floats) -> None:
    """Write the wrench that a body's motion takes."""
    mass, h = theta[0], (theta[1], theta[2], theta[3])
    inertia = symmetric((theta[4], theta[7], theta[9]), (theta[8], theta[6], theta[5]))
    for k in range(m):
        w, alpha = load(S, own + k + SPIN), load(S, own + k + SWING)
        a = load(S, own + k + PUSH)
        force = plus(times(mass, a), plus(cross(alpha, h), cross(w, cross(w, h))))
        spin = plus(combine(inertia, alpha), cross(w, combine(inertia, w)))
        store(S, own + k + MOMENT, plus(cross(h, a), spin))
        store(S, own + k + FORCE, force)


@compile_part
def hold(theta: Floats, parent: Index, own: Index, m: Index, S: Floats) -> None:
    """Write the acceleration of a body at rest, against gravity, and the wrench that it takes."""
    mass, h = theta[0], (theta[1], theta[2], theta[3])
    for k in range(m):
        a = project(load_columns(S, own + k), load(S, parent + k + PUSH))
        store(S, own + k + PUSH, a)
        store(S, own + k + MOMENT, cross(h, a))
        store(S, own + k + FORCE, times(mass, a))


@compile_part
def read_joint(tree: Layout, body: int, start: int, stop: int, S: Floats, out: Floats) -> None:
    """Write the forces of a joint: the parts of the wrench along its velocities."""
    joint, row, own, m = tree.joints[body], tree.in_u[body], scratch_of(body), U(stop - start)
    if joint in (REVOLUTE, PRISMATIC):
        place = own + (MOMENT if joint == REVOLUTE else FORCE) + U(2 * K)
        tau = out[row, start:stop]
        for k in range(m):
            tau[k] = S[place + k]
    elif joint == FLOATING:
        six = out[row : row + 6, start:stop]
        for k in range(m):
            force = combine(load_columns(S, own + k), load(S, own + k + FORCE))
            moment = load(S, own + k + MOMENT)
            six[0, k], six[1, k], six[2, k] = force
            six[3, k], six[4, k], six[5, k] = moment


@compile_part
def pass_on(parent: Index, own: Index, m: Index, S: Floats) -> None:
    """Add the wrench of a body to that of its parent, about its Jo and in its axes."""
    for k in range(m):
        R, r = load_columns(S, own + k), load(S, own + k + POSITION)
        force = combine(R, load(S, own + k + FORCE))
        moment = plus(combine(R, load(S, own + k + MOMENT)), cross(r, force))
        store(S, parent + k + MOMENT, plus(load(S, parent + k + MOMENT), moment))
        store(S, parent + k + FORCE, plus(load(S, parent + k + FORCE), force))
