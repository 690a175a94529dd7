"""A mujoco.MjSpec and a mujoco.MjModel in memory."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.programs.objects import mujoco as adapter
from loaded_models import (
    BODIES,
    CHANGED,
    EXPECTED_CODES,
    EXPECTED_STATUSES,
    codes_by_body,
    triangle_slack,
)

mujoco = pytest.importorskip("mujoco", reason="install inertial-check[mujoco]")

ORIENTED = """
<mujoco model="oriented">
  <compiler angle="{angle}" eulerseq="zYx"/>
  <worldbody>
    <body name="a">
      <freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 2 2.5" {orientation}/>
    </body>
  </worldbody>
</mujoco>"""


def build(bodies=BODIES):
    spec = mujoco.MjSpec()
    spec.modelname = "beads"
    for given in bodies:
        body = spec.worldbody.add_body(name=given.name)
        body.add_freejoint()
        body.mass, body.ipos, body.explicitinertial = given.mass, given.p_BoBcm_B, True
        xx, xy, xz, yy, yz, zz = given.I_BBcm_B
        body.fullinertia = [xx, yy, zz, xy, xz, yz]
    return spec


@pytest.fixture
def compiled():
    """What a run has randomised: bodies that the compiler would have refused."""
    model = build(BODIES[:1]).compile()
    sound = model.body_inertia[1].copy()
    model.body_inertia[1] = [3.0, 1.0, 1.9]
    return model, sound


def test_broken_bodies_of_a_spec_are_found_and_no_others():
    report = adapter.check(build())
    assert codes_by_body(report) == EXPECTED_CODES
    assert report.files[0].path == "<mujoco.MjSpec beads>"


def test_repair_of_a_spec_changes_the_broken_bodies_and_no_bit_of_the_others():
    before, spec = build(), build()
    assert [fix.status for fix in adapter.repair(spec)] == EXPECTED_STATUSES
    for old, new, given in zip(before.bodies[1:], spec.bodies[1:], BODIES, strict=True):
        assert new.mass == old.mass
        assert np.array_equal(new.ipos, old.ipos)
        assert np.array_equal(new.fullinertia, old.fullinertia) == (given.name not in CHANGED)
    assert set(codes_by_body(adapter.check(spec))) == {"far"}


def test_mujoco_compiles_what_it_refused_before():
    bodies = [given for given in BODIES if given.name != "bead"]  # below MuJoCo's absolute floor
    spec = build(bodies)
    with pytest.raises(ValueError, match="inertia must satisfy"):
        spec.compile()
    adapter.repair(spec, unsafe=True)
    model = spec.compile()
    for given in bodies:
        assert model.body(given.name).mass == given.mass
        assert triangle_slack(np.diag(model.body(given.name).inertia)) >= 0


def test_a_spec_that_has_failed_to_compile_is_still_checked():
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="b", mass=1.0)
    body.inertia = [1.0, 1.0, 2.5]
    with pytest.raises(ValueError, match="inertia must satisfy"):
        spec.compile()
    assert codes_by_body(adapter.check(spec)) == {"b": ("IC301",)}


def test_floors_of_mujoco_are_aimed_at_on_request():
    bead = next(given for given in BODIES if given.name == "bead")
    spec = build([bead])
    with pytest.raises(ValueError, match="positive eigenvalues"):
        spec.compile()
    (fix,) = adapter.repair(spec, engines=["mujoco"], unsafe=True)
    assert fix.status == "fixed"
    assert fix.engines["mujoco"] == ("reject", "accept")
    spec.compile()


def test_inertias_that_the_compiler_derives_are_left_alone_and_said():
    spec = build(BODIES[:1])
    body = spec.worldbody.add_body(name="box")
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1])
    verdicts = {body.name: body.judgement.verdict for body in adapter.check(spec).bodies}
    assert verdicts == {"sound": "consistent", "box": "derived"}
    assert "shapes" in {fix.name: fix.reason for fix in adapter.repair(spec)}["box"]
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    assert adapter.check(spec).bodies[1].judgement.verdict == "derived"
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    assert adapter.check(spec).bodies[1].judgement.verdict == "missing"


@pytest.mark.parametrize("geoms", [False, True])
@pytest.mark.parametrize("placed", [False, True])
@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("rule", ["FALSE", "TRUE", "AUTO"])
def test_what_counts_is_what_mujoco_compiles(geoms, placed, explicit, rule):
    spec = mujoco.MjSpec()
    spec.compiler.inertiafromgeom = getattr(mujoco.mjtInertiaFromGeom, f"mjINERTIAFROMGEOM_{rule}")
    body = spec.worldbody.add_body(name="b", mass=1.0, explicitinertial=explicit)
    body.inertia = [1.0, 1.0, 1.5]
    body.add_freejoint()
    if placed:
        body.ipos = [0.0, 0.0, 1.0]
    if geoms:
        body.add_geom(size=[0.1, 0.1, 0.1])
    (judged,) = adapter.check(spec).bodies
    (compiled,) = adapter.check(spec.compile()).bodies
    if judged.judgement.verdict == "derived":
        assert compiled.judgement.mass > 4
    else:
        assert judged.judgement.verdict == "consistent"
        assert judged.judgement[3:6] == compiled.judgement[3:6]  # mass, place and tensor


@pytest.mark.parametrize("angle", ["degree", "radian"])
@pytest.mark.parametrize(
    "orientation",
    [
        'quat="0.9 0.1 -0.3 0.2"',
        'axisangle="1 2 -1 0.7"',
        'euler="0.3 -0.5 0.8"',
        'xyaxes="1 0.2 0 -0.1 1 0.4"',
        'zaxis="0.3 0.4 -0.8"',
        "",
    ],
)
def test_the_axes_of_a_spec_are_those_that_mujoco_compiles(angle, orientation):
    spec = mujoco.MjSpec.from_string(ORIENTED.format(angle=angle, orientation=orientation))
    (body,) = adapter.check(spec).bodies
    model = spec.compile()
    axes = np.empty(9)
    mujoco.mju_quat2Mat(axes, model.body_iquat[1])
    axes = axes.reshape(3, 3)
    expected = axes @ np.diag(model.body_inertia[1]) @ axes.T
    judged = np.array(body.judgement.I_BBcm_B)
    np.testing.assert_allclose(judged, expected[np.triu_indices(3)], rtol=0, atol=1e-15 * 2.5 * 64)


def test_parents_and_joints_are_those_of_the_tree():
    spec = mujoco.MjSpec()
    arm = spec.worldbody.add_body(name="arm")
    arm.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE)
    spec.worldbody.add_body(name="other")
    hand = arm.add_body()
    bodies = {body.name: body for body in adapter.read(spec).bodies}
    assert bodies["arm"].joint == "slide"
    assert bodies["body#2"].parent == bodies["arm"].id
    assert (bodies["body#2"].joint, bodies["body#2"].moved) == ("fixed", False)
    assert bodies["other"].parent is None
    assert hand.parent == arm


def test_a_compiled_model_is_judged_by_what_stands_in_it_now(compiled):
    model, _ = compiled
    (finding,) = [each for each in adapter.check(model).findings if each.severity.word == "error"]
    assert (finding.code, finding.body, finding.body_id) == ("IC301", "sound", "body(1)")


def test_repair_of_a_compiled_model_changes_moments_and_what_is_derived_of_them(compiled):
    model, _ = compiled
    names = [name for name in dir(model) if isinstance(getattr(model, name), np.ndarray)]
    before = {name: getattr(model, name).copy() for name in names}
    (fix,) = adapter.repair(model, unsafe=True)
    assert fix.status == "fixed"
    assert triangle_slack(np.diag(model.body_inertia[1])) >= 0
    changed = {name for name in names if not np.array_equal(getattr(model, name), before[name])}
    assert "dof_M0" in changed
    assert changed <= {"body_inertia", "body_invweight0", "dof_M0", "dof_invweight0"}


def test_a_compiled_model_without_anything_broken_is_not_touched(compiled):
    model, sound = compiled
    model.body_inertia[1] = sound
    model.dof_M0[:] = 7.0  # whatever a user has set
    (fix,) = adapter.repair(model)
    assert fix.status == "unchanged"
    assert np.all(model.dof_M0 == 7.0)


def test_what_is_no_model_is_named():
    with pytest.raises(ParameterError, match=r"a mujoco\.MjSpec or a mujoco\.MjModel, got .*str"):
        adapter.check("arm.xml")
