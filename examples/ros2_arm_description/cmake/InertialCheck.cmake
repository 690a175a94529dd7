# Tests of robot models for CTest, and for packages that ament builds.
#
#   include(InertialCheck)
#   inertial_check_add_test(robot_inertias urdf/arm.urdf ARGS --engine=mujoco,drake)
#   inertial_check_ament_test(robot_inertias urdf)          # after find_package(ament_cmake_test)
#
# Paths are taken from the folder of the CMakeLists.txt that calls.

find_program(INERTIAL_CHECK_PROGRAM inertial-check)

# Sets `out` to the command line of a check with further options; no path is taken for an option.
function(_inertial_check_command out options)
  cmake_parse_arguments(CHECK "" "" "ARGS" ${ARGN})
  if(NOT CHECK_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "inertial-check: name the files or folders to check")
  endif()
  if(NOT INERTIAL_CHECK_PROGRAM)
    message(FATAL_ERROR
      "inertial-check is not installed: pip install inertial-check, or set INERTIAL_CHECK_PROGRAM")
  endif()
  set(${out} "${INERTIAL_CHECK_PROGRAM}" check ${options} ${CHECK_ARGS} -- ${CHECK_UNPARSED_ARGUMENTS}
    PARENT_SCOPE)
endfunction()

# inertial_check_add_test(<name> <path>... [ARGS <option>...])
function(inertial_check_add_test name)
  _inertial_check_command(command "" ${ARGN})
  add_test(NAME ${name} COMMAND ${command} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS "lint;linter")
endfunction()

# inertial_check_ament_test(<name> <path>... [ARGS <option>...])
function(inertial_check_ament_test name)
  set(result "${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}/${name}.xunit.xml")
  _inertial_check_command(command "--output-format=junit;--output-file=${result}" ${ARGN})
  ament_add_test(${name}
    COMMAND ${command}
    RESULT_FILE "${result}"
    OUTPUT_FILE "${CMAKE_CURRENT_BINARY_DIR}/inertial_check/${name}.txt"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS "lint;linter")
endfunction()
