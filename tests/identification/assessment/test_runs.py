"""Base parameters of recordings alone, and their spread."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import inertial_check as ic
import synthetic_robots as synthetic
from inertial_check.errors import ParameterError
from inertial_check.identification.fit.base import compare_runs, measure_excess
from inertial_check.identification.fit.nuisance import Nuisance, Viscous

ROBOT = synthetic.chain(3, 1)
BESIDE = Nuisance.of(Viscous(), joints=3)
RUNS = [synthetic.recording(ROBOT.tree, 400, seed) for seed in (1, 2, 3)]


def compare(frictions):
    """Runs with viscous friction of joint 1, compared."""
    parts = []
    for run, friction in zip(RUNS, frictions, strict=True):
        tau = run.tau + friction * run.u * [1, 0, 0]
        parts.append(synthetic.samples(ROBOT.tree, run._replace(tau=tau), BESIDE).reduce())
    whole = parts[0].merge(*parts[1:])
    weights = 1 / RUNS[0].deviation
    beside = Nuisance(BESIDE.names, 0.0, np.inf, 0.0, np.inf)
    found = ic.identify(whole, prior=ROBOT.prior, weights=weights, nuisance=beside)
    return compare_runs(found.base, parts, weights), parts, weights


def test_values_of_a_run_are_those_of_numpy():
    spread, parts, weights = compare([0.5, 0.5, 0.5])
    base = spread.base
    A, b, _ = parts[1].stack(weights)
    kept = A[:, base.independent]
    values, *_ = np.linalg.lstsq(kept, b, rcond=None)
    np.testing.assert_allclose(spread.values[1], values, rtol=1e-6, atol=1e-8)
    deviation = np.sqrt(np.diag(np.linalg.inv(kept.T @ kept)))
    np.testing.assert_allclose(spread.standard_deviation[1], deviation, rtol=1e-6)
    assert np.all(spread.standard_deviation > base.standard_deviation)


def test_runs_of_the_same_robot_differ_by_noise_and_others_by_more():
    same, *_ = compare([0.5, 0.5, 0.5])
    assert 0.6 < same.overall < 1.6
    assert np.mean(np.abs(same.deviations) > 3) < 0.02
    warm, *_ = compare([0.2, 0.5, 0.9])  # a gear that warms up
    worst = int(np.nanargmax(warm.birge_ratio))
    assert warm.base.names[worst] == "fv1"
    assert warm.birge_ratio[worst] > 5
    assert pickle.loads(pickle.dumps(warm)) == warm
    assert "3 runs" in repr(warm)


def test_stretches_that_differ_by_more_than_noise_widen_the_deviations():
    """The bug: real runs differed by 2.6 times what their deviations said."""
    run, weights = synthetic.recording(ROBOT.tree, 2000, 4), 1 / RUNS[0].deviation
    slow = np.repeat(np.random.default_rng(5).normal(size=(40, 3)), 50, axis=0)
    found = []
    for size in (0.0, 2.0):
        tau = run.tau + 0.5 * run.u * [1, 0, 0] + size * run.deviation * slow
        samples = synthetic.samples(ROBOT.tree, run._replace(tau=tau), BESIDE)
        beside = Nuisance(BESIDE.names, 0.0, np.inf, 0.0, np.inf)
        fit = ic.identify(samples.reduce(), prior=ROBOT.prior, weights=weights, nuisance=beside)
        found.append(measure_excess(fit.base, samples.folds(20), weights, 1.0))
    assert found[0].usual < 1.5
    assert found[1].usual > 10  # 50 samples alike make the variance 1 + 4 * 50 times as large
    assert np.all(found[1].own >= found[1].usual)


def test_a_covariance_that_rounding_made_indefinite_has_an_excess():
    """The bug: a log whose clock ran in microseconds ended in an error of linear algebra."""
    run, weights = synthetic.recording(ROBOT.tree, 500, 4), 1 / RUNS[0].deviation
    samples = synthetic.samples(ROBOT.tree, run, BESIDE)
    beside = Nuisance(BESIDE.names, 0.0, np.inf, 0.0, np.inf)
    fit = ic.identify(samples.reduce(), prior=ROBOT.prior, weights=weights, nuisance=beside)
    values, axes = np.linalg.eigh(fit.base.covariance)
    values[0] = -1e-17 * values[-1]
    base = replace(fit.base, covariance=axes * values @ axes.T)
    found = measure_excess(base, samples.folds(5), weights, 1.0)
    assert found.usual >= 1
    assert np.all(np.isfinite(found.own))


def test_what_a_run_does_not_decide_is_open():
    """A joint that stands still in a run has no friction there."""
    still = RUNS[0]._replace(u=RUNS[0].u * [0, 1, 1])
    parts = [
        synthetic.samples(ROBOT.tree, run, BESIDE).reduce() for run in (still, RUNS[1], RUNS[2])
    ]
    weights = 1 / RUNS[0].deviation
    beside = Nuisance(BESIDE.names, 0.0, np.inf, 0.0, np.inf)
    whole = parts[0].merge(*parts[1:])
    found = ic.identify(whole, prior=ROBOT.prior, weights=weights, nuisance=beside)
    spread = compare_runs(found.base, parts, weights)
    place = found.base.names.index("fv1")
    assert np.isnan(spread.values[0, place])
    assert np.isinf(spread.standard_deviation[0, place])
    assert np.isnan(spread.deviations[0, place])
    assert np.isfinite(spread.birge_ratio[place])
    only = compare_runs(found.base, parts[:2], weights)
    assert np.isnan(only.birge_ratio[place])


def test_one_run_and_other_columns_are_refused():
    spread, parts, weights = compare([0.5, 0.5, 0.5])
    with pytest.raises(ParameterError, match="1 runs have no spread"):
        compare_runs(spread.base, parts[:1], weights)
    other = synthetic.samples(ROBOT.tree, RUNS[0]).reduce()
    with pytest.raises(ParameterError, match="other columns than the base parameters: 33"):
        compare_runs(spread.base, [parts[0], other], weights)
