"""Recordings as archives: shapes, names, regressors, and that nothing is unpickled."""

import numpy as np
import pytest

from inertial_check.errors import DocumentError
from inertial_check.identification.recordings import read_recording
from tables import npz

T = np.arange(4.0)
Q = np.arange(8.0).reshape(4, 2)
Y = np.arange(4 * 2 * 20.0).reshape(4, 2, 20)
F = np.arange(4 * 2 * 3.0).reshape(4, 2, 3)


def read(torques=True, **arrays):
    return read_recording(npz(**arrays), path="run.npz", torques=torques)


def refused(**arrays) -> str:
    with pytest.raises(DocumentError) as caught:
        read(**arrays)
    return str(caught.value)


@pytest.mark.parametrize(
    "names",
    [("t", "q", "qd", "qdd", "tau"), ("time", "position", "velocity", "acceleration", "effort")],
)
def test_motion_by_its_names(names):
    arrays = (T, Q, Q + 1, Q + 2, Q + 3)
    recording = read(**dict(zip(names, arrays, strict=True)))
    held = (recording.t, recording.q, recording.u, recording.du, recording.tau)
    for own, given in zip(held, arrays, strict=True):
        np.testing.assert_array_equal(own, given)
        assert own.dtype == np.float64
    assert recording.absent == ("Y", "F")


def test_integers_narrow_floats_and_columns_of_time_are_read():
    recording = read(t=T[:, None].astype(int), q=Q.astype(np.float32), tau=np.asfortranarray(Q))
    np.testing.assert_array_equal(recording.t, T)
    np.testing.assert_array_equal(recording.q, Q)


def test_names_of_joints_and_what_is_left_over():
    recording = read(q=Q, tau=Q, joint_names=["a", "b"], current=Q, gain=3.0)
    assert recording.joints == ("a", "b")
    assert recording.ignored == ("current", "gain")
    assert repr(recording) == "Recording('run.npz': q, tau; samples 4, joints 2)"


def test_a_regressor_in_place_of_the_motion():
    recording = read(Y=Y, tau=Q, F=F, columns=["fv1", "fc1", "off1"], q=Q)
    np.testing.assert_array_equal(recording.Y, Y)
    np.testing.assert_array_equal(recording.F, F)
    assert recording.columns == ("fv1", "fc1", "off1")
    assert recording.q is None
    assert recording.ignored == ("q",)


@pytest.mark.parametrize(
    "further",
    [{"tau": Q}, {"tau": Q.ravel(), "joints": ["a", "b"]}, {"tau": Q.ravel(), "n_joints": 2}],
)
def test_rows_of_all_joints_are_those_of_one_sample_after_another(further):
    recording = read(Y=Y.reshape(8, 20), F=F.reshape(8, 3), **further)
    np.testing.assert_array_equal(recording.Y, Y)
    np.testing.assert_array_equal(recording.F, F)
    np.testing.assert_array_equal(recording.tau, Q)
    assert recording.ignored == ()


def test_rows_of_which_nobody_says_more_are_those_of_one_joint():
    recording = read(Y=Y.reshape(8, 20), tau=Q.ravel())
    assert recording.Y.shape == (8, 1, 20)
    assert (recording.samples, recording.count) == (8, 1)


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"q": Q}, "no tau, also called torque"),
        ({"q": Q, "current": Q}, "currents become torques by the drive gains"),
        ({"tau": Q}, "no q, also called pos"),
        ({}, "it has nothing of that kind"),
        ({"q": Q, "tau": Q[:, :1]}, "tau has 1 and q has 2 columns"),
        ({"q": Q, "tau": Q[:3]}, "tau has 3 samples and q has 4"),
        ({"t": T[:3], "q": Q, "tau": Q}, "t has 3 samples and q has 4"),
        ({"q": Q[:, 0], "tau": Q}, "for one joint q[:, None]"),
        ({"t": T, "q": Q.T, "tau": Q}, "so transpose q"),
        ({"t": Q, "q": Q, "tau": Q}, "t has shape (4, 2), expected (samples,)"),
        ({"q": Q[:0], "tau": Q[:0]}, "q is empty: shape (0, 2)"),
        ({"q": Q, "qd": Q, "dq": Q, "tau": Q}, "qd and dq both mean u: keep one"),
        ({"q": Q, "tau": Q * 1j}, "tau: holds complex128, expected real numbers"),
        ({"q": Q, "tau": Q.astype(str)}, "expected real numbers"),
        ({"q": Q, "tau": Q, "joints": ["a"]}, "1 names of joints for 2 joints"),
        ({"q": Q, "tau": Q, "joints": [1, 2]}, "expected names"),
        ({"q": Q, "torque": np.where(Q == 5, np.nan, Q)}, "torque[2, 1] is nan, expected a finite"),
        ({"Y": Y}, "no tau"),
        ({"Y": Y[..., :19], "tau": Q}, "Y has shape (4, 2, 19), expected"),
        ({"Y": Y[0, 0], "tau": Q}, "Y has shape (20,), expected"),
        ({"Y": Y, "tau": Q[:3]}, "Y has 8 rows of 2 joints and tau has shape (3, 2)"),
        ({"Y": Y, "tau": Q.T}, "tau has shape (2, 4): expected (4, 2)"),
        ({"Y": Y.reshape(8, 20), "tau": Q.ravel(), "n_joints": 3}, "8 rows of 3 joints"),
        ({"Y": Y.reshape(8, 20), "tau": Q.ravel(), "n_joints": 0}, "n_joints is 0.0, expected"),
        ({"Y": Y, "tau": Q, "F": F[:3]}, "F has shape (3, 2, 3), expected (4, 2, columns)"),
        ({"Y": Y, "tau": Q, "F": F, "names": ["a"]}, "1 names of columns, and F has 3"),
        ({"Y": np.where(Y == 7, np.inf, Y), "tau": Q}, "Y[0, 0, 7] is inf"),
    ],
)
def test_what_does_not_fit_is_told_with_what_was_expected(arrays, reason):
    message = refused(**arrays)
    assert message.startswith("run.npz: ")
    assert reason in message


def test_pickled_objects_are_never_read():
    assert "pickled Python objects, which are never read" in refused(
        q=Q, tau=np.array([[print, print]], dtype=object)
    )


@pytest.mark.parametrize("cut", [10, 100, 300])
def test_archives_that_are_cut_off(cut):
    with pytest.raises(DocumentError, match="damaged or cut off"):
        read_recording(npz(q=Q, tau=Q)[:cut])
