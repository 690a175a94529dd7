"""Gradients of the public functions on arrays, against finite differences.

tests/inertia/test_array_api.py has those of the formulas of inertia, and
tests/projection/test_derivatives.py those of projections.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inertial_check as ic
from array_libraries import HOW_TO
from inertial_check.inertia import eigen
from inertial_check.inertia.arrays import array_namespace
from inertial_check.mechanics import (
    added_mass,
    compact,
    composites,
    contacts,
    equations,
    factor,
    forward,
    jacobians,
    rotations,
    vectors,
)
from inertial_check.mechanics import kinematics as motion
from inertial_check.mechanics import kinematics as rotation_calculus
from inertial_check.mechanics import rotations as euler
from inertial_check.mechanics import rotations as normalization
from inertial_check.projection import moments
from public_calls import list_calls
from random_trees import configurations, random_tree

RNG = np.random.default_rng(5)
PHI, ETA = np.array([0.3, -0.5, 0.4]), np.array([-0.2, 0.6, 0.1])
R, T, A, B = RNG.normal(size=(4, 3))
TERMS = np.array([1.5, 0.3, 0.1, -0.2, 2.0, 1.5, 1.2, 0.1, -0.2, 0.15])
URDF = np.array([1.5, 0.3, 0.1, -0.2, 2.0, 0.1, 0.15, 1.5, -0.2, 1.2])
ROD = np.array([1.0, 0, 0, 0, 0, 2, 2, 0, 0, 0])
SYMMETRIC = np.cov(RNG.normal(size=(6, 40)))
DEFINITE = SYMMETRIC @ SYMMETRIC + np.eye(6)
TREE = random_tree(0)
Q, U, DU = configurations(TREE, 1, ())
FLOATING = random_tree(0, base="floating")
FLOATING_STATE = configurations(FLOATING, 1, ())
TAU = np.linspace(-1, 1, TREE.n_u)
W = RNG.normal(size=(6, 2))

turn = rotations.matrix_from_rotation_vector
spin = rotations.quaternion_from_rotation_vector


def pose(phi: Any, p: Any) -> Any:
    return motion.pose(turn(phi), p)


def symmetric(M: Any) -> Any:
    return (M + M.swapaxes(-1, -2)) / 2


def center(terms: Any) -> Any:
    return terms[..., 1:4] / terms[..., :1]


def unit(q: Any) -> Any:
    """Coordinates of a floating tree with a quaternion of length 1."""
    quaternion = normalization.normalize_quaternion(q[..., 3:7])
    return array_namespace(q).concat([q[..., :3], quaternion, q[..., 7:]], axis=-1)


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
    "kinematics.left_matrix": (
        lambda phi: rotation_calculus.left_matrix(spin(phi)),
        (PHI,),
    ),
    "kinematics.right_matrix": (
        lambda phi: rotation_calculus.right_matrix(spin(phi)),
        (PHI,),
    ),
    "kinematics.multiply": (
        lambda phi, eta: rotation_calculus.multiply(spin(phi), spin(eta)),
        (PHI, ETA),
    ),
    "kinematics.inverse": (lambda phi: rotation_calculus.inverse(spin(phi)), (PHI,)),
    "kinematics.box_plus": (
        lambda phi, v: rotation_calculus.box_plus(spin(phi), v),
        (PHI, ETA),
    ),
    "kinematics.box_minus": (
        lambda phi, eta: rotation_calculus.box_minus(spin(phi), spin(eta)),
        (PHI, ETA),
    ),
    "kinematics.interpolate": (
        lambda phi, eta, t: rotation_calculus.interpolate(spin(phi), spin(eta), t),
        (PHI, ETA, np.asarray(0.3)),
    ),
    "kinematics.exp_jacobian": (rotation_calculus.exp_jacobian, (PHI,)),
    "kinematics.exp_jacobian_inverse": (rotation_calculus.exp_jacobian_inverse, (PHI,)),
    "kinematics.rotated_vector_jacobian": (
        rotation_calculus.rotated_vector_jacobian,
        (PHI, R),
    ),
    "kinematics.box_minus_jacobians": (
        lambda phi, eta: rotation_calculus.box_minus_jacobians(spin(phi), spin(eta))[0],
        (PHI, ETA),
    ),
    "rotations.quaternion_from_angle_axis": (
        lambda phi: rotations.quaternion_from_angle_axis(
            rotations.angle_axis_from_quaternion(spin(phi))
        ),
        (PHI,),
    ),
    "rotations.convert": (
        lambda phi: rotations.convert(phi, "rotation-vector", "euler-ZYX"),
        (PHI,),
    ),
    "kinematics.rate_map": (lambda a: motion.rate_map(a, "euler-ZYX", "I"), (PHI,)),
    "kinematics.inverse_rate_map": (
        lambda phi: motion.inverse_rate_map(phi, "rotation-vector", "B"),
        (PHI,),
    ),
    "kinematics.angular_velocity": (
        lambda a, da: motion.angular_velocity(a, da, "euler-ZYX", "B"),
        (PHI, A),
    ),
    "kinematics.rates": (lambda phi, w: motion.rates(spin(phi), w, "quaternion", "B"), (PHI, A)),
    "kinematics.integrate": (
        lambda phi, w, t: motion.integrate(spin(phi), w, t, "B"),
        (PHI, A, np.asarray(0.3)),
    ),
    "kinematics.mean_angular_velocity": (
        lambda phi, eta, t: motion.mean_angular_velocity(spin(phi), spin(eta), t, "I"),
        (PHI, ETA, np.asarray(0.3)),
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
    "compact.merge": (
        lambda t, o, phi, p: compact.merge(t, center(t), o, center(o), pose(phi, p)).terms,
        (TERMS, 0.7 * TERMS + 0.01, PHI, T),
    ),
    "compact.product_of_skews": (compact.product_of_skews, (A, B)),
    "compact.widen": (compact.widen, (TERMS,)),
    "compact.narrow": (lambda t: compact.narrow(compact.widen(t)), (TERMS,)),
    "factor.factor": (lambda t: factor.factor(t).terms, (TERMS,)),
    "factor.InertiaFactor.spatial_inertia": (
        lambda t: factor.factor(t).spatial_inertia("linear-angular"),
        (TERMS,),
    ),
    "factor.InertiaFactor.solve": (
        lambda t, F: factor.factor(t).solve(F, "angular-linear"),
        (TERMS, SYMMETRIC[0]),
    ),
    "factor.InertiaFactor.residual": (
        lambda F: factor.factor(array_namespace(F).asarray(ROD)).residual(F, "angular-linear"),
        (SYMMETRIC[0],),
    ),
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
    "rotations.normalize_quaternion": (
        normalization.normalize_quaternion,
        (np.array([0.6, 0.3, -0.2, 0.7]),),
    ),
    "rotations.matrix_from_euler": (lambda a: euler.matrix_from_euler(a, "ZYX"), (PHI,)),
    "rotations.euler_from_matrix": (lambda phi: euler.euler_from_matrix(turn(phi), "ZYX"), (PHI,)),
    "vectors.Plx.from_pose": (
        lambda phi, p: vectors.Plx.from_pose(pose(phi, p)).as_matrix("linear-angular"),
        (PHI, T),
    ),
    "vectors.Plxb.from_pose": (
        lambda phi, p: vectors.Plxb.from_pose(pose(phi, p)).as_matrix("linear-angular"),
        (PHI, T),
    ),
    "added_mass.cmct": (
        lambda M: added_mass.cmct(symmetric(M), "linear-angular"),
        (DEFINITE,),
    ),
    "added_mass.dart_spatial_tensor": (
        lambda m, c, M: added_mass.dart_spatial_tensor(m, c, symmetric(M)),
        (np.asarray(1.5), A, DEFINITE[:3, :3]),
    ),
    "added_mass.dart_parameters": (
        lambda M: added_mass.dart_parameters(symmetric(M)).moment,
        (DEFINITE,),
    ),
    "added_mass.judge_added_mass": (
        lambda t, M: (
            added_mass.judge_added_mass(
                ic.InertialParameters.from_theta(t, "ksl"), symmetric(M), "linear-angular"
            ).margin
        ),
        (TERMS, DEFINITE),
    ),
}
INERTIA: dict[str, Entry] = {
    "check": (lambda t: ic.check(t, order="ksl").margin, (TERMS,)),
    "realize": (lambda t: ic.realize(t)[1], (URDF,)),
    "inertia.eigen.eigenvalues": (eigen.eigenvalues, (URDF[4:],)),
    "inertia.eigen.eigensystem": (lambda six: eigen.eigensystem(six)[0], (URDF[4:],)),
    "projection.metrics.trace": (moments.trace, (URDF[4:],)),
    "projection.metrics.inner": (moments.inner, (URDF[4:], TERMS[4:])),
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
    "jacobians.poses": (lambda q: jacobians.poses(TREE, q), (Q,)),
    "jacobians.jacobian": (lambda q: jacobians.jacobian(TREE, q, 4), (Q,)),
    "jacobians.jacobian_derivative": (
        lambda q, u: jacobians.jacobian_derivative(TREE, q, u, 4),
        (Q, U),
    ),
    "jacobians.hessian": (lambda q, p: jacobians.hessian(TREE, q, 4, p), (Q, A)),
    "jacobians.coordinate_rates": (
        lambda q, u: jacobians.coordinate_rates(FLOATING, unit(q), u),
        FLOATING_STATE[:2],
    ),
    "jacobians.velocities_from_rates": (
        lambda q, dq: jacobians.velocities_from_rates(FLOATING, unit(q), dq),
        (FLOATING_STATE[0], FLOATING_STATE[0] + 0.1),
    ),
    "jacobians.move": (
        lambda q, u: jacobians.move(FLOATING, unit(q), u),
        FLOATING_STATE[:2],
    ),
    "composites.composite_parameters": (
        lambda q, t: composites.composite_parameters(TREE, q, theta=t),
        (Q, TREE.theta),
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
    "contacts.generalized_forces": (
        lambda q, F: contacts.generalized_forces(TREE, q, 4, forces=F),
        (Q, A),
    ),
    "contacts.contact_directions": (
        lambda q, d, p: contacts.contact_directions(TREE, q, [4, 2], d, p, against=[1, -1]),
        (Q, W[:2] @ W.T[:, :3], W[2:4] @ W.T[:, 3:]),
    ),
    "contacts.contact_forces": (contacts.contact_forces, (W, A[:2])),
    "contacts.impulses": (
        lambda M, W, u: contacts.impulses(symmetric(M), W, u),
        (DEFINITE, W, SYMMETRIC[0]),
    ),
    "contacts.velocities_after": (
        lambda M, W, u, P: contacts.velocities_after(symmetric(M), W, u, P),
        (DEFINITE, W, SYMMETRIC[0], A[:2]),
    ),
    "contacts.in_other_velocities": (
        lambda M, h, B, w: contacts.in_other_velocities(M, h, B, w)[1],
        (DEFINITE, SYMMETRIC[0], W, SYMMETRIC[1]),
    ),
}
ENTRIES = {f"mechanics.{name}": entry for name, entry in (SPATIAL | DYNAMICS).items()} | INERTIA


WITHOUT_ENTRY = {
    r"InertialParameters\..*|inertia\.(representations|frames|equivalents)\..*": (
        "tests/inertia/test_array_api.py has its slopes"
    ),
    r"project|projection\.priors\..*": "tests/projection/test_derivatives.py: slopes of project",
    r"sample": "tests/inertia/test_randomisation.py has its slopes",
    r"Consistency|inertia\.consistency\..*": "check gives the same numbers",
    r"inertia\.solids\..*": "polynomials; tests/inertia/test_densities.py has a slope",
    r"inertia\.(resemblance|meshes)\..*|inertia\.sampling\.(integrate|from_samples)": "NumPy alone",
    r"mechanics\.equations\.projected_newton_euler": "NumPy alone",
    r"projection\.constraints\..*": "the numbers of a constraint are constants",
    r"inertia\.intervals\.admissible_intervals": "bisection, which has no slope",
    r"mechanics\..*_": "writes into the array that was given",
    r"mechanics\.rotations\.nearest_rotation": "singular vectors, of which no caller takes slopes",
    r"mechanics\.added_mass\.GzInertial.*": "holds the arrays that were given",
    r"mechanics\.vectors\.(Plxb?|PluckerTransform\.from_pose)": "Plx.from_pose and plx make it",
}
"""Reasons why public functions on arrays, by patterns of their names, have no entry above."""


def test_every_public_function_on_arrays_has_its_slopes_or_a_reason() -> None:
    here = re.compile(r"inertial_check\.(mechanics|inertia|projection)\.")
    named = {
        call.name
        for call in list_calls()
        if here.match(getattr(call.function, "__module__", ""))
        and re.search(r"\bArray(Like)?\b", str(inspect.signature(call.function)))
    }
    assert not {name for name in named - set(ENTRIES) if not find_reasons(name)}
    assert not [name for name in ENTRIES if find_reasons(name)]
    used = {pattern for name in named for pattern in find_reasons(name)}
    assert used == set(WITHOUT_ENTRY)


def find_reasons(name: str) -> list[str]:
    return [pattern for pattern in WITHOUT_ENTRY if re.fullmatch(pattern, name)]


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
