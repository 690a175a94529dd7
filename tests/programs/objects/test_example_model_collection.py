"""examples/model_collection, a repository with a folder for each robot, gated by pytest."""

import shutil
import sys
from importlib.metadata import entry_points

import pytest

from processes import captured

PLUGIN = "inertial_check.programs.pytest_plugin"


@pytest.fixture
def collection(project_root, tmp_path):
    copy = tmp_path / "collection"
    shutil.copytree(project_root / "examples" / "model_collection", copy)
    return copy


def run_pytest(folder):
    installed = any(each.value == PLUGIN for each in entry_points(group="pytest11"))
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider"]
    command += [] if installed else ["-p", PLUGIN]
    return captured(command, cwd=folder)


def test_every_body_of_every_scene_is_a_test(collection):
    done = run_pytest(collection)
    assert "7 passed" in done.stdout, done.stdout
    assert "PASSED two_link_arm/scene.xml::forearm" in done.stdout


def test_a_broken_body_fails_its_own_test_and_the_command(collection):
    robot = collection / "gripper" / "gripper.xml"
    text = robot.read_text()
    robot.write_text(text.replace("0.00044 0.00068 0.00096", "0.00044 0.00068 0.0096"))
    assert robot.read_text() != text
    done = run_pytest(collection)
    assert "1 failed, 6 passed" in done.stdout
    assert "FAILED gripper/scene.xml::palm" in done.stdout
    command = [sys.executable, "-m", "inertial_check", "check", "."]
    checked = captured(command, cwd=collection)
    assert checked.returncode == 1
    assert "IC701" in checked.stdout


@pytest.mark.parametrize("robot", ["two_link_arm", "gripper"])
def test_mujoco_compiles_every_scene(robot, collection):
    mujoco = pytest.importorskip("mujoco", reason="pip install 'inertial-check[mujoco]'")
    assert mujoco.MjModel.from_xml_path(str(collection / robot / "scene.xml")).nbody > 1
