"""examples/ros2_arm_description, configured and tested by CMake without ROS.

The three packages of ament that it needs are stand-ins with the same functions, in which a test is
one of CTest; what ament adds to a test, its runner, is not run.
"""

import shutil
import subprocess
import sys
from functools import partial

import pytest

pytestmark = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("ctest") is None, reason="install CMake"
)

STAND_INS = {
    "ament_cmake": "include(CTest)\nfunction(ament_package)\nendfunction()\n",
    "ament_cmake_test": """
set(AMENT_TEST_RESULTS_DIR "${CMAKE_BINARY_DIR}/test_results")
function(ament_add_test name)
  cmake_parse_arguments(TEST "" "RESULT_FILE;OUTPUT_FILE;WORKING_DIRECTORY" "COMMAND" ${ARGN})
  if(TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ament_add_test knows no ${TEST_UNPARSED_ARGUMENTS}")
  endif()
  get_filename_component(folder "${TEST_RESULT_FILE}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  add_test(NAME ${name} COMMAND ${TEST_COMMAND} WORKING_DIRECTORY "${TEST_WORKING_DIRECTORY}")
endfunction()
""",
    "ament_cmake_pytest": """
function(ament_add_pytest_test name path)
  add_test(NAME ${name} COMMAND "${INTERPRETER}" -m pytest -p no:cacheprovider "${path}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
endfunction()
""",
}


@pytest.fixture
def package(project_root, tmp_path, on_path):
    """A copy of the package, which a test may break."""
    copy = tmp_path / "arm_description"
    shutil.copytree(project_root / "examples" / "ros2_arm_description", copy)
    for name, text in STAND_INS.items():
        folder = tmp_path / "ament" / name / "cmake"
        folder.mkdir(parents=True)
        (folder / f"{name}Config.cmake").write_text(text)
    return copy


def run_tests(package):
    build = package.parent / "build"
    configure = ["cmake", "-S", package, "-B", build, f"-DINTERPRETER={sys.executable}",
                 f"-DCMAKE_PREFIX_PATH={package.parent / 'ament'}"]  # fmt: skip
    subprocess.run(configure, check=True, capture_output=True)
    ctest = partial(subprocess.run, cwd=build, capture_output=True, text=True, check=False)
    assert "linter" in ctest(["ctest", "--print-labels"]).stdout
    return ctest(["ctest", "--output-on-failure"])


def test_the_package_as_it_is_passes_its_tests(package):
    done = run_tests(package)
    assert "100% tests passed, 0 tests failed out of 2" in done.stdout, done.stdout


def test_an_inertia_that_no_body_has_fails_both_tests(package):
    robot = package / "urdf" / "arm.urdf"
    text = robot.read_text()
    robot.write_text(text.replace('iyy="0.01106"', 'iyy="0.1106"'))
    assert robot.read_text() != text
    done = run_tests(package)
    assert "0% tests passed, 2 tests failed out of 2" in done.stdout
    result = package.parent / "build" / "test_results" / "arm_description" / "inertias.xunit.xml"
    assert "IC301" in result.read_text()
    assert "not physically consistent" in done.stdout


def test_the_cmake_module_is_the_one_of_the_documentation(project_root):
    copy = project_root / "examples" / "ros2_arm_description" / "cmake" / "InertialCheck.cmake"
    assert copy.read_bytes() == (project_root / "docs" / "ci" / copy.name).read_bytes()
