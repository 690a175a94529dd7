import math

import pytest

from inertial_check.formats.xml.reading import parse_plain


def test_plain_numbers_know_their_places():
    assert parse_plain(" 1.5\n-2e3\tinf") == (
        (1.5, "1.5", 1, 4),
        (-2000.0, "-2e3", 5, 9),
        (math.inf, "inf", 10, 13),
    )
    assert parse_plain(" ") == ()


@pytest.mark.parametrize(
    "text",
    [
        *("1,2", "1 2;3", "1_000", "0x10", "1.5f", "\uff11", "1\u00a02", "1\x0b2", "--1"),
        *("1 2 1e-400", "${mass} 1", "0" * 200),
    ],
)
def test_numbers_with_a_complaint_or_long_ones_are_not_plain(text):
    assert parse_plain(text) is None
