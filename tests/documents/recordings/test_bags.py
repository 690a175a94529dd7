"""Recordings of ROS 2: MCAP and SQLite, folders of them, and files that mean harm."""

import random
import sqlite3
import struct
import sys
from contextlib import suppress

import numpy as np
import pytest

import bags
import recorded
from inertial_check.errors import DocumentError, MissingExtraError
from inertial_check.identification.recordings import bags as recordings_of_ros
from inertial_check.identification.recordings import read_recording
from inertial_check.identification.recordings.recording import ReadingOptions

RUN = recorded.with_friction(duration=2.0)
FINGERS = {"t": RUN["t"], "q": RUN["q"][:, :1], "qd": RUN["qd"][:, :1], "tau": RUN["tau"][:, :1]}


def arm(topic="/joint_states"):
    return list(bags.messages(RUN, recorded.JOINTS, topic))


def with_gripper():
    """Two drivers on one topic, the second at twice the rate."""
    fingers = list(bags.messages(FINGERS, ("finger",)))
    later = [(topic, time + 10**7, data) for topic, time, data in fingers]
    return sorted(arm() + fingers + later, key=lambda each: each[1])


def assert_is_the_run(recording):
    np.testing.assert_allclose(recording.t, RUN["t"], atol=1e-9)
    np.testing.assert_array_equal(recording.q, RUN["q"])
    np.testing.assert_array_equal(recording.u, RUN["qd"])
    np.testing.assert_array_equal(recording.tau, RUN["tau"])
    assert recording.joints == recorded.JOINTS


@pytest.mark.parametrize("compression", list(bags.CompressionType), ids=lambda each: each.name)
def test_joint_states_of_an_mcap_are_read_to_the_last_bit(compression):
    assert_is_the_run(read_recording(bags.write_mcap(arm(), compression)))


def test_joint_states_of_a_database_and_of_a_folder_are_read(tmp_path):
    bags.write_sqlite(tmp_path / "run.db3", arm())
    assert_is_the_run(read_recording(tmp_path / "run.db3"))
    folder = tmp_path / "bag"
    folder.mkdir()
    (folder / "metadata.yaml").write_text("relative_file_paths: [/etc/passwd]")
    parts = arm()
    (folder / "bag_10.mcap").write_bytes(bags.write_mcap(parts[60:]))
    (folder / "bag_2.mcap").write_bytes(bags.write_mcap(parts[:60]))
    assert_is_the_run(read_recording(folder))


def test_the_order_of_joints_may_change_from_message_to_message():
    swapped = (2, 0, 1)
    parts = arm()
    for k in range(1, 100, 3):
        values = [RUN[name][k][list(swapped)] for name in ("q", "qd", "tau")]
        names = [recorded.JOINTS[each] for each in swapped]
        parts[k] = (*parts[k][:2], bags.encode(parts[k][1] - 300_000, names, *values))
    assert_is_the_run(read_recording(bags.write_mcap(parts)))


def test_the_topic_is_the_only_one_or_the_one_that_is_named():
    data = bags.write_mcap([*arm("/left"), *arm("/right")])
    with pytest.raises(DocumentError, match=r"several topics .* --topic one of /left, /right"):
        read_recording(data)
    recording = read_recording(data, how=ReadingOptions(topic="/right"))
    assert_is_the_run(recording)
    assert recording.notes[0].text.startswith("/right, 100 messages of turn, lift, bend")
    with pytest.raises(DocumentError, match=r"no topic /up; it has .*/left \(sensor_msgs"):
        read_recording(data, how=ReadingOptions(topic="/up"))
    with pytest.raises(DocumentError, match="/rosout has std_msgs/msg/String, expected"):
        read_recording(data, how=ReadingOptions(topic="/rosout"))


def test_of_several_devices_the_one_with_the_robots_joints_is_taken():
    data = bags.write_mcap(with_gripper())
    recording = read_recording(data, how=ReadingOptions(joints=recorded.JOINTS))
    assert_is_the_run(recording)
    assert recording.notes[1].text == "200 messages of other joints not used: finger"


STATE = ("/a", 1, bags.encode(1, ["x"], [1.0], [0.0], [2.0]))


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([], "no message of any topic of sensor_msgs/msg/JointState"),
        ([("/a", 1, bags.encode(1, ["x"], [1.0]))] * 3, "no effort in any joint state"),
        ([("/a", 1, bags.encode(1, ["x", "x"], [1.0, 1]))], "two joints have one name"),
        ([("/a", 1, bags.encode(1, ["x", "y"], [1.0]))], "1 of position for 2 joints"),
        ([STATE] * 3, "t[1] is 0 s, and up to t[0] 0 s: a stamp that is there twice"),
        (
            [STATE, ("/a", 2, bags.encode(2, ["x"], [3.0], [0.0], [np.nan]))],
            "of x in joint state 1",
        ),
        ([("/a", 1, b"")], "message 0 of /a: Invalid or unsupported CDR encapsulation"),
        ([("/a", 1, b"\0\1\0\0" + b"\xff" * 40)], "string length 4294967295"),
        ([("/a", 1, b"\0\1\0\0" + bytes(8) + struct.pack("<IxxxxI", 1, 2**31))], "2147483648"),
    ],
)
def test_what_is_wrong_in_messages_is_one_line(messages, reason):
    with pytest.raises(DocumentError) as caught:
        read_recording(bags.write_mcap(messages))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_schema_that_only_has_the_name_is_refused():
    with pytest.raises(DocumentError, match="has other fields: name, position"):
        read_recording(bags.write_mcap(arm(), schema="string[] name\nfloat64[] position\n"))
    with pytest.raises(DocumentError, match="encoded as json, expected cdr"):
        read_recording(bags.write_mcap(arm(), encoding="json"))


def test_files_that_mean_harm_are_one_error(tmp_path):
    data = bags.write_mcap(arm(), bags.CompressionType.NONE)
    for cut in (9, 200, len(data) - 9):
        with pytest.raises(DocumentError, match="damaged or cut off"):
            read_recording(data[:cut])
    huge = struct.pack("<BQ", 4, 2**40)
    with pytest.raises(DocumentError, match="damaged or cut off"):
        read_recording(data[:8] + huge + data[8:])
    rng = random.Random(0)
    for _ in range(10):
        broken = bytearray(data)
        for _ in range(rng.randint(1, 8)):
            broken[rng.randrange(8, len(data))] = rng.randrange(256)
        with suppress(DocumentError):
            read_recording(bytes(broken))


def test_a_chunk_that_unpacks_to_more_than_it_claims_is_refused():
    data = bags.write_mcap(arm())
    place = data.rindex(b"zstd") + 4 + 8  # uncompressed size in the index of the last chunk
    for size in (10, 2**40):
        broken = data[:place] + struct.pack("<Q", size) + data[place + 8 :]
        with pytest.raises(DocumentError, match="damaged or cut off: Chunk size mismatch"):
            read_recording(broken)


def test_a_chunk_that_unpacks_without_bound_meets_the_limit_of_memory(monkeypatch):
    monkeypatch.setattr(recordings_of_ros, "_MEMORY", 2**29)
    bomb = bags.write_mcap([*arm(), ("/joint_states", 2**60, bytes(2**28))])
    assert len(bomb) < 2**18
    with pytest.raises(DocumentError, match="needs more than 512 MB of memory"):
        read_recording(bomb)


def test_a_file_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr(recordings_of_ros, "_SECONDS", 0.0)
    with pytest.raises(DocumentError, match="not read: damaged, or it needs more than"):
        read_recording(bags.write_mcap(arm()))


def test_a_database_with_a_view_in_place_of_a_table_is_refused(tmp_path):
    connection = sqlite3.connect(tmp_path / "run.db3")
    connection.execute("CREATE TABLE topics(id, name, type, serialization_format)")
    connection.execute(
        "CREATE VIEW messages AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        "SELECT x AS id, 1 AS topic_id, x AS timestamp, x'00' AS data FROM c"
    )
    connection.close()
    with pytest.raises(DocumentError, match=r"damaged, or no recording .* missing tables"):
        read_recording(tmp_path / "run.db3")
    (tmp_path / "cut.db3").write_bytes((tmp_path / "run.db3").read_bytes()[:1500])
    with pytest.raises(DocumentError, match="damaged, or no recording"):
        read_recording(tmp_path / "cut.db3")


def test_other_files_of_ros_say_what_to_do(tmp_path):
    with pytest.raises(DocumentError, match="ROS 1: rosbags-convert"):
        read_recording(b"#ROSBAG V2.0\n")
    with pytest.raises(DocumentError, match="zstd -d unpacks it"):
        read_recording(b"\x28\xb5\x2f\xfd" + bytes(20))
    with pytest.raises(DocumentError, match=r"no file with \.mcap or \.db3"):
        read_recording(tmp_path)


def test_without_the_library_one_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rosbags", None)
    with pytest.raises(MissingExtraError, match=r"inertial-check\[ros\]"):
        read_recording(bags.write_mcap(arm()))
