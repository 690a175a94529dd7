import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.documents.numbers import parse_number


@pytest.mark.parametrize(
    "text",
    ["1", "-1", "+1", "1.", ".5", "-.5e-1", "1e5", "1E+5", "007", "0.1", "123456789012345678"],
)
def test_decimal_numbers_are_the_nearest_floats(text):
    assert parse_number(text) == (float(Decimal(text)), None)


@pytest.mark.parametrize(
    ("text", "value"),
    [("inf", math.inf), ("-INF", -math.inf), ("+Infinity", math.inf), ("1e400", math.inf)],
)
def test_infinities_are_values_and_no_complaint(text, value):
    assert parse_number(text) == (value, None)


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan"])
def test_nan_is_a_value_and_no_complaint(text):
    value, complaint = parse_number(text)
    assert math.isnan(value)
    assert complaint is None


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("1,5", "write 1.5"),
        ("1_000", "write 1000"),
        ("0x1p3", "write 8.0"),
        ("1.0f", "write 1.0"),
        ("1.5 kg", "write 1.5"),
        ("1d-3", "write 1e-3"),
        ("\uff11.5", "write 1.5"),
        ("\N{MINUS SIGN}2", "write -2"),
        ("${mass}", "expand the file"),
        ("$(arg mass)", "expand the file"),
        ("", "expected a decimal number"),
        (".", "expected a decimal number"),
        ("1e", "expected a decimal number"),
        ("--1", "expected a decimal number"),
        ("1.2.3", "expected a decimal number"),
        ("1 2", "expected a decimal number"),
        ("1,000.5", "expected a decimal number"),
        ("0x", "expected a decimal number"),
        ("0x1p99999", "expected a decimal number"),
        ("infinit", "expected a decimal number"),
        ("\u0661", "write 1"),
        ("1\u00a0", "expected a decimal number"),
    ],
)
def test_what_is_no_number_stays_none_and_says_the_way_out(text, way_out):
    value, complaint = parse_number(text)
    assert math.isnan(value)
    assert f'"{text}"' in complaint
    assert way_out in complaint


def test_a_number_too_small_for_a_float_is_told_and_a_long_text_cut():
    value, complaint = parse_number("-1e-400")
    assert value == 0
    assert "-1e-400" in complaint
    assert parse_number("0.000e-400") == (0.0, None)
    assert parse_number("4.9e-324")[1] is None
    _, complaint = parse_number("9" * 10_000 + "x")
    assert len(complaint) < 200


@given(st.text(max_size=12))
def test_whatever_float_refuses_is_refused(text):
    value, complaint = parse_number(text)
    try:
        expected = float(text)
    except ValueError:
        assert complaint is not None
        assert math.isnan(value)
    else:
        assert math.isnan(value) or value == expected


@given(st.floats())
def test_every_float_comes_back(value):
    parsed, complaint = parse_number(repr(value))
    assert complaint is None
    assert parsed == value or (math.isnan(parsed) and math.isnan(value))
