"""Rotations and kinematics on arrays of other libraries: the same numbers, and their gradients."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from array_libraries import HOW_TO, Calls, Library, agree, make_call_tests
from inertial_check.errors import ParameterError
from inertial_check.inertia.sampling import rotations
from inertial_check.mechanics import kinematics
from inertial_check.mechanics import rotations as rot

# What looks arguments over is called by all the others.
HELPERS = {
    *("refuse_unknown", "refuse_nonunit", "refuse_nonskew", "find_gimbal_lock", "find_singular"),
    *("angle_and_axis", "matrix_of", "read_parameterisation", "read_sequence", "blank"),
    "euler_and_gimbal_lock",
}
PUBLIC = {
    name
    for module in (rot, kinematics)
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__
    if not name.startswith("_") and name not in HELPERS
}
C_IB = rotations(1, 3)
IN = {name: rot.convert(C_IB, "matrix", name) for name in rot.PARAMETERISATIONS}
Q, Q_2 = IN["quaternion"], rot.quaternion_from_matrix(rotations(2, 3))
PHI, W = IN["rotation-vector"], np.array([[0.1, 0.2, -0.3], [0.0, 0.0, 0.0], [1.0, -2.0, 0.5]])
P = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [-5.0, 0.1, 0.2]])
X_IB = kinematics.pose(C_IB, P)
TIMES = np.array([0.1, 0.5, 0.9])

CALLS: Calls = {
    "skew": (rot.skew, (W,)),
    "unskew": (rot.unskew, (rot.skew(W),)),
    "elementary": (lambda a: rot.elementary("y", a), (TIMES,)),
    "matrix_from_quaternion": (rot.matrix_from_quaternion, (Q,)),
    "quaternion_from_matrix": (rot.quaternion_from_matrix, (C_IB,)),
    "quaternion_from_angle_axis": (rot.quaternion_from_angle_axis, (IN["angle-axis"],)),
    "angle_axis_from_quaternion": (rot.angle_axis_from_quaternion, (Q,)),
    "quaternion_from_rotation_vector": (rot.quaternion_from_rotation_vector, (PHI,)),
    "rotation_vector_from_quaternion": (rot.rotation_vector_from_quaternion, (Q,)),
    "matrix_from_rotation_vector": (rot.matrix_from_rotation_vector, (PHI,)),
    "rotation_vector_from_matrix": (rot.rotation_vector_from_matrix, (C_IB,)),
    "matrix_from_euler": (lambda a: rot.matrix_from_euler(a, "XYZ"), (IN["euler-XYZ"],)),
    "euler_from_matrix": (lambda C: rot.euler_from_matrix(C, "ZYX"), (C_IB,)),
    "nearest_rotation": (rot.nearest_rotation, (C_IB + 0.01,)),
    "normalize_quaternion": (rot.normalize_quaternion, (2 * Q,)),
    "convert": (lambda a: rot.convert(a, "euler-ZYX", "angle-axis"), (IN["euler-ZYX"],)),
    "scalar_last": (rot.scalar_last, (Q,)),
    "scalar_first": (rot.scalar_first, (Q,)),
    "left_matrix": (kinematics.left_matrix, (Q,)),
    "right_matrix": (kinematics.right_matrix, (Q,)),
    "multiply": (kinematics.multiply, (Q, Q_2)),
    "inverse": (kinematics.inverse, (Q,)),
    "box_plus": (kinematics.box_plus, (Q, W)),
    "box_minus": (kinematics.box_minus, (Q, Q_2)),
    "interpolate": (kinematics.interpolate, (Q, Q_2, TIMES)),
    "exp_jacobian": (kinematics.exp_jacobian, (PHI,)),
    "exp_jacobian_inverse": (kinematics.exp_jacobian_inverse, (PHI,)),
    "rotated_vector_jacobian": (kinematics.rotated_vector_jacobian, (PHI, P)),
    "box_minus_jacobians": (lambda q, p: kinematics.box_minus_jacobians(q, p)[1], (Q, Q_2)),
    "compose_angular_velocities": (kinematics.compose_angular_velocities, (W, P, C_IB)),
    "integrate": (lambda q, w, t: kinematics.integrate(q, w, t, "B"), (Q, W, TIMES)),
    "mean_angular_velocity": (
        lambda q, p, t: kinematics.mean_angular_velocity(q, p, t, "B"),
        (Q, Q_2, TIMES),
    ),
    "point_velocity": (kinematics.point_velocity, (P, W, P)),
    "pose": (kinematics.pose, (C_IB, P)),
    "inverse_pose": (kinematics.inverse_pose, (X_IB,)),
    "compose_poses": (kinematics.compose_poses, (X_IB, X_IB)),
    "transform_point": (kinematics.transform_point, (X_IB, W)),
}


def _kinematic(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    return lambda *arrays: function(*arrays, *names)


for parameterisation, values in IN.items():
    names = (parameterisation, "B")
    turn = kinematics.rates(values, W, *names)
    CALLS[f"rates {parameterisation}"] = (_kinematic(kinematics.rates, *names), (values, W))
    CALLS[f"angular_velocity {parameterisation}"] = (
        _kinematic(kinematics.angular_velocity, *names), (values, turn),
    )  # fmt: skip
    if parameterisation != "matrix":
        for map_ in (kinematics.rate_map, kinematics.inverse_rate_map):
            CALLS[f"{map_.__name__} {parameterisation}"] = (_kinematic(map_, *names), (values,))

ANGLES = np.array([[0.3, 0.0, 0.0], [0.0, 0.0, 0.0]])
IDENTITY, HALF_TURN = np.array([1.0, 0, 0, 0]), np.array([0.0, 0.6, 0, 0.8])
# Where a square root of 0, or the division by a sine of 0, is only just avoided.
EDGES: Calls = {
    "exp at 0": (rot.quaternion_from_rotation_vector, (np.zeros(3),)),
    "exp at 0, matrix": (rot.matrix_from_rotation_vector, (np.zeros(3),)),
    "log at 0": (rot.rotation_vector_from_quaternion, (IDENTITY,)),
    "log at 0, matrix": (rot.rotation_vector_from_matrix, (np.eye(3),)),
    "log at pi": (rot.rotation_vector_from_quaternion, (HALF_TURN,)),
    "log at pi, matrix": (
        rot.rotation_vector_from_matrix,
        (rot.matrix_from_quaternion(HALF_TURN),),
    ),
    "angle at 0": (lambda q: rot.angle_axis_from_quaternion(q)[..., 0], (IDENTITY,)),
    "Gamma at 0": (kinematics.exp_jacobian, (np.zeros(3),)),
    "inverse Gamma at 0": (kinematics.exp_jacobian_inverse, (np.zeros(3),)),
    "inverse Gamma at pi": (kinematics.exp_jacobian_inverse, (np.array([0, np.pi, 0]),)),
    "interpolate at rest": (kinematics.interpolate, (HALF_TURN, HALF_TURN, np.array(0.5))),
    "box minus at rest": (kinematics.box_minus, (Q[0], Q[0])),
    "Euler at 0": (lambda C: rot.euler_from_matrix(C, "ZYX"), (np.eye(3),)),
    "rates at 0": (lambda a: kinematics.rates(a, W[:2].tolist(), "euler-ZYX", "I"), (ANGLES,)),
    "rotation vector rates at 0": (
        lambda a: kinematics.rates(a, W[0].tolist(), "rotation-vector", "B"),
        (np.zeros(3),),
    ),
}


def test_every_public_function_is_called() -> None:
    assert {name.split()[0] for name in CALLS} == PUBLIC


test_the_same_numbers_in_the_same_library, test_it_stays_on_its_device, _ = make_call_tests(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_arrays_beside_lists_and_numbers(library: Library, name: str) -> None:
    function, (first, *others) = CALLS[name]
    mixed = [library.array(first, "float32"), *(np.asarray(a).tolist() for a in others)]
    assert library.result_is_own(function, mixed, "float32")


def test_refusals_name_the_body_in_every_library(library: Library) -> None:
    q = np.tile([1.0, 0, 0, 0], (3, 1))
    q[2, 0] = 1.5
    with pytest.raises(ParameterError, match=r"q_IB of body 2 is 1\.5 long"):
        rot.matrix_from_quaternion(library.array(q))
    with pytest.raises(ParameterError, match=r"are singular at y = 1\.5707963"):
        kinematics.rates(
            library.array(np.array([0, np.pi / 2, 0])), library.array(W[0]), "ZYX", "B"
        )


def test_one_singular_row_does_not_refuse_the_others(library: Library) -> None:
    angles = np.zeros((3, 3))
    angles[1, 1] = np.pi / 2
    vectors = np.array([[0.1, 0, 0], [2 * np.pi, 0, 0], [0, 0.2, 0]])
    axes = np.array([[1.0, 0, 0, 1], [0.0, 1, 0, 0], [2.0, 0, 1, 0]])
    for values, name in ((angles, "rpy"), (vectors, "rotation-vector"), (axes, "angle-axis")):
        rates = np.asarray(kinematics.rates(library.array(values), library.array(W[:3]), name, "B"))
        alone = kinematics.rates(library.array(values[2]), library.array(W[2]), name, "B")
        assert np.isnan(rates).any(axis=-1).tolist() == [False, True, False]
        np.testing.assert_allclose(rates[2], np.asarray(alone), rtol=1e-6)


@pytest.mark.parametrize("name", CALLS)
class TestTracing:
    def test_jax_compiles_and_maps_it(self, name: str) -> None:
        jax = pytest.importorskip("jax", reason=HOW_TO["jax"])
        function, arguments = CALLS[name]
        given = [jax.numpy.asarray(a, dtype="float32") for a in arguments]
        expected = function(*arguments)
        agree(jax.jit(jax.vmap(function))(*given), expected, "float32")

    def test_gradients_are_differences(self, name: str) -> None:
        jax = pytest.importorskip("jax", reason=HOW_TO["jax"])
        function, arguments = CALLS[name]
        # Along the last argument, if it may go any way; else along the first, by its own length.
        free = arguments[-1] is W or arguments[-1] is P or arguments[-1] is TIMES
        free |= arguments[-1] is PHI or name.endswith(("euler-ZYX", "euler-XYZ"))
        *fixed, last = arguments
        direction = np.cos(np.arange(last.size)).reshape(last.shape) if free else last * 0.1

        if last is X_IB:
            direction[..., 3, :] = 0.0

        def along(t: Any) -> Any:
            return function(*fixed, last + t * direction)

        def differentiate(start: Any, *given: Any) -> Any:
            return jax.jvp(lambda t: function(*given, start + t * direction), (0.0,), (1.0,))[1]

        with jax.enable_x64(True):
            slope = jax.jit(differentiate)(last, *fixed)
        h = 1e-6 if free else 1e-9  # lengths of 1 may not be left by more
        expected = (np.asarray(along(h)) - np.asarray(along(-h))) / (2 * h)
        size = np.abs(expected).max() + np.abs(np.asarray(function(*arguments))).max()
        np.testing.assert_allclose(np.asarray(slope), expected, atol=1e-15 / h * size + 1e-8 * size)

    def test_torch_differentiates_it(self, name: str) -> None:
        torch = pytest.importorskip("torch", reason=HOW_TO["torch"])
        function, arguments = CALLS[name]
        first, *others = [torch.asarray(a) for a in arguments]
        first = first.clone().requires_grad_()
        function(first, *others).sum().backward()
        assert bool(torch.isfinite(first.grad).all())


@pytest.mark.parametrize("name", EDGES)
class TestGradientsAtTheEdges:
    def test_jax(self, name: str) -> None:
        jax = pytest.importorskip("jax", reason=HOW_TO["jax"])
        function, arguments = EDGES[name]
        with jax.enable_x64(True):
            of_all = jax.jacrev(function, argnums=tuple(range(len(arguments))))
            found = jax.jit(of_all)(*arguments)
        assert all(np.isfinite(np.asarray(one)).all() for one in found)

    def test_torch(self, name: str) -> None:
        torch = pytest.importorskip("torch", reason=HOW_TO["torch"])
        function, arguments = EDGES[name]
        given = [torch.asarray(a).clone().requires_grad_() for a in arguments]
        got = function(*given)
        got.sum().backward()
        assert all(bool(torch.isfinite(one.grad).all()) for one in given)


def test_gradients_of_the_exponential_map_are_gamma() -> None:
    jax = pytest.importorskip("jax", reason=HOW_TO["jax"])
    with jax.enable_x64(True):
        slope_of_matrix = jax.jit(jax.jacfwd(rot.matrix_from_rotation_vector))
        slope_of_exponential = jax.jit(jax.jacfwd(rot.quaternion_from_rotation_vector))
        slope_of_logarithm = jax.jit(jax.jacfwd(rot.rotation_vector_from_quaternion))
        for length in (0.0, 1e-9, 0.5, 3.0):
            phi = np.array([0.6, 0.0, 0.8]) * length
            C = rot.matrix_from_rotation_vector(phi)
            slope = np.asarray(slope_of_matrix(phi))
            turns = np.einsum("ijk,lj->ilk", slope, C)
            columns = np.stack([turns[2, 1], turns[0, 2], turns[1, 0]])
            np.testing.assert_allclose(columns, kinematics.exp_jacobian(phi), atol=1e-14)
            q = rot.quaternion_from_rotation_vector(phi)
            logarithm = np.asarray(slope_of_logarithm(q)) @ np.asarray(slope_of_exponential(phi))
            np.testing.assert_allclose(logarithm, np.eye(3), atol=1e-14)
