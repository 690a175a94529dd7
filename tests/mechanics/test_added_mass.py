"""Gazebo's and DART's 6x6 inertias, and the added mass of a fluid, against energies and points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clouds
from array_libraries import make_call_tests
from inertial_check import InertialParameters
from inertial_check.errors import ParameterError
from inertial_check.inertia.representations import SPATIAL_ORDERS
from inertial_check.inertia.sampling import rotations
from inertial_check.mechanics import added_mass, vectors

EPS = np.finfo(float).eps
RNG = np.random.default_rng(21)
ONE, ZERO = np.eye(3), np.zeros((3, 3))
LINEAR = "linear-angular"
C = np.array([0.3, -0.2, 0.5])
K = clouds.skew(C)
HALF = RNG.normal(size=(3, 6, 6))
ADDED = HALF @ HALF.swapaxes(-1, -2)  # positive definite, like no rigid body's
POSES = np.tile(np.eye(4), (3, 1, 1))
POSES[:, :3, :3], POSES[:, :3, 3] = rotations(2, 3), RNG.normal(size=(3, 3))
I_own = clouds.sums(*clouds.cloud(1)).inertia
X_BBcm = np.eye(4)
X_BBcm[:3, :3], X_BBcm[:3, 3] = rotations(5), C
R_BBcm = X_BBcm[:3, :3]
BODY = InertialParameters.from_com(2.0, C, R_BBcm @ I_own @ R_BBcm.T)


def gz(added: Any = None) -> added_mass.GzInertial:
    return added_mass.GzInertial.of(2.0, I_own, X_BBcm, added)


def same(got: Any, expected: Any, ulps: float = 64) -> None:
    np.testing.assert_allclose(got, expected, rtol=0, atol=ulps * EPS * np.abs(expected).max())


def blocks(M: Any, S: Any, J: Any) -> Any:
    return np.block([[M, S.T], [S, J]])


class TestGazebo:
    """The matrices by the formulas of gz-math's source, and what they are inertias of."""

    def test_moi(self) -> None:
        same(gz().moi(), R_BBcm @ I_own @ R_BBcm.T)

    def test_body_matrix_has_the_blocks_of_the_source(self) -> None:
        I_BBcm_B = R_BBcm @ I_own @ R_BBcm.T
        same(gz().body_matrix(), blocks(2 * ONE, 2 * K, I_BBcm_B))

    def test_body_matrix_is_the_inertia_about_no_point(self) -> None:
        """About Bcm there is no coupling; about Bo the inertia has m [c]x [c]x^T besides."""
        got, about_Bo = gz().body_matrix(), BODY.as_spatial_inertia(LINEAR)
        same(got[3:, :3], about_Bo[3:, :3])
        missing = about_Bo - got
        same(missing[3:, 3:], 2 * K @ K.T)
        assert not missing[:3].any()
        same(
            added_mass.shift_added_mass(about_Bo, -C, order=LINEAR)[3:, :3] + 1, np.ones((3, 3))
        )  # about Bcm: none
        with_origin_at_Bcm = added_mass.GzInertial.of(2.0, I_own, np.eye(4))
        expected = with_origin_at_Bcm.parameters().as_spatial_inertia(LINEAR)
        same(with_origin_at_Bcm.body_matrix(), expected)

    def test_body_matrix_of_a_sound_body_can_be_indefinite(self) -> None:
        ball = added_mass.GzInertial.of(
            1.0, 0.004 * ONE, np.array([[1, 0, 0, 0.1], *np.eye(4)[1:]])
        )
        assert np.linalg.eigvalsh(ball.body_matrix())[0] < 0
        assert np.linalg.eigvalsh(ball.parameters().as_spatial_inertia(LINEAR))[0] > 0

    def test_spatial_matrix_is_the_plain_sum(self) -> None:
        same(gz(ADDED[0]).spatial_matrix(), gz().body_matrix() + ADDED[0])
        assert gz().spatial_matrix().tolist() == gz().body_matrix().tolist()

    def test_an_added_mass_in_other_axes_names_its_body(self) -> None:
        crooked = ADDED.copy()
        crooked[1, 0, 4] += 1
        with pytest.raises(ParameterError, match=r"fluid_added_mass of body 1 is not symmetric"):
            gz(crooked)
        with pytest.raises(ParameterError, match=r"fluid_added_mass has shape \(3, 3\)"):
            gz(np.eye(3))
        with pytest.raises(ParameterError, match=r"rotation in X_BBcm is not orthonormal"):
            added_mass.GzInertial.of(2.0, I_own, np.diag([2.0, 1, 1, 1]))
        with pytest.raises(ParameterError, match="matrix is not symmetric"):
            added_mass.GzInertial.of(2.0, I_own + np.triu(np.ones((3, 3)), 1), X_BBcm)


class TestDart:
    def test_tensor_has_the_blocks_of_the_source(self) -> None:
        moment = BODY.inertia_com
        expected = np.block([[moment + 2 * K @ K.T, 2 * K], [2 * K.T, 2 * ONE]])
        same(added_mass.dart_spatial_tensor(2.0, C, moment), expected)

    def test_and_back(self) -> None:
        got = added_mass.dart_parameters(added_mass.dart_spatial_tensor(2.0, C, BODY.inertia_com))
        for mine, expected in zip(got, (np.float64(2), C, BODY.inertia_com), strict=True):
            same(mine, expected)

    def test_with_an_added_mass_the_mass_is_that_of_one_axis(self) -> None:
        added = np.diag([6.0, 24, 24, 0, 0, 0])
        got = added_mass.dart_parameters(gz(added).dart_tensor())
        assert got.mass == 8
        assert np.abs(got.local_com - C).max() > 0.1

    def test_the_moment_is_the_upper_triangle_mirrored(self) -> None:
        # DART's computeParameters stores I(0, 1), I(0, 2), I(1, 2) of a product that a coupling
        # without antisymmetry leaves without symmetry.
        G = np.random.default_rng(8).normal(size=(5, 6, 6))
        tensor = G @ G.mT
        C = tensor[:, :3, 3:] / tensor[:, 3:4, 3:4]
        full = tensor[:, :3, :3] + tensor[:, 3:4, 3:4] * (C @ C)
        assert np.abs(full - full.mT).max() > 0.1
        upper = np.triu(full)
        expected = upper + np.triu(full, 1).mT
        np.testing.assert_allclose(added_mass.dart_parameters(tensor).moment, expected, rtol=1e-12)

    def test_what_gazebo_hands_over_is_the_sum_about_the_origin(self) -> None:
        swap = [3, 4, 5, 0, 1, 2]
        expected = BODY.as_spatial_inertia() + ADDED[0][np.ix_(swap, swap)]
        same(gz(ADDED[0]).dart_tensor(), expected)
        same(gz().dart_tensor(), BODY.as_spatial_inertia())

    def test_the_tensor_has_the_kinetic_energy_of_body_and_fluid(self) -> None:
        w, v = RNG.normal(size=(2, 3))
        twist = np.concatenate([w, v])
        at_center = np.concatenate([w, v + np.cross(w, C)])
        rigid = np.block([[BODY.inertia_com, ZERO], [ZERO, 2 * ONE]])
        fluid = np.concatenate([v, w])
        energy = at_center @ rigid @ at_center + fluid @ ADDED[0] @ fluid
        same(twist @ gz(ADDED[0]).dart_tensor() @ twist, energy)


class TestMoving:
    @pytest.mark.parametrize("order", SPATIAL_ORDERS)
    def test_a_change_of_frame_keeps_the_kinetic_energy(self, order: str) -> None:
        moved = added_mass.transform_added_mass(ADDED, POSES, order)
        motion = RNG.normal(size=(3, 6))  # in A
        there = vectors.Plxb.from_pose(POSES).apply_motion(motion, order)
        before = np.einsum("ni,nij,nj->n", there, ADDED, there)
        same(np.einsum("ni,nij,nj->n", motion, moved, motion), before, 256)

    def test_a_rigid_body_moves_as_it_always_did(self) -> None:
        got = added_mass.transform_added_mass(BODY.as_spatial_inertia(LINEAR), POSES, order=LINEAR)
        same(got, BODY.transform(POSES).as_spatial_inertia(LINEAR), 256)

    def test_a_shift_by_its_blocks(self) -> None:
        M, S, J = ADDED[0][:3, :3], ADDED[0][3:, :3], ADDED[0][3:, 3:]
        expected = blocks(M, S + K @ M, J + K @ S.T + S @ K.T + K @ M @ K.T)
        same(added_mass.shift_added_mass(ADDED[0], C, order=LINEAR), expected)

    def test_there_and_back(self) -> None:
        back = np.linalg.inv(POSES)
        same(
            added_mass.transform_added_mass(
                added_mass.transform_added_mass(ADDED, POSES, order=LINEAR), back, order=LINEAR
            ),
            ADDED,
            512,
        )
        same(
            added_mass.shift_added_mass(
                added_mass.shift_added_mass(ADDED, C, order=LINEAR), -C, order=LINEAR
            ),
            ADDED,
            512,
        )

    def test_halves_that_differ_name_the_body(self) -> None:
        crooked = ADDED.copy()
        crooked[2, 5, 1] += 1
        for call in (added_mass.transform_added_mass, added_mass.cmct, added_mass.shift_added_mass):
            arguments = {
                added_mass.transform_added_mass: (POSES,),
                added_mass.shift_added_mass: (C,),
            }.get(call, ())
            with pytest.raises(ParameterError, match="added_mass of body 2 is not symmetric"):
                call(crooked, *arguments, order=LINEAR)
        with pytest.raises(ParameterError, match="added_mass of body 2 is not symmetric"):
            added_mass.judge_added_mass(BODY, crooked, order=LINEAR)

    def test_both_orders_say_the_same(self) -> None:
        got = added_mass.transform_added_mass(
            vectors.reorder_matrix(ADDED, LINEAR, "angular-linear"), POSES, "angular-linear"
        )
        expected = added_mass.transform_added_mass(ADDED, POSES, order=LINEAR)
        same(vectors.reorder_matrix(got, "angular-linear", LINEAR), expected)


class TestCmct:
    """The proposal's term against J_Bo - J_Bcm of the full congruence."""

    M = ADDED[0][:3, :3]
    J = ADDED[1][3:, 3:]
    S = 0.3 * ADDED[0][3:, :3]  # a coupling about Bcm

    def shifted(self, S: Any) -> tuple[Any, Any]:
        """The added mass about Bo, and what the shift adds to the inertia."""
        about_Bo = added_mass.shift_added_mass(blocks(self.M, S, self.J), C, order=LINEAR)
        return about_Bo, about_Bo[3:, 3:] - self.J

    def test_right_exactly_without_a_coupling_about_the_centre_of_mass(self) -> None:
        about_Bo, added = self.shifted(ZERO)
        same(added_mass.cmct(about_Bo, order=LINEAR), added, 512)
        same(added, K @ self.M @ K.T, 512)

    def test_off_by_the_rest_of_the_coupling_otherwise(self) -> None:
        about_Bo, added = self.shifted(self.S)
        rest = self.S @ np.linalg.inv(self.M) @ self.S.T
        same(added_mass.cmct(about_Bo, order=LINEAR), added + rest, 2048)
        assert np.linalg.eigvalsh(rest)[0] > 0  # it vanishes with S and not before

    def test_wrong_where_the_given_coupling_is_that_about_the_centre_of_mass(self) -> None:
        about_Bcm = blocks(self.M, self.S, self.J)
        _, added = self.shifted(self.S)
        assert np.abs(added_mass.cmct(about_Bcm, order=LINEAR) - added).max() > 0.1
        assert not added_mass.cmct(blocks(self.M, ZERO, self.J), order=LINEAR).any()

    def test_of_a_rigid_body_it_is_the_parallel_axis_term(self) -> None:
        same(added_mass.cmct(BODY.as_spatial_inertia(LINEAR), order=LINEAR), 2 * K @ K.T)
        same(added_mass.cmct(BODY.as_spatial_inertia(), "angular-linear"), 2 * K @ K.T)

    def test_masses_without_an_inverse_name_their_body(self) -> None:
        added = ADDED.copy()
        added[2, :3] = added[2, :, :3] = 0
        with pytest.raises(ParameterError, match="linear block of added_mass of body 2 has no inv"):
            added_mass.cmct(added, order=LINEAR)


class TestJudgement:
    def test_a_sound_sum(self) -> None:
        judged = added_mass.judge_added_mass(BODY, ADDED, order=LINEAR)
        assert judged.verdict.tolist() == ["positive-definite"] * 3
        assert judged.added_semidefinite.all()
        judged.raise_for_verdict()

    def test_no_added_mass_leaves_the_body(self) -> None:
        judged = added_mass.judge_added_mass(BODY, np.zeros((6, 6)), order=LINEAR)
        assert judged.margin == judged.rigid_margin > 0
        assert judged.added_margin == 0

    @pytest.mark.parametrize("side", [1e-5, 1.0, 1e4])
    def test_float32_judges_cubes_of_any_size_like_float64(self, side: float) -> None:
        mass = 1000 * side**3
        moments = mass * side**2 / 6 * np.eye(3)
        added = mass * np.diag([0.7, 0.7, 0.7, *[0.05 * side**2] * 3])
        judged = []
        for dtype in (np.float32, np.float64):
            values = (np.asarray(v, dtype=dtype) for v in (mass, [0, 0, side / 4], moments))
            body = InertialParameters.from_com(*values)
            judged.append(added_mass.judge_added_mass(body, added.astype(dtype), order=LINEAR))
        single, double = judged
        assert single.verdict == double.verdict == "positive-definite"
        assert single.margin.dtype == np.float32
        for name in ("margin", "added_margin", "rigid_margin", "tolerance"):
            expected = getattr(double, name)
            if name == "tolerance":
                expected = expected * np.finfo(np.float32).eps / np.finfo(np.float64).eps
            np.testing.assert_allclose(getattr(single, name), expected, rtol=1e-4, err_msg=name)

    def test_negative_added_masses_that_the_body_carries(self) -> None:
        judged = added_mass.judge_added_mass(BODY, np.diag([-0.5, 0, 0, 0, 0, 0]), order=LINEAR)
        assert judged.verdict == "positive-definite"
        assert not judged.added_semidefinite

    @pytest.mark.parametrize(
        ("added", "word"),
        [
            (np.diag([0, 0, -2.5, 0, 0, 0]), "indefinite"),
            (np.diag([0, 0, -2.0, 0, 0, 0]), "singular"),
            (np.diag([0, 0, np.nan, 0, 0, 0]), "invalid"),
        ],
    )
    def test_words(self, added: Any, word: str) -> None:
        ball = InertialParameters.from_com(2.0, [0, 0, 0], np.eye(3))
        judged = added_mass.judge_added_mass(ball, added, order=LINEAR)
        assert judged.verdict == word
        with pytest.raises(ParameterError, match=f"with its added mass is {word}"):
            judged.raise_for_verdict()

    def test_a_product_too_large(self) -> None:
        added = np.zeros((2, 6, 6))
        added[1, 0, 4] = added[1, 4, 0] = 100.0
        judged = added_mass.judge_added_mass(BODY, added, order=LINEAR)
        assert judged.verdict.tolist() == ["positive-definite", "indefinite"]
        with pytest.raises(ParameterError, match="inertia of body 1 with its added mass is indef"):
            judged.raise_for_verdict()

    def test_a_rod_is_singular_until_the_fluid_turns_with_it(self) -> None:
        rod = InertialParameters.from_com(1.0, C, np.diag([0.0, 1, 1]))
        assert (
            added_mass.judge_added_mass(rod, np.zeros((6, 6)), order=LINEAR).verdict == "singular"
        )
        about_Bcm = np.diag([0, 0, 0, 0.1, 0, 0])
        judged = added_mass.judge_added_mass(
            rod, added_mass.shift_added_mass(about_Bcm, C, order=LINEAR), order=LINEAR
        )
        assert judged.verdict == "positive-definite"

    def test_a_body_without_mass(self) -> None:
        nothing = InertialParameters.from_theta(np.zeros(10))
        assert (
            added_mass.judge_added_mass(nothing, ADDED[0], order=LINEAR).verdict
            == "positive-definite"
        )
        assert (
            added_mass.judge_added_mass(nothing, np.zeros((6, 6)), order=LINEAR).verdict
            == "singular"
        )

    def test_too_far_away_for_the_precision(self) -> None:
        far = InertialParameters.from_com(1.0, [1e9, 0, 0], np.eye(3))
        about_Bo = added_mass.shift_added_mass(np.eye(6), far.com, order=LINEAR)
        assert added_mass.judge_added_mass(far, about_Bo, order=LINEAR).verdict == "ill-posed"

    @given(seed=st.integers(0, 2**32 - 1), mass=st.floats(1e-9, 1e6), length=st.floats(1e-4, 1e2))
    def test_the_margin_is_free_of_frames_and_units(
        self, seed: int, mass: float, length: float
    ) -> None:
        rng = np.random.default_rng(seed)
        G = rng.normal(size=(6, 6))
        added = G + G.T  # often indefinite
        before = added_mass.judge_added_mass(BODY, added, order=LINEAR)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = rotations(rng), rng.normal(size=3)
        moved = added_mass.judge_added_mass(
            BODY.transform(X), added_mass.transform_added_mass(added, X, order=LINEAR), order=LINEAR
        )
        assert abs(moved.margin - before.margin) <= 4 * (moved.tolerance + before.tolerance)
        units = np.array([1.0] * 3 + [length] * 3)
        scaled = InertialParameters.from_com(
            2.0 * mass, C * length, BODY.inertia_com * mass * length**2
        )
        again = added_mass.judge_added_mass(
            scaled, mass * units[:, None] * added * units, order=LINEAR
        )
        assert abs(again.margin - before.margin) <= 4 * before.tolerance

    def test_the_sign_is_that_of_numpys_eigenvalues_about_the_origin(self) -> None:
        rng = np.random.default_rng(2)
        G = rng.normal(size=(400, 6, 6))
        added = (G + G.swapaxes(-1, -2)) * rng.uniform(0, 1, size=(400, 1, 1))
        judged = added_mass.judge_added_mass(BODY, added, order=LINEAR)
        total = BODY.as_spatial_inertia(LINEAR) + added
        least = np.linalg.eigvalsh(total)[:, 0]
        words = np.where(least > 0, "positive-definite", "indefinite")
        assert judged.verdict.tolist() == words.tolist()
        assert 40 < (least > 0).sum() < 360


CALLS = {
    "transform": (lambda A, X: added_mass.transform_added_mass(A, X, LINEAR), (ADDED, POSES)),
    "shift": (
        lambda A, X: added_mass.shift_added_mass(A, X[..., :3, 3], order=LINEAR),
        (ADDED, POSES),
    ),
    "cmct": (lambda A: added_mass.cmct(A, LINEAR), (ADDED,)),
    "body_matrix": (
        lambda J, X: added_mass.GzInertial.of(2.0, J, X).body_matrix(),
        (np.stack([I_own] * 3), POSES),
    ),
    "dart_tensor": (
        lambda J, X, A: added_mass.GzInertial.of(2.0, J, X, A).dart_tensor(),
        (np.stack([I_own] * 3), POSES, ADDED),
    ),
    "dart_parameters": (
        lambda J, c: added_mass.dart_parameters(added_mass.dart_spatial_tensor(2.0, c, J)).moment,
        (np.stack([I_own] * 3), POSES[:, :3, 3]),
    ),
    "judge": (
        lambda J, c, A: (
            added_mass.judge_added_mass(
                InertialParameters.from_com(2.0, c, J), A, order=LINEAR
            ).margin
        ),
        (np.stack([I_own] * 3), POSES[:, :3, 3], ADDED),
    ),
}


test_the_same_numbers_in_every_library, test_it_stays_on_its_device, test_jax_compiles_it = (
    make_call_tests(CALLS)
)
