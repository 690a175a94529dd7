"""Which body spreads more, and which resists more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clouds
from inertial_check.errors import ParameterError
from inertial_check.inertia.consistency import resists_more, spreads_more

scales = st.floats(1e-9, 1e9)


def six_of_spreads(spreads: np.ndarray) -> np.ndarray:
    """The inertia (..., 6) of a diagonal second moment."""
    x, y, z = np.moveaxis(np.asarray(spreads, dtype=float), -1, 0)
    none = np.zeros_like(x)
    return np.stack([y + z, none, none, z + x, none, x + y], axis=-1)


@given(st.integers(0, 10**6), scales)
def test_more_mass_spreads_more_and_resists_more(seed, scale):
    masses, points = clouds.cloud(seed, spread=scale)
    part = clouds.theta_of(masses[:4], points[:4])[4:]
    whole = clouds.theta_of(masses, points)[4:]
    assert spreads_more(whole, part)
    assert resists_more(whole, part)
    assert not spreads_more(part, whole)
    assert spreads_more(whole, whole)


def test_neither_of_two_rods_across_spreads_more():
    rods = six_of_spreads([[1.0, 0, 0], [0, 1.0, 0]])
    assert spreads_more(rods, rods[::-1]).tolist() == [False, False]


def test_a_ring_resists_more_than_a_ball_and_does_not_spread_more():
    ring, ball = six_of_spreads([0.5, 0.5, 0.0]), six_of_spreads([0.2, 0.2, 0.2])
    assert resists_more(ring, ball)
    assert not spreads_more(ring, ball)


def test_products_count():
    plain, tilted = np.array([2.0, 0, 0, 2, 0, 2]), np.array([2.0, 0.1, 0, 2, 0, 2])
    assert not spreads_more(tilted, plain)
    assert not resists_more(tilted, plain)


def test_what_is_not_finite_spreads_no_more():
    body = six_of_spreads([1.0, 1, 1])
    assert not spreads_more(body * np.nan, body)
    assert not resists_more(body + np.inf, body)
    with pytest.raises(ParameterError, match="than has shape"):
        spreads_more(body, np.eye(3))
