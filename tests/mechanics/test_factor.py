"""Factors of spatial inertias of every rank, against NumPy on the assembled 6x6."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from array_libraries import Library, agree, stays_on_its_device
from inertial_check.errors import ParameterError
from inertial_check.inertia.representations import SPATIAL_ORDERS
from inertial_check.inertia.sampling import rotations
from inertial_check.mechanics import compact
from inertial_check.mechanics.factor import factor

EPS = np.finfo(float).eps
CASES = {
    "full": ((0.7, 1.0, 1.4), 3),
    "rod": ((0.0, 1.0, 1.0), 2),
    "rank 2 of no rod": ((0.0, 0.3, 1.0), 2),
    "rank 1": ((0.0, 0.0, 1.0), 1),
    "point": ((0.0, 0.0, 0.0), 0),
}
COUNT = 200

LINEAR = "linear-angular"


def bodies(moments: Any, mass: float = 2.0, dtype: Any = float) -> Any:
    """Ten terms of bodies with these moments in random axes, their centre somewhere."""
    rng = np.random.default_rng(17)
    axes = rotations(rng, COUNT)
    inertia = (axes * np.array(moments)) @ axes.swapaxes(-1, -2)
    six = [inertia[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
    moved = mass * rng.normal(size=(COUNT, 3))
    return np.column_stack([np.full(COUNT, mass), moved, *six]).astype(dtype)


def wrenches(terms: Any, order: str = LINEAR) -> tuple[Any, Any]:
    """M_ff, and forces in its range."""
    M = compact.spatial_inertia(terms, order)
    motions = np.random.default_rng(3).normal(size=(COUNT, 6)).astype(terms.dtype)
    return M, (M @ motions[..., None])[..., 0]


def worst(got: Any, expected: Any) -> float:
    size = np.abs(expected).max(axis=-1)
    return float((np.abs(got - expected).max(axis=-1) / np.where(size > 0, size, 1)).max())


@pytest.mark.parametrize("case", CASES)
class TestEveryRank:
    @pytest.mark.parametrize("mass", [2.0, 0.0])
    def test_rank_is_that_of_numpy(self, case: str, mass: float) -> None:
        moments, rank = CASES[case]
        factors = factor(bodies(moments, mass))
        assert set(factors.rotational_rank.tolist()) == {rank}
        assert set(factors.rank.tolist()) == {rank + 3 * (mass > 0)}
        numpys = np.linalg.matrix_rank(
            compact.spatial_inertia(bodies(moments, mass), order=LINEAR), rtol=1e-12
        )
        assert factors.rank.tolist() == numpys.tolist()

    def test_the_factors_multiply_out_again(self, case: str) -> None:
        terms = bodies(CASES[case][0])
        factors = factor(terms)
        assert factors.terms.shape == terms.shape
        for order in SPATIAL_ORDERS:
            M = compact.spatial_inertia(terms, order)
            got = factors.spatial_inertia(order)
            assert worst(got.reshape(COUNT, 36), M.reshape(COUNT, 36)) < 1e-14

    @pytest.mark.parametrize("order", SPATIAL_ORDERS)
    def test_solve_balances_every_force_in_the_range(self, case: str, order: str) -> None:
        terms = bodies(CASES[case][0])
        M, rhs = wrenches(terms, order)
        got = factor(terms).solve(rhs, order)
        assert worst((M @ got[..., None])[..., 0], rhs) < 1e-13
        if CASES[case][1] == 3:
            assert worst(got, np.linalg.solve(M, rhs[..., None])[..., 0]) < 1e-12

    def test_least_squares_is_that_of_numpy_at_the_centre_of_mass(self, case: str) -> None:
        """There the force and the torque part, and no metre is added to a radian."""
        terms = bodies(CASES[case][0])
        terms[:, 1:4] = 0
        M = compact.spatial_inertia(terms, order=LINEAR)
        rhs = np.random.default_rng(4).normal(size=(COUNT, 6))
        got = factor(terms).solve(rhs, least_squares=True, order=LINEAR)
        for row in range(COUNT):
            expected = np.linalg.lstsq(M[row], rhs[row], rcond=1e-12)[0]
            np.testing.assert_allclose(got[row], expected, rtol=0, atol=1e-12 * np.abs(rhs).max())

    def test_least_squares_does_not_depend_on_the_origin(self, case: str) -> None:
        terms = bodies(CASES[case][0])
        rhs = np.random.default_rng(4).normal(size=(COUNT, 6))
        shift = np.eye(4)
        shift[:3, 3] = [3.0, -1.0, 2.0]
        there = (compact.coadjoint(shift) @ rhs[..., None])[..., 0]
        got = factor(compact.translate(terms, shift[:3, 3])).solve(
            there, least_squares=True, order=LINEAR
        )
        here = factor(terms).solve(rhs, least_squares=True, order=LINEAR)
        expected = (compact.adjoint(shift) @ here[..., None])[..., 0]
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * np.abs(expected).max())

    def test_float32(self, case: str) -> None:
        moments, rank = CASES[case]
        terms = bodies(moments, dtype=np.float32)
        factors = factor(terms)
        assert factors.terms.dtype == np.float32
        assert set(factors.rotational_rank.tolist()) == {rank}
        M, rhs = wrenches(terms)
        got = factors.solve(rhs, order=LINEAR)
        assert got.dtype == np.float32
        assert worst((M @ got[..., None])[..., 0], rhs) < 1e-5

    def test_no_unit_changes_the_rank(self, case: str) -> None:
        moments, rank = CASES[case]
        for mass, length in ((1e-9, 1e-4), (1e5, 1e2)):
            terms = bodies(moments)
            terms[:, 0] *= mass
            terms[:, 1:4] *= mass * length
            terms[:, 4:] *= mass * length**2
            assert set(factor(terms).rotational_rank.tolist()) == {rank}


class TestRange:
    def test_a_torque_about_a_rod_is_outside_and_named(self) -> None:
        # A rod along x at Bo, 2 kg: no rotation balances a torque about it.
        rod = [2, 0, 0, 0, 0, 1, 1, 0, 0, 0]
        terms = np.array([rod, rod])
        rhs = [[2, 0, 0, 0, 1, 0], [2, 0, 0, 0.25, 1, 0]]
        factors = factor(terms)
        with pytest.raises(ParameterError) as refused:
            factors.solve(rhs, order=LINEAR)
        said = str(refused.value)
        assert "rhs of body 1 is outside of the range of its inertia of rank 5" in said
        assert "a torque of 0.25 N m" in said
        assert "least_squares=True" in said
        got = factors.solve(rhs, least_squares=True, order=LINEAR)
        assert got.tolist() == [[1, 0, 0, 0, 1, 0]] * 2
        assert factors.residual(rhs, order=LINEAR).tolist() == [[0] * 6, [0, 0, 0, 0.25, 0, 0]]

    def test_a_force_on_a_body_without_mass(self) -> None:
        factors = factor([0, 0, 0, 0, 1, 1, 1, 0, 0, 0])
        assert int(factors.rank) == 3
        assert factors.solve([0, 0, 0, 2, 0, 0], order=LINEAR).tolist() == [0, 0, 0, 2, 0, 0]
        with pytest.raises(ParameterError, match="a force of 5 N"):
            factors.solve([3, 4, 0, 0, 0, 0], order=LINEAR)

    def test_the_pivots_are_the_largest_left(self) -> None:
        # KSL's sequence: diag 1, 4, 9 is taken as z, y, x.
        factors = factor([1, 0, 0, 0, 1, 4, 9, 0, 0, 0])
        assert factors.pivots.tolist() == [2, 1, 0]
        assert factors.terms[4:].tolist() == [3, 0, 0, 2, 0, 1]

    def test_almost_a_rod_is_full_rank_as_long_as_digits_say_so(self) -> None:
        for thin, rank in ((1e-12, 3), (1e-17, 2)):
            factors = factor([1, 0, 0, 0, thin, 1, 1, 0, 0, 0])
            assert int(factors.rotational_rank) == rank


class TestRefusals:
    @pytest.mark.parametrize(
        ("place", "value"), [(4, -1.0), (7, 5.0), (0, -1.0), (5, np.nan), (1, np.inf)]
    )
    def test_what_is_not_semidefinite_names_its_body(self, place: int, value: float) -> None:
        terms = np.tile([1.0, 0, 0, 0, 1, 1, 1, 0, 0, 0], (4, 1))
        terms[2, place] = value
        with pytest.raises(ParameterError, match="of body 2 has no factor"):
            factor(terms)

    def test_a_first_moment_without_mass(self) -> None:
        with pytest.raises(ParameterError, match="has no factor"):
            factor([0, 1, 0, 0, 1, 1, 1, 0, 0, 0])

    def test_shapes(self) -> None:
        factors = factor(bodies(CASES["full"][0]))
        with pytest.raises(ParameterError, match=r"rhs has shape \(5,\)"):
            factors.solve(np.zeros(5), order=LINEAR)
        with pytest.raises(ParameterError, match="do not broadcast"):
            factors.solve(np.zeros((7, 6)), order=LINEAR)
        with pytest.raises(ParameterError, match="unknown block order"):
            factors.solve(np.zeros(6), "ksl")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("case", CASES)
def test_the_same_numbers_in_every_library(library: Library, case: str, dtype: str) -> None:
    terms = bodies(CASES[case][0])[:5]
    rhs = np.random.default_rng(4).normal(size=(5, 6))
    factors = factor(library.array(terms, dtype))
    mine = factor(terms)
    assert np.asarray(factors.rank).tolist() == mine.rank.tolist()
    assert library.is_own(factors.terms, dtype)
    got = factors.solve(library.array(rhs, dtype), least_squares=True, order=LINEAR)
    assert library.is_own(got, dtype)
    agree(got, mine.solve(rhs, least_squares=True, order=LINEAR), dtype)
    agree(factors.spatial_inertia(order=LINEAR), mine.spatial_inertia(order=LINEAR), dtype)


def test_jax_compiles_factor_and_solve() -> None:
    jax = pytest.importorskip("jax", reason="pip install jax")
    terms, rhs = bodies(CASES["full"][0])[:5], np.random.default_rng(4).normal(size=(5, 6))
    given = [jax.numpy.asarray(a, dtype="float32") for a in (terms, rhs)]
    got = jax.jit(lambda t, f: factor(t).solve(f, least_squares=True, order=LINEAR))(*given)
    agree(got, factor(terms).solve(rhs, order=LINEAR), "float32")


def test_nothing_depends_on_values_or_on_a_device() -> None:
    terms, rhs = bodies(CASES["rod"][0])[:5], np.random.default_rng(4).normal(size=(5, 6))
    assert stays_on_its_device(
        lambda t, f: factor(t).solve(f, least_squares=True, order=LINEAR), (terms, rhs)
    )
    assert stays_on_its_device(lambda t: factor(t).spatial_inertia(order=LINEAR), (terms,))
