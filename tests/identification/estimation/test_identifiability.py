"""What samples decide: against the covariance of the whole normal matrix, and in the limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import identification_data
import random_trees
from inertial_check.identification.fit.identify import identify
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.problem import Problem, solve, with_divergence
from inertial_check.identification.fit.result import DECIDED, identifiability
from inertial_check.inertia.representations import reorder
from inertial_check.mechanics.equations import regressor


def posed_problem(seed=0, *, regularization=1.0, count=3, k=2, scale=np.inf, pull=None, still=()):
    """A random tree's problem with a prior near its bodies, and k further columns."""
    rng = np.random.default_rng(seed)
    tree = random_trees.random_tree(seed, count=count, kinds=("revolute",))
    q, u, du = random_trees.configurations(tree, seed, (40,))
    for joint in still:
        q[:, joint], u[:, joint], du[:, joint] = 0.3, 0.0, 0.0
    A = regressor(tree, q, u, du).reshape(-1, 10 * count)
    A = np.concatenate([A, rng.normal(size=(len(A), k))], axis=1)
    b = A @ np.concatenate([tree.theta.ravel() * 1.1, rng.normal(size=k)])
    nuisance = Nuisance.from_columns(np.zeros((1, k)), scale=scale)
    system = (A, b + rng.normal(size=len(b)), 0.0)
    return Problem.of(system, np.array(tree.theta), nuisance, regularization, pull=pull)


def covariance(problem):
    """Of theta, by inverting the whole matrix; the further numbers are unknown beside it."""
    count = 10 * problem.bodies
    T = blocks(problem.to_theta)
    return T @ np.linalg.inv(problem.A.T @ problem.A + problem.K)[:count, :count] @ T.T


def covariance_before(problem):
    """Of theta under the prior alone."""
    count = 10 * problem.bodies
    T = blocks(problem.to_theta)
    return T @ np.linalg.inv(problem.K[:count, :count]) @ T.T


def blocks(matrices):
    whole = np.zeros((10 * len(matrices),) * 2)
    for i, own in enumerate(matrices):
        whole[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = own
    return whole


def masses(problem):
    e = np.zeros(10 * problem.bodies)
    e[::10] = 1.0
    return e


@given(st.integers(0, 10**6), st.floats(-3, 3), st.sampled_from([np.inf, 0.1, 10.0]))
def test_shares_and_deviations_are_those_of_the_whole_covariance(seed, exponent, scale):
    problem = posed_problem(seed, regularization=10.0**exponent, scale=scale)
    found = identifiability(problem, problem.free)
    after, before = covariance(problem), covariance_before(problem)
    share = 1 - np.diag(after) / np.diag(before)
    np.testing.assert_allclose(found.share.ravel(), share, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.standard_deviation.ravel(), np.sqrt(np.diag(after)), rtol=1e-6)
    e = masses(problem)
    assert found.total_mass_share == pytest.approx(1 - e @ after @ e / (e @ before @ e), abs=1e-6)
    assert found.total_mass_standard_deviation == pytest.approx(np.sqrt(e @ after @ e), rel=1e-6)


def test_deviations_are_those_of_repeated_measurements():
    """With a prior drawn from its own distribution, errors have the covariance that is stated."""
    problem, rng = posed_problem(3, count=2, k=1, scale=1.0), np.random.default_rng(0)
    errors = []
    for _ in range(4000):
        truth = problem.prior + rng.normal(size=len(problem.prior))
        b = problem.A @ truth + rng.normal(size=len(problem.b))
        errors.append(
            np.linalg.solve(problem.H, problem.A.T @ b + problem.K @ problem.prior) - truth
        )
    spread = np.einsum(
        "lij,slj->sli", problem.to_theta, np.array(errors)[:, :20].reshape(-1, 2, 10)
    )
    found = identifiability(problem, problem.free)
    np.testing.assert_allclose(spread.std(axis=0), found.standard_deviation, rtol=0.06)


def test_the_size_is_that_of_the_prior():
    problem = posed_problem()
    found = identifiability(problem, problem.prior)
    np.testing.assert_allclose(found.size[:, 0], problem.theta0[:, 0])
    assert not found.change.any()
    assert not found.unsupported
    assert found.total_mass_supported


def test_a_prior_of_no_weight_leaves_what_the_rank_decides():
    strong, weak = (posed_problem(regularization=weight) for weight in (1e12, 1e-9))
    assert identifiability(strong, strong.free).share.max() < 1e-6
    found = identifiability(weak, weak.free).share
    none = posed_problem(regularization=0.0)
    limit = identifiability(none, none.least_squares[0])
    np.testing.assert_allclose(found, limit.share, atol=1e-6)
    assert np.isinf(limit.standard_deviation[limit.share < 1 - 1e-9]).all()
    assert np.isfinite(limit.standard_deviation[limit.share > 1 - 1e-12]).all()


def test_of_a_link_on_a_vertical_axis_one_number_shows():
    """The others follow from it only as far as the prior ties them to it."""
    problem = arm_on_a_vertical_axis()
    found = identifiability(problem, problem.free)
    T = problem.to_theta[0]
    covariance = T @ T.T
    tied = covariance[9] ** 2 / (covariance[9, 9] * np.diag(covariance))
    assert found.share[0, 9] > 0.1
    np.testing.assert_allclose(found.share[0], found.share[0, 9] * tied, rtol=1e-6)


def arm_on_a_vertical_axis():
    """Two links, the first about the vertical; its own numbers hide behind those of the second."""
    rng = np.random.default_rng(1)
    tree = random_trees.random_tree(1, count=2, kinds=("revolute",), axes="coordinate")
    axes = np.array([[0.0, 0, 1], [0, 1, 0]])
    vertical = type(tree)(tree.names, tree.parents, tree.joints, tree.X_PB, axes, tree.theta)
    A = regressor(vertical, *random_trees.configurations(vertical, 1, (50,))).reshape(-1, 20)
    b = A @ tree.theta.ravel() + 0.1 * rng.normal(size=len(A))
    return Problem.of((A / 10, b / 10, 0.0), np.array(tree.theta), Nuisance(), 1.0)


def test_a_joint_that_never_moves_decides_less():
    moving, still = posed_problem(5), posed_problem(5, still=(2,))
    one, other = (identifiability(each, each.free) for each in (moving, still))
    assert other.share[2].sum() < one.share[2].sum()


def test_a_column_that_explains_the_same_takes_the_decision_away():
    problem = posed_problem(7, k=0)
    direction = problem.A[:, 19]  # what Izz of the second body does
    twin = Problem.of(
        (np.concatenate([_si(problem), direction[:, None]], axis=1), problem.b, 0.0),
        problem.theta0,
        Nuisance.from_columns(np.zeros((1, 1))),
        1.0,
    )
    one, other = identifiability(problem, problem.free), identifiability(twin, twin.free)
    assert one.share[1].max() > 0.9
    assert (other.share <= one.share + 1e-9).all()
    assert (one.share - other.share).max() > 0.01


def _si(problem):
    A = problem.A.reshape(len(problem.A), -1, 10)
    return np.einsum("rij,ijk->rik", A, np.linalg.inv(problem.to_theta)).reshape(len(A), -1)


@pytest.mark.parametrize("divergence", ["entropic", "affine-invariant"])
def test_divergences_count_as_they_are_near_the_prior(divergence):
    weight = 2.0 if divergence == "entropic" else 1.0
    plain, other = (
        posed_problem(2),
        with_divergence(posed_problem(2, regularization=weight), divergence),
    )
    x = plain.free
    np.testing.assert_allclose(identifiability(other, x).share, identifiability(plain, x).share)


def test_another_metric_has_another_prior():
    pull = np.tile(np.diag(np.arange(1.0, 11.0)), (3, 1, 1))
    problem = posed_problem(2, pull=pull, scale=1.0)
    found = identifiability(problem, problem.free)
    share = 1 - np.diag(covariance(problem)) / np.diag(covariance_before(problem))
    np.testing.assert_allclose(found.share.ravel(), share, atol=1e-9)


@pytest.mark.parametrize("order", ["mujoco", "wensing"])
def test_results_come_in_the_callers_order(order):
    problem = posed_problem(4)
    one, other = (identifiability(problem, problem.free, each) for each in ("urdf", order))
    for name in ("share", "standard_deviation", "size", "change", "unaccounted"):
        expected = reorder(getattr(one, name), "urdf", order)
        np.testing.assert_array_equal(getattr(other, name), expected)


def far_along_nothing(problem, times):
    """The fit, moved along a direction that no sample sees, with the prior's trace kept large."""
    _, values, Vt = np.linalg.svd(problem.A)
    hidden = Vt[len(values) :] if len(values) < len(Vt) else Vt[values < 1e-9 * values[0]]
    mass = np.zeros(len(problem.prior))
    for body in range(problem.bodies):
        mass[10 * body : 10 * body + 10] = problem.to_theta[body, 0]
    step = hidden.T @ (hidden @ mass)
    return problem.free + times * problem.theta0[:, 0].sum() * step / (step @ mass)


def test_what_moves_where_no_sample_looks_is_said():
    problem = posed_problem(6, regularization=1e-6)
    calm = identifiability(problem, problem.free)
    far = identifiability(problem, far_along_nothing(problem, 20.0))
    assert calm.total_mass_supported
    assert not far.total_mass_supported
    assert far.total_mass_unaccounted == pytest.approx(far.total_mass_change, rel=0.2)
    assert {each.body for each in far.unsupported} <= {0, 1, 2}
    (first, *lines) = far.remarks(["base", "arm", "hand"])
    assert "total mass" in first
    assert "above" in first
    assert all(line.startswith(("base: ", "arm: ", "hand: ")) for line in lines)
    assert "unsupported" in repr(far)


def test_what_the_samples_ask_for_is_supported_however_far_it_is():
    """A link ten times as heavy as its prior, where its weight shows, is no doubt of the data."""
    rng = np.random.default_rng(0)
    A = np.concatenate([np.eye(10), np.eye(10)]) * 1e4
    truth = np.array([10.0, 0, 0, 0, 1, 0, 0, 1, 0, 1])
    problem = Problem.of(
        (A, A @ truth + rng.normal(size=20), 0.0), truth[None] / 10, Nuisance(), 1.0
    )
    found = identifiability(problem, problem.free)
    assert found.change[0, 0] == pytest.approx(9, rel=1e-3)
    assert not found.unsupported
    assert not found.remarks(["link"])
    assert (found.decided_by == "data").all()
    assert found.total_mass_share > DECIDED


WEIGHTS = {"ur10e": "ur10e", "panda": "panda_geometric_prior", "tx40": "tx40"}


@pytest.mark.parametrize("name", WEIGHTS)
def test_robots_of_hundreds_of_kilograms_are_flagged(datasets, name):
    data = identification_data.problem(datasets, name)
    k = len(data.names)
    nuisance = Nuisance(data.names, -np.inf, np.inf, np.zeros(k), np.inf)
    flagged = {}
    for row in identification_data.rows(datasets, WEIGHTS[name]):
        if not row.cones:
            continue
        problem = Problem.of((data.R, data.rho, data.rss), data.prior, nuisance, row.regularization)
        x = np.array(row.entries["theta"])
        theta, numbers = x[: data.prior.size].reshape(-1, 10), x[data.prior.size :]
        found = identifiability(problem, problem.x(theta, numbers))
        flagged[row.regularization] = (found.total_mass_supported, len(found.unsupported))
    assert flagged[1e-6][0] is False
    assert all(supported for weight, (supported, _) in flagged.items() if weight >= 0.01)
    assert flagged[1e-6][1] >= 20
    assert flagged[1.0][1] <= 8
    assert flagged[100.0][1] == flagged[10000.0][1] == 0


def test_the_less_a_prior_weighs_the_more_is_flagged(datasets):
    """UR10e, at proven optima: hundreds of kilograms once nothing holds them."""
    data = identification_data.problem(datasets, "ur10e")
    k = len(data.names)
    nuisance = Nuisance(
        data.names, np.where(data.nonneg, 0.0, -np.inf), np.inf, np.zeros(k), np.inf
    )
    found = {}
    for weight in (1e-12, 1e-6, 1.0, 100.0):
        problem = Problem.of((data.R, data.rho, data.rss), data.prior, nuisance, weight)
        answer = solve(problem)
        told = identifiability(problem, answer.x)
        found[weight] = (problem.theta(answer.x)[:, 0].sum(), told)
    assert found[1e-12][0] > 200
    assert not found[1e-12][1].total_mass_supported
    assert found[1.0][1].total_mass_supported
    counts = [len(told.unsupported) for _, told in found.values()]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 30
    assert counts[-1] == 0


@pytest.mark.parametrize("metric", ["prior", "entropic", "affine-invariant", "euclidean"])
def test_deviations_are_those_of_the_curvature_of_the_objective(metric):
    """The samples are those of the prior, so the answer is the prior, whatever the metric is."""
    rng, tree = np.random.default_rng(3), random_trees.random_tree(3, count=2)
    theta0, Y = np.array(tree.theta), rng.normal(size=(12, 1, 20))  # the prior decides the rest
    found = identify(
        Y,
        Y @ theta0.ravel(),
        theta0,
        weights=1.0,
        nuisance=Nuisance.from_columns(rng.normal(size=(12, 1, 2)), ["a", "b"], scale=0.3),
        regularization=2.0,
        metric=metric,
        redundancy=1.7,
    )
    problem = found.problem
    own = problem if metric in ("prior", "euclidean") else with_divergence(problem, metric)
    spread = np.linalg.inv(differentiate_twice(own.objective, problem.prior) / 2 / 1.7)
    T = blocks(problem.to_theta)
    variance = np.diag(T @ spread[:20, :20] @ T.T)
    deviation = found.identifiability.standard_deviation.ravel()
    np.testing.assert_allclose(deviation**2, variance, rtol=1e-4)
    numbers = np.array(list(found.nuisance_standard_deviation.values()))
    np.testing.assert_allclose(numbers, np.sqrt(np.diag(spread)[20:]) * problem.unit, rtol=1e-4)


def differentiate_twice(function, x, step=1e-3):
    """The Hessian (p, p) by central differences."""
    moves = step * np.eye(len(x))
    values = np.array(
        [
            [
                sum(a * b * function(x + a * one + b * other) for a in (1, -1) for b in (1, -1))
                for other in moves
            ]
            for one in moves
        ]
    )
    return values / (4 * step**2)
