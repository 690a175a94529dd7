"""Recordings as text: what columns are called, and where in the file something is wrong."""

import os
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.errors import DocumentError, UsageError
from inertial_check.identification.recordings import read_recording
from inertial_check.identification.recordings.recording import ALIASES, Recording, read_column_name

ROWS = "0,1,2,3,4\n0.5,5,6,7,8\n"
HEADER = "t,q1,q2,tau1,tau2\n"


def read(text, **options) -> Recording:
    return read_recording(text.encode(), path="run.csv", **options)


def refused(text, **options) -> str:
    with pytest.raises(DocumentError) as caught:
        read(text, **options)
    return str(caught.value)


def assert_is_the_example(recording):
    np.testing.assert_array_equal(recording.t, [0.0, 0.5])
    np.testing.assert_array_equal(recording.q, [[1.0, 2.0], [5.0, 6.0]])
    np.testing.assert_array_equal(recording.tau, [[3.0, 4.0], [7.0, 8.0]])
    assert recording.absent == ("u", "du", "Y", "F")
    assert (recording.samples, recording.count) == (2, 2)


@pytest.mark.parametrize(
    "text",
    [
        HEADER + ROWS,
        "# of the arm\n\n" + HEADER + "# and behind it\n" + ROWS + "\n# end\n",
        (HEADER + ROWS).replace(",", ";"),
        (HEADER + ROWS).replace(",", "\t"),
        (HEADER + ROWS).replace(",", "  "),
        (HEADER + ROWS).replace("\n", "\r\n"),
        "\ufeff" + HEADER + ROWS.rstrip("\n"),
        "# t q1 q2 tau1 tau2\n" + ROWS.replace(",", " "),
        "# t,q1,q2,tau1,tau2\n# taken on a Monday\n" + ROWS,
        "t [s], q1 [rad], q2 [m], tau1 [N m], tau2 (N)\n" + ROWS,
        "t [s] q1 [rad] q2 [m] tau1 [N m] tau2 (N)\n" + ROWS.replace(",", " "),
        '"t","q1","q2","tau1","tau2"\n0,"1",2,3,4\n0.5,5,6,7,8\n',
        "Time,Q[0],Q[1],Effort[0],Effort[1]\n" + ROWS,
        "stamp,position_0,position_1,torque_0,torque_1\n" + ROWS,
        HEADER + "0,1,2,3,4  # still here\n   \n\t# no row\n0.5,5,6,7,8\n",
    ],
)
def test_a_header_names_the_columns_however_they_are_parted(text):
    recording = read(text)
    assert_is_the_example(recording)
    assert recording.joints is None
    assert recording.ignored == ()


@pytest.mark.parametrize(
    "header",
    [
        "t,q_a b,q_c,tau_a b,tau_c",
        "t,a b.position,c.position,a b/effort,c/effort",
        "t,q.a b,q.c,tau/a b,tau/c",
    ],
)
def test_names_of_joints_are_kept(header):
    recording = read(f"{header}\n{ROWS}")
    assert_is_the_example(recording)
    assert recording.joints == ("a b", "c")


def test_columns_are_put_in_the_order_of_the_joints():
    numbered = read("tau2,q2,t,tau1,q1\n4,2,0,3,1\n8,6,0.5,7,5\n")
    assert_is_the_example(numbered)
    named = read("t,q_z,q_a,tau_a,tau_z\n0,1,2,4,3\n0.5,5,6,8,7\n")
    assert_is_the_example(named)
    assert named.joints == ("z", "a")
    header = ",".join(f"{name}{k}" for name in ("q", "tau") for k in range(1, 12))
    recording = read(header + "\n" + ",".join(map(str, range(22))) + "\n")
    np.testing.assert_array_equal(recording.q[0], np.arange(11))
    assert "t" in recording.absent


def test_velocities_and_accelerations_by_all_their_names():
    for u in ("u", "qd", "dq", "velocity", "vel"):
        for du in ("du", "qdd", "ddq", "acceleration", "acc"):
            recording = read(f"q1,{u}1,{du}1,tau1\n1,2,3,4\n")
            assert (recording.u[0, 0], recording.du[0, 0]) == (2.0, 3.0)


@given(st.sampled_from(sorted(ALIASES)), st.data())
def test_every_spelling_of_a_column_means_one_thing(quantity, data):
    alias = data.draw(st.sampled_from(ALIASES[quantity]))
    assert read_column_name(alias.upper()) == (quantity, None, None)
    if quantity == "t":
        assert read_column_name(f"{alias}_elbow") is None
        return
    number = data.draw(st.integers(0, 99))
    for text in (f"{alias}{number}", f"{alias}_{number}", f"{alias}[{number}]"):
        assert read_column_name(text) == (quantity, number, None)
    name = data.draw(st.from_regex(r"[a-z][a-z0-9_]{2,8}", fullmatch=True))
    assert read_column_name(f"{alias}_{name}") == (quantity, name, None)


@pytest.mark.parametrize("unit", ["rad/s^2", "rad/s²", "rad·s^-2", "RAD/S2", "m / s**2", "m s-2"])
def test_units_in_any_spelling(unit):
    assert read_column_name(f"du1 [{unit}]").has_its_unit


def test_other_columns_are_told_and_may_hold_text():
    text = 'label,t,q1,tau1,note\nrun a,0,1,2,"x, y"\nrun b,1,3,4,\n'
    recording = read(text)
    np.testing.assert_array_equal(recording.tau, [[2.0], [4.0]])
    assert recording.ignored == ("label", "note")


def test_a_trajectory_needs_no_torques():
    assert "no column is called tau" in refused("t,q1\n0,1\n")
    recording = read("t,q1\n0,1\n", torques=False)
    assert recording.tau is None
    assert recording.samples == 1


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        (HEADER + "0,1,2,3,4\n1,x,2,3,4\n2,1,2,3,4\n", "3:3", 'q1: "x" is no number'),
        (HEADER + "# c\n\n0,1,2,3,4\n1, 2,,3,4\n", "5:6", 'q2: "" is no number'),
        ("t;q1;tau1\n0;1;2\n1;1,5;2\n", "3:3", 'q1: "1,5" is no number: write 1.5'),
        (HEADER + "0,1,2,3,4\n1,2,3,4\n", "3:1", "4 cells in this row, 5 in the header"),
        (HEADER + "0,1,2,3,4,5\n1,1,2,3,4,5\n", "2:1", "6 cells in this row, 5 in the header"),
        ("a," + HEADER + "z,0,1,2,3,4\nz,1,2,3,4\n", "3:1", "5 cells in this row, 6 in the header"),
        ("a," + HEADER + "z,0,1,2,3,4\nz,1,2,3,4,y\n", "3:11", 'tau2: "y" is no number'),
        (HEADER + "0,1,2,3,4\n#\n1,1,NaN,3,4\n", "4:5", "q2 is nan, expected a finite"),
        (HEADER + "0,1,2,3,4\n1,1,inf,3,4\n2,1,nan,3,4\n", "3:5", "leave out the 2 of 3 samples"),
        ("t,q1,q3,tau1,tau3\n" + ROWS, "1:3", "q1, q3: expected every number from 0 or 1 on"),
        ("t,q1,q2,tau1\n0,1,2,3\n", "1:9", "tau has 1 and q has 2 columns, and only one"),
        ("t,q_a,tau_a,tau_b\n0,1,2,3\n", "1:7", "only one of them has joint b"),
        ("t,q_a,q_1,tau_a,tau_1\n" + ROWS, "1:7", "joints with numbers and with names"),
        ("t,q1,q_1,tau1\n0,1,2,3\n", "1:6", "q_1 means the same as q1"),
        ("t,q1,position1,tau1\n0,1,2,3\n", "1:6", "position1 means the same as q1"),
        ("t,q1 [counts],tau1\n0,1,2\n", "1:3", "q1 [counts] is in counts, expected rad or m, or"),
        ("t [ticks],q1,tau1\n0,1,2\n", "1:1", "t [ticks] is in ticks, expected s"),
        ("t,q1,tau1 [V]\n0,1,2\n", "1:6", "is in V, expected N m or N"),
        (HEADER + "0,1,2,3,4\n0,1,2,3,4\n", "3:1", "t[1] is 0 s, and up to t[0] 0 s: a stamp"),
        (HEADER + "1,1,2,3,4\n0,1,2,3,4\n", "3:1", "a stamp that runs backwards"),
        (ROWS, "1:1", "numbers without names"),
        ("# a note\n" + ROWS, "2:1", "numbers without names"),
        ("t,x,y\n0,1,2\n", "1:1", "no column is called q or q1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(text, place, reason):
    message = refused(text)
    assert message.startswith(f"run.csv:{place}: ")
    assert reason in message


@pytest.mark.parametrize(
    "text", ["", " \n\n", "# only a comment\n", "t,q1,tau1\n", "t,q1,tau1\n# end"]
)
def test_recordings_without_rows_are_refused(text):
    assert "expected a header such as" in refused(text)


def test_bytes_that_are_no_recording(tmp_path):
    with pytest.raises(DocumentError, match="not UTF-8 text"):
        read_recording(b"t,q,tau\n0,1,\xff\n")
    with pytest.raises(DocumentError, match="neither text nor an npz archive"):
        read_recording(b"\x93NUMPY\x01\0")
    with pytest.raises(DocumentError, match="no npz archive"):
        read(HEADER + ROWS, format="npz")
    with pytest.raises(UsageError, match="unknown format 'xlsx': known are csv, npz"):
        read(HEADER + ROWS, format="xlsx")
    with pytest.raises(DocumentError, match="no such file"):
        read_recording(tmp_path / "none.csv")
    with pytest.raises(DocumentError, match="NUL"):
        read_recording("a\0b")


def test_a_file_is_named_as_the_caller_names_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.csv").write_text(HEADER + ROWS)
    assert read_recording("run.csv").path == "run.csv"
    (tmp_path / "run.csv").write_text(HEADER + "0,1,2,3,nan\n")
    with pytest.raises(DocumentError, match=r"^run\.csv:2:9: tau2 is nan"):
        read_recording(os.path.join(".", "run.csv").removeprefix("./"))


@given(
    st.lists(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(",;\t "),
)
def test_numbers_are_read_to_the_last_bit(rows, mark):
    lines = [mark.join(("q1", "u1", "tau1")), *(mark.join(map(repr, row)) for row in rows)]
    recording = read("\n".join(lines))
    held = np.concatenate([recording.q, recording.u, recording.tau], axis=1)
    np.testing.assert_array_equal(held, np.array(rows))


def test_the_place_is_found_deep_in_a_long_file():
    rows = [f"{k},1,2,3,4" for k in range(70_000)]
    rows[65_432] = "1,2,3,oops,4"
    message = refused(HEADER + "\n".join(rows))
    assert re.match(r"run\.csv:65434:7: tau1: \"oops\" is no number", message)
