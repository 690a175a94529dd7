"""Recordings of ROS 2: sensor_msgs/JointState in MCAP and SQLite files, and in folders of them.

The library rosbags reads them, in a process of its own with limits of memory and time: it unpacks
chunks without bound, and both formats are untrusted. Messages are decoded as the JointState of
ROS 2 whatever a schema in the file says, and a path in metadata.yaml is never followed: the files
of a folder are read in the order of their names.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast
from urllib.parse import quote

import numpy as np

from inertial_check.documents.children import limit_resources, open_child
from inertial_check.documents.files.access import JsonObject, open_regular
from inertial_check.errors import DocumentError, MissingExtraError
from inertial_check.identification.recordings.recording import (
    MOST_NUMBERS,
    TOO_LONG,
    EntryPlace,
    ReadingNote,
    ReadingOptions,
    Recording,
    settle_samples,
)
from inertial_check.inertia.arrays import Floats

if TYPE_CHECKING:
    from rosbags.interfaces import Connection, ConnectionExtRosbag2
    from rosbags.typesys.stores.ros2_humble import sensor_msgs__msg__JointState as JointState


_KINDS = {b"\x89MCAP0\r\n": ".mcap", b"SQLite format 3\0": ".db3"}
"""Suffix by which the library knows a format, by the first bytes of a file."""

_ELSEWHERE = {
    b"#ROSBAG V": "a bag of ROS 1: rosbags-convert makes one of ROS 2 of it",
    b"\x28\xb5\x2f\xfd": "compressed as a whole: zstd -d unpacks it",
}
"""Advice for files of ROS that are not read, by their first bytes."""

_DAMAGED = {
    ".mcap": "damaged or cut off: {}; mcap recover saves what is there",
    ".db3": "damaged, or no recording of ROS 2: {}",
}

_JOINT_STATE = "sensor_msgs/msg/JointState"
_DEFINITION = ("header", "name", "position", "velocity", "effort")
_FIELDS = {"q": "position", "u": "velocity", "tau": "effort"}
"""Field of a message for each signal."""

_MEMORY = 3 << 30
"""Memory that reading may take [bytes]: the largest recording takes less than 2 GB as messages."""

_SECONDS = 60.0
"""Time that reading may take whatever the size of the files [s]."""

_SECONDS_PER_BYTE = 2.0 / 2**20
"""Further time for each byte of the files [s]; joint states packed ten to one take a fifth."""

_MOST_FILES = 1000
"""Largest number of files of one recording."""

_MOST_DEVICES = 100
"""Largest number of sets of joints on one topic."""

_SHOWN = 20
"""Largest number of topics that a message lists."""


def is_bag(head: bytes) -> bool:
    """Tell by the first bytes whether a file is a recording of ROS."""
    return head.startswith((*_KINDS, *_ELSEWHERE))


def read_file(stream: BinaryIO, path: str, how: ReadingOptions) -> Recording:
    """Read the recording in a file.

    Args:
        stream: The file, at its beginning; of bytes, a copy of them is read.
        path: The path of the file, which messages name.
        how: Options of the reading.

    Raises:
        DocumentError: The file is damaged, or has no joint states.
        MissingExtraError: The reader of its format is not installed.
    """
    if not isinstance(stream, io.BytesIO):
        return _read(path, [path], how)
    with tempfile.TemporaryDirectory(prefix="inertial-check-") as folder:
        copy = os.path.join(folder, "recording")
        Path(copy).write_bytes(stream.read())
        try:
            return _read(path, [copy], how)
        except DocumentError as error:
            raise type(error)(path, error.reason) from None


def read_folder(path: str, how: ReadingOptions) -> Recording:
    """Read the recording in a folder of files, as `ros2 bag record` writes it.

    Raises:
        DocumentError: There is no such file in it, or one is damaged.
        MissingExtraError: The reader of its format is not installed.
    """
    try:
        names = [name for name in os.listdir(path) if name.endswith((".mcap", ".db3"))]
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None
    if not names or len(names) > _MOST_FILES:
        what = f"{len(names)} files" if names else "no file"
        raise DocumentError(path, f"{what} with .mcap or .db3, expected 1 to {_MOST_FILES}")
    # By their numbers: bag_2 before bag_10.
    names.sort(
        key=lambda name: [
            (int(part), "") if part.isdecimal() and len(part) < 20 else (-1, part)
            for part in re.split(r"(\d+)", name)
        ]
    )
    return _read(path, [os.path.join(path, name) for name in names], how)


def _read(path: str, files: list[str], how: ReadingOptions) -> Recording:
    """Read the recording that files make together, in a process of its own."""
    listed, seconds = [], _SECONDS
    for file in files:
        try:
            with open_regular(file) as stream:
                head = stream.read(16)
                seconds += _SECONDS_PER_BYTE * stream.seek(0, os.SEEK_END)
        except OSError as error:
            raise DocumentError(file, (error.strerror or str(error)).lower()) from None
        kind = next((kind for mark, kind in _KINDS.items() if head.startswith(mark)), None)
        if kind is None:
            advice = (reason for mark, reason in _ELSEWHERE.items() if head.startswith(mark))
            raise DocumentError(file, next(advice, "neither MCAP nor SQLite"))
        listed.append((os.path.abspath(file), kind))
    if find_spec("rosbags") is None:
        reason = "recordings of ROS 2 need rosbags: pip install 'inertial-check[ros]'"
        raise MissingExtraError(path, reason)
    request: JsonObject = {"files": listed, "topic": how.topic, "joints": how.joints}
    request |= {"seconds": seconds, "memory": _MEMORY}
    # One thread suffices, and the threads of a numerical library would count as memory.
    environment = {"OPENBLAS_NUM_THREADS": "1"}
    process = open_child(f"import {__name__} as bags; bags._answer()", environment=environment)
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        return _receive(process, path, files, request, how)
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


def _receive(
    process: subprocess.Popen[bytes],
    path: str,
    files: list[str],
    request: JsonObject,
    how: ReadingOptions,
) -> Recording:
    """Ask the process for the joint states of files, and build their recording.

    Raises:
        DocumentError: The process says what is wrong with a file, or ends without an answer.
    """
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None
    with contextlib.suppress(BrokenPipeError):
        stdin.write(json.dumps(request).encode() + b"\n")
        stdin.flush()
    line = stdout.readline()
    if not line.endswith(b"\n"):
        limits = f"{request['seconds']:.0f} s and {request['memory'] >> 20} MB of memory"
        raise DocumentError(path, f"not read: damaged, or it needs more than {limits}")
    answer = json.loads(line)
    if "error" in answer:
        at = answer["file"]
        raise DocumentError(path if at is None else files[at], answer["error"])
    count, names, arrays = answer["count"], tuple(answer["names"]), {}
    for name in ("t", *answer["signals"]):
        shape = (count,) if name == "t" else (count, len(names))
        size = math.prod(shape)
        data = stdout.read(8 * size) if size <= MOST_NUMBERS else b""
        if len(data) != 8 * size:
            raise DocumentError(path, "not read: reading it ended before its last number")
        arrays[name] = np.frombuffer(data, "<f8").reshape(shape)
    for name in how.needed:
        if name not in arrays:
            reason = f"no {_FIELDS.get(name, name)} in any joint state"
            raise DocumentError(path, f"{reason}: expected position and effort")

    def find_entry(name: str, index: tuple[int, ...]) -> EntryPlace:
        joint = f" of {names[index[1]]}" if len(index) > 1 else ""
        return EntryPlace(f"{_FIELDS.get(name, name)}{joint} in joint state {index[0]}", None, None)

    about = Recording(
        path=path,
        joints=names,
        notes=tuple(ReadingNote("topic", each) for each in answer["notes"]),
        stated=frozenset(arrays),
        has_others=True,
    )
    return settle_samples(about, arrays, how, find_entry)


class _RefusedError(Exception):
    """Reason why files are no recording.

    Attributes:
        reason: The reason.
        file: Number of the file; None for all of them together.
    """

    def __init__(self, reason: str, file: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.file = reason, file


@dataclass
class _Device:
    """Messages with the same joints.

    Attributes:
        names: Names of the joints.
        stamps: Stamp of each message, and the time at which it was recorded [ns].
        arrays: Numbers of each message, by signal; empty where it has none.
    """

    names: tuple[str, ...]
    stamps: list[tuple[int, int]] = field(default_factory=list)
    arrays: dict[str, list[Floats]] = field(default_factory=lambda: {name: [] for name in _FIELDS})


def _answer() -> None:
    """Answer a request of `_receive`: a line of JSON, then the stamps and signals as float64.

    It runs in the process that reads files, and ends it when the limits are reached.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints must not mix with the answer
    request = json.loads(sys.stdin.buffer.readline())
    from rosbags.rosbag2 import Reader  # noqa: F401 - imported before files may be opened no more
    from rosbags.typesys import Stores, get_typestore

    get_typestore(Stores.ROS2_HUMBLE)
    limit_resources(request["memory"], request["seconds"])
    blocks: list[Floats] = []
    try:
        answer, blocks = _collect(request)
    except _RefusedError as error:
        answer = {"error": error.reason, "file": error.file}
    except MemoryError:
        reason = f"it needs more than {request['memory'] >> 20} MB of memory: {TOO_LONG}"
        answer = {"error": reason, "file": None}
    answers.write(json.dumps(answer).encode() + b"\n")
    for block in blocks:
        answers.write(np.ascontiguousarray(block, "<f8").tobytes())
    answers.flush()


def _collect(request: JsonObject) -> tuple[JsonObject, list[Floats]]:
    """Collect the joint states of the topic and the joints that a request asks for.

    Raises:
        _RefusedError: There is no such topic, or several; a message is damaged.
    """
    from rosbags.serde import SerdeError
    from rosbags.typesys import Stores, get_typestore

    found: dict[str, str] = {}
    topics: dict[str, dict[frozenset[str], _Device]] = {}
    count = 0
    store = get_typestore(Stores.ROS2_HUMBLE)
    for number, (topic, time, data) in enumerate(_read_messages(request, found)):
        try:
            state = cast("JointState", store.deserialize_cdr(data, _JOINT_STATE))
            count += _add_message(topics.setdefault(topic, {}), time, state)
        except (SerdeError, ValueError) as error:
            raise _RefusedError(f"message {number} of {topic}: {error}") from None
        if count > MOST_NUMBERS:
            raise _RefusedError(f"{TOO_LONG}; it has more than {MOST_NUMBERS} numbers")
    shown = ", ".join(f"{name} ({kind})" for name, kind in list(found.items())[:_SHOWN]) or "none"
    shown += f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    if request["topic"] not in (None, *found):
        raise _RefusedError(f"no topic {request['topic']}; it has {shown}")
    if not topics:
        own = request["topic"] or f"any topic of {_JOINT_STATE}"
        raise _RefusedError(f"no message of {own}; it has {shown}")
    if len(topics) > 1:
        names = ", ".join(sorted(topics))
        raise _RefusedError(f"several topics have joint states: --topic one of {names}")
    (topic,) = topics
    known = {name.casefold() for name in request["joints"]}

    def rate(device: _Device) -> tuple[int, int]:
        own = sum(name.casefold() in known for name in device.names)
        return own, len(device.stamps) * len(device.names)

    device = max(topics[topic].values(), key=rate)
    notes = [f"{topic}, {len(device.stamps)} messages of {', '.join(device.names)}"]
    for other in topics[topic].values():
        if other is not device:
            joints = ", ".join(other.names)
            notes.append(f"{len(other.stamps)} messages of other joints not used: {joints}")
    return _stack(device, notes)


def _stack(device: _Device, notes: list[str]) -> tuple[JsonObject, list[Floats]]:
    """Stack the messages with one set of joints: what is said of them, the times, the signals."""
    stamps = np.array(device.stamps, dtype=np.int64)
    column = 0
    if not stamps[:, 0].all():
        column = 1
        notes.append("no stamps in the messages: the time at which they were recorded")
    signals, blocks = [], [(stamps[:, column] - stamps[0, column]) / 10**9]
    for name, called in _FIELDS.items():
        parts = device.arrays[name]
        if not any(map(len, parts)):
            continue
        if not all(map(len, parts)):
            missing = next(k for k, each in enumerate(parts) if not len(each))
            raise _RefusedError(f"joint state {missing} has no {called}, and others have it")
        values = np.array(parts, dtype=np.float64)
        if not np.isnan(values).all():
            signals.append(name)
            blocks.append(values)
    said = {"names": device.names, "notes": notes, "signals": signals, "count": len(stamps)}
    return said, blocks


def _add_message(devices: dict[frozenset[str], _Device], time: int, state: JointState) -> int:
    """Add a message to those with the same joints, and count its numbers.

    Raises:
        ValueError: It has other numbers than joints.
    """
    written = tuple(state.name)
    names = frozenset(written)
    if len(names) < len(written):
        raise ValueError("two joints have one name")
    device = devices.get(names)
    if device is None:
        if len(devices) >= _MOST_DEVICES:
            raise ValueError(f"more than {_MOST_DEVICES} sets of joints")
        device = devices[names] = _Device(written)
    order = None
    if written != device.names:
        order = [written.index(name) for name in device.names]
    stamp = state.header.stamp
    device.stamps.append((stamp.sec * 10**9 + stamp.nanosec, time))
    for name, called in _FIELDS.items():
        values: Floats = getattr(state, called)
        if len(values) not in (0, len(written)):
            raise ValueError(f"{len(values)} of {called} for {len(written)} joints")
        device.arrays[name].append(values if order is None or not len(values) else values[order])
    return 4 + sum(len(device.arrays[name][-1]) for name in _FIELDS)


def _read_messages(request: JsonObject, found: dict[str, str]) -> Iterator[tuple[str, int, bytes]]:
    """Read the topic of each message of joint states, the time of its recording [ns] and its bytes.

    Args:
        request: Files and the topic, as `_read` writes them.
        found: Type of every topic by its name, to which those of the files are added.

    Raises:
        _RefusedError: A file is damaged, or its topic is of another kind.
    """
    from rosbags.rosbag2 import Reader

    for index, (file, kind) in enumerate(request["files"]):
        # The library makes an address of the path of a database.
        storage = Reader.STORAGE_PLUGINS[kind](Path(quote(file) if kind == ".db3" else file))
        try:
            storage.open()
            wanted = [each for each in storage.connections if _accept(each, request, found)]
            for connection, time, data in storage.messages(wanted) if wanted else ():
                yield connection.topic, time, data
        except _RefusedError as error:
            raise _RefusedError(error.reason, index) from None
        except (MemoryError, GeneratorExit):
            raise
        # Damaged files raise whatever the library stumbles over, and all of it means the same.
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise _RefusedError(_DAMAGED[kind].format(reason), index) from None
        finally:
            with contextlib.suppress(Exception):
                storage.close()


def _accept(connection: Connection, request: JsonObject, found: dict[str, str]) -> bool:
    """Note the topic of a connection, and tell whether its messages are read.

    Raises:
        _RefusedError: The topic is to be read and cannot be.
    """
    topic, kind = connection.topic, connection.msgtype
    if (known := found.setdefault(topic, kind)) != kind:
        raise _RefusedError(f"topic {topic} has messages of {known} and of {kind}")
    if request["topic"] is None and kind != _JOINT_STATE:
        return False
    if request["topic"] not in (None, topic):
        return False
    if kind != _JOINT_STATE:
        raise _RefusedError(f"topic {topic} has {kind}, expected {_JOINT_STATE}")
    encoding = cast("ConnectionExtRosbag2", connection.ext).serialization_format
    if encoding != "cdr":
        raise _RefusedError(f"topic {topic} is encoded as {encoding}, expected cdr")
    fields = []
    for line in connection.msgdef.data.partition("\n=")[0].split("\n"):
        match = re.fullmatch(r"[\w/]+(?:\[[^\]]*\])?\s+(\w+)", line.partition("#")[0].strip())
        fields += [match[1]] if match else []
    if connection.msgdef.data and tuple(fields) != _DEFINITION:
        raise _RefusedError(
            f"topic {topic}: its schema is called {_JOINT_STATE} and has other fields: "
            f"{', '.join(fields) or 'none'}"
        )
    return True


__all__ = ["is_bag", "read_file", "read_folder"]
