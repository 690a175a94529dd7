"""The ends of a printed interval can be copied into the model."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.documents.escaping import printable
from inertial_check.inertia.consistency import check
from inertial_check.inertia.intervals import admissible_intervals
from inertial_check.reports.text import interval, number, plural, round_together

# Beyond these the unit of the sixth digit leaves the range of floats.
sizes = st.floats(1e-290, 1e290)
ends = st.one_of(sizes, sizes.map(lambda size: -size), st.just(0.0))
ULPS = 4 * 2.0**-52


def ends_of(text):
    if text.startswith("exactly "):
        return (float(text.removeprefix("exactly ")),) * 2
    low, high = text.split(" to ")
    return float(low), float(high)


def assert_inside(low, high):
    shown_low, shown_high = ends_of(interval(low, high))
    assert low - ULPS * abs(low) <= shown_low <= shown_high <= high + ULPS * abs(high)


@given(ends, ends)
def test_printed_ends_lie_inside(a, b):
    assert_inside(*sorted((a, b)))


@given(ends, st.floats(1e-17, 1e-3))
def test_narrow_intervals_keep_their_inside(middle, relative):
    assert_inside(*sorted((middle, middle * (1 + relative))))


entry = st.one_of(st.just(0.0), st.floats(1e-9, 1), st.floats(-1, -1e-9))


@given(st.lists(entry, min_size=6, max_size=6), st.integers(-9, 9))
def test_a_printed_end_in_the_place_of_the_entry_gives_a_body(entries, exponent):
    """What the full report offers is what the check then accepts, at any scale."""
    six = np.array(entries) * 10.0**exponent
    for i, (low, high) in enumerate(admissible_intervals(six).tolist()):
        if math.isnan(low):
            continue
        for end in ends_of(interval(low, high)):
            mended = six.copy()
            mended[i] = end
            assert check([1, 0, 0, 0, *mended], about="com").verdict in ("consistent", "boundary")


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.05, 0.11, "0.05 to 0.11"),
        (1 / 3, 2 / 3, "0.333334 to 0.666666"),
        (-2 / 3, -1 / 3, "-0.666666 to -0.333334"),
        (0.1, 0.1, "exactly 0.1"),
        (0.12345678, 0.12345679, "0.12345678 to 0.12345679"),
        (0.0, 1e-12, "0 to 1e-12"),
        (0.9999999, 2, "1 to 2"),
        (0.0072000000000000015, 0.008819999999999998, "0.0072 to 0.00882"),
        (0.05, 0.10999999999999999, "0.05 to 0.11"),
    ],
)
def test_intervals(low, high, text):
    assert interval(low, high) == text


def test_numbers_have_six_digits_whatever_their_size():
    shown = [number(v) for v in (1 / 3, 1e-9 / 3, 1e9 / 3)]
    assert shown == ["0.333333", "3.33333e-10", "3.33333e+08"]
    assert number(math.nan) == "nan"


def test_noise_beside_the_largest_is_nothing():
    assert round_together([1.05e-08, 632.456, 894.427], 4) == ["0", "632.5", "894.4"]
    assert round_together([0.6464, 0.763, -1.665e-16], 4) == ["0.6464", "0.763", "0"]
    assert round_together([2.23e-08, None, 2e-08], 4) == ["2.23e-08", "-", "2e-08"]
    assert round_together([0.0, None], 4) == ["0", "-"]


def test_plurals():
    assert [plural(n, "body") for n in (0, 1, 2)] == ["0 bodies", "1 body", "2 bodies"]
    assert plural(2, "error") == "2 errors"


@given(st.text(st.characters()))
def test_printable_is_one_visible_line_that_utf8_holds(text):
    shown = printable(text)
    assert shown.isprintable()
    shown.encode("utf-8")
    if text.isprintable():
        assert shown == text
