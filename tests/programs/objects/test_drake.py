"""A Drake MultibodyPlant in memory."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError, UsageError
from inertial_check.programs.objects import drake
from loaded_models import (
    BODIES,
    CHANGED,
    EXPECTED_CODES,
    EXPECTED_STATUSES,
    codes_by_body,
    triangle_slack,
)

plants = pytest.importorskip("pydrake.multibody.plant", reason="install inertial-check[drake]")
tree = pytest.importorskip("pydrake.multibody.tree", reason="install inertial-check[drake]")


def spatial(given, p_BoBcm_B=None):
    """Of the numbers as they are, without Drake's check."""
    p = np.array(given.p_BoBcm_B if p_BoBcm_B is None else p_BoBcm_B)
    G = given.matrix / given.mass + (p @ p) * np.eye(3) - np.outer(p, p)
    unit = tree.UnitInertia(*np.diag(G), G[0, 1], G[0, 2], G[1, 2])
    return tree.SpatialInertia(given.mass, p, unit, skip_validity_check=True)


@pytest.fixture
def plant():
    built = plants.MultibodyPlant(0.0)
    built.set_name("beads")
    previous = None
    for given in BODIES:
        body = built.AddRigidBody(given.name, spatial(given))
        if previous is not None:
            frames = previous.body_frame(), body.body_frame()
            built.AddJoint(tree.RevoluteJoint(given.name, *frames, [0.0, 0.0, 1.0]))
        previous = body
    return built


def inertias(plant, context):
    bodies = [plant.GetBodyByName(given.name) for given in BODIES]
    return [body.CalcSpatialInertiaInBodyFrame(context) for body in bodies]


def test_broken_bodies_are_found_and_no_others_before_and_after_finalize(plant):
    assert codes_by_body(drake.check(plant)) == EXPECTED_CODES
    plant.Finalize()
    report = drake.check(plant, plant.CreateDefaultContext())
    assert codes_by_body(report) == EXPECTED_CODES
    assert report.files[0].path == "<drake.MultibodyPlant beads>"


def test_repair_changes_the_broken_bodies_of_the_context_and_no_bit_of_the_others(plant):
    plant.Finalize()
    context = plant.CreateDefaultContext()
    before = inertias(plant, context)
    assert [fix.status for fix in drake.repair(plant, context)] == EXPECTED_STATUSES
    for old, new, given in zip(before, inertias(plant, context), BODIES, strict=True):
        assert new.get_mass() == old.get_mass()
        assert np.array_equal(new.get_com(), old.get_com())
        same = np.array_equal(new.CopyToFullMatrix6(), old.CopyToFullMatrix6())
        assert same == (given.name not in CHANGED)
        if given.name in CHANGED:
            assert new.IsPhysicallyValid()
            central = new.Shift(new.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
            assert triangle_slack(central) >= 0
    assert set(codes_by_body(drake.check(plant, context))) == {"far"}
    assert codes_by_body(drake.check(plant)) == EXPECTED_CODES  # the plant's own stay


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_plate_far_from_its_origin_is_not_blamed_for_the_rounding_of_the_way_there(plant, scale):
    six = tuple(scale * value for value in (0.001, 0.0, 0.0, 0.002, 0.0, 0.003))
    flat = BODIES[0]._replace(name="flat", mass=1.3 * scale, I_BBcm_B=six)
    body = plant.AddRigidBody("flat", spatial(flat, (40.0, 30.0, 70.0)))
    found = {each.name: each.judgement for each in drake.check(plant).bodies}[body.name()]
    assert found.verdict in ("consistent", "boundary", "rounding")
    assert abs(found.margin) < 1e-6


def test_bodies_that_are_welded_or_float_are_told_apart(plant):
    plate = plant.AddRigidBody("plate", spatial(BODIES[0]))
    sound = plant.GetBodyByName("sound")
    plant.WeldFrames(sound.body_frame(), plate.body_frame())
    plant.Finalize()
    bodies = {body.name: body for body in drake.read(plant).bodies}
    assert (bodies["plate"].joint, bodies["plate"].moved) == ("fixed", False)
    assert bodies["plate"].parent == bodies["sound"].id
    assert bodies["sound"].joint == "floating"
    assert bodies["slim"].joint == "revolute"


def test_repair_says_what_a_plant_does_not_let_it_do(plant):
    with pytest.raises(UsageError, match=r"not finalized.*CreateDefaultContext"):
        drake.repair(plant, None)
    plant.Finalize()
    with pytest.raises(UsageError, match="context is needed"):
        drake.repair(plant, None)


def test_what_is_no_plant_is_named():
    with pytest.raises(ParameterError, match="expected a MultibodyPlant of float, got"):
        drake.check("arm.urdf")
