"""Joints as documents state them against Pinocchio (URDF) and Drake (SDF)."""

import math

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.model import Mimic

LINK = (
    '<link name="{}"><inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
)


def urdf(*joints):
    links = "".join(LINK.format(f"l{i}") for i in range(len(joints) + 1))
    inside = "".join(
        f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>{text}'
        f'<axis xyz="0 0 1"/></joint>'
        for i, (kind, text) in enumerate(joints)
    )
    return f'<robot name="r">{links}{inside}</robot>'


def test_limits_of_a_urdf_are_pinocchios():
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")
    text = urdf(
        ("revolute", '<limit lower="-1" upper="2" velocity="3" effort="4"/>'),
        ("prismatic", '<limit lower="-.1" upper="0.25" velocity="1e-2" effort="5e2"/>'),
        (
            "revolute",
            '<limit lower="-3" upper="3" velocity="1" effort="1"/>'
            '<dynamics damping="0.1" friction="0.2"/>',
        ),
    )
    theirs = pin.buildModelFromXML(text)
    ours = [body.joints[0] for body in ic.load(text.encode()).bodies[1:]]
    for name, expected in (
        ("lower", theirs.lowerPositionLimit),
        ("upper", theirs.upperPositionLimit),
        ("velocity", theirs.velocityLimit),
        ("effort", theirs.effortLimit),
        ("damping", theirs.damping),
        ("friction", theirs.friction),
    ):
        stated = [getattr(joint, name) for joint in ours]
        found = [0.0 if value is None else value for value in stated]  # Pinocchio's own default
        np.testing.assert_array_equal(found, expected, err_msg=name)


def test_limits_of_an_sdf_are_drakes():
    plants = pytest.importorskip("pydrake.multibody.plant", reason="needs Drake: pip install drake")
    from pydrake.multibody.parsing import Parser

    def joint(i, kind, axis):
        return (
            f'<joint name="j{i}" type="{kind}"><parent>{f"l{i - 1}" if i else "world"}</parent>'
            f"<child>l{i}</child><axis><xyz>0 0 1</xyz>{axis}</axis></joint>"
        )

    limit = "<limit><lower>{}</lower><upper>{}</upper><velocity>{}</velocity><effort>{}</effort>"
    text = (
        '<sdf version="1.11"><model name="m">'
        + "".join(f'<link name="l{i}"/>' for i in range(5))
        + joint(0, "revolute", limit.format(-1, 2, 3, 4) + "</limit>")
        + joint(1, "prismatic", limit.format("-inf", "inf", -1, -1) + "</limit>")
        + joint(2, "continuous", limit.format(-1, 2, 3, 4) + "</limit>")
        + joint(3, "revolute", "<dynamics><damping>0.1</damping></dynamics>")
        + joint(
            4,
            "revolute",
            '<mimic joint="j3"><multiplier>-2</multiplier><offset>0.5</offset>'
            "<reference>0.25</reference></mimic>",
        )
        + "</model></sdf>"
    )
    plant = plants.MultibodyPlant(0.01)
    plant.set_discrete_contact_approximation(plants.DiscreteContactApproximation.kSap)
    Parser(plant).AddModelsFromString(text, "sdf")
    plant.Finalize()
    joints = {j.name: j for body in ic.load(text.encode()).bodies for j in body.joints}
    for i in range(5):
        ours, theirs = joints[f"m::j{i}"], plant.GetJointByName(f"j{i}")
        for name, at, absent in (
            ("lower", theirs.position_lower_limits(), -math.inf),
            ("upper", theirs.position_upper_limits(), math.inf),
            ("velocity", theirs.velocity_upper_limits(), math.inf),
            ("damping", theirs.default_damping_vector(), 0.0),
        ):
            stated = getattr(ours, name)
            assert (absent if stated is None else stated) == at[0], (name, ours)
    mimic = joints["m::j4"].mimic
    assert mimic == Mimic("m::j3", -2.0, 1.0)  # as the specification has it: -2 (q - 0.25) + 0.5
