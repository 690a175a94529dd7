"""Signals of several loggers on one clock, with known truth."""

import numpy as np
import pytest

import recorded
from inertial_check.errors import ParameterError
from inertial_check.identification.recordings.joining import (
    LoggedSignals,
    describe_motion,
    find_offset,
    join_signals,
)

FAST, SLOW, OFFSET = 1000.0, 125.0, 1234.5678


def fast_positions(noise=0.0):
    run = recorded.with_friction(rate=FAST)
    rng = np.random.default_rng(0)
    return LoggedSignals(run["t"], run["q"] + noise * rng.normal(size=run["q"].shape))


def slow_torques():
    """Torques at stamps between those of the positions, by a clock of their own."""
    run = recorded.with_friction(rate=8 * FAST, noise=0.0)
    rows = slice(2503, 75_000, int(8 * FAST / SLOW))
    tau = run["tau"][rows]
    tau = tau + recorded.GENERATOR.NOISE * np.random.default_rng(1).normal(size=tau.shape)
    return LoggedSignals(run["t"][rows] + OFFSET, tau), run["q"][rows]


def test_the_faster_signal_comes_without_aliases_to_the_stamps_of_the_slower():
    torques, truth = slow_torques()
    torques = torques._replace(t=torques.t - OFFSET)
    fast = fast_positions()
    # 120 Hz would come out as 5 Hz in the midst of the motion if every eighth sample were taken.
    disturbed = fast._replace(signals=fast.signals + np.sin(2 * np.pi * 120 * fast.t)[:, None])
    joined = join_signals([disturbed, torques])
    np.testing.assert_array_equal(joined.t, torques.t)
    np.testing.assert_array_equal(joined.signals[1], torques.signals)
    inside = slice(50, -50)
    error = joined.signals[0][inside] - truth[inside]
    assert np.abs(error).max() < 2e-4
    assert "filtered at 50 Hz against aliasing" in joined.notes[0]
    assert joined.notes[1] == "125 Hz kept"


def test_loggers_of_nearly_one_rate_are_interpolated_without_a_filter():
    own, other = np.arange(0, 4, 1 / 101), np.arange(0.003, 3.9, 1 / 100)
    cubic = np.polynomial.Polynomial([1.0, -2.0, 3.0, -0.5])  # a spline of these is the cubic
    joined = join_signals(
        [LoggedSignals(own, cubic(own)[:, None]), LoggedSignals(other, other[:, None])]
    )
    assert joined.t.tolist() == other.tolist()
    np.testing.assert_allclose(joined.signals[0][:, 0], cubic(other), rtol=1e-12)
    assert joined.notes == ("101 Hz interpolated by cubic splines", "100 Hz kept")


def test_a_pause_of_one_logger_is_not_bridged():
    fast = fast_positions()
    rows = (fast.t < 4) | (fast.t > 5)
    t = np.arange(5, 1200) / SLOW
    joined = join_signals(
        [LoggedSignals(fast.t[rows], fast.signals[rows]), LoggedSignals(t, t[:, None])]
    )
    assert not np.any((joined.t > 4) & (joined.t < 5))
    assert len(joined.t) == np.sum((t < 4) | (t > 5))


def test_the_offset_of_two_clocks_is_found_by_the_motion():
    torques, _ = slow_torques()
    positions = fast_positions(noise=2e-5)
    found = find_offset(describe_motion(*positions[:2]), torques)
    assert abs(found.offset - OFFSET) < 0.25 / SLOW
    assert found.explained > 0.9
    assert found.rival is None


def test_the_offset_of_two_clocks_is_found_by_a_common_signal():
    fast = fast_positions()
    other = LoggedSignals(fast.t[1003:8000:8] - 77.7, fast.signals[1003:8000:8])
    assert abs(find_offset(fast, other).offset + 77.7) < 0.02 / SLOW


def test_signals_of_nothing_in_common_have_no_offset():
    rng = np.random.default_rng(2)
    noise = LoggedSignals(np.arange(1000) / SLOW, rng.normal(size=(1000, 3)))
    with pytest.raises(ParameterError, match="at no offset"):
        find_offset(describe_motion(*fast_positions()[:2]), noise)
