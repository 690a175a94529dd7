"""Likely densities: size, joints, known bodies and sums move them as they should."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from inertial_check.fixing.fill.densities import (
    CAUTION,
    LITRE,
    OWN_SPREAD,
    DensityProblem,
    LogSum,
    Sized,
    estimate_masses,
    find_common_density,
    solve,
)


def size(volumes, carriers=0.0, stated=np.nan):
    n = len(volumes)
    ones = np.ones(n)
    sizes = np.log(np.array(volumes) / LITRE)
    return Sized(np.array(volumes), sizes, carriers * ones, OWN_SPREAD * ones, stated * ones)


NONE = size([])


def test_small_bodies_and_those_with_motors_are_denser():
    small, large = estimate_masses(size([1e-5, 1e-2]), NONE, np.zeros(0), [], []) / [1e-5, 1e-2]
    assert 2 < small / large < 5
    motor = estimate_masses(size([1e-2], carriers=1.0), NONE, np.zeros(0), [], [])
    assert 1.3 < float(motor[0]) / 1e-2 / large < 2


def test_known_densities_pass_on_and_one_that_is_far_off_does_not():
    def density(known):
        bodies = size([1e-3])
        (mass,) = estimate_masses(bodies, size([1e-3] * len(known)), np.array(known), [], [])
        return mass / 1e-3

    few, many = density([2700.0]), density([2700.0] * 20)
    assert density([]) < few < many
    assert many == pytest.approx(2700, rel=0.15)
    assert density([2700.0] * 9 + [20.0]) == pytest.approx(density([2700.0] * 9), rel=0.1)


def test_the_heaviest_body_takes_what_a_sum_leaves():
    bodies = size([1e-2, 1e-4])
    known = size([1e-3] * 5), np.full(5, 800.0)
    alone = estimate_masses(bodies, *known, [], [])
    met = estimate_masses(bodies, *known, [LogSum((0, 1), 3 * alone.sum())], [])
    assert met.sum() == pytest.approx(3 * alone.sum(), rel=1e-9)
    heavy, light = met / alone
    assert heavy > 2.9
    assert light == pytest.approx(1, abs=0.3)


def test_masses_are_the_most_probable_ones():
    rng = np.random.default_rng(3)
    bodies = size(np.exp(rng.uniform(np.log(1e-5), np.log(1e-2), 5)))
    mean, K = bodies.means, bodies.covary(bodies) + np.diag(bodies.spreads**2)
    mean = mean - CAUTION * np.diagonal(K)
    wanted = 6.0
    found = estimate_masses(bodies, NONE, np.zeros(0), [LogSum(range(5), wanted)], [])
    inverse = np.linalg.inv(K)
    best = minimize(
        lambda x: (x - mean) @ inverse @ (x - mean),
        mean,
        constraints={
            "type": "eq",
            "fun": lambda x: np.log(bodies.volumes @ np.exp(x)) - np.log(wanted),
        },
        method="SLSQP",
        options={"ftol": 1e-12},
    )
    np.testing.assert_allclose(np.log(found / bodies.volumes), best.x, atol=1e-4)


def test_sums_that_exclude_each_other_give_finite_masses():
    sums = [LogSum((0,), 3.0), LogSum((1,), 3.0), LogSum((0, 1), 1.0)]
    masses = estimate_masses(size([1e-3, 1e-3]), NONE, np.zeros(0), sums, [(0, 1)])
    assert np.all(np.isfinite(masses))


def test_hundreds_of_separate_sums_do_not_meet_in_one_dense_hessian(monkeypatch):
    largest = []
    eigh = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda a: largest.append(len(a)) or eigh(a))
    n, cells = 300, 4
    rng = np.random.default_rng(0)
    volumes, nominal = rng.uniform(1e-4, 1e-3, n * cells), np.full(n * cells, 1000.0)
    body = np.repeat(np.arange(n), cells)
    rows = csr_array((np.ones(n * cells), (body, np.arange(n * cells))), (n, n * cells))
    pair = rows[[0]] - rows[[1]]
    matrix = csr_array(np.concatenate([rows.toarray()[1:], pair.toarray()]))
    wanted = (rows @ (volumes * nominal) * rng.uniform(0.5, 2, n))[1:]
    problem = DensityProblem(
        volumes,
        nominal,
        np.zeros(n * cells),
        np.full(n * cells, np.inf),
        matrix,
        np.append(wanted, 0.0),
        tuple(map(str, range(n))),
    )
    assert solve(problem).certified
    assert set(largest) == {2}


def test_a_density_is_common_where_more_than_half_have_it():
    assert find_common_density(np.array([2700.0, 2710, 2690, 900, 300])) == 2700
    assert find_common_density(np.array([2700.0, 900])) is None
    assert find_common_density(np.array([2700.0, 2700, 900, 400])) is None
    assert find_common_density(np.array([2700.0])) is None
    assert find_common_density(np.array([])) is None
