"""Bytes that are written once and read in another order, without holding them all in memory."""

from __future__ import annotations

from contextlib import suppress
from typing import IO

_IN_MEMORY = 4 << 20
"""Size up to which bytes are kept in memory [bytes]: the report of a small run needs no file."""


class Spool:
    """Bytes in memory and, beyond a size, in a temporary file.

    The file has no name, where the system allows that, so that it is gone however the process ends.

    Args:
        most: Size up to which the bytes stay in memory [bytes].
    """

    def __init__(self, most: int = _IN_MEMORY) -> None:
        self._most = most
        self._buffer = bytearray()
        self._stream: IO[bytes] | None = None
        self._size = 0

    def append(self, data: bytes) -> int:
        """Append bytes, and give the offset at which they begin.

        Raises:
            OSError: There is no room for the temporary file.
        """
        start = self._size
        self._size += len(data)
        if self._stream is not None:
            self._stream.seek(start)
            self._stream.write(data)
            return start
        self._buffer += data
        if self._size > self._most:
            from tempfile import TemporaryFile  # few reports are so large

            self._stream = TemporaryFile(prefix="inertial-check-")  # noqa: SIM115 - see close
            self._stream.write(self._buffer)
            self._buffer = bytearray()
        return start

    def read(self, start: int, size: int) -> bytes:
        """Read bytes that were appended.

        Raises:
            OSError: The temporary file cannot be written or read.
        """
        if self._stream is None:
            return bytes(self._buffer[start : start + size])
        self._stream.seek(start)
        return self._stream.read(size)

    def close(self) -> None:
        """Forget the bytes."""
        self._buffer = bytearray()
        if self._stream is not None:
            stream, self._stream = self._stream, None
            with suppress(OSError):  # nobody needs any more what could not be written
                stream.close()
