"""The weight of the prior, by validation and by the L-curve, where the best one is known."""

from types import SimpleNamespace

import numpy as np
import pytest

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.fit import problem as interior_point
from inertial_check.identification.fit import weights as choosing
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.problem import Problem
from inertial_check.identification.fit.samples import Reduction
from inertial_check.inertia import sampling
from inertial_check.inertia.consistency import check

BODIES, JOINTS = 2, 3
SCALES = {"mass": (0.5, 3), "length": (0.1, 0.4), "offset": (0.01, 0.3)}
NONE = Nuisance()


class Robot:
    """Random regressors of bodies whose prior is off by so much of itself."""

    def __init__(self, seed, wrong, samples=400, noise=1.0):
        rng = np.random.default_rng(seed)
        self.truth = sampling.consistent(rng, BODIES, strata=["solid"], **SCALES).as_theta()
        other = sampling.consistent(rng, BODIES, strata=["solid"], **SCALES).as_theta()
        self.prior = (1 - wrong) * self.truth + wrong * other
        size = np.abs(self.truth).max(axis=1, keepdims=True) * np.ones((BODIES, 10))
        mixing = rng.normal(size=(12, 10 * BODIES)) / size.ravel()
        self.Y = rng.normal(size=(samples, JOINTS, 12)) @ mixing
        self.tau = self.Y @ self.truth.ravel() + noise * rng.normal(size=(samples, JOINTS))
        self.noise = noise

    def stretches(self, count, scale=1.0):
        parts = np.array_split(np.arange(len(self.Y)), count)
        return [Reduction.of([(self.Y[part], scale * self.tau[part])]) for part in parts]

    def solve(self, weights, scale=1.0):
        def solve(reduction, regularization):
            problem = Problem.of(reduction.stack(weights), scale * self.prior, NONE, regularization)
            x = interior_point.solve(problem).x
            return SimpleNamespace(
                problem=problem,
                x=x,
                prior_term=problem.prior_term(x),
                si=problem.theta(x).ravel(),
            )

        return solve


def k_fold(robot, *, weight=1.0, count=10, **options):
    weights = np.full(JOINTS, weight)
    return choosing.k_fold(robot.stretches(count), weights, robot.solve(weights), **options)


def l_curve(robot, **options):
    weights = np.ones(JOINTS)
    whole = robot.stretches(1)[0]
    return choosing.l_curve(whole, weights, robot.solve(weights), **options)


def test_a_prior_that_is_the_truth_is_trusted_and_a_wrong_one_is_not():
    for seed in range(3):
        right, wrong = k_fold(Robot(seed, 0.0)), k_fold(Robot(seed, 0.9, noise=0.1), weight=10.0)
        assert right.weight == right.candidates[-1]
        assert "largest weight tried" in right.note
        assert wrong.weight < 1e-2 * right.weight
        robot = Robot(seed, 0.9, noise=0.1)
        weights = np.full(JOINTS, 10.0)
        answer = robot.solve(weights)(robot.stretches(1)[0], wrong.weight)
        assert (check(answer.problem.theta(answer.x)).margin >= -1e-9).all()


@pytest.mark.parametrize("count", [5, 10, 20])
def test_errors_are_those_of_samples_that_were_left_out_and_the_rule_is_one_standard_error(count):
    robot, folds = Robot(4, 0.3), 5
    candidates = [0.1, 10.0, 1e3, 1e5]
    found = k_fold(robot, count=count, folds=folds, candidates=candidates)
    parts = np.array_split(np.arange(400), count)
    solve = robot.solve(np.ones(JOINTS))
    squares = np.zeros((4, folds))
    for k in range(folds):
        out = np.concatenate(parts[k::folds])
        rest = np.setdiff1d(np.arange(400), out)
        for i, candidate in enumerate(candidates):
            si = solve(Reduction.of([(robot.Y[rest], robot.tau[rest])]), candidate).si
            squares[i, k] = np.mean((robot.Y[out] @ si - robot.tau[out]) ** 2)
    means, errors = squares.mean(axis=1), squares.std(axis=1, ddof=1) / np.sqrt(folds)
    np.testing.assert_allclose(found.errors, np.sqrt(means), rtol=1e-6)
    np.testing.assert_allclose(found.standard_errors, errors / 2 / np.sqrt(means), rtol=1e-4)
    best = np.argmin(means)
    within = [
        c for c, mean in zip(candidates, means, strict=True) if mean <= means[best] + errors[best]
    ]
    assert found.weight == max(within)


def test_terms_and_masses_are_those_of_all_samples_together():
    robot = Robot(5, 0.4)
    for found in (
        k_fold(robot, candidates=[1, 100, 1e4]),
        l_curve(robot, candidates=[1, 100, 1e4]),
    ):
        for i, candidate in enumerate(found.candidates):
            answer = robot.solve(np.ones(JOINTS))(robot.stretches(1)[0], candidate)
            theta = answer.problem.theta(answer.x)
            left = robot.Y @ theta.ravel() - robot.tau
            assert found.data_terms[i] == pytest.approx(np.sum(left**2), rel=1e-6)
            assert found.prior_terms[i] == pytest.approx(answer.prior_term / candidate, rel=1e-4)
            assert found.masses[i] == pytest.approx(theta[:, 0].sum(), rel=1e-6)
        assert (np.diff(found.data_terms) > 0).all()
        assert (np.diff(found.prior_terms) < 0).all()


@pytest.mark.parametrize("choose", [k_fold, l_curve])
def test_the_unit_of_the_torque_changes_nothing(choose):
    robot, other = Robot(6, 0.5), Robot(6, 0.5)
    other.tau, other.truth, other.prior = (
        1e-5 * each for each in (robot.tau, robot.truth, robot.prior)
    )
    plain, scaled = choose(robot), choose(other)
    np.testing.assert_allclose(scaled.candidates, 1e-10 * plain.candidates, rtol=1e-12)
    assert scaled.weight == pytest.approx(1e-10 * plain.weight)
    np.testing.assert_allclose(scaled.masses, 1e-5 * plain.masses, rtol=1e-4)


def test_the_l_curve_bends_where_the_fit_begins_to_suffer():
    for seed in range(4):
        robot = Robot(seed, 0.8, noise=0.3)
        found = l_curve(robot)
        at = int(np.flatnonzero(found.candidates == found.weight)[0])
        assert 0 < at < len(found.candidates) - 1
        least, most = found.data_terms[[0, -1]]
        assert found.data_terms[at] < (least + most) / 2, "above, the fit suffers"
        assert found.prior_terms[at] < 0.95 * found.prior_terms[0]
        assert np.isnan(found.errors).all()


def test_the_corner_of_a_curve_that_has_one():
    weights = 10.0 ** np.arange(-6, 7)
    data, prior = 100 + weights / (1 + 1e-5 * weights), 1 + 1 / weights
    at = choosing._corner(data, prior)
    assert 1 <= weights[at] <= 100
    dented = data * (1 + 1e-4 * np.random.default_rng(0).normal(size=13))
    assert choosing._corner(dented, prior) == at
    heaped = np.concatenate([np.full(20, data[0]) + 1e-9 * np.arange(20), data])
    assert choosing._corner(heaped, np.concatenate([np.full(20, prior[0]), prior])) == 20 + at


def test_a_curve_without_a_corner_takes_the_largest_weight():
    robot = Robot(7, 0.0, noise=0.0)
    robot.prior = robot.truth
    found = l_curve(robot, candidates=[1, 2, 4])
    assert found.weight == 4
    assert "no corner" in found.note


def test_weights_without_a_certified_answer_are_left_out_and_named():
    robot = Robot(8, 0.5)
    whole = robot.solve(np.ones(JOINTS))

    def solve(reduction, regularization):
        if regularization < 10:
            raise ProjectionError("no")
        return whole(reduction, regularization)

    candidates = [1, 10, 100, 1e3]
    weights = np.ones(JOINTS)
    for found in (
        choosing.k_fold(robot.stretches(5), weights, solve, candidates=candidates),
        choosing.l_curve(robot.stretches(1)[0], weights, solve, candidates=candidates),
    ):
        assert found.note.endswith("No certified answer with 1.")
        assert np.isnan(found.masses[0])
        assert np.isfinite(found.masses[1:]).all()
        assert found.weight >= 10
    with pytest.raises(ProjectionError, match="no weight of the prior has a certified answer"):
        choosing.k_fold(robot.stretches(5), weights, solve, candidates=[1, 2])
    with pytest.raises(ProjectionError, match="2 of 3 weights"):
        choosing.l_curve(robot.stretches(1)[0], weights, solve, candidates=[1, 10, 100])


def test_what_the_other_folds_do_not_decide_is_told_with_the_fold():
    robot = Robot(9, 0.5)
    stretches = robot.stretches(5)
    rest = stretches[0].merge(*stretches[1:2], *stretches[3:])
    whole = robot.solve(np.ones(JOINTS))

    def solve(reduction, regularization):
        if reduction.samples[0] == rest.samples[0]:
            raise ParameterError("friction is open")
        return whole(reduction, regularization)

    with pytest.raises(ParameterError, match="without fold 1 of 5: friction is open"):
        choosing.k_fold(stretches, np.ones(JOINTS), solve)


def test_what_cannot_be_chosen_from_is_refused():
    robot = Robot(10, 0.5)
    with pytest.raises(ParameterError, match="3 stretches of samples for 5 folds"):
        k_fold(robot, count=3)
    with pytest.raises(ParameterError, match="for 1 folds"):
        k_fold(robot, folds=1)
    for candidates in ([0, 1], [], [np.nan, 1], [-1.0]):
        with pytest.raises(ParameterError, match="expected positive"):
            k_fold(robot, candidates=candidates)
        with pytest.raises(ParameterError, match="expected positive"):
            l_curve(robot, candidates=candidates)


def test_the_table_shows_every_weight_and_marks_the_one_chosen():
    found = k_fold(Robot(11, 0.5), candidates=[1, 100, 1e4])
    heads, *rows, note = str(found).splitlines()
    assert heads.split("  ")[-1] == "mass [kg]"
    assert len(rows) == 3
    (starred,) = [row for row in rows if "*" in row]
    assert float(starred.split("*")[1].split()[0]) == found.weight
    assert f"{found.errors[0]:.4f} +- {found.standard_errors[0]:.4f}" in rows[0]
    assert note == found.note
    assert "left out" not in str(l_curve(Robot(11, 0.5), candidates=[1, 100, 1e4]))
