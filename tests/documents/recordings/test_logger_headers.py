"""Headers of loggers, mapping files, and rows that cannot be used."""

import io
import math
from types import SimpleNamespace

import numpy as np
import pytest

from inertial_check.errors import DocumentError
from inertial_check.identification.recordings import read_recording
from inertial_check.identification.recordings.recording import (
    ReadingOptions,
    read_column_map,
    read_logged_name,
)
from inertial_check.identification.robot import match_joints

ROW = "0,1,2,3,4\n1,5,6,7,8\n"


def read(text, **options):
    return read_recording(text.encode(), path="run.csv", how=ReadingOptions(**options))


def refused(text, **options):
    with pytest.raises(DocumentError) as caught:
        read(text, **options)
    return str(caught.value)


def mapping(tmp_path, text):
    path = tmp_path / "columns.toml"
    path.write_text(text)
    return read_column_map(str(path))


@pytest.mark.parametrize(
    ("name", "quantity", "joint", "unit"),
    [
        ("q1[deg]", "q", 1, "deg"),
        ("tau_2 [Nm]", "tau", 2, "Nm"),
        ("time_ms", "t", None, "ms"),
        ("q_elbow_deg", "q", "elbow", "deg"),
        ("q_deg", "q", "deg", None),
        ("joint_states.position.shoulder", "q", "shoulder", None),
        ("/joint_states/position[0]", "q", 0, None),
        ("/joint_states/shoulder_pan_joint/velocity", "u", "shoulder_pan_joint", None),
        ("/joint_states/header/stamp", "t", None, None),
        ("__time", "t", None, None),
        ("field.effort3", "tau", 3, None),
        ("actual_qd_5", "u", 5, None),
        ("arm::elbow.position", "q", "arm::elbow", None),
        ("position.arm::elbow", "q", "arm::elbow", None),
        ("robot/joint1/actual/position", "q", "joint1", None),
        ("jointPosition[0]", "q", 0, None),
        ("joint_1_pos", "q", "joint_1", None),
        ("Joint_3_Torque(Nm)", "tau", "Joint_3", "Nm"),
        ("tau_J[1]", "tau", 1, None),
        ("current_position_1", "q", 1, None),
    ],
)
def test_the_words_of_loggers_are_understood(name, quantity, joint, unit):
    found = read_logged_name(name)
    assert found.meaning == (quantity, joint, unit)
    assert not found.is_commanded


TURN = ("turn_joint", "lift_joint", "elbow_joint")
COUNTED = ("joint_1", "joint_2", "joint_3")
HEADERS = """
turn_joint: {j}_position {j}_effort | {j}.q {j}.tau | q_{j} tau_{j} | q.{j} effort.{j}
turn_joint: position/{j} effort/{j} | pos_{j} torque_{j} | {b}_pos {b}_torque | {j}_pos {j}_eff
turn_joint: position({j}) effort({j}) | q[{j}] tau[{j}] | {j}Pos {j}Torque | {b}.pos {b}.tau
turn_joint: {j}-position {j}-effort | {j}:position {j}:effort | Position_{j} Torque_{j}
turn_joint: /joint_states/{j}/position /joint_states/{j}/effort | position_{z} effort_{z}
turn_joint: /joint_states/position[{z}] /joint_states/effort[{z}] | q.{z} tau.{z} | q-{n} tau-{n}
turn_joint: field.position{z} field.effort{z} | state.position.{j} state.effort.{j}
joint_1: q{n} tau{n} | q_joint_{n} tau_joint_{n} | joint{n}.q joint{n}.tau | pos_j{n} torque_j{n}
joint_1: pos_joint_{n} torque_joint_{n} | joint{n}_q joint{n}_tau | q({n}) tau({n})
joint_1: measured_position_j{n} measured_torque_j{n} | theta{n} tau{n}
joint_1: q{n}_meas tau{n}_meas | q_msr_{n} tau_msr_{n}
joint_1: msr_jnt_pos_{n} msr_jnt_trq_{n} | jointPosition{n} jointTorque{n} | ActPos{n} ActTrq{n}
joint_1: Joint{n}Pos Joint{n}Torque | J{n}_Position J{n}_Torque | axis{n}_pos axis{n}_torque
joint_1: motor_{n}/position motor_{n}/torque | motor_state[{z}].q motor_state[{z}].tau_est
joint_1: base.actuators[{z}].position base.actuators[{z}].torque | dof_pos[{z}] applied_torque[{z}]
joint_1: q{n}[rad] tau{n}[Nm] | q{n}_rad tau{n}_nm | Q{n} TAU{n} | qpos[{z}] qfrc_actuator[{z}]
joint_1: Joint~{n}~Position Joint~{n}~Torque | q~{n} tau~{n} | q~[{z}] tau~[{z}]
"""


@pytest.mark.parametrize(
    ("robot", "signals"),
    [
        (TURN if line.startswith("turn_joint") else COUNTED, each.split())
        for line in HEADERS.strip().splitlines()
        for each in line.partition(": ")[2].split(" | ")
    ],
)
def test_usual_headers_name_every_joint_of_the_robot(robot, signals):
    titles = [
        signal.replace("~", " ").format(j=joint, b=joint.removesuffix("_joint"), n=k + 1, z=k)
        for signal in signals
        for k, joint in enumerate(robot)
    ]
    recording = read(f"elapsed_time,{','.join(titles)}\n0,1,2,3,4,5,6\n1,5,6,7,8,9,9\n")
    whole = SimpleNamespace(joints=robot, every=robot)
    assert match_joints(recording, whole) == [0, 1, 2]
    np.testing.assert_array_equal(recording.q[0], [1, 2, 3])
    np.testing.assert_array_equal(recording.tau[0], [4, 5, 6])
    np.testing.assert_array_equal(recording.t, [0, 1])


@pytest.mark.parametrize(
    "name",
    ["target_q_0", "q_des_1", "q_d[0]", "tau_elbow_cmd", "controller.reference.positions.elbow"],
)
def test_commanded_values_are_told_from_measured_ones(name):
    assert read_logged_name(name).is_commanded


@pytest.mark.parametrize("name", ["label", "wrench.force.x", "t1", "t_elbow", "q_", "ctrl[0]"])
def test_other_columns_mean_no_quantity(name):
    assert read_logged_name(name) is None


def test_measured_values_and_torques_are_taken_and_it_is_said():
    header = "timestamp,target_q_0,actual_q_0,actual_current_0,tau_0\n"
    recording = read(header + ROW)
    np.testing.assert_array_equal(recording.q, [[2.0], [6.0]])
    np.testing.assert_array_equal(recording.tau, [[4.0], [8.0]])
    assert "actual_q_0 taken, which were measured, and not target_q_0" in recording.notes[0].text
    assert "tau_0 taken for torques, and not the currents" in recording.notes[1].text
    assert not recording.has_currents
    assert read("t,q1,x,y,current_1\n" + ROW).has_currents


def test_commanded_values_alone_are_refused():
    message = refused("t,target_q_0,target_q_1,tau_0,tau_1\n" + ROW)
    assert "target_q_0, target_q_1: commanded, not measured" in message


def test_units_are_converted_and_it_is_said():
    recording = read("t [ms],q1[deg],q2 [mm],tau1 [Ncm],tau2 [kN]\n" + ROW)
    np.testing.assert_allclose(recording.t, [0, 0.001])
    np.testing.assert_allclose(recording.q[1], [5 * math.pi / 180, 0.006])
    np.testing.assert_allclose(recording.tau[0], [0.03, 4000])
    assert recording.stated == {"t", "q", "tau"}
    assert ("units", "q1[deg] in deg, multiplied by 0.0174533") in recording.notes
    assert read("t,q1,q2,tau1,tau2\n" + ROW).stated == frozenset()


@pytest.mark.parametrize("unit", ["us", "usec", "\N{MICRO SIGN}s", "\N{GREEK SMALL LETTER MU}s"])
def test_both_letters_of_microseconds_are_read(unit):
    recording = read(f"t [{unit}],q1,q2,tau1,tau2\n" + ROW)
    np.testing.assert_allclose(recording.t, [0, 1e-6])


def test_names_that_differ_in_case_are_one_joint():
    recording = read("t,Elbow.position,wrist.position,WRIST.effort,elbow.effort\n" + ROW)
    assert recording.joints == ("Elbow", "wrist")
    np.testing.assert_array_equal(recording.tau[0], [4.0, 3.0])


def test_an_ambiguous_header_shows_candidates_and_a_mapping_that_works(tmp_path):
    text = "t,/a/e/position,/b/e/position,/a/e/effort,/x\n" + ROW
    message = refused(text)
    assert message.startswith("run.csv:1:17: /b/e/position means the same as /a/e/position")
    assert "candidates: /a/e/position; /b/e/position" in message
    columns = mapping(tmp_path, message[message.index("[columns]") :])
    np.testing.assert_array_equal(read(text, columns=columns).q, [[1.0], [5.0]])


def test_a_mapping_decides_about_the_quantities_that_it_names(tmp_path):
    columns = mapping(
        tmp_path,
        '[columns]\nclock = {quantity = "time", unit = "ms"}\n'
        '"M3 angle" = {quantity = "position", joint = "elbow", unit = "deg", sign = -1}\n',
    )
    recording = read("clock,M3 angle,q_1,tau_elbow,time\n" + ROW, columns=columns)
    np.testing.assert_allclose(recording.t, [0.0, 0.001])
    np.testing.assert_allclose(recording.q, [[-math.pi / 180], [-5 * math.pi / 180]])
    np.testing.assert_array_equal(recording.tau, [[3.0], [7.0]])
    assert recording.joints == ("elbow",)


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("[colums]\n", ":1:2", '"colums" is unknown'),
        ("[columns]\nx = 3\n", ":2:1", "expected { quantity"),
        ('[columns]\nx = {quantity = "q"}\ny = {quantity = "q", sgn = 1}\n', ":3:22", "did you"),
        ("[columns]\nx = {joint = 'a'}\n", ":2:1", "quantity is missing"),
        ("[columns]\nx = {quantity = 'speeed'}\n", ":2:6", "'speeed', expected one of time"),
        ("[columns]\nx = {quantity = 'q', unit = 'V'}\n", ":2:22", "unit is 'V', expected rad"),
        ("[columns]\nx = {quantity = 'q', sign = 2}\n", ":2:22", "expected 1 or -1"),
        ("[columns]\nx = {quantity = 't', joint = 1}\n", ":2:22", "belongs to no joint"),
        ("[columns]\nx = {quantity = 'q'}\ny = {quantity = 'pos'}\n", ":3:1", "the same as x"),
        ("[columns\n", "", "no TOML"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_mapping_is_told_with_its_place(tmp_path, text, place, reason):
    with pytest.raises(DocumentError) as caught:
        mapping(tmp_path, text)
    assert f"columns.toml{place}: " in str(caught.value)
    assert reason in str(caught.value)


def test_a_mapping_of_a_column_that_is_not_there_is_refused(tmp_path):
    columns = mapping(tmp_path, "[columns]\nq9 = {quantity = 'q', joint = 1}\n")
    with pytest.raises(DocumentError, match=r'"q9": run\.csv has no such column'):
        read("t,q1,tau1\n0,1,2\n", columns=columns)


BAD = """t,q1,tau1
0.0,0,1
0.1,nan,2
0.2,1,2
0.2,2,3
0.3,,3
0.4,3,4
0.3,4,5
0.5,5
0.6,6,7
0.7,7,7
0.8,8,7
"""


def test_bad_rows_are_left_out_and_named():
    recording = read(BAD, skip_bad_rows=True)
    np.testing.assert_allclose(recording.t, [0.0, 0.2, 0.4, 0.6, 0.7, 0.8])
    np.testing.assert_array_equal(recording.q[:, 0], [0, 1, 3, 6, 7, 8])
    assert recording.breaks == (3,)
    assert "5 of 11 samples left out (line 3, line 5, line 6, ...)" in recording.notes[0].text
    recording = read("q1,tau1\n1,1\nnan,1\n3,1\n4,1\n", skip_bad_rows=True)
    assert recording.breaks == (1,)


def test_bad_rows_of_an_archive_are_left_out_and_named():
    stream = io.BytesIO()
    t = np.array([0.0, 1, 2, 2, 3, 2.5, 4])
    q = np.arange(7.0)[:, None]
    tau = np.where(q == 1, np.nan, q)
    np.savez(stream, t=t, q=q, tau=tau)
    with pytest.raises(DocumentError, match=r"tau\[1, 0\] is nan"):
        read_recording(stream.getvalue())
    recording = read_recording(stream.getvalue(), how=ReadingOptions(skip_bad_rows=True))
    np.testing.assert_array_equal(recording.t, [0, 2, 3, 4])
    np.testing.assert_array_equal(recording.q[:, 0], [0, 2, 4, 6])
    assert recording.breaks == (3,)
    assert "3 of 7 samples left out (sample 1, sample 3, sample 5)" in recording.notes[0].text


def test_rows_that_are_mostly_bad_are_refused():
    message = refused("t,q1,tau1\n0,1,2\n1,nan,2\n2,nan,3\n", skip_bad_rows=True)
    assert message.startswith("run.csv:3:1: a number that is not finite; 2 of 3 samples")
