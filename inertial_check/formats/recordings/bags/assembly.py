"""Recording made of joint states, message by message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.recordings.bad_rows import drop_bad_rows
from inertial_check.formats.recordings.bags.messages import (
    JOINT_STATE,
    BagMessage,
    JointStateDecoder,
    TopicFilter,
)
from inertial_check.formats.recordings.reading import ReadingOptions
from inertial_check.formats.recordings.recording import (
    MOST_NUMBERS,
    TOO_LONG,
    EntryPlace,
    Recording,
    refuse_not_finite,
    take_unmeasured,
)

_FIELDS = {"q": "position", "u": "velocity", "tau": "effort"}
"""Field of a message for each signal."""

_MOST_DEVICES = 100
"""Largest number of sets of joints on one topic."""


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


def assemble(
    path: str, wanted: TopicFilter, messages: Iterable[BagMessage], how: ReadingOptions
) -> Recording:
    """Assemble a recording of the joint states of one topic.

    Args:
        path: Path of the recording.
        wanted: Topics, which are complete when all messages are read.
        messages: Messages of the topics that are wanted.
        how: Options of the reading.

    Raises:
        DocumentError: There is no such topic, or several; a message is damaged, or without numbers
            that are needed.
    """
    topics: dict[str, dict[frozenset[str], _Device]] = {}
    decoders: dict[str, JointStateDecoder] = {}
    count = 0
    for number, message in enumerate(messages):
        devices = topics.setdefault(message.topic, {})
        decoder = decoders.setdefault(message.topic, JointStateDecoder())
        try:
            count += _add_message(devices, decoder, message)
        except ValueError as error:
            raise DocumentError(path, f"message {number} of {message.topic}: {error}") from None
        if count > MOST_NUMBERS:
            raise DocumentError(path, f"{TOO_LONG}; it has more than {MOST_NUMBERS} numbers")
    topic = _choose_topic(path, wanted, topics)
    device, notes = _choose_device(topic, topics[topic], how)
    return _build(path, device, notes, how)


def _add_message(
    devices: dict[frozenset[str], _Device], decoder: JointStateDecoder, message: BagMessage
) -> int:
    """Add a message to those with the same joints, and count its numbers.

    Raises:
        ValueError: It is damaged, or has other numbers than joints.
    """
    state = decoder.decode(message.data)
    names = frozenset(state.names)
    if len(names) < len(state.names):
        raise ValueError("two joints have one name")
    device = devices.get(names)
    if device is None:
        if len(devices) >= _MOST_DEVICES:
            raise ValueError(f"more than {_MOST_DEVICES} sets of joints")
        device = devices[names] = _Device(state.names)
    order = None
    if state.names != device.names:
        order = [state.names.index(name) for name in device.names]
    device.stamps.append((state.stamp, message.log_time))
    for name, called in _FIELDS.items():
        values: Floats = getattr(state, called)
        if len(values) not in (0, len(state.names)):
            raise ValueError(f"{len(values)} of {called} for {len(state.names)} joints")
        device.arrays[name].append(values if order is None or not len(values) else values[order])
    return 4 + sum(len(device.arrays[name][-1]) for name in _FIELDS)


def _choose_topic(
    path: str, wanted: TopicFilter, topics: dict[str, dict[frozenset[str], _Device]]
) -> str:
    """Choose the only topic with messages.

    Raises:
        DocumentError: There is none, or several. The message lists them.
    """
    if wanted.topic is not None and wanted.topic not in wanted.found:
        raise DocumentError(path, f"no topic {wanted.topic}; it has {wanted.describe()}")
    if not topics:
        own = wanted.topic or f"any topic of {JOINT_STATE}"
        raise DocumentError(path, f"no message of {own}; it has {wanted.describe()}")
    if len(topics) > 1:
        names = ", ".join(sorted(topics))
        raise DocumentError(path, f"several topics have joint states: --topic one of {names}")
    return next(iter(topics))


def _choose_device(
    topic: str, devices: dict[frozenset[str], _Device], how: ReadingOptions
) -> tuple[_Device, list[str]]:
    """Choose the messages with most of the robot's joints, and most numbers."""
    known = {name.casefold() for name in how.joints}

    def rate(device: _Device) -> tuple[int, int]:
        own = sum(name.casefold() in known for name in device.names)
        return own, len(device.stamps) * len(device.names)

    device = max(devices.values(), key=rate)
    notes = [f"topic: {topic}, {len(device.stamps)} messages of {', '.join(device.names)}"]
    for other in devices.values():
        if other is not device:
            notes.append(
                f"topic: {len(other.stamps)} messages of other joints not used: "
                f"{', '.join(other.names)}"
            )
    return device, notes


def _build(path: str, device: _Device, notes: list[str], how: ReadingOptions) -> Recording:
    """Build the recording of the messages with one set of joints."""
    arrays: dict[str, Floats] = {}
    stamps = np.array(device.stamps, dtype=np.int64)
    column = 0
    if not stamps[:, 0].all():
        column = 1
        notes.append("topic: no stamps in the messages: the time at which they were recorded")
    start = int(stamps[0, column])
    arrays["t"] = (stamps[:, column] - start) / 10**9
    for name, called in _FIELDS.items():
        parts = device.arrays[name]
        lengths = {len(each) for each in parts}
        if lengths == {0}:
            continue
        if len(lengths) > 1:
            missing = next(k for k, each in enumerate(parts) if not len(each))
            raise DocumentError(path, f"joint state {missing} has no {called}, and others have it")
        values = np.array(parts, dtype=np.float64)
        if not np.isnan(values).all():
            arrays[name] = values
    for name in how.needed:
        if name not in arrays:
            reason = f"no {_FIELDS.get(name, name)} in any joint state"
            raise DocumentError(path, f"{reason}: expected position and effort")
    unmeasured = take_unmeasured(arrays) if how.partial else ()

    def find_entry(name: str, index: tuple[int, ...]) -> EntryPlace:
        joint = f" of {device.names[index[1]]}" if len(index) > 1 else ""
        return EntryPlace(f"{_FIELDS.get(name, name)}{joint} in joint state {index[0]}", None, None)

    if not how.skip_bad_rows:
        refuse_not_finite(path, arrays, find_entry)
    arrays, rows = drop_bad_rows(path, arrays, how.skip_bad_rows)
    return Recording(
        path=path,
        joints=device.names,
        unmeasured=unmeasured,
        notes=(*notes, *rows.finish()),
        stated=frozenset({"t", *arrays}),
        breaks=tuple(rows.breaks),
        has_others=True,
        t=arrays["t"],
        q=arrays.get("q"),
        u=arrays.get("u"),
        tau=arrays.get("tau"),
    )
