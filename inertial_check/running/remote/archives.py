"""Unpacking of zip and tar archives that strangers have made.

Only regular files with a relative path are written, below the target folder, with a limited size
and number. Links, devices, encrypted and sparse members, and names that lead outside are left out
and told. Sizes that an archive claims are never believed: bytes are counted as they come.

Tar archives may be compressed by gzip, bzip2, xz and Zstandard. The compressed bytes say how much
memory their decompression takes, up to gigabytes; more than a limit is refused.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import re
import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from inertial_check.running.remote.addresses import Budget, Kind, RefusedError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


_LARGEST_WINDOW_LOG = 27
"""Logarithm to base 2 of the largest window of Zstandard [bytes]: 128 MB, as `zstd` itself has it
unless it is asked for more."""

_LARGEST_MEMORY = 1 << 28
"""Largest memory for decompressing xz [bytes]: 256 MB; `xz -9` takes 65 MB."""

_COMPRESSED_PIECE = 1 << 16
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
        return io.BufferedReader(_XzStream(stream), _COMPRESSED_PIECE)
    if magic.startswith(_ZSTANDARD):
        # Open a stream of Zstandard by Python itself, from 3.14 on, or by a library.
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
        return _read_up_to(self, position, whence)

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
            data = self._stream.read(_COMPRESSED_PIECE) if wanted else b""
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
        while not rest and (piece := self._stream.read(_COMPRESSED_PIECE)):
            rest = piece.lstrip(b"\0")
        if not rest:
            return False
        self._stream.seek(-len(rest), os.SEEK_CUR)
        self._decompressor = _new_decompressor()
        return True


def _new_decompressor() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, _LARGEST_MEMORY)


def _read_up_to(stream: io.RawIOBase | _ZstandardStream, position: int, whence: int) -> int:
    """Read a decompressed stream up to a position.

    Raises:
        OSError: It lies before that of now, or is given from the end.
    """
    left = position - (stream.tell() if whence == os.SEEK_SET else 0)
    if left < 0 or whence == os.SEEK_END:
        raise OSError("it can only be read forwards")
    while left > 0 and (piece := stream.read(min(left, _COMPRESSED_PIECE))):
        left -= len(piece)
    return stream.tell()


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
        return _read_up_to(self, position, whence)

    def tell(self) -> int:
        """The position in the decompressed bytes."""
        return self._reader.tell()


_PIECE = 1 << 16
"""Size of the pieces in which members are read [bytes]."""

_LARGEST_READ = 16 << 20
"""Largest size that a reader of archives may ask for at once [bytes]: directories of zip files and
headers of tar files are read whole, and their sizes are those that the archive claims."""

_LONGEST_PATH = 1024
"""Longest path of a member [characters]."""

_DRIVE = re.compile(r"[A-Za-z]:")
_DAMAGE = (
    *(OSError, EOFError, ValueError, RuntimeError, NotImplementedError),
    *(zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile),
)
"""Errors of reading an archive that is damaged."""


class _BoundedReader:
    """A stream whose single reads, and whose total, are limited.

    Args:
        stream: The stream.
        spend: Called with the size of each read.
    """

    def __init__(self, stream: IO[bytes], spend: Callable[[int], None]) -> None:
        self._stream, self._spend = stream, spend

    def read(self, size: int = -1) -> bytes:
        if size > _LARGEST_READ:
            raise RefusedError(f"a header or directory in it claims {size} bytes")
        data = self._stream.read(size if size >= 0 else _LARGEST_READ)
        self._spend(len(data))
        return data

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        return self._stream.seek(position, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """Leave the stream to its owner."""


class _SkippedMembers:
    """Members that were left out: the first one and the number for each reason."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}

    def add(self, name: str, reason: str) -> None:
        self._found.setdefault(reason, []).append(name[:_LONGEST_PATH])

    def describe(self) -> list[str]:
        """A line for each reason."""
        return [
            f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''} left out: {why}"
            for why, names in self._found.items()
        ]


def unpack(
    stream: BinaryIO, kind: Kind, folder: str, budget: Budget, only: str = ""
) -> tuple[list[str], list[str]]:
    """Unpack an archive into an empty folder.

    Args:
        stream: The archive, which can be sought in.
        kind: Kind of the archive.
        folder: The folder.
        budget: What may be unpacked.
        only: A member that has to be there; "" for none.

    Returns:
        Paths of the files in the folder, with "/"; and lines about members that were left out.

    Raises:
        RefusedError: The archive is damaged, exceeds a limit, or lacks the member.
    """
    skipped = _SkippedMembers()
    try:
        unpack_all = _unpack_zip if kind == "zip" else _unpack_tar
        files = unpack_all(stream, folder, budget, skipped)
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise RefusedError(
                "no space is left where its files are unpacked: TMPDIR names another folder"
            ) from None
        raise RefusedError(f"damaged: {' '.join(str(error).split())}") from None
    notes = skipped.describe()
    if only and only not in files:
        reason = next((note for note in notes if note.startswith(only)), "no such member")
        raise RefusedError(f"{only}: {reason}")
    return files, notes


def _unpack_zip(
    stream: BinaryIO, folder: str, budget: Budget, skipped: _SkippedMembers
) -> list[str]:
    bounded = _BoundedReader(stream, lambda size: None)
    files: dict[str, None] = {}
    with zipfile.ZipFile(bounded) as archive:
        for member in archive.infolist():
            budget.count_member()
            if member.is_dir() or _hides(member.filename):
                continue
            plain = stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)
            reason = _reason_against(member.filename, plain, member.file_size, budget)
            if reason is None and member.flag_bits & 1:
                reason = "encrypted"
            if reason is None:
                with archive.open(member) as content:
                    reason = _write(content, folder, member.filename, budget, files, skipped)
            if reason is not None:
                skipped.add(member.filename, reason)
    return list(files)


def _unpack_tar(
    stream: BinaryIO, folder: str, budget: Budget, skipped: _SkippedMembers
) -> list[str]:
    bounded = _BoundedReader(open_decompressed(stream), lambda size: budget.spend(0))
    files: dict[str, None] = {}
    with tarfile.open(fileobj=bounded, mode="r:") as archive:  # type: ignore[call-overload]
        while (member := archive.next()) is not None:
            archive.members = []  # of members that are done nothing is kept
            budget.count_member()
            name = member.name.removeprefix("./")
            if member.isdir() or _hides(name):
                continue
            plain = member.isreg() and not member.issparse()
            reason = _reason_against(name, plain, member.size, budget)
            if reason is None:
                content = archive.extractfile(member)
                reason = "damaged"
                if content is not None:
                    reason = _write(content, folder, name, budget, files, skipped)
            else:
                budget.spend(max(member.size, 0))
            if reason is not None:
                skipped.add(name, reason)
    return list(files)


def _reason_against(name: str, plain: bool, size: int, budget: Budget) -> str | None:
    """Say why a member, a plain file or not, is not written below a folder; None if it may be."""
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or "\0" in name or _DRIVE.match(name):
        return "its name is no relative path"
    if ".." in parts:
        return "its name leads outside"
    if not name or len(name) > _LONGEST_PATH or "" in parts or "." in parts:
        return "its name is no path of a file"
    if not plain:
        return "a link, or no regular file"
    if size > budget.largest:
        return f"larger than {budget.largest} bytes; --max-file-size raises that"
    return None


def _hides(name: str) -> bool:
    """Whether a member would hide others: what an archive holds, somebody has packed."""
    return name.rpartition("/")[2] == ".gitignore"


def _write(
    content: IO[bytes],
    folder: str,
    name: str,
    budget: Budget,
    files: dict[str, None],
    skipped: _SkippedMembers,
) -> str | None:
    """Write a member, over an earlier one of its name as tar and unzip do.

    Returns:
        Why it was left out; None if it is among the files then.
    """
    target = os.path.join(folder, *name.split("/"))
    try:
        if not os.path.isdir(parent := os.path.dirname(target)):
            os.makedirs(parent, exist_ok=True)
        how = os.O_TRUNC if name in files else os.O_CREAT | os.O_EXCL
        descriptor = os.open(target, os.O_WRONLY | how | getattr(os, "O_BINARY", 0), 0o600)
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.ENOSPC:
            raise
        return f"it cannot be written: {getattr(error, 'strerror', None) or error}"
    size = 0
    with os.fdopen(descriptor, "wb") as stream:
        while piece := content.read(_PIECE):
            size += len(piece)
            if size > budget.largest:
                break
            budget.spend(len(piece))
            stream.write(piece)
    if size > budget.largest:
        os.unlink(target)
        files.pop(name, None)
        return f"larger than {budget.largest} bytes; --max-file-size raises that"
    if name in files:
        skipped.add(name, "another of its name comes later, which tar and unzip leave")
    files[name] = None
    return None
