"""A tree seen as one body: its mass, centre of mass, momentum, and inertia with joints locked.

All are batched over the leading axes of q, keep the array library and the precision of the input,
and can be differentiated where the library can. S is the centre of mass of the whole tree. Mass
and centre of mass are those of the bodies alone; momentum and inertia refuse a tree in a fluid.
Sources:
Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.2 (composite bodies); D. Orin,
A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, Autonomous Robots 35 (2013).

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import composites
>>> from inertial_check.mechanics.tree import Tree
>>> rod = [[2.0, 0, 0, -1.0, 0.7, 0, 0, 0.7, 0, 0.01]]  # hangs 0.5 m below a hinge about y
>>> pendulum = Tree(["rod"], [-1], ["revolute"], [np.eye(4)], [[0, 1, 0]], rod)
"""

from __future__ import annotations

import numpy as np

from inertial_check.errors import expect
from inertial_check.inertia.arrays import (
    SIX_PLACES,
    Array,
    ArrayLike,
    Namespace,
    constant_like,
    cross_components,
    expect_shape,
    quiet,
    real_arrays,
)
from inertial_check.inertia.frames import transform
from inertial_check.inertia.representations import SpatialOrder, check_spatial_order
from inertial_check.mechanics.batches import (
    Batch,
    Chunk,
    Frame,
    apply,
    apply_transpose,
    configurations_first,
    multiply_transpose,
    product,
    root_positions,
    second_moments,
    symmetric,
    trace,
    walk,
)
from inertial_check.mechanics.equations import Composite, join_composites, unit_twists_and_wrenches
from inertial_check.mechanics.fluid import refuse_added_mass
from inertial_check.mechanics.tree import INERTIAL_FRAME, Tree


@quiet
def total_mass(tree: Tree, *, theta: ArrayLike | None = None) -> Array:
    """The mass of all bodies together [kg].

    Args:
        tree: The tree.
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (...,); a scalar array for the tree's own.

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(composites.total_mass(pendulum))
        2.0
    """
    expect(Tree, tree=tree)
    xp, (theta,) = real_arrays(theta=tree.theta if theta is None else theta)
    expect_shape("theta", theta, len(tree), 10)
    return xp.sum(theta[..., 0], axis=-1)


@quiet
def center_of_mass(tree: Tree, q: ArrayLike, *, theta: ArrayLike | None = None) -> Array:
    """The centre of mass S of all bodies: p_IoS_I [m].

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (..., 3) in the axes of I; NaN or infinite where the mass is 0.

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> print(composites.center_of_mass(pendulum, [np.pi / 2]).round(9) + 0.0)
        [-0.5  0.   0. ]
    """

    def work(chunk: Chunk) -> Array:
        frames, starts = dict(walk(tree, chunk)), root_positions(tree, chunk)
        where = _find_center(chunk, frames, starts) + starts[0]
        return configurations_first(chunk.xp, where)

    return Batch(tree, q, theta=theta).map(work)


@quiet
def center_of_mass_jacobian(tree: Tree, q: ArrayLike, *, theta: ArrayLike | None = None) -> Array:
    """J_S with dp_IoS_I/dt = J_S u; the mass times it gives the linear momentum.

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (..., 3, n_u); NaN or infinite where the mass is 0.

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1.

    Example:
        >>> print(composites.center_of_mass_jacobian(pendulum, [0.0])[:, 0] + 0.0)
        [-0.5  0.   0. ]
    """

    def work(chunk: Chunk) -> Array:
        _, wrenches = unit_twists_and_wrenches(tree, chunk)
        return wrenches[:, 3:] / configurations_first(chunk.xp, _mass(chunk))[..., None, None]

    return Batch(tree, q, theta=theta).map(work)


@quiet
def centroidal_momentum_matrix(
    tree: Tree,
    q: ArrayLike,
    order: SpatialOrder = "angular-linear",
    *,
    theta: ArrayLike | None = None,
) -> Array:
    """A_S(q): A_S u is the angular momentum about S and the linear momentum (Orin et al., eq. 5).

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        order: Of the rows, a name of representations.SPATIAL_ORDERS.
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (..., 6, n_u) in the axes of I: [kg m^2/s] and [kg m/s] at unit velocities.

    Raises:
        ParameterError: Shapes that do not fit, unknown order, a quaternion not of length 1; a tree
            with added mass, which is none of the ten parameters.

    Example:
        >>> # 0.2 kg m^2 about the centre of mass; 2 kg that move with 0.5 m
        >>> print(composites.centroidal_momentum_matrix(pendulum, [0.0])[:, 0].round(9) + 0.0)
        [ 0.   0.2  0.  -1.   0.   0. ]
    """
    expect(Tree, tree=tree)
    refuse_added_mass(tree, "centroidal_momentum_matrix")
    check_spatial_order(order)
    roots = [
        body for body, place in enumerate(tree.velocities) for _ in range(place.start, place.stop)
    ]

    def work(chunk: Chunk) -> Array:
        xp, starts = chunk.xp, root_positions(tree, chunk)
        frames = dict(walk(tree, chunk))
        _, wrenches = unit_twists_and_wrenches(tree, chunk)
        moments, forces = wrenches[:, :3], wrenches[:, 3:]
        center = _find_center(chunk, frames, starts)
        if roots:
            # Moments are about the root of each body; S is seen from that of the first one.
            arms = xp.stack([center - (starts[body] - starts[0]) for body in roots], axis=1)
            arms = configurations_first(xp, arms)
            sides = ([each[:, i] for i in range(3)] for each in (arms, forces))
            moments = moments - xp.stack(list(cross_components(*sides)), axis=1)
        both = [moments, forces] if order == "angular-linear" else [forces, moments]
        return xp.concat(both, axis=1)

    return Batch(tree, q, theta=theta).map(work)


@quiet
def centroidal_inertia(tree: Tree, q: ArrayLike, *, theta: ArrayLike | None = None) -> Array:
    """The rotational inertia of the whole tree about S, with its joints locked [kg m^2].

    Args:
        tree: The tree.
        q: (..., n_q) coordinates.
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (..., 3, 3) in the axes of I.

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1; a tree with
            added mass, which is none of the ten parameters.

    Example:
        >>> print(composites.centroidal_inertia(pendulum, [0.0]).diagonal().round(9))
        [0.2  0.2  0.01]
    """
    expect(Tree, tree=tree)
    refuse_added_mass(tree, "centroidal_inertia")

    def work(chunk: Chunk) -> Array:
        xp, frames, starts = chunk.xp, dict(walk(tree, chunk)), root_positions(tree, chunk)
        center = _find_center(chunk, frames, starts)
        whole: Composite = (chunk.zeros(), chunk.zeros(3), chunk.zeros(3, 3))
        bodies = _fold(tree, chunk, frames)
        for body in np.flatnonzero(tree.parents == INERTIAL_FRAME).tolist():
            r = frames[body].p + (starts[body] - starts[0]) - center
            whole = join_composites(xp, whole, bodies[body], r)
        return configurations_first(xp, _inertia(chunk, whole[2]))

    return Batch(tree, q, theta=theta).map(work)


@quiet
def composite_parameters(tree: Tree, q: ArrayLike, *, theta: ArrayLike | None = None) -> Array:
    """The ten parameters of each body with all that it carries, its joints locked (RBDA, 6.2).

    Args:
        tree: The tree.
        q: (..., n_q) coordinates; those of the joint of a body itself do not change its own row.
        theta: (N, 10) or (..., N, 10) in place of the tree's own.

    Returns:
        (..., N, 10) [m, h, xx, xy, xz, yy, yz, zz] about the bodies' origins in their axes, in the
        order "urdf" [kg, kg m, kg m^2], as InertialParameters.from_theta takes them.

    Raises:
        ParameterError: Shapes that do not fit, a quaternion that is not of length 1; a tree with
            added mass, which is none of the ten parameters.

    Example:
        >>> print(composites.composite_parameters(pendulum, [0.0])[0])  # it carries nothing else
        [ 2.    0.    0.   -1.    0.7   0.    0.    0.7   0.    0.01]
    """
    expect(Tree, tree=tree)
    refuse_added_mass(tree, "composite_parameters")

    def work(chunk: Chunk) -> Array:
        xp, frames = chunk.xp, dict(walk(tree, chunk))
        bodies = _fold(tree, chunk, frames)
        rows = []
        for body in range(len(tree)):
            R, (mass, h, S) = frames[body].R, bodies[body]
            RT = xp.moveaxis(R, 0, 1)
            tensor = _inertia(chunk, multiply_transpose(product(RT, S), RT))
            six = [tensor[i, j] for i, j in SIX_PLACES]
            h_J = apply_transpose(R, h)
            rows.append(xp.stack([mass + chunk.zeros(), *(h_J[i] for i in range(3)), *six]))
        theta_J = configurations_first(xp, xp.stack(rows))
        X_BJ = np.linalg.inv(tree.X_JB)
        X_BJ[:, 3] = (0.0, 0.0, 0.0, 1.0)
        if all(tree.is_joint_frame):
            return theta_J
        return transform(theta_J, constant_like(xp, X_BJ, theta_J))

    return Batch(tree, q, theta=theta).map(work)


def _mass(chunk: Chunk) -> Array:
    """(k,) of all bodies."""
    return chunk.xp.sum(chunk.theta[:, 0], axis=0) + chunk.zeros()


def _find_center(chunk: Chunk, frames: dict[int, Frame], starts: list[Array]) -> Array:
    """(3, k) S, measured from the origin from which the first body is."""
    moment = chunk.zeros(3)
    for body, frame in frames.items():
        theta = chunk.theta[body]
        there = frame.p + (starts[body] - starts[0])
        moment = moment + theta[0] * there + apply(frame.R, theta[1:4])
    return moment / _mass(chunk)


def _fold(tree: Tree, chunk: Chunk, frames: dict[int, Frame]) -> dict[int, Composite]:
    """Mass, first and second moment of each body and all that it carries, about Jo in axes I."""
    xp, found = chunk.xp, {}
    for body, frame in frames.items():
        theta = chunk.theta[body]
        S = second_moments(xp, symmetric(xp, theta[4:]))
        turned = multiply_transpose(product(frame.R, S), frame.R)
        found[body] = theta[0], apply(frame.R, theta[1:4]), turned
    for body in reversed(tree.order):
        parent = int(tree.parents[body])
        if parent != INERTIAL_FRAME:
            r = frames[body].p - frames[parent].p
            found[parent] = join_composites(xp, found[parent], found[body], r)
    return found


def _inertia(chunk: Chunk, S: Array) -> Array:
    """The rotational inertia tr(S) 1 - S (3, 3, k) of a second moment, symmetric to the bit."""
    xp: Namespace = chunk.xp
    S = (S + xp.moveaxis(S, 0, 1)) / 2
    return chunk.constant(np.eye(3))[..., None] * trace(S) - S
