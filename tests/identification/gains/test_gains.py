"""Drive gains, friction and loads as unknowns: known truth back within its standard deviations."""

from dataclasses import replace
from itertools import chain, product

import numpy as np
import pytest

import inertial_check as ic
import synthetic_robots as synthetic
from inertial_check.errors import ParameterError
from inertial_check.identification.fit.nuisance import Coulomb, Nuisance, Offset, Viscous
from inertial_check.identification.fit.samples import (
    Reduction,
    Samples,
    add_gain_columns,
    scale_torques,
)
from inertial_check.identification.loads import Load, carry_loads, expect_loads
from inertial_check.mechanics import equations
from inertial_check.projection.constraints import FixedMass, TotalMass

LOAD = np.asarray(
    ic.InertialParameters.from_com(2.0, [0.05, 0.0, 0.1], np.diag([0.01, 0.012, 0.008])).as_theta()
)


class Trial:
    """A chain with friction, recorded with and without a load by drives of random gains."""

    def __init__(self, links, seed, *, count=1500, noise=0.05):
        rng = np.random.default_rng([seed, links, 9])
        self.robot = synthetic.chain(links, seed)
        self.gains = 10 * rng.uniform(0.5, 2.0, links) * rng.choice([-1, 1], links)
        self.beside = Nuisance.of(Viscous(), Coulomb(), Offset(), joints=links)
        run = synthetic.recording(self.robot.tree, count, seed, noise=noise)
        size = np.sqrt(np.mean(run.exact**2, axis=0))
        self.friction = np.tile(size, 3) * 0.1 * rng.uniform(0.5, 1.0, 3 * links)
        loaded = self.robot.tree.theta.copy()
        loaded[-1] += LOAD
        self.parts = []
        for theta, start in ((self.robot.tree.theta, seed), (loaded, seed + 50)):
            q, u, du = synthetic.motion(links, count, start)
            exact = equations.inverse_dynamics(self.robot.tree, q, u, du, theta=theta)
            tau = exact + self.beside.columns(u, du) @ self.friction
            tau += run.deviation * rng.standard_normal(tau.shape)
            self.parts.append((q, u, du, tau))

    def samples(self, part, gains=None):
        q, u, du, tau = self.parts[part]
        tau = tau / (self.gains if gains is None else gains)
        return Samples.of_trajectory(self.robot.tree, q, u, du, tau, self.beside)

    def loaded(self, known, gains=None):
        load = Load("disc", len(self.robot.tree) - 1, LOAD if known else None)
        parts = [
            carry_loads(self.samples(part, gains), [load], carried)
            for part, carried in enumerate(((), ("disc",)))
        ]
        count = sum(each.samples for each in parts)
        source = lambda: chain.from_iterable(each.source() for each in parts)  # noqa: E731
        return replace(parts[0], source=source, samples=count), load

    def fit(self, how):
        options = {"regularization": "evidence", "gain": "unknown"}
        masses = self.robot.tree.theta[:, 0]
        if how == "total":
            options["constraints"] = [TotalMass(float(masses.sum()))]
        if how == "mass":
            place = len(masses) - 2
            options["constraints"] = [FixedMass(float(masses[place]), bodies=(place,))]
        samples = self.loaded(known=True)[0] if how == "load" else self.samples(0)
        return ic.identify(samples, prior=self.robot.prior, **options)

    def errors(self, found):
        """Errors of gains, friction and base parameters in their standard deviations."""
        friction = np.array(list(found.nuisance.values())) - self.friction
        base = found.base
        x = np.append(self.robot.tree.theta, self.friction)
        return [
            (found.gains.values - self.gains) / found.gains.standard_deviation,
            friction / np.array(list(found.nuisance_standard_deviation.values())),
            (base.values - base.parameters.of(x)) / base.standard_deviation,
        ]


def test_gains_friction_and_base_parameters_are_within_three_deviations(request):
    """A common scale is one number for all gains of a fit: many fits tell whether it is honest."""
    long = request.config.getoption("--long")
    scales = {"load": "loads", "total": "masses", "mass": "masses", "prior": "prior"}
    errors = []
    for how, seed in product(scales, range(40 if long else 1)):
        trial = Trial(4, seed) if long else Trial(3, seed, count=800)
        found = trial.fit(how)
        assert found.consistency.consistent.all()
        assert found.gains.scale == scales[how]
        assert found.gains.settled
        assert found.gains.open == ()
        assert found.gains.relative_standard_deviation.max() < 0.03 or how != "load"
        errors.append(trial.errors(found))
    every = [np.concatenate(own) for own in zip(*errors, strict=True)]
    # Twice the deviation is a sum of squares of 16 for four independent errors: one of 300 draws,
    # and far fewer of deviations that a prior makes larger than the errors.
    assert all(np.sqrt(np.mean(z**2)) < (1.1 if long else 2.0) for z in every)
    assert not long or np.mean(np.abs(np.concatenate(every)) > 3) < 0.006


def test_monte_carlo_of_gains(request):
    """A common scale is one number for all gains, so that fits count and not single gains."""
    long = request.config.getoption("--long")
    cases = [(7, seed) for seed in range(100 if long else 1)]
    cases += [(20, seed) for seed in range(10)] + [(50, 1), (50, 2)] if long else []
    every = []
    for links, seed in cases:
        trial = Trial(links, seed, count=1500 if links < 20 else 3000)
        every.append(np.concatenate(trial.errors(trial.fit("load"))))
    z = np.concatenate(every)
    assert np.mean(np.abs(z) > 3) < (0.006 if long else 0.02)
    assert 0.7 < np.std(z) < 1.2  # deviations are neither too small nor for show


def test_noise_does_not_shrink_gains():
    """Regressing predicted torques on noisy currents would shrink them by a third here."""
    trial = Trial(4, 5, noise=0.7, count=4000)
    found = trial.fit("load")
    z = (found.gains.values - trial.gains) / found.gains.standard_deviation
    assert np.abs(z).max() < 3.5
    assert found.gains.relative_standard_deviation.max() < 0.1


def test_the_answer_is_that_of_the_gains_as_given():
    trial = Trial(3, 2)
    found = ic.identify(trial.samples(0), prior=trial.robot.prior, gain="unknown")
    again = ic.identify(
        trial.samples(0).with_gains(found.gains.values),
        prior=trial.robot.prior,
        weights=found.weights,
    )
    np.testing.assert_allclose(again.theta, found.theta, rtol=1e-6, atol=1e-9)
    assert np.all(
        found.identifiability.standard_deviation
        >= again.identifiability.standard_deviation * (1 - 1e-12)
    )


def test_deviations_are_in_the_order_of_the_columns():
    trial = Trial(3, 2)
    q, u, du, tau = trial.parts[0]
    Y = equations.regressor(trial.robot.tree, q, u, du)
    columns = np.arange(30).reshape(3, 10)[:, [0, 1, 2, 3, 4, 7, 9, 5, 6, 8]]  # mujoco
    beside = {"nuisance": trial.beside.columns(u, du), "gain": "unknown"}
    beside["prior"] = ic.InertialParameters.from_theta(trial.robot.prior)
    plain = ic.identify(Y, tau / trial.gains, **beside)
    found = ic.identify(Y[..., columns.ravel()], tau / trial.gains, order="mujoco", **beside)
    for what in ("standard_deviation", "share"):
        expected = getattr(plain.identifiability, what).ravel()[columns]
        np.testing.assert_allclose(getattr(found.identifiability, what), expected, rtol=1e-5)


def test_a_load_is_found_with_the_robot():
    trial = Trial(5, 4)
    samples, load = trial.loaded(known=False, gains=1.0)
    prior = expect_loads(trial.robot.prior, [load], lambda prior: ic.identify(samples, prior=prior))
    found = ic.identify(samples, prior=prior)
    decided = found.identifiability
    z = (found.theta[-1] - LOAD) / decided.standard_deviation[-1]
    assert np.all(decided.share[-1, :4] > 0.99)
    assert np.abs(z[decided.share[-1] > 0.99]).max() < 3.5
    assert found.consistency.consistent.all()
    assert decided.standard_deviation[-1, 0] < 0.1 * LOAD[0]


def test_a_known_load_is_subtracted_where_it_is_carried():
    trial = Trial(3, 6, noise=0.0)
    samples, _ = trial.loaded(known=True, gains=1.0)
    x = np.append(trial.robot.tree.theta, trial.friction)
    for A, tau in samples.rows():
        np.testing.assert_allclose(A @ x, tau, rtol=0, atol=1e-9 * np.abs(tau).max())


def test_bodies_that_stay_as_they_are_decide_the_scale():
    trial = Trial(4, 7)
    q, u, du, tau = trial.parts[0]
    samples = Samples.of_trajectory(
        trial.robot.tree, q, u, du, tau / trial.gains, trial.beside, bodies=[0, 1, 2]
    )
    found = ic.identify(samples, prior=trial.robot.prior[:3], gain="unknown")
    assert found.gains.scale == "loads"
    z = (found.gains.values - trial.gains) / found.gains.standard_deviation
    assert np.abs(z).max() < 4


def test_the_columns_of_the_gains_are_the_slopes_of_the_torques():
    rng = np.random.default_rng(0)
    A, recorded = rng.normal(size=(30, 2, 6)), rng.normal(size=(30, 2))
    whole = Reduction.of([(A, recorded)])
    gains, x = np.array([2.0, -3.0]), rng.normal(size=5)
    added = add_gain_columns(whole, gains, x, np.arange(2))
    change = np.array([0.3, -0.2])
    predicted = A[:, :, :5] @ x + A[:, :, 5]
    left = A[:, :, :5] @ x + predicted * change - (gains * recorded - A[:, :, 5])
    np.testing.assert_allclose(
        added.residual_squares(np.append(x, change)), np.sum(left**2, axis=0)
    )
    assert scale_torques(whole, gains).squares[1] == pytest.approx(9 * np.sum(recorded[:, 1] ** 2))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"regularization": 0.0}, "nothing decides the common scale"),
        ({"loss": "huber"}, "loss 'huber'"),
        ({"metric": "entropic"}, "metric 'entropic'"),
    ],
)
def test_what_unknown_gains_do_not_go_with_is_refused(options, words):
    trial = Trial(2, 1, count=200)
    with pytest.raises(ParameterError, match=words):
        ic.identify(trial.samples(0), prior=trial.robot.prior, gain="unknown", **options)


def test_an_unknown_word_is_refused():
    trial = Trial(2, 1, count=100)
    with pytest.raises(ParameterError, match="'unknown'"):
        ic.identify(trial.samples(0), prior=trial.robot.prior, gain="free")


def test_base_parameters_are_as_uncertain_as_the_gains_make_them():
    """The covariance beyond that of known gains is J C J^T, with J by differences of the fit."""
    trial = Trial(3, 0, count=400)
    found = trial.fit("mass")
    gains, C = found.gains.values, found.gains.covariance

    def fit(gains):
        samples = trial.samples(0, trial.gains / gains)
        return ic.identify(samples, prior=trial.robot.prior, weights=found.weights).base

    known = fit(gains)
    step = 1e-4 * np.eye(3)
    J = np.stack([(fit(gains * (1 + each)).values - known.values) / 1e-4 for each in step], axis=1)
    extra = found.base.covariance - known.covariance
    assert np.abs(extra - J @ C @ J.T).max() < 1e-6 * np.abs(extra).max()
