"""Numbers into text: style, digits, and the choice between text and nearest tensor."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from fixing import distance, nearest_covariance, nearest_inertia
from inertial_check.documents.model import Number
from inertial_check.fixing.digits import (
    Region,
    format_exactly,
    format_number,
    print_nearest,
    significant_digits,
    survives_rounding,
)
from inertial_check.projection.exact import is_exact_tensor


@pytest.mark.parametrize(
    ("text", "digits"),
    [("0", 0), ("0.000", 0), ("0.00190", 3), ("-1.486e-06", 4), ("100", 3), (".5", 1), ("1E5", 1)],
)
def test_significant_digits(text, digits):
    assert significant_digits(text) == digits


@pytest.mark.parametrize(
    ("value", "digits", "like", "expected"),
    [
        (2.93333333e-6, 8, "0.0000029", "0.0000029333333"),  # fixed stays fixed, however small
        (1.486123456e-6, 8, "1.486e-06", "1.4861235e-06"),
        (0.0001147777777, 8, "0.000115", "0.00011477778"),
        (0.5, 8, "5E-1", "5E-1"),  # letter and width of the exponent
        (2e-3, 8, "+2e-003", "2e-003"),
        (3e2, 8, "1.0e+02", "3.0e+02"),
        (3e2, 8, "1.0e2", "3.0e2"),
        (3e-3, 8, "0.00300", "0.00300"),  # never fewer digits than there were
        (1.25, 8, "1", "1.25"),
        (0.1, 17, "0.1", "0.1"),  # digits that only repeat the binary are no digits
        (2.0**-24, 17, "0", "5.9604644775390625e-08"),  # repr's digits, rounded, name its neighbour
        (1e-18, 8, "0", "1e-18"),
        (0.02, 8, "0", "0.02"),
        (1e-9, 8, "0.001", "1e-09"),  # a million times smaller: zeros would hide it
        (0.0, 8, "1e-3", "0"),
    ],
)
def test_the_style_of_the_file_is_kept(value, digits, like, expected):
    assert format_number(value, digits, like) == expected
    assert format_number(-value, digits, like) == (f"-{expected}" if value else expected)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["0", "1", "0.00012", "1.5e-06", "2E+003", "-12.5"]),
)
def test_seventeen_digits_name_every_float(value, like):
    assert float(format_number(value, 17, like)) == value


@given(
    st.floats(1e-12, 1e12), st.integers(1, 17), st.sampled_from(["0.001230", "1.50e-6", "25", "0"])
)
def test_as_many_digits_as_asked_and_as_there_were(value, digits, like):
    text = format_number(value, digits, like)
    wanted = max(digits, significant_digits(like))
    assert float(text) == pytest.approx(value, rel=0.51 * 10.0 ** (1 - wanted))
    assert significant_digits(text) >= significant_digits(like)


@pytest.mark.parametrize(
    ("value", "like", "expected"),
    [
        (0.01676359 / 10, "0.01676359", "0.001676359"),
        (0.1 * 3 * 0.1, "0.3", "0.03"),  # 0.030000000000000006
        (-0.0021, "0.0021", "-0.0021"),
        (2.1, "-0.0021", "2.1"),
        (0.0168, "0.1680", "0.01680"),  # no digit is lost
        (1.25e-7, "1.25e-4", "1.25e-7"),
        (0.0, "0.01", "0"),
        (1 / 3, "0.3", "0.3333333333333333"),  # the float itself where no digits are shared
        (0.03, "0", "0.03"),
        (0.03, "abc", "0.03"),
        (-2.64433379845e-07, "2.6443337984506E-07", "-2.6443337984506E-07"),  # rounded by a cause
        (2.64433379845e-04, "-2.6443337984506E-07", "2.6443337984506E-04"),
        (26.4, "26.4e-3", "26.4e0"),
        (0.0012, "+1.2e-03", "1.2e-03"),
    ],
)
def test_a_number_that_was_meant_is_written_as_its_author_would(value, like, expected):
    assert format_exactly(value, like) == expected


def test_numbers_that_change_places_keep_their_digits():
    others = ["0.00010", "3.50e-4", "2.6443337984506E-07"]
    assert format_exactly(-2.64433379845e-07, "0.5", others) == "-2.6443337984506E-07"
    assert format_exactly(0.00035, "0.5", others) == "3.50e-4"


@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=1e-200, max_value=1e200),
    st.sampled_from(["0.0012", "1.5e-06", "-12.5", "0", "7"]),
)
def test_it_is_that_float_up_to_rounding(value, like):
    assert float(format_exactly(value, like)) == pytest.approx(value, rel=2e-15)


@pytest.mark.parametrize(
    ("six", "body"),
    [
        ((0.7, 0, 0, 0.1, 0, 0.8), False),  # the floats nearest to an exact plate
        ((0.125, 0, 0, 0.25, 0, 0.375), True),
        ((1, 0, 0, 1, 0, 2 + 2**-51), False),
        ((1, 0, 0, 1, 0, 2), True),
        ((1, 0.5, 0, 1, 0, 1), True),
        ((1, 0.5 + 2**-53, 0, 1, 0, 1), False),
        ((0, 0, 0, 0, 0, 0), False),
        ((-1, 0, 0, -1, 0, -1), False),
    ],
)
def test_a_body_is_decided_exactly(six, body):
    assert is_exact_tensor(six) == body
    if any(six) and max(six) > 0:
        assert is_exact_tensor(six) == oracles.is_consistent(six)


def test_a_margin_is_decided_exactly():
    assert is_exact_tensor((1, 0, 0, 1, 0, 1.5), 1 / 7 - 1e-16)
    assert not is_exact_tensor((1, 0, 0, 1, 0, 1.5), 1 / 7 + 1e-16)


def test_what_float32_breaks_does_not_survive():
    plate = (1 / 3, 0, 0, 1 / 3, 0, 2 / 3)
    assert not survives_rounding(np.array(plate))  # no room for the eigenvalues of an engine
    hair = (1 / 3, 0, 0, 1 / 3, 0, 2 / 3 * (1 - 1e-12))
    assert is_exact_tensor(hair)
    single = np.array((1, 0, 0, 0.7, 0, 1.7 * (1 - 1e-12)))
    assert is_exact_tensor(single.tolist())
    assert not survives_rounding(single)  # float32(0.7) is below 0.7
    assert not survives_rounding(np.array((1e60, 0, 0, 1e60, 0, 1e60)))  # beyond float32
    assert survives_rounding(np.array((1.0, 0, 0, 1, 0, 1)))


def numbers(*texts):
    return [Number(float(text), text, None) for text in texts]


@pytest.mark.parametrize(
    ("metric", "oracle"), [("inertia", nearest_inertia), ("covariance", nearest_covariance)]
)
@pytest.mark.parametrize(
    "texts",
    [
        ("0.00801", "0", "0", "0.0801", "0", "0.00081"),
        ("0.0000029", "0", "0", "0.0000033", "0", "0.0000003"),
        ("1e-1", "2e-2", "-3e-2", "1e-1", "1e-2", "5e-1"),
        ("-0.02", "0", "0", "0.03", "0", "0.04"),
        ("1", "1", "1", "1", "1", "1"),
        ("0.002", "0", "0", "0", "0", "0"),
        ("1.5359162", "-0", "-0", "-0.90039274", "-0", "-0.8890168"),  # hardly any body is left
        ("1.2345678901234567", "0", "0", "1.2345678901234567", "0", "2.4691357802469139"),
    ],
)
def test_printed_text_is_a_body_and_the_nearest(texts, metric, oracle):
    given_six = numbers(*texts)
    before = np.array([number.value for number in given_six])
    nearest = Region(metric, 0.0).find_nearest(before)
    printed = print_nearest(given_six, nearest, Region(metric, 0.0))
    assert oracles.is_consistent(printed)
    assert oracles.is_consistent(np.array(printed, dtype=np.float32).tolist())
    assert distance([float(text) for text in printed], oracle(before)) < 1.01e-6


def test_zero_products_of_a_diagonal_or_block_tensor_keep_their_text():
    given_six = numbers("0.01", "0", "0.0", "0.02", "0e0", "0.05")
    nearest = Region("inertia", 0.0).find_nearest(np.array([n.value for n in given_six]))
    printed = print_nearest(given_six, nearest, Region("inertia", 0.0))
    assert (printed[1], printed[2], printed[4]) == ("0", "0.0", "0e0")
    block = numbers("0.01", "0.003", "0", "0.02", "-0.0", "0.05")
    nearest = Region("inertia", 0.0).find_nearest(np.array([n.value for n in block]))
    printed = print_nearest(block, nearest, Region("inertia", 0.0))
    assert printed[1] == "0.003"  # the long axis is z: nothing moves in the x-y block's product
    assert (printed[2], printed[4]) == ("0", "-0.0")


def test_few_digits_are_spent():
    given_six = numbers("0.02", "0", "0", "0.03", "0", "0.08")
    nearest = Region("inertia", 0.0).find_nearest(np.array([n.value for n in given_six]))
    printed = print_nearest(given_six, nearest, Region("inertia", 0.0))
    assert max(significant_digits(text) for text in printed) <= 8
