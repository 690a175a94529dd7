"""SciPy's rotations as an oracle: what a turn is, which way it goes, how rpy is read."""

import numpy as np
import pytest

import clouds
import inertial_check as ic
from inertial_check.inertia import sampling

transform = pytest.importorskip("scipy.spatial.transform", reason="needs SciPy: pip install scipy")
stats = pytest.importorskip("scipy.stats", reason="needs SciPy: pip install scipy")
Rotation = transform.Rotation


def test_rotate_turns_the_body_and_not_the_axes(lumps, assert_same):
    turns = Rotation.random(len(lumps), rng=np.random.default_rng(1))
    for lump, turn in zip(lumps, turns, strict=True):
        turned = clouds.theta_of(lump.masses, turn.apply(lump.points))
        ours = lump.body.rotate(turn.as_matrix())
        assert_same(ours.as_theta(), turned, lump.sums.mass, lump.length)


def test_transform_turns_first_and_moves_then(lumps, pose_matrix, assert_same):
    rng = np.random.default_rng(2)
    turns = Rotation.random(len(lumps), rng=rng)
    for lump, turn in zip(lumps, turns, strict=True):
        p_AoBo_A = rng.normal(size=3) * lump.length
        moved = clouds.theta_of(lump.masses, turn.apply(lump.points) + p_AoBo_A)
        ours = lump.body.transform(pose_matrix(turn.as_matrix(), p_AoBo_A))
        reach = lump.length + np.linalg.norm(p_AoBo_A)
        assert_same(ours.as_theta(), moved, lump.sums.mass, reach)


def test_principal_axes_are_a_rotation_that_gives_the_tensor_back(lumps, assert_same):
    for lump in lumps:
        axes = Rotation.from_matrix(lump.body.principal_axes()).as_matrix()
        tensor = axes @ np.diag(lump.body.principal_moments()) @ axes.T
        assert_same(tensor, lump.inertia_com, lump.sums.mass, lump.length)


def test_our_random_rotations_are_uniform():
    """Angles of uniform rotations have the density (1 - cos a) / pi; a wrong quaternion has not."""
    angles = Rotation.from_matrix(sampling.rotations(5, 20_000)).magnitude()
    fit = stats.kstest(angles, lambda a: (a - np.sin(a)) / np.pi)
    assert fit.pvalue > 1e-3


@pytest.mark.parametrize("rpy", [(0.3, -0.7, 1.1), (-3.0, 1.5, 0.2), (0, 0, 2), (1e-9, 0, 0)])
def test_rpy_of_a_urdf_is_fixed_axes_x_y_z(rpy):
    text = (
        f'<robot name="r"><link name="b"><inertial><origin rpy="{rpy[0]} {rpy[1]} {rpy[2]}"/>'
        '<mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>'
        "</inertial></link></robot>"
    )
    R_BBi = ic.load(text.encode()).bodies[0].inertial.R_BBi
    expected = Rotation.from_euler("xyz", rpy).as_matrix()
    np.testing.assert_allclose(R_BBi, expected, rtol=0, atol=1e-15)
