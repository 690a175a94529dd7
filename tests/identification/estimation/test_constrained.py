"""Constraints beside the cones: the multipliers prove the answer, and rounding is no way out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inertial_check as ic
from identification_problems import measured, robot
from inertial_check.errors import ProjectionError
from inertial_check.identification.fit import problem, solve
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.problem import Problem
from inertial_check.identification.fit.samples import Reduction
from inertial_check.projection import constraints
from inertial_check.projection.svec import Certificate

Y, TAU, TRUTH, PRIOR, WEIGHTS = measured(robot(3, thin=True), 100, noise=1.0)
F = np.random.default_rng(0).normal(size=(100, 3, 2))
BESIDE = Nuisance.from_columns(F, lower=[0.3, -np.inf], upper=[np.inf, 0.1])
SYSTEM = Reduction.of([(np.concatenate([Y, F], axis=2), TAU)]).stack(WEIGHTS)
PROBLEM = Problem.of(SYSTEM, PRIOR, BESIDE, 1.0)


def test_without_constraints_it_is_the_same_minimum():
    ours = problem.solve(PROBLEM)
    theirs = solve.solve_conic(PROBLEM, (), "clarabel")
    np.testing.assert_allclose(PROBLEM.objective(theirs.x), PROBLEM.objective(ours.x), rtol=1e-9)
    assert theirs.proof() == theirs.certificate
    assert theirs.certificate.gap <= 1e-9


TOTAL = constraints.TotalMass(1.2 * float(TRUTH[:, 0].sum()))


@pytest.fixture(scope="module")
def held():
    return solve.solve_conic(PROBLEM, [TOTAL], "clarabel")


@settings(max_examples=10)
@given(st.integers(0, 999))
def test_no_point_that_meets_the_constraints_is_below_the_bound(held, seed):
    """Points between the answer and another that meets them do as well."""
    rng = np.random.default_rng(seed)
    tilted = Problem.of(
        SYSTEM, PRIOR * rng.uniform(0.5, 2, (3, 1)), BESIDE, float(rng.uniform(0.1, 10))
    )
    other = solve.solve_conic(tilted, [TOTAL], "clarabel")
    rival = PROBLEM.x(tilted.theta(other.x), tilted.numbers(other.x))
    least = PROBLEM.objective(held.x)
    assert PROBLEM.objective(rival) >= least * (1 - held.certificate.gap - 1e-12)
    middle = (held.x + rival) / 2
    assert held.proof.func(middle).gap >= 0
    below = PROBLEM.objective(middle) - least
    assert below <= held.proof.func(middle).gap * PROBLEM.objective(middle) * (1 + 1e-6)


def test_bodies_on_the_boundary_are_bodies_as_numbers():
    for mass in (0.1, 1.0, 3.0):
        answer = solve.solve_conic(PROBLEM, [constraints.FixedMass(mass)], "clarabel")
        assert ic.check(PROBLEM.theta(answer.x)).consistent.all()
        np.testing.assert_allclose(PROBLEM.theta(answer.x)[:, 0], mass, rtol=1e-9)


def test_a_solver_that_gives_no_proof_gives_its_answer_with_the_gap(monkeypatch):
    monkeypatch.setattr(solve.Proof, "__call__", lambda self, x: Certificate(0.0, 0.0, 1e-8))
    answer = solve.solve_conic(PROBLEM, [constraints.MassBounds(0.5, 0.6)], "clarabel")
    assert answer.certificate.gap == 1e-8
    assert not answer.certificate.proves


def test_an_answer_outside_the_constraints_is_none(monkeypatch):
    monkeypatch.setattr(solve.Proof, "__call__", lambda self, x: Certificate(1e-5, 0.0, 0.0))
    with pytest.raises(ProjectionError, match=r"within the constraints: outside by 1\.0e-05"):
        solve.solve_conic(PROBLEM, [constraints.MassBounds(0.5, 0.6)], "clarabel")
