"""Huber's loss: its factors, its value, and the scale that goes with it."""

import numpy as np
from scipy.stats import norm

from inertial_check.identification.fit import weights

RNG = np.random.default_rng(0)
A, X = RNG.normal(size=(50, 2, 3)), RNG.normal(size=3)
TAU = A @ X + RNG.standard_t(2, size=(50, 2))
WEIGHTS = np.array([0.5, 3.0])


def test_normal_residuals_keep_their_weights_and_a_few_far_ones_hardly_change_them():
    expected = norm.expect(lambda z: np.minimum(z**2, weights.BEND**2))
    np.testing.assert_allclose(weights.EXPECTED, expected, rtol=1e-4)
    tau = RNG.normal(size=(20_000, 2)) / WEIGHTS
    zeros = np.zeros((20_000, 2, 3))
    samples = np.full(2, 20_000)
    factors = weights.Huber(X, WEIGHTS)
    factors(zeros, tau)
    np.testing.assert_allclose(factors.reweigh(samples), WEIGHTS, rtol=0.02)
    tau[:200] = 1e6
    factors = weights.Huber(X, WEIGHTS)
    factors(zeros, tau)
    np.testing.assert_allclose(factors.reweigh(samples), WEIGHTS, rtol=0.04)
