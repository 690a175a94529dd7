"""Impacts: both ways of the equation, restitution, momentum, what is refused."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.mechanics import contacts, equations, jacobians
from random_trees import configurations, random_tree


@pytest.fixture
def collision():
    """A floating robot whose last body strikes a plane at one point: M, W, u-."""
    tree = random_tree(1, base="floating")
    q, u, _ = configurations(tree, 1)
    J = jacobians.jacobian(tree, q, len(tree) - 1, (0.1, 0.2, 0.3))
    return equations.mass_matrix(tree, q), J[:, :3].swapaxes(1, 2), u


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_velocities_after_an_impact(collision, restitution):
    M, W, before = collision
    P = contacts.impulses(M, W, before, restitution)
    after = contacts.velocities_after(M, W, before, P)
    np.testing.assert_allclose(
        np.einsum("kij,kj->ki", M, after - before), np.einsum("kij,kj->ki", W, P), atol=1e-11
    )
    speeds = [np.einsum("kji,kj->ki", W, u) for u in (before, after)]
    np.testing.assert_allclose(speeds[1], -restitution * speeds[0], atol=1e-11)
    energies = [np.einsum("ki,kij,kj->k", u, M, u) for u in (before, after)]
    if restitution == 1:
        np.testing.assert_allclose(*energies, rtol=1e-10)
    else:
        assert np.all(energies[1] < energies[0])


def test_two_balls_on_a_line():
    M, W = np.diag([1.0, 3.0]), np.array([[1.0], [-1.0]])
    P = contacts.impulses(M, W, [4.0, 0.0], 1.0)
    np.testing.assert_allclose(contacts.velocities_after(M, W, [4.0, 0.0], P), [-2.0, 2.0])


def test_directions_that_depend_on_each_other_are_refused():
    W = np.ones((2, 2))
    with pytest.raises(ParameterError, match=r"W\^T M\^-1 W is singular: directions depend"):
        contacts.impulses(np.eye(2), W, [1.0, 0.0])
    with pytest.raises(ParameterError, match=r"M at \(1,\) is singular"):
        contacts.velocities_after(
            np.stack([np.eye(2), np.zeros((2, 2))]), W, np.ones((2, 2)), np.ones((2, 2))
        )


def test_shapes_are_looked_over():
    with pytest.raises(ParameterError, match=r"W has shape \(3, 1\)"):
        contacts.velocities_after(np.eye(2), np.ones((3, 1)), [0.0, 0.0], [0.0])
    with pytest.raises(ParameterError, match=r"h has shape \(3,\)"):
        contacts.in_other_velocities(np.eye(2), np.zeros(3), np.eye(2), np.zeros(2))
