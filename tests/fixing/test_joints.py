"""Damping, friction and armature of joints, written into every format and read again."""

import mujoco
import numpy as np
import pytest

import inertial_check as ic
from inertial_check.fixing.writing import write_joints, write_parameters

NUMBERS = {"damping": 0.25, "friction": 0.125, "armature": 0.0625}
OTHERS = {"damping": 1.5, "friction": 0.0, "armature": 3.0e-05}

URDF = """<robot name="r">
  <link name="base"/>
  <link name="a">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <link name="b">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <joint name="one" type="revolute">
    <parent link="base"/><child link="a"/>
    <axis xyz="0 0 1"/> <!-- about z -->
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="two" type="prismatic">
    <parent link="a"/><child link="b"/>
    <dynamics friction='7'/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <transmission name="t"><joint name="one"/></transmission>
</robot>
"""

XACRO = URDF.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"').replace(
    '<link name="base"/>', '<xacro:property name="p" value="1"/><link name="base"/>'
)

SDF = """<sdf version="1.9"><model name="m">
  <link name="base"/>
  <link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>
    </inertial></link>
  <link name="b"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>
    </inertial></link>
  <joint name="one" type="revolute">
    <parent>base</parent><child>a</child>
    <axis>
      <xyz>0 0 1</xyz>
    </axis>
  </joint>
  <joint name="two" type="prismatic">
    <parent>a</parent><child>b</child>
    <axis>
      <xyz>0 0 1</xyz>
      <dynamics><damping>9</damping></dynamics>
    </axis>
  </joint>
</model></sdf>
"""

MJCF = """<mujoco>
  <default><joint damping="7" armature="8"/>
    <default class="stiff"><joint frictionloss="9"/></default>
  </default>
  <worldbody>
    <body name="a">
      <joint name="one" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <body name="b">
        <frame pos="0 0 1"><joint class="stiff" type="slide" axis="0 0 1"/></frame>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

_PRIM = """def Xform "{0}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
    point3f physics:centerOfMass = (0, 0, 0)
}}
"""

USD = f"""#usda 1.0
(
    metersPerUnit = 0.01
    kilogramsPerUnit = 1
)
{_PRIM.format("a")}{_PRIM.format("b")}
def PhysicsRevoluteJoint "one" (
    prepend apiSchemas = ["PhysxJointAPI"]
)
{{
    rel physics:body1 = </a>
    float physxJoint:armature = 5
    float newton:damping = 2
}}
def PhysicsPrismaticJoint "two"
{{
    rel physics:body0 = </a>
    rel physics:body1 = </b>
}}
"""

DOCUMENTS = {"urdf": URDF, "xacro": XACRO, "sdf": SDF, "mjcf": MJCF, "usd": USD}
PLACES = {"mjcf": ("damping", "friction", "armature"), "usd": ("damping", "friction", "armature")}


def write(text, format, first=NUMBERS, second=OTHERS):
    model = ic.load(text.encode(), format=format)
    targets = {
        body.id: numbers
        for body in model.bodies
        for name, numbers in (("a", first), ("b", second))
        if body.name.endswith(name) and numbers
    }
    return write_joints(model, write_parameters(model, {}), targets)


def joints_of(data, format):
    found = {body.name[-1]: body.joints for body in ic.load(data, format=format).bodies}
    return found["a"][0], found["b"][0]


@pytest.mark.parametrize("format", DOCUMENTS)
def test_numbers_are_read_back_and_nothing_else_changes(format):
    """Elements and attributes that are missing are inserted in every format."""
    text = DOCUMENTS[format]
    done = write(text, format)
    assert done.complete, done.joints
    old, new = joints_of(text.encode(), format), joints_of(done.fix.data, format)
    for before, after, wanted in zip(old, new, (NUMBERS, OTHERS), strict=True):
        placed = {name: wanted[name] for name in PLACES.get(format, ("damping", "friction"))}
        for name, value in placed.items():
            assert getattr(after, name) == pytest.approx(value, rel=1e-7), (after.name, name)
        assert after._replace(**dict.fromkeys(placed)) == before._replace(**dict.fromkeys(placed))
    left = [joint.left for joint in done.joints]
    assert all(("armature" in each) is (format in ("urdf", "xacro", "sdf")) for each in left)
    again = write(done.fix.data.decode(), format)
    assert again.fix.data == done.fix.data
    assert [joint.status for joint in again.joints] == ["unchanged"] * 2
    # What was there stands there still, but for numbers that changed and tags that were opened.
    kept = [line for line in text.splitlines() if line in done.fix.data.decode()]
    assert len(text.splitlines()) - len(kept) <= 3


def test_mujoco_has_the_numbers_and_no_class_adds_to_them():
    text = MJCF.replace('damping="7"', 'damping="7 3"')
    done = write(text, "mjcf")
    model = mujoco.MjModel.from_xml_string(done.fix.data.decode())
    expected = np.array([list(NUMBERS.values()), list(OTHERS.values())])
    found = np.stack([model.dof_damping, model.dof_frictionloss, model.dof_armature], axis=1)
    np.testing.assert_array_equal(found, expected)
    if hasattr(model, "dof_dampingpoly"):
        assert not np.any(model.dof_dampingpoly)


@pytest.mark.parametrize("value", [-1e-9, float("nan"), float("inf")])
def test_a_number_that_no_joint_has_keeps_all_joints(value):
    done = write(URDF, "urdf", {"damping": value}, {"friction": 1.0})
    assert done.fix.data == URDF.encode()
    assert [joint.status for joint in done.joints] == ["refused", "withheld"]
    assert repr(value) in done.joints[0].reason


def test_what_cannot_be_stated_keeps_all_joints():
    """Each refusal would otherwise change another joint, or a number that the engine ignores."""
    spring = MJCF.replace('name="one"', 'name="one" springdamper="1 1"')
    assert "springdamper" in write(spring, "mjcf").joints[0].reason
    template = XACRO.replace("<dynamics friction='7'/>", '<dynamics friction="${p}"/>')
    done = write(template, "xacro")
    assert "${p}" in done.joints[1].reason
    assert done.fix.data == template.encode()
    macro = template.replace('<joint name="two"', "<joint name=\"${str('two')}\"")
    assert "no joints 'two'" in write(macro, "xacro").joints[1].reason
