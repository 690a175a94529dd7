"""Lines over time: broken at gaps, NaN and joins, never longer than a page can show."""

import numpy as np
import pytest

from inertial_check.reports import plots
from inertial_check.reports.plots.figure import MOST_POINTS, break_line, find_joins

pytest.importorskip("matplotlib", reason='needs matplotlib: pip install "inertial-check[report]"')


def parts(line):
    """The x of each unbroken part of a line."""
    ends = np.flatnonzero(np.isnan(line.x))
    return [part[~np.isnan(part)].tolist() for part in np.split(line.x, ends)]


def test_a_line_breaks_at_a_gap_at_nan_and_where_time_starts_again():
    t = np.array([0, 1, 2, 10, 11, 12, 13, 14, 0, 1, 2.0])
    values = np.array([0, 0, 0, 0, 0, np.nan, 0, 0, 0, 0, 0.0])
    line = break_line(t, values, find_joins(t))
    assert parts(line) == [[0, 1, 2], [10, 11], [13, 14], [0, 1, 2]]


def test_a_jittering_clock_is_no_gap():
    t = np.cumsum(np.random.default_rng(1).uniform(0.5, 1.4, 500))
    assert not find_joins(t).any()


def test_given_joins_break_a_line_whose_clock_goes_on():
    t = np.arange(6.0)
    assert parts(break_line(t, t, find_joins(t, [0, 3, 99]))) == [[0, 1, 2], [3, 4, 5]]


def test_a_sample_between_two_breaks_is_a_dot():
    t = np.arange(5.0)
    values = np.array([1, np.nan, 3, np.nan, 5.0])
    assert break_line(t, values, find_joins(t)).lone.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_extremes_of_long_lines_do_not_span_a_gap():
    rng = np.random.default_rng(2)
    samples = 25 * MOST_POINTS
    t = np.arange(samples) * 1.0
    t[samples // 3 :] += 1e6
    t[2 * samples // 3 :] -= 2e6
    values = rng.normal(size=samples)
    values[777] = 99.0
    line = break_line(t, values, find_joins(t))
    assert len(parts(line)) == 3
    assert np.nanmax(line.y) == 99.0
    assert line.x.size < 1.1 * MOST_POINTS
    for part in parts(line):
        assert np.ptp(part) < samples


@pytest.mark.parametrize("missing", [np.nan, np.inf])
def test_a_line_of_gaps_only_is_bounded(missing):
    t = np.arange(1e6)
    values = np.where(np.arange(t.size) % 2, missing, np.sin(t))
    line = break_line(t, values, find_joins(t))
    assert line.lone.shape[0] + line.x.size <= 1.1 * MOST_POINTS
    assert line.lone[:, 1].max() == np.nanmax(np.where(np.isfinite(values), values, np.nan))


@pytest.mark.parametrize("samples", [0, 1])
def test_recordings_without_a_line(samples):
    t = np.arange(float(samples))
    line = break_line(t, t, find_joins(t))
    assert line.lone.shape == (samples, 2)


def test_torques_are_broken_and_measured_without_missing_samples():
    t = np.array([0, 1, 2, 50, 51, 52.0])
    measured = np.zeros((6, 1))
    after = np.array([[2], [2], [np.nan], [2], [2], [2.0]])
    (page,) = plots.torques(t, measured, None, after, ["hip"])
    upper = page.figure.axes[0]
    assert upper.get_title() == "hip: RMSE after 2 N m"
    drawn = {line.get_label(): line.get_xdata() for line in upper.lines}
    assert np.array_equal(drawn["measured"], [0, 1, 2, np.nan, 50, 51, 52], equal_nan=True)
    assert np.array_equal(drawn["after"], [0, 1, np.nan, 50, 51, 52], equal_nan=True)
