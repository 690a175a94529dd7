"""Digits that were not printed."""

import numpy as np
import pytest

from spoilt import causes_of, margin


class TestFewDigits:
    @pytest.mark.parametrize("digits", [0, 1, 2])
    def test_rounded_until_it_broke(self, digits):
        rng, seen = np.random.default_rng(digits), 0
        while seen < 20:
            x, y, z = rng.uniform(1, 9), rng.uniform(1, 9), rng.uniform(0, 0.3)
            scale = 10 ** rng.uniform(-12, 5)
            six = np.array([y + z, 0, 0, x + z, 0, x + y]) * scale
            texts = [f"{value:.{digits}e}" if value else "0" for value in six]
            if margin(texts) > -1e-6:
                continue
            seen += 1
            found = causes_of(scale * 1e3, (0, 0, 0), texts)
            assert next(iter(found)) == "few-digits"
            assert found["few-digits"].edit is None
            assert f"{digits + 1} digit" in found["few-digits"].evidence

    def test_cut_off_by_a_whole_unit(self):
        found = causes_of(1, (0, 0, 0), ("0.00210", 0, 0, "0.00340", 0, "0.00552"))
        assert "one unit" in found["few-digits"].evidence

    def test_not_where_the_digits_are_far_too_fine(self):
        six = ("0.0021003", 0, 0, "0.0034001", 0, "0.0060000")
        assert "few-digits" not in causes_of(1, (0, 0, 0), six)

    def test_integers_are_exact(self):
        assert "few-digits" not in causes_of(1000, (0, 0, 0), ("1", "0", "0", "2", "0", "4"))

    def test_a_minus_was_not_made_by_rounding(self):
        six = ("0.001", 0, 0, "-0.001", 0, "0.001")
        assert not {"few-digits", "fixed-decimals"} & set(causes_of(1, (0, 0, 0), six))


class TestFixedDecimals:
    def test_planted(self):
        rng = np.random.default_rng(7)
        seen = 0
        while seen < 20:
            a, b = rng.uniform(0.5, 2.5, 2)
            six = np.array([a, 0, 0, b, 0, rng.uniform(abs(a - b), a + b)]) * 1e-3
            texts = [f"{value:.3f}" for value in six]
            if margin(texts) > -1e-6 or not any(map(float, texts)):
                continue
            seen += 1
            found = causes_of(0.3, (0, 0, 0), texts)
            assert "fixed-decimals" in list(found)[:2]
            assert "3 decimals" in found["fixed-decimals"].evidence

    def test_not_of_numbers_with_exponents_and_all_their_digits(self):
        six = ("1.2345e-03", 0, 0, "1.1111e-03", 0, "2.4567e-03")
        assert "fixed-decimals" not in causes_of(1, (0, 0, 0), six)

    def test_not_of_a_body(self):
        six = ("0.001", "0.000", "0.000", "0.001", "0.000", "0.001")
        assert "fixed-decimals" not in causes_of(0.3, (0, 0, 0), six)

    def test_zeros_of_a_body_so_light_that_they_would_be(self):
        assert "fixed-decimals" in causes_of(0.01, (0, 0, 0), ["0.0000"] * 6)
        assert "fixed-decimals" not in causes_of(2, (0, 0, 0), ["0.0000"] * 6)
