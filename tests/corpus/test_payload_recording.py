"""A load of 2.805 kg on a real arm, from a recording with it and one without."""

import json

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.model import tree_of
from inertial_check.identification.fit.nuisance import (
    Coulomb,
    Nuisance,
    Offset,
    RotorInertia,
    Viscous,
)
from inertial_check.identification.fit.payload import Recording, from_torques, identify_payload


@pytest.fixture(scope="module")
def baseline(datasets):
    return json.loads((datasets / "baseline.json").read_text())


@pytest.fixture(scope="module")
def samples(datasets, baseline):
    """What the load adds to the torques of the robot as identified without it."""
    robot = baseline["ur10e_unloaded"]
    (x,) = (row["theta"] for row in robot["rows"] if row["method"] == "consistent, lambda=1")
    tree = tree_of(ic.load(datasets / "ur10e" / "ur10e.urdf")).tree
    theta = np.zeros((7, 10))
    theta[1:] = np.reshape(x[:60], (6, 10))
    friction = Nuisance.of(Viscous(), Coulomb(), Offset(), RotorInertia(), joints=6)
    with np.load(datasets / "ur10e" / "ref" / "loaded_14h50s.npz") as data:
        loaded = Recording(data["q"], data["qd"], data["qdd"], data["tau"])
    numbers = dict(zip(robot["extra_columns"], x[60:], strict=True))
    return from_torques(
        tree, "link_6", loaded, theta=theta, friction=friction, friction_values=numbers
    )


def test_the_load_is_that_of_the_baseline(samples, baseline):
    expected = baseline["ur10e_payload"]
    found = identify_payload(samples, weights=baseline["ur10e_unloaded"]["weights"])
    np.testing.assert_allclose(found.information, expected["information_matrix"], rtol=1e-9)
    np.testing.assert_allclose(found.least_squares, expected["theta_ols"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.standard_deviation, expected["se"], rtol=1e-6)
    np.testing.assert_allclose(found.theta, expected["theta_consistent"], rtol=0, atol=1e-7)
    assert found.least_squares_consistency.margin == pytest.approx(expected["margin"], abs=1e-9)
    assert found.consistency.consistent
    assert found.open == ()
    rms = expected["weighted_rms"]
    assert found.weighted_rms_before == pytest.approx(rms["before"], rel=1e-9)
    assert found.weighted_rms_least_squares == pytest.approx(rms["ols"], rel=1e-9)
    assert found.weighted_rms == pytest.approx(rms["consistent"], rel=1e-9)

    # no dearer than the baseline's answer, in the metric of the information matrix
    def squares(theta):
        change = theta - found.least_squares
        return change @ found.information @ change

    assert squares(found.theta) <= squares(np.array(expected["theta_consistent"])) * (1 + 1e-9)
    assert max(found.identification.certify()) <= 1e-9


def test_a_prior_of_the_known_mass_keeps_the_load_an_extended_body(samples, baseline):
    ball = ic.InertialParameters.from_com(2.805, [0.03, 0.15, -0.15], 0.01 * np.eye(3))
    weights = baseline["ur10e_unloaded"]["weights"]
    found = identify_payload(samples, weights=weights, prior=ball)
    alone = identify_payload(samples, weights=weights)
    assert found.consistency.verdict == "consistent"
    assert found.weighted_rms == pytest.approx(alone.weighted_rms, rel=1e-3)
    # the data decide the mass; its error is that of the drive gain
    assert found.parameters.mass == pytest.approx(alone.parameters.mass, rel=0.01)


def test_both_recordings_give_the_load_without_a_model_of_friction(datasets, samples):
    tree = tree_of(ic.load(datasets / "ur10e" / "ur10e.urdf")).tree
    folder = datasets / "ur10e" / "ref"
    with np.load(folder / "unloaded_14h50s.npz") as data:
        clock = data["t"] - data["t"][0]
        unloaded = [data[name] for name in ("q", "qd", "qdd", "tau")]
    with np.load(folder / "loaded_14h50s.npz") as data:
        t = data["t"] - data["t"][0]
        t = t[t < clock[-1]]
        loaded = [data[name][: len(t)] for name in ("q", "qd", "qdd", "tau")]
    unloaded = [
        np.stack([np.interp(t, clock, column) for column in signal.T], axis=1)
        for signal in unloaded
    ]
    both = from_torques(tree, "link_6", Recording(*loaded), unloaded=Recording(*unloaded))
    found, other = identify_payload(both), identify_payload(samples)
    assert found.parameters.mass == pytest.approx(other.parameters.mass, rel=0.005)
    np.testing.assert_allclose(found.parameters.com, other.parameters.com, atol=0.003)
    # what nobody modelled cancels: the residuals are smaller than those of the identified robot
    assert np.all(found.rmse < other.rmse)
    assert found.consistency.consistent
