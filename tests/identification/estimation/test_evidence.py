"""Weight of the prior by evidence: found again where prior and noise are drawn as it assumes."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.samples import Samples
from inertial_check.identification.fit.weights import measure_redundancy

PRIOR = ic.InertialParameters.from_com(2.0, [0.0, 0.0, 0.2], np.diag([0.05, 0.04, 0.02]))
L = np.linalg.cholesky(np.asarray(PRIOR.pseudo_inertia))


def draw(rng, spread, count=40):
    """Bodies whose distances from their priors have this deviation in each of ten directions."""
    found = []
    while len(found) < count:
        X = spread * rng.normal(size=(4, 4)) / np.sqrt(2)
        X = X + X.T
        P = L @ (np.eye(4) + X) @ L.T
        if np.linalg.eigvalsh(P)[0] > 0:
            found.append(ic.InertialParameters.from_pseudo_inertia(P).as_theta())
    return np.array(found)


@pytest.mark.parametrize("spread", [0.03, 0.1])
def test_the_weight_is_one_over_the_variance_of_the_bodies(spread):
    rng = np.random.default_rng(1)
    theta = draw(rng, spread, 12)
    Y = rng.normal(size=(400, 3, 120))
    tau = Y @ theta.ravel() + rng.normal(size=(400, 3))
    prior = np.tile(np.asarray(PRIOR.as_theta()), (12, 1))
    found = ic.identify(Y, tau, prior, weights=1.0, regularization="evidence", redundancy=1.0)
    assert found.choice.rule == "evidence"
    assert abs(np.log10(found.regularization * spread**2)) < 0.8
    assert "evidence" in found.choice.note


def test_the_redundancy_of_filtered_noise_is_that_of_its_band():
    from scipy.signal import butter, sosfiltfilt

    rng = np.random.default_rng(0)
    Y = rng.normal(size=(4000, 1, 10))
    noise = rng.normal(size=(4000, 1))
    slow = sosfiltfilt(butter(4, 0.1, output="sos"), noise, axis=0)
    for residual, expected in ((noise, 1.0), (slow, 10.0)):
        samples = Samples.of_arrays(Y, residual, Nuisance())
        prior = np.asarray(PRIOR.as_theta())[None]
        own = measure_redundancy(samples, samples.reduce(), np.ones(1), prior)
        assert own == pytest.approx(expected, rel=0.35)
