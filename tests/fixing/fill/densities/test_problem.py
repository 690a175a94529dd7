"""Densities: solvers agree, certificates hold, conflicts are irreducible, intervals are met."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from inertial_check.fixing.fill.densities import (
    DIVERGENCES,
    DensityProblem,
    InfeasibleSumsError,
    certify,
    find_conflict,
    solve,
)
from inertial_check.fixing.fill.equations import MassSum
from inertial_check.fixing.fill.intervals import find_mass_ranges


def make_problem(seed, divergence="entropic", bounds=(0.0, np.inf), centers=True):
    """Bodies of several cells, with some masses, a total and a centre of mass that can be met."""
    rng = np.random.default_rng(seed)
    bodies, cells = int(rng.integers(2, 6)), 8
    n = bodies * cells
    volumes = rng.uniform(0.5, 1, n) * 1e-3
    nominal = np.repeat(np.exp(rng.uniform(np.log(300), np.log(5000), bodies)), cells)
    truth = np.clip(nominal * np.exp(rng.normal(0, 1, n)), *bounds)
    rows = [np.ones(n)]
    rows += [np.repeat(np.arange(bodies) == b, cells) * 1.0 for b in range(bodies - 1)]
    if centers:
        rows += list(rng.uniform(-1, 1, (3, n)))
    matrix = np.array(rows)
    names = tuple(f"sum {k}" for k in range(len(rows)))
    return DensityProblem(
        volumes,
        nominal,
        np.full(n, bounds[0]),
        np.full(n, bounds[1]),
        csr_array(matrix),
        matrix @ (volumes * truth),
        names,
        divergence,
    )


@pytest.mark.parametrize("bounds", [(0.0, np.inf), (100.0, 9000.0)])
@given(seed=st.integers(0, 2**32 - 1))
def test_the_entropic_answer_is_certified_and_meets_every_sum(bounds, seed):
    problem = make_problem(seed, bounds=bounds)
    answer = solve(problem)
    assert answer.certified
    np.testing.assert_allclose(problem.A @ answer.rho, problem.wanted, rtol=0, atol=1e-9)
    assert np.all((answer.rho >= bounds[0]) & (answer.rho <= bounds[1]))


@pytest.mark.parametrize("divergence", DIVERGENCES)
@pytest.mark.parametrize("seed", range(3))
def test_newton_and_clarabel_agree(divergence, seed):
    problem = make_problem(seed, divergence, (50.0, 12000.0))
    ours, theirs = solve(problem), solve(problem, "clarabel")
    assert ours.certified
    assert theirs.certified
    np.testing.assert_allclose(ours.rho, theirs.rho, rtol=1e-5)


def test_one_sum_alone_scales_all_densities_by_one_factor():
    problem = make_problem(0)
    rows, wanted = csr_array(np.ones((1, len(problem.volumes)))), np.array([7.0])
    problem = replace(problem, rows=rows, wanted=wanted, names=("total",))
    answer = solve(problem)
    np.testing.assert_allclose(answer.rho / problem.nominal, 7.0 / problem.mass, rtol=1e-12)


def test_a_worse_answer_has_a_gap():
    problem = make_problem(1)
    answer = solve(problem)
    kernel = np.linalg.svd(problem.A.toarray())[2][-1]
    other = answer.rho + kernel * 0.3 * np.min(answer.rho)
    certificate = certify(problem, other, answer.multipliers, 0).certificate
    assert certificate.primal_residual < 1e-12
    assert certificate.gap > 1e-6


def change(problem, row, wanted):
    sums = problem.wanted.copy()
    sums[row] = wanted
    return replace(problem, wanted=sums)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_conflict_cannot_be_reduced(seed):
    problem = make_problem(seed, centers=False)
    wrong = change(problem, 0, 0.9 * problem.wanted[1:].sum())  # a total below its parts
    with pytest.raises(InfeasibleSumsError) as raised:
        solve(wrong)
    conflict = raised.value.conflict
    assert raised.value.bounds == ""
    assert conflict[0] == "sum 0"
    for name in conflict:
        kept = [wrong.names.index(each) for each in conflict if each != name]
        names = tuple(wrong.names[k] for k in kept)
        rest = replace(
            wrong, rows=csr_array(wrong.rows[kept]), wanted=wrong.wanted[kept], names=names
        )
        assert find_conflict(rest) is None


def test_a_conflict_with_the_bounds_names_them():
    problem = make_problem(2, bounds=(100.0, 9000.0))
    heavy = 9500.0 * problem.volumes[:8].sum()
    for solver in (None, "clarabel"):
        with pytest.raises(InfeasibleSumsError, match=r"of 100 to 9000 kg/m\^3") as raised:
            solve(change(problem, 1, heavy), solver)
        assert raised.value.conflict == ("sum 1",)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1))
def test_mass_ranges_are_those_of_linear_programs(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    low, high = rng.uniform(0, 1, n), rng.uniform(2, 9, n)
    masses = low + rng.uniform(0.1, 0.9, n) * (high - low)
    sums = [MassSum("total", dict.fromkeys(range(n), 1.0), float(masses.sum()), 0.01)]
    if rng.uniform() < 0.5 and n > 2:
        sums.append(MassSum("difference", {0: 1.0, 1: -1.0}, float(masses[0] - masses[1])))
    found, exact = find_mass_ranges(low, high, sums, masses)
    assert all(exact)
    A = np.zeros((len(sums), n))
    for row, each in enumerate(sums):
        A[row, list(each.coefficients)] = list(each.coefficients.values())
    wanted = np.array([each.wanted for each in sums])
    slack = np.array([each.deviation for each in sums])
    for at in range(n):
        ends = []
        for sign in (1, -1):
            answer = linprog(
                sign * np.eye(n)[at],
                A_ub=np.concatenate([A, -A]),
                b_ub=np.concatenate([wanted + slack, slack - wanted]),
                bounds=np.stack([low, high], axis=1),
            )
            assume(answer.status == 0)
            ends.append(sign * answer.fun)
        np.testing.assert_allclose(found[at], ends, rtol=1e-7, atol=1e-9)
