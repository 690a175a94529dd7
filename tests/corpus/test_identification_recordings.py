"""Recordings of three real robots: reader, regressor and reduction against the published ones."""

from itertools import pairwise

import numpy as np
import pytest

import identification_data as data
import inertial_check as ic
from inertial_check.identification.fit.identify import identify
from inertial_check.identification.fit.samples import Reduction

ROBOTS = list(data.ROBOTS)

PUBLISHED_GAINS = np.array([10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232])
"""[N m/A] of the UR10e's drives in the published table."""


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    return data.ROBOTS[request.param]


def weighted_squares(weights, A, tau, x):
    return np.sum((weights * (A @ x - tau)) ** 2)


def candidates(known, count=3):
    """Vectors of parameters around the prior, with further numbers of size one."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        theta = known.prior.ravel() * rng.uniform(0.5, 1.5, known.prior.size)
        yield np.concatenate([theta, rng.normal(size=len(known.names))])


def test_the_regressor_of_the_urdf_is_the_published_one(datasets):
    """Order of the ten numbers, signs, axes, gravity; the base link has no columns in theirs."""
    published = np.load(datasets / "ur10e" / "regressor_sample.npz")
    run = data.Run(None, *(published[key] for key in ("q", "qd", "qdd", "tau")))
    ours = data.regressor(datasets, "ur10e", run)
    np.testing.assert_allclose(ours, published["Y"], rtol=0, atol=1e-13)
    np.testing.assert_array_equal(data.extra_columns("ur10e", run.u, run.du), published["F"])
    declared = data.nuisance("ur10e").columns(run.u, run.du)
    np.testing.assert_array_equal(declared, published["F"])


def test_the_prior_of_the_urdf_is_the_published_one(datasets, robot):
    known = data.problem(datasets, robot.name)
    whole, moved = data.tree(datasets, robot.name)
    prior = data.floored(whole.theta[list(moved)])
    np.testing.assert_allclose(prior, known.prior, rtol=1e-12, atol=1e-15)


def test_the_signals_are_the_published_ones(datasets, robot):
    """What the published files were made of: clock, filter, differences, ends."""
    for run in (robot.training, *robot.validation):
        ours = data.rebuilt(datasets, robot.name, run)
        published = data.reference(datasets, robot.name, run)
        for own, theirs in zip(ours, published, strict=True):
            assert np.abs(own - theirs).max() <= 1e-9 * np.abs(theirs).max()


def test_the_further_columns_are_declared_in_the_published_order(datasets, robot):
    known = data.problem(datasets, robot.name)
    declared = data.nuisance(robot.name)
    assert declared.names == known.names
    np.testing.assert_array_equal(declared.lower == 0, known.nonneg)


def test_the_reduction_has_the_published_residuals(datasets, robot):
    """At any parameters: ours of the samples, theirs of problem.npz, and the samples themselves."""
    known = data.problem(datasets, robot.name)
    run = data.reference(datasets, robot.name, robot.training)
    assert len(run.tau) == known.samples
    reduced = data.samples(datasets, robot.name, run).reduce()
    A, b, rss = reduced.stack(known.weights)
    design = data.design(datasets, robot.name, run)
    for x in candidates(known):
        theirs = np.sum((known.R @ x - known.rho) ** 2) + known.rss
        ours = np.sum((A @ x - b) ** 2) + rss
        by_joint = known.weights**2 @ reduced.residual_squares(x)
        samples = weighted_squares(known.weights, design, run.tau, x)
        for each in (ours, by_joint, samples):
            assert each == pytest.approx(theirs, rel=1e-12)


def test_the_reduction_does_not_depend_on_the_blocks(datasets, robot):
    """Nor on the order in which parts are merged."""
    known = data.problem(datasets, robot.name)
    run = data.reference(datasets, robot.name, robot.training)
    design = data.design(datasets, robot.name, run)
    whole = Reduction.of([(design, run.tau)])
    cuts = [0, 1, 40, 700, len(design)]
    parts = [
        Reduction.of([(design[start:stop], run.tau[start:stop])]) for start, stop in pairwise(cuts)
    ]
    merged = parts[2].merge(parts[0], parts[3], parts[1])
    assert merged.samples.tolist() == whole.samples.tolist() == [known.samples] * known.joints
    for x in candidates(known, count=1):
        expected = whole.residual_squares(x)
        np.testing.assert_allclose(merged.residual_squares(x), expected, rtol=1e-11)
        np.testing.assert_allclose(merged.r_squared(x), whole.r_squared(x), rtol=1e-10)


def test_three_weighted_fits_give_the_published_weights(datasets):
    """One over the RMS of the residual, from weights 1: the UR10e's, to the last digits."""
    known = data.problem(datasets, "ur10e")
    run = data.reference(datasets, "ur10e", "train_50s12h")
    reduced = data.samples(datasets, "ur10e", run).reduce()
    weights = np.ones(known.joints)
    for _ in range(3):
        A, b, _ = reduced.stack(weights)
        weights = 1 / reduced.rmse(np.linalg.lstsq(A, b, rcond=1e-10)[0])
    np.testing.assert_allclose(weights, known.weights, rtol=1e-10)


PUBLISHED = {"ur10e": "ur10e", "panda": "panda_geometric_prior", "tx40": "tx40"}


def published(datasets, robot):
    """The certified rows."""
    return [row for row in data.rows(datasets, PUBLISHED[robot.name]) if row.certified]


def test_the_optimum_from_the_raw_recording_is_the_published_one_within_a_percent(datasets, robot):
    """By our own reader, clock, filter, differences, regressor and reduction."""
    known = data.problem(datasets, robot.name)
    samples = data.samples(
        datasets, robot.name, data.recorded(datasets, robot.name, robot.training)
    )
    for row in published(datasets, robot):
        found = identify(
            samples.reduce(),
            nuisance=samples.nuisance,
            prior=known.prior,
            weights=known.weights,
            regularization=row.regularization,
        )
        assert found.objective == pytest.approx(row.objective, rel=0.01)
        assert found.consistency.consistent.all()


def test_fit_and_validation_are_the_published_ones_or_better(datasets, robot):
    """Weighted RMS, on the training run and on every validation run."""
    known = data.problem(datasets, robot.name)
    sampled = {
        run: data.samples(datasets, robot.name, data.reference(datasets, robot.name, run))
        for run in (robot.training, *robot.validation)
    }
    reduced = {run: each.reduce() for run, each in sampled.items()}
    for row in published(datasets, robot):
        found = identify(
            reduced[robot.training],
            nuisance=data.nuisance(robot.name),
            prior=known.prior,
            weights=known.weights,
            regularization=row.regularization,
        )
        assert found.weighted_rms == pytest.approx(row.entries["train_weighted"], rel=1e-4)
        for run in robot.validation:
            theirs = row.entries["val"][run.removeprefix("val_") if robot.name != "ur10e" else run]
            assert found.weighted_rms_of(reduced[run]) < 1.001 * theirs["weighted"]
            np.testing.assert_allclose(reduced[run].rmse(found.si), theirs["rmse"], rtol=0.02)


@pytest.mark.parametrize("seconds", [2, 5, 10])
def test_little_data_is_no_worse_than_published(datasets, seconds):
    """With a prior on friction: without one the optimum is unbounded where no sample looks."""
    known = data.problem(datasets, "ur10e")
    curve = data.baseline(datasets)["ur10e_learning_curve"]["rows"][str(seconds)]
    run = data.reference(datasets, "ur10e", "val_20s8h").part(slice(0, int(seconds * 93.4)))
    samples = data.samples(datasets, "ur10e", run, scale=20.0)
    other = data.samples(
        datasets, "ur10e", data.reference(datasets, "ur10e", "train_50s12h")
    ).reduce()
    for weight in (1, 100):
        found = identify(
            samples, prior=known.prior, weights=known.weights, regularization=float(weight)
        )
        theirs = curve[f"cons{weight}"]["train_50s12h"]
        assert found.weighted_rms_of(other) < 1.001 * theirs < curve["ols"]["train_50s12h"]
        assert found.consistency.consistent.all()


def test_weights_found_from_the_data_are_near_the_published_ones(datasets, robot):
    """Those stop after three rounds, where Panda's joint 6 still moves."""
    known = data.problem(datasets, robot.name)
    run = data.reference(datasets, robot.name, robot.training)
    found = identify(data.samples(datasets, robot.name, run), prior=known.prior)
    np.testing.assert_allclose(found.weights, known.weights, rtol=0.06)


def test_friction_that_knows_rest_fits_no_worse(datasets, robot):
    """The TX40 stands still in a tenth of its samples: there the sign of its velocity is noise."""
    known = data.problem(datasets, robot.name)
    run = data.reference(datasets, robot.name, robot.training)
    signs, rest = (
        identify(make(datasets, robot.name, run), prior=known.prior, weights=known.weights)
        for make in (data.samples, data.samples_by_terms)
    )
    assert rest.weighted_rms <= signs.weighted_rms * (1 + 1e-9)
    if robot.name == "tx40":
        assert rest.weighted_rms < 0.95 * signs.weighted_rms


def test_what_a_weak_prior_lets_drift_is_flagged(datasets, robot):
    """Consistent and optimal, but with links that no torque asked for."""
    known = data.problem(datasets, robot.name)
    run = data.reference(datasets, robot.name, robot.training)
    samples = data.samples(datasets, robot.name, run)
    drifted, held = (
        identify(samples, prior=known.prior, weights=known.weights, regularization=weight)
        for weight in (1e-6, 1e4)
    )
    assert drifted.consistency.consistent.all()
    assert drifted.distance.max() > 10
    assert len(drifted.identifiability.unsupported) > 10
    assert not held.identifiability.unsupported


def read_table(folder, name):
    """Theta (L, 10) about the origins of a published table; what was not identifiable is 0."""
    rows = np.genfromtxt(folder / "tables" / name, delimiter=",", skip_header=1)[:, 1:]
    rows = np.nan_to_num(rows)
    if name.startswith("panda"):  # centres of mass, and inertias about them
        inertia = np.zeros((len(rows), 3, 3))
        inertia[:, *np.triu_indices(3)] = rows[:, 4:]
        inertia += np.triu(inertia, 1).transpose(0, 2, 1)
        bodies = ic.InertialParameters.from_com(rows[:, 0], rows[:, 1:4], inertia)
        return bodies.as_theta()
    return rows


@pytest.mark.parametrize(
    ("name", "table", "difference"),
    [("panda", "panda_gaz2019.csv", 0.04), ("ur10e", "ur10e_mamedov2020.csv", 0.12)],
)
def test_base_parameters_are_those_of_published_tables(datasets, name, table, difference):
    """Other recordings, other methods: the same combinations, in their own drive gains."""
    run = data.reference(datasets, name, data.ROBOTS[name].training)
    if name == "ur10e":
        run = run._replace(tau=run.tau / data.GAINS * PUBLISHED_GAINS)
    samples = data.samples_by_terms(datasets, name, run)
    base = identify(samples, prior=data.problem(datasets, name).prior).base
    theirs = read_table(datasets, table).ravel()
    kept = [
        k
        for k, terms in enumerate(base.parameters.terms)
        if all(term.column < len(theirs) for term in terms)  # no friction, no rotor
    ]
    beta = (base.basis[:, : len(theirs)] @ theirs)[kept]
    values = base.values[kept]
    assert np.linalg.norm(values - beta) < difference * np.linalg.norm(beta)
    sure = base.relative_standard_deviation[kept] < 10
    assert sure.sum() >= 7
    assert np.median(values[sure] / beta[sure]) == pytest.approx(1, abs=0.02)
