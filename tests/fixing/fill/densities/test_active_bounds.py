"""Densities of which many lie on a bound: certified where sums can be met, a conflict elsewhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

import inertial_check as ic
from inertial_check.fixing.fill.densities import DensityProblem, InfeasibleSumsError, solve

LOW, HIGH = 10.0, 25_000.0


def make_problem(seed, off=0.0):
    """Bodies of litres to millilitres whose sums only densities on the bounds meet.

    Args:
        off: Relative change of one of the sums, which may then exclude the others.
    """
    rng = np.random.default_rng(seed)
    bodies = int(rng.integers(2, 7))
    cells = 1 if rng.random() < 0.5 else int(rng.integers(2, 9))
    n = bodies * cells
    volumes = np.exp(rng.uniform(-14, -4, bodies)).repeat(cells) * rng.uniform(0.2, 1, n) / cells
    nominal = np.exp(rng.uniform(np.log(100), np.log(12_000), bodies)).repeat(cells)
    truth = np.exp(rng.uniform(np.log(LOW), np.log(HIGH), n))
    place, share = rng.random(n), rng.choice([0.3, 0.9])
    truth = np.where(place < share / 2, LOW, np.where(place < share, HIGH, truth))
    member = np.repeat(np.eye(bodies), cells, axis=1)
    rows = [np.ones(n), *member[rng.random(bodies) < 0.7]]
    rows += [(rng.random(bodies) < 0.5) @ member for _ in range(rng.integers(0, 3))]
    if rng.random() < 0.4:
        rows += list(rng.uniform(-1, 1, (3, n)))
    matrix = np.array([row for row in rows if np.any(row)])
    wanted = matrix @ (volumes * truth)
    wanted[rng.integers(len(wanted))] *= 1 + off
    return DensityProblem(
        volumes,
        nominal,
        np.full(n, LOW),
        np.full(n, HIGH),
        csr_array(matrix),
        wanted,
        tuple(f"sum {k}" for k in range(len(matrix))),
        "entropic" if rng.random() < 0.7 else "quadratic",
    )


def can_be_met(problem, rows):
    """Whether a linear program finds densities with some of the sums."""
    A, b = problem.A.toarray()[rows], problem.wanted[rows]
    unit = np.abs(A) @ problem.upper
    answer = linprog(
        np.zeros(A.shape[1]),
        A_eq=A * HIGH / unit[:, None],
        b_eq=b / unit,
        bounds=np.stack([problem.lower, problem.upper], axis=1) / HIGH,
        options={"primal_feasibility_tolerance": 1e-10},
    )
    return answer.status == 0


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_sums_that_only_active_bounds_meet_are_certified(seed):
    problem = make_problem(seed)
    answer = solve(problem)
    assert answer.certificate.worst <= 1e-9
    assert np.all((answer.rho >= LOW * (1 - 1e-9)) & (answer.rho <= HIGH * (1 + 1e-9)))


@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1), off=st.sampled_from([-0.3, 0.2, 5.0]))
def test_a_conflict_is_named_where_linear_programs_find_one(seed, off):
    problem = make_problem(seed, off)
    every = list(range(len(problem.wanted)))
    try:
        assert solve(problem).certified
        assert can_be_met(problem, every)
    except InfeasibleSumsError as error:
        rows = [problem.names.index(name) for name in error.conflict]
        assert not can_be_met(problem, rows)
        for row in rows:
            assert can_be_met(problem, [each for each in rows if each != row])


@pytest.mark.parametrize("seed", range(2))
def test_clarabel_finds_the_same_densities_on_bounds(seed):
    problem = make_problem(seed)
    ours, theirs = solve(problem), solve(problem, "clarabel")
    masses = problem.volumes * problem.nominal
    assert problem.objective(ours.rho) <= problem.objective(theirs.rho) + 1e-7 * masses.sum()


def test_a_finger_near_its_largest_mass_is_filled():
    known = {"forearm": 2, "upper_arm": 2.5, "finger_left": 0.2}
    filling = ic.fill("data/fill/arm.urdf", total_mass=9.0, masses=known, twins=False)
    masses = {body.name: float(body.parameters.mass) for body in filling.bodies}
    assert masses["finger_right"] == pytest.approx(0.3, rel=1e-9)
    assert filling.certificate.worst <= 1e-9
