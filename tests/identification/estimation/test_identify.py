"""The identification of all bodies: against other solvers, invariant, proven, and honest."""

import numpy as np
import pytest

import inertial_check as ic
from identification_problems import RNG, measured, robot
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.fit.nuisance import Nuisance, Offset, Viscous
from inertial_check.identification.fit.samples import Reduction, Samples
from inertial_check.inertia.frames import transform
from inertial_check.inertia.representations import ORDERS, reorder
from inertial_check.projection import constraints as limit
from inertial_check.projection.densities import DensityInBall
from inertial_check.projection.svec import FROM_SVEC, congruence, factors


def naive(Y, tau, prior, weights, regularization, *, F=None, extra=()):
    """The same problem as a user writes it in cvxpy: theta, beside the columns of F."""
    import cvxpy as cp

    from inertial_check.inertia.representations import pseudo_inertia
    from inertial_check.projection import conic

    count = len(prior)
    theta = cp.Variable((count, 10))
    _L, inverse = factors(pseudo_inertia(prior))
    A = (weights[:, None] * Y).reshape(-1, 10 * count)
    left = A @ cp.reshape(theta, 10 * count, order="C") - (weights * tau).ravel()
    constraints = [c for i in range(count) for c in conic.consistent(theta[i])]
    if F is not None:
        f = cp.Variable(F.shape[2])
        left = left + (weights[:, None] * F).reshape(-1, F.shape[2]) @ f
        constraints.append(f >= 0)
    cost = cp.sum_squares(left)
    for i in range(count):
        Pi = conic.pseudo_inertia(theta[i]) - pseudo_inertia(prior[i])
        cost += regularization * cp.sum_squares(inverse[i] @ Pi @ inverse[i].T)
    constraints += [own for each in extra for own in each(theta)]
    problem = cp.Problem(cp.Minimize(cost), constraints)
    problem.solve(solver="CLARABEL")
    return problem.value, theta.value


@pytest.mark.parametrize("regularization", [1e-2, 1.0, 100.0])
def test_the_objective_is_that_of_a_naive_program(regularization):
    Y, tau, _truth, prior, weights = measured(robot(3, thin=True), 120, noise=1.0)
    found = ic.identify(Y, tau, prior, weights=weights, regularization=regularization)
    value, _ = naive(Y, tau, prior, weights, regularization)
    np.testing.assert_allclose(found.objective, value, rtol=1e-6)
    assert found.consistency.consistent.all()
    assert not found.least_squares_consistency.consistent.all()
    assert found.gap <= 1e-9
    assert found.certify().gap <= 1e-9


def test_bounded_friction_beside_the_bodies():
    Y, tau, _truth, prior, weights = measured(robot(2), 150, noise=0.2)
    F = np.abs(RNG.normal(size=(150, 2, 3))) * np.array([1.0, 0.1, 5.0])
    tau = tau + F @ np.array([0.7, 2.0, -0.3])  # the last one is not allowed
    beside = Nuisance.from_columns(F, ["a", "b", "c"], lower=0.0)
    found = ic.identify(Y, tau, prior, weights=weights, nuisance=beside)
    value, _ = naive(Y, tau, prior, weights, 1.0, F=F)
    np.testing.assert_allclose(found.objective, value, rtol=1e-6)
    assert list(found.nuisance) == ["a", "b", "c"]
    assert found.nuisance["c"] == pytest.approx(0, abs=1e-6)
    both = ic.identify(
        Y, tau, prior, weights=weights, nuisance={n: F[:, :, k] for k, n in enumerate("abc")}
    )
    assert both.nuisance["c"] < -0.1  # without bounds it is found


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
def test_a_conic_solver_gives_the_same_answer(solver):
    Y, tau, _truth, prior, weights = measured(robot(3, thin=True), 120, noise=0.3)
    ours = ic.identify(Y, tau, prior, weights=weights)
    theirs = ic.identify(Y, tau, prior, weights=weights, solver=solver)
    assert (ours.solver, theirs.solver) == ("interior point", solver)
    np.testing.assert_allclose(theirs.objective, ours.objective, rtol=1e-9)
    np.testing.assert_allclose(theirs.theta, ours.theta, atol=1e-4 * np.abs(ours.theta).max())
    assert theirs.consistency.consistent.all()


@pytest.mark.parametrize(
    "wanted",
    [
        limit.TotalMass(4.0),
        limit.FixedMass(1.5, bodies=(1,)),
        limit.ComInBox([-0.01] * 3, [0.01] * 3, bodies=(0,)),
        limit.ComInHull(0.05 * np.vstack([np.eye(3), -np.eye(3)])),
        DensityInBall(0.5),
        limit.Mirrored(bodies=(1, 2)),
    ],
    ids=repr,
)
def test_constraints_cost_what_a_naive_program_says(wanted):
    from inertial_check.projection import conic

    Y, tau, _truth, prior, weights = measured(robot(3), 120, noise=0.3)
    found = ic.identify(Y, tau, prior, weights=weights, constraints=wanted)
    extra = [lambda theta: conic.constrain(theta, wanted)]
    value, _ = naive(Y, tau, prior, weights, 1.0, extra=extra)
    np.testing.assert_allclose(found.objective, value, rtol=1e-6)
    assert found.objective > ic.identify(Y, tau, prior, weights=weights).objective * (1 + 1e-6)
    assert found.consistency.consistent.all()
    assert max(found.gap, found.primal_residual, found.certify().gap) <= 1e-9


def test_constraints_that_exclude_each_other_are_named():
    Y, tau, _truth, prior, weights = measured(robot(3), 60)
    both = [limit.TotalMass(1.0), limit.FixedMass(2.0, bodies=(2,)), limit.MassBounds(upper=5.0)]
    with pytest.raises(ProjectionError, match=r"TotalMass.*and FixedMass\(2.0 kg\) of body 2 tog"):
        ic.identify(Y, tau, prior, weights=weights, constraints=both)


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_gives_the_same_bodies(order):
    Y, tau, _truth, prior, weights = measured(robot(2), 80)
    expected = ic.identify(Y, tau, prior, weights=weights)
    columns = [int(i) for i in reorder(np.arange(10.0), "urdf", order)]
    own = Y.reshape(*Y.shape[:2], 2, 10)[..., columns].reshape(Y.shape)
    found = ic.identify(
        own, tau, reorder(prior, "urdf", order), weights=weights, order=order, bodies=["a", "b"]
    )
    np.testing.assert_allclose(
        reorder(found.theta, order, "urdf"), expected.theta, rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(found.rmse, expected.rmse, rtol=1e-12)
    np.testing.assert_allclose(found.predict(own), expected.predict(Y), rtol=1e-9, atol=1e-9)


def test_frames_do_not_matter():
    """Bodies told in other frames, in the regressor and the prior, are the same bodies."""
    Y, tau, _truth, prior, weights = measured(robot(3), 100, noise=0.3)
    X = np.tile(np.eye(4), (3, 1, 1))
    X[:, :3, :3] = np.linalg.qr(RNG.normal(size=(3, 3, 3)))[0]
    X[:, :3, :3] *= np.linalg.det(X[:, :3, :3])[:, None, None]
    X[:, :3, 3] = 0.3 * RNG.normal(size=(3, 3))
    maps = [transform(np.eye(10), X[i]).T for i in range(3)]
    own = np.concatenate(
        [Y[..., 10 * i : 10 * i + 10] @ np.linalg.inv(maps[i]) for i in range(3)], axis=-1
    )
    first = ic.identify(Y, tau, prior, weights=weights)
    second = ic.identify(own, tau, transform(prior, X), weights=weights)
    np.testing.assert_allclose(second.objective, first.objective, rtol=1e-9)
    np.testing.assert_allclose(transform(first.theta, X), second.theta, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("kilograms", "meters"), [(1e-6, 1e-3), (1e5, 1e2)])
def test_units_do_not_matter(kilograms, meters):
    Y, tau, _truth, prior, _weights = measured(robot(3), 100, noise=0.3)
    power = np.tile([0, 1, 1, 1, 2, 2, 2, 2, 2, 2], 3)
    scale = kilograms * meters**power
    torque = kilograms * meters**2
    first = ic.identify(Y, tau, prior)
    second = ic.identify(Y / scale * torque, tau * torque, prior * scale.reshape(3, 10))
    np.testing.assert_allclose(second.objective, first.objective, rtol=1e-9)
    np.testing.assert_allclose(second.theta, first.theta * scale.reshape(3, 10), rtol=1e-5, atol=0)
    np.testing.assert_allclose(second.weights * torque, first.weights, rtol=1e-9)
    assert second.remarks == first.remarks


def test_weights_come_to_the_noise_of_each_joint():
    Y, tau, _truth, prior, _weights = measured(robot(4), 4000, noise=[0.01, 0.1, 1.0, 3.0])
    found = ic.identify(Y, tau, prior)
    np.testing.assert_allclose(found.noise, [0.01, 0.1, 1.0, 3.0], rtol=0.05)
    assert found.weighted_rms == pytest.approx(1.0, abs=0.02)


def test_a_joint_without_torque_is_left_out_and_said():
    Y, tau, _truth, prior, _weights = measured(robot(3), 100)
    tau[:, 1] = 0
    found = ic.identify(Y, tau, prior)
    assert found.weights[1] == 0
    assert any("joint 1: its torque is zero" in remark for remark in found.remarks)


def test_exact_torques_are_taken_for_as_good_as_any():
    Y, tau, _truth, prior, _weights = measured(robot(3), 200, noise=0.0)
    found = ic.identify(Y, tau, prior)
    assert sum("residuals are rounding" in remark for remark in found.remarks) == 3
    assert np.all(found.rmse <= 1e-6 * np.abs(tau).max())
    assert found.consistency.consistent.all()


def test_samples_arrays_and_reductions_agree():
    tree = robot(3)
    Y, tau, _truth, prior, weights = measured(tree, 90)
    expected = ic.identify(Y, tau, prior, weights=weights).theta
    for data in (Samples.of_arrays(Y, tau), Reduction.of([(Y, tau)])):
        np.testing.assert_array_equal(
            ic.identify(data, None, prior, weights=weights).theta, expected
        )
    flat = ic.identify(
        (weights[:, None] * Y).reshape(-1, 30), (weights * tau).ravel(), prior, weights=1.0
    )
    np.testing.assert_allclose(flat.theta, expected, rtol=1e-7, atol=1e-10)


def test_huber_forgets_what_is_far_off():
    Y, tau, truth, _prior, _weights = measured(robot(3), 800, noise=0.1)
    spoilt = np.array(tau)
    rows = RNG.choice(800, 60, replace=False)
    spoilt[rows] += 40 * RNG.normal(size=(60, 3))
    clean = ic.identify(Y, tau, truth)
    robust = ic.identify(Y, spoilt, truth, loss="huber")
    squares = ic.identify(Y, spoilt, truth)
    error = [np.sqrt(np.mean((each.predict(Y) - tau) ** 2)) for each in (clean, robust, squares)]
    assert error[1] < 1.1 * error[0]
    assert error[2] > 1.5 * error[1]
    np.testing.assert_allclose(robust.noise, 0.1, rtol=0.2)
    assert any("beyond 1.345 deviations" in remark for remark in robust.remarks)
    left = np.sqrt(np.mean((robust.predict(Y) - spoilt) ** 2, axis=0))
    np.testing.assert_allclose(robust.rmse, left, rtol=1e-9)  # of all samples, as they are


def test_huber_leaves_a_silent_joint_alone():
    Y, tau, truth, _, _ = measured(robot(3), 300, noise=0.1)
    tau[:, 2] = 0
    tau[::20, 0] += 30
    found = ic.identify(Y, tau, truth, loss="huber")
    assert found.weights[2] == 0
    assert not any("still falls" in remark for remark in found.remarks)


def test_huber_finds_the_least_of_hubers_loss():
    """Against cvxpy's own function of that name, with the weights held."""
    import cvxpy as cp

    from inertial_check.inertia.representations import pseudo_inertia
    from inertial_check.projection import conic

    Y, tau, _truth, prior, weights = measured(robot(2), 60, noise=0.5)
    tau[::7] += 20
    found = ic.identify(Y, tau, prior, weights=weights, loss="huber")
    theta = cp.Variable((2, 10))
    left = (weights[:, None] * Y).reshape(-1, 20) @ cp.reshape(theta, 20, order="C")
    cost = cp.sum(cp.huber(left - (weights * tau).ravel(), 1.345))
    _, inverse = factors(pseudo_inertia(prior))
    for i in range(2):
        Pi = conic.pseudo_inertia(theta[i]) - pseudo_inertia(prior[i])
        cost += cp.sum_squares(inverse[i] @ Pi @ inverse[i].T)
    problem = cp.Problem(
        cp.Minimize(cost), [c for i in range(2) for c in conic.consistent(theta[i])]
    )
    problem.solve(solver="CLARABEL")
    z = np.abs(weights * (found.predict(Y) - tau))
    loss = np.where(z > 1.345, 1.345 * (2 * z - 1.345), z**2).sum() + found.prior_term
    assert loss == pytest.approx(problem.value, rel=1e-6)


@pytest.mark.parametrize("margin", [1e-3, 0.1, 0.3])
def test_a_margin_is_had_by_all(margin):
    Y, tau, _truth, prior, weights = measured(robot(3), 100, noise=0.5)
    found = ic.identify(Y, tau, prior, weights=weights, margin=margin)
    assert np.all(found.consistency.margin >= margin)
    assert found.objective >= ic.identify(Y, tau, prior, weights=weights).objective * (1 - 1e-9)


def test_priors_that_are_plates_are_moved_and_said():
    Y, tau, _truth, prior, weights = measured(robot(2), 50)
    plate = [1.0, 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0.3]
    found = ic.identify(Y, tau, [prior[0], plate], weights=weights, bodies=["arm", "hand"])
    assert found.prior_moved.tolist() == [False, True]
    assert any(r.startswith("prior of hand: margin") for r in found.remarks)


def test_without_a_prior_the_samples_must_decide_all():
    Y, tau, truth, _prior, _weights = measured(robot(2), 50)
    with pytest.raises(ParameterError, match=r"decide \d+ combinations of 20 .* give prior="):
        ic.identify(Y, tau)
    free = RNG.normal(size=(200, 20))
    found = ic.identify(free, free @ truth.ravel() + 0.01 * RNG.normal(size=200))
    np.testing.assert_allclose(found.theta, truth, atol=0.01)
    assert found.regularization == 0
    assert any(r.startswith("no prior") for r in found.remarks)


def test_friction_that_nothing_decides_is_refused():
    tree = robot(2)
    Y, tau, _truth, prior, weights = measured(tree, 50)
    F = np.stack([np.ones((50, 2)), np.ones((50, 2))], axis=-1)
    with pytest.raises(ParameterError, match=r"give bodies a prior .* a scale, or longer data"):
        ic.identify(Y, tau, prior, weights=weights, nuisance=F)
    scaled = Nuisance.from_columns(F, scale=1.0)
    assert len(ic.identify(Y, tau, prior, weights=weights, nuisance=scaled).nuisance) == 2


def test_a_heavier_prior_draws_nearer():
    Y, tau, _truth, prior, weights = measured(robot(3), 80, noise=0.5)
    found = [
        ic.identify(Y, tau, prior, weights=weights, regularization=weight)
        for weight in (1e-2, 1.0, 1e2, 1e10)
    ]
    distances = [np.linalg.norm(each.distance) for each in found]
    assert distances == sorted(distances, reverse=True)
    np.testing.assert_allclose(found[-1].theta, prior, rtol=1e-3, atol=1e-3)


def test_the_prior_and_least_squares_are_the_two_ends():
    Y, tau, _truth, prior, weights = measured(robot(3), 100, noise=0.4)
    found = ic.identify(Y, tau, prior, weights=weights)
    left = (weights * (Y @ prior.ravel() - tau)) ** 2
    np.testing.assert_allclose(found.prior_rmse * weights, np.sqrt(left.mean(axis=0)), rtol=1e-9)
    L, _ = factors(ic.InertialParameters.from_theta(prior).pseudo_inertia)
    units = np.zeros((30, 30))
    for i, own in enumerate(np.matmul(FROM_SVEC, congruence(L))):
        units[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = own
    A = (weights[:, None] * Y).reshape(-1, 30)
    change = np.linalg.lstsq(A @ units, (weights * tau).ravel() - A @ prior.ravel(), rcond=1e-12)[0]
    np.testing.assert_allclose(
        found.least_squares.ravel(), prior.ravel() + units @ change, rtol=1e-6, atol=1e-6
    )
    assert found.rank == np.linalg.matrix_rank(A @ units)
    assert np.all(found.least_squares_rmse <= found.rmse * (1 + 1e-3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": "frobenius"}, "metric is 'frobenius'; available are 'prior'"),
        ({"loss": "l1"}, "loss is 'l1'"),
        ({"order": "kdl"}, "kdl"),
        ({"regularization": -1.0}, "regularization is -1.0"),
        ({"regularization": "gcv"}, "available are 'evidence', 'k-fold', 'l-curve'"),
        ({"weights": [1.0, 2.0]}, r"weights has shape \(2,\), expected \(3,\)"),
        ({"weights": [1.0, -1.0, 1.0]}, "expected positive numbers"),
        ({"bodies": ["a"]}, "bodies has 1 names, expected 3"),
        ({"margin": 0.4}, "margin"),
        ({"prior": np.ones((2, 10))}, r"the prior has shape \(2, 10\), expected \(3, 10\)"),
        ({"prior": np.zeros((3, 10))}, "mass 0.0, expected a positive one"),
        ({"tau": None}, "tau is None"),
        ({"metric": "entropic", "margin": 0.1}, "'entropic' takes no margin"),
        ({"metric": "entropic", "constraints": limit.FixedMass(1.0)}, "takes no constraints"),
        ({"solver": "simplex"}, "solver 'simplex'"),
        ({"constraints": limit.FixedMass(1.0, bodies=(5,))}, "bodies 0 to 2"),
        ({"nuisance": {"a": np.ones(3), "b": np.ones(4)}}, "expected one for all"),
    ],
)
def test_what_cannot_be_done_is_refused(change, message):
    Y, tau, _truth, prior, weights = measured(robot(3), 40)
    arguments = {"tau": tau, "prior": prior, "weights": weights} | change
    with pytest.raises(ParameterError, match=message):
        ic.identify(Y, **arguments)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda Y, tau: (0 * Y, tau), "decide"),
        (lambda Y, tau: (Y, 0 * tau), "the torque is zero in every sample of every joint"),
        (lambda Y, tau: (Y, np.where(tau == tau[3, 1], np.nan, tau)), "sample 3, joint 1"),
        (lambda Y, tau: (Y[:5], tau[:5]), "5 samples of 3 joints are too few"),
        (lambda Y, tau: (Y[:0], tau[:0]), "no samples"),
    ],
)
def test_bad_samples_are_refused_with_the_number(spoil, message):
    Y, tau, _truth, prior, _weights = measured(robot(3), 40)
    with pytest.raises(ParameterError, match=message):
        ic.identify(*spoil(Y, tau), prior)


def test_samples_declare_their_own_friction():
    tree = robot(2)
    rng = np.random.default_rng(5)
    q, u, du = rng.normal(size=(3, 400, 2))
    from inertial_check.mechanics.equations import inverse_dynamics

    tau = inverse_dynamics(tree, q, u, du) + 0.5 * u + 0.2 + 0.01 * rng.normal(size=u.shape)
    nuisance = Nuisance.of(Viscous(), Offset(), joints=2)
    samples = Samples.of_trajectory(tree, q, u, du, tau, nuisance)
    found = ic.identify(samples, None, tree.theta)
    np.testing.assert_allclose(list(found.nuisance.values()), [0.5, 0.5, 0.2, 0.2], atol=0.01)
    with pytest.raises(ParameterError, match="Samples hold their nuisance"):
        ic.identify(samples, None, tree.theta, nuisance=nuisance)
    with pytest.raises(ParameterError, match="expected tau=None"):
        ic.identify(samples, tau, tree.theta)
    with pytest.raises(ParameterError, match="a Reduction has none"):
        ic.identify(samples.reduce(), None, tree.theta, nuisance=nuisance, loss="huber")


def test_huber_reports_base_parameters_of_the_samples_as_it_weighs_them():
    """Against numpy's least squares of the rows times the square roots of Huber's factors."""
    Y, tau, truth, _, _ = measured(robot(3), 800, noise=0.1)
    spoilt = np.array(tau)
    rows = RNG.choice(800, 60, replace=False)
    spoilt[rows] += 40 * RNG.normal(size=(60, 3))
    found = ic.identify(Y, spoilt, truth, loss="huber", regularization=1e-9)
    z = np.abs(found.weights * (found.predict(Y) - spoilt))
    factors = np.sqrt(np.minimum(1.345 / np.maximum(z, 1e-300), 1.0)) * found.weights
    kept = (factors[:, :, None] * Y)[..., found.base.independent].reshape(-1, found.base.rank)
    values, *_ = np.linalg.lstsq(kept, (factors * spoilt).ravel(), rcond=None)
    np.testing.assert_allclose(found.base.values, values, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        found.base.covariance, np.linalg.inv(kept.T @ kept), rtol=1e-4, atol=1e-10
    )
    # Their deviations tell how far they are from the truth; those of the outliers do not.
    errors = found.base.values - found.base.parameters.of(truth.ravel())
    assert np.sqrt(np.mean((errors / found.base.standard_deviation) ** 2)) < 2
