"""write_parameters: given parameters in a document that states some, others or none of them."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from assigning import body, deviation, stated
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.errors import ParameterError
from inertial_check.fixing.writing import write_parameters
from inertial_check.inertia.parameters import InertialParameters

PARTS = InertialParameters.from_com(1.25, [0.1, 0, -0.02], [0.003, 1e-5, 0, 0.004, 0, 0.005])
PLAIN = InertialParameters.from_com(1.25, [0.1, 0, -0.02], [0.003, 0, 0, 0.004, 0, 0.005])


def write(text, parameters=PARTS, **options):
    """The new text of a document in which all bodies are given the same parameters."""
    data = text if isinstance(text, bytes) else text.encode()
    fix = write_parameters(data, {each.id: parameters for each in load(data).bodies}, **options)
    check_fix(data, fix, parameters)
    return fix.data if isinstance(text, bytes) else fix.data.decode()


def check_fix(data, fix, parameters=None):
    """All bodies have what they were given, and without the edits the bytes are the old ones."""
    assert {each.status for each in fix.bodies} <= {"fixed", "unchanged"}
    edits = list(dict.fromkeys(edit for own in fix.edits.values() for edit in own))
    assert fix.source.apply_edits(edits) == fix.data
    for edit in edits:
        replaced = data[edit.span.start : edit.span.end].decode(fix.source.encoding)
        assert re.fullmatch(r"[ \t]*/>|\s*|[-+.\w]*|\([^()]*\)", replaced)
    if parameters is not None:
        wanted = parameters.as_theta()
        after = load(fix.data)
        assert all(deviation(stated(each), wanted) <= 1e-14 for each in after.bodies)
        again = write_parameters(fix.data, {each.id: parameters for each in after.bodies})
        assert not again.changed


# --- style ---------------------------------------------------------------------------------------

STYLES = {
    "an empty tag is opened": (
        '<robot name="r">\n  <link name="a" />\n</robot>\n',
        """<robot name="r">
  <link name="a">
    <inertial>
      <origin xyz="0.1 0 -0.02" rpy="0 0 0" />
      <mass value="1.25" />
      <inertia ixx="0.003" ixy="1e-05" ixz="0" iyy="0.004" iyz="0" izz="0.005" />
    </inertial>
  </link>
</robot>
""",
    ),
    "tabs, single quotes, a comment on the link": (
        "<robot name='r'>\n\t<link name='a'> <!-- arm -->\n\t\t<visual/>\n\t</link>\n</robot>",
        "<robot name='r'>\n\t<link name='a'> <!-- arm -->\n\t\t<inertial>\n"
        "\t\t\t<origin xyz='0.1 0 -0.02' rpy='0 0 0'/>\n\t\t\t<mass value='1.25'/>\n"
        "\t\t\t<inertia ixx='0.003' ixy='1e-05' ixz='0' iyy='0.004' iyz='0' izz='0.005'/>\n"
        "\t\t</inertial>\n\t\t<visual/>\n\t</link>\n</robot>",
    ),
    "no line end in the whole file": (
        '<robot name="r"><link name="a"></link></robot>',
        '<robot name="r"><link name="a"><inertial><origin xyz="0.1 0 -0.02" rpy="0 0 0"/>'
        '<mass value="1.25"/><inertia ixx="0.003" ixy="1e-05" ixz="0" iyy="0.004" iyz="0" '
        'izz="0.005"/></inertial></link></robot>',
    ),
    "an attribute a line": (
        """<robot
  name="r">
  <link
    name="a">
    <inertial>
      <mass
        value="2" />
      <inertia
        ixx="1"
        iyy="1"
        izz="1" />
    </inertial>
  </link>
  <link
    name="b">
  </link>
</robot>
""",
        """<robot
  name="r">
  <link
    name="a">
    <inertial>
      <origin
        xyz="0.1 0 -0.02" />
      <mass
        value="1.25" />
      <inertia
        ixx="0.003"
        ixy="1e-05"
        ixz="0"
        iyy="0.004"
        iyz="0"
        izz="0.005" />
    </inertial>
  </link>
  <link
    name="b">
    <inertial>
      <origin
        xyz="0.1 0 -0.02"
        rpy="0 0 0" />
      <mass
        value="1.25" />
      <inertia
        ixx="0.003"
        ixy="1e-05"
        ixz="0"
        iyy="0.004"
        iyz="0"
        izz="0.005" />
    </inertial>
  </link>
</robot>
""",
    ),
    "attributes below each other": (
        """<robot name="r">
    <link name="a">
        <inertial><origin rpy='0 0 0'/>
            <mass/>
            <inertia ixx="1"
                     iyy="1"/></inertial>
    </link>
</robot>
""",
        """<robot name="r">
    <link name="a">
        <inertial><origin xyz='0.1 0 -0.02' rpy='0 0 0'/>
            <mass value="1.25"/>
            <inertia ixx="0.003"
                     ixy="1e-05"
                     ixz="0"
                     iyy="0.004"
                     iyz="0"
                     izz="0.005"/></inertial>
    </link>
</robot>
""",
    ),
    "SDF: after the pose; texts where there are blank elements": (
        """<sdf version="1.9">
  <model name="m">
    <link name="a">
      <pose>0 0 1 0 0 0</pose> <!-- above -->
      <visual name="v"/>
    </link>
    <link name="b"><inertial><pose/><mass> </mass><inertia><ixx>1</ixx></inertia></inertial></link>
  </model>
</sdf>""",
        """<sdf version="1.9">
  <model name="m">
    <link name="a">
      <pose>0 0 1 0 0 0</pose> <!-- above -->
      <inertial>
        <pose>0.1 0 -0.02 0 0 0</pose>
        <mass>1.25</mass>
        <inertia>
          <ixx>0.003</ixx>
          <ixy>1e-05</ixy>
          <ixz>0</ixz>
          <iyy>0.004</iyy>
          <iyz>0</iyz>
          <izz>0.005</izz>
        </inertia>
      </inertial>
      <visual name="v"/>
    </link>
    <link name="b"><inertial><pose>0.1 0 -0.02 0 0 0</pose><mass>1.25 </mass><inertia>"""
        """<ixx>0.003</ixx><ixy>1e-05</ixy><ixz>0</ixz><iyy>0.004</iyy><iyz>0</iyz><izz>0.005</izz></inertia></inertial></link>
  </model>
</sdf>""",
    ),
    "MJCF: the first child; nested bodies": (
        """<mujoco>
  <worldbody>
    <body name="a">
      <!-- inertial-check: ignore[IC103] it stays the first -->
      <!-- the geom -->
      <geom size="1"/>
      <body name="b"/>
    </body>
    <body name="c"><inertial pos="0 0 0"/></body>
  </worldbody>
</mujoco>
""",
        """<mujoco>
  <worldbody>
    <body name="a">
      <!-- inertial-check: ignore[IC103] it stays the first -->
      <inertial pos="0.1 0 -0.02" mass="1.25" fullinertia="0.003 0.004 0.005 1e-05 0 0"/>
      <!-- the geom -->
      <geom size="1"/>
      <body name="b">
        <inertial pos="0.1 0 -0.02" mass="1.25" fullinertia="0.003 0.004 0.005 1e-05 0 0"/>
      </body>
    </body>
    <body name="c"><inertial pos="0.1 0 -0.02" mass="1.25" """
        """fullinertia="0.003 0.004 0.005 1e-05 0 0"/></body>
  </worldbody>
</mujoco>
""",
    ),
}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("style", STYLES)
def test_what_is_inserted_has_the_style_of_its_neighbours(style, ending):
    before, after = (text.replace("\n", ending) for text in STYLES[style])
    assert write(before) == after


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")],
)
def test_marks_and_encodings_stay(encoding, mark):
    before, after = STYLES["an empty tag is opened"]
    before, after = (text.replace('"r"', '"r\N{ROBOT FACE}é"') for text in (before, after))
    assert write(mark + before.encode(encoding)) == mark + after.encode(encoding)


def test_bytes_beyond_ascii_of_other_encodings_stay():
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!-- für -->'
    before, after = STYLES["an empty tag is opened"]
    assert write((head + before).encode("latin-1")) == (head + after).encode("latin-1")


def test_without_products_mjcf_has_principal_moments():
    text = '<mujoco><worldbody><body name="a"><geom size="1"/></body></worldbody></mujoco>'
    new = '<inertial pos="0.1 0 -0.02" mass="1.25" diaginertia="0.003 0.004 0.005"/>'
    assert write(text, PLAIN) == text.replace("<geom", f"{new}<geom")


def test_axes_are_inserted_beside_principal_moments():
    text = (
        '<mujoco><worldbody><body name="a"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        "</body></worldbody></mujoco>"
    )
    assert re.search(r'pos="0.1 0 -0.02" quat="0.99\S* 0 0 -0.00\S*" mass="1.25" diag', write(text))
    assert "quat" not in write(text, PLAIN)


# --- any document --------------------------------------------------------------------------------

NAMES = st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1)
BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\n\t\t", "<!-- c -->", "\n<!-- ixx=1 -->\n"])


def quoted(name):
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;")):
        name = name.replace(char, entity)
    return f'"{name}"'


@st.composite
def urdf_links(draw, name):
    parts = {
        "origin": ["", "<origin/>", '<origin xyz="0 0 0.1"/>', "<origin rpy='0.1 0 0'></origin>"],
        "mass": ["", "<mass/>", "<mass value=''/>", '<mass value = "2" />'],
        "inertia": ["", "<inertia/>", '<inertia\n\tixx="1"\n\tizz="1"/>', '<inertia iyz="0" />'],
    }
    tags = draw(st.permutations(list(parts)))
    inside = "".join(draw(BLANKS) + draw(st.sampled_from(parts[tag])) for tag in tags)
    inertial = draw(st.sampled_from(["", "<inertial/>", f"<inertial>{inside}</inertial>"]))
    other = draw(st.sampled_from(["", "<visual/>", "<![CDATA[<inertial>]]>"]))
    pieces = draw(st.permutations([inertial, other]))
    content = "".join(draw(BLANKS) + piece for piece in pieces) + draw(BLANKS)
    empty = draw(st.sampled_from(["/>", " />", "></link>"]))
    return f"<link name={quoted(name)}" + (f">{content}</link>" if content.strip() else empty)


@st.composite
def sdf_links(draw, name):
    parts = {
        "pose": ["", "<pose/>", "<pose>0 0 1 0 0.1 0</pose>"],
        "mass": ["", "<mass></mass>", "<mass> 3\n</mass>"],
        "inertia": ["", "<inertia/>", "<inertia><izz>1</izz>\n<ixx>1</ixx></inertia>"],
    }
    tags = draw(st.permutations(list(parts)))
    inside = "".join(draw(BLANKS) + draw(st.sampled_from(parts[tag])) for tag in tags)
    inertial = draw(st.sampled_from(["", "<inertial/>", f"<inertial>{inside}</inertial>"]))
    pose = draw(st.sampled_from(["", "<pose>1 0 0 0 0 0</pose>", "<visual name='v'/>"]))
    content = pose + draw(BLANKS) + inertial
    return f"<link name={quoted(name)}" + (f">{content}</link>" if content else "/>")


@st.composite
def mjcf_bodies(draw, name):
    one = [
        "",
        '<geom size="1"/>',
        '<inertial mass="1"/>',
        "<inertial pos='0 0 1' mass='1' quat='1 1 0 0'/>",
        '<inertial\n  mass="1"\n  pos=" "\n  diaginertia="1 1 1"/>',
        '<inertial pos="0 0 1" fullinertia="1 1 1 0 0 0"/>',
    ]
    content = draw(BLANKS) + draw(st.sampled_from(one)) + draw(BLANKS)
    return f"<body name={quoted(name)}>{content}</body>"


DOCUMENTS = {
    "urdf": (urdf_links, '<robot name="r">', "</robot>"),
    "sdf": (sdf_links, '<sdf version="1.9"><model name="m">', "</model></sdf>"),
    "mjcf": (mjcf_bodies, "<mujoco><worldbody>", "</worldbody></mujoco>"),
}


@pytest.mark.parametrize("form", DOCUMENTS)
@given(data=st.data())
def test_whatever_is_missing_is_inserted_and_nothing_else_changes(form, data):
    """Names with quotes and markup, CDATA, comments, blank attributes; in any encoding."""
    make, head, tail = DOCUMENTS[form]
    names = data.draw(st.lists(NAMES, min_size=1, max_size=2, unique_by=str.strip))
    links = "".join(data.draw(make(name)) + data.draw(BLANKS) for name in names)
    ending = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = (head + data.draw(BLANKS) + links + tail).replace("\n", ending)
    document = text.encode(data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    turned = data.draw(st.booleans())
    model = load(document)
    wanted = {each.id: body(rng) for each in model.bodies}
    if not turned:
        six = np.array([0.02, 0, 0, 0.03, 0, 0.04])
        parts = InertialParameters.from_com(2.0, rng.normal(size=3), six)
        wanted = dict.fromkeys(wanted, parts)
    fix = write_parameters(model, wanted)
    check_fix(document, fix)
    for each in load(fix.data).bodies:
        given_theta = wanted[each.id] if turned else wanted[each.id].as_theta()
        assert deviation(stated(each), given_theta) <= 1e-13
    assert not write_parameters(fix.data, wanted).changed


# --- what is not written -------------------------------------------------------------------------

SIX = 'ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"'
REFUSED = {
    "auto": (
        '<sdf version="1.9"><model name="m"><link name="b"><inertial auto="true"/></link></model>'
        "</sdf>",
        "unwritten",
        'auto="true"> has Gazebo compute the inertia',
    ),
    "geoms count": (
        '<mujoco><compiler inertiafromgeom="true"/><worldbody><body name="b"><geom size="1"/>'
        "</body></worldbody></mujoco>",
        "overridden",
        'inertiafromgeom="true": MuJoCo ignores an <inertial>',
    ),
    "boundmass": (
        '<mujoco><compiler boundmass="2"/><worldbody><body name="b"/></worldbody></mujoco>',
        "overridden",
        "boundmass: MuJoCo raises the mass to 2 kg",
    ),
    "boundinertia": (
        '<mujoco><compiler boundinertia="1"/><worldbody><body name="b"/></worldbody></mujoco>',
        "overridden",
        "boundinertia: MuJoCo raises its principal moments",
    ),
    "settotalmass": (
        '<mujoco><compiler settotalmass="2"/><worldbody><body name="b"/></worldbody></mujoco>',
        "overridden",
        "settotalmass: MuJoCo scales all masses to 2 kg",
    ),
    "euler": (
        '<mujoco><worldbody><body name="b"><inertial pos="0 0 0" mass="1" euler="9 0 0" '
        'diaginertia="1 1 1"/></body></worldbody></mujoco>',
        "unwritten",
        "its euler is no quaternion: write quat",
    ),
    "a frame": (
        '<mujoco><worldbody><body name="b"><frame pos="1 0 0"><inertial pos="0 0 0" mass="1" '
        'fullinertia="1 1 1 0 0 0"/></frame></body></worldbody></mujoco>',
        "unwritten",
        "a <frame> around its <inertial> moves the centre of mass",
    ),
    "two": (
        '<robot name="r"><link name="b"><inertial/><inertial/></link></robot>',
        "malformed",
        "a second <inertial>",
    ),
    "no number": (
        f'<robot name="r"><link name="b"><inertial><mass value="1,5"/><inertia {SIX}/></inertial>'
        "</link></robot>",
        "malformed",
        "1,5",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_written_has_its_reason(case):
    text, status, reason = REFUSED[case]
    (name,) = (each.id for each in load(text.encode()).bodies)
    fix = write_parameters(text.encode(), {name: PARTS})
    assert [each.status for each in fix.bodies] == [status]
    assert reason in fix.bodies[0].reason
    assert not fix.changed
    assert not fix.complete


def test_one_body_that_cannot_be_written_withholds_the_others():
    text = (
        '<robot name="r">\n<link name="a"/>\n<link name="b"><inertial>'
        f'<mass value="1,5"/><inertia {SIX}/></inertial></link>\n</robot>'
    )
    both = {"a": PARTS, "b": PARTS}
    fix = write_parameters(text.encode(), both)
    assert [each.status for each in fix.bodies] == ["withheld", "malformed"]
    assert "b cannot be" in fix.bodies[0].reason
    assert fix.data == text.encode()
    some = write_parameters(text.encode(), both, all_or_none=False)
    assert [each.status for each in some.bodies] == ["fixed", "malformed"]
    assert "line" not in some.bodies[1].reason
    assert some.bodies[1].line == 3


# --- templates, includes, USD --------------------------------------------------------------------

MACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="part" params="name mass">
    <link name="${name}">
      <inertial>
        <mass value="${mass}"/>
      </inertial>
    </link>
  </xacro:macro>
  <xacro:part name="a" mass="2"/>
  <xacro:part name="b" mass="3"/>
  <link name="c"/>
</robot>
"""


def test_a_macro_that_makes_other_links_is_left(rng):
    pytest.importorskip("xacro", reason='needs xacro: pip install "inertial-check[xacro]"')
    fix = write_parameters(MACRO.encode(), {"a": PARTS, "c": PLAIN})
    assert [each.status for each in fix.bodies] == ["shared", "withheld"]
    assert "line 4 makes b, too" in fix.bodies[0].reason
    assert not fix.changed
    alone = write_parameters(MACRO.encode(), {"c": body(rng)})
    check_fix(MACRO.encode(), alone)
    assert alone.data.count(b"<inertial>") == 2


def test_a_macro_that_makes_equal_links_is_filled_once():
    pytest.importorskip("xacro", reason='needs xacro: pip install "inertial-check[xacro]"')
    after = write(MACRO)
    assert after.count("<origin") == 2
    assert '<xacro:part name="a" mass="1.25"/>' in after
    assert '<xacro:part name="b" mass="1.25"/>' in after


@pytest.mark.parametrize("all_or_none", [True, False])
def test_what_an_included_document_lacks_is_inserted_there(tmp_path, all_or_none):
    part = tmp_path / "part.xml"
    part.write_text('<mujocoinclude>\n  <body name="a">\n    <joint/>\n  </body>\n</mujocoinclude>')
    robot = tmp_path / "robot.xml"
    robot.write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    fix = write_parameters(robot, {"a": PARTS}, all_or_none=all_or_none, context=Context())
    assert fix.data == robot.read_bytes()
    assert fix.bodies[0].file == str(part)
    fix.write()
    (each,) = load(robot).bodies
    assert deviation(stated(each), PARTS.as_theta()) <= 1e-14
    assert "\n    <inertial pos" in part.read_text()


USDA = """#usda 1.0
(
    metersPerUnit = 0.01
)

def Xform "r"
{
    def Xform "a" {HEAD}
    {
        bool x = 1  # (
    }
}
"""
HEADS = {
    "beside another": '(prepend apiSchemas = ["PhysicsRigidBodyAPI"])',
    "applied": '(\n        prepend apiSchemas = ["PhysicsMassAPI", "PhysicsRigidBodyAPI"]\n    )',
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("parameters", [PARTS, PLAIN], ids=["turned", "plain"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_prim_takes_properties_and_their_schema(head, parameters, ending):
    pytest.importorskip("pxr", reason='needs usd-core: pip install "inertial-check[usd]"')
    text = USDA.replace("{HEAD}", HEADS[head])
    data = text.replace("\n", ending).encode()
    fix = write_parameters(data, {"a": parameters})
    check_fix(data, fix)
    after = fix.data.decode()
    assert after.count("PhysicsMassAPI") == 1
    assert "physics:mass = 1.25" in after
    assert "physics:centerOfMass = (" in after  # engines take it from the shapes if it is unwritten
    assert "physics:principalAxes = (" in after
    (each,) = load(fix.data).bodies
    assert deviation(stated(each), parameters.as_theta()) <= 1e-14
    assert not write_parameters(fix.data, {"a": parameters}).changed


# --- with_parameters -----------------------------------------------------------------------------


def test_what_a_model_states_goes_back_unchanged(project):
    model = ic.load(project / "data" / "arm.urdf")
    assert model.names == tuple(each.name for each in model.bodies)
    theta = model.theta
    assert theta.shape == (len(model.bodies), 10)
    for row, each in zip(theta, model.bodies, strict=True):
        assert (
            np.all(np.isnan(row)) if each.inertial is None else deviation(row, stated(each)) < 1e-15
        )
    for same in (theta, model.parameters):
        fix = model.with_parameters(same)
        assert fix.data == model.source.data
        assert fix.complete


def test_rows_and_names_and_mappings_are_the_same():
    text = b'<robot name="r"><link name="a"/><link name="b"/></robot>'
    model = ic.load(text)
    theta = np.full((2, 10), np.nan)
    theta[1] = PARTS.as_theta()
    wanted = model.with_parameters(PARTS, ["b"])
    assert wanted.complete
    assert wanted.data == model.with_parameters(PARTS[None], "b").data
    assert wanted.data == model.with_parameters({"b": PARTS}).data
    written = ic.load(model.with_parameters(theta, order="urdf", about="origin").data)
    assert np.all(np.isnan(written.theta[0]))
    np.testing.assert_allclose(written.theta[1], theta[1], rtol=1e-15)


def test_numbers_about_the_centre_keep_every_digit():
    """A screw of 2 g half a metre away: by way of its origin, its tensor would lose ten digits."""
    screw = InertialParameters.from_com(0.002, [0.5, -0.3, 0.7], np.diag([1.1e-9, 1.3e-9, 1.7e-9]))
    model = ic.load(b'<robot name="r"><link name="a"/></robot>')
    data = model.with_parameters(screw, ["a"]).data
    assert b'ixx="1.1e-09" ixy="0" ixz="0" iyy="1.3e-09" iyz="0" izz="1.7e-09"' in data


@pytest.mark.parametrize(
    ("parameters", "bodies", "message"),
    [
        (np.ones((3, 10)), None, r"shape \(3,\), expected one row for 2 bodies"),
        (np.ones(10), None, r"shape \(\), expected one row for 2 bodies"),
        (np.r_[np.nan, np.ones(9)], "a", "'a' are NaN in parts"),
        (np.ones((2, 10)), ["a", "a"], "'a' stands twice"),
        ({"a": np.ones(10)}, ["a"], "parameters name their bodies"),
        (np.ones(10), ["x"], "no body 'x'"),
        (-np.ones(10), ["a"], "'a' are invalid"),
    ],
)
def test_what_does_not_fit_the_model_is_refused(parameters, bodies, message):
    model = ic.load(b'<robot name="r"><link name="a"/><link name="b"/></robot>')
    with pytest.raises(ParameterError, match=message):
        model.with_parameters(parameters, bodies, order="urdf", about="origin")


@pytest.mark.parametrize("given", [PARTS.as_theta().tolist(), np.asarray(PARTS.as_theta())])
@pytest.mark.parametrize("make", [lambda row: row, lambda row: {"a": row}])
@pytest.mark.parametrize("said", [{}, {"about": "com"}, {"order": "urdf"}])
def test_bare_numbers_are_refused_unless_their_point_and_order_are_said(given, make, said):
    model = ic.load(b'<robot name="r"><link name="a"/></robot>')
    with pytest.raises(ParameterError, match="bare numbers, which do not say"):
        model.with_parameters(make(given), None if make(0) else "a", **said)


def test_a_point_that_contradicts_the_parameters_is_refused():
    model = ic.load(b'<robot name="r"><link name="a"/></robot>')
    with pytest.raises(ParameterError, match="contradicts"):
        model.with_parameters(PARTS, "a", about="com" if PARTS.about == "origin" else "origin")


def test_results_are_written_as_they_were_meant(project):
    """A projection about the centre of mass once was written as one about the origin."""
    model = ic.load(project / "data" / "arm.urdf")
    projection = ic.project(model)
    assert projection.about == "com"
    written = ic.load(model.with_parameters(projection).data)
    for name in ("forearm", "wrist_2"):
        index = model.names.index(name)
        one = model.with_parameters(ic.project(model.parameters).theta[index], [name])
        for found in (written, ic.load(one.data)):
            before, after = projection.parameters[index], found.parameters[index]
            np.testing.assert_allclose(after.inertia_com, before.inertia_com, rtol=1e-6)
            assert after.mass == model.parameters[index].mass


def test_a_filling_and_an_identification_name_their_bodies(project):
    path = project / "data" / "fill" / "arm.urdf"
    model, filling = ic.load(path), ic.fill(path, total_mass=9.0)
    again = ic.load(model.with_parameters(filling).data)
    for filled in filling:
        np.testing.assert_allclose(
            again.parameters[model.names.index(filled.name)].as_theta(about="com"),
            filled.parameters.as_theta(about="com"),
            rtol=1e-12,
        )
    tree = ic.load(project / "data" / "recordings" / "arm.urdf").tree()
    rng = np.random.default_rng(0)
    Y, names = rng.normal(size=(40, 3, 30)), tree.names[1:4]
    tau = Y @ tree.theta[1:4].ravel()
    found = ic.identify(Y, tau, 1.1 * tree.theta[1:4], bodies=names)
    model = ic.load(project / "data" / "recordings" / "arm.urdf")
    new = ic.load(model.with_parameters(found).data)
    for name, row in zip(names, found.theta, strict=True):
        assert deviation(new.theta[model.names.index(name)], row) < 1e-9
    unnamed = ic.identify(Y, tau, tree.theta[1:4])
    with pytest.raises(ParameterError, match="no body 'body 0'"):
        model.with_parameters(unnamed)


def test_added_mass_is_symmetric_and_zero_where_none_is_stated():
    text = (
        '<sdf version="1.9"><model name="m"><link name="a"><inertial><fluid_added_mass>'
        "<xx>5</xx><yr>2</yr></fluid_added_mass></inertial></link><link name='b'/></model></sdf>"
    )
    wet, dry = ic.load(text.encode()).added_mass
    assert wet[0, 0] == 5
    assert wet[1, 5] == wet[5, 1] == 2
    assert not dry.any()


def test_a_comment_beside_what_is_inserted_is_one():
    text = '<robot name="r">\n  <link name="a"/>\n</robot>'
    fix = write_parameters(text.encode(), {"a": PARTS}, comments={"a": "from --\n mesh-->x-"})
    assert b"    <!-- from - - mesh- ->x- -->\n    <inertial>" in fix.data


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture
def project(pytestconfig):
    return pytestconfig.rootpath
