"""Messages of an MCAP file, one after another.

Records are read by the mcap library, and chunks unpacked here: the library would unpack as many
bytes as a chunk claims.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from inertial_check.errors import DocumentError, MissingExtraError
from inertial_check.formats.recordings.bags.messages import BagMessage, BagTopic, TopicFilter

if TYPE_CHECKING:
    from mcap.records import Channel, Chunk, Schema

_LARGEST_RECORD = 2**28
"""Largest size of a record, and of an unpacked chunk [bytes]; usual chunks have a few MB."""

_MOST_RECORDS = 2**24
"""Largest number of records: five hours of a thousand messages a second."""

_SCHEMA, _CHANNEL, _MESSAGE = 3, 4, 5
"""Kinds of the records in a chunk."""


class _BoundedStream:
    """File whose reads never ask for more bytes than are left, whatever a record claims."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._left = stream.seek(0, io.SEEK_END)
        stream.seek(0)

    def read(self, size: int) -> bytes:
        """Read bytes, exactly as many as asked for."""
        if size > self._left:
            raise EOFError("it ends before its last record")
        data = self._stream.read(size)
        self._left -= len(data)
        return data


def read_messages(stream: BinaryIO, path: str, wanted: TopicFilter) -> Iterator[BagMessage]:
    """Read the messages of the topics that are wanted.

    Args:
        stream: The file, at its beginning.
        path: The path that messages name.
        wanted: Topics.

    Raises:
        DocumentError: The file is damaged.
        MissingExtraError: The mcap library is not installed.
    """
    try:
        import mcap.exceptions
        import mcap.stream_reader
    except ImportError:
        raise MissingExtraError(
            path, "MCAP files need the library mcap: pip install 'inertial-check[ros]'"
        ) from None
    try:
        yield from _Walker(path, wanted).walk(stream)
    except DocumentError:
        raise
    except (mcap.exceptions.McapError, struct.error, EOFError, ValueError, RuntimeError) as error:
        raise _damage(path, error) from None
    except (MemoryError, OverflowError) as error:
        raise _damage(path, error) from None


def _damage(path: str, error: Exception) -> DocumentError:
    reason = " ".join(str(error).split()) or type(error).__name__
    return DocumentError(path, f"damaged or cut off: {reason}; mcap recover saves what is there")


class _Walker:
    """Walk over the records of a file."""

    def __init__(self, path: str, wanted: TopicFilter) -> None:
        self._path, self._wanted = path, wanted
        self._schemas: dict[int, Schema] = {}
        self._channels: dict[int, str | None] = {}
        self._count = 0

    def walk(self, stream: BinaryIO) -> Iterator[BagMessage]:
        from mcap.records import Channel, Chunk, Message, Schema
        from mcap.stream_reader import StreamReader

        bounded = cast("IO[bytes]", _BoundedStream(stream))
        reader = StreamReader(bounded, emit_chunks=True, record_size_limit=_LARGEST_RECORD)
        for record in reader.records:
            self._tick()
            if isinstance(record, Chunk):
                yield from self._walk_chunk(record)
            elif isinstance(record, Schema):
                self._schemas[record.id] = record
            elif isinstance(record, Channel):
                self._open(record)
            elif isinstance(record, Message):
                topic = self._find_topic(record.channel_id)
                if topic is not None:
                    yield BagMessage(topic, record.log_time, record.data)

    def _tick(self) -> None:
        self._count += 1
        if self._count > _MOST_RECORDS:
            raise DocumentError(self._path, f"more than {_MOST_RECORDS} records: cut the recording")

    def _walk_chunk(self, chunk: Chunk) -> Iterator[BagMessage]:
        """Walk over the records of a chunk; messages of other topics are passed over."""
        from mcap.data_stream import ReadDataStream
        from mcap.records import Channel, Schema

        data = _unpack(chunk)
        position = 0
        while position < len(data):
            self._tick()
            kind, length = struct.unpack_from("<BQ", data, position)
            position += 9
            if position + length > len(data):
                raise EOFError("a chunk ends before its last record")
            end = position + length
            if kind == _MESSAGE:
                channel, _, log_time, _ = struct.unpack_from("<HIQQ", data, position)
                topic = self._find_topic(channel)
                if topic is not None:
                    yield BagMessage(topic, log_time, data[position + 22 : end])
            elif kind in (_SCHEMA, _CHANNEL):
                body = ReadDataStream(io.BytesIO(data[position:end]))
                if kind == _SCHEMA:
                    schema = Schema.read(body)
                    self._schemas[schema.id] = schema
                else:
                    self._open(Channel.read(body))
            position = end

    def _find_topic(self, channel: int) -> str | None:
        if channel not in self._channels:
            raise ValueError(f"a message of channel {channel}, which is not there")
        return self._channels[channel]

    def _open(self, channel: Channel) -> None:
        """Note a channel, and whether its messages are read."""
        schema = self._schemas.get(channel.schema_id)
        text = ""
        if schema is not None and schema.encoding == "ros2msg":
            text = schema.data.decode("utf-8", "replace")
        name = "no schema" if schema is None else schema.name
        topic = BagTopic(channel.topic, name, channel.message_encoding, text)
        self._channels[channel.id] = channel.topic if self._wanted.accept(topic) else None


def _unpack(chunk: Chunk) -> bytes:
    """Unpack a chunk, up to the size that it claims and to the limit.

    Raises:
        ValueError: It is larger, or packed in an unknown way.
    """
    if chunk.uncompressed_size > _LARGEST_RECORD:
        raise ValueError(
            f"a chunk of {chunk.uncompressed_size} bytes, and the limit is {_LARGEST_RECORD}"
        )
    limit = chunk.uncompressed_size
    if chunk.compression == "":
        data = chunk.data
    elif chunk.compression == "zstd":
        import zstandard

        try:
            with zstandard.ZstdDecompressor().stream_reader(chunk.data) as reader:
                data = reader.read(limit + 1)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
    elif chunk.compression == "lz4":
        import lz4.frame

        data = lz4.frame.LZ4FrameDecompressor().decompress(chunk.data, max_length=limit + 1)
    else:
        raise ValueError(f"a chunk is packed by {chunk.compression!r}")
    if len(data) != limit:
        raise ValueError(f"a chunk claims {limit} bytes and has others")
    return bytes(data)
