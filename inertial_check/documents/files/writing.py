"""Atomic writing of files: a target gets all of its new bytes, or stays as it was.

New bytes go to a temporary file `.NAME.inertial-check-*.tmp` beside the target. It is flushed to
the disk and renamed over the target, which keeps its permissions and, where the system allows, its
owner, extended attributes and access control lists. A symbolic link stays; the file that it points
to is replaced, if the link does not leave the folders that may be written. Other hard links of the
target keep the old bytes.

A writer holds a lock on its temporary file. The system releases the lock when the writer dies, so
the next run finds out which temporary files are left over, and removes them.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import BinaryIO, Self, cast

from inertial_check.documents.files.access import (
    NO_LINK_FLAGS,
    contains,
    contains_any,
    real_path,
    remember_folders,
)
from inertial_check.errors import UsageError

_NAME_BYTES = 200
"""Largest part of the target's name in the name of the temporary file [bytes]: file systems end
names at 255, and the prefix and suffix need the rest."""

_PIECE = 2**20
"""Size of the pieces in which a file is read for its digest [bytes]."""

_LEFTOVER = re.compile(r"\..+\.inertial-check-[0-9a-f]{8}\.tmp", re.DOTALL)
"""Names of the temporary files that `_open_beside` makes."""

_ATTEMPTS = 8
"""Temporary files that are tried: another run can remove one before it is locked."""

_STALE_AGE = 3600.0
"""Age from which a temporary file is left over where the system has no locks [s]."""

_MOST_LINKS = 40
"""Most links on the way to a file; systems follow no more."""

_DEVICE_FOLDERS = ("/dev/", "/proc/")
"""Folders whose files are the open files of processes, and devices: nothing is renamed there."""

_NO_RENAME = frozenset([errno.EACCES, errno.EBUSY, errno.EPERM, errno.EROFS, errno.EXDEV])
"""Errors of a folder in which a writable file cannot be replaced, as one that is a mount point."""


@dataclass(frozen=True)
class WritableFolders:
    """The folders in which files may be written.

    Attributes:
        folders: Real paths of the only folders that may be written; None for those that a path
            names by itself, see `boundary_of`.
        follow_outside: Whether links may lead anywhere.
    """

    folders: tuple[str, ...] | None = None
    follow_outside: bool = False

    @classmethod
    def around(cls, paths: Iterable[str], follow_outside: bool = False) -> WritableFolders:
        """The folders among paths, and those that the files among them lie in."""
        named = (
            path if os.path.isdir(path) else os.path.dirname(path) or os.curdir for path in paths
        )
        folders = []
        for folder in dict.fromkeys(named):
            if _reason_against(folder, None) is None:
                folders.append(os.path.realpath(folder))
        return cls(tuple(dict.fromkeys(folders)), follow_outside)

    def remove_leftovers_beside(self, files: Iterable[str]) -> None:
        """Remove what dead writers have left beside files, where that is inside these folders."""
        folders = None if self.folders is None else frozenset(self.folders)
        with remember_folders():
            for folder in dict.fromkeys(os.path.dirname(path) or os.curdir for path in files):
                with suppress(ValueError):  # a NUL in the path
                    if _reason_against(folder, folders) is None:
                        remove_leftovers(real_path(folder))

    def resolve(self, path: str) -> str:
        """Follow the links of a path; returns the real path of the file to write.

        Raises:
            UsageError: It lies outside the folders.
        """
        reason = None if self.follow_outside else _reason_against(path, self.folders)
        if reason is not None:
            raise UsageError(f"{path}: not written: {reason}")
        return os.path.realpath(path)


ANYWHERE_NAMED = WritableFolders()
"""Every place that a path names by itself, without a link that leaves a checkout."""


def _reason_against(path: str, folders: Collection[str] | None) -> str | None:
    """Say why a path must not be written; None if it may be."""
    target = real_path(path)
    if folders is None:
        # Find the folder that the links of a path must not leave, as a real path.
        found, above = [], os.path.dirname(os.path.abspath(path))
        while True:
            if os.path.lexists(os.path.join(above, ".git")):
                found.append(os.path.realpath(above))
            outer = os.path.dirname(above)
            if outer == above:
                break
            above = outer
        boundary = None
        for repository in reversed(found):  # not one that a link of the outer one leads to
            if boundary is None or contains(boundary, repository):
                boundary = repository
        here = os.path.realpath(os.curdir)
        if boundary is None and contains(here, os.path.abspath(path)):
            boundary = here
        if boundary is None or contains(boundary, target):
            return None
        return f"it is a link that leads to {target}, outside {boundary}; name that file itself"
    if contains_any(folders, target):
        return None
    where = " and ".join(folders) or "the paths that were given"
    return f"it is {target}, outside {where}; --follow-outside writes it"


def replace_file(
    path: str,
    data: bytes,
    expected: bytes | None = None,
    writable: WritableFolders = ANYWHERE_NAMED,
) -> None:
    """Give a file new bytes, whole or not at all.

    Args:
        path: The target; it need not exist unless `expected` is given.
        data: The new bytes. What was written is read back and compared before it counts.
        expected: The bytes that the target must still hold, unless it holds `data` already; None
            where that does not matter.
        writable: The folders in which the target may lie.

    Raises:
        UsageError: The target cannot be written, is read-only, lies outside, or no longer holds
            what was expected. It is then as it was, and no temporary file is left.
    """
    if expected is not None:
        target = writable.resolve(path)
        with _report_failure(path):
            _status_of(path, target)
            if _holds(target, data):
                return  # several models can include one document, and each writes it
    read = None if expected is None else io.BytesIO(expected)
    with Replacement(path, read, writable) as replacement:
        replacement.stream.write(data)
        replacement.commit(data)


def check_replaceable(
    path: str, expected: bytes | None = None, writable: WritableFolders = ANYWHERE_NAMED
) -> None:
    """Check that `replace_file` can write a file, as far as that shows without writing anything.

    Args:
        path: The target; it need not exist unless `expected` is given.
        expected: The bytes that the target must still hold; None where that does not matter.
        writable: The folders in which the target may lie.

    Raises:
        UsageError: As for `replace_file`.
    """
    target = writable.resolve(path)
    with _report_failure(path):
        _status_of(path, target)
        folder = os.path.dirname(target)
        if not os.path.isdir(folder):
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not os.access(folder, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        if expected is not None and not _holds(target, expected):
            raise UsageError(
                f"{path}: not written: the file has changed since it was read; run again"
            )


def write_output(path: str, data: bytes, writable: WritableFolders = ANYWHERE_NAMED) -> None:
    """Write a report: a regular file whole or not at all, a pipe or a device directly.

    Args:
        path: The file, which need not exist.
        data: Its content.
        writable: The folders in which the file may lie.

    Raises:
        UsageError: The file lies outside.
        OSError: It cannot be written. A regular file is then as it was.
        BrokenPipeError: Nobody reads the pipe.
    """
    target = writable.resolve(path)
    if _is_direct(path):
        with open(path, "wb") as stream:
            stream.write(data)
        return
    try:
        with Replacement(path, None, writable) as replacement:
            replacement.stream.write(data)
            replacement.commit()
    except UsageError as error:
        cause = error.__cause__
        if not isinstance(cause, OSError):
            raise
        if cause.errno not in _NO_RENAME or not os.path.isfile(target):
            raise cause from None
        # Write over a file in a folder where none can be renamed, after its room is reserved.
        with open(target, "r+b", buffering=0) as overwrite_stream:
            size = os.fstat(overwrite_stream.fileno()).st_size
            if len(data) > size and hasattr(os, "posix_fallocate"):
                try:
                    os.posix_fallocate(overwrite_stream.fileno(), 0, len(data))
                except OSError:
                    overwrite_stream.truncate(size)
                    raise
            left = memoryview(data)
            while left:
                left = left[overwrite_stream.write(left) or 0 :]
            overwrite_stream.truncate(len(data))


def _is_direct(path: str) -> bool:
    """Tell whether a path is a pipe, a device, or an open file of this process."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode):
        return True
    for descriptor in (1, 2):  # what the shell has opened for this process keeps its place
        with suppress(OSError):
            if os.path.samestat(status, os.fstat(descriptor)):
                return True
    step = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        if step.startswith(_DEVICE_FOLDERS):
            return True
        if not os.path.islink(step):
            return False
        step = os.path.normpath(os.path.join(os.path.dirname(step), os.readlink(step)))
    return False


def remove_leftovers(folder: str) -> None:
    """Remove the temporary files in a folder that dead writers of this user have left.

    A folder that cannot be read, and a file that cannot be removed, are passed over.
    """
    with suppress(OSError, ValueError):  # ValueError: a NUL in the path
        with os.scandir(folder or os.curdir) as entries:
            names = [
                each.name
                for each in entries
                if each.name.endswith(".tmp") and _LEFTOVER.fullmatch(each.name)
            ]
        for name in names:
            with suppress(OSError):
                remove_if_dead(os.path.join(folder, name))


def remove_if_dead(path: str, dir_fd: int | None = None) -> None:
    """Remove a temporary file unless its writer lives, or another user has made it.

    Args:
        path: The file.
        dir_fd: Open folder that the path is relative to; None for the working directory.

    Raises:
        OSError: It is locked by its writer, is no regular file, or cannot be removed.
    """
    descriptor = os.open(path, NO_LINK_FLAGS, dir_fd=dir_fd)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return
        if hasattr(os, "geteuid") and os.geteuid() not in (0, status.st_uid):
            return
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif status.st_mtime > time.time() - _STALE_AGE:
            return
        # The writer may have renamed it meanwhile, and another file may have its name.
        if os.path.samestat(status, os.stat(path, dir_fd=dir_fd, follow_symlinks=False)):
            os.unlink(path, dir_fd=dir_fd)
    finally:
        os.close(descriptor)


def lock(descriptor: int) -> bool:
    """Lock a temporary file as long as it is open; False where another run is removing it."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks: nobody else can lock it either
            return True
        return os.fstat(descriptor).st_nlink > 0
    return True


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
        writable: The folders in which the target may lie.

    Raises:
        UsageError: The target lies outside.
    """

    def __init__(
        self, path: str, read: BinaryIO | None = None, writable: WritableFolders = ANYWHERE_NAMED
    ) -> None:
        self.path, self._target = path, writable.resolve(path)
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
            remove_leftovers(os.path.dirname(self._target))
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
            if data is not None:
                self.stream.seek(0)
                if self.stream.read() != data:
                    raise OSError(0, "what was written does not read back the same")
            if self._before is not None:
                # Give the temporary file the mode of the target and, where the system allows it,
                # its owner.
                if hasattr(os, "chown"):
                    with suppress(PermissionError):
                        os.chown(self._temporary, self._before.st_uid, self._before.st_gid)
                os.chmod(self._temporary, stat.S_IMODE(self._before.st_mode))
                if sys.platform == "linux":
                    names: list[str] = []
                    with suppress(OSError):  # a file system without attributes
                        names = os.listxattr(self._target)
                    for name in names:
                        with suppress(OSError):  # some belong to the system alone
                            os.setxattr(self._temporary, name, os.getxattr(self._target, name))
            if self._expected is not None and self._digest_now() != self._expected:
                raise UsageError(
                    f"{self.path}: not written: the file has changed since it was read; run again"
                )
            if sys.platform == "win32":  # renames no open file; elsewhere closing ends the lock
                self.stream.close()
            os.replace(self._temporary, self._target)
        self._temporary = None
        self.stream.close()
        # Make the rename itself survive a loss of power, where the system can.
        folder = os.path.dirname(self._target)
        with suppress(OSError):  # Windows opens no folders; some file systems flush none
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

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

        self.stream = cast("BinaryIO", tempfile.TemporaryFile())  # on Windows a wrapper of one
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
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for _ in range(_ATTEMPTS):
        temporary = os.path.join(folder, f".{stem}.inertial-check-{os.urandom(4).hex()}.tmp")
        # The mode of a new file is limited by the process' umask as usual. A file that replaces
        # another is private until it gets the mode of the old one.
        descriptor = os.open(temporary, flags, 0o666 if before is None else 0o600)
        if lock(descriptor):
            return descriptor, temporary
        os.close(descriptor)
        with suppress(OSError):
            os.unlink(temporary)
    raise OSError(errno.EAGAIN, "other runs remove its temporary files")
