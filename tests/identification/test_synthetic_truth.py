"""Chains whose bodies are known: what is recovered, at any scale, in any order and unit."""

import numpy as np
import pytest

import synthetic_robots as synthetic
from inertial_check.identification.fit.identify import identify
from inertial_check.identification.fit.nuisance import (
    Coulomb,
    Nuisance,
    Offset,
    RotorInertia,
    Viscous,
)
from inertial_check.mechanics import equations
from inertial_check.mechanics.tree import Tree

SCALES = [
    pytest.param(1e-6, 1e-3, id="milligrams, millimetres"),
    pytest.param(3.0, 0.3, id="an arm"),
    pytest.param(1e5, 20.0, id="100 tonnes, 20 metres"),
]


@pytest.mark.parametrize(("links", "count", "seed"), [(7, 1500, 1), (7, 1500, 2), (20, 1500, 1)])
def test_truth_within_three_standard_deviations_and_no_worse_than_least_squares(links, count, seed):
    """Noise of 5 %. Least squares has bodies that cannot exist; another motion is predicted."""
    found = synthetic.recovered(links, count, seed)
    assert found.inconsistent == 0
    assert found.free_inconsistent > links // 2
    assert found.validation_ratio < 1.01
    assert found.exact_ratio < 1.1
    assert len(found.z) < 10 * links
    assert np.mean(np.abs(found.z) > 3) < 0.02
    assert np.mean(np.abs(found.free_z) > 3) < 0.02
    assert 0.75 < np.std(found.free_z) < 1.25  # least squares errs as much as it says
    assert np.std(found.z) < 1.25  # the prior and the cones help


@pytest.mark.parametrize(("mass", "length"), SCALES)
def test_any_size_of_robot(mass, length):
    robot = synthetic.chain(4, 3, mass=mass, length=length)
    run = synthetic.recording(robot.tree, 800, 3)
    found = identify(synthetic.samples(robot.tree, run), prior=robot.prior)
    assert found.consistency.consistent.all()
    assert found.gap <= 1e-9
    np.testing.assert_allclose(found.noise, run.deviation, rtol=0.15)
    assert found.weighted_rms == pytest.approx(1, abs=0.05)
    other = synthetic.recording(robot.tree, 800, 4)
    predicted = equations.inverse_dynamics(robot.tree, *other[:3], theta=found.theta)
    errors = np.sqrt(np.mean((predicted - other.exact) ** 2, axis=0))
    assert np.all(errors < 0.5 * other.deviation)


def test_links_in_another_order_are_the_same_answer():
    robot = synthetic.chain(4, 6)
    run = synthetic.recording(robot.tree, 300, 6)
    options = {"prior": robot.prior, "weights": 1 / run.deviation}
    found = identify(synthetic.samples(robot.tree, run), **options)
    order = [2, 0, 3, 1]
    options["prior"] = robot.prior[order]
    again = identify(synthetic.samples(robot.tree, run, bodies=order), **options)
    np.testing.assert_allclose(again.objective, found.objective, rtol=1e-10)
    expected = found.theta[order]
    size = np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(again.theta / size, expected / size, rtol=0, atol=1e-6)


def test_some_bodies_while_the_others_stay():
    """The others' torque is subtracted; what is left are the bodies' own three sigma."""
    robot = synthetic.chain(5, 8)
    run = synthetic.recording(robot.tree, 1000, 8)
    samples = synthetic.samples(robot.tree, run, bodies=[3, 4])
    found = identify(samples, prior=robot.prior[3:], weights=1 / run.deviation)
    share = found.identifiability.share
    deviation = found.identifiability.standard_deviation
    errors = np.abs(found.theta - robot.tree.theta[3:]) / deviation
    assert np.all(errors[share > 0.999] < 3.5)
    assert found.total_mass == pytest.approx(robot.tree.theta[3:, 0].sum(), rel=0.3)


def test_friction_is_told_from_the_bodies():
    """Viscous, Coulomb, offset and rotor inertia, outside the cones, with their own bounds."""
    robot = synthetic.chain(4, 9)
    run = synthetic.recording(robot.tree, 2000, 9, noise=0.01)
    joints = robot.tree.n_u
    beside = Nuisance.of(Viscous(), Coulomb(), Offset(), RotorInertia(scale=1.0), joints=joints)
    scale = np.tile(np.sqrt(np.mean(run.exact**2, axis=0)), 4)
    signals = np.repeat([1.0, 1.0, 1.0, 0.1], joints)
    true = np.tile([0.3, 0.1, 0.05, 0.2], 4)[: 4 * joints] * scale * signals * 0.3
    columns = beside.columns(run.u, run.du)
    loaded = run._replace(tau=run.tau + columns @ true)
    weights = 1 / run.deviation
    found = identify(
        synthetic.samples(robot.tree, loaded, beside), prior=robot.prior, weights=weights
    )
    fitted = np.array(list(found.nuisance.values()))
    assert list(found.nuisance) == list(beside.names)
    assert np.all(fitted >= beside.lower)
    friction = slice(0, 3 * joints)  # rotor inertia and Izz of the first link are one number
    np.testing.assert_allclose(fitted[friction], true[friction], rtol=0.2, atol=0.02 * scale.max())
    predicted = found.predict(
        equations.regressor(robot.tree, run.q, run.u, run.du), beside.columns(run.u, run.du)
    )
    errors = np.sqrt(np.mean((predicted - run.exact - columns @ true) ** 2, axis=0))
    assert np.all(errors < 0.4 * run.deviation)


def test_the_prior_is_the_answer_where_nothing_speaks_against_it():
    robot = synthetic.chain(3, 11)
    truth = Tree(*(getattr(robot.tree, name) for name in FIELDS), robot.prior)
    run = synthetic.recording(truth, 200, 11, noise=0.0)
    found = identify(synthetic.samples(truth, run), prior=robot.prior, weights=1.0)
    assert np.all(found.distance < 1e-7)


FIELDS = ("names", "parents", "joints", "X_PB", "axes_B")
