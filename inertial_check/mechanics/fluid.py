"""The added mass of a fluid at rest around the bodies of a tree, in the equations of motion.

The fluid around a body has the kinetic energy V^T A V / 2, with V = [v_IBo_B, w_IB_B] the twist of
the body in its own axes. Kirchhoff's equations give the wrench that moves this fluid (Fossen,
Handbook of Marine Craft Hydrodynamics and Motion Control, section 6.3), with the momentum
[p, l] = A V:

    force = dp/dt + w x p,    moment = dl/dt + w x l + v x p.

The terms in w and v are the Coriolis forces C_A(V) V. The fluid has no weight here; buoyancy and
drag are no part of it.
"""

from __future__ import annotations

from inertial_check.errors import ParameterError
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    array_namespace,
    constant_like,
    real_arrays,
)
from inertial_check.inertia.frames import cross
from inertial_check.mechanics.jacobians import jacobian, jacobian_derivative, poses
from inertial_check.mechanics.tree import Tree


def add_to_mass_matrix(tree: Tree, q: ArrayLike, M: Array) -> Array:
    """The mass matrix M (..., n_u, n_u) of the bodies with that of their fluid, symmetric."""
    for body in tree.in_fluid:
        J = _jacobian_in_body(tree, q, body)
        xp = array_namespace(J)
        share = xp.matrix_transpose(J) @ (constant_like(xp, tree.added_mass[body], J) @ J)
        M = M + (share + xp.matrix_transpose(share)) / 2
    return M


def add_to_forces(
    tree: Tree, q: ArrayLike, u: ArrayLike | None, du: ArrayLike | None, tau: Array
) -> Array:
    """The generalised forces tau (..., n_u) with those that move the fluid; None is zero."""
    if u is None and du is None:
        return tau
    for body in tree.in_fluid:
        _, (q, u_, du_) = real_arrays(q=q, u=_zero(u, du), du=_zero(du, u))
        J, R = jacobian(tree, q, body), poses(tree, q)[..., body, :3, :3]
        xp = array_namespace(J)
        acceleration = _apply(J, du_) + _apply(jacobian_derivative(tree, q, u_, body), u_)
        twist = _apply(J, u_)
        R_BI = xp.matrix_transpose(R)
        (v, w), (a, alpha) = (
            [_apply(R_BI, each[..., part]) for part in (slice(0, 3), slice(3, 6))]
            for each in (twist, acceleration)
        )
        A = constant_like(xp, tree.added_mass[body], J)
        momentum = _apply(A, xp.concat([v, w], axis=-1))
        # The components in B change by less than the vectors: their axes turn with w.
        rate = _apply(A, xp.concat([a - cross(xp, w, v), alpha], axis=-1))
        p, angular = momentum[..., :3], momentum[..., 3:]
        force = rate[..., :3] + cross(xp, w, p)
        moment = rate[..., 3:] + cross(xp, w, angular) + cross(xp, v, p)
        wrench = xp.concat([_apply(R, force), _apply(R, moment)], axis=-1)
        tau = tau + _apply(xp.matrix_transpose(J), wrench)
    return tau


def add_to_energy(tree: Tree, q: ArrayLike, u: ArrayLike, energy: Array) -> Array:
    """The kinetic energy (...,) of the bodies with that of their fluid [J]."""
    for body in tree.in_fluid:
        _, (q, u) = real_arrays(q=q, u=u)
        J = _jacobian_in_body(tree, q, body)
        xp = array_namespace(J)
        twist = _apply(J, u)
        momentum = _apply(constant_like(xp, tree.added_mass[body], J), twist)
        energy = energy + xp.sum(twist * momentum, axis=-1) / 2
    return energy


def refuse_added_mass(tree: Tree, what: str) -> None:
    """Refuse a tree with added mass where the ten parameters of the bodies alone count.

    Raises:
        ParameterError: Naming the first body with an added mass.
    """
    for body in tree.in_fluid:
        raise ParameterError(
            f"{what}: {tree.names[body]} has an added mass, which is none of its ten parameters; "
            "use tree.without_added_mass(), and inverse_dynamics for the forces of the fluid"
        )


def _jacobian_in_body(tree: Tree, q: ArrayLike, body: int) -> Array:
    """(..., 6, n_u): [v_IBo_B; w_IB_B] = J u."""
    J, R = jacobian(tree, q, body), poses(tree, q)[..., body, :3, :3]
    xp = array_namespace(J)
    R_BI = xp.matrix_transpose(R)
    return xp.concat([R_BI @ J[..., :3, :], R_BI @ J[..., 3:, :]], axis=-2)


def _apply(matrix: Array, vector: Array) -> Array:
    return (matrix @ vector[..., None])[..., 0]


def _zero(value: ArrayLike | None, like: ArrayLike | None) -> ArrayLike:
    if value is not None:
        return value
    assert like is not None
    _, (like,) = real_arrays(value=like)
    return like * 0
