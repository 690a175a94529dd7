"""Two mistakes at once."""

import numpy as np
import pytest
from hypothesis import assume, given

from spoilt import bodies, causes_of, edited, margin, term

NEGATED = np.array([1, -1, -1, 1, -1, 1])


@given(bodies())
def test_row_by_row_and_in_square_centimetres(body):
    mass, com, (xx, xy, xz, yy, yz, _) = body
    wrong = np.array([xx, xy, xz, xy, yy, yz]) * 1e4
    assume(margin(wrong) < -1e-3)
    found = causes_of(mass, com, wrong)
    assert next(iter(found)) == "component-order"
    assert "(units)" in found["component-order"].evidence


def test_order_and_sign():
    """MuJoCo's order with a CAD program's sign: neither alone makes a body of it."""
    six = np.array([0.003003, -0.002396, -0.001531, 0.008613, -0.000588, 0.009348])
    xx, xy, xz, yy, yz, zz = six * NEGATED
    wrong = np.array([xx, yy, zz, xy, xz, yz])
    assert margin(six) > 0 > margin(wrong)
    assert margin(six * NEGATED) < 0
    found = causes_of(2.08, (0, 0, 0), wrong)["component-order"]
    assert "sign-of-products" in found.evidence
    assert edited(wrong, found) == pytest.approx(six)


@given(bodies(offset=1.5))
def test_point_and_unit(body):
    """A tensor in kg mm^2 that was moved, in metres, to where it already was."""
    mass, com, six = body
    wrong = (six - term(mass, com)) / 1e-6
    found = causes_of(mass, com, wrong)
    assume("double-parallel-axis" in found and "(units)" in found["double-parallel-axis"].evidence)
    assert margin(edited(wrong, found["double-parallel-axis"])) >= 0


def test_only_where_no_single_cause_explains_it():
    six = (0.0026619, -3.1029e-05, 9.34e-06, 0.0023025, 0.000151466, 1.676359)
    for each in causes_of(1.559, (0.1, 0, 0.1), six).values():
        assert "(units)" not in each.evidence
