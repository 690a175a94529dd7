"""Sizes, shapes and axes of spreads: what must not change them, and what they must see."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation

from inertial_check.inertia import resemblance

SEEDS = st.integers(0, 2**32 - 1)
SCALES = st.floats(1e-6, 1e6)


def spreads(seed, count=1):
    """Random covariances whose principal values differ by a tenth of the trace at least."""
    rng = np.random.default_rng(seed)
    R = Rotation.random(count, random_state=rng).as_matrix()
    values = np.array([0.1, 0.3, 0.6]) * rng.uniform(0.9, 1.1, (count, 3))
    return np.einsum("nij,nj,nkj->nik", R, values, R)


def turn(seed):
    return Rotation.random(random_state=np.random.default_rng(seed)).as_matrix()


@given(SEEDS, st.sampled_from([(), (4,), (5, 2)]), st.sampled_from([1e-200, 1e-3, 1.0, 1e200]))
def test_norms_are_those_of_numpy_to_the_bit(seed, shape, scale):
    """A last digit that differs would change numbers in reports."""
    differences = scale * np.random.default_rng(seed).normal(size=(*shape, 3, 3))
    for axis in (-1, (-2, -1)):
        with np.errstate(all="ignore"):
            expected = np.linalg.norm(differences, axis=axis)
            assert np.array_equal(resemblance.norm(differences, axis), expected)


@given(SEEDS, SCALES, SCALES)
def test_spread_and_inertia_are_inverse_at_every_scale(seed, mass, length):
    (C,) = spreads(seed) * length**2
    assert resemblance.spread(mass, resemblance.inertia(mass, C)) == pytest.approx(
        C, rel=1e-9, abs=1e-12 * length**2
    )


def test_spread_of_a_box():
    edges = np.array([0.1, 0.2, 0.3])
    moments = np.diag([0.13, 0.1, 0.05]) * 2 / 12
    assert resemblance.spread(2.0, moments) == pytest.approx(np.diag(edges**2 / 12))
    assert resemblance.volume(resemblance.spread(2.0, moments)) == pytest.approx(0.006)
    assert resemblance.equivalent_density(2.0, resemblance.spread(2.0, moments)) == pytest.approx(
        2 / 0.006
    )


@given(SEEDS, SEEDS, SCALES)
def test_no_measure_changes_with_units_or_a_turn_of_both(seed, other, length):
    (C,), (C_G,), R = spreads(seed), spreads(other), turn(seed)
    pairs = (
        (C, C_G),
        (length**2 * C, length**2 * C_G),
        (resemblance.rotate(R, C), resemblance.rotate(R, C_G)),
    )
    for measure in (
        resemblance.size_ratio,
        resemblance.shape_distance,
        resemblance.misfit,
        resemblance.discrepancy,
        resemblance.misalignment,
    ):
        first, *others = (float(measure(*pair)) for pair in pairs)
        assert others == pytest.approx([first] * 2, rel=1e-6, abs=1e-6), measure.__name__


@given(SEEDS, SCALES)
def test_size_is_no_shape_and_axes_are_no_shape(seed, factor):
    (C,), R = spreads(seed), turn(seed)
    assert resemblance.misfit(C, factor * C) == pytest.approx(0, abs=1e-12)
    assert resemblance.size_ratio(factor**2 * C, C) == pytest.approx(factor)
    assert resemblance.shape_distance(resemblance.rotate(R, C), C) == pytest.approx(0, abs=1e-9)
    assert resemblance.misfit(resemblance.rotate(R, C), C) >= -1e-12


@given(SEEDS, SEEDS)
def test_misfit_is_at_least_the_difference_of_the_shapes(seed, other):
    (C,), (C_G,) = spreads(seed), spreads(other)
    assert resemblance.misfit(C, C_G) >= resemblance.shape_distance(C, C_G) - 1e-12


@pytest.mark.parametrize("degrees", [0, 5, 20, 45, 90])
def test_misalignment_is_the_angle_of_the_turn(degrees):
    C = np.diag([0.1, 0.3, 0.6])
    R = Rotation.from_euler("z", degrees, degrees=True).as_matrix()
    assert np.degrees(resemblance.misalignment(C, resemblance.rotate(R, C))) == pytest.approx(
        degrees, abs=1e-6
    )


@pytest.mark.parametrize("values", [(1, 1, 1), (1, 1.05, 1.1)])
def test_axes_of_a_cube_are_anyones_choice(values):
    C = np.diag(np.array(values, dtype=float))
    R = Rotation.from_euler("xyz", [40, 50, 60], degrees=True).as_matrix()
    assert resemblance.misalignment(C, resemblance.rotate(R, C)) == 0


def test_of_a_cylinder_one_axis_counts():
    C = np.diag([1.0, 1.0, 4.0])
    about = Rotation.from_euler("z", 50, degrees=True).as_matrix()
    across = Rotation.from_euler("x", 50, degrees=True).as_matrix()
    assert resemblance.misalignment(C, resemblance.rotate(about, C)) == pytest.approx(0, abs=1e-9)
    assert np.degrees(resemblance.misalignment(C, resemblance.rotate(across, C))) == pytest.approx(
        50
    )


def test_shares_of_a_rod_and_of_a_ball():
    assert resemblance.shares(np.diag([0.0, 0, 3])) == pytest.approx([0, 0, 1])
    assert resemblance.shares(np.eye(3)) == pytest.approx([1 / 3] * 3)
    assert resemblance.shape_distance(np.diag([0.0, 0, 3]), np.eye(3)) == pytest.approx(
        0.8165, abs=1e-4
    )


def test_a_plate_has_no_volume_and_what_no_body_has_is_not_a_number():
    assert resemblance.volume(np.diag([0.0, 1, 1])) == 0
    assert resemblance.equivalent_density(1.0, np.diag([0.0, 1, 1])) == np.inf
    assert np.isnan(resemblance.volume(np.diag([-1.0, 1, 1])))
    assert np.isnan(resemblance.size(np.diag([-3.0, 1, 1])))


def test_flipping_products_twice_is_nothing_and_commutes_with_the_spread():
    (C,) = spreads(3)
    assert (resemblance.flip_products(resemblance.flip_products(C)) == C).all()
    flipped = resemblance.spread(2.0, resemblance.flip_products(resemblance.inertia(2.0, C)))
    assert flipped == pytest.approx(resemblance.flip_products(C))


@given(SCALES, st.floats(-0.4, 3))
def test_excess_over_a_cube(edge, beyond):
    directions = np.concatenate([np.eye(3), -np.eye(3)])
    support = np.full(6, edge / 2)
    point = np.array([edge / 2 + beyond * edge, 0, 0])
    found = resemblance.excess(point, directions, support, edge * np.sqrt(3))
    assert found * np.sqrt(3) == pytest.approx(beyond, abs=1e-6)


def test_batches_are_the_single_ones():
    C, C_G = spreads(1, 5), spreads(2, 5)
    for measure in (
        resemblance.size_ratio,
        resemblance.shape_distance,
        resemblance.misfit,
        resemblance.discrepancy,
        resemblance.misalignment,
    ):
        single = [float(measure(a, b)) for a, b in zip(C, C_G, strict=True)]
        assert measure(C, C_G) == pytest.approx(single)
