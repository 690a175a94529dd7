"""The quadratic problem as data: coordinates, units, and residuals that see a wrong answer."""

import numpy as np
import pytest

from inertial_check.inertia import sampling
from inertial_check.projection import newton
from inertial_check.projection.quadratic import (
    Quadratic,
    certify_in_units,
    fit_reference,
    measure_change,
    normalise,
    to_units,
)
from inertial_check.projection.svec import cone_residual, factors, pack

RNG = np.random.default_rng(3)


def problems(count=30):
    theta = sampling.inconsistent(RNG, count, violation=(1e-3, 0.5)).as_theta()
    root = RNG.normal(size=(count, 10, 10)) / np.abs(theta[:, None, :]).max(1, keepdims=True)
    size = np.abs(theta).max(axis=0, keepdims=True)
    W = np.matmul(root.transpose(0, 2, 1), root) + np.eye(10) / size**2
    return Quadratic(theta, W, np.zeros((count, 4, 4)), fit_reference(W, theta))


def test_factors_of_badly_scaled_bodies_keep_every_entry():
    units = 10.0 ** RNG.uniform(-8, 8, (20, 4))
    root = RNG.normal(size=(20, 4, 4)) + 3 * np.eye(4)
    body = np.einsum("ni,nij,nkj,nk->nik", units, root, root, units)
    L, inverse = factors(body)
    error = np.abs(L @ L.swapaxes(1, 2) - body) / (units[:, :, None] * units[:, None, :])
    assert error.max() < 1e-12
    error = np.abs(np.matmul(inverse, L) - np.eye(4)) * units[:, None, :] / units[:, None, :]
    assert error.max() < 1e-12


def test_normalised_problems_have_size_one():
    units = normalise(problems())
    np.testing.assert_allclose(np.linalg.norm(units.x0, axis=1), 1)
    np.testing.assert_allclose(np.linalg.slogdet(units.M)[1], 0, atol=1e-9)


@pytest.mark.parametrize("what", ["nearer", "farther", "outside", "multiplier"])
def test_residuals_see_what_is_not_the_nearest(what):
    problem = problems()
    found = newton.project(problem)
    assert found.worst.max() < 1e-9
    theta, dual = np.array(found.theta), np.array(found.dual)
    step = 1e-4 * (theta - problem.theta0)
    if what == "nearer":
        theta -= step
    elif what == "farther":
        theta += step
    elif what == "outside":
        theta = problem.theta0
    else:
        dual = dual * (1 + 1e-4)
    move = measure_change(problem, found.theta) / measure_change(problem, 0 * theta)
    units = normalise(problem)
    x, z = to_units(problem, units, theta, dual)
    worst = np.max(certify_in_units(units, x, z), axis=0)
    assert (worst > 1e-8 * move).all()


def test_diagonal_problems_have_the_matrices_of_full_ones():
    problem = problems()
    diagonal = np.einsum("nii->ni", problem.W)[:, :, None] * np.eye(10)
    reference = fit_reference(diagonal, problem.theta0)
    full = np.array(diagonal)
    full[:, 0, 1] = full[:, 1, 0] = 1e-290  # a weight beside the diagonal that moves nothing
    one, other = (
        normalise(Quadratic(problem.theta0, W, problem.Delta, reference))
        for W in (diagonal, full)
    )  # fmt: skip
    assert one.reach is not None
    assert other.reach is None
    np.testing.assert_allclose(one.M, other.M, rtol=1e-12, atol=1e-12 * np.abs(one.M).max())
    np.testing.assert_allclose(one.weight, other.weight, rtol=1e-12)
    errors = one.reach @ one.M - np.eye(10)
    assert np.abs(errors).max() < 1e-14 * np.abs(one.reach).max() * np.abs(one.M).max()


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e8])
def test_distances_from_the_cone_are_those_of_eigenvalues_to_rounding_of_one(size):
    """Multipliers of a million in their units once had a bound of their own rounding, 1e-9."""
    root = RNG.normal(size=(200, 4, 4)) * (RNG.random((200, 1, 4)) > 0.4)
    X = root @ root.swapaxes(1, 2)
    X[::2] -= RNG.uniform(0, 1e-3, (100, 1, 1)) * np.eye(4)
    X *= size / np.abs(X).max()
    least = np.maximum(-np.linalg.eigvalsh(X)[:, 0], 0.0)
    found = cone_residual(pack(X))
    assert np.abs(found - least).max() <= 16 * 2.0**-52 * size
    rod = pack(np.diag([size, 0, 0, 0])[None])
    assert cone_residual(rod)[0] <= 4 * 2.0**-52 * min(size, 1.0)
