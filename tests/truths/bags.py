"""MCAP and SQLite recordings of joint states, written from known arrays."""

import io
import sqlite3
import struct

import numpy as np
from mcap.writer import CompressionType, Writer

TYPE = "sensor_msgs/msg/JointState"
SCHEMA = (
    "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
    "float64[] effort\n================\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\n"
    "string frame_id\n"
)


def encode(stamp, names, q=(), u=(), tau=(), frame="base"):
    """A JointState in little-endian CDR; the stamp in ns."""
    body = bytearray(struct.pack("<iI", *divmod(int(stamp), 10**9)))

    def align(size):
        body.extend(b"\0" * (-len(body) % size))

    def put_text(text):
        align(4)
        data = text.encode() + b"\0"
        body.extend(struct.pack("<I", len(data)) + data)

    put_text(frame)
    align(4)
    body.extend(struct.pack("<I", len(names)))
    for name in names:
        put_text(name)
    for values in (q, u, tau):
        align(4)
        body.extend(struct.pack("<I", len(values)))
        if len(values):
            align(8)
            body.extend(np.asarray(values, "<f8").tobytes())
    return b"\0\1\0\0" + bytes(body)


def messages(run, names, topic="/joint_states", start=1_700_000_000_000_000_000):
    """(topic, log time, data) of each sample of a run of t, q, qd and tau."""
    for t, q, u, tau in zip(run["t"], run["q"], run["qd"], run["tau"], strict=True):
        stamp = start + round(t * 1e9)
        yield topic, stamp + 300_000, encode(stamp, names, q, u, tau)


def write_mcap(each, compression=CompressionType.ZSTD, type=TYPE, schema=SCHEMA, encoding="cdr"):
    """Bytes of an MCAP file with these messages, and with those of another topic among them."""
    stream = io.BytesIO()
    writer = Writer(stream, compression=compression, chunk_size=20_000)
    writer.start(profile="ros2")
    kind = writer.register_schema(type, "ros2msg", schema.encode())
    other = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data\n")
    rosout = writer.register_channel("/rosout", "cdr", other)
    channels = {}
    for topic, time, data in each:
        if topic not in channels:
            channels[topic] = writer.register_channel(topic, encoding, kind)
        writer.add_message(rosout, time, b"\0\1\0\0\2\0\0\0a\0", time)
        writer.add_message(channels[topic], time, data, time)
    writer.finish()
    return stream.getvalue()


def write_sqlite(path, each, type=TYPE):
    """Write a .db3 file as rosbag2 lays it out."""
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
        "serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, "
        "timestamp INTEGER NOT NULL, data BLOB NOT NULL)"
    )
    topics = {}
    for topic, time, data in each:
        if topic not in topics:
            topics[topic] = len(topics) + 1
            row = (topics[topic], topic, type, "cdr", "")
            connection.execute("INSERT INTO topics VALUES (?, ?, ?, ?, ?)", row)
        row = (topics[topic], time, data)
        connection.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES (?, ?, ?)", row)
    connection.commit()
    connection.close()
