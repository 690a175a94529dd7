"""write_parameters: given numbers in the form that a document has, and nothing else in it."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assigning import about_origin, body, deviation, matrix, stated, without_numbers
from fixing import causing, meant
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.errors import ParameterError, UsageError
from inertial_check.fixing.edits import fix_model
from inertial_check.fixing.writing import write_parameters

SIX = 'ixx="0.011" ixy="0" ixz="-1e-5" iyy="0.012" iyz="2.0E-4" izz="0.013"'
URDF = f"""<?xml version="1.0"?>
<robot name="r"><!-- 0.011 -->
  <link name="a"><inertial>
    <origin xyz="0.01\t-0.02  0.3" rpy="0.3 -0.2 1.1"/><mass value=' 1.50 '/>
    <inertia {SIX}/></inertial></link>
  <link name="b"><inertial><inertia {SIX}/><mass value="2"/><origin xyz="0 0 1e-3"/></inertial>
  </link>
</robot>
"""
ENTRIES = "<ixx>0.011</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.012</iyy><iyz>0</iyz><izz>0.013</izz>"
SDF = f"""<sdf version="1.9"><model name="m">
<link name="a"><inertial><pose degrees="true">0.1 0 0  30 0 45</pose><mass>1.5</mass>
  <inertia>{ENTRIES}</inertia></inertial></link>
<link name="b"><inertial><mass>1.5</mass><inertia>{ENTRIES}</inertia>
  <pose rotation_format="quat_xyzw">0 0 0.2 0 0.6 0 0.8</pose></inertial></link>
</model></sdf>
"""
MJCF = """<mujoco><worldbody>
<body name="a"><joint/><inertial pos="0 0 .1" mass="1.5"
  fullinertia="0.0110 0.0220 0.0315 1e-4 0 -0.00020"/></body>
<body name="b"><joint/><inertial quat="2 0 1 0" pos="0 0 .1" mass="1.5"
  diaginertia="0.0110  0.0220\t0.0315"/></body>
</worldbody></mujoco>
"""
USDA = """#usda 1.0
(
    kilogramsPerUnit = 0.001
    metersPerUnit = 0.01
)
def Xform "r"
{
    def Xform "a" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        float physics:mass = 400
        point3f physics:centerOfMass = (0, 0, 1)  # in centimetres
        float3 physics:diagonalInertia = (1500, 2433.3, 3333.3)
        quatf physics:principalAxes = (0.8, 0, 0.6, 0)
    }
}
"""
XACRO = f"""<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="part" params="name mass xyz"><link name="${{name}}"><inertial>
  <mass value="${{mass}}"/><origin xyz="${{xyz}}" rpy="0 0.5 0"/><inertia {SIX}/>
</inertial></link></xacro:macro>
<xacro:part name="a" mass="1.5" xyz="0 0 0.1"/>
</robot>
"""
LITERAL = {"urdf": URDF, "sdf": SDF, "mjcf": MJCF}


def thetas(model, rng, **scales):
    return {each.id: body(rng, **scales) for each in model.bodies}


def check_written(data, wanted, fix, allowed):
    assert {each.status for each in fix.bodies} == {"fixed"}
    before, after = load(data), load(fix.data)
    assert without_numbers(before) == without_numbers(after)
    for each in after.bodies:
        assert deviation(stated(each), wanted[each.id]) <= allowed


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("form", LITERAL)
@given(
    seed=st.integers(0, 2**32 - 1),
    mass=st.floats(-6, 5).map(lambda power: 10**power),
    size=st.floats(-3, 1).map(lambda power: 10**power),
    away=st.sampled_from([0.0, 0.1, 1.0]),
)
def test_what_is_given_is_what_the_document_says(form, encoding, seed, mass, size, away):
    """From milligram beads to cranes; whatever the axes, and in any encoding."""
    data = LITERAL[form].replace('<?xml version="1.0"?>\n', "").encode(encoding)
    model = load(data)
    wanted = thetas(model, np.random.default_rng(seed), mass=mass, size=size, away=away * size)
    fix = write_parameters(model, wanted)
    check_written(data, wanted, fix, 1e-14)
    again = write_parameters(fix.data, wanted)
    assert not again.changed
    assert {each.status for each in again.bodies} == {"unchanged"}


def test_usd_has_moments_and_a_quaternion_in_its_own_units(rng):
    pytest.importorskip("pxr", reason='needs usd-core: pip install "inertial-check[usd]"')
    wanted = thetas(load(USDA.encode()), rng)
    fix = write_parameters(USDA.encode(), wanted)
    check_written(USDA.encode(), wanted, fix, 1e-14)
    assert not write_parameters(fix.data, wanted).changed


def test_literals_of_a_template_change_where_they_stand(rng):
    pytest.importorskip("xacro", reason='needs xacro: pip install "inertial-check[xacro]"')
    wanted = thetas(load(XACRO.encode()), rng)
    fix = write_parameters(XACRO.encode(), wanted)
    check_written(XACRO.encode(), wanted, fix, 1e-14)


def test_what_is_computed_is_told_and_left(rng):
    pytest.importorskip("xacro", reason='needs xacro: pip install "inertial-check[xacro]"')
    data = XACRO.replace('"1.5"', '"${3 / 2}"').encode()
    (each,) = write_parameters(data, {"a": body(rng)}).bodies
    assert each.status == "expression"
    assert "mass = " in each.reason


def test_one_text_that_stands_for_two_bodies_takes_one_value(rng):
    pytest.importorskip("xacro", reason='needs xacro: pip install "inertial-check[xacro]"')
    second = '<xacro:part name="b" mass="1.5" xyz="0 0 0.1"/>\n</robot>'
    data = XACRO.replace("</robot>", second).encode()
    a, b = body(rng), body(rng)
    assert {each.status for each in write_parameters(data, {"a": a, "b": b}).bodies} == {"shared"}
    assert [each.status for each in write_parameters(data, {"a": a}).bodies] == ["shared"]
    alike = write_parameters(data, {"a": a, "b": a})
    assert [each.status for each in alike.bodies] == ["fixed", "fixed"]
    for each in load(alike.data).bodies:
        assert deviation(stated(each), a) <= 1e-14


@pytest.mark.parametrize("form", LITERAL)
def test_what_stands_there_keeps_its_text(form):
    model = load(LITERAL[form].encode())
    fix = write_parameters(model, {each.id: stated(each) for each in model.bodies})
    assert fix.data == model.source.data
    assert {each.status for each in fix.bodies} == {"unchanged"}


def test_only_the_bodies_that_are_named_change(rng):
    fix = write_parameters(URDF.encode(), {"b": body(rng)})
    assert [each.name for each in fix.bodies] == ["b"]
    before, after = load(URDF.encode()).bodies[0], load(fix.data).bodies[0]
    assert before.inertial == after.inertial


def test_axes_turn_no_further_than_the_products_ask():
    """A body turned a little about z: the moments keep their order, the axes nearly their place."""
    angle = 0.1
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    data = MJCF.replace('quat="2 0 1 0"', 'quat="1 0 0 0"').encode()
    theta = about_origin(1.5, (0, 0, 0.1), R @ np.diag([0.011, 0.022, 0.0315]) @ R.T)
    fix = write_parameters(data, {"b": theta})
    written = load(fix.data).bodies[1].inertial
    moments = [written.I_BBcm_Bi[entry].value for entry in ("ixx", "iyy", "izz")]
    assert moments == pytest.approx([0.011, 0.022, 0.0315], rel=1e-12)
    assert np.allclose(written.R_BBi, R, atol=1e-14)
    assert "axes turn by 5.73 deg" in fix.bodies[0].reason


def test_equal_moments_turn_no_axes():
    """All axes of a ball are principal: a turn would be noise."""
    fix = write_parameters(MJCF.encode(), {"b": about_origin(2.0, (0, 0, 0.1), 0.02 * np.eye(3))})
    assert b'quat="2 0 1 0"' in fix.data
    assert [each.status for each in fix.bodies] == ["fixed"]


def test_the_change_of_a_body_whose_axes_turn_is_told_in_its_frame(rng):
    theta = body(rng)
    (each,) = write_parameters(MJCF.encode(), {"b": theta}).bodies
    old = stated(load(MJCF.encode()).bodies[1])

    def central(ten):
        c = ten[1:4] / ten[0]
        return matrix(ten[4:]) - ten[0] * (c @ c * np.eye(3) - np.outer(c, c))

    distance = np.linalg.norm(central(theta) - central(old))
    assert each.distance == pytest.approx(distance, rel=1e-12)
    assert each.relative_change == pytest.approx(distance / np.linalg.norm(central(old)), rel=1e-12)
    assert each.mass == pytest.approx((1.5, theta[0]))
    assert each.com[1] == pytest.approx(tuple(theta[1:4] / theta[0]))


@pytest.mark.parametrize("form", ["urdf", "mjcf"])
def test_mujoco_reads_what_is_given(form, rng):
    mujoco = pytest.importorskip("mujoco", reason="needs mujoco: pip install mujoco")
    data = LITERAL[form].encode()
    if form == "urdf":  # MuJoCo makes the root a part of the world, without its mass
        joint = '<joint name="j" type="continuous"><parent link="{}"/><child link="{}"/></joint>'
        joints = joint.format("w", "a") + joint.replace('"j"', '"k"').format("a", "b")
        data = LITERAL[form].replace("</robot>", f'<link name="w"/>{joints}</robot>').encode()
    wanted = {"a": body(rng), "b": body(rng)}
    model = mujoco.MjModel.from_xml_string(write_parameters(data, wanted).data.decode())
    for name, theta in wanted.items():
        index = model.body(name).id
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[index])
        R = R.reshape(3, 3)
        tensor = R @ np.diag(model.body_inertia[index]) @ R.T
        found = about_origin(model.body_mass[index], model.body_ipos[index], tensor)
        assert deviation(found, theta) <= 1e-12


def test_the_usd_library_reads_what_is_given(rng, tmp_path):
    usd_library = pytest.importorskip("usd_library")
    theta, path = body(rng), tmp_path / "r.usda"
    path.write_bytes(write_parameters(USDA.encode(), {"a": theta}).data)
    numbers = usd_library.values(path, "/r/a")
    w, x, y, z = numbers["principalAxes"]
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    tensor = 1e-3 * 1e-4 * R @ np.diag(numbers["diagonalInertia"]) @ R.T
    center = 0.01 * np.array(numbers["centerOfMass"])
    found = about_origin(1e-3 * numbers["mass"][0], center, tensor)
    assert deviation(found, theta) <= 4e-7  # they are float32


def test_a_body_at_the_edge_is_moved_inside_and_it_is_said(rng):
    """Three point masses lie in a plane: rounding decides on which side of the edge they print."""
    points = rng.normal(size=(3, 3))
    points -= points.mean(axis=0)
    inertia = sum(r @ r * np.eye(3) - np.outer(r, r) for r in points)
    theta = about_origin(3.0, (0, 0, 0), inertia)
    fix = write_parameters(URDF.encode(), {"b": theta})
    (each,) = fix.bodies
    written = load(fix.data).bodies[1]
    assert each.status == "fixed"
    assert "moved inside by" in each.reason
    assert 0 < deviation(stated(written), theta) < 1e-6
    six = np.array([n.value for n in written.inertial.I_BBcm_Bi.values()], dtype=np.float32)
    low, middle, high = np.linalg.eigvalsh(matrix(six))
    assert low > 0
    assert low + middle >= high
    assert not write_parameters(fix.data, {"b": theta}).changed


def test_a_body_at_the_edge_that_stands_there_is_left_while_its_mass_changes():
    """A flat plate, as its document has it: 0.1 + 0.2 = 0.3."""
    plate = 'ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.3"'
    data = URDF.replace(SIX, plate).encode()
    old = load(data).bodies[1]
    assert write_parameters(data, {"b": stated(old)}).data == data
    heavier = about_origin(4.0, (0, 0, 1e-3), np.diag([0.1, 0.2, 0.3]))
    fix = write_parameters(data, {"b": heavier})
    assert [each.status for each in fix.bodies] == ["fixed"]
    assert fix.data == data.replace(b'"2"', b'"4"')


def test_a_mass_in_one_point_has_no_tensor():
    """About its own centre all that is left of its tensor is rounding."""
    for center, tensor in [((0, 0, 0), 0), ((0.3, 0.2, 0.1), 0), ((0.3, 0.2, 0.1), 1e-15)]:
        theta = about_origin(1.0, center, tensor * np.eye(3))
        (each,) = write_parameters(URDF.encode(), {"b": theta}).bodies
        assert each.status == "no-nearest"
        assert "rounding leaves fewer than three digits" in each.reason


def test_a_bead_far_from_its_origin_stays_and_its_mass_changes():
    """About the origin, its own tensor is below the rounding: it is the one that stands there."""
    bead = 'ixx="1e-16" ixy="0" ixz="0" iyy="1e-16" iyz="0" izz="1e-16"'
    data = URDF.replace(SIX, bead).replace("0 0 1e-3", "0 2 1").encode()
    theta = stated(load(data).bodies[1])
    assert write_parameters(data, {"b": theta}).data == data
    assert write_parameters(data, {"b": 2 * theta}).data == data.replace(b'"2"', b'"4"')


@pytest.mark.parametrize("digits", [8, 12])
def test_digits_bound_what_is_written(digits, rng):
    theta = body(rng)
    fix = write_parameters(URDF.encode(), {"b": theta}, digits=digits)
    written = load(fix.data).bodies[1]
    texts = [written.inertial.mass.text, *(n.text for n in written.inertial.I_BBcm_Bi.values())]
    mantissas = [text.lower().partition("e")[0] for text in texts]
    assert all(len(text.replace(".", "").lstrip("-0")) <= digits for text in mantissas)
    assert 0 < deviation(stated(written), theta) <= 2 * 10.0 ** (1 - digits)


@pytest.mark.parametrize("digits", [0, 7, 18])
def test_digits_that_serve_nothing_are_refused(digits, rng):
    with pytest.raises(UsageError, match=f"digits is {digits}: expected 8 to 17"):
        write_parameters(URDF.encode(), {"b": body(rng)}, digits=digits)


def test_a_broken_body_takes_sound_numbers(rng):
    data = URDF.replace('"2"', '"-2"').replace('"0.013"', '"NaN"').encode()
    theta = body(rng)
    fix = write_parameters(data, {"b": theta})
    assert [each.status for each in fix.bodies] == ["fixed"]
    assert deviation(stated(load(fix.data).bodies[1]), theta) <= 1e-14


NO_BODY = about_origin(1.0, (0, 0, 0), np.diag([1.0, 1.0, 3.0]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"c": np.ones(10)}, r"no body 'c': the model has 'a', 'b'"),
        ({"a": np.ones(9)}, r"'a' have shape \(9,\), expected \(10,\)"),
        ({"a": np.full(10, np.nan)}, r"'a': entry 0 is nan; they are finite"),
        ({"a": NO_BODY}, r"'a' are inconsistent \(margin -0.1\d*\), so they are not written"),
        ({"a": -NO_BODY}, r"'a' are invalid"),
        ({"a": np.zeros(10)}, r"'a' are massless"),
        (
            {"a": np.ones(10), "/robot/link[@name='a']": np.ones(10)},
            r"""'a' and "/robot/link\[@name='a'\]" are the same body: give one of them""",
        ),
    ],
)
def test_what_is_no_body_is_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        write_parameters(URDF.encode(), parameters)


def test_names_that_repeat_are_given_by_id(rng):
    data = URDF.replace('name="b"', 'name="a"').encode()
    with pytest.raises(ParameterError, match="2 bodies have the name 'a': name one by its id"):
        write_parameters(data, {"a": body(rng)})
    theta, second = body(rng), load(data).bodies[1]
    fix = write_parameters(data, {second.id: theta})
    assert deviation(stated(load(fix.data).bodies[1]), theta) <= 1e-14


def test_numbers_in_an_included_document_change_there(rng, tmp_path):
    part = tmp_path / "part.xml"
    part.write_text(MJCF.partition("<worldbody>")[2].partition("</worldbody>")[0].strip())
    part.write_text(f"<mujocoinclude>{part.read_text()}</mujocoinclude>")
    robot = tmp_path / "robot.xml"
    robot.write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    wanted = {"a": body(rng), "b": body(rng)}
    fix = write_parameters(robot, wanted, context=Context())
    assert fix.data == robot.read_bytes()
    fix.write()
    for each in load(robot).bodies:
        assert deviation(stated(each), wanted[each.name]) <= 1e-14


@pytest.fixture
def rng():
    return np.random.default_rng(20)


# --- documents of USD whose numbers no edit reaches ----------------------------------------------

BARE = (
    USDA.replace("        point3f physics:centerOfMass = (0, 0, 1)  # in centimetres\n", "")
    .replace("        quatf physics:principalAxes = (0.8, 0, 0.6, 0)\n", "")
    .replace("kilogramsPerUnit = 0.001", 'defaultPrim = "r"')
)


@pytest.mark.parametrize("suffix", [".usdc", ".usdz", ".usda"])
@pytest.mark.parametrize("text", [USDA, BARE], ids=["written", "bare"])
def test_a_layer_states_what_no_text_does(suffix, text, rng, tmp_path, monkeypatch):
    """In binary data, and where the document leaves centre and axes to the defaults."""
    usd_library = pytest.importorskip("usd_library")
    monkeypatch.chdir(tmp_path)
    path, theta = tmp_path / "robot.usda", body(rng)
    path.write_text(text)
    if suffix != ".usda":
        path = usd_library.in_binary(path, suffix)
    before = path.read_bytes()
    fix = write_parameters(path.name, {"a": theta})
    assert [each.status for each in fix.bodies] == ["fixed"]
    if fix.layer is None:
        assert suffix == ".usda"
        return
    with pytest.raises(UsageError, match=r"-o robot\.fixed\.usda writes a layer over it"):
        fix.write()
    fix.write("over.usda")
    (each,) = load("over.usda").bodies
    assert deviation(stated(each), theta) <= 1e-14
    assert path.read_bytes() == before
    again = write_parameters("over.usda", {"a": theta})
    assert [each.status for each in again.bodies] == ["unchanged"]


def test_only_what_changes_stands_in_the_layer(rng, tmp_path):
    usd_library = pytest.importorskip("usd_library")
    path = tmp_path / "robot.usda"
    path.write_text(USDA)
    path = usd_library.in_binary(path, ".usdc")
    theta = stated(load(path).bodies[0])
    theta *= 2  # all but the mass and the tensor stay where they are
    layer = write_parameters(path, {"a": theta}).data
    assert float(re.search(rb"physics:mass = (\S+)", layer)[1]) == 800
    assert b"physics:diagonalInertia" in layer
    assert b"physics:centerOfMass" not in layer
    assert b"physics:principalAxes" not in layer


def test_a_cause_reaches_mass_and_centre_in_binary_data(tmp_path):
    usd_library = pytest.importorskip("usd_library")
    path = tmp_path / "robot.usda"
    path.write_text(USDA.replace("3333.3", "9333.3"))
    path = usd_library.in_binary(path, ".usdc")
    with causing(a=[meant("units", mass=500.0, z=2.0, izz=3333.0)]):
        fix = fix_model(path, cause=1)
    assert [each.status for each in fix.bodies] == ["fixed"]
    over = tmp_path / "over.usda"
    fix.write(over)
    numbers = usd_library.values(over, "/r/a")
    assert numbers["mass"] == (500,)
    assert numbers["centerOfMass"] == (0, 0, 2)
    assert numbers["diagonalInertia"][2] == 3333


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [(USDA, "expression", "computed; change to x = "), (BARE, "unwritten", "x = .*; write it")],
    ids=["written", "bare"],
)
def test_a_centre_in_the_scale_of_its_prim_is_left(text, status, said, rng, tmp_path):
    pytest.importorskip("pxr", reason='needs usd-core: pip install "inertial-check[usd]"')
    scaled = text.replace(
        "        float physics:mass",
        "        double3 xformOp:scale = (2, 2, 2)\n"
        '        uniform token[] xformOpOrder = ["xformOp:scale"]\n        float physics:mass',
    )
    path = tmp_path / "robot.usda"
    path.write_text(scaled)
    (each,) = write_parameters(path, {"a": body(rng)}).bodies
    assert each.status == status
    assert re.search(said, each.reason)
