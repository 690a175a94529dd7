"""Trees read from URDF against Pinocchio: equations of motion, regressors, Jacobians."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.model import tree_of
from inertial_check.mechanics import contacts, equations, jacobians
from random_trees import as_urdf, configurations, random_tree

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")

CLOSE = {"rtol": 0, "atol": 1e-10}


def assert_close(ours, theirs, at_least=0.0):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    size = max(np.abs(theirs).max(initial=0.0), at_least) or 1.0
    np.testing.assert_allclose(ours / size, theirs / size, **CLOSE)


def places_of(model, tree):
    """For each of Pinocchio's one-axis joints, where its coordinate and velocity are in ours."""
    coordinates, velocities = [], []
    for index in range(1, model.njoints):
        if model.names[index] == "root_joint":
            continue
        joint = model.names[index].removeprefix("to_")
        body = tree.index(joint)
        coordinates.append((tree.coordinates[body].start, model.idx_qs[index]))
        velocities.append((tree.velocities[body].start, model.idx_vs[index]))
    return coordinates, velocities


def theirs_of(model, tree, q, u):
    """Pinocchio's q and v."""
    coordinates, velocities = places_of(model, tree)
    q_pin, v_pin = pin.neutral(model), np.zeros(model.nv)
    for ours, theirs in coordinates:
        q_pin[theirs] = q[ours]
    for ours, theirs in velocities:
        v_pin[theirs] = u[ours]
    return q_pin, v_pin


SEEDS = range(4)


def fixed_pair(seed, **options):
    tree = random_tree(seed, base="revolute", **options)
    text = as_urdf(tree)
    read = tree_of(ic.load(text.encode())).tree
    return read, pin.buildModelFromXML(text)


@pytest.mark.parametrize("seed", SEEDS)
def test_equations_of_motion(seed):
    tree, model = fixed_pair(seed, count=9, shuffled=True)
    data = model.createData()
    _, velocities = places_of(model, tree)
    rows = [theirs for _, theirs in sorted(velocities)]
    for q, u, du in zip(*configurations(tree, seed), strict=True):
        q_pin, v_pin = theirs_of(model, tree, q, u)
        a_pin = theirs_of(model, tree, q, du)[1]
        M = pin.crba(model, data, q_pin)
        M = np.triu(M) + np.triu(M, 1).T
        assert_close(equations.mass_matrix(tree, q), M[np.ix_(rows, rows)])
        gravity = pin.computeGeneralizedGravity(model, data, q_pin)[rows]
        assert_close(equations.gravity_forces(tree, q), gravity)
        bias = equations.bias_forces(tree, q, u) + gravity
        assert_close(bias, pin.nonLinearEffects(model, data, q_pin, v_pin)[rows])
        tau = pin.rnea(model, data, q_pin, v_pin, a_pin)[rows]
        assert_close(equations.inverse_dynamics(tree, q, u, du), tau)


@pytest.mark.parametrize("seed", SEEDS)
def test_regressor_column_by_column(seed):
    tree, model = fixed_pair(seed, count=6, kinds=("revolute", "prismatic"))
    data = model.createData()
    _, velocities = places_of(model, tree)
    rows = [theirs for _, theirs in sorted(velocities)]
    columns = []
    for body in range(1, len(tree)):  # body 0 is the world
        joint = model.getJointId(f"to_{tree.names[body]}")
        columns.append(range(10 * (joint - 1), 10 * joint))
    for q, u, du in zip(*configurations(tree, seed), strict=True):
        q_pin, v_pin = theirs_of(model, tree, q, u)
        a_pin = theirs_of(model, tree, q, du)[1]
        theirs = pin.computeJointTorqueRegressor(model, data, q_pin, v_pin, a_pin)[rows]
        ours = equations.regressor(tree, q, u, du, order="pinocchio")
        assert_close(ours[:, 10:], theirs[:, np.ravel([list(each) for each in columns])])
        assert not ours[:, :10].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobians_and_their_derivatives(seed):
    tree, model = fixed_pair(seed, count=7)
    data = model.createData()
    _, velocities = places_of(model, tree)
    rows = [theirs for _, theirs in sorted(velocities)]
    aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for q, u, _ in zip(*configurations(tree, seed), strict=True):
        q_pin, v_pin = theirs_of(model, tree, q, u)
        pin.computeJointJacobiansTimeVariation(model, data, q_pin, v_pin)
        pin.updateFramePlacements(model, data)
        for name in tree.names[1:]:
            frame = model.getFrameId(name)
            J = pin.getFrameJacobian(model, data, frame, aligned)[:, rows]
            assert_close(jacobians.jacobian(tree, q, name), J)
            dJ = pin.getFrameJacobianTimeVariation(model, data, frame, aligned)[:, rows]
            ours = jacobians.jacobian_derivative(tree, q, u, name)
            assert_close(ours, dJ, at_least=np.abs(u).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_floating_base_in_other_velocities(seed):
    tree = random_tree(seed, base="floating", count=6)
    text = as_urdf(tree)
    read = tree_of(ic.load(text.encode()), "floating").tree
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    data = model.createData()
    _, velocities = places_of(model, read)
    rows = [*range(6), *(theirs for _, theirs in sorted(velocities))]
    for q, u, _ in zip(*configurations(read, seed), strict=True):
        R = jacobians.poses(read, q)[0, :3, :3]
        q_pin, v_pin = theirs_of(model, read, q, u)
        q_pin[:7] = [*q[:3], *q[4:7], q[3]]
        v_pin[:6] = [*(R.T @ u[:3]), *u[3:6]]
        # u = B v with v_B in the body's axes, so dB/dt v = [R (w x v_B); 0].
        B, dB_v = np.eye(read.n_u), np.zeros(read.n_u)
        B[:3, :3], dB_v[:3] = R, R @ np.cross(u[3:6], R.T @ u[:3])
        h = -equations.bias_forces(read, q, u) - equations.gravity_forces(read, q)
        M, h = contacts.in_other_velocities(equations.mass_matrix(read, q), h, B, dB_v)
        theirs = pin.crba(model, data, q_pin)
        theirs = np.triu(theirs) + np.triu(theirs, 1).T
        assert_close(M, theirs[np.ix_(rows, rows)])
        assert_close(-h, pin.nonLinearEffects(model, data, q_pin, v_pin)[rows])


REAL = (
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "asr_twodof_description/urdf/TwoDofs.urdf",
    "baxter_description/urdf/baxter.urdf",
    "bravo7_description/urdf/bravo7_gripper.urdf",
    "double_pendulum_description/urdf/double_pendulum.urdf",
    "falcon_description/urdf/falcon_bravo7_gripper.urdf",
    "quadruped_description/urdf/quadruped.urdf",
    "romeo_description/urdf/romeo.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_left_arm.urdf",
    "talos_data/robots/talos_reduced.urdf",
)


@pytest.mark.corpus
@pytest.mark.parametrize("name", REAL)
def test_real_models(name, corpus):
    path = corpus / "Gepetto+example-robot-data/robots" / name
    if not path.exists():
        pytest.skip(f"{path} is not there: the corpus is another one")
    tree = tree_of(ic.load(path)).tree
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    joints = list(range(1, model.njoints))
    if any(model.nqs[index] != 1 for index in joints):
        pytest.skip("Pinocchio keeps its continuous joints as points of a circle")
    bodies = [child_of(model, index, tree) for index in joints]
    ours = [tree.velocities[body].start for body in bodies]
    for q, u, _ in zip(*configurations(tree, 1), strict=True):
        q_pin, v_pin = q[ours], u[ours]
        M = pin.crba(model, data, q_pin)
        M = np.triu(M) + np.triu(M, 1).T
        assert_close(equations.mass_matrix(tree, q)[np.ix_(ours, ours)], M)
        bias = equations.bias_forces(tree, q, u) + equations.gravity_forces(tree, q)
        assert_close(bias[ours], pin.nonLinearEffects(model, data, q_pin, v_pin))
        tau = equations.regressor(tree, q, u, 0 * u) @ tree.theta.ravel()
        assert_close(tau[ours], pin.nonLinearEffects(model, data, q_pin, v_pin))


def child_of(model, joint, tree):
    """The body that a joint moves: the first of its frames that is a link of ours."""
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY and frame.parentJoint == joint:
            return tree.index(frame.name)
    raise AssertionError(f"no body on {model.names[joint]}")
