"""Pinocchio as an oracle: the same bodies, orders, moves and sums, each in its own code."""

import itertools

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.model import judge

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")


def theirs(lump):
    return pin.Inertia(lump.sums.mass, lump.com, lump.inertia_com)


def test_dynamic_parameters_have_the_order_and_the_point_that_we_say(lumps, assert_same):
    for lump in lumps:
        size = lump.sums.mass, lump.length
        vector = theirs(lump).toDynamicParameters()
        assert_same(lump.body.as_theta(order="pinocchio", about="origin"), vector, *size)
        read = ic.InertialParameters.from_theta(vector, order="pinocchio", about="origin")
        assert_same(read.pseudo_inertia, lump.sums.pseudo_inertia, *size)


def test_they_read_our_vector(lumps, assert_same):
    for lump in lumps:
        vector = lump.body.as_theta(order="pinocchio", about="origin")
        inertia = pin.Inertia.FromDynamicParameters(vector)
        assert_same(inertia.inertia, lump.inertia_com, lump.sums.mass, lump.length)
        np.testing.assert_allclose(inertia.lever, lump.com, rtol=0, atol=1e-14 * lump.length)


def test_spatial_inertia_is_linear_angular(lumps, assert_same):
    for lump in lumps:
        size = lump.sums.mass, lump.length, "linear-angular"
        matrix = theirs(lump).matrix()
        assert_same(lump.body.as_spatial_inertia("linear-angular"), matrix, *size)
        read = ic.InertialParameters.from_spatial_inertia(matrix, "linear-angular")
        assert_same(read.as_theta(), lump.body.as_theta(), *size[:2])


def test_pseudo_inertia(lumps, assert_same):
    for lump in lumps:
        matrix = theirs(lump).toPseudoInertia().toMatrix()
        assert_same(lump.body.pseudo_inertia, matrix, lump.sums.mass, lump.length)


def test_action_of_a_pose_is_transform(lumps, poses, pose_matrix, assert_same):
    for lump, (R_AB, direction) in zip(lumps, poses, strict=True):
        p_AoBo_A = direction * lump.length
        moved = pin.SE3(R_AB, p_AoBo_A).act(theirs(lump))
        body = lump.body.transform(pose_matrix(R_AB, p_AoBo_A))
        reach = lump.length + np.linalg.norm(p_AoBo_A)
        order = "linear-angular"
        assert_same(body.as_spatial_inertia(order), moved.matrix(), lump.sums.mass, reach, order)


def test_sum_of_two_bodies(lumps, assert_same):
    for first, second in itertools.pairwise(lumps):
        both = theirs(first) + theirs(second)
        mass = first.sums.mass + second.sums.mass
        length = max(first.length, second.length)
        order = "linear-angular"
        ours = (first.body + second.body).as_spatial_inertia(order)
        assert_same(ours, both.matrix(), mass, length, order)


def test_every_log_cholesky_vector_is_consistent():
    """Their parametrisation covers the consistent bodies and no others."""
    rng = np.random.default_rng(1)
    bodies = [
        pin.Inertia.FromLogCholeskyParameters(pin.LogCholeskyParameters(vector))
        for vector in rng.uniform(-1, 1, size=(200, 10))
    ]
    theta = np.stack([body.toDynamicParameters() for body in bodies])
    assert set(ic.check(theta, order="pinocchio").verdict) == {"consistent"}


@pytest.mark.parametrize("model", ["inertial-rpy", "arm", "plate-rotated", "rod-rotated"])
def test_a_urdf_is_read_alike(data_dir, model, assert_same):
    """Catches rpy in another order, axes of the inertial taken for those of the link."""
    path = data_dir / "valid" / f"{model}.urdf"
    read = ic.load(path)
    theirs = pin.buildModelFromXML(path.read_text(), pin.JointModelFreeFlyer())
    joints = {f.name: f.parentJoint for f in theirs.frames if f.type == pin.FrameType.BODY}
    alone = [name for name, joint in joints.items() if [*joints.values()].count(joint) == 1]
    judged = dict(zip((body.name for body in read.bodies), judge(read), strict=True))
    compared = [name for name in alone if judged[name].mass > 0]  # lumped bodies are theirs alone
    assert compared
    for name in compared:
        body = judged[name]
        com = np.asarray(body.p_BoBcm_B)
        length = np.linalg.norm(com) + np.sqrt(sum(body.principal_moments) / body.mass)
        ours = ic.InertialParameters.from_com(body.mass, com, body.I_BBcm_B)
        vector = theirs.inertias[joints[name]].toDynamicParameters()
        assert_same(ours.as_theta("pinocchio"), vector, body.mass, length)


def constructed(mass, six):
    xx, xy, xz, yy, yz, zz = six
    pin.Inertia(mass, np.zeros(3), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def from_vector(mass, six):
    xx, xy, xz, yy, yz, zz = six
    pin.Inertia.FromDynamicParameters(np.array([mass, 0, 0, 0, xx, xy, yy, xz, yz, zz]))


# Where they and we say different things of the same numbers, and why. Ours first, theirs second.
NO_CHECK = "vectors and models are not checked at all"
NOT_THE_TRIANGLE = "the constructor looks at symmetry and sign, not at the triangle inequality"
NOT_INDEFINITE = "the constructor lets an indefinite tensor with a positive diagonal pass"
NOT_THE_MASS = "the constructor does not look at the mass"
DISAGREEMENTS = [
    # mass, six, our verdict, who takes it, reason
    (1.0, (1, 0, 0, 1, 0, 3), "inconsistent", constructed, NOT_THE_TRIANGLE),
    (1.0, (1, 2, 0, 1, 0, 2), "inconsistent", constructed, NOT_INDEFINITE),
    (1.0, (1, 0, 0, 1, 0, 3), "inconsistent", from_vector, NO_CHECK),
    (1.0, (-1, 0, 0, 1, 0, 1), "inconsistent", from_vector, NO_CHECK),
    (-1.0, (1, 0, 0, 1, 0, 1), "invalid", constructed, NOT_THE_MASS),
    (-1.0, (1, 0, 0, 1, 0, 1), "invalid", from_vector, NO_CHECK),
]


@pytest.mark.parametrize(("mass", "six", "verdict", "takes", "reason"), DISAGREEMENTS)
def test_known_disagreement(mass, six, verdict, takes, reason):
    takes(mass, six)  # raises where they began to check: then the row is no longer true
    assert ic.check([mass, 0, 0, 0, *six]).verdict == verdict, reason


def test_both_refuse_a_negative_diagonal():
    with pytest.raises(RuntimeError, match="positive"):
        constructed(1.0, (-1, 0, 0, 1, 0, 1))
    assert ic.check([1.0, 0, 0, 0, -1, 0, 0, 1, 0, 1]).verdict == "inconsistent"
