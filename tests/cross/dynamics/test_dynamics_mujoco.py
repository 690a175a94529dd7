"""Trees read from MJCF against MuJoCo: joints beside the body origins, floating bodies, forests."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.model import tree_of
from inertial_check.mechanics import equations, jacobians
from random_trees import as_mjcf, configurations, random_tree

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")


def assert_close(ours, theirs):
    size = np.abs(theirs).max(initial=0.0) or 1.0
    np.testing.assert_allclose(ours / size, theirs / size, rtol=0, atol=1e-10)


def pair(seed, base):
    tree = random_tree(seed, base=base, count=8, anchored=True)
    text = as_mjcf(tree)
    model = mujoco.MjModel.from_xml_string(text)
    read = tree_of(ic.load(text.encode())).tree
    assert list(read.names) == [model.body(i).name for i in range(1, model.nbody)]
    return read, model


def mass_matrix(model, data):
    """M, by as many inverse dynamics at rest and without gravity as there are velocities."""
    columns = []
    for direction in np.eye(model.nv):
        product = np.zeros(model.nv)
        mujoco.mj_mulM(model, data, product, direction)
        columns.append(product)
    return np.array(columns).T


@pytest.mark.parametrize("base", ["revolute", "prismatic", "fixed", "floating"])
@pytest.mark.parametrize("seed", range(3))
def test_equations_of_motion_and_jacobians(seed, base):
    tree, model = pair(seed, base)
    data = mujoco.MjData(model)
    point = np.array([0.3, -0.2, 0.7])
    for q, u, _ in zip(*configurations(tree, seed), strict=True):
        data.qpos[:], data.qvel[:] = q, u
        mujoco.mj_forward(model, data)
        assert_close(equations.mass_matrix(tree, q), mass_matrix(model, data))
        forces = equations.bias_forces(tree, q, u) + equations.gravity_forces(tree, q)
        assert_close(forces, data.qfrc_bias)
        for body in range(len(tree)):
            X = jacobians.poses(tree, q)[body]
            assert_close(X[:3, 3], data.xpos[body + 1])
            assert_close(X[:3, :3], data.xmat[body + 1].reshape(3, 3))
            J_P, J_R = np.zeros((2, 3, model.nv))
            where = X[:3, :3] @ point + X[:3, 3]
            mujoco.mj_jac(model, data, J_P, J_R, where, body + 1)
            assert_close(jacobians.jacobian(tree, q, body, point), np.vstack([J_P, J_R]))


def test_several_free_bodies_and_a_hinge_in_one_world():
    inertial = '<inertial pos=".1 0 0" mass="1" fullinertia="1 1.1 1.2 .1 .2 .3"/>'
    bodies = (
        f'<body name="a"><freejoint/>{inertial}<body name="c" pos="0 1 0">'
        f'<joint axis="1 0 1" pos=".2 .1 0"/>{inertial}</body></body>'
        f'<body name="b"><joint axis="0 1 0" pos="0 0 .5"/>{inertial}</body>'
    )
    text = '<mujoco><option gravity="0 0 -9.81"/><worldbody>' + bodies + "</worldbody></mujoco>"
    model, tree = mujoco.MjModel.from_xml_string(text), tree_of(ic.load(text.encode())).tree
    data = mujoco.MjData(model)
    for q, u, _ in zip(*configurations(tree, 0), strict=True):
        data.qpos[:], data.qvel[:] = q, u
        mujoco.mj_forward(model, data)
        assert_close(equations.mass_matrix(tree, q), mass_matrix(model, data))
        forces = equations.bias_forces(tree, q, u) + equations.gravity_forces(tree, q)
        assert_close(forces, data.qfrc_bias)


def test_an_axis_inside_a_frame():
    inertial = '<inertial pos=".1 0 0" mass="1" fullinertia="1 1.1 1.2 .1 .2 .3"/>'
    text = (
        "<mujoco><worldbody><body><body><frame pos='.3 .1 0' euler='40 20 10'>"
        f"<joint axis='0 1 0' pos='0 .2 .1'/></frame>{inertial}</body></body></worldbody></mujoco>"
    )
    model, tree = mujoco.MjModel.from_xml_string(text), tree_of(ic.load(text.encode())).tree
    data = mujoco.MjData(model)
    data.qpos[:] = 0.7
    mujoco.mj_forward(model, data)
    assert_close(equations.mass_matrix(tree, [0.7]), mass_matrix(model, data))
    assert_close(equations.gravity_forces(tree, [0.7]), data.qfrc_bias)
