"""Accelerations of a tree under given forces: du = M^-1 (tau - b - g), by articulated bodies.

An articulated body is a body with all that it carries, whose joints give way. Its inertia is a
symmetric 6x6 matrix [[A, B], [B^T, C]]: at an acceleration [alpha; a] it takes the moment
A alpha + B a about the origin of its joint frame, and the force B^T alpha + C a, all in the axes of
I. Source: "RBDA": Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import forward
>>> from inertial_check.mechanics.tree import Tree
>>> rod = [[2.0, 0, 0, -1.0, 0.7, 0, 0, 0.7, 0, 0.01]]  # hangs 0.5 m below a hinge about y
>>> pendulum = Tree(["rod"], [-1], ["revolute"], [np.eye(4)], [[0, 1, 0]], rod)

Articulated bodies of forward dynamics, in NumPy and other array libraries.

An articulated body is a body with all that it carries, whose joints give way; see `forward`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    Namespace,
    constant_like,
    expect_shape,
    first_index,
    quiet,
    real_arrays,
)
from inertial_check.mechanics.added_mass import transform_added_mass
from inertial_check.mechanics.batches import (
    Batch,
    Chunk,
    Column,
    Frame,
    apply,
    apply_transpose,
    columns,
    configurations_first,
    configurations_last,
    cross,
    multiply_transpose,
    outer,
    product,
    symmetric,
    walk,
)
from inertial_check.mechanics.equations import GRAVITY, inverse_dynamics
from inertial_check.mechanics.tree import INERTIAL_FRAME, Tree


class Articulated(NamedTuple):
    """An articulated body about Jo, and the wrench that its joints' forces bring it.

    Attributes:
        A: (3, 3, k) moments of angular accelerations.
        B: (3, 3, k) moments of linear accelerations.
        C: (3, 3, k) forces of linear accelerations.
        moment: (3, k) about Jo.
        force: (3, k).
    """

    A: Array
    B: Array
    C: Array
    moment: Array
    force: Array


class Part(NamedTuple):
    """Joint terms of an articulated body, for one axis of its joint.

    Attributes:
        turning: (3, k) moment about Jo at a unit acceleration.
        moving: (3, k) force at a unit acceleration.
        inertia: (k,) along the axis itself.
        rest: (k,) force along the axis that the bodies behind it leave.
    """

    turning: Array
    moving: Array
    inertia: Array
    rest: Array


def compose_rigid(chunk: Chunk, body: int, frame: Frame) -> Articulated:
    """A rigid body alone, about Jo in the axes of I."""
    xp, theta = chunk.xp, chunk.theta[body]
    mass, h = theta[0], apply(frame.R, theta[1:4]) + chunk.zeros(3)
    inertia = product(frame.R, symmetric(xp, theta[4:]))
    none = xp.zeros_like(h[0])
    B = xp.stack(
        [
            xp.stack([none, -h[2], h[1]]),
            xp.stack([h[2], none, -h[0]]),
            xp.stack([-h[1], h[0], none]),
        ]
    )
    C = chunk.constant(np.eye(3))[..., None] * (mass + none)
    return Articulated(multiply_transpose(inertia, frame.R), B, C, chunk.zeros(3), chunk.zeros(3))


def add_fluid(tree: Tree, chunk: Chunk, body: int, frame: Frame, rigid: Articulated) -> Articulated:
    """A body with the added mass of the fluid around it."""
    X_JB = tree.X_JB[body].tolist()  # follows the library of the fluid's numbers
    added = transform_added_mass(tree.added_mass[body], X_JB, order="linear-angular")
    blocks = added[:3, :3], added[3:, :3], added[3:, 3:]
    C, B, A = (constant_like(chunk.xp, block, frame.R)[..., None] for block in blocks)
    C, B, A = (multiply_transpose(product(frame.R, each), frame.R) for each in (C, B, A))
    return rigid._replace(A=rigid.A + A, B=rigid.B + B, C=rigid.C + C)


def join_articulated(xp: Namespace, P: Articulated, body: Articulated, r: Array) -> Articulated:
    """An articulated body P with another one whose point Jo is at r from that of P."""
    C = body.C
    coupling = body.B + transpose(xp, cross(xp, r, transpose(xp, C)))
    # r^ B^T and (B + r^ C) r^, row by row: a^ of a column is a cross product.
    lifted = transpose(xp, cross(xp, r, body.B))
    return Articulated(
        P.A + body.A + lifted - cross(xp, coupling, r),
        P.B + coupling,
        P.C + C,
        P.moment + body.moment + cross(xp, r, body.force),
        P.force + body.force,
    )


def dot(a: Array, b: Array) -> Array:
    """(k,) of (3, k)."""
    both = a * b
    return both[0] + both[1] + both[2]


def transpose(xp: Namespace, M: Array) -> Array:
    """(3, 3, k) with rows and columns exchanged."""
    return xp.moveaxis(M, 0, 1)


@quiet
def forward_dynamics(
    tree: Tree,
    q: ArrayLike,
    u: ArrayLike,
    tau: ArrayLike,
    *,
    gravity: ArrayLike = GRAVITY,
    theta: ArrayLike | None = None,
) -> Array:
    """Du with M(q) du + b(q, u) + g(q) = tau, by the articulated-body algorithm (RBDA, 7.3).

    The time grows with the number of bodies; M is not formed. The added mass of a fluid is
    included. Forces at points of bodies are added
    to tau by `forces.generalized_forces`, contact forces by `forces.contact_forces`.

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        u: (..., n_u) velocities.
        tau: (..., n_u) forces and torques of the joints [N] or [N m]; 0 for those that give way.
        gravity: (3,) in the axes of I [m/s^2].
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (..., n_u) time derivatives of the velocities, leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1, a joint whose
            motion has no inertia.

    Example:
        >>> # Let go when level: -m g c / I
        >>> print(forward.forward_dynamics(pendulum, [np.pi / 2], [0.0], [0.0]).round(6))
        [-14.014286]
    """
    expect(Tree, tree=tree)
    xp, (u, tau) = real_arrays(u=u, tau=tau)
    expect_shape("u", u, tree.n_u)
    expect_shape("tau", tau, tree.n_u)
    held = inverse_dynamics(tree, q, u, xp.zeros_like(u), gravity=gravity, theta=theta)
    return solve_mass_matrix(tree, q, tau - held, theta=theta)


@quiet
def solve_mass_matrix(
    tree: Tree, q: ArrayLike, tau: ArrayLike, *, theta: ArrayLike | None = None
) -> Array:
    """M(q)^-1 tau, by articulated bodies: the accelerations that forces add (RBDA, 7.3).

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        tau: (..., n_u) forces and torques [N] or [N m].
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (..., n_u), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1, a joint whose
            motion has no inertia.

    Example:
        >>> # 1.4 N m / 0.7 kg m^2
        >>> print(forward.solve_mass_matrix(pendulum, [0.0], [1.4]).round(9))
        [2.]
    """
    expect(Tree, tree=tree)
    batch = Batch(tree, q, theta=theta, tau=(tau, (tree.n_u,)))

    def work(chunk: Chunk) -> Array:
        frames = dict(walk(tree, chunk))
        found: dict[int, Array] = {}
        solved = _fold(tree, chunk, frames)
        accelerations: dict[int, tuple[Array, Array]] = {}
        for body in tree.order:
            step = solved[body]
            if step.free is not None:
                a, alpha = step.free[:3], step.free[3:]
                # The rates of its velocities v_IBo_I and w_IB_B.
                own = apply_transpose(frames[body].R, alpha)
                six = (half[i] for half in (a, own) for i in range(3))
                found |= zip(step.places, six, strict=True)
                accelerations[body] = alpha, a
                continue
            parent = int(tree.parents[body])
            alpha, a = accelerations.get(parent, (chunk.zeros(3), chunk.zeros(3)))
            if parent != INERTIAL_FRAME:
                a = a + cross(chunk.xp, alpha, frames[body].p - frames[parent].p)
            for place, column, part in zip(step.places, step.columns, step.parts, strict=True):
                rate = part.rest - dot(part.turning, alpha) - dot(part.moving, a)
                found[place] = rate / part.inertia
                if column.turns:
                    alpha = alpha + found[place] * column.axis
                else:
                    a = a + found[place] * column.axis
            accelerations[body] = alpha, a
        rows = [found[place] for place in range(tree.n_u)]
        whole = chunk.xp.stack(rows) if rows else chunk.zeros(0)
        return configurations_first(chunk.xp, whole)

    return batch.map(work)


class _Step(NamedTuple):
    """A joint after the pass from the leaves.

    Attributes:
        places: Of its velocities in u.
        columns: Of a joint with one axis.
        parts: One for each of them.
        free: (6, k) acceleration of Jo and angular acceleration of a floating body; None elsewhere.
    """

    places: range
    columns: list[Column]
    parts: list[Part]
    free: Array | None = None


def _fold(tree: Tree, chunk: Chunk, frames: dict[int, Frame]) -> dict[int, _Step]:
    """The pass from the leaves to the roots: what each joint takes and is given."""
    bodies = {body: compose_rigid(chunk, body, frames[body]) for body in tree.order}
    for body in tree.in_fluid:
        bodies[body] = add_fluid(tree, chunk, body, frames[body], bodies[body])
    steps: dict[int, _Step] = {}
    for body in reversed(tree.order):
        frame, whole, place = frames[body], bodies.pop(body), tree.velocities[body]
        places = range(place.start, place.stop)
        if tree.joints[body] == "floating":
            steps[body] = _Step(places, [], [], _float(chunk, tree, body, frame, whole))
            continue
        steps[body] = step = _Step(places, columns(tree, chunk, body, frame), [])
        for index, column in zip(places, step.columns, strict=True):
            # Joint terms of an articulated body: its response to a unit acceleration of a column.
            tau = chunk.beside["tau"][index]
            axis = column.axis
            if column.turns:
                turning, moving = apply(whole.A, axis), apply_transpose(whole.B, axis)
                part = Part(turning, moving, dot(axis, turning), tau - dot(axis, whole.moment))
            else:
                turning, moving = apply(whole.B, axis), apply(whole.C, axis)
                part = Part(turning, moving, dot(axis, moving), tau - dot(axis, whole.force))
            # Refuse a joint whose inertia is zero, up to the rounding of what it is computed from.
            xp = chunk.xp
            block = whole.A if column.turns else whole.C
            size = xp.max(xp.max(xp.abs(block), axis=0), axis=0)
            floor = tolerances.floor(xp.ones_like(size)) * size
            bad = first_index(xp, ~(xp.abs(part.inertia) > floor))
            if bad is not None:
                raise _no_inertia(tree, body, bad[0])
            step.parts.append(part)
            # What is left of the articulated body behind a joint that gives way (Featherstone
            # 2008, eq. 7.23: I^A - U D^-1 U^T, one column at a time).
            turning, moving = part.turning / part.inertia, part.moving / part.inertia
            whole = Articulated(
                whole.A - outer(turning, part.turning),
                whole.B - outer(turning, part.moving),
                whole.C - outer(moving, part.moving),
                whole.moment + turning * part.rest,
                whole.force + moving * part.rest,
            )
        parent = int(tree.parents[body])
        if parent != INERTIAL_FRAME:
            r = frame.p - frames[parent].p
            bodies[parent] = join_articulated(chunk.xp, bodies[parent], whole, r)
    return steps


def _float(chunk: Chunk, tree: Tree, body: int, frame: Frame, whole: Articulated) -> Array:
    """(6, k) accelerations of a floating body: of its origin, and angular."""
    xp, place = chunk.xp, tree.velocities[body]
    tau = chunk.beside["tau"][place]
    force, moment = tau[:3] - whole.force, apply(frame.R, tau[3:]) - whole.moment
    top = xp.concat([whole.C, transpose(xp, whole.B)], axis=1)
    matrix = xp.concat([top, xp.concat([whole.B, whole.A], axis=1)], axis=0)
    # Lengths in units of the radius of gyration, so that the solution does not depend on the unit.
    mass = (whole.C[0, 0] + whole.C[1, 1] + whole.C[2, 2]) / 3
    inertia = (whole.A[0, 0] + whole.A[1, 1] + whole.A[2, 2]) / 3
    there = (mass > 0) & (inertia > 0)
    bad = first_index(xp, ~there)
    if bad is not None:
        raise _no_inertia(tree, body, bad[0])
    root = xp.sqrt(mass), xp.sqrt(inertia)
    scale = xp.stack([1 / root[0]] * 3 + [1 / root[1]] * 3)
    scaled = matrix * outer(scale, scale)
    right = scale * xp.concat([force, moment], axis=0)
    solution = xp.linalg.solve(
        configurations_first(xp, scaled), configurations_first(xp, right)[..., None]
    )
    return scale * configurations_last(xp, solution[..., 0])


def _no_inertia(tree: Tree, body: int, configuration: int) -> ParameterError:
    return ParameterError(
        f"the joint of body {body} ({tree.names[body]}) moves nothing that has inertia, in "
        f"configuration {configuration} of its batch: its acceleration is not defined"
    )
