"""Likelihoods: what an agreement counts, and how much a disagreement costs at most."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.checking.causes.base import (
    CEILING,
    calibrate,
    components_of_shapes,
    likelihood_of_density,
    likelihood_of_form,
    likelihood_of_likeness,
    likelihood_of_twin,
)
from inertial_check.checking.evidence.likeness import HONEST_MISFITS

CLOSE = components_of_shapes(HONEST_MISFITS[0], 0.0)
LOOSE = components_of_shapes(HONEST_MISFITS[1], 0.0)


def ratio(better, worse, of):
    return float(np.divide(*likelihood_of_form(np.array([better, worse]), of)))


def test_a_reading_counts_as_much_as_was_measured():
    """Catches the fixed width of 0.35, which made a ratio of 1.4 of this."""
    assert ratio(0.004, 0.238, CLOSE) > 60
    assert 2 < ratio(0.004, 0.238, LOOSE) < ratio(0.004, 0.238, CLOSE)


def test_printed_digits_widen_the_agreement():
    """Catches a width of zero for numbers of two digits: 0.01 off is then an agreement."""
    printed = components_of_shapes(HONEST_MISFITS[0], 0.02)
    exact = likelihood_of_form(np.array([0.002, 0.012]), CLOSE)
    rounded = likelihood_of_form(np.array([0.002, 0.012]), printed)
    assert rounded[1] / rounded[0] > 2 * exact[1] / exact[0]


@given(st.floats(0, 1.4), st.floats(-7, 7))
def test_no_witness_rules_a_body_out_alone(misfit, log_size):
    """Catches a tail that underflows: the likelihood stays positive and falls with the misfit."""
    values = np.array([misfit, misfit + 0.05]), np.array([log_size, log_size])
    near, far = likelihood_of_likeness(*values, LOOSE)
    assert near >= far > 0
    near, far = likelihood_of_twin(*values, np.zeros(2))
    assert near >= far > 0


@given(st.floats(-6, 6), st.floats(-3, 3))
def test_the_density_has_no_units_of_its_own(decades, size):
    """Catches a likelihood of mass or size alone: bodies of one density are alike at every size."""
    scale = 10.0**size
    mass, moment = 800.0, 800.0 * 0.25 * 10.0**decades
    one = likelihood_of_density(np.array([mass]), np.array([moment]))
    other = likelihood_of_density(np.array([mass * scale**3]), np.array([moment * scale**5]))
    assert np.allclose(one, other, rtol=1e-9)


@given(st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_the_calibration_keeps_the_order(one, other, proven):
    """Catches a calibration that exceeds 1 or makes the less probable the more probable."""
    low, high = sorted((one, other))
    assert 0 <= calibrate(low, proven) <= calibrate(high, proven) <= CEILING
