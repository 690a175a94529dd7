"""What documents say of their joints: names, limits, friction, rotors, what they follow."""

import math

import mujoco
import pytest

from inertial_check.documents.load import load
from inertial_check.documents.model import Joint, Mimic
from inertial_check.documents.usd import reading as _usd_joints

INF = math.inf


def unread(joint):
    """The names of what is stated and cannot be read."""
    return [
        name
        for name, value in joint._asdict().items()
        if isinstance(value, float) and math.isnan(value)
    ]


class TestUrdf:
    def joint(self, inside="", kind="revolute", name='name="elbow"'):
        text = (
            f'<robot name="r"><link name="a"/><link name="b"/><joint {name} type="{kind}">'
            f'<parent link="a"/><child link="b"/>{inside}</joint></robot>'
        )
        root, child = load(text.encode()).bodies
        assert root.joints == ()
        (joint,) = child.joints
        return joint

    def test_everything_that_is_stated(self):
        stated = self.joint(
            '<limit lower="-1.5" upper=" 2 " effort="30" velocity="4" acceleration="9"/>'
            '<dynamics damping="0.1" friction="0.2"/><safety_controller soft_upper_limit="1"/>'
            '<mimic joint="shoulder" multiplier="-2" offset="0.5"/>'
        )
        assert stated == Joint(
            "elbow",
            "revolute",
            lower=-1.5,
            upper=2.0,
            velocity=4.0,
            acceleration=9.0,
            effort=30.0,
            damping=0.1,
            friction=0.2,
            mimic=Mimic("shoulder", -2.0, 0.5),
        )

    def test_nothing_is_made_up(self):
        assert self.joint() == Joint("elbow", "revolute")
        assert self.joint("<limit/><dynamics/>", "prismatic") == Joint("elbow", "prismatic")
        assert self.joint(name="") == Joint("", "revolute")
        joint = self.joint('<limit lower="-1" upper="1" velocity="4"/>', "continuous")
        assert joint == Joint("elbow", "continuous", -INF, INF, velocity=4.0)
        assert self.joint('<mimic joint="shoulder"/>').mimic == Mimic("shoulder", 1.0, 0.0)

    @pytest.mark.parametrize("kind", ["fixed", "floating", "planar"])
    def test_what_has_no_single_axis_has_a_name_alone(self, kind):
        assert self.joint('<limit lower="-1" upper="1"/>', kind) == Joint("elbow", kind)

    def test_limits_in_the_wrong_order_stay(self):
        joint = self.joint('<limit lower="1" upper="-1" velocity="-4"/>')
        assert (joint.lower, joint.upper, joint.velocity) == (1.0, -1.0, -4.0)

    @pytest.mark.parametrize("text", ["", "abc", "1 2", "1,5", "${pi}", "0x10", "180deg"])
    def test_what_is_no_number_is_told_from_nothing(self, text):
        assert unread(self.joint(f'<limit lower="{text}"/>')) == ["lower"]
        assert math.isnan(self.joint(f'<mimic joint="a" offset="{text}"/>').mimic.offset)


class TestSdf:
    def joint(self, axis="", kind="revolute", version="1.11", ends=("a", "b")):
        text = (
            f'<sdf version="{version}"><model name="m"><link name="a"/><link name="b"/>'
            f'<joint name="j" type="{kind}"><parent>{ends[0]}</parent><child>{ends[1]}</child>'
            f"{axis}</joint></model></sdf>"
        )
        (joint,) = load(text.encode()).bodies[1].joints
        return joint

    def axis(self, inside, **options):
        return self.joint(f"<axis>{inside}</axis>", **options)

    def test_everything_that_is_stated(self):
        stated = self.axis(
            "<xyz>0 0 1</xyz><limit><lower>-1.5</lower><upper> 2 </upper><velocity>4</velocity>"
            "<effort>30</effort></limit><dynamics><damping>0.1</damping><friction>0.2</friction>"
            '</dynamics><mimic joint="k"><multiplier>-2</multiplier><offset>0.5</offset>'
            "<reference>0.25</reference></mimic>"
        )
        assert stated == Joint(
            "m::j",
            "revolute",
            lower=-1.5,
            upper=2.0,
            velocity=4.0,
            effort=30.0,
            damping=0.1,
            friction=0.2,
            mimic=Mimic("m::k", -2.0, 1.0),  # -2 (q - 0.25) + 0.5
        )

    def test_nothing_is_made_up_and_words_for_no_limit_are_none(self):
        assert self.joint() == Joint("m::j", "revolute")
        assert self.axis("<xyz>0 0 1</xyz><limit/>") == Joint("m::j", "revolute")
        joint = self.axis(
            "<limit><lower>-1e16</lower><upper>1e16</upper>"
            "<velocity>-1</velocity><effort>-1</effort></limit>"
        )
        assert joint == Joint("m::j", "revolute", -INF, INF, velocity=INF, effort=INF)
        inf = self.axis("<limit><lower>-inf</lower><upper>inf</upper></limit>")
        assert (inf.lower, inf.upper) == (-INF, INF)
        limit = "<limit><lower>-1</lower><upper>1</upper></limit>"
        joint = self.axis(limit, kind="continuous")
        assert joint == Joint("m::j", "continuous", -INF, INF)
        assert unread(self.axis("<limit><lower>abc</lower></limit>")) == ["lower"]

    @pytest.mark.parametrize("kind", ["fixed", "ball", "universal", "revolute2"])
    def test_what_has_no_single_axis_has_a_name_alone(self, kind):
        limit = "<limit><lower>-1</lower><upper>1</upper></limit>"
        assert self.axis(limit, kind=kind) == Joint("m::j", kind)

    def test_a_joint_that_carries_the_world_keeps_its_limits(self):
        """Ends and axis are swapped together, so its position stays what it was."""
        joint = self.axis("<limit><lower>-1</lower><upper>2</upper></limit>", ends=("b", "world"))
        assert (joint.lower, joint.upper) == (-1.0, 2.0)


class TestMjcf:
    def document(self, joints, default="", extra="", angle=""):
        return (
            f"<mujoco><compiler {angle}/><default>{default}</default><worldbody>"
            f'<body><geom size="1"/><joint name="k"/></body>'
            f'<body pos="1 2 3"><geom size="1"/>{joints}</body></worldbody>{extra}</mujoco>'
        )

    def joint(self, *args, **options):
        (joint,) = self.joints(*args, **options)
        return joint

    def joints(self, *args, **options):
        return load(self.document(*args, **options).encode()).bodies[1].joints

    def compiled(self, *args, **options):
        return mujoco.MjModel.from_xml_string(self.document(*args, **options))

    @pytest.mark.parametrize("kind", ["hinge", "slide"])
    @pytest.mark.parametrize("angle", ["", 'angle="radian"', 'angle="degree"'])
    @pytest.mark.parametrize("ref", ["", 'ref="0.5"'])
    def test_ranges_are_as_mujoco_compiles_them_from_where_the_body_stands(self, kind, angle, ref):
        text = f'<joint name="j" type="{kind}" range="-10 30" {ref}/>'
        ours, theirs = self.joint(text, angle=angle), self.compiled(text, angle=angle)
        expected = theirs.jnt_range[1] - theirs.qpos0[1]
        assert (ours.lower, ours.upper) == pytest.approx(tuple(expected), rel=1e-15)

    def test_forces_and_rotors(self):
        text = (
            '<joint name="j" damping="0.1" frictionloss="0.2" armature="0.3" '
            'actuatorfrcrange="-4 5" stiffness="6"/>'
        )
        ours, theirs = self.joint(text), self.compiled(text)
        assert ours == Joint("j", "hinge", effort=5.0, damping=0.1, friction=0.2, armature=0.3)
        assert ours.effort == abs(theirs.jnt_actfrcrange[1]).max()
        assert ours.damping == theirs.dof_damping[1]
        assert ours.friction == theirs.dof_frictionloss[1]
        assert ours.armature == theirs.dof_armature[1]

    def test_defaults_count(self):
        default = (
            '<joint range="-90 90" armature="2"/><default class="c"><joint damping="3"/></default>'
        )
        joint = self.joint('<joint name="j" class="c"/>', default)
        expected = (pytest.approx(math.pi / 2), 2.0, 3.0)
        assert (joint.upper, joint.armature, joint.damping) == expected

    def test_nothing_is_made_up(self):
        assert self.joint("<joint/>") == Joint("", "hinge")
        assert self.joint('<joint range="0 0" damping=" "/>') == Joint("", "hinge")
        assert self.joint('<joint springdamper="1 1" damping="2"/>').damping is None
        joint = self.joint('<joint limited="false" range="-1 1"/>')
        assert (joint.lower, joint.upper) == (-INF, INF)
        joint = self.joint('<joint limited="true" type="slide" range="2 1"/>')
        assert (joint.lower, joint.upper) == (2.0, 1.0)
        assert self.joint('<freejoint name="f"/>') == Joint("f", "free")
        assert self.joint('<joint name="b" type="ball" range="0 1"/>') == Joint("b", "ball")

    @pytest.mark.parametrize("text", ["1", "1 2 3", "a b"])
    def test_what_is_no_range_is_told_from_nothing(self, text):
        assert unread(self.joint(f'<joint range="{text}"/>')) == ["lower", "upper"]

    def test_several_joints_of_a_body(self):
        joints = self.joints('<joint name="x" range="-1 1"/><joint name="y" type="slide"/>')
        assert [(joint.name, joint.type) for joint in joints] == [("x", "hinge"), ("y", "slide")]

    def follows(self, equality):
        text = f"<equality>{equality}</equality>"
        return self.joint('<joint name="j"/>', extra=text).mimic

    def test_equalities_that_are_mimics(self):
        ends = '<joint joint1="j" joint2="k"'
        assert self.follows(f'{ends} polycoef="0.5 -2 0 0 0"/>') == Mimic("k", -2.0, 0.5)
        assert self.follows(f'{ends} polycoef="0.5"/>') == Mimic("k", 1.0, 0.5)
        assert self.follows(f"{ends}/>") == Mimic("k", 1.0, 0.0)
        assert self.follows('<joint joint1="j" polycoef="0.5"/>') == Mimic("", 0.0, 0.5)
        assert self.follows('<joint joint1="j" joint2="k" active="false"/>') is None
        assert self.follows('<joint joint1="k" joint2="j"/>') is None
        assert self.follows('<tendon tendon1="j"/>') is None
        mimic = self.follows('<joint joint1="j" joint2="k" polycoef="0 1 1 0 0"/>')
        assert mimic.joint == "k"
        assert math.isnan(mimic.multiplier)


class TestUsd:
    @pytest.fixture(autouse=True)
    def _library(self):
        pytest.importorskip("pxr", reason='needs usd-core: pip install "inertial-check[usd]"')

    def joint(self, inside="", kind="PhysicsRevoluteJoint", units=(1, 1), other="RevoluteJoint"):
        text = f"""#usda 1.0
(
    metersPerUnit = {units[0]}
    kilogramsPerUnit = {units[1]}
)
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{}}
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{}}
def Physics{other} "k"
{{
    rel physics:body1 = </a>
}}
def {kind} "elbow"
{{
    rel physics:body0 = </a>
    rel physics:body1 = </b>
    {inside}
}}
"""
        (joint,) = load(text.encode()).bodies[1].joints
        return joint

    def test_degrees_of_a_revolute_joint(self):
        joint = self.joint(
            """float physics:lowerLimit = -90
    float physics:upperLimit = 0.1
    float physxJoint:maxJointVelocity = 180
    float newton:damping = 2
    float drive:angular:physics:maxForce = 30"""
        )
        assert joint.lower == pytest.approx(-math.pi / 2, rel=1e-15)
        assert joint.upper == pytest.approx(math.radians(0.1), rel=1e-15)  # as it is printed
        assert joint.velocity == pytest.approx(math.pi, rel=1e-15)
        assert joint.damping == pytest.approx(math.degrees(2), rel=1e-15)
        assert joint.effort == 30.0

    def test_units_of_the_stage(self):
        numbers = """float physics:lowerLimit = -50
    float newton:velocityLimit = 200
    float drive:linear:physics:maxForce = 3
    float drive:angular:physics:maxForce = 3
    float mjc:damping = 4
    float mjc:frictionloss = 6
    float physxJoint:armature = 5"""
        slide = self.joint(numbers, "PhysicsPrismaticJoint", units=(0.01, 10))
        assert (slide.lower, slide.velocity) == pytest.approx((-0.5, 2.0), rel=1e-15)
        forces = (slide.effort, slide.friction, slide.damping, slide.armature)
        assert forces == pytest.approx((0.3, 0.6, 40.0, 50.0), rel=1e-15)
        turn = self.joint(numbers, units=(0.01, 10))
        torques = (turn.effort, turn.friction, turn.damping, turn.armature)
        assert torques == pytest.approx((3e-3, 6e-3, 4e-3, 5e-3), rel=1e-15)

    def test_nothing_is_made_up(self):
        assert self.joint() == Joint("elbow", "revolute")
        assert self.joint(kind="PhysicsFixedJoint") == Joint("elbow", "fixed")
        joint = self.joint("float physics:lowerLimit = inf\n    float physics:upperLimit = -inf")
        assert (joint.lower, joint.upper) == (INF, -INF)
        assert unread(self.joint('string mjc:armature = "x"')) == ["armature"]
        assert unread(self.joint("float physics:lowerLimit = nan")) == ["lower"]

    def test_physx_writes_the_sum_that_is_zero(self):
        written = """rel physxMimicJoint:rotZ:referenceJoint = </k>
    float physxMimicJoint:rotZ:gearing = 2
    float physxMimicJoint:rotZ:offset = 90"""
        assert self.joint(written).mimic == Mimic("k", -2.0, pytest.approx(-math.pi / 2))

    def test_newton_writes_the_coefficients(self):
        written = """rel newton:mimicJoint = </k>
    float newton:mimicCoef1 = 2
    float newton:mimicCoef0 = 90"""
        assert self.joint(written).mimic == Mimic("k", 2.0, pytest.approx(math.pi / 2))
        assert self.joint(f"{written}\n    bool newton:mimicEnabled = 0").mimic is None
        assert self.joint("rel newton:mimicJoint = </nowhere>").mimic is None
        mixed = self.joint(written, other="PrismaticJoint").mimic
        assert mixed.joint == "k"
        assert math.isnan(mixed.multiplier)

    def test_joints_that_cannot_be_described_keep_their_names(self, monkeypatch):
        compose = _usd_joints.compose_stage

        def refuse_joints(*arguments):
            return {**compose(*arguments), "joints": {"refused": "needs more memory"}}

        monkeypatch.setattr(_usd_joints, "compose_stage", refuse_joints)
        text = """#usda 1.0
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
def PhysicsRevoluteJoint "j"
{
    rel physics:body1 = </b>
    float physics:lowerLimit = 1
}
"""
        (joint,) = load(text.encode()).bodies[0].joints
        assert (joint.name, joint.type, joint.lower) == ("j", "revolute", None)
