"""How bodies hang together, in every format: parents, poses at zero and axes of joints."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from inertial_check.documents.load import load
from inertial_check.documents.model import Pose
from inertial_check.documents.poses import SAME_FRAME, from_rpy, inverse, is_finite, product, unit

angles = st.floats(-7, 7)
positions = st.tuples(*[st.floats(-1e3, 1e3)] * 3)
poses = st.builds(lambda p, rpy: Pose(p, from_rpy(*rpy)), positions, st.tuples(*[angles] * 3))


def matrix(pose):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = pose.R_PB, pose.p_PoBo_P
    return X


@given(poses, poses)
def test_poses_multiply_and_invert_as_matrices(X_AB, X_BC):
    np.testing.assert_allclose(matrix(product(X_AB, X_BC)), matrix(X_AB) @ matrix(X_BC), atol=1e-11)
    np.testing.assert_allclose(matrix(inverse(X_AB)), np.linalg.inv(matrix(X_AB)), atol=1e-11)
    assert product(SAME_FRAME, X_AB) is X_AB
    assert is_finite(X_AB)
    assert not is_finite(X_AB._replace(p_PoBo_P=(0.0, math.nan, 0.0)))


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1.0, 1e300, 1.7e308])
def test_directions_of_vectors_of_any_length(size):
    np.testing.assert_allclose(unit((0.0, -size, 0.0)), (0, -1, 0))
    np.testing.assert_allclose(unit((size, size, size)), np.full(3, 3**-0.5), rtol=1e-15)


@pytest.mark.parametrize("vector", [(0.0, 0.0, 0.0), (0.0, math.nan, 1.0), (math.inf, 0.0, 0.0)])
def test_what_has_no_direction(vector):
    assert unit(vector) is None


class TestUrdf:
    def child(self, inside, kind="revolute", attributes=""):
        text = (
            f'<robot name="r"{attributes}><link name="a"/><link name="b"/><joint name="j" '
            f'type="{kind}"><parent link="a"/><child link="b"/>{inside}</joint></robot>'
        )
        root, child = load(text.encode()).bodies
        assert (root.parent, root.X_PB, root.axis_B) == (None, None, None)
        assert child.parent == root.id
        return child

    @pytest.mark.parametrize("kind", ["fixed", "revolute", "prismatic", "floating", "planar", "x"])
    def test_the_pose_at_zero_is_the_origin_of_any_joint(self, kind):
        body = self.child('<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>', kind)
        assert body.X_PB.p_PoBo_P == (1, 2, 3)
        expected = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
        np.testing.assert_allclose(body.X_PB.R_PB, expected, atol=1e-15)
        assert self.child("", kind).X_PB == SAME_FRAME

    @pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "planar"])
    def test_the_axis_is_given_in_the_childs_frame(self, kind):
        body = self.child('<origin rpy="1 2 3"/><axis xyz="0 -3 4"/>', kind)
        assert body.axis_B == (0, -0.6, 0.8)

    def test_the_axis_of_a_joint_that_does_not_say_is_x(self):
        assert self.child("").axis_B == (1, 0, 0)
        assert self.child("<axis/>").axis_B == (1, 0, 0)

    @pytest.mark.parametrize("kind", ["fixed", "floating"])
    def test_a_joint_without_axis_has_none_even_where_one_is_written(self, kind):
        assert self.child('<axis xyz="0 0 1"/>', kind).axis_B is None

    @pytest.mark.parametrize("xyz", ["0 0 0", "1 0", "1 0 0 0", "1 0 x", "nan 0 0", ""])
    def test_what_is_no_axis_is_none_and_no_problem(self, xyz):
        body = self.child(f'<axis xyz="{xyz}"/>')
        assert (body.axis_B, body.problems) == (None, ())

    @pytest.mark.parametrize("origin", ['xyz="1 2"', 'xyz="1 2 inf"', 'rpy="x 0 0"', 'xyz=""'])
    def test_a_place_that_cannot_be_read_is_unknown(self, origin):
        assert self.child(f"<origin {origin}/>").X_PB is None

    def test_quaternions_are_those_of_version_1_1(self):
        origin = '<origin quat_xyzw="0 0 3 3"/>'
        assert self.child(origin).X_PB == SAME_FRAME
        turned = self.child(origin, attributes=' version="1.1"').X_PB.R_PB
        np.testing.assert_allclose(turned, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
        both = '<origin rpy="0 0 0" quat_xyzw="0 0 3 3"/>'
        assert self.child(both, attributes=' version="1.1"').X_PB is None


class TestSdf:
    """Drake's cross-checks hold the same for whole graphs."""

    LINKS = (
        '<link name="a"><pose>0 0 0 0 0 1</pose></link>'
        '<link name="b"><pose>1 0 0 1 0 0</pose></link>'
    )

    def body(self, axis, kind="revolute", pose="", version="1.9", ends=("a", "b")):
        parent, child = ends
        text = (
            f'<sdf version="{version}"><model name="m"><pose>7 8 9 0.3 0.4 0.5</pose>{self.LINKS}'
            f'<joint name="j" type="{kind}">{pose}<parent>{parent}</parent>'
            f"<child>{child}</child>{axis}</joint></model></sdf>"
        )
        return load(text.encode()).bodies[1]

    @staticmethod
    def turned(*turns):
        """The y axis of a frame that is turned against link b."""
        total = Rotation.from_euler("x", -1)
        for axis, angle in turns:
            total = total * Rotation.from_euler(axis, angle)
        return total.apply([0, 1, 0])

    @pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "screw"])
    def test_in_the_frame_of_the_joint_which_is_that_of_the_child(self, kind):
        assert self.body("<axis><xyz>0 2 0</xyz></axis>", kind).axis_B == (0, 1, 0)

    def test_in_the_frame_of_a_joint_with_a_pose(self):
        body = self.body("<axis><xyz>0 1 0</xyz></axis>", pose="<pose>9 9 9 0 0 1</pose>")
        np.testing.assert_allclose(body.axis_B, [-math.sin(1), math.cos(1), 0], atol=1e-15)
        assert body.p_BoJo_B == (9, 9, 9)

    def test_in_the_frame_that_it_names(self):
        body = self.body('<axis><xyz expressed_in="__model__">0 1 0</xyz></axis>')
        np.testing.assert_allclose(body.axis_B, self.turned(), atol=1e-15)
        body = self.body('<axis><xyz expressed_in="a">0 1 0</xyz></axis>')
        np.testing.assert_allclose(body.axis_B, self.turned(("z", 1)), atol=1e-15)
        assert self.body('<axis><xyz expressed_in="nothing">0 1 0</xyz></axis>').axis_B is None

    @pytest.mark.parametrize(
        ("version", "flag", "in_model"),
        [
            ("1.4", "", True),
            ("1.4", "0", False),
            ("1.5", "", False),
            ("1.6", "1", True),
            ("1.6", "false", False),
            ("1.7", "1", False),
        ],
    )
    def test_in_the_frame_of_the_model_as_old_versions_have_it(self, version, flag, in_model):
        """As Drake, which is libsdformat, reads each of these."""
        written = flag and f"<use_parent_model_frame>{flag}</use_parent_model_frame>"
        body = self.body(f"<axis><xyz>0 1 0</xyz>{written}</axis>", version=version)
        expected = self.turned() if in_model else [0, 1, 0]
        np.testing.assert_allclose(body.axis_B, expected, atol=1e-15)

    def test_the_axis_of_a_joint_that_does_not_say_is_z(self):
        for axis in ("", "<axis/>", "<axis><xyz/></axis>"):
            assert self.body(axis).axis_B == (0, 0, 1)

    @pytest.mark.parametrize("kind", ["fixed", "ball", "universal", "revolute2", "x"])
    def test_joints_without_one_axis(self, kind):
        assert self.body("<axis><xyz>0 1 0</xyz></axis>", kind).axis_B is None

    @pytest.mark.parametrize("xyz", ["0 0 0", "0 1", "0 1 x", "0 inf 0"])
    def test_what_is_no_axis_is_none_and_no_problem(self, xyz):
        body = self.body(f"<axis><xyz>{xyz}</xyz></axis>")
        assert (body.axis_B, body.problems) == (None, ())

    def test_a_joint_that_carries_the_world_turns_the_other_way(self):
        body = self.body("<axis><xyz>0 1 0</xyz></axis>", ends=("b", "world"))
        assert (body.joint, body.parent, body.X_PB) == ("revolute", None, None)
        # The joint's frame is the world's; the model stands turned in it, and b in the model.
        R_MW = Rotation.from_euler("xyz", [0.3, 0.4, 0.5]).inv()
        expected = -(Rotation.from_euler("x", -1) * R_MW).apply([0, 1, 0])
        np.testing.assert_allclose(body.axis_B, expected, atol=1e-15)
        body = self.body("<axis><xyz>0 1 0</xyz></axis>", ends=("world", "b"))
        assert (body.parent, body.X_PB, body.axis_B) == (None, None, (0, 1, 0))


class TestMjcf:
    """The cross-checks hold the same for compiled models."""

    def child(self, joints, default=""):
        text = (
            f"<mujoco><default>{default}</default><worldbody><body>"
            f'<body pos="1 2 3">{joints}</body></body></worldbody></mujoco>'
        )
        return load(text.encode()).bodies[1]

    def test_directions_points_and_defaults(self):
        assert self.child("<joint/>").axis_B == (0, 0, 1)
        assert self.child('<joint axis="0 -3 4"/>').axis_B == (0, -0.6, 0.8)
        assert self.child('<joint type="slide" axis="2 0 0"/>').axis_B == (1, 0, 0)
        turned = self.child('<frame euler="0 0 90"><joint axis="1 0 0"/></frame>').axis_B
        np.testing.assert_allclose(turned, [0, 1, 0], atol=1e-15)
        assert self.child("<joint/>").p_BoJo_B == (0, 0, 0)
        assert self.child('<joint pos="1 2 3"/>').p_BoJo_B == (1, 2, 3)
        moved = self.child('<frame pos="0 0 1" euler="0 0 90"><joint pos="1 0 0"/></frame>')
        np.testing.assert_allclose(moved.p_BoJo_B, [0, 1, 1], atol=1e-15)
        assert self.child('<joint pos="1 2 3"/><joint/>').p_BoJo_B is None
        assert self.child("<joint/>", '<joint axis="0 1 0" pos="1 2 3"/>').p_BoJo_B == (1, 2, 3)
        assert self.child("<joint/>", '<joint axis="0 1 0"/>').axis_B == (0, 1, 0)
        assert self.child("<joint/>", '<joint type="ball" axis="0 1 0"/>').axis_B is None

    @pytest.mark.parametrize(
        "joints",
        [
            "",
            "<freejoint/>",
            '<joint type="free"/>',
            '<joint type="ball"/>',
            '<joint axis="1 0 0"/><joint axis="1 0 0"/>',
            '<joint axis="1 0 0"/><joint axis="0 1 0"/><joint/>',
            '<joint axis="0 0 0"/>',
            '<joint axis="1 x 0"/>',
        ],
    )
    def test_none_or_more_than_one(self, joints):
        body = self.child(joints)
        assert body.axis_B is None
        assert body.X_PB.p_PoBo_P == (1, 2, 3)
