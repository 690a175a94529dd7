"""Bytes onto the disk: whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from inertial_check.errors import UsageError

_NAME_BYTES = 200
"""Of the target's name in that of the temporary file; file systems end at 255."""


def replace_file(path: str, data: bytes, expected: bytes | None = None) -> None:
    """Give a file new bytes, whole or not at all.

    A temporary file `.NAME.inertial-check-*.tmp` beside the target is written, flushed to the disk,
    read back, compared, and renamed over the target, which keeps its permissions and, where the
    system allows, its owner. A symbolic link stays; the file that it points to is replaced. Other
    hard links of the target keep the old bytes.

    Args:
        path: The target; need not exist unless `expected` is given.
        data: What it shall hold.
        expected: What it must still hold, unless it holds `data` already; None where that does not
            matter.

    Raises:
        UsageError: It cannot be written, is read-only, or no longer holds what was expected. The
            target is then as it was, and no temporary file is left.
    """
    target = os.path.realpath(path)
    try:
        before = status_of(path, target)
        if expected is not None and _holds(target, data):
            return  # several models can include one document, and each writes it
        _expect(path, target, expected)
        temporary = _temporary(target, data, before)
        try:
            _expect(path, target, expected)
            os.replace(temporary, target)
        except BaseException:
            _discard(temporary)
            raise
        flush_folder(os.path.dirname(target))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"{path}: cannot be written: {reason}; nothing was changed") from error


def same_file(path: str, other: str) -> bool:
    """Whether both paths lead to one file that exists."""
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def status_of(path: str, target: str) -> os.stat_result | None:
    """The target's status, None where there is no such file yet.

    Raises:
        UsageError: It is no regular file, or nobody may write it.
    """
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path}: cannot be written: it is no regular file")
    # Replacing a file needs no right to write it, so that must be asked; a superuser always has it.
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise UsageError(
            f"{path}: cannot be written: the file is read-only; "
            "make it writable, or name another file with -o"
        )
    return status


def _expect(path: str, target: str, expected: bytes | None) -> None:
    """Refuse a target that has changed since it was read.

    Raises:
        UsageError: It has.
    """
    if expected is not None and not _holds(target, expected):
        raise UsageError(f"{path}: not written: the file has changed since it was read; run again")


def _holds(target: str, data: bytes) -> bool:
    try:
        with open(target, "rb") as stream:
            return stream.read() == data
    except FileNotFoundError:
        return False


def _temporary(target: str, data: bytes, before: os.stat_result | None) -> str:
    """A file beside the target that holds the data, on the disk, and has the target's rights."""
    descriptor, temporary = open_beside(target, before)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
        if before is not None:
            take_rights(temporary, before)
        with open(temporary, "rb") as stream:
            if stream.read() != data:
                raise OSError(0, "what was written does not read back the same")
    except BaseException:
        _discard(temporary)
        raise
    return temporary


def open_beside(target: str, before: os.stat_result | None) -> tuple[int, str]:
    """A new file beside the target, `.NAME.inertial-check-*.tmp`, to write and to read.

    Args:
        target: What it is to replace.
        before: The target's status; None where there is none yet.

    Returns:
        Its descriptor and its path.
    """
    folder, name = os.path.split(target)
    stem = os.fsdecode(os.fsencode(name)[:_NAME_BYTES])
    temporary = os.path.join(folder, f".{stem}.inertial-check-{os.urandom(4).hex()}.tmp")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # A new file gets what the process gives new files; one that replaces another, that one's mode.
    return os.open(temporary, flags, 0o666 if before is None else 0o600), temporary


def take_rights(temporary: str, before: os.stat_result) -> None:
    """Give a file the owner, where the system allows it, and the mode of another."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(temporary, before.st_uid, before.st_gid)
    os.chmod(temporary, stat.S_IMODE(before.st_mode))


def _discard(temporary: str) -> None:
    with suppress(OSError):
        os.unlink(temporary)


def flush_folder(folder: str) -> None:
    """Make the rename itself survive a loss of power, where the system can."""
    with suppress(OSError):  # Windows opens no folders; some file systems flush none
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
