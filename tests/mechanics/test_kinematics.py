"""Rates and angular velocities against differences of rotations; velocities and poses of points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from inertial_check.errors import ParameterError
from inertial_check.inertia.sampling import rotations
from inertial_check.mechanics import kinematics
from inertial_check.mechanics import rotations as rot

EPS = np.finfo(float).eps
HALF_THE_DIGITS = EPS**0.5
RNG = np.random.default_rng(3)
C_MANY = rotations(3, 20)
W = RNG.normal(size=(20, 3))
VECTORS = [name for name in rot.PARAMETERISATIONS if name != "matrix"]
SMALL = {
    "quaternion": [1.0, 0, 0, 0],
    "rotation-vector": [0.0, 0, 0],
    "euler-ZYX": [0.0, 0, 0],
    "euler-XYZ": [0.0, 0, 0],
}


def close(got: Any, expected: Any, ulps: float = 64) -> None:
    np.testing.assert_allclose(got, expected, rtol=0, atol=ulps * EPS)


def derivative(f: Callable[[float], Any], step: float = 1e-3) -> Any:
    """By time, at 0, by central differences of sixth order."""
    weights = ((3 / 4, 1), (-3 / 20, 2), (1 / 60, 3))
    return sum(w * (f(k * step) - f(-k * step)) for w, k in weights) / step


def tangent(name: str, values: Any) -> Any:
    """Any rates that the values may have."""
    rates = RNG.normal(size=values.shape)
    if name == "quaternion":
        rates -= values * np.sum(values * rates, axis=-1, keepdims=True)
    if name == "angle-axis":
        axis = values[..., 1:]
        rates[..., 1:] -= axis * np.sum(axis * rates[..., 1:], axis=-1, keepdims=True)
    return rates


def moved(name: str, values: Any, rates: Any, time: float) -> Any:
    """The matrices a time later; lengths of 1 are held, which changes them to second order."""
    values = values + time * rates
    if name == "quaternion":
        values = values / np.linalg.norm(values, axis=-1, keepdims=True)
    if name == "angle-axis":
        length = np.linalg.norm(values[..., 1:], axis=-1, keepdims=True)
        values = np.concatenate([values[..., :1], values[..., 1:] / length], axis=-1)
    return rot.convert(values, name, "matrix")


def true_velocity(C_IB: Any, change: Any, expressed_in: str) -> Any:
    """The skew-symmetric part of C^T dC/dt (in B) or dC/dt C^T (in I)."""
    back = np.swapaxes(C_IB, -1, -2)
    turn = back @ change if expressed_in == "B" else change @ back
    return np.stack([turn[..., 2, 1], turn[..., 0, 2], turn[..., 1, 0]], axis=-1)


@pytest.fixture(params=kinematics.FRAMES)
def frame(request: pytest.FixtureRequest) -> Any:
    return request.param


class TestRates:
    @pytest.mark.parametrize("name", VECTORS)
    def test_angular_velocity_is_that_of_the_moving_matrix(self, name: str, frame: str) -> None:
        values = rot.convert(C_MANY, "matrix", name)
        rates = tangent(name, values)
        change = derivative(lambda t: moved(name, values, rates, t))
        expected = true_velocity(C_MANY, change, frame)
        got = kinematics.angular_velocity(values, rates, name, frame)
        size = np.abs(rates).max() * 10
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11 * size)

    @pytest.mark.parametrize("name", SMALL)
    def test_also_where_nothing_is_turned_yet(self, name: str, frame: str) -> None:
        values = np.array(SMALL[name])
        rates = tangent(name, values)
        change = derivative(lambda t: moved(name, values, rates, t))
        got = kinematics.angular_velocity(values, rates, name, frame)
        np.testing.assert_allclose(got, true_velocity(np.eye(3), change, frame), atol=1e-11)
        close(kinematics.rates(values, got, name, frame), rates)

    @pytest.mark.parametrize("name", rot.PARAMETERISATIONS)
    def test_rates_and_velocity_undo_each_other(self, name: str, frame: str) -> None:
        values = rot.convert(C_MANY, "matrix", name)
        rates = kinematics.rates(values, W, name, frame)
        assert rates.shape == values.shape
        steep = 1 / np.abs(np.cos(values[..., 1])).min() if name.startswith("euler") else 1.0
        close(kinematics.angular_velocity(values, rates, name, frame), W, 64 * steep)

    @pytest.mark.parametrize("name", VECTORS)
    def test_maps_are_inverses_on_the_rates_there_are(self, name: str, frame: str) -> None:
        values = rot.convert(C_MANY, "matrix", name)
        E, F = (
            kinematics.rate_map(values, name, frame),
            kinematics.inverse_rate_map(values, name, frame),
        )
        assert (E.shape[-2:], F.shape[-2:]) == ((3, values.shape[-1]), (values.shape[-1], 3))
        size = 64 * np.abs(F).max()
        close(E @ F, np.broadcast_to(np.eye(3), (20, 3, 3)), size)
        rates = tangent(name, values)
        close((F @ E @ rates[..., None])[..., 0], rates, size * np.abs(rates).max())

    @pytest.mark.parametrize("name", rot.PARAMETERISATIONS)
    def test_local_and_global_differ_by_the_rotation(self, name: str) -> None:
        values = rot.convert(C_MANY, "matrix", name)
        rates = kinematics.rates(values, W, name, "B")
        size = 64 * max(1, np.abs(rates).max())
        in_i = kinematics.angular_velocity(values, rates, name, "I")
        close(in_i, (C_MANY @ W[..., None])[..., 0], size)

    def test_rates_of_the_matrix_are_the_products_of_the_sheet(self) -> None:
        turn = rot.skew(W)
        assert np.allclose(kinematics.rates(C_MANY, W, "matrix", "B"), C_MANY @ turn, atol=1e-15)
        assert np.allclose(kinematics.rates(C_MANY, W, "matrix", "I"), turn @ C_MANY, atol=1e-15)
        # The other forms: dC_BI^T C_BI in I, C_BI dC_BI^T in B, with dC_BI = -w^x C_BI.
        back = np.swapaxes(C_MANY, -1, -2)
        change = np.swapaxes(-turn @ back, -1, -2)
        close(kinematics.angular_velocity(C_MANY, change, "matrix", "B"), W)

    @pytest.mark.parametrize("name", rot.PARAMETERISATIONS)
    @pytest.mark.parametrize("spoilt", [np.nan, np.inf])
    def test_a_rate_that_is_not_finite_spoils_only_its_row(
        self, name: str, spoilt: float, frame: str
    ) -> None:
        values = rot.convert(C_MANY, "matrix", name)
        rates = kinematics.rates(values, W, name, frame)
        good = kinematics.angular_velocity(values, rates, name, frame)
        rates[7] = spoilt
        got = kinematics.angular_velocity(values, rates, name, frame)
        others = np.arange(20) != 7
        assert got[others].tolist() == good[others].tolist()
        assert not np.isfinite(got[7]).all()


class TestMatricesOfTheSheet:
    ANGLES = RNG.uniform(-1.2, 1.2, (10, 3))

    def stacked(self, rows: Any) -> Any:
        return np.moveaxis(
            np.array([[r + 0 * self.ANGLES[:, 0] for r in row] for row in rows]), -1, 0
        )

    @pytest.mark.parametrize("sequence", ["ZYX", "XYZ"])
    def test_euler_angles(self, sequence: str) -> None:
        angles = self.ANGLES if sequence == "XYZ" else self.ANGLES[:, ::-1]
        sx, cx, sy, cy, sz, cz = (part for angle in angles.T for part in _sc(angle))
        if sequence == "ZYX":
            in_i = [[0, -sz, cy * cz], [0, cz, cy * sz], [1, 0, -sy]]
            in_b = [[-sy, 0, 1], [cy * sx, cx, 0], [cx * cy, -sx, 0]]
            from_i = [[cz * sy / cy, sy * sz / cy, 1], [-sz, cz, 0], [cz / cy, sz / cy, 0]]
            from_b = [[0, sx / cy, cx / cy], [0, cx, -sx], [1, sx * sy / cy, cx * sy / cy]]
            close(np.linalg.det(self.stacked(in_i)), -cy)
        else:
            in_i = [[1, 0, sy], [0, cx, -cy * sx], [0, sx, cx * cy]]
            in_b = [[cy * cz, sz, 0], [-cy * sz, cz, 0], [sy, 0, 1]]
            from_i = [[1, sx * sy / cy, -cx * sy / cy], [0, cx, sx], [0, -sx / cy, cx / cy]]
            from_b = [[cz / cy, -sz / cy, 0], [sz, cz, 0], [-cz * sy / cy, sz * sy / cy, 1]]
        for frame, there, back in (("I", in_i, from_i), ("B", in_b, from_b)):
            names = f"euler-{sequence}", frame
            close(kinematics.rate_map(self.ANGLES, *names), self.stacked(there))
            close(kinematics.inverse_rate_map(self.ANGLES, *names), self.stacked(back))

    def test_quaternions(self) -> None:
        q0, q1, q2, q3 = q = np.array([0.5, -0.1, 0.7, -0.5])
        H = [[-q1, q0, -q3, q2], [-q2, q3, q0, -q1], [-q3, -q2, q1, q0]]
        H_bar = [[-q1, q0, q3, -q2], [-q2, -q3, q0, q1], [-q3, q2, -q1, q0]]
        assert kinematics.rate_map(q, "quaternion", "I").tolist() == (2 * np.array(H)).tolist()
        assert kinematics.rate_map(q, "quaternion", "B").tolist() == (2 * np.array(H_bar)).tolist()
        assert (
            kinematics.inverse_rate_map(q, "quaternion", "B").tolist()
            == (np.array(H_bar).T / 2).tolist()
        )
        close(np.array(H) @ np.array(H_bar).T, rot.matrix_from_quaternion(q))

    @pytest.mark.parametrize(("frame", "sign"), [("I", 1), ("B", -1)])
    def test_angle_and_axis(self, frame: str, sign: int) -> None:
        values = rot.convert(C_MANY, "matrix", "angle-axis")
        rates = tangent("angle-axis", values)
        angle, n, d_angle, dn = values[:, :1], values[:, 1:], rates[:, :1], rates[:, 1:]
        w = n * d_angle + dn * np.sin(angle) + sign * np.cross(n, dn) * (1 - np.cos(angle))
        close(kinematics.angular_velocity(values, rates, "angle-axis", frame), w)
        got = kinematics.rates(values, W, "angle-axis", frame)
        close(got[:, 0], np.sum(n * W, axis=-1))
        ratio = np.sin(angle) / (1 - np.cos(angle))
        twice = np.cross(n, np.cross(n, W))
        expected = -ratio / 2 * twice - sign / 2 * np.cross(n, W)
        close(got[:, 1:], expected, 64 * np.abs(expected).max())

    def test_slip_the_third_axis_of_appendix_1_ends_in_minus_sin_y(self) -> None:
        # Eq. 4 prints -sin(z), against its own eq. 5.
        z, y, x = 0.4, -0.9, 0.2
        axis = rot.elementary("z", z) @ rot.elementary("y", y) @ [1, 0, 0]
        close(axis, [np.cos(y) * np.cos(z), np.cos(y) * np.sin(z), -np.sin(y)])
        close(kinematics.rate_map([z, y, x], "euler-ZYX", "I")[:, 2], axis)
        assert abs(axis[2] + np.sin(z)) > 0.1

    def test_slip_equation_8_takes_the_inverse_of_e(self) -> None:
        chi = np.array([0.4, -0.9, 0.2])
        E, C_IB = kinematics.rate_map(chi, "euler-ZYX", "I"), rot.matrix_from_euler(chi, "ZYX")
        rates = kinematics.rates(chi, W[0], "euler-ZYX", "B")
        close(rates, np.linalg.solve(E, C_IB @ W[0]))
        close(C_IB.T @ E @ rates, W[0])
        assert np.abs(rates - E @ C_IB @ W[0]).max() > 0.1


def _sc(angle: Any) -> Any:
    return np.sin(angle), np.cos(angle)


class TestSingularities:
    @pytest.mark.parametrize("name", ["euler-ZYX", "euler-XYZ"])
    @given(power=st.floats(-17, -1), turns=st.integers(-3, 3), side=st.sampled_from([1, -1]))
    def test_euler_angles(self, name: str, power: float, turns: int, side: int) -> None:
        gap = side * 10**power
        angles = np.array([0.3, np.pi / 2 + turns * np.pi + gap, -0.8])
        for frame in kinematics.FRAMES:
            if abs(gap) < HALF_THE_DIGITS / 2:
                with pytest.raises(ParameterError, match="are singular at y = "):
                    kinematics.rates(angles, W[0], name, frame)
            elif abs(gap) > 2 * HALF_THE_DIGITS:
                rates = kinematics.rates(angles, W[0], name, frame)
                w = kinematics.angular_velocity(angles, rates, name, frame)
                close(w, W[0], 256 / abs(gap))
            # The other way there is always an answer.
            kinematics.angular_velocity(angles, [1, 1, 1], name, frame)

    @given(power=st.floats(-300, -1), turns=st.integers(-3, 3))
    def test_the_axis_of_full_turns(self, power: float, turns: int) -> None:
        gap = 10**power
        values = np.array([2 * np.pi * turns + gap, 0.6, 0, 0.8])
        for frame in kinematics.FRAMES:
            if turns == 0:  # a small angle is known to all its digits
                rates = kinematics.rates(values, W[0], "angle-axis", frame)
                close(kinematics.angular_velocity(values, rates, "angle-axis", frame), W[0])
            elif gap < HALF_THE_DIGITS:
                with pytest.raises(ParameterError, match=r"turns by .* rad, full turns"):
                    kinematics.rates(values, W[0], "angle-axis", frame)

    def test_the_axis_of_no_turn_at_all(self) -> None:
        with pytest.raises(ParameterError, match="turns by 0 rad"):
            kinematics.inverse_rate_map([0.0, 1, 0, 0], "angle-axis", "I")

    def test_slip_full_turns_are_singular_and_no_turn_is_not_for_rotation_vectors(self) -> None:
        # The sheet excludes |phi| = 0 only, where there is a limit, and not 2 pi, where there is
        # none.
        assert (
            kinematics.inverse_rate_map([0.0, 0, 0], "rotation-vector", "I").tolist()
            == np.eye(3).tolist()
        )
        with pytest.raises(ParameterError, match="full turns"):
            kinematics.rates([0, 2 * np.pi, 0], W[0], "rotation-vector", "I")
        near = np.linalg.norm(
            kinematics.rates([0, 2 * np.pi - 1e-6, 0], [1.0, 0, 0], "rotation-vector", "I")
        )
        assert near > 1e6


class TestMotion:
    def test_integration_of_a_constant_velocity_is_exact(self, frame: str) -> None:
        q = rot.quaternion_from_matrix(C_MANY)
        got = rot.matrix_from_quaternion(kinematics.integrate(q, W, 7.0, frame))
        turn = Rotation.from_rotvec(7 * W).as_matrix()
        close(got, C_MANY @ turn if frame == "B" else turn @ C_MANY)
        change = derivative(
            lambda t: rot.matrix_from_quaternion(kinematics.integrate(q, W, t, frame))
        )
        np.testing.assert_allclose(true_velocity(C_MANY, change, frame), W, atol=1e-11)

    def test_the_mean_velocity_leads_there(self, frame: str) -> None:
        q_0 = rot.quaternion_from_matrix(C_MANY)
        q_1 = rot.quaternion_from_matrix(rotations(4, 20))
        w = kinematics.mean_angular_velocity(q_0, q_1, 0.1, frame)
        assert np.linalg.norm(w, axis=-1).max() <= np.pi / 0.1 * (1 + 4 * EPS)
        got = rot.matrix_from_quaternion(kinematics.integrate(q_0, w, 0.1, frame))
        close(got, rot.matrix_from_quaternion(q_1))

    def test_steps_of_the_sheet(self) -> None:
        # 10) and 11): in I on q_IB, and with a minus in B on q_BI.
        q = rot.quaternion_from_matrix(C_MANY)
        back = kinematics.box_plus(kinematics.inverse(q), -0.1 * W)
        close(kinematics.integrate(q, W, 0.1, "B"), kinematics.inverse(back), 0)
        w = -kinematics.box_minus(back, kinematics.inverse(q)) / 0.1
        close(kinematics.mean_angular_velocity(q, kinematics.inverse(back), 0.1, "B"), w)

    def test_composition_of_angular_velocities(self) -> None:
        C_AB, C_BC, w_AB_B, w_BC_C = C_MANY[0], C_MANY[1], W[0], W[1]

        def C_AC(t: float) -> Any:
            turns = [rot.matrix_from_rotation_vector(t * w) for w in (w_AB_B, w_BC_C)]
            return C_AB @ turns[0] @ C_BC @ turns[1]

        w_AC_C = kinematics.compose_angular_velocities(w_AB_B, w_BC_C, C_BC)
        expected = true_velocity(C_AC(0), derivative(C_AC), "B")
        np.testing.assert_allclose(w_AC_C, expected, atol=1e-11)
        # The inverse of an angular velocity is its negative: B in A and back again is at rest.
        back = kinematics.compose_angular_velocities(w_AB_B, -C_BC.T @ w_AB_B, C_BC)
        close(back, [0, 0, 0])

    def test_the_velocity_of_a_point_in_a_moving_frame(self) -> None:
        C_0, w_IB_B, v_A_I, r, dr = C_MANY[2], W[2], W[3], W[4], W[5]

        def p_P(t: float) -> Any:
            C_IB = C_0 @ rot.matrix_from_rotation_vector(t * w_IB_B)
            return t * v_A_I + C_IB @ (r + t * dr)

        got = kinematics.point_velocity(C_0.T @ v_A_I, w_IB_B, r, dr)
        np.testing.assert_allclose(C_0 @ got, derivative(p_P), atol=1e-11)
        in_i = kinematics.point_velocity(v_A_I, C_0 @ w_IB_B, C_0 @ r, C_0 @ dr)
        close(in_i, C_0 @ got)

    def test_the_velocity_of_a_point_of_the_same_body(self) -> None:
        # About z at 2 rad/s, 3 m out along x: 6 m/s along y.
        assert kinematics.point_velocity([1, 0, 0], [0, 0, 2], [3, 0, 0]).tolist() == [1, 6, 0]


class TestPoses:
    P = RNG.normal(size=(20, 3))

    def test_a_pose_takes_points_of_b_to_i(self) -> None:
        X_IB = kinematics.pose(C_MANY, self.P)
        got = kinematics.transform_point(X_IB, W)
        close(got, (C_MANY @ W[..., None])[..., 0] + self.P)
        bar = np.concatenate([W, np.ones((20, 1))], axis=-1)
        close((X_IB @ bar[..., None])[..., :3, 0], got)
        assert X_IB[:, 3].tolist() == [[0, 0, 0, 1]] * 20

    def test_inverse(self) -> None:
        X_IB = kinematics.pose(C_MANY, self.P)
        close(kinematics.inverse_pose(X_IB), np.linalg.inv(X_IB))
        close(
            kinematics.transform_point(
                kinematics.inverse_pose(X_IB), kinematics.transform_point(X_IB, W)
            ),
            W,
        )

    def test_chains(self) -> None:
        X_AB, X_BC, X_CD = (kinematics.pose(C_MANY[i], self.P[i]) for i in range(3))
        close(kinematics.compose_poses(X_AB, X_BC, X_CD), X_AB @ X_BC @ X_CD)
        assert kinematics.compose_poses(X_AB).tolist() == X_AB.tolist()
        with pytest.raises(ParameterError, match="no pose"):
            kinematics.compose_poses()

    def test_leading_axes_broadcast(self) -> None:
        assert kinematics.pose(C_MANY, [1, 2, 3]).shape == (20, 4, 4)
        assert kinematics.pose(np.eye(3), self.P[:, None]).shape == (20, 1, 4, 4)
        X_IB = kinematics.pose(C_MANY[:4, None], self.P[:3])
        assert kinematics.compose_poses(X_IB, np.eye(4)).shape == (4, 3, 4, 4)


class TestRefusals:
    def test_names_that_do_not_exist(self) -> None:
        with pytest.raises(ParameterError, match=r"unknown frame expressed_in 'world'.* B, I"):
            kinematics.rates([0, 0, 0], [0, 0, 1], "rotation-vector", "world")
        with pytest.raises(ParameterError, match="unknown parameterisation 'euler'"):
            kinematics.angular_velocity([0, 0, 0], [0, 0, 1], "euler", "B")
        with pytest.raises(ParameterError, match="unknown parameterisation 'matrix', expected one"):
            kinematics.rate_map(np.eye(3), "matrix", "B")

    @pytest.mark.parametrize(
        ("name", "values", "rates"),
        [
            ("quaternion", [[1.0, 0, 0, 0]] * 2, [[0.0, 1, 0, 0], [0.1, 1, 0, 0]]),
            ("angle-axis", [[1.0, 0, 0, 1]] * 2, [[1.0, 1, 0, 0], [1, 1, 0, 0.1]]),
            ("matrix", [np.eye(3)] * 2, [rot.skew([1, 2, 3]), np.eye(3)]),
        ],
    )
    def test_rates_that_leave_the_rotations(self, name: str, values: Any, rates: Any) -> None:
        with pytest.raises(ParameterError, match=r"body 1 .* use mean_angular_velocity"):
            kinematics.angular_velocity(np.array(values), np.array(rates), name, "B")

    def test_values_that_are_no_rotation(self) -> None:
        for name, values in (
            ("matrix", 2 * np.eye(3)),
            ("quaternion", [2.0, 0, 0, 0]),
            ("angle-axis", [1.0, 0, 0, 2]),
        ):
            with pytest.raises(ParameterError, match="expected"):
                kinematics.rates(values, [0, 0, 1], name, "B")

    def test_shapes_and_durations(self) -> None:
        with pytest.raises(ParameterError, match=r"w_IB has shape \(4,\)"):
            kinematics.rates([0, 0, 0], [0, 0, 1, 0], "rotation-vector", "B")
        with pytest.raises(ParameterError, match=r"rates has shape \(3,\), expected \(\.\.\., 4\)"):
            kinematics.angular_velocity([1, 0, 0, 0], [0, 0, 1], "quaternion", "B")
        with pytest.raises(ParameterError, match="do not broadcast"):
            kinematics.rates(C_MANY[:2], W[:3], "matrix", "B")
        with pytest.raises(ParameterError, match="do not broadcast"):
            kinematics.point_velocity(W[:2], W[:3], W[:3])
        with pytest.raises(ParameterError, match="dr_AP has shape"):
            kinematics.point_velocity(W, W, W, [1, 2])
        with pytest.raises(ParameterError, match="duration of body 1 is 0 s"):
            kinematics.mean_angular_velocity([1, 0, 0, 0], [1, 0, 0, 0], [1.0, 0.0], "B")
        with pytest.raises(ParameterError, match="last row"):
            kinematics.inverse_pose(np.ones((4, 4)))
