"""Priors strictly inside the cone: what is moved, by how much, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.inertia import solids, tolerances
from inertial_check.inertia.sampling import rotations
from inertial_check.projection.priors import from_body, strictly_inside

# m, h, six about the centre of mass
BALL = [2.0, 0.2, 0, 0, 1, 0, 0, 1, 0, 1]
TOO_LONG = [1.2, 0, 0.1, 0, 0.02, 0, 0, 0.03, 0, 0.08]
PLATE = [1.0, 0, 0, 0, 1, 0, 0, 2, 0, 3]
ROD = [1.0, 0, 0, 0.3, 1, 0, 0, 1, 0, 0]
POINT = [1.0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0]


def margins(parameters):
    return ic.check(parameters).margin


def definite(parameters):
    """The pseudo-inertia in units of the body's own mass and size."""
    for body in parameters:
        k = np.sqrt(np.trace(body.central_second_moment) / body.mass)
        moved = body.translate(-np.asarray(body.com))
        D = np.diag([1 / k, 1 / k, 1 / k, 1]) / np.sqrt(body.mass)
        yield np.linalg.eigvalsh(D @ moved.pseudo_inertia @ D)[0] > 0


def test_a_body_is_its_own_prior_where_it_has_the_margin():
    prior = from_body([BALL, TOO_LONG, PLATE, ROD], about="com")
    np.testing.assert_array_equal(prior[0].as_theta(about="com"), BALL)
    np.testing.assert_allclose(margins(prior)[1:], tolerances.OWN_PRIOR_MARGIN, rtol=1e-9)
    assert (margins(prior) >= tolerances.OWN_PRIOR_MARGIN).all()
    assert all(definite(prior))
    np.testing.assert_array_equal(prior.mass, [2.0, 1.2, 1.0, 1.0])
    np.testing.assert_array_equal(prior.first_moment[1], [0, 0.1, 0])


def test_it_is_the_nearest_by_metric_inertia():
    prior = from_body(TOO_LONG, about="com", margin=0.2)
    nearest = ic.project(TOO_LONG, metric="inertia", about="com", margin=0.2)
    np.testing.assert_array_equal(prior.as_theta(about="com"), nearest.theta)


@given(st.integers(0, 2**32 - 1), st.floats(-6, 5), st.floats(-4, 2), st.floats(1e-6, 1 / 3))
def test_whatever_has_mass_and_size_has_a_prior_at_any_scale(seed, mass, size, margin):
    rng = np.random.default_rng(seed)
    m, L = 10**mass, 10**size
    moments = np.sort(rng.uniform(0.01, 1.0, (5, 3)), axis=1)  # about half of them no body's
    axes = rotations(rng, 5)
    given_bodies = ic.InertialParameters.from_principal(
        m, rng.normal(size=(5, 3)) * L, moments * m * L**2, axes
    )
    prior = from_body(given_bodies, margin=margin)
    assert (margins(prior) >= margin * (1 - 1e-12)).all()
    assert all(definite(prior))
    np.testing.assert_array_equal(prior.mass, given_bodies.mass)
    np.testing.assert_array_equal(prior.first_moment, given_bodies.first_moment)


@pytest.mark.parametrize("order", ["urdf", "pinocchio", "mujoco"])
def test_the_order_and_the_point_are_those_of_the_call(order):
    bodies = ic.InertialParameters.from_theta([BALL, TOO_LONG], about="com")
    expected = from_body([BALL, TOO_LONG], about="com").as_theta(about="origin")
    given_theta = bodies.as_theta(order=order, about="origin")
    prior = from_body(given_theta, order=order, about="origin")
    assert prior.about == "origin"
    np.testing.assert_allclose(prior.as_theta(), expected, rtol=1e-12, atol=1e-15)
    assert from_body(bodies, order="ksl").about == "com"  # a body knows its own


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([0.0, *PLATE[1:]], "of body 1 has the mass 0.0, expected a positive one"),
        ([-1.0, *PLATE[1:]], "of body 1 has the mass -1.0"),
        ([np.nan, *PLATE[1:]], "of body 1 has a number that is not finite"),
        ([*PLATE[:9], np.inf], "of body 1 has a number that is not finite"),
        (POINT, "of body 1 is a point mass"),
        ([1.0, 0, 0, 0, -1, 0, 0, -1, 0, -1], "of body 1 has nothing of a body's inertia"),
    ],
)
def test_a_body_that_tells_nothing_of_itself_is_refused_by_index(row, words):
    with pytest.raises(ParameterError) as error:
        from_body([BALL, row], about="com")
    assert words in str(error.value)
    with pytest.raises(ParameterError) as error:
        from_body([[BALL, BALL], [BALL, row]], about="com")
    assert "of body (1, 1)" in str(error.value)
    with pytest.raises(ParameterError) as error:
        from_body(row, about="com")
    assert "the prior is" in str(error.value) or "the prior has" in str(error.value)


def test_a_body_too_far_from_its_origin_to_be_seen_is_refused():
    far = ic.InertialParameters.from_com([1.0, 1.0], [[0, 0, 0], [1e9, 0, 0]], [1, 0, 0, 1, 0, 1])
    with pytest.raises(ParameterError, match="of body 1 lies so many radii of gyration"):
        from_body(far.as_theta(about="origin"))
    assert (margins(from_body(far)) > 0.3).all()


@pytest.mark.parametrize("margin", [0, -0.1, 0.4, np.nan])
def test_a_prior_needs_a_margin(margin):
    for make in (from_body, strictly_inside):
        with pytest.raises(ParameterError, match="margin is"):
            make(BALL, margin=margin)


def test_only_what_lacks_the_margin_is_moved_and_that_is_said():
    bodies = ic.InertialParameters.from_theta([BALL, PLATE, ROD], about="com")
    strict = strictly_inside(bodies)
    assert strict.moved.tolist() == [False, True, True]
    np.testing.assert_allclose(strict.margin, [1 / 3, 0, 0], atol=1e-15)
    np.testing.assert_array_equal(strict.parameters[0].as_theta(about="com"), BALL)
    np.testing.assert_allclose(margins(strict.parameters)[1:], tolerances.PRIOR_MARGIN, rtol=1e-9)
    assert all(definite(strict.parameters))
    again = strictly_inside(strict.parameters)
    assert not again.moved.any()


def test_a_slender_link_is_left_as_it_is():
    """An arm ten times as long as it is wide has ten times the margin of the floor."""
    strict = strictly_inside(solids.cylinder(0.05, 1.0, mass=3.0))
    assert not strict.moved


def test_an_inconsistent_prior_is_refused_and_from_body_named():
    bodies = ic.InertialParameters.from_theta([BALL, TOO_LONG], about="com")
    with pytest.raises(ParameterError, match=r"of body 1 is inconsistent .*from_body"):
        strictly_inside(bodies)


def test_a_point_becomes_a_ball_only_of_a_radius_that_is_given():
    bodies = ic.InertialParameters.from_theta([BALL, POINT], about="com")
    with pytest.raises(ParameterError, match="of body 1 is a point mass"):
        strictly_inside(bodies)
    strict = strictly_inside(bodies, radius_of_gyration=0.3)
    assert strict.moved.tolist() == [False, True]
    k2 = np.trace(strict.parameters[1].central_second_moment) / 1.0
    assert k2 == pytest.approx(0.09)
    assert margins(strict.parameters)[1] == pytest.approx(1 / 3)
    for radius in (0.0, -1.0, np.nan):
        with pytest.raises(ParameterError, match="radius_of_gyration is"):
            strictly_inside(bodies, radius_of_gyration=radius)


@pytest.mark.parametrize("library", ["torch", "array_api_strict"])
def test_priors_stay_in_their_own_library(library):
    xp = pytest.importorskip(library)
    rows = xp.asarray([BALL, TOO_LONG, PLATE], dtype=xp.float64)
    prior = from_body(rows, about="com")
    assert isinstance(prior.as_theta(about="com"), type(rows))
    expected = from_body([BALL, TOO_LONG, PLATE], about="com").as_theta(about="com")
    np.testing.assert_allclose(np.asarray(prior.as_theta(about="com")), expected, rtol=1e-12)
    strict = strictly_inside(ic.InertialParameters.from_theta(rows[::2, :], about="com"))
    assert isinstance(strict.moved, type(rows))
    assert [bool(strict.moved[i]) for i in range(2)] == [False, True]
