"""Coarse decimals: tensors printed with so few that little is left of them."""

import numpy as np
import pytest

from inertial_check.checking.evidence.digits import has_lost_decimals, is_padded, last_count

COARSE = ("0.001", "0.000", "0.000", "0.003", "0.001", "0.003")
GUESSED = ("0.001", "0", "0", "0.003", "0.001", "0.003")


def six(texts):
    return np.array([float(text) for text in texts])


@pytest.mark.parametrize(
    ("texts", "mass", "coarse"),
    [
        (COARSE, "0.314", True),
        (COARSE, "0.3", True),  # a program prints zeros with decimals
        (GUESSED, "0.314", True),
        (GUESSED, "0.3", False),  # a mass that was guessed goes with a tensor that was
        (GUESSED, "3.00", False),  # the zeros at the end of a mass are no digits of it
        (GUESSED, "100.", False),
        (GUESSED, "100.0", False),
        (("1e-3", *COARSE[1:]), "0.314", False),  # who prints exponents loses no digits
        (("0.0011", *COARSE[1:]), "0.314", False),
        (("0.101", "0.000", "0.000", "0.203", "0.001", "0.203"), "0.314", False),
        (("1", "0", "0", "1", "0", "1"), "0.314", False),
    ],
)
def test_what_is_coarse(texts, mass, coarse):
    """Catches a threshold that calls guessed, exact or sufficiently printed tensors coarse."""
    assert has_lost_decimals(texts, six(texts), 1.0, mass) is coarse


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e4])
def test_units_do_not_matter(unit):
    """Catches a threshold with a unit."""
    assert has_lost_decimals(COARSE, unit * six(COARSE), unit, "0.314")
    assert last_count(COARSE, unit) == pytest.approx(1e-3 * unit)


@pytest.mark.parametrize(
    ("texts", "padded"),
    [
        (COARSE, True),
        (("0.10", "0.00", "0.00", "0.10", "0.00", "0.10"), True),
        (("0.1", "0", "0", "0.1", "0", "0.1"), False),
        (("0.12", "0.0", "0.0", "0.12", "0.0", "0.12"), False),
        (("0.12", "0.13", "0.14"), False),  # no zero that a person would leave out
        (("1.00e-3", "0.00e+0", "0.00e+0"), False),
        (("100", "200", "0"), False),
    ],
)
def test_what_a_format_printed(texts, padded):
    """Catches a person's 0.1 that is taken for the work of "%.1f"."""
    assert is_padded(texts) is padded
