"""examples/simulators and examples/robot_descriptions, run as a reader runs them."""

import importlib.util
import os
import re
import shutil
import sys

import pytest

from processes import captured

ROBOT = "examples/ros2_arm_description/urdf/arm.urdf"
LOADED = {
    "drake": ("pydrake", "Drake simulates 3 bodies, 7.9 kg"),
    "mujoco": ("mujoco", "MuJoCo simulates 2 bodies, 3.9 kg"),
    "newton": ("newton", "Newton simulates 3 bodies, 7.9 kg"),
    "pinocchio": ("pinocchio", "Pinocchio computes with 2 bodies, 3.9 kg"),
}
"""Module that each script needs, and its last line; for two libraries the base is the world's."""
LIBRARIES = {engine: library for engine, (library, _) in LOADED.items()} | {"isaac_lab": "isaaclab"}
LONG_ROD = ('izz="0.00112"', 'izz="0.0224"')
"""An izz of the forearm 1.3 % above the sum of the others, which `fix` moves back."""
LOST_ZERO = ('iyy="0.01106"', 'iyy="0.1106"')


@pytest.fixture
def robot(project_root, tmp_path):
    """robot(old, new): the path of a copy of the arm in which one number is another."""

    def write(old, new):
        text = (project_root / ROBOT).read_text()
        assert text.count(old) == 1
        path = tmp_path / "robot.urdf"
        path.write_text(text.replace(old, new))
        return path

    return write


def run(script, *arguments, absent=None):
    """Run a script; `absent` is a folder before all others of the search path for modules."""
    paths = [str(absent)] * (absent is not None) + [os.environ.get("PYTHONPATH", "")]
    return captured(
        [sys.executable, str(script), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )


@pytest.mark.parametrize("engine", LOADED)
def test_a_robot_with_a_small_repair_is_repaired_and_loaded(engine, robot, project_root):
    library, printed = LOADED[engine]
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed here; the example says how to install it")
    path = robot(*LONG_ROD)
    done = run(project_root / f"examples/simulators/load_in_{engine}.py", path)
    assert (done.returncode, done.stdout.strip().splitlines()[-1]) == (0, printed), done.stderr
    assert 'izz="0.022' in path.with_name("robot.checked.urdf").read_text()


@pytest.mark.parametrize("engine", ["drake", "newton"])
def test_a_robot_that_needs_a_decision_is_not_loaded(engine, robot, project_root):
    done = run(project_root / f"examples/simulators/load_in_{engine}.py", robot(*LOST_ZERO))
    assert done.returncode == 1
    assert f"robot.urdf is not loaded into {engine}:" in done.stderr
    assert re.search(r"^\d+: IC301 \[forearm\] no body has", done.stderr, re.MULTILINE)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("engine", LIBRARIES)
def test_without_the_library_the_model_is_checked_all_the_same(
    engine, project_root, data_dir, tmp_path
):
    absent = tmp_path / "absent"
    absent.mkdir()
    library = LIBRARIES[engine]
    (absent / f"{library}.py").write_text("raise ImportError\n")
    path = project_root / ROBOT
    if engine == "isaac_lab":
        pytest.importorskip("pxr", reason="pip install 'inertial-check[usd]'")
        path = data_dir / "usd" / "finger.usda"
    done = run(project_root / f"examples/simulators/load_in_{engine}.py", path, absent=absent)
    assert done.returncode == 1
    assert done.stderr.startswith("checked, not loaded: "), done.stderr
    assert done.stderr.count("\n") == 1


def test_an_asset_with_an_impossible_body_never_starts_isaac_lab(project_root, data_dir):
    pytest.importorskip("pxr", reason="pip install 'inertial-check[usd]'")
    script = project_root / "examples/simulators/load_in_isaac_lab.py"
    done = run(script, data_dir / "usd" / "gripper.usda", "--headless")
    assert done.returncode == 1
    assert "is not loaded into physx:\n30: IC301 [right]" in done.stderr


def test_robot_descriptions_are_found_by_name_and_checked(project_root, data_dir, tmp_path):
    """The real package downloads with git; modules with its attributes stand in for two robots."""
    package = tmp_path / "absent" / "robot_descriptions"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for name, model in (("sound_description", "valid/arm.urdf"), ("arm_description", "arm.urdf")):
        shutil.copy(data_dir / model, package / f"{name}.urdf")
        path = package / f"{name}.urdf"
        (package / f"{name}.py").write_text(f"URDF_PATH = {str(path)!r}\n")
    (package / "offline_description.py").write_text("raise OSError('no network')\n")
    script = project_root / "examples/robot_descriptions/check_robot_descriptions.py"
    sound = run(script, "sound_description", absent=package.parent)
    assert (sound.returncode, sound.stderr) == (0, "")
    broken = run(script, "sound_description", "arm_description", absent=package.parent)
    assert broken.returncode == 1
    assert "arm_description: 38: IC301 [forearm]" in broken.stdout
    failed = run(script, "arm_description", "offline_description", absent=package.parent)
    assert failed.returncode == 2
    assert "offline_description: it could not be downloaded: no network" in failed.stdout
