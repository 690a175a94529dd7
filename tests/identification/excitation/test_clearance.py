"""Distances of convex shapes, and proofs that they stay apart between samples."""

import numpy as np
import pytest

from inertial_check.identification.excitation.convex import (
    Clearance,
    Obstacles,
    measure_gaps,
    pad_shapes,
)
from inertial_check.identification.excitation.fourier import FourierSeries
from inertial_check.mechanics.tree import Tree

NONE = np.zeros((3, 3))
CUBE = np.array(np.meshgrid(*((-0.5, 0.5),) * 3)).reshape(3, -1).T
POINT = np.zeros((1, 3))
LINE = np.array([[0, 0, -0.5], [0, 0, 0.5]])


def rotations(rng, count):
    found = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    return found * np.linalg.det(found)[:, None, None]


def test_closed_forms():
    """Sphere and box, cylinder and cube side by side, capsules across, ellipsoid and point."""
    shapes = [
        (POINT, NONE, 0.3),
        (CUBE, NONE, 0.0),
        (LINE, np.diag([0.2, 0.2, 0.0]), 0.0),
        (LINE, NONE, 0.1),
        (POINT, np.diag([0.1, 0.2, 0.4]), 0.0),
        (POINT, NONE, 0.0),
    ]
    pairs = ((0, 1), (2, 1), (3, 3), (4, 5), (1, 1), (0, 0))
    places = ([2, 0, 0], [1.2, 0, 0.3], [0.0, 1.0, 0.0], [0, 0, 1.0], [2, 2, 0], [0.2, 0, 0])
    expected = (1.2, 0.5, 0.8, 0.6, np.sqrt(2), -0.4)
    turn = np.tile(np.eye(3), (6, 1, 1))
    turn[2] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # across the other capsule
    first, second = np.transpose(pairs)
    every = pad_shapes(shapes)
    A = every.rows(first).move(turn, np.array(places, dtype=float))
    found = measure_gaps(A, every.rows(second))
    np.testing.assert_allclose(found.distance, expected, atol=1e-6)


def test_bounds_are_below_the_distance_of_the_points_and_near_it():
    rng = np.random.default_rng(0)
    shapes = pad_shapes(
        [
            (CUBE * [0.2, 0.3, 0.4], NONE, 0.0),
            (LINE * 0.5, np.diag([0.1, 0.1, 0.0]), 0.0),
            (LINE * 0.4, NONE, 0.1),
            (POINT, np.diag([0.1, 0.2, 0.3]), 0.0),
        ]
    )
    first, second = rng.integers(4, size=(2, 400))
    A = shapes.rows(first).move(rotations(rng, 400), np.zeros((400, 3)))
    B = shapes.rows(second).move(rotations(rng, 400), rng.normal(size=(400, 3)) * 0.4)
    found = measure_gaps(A, B)
    apart = np.linalg.norm(found.points_A - found.points_B, axis=1) - A.radius - B.radius
    clear = found.distance > 0
    assert 0.5 < clear.mean() < 1
    assert np.all(found.distance[clear] <= apart[clear] + 1e-12)
    np.testing.assert_allclose(found.distance[clear], apart[clear], atol=1e-5)


def test_a_bound_that_is_enough_is_below_the_distance():
    rng = np.random.default_rng(2)
    shapes = pad_shapes([(CUBE * [0.2, 0.3, 0.4], NONE, 0.0), (LINE * 0.4, NONE, 0.1)])
    first, second = rng.integers(2, size=(2, 300))
    A = shapes.rows(first).move(rotations(rng, 300), np.zeros((300, 3)))
    B = shapes.rows(second).move(rotations(rng, 300), rng.normal(size=(300, 3)) * 0.4)
    whole, quick = measure_gaps(A, B), measure_gaps(A, B, np.full(300, 0.2))
    near = whole.distance < 0.2
    assert 0.2 < near.mean() < 0.8
    np.testing.assert_array_equal(quick.distance[near], whole.distance[near])
    assert np.all(quick.distance[~near] >= 0.2)
    assert np.all(quick.distance <= whole.distance)


def swinging(least):
    """Two unit rods on a vertical chain of two joints, with a ball beside the first joint."""
    X_PB = np.tile(np.eye(4), (2, 1, 1))
    X_PB[1, 2, 3] = 1.0
    tree = Tree(
        ["upper", "lower"], [-1, 0], ["revolute"] * 2, X_PB, [[0, 1, 0]] * 2, np.ones((2, 10))
    )
    rod = np.array([[0, 0, 0.2], [0, 0, 0.9]])
    shapes = pad_shapes([(rod, NONE, 0.05), (POINT + np.array([1.6, 0.0, 0.3]), NONE, 0.1)])
    return Clearance(
        tree, Obstacles(shapes, np.array([1, -1]), np.array([[0, 1]]), np.array([least]))
    )


def test_a_proof_holds_between_samples_and_fails_where_shapes_meet():
    series = FourierSeries(4.0, np.array([0.0, 0.5]), np.array([[0.3, 0.2], [0.9, -0.4]]) * 2,
                           np.array([[0.1, -0.2], [0.2, 0.5]]) * 2)  # fmt: skip
    dense = swinging(0.0).distances(series.at(np.linspace(0, 4, 40_001))[0]).min()
    assert 0.02 < dense < 0.5
    clear = swinging(0.99 * dense).prove(series)
    assert (clear.kept, clear.pair) == (True, 0)
    assert clear.distance == pytest.approx(dense, rel=0.02)
    assert not swinging(1.001 * dense).prove(series).kept


def test_shortfalls_have_the_slope_of_their_sum():
    clearance, rng = swinging(0.8), np.random.default_rng(1)
    q = rng.uniform(-1, 1, (20, 2))
    value, slope = clearance.shortfall(q, 0.1)
    assert value > 0
    step = rng.normal(size=q.shape) * 1e-5
    ahead, back = (clearance.shortfall(q + sign * step, 0.1)[0] for sign in (1, -1))
    assert (ahead - back) / 2 == pytest.approx(np.sum(slope * step), rel=1e-3)
