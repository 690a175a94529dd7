"""Parameterisations of rotations: the sheet's own matrices, SciPy as oracle, and their ends."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from inertial_check.documents.poses import from_rpy
from inertial_check.errors import ParameterError
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.mechanics import rotations
from inertial_check.mechanics.rotations import nearest_rotation, normalize_quaternion

EPS = np.finfo(float).eps
HALF_THE_DIGITS = EPS**0.5
MANY = Rotation.random(300, rng=7)
LENGTHS = [0.0, 1e-300, 1e-160, 1e-17, 1e-12, 1e-8, 1e-4, 0.1, 0.2003, 0.999, 1.001, 2.0, 3.0]
NEAR_PI = [np.pi - gap for gap in (1e-3, 1e-7, 1e-12, 4 * EPS, 0.0)]
AXES = np.array([[1.0, 0, 0], [0, -1.0, 0], [0.6, 0, -0.8], [2 / 3, -1 / 3, 2 / 3]])

lengths = st.one_of(
    st.sampled_from([*LENGTHS, *NEAR_PI]),
    st.floats(0, np.pi),
    st.floats(-16, 0).map(lambda power: np.pi - 10**power),
)
rotation_vectors = st.builds(
    lambda axis, length: np.array(axis) / np.linalg.norm(axis) * length,
    st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda axis: np.linalg.norm(axis) > 0.1),
    lengths,
)


def close(got: Any, expected: Any, ulps: float = 16) -> None:
    np.testing.assert_allclose(got, expected, rtol=0, atol=ulps * EPS)


def matrix_of(values: Any, parameterisation: str) -> Any:
    return rotations.convert(values, parameterisation, "matrix")


class TestConvention:
    def test_a_matrix_takes_coordinates_in_b_to_those_in_i(self) -> None:
        # B is I turned a quarter about z: its x axis is the y axis of I.
        C_IB = rotations.elementary("z", np.pi / 2)
        close(C_IB @ [1, 0, 0], [0, 1, 0])

    @pytest.mark.parametrize(
        ("parameterisation", "values"),
        [
            ("matrix", [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
            ("quaternion", [0.5**0.5, 0, 0, 0.5**0.5]),
            ("angle-axis", [np.pi / 2, 0, 0, 1]),
            ("rotation-vector", [0, 0, np.pi / 2]),
            ("euler-ZYX", [np.pi / 2, 0, 0]),
            ("euler-XYZ", [0, 0, np.pi / 2]),
        ],
    )
    def test_every_parameterisation_of_that_turn(self, parameterisation: str, values: Any) -> None:
        for target in rotations.PARAMETERISATIONS:
            known = rotations.convert(rotations.elementary("z", np.pi / 2), "matrix", target)
            close(rotations.convert(values, parameterisation, target), known)

    @pytest.mark.parametrize("angle", [0.3, -2.0])
    def test_elementary_turns_of_the_sheet(self, angle: float) -> None:
        c, s = np.cos(angle), np.sin(angle)
        close(rotations.elementary("z", angle), [[c, -s, 0], [s, c, 0], [0, 0, 1]], 0)
        close(rotations.elementary("y", angle), [[c, 0, s], [0, 1, 0], [-s, 0, c]], 0)
        close(rotations.elementary("x", angle), [[1, 0, 0], [0, c, -s], [0, s, c]], 0)
        for axis, i in zip("xyz", range(3), strict=True):
            expected = Rotation.from_rotvec(angle * np.eye(3)[i]).as_matrix()
            close(rotations.elementary(axis, angle), expected)

    def test_skew_and_unskew(self) -> None:
        a, b = np.array([1.0, -2.0, 3.0]), np.array([0.5, 4.0, -1.0])
        assert (rotations.skew(a) @ b).tolist() == np.cross(a, b).tolist()
        assert rotations.unskew(rotations.skew(a)).tolist() == a.tolist()

    def test_the_three_forms_of_the_sheet_from_a_quaternion(self) -> None:
        q = rotations.convert(MANY.as_matrix(), "matrix", "quaternion")
        q0, v = q[:, 0, None, None], q[:, 1:]
        cross, one = rotations.skew(v), np.eye(3)
        C_IB = rotations.matrix_from_quaternion(q)
        close(C_IB, one + 2 * q0 * cross + 2 * cross @ cross)
        outer = v[:, :, None] * v[:, None, :]
        close(C_IB, (2 * q0**2 - 1) * one + 2 * q0 * cross + 2 * outer)
        q0, q1, q2, q3 = q.T
        squares = [q0**2 + q1**2 - q2**2 - q3**2, q0**2 - q1**2 + q2**2 - q3**2]
        close(C_IB[:, 0, 0], squares[0])
        close(C_IB[:, 1, 1], squares[1])
        close(C_IB[:, 2, 0], 2 * q1 * q3 - 2 * q0 * q2)
        close(np.swapaxes(C_IB, 1, 2), one - 2 * q[:, 0, None, None] * cross + 2 * cross @ cross)


class TestAgainstScipy:
    def test_quaternions(self) -> None:
        q = rotations.quaternion_from_matrix(MANY.as_matrix())
        close(q, rotations.scalar_first(MANY.as_quat(canonical=True)))
        close(rotations.matrix_from_quaternion(q), MANY.as_matrix())
        close(Rotation.from_quat(rotations.scalar_last(q)).as_matrix(), MANY.as_matrix())

    def test_rotation_vectors(self) -> None:
        phi = MANY.as_rotvec()
        close(rotations.rotation_vector_from_matrix(MANY.as_matrix()), phi)
        close(rotations.matrix_from_rotation_vector(phi), MANY.as_matrix())
        close(
            rotations.quaternion_from_rotation_vector(phi),
            rotations.scalar_first(MANY.as_quat(True)),
        )

    def test_angle_and_axis(self) -> None:
        phi = MANY.as_rotvec()
        angle = np.linalg.norm(phi, axis=-1)
        got = rotations.convert(MANY.as_matrix(), "matrix", "angle-axis")
        close(got[:, 0], angle)
        close(got[:, 1:], phi / angle[:, None], 256)  # a small angle has a vague axis

    @pytest.mark.parametrize("sequence", rotations.SEQUENCES)
    def test_euler_angles(self, sequence: str) -> None:
        angles = MANY.as_euler(sequence)
        close(rotations.matrix_from_euler(angles, sequence), MANY.as_matrix())
        got = rotations.euler_from_matrix(MANY.as_matrix(), sequence)
        cosine = np.cos(angles[:, 1])[:, None]
        close(got * cosine, angles * cosine, 32)

    def test_a_matrix_with_each_quaternion_entry_the_largest(self) -> None:
        for entry in range(4):
            q = np.full(4, 0.1)
            q[entry] = 1
            q /= np.linalg.norm(q)
            close(rotations.quaternion_from_matrix(rotations.matrix_from_quaternion(q)), q)


class TestLogarithm:
    @pytest.mark.parametrize("axis", AXES.tolist())
    @pytest.mark.parametrize("length", LENGTHS)
    def test_accurate_to_the_last_digits_of_the_vector_at_0(self, axis: Any, length: float) -> None:
        phi = np.array(axis) * length
        q = rotations.quaternion_from_rotation_vector(phi)
        np.testing.assert_allclose(rotations.rotation_vector_from_quaternion(q), phi, rtol=8 * EPS)
        np.testing.assert_allclose(rotations.rotation_vector_from_quaternion(-q), phi, rtol=8 * EPS)
        C_IB = rotations.matrix_from_rotation_vector(phi)
        atol = 16 * EPS * length
        np.testing.assert_allclose(
            rotations.rotation_vector_from_matrix(C_IB), phi, rtol=0, atol=atol
        )
        angle, *n = rotations.angle_axis_from_quaternion(q)
        assert angle == pytest.approx(length, rel=8 * EPS)
        close(n, axis if length else [1, 0, 0])

    @pytest.mark.parametrize("axis", AXES.tolist())
    @pytest.mark.parametrize("length", NEAR_PI)
    def test_accurate_at_pi(self, axis: Any, length: float) -> None:
        phi = np.array(axis) * length
        C_IB = rotations.matrix_from_rotation_vector(phi)
        got = rotations.rotation_vector_from_matrix(C_IB)
        close(np.linalg.norm(got), length)
        if length < np.pi - 4 * EPS:
            close(got, phi)
        close(rotations.matrix_from_rotation_vector(got), C_IB)

    @pytest.mark.parametrize("axis", np.eye(3).tolist())
    def test_half_turns_about_an_axis_of_the_frame(self, axis: Any) -> None:
        C_IB = 2 * np.outer(axis, axis) - np.eye(3)
        phi = rotations.rotation_vector_from_matrix(C_IB)
        assert np.abs(phi).tolist() == (np.pi * np.array(axis)).tolist()

    @pytest.mark.parametrize("turns", [0, 1, 2, 7])
    def test_more_than_a_turn_is_the_rotation_that_is_left(self, turns: int) -> None:
        phi = AXES[3] * (1.0 + 2 * np.pi * turns)
        close(
            rotations.convert(phi, "rotation-vector", "matrix"),
            Rotation.from_rotvec(phi).as_matrix(),
        )
        q = rotations.quaternion_from_rotation_vector(phi)
        assert np.sign(q[0]) == (-1) ** turns  # the double cover: a full turn is -1
        close(rotations.rotation_vector_from_quaternion(q), AXES[3], 64)

    def test_slip_without_the_sign_of_q0_angles_leave_their_range(self) -> None:
        # 2 atan2(|q|, q0) and 2 arccos(q0) of -q are 2 pi minus the angle: past pi.
        q = -rotations.quaternion_from_rotation_vector(AXES[3] * 0.5)
        as_printed = 2 * np.arctan2(np.linalg.norm(q[1:]), q[0])
        assert as_printed > np.pi
        assert 2 * np.arccos(q[0]) > np.pi
        close(rotations.angle_axis_from_quaternion(q), [0.5, *AXES[3]])

    def test_slip_the_arccosine_loses_half_the_digits(self) -> None:
        q = rotations.quaternion_from_rotation_vector([1e-8, 0, 0])
        assert 2 * np.arccos(q[0]) == 0
        assert rotations.angle_axis_from_quaternion(q)[0] == pytest.approx(1e-8, rel=4 * EPS)


class TestEveryPair:
    @given(rotation_vectors)
    def test_any_way_round_is_the_same_rotation(self, phi: Any) -> None:
        C_IB = rotations.matrix_from_rotation_vector(phi)
        for source, target in itertools.product(rotations.PARAMETERISATIONS, repeat=2):
            lost = 64.0
            try:
                values = rotations.convert(C_IB, "matrix", source)
                got = rotations.convert(values, source, target)
            except ParameterError:  # at a singularity of the angles
                sines = abs(C_IB[2, 0]), abs(C_IB[0, 2])
                assert "euler" in source + target
                assert max(sines) > 1 - 2 * EPS
                continue
            for name in (source, target):
                if name.startswith("euler"):
                    y = rotations.convert(C_IB, "matrix", name)[1]
                    lost /= np.cos(y)
            close(matrix_of(got, target), C_IB, lost)

    @given(rotation_vectors)
    def test_quaternions_are_unit_and_matrices_orthonormal(self, phi: Any) -> None:
        C_IB = rotations.matrix_from_rotation_vector(phi)
        close(C_IB.T @ C_IB, np.eye(3))
        close(np.linalg.norm(rotations.quaternion_from_matrix(C_IB)), 1)
        assert rotations.quaternion_from_matrix(C_IB)[0] >= 0

    def test_the_same_name_twice_looks_over_and_changes_nothing(self) -> None:
        phi = AXES * 9.0
        assert rotations.convert(phi, "rotation-vector", "rotation-vector").tolist() == phi.tolist()
        with pytest.raises(ParameterError, match="2 long"):
            rotations.convert([2.0, 0, 0, 0], "quaternion", "quaternion")


class TestSingularAngles:
    @pytest.mark.parametrize("sequence", rotations.SEQUENCES)
    @given(power=st.floats(-17, -1), side=st.sampled_from([1, -1]), end=st.sampled_from([1, -1]))
    def test_the_lock_is_flagged_and_its_angles_turn_back_into_the_matrix(
        self, sequence: str, power: float, side: int, end: int
    ) -> None:
        gap = side * 10**power
        angles = np.array([0.4, end * (np.pi / 2 + gap), -1.1])
        C_IB = rotations.matrix_from_euler(angles, sequence)
        got, lock = rotations.euler_and_gimbal_lock(C_IB, sequence)
        assert rotations.euler_from_matrix(C_IB, sequence).tolist() == got.tolist()
        assert abs(got[1]) <= np.pi / 2
        if abs(gap) < HALF_THE_DIGITS / 2:
            assert lock
            assert got[2] == 0
        elif abs(gap) > 2 * HALF_THE_DIGITS:
            assert not lock
            if side < 0:
                close(got, angles, 8 / abs(gap))
        error = np.abs(rotations.matrix_from_euler(got, sequence) - C_IB).max()
        assert error < 4 * HALF_THE_DIGITS if lock else error < 1e-14

    @pytest.mark.parametrize("sequence", ["ZYX", "XYZ", "rpy", "euler-ZYX", "euler-XYZ"])
    @pytest.mark.parametrize("end", [1, -1])
    def test_one_row_at_the_lock_leaves_the_others(self, sequence: str, end: int) -> None:
        angles = np.array([[0.1, 0.2, 0.3], [0.4, end * np.pi / 2, 0.6], [0.7, 0.8, 0.9]])
        C_IB = rotations.matrix_from_euler(angles, sequence)
        got, lock = rotations.euler_and_gimbal_lock(C_IB, sequence)
        assert lock.tolist() == [False, True, False]
        close(got[[0, 2]], angles[[0, 2]])
        assert got[1, 2] == 0
        close(rotations.matrix_from_euler(got, sequence), C_IB)

    @given(power=st.floats(-9, -6), noise=st.floats(-1, 1))
    def test_noise_beside_the_lock_leaves_the_sum_of_the_angles(
        self, power: float, noise: float
    ) -> None:
        """Entries of the size of the noise give each angle, but their sum must stay right."""
        C_IB = np.array(rotations.matrix_from_euler([0.4, np.pi / 2 - 10**power, -1.1], "ZYX"))
        C_IB[2, 1] += noise * 1e-8
        got = rotations.euler_from_matrix(C_IB, "ZYX")
        assert np.abs(rotations.matrix_from_euler(got, "ZYX") - C_IB).max() < 1e-7

    def test_slip_the_printed_range_has_a_singular_end(self) -> None:
        # y in [-pi/2, pi/2) contains -pi/2: yaw and roll can be traded there.
        one = rotations.matrix_from_euler([0.3, -np.pi / 2, 0.5], "ZYX")
        other = rotations.matrix_from_euler([0.5, -np.pi / 2, 0.3], "ZYX")
        close(one, other)


class TestRefusals:
    @pytest.mark.parametrize("factor", [1.001, 0.0, np.nan, np.inf])
    def test_quaternions_that_are_not_of_length_1(self, factor: float) -> None:
        q = np.tile([1.0, 0, 0, 0], (2, 3, 1))
        q[1, 2, 0] = factor
        for function in (
            rotations.matrix_from_quaternion,
            rotations.rotation_vector_from_quaternion,
            rotations.angle_axis_from_quaternion,
        ):
            with pytest.raises(ParameterError, match=r"q_IB of body \(1, 2\) is .* long"):
                function(q)

    def test_typed_digits_pass_and_are_used_as_they_stand(self) -> None:
        q = np.round(rotations.quaternion_from_rotation_vector(AXES[3]), 9)
        close(
            rotations.matrix_from_quaternion(q), rotations.matrix_from_rotation_vector(AXES[3]), 1e8
        )
        with pytest.raises(ParameterError, match="expected 1 within"):
            rotations.matrix_from_quaternion(np.round(q, 3))

    @pytest.mark.parametrize("factor", [1.001, 0.0, np.nan])
    def test_matrices_that_are_no_rotation(self, factor: float) -> None:
        C_IB = np.tile(np.eye(3), (3, 1, 1))
        C_IB[2, 0, 0] = factor
        for function in (
            rotations.quaternion_from_matrix,
            rotations.rotation_vector_from_matrix,
            lambda C: rotations.euler_from_matrix(C, "XYZ"),
        ):
            with pytest.raises(ParameterError, match="C_IB of body 2 is not orthonormal"):
                function(C_IB)
        with pytest.raises(ParameterError, match="reflection"):
            rotations.quaternion_from_matrix(-np.eye(3))

    def test_axes_that_are_not_of_length_1(self) -> None:
        with pytest.raises(ParameterError, match="axis of angle_axis of body 1 is 2 long"):
            rotations.quaternion_from_angle_axis([[1.0, 0, 0, 1], [0, 2.0, 0, 0]])

    def test_matrices_that_are_not_skew(self) -> None:
        with pytest.raises(ParameterError, match=r"body 1 is not skew-symmetric.*\(A - A\^T\)"):
            rotations.unskew(np.stack([rotations.skew([1, 2, 3]), np.eye(3)]))

    def test_unknown_names(self) -> None:
        with pytest.raises(ParameterError, match=r"unknown target 'dcm', expected one of matrix"):
            rotations.convert(np.eye(3), "matrix", "dcm")
        with pytest.raises(ParameterError, match=r"unknown source 'euler'"):
            rotations.convert(np.zeros(3), "euler", "matrix")
        with pytest.raises(ParameterError, match="unknown axis 'Z'"):
            rotations.elementary("Z", 1.0)

    def test_wrong_shapes(self) -> None:
        for function, wrong, name in (
            (rotations.matrix_from_quaternion, (3,), "q_IB"),
            (rotations.quaternion_from_matrix, (4, 4), "C_IB"),
            (rotations.quaternion_from_angle_axis, (3,), "angle_axis"),
            (rotations.quaternion_from_rotation_vector, (4,), "phi_IB"),
            (rotations.matrix_from_rotation_vector, (3, 3, 2), "phi_IB"),
            (lambda a: rotations.matrix_from_euler(a, "ZYX"), (2,), "angles"),
            (rotations.skew, (6,), "vector"),
            (rotations.unskew, (3,), "matrix"),
            (rotations.scalar_first, (3,), "xyzw_IB"),
        ):
            with pytest.raises(ParameterError, match=rf"{name} has shape .*expected \(\.\.\., "):
                function(np.zeros(wrong))


class TestBatches:
    def test_rows_do_not_know_of_each_other(self) -> None:
        batch = MANY.as_matrix()[:24].reshape(2, 3, 4, 3, 3)
        for target in rotations.PARAMETERISATIONS:
            together = rotations.convert(batch, "matrix", target)
            for index in np.ndindex(2, 3, 4):
                alone = rotations.convert(batch[index], "matrix", target)
                assert together[index].tolist() == alone.tolist()

    def test_float32_has_its_own_floor(self) -> None:
        for target in rotations.PARAMETERISATIONS:
            single = rotations.convert(MANY.as_matrix().astype(np.float32), "matrix", target)
            assert single.dtype == np.float32
            back = rotations.convert(single, target, "matrix")
            y_is_steep = 100.0 if target.startswith("euler") else 1.0
            assert np.abs(back - MANY.as_matrix()).max() < 1e-6 * y_is_steep


class TestNames:
    def test_rpy_is_the_roll_pitch_yaw_of_urdf(self) -> None:
        rpy = np.array([0.3, -0.4, 1.2])
        x, y, z = (rotations.elementary(axis, a) for axis, a in zip("xyz", rpy, strict=True))
        close(Rotation.from_euler("xyz", rpy).as_matrix(), z @ y @ x)  # lower case: fixed axes
        close(rotations.convert(rpy, "rpy", "matrix"), z @ y @ x)
        close(rotations.matrix_from_euler(rpy[::-1], "ZYX"), z @ y @ x)
        close(from_rpy(*rpy), z @ y @ x)
        close(rotations.convert(rpy, "rpy", "euler-ZYX"), rpy[::-1])
        close(rotations.convert(z @ y @ x, "matrix", "rpy"), rpy)

    @pytest.mark.parametrize("name", ["ZYX", "XYZ"])
    def test_short_names_mean_the_long_ones(self, name: str) -> None:
        angles = [0.3, -0.4, 1.2]
        long = f"euler-{name}"
        for other in (*rotations.PARAMETERISATIONS, "rpy"):
            same = rotations.convert(rotations.convert(angles, name, other), other, name)
            close(same, angles)
            assert rotations.convert(angles, name, other).tolist() == (
                rotations.convert(angles, long, other).tolist()
            )

    @pytest.mark.parametrize("name", ["RPY", "zyx", "ZXZ", "", None, 3, ["ZYX"], "euler-rpy"])
    def test_other_names_are_refused(self, name: object) -> None:
        for call in (
            lambda: rotations.convert([0.0, 0, 0], name, "matrix"),
            lambda: rotations.convert([0.0, 0, 0], "rpy", name),
            lambda: rotations.matrix_from_euler([0.0, 0, 0], name),
            lambda: rotations.euler_from_matrix(np.eye(3), name),
        ):
            with pytest.raises(ParameterError, match="expected one of"):
                call()


class TestRoundedEntries:
    EXACT = rotations.convert([0.3, -0.4, 1.2], "rpy", "matrix")

    @pytest.mark.parametrize("rounded", [EXACT.round(6), EXACT.round(3), EXACT.astype("f4") * 1.0])
    def test_the_nearest_rotation_is_accepted(self, rounded: np.ndarray) -> None:
        rounded = np.asarray(rounded, dtype=float)
        with pytest.raises(ParameterError, match=r"R\^T R - 1.*rotations\.nearest_rotation"):
            rotations.convert(rounded, "matrix", "rpy")
        size = np.abs(rounded - self.EXACT).max()
        for fixed in (
            nearest_rotation(rounded),
            rotations.convert(rounded, "matrix", "matrix", renormalize=True),
            rotations.matrix_from_quaternion(
                rotations.quaternion_from_matrix(rounded, renormalize=True)
            ),
        ):
            assert np.abs(fixed.T @ fixed - np.eye(3)).max() < 1e-15
            assert np.abs(fixed - self.EXACT).max() < 3 * size
        body = InertialParameters.from_com(1.0, [0.1, 0.2, 0.3], np.diag([1.0, 2.0, 2.5]))
        turned = body.rotate(rounded, renormalize=True)
        np.testing.assert_allclose(turned.principal_moments(), [1.0, 2.0, 2.5], rtol=1e-14)

    @pytest.mark.parametrize("wrong", [1.1 * EXACT, EXACT @ np.diag([1, 1, -1.0]), 0 * EXACT])
    def test_what_is_not_rounded_is_refused_all_the_same(self, wrong: np.ndarray) -> None:
        with pytest.raises(ParameterError, match=r"not orthonormal|reflection"):
            rotations.convert(wrong, "matrix", "rpy", renormalize=True)

    @pytest.mark.parametrize("scale", [1e-300, 1e-20, 1.0, 1e20, 1e300])
    def test_it_is_nearest_at_every_scale(self, scale: float) -> None:
        rng = np.random.default_rng(5)
        matrix = rng.normal(size=(20, 3, 3))
        found = nearest_rotation(scale * matrix)
        assert np.abs(np.linalg.det(found) - 1).max() < 1e-14
        for turn in rotations.matrix_from_rotation_vector(0.1 * rng.normal(size=(30, 1, 3))):
            assert np.all(np.sum(found * matrix, (1, 2)) >= np.sum(turn @ found * matrix, (1, 2)))

    def test_rows_without_a_nearest_are_nan_and_leave_the_others(self) -> None:
        rank_1 = np.outer([1.0, 0, 0], [0, 1.0, 0])
        rows = [np.zeros((3, 3)), rank_1, np.full((3, 3), np.nan), -np.eye(3), np.eye(3)]
        found = nearest_rotation(rows)
        assert np.isnan(found[:4]).all()
        assert found[4].tolist() == np.eye(3).tolist()

    def test_quaternions_of_any_length_become_unit_ones(self) -> None:
        rows = np.array([[3.0, 0, 4, 0], [3e-200, 0, -4e-200, 0], [0, 0, 0, 0], [1e308] * 4])
        found = normalize_quaternion(rows)
        close(found[[0, 1, 3]], [[0.6, 0, 0.8, 0], [0.6, 0, -0.8, 0], [0.5] * 4])
        assert np.isnan(found[2]).all()
        with pytest.raises(ParameterError, match=r"1\.001.*rotations\.normalize_quaternion"):
            rotations.convert([1.001, 0, 0, 0], "quaternion", "matrix")
        fixed = rotations.convert([1.001, 0, 0, 0], "quaternion", "matrix", renormalize=True)
        assert fixed.tolist() == np.eye(3).tolist()
