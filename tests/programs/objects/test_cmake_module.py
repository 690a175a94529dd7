"""docs/ci/InertialCheck.cmake: tests for CTest; those for ament are of the example of ROS 2."""

import shutil

import pytest

from processes import captured

pytestmark = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("ctest") is None, reason="install CMake"
)

PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(robots NONE)
list(APPEND CMAKE_MODULE_PATH "{modules}")
include(InertialCheck)
enable_testing()
{lines}
"""


@pytest.fixture
def build(robots, project_root, tmp_path, on_path):
    """build(lines): configures a project with these lines; ctest runs in the folder it returns."""

    def configure(lines):
        modules = (project_root / "docs" / "ci").as_posix()
        text = PROJECT.format(modules=modules, lines=lines)
        (robots.parent / "CMakeLists.txt").write_text(text)
        folder = tmp_path / "build"
        command = ["cmake", "-S", robots.parent, "-B", folder]
        done = captured(command)
        return folder, done

    return configure


def ctest(folder, *arguments):
    return captured(["ctest", "--output-on-failure", *arguments], cwd=folder)


def test_a_broken_model_fails_its_test_and_a_sound_one_passes(build):
    folder, done = build(
        "inertial_check_add_test(broken robots/broken.urdf)\n"
        "inertial_check_add_test(sound robots/sound.urdf)\n"
        "inertial_check_add_test(chosen robots ARGS --select=IC103 --geometry=off)\n"
    )
    assert done.returncode == 0, done.stderr
    failed = ctest(folder, "-R", "broken")
    assert failed.returncode != 0
    assert "robots/broken.urdf:38:51: error IC301" in failed.stdout
    passed = ctest(folder, "-R", "sound|chosen")
    assert "100% tests passed, 0 tests failed out of 2" in passed.stdout


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("inertial_check_add_test(nothing)", "name the files or folders to check"),
        (
            "set(INERTIAL_CHECK_PROGRAM INERTIAL_CHECK_PROGRAM-NOTFOUND)\n"
            "inertial_check_add_test(all robots)",
            "is not installed",
        ),
    ],
)
def test_what_cannot_be_a_test_stops_the_configuration(build, lines, words):
    _, done = build(lines)
    assert done.returncode != 0
    assert words in " ".join(done.stderr.split())
