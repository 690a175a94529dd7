"""Bodies from base parameters: those that have them, or the nearest."""

import numpy as np
import pytest

import identification_data
import random_trees
from inertial_check.errors import ParameterError
from inertial_check.identification.fit.base import base_parameters
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.published import identify_from_base
from inertial_check.inertia.representations import reorder
from inertial_check.mechanics.equations import regressor
from inertial_check.projection.constraints import TotalMass


def robot(seed, *, count=5, order="urdf", near=0.3):
    """A tree's base, its bodies, and priors some way off."""
    tree, other = (
        random_trees.random_tree(each, count=count, kinds=("revolute",))
        for each in (seed, seed + 1000)
    )
    Y = regressor(tree, *random_trees.configurations(tree, seed, (60,)), order=order)
    truth, prior = np.array(tree.theta), (1 - near) * tree.theta + near * other.theta
    return base_parameters(Y, order=order), *(
        np.array(reorder(theta, "urdf", order)) for theta in (truth, prior)
    )


@pytest.mark.parametrize("near", [0.3, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_what_a_robot_has_is_found_again(seed, near):
    base, truth, prior = robot(seed, near=near)
    beta = base.of(truth)
    found = identify_from_base(beta, base, prior)
    assert found.realisable
    np.testing.assert_allclose(found.beta, beta, rtol=0, atol=1e-9 * np.abs(beta).max())
    assert found.identification.consistency.consistent.all()
    assert found.remarks == found.identification.remarks


def test_of_all_that_have_them_the_nearest_to_the_prior_is_taken():
    base, truth, _ = robot(2)
    found = identify_from_base(base.of(truth), base, truth)
    np.testing.assert_allclose(found.theta, truth, rtol=1e-7, atol=1e-9)
    assert found.identification.distance.max() < 1e-6


@pytest.mark.parametrize("order", ["mujoco", "pinocchio"])
def test_in_the_order_of_the_columns(order):
    base, truth, prior = robot(1, order=order)
    found = identify_from_base(base.of(truth), base, prior)
    plain, truth_, prior_ = robot(1)
    expected = identify_from_base(plain.of(truth_), plain, prior_)
    np.testing.assert_allclose(reorder(found.theta, order, "urdf"), expected.theta, atol=1e-6)


def test_what_no_robot_has_is_said_with_its_distance():
    base, truth, prior = robot(0)
    beta = -base.of(truth)
    found = identify_from_base(beta, base, prior)
    assert not found.realisable
    assert found.least == found.distance > 0
    assert "no consistent bodies have these base parameters" in found.remarks[-1]
    assert f"{found.least:.3g} deviations" in found.remarks[-1]
    assert found.identification.consistency.consistent.all()


def test_a_covariance_weighs_base_parameters_against_the_prior():
    base, truth, prior = robot(3)
    beta = base.of(truth)
    sigma = 0.05 * np.abs(beta) + 1e-3 * np.abs(beta).max()
    noisy = beta + sigma * np.random.default_rng(3).normal(size=len(beta))
    sure, vague = (
        identify_from_base(noisy, base, prior, covariance=(factor * sigma) ** 2)
        for factor in (1.0, 100.0)
    )
    for found in (sure, vague):
        assert found.distance >= found.least * (1 - 1e-6)
        assert found.identification.consistency.consistent.all()
    assert sure.least == pytest.approx(100 * vague.least, rel=0.05, abs=1e-3)
    far = [np.linalg.norm((each.beta - noisy) / sigma) for each in (sure, vague)]
    assert far[0] < far[1]
    assert far[0] == pytest.approx(sure.distance)
    whole = identify_from_base(noisy, base, prior, covariance=np.diag(sigma**2))
    np.testing.assert_allclose(whole.theta, sure.theta, rtol=1e-9, atol=1e-12)


def test_constraints_and_margins_hold():
    base, truth, prior = robot(4, count=3)
    found = identify_from_base(base.of(truth), base, prior, margin=1e-3)
    assert found.identification.consistency.margin.min() >= 1e-3 * (1 - 1e-9)
    total = float(truth[:, 0].sum())
    found = identify_from_base(base.of(truth), base, prior, constraints=[TotalMass(total)])
    assert found.identification.total_mass == pytest.approx(total)


def test_numbers_beside_the_bodies_come_along():
    tree = random_trees.random_tree(6, count=3, kinds=("revolute",))
    q, u, du = random_trees.configurations(tree, 6, (60,))
    Y = regressor(tree, q, u, du)
    base = base_parameters(
        np.concatenate([Y, u[:, :, None] * np.eye(3)], axis=2), nuisance_names=["fv1", "fv2", "fv3"]
    )
    friction = np.array([0.4, 0.0, 2.0])
    beta = base.of(np.concatenate([tree.theta.ravel(), friction]))
    free = identify_from_base(beta, base, tree.theta)
    np.testing.assert_allclose(list(free.identification.nuisance.values()), friction, atol=1e-6)
    bounds = Nuisance(("fv1", "fv2", "fv3"), 1.0, np.inf, np.full(3, 1.0), np.inf)
    bound = identify_from_base(beta, base, tree.theta, nuisance=bounds)
    assert min(bound.identification.nuisance.values()) >= 1.0 - 1e-9
    assert not bound.realisable
    with pytest.raises(ParameterError, match="nuisance is of nothing"):
        identify_from_base(beta, base, tree.theta, nuisance=Nuisance())


@pytest.mark.parametrize(
    ("beta", "message"),
    [
        (lambda good: good[:3], r"beta has shape \(3,\), expected \(\d+,\)"),
        (lambda good: good * np.nan, r"beta\[0\] .* is nan"),
    ],
)
def test_what_are_no_base_parameters_is_refused(beta, message):
    base, truth, prior = robot(0)
    with pytest.raises(ParameterError, match=message):
        identify_from_base(beta(base.of(truth)), base, prior)


@pytest.mark.parametrize(
    ("covariance", "message"),
    [
        (np.ones(3), r"covariance has shape \(3,\)"),
        (0.0, r"covariance\[0, 0\] is 0.0"),
        (1.0, "covariance is not positive definite"),
        (np.nan, "not finite"),
        ("triangle", "not symmetric"),
    ],
)
def test_what_is_no_covariance_is_refused(covariance, message):
    base, truth, prior = robot(0)
    whole = np.ones((base.rank, base.rank))
    if isinstance(covariance, str):
        covariance = np.triu(whole)
    elif np.ndim(covariance) == 0:
        covariance = covariance * whole
    with pytest.raises(ParameterError, match=message):
        identify_from_base(base.of(truth), base, prior, covariance=covariance)


def test_a_prior_of_other_bodies_is_refused():
    base, truth, prior = robot(0)
    with pytest.raises(ParameterError, match="prior has shape"):
        identify_from_base(base.of(truth), base, prior[:2])


def test_on_a_real_robot(datasets):
    """The base parameters that least squares found of a UR10e, of which no robot has all."""
    data = identification_data.problem(datasets, "ur10e")
    base = base_parameters(data.R, nuisance_names=data.names)
    Y = base.regressor(data.R)
    beta, *_ = np.linalg.lstsq(Y, data.rho, rcond=None)
    covariance = np.linalg.inv(Y.T @ Y)
    found = identify_from_base(beta, base, data.prior, covariance=covariance)
    assert found.identification.consistency.consistent.all()
    left = Y @ found.beta - data.rho
    rms = np.sqrt((left @ left + data.rss) / (data.samples * data.joints))
    assert rms < 1.007
    assert 0 < found.least <= found.distance
