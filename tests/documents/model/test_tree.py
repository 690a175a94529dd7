"""From models to trees: bases, joints, what has no tree and why."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.model import tree_of
from inertial_check.errors import UsageError
from inertial_check.mechanics import equations, jacobians
from random_trees import as_mjcf, as_urdf, random_tree

INERTIAL = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)


def link(name, inside=INERTIAL):
    return f'<link name="{name}">{inside}</link>'


def joint(parent, child, kind="revolute", inside=""):
    return (
        f'<joint name="{parent}_{child}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="{child}"/>{inside}</joint>'
    )


def urdf(*parts):
    return ic.load(f'<robot name="r">{"".join(parts)}</robot>'.encode())


def test_a_urdf_gives_the_tree_that_it_was_written_from():
    tree = random_tree(0, count=9, shuffled=True)
    read = tree_of(ic.load(as_urdf(tree).encode())).tree
    assert read.names == ("world", *tree.names)
    assert read.joints == ("fixed", *tree.joints)
    for name in ("X_PB", "theta"):
        ours = getattr(read, name)[1:]
        np.testing.assert_allclose(ours, getattr(tree, name), atol=1e-14, err_msg=name)
    moved = [joint != "fixed" for joint in tree.joints]
    np.testing.assert_allclose(read.axes_B[1:][moved], tree.axes_B[moved], atol=1e-15)


def test_an_mjcf_gives_the_tree_with_its_anchors():
    tree = random_tree(0, base="floating", count=7, anchored=True)
    read = tree_of(ic.load(as_mjcf(tree).encode())).tree
    assert sorted(read.names) == sorted(tree.names)
    for name in tree.names:
        ours, theirs = read.index(name), tree.index(name)
        assert read.joints[ours] == tree.joints[theirs]
        if tree.joints[theirs] == "revolute":
            np.testing.assert_allclose(read.points_B[ours], tree.points_B[theirs], atol=1e-15)


def test_a_root_is_fixed_or_free_as_asked_and_the_world_never_free():
    robot = urdf(link("base"), link("arm"), joint("base", "arm", "continuous"))
    assert tree_of(robot).tree.joints == ("fixed", "revolute")
    assert tree_of(robot, "floating").tree.joints == ("floating", "revolute")
    held = urdf(link("world", ""), link("arm"), joint("world", "arm"))
    assert tree_of(held, "floating").tree.joints == ("fixed", "revolute")
    with pytest.raises(UsageError, match="base is 'flying', expected fixed or floating"):
        tree_of(robot, "flying")


def test_a_floating_joint_ties_to_the_world_only():
    free = urdf(link("world", ""), link("drone"), joint("world", "drone", "floating"))
    read = tree_of(free).tree
    assert read.joints == ("fixed", "floating")
    assert read.parents.tolist() == [-1, -1]
    other = urdf(link("base"), link("drone"), joint("base", "drone", "floating"))
    with pytest.raises(UsageError, match="drone: it floats on base, expected on a root called"):
        tree_of(other)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((link("a"), link("b")), r"2 roots \(a, b\), expected one"),
        ((link("a"), link("b"), joint("a", "b", "planar")), "b: its joint is of type 'planar'"),
        (
            (link("a"), link("b"), joint("a", "b", inside='<axis xyz="0 0 0"/>')),
            "b: the axis of its joint cannot be read",
        ),
        (
            (link("a"), link("b"), joint("a", "b", inside='<origin xyz="x"/>')),
            "b: where it stands in its parent cannot be read",
        ),
        (
            (link("r"), link("a"), link("b"), joint("a", "b"), joint("b", "a")),
            "a closed loop and no tree: a -> b -> a",
        ),
        ((link("a", "<inertial/>"),), "a: its mass, centre of mass or inertia is missing"),
        ((), "no bodies, so no tree"),
    ],
)
def test_why_there_is_no_tree(parts, words):
    with pytest.raises(UsageError, match=words):
        tree_of(urdf(*parts))


def test_several_joints_of_a_body_and_geometry_in_place_of_inertia_are_refused():
    two = "<body name='b'><joint/><joint axis='1 0 0'/>{}</body>"
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'

    def of(bodies):
        return ic.load(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>".encode())

    with pytest.raises(UsageError, match="b: it has 2 joints"):
        tree_of(of(two.format(inertial)))
    geom = "<body name='b'><joint/><geom size='1'/></body>"
    with pytest.raises(UsageError, match="b: it takes its inertia from its geometry"):
        tree_of(of(geom))


def test_bodies_without_inertia_are_frames_and_said():
    read = tree_of(urdf(link("base"), link("tip", ""), joint("base", "tip", "fixed")))
    assert not read.tree.theta[1].any()
    assert read.notes == ("no inertia, so a frame without mass: tip",)


def test_coordinates_count_from_where_the_document_places_the_bodies():
    robot = urdf(
        link("base"), link("arm"), joint("base", "arm", inside='<origin xyz="1 2 3" rpy="0 0 1"/>')
    )
    tree = tree_of(robot).tree
    np.testing.assert_allclose(jacobians.poses(tree, [0.0])[1, :3, 3], [1, 2, 3])


def moving(name, child, kind="revolute", inside="", parent="base"):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{inside}</joint>"
    )


LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'


def test_what_the_document_says_of_the_velocities_stands_in_their_order():
    read = tree_of(
        urdf(
            *(link(name) for name in ("base", "c", "b", "a", "tip")),
            moving("first", "a", inside=f'{LIMIT}<dynamics damping="0.1" friction="0.2"/>'),
            moving("second", "b", "continuous"),
            moving("third", "c", "prismatic", '<limit lower="x" upper="inf"/>'),
            moving("weld", "tip", "fixed", parent="a"),
        )
    )
    joints = read.joints
    assert joints.names == ("third", "second", "first")
    np.testing.assert_array_equal(joints.lower, [np.nan, -np.inf, -1])
    np.testing.assert_array_equal(joints.upper, [np.inf, np.inf, 2])
    np.testing.assert_array_equal(joints.velocity, [np.nan, np.nan, 3])
    np.testing.assert_array_equal(joints.acceleration, [np.nan] * 3)
    np.testing.assert_array_equal(joints.effort, [np.nan, np.nan, 4])
    np.testing.assert_array_equal(joints.damping, [np.nan, np.nan, 0.1])
    np.testing.assert_array_equal(joints.friction, [np.nan, np.nan, 0.2])
    np.testing.assert_array_equal(joints.armature, [np.nan] * 3)
    assert joints.mimics == (None, None, None)
    assert read.tree.n_u == 3


def test_names_of_joints():
    names = tree_of(urdf(link("base"), link("a"), moving("j", "a")), "floating").joints.names
    assert " ".join(names) == "base.vx base.vy base.vz base.wx base.wy base.wz j"
    body = '<body name="b"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    read = tree_of(ic.load(f"<mujoco><worldbody>{body}</worldbody></mujoco>".encode()))
    assert read.joints.names == ("b",)


FINGERS = (
    *(link(name) for name in ("base", "left", "right")),
    moving("left_joint", "left", "prismatic", LIMIT),
    moving("right_joint", "right", "prismatic", f'{LIMIT}<mimic joint="left_joint"/>'),
)


def test_what_follows_another_joint_is_said():
    read = tree_of(urdf(*FINGERS))
    assert read.joints.mimics[1].joint == "left_joint"
    assert read.notes == (
        "follows another joint, but moves by itself here: right_joint (left_joint)",
    )


def test_joints_that_are_locked_are_fixed():
    read = tree_of(urdf(*FINGERS), locked={"right_joint": 0.0})
    assert read.tree.joints == ("fixed", "prismatic", "fixed")
    assert read.joints.names == ("left_joint",)
    assert read.notes == ()


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ({"x": 0.0}, "no joint that moves is called 'x'; there are j, k, planar$"),
        ({"weld": 0.0}, "no joint that moves is called 'weld'"),
        ({"k": 0.0}, "2 joints are called 'k'"),
        ({"planar": 0.5}, "d: its joint cannot be locked at 0.5, only at 0: no tree"),
        ({"j": np.nan}, "a: its joint is to be locked at nan, expected a number: no tree"),
    ],
)
def test_what_cannot_be_locked(position, words):
    robot = urdf(
        *(link(name) for name in ("base", "a", "b", "c", "d", "e")),
        *(moving("j", "a"), moving("k", "b"), moving("k", "c")),
        *(moving("planar", "d", "planar"), moving("weld", "e", "fixed")),
    )
    with pytest.raises(UsageError, match=words):
        tree_of(robot, locked=position)


def test_a_joint_that_no_tree_has_can_be_locked_where_it_is():
    planar = urdf(link("base"), link("a"), moving("j", "a", "planar"))
    assert tree_of(planar, locked={"j": 0.0}).tree.joints == ("fixed", "fixed")


@pytest.mark.parametrize("anchored", [False, True])
def test_locked_joints_stand_where_their_position_puts_them(anchored):
    tree = random_tree(3, count=8, anchored=anchored)
    model = ic.load((as_mjcf if anchored else as_urdf)(tree).encode())
    free = tree_of(model)
    q = np.random.default_rng(0).uniform(-1, 1, free.tree.n_q)
    names, some = free.joints.names, slice(0, None, 2)
    locked = tree_of(model, locked=dict(zip(names[some], q[some].tolist(), strict=True)))
    rest = [at for at, name in enumerate(names) if name not in names[some]]
    assert locked.joints.names == tuple(names[at] for at in rest)
    np.testing.assert_allclose(
        jacobians.poses(locked.tree, q[rest]), jacobians.poses(free.tree, q), atol=1e-13
    )
    np.testing.assert_allclose(
        equations.mass_matrix(locked.tree, q[rest]),
        equations.mass_matrix(free.tree, q)[np.ix_(rest, rest)],
        rtol=1e-12,
    )
