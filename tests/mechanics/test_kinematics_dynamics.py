"""Jacobians, their derivatives and Hessians against finite differences and each other."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.mechanics import jacobians
from random_trees import configurations, random_tree

STEP = 1e-6
POINT = (0.3, -0.2, 0.7)
TREES = [
    pytest.param({"seed": 0, "anchored": True}, id="fixed base"),
    pytest.param({"seed": 1, "base": "floating", "shuffled": True}, id="floating base"),
    pytest.param({"seed": 3, "axes": "coordinate"}, id="axes of coordinates"),
]


def slope(tree, function, q, direction):
    ahead, back = (function(jacobians.move(tree, q, s * STEP * direction)) for s in (1, -1))
    return (ahead - back) / (2 * STEP)


def assert_near(ours, expected):
    np.testing.assert_allclose(ours, expected, atol=1e-8 * max(np.abs(expected).max(), 1.0))


@pytest.mark.parametrize("options", TREES)
def test_jacobians_are_slopes_of_poses(options):
    tree = random_tree(**options)
    q, u, _ = configurations(tree, 1)
    for body in range(len(tree)):
        J = jacobians.jacobian(tree, q, body, POINT)
        X = jacobians.poses(tree, q)[:, body]
        dX = slope(tree, lambda at, b=body: jacobians.poses(tree, at)[:, b], q, u)
        twists = np.einsum("kij,kj->ki", J, u)
        assert_near(twists[:, :3], dX[:, :3, :3] @ POINT + dX[:, :3, 3])
        spin = dX[:, :3, :3] @ X[:, :3, :3].swapaxes(1, 2)
        assert_near(twists[:, 3:], np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], -1))


@pytest.mark.parametrize("options", TREES)
def test_derivatives_and_hessians_are_slopes_of_jacobians(options):
    tree = random_tree(**options)
    q, u, _ = configurations(tree, 1)
    for body in range(len(tree)):

        def J(at, body=body):
            return jacobians.jacobian(tree, at, body, POINT)

        dJ = jacobians.jacobian_derivative(tree, q, u, body, POINT)
        assert_near(dJ, slope(tree, J, q, u))
        H = jacobians.hessian(tree, q, body, POINT)
        slopes = [slope(tree, J, q, direction) for direction in np.eye(tree.n_u)]
        assert_near(H, np.stack(slopes, axis=-1))
        np.testing.assert_allclose(np.einsum("kaij,kj->kai", H, u), dJ, atol=1e-12)


def test_a_hessian_over_coordinates_is_symmetric_in_its_positions():
    tree = random_tree(0)
    H = jacobians.hessian(tree, configurations(tree, 1)[0], 7, POINT)
    np.testing.assert_allclose(H[:, :3], H[:, :3].swapaxes(-1, -2), atol=1e-12)


@pytest.mark.parametrize("options", TREES)
def test_rates_are_slopes_of_moves(options):
    tree = random_tree(**options)
    q, u, _ = configurations(tree, 1)
    rates = jacobians.coordinate_rates(tree, q, u)
    assert_near(rates, slope(tree, lambda at: at, q, u))


def test_a_move_along_nothing_is_none_and_keeps_lengths():
    tree = random_tree(1, base="floating")
    q, u, _ = configurations(tree, 1)
    np.testing.assert_allclose(jacobians.move(tree, q, 0 * u), q, atol=1e-16)
    moved = jacobians.move(tree, q, 100 * u)
    np.testing.assert_allclose(np.linalg.norm(moved[:, 3:7], axis=1), 1, atol=1e-15)


def test_at_the_neutral_configuration_bodies_stand_where_they_were_placed():
    tree = random_tree(0, anchored=True, shuffled=True)
    X_IB = jacobians.poses(tree, tree.neutral)
    for body, parent in enumerate(tree.parents):
        above = X_IB[parent] if parent >= 0 else np.eye(4)
        np.testing.assert_allclose(X_IB[body], above @ tree.X_PB[body], atol=1e-14)


def test_what_does_not_exist_is_refused():
    tree = random_tree(0)
    q, _, _ = configurations(tree, 1)
    with pytest.raises(ParameterError, match="'hand' is no body"):
        jacobians.jacobian(tree, q, "hand")
    with pytest.raises(ParameterError, match=r"q \(4,\), p_BoQ_B \(2,\)"):
        jacobians.jacobian(tree, q, 0, np.zeros((2, 3)))


def test_points_are_batched_like_configurations():
    tree = random_tree(1, base="floating", anchored=True)
    q, u, _ = configurations(tree, 1)
    points = np.random.default_rng(2).normal(size=(5, 1, 3))
    for function, given in (
        (jacobians.jacobian, (q,)),
        (jacobians.jacobian_derivative, (q, u)),
        (jacobians.hessian, (q,)),
    ):
        together = function(tree, *given, 6, points)
        assert together.shape[:2] == (5, 4)
        for row, point in zip(together, points, strict=True):
            np.testing.assert_array_equal(row, function(tree, *given, 6, point[0]))


def test_velocities_from_rates_undo_coordinate_rates():
    """Sheet: u = F-bar dq and dq = F u, for a floating body and joints beside it."""
    tree = random_tree(1, base="floating", shuffled=True)
    q, u, _ = configurations(tree, 1)
    dq = jacobians.coordinate_rates(tree, q, u)
    np.testing.assert_allclose(jacobians.velocities_from_rates(tree, q, dq), u, atol=1e-14)
    # A difference quotient leaves the unit quaternions by a little, along the quaternion alone.
    found = jacobians.velocities_from_rates(tree, q, slope(tree, lambda at: at, q, u))
    np.testing.assert_allclose(found, u, atol=1e-8)
