"""InertialParameters: every constructor and every property against sums over point masses."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import numpy as np
import pytest

import array_libraries
import clouds
import inertial_check
from inertial_check import InertialParameters
from inertial_check.errors import ParameterError
from inertial_check.inertia.frames import homogeneous as pose
from inertial_check.inertia.sampling import consistent, rotations

EPS = np.finfo(float).eps
AWAY = (3.0, -1.0, 2.0)
SIGNS = np.array(list(itertools.product([1.0, -1.0], repeat=3)))


def close(got: Any, expected: Any) -> None:
    expected = np.asarray(expected, dtype=float)
    np.testing.assert_allclose(
        np.asarray(got), expected, rtol=0, atol=256 * EPS * np.abs(expected).max()
    )


def central(masses: Any, points: Any) -> tuple[Any, Any]:
    """Centre of mass, and the sums about it."""
    com = (masses[:, None] * points).sum(axis=0) / masses.sum()
    return com, clouds.sums(masses, points - com)


def by_each_constructor(masses: Any, points: Any) -> dict[str, InertialParameters]:
    body, (com, about_com) = clouds.sums(masses, points), central(masses, points)
    theta = clouds.theta_of(masses, points)
    swap = [3, 4, 5, 0, 1, 2]
    moments, axes = np.linalg.eigh(about_com.inertia)
    axes = axes * np.linalg.det(axes)  # right-handed
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = theta
    make = InertialParameters
    return {
        "com, matrix": make.from_com(body.mass, com, about_com.inertia),
        "com, six": make.from_com(body.mass, com, clouds.six_of(about_com.inertia)),
        "theta": make.from_theta(theta),
        "theta, pinocchio": make.from_theta([m, hx, hy, hz, xx, xy, yy, xz, yz, zz], "pinocchio"),
        "theta, about com": make.from_theta(
            [*theta[:4], *clouds.six_of(about_com.inertia)], about="com"
        ),
        "pseudo-inertia": make.from_pseudo_inertia(body.pseudo_inertia),
        "spatial": make.from_spatial_inertia(body.spatial_inertia),
        "spatial, linear first": make.from_spatial_inertia(
            body.spatial_inertia[np.ix_(swap, swap)], "linear-angular"
        ),
        "point masses": make.from_point_masses(masses, points),
        "principal": make.from_principal(body.mass, com, moments, axes),
    }


CONSTRUCTORS = tuple(by_each_constructor(*clouds.cloud(0)))


@pytest.mark.parametrize("constructor", CONSTRUCTORS)
class TestEveryConstructor:
    def test_gives_every_representation(self, constructor: str) -> None:
        masses, points = clouds.cloud(1, at=AWAY)
        body, (com, about_com) = clouds.sums(masses, points), central(masses, points)
        got = by_each_constructor(masses, points)[constructor]
        assert got.shape == ()
        close(got.mass, body.mass)
        close(got.com, com)
        close(got.first_moment, body.first_moment)
        close(got.inertia_com, about_com.inertia)
        close(got.inertia_origin, body.inertia)
        close(got.second_moment, body.second_moment)
        close(got.central_second_moment, about_com.second_moment)
        close(got.pseudo_inertia, body.pseudo_inertia)
        close(got.as_spatial_inertia(), body.spatial_inertia)
        swap = [3, 4, 5, 0, 1, 2]
        close(got.as_spatial_inertia("linear-angular"), body.spatial_inertia[np.ix_(swap, swap)])
        close(got.as_theta(), clouds.theta_of(masses, points))
        m, hx, hy, hz, xx, xy, xz, yy, yz, zz = clouds.theta_of(masses, points)
        close(got.as_theta("mujoco"), [m, hx, hy, hz, xx, yy, zz, xy, xz, yz])
        close(got.as_theta(about="com")[4:], clouds.six_of(about_com.inertia))
        moments = np.linalg.eigvalsh(about_com.inertia)
        close(got.principal_moments(), moments)
        axes = got.principal_axes()
        close(axes @ np.diag(moments) @ axes.T, about_com.inertia)
        assert np.linalg.det(axes) == pytest.approx(1, rel=64 * EPS)

    def test_moves_and_joins_as_the_points_do(self, constructor: str) -> None:
        masses, points = clouds.cloud(1, at=AWAY)
        body = by_each_constructor(masses, points)[constructor]
        R_AB, p_AoBo_A = rotations(3), np.array([1.0, -5.0, 0.25])
        turned, shifted = points @ R_AB.T, points + p_AoBo_A
        moved = turned + p_AoBo_A
        weights, places = clouds.cloud(2, count=5)
        for got, m, r in (
            (body.rotate(R_AB), masses, turned),
            (body.translate(p_AoBo_A), masses, shifted),
            (body.transform(pose(R_AB, p_AoBo_A)), masses, moved),
            *(
                (body + other, [*masses, *weights], np.concatenate([points, places]))
                for other in by_each_constructor(weights, places).values()
            ),
            *(
                (
                    other.merge(body, pose(R_AB, p_AoBo_A)),
                    [*weights, *masses],
                    np.concatenate([places, moved]),
                )
                for other in by_each_constructor(weights, places).values()
            ),
        ):
            expected = clouds.sums(m, r)
            close(got.pseudo_inertia, expected.pseudo_inertia)
            close(got.inertia_origin, expected.inertia)
            close(got.com, expected.first_moment / expected.mass)
            close(got.inertia_com, central(np.array(m), r)[1].inertia)

    def test_taking_away_undoes_adding(self, constructor: str) -> None:
        body = by_each_constructor(*clouds.cloud(1, at=AWAY))[constructor]
        for other in by_each_constructor(*clouds.cloud(2)).values():
            left = body + other - other
            close(left.pseudo_inertia, body.pseudo_inertia)
            close(left.inertia_com, body.inertia_com)


class TestNothingIsSentThroughTheOrigin:
    def test_from_com_keeps_its_numbers_bit_for_bit(self) -> None:
        rng = np.random.default_rng(0)
        com = 1e6 * rng.normal(size=(100, 3))
        six = rng.normal(size=(100, 6))
        body = InertialParameters.from_com(1 / 3, com, six)
        assert body.about == "com"
        assert body.as_theta(about="com")[:, 4:].tolist() == six.tolist()
        assert body.inertia_com[:, 0, 2].tolist() == six[:, 2].tolist()
        assert body.com.tolist() == com.tolist()  # not m c / m
        again = InertialParameters.from_com(body.mass, body.com, body.inertia_com)
        assert again.as_theta(about="com").tolist() == body.as_theta(about="com").tolist()

    @pytest.mark.parametrize("about", ["origin", "com"])
    @pytest.mark.parametrize("order", ["urdf", "pinocchio", "mujoco", "wensing", "ksl"])
    def test_theta_comes_back_bit_for_bit(self, order: str, about: str) -> None:
        theta = np.random.default_rng(0).normal(size=(20, 10))
        body = InertialParameters.from_theta(theta, order, about)
        assert body.about == about
        assert body.as_theta(order, about).tolist() == theta.tolist()

    def test_a_shift_there_and_back_keeps_the_moments(self) -> None:
        body = InertialParameters.from_com(2.0, [0.1, 0.2, 0.3], [1, 0.1, 0.2, 2, 0.3, 3])
        moved = body.translate([1e8, 1e8, -1e8]).rotate(np.eye(3)).translate([-1e8, -1e8, 1e8])
        assert moved.as_theta(about="com")[4:].tolist() == [1, 0.1, 0.2, 2, 0.3, 3]

    def test_the_sum_of_mixed_data_is_about_the_centre_of_mass(self) -> None:
        com = InertialParameters.from_com(1.0, [1, 0, 0], np.zeros(6))
        origin = InertialParameters.from_theta(np.full(10, 2.0))
        assert (com + origin).about == (origin - com).about == "com"
        assert (origin - com - com).about == "origin"  # no mass is left, and so no centre
        assert (origin + origin).about == "origin"
        assert (com + com).about == "com"

    def test_point_masses_far_away_keep_their_spread(self) -> None:
        at = np.array([2.0**26, 0.0, 0.0])
        points = at + np.array([[0.5, 0, 0], [-0.5, 0, 0], [0, 0.5, 0], [0, -0.5, 0]])
        body = InertialParameters.from_point_masses([1.0] * 4, points)
        assert np.diag(body.inertia_com).tolist() == [0.5, 0.5, 1.0]


class TestPrincipal:
    def test_columns_are_the_axes_of_the_moments_as_given(self) -> None:
        turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]  # the first axis lies along y
        body = InertialParameters.from_principal(1, [0, 0, 0], [5, 4, 3], turn)
        assert np.diag(body.inertia_com).tolist() == [4, 5, 3]

    def test_moments_ascend_and_axes_match_on_every_degeneracy(self) -> None:
        body = consistent(3, 800)
        moments, axes = body.principal_moments(), body.principal_axes()
        assert (np.diff(moments, axis=-1) >= 0).all()
        truth = np.linalg.eigvalsh(body.inertia_com)
        size = np.abs(truth).max(axis=-1)[:, None]
        assert (np.abs(moments - truth) <= 32 * EPS * size).all()
        rebuilt = axes * moments[:, None, :] @ np.swapaxes(axes, -1, -2)
        assert (np.abs(rebuilt - body.inertia_com) <= 64 * EPS * size[..., None]).all()
        np.testing.assert_allclose(np.linalg.det(axes), 1, rtol=64 * EPS)

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("moments", [[1e-12, 1, 1], [1e-17, 1, 1], [3, 1e-18, 1e-17]])
    def test_needles_along_the_axes_keep_their_digits_through_every_turn(
        self, moments: list[float], dtype: Any
    ) -> None:
        J = np.array(moments, dtype)
        turns = [np.eye(3)[list(order)] for order in itertools.permutations(range(3))]
        turns = [signs * turn for turn in turns for signs in SIGNS[:, :, None]]
        for R in (turn.astype(dtype) for turn in turns if np.linalg.det(turn) > 0):
            still = InertialParameters.from_com(dtype(2), np.ones(3, dtype), np.diag(J))
            from_axes = InertialParameters.from_principal(dtype(2), np.ones(3, dtype), J, R)
            for body in (still.rotate(R), still.rotate(R).translate(R[0]), from_axes):
                got, axes = body.principal_moments(), body.principal_axes()
                assert got.dtype == dtype
                assert got.tolist() == sorted(J.tolist())
                assert inertial_check.check(body).principal_moments.tolist() == got.tolist()
                assert (body.inertia_com @ axes == axes * got).all()
                assert np.linalg.det(axes) == 1

    @pytest.mark.parametrize("name", ["array_api_strict", "torch", "jax"])
    def test_needles_keep_their_digits_in_every_library(self, name: str) -> None:
        library = array_libraries.Library(name)
        rows = np.zeros((2, 10), np.float32)
        rows[:, 0], rows[:, [4, 7, 9]] = 1, [[1, 1e-12, 2], [1e-30, 1, 3]]
        rows[1, 8] = 0.5  # turns two axes, and leaves the needle alone
        theta = library.array(rows, "float32")
        body = InertialParameters.from_theta(theta, about="com")
        for moments in (body.principal_moments(), inertial_check.check(body).principal_moments):
            assert np.asarray(moments)[:, 0].tolist() == [rows[0, 7], rows[1, 4]]
            array_libraries.agree(
                moments, inertial_check.check(rows, about="com").principal_moments, "float32"
            )
        axes = np.asarray(body.principal_axes())
        assert np.abs(axes[:, :, 0]).tolist() == [[0, 1, 0], [1, 0, 0]]

    def test_what_is_not_finite_has_no_axes(self) -> None:
        body = InertialParameters.from_com([1.0, 1.0], np.zeros(3), [[1, 0, 0, 1, 0, np.inf]] * 2)
        assert np.isnan(body.principal_axes()).all()
        assert np.isnan(body.principal_moments()).any(axis=-1).all()

    def test_axes_that_are_no_rotation_are_refused(self) -> None:
        with pytest.raises(ParameterError, match="axes of body 1 is not orthonormal"):
            InertialParameters.from_principal(1, [0, 0, 0], [1, 1, 1], [np.eye(3), 2 * np.eye(3)])
        with pytest.raises(ParameterError, match="axes is a reflection"):
            InertialParameters.from_principal(1, [0, 0, 0], [1, 1, 1], -np.eye(3))


class TestMassless:
    def test_a_given_centre_is_kept_and_weighs_nothing(self) -> None:
        body = InertialParameters.from_com(0, [1, 2, 3], [0] * 6)
        assert body.com.tolist() == [1, 2, 3]
        assert body.first_moment.tolist() == [0, 0, 0]
        assert body.inertia_origin.tolist() == np.zeros((3, 3)).tolist()
        assert body.translate([1, 1, 1]).com.tolist() == [2, 3, 4]
        assert body.rotate([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).com.tolist() == [-2, 1, 3]

    def test_without_one_it_is_nan(self) -> None:
        assert np.isnan(InertialParameters.from_theta(np.zeros(10)).com).all()
        assert np.isnan(InertialParameters.from_point_masses([0.0], [[1.0, 2.0, 3.0]]).com).all()

    def test_a_body_without_any_point_is_massless(self) -> None:
        body = InertialParameters.from_point_masses(np.zeros(0), np.zeros((0, 3)))
        assert body.as_theta().tolist() == [0] * 10

    def test_adding_a_frame_changes_no_bit(self) -> None:
        frame = InertialParameters.from_com(0, [9, 9, 9], [0] * 6)
        body = InertialParameters.from_com(2, [1e6, 0, 0], [1, 0.1, 0.2, 2, 0.3, 3])
        for total in (body + frame, frame + body, body - frame):
            assert total.as_theta(about="com").tolist() == body.as_theta(about="com").tolist()


class TestBatches:
    BODIES = consistent(5, (3, 4))

    @pytest.mark.parametrize(
        "index",
        [
            0,
            -1,
            (1, 2),
            slice(1, None),
            ...,
            (..., 0),
            (slice(None), 1),
            [0, 2],
            np.array([True, False, True]),
            None,
        ],
        ids=repr,
    )
    def test_an_index_selects_bodies(self, index: Any) -> None:
        got = self.BODIES[index]
        chosen = np.arange(12).reshape(3, 4)[index]
        for name in ("mass", "com", "first_moment", "inertia_com"):
            every = getattr(self.BODIES, name)
            expected = every.reshape(12, *every.shape[2:])[chosen]
            assert getattr(got, name).tolist() == expected.tolist()
        assert got.about == "com"

    def test_an_index_never_reaches_into_the_parameters(self) -> None:
        with pytest.raises(IndexError):
            self.BODIES[0, 0, 0]
        with pytest.raises(IndexError):
            self.BODIES[0, 0][0]

    def test_length_and_iteration(self) -> None:
        assert len(self.BODIES) == 3
        assert [body.shape for body in self.BODIES] == [(4,)] * 3
        with pytest.raises(TypeError, match="not batched"):
            len(self.BODIES[0, 0])

    def test_a_batch_is_a_loop(self) -> None:
        X_AB = np.stack([pose(R, [1, 2, 3]) for R in rotations(0, 4)])
        together = self.BODIES.merge(self.BODIES, X_AB)
        for i, j in np.ndindex(3, 4):
            body = self.BODIES[i, j]
            alone = body.merge(body, X_AB[j])
            for got, expected in ((together[i, j], alone),):
                assert got.as_theta().tolist() == expected.as_theta().tolist()
                assert got.principal_moments().tolist() == expected.principal_moments().tolist()

    def test_broadcasting_reaches_the_stored_centre(self) -> None:
        body = InertialParameters.from_com([1.0, 2.0], [1, 2, 3], np.eye(3))
        assert body.com.shape == (2, 3)
        assert body.rotate(rotations(0, (5, 1))).com.shape == (5, 2, 3)
        assert body.translate(np.zeros((5, 1, 3))).com.shape == (5, 2, 3)

    @pytest.mark.parametrize("constructor", CONSTRUCTORS)
    def test_float32_stays_float32(self, constructor: str) -> None:
        body = by_each_constructor(*clouds.cloud(0))[constructor]
        single = InertialParameters.from_theta(
            body.as_theta(about=body.about).astype(np.float32), about=body.about
        )
        single = single.transform(np.eye(4, dtype=np.float32)) + single
        for name in ("mass", "com", "first_moment", "inertia_com", "inertia_origin"):
            assert getattr(single, name).dtype == np.float32
        for name in ("second_moment", "central_second_moment", "pseudo_inertia"):
            assert getattr(single, name).dtype == np.float32
        assert single.as_theta("ksl").dtype == single.as_spatial_inertia().dtype == np.float32
        assert single.principal_moments().dtype == single.principal_axes().dtype == np.float32

    def test_float32_arrays_beside_plain_numbers_stay_float32(self) -> None:
        single = np.ones(3, dtype=np.float32)
        body = InertialParameters.from_com(2, single, [1, 0, 0, 1, 0, 1])
        assert body.com.dtype == body.inertia_com.dtype == np.float32
        assert InertialParameters.from_point_masses(
            single, np.eye(3, dtype=np.float32)
        ).com.dtype == (np.float32)


class TestFrozen:
    def test_later_changes_of_the_input_do_not_reach_it(self) -> None:
        theta, com, six = np.arange(10.0), np.ones(3), np.arange(6.0)
        bodies = (InertialParameters.from_theta(theta), InertialParameters.from_com(1.0, com, six))
        before = [body.as_theta(about="com").tolist() for body in bodies]
        for array in (theta, com, six):
            array[:] = 7
        assert [body.as_theta(about="com").tolist() for body in bodies] == before
        assert bodies[1].com.tolist() == [1, 1, 1]

    def test_it_cannot_be_changed(self) -> None:
        body = InertialParameters.from_com(1.0, np.ones(3), np.arange(6.0))
        with pytest.raises(AttributeError):
            body.about = "origin"  # type: ignore[misc]
        for array in (body.com, body.first_moment, body.as_theta(about="com")):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1

    def test_it_travels_between_processes(self) -> None:
        body = consistent(1, 3)
        for other in (pickle.loads(pickle.dumps(body)), copy.deepcopy(body)):
            assert other.as_theta().tolist() == body.as_theta().tolist()
            assert other.com.tolist() == body.com.tolist()

    def test_its_text_says_what_it_is(self) -> None:
        body = InertialParameters.from_com(1.5, [0, 0, 0.1], [1, 0, 0, 2, 0, 3])
        assert repr(body) == (
            "InertialParameters(mass=1.5, com=[0.0, 0.0, 0.1], "
            "inertia_com=[1.0, 0.0, 0.0, 2.0, 0.0, 3.0], dtype=float64)"
        )
        assert repr(InertialParameters.from_theta(np.zeros((4, 2, 10)))) == (
            "InertialParameters(shape=(4, 2), about='origin', dtype=float64)"
        )


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((1, [1, 2], np.eye(3)), r"com has shape \(2,\), expected \(\.\.\., 3\)"),
            ((1, [1, 2, 3], [1, 2, 3]), r"inertia has shape \(3,\), expected .* or \(\.\.\., 6\)"),
            ((1, [1, 2, 3], 1.0), r"inertia has shape \(\)"),
            ((1, [1, 2, 3], np.triu(np.ones((3, 3)))), "not symmetric"),
            (([1, 2], [1, 2, 3], np.zeros((3, 6))), r"mass \(2,\), .*, inertia \(3,\)"),
            (("1", [1, 2, 3], np.eye(3)), "mass is a str"),
            ((None, [1, 2, 3], np.eye(3)), "mass is a NoneType"),
            ((True, [1, 2, 3], np.eye(3)), "mass holds bool"),
        ],
    )
    def test_from_com(self, arguments: Any, message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            InertialParameters.from_com(*arguments)

    @pytest.mark.parametrize(
        ("masses", "points", "message"),
        [
            (1.0, [[1, 2, 3]], "no axis of points"),
            ([1.0], [1, 2, 3], "no axis of points"),
            ([1.0, 2.0], np.zeros((3, 3)), r"masses \(2,\), points \(3,\)"),
            ([1.0], np.zeros((1, 2)), r"points has shape \(1, 2\)"),
        ],
    )
    def test_from_point_masses(self, masses: Any, points: Any, message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            InertialParameters.from_point_masses(masses, points)

    def test_orders_and_points(self) -> None:
        body = InertialParameters.from_theta(np.zeros(10))
        with pytest.raises(ParameterError, match="unknown order 'body'"):
            body.as_theta("body")
        with pytest.raises(ParameterError, match="unknown point"):
            body.as_theta(about="com ")
        with pytest.raises(ParameterError, match="unknown point"):
            InertialParameters.from_theta(np.zeros(10), about="bo")
        with pytest.raises(ParameterError, match="unknown block order"):
            body.as_spatial_inertia("la")

    def test_adding_something_else_is_a_type_error(self) -> None:
        body = InertialParameters.from_theta(np.zeros(10))
        with pytest.raises(TypeError):
            body + 1
        with pytest.raises(TypeError):
            body - np.zeros(10)

    def test_bodies_of_several_libraries(self) -> None:
        strict = pytest.importorskip("array_api_strict", reason="pip install array-api-strict")
        with pytest.raises(ParameterError, match=r"mass, com, inertia: .*arrays of one"):
            InertialParameters.from_com(1.0, strict.zeros(3), np.zeros(6))

    def test_points_of_other_shapes(self) -> None:
        for about in ("origin", "com"):
            body = InertialParameters.from_theta(np.ones((2, 10)), about=about)
            with pytest.raises(ParameterError, match="has shape"):
                body.inertia_about(np.zeros(2))
            with pytest.raises(ParameterError, match="do not broadcast"):
                body.second_moment_about(np.zeros((3, 3)))


@pytest.mark.parametrize("about", ["origin", "com"])
def test_a_far_point_of_a_body_without_mass_has_its_inertia(about: str) -> None:
    body = InertialParameters.from_theta([0.0] * 4 + [1.0, 0, 0, 2, 0, 3], about=about)
    np.testing.assert_array_equal(body.inertia_about([1e6, 2, 3]), np.diag([1.0, 2, 3]))
    assert np.isnan(body.covariance).all()


def test_check_takes_it_with_its_own_point() -> None:
    plate = InertialParameters.from_com(1.0, [1e7, 0, 0], [1, 0, 0, 2, 0, 3])
    assert inertial_check.check(plate).verdict == "boundary"
    assert inertial_check.check(plate.as_theta()).verdict != "boundary"
