"""Pinocchio as an oracle: actions of poses, crosses and inertias, each in its own code."""

import itertools

import numpy as np
import pytest

from inertial_check.mechanics import compact, vectors

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")

ORDER = "linear-angular"
VECTORS = np.random.default_rng(9).normal(size=(60, 2, 6))


def close(got, expected):
    size = max(np.abs(expected).max(), 1.0)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10 * size)


@pytest.fixture(scope="module")
def pairs(poses, pose_matrix):
    """Their pose M_AB and our transform from B to A, which is what their action does."""
    return [
        (pin.SE3(R, p), kind.from_pose(pose_matrix(R, p)).inverse())
        for R, p in poses
        for kind in (vectors.Plx, vectors.Plxb)
    ]


def test_the_matrices_of_the_actions(pairs):
    for theirs, ours in pairs:
        close(ours.as_matrix(ORDER), theirs.toActionMatrix())
        close(ours.as_dual_matrix(ORDER), theirs.toDualActionMatrix())
        close(ours.inverse().as_matrix(ORDER), theirs.toActionMatrixInverse())


def test_motions_and_forces(pairs):
    for (theirs, ours), (m, f) in zip(pairs, np.repeat(VECTORS, 2, axis=0), strict=True):
        close(ours.apply_motion(m, ORDER), theirs.act(pin.Motion(m)).vector)
        close(ours.apply_force(f, ORDER), theirs.act(pin.Force(f)).vector)


def test_composition(pairs):
    left, right = pairs[::2], pairs[1::2]
    for (M1, X1), (M2, X2) in itertools.pairwise(left):
        close((X1 @ X2).as_matrix(ORDER), (M1 * M2).toActionMatrix())
    for (M1, Y1), (M2, Y2) in itertools.pairwise(right):
        close((Y2 @ Y1).as_matrix(ORDER), (M1 * M2).toActionMatrix())


def test_crosses():
    for m, other in VECTORS:
        motion = pin.Motion(m)
        close(vectors.cross_motion(m, other, ORDER), motion.cross(pin.Motion(other)).vector)
        close(vectors.cross_force(m, other, ORDER), motion.cross(pin.Force(other)).vector)
        close(vectors.power(m, other), motion.dot(pin.Force(other)))


def test_inertias(lumps, pairs):
    for lump, (theirs, ours) in zip(lumps, pairs[::2], strict=True):
        inertia = pin.Inertia(lump.sums.mass, lump.com, lump.inertia_com)
        expected = theirs.act(inertia).matrix()
        moved = ours.apply_spatial_inertia(inertia.matrix(), ORDER)
        size = np.abs(expected).max()
        close(moved / size, expected / size)
        terms = lump.body.as_theta(order="ksl", about="com")
        D_AB = ours.inverse().as_pose()
        close(compact.spatial_inertia(compact.transform(terms, D_AB)) / size, expected / size)
        close(compact.spatial_inertia(terms) / size, inertia.matrix() / size)
