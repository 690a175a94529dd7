import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inertial_check.documents.load import load
from inertial_check.documents.model import ENTRIES
from inertial_check.errors import NotAModelError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "urdf"
SIX = 'ixx="1" ixy="2" ixz="3" iyy="4" iyz="5" izz="6"'
GOOD = f'<mass value="1"/><inertia {SIX}/>'


def robot(inertial, attributes=""):
    link = f'<link name="a"><inertial>{inertial}</inertial></link>'
    return load(f'<robot name="r"{attributes}>\n{link}</robot>'.encode())


def only_body(model):
    (body,) = model.bodies
    return body


def malformed(model):
    """The messages of the one body, and the texts at which they point."""
    body = only_body(model)
    assert all(problem.kind == "malformed" for problem in body.problems)
    return [(problem.message, model.source.text(problem.span)) for problem in body.problems]


def test_a_robot_as_written():
    model = load(FIXTURES / "two_links.urdf")
    assert (model.format, model.name, model.problems) == ("urdf", "arm", ())
    assert [(body.name, body.joint, body.moved) for body in model.bodies] == [
        ("base", None, False),
        ("forearm", "revolute", True),
        ("tool", "fixed", False),
    ]
    assert [body.id for body in model.bodies] == [
        f"/robot/link[@name='{name}']" for name in ("base", "forearm", "tool")
    ]
    kinds = [problem.kind for body in model.bodies for problem in body.problems]
    assert kinds == ["differs", "differs"]  # urdfdom refuses its line end and its blank
    forearm = model.bodies[1].inertial
    assert model.bodies[0].inertial is model.bodies[2].inertial is None
    assert (forearm.mass.value, forearm.mass.text) == (1.2, "1.20")
    assert [number.text for number in forearm.p_BoBcm_B] == ["0", "-.5e-1", "+1."]
    assert [number.value for number in forearm.p_BoBcm_B] == [0, -0.05, 1]
    texts = [forearm.I_BBcm_Bi[entry].text for entry in ENTRIES]
    assert texts == ["0.02", "0", "-1e-4", "0.03", "0.0", "0.04"]
    np.testing.assert_allclose(forearm.R_BBi, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_places_of_a_robot():
    model = load(FIXTURES / "two_links.urdf")
    source, body = model.source, model.bodies[1]
    assert source.text(body.span).startswith('<link name="forearm">')
    assert source.text(body.span).endswith("</link>")
    assert source.line_column(body.inertial.span.start) == (6, 5)
    assert source.text(body.inertial.span).endswith("</inertial>")
    assert source.line_column(body.inertial.mass.span.start) == (9, 22)
    assert source.line_column(body.inertial.p_BoBcm_B[2].span.start) == (8, 20)
    assert source.line_column(body.inertial.I_BBcm_Bi["izz"].span.start) == (13, 22)


def test_bodies_keep_the_order_of_the_six_entries_and_defaults_stand_nowhere():
    inertial = only_body(
        robot('<inertia izz="6" iyz="5" iyy="4" ixz="3" ixy="2" ixx="1"/><mass value="1"/>')
    ).inertial
    assert tuple(inertial.I_BBcm_Bi) == ENTRIES
    assert [number.value for number in inertial.I_BBcm_Bi.values()] == [1, 2, 3, 4, 5, 6]
    inertial = only_body(robot(GOOD)).inertial
    assert [(number.value, number.span) for number in inertial.p_BoBcm_B] == [(0, None)] * 3
    assert inertial.R_BBi == ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def test_quaternions_count_from_version_1_1_on():
    origin = '<origin quat_xyzw="0 0 3 3"/>'
    turned = only_body(robot(origin + GOOD, ' version="1.1"'))
    expected = Rotation.from_quat([0, 0, 1, 1]).as_matrix()
    np.testing.assert_allclose(turned.inertial.R_BBi, expected, atol=1e-15)
    assert [problem.kind for problem in turned.problems] == ["differs"]  # only urdfdom reads it
    ignored = robot(origin + GOOD)
    assert only_body(ignored).inertial.R_BBi == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    ((message, _),) = malformed(ignored)
    assert "below version 1.1" in message


@pytest.mark.parametrize(
    ("origin", "version"),
    [
        ('<origin rpy="nan 0 0"/>', "1.0"),
        ('<origin rpy="0 inf 0"/>', "1.0"),
        ('<origin rpy="0 0"/>', "1.0"),
        ('<origin rpy="0 0 1,5"/>', "1.0"),
        ('<origin quat_xyzw="0 0 0 0"/>', "1.2"),
        ('<origin quat_xyzw="0 0 1"/>', "1.2"),
        ('<origin quat_xyzw="0 0 0 1" rpy="0 0 0"/>', "1.2"),
    ],
)
def test_a_rotation_that_is_none_is_told_and_unknown(origin, version):
    model = robot(origin + GOOD, f' version="{version}"')
    assert len(malformed(model)) == 1
    assert np.isnan(only_body(model).inertial.R_BBi).all()


@pytest.mark.parametrize(
    ("inertial", "words", "where"),
    [
        (
            f'<mass value="1,5"/><inertia {SIX}/>',
            'value of <mass>: "1,5" is no number: write 1.5',
            "1,5",
        ),
        (f'<mass value=""/><inertia {SIX}/>', 'value of <mass>: "" is no number', ""),
        (f'<mass value=" "/><inertia {SIX}/>', 'value of <mass>: "" is no number', ""),
        (f'<mass value="1e-999"/><inertia {SIX}/>', "below the smallest number", "1e-999"),
        (f"<mass/><inertia {SIX}/>", '<mass> has no value: write <mass value="..."/>', "<mass/>"),
        (f"<inertia {SIX}/>", "<inertial> has no <mass>", "<inertial>"),
        ('<mass value="1"/>', "<inertial> has no <inertia>: add <inertia ixx=", "<inertial>"),
        (
            '<mass value="1"/><inertia ixx="1" ixy="2" ixz="3" iyy="4" iyz="5"/>',
            "<inertia> has no izz",
            '<inertia ixx="1" ixy="2" ixz="3" iyy="4" iyz="5"/>',
        ),
        (f'<origin xyz="0 0"/>{GOOD}', 'xyz of <origin>: "0 0": expected 3 numbers', "0 0"),
        (f'<origin xyz="0 0 0 0"/>{GOOD}', "expected 3 numbers, x y z [m]", "0 0 0 0"),
        (f'<origin xyz=""/>{GOOD}', "expected 3 numbers", ""),
        (f'<origin xyz="0, 0, .1"/>{GOOD}', "write 0 0 .1", "0, 0, .1"),
        (f'<origin xyz="0,0,.1"/>{GOOD}', "write 0 0 .1", "0,0,.1"),
        (f'<origin xyz="0 x 0"/>{GOOD}', 'xyz of <origin>: "x" is no number', "x"),
        (
            f'<mass value="2"/>{GOOD}',
            "a second <mass> in <inertial>; the first",
            '<mass value="1"/>',
        ),
        (f"{GOOD}<inertia {SIX}/>", "a second <inertia> in <inertial>", f"<inertia {SIX}/>"),
        (f'<origin/><origin xyz="0 0 1"/>{GOOD}', "a second <origin>", '<origin xyz="0 0 1"/>'),
        (f"<Origin/>{GOOD}", "<Origin> is ignored by engines: write <origin>", "<Origin/>"),
        (f'<origin XYZ="0 0 1"/>{GOOD}', "has XYZ, which engines ignore", '<origin XYZ="0 0 1"/>'),
        (f'<mass value="1"/><inertia {SIX} iyx="7"/>', 'iyx="7" and ixy="2"', "7"),
        (f'<mass value="${{m}}"/><inertia {SIX}/>', "expand the file first", "${m}"),
        (f'<mass value="1"/><inertia {SIX} izy="x"/>', 'izy of <inertia>: "x" is no number', "x"),
    ],
)
def test_what_is_malformed_is_told_at_its_place(inertial, words, where):
    model = robot(inertial)
    found = malformed(model)
    assert any(words in message and text == where for message, text in found), found
    assert all(message.startswith('link "a": ') for message, _ in found)


def test_what_is_absent_is_absent_and_a_symmetric_entry_is_harmless():
    inertial = only_body(robot('<inertia ixx="1" izz="2"/>')).inertial
    assert inertial.mass is None
    read = {entry: number.value for entry, number in inertial.I_BBcm_Bi.items()}
    assert read == {"ixx": 1, "izz": 2}
    assert only_body(robot('<mass value="1"/>')).inertial.I_BBcm_Bi == {}
    assert malformed(robot(f'<mass value="1"/><inertia {SIX} iyx="2.0" izx="3" izy="5"/>')) == []


def test_numbers_that_are_malformed_or_not_finite():
    inertial = only_body(robot(f'<origin xyz="0 0"/><mass value="1,5"/><inertia {SIX}/>')).inertial
    assert math.isnan(inertial.mass.value)
    assert inertial.mass.text == "1,5"
    assert all(math.isnan(number.value) for number in inertial.p_BoBcm_B)
    model = robot('<mass value="nan"/>' + f"<inertia {SIX}/>".replace('"1"', '"-Infinity"'))
    body = only_body(model)
    assert body.problems == ()
    assert math.isnan(body.inertial.mass.value)
    assert body.inertial.I_BBcm_Bi["ixx"].value == -math.inf


def test_the_malformed_fixture():
    model = load(FIXTURES / "malformed.urdf")
    told = {body.name: [problem.message for problem in body.problems] for body in model.bodies}
    assert list(told) == ["comma", "twice", "skew", "bare", ""]
    assert [len(messages) for messages in told.values()] == [1, 1, 1, 2, 1]
    assert "the first is taken" in told["twice"][0]
    assert model.bodies[1].inertial.mass.value == 1
    assert "has no name" in told[""][0]
    assert model.bodies[4].id == "/robot/link[5]"
    lines = [model.source.line_column(body.span.start)[0] for body in model.bodies]
    assert lines == [2, 4, 8, 10, 11]


def test_the_non_strict_fixture():
    model = load(FIXTURES / "non_strict.urdf")
    lines = [model.source.line_column(problem.span.start)[0] for problem in model.problems]
    assert {problem.kind for problem in model.problems} == {"repair"}
    assert lines == [1, 2, 3, 6, 8, 8, 11]
    assert model.name == "bolts & nuts"
    assert only_body(model).inertial.I_BBcm_Bi["ixy"].value == 0


def joint(kind, child, parent="base"):
    return f'<joint name="j" type="{kind}"><parent link="{parent}"/><child link="{child}"/></joint>'


@pytest.mark.parametrize(
    ("kind", "moved"),
    [
        ("fixed", False),
        *((kind, True) for kind in ("revolute", "continuous", "prismatic", "floating", "planar")),
        ("spherical", True),
        ("Fixed", True),
        ("", True),
    ],
)
def test_every_joint_that_is_not_fixed_moves_its_child(kind, moved):
    body = only_body(load(f'<robot><link name="a"/>{joint(kind, "a")}</robot>'.encode()))
    assert (body.joint, body.moved) == (kind, moved)


def test_of_several_joints_the_one_that_moves_counts():
    joints = joint("fixed", "a") + joint("prismatic", "a") + joint("fixed", "a")
    body = only_body(load(f'<robot><link name="a"/>{joints}</robot>'.encode()))
    assert (body.joint, body.moved) == ("prismatic", True)


def test_odd_joints_break_nothing():
    joints = (
        "<joint/><joint type='revolute'/><joint type='revolute'><child/></joint>"
        + joint("revolute", "nobody")
        + '<joint><child link="a"/></joint><transmission><joint name="j"/></transmission>'
        + '<gazebo><joint type="fixed"><child link="b"/></joint></gazebo>'
    )
    model = load(f'<robot><link name="a"/><link name="b"/>{joints}</robot>'.encode())
    assert [(body.joint, body.moved) for body in model.bodies] == [("", True), (None, False)]


def test_only_children_of_the_robot_are_links_and_it_needs_none():
    model = load(b'<robot><gazebo><link name="x"/></gazebo><link name="a"/></robot>')
    assert [body.name for body in model.bodies] == ["a"]
    assert load(b"<robot/>").name == ""
    assert load(b"<robot/>").bodies == ()


def test_ids_are_unique_whatever_the_names():
    names = ["a", "a", "", "b", "", "a'][1]", "q'q", 'q"q', "b'\"b", "b'\"b", "a"]
    links = "".join(
        "<link{}/>".format(f' name="{name.replace(chr(34), "&quot;")}"' if name else "")
        for name in names
    )
    model = load(f"<robot>{links}</robot>".encode())
    assert [body.name for body in model.bodies] == names
    ids = [body.id for body in model.bodies]
    assert len(set(ids)) == len(ids)
    assert ids[0] == "/robot/link[@name='a'][1]"
    assert ids[3] == "/robot/link[@name='b']"


@pytest.mark.parametrize("tag", ["Inertial", "INERTIAL"])
def test_a_misspelt_inertial_is_told(tag):
    model = load(f'<robot><link name="a"><{tag}>{GOOD}</{tag}></link></robot>'.encode())
    ((message, where),) = malformed(model)
    assert f"<{tag}> is ignored by engines: write <inertial>" in message
    assert where == f"<{tag}>"
    assert only_body(model).inertial is None


def test_a_misspelt_link_is_told():
    model = load(b'<robot><Link name="a"/><link name="b"/></robot>')
    (problem,) = model.problems
    assert problem.kind == "malformed"
    assert "engines ignore <Link>: write <link>" in problem.message


@pytest.mark.parametrize(
    "inside",
    [
        '<xacro:property name="m" value="1"/><link name="a"/>',
        '<link name="a"><xacro:if value="1"/></link>',
        '<xacro:macro name="m"><link name="a"/></xacro:macro>',
        "<xacro:arm/>",
    ],
)
def test_a_xacro_file_that_is_called_a_urdf_has_to_be_expanded_first(inside):
    text = f'<robot xmlns:xacro="http://ros.org/wiki/xacro">\n {inside}</robot>'
    with pytest.raises(
        NotAModelError, match=r"expand it first, xacro FILE > robot\.urdf"
    ) as caught:
        load(text.encode(), format="urdf")
    assert caught.value.line == 2


def test_what_xacro_leaves_behind_is_a_urdf():
    inside = b'<!-- <xacro:if value="1"/> --><link name="a"/>'
    model = load(b'<robot xmlns:xacro="http://ros.org/wiki/xacro">' + inside + b"</robot>")
    assert model.problems == only_body(model).problems == ()


def test_a_macro_call_left_over_is_told_where_it_could_hide_a_body():
    def problems(text):
        model = load(f'<robot xmlns:xacro="u"><link name="a">{text}'.encode())
        return [*model.problems, *only_body(model).problems]

    (on_robot,) = problems("</link><xacro:arm/></robot>")
    (in_link,) = problems("<xacro:box_inertial/></link></robot>")
    (in_inertial,) = problems(f"<inertial><xacro:box/>{GOOD}</inertial></link></robot>")
    for problem in (on_robot, in_link, in_inertial):
        assert problem.kind == "reference"
        assert "not expanded" in problem.message
    assert problems("<visual><xacro:grey/></visual></link></robot>") == []


@pytest.mark.parametrize(
    ("inertial", "becomes"),
    [
        (f'<mass value="1 "/><inertia {SIX}/>', "0 kg without rotational inertia"),
        (f'<mass value="1&#32;"/><inertia {SIX}/>', "0 kg without rotational inertia"),
        (f'<origin xyz="1\n2 3"/>{GOOD}', "0 kg without rotational inertia"),
        (f'<origin rpy="1\t2\t3"/>{GOOD}', "0 kg without rotational inertia"),
        (GOOD.replace('"1" ixy', '"1 " ixy'), "its mass without rotational inertia"),
    ],
)
def test_space_that_urdfdom_refuses_is_said(inertial, becomes):
    (problem,) = only_body(robot(inertial)).problems
    assert problem.kind == "differs"
    assert [(each.parsers, each.becomes) for each in problem.misreadings] == [
        (("urdfdom",), becomes)
    ]


@pytest.mark.parametrize(
    "inertial", [f'<mass value=" 1"/><inertia {SIX}/>', f'<origin xyz=" 1  2 3 "/>{GOOD}', GOOD]
)
def test_space_that_every_parser_reads_is_no_problem(inertial):
    assert only_body(robot(inertial)).problems == ()


def differing(text):
    """The messages of a document as a whole, and the parsers that read it otherwise."""
    return [
        (problem.message, sorted({name for each in problem.misreadings for name in each.parsers}))
        for problem in load(text.encode()).problems
        if problem.kind == "differs"
    ]


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "01.1", " 1.1"])
def test_versions_of_urdfdom(version):
    assert differing(f'<robot name="r" version="{version}"><link name="a"/></robot>') == []


JOINT = (
    '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed">'
    '<parent link="a"/><child link="b"/></joint>{}</robot>'
)
SIMPLE = "<transmission><type>a/SimpleTransmission</type>{}</transmission>"
MOTOR = '<actuator name="m"/><joint name="j"/>'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<transmission/>", "it has no <type>"),
        ("<transmission><type> </type></transmission>", "it has no <type>"),
        (SIMPLE.format(""), "it has no actuator with a name"),
        (SIMPLE.format('<actuator/><joint name="j"/>'), "it has no actuator with a name"),
        (SIMPLE.format('<actuator name="m"/>'), "it has no joint with a name"),
        (SIMPLE.format('<actuator name="m"/><joint name="x"/>'), 'its joint "x" is not here'),
        (SIMPLE.format(MOTOR) * 2, 'another has the actuator "m", too'),
    ],
)
def test_transmissions_that_drake_refuses(text, fault):
    ((message, parsers),) = differing(JOINT.format(text))
    assert parsers == ["drake"]
    assert message.endswith(f"and the model: {fault}")


@pytest.mark.parametrize(
    "text",
    [
        SIMPLE.format(MOTOR),
        '<transmission type="x"/>',
        "<transmission><type>x</type></transmission>",
        SIMPLE.format(MOTOR) + SIMPLE.format(MOTOR.replace('"m"', '"n"')),
    ],
)
def test_transmissions_that_drake_reads(text):
    assert differing(JOINT.format(text)) == []


def test_two_roots_are_refused_by_urdfdom():
    ((message, parsers),) = differing(JOINT.format('<link name="c"/><link name="d"/>'))
    assert parsers == ["urdfdom"]
    assert 'two roots, as "a" and "c"' in message


@pytest.mark.parametrize("version", ["1", "2.0", "1.1 ", "1.10", "1.3", "", "x"])
def test_versions_that_urdfdom_refuses(version):
    ((message, parsers),) = differing(
        f'<robot name="r" version="{version}"><link name="a"/></robot>'
    )
    assert parsers == ["urdfdom"]
    assert "write 1.0, 1.1 or 1.2" in message


@pytest.mark.parametrize(
    ("text", "parsers"),
    [
        (
            '<robot name="r"><link name="a"/><link name="a"/></robot>',
            ["drake", "mujoco", "urdfdom"],
        ),
        (
            '<robot name="r"><link name="a"/><joint name="j" type="fixed"><parent link="a"/>'
            '<child link="b"/></joint></robot>',
            ["drake", "mujoco", "newton", "urdfdom"],
        ),
        ('<robot name="r" xmlns="u"><link name="a"/></robot>', ["newton"]),
        ('<robot name="r"><link name="a"/><?x?></robot>', ["tinyxml2"]),
        ('<!-- c --><?x?><robot name="r"><link name="a"/></robot>', ["tinyxml2"]),
    ],
)
def test_structure_that_engines_refuse(text, parsers):
    found = {name for _, names in differing(text) for name in names}
    assert sorted(found) == parsers


def test_instructions_at_the_start_are_no_problem():
    text = '<?xml version="1.0"?><?x?>\n<?y?><robot name="r"><!-- <?x?> --><link name="a"/></robot>'
    assert differing(text) == []


def test_utf_16_is_refused_by_parsers_without_encodings():
    (problem,) = load('<robot name="r"><link name="a"/></robot>'.encode("utf-16")).problems
    assert problem.misreadings[0].parsers == ("tinyxml2", "pinocchio")


@pytest.mark.parametrize(
    ("settings", "effects"),
    [
        ('boundmass="7"', [()]),
        ('settotalmass="20"', [("all bodies scaled to a total mass of 20 kg",)]),
        ('inertiafromgeom="true"', [("the inertia of its shapes, where it has any",)]),
        ('balanceinertia="true"', [()]),
        ('angle="radian"', []),
        ('settotalmass="-1" boundmass="0"', []),
        ('boundinertia="nan" settotalmass="1e400"', []),
    ],
)
def test_settings_of_mujoco_in_a_urdf(settings, effects):
    model = load(
        f'<robot name="r"><mujoco><compiler {settings}/></mujoco><link name="a"/></robot>'.encode()
    )
    found = [tuple(each.becomes for each in problem.misreadings) for problem in model.problems]
    assert found == effects
    assert (model.bounds.mass, model.bounds.balanced) == (
        7.0 if "7" in settings else 0.0,
        "balance" in settings,
    )
