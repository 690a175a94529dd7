"""MuJoCo as an oracle: what its compiler makes of a body, and which bodies it refuses."""

import itertools

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")

SMALLEST_EIGENVALUE = 1e-14  # [kg m^2] of a full inertia: they refuse less
MJMINVAL = 1e-15  # mass [kg] and inertia [kg m^2] of a moving body: they refuse less


def add(parent, mass, com, six, pose=None):
    """A body with an inertia about its centre of mass; six as in fullinertia."""
    body = parent.add_body(mass=mass, ipos=com, explicitinertial=True)
    body.fullinertia = six
    if pose is not None:
        body.pos, body.quat = pose
    return body


def compiled(mass, com, six):
    spec = mujoco.MjSpec()
    add(spec.worldbody, mass, com, six).add_freejoint()
    return spec.compile()


def refusal(mass, six):
    """The compiler's error; None where it takes the body."""
    try:
        compiled(mass, np.zeros(3), six)
    except ValueError as error:
        return str(error)
    return None


def rotation(quaternion):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)


def tensor(model, body=1):
    """I_BBcm_B of a compiled body."""
    axes = rotation(model.body_iquat[body])
    return axes @ np.diag(model.body_inertia[body]) @ axes.T


def heavy_enough(lump):
    return lump.body.principal_moments()[0] > 10 * SMALLEST_EIGENVALUE and lump.sums.mass > MJMINVAL


def test_fullinertia_has_the_order_that_we_say(lumps, assert_same):
    compared = 0
    for lump in filter(heavy_enough, lumps):
        six = lump.body.as_theta(order="mujoco", about="com")[4:]
        model = compiled(lump.sums.mass, lump.com, six)
        size = lump.sums.mass, lump.length
        assert_same(tensor(model), lump.inertia_com, *size)
        moments = np.sort(model.body_inertia[1])
        assert_same(lump.body.principal_moments(), moments, *size)
        compared += 1
    assert compared > len(lumps) / 2


def test_mass_matrix_of_a_free_body_is_its_spatial_inertia(lumps, assert_same):
    """At rest in the origin the velocities are [v, w] of Bo: linear-angular."""
    for lump in filter(heavy_enough, lumps):
        six = lump.body.as_theta(order="mujoco", about="com")[4:]
        model = compiled(lump.sums.mass, lump.com, six)
        data, matrix = mujoco.MjData(model), np.zeros((6, 6))
        mujoco.mj_forward(model, data)
        if hasattr(data, "qM"):  # before MuJoCo 4
            mujoco.mj_fullM(model, matrix, data.qM)
        else:
            mujoco.mj_fullM(model, data, matrix)
        ours = lump.body.as_spatial_inertia("linear-angular")
        assert_same(ours, matrix, lump.sums.mass, lump.length, "linear-angular")


def test_fusing_static_bodies_is_merge(lumps, pose_matrix, assert_same):
    rng = np.random.default_rng(3)
    compared = 0
    for parent, child in itertools.pairwise(lumps):
        if not (heavy_enough(parent) and heavy_enough(child)):
            continue
        p_PoCo_P, quaternion = rng.normal(size=3) * parent.length, rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        spec = mujoco.MjSpec()
        spec.compiler.fusestatic = True
        bodies = [lump.body.as_theta(order="mujoco", about="com") for lump in (parent, child)]
        moving = add(spec.worldbody, bodies[0][0], parent.com, bodies[0][4:])
        moving.add_freejoint()
        add(moving, bodies[1][0], child.com, bodies[1][4:], (p_PoCo_P, quaternion))
        model = spec.compile()
        assert model.nbody == 2
        merged = parent.body.merge(child.body, pose_matrix(rotation(quaternion), p_PoCo_P))
        reach = parent.length + child.length + np.linalg.norm(p_PoCo_P)
        fused = ic.InertialParameters.from_com(
            model.body_mass[1], model.body_ipos[1], tensor(model)
        )
        mass = parent.sums.mass + child.sums.mass
        assert_same(merged.as_theta(), fused.as_theta(), mass, reach)
        compared += 1
    assert compared > len(lumps) / 3


def test_they_refuse_what_is_inconsistent_and_take_what_is_not():
    """Away from the boundary, and above their absolute limits."""
    rng = np.random.default_rng(4)
    scales = {"mass": (1e-2, 1e2), "length": (1e-2, 1e1)}
    for kind in ("consistent", "inconsistent"):
        bodies = getattr(sampling, kind)(rng, 200, **scales)
        bodies = bodies[np.flatnonzero(np.abs(ic.check(bodies).margin) > 1e-9)]
        assert len(bodies) > 50
        for theta in bodies.as_theta(order="mujoco", about="com"):
            assert (refusal(theta[0], theta[4:]) is None) == (kind == "consistent")


# Where they and we say different things of the same numbers, and why.
EIGENVALUE = "a full inertia needs moments of 1e-14 kg m^2, whatever the mass"
MOVING = "a moving body needs mass and inertia of 1e-15, whatever its size"
DISAGREEMENTS = [
    # mass, six, our verdict, part of their error, reason
    (1.0, (0, 0.1, 0.1, 0, 0, 0), "boundary", "positive eigenvalues", EIGENVALUE),
    (1.0, (1e-15, 0.1, 0.1, 0, 0, 0), "consistent", "positive eigenvalues", EIGENVALUE),
    (1e-9, (2e-15, 2e-15, 3e-15, 0, 0, 0), "consistent", "positive eigenvalues", EIGENVALUE),
    (1e-16, (0.2, 0.2, 0.3, 0, 0, 0), "consistent", "mjMINVAL", MOVING),
    (1.0, (0, 0, 0, 0, 0, 0), "boundary", "positive eigenvalues", EIGENVALUE),
]


@pytest.mark.parametrize(("mass", "six", "verdict", "error", "reason"), DISAGREEMENTS)
def test_known_disagreement(mass, six, verdict, error, reason):
    assert ic.check([mass, 0, 0, 0, *six], order="mujoco", about="com").verdict == verdict, reason
    assert error in (refusal(mass, six) or ""), reason


def test_disagreement_on_plates_in_skew_axes():
    """A + B >= C has no tolerance there, so the rounding of a turn decides; here it does not."""
    plates = sampling.consistent(
        np.random.default_rng(5), 200, strata=["plate"], mass=(1, 10), length=(0.1, 1)
    )
    assert set(ic.check(plates).verdict) == {"boundary"}
    errors = [refusal(theta[0], theta[4:]) for theta in plates.as_theta("mujoco", about="com")]
    assert 0 < sum(error is None for error in errors) < len(errors)
    assert all("A + B >= C" in error for error in errors if error is not None)


@pytest.mark.parametrize("model", ["inertial-rpy", "plate-rotated"])
def test_a_urdf_is_read_alike(data_dir, model, assert_same):
    """Catches rpy in another order, axes of the inertial taken for those of the link."""
    path = data_dir / "valid" / f"{model}.urdf"
    theirs = mujoco.MjModel.from_xml_string(path.read_text())
    compared = 0
    for body in ic.check_model(path).files[0].bodies:
        judged, index = (
            body.judgement,
            mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, body.name),
        )
        if index > 0 and judged.mass > 0:
            com = np.asarray(judged.p_BoBcm_B)
            length = np.linalg.norm(com) + np.sqrt(sum(judged.principal_moments) / judged.mass)
            ours = ic.InertialParameters.from_com(judged.mass, com, judged.I_BBcm_B)
            read = tensor(theirs, index)
            assert_same(ours.inertia_com, read, judged.mass, length)
            np.testing.assert_allclose(theirs.body_ipos[index], com, rtol=1e-15)
            compared += 1
    assert compared
