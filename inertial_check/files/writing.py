"""Atomic writing of files: a target gets all of its new bytes, or stays as it was.

New bytes go to a temporary file `.NAME.inertial-check-*.tmp` beside the target. It is flushed to
the disk and renamed over the target, which keeps its permissions and, where the system allows, its
owner. A symbolic link stays; the file that it points to is replaced. Other hard links of the target
keep the old bytes.
"""

from __future__ import annotations

import io
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Self

from inertial_check.errors import UsageError

_NAME_BYTES = 200
"""Largest part of the target's name in the name of the temporary file [bytes]: file systems end
names at 255, and the prefix and suffix need the rest."""

_PIECE = 2**20
"""Size of the pieces in which a file is read for its digest [bytes]."""


def replace_file(path: str, data: bytes, expected: bytes | None = None) -> None:
    """Give a file new bytes, whole or not at all.

    Args:
        path: The target; it need not exist unless `expected` is given.
        data: The new bytes. What was written is read back and compared before it counts.
        expected: The bytes that the target must still hold, unless it holds `data` already; None
            where that does not matter.

    Raises:
        UsageError: The target cannot be written, is read-only, or no longer holds what was
            expected. It is then as it was, and no temporary file is left.
    """
    if expected is not None:
        target = os.path.realpath(path)
        with _report_failure(path):
            _status_of(path, target)
            if _holds(target, data):
                return  # several models can include one document, and each writes it
    with Replacement(path, None if expected is None else io.BytesIO(expected)) as replacement:
        replacement.stream.write(data)
        replacement.commit(data)


def same_file(path: str, other: str) -> bool:
    """Tell whether both paths lead to one file that exists."""
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


class Target(ABC):
    """Destination of a file that is written in pieces and read again before it counts.

    A target is a context manager.

    Attributes:
        stream: The file being written, open for writing and reading inside the context.
    """

    stream: BinaryIO

    @abstractmethod
    def __enter__(self) -> Self:
        """Open the stream."""

    @abstractmethod
    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Close the stream and remove what was not committed."""


class Replacement(Target):
    """New content of a file, written to a temporary file beside it until it is committed.

    Leaving the context without `commit` removes the temporary file; the target is as it was.

    Args:
        path: The target; it need not exist.
        read: The old content as it was opened for reading, if the target must not have changed
            since then.
    """

    def __init__(self, path: str, read: BinaryIO | None = None) -> None:
        self.path, self._target = path, os.path.realpath(path)
        self._expected = None if read is None else fingerprint(read)
        self._temporary: str | None = None
        self._before: os.stat_result | None = None

    def __enter__(self) -> Self:
        """Open the temporary file.

        Raises:
            UsageError: The target is read-only or no regular file, or its folder takes no files.
        """
        with _report_failure(self.path):
            self._before = _status_of(self.path, self._target)
            descriptor, self._temporary = _open_beside(self._target, self._before)
            self.stream = open(descriptor, "w+b")
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Remove what was not committed."""
        with suppress(OSError):  # what could not be written cannot be flushed either
            self.stream.close()
        if self._temporary is not None:
            with suppress(OSError):
                os.unlink(self._temporary)
        if isinstance(error, OSError):
            with _report_failure(self.path):
                raise error

    def commit(self, data: bytes | None = None) -> None:
        """Rename the temporary file over the target.

        Args:
            data: The bytes that the temporary file has to hold, if they are to be compared.

        Raises:
            UsageError: The target has changed since it was read, or cannot be replaced.
        """
        if self._temporary is None:
            return
        with _report_failure(self.path):
            self.stream.flush()
            os.fsync(self.stream.fileno())
            if data is not None and not _reads_back(self.stream, data):
                raise OSError(0, "what was written does not read back the same")
            if self._before is not None:
                _copy_rights(self._temporary, self._before)
            if self._expected is not None and self._digest_now() != self._expected:
                raise UsageError(
                    f"{self.path}: not written: the file has changed since it was read; run again"
                )
            self.stream.close()
            os.replace(self._temporary, self._target)
        self._temporary = None
        _flush_folder(os.path.dirname(self._target))

    def _digest_now(self) -> bytes | None:
        try:
            with open(self._target, "rb") as stream:
                return fingerprint(stream)
        except FileNotFoundError:
            return None


class Unnamed(Target):
    """Temporary file for a destination without a name, as standard output: the caller sends it."""

    def __enter__(self) -> Self:
        """Open a temporary file without a name."""
        import tempfile  # loads random and hashlib, which most commands do not need

        self.stream = tempfile.TemporaryFile()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Close the file, which removes it."""
        import tempfile

        with suppress(OSError):
            self.stream.close()
        if isinstance(error, OSError):
            reason = error.strerror or type(error).__name__
            where = tempfile.gettempdir()
            raise UsageError(
                f"no room to work in {where}: {reason}; nothing was written"
            ) from error


def fingerprint(stream: BinaryIO) -> bytes:
    """Compute the BLAKE2 digest of a whole file; the stream is left at its beginning."""
    import hashlib  # loads OpenSSL, which a check does not need

    digest = hashlib.blake2b()
    stream.seek(0)
    while piece := stream.read(_PIECE):
        digest.update(piece)
    stream.seek(0)
    return digest.digest()


@contextmanager
def _report_failure(path: str) -> Iterator[None]:
    """Turn an error of the system into one line that names the target.

    Raises:
        UsageError: In place of OSError.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"{path}: cannot be written: {reason}; nothing was changed") from error


def _status_of(path: str, target: str) -> os.stat_result | None:
    """Look up the target's status; None where there is no such file yet.

    Raises:
        UsageError: The target is no regular file, or nobody may write it.
    """
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path}: cannot be written: it is no regular file")
    # A rename needs no right to write the file itself, so this is asked here: a read-only file is
    # meant to stay. The mode is looked at too, because os.access allows a superuser everything.
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise UsageError(
            f"{path}: cannot be written: the file is read-only; "
            "make it writable, or name another file with -o"
        )
    return status


def _holds(target: str, data: bytes) -> bool:
    try:
        with open(target, "rb") as stream:
            return stream.read() == data
    except FileNotFoundError:
        return False


def _reads_back(stream: BinaryIO, data: bytes) -> bool:
    stream.seek(0)
    return stream.read() == data


def _open_beside(target: str, before: os.stat_result | None) -> tuple[int, str]:
    """Create the temporary file beside the target.

    Args:
        target: The file that it is to replace.
        before: The target's status; None where there is none yet.

    Returns:
        A descriptor to write and to read, and the path.
    """
    folder, name = os.path.split(target)
    stem = os.fsdecode(os.fsencode(name)[:_NAME_BYTES])
    temporary = os.path.join(folder, f".{stem}.inertial-check-{os.urandom(4).hex()}.tmp")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # The mode of a new file is limited by the process' umask as usual. A file that replaces another
    # is private until it gets the mode of the old one.
    return os.open(temporary, flags, 0o666 if before is None else 0o600), temporary


def _copy_rights(temporary: str, before: os.stat_result) -> None:
    """Give the temporary file the mode and, where the system allows it, the owner of the target."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(temporary, before.st_uid, before.st_gid)
    os.chmod(temporary, stat.S_IMODE(before.st_mode))


def _flush_folder(folder: str) -> None:
    """Make the rename itself survive a loss of power, where the system can."""
    with suppress(OSError):  # Windows opens no folders; some file systems flush none
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
