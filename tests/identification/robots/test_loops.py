"""Closed loops, which no tree of bodies has: those that are not modelled are refused by name."""

import pytest

import inertial_check as ic
from inertial_check.documents.context import Context
from inertial_check.errors import UsageError
from inertial_check.identification.options import RobotOptions
from inertial_check.identification.robot import read_robot

MASS = '<inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/>'
MJCF = f"""<mujoco><worldbody>
  <body name="crank"><joint name="first"/>{MASS}
    <body name="coupler"><joint name="second"/>{MASS}<site name="tip"/></body>
  </body>
  <body name="rocker"><joint name="third"/>{MASS}<site name="end"/></body>
</worldbody><equality>{{}}</equality></mujoco>"""

LINK = """<link name="{}"><inertial><mass>1</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>"""
JOINT = """<joint name="{}_{}" type="revolute"><parent>{}</parent><child>{}</child>
<axis><xyz>0 0 1</xyz></axis></joint>"""
FOUR_BAR = [("base", "crank"), ("crank", "coupler"), ("base", "rocker"), ("rocker", "coupler")]
BARS = ("base", "crank", "coupler", "rocker")
SDF = f"""<sdf version="1.9"><model name="bars">{"".join(map(LINK.format, BARS))}
<joint name="foot" type="fixed"><parent>world</parent><child>base</child></joint>
{"".join(JOINT.format(*pair, *pair) for pair in FOUR_BAR)}</model></sdf>"""

USD_BODY = """def Xform "{}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
float physics:mass = 1
float3 physics:diagonalInertia = (1, 1, 1)
}}
"""
USD_JOINT = """def PhysicsRevoluteJoint "{}_{}"
{{
rel physics:body0 = </bars/{}>
rel physics:body1 = </bars/{}>
}}
"""
USD = f"""#usda 1.0
(
    defaultPrim = "bars"
)
def Xform "bars"
{{
{"".join(map(USD_BODY.format, BARS))}{"".join(USD_JOINT.format(*p, *p) for p in FOUR_BAR)}
def PhysicsFixedJoint "foot"
{{
rel physics:body1 = </bars/base>
}}
}}
"""


@pytest.mark.parametrize(
    ("text", "ending", "name"),
    [
        (MJCF.format('<connect body1="coupler" body2="rocker" anchor="0 x"/>'), "xml", "connect"),
        (MJCF.format('<weld name="glue" site1="tip" site2="none"/>'), "xml", "weld 'glue'"),
        (
            MJCF.format('<connect body1="coupler" body2="rocker" anchor="0 0 0"/>').replace(
                'name="rocker"', 'name="rocker" euler="0 90 0"'
            ),
            "xml",
            "coupler and rocker .* whose axes differ, crank and rocker",
        ),
        (
            MJCF.format('<joint joint1="third" joint2="first" polycoef="0 1 x"/>'),
            "xml",
            "joint third follows first",
        ),
        (
            SDF.replace(
                'coupler" type="revolute"><parent>rocker',
                'coupler" type="universal"><parent>rocker',
            ),
            "sdf",
            "'bars::rocker_coupler' between bars::rocker and bars::coupler",
        ),
        (
            USD.replace('RevoluteJoint "rocker_coupler"', 'DistanceJoint "rocker_coupler"'),
            "usda",
            "distance 'rocker_coupler' between rocker and coupler",
        ),
    ],
)
def test_a_closed_loop_is_refused_by_its_name(tmp_path, text, ending, name):
    path = tmp_path / f"loop.{ending}"
    path.write_text(text)
    if ending == "usda":
        pytest.importorskip("pxr")
    with pytest.raises(UsageError, match=rf"(?s){name}"):
        read_robot(str(path), Context(), RobotOptions())


def test_a_loop_that_does_not_act_is_none(tmp_path):
    off = '<connect body1="coupler" body2="rocker" anchor="0 0 0" active="false"/>'
    assert ic.load(MJCF.format(off).encode()).loops == ()
    (tmp_path / "a.xml").write_text(MJCF.format('<weld body1="coupler" body2="crank"/>'))
    (loop,) = ic.load(tmp_path / "a.xml").loops
    assert loop.bodies == ("coupler", "crank")
    held = RobotOptions(locked={"second": 0.0})
    assert read_robot(str(tmp_path / "a.xml"), Context(), held).joints == ("first", "third")


@pytest.mark.parametrize(
    ("pose", "gravity"),
    [
        ('euler="90 0 0"', "--gravity=0,-9.81,0"),
        ('quat="0 1 0 0"', "--gravity=0,0,9.81"),
        ('euler="0 0 30" pos="1 2 3"', None),
    ],
)
def test_a_base_that_is_turned_in_the_world_is_told(tmp_path, pose, gravity):
    path = tmp_path / "arm.xml"
    path.write_text(
        f'<mujoco><worldbody><body name="wall" {pose}>{MASS}'
        f'<body name="link"><joint name="first"/>{MASS}</body></body></worldbody></mujoco>'
    )
    told = [
        each.message
        for options in (RobotOptions(), RobotOptions(gravity=(0, 0, -9.81)))
        for each in read_robot(str(path), Context(), options).remarks
        if each.kind == "turned-base"
    ]
    assert [each.rpartition(", ")[2] for each in told] == ([gravity] if gravity else [])
