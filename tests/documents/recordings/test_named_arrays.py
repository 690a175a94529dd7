"""Archives of mujoco.sysid, MuJoCo's own names, and arrays named by a mapping file."""

import io
import json

import numpy as np
import pytest

from inertial_check.errors import DocumentError
from inertial_check.identification.recordings import read_recording
from inertial_check.identification.recordings.recording import ReadingOptions, read_column_map

T = np.arange(5) / 10
Q = np.arange(10.0).reshape(5, 2)
TAU = Q + 100


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def signals(**entries):
    """A signal mapping as mujoco.sysid writes it: type and columns of each name."""
    return np.asarray(json.dumps(entries))


def mapping(tmp_path, text):
    path = tmp_path / "columns.toml"
    path.write_text(text)
    return ReadingOptions(columns=read_column_map(str(path)))


def test_the_names_of_mujoco_are_understood():
    recording = read_recording(npz(time=T, qpos=Q, qvel=Q + 1, qacc=Q + 2, qfrc_actuator=TAU))
    np.testing.assert_array_equal(recording.u, Q + 1)
    np.testing.assert_array_equal(recording.du, Q + 2)
    np.testing.assert_array_equal(recording.tau, TAU)


def test_a_time_series_is_read_by_its_signal_mapping():
    entries = {"b_pos": [0, [1]], "a_pos": [0, [0]], "a_torque": [0, [2]], "b_torque": [0, [3]]}
    data = npz(times=T, data=np.hstack([Q, TAU]), signal_mapping=signals(**entries))
    recording = read_recording(data)
    assert recording.joints == ("b", "a")
    np.testing.assert_array_equal(recording.q, Q[:, ::-1])
    np.testing.assert_array_equal(recording.tau, TAU[:, ::-1])


def test_a_trajectory_takes_sensors_before_the_state_and_controls_by_a_mapping(tmp_path):
    data = npz(
        sensordata_times=T,
        sensordata_data=Q,
        sensordata_signal_mapping=signals(a_pos=[0, [0]], b_pos=[0, [1]]),
        state_times=T,
        state_data=np.hstack([T[:, None], Q + 7, Q + 8]),
        state_signal_mapping=signals(
            a_qpos=[2, [1]], b_qpos=[2, [2]], a_qvel=[3, [3]], b_qvel=[3, [4]]
        ),
        control_times=T,
        control_data=TAU,
        control_signal_mapping=signals(a_ctrl=[5, [0]], b_ctrl=[5, [1]]),
        initial_state=np.zeros(5),
    )
    with pytest.raises(DocumentError, match=r"no column is called tau .* a_ctrl, b_ctrl"):
        read_recording(data)
    text = "".join(f'{x}_ctrl = {{quantity = "torque", joint = "{x}"}}\n' for x in "ab")
    recording = read_recording(data, how=mapping(tmp_path, f"[columns]\n{text}"))
    np.testing.assert_array_equal(recording.q, Q)
    np.testing.assert_array_equal(recording.u, Q + 8)
    np.testing.assert_array_equal(recording.tau, TAU)
    assert "a_qpos" in recording.ignored


def test_pickled_mappings_are_never_read_and_a_mapping_file_stands_in(tmp_path):
    pickled = np.array({"a_pos": (0, np.arange(1))}, dtype=object)
    data = npz(times=T, data=np.hstack([Q, TAU]), signal_mapping=pickled)
    with pytest.raises(DocumentError, match="pickled Python objects, which are never read"):
        read_recording(data)
    lines = [f'"data[{k}]" = {{quantity = "q", joint = {k}}}' for k in (0, 1)]
    lines += [f'"data[{k}]" = {{quantity = "tau", joint = {k - 2}}}' for k in (2, 3)]
    recording = read_recording(data, how=mapping(tmp_path, "\n".join(["[columns]", *lines])))
    np.testing.assert_array_equal(recording.tau, TAU)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "expected an object"),
        ('{"a": [0, [9]]}', "index 9 of 2 columns"),
        ('{"a": [0, [true]]}', "index True of 2 columns"),
        ('{"a": 3}', "expected a type and indices"),
        ("[" * 100_000, "no signal mapping"),
    ],
)
def test_mappings_that_are_none_are_one_error(text, reason):
    with pytest.raises(DocumentError, match=reason) as caught:
        read_recording(npz(times=T, data=Q, signal_mapping=np.asarray(text)))
    assert "\n" not in str(caught.value)


def test_arrays_of_any_archive_are_read_by_a_mapping_with_units(tmp_path):
    how = mapping(
        tmp_path,
        '[columns]\nclock = {quantity = "time", unit = "ms"}\n'
        '"angles[1]" = {quantity = "position", unit = "mrad"}\n'
        'load = {quantity = "torque", sign = -1}\n',
    )
    recording = read_recording(npz(clock=T * 1000, angles=Q * 1000, load=TAU[:, 0]), how=how)
    np.testing.assert_allclose(recording.t, T)
    np.testing.assert_allclose(recording.q, Q[:, 1:])
    np.testing.assert_array_equal(recording.tau, -TAU[:, :1])
    with pytest.raises(DocumentError, match="load: 4, 5 samples"):
        read_recording(npz(clock=T, angles=Q, load=TAU[:4, 0]), how=how)
