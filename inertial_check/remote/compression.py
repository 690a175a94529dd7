"""Decompression of tar archives as streams: gzip, bzip2, xz and Zstandard.

The compressed bytes say how much memory their decompression takes, up to gigabytes; more than a
limit is refused. How much comes out of a stream is for its reader to count.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from inertial_check.remote.limits import RefusedError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_LARGEST_WINDOW_LOG = 27
"""Logarithm to base 2 of the largest window of Zstandard [bytes]: 128 MB, as `zstd` itself has it
unless it is asked for more."""

_LARGEST_MEMORY = 1 << 28
"""Largest memory for decompressing xz [bytes]: 256 MB; `xz -9` takes 65 MB."""

_PIECE = 1 << 16
"""Size of the pieces in which compressed bytes are read [bytes]."""

_GZIP, _BZIP2, _XZ, _ZSTANDARD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
"""First bytes of compressed files."""


def open_decompressed(stream: BinaryIO) -> IO[bytes]:
    """Open a stream for reading what it holds, compressed or not, as its first bytes tell.

    Args:
        stream: A stream at its beginning, which can be sought in.

    Raises:
        RefusedError: A library that is needed is not installed.
    """
    magic = stream.read(len(_XZ))
    stream.seek(0)
    if magic.startswith(_GZIP):
        return cast(IO[bytes], gzip.GzipFile(fileobj=stream))
    if magic.startswith(_BZIP2):
        return bz2.BZ2File(stream)
    if magic == _XZ:
        return io.BufferedReader(_XzStream(stream), _PIECE)
    if magic.startswith(_ZSTANDARD):
        return _open_zstandard(stream)
    return stream


class _XzStream(io.RawIOBase):
    """The content of an xz file, decompressed in bounded memory; it can be sought in forwards.

    The class of the standard library has no limit for memory.

    Args:
        stream: The compressed stream.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decompressor = _new_decompressor()
        self._position = 0

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def seekable(self) -> bool:
        """Whether it can be sought in: yes, forwards."""
        return True

    def tell(self) -> int:
        """The position in the decompressed bytes."""
        return self._position

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        """Read up to a position.

        Raises:
            OSError: It lies before that of now, or is given from the end.
        """
        left = position - (self._position if whence == os.SEEK_SET else 0)
        if left < 0 or whence == os.SEEK_END:
            raise OSError("it can only be read forwards")
        while left > 0 and (piece := self.read(min(left, _PIECE))):
            left -= len(piece)
        return self._position

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Decompress as much as fits into a buffer; 0 bytes at the end.

        Raises:
            EOFError: The file ends in the middle of a stream.
            RefusedError: It needs more memory than the limit.
            lzma.LZMAError: It is damaged.
        """
        view = memoryview(buffer).cast("B")
        while len(view):
            if self._decompressor.eof and not self._begin_next():
                return 0
            wanted = self._decompressor.needs_input
            data = self._stream.read(_PIECE) if wanted else b""
            if wanted and not data:
                raise EOFError("it ends in the middle of a stream")
            if piece := self._decompress(data, len(view)):
                view[: len(piece)] = piece
                self._position += len(piece)
                return len(piece)
        return 0

    def _decompress(self, data: bytes, size: int) -> bytes:
        try:
            return self._decompressor.decompress(data, size)
        except lzma.LZMAError as error:
            if "memory" in str(error).lower():
                raise RefusedError(
                    f"decompressing it takes more than {_LARGEST_MEMORY >> 20} MB of memory"
                ) from None
            raise

    def _begin_next(self) -> bool:
        """Begin the stream that follows; whether there is one. Zeros between them are padding."""
        rest = self._decompressor.unused_data.lstrip(b"\0")
        while not rest and (piece := self._stream.read(_PIECE)):
            rest = piece.lstrip(b"\0")
        if not rest:
            return False
        self._stream.seek(-len(rest), os.SEEK_CUR)
        self._decompressor = _new_decompressor()
        return True


def _new_decompressor() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, _LARGEST_MEMORY)


class _ZstandardStream:
    """The content of a Zstandard file, whose errors have one type in all libraries.

    Args:
        reader: The stream of a library.
        error: The library's type of errors.
    """

    def __init__(self, reader: IO[bytes], error: type[Exception]) -> None:
        self._reader, self._error = reader, error

    def read(self, size: int = -1) -> bytes:
        """Read at most so many bytes.

        Raises:
            RefusedError: It needs more memory than the limit.
            ValueError: It is damaged.
        """
        try:
            return self._reader.read(size)
        except self._error as error:
            if "memory" in str(error).lower():
                size = (1 << _LARGEST_WINDOW_LOG) >> 20
                reason = f"decompressing it takes more than {size} MB of memory"
                raise RefusedError(reason) from None
            raise ValueError(str(error)) from None

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        """Read up to a position."""
        left = position - (self.tell() if whence == os.SEEK_SET else 0)
        if left < 0 or whence == os.SEEK_END:
            raise OSError("it can only be read forwards")
        while left > 0 and (piece := self.read(min(left, _PIECE))):
            left -= len(piece)
        return self.tell()

    def tell(self) -> int:
        """The position in the decompressed bytes."""
        return self._reader.tell()


def _open_zstandard(stream: BinaryIO) -> IO[bytes]:
    """Open a stream of Zstandard by Python itself, from 3.14 on, or by a library.

    Raises:
        RefusedError: The library is not installed.
    """
    if sys.version_info >= (3, 14):
        from compression import zstd

        options: Any = {zstd.DecompressionParameter.window_log_max: _LARGEST_WINDOW_LOG}
        reader = cast(IO[bytes], zstd.ZstdFile(stream, options=options))
        return cast(IO[bytes], _ZstandardStream(reader, zstd.ZstdError))
    try:
        import zstandard
    except ImportError:
        raise RefusedError(
            'reading Zstandard needs zstandard: pip install "inertial-check[cluster]"'
        ) from None
    decompressor = zstandard.ZstdDecompressor(max_window_size=1 << _LARGEST_WINDOW_LOG)
    plain = decompressor.stream_reader(stream, read_across_frames=True)
    return cast(IO[bytes], _ZstandardStream(cast(IO[bytes], plain), zstandard.ZstdError))
