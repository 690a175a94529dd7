"""Moments of hulls from their support alone."""

import numpy as np
import pytest

from inertial_check.checking.shapes.evidence import find_hull_moments
from inertial_check.inertia.solids import AXES
from suspects import rotation

DIRECTIONS = np.concatenate([AXES, -AXES])


def support_of(points):
    return np.max(DIRECTIONS @ np.asarray(points).T, axis=1)


def corners(edges, at=(0, 0, 0), R=None):
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    return signs * np.array(edges) / 2 @ (np.eye(3) if R is None else R).T + at


def test_a_box_along_the_axes():
    edges, at = np.array([1.0, 2.0, 5.0]), np.array([3.0, -2.0, 1.0])
    center, C = find_hull_moments(DIRECTIONS, support_of(corners(edges, at)))
    assert center == pytest.approx(at)
    assert np.diag(edges**2 / 12) == pytest.approx(C, rel=1e-9, abs=1e-9)


def test_a_ball():
    _, C = find_hull_moments(DIRECTIONS, np.ones(len(DIRECTIONS)))
    assert pytest.approx(C, rel=0.05, abs=1e-9) == 0.2 * np.eye(3)


@pytest.mark.parametrize("seed", range(5))
def test_boxes_that_are_turned_keep_their_form(seed):
    """Between the directions the polytope bulges; a hull must still be no other body."""
    rng = np.random.default_rng(seed)
    edges, R = np.array([1.0, 1.4, 2.5]), rotation(rng.uniform(-1.5, 1.5, 3))
    center, C = find_hull_moments(DIRECTIONS, support_of(corners(edges, (1, 1, 1), R)))
    meant = R @ np.diag(edges**2 / 12) @ R.T
    assert center == pytest.approx(np.ones(3), abs=0.1)
    assert np.linalg.norm(C / np.trace(C) - meant / np.trace(meant)) < 0.15


def test_a_sheet_has_the_moments_of_the_box_about_it():
    flat = corners((1.0, 2.0, 0.0))
    _, C = find_hull_moments(DIRECTIONS, support_of(flat))
    assert np.diag(C) == pytest.approx([1 / 12, 4 / 12, 0], abs=1e-9)
