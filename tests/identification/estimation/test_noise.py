"""The noise of each joint, from residuals: right, in any unit, and honest where it cannot tell."""

import numpy as np
import pytest

from identification_problems import measured, robot
from inertial_check.errors import ParameterError
from inertial_check.identification.fit import weights
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.samples import Reduction
from inertial_check.inertia import tolerances


def estimate_noise(count, deviation, seed=1):
    Y, tau, _, prior, _ = measured(robot(3), count, deviation, seed)
    return weights.estimate_noise(Reduction.of([(Y, tau)]), prior, Nuisance())


def test_each_joint_has_its_own():
    found = estimate_noise(3000, [0.02, 0.5, 7.0])
    np.testing.assert_allclose(1 / found.weights, [0.02, 0.5, 7.0], rtol=0.05)
    assert found.remarks == ()


def test_parameters_are_paid_for():
    """Of few samples, least squares explains part of the noise; dividing by S would tell less."""
    ratios = [1 / estimate_noise(40, 0.3, seed).weights / 0.3 for seed in range(30)]
    assert np.sqrt(np.mean(np.square(ratios))) == pytest.approx(1.0, abs=0.02)


def test_few_samples_are_said_and_no_joint_runs_away():
    """Alone, one joint's fit becomes exact, its weight infinite, and the others do not count."""
    found = estimate_noise(12, 0.3)
    (remark,) = found.remarks
    assert remark.startswith("12 samples for 17 parameters of 3 joints")
    assert found.weights.max() / found.weights.min() < 100


def test_fewer_samples_than_parameters_are_refused():
    with pytest.raises(ParameterError, match="4 samples of 3 joints are too few for 1"):
        estimate_noise(4, 0.3)


def test_exact_torques_have_the_least_noise_there_is():
    Y, tau, _, prior, _ = measured(robot(3), 200, 0.0)
    found = weights.estimate_noise(Reduction.of([(Y, tau)]), prior, Nuisance())
    sizes = np.sqrt(np.mean(tau**2, axis=0))
    np.testing.assert_allclose(1 / found.weights, tolerances.LEAST_NOISE * sizes)
    assert len(found.remarks) == 3


def test_silent_joints_have_no_weight():
    Y, tau, _, prior, _ = measured(robot(3), 200)
    tau[:, 2] = 0
    found = weights.estimate_noise(Reduction.of([(Y, tau)]), prior, Nuisance())
    assert found.weights[2] == 0
    assert found.remarks == ("joint 2: its torque is zero in every sample; left out",)
    with pytest.raises(ParameterError, match="zero in every sample of every joint"):
        weights.estimate_noise(Reduction.of([(Y, 0 * tau)]), prior, Nuisance())
    with pytest.raises(ParameterError, match="the samples decide 0 of 30 parameters"):
        weights.estimate_noise(Reduction.of([(0 * Y, tau)]), prior, Nuisance())
