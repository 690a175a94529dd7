"""Messages of a SQLite file (.db3) of rosbag2, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from inertial_check.errors import DocumentError, MissingExtraError
from inertial_check.formats.recordings.bags.messages import BagMessage, BagTopic, TopicFilter

if TYPE_CHECKING:
    import sqlite3

_LARGEST = 2**26
"""Largest size of a value [bytes]: a joint state has some hundred."""

_MOST_STEPS = 20_000
"""Largest number of thousands of steps of the database's machine between two messages."""

_MOST_MESSAGES = 2**24
"""Largest number of messages: five hours of a thousand a second."""


def read_messages(path: str, wanted: TopicFilter) -> Iterator[BagMessage]:
    """Read the messages of the topics that are wanted.

    Nothing in the file is executed: views and triggers are refused, and functions that a schema
    calls are not trusted.

    Raises:
        DocumentError: The file is damaged, or no recording.
        MissingExtraError: This Python is built without SQLite.
    """
    try:
        import sqlite3
    except ImportError:
        reason = "SQLite files need a Python that is built with sqlite3; MCAP files do not"
        raise MissingExtraError(path, reason) from None
    try:
        uri = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(uri, uri=True)
        try:
            yield from _walk(connection, path, wanted)
        finally:
            connection.close()
    except (sqlite3.Error, OverflowError, MemoryError, ValueError) as error:
        if isinstance(error, DocumentError):
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DocumentError(path, f"damaged, or no recording of ROS 2: {reason}") from None


def _walk(connection: sqlite3.Connection, path: str, wanted: TopicFilter) -> Iterator[BagMessage]:
    import sqlite3

    steps = 0

    def watch() -> int:
        nonlocal steps
        steps += 1
        return steps > _MOST_STEPS

    connection.set_progress_handler(watch, 1000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    for name in ("topics", "messages"):
        kinds = connection.execute(
            "SELECT type FROM sqlite_master WHERE name = ?", (name,)
        ).fetchall()
        if kinds != [("table",)]:
            raise DocumentError(path, f"no recording of ROS 2: it has no table {name}")
    rows = connection.execute("SELECT id, name, type, serialization_format FROM topics")
    chosen: dict[int, str] = {}
    for number, name, kind, encoding in rows:
        if not (
            isinstance(number, int) and all(isinstance(x, str) for x in (name, kind, encoding))
        ):
            raise DocumentError(path, "damaged: a topic without a name or type")
        if wanted.accept(BagTopic(name, kind, encoding)):
            chosen[number] = name
    if not chosen:
        return
    marks = ", ".join("?" for _ in chosen)
    query = (
        f"SELECT topic_id, timestamp, data FROM messages WHERE topic_id IN ({marks}) "
        "ORDER BY timestamp, id"
    )
    steps = -_MOST_MESSAGES // 100  # sorting takes steps, too
    for count, (number, time, data) in enumerate(connection.execute(query, list(chosen))):
        if count >= _MOST_MESSAGES:
            raise DocumentError(path, f"more than {_MOST_MESSAGES} messages: cut the recording")
        if not (isinstance(time, int) and isinstance(data, bytes)):
            raise DocumentError(path, "damaged: a message without time or bytes")
        steps = 0
        yield BagMessage(chosen[number], time, data)
