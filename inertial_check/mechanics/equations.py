"""Equations of motion: M(q) du + b(q, u) + g(q) = tau, and tau = Y(q, u, du) theta.

M is the mass matrix, b the Coriolis, centrifugal and gyroscopic forces, g the forces that hold the
tree against gravity. All are batched over the leading axes of q, u and du, keep the array library
and the precision of the input, and can be differentiated where the library can. Sources: "Sheet":
Kindr Cheat Sheet, "Dynamics of a Multi-Rigid-Body System"; Featherstone, Rigid Body
Dynamics Algorithms, chapters 5 and 6.

The added mass of a fluid around the bodies is included where the tree has one; see
dynamics.added_mass.

Wrenches are moments about the origin of I, of the root where that floats, and forces, in I.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import equations
>>> from inertial_check.mechanics.tree import Tree
>>> rod = [[2.0, 0, 0, -1.0, 0.7, 0, 0, 0.7, 0, 0.01]]  # hangs 0.5 m below a hinge about y
>>> pendulum = Tree(["rod"], [-1], ["revolute"], [np.eye(4)], [[0, 1, 0]], rod)

The projected Newton-Euler equations, summed over the bodies as they are written.

A second way to M, b and g, by the Jacobians of the centres of mass: slower than `equations`, and
with nothing in common but where the bodies are. Source: the Kindr Cheat Sheet,
"Projected Newton-Euler Equations".

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import equations as newton_euler
>>> from inertial_check.mechanics.tree import Tree
>>> rod = [[2.0, 0, 0, -1.0, 0.7, 0, 0, 0.7, 0, 0.01]]  # hangs 0.5 m below a hinge about y
>>> pendulum = Tree(["rod"], [-1], ["revolute"], [np.eye(4)], [[0, 1, 0]], rod)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia.arrays import (
    SIX_PLACES,
    Array,
    ArrayLike,
    Floats,
    Mask,
    Namespace,
    NumpyArray,
    expect_shape,
    quiet,
    read_floats,
    real_arrays,
)
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, reorder
from inertial_check.mechanics.batches import (
    Batch,
    Chunk,
    Column,
    Frame,
    apply,
    apply_transpose,
    body_frame,
    columns,
    configurations_first,
    cross,
    multiply_transpose,
    outer,
    product,
    root_positions,
    second_moments,
    symmetric,
    trace,
    walk,
)
from inertial_check.mechanics.fluid import (
    add_to_energy,
    add_to_forces,
    add_to_mass_matrix,
    refuse_added_mass,
)
from inertial_check.mechanics.jacobians import jacobian, jacobian_derivative, poses
from inertial_check.mechanics.tree import INERTIAL_FRAME, Tree

GRAVITY = (0.0, 0.0, -9.81)
"""Gravity in the axes of I [m/s^2]; Drake, MuJoCo and Pinocchio have the same default."""

_FEW = 64
"""Configurations whose matrices are put together at once: they stay in the cache."""

Composite = tuple[Array, Array, Array]
"""Mass, first moment, and inertia or second moment of a body."""


@quiet
def mass_matrix(
    tree: Tree, q: ArrayLike, *, theta: ArrayLike | None = None, out: NumpyArray | None = None
) -> Array:
    """M(q): the kinetic energy is u^T M u / 2.

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        theta: (N, 10) or (..., N, 10) in place of the tree's own.
        out: NumPy array to write the result into: a new one costs more than what is in it.

    Returns:
        (..., n_u, n_u), symmetric to the bit. Rows and columns as u: [kg], [kg m], [kg m^2].

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> print(equations.mass_matrix(pendulum, [0.0]))  # the moment about the hinge
        [[0.7]]
    """
    expect(Tree, tree=tree)
    # (n_u, n_u) whether the first velocity moves the body of the second; each pair once.
    carriers = [
        body for body, place in enumerate(tree.velocities) for _ in range(place.start, place.stop)
    ]
    same = np.equal.outer(carriers, carriers)
    pairs = _mark_bodies(tree)[:, carriers] & ~np.tril(same, k=-1)
    once = pairs & ~np.eye(tree.n_u, dtype=bool)
    apart = np.array(np.nonzero(~(pairs | pairs.T)))  # velocities of which neither moves the other

    batch = Batch(tree, q, theta=theta)

    def fill(chunk: Chunk, out: NumpyArray) -> None:
        twists, wrenches = unit_twists_and_wrenches(tree, chunk)
        for start in range(0, chunk.count, _FEW):
            rows = slice(start, start + _FEW)
            found = np.asarray(twists[rows] @ wrenches[rows])
            part = out[rows]
            np.copyto(part, found.swapaxes(1, 2))
            np.copyto(part, found, where=pairs)
            if apart.size:
                part[:, apart[0], apart[1]] = 0

    def work(chunk: Chunk) -> Array:
        found = chunk.xp.matmul(*unit_twists_and_wrenches(tree, chunk))
        half, other = chunk.only(pairs, found), chunk.only(once, found)
        return half + chunk.xp.matrix_transpose(other)

    if batch.xp is np or out is not None:
        M = batch.fill(fill, out, tree.n_u, tree.n_u)
        whole = add_to_mass_matrix(tree, q, M)
        if whole is not M and out is not None:
            np.copyto(out, np.asarray(whole))
        return whole if out is None else out
    return add_to_mass_matrix(tree, q, batch.map(work))


@quiet
def inverse_dynamics(
    tree: Tree,
    q: ArrayLike,
    u: ArrayLike,
    du: ArrayLike,
    *,
    gravity: ArrayLike = GRAVITY,
    theta: ArrayLike | None = None,
) -> Array:
    """Tau = M(q) du + b(q, u) + g(q), by the recursive Newton-Euler algorithm.

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        u: (..., n_u) velocities.
        du: (..., n_u) their time derivatives.
        gravity: (3,) in the axes of I [m/s^2].
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (..., n_u) [N] or [N m], as u is [m/s] or [rad/s].

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> # 2 kg * 9.81 m/s^2 * 0.5 m hold it level; 0.7 kg m^2 * 3 rad/s^2 accelerate it
        >>> print(equations.inverse_dynamics(pendulum, [np.pi / 2], [0.0], [3.0]).round(9))
        [11.91]
    """
    tau = _newton_euler(tree, Batch(tree, q, u, du, theta), _three("gravity", gravity))
    return add_to_forces(tree, q, u, du, tau)


@quiet
def bias_forces(tree: Tree, q: ArrayLike, u: ArrayLike, *, theta: ArrayLike | None = None) -> Array:
    """b(q, u): the Coriolis, centrifugal and gyroscopic forces; "g" of the Sheet.

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        u: (..., n_u) velocities.
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (..., n_u) [N] or [N m].

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> # A single hinge has none, however fast it turns
        >>> print(equations.bias_forces(pendulum, [0.3], [5.0]).round(9) + 0.0)
        [0.]
    """
    bias = _newton_euler(tree, Batch(tree, q, u, theta=theta), np.zeros(3))
    return add_to_forces(tree, q, u, None, bias)


@quiet
def gravity_forces(
    tree: Tree, q: ArrayLike, *, gravity: ArrayLike = GRAVITY, theta: ArrayLike | None = None
) -> Array:
    """g(q): the forces and torques that hold the tree still.

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        gravity: (3,) in the axes of I [m/s^2].
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (..., n_u) [N] or [N m].

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> print(equations.gravity_forces(pendulum, [np.pi / 2]).round(9))
        [9.81]
    """
    return _newton_euler(tree, Batch(tree, q, theta=theta), _three("gravity", gravity))


@quiet
def regressor(  # noqa: PLR0913 - the quantities of one equation
    tree: Tree,
    q: ArrayLike,
    u: ArrayLike,
    du: ArrayLike,
    *,
    gravity: ArrayLike = GRAVITY,
    order: Order = "urdf",
    out: NumpyArray | None = None,
) -> Array:
    """Y(q, u, du) with tau = Y theta, theta of all bodies about their origins, one after another.

    Args:
        tree: The tree; its own theta is not looked at.
        q: (..., n_q) coordinates.
        u: (..., n_u) velocities.
        du: (..., n_u) their time derivatives.
        gravity: (3,) in the axes of I [m/s^2].
        order: Of the last six of each body's theta: urdf, pinocchio, mujoco, wensing or ksl.
        out: NumPy array to write the result into: a new one costs more than what is in it.

    Returns:
        (..., n_u, 10 N).

    Raises:
        ParameterError: Shapes that do not fit, unknown order, a quaternion not of length 1; a tree
            with added mass, whose forces are not linear in theta alone.

    Example:
        >>> Y = equations.regressor(pendulum, [np.pi / 2], [0.0], [3.0])
        >>> print(Y.shape, (Y @ pendulum.theta[0]).round(9))
        (1, 10) [11.91]
    """
    expect(Tree, tree=tree)
    refuse_added_mass(tree, "regressor")
    batch, still = Batch(tree, q, u, du), _three("gravity", gravity)
    positions = [int(i) for i in reorder(np.arange(10.0), "urdf", order)]

    def fill(chunk: Chunk, out: NumpyArray) -> None:
        twists = np.empty((chunk.count, tree.n_u, 6), out.dtype)
        out[...] = 0
        for body, frame in walk(tree, chunk, True, still):
            for place, column in _own(tree, chunk, body, frame):
                turn, slide = column.twist(np, frame.p)
                twists[:, place, :3], twists[:, place, 3:] = turn.T, slide.T
            if tree.columns[body]:
                wrenches = _parameter_wrenches(tree, chunk, body, frame, positions)
                # The rows of the velocities that move the body, in the columns of its parameters.
                moving, block = tree.columns[body], slice(10 * body, 10 * body + 10)
                own = slice(moving[0], moving[-1] + 1)
                if moving == tuple(range(own.start, own.stop)):
                    np.matmul(twists[:, own], np.asarray(wrenches), out=out[:, own, block])
                else:
                    out[:, moving, block] = twists[:, moving] @ np.asarray(wrenches)

    def work(chunk: Chunk) -> Array:
        xp, frames = chunk.xp, dict(walk(tree, chunk, True, still))
        wrenches = [
            _parameter_wrenches(tree, chunk, body, frames[body], positions)
            for body in range(len(tree))
        ]
        products = xp.matmul(_unit_twists(tree, chunk, frames), xp.concat(wrenches, axis=-1))
        return chunk.only(np.repeat(_mark_bodies(tree), 10, axis=1), products)

    if batch.xp is np or out is not None:
        return batch.fill(fill, out, tree.n_u, 10 * len(tree))
    return batch.map(work)


@quiet
def kinetic_energy(
    tree: Tree, q: ArrayLike, u: ArrayLike, *, theta: ArrayLike | None = None
) -> Array:
    """The sum over all bodies of the integral of dp . dp / 2 over their mass [J].

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        u: (..., n_u) velocities.
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> print(equations.kinetic_energy(pendulum, [0.0], [2.0]).round(9))  # 0.7 * 2^2 / 2 J
        1.4
    """
    real_arrays(u=u)

    def work(chunk: Chunk) -> Array:
        xp, energy = chunk.xp, chunk.zeros()
        speeds: dict[int, tuple[Array, Array]] = {}
        for body, frame in walk(tree, chunk):
            mass, h, inertia = _parameters(chunk, body)
            # Velocities at the origin of p, from those of the parent.
            w, v = speeds.get(int(tree.parents[body]), (chunk.zeros(3), chunk.zeros(3)))
            for place, column in _own(tree, chunk, body, frame):
                turn, slide = column.twist(xp, frame.p)
                w, v = w + chunk.u[place] * turn, v + chunk.u[place] * slide
            speeds[body] = w, v
            v = v + cross(xp, w, frame.p)
            w_J = apply_transpose(frame.R, w)
            turning = xp.sum(w_J * apply(inertia, w_J), axis=0) / 2
            moving = xp.sum(v * (mass * v / 2 + cross(xp, w, apply(frame.R, h))), axis=0)
            energy = energy + turning + moving
        return energy

    return add_to_energy(tree, q, u, Batch(tree, q, u, theta=theta).map(work))


@quiet
def potential_energy(
    tree: Tree, q: ArrayLike, *, gravity: ArrayLike = GRAVITY, theta: ArrayLike | None = None
) -> Array:
    """-gravity . (m p_IoBo + h), summed over all bodies [J]; zero at the origin of I.

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        gravity: (3,) in the axes of I [m/s^2].
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> print(equations.potential_energy(pendulum, [[0.0], [np.pi / 2]]).round(9) + 0.0)
        [-9.81  0.  ]
    """
    still = _three("gravity", gravity)

    def work(chunk: Chunk) -> Array:
        xp, energy, roots = chunk.xp, chunk.zeros(), root_positions(tree, chunk)
        for body, frame in walk(tree, chunk):
            mass, h, _ = _parameters(chunk, body)
            lever = mass * (frame.p + roots[body]) + apply(frame.R, h)
            energy = energy - xp.sum(chunk.constant(still)[:, None] * lever, axis=0)
        return energy

    return Batch(tree, q, theta=theta).map(work)


def _own(tree: Tree, chunk: Chunk, body: int, frame: Frame) -> Iterator[tuple[int, Column]]:
    """The velocities of a body's joint: places in u, and what they do."""
    return enumerate(columns(tree, chunk, body, frame), start=tree.velocities[body].start)


def _newton_euler(tree: Tree, batch: Batch, gravity: Floats) -> Array:
    def work(chunk: Chunk) -> Array:
        xp, frames, wrenches = chunk.xp, {}, {}
        for body, frame in walk(tree, chunk, chunk.u is not None, gravity):
            frames[body] = frame
            wrenches[body] = _inertial_wrench(chunk, body, frame, gravity)
        tau: dict[int, Array] = {}
        for body in reversed(tree.order):
            frame, (moment, force) = frames[body], wrenches[body]
            for place, column in _own(tree, chunk, body, frame):
                both = (moment if column.turns else force) * column.axis
                tau[place] = both[0] + both[1] + both[2]
            parent = int(tree.parents[body])
            if parent != INERTIAL_FRAME:
                moment_P, force_P = wrenches[parent]
                arm = cross(xp, frame.p - frames[parent].p, force)
                wrenches[parent] = moment_P + moment + arm, force_P + force
        return (
            xp.stack([tau[i] for i in range(tree.n_u)], axis=-1)
            if tau
            else xp.moveaxis(chunk.zeros(0), 0, -1)
        )

    return batch.map(work)


def _inertial_wrench(chunk: Chunk, body: int, frame: Frame, gravity: Floats) -> tuple[Array, Array]:
    """Moment about Jo and force that a body's motion, and being held against gravity, takes."""
    xp = chunk.xp
    mass, h, inertia = _parameters(chunk, body)
    h_I = apply(frame.R, h)
    if frame.motion is None:
        a = -chunk.constant(gravity)[:, None]
        return cross(xp, h_I, a), mass * a + xp.zeros_like(h_I)
    w_I, alpha_I, a, A = frame.motion
    force = mass * a + apply(A, h_I)
    w, alpha = apply_transpose(frame.R, w_I), apply_transpose(frame.R, alpha_I)
    spin = apply(inertia, alpha) + cross(xp, w, apply(inertia, w))
    return cross(xp, h_I, a) + apply(frame.R, spin), force


def _unit_twists(tree: Tree, chunk: Chunk, frames: Mapping[int, Frame]) -> Array:
    """(k, n_u, 6) angular velocity, and velocity at the origin of p, of each velocity at 1."""
    found: list[Array] = []
    for body in range(len(tree)):
        for column in columns(tree, chunk, body, frames[body]):
            found += column.twist(chunk.xp, frames[body].p)
    return _pack_pairs(chunk, found, tree.n_u)


def _pack_pairs(chunk: Chunk, halves: Sequence[Array], count: int) -> Array:
    """Pairs of (3, k) as (k, count, 6)."""
    if not halves:
        return configurations_first(chunk.xp, chunk.zeros(0, 6))
    whole = configurations_first(chunk.xp, chunk.xp.concat(halves, axis=0))
    return chunk.xp.reshape(whole, (chunk.count, count, 6))


def unit_twists_and_wrenches(tree: Tree, chunk: Chunk) -> tuple[Array, Array]:
    """(k, n_u, 6) twists, and (k, 6, n_u) what gives a unit of each velocity to all it carries."""
    xp, frames, composites = chunk.xp, {}, {}
    for body, frame in walk(tree, chunk):
        mass, h, inertia = _parameters(chunk, body)
        R, S = frame.R, second_moments(xp, inertia)
        frames[body] = frame
        composites[body] = mass, apply(R, h), multiply_transpose(product(R, S), R)
    wrenches: dict[int, Array] = {}
    for body in reversed(tree.order):
        frame, (mass, h, S) = frames[body], composites[body]
        for place, column in _own(tree, chunk, body, frame):
            # Force, and moment about Jo, that give a composite body a unit of a velocity.
            axis = column.axis
            if not column.turns:
                force, moment = mass * axis, cross(xp, h, axis)
            else:
                force, moment = cross(xp, axis, h), trace(S) * axis - apply(S, axis)
            wrenches[2 * place] = moment + cross(xp, frame.p, force)
            wrenches[2 * place + 1] = force
        parent = int(tree.parents[body])
        if parent != INERTIAL_FRAME:
            r = frame.p - frames[parent].p
            composites[parent] = join_composites(xp, composites[parent], (mass, h, S), r)
    packed = _pack_pairs(chunk, [wrenches[i] for i in range(2 * tree.n_u)], tree.n_u)
    return _unit_twists(tree, chunk, frames), xp.matrix_transpose(packed)


def join_composites(xp: Namespace, P: Composite, B: Composite, r: Array) -> Composite:
    """A body P with a body B whose point Jo is at r from that of P: all about that of P."""
    mass, h, S = B
    moved = mass * r
    half = outer(h + moved / 2, r)
    return P[0] + mass, P[1] + h + moved, P[2] + S + half + xp.moveaxis(half, 0, 1)


def _parameters(chunk: Chunk, body: int) -> Composite:
    """Mass (.,), first moment (3, .) and inertia (3, 3, .) about Jo, in the axes of J."""
    theta = chunk.theta[body]
    return theta[0], theta[1:4], symmetric(chunk.xp, theta[4:])


def _parameter_wrenches(
    tree: Tree, chunk: Chunk, body: int, frame: Frame, positions: Sequence[int]
) -> Array:
    """(k, 6, 10): what each of a body's ten parameters takes at 1, those at these positions.

    With x, y, z the axes of the body: an entry I_xy takes x (y . alpha) + y (x . alpha) and
    w x (x (y . w) + y (x . w)).
    """
    xp, frame = chunk.xp, body_frame(tree, chunk, body, frame)
    assert frame.motion is not None  # the walk is one that follows the motion
    R, p, (w_I, alpha_I, a, A) = frame.R, frame.p, frame.motion
    axes = xp.moveaxis(R, 1, 0)
    forces = xp.moveaxis(product(A, R), 1, 0)
    swings = cross(xp, w_I, axes)
    levers = cross(xp, axes, a) + cross(xp, p, forces)
    w, alpha = apply_transpose(R, w_I), apply_transpose(R, alpha_I)
    turned = axes[:, None] * alpha[None, :, None] + swings[:, None] * w[None, :, None]
    six = [turned[i, j] if i == j else turned[i, j] + turned[j, i] for i, j in SIX_PLACES]
    moments = [cross(xp, p, a), *(levers[i] for i in range(3)), *six]
    pushes = [a, *(forces[i] for i in range(3))]  # a rotational inertia takes no force
    if xp is np:
        whole: Array = np.zeros((6, 10, chunk.count), R.dtype)
        for place, position in enumerate(positions):
            whole[:3, place] = moments[position]
            if position < len(pushes):
                whole[3:, place] = pushes[position]
    else:
        pushes += [xp.zeros_like(a)] * 6
        both = [xp.stack([part[i] for i in positions], axis=1) for part in (moments, pushes)]
        whole = xp.concat(both, axis=0)
    return configurations_first(xp, whole)


def _mark_bodies(tree: Tree) -> Mask:
    """(n_u, N) whether a velocity moves a body."""
    moved = np.zeros((tree.n_u, len(tree)), bool)
    for body, moving in enumerate(tree.columns):
        moved[list(moving), body] = True
    return moved


def _three(name: str, value: ArrayLike) -> Floats:
    _, (array,) = real_arrays(**{name: value})
    expect_shape(name, array, 3)
    if array.ndim != 1:
        raise ParameterError(f"{name} has shape {tuple(array.shape)}, expected (3,)")
    return np.array([float(array[i]) for i in range(3)])


class Terms(NamedTuple):
    """M(q) du + b(q, u) + g(q) = tau.

    Attributes:
        M: (..., n_u, n_u) mass matrix.
        b: (..., n_u) Coriolis, centrifugal and gyroscopic forces.
        g: (..., n_u) forces that hold the tree against gravity.
    """

    M: Floats
    b: Floats
    g: Floats


@quiet
def projected_newton_euler(
    tree: Tree, q: ArrayLike, u: ArrayLike, *, gravity: ArrayLike = GRAVITY
) -> Terms:
    """Sum J_P^T m J_P + J_R^T I_c J_R, and so on, over all bodies that have a mass; NumPy alone.

    Args:
        tree: The tree; each body with inertia has a mass.
        q: (..., n_q) coordinates.
        u: (..., n_u) velocities.
        gravity: (3,) in the axes of I [m/s^2].

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> terms = newton_euler.projected_newton_euler(pendulum, [np.pi / 2], [1.0])
        >>> print(terms.M.round(9), terms.b.round(9) + 0.0, terms.g.round(9))
        [[0.7]] [0.] [9.81]
    """
    (q,) = read_floats((), q=q)
    (u,) = read_floats((), u=u)
    (gravity,) = read_floats((3,), gravity=gravity)
    expect(Tree, tree=tree)
    batch = np.broadcast_shapes(q.shape[:-1], u.shape[:-1])
    M = np.zeros((*batch, tree.n_u, tree.n_u))
    b, g = np.zeros((*batch, tree.n_u)), np.zeros((*batch, tree.n_u))
    R_IB = poses(tree, q)[..., :3, :3]
    parameters = InertialParameters.from_theta(tree.theta)
    for body in np.flatnonzero(tree.theta[:, 0]):
        own = parameters[int(body)]
        at_center = int(body), own.com
        J, dJ = jacobian(tree, q, *at_center), jacobian_derivative(tree, q, u, *at_center)
        (J_P, J_R), (dJ_P, dJ_R) = (np.split(each, 2, axis=-2) for each in (J, dJ))
        R = np.asarray(R_IB[..., int(body), :, :])
        I_c = R @ own.inertia_com @ R.swapaxes(-1, -2)
        w = np.einsum("...ij,...j->...i", J_R, u)
        momentum = np.einsum("...ij,...j->...i", I_c, w)
        spin = np.einsum("...ij,...jk,...k->...i", I_c, dJ_R, u) + np.cross(w, momentum)
        slide = own.mass * np.einsum("...ij,...j->...i", dJ_P, u)
        M += own.mass * J_P.swapaxes(-1, -2) @ J_P + J_R.swapaxes(-1, -2) @ I_c @ J_R
        b += np.einsum("...ji,...j->...i", J_P, slide) + np.einsum("...ji,...j->...i", J_R, spin)
        g -= own.mass * np.einsum("...ji,j->...i", J_P, gravity)
    whole, bias = add_to_mass_matrix(tree, q, M), add_to_forces(tree, q, u, None, b)
    return Terms(np.asarray(whole), np.asarray(bias), g)
