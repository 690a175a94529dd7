"""What a change of mass properties does to the equations of motion."""

import json
import re
import sys

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.fixing.impact import impact_of_difference, impact_of_fix, measure_impact
from inertial_check.mechanics.tree import Tree
from processes import captured
from random_trees import as_mjcf, as_urdf, random_tree

ARM = """<robot name="r"><link name="world"/>
<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="1" iyz="0" izz="{izz}"/></inertial></link>
<joint name="j" type="revolute"><parent link="world"/><child link="arm"/>
<axis xyz="0 0 1"/></joint></robot>"""


def test_the_change_of_one_hinge_is_that_of_its_moment():
    """M = izz + m c^2 = izz + 0.5, everywhere; gravity stays."""
    before, after = (ic.load(ARM.format(ixx=1, izz=izz).encode()) for izz in (1.0, 1.5))
    found = impact_of_difference(before, ic.diff_models(before, after))
    assert found.inertia.worst == pytest.approx(0.5 / 2.0)
    assert found.inertia.median == pytest.approx(0.5 / 2.0)
    assert found.gravity is None  # the axis is vertical
    assert not found.floating


def test_a_fix_changes_what_its_moment_about_the_axis_changes():
    robot = ic.load(ARM.format(ixx=2.02, izz=1).encode())
    fix = ic.fix_model(robot, method="nearest")
    assert [body.status for body in fix.bodies] == ["unchanged", "fixed"]
    found = impact_of_fix(robot, fix.bodies)
    old, new = fix.bodies[1].old, fix.bodies[1].new
    assert found.inertia.worst == pytest.approx(abs(new[5] - old[5]) / (new[5] + 0.5))


def test_a_fix_that_is_left_changes_nothing():
    robot = ic.load(ARM.format(ixx=9, izz=1).encode())
    fix = ic.fix_model(robot, method="nearest")
    assert fix.bodies[1].status == "needs-unsafe"
    found = impact_of_fix(robot, fix.bodies)
    assert "joint-space inertia unchanged" in found.text()


def test_inertias_alone_leave_gravity_as_it_is():
    tree = random_tree(0, base="floating", anchored=True)
    after = tree.theta.copy()
    after[:, [4, 7, 9]] *= 1.01
    found = measure_impact(tree, tree.theta, after)
    assert found.gravity.worst == 0
    assert 0 < found.inertia.median <= found.inertia.worst < 0.0101
    assert found.bias.worst > 0
    number = r"[\d.e-]+ %"
    words = f"gravity torques unchanged, velocity torques at most {number} \\(median {number}\\)"
    assert re.match(words, found.text())


def test_measures_depend_on_no_unit():
    tree = random_tree(0)
    after = tree.theta.copy()
    after[3] *= 1.05
    found = measure_impact(tree, tree.theta, after)
    X_PB = tree.X_PB.copy()
    X_PB[:, :3, 3] *= 1000
    unit = 1000.0 ** np.array([0, *[1] * 3, *[2] * 6]) / 7
    args = tree.names, tree.parents, tree.joints, X_PB, tree.axes_B
    scaled = measure_impact(Tree(*args, tree.theta), tree.theta * unit, after * unit)
    for name in ("inertia", "gravity", "bias"):
        np.testing.assert_allclose(getattr(scaled, name), getattr(found, name), rtol=1e-9)


def test_all_masses_by_one_factor_change_all_by_it():
    tree = random_tree(1, base="floating", anchored=True)
    found = measure_impact(tree, 1.25 * tree.theta, tree.theta)
    np.testing.assert_allclose(found.inertia, 0.25, rtol=1e-9)
    assert 0 < found.gravity.median < 0.5  # a quarter of the root mean square, here and there


def test_motions_without_inertia_are_left_out_and_said():
    tree = random_tree(1)
    theta = tree.theta.copy()
    theta[7] = 0.0
    found = measure_impact(tree, theta, theta)
    assert found.inertia.worst == 0
    leaf = 7 not in tree.parents and tree.joints[7] != "fixed"
    assert bool(found.notes) == leaf


def test_why_nothing_can_be_said():
    robot = ic.load(b'<robot name="r"><link name="world"/></robot>')
    found = impact_of_fix(robot, ())
    assert found.text() == ("impact unknown: nothing moves: the tree has no joint that does")
    tree = random_tree(1)
    assert "no kinetic energy" in measure_impact(tree, tree.theta, -tree.theta).reason


def test_the_same_robot_in_two_formats():
    tree = random_tree(0, base="floating", kinds=("revolute", "prismatic"))
    a, b = ic.load(as_urdf(tree).encode()), ic.load(as_mjcf(tree).encode())
    found = impact_of_difference(a, ic.diff_models(a, b))
    assert found.floating
    assert found.inertia.worst < 1e-12
    assert "unchanged" in found.text()


@pytest.mark.parametrize("command", ["fix", "diff"])
def test_the_option(command, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(ixx=2.02, izz=1))
    paths = [path] if command == "fix" else [path, path]
    program = [sys.executable, "-m", "inertial_check", command, *map(str, paths)]
    said = captured([*program, "--impact"])
    assert "joint-space inertia " in said.stderr
    said = captured([*program, "--impact", "--output-format", "json"])
    document = json.loads(said.stdout)
    holder = document["files"][0] if command == "fix" else document
    assert holder["impact"]["configurations"] == 256
    assert holder["impact"]["reason"] is None
