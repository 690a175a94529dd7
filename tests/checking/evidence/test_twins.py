"""Twins: their names, the plane in which a model is mirrored, and who stands in it."""

from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from inertial_check.checking.evidence.assembly import Assembly
from inertial_check.checking.evidence.twins import mirror_names, world_poses
from inertial_check.documents.load import load
from inertial_check.documents.model import judge
from mirrored import mirror, random_rotation, random_side, robot_of, text_of

SEEDS = st.integers(0, 2**32 - 1)
LENGTHS = st.sampled_from([1e-2, 0.3, 20.0])


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


def test_poses_follow_the_joints():
    """A product in the wrong order would turn the second joint's offset by its own angle."""
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>'
        '<joint name="ab" type="revolute"><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>'
        '<parent link="a"/><child link="b"/></joint><joint name="bc" type="fixed">'
        '<origin xyz="0 2 0" rpy="1.5707963267948966 0 0"/><parent link="b"/><child link="c"/>'
        "</joint></robot>"
    )
    X_WB, roots = world_poses(load(text.encode()))
    assert roots.tolist() == [0, 0, 0, 3]
    assert X_WB[2, :3, 3] == pytest.approx([-1, 0, 0])
    assert X_WB[2, :3, :3] @ [0, 0, 1] == pytest.approx([1, 0, 0])


@settings(max_examples=25, deadline=None)
@given(SEEDS, LENGTHS)
def test_the_plane_is_found_in_any_direction_and_size(seed, length):
    """Frames differ between the sides, so that no exchange of their axes brings them together."""
    rng = np.random.default_rng(seed)
    normal, offset = random_rotation(rng)[:, 0], length * float(rng.uniform(-2, 2))
    pairs = assembly(text_of(*robot_of(rng, 4, length, normal, offset))).twin_pairs
    assert np.max(pairs.offsets) < 1e-6
    assert pairs.aligned.all()
    sign = np.sign(normal[np.argmax(np.abs(normal))])
    assert pairs.planes[:, :3] == pytest.approx(np.tile(sign * normal, (4, 1)), abs=1e-6)
    assert pairs.planes[:, 3] == pytest.approx(np.full(4, sign * offset), abs=1e-6 * length)


@settings(max_examples=25, deadline=None)
@given(SEEDS, LENGTHS, st.sampled_from(["products", "center", "both"]))
def test_one_pair_that_is_not_mirrored_stands_out(seed, length, what):
    rng = np.random.default_rng(seed)
    normal = random_rotation(rng)[:, 0]
    sides = robot_of(rng, 4, length, normal, 0.1 * length)
    odd = sides[3]
    if what != "center":
        odd = odd._replace(inertia=np.diag(np.diag(odd.inertia)[[1, 2, 0]]))
    if what != "products":
        odd = odd._replace(com=odd.com + 0.5 * length)
    sides[3] = odd
    pairs = assembly(text_of(*sides)).twin_pairs
    worst = np.max(pairs.offsets, axis=1)
    assert pairs.aligned.all()
    assert worst[1] > 10 * max(np.max(np.delete(worst, 1)), 1e-3)


def test_two_pairs_are_too_few_to_show_a_plane():
    rng = np.random.default_rng(1)
    pairs = assembly(text_of(*robot_of(rng, 2, 1.0, [0, 1, 0], 0.0))).twin_pairs
    assert not pairs.known.any()
    assert not pairs.aligned.any()


def test_two_of_three_pairs_are_enough_where_all_joints_are_mirrored():
    """Bipeds have three links a leg; the third may be the one that is wrong."""
    rng = np.random.default_rng(2)
    sides = robot_of(rng, 3, 1.0, [0, 1, 0], 0.0)
    sides[1] = sides[1]._replace(com=sides[1].com + 1.0)
    pairs = assembly(text_of(*sides)).twin_pairs
    assert pairs.aligned.all()
    assert np.argmax(np.max(pairs.offsets, axis=1)) == 0
    assert np.max(pairs.offsets[0]) > 0.5


def test_an_arm_in_another_pose_is_not_aligned():
    """A zero pose with one elbow bent says nothing about the inertia of the forearm."""
    rng = np.random.default_rng(3)
    sides = robot_of(rng, 5, 1.0, [0, 1, 0], 0.0)
    sides[1] = sides[1]._replace(p=sides[1].p + 3.0, R=random_rotation(rng))
    pairs = assembly(text_of(*sides)).twin_pairs
    assert pairs.aligned.tolist() == [False, True, True, True, True]


def test_what_a_body_carries_shows_how_it_is_turned():
    """A joint turned about its own axis is mirrored itself; the next one is not."""
    rng = np.random.default_rng(4)
    sides = robot_of(rng, 5, 1.0, [0, 1, 0], 0.0)
    hand = random_side(rng, "left_hand", 1.0)._replace(parent="left_0")
    other = hand._replace(name="right_hand", parent="right_0")
    pairs = assembly(text_of(*sides, hand, other)).twin_pairs
    assert pairs.aligned.tolist() == [False, True, True, True, True, False]


def test_one_arm_mounted_twice_is_known_by_its_joints():
    """Copies agree in their own axes, whatever the pose of the shoulders."""
    rng = np.random.default_rng(5)
    sides = []
    for side in ("left", "right"):
        arm = [random_side(np.random.default_rng(k), f"{side}_{k}", 1.0) for k in range(5)]
        arm = [arm[0], *(b._replace(parent=a.name) for a, b in pairwise(arm))]
        arm[0] = arm[0]._replace(p=rng.uniform(-1, 1, 3), R=random_rotation(rng))
        sides += arm
    pairs = assembly(text_of(*sides)).twin_pairs
    assert np.max(pairs.offsets) < 1e-9
    assert np.isnan(pairs.planes).all()
    assert pairs.aligned.all()
    sides[2] = sides[2]._replace(com=-sides[2].com)
    pairs = assembly(text_of(*sides)).twin_pairs
    assert np.argmax(np.max(pairs.offsets, axis=1)) == 2


def test_numbers_of_the_other_side_come_in_the_bodys_own_frame():
    rng = np.random.default_rng(6)
    sides = robot_of(rng, 4, 1.0, [0.6, 0.8, 0.0], 0.3)
    found = assembly(text_of(*sides))
    for index, twin in ((3, 4), (4, 3)):
        X_BT = found.twin_map(index)
        center = X_BT[:3, :3] @ found.p_BoBcm_B[twin] + X_BT[:3, 3]
        assert center == pytest.approx(found.p_BoBcm_B[index])
    moved = np.array([sides[2].com, sides[2].com + 0.1])
    off = found.apart(np.array([3, 3]), moved, np.repeat(found.C_BBcm_B[3][None], 2, axis=0))
    assert off[0] == pytest.approx(0, abs=1e-6)
    assert off[1] > 0.1


def test_a_part_that_is_mounted_twice_by_a_half_turn():
    one = random_side(np.random.default_rng(7), "left_a", 1.0)
    half = np.diag([-1.0, -1.0, 1.0])
    other = one._replace(name="right_a", com=half @ one.com, inertia=half @ one.inertia @ half)
    assert assembly(text_of(one, other)).twin_pairs.turned.tolist() == [True]
    other = mirror(one, "right_a", [0, 1, 0], 0.0, one.R)
    assert assembly(text_of(one, other)).twin_pairs.turned.tolist() == [False]


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
