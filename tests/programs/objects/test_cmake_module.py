"""docs/ci/InertialCheck.cmake: tests for CTest, and the call that ament gets."""

import shutil
import subprocess

import pytest

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
AMENT = """
set(AMENT_TEST_RESULTS_DIR "${CMAKE_BINARY_DIR}/results")
function(ament_add_test name)
  cmake_parse_arguments(TEST "" "RESULT_FILE;OUTPUT_FILE;WORKING_DIRECTORY" "COMMAND" ${ARGN})
  if(TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ament_add_test knows no ${TEST_UNPARSED_ARGUMENTS}")
  endif()
  get_filename_component(folder "${TEST_RESULT_FILE}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")  # as ament's runner does
  add_test(NAME ${name} COMMAND ${TEST_COMMAND} WORKING_DIRECTORY "${TEST_WORKING_DIRECTORY}")
endfunction()
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
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return folder, done

    return configure


def ctest(folder, *arguments):
    return subprocess.run(
        ["ctest", "--output-on-failure", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


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


def test_ament_gets_a_result_file_that_the_test_writes(build):
    folder, done = build(AMENT + "inertial_check_ament_test(inertias robots/broken.urdf)\n")
    assert done.returncode == 0, done.stderr
    assert ctest(folder).returncode != 0
    result = folder / "results" / "robots" / "inertias.xunit.xml"
    assert "IC301" in result.read_text()
    labels = ctest(folder, "--print-labels").stdout
    assert "linter" in labels


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
