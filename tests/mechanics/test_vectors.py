"""Plücker transforms of both conventions, against 6x6 matrices of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clouds
from array_libraries import make_call_tests
from inertial_check.errors import ParameterError
from inertial_check.inertia.representations import SPATIAL_ORDERS, spatial_inertia
from inertial_check.inertia.sampling import rotations
from inertial_check.mechanics import vectors

EPS = np.finfo(float).eps
RNG = np.random.default_rng(5)
E1, E2 = rotations(11), rotations(12)
R1, R2 = RNG.normal(size=(2, 3))
MOTION, FORCE = RNG.normal(size=(2, 6))
BODIES = np.stack([clouds.theta_of(*clouds.cloud(seed, at=[1, -2, 0.5])) for seed in range(3)])
MATRICES = [vectors.plx, vectors.plxb]
ONE, ZERO = np.eye(3), np.zeros((3, 3))
K1, K2 = clouds.skew(R1), clouds.skew(R2)


def same(got: Any, expected: Any, ulps: float = 64) -> None:
    size = max(np.abs(expected).max(), 1.0)
    np.testing.assert_allclose(got, expected, rtol=0, atol=ulps * EPS * size)


def differ(first: Any, second: Any) -> bool:
    return bool(np.abs(np.asarray(first) - second).max() > 0.01)


def moved(E: Any, r: Any, w: Any, v: Any) -> Any:
    """The definition: the velocity at B's origin, both vectors in B's axes."""
    return np.concatenate([E @ w, E @ (v + np.cross(w, r))])


class TestDefinition:
    """What a transform is, by rigid-body kinematics and by nothing of the package."""

    def test_plx_moves_a_motion_to_the_other_origin_and_axes(self) -> None:
        w, v = MOTION[:3], MOTION[3:]
        same(vectors.plx(E1, R1).apply_motion(MOTION), moved(E1, R1, w, v))

    def test_plxb_is_told_the_axes_of_b_in_a(self) -> None:
        w, v = MOTION[:3], MOTION[3:]
        same(vectors.plxb(E1, R1).apply_motion(MOTION), moved(E1.T, R1, w, v))

    def test_a_force_turns_about_the_other_origin(self) -> None:
        torque, push = FORCE[:3], FORCE[3:]
        expected = np.concatenate([E1 @ (torque + np.cross(-R1, push)), E1 @ push])
        same(vectors.plx(E1, R1).apply_force(FORCE), expected)

    def test_a_quarter_turn_and_a_step_by_hand(self) -> None:
        # B stands at (1, 0, 0) in A, its x axis along A's y; A turns about z with 1 rad/s.
        R_AB = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
        got = vectors.plxb(R_AB, [1, 0, 0]).apply_motion([0, 0, 1, 0, 0, 0])
        assert got.tolist() == [0, 0, 1, 1, 0, 0]  # B's origin goes along A's y, which is B's x

    def test_the_matrices_are_the_plain_blocks(self) -> None:
        X = vectors.plx(E1, R1)
        same(X.as_matrix(), np.block([[E1, ZERO], [-E1 @ K1, E1]]))
        same(X.as_dual_matrix(), np.block([[E1, -E1 @ K1], [ZERO, E1]]))
        Y = vectors.plxb(E1, R1)
        same(Y.as_matrix(), np.block([[E1.T, ZERO], [-E1.T @ K1, E1.T]]))
        same(Y.as_dual_matrix(), np.block([[E1.T, -E1.T @ K1], [ZERO, E1.T]]))

    @pytest.mark.parametrize("make", MATRICES)
    @pytest.mark.parametrize("order", SPATIAL_ORDERS)
    def test_vectors_move_as_the_matrices_say(self, make: Any, order: str) -> None:
        X = make(E1, R1)
        same(X.apply_motion(MOTION, order), X.as_matrix(order) @ MOTION)
        same(X.apply_force(FORCE, order), X.as_dual_matrix(order) @ FORCE)
        same(X.as_dual_matrix(order), np.linalg.inv(X.as_matrix(order)).T)

    def test_linear_first_is_the_same_with_both_halves_exchanged(self) -> None:
        swap = np.block([[ZERO, ONE], [ONE, ZERO]])
        X = vectors.plx(E1, R1)
        same(X.as_matrix("linear-angular"), swap @ X.as_matrix() @ swap)
        assert vectors.reorder(MOTION, *SPATIAL_ORDERS).tolist() == (swap @ MOTION).tolist()
        got = vectors.reorder_matrix(X.as_matrix(), *SPATIAL_ORDERS)
        assert got.tolist() == X.as_matrix("linear-angular").tolist()

    def test_join_and_split_are_each_others_inverse(self) -> None:
        for order in SPATIAL_ORDERS:
            angular, linear = vectors.split(MOTION, order)
            assert vectors.join(angular, linear, order).tolist() == MOTION.tolist()
        assert vectors.join([1, 2, 3], [4, 5, 6], "linear-angular").tolist() == [4, 5, 6, 1, 2, 3]


class TestConventions:
    def test_left_associative_composition(self) -> None:
        X1, X2 = vectors.plx(E1, R1), vectors.plx(E2, R2)
        same((X1 @ X2).as_matrix(), X1.as_matrix() @ X2.as_matrix())
        same((X1 @ X2).E, E1 @ E2)
        same((X1 @ X2).r, E2.T @ R1 + R2)

    def test_right_associative_composition(self) -> None:
        Y1, Y2 = vectors.plxb(E1, R1), vectors.plxb(E2, R2)
        same((Y1 @ Y2).as_matrix(), Y2.as_matrix() @ Y1.as_matrix())
        same((Y1 @ Y2).E, E1 @ E2)
        same((Y1 @ Y2).r, R1 + E1 @ R2)

    def test_plxb_of_a_rotation_is_plx_of_its_transpose_with_the_same_r(self) -> None:
        same(vectors.plxb(E1, R1).as_matrix(), vectors.plx(E1.T, R1).as_matrix())
        back = vectors.plx(E1, R1).as_plxb().as_plx()
        assert (back.E.tolist(), back.r.tolist()) == (E1.tolist(), R1.tolist())

    def test_the_pose_is_drakes_and_composes_as_plxb_does(self) -> None:
        Y1, Y2 = vectors.plxb(E1, R1), vectors.plxb(E2, R2)
        same((Y1 @ Y2).as_pose(), Y1.as_pose() @ Y2.as_pose())
        X_AB = Y1.as_pose()
        assert X_AB[:3, :3].tolist() == E1.tolist()
        assert X_AB[:3, 3].tolist() == R1.tolist()
        for kind in (vectors.Plx, vectors.Plxb):
            same(kind.from_pose(X_AB).as_matrix(), Y1.as_matrix())
            same(kind.from_pose(X_AB).as_pose(), X_AB)

    def test_the_two_conventions_do_not_mix_in_silence(self) -> None:
        with pytest.raises(ParameterError, match=r"Plx @ Plxb.*as_plx"):
            vectors.plx(E1, R1) @ vectors.plxb(E1, R1)
        with pytest.raises(TypeError):
            vectors.plx(E1, R1) @ np.eye(6)

    @pytest.mark.parametrize("make", MATRICES)
    def test_inverse(self, make: Any) -> None:
        X = make(E1, R1)
        same(X.inverse().as_matrix(), np.linalg.inv(X.as_matrix()))
        same((X @ X.inverse()).as_matrix(), np.eye(6))
        same(X.inverse().as_pose(), np.linalg.inv(X.as_pose()))


class TestSlipsOfTheDerivation:
    """Where the printed form differs from the right one, the right one is what the 6x6 say."""

    def test_the_vectors_are_angular_first(self) -> None:
        # Printed: m = [v, w]. With it, the matrices as printed shift w by r x v.
        X = vectors.plx(ONE, R1)
        same(X.apply_motion(MOTION, "linear-angular"), np.block([[ONE, -K1], [ZERO, ONE]]) @ MOTION)
        assert differ(np.block([[ONE, ZERO], [-K1, ONE]]) @ MOTION,
                      X.apply_motion(MOTION, "linear-angular"))  # fmt: skip

    def test_the_lower_left_block_is_minus_e_times_r_cross(self) -> None:
        # Printed where X is applied to a motion: -[r]x E; the result beside it is right.
        w, v = MOTION[:3], MOTION[3:]
        right = np.concatenate([E1 @ w, E1 @ (v - np.cross(R1, w))])
        same(np.block([[E1, ZERO], [-E1 @ K1, E1]]) @ MOTION, right)
        assert differ(np.block([[E1, ZERO], [-K1 @ E1, E1]]) @ MOTION, right)

    def test_translation_comes_first(self) -> None:
        # Printed: a left-associative T "first rotates, then translates".
        turn, shift = vectors.plx(E1, [0, 0, 0]), vectors.plx(ONE, R1)
        same((turn @ shift).as_matrix(), vectors.plx(E1, R1).as_matrix())
        assert differ((shift @ turn).as_matrix(), vectors.plx(E1, R1).as_matrix())
        turn, shift = vectors.plxb(E1, [0, 0, 0]), vectors.plxb(ONE, R1)
        same((shift @ turn).as_matrix(), vectors.plxb(E1, R1).as_matrix())

    def test_the_sum_in_the_composition_of_plxb_has_a_plus(self) -> None:
        # Printed in the second line: E1 [r2]x E1^T - [r1]x; in the fourth: E1^T E2^T in front.
        lower = -E2.T @ K2 @ E1.T - E2.T @ E1.T @ K1
        same(-E2.T @ E1.T @ (E1 @ K2 @ E1.T + K1), lower)
        assert differ(-E2.T @ E1.T @ (E1 @ K2 @ E1.T - K1), lower)
        total = clouds.skew(E1 @ R2 + R1)
        same(-E2.T @ E1.T @ total, lower)
        assert differ(-E1.T @ E2.T @ total, lower)

    def test_the_matrix_of_y1_y2_is_y2_times_y1(self) -> None:
        Y1, Y2 = vectors.plxb(E1, R1), vectors.plxb(E2, R2)
        shown = np.block(
            [[E2.T @ E1.T, ZERO], [-E2.T @ E1.T @ clouds.skew(E1 @ R2 + R1), E2.T @ E1.T]]
        )
        same(Y2.as_matrix() @ Y1.as_matrix(), shown)
        assert differ(Y1.as_matrix() @ Y2.as_matrix(), shown)

    def test_the_dual_of_plx_keeps_e(self) -> None:
        # Printed: [[E^T, -[r]x E^T], [0, E^T]].
        right = np.linalg.inv(vectors.plx(E1, R1).as_matrix()).T
        same(np.block([[E1, -E1 @ K1], [ZERO, E1]]), right)
        assert differ(np.block([[E1.T, -K1 @ E1.T], [ZERO, E1.T]]), right)

    def test_the_dual_of_plxb_keeps_e_transposed(self) -> None:
        # Printed: [[E, [r]x E], [0, E]], which is the inverse of the dual.
        right = np.linalg.inv(vectors.plxb(E1, R1).as_matrix()).T
        same(np.block([[E1.T, -E1.T @ K1], [ZERO, E1.T]]), right)
        printed = np.block([[E1, K1 @ E1], [ZERO, E1]])
        assert differ(printed, right)
        same(printed, np.linalg.inv(right))

    def test_the_inverses_are_right_as_printed(self) -> None:
        same(np.block([[E1.T, ZERO], [K1 @ E1.T, E1.T]]), vectors.plx(E1, R1).inverse().as_matrix())
        same(np.block([[E1, ZERO], [K1 @ E1, E1]]), vectors.plxb(E1, R1).inverse().as_matrix())

    def test_the_identities_are_right_as_printed(self) -> None:
        same(clouds.skew(R1 + R2), K1 + K2)
        same(clouds.skew(E1 @ R1), E1 @ K1 @ E1.T)


class TestPowerAndCrosses:
    @given(seed=st.integers(0, 2**32 - 1), size=st.floats(1e-6, 1e6))
    def test_power_is_the_same_in_every_frame(self, seed: int, size: float) -> None:
        rng = np.random.default_rng(seed)
        motion, force = rng.normal(size=(2, 6))
        X = vectors.plx(rotations(rng), size * rng.normal(size=3))
        here = vectors.power(motion, force)
        there = vectors.power(X.apply_motion(motion), X.apply_force(force))
        scale = np.linalg.norm(motion) * np.linalg.norm(force) * (1 + np.linalg.norm(X.r)) ** 2
        assert abs(here - there) <= 32 * EPS * scale

    def test_power_by_hand_in_both_orders(self) -> None:
        assert vectors.power([0, 0, 2, 1, 0, 0], [0, 0, 3, 5, 0, 0]) == 11
        assert vectors.power([1, 0, 0, 0, 0, 2], [5, 0, 0, 0, 0, 3]) == 11

    @pytest.mark.parametrize("order", SPATIAL_ORDERS)
    def test_crosses_are_the_derivatives_of_the_transforms(self, order: str) -> None:
        """A frame that moves with m sees fixed vectors turn back: d/dt X = -[m x] X."""
        carrier, step = RNG.normal(size=6), 1e-6
        w, v = vectors.split(carrier, order)

        def frame(t: float) -> Any:
            angle = t * np.linalg.norm(w)
            K = clouds.skew(w / np.linalg.norm(w))
            R_AB = ONE + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
            return vectors.plxb(R_AB, t * v)

        motion = frame(step).apply_motion(MOTION, order) - frame(-step).apply_motion(MOTION, order)
        force = frame(step).apply_force(FORCE, order) - frame(-step).apply_force(FORCE, order)
        np.testing.assert_allclose(
            -motion / (2 * step), vectors.cross_motion(carrier, MOTION, order), atol=1e-8
        )
        np.testing.assert_allclose(
            -force / (2 * step), vectors.cross_force(carrier, FORCE, order), atol=1e-8
        )

    def test_crosses_respect_power_and_transforms(self) -> None:
        third = RNG.normal(size=6)
        cross_m, cross_f = vectors.cross_motion, vectors.cross_force
        same(cross_m(MOTION, MOTION), np.zeros(6))
        left = vectors.power(cross_m(MOTION, third), FORCE)
        same(left, -vectors.power(third, cross_f(MOTION, FORCE)))
        X = vectors.plxb(E1, R1)
        there = cross_f(X.apply_motion(MOTION), X.apply_force(FORCE))
        same(there, X.apply_force(cross_f(MOTION, FORCE)))
        there = cross_m(X.apply_motion(MOTION), X.apply_motion(third))
        same(there, X.apply_motion(cross_m(MOTION, third)))


class TestInertias:
    @pytest.mark.parametrize("make", MATRICES)
    @pytest.mark.parametrize("order", SPATIAL_ORDERS)
    def test_theta_and_matrix_move_alike(self, make: Any, order: str) -> None:
        X = make(E1, R1)
        M = spatial_inertia(BODIES, order)
        expected = X.as_dual_matrix(order) @ M @ np.linalg.inv(X.as_matrix(order))
        same(spatial_inertia(X.apply_inertia(BODIES), order), expected, 512)
        same(X.apply_spatial_inertia(M, order), expected, 512)

    def test_kinetic_energy_is_the_same_in_every_frame(self) -> None:
        X = vectors.plx(E1, R1)
        B = RNG.normal(size=(6, 6))
        M = B @ B.T  # no rigid body's
        m = X.apply_motion(MOTION)
        same(m @ X.apply_spatial_inertia(M) @ m, MOTION @ M @ MOTION, 512)

    def test_about_the_centre_of_mass_stays_there(self) -> None:
        theta = BODIES[0].copy()
        got = vectors.plx(ONE, [1e9, 0, 0]).apply_inertia(theta, "com")
        assert got[4:].tolist() == theta[4:].tolist()

    def test_the_result_is_symmetric_bit_for_bit(self) -> None:
        got = vectors.plx(E1, R1).apply_spatial_inertia(spatial_inertia(BODIES))
        assert np.array_equal(got, got.swapaxes(-1, -2))


class TestBatches:
    def test_leading_axes_broadcast_everywhere(self) -> None:
        X = vectors.plx(rotations(0, (2, 1)), RNG.normal(size=(3, 3)))
        motions = RNG.normal(size=(2, 3, 6))
        got = X.apply_motion(motions)
        assert (X @ X).as_matrix().shape == (2, 3, 6, 6)
        assert X.as_pose().shape == (2, 3, 4, 4)
        for i, j in np.ndindex(2, 3):
            one = vectors.plx(X.E[i, 0], X.r[j])
            assert got[i, j].tolist() == one.apply_motion(motions[i, j]).tolist()

    def test_float32_stays(self) -> None:
        X = vectors.plxb(E1.astype(np.float32), R1.astype(np.float32))
        assert X.as_matrix().dtype == np.float32
        assert X.apply_force(FORCE.astype(np.float32)).dtype == np.float32
        assert X.apply_force(FORCE).dtype == np.float64


class TestRefusals:
    def test_a_matrix_that_is_no_rotation_names_its_body(self) -> None:
        E = np.tile(np.eye(3), (3, 1, 1))
        E[2, 0, 0] = 1.1
        for make in MATRICES:
            with pytest.raises(ParameterError, match="E of body 2 is not orthonormal"):
                make(E, R1)
        E[2, 0, 0] = -1
        with pytest.raises(ParameterError, match="E of body 2 is a reflection"):
            vectors.plx(E, R1)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: vectors.plx(np.eye(4), R1), r"E has shape \(4, 4\)"),
            (lambda: vectors.plx(ONE, [1, 2]), r"r has shape \(2,\)"),
            (lambda: vectors.plx(ONE, R1).apply_motion(MOTION[:5]), r"motion has shape \(5,\)"),
            (lambda: vectors.plx(ONE, R1).apply_force(FORCE, "ksl"), "unknown block order 'ksl'"),
            (lambda: vectors.join(R1, R2, "wv"), "unknown block order 'wv'"),
            (lambda: vectors.power(MOTION, FORCE[:3]), r"force has shape \(3,\)"),
            (lambda: vectors.plx(np.tile(ONE, (2, 1, 1)), np.zeros((3, 3))), "do not broadcast"),
            (lambda: vectors.Plx.from_pose(2 * np.eye(4)), r"last row \[0.0, 0.0, 0.0, 2.0\]"),
        ],
    )
    def test_what_does_not_fit(self, call: Any, message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            call()

    def test_an_inertia_that_is_not_symmetric_in_its_own_units(self) -> None:
        M = np.tile(np.diag([1e-9, 1e-9, 1e-9, 1.0, 1.0, 1.0]), (2, 1, 1))
        M[1, 0, 1] = 1e-12  # kg m^2, far below the masses
        with pytest.raises(ParameterError, match=r"of body 1 is not symmetric: entry \[0, 1\]"):
            vectors.plx(ONE, R1).apply_spatial_inertia(M)


CALLS = {
    "as_matrix": (lambda E, r: vectors.plx(E, r).as_matrix("linear-angular"), (0, 1)),
    "as_dual_matrix": (lambda E, r: vectors.plxb(E, r).as_dual_matrix(), (0, 1)),
    "as_pose": (lambda E, r: vectors.plx(E, r).inverse().as_pose(), (0, 1)),
    "compose": (lambda E, r: (vectors.plxb(E, r) @ vectors.plxb(E, r)).as_matrix(), (0, 1)),
    "left": (lambda E, r: (vectors.plx(E, r) @ vectors.plx(E, r)).as_plxb().as_matrix(), (0, 1)),
    "motion": (lambda E, r, v: vectors.plx(E, r).apply_motion(v, "linear-angular"), (0, 1, 2)),
    "force": (lambda E, r, v: vectors.plxb(E, r).apply_force(v), (0, 1, 2)),
    "theta": (lambda E, r, t: vectors.plx(E, r).apply_inertia(t), (0, 1, 3)),
    "matrix": (lambda E, r, M: vectors.plx(E, r).apply_spatial_inertia(M), (0, 1, 4)),
    "cross_motion": (vectors.cross_motion, (2, 5)),
    "cross_force": (lambda m, f: vectors.cross_force(m, f, "linear-angular"), (2, 5)),
    "power": (vectors.power, (2, 5)),
    "reorder": (lambda v: vectors.reorder(v, *SPATIAL_ORDERS), (2,)),
}
ARGUMENTS = (
    rotations(3, 3), RNG.normal(size=(3, 3)), RNG.normal(size=(3, 6)), BODIES,
    spatial_inertia(BODIES), RNG.normal(size=(3, 6)),
)  # fmt: skip


test_the_same_numbers_in_every_library, test_it_stays_on_its_device, test_jax_compiles_it = (
    make_call_tests({name: (f, [ARGUMENTS[i] for i in at]) for name, (f, at) in CALLS.items()})
)
