"""The nearest tensor with a margin above the floors of engines."""

import numpy as np
import pytest
from scipy.optimize import minimize

import oracles
from fixing import distance, matrix, nearest_inertia
from inertial_check.checking.engines.base import Floors
from inertial_check.fixing.digits import Region


def nearest_moments(moments, metric, margin, floors):
    """The nearest point of the same polyhedron by sequential quadratic programming."""
    spread = np.ones((3, 3)) / 2 - np.eye(3)
    lengths = np.eye(3) if metric == "inertia" else spread
    rows = [2 * spread[i] - margin for i in range(3)] + list(np.eye(3))
    rows += [np.eye(3)[i] - floors.ratio * np.eye(3)[j] for i in range(3) for j in range(3)]
    heights = np.array([0.0] * 3 + [floors.moment] * 3 + [0.0] * 9)
    found = minimize(
        lambda point: np.sum((lengths @ (point - moments)) ** 2),
        np.full(3, 1.0),
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda point: np.array(rows) @ point - heights},
        options={"ftol": 1e-16, "maxiter": 1000},
    )
    return found.x


@pytest.mark.parametrize("metric", ["inertia", "covariance"])
@pytest.mark.parametrize(
    ("moments", "margin", "floors"),
    [
        ((0.0, 1.0, 1.0), 0.0, Floors(moment=0.1)),
        ((0.1, 0.2, 0.9), 0.0, Floors(moment=0.3)),
        ((1e-3, 1.0, 1.2), 0.05, Floors(moment=0.1, ratio=0.2)),
        ((-0.5, 0.2, 0.4), 0.0, Floors(moment=0.25)),
        ((0.1, 0.1, 0.15), 0.0, Floors(moment=1.0)),
        ((0.0, 1.0, 1.0), 0.0, Floors(ratio=1e-2)),
    ],
)
def test_moments_go_to_the_nearest_of_the_polyhedron(metric, moments, margin, floors):
    turn, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))
    six = np.array(oracles.six_of(turn @ np.diag(moments) @ turn.T))
    found = np.linalg.eigvalsh(matrix(Region(metric, margin, floors).project(six)))
    expected = np.sort(nearest_moments(np.array(moments), metric, margin, floors))
    assert found == pytest.approx(expected, abs=1e-6)


def test_without_floors_it_is_the_nearest_tensor_bit_for_bit():
    six = np.array([0.02, 0.001, 0, 0.03, 0, 0.08])
    assert distance(Region().project(six), nearest_inertia(six)) < 1e-14
    inside = np.array([0.02, 0.001, 0, 0.03, 0, 0.04])
    assert np.array_equal(Region("inertia", 0.0, Floors(1e-14)).project(inside), inside)


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
def test_it_has_no_unit(scale):
    six = np.array([0.0, 0, 0, 1.0, 0, 1.0])
    found = Region("inertia", 0.0, Floors(0.1 * scale, 0.0)).project(six * scale)
    assert found / scale == pytest.approx(Region("inertia", 0.0, Floors(0.1)).project(six))


@pytest.mark.parametrize("six", [(0,) * 6, (-1, 0, 0, -1, 0, 0)])
def test_where_nothing_is_left_of_a_tensor_no_floor_makes_one(six):
    for floors in (Floors(), Floors(1e-14), Floors(1.0)):
        assert Region(floors=floors).find_nearest(np.array(six, dtype=float)) is None


def test_floors_hold_in_what_is_written():
    region = Region(floors=Floors(moment=0.2))
    assert region.contains(np.array([0.2, 0, 0, 0.3, 0, 0.4]))
    assert not region.contains(np.array([0.19, 0, 0, 0.3, 0, 0.4]))
    assert not Region(floors=Floors(ratio=0.6)).contains(np.array([0.2, 0, 0, 0.3, 0, 0.4]))
