"""Drake as an oracle: the same spatial inertias, moves, sums and moments, and its verdict."""

import itertools

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling

tree = pytest.importorskip("pydrake.multibody.tree", reason="needs Drake: pip install drake")
from pydrake.math import RotationMatrix  # noqa: E402
from pydrake.multibody.parsing import Parser  # noqa: E402
from pydrake.multibody.plant import MultibodyPlant  # noqa: E402

EPS = np.finfo(float).eps


def theirs(lump):
    xx, xy, xz, yy, yz, zz = lump.inertia_com[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    central = tree.RotationalInertia(xx, yy, zz, xy, xz, yz)
    return tree.SpatialInertia.MakeFromCentralInertia(lump.sums.mass, lump.com, central)


def floor(trace):
    """Drake's tolerance on the triangle inequality [kg m^2], as its source has it."""
    return 16 * EPS * max(1.0, abs(trace) / 2)


def slack(moments):
    low, middle, high = np.sort(moments)
    return low + middle - high


def test_spatial_inertia_is_angular_linear(lumps, assert_same):
    for lump in lumps:
        size = lump.sums.mass, lump.length
        matrix = theirs(lump).CopyToFullMatrix6()
        assert_same(lump.body.as_spatial_inertia("angular-linear"), matrix, *size)
        read = ic.InertialParameters.from_spatial_inertia(matrix, "angular-linear")
        assert_same(read.as_theta(), lump.body.as_theta(), *size)


def test_shift_is_a_translation_the_other_way(lumps, poses, assert_same):
    for lump, (_, direction) in zip(lumps, poses, strict=True):
        p_PQ = direction * lump.length
        shifted = theirs(lump).Shift(p_PQ).CopyToFullMatrix6()
        ours = lump.body.translate(-p_PQ).as_spatial_inertia()
        assert_same(ours, shifted, lump.sums.mass, lump.length + np.linalg.norm(p_PQ))


def test_reexpress_is_rotate(lumps, poses, assert_same):
    for lump, (R_AE, _) in zip(lumps, poses, strict=True):
        turned = theirs(lump).ReExpress(RotationMatrix(R_AE)).CopyToFullMatrix6()
        ours = lump.body.rotate(R_AE).as_spatial_inertia()
        assert_same(ours, turned, lump.sums.mass, lump.length)


def test_sum_of_two_bodies(lumps, assert_same):
    for first, second in itertools.pairwise(lumps):
        both = theirs(first)
        both += theirs(second)
        mass = first.sums.mass + second.sums.mass
        ours = (first.body + second.body).as_spatial_inertia()
        assert_same(ours, both.CopyToFullMatrix6(), mass, max(first.length, second.length))


def test_principal_moments(lumps, assert_same):
    for lump in lumps:
        six = lump.body.as_theta(order="mujoco", about="com")[4:]
        moments = tree.RotationalInertia(*six).CalcPrincipalMomentsOfInertia()
        assert_same(lump.body.principal_moments(), np.sort(moments), lump.sums.mass, lump.length)


def outside_both_tolerances(bodies):
    """Away from the boundary by more than ours and, whatever the scale, by more than theirs."""
    moments = np.asarray(bodies.principal_moments())
    trace = moments.sum(-1)
    theirs_wide = np.array(
        [abs(slack(m)) > 10 * floor(t) for m, t in zip(moments, trace, strict=True)]
    )
    judged = ic.check(bodies)
    return theirs_wide & (np.abs(judged.margin) > 10 * judged.tolerance)


@pytest.mark.parametrize("kind", ["consistent", "inconsistent"])
def test_the_verdict_outside_both_tolerances(kind):
    bodies = getattr(sampling, kind)(np.random.default_rng(3), 600)
    bodies = bodies[np.flatnonzero(outside_both_tolerances(bodies))]
    assert len(bodies) > 150
    numbers = bodies.as_theta(order="mujoco", about="com")
    for theta in numbers:
        body = unchecked(theta[0], theta[4:])
        assert body.IsPhysicallyValid() == (kind == "consistent")
    assert set(ic.check(bodies).consistent.tolist()) == {kind == "consistent"}


def unchecked(mass, six, com=(0, 0, 0)):
    """About the origin; six in MuJoCo's order, which is theirs too."""
    unit = tree.UnitInertia(*(np.asarray(six) / mass))
    return tree.SpatialInertia(mass, com, unit, skip_validity_check=True)


# Where they and we say different things of the same numbers, and why.
ABSOLUTE = "their tolerance is 16 eps max(1, trace / 2): below a trace of 2 kg m^2 it is absolute"
DISAGREEMENTS = [
    # mass, moments, our verdict, theirs, reason
    (1e-9, (1e-16, 1e-16, 1e-15), "inconsistent", True, ABSOLUTE),
    (1e-12, (1e-18, 1e-18, 3e-15), "inconsistent", True, ABSOLUTE),
    (1.0, (0.25, 0.25, 0.5 + 12 * EPS), "inconsistent", True, ABSOLUTE),
]


@pytest.mark.parametrize(("mass", "moments", "ours", "valid", "reason"), DISAGREEMENTS)
def test_known_disagreement(mass, moments, ours, valid, reason):
    six = [*moments, 0, 0, 0]
    assert ic.check([mass, 0, 0, 0, *six], order="mujoco").verdict == ours, reason
    assert unchecked(mass, six).IsPhysicallyValid() == valid, reason
    assert (abs(slack(moments)) < floor(sum(moments))) == valid, reason


@pytest.mark.parametrize(("mass", "moments"), [row[:2] for row in DISAGREEMENTS])
def test_the_disagreement_ends_where_their_tolerance_is_relative(mass, moments):
    """The same shape with a trace above 2 kg m^2: both refuse it."""
    scale = 1e3 / sum(moments)
    six = np.array([*moments, 0, 0, 0]) * scale
    assert not unchecked(mass * scale, six).IsPhysicallyValid()
    assert ic.check([mass * scale, 0, 0, 0, *six], order="mujoco").verdict == "inconsistent"


def test_disagreement_far_from_the_origin():
    """They shift to the centre of mass and back without widening the tolerance; we never shift."""
    rng = np.random.default_rng(4)
    plates = sampling.consistent(
        rng, 200, strata=["plate"], mass=(1, 10), length=(1, 10), offset=(1e5, 1e6)
    )
    assert set(ic.check(plates).verdict) == {"boundary"}
    refused = 0
    for theta in plates.as_theta(order="mujoco", about="origin"):
        com = theta[1:4] / theta[0]
        refused += not unchecked(theta[0], theta[4:], com).IsPhysicallyValid()
    assert 0 < refused < len(plates)


def test_disagreement_on_a_body_without_mass_and_inertia():
    """They take it for valid; we say what it is, a frame, which is no body."""
    assert tree.SpatialInertia.Zero().IsPhysicallyValid()
    assert ic.check(np.zeros(10)).verdict == "massless"


@pytest.mark.parametrize("model", ["inertial-rpy", "arm", "plate-rotated"])
def test_a_urdf_is_read_alike(data_dir, model, assert_same):
    """Catches rpy in another order, axes of the inertial taken for those of the link."""
    path = data_dir / "valid" / f"{model}.urdf"
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    report = ic.check_model(path).files[0]
    compared = 0
    for body in report.bodies:
        judged = body.judgement
        if judged.mass > 0:
            read = plant.GetBodyByName(body.name).default_spatial_inertia().CopyToFullMatrix6()
            com = np.asarray(judged.p_BoBcm_B)
            length = np.linalg.norm(com) + np.sqrt(sum(judged.principal_moments) / judged.mass)
            ours = ic.InertialParameters.from_com(judged.mass, com, judged.I_BBcm_B)
            assert_same(ours.as_spatial_inertia(), read, judged.mass, length)
            compared += 1
    assert compared
