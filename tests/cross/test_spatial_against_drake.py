"""Drake as an oracle: spatial velocities, forces and inertias that are shifted and re-expressed."""

import itertools

import numpy as np
import pytest

from inertial_check.mechanics import compact, vectors

tree = pytest.importorskip("pydrake.multibody.tree", reason="needs Drake: pip install drake")
from pydrake.math import RigidTransform, RotationMatrix  # noqa: E402
from pydrake.multibody.math import SpatialForce, SpatialVelocity  # noqa: E402

VECTORS = np.random.default_rng(10).normal(size=(60, 2, 6))


def close(got, expected):
    size = max(np.abs(expected).max(), 1.0)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10 * size)


def test_motions_and_forces_are_shifted_and_then_turned(poses):
    for (R_BA, r), (m, f) in zip(poses, VECTORS, strict=True):
        for X in (vectors.plx(R_BA, r), vectors.plxb(R_BA.T, r)):
            V = SpatialVelocity(m[:3], m[3:]).Shift(r)
            close(
                X.apply_motion(m), np.concatenate([R_BA @ V.rotational(), R_BA @ V.translational()])
            )
            F = SpatialForce(f[:3], f[3:]).Shift(r)
            close(
                X.apply_force(f), np.concatenate([R_BA @ F.rotational(), R_BA @ F.translational()])
            )


def test_poses_compose_as_rigid_transforms_do(poses, pose_matrix):
    for (R1, p1), (R2, p2) in itertools.pairwise(poses):
        theirs = RigidTransform(RotationMatrix(R1), p1) @ RigidTransform(RotationMatrix(R2), p2)
        Y1, Y2 = (vectors.Plxb.from_pose(pose_matrix(R, p)) for R, p in ((R1, p1), (R2, p2)))
        close((Y1 @ Y2).as_pose(), theirs.GetAsMatrix4())
        X1, X2 = Y1.as_plx(), Y2.as_plx()
        close((X2 @ X1).as_pose(), theirs.GetAsMatrix4())


def test_inertias(lumps, poses):
    for lump, (R_BA, r) in zip(lumps, poses, strict=True):
        xx, xy, xz, yy, yz, zz = lump.inertia_com[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        central = tree.RotationalInertia(xx, yy, zz, xy, xz, yz)
        body = tree.SpatialInertia.MakeFromCentralInertia(lump.sums.mass, lump.com, central)
        expected = body.Shift(r).ReExpress(RotationMatrix(R_BA)).CopyToFullMatrix6()
        size = np.abs(expected).max()
        ours = vectors.plx(R_BA, r).apply_spatial_inertia(body.CopyToFullMatrix6())
        close(ours / size, expected / size)
        terms = lump.body.as_theta(order="ksl", about="com")
        close(
            compact.spatial_inertia(terms, "angular-linear") / size, body.CopyToFullMatrix6() / size
        )
