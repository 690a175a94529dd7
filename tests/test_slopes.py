"""Gradients of the public functions of spatial and dynamics, against finite differences.

tests/inertia/test_array_api.py has those of inertia, tests/projection/test_derivatives.py those of
projections.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inertial_check as ic
from array_libraries import HOW_TO
from inertial_check.dynamics import (
    composites,
    equations,
    forces,
    forward,
    impacts,
    kinematics,
)
from inertial_check.spatial import (
    added_mass,
    compact,
    euler,
    normalization,
    rotation_calculus,
    rotations,
    vectors,
)
from inertial_check.spatial import kinematics as motion
from random_trees import configurations, random_tree

RNG = np.random.default_rng(5)
PHI, ETA = np.array([0.3, -0.5, 0.4]), np.array([-0.2, 0.6, 0.1])
R, T, A, B = RNG.normal(size=(4, 3))
TERMS = np.array([1.5, 0.3, 0.1, -0.2, 2.0, 1.5, 1.2, 0.1, -0.2, 0.15])
SYMMETRIC = np.cov(RNG.normal(size=(6, 40)))
DEFINITE = SYMMETRIC @ SYMMETRIC + np.eye(6)
TREE = random_tree(0)
Q, U, DU = configurations(TREE, 1, ())
TAU = np.linspace(-1, 1, TREE.n_u)
W = RNG.normal(size=(6, 2))

turn = rotations.matrix_from_rotation_vector
spin = rotations.quaternion_from_rotation_vector


def pose(phi: Any, p: Any) -> Any:
    return motion.pose(turn(phi), p)


def symmetric(M: Any) -> Any:
    return (M + M.swapaxes(-1, -2)) / 2


Entry = tuple[Callable[..., Any], tuple[Any, ...]]
SPATIAL: dict[str, Entry] = {
    "vectors.join": (vectors.join, (A, B)),
    "vectors.split": (lambda v: vectors.split(v)[0], (SYMMETRIC[0],)),
    "vectors.reorder": (
        lambda v: vectors.reorder(v, "angular-linear", "linear-angular"),
        (SYMMETRIC[0],),
    ),
    "vectors.reorder_matrix": (
        lambda M: vectors.reorder_matrix(M, "angular-linear", "linear-angular"),
        (SYMMETRIC,),
    ),
    "vectors.cross_motion": (vectors.cross_motion, (SYMMETRIC[0], SYMMETRIC[1])),
    "vectors.cross_force": (vectors.cross_force, (SYMMETRIC[0], SYMMETRIC[1])),
    "vectors.power": (vectors.power, (SYMMETRIC[0], SYMMETRIC[1])),
    "vectors.plx": (lambda phi, r: vectors.plx(turn(phi), r).as_pose(), (PHI, T)),
    "vectors.plxb": (lambda phi, r: vectors.plxb(turn(phi), r).as_pose(), (PHI, T)),
    "vectors.congruence": (lambda M, X: vectors.congruence(symmetric(M), X), (SYMMETRIC, DEFINITE)),
    "rotations.skew": (rotations.skew, (A,)),
    "rotations.unskew": (lambda a: rotations.unskew(rotations.skew(a)), (A,)),
    "rotations.matrix_from_quaternion": (
        lambda phi: rotations.matrix_from_quaternion(spin(phi)),
        (PHI,),
    ),
    "rotations.quaternion_from_matrix": (
        lambda phi: rotations.quaternion_from_matrix(turn(phi)),
        (PHI,),
    ),
    "rotations.angle_axis_from_quaternion": (
        lambda phi: rotations.angle_axis_from_quaternion(spin(phi)),
        (PHI,),
    ),
    "rotations.quaternion_from_rotation_vector": (spin, (PHI,)),
    "rotations.rotation_vector_from_quaternion": (
        lambda phi: rotations.rotation_vector_from_quaternion(spin(phi)),
        (PHI,),
    ),
    "rotations.matrix_from_rotation_vector": (turn, (PHI,)),
    "rotations.rotation_vector_from_matrix": (
        lambda phi: rotations.rotation_vector_from_matrix(turn(phi)),
        (PHI,),
    ),
    "rotations.scalar_last": (lambda phi: rotations.scalar_last(spin(phi)), (PHI,)),
    "rotations.scalar_first": (lambda phi: rotations.scalar_first(spin(phi)), (PHI,)),
    "rotation_calculus.left_matrix": (
        lambda phi: rotation_calculus.left_matrix(spin(phi)),
        (PHI,),
    ),
    "rotation_calculus.right_matrix": (
        lambda phi: rotation_calculus.right_matrix(spin(phi)),
        (PHI,),
    ),
    "rotation_calculus.multiply": (
        lambda phi, eta: rotation_calculus.multiply(spin(phi), spin(eta)),
        (PHI, ETA),
    ),
    "rotation_calculus.inverse": (lambda phi: rotation_calculus.inverse(spin(phi)), (PHI,)),
    "rotation_calculus.box_plus": (
        lambda phi, v: rotation_calculus.box_plus(spin(phi), v),
        (PHI, ETA),
    ),
    "rotation_calculus.box_minus": (
        lambda phi, eta: rotation_calculus.box_minus(spin(phi), spin(eta)),
        (PHI, ETA),
    ),
    "rotation_calculus.interpolate": (
        lambda phi, eta, t: rotation_calculus.interpolate(spin(phi), spin(eta), t),
        (PHI, ETA, np.asarray(0.3)),
    ),
    "rotation_calculus.exp_jacobian": (rotation_calculus.exp_jacobian, (PHI,)),
    "rotation_calculus.exp_jacobian_inverse": (rotation_calculus.exp_jacobian_inverse, (PHI,)),
    "rotation_calculus.rotated_vector_jacobian": (
        rotation_calculus.rotated_vector_jacobian,
        (PHI, R),
    ),
    "rotation_calculus.box_minus_jacobians": (
        lambda phi, eta: rotation_calculus.box_minus_jacobians(spin(phi), spin(eta))[0],
        (PHI, ETA),
    ),
    "kinematics.compose_angular_velocities": (
        lambda a, b, phi: motion.compose_angular_velocities(a, b, turn(phi)),
        (A, B, PHI),
    ),
    "kinematics.point_velocity": (motion.point_velocity, (A, B, R)),
    "kinematics.pose": (pose, (PHI, T)),
    "kinematics.inverse_pose": (lambda phi, p: motion.inverse_pose(pose(phi, p)), (PHI, T)),
    "kinematics.compose_poses": (
        lambda phi, p, eta, r: motion.compose_poses(pose(phi, p), pose(eta, r)),
        (PHI, T, ETA, R),
    ),
    "kinematics.transform_point": (
        lambda phi, p, r: motion.transform_point(pose(phi, p), r),
        (PHI, T, R),
    ),
    "compact.rotate": (lambda t, phi: compact.rotate(t, turn(phi)), (TERMS, PHI)),
    "compact.translate": (compact.translate, (TERMS, T)),
    "compact.transform": (lambda t, phi, p: compact.transform(t, pose(phi, p)), (TERMS, PHI, T)),
    "compact.spatial_inertia": (lambda t: compact.spatial_inertia(t, "angular-linear"), (TERMS,)),
    "compact.adjoint": (lambda phi, p: compact.adjoint(pose(phi, p)), (PHI, T)),
    "compact.coadjoint": (lambda phi, p: compact.coadjoint(pose(phi, p)), (PHI, T)),
    "compact.m_ff": (lambda t, phi, p: compact.m_ff(t, pose(phi, p)), (TERMS, PHI, T)),
    "added_mass.transform_added_mass": (
        lambda M, phi, p: added_mass.transform_added_mass(
            symmetric(M), pose(phi, p), "linear-angular"
        ),
        (SYMMETRIC, PHI, T),
    ),
    "added_mass.shift_added_mass": (
        lambda M, p: added_mass.shift_added_mass(symmetric(M), p, "linear-angular"),
        (SYMMETRIC, T),
    ),
    "normalization.normalize_quaternion": (
        normalization.normalize_quaternion,
        (np.array([0.6, 0.3, -0.2, 0.7]),),
    ),
    "euler.matrix_from_euler": (lambda a: euler.matrix_from_euler(a, "ZYX"), (PHI,)),
    "euler.euler_from_matrix": (lambda phi: euler.euler_from_matrix(turn(phi), "ZYX"), (PHI,)),
    "inertia.check": (lambda t: ic.check(t, order="ksl").margin, (TERMS,)),
}
DYNAMICS: dict[str, Entry] = {
    "equations.mass_matrix": (
        lambda q, t: equations.mass_matrix(TREE, q, theta=t),
        (Q, TREE.theta),
    ),
    "equations.inverse_dynamics": (
        lambda q, u, a, t: equations.inverse_dynamics(TREE, q, u, a, theta=t),
        (Q, U, DU, TREE.theta),
    ),
    "equations.bias_forces": (lambda q, u: equations.bias_forces(TREE, q, u), (Q, U)),
    "equations.gravity_forces": (lambda q: equations.gravity_forces(TREE, q), (Q,)),
    "equations.regressor": (lambda q, u, a: equations.regressor(TREE, q, u, a), (Q, U, DU)),
    "equations.kinetic_energy": (
        lambda q, u, t: equations.kinetic_energy(TREE, q, u, theta=t),
        (Q, U, TREE.theta),
    ),
    "equations.potential_energy": (
        lambda q, t: equations.potential_energy(TREE, q, theta=t),
        (Q, TREE.theta),
    ),
    "forward.forward_dynamics": (
        lambda q, u, tau, t: forward.forward_dynamics(TREE, q, u, tau, theta=t),
        (Q, U, TAU, TREE.theta),
    ),
    "forward.solve_mass_matrix": (
        lambda q, tau, t: forward.solve_mass_matrix(TREE, q, tau, theta=t),
        (Q, TAU, TREE.theta),
    ),
    "kinematics.poses": (lambda q: kinematics.poses(TREE, q), (Q,)),
    "kinematics.jacobian": (lambda q: kinematics.jacobian(TREE, q, 4), (Q,)),
    "kinematics.jacobian_derivative": (
        lambda q, u: kinematics.jacobian_derivative(TREE, q, u, 4),
        (Q, U),
    ),
    "composites.total_mass": (lambda t: composites.total_mass(TREE, theta=t), (TREE.theta,)),
    "composites.center_of_mass": (
        lambda q, t: composites.center_of_mass(TREE, q, theta=t),
        (Q, TREE.theta),
    ),
    "composites.center_of_mass_jacobian": (
        lambda q: composites.center_of_mass_jacobian(TREE, q),
        (Q,),
    ),
    "composites.centroidal_momentum_matrix": (
        lambda q: composites.centroidal_momentum_matrix(TREE, q),
        (Q,),
    ),
    "composites.centroidal_inertia": (
        lambda q, t: composites.centroidal_inertia(TREE, q, theta=t),
        (Q, TREE.theta),
    ),
    "forces.generalized_forces": (
        lambda q, F: forces.generalized_forces(TREE, q, 4, forces=F),
        (Q, A),
    ),
    "forces.contact_forces": (forces.contact_forces, (W, A[:2])),
    "impacts.impulses": (
        lambda M, W, u: impacts.impulses(symmetric(M), W, u),
        (DEFINITE, W, SYMMETRIC[0]),
    ),
}
ENTRIES = {f"spatial.{name}": entry for name, entry in SPATIAL.items()} | {
    f"dynamics.{name}": entry for name, entry in DYNAMICS.items()
}


@pytest.mark.parametrize("name", ENTRIES)
def test_pytorch_gives_the_slopes_of_differences(name: str) -> None:
    torch = pytest.importorskip("torch", reason=HOW_TO["torch"])
    function, arguments = ENTRIES[name]
    given = [torch.asarray(np.array(a, dtype=float)).requires_grad_() for a in arguments]
    value, expected = function(*given), np.asarray(function(*arguments))
    size = np.abs(expected).max()
    np.testing.assert_allclose(value.detach(), expected, rtol=0, atol=1e-12 * size)
    rng = np.random.default_rng(0)
    weights = rng.normal(size=expected.shape)
    (value * torch.asarray(weights)).sum().backward()
    step = 1e-6
    directions = [rng.normal(size=np.shape(a)) for a in arguments]
    ahead, behind = (
        (
            function(*(a + sign * step * d for a, d in zip(arguments, directions, strict=True)))
            * weights
        ).sum()
        for sign in (1, -1)
    )
    slope = sum((g.grad.numpy() * d).sum() for g, d in zip(given, directions, strict=True))
    assert abs(slope - (ahead - behind) / (2 * step)) <= 1e-6 * max(1, size)
