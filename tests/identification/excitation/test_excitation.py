"""Excitation: what a motion shows, in which units, and motions within limits that show much."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.identification import excitation
from inertial_check.identification.excitation.design import (
    Condition,
    Limits,
    condition_number,
    optimise,
)
from inertial_check.identification.excitation.fourier import FourierSeries
from inertial_check.identification.fit.nuisance import Coulomb, Nuisance, RotorInertia, Viscous
from inertial_check.mechanics import equations
from inertial_check.mechanics.tree import Tree
from random_trees import random_tree

KINDS = ("revolute", "prismatic")


def limits_of(tree, position=2.0, velocity=2.0, acceleration=8.0):
    return Limits(*(np.full(tree.n_u, x) for x in (-position, position, velocity, acceleration)))


def motion(tree, seed=0, count=200):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3, count, tree.n_u))


def test_every_public_name_can_be_imported():
    assert all(hasattr(excitation, name) for name in excitation.__all__)


@pytest.fixture(scope="module")
def arm():
    """Four joints, of which one slides."""
    tree = random_tree(1, count=4, kinds=KINDS)
    assert set(tree.joints) == set(KINDS)
    return tree


@pytest.fixture(scope="module")
def excited(arm):
    return optimise(arm, limits_of(arm), duration=8.0, harmonics=3, starts=2)


# What a motion shows


def test_in_how_many_directions_any_motion_shows_something(arm):
    found = condition_number(arm, *motion(arm))
    Y = equations.regressor(arm, *motion(arm, 1)).reshape(-1, 40)
    expected = np.linalg.matrix_rank(Y / np.linalg.norm(Y, axis=0).clip(1e-12), rtol=1e-10)
    assert found.columns == found.rank == expected
    assert found.singular_values.shape == (expected,)
    assert found.number == found.singular_values[0] / found.singular_values[-1]


def in_other_units(tree, mass, length):
    theta = tree.theta * mass * np.array([1, *[length] * 3, *[length**2] * 6])
    X_PB = np.array(tree.X_PB)
    X_PB[:, :3, 3] *= length
    return Tree(tree.names, tree.parents, tree.joints, X_PB, tree.axes_B, theta)


@pytest.mark.parametrize(("mass", "length", "time"), [(1e-6, 1e-3, 1e-2), (1e3, 1e2, 10.0)])
def test_units_do_not_matter(arm, mass, length, time):
    q, u, du = motion(arm)
    slides = [joint == "prismatic" for joint in arm.joints]
    unit = np.where(slides, length, 1.0)
    other = in_other_units(arm, mass, length)
    for nuisance in (None, Nuisance.of(Viscous(), Coulomb(), RotorInertia(), joints=4)):
        before = condition_number(arm, q, u, du, nuisance=nuisance)
        after = condition_number(
            other,
            q * unit,
            u * unit / time,
            du * unit / time**2,
            nuisance=nuisance,
            gravity=np.array([0, 0, -9.81]) * length / time**2,
        )
        assert after.columns == before.columns
        assert after.number == pytest.approx(before.number, rel=1e-6)


def test_frames_of_the_bodies_do_not_matter():
    """The same arm, written about other body frames: the prior's units turn and move with them."""
    tree = random_tree(3, count=3, kinds=("revolute",))
    rng = np.random.default_rng(0)
    turned, moved = [], np.array(tree.X_PB)
    X_BN = np.tile(np.eye(4), (3, 1, 1))
    X_BN[:, :3, 3] = rng.normal(size=(3, 3))
    inverse = np.linalg.inv(X_BN)
    for body, parent in enumerate(tree.parents):
        above = np.eye(4) if parent < 0 else inverse[parent]
        moved[body] = above @ tree.X_PB[body] @ X_BN[body]
        own = ic.InertialParameters.from_theta(tree.theta[body])
        turned.append(own.transform(inverse[body]).as_theta())
    other = Tree(tree.names, tree.parents, tree.joints, moved, tree.axes_B, turned, -X_BN[:, :3, 3])
    before = condition_number(tree, *motion(tree))
    after = condition_number(other, *motion(other))
    assert after.number == pytest.approx(before.number, rel=1e-6)


def test_a_motion_that_leaves_something_out_has_no_finite_number(arm):
    q, u, du = motion(arm)
    tip = np.array([0.0, 0.0, 0.0, 1.0])  # the last joint alone
    for part in (0 * tip, tip):
        found = condition_number(arm, q * part, u * part, du * part)
        assert 0 < found.rank < found.columns
        assert found.number == np.inf


def test_further_numbers_count_as_columns(arm):
    bare = condition_number(arm, *motion(arm))
    friction = Nuisance.of(Viscous(), Coulomb(), joints=4)
    assert condition_number(arm, *motion(arm), nuisance=friction).columns == bare.columns + 8
    # the rotor of the first joint cannot be told from the inertia that the joint turns
    rotors = Nuisance.of(RotorInertia(), joints=4)
    assert condition_number(arm, *motion(arm), nuisance=rotors).columns < bare.columns + 4


def test_noise_weighs_the_joints(arm):
    even = condition_number(arm, *motion(arm), noise=np.ones(4))
    same = condition_number(arm, *motion(arm), noise=np.full(4, 5.0))
    other = condition_number(arm, *motion(arm), noise=[1.0, 1.0, 1.0, 1e-3])
    assert same.number == pytest.approx(even.number, rel=1e-9)
    friction = Nuisance.of(Viscous(), joints=4)
    some = condition_number(arm, *motion(arm), noise=np.ones(4), nuisance=friction)
    more = condition_number(arm, *motion(arm), noise=np.full(4, 5.0), nuisance=friction)
    assert more.number == pytest.approx(some.number, rel=1e-9)
    assert other.number != pytest.approx(even.number, rel=0.1)


def test_frames_without_mass_are_left_out(arm):
    theta = np.concatenate([arm.theta, np.zeros((1, 10))])
    tree = Tree(
        [*arm.names, "tool"],
        [*arm.parents, 3],
        [*arm.joints, "fixed"],
        np.concatenate([arm.X_PB, np.eye(4)[None]]),
        np.concatenate([arm.axes_B, [[0, 0, 1.0]]]),
        theta,
    )
    expected, found = condition_number(arm, *motion(arm)), condition_number(tree, *motion(tree))
    assert found.columns == expected.columns
    assert found.number == pytest.approx(expected.number, rel=1e-9)


def test_point_masses_have_units_too():
    tree = random_tree(4, count=3, kinds=("revolute",))
    theta = np.array(tree.theta)
    theta[1] = ic.InertialParameters.from_point_masses([2.0], [[0.1, 0.2, 0.3]]).as_theta()
    points = Tree(tree.names, tree.parents, tree.joints, tree.X_PB, tree.axes_B, theta)
    found = condition_number(points, *motion(points))
    assert found.columns == condition_number(tree, *motion(tree)).columns
    assert np.isfinite(found.number)


# The series

finite = st.floats(-10, 10)


@given(
    st.lists(finite, min_size=6, max_size=6),
    st.lists(finite, min_size=6, max_size=6),
    st.floats(0.1, 100),
    st.floats(0, 1),
)
def test_velocity_and_acceleration_are_the_derivatives(a, b, duration, share):
    series = FourierSeries(duration, np.zeros(1), np.array([a]), np.array([b]))
    size = np.abs(a).sum() + np.abs(b).sum() + 1e-9
    step = 1e-5 * duration
    t = share * duration + np.array([-step, 0.0, step])
    q, u, du = (each[:, 0] for each in series.at(t))
    assert (q[2] - q[0]) / (2 * step) == pytest.approx(u[1], abs=1e-6 * size)
    rate = 6 * series.w
    assert (u[2] - u[0]) / (2 * step) == pytest.approx(du[1], abs=1e-6 * size * rate)


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_peaks_hold_at_all_times(harmonics, seed):
    rng = np.random.default_rng(seed)
    series = FourierSeries(3.0, rng.normal(size=2), *rng.normal(size=(2, 2, harmonics)))
    values = series.at(rng.uniform(0, 3.0, 4000))
    for value, peak, mean in zip(values, series.peaks, (series.q0, 0, 0), strict=True):
        highest = np.abs(value - mean).max(axis=0)
        assert np.all(highest <= peak)


def test_the_bound_between_samples_is_sharp():
    """cos(N t) between the samples that it touches least."""
    series = FourierSeries(2 * np.pi, np.zeros(1), np.array([[0, 0, 1.0]]), np.zeros((1, 3)))
    assert series.peaks[1] == pytest.approx(1.0, rel=4e-4)
    assert series.peaks[1] >= 1.0


# The search


def test_the_motion_is_within_limits_at_all_times_and_uses_them(arm, excited):
    limits = limits_of(arm)
    q, u, du = excited.series.at(np.random.default_rng(0).uniform(0, 8, 20_000))
    used = [
        np.abs(value).max(axis=0) / limit
        for value, limit in ((q, limits.upper), (u, limits.velocity), (du, limits.acceleration))
    ]
    for share, told in zip(used, excited.use, strict=True):
        assert np.all(share <= told * (1 + 1e-12))
        assert np.all(told <= 1 + 1e-9)
        np.testing.assert_allclose(share, told, rtol=1e-2)
    assert np.max(used, axis=0).min() > 0.5


def test_the_motion_starts_and_ends_at_rest(arm, excited):
    limits = limits_of(arm)
    assert excited.t[0] == 0
    assert excited.t[-1] == 8.0
    ends = [0, -1]
    np.testing.assert_allclose(excited.q[0], excited.q[-1], rtol=0, atol=1e-12)
    assert np.abs(excited.u[ends]).max() < 1e-12 * limits.velocity[0]
    assert np.abs(excited.du[ends]).max() < 1e-12 * limits.acceleration[0] * len(excited.t)


def test_the_motion_shows_more_than_random_ones(arm, excited):
    assert excited.condition.rank == excited.condition.columns
    assert excited.condition.number < 0.6 * excited.condition_start.number
    rng = np.random.default_rng(0)
    limits = limits_of(arm)
    for _ in range(10):
        series = FourierSeries(8.0, np.zeros(4), *rng.normal(size=(2, 4, 3)))
        largest = np.max(
            [peak / limit for peak, limit in zip(series.peaks, limits[1:], strict=True)]
        )
        series = FourierSeries(8.0, series.q0, series.a / largest, series.b / largest)
        found = condition_number(arm, *series.at(np.linspace(0, 8, 60)))
        assert excited.condition.number < found.number


def test_the_condition_is_that_of_any_sampling_of_the_motion(arm, excited):
    found = condition_number(arm, *excited.series.at(np.linspace(0, 8, 999, endpoint=False)))
    assert found.columns == excited.condition.columns
    assert found.number == pytest.approx(excited.condition.number, rel=0.01)


def test_the_same_seed_gives_the_same_motion(arm):
    short = {"duration": 5.0, "harmonics": 2, "starts": 1}
    first, again = (optimise(arm, limits_of(arm), seed=3, **short) for _ in range(2))
    assert np.array_equal(first.q, again.q)
    other = optimise(arm, limits_of(arm), seed=4, **short)
    assert not np.allclose(first.q, other.q)


def test_asymmetric_limits_and_friction():
    tree = random_tree(2, count=3, kinds=("revolute",))
    limits = Limits([-3.0, 0.2, -1.0], [-1.0, 0.4, 5.0], [1.0, 2.0, 0.1], [3.0, 1.0, 9.0])
    found = optimise(
        tree,
        limits,
        duration=6.0,
        harmonics=2,
        rate=200,
        starts=1,
        nuisance=Nuisance.of(Viscous(), Coulomb(), joints=3),
    )
    assert len(found.t) == 1201
    assert np.all((found.q > limits.lower) & (found.q < limits.upper))
    assert np.all(np.abs(found.u) <= limits.velocity)
    assert np.all(np.abs(found.du) <= limits.acceleration)
    assert found.condition.number <= found.condition_start.number
    assert np.isfinite(found.condition.number)


# What is refused


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", Limits._fields)
def test_a_limit_that_is_not_finite_is_named(arm, name, value):
    limits = limits_of(arm)
    getattr(limits, name)[2] = value
    message = rf"{name} of joint 2, which moves body2, is {value}, expected a finite number"
    with pytest.raises(ic.ParameterError, match=message):
        optimise(arm, limits, duration=1.0)


def test_limits_without_room_are_named(arm):
    limits = limits_of(arm)
    limits.lower[1] = limits.upper[1]
    with pytest.raises(ic.ParameterError, match=r"upper - lower of joint 1, .* body1, is 0\.0"):
        optimise(arm, limits, duration=1.0)
    limits = limits_of(arm, velocity=-1.0)
    with pytest.raises(ic.ParameterError, match=r"velocity of joint 0.* is -1\.0"):
        optimise(arm, limits, duration=1.0)


def test_what_does_not_fit_is_refused(arm):
    q, u, du = motion(arm)
    bad = np.array(u)
    bad[7, 1] = np.nan
    floating = random_tree(0, base="floating")
    limits = limits_of(arm)
    ready = Nuisance.from_columns(np.zeros((200, 4, 1)))
    for call, message in (
        (lambda: condition_number(arm, q[:, :3], u, du), r"q has shape \(200, 3\)"),
        (lambda: condition_number(arm, q, u[:9], du), r"u has shape \(9, 4\)"),
        (lambda: condition_number(arm, q, bad, du), "u of sample 7 is not finite"),
        (lambda: condition_number(arm, q[:0], u[:0], du[:0]), "no samples"),
        (lambda: condition_number(arm, q, u, du, prior=np.zeros((3, 10))), r"shape \(3, 10\)"),
        (lambda: condition_number(arm, q, u, du, prior=np.zeros((4, 10))), "with mass"),
        (lambda: condition_number(arm, q, u, du, noise=[1, 2, 3, 0]), "4 positive numbers"),
        (lambda: condition_number(arm, q, u, du, nuisance=ready), "ready columns"),
        (lambda: condition_number(floating, q, u, du), "body0 floats"),
        (lambda: optimise(arm, limits, duration=0.0), "duration is 0.0"),
        (lambda: optimise(arm, limits, duration=1.0, rate=-1.0), "rate is -1.0"),
        (lambda: optimise(arm, limits, duration=1.0, harmonics=1), "start at rest"),
        (lambda: optimise(arm, limits, duration=1.0, starts=0), "starts is 0"),
        (
            lambda: optimise(arm, limits._replace(velocity=[1.0]), duration=1.0),
            r"velocity has shape \(1,\), expected \(4,\)",
        ),
    ):
        with pytest.raises(ic.ParameterError, match=message):
            call()


def test_conditions_are_plain_data(arm):
    assert isinstance(condition_number(arm, *motion(arm)), Condition)
