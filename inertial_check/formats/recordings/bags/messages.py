"""Messages of a recording of ROS 2, and the decoding of sensor_msgs/JointState from CDR."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError

JOINT_STATE = "sensor_msgs/msg/JointState"
"""Type of the messages that are read."""

_FIELDS = ("header", "name", "position", "velocity", "effort")
_MOST_TOPICS = 10_000
"""Largest number of topics of a recording."""

_MOST_JOINTS = 1000
"""Largest number of joints of one message."""

_SHOWN = 20
"""Largest number of topics that a message lists."""


class BagTopic(NamedTuple):
    """Topic of a recording.

    Attributes:
        name: Name of the topic.
        type: Type of its messages.
        encoding: Encoding of its messages.
        definition: Text of the type's definition, or "" if the file has none.
    """

    name: str
    type: str
    encoding: str
    definition: str = ""


class BagMessage(NamedTuple):
    """Message of a recording.

    Attributes:
        topic: Name of the topic.
        log_time: Time at which it was recorded [ns].
        data: Bytes of the message.
    """

    topic: str
    log_time: int
    data: bytes


@dataclass
class TopicFilter:
    """Topics of a recording, and which of them are read.

    Attributes:
        path: Path of the recording.
        topic: Name of the topic to read; None for the only one with joint states.
        found: Every topic of the recording, by name.
    """

    path: str
    topic: str | None
    found: dict[str, BagTopic] = field(default_factory=dict)

    def accept(self, topic: BagTopic) -> bool:
        """Note a topic, and tell whether its messages are read.

        Raises:
            DocumentError: The topic is to be read and cannot be, or there are too many.
        """
        if len(self.found) >= _MOST_TOPICS:
            raise DocumentError(self.path, f"more than {_MOST_TOPICS} topics")
        known = self.found.setdefault(topic.name, topic)
        if known.type != topic.type:
            reason = f"topic {topic.name} has messages of {known.type} and of {topic.type}"
            raise DocumentError(self.path, reason)
        if self.topic is None and topic.type != JOINT_STATE:
            return False
        if self.topic is not None and topic.name != self.topic:
            return False
        if topic.type != JOINT_STATE:
            reason = f"topic {topic.name} has {topic.type}, expected {JOINT_STATE}"
            raise DocumentError(self.path, reason)
        if topic.encoding != "cdr":
            reason = f"topic {topic.name} is encoded as {topic.encoding}, expected cdr"
            raise DocumentError(self.path, reason)
        if topic.definition and _list_fields(topic.definition) != _FIELDS:
            reason = (
                f"topic {topic.name}: its schema is called {JOINT_STATE} and has other fields: "
                f"{', '.join(_list_fields(topic.definition)) or 'none'}"
            )
            raise DocumentError(self.path, reason)
        return True

    def describe(self) -> str:
        """Describe the topics for a message."""
        shown = [f"{each.name} ({each.type})" for each in list(self.found.values())[:_SHOWN]]
        more = len(self.found) - len(shown)
        return f"{', '.join(shown)}{f' and {more} more' if more else ''}" or "none"


def _list_fields(definition: str) -> tuple[str, ...]:
    """List the names of the fields of a message's definition, without those of types within it."""
    found = []
    for line in definition.split("\n"):
        if line.startswith("="):
            break
        match = re.fullmatch(r"([\w/]+(?:\[[^\]]*\])?)\s+(\w+)", line.partition("#")[0].strip())
        if match:
            found.append(match[2])
    return tuple(found)


class JointState(NamedTuple):
    """Decoded message.

    Attributes:
        stamp: Stamp of the measurement [ns]; 0 where none was given.
        names: Names of the joints.
        position: Positions [rad or m]; empty if not measured.
        velocity: Velocities [rad/s or m/s]; empty if not measured.
        effort: Torques or forces [N m or N]; empty if not measured.
    """

    stamp: int
    names: tuple[str, ...]
    position: Floats
    velocity: Floats
    effort: Floats


class JointStateDecoder:
    """Decoder of messages, most of which have the same names as the one before."""

    def __init__(self) -> None:
        self._prefix = b""
        self._names: tuple[str, ...] = ()

    def decode(self, data: bytes) -> JointState:
        """Decode a message.

        Raises:
            ValueError: It is no such message.
        """
        if len(data) < 12 or data[0] != 0 or data[1] not in (0, 1):
            raise ValueError("no CDR message")
        order = "<" if data[1] else ">"
        body = data[4:]
        seconds, nanoseconds = struct.unpack_from(f"{order}iI", body)
        if (
            self._prefix
            and data.startswith(self._prefix[:4])
            and body.startswith(self._prefix[4:], 8)
        ):
            position = 8 + len(self._prefix) - 4
        else:
            names, position = _read_names(body, order)
            self._names = names
            self._prefix = data[:4] + body[8:position]
        arrays = []
        for _ in range(3):
            array, position = _read_doubles(body, position, order)
            arrays.append(array)
        return JointState(seconds * 10**9 + nanoseconds, self._names, *arrays)


def _read_count(body: bytes, position: int, order: str) -> tuple[int, int]:
    position += -position % 4
    if position + 4 > len(body):
        raise ValueError("it ends before its last field")
    return struct.unpack_from(f"{order}I", body, position)[0], position + 4


def _read_text(body: bytes, position: int, order: str) -> tuple[str, int]:
    length, position = _read_count(body, position, order)
    if position + length > len(body):
        raise ValueError(f"a text of {length} bytes, and it has {len(body)}")
    text = body[position : position + length].removesuffix(b"\0")
    return text.decode("utf-8", "surrogateescape"), position + length


def _read_names(body: bytes, order: str) -> tuple[tuple[str, ...], int]:
    _, position = _read_text(body, 8, order)
    count, position = _read_count(body, position, order)
    if count > _MOST_JOINTS:
        raise ValueError(f"{count} joints, and the limit is {_MOST_JOINTS}")
    names = []
    for _ in range(count):
        name, position = _read_text(body, position, order)
        names.append(name)
    return tuple(names), position


def _read_doubles(body: bytes, position: int, order: str) -> tuple[Floats, int]:
    count, position = _read_count(body, position, order)
    if not count:
        return np.empty(0), position
    position += -position % 8
    end = position + 8 * count
    if end > len(body):
        raise ValueError(f"{count} numbers, and it has {len(body)} bytes")
    return np.frombuffer(body, f"{order}f8", count, position), end
