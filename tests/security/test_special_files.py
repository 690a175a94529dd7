"""Devices, pipes, endless and huge files in the place of documents cost no time or memory."""

import json
import os
import resource
import subprocess
import sys

import pytest

from inertial_check.running.cache import Fingerprints

MEMORY = 1 << 30
"""Address space of the checking process [bytes]; NumPy alone takes about a third."""

TENSOR = '<inertia ixx="0.013" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.017"/>'
INERTIAL = f'<inertial><mass value="1"/>{TENSOR}</inertial>'
SOUND = f'<robot name="r"><link name="a">{INERTIAL}</link></robot>'
DOCUMENTS = ("m.urdf", "m.sdf", "m.usda")
SETTINGS = (".gitignore", "pyproject.toml", "package.xml")


def check(folder, *arguments):
    """Run the command in a folder with little memory, and give its exit code and report."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "inertial_check", "check", ".", "--no-cache", "--jobs", "1",
         "--output-format", "json", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


@pytest.fixture
def folder(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "sound.urdf").write_text(SOUND)
    return tmp_path


def is_reported(found, path="./sound.urdf"):
    return any(file["path"] == path and file["bodies"] for file in found["files"])


@pytest.mark.parametrize("target", ["/dev/zero", "fifo", "self"])
@pytest.mark.parametrize("names", [DOCUMENTS, SETTINGS, ("inertial-check.toml",)], ids=str)
def test_what_is_no_regular_file_is_not_opened(names, target, folder):
    for name in names:
        if target == "fifo":
            os.mkfifo(folder / name)
        else:
            (folder / name).symlink_to(name if target == "self" else target)
    code, found, said = check(folder)
    assert code in (0, 1, 2)
    if "inertial-check.toml" not in names:  # a configuration that cannot be read ends the run
        assert is_reported(found), said


def test_huge_documents_are_refused_by_their_size(folder):
    for name in ("m.urdf", "m.sdf", "m.xml", "m.usda"):
        (folder / name).write_text("<robot>")
        os.truncate(folder / name, 3 << 30)  # sparse: takes no room on the disk
    code, found, _ = check(folder)
    assert code == 1
    assert is_reported(found)
    for name in ("m.urdf", "m.sdf"):  # an .xml that begins like no MJCF is no robot model
        (file,) = (each for each in found["files"] if each["path"] == f"./{name}")
        assert any("--max-file-size" in each["message"] for each in file["findings"])


@pytest.mark.parametrize("name", [".gitignore", "pyproject.toml"])
def test_a_huge_setting_is_refused_by_its_size(name, folder):
    (folder / name).write_text("# ")
    os.truncate(folder / name, 3 << 30)
    _, found, _ = check(folder)
    assert is_reported(found)


def test_a_huge_configuration_names_no_option_that_would_not_help(folder):
    (folder / "inertial-check.toml").write_text("# ")
    os.truncate(folder / "inertial-check.toml", 3 << 30)
    code, _, said = check(folder)
    assert code == 2
    assert "too large" in said
    assert "--max-file-size" not in said


def test_the_cache_reads_no_huge_file_for_its_digest(tmp_path):
    """A sparse file of four terabytes would be read for hours."""
    huge = tmp_path / "m.stl"
    huge.touch()
    os.truncate(huge, 1 << 42)
    assert Fingerprints().of(str(huge)).startswith("special")


@pytest.mark.parametrize("target", ["/dev/zero", "fifo"])
def test_a_baseline_is_a_regular_file(target, folder):
    if target == "fifo":
        os.mkfifo(folder / "known.json")
    else:
        (folder / "known.json").symlink_to(target)
    code, _, said = check(folder, "--baseline", "known.json")
    assert code == 2
    assert "known.json" in said


@pytest.mark.parametrize("target", ["/dev/zero", "fifo"])
def test_a_mesh_is_a_regular_file(target, folder):
    for kind in ("stl", "obj", "dae", "ply"):
        mesh = folder / f"m.{kind}"
        if target == "fifo":
            os.mkfifo(mesh)
        else:
            mesh.symlink_to(target)
        visual = f'<visual><geometry><mesh filename="m.{kind}"/></geometry></visual></link>'
        (folder / f"{kind}.urdf").write_text(SOUND.replace("</link>", visual))
    _, found, _ = check(folder)
    assert all(is_reported(found, f"./{kind}.urdf") for kind in ("stl", "obj", "dae", "ply"))


@pytest.mark.parametrize(
    "text",
    [f"{'a.' * 99_999}a = 1", f"x = {'[' * 100_000}", f"x = {'9' * 5_000}", "x = 1e999999"],
    ids=["dots", "nesting", "digits", "exponent"],
)
@pytest.mark.parametrize("name", ["inertial-check.toml", "pyproject.toml"])
def test_absurd_settings_are_one_error(name, text, folder):
    (folder / name).write_text(f"# inertial-check\n{text}\n")
    code, _, said = check(folder)
    assert code in (0, 2)
    assert "internal" not in said
