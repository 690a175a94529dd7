"""The closed forms against exact rationals, literal answers, and each other's invariances."""

import numpy as np
import pytest

import active_sets
import inertial_check as ic
import oracles
from inertial_check.inertia import sampling
from inertial_check.projection.moments import (
    METRICS,
    nearest_covariance,
    nearest_inertia,
    onto_cone,
)

EPS = np.finfo(float).eps
NEAREST = {"inertia": nearest_inertia, "covariance": nearest_covariance}
MARGINS = [0.0, 2.0**-40, 1e-3, 0.1, 0.3, 1 / 3]


def diagonal(moments):
    a, b, c = np.moveaxis(np.asarray(moments, dtype=float), -1, 0)
    zero = np.zeros_like(a)
    return np.stack([a, zero, zero, b, zero, c], axis=-1)


def moments_of(spreads):
    s = np.asarray(spreads, dtype=float)
    return s.sum(-1, keepdims=True) - s


def hard_moments(rng, count):
    """Principal moments by faces of the cone, with ties, near ties and all but zero violations."""
    tiny = 10.0 ** rng.uniform(-16, -3, (count, 3))
    signs = rng.choice([-1.0, 0.0, 1.0], (count, 3))
    spreads = [
        rng.normal(size=(count, 3)),
        -rng.uniform(0, 1, (count, 3)),
        signs,
        signs * tiny + np.eye(3)[rng.integers(3, size=count)],
        -tiny + rng.uniform(0, 1, (count, 1)),
        signs * tiny - np.eye(3)[rng.integers(3, size=count)],
    ]
    scale = 10.0 ** rng.uniform(-13, 8, (len(spreads) * count, 1))
    return moments_of(np.concatenate(spreads)) * scale


class TestLiteralAnswers:
    def test_one_violated_facet_gives_a_third_of_the_slack_to_each_moment(self):
        """A finger link of the Mia hand, as its file states it."""
        moments = np.array([2e-7, 8.31e-7, 1.486e-6])
        third = (1.486e-6 - 2e-7 - 8.31e-7) / 3
        expected = diagonal(moments + third * np.array([1, 1, -1]))
        np.testing.assert_allclose(nearest_inertia(diagonal(moments)), expected, rtol=1e-14)

    @pytest.mark.parametrize(
        ("metric", "spreads", "expected"),
        [
            ("covariance", (-1, 2, 3), (0, 2, 3)),
            ("covariance", (-1, -2, 3), (0, 0, 3)),
            ("covariance", (-1, -2, -3), (0, 0, 0)),
            ("inertia", (-3, 6, 9), (0, 5, 8)),
            ("inertia", (-1, -1, 6), (0, 0, 5)),
            ("inertia", (-2, -2, 2), (0, 0, 0)),
            ("inertia", (-1, -1, 1), (0, 0, 0)),
            ("inertia", (-1, -1, 1.5), (0, 0, 0.5)),
        ],
    )
    def test_facet_edge_and_apex(self, metric, spreads, expected):
        found = NEAREST[metric](diagonal(moments_of(spreads)))
        np.testing.assert_allclose(
            found, diagonal(moments_of(expected)), rtol=0, atol=16 * EPS * np.abs(spreads).max()
        )

    @pytest.mark.parametrize("metric", NEAREST)
    def test_margin_of_a_third_leaves_a_ball(self, metric):
        found = NEAREST[metric](diagonal([1.0, 2.0, 3.0]), margin=1 / 3)
        np.testing.assert_allclose(found, diagonal([2.0, 2.0, 2.0]), rtol=4 * EPS)

    @pytest.mark.parametrize("metric", NEAREST)
    def test_the_apex_is_exactly_zero(self, metric):
        found = NEAREST[metric](np.array([-1e-9, 2e-10, 0, -2e-9, 1e-10, -1e-9]), margin=0.1)
        assert not found.any()

    @pytest.mark.parametrize(("metric", "angle"), [("inertia", 1.0), ("covariance", 0.0)])
    def test_the_apex_is_found_before_any_rounding_is_mended(self, metric, angle):
        """The ray (0, 0, 1) of the cone stands at right angles on (-1, -1, angle)."""
        for off, vanishes in ((-0.001, True), (0.001, False)):
            six = diagonal(moments_of([-1.0, -1.0, angle + off]))
            assert (not onto_cone(six, np.zeros(()), METRICS[metric]).any()) == vanishes

    def test_diagonal_tensors_stay_diagonal(self):
        """Or a file with <diaginertia> could not be mended in its own form."""
        rng = np.random.default_rng(5)
        found = nearest_inertia(diagonal(hard_moments(rng, 50)))
        assert not found[:, [1, 2, 4]].any()


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("metric", NEAREST)
def test_agrees_with_every_active_set_tried_in_rationals(metric, margin):
    moments = hard_moments(np.random.default_rng(1), 12)
    found = NEAREST[metric](diagonal(moments), margin)
    for given, six in zip(moments, found, strict=True):
        exact = active_sets.nearest_moments(given.tolist(), metric, min(margin, 1 / 3))
        expected = np.array([float(value) for value in exact])
        # Feasible within the floor stays; otherwise the answer is lifted by half of it.
        np.testing.assert_allclose(
            six[[0, 3, 5]], expected, rtol=0, atol=48 * EPS * np.abs(given).max()
        )


@pytest.mark.parametrize("metric", NEAREST)
def test_small_moves_keep_their_digits(metric):
    """The change is formed before it is added: it errs by rounding of I, not of some I' - I."""
    for violation in (1e-6, 1e-9, 1e-12):
        six = diagonal(moments_of([-violation, 0.25, 0.5]))
        exact = active_sets.nearest_moments(six[[0, 3, 5]].tolist(), metric, 0)
        change = NEAREST[metric](six)[[0, 3, 5]] - six[[0, 3, 5]]
        expected = [float(new) - old for new, old in zip(exact, six[[0, 3, 5]], strict=True)]
        np.testing.assert_allclose(change, expected, rtol=0, atol=16 * EPS)


class TestFeasibleRows:
    def test_come_back_bit_for_bit(self):
        theta = sampling.consistent(3, 4000).as_theta(about="com")
        assert ic.check(theta, about="com").consistent.all()
        for nearest in NEAREST.values():
            assert nearest(theta[:, 4:]).tobytes() == theta[:, 4:].tobytes()

    def test_do_not_depend_on_their_neighbours(self):
        rng = np.random.default_rng(4)
        six = np.concatenate(
            [
                sampling.consistent(rng, 300).as_theta(about="com")[:, 4:],
                sampling.inconsistent(rng, 300).as_theta(about="com")[:, 4:],
            ]
        )
        rng.shuffle(six)
        together = nearest_inertia(six)
        alone = np.stack([nearest_inertia(row) for row in six])
        size = np.abs(six).max(-1, keepdims=True)
        assert (np.abs(together - alone) <= 16 * EPS * size).all()


def unit_bodies(six):
    """Theta about the centre of mass, of unit mass, with these inertias."""
    head = np.broadcast_to([1.0, 0, 0, 0], (*six.shape[:-1], 4))
    return np.concatenate([head, six], axis=-1)


@pytest.mark.parametrize("margin", [0.0, 1e-12, 1e-3, 0.2, 0.333])
@pytest.mark.parametrize("metric", NEAREST)
def test_results_have_the_margin_after_rounding(metric, margin):
    rng = np.random.default_rng(6)
    six = sampling.inconsistent(rng, 3000, violation=(1e-15, 1)).as_theta(about="com")[:, 4:]
    found = NEAREST[metric](six, margin)
    found = found[(found != six).any(-1) & found.any(-1)]
    assert len(found) > 1000
    assert (ic.check(unit_bodies(found), about="com").margin >= margin).all()
    assert min(oracles.margin(row) for row in found) >= margin - 2 * EPS


@pytest.mark.parametrize("metric", NEAREST)
def test_results_are_consistent_in_exact_arithmetic(metric):
    """Consumers with a tolerance of exactly zero must take what was projected."""
    rng = np.random.default_rng(8)
    six = sampling.inconsistent(rng, 400, violation=(1e-14, 1)).as_theta(about="com")[:, 4:]
    for row in NEAREST[metric](six):
        assert oracles.is_consistent(row.tolist())


@pytest.mark.parametrize("metric", NEAREST)
def test_isotropic_results_reach_the_margin_of_a_third(metric):
    six = sampling.inconsistent(9, 3000).as_theta(about="com")[:, 4:]
    found = NEAREST[metric](six, 1 / 3)
    found = found[found.any(-1)]
    assert (ic.check(unit_bodies(found), about="com").margin >= 1 / 3).all()


def test_margins_are_held_strictly_where_they_can_be():
    """A row short by one unit in the last place is projected, and then has it."""
    six = diagonal(moments_of([0.1 - 4 * EPS, 0.4, 0.5]))
    assert 0.1 - 16 * EPS < ic.check(unit_bodies(six), about="com").margin < 0.1
    assert ic.check(unit_bodies(nearest_inertia(six, 0.1)), about="com").margin >= 0.1


@pytest.mark.parametrize(("metric", "high"), [("inertia", 2.2 / 1.8), ("covariance", 0.2 / 0.8)])
def test_vanishing_inertias_still_have_the_margin(metric, high):
    """Where next to nothing is left, rounding of the input is as large as the result."""
    rng = np.random.default_rng(7)
    spreads = np.array([-1.0, -1.0, high]) + rng.uniform(-3e-15, 3e-15, (500, 3))
    rotation = oracles.rotations(rng, 500)
    second = (rotation * spreads[:, None, :]) @ rotation.transpose(0, 2, 1)
    tensor = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    found = NEAREST[metric](oracles.six_of(tensor), 0.1)
    some = found[found.any(-1)]
    assert len(some)
    assert (ic.check(unit_bodies(some), about="com").margin >= 0.1).all()


@pytest.mark.parametrize("margin", [-1e-300, 0.34, np.nan, np.inf, "a", None, [0.1, 0.2]])
def test_margins_that_no_body_has_are_refused(margin):
    with pytest.raises(ic.ParameterError, match=r"margin is .* from 0 .* to 1/3"):
        nearest_inertia(np.zeros(6), margin)
