"""Residuals: noise passes as noise, and what is not noise is named by its frequency and speed."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.identification.fit.residuals import analyse_residuals
from inertial_check.identification.motion.signals import filter_signals, noise_band

RATE, COUNT = 100.0, 3000
T = np.arange(COUNT) / RATE


def white(count=COUNT, joints=1, seed=0):
    return np.random.default_rng(seed).standard_normal((count, joints))


def test_white_noise_is_white_at_the_level_of_the_test():
    """Of 100 joints about one in twenty has a p-value below 0.05, filtered or not."""
    noise = white(joints=100)
    for cutoff in (np.inf, 20.0):
        own, redundancy = noise, 1.0
        if np.isfinite(cutoff):
            own = filter_signals(noise, RATE, cutoff, 4)
            redundancy = RATE / (2 * noise_band(cutoff, 4))
        found = analyse_residuals(own, rate=RATE, cutoff=cutoff, redundancy=redundancy)
        p = np.array([each.whiteness.p_value for each in found])
        assert 0.005 < np.mean(p < 0.05) < 0.13
        alike = np.mean([each.whiteness.alike for each in found])
        assert alike == pytest.approx(redundancy, rel=0.15)
        slow = np.mean([each.spectrum.slow_share for each in found])
        assert slow == pytest.approx(0.5, abs=0.06)


def test_an_autoregression_is_not_white():
    """Its autocorrelations 0.8^k sum to (1 + 0.8) / (1 - 0.8) = 9 samples."""
    noise, own = white(20_000)[:, 0], np.zeros(20_000)
    for k in range(1, len(own)):
        own[k] = 0.8 * own[k - 1] + noise[k]
    found = analyse_residuals(own[:, None], rate=RATE)[0]
    assert found.whiteness.first == pytest.approx(0.8, abs=0.03)
    assert found.whiteness.p_value < 1e-12
    assert found.whiteness.alike == pytest.approx(9, rel=0.2)
    assert found.spectrum.slow_share > 0.9


def test_the_statistic_is_that_of_its_definition():
    own = white(500)[:, 0]
    found = analyse_residuals(own[:, None])[0].whiteness
    centred = own - own.mean()
    rho = [centred[k:] @ centred[:-k] / (centred @ centred) for k in range(1, 21)]
    expected = 500 * 502 * sum(r**2 / (500 - k) for k, r in enumerate(rho, 1))
    assert found.lags == 20
    assert found.statistic == pytest.approx(expected)
    stats = pytest.importorskip("scipy.stats")
    assert found.p_value == pytest.approx(float(stats.chi2.sf(expected, 20)))


def test_a_line_stands_at_its_frequency():
    own = white()[:, 0] + 2 * np.sin(2 * np.pi * 12.5 * T)
    spectrum = analyse_residuals(own[:, None], rate=RATE)[0].spectrum
    assert spectrum.peak == pytest.approx(12.5, abs=RATE / 128)
    assert spectrum.peak_share == pytest.approx(2 / 3, abs=0.07)  # power 2 beside 1
    whole = np.trapezoid(spectrum.density, spectrum.frequency)
    assert whole == pytest.approx(3, rel=0.1)  # Parseval


def test_friction_that_is_missing_has_a_course():
    """The breakaway peak of Stribeck, which viscous and Coulomb friction leave."""
    u = np.sin(2 * np.pi * 0.3 * T)
    stribeck = 2 * np.sign(u) * np.exp(-((u / 0.2) ** 2))
    own = np.stack([white()[:, 0] + stribeck, white(seed=1)[:, 0]], axis=1)
    lacking, complete = analyse_residuals(own, np.stack([u, u], axis=1))
    assert lacking.course.share > 0.15
    assert complete.course.share < 0.02
    sizes = np.abs(lacking.course.mean) / lacking.course.standard_error
    assert sizes.max() > 6
    assert np.abs(lacking.course.velocity[np.argmax(sizes)]) < 0.4
    assert np.abs(np.divide(complete.course.mean, complete.course.standard_error)).max() < 4


def test_stretches_are_not_joined():
    """Two stretches about other means: the step between them is no neighbour of anything."""
    own = white(400)[:, 0]
    own[1::2] = -own[::2]  # pairs cancel, and those across a pair are independent
    joins = range(2, 400, 2)
    found = analyse_residuals(own[:, None], joins=[*joins])[0]
    assert found.whiteness.first == pytest.approx(-0.5, abs=0.1)
    assert analyse_residuals(own[:, None], joins=[*joins], rate=RATE)[0].spectrum is None


def test_too_little_is_not_judged():
    few = analyse_residuals(white(12), white(12), rate=RATE)[0]
    assert (few.whiteness, few.spectrum, few.course) == (None, None, None)
    none = analyse_residuals(np.zeros((500, 1)), white(500), rate=RATE)[0]
    assert (none.whiteness, none.spectrum, none.course) == (None, None, None)
    still = analyse_residuals(white(500), np.zeros((500, 1)))[0]
    assert still.course is None


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ParameterError, match=r"residuals have shape \(5,\)"):
        analyse_residuals(np.zeros(5))
    with pytest.raises(ParameterError, match="all finite"):
        analyse_residuals(np.full((5, 1), np.nan))
    with pytest.raises(ParameterError, match=r"velocities have shape \(5, 2\)"):
        analyse_residuals(np.zeros((5, 1)), np.zeros((5, 2)))
