"""Products of quaternions, box plus and minus, the exponential map's Jacobian; their rules."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from inertial_check.errors import ParameterError
from inertial_check.mechanics import kinematics, rotations

EPS = np.finfo(float).eps
RNG = np.random.default_rng(11)
Q_1, Q_2 = (rotations.scalar_first(Rotation.random(40, rng=seed).as_quat()) for seed in (0, 1))
V = Rotation.random(40, rng=5).as_matrix()[:, 0] * np.geomspace(1e-9, 3.0, 40)[:, None]
R = RNG.normal(size=(40, 3))

vectors = st.builds(
    lambda axis, power: np.array(axis) * 10.0**power,
    st.tuples(*[st.floats(-1, 1)] * 3),
    st.floats(-14, 0.5),
)


def close(got: Any, expected: Any, ulps: float = 32) -> None:
    np.testing.assert_allclose(got, expected, rtol=0, atol=ulps * EPS)


def derivative(f: Callable[[Any], Any], size: int = 3, step: float = 1e-3) -> Any:
    """The Jacobian of f at 0 by central differences of sixth order."""
    columns = []
    for axis in np.eye(size):
        weights = ((3 / 4, 1), (-3 / 20, 2), (1 / 60, 3))
        terms = [w * (f(k * step * axis) - f(-k * step * axis)) for w, k in weights]
        columns.append(sum(terms) / step)
    return np.stack(columns, axis=-1)


def turned(q: Any, d: Any) -> Any:
    return kinematics.box_plus(q, d)


def by_differences(got: Any, f: Callable[[Any], Any], tolerance: float = 1e-11) -> None:
    np.testing.assert_allclose(got, derivative(f), rtol=0, atol=tolerance)


class TestProducts:
    def test_hamilton(self) -> None:
        one, i, j, k = np.eye(4)
        for square in (i, j, k):
            assert kinematics.multiply(square, square).tolist() == (-one).tolist()
        assert kinematics.multiply(i, j).tolist() == k.tolist()
        assert kinematics.multiply(j, i).tolist() == (-k).tolist()

    def test_the_two_matrices_of_the_sheet(self) -> None:
        q0, q1, q2, q3 = q = np.array([1.0, 2.0, 3.0, 4.0])
        left = [[q0, -q1, -q2, -q3], [q1, q0, -q3, q2], [q2, q3, q0, -q1], [q3, -q2, q1, q0]]
        right = [[q0, -q1, -q2, -q3], [q1, q0, q3, -q2], [q2, -q3, q0, q1], [q3, q2, -q1, q0]]
        assert kinematics.left_matrix(q).tolist() == left
        assert kinematics.right_matrix(q).tolist() == right

    def test_left_right_and_product_agree(self) -> None:
        product = kinematics.multiply(Q_1, Q_2)
        close((kinematics.left_matrix(Q_1) @ Q_2[..., None])[..., 0], product)
        close((kinematics.right_matrix(Q_2) @ Q_1[..., None])[..., 0], product)
        q0, q, p0, p = Q_1[:, :1], Q_1[:, 1:], Q_2[:, :1], Q_2[:, 1:]
        scalar = q0 * p0 - np.sum(q * p, axis=-1, keepdims=True)
        close(product, np.concatenate([scalar, q0 * p + p0 * q + np.cross(q, p)], axis=-1))

    def test_concatenation_and_inversion(self) -> None:
        C = rotations.matrix_from_quaternion
        close(C(kinematics.multiply(Q_1, Q_2)), C(Q_1) @ C(Q_2))
        close(C(kinematics.inverse(Q_1)), np.swapaxes(C(Q_1), -1, -2))
        both = kinematics.multiply(kinematics.inverse(Q_2), kinematics.inverse(Q_1))
        close(kinematics.inverse(kinematics.multiply(Q_1, Q_2)), both)
        pure = np.concatenate([np.zeros((40, 1)), R], axis=-1)
        rotated = kinematics.multiply(kinematics.multiply(Q_1, pure), kinematics.inverse(Q_1))
        close(rotated[:, 1:], (C(Q_1) @ R[..., None])[..., 0])


class TestBoxes:
    def test_box_plus_turns_about_axes_of_i(self) -> None:
        expected = Rotation.from_rotvec(V) * Rotation.from_quat(rotations.scalar_last(Q_1))
        got = rotations.matrix_from_quaternion(kinematics.box_plus(Q_1, V))
        close(got, expected.as_matrix())

    @given(vectors)
    def test_box_minus_undoes_box_plus_within_half_a_turn(self, v: Any) -> None:
        for q in (Q_1[0], -Q_1[1]):
            got = kinematics.box_minus(kinematics.box_plus(q, v), q)
            if np.linalg.norm(v) < np.pi - 1e-9:
                close(got, v)
            close(
                rotations.matrix_from_quaternion(kinematics.box_plus(q, got)),
                rotations.matrix_from_quaternion(kinematics.box_plus(q, v)),
            )

    def test_box_minus_the_other_way_is_its_negative(self) -> None:
        close(kinematics.box_minus(Q_1, Q_2), -kinematics.box_minus(Q_2, Q_1))

    def test_interpolation_is_slerp(self) -> None:
        for q_0, q_1 in zip(Q_1, Q_2, strict=True):
            ends = Rotation.from_quat(
                np.stack([rotations.scalar_last(q_0), rotations.scalar_last(q_1)])
            )
            times = np.linspace(0, 1, 5)
            got = kinematics.interpolate(q_0, q_1, times)
            close(rotations.matrix_from_quaternion(got), Slerp([0, 1], ends)(times).as_matrix())

    def test_interpolation_of_ends_near_and_far(self) -> None:
        identity = np.array([1.0, 0, 0, 0])
        for length in (0.0, 1e-300, 1e-9, np.pi - 1e-9, np.pi):
            end = rotations.quaternion_from_rotation_vector([0, length, 0])
            half = kinematics.interpolate(identity, end, 0.5)
            np.testing.assert_allclose(
                rotations.rotation_vector_from_quaternion(half), [0, length / 2, 0], rtol=8 * EPS
            )

    def test_interpolation_goes_on_past_its_ends(self) -> None:
        third = rotations.quaternion_from_rotation_vector([0.3, 0, 0])
        got = kinematics.interpolate([1, 0, 0, 0], third, [-1.0, 2.0])
        close(rotations.rotation_vector_from_quaternion(got), [[-0.3, 0, 0], [0.6, 0, 0]])


def exactly(t: float, entry: str) -> float:
    """Of (sin t / t, (1 - cos t) / t, t/2 cot(t/2)), in rational arithmetic."""
    x, sine, cosine, term = Fraction(t), Fraction(0), Fraction(0), Fraction(1)
    for k in range(0, 60, 2):
        cosine += term * (-1) ** (k // 2)
        sine += term * x / (k + 1) * (-1) ** (k // 2)
        term = term * x * x / ((k + 1) * (k + 2))
    if entry == "cotangent":
        return float(x / 2 * sine / (1 - cosine))
    return float(sine / x if entry == "sine" else (1 - cosine) / x)


class TestExpJacobian:
    @pytest.mark.parametrize(
        "t", [1e-9, 1e-5, 1e-3, 0.1, 0.5, 0.9999, 1.0, 1.0001, 2.0, np.pi, 6.0]
    )
    def test_to_the_last_digits_at_every_angle(self, t: float) -> None:
        jacobian, inverse = (
            kinematics.exp_jacobian([t, 0, 0]),
            kinematics.exp_jacobian_inverse([t, 0, 0]),
        )
        close(jacobian[1, 1], exactly(t, "sine"), 4)
        assert jacobian[2, 1] == pytest.approx(exactly(t, "versine"), rel=8 * EPS)
        close(inverse[1, 1], exactly(t, "cotangent"), 8 * max(1, abs(inverse[1, 1])))
        assert inverse[1, 2] == t / 2

    def test_the_form_of_the_sheet(self) -> None:
        v = V[25:]
        t = np.linalg.norm(v, axis=-1)[:, None, None]
        cross = rotations.skew(v)
        printed = (
            np.eye(3) + (1 - np.cos(t)) / t**2 * cross + (t - np.sin(t)) / t**3 * cross @ cross
        )
        close(kinematics.exp_jacobian(v), printed, 1e4)  # which cancels, where ours does not

    def test_identities_of_the_sheet(self) -> None:
        jacobian, inverse = kinematics.exp_jacobian(V), kinematics.exp_jacobian_inverse(V)
        C, cross = rotations.matrix_from_rotation_vector(V), rotations.skew(V)
        close(kinematics.exp_jacobian(-V), np.swapaxes(jacobian, -1, -2), 0)
        close(C @ kinematics.exp_jacobian(-V), jacobian)
        close(jacobian @ C, C @ jacobian)
        close(cross @ jacobian, C - np.eye(3))
        close(kinematics.exp_jacobian_inverse(-V), inverse + cross)
        close(jacobian @ inverse, np.broadcast_to(np.eye(3), (40, 3, 3)))
        close((jacobian @ V[..., None])[..., 0], V)

    def test_first_order_at_0(self) -> None:
        v = np.array([1e-9, -2e-9, 3e-9])
        close(kinematics.exp_jacobian(v), np.eye(3) + rotations.skew(v) / 2, 1)
        close(kinematics.exp_jacobian_inverse(v), np.eye(3) - rotations.skew(v) / 2, 1)
        assert kinematics.exp_jacobian([0.0, 0, 0]).tolist() == np.eye(3).tolist()
        assert kinematics.exp_jacobian_inverse([0.0, 0, 0]).tolist() == np.eye(3).tolist()

    def test_slip_plus_v_holds_for_the_inverses_only(self) -> None:
        v = V[30]
        off = kinematics.exp_jacobian(-v) - (kinematics.exp_jacobian(v) + rotations.skew(v))
        assert np.abs(off).max() > 0.1 * np.abs(v).max()

    @pytest.mark.parametrize("turns", [1, 2, -3])
    def test_full_turns_have_no_inverse(self, turns: int) -> None:
        v = np.array([[0.0, 0.6, 0.8], [0, 0.6, 0.8]]) * [[1.0], [2 * np.pi * turns]]
        assert np.linalg.cond(kinematics.exp_jacobian(v[1])) > 1e15
        with pytest.raises(ParameterError, match=r"v is .* rad long, full turns"):
            kinematics.exp_jacobian_inverse(v[1])
        several = kinematics.exp_jacobian_inverse(v)  # one row does not refuse the other
        assert np.isfinite(several[0]).all()
        assert np.isnan(several[1]).all()
        assert np.isfinite(kinematics.exp_jacobian_inverse(v * (1 + 1e-6))).all()


class TestDerivatives:
    """Each rule of the sheet's table, against differences taken with box plus and box minus."""

    @pytest.mark.parametrize("i", [0, 20, 39])
    def test_of_the_exponential_and_the_logarithm(self, i: int) -> None:
        v = V[i]
        q = rotations.quaternion_from_rotation_vector(v)

        def exp(d: Any) -> Any:
            return kinematics.box_minus(rotations.quaternion_from_rotation_vector(v + d), q)

        def log(d: Any) -> Any:
            return rotations.rotation_vector_from_quaternion(turned(q, d))

        by_differences(kinematics.exp_jacobian(v), exp)
        by_differences(kinematics.exp_jacobian_inverse(v), log)

    @pytest.mark.parametrize("i", [0, 20, 39])
    def test_of_a_rotated_vector(self, i: int) -> None:
        v, r, q = V[i], R[i], Q_1[i]
        by_differences(
            kinematics.rotated_vector_jacobian(v, r),
            lambda d: rotations.matrix_from_rotation_vector(v + d) @ r,
        )
        C = rotations.matrix_from_quaternion
        by_differences(C(q), lambda d: C(q) @ (r + d))
        by_differences(-rotations.skew(C(q) @ r), lambda d: C(turned(q, d)) @ r)

    @pytest.mark.parametrize("i", range(3))
    def test_of_inverse_and_product(self, i: int) -> None:
        q, p = Q_1[i], Q_2[i]
        C = rotations.matrix_from_quaternion
        inverse, product = kinematics.inverse, kinematics.multiply
        by_differences(-C(q).T, lambda d: kinematics.box_minus(inverse(turned(q, d)), inverse(q)))
        by_differences(
            np.eye(3), lambda d: kinematics.box_minus(product(turned(q, d), p), product(q, p))
        )
        by_differences(
            C(q), lambda d: kinematics.box_minus(product(q, turned(p, d)), product(q, p))
        )

    @pytest.mark.parametrize("i", range(3))
    def test_of_box_minus(self, i: int) -> None:
        q, p = Q_1[i], kinematics.box_plus(Q_1[i], V[-5 - i])
        by_1, by_2 = kinematics.box_minus_jacobians(q, p)
        by_differences(by_1, lambda d: kinematics.box_minus(turned(q, d), p))
        by_differences(by_2, lambda d: kinematics.box_minus(q, turned(p, d)))

    def test_of_the_cross_product(self) -> None:
        a, b = R[:2]
        by_differences(-rotations.skew(b), lambda d: np.cross(a + d, b))
        by_differences(rotations.skew(a), lambda d: np.cross(a, b + d))


class TestRefusals:
    def test_quaternions_that_are_not_of_length_1(self) -> None:
        good, bad = np.tile([1.0, 0, 0, 0], (2, 1)), np.array([[1.0, 0, 0, 0], [1.0, 0.1, 0, 0]])
        for function, name in (
            (lambda: kinematics.inverse(bad), "q_IB"),
            (lambda: kinematics.box_plus(bad, [0, 0, 1]), "q"),
            (lambda: kinematics.box_minus(bad, good), "q_1"),
            (lambda: kinematics.box_minus(good, bad), "q_2"),
            (lambda: kinematics.interpolate(good, bad, 0.5), "q_1"),
        ):
            with pytest.raises(ParameterError, match=rf"^{name} of body 1 is .* long"):
                function()

    def test_shapes_that_do_not_fit(self) -> None:
        for function in (
            lambda: kinematics.multiply(Q_1[:2], Q_2[:3]),
            lambda: kinematics.interpolate(Q_1[:2], Q_2[:2], [0.1, 0.2, 0.3]),
            lambda: kinematics.rotated_vector_jacobian(V[:2], R[:3]),
            lambda: kinematics.box_plus(Q_1[:2], V[:3]),
        ):
            with pytest.raises(ParameterError, match="do not broadcast"):
                function()
        for function in (
            lambda: kinematics.multiply([1, 2, 3], [1, 0, 0, 0]),
            lambda: kinematics.left_matrix(np.eye(3)),
            lambda: kinematics.exp_jacobian(np.zeros(4)),
            lambda: kinematics.exp_jacobian_inverse(np.zeros(2)),
            lambda: kinematics.rotated_vector_jacobian([0, 0, 0], [1, 2]),
        ):
            with pytest.raises(ParameterError, match="has shape"):
                function()
