"""Ten stored terms against point masses that are really moved, and 6x6 matrices of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clouds
import ksl
from array_libraries import agree, make_call_tests
from inertial_check import InertialParameters
from inertial_check.errors import ParameterError
from inertial_check.inertia.frames import homogeneous as pose
from inertial_check.inertia.sampling import rotations
from inertial_check.mechanics import compact

EPS = np.finfo(float).eps
RNG = np.random.default_rng(8)
CLOUDS = [clouds.cloud(seed, at=[1, -2, 0.5]) for seed in range(3)]
ONE, ZERO = np.eye(3), np.zeros((3, 3))
R, T = rotations(4), RNG.normal(size=3)

LINEAR = "linear-angular"


def terms_of(masses: Any, points: Any) -> Any:
    """The ten numbers by their definition: nothing of the package is asked."""
    m = np.sum(masses)
    r = masses @ points / m
    inertia = clouds.sums(masses, points - r).inertia
    six = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
    return np.array([m, *(m * r), *six])


def matrix_of(masses: Any, points: Any) -> Any:
    """M_ff for twists [v, w], summed over the points."""
    return sum(
        m * np.hstack([ONE, -clouds.skew(p)]).T @ np.hstack([ONE, -clouds.skew(p)])
        for m, p in zip(masses, points, strict=True)
    )


TERMS = np.stack([terms_of(*cloud) for cloud in CLOUDS])
POSES = np.stack(
    [pose(E, t) for E, t in zip(rotations(6, 3), RNG.normal(size=(3, 3)), strict=True)]
)
ROUTES = [ksl.m_ff_by_adjoints, ksl.m_ff_by_blocks, ksl.m_ff_by_steps]


def same(got: Any, expected: Any, ulps: float = 64) -> None:
    np.testing.assert_allclose(got, expected, rtol=0, atol=ulps * EPS * np.abs(expected).max())


def differ(first: Any, second: Any) -> bool:
    return bool(np.abs(np.asarray(first) - second).max() > 0.01)


class TestStorage:
    def test_the_terms_are_those_of_the_order_ksl_about_the_centre_of_mass(self) -> None:
        for (masses, points), terms in zip(CLOUDS, TERMS, strict=True):
            body = InertialParameters.from_point_masses(masses, points)
            same(body.as_theta(order="ksl", about="com"), terms)

    def test_thirteen_terms_carry_minus_m_r_through_every_operation(self) -> None:
        wide = compact.widen(TERMS)
        assert wide.shape == (3, 13)
        assert compact.narrow(wide).tolist() == TERMS.tolist()
        for got in (
            compact.rotate(wide, R),
            compact.translate(wide, T),
            compact.transform(wide, POSES),
            compact.merge(wide, _center(TERMS), TERMS, _center(TERMS), POSES).terms,
        ):
            assert got[..., 10:].tolist() == (-got[..., 1:4]).tolist()
        narrow = compact.transform(TERMS, POSES)
        assert compact.transform(wide, POSES)[:, :10].tolist() == narrow.tolist()
        assert (
            compact.spatial_inertia(wide, order=LINEAR).tolist()
            == compact.spatial_inertia(TERMS, order=LINEAR).tolist()
        )

    def test_thirteen_terms_that_disagree_name_the_body(self) -> None:
        wide = compact.widen(TERMS)
        wide[1, 11] += 1
        for call in (compact.narrow, lambda t: compact.spatial_inertia(t, LINEAR)):
            with pytest.raises(ParameterError, match=r"terms of body 1: the last three"):
                call(wide)


class TestMoving:
    """As many point masses, moved one by one."""

    def test_rotated(self) -> None:
        for (masses, points), terms in zip(CLOUDS, TERMS, strict=True):
            same(compact.rotate(terms, R), terms_of(masses, points @ R.T))

    def test_translated(self) -> None:
        for (masses, points), terms in zip(CLOUDS, TERMS, strict=True):
            same(compact.translate(terms, T), terms_of(masses, points + T))

    def test_transformed(self) -> None:
        for (masses, points), terms in zip(CLOUDS, TERMS, strict=True):
            same(compact.transform(terms, pose(R, T)), terms_of(masses, points @ R.T + T))

    def test_two_translations_are_one(self) -> None:
        # An inertia that became one about the new origin would be shifted twice.
        twice = compact.translate(compact.translate(TERMS, T), T)
        same(twice, compact.translate(TERMS, 2 * T))
        assert twice[:, 4:].tolist() == TERMS[:, 4:].tolist()

    @pytest.mark.parametrize(
        ("in_place", "functional", "argument"),
        [
            (compact.rotate_, compact.rotate, R),
            (compact.translate_, compact.translate, T),
            (compact.transform_, compact.transform, POSES),
        ],
    )
    @pytest.mark.parametrize("library_name", ["numpy", "torch", "array_api_strict"])
    def test_in_place(
        self, in_place: Any, functional: Any, argument: Any, library_name: str
    ) -> None:
        module = pytest.importorskip(library_name, reason=f"pip install {library_name}")
        for terms in (TERMS, compact.widen(TERMS)):
            given = module.asarray(terms.tolist(), dtype=module.float64)
            argument_ = module.asarray(argument.tolist(), dtype=module.float64)
            assert in_place(given, argument_) is given
            same(np.asarray(given), functional(terms, argument))

    def test_in_place_keeps_the_precision_of_the_array(self) -> None:
        given = TERMS.astype(np.float32)
        compact.rotate_(given, R)
        assert given.dtype == np.float32
        agree(given, compact.rotate(TERMS, R), "float32")

    def test_in_place_on_part_of_an_array(self) -> None:
        given = np.concatenate([TERMS, TERMS])
        compact.translate_(given[3:], T)
        assert given[:3].tolist() == TERMS.tolist()
        assert given[3:].tolist() == compact.translate(TERMS, T).tolist()

    def test_what_cannot_be_changed_in_place(self) -> None:
        fixed = TERMS.copy()
        fixed.flags.writeable = False
        integers = np.ones((3, 10), dtype=int)
        for given in (fixed, integers, TERMS.tolist()):
            with pytest.raises(ParameterError, match="in place; use rotate, which returns a new"):
                compact.rotate_(given, R)
        with pytest.raises(ParameterError, match=r"\(3, 10\) would become \(2, 3, 10\)"):
            compact.translate_(TERMS.copy(), np.zeros((2, 1, 3)))
        jax = pytest.importorskip("jax", reason="pip install jax")
        with pytest.raises(ParameterError, match="in place; use transform, which returns a new"):
            compact.transform_(jax.numpy.asarray(TERMS), jax.numpy.asarray(POSES))


def _center(terms: Any) -> Any:
    return terms[..., 1:4] / terms[..., :1]


class TestMerge:
    def test_against_the_points_of_both(self) -> None:
        (m1, p1), (m2, p2) = CLOUDS[:2]
        D = pose(R, T)
        got = compact.merge(TERMS[0], _center(TERMS[0]), TERMS[1], _center(TERMS[1]), D)
        both = np.concatenate([m1, m2]), np.concatenate([p1, p2 @ R.T + T])
        same(got.terms, terms_of(*both))
        same(got.t_ic_i, both[0] @ both[1] / both[0].sum())
        same(R @ got.t_jc_j + T, got.t_ic_i)  # the same point from the child's frame

    def test_a_batch_is_its_rows(self) -> None:
        got = compact.merge(TERMS, _center(TERMS), TERMS[::-1], _center(TERMS[::-1]), POSES)
        for k in range(3):
            one = compact.merge(
                TERMS[k], _center(TERMS[k]), TERMS[2 - k], _center(TERMS[2 - k]), POSES[k]
            )
            for whole, row in zip(got, one, strict=True):
                assert whole[k].tolist() == row.tolist()

    def test_a_frame_without_mass_changes_nothing(self) -> None:
        got = compact.merge(TERMS[0], _center(TERMS[0]), np.zeros(10), [9, 9, 9], pose(R, T))
        same(got.terms, TERMS[0])
        same(got.t_ic_i, _center(TERMS[0]))

    def test_a_vector_that_is_not_that_of_the_terms(self) -> None:
        wrong = _center(TERMS)
        wrong[2, 0] += 0.1
        with pytest.raises(ParameterError, match="t_jc_j of body 2 times the mass is"):
            compact.merge(TERMS, _center(TERMS), TERMS, wrong, POSES)
        with pytest.raises(ParameterError, match="t_ic_i of body 2 times the mass is"):
            compact.merge(TERMS, wrong, TERMS, _center(TERMS), POSES)
        one = np.stack([_center(TERMS[0])] * 2 + [wrong[2]])
        with pytest.raises(ParameterError, match="t_ic_i of body 2 times the mass is"):
            compact.merge(TERMS[0], one, TERMS, _center(TERMS), POSES)

    def test_no_mass_has_no_centre(self) -> None:
        with pytest.raises(ParameterError, match=r"mass of parent and child together is 0\.0 kg"):
            compact.merge(np.zeros(10), T, np.zeros(10), T, pose(R, T))


class TestMff:
    """Equations (1) to (17), each route by itself."""

    def test_spatial_inertia_is_the_sum_over_the_points(self) -> None:
        for (masses, points), terms in zip(CLOUDS, TERMS, strict=True):
            expected = matrix_of(masses, points)
            same(compact.spatial_inertia(terms, order=LINEAR), expected)
            swap = [3, 4, 5, 0, 1, 2]
            got = compact.spatial_inertia(terms, "angular-linear")
            same(got, expected[np.ix_(swap, swap)])

    def test_m_ff_is_the_sum_over_the_moved_points(self) -> None:
        got = compact.m_ff(TERMS, POSES)
        for (masses, points), D, M in zip(CLOUDS, POSES, got, strict=True):
            same(M, matrix_of(masses, points @ D[:3, :3].T + D[:3, 3]))
        assert (
            got.tolist()
            == compact.spatial_inertia(compact.transform(TERMS, POSES), order=LINEAR).tolist()
        )
        assert compact.m_ff(TERMS[0], POSES[:, None]).shape == (3, 1, 6, 6)

    @pytest.mark.parametrize("route", ROUTES)
    def test_every_route_of_the_document_leads_to_it(self, route: Any) -> None:
        for terms, D, M in zip(TERMS, POSES, compact.m_ff(TERMS, POSES), strict=True):
            same(route(terms, D), M)

    def test_float32(self) -> None:
        got = compact.m_ff(TERMS.astype(np.float32), POSES.astype(np.float32))
        assert got.dtype == np.float32
        agree(got, compact.m_ff(TERMS, POSES), "float32")

    def test_adjoint_and_coadjoint_are_each_others_inverse_transpose(self) -> None:
        D = pose(R, T)
        Ad, co = compact.adjoint(D), compact.coadjoint(D)
        same(Ad, np.block([[R, clouds.skew(T) @ R], [ZERO, R]]))
        same(co, np.block([[R, ZERO], [clouds.skew(T) @ R, R]]))
        same(co, np.linalg.inv(Ad).T)

    def test_identity_14_as_printed(self) -> None:
        a, b = RNG.normal(size=(2, 3))
        same(compact.product_of_skews(a, b), clouds.skew(a) @ clouds.skew(b))
        same(np.outer(b, a) - a @ b * ONE, clouds.skew(a) @ clouds.skew(b))


class TestSlipsOfTheDocument:
    """c in axes of its own, f turned and shifted: what is printed, and what the product says."""

    m = 2.5
    I_c = clouds.sums(*clouds.cloud(3)).inertia
    r_fc = T
    r_cf = -R.T @ T  # from c to f, in the axes of c, as eqs. 6 and 7 need it
    M_cc = np.block([[m * ONE, ZERO], [ZERO, I_c]])
    D = pose(R, T)
    right = compact.coadjoint(D) @ M_cc @ np.linalg.inv(compact.adjoint(D))

    def test_eq_4_the_coadjoint_that_is_inverted_is_that_of_cf(self) -> None:
        co_cf = compact.coadjoint(np.linalg.inv(self.D))
        same(np.linalg.inv(co_cf) @ self.M_cc @ np.linalg.inv(compact.adjoint(self.D)), self.right)

    def test_eq_6_the_left_lower_block_is_minus_the_right_upper(self) -> None:
        K, m = clouds.skew(self.r_cf), self.m
        same(self.right[:3, 3:], m * R @ K @ R.T)
        same(self.right[3:, :3], -m * R @ K @ R.T)
        assert differ(m * K @ R.T @ R.T, self.right[3:, :3])  # printed: r R_cf m R_cf

    def test_eq_6_the_inertia_block_has_a_minus_and_a_rotation_on_the_left(self) -> None:
        K, m = clouds.skew(self.r_cf), self.m
        same(self.right[3:, 3:], R @ (self.I_c - m * K @ K) @ R.T)
        printed = m * K @ R.T @ K @ R.T + R @ self.I_c @ R.T
        assert differ(printed, self.right[3:, 3:])

    def test_eq_7_the_inertia_block_has_to_be_turned(self) -> None:
        K, m = clouds.skew(self.r_cf), self.m
        assert differ(self.I_c - m * K @ K, self.right[3:, 3:])
        same(R @ (self.I_c - m * K @ K) @ R.T, self.right[3:, 3:])

    def test_eq_8_holds_in_the_axes_of_f_and_with_r_from_c_to_f(self) -> None:
        K, m = clouds.skew(-self.r_fc), self.m
        I_f = R @ self.I_c @ R.T
        same(np.block([[m * ONE, m * K], [-m * K, I_f - m * K @ K]]), self.right)
        stored = clouds.skew(self.r_fc)  # the vector of the stored terms goes the other way
        assert differ(m * stored, self.right[:3, 3:])

    def test_eq_13_the_second_factor_is_r_not_t(self) -> None:
        t, r, I_f = self.m * self.r_fc, self.r_fc, R @ self.I_c @ R.T
        K = clouds.skew(t)
        same(np.block([[self.m * ONE, -K], [K, I_f - K @ clouds.skew(r)]]), self.right)
        assert differ(I_f - K @ K, self.right[3:, 3:])


class TestRefusals:
    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: compact.rotate(np.zeros(9), R), r"terms has shape \(9,\), expected \(..., 10"),
            (lambda: compact.spatial_inertia(3.0, order=LINEAR), r"terms has shape \(\)"),
            (lambda: compact.translate(TERMS, [1, 2]), r"t_fc has shape \(2,\)"),
            (lambda: compact.rotate(TERMS, 2 * ONE), "R_fc is not orthonormal"),
            (lambda: compact.m_ff(TERMS, np.eye(3)), r"D_fb has shape \(3, 3\)"),
            (lambda: compact.widen(np.zeros((2, 13))), r"terms has shape \(2, 13\)"),
        ],
    )
    def test_what_does_not_fit(self, call: Any, message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            call()

    def test_a_bad_pose_names_its_body(self) -> None:
        D = POSES.copy()
        D[1, 0, 0] += 0.5
        with pytest.raises(ParameterError, match="rotation in D_fb of body 1 is not orthonormal"):
            compact.m_ff(TERMS, D)


CALLS = {
    "rotate": (lambda t, D: compact.rotate(t, D[..., :3, :3])),
    "translate": (lambda t, D: compact.translate(t, D[..., :3, 3])),
    "transform": compact.transform,
    "merge": (
        lambda t, D: (
            compact.merge(t, t[..., 1:4] / t[..., :1], t, t[..., 1:4] / t[..., :1], D).terms
        )
    ),
    "widen": (lambda t, _: compact.widen(t)),
    "spatial_inertia": (lambda t, _: compact.spatial_inertia(t, order=LINEAR)),
    "m_ff": compact.m_ff,
}


test_the_same_numbers_in_every_library, test_it_stays_on_its_device, test_jax_compiles_it = (
    make_call_tests({name: (function, (TERMS, POSES)) for name, function in CALLS.items()})
)
