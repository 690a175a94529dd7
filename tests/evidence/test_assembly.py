"""How bodies belong together: names, repetitions, skeleton."""

import numpy as np
import pytest

from inertial_check.evidence.assembly import Assembly, mirror_names
from inertial_check.formats import load
from inertial_check.model.judging import judge


def assembly(text):
    model = load(text.encode())
    return Assembly(model, judge(model))


def of_names(*names):
    links = "".join(f'<link name="{name}"/>' for name in names)
    return assembly(f'<robot name="r">{links}</robot>')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("left_arm", "right_arm"),
        ("arm_left_1_link", "arm_right_1_link"),
        ("l_foot", "r_foot"),
        ("finger_l", "finger_r"),
        ("FL_hip", "FR_hip"),
        ("RL_hip", "RR_hip"),
        ("LF_KFE", "RF_KFE"),
        ("LH_KFE", "RH_KFE"),
        ("lh_thigh", "rh_thigh"),
        ("leftArm", "rightArm"),
        ("LeftWristRollLink", "RightWristRollLink"),
        ("armL", "armR"),
        ("lleg", "rleg"),
        ("LARM_LINK1", "RARM_LINK1"),
        ("r2/left_index_base", "r2/right_index_base"),
        ("upperleft", "upperright"),
        ("bl_caster_rotation_link", "br_caster_rotation_link"),
    ],
)
def test_sides(one, other):
    assert of_names(one, "torso", other).twins == ((0, 2),)
    assert of_names(other, one).twins == ((0, 1),)


@pytest.mark.parametrize(
    "names",
    [
        ("upper_arm", "lower_arm"),
        ("front_wheel", "rear_wheel"),
        ("light", "right"),
        ("link_1", "link_2"),
        ("link_s", "link_l", "link_u", "link_r", "link_b", "link_t"),
        ("roll", "pitch"),
    ],
)
def test_no_sides(names):
    assert of_names(*names).twins == ()


def test_two_sides_in_a_name_change_together_if_they_can():
    names = ("left_gripper_l", "left_gripper_r", "right_gripper_l", "right_gripper_r")
    assert set(of_names(*names).twins) == {(0, 3), (1, 2)}
    assert of_names("left_gripper_l", "left_gripper_r").twins == ((0, 1),)


def test_rear_right_has_two_other_sides_of_which_one_is_there():
    assert of_names("RL_hip", "RR_hip").twins == ((0, 1),)
    assert of_names("LR_hip", "RR_hip").twins == ((0, 1),)
    assert set(mirror_names("RR_hip")) >= {"RL_hip", "LR_hip"}


INERTIAL = (
    '<inertial><origin xyz="0 0 {z}"/><mass value="{m}"/><inertia ixx="{i}" ixy="0" ixz="0" '
    'iyy="{i}" iyz="0" izz="{i}"/></inertial>'
)


def test_groups_and_total_mass():
    blocks = [(0, 1, 0.01), (0, 1, 0.01), (0.1, 1, 0.01), (0, 2, 0.01), (0, 3, 0.03)]
    links = "".join(
        f'<link name="{k}">{INERTIAL.format(z=z, m=m, i=i)}</link>'
        for k, (z, m, i) in enumerate(blocks)
    )
    found = assembly(f'<robot name="r">{links}<link name="frame"/></robot>')
    assert found.same_numbers == ((0, 1),)
    assert found.same_tensor == ((0, 1, 2, 3),)
    assert found.total_mass == 8
    assert found.stated.tolist() == [True] * 5 + [False]


def test_joints_and_skeleton():
    found = assembly(
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="ab" type="revolute"><origin xyz="0 3 4"/><parent link="a"/><child link="b"/>'
        '</joint><joint name="ac" type="fixed"><origin xyz="1 0 0"/><parent link="a"/>'
        '<child link="c"/></joint></robot>'
    )
    assert found.children == ((1, 2), (), ())
    assert found.skeleton == pytest.approx([5, 0, 0])
    assert found.scale == pytest.approx(5)
    assert [len(joints) for joints in found.joints] == [2, 1, 1]
    assert np.isnan(of_names("a", "b").scale)


@pytest.mark.parametrize("flip", [(1, -1, 1), (-1, -1, 1), (1, 1, 1)])
def test_twins_in_any_axes_are_twins(flip):
    one = (
        '<inertial><origin xyz="0.01 0.02 0.1"/><mass value="1"/><inertia ixx="0.004" '
        'ixy="0.0001" ixz="0.0003" iyy="0.0045" iyz="-0.0002" izz="0.001"/></inertial>'
    )
    x, y, z = flip
    other = (
        f'<inertial><origin xyz="{0.01 * x} {0.02 * y} {0.1 * z}"/><mass value="1"/><inertia '
        f'ixx="0.004" ixy="{0.0001 * x * y}" ixz="{0.0003 * x * z}" iyy="0.0045" '
        f'iyz="{-0.0002 * y * z}" izz="0.001"/></inertial>'
    )
    text = '<robot name="r"><link name="l">{}</link><link name="r">{}</link></robot>'
    pairs = assembly(text.format(one, other)).twin_pairs
    assert pairs.apart == pytest.approx([0], abs=1e-12)
    assert pairs.mass == pytest.approx([1])
    wrong = other.replace(f'ixz="{0.0003 * x * z}"', f'ixz="{-0.0003 * x * z}"')
    assert assembly(text.format(one, wrong)).twin_pairs.apart[0] > 0.1
