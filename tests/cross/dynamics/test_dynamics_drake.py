"""Trees read from URDF and SDF against Drake: equations of motion and Jacobians."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.model import tree_of
from inertial_check.mechanics import equations, jacobians
from random_trees import as_urdf, configurations, random_tree

pytest.importorskip("pydrake", reason="needs Drake: pip install drake")
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable


def assert_close(ours, theirs):
    size = np.abs(theirs).max(initial=0.0) or 1.0
    np.testing.assert_allclose(ours / size, theirs / size, rtol=0, atol=1e-10)


def plant_of(text, kind, held):
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(text, kind)
    if held is not None:
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(held))
    plant.Finalize()
    return plant


def by_name(tree):
    """Indices of the bodies by their own names, without those of models."""
    return {name.rpartition("::")[2]: index for index, name in enumerate(tree.names)}


def places_of(plant, tree):
    """For each velocity of ours, where Drake has it."""
    found = np.zeros(tree.n_u, int)
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.num_velocities() == 1:
            body = by_name(tree)[joint.child_body().name()]
            found[tree.velocities[body]] = joint.velocity_start()
    return found


def assert_equations_agree(plant, tree, seed):
    context, rows = plant.CreateDefaultContext(), places_of(plant, tree)
    for q, u, _ in zip(*configurations(tree, seed), strict=True):
        q_drake, v_drake = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities())
        q_drake[rows], v_drake[rows] = q, u
        plant.SetPositions(context, q_drake)
        plant.SetVelocities(context, v_drake)
        M = plant.CalcMassMatrixViaInverseDynamics(context)
        assert_close(equations.mass_matrix(tree, q), M[np.ix_(rows, rows)])
        assert_close(equations.bias_forces(tree, q, u), plant.CalcBiasTerm(context)[rows])
        gravity = -plant.CalcGravityGeneralizedForces(context)[rows]
        assert_close(equations.gravity_forces(tree, q), gravity)
        assert_jacobians_agree(plant, context, tree, (q, u, rows))


def assert_jacobians_agree(plant, context, tree, state):
    q, u, rows = state
    point, world = np.array([0.1, 0.4, -0.2]), plant.world_frame()
    for body, name in enumerate(tree.names):
        if name == "world":
            continue
        frame = plant.GetFrameByName(name.rpartition("::")[2])
        at = (frame, point, world, world)
        J = plant.CalcJacobianSpatialVelocity(context, JacobianWrtVariable.kV, *at)[:, rows]
        assert_close(jacobians.jacobian(tree, q, body, point), np.vstack([J[3:], J[:3]]))
        bias = plant.CalcBiasSpatialAcceleration(context, JacobianWrtVariable.kV, *at)
        theirs = np.concatenate([bias.translational(), bias.rotational()])
        assert_close(jacobians.jacobian_derivative(tree, q, u, body, point) @ u, theirs)


@pytest.mark.parametrize("seed", range(3))
def test_urdf(seed):
    text = as_urdf(random_tree(seed, count=8, shuffled=True))
    tree = tree_of(ic.load(text.encode())).tree
    assert_equations_agree(plant_of(text, "urdf", None), tree, seed)


SDF = """<sdf version="1.9"><model name="m">
<link name="base"/>
<link name="a"><pose>.1 .2 .3 .4 .5 .6</pose><inertial><pose>.1 0 .2 .3 0 0</pose><mass>2</mass>
<inertia><ixx>1</ixx><iyy>1.2</iyy><izz>1.1</izz><ixy>.1</ixy></inertia></inertial></link>
<link name="b"><pose>1 0 0 0 1 0</pose><inertial><pose>0 .3 .2 0 0 1</pose><mass>1</mass>
<inertia><ixx>1</ixx><iyy>1.2</iyy><izz>1.1</izz><iyz>.1</iyz></inertia></inertial></link>
<link name="c"><pose>1 1 0 0 1 2</pose><inertial><mass>1.5</mass>
<inertia><ixx>1</ixx><iyy>1.2</iyy><izz>1.1</izz><iyz>.1</iyz></inertia></inertial></link>
<joint name="1" type="revolute"><pose>.3 .1 .2 .5 .1 0</pose><parent>base</parent><child>a</child>
<axis><xyz>0 .6 .8</xyz></axis></joint>
<joint name="2" type="revolute"><pose relative_to="a">.3 .1 .2 .5 .1 0</pose>
<parent>a</parent><child>b</child><axis><xyz expressed_in="a">1 0 0</xyz></axis></joint>
<joint name="3" type="prismatic"><pose>0 .1 .2 0 .1 0</pose><parent>b</parent><child>c</child>
<axis><xyz>.6 0 .8</xyz></axis></joint>
</model></sdf>"""


def test_sdf_with_joints_beside_the_origins_of_their_links():
    tree = tree_of(ic.load(SDF.encode())).tree
    assert tree.points_B.any()
    assert_equations_agree(plant_of(SDF, "sdf", "base"), tree, 0)
