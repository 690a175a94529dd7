"""The joint problem of all links against Clarabel by cvxpy, stated without the package."""

from typing import NamedTuple

import numpy as np
import pytest

import identification_data as data
import identification_oracle as oracle
import synthetic_robots as synthetic
from inertial_check.identification.fit.identify import identify
from inertial_check.identification.fit.nuisance import Coulomb, Nuisance, Offset, Viscous
from inertial_check.identification.fit.samples import Reduction, System

SAME = 1e-6  # relative: of an interior-point solver at its tightest useful tolerance


class Case(NamedTuple):
    """A problem in both languages."""

    samples: object
    system: tuple  # A, b, rss of all joints, weighted
    prior: oracle.Prior
    weights: np.ndarray


def case(links, seed, *, count=200, scale=5.0, **options):
    """A chain with friction and offsets, whose Coulomb friction is at its bound or near it."""
    robot = synthetic.chain(links, seed, **options)
    run = synthetic.recording(robot.tree, count, seed)
    beside = Nuisance.of(
        Viscous(scale=scale), Coulomb(scale=scale, upper=0.05), Offset(scale=scale), joints=links
    )
    columns = beside.columns(run.u, run.du)
    push = np.sqrt(np.mean(run.exact**2, axis=0)) * 0.1
    tau = run.tau + columns[:, :, links : 2 * links] @ push
    run = run._replace(tau=tau)
    samples = synthetic.samples(robot.tree, run, beside)
    weights = 1 / run.deviation
    blocks = list(samples.blocks())
    A = np.concatenate([np.concatenate([Y, F], axis=2) for Y, F, _ in blocks])
    A = (A * weights[:, None]).reshape(-1, A.shape[2])
    prior = oracle.Prior(robot.prior, beside.lower, beside.upper, beside.prior, beside.scale)
    return Case(samples, (A, (tau * weights).ravel(), 0.0), prior, weights)


@pytest.mark.parametrize("regularization", [1e-2, 1.0, 1e2, 1e4])
@pytest.mark.parametrize(("links", "seed"), [(1, 0), (3, 1), (7, 2)])
def test_objective_and_bodies_are_those_of_clarabel(links, seed, regularization):
    """Cones and bounds are active; where the prior is weak the bodies need not be unique."""
    known = case(links, seed)
    found = identify(
        known.samples, prior=known.prior.theta, weights=known.weights, regularization=regularization
    )
    x, least = oracle.solve(*known.system, regularization, known.prior)
    ours = np.concatenate([found.theta.ravel(), list(found.nuisance.values())])
    own = oracle.objective(*known.system, ours, regularization, known.prior)
    assert found.objective == pytest.approx(own, rel=1e-9)
    assert found.objective <= least * (1 + 1e-9)
    assert found.objective == pytest.approx(least, rel=SAME)
    np.testing.assert_allclose(ours, x, rtol=0, atol=1e-2 * np.abs(x).max())
    f = ours[10 * links :]
    assert np.all((known.prior.lower <= f) & (f <= known.prior.upper))
    assert np.any(np.isclose(f, 0.05, rtol=1e-6, atol=0))


def test_without_active_cones_it_is_ridge_regression():
    known = case(3, 4)
    found = identify(
        known.samples, prior=known.prior.theta, weights=known.weights, regularization=1e8
    )
    free = known.prior._replace(lower=np.full(9, -np.inf), upper=np.full(9, np.inf))
    _, least = oracle.solve(*known.system, 1e8, free, cones=False)
    assert found.objective == pytest.approx(least, rel=SAME)


@pytest.mark.parametrize(
    ("mass", "length"), [pytest.param(1e-6, 1e-3, id="mg"), pytest.param(1e5, 20.0, id="100 t")]
)
def test_at_any_scale(mass, length):
    """Further numbers have units of their own, so they are left out here."""
    robot = synthetic.chain(4, 5, mass=mass, length=length)
    run = synthetic.recording(robot.tree, 200, 5)
    weights = 1 / run.deviation
    found = identify(synthetic.samples(robot.tree, run), prior=robot.prior, weights=weights)
    (Y, _, tau), *_ = synthetic.samples(robot.tree, run, rows=200).blocks()
    A = (Y * weights[:, None]).reshape(-1, 40)
    system = A, (tau * weights).ravel(), 0.0
    _, least = oracle.solve(*system, 1.0, oracle.Prior.of(robot.prior, np.zeros(0, bool)))
    assert found.objective == pytest.approx(least, rel=SAME)


def test_the_statement_over_all_samples_has_the_same_answer():
    """As a user would write it, in theta itself."""
    robot = synthetic.chain(4, 6)
    run = synthetic.recording(robot.tree, 200, 6)
    weights = 1 / run.deviation
    (Y, _, tau), *_ = synthetic.samples(robot.tree, run, rows=200).blocks()
    found = identify(Y, tau, robot.prior, weights=weights)
    _, least = oracle.naive(Y, tau, 1.0, robot.prior, weights)
    assert found.objective == pytest.approx(least, rel=SAME)


@pytest.mark.parametrize("name", list(data.ROBOTS))
def test_no_certified_optimum_of_a_real_robot_is_lower(datasets, name):
    """Ours are within 1e-6 of the published objectives, or below; every link is consistent."""
    known = data.problem(datasets, name)
    lower = np.where(known.nonneg, 0.0, -np.inf)
    beside = Nuisance(known.names, lower=lower, upper=np.inf, prior=0.0, scale=np.inf)
    columns, count = np.arange(known.R.shape[1]), known.samples * known.joints
    squares = known.rho @ known.rho + known.rss
    whole = System(columns, known.R, known.rho, known.rss, count, 0.0, squares)
    published = {"panda": "panda_geometric_prior"}.get(name, name)
    rows = [row for row in data.rows(datasets, published) if row.certified]
    assert len(rows) == 4
    for row in rows:
        found = identify(
            Reduction(len(columns), (whole,)),
            prior=known.prior,
            weights=1.0,
            nuisance=beside,
            regularization=row.regularization,
        )
        assert found.objective == pytest.approx(row.objective, rel=SAME)
        assert found.objective <= row.objective * (1 + 1e-9)
        assert found.gap <= 1e-9
        assert found.consistency.consistent.all()
