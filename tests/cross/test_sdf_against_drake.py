"""Drake reads SDF with libsdformat itself: the same mass, centre of mass and inertia as ours."""

import os
from pathlib import Path

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.load import root_tag

tree = pytest.importorskip("pydrake.multibody.tree", reason="needs Drake: pip install drake")
from pydrake.multibody.parsing import Parser  # noqa: E402
from pydrake.multibody.plant import MultibodyPlant  # noqa: E402

EPS = np.finfo(float).eps
ROWS, COLUMNS = (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)
SOUND = {"consistent", "boundary", "defaulted"}


def theirs(add):
    """Name -> mass, centre of mass, inertia about it in the body's axes, of Drake's bodies."""
    plant = MultibodyPlant(0.0)
    add(Parser(plant))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    found = {}
    for index in range(1, plant.num_bodies()):
        body = plant.get_body(tree.BodyIndex(index))
        M_BBo_B = body.CalcSpatialInertiaInBodyFrame(context)
        mass, p_BoBcm_B = M_BBo_B.get_mass(), M_BBo_B.get_com()
        central = M_BBo_B.Shift(p_BoBcm_B).CalcRotationalInertia().CopyToFullMatrix3()
        found[str(body.scoped_name())] = mass, p_BoBcm_B, central[ROWS, COLUMNS]
    return found


def compare(report, bodies):
    """Bodies that some body can be: Drake replaces the others by a sphere of its own."""
    compared = 0
    for body in report.bodies:
        judgement = body.judgement
        if judgement.verdict not in SOUND or body.name not in bodies or judgement.numerically_zero:
            continue
        mass, p_BoBcm_B, six = bodies[body.name]
        assert mass == judgement.mass, body.name
        length = max(1e-30, np.abs(judgement.p_BoBcm_B).max())
        np.testing.assert_allclose(p_BoBcm_B, judgement.p_BoBcm_B, rtol=0, atol=64 * EPS * length)
        # Drake keeps the inertia about the origin, in units of the mass; both cost digits.
        size = np.abs(judgement.I_BBcm_B).max() + mass * length**2
        np.testing.assert_allclose(six, judgement.I_BBcm_B, rtol=0, atol=64 * EPS * size)
        compared += 1
    return compared


CASES = {
    "degrees": '<pose degrees="true">0.1 0 0.2 10 20 30</pose>',
    "radians": "<pose>0.1 0 0.2 0.1 0.2 0.3</pose>",
    "quaternion": '<pose rotation_format="quat_xyzw">0.1 0 0 0.5 0.5 -0.5 0.5</pose>',
    "no pose": "",
    "empty pose": "<pose/>",
}


@pytest.mark.parametrize("pose", CASES.values(), ids=CASES)
def test_poses(pose):
    entries = {"ixx": 0.1, "ixy": 0.01, "ixz": -0.02, "iyy": 0.2, "iyz": 0.03, "izz": 0.15}
    inertia = "".join(f"<{entry}>{value}</{entry}>" for entry, value in entries.items())
    inertial = f"<inertial>{pose}<mass>2.5</mass><inertia>{inertia}</inertia></inertial>"
    text = f'<sdf version="1.9"><model name="m"><link name="l">{inertial}</link></model></sdf>'
    report = ic.check_model(text.encode())
    assert compare(report, theirs(lambda parser: parser.AddModelsFromString(text, "sdf"))) == 1


PARTS = {
    "nothing": "<link name='l'/>",
    "mass alone": "<link name='l'><inertial><mass>3</mass></inertial></link>",
    "inertia alone": "<link name='l'><inertial><inertia><ixx>2</ixx><ixy>0</ixy><ixz>0</ixz>"
    "<iyy>2</iyy><iyz>0</iyz><izz>2</izz></inertia></inertial></link>",
    "without products": "<link name='l'><inertial><inertia><ixx>2</ixx><iyy>2</iyy><izz>2</izz>"
    "</inertia></inertial></link>",
    "one moment": "<link name='l'><inertial><inertia><ixx>1.5</ixx></inertia></inertial></link>",
    "empty elements": "<link name='l'><inertial><mass/><pose/><inertia/></inertial></link>",
    "comment before": "<link name='l'><inertial><mass><!-- kg -->3</mass></inertial></link>",
    "comment inside": "<link name='l'><inertial><mass>2.<!-- -->5</mass></inertial></link>",
    "a cdata": "<link name='l'><inertial><mass><![CDATA[3]]></mass></inertial></link>",
    "nested": "<model name='n'><link name='l'/><model name='o'><link name='l'/></model></model>",
}


@pytest.mark.parametrize("inside", PARTS.values(), ids=PARTS)
def test_defaults_scopes_and_text(inside):
    text = f'<sdf version="1.9"><model name="m">{inside}</model></sdf>'
    report = ic.check_model(text.encode())
    bodies = theirs(lambda parser: parser.AddModelsFromString(text, "sdf"))
    assert [body.name for body in report.bodies] == sorted(bodies, key=lambda n: n.count("::"))
    assert compare(report, bodies) == len(bodies)


@pytest.mark.parametrize(
    "inertial",
    [
        "<mass value='3'/>",
        "<pose>1 2 3</pose>",
        "<pose rotation_format='quat_xyzw'>1 2 3 4 5 6</pose>",
        "<pose rotation_format='quat_wxyz'>1 2 3 1 0 0 0</pose>",
        "<pose rotation_format='quat_xyzw' degrees='true'>1 2 3 0 0 0 1</pose>",
        "<inertia><ixx/></inertia>",
    ],
)
def test_what_libsdformat_refuses_is_malformed(inertial):
    link = f"<link name='l'><inertial>{inertial}</inertial></link>"
    text = f'<sdf version="1.9"><model name="m">{link}</model></sdf>'
    with pytest.raises(RuntimeError):
        theirs(lambda parser: parser.AddModelsFromString(text, "sdf"))
    assert "IC004" in {finding.code for finding in ic.check_model(text.encode()).findings}


GRAPH = """<sdf version="1.9"><world name="w">
<model name="m"><pose>1 2 3 0.1 0.2 0.3</pose>
  <link name="a"><pose>0.1 0 0 0 0.4 0</pose></link>
  <link name="b"><pose relative_to="a">0 0.2 0 0.5 0 0</pose></link>
  <link name="c"><pose relative_to="f" degrees="true">0 0 0.3 10 20 30</pose></link>
  <link name="d">
    <pose relative_to="j" rotation_format="quat_xyzw">0 0 0.1 0 0 0.6 0.8</pose>
  </link>
  <frame name="f" attached_to="b"><pose>0.01 0.02 0.03 1 2 3</pose></frame>
  <joint name="j" type="fixed">
    <pose>0.3 0.2 0.1 0.1 0 0</pose><parent>a</parent><child>c</child>
  </joint>
  <joint name="k" type="fixed"><parent>c</parent><child>b</child></joint>
  <joint name="l" type="fixed"><parent>f</parent><child>d</child></joint>
  <model name="n"><pose relative_to="d">0.5 0 0 0 0 1</pose>
    <link name="x"><pose>0 0 0.7 0 1 0</pose></link>
    <link name="y"><pose relative_to="__model__">0 0 0.9 0 1 0</pose></link>
    <joint name="q" type="fixed"><parent>x</parent><child>y</child></joint>
  </model>
  <joint name="o" type="fixed"><parent>a</parent><child>n::x</child></joint>
  <include><uri>package://part/part.sdf</uri></include>
  <include><uri>package://part/part.sdf</uri><name>two</name>
    <pose relative_to="a">0 0 1 0 1 0</pose>
  </include>
  <include merge="true"><uri>package://part/part.sdf</uri><name>three</name>
    <pose relative_to="part::q">0 0 1 0 1 0</pose>
  </include>
  <joint name="r" type="fixed"><parent>a</parent><child>part::p</child></joint>
  <joint name="s" type="fixed"><parent>a</parent><child>two</child></joint>
  <joint name="t" type="fixed"><parent>part</parent><child>p</child></joint>
</model>
<model name="z"><link name="l"/></model>
<joint name="u" type="fixed"><parent>m::n::y</parent><child>z::l</child></joint>
</world></sdf>"""

PART = """<sdf version="1.9"><model name="part"><pose>9 9 9 0 0 1</pose>
  <link name="p"><pose>0.1 0 0 0 0.4 0</pose></link>
  <link name="q"><pose>0 0.2 0 0.5 0 0</pose></link>
  <joint name="pq" type="fixed"><parent>p</parent><child>q</child></joint>
</model></sdf>"""


def test_links_are_fixed_where_drake_puts_them(tmp_path):
    path = tmp_path / "w.sdf"
    path.write_text(GRAPH)
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "part.sdf").write_text(PART)
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    parser.package_map().Add("part", str(tmp_path / "part"))
    parser.AddModels(str(path))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    X_WB = {}
    for index in range(1, plant.num_bodies()):
        body = plant.get_body(tree.BodyIndex(index))
        X_WB[str(body.scoped_name())] = plant.EvalBodyPoseInWorld(context, body)
    bodies = {body.id: body for body in ic.load(path).bodies}
    fixed = [body for body in bodies.values() if body.joint == "fixed"]
    assert len(fixed) == len(X_WB) - 1 == 12
    for body in fixed:
        X_PB = X_WB[bodies[body.parent].name].InvertAndCompose(X_WB[body.name])
        p_PoBo_P = X_PB.translation()
        np.testing.assert_allclose(body.X_PB.p_PoBo_P, p_PoBo_P, rtol=0, atol=256 * EPS)
        R_PB = X_PB.rotation().matrix()
        np.testing.assert_allclose(body.X_PB.R_PB, R_PB, rtol=0, atol=64 * EPS)


MOVING = """<sdf version="{version}"><model name="m"><pose>1 2 3 0.3 0.4 0.5</pose>
  <link name="a"><pose>0.1 0 0 0 0.4 1</pose>
    <collision name="box"><pose>1 2 3 0.1 0.2 0.3</pose><geometry><box><size>1 2 3</size></box>
    </geometry></collision>
    <collision name="ball"><geometry><sphere><radius>0.3</radius></sphere></geometry></collision>
    <collision name="rod"><pose {degrees}</pose><geometry><cylinder><radius>0.1</radius>
    <length>0.7</length></cylinder></geometry></collision>
  </link>
  <link name="b"><pose>1 0 0 1 0 0.3</pose>
    <collision name="pill"><pose {relative}>0 0.1 0 0 1 0</pose><geometry><capsule>
    <radius>0.2</radius><length>0.4</length></capsule></geometry></collision>
    <collision name="egg"><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>
    </collision>
  </link>
  <link name="c"><pose>0 1 0 2 0 0</pose></link>
  <link name="d"/>
  <joint name="j" type="revolute"><pose>0 0 0 0 0 {turn}</pose><parent>a</parent><child>b</child>
    <axis><xyz {expressed}>0.2 0.3 0.4</xyz>{flag}</axis></joint>
  <joint name="k" type="prismatic"><parent>b</parent><child>c</child>
    <axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="l" type="ball"><parent>c</parent><child>d</child></joint>
</model></sdf>"""

FLAG = "<use_parent_model_frame>{}</use_parent_model_frame>"
OLD = {"degrees": ">0 0 0.1 0 1 0", "relative": "", "turn": 1, "expressed": "", "flag": ""}
NEW = OLD | {"degrees": 'degrees="true">0 0 0.1 10 20 30', "relative": 'relative_to="a"'}
MODELS = {
    "1.4": OLD,
    "1.4 in the joint": OLD | {"flag": FLAG.format(0)},
    "1.6": OLD,
    "1.6 in the model": OLD | {"flag": FLAG.format(1)},
    "1.9": NEW,
    "1.9 in a link": NEW | {"expressed": 'expressed_in="c"'},
}


@pytest.mark.parametrize("case", MODELS)
def test_joints_and_shapes_are_where_drake_puts_them(case):
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder

    text = MOVING.format(version=case[:3], **MODELS[case])
    plant, graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.0)
    Parser(plant).AddModelsFromString(text, "sdf")
    plant.Finalize()
    inspector = graph.model_inspector()
    context = plant.CreateDefaultContext()
    X_WB = {n: plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(n)) for n in "abcd"}
    mine = {body.name.removeprefix("m::"): body for body in ic.load(text.encode()).bodies}
    for above, name in zip("abc", "bcd", strict=True):
        X_PB = X_WB[above].InvertAndCompose(X_WB[name])
        assert mine[name].parent == mine[above].id
        np.testing.assert_allclose(mine[name].X_PB.p_PoBo_P, X_PB.translation(), atol=1e-14)
        np.testing.assert_allclose(mine[name].X_PB.R_PB, X_PB.rotation().matrix(), atol=1e-14)
    for name, joint, axis in (("b", "j", "revolute_axis"), ("c", "k", "translation_axis")):
        drake = plant.GetJointByName(joint)
        R_BJ = drake.frame_on_child().GetFixedPoseInBodyFrame().rotation().matrix()
        np.testing.assert_allclose(mine[name].axis_B, R_BJ @ getattr(drake, axis)(), atol=1e-14)
    assert mine["d"].axis_B is None
    found = 0
    for name in "ab":
        for at in plant.GetCollisionGeometriesForBody(plant.GetBodyByName(name)):
            X_BG = inspector.GetPoseInFrame(at)
            sizes = _sizes(inspector.GetShape(at))
            (shape,) = (s for s in mine[name].shapes if s.dimensions == sizes)
            np.testing.assert_allclose(shape.p_BoGo_B, X_BG.translation(), atol=1e-14)
            np.testing.assert_allclose(shape.R_BG, X_BG.rotation().matrix(), atol=1e-14)
            found += 1
    assert found == 5


def _sizes(shape):
    names = {"Box": ("width", "depth", "height"), "Sphere": ("radius",), "Ellipsoid": "abc"}
    return tuple(getattr(shape, n)() for n in names.get(type(shape).__name__, ("radius", "length")))


def test_includes(tmp_path):
    """By file, by folder, renamed, merged."""
    (tmp_path / "arm").mkdir()
    link = "<link name='l'><inertial><mass>3</mass></inertial></link>"
    (tmp_path / "arm" / "arm.sdf").write_text(
        f'<sdf version="1.9"><model name="arm">{link}</model></sdf>'
    )
    (tmp_path / "arm" / "model.config").write_text(
        '<model><name>arm</name><sdf version="1.4">old.sdf</sdf>'
        '<sdf version="1.9">arm.sdf</sdf></model>'
    )
    includes = (
        "<include><uri>model://arm/</uri></include>"
        "<include><uri>package://arm/arm.sdf</uri><name>left</name></include>"
        '<include merge="true"><uri>model://arm/</uri><name>merged</name></include>'
    )
    path = tmp_path / "w.sdf"
    path.write_text(f'<sdf version="1.9"><model name="m">{includes}</model></sdf>')

    def add(parser):
        parser.package_map().Add("arm", str(tmp_path / "arm"))
        parser.AddModels(str(path))

    report, bodies = ic.check_model(path), theirs(add)
    assert (
        {body.name for body in report.bodies}
        == bodies.keys()
        == {"m::arm::l", "m::left::l", "m::l"}
    )
    assert compare(report, bodies) == 3


@pytest.mark.corpus
def test_real_models(corpus, capsys, request):
    """Every real document that Drake reads; of each, every link that both know by name."""
    os.environ.setdefault("SPDLOG_LEVEL", "critical")
    files, compared = 0, 0
    every = sorted(Path(corpus).rglob("*.sdf"))
    for path in every if request.config.getoption("--long") else every[::8]:
        if root_tag(path.read_bytes()) != "sdf":
            continue
        try:
            bodies = theirs(lambda parser, path=path: parser.AddModels(str(path)))
        except (RuntimeError, MemoryError):  # whatever Drake does not support, or chokes on
            continue
        files += 1
        compared += compare(ic.check_model(path), bodies)
    with capsys.disabled():
        print(f"\nDrake reads {files} of the files, {compared} links of which are the same here")
    assert compared > 100
