"""Unpacking of zip and tar archives that strangers have made.

Only regular files with a relative path are written, below the target folder, with a limited size
and number. Links, devices, encrypted and sparse members, and names that lead outside are left out
and told. Sizes that an archive claims are never believed: bytes are counted as they come.
"""

from __future__ import annotations

import errno
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, BinaryIO

from inertial_check.remote.addresses import Kind
from inertial_check.remote.compression import open_decompressed
from inertial_check.remote.limits import Budget, RefusedError

_PIECE = 1 << 16
"""Size of the pieces in which members are read [bytes]."""

_LARGEST_READ = 16 << 20
"""Largest size that a reader of archives may ask for at once [bytes]: directories of zip files and
headers of tar files are read whole, and their sizes are those that the archive claims."""

_LONGEST_PATH = 1024
"""Longest path of a member [characters]."""

_DRIVE = re.compile(r"[A-Za-z]:")


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
        if kind == "zip":
            files = _unpack_zip(stream, folder, budget, skipped)
        else:
            files = _unpack_tar(stream, folder, budget, skipped)
    except RefusedError:
        raise
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise RefusedError(
                "no space is left where its files are unpacked: TMPDIR names another folder"
            ) from None
        raise RefusedError(f"damaged: {' '.join(str(error).split())}") from None
    except (EOFError, zlib.error, lzma.LZMAError, tarfile.TarError) as error:
        raise RefusedError(f"damaged: {' '.join(str(error).split())}") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as error:
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
    files: list[str] = []
    with zipfile.ZipFile(bounded) as archive:
        for member in archive.infolist():
            budget.count_member()
            if member.is_dir():
                continue
            mode = member.external_attr >> 16
            reason = _reason_against(member.filename)
            if reason is None and mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                reason = "a link, or no regular file"
            if reason is None and member.flag_bits & 1:
                reason = "encrypted"
            if reason is None and member.file_size > budget.largest:
                reason = f"larger than {budget.largest} bytes; --max-file-size raises that"
            if reason is None:
                with archive.open(member) as content:
                    reason = _write(content, folder, member.filename, budget)
            if reason is None:
                files.append(member.filename)
            else:
                skipped.add(member.filename, reason)
    return files


def _unpack_tar(
    stream: BinaryIO, folder: str, budget: Budget, skipped: _SkippedMembers
) -> list[str]:
    bounded = _BoundedReader(open_decompressed(stream), lambda size: _spend_time(budget))
    files: list[str] = []
    with tarfile.open(fileobj=bounded, mode="r:") as archive:  # type: ignore[call-overload]
        while (member := archive.next()) is not None:
            archive.members = []  # of members that are done nothing is kept
            budget.count_member()
            name = member.name.removeprefix("./")
            if member.isdir():
                continue
            reason = _reason_against(name)
            if reason is None and (not member.isreg() or member.issparse()):
                reason = "a link, or no regular file"
            if reason is None and member.size > budget.largest:
                reason = f"larger than {budget.largest} bytes; --max-file-size raises that"
            if reason is None:
                content = archive.extractfile(member)
                reason = "damaged" if content is None else _write(content, folder, name, budget)
            else:
                _skip_data(member.size, budget)
            if reason is None:
                files.append(name)
            else:
                skipped.add(name, reason)
    return files


def _spend_time(budget: Budget) -> None:
    _ = budget.seconds


def _skip_data(size: int, budget: Budget) -> None:
    """Count what has to be decompressed to come to the next member."""
    budget.spend(max(size, 0))


def _reason_against(name: str) -> str | None:
    """Say why a name is not written below a folder; None if it may be."""
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or "\0" in name or _DRIVE.match(name):
        return "its name is no relative path"
    if ".." in parts:
        return "its name leads outside"
    if not name or len(name) > _LONGEST_PATH or "" in parts or "." in parts:
        return "its name is no path of a file"
    return None


def _write(content: IO[bytes], folder: str, name: str, budget: Budget) -> str | None:
    """Write a member; returns why it was left out, or None."""
    target = os.path.join(folder, *name.split("/"))
    try:
        if not os.path.isdir(parent := os.path.dirname(target)):
            os.makedirs(parent, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(target, flags, 0o600)
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
        return f"larger than {budget.largest} bytes; --max-file-size raises that"
    return None
