"""The ends of a printed interval can be copied into the model."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.reports.text import interval, number, plural, printable

finite = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False)
# The unit of the sixth digit of the largest floats cannot be added to them.
ends = finite.filter(lambda value: abs(value) < 1e300)


def ends_of(text):
    if text.startswith("exactly "):
        return (float(text.removeprefix("exactly ")),) * 2
    low, high = text.split(" to ")
    return float(low), float(high)


@given(ends, ends)
def test_printed_ends_lie_inside(a, b):
    low, high = sorted((a, b))
    shown_low, shown_high = ends_of(interval(low, high))
    assert low <= shown_low <= shown_high <= high


@given(ends, st.floats(1e-17, 1e-3))
def test_narrow_intervals_keep_their_inside(middle, relative):
    low, high = sorted((middle, middle * (1 + relative)))
    shown_low, shown_high = ends_of(interval(low, high))
    assert low <= shown_low <= shown_high <= high


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
    ],
)
def test_intervals(low, high, text):
    assert interval(low, high) == text


def test_numbers_have_six_digits_whatever_their_size():
    assert [number(v) for v in (1 / 3, 1e-9 / 3, 1e9 / 3)] == [
        "0.333333",
        "3.33333e-10",
        "3.33333e+08",
    ]
    assert number(math.nan) == "nan"


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
