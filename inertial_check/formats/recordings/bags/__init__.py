"""Recordings of ROS 2: sensor_msgs/JointState in MCAP and SQLite files, and in folders of them.

The containers are read message by message, and the messages decoded here: both formats are
untrusted, and a decoder made of a schema in the file would do what the file says. A path in
metadata.yaml is never followed: the files of a folder are read in the order of their names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import BinaryIO

from inertial_check.errors import DocumentError
from inertial_check.files.access import open_regular
from inertial_check.formats.recordings.bags import mcap_files, sqlite_files
from inertial_check.formats.recordings.bags.assembly import assemble
from inertial_check.formats.recordings.bags.messages import BagMessage, BagTopic, TopicFilter
from inertial_check.formats.recordings.reading import ReadingOptions
from inertial_check.formats.recordings.recording import Recording

_MCAP = b"\x89MCAP0\r\n"
_SQLITE = b"SQLite format 3\0"
_ROS_1 = b"#ROSBAG V"
_ZSTD = b"\x28\xb5\x2f\xfd"

_MOST_FILES = 1000
"""Largest number of files of one recording."""


def is_bag(head: bytes) -> bool:
    """Tell by the first bytes whether a file is a recording of ROS."""
    return head.startswith((_MCAP, _SQLITE, _ROS_1, _ZSTD))


def read_file(stream: BinaryIO, path: str, how: ReadingOptions) -> Recording:
    """Read the recording in a file.

    Args:
        stream: The file, at its beginning.
        path: The path of the file, which messages name.
        how: Options of the reading.

    Raises:
        DocumentError: The file is damaged, or has no joint states.
        MissingExtraError: The reader of its format is not installed.
    """
    wanted = TopicFilter(path, how.topic)
    return assemble(path, wanted, _read_messages(stream, path, wanted), how)


def read_folder(path: str, how: ReadingOptions) -> Recording:
    """Read the recording in a folder of files, as `ros2 bag record` writes it.

    Raises:
        DocumentError: There is no such file in it, or one is damaged.
    """
    try:
        names = [name for name in os.listdir(path) if name.endswith((".mcap", ".db3"))]
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None
    if not names or len(names) > _MOST_FILES:
        what = f"{len(names)} files" if names else "no file"
        raise DocumentError(path, f"{what} with .mcap or .db3, expected 1 to {_MOST_FILES}")
    names.sort(key=_split_digits)
    wanted = TopicFilter(path, how.topic)

    def messages() -> Iterator[BagMessage]:
        for name in names:
            file = os.path.join(path, name)
            try:
                with open_regular(file) as stream:
                    yield from _read_messages(stream, file, wanted)
            except OSError as error:
                raise DocumentError(file, (error.strerror or str(error)).lower()) from None

    return assemble(path, wanted, messages(), how)


def _split_digits(name: str) -> list[tuple[int, str]]:
    """Split a name so that it sorts by its numbers: bag_2 before bag_10."""
    return [
        (int(part), "") if part.isdecimal() and len(part) < 20 else (-1, part)
        for part in re.split(r"(\d+)", name)
    ]


def _read_messages(stream: BinaryIO, path: str, wanted: TopicFilter) -> Iterator[BagMessage]:
    head = stream.read(16)
    stream.seek(0)
    if head.startswith(_MCAP):
        return mcap_files.read_messages(stream, path, wanted)
    if head.startswith(_SQLITE):
        return sqlite_files.read_messages(path, wanted)
    if head.startswith(_ROS_1):
        reason = "a bag of ROS 1: rosbags-convert makes one of ROS 2 of it"
    elif head.startswith(_ZSTD):
        reason = "compressed as a whole: zstd -d unpacks it"
    else:
        reason = "neither MCAP nor SQLite"
    raise DocumentError(path, reason)


__all__ = ["BagMessage", "BagTopic", "is_bag", "read_file", "read_folder"]
