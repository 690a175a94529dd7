"""Decimal points and signs: planted, and mistaken for nothing else."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import inertial_check as ic
from inertial_check.checking.causes.text import _has_completion, shift_points
from inertial_check.inertia.representations import second_moment, symmetric
from spoilt import bodies, causes_of, edited, margin

MOMENTS = [0, 3, 5]


class TestDecimalSlip:
    @given(bodies(), st.sampled_from(MOMENTS), st.sampled_from([-3, -2, 2, 3]))
    def test_planted_at_any_scale(self, body, entry, power):
        mass, com, six = body
        wrong = six.copy()
        wrong[entry] = shift_points(six[entry], [power])[0]
        assume(margin(wrong) < -0.05)  # a slip that all but gives a body may be any small error
        found = causes_of(mass, com, wrong)
        if "decimal-slip" not in found:  # by chance, another mistake mends it and is more probable
            (first, *_) = found.values()
            assert first.confidence > 0.5
            assert margin(edited(wrong, first)) >= 0
            return
        slip = found["decimal-slip"]
        assert "decimal-slip" in list(found)[:3]
        mended = edited(wrong, slip)
        assert margin(mended) >= 0
        if "no other single entry" in slip.evidence:
            changed = np.flatnonzero(mended != wrong)
            assert changed.tolist() == [entry]

    def test_the_evidence_holds_the_numbers_and_says_that_no_other_entry_serves(self):
        six = (0.0026619, -3.1029e-05, 9.34e-06, 0.0023025, 0.000151466, 1.676359)
        slip = causes_of(1.559, (0, 0, 0), six)["decimal-slip"]
        assert slip.edit == {"body": "b0", "entries": {"izz": 0.001676359}}
        assert slip.confidence > 0.9
        for said in ("izz = 1.676359", "1000 times less", "0.001676359", "(margin 0.2)"):
            assert said in slip.evidence
        assert slip.evidence.endswith("no other single entry times a power of ten does")

    def test_other_entries_that_serve_are_named(self):
        six = (0.001983, 0.000245, 1.3e-05, 0.002103, 1.5e-06, 0.000408)
        slip = causes_of(0.634, (0, 0.016, -0.02), six)["decimal-slip"]
        assert slip.edit["entries"] == {"ixy": 2.45e-05}
        assert "so does izz = 0.00408" in slip.evidence

    @given(bodies())
    def test_not_of_a_body(self, body):
        assert "decimal-slip" not in causes_of(*body)

    def test_not_where_no_power_of_ten_serves(self):
        six = (1e-4, 9e-5, 9e-5, 1e-4, 9e-5, 1e-4)  # three products too large
        assert "decimal-slip" not in causes_of(0.1, (0, 0, 0), six)

    @given(st.floats(1e-300, 1e300), st.integers(-6, 6))
    def test_the_point_moves_and_no_digit_changes(self, value, power):
        moved = shift_points(value, [power])[0]
        assert moved == pytest.approx(value * 10.0**power, rel=1e-15)
        assert shift_points(0.1, [-2]) == [0.001]
        assert shift_points(1.676359, [-3]) == [0.001676359]


class TestNegativeDiagonal:
    @given(bodies(), st.sampled_from(MOMENTS))
    def test_planted_at_any_scale(self, body, entry):
        mass, com, six = body
        wrong = six.copy()
        wrong[entry] *= -1
        found = causes_of(mass, com, wrong)
        assert next(iter(found)) == "negative-diagonal"
        assert np.array_equal(edited(wrong, found["negative-diagonal"]), six)

    @given(bodies())
    def test_the_whole_tensor_negated(self, body):
        mass, com, six = body
        assume(np.all(six))
        found = causes_of(mass, com, -six)
        assert next(iter(found)) == "negative-diagonal"
        assert margin(edited(-six, found["negative-diagonal"])) >= 0

    def test_not_where_the_sign_does_not_mend_it(self):
        assert "negative-diagonal" not in causes_of(1, (0, 0, 0), (-0.9, 0, 0, 0.1, 0, 0.1))


class TestCopiedEntry:
    def test_a_moment_in_place_of_a_product(self):
        """Catches izz pasted into ixy, which several other readings mend by chance."""
        found = causes_of(2.1, (0, 0, 0), ("0.00412", "0.00537", "0", "0.00486", "0", "0.00537"))
        assert next(iter(found)) == "copied-entry"
        assert found["copied-entry"].edit["entries"] == {"ixy": 0.0}

    def test_not_where_no_product_mends_it(self):
        """Catches a cause that is named although the moments alone break the inequality."""
        found = causes_of(2.1, (0, 0, 0), ("0.0398", "0.00281", "0", "0.00281", "0", "0.0139"))
        assert "copied-entry" not in found

    @given(bodies(), st.sampled_from([1, 2, 4]), st.sampled_from(MOMENTS), st.floats(0.3, 3))
    def test_a_completion_is_a_product_with_a_body(self, body, product, entry, factor):
        """Catches a completion denied, or promised, against the best product of a search."""
        six = body[2].copy()
        six[entry] *= factor
        size = np.abs(six).max()

        def least_spread(value):
            S = symmetric(second_moment(np.where(np.arange(6) == product, value * size, six)))
            return -np.linalg.eigvalsh(S)[0]

        best = -minimize_scalar(least_spread, bounds=(-2, 2), method="bounded").fun
        assume(abs(best) > 1e-4 * size)
        assert _has_completion(six, product) == (best > 0)

    def test_short_numbers_agree_by_chance(self):
        """Catches a cause that is named where two digits agree."""
        found = causes_of(2.1, (0, 0, 0), ("0.0041", "0.0054", "0", "0.0048", "0", "0.0054"))
        assert "copied-entry" not in found


BOX = """<robot name="r"><link name="torso"><inertial><mass value="1"/>
<inertia ixx="0.0076166667" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="0.0037104167"/></inertial>
<visual><geometry><box size="0.125 0.17 0.25"/></geometry></visual></link></robot>"""


@pytest.mark.parametrize(
    ("iyy", "cause"),
    [
        ("0.065104167", "decimal-slip"),  # no body has it
        ("0.0078104167", "wrong-entry"),  # a digit that a body may have
        ("0.0085104167", "wrong-entry"),
    ],
)
def test_the_solid_that_is_drawn_proves_what_one_moment_was(iyy, cause):
    (file,) = ic.check_model(BOX.format(iyy=iyy).encode()).files
    found = [each for each in file.findings if each.causes]
    assert found
    for each in found:
        first = each.causes[0]
        assert (first.cause, first.confidence >= 0.6) == (cause, True)
        assert first.edit["entries"]["iyy"] == pytest.approx(0.0065104167, rel=1e-3)
    assert "are the moments of its visual box" in found[0].causes[0].evidence


def test_three_moments_of_a_solid_are_silent():
    assert ic.check_model(BOX.format(iyy="0.0065104167").encode()).findings == ()
