"""Densities are integrated: against closed forms, with errors that mean what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.inertia import solids
from inertial_check.inertia.sampling import Estimate, from_samples, integrate

LOWER, UPPER = np.array([-0.5, -0.4, -0.3]), np.array([0.7, 0.6, 0.5])
BALL_AT, BOX_AT = np.array([0.3, 0.2, 0.1]), np.array([-0.2, -0.1, 0.0])
EDGES = np.array([0.5, 0.4, 0.3])


def uneven(points: Any) -> Any:
    """A light box with a heavy ball sunk into it: 500 and 2000 kg/m^3, 2500 where both are."""
    ball = ((points - BALL_AT) ** 2).sum(-1) <= 0.25**2
    box = (abs(points - BOX_AT) <= EDGES / 2).all(-1)
    return 2000.0 * ball + 500.0 * box


EXACT = solids.sphere(0.25, density=2000.0).translate(BALL_AT) + solids.box(
    EDGES, density=500.0
).translate(BOX_AT)
NAMES = ("mass", "first_moment", "com", "inertia_origin", "inertia_com")


def off(estimate: Estimate, name: str) -> Any:
    """How many standard errors the estimate is from the closed form."""
    got, error = getattr(estimate.parameters, name), getattr(estimate.standard_error, name)
    return (got - getattr(EXACT, name)) / error


@pytest.mark.parametrize("name", NAMES)
def test_errors_are_standard_deviations(name: str) -> None:
    """Over 400 estimates each number is off by one error in square mean, by 0 on average."""
    many = integrate(uneven, np.tile(LOWER, (400, 1)), UPPER, rng=7, count=2000)
    scores = off(many, name)
    assert scores.shape[0] == 400
    deviation = np.sqrt((scores**2).mean(axis=0))
    assert np.all((deviation > 0.88) & (deviation < 1.12))
    assert np.all(np.abs(scores.mean(axis=0)) < 0.25)


def test_errors_fall_with_the_root_of_the_count() -> None:
    few, many = (integrate(uneven, LOWER, UPPER, rng=1, count=n) for n in (1000, 64000))
    for name in NAMES:
        ratio = getattr(few.standard_error, name) / getattr(many.standard_error, name)
        assert np.all((ratio > 6) & (ratio < 10.5))


def test_an_estimate_of_few_points_is_a_body() -> None:
    crude = integrate(lambda points: points[..., 0] ** 2, -np.ones((50, 3)), np.ones(3), 3, count=4)
    assert ic.check(crude.parameters).consistent.all()


def test_samples_of_the_mass_itself_know_the_mass() -> None:
    rng = np.random.default_rng(5)
    covariance = np.diag([0.01, 0.04, 0.09])
    points = rng.multivariate_normal([1.0, 2.0, 3.0], covariance, size=200_000)
    estimate = from_samples(np.ones(len(points)), points, volume=3.0)
    assert estimate.parameters.mass == pytest.approx(3.0, rel=1e-14)
    assert estimate.standard_error.mass == pytest.approx(0, abs=1e-15)
    np.testing.assert_allclose(estimate.parameters.covariance, covariance, atol=1e-3)
    score = (estimate.parameters.com - [1.0, 2.0, 3.0]) / estimate.standard_error.com
    assert np.all(np.abs(score) < 4)


def test_a_seed_repeats_and_a_generator_goes_on() -> None:
    rng = np.random.default_rng(2)
    first, second = (integrate(uneven, LOWER, UPPER, rng, 500).parameters.mass for _ in range(2))
    assert first == integrate(uneven, LOWER, UPPER, 2, 500).parameters.mass
    assert first != second


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_other_libraries_integrate_in_their_own_arrays(name: str) -> None:
    library = pytest.importorskip(name, reason=f"pip install {name}")
    if name == "torch":
        xp, rng = library, library.Generator().manual_seed(0)
    else:
        xp, rng = library.numpy, library.random.key(0)
    lower, upper = (xp.asarray(v.tolist(), dtype=xp.float32) for v in (LOWER, UPPER))

    def ball(points: Any) -> Any:
        return 2000.0 * (((points - 0.1) ** 2).sum(-1) <= 0.09)

    estimate = integrate(ball, lower, upper, rng, count=40_000)
    assert isinstance(estimate.parameters.mass, type(lower))
    assert estimate.parameters.mass.dtype == xp.float32
    truth = solids.sphere(0.3, density=2000.0)
    score = (float(estimate.parameters.mass) - truth.mass) / float(estimate.standard_error.mass)
    assert abs(score) < 4


class TestRefusals:
    def test_a_negative_density_with_body_and_point(self) -> None:
        with pytest.raises(ParameterError, match=r"density of body 1 at point 2 is -3.0"):
            from_samples([[1.0, 1, 1], [1, 1, -3]], np.zeros((3, 3)), 1.0)

    def test_a_density_that_is_not_a_number(self) -> None:
        with pytest.raises(ParameterError, match="density at point 0 is nan"):
            integrate(lambda points: points[..., 0] * np.nan, LOWER, UPPER, 0, 10)

    def test_a_box_that_misses_the_body(self) -> None:
        with pytest.raises(ParameterError, match="0 at all 10 points"):
            integrate(uneven, LOWER + 9, UPPER + 9, 0, 10)

    def test_corners_the_wrong_way_round(self) -> None:
        with pytest.raises(ParameterError, match=r"the box of body 1 is -\S+ m long in axis 0"):
            integrate(uneven, [LOWER, UPPER], [UPPER, LOWER], 0, 10)

    def test_too_few_points(self) -> None:
        for count in (1, 1e5):
            with pytest.raises(ParameterError, match="at least 2"):
                integrate(uneven, LOWER, UPPER, 0, count)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="at least two points"):
            from_samples([1.0], [[0.0, 0, 0]], 1.0)

    @pytest.mark.parametrize("rng", [None, True, 1.5, "seed", -1])
    def test_what_is_no_generator(self, rng: Any) -> None:
        with pytest.raises(ParameterError, match=r"rng is .*, expected a seed"):
            integrate(uneven, LOWER, UPPER, rng, 10)
