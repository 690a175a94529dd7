"""Simplified meshes against the shapes that they stand for."""

import numpy as np
import pytest

from inertial_check.reports.page.scene import LEVELS, simplify


def make_ball(rows, columns):
    """Corners (t, 3, 3) of a ball of radius 1."""
    theta = np.linspace(0, np.pi, rows + 1)
    phi = np.linspace(0, 2 * np.pi, columns + 1)
    grid = np.stack(
        [
            np.outer(np.sin(theta), np.cos(phi)),
            np.outer(np.sin(theta), np.sin(phi)),
            np.outer(np.cos(theta), np.ones_like(phi)),
        ],
        axis=-1,
    )
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    halves = [np.stack(each, axis=-2).reshape(-1, 3, 3) for each in ((a, b, c), (a, c, d))]
    return np.concatenate(halves)


def positions(mesh):
    return mesh.lower + mesh.positions * mesh.extent / LEVELS


def volume(points, faces):
    a, b, c = (points[faces[:, k]] for k in range(3))
    return float(np.einsum("ni,ni->", a, np.cross(b, c)) / 6)


def test_a_ball_keeps_its_form_with_a_twentieth_of_its_triangles():
    corners = make_ball(100, 200)
    mesh = simplify(corners, 2000)
    points = positions(mesh)
    assert 500 < len(mesh.faces) <= 2000
    assert np.linalg.norm(points, axis=1) == pytest.approx(1, abs=0.02)
    assert volume(points, mesh.faces) == pytest.approx(4 / 3 * np.pi, rel=0.02)


def test_flat_faces_and_sharp_edges_of_a_box_stay():
    """The mean of each cell, without the planes, would round the edges off by half a cell."""
    steps = np.linspace(0, 1, 41)
    squares = np.stack(np.meshgrid(steps[:-1], steps[:-1], indexing="ij"), -1).reshape(-1, 2)
    h = steps[1]
    around = np.array([[0, 0], [h, 0], [h, h], [0, h]])
    quads = squares[:, None] + around
    halves = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    corners = []
    for axis in range(3):
        for side, order in ((0.0, [0, 2, 1]), (1.0, [0, 1, 2])):
            face = np.insert(halves, 2, side, axis=2)
            corners.append(np.roll(face, axis + 1, axis=2)[:, order])
    mesh = simplify(np.concatenate(corners), 1500)
    assert len(mesh.faces) <= 1500
    assert volume(positions(mesh), mesh.faces) == pytest.approx(1, rel=0.02)


def test_a_small_mesh_is_kept_but_for_its_last_digits():
    corners = make_ball(8, 12)
    mesh = simplify(corners, 1000)
    points = positions(mesh)
    assert len(points) == 8 * 12 - 12 + 2  # corners of the rows, the seam once, and two poles
    assert np.linalg.norm(points, axis=1) == pytest.approx(1, abs=1e-4)


def test_a_flat_mesh_has_no_extent_and_no_division_by_zero():
    corners = np.array([[[0.0, 0, 5], [1, 0, 5], [0, 1, 5]]])
    mesh = simplify(corners, 10)
    assert positions(mesh)[:, 2] == pytest.approx([5, 5, 5])
    assert len(mesh.faces) == 1
