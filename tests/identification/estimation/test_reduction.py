"""Reductions hold exactly what least squares needs, however the samples come."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.errors import ParameterError
from inertial_check.identification.fit.samples import Reduction


def samples(seed, count=300, joints=3, columns=14):
    """A chain's pattern: each joint knows fewer columns than the one before."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(count, joints, columns)) * 10.0 ** rng.integers(-3, 4, size=columns)
    for j in range(joints):
        A[:, j, : 3 * j] = 0
    A[:, :, 5] = 0
    return A, rng.normal(size=(count, joints))


def in_blocks(A, tau, *sizes):
    bounds = np.cumsum([0, *sizes])
    return [(A[a:b], tau[a:b]) for a, b in itertools.pairwise(bounds)]


@pytest.mark.parametrize("count", [1, 5, 13, 300])
def test_residuals_are_those_of_the_samples(count):
    A, tau = samples(1, count)
    reduction = Reduction.of(in_blocks(A, tau, count))
    x = np.random.default_rng(2).normal(size=14)
    expected = np.sum((A @ x - tau) ** 2, axis=0)
    np.testing.assert_allclose(reduction.residual_squares(x), expected, rtol=1e-12)
    np.testing.assert_allclose(reduction.rmse(x), np.sqrt(expected / count), rtol=1e-12)
    assert reduction.samples.tolist() == [count] * 3


@given(st.lists(st.integers(1, 120), min_size=1, max_size=6), st.integers(0, 99))
def test_blocks_and_merges_change_nothing(sizes, seed):
    A, tau = samples(seed, sum(sizes))
    whole = Reduction.of([(A, tau)])
    blocks = in_blocks(A, tau, *sizes)
    x = np.random.default_rng(seed).normal(size=14)
    expected = np.sum((A @ x - tau) ** 2, axis=0)
    pieces = [Reduction.of([block]) for block in blocks]
    for reduction in (whole, Reduction.of(blocks), pieces[0].merge(*pieces[1:])):
        np.testing.assert_allclose(reduction.residual_squares(x), expected, rtol=1e-11)
        assert reduction.samples.tolist() == [sum(sizes)] * 3


def test_a_column_that_wakes_up_late_is_not_lost():
    A, tau = samples(3)
    A[:200, 1, 7] = 0
    reduction = Reduction.of(in_blocks(A, tau, 100, 100, 100))
    x = np.ones(14)
    expected = np.sum((A @ x - tau) ** 2, axis=0)
    np.testing.assert_allclose(reduction.residual_squares(x), expected, rtol=1e-12)


def test_columns_that_are_zero_are_not_kept():
    A, tau = samples(4)
    sizes = [len(system.columns) for system in Reduction.of([(A, tau)]).systems]
    assert sizes == [13, 10, 8]


def test_stacked_rows_have_the_weighted_squares():
    A, tau = samples(5)
    weights = np.array([2.0, 0.5, 30.0])
    R, rho, rss = Reduction.of([(A, tau)]).stack(weights)
    assert len(R) <= 14
    x = np.random.default_rng(6).normal(size=14)
    expected = np.sum((weights * (A @ x - tau)) ** 2)
    np.testing.assert_allclose(np.sum((R @ x - rho) ** 2) + rss, expected, rtol=1e-12)


def test_importance_multiplies_squares():
    A, tau = samples(7)
    factors = np.random.default_rng(8).uniform(0, 2, tau.shape)
    x = np.ones(14)
    reduction = Reduction.of([(A, tau, factors)])
    expected = np.sum(factors * (A @ x - tau) ** 2, axis=0)
    np.testing.assert_allclose(reduction.residual_squares(x), expected, rtol=1e-12)


def test_relabelled_columns_mean_the_same():
    A, tau = samples(9)
    labels = np.random.default_rng(10).permutation(14)
    x = np.random.default_rng(11).normal(size=14)
    moved = np.empty(14)
    moved[labels] = x
    reduction = Reduction.of([(A, tau)])
    np.testing.assert_allclose(
        reduction.relabel(labels).residual_squares(moved),
        reduction.residual_squares(x),
        rtol=1e-13,
    )
    R, rho, rss = reduction.relabel(labels).stack(np.ones(3))
    expected = np.sum((A @ x - tau) ** 2)
    np.testing.assert_allclose(np.sum((R @ moved - rho) ** 2) + rss, expected, rtol=1e-12)


def test_r_squared_is_about_the_mean_and_none_without_a_spread():
    A, tau = samples(12)
    tau[:, 2] = 3.0
    x = np.zeros(14)
    found = Reduction.of([(A, tau)]).r_squared(x)
    about = tau[:, :2] - tau[:, :2].mean(axis=0)
    expected = 1 - np.sum(tau[:, :2] ** 2, axis=0) / np.sum(about**2, axis=0)
    np.testing.assert_allclose(found[:2], expected, rtol=1e-10)
    assert np.isnan(found[2])


def test_exact_samples_leave_no_more_than_rounding():
    """Normal equations would leave the square root of it."""
    A, _ = samples(13)
    x = np.random.default_rng(14).normal(size=14)
    tau = A @ x
    left = Reduction.of([(A, tau)]).residual_squares(x)
    assert np.all(left <= (1e-13 * np.linalg.norm(tau, axis=0)) ** 2)


def test_what_cannot_be_reduced_is_refused():
    A, tau = samples(15)
    with pytest.raises(ParameterError, match="no samples"):
        Reduction.of([])
    with pytest.raises(ParameterError, match=r"shape \(300, 3, 14\) and torques \(300, 2\)"):
        Reduction.of([(A, tau[:, :2])])
    tau[210, 1] = np.nan
    with pytest.raises(ParameterError, match="the torque of sample 210, joint 1 is not finite"):
        Reduction.of(in_blocks(A, tau, 200, 100))
    A[7, 2, 9] = np.inf
    with pytest.raises(ParameterError, match="the regressor of sample 7, joint 2"):
        Reduction.of(in_blocks(A, tau, 200, 100))
    with pytest.raises(ParameterError, match="cannot be merged"):
        Reduction.of([samples(1)]).merge(Reduction.of([samples(1, columns=12)]))
