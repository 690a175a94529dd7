"""Coarse decimals: tensors printed with so few that little is left of them."""

import numpy as np
import pytest

from inertial_check.evidence.decimals import has_coarse_decimals, last_count

COARSE = ("0.001", "0.000", "0.000", "0.003", "0.001", "0.003")


def six(texts):
    return np.array([float(text) for text in texts])


@pytest.mark.parametrize(
    ("texts", "mass", "coarse"),
    [
        (COARSE, "0.314", True),
        (COARSE, "0.3", False),  # a mass that was guessed goes with a tensor that was
        (COARSE, "3.00", False),
        (("1e-3", *COARSE[1:]), "0.314", False),  # who prints exponents loses no digits
        (("0.0011", *COARSE[1:]), "0.314", False),
        (("0.101", "0.000", "0.000", "0.203", "0.001", "0.203"), "0.314", False),
        (("1", "0", "0", "1", "0", "1"), "0.314", False),
    ],
)
def test_what_is_coarse(texts, mass, coarse):
    """Catches a threshold that calls guessed, exact or sufficiently printed tensors coarse."""
    assert has_coarse_decimals(texts, six(texts), 1.0, mass) is coarse


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e4])
def test_units_do_not_matter(unit):
    """Catches a threshold with a unit."""
    assert has_coarse_decimals(COARSE, unit * six(COARSE), unit, "0.314")
    assert last_count(COARSE, unit) == pytest.approx(1e-3 * unit)
