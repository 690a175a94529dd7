"""Equivalent solids against the textbook inertias of boxes and ellipsoids."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.sampling import consistent
from inertial_check.inertia.solids import equivalent_box, equivalent_ellipsoid, radius_of_gyration

EPS = np.finfo(float).eps


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("mass", [1e-6, 2.0, 1e6])
def test_a_box_is_its_own_equivalent(mass: float, scale: float) -> None:
    a, b, c = scale * 1.0, scale * 2.0, scale * 5.0
    moments = [
        mass / 12 * (b * b + c * c),
        mass / 12 * (c * c + a * a),
        mass / 12 * (a * a + b * b),
    ]
    for permuted in itertools.permutations(moments):
        np.testing.assert_allclose(equivalent_box(mass, permuted), [a, b, c], rtol=64 * EPS)


def test_an_ellipsoid_is_its_own_equivalent() -> None:
    mass, a, b, c = 3.0, 0.1, 0.2, 0.5
    moments = [mass / 5 * (b * b + c * c), mass / 5 * (c * c + a * a), mass / 5 * (a * a + b * b)]
    np.testing.assert_allclose(equivalent_ellipsoid(mass, moments), [a, b, c], rtol=64 * EPS)


def test_the_box_of_a_cloud_has_the_variances_of_the_cloud() -> None:
    # A uniform distribution of width a has the variance a^2 / 12.
    rng = np.random.default_rng(0)
    points = rng.normal(size=(50, 3)) * [1.0, 0.2, 3.0]
    body = InertialParameters.from_point_masses(np.full(50, 0.1), points)
    variances = np.linalg.eigvalsh(np.cov(points.T, bias=True))
    edges = equivalent_box(body.mass, body.principal_moments())
    np.testing.assert_allclose(edges, np.sqrt(12 * variances), rtol=1e-12)
    k = radius_of_gyration(body.mass, body.principal_moments())
    distance = points - points.mean(axis=0)
    np.testing.assert_allclose(k, np.sqrt((distance**2).sum(axis=1).mean()), rtol=1e-12)


def test_a_sphere_of_radius_r_gyrates_at_r_sqrt_three_fifths() -> None:
    mass, r = 4.0, 0.25
    k = radius_of_gyration(mass, [2 / 5 * mass * r * r] * 3)
    assert k == pytest.approx(r * np.sqrt(3 / 5), rel=4 * EPS)


def test_plates_rods_and_points_have_no_thickness() -> None:
    assert equivalent_box(12, [1, 2, 3]).tolist() == [0, 1, np.sqrt(2)]
    assert equivalent_box(12, [0, 2, 2]).tolist() == [0, 0, np.sqrt(2)]
    assert equivalent_box(12, [0, 0, 0]).tolist() == [0, 0, 0]
    assert radius_of_gyration(12, [0, 0, 0]) == 0


def test_rounding_does_not_take_the_box_of_a_plate() -> None:
    moments = np.array([0.1, 0.2, 0.3])  # 0.3 - 0.2 is above 0.1 in binary, so order matters
    for permuted in itertools.permutations(moments):
        edges = equivalent_box(1.0, permuted)
        assert not np.isnan(edges).any()
        assert edges[0] < 1e-7 * edges[2]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_needle_is_as_thin_as_its_moment_says(dtype: type[np.floating]) -> None:
    # s = (1e-12 / 2, 1e-12 / 2, 1 - 1e-12 / 2): added to 1 first, 1e-12 would lose its digits.
    thin = dtype(1e-12)
    for permuted in itertools.permutations([thin, dtype(1), dtype(1)]):
        edges = equivalent_box(dtype(6), np.array(permuted))
        expected = np.sqrt([float(thin), float(thin), 2 - float(thin)])
        np.testing.assert_allclose(edges, expected, rtol=2 * float(np.finfo(dtype).eps))


def test_every_body_that_passes_has_a_box_in_both_precisions() -> None:
    bodies = consistent(11, 2000)
    for dtype in (np.float64, np.float32):
        theta = bodies.as_theta(about="com").astype(dtype)
        body = InertialParameters.from_theta(theta, about="com")
        passed = check(body).consistent
        edges = equivalent_box(body.mass, body.principal_moments())
        assert edges.dtype == dtype
        assert passed.mean() > 0.9
        assert not np.isnan(edges[passed]).any()


def test_a_missing_edge_is_nan_and_the_others_stay() -> None:
    edges = equivalent_box(12.0, [1.0, 1.0, 4.0])
    assert np.isnan(edges[0])
    np.testing.assert_allclose(edges[1:], [np.sqrt(2), np.sqrt(2)], rtol=4 * EPS)
    assert np.isnan(equivalent_ellipsoid(5.0, [-1.0, -1.0, -1.0])).all()
    assert np.isnan(radius_of_gyration(5.0, [-1.0, -1.0, -1.0]))


@pytest.mark.parametrize("mass", [0.0, -1.0, np.nan, -np.inf])
def test_no_positive_mass_no_solid(mass: float) -> None:
    assert np.isnan(equivalent_box(mass, [1.0, 1.0, 1.0])).all()
    assert np.isnan(equivalent_ellipsoid(mass, [1.0, 1.0, 1.0])).all()
    assert np.isnan(radius_of_gyration(mass, [1.0, 1.0, 1.0]))


def test_a_spoiled_row_spoils_only_itself() -> None:
    moments = np.array([[1.0, 1, 1], [np.nan, 1, 1], [1.0, 1, 1]])
    edges = equivalent_box(12.0, moments)
    assert np.isnan(edges[1]).all()
    np.testing.assert_allclose(edges[[0, 2]], np.sqrt(0.5), rtol=4 * EPS)


def test_shapes() -> None:
    assert equivalent_box(np.ones((4, 1)), np.ones((5, 3))).shape == (4, 5, 3)
    assert radius_of_gyration(np.ones((4, 1)), np.ones((5, 3))).shape == (4, 5)
    with pytest.raises(ParameterError, match=r"principal_moments has shape \(2,\)"):
        equivalent_box(1.0, [1.0, 2.0])
    with pytest.raises(ParameterError, match=r"mass \(4,\), principal_moments \(5,\)"):
        equivalent_ellipsoid(np.ones(4), np.ones((5, 3)))
