"""Representations of the ten numbers against sums over point masses, rationals and literals."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import clouds
import inertial_check as ic
from inertial_check import InertialParameters
from inertial_check.errors import ParameterError
from inertial_check.inertia import representations

# The same body in every order, spelled out: entry ij is 10 i + j.
LITERAL = {
    "urdf": [1, 2, 3, 4, 11, 12, 13, 22, 23, 33],
    "pinocchio": [1, 2, 3, 4, 11, 12, 22, 13, 23, 33],
    "mujoco": [1, 2, 3, 4, 11, 22, 33, 12, 13, 23],
    "wensing": [1, 2, 3, 4, 11, 22, 33, 23, 13, 12],
    "ksl": [1, 2, 3, 4, 11, 22, 33, 12, 23, 13],
}
EPS = np.finfo(float).eps


def close(got: Any, expected: Any, ulps: float = 64) -> None:
    """Equal to rounding of the largest entry; no absolute part, so no scale is favoured."""
    expected = np.asarray(expected, dtype=float)
    np.testing.assert_array_less(
        np.abs(np.asarray(got) - expected), ulps * EPS * np.abs(expected).max() + 5e-324
    )


class TestOrders:
    def test_the_literals_cover_every_order(self) -> None:
        assert set(LITERAL) == set(representations.ORDERS)

    @pytest.mark.parametrize(("source", "target"), list(itertools.product(LITERAL, LITERAL)))
    def test_reorder_is_the_spelled_out_permutation(self, source: str, target: str) -> None:
        got = representations.reorder(np.array(LITERAL[source], dtype=float), source, target)
        assert got.tolist() == LITERAL[target]

    def test_symmetric_and_six_place_the_urdf_order(self) -> None:
        six = np.array(LITERAL["urdf"][4:], dtype=float)
        matrix = [[11, 12, 13], [12, 22, 23], [13, 23, 33]]
        assert representations.symmetric(six).tolist() == matrix
        assert representations.six(matrix).tolist() == LITERAL["urdf"][4:]

    def test_mujoco_order_is_that_of_fullinertia(self) -> None:
        mujoco = pytest.importorskip("mujoco", reason="pip install mujoco")
        numbers = [3.0, 4.0, 5.0, 0.1, -0.2, 0.3]
        text = " ".join(map(str, numbers))
        model = mujoco.MjModel.from_xml_string(
            f'<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" '
            f'fullinertia="{text}"/></body></worldbody></mujoco>'
        )
        frame = np.zeros(9)
        mujoco.mju_quat2Mat(frame, model.body_iquat[1])
        axes = frame.reshape(3, 3)
        theta = representations.reorder([1.0, 0, 0, 0, *numbers], "mujoco", "urdf")
        ours = representations.symmetric(theta[4:])
        theirs = axes @ np.diag(model.body_inertia[1]) @ axes.T
        np.testing.assert_allclose(theirs, ours, atol=1e-9 * max(numbers))


class TestPointMasses:
    """Each closed form against the loop over points that defines it."""

    @pytest.fixture(params=range(4))
    def body(self, request: pytest.FixtureRequest) -> tuple[Any, Any]:
        seed = request.param
        spread, at = [(1.0, 0.0), (1e-4, 0.5), (30.0, -2.0), (1.0, 10.0)][seed]
        masses, points = clouds.cloud(seed, spread=spread, at=[at, -at / 2, at / 3])
        return masses, points

    def test_pseudo_inertia(self, body: tuple[Any, Any]) -> None:
        expected = clouds.sums(*body).pseudo_inertia
        got = representations.pseudo_inertia(clouds.theta_of(*body))
        for block in (np.s_[:3, :3], np.s_[:3, 3], np.s_[3, :3], np.s_[3, 3]):
            close(got[block], expected[block])

    def test_second_moment_and_back(self, body: tuple[Any, Any]) -> None:
        expected = clouds.sums(*body)
        inertia = clouds.six_of(expected.inertia)
        moment = clouds.six_of(expected.second_moment)
        close(representations.second_moment(inertia), moment)
        close(representations.inertia_from_second_moment(moment), inertia)

    def test_spatial_inertia_is_the_sum_of_jacobians(self, body: tuple[Any, Any]) -> None:
        expected = clouds.sums(*body).spatial_inertia
        theta = clouds.theta_of(*body)
        blocks = (np.s_[:3], np.s_[3:])
        got = representations.spatial_inertia(theta, "angular-linear")
        swapped = representations.spatial_inertia(theta, "linear-angular")
        for i, j in np.ndindex(2, 2):
            close(got[blocks[i], blocks[j]], expected[blocks[i], blocks[j]])
            close(swapped[blocks[1 - i], blocks[1 - j]], expected[blocks[i], blocks[j]])

    def test_spatial_inertia_gives_the_kinetic_energy(self, body: tuple[Any, Any]) -> None:
        masses, points = body
        w, v = np.array([0.3, -0.7, 0.2]), np.array([-0.1, 0.5, 0.9])
        energy = sum(
            m * np.sum((v + np.cross(w, r)) ** 2) / 2 for m, r in zip(masses, points, strict=True)
        )
        theta = clouds.theta_of(masses, points)
        for order, twist in (("angular-linear", [*w, *v]), ("linear-angular", [*v, *w])):
            matrix = representations.spatial_inertia(theta, order)
            close(np.array(twist) @ matrix @ np.array(twist) / 2, energy)

    def test_parallel_axis_against_exact_rationals(self, body: tuple[Any, Any]) -> None:
        at_origin = clouds.exact_theta(*body, "origin")
        at_com = clouds.exact_theta(*body, "com")
        mass, h = float(at_com[0]), [float(x) for x in at_com[1:4]]
        close(
            representations.about_origin(mass, h, [float(x) for x in at_com[4:]]),
            [float(x) for x in at_origin[4:]],
            ulps=8,
        )
        # Back it cancels: what is lost is relative to the inertia about the origin.
        lost = np.abs(
            representations.about_com(mass, h, [float(x) for x in at_origin[4:]])
            - np.array([float(x) for x in at_com[4:]])
        )
        assert lost.max() <= 8 * EPS * float(max(at_origin[4:]))


class TestParallelAxis:
    def test_by_hand_exactly(self) -> None:
        # 2 kg at (1, 2, 3) about its own centre: nothing. About the origin: m (|r|^2 1 - r r^T).
        six = representations.about_origin(2, [2, 4, 6], [0] * 6)
        assert six.tolist() == [26, -4, -6, 20, -12, 10]
        assert (
            representations.about_com(2, [2, 4, 6], [26, -4, -6, 20, -12, 10]).tolist() == [0] * 6
        )

    def test_a_massless_body_is_not_shifted(self) -> None:
        six = np.arange(1.0, 7.0)
        assert representations.about_origin(0.0, [1.0, 2.0, 3.0], six).tolist() == six.tolist()
        assert representations.about_com(0.0, [1.0, 2.0, 3.0], six).tolist() == six.tolist()

    def test_a_negative_mass_is_shifted_as_the_formula_says(self) -> None:
        assert representations.about_origin(-2, [-2, -4, -6], [0] * 6).tolist() == [
            -26,
            4,
            6,
            -20,
            12,
            -10,
        ]

    @pytest.mark.parametrize("scale", [1e-200, 1e200])
    def test_no_scale_overflows_before_the_result_does(self, scale: float) -> None:
        # h h^T / m as written would square the mass.
        got = representations.about_origin(scale, np.array([1, 2, 3]) * scale, np.zeros(6))
        np.testing.assert_allclose(got, np.array([13, -2, -3, 10, -6, 5]) * scale, rtol=4 * EPS)

    def test_broadcasts_one_mass_over_many_centres(self) -> None:
        h = np.arange(12.0).reshape(4, 3)
        many = representations.about_origin(2.0, h, np.zeros(6))
        assert many.shape == (4, 6)
        for row, one in zip(many, h, strict=True):
            assert row.tolist() == representations.about_origin(2.0, one, np.zeros(6)).tolist()


class TestPseudoInertia:
    def test_of_a_point_mass_by_hand(self) -> None:
        theta = [2, 2, 4, 6, 26, -4, -6, 20, -12, 10]
        expected = [[2, 4, 6, 2], [4, 8, 12, 4], [6, 12, 18, 6], [2, 4, 6, 2]]
        assert representations.pseudo_inertia(theta).tolist() == expected
        assert representations.theta_from_pseudo_inertia(expected).tolist() == theta

    def test_is_linear_and_invertible_in_rationals(self) -> None:
        # Integers small enough to be exact: the bijection of theta and Pi, entry by entry.
        theta = [3, 1, -2, 5, 20, 3, -4, 18, 6, 14]
        m, hx, hy, hz, xx, xy, xz, yy, yz, zz = (Fraction(x) for x in theta)
        half = (xx + yy + zz) / 2
        expected = [
            [half - xx, -xy, -xz, hx],
            [-xy, half - yy, -yz, hy],
            [-xz, -yz, half - zz, hz],
            [hx, hy, hz, m],
        ]
        assert representations.pseudo_inertia(theta).tolist() == expected

    def test_halves_that_differ_by_rounding_are_averaged(self) -> None:
        matrix = representations.pseudo_inertia([2.0, 2, 4, 6, 26, -4, -6, 20, -12, 10])
        matrix[0, 1] *= 1 + 4 * EPS
        matrix[3, 0] *= 1 + 4 * EPS
        theta = representations.theta_from_pseudo_inertia(matrix)
        assert theta[5] == -4 * (1 + 2 * EPS)
        assert theta[1] == 2 * (1 + 2 * EPS)

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ((1, 0, 2), r"second moment in the pseudo-inertia of body 1 .*\[0, 2\] is 7.0"),
            ((1, 3, 2), r"first moment in the pseudo-inertia of body 1 .*entry 2 .*7.0"),
        ],
    )
    def test_refuses_an_asymmetric_matrix_and_names_the_body(
        self, entry: tuple[int, int, int], message: str
    ) -> None:
        matrix = representations.pseudo_inertia(
            np.tile([2.0, 2, 4, 6, 26, -4, -6, 20, -12, 10], (3, 1))
        )
        matrix[entry] = 7.0
        with pytest.raises(ParameterError, match=message):
            representations.theta_from_pseudo_inertia(matrix)


class TestSpatialInertia:
    MATRIX = (
        [26, -4, -6, 0, -6, 4],
        [-4, 20, -12, 6, 0, -2],
        [-6, -12, 10, -4, 2, 0],
        [0, 6, -4, 2, 0, 0],
        [-6, 0, 2, 0, 2, 0],
        [4, -2, 0, 0, 0, 2],
    )
    THETA = (2, 2, 4, 6, 26, -4, -6, 20, -12, 10)

    def test_by_hand(self) -> None:
        assert representations.spatial_inertia(list(self.THETA)).tolist() == list(self.MATRIX)
        assert representations.theta_from_spatial_inertia(self.MATRIX).tolist() == list(self.THETA)

    def test_the_linear_angular_order_swaps_the_blocks(self) -> None:
        swap = [3, 4, 5, 0, 1, 2]
        matrix = np.array(self.MATRIX)[np.ix_(swap, swap)]
        assert (
            representations.spatial_inertia(list(self.THETA), "linear-angular").tolist()
            == matrix.tolist()
        )
        got = representations.theta_from_spatial_inertia(matrix, "linear-angular")
        assert got.tolist() == list(self.THETA)

    @pytest.mark.parametrize("order", ["angular-linear", "linear-angular"])
    def test_the_wrong_order_is_refused(self, order: str) -> None:
        other = {"angular-linear": "linear-angular", "linear-angular": "angular-linear"}[order]
        matrix = representations.spatial_inertia(list(self.THETA), order)
        with pytest.raises(ParameterError, match="not that of a rigid body"):
            representations.theta_from_spatial_inertia(matrix, other)

    @pytest.mark.parametrize(
        ("entry", "value"),
        [((0, 1), -3.0), ((3, 4), 1.0), ((5, 5), 3.0), ((0, 3), 1.0), ((4, 0), 6.0), ((1, 3), 5.0)],
    )
    def test_refuses_what_no_rigid_body_has(self, entry: tuple[int, int], value: float) -> None:
        matrix = np.array([self.MATRIX, self.MATRIX], dtype=float)
        matrix[(1, *entry)] = value
        with pytest.raises(ParameterError, match="of body 1 in order 'angular-linear'"):
            representations.theta_from_spatial_inertia(matrix)

    def test_rounding_noise_in_a_vanishing_coupling_passes(self) -> None:
        # A frame moved to the centre of mass leaves noise where h was, and on its diagonal.
        matrix = np.diag([4.0, 5.0, 6.0, 2.0, 2.0, 2.0])
        matrix[0, 3] = matrix[3, 0] = 1e-17
        matrix[1, 3] = 3e-17
        theta = representations.theta_from_spatial_inertia(matrix)
        assert theta[[0, 4, 7, 9]].tolist() == [2, 4, 5, 6]

    @pytest.mark.parametrize("unit", [1e-9, 1e9])
    def test_the_refusal_does_not_depend_on_the_unit_of_length(self, unit: float) -> None:
        scale = np.array([unit] * 3 + [1.0] * 3)
        matrix = np.array(self.MATRIX, dtype=float) * np.outer(scale, scale)
        assert representations.theta_from_spatial_inertia(matrix)[0] == 2
        matrix[4, 0] *= 1 + 1e-6
        with pytest.raises(ParameterError, match=r"entry \[(0, 4|4, 0)\]"):
            representations.theta_from_spatial_inertia(matrix)


CONVERSIONS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "reorder": (lambda t: representations.reorder(t, "urdf", "mujoco"), ((10,),)),
    "read_theta": (lambda t: representations.read_theta(t, "ksl", "com")[1], ((10,),)),
    "join": (representations.join, ((), (3,), (6,))),
    "split": (lambda t: representations.split(t)[2], ((10,),)),
    "symmetric": (representations.symmetric, ((6,),)),
    "six": (lambda s: representations.six(representations.symmetric(s)), ((6,),)),
    "about_origin": (representations.about_origin, ((), (3,), (6,))),
    "about_com": (representations.about_com, ((), (3,), (6,))),
    "second_moment": (representations.second_moment, ((6,),)),
    "inertia_from_second_moment": (representations.inertia_from_second_moment, ((6,),)),
    "pseudo_inertia": (representations.pseudo_inertia, ((10,),)),
    "theta_from_pseudo_inertia": (
        lambda t: representations.theta_from_pseudo_inertia(representations.pseudo_inertia(t)),
        ((10,),),
    ),
    "spatial_inertia": (representations.spatial_inertia, ((10,),)),
    "theta_from_spatial_inertia": (
        lambda t: representations.theta_from_spatial_inertia(representations.spatial_inertia(t)),
        ((10,),),
    ),
}


@pytest.mark.parametrize("name", CONVERSIONS)
class TestEveryConversion:
    def arguments(self, name: str, batch: tuple[int, ...]) -> list[Any]:
        rng = np.random.default_rng(7)
        return [rng.normal(size=(*batch, *shape)) for shape in CONVERSIONS[name][1]]

    def test_a_batch_is_a_loop(self, name: str) -> None:
        function = CONVERSIONS[name][0]
        arguments = self.arguments(name, (2, 3))
        together = function(*arguments)
        for index in np.ndindex(2, 3):
            alone = function(*(argument[index] for argument in arguments))
            assert together[index].tolist() == alone.tolist()

    def test_an_empty_batch_is_empty(self, name: str) -> None:
        got = CONVERSIONS[name][0](*self.arguments(name, (0,)))
        assert got.shape[0] == 0

    def test_float32_stays_float32(self, name: str) -> None:
        arguments = self.arguments(name, (4,))
        single = CONVERSIONS[name][0](*(a.astype(np.float32) for a in arguments))
        double = CONVERSIONS[name][0](*arguments)
        assert single.dtype == np.float32
        assert double.dtype == np.float64
        error = np.abs(single - double).max()
        assert 0 < error < 1e-5 * np.abs(double).max()

    def test_integers_and_lists_become_float64(self, name: str) -> None:
        integers = [np.round(10 * a).astype(int) for a in self.arguments(name, (2,))]
        floats = CONVERSIONS[name][0](*(a.astype(float) for a in integers))
        for given in (integers, [a.tolist() for a in integers]):
            got = CONVERSIONS[name][0](*given)
            assert got.dtype == np.float64
            assert got.tolist() == floats.tolist()

    def test_the_input_is_left_alone(self, name: str) -> None:
        arguments = self.arguments(name, (2,))
        before = [a.copy() for a in arguments]
        CONVERSIONS[name][0](*arguments)
        assert all((a == b).all() for a, b in zip(arguments, before, strict=True))

    def test_numbers_that_are_not_finite_spoil_their_own_row_only_and_quietly(
        self, name: str
    ) -> None:
        arguments = self.arguments(name, (3,))
        good = CONVERSIONS[name][0](*arguments)
        for bad in (np.nan, np.inf):
            spoiled = [a.copy() for a in arguments]
            for a in spoiled:
                a[1] = bad
            got = CONVERSIONS[name][0](*spoiled)
            assert got[[0, 2]].tolist() == good[[0, 2]].tolist()
            assert not np.isfinite(got[1]).all()

    def test_a_wrong_shape_is_named(self, name: str) -> None:
        function, shapes = CONVERSIONS[name]
        if name in ("six", "theta_from_pseudo_inertia", "theta_from_spatial_inertia"):
            function = getattr(representations, name)
        arguments = [np.zeros(shape) for shape in shapes]
        arguments[-1] = np.zeros((2, 11))
        with pytest.raises(ParameterError, match=r"has shape \(2, 11\), expected \(\.\.\., "):
            function(*arguments)


class TestRefusals:
    @pytest.mark.parametrize("order", ["drake", "", ["urdf"], 3])
    def test_unknown_orders(self, order: Any) -> None:
        with pytest.raises(ParameterError, match=r"expected one of '?urdf"):
            representations.read_theta(np.zeros(10), order)
        with pytest.raises(ParameterError, match=r"unknown order|target is .*expected one of"):
            representations.reorder(np.zeros(10), "urdf", order)

    @pytest.mark.parametrize("about", ["centre", "Origin", ""])
    def test_unknown_points(self, about: Any) -> None:
        with pytest.raises(ParameterError, match="expected one of origin, com"):
            representations.read_theta(np.zeros(10), "urdf", about)

    @pytest.mark.parametrize("order", ["angular", None])
    def test_unknown_block_orders(self, order: Any) -> None:
        with pytest.raises(ParameterError, match="one of angular-linear, linear-angular"):
            representations.spatial_inertia(np.zeros(10), order)
        with pytest.raises(ParameterError, match="one of angular-linear, linear-angular"):
            representations.theta_from_spatial_inertia(np.zeros((6, 6)), order)

    @pytest.mark.parametrize(
        ("theta", "message"),
        [
            (np.zeros(10, dtype=complex), "theta holds complex128, expected real numbers"),
            (np.zeros(10, dtype=bool), "theta holds bool"),
            (["1"] * 10, "theta holds <U1"),
            ([None] * 10, "theta holds object"),
            ([[1.0, 2.0], [1.0]], "theta cannot be read as an array"),
            ("1 2 3", "theta is a str, expected an array, a number or a list"),
            (None, "theta is a NoneType"),
            (1.0, r"theta has shape \(\)"),
            ({}, "theta is a dict"),
            (np.ma.masked_equal(np.arange(10.0), 3), r"theta is a masked array; fill it"),
        ],
    )
    def test_what_is_no_vector(self, theta: Any, message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            representations.read_theta(theta)

    def test_batches_that_do_not_broadcast(self) -> None:
        with pytest.raises(ParameterError, match=r"mass \(4,\), .*inertia \(5,\)"):
            representations.about_com(np.ones(4), np.ones(3), np.ones((5, 6)))

    def test_an_asymmetric_tensor_says_which_body_and_by_what(self) -> None:
        tensors = np.tile(np.eye(3), (2, 4, 1, 1))
        tensors[1, 2, 0, 1] = 1e-3
        with pytest.raises(ParameterError, match=r"of body \(1, 2\) .*\[0, 1\] is 0.001 and"):
            representations.six(tensors)

    @pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
    def test_rounding_is_not_asymmetry_at_any_scale(self, scale: float) -> None:
        tensor = np.array([[2, 1 / 3, 0], [1 / 3 * (1 + 2 * EPS), 1, 0], [0, 0, 1]]) * scale
        assert representations.six(tensor)[1] == pytest.approx(scale / 3, rel=2 * EPS)
        tensor[0, 1] *= 1 + 1e-6
        with pytest.raises(ParameterError, match="not symmetric"):
            representations.six(tensor)


class TestValidated:
    def test_a_vector_in_its_own_order_is_not_copied(self) -> None:
        theta = np.arange(10.0)
        xp, got, about = representations.read_theta(theta, "urdf", "com")
        assert got is theta
        assert xp is np
        assert about == "com"

    def test_mixed_precisions_take_the_wider_and_plain_numbers_follow(self) -> None:
        h, six = np.ones(3, dtype=np.float32), np.ones(6, dtype=np.float32)
        assert representations.about_com(2.0, h, six).dtype == np.float32
        assert representations.about_com([2, 3], h, six).dtype == np.float32
        assert (
            representations.about_com(np.float64(2.0), h, six.astype(np.float64)).dtype
            == np.float64
        )


class TestFormsThatArraysKnow:
    """A result's theta says its order and point as long as its rows are whole."""

    KNOWN = InertialParameters.from_theta(np.arange(100.0).reshape(10, 10), about="com").as_theta(
        "mujoco", "com"
    )

    @pytest.mark.parametrize(
        "keep",
        [
            lambda t: t[0],
            lambda t: t[2:8:3],
            lambda t: t[t[:, 0] > 30],
            lambda t: t[[3, 1]],
            lambda t: t[..., :],
            lambda t: t[None, 4],
            lambda t: t.reshape(5, 2, 10)[np.ones((5, 2), dtype=bool)],
            lambda t: t.copy(),
            copy.copy,
            copy.deepcopy,
            lambda t: pickle.loads(pickle.dumps(t)),
            lambda t: t.astype(np.float32),
            lambda t: 2 * t / 4,
            lambda t: np.concatenate([t, t]),
            lambda t: np.stack(list(t)),
            lambda t: np.vstack([t[0], t]),
        ],
    )
    def test_rows_that_are_whole_keep_it(self, keep: Any) -> None:
        got = keep(self.KNOWN)
        assert (got.order, got.about) == ("mujoco", "com")
        assert got.shape[-1] == 10
        assert "about='com'" in repr(got)

    @pytest.mark.parametrize(
        "cut",
        [
            lambda t: t[:, 0],
            lambda t: t[:, ::-1],
            lambda t: t[0, [4, 7, 9, 0, 1, 2, 3, 5, 6, 8]],
            lambda t: t[..., 3],
            lambda t: t[..., None],
            lambda t: t.T,
            np.sort,
            lambda t: t + t,
            lambda t: t * t,
            lambda t: 1 / (1 + t),
            lambda t: t @ np.eye(10),
            lambda t: t.sum(axis=0),
            lambda t: np.stack([t[0]] * 10, axis=-1),
            lambda t: np.concatenate([t, np.zeros((1, 10))]),
            lambda t: np.concatenate([t, state(t, "urdf")]),
            lambda t: t.reshape(10, 10, order="F"),
            np.asarray,
            np.array,
        ],
    )
    def test_anything_else_is_a_bare_array(self, cut: Any) -> None:
        assert getattr(cut(self.KNOWN), "about", None) is None

    def test_numbers_are_those_of_numpy(self) -> None:
        plain = np.asarray(self.KNOWN)
        for use in (lambda t: t[3:, 1], lambda t: 3 * t, lambda t: t.sum(), np.linalg.norm):
            assert np.array_equal(use(self.KNOWN), use(plain))
        own = self.KNOWN.copy()
        own *= 2
        own[0, 0] = 7
        assert own[0, 0] == 7
        with pytest.raises(ValueError, match="read-only"):
            ic.project(self.KNOWN[:, :]).theta[0, 0] = 7

    def test_lists_of_them_are_read_as_they_say(self) -> None:
        rows = list(self.KNOWN)
        assert representations.read_theta(rows)[2] == "com"
        with pytest.raises(ParameterError, match="different forms"):
            representations.read_theta([rows[0], np.zeros(10)])

    def test_a_point_that_contradicts_is_refused_with_both_names(self) -> None:
        with pytest.raises(ParameterError, match=r"about='origin' contradicts .* about='com'"):
            ic.check(self.KNOWN, about="origin")
        with pytest.raises(ParameterError, match=r"order='urdf' contradicts .* order='mujoco'"):
            ic.check(self.KNOWN, order="urdf")

    def test_matrices_are_taken_about_the_origin(self) -> None:
        body = InertialParameters.from_com(2.0, [1.0, 2, 3], [1, 0.1, 0.2, 2, 0.3, 3])
        theta = body.as_theta("ksl", "com")
        assert np.array_equal(representations.pseudo_inertia(theta), body.pseudo_inertia)
        assert np.array_equal(representations.spatial_inertia(theta), body.as_spatial_inertia())


def state(theta: Any, order: Any) -> Any:
    return InertialParameters.from_theta(np.asarray(theta)).as_theta(order)
