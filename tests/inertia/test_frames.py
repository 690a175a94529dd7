"""Bodies seen from other frames, and joined, against point masses that are really moved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clouds
from inertial_check.errors import ParameterError
from inertial_check.inertia import frames
from inertial_check.inertia.frames import homogeneous as pose
from inertial_check.inertia.representations import pseudo_inertia
from inertial_check.inertia.sampling import rotations

EPS = np.finfo(float).eps


def close(got: Any, masses: Any, points: Any, about: str = "origin") -> None:
    """Theta equals that of the points, each unit on its own scale."""
    expected = np.array([float(x) for x in clouds.exact_theta(masses, points, about)])
    got = np.asarray(got)
    assert got[0] == pytest.approx(expected[0], rel=16 * EPS)
    reach = np.abs(points).max()
    np.testing.assert_allclose(got[1:4], expected[1:4], rtol=0, atol=64 * EPS * got[0] * reach)
    size = np.abs(expected[4:]).max()
    np.testing.assert_allclose(got[4:], expected[4:], rtol=0, atol=64 * EPS * size)


def theta_about(masses: Any, points: Any, about: str) -> np.ndarray[Any, Any]:
    return np.array([float(x) for x in clouds.exact_theta(masses, points, about)])


@pytest.fixture(params=["origin", "com"])
def about(request: pytest.FixtureRequest) -> Any:
    return request.param


class TestAgainstMovedPoints:
    @pytest.mark.parametrize("seed", range(3))
    def test_rotate(self, seed: int, about: str) -> None:
        masses, points = clouds.cloud(seed, at=[3.0, -1.0, 2.0])
        R_AB = rotations(seed)
        got = frames.rotate(theta_about(masses, points, about), R_AB)
        close(got, masses, points @ R_AB.T, about)

    @pytest.mark.parametrize("seed", range(3))
    def test_translate(self, seed: int, about: str) -> None:
        masses, points = clouds.cloud(seed, at=[3.0, -1.0, 2.0])
        p_AoBo_A = np.array([-1.0, 0.5, 4.0]) * 10.0**seed
        got = frames.translate(theta_about(masses, points, about), p_AoBo_A, about)
        close(got, masses, points + p_AoBo_A, about)

    @pytest.mark.parametrize("seed", range(3))
    def test_transform(self, seed: int, about: str) -> None:
        masses, points = clouds.cloud(seed, at=[3.0, -1.0, 2.0])
        R_AB, p_AoBo_A = rotations(seed), np.array([-1.0, 0.5, 4.0])
        X_AB = pose(R_AB, p_AoBo_A)
        theta = theta_about(masses, points, about)
        got = frames.transform(theta, X_AB, about)
        close(got, masses, points @ R_AB.T + p_AoBo_A, about)
        if about == "origin":
            sandwich = X_AB @ pseudo_inertia(theta) @ X_AB.T
            np.testing.assert_allclose(
                pseudo_inertia(got), sandwich, rtol=0, atol=64 * EPS * np.abs(sandwich).max()
            )

    @pytest.mark.parametrize("gap", [0.0, 1.0, 1e3])
    def test_add_and_take_away(self, gap: float, about: str) -> None:
        m1, r1 = clouds.cloud(1)
        m2, r2 = clouds.cloud(2, count=5, at=[gap, -gap, gap / 3])
        one, two = theta_about(m1, r1, about), theta_about(m2, r2, about)
        both = frames.add(one, two, about)
        close(both, [*m1, *m2], np.concatenate([r1, r2]), about)
        left = frames.add(both, -two, about)
        lost = 64 * EPS * np.abs(both).max()
        np.testing.assert_allclose(left, one, rtol=0, atol=lost)

    def test_merge(self, about: str) -> None:
        m1, r1 = clouds.cloud(1)
        m2, r2 = clouds.cloud(2, count=5)
        R_PC, p_PoCo_P = rotations(3), np.array([0.3, -2.0, 0.7])
        got = frames.merge(
            theta_about(m1, r1, about), theta_about(m2, r2, about), pose(R_PC, p_PoCo_P), about
        )
        moved = r2 @ R_PC.T + p_PoCo_P
        close(got, [*m1, *m2], np.concatenate([r1, moved]), about)


class TestAboutTheCentreOfMass:
    def test_a_shift_leaves_the_inertia_bit_for_bit(self) -> None:
        theta = theta_about(*clouds.cloud(4), "com")
        moved = frames.translate(theta, [1e9, -1e9, 1e9], "com")
        assert moved[4:].tolist() == theta[4:].tolist()

    def test_neighbours_far_from_the_origin_keep_their_digits(self) -> None:
        # 1e6 radii away: about the origin the sum would keep four digits.
        at = np.array([2.0**20, 0.0, 0.0])
        m1, r1 = clouds.cloud(1, at=at)
        m2, r2 = clouds.cloud(2, at=at + 1)
        total = frames.add(theta_about(m1, r1, "com"), theta_about(m2, r2, "com"), "com")
        expected = theta_about([*m1, *m2], np.concatenate([r1, r2]), "com")
        # The distance of the centres, out of h, is all that cancels: kappa^(1/2), not kappa.
        np.testing.assert_allclose(total[4:], expected[4:], rtol=0, atol=1e-9 * expected[4:].max())

    def test_a_frame_without_mass_changes_nothing(self) -> None:
        theta = theta_about(*clouds.cloud(4, at=[5.0, 0, 0]), "com")
        for pair in ((theta, np.zeros(10)), (np.zeros(10), theta)):
            assert frames.add(pair[0], pair[1], "com").tolist() == theta.tolist()

    def test_masses_that_cancel_leave_a_number(self) -> None:
        theta = theta_about(*clouds.cloud(4, at=[5.0, 0, 0]), "com")
        assert frames.add(theta, -theta, "com").tolist() == [0] * 10


class TestBatches:
    def test_leading_axes_broadcast_on_both_sides(self) -> None:
        theta = np.stack([clouds.theta_of(*clouds.cloud(seed)) for seed in range(3)])
        R_AB = rotations(0, (2, 1))
        p_AoBo_A = np.arange(6.0).reshape(2, 1, 3)
        X_AB = np.stack([[pose(R[0], p[0])] for R, p in zip(R_AB, p_AoBo_A, strict=True)])
        for function, argument in (
            (frames.rotate, R_AB),
            (frames.translate, p_AoBo_A),
            (frames.transform, X_AB),
        ):
            together = function(theta, argument)
            assert together.shape == (2, 3, 10)
            for i, j in np.ndindex(2, 3):
                assert together[i, j].tolist() == function(theta[j], argument[i, 0]).tolist()

    def test_one_body_in_many_frames(self) -> None:
        theta = clouds.theta_of(*clouds.cloud(0))
        assert frames.rotate(theta, rotations(0, 5)).shape == (5, 10)
        assert frames.add(theta, np.zeros((4, 10)), "com").shape == (4, 10)

    def test_float32_stays(self, about: str) -> None:
        theta = clouds.theta_of(*clouds.cloud(0)).astype(np.float32)
        X_AB = pose(rotations(0), [1, 2, 3]).astype(np.float32)
        assert frames.merge(theta, theta, X_AB, about).dtype == np.float32

    def test_a_row_that_is_not_finite_spoils_only_itself(self, about: str) -> None:
        theta = np.stack([clouds.theta_of(*clouds.cloud(seed)) for seed in range(3)])
        X_AB = pose(rotations(0), [1, 2, 3])
        good = frames.merge(theta, theta, X_AB, about)
        theta[1, 5], theta[1, 2] = np.nan, np.inf
        got = frames.merge(theta, theta, X_AB, about)
        assert got[[0, 2]].tolist() == good[[0, 2]].tolist()
        assert np.isnan(got[1]).any()


class TestRefusals:
    THETA = np.arange(1.0, 11.0)

    @pytest.mark.parametrize("factor", [1.001, 0.0, np.nan, np.inf])
    def test_a_matrix_that_is_not_orthonormal(self, factor: float) -> None:
        R_AB = np.tile(np.eye(3), (4, 1, 1))
        R_AB[2, 1, 1] = factor
        with pytest.raises(ParameterError, match="R_AB of body 2 is not orthonormal"):
            frames.rotate(self.THETA, R_AB)

    def test_rotations_typed_with_nine_digits_pass_and_with_three_do_not(self) -> None:
        R_AB = rotations(5)
        assert frames.rotate(self.THETA, np.round(R_AB, 9)).shape == (10,)
        with pytest.raises(ParameterError, match=r"expected at most 1\.5e-08"):
            frames.rotate(self.THETA, np.round(R_AB, 3))

    def test_float32_rotations_are_measured_in_float32(self) -> None:
        R_AB = rotations(5).astype(np.float32)
        assert frames.rotate(self.THETA.astype(np.float32), R_AB).dtype == np.float32

    def test_a_reflection(self) -> None:
        with pytest.raises(ParameterError, match=r"reflection .*from_pseudo_inertia"):
            frames.rotate(self.THETA, np.diag([1.0, 1.0, -1.0]))

    def test_a_matrix_that_is_no_pose(self) -> None:
        X_AB = np.tile(np.eye(4), (2, 3, 1, 1))
        X_AB[1, 0, 3, 0] = 0.5  # a transposed pose
        with pytest.raises(
            ParameterError, match=r"body \(1, 0\) has the last row \[0.5, 0.0, 0.0,"
        ):
            frames.transform(self.THETA, X_AB)
        X_AB = np.eye(4)
        X_AB[0, 0] = 2
        with pytest.raises(ParameterError, match="rotation in X_AB is not orthonormal"):
            frames.transform(self.THETA, X_AB)

    def test_wrong_shapes(self) -> None:
        with pytest.raises(
            ParameterError, match=r"R_AB has shape \(4, 4\), expected \(..., 3, 3\)"
        ):
            frames.rotate(self.THETA, np.eye(4))
        with pytest.raises(ParameterError, match=r"X_AB has shape \(3, 3\)"):
            frames.transform(self.THETA, np.eye(3))
        with pytest.raises(ParameterError, match=r"p_AoBo_A has shape \(2,\)"):
            frames.translate(self.THETA, [1, 2])
        with pytest.raises(ParameterError, match=r"theta_2 has shape \(9,\)"):
            frames.add(self.THETA, self.THETA[1:])
        with pytest.raises(ParameterError, match=r"theta \(2,\), R_AB \(3,\)"):
            frames.rotate(np.ones((2, 10)), rotations(0, 3))

    def test_unknown_points(self) -> None:
        with pytest.raises(ParameterError, match="unknown point about='bcm'"):
            frames.translate(self.THETA, [1, 2, 3], "bcm")
        with pytest.raises(ParameterError, match="unknown point about='bcm'"):
            frames.merge(self.THETA, self.THETA, np.eye(4), "bcm")
