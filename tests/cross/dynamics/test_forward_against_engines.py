"""Forward dynamics, composites, momenta and forces against Pinocchio, MuJoCo and Drake."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.mechanics import composites, contacts, forward, jacobians
from inertial_check.programs.objects import drake, pinocchio
from inertial_check.programs.objects import mujoco as mujoco_adapter
from random_trees import as_mjcf, as_urdf, configurations, random_tree

SEEDS = range(3)
POINT = np.array([0.3, -0.2, 0.7])


def assert_close(ours, theirs):
    size = np.abs(theirs).max(initial=0.0) or 1.0
    np.testing.assert_allclose(np.asarray(ours) / size, theirs / size, rtol=0, atol=1e-10)


@pytest.mark.parametrize("base", ["revolute", "floating"])
@pytest.mark.parametrize("seed", SEEDS)
def test_pinocchio(seed, base):
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")
    source = random_tree(seed, base=base, count=9, kinds=("revolute", "prismatic"))
    free = [pin.JointModelFreeFlyer()] * (base == "floating")
    model = pin.buildModelFromXML(as_urdf(source), *free)
    tree, data = (pinocchio.read(model).tree("floating" if free else "fixed"), model.createData())
    for q, u, tau in zip(*configurations(tree, seed), strict=True):
        q_pin, v_pin, B, drift = q.copy(), u.copy(), np.eye(tree.n_u), np.zeros(tree.n_u)
        if free:
            R = jacobians.poses(tree, q)[0, :3, :3]
            q_pin[3:7] = [*q[4:7], q[3]]
            B[:3, :3], v_pin = R.T, np.concatenate([R.T @ u[:3], u[3:]])
            drift[:3] = -np.cross(u[3:6], v_pin[:3])  # dv_B = R^T dv_I - w x v_B
        # tau = B^T tau_pin, v_pin = B u, dv_pin = B du + drift
        dv = pin.aba(model, data, q_pin, v_pin, np.linalg.solve(B.T, tau))
        assert_close(forward.forward_dynamics(tree, q, u, tau), np.linalg.solve(B, dv - drift))
        inverse = pin.computeMinverse(model, data, q_pin)
        inverse = np.triu(inverse) + np.triu(inverse, 1).T
        theirs = np.linalg.solve(B, inverse @ np.linalg.solve(B.T, tau))
        assert_close(forward.solve_mass_matrix(tree, q, tau), theirs)
        A = pin.ccrba(model, data, q_pin, v_pin)
        assert_close(composites.centroidal_momentum_matrix(tree, q, "linear-angular"), A @ B)
        assert_close(composites.centroidal_inertia(tree, q), data.Ig.inertia)
        assert_close(composites.center_of_mass(tree, q), pin.centerOfMass(model, data, q_pin))
        assert_close(composites.total_mass(tree), np.array(pin.computeTotalMass(model)))
        J = pin.jacobianCenterOfMass(model, data, q_pin)
        assert_close(composites.center_of_mass_jacobian(tree, q), J @ B)
        pin.crba(model, data, q_pin)
        rows = [each.toDynamicParameters() for each in list(data.Ycrb)[1:]]
        theirs = ic.InertialParameters.from_theta(np.array(rows), "pinocchio").as_theta()
        assert_close(composites.composite_parameters(tree, q), theirs)
        # Wrenches on bodies as forces of the joints, by their Jacobians.
        rng, total = np.random.default_rng(seed), np.zeros(tree.n_u)
        F, T = rng.normal(size=(2, 2, 3))
        pin.computeJointJacobians(model, data, q_pin)
        for row, body in enumerate((3, len(tree) - 1)):
            aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            J = pin.getJointJacobian(model, data, body + 1, aligned)
            arm = data.oMi[body + 1].rotation @ POINT
            total += B.T @ J.T @ np.concatenate([F[row], T[row] + np.cross(arm, F[row])])
        ours = contacts.generalized_forces(tree, q, [3, len(tree) - 1], F, T, POINT)
        assert_close(ours, total)


@pytest.mark.parametrize("base", ["revolute", "prismatic", "fixed", "floating"])
@pytest.mark.parametrize("seed", SEEDS)
def test_mujoco(seed, base):
    mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")
    text = as_mjcf(random_tree(seed, base=base, count=8, anchored=True))
    model = mujoco.MjModel.from_xml_string(text)
    tree, data = mujoco_adapter.read(model).tree(), mujoco.MjData(model)
    for q, u, tau in zip(*configurations(tree, seed), strict=True):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, u, tau
        mujoco.mj_forward(model, data)
        assert_close(forward.forward_dynamics(tree, q, u, tau), data.qacc)
        assert_close(composites.center_of_mass(tree, q), data.subtree_com[0])
        assert_close(composites.total_mass(tree), model.body_subtreemass[0])
        J = np.zeros((3, model.nv))
        mujoco.mj_jacSubtreeCom(model, data, J, 0)
        assert_close(composites.center_of_mass_jacobian(tree, q), J)
        H = np.zeros((3, model.nv))
        mujoco.mj_angmomMat(model, data, H, 0)
        A = composites.centroidal_momentum_matrix(tree, q)
        assert_close(A[:3], H)
        F, T = np.random.default_rng(seed).normal(size=(2, 3))
        total, body = np.zeros(model.nv), len(tree) - 1
        where = data.xpos[body + 1] + data.xmat[body + 1].reshape(3, 3) @ POINT
        mujoco.mj_applyFT(model, data, F, T, where, body + 1, total)
        assert_close(contacts.generalized_forces(tree, q, body, F, T, POINT), total)
        J = np.zeros((2, 3, model.nv))
        mujoco.mj_jac(model, data, J[0], None, where, body + 1)
        mujoco.mj_jac(model, data, J[1], None, where, 1)
        W = contacts.contact_directions(tree, q, body, F, POINT, against=0)
        assert_close(W[:, 0], (J[0] - J[1]).T @ F)
        # The velocities of a step, from the difference of two configurations.
        moved = q.copy()
        mujoco.mj_integratePos(model, moved, u, 1e-7)
        slope = (moved - q) / 1e-7
        difference = jacobians.velocities_from_rates(tree, q, slope) - u
        assert np.abs(difference).max() <= 1e-5 * np.abs(u).max(initial=1.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_drake(seed):
    pytest.importorskip("pydrake", reason="needs Drake: pip install drake")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(as_urdf(random_tree(seed, count=8)), "urdf")
    plant.Finalize()
    tree, context = drake.read(plant).tree(), plant.CreateDefaultContext()
    rows = np.zeros(tree.n_u, int)
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.num_velocities():
            body = int(joint.child_body().index()) - 1
            rows[tree.velocities[body]] = joint.velocity_start()
    for q, u, tau in zip(*configurations(tree, seed), strict=True):
        plant.SetPositions(context, q[np.argsort(rows)])
        plant.SetVelocities(context, u[np.argsort(rows)])
        port = plant.get_applied_generalized_force_input_port()
        port.FixValue(context, tau[np.argsort(rows)])
        dv = plant.get_generalized_acceleration_output_port().Eval(context)
        assert_close(forward.forward_dynamics(tree, q, u, tau), dv[rows])
        assert_close(
            composites.center_of_mass(tree, q), plant.CalcCenterOfMassPositionInWorld(context)
        )
        bodies = [BodyIndex(i) for i in range(1, plant.num_bodies())]
        whole = plant.CalcSpatialInertia(context, plant.world_frame(), bodies)
        about_S = whole.Shift(whole.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
        assert_close(composites.centroidal_inertia(tree, q), about_S)
        momentum = plant.CalcSpatialMomentumInWorldAboutPoint(context, whole.get_com())
        A = composites.centroidal_momentum_matrix(tree, q)
        assert_close(A @ u, np.concatenate([momentum.rotational(), momentum.translational()]))
