"""No file of the folder that is checked is executed."""

import os
import subprocess
import sys

import pytest

MODULES = (
    "numpy",
    "json",
    "argparse",
    "xacro",
    "yaml",
    "pxr",
    "trimesh",
    "scipy",
    "sitecustomize",
    "inertial_check_plugin",
)


@pytest.fixture
def folder(tmp_path, data_dir):
    """A model among modules with the names of those that the program imports."""
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text('import os\nos.write(1, b"PLANTED")\n')
    (tmp_path / "arm.urdf").write_bytes((data_dir / "arm.urdf").read_bytes())
    (tmp_path / "m.xacro").write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:property name="m" value="1"/><link name="a"/></robot>'
    )
    (tmp_path / "m.usda").write_text('#usda 1.0\ndef Xform "a" {}\n')
    return tmp_path


@pytest.mark.parametrize(
    ("start", "command"),
    [
        (["-m"], ["check", "."]),
        (["-m"], ["check", ".", "--jobs", "2"]),
        (["-m"], ["fix", "."]),
        (["-P", "-m"], ["check", ".", "--jobs", "2"]),
    ],
)
def test_modules_of_the_working_directory_are_not_imported(folder, start, command):
    path = os.pathsep.join(each for each in sys.path if each)
    done = subprocess.run(
        [sys.executable, *start, "inertial_check", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert "PLANTED" not in done.stdout + done.stderr


def test_git_runs_no_program_that_the_checkout_names(folder):
    """A folder that poses as a bare repository names a program that git would run."""
    marker = folder / "executed"
    poser = folder / "poser"
    (poser / "objects").mkdir(parents=True)
    (poser / "refs").mkdir()
    (poser / "HEAD").write_text("ref: refs/heads/main\n")
    (poser / "config").write_text(
        "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\n"
        f'fsmonitor = "touch {marker}; false"\n'
    )
    (poser / "arm.urdf").write_bytes((folder / "arm.urdf").read_bytes())
    done = subprocess.run(
        [sys.executable, "-P", "-m", "inertial_check", "check", ".", "--changed-since", "HEAD"],
        cwd=poser,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert not marker.exists()
