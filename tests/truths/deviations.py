"""Comparison of base parameters of many draws of noise with the truth."""

import numpy as np

THREE = 0.9973
"""Part of a normal distribution within three standard deviations."""


def standardize(base, truth):
    """Errors of base parameters over their standard deviations, and the same without correlation.

    The second are independent by the covariance, so every one of them counts; the errors of the
    parameters of one draw go together, and their rate varies much more from draw to draw.
    """
    M = np.array([
        [sum(c for c, column in terms if column == k) for k in range(truth.size)]
        for terms in base.parameters.terms
    ])  # fmt: skip
    away = (base.values - M @ truth.ravel()) / base.standard_deviation
    return away, np.linalg.solve(np.linalg.cholesky(base.correlation), away)


def expect_noise(draws):
    """Expect errors that are distributed as their covariance says.

    Args:
        draws: Pairs of `standardize`, one for each draw.
    """
    own, free = (np.array(each) for each in zip(*draws, strict=True))
    spread = np.sqrt(THREE * (1 - THREE) / free.size)
    assert abs(np.mean(np.abs(free) < 3) - THREE) < 4 * spread + 1 / free.size
    assert abs(np.mean(free**2) - 1) < 4 * np.sqrt(2 / free.size)
    rates = np.mean(np.abs(own) < 3, axis=1)
    if len(rates) >= 100:
        assert rates.mean() + 3 * rates.std() / np.sqrt(len(rates)) >= THREE
        assert rates.mean() > 0.995
        means = own.mean(axis=0) * np.sqrt(len(own))
        assert np.abs(means).max() < 4.5  # no bias: of some hundred normal numbers
