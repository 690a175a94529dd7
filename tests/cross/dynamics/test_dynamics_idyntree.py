"""Trees read from URDF against iDynTree, which floats every base: equations, regressors."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.model import tree_of
from inertial_check.mechanics import equations, jacobians
from random_trees import as_urdf, configurations, random_tree

idyntree = pytest.importorskip("idyntree.bindings", reason="needs iDynTree: pip install idyntree")


def assert_close(ours, theirs):
    size = np.abs(theirs).max(initial=0.0) or 1.0
    np.testing.assert_allclose(ours / size, theirs / size, rtol=0, atol=1e-10)


class Theirs:
    """A robot in iDynTree: base velocities are linear and angular, both in the axes of I."""

    def __init__(self, text, tree):
        loader = idyntree.ModelLoader()
        assert loader.loadModelFromString(text)
        self.robot, self.tree = idyntree.KinDynComputations(), tree
        assert self.robot.loadRobotModel(loader.model())
        self.robot.setFrameVelocityRepresentation(idyntree.MIXED_REPRESENTATION)
        model = self.robot.model()
        self.links = [model.getLinkIndex(name) for name in tree.names]
        self.joints = np.zeros(tree.n_u - 6, int)
        for body, place in enumerate(tree.velocities):
            if tree.joints[body] in ("revolute", "prismatic"):
                joint = model.getJointIndex(f"to_{tree.names[body]}")
                self.joints[place.start - 6] = model.getJoint(joint).getDOFsOffset()

    def go_to(self, q, u):
        """Returns B with their velocities B u."""
        R = jacobians.poses(self.tree, q)[0, :3, :3]
        pose = idyntree.Transform(idyntree.Rotation(R), idyntree.Position(*map(float, q[:3])))
        s, ds = np.zeros((2, len(self.joints)))
        s[self.joints], ds[self.joints] = q[7:], u[6:]
        twist = idyntree.Twist.FromPython(np.concatenate([u[:3], R @ u[3:6]]))
        gravity = np.array([0.0, 0.0, -9.81])
        assert self.robot.setRobotState(pose, s, twist, ds, gravity)
        B = np.zeros((self.tree.n_u, self.tree.n_u))
        B[:3, :3], B[3:6, 3:6] = np.eye(3), R
        B[6 + self.joints, np.arange(6, self.tree.n_u)] = 1
        return B


@pytest.mark.parametrize("seed", range(3))
def test_equations_of_motion(seed):
    text = as_urdf(random_tree(seed, base="floating", count=7))
    tree = tree_of(ic.load(text.encode()), "floating").tree
    theirs = Theirs(text, tree)
    for q, u, du in zip(*configurations(tree, seed), strict=True):
        B = theirs.go_to(q, u)
        M = idyntree.MatrixDynSize()
        theirs.robot.getFreeFloatingMassMatrix(M)
        assert_close(equations.mass_matrix(tree, q), B.T @ M.toNumPy() @ B)
        for call, ours in (
            ("generalizedGravityForces", equations.gravity_forces(tree, q)),
            (
                "generalizedBiasForces",
                equations.bias_forces(tree, q, u) + equations.gravity_forces(tree, q),
            ),
        ):
            forces = idyntree.FreeFloatingGeneralizedTorques(theirs.robot.model())
            getattr(theirs.robot, call)(forces)
            base, joints = forces.baseWrench().toNumPy(), forces.jointTorques().toNumPy()
            assert_close(ours, B.T @ np.concatenate([base, joints]))
        # The derivative of their base velocity: R (dw_B + w_B x w_B) is R dw_B.
        rates = B @ du
        Y = idyntree.MatrixDynSize()
        assert theirs.robot.inverseDynamicsInertialParametersRegressor(
            rates[:6].copy(), rates[6:].copy(), Y
        )
        columns = np.ravel([range(10 * link, 10 * link + 10) for link in theirs.links])
        assert_close(equations.regressor(tree, q, u, du), (B.T @ Y.toNumPy())[:, columns])
