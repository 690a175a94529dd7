"""Numbers that nobody meant."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spoilt import bodies, causes_of, edited, margin


class TestUnpopulated:
    @given(bodies(), st.sampled_from([0, 3, 5]))
    def test_one_moment_alone(self, body, entry):
        mass, com, six = body
        wrong = np.zeros(6)
        wrong[entry] = six[entry]
        found = causes_of(mass, com, wrong)
        assert next(iter(found)) == "unpopulated"
        assert found["unpopulated"].edit is None
        assert found["unpopulated"].confidence > 0.9

    @given(bodies(), st.sampled_from([0, 3, 5]))
    def test_crumbs_beside_one_moment(self, body, entry):
        mass, com, six = body
        wrong = six * 1e-14
        wrong[entry] = six[entry]
        assert next(iter(causes_of(mass, com, wrong))) == "unpopulated"

    @pytest.mark.parametrize("six", [(0,) * 6, ("1e-16", 0, 0, "3e-17", 0, "-1e-17")])
    def test_nothing_but_crumbs(self, six):
        found = causes_of(1, (0, 0, 0), six)["unpopulated"]
        assert "for 1 kg" in found.evidence

    def test_half_repaired(self):
        found = causes_of(0.0798, (0, 0, 0), (0.002, 0, 0.0002, 0, 0, 0.0002))
        first = found["unpopulated"]
        assert next(iter(found)) == "unpopulated"
        assert "iyy is exactly 0 beside ixx = 0.002, ixz = 0.0002, izz = 0.0002" in first.evidence
        assert "ixz not 0: filled in by half" in first.evidence

    @given(bodies())
    def test_not_of_a_tensor_that_is_filled_in(self, body):
        mass, com, six = body
        assume(np.all(six))
        assert "unpopulated" not in causes_of(mass, com, six)
        assert "unpopulated" not in causes_of(mass, com, six * [1, 1, 1, 1, 1, 40])


class TestSameNumberEverywhere:
    @given(st.floats(1e-8, 1e4))
    def test_six_times_the_same(self, value):
        text = f"{value:.4g}"
        found = causes_of(1.0, (0, 0, 0), [text] * 6)
        assert "same-number-everywhere" in found
        mended = edited([text] * 6, found["same-number-everywhere"])
        assert np.array_equal(mended, float(text) * np.array([1, 0, 0, 1, 0, 1]))

    def test_first_and_sure_at_a_usual_size(self):
        found = causes_of(0.1, (0, 0, 0), ["0.01"] * 6)
        assert next(iter(found)) == "same-number-everywhere"
        assert found["same-number-everywhere"].confidence > 0.95
        assert "all six entries are 0.01" in found["same-number-everywhere"].evidence

    def test_three_and_three(self):
        six = (0.00196, 0.001, 0.001, 0.00196, 0.001, 0.00196)
        assert margin(six) < 0
        assert "same-number-everywhere" in causes_of(1, (0, 0, 0), six)

    def test_not_of_a_ball(self):
        found = causes_of(1, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
        assert "same-number-everywhere" not in found
