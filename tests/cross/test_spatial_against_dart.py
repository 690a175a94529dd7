"""DART as an oracle: its spatial tensors, and what it reads of one with an added mass."""

import numpy as np
import pytest

from inertial_check.mechanics import added_mass

dart = pytest.importorskip("dartpy", reason="needs DART: pip install dartpy==6.20.0")


def theirs(lump):
    return dart.dynamics.Inertia(lump.sums.mass, lump.com, lump.inertia_com)


def test_tensors_have_the_same_numbers(lumps, assert_same):
    for lump in lumps:
        ours = added_mass.dart_spatial_tensor(lump.sums.mass, lump.com, lump.inertia_com)
        assert_same(ours, theirs(lump).getSpatialTensor(), lump.sums.mass, lump.length)


def test_what_is_read_of_a_sum_with_an_added_mass():
    rng = np.random.default_rng(4)
    for _ in range(20):
        G = rng.normal(size=(6, 6))
        tensor = G @ G.T
        inertia = dart.dynamics.Inertia(tensor)
        ours = added_mass.dart_parameters(tensor)
        assert ours.mass == inertia.getMass()
        np.testing.assert_allclose(ours.local_com, inertia.getLocalCOM(), rtol=1e-12)
        size = np.abs(ours.moment).max()
        np.testing.assert_allclose(ours.moment, inertia.getMoment(), rtol=0, atol=1e-12 * size)


def test_the_sum_that_gazebo_sets_is_kept(lumps):
    added = np.diag([6.0, 24, 24, 1, 2, 3])
    lump = lumps[0]
    X_BBcm = np.eye(4)
    X_BBcm[:3, 3] = lump.com
    tensor = added_mass.GzInertial.of(lump.sums.mass, lump.inertia_com, X_BBcm, added).dart_tensor()
    swap = [3, 4, 5, 0, 1, 2]
    expected = theirs(lump).getSpatialTensor() + added[np.ix_(swap, swap)]
    np.testing.assert_allclose(tensor, expected, rtol=1e-12, atol=1e-12)
    assert np.array_equal(dart.dynamics.Inertia(tensor).getSpatialTensor(), tensor)
