"""Simple shapes, many at once: against the densities, against dense clouds of points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.documents.model import DIMENSIONS
from inertial_check.inertia import solids
from inertial_check.inertia.sampling import rotations
from inertial_check.inertia.solids import AXES, PRIMITIVES

DENSITIES = {
    "box": solids.box,
    "sphere": solids.sphere,
    "ellipsoid": solids.ellipsoid,
    "cylinder": solids.cylinder,
    "capsule": solids.capsule,
    "cone": solids.cone,
}
lengths = st.floats(1e-3, 1e3)


def body(kind, dimensions):
    numbers = [dimensions] if kind in {"box", "ellipsoid"} else dimensions
    return DENSITIES[kind](*numbers, density=1.0)


def test_every_kind_that_holds_a_volume_is_known():
    assert set(PRIMITIVES) <= set(DIMENSIONS)
    assert set(PRIMITIVES) == set(DENSITIES)


@pytest.mark.parametrize("kind", PRIMITIVES)
@given(numbers=st.lists(lengths, min_size=9, max_size=9))
def test_solids_are_the_densities(kind, numbers):
    sizes = np.reshape(numbers, (3, 3))[:, : len(DIMENSIONS[kind])]
    found = PRIMITIVES[kind].solid(sizes)
    for i, dimensions in enumerate(sizes):
        expected = body(kind, dimensions)
        assert found.volume[i] == pytest.approx(float(expected.mass), rel=1e-13)
        np.testing.assert_allclose([0, 0, found.height[i]], expected.com, rtol=1e-13)
        spread = np.diag(expected.central_second_moment) / expected.mass
        np.testing.assert_allclose(found.variances[i], spread, rtol=1e-13, atol=1e-14 * max(spread))


def surface(kind, dimensions):
    """Points all over a shape of unit numbers, and its rims and tips."""
    turn, up = np.meshgrid(np.linspace(0, 2 * np.pi, 361), np.linspace(-1, 1, 181))
    up = np.sin(np.pi / 2 * up)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    ball = np.concatenate([np.sqrt(1 - up**2)[..., None] * ring, up[..., None]], axis=-1)
    ball = ball.reshape(-1, 3)
    if kind == "box":
        corners = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T
        return corners * dimensions
    if kind in {"sphere", "ellipsoid"}:
        return ball * dimensions
    radius, length = dimensions
    circle = np.concatenate([radius * ring[0], np.zeros((361, 1))], axis=-1)
    if kind == "capsule":
        ends = [radius * ball + [0, 0, end * length / 2] for end in (-1, 1)]
    elif kind == "cylinder":
        ends = [np.array([0, 0, end * length / 2]) + circle for end in (-1, 1)]
    else:
        ends = [circle - [0, 0, length / 2], np.array([[0, 0, length / 2]])]
    return np.concatenate(ends)


@pytest.mark.parametrize("kind", PRIMITIVES)
@pytest.mark.parametrize("seed", range(3))
def test_supports_are_those_of_a_dense_cloud(kind, seed):
    """A cloud on the surface reaches nearly as far, and never farther."""
    rng = np.random.default_rng(seed)
    dimensions = 10 ** rng.uniform(-1, 1, len(DIMENSIONS[kind]))
    directions = AXES @ rotations(rng, 1)[0]
    directions = np.concatenate([directions, -directions])
    (found,) = PRIMITIVES[kind].support(dimensions[None], directions[None])
    reached = (surface(kind, dimensions) @ directions.T).max(axis=0)
    size = np.abs(reached).max()
    assert np.all(found >= reached - 1e-14 * size)
    np.testing.assert_allclose(found, reached, atol=2e-4 * size)


def test_the_axes_are_unit_vectors_of_a_cube_without_opposites():
    np.testing.assert_array_equal(AXES[:3], np.eye(3))
    np.testing.assert_allclose(np.linalg.norm(AXES, axis=1), 1)
    cosines = np.abs(AXES @ AXES.T) - np.eye(len(AXES))
    assert cosines.max() < 0.99
    for turn in ([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [[0, 0, 1], [1, 0, 0], [0, 1, 0]]):
        assert np.allclose(np.abs(AXES @ turn @ AXES.T).max(axis=1), 1)


@pytest.mark.parametrize(
    ("edges", "least"), [((1, 0.1, 0.1), 0.99), ((1, 1, 0.1), 0.93), ((1, 1, 1), 0.8)]
)
def test_points_a_tenth_of_the_extent_outside_of_a_box_are_seen(edges, least):
    """Beyond a corner, an edge or a face; all where the box lies along the axes."""
    rng = np.random.default_rng(0)
    seen = []
    for R in (np.eye(3), *rotations(rng, 50)):
        at = rng.uniform(-0.5, 0.5, (200, 3))
        away = rng.normal(size=(200, 3)) * rng.integers(0, 2, (200, 3))
        away = away[np.any(away, axis=1)]
        at = np.where(away == 0, at[: len(away)], np.sign(away) / 2) * edges
        away /= np.linalg.norm(away, axis=1, keepdims=True)
        points = (at + 0.1 * away * max(edges)) @ R.T
        (support,) = PRIMITIVES["box"].support(np.array([edges]), (AXES @ R)[None])
        seen.append(np.mean(np.any(np.abs(points @ AXES.T) > support, axis=1)))
    assert seen[0] == 1
    assert np.mean(seen[1:]) > least
