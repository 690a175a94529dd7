"""A pinocchio.Model in memory."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError, UsageError
from inertial_check.programs.objects import pinocchio
from loaded_models import (
    BODIES,
    CHANGED,
    EXPECTED_CODES,
    EXPECTED_STATUSES,
    codes_by_body,
    triangle_slack,
)

pin = pytest.importorskip("pinocchio", reason="install inertial-check[pinocchio]")


@pytest.fixture
def model():
    built = pin.Model()
    built.name = "beads"
    joint = 0
    for given in BODIES:
        placement = pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.3]))
        joint = built.addJoint(joint, pin.JointModelRY(), placement, f"{given.name}_joint")
        inertia = pin.Inertia.Zero()  # its constructor refuses what is to be found
        inertia.mass, inertia.lever = given.mass, np.array(given.p_BoBcm_B)
        inertia.inertia = given.matrix
        built.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        built.addFrame(pin.Frame(given.name, joint, 0, pin.SE3.Identity(), pin.FrameType.BODY))
    return built


def test_the_numbers_are_read_to_the_bit_under_the_names_of_the_links(model):
    read = pinocchio.read(model)
    assert [body.name for body in read.bodies] == [given.name for given in BODIES]
    for body, inertia in zip(read.bodies, list(model.inertias)[1:], strict=True):
        assert body.inertial.mass.value == inertia.mass
        assert [number.value for number in body.inertial.p_BoBcm_B] == inertia.lever.tolist()
        six = [number.value for number in body.inertial.I_BBcm_Bi.values()]
        assert six == inertia.inertia[np.triu_indices(3)].tolist()


def test_broken_bodies_are_found_and_no_others(model):
    report = pinocchio.check(model)
    assert codes_by_body(report) == EXPECTED_CODES
    assert report.files[0].path == "<pinocchio.Model beads>"


def test_repair_changes_the_broken_bodies_and_no_bit_of_the_others(model):
    before = model.copy()
    fixes = pinocchio.repair(model)
    assert [fix.status for fix in fixes] == EXPECTED_STATUSES
    for joint, given in enumerate(BODIES, 1):
        old, new = before.inertias[joint], model.inertias[joint]
        assert new.mass == old.mass
        assert np.array_equal(new.lever, old.lever)
        assert np.array_equal(new.inertia, old.inertia) == (given.name not in CHANGED)
        if given.name in CHANGED:
            assert triangle_slack(new.inertia) >= 0
            assert np.array_equal(new.inertia, new.inertia.T)
    assert set(codes_by_body(pinocchio.check(model))) == {"far"}


def test_what_was_done_tells_the_numbers_that_the_library_now_has(model):
    (fix,) = pinocchio.repair(model, bodies=["slim"])
    assert np.array_equal(model.inertias[2].inertia[np.triu_indices(3)], fix.new)
    moved = model.inertias[2].inertia - BODIES[1].matrix
    expected = np.linalg.norm(moved) / np.linalg.norm(BODIES[1].matrix)
    assert fix.relative_change == pytest.approx(expected, rel=1e-9)


def test_large_changes_and_margins_are_made_on_request(model):
    pinocchio.repair(model, unsafe=True, margin=0.01)
    assert codes_by_body(pinocchio.check(model)) == {}
    assert all(body.judgement.margin >= 0.01 for body in pinocchio.check(model).bodies)


def test_wrong_requests_are_refused_before_anything_changes(model):
    before = model.copy()
    for error, wishes in (
        (UsageError, {"bodies": ["nobody"]}),
        (UsageError, {"max_change": -1.0}),
        (UsageError, {"engines": ["havok"]}),
        (ParameterError, {"metric": "miles"}),
        (ParameterError, {"margin": 2.0}),
    ):
        with pytest.raises(error):
            pinocchio.repair(model, **wishes)
    assert model == before


def test_what_fixed_joints_merge_is_one_body_of_the_moving_link(data_dir):
    model = pin.buildModelFromUrdf(str(data_dir / "arm.urdf"))
    bodies = {body.name: body for body in pinocchio.read(model).bodies}
    assert "palm" not in bodies
    assert bodies["wrist_2"].inertial.mass.value == pytest.approx(0.42 + 0.31, rel=1e-15)
    assert not bodies["base_link"].moved
    assert bodies["finger_left"].parent == bodies["wrist_2"].id


def test_what_is_no_model_is_named():
    with pytest.raises(ParameterError, match=r"expected a pinocchio\.Model, got builtins\.int"):
        pinocchio.check(3)
