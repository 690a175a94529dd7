"""Entropic and affine-invariant estimates against general-purpose optimisers."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import minimize

import inertial_check as ic
from inertial_check.inertia import sampling
from inertial_check.inertia.representations import pseudo_inertia, theta_from_pseudo_inertia

SCALES = {"mass": (0.5, 2), "length": (0.2, 0.5), "offset": (0.2, 1)}
DIVERGENCES = ("entropic", "affine-invariant")


def case(seed, count=1):
    rng = np.random.default_rng(seed)
    theta = sampling.inconsistent(rng, count, violation=(0.05, 0.5), **SCALES).as_theta()
    solid = sampling.consistent(rng, strata=["solid"], **SCALES)
    prior = ic.project(solid, margin=0.1).parameters.as_theta()
    root = rng.normal(size=(14, 10)) * [1, 2, 2, 2, 5, 5, 5, 5, 5, 5]
    return theta, prior, root.T @ root


def divergence(name, Pi, P):
    if name == "entropic":
        ratio = np.linalg.solve(P, Pi)
        return np.trace(ratio) - np.linalg.slogdet(ratio)[1] - 4
    return np.sum(np.log(np.maximum(eigh(Pi, P, eigvals_only=True), 1e-300)) ** 2)


def objective(name, theta, given, prior, W, rho):
    change = theta - given
    return change @ W @ change + rho * divergence(
        name, pseudo_inertia(theta), pseudo_inertia(prior)
    )


UNITS = np.eye(16).reshape(4, 4, 4, 4)
THETA_OF_ENTRIES = theta_from_pseudo_inertia((UNITS + UNITS.swapaxes(-1, -2)) / 2)
"""(4, 4, 10), the ten numbers for 1 in an entry of a pseudo-inertia, shared with its mirror."""


def slopes(name, theta, given, prior, W, rho):
    """The gradient of the objective by the entries of the pseudo-inertia, (4, 4)."""
    values, vectors = eigh(pseudo_inertia(theta), pseudo_inertia(prior))
    of_values = 1 - 1 / values if name == "entropic" else 2 * np.log(values) / values
    distance = (vectors * of_values) @ vectors.T
    return THETA_OF_ENTRIES @ (2 * W @ (theta - given)) + rho * distance


def by_cholesky(name, given, prior, W, rho):
    """The minimum over Pi = C C^T by BFGS from the prior: no code of the package's solvers."""
    lower = np.tril_indices(4)

    def factor_of(entries):
        C = np.zeros((4, 4))
        C[lower] = entries
        return C

    def theta_of(entries):
        C = factor_of(entries)
        return theta_from_pseudo_inertia(C @ C.T)

    def slopes_of(entries):
        found = slopes(name, theta_of(entries), given, prior, W, rho)
        return 2 * (found @ factor_of(entries))[lower]

    start = np.linalg.cholesky(pseudo_inertia(prior))[lower]
    found = minimize(
        lambda entries: objective(name, theta_of(entries), given, prior, W, rho),
        start,
        jac=slopes_of,
        method="BFGS",
        options={"gtol": 1e-9, "maxiter": 5000},
    )
    return theta_of(found.x)


@pytest.mark.parametrize("rho", [1e-2, 1.0, 30.0])
@pytest.mark.parametrize("name", DIVERGENCES)
def test_agrees_with_a_quasi_newton_method_on_cholesky_factors(name, rho):
    for seed in range(3):
        (given,), prior, W = case(seed)
        found = ic.project(given, name, weights=W, prior=prior, regularization=rho)
        other = by_cholesky(name, given, prior, W, rho)
        mine, its = (objective(name, t, given, prior, W, rho) for t in (found.theta, other))
        assert mine <= its * (1 + 1e-12)
        assert mine == pytest.approx(its, rel=1e-7)
        assert max(found.certify()) <= 1e-9


def test_entropic_agrees_with_a_conic_solver():
    for seed in range(3, 6):
        (given,), prior, W = case(seed)
        Pi, P = cp.Variable((4, 4), symmetric=True), pseudo_inertia(prior)
        S = Pi[:3, :3]
        inertia = cp.trace(S) * np.eye(3) - S
        rows, columns = [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]
        theta = cp.hstack([Pi[3, 3], Pi[0, 3], Pi[1, 3], Pi[2, 3], inertia[rows, columns]])
        data = cp.sum_squares(np.linalg.cholesky(W).T @ (theta - given))
        distance = cp.trace(np.linalg.inv(P) @ Pi) - cp.log_det(Pi)
        cp.Problem(cp.Minimize(data + 0.5 * distance)).solve(solver="CLARABEL")
        found = ic.project(given, "entropic", weights=W, prior=prior, regularization=0.5)
        np.testing.assert_allclose(found.theta, theta.value, atol=1e-5 * np.abs(given).max())


@pytest.mark.parametrize("name", DIVERGENCES)
def test_a_heavy_divergence_gives_the_prior_and_a_light_one_the_nearest(name):
    theta, prior, W = case(7, 20)
    heavy = ic.project(theta, name, weights=W, prior=prior, regularization=1e9)
    np.testing.assert_allclose(
        heavy.theta, np.broadcast_to(prior, theta.shape), rtol=1e-5, atol=1e-6
    )
    light = ic.project(theta, name, weights=W, prior=prior, regularization=1e-6)
    nearest = ic.project(theta, "weighted", weights=W)
    np.testing.assert_allclose(light.distance, nearest.distance, rtol=0.1, atol=1e-3)
    assert (light.distance >= nearest.distance * (1 - 1e-9)).all()


@pytest.mark.parametrize("name", DIVERGENCES)
def test_without_weights_the_prior_measures_the_data_too(name):
    theta, prior, _ = case(8, 10)
    found = ic.project(theta, name, prior=prior)
    assert (ic.check(found.theta).margin > 0).all()
    nearest = ic.project(theta, "prior", prior=prior)
    assert (found.distance > nearest.distance).all()
    assert (np.array(found.certify()) < 1e-9).all()


@pytest.mark.parametrize("name", DIVERGENCES)
def test_rows_that_are_feasible_stay_bit_for_bit(name):
    theta, prior, W = case(9, 5)
    whole = sampling.consistent(9, 20, strata=["solid", "sphere", "plate"], **SCALES).as_theta()
    mixed = np.concatenate([whole, theta])
    found = ic.project(mixed, name, weights=W, prior=prior)
    assert (found.theta[:20] == mixed[:20]).all()
    assert (found.status[20:] == "projected").all()


@pytest.mark.parametrize("scale", [(1e-6, 1e-3), (1e5, 10.0)], ids=["bead", "crane"])
@pytest.mark.parametrize("name", DIVERGENCES)
def test_beads_and_cranes(name, scale):
    mass, length = scale
    units = mass * np.repeat([1, length, length**2], [1, 3, 6])
    theta, prior, W = case(10, 10)
    plain = ic.project(theta, name, weights=W, prior=prior)
    scaled = ic.project(
        units * theta, name, weights=W / units[:, None] / units, prior=units * prior
    )
    np.testing.assert_allclose(scaled.theta / units, plain.theta, rtol=1e-8, atol=1e-9)
    assert (np.array(scaled.certify()) < 1e-9).all()
