"""The projected Newton-Euler equations, summed over the bodies as they are written.

A second way to M, b and g, by the Jacobians of the centres of mass: slower than `equations`, and
with nothing in common but where the bodies are. Source: the Kindr Cheat Sheet,
"Projected Newton-Euler Equations".

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.dynamics import newton_euler
>>> from inertial_check.dynamics.tree import Tree
>>> rod = [[2.0, 0, 0, -1.0, 0.7, 0, 0, 0.7, 0, 0.01]]  # hangs 0.5 m below a hinge about y
>>> pendulum = Tree(["rod"], [-1], ["revolute"], [np.eye(4)], [[0, 1, 0]], rod)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.broadcasting import quiet, read_floats
from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.dynamics.added_mass import add_to_forces, add_to_mass_matrix
from inertial_check.dynamics.equations import GRAVITY
from inertial_check.dynamics.kinematics import jacobian, jacobian_derivative, poses
from inertial_check.dynamics.tree import Tree
from inertial_check.errors import expect
from inertial_check.inertia.parameters import InertialParameters


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
