"""The solver: the least objective, proven, on problems of every size and condition."""

import numpy as np
import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.errors import ProjectionError
from inertial_check.identification.fit import problem as interior_point
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.problem import Problem
from inertial_check.inertia import sampling
from inertial_check.inertia.tolerances import CERTIFIED
from inertial_check.projection.svec import pack, unpack

SIZES = st.floats(-6, 4).map(lambda power: 10.0**power)  # of the samples beside the prior


def bodies(seed, count):
    """Strictly consistent, of every size, at most some radii of gyration from their origins."""
    some = sampling.consistent(seed, count, strata=["solid", "sphere", "round"], offset=(0.1, 10))
    return np.asarray(some.as_theta())


def random_problem(seed, count, further, scale, condition, regularization):
    """Rows of falling size, torques that no consistent bodies explain."""
    rng = np.random.default_rng(seed)
    theta0 = bodies(seed, count)
    width = 10 * count + further
    own = Problem.of(
        (np.eye(width), np.zeros(width), 0.0),
        theta0,
        Nuisance.from_columns(np.ones((1, further))),
        1.0,
    )
    sizes = scale * condition ** -rng.uniform(0, 1, size=width)
    A = rng.normal(size=(width, width)) * sizes[:, None]
    target = np.concatenate(
        [pack(rng.normal(size=(count, 4, 4))).ravel(), rng.normal(size=further)]
    )
    units = np.zeros((width, width))
    for i, to_theta in enumerate(own.to_theta):
        units[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = np.linalg.inv(to_theta)
    units[10 * count :, 10 * count :] = np.eye(further)
    nuisance = Nuisance(
        tuple(f"f{k}" for k in range(further)),
        rng.choice([-np.inf, -0.3, 0.0], further),
        rng.choice([np.inf, 0.2, 1.0], further),
        0.0,
        1.0,
    )
    return Problem.of((A @ units, A @ target, 0.0), theta0, nuisance, regularization)


@given(
    st.integers(0, 10_000),
    st.integers(1, 4),
    st.integers(0, 4),
    SIZES,
    st.floats(0, 5).map(lambda power: 10.0**power),
    st.floats(-2, 3).map(lambda power: 10.0**power),
)
@example(1382, 2, 3, 100.0, 1000.0, 1.0)  # the nearest are points, which ten numbers hardly hold
def test_every_answer_is_proven_and_inside(seed, count, further, scale, condition, regularization):
    problem = random_problem(seed, count, further, scale, condition, regularization)
    try:
        answer = interior_point.solve(problem)
    except ProjectionError:  # the nearest are points, which ten numbers do not hold: seldom
        reject()
    assert ic.check(problem.theta(answer.x)).consistent.all()
    if not answer.certificate.proves:  # rounding stops the method: seldom, as counted below
        reject()
    assert answer.certificate == problem.certify(answer.x)
    assert answer.certificate.gap <= CERTIFIED
    assert answer.certificate.primal_residual <= 1e-14 * np.abs(answer.x).max()
    f = answer.x[10 * count :]
    assert np.all((f >= problem.lower) & (f <= problem.upper))


def test_hardly_a_problem_is_refused(request):
    rng = np.random.default_rng(0)
    refused = 0
    for seed in range(150 if request.config.getoption("--long") else 50):
        scale, condition, regularization = 10.0 ** rng.uniform([-6, 0, -2], [4, 5, 3])
        count, further = rng.integers([1, 0], [5, 5]).tolist()
        try:
            answer = interior_point.solve(
                random_problem(seed, count, further, scale, condition, regularization)
            )
        except ProjectionError:
            refused += 1
        else:
            refused += not answer.certificate.proves
    assert refused <= 1


def test_one_body_is_its_clipped_matrix():
    """Without samples but the identity, the answer is known in closed form."""
    theta0 = bodies(1, 1)
    rng = np.random.default_rng(2)
    target = rng.normal(size=(4, 4))
    target = target + target.T
    to_theta = Problem.of((np.eye(10), np.zeros(10), 0.0), theta0, Nuisance(), 1.0).to_theta[0]
    A = np.linalg.inv(to_theta)
    problem = Problem.of((A, pack(target[None])[0], 0.0), theta0, Nuisance(), 1e-9)
    found = unpack(interior_point.solve(problem).x)
    values, vectors = np.linalg.eigh(target)
    expected = (vectors * np.maximum(values, 0)) @ vectors.T
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_an_answer_inside_takes_no_step():
    theta0 = bodies(3, 2)
    problem = Problem.of((np.zeros((20, 20)), np.zeros(20), 0.0), theta0, Nuisance(), 1.0)
    answer = interior_point.solve(problem)
    assert answer.steps == 0
    np.testing.assert_allclose(problem.theta(answer.x), theta0, rtol=1e-12)


def test_an_answer_that_cannot_be_proven_has_its_gap(monkeypatch):
    problem = random_problem(5, 2, 2, 1.0, 10.0, 1.0)
    best = problem.objective(interior_point.solve(problem).x)
    monkeypatch.setattr(interior_point, "STEPS", 2)
    answer = interior_point.solve(problem)
    assert not answer.certificate.proves
    assert CERTIFIED < answer.certificate.gap < np.inf
    above = problem.objective(answer.x) - best
    assert 0 < above <= answer.certificate.gap * problem.objective(answer.x)
    assert ic.check(problem.theta(answer.x)).consistent.all()


def test_a_method_without_a_step_has_no_answer(monkeypatch):
    problem = random_problem(5, 2, 2, 1.0, 10.0, 1.0)
    monkeypatch.setattr(interior_point, "STEPS", 0)
    with pytest.raises(ProjectionError, match="rounding stops its first step"):
        interior_point.solve(problem)
